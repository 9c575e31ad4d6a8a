/* token.c: the token file, and random texts. */
#include "server/http/token.h"

#include "base/fd.h"
#include "base/paths.h"
#include "base/rand.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *ia_token_path(const char *home)
{
    return ia_path_join(home, "daemon.token");
}

void ia_token_random(char *dst, size_t size)
{
    uint64_t bits = 0;
    for (size_t i = 0; i + 1 < size; i++) {
        /* One number holds 16 digits. */
        bits = i % 16 == 0 ? ia_rand_next(ia_rand_system()) : bits >> 4;
        dst[i] = "0123456789abcdef"[bits & 15];
    }
    dst[size - 1] = '\0';
}

static enum ia_rc unsafe(const char *path, const char *what, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_KEY_FILE_MODE, "the token file %s %s", path, what);
    ia_err_hint(err,
                "it may have been read: make a new one with `ios-agent daemon token --new`");
    return rc;
}

static enum ia_rc read_open(int fd, const char *path, char ret_token[IA_ACCESS_TOKEN_SIZE],
                            struct ia_err *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid()) {
        return unsafe(path, "is not a plain file of this user", err);
    }
    if ((st.st_mode & 077) != 0) {
        return unsafe(path, "can be read or written by others", err);
    }
    char text[IA_ACCESS_TOKEN_SIZE + 1];
    ssize_t n = ia_read_full(fd, text, sizeof(text));
    if (n != IA_ACCESS_TOKEN_SIZE || text[n - 1] != '\n' ||
        strspn(text, "0123456789abcdef") != IA_ACCESS_TOKEN_SIZE - 1) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_PARSE, "the token file %s does not hold a token", path);
        ia_err_hint(err, "make a new one with `ios-agent daemon token --new`");
        return rc;
    }
    text[n - 1] = '\0';
    memcpy(ret_token, text, IA_ACCESS_TOKEN_SIZE);
    return IA_OK;
}

enum ia_rc ia_token_read(const char *path, char ret_token[IA_ACCESS_TOKEN_SIZE],
                         struct ia_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
        bool missing = errno == ENOENT;
        return ia_err_set(err, missing ? IA_E_NOT_FOUND : IA_E_KEY_FILE_MODE,
                          "cannot open the token file %s: %s", path, strerror(errno));
    }
    enum ia_rc rc = read_open(fd, path, ret_token, err);
    close(fd);
    return rc;
}

enum ia_rc ia_token_write(const char *path, char ret_token[IA_ACCESS_TOKEN_SIZE],
                          struct ia_err *err)
{
    char text[IA_ACCESS_TOKEN_SIZE + 1];
    const char *slash = strrchr(path, '/');
    enum ia_rc rc = IA_OK;
    if (slash && slash != path) { /* else the working folder, or the root: they are there */
        char *folder = ia_strndup(path, (size_t)(slash - path));
        rc = ia_mkdirs(folder, err);
        free(folder);
    }
    ia_token_random(text, IA_ACCESS_TOKEN_SIZE);
    text[IA_ACCESS_TOKEN_SIZE - 1] = '\n';
    if (rc == IA_OK) {
        rc = ia_file_write_atomic(path, text, IA_ACCESS_TOKEN_SIZE, 0600, err);
    }
    if (rc == IA_OK) {
        text[IA_ACCESS_TOKEN_SIZE - 1] = '\0';
        memcpy(ret_token, text, IA_ACCESS_TOKEN_SIZE);
    }
    return rc;
}
