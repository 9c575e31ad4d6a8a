/* setup.c: what every command opens first: paths, configuration, store, log, in this order,
 * as each needs the one before it. After a failure ia_setup_close closes what is there. */
#include "app/setup.h"

#include "base/fd.h"
#include "base/log.h"
#include "driver/registry/device_registry.h"

#include <stdlib.h>

/* The device of a project's file is judged here and not where it is opened, so that no command can
 * forget to. */
static enum ia_rc check_project(const struct ia_config *g, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    if (ia_config_origin(g, IA_CFG_RUN_DEVICE) == IA_CFG_FROM_PROJECT_FILE) {
        rc = ia_device_name_check_foreign(ia_config_str(g, IA_CFG_RUN_DEVICE), err);
    }
    return rc == IA_OK ? rc : ia_err_wrap(err, rc, "%s", ia_config_where(g, IA_CFG_RUN_DEVICE));
}

static enum ia_rc enter(struct ia_paths *paths, const char *folder, struct ia_err *err)
{
    if (folder[0] != '/') {
        return ia_err_set(err, IA_E_USAGE, "the working folder must be an absolute path");
    }
    free(paths->project_config);
    paths->project_config = ia_path_join(folder, IA_PROJECT_CONFIG);
    return IA_OK;
}

enum ia_rc ia_setup_paths_in(struct ia_setup *s, const char *folder, struct ia_err *err)
{
    *s = (struct ia_setup){.config = NULL};
    enum ia_rc rc = ia_paths_find(NULL, &s->paths, err);
    return rc == IA_OK && folder ? enter(&s->paths, folder, err) : rc;
}

/* What was refused is not there to be used by a command that goes on, as doctor does. */
enum ia_rc ia_setup_load(const struct ia_paths *paths, struct ia_config **ret,
                         struct ia_err *err)
{
    struct ia_config *config = NULL;
    enum ia_rc rc = ia_config_load(paths, NULL, &config, err);
    if (rc == IA_OK) {
        rc = check_project(config, err);
    }
    if (rc != IA_OK) {
        ia_config_free(config);
        return rc;
    }
    *ret = config;
    return IA_OK;
}

enum ia_rc ia_setup_config_in(struct ia_setup *s, const char *folder, struct ia_err *err)
{
    enum ia_rc rc = ia_setup_paths_in(s, folder, err);
    return rc == IA_OK ? ia_setup_load(&s->paths, &s->config, err) : rc;
}

enum ia_rc ia_setup_config(struct ia_setup *s, struct ia_err *err)
{
    return ia_setup_config_in(s, NULL, err);
}

/* The log stands in the data folder unless the configuration says otherwise. */
enum ia_rc ia_setup_log(const struct ia_paths *paths, const struct ia_config *config,
                        struct ia_err *err)
{
    const char *file = ia_config_str(config, IA_CFG_LOG_FILE);
    enum ia_log_level level = (enum ia_log_level)ia_config_int(config, IA_CFG_LOG_LEVEL);
    if (level == IA_LOG_OFF) {
        ia_log_close();
        return IA_OK;
    }
    char *path = ia_path_join(paths->home, file[0] != '\0' ? file : "ios-agent.log");
    enum ia_rc rc = ia_log_open(path, level, err);
    free(path);
    return rc;
}

enum ia_rc ia_setup_store(struct ia_setup *s, const char *command, struct ia_err *err)
{
    enum ia_rc rc = ia_setup_config(s, err);
    if (rc == IA_OK) {
        struct ia_store_opts opts = {.home = s->paths.home, .command = command};
        rc = ia_store_open(&opts, &s->store, err);
    }
    return rc == IA_OK ? ia_setup_log(&s->paths, s->config, err) : rc;
}

void ia_setup_close(struct ia_setup *s)
{
    /* The log came with the store. Where there is none, it is that of whoever has one here. */
    if (s->store) {
        ia_store_close(s->store);
        ia_log_close();
    }
    ia_config_free(s->config);
    ia_paths_fini(&s->paths);
}
