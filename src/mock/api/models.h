/* models.h: what each model accepts, as far as requests are checked against it.
 *
 * The double has its own table, so that a mistake in the client's data file shows. Source:
 * platform documentation of 2026-08-22 and 2026-10-10. */
#ifndef IA_MOCK_API_MODELS_H
#define IA_MOCK_API_MODELS_H

#include "base/base.h"

/* thinking.type values that are answered with 400. */
enum { IA_MOCK_NO_ENABLED = 1, IA_MOCK_NO_DISABLED = 2, IA_MOCK_NO_ADAPTIVE = 4 };

struct ia_mock_model {
    const char *id;
    const char *name;
    int64_t context_tokens;
    int64_t output_tokens;
    int min_cacheable;    /* tokens; a shorter prefix is silently not cached */
    unsigned no_thinking; /* IA_MOCK_NO_* */
    bool forced_choice;   /* tool_choice any and tool are accepted */
    bool prefill;         /* the last message may be the assistant's */
    bool system_role;     /* messages with role system are accepted */
    bool bound;           /* signatures of thinking are bound to the conversation before them */
    bool between_tools;   /* thinking.type between_tools is accepted */
    bool high_res;        /* images keep up to 2576 px instead of 1568 */
    bool compaction;      /* summarizes a conversation on demand */
};

/* The model with that id, with or without a date ("-20251001") after it; NULL when unknown. */
const struct ia_mock_model *ia_mock_model_find(const char *id);
/* Every model, newest first; NULL beyond the end. */
const struct ia_mock_model *ia_mock_model_at(size_t i);

#endif
