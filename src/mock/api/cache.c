/* cache.c: the prompt cache as a set-associative table: SETS sets of WAYS entries, each the hash of
 * a prefix with its time of expiry. A full set gives up the entry that expires first.
 *
 *     marks        0   1   2   3   4   5   6        one per block, in prefix order
 *     breakpoints          ▲               ▲
 *     look back    ◄── 20 marks from each: the longest prefix with a live entry is read
 *     write                └── entry       └── entry, once the answer begins
 *
 *     tokens   0 ────────── read ────────── written for 1 h ────── written for 5 min ──── input */
#include "mock/api/cache.h"

#include "base/hash.h"

#include <pthread.h>
#include <stdlib.h>

enum { WAYS = 8, SETS = IA_MOCK_CACHE_ENTRIES / WAYS };
#define TTL_5M_US (INT64_C(5) * 60 * 1000000)
#define TTL_1H_US (INT64_C(60) * 60 * 1000000)

struct entry {
    uint64_t key; /* 0: free */
    int64_t expires_us;
    int64_t ttl_us;
};

struct ia_mock_cache {
    pthread_mutex_t lock;
    struct entry sets[SETS][WAYS];
};

struct ia_mock_cache *ia_mock_cache_new(void)
{
    struct ia_mock_cache *c = ia_calloc(1, sizeof(*c));
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void ia_mock_cache_free(struct ia_mock_cache *c)
{
    if (c) {
        pthread_mutex_destroy(&c->lock);
        free(c);
    }
}

static uint64_t key_of(uint64_t scope, const struct ia_mock_mark *m)
{
    uint64_t key = ia_hash(scope, &m->cache, sizeof(m->cache));
    /* 0 marks a free entry. */
    return key ? key : 1;
}

static struct entry *find(struct ia_mock_cache *c, uint64_t key, int64_t now_us)
{
    struct entry *set = c->sets[key % SETS];
    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].key == key && set[i].expires_us > now_us) {
            return &set[i];
        }
    }
    return NULL;
}

static void put(struct ia_mock_cache *c, uint64_t key, int64_t ttl_us, int64_t now_us)
{
    struct entry *set = c->sets[key % SETS];
    struct entry *slot = find(c, key, now_us);
    for (size_t i = 0; !slot && i < WAYS; i++) {
        slot = set[i].key == key ? &set[i] : NULL;
    }
    if (!slot) {
        slot = &set[0];
        for (size_t i = 1; i < WAYS; i++) {
            slot = set[i].expires_us < slot->expires_us ? &set[i] : slot;
        }
    }
    *slot = (struct entry){key, now_us + ttl_us, ttl_us};
}

/* The longest prefix that a breakpoint at index i finds, as its index + 1; 0 for none. */
static size_t look_back(struct ia_mock_cache *c, uint64_t scope, const struct ia_mock_digest *d,
                        size_t i, int min, int64_t now_us)
{
    for (size_t n = 0; n < IA_MOCK_LOOKBACK && n <= i; n++) {
        const struct ia_mock_mark *m = &d->marks[i - n];
        struct entry *e = m->tokens >= min ? find(c, key_of(scope, m), now_us) : NULL;
        if (e) {
            /* A read renews the entry. */
            e->expires_us = now_us + e->ttl_us;
            return i - n + 1;
        }
    }
    return 0;
}

static size_t longest_hit(struct ia_mock_cache *c, uint64_t scope,
                          const struct ia_mock_digest *d, int min, int64_t now_us)
{
    size_t best = 0;
    pthread_mutex_lock(&c->lock);
    /* A breakpoint before the best hit cannot find a longer prefix. */
    for (size_t i = d->count; i > best; i--) {
        if (d->marks[i - 1].ttl) {
            size_t hit = look_back(c, scope, d, i - 1, min, now_us);
            best = hit > best ? hit : best;
        }
    }
    pthread_mutex_unlock(&c->lock);
    return best;
}

/* Tokens of the prefix that ends with the last breakpoint of at least that ttl, or 0. */
static int64_t written_to(const struct ia_mock_digest *d, enum ia_mock_ttl ttl, int min)
{
    for (size_t i = d->count; i > 0; i--) {
        if (d->marks[i - 1].ttl >= ttl) {
            return d->marks[i - 1].tokens >= min ? d->marks[i - 1].tokens : 0;
        }
    }
    return 0;
}

void ia_mock_cache_plan(struct ia_mock_cache *c, uint64_t scope, const struct ia_mock_digest *d,
                        int min, int64_t now_us, struct ia_mock_usage *ret)
{
    size_t hit = longest_hit(c, scope, d, min, now_us);
    int64_t read = hit ? d->marks[hit - 1].tokens : 0;
    int64_t to_1h = written_to(d, IA_MOCK_TTL_1H, min);
    int64_t to_5m = written_to(d, IA_MOCK_TTL_5M, min);
    /* The three parts follow each other in the prompt, so none may begin before the one
     * before it ends. */
    to_1h = to_1h > read ? to_1h : read;
    to_5m = to_5m > to_1h ? to_5m : to_1h;
    *ret = (struct ia_mock_usage){
        .input = ia_mock_digest_tokens(d) - to_5m,
        .cache_read = read,
        .cache_1h = to_1h - read,
        .cache_5m = to_5m - to_1h,
    };
}

void ia_mock_cache_commit(struct ia_mock_cache *c, uint64_t scope,
                          const struct ia_mock_digest *d, int min, int64_t now_us)
{
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < d->count; i++) {
        const struct ia_mock_mark *m = &d->marks[i];
        if (m->ttl && m->tokens >= min) {
            put(c, key_of(scope, m), m->ttl == IA_MOCK_TTL_1H ? TTL_1H_US : TTL_5M_US, now_us);
        }
    }
    pthread_mutex_unlock(&c->lock);
}
