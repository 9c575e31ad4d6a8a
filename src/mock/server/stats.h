/* stats.h: what the double counted since its start. Thread-safe. */
#ifndef IA_MOCK_SERVER_STATS_H
#define IA_MOCK_SERVER_STATS_H

#include "base/jsonw.h"
#include "mock/api/cache.h"

enum ia_mock_count {
    IA_MOCK_REQUESTS,
    IA_MOCK_MESSAGES,
    IA_MOCK_COUNT_TOKENS,
    IA_MOCK_MODELS,
    IA_MOCK_ANSWERED,
    IA_MOCK_STREAMS,
    IA_MOCK_UNMATCHED,
    IA_MOCK_COUNTS
};

struct ia_mock_stats;

struct ia_mock_stats *ia_mock_stats_new(void);
void ia_mock_stats_free(struct ia_mock_stats *s);
/* Adds one and returns the new value. */
int64_t ia_mock_stats_add(struct ia_mock_stats *s, enum ia_mock_count what);
/* name must be static. */
void ia_mock_stats_rejected(struct ia_mock_stats *s, const char *name);
void ia_mock_stats_fault(struct ia_mock_stats *s, const char *name);
/* delivered: no fault broke the answer, so that the client can know what it used. */
void ia_mock_stats_tokens(struct ia_mock_stats *s, const struct ia_mock_usage *u,
                          bool delivered);
/* by is 1 or -1. */
void ia_mock_stats_connection(struct ia_mock_stats *s, int by);
/* The object of ia_mock_stats_json. */
void ia_mock_stats_write(struct ia_mock_stats *s, struct ia_jsonw *w);

#endif
