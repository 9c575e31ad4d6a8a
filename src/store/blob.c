/* blob.c: files named by the SHA-256 of their bytes. A blob is written to blobs/tmp, made durable,
 * and renamed into place, so that a name never stands for half of its bytes.
 *
 * mkstemp in blobs/tmp ─► write, fsync ─► rename to blobs/ab/cdef… ─► fsync of blobs/ab
 *
 * A row may name a blob only after ia_blob_put returned, so no committed row names a file
 * that a power cut could take away. A kill leaves at most a file in blobs/tmp, which a later
 * process removes. */
#include "store/blob.h"

#include "base/fd.h"
#include "base/killpoint.h"
#include "base/platform.h"
#include "store/impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, LITTER_AGE_S = 3600, MS_PER_S = 1000, FOLDER_CHARS = 2 };

static enum ia_rc fail(const char *doing, const char *path, int why, struct ia_err *err)
{
    bool full = why == ENOSPC || why == EDQUOT || why == EFBIG;
    enum ia_rc rc = ia_err_set(err, full ? IA_E_DB_FULL : IA_E_IO, "cannot %s %s: %s", doing,
                               path, strerror(why));
    ia_err_hint(err, full ? "free some space" : "check the permissions of the folder");
    return rc;
}

static void folder_of(const struct ia_store *s, const char *sha256, char path[PATH_SIZE])
{
    (void)snprintf(path, PATH_SIZE, "%s/blobs/%.*s", s->home, FOLDER_CHARS, sha256);
}

static void path_of(const struct ia_store *s, const char *sha256, char path[PATH_SIZE])
{
    (void)snprintf(path, PATH_SIZE, "%s/blobs/%.*s/%s", s->home, FOLDER_CHARS, sha256,
                   sha256 + FOLDER_CHARS);
}

enum ia_rc ia_blob_path(struct ia_store *s, const char *sha256, struct ia_buf *ret_path,
                        struct ia_err *err)
{
    if (!ia_sha256_hex_ok(ia_str(sha256))) {
        return ia_err_set(err, IA_E_USAGE,
                          "a blob is named by 64 lower-case hexadecimal digits, not \"%.80s\"",
                          sha256 ? sha256 : "");
    }
    char path[PATH_SIZE];
    path_of(s, sha256, path);
    ia_buf_puts(ret_path, path);
    return ia_buf_check(ret_path, "the path of a blob", err);
}

/* ---- writing --------------------------------------------------------------------------- */

/* Removes what a killed process left half written. Anything younger may be another's work. */
static void sweep_litter(const char *folder)
{
    DIR *dir = opendir(folder);
    int64_t oldest_s = ia_wall_ms(ia_clock_system()) / MS_PER_S - LITTER_AGE_S;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct stat st;
        if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode) && st.st_mtime < oldest_s) {
            (void)unlinkat(dirfd(dir), e->d_name, 0);
        }
    }
    if (dir) {
        (void)closedir(dir);
    }
}

static enum ia_rc sync_folder(const char *path, struct ia_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    bool ok = fd >= 0 && ia_platform_fsync(fd) == 0;
    int why = errno;
    if (fd >= 0) {
        close(fd);
    }
    return ok ? IA_OK : fail("sync", path, why, err);
}

/* Makes blobs/ab as needed; a new folder is durable before anything in it counts. */
static enum ia_rc make_folder(struct ia_store *s, const char *sha256, struct ia_err *err)
{
    char path[PATH_SIZE];
    folder_of(s, sha256, path);
    if (mkdir(path, 0700) == 0) {
        (void)snprintf(path, sizeof(path), "%s/blobs", s->home);
        return sync_folder(path, err);
    }
    if (errno == EEXIST) {
        return IA_OK;
    }
    return fail("make", path, errno, err);
}

/* Makes blobs/tmp at the first use. */
static enum ia_rc prepare_once(struct ia_store *s, struct ia_err *err)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof(path), "%s/blobs/tmp", s->home);
    enum ia_rc rc = IA_OK;
    pthread_mutex_lock(&s->blobs_mutex);
    if (!s->blobs_ready) {
        rc = ia_mkdirs(path, err);
        s->blobs_ready = rc == IA_OK;
        /* Once for each process, at its first blob. */
        if (s->blobs_ready) {
            sweep_litter(path);
        }
    }
    pthread_mutex_unlock(&s->blobs_mutex);
    return rc;
}

static enum ia_rc fill_temp(const char *tmp, int fd, const void *bytes, size_t n,
                            struct ia_err *err)
{
    bool ok = ia_write_all(fd, bytes, n) == IA_OK && ia_platform_fsync(fd) == 0;
    int why = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        why = errno;
    }
    return ok ? IA_OK : fail("write", tmp, why, err);
}

