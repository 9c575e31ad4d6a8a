/* config_edit.c: one key of the user's file, changed as a person would change it: every other byte stays.
 *
 *   value ─► its row ─► TOML ─► toml_edit.h ─► read again: loads, has the value, and nothing else moved?
 *                                                          │ yes
 *   the file (behind links), under a lock ──────────────► replaced as a whole
 *
 * The lock is on the file's folder: it excludes other changes of this kind. A person's editor knows no
 * lock, so the file is read once more before it is replaced. */
#include "base/config_schema.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/toml.h"
#include "base/toml_edit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40, TARGET_MAX = 4096, LOCK_WAIT_MS = 5000, LOCK_TICK_MS = 10 };

/* ---- the text ---------------------------------------------------------------------------- */

/* A path that is relative here would mean another one in the file. */
static void put_literal(const struct ia_config_row *row, const struct ia_config_value *v,
                        const char *given, struct ia_buf *out)
{
    bool as_is = row->type == IA_CFG_PATH && strchr("~/", given[0]);
    if (row->type == IA_CFG_INT || row->type == IA_CFG_REAL || row->type == IA_CFG_BOOL) {
        ia_buf_puts(out, v->text);
        return;
    }
    ia_buf_putc(out, '"');
    ia_json_escape(out, ia_str(as_is ? given : v->text));
    ia_buf_putc(out, '"');
}

static bool same(const struct ia_config_value *a, const struct ia_config_value *b)
{
    return a->origin == b->origin && strcmp(a->text, b->text) == 0;
}

/* Whether the new text says what was asked for and otherwise what the old one said. */
static bool is_change(const struct ia_config *was, const struct ia_config *is,
                      enum ia_config_key key, const struct ia_config_value *want)
{
    bool ok = same(&is->values[key], want) && was->agent_count == is->agent_count;
    for (size_t i = 0; i < IA_CFG_COUNT && ok; i++) {
        ok = i == (size_t)key || same(&was->values[i], &is->values[i]);
    }
    return ok;
}

static void nothing(void *ctx, const struct ia_toml_value *v)
{
    (void)ctx;
    (void)v;
}

static enum ia_rc read_text(struct ia_config *c, struct ia_str text, struct ia_err *err)
{
    return ia_config_read_text(c, c->user_file, IA_CFG_FROM_USER_FILE, text, err);
}

static enum ia_rc only_by_hand(const char *path, enum ia_config_key key, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_STATE, "cannot find the place of %s in %.600s",
                               ia_config_rows[key].key, path);
    ia_err_hint(err, "change it there by hand; nothing was changed");
    return rc;
}

/* The value as it would be in the file; the default where there is none. */
static enum ia_rc make_value(const struct ia_config *defaults, enum ia_config_key key,
                             const char *text, struct ia_config_value *ret, struct ia_err *err)
{
    const struct ia_config_row *row = &ia_config_rows[key];
    enum ia_rc rc = ia_config_value_parse(row, ia_str(text ? text : row->def), defaults->folder,
                                          defaults->home, ret, err);
    if (rc == IA_OK) {
        ret->origin = text ? IA_CFG_FROM_USER_FILE : IA_CFG_FROM_DEFAULT;
    }
    return rc;
}

/* A mistake of the key itself is what a new value is for; any other one stays, and the file is not
 * touched while it has one. */
static enum ia_rc edit(struct ia_config *was, struct ia_config *is, enum ia_config_key key,
                       const struct ia_config_value *want, const char *literal,
                       struct ia_str text, struct ia_buf *ret, bool *ret_changed,
                       struct ia_err *err)
{
    unsigned line, column;
    enum ia_rc loads = read_text(was, text, err);
    if (loads != IA_OK && ia_toml_each(text, nothing, NULL, &line, &column, NULL) != IA_OK) {
        return loads;
    }
    *ret_changed = loads != IA_OK || !same(&was->values[key], want);
    if (!*ret_changed) {
        return IA_OK;
    }
    ia_toml_edit(text, ia_config_rows[key].key, literal, ret);
    if (!ia_buf_ok(ret)) {
        return ia_buf_check(ret, was->user_file, err);
    }
    if (read_text(is, ia_buf_str(ret), NULL) != IA_OK) {
        return loads != IA_OK ? loads : only_by_hand(was->user_file, key, err);
    }
    bool ok = loads == IA_OK ? is_change(was, is, key, want) : same(&is->values[key], want);
    return ok ? IA_OK : only_by_hand(was->user_file, key, err);
}

enum ia_rc ia_config_edit_text(const struct ia_paths *paths, enum ia_config_key key,
                               const char *value, struct ia_str text, struct ia_buf *ret,
                               bool *ret_changed, struct ia_err *err)
{
    struct ia_config *was = ia_config_new(paths, NULL), *is = ia_config_new(paths, NULL);
    struct ia_config_value want = {0};
    struct ia_buf literal = IA_BUF(IA_CONFIG_VALUE_MAX * 6);
    enum ia_rc rc = make_value(was, key, value, &want, err);
    if (rc == IA_OK && value) {
        put_literal(&ia_config_rows[key], &want, value, &literal);
    }
    if (rc == IA_OK) {
        rc = edit(was, is, key, &want, value ? ia_buf_cstr(&literal) : NULL, text, ret,
                  ret_changed, err);
    }
    ia_buf_fini(&literal);
    ia_config_value_fini(&want);
    ia_config_free(was);
    ia_config_free(is);
    return rc;
}

