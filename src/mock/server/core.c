/* core.c: what happens to a request once it has arrived.
 *
 *     POST /v1/messages ─► fault for this number? ── error answer ──────────────────────► reply
 *                               │ no, or one of a stream
 *                               ▼
 *                          headers, JSON, shape, rules, thinking, length ── refused ────► reply
 *                               ▼
 *                          answer: script or demo brain ── no turn matches ── refused ──► reply
 *                               ▼
 *                          sealed (ids, signatures), usage from the cache, bytes
 *                               ▼
 *                          a fault of a stream cuts, stalls or spoils it ───────────────► reply
 *
 * Nothing of a request survives it but entries in the prompt cache, what was sent as thinking, and
 * counters. With a seed, everything that looks random follows from the seed and the request. */
#include "mock/server/core.h"

#include "base/clock.h"
#include "base/hash.h"
#include "mock/api/check.h"
#include "mock/api/compaction.h"
#include "mock/api/sign.h"
#include "mock/brain/brain.h"
#include "mock/server/model_list.h"
#include "mock/server/script.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP_MAX = 4096 };

struct ia_mock_core {
    char *key;
    enum ia_mock_brain brain;
    struct ia_script *script;
    struct ia_mock_faults faults;
    uint64_t seed;
    int latency_ms;
    int pace_ms;
    struct ia_mock_cache *cache;
    struct ia_mock_sent *sent;
    struct ia_mock_stats *stats;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t room;
    int working;
    char **kept; /* ring of the latest bodies */
    int keep;
    int64_t kept_count;
};

/* One POST on its way through the double. */
struct job {
    struct ia_mock_core *c;
    struct ia_mock_request req;
    struct ia_mock_digest digest;
    struct ia_mock_answer answer;
    struct ia_mock_usage usage;
    const struct ia_mock_fault *fault;
    struct ia_rand rand;
    uint64_t rand_state;
    struct ia_mock_reply *reply;
};

void ia_mock_reply_fini(struct ia_mock_reply *r)
{
    ia_mock_stream_fini(&r->body);
}

enum ia_rc ia_mock_core_new(const struct ia_mock_options *opt, struct ia_mock_core **ret,
                            struct ia_err *err)
{
    struct ia_mock_core *c = ia_calloc(1, sizeof(*c));
    enum ia_rc rc = ia_mock_faults_parse(opt->faults, &c->faults, err);
    if (rc == IA_OK && opt->brain == IA_MOCK_SCRIPT) {
        rc = ia_script_parse(ia_str(opt->script), &c->script, err);
    }
    if (rc != IA_OK) {
        free(c);
        return rc;
    }
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->room, NULL);
    c->key = ia_strdup(opt->key);
    c->brain = opt->brain;
    c->seed = opt->seed;
    c->latency_ms = opt->latency_ms;
    c->pace_ms = opt->pace_ms;
    c->cache = ia_mock_cache_new();
    c->sent = ia_mock_sent_new();
    c->stats = ia_mock_stats_new();
    c->keep = opt->keep_requests > KEEP_MAX ? KEEP_MAX : opt->keep_requests;
    c->kept = c->keep > 0 ? ia_calloc((size_t)c->keep, sizeof(*c->kept)) : NULL;
    *ret = c;
    return IA_OK;
}

