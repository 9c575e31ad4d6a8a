/* guarded.c: the memory of an opened key. sodium_malloc puts guard pages around it, keeps it out
 * of swap and core dumps, and sodium_free wipes it. */
#include "store/guarded.h"

#include <sodium.h>

#include <stdlib.h>
#include <string.h>

struct ia_secret {
    unsigned char *bytes;
    size_t n;
};

enum ia_rc ia_guarded_start(struct ia_err *err)
{
    return sodium_init() >= 0 ? IA_OK
                              : ia_err_set(err, IA_E_INTERNAL, "cannot initialise libsodium");
}

struct ia_secret *ia_guarded_new(size_t n, struct ia_err *err)
{
    unsigned char *bytes = sodium_malloc(n + 1);
    if (!bytes) {
        (void)ia_err_set(err, IA_E_LIMIT, "no guarded memory left for a key");
        return NULL;
    }
    bytes[n] = '\0';
    struct ia_secret *secret = ia_alloc(sizeof(*secret));
    *secret = (struct ia_secret){bytes, n};
    return secret;
}

unsigned char *ia_guarded_bytes(struct ia_secret *secret)
{
    return secret->bytes;
}

void ia_guarded_lock(struct ia_secret *secret)
{
    (void)sodium_mprotect_readonly(secret->bytes);
}

enum ia_rc ia_secret_new(struct ia_str bytes, struct ia_secret **ret, struct ia_err *err)
{
    if (bytes.n == 0 || bytes.n > IA_SECRET_BYTES_MAX) {
        return ia_err_set(err, IA_E_USAGE, "a key must have 1 to %d bytes",
                          IA_SECRET_BYTES_MAX);
    }
    enum ia_rc rc = ia_guarded_start(err);
    struct ia_secret *secret = rc == IA_OK ? ia_guarded_new(bytes.n, err) : NULL;
    if (!secret) {
        return rc == IA_OK ? IA_E_LIMIT : rc;
    }
    memcpy(secret->bytes, bytes.p, bytes.n);
    ia_guarded_lock(secret);
    *ret = secret;
    return IA_OK;
}

struct ia_str ia_secret_bytes(const struct ia_secret *secret)
{
    return (struct ia_str){(const char *)secret->bytes, secret->n};
}

void ia_secret_free(struct ia_secret *secret)
{
    if (secret) {
        sodium_free(secret->bytes); /* wipes */
        free(secret);
    }
}
