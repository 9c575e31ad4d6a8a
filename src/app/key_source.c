/* key_source.c: where the API key comes from: the environment wins over the sealed key, so
 * that a single command can use another one. */
#include "app/key_source.h"

#include <string.h>

const char *ia_key_source_name(enum ia_key_source source)
{
    static const char *const names[] = {"none", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN",
                                        "sealed"};
    return (unsigned)source < IA_COUNTOF(names) ? names[source] : names[0];
}

enum ia_rc ia_key_check(struct ia_str key, const struct ia_config *config, struct ia_err *err)
{
    static const char prefix[] = "sk-ant-";
    bool other = strcmp(ia_config_str(config, IA_CFG_API_BASE_URL), IA_DEFAULT_API_URL) != 0;
    if (other || (ia_str_starts(key, ia_str(prefix)) && key.n > strlen(prefix))) {
        return IA_OK;
    }
    (void)ia_err_set(err, IA_E_USAGE,
                     "this is no key of the Anthropic API: those begin with %s", prefix);
    ia_err_hint(err,
                "make one at console.anthropic.com, then: ios-agent key set; for the key of "
                "another server, set api.base_url first");
    return IA_E_USAGE;
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

static const char *seal_name(enum ia_seal seal)
{
    return seal == IA_SEAL_PASSPHRASE ? "passphrase" : "key-file";
}

/* Whether the next run can open the stored key; only a passphrase is not tried. */
static enum ia_rc try_open(struct ia_store *store, const struct ia_secret_status *s,
                           struct ia_err *err)
{
    struct ia_secret *key = NULL;
    struct ia_str none = {NULL, 0};
    enum ia_rc rc = ia_secret_open(store, IA_SECRET_API_KEY, none, &key, err);
    ia_secret_free(key);
    bool asks = s->seal == IA_SEAL_PASSPHRASE && rc == IA_E_KEY_PASSPHRASE;
    return asks ? IA_OK : rc;
}

enum ia_rc ia_key_report(const struct ia_credentials *env, struct ia_store *store,
                         struct ia_jsonw *w, struct ia_key_report *ret, struct ia_err *err)
{
    const struct ia_secret_status *s = &ret->sealed;
    enum ia_rc rc = ia_key_find(env, store, &ret->source, &ret->sealed, err);
    if (rc == IA_OK && ret->source == IA_KEY_SEALED) {
        rc = try_open(store, s, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    ia_jsonw_object(w);
    ia_jsonw_kv_bool(w, "stored", s->stored);
    ia_jsonw_kv(w, "seal", s->stored ? seal_name(s->seal) : NULL);
    ia_jsonw_kv(w, "sealed_at", s->stored ? s->sealed_at : NULL);
    ia_jsonw_kv(w, "key_file", ia_rc_name(s->key_file));
    ia_jsonw_kv(w, "in_use", ia_key_source_name(ret->source));
    ia_jsonw_end_object(w);
    return IA_OK;
}
