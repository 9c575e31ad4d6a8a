/* compaction.c: a summary on demand, as the service writes it: what such a request may hold, its answer,
 * and what a conversation that goes on from it must be like.
 *
 *     request   messages …, "compaction": {"type": "summarize", "instructions"?}     beta compact-2026-09-04
 *     answer    one block {"type": "compaction", "content", "encrypted_content", "signature"},
 *               stop_reason compaction; usage is nothing but iterations: [{"type": "compaction", …}].
 *               Too little max_tokens: no block
 *     from then on the block stands first, in an assistant message; nothing stands before it
 *
 * The double does not read: its summary has the goal, how often each tool was called, and the last calls.
 * Source: the documentation's "Compaction on demand" and its pages, 2026-10; the declarations of
 * @anthropic-ai/sdk 1.11.0. */
#include "mock/api/compaction.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "mock/api/check.h"
#include "mock/api/sign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BETA "compact-2026-09"
#define THRESHOLD_BETA "compact-2026-01"
enum {
    INSTRUCTIONS_MAX = 16384,
    SUMMARY_BYTES = 1600,
    QUOTED_BYTES = 400,
    INPUT_BYTES = 80,
    TEXT_BYTES = 1 << 20,
};

/* ---- rules ------------------------------------------------------------------------------- */

static bool check_param(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    static const char *const alone[] = {"context_management", "stop_sequences"};
    const char *type = ia_mock_str(req->compaction, "type");
    const char *name;
    const json_t *value;
    json_object_foreach((json_t *)req->compaction, name, value)
    {
        if (strcmp(name, "type") != 0 && strcmp(name, "instructions") != 0) {
            return ia_mock_refuse(r, "compaction",
                                  "compaction.%.60s: Extra inputs are not permitted", name);
        }
    }
    if (!type || strcmp(type, "summarize") != 0) {
        return ia_mock_refuse(r, "compaction", "compaction.type: Input should be 'summarize'");
    }
    const json_t *told = json_object_get(req->compaction, "instructions");
    if (told && !json_is_null(told) &&
        (!json_is_string(told) || json_string_length(told) > INSTRUCTIONS_MAX)) {
        return ia_mock_refuse(r, "compaction",
                              "compaction.instructions: Input should be text of at most %d "
                              "characters",
                              INSTRUCTIONS_MAX);
    }
    for (size_t i = 0; i < IA_COUNTOF(alone); i++) {
        if (json_object_get(req->root, alone[i])) {
            return ia_mock_refuse(r, "compaction", "compaction: cannot be used with %s",
                                  alone[i]);
        }
    }
    const json_t *config = json_object_get(req->root, "output_config");
    const char *choice = ia_mock_str(json_object_get(req->root, "tool_choice"), "type");
    if (json_object_get(config, "format") ||
        (choice && (strcmp(choice, "any") == 0 || strcmp(choice, "tool") == 0))) {
        return ia_mock_refuse(
            r, "compaction",
            "compaction: cannot be used with output_config.format or a forced tool_choice");
    }
    return req->model->compaction ||
           ia_mock_refuse(r, "compaction", "'%s' does not support compaction", req->model->id);
}

static bool check_signed(const struct ia_mock_request *req, const struct ia_mock_block *b,
                         size_t t, size_t i, struct ia_mock_reject *r)
{
    char where[IA_MOCK_WHERE_SIZE];
    ia_mock_where(where, t, i);
    const char *content = ia_mock_str(b->json, "content");
    const char *signature = ia_mock_str(b->json, "signature");
    if (!ia_mock_beta(req->headers, signature ? BETA : THRESHOLD_BETA)) {
        return ia_mock_refuse(
            r, "compaction_block",
            "%s: Input tag 'compaction' found using 'type' does not match any "
            "of the expected tags",
            where);
    }
    if ((content && !*content) || (!content && signature)) {
        return ia_mock_refuse(r, "compaction_block",
                              "%s.compaction.content: content cannot be empty", where);
    }
    /* Without a signature it is the mark of a threshold, or of a summary that failed: no more. */
    if (!signature) {
        return true;
    }
    if (t > 0 || i > 0) {
        return ia_mock_refuse(r, "compaction_block",
                              "%s: a signed `compaction` block must be first in `messages`",
                              where);
    }
    return ia_mock_signed(signature, content) ||
           ia_mock_refuse(r, "compaction_block",
                          "%s: Invalid `signature` in `compaction` block", where);
}

