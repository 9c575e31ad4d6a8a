/* secret_source.c: values of a run's secrets: the environment first, so that one command can use another
 * value, then the store.
 *
 * A value that only a passphrase opens is kept open: deriving its key takes a second on purpose, and a
 * person is asked once. One that the key file opens is opened each time. */
#include "app/secret_source.h"

#include "base/paths.h"
#include "base/utf8.h"
#include "store/secret.h"
#include "store/store.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROW_NAME_MAX = IA_SECRET_NAME_MAX + 8,
    OPEN_MAX_COUNT = IA_JOB_SECRETS_MAX,
    NAMES_MAX = 1024
};

struct ia_secret_source {
    struct ia_store *store;
    const struct ia_credentials *credentials;
    pthread_mutex_t mutex; /* guards the rest, and is held while a person is asked */
    struct opened {
        char name[ROW_NAME_MAX], sealed_at[IA_ISO_SIZE];
        struct ia_secret *secret;
    } opened[OPEN_MAX_COUNT];
    size_t next;
};

struct ia_secret_source *ia_secret_source_new(struct ia_store *store,
                                              const struct ia_credentials *credentials)
{
    struct ia_secret_source *from = ia_calloc(1, sizeof(*from));
    from->store = store;
    from->credentials = credentials;
    pthread_mutex_init(&from->mutex, NULL);
    return from;
}

void ia_secret_source_free(struct ia_secret_source *from)
{
    for (size_t i = 0; from && i < OPEN_MAX_COUNT; i++) {
        ia_secret_free(from->opened[i].secret);
    }
    if (from) {
        pthread_mutex_destroy(&from->mutex);
        free(from);
    }
}

static void row_name(const char *name, char ret[ROW_NAME_MAX])
{
    (void)snprintf(ret, ROW_NAME_MAX, IA_SECRET_OF_RUNS "%s", name);
}

/* ---- looking up -------------------------------------------------------------------------- */

static enum ia_rc nobody_to_ask(const char *name, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_KEY_PASSPHRASE,
                               "the secret %s is sealed with a passphrase, and there is no "
                               "terminal to ask for it",
                               name);
    ia_err_hint(
        err,
        "seal it with the key file instead: ios-agent secret set %s; or run the goal in a "
        "terminal; or name a file with the passphrase in IOS_AGENT_PASSPHRASE_FILE",
        name);
    return rc;
}

static enum ia_rc open_asking(struct ia_secret_source *from, const char *name, const char *row,
                              struct ia_secret **ret, struct ia_err *err)
{
    const struct ia_credentials *c = from->credentials;
    struct ia_secret *passphrase = NULL;
    enum ia_rc rc = c && c->passphrase ? c->passphrase(c->passphrase_ctx, &passphrase, err)
                                       : IA_E_KEY_PASSPHRASE;
    if (rc != IA_OK) {
        return rc == IA_E_KEY_PASSPHRASE ? nobody_to_ask(name, err) : rc;
    }
    rc = ia_secret_open(from->store, row, ia_secret_bytes(passphrase), ret, err);
    ia_secret_free(passphrase);
    return rc;
}

/* The mutex is held. The secret stays the source's. */
static enum ia_rc open_once(struct ia_secret_source *from, const char *name, const char *row,
                            const char *sealed_at, const struct ia_secret **ret,
                            struct ia_err *err)
{
    for (size_t i = 0; i < OPEN_MAX_COUNT; i++) {
        const struct opened *o = &from->opened[i];
        if (o->secret && strcmp(o->name, row) == 0 && strcmp(o->sealed_at, sealed_at) == 0) {
            *ret = o->secret;
            return IA_OK;
        }
    }
    struct ia_secret *secret = NULL;
    enum ia_rc rc = open_asking(from, name, row, &secret, err);
    if (rc == IA_OK) {
        struct opened *o = &from->opened[from->next++ % OPEN_MAX_COUNT];
        ia_secret_free(o->secret);
        (void)snprintf(o->name, sizeof(o->name), "%s", row);
        (void)snprintf(o->sealed_at, sizeof(o->sealed_at), "%s", sealed_at);
        *ret = o->secret = secret;
    }
    return rc;
}

