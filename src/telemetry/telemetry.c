/* telemetry.c: the queue, and the thread that empties it.
 *
 *   waiting ──► writing ──► sending ──► sent
 *                  │           │  ▲
 *                  │           ▼  │ 1 s, 2 s, … 60 s, while nobody answers, or with 429, 502, 503, 504
 *                  │         pause
 *                  └───────────┴────► dropped: refused, too large, or the process ends
 *
 * Traces go before metrics, and each only once it was not taken. */
#include "telemetry/telemetry.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/platform.h"
#include "net/ask.h"
#include "telemetry/headers.h"
#include "telemetry/trace.h"
#include "json/json.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ANSWER_MAX = 64 << 10,
    REQUEST_MS = 10000,
    PAUSE_MIN_MS = 1000,
    PAUSE_MAX_MS = 60000,
    US_PER_MS = 1000
};

struct ia_telemetry {
    struct ia_store *store;
    char *endpoint, *service, *version;
    char *headers[IA_OTLP_HEADERS_MAX + 1];
    int64_t flush_ms, pause_ms;
    struct ia_cancel *ending; /* no pause any more */
    struct ia_cancel *stop;   /* no request any more */
    struct ia_cancel *done;   /* by the thread, when it ends */

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t wake;
    pthread_t thread;
    bool started, closing;
    char queue[IA_TELEMETRY_QUEUE_MAX][IA_ID_SIZE]; /* a ring */
    size_t first, count;
    struct ia_telemetry_counts counts;

    struct ia_ask_link *link; /* the thread's */
};

/* ---- one request ------------------------------------------------------------------------- */

/* {"partialSuccess":{"rejectedSpans":"2","errorMessage":"…"}}: the message may hold what was sent. */
static int64_t rejected(struct ia_str answer)
{
    int64_t n = 0;
    json_t *j = json_loadb(answer.p ? answer.p : "", answer.n, 0, NULL);
    const json_t *part = json_object_get(j, "partialSuccess");
    static const char *const keys[] = {"rejectedSpans", "rejectedDataPoints"};
    for (size_t i = 0; i < IA_COUNTOF(keys); i++) {
        const json_t *v = json_object_get(part, keys[i]);
        n +=
            json_is_string(v) ? strtoll(json_string_value(v), NULL, 10) : json_integer_value(v);
    }
    json_decref(j);
    return n;
}

static enum ia_rc judge(const struct ia_ask_answer *a, bool *ret_again, struct ia_err *err)
{
    int s = a->status;
    if (s >= 200 && s < 300) {
        return IA_OK;
    }
    *ret_again = s == 429 || s == 502 || s == 503 || s == 504;
    return ia_err_set(err, IA_E_API_PROTOCOL, "the collector answered with status %d", s);
}

/* *ret_again: the same may be sent again later. */
static enum ia_rc send_body(struct ia_telemetry *t, const char *path, const struct ia_buf *body,
                            bool *ret_again, struct ia_err *err)
{
    const struct ia_ask_place place = {
        .url = t->endpoint, .headers = t->headers, .plain_type = true};
    struct ia_ask_answer a = {.status = 0};
    *ret_again = false;
    enum ia_rc rc = t->link ? IA_OK : ia_ask_open(&place, &t->link, err);
    if (rc != IA_OK) {
        return rc;
    }
    int64_t until_us = ia_mono_us(ia_clock_system()) + (int64_t)REQUEST_MS * US_PER_MS;
    const struct ia_ask_request request = {.method = "POST",
                                           .path = path,
                                           .body = ia_buf_str(body),
                                           .bytes_max = ANSWER_MAX,
                                           .deadline_us = until_us,
                                           .cancel = t->stop};
    rc = ia_ask(t->link, &request, &a, err);
    if (rc == IA_OK) {
        rc = judge(&a, ret_again, err);
    } else {
        *ret_again = rc == IA_E_IO || rc == IA_E_TIMEOUT;
    }
    int64_t refused = rc == IA_OK ? rejected(ia_buf_str(&a.body)) : 0;
    if (refused > 0) {
        IA_LOG(IA_LOG_WARN, "telemetry.rejected", IA_S("path", path), IA_I("parts", refused));
        pthread_mutex_lock(&t->mutex);
        t->counts.rejected += refused;
        pthread_mutex_unlock(&t->mutex);
    }
    ia_buf_fini(&a.body);
    return rc;
}

/* Until it was taken, or will not be. */
static enum ia_rc deliver(struct ia_telemetry *t, const char *path, const struct ia_buf *body,
                          struct ia_err *err)
{
    bool again = false;
    int64_t pause_ms = t->pause_ms;
    enum ia_rc rc = body->len > 0 ? send_body(t, path, body, &again, err) : IA_OK;
    while (rc != IA_OK && again && !ia_cancel_fired(t->ending)) {
        const struct ia_clock *clock = ia_clock_system();
        (void)ia_clock_wait(clock, t->ending, ia_mono_us(clock) + pause_ms * US_PER_MS);
        pause_ms = pause_ms * 2 < PAUSE_MAX_MS ? pause_ms * 2 : PAUSE_MAX_MS;
        rc = send_body(t, path, body, &again, err);
    }
    return rc;
}

/* ---- one run ----------------------------------------------------------------------------- */

static enum ia_rc send_run(struct ia_telemetry *t, const char *run_id, struct ia_err *err)
{
    const struct ia_otlp_resource resource = {t->service, t->version};
    struct ia_buf traces = IA_BUF(IA_TRACE_BYTES_MAX), metrics = IA_BUF(IA_TRACE_BYTES_MAX);
    enum ia_rc rc = ia_trace_write(t->store, run_id, &resource, &traces, &metrics, err);
    if (rc == IA_OK) {
        rc = deliver(t, "/v1/traces", &traces, err);
    }
    if (rc == IA_OK) {
        rc = deliver(t, "/v1/metrics", &metrics, err);
    }
    ia_buf_fini(&traces);
    ia_buf_fini(&metrics);
    return rc;
}