void ia_mock_core_free(struct ia_mock_core *c)
{
    if (!c) {
        return;
    }
    for (int i = 0; i < c->keep; i++) {
        free(c->kept[i]);
    }
    free(c->kept);
    free(c->key);
    ia_script_free(c->script);
    ia_mock_cache_free(c->cache);
    ia_mock_sent_free(c->sent);
    ia_mock_stats_free(c->stats);
    pthread_cond_destroy(&c->room);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

struct ia_mock_stats *ia_mock_core_stats(struct ia_mock_core *c)
{
    return c->stats;
}

static void enter(struct ia_mock_core *c)
{
    pthread_mutex_lock(&c->lock);
    while (c->working >= IA_MOCK_WORKERS) {
        pthread_cond_wait(&c->room, &c->lock);
    }
    c->working++;
    pthread_mutex_unlock(&c->lock);
}

static void leave(struct ia_mock_core *c)
{
    pthread_mutex_lock(&c->lock);
    c->working--;
    pthread_cond_signal(&c->room);
    pthread_mutex_unlock(&c->lock);
}

static void keep_body(struct ia_mock_core *c, struct ia_str body)
{
    if (c->keep <= 0) {
        return;
    }
    char *copy = ia_strndup(body.n ? body.p : "", body.n);
    pthread_mutex_lock(&c->lock);
    char **slot = &c->kept[c->kept_count++ % c->keep];
    char *old = *slot;
    *slot = copy;
    pthread_mutex_unlock(&c->lock);
    free(old);
}

bool ia_mock_core_request_body(struct ia_mock_core *c, int index, struct ia_buf *out)
{
    bool found = false;
    pthread_mutex_lock(&c->lock);
    if (index >= 0 && index < c->keep && index < c->kept_count) {
        ia_buf_puts(out, c->kept[(c->kept_count - 1 - index) % c->keep]);
        found = true;
    }
    pthread_mutex_unlock(&c->lock);
    return found;
}

static void set_body(struct ia_mock_reply *r, int status, const char *content_type,
                     const char *text)
{
    r->status = status;
    r->content_type = content_type;
    ia_mock_stream_cut(&r->body, 0);
    ia_mock_stream_raw(&r->body, text);
}

static void reply_error(struct ia_mock_reply *r, int status, const char *message,
                        const char *details)
{
    struct ia_buf b = IA_BUF(1 << 16);
    ia_mock_emit_error(&b, ia_mock_error_type(status), message, details, r->request_id);
    set_body(r, status, "application/json", ia_buf_cstr(&b));
    r->should_retry = status == 429 ? "true" : status < 500 ? "false" : NULL;
    ia_buf_fini(&b);
}

static void reply_refused(struct ia_mock_core *c, struct ia_mock_reply *r,
                          const struct ia_mock_reject *reject)
{
    ia_mock_stats_rejected(c->stats, reject->reason);
    reply_error(r, reject->status, reject->message, reject->details);
    /* Status 500 invites a retry, but a script that has no answer now has none later. */
    bool script = strcmp(reject->reason, "script_unmatched") == 0 ||
                  strcmp(reject->reason, "script_ref") == 0;
    r->should_retry = script ? "false" : r->should_retry;
}

static void reply_html(struct ia_mock_reply *r, int status)
{
    char text[256];
    snprintf(
        text, sizeof(text),
        "<html>\r\n<head><title>%d</title></head>\r\n<body>\r\n<center><h1>%d</h1></center>"
        "\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n",
        status, status);
    set_body(r, status, "text/html", text);
}

/* Faults that are an error answer instead of the real one. False for faults of a stream. */
static bool strike_answer(struct ia_mock_reply *r, const struct ia_mock_fault *f)
{
    if (f->kind == IA_MOCK_FAULT_HTML) {
        reply_html(r, f->status);
    } else if (f->kind == IA_MOCK_FAULT_STATUS) {
        char message[160];
        snprintf(message, sizeof(message), "Injected fault %s", f->name);
        reply_error(r, f->status, message, f->details);
    } else {
        return false;
    }
    if (f->retry_after_s >= 0) {
        snprintf(r->retry_after, sizeof(r->retry_after), "%g", f->retry_after_s);
    }
    if (f->retry_after_ms >= 0) {
        snprintf(r->retry_after_ms, sizeof(r->retry_after_ms), "%g", f->retry_after_ms);
    }
    if (f->should_retry >= 0) {
        r->should_retry = f->should_retry ? "true" : "false";
    } else if (f->details) {
        r->should_retry = "false";
    }
    return true;
}

/* An answer that is no stream is struck in its middle. */
static void split_plain(struct ia_mock_stream *s)
{
    if (s->frames == 1 && s->bytes.len > 1) {
        size_t end = s->bytes.len;
        s->ends[0] = end / 2;
        s->ends = ia_realloc(s->ends, 2, sizeof(*s->ends));
        s->ends[1] = end;
        s->ends_cap = 2;
        s->frames = 2;
    }
}

#define STRUCK "Injected fault error-event"

/* Faults in the middle of an answer; never after its last frame. */
static void strike_stream(struct ia_mock_reply *r, const struct ia_mock_fault *f)
{
    static const enum ia_mock_strike strikes[] = {
        [IA_MOCK_FAULT_CUT] = IA_MOCK_STRIKE_CUT,
        [IA_MOCK_FAULT_RESET] = IA_MOCK_STRIKE_RESET,
        [IA_MOCK_FAULT_STALL] = IA_MOCK_STRIKE_STALL,
        [IA_MOCK_FAULT_GARBAGE] = IA_MOCK_STRIKE_NONE,
    };
    split_plain(&r->body);
    size_t last = r->body.frames > 0 ? r->body.frames - 1 : 0;
    size_t frame = (uint64_t)f->frame < last ? (size_t)f->frame : last;
    if (f->kind == IA_MOCK_FAULT_ERROR_EVENT || f->kind == IA_MOCK_FAULT_GARBAGE) {
        ia_mock_stream_cut(&r->body, frame);
        if (f->kind == IA_MOCK_FAULT_GARBAGE) {
            ia_mock_stream_garbage(&r->body);
        } else {
            ia_mock_stream_error(&r->body, f->type, STRUCK);
        }
        return;
    }
    r->strike = strikes[f->kind];
    r->strike_at = frame > 0 ? r->body.ends[frame - 1] : 0;
    r->stall_ms = f->stall_ms;
}

static uint64_t scope_of(const struct ia_mock_headers *h, const struct ia_mock_model *model)
{
    const char *key = h->api_key ? h->api_key : h->authorization ? h->authorization : "";
    uint64_t scope = ia_hash(IA_HASH_SEED, key, strlen(key));
    return ia_hash(scope, model->id, strlen(model->id));
}

static uint64_t seed_for(const struct ia_mock_core *c, uint64_t more)
{
    return c->seed ? c->seed ^ more * UINT64_C(0x9e3779b97f4a7c15)
                   : ia_rand_next(ia_rand_system());
}

static bool check_length(struct job *j, struct ia_mock_reject *reject)
{
    int64_t tokens = ia_mock_digest_tokens(&j->digest);
    return tokens <= j->req.model->context_tokens ||
           ia_mock_refuse(reject, "prompt_too_long",
                          "prompt is too long: %lld tokens > %lld maximum", (long long)tokens,
                          (long long)j->req.model->context_tokens);
}

/* Parses and checks; fills req and digest. */
static bool admit(struct job *j, const struct ia_mock_headers *h, struct ia_str body,
                  bool count_only, struct ia_mock_reject *reject)
{
    if (!ia_mock_check_headers(h, j->c->key, true, reject) ||
        !ia_mock_request_parse(body, h, count_only, &j->req, reject)) {
        return false;
    }
    j->req.resumes_pause = ia_mock_sent_was_paused(j->c->sent, &j->req);
    if (!ia_mock_check_request(&j->req, reject)) {
        return false;
    }
    ia_mock_digest_init(&j->digest, &j->req);
    return ia_mock_check_thinking(j->c->sent, &j->req, &j->digest, reject) &&
           check_length(j, reject);
}

static bool make_answer(struct job *j, struct ia_mock_reject *reject)
{
    bool ok = true;
    if (j->req.max_tokens == 0) {
        snprintf(j->answer.stop_reason, sizeof(j->answer.stop_reason), "max_tokens");
    } else if (j->req.compaction) {
        ia_mock_compaction_answer(&j->req, &j->answer);
    } else if (j->c->brain == IA_MOCK_SCRIPT) {
        ok = ia_script_answer(j->c->script, &j->req, &j->answer, reject);
        if (!ok) {
            (void)ia_mock_stats_add(j->c->stats, IA_MOCK_UNMATCHED);
        }
    } else {
        ia_brain_answer(&j->req, &j->answer);
    }
    return ok;
}

static void remember(struct job *j)
{
    size_t n = json_array_size(j->answer.content);
    struct ia_mock_block *blocks = ia_calloc(n + 1, sizeof(*blocks));
    for (size_t i = 0; i < n; i++) {
        const json_t *block = json_array_get(j->answer.content, i);
        const char *type = ia_mock_str(block, "type");
        bool text = strcmp(type, "text") == 0;
        blocks[i] =
            (struct ia_mock_block){type, block, text ? ia_mock_str(block, "text") : NULL};
    }
    struct ia_mock_turn turn = {IA_MOCK_ASSISTANT, blocks, n};
    ia_mock_sent_turn(j->c->sent, &turn, strcmp(j->answer.stop_reason, "pause_turn") == 0);
    free(blocks);
}

static void reply_answer(struct job *j)
{
    struct ia_mock_core *c = j->c;
    int64_t now = ia_mono_us(ia_clock_system());
    uint64_t scope = scope_of(j->req.headers, j->req.model);
    uint64_t bind =
        ia_mock_digest_before(&j->digest, j->digest.count - j->digest.first_message);
    const char *model = ia_mock_str(j->req.root, "model");
    j->rand_state = seed_for(c, bind);
    j->rand = ia_rand_seeded(&j->rand_state);
    ia_mock_answer_seal(&j->answer, j->req.model, bind, &j->rand);
    remember(j);
    /* Planned here and committed at the end: the usage counts what earlier requests wrote,
     * and this one writes only once its answer begins. */
    ia_mock_cache_plan(c->cache, scope, &j->digest, j->req.model->min_cacheable, now,
                       &j->usage);
    j->usage.output = ia_mock_answer_tokens(&j->answer);
    if (j->req.compaction) {
        ia_mock_compaction_usage(&j->answer, &j->usage);
    }
    j->reply->status = 200;
    j->reply->latency_ms = c->latency_ms + j->answer.latency_ms;
    if (j->req.stream) {
        j->reply->content_type = "text/event-stream; charset=utf-8";
        j->reply->pace_ms = c->pace_ms;
        ia_mock_emit_stream(&j->reply->body, &j->answer, model, &j->usage, &j->rand);
    } else {
        struct ia_buf b = IA_BUF(IA_MOCK_STREAM_MAX);
        ia_mock_emit_message(&b, &j->answer, model, &j->usage, &j->rand);
        set_body(j->reply, 200, "application/json", ia_buf_cstr(&b));
        ia_buf_fini(&b);
    }
    ia_mock_cache_commit(c->cache, scope, &j->digest, j->req.model->min_cacheable, now);
}

static void count_answer(struct job *j)
{
    (void)ia_mock_stats_add(j->c->stats, IA_MOCK_ANSWERED);
    if (j->req.stream) {
        (void)ia_mock_stats_add(j->c->stats, IA_MOCK_STREAMS);
    }
    ia_mock_stats_tokens(j->c->stats, &j->usage, !j->fault);
}

static void job_fini(struct job *j)
{
    ia_mock_answer_fini(&j->answer);
    ia_mock_digest_fini(&j->digest);
    ia_mock_request_fini(&j->req);
}

static void answer_messages(struct ia_mock_core *c, const struct ia_mock_headers *h,
                            struct ia_str body, struct ia_mock_reply *r)
{
    struct ia_mock_reject reject;
    struct job j = {.c = c, .reply = r};
    int64_t number = ia_mock_stats_add(c->stats, IA_MOCK_MESSAGES);
    keep_body(c, body);
    /* By the request's number and before its content is looked at, so that a fault strikes
     * whatever is sent. */
    j.fault = ia_mock_faults_pick(&c->faults, number, seed_for(c, (uint64_t)number));
    if (j.fault) {
        ia_mock_stats_fault(c->stats, j.fault->name);
        if (strike_answer(r, j.fault)) {
            return;
        }
    }
    ia_mock_answer_init(&j.answer);
    if (!admit(&j, h, body, false, &reject) || !make_answer(&j, &reject)) {
        reply_refused(c, r, &reject);
    } else {
        reply_answer(&j);
        count_answer(&j);
        if (j.fault && j.fault->kind == IA_MOCK_FAULT_ERROR_EVENT && !j.req.stream) {
            /* Without events, that error is the answer. */
            reply_error(r, ia_mock_error_status(j.fault->type), STRUCK, NULL);
        } else if (j.fault) {
            strike_stream(r, j.fault);
        }
    }
    job_fini(&j);
}

static void answer_count_tokens(struct ia_mock_core *c, const struct ia_mock_headers *h,
                                struct ia_str body, struct ia_mock_reply *r)
{
    struct ia_mock_reject reject;
    struct job j = {.c = c, .reply = r};
    (void)ia_mock_stats_add(c->stats, IA_MOCK_COUNT_TOKENS);
    ia_mock_answer_init(&j.answer);
    if (!admit(&j, h, body, true, &reject)) {
        reply_refused(c, r, &reject);
    } else {
        char text[64];
        snprintf(text, sizeof(text), "{\"input_tokens\":%lld}",
                 (long long)ia_mock_digest_tokens(&j.digest));
        set_body(r, 200, "application/json", text);
    }
    job_fini(&j);
}

static void answer_models(struct ia_mock_core *c, const struct ia_mock_headers *h,
                          const char *id, struct ia_mock_reply *r)
{
    struct ia_mock_reject reject;
    struct ia_buf b = IA_BUF(1 << 16);
    (void)ia_mock_stats_add(c->stats, IA_MOCK_MODELS);
    if (!ia_mock_check_headers(h, c->key, false, &reject) ||
        !ia_mock_model_list_write(h, id, &b, &reject)) {
        reply_refused(c, r, &reject);
    } else {
        set_body(r, 200, "application/json", ia_buf_cstr(&b));
    }
    ia_buf_fini(&b);
}

static void answer_get(struct ia_mock_core *c, const char *path,
                       const struct ia_mock_headers *h, struct ia_mock_reply *r)
{
    static const char models[] = "/v1/models";
    size_t n = sizeof(models) - 1;
    if (strcmp(path, "/health") == 0) {
        set_body(r, 200, "application/json",
                 c->brain == IA_MOCK_SCRIPT ? "{\"status\":\"ok\",\"brain\":\"script\"}"
                                            : "{\"status\":\"ok\",\"brain\":\"demo\"}");
    } else if (strncmp(path, models, n) == 0 && (path[n] == '\0' || path[n] == '/')) {
        answer_models(c, h, path + n, r);
    } else if (strcmp(path, "/v1/messages") == 0 ||
               strcmp(path, "/v1/messages/count_tokens") == 0) {
        reply_error(r, 405, "Method Not Allowed", NULL);
    } else {
        reply_error(r, 404, "Not found", NULL);
    }
}

static void answer_post(struct ia_mock_core *c, const char *path,
                        const struct ia_mock_headers *h, struct ia_str body, bool too_large,
                        struct ia_mock_reply *r)
{
    bool messages = strcmp(path, "/v1/messages") == 0;
    if (!messages && strcmp(path, "/v1/messages/count_tokens") != 0) {
        reply_error(r, 404, "Not found", NULL);
        return;
    }
    if (too_large) {
        struct ia_mock_reject reject;
        (void)ia_mock_refuse_as(&reject, 413, "body_too_large",
                                "Request exceeds the maximum size of %zu bytes",
                                IA_MOCK_BODY_MAX);
        reply_refused(c, r, &reject);
        return;
    }
    /* Only what parses bodies takes a worker's place; the rest is answered at once. */
    enter(c);
    if (messages) {
        answer_messages(c, h, body, r);
    } else {
        answer_count_tokens(c, h, body, r);
    }
    leave(c);
}

void ia_mock_core_answer(struct ia_mock_core *c, const char *method, const char *path,
                         const struct ia_mock_headers *h, struct ia_str body, bool too_large,
                         struct ia_mock_reply *ret)
{
    *ret = (struct ia_mock_reply){.stall_ms = -1};
    ia_mock_stream_init(&ret->body);
    int64_t number = ia_mock_stats_add(c->stats, IA_MOCK_REQUESTS);
    uint64_t state = seed_for(c, (uint64_t)number);
    struct ia_rand rand = ia_rand_seeded(&state);
    ia_mock_id(&rand, "req_", ret->request_id);
    ret->seed = ia_rand_next(&rand);
    if (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0) {
        answer_get(c, path, h, ret);
    } else if (strcmp(method, "POST") == 0) {
        answer_post(c, path, h, body, too_large, ret);
    } else {
        bool known = strcmp(path, "/v1/messages") == 0 || strcmp(path, "/v1/models") == 0;
        reply_error(ret, known ? 405 : 404, known ? "Method Not Allowed" : "Not found", NULL);
    }
}
