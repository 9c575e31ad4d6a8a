/* key_source.h: where the key of a run comes from.
 *
 * The first of these that there is: ANTHROPIC_API_KEY; ANTHROPIC_AUTH_TOKEN; the sealed key of
 * `key set`. */
#ifndef IA_APP_KEY_SOURCE_H
#define IA_APP_KEY_SOURCE_H

#include "app/credentials.h"
#include "base/config.h"
#include "base/jsonw.h"

enum ia_key_source {
    IA_KEY_NONE, /* the demo brain answers */
    IA_KEY_ENV_API_KEY,
    IA_KEY_ENV_AUTH_TOKEN,
    IA_KEY_SEALED
};
/* "none", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "sealed". */
const char *ia_key_source_name(enum ia_key_source source);

/* That the key has the form of one that the server takes: Anthropic's begin with "sk-ant-", of another
 * server nothing is known. IA_E_USAGE, without the key. */
enum ia_rc ia_key_check(struct ia_str key, const struct ia_config *config, struct ia_err *err);

/* Where the key would come from, without opening it. */
enum ia_rc ia_key_find(const struct ia_credentials *env, struct ia_store *store,
                       enum ia_key_source *ret, struct ia_secret_status *ret_sealed,
                       struct ia_err *err);

/* What the next run would use, and what is stored: {"stored","seal"|null,"sealed_at"|null,"key_file",
 * "in_use"}; a stored key that would be used is tried, unless only a passphrase opens it. */
struct ia_key_report {
    enum ia_key_source source;
    struct ia_secret_status sealed;
};
enum ia_rc ia_key_report(const struct ia_credentials *env, struct ia_store *store,
                         struct ia_jsonw *w, struct ia_key_report *ret, struct ia_err *err);

#endif
