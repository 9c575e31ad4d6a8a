/* build.c: a build: where it is, whether it is complete, and making it in a folder of its own.
 *
 *     builds/.KEY     being made: sources unpacked, recipe A, else recipe B, build.json
 *       └─ rename ──► builds/KEY      complete
 *     builds/.KEY.old what KEY was before; removed
 *
 * A build counts only if build.json is there and the app has the files and bytes that it names.
 * So a kill at any moment leaves a complete build or none. Folders that begin with a dot belong to
 * killed builds (the lock says that nobody builds now) and are removed. */
#include "driver/runner/impl.h"

#include "base/fd.h"
#include "base/killpoint.h"
#include "json/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MANIFEST_MAX = 16384, BUILDS_KEPT = 3 };

/* ---- what it would be -------------------------------------------------------------------- */

/* The architecture as clang names it. A simulator's is the machine's. */
static void find_arch(char *dst, size_t size)
{
    struct utsname u;
    const char *arch = uname(&u) == 0 ? u.machine : "arm64";
    (void)snprintf(dst, size, "%.15s", strcmp(arch, "aarch64") == 0 ? "arm64" : arch);
}

static enum ia_rc describe(const struct ia_runner_opts *opts,
                           const struct ia_deadline *deadline, struct ia_runner_build *b,
                           struct ia_err *err)
{
    *b = (struct ia_runner_build){.fresh = false};
    find_arch(b->arch, sizeof(b->arch));
    char *bridge = ia_runner_path(opts, "builds");
    enum ia_rc rc = ia_mkdirs(bridge, err);
    if (rc == IA_OK) {
        rc = ia_runner_xcode(opts, deadline, b->xcode, sizeof(b->xcode), err);
    }
    if (rc == IA_OK) {
        rc = ia_runner_key(ia_runner_sources(opts), b, err);
    }
    int n = snprintf(b->folder, sizeof(b->folder), "%s/%s", bridge, b->key);
    if (rc == IA_OK && (n < 0 || (size_t)n + 100 >= sizeof(b->folder))) {
        rc = ia_err_set(err, IA_E_LIMIT, "the path of the data folder is too long: %s",
                        opts->home);
    }
    free(bridge);
    return rc;
}

/* ---- build.json -------------------------------------------------------------------------- */

/* {"key","recipe","xcode","arch","note","app","xctestrun","files":n,"bytes":n}: app and
 * xctestrun from the folder, files and bytes of the app. */
static enum ia_rc write_manifest(const struct ia_runner_build *b, const char *folder,
                                 const char *app, const char *xctestrun, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(MANIFEST_MAX);
    struct ia_jsonw w;
    struct ia_runner_sum sum = {0, 0};
    char *full = ia_path_join(folder, app);
    char *path = ia_path_join(folder, "build.json");
    ia_runner_add_up(full, &sum);
    ia_jsonw_init(&w, &text);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "key", b->key);
    ia_jsonw_kv(&w, "recipe", b->recipe);
    ia_jsonw_kv(&w, "xcode", b->xcode);
    ia_jsonw_kv(&w, "arch", b->arch);
    ia_jsonw_kv(&w, "note", b->note);
    ia_jsonw_kv(&w, "app", app);
    ia_jsonw_kv(&w, "xctestrun", xctestrun);
    ia_jsonw_kv_int(&w, "files", sum.files);
    ia_jsonw_kv_int(&w, "bytes", sum.bytes);
    ia_jsonw_end_object(&w);
    enum ia_rc rc = ia_buf_check(&text, "build.json", err);
    if (rc == IA_OK) {
        rc = ia_file_write_atomic(path, text.p, text.len, 0644, err);
    }
    free(full);
    free(path);
    ia_buf_fini(&text);
    return rc;
}

static bool read_path(const json_t *root, const char *key, const char *folder, char *dst,
                      size_t size)
{
    const char *text = json_string_value(json_object_get(root, key));
    return text && (size_t)snprintf(dst, size, "%s/%s", folder, text) < size &&
           ia_runner_exists(dst);
}

/* Whether the app is what build.json says. It is not after a full disk or a power failure, or when
 * somebody cleaned up. */
static bool matches_manifest(const json_t *root, struct ia_runner_build *b)
{
    struct ia_runner_sum sum = {0, 0};
    char key[IA_RUNNER_KEY_SIZE];
    bool readable = ia_json_copy(root, "key", key, sizeof(key)) && strcmp(key, b->key) == 0 &&
                    ia_json_copy(root, "recipe", b->recipe, sizeof(b->recipe)) &&
                    ia_json_copy(root, "note", b->note, sizeof(b->note)) &&
                    read_path(root, "app", b->folder, b->app, sizeof(b->app)) &&
                    read_path(root, "xctestrun", b->folder, b->xctestrun, sizeof(b->xctestrun));
    if (readable) {
        ia_runner_add_up(b->app, &sum);
    }
    return readable && sum.files == json_integer_value(json_object_get(root, "files")) &&
           sum.bytes == json_integer_value(json_object_get(root, "bytes"));
}

