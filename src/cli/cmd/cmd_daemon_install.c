/* daemon install, daemon uninstall: the file by which the system keeps the daemon running. */
#include "base/clean.h"
#include "base/fd.h"
#include "base/paths.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct install {
    struct ia_cli *c;
    struct ia_paths paths;
    struct ia_service service;
    char name[IA_SERVICE_NAME_MAX];
    char *program, *log, *path;
    struct ia_buf text;
};

/* The path at which a shell finds the program. Upgrades keep that path, but not the target of
 * its links. New memory, or NULL. */
static char *find_program(const char *called)
{
    char cwd[4096];
    if (strchr(called, '/')) {
        return getcwd(cwd, sizeof(cwd)) ? ia_path_join(cwd, called) : NULL;
    }
    const char *path = ia_env_get(NULL, "PATH");
    for (const char *p = path; p && *p != '\0';) {
        size_t n = strcspn(p, ":");
        char *folder = ia_strndup(p, n);
        char *file = ia_path_join(folder, called);
        free(folder);
        if (file[0] == '/' && access(file, X_OK) == 0) {
            return file;
        }
        free(file);
        p += n + (p[n] == ':' ? 1 : 0);
    }
    return NULL;
}

/* A service starts with almost no environment. Variables that prechecks, notifications and a
 * sealed key need are written into its file; a key never is. */
static void keep_variables(struct ia_service *s)
{
    static const char *const names[] = {"PATH", "IOS_AGENT_CONFIG", "IOS_AGENT_PASSPHRASE_FILE",
                                        "TZ"};
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        const char *value = ia_env_get(NULL, names[i]);
        if (value) {
            s->env[s->env_count].name = names[i];
            s->env[s->env_count++].value = value;
        }
    }
}

static enum ia_service_kind wanted_kind(const struct ia_cli *c)
{
    const char *named = ia_args_text(&c->args, "for");
    if (named) {
        return strcmp(named, "launchd") == 0 ? IA_SERVICE_LAUNCHD : IA_SERVICE_SYSTEMD;
    }
    return ia_platform_here() == IA_PLATFORM_MACOS ? IA_SERVICE_LAUNCHD : IA_SERVICE_SYSTEMD;
}

/* The folder in which the system looks for a user's services. New memory, or NULL. */
static char *service_folder(enum ia_service_kind kind)
{
    const char *home = ia_env_get(NULL, "HOME");
    const char *xdg = ia_env_get(NULL, "XDG_CONFIG_HOME");
    if (kind == IA_SERVICE_SYSTEMD && xdg && xdg[0] == '/') {
        return ia_path_join(xdg, "systemd/user");
    }
    if (!home || home[0] != '/') {
        return NULL;
    }
    return ia_path_join(home, kind == IA_SERVICE_LAUNCHD ? "Library/LaunchAgents"
                                                         : ".config/systemd/user");
}

static enum ia_rc place(struct install *in, struct ia_err *err)
{
    char file[IA_SERVICE_NAME_MAX + 16];
    char *folder = service_folder(in->service.kind);
    if (!folder) {
        enum ia_rc rc = ia_err_set(err, IA_E_CONFIG, "this user has no home folder");
        ia_err_hint(err, "set HOME");
        return rc;
    }
    ia_service_file(&in->service, file);
    in->path = ia_path_join(folder, file);
    free(folder);
    return IA_OK;
}

static enum ia_rc describe(struct install *in, struct ia_err *err)
{
    enum ia_rc rc = ia_paths_find(NULL, &in->paths, err);
    if (rc != IA_OK) {
        return rc;
    }
    in->program = find_program(in->c->program);
    if (!in->program) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "cannot determine where this program is");
        ia_err_hint(err, "run it by its full path");
        return rc;
    }
    ia_service_name(ia_env_get(NULL, "IOS_AGENT_HOME") ? in->paths.home : NULL, in->name);
    in->log = ia_path_join(in->paths.home, "daemon.log");
    in->service = (struct ia_service){.kind = wanted_kind(in->c),
                                      .name = in->name,
                                      .program = in->program,
                                      .home = in->paths.home,
                                      .log = in->log};
    keep_variables(&in->service);
    rc = place(in, err);
    return rc == IA_OK ? ia_service_text(&in->service, &in->text, err) : rc;
}

/* Whether a different file is already there. */
static bool differs(const struct install *in)
{
    struct ia_err ignored;
    struct ia_buf old = IA_BUF(IA_SERVICE_BYTES_MAX);
    bool read = ia_file_read(in->path, &old, &ignored) == IA_OK;
    bool same = read && ia_str_eq(ia_buf_str(&old), ia_buf_str(&in->text));
    ia_buf_fini(&old);
    return access(in->path, F_OK) == 0 && !same;
}

static enum ia_rc write_file(struct install *in, struct ia_err *err)
{
    if (differs(in) && !ia_args_has(&in->c->args, "force")) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_EXISTS, "%s exists with different content", in->path);
        ia_err_hint(err, "--force replaces it; --print shows what would be written");
        return rc;
    }
    enum ia_rc rc = ia_mkdirs(in->paths.home, err);
    char *folder = ia_strdup(in->path);
    *strrchr(folder, '/') = '\0';
    if (rc == IA_OK) {
        rc = ia_mkdirs(folder, err);
    }
    if (rc == IA_OK) {
        rc = ia_file_write_atomic(in->path, in->text.p, in->text.len, 0644, err);
    }
    free(folder);
    return rc;
}

