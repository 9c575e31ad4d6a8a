/* memory_files.c: openat, one name after the other, from a folder that is held open.
 *
 *     write    .new, fsync ─► rename to its place ─► fsync of the folder
 *     remove   unlink; a folder: rename to .old, then its files
 *     move     rename
 *
 * `.new` and `.old` lie in the memory's own folder. Whoever opens it next, with the lock, takes away what
 * a kill left of them. */
#include "agent/core_tools/memory_files.h"

#include "agent/core_tools/memory_list.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/killpoint.h"
#include "base/paths.h"
#include "base/platform.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_TICK_MS = 5, LOCK_WAIT_MS = 10000, FOLDER_MODE = 0700, FILE_MODE = 0600 };

static const char new_name[] = ".new", old_name[] = ".old";

struct ia_memory {
    int root;
};

static enum ia_rc io_error(struct ia_err *err, enum ia_outcome outcome, const char *what)
{
    int why = errno;
    (void)ia_err_set(err, IA_E_IO, "the memory cannot be %s: %s", what, strerror(why));
    if (err) {
        err->outcome = outcome;
    }
    return IA_E_IO;
}

/* Nothing was changed. */
static enum ia_rc refuse(struct ia_err *err, enum ia_rc rc, const char *why)
{
    (void)ia_err_set(err, rc, "%s", why);
    if (err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    return rc;
}

/* ---- opening ----------------------------------------------------------------------------- */

char *ia_memory_folder(const char *home, const char *agent)
{
    struct ia_buf path = IA_BUF(strlen(home) + 2 * strlen(agent) + sizeof("/memories/"));
    ia_buf_printf(&path, "%s/memories/", home);
    for (const char *p = agent; *p; p++) {
        ia_buf_puts(&path, isupper((unsigned char)*p) ? "=" : "");
        ia_buf_putc(&path, (char)tolower((unsigned char)*p));
    }
    return ia_buf_steal(&path);
}

static int open_folder(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* flock and not fcntl: threads of one process exclude each other, too. */
static enum ia_rc lock(int fd, struct ia_cancel *cancel, struct ia_err *err)
{
    const struct ia_clock *clock = ia_clock_system();
    int64_t until_us = ia_mono_us(clock) + LOCK_WAIT_MS * INT64_C(1000);
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        int64_t now_us = ia_mono_us(clock);
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return io_error(err, IA_OUTCOME_NOT_SENT, "locked");
        }
        if (now_us >= until_us) {
            return refuse(err, IA_E_BUSY, "another run of this agent is using its memory");
        }
        if (ia_clock_wait(clock, cancel, now_us + LOCK_TICK_MS * INT64_C(1000)) ==
            IA_E_CANCELLED) {
            return refuse(err, IA_E_CANCELLED, "cancelled while waiting for the memory");
        }
    }
    return IA_OK;
}

static void clear_away(const struct ia_memory *m)
{
    ia_memory_remove_tree(m->root, new_name);
    ia_memory_remove_tree(m->root, old_name);
}

enum ia_rc ia_memory_open(const char *home, const char *agent, struct ia_cancel *cancel,
                          struct ia_memory **ret, struct ia_err *err)
{
    char *path = ia_memory_folder(home, agent);
    int root = -1;
    enum ia_rc rc = ia_mkdirs(path, err);
    if (rc == IA_OK) {
        root = open_folder(AT_FDCWD, path);
        rc = root >= 0 ? lock(root, cancel, err) : io_error(err, IA_OUTCOME_NOT_SENT, "opened");
    }
    free(path);
    if (rc != IA_OK) {
        if (root >= 0) {
            (void)close(root);
        }
        return rc;
    }
    struct ia_memory *m = ia_calloc(1, sizeof(*m));
    m->root = root;
    clear_away(m);
    *ret = m;
    return IA_OK;
}

void ia_memory_close(struct ia_memory *m)
{
    if (m) {
        (void)close(m->root); /* and the lock is gone */
        free(m);
    }
}

