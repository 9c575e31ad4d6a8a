/* settings.c: the configuration as it is and as it is to be, and the key, which goes in and never comes
 * out. */
#include "app/config_change.h"
#include "app/key_source.h"
#include "server/api/handlers.h"

#include <sodium.h>
#include <string.h>

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

/* No copy of the request's is left in memory: the body, what was parsed and what was read of it are
 * ours to write to until the route returns. */
static void wipe(const char *text, size_t n)
{
    if (text) {
        sodium_memzero((void *)(uintptr_t)text, n);
    }
}

enum ia_rc ia_api_key_put(struct ia_api_call *call, struct ia_err *err)
{
    const struct ia_api_opts *o = &call->api->opts;
    const char *key = ia_args_text(&call->input, "key");
    const char *passphrase = ia_args_text(&call->input, "passphrase");
    const struct ia_seal_opts opts = {.passphrase = ia_str(passphrase)};
    enum ia_rc rc = ia_key_check(ia_str(key), o->setup->config, err);
    if (rc == IA_OK) {
        rc = ia_secret_seal(o->setup->store, IA_SECRET_API_KEY, ia_str(key), &opts, err);
    }
    for (size_t i = 0; i < call->input.set_count; i++) {
        const char *value = call->input.set[i].value;
        const json_t *member = json_object_get(call->body, call->input.set[i].opt->name);
        wipe(value, value ? strlen(value) : 0);
        wipe(json_string_value(member), json_string_length(member));
    }
    wipe(call->http->body.p, call->http->body.n);
    return rc == IA_OK ? report(call, err) : rc;
}

enum ia_rc ia_api_key_delete(struct ia_api_call *call, struct ia_err *err)
{
    enum ia_rc rc = ia_secret_remove(call->api->opts.setup->store, IA_SECRET_API_KEY, err);
    return rc == IA_OK ? report(call, err) : rc;
}
