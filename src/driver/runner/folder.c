/* folder.c: files and folders: copying, removing, adding up, locking, and waits under a deadline. */
#include "driver/runner/impl.h"

#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 65536, LOCK_POLL_MS = 20, NAMES_MAX = 1024 };

char *ia_runner_path(const struct ia_runner_opts *opts, const char *fmt, ...)
{
    char tail[IA_RUNNER_PATH_SIZE];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(tail, sizeof(tail), fmt, ap);
    va_end(ap);
    char *folder = ia_path_join(opts->home, "bridge");
    char *path = ia_path_join(folder, tail);
    free(folder);
    return path;
}

bool ia_runner_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* ---- copying ----------------------------------------------------------------------------- */

static enum ia_rc not_copied(const char *from, const char *to, struct ia_err *err)
{
    return ia_err_set(err, IA_E_IO, "cannot copy %s to %s: %s", from, to, strerror(errno));
}

static bool copy_bytes(int in, int out)
{
    char chunk[CHUNK];
    ssize_t n = 0;
    while ((n = read(in, chunk, sizeof(chunk))) != 0) {
        if (n < 0 && errno != EINTR) {
            return false;
        }
        if (n > 0 && ia_write_all(out, chunk, (size_t)n) != IA_OK) {
            return false;
        }
    }
    return true;
}

static enum ia_rc copy_file(const char *from, const char *to, mode_t mode, struct ia_err *err)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    /* The owner may write, whatever the original says: property lists of a copy are changed. */
    bool done = out >= 0 && copy_bytes(in, out) && fchmod(out, (mode & 0777) | 0600) == 0;
    enum ia_rc rc = done ? IA_OK : not_copied(from, to, err);
    if (in >= 0) {
        close(in);
    }
    if (out >= 0 && close(out) != 0 && rc == IA_OK) {
        rc = not_copied(from, to, err);
    }
    return rc;
}

static enum ia_rc copy_link(const char *from, const char *to, struct ia_err *err)
{
    char target[IA_RUNNER_PATH_SIZE];
    ssize_t n = readlink(from, target, sizeof(target) - 1);
    if (n < 0) {
        return not_copied(from, to, err);
    }
    target[n] = '\0';
    return symlink(target, to) == 0 ? IA_OK : not_copied(from, to, err);
}

static enum ia_rc copy_any(const char *from, const char *to, int depth, struct ia_err *err);

static enum ia_rc copy_folder(const char *from, const char *to, int depth, struct ia_err *err)
{
    DIR *d = depth < IA_RUNNER_DEPTH_MAX ? opendir(from) : NULL;
    if (!d || mkdir(to, 0700) != 0) {
        enum ia_rc failed = not_copied(from, to, err);
        if (d) {
            closedir(d);
        }
        return failed;
    }
    enum ia_rc rc = IA_OK;
    for (struct dirent *e = readdir(d); e && rc == IA_OK; e = readdir(d)) {
        if (!is_dots(e->d_name)) {
            char *a = ia_path_join(from, e->d_name);
            char *b = ia_path_join(to, e->d_name);
            rc = copy_any(a, b, depth + 1, err);
            free(a);
            free(b);
        }
    }
    closedir(d);
    return rc;
}

static enum ia_rc copy_any(const char *from, const char *to, int depth, struct ia_err *err)
{
    struct stat st;
    if (lstat(from, &st) != 0) {
        return not_copied(from, to, err);
    }
    if (S_ISDIR(st.st_mode)) {
        return copy_folder(from, to, depth, err);
    }
    return S_ISLNK(st.st_mode) ? copy_link(from, to, err)
                               : copy_file(from, to, st.st_mode, err);
}

enum ia_rc ia_runner_copy(const char *from, const char *to, struct ia_err *err)
{
    return copy_any(from, to, 0, err);
}

enum ia_rc ia_runner_put(const char *path, const void *bytes, size_t n, struct ia_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool done = fd >= 0 && ia_write_all(fd, bytes, n) == IA_OK;
    if (fd >= 0 && close(fd) != 0) {
        done = false;
    }
    return done ? IA_OK
                : ia_err_set(err, IA_E_IO, "cannot write %s: %s", path, strerror(errno));
}

/* ---- going over a folder ----------------------------------------------------------------- */

typedef void visit_fn(void *ctx, const char *path, const struct stat *st);

