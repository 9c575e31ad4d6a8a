/* tool.c: runs Apple's tools, and finds out which Xcode it is.
 *
 * `xcodebuild -version` takes most of a second. Its answer is kept in xcode.json with path, time,
 * size and inode of that Xcode's version.plist, which every update of Xcode replaces. */
#include "driver/runner/impl.h"

#include "base/fd.h"
#include "base/spawn.h"
#include "driver/simctl/errors.h"
#include "driver/simctl/xcrun.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOOL_MS = 300000, OUTPUT_LINES = 3, STAMP_MAX = 4096, LINK_MAX_BYTES = 1024 };

/* ---- running ----------------------------------------------------------------------------- */

/* For a tool that failed: its last output, and what to do where that is known. */
static enum ia_rc check_exit(const char *what, const struct ia_spawn_result *r,
                             struct ia_err *err)
{
    if (r->exit_status == 0) {
        return IA_OK;
    }
    struct ia_str output = r->err.len > 0 ? ia_buf_str(&r->err) : ia_buf_str(&r->out);
    struct ia_runner_end end = {what, r->exit_status, r->signal, output};
    enum ia_runner_cause cause = IA_RUNNER_CAUSE_OTHER;
    return ia_runner_explain(&end, &cause, err);
}

enum ia_rc ia_runner_tool(const struct ia_runner_args *argv, const char *cwd,
                          const struct ia_deadline *deadline, struct ia_err *err)
{
    struct ia_deadline limit = ia_runner_within(deadline, TOOL_MS);
    int64_t left_us = limit.at_us - ia_mono_us(ia_clock_system());
    struct ia_spawn spawn = {.argv = (const char *const *)argv->v,
                             .cwd = cwd,
                             .timeout_ms = left_us > 1000 ? left_us / 1000 : 1,
                             .cancel = deadline->cancel};
    struct ia_spawn_result r = {.out = IA_BUF(1), .err = IA_BUF(1)};
    enum ia_rc rc = ia_runner_args_check(argv, err);
    if (rc == IA_OK) {
        rc = ia_spawn_run(&spawn, &r, err);
    }
    if (rc == IA_OK) {
        rc = check_exit(argv->v[0], &r, err);
    } else if (rc == IA_E_MISSING) {
        ia_err_hint(err, "%s is part of macOS; the runner can only be built there", argv->v[0]);
    }
    ia_spawn_result_fini(&r);
    return rc;
}

/* The words behind xcrun's own options: "clang", "xcodebuild". */
static const char *tool_name(const struct ia_runner_args *w)
{
    size_t i = w->n > 2 && strcmp(w->v[0], "--sdk") == 0 ? 2 : 0;
    return w->n > i && w->v[i][0] != '-' ? w->v[i] : "xcrun";
}

enum ia_rc ia_runner_xcrun(const struct ia_runner_args *words, const char *cwd,
                           const struct ia_deadline *deadline, struct ia_buf *ret_out,
                           struct ia_err *err)
{
    struct ia_xcrun x = {
        .args = (const char *const *)words->v, .cwd = cwd, .limit_ms = TOOL_MS};
    struct ia_spawn_result r = {.out = IA_BUF(1), .err = IA_BUF(1)};
    enum ia_rc rc = ia_runner_args_check(words, err);
    if (rc == IA_OK) {
        rc = ia_xcrun_run(&x, deadline, &r, err);
    }
    if (rc == IA_OK) {
        rc = check_exit(tool_name(words), &r, err);
    }
    if (rc == IA_OK && ret_out) {
        ia_buf_putstr(ret_out, ia_buf_str(&r.out));
        rc = ia_buf_check(ret_out, "what xcrun printed", err);
    }
    ia_spawn_result_fini(&r);
    return rc;
}

/* ---- which Xcode ------------------------------------------------------------------------- */

/* The version.plist of the Xcode that xcrun will use, as far as that is known without running
 * anything: $DEVELOPER_DIR, else where xcode-select's link points (xcode-select(1), FILES). It
 * is replaced whenever Xcode is. False: not known. */
static bool find_stamp(char *dst, size_t size)
{
    const char *chosen = ia_env_get(NULL, "DEVELOPER_DIR");
    char link[LINK_MAX_BYTES];
    if (!chosen) {
        ssize_t n = readlink("/var/db/xcode_select_link", link, sizeof(link) - 1);
        if (n <= 0) {
            return false;
        }
        link[n] = '\0';
        chosen = link;
    }
    size_t len = strlen(chosen);
    static const char tail[] = "/Contents/Developer";
    bool full = len > strlen(tail) && strcmp(chosen + len - strlen(tail), tail) == 0;
    int n = full ? snprintf(dst, size, "%.*s/version.plist", (int)(len - strlen("/Developer")),
                            chosen)
                 : snprintf(dst, size, "%s/Contents/version.plist", chosen);
    return n > 0 && (size_t)n < size && ia_runner_exists(dst);
}

/* A text that changes whenever the file does. */
static bool describe(const char *path, char *dst, size_t size)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        return false;
    }
    (void)snprintf(dst, size, "%s %lld %lld %lld", path, (long long)st.st_mtime,
                   (long long)st.st_size, (long long)st.st_ino);
    return true;
}

static bool read_cached(const char *file, const char *stamp, char *dst, size_t size)
{
    struct ia_buf text = IA_BUF(STAMP_MAX);
    json_t *root = ia_file_read(file, &text, NULL) == IA_OK
                       ? json_loadb(ia_buf_cstr(&text), text.len, 0, NULL)
                       : NULL;
    const char *of = json_string_value(json_object_get(root, "stamp"));
    const char *version = json_string_value(json_object_get(root, "xcode"));
    bool known = of && version && strcmp(of, stamp) == 0 && strlen(version) < size;
    if (known) {
        (void)snprintf(dst, size, "%s", version);
    }
    json_decref(root);
    ia_buf_fini(&text);
    return known;
}

/* A convenience: when it cannot be written, the next call asks again. */
static void write_cached(const char *file, const char *stamp, const char *version)
{
    struct ia_buf text = IA_BUF(STAMP_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &text);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "stamp", stamp);
    ia_jsonw_kv(&w, "xcode", version);
    ia_jsonw_end_object(&w);
    if (ia_buf_ok(&text)) {
        (void)ia_file_write_atomic(file, text.p, text.len, 0600, NULL);
    }
    ia_buf_fini(&text);
}

enum ia_rc ia_runner_xcode(const struct ia_runner_opts *opts,
                           const struct ia_deadline *deadline, char *dst, size_t size,
                           struct ia_err *err)
{
    char path[LINK_MAX_BYTES + 64];
    char stamp[LINK_MAX_BYTES + 256];
    struct ia_xcode xcode;
    char *file = ia_runner_path(opts, "xcode.json");
    bool stamped = find_stamp(path, sizeof(path)) && describe(path, stamp, sizeof(stamp));
    if (stamped && read_cached(file, stamp, dst, size)) {
        free(file);
        return IA_OK;
    }
    enum ia_rc rc = ia_xcode_version(deadline, &xcode, err);
    if (rc == IA_OK) {
        (void)snprintf(dst, size, "%s (%s)", xcode.version, xcode.build);
    }
    if (rc == IA_OK && stamped) {
        write_cached(file, stamp, dst);
    }
    free(file);
    return rc;
}
