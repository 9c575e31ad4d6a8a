/* cache.h: the prompt cache: which prefixes were seen, for which key and model, until when.
 *
 * Rules (documentation of prompt caching, 2026-10-10): an entry is written at every breakpoint
 * once the answer begins; a breakpoint finds the longest entry among the 20 blocks that end
 * with its own; a prefix shorter than the model's minimum is not cached; a hit renews the
 * entry; 5-minute and 1-hour entries. Memory is bounded: old entries give way. Thread-safe. */
#ifndef IA_MOCK_API_CACHE_H
#define IA_MOCK_API_CACHE_H

#include "mock/api/digest.h"

enum { IA_MOCK_LOOKBACK = 20, IA_MOCK_CACHE_ENTRIES = 1 << 16 };

struct ia_mock_usage {
    int64_t input;
    int64_t cache_read;
    int64_t cache_5m;
    int64_t cache_1h;
    int64_t output;
};

struct ia_mock_cache;

struct ia_mock_cache *ia_mock_cache_new(void);
void ia_mock_cache_free(struct ia_mock_cache *c);
/* What this request would read and write, input counters only. scope stands for key and model;
 * min is the model's smallest cacheable prefix in tokens; now_us is monotonic. */
void ia_mock_cache_plan(struct ia_mock_cache *c, uint64_t scope, const struct ia_mock_digest *d,
                        int min, int64_t now_us, struct ia_mock_usage *ret);
/* Writes the entries of the request's breakpoints. */
void ia_mock_cache_commit(struct ia_mock_cache *c, uint64_t scope,
                          const struct ia_mock_digest *d, int min, int64_t now_us);

#endif
