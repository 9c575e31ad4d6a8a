/* credentials.h: keys that came in through the environment, moved out of it.
 *
 * A process's first environment can be read by others of the same user (ps, /proc), is
 * inherited by every child and ends up in core dumps. So the values of ANTHROPIC_API_KEY and
 * ANTHROPIC_AUTH_TOKEN are copied into guarded memory and overwritten where they stood, before
 * the program does anything else. */
#ifndef IA_CLI_CREDENTIALS_H
#define IA_CLI_CREDENTIALS_H

struct ia_credentials;

/* Call once, first, while there is one thread. Never fails: without the variables both values
 * are absent. An empty variable counts as absent. */
struct ia_credentials *ia_credentials_take(void);
/* Overwrites and frees. NULL is fine. */
void ia_credentials_free(struct ia_credentials *c);

/* The value, or NULL. Borrowed; lives in guarded memory. */
const char *ia_credentials_api_key(const struct ia_credentials *c);
const char *ia_credentials_auth_token(const struct ia_credentials *c);

#endif