static enum ia_rc write_blob(struct ia_store *s, const char *path, const void *bytes, size_t n,
                             struct ia_err *err)
{
    char tmp[PATH_SIZE];
    (void)snprintf(tmp, sizeof(tmp), "%s/blobs/tmp/XXXXXX", s->home);
    int fd = mkstemp(tmp);
    if (fd < 0) {
        return fail("create a file in", tmp, errno, err);
    }
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    enum ia_rc rc = fill_temp(tmp, fd, bytes, n, err);
    IA_KILL_POINT("blob.rename.before");
    if (rc == IA_OK && rename(tmp, path) != 0) {
        rc = fail("rename to", path, errno, err);
    }
    IA_KILL_POINT("blob.rename.after");
    if (rc != IA_OK) {
        (void)unlink(tmp);
    }
    return rc;
}

enum ia_rc ia_blob_put(struct ia_store *s, const void *bytes, size_t n,
                       char ret_sha256[IA_SHA256_HEX_SIZE], struct ia_err *err)
{
    if (n > IA_BLOB_BYTES_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "a blob of %zu bytes is larger than %d", n,
                          IA_BLOB_BYTES_MAX);
    }
    char sha256[IA_SHA256_HEX_SIZE];
    char path[PATH_SIZE];
    struct stat st;
    ia_sha256_hex(bytes, n, sha256);
    path_of(s, sha256, path);
    /* The size is enough here: a wrong content is found when it is read. */
    bool there = stat(path, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size == n;
    enum ia_rc rc = there ? IA_OK : prepare_once(s, err);
    if (rc == IA_OK && !there) {
        rc = make_folder(s, sha256, err);
    }
    if (rc == IA_OK && !there) {
        rc = write_blob(s, path, bytes, n, err);
    }
    if (rc == IA_OK) {
        /* Also for a blob that was there: who wrote it may not have come this far yet. */
        folder_of(s, sha256, path);
        rc = sync_folder(path, err);
    }
    if (rc == IA_OK) {
        memcpy(ret_sha256, sha256, sizeof(sha256));
    }
    return rc;
}

/* ---- reading --------------------------------------------------------------------------- */

static enum ia_rc changed(const char *path, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_DB_CORRUPT,
                               "%s is damaged: its bytes do not match its name", path);
    ia_err_hint(err, "remove the file; reports will then show it as missing");
    return rc;
}

enum ia_rc ia_blob_read(struct ia_store *s, const char *sha256, struct ia_buf *ret,
                        struct ia_err *err)
{
    struct ia_buf path = IA_BUF(PATH_SIZE);
    struct ia_buf bytes = IA_BUF(IA_BLOB_BYTES_MAX);
    char found[IA_SHA256_HEX_SIZE];
    enum ia_rc rc = ia_blob_path(s, sha256, &path, err);
    if (rc == IA_OK) {
        rc = ia_file_read(ia_buf_cstr(&path), &bytes, err);
    }
    if (rc == IA_OK) {
        ia_sha256_hex(ia_buf_cstr(&bytes), bytes.len, found);
        rc = strcmp(found, sha256) == 0 ? IA_OK : changed(ia_buf_cstr(&path), err);
    }
    if (rc == IA_OK) {
        ia_buf_putstr(ret, ia_buf_str(&bytes));
        rc = ia_buf_check(ret, "the blob", err);
    }
    ia_buf_fini(&path);
    ia_buf_fini(&bytes);
    return rc;
}

/* ---- a name for people ----------------------------------------------------------------- */

static enum ia_rc copy_blob(struct ia_store *s, const char *sha256, const char *path,
                            struct ia_err *err)
{
    struct ia_buf bytes = IA_BUF(IA_BLOB_BYTES_MAX);
    enum ia_rc rc = ia_blob_read(s, sha256, &bytes, err);
    if (rc == IA_OK) {
        rc = ia_file_write_atomic(path, bytes.p, bytes.len, 0600, err);
    }
    ia_buf_fini(&bytes);
    return rc;
}

enum ia_rc ia_blob_show_as(struct ia_store *s, const char *sha256, const char *folder,
                           const char *name, struct ia_buf *ret_path, struct ia_err *err)
{
    char blob[PATH_SIZE], path[PATH_SIZE];
    if (!ia_sha256_hex_ok(ia_str(sha256)) || strchr(folder, '/') || strchr(name, '/')) {
        return ia_err_set(err, IA_E_USAGE, "not a name for a blob: %s", name);
    }
    path_of(s, sha256, blob);
    (void)snprintf(path, sizeof(path), "%s/%s", s->home, folder);
    enum ia_rc rc = ia_mkdirs(path, err);
    if (rc != IA_OK) {
        return rc;
    }
    (void)snprintf(path, sizeof(path), "%s/%s/%s", s->home, folder, name);
    (void)unlink(path);
    /* A link costs no space; not every file system has them. */
    if (link(blob, path) != 0) {
        rc = copy_blob(s, sha256, path, err);
    }
    if (rc == IA_OK) {
        ia_buf_puts(ret_path, path);
    }
    return rc;
}
