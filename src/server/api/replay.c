/* replay.c: a list of answers in the order in which their requests came, the newest first.
 *
 * A client that lost its connection cannot know whether its tap was done. It sends the request again
 * with the same id, and gets what the first one got. */
#include "server/api/replay.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_US = 20000, US_PER_S = 1000000 };

struct kept {
    struct kept *next, *older, *newer; /* next: of the same bucket */
    char id[IA_REPLAY_ID_BYTES_MAX + 1];
    uint64_t what;
    int64_t began_us;
    bool done, whole; /* whole: the answer is kept, too */
    int status;
    const char *content_type; /* a literal, as every type that this program sends */
    char *headers, *body;
    size_t body_bytes;
};

enum { BUCKETS = 1024 };
struct ia_replay {
    const struct ia_clock *clock;
    pthread_mutex_t mutex;
    struct kept *buckets[BUCKETS];
    struct kept *newest, *oldest;
    size_t count, bytes;
};

struct ia_replay *ia_replay_new(const struct ia_clock *clock)
{
    struct ia_replay *r = ia_calloc(1, sizeof(*r));
    r->clock = clock ? clock : ia_clock_system();
    pthread_mutex_init(&r->mutex, NULL);
    return r;
}

static struct kept **bucket_of(struct ia_replay *r, const char *id)
{
    size_t h = 5381;
    for (; *id != '\0'; id++) {
        h = h * 33 + (unsigned char)*id;
    }
    return &r->buckets[h % BUCKETS];
}

static struct kept *find(struct ia_replay *r, const char *id)
{
    struct kept *k = *bucket_of(r, id);
    while (k && strcmp(k->id, id) != 0) {
        k = k->next;
    }
    return k;
}

static void drop(struct ia_replay *r, struct kept *k)
{
    struct kept **at = bucket_of(r, k->id);
    while (*at && *at != k) {
        at = &(*at)->next;
    }
    *at = k->next;
    struct kept **newer = k->newer ? &k->newer->older : &r->newest;
    struct kept **older = k->older ? &k->older->newer : &r->oldest;
    *newer = k->older;
    *older = k->newer;
    r->count--;
    r->bytes -= k->body_bytes;
    free(k->headers);
    free(k->body);
    free(k);
}

void ia_replay_free(struct ia_replay *r)
{
    if (r) {
        while (r->oldest) {
            drop(r, r->oldest);
        }
        pthread_mutex_destroy(&r->mutex);
        free(r);
    }
}

/* What is still being done stays, however old it is: its repeat would act. */
static void trim(struct ia_replay *r)
{
    int64_t until = ia_mono_us(r->clock) - (int64_t)IA_REPLAY_KEPT_S * US_PER_S;
    for (struct kept *k = r->oldest; k;) {
        struct kept *newer = k->newer;
        bool many = r->count > IA_REPLAY_ANSWERS_MAX || r->bytes > IA_REPLAY_BYTES_MAX;
        if (k->began_us > until && !many) {
            break;
        }
        if (k->done) {
            drop(r, k);
        }
        k = newer;
    }
}

static void add(struct ia_replay *r, const char *id, uint64_t what)
{
    struct kept *k = ia_calloc(1, sizeof(*k));
    struct kept **bucket = bucket_of(r, id);
    memcpy(k->id, id, strnlen(id, sizeof(k->id) - 1));
    k->what = what;
    k->began_us = ia_mono_us(r->clock);
    k->next = *bucket;
    *bucket = k;
    k->older = r->newest;
    *(r->newest ? &r->newest->newer : &r->oldest) = k;
    r->newest = k;
    r->count++;
    trim(r);
}

static enum ia_rc gone(struct ia_err *err)
{
    (void)ia_err_set(err, IA_E_STATE, "this request was done, and its answer was not kept");
    ia_err_hint(err, "look at what it did");
    err->outcome = IA_OUTCOME_SENT;
    return IA_E_STATE;
}

static enum ia_rc copy(const struct kept *k, struct ia_http_reply *reply, struct ia_err *err)
{
    if (!k->whole) {
        return gone(err);
    }
    reply->status = k->status;
    reply->content_type = k->content_type;
    ia_buf_put(&reply->body, k->body, k->body_bytes);
    ia_buf_puts(&reply->headers, k->headers);
    return IA_OK;
}

/* Nobody is told when an answer comes: repeats of what is in hand are too rare for that. */
static struct kept *wait_for(struct ia_replay *r, const char *id, int64_t deadline_us)
{
    struct kept *k = find(r, id);
    while (k && !k->done && ia_mono_us(r->clock) < deadline_us) {
        pthread_mutex_unlock(&r->mutex);
        (void)ia_clock_wait(r->clock, NULL, ia_mono_us(r->clock) + WAIT_US);
        pthread_mutex_lock(&r->mutex);
        k = find(r, id);
    }
    return k;
}

enum ia_rc ia_replay_begin(struct ia_replay *r, const char *id, uint64_t what,
                           int64_t deadline_us, enum ia_replay_turn *ret,
                           struct ia_http_reply *reply, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    pthread_mutex_lock(&r->mutex);
    trim(r);
    bool known = find(r, id) != NULL;
    const struct kept *k = wait_for(r, id, deadline_us);
    *ret = known ? IA_REPLAY_AGAIN : IA_REPLAY_FIRST;
    if (!known) {
        add(r, id, what);
    } else if (!k) {
        rc = gone(err);
    } else if (k->what != what) {
        rc = ia_err_set(err, IA_E_USAGE, "another request had the same Ios-Agent-Request-Id");
        err->outcome = IA_OUTCOME_NOT_SENT;
    } else if (!k->done) {
        rc = ia_err_set(err, IA_E_TIMEOUT, "the same request is still being done");
        err->outcome = IA_OUTCOME_UNKNOWN;
    } else {
        rc = copy(k, reply, err);
    }
    pthread_mutex_unlock(&r->mutex);
    return rc;
}

void ia_replay_end(struct ia_replay *r, const char *id, const struct ia_http_reply *reply)
{
    pthread_mutex_lock(&r->mutex);
    struct kept *k = find(r, id);
    if (k) {
        k->done = true;
        k->whole = !reply->stream && reply->body.len <= IA_REPLAY_ANSWER_BYTES_MAX;
        k->status = reply->status;
        k->content_type = reply->content_type;
        k->headers = ia_strdup(ia_buf_cstr(&reply->headers));
        if (k->whole && reply->body.len > 0) {
            k->body = ia_alloc(reply->body.len);
            memcpy(k->body, reply->body.p, reply->body.len);
            k->body_bytes = reply->body.len;
            r->bytes += k->body_bytes;
        }
    }
    trim(r);
    pthread_mutex_unlock(&r->mutex);
}