static bool is_complete(struct ia_runner_build *b)
{
    struct ia_buf text = IA_BUF(MANIFEST_MAX);
    char *path = ia_path_join(b->folder, "build.json");
    json_t *root = ia_file_read(path, &text, NULL) == IA_OK
                       ? json_loadb(ia_buf_cstr(&text), text.len, 0, NULL)
                       : NULL;
    bool complete = root && matches_manifest(root, b);
    json_decref(root);
    free(path);
    ia_buf_fini(&text);
    return complete;
}

/* ---- making it --------------------------------------------------------------------------- */

/* Failures that another recipe would meet as well, or that no recipe causes. */
static bool is_final(enum ia_rc rc)
{
    return rc == IA_E_CANCELLED || rc == IA_E_TIMEOUT || rc == IA_E_MISSING || rc == IA_E_IO ||
           rc == IA_E_LIMIT || rc == IA_E_INTERNAL;
}

/* Empties the folder of a recipe that failed and unpacks the sources again. */
static enum ia_rc prepare_folder(const struct ia_embedded *sources, const char *folder,
                                 struct ia_err *err)
{
    ia_runner_remove(folder);
    enum ia_rc rc = ia_mkdirs(folder, err);
    return rc == IA_OK ? ia_runner_unpack(sources, folder, err) : rc;
}

static const struct recipe {
    const char *name;
    enum ia_rc (*make)(const struct ia_embedded *sources, const struct ia_runner_build *build,
                       const char *folder, const struct ia_deadline *deadline,
                       struct ia_err *err);
    const char *app, *xctestrun; /* in the folder */
} recipes[] = {{"A", ia_runner_recipe_a, IA_RUNNER_APP, "bridge.xctestrun"},
               {"B", ia_runner_recipe_b, IA_RUNNER_PRODUCTS "/" IA_RUNNER_APP,
                "products/bridge.xctestrun"}};

static enum ia_rc follow(const struct recipe *recipe, const struct ia_embedded *sources,
                         struct ia_runner_build *b, const char *folder,
                         const struct ia_deadline *deadline, struct ia_err *err)
{
    (void)snprintf(b->recipe, sizeof(b->recipe), "%s", recipe->name);
    enum ia_rc rc = prepare_folder(sources, folder, err);
    if (rc == IA_OK) {
        rc = recipe->make(sources, b, folder, deadline, err);
    }
    return rc == IA_OK ? write_manifest(b, folder, recipe->app, recipe->xctestrun, err) : rc;
}

/* note: why recipe A failed; "": it was not tried. */
static enum ia_rc say_why(enum ia_rc rc, const char *note, struct ia_err *e)
{
    char last[sizeof(e->msg)], hint[sizeof(e->hint)];
    (void)snprintf(last, sizeof(last), "%s", e->msg);
    (void)snprintf(hint, sizeof(hint), "%s", e->hint);
    rc = rc == IA_E_NOT_FOUND ? IA_E_DEVICE
                              : rc; /* a file of Xcode's, nothing that was asked for */
    (void)ia_err_set(e, rc, "the runner could not be built. %.230s%s%.230s", note,
                     note[0] != '\0' ? ". With xcodebuild: " : "", last);
    ia_err_hint(e, "%s",
                hint[0] != '\0' ? hint
                                : "complete Xcode's installation: xcodebuild -runFirstLaunch");
    return rc;
}

static enum ia_rc make_in(const struct ia_runner_opts *opts, struct ia_runner_build *b,
                          const char *folder, const struct ia_deadline *deadline,
                          struct ia_err *err)
{
    struct ia_err none;
    struct ia_err *e = err ? err : &none;
    enum ia_rc rc = IA_E_INTERNAL;
    for (size_t i = 0; i < IA_COUNTOF(recipes); i++) {
        if (opts->recipe && strcmp(opts->recipe, recipes[i].name) != 0) {
            continue;
        }
        rc = follow(&recipes[i], ia_runner_sources(opts), b, folder, deadline, e);
        if (rc == IA_OK || is_final(rc)) {
            return rc;
        }
        if (i + 1 < IA_COUNTOF(recipes) && !opts->recipe) {
            (void)snprintf(b->note, sizeof(b->note), "%.*s", (int)sizeof(b->note) - 1, e->msg);
        }
    }
    return say_why(rc, b->note, e);
}

static enum ia_rc move(const char *from, const char *to, struct ia_err *err)
{
    return rename(from, to) == 0 ? IA_OK
                                 : ia_err_set(err, IA_E_IO, "cannot move %s to %s: %s", from,
                                              to, strerror(errno));
}

