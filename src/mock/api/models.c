/* models.c: the table, in three families: what one generation has in common is said once. */
#include "mock/api/models.h"

#include <string.h>

enum { K200 = 200000, M1 = 1000000, OUT64 = 64000, OUT128 = 128000, DATE_DIGITS = 8 };
enum { NE = IA_MOCK_NO_ENABLED, ND = IA_MOCK_NO_DISABLED, NA = IA_MOCK_NO_ADAPTIVE };

#define NEW(row_id, row_name, min, no, choice, between)                                        \
    {                                                                                          \
        .id = (row_id), .name = (row_name), .context_tokens = M1, .output_tokens = OUT128,     \
        .min_cacheable = (min), .no_thinking = (no), .forced_choice = (choice),                \
        .system_role = true, .bound = true, .between_tools = (between), .high_res = true,      \
        .compaction = true                                                                     \
    }
#define MID(row_id, row_name, min, no, sys, high)                                              \
    {                                                                                          \
        .id = (row_id), .name = (row_name), .context_tokens = M1, .output_tokens = OUT128,     \
        .min_cacheable = (min), .no_thinking = (no), .forced_choice = true,                    \
        .system_role = (sys), .high_res = (high), .compaction = true                           \
    }
#define OLD(row_id, row_name, min)                                                             \
    {                                                                                          \
        .id = (row_id), .name = (row_name), .context_tokens = K200, .output_tokens = OUT64,    \
        .min_cacheable = (min), .no_thinking = NA, .forced_choice = true, .prefill = true,     \
        .system_role = true                                                                    \
    }

static const struct ia_mock_model models[] = {
    NEW("claude-fable-5-1", "Claude Fable 5.1", 512, NE | ND, false, false),
    NEW("claude-mythos-5-1", "Claude Mythos 5.1", 512, NE | ND, false, false),
    NEW("claude-opus-5-5", "Claude Opus 5.5", 512, NE | ND, false, false),
    NEW("claude-sonnet-5-5", "Claude Sonnet 5.5", 512, NE | ND, false, true),
    NEW("claude-haiku-5-5", "Claude Haiku 5.5", 512, NE, true, false),
    MID("claude-fable-5", "Claude Fable 5", 512, NE | ND, true, true),
    MID("claude-mythos-5", "Claude Mythos 5", 512, NE | ND, true, true),
    MID("claude-opus-5", "Claude Opus 5", 512, NE, true, true),
    MID("claude-sonnet-5", "Claude Sonnet 5", 1024, NE, false, true),
    MID("claude-opus-4-8", "Claude Opus 4.8", 1024, NE, true, true),
    MID("claude-opus-4-7", "Claude Opus 4.7", 2048, NE, true, true),
    MID("claude-opus-4-6", "Claude Opus 4.6", 4096, 0, true, false),
    MID("claude-sonnet-4-6", "Claude Sonnet 4.6", 1024, 0, true, false),
    OLD("claude-opus-4-5", "Claude Opus 4.5", 4096),
    OLD("claude-sonnet-4-5", "Claude Sonnet 4.5", 1024),
    OLD("claude-haiku-4-5", "Claude Haiku 4.5", 4096),
};

static bool is_date_suffix(const char *s)
{
    return s[0] == '-' && strlen(s) == DATE_DIGITS + 1 &&
           strspn(s + 1, "0123456789") == DATE_DIGITS;
}

const struct ia_mock_model *ia_mock_model_find(const char *id)
{
    for (size_t i = 0; id && i < IA_COUNTOF(models); i++) {
        size_t n = strlen(models[i].id);
        if (strncmp(models[i].id, id, n) == 0 && (id[n] == '\0' || is_date_suffix(id + n))) {
            return &models[i];
        }
    }
    return NULL;
}

const struct ia_mock_model *ia_mock_model_at(size_t i)
{
    return i < IA_COUNTOF(models) ? &models[i] : NULL;
}
