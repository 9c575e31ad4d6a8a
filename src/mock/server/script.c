/* script.c: reads a script and checks all of it, so that answering never meets a wrong type.
 *
 * A turn without "match" takes the next place (or `repeat` places) in the sequence; places are
 * numbers of assistant turns, so the request alone says which turn is its. */
#include "mock/server/script_turn.h"
#include "json/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const turn_keys[] = {
    "match",      "repeat",  "blocks", "stop_reason", "stop_sequence", "stop_details", "usage",
    "unfinished", "raw_sse", "error",  "answer",      "latency_ms",    "comment",      NULL};
static const char *const match_keys[] = {
    "call",     "turn",  "result_contains", "tool",     "user_text",
    "any_text", "model", "system_contains", "is_error", "latest",
    NULL};

static bool listed(const char *const *names, const char *name)
{
    for (; *names; names++) {
        if (strcmp(*names, name) == 0) {
            return true;
        }
    }
    return false;
}

/* NULL, or the first key of an object that is not in the list. */
static const char *unknown_key(const json_t *object, const char *const *names)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        if (!listed(names, key)) {
            return key;
        }
    }
    return NULL;
}

static enum ia_rc error_at(struct ia_err *err, const char *where, const char *fmt, ...)
    IA_PRINTF(3, 4);

