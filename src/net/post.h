/* post.h: one short POST of JSON to a webhook, and nothing else of the answer than its status.
 *
 * Not for the Messages API: no streaming, no retries, a connection of its own. */
#ifndef IA_NET_POST_H
#define IA_NET_POST_H

#include "base/base.h"
#include "base/cancel.h"
#include "base/err.h"

struct ia_post {
    const char *url; /* http or https */
    struct ia_str json;
    const char *ca_bundle;    /* or NULL */
    const char *proxy;        /* "" for none; NULL: from the environment */
    int64_t timeout_ms;       /* of all of it */
    struct ia_cancel *cancel; /* checked about once a second; may be NULL */
};

/* IA_OK for a status from 200 to 299. IA_E_API_PROTOCOL for any other, redirects included;
 * IA_E_TIMEOUT, IA_E_CANCELLED; IA_E_API_NETWORK for the rest; IA_E_MISSING without libcurl.
 * No message contains the URL, which may hold a secret. Any thread. */
enum ia_rc ia_post_json(const struct ia_post *post, struct ia_err *err);

#endif
