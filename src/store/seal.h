/* seal.h: sealing and opening bytes, without any file or database (private to store/).
 *
 * A master key (32 bytes, from the key file or from Argon2id) gives two keys by crypto_kdf: one
 * that encrypts (XChaCha20-Poly1305), and one that is stored to tell a wrong passphrase from a
 * changed ciphertext. Everything but the ciphertext is additional data. A plain digest over all
 * of it notices any changed byte before a key is derived; the cipher is what protects. */
#ifndef IA_STORE_SEAL_H
#define IA_STORE_SEAL_H

#include "base/err.h"
#include "store/keyfile.h"
#include "store/secret.h"

#include <sodium.h>

enum { IA_SEAL_VERSION = 1, IA_SEAL_CHECK_BYTES = 16, IA_SEAL_DIGEST_BYTES = 32 };

/* Limits of what a stored row may ask of Argon2id. */
#define IA_ARGON_OPS_MAX 64
#define IA_ARGON_MEM_MAX ((uint64_t)1 << 30)

struct ia_sealed {
    int64_t version;
    enum ia_seal seal;
    unsigned char nonce[crypto_aead_xchacha20poly1305_ietf_NPUBBYTES];
    unsigned char salt[crypto_pwhash_SALTBYTES]; /* zero for a key file */
    uint64_t argon_ops, argon_mem_bytes;         /* 0 for a key file */
    unsigned char check[IA_SEAL_CHECK_BYTES];
    unsigned char digest[IA_SEAL_DIGEST_BYTES];
    unsigned char ciphertext[IA_SECRET_BYTES_MAX + crypto_aead_xchacha20poly1305_ietf_ABYTES];
    size_t ciphertext_n;
};

/* "PIN" of "run:PIN"; NULL: it is no secret of a run. */
const char *ia_secret_of_run(const char *name);
/* IA_E_KEY_TAMPERED: what is stored under the name, and what of it; how to store it again. */
enum ia_rc ia_seal_tampered(const char *name, const char *what, struct ia_err *err);

/* Derives the master key of a passphrase into 32 bytes of guarded memory. IA_E_LIMIT when there
 * is not enough memory. */
enum ia_rc ia_seal_derive(const struct ia_sealed *sealed, const char *name,
                          struct ia_str passphrase, unsigned char *ret_master,
                          struct ia_err *err);
/* Fills nonce, check, ciphertext and digest; the rest of *sealed is set already. */
enum ia_rc ia_seal_close(struct ia_sealed *sealed, const char *name,
                         const unsigned char *master, struct ia_str bytes, struct ia_err *err);
/* IA_E_KEY_TAMPERED when any byte differs from what was stored. */
enum ia_rc ia_seal_verify(const struct ia_sealed *sealed, const char *name, struct ia_err *err);
/* Opens a verified row. IA_E_KEY_PASSPHRASE or (key file) IA_E_KEY_TAMPERED for a wrong master
 * key, IA_E_KEY_TAMPERED for anything else. */
enum ia_rc ia_seal_open(const struct ia_sealed *sealed, const char *name,
                        const unsigned char *master, struct ia_secret **ret,
                        struct ia_err *err);

#endif