/* The mutex is held. */
static void drop(struct ia_telemetry *t, const char *run_id, const char *why)
{
    t->counts.dropped++;
    IA_LOG(IA_LOG_WARN, "telemetry.dropped", IA_S("run", run_id), IA_S("why", why),
           IA_I("dropped", t->counts.dropped));
}

/* False: there is none, and none will come. */
static bool take(struct ia_telemetry *t, char ret_id[IA_ID_SIZE])
{
    pthread_mutex_lock(&t->mutex);
    while (t->count == 0 && !t->closing) {
        pthread_cond_wait(&t->wake, &t->mutex);
    }
    bool got = t->count > 0 && !ia_cancel_fired(t->stop);
    if (got) {
        memcpy(ret_id, t->queue[t->first], IA_ID_SIZE);
        t->first = (t->first + 1) % IA_TELEMETRY_QUEUE_MAX;
        t->count--;
    }
    pthread_mutex_unlock(&t->mutex);
    return got;
}

static void *work(void *ctx)
{
    struct ia_telemetry *t = ctx;
    char id[IA_ID_SIZE];
    ia_platform_name_thread("telemetry");
    while (take(t, id)) {
        struct ia_err err = {.code = IA_OK};
        ia_log_run(id);
        enum ia_rc rc = send_run(t, id, &err);
        pthread_mutex_lock(&t->mutex);
        if (rc == IA_OK) {
            t->counts.sent++;
        } else {
            drop(t, id, err.msg);
        }
        pthread_mutex_unlock(&t->mutex);
    }
    ia_ask_close(t->link);
    ia_cancel_fire(t->done);
    return NULL;
}

/* ---- from outside ------------------------------------------------------------------------ */

void ia_telemetry_run_ended(struct ia_telemetry *t, const char *run_id)
{
    if (!t) {
        return;
    }
    pthread_mutex_lock(&t->mutex);
    if (!t->started) {
        t->started = pthread_create(&t->thread, NULL, work, t) == 0;
    }
    if (!t->started || t->count == IA_TELEMETRY_QUEUE_MAX) {
        drop(t, run_id, t->started ? "too many runs wait for the collector" : "no thread");
    } else {
        char *place = t->queue[(t->first + t->count++) % IA_TELEMETRY_QUEUE_MAX];
        (void)snprintf(place, IA_ID_SIZE, "%s", run_id);
        pthread_cond_signal(&t->wake);
    }
    pthread_mutex_unlock(&t->mutex);
}

void ia_telemetry_counts(struct ia_telemetry *t, struct ia_telemetry_counts *ret)
{
    *ret = (struct ia_telemetry_counts){.sent = 0};
    if (t) {
        pthread_mutex_lock(&t->mutex);
        *ret = t->counts;
        pthread_mutex_unlock(&t->mutex);
    }
}

/* One last attempt without pauses, then none. */
static void end_thread(struct ia_telemetry *t)
{
    pthread_mutex_lock(&t->mutex);
    t->closing = true;
    pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->mutex);
    if (t->started) {
        const struct ia_clock *clock = ia_clock_system();
        ia_cancel_fire(t->ending);
        (void)ia_clock_wait(clock, t->done, ia_mono_us(clock) + t->flush_ms * US_PER_MS);
        ia_cancel_fire(t->stop);
        (void)pthread_join(t->thread, NULL);
    }
    pthread_mutex_lock(&t->mutex);
    for (; t->count > 0; t->count--) {
        drop(t, t->queue[t->first], "the process ended");
        t->first = (t->first + 1) % IA_TELEMETRY_QUEUE_MAX;
    }
    pthread_mutex_unlock(&t->mutex);
}

void ia_telemetry_close(struct ia_telemetry *t)
{
    if (!t) {
        return;
    }
    end_thread(t);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->mutex);
    ia_cancel_free(t->ending);
    ia_cancel_free(t->stop);
    ia_cancel_free(t->done);
    ia_otlp_headers_free(t->headers);
    free(t->endpoint);
    free(t->service);
    free(t->version);
    free(t);
}

static char *without_slash(const char *url)
{
    size_t n = strlen(url);
    while (n > 0 && url[n - 1] == '/') {
        n--;
    }
    return ia_strndup(url, n);
}

enum ia_rc ia_telemetry_new(const struct ia_telemetry_opts *opts, struct ia_telemetry **ret,
                            struct ia_err *err)
{
    struct ia_telemetry *t = ia_calloc(1, sizeof(*t));
    t->store = opts->store;
    t->endpoint = without_slash(opts->endpoint);
    t->service = ia_strdup(opts->service);
    t->version = ia_strdup(opts->version);
    t->flush_ms = opts->flush_ms > 0 ? opts->flush_ms : IA_TELEMETRY_FLUSH_MS;
    t->pause_ms = opts->pause_ms > 0 ? opts->pause_ms : PAUSE_MIN_MS;
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->wake, NULL);
    enum ia_rc rc = ia_otlp_headers_parse(opts->headers, t->headers, err);
    struct ia_cancel **const tokens[] = {&t->ending, &t->stop, &t->done};
    for (size_t i = 0; rc == IA_OK && i < IA_COUNTOF(tokens); i++) {
        *tokens[i] = ia_cancel_new(err);
        rc = *tokens[i] ? IA_OK : err->code;
    }
    if (rc != IA_OK) {
        ia_telemetry_close(t);
        return rc;
    }
    *ret = t;
    return IA_OK;
}
