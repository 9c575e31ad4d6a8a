/* models.h: limits and prices of models, from a data file.
 *
 * A model that is not in the table, or has no price there, has an unknown cost, never 0. */
#ifndef IA_AGENT_CLAUDE_MODELS_H
#define IA_AGENT_CLAUDE_MODELS_H

#include "agent/claude/message.h"
#include "base/err.h"

#define IA_MODELS_FILE_MAX ((size_t)1 << 20)
/* Of one search of the service's web search tool, which is billed beside the tokens: $10 for 1,000.
 * Source: the platform's page on pricing, 2026-10. */
#define IA_WEB_SEARCH_USD 0.01
enum { IA_MODELS_MAX = 256, IA_MODEL_BANDS_MAX = 4 };

/* USD per million tokens, for prompts up to max_prompt_tokens. */
struct ia_price {
    int64_t max_prompt_tokens; /* INT64_MAX for the last band */
    double input, write_5m, write_1h, read, output;
};

struct ia_model {
    char id[64];
    int64_t context_tokens; /* 0 unknown */
    int64_t max_output_tokens;
    int64_t min_cacheable_tokens;
    bool signature_bound; /* thinking is bound to the bytes before it: never edit history */
    bool high_res;        /* images up to 2576 px instead of 1568 */
    bool compaction;      /* summarizes a conversation on demand */
    int band_count;       /* 0: price unknown */
    struct ia_price bands[IA_MODEL_BANDS_MAX];
};

struct ia_models;

/* Reads a table; path NULL: the one compiled in. Errors name the file and the place. */
enum ia_rc ia_models_load(const char *path, struct ia_models **ret, struct ia_err *err);
/* The same from text. */
enum ia_rc ia_models_parse(struct ia_str json, const char *name, struct ia_models **ret,
                           struct ia_err *err);
void ia_models_free(struct ia_models *m);
/* By id, also with a trailing date ("claude-haiku-4-5-20251001"). NULL when unknown. */
const struct ia_model *ia_models_find(const struct ia_models *m, const char *id);
/* The one after m, the first for NULL; NULL after the last. */
const struct ia_model *ia_models_next(const struct ia_models *all, const struct ia_model *m);
/* The closest known id to a mistyped one, or NULL. */
const char *ia_models_nearest(const struct ia_models *m, const char *id);

/* What a call cost, with its web searches. Sums over usage.iterations, unless they say less than the
 * whole. False: unknown. */
bool ia_models_cost(const struct ia_models *m, const char *model,
                    const struct ia_claude_usage *usage, double *ret_usd);
/* What the next call of a conversation is likely to cost at most: everything the last call saw
 * or said is read from the cache (last NULL: there is none), added_tokens are new,
 * output_tokens come back. False: unknown. */
bool ia_models_project(const struct ia_models *m, const char *model,
                       const struct ia_claude_usage *last, int64_t added_tokens,
                       int64_t output_tokens, double *ret_usd);

struct ia_image_size {
    int width_px, height_px; /* as the model sees it */
    int tokens;
};
/* How an image of that size is scaled by the API and what it costs: long edge at most 1568 px
 * and 1568 tokens, or 2576 px and 4784 tokens where high_res. Sizes are at least 1. */
struct ia_image_size ia_image_tokens(int width_px, int height_px, bool high_res);

#endif
