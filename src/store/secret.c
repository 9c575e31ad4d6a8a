/* secret.c: sealed keys as rows. seal.c does the cryptography, keyfile.c keeps the key file, and
 * guarded.c holds what was opened.
 *
 * set    master key (file or passphrase) ─► seal_close ─► one row, replaced in one transaction
 * open   row ─► form, version, digest ─► master key ─► seal_open ─► guarded memory
 *
 * The master key lives in guarded memory for the length of one call. Argon2id runs outside
 * any transaction, as it takes its time on purpose. */
#include "store/secret.h"

#include "store/guarded.h"
#include "store/impl.h"
#include "store/keyfile.h"
#include "store/seal.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 100 };

/* ---- rows ------------------------------------------------------------------------------ */

static const char *const seal_names[] = {"key-file", "passphrase"};

static void put_row(struct ia_tx *tx, const char *name, const struct ia_sealed *s)
{
    bool salted = s->seal == IA_SEAL_PASSPHRASE;
    struct ia_q q = ia_tx_q(tx, IA_SQL_SECRET_PUT);
    ia_q_text(&q, name);
    ia_q_int(&q, s->version);
    ia_q_text(&q, seal_names[s->seal]);
    ia_q_blob(&q, s->nonce, sizeof(s->nonce));
    ia_q_blob(&q, s->ciphertext, s->ciphertext_n);
    ia_q_blob(&q, s->salt, salted ? sizeof(s->salt) : 0);
    ia_q_int(&q, (int64_t)s->argon_ops);
    ia_q_int(&q, (int64_t)s->argon_mem_bytes);
    ia_q_blob(&q, s->check, sizeof(s->check));
    ia_q_blob(&q, s->digest, sizeof(s->digest));
    ia_q_iso(&q, tx->now_ms);
    (void)ia_tx_end(tx, &q);
}

/* Copies a blob column of exactly n bytes. */
static bool get_exact(struct ia_q *q, unsigned char *dst, size_t n)
{
    struct ia_str blob = ia_q_get_blob(q);
    if (blob.n != n) {
        return false;
    }
    if (n > 0) {
        memcpy(dst, blob.p, n);
    }
    return true;
}

/* False when the row is not of the form that put_row writes. */
static bool read_row(struct ia_q *q, struct ia_sealed *s, char sealed_at[IA_ISO_SIZE])
{
    s->version = ia_q_get_int(q);
    const char *seal = ia_q_get_text(q);
    s->seal = seal && strcmp(seal, seal_names[IA_SEAL_PASSPHRASE]) == 0 ? IA_SEAL_PASSPHRASE
                                                                        : IA_SEAL_KEY_FILE;
    /* All columns are read even after a bad one: they are read in order. */
    bool ok = get_exact(q, s->nonce, sizeof(s->nonce));
    struct ia_str ciphertext = ia_q_get_blob(q);
    ok = ok && ciphertext.n <= sizeof(s->ciphertext);
    if (ok && ciphertext.n > 0) {
        memcpy(s->ciphertext, ciphertext.p, ciphertext.n);
        s->ciphertext_n = ciphertext.n;
    }
    bool salted = s->seal == IA_SEAL_PASSPHRASE;
    ok = get_exact(q, s->salt, salted ? sizeof(s->salt) : 0) && ok;
    s->argon_ops = (uint64_t)ia_q_get_int(q);
    s->argon_mem_bytes = (uint64_t)ia_q_get_int(q);
    ok = get_exact(q, s->check, sizeof(s->check)) && ok;
    ok = get_exact(q, s->digest, sizeof(s->digest)) && ok;
    ia_iso_format(ia_q_get_iso(q), sealed_at);
    return ok;
}

struct found {
    bool stored;
    bool well_formed;
    struct ia_sealed sealed;
    char sealed_at[IA_ISO_SIZE];
};

