/* config_change.c: who may change which setting, and what is in effect afterwards: a project's file or a
 * variable may go before the user's. */
#include "app/config_change.h"

#include "driver/registry/device_registry.h"

static enum ia_rc check_may(const struct ia_config_change *c, enum ia_config_key key,
                            struct ia_err *err)
{
    if (!ia_config_settable(key, c->may)) {
        enum ia_rc rc = ia_err_set(err, IA_E_FORBIDDEN,
                                   "%s can be set by the user of this machine only", c->key);
        ia_err_hint(err, "in a terminal: ios-agent config set %s VALUE", c->key);
        return rc;
    }
    bool foreign = key == IA_CFG_RUN_DEVICE && c->may != IA_CFG_MAY_ALL && c->value;
    return foreign ? ia_device_name_check_foreign(c->value, err) : IA_OK;
}

enum ia_rc ia_config_change(const struct ia_config_change *change,
                            struct ia_config_changed *ret, struct ia_err *err)
{
    struct ia_config_changed c = {.changed = false};
    enum ia_rc rc = ia_config_key_find(change->key, &c.key, err);
    if (rc == IA_OK) {
        rc = check_may(change, c.key, err);
    }
    if (rc == IA_OK) {
        rc = ia_setup_paths_in(&c.setup, change->folder, err);
    }
    if (rc == IA_OK) {
        rc = ia_config_edit(&c.setup.paths, c.key, change->value, &c.changed, err);
    }
    if (rc == IA_OK) {
        ia_setup_close(&c.setup);
        c.loads = ia_setup_config_in(&c.setup, change->folder, &c.problem) == IA_OK;
    }
    *ret = c;
    return rc;
}

void ia_config_changed_json(const struct ia_config_changed *changed, enum ia_config_may may,
                            struct ia_jsonw *w)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "file", changed->setup.paths.user_config);
    ia_jsonw_kv_bool(w, "changed", changed->changed);
    ia_jsonw_key(w, "value");
    if (changed->loads) {
        ia_config_row_json(changed->setup.config, changed->key, may, w);
    } else {
        ia_jsonw_null(w);
    }
    ia_jsonw_end_object(w);
}

void ia_config_changed_fini(struct ia_config_changed *changed)
{
    ia_setup_close(&changed->setup);
}
