/* config: the effective configuration with the origin of every value; config path. */
#include "app/setup.h"
#include "cli/cmd/cmd.h"

#include <unistd.h>

enum ia_rc ia_cmd_config(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_config(&setup, err);
    if (rc == IA_OK) {
        ia_config_text(setup.config, &c->text);
        ia_config_json(setup.config, &c->w);
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
