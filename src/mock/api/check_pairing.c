/* check_pairing.c: every tool_use has its tool_result first in the next message, and no other. */
#include "mock/api/check.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

/* A cap of the double itself, so that matching ids stays cheap. */
enum { TOOL_USES_MAX = 1000, ID_LIST_BYTES = 600 };

static const char *id_of(const struct ia_mock_block *b)
{
    return ia_mock_str(b->json, ia_mock_block_is(b, "tool_use") ? "id" : "tool_use_id");
}

static size_t count_type(const struct ia_mock_turn *turn, const char *type)
{
    size_t n = 0;
    for (size_t i = 0; i < turn->count; i++) {
        n += ia_mock_block_is(&turn->blocks[i], type) ? 1 : 0;
    }
    return n;
}

/* How many of a turn's first blocks are tool_results: only those answer the turn before. */
static size_t leading_results(const struct ia_mock_turn *turn)
{
    size_t n = 0;
    while (n < turn->count && ia_mock_block_is(&turn->blocks[n], "tool_result")) {
        n++;
    }
    return n;
}

static bool has_id(const struct ia_mock_turn *turn, size_t count, const char *type,
                   const char *id)
{
    for (size_t i = 0; i < count; i++) {
        const struct ia_mock_block *b = &turn->blocks[i];
        if (ia_mock_block_is(b, type) && strcmp(id_of(b), id) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_answered(const struct ia_mock_request *req, size_t t,
                           struct ia_mock_reject *r)
{
    static const struct ia_mock_turn none = {.role = IA_MOCK_USER};
    const struct ia_mock_turn *turn = &req->turns[t];
    const struct ia_mock_turn *next = t + 1 < req->turn_count ? &req->turns[t + 1] : &none;
    size_t results = next->role == IA_MOCK_USER ? leading_results(next) : 0;
    struct ia_buf missing = IA_BUF(ID_LIST_BYTES);
    for (size_t i = 0; i < turn->count; i++) {
        const struct ia_mock_block *b = &turn->blocks[i];
        if (ia_mock_block_is(b, "tool_use") &&
            !has_id(next, results, "tool_result", id_of(b))) {
            ia_buf_printf(&missing, "%s%s", missing.len ? ", " : "", id_of(b));
        }
    }
    bool ok = missing.len == 0;
    if (!ok) {
        (void)ia_mock_refuse(r, "tool_use_unanswered",
                             "messages.%zu: `tool_use` ids were found without `tool_result` "
                             "blocks immediately after: %s. Each `tool_use` block must have a "
                             "corresponding `tool_result` block in the next message.",
                             t, ia_buf_cstr(&missing));
    }
    ia_buf_fini(&missing);
    return ok;
}

static bool check_asked(const struct ia_mock_request *req, size_t t, struct ia_mock_reject *r)
{
    const struct ia_mock_turn *turn = &req->turns[t];
    const struct ia_mock_turn *before = t > 0 ? &req->turns[t - 1] : NULL;
    for (size_t i = 0; i < turn->count; i++) {
        const struct ia_mock_block *b = &turn->blocks[i];
        if (!ia_mock_block_is(b, "tool_result")) {
            continue;
        }
        const char *id = id_of(b);
        if (!before || before->role != IA_MOCK_ASSISTANT ||
            !has_id(before, before->count, "tool_use", id)) {
            return ia_mock_refuse(r, "tool_result_unexpected",
                                  "messages.%zu.content.%zu: unexpected `tool_use_id` found in "
                                  "`tool_result` blocks: %.100s. Each `tool_result` block must "
                                  "have a corresponding `tool_use` block in the previous "
                                  "message.",
                                  t, i, id);
        }
        if (has_id(turn, i, "tool_result", id)) {
            return ia_mock_refuse(r, "tool_result_duplicate",
                                  "messages.%zu.content.%zu: each tool_use must have a single "
                                  "result. Found multiple `tool_result` blocks with id: %.100s",
                                  t, i, id);
        }
    }
    return true;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool check_ids_unique(const struct ia_mock_request *req, size_t uses,
                             struct ia_mock_reject *r)
{
    const char **ids = ia_calloc(uses + 1, sizeof(*ids));
    size_t n = 0;
    for (size_t t = 0; t < req->turn_count; t++) {
        for (size_t i = 0; i < req->turns[t].count; i++) {
            const struct ia_mock_block *b = &req->turns[t].blocks[i];
            if (ia_mock_block_is(b, "tool_use")) {
                ids[n++] = id_of(b);
            }
        }
    }
    qsort(ids, n, sizeof(*ids), by_id);
    bool unique = true;
    for (size_t i = 1; i < n; i++) {
        unique = unique && strcmp(ids[i - 1], ids[i]) != 0;
    }
    free(ids);
    return unique ||
           ia_mock_refuse(r, "tool_use_duplicate", "messages: `tool_use` ids must be unique");
}

static bool check_last(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    const struct ia_mock_turn *last = &req->turns[req->turn_count - 1];
    if (last->role != IA_MOCK_ASSISTANT || req->model->prefill || req->resumes_pause ||
        req->compaction) {
        return true;
    }
    return ia_mock_refuse(r, "prefill",
                          "This model does not support assistant message prefill. The "
                          "conversation must end with a user message.");
}

bool ia_mock_check_pairing(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    size_t uses = 0;
    for (size_t t = 0; t < req->turn_count; t++) {
        size_t n = count_type(&req->turns[t], "tool_use");
        size_t results = count_type(&req->turns[t], "tool_result");
        if (n > TOOL_USES_MAX || results > TOOL_USES_MAX) {
            return ia_mock_refuse(r, "tool_uses",
                                  "messages.%zu: more than %d tool calls in one turn", t,
                                  TOOL_USES_MAX);
        }
        uses += n;
        if (results > 0 && !check_asked(req, t, r)) {
            return false;
        }
        if (n > 0 && !check_answered(req, t, r)) {
            return false;
        }
    }
    return check_ids_unique(req, uses, r) && check_last(req, r);
}
