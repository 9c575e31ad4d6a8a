/* check_messages.c: the blocks of system and messages, one by one. */
#include "mock/api/check.h"

#include <stdio.h>
#include <string.h>

enum { ROLE_USER = 1, ROLE_ASSISTANT = 2, ROLE_SYSTEM = 4 };

/* Which roles may carry a type; with a prefix for families like web_search_tool_result. */
static const struct {
    const char *type;
    unsigned roles;
} block_types[] = {
    {"text", ROLE_USER | ROLE_ASSISTANT | ROLE_SYSTEM},
    {"image", ROLE_USER},
    {"document", ROLE_USER | ROLE_ASSISTANT},
    {"search_result", ROLE_USER},
    {"tool_result", ROLE_USER},
    {"container_upload", ROLE_USER | ROLE_ASSISTANT},
    {"tool_use", ROLE_ASSISTANT},
    {"thinking", ROLE_ASSISTANT},
    {"redacted_thinking", ROLE_ASSISTANT},
    {"server_tool_use", ROLE_ASSISTANT},
    {"mcp_tool_use", ROLE_ASSISTANT},
    {"mcp_tool_result", ROLE_ASSISTANT},
    {"compaction", ROLE_ASSISTANT},
    {"fallback", ROLE_ASSISTANT},
};

static const char *const role_names[] = {"user", "assistant", "system"};

static unsigned roles_of(const char *type)
{
    static const char suffix[] = "_tool_result";
    size_t n = strlen(type);
    for (size_t i = 0; i < IA_COUNTOF(block_types); i++) {
        if (strcmp(block_types[i].type, type) == 0) {
            return block_types[i].roles;
        }
    }
    bool result = n > sizeof(suffix) && strcmp(type + n - (sizeof(suffix) - 1), suffix) == 0;
    return result ? ROLE_ASSISTANT : 0;
}

bool ia_mock_check_text(const json_t *block, const char *where, struct ia_mock_reject *r)
{
    const char *text = ia_mock_str(block, "text");
    if (!text) {
        return ia_mock_refuse(r, "block", "%s.text.text: Field required", where);
    }
    if (!*text && json_object_get(block, "cache_control")) {
        return ia_mock_refuse(r, "cache_empty_text",
                              "%s.text: cache_control cannot be set for empty text blocks",
                              where);
    }
    if (!*text) {
        return ia_mock_refuse(r, "empty_text",
                              "messages: text content blocks must be non-empty");
    }
    return text[strspn(text, " \t\r\n")] != '\0' ||
           ia_mock_refuse(r, "empty_text",
                          "messages: text content blocks must contain non-whitespace text");
}

static bool check_citations(const struct ia_mock_request *req, const json_t *block,
                            const char *where, struct ia_mock_reject *r)
{
    return !ia_mock_version_new(req->headers) ||
           json_array_size(json_object_get(block, "citations")) == 0 ||
           ia_mock_refuse(r, "citations", "%s.text.citations: not permitted in user messages",
                          where);
}

static bool id_ok(const char *id)
{
    size_t n = id ? strlen(id) : 0;
    return n > 0 && strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
                               "-") == n;
}

static bool check_tool_use(const json_t *block, const char *where, struct ia_mock_reject *r)
{
    const char *name = ia_mock_str(block, "name");
    if (!id_ok(ia_mock_str(block, "id"))) {
        return ia_mock_refuse(r, "tool_use",
                              "%s.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
                              where);
    }
    if (!name || !*name) {
        return ia_mock_refuse(r, "tool_use", "%s.tool_use.name: Field required", where);
    }
    return json_is_object(json_object_get(block, "input")) ||
           ia_mock_refuse(r, "tool_use",
                          "%s.tool_use.input: Input should be a valid dictionary", where);
}

static bool check_result_part(const json_t *part, bool is_error, const char *where,
                              struct ia_mock_reject *r)
{
    static const char *const types[] = {"text", "image", "document", "search_result",
                                        "tool_reference"};
    const char *type = ia_mock_str(part, "type");
    bool known = false;
    for (size_t i = 0; type && i < IA_COUNTOF(types); i++) {
        known = known || strcmp(types[i], type) == 0;
    }
    if (!known) {
        return ia_mock_refuse(r, "tool_result",
                              "%s.type: Input should be 'text', 'image', 'document', "
                              "'search_result' or 'tool_reference'",
                              where);
    }
    if (is_error && strcmp(type, "text") != 0) {
        return ia_mock_refuse(r, "tool_result",
                              "%s: all content must be type `text` if `is_error` is true",
                              where);
    }
    return strcmp(type, "text") != 0 || ia_mock_check_text(part, where, r);
}

