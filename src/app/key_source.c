/* key_source.c: where the API key comes from: the environment wins over the sealed key, so
 * that a single command can use another one. */
#include "app/key_source.h"

const char *ia_key_source_name(enum ia_key_source source)
{
    static const char *const names[] = {"none", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN",
                                        "sealed"};
    return (unsigned)source < IA_COUNTOF(names) ? names[source] : names[0];
}

enum ia_rc ia_key_find(const struct ia_credentials *env, struct ia_store *store,
                       enum ia_key_source *ret, struct ia_secret_status *ret_sealed,
                       struct ia_err *err)
{
    enum ia_rc rc = ia_secret_status(store, IA_SECRET_API_KEY, ret_sealed, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (env->api_key) {
        *ret = IA_KEY_ENV_API_KEY;
    } else if (env->auth_token) {
        *ret = IA_KEY_ENV_AUTH_TOKEN;
    } else {
        *ret = ret_sealed->stored ? IA_KEY_SEALED : IA_KEY_NONE;
    }
    return IA_OK;
}