/* Calls visit for everything below path and then for path itself. Links are not followed. */
static void walk(const char *path, int depth, visit_fn *visit, void *ctx)
{
    struct stat st;
    if (lstat(path, &st) != 0) {
        return;
    }
    DIR *d = S_ISDIR(st.st_mode) && depth < IA_RUNNER_DEPTH_MAX ? opendir(path) : NULL;
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        if (!is_dots(e->d_name)) {
            char *child = ia_path_join(path, e->d_name);
            walk(child, depth + 1, visit, ctx);
            free(child);
        }
    }
    if (d) {
        closedir(d);
    }
    /* After its content: a folder can only be removed once it is empty. */
    visit(ctx, path, &st);
}

static void remove_one(void *ctx, const char *path, const struct stat *st)
{
    (void)ctx;
    (void)(S_ISDIR(st->st_mode) ? rmdir(path) : unlink(path));
}

void ia_runner_remove(const char *path)
{
    walk(path, 0, remove_one, NULL);
}

static void add_one(void *ctx, const char *path, const struct stat *st)
{
    struct ia_runner_sum *sum = ctx;
    (void)path;
    if (S_ISREG(st->st_mode)) {
        sum->files++;
        sum->bytes += (int64_t)st->st_size;
    }
}

void ia_runner_add_up(const char *path, struct ia_runner_sum *sum)
{
    walk(path, 0, add_one, sum);
}

/* ---- names ------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **ia_runner_names(const char *folder, bool (*want)(const char *name))
{
    char **names = ia_calloc(NAMES_MAX + 1, sizeof(*names));
    size_t n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e && n < NAMES_MAX; e = readdir(d)) {
        if (!is_dots(e->d_name) && want(e->d_name)) {
            names[n++] = ia_strdup(e->d_name);
        }
    }
    if (d) {
        closedir(d);
    }
    qsort(names, n, sizeof(*names), by_name);
    return names;
}

void ia_runner_names_free(char **names)
{
    for (char **p = names; p && *p; p++) {
        free(*p);
    }
    free(names);
}

/* ---- waiting ----------------------------------------------------------------------------- */

enum ia_rc ia_runner_wait(const struct ia_deadline *deadline, int64_t ms)
{
    const struct ia_clock *clock = ia_clock_system();
    int64_t until = ia_mono_us(clock) + ms * 1000;
    bool late = until >= deadline->at_us;
    enum ia_rc rc = ia_clock_wait(clock, deadline->cancel, late ? deadline->at_us : until);
    return rc == IA_OK && late ? IA_E_TIMEOUT : rc;
}

const struct ia_deadline *ia_runner_deadline(const struct ia_deadline *deadline)
{
    static const struct ia_deadline unlimited = {NULL, IA_NO_DEADLINE};
    return deadline ? deadline : &unlimited;
}

struct ia_deadline ia_runner_within(const struct ia_deadline *deadline, int64_t ms)
{
    int64_t until = ia_mono_us(ia_clock_system()) + ms * 1000;
    return (struct ia_deadline){deadline->cancel,
                                until < deadline->at_us ? until : deadline->at_us};
}

/* flock(2) belongs to the open file: threads exclude each other as well as processes, and the
 * system gives it back when the process dies. */
enum ia_rc ia_runner_lock(const char *path, const char *what,
                          const struct ia_deadline *deadline, int *ret_fd, struct ia_err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return ia_err_set(err, IA_E_IO, "cannot open %s: %s", path, strerror(errno));
    }
    enum ia_rc rc = IA_OK;
    while (rc == IA_OK && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        rc = errno == EWOULDBLOCK || errno == EINTR
                 ? ia_runner_wait(deadline, LOCK_POLL_MS)
                 : ia_err_set(err, IA_E_IO, "cannot lock %s: %s", path, strerror(errno));
    }
    /* Whoever holds the lock is at work, so this is "busy" and not "late". */
    if (rc == IA_E_TIMEOUT) {
        rc = ia_err_set(err, IA_E_BUSY, "%s by another process, which did not finish in time",
                        what);
        ia_err_hint(err, "wait for it, then try again");
    } else if (rc == IA_E_CANCELLED) {
        (void)ia_err_set(err, rc, "cancelled while %s by another process", what);
    }
    if (rc != IA_OK) {
        close(fd);
        return rc;
    }
    *ret_fd = fd;
    return IA_OK;
}

void ia_runner_tail(const char *path, size_t max, struct ia_buf *ret)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    off_t from = st.st_size > (off_t)max ? st.st_size - (off_t)max : 0;
    size_t size = (size_t)(st.st_size - from);
    char *room = size > 0 ? ia_buf_reserve(ret, size) : NULL;
    ssize_t n = room ? pread(fd, room, size, from) : 0;
    if (n > 0) {
        ia_buf_grew(ret, (size_t)n);
    }
    close(fd);
}
