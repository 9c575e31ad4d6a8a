/* passphrase.c: reading a secret from a file, from the terminal or from a pipe.
 *
 * The bytes pass through one struct on the stack (`transit`), go from there into memory that
 * libsodium protects, and are wiped before the function returns. */
#include "cli/key/passphrase.h"

#include "base/paths.h"
#include "base/term.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROMPT_MAX = 96 };

/* Bytes on the way into guarded memory; wiped before the stack frame is left. */
struct transit {
    char p[IA_SECRET_BYTES_MAX + 2];
    size_t n;
};

static enum ia_rc guard(struct transit *t, struct ia_secret **ret, struct ia_err *err)
{
    enum ia_rc rc = ia_secret_new((struct ia_str){t->p, t->n}, ret, err);
    sodium_memzero(t, sizeof(*t));
    return rc;
}

/* Reads until the end, or until the place is full, which is an error. */
static enum ia_rc read_all(int fd, const char *what, struct transit *t, struct ia_err *err)
{
    t->n = 0;
    for (;;) {
        ssize_t got = read(fd, t->p + t->n, sizeof(t->p) - t->n);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return ia_err_set(err, IA_E_IO, "cannot read %s: %s", what, strerror(errno));
        }
        if (got == 0) {
            break;
        }
        t->n += (size_t)got;
        if (t->n == sizeof(t->p)) {
            return ia_err_set(err, IA_E_USAGE, "%s is longer than %d bytes", what,
                              IA_SECRET_BYTES_MAX);
        }
    }
    if (t->n > 0 && t->p[t->n - 1] == '\n') {
        t->n--;
    }
    if (t->n > 0 && t->p[t->n - 1] == '\r') {
        t->n--;
    }
    return IA_OK;
}

static enum ia_rc type_secret(const char *prompt, struct transit *t, struct ia_err *err)
{
    t->n = 0;
    int tty = ia_term_open(err);
    if (tty < 0) {
        return err->code;
    }
    enum ia_rc rc = ia_term_read_secret(tty, prompt, t->p, sizeof(t->p), err);
    if (rc == IA_OK) {
        t->n = strlen(t->p);
    }
    close(tty);
    return rc;
}

static enum ia_rc check_private(int fd, const char *path, struct ia_err *err)
{
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077) != 0) {
        enum ia_rc rc = ia_err_set(err, IA_E_KEY_FILE_MODE,
                                   "other users can read the passphrase file %s", path);
        ia_err_hint(err, "chmod 600 %s", path);
        return rc;
    }
    return IA_OK;
}

static enum ia_rc read_passphrase_file(const char *path, struct ia_secret **ret,
                                       struct ia_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_KEY_PASSPHRASE, "cannot open %s: %s", path, strerror(errno));
        ia_err_hint(err, "IOS_AGENT_PASSPHRASE_FILE must name a readable file");
        return rc;
    }
    struct transit t;
    enum ia_rc rc = check_private(fd, path, err);
    if (rc == IA_OK) {
        rc = read_all(fd, path, &t, err);
    }
    close(fd);
    if (rc == IA_OK && t.n == 0) {
        rc = ia_err_set(err, IA_E_KEY_PASSPHRASE, "the passphrase file %s is empty", path);
    }
    if (rc == IA_OK) {
        rc = guard(&t, ret, err);
    }
    sodium_memzero(&t, sizeof(t));
    return rc;
}

static enum ia_rc no_terminal(struct ia_err *err)
{
    enum ia_rc rc =
        ia_err_set(err, IA_E_KEY_PASSPHRASE,
                   "a passphrase is needed, but there is no terminal to ask for it");
    ia_err_hint(err, "put it in a file with mode 600 and name it in IOS_AGENT_PASSPHRASE_FILE");
    return rc;
}

enum ia_rc ia_passphrase_ask(bool confirm, struct ia_secret **ret, struct ia_err *err)
{
    const char *path = ia_env_get(NULL, "IOS_AGENT_PASSPHRASE_FILE");
    if (path) {
        return read_passphrase_file(path, ret, err);
    }
    int tty = ia_term_open(NULL);
    if (tty < 0) {
        return no_terminal(err);
    }
    close(tty);
    struct transit first;
    struct transit again;
    enum ia_rc rc = type_secret("Passphrase: ", &first, err);
    if (rc == IA_OK && confirm) {
        rc = type_secret("Repeat it: ", &again, err);
        if (rc == IA_OK && (first.n != again.n || memcmp(first.p, again.p, first.n) != 0)) {
            rc = ia_err_set(err, IA_E_USAGE, "the two passphrases differ");
        }
        sodium_memzero(&again, sizeof(again));
    }
    if (rc == IA_OK && first.n == 0) {
        rc = ia_err_set(err, IA_E_USAGE, "the passphrase is empty");
    }
    if (rc == IA_OK) {
        rc = guard(&first, ret, err);
    }
    sodium_memzero(&first, sizeof(first));
    return rc;
}

static enum ia_rc check_key(const struct transit *t, struct ia_err *err)
{
    if (t->n == 0) {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "the key is empty");
        ia_err_hint(err, "type it at the prompt, or pipe it in: ios-agent key set < FILE");
        return rc;
    }
    for (size_t i = 0; i < t->n; i++) {
        if (t->p[i] <= ' ' || t->p[i] == 0x7F) {
            enum ia_rc rc =
                ia_err_set(err, IA_E_USAGE, "the key contains a space or a control character");
            ia_err_hint(err, "give the key alone, on one line");
            return rc;
        }
    }
    return IA_OK;
}

typedef enum ia_rc check_fn(const struct transit *t, struct ia_err *err);

/* check NULL: anything does. */
static enum ia_rc read_secret(const char *prompt, const char *what, check_fn *check,
                              struct ia_secret **ret, struct ia_err *err)
{
    struct transit t;
    enum ia_rc rc = ia_term_is(STDIN_FILENO) ? type_secret(prompt, &t, err)
                                             : read_all(STDIN_FILENO, what, &t, err);
    if (rc == IA_OK && check) {
        rc = check(&t, err);
    }
    if (rc == IA_OK) {
        rc = guard(&t, ret, err);
    }
    sodium_memzero(&t, sizeof(t));
    return rc;
}

enum ia_rc ia_key_read(struct ia_secret **ret, struct ia_err *err)
{
    return read_secret("API key: ", "the key", check_key, ret, err);
}

static enum ia_rc check_not_empty(const struct transit *t, struct ia_err *err)
{
    if (t->n > 0) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "the secret is empty");
    ia_err_hint(err, "type it at the prompt, or pipe it in: ios-agent secret set NAME < FILE");
    return rc;
}

enum ia_rc ia_secret_read(const char *name, struct ia_secret **ret, struct ia_err *err)
{
    char prompt[PROMPT_MAX];
    (void)snprintf(prompt, sizeof(prompt), "Value of %s: ", name);
    return read_secret(prompt, "the secret", check_not_empty, ret, err);
}
