/* secret_env.h: where the values of secrets come from that a run may type: the environment. */
#ifndef IA_APP_SECRET_ENV_H
#define IA_APP_SECRET_ENV_H

#include "agent/goal/request.h"
#include "base/err.h"

/* For struct ia_secret_lookup; ctx is not used. */
const char *ia_secret_from_env(void *ctx, const char *name);

/* That every secret of the request has a value, and that none is written in its texts.
 * IA_E_USAGE names the one that has none, or that is written. */
enum ia_rc ia_secrets_check(const struct ia_run_request *req, struct ia_err *err);
/* The second half of it: for a request whose values may be missing now. */
enum ia_rc ia_secrets_check_texts_now(const struct ia_run_request *req, struct ia_err *err);

#endif
