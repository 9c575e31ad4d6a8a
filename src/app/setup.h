/* setup.h: what a command opens before it works: paths, configuration, log, store. */
#ifndef IA_APP_SETUP_H
#define IA_APP_SETUP_H

#include "base/config.h"
#include "base/paths.h"
#include "store/store.h"

struct ia_live_config;

struct ia_setup {
    struct ia_paths paths;
    struct ia_config *config; /* as it was loaded */
    struct ia_store *store;   /* NULL until ia_setup_store */
    struct ia_live_config
        *live; /* what the files say now (live_config.h); NULL: not followed */
};

/* Loads the configuration of these paths and judges what a project's file says. Free with
 * ia_config_free. */
enum ia_rc ia_setup_load(const struct ia_paths *paths, struct ia_config **ret,
                         struct ia_err *err);
/* Opens the log that the configuration names, in place of one that is open. */
enum ia_rc ia_setup_log(const struct ia_paths *paths, const struct ia_config *config,
                        struct ia_err *err);

/* Finds the paths and loads the configuration. Every ia_setup_ function leaves `s` in a state
 * that ia_setup_close takes, whatever it returns. */
enum ia_rc ia_setup_config(struct ia_setup *s, struct ia_err *err);
/* The same for somebody who works in that folder (absolute; NULL: in this process's): whose project
 * file counts. Does what a server does anew for each request. IA_E_USAGE for another path. */
enum ia_rc ia_setup_config_in(struct ia_setup *s, const char *folder, struct ia_err *err);
/* The paths alone, as for ia_setup_config_in. */
enum ia_rc ia_setup_paths_in(struct ia_setup *s, const char *folder, struct ia_err *err);
/* All of it: the log and the store too. command is shown to others who find something busy. */
enum ia_rc ia_setup_store(struct ia_setup *s, const char *command, struct ia_err *err);
void ia_setup_close(struct ia_setup *s);

#endif
