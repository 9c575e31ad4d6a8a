/* request.c: body to JSON to turns. Shape is checked before anything is built from it, so that
 * later code may rely on objects, types and roles being there.
 *
 *   bytes ─► size, depth ─► JSON ─► model ─► max_tokens ─► stream ─► messages ─► turns
 *             413           │        404          each of them refuses by itself, the first counts
 *                           └ duplicate keys are refused
 *
 * Messages of the same role that follow each other become one turn, as the service joins
 * them; the blocks of all turns lie in one array, in the order of the conversation. */
#include "mock/api/request.h"

#include "json/json.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ia_mock_str(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

bool ia_mock_block_is(const struct ia_mock_block *b, const char *type)
{
    return strcmp(b->type, type) == 0;
}

bool ia_mock_beta(const struct ia_mock_headers *h, const char *prefix)
{
    size_t n = strlen(prefix);
    for (const char *p = h->beta; p && *p;) {
        p += strspn(p, " ,");
        if (strncmp(p, prefix, n) == 0) {
            return true;
        }
        p += strcspn(p, ",");
    }
    return false;
}

bool ia_mock_version_new(const struct ia_mock_headers *h)
{
    /* Dates in this form compare as texts. */
    return h->version && strcmp(h->version, "2026-10-21") >= 0;
}

static bool parse_json(struct ia_str body, struct ia_mock_request *req,
                       struct ia_mock_reject *r)
{
    if (body.n > IA_MOCK_BODY_MAX) {
        return ia_mock_refuse_as(r, 413, "body_too_large",
                                 "Request exceeds the maximum size of %zu bytes",
                                 IA_MOCK_BODY_MAX);
    }
    if (!ia_json_depth_ok(body, IA_MOCK_DEPTH_MAX)) {
        return ia_mock_refuse(r, "json", "The request body is nested too deeply");
    }
    json_error_t je;
    req->root = json_loadb(body.n ? body.p : "", body.n, JSON_REJECT_DUPLICATES, &je);
    if (!req->root) {
        return ia_mock_refuse(r, "json",
                              "The request body is not valid JSON: %s: line %d column %d (char "
                              "%d)",
                              je.text, je.line, je.column, je.position);
    }
    if (!json_is_object(req->root)) {
        return ia_mock_refuse(r, "json", "Input should be a valid dictionary");
    }
    return true;
}

static bool read_model(struct ia_mock_request *req, struct ia_mock_reject *r)
{
    const json_t *model = json_object_get(req->root, "model");
    if (!model) {
        return ia_mock_refuse(r, "model", "model: Field required");
    }
    if (!json_is_string(model) || json_string_length(model) == 0) {
        return ia_mock_refuse(r, "model", "model: Input should be a valid string");
    }
    req->model = ia_mock_model_find(json_string_value(model));
    if (!req->model) {
        return ia_mock_refuse_as(r, 404, "unknown_model", "model: %.200s",
                                 json_string_value(model));
    }
    return true;
}

static bool read_max_tokens(struct ia_mock_request *req, struct ia_mock_reject *r)
{
    const json_t *max = json_object_get(req->root, "max_tokens");
    if (req->count_only) {
        return !max ||
               ia_mock_refuse(r, "unknown_field", "max_tokens: Extra inputs are not permitted");
    }
    if (!max) {
        return ia_mock_refuse(r, "max_tokens", "max_tokens: Field required");
    }
    if (!json_is_integer(max) || json_integer_value(max) < 0) {
        return ia_mock_refuse(r, "max_tokens",
                              "max_tokens: Input should be an integer greater than or equal "
                              "to 0");
    }
    req->max_tokens = json_integer_value(max);
    if (req->max_tokens > req->model->output_tokens) {
        return ia_mock_refuse(r, "max_tokens",
                              "max_tokens: %lld > %lld, which is the maximum allowed number of "
                              "output tokens for %s",
                              (long long)req->max_tokens, (long long)req->model->output_tokens,
                              req->model->id);
    }
    return true;
}