static enum ia_rc from_store(struct ia_secret_source *from, const char *name,
                             struct ia_buf *ret, struct ia_err *err)
{
    char row[ROW_NAME_MAX];
    struct ia_secret_status status;
    row_name(name, row);
    enum ia_rc rc = ia_secret_status(from->store, row, &status, err);
    if (rc != IA_OK || !status.stored) {
        return rc;
    }
    if (status.seal == IA_SEAL_KEY_FILE) {
        struct ia_secret *secret = NULL;
        rc = ia_secret_open(from->store, row, (struct ia_str){NULL, 0}, &secret, err);
        if (rc == IA_OK) {
            ia_buf_putstr(ret, ia_secret_bytes(secret));
        }
        ia_secret_free(secret);
        return rc;
    }
    const struct ia_secret *secret = NULL;
    pthread_mutex_lock(&from->mutex);
    rc = open_once(from, name, row, status.sealed_at, &secret, err);
    if (rc == IA_OK) {
        ia_buf_putstr(ret, ia_secret_bytes(secret));
    }
    pthread_mutex_unlock(&from->mutex);
    return rc;
}

static enum ia_rc value(void *ctx, const char *name, struct ia_buf *ret, struct ia_err *err)
{
    struct ia_secret_source *from = ctx;
    const char *text = ia_env_get(NULL, name);
    if (!text && from->store) {
        return from_store(from, name, ret, err);
    }
    ia_buf_puts(ret, text);
    return IA_OK;
}

struct ia_secret_lookup ia_secret_source_lookup(struct ia_secret_source *from)
{
    return (struct ia_secret_lookup){.value = value, .ctx = from};
}

enum ia_rc ia_secrets_check_by(const struct ia_secret_lookup *lookup,
                               const struct ia_run_request *req, struct ia_err *err)
{
    struct ia_secrets *secrets = NULL;
    enum ia_rc rc = ia_secrets_new(NULL, lookup, req, NULL, &secrets, err);
    ia_secrets_free(secrets);
    return rc == IA_OK ? ia_secrets_check_texts(lookup, req, err) : rc;
}

enum ia_rc ia_secrets_check(struct ia_secret_source *from, const struct ia_run_request *req,
                            struct ia_err *err)
{
    const struct ia_secret_lookup lookup = ia_secret_source_lookup(from);
    return ia_secrets_check_by(&lookup, req, err);
}

enum ia_rc ia_secrets_check_texts_now(struct ia_secret_source *from,
                                      const struct ia_run_request *req, struct ia_err *err)
{
    const struct ia_secret_lookup lookup = ia_secret_source_lookup(from);
    return ia_secrets_check_texts(&lookup, req, err);
}

/* ---- keeping ----------------------------------------------------------------------------- */

enum ia_rc ia_secret_name_check(const char *name, struct ia_err *err)
{
    return ia_secret_name_ok(ia_str(name))
               ? IA_OK
               : ia_err_set(err, IA_E_USAGE,
                            "the name of a secret is 1 to %d of A-Z a-z 0-9 _, with no digit "
                            "first, as that of an environment variable",
                            IA_SECRET_NAME_MAX);
}

enum ia_rc ia_stored_secret_check(const char *name, struct ia_str value, struct ia_err *err)
{
    enum ia_rc rc = ia_secret_name_check(name, err);
    if (rc == IA_OK) {
        rc = ia_secret_value_check(name, value, err);
    }
    for (size_t i = 0, n = 0; i < value.n && rc == IA_OK; i += n) {
        n = ia_utf8_valid_len(value.p + i, value.n - i);
        if (n == 0 || value.p[i] == '\0') {
            rc = ia_err_set(err, IA_E_USAGE, "the secret %s must be text: UTF-8 without a NUL",
                            name);
        }
    }
    return rc;
}

enum ia_rc ia_stored_secret_put(struct ia_store *store, const char *name, struct ia_str value,
                                const struct ia_seal_opts *opts, struct ia_err *err)
{
    char row[ROW_NAME_MAX];
    enum ia_rc rc = ia_stored_secret_check(name, value, err);
    if (rc != IA_OK) {
        return rc;
    }
    row_name(name, row);
    return ia_secret_seal(store, row, value, opts, err);
}

