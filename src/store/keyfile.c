/* keyfile.c: the key file. It is trusted only while it is a regular file of ours that nobody else
 * can read; its own check notices a changed byte. */
#include "store/keyfile.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/killpoint.h"
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char header[] = "ios-agent sealing key v1 ";

enum {
    PATH_SIZE = 4096,
    HEADER_BYTES = sizeof(header) - 1,
    HEX_BYTES = 2 * IA_MASTER_BYTES,
    FILE_BYTES = HEADER_BYTES + HEX_BYTES + 1,
    OTHERS_MODE = 077
};

static void key_path(const char *home, char path[PATH_SIZE])
{
    (void)snprintf(path, PATH_SIZE, "%s/sealing.key", home);
}

/* ---- reading --------------------------------------------------------------------------- */

static enum ia_rc bad_mode(const char *path, const char *what, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_KEY_FILE_MODE, "the key file %s %s", path, what);
    ia_err_hint(err,
                "if nobody else can have read it, run `chmod 600 %s`; otherwise delete it and "
                "run `ios-agent key set` with a new API key",
                path);
    return rc;
}

static enum ia_rc open_failed(const char *path, int why, struct ia_err *err)
{
    if (why == ELOOP) {
        return bad_mode(path, "is a symbolic link", err);
    }
    if (why == ENOENT) {
        enum ia_rc rc = ia_err_set(err, IA_E_KEY_MISSING, "the key file %s is missing", path);
        ia_err_hint(err, "restore it, or store again what it sealed: `ios-agent key set`, "
                         "`ios-agent secret set NAME`");
        return rc;
    }
    return ia_err_set(err, IA_E_KEY_FILE_MODE, "cannot open the key file %s: %s", path,
                      strerror(why));
}

static enum ia_rc check_mode(int fd, const char *path, struct ia_err *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        return bad_mode(path, "is not a regular file", err);
    }
    if (st.st_uid != geteuid()) {
        return bad_mode(path, "belongs to another user", err);
    }
    if ((st.st_mode & OTHERS_MODE) != 0) {
        return bad_mode(path, "can be read by other users", err);
    }
    return IA_OK;
}

/* Reads one byte more than there should be, so that a longer file is noticed. text lies in
 * guarded memory. */
static bool read_text(int fd, char *text)
{
    size_t have = 0;
    while (have < FILE_BYTES + 1) {
        ssize_t n = read(fd, text + have, FILE_BYTES + 1 - have);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            break;
        }
        have += (size_t)n;
    }
    return have == FILE_BYTES;
}

static bool parse_text(const char *text, unsigned char *ret_master)
{
    const char *hex = text + HEADER_BYTES;
    size_t bytes = 0;
    return memcmp(text, header, HEADER_BYTES) == 0 &&
           strspn(hex, "0123456789abcdef") == HEX_BYTES && hex[HEX_BYTES] == '\n' &&
           sodium_hex2bin(ret_master, IA_MASTER_BYTES, hex, HEX_BYTES, NULL, &bytes, NULL) ==
               0 &&
           bytes == IA_MASTER_BYTES;
}

static enum ia_rc read_master(int fd, const char *path, unsigned char *ret_master,
                              struct ia_err *err)
{
    char *text = sodium_malloc(FILE_BYTES + 2);
    if (!text) {
        return ia_err_set(err, IA_E_LIMIT, "no guarded memory left for the key file");
    }
    sodium_memzero(text, FILE_BYTES + 2);
    bool ok = read_text(fd, text) && parse_text(text, ret_master);
    sodium_free(text);
    if (ok) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_KEY_TAMPERED, "the key file %s was changed", path);
    ia_err_hint(err, "restore it from a backup, or delete it and run `ios-agent key set`");
    return rc;
}

enum ia_rc ia_keyfile_read(const char *home, unsigned char *ret_master, struct ia_err *err)
{
    char path[PATH_SIZE];
    key_path(home, path);
    /* O_NONBLOCK, so that a FIFO put there cannot hang the open; check_mode refuses it then.
     * What was opened is checked (fstat), not what the path names a moment later. */
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return open_failed(path, errno, err);
    }
    enum ia_rc rc = check_mode(fd, path, err);
    if (rc == IA_OK) {
        rc = read_master(fd, path, ret_master, err);
    }
    close(fd);
    return rc;
}

/* ---- making ---------------------------------------------------------------------------- */

static bool write_fresh_key(int fd)
{
    unsigned char master[IA_MASTER_BYTES];
    char text[FILE_BYTES + 1];
    memcpy(text, header, HEADER_BYTES);
    randombytes_buf(master, sizeof(master));
    sodium_bin2hex(text + HEADER_BYTES, HEX_BYTES + 1, master, sizeof(master));
    text[FILE_BYTES - 1] = '\n';
    /* On the stack and not in guarded memory: it is wiped below, and lives for one write. */
    bool ok = ia_write_all(fd, text, FILE_BYTES) == IA_OK && ia_platform_fsync(fd) == 0;
    sodium_memzero(master, sizeof(master));
    sodium_memzero(text, sizeof(text));
    return ok;
}

static void sync_home(const char *home)
{
    int fd = open(home, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)ia_platform_fsync(fd);
        close(fd);
    }
}

/* link(2), unlike rename(2), never replaces a key that another process made meanwhile. */
static enum ia_rc make_file(const char *home, const char *path, struct ia_err *err)
{
    char tmp[PATH_SIZE];
    (void)snprintf(tmp, sizeof(tmp), "%s/sealing.key.XXXXXX", home);
    int fd = mkstemp(tmp); /* made with mode 0600 */
    if (fd < 0) {
        return ia_err_set(err, IA_E_IO, "cannot create %s: %s", path, strerror(errno));
    }
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    /* Written and synced under another name first: a key file is there whole or not at all. */
    bool ok = write_fresh_key(fd);
    ok = close(fd) == 0 && ok;
    IA_KILL_POINT("secret.keyfile.before");
    /* EEXIST: another process was first, and its key is the one to use. */
    ok = ok && (link(tmp, path) == 0 || errno == EEXIST);
    int why = errno;
    (void)unlink(tmp);
    /* The name must be as durable as the row that will need it. */
    sync_home(home);
    return ok ? IA_OK : ia_err_set(err, IA_E_IO, "cannot create %s: %s", path, strerror(why));
}

enum ia_rc ia_keyfile_ensure(const char *home, struct ia_err *err)
{
    char path[PATH_SIZE];
    struct stat st;
    key_path(home, path);
    return lstat(path, &st) == 0 ? IA_OK : make_file(home, path, err);
}