/* ---- ways -------------------------------------------------------------------------------- */

/* The folder that the first n names lead to, as a descriptor of the caller's; -1 with errno. */
static int walk(const struct ia_memory *m, const struct ia_memory_path *path, size_t n,
                bool make)
{
    int at = open_folder(m->root, ".");
    for (size_t i = 0; at >= 0 && i < n; i++) {
        int next = open_folder(at, path->names[i]);
        if (next < 0 && errno == ENOENT && make &&
            mkdirat(at, path->names[i], FOLDER_MODE) == 0 && ia_platform_fsync(at) == 0) {
            next = open_folder(at, path->names[i]);
        }
        int why = errno;
        (void)close(at);
        errno = why;
        at = next;
    }
    return at;
}

static const char *last_name(const struct ia_memory_path *path)
{
    return path->names[path->count - 1];
}

/* Folders on the way to a path that is gone, as far as they are empty. */
static void prune(const struct ia_memory *m, const struct ia_memory_path *path)
{
    bool gone = true;
    for (size_t n = path->count - 1; gone && n > 0; n--) {
        int at = walk(m, path, n - 1, false);
        gone = at >= 0 && unlinkat(at, path->names[n - 1], AT_REMOVEDIR) == 0;
        if (at >= 0) {
            (void)close(at);
        }
    }
}

/* ---- reading ----------------------------------------------------------------------------- */

enum ia_rc ia_memory_list(const struct ia_memory *m, const struct ia_memory_path *path,
                          struct ia_memory_list *ret, struct ia_err *err)
{
    *ret = (struct ia_memory_list){.count = 0};
    int at = walk(m, path, path->count, false);
    if (at < 0) {
        return errno == ENOENT ? IA_OK : io_error(err, IA_OUTCOME_NOT_SENT, "read");
    }
    return ia_memory_scan(at, (int)(IA_MEMORY_DEPTH_MAX - path->count), ret, err);
}

static enum ia_rc kind_at(const struct ia_memory *m, const struct ia_memory_path *path,
                          const struct stat *st, enum ia_memory_kind *ret, struct ia_err *err)
{
    struct ia_memory_list list = {.count = 0};
    if (S_ISREG(st->st_mode) && st->st_nlink == 1) {
        *ret = IA_MEMORY_FILE;
        return IA_OK;
    }
    if (!S_ISDIR(st->st_mode)) {
        return refuse(err, IA_E_STATE,
                      "there is something at this path that is no file of the memory");
    }
    enum ia_rc rc = ia_memory_list(m, path, &list, err);
    *ret = list.count > 0 ? IA_MEMORY_FOLDER : IA_MEMORY_NONE;
    ia_memory_list_fini(&list);
    return rc;
}

enum ia_rc ia_memory_kind(const struct ia_memory *m, const struct ia_memory_path *path,
                          enum ia_memory_kind *ret, struct ia_err *err)
{
    struct stat st;
    *ret = path->count == 0 ? IA_MEMORY_FOLDER : IA_MEMORY_NONE;
    if (path->count == 0) {
        return IA_OK;
    }
    int at = walk(m, path, path->count - 1, false);
    int rc = at >= 0 ? fstatat(at, last_name(path), &st, AT_SYMLINK_NOFOLLOW) : -1;
    int why = errno;
    if (at >= 0) {
        (void)close(at);
    }
    if (rc == 0) {
        return kind_at(m, path, &st, ret, err);
    }
    errno = why;
    /* A file or a link on the way leads nowhere. */
    return why == ENOENT || why == ENOTDIR || why == ELOOP
               ? IA_OK
               : io_error(err, IA_OUTCOME_NOT_SENT, "read");
}

