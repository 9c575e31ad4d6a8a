/* credentials.h: keys that came in through the environment, moved out of it.
 *
 * A process's first environment can be read by others of the same user (ps, /proc), is
 * inherited by every child and ends up in core dumps. So the values of ANTHROPIC_API_KEY,
 * ANTHROPIC_AUTH_TOKEN and OTEL_EXPORTER_OTLP_HEADERS are copied into guarded memory and overwritten where they stood, before
 * the program does anything else. */
#ifndef IA_APP_CREDENTIALS_H
#define IA_APP_CREDENTIALS_H

#include "store/secret.h"

/* Gets the passphrase that opens a sealed key: a terminal asks for it, a server may know it
 * already. Free *ret with ia_secret_free. IA_E_KEY_PASSPHRASE where there is nobody to ask. */
typedef enum ia_rc ia_passphrase_fn(void *ctx, struct ia_secret **ret, struct ia_err *err);

struct ia_credentials {
    struct ia_secret *api_key;    /* NULL where the variable is not set or empty */
    struct ia_secret *auth_token; /* the same */
    /* The same: OTEL_EXPORTER_OTLP_HEADERS, which holds the key of a collector. */
    struct ia_secret *otlp_headers;
    /* May block, and is called on the thread that opens a model client. NULL: a key that is
     * sealed with a passphrase cannot be opened here. */
    ia_passphrase_fn *passphrase;
    void *passphrase_ctx;
};

/* Call once, first, while there is one thread. From then on the process leaves no core dump.
 * The variables are gone from the environment whatever it returns. IA_E_USAGE for a value that
 * is too long. Leaves passphrase NULL, for the caller to set. */
enum ia_rc ia_credentials_take(struct ia_credentials *ret, struct ia_err *err);
/* Those that somebody handed over (NULL: not that one), copied into guarded memory. Ends with
 * ia_credentials_fini whatever this returns. IA_E_USAGE for a value that is too long. */
enum ia_rc ia_credentials_of(const char *api_key, const char *auth_token,
                             struct ia_credentials *ret, struct ia_err *err);
/* Overwrites and frees. */
void ia_credentials_fini(struct ia_credentials *c);

#endif