bool ia_mock_check_compaction(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    for (size_t t = 0; t < req->turn_count; t++) {
        for (size_t i = 0; i < req->turns[t].count; i++) {
            const struct ia_mock_block *b = &req->turns[t].blocks[i];
            if (ia_mock_block_is(b, "compaction") && !check_signed(req, b, t, i, r)) {
                return false;
            }
        }
    }
    return !req->compaction || check_param(req, r);
}

/* ---- the answer -------------------------------------------------------------------------- */

/* At most n bytes of it, and no half of a character. */
static int upto(const char *text, size_t n)
{
    size_t all = strlen(text);
    return (int)(all > n ? ia_utf8_cut(text, n) : all);
}

static void quote(struct ia_buf *out, const char *what, const char *text)
{
    if (text && *text) {
        ia_buf_printf(out, "%s: %.*s\n", what, upto(text, QUOTED_BYTES), text);
    }
}

/* The first text of the user, which has the goal. */
static const char *first_text(const struct ia_mock_request *req)
{
    for (size_t t = 0; t < req->turn_count && t < 2; t++) {
        if (req->turns[t].role == IA_MOCK_USER && req->turns[t].count > 0 &&
            req->turns[t].blocks[0].text) {
            return req->turns[t].blocks[0].text;
        }
    }
    return NULL;
}

/* The calls from the newest back, as many as there is room for. */
static void list_calls(const struct ia_mock_request *req, struct ia_buf *out)
{
    size_t calls = 0;
    struct ia_buf list = IA_BUF(TEXT_BYTES);
    for (size_t t = req->turn_count; t > 0; t--) {
        for (size_t i = 0; i < req->turns[t - 1].count; i++) {
            const struct ia_mock_block *b = &req->turns[t - 1].blocks[i];
            if (!ia_mock_block_is(b, "tool_use")) {
                continue;
            }
            char *input = json_dumps(json_object_get(b->json, "input"), JSON_COMPACT);
            const char *shown = input ? input : "{}";
            calls++;
            if (list.len < SUMMARY_BYTES) {
                ia_buf_printf(&list, "%s %.*s\n", ia_mock_str(b->json, "name"),
                              upto(shown, INPUT_BYTES), shown);
            }
            free(input);
        }
    }
    ia_buf_printf(out, "Calls so far: %zu. The last, newest first:\n", calls);
    ia_buf_putstr(out, ia_buf_str(&list));
    ia_buf_fini(&list);
}

void ia_mock_compaction_answer(const struct ia_mock_request *req, struct ia_mock_answer *answer)
{
    struct ia_buf text = IA_BUF(TEXT_BYTES);
    char signature[IA_MOCK_SIGNATURE_SIZE];
    quote(&text, "Asked", first_text(req));
    if (ia_mock_compacted(req)) {
        quote(&text, "Before", ia_mock_str(req->turns[0].blocks[0].json, "content"));
    }
    list_calls(req, &text);
    ia_mock_sign(req->model, ia_buf_cstr(&text), 0, signature);
    json_array_append_new(answer->content,
                          json_pack("{s:s, s:s, s:n, s:s}", "type", "compaction", "content",
                                    ia_buf_cstr(&text), "encrypted_content", "signature",
                                    signature));
    snprintf(answer->stop_reason, sizeof(answer->stop_reason), "compaction");
    if (ia_mock_answer_tokens(answer) > req->max_tokens) {
        json_array_clear(answer->content);
        snprintf(answer->stop_reason, sizeof(answer->stop_reason), "max_tokens");
    }
    ia_buf_fini(&text);
}

void ia_mock_compaction_usage(struct ia_mock_answer *answer, const struct ia_mock_usage *u)
{
    json_t *pass = ia_mock_usage_json(answer, u, true);
    json_object_set_new(pass, "type", json_string("compaction"));
    json_object_set_new(pass, "output_tokens", json_integer(u->output));
    json_object_del(pass, "service_tier");
    json_decref(answer->usage);
    answer->usage = json_pack("{s:i, s:i, s:i, s:i, s:[o]}", "input_tokens", 0,
                              "cache_creation_input_tokens", 0, "cache_read_input_tokens", 0,
                              "output_tokens", 0, "iterations", pass);
    json_object_set_new(answer->usage, "cache_creation",
                        json_pack("{s:i, s:i}", "ephemeral_5m_input_tokens", 0,
                                  "ephemeral_1h_input_tokens", 0));
}
