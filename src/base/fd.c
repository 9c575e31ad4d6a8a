/* fd.c: descriptors that children do not inherit, and files that are whole or not there.
 *
 * ia_file_write_atomic, and what a reader finds when the machine stops at each line:
 *
 *     write PATH.tmp.XXXXXX     the old file
 *     fsync it                  the old file
 *     rename it to PATH         the old file or the new one, each complete
 *     fsync the folder          the new file */
#include "base/fd.h"

#include "base/killpoint.h"
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_CHUNK = 65536, PATH_CAP = 4096 };

/* Marks fd close-on-exec. One of 0, 1, 2 (a standard stream was closed) is moved up, so that it
 * is never taken for the stream. -1 with errno when that fails. */
static int keep_private(int fd)
{
    if (fd > STDERR_FILENO) {
        return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? fd : -1;
    }
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int saved = errno;
    close(fd);
    errno = saved;
    return moved;
}

enum ia_rc ia_pipe(int ret_fds[2], struct ia_err *err)
{
    int fds[2];
    if (pipe(fds) != 0) {
        return ia_err_set(err, IA_E_IO, "cannot create a pipe: %s", strerror(errno));
    }
    int reader = keep_private(fds[0]);
    int writer = keep_private(fds[1]);
    if (reader < 0 || writer < 0) {
        int saved = errno;
        close(reader < 0 ? writer : reader);
        return ia_err_set(err, IA_E_IO, "cannot create a pipe: %s", strerror(saved));
    }
    ret_fds[0] = reader;
    ret_fds[1] = writer;
    return IA_OK;
}

enum ia_rc ia_fd_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 ? IA_OK : IA_E_IO;
}

static enum ia_rc read_fd(int fd, const char *path, struct ia_buf *b, struct ia_err *err)
{
    for (;;) {
        /* One byte beyond the cap is enough to know that the file is too large. */
        size_t room = b->max - b->len;
        char chunk[READ_CHUNK];
        ssize_t n = read(fd, chunk, room < READ_CHUNK ? room + 1 : READ_CHUNK);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return ia_err_set(err, IA_E_IO, "cannot read %s: %s", path, strerror(errno));
        }
        if (n == 0) {
            return IA_OK;
        }
        ia_buf_put(b, chunk, (size_t)n);
        if (!ia_buf_ok(b)) {
            return ia_buf_check(b, path, err);
        }
    }
}

/* The open of a FIFO waits for its writer, but with O_NONBLOCK. */
static enum ia_rc read_path(const char *path, bool regular, struct ia_buf *b,
                            struct ia_err *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | (regular ? O_NONBLOCK : 0));
    if (fd < 0) {
        enum ia_rc rc = errno == ENOENT || errno == ENOTDIR ? IA_E_NOT_FOUND : IA_E_IO;
        return ia_err_set(err, rc, "cannot open %s: %s", path, strerror(errno));
    }
    enum ia_rc rc =
        regular && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
            ? ia_err_set(err, IA_E_IO, "cannot read %s: it is no regular file", path)
            : read_fd(fd, path, b, err);
    close(fd);
    return rc;
}

enum ia_rc ia_file_read(const char *path, struct ia_buf *b, struct ia_err *err)
{
    return read_path(path, false, b, err);
}

enum ia_rc ia_file_read_regular(const char *path, struct ia_buf *b, struct ia_err *err)
{
    return read_path(path, true, b, err);
}

enum ia_rc ia_stdin_read(struct ia_buf *b, struct ia_err *err)
{
    return read_fd(STDIN_FILENO, "standard input", b, err);
}

ssize_t ia_read_full(int fd, void *dst, size_t size)
{
    size_t got = 0;
    while (got < size) {
        ssize_t n = read(fd, (char *)dst + got, size - got);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return -1;
        }
        if (n == 0) {
            break;
        }
        got += (size_t)n;
    }
    return (ssize_t)got;
}

enum ia_rc ia_write_all(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n > 0) {
        ssize_t written = write(fd, p, n);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return IA_E_IO;
        }
        p += written;
        n -= (size_t)written;
    }
    return IA_OK;
}

/* Makes the rename itself durable. A folder that cannot be opened or synced (some network file
 * systems) does not make the write a failure: the file is complete under its name. */
static void sync_parent(const char *path)
{
    char dir[PATH_CAP];
    (void)snprintf(dir, sizeof(dir), "%s", path);
    char *slash = strrchr(dir, '/');
    if (slash) {
        slash[slash == dir] = '\0';
    }
    int fd = open(slash ? dir : ".", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)ia_platform_fsync(fd);
        close(fd);
    }
}

static enum ia_rc fill_and_rename(int fd, char *tmp, const char *path, const void *bytes,
                                  size_t n, unsigned mode)
{
    bool ok = fchmod(fd, (mode_t)mode) == 0 && ia_write_all(fd, bytes, n) == IA_OK &&
              ia_platform_fsync(fd) == 0;
    ok = (close(fd) == 0) && ok;
    IA_KILL_POINT("file.rename.before");
    if (!ok || rename(tmp, path) != 0) {
        return IA_E_IO;
    }
    IA_KILL_POINT("file.rename.after");
    sync_parent(path);
    return IA_OK;
}

enum ia_rc ia_file_write_atomic(const char *path, const void *bytes, size_t n, unsigned mode,
                                struct ia_err *err)
{
    char tmp[PATH_CAP];
    int len = snprintf(tmp, sizeof(tmp), "%s.tmp.XXXXXX", path);
    if (len < 0 || (size_t)len >= sizeof(tmp)) {
        return ia_err_set(err, IA_E_LIMIT, "the path is too long: %s", path);
    }
    int fd = mkstemp(tmp);
    if (fd < 0) {
        return ia_err_set(err, IA_E_IO, "cannot write next to %s: %s", path, strerror(errno));
    }
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (fill_and_rename(fd, tmp, path, bytes, n, mode) == IA_OK) {
        return IA_OK;
    }
    int saved = errno;
    (void)unlink(tmp);
    return ia_err_set(err, IA_E_IO, "cannot write %s: %s", path, strerror(saved));
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

enum ia_rc ia_mkdirs(const char *path, struct ia_err *err)
{
    char partial[PATH_CAP];
    size_t len = strlen(path);
    if (len == 0 || len >= sizeof(partial)) {
        return ia_err_set(err, IA_E_LIMIT, "not a usable folder name: \"%.80s\"", path);
    }
    if (is_folder(path)) {
        return IA_OK;
    }
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i] != '\0') {
            continue;
        }
        memcpy(partial, path, i);
        partial[i] = '\0';
        /* Another process may create it at the same moment, which is as good. */
        if (!is_folder(partial) && mkdir(partial, 0700) != 0) {
            int saved = errno;
            if (saved == EEXIST && is_folder(partial)) {
                continue;
            }
            return ia_err_set(err, IA_E_IO, "cannot create the folder %s: %s", partial,
                              strerror(saved));
        }
    }
    return IA_OK;
}