static enum ia_rc error_at(struct ia_err *err, const char *where, const char *fmt, ...)
{
    char text[200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return ia_err_set(err, IA_E_PARSE, "script, %s: %s", where, text);
}

static bool is_list_of_strings(const json_t *j)
{
    size_t i;
    json_t *item;
    json_array_foreach(j, i, item)
    {
        if (!json_is_string(item)) {
            return false;
        }
    }
    return json_is_array(j);
}

static bool is_range(const json_t *j)
{
    return json_is_integer(j) ||
           (json_array_size(j) == 2 && json_is_integer(json_array_get(j, 0)) &&
            json_is_integer(json_array_get(j, 1)));
}

static enum ia_rc check_match(const json_t *match, const char *where, struct ia_err *err)
{
    const char *key;
    json_t *value;
    if (!json_is_object(match)) {
        return error_at(err, where, "match must be an object");
    }
    key = unknown_key(match, match_keys);
    if (key) {
        return error_at(err, where, "unknown condition \"%.60s\"", key);
    }
    json_object_foreach((json_t *)match, key, value)
    {
        bool ok = strcmp(key, "turn") == 0       ? is_range(value)
                  : strcmp(key, "is_error") == 0 ? json_is_boolean(value)
                  : strcmp(key, "result_contains") == 0
                      ? json_is_string(value) || is_list_of_strings(value)
                      : json_is_string(value);
        if (!ok) {
            return error_at(err, where, "condition \"%.60s\" has the wrong type", key);
        }
    }
    static const char *const calls[] = {"actor", "verifier", "any", NULL};
    const char *call = ia_mock_str(match, "call");
    return !call || listed(calls, call) ? IA_OK
                                        : error_at(err, where, "unknown call \"%.60s\"", call);
}

static enum ia_rc check_tool_block(const json_t *block, const char *where, struct ia_err *err)
{
    static const char *const keys[] = {"tool_use", "input", "id", "input_raw", NULL};
    const char *unknown = unknown_key(block, keys);
    const json_t *input = json_object_get(block, "input");
    const json_t *id = json_object_get(block, "id");
    const json_t *raw = json_object_get(block, "input_raw");
    if (unknown) {
        return error_at(err, where, "unknown member \"%.60s\" of a tool_use", unknown);
    }
    bool ok = (!input || json_is_object(input)) && (!id || json_is_string(id)) &&
              (!raw || json_is_string(raw));
    return ok ? IA_OK
              : error_at(err, where,
                         "input must be an object; id and input_raw must be strings");
}

/* Blocks that the double itself takes apart must have what it looks for. */
static bool raw_ok(const json_t *raw)
{
    static const struct {
        const char *type, *member;
    } needs[] = {{"text", "text"},
                 {"thinking", "thinking"},
                 {"redacted_thinking", "data"},
                 {"tool_use", "name"}};
    const char *type = ia_mock_str(raw, "type");
    for (size_t i = 0; type && i < IA_COUNTOF(needs); i++) {
        if (strcmp(type, needs[i].type) == 0 && !ia_mock_str(raw, needs[i].member)) {
            return false;
        }
    }
    const json_t *signature = json_object_get(raw, "signature");
    return type && (!signature || json_is_string(signature)) &&
           (strcmp(type, "tool_use") != 0 || json_is_object(json_object_get(raw, "input")));
}

/* A text with citations, or a search: URLs, titles and quotes are text. */
static bool search_ok(const json_t *block)
{
    const json_t *list =
        json_object_get(block, json_object_get(block, "web_search") ? "results" : "citations");
    const json_t *item, *error = json_object_get(block, "error");
    bool ok = (!list || json_is_array(list)) && (!error || json_is_string(error));
    size_t i;
    json_array_foreach(list, i, item)
    {
        const json_t *quote = json_object_get(item, "cited_text");
        ok = ok && ia_mock_str(item, "url") && ia_mock_str(item, "title") &&
             (json_object_get(block, "web_search") || json_is_string(quote));
    }
    return ok;
}

static enum ia_rc check_block(const json_t *block, const char *where, struct ia_err *err)
{
    static const char *const texts[] = {"text", "thinking", "redacted_thinking", NULL};
    if (json_is_string(json_object_get(block, "tool_use"))) {
        return check_tool_block(block, where, err);
    }
    static const char *const search_keys[] = {"web_search", "results", "error", NULL};
    static const char *const cited_keys[] = {"text", "citations", NULL};
    bool search = json_is_string(json_object_get(block, "web_search"));
    bool cited = json_is_string(json_object_get(block, "text"));
    if ((search || cited) && search_ok(block) &&
        !unknown_key(block, search ? search_keys : cited_keys)) {
        return IA_OK;
    }
    for (size_t i = 0; texts[i]; i++) {
        if (json_is_string(json_object_get(block, texts[i])) && json_object_size(block) == 1) {
            return IA_OK;
        }
    }
    return raw_ok(json_object_get(block, "raw"))
               ? IA_OK
               : error_at(err, where,
                          "a block must be text, thinking, redacted_thinking, tool_use, "
                          "web_search or a complete raw block");
}

static enum ia_rc check_blocks(const json_t *blocks, const char *where, struct ia_err *err)
{
    if (!json_is_array(blocks)) {
        return error_at(err, where, "blocks must be a list");
    }
    size_t i;
    json_t *block;
    json_array_foreach(blocks, i, block)
    {
        char inner[80];
        snprintf(inner, sizeof(inner), "%s, block %zu", where, i);
        enum ia_rc rc = check_block(block, inner, err);
        if (rc != IA_OK) {
            return rc;
        }
    }
    return IA_OK;
}

static bool error_ok(const json_t *error)
{
    json_int_t status = json_integer_value(json_object_get(error, "status"));
    const json_t *type = json_object_get(error, "type");
    return status >= 400 && status <= 599 && ia_mock_str(error, "message") &&
           (!type || json_is_string(type));
}

static enum ia_rc check_answer(const json_t *turn, const char *where, struct ia_err *err)
{
    static const char *const kinds[] = {"blocks", "raw_sse", "error", "answer"};
    int given = 0;
    for (size_t i = 0; i < IA_COUNTOF(kinds); i++) {
        given += json_object_get(turn, kinds[i]) ? 1 : 0;
    }
    if (given != 1) {
        return error_at(err, where, "one of blocks, raw_sse, error or answer is required");
    }
    const json_t *error = json_object_get(turn, "error");
    if (error && !error_ok(error)) {
        return error_at(err, where, "error needs a status from 400 to 599 and a message");
    }
    const json_t *raw = json_object_get(turn, "raw_sse");
    if (raw && !json_is_string(raw)) {
        return error_at(err, where, "raw_sse must be a string");
    }
    const char *answer = ia_mock_str(turn, "answer");
    if (json_object_get(turn, "answer") && (!answer || strcmp(answer, "demo") != 0)) {
        return error_at(err, where, "answer can only be \"demo\"");
    }
    const json_t *blocks = json_object_get(turn, "blocks");
    return blocks ? check_blocks(blocks, where, err) : IA_OK;
}

static bool types_ok(const json_t *turn)
{
    const json_t *usage = json_object_get(turn, "usage");
    const json_t *latency = json_object_get(turn, "latency_ms");
    const json_t *reason = json_object_get(turn, "stop_reason");
    const char *text = json_string_value(reason);
    return (!usage || json_is_object(usage)) &&
           (!latency || (json_is_integer(latency) && json_integer_value(latency) >= 0 &&
                         json_integer_value(latency) <= 600000)) &&
           (!reason || (text && strlen(text) < IA_MOCK_STOP_MAX));
}

static enum ia_rc check_turn(const json_t *turn, const char *where, struct ia_err *err)
{
    if (!json_is_object(turn)) {
        return error_at(err, where, "must be an object");
    }
    const char *unknown = unknown_key(turn, turn_keys);
    if (unknown) {
        return error_at(err, where, "unknown member \"%.60s\"", unknown);
    }
    if (!types_ok(turn)) {
        return error_at(err, where,
                        "stop_reason, usage or latency_ms has the wrong type or value");
    }
    const json_t *match = json_object_get(turn, "match");
    enum ia_rc rc = match ? check_match(match, where, err) : IA_OK;
    if (rc == IA_OK && match && json_object_get(turn, "repeat")) {
        rc = error_at(err, where, "repeat works only for turns without match");
    }
    return rc == IA_OK ? check_answer(turn, where, err) : rc;
}

static enum ia_rc take_places(struct ia_script_turn *t, int64_t *next, const char *where,
                              struct ia_err *err)
{
    const json_t *repeat = json_object_get(t->json, "repeat");
    int64_t n = repeat && json_is_integer(repeat) ? json_integer_value(repeat) : 1;
    if (repeat && !json_is_true(repeat) && (!json_is_integer(repeat) || n < 1)) {
        return error_at(err, where, "repeat must be true or a number of at least 1");
    }
    if (n > IA_SCRIPT_TURNS_MAX) {
        return error_at(err, where, "repeat is too large");
    }
    t->first = *next;
    t->last = json_is_true(repeat) ? INT64_MAX : *next + n - 1;
    *next += n;
    return IA_OK;
}

static enum ia_rc read_turns(struct ia_script *s, const json_t *turns, struct ia_err *err)
{
    int64_t next = 0;
    size_t i;
    json_t *turn;
    if (!json_is_array(turns) || json_array_size(turns) > IA_SCRIPT_TURNS_MAX) {
        return error_at(err, "turns", "expected a list of at most 10000 turns");
    }
    s->turns = ia_calloc(json_array_size(turns) + 1, sizeof(*s->turns));
    json_array_foreach(turns, i, turn)
    {
        char where[40];
        snprintf(where, sizeof(where), "turn %zu", i);
        struct ia_script_turn *t = &s->turns[s->count++];
        *t = (struct ia_script_turn){.json = turn, .match = json_object_get(turn, "match")};
        enum ia_rc rc = check_turn(turn, where, err);
        if (rc == IA_OK && !t->match) {
            rc = take_places(t, &next, where, err);
        }
        if (rc != IA_OK) {
            return rc;
        }
    }
    return IA_OK;
}

static enum ia_rc read_root(struct ia_script *s, struct ia_str json, struct ia_err *err)
{
    static const char *const keys[] = {"turns", "default", "comment", NULL};
    json_error_t je;
    if (json.n > IA_SCRIPT_BYTES_MAX || !ia_json_depth_ok(json, IA_MOCK_DEPTH_MAX)) {
        return ia_err_set(err, IA_E_LIMIT,
                          "the script is larger than %d bytes or nested too deeply",
                          IA_SCRIPT_BYTES_MAX);
    }
    s->root = json_loadb(json.n ? json.p : "", json.n, JSON_REJECT_DUPLICATES, &je);
    if (!s->root) {
        return ia_err_set(err, IA_E_PARSE, "script, line %d, column %d: %s", je.line, je.column,
                          je.text);
    }
    const char *unknown = unknown_key(s->root, keys);
    if (!json_is_object(s->root) || unknown) {
        return error_at(err, "top level", "unknown member \"%.60s\"", unknown ? unknown : "");
    }
    const json_t *fallback = json_object_get(s->root, "default");
    s->fallback.json = fallback;
    enum ia_rc rc = fallback ? check_turn(fallback, "default", err) : IA_OK;
    if (rc == IA_OK && fallback && json_object_get(fallback, "match")) {
        rc = error_at(err, "default", "it has no match");
    }
    return rc == IA_OK ? read_turns(s, json_object_get(s->root, "turns"), err) : rc;
}

enum ia_rc ia_script_parse(struct ia_str json, struct ia_script **ret, struct ia_err *err)
{
    struct ia_script *s = ia_calloc(1, sizeof(*s));
    enum ia_rc rc = read_root(s, json, err);
    if (rc != IA_OK) {
        ia_script_free(s);
        return rc;
    }
    *ret = s;
    return IA_OK;
}

void ia_script_free(struct ia_script *s)
{
    if (s) {
        json_decref(s->root);
        free(s->turns);
        free(s);
    }
}
