/* credentials.h: keys that came in through the environment, moved out of it.
 *
 * A process's first environment can be read by others of the same user (ps, /proc), is
 * inherited by every child and ends up in core dumps. So the values of ANTHROPIC_API_KEY and
 * ANTHROPIC_AUTH_TOKEN are copied into guarded memory and overwritten where they stood, before
 * the program does anything else. */
#ifndef IA_APP_CREDENTIALS_H
#define IA_APP_CREDENTIALS_H

#include "store/secret.h"

/* NULL where the variable is not set or empty. */
struct ia_credentials {
    struct ia_secret *api_key;
    struct ia_secret *auth_token;
};

/* Call once, first, while there is one thread. From then on the process leaves no core dump.
 * The variables are gone from the environment whatever it returns. IA_E_USAGE for a value that
 * is too long. */
enum ia_rc ia_credentials_take(struct ia_credentials *ret, struct ia_err *err);
/* Overwrites and frees. */
void ia_credentials_fini(struct ia_credentials *c);

#endif
