/* fetch.h: a page that somebody else names is read, and nothing but a page of the public internet.
 *
 *     url ─► scheme, user, host, port, domain lists ─► connect: the address is judged ─► header: the
 *      ▲                                              (address.h)                        type is judged
 *      └──────── a redirect, five at most ◄──────────────────────────────────────────────┘
 *
 * The address is judged in the call that makes the socket, so no second look-up of a name stands
 * between. No proxy is used: it would resolve names itself, where nobody judges them. No
 * cookies, no keys, no body; always a new connection. */
#ifndef IA_NET_FETCH_H
#define IA_NET_FETCH_H

#include "base/buf.h"
#include "base/cancel.h"

enum {
    IA_FETCH_URL_MAX = 8192,
    IA_FETCH_REDIRECTS_MAX = 5,
    IA_FETCH_HEADER_BYTES_MAX = 64 * 1024, /* of all answers of a call */
    IA_FETCH_TYPE_MAX = 128
};

/* Lists are separated by commas; "" and NULL: none. */
struct ia_fetch_rules {
    const char *allow;           /* "127.0.0.1:8080, [::1]:80": reached although not public */
    const char *allowed_domains; /* "example.com": only these and what is below them */
    const char *blocked_domains; /* not these, nor what is below them */
    const char *ca_bundle;
    /* "NAME:PORT:ADDRESS", NULL-ended: names that are not looked up. For tests. */
    const char *const *known_names;
};

struct ia_fetch {
    const char *url;
    struct ia_fetch_rules rules;
    /* Whether a type ("text/html", lower case) is wanted; asked before a body is read. */
    bool (*wants)(const char *type);
    size_t bytes_max;    /* of the body when it is unpacked; what is beyond is not read */
    int64_t deadline_us; /* of the system's monotonic clock, for all of it */
    struct ia_cancel *cancel;
};

struct ia_fetch_answer {
    int status;
    char type[IA_FETCH_TYPE_MAX];    /* "text/html"; "" where the server does not say */
    char charset[IA_FETCH_TYPE_MAX]; /* lower case; "" likewise */
    char *url;                       /* where the answer came from at last */
    struct ia_buf body;
    bool cut; /* the body was longer */
};
void ia_fetch_answer_fini(struct ia_fetch_answer *a);

/* IA_OK for an answer of any status. IA_E_USAGE: the URL is none that is allowed. IA_E_FORBIDDEN: the
 * address, the domain or the redirect is not. IA_E_UNSUPPORTED: wants said no. IA_E_LIMIT: header or
 * redirects are too many. IA_E_CANCELLED, IA_E_TIMEOUT; IA_E_IO: no connection, or it broke; IA_E_MISSING
 * without libcurl. *ret is filled after a failure, too: free it. */
enum ia_rc ia_fetch(const struct ia_fetch *fetch, struct ia_fetch_answer *ret,
                    struct ia_err *err);

/* Whether a host is allowed by the two lists of domains. */
bool ia_fetch_domain_ok(const struct ia_fetch_rules *rules, const char *host);

#endif
