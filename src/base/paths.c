/* paths.c: the rules of each platform for data and configuration, as a table; paths.h states them. */
#include "base/paths.h"

#include "base/buf.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_CAP = 4096 };

extern char **environ; /* POSIX has no header for it */

const char *ia_env_get(const char *const *env, const char *name)
{
    size_t n = strlen(name);
    if (!env) {
        env = (const char *const *)environ;
    }
    for (; env && *env; env++) {
        if (strncmp(*env, name, n) == 0 && (*env)[n] == '=') {
            /* Set but empty counts as not set. */
            return (*env)[n + 1] ? *env + n + 1 : NULL;
        }
    }
    return NULL;
}

char *ia_path_join(const char *folder, const char *name)
{
    if (name[0] == '/') {
        return ia_strdup(name);
    }
    struct ia_buf b = IA_BUF(SIZE_MAX / 2);
    ia_buf_puts(&b, folder);
    if (b.len > 0 && b.p[b.len - 1] != '/') {
        ia_buf_putc(&b, '/');
    }
    ia_buf_puts(&b, name);
    return ia_buf_steal(&b);
}

/* The user's home folder: $HOME, else the password database. New memory, or NULL. */
static char *user_home(const char *const *env)
{
    const char *home = ia_env_get(env, "HOME");
    if (home && home[0] == '/') {
        return ia_strdup(home);
    }
    struct passwd entry;
    struct passwd *found = NULL;
    char text[PATH_CAP];
    bool there = getpwuid_r(getuid(), &entry, text, sizeof(text), &found) == 0 && found;
    return there && entry.pw_dir[0] == '/' ? ia_strdup(entry.pw_dir) : NULL;
}

/* A folder of the program: $VARIABLE/ios-agent when that is an absolute path, else
 * HOME/fallback/ios-agent. New memory, or NULL without either. */
static char *program_folder(const char *const *env, const char *variable, const char *fallback)
{
    const char *xdg = variable ? ia_env_get(env, variable) : NULL;
    if (xdg && xdg[0] == '/') {
        return ia_path_join(xdg, "ios-agent");
    }
    char *home = user_home(env);
    char *parent = home ? ia_path_join(home, fallback) : NULL;
    char *folder = parent ? ia_path_join(parent, "ios-agent") : NULL;
    free(parent);
    free(home);
    return folder;
}

struct rules {
    const char *data_variable, *data_fallback;
    const char *config_variable, *config_fallback;
};

static const struct rules rules_of[] = {
    [IA_PLATFORM_XDG] = {"XDG_DATA_HOME", ".local/share", "XDG_CONFIG_HOME", ".config"},
    [IA_PLATFORM_MACOS] = {NULL, "Library/Application Support", NULL,
                           "Library/Application Support"},
};

static char *find_home(const struct rules *rules, const char *const *env, const char *cwd)
{
    const char *named = ia_env_get(env, "IOS_AGENT_HOME");
    return named ? ia_path_join(cwd, named)
                 : program_folder(env, rules->data_variable, rules->data_fallback);
}

static char *find_user_config(const struct rules *rules, const char *const *env,
                              const char *cwd, bool *ret_named)
{
    const char *named = ia_env_get(env, "IOS_AGENT_CONFIG");
    *ret_named = named != NULL;
    if (named) {
        return ia_path_join(cwd, named);
    }
    char *folder = program_folder(env, rules->config_variable, rules->config_fallback);
    char *file = folder ? ia_path_join(folder, "config.toml") : NULL;
    free(folder);
    return file;
}

enum ia_rc ia_paths_find_on(enum ia_platform platform, const char *const *env,
                            struct ia_paths *ret, struct ia_err *err)
{
    const struct rules *rules = &rules_of[platform];
    char cwd[PATH_CAP];
    if (!getcwd(cwd, sizeof(cwd))) {
        enum ia_rc rc = ia_err_set(err, IA_E_IO, "cannot determine the current folder: %s",
                                   strerror(errno));
        ia_err_hint(err, "change to a folder that exists and may be read");
        return rc;
    }
    struct ia_paths p = {0};
    p.home = find_home(rules, env, cwd);
    p.user_config = find_user_config(rules, env, cwd, &p.user_config_named);
    p.project_config = ia_path_join(cwd, IA_PROJECT_CONFIG);
    if (!p.home || !p.user_config) {
        ia_paths_fini(&p);
        enum ia_rc rc = ia_err_set(err, IA_E_CONFIG, "this user has no home folder");
        ia_err_hint(err, "set HOME, or both IOS_AGENT_HOME and IOS_AGENT_CONFIG");
        return rc;
    }
    *ret = p;
    return IA_OK;
}

enum ia_rc ia_paths_find(const char *const *env, struct ia_paths *ret, struct ia_err *err)
{
    return ia_paths_find_on(ia_platform_here(), env, ret, err);
}

void ia_paths_fini(struct ia_paths *p)
{
    free(p->home);
    free(p->user_config);
    free(p->project_config);
    *p = (struct ia_paths){0};
}

static bool starts_below(const char *folder, const char *path)
{
    size_t n = strlen(folder);
    while (n > 0 && folder[n - 1] == '/') {
        n--;
    }
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static bool climbs(const char *path)
{
    for (const char *p = path; (p = strstr(p, "/..")) != NULL; p += 3) {
        if (p[3] == '/' || p[3] == '\0') {
            return true;
        }
    }
    return false;
}

bool ia_path_inside(const char *folder, const char *path)
{
    char *real_folder = realpath(folder, NULL);
    char *real = realpath(path, NULL);
    bool inside =
        real_folder && (real ? starts_below(real_folder, real)
                             : errno == ENOENT && starts_below(folder, path) && !climbs(path));
    free(real_folder);
    free(real);
    return inside;
}
