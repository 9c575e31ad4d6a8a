/* url_secret.h: whether a URL would carry a secret of the run out of it. */
#ifndef IA_AGENT_CORE_TOOLS_URL_SECRET_H
#define IA_AGENT_CORE_TOOLS_URL_SECRET_H

#include "agent/secrets/secrets.h"

/* IA_E_USAGE where the URL has {{secret:…}} or the value of a secret in it, as it is written or
 * percent-encoded, once or several times. secrets may be NULL: then only the braces count. */
enum ia_rc ia_url_secret_check(const struct ia_secrets *secrets, struct ia_str url,
                               struct ia_err *err);

#endif