static enum ia_rc find_row(struct ia_store *s, const char *name, struct found *ret,
                           struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    *ret = (struct found){0};
    struct ia_q q = ia_q(db, IA_SQL_SECRET_GET);
    ia_q_text(&q, name);
    if (ia_q_row(&q)) {
        ret->stored = true;
        ret->well_formed = read_row(&q, &ret->sealed, ret->sealed_at);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}

static enum ia_rc nothing_stored(const char *name, struct ia_err *err)
{
    const char *of_run = ia_secret_of_run(name);
    enum ia_rc rc = of_run ? IA_E_NOT_FOUND : IA_E_KEY_MISSING;
    if (of_run) {
        (void)ia_err_set(err, rc, "no secret %s is stored", of_run);
        ia_err_hint(err, "`ios-agent secret list` lists what is");
    } else {
        (void)ia_err_set(err, rc, "no API key is stored");
        ia_err_hint(err, "store one with `ios-agent key set`, or set ANTHROPIC_API_KEY");
    }
    return rc;
}

/* ---- sealing --------------------------------------------------------------------------- */

static enum ia_rc check_input(const char *name, struct ia_str bytes, struct ia_str passphrase,
                              struct ia_err *err)
{
    if (strlen(name) == 0 || strlen(name) > NAME_MAX_BYTES) {
        return ia_err_set(err, IA_E_USAGE, "the name of a secret must have 1 to %d bytes",
                          NAME_MAX_BYTES);
    }
    if (bytes.n == 0 || bytes.n > IA_SECRET_BYTES_MAX) {
        return ia_err_set(err, IA_E_USAGE, "%s must have 1 to %d bytes",
                          ia_secret_of_run(name) ? "a secret" : "a key", IA_SECRET_BYTES_MAX);
    }
    if (passphrase.n > IA_PASSPHRASE_BYTES_MAX) {
        return ia_err_set(err, IA_E_USAGE, "a passphrase can have at most %d bytes",
                          IA_PASSPHRASE_BYTES_MAX);
    }
    return ia_guarded_start(err);
}

static enum ia_rc get_master(struct ia_store *s, const struct ia_sealed *sealed,
                             const char *name, struct ia_str passphrase,
                             unsigned char *ret_master, struct ia_err *err)
{
    return sealed->seal == IA_SEAL_PASSPHRASE
               ? ia_seal_derive(sealed, name, passphrase, ret_master, err)
               : ia_keyfile_read(s->home, ret_master, err);
}

static void set_method(struct ia_sealed *sealed, const struct ia_seal_opts *opts)
{
    *sealed = (struct ia_sealed){.version = IA_SEAL_VERSION, .seal = IA_SEAL_KEY_FILE};
    if (opts->passphrase.n > 0) {
        sealed->seal = IA_SEAL_PASSPHRASE;
        sealed->argon_ops = opts->argon_ops ? opts->argon_ops : crypto_pwhash_OPSLIMIT_MODERATE;
        sealed->argon_mem_bytes =
            opts->argon_mem_bytes ? opts->argon_mem_bytes : crypto_pwhash_MEMLIMIT_MODERATE;
        randombytes_buf(sealed->salt, sizeof(sealed->salt));
    }
}

static enum ia_rc save(struct ia_store *s, const char *name, const struct ia_sealed *sealed,
                       struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(s, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    put_row(tx, name, sealed);
    return ia_tx_commit(tx, err);
}

enum ia_rc ia_secret_seal(struct ia_store *s, const char *name, struct ia_str bytes,
                          const struct ia_seal_opts *opts, struct ia_err *err)
{
    static const struct ia_seal_opts by_key_file = {0};
    const struct ia_seal_opts *o = opts ? opts : &by_key_file;
    enum ia_rc rc = check_input(name, bytes, o->passphrase, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_sealed sealed;
    set_method(&sealed, o);
    /* The key file is durable before a row that needs it. */
    if (sealed.seal == IA_SEAL_KEY_FILE) {
        rc = ia_keyfile_ensure(s->home, err);
    }
    unsigned char *master = sodium_malloc(IA_MASTER_BYTES);
    if (rc == IA_OK && !master) {
        rc = ia_err_set(err, IA_E_LIMIT, "no guarded memory left for a key");
    }
    if (rc == IA_OK) {
        rc = get_master(s, &sealed, name, o->passphrase, master, err);
    }
    if (rc == IA_OK) {
        rc = ia_seal_close(&sealed, name, master, bytes, err);
    }
    sodium_free(master);
    return rc == IA_OK ? save(s, name, &sealed, err) : rc;
}

/* ---- opening --------------------------------------------------------------------------- */

static enum ia_rc check_found(const struct found *found, const char *name,
                              struct ia_str passphrase, struct ia_err *err)
{
    if (!found->stored) {
        return nothing_stored(name, err);
    }
    if (!found->well_formed) {
        return ia_seal_tampered(name, "was changed", err);
    }
    enum ia_rc rc = ia_seal_verify(&found->sealed, name, err);
    if (rc == IA_OK && found->sealed.seal == IA_SEAL_PASSPHRASE && passphrase.n == 0) {
        const char *of_run = ia_secret_of_run(name);
        rc = ia_err_set(err, IA_E_KEY_PASSPHRASE,
                        "the %s%s is sealed with a passphrase, but none was given",
                        of_run ? "secret " : "API key", of_run ? of_run : "");
        ia_err_hint(err, "run the command in a terminal, which asks for it");
    }
    return rc;
}

enum ia_rc ia_secret_open(struct ia_store *s, const char *name, struct ia_str passphrase,
                          struct ia_secret **ret, struct ia_err *err)
{
    struct found found;
    enum ia_rc rc = ia_guarded_start(err);
    if (rc == IA_OK) {
        rc = find_row(s, name, &found, err);
    }
    if (rc == IA_OK) {
        rc = check_found(&found, name, passphrase, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    unsigned char *master = sodium_malloc(IA_MASTER_BYTES);
    if (!master) {
        return ia_err_set(err, IA_E_LIMIT, "no guarded memory left for a key");
    }
    rc = get_master(s, &found.sealed, name, passphrase, master, err);
    if (rc == IA_OK) {
        rc = ia_seal_open(&found.sealed, name, master, ret, err);
    }
    sodium_free(master);
    return rc;
}

/* ---- removing and telling --------------------------------------------------------------- */

enum ia_rc ia_secret_remove(struct ia_store *s, const char *name, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(s, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_tx_q(tx, IA_SQL_SECRET_REMOVE);
    ia_q_text(&q, name);
    bool found = ia_q_row(&q);
    (void)ia_tx_end(tx, &q);
    rc = ia_tx_commit(tx, err);
    return rc == IA_OK && !found ? nothing_stored(name, err) : rc;
}

enum ia_rc ia_secret_status(struct ia_store *s, const char *name, struct ia_secret_status *ret,
                            struct ia_err *err)
{
    struct found found;
    enum ia_rc rc = ia_guarded_start(err);
    if (rc == IA_OK) {
        rc = find_row(s, name, &found, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    unsigned char *master = sodium_malloc(IA_MASTER_BYTES);
    if (!master) {
        return ia_err_set(err, IA_E_LIMIT, "no guarded memory left for a key");
    }
    *ret = (struct ia_secret_status){.stored = found.stored, .seal = found.sealed.seal};
    memcpy(ret->sealed_at, found.sealed_at, sizeof(ret->sealed_at));
    /* Only whether it can be read counts; why not is no failure of this call. */
    ret->key_file = ia_keyfile_read(s->home, master, NULL);
    sodium_free(master);
    return IA_OK;
}

/* ---- secrets of runs --------------------------------------------------------------------- */

enum ia_rc ia_store_secrets(struct ia_store *s, ia_secret_fn *fn, void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_SECRET_LIST);
    ia_q_text(&q, IA_SECRET_OF_RUNS);
    for (bool more = true; more && ia_q_row(&q);) {
        char sealed_at[IA_ISO_SIZE];
        const char *name = ia_q_get_text(&q);
        const char *seal = ia_q_get_text(&q);
        bool typed = seal && strcmp(seal, seal_names[IA_SEAL_PASSPHRASE]) == 0;
        ia_iso_format(ia_q_get_iso(&q), sealed_at);
        more = fn(ctx, name, typed ? IA_SEAL_PASSPHRASE : IA_SEAL_KEY_FILE, sealed_at);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}

enum ia_rc ia_store_secret_names(struct ia_store *s, ia_secret_name_fn *fn, void *ctx,
                                 struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_SECRET_NAMED);
    for (bool more = true; more && ia_q_row(&q);) {
        more = fn(ctx, ia_q_get_text(&q));
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}