static bool read_stream(struct ia_mock_request *req, struct ia_mock_reject *r)
{
    const json_t *stream = json_object_get(req->root, "stream");
    if (stream && !json_is_boolean(stream)) {
        return ia_mock_refuse(r, "field_type", "stream: Input should be a valid boolean");
    }
    req->stream = json_is_true(stream);
    if (req->stream && req->max_tokens == 0 && !req->count_only) {
        return ia_mock_refuse(r, "max_tokens", "max_tokens: 0 cannot be used with stream");
    }
    return true;
}

static bool role_of(const char *name, enum ia_mock_role *ret)
{
    static const char *const names[] = {"user", "assistant", "system"};
    for (size_t i = 0; name && i < IA_COUNTOF(names); i++) {
        if (strcmp(names[i], name) == 0) {
            *ret = (enum ia_mock_role)i;
            return true;
        }
    }
    return false;
}

static bool check_message(const json_t *message, size_t i, bool last, struct ia_mock_reject *r)
{
    enum ia_mock_role role;
    if (!json_is_object(message)) {
        return ia_mock_refuse(r, "message", "messages.%zu: Input should be a valid dictionary",
                              i);
    }
    if (!role_of(ia_mock_str(message, "role"), &role)) {
        return ia_mock_refuse(r, "role",
                              "messages.%zu.role: Input should be 'user', 'assistant' or "
                              "'system'",
                              i);
    }
    const json_t *content = json_object_get(message, "content");
    if (!json_is_string(content) && !json_is_array(content)) {
        return ia_mock_refuse(
            r, "content", "messages.%zu.content: Input should be a valid string or list", i);
    }
    bool empty = json_is_array(content) ? json_array_size(content) == 0
                                        : json_string_length(content) == 0;
    if (empty && !(last && role == IA_MOCK_ASSISTANT)) {
        return ia_mock_refuse(r, "empty_content",
                              "messages.%zu: all messages must have non-empty content except "
                              "for the optional final assistant message",
                              i);
    }
    return true;
}

static bool check_block_shape(const json_t *block, size_t i, size_t j, struct ia_mock_reject *r)
{
    if (!json_is_object(block)) {
        return ia_mock_refuse(
            r, "block", "messages.%zu.content.%zu: Input should be a valid dictionary", i, j);
    }
    if (!ia_mock_str(block, "type")) {
        return ia_mock_refuse(r, "block", "messages.%zu.content.%zu.type: Field required", i,
                              j);
    }
    return true;
}

static bool check_messages_shape(const json_t *messages, size_t *ret_blocks,
                                 struct ia_mock_reject *r)
{
    size_t i;
    json_t *message;
    *ret_blocks = 0;
    json_array_foreach(messages, i, message)
    {
        if (!check_message(message, i, i + 1 == json_array_size(messages), r)) {
            return false;
        }
        const json_t *content = json_object_get(message, "content");
        size_t j;
        json_t *block;
        json_array_foreach(content, j, block)
        {
            if (!check_block_shape(block, i, j, r)) {
                return false;
            }
        }
        *ret_blocks += json_is_array(content) ? json_array_size(content) : 1;
    }
    return true;
}

static size_t put_blocks(struct ia_mock_block *dst, const json_t *content)
{
    if (json_is_string(content)) {
        dst[0] = (struct ia_mock_block){.type = "text", .text = json_string_value(content)};
        return json_string_length(content) > 0 ? 1 : 0;
    }
    size_t j;
    json_t *block;
    json_array_foreach(content, j, block)
    {
        const char *type = ia_mock_str(block, "type");
        dst[j] = (struct ia_mock_block){.type = type, .json = block};
        if (strcmp(type, "text") == 0) {
            dst[j].text = ia_mock_str(block, "text");
        }
    }
    return json_array_size(content);
}

static void merge_messages(struct ia_mock_request *req, const json_t *messages, size_t blocks)
{
    req->turns = ia_calloc(json_array_size(messages), sizeof(*req->turns));
    req->blocks = ia_calloc(blocks + 1, sizeof(*req->blocks));
    size_t used = 0;
    size_t i;
    json_t *message;
    json_array_foreach(messages, i, message)
    {
        enum ia_mock_role role = IA_MOCK_USER;
        (void)role_of(ia_mock_str(message, "role"), &role);
        if (req->turn_count == 0 || req->turns[req->turn_count - 1].role != role) {
            req->turns[req->turn_count++] =
                (struct ia_mock_turn){.role = role, .blocks = req->blocks + used};
        }
        struct ia_mock_turn *turn = &req->turns[req->turn_count - 1];
        size_t n = put_blocks(req->blocks + used, json_object_get(message, "content"));
        turn->count += n;
        used += n;
    }
}