enum ia_rc ia_memory_read(const struct ia_memory *m, const struct ia_memory_path *path,
                          struct ia_buf *out, struct ia_err *err)
{
    struct stat st;
    int at = path->count > 0 ? walk(m, path, path->count - 1, false) : -1;
    int fd = at >= 0
                 ? openat(at, last_name(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                 : -1;
    if (at >= 0) {
        (void)close(at);
    }
    if (fd < 0) {
        return refuse(err, IA_E_NOT_FOUND, "there is no such file");
    }
    bool plain = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1;
    char *bytes = ia_alloc(IA_MEMORY_FILE_BYTES_MAX + 1);
    ssize_t n = plain ? ia_read_full(fd, bytes, IA_MEMORY_FILE_BYTES_MAX + 1) : -1;
    (void)close(fd);
    enum ia_rc rc = n < 0 ? refuse(err, IA_E_STATE, "this is no file of the memory")
                    : n > IA_MEMORY_FILE_BYTES_MAX
                        ? refuse(err, IA_E_LIMIT, "the file is larger than 64 KB")
                        : IA_OK;
    ia_buf_put(out, bytes, rc == IA_OK ? (size_t)n : 0);
    free(bytes);
    return rc;
}

/* ---- changing ---------------------------------------------------------------------------- */

/* Whether the memory has room for a file with n bytes at that path. */
static enum ia_rc check_room(const struct ia_memory *m, const struct ia_memory_path *path,
                             size_t n, struct ia_err *err)
{
    struct ia_memory_list list;
    struct ia_buf own = IA_BUF(IA_MEMORY_FILE_BYTES_MAX);
    int64_t bytes = (int64_t)n;
    size_t files = 1;
    if (n > IA_MEMORY_FILE_BYTES_MAX) {
        return refuse(err, IA_E_LIMIT, "a file of the memory has at most 64 KB");
    }
    enum ia_rc rc = ia_memory_list(m, &(struct ia_memory_path){.count = 0}, &list, err);
    for (size_t i = 0; i < list.count; i++) {
        files += !list.items[i].folder;
        bytes += list.items[i].folder ? 0 : list.items[i].size_bytes;
    }
    ia_memory_list_fini(&list);
    if (rc == IA_OK && ia_memory_read(m, path, &own, NULL) == IA_OK) {
        files--;
        bytes -= (int64_t)own.len;
    }
    ia_buf_fini(&own);
    if (rc == IA_OK && (files > IA_MEMORY_FILES_MAX || bytes > IA_MEMORY_FILES_BYTES_MAX)) {
        rc = refuse(err, IA_E_LIMIT, "the memory is full: it has at most 200 files and 1 MB");
    }
    return rc;
}

static enum ia_rc write_new(const struct ia_memory *m, struct ia_str text, struct ia_err *err)
{
    int fd = openat(m->root, new_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    FILE_MODE);
    bool ok =
        fd >= 0 && ia_write_all(fd, text.p, text.n) == IA_OK && ia_platform_fsync(fd) == 0;
    enum ia_rc rc = ok ? IA_OK : io_error(err, IA_OUTCOME_NOT_SENT, "written");
    if (fd >= 0) {
        (void)close(fd);
    }
    return rc;
}

/* The one step of a change. An empty folder at its target gives way. */
static enum ia_rc put(int from, const char *name, int to, const char *as, struct ia_err *err)
{
    IA_KILL_POINT("memory.rename.before");
    (void)unlinkat(to, as, AT_REMOVEDIR);
    if (renameat(from, name, to, as) != 0) {
        return io_error(err, IA_OUTCOME_NOT_SENT, "changed");
    }
    IA_KILL_POINT("memory.rename.after");
    return ia_platform_fsync(to) == 0 && ia_platform_fsync(from) == 0
               ? IA_OK
               : io_error(err, IA_OUTCOME_UNKNOWN, "synced to the disk");
}

enum ia_rc ia_memory_write(struct ia_memory *m, const struct ia_memory_path *path,
                           struct ia_str text, struct ia_err *err)
{
    enum ia_memory_kind kind;
    enum ia_rc rc = ia_memory_kind(m, path, &kind, err);
    if (rc == IA_OK && kind == IA_MEMORY_FOLDER) {
        rc = refuse(err, IA_E_STATE, "there is a folder at this path");
    }
    rc = rc == IA_OK ? check_room(m, path, text.n, err) : rc;
    rc = rc == IA_OK ? write_new(m, text, err) : rc;
    if (rc == IA_OK) {
        int at = walk(m, path, path->count - 1, true);
        rc = at >= 0 ? put(m->root, new_name, at, last_name(path), err)
                     : io_error(err, IA_OUTCOME_NOT_SENT, "written to that folder");
        if (at >= 0) {
            (void)close(at);
        }
    }
    clear_away(m);
    return rc;
}

enum ia_rc ia_memory_remove(struct ia_memory *m, const struct ia_memory_path *path,
                            struct ia_err *err)
{
    enum ia_memory_kind kind;
    enum ia_rc rc = ia_memory_kind(m, path, &kind, err);
    if (rc == IA_OK && (kind == IA_MEMORY_NONE || path->count == 0)) {
        rc = refuse(err, IA_E_NOT_FOUND, "there is nothing at this path that can be removed");
    }
    int at = rc == IA_OK ? walk(m, path, path->count - 1, false) : -1;
    if (at >= 0) {
        rc = put(at, last_name(path), m->root, old_name, err);
        (void)close(at);
        clear_away(m);
        prune(m, path);
    }
    return rc;
}

static bool is_inside(const struct ia_memory_path *inner, const struct ia_memory_path *outer)
{
    bool inside = inner->count >= outer->count;
    for (size_t i = 0; inside && i < outer->count; i++) {
        inside = strcmp(inner->names[i], outer->names[i]) == 0;
    }
    return inside;
}

/* Whether all that moves stays as shallow as a path may be. */
static enum ia_rc check_depth(const struct ia_memory *m, const struct ia_memory_path *from,
                              const struct ia_memory_path *to, struct ia_err *err)
{
    struct ia_memory_list list = {.count = 0};
    enum ia_rc rc = ia_memory_list(m, from, &list, err);
    for (size_t i = 0; rc == IA_OK && i < list.count; i++) {
        if ((size_t)list.items[i].depth + to->count > IA_MEMORY_DEPTH_MAX) {
            rc = refuse(err, IA_E_LIMIT, "a file in it would be nested too deep");
        }
    }
    ia_memory_list_fini(&list);
    return rc;
}

static enum ia_rc check_move(const struct ia_memory *m, const struct ia_memory_path *from,
                             const struct ia_memory_path *to, struct ia_err *err)
{
    enum ia_memory_kind kind;
    enum ia_rc rc = ia_memory_kind(m, from, &kind, err);
    if (rc == IA_OK && (kind == IA_MEMORY_NONE || from->count == 0)) {
        rc = refuse(err, IA_E_NOT_FOUND, "there is nothing at this path that can be moved");
    }
    if (rc == IA_OK && is_inside(to, from)) {
        return refuse(err, IA_E_USAGE, "nothing can be moved into itself");
    }
    if (rc == IA_OK && kind == IA_MEMORY_FOLDER) {
        rc = check_depth(m, from, to, err);
    }
    rc = rc == IA_OK ? ia_memory_kind(m, to, &kind, err) : rc;
    return rc == IA_OK && kind != IA_MEMORY_NONE
               ? refuse(err, IA_E_EXISTS, "there is something at the new path already")
               : rc;
}

enum ia_rc ia_memory_move(struct ia_memory *m, const struct ia_memory_path *from,
                          const struct ia_memory_path *to, struct ia_err *err)
{
    enum ia_rc rc = check_move(m, from, to, err);
    if (rc != IA_OK) {
        return rc;
    }
    int old = walk(m, from, from->count - 1, false);
    int new = old >= 0 ? walk(m, to, to->count - 1, true) : -1;
    rc = new >= 0 ? put(old, last_name(from), new, last_name(to), err)
                  : io_error(err, IA_OUTCOME_NOT_SENT, "changed");
    if (old >= 0) {
        (void)close(old);
    }
    if (new >= 0) {
        (void)close(new);
    }
    prune(m, from);
    return rc;
}
