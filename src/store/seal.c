/* seal.c: the cryptography of sealed keys. seal.h says what protects what.
 *
 * master ─kdf 1─► encryption key ─► XChaCha20-Poly1305(key bytes; context as associated data)
 *        └kdf 2─► check: tells a wrong master from a changed row
 *
 * The digest over all columns is no secret and protects against accidents only: it lets a
 * damaged row be told without a passphrase. Against changes on purpose the authentication
 * counts. */
#include "store/seal.h"

#include "base/buf.h"
#include "store/guarded.h"

#include <string.h>

#define KDF_CONTEXT "iosagent" /* crypto_kdf_CONTEXTBYTES */
enum { KEY_ENCRYPT = 1, KEY_CHECK = 2, AD_MAX = 4096 };

const char *ia_secret_of_run(const char *name)
{
    size_t n = strlen(IA_SECRET_OF_RUNS);
    return strncmp(name, IA_SECRET_OF_RUNS, n) == 0 ? name + n : NULL;
}

static void hint_again(const char *name, const char *before, struct ia_err *err)
{
    const char *of_run = ia_secret_of_run(name);
    ia_err_hint(err, "%sstore %s again with `ios-agent %s%s`", before,
                of_run ? "it" : "the API key", of_run ? "secret set " : "key set",
                of_run ? of_run : "");
}

enum ia_rc ia_seal_tampered(const char *name, const char *what, struct ia_err *err)
{
    const char *of_run = ia_secret_of_run(name);
    (void)ia_err_set(err, IA_E_KEY_TAMPERED, "the stored %s%s %s",
                     of_run ? "secret " : "API key", of_run ? of_run : "", what);
    hint_again(name, "", err);
    return IA_E_KEY_TAMPERED;
}

/* What is authenticated beside the ciphertext. Lengths are fixed or written, so no two rows
 * give the same bytes. */
static void put_context(struct ia_buf *b, const struct ia_sealed *s, const char *name)
{
    ia_buf_printf(b, "ios-agent secret %lld\n%zu %s\n%d %llu %llu\n", (long long)s->version,
                  strlen(name), name, (int)s->seal, (unsigned long long)s->argon_ops,
                  (unsigned long long)s->argon_mem_bytes);
    ia_buf_put(b, s->salt, sizeof(s->salt));
}

static void digest_of(const struct ia_sealed *s, const char *name,
                      unsigned char ret[IA_SEAL_DIGEST_BYTES])
{
    struct ia_buf b = IA_BUF(AD_MAX + sizeof(s->ciphertext));
    put_context(&b, s, name);
    ia_buf_put(&b, s->nonce, sizeof(s->nonce));
    ia_buf_put(&b, s->check, sizeof(s->check));
    ia_buf_put(&b, s->ciphertext, s->ciphertext_n);
    /* Fails for lengths out of range only. */
    (void)crypto_generichash(ret, IA_SEAL_DIGEST_BYTES, (const unsigned char *)ia_buf_cstr(&b),
                             b.len, NULL, 0);
    ia_buf_fini(&b);
}

enum ia_rc ia_seal_derive(const struct ia_sealed *sealed, const char *name,
                          struct ia_str passphrase, unsigned char *ret_master,
                          struct ia_err *err)
{
    /* The limits come from the row: one that was changed must not make this process allocate
     * gigabytes. */
    if (sealed->argon_ops < crypto_pwhash_OPSLIMIT_MIN ||
        sealed->argon_ops > IA_ARGON_OPS_MAX ||
        sealed->argon_mem_bytes < crypto_pwhash_MEMLIMIT_MIN ||
        sealed->argon_mem_bytes > IA_ARGON_MEM_MAX) {
        return ia_seal_tampered(name, "has limits of Argon2id that are out of range", err);
    }
    if (crypto_pwhash(ret_master, IA_MASTER_BYTES, passphrase.p, passphrase.n, sealed->salt,
                      sealed->argon_ops, (size_t)sealed->argon_mem_bytes,
                      crypto_pwhash_ALG_ARGON2ID13) != 0) {
        return ia_err_set(err, IA_E_LIMIT,
                          "Argon2id needs %llu MiB of memory, which is not available",
                          (unsigned long long)(sealed->argon_mem_bytes >> 20));
    }
    return IA_OK;
}

