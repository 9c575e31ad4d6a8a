/* settings.c: the configuration as it is and as it is to be, and the key and the secrets of
 * runs, which go in and never come out. */
#include "app/config_change.h"
#include "app/key_source.h"
#include "app/live_config.h"
#include "app/secret_source.h"
#include "server/api/handlers.h"

/* Over TCP comes who has a token, over the Unix socket the user himself. */
static enum ia_config_may may(const struct ia_api_call *call)
{
    bool owner = call->http->listener == IA_HTTP_UNIX;
    return call->http->scope != IA_HTTP_SCOPE_ACT ? IA_CFG_MAY_NOTHING
           : owner                                ? IA_CFG_MAY_ALL
                                                  : IA_CFG_MAY_TOKEN;
}

/* Read anew: the files are the user's, who may have written them just now. */
enum ia_rc ia_api_config(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_config_in(&setup, ia_api_folder(call), err);
    if (rc == IA_OK) {
        ia_config_json(setup.config, may(call), &call->w);
    }
    ia_setup_close(&setup);
    return rc;
}

static enum ia_rc change(struct ia_api_call *call, const char *key, const char *value,
                         struct ia_err *err)
{
    const struct ia_config_change change = {
        .folder = ia_api_folder(call), .may = may(call), .key = key, .value = value};
    struct ia_config_changed done;
    enum ia_rc rc = ia_config_change(&change, &done, err);
    if (rc == IA_OK) {
        ia_config_changed_json(&done, change.may, &call->w);
    }
    ia_config_changed_fini(&done);
    return rc;
}

enum ia_rc ia_api_config_put(struct ia_api_call *call, struct ia_err *err)
{
    return change(call, ia_args_text(&call->input, "key"), ia_args_text(&call->input, "value"),
                  err);
}

enum ia_rc ia_api_config_delete(struct ia_api_call *call, struct ia_err *err)
{
    return change(call, call->params[0], NULL, err);
}

static enum ia_rc report(struct ia_api_call *call, struct ia_err *err)
{
    const struct ia_api_opts *o = &call->api->opts;
    struct ia_key_report r;
    return ia_key_report(o->credentials, o->setup->store, &call->w, &r, err);
}

enum ia_rc ia_api_key(struct ia_api_call *call, struct ia_err *err)
{
    return report(call, err);
}

enum ia_rc ia_api_key_put(struct ia_api_call *call, struct ia_err *err)
{
    const struct ia_api_opts *o = &call->api->opts;
    const char *key = ia_args_text(&call->input, "key");
    const char *passphrase = ia_args_text(&call->input, "passphrase");
    const struct ia_seal_opts opts = {.passphrase = ia_str(passphrase)};
    const struct ia_config *config = ia_config_take(o->setup);
    enum ia_rc rc = ia_key_check(ia_str(key), config, err);
    ia_config_give_back(o->setup, config);
    if (rc == IA_OK) {
        rc = ia_secret_seal(o->setup->store, IA_SECRET_API_KEY, ia_str(key), &opts, err);
    }
    return rc == IA_OK ? report(call, err) : rc;
}

enum ia_rc ia_api_key_delete(struct ia_api_call *call, struct ia_err *err)
{
    enum ia_rc rc = ia_secret_remove(call->api->opts.setup->store, IA_SECRET_API_KEY, err);
    return rc == IA_OK ? report(call, err) : rc;
}

/* ---- secrets ----------------------------------------------------------------------------- */

static struct ia_store *store_of(const struct ia_api_call *call)
{
    return call->api->opts.setup->store;
}

static void put_entry(void *ctx, const struct ia_secret_entry *entry)
{
    ia_secret_entry_json(entry, ctx);
}

enum ia_rc ia_api_secrets(struct ia_api_call *call, struct ia_err *err)
{
    ia_jsonw_object(&call->w);
    ia_jsonw_key(&call->w, "secrets");
    ia_jsonw_array(&call->w);
    enum ia_rc rc = ia_secrets_each(store_of(call), NULL, put_entry, &call->w, err);
    if (rc == IA_OK) {
        ia_jsonw_end_array(&call->w);
        ia_jsonw_end_object(&call->w);
    }
    return rc;
}

enum ia_rc ia_api_secret_put(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_str value = ia_str(ia_args_text(&call->input, "value"));
    enum ia_rc rc = ia_stored_secret_put(store_of(call), call->params[0], value, NULL, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_jsonw_object(&call->w);
    ia_jsonw_key(&call->w, "secret");
    rc = ia_secrets_each(store_of(call), call->params[0], put_entry, &call->w, err);
    if (rc == IA_OK) {
        ia_jsonw_end_object(&call->w);
    }
    return rc;
}

enum ia_rc ia_api_secret_delete(struct ia_api_call *call, struct ia_err *err)
{
    enum ia_rc rc = ia_stored_secret_remove(store_of(call), call->params[0], err);
    if (rc == IA_OK) {
        ia_jsonw_object(&call->w);
        ia_jsonw_kv(&call->w, "removed", call->params[0]);
        ia_jsonw_end_object(&call->w);
    }
    return rc;
}
