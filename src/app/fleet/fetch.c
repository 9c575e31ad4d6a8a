/* fetch.c: one thread that fetches from one worker at a time. If a worker does not answer, the request is retried; after
 * TRIES_MAX tries the pictures are given up, which is logged. The verdict does not depend on them. */
#include "app/fleet/fetch.h"

#include "base/clock.h"
#include "base/log.h"
#include "net/ask.h"
#include "store/blob.h"
#include "store/fleet_runs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ONE_MS = 10000,
    AGAIN_US = 1000000,
    TRIES_MAX = 60,
    PICTURE_MAX = 32 << 20,
    PATH_MAX_N = 400
};

struct ia_fleet_fetch {
    struct ia_store *store;
    char batch[IA_ID_SIZE];
    pthread_t thread;
    struct ia_cancel *cancel; /* ends the thread */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool woken, idle, stop; /* guarded by mutex */
    int tries;              /* that failed in a row; used by the thread only */
};

enum ia_rc ia_fleet_fetch_blob(const char *url, const char *run_id, const char *sha256,
                               const struct ia_fleet_key *key, size_t max, struct ia_buf *out,
                               struct ia_err *err)
{
    char path[PATH_MAX_N];
    char code[IA_SHA256_HEX_SIZE];
    char hash[IA_SHA256_HEX_SIZE] = "";
    struct ia_ask_link *link = NULL;
    struct ia_ask_answer answer = {.body = IA_BUF(max + 64)};
    const struct ia_ask_place place = {.url = url};
    ia_fleet_blob_code(key, run_id, sha256, code);
    (void)snprintf(path, sizeof(path), "/fleet/blobs/%s?run=%s&code=%s", sha256, run_id, code);
    const struct ia_ask_request request = {.method = "GET",
                                           .path = path,
                                           .bytes_max = max + 64,
                                           .deadline_us = ia_mono_us(ia_clock_system()) +
                                                          INT64_C(1000) * ONE_MS};
    enum ia_rc rc = ia_ask_open(&place, &link, err);
    rc = rc == IA_OK ? ia_ask(link, &request, &answer, err) : rc;
    if (rc == IA_OK && answer.status != 200) {
        rc = ia_err_set(err, answer.status == 404 ? IA_E_NOT_FOUND : IA_E_IO,
                        "the worker answered %d", answer.status);
    }
    size_t before = out->len;
    if (rc == IA_OK && ia_fleet_unseal(key, ia_buf_str(&answer.body), out)) {
        ia_sha256_hex(out->p + before, out->len - before, hash);
    }
    if (rc == IA_OK && strcmp(hash, sha256) != 0) {
        rc = ia_err_set(err, IA_E_PROTO, "what the worker sent is not what it named");
    }
    ia_buf_fini(&answer.body);
    ia_ask_close(link);
    return rc;
}

/* ---- the pictures of one run -------------------------------------------------------------- */

struct job {
    struct ia_fleet_fetch *f;
    bool found;
    char run_id[IA_ID_SIZE], url[160];
    struct ia_fleet_key key;
    struct ia_buf names; /* each with its NUL */
    enum ia_rc rc;
    struct ia_err err;
};

static bool first_job(void *ctx, const struct ia_fleet_run_row *row)
{
    struct job *j = ctx;
    j->found = true;
    (void)snprintf(j->run_id, sizeof(j->run_id), "%s", row->run_id);
    (void)snprintf(j->url, sizeof(j->url), "%s", row->fetch_from);
    memcpy(j->key.bytes, row->key, sizeof(j->key.bytes));
    return false;
}

static void fetch_one(struct job *j, const char *sha)
{
    char stored[IA_SHA256_HEX_SIZE];
    struct ia_buf have = IA_BUF(PICTURE_MAX + 1);
    if (ia_blob_read(j->f->store, sha, &have, NULL) != IA_OK) {
        j->rc =
            ia_fleet_fetch_blob(j->url, j->run_id, sha, &j->key, PICTURE_MAX, &have, &j->err);
        if (j->rc == IA_OK) {
            j->rc = ia_blob_put(j->f->store, have.p, have.len, stored, &j->err);
        } else if (j->rc == IA_E_NOT_FOUND) {
            j->rc = IA_OK; /* the worker does not have it either */
        }
    }
    ia_buf_fini(&have);
}

static void name_one(struct job *j, struct ia_str name)
{
    if (ia_sha256_hex_ok(name)) {
        ia_buf_putstr(&j->names, name);
        ia_buf_putc(&j->names, '\0');
    }
}

static bool on_event(void *ctx, const struct ia_event_row *row)
{
    struct job *j = ctx;
    struct ia_event e;
    if (row->type == IA_EVENT_PICTURE || row->type == IA_EVENT_TOOL_FINISHED) {
        (void)ia_event_read(&e, row->json);
        name_one(j, e.type == IA_EVENT_PICTURE ? e.picture.image : e.tool_finished.image);
        ia_event_fini(&e);
    }
    return true;
}