/* Replaces what was there, which is incomplete or not wanted. */
static enum ia_rc put_in_place(const struct ia_runner_build *b, const char *made,
                               struct ia_err *err)
{
    struct ia_buf old = IA_BUF(2 * IA_RUNNER_PATH_SIZE);
    ia_buf_printf(&old, "%s.old", made);
    bool was = ia_runner_exists(b->folder);
    enum ia_rc rc = was ? move(b->folder, ia_buf_cstr(&old), err) : IA_OK;
    IA_KILL_POINT("runner.build.between");
    if (rc == IA_OK) {
        rc = move(made, b->folder, err);
    }
    ia_runner_remove(ia_buf_cstr(&old));
    ia_buf_fini(&old);
    return rc;
}

static bool any(const char *name)
{
    (void)name;
    return true;
}

static bool is_left_over(const char *name)
{
    return name[0] == '.';
}

/* Under the lock nobody builds, so what looks like a build in the making is of a killed one. */
static void remove_leftovers(const char *builds)
{
    char **names = ia_runner_names(builds, is_left_over);
    for (char **p = names; *p; p++) {
        char *path = ia_path_join(builds, *p);
        ia_runner_remove(path);
        free(path);
    }
    ia_runner_names_free(names);
}

struct dated {
    char *path;
    time_t made;
};

static int newest_first(const void *a, const void *b)
{
    time_t x = ((const struct dated *)a)->made;
    time_t y = ((const struct dated *)b)->made;
    return (x < y) - (x > y);
}

/* Each build holds some 30 MB of Apple's frameworks; older ones only serve to go back to another
 * Xcode. */
static void prune(const char *builds)
{
    struct dated all[64];
    size_t n = 0;
    char **names = ia_runner_names(builds, any);
    for (char **p = names; *p && n < IA_COUNTOF(all); p++) {
        struct stat st;
        all[n].path = ia_path_join(builds, *p);
        all[n].made = stat(all[n].path, &st) == 0 ? st.st_mtime : 0;
        n++;
    }
    qsort(all, n, sizeof(all[0]), newest_first);
    for (size_t i = 0; i < n; i++) {
        if (i >= BUILDS_KEPT) {
            ia_runner_remove(all[i].path);
        }
        free(all[i].path);
    }
    ia_runner_names_free(names);
}

static enum ia_rc make(const struct ia_runner_opts *opts, struct ia_runner_build *b,
                       const struct ia_deadline *deadline, struct ia_err *err)
{
    char *builds = ia_runner_path(opts, "builds");
    char *made = ia_runner_path(opts, "builds/.%s", b->key);
    remove_leftovers(builds);
    enum ia_rc rc = make_in(opts, b, made, deadline, err);
    IA_KILL_POINT("runner.build.made");
    if (rc == IA_OK) {
        rc = put_in_place(b, made, err);
    }
    /* Reads the paths of the app and the xctestrun as well, now that the folder has its
     * name. */
    if (rc == IA_OK && !is_complete(b)) {
        rc = ia_err_set(err, IA_E_IO, "the build in %s is not the one that was just made",
                        b->folder);
    }
    if (rc != IA_OK) {
        ia_runner_remove(made);
    } else {
        prune(builds);
    }
    b->fresh = rc == IA_OK;
    free(made);
    free(builds);
    return rc;
}

/* ---- the two calls ----------------------------------------------------------------------- */

enum ia_rc ia_runner_built(const struct ia_runner_opts *opts,
                           const struct ia_deadline *deadline, struct ia_runner_build *ret,
                           struct ia_err *err)
{
    enum ia_rc rc = describe(opts, ia_runner_deadline(deadline), ret, err);
    if (rc == IA_OK && !is_complete(ret)) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "the runner has not been built for Xcode %s",
                        ret->xcode);
        ia_err_hint(err, "ios-agent bridge build");
    }
    return rc;
}

static bool is_wanted(const struct ia_runner_opts *opts, struct ia_runner_build *b)
{
    return is_complete(b) && (!opts->recipe || strcmp(opts->recipe, b->recipe) == 0);
}

enum ia_rc ia_runner_build(const struct ia_runner_opts *opts,
                           const struct ia_deadline *deadline, bool force,
                           struct ia_runner_build *ret, struct ia_err *err)
{
    struct ia_deadline limit =
        ia_runner_within(ia_runner_deadline(deadline), IA_RUNNER_BUILD_MS);
    int lock = -1;
    enum ia_rc rc = describe(opts, &limit, ret, err);
    if (rc != IA_OK || (!force && is_wanted(opts, ret))) {
        return rc;
    }
    char *path = ia_runner_path(opts, "builds.lock");
    rc = ia_runner_lock(path, "the runner is being built", &limit, &lock, err);
    free(path);
    /* Asked again under the lock: another process may have built it meanwhile. */
    if (rc == IA_OK && (force || !is_wanted(opts, ret))) {
        rc = make(opts, ret, &limit, err);
    }
    if (lock >= 0) {
        close(lock);
    }
    return rc;
}
