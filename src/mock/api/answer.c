/* answer.c: content blocks of an answer, completed as the service does: ids, callers, signatures,
 * usage. A block is sealed with the hash of all before it, its own predecessors included, so the
 * order of the loop is the order of the conversation. */
#include "mock/api/answer.h"

#include "base/buf.h"
#include "mock/api/search.h"
#include "mock/api/sign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_LETTERS = 24, TOKENS_PER_ANSWER = 3, START_TOKENS = 1 };

void ia_mock_answer_init(struct ia_mock_answer *a)
{
    *a = (struct ia_mock_answer){.content = json_array()};
    snprintf(a->stop_reason, sizeof(a->stop_reason), "end_turn");
}

void ia_mock_answer_fini(struct ia_mock_answer *a)
{
    json_decref(a->content);
    json_decref(a->stop_sequence);
    json_decref(a->stop_details);
    json_decref(a->usage);
    free(a->raw_sse);
    *a = (struct ia_mock_answer){0};
}

void ia_mock_answer_text(struct ia_mock_answer *a, const char *text)
{
    json_array_append_new(a->content, json_pack("{s:s, s:s}", "type", "text", "text", text));
}

void ia_mock_answer_tool(struct ia_mock_answer *a, const char *name, json_t *input)
{
    json_array_append_new(a->content, json_pack("{s:s, s:s, s:o}", "type", "tool_use", "name",
                                                name, "input", input));
    snprintf(a->stop_reason, sizeof(a->stop_reason), "tool_use");
}

void ia_mock_id(const struct ia_rand *rand, const char *prefix, char ret[IA_MOCK_ID_SIZE])
{
    static const char letters[] = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789";
    size_t n = strlen(prefix);
    memcpy(ret, prefix, n);
    for (size_t i = 0; i < ID_LETTERS; i++) {
        ret[n++] = letters[ia_rand_next(rand) % (sizeof(letters) - 1)];
    }
    ret[n] = '\0';
}

static void seal_tool(json_t *block, const struct ia_rand *rand)
{
    static const char *const order[] = {"type", "id", "name", "input", "caller"};
    if (!json_object_get(block, "id")) {
        char id[IA_MOCK_ID_SIZE];
        ia_mock_id(rand, "toolu_", id);
        json_object_set_new(block, "id", json_string(id));
    }
    if (!json_object_get(block, "caller")) {
        json_object_set_new(block, "caller", json_pack("{s:s}", "type", "direct"));
    }
    /* Made anew with its members in a fixed order, whatever order the script had. */
    json_t *was = json_copy(block);
    json_object_clear(block);
    for (size_t i = 0; i < IA_COUNTOF(order); i++) {
        json_t *value = json_object_get(was, order[i]);
        if (value) {
            json_object_set(block, order[i], value);
        }
    }
    json_object_update_missing(block, was);
    json_decref(was);
}

static void seal_thinking(json_t *block, const struct ia_mock_model *model, uint64_t bind)
{
    const char *text = ia_mock_str(block, "thinking");
    if (!json_object_get(block, "signature")) {
        char signature[IA_MOCK_SIGNATURE_SIZE];
        ia_mock_sign(model, text ? text : "", bind, signature);
        json_object_set_new(block, "signature", json_string(signature));
    }
}

/* data is the signature of its payload, and the payload. */
static void seal_redacted(json_t *block, const struct ia_mock_model *model, uint64_t bind)
{
    const char *payload = ia_mock_str(block, "data");
    char signature[IA_MOCK_SIGNATURE_SIZE];
    ia_mock_sign(model, payload ? payload : "", bind, signature);
    json_object_set_new(block, "data", json_sprintf("%s%s", signature, payload ? payload : ""));
}

void ia_mock_answer_seal(struct ia_mock_answer *a, const struct ia_mock_model *model,
                         uint64_t bind, const struct ia_rand *rand)
{
    size_t i;
    json_t *block;
    json_array_foreach(a->content, i, block)
    {
        struct ia_mock_block b = {ia_mock_str(block, "type"), block, NULL};
        if (ia_mock_block_is(&b, "tool_use")) {
            seal_tool(block, rand);
        } else if (ia_mock_block_is(&b, "thinking")) {
            seal_thinking(block, model, bind);
        } else if (ia_mock_block_is(&b, "redacted_thinking")) {
            seal_redacted(block, model, bind);
        } else if (ia_mock_block_is(&b, "text")) {
            b.text = ia_mock_str(block, "text");
        }
        bind = ia_mock_bind_block(bind, &b);
    }
}

int64_t ia_mock_answer_tokens(const struct ia_mock_answer *a)
{
    int64_t total = TOKENS_PER_ANSWER;
    size_t i;
    json_t *block;
    json_array_foreach(a->content, i, block)
    {
        const char *type = ia_mock_str(block, "type");
        struct ia_mock_block b = {type, block, ia_mock_str(block, "text")};
        int64_t tokens;
        (void)ia_mock_hash_block(&b, &tokens);
        total += tokens;
    }
    return total;
}

json_t *ia_mock_usage_json(const struct ia_mock_answer *a, const struct ia_mock_usage *u,
                           bool start)
{
    json_int_t written = u->cache_5m + u->cache_1h;
    json_t *j = json_pack("{s:I, s:I, s:I}", "input_tokens", (json_int_t)u->input,
                          "cache_creation_input_tokens", written, "cache_read_input_tokens",
                          (json_int_t)u->cache_read);
    if (start) {
        json_object_set_new(j, "cache_creation",
                            json_pack("{s:I, s:I}", "ephemeral_5m_input_tokens",
                                      (json_int_t)u->cache_5m, "ephemeral_1h_input_tokens",
                                      (json_int_t)u->cache_1h));
    }
    json_object_set_new(j, "output_tokens", json_integer(start ? START_TOKENS : u->output));
    if (start) {
        json_object_set_new(j, "service_tier", json_string("standard"));
    }
    if (!start && ia_mock_searches(a) > 0) {
        json_object_set_new(
            j, "server_tool_use",
            json_pack("{s:I}", "web_search_requests", (json_int_t)ia_mock_searches(a)));
    }
    if (a->usage) {
        json_object_update(j, a->usage);
    }
    return j;
}
