/* config: the effective configuration with the origin of every value; config path, set and unset. */
#include "app/config_change.h"
#include "cli/cmd/cmd.h"

#include <unistd.h>

enum ia_rc ia_cmd_config(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_config(&setup, err);
    if (rc == IA_OK) {
        ia_config_text(setup.config, &c->text);
        ia_config_json(setup.config, IA_CFG_MAY_ALL, &c->w);
    }
    ia_setup_close(&setup);
    return rc;
}

static void path(struct ia_cli *c, const char *name, const char *path)
{
    bool exists = access(path, F_OK) == 0;
    ia_buf_printf(&c->text, "%-8s %s%s\n", name, path, exists ? "" : " (not there)");
    ia_jsonw_key(&c->w, name);
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "path", path);
    ia_jsonw_kv_bool(&c->w, "exists", exists);
    ia_jsonw_end_object(&c->w);
}

/* Loads nothing: it must work when the configuration is broken. */
enum ia_rc ia_cmd_config_path(struct ia_cli *c, struct ia_err *err)
{
    struct ia_paths paths;
    enum ia_rc rc = ia_paths_find(NULL, &paths, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_jsonw_object(&c->w);
    path(c, "home", paths.home);
    path(c, "user", paths.user_config);
    path(c, "project", paths.project_config);
    ia_jsonw_end_object(&c->w);
    ia_paths_fini(&paths);
    return IA_OK;
}

/* The user's file is changed; what goes before it is not. */
static void tell(struct ia_cli *c, const struct ia_config_changed *done, bool set)
{
    const char *key = ia_config_key_name(done->key), *file = done->setup.paths.user_config;
    enum ia_config_origin want = set ? IA_CFG_FROM_USER_FILE : IA_CFG_FROM_DEFAULT;
    const struct ia_config *g = done->setup.config;
    ia_buf_printf(&c->text,
                  set ? done->changed ? "%s is set in %s\n" : "%s was set so in %s already\n"
                  : done->changed ? "%s is no longer set in %s\n"
                                  : "%s was not set in %s\n",
                  key, file);
    if (!done->loads) {
        ia_buf_printf(&c->text, "not in effect yet: %s\n", done->problem.msg);
    } else if (ia_config_origin(g, done->key) != want) {
        ia_buf_printf(&c->text, "not in effect: %s goes before it\n",
                      ia_config_where(g, done->key));
    }
    ia_config_changed_json(done, IA_CFG_MAY_ALL, &c->w);
}

static enum ia_rc change(struct ia_cli *c, const char *value, struct ia_err *err)
{
    const struct ia_config_change change = {
        .may = IA_CFG_MAY_ALL, .key = ia_args_operand(&c->args, 0), .value = value};
    struct ia_config_changed done;
    enum ia_rc rc = ia_config_change(&change, &done, err);
    if (rc == IA_OK) {
        tell(c, &done, value != NULL);
    }
    ia_config_changed_fini(&done);
    return rc;
}

enum ia_rc ia_cmd_config_set(struct ia_cli *c, struct ia_err *err)
{
    return change(c, ia_args_operand(&c->args, 1), err);
}

enum ia_rc ia_cmd_config_unset(struct ia_cli *c, struct ia_err *err)
{
    return change(c, NULL, err);
}
