/* stats.c: counters under one lock. Names are static texts of rules and faults, so a table of
 * NAMES_MAX rows holds them all. */
#include "mock/server/stats.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 96 };

struct tally {
    struct {
        const char *name;
        int64_t n;
    } rows[NAMES_MAX];
    size_t count;
};

struct ia_mock_stats {
    pthread_mutex_t lock;
    int64_t counts[IA_MOCK_COUNTS];
    struct tally rejected;
    struct tally faults;
    struct ia_mock_usage tokens, delivered;
    int64_t connections_now;
    int64_t connections_most;
};

struct ia_mock_stats *ia_mock_stats_new(void)
{
    struct ia_mock_stats *s = ia_calloc(1, sizeof(*s));
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void ia_mock_stats_free(struct ia_mock_stats *s)
{
    if (s) {
        pthread_mutex_destroy(&s->lock);
        free(s);
    }
}

int64_t ia_mock_stats_add(struct ia_mock_stats *s, enum ia_mock_count what)
{
    pthread_mutex_lock(&s->lock);
    int64_t n = ++s->counts[what];
    pthread_mutex_unlock(&s->lock);
    return n;
}

static void tally(struct ia_mock_stats *s, struct tally *t, const char *name)
{
    pthread_mutex_lock(&s->lock);
    size_t i = 0;
    while (i < t->count && strcmp(t->rows[i].name, name) != 0) {
        i++;
    }
    if (i < NAMES_MAX) {
        t->rows[i].name = name;
        t->rows[i].n++;
        t->count = i == t->count ? i + 1 : t->count;
    }
    pthread_mutex_unlock(&s->lock);
}

void ia_mock_stats_rejected(struct ia_mock_stats *s, const char *name)
{
    tally(s, &s->rejected, name);
}

void ia_mock_stats_fault(struct ia_mock_stats *s, const char *name)
{
    tally(s, &s->faults, name);
}

static void add_usage(struct ia_mock_usage *to, const struct ia_mock_usage *u)
{
    to->input += u->input;
    to->cache_read += u->cache_read;
    to->cache_5m += u->cache_5m;
    to->cache_1h += u->cache_1h;
    to->output += u->output;
}

void ia_mock_stats_tokens(struct ia_mock_stats *s, const struct ia_mock_usage *u,
                          bool delivered)
{
    pthread_mutex_lock(&s->lock);
    add_usage(&s->tokens, u);
    if (delivered) {
        add_usage(&s->delivered, u);
    }
    pthread_mutex_unlock(&s->lock);
}

void ia_mock_stats_connection(struct ia_mock_stats *s, int by)
{
    pthread_mutex_lock(&s->lock);
    s->connections_now += by;
    if (s->connections_now > s->connections_most) {
        s->connections_most = s->connections_now;
    }
    pthread_mutex_unlock(&s->lock);
}

static void write_tally(struct ia_jsonw *w, const char *key, const struct tally *t)
{
    ia_jsonw_key(w, key);
    ia_jsonw_object(w);
    for (size_t i = 0; i < t->count; i++) {
        ia_jsonw_kv_int(w, t->rows[i].name, t->rows[i].n);
    }
    ia_jsonw_end_object(w);
}

static void write_usage(struct ia_jsonw *w, const char *key, const struct ia_mock_usage *u)
{
    ia_jsonw_key(w, key);
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "input", u->input);
    ia_jsonw_kv_int(w, "cache_read", u->cache_read);
    ia_jsonw_kv_int(w, "cache_creation", u->cache_5m + u->cache_1h);
    ia_jsonw_kv_int(w, "output", u->output);
    ia_jsonw_end_object(w);
}

void ia_mock_stats_write(struct ia_mock_stats *s, struct ia_jsonw *w)
{
    static const char *const names[IA_MOCK_COUNTS] = {
        "requests", "messages", "count_tokens", "models", "answered", "streams", "unmatched"};
    pthread_mutex_lock(&s->lock);
    ia_jsonw_object(w);
    for (size_t i = 0; i < IA_MOCK_COUNTS; i++) {
        ia_jsonw_kv_int(w, names[i], s->counts[i]);
    }
    write_tally(w, "rejected", &s->rejected);
    write_tally(w, "faults", &s->faults);
    write_usage(w, "tokens", &s->tokens);
    write_usage(w, "delivered", &s->delivered);
    ia_jsonw_key(w, "connections");
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "now", s->connections_now);
    ia_jsonw_kv_int(w, "most", s->connections_most);
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
    pthread_mutex_unlock(&s->lock);
}