/* Collects the names before it uses the network, since listing rows holds a connection of the store. */
static void fetch_run(struct job *j)
{
    struct ia_run_row *row = NULL;
    int64_t last = 0;
    int64_t before = -1;
    while (last != before) {
        const struct ia_event_range range = {.run_id = j->run_id, .after_id = last};
        before = last;
        (void)ia_store_events(j->f->store, &range, on_event, j, &last, &j->err);
    }
    if (ia_store_run(j->f->store, j->run_id, &row, NULL) == IA_OK) {
        name_one(j, ia_str(row->screenshot));
    }
    ia_run_row_free(row);
    for (size_t at = 0; at < j->names.len && j->rc == IA_OK; at += IA_SHA256_HEX_SIZE) {
        fetch_one(j, j->names.p + at);
    }
}

static void note_done(struct job *j)
{
    struct ia_tx *tx = NULL;
    if (ia_tx_begin(j->f->store, &tx, NULL) == IA_OK) {
        ia_tx_fetched_fleet_run(tx, j->run_id);
        (void)!ia_tx_commit(tx, NULL);
    }
}

/* ---- the thread -------------------------------------------------------------------------- */

/* False: nothing is left to fetch. */
static bool fetch_next(struct ia_fleet_fetch *f)
{
    struct job j = {.f = f, .names = IA_BUF(IA_SHA256_HEX_SIZE * 10000)};
    (void)ia_store_fleet_fetches(f->store, f->batch, first_job, &j, NULL);
    if (!j.found) {
        return false;
    }
    fetch_run(&j);
    ia_buf_fini(&j.names);
    if (j.rc != IA_OK && ++f->tries < TRIES_MAX) {
        (void)ia_clock_wait(ia_clock_system(), f->cancel,
                            ia_mono_us(ia_clock_system()) + AGAIN_US);
        return true;
    }
    if (j.rc != IA_OK) {
        IA_LOG(IA_LOG_WARN, "fleet.pictures_lost", IA_S("run", j.run_id),
               IA_S("why", j.err.msg));
    }
    f->tries = 0;
    note_done(&j);
    return true;
}

static void *fetch_all(void *ctx)
{
    struct ia_fleet_fetch *f = ctx;
    pthread_mutex_lock(&f->mutex);
    while (!f->stop) {
        f->woken = false;
        f->idle = false;
        pthread_mutex_unlock(&f->mutex);
        bool more = fetch_next(f);
        pthread_mutex_lock(&f->mutex);
        while (!more && !f->woken && !f->stop) {
            f->idle = true;
            pthread_cond_broadcast(&f->changed);
            pthread_cond_wait(&f->changed, &f->mutex);
        }
    }
    pthread_mutex_unlock(&f->mutex);
    return NULL;
}

struct ia_fleet_fetch *ia_fleet_fetch_new(struct ia_store *store, const char *batch)
{
    struct ia_fleet_fetch *f = ia_calloc(1, sizeof(*f));
    f->store = store;
    (void)snprintf(f->batch, sizeof(f->batch), "%s", batch);
    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->changed, NULL);
    f->cancel = ia_cancel_new(NULL);
    if (!f->cancel || pthread_create(&f->thread, NULL, fetch_all, f) != 0) {
        ia_cancel_free(f->cancel);
        free(f);
        return NULL;
    }
    return f;
}

void ia_fleet_fetch_wake(struct ia_fleet_fetch *f)
{
    pthread_mutex_lock(&f->mutex);
    f->woken = true;
    f->idle = false;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->mutex);
}

bool ia_fleet_fetch_wait(struct ia_fleet_fetch *f, int64_t ms)
{
    int64_t wall_ms = ia_wall_ms(ia_clock_system()) + ms;
    const struct timespec until = {.tv_sec = wall_ms / 1000,
                                   .tv_nsec = (wall_ms % 1000) * 1000000};
    pthread_mutex_lock(&f->mutex);
    while (!f->idle && pthread_cond_timedwait(&f->changed, &f->mutex, &until) == 0) {
    }
    bool idle = f->idle;
    pthread_mutex_unlock(&f->mutex);
    return idle;
}

void ia_fleet_fetch_free(struct ia_fleet_fetch *f)
{
    if (!f) {
        return;
    }
    pthread_mutex_lock(&f->mutex);
    f->stop = true;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->mutex);
    ia_cancel_fire(f->cancel);
    (void)pthread_join(f->thread, NULL);
    ia_cancel_free(f->cancel);
    pthread_cond_destroy(&f->changed);
    pthread_mutex_destroy(&f->mutex);
    free(f);
}
