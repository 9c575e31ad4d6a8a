/* project.c: files are made under another name and then linked to their own, which fails where one
 * is there; where one is to be replaced, they are renamed. Folders are opened one by one, so that a
 * link among them is seen. */
#include "cli/init/project.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char temporary[] = ".ios-agent-init.tmp";

const char *ia_project_state_name(enum ia_project_state state)
{
    static const char *const names[] = {"created", "replaced", "appended", "unchanged", "left"};
    return names[state];
}

static enum ia_rc fail(struct ia_err *err, const char *what, const char *path)
{
    int why = errno;
    enum ia_rc rc = ia_err_set(err, IA_E_IO, "cannot %s %s: %s", what, path, strerror(why));
    ia_err_hint(err, why == ELOOP || why == ENOTDIR
                         ? "it is a link, or no folder: nothing is written through links"
                         : "make the folder writable, or name another one");
    return rc;
}

enum ia_rc ia_project_open(const char *folder, int *ret_fd, struct ia_err *err)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return fail(err, "make", folder);
    }
    *ret_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *ret_fd >= 0 ? IA_OK : fail(err, "open", folder);
}

/* The folder that the file at `path` is in, made where it is missing if `make`, and the file's own
 * name. -1 with errno. */
static int parent_of(int folder, const char *path, bool make, const char **ret_name)
{
    char part[256];
    int fd = fcntl(folder, F_DUPFD_CLOEXEC, 3);
    for (size_t n = strcspn(path, "/"); fd >= 0 && path[n] == '/'; n = strcspn(path, "/")) {
        (void)snprintf(part, sizeof(part), "%.*s", (int)n, path);
        bool made = !make || mkdirat(fd, part, 0777) == 0 || errno == EEXIST;
        int next =
            made ? openat(fd, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        int saved = errno;
        (void)close(fd);
        errno = saved;
        fd = next;
        path += n + 1;
    }
    *ret_name = path;
    return fd;
}

/* Reads a regular file that is no link. False where there is none, or it is too large. */
static bool read_file(int folder, const char *path, struct ia_buf *out, mode_t *ret_mode)
{
    const char *name;
    struct stat st;
    int parent = parent_of(folder, path, false, &name);
    int fd =
        parent < 0 ? -1 : openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
              st.st_size <= IA_PROJECT_BYTES_MAX;
    if (ok) {
        char *room = ia_calloc((size_t)st.st_size + 1, 1);
        ssize_t n = ia_read_full(fd, room, (size_t)st.st_size);
        ok = n >= 0;
        ia_buf_put(out, room, ok ? (size_t)n : 0);
        free(room);
        *ret_mode = st.st_mode & 0777;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    if (parent >= 0) {
        (void)close(parent);
    }
    return ok;
}

/* Writes the temporary file. -1 with errno. */
static int put_temporary(int parent, struct ia_str text, mode_t mode)
{
    (void)unlinkat(parent, temporary, 0);
    int fd =
        openat(parent, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0) {
        return -1;
    }
    bool ok = ia_write_all(fd, text.p, text.n) == IA_OK && ia_platform_fsync(fd) == 0;
    int saved = errno;
    (void)close(fd);
    errno = saved;
    return ok ? 0 : -1;
}

/* Gives the temporary file its name, unless that is taken (EEXIST). Not every file system has links; on
 * those nobody else may be making the same file at this moment. */
static bool name_new(int parent, const char *name)
{
    struct stat st;
    if (linkat(parent, temporary, parent, name, 0) == 0) {
        return true;
    }
    if (errno == EEXIST || fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return false;
    }
    return renameat(parent, temporary, parent, name) == 0;
}

/* Gives the text its name. Where `replace` is false and the name is taken: *ret_there. */
static enum ia_rc place(int folder, const char *path, struct ia_str text, mode_t mode,
                        bool replace, bool *ret_there, struct ia_err *err)
{
    const char *name;
    int parent = parent_of(folder, path, true, &name);
    bool ok = parent >= 0 && put_temporary(parent, text, mode) == 0;
    if (ok && replace) {
        ok = renameat(parent, temporary, parent, name) == 0;
    } else if (ok) {
        ok = name_new(parent, name);
        *ret_there = !ok && errno == EEXIST;
    }
    enum ia_rc rc = ok || *ret_there ? IA_OK : fail(err, "write", path);
    if (parent >= 0) {
        (void)unlinkat(parent, temporary, 0);
        (void)close(parent);
    }
    return rc;
}

enum ia_rc ia_project_write(int folder, const char *path, struct ia_str text, bool force,
                            enum ia_project_state *ret, struct ia_err *err)
{
    struct ia_buf old = IA_BUF(IA_PROJECT_BYTES_MAX);
    mode_t mode = 0;
    bool same = read_file(folder, path, &old, &mode) && ia_str_eq(ia_buf_str(&old), text);
    bool there = same || ia_project_has(folder, path);
    ia_buf_fini(&old);
    *ret = same     ? IA_PROJECT_UNCHANGED
           : !there ? IA_PROJECT_CREATED
           : force  ? IA_PROJECT_REPLACED
                    : IA_PROJECT_LEFT;
    if (same || (there && !force)) {
        return IA_OK;
    }
    bool taken = false;
    enum ia_rc rc = place(folder, path, text, 0666, force, &taken, err);
    *ret = taken ? IA_PROJECT_LEFT : *ret;
    return rc;
}

enum ia_rc ia_project_append(int folder, const char *path, struct ia_str text, const char *mark,
                             enum ia_project_state *ret, struct ia_err *err)
{
    struct ia_buf whole = IA_BUF(IA_PROJECT_BYTES_MAX);
    mode_t mode = 0666;
    bool taken = false;
    enum ia_rc rc = IA_OK;
    if (!ia_project_has(folder, path)) {
        *ret = IA_PROJECT_CREATED;
        rc = place(folder, path, text, mode, false, &taken, err);
    } else if (!read_file(folder, path, &whole, &mode)) {
        *ret = IA_PROJECT_LEFT;
    } else if (ia_str_find(ia_buf_str(&whole), mark)) {
        *ret = IA_PROJECT_UNCHANGED;
    } else {
        ia_buf_puts(&whole, whole.len > 0 && whole.p[whole.len - 1] != '\n' ? "\n\n"
                            : whole.len > 0                                 ? "\n"
                                                                            : "");
        ia_buf_putstr(&whole, text);
        *ret = ia_buf_ok(&whole) ? IA_PROJECT_APPENDED : IA_PROJECT_LEFT;
        rc = *ret == IA_PROJECT_LEFT
                 ? IA_OK
                 : place(folder, path, ia_buf_str(&whole), mode, true, &taken, err);
    }
    *ret = taken ? IA_PROJECT_LEFT : *ret;
    ia_buf_fini(&whole);
    return rc;
}

bool ia_project_has(int folder, const char *path)
{
    struct stat st;
    const char *name;
    int parent = parent_of(folder, path, false, &name);
    bool there =
        parent >= 0 ? fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 : errno != ENOENT;
    if (parent >= 0) {
        (void)close(parent);
    }
    return there;
}

bool ia_project_says(int folder, const char *path, const char *text)
{
    struct ia_buf b = IA_BUF(IA_PROJECT_BYTES_MAX);
    mode_t mode = 0;
    bool says = read_file(folder, path, &b, &mode) && ia_str_find(ia_buf_str(&b), text);
    ia_buf_fini(&b);
    return says;
}