enum ia_rc ia_stored_secret_remove(struct ia_store *store, const char *name, struct ia_err *err)
{
    char row[ROW_NAME_MAX];
    enum ia_rc rc = ia_secret_name_check(name, err);
    if (rc != IA_OK) {
        return rc;
    }
    row_name(name, row);
    return ia_secret_remove(store, row, err);
}

/* ---- listing ----------------------------------------------------------------------------- */

struct listing {
    struct ia_secret_entry *entries;
    size_t count, cap;
};

/* The entry of that name. Names come in order from both sides, so the place is found from the end. */
static struct ia_secret_entry *entry_of(struct listing *l, const char *name)
{
    size_t at = l->count;
    while (at > 0 && strcmp(l->entries[at - 1].name, name) > 0) {
        at--;
    }
    if (at > 0 && strcmp(l->entries[at - 1].name, name) == 0) {
        return &l->entries[at - 1];
    }
    if (l->count == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 16;
        l->entries = ia_realloc(l->entries, l->cap, sizeof(*l->entries));
    }
    memmove(&l->entries[at + 1], &l->entries[at], (l->count++ - at) * sizeof(*l->entries));
    struct ia_secret_entry *e = &l->entries[at];
    *e = (struct ia_secret_entry){.in_environment = ia_env_get(NULL, name) != NULL};
    (void)snprintf(e->name, sizeof(e->name), "%s", name);
    return e;
}

static bool on_stored(void *ctx, const char *name, enum ia_seal seal, const char *sealed_at)
{
    struct ia_secret_entry *e = entry_of(ctx, name);
    e->stored = true;
    e->seal = seal;
    (void)snprintf(e->sealed_at, sizeof(e->sealed_at), "%s", sealed_at);
    return true;
}

/* A name that is not stored is known only because somebody wrote it down. */
static bool on_named(void *ctx, const char *name)
{
    if (ia_secret_name_ok(ia_str(name)) && ia_env_get(NULL, name)) {
        (void)entry_of(ctx, name);
    }
    return true;
}

enum ia_rc ia_secrets_each(struct ia_store *store, const char *only, ia_secret_entry_fn *fn,
                           void *ctx, struct ia_err *err)
{
    struct listing l = {.count = 0};
    enum ia_rc rc = ia_store_secrets(store, on_stored, &l, err);
    if (rc == IA_OK) {
        rc = ia_store_secret_names(store, on_named, &l, err);
    }
    for (size_t i = 0; i < l.count && rc == IA_OK; i++) {
        if (!only || strcmp(l.entries[i].name, only) == 0) {
            fn(ctx, &l.entries[i]);
        }
    }
    free(l.entries);
    return rc;
}

struct names {
    char *list[NAMES_MAX];
    size_t count;
};

static void keep_name(void *ctx, const struct ia_secret_entry *entry)
{
    struct names *n = ctx;
    if (n->count < NAMES_MAX) {
        n->list[n->count++] = ia_strdup(entry->name);
    }
}

bool ia_secret_in_text(struct ia_store *store, const char *text)
{
    struct names n = {.count = 0};
    struct ia_err ignored;
    struct ia_secret_source *from = ia_secret_source_new(store, NULL);
    enum ia_rc rc = ia_secrets_each(store, NULL, keep_name, &n, &ignored);
    const struct ia_run_request typed = {
        .goal = text, .secrets = (const char *const *)n.list, .secret_count = n.count};
    if (rc == IA_OK) {
        rc = ia_secrets_check_texts_now(from, &typed, &ignored);
    }
    for (size_t i = 0; i < n.count; i++) {
        free(n.list[i]);
    }
    ia_secret_source_free(from);
    return rc != IA_OK || n.count == NAMES_MAX;
}

void ia_secret_entry_json(const struct ia_secret_entry *entry, struct ia_jsonw *w)
{
    const char *seal = entry->seal == IA_SEAL_PASSPHRASE ? "passphrase" : "key-file";
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", entry->name);
    ia_jsonw_kv(w, "sealed_at", entry->stored ? entry->sealed_at : NULL);
    ia_jsonw_kv(w, "seal", entry->stored ? seal : NULL);
    ia_jsonw_kv(w, "origin", entry->in_environment ? "environment" : "stored");
    ia_jsonw_end_object(w);
}