/* ---- the file ---------------------------------------------------------------------------- */

/* The file behind links, which need not exist. New memory; NULL: the links lead in a circle. */
static char *find_target(const char *path)
{
    char *at = ia_strdup(path);
    char to[TARGET_MAX];
    for (int i = 0; i < LINKS_MAX; i++) {
        ssize_t n = readlink(at, to, sizeof(to) - 1);
        if (n <= 0) {
            return at;
        }
        to[n] = '\0';
        char *folder = ia_config_folder_of(at);
        free(at);
        at = ia_path_join(folder, to);
        free(folder);
    }
    free(at);
    return NULL;
}

/* A lock that a file system does not know is done without. *ret_fd: -1. */
static enum ia_rc lock(const char *folder, int *ret_fd, struct ia_err *err)
{
    const struct ia_clock *clock = ia_clock_system();
    int64_t until_us = ia_mono_us(clock) + LOCK_WAIT_MS * INT64_C(1000);
    int fd = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    *ret_fd = fd;
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 &&
           (errno == EWOULDBLOCK || errno == EINTR)) {
        int64_t now_us = ia_mono_us(clock);
        if (now_us >= until_us) {
            return ia_err_set(err, IA_E_BUSY, "somebody else is changing a file in %s", folder);
        }
        (void)ia_clock_wait(clock, NULL, now_us + LOCK_TICK_MS * INT64_C(1000));
    }
    return IA_OK;
}

/* What a change left that was killed: nobody else can be at it, as the folder is locked. */
static void tidy(const char *folder, const char *target)
{
    static const char mark[] = ".tmp.";
    const char *name = strrchr(target, '/') + 1;
    size_t n = strlen(name), all = n + strlen(mark) + 6;
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)) != NULL) {
        const char *d = entry->d_name;
        if (strlen(d) == all && strncmp(d, name, n) == 0 &&
            strncmp(d + n, mark, strlen(mark)) == 0) {
            char *path = ia_path_join(folder, d);
            (void)unlink(path);
            free(path);
        }
    }
    if (dir) {
        (void)closedir(dir);
    }
}

/* IA_OK with an empty text where there is no file. *ret_mode: of the file to be. */
static enum ia_rc read_target(const char *target, struct ia_buf *text, unsigned *ret_mode,
                              struct ia_err *err)
{
    struct stat st;
    *ret_mode = 0600;
    if (stat(target, &st) != 0 && errno == ENOENT) {
        return IA_OK;
    }
    if (stat(target, &st) == 0 && !S_ISREG(st.st_mode)) {
        return ia_err_set(err, IA_E_IO, "%s is not a regular file", target);
    }
    if (access(target, W_OK) != 0) {
        return ia_err_set(err, IA_E_IO, "cannot write %s: %s", target, strerror(errno));
    }
    *ret_mode = st.st_mode & 0777;
    return ia_file_read(target, text, err);
}

/* The folder is locked. */
static enum ia_rc replace(const struct ia_paths *paths, const char *target,
                          enum ia_config_key key, const char *value, bool *ret_changed,
                          struct ia_err *err)
{
    unsigned mode;
    bool changed = false;
    struct ia_buf text = IA_BUF(IA_CONFIG_FILE_MAX), again = IA_BUF(IA_CONFIG_FILE_MAX);
    struct ia_buf new = IA_BUF(IA_CONFIG_FILE_MAX);
    enum ia_rc rc = read_target(target, &text, &mode, err);
    if (rc == IA_OK) {
        rc = ia_config_edit_text(paths, key, value, ia_buf_str(&text), &new, &changed, err);
    }
    if (rc == IA_OK && changed) {
        rc = read_target(target, &again, &mode, err);
        if (rc == IA_OK && !ia_str_eq(ia_buf_str(&text), ia_buf_str(&again))) {
            rc = ia_err_set(err, IA_E_BUSY, "somebody else is changing %s", target);
            ia_err_hint(err, "try again; nothing was changed");
        }
    }
    if (rc == IA_OK && changed) {
        rc = ia_file_write_atomic(target, new.p, new.len, mode, err);
    }
    *ret_changed = rc == IA_OK && changed;
    ia_buf_fini(&text);
    ia_buf_fini(&again);
    ia_buf_fini(&new);
    return rc;
}

enum ia_rc ia_config_edit(const struct ia_paths *paths, enum ia_config_key key,
                          const char *text, bool *ret_changed, struct ia_err *err)
{
    int fd = -1;
    char *target = find_target(paths->user_config);
    if (!target) {
        return ia_err_set(err, IA_E_IO, "the links of %s lead in a circle", paths->user_config);
    }
    char *folder = ia_config_folder_of(target);
    enum ia_rc rc = text ? ia_mkdirs(folder, err) : IA_OK;
    if (rc == IA_OK) {
        rc = lock(folder, &fd, err);
    }
    if (rc == IA_OK) {
        tidy(folder, target);
        rc = replace(paths, target, key, text, ret_changed, err);
    }
    if (fd >= 0) {
        close(fd);
    }
    free(folder);
    free(target);
    return rc;
}