enum ia_rc ia_seal_close(struct ia_sealed *sealed, const char *name,
                         const unsigned char *master, struct ia_str bytes, struct ia_err *err)
{
    unsigned char *key = sodium_malloc(crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
    if (!key) {
        return ia_err_set(err, IA_E_LIMIT, "no guarded memory left for a key");
    }
    struct ia_buf ad = IA_BUF(AD_MAX);
    unsigned long long n = 0;
    put_context(&ad, sealed, name);
    /* 192 random bits: they may be drawn for each sealing without keeping a counter. */
    randombytes_buf(sealed->nonce, sizeof(sealed->nonce));
    (void)crypto_kdf_derive_from_key(sealed->check, sizeof(sealed->check), KEY_CHECK,
                                     KDF_CONTEXT, master);
    (void)crypto_kdf_derive_from_key(key, crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
                                     KEY_ENCRYPT, KDF_CONTEXT, master);
    (void)crypto_aead_xchacha20poly1305_ietf_encrypt(
        sealed->ciphertext, &n, (const unsigned char *)bytes.p, bytes.n,
        (const unsigned char *)ia_buf_cstr(&ad), ad.len, NULL, sealed->nonce, key);
    sealed->ciphertext_n = (size_t)n;
    digest_of(sealed, name, sealed->digest);
    sodium_free(key);
    ia_buf_fini(&ad);
    return IA_OK;
}

enum ia_rc ia_seal_verify(const struct ia_sealed *sealed, const char *name, struct ia_err *err)
{
    unsigned char digest[IA_SEAL_DIGEST_BYTES];
    if (sealed->version != IA_SEAL_VERSION) {
        return ia_seal_tampered(name, "has an unknown version", err);
    }
    digest_of(sealed, name, digest);
    if (sodium_memcmp(digest, sealed->digest, sizeof(digest)) != 0) {
        return ia_seal_tampered(name, "was changed", err);
    }
    return IA_OK;
}

static enum ia_rc wrong_master(enum ia_seal seal, const char *name, struct ia_err *err)
{
    if (seal == IA_SEAL_PASSPHRASE) {
        (void)ia_err_set(err, IA_E_KEY_PASSPHRASE, "the passphrase is wrong");
        hint_again(name, "try again, or ", err);
        return IA_E_KEY_PASSPHRASE;
    }
    const char *of_run = ia_secret_of_run(name);
    (void)ia_err_set(err, IA_E_KEY_TAMPERED,
                     "the key file is not the one that sealed the stored %s%s",
                     of_run ? "secret " : "API key", of_run ? of_run : "");
    hint_again(name, "", err);
    return IA_E_KEY_TAMPERED;
}

static enum ia_rc decrypt(const struct ia_sealed *sealed, const char *name,
                          const unsigned char *key, struct ia_secret *into, struct ia_err *err)
{
    struct ia_buf ad = IA_BUF(AD_MAX);
    put_context(&ad, sealed, name);
    int rc = crypto_aead_xchacha20poly1305_ietf_decrypt(
        ia_guarded_bytes(into), NULL, NULL, sealed->ciphertext, sealed->ciphertext_n,
        (const unsigned char *)ia_buf_cstr(&ad), ad.len, sealed->nonce, key);
    ia_buf_fini(&ad);
    return rc == 0 ? IA_OK : ia_seal_tampered(name, "was changed", err);
}

enum ia_rc ia_seal_open(const struct ia_sealed *sealed, const char *name,
                        const unsigned char *master, struct ia_secret **ret, struct ia_err *err)
{
    unsigned char check[IA_SEAL_CHECK_BYTES];
    (void)crypto_kdf_derive_from_key(check, sizeof(check), KEY_CHECK, KDF_CONTEXT, master);
    if (sodium_memcmp(check, sealed->check, sizeof(check)) != 0) {
        return wrong_master(sealed->seal, name, err);
    }
    if (sealed->ciphertext_n < crypto_aead_xchacha20poly1305_ietf_ABYTES) {
        return ia_seal_tampered(name, "is cut short", err);
    }
    size_t n = sealed->ciphertext_n - crypto_aead_xchacha20poly1305_ietf_ABYTES;
    unsigned char *key = sodium_malloc(crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
    struct ia_secret *secret = key ? ia_guarded_new(n, err) : NULL;
    if (!secret) {
        sodium_free(key);
        return ia_err_set(err, IA_E_LIMIT, "no guarded memory left for a key");
    }
    (void)crypto_kdf_derive_from_key(key, crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
                                     KEY_ENCRYPT, KDF_CONTEXT, master);
    enum ia_rc rc = decrypt(sealed, name, key, secret, err);
    sodium_free(key);
    if (rc != IA_OK) {
        ia_secret_free(secret);
        return rc;
    }
    ia_guarded_lock(secret);
    *ret = secret;
    return IA_OK;
}