/* The commands that start and stop it, for a shell. */
static void commands(const struct install *in, struct ia_buf *start, struct ia_buf *stop)
{
    if (in->service.kind == IA_SERVICE_LAUNCHD) {
        ia_buf_printf(start, "launchctl bootstrap gui/$(id -u) '%s'", in->path);
        ia_buf_printf(stop, "launchctl bootout gui/$(id -u)/%s", in->name);
    } else {
        ia_buf_printf(start,
                      "systemctl --user daemon-reload && systemctl --user enable --now "
                      "%s.service",
                      in->name);
        ia_buf_printf(stop, "systemctl --user disable --now %s.service", in->name);
    }
}

static void put_told(struct install *in, bool written)
{
    struct ia_buf start = IA_BUF(8192), stop = IA_BUF(8192);
    commands(in, &start, &stop);
    if (written) {
        struct ia_buf *t = &in->c->text;
        ia_buf_puts(t, "wrote   ");
        ia_clean(t, ia_str(in->path), IA_CLEAN_LINE);
        ia_buf_printf(t, "\nstart   %s\nstop    %s\n", ia_buf_cstr(&start), ia_buf_cstr(&stop));
        ia_buf_puts(t, "The daemon uses the key stored by ios-agent key set; keys in the "
                       "environment do not reach it.\n");
        if (in->service.kind == IA_SERVICE_SYSTEMD) {
            ia_buf_puts(t, "To keep it running while nobody is logged in: loginctl "
                           "enable-linger\n");
        }
    } else {
        ia_buf_putstr(&in->c->text, ia_buf_str(&in->text));
    }
    struct ia_jsonw *w = &in->c->w;
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", in->name);
    ia_jsonw_kv(w, "path", in->path);
    ia_jsonw_kv_bool(w, "written", written);
    ia_jsonw_kv(w, "start", ia_buf_cstr(&start));
    ia_jsonw_kv(w, "stop", ia_buf_cstr(&stop));
    ia_jsonw_key(w, "text");
    ia_jsonw_str(w, ia_buf_str(&in->text));
    ia_jsonw_end_object(w);
    ia_buf_fini(&start);
    ia_buf_fini(&stop);
}

static void install_fini(struct install *in)
{
    free(in->program);
    free(in->log);
    free(in->path);
    ia_buf_fini(&in->text);
    ia_paths_fini(&in->paths);
}

enum ia_rc ia_cmd_daemon_install(struct ia_cli *c, struct ia_err *err)
{
    struct install in = {.c = c, .text = IA_BUF(IA_SERVICE_BYTES_MAX)};
    bool print = ia_args_has(&c->args, "print");
    enum ia_rc rc = describe(&in, err);
    if (rc == IA_OK && !print) {
        rc = write_file(&in, err);
    }
    if (rc == IA_OK) {
        put_told(&in, !print);
    }
    install_fini(&in);
    return rc;
}

/* ---- uninstall --------------------------------------------------------------------------- */

/* The link that `systemctl enable` made; it would dangle. */
static void unlink_wanted(const struct install *in)
{
    char file[IA_SERVICE_NAME_MAX + 16];
    struct ia_buf path = IA_BUF(8192);
    ia_service_file(&in->service, file);
    ia_buf_printf(&path, "%.*s/default.target.wants/%s",
                  (int)(strrchr(in->path, '/') - in->path), in->path, file);
    (void)unlink(ia_buf_cstr(&path));
    ia_buf_fini(&path);
}

static enum ia_rc remove_file(struct install *in, struct ia_err *err)
{
    if (unlink(in->path) != 0) {
        bool none = errno == ENOENT;
        enum ia_rc rc = ia_err_set(err, none ? IA_E_NOT_FOUND : IA_E_IO, "cannot remove %s: %s",
                                   in->path, none ? "nothing is installed" : strerror(errno));
        ia_err_hint(err, none ? "each IOS_AGENT_HOME has its own service" : "");
        return rc;
    }
    if (in->service.kind == IA_SERVICE_SYSTEMD) {
        unlink_wanted(in);
    }
    return IA_OK;
}

/* Without its file the service still runs, so stop it by name. */
static void put_removed(struct install *in)
{
    struct ia_buf stop = IA_BUF(8192);
    if (in->service.kind == IA_SERVICE_LAUNCHD) {
        ia_buf_printf(&stop, "launchctl bootout gui/$(id -u)/%s", in->name);
    } else {
        ia_buf_printf(&stop, "systemctl --user stop %s.service; systemctl --user daemon-reload",
                      in->name);
    }
    ia_buf_puts(&in->c->text, "removed ");
    ia_clean(&in->c->text, ia_str(in->path), IA_CLEAN_LINE);
    ia_buf_printf(&in->c->text, "\nstop    %s\n", ia_buf_cstr(&stop));
    ia_jsonw_object(&in->c->w);
    ia_jsonw_kv(&in->c->w, "name", in->name);
    ia_jsonw_kv(&in->c->w, "path", in->path);
    ia_jsonw_kv(&in->c->w, "stop", ia_buf_cstr(&stop));
    ia_jsonw_end_object(&in->c->w);
    ia_buf_fini(&stop);
}

enum ia_rc ia_cmd_daemon_uninstall(struct ia_cli *c, struct ia_err *err)
{
    struct install in = {.c = c, .text = IA_BUF(IA_SERVICE_BYTES_MAX)};
    enum ia_rc rc = describe(&in, err);
    if (rc == IA_OK) {
        rc = remove_file(&in, err);
    }
    if (rc == IA_OK) {
        put_removed(&in);
    }
    install_fini(&in);
    return rc;
}