static bool check_tool_result(const json_t *block, const char *where, struct ia_mock_reject *r)
{
    const json_t *content = json_object_get(block, "content");
    const json_t *is_error = json_object_get(block, "is_error");
    if (!ia_mock_str(block, "tool_use_id")) {
        return ia_mock_refuse(r, "tool_result", "%s.tool_result.tool_use_id: Field required",
                              where);
    }
    if (is_error && !json_is_boolean(is_error)) {
        return ia_mock_refuse(r, "tool_result",
                              "%s.tool_result.is_error: Input should be a valid boolean",
                              where);
    }
    if (content && !json_is_string(content) && !json_is_array(content)) {
        return ia_mock_refuse(r, "tool_result",
                              "%s.tool_result.content: Input should be a valid string or list",
                              where);
    }
    size_t i;
    json_t *part;
    json_array_foreach(content, i, part)
    {
        char inner[IA_MOCK_WHERE_SIZE + 48];
        snprintf(inner, sizeof(inner), "%s.tool_result.content.%zu", where, i);
        if (!check_result_part(part, json_is_true(is_error), inner, r)) {
            return false;
        }
    }
    return true;
}

static bool check_thinking_block(const struct ia_mock_block *b, const char *where,
                                 struct ia_mock_reject *r)
{
    if (json_object_get(b->json, "cache_control")) {
        return ia_mock_refuse(r, "cache_thinking",
                              "%s.%s.cache_control: Extra inputs are not permitted", where,
                              b->type);
    }
    if (ia_mock_block_is(b, "redacted_thinking")) {
        return ia_mock_str(b->json, "data") ||
               ia_mock_refuse(r, "thinking_block", "%s.redacted_thinking.data: Field required",
                              where);
    }
    if (!ia_mock_str(b->json, "signature")) {
        return ia_mock_refuse(r, "thinking_block", "%s.thinking.signature: Field required",
                              where);
    }
    return ia_mock_str(b->json, "thinking") ||
           ia_mock_refuse(r, "thinking_block", "%s.thinking.thinking: Field required", where);
}

static bool check_block(const struct ia_mock_request *req, enum ia_mock_role role,
                        const struct ia_mock_block *b, const char *where,
                        struct ia_mock_reject *r)
{
    unsigned roles = roles_of(b->type);
    if (!roles) {
        return ia_mock_refuse(r, "block",
                              "%s: Input tag '%.60s' found using 'type' does not match any of "
                              "the expected tags",
                              where, b->type);
    }
    if (!(roles & (1U << role))) {
        return ia_mock_refuse(r, "block_role", "%s: `%s` blocks can not be in `%s` messages",
                              where, b->type, role_names[role]);
    }
    if (!b->json) {
        return true;
    }
    if (ia_mock_block_is(b, "text")) {
        return ia_mock_check_text(b->json, where, r) &&
               (role != IA_MOCK_USER || check_citations(req, b->json, where, r));
    }
    if (ia_mock_block_is(b, "tool_use")) {
        return check_tool_use(b->json, where, r);
    }
    if (ia_mock_block_is(b, "tool_result")) {
        return check_tool_result(b->json, where, r);
    }
    if (ia_mock_block_is(b, "thinking") || ia_mock_block_is(b, "redacted_thinking")) {
        return check_thinking_block(b, where, r);
    }
    return !ia_mock_block_is(b, "document") || role == IA_MOCK_USER ||
           !ia_mock_version_new(req->headers) ||
           ia_mock_refuse(r, "document_role",
                          "%s: `document` blocks can not be in `assistant` messages", where);
}

static bool check_roles(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    if (req->turns[0].role == IA_MOCK_ASSISTANT && !ia_mock_compacted(req)) {
        return ia_mock_refuse(r, "first_message",
                              "messages.0: first message must use the \"user\" role");
    }
    for (size_t i = 0; i < req->turn_count; i++) {
        if (req->turns[i].role == IA_MOCK_SYSTEM && (i == 0 || !req->model->system_role)) {
            return ia_mock_refuse(
                r, "system_role", "messages.%zu: role 'system' is not supported %s", i,
                i == 0 ? "as the first message; use the top-level `system` parameter"
                       : "for this model");
        }
    }
    return true;
}

bool ia_mock_check_messages(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    if (!check_roles(req, r)) {
        return false;
    }
    for (size_t i = 0; i < req->turn_count; i++) {
        const struct ia_mock_turn *turn = &req->turns[i];
        for (size_t j = 0; j < turn->count; j++) {
            char where[IA_MOCK_WHERE_SIZE];
            ia_mock_where(where, i, j);
            if (!check_block(req, turn->role, &turn->blocks[j], where, r)) {
                return false;
            }
        }
    }
    return true;
}

bool ia_mock_check_system(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    if (!req->system || json_is_string(req->system)) {
        return true;
    }
    if (!json_is_array(req->system)) {
        return ia_mock_refuse(r, "system", "system: Input should be a valid string or list");
    }
    size_t i;
    json_t *block;
    json_array_foreach(req->system, i, block)
    {
        char where[IA_MOCK_WHERE_SIZE];
        snprintf(where, sizeof(where), "system.%zu", i);
        const char *type = ia_mock_str(block, "type");
        if (!type || strcmp(type, "text") != 0) {
            return ia_mock_refuse(r, "system", "%s.type: Input should be 'text'", where);
        }
        if (!ia_mock_check_text(block, where, r)) {
            return false;
        }
    }
    return true;
}
