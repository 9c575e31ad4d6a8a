/* secret.h: the API key, and secrets that runs may type: sealed at rest and guarded in memory.
 *
 * At rest: XChaCha20-Poly1305 (libsodium, crypto_aead_xchacha20poly1305_ietf) under a key that
 * is either in <home>/sealing.key (0600, made on first use) or derived from a passphrase by
 * Argon2id (crypto_pwhash). The name, the version and how it was sealed are additional data. In
 * memory: a struct ia_secret, whose bytes are in sodium_malloc pages, read-only and left out of
 * core dumps. Only the HTTP client may look at the bytes;
 * no error text here ever holds them. */
#ifndef IA_STORE_SECRET_H
#define IA_STORE_SECRET_H

#include "base/clock.h"
#include "base/err.h"

struct ia_store;
struct ia_secret;

#define IA_SECRET_API_KEY "anthropic-api-key"
#define IA_SECRET_OF_RUNS "run:" /* begins the names of secrets that runs may type: "run:PIN" */
enum { IA_SECRET_BYTES_MAX = 4096, IA_PASSPHRASE_BYTES_MAX = 1024 };

enum ia_seal { IA_SEAL_KEY_FILE, IA_SEAL_PASSPHRASE };

struct ia_seal_opts {
    struct ia_str passphrase; /* empty: seal with the key file */
    uint64_t argon_ops;       /* 0: libsodium's moderate limit; tests pass its minimum */
    uint64_t argon_mem_bytes; /* likewise */
};

/* Seals and stores the bytes under the name, replacing what was there. opts may be NULL.
 * IA_E_USAGE for empty or too long bytes; IA_E_KEY_FILE_MODE, IA_E_KEY_TAMPERED for an unusable
 * key file. The caller wipes its own copy. */
enum ia_rc ia_secret_seal(struct ia_store *s, const char *name, struct ia_str bytes,
                          const struct ia_seal_opts *opts, struct ia_err *err);

/* Opens the sealed bytes. passphrase is empty for a key-file seal (and ignored there).
 * IA_E_KEY_MISSING: nothing is stored (of a run's secret IA_E_NOT_FOUND), or the key file is gone. IA_E_KEY_PASSPHRASE: it is
 * needed, or wrong. IA_E_KEY_TAMPERED: a stored byte or the key file was changed.
 * IA_E_KEY_FILE_MODE: others can read the key file, or it is not ours. Free with
 * ia_secret_free. */
enum ia_rc ia_secret_open(struct ia_store *s, const char *name, struct ia_str passphrase,
                          struct ia_secret **ret, struct ia_err *err);

/* Guards bytes that came from elsewhere (the environment, a prompt).
 * Free with ia_secret_free. */
enum ia_rc ia_secret_new(struct ia_str bytes, struct ia_secret **ret, struct ia_err *err);
/* Borrowed until ia_secret_free; NUL-terminated beyond n; read-only memory. */
struct ia_str ia_secret_bytes(const struct ia_secret *secret);
/* Wipes and frees. NULL is fine. */
void ia_secret_free(struct ia_secret *secret);

/* Deletes the sealed bytes. IA_E_KEY_MISSING when there are none, of a run's secret IA_E_NOT_FOUND. The
 * key file stays. */
enum ia_rc ia_secret_remove(struct ia_store *s, const char *name, struct ia_err *err);

struct ia_secret_status {
    bool stored;
    enum ia_seal seal;
    char sealed_at[IA_ISO_SIZE];
    enum ia_rc key_file; /* IA_OK, IA_E_KEY_MISSING, IA_E_KEY_FILE_MODE or IA_E_KEY_TAMPERED */
};
/* What is stored, without opening it. */
enum ia_rc ia_secret_status(struct ia_store *s, const char *name, struct ia_secret_status *ret,
                            struct ia_err *err);

/* The names of all secrets of runs that are stored, without their beginning, in order. */
typedef bool ia_secret_fn(void *ctx, const char *name, enum ia_seal seal,
                          const char *sealed_at);
enum ia_rc ia_store_secrets(struct ia_store *s, ia_secret_fn *fn, void *ctx,
                            struct ia_err *err);
/* The names of secrets that a schedule or an unfinished run has, in order, each once. */
typedef bool ia_secret_name_fn(void *ctx, const char *name);
enum ia_rc ia_store_secret_names(struct ia_store *s, ia_secret_name_fn *fn, void *ctx,
                                 struct ia_err *err);

#endif
