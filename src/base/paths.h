/* paths.h: where the program keeps its data and looks for its configuration.
 *
 *   home            $IOS_AGENT_HOME, else $XDG_DATA_HOME/ios-agent, else
 *                   ~/.local/share/ios-agent; on macOS ~/Library/Application Support/ios-agent
 *   user_config     $IOS_AGENT_CONFIG, else $XDG_CONFIG_HOME/ios-agent/config.toml, else
 *                   ~/.config/ios-agent/config.toml; on macOS
 *                   ~/Library/Application Support/ios-agent/config.toml
 *   project_config  ./ios-agent.toml
 *
 * An XDG variable with a relative path is ignored, as the XDG Base Directory Specification 0.8
 * asks; a relative $IOS_AGENT_HOME or $IOS_AGENT_CONFIG is taken from the working folder. */
#ifndef IA_BASE_PATHS_H
#define IA_BASE_PATHS_H

#include "base/base.h"
#include "base/err.h"
#include "base/platform.h"

#define IA_PROJECT_CONFIG "ios-agent.toml" /* in the folder of the project */

struct ia_paths {
    char *home;             /* absolute; need not exist yet */
    char *user_config;      /* absolute; need not exist */
    char *project_config;   /* absolute; need not exist */
    bool user_config_named; /* $IOS_AGENT_CONFIG named it: then it must exist */
};

/* env is a NULL-ended list of "NAME=value"; NULL is this process's environment. Free with
 * ia_paths_fini. Touches no file. IA_E_CONFIG when the user has no home folder. */
enum ia_rc ia_paths_find(const char *const *env, struct ia_paths *ret, struct ia_err *err);
/* The same by the rules of the given platform. */
enum ia_rc ia_paths_find_on(enum ia_platform platform, const char *const *env,
                            struct ia_paths *ret, struct ia_err *err);
void ia_paths_fini(struct ia_paths *p);

/* folder + "/" + name in new memory, without a doubled slash; an absolute name stays as it is. */
char *ia_path_join(const char *folder, const char *name) IA_MUST_USE;
/* Whether path, an absolute one, lies in folder once every link is followed. One that does not exist
 * is judged by its text. False where the folder itself cannot be resolved. */
bool ia_path_inside(const char *folder, const char *path);
/* The value of a variable in env (NULL: this process's), or NULL. An empty value counts as not
 * set. Borrowed from the environment. */
const char *ia_env_get(const char *const *env, const char *name);

#endif