static bool read_messages(struct ia_mock_request *req, struct ia_mock_reject *r)
{
    const json_t *messages = json_object_get(req->root, "messages");
    size_t blocks;
    if (!messages) {
        return ia_mock_refuse(r, "messages", "messages: Field required");
    }
    if (!json_is_array(messages)) {
        return ia_mock_refuse(r, "messages", "messages: Input should be a valid list");
    }
    if (json_array_size(messages) == 0) {
        return ia_mock_refuse(r, "messages", "messages: at least one message is required");
    }
    if (json_array_size(messages) > IA_MOCK_MESSAGES_MAX) {
        return ia_mock_refuse(r, "messages", "messages: at most %d messages are allowed",
                              IA_MOCK_MESSAGES_MAX);
    }
    if (!check_messages_shape(messages, &blocks, r)) {
        return false;
    }
    merge_messages(req, messages, blocks);
    return true;
}

bool ia_mock_request_parse(struct ia_str body, const struct ia_mock_headers *headers,
                           bool count_only, struct ia_mock_request *req,
                           struct ia_mock_reject *r)
{
    *req = (struct ia_mock_request){.headers = headers, .count_only = count_only};
    if (!parse_json(body, req, r) || !read_model(req, r) || !read_max_tokens(req, r) ||
        !read_stream(req, r) || !read_messages(req, r)) {
        return false;
    }
    const json_t *tools = json_object_get(req->root, "tools");
    req->tools = json_is_array(tools) ? tools : NULL;
    req->system = json_object_get(req->root, "system");
    const json_t *compaction = json_object_get(req->root, "compaction");
    req->compaction = json_is_object(compaction) ? compaction : NULL;
    return true;
}

void ia_mock_request_fini(struct ia_mock_request *req)
{
    json_decref(req->root);
    free(req->turns);
    free(req->blocks);
    *req = (struct ia_mock_request){0};
}

static void add_line(struct ia_buf *out, const char *text)
{
    if (text && *text) {
        ia_buf_puts(out, text);
        ia_buf_putc(out, '\n');
    }
}

static void add_content(struct ia_buf *out, const json_t *content)
{
    if (json_is_string(content)) {
        add_line(out, json_string_value(content));
        return;
    }
    size_t i;
    json_t *part;
    json_array_foreach(content, i, part)
    {
        add_line(out, ia_mock_str(part, "text"));
    }
}

void ia_mock_block_text(const struct ia_mock_block *b, struct ia_buf *out)
{
    if (b->text) {
        add_line(out, b->text);
    } else if (ia_mock_block_is(b, "tool_result")) {
        add_content(out, json_object_get(b->json, "content"));
    }
}

bool ia_mock_compacted(const struct ia_mock_request *req)
{
    return req->turns[0].role == IA_MOCK_ASSISTANT && req->turns[0].count > 0 &&
           ia_mock_block_is(&req->turns[0].blocks[0], "compaction");
}

size_t ia_mock_assistant_turns(const struct ia_mock_request *req)
{
    size_t n = 0;
    for (size_t i = 0; i < req->turn_count; i++) {
        /* A summary that the conversation goes on from is none. */
        n += req->turns[i].role == IA_MOCK_ASSISTANT && (i > 0 || !ia_mock_compacted(req));
    }
    return n;
}

bool ia_mock_has_tool(const struct ia_mock_request *req, const char *name)
{
    size_t i;
    json_t *tool;
    json_array_foreach(req->tools, i, tool)
    {
        const char *have = ia_mock_str(tool, "name");
        if (have && strcmp(have, name) == 0) {
            return true;
        }
    }
    return false;
}

void ia_mock_system_text(const struct ia_mock_request *req, struct ia_buf *out)
{
    add_content(out, req->system);
}

void ia_mock_where(char dst[IA_MOCK_WHERE_SIZE], size_t turn, size_t block)
{
    snprintf(dst, IA_MOCK_WHERE_SIZE, "messages.%zu.content.%zu", turn, block);
}
