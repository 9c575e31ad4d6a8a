/* script_answer.c: finds the turn for a request and makes its answer.
 *
 *     request ─► texts (latest results, user text, all user text, system), made once
 *                  └► first turn that fits ─► "default" ─► refused with what was seen
 *                        └► blocks, every $ref(SELECTOR) replaced by a ref of the latest screen */
#include "base/buf.h"
#include "mock/api/search.h"
#include "mock/brain/brain.h"
#include "mock/brain/screen.h"
#include "mock/server/script_turn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUOTED_BYTES = 200 };
#define TEXT_BYTES_MAX ((size_t)8 << 20)

/* The texts a request is matched on, made once. */
struct texts {
    const struct ia_mock_request *req;
    const struct ia_mock_turn *last; /* the last turn, if it is the user's */
    struct ia_buf results;
    struct ia_buf user;
    struct ia_buf any_user;
    struct ia_buf system;
    int64_t turn;
    bool verifier;
};

static void texts_init(struct texts *s, const struct ia_mock_request *req)
{
    *s = (struct texts){.req = req,
                        .results = IA_BUF(TEXT_BYTES_MAX),
                        .user = IA_BUF(TEXT_BYTES_MAX),
                        .any_user = IA_BUF(TEXT_BYTES_MAX),
                        .system = IA_BUF(TEXT_BYTES_MAX),
                        .turn = (int64_t)ia_mock_assistant_turns(req),
                        .verifier = ia_brain_is_verifier(req)};
    const struct ia_mock_turn *last = &req->turns[req->turn_count - 1];
    s->last = last->role == IA_MOCK_USER ? last : NULL;
    for (size_t t = 0; t < req->turn_count; t++) {
        const struct ia_mock_turn *turn = &req->turns[t];
        for (size_t i = 0; turn->role == IA_MOCK_USER && i < turn->count; i++) {
            bool result = ia_mock_block_is(&turn->blocks[i], "tool_result");
            ia_mock_block_text(&turn->blocks[i], &s->any_user);
            if (turn == s->last) {
                ia_mock_block_text(&turn->blocks[i], result ? &s->results : &s->user);
            }
        }
    }
    ia_mock_system_text(req, &s->system);
}

static bool contains(const struct ia_buf *b, const char *text)
{
    return strstr(ia_buf_cstr(b), text) != NULL;
}

static bool contains_all(const struct ia_buf *b, const json_t *wanted)
{
    size_t i;
    json_t *text;
    if (json_is_string(wanted)) {
        return contains(b, json_string_value(wanted));
    }
    json_array_foreach(wanted, i, text)
    {
        if (!contains(b, json_string_value(text))) {
            return false;
        }
    }
    return true;
}

static const char *tool_of_id(const struct ia_mock_request *req, const char *id)
{
    for (size_t t = req->turn_count; t > 0; t--) {
        for (size_t i = 0; i < req->turns[t - 1].count; i++) {
            const struct ia_mock_block *b = &req->turns[t - 1].blocks[i];
            const char *have =
                ia_mock_block_is(b, "tool_use") ? ia_mock_str(b->json, "id") : NULL;
            if (have && strcmp(have, id) == 0) {
                return ia_mock_str(b->json, "name");
            }
        }
    }
    return "";
}

static bool result_of(const struct texts *s, const char *tool)
{
    for (size_t i = 0; s->last && i < s->last->count; i++) {
        const struct ia_mock_block *b = &s->last->blocks[i];
        if (ia_mock_block_is(b, "tool_result") &&
            strcmp(tool_of_id(s->req, ia_mock_str(b->json, "tool_use_id")), tool) == 0) {
            return true;
        }
    }
    return false;
}

static bool any_error(const struct texts *s)
{
    for (size_t i = 0; s->last && i < s->last->count; i++) {
        if (json_is_true(json_object_get(s->last->blocks[i].json, "is_error"))) {
            return true;
        }
    }
    return false;
}

static bool call_fits(const struct texts *s, const char *call)
{
    if (!call || strcmp(call, "actor") == 0) {
        return !s->verifier;
    }
    return strcmp(call, "any") == 0 || s->verifier;
}

static bool turn_fits(const struct texts *s, const json_t *turn)
{
    if (!turn) {
        return true;
    }
    int64_t first = json_integer_value(json_is_array(turn) ? json_array_get(turn, 0) : turn);
    int64_t last = json_integer_value(json_is_array(turn) ? json_array_get(turn, 1) : turn);
    return s->turn >= first && s->turn <= last;
}

/* What a match does not mention fits everything. */
static bool match_fits(const struct texts *s, const json_t *m)
{
    const json_t *results = json_object_get(m, "result_contains");
    const char *tool = ia_mock_str(m, "tool");
    const char *user = ia_mock_str(m, "user_text");
    const char *any = ia_mock_str(m, "any_text");
    const char *model = ia_mock_str(m, "model");
    const char *system = ia_mock_str(m, "system_contains");
    const json_t *is_error = json_object_get(m, "is_error");
    const char *latest = ia_mock_str(m, "latest");
    return call_fits(s, ia_mock_str(m, "call")) && turn_fits(s, json_object_get(m, "turn")) &&
           (!results || contains_all(&s->results, results)) && (!tool || result_of(s, tool)) &&
           (!user || contains(&s->user, user)) && (!any || contains(&s->any_user, any)) &&
           (!model || strcmp(ia_mock_str(s->req->root, "model"), model) == 0) &&
           (!system || contains(&s->system, system)) &&
           (!is_error || any_error(s) == json_is_true(is_error)) &&
           (!latest || contains(&s->results, latest) || contains(&s->user, latest));
}

static const struct ia_script_turn *find_turn(const struct ia_script *script,
                                              const struct texts *s)
{
    for (size_t i = 0; i < script->count; i++) {
        const struct ia_script_turn *t = &script->turns[i];
        bool fits = t->match ? match_fits(s, t->match)
                             : !s->verifier && s->turn >= t->first && s->turn <= t->last;
        if (fits) {
            return t;
        }
    }
    return script->fallback.json ? &script->fallback : NULL;
}

/* ---- answering ---- */

struct fill {
    const struct ia_brain_screen *screen;
    struct ia_mock_reject *r;
    const struct ia_mock_request *req;
};

/* The end of $ref(…): the parenthesis that is not between quotes. */
static const char *ref_end(const char *p)
{
    bool quoted = false;
    for (; *p && (quoted || *p != ')'); p++) {
        if (quoted && *p == '\\' && p[1]) {
            p++;
        } else if (*p == '"') {
            quoted = !quoted;
        }
    }
    return *p ? p : NULL;
}

/* Copies text with every $ref(…) replaced. *ret_only: it was nothing but one of them. */
static bool fill_text(const struct fill *f, const char *text, struct ia_buf *out,
                      bool *ret_only)
{
    static const char mark[] = "$ref(";
    const char *start = text;
    *ret_only = false;
    for (const char *at; (at = strstr(text, mark));) {
        const char *selector = at + strlen(mark);
        const char *end = ref_end(selector);
        if (!end) {
            break;
        }
        const struct ia_brain_item *item = ia_brain_screen_select(
            f->screen, (struct ia_str){selector, (size_t)(end - selector)});
        if (!item) {
            return ia_mock_refuse_as(
                f->r, 500, "script_ref",
                "script: %.*s matches nothing on the latest screen (%zu elements)",
                (int)(end + 1 - at), at, f->screen->count);
        }
        ia_buf_put(out, text, (size_t)(at - text));
        ia_buf_printf(out, "%u", item->ref);
        *ret_only = at == start && end[1] == '\0';
        text = end + 1;
    }
    ia_buf_puts(out, text);
    return true;
}

static json_t *fill_json(const struct fill *f, const json_t *j);

static json_t *fill_string(const struct fill *f, const json_t *j)
{
    struct ia_buf b = IA_BUF(IA_SCRIPT_BYTES_MAX);
    bool only;
    json_t *made = NULL;
    if (fill_text(f, json_string_value(j), &b, &only)) {
        made = only ? json_integer(strtoll(ia_buf_cstr(&b), NULL, 10))
                    : json_string(ia_buf_cstr(&b));
    }
    ia_buf_fini(&b);
    return made;
}

static json_t *fill_object(const struct fill *f, const json_t *j)
{
    json_t *made = json_object();
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)j, key, value)
    {
        json_t *filled = fill_json(f, value);
        if (!filled) {
            json_decref(made);
            return NULL;
        }
        json_object_set_new(made, key, filled);
    }
    return made;
}

static json_t *fill_array(const struct fill *f, const json_t *j)
{
    json_t *made = json_array();
    size_t i;
    json_t *value;
    json_array_foreach(j, i, value)
    {
        json_t *filled = fill_json(f, value);
        if (!filled) {
            json_decref(made);
            return NULL;
        }
        json_array_append_new(made, filled);
    }
    return made;
}

/* A new value, or NULL when a $ref found nothing. */
static json_t *fill_json(const struct fill *f, const json_t *j)
{
    switch (json_typeof(j)) {
    case JSON_STRING:
        return fill_string(f, j);
    case JSON_OBJECT:
        return fill_object(f, j);
    case JSON_ARRAY:
        return fill_array(f, j);
    default:
        return json_deep_copy(j);
    }
}

/* Answers never share values with the script: reference counts are not for several threads. */
static json_t *copy_of(const json_t *object, const char *key)
{
    return json_deep_copy(json_object_get(object, key));
}

static json_t *make_tool(const struct fill *f, const json_t *block)
{
    static const char *const copied[] = {"id", "input_raw"};
    const json_t *given = json_object_get(block, "input");
    json_t *input = given ? fill_json(f, given) : json_object();
    if (!input) {
        return NULL;
    }
    json_t *made = json_pack("{s:s, s:o, s:o}", "type", "tool_use", "name",
                             copy_of(block, "tool_use"), "input", input);
    for (size_t i = 0; i < IA_COUNTOF(copied); i++) {
        if (json_object_get(block, copied[i])) {
            json_object_set_new(made, copied[i], copy_of(block, copied[i]));
        }
    }
    return made;
}

static json_t *make_block(const struct fill *f, const json_t *block)
{
    static const struct {
        const char *key, *type, *member;
    } rows[] = {{"text", "text", "text"},
                {"thinking", "thinking", "thinking"},
                {"redacted_thinking", "redacted_thinking", "data"}};
    if (json_object_get(block, "tool_use")) {
        return make_tool(f, block);
    }
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (json_object_get(block, rows[i].key)) {
            return json_pack("{s:s, s:o}", "type", rows[i].type, rows[i].member,
                             copy_of(block, rows[i].key));
        }
    }
    return copy_of(block, "raw");
}

static json_t *cited(json_t *made, const json_t *block)
{
    const json_t *citation;
    size_t i;
    json_t *all = json_array();
    json_array_foreach(json_object_get(block, "citations"), i, citation)
    {
        json_array_append_new(all, ia_mock_search_cite(citation));
    }
    json_object_set_new(made, "citations", all);
    return made;
}

static bool add_search(const struct fill *f, const json_t *block, struct ia_mock_answer *a)
{
    return ia_mock_search_add(f->req, ia_mock_str(block, "web_search"),
                              json_object_get(block, "results"), ia_mock_str(block, "error"),
                              a) ||
           ia_mock_refuse_as(f->r, 500, "script_search",
                             "script: the request does not offer web_search");
}

static bool add_blocks(const struct fill *f, const json_t *blocks, struct ia_mock_answer *a)
{
    size_t i;
    json_t *block;
    json_array_foreach(blocks, i, block)
    {
        if (json_object_get(block, "web_search")) {
            if (!add_search(f, block, a)) {
                return false;
            }
            continue;
        }
        json_t *made = make_block(f, block);
        if (!made) {
            return false;
        }
        made = json_object_get(block, "citations") ? cited(made, block) : made;
        if (json_object_get(block, "tool_use")) {
            snprintf(a->stop_reason, sizeof(a->stop_reason), "tool_use");
        }
        json_array_append_new(a->content, made);
    }
    return true;
}

static bool add_blocks_on_screen(const struct ia_mock_request *req, const json_t *blocks,
                                 struct ia_mock_answer *a, struct ia_mock_reject *r)
{
    struct ia_brain_screen screen;
    ia_brain_screen_init(&screen);
    ia_brain_screen_at(req, req->turn_count - 1, &screen);
    struct fill f = {&screen, r, req};
    bool ok = add_blocks(&f, blocks, a);
    ia_brain_screen_fini(&screen);
    return ok;
}

static void take_rest(const json_t *turn, struct ia_mock_answer *a)
{
    const char *reason = ia_mock_str(turn, "stop_reason");
    if (reason) {
        snprintf(a->stop_reason, sizeof(a->stop_reason), "%s", reason);
    }
    a->stop_sequence = copy_of(turn, "stop_sequence");
    a->stop_details = copy_of(turn, "stop_details");
    a->usage = copy_of(turn, "usage");
    a->unfinished = json_is_true(json_object_get(turn, "unfinished"));
    a->raw_sse = ia_strdup(ia_mock_str(turn, "raw_sse"));
    a->latency_ms = (int)json_integer_value(json_object_get(turn, "latency_ms"));
}

static bool refuse_unmatched(const struct texts *s, struct ia_mock_reject *r)
{
    const char *model = ia_mock_str(s->req->root, "model");
    return ia_mock_refuse_as(
        r, 500, "script_unmatched",
        "script: no turn matches this %s request: model %.60s, %lld assistant turns, latest "
        "results \"%.*s\", latest user text \"%.*s\"",
        s->verifier ? "verifier" : "actor", model, (long long)s->turn, QUOTED_BYTES,
        ia_buf_cstr(&s->results), QUOTED_BYTES, ia_buf_cstr(&s->user));
}

static bool refuse_scripted(const json_t *error, struct ia_mock_reject *r)
{
    int status = (int)json_integer_value(json_object_get(error, "status"));
    (void)ia_mock_refuse_as(r, status, "script_error", "%s", ia_mock_str(error, "message"));
    const char *type = ia_mock_str(error, "type");
    r->type = type ? type : r->type;
    return false;
}

bool ia_script_answer(const struct ia_script *script, const struct ia_mock_request *req,
                      struct ia_mock_answer *answer, struct ia_mock_reject *r)
{
    struct texts s;
    texts_init(&s, req);
    const struct ia_script_turn *t = find_turn(script, &s);
    const json_t *error = t ? json_object_get(t->json, "error") : NULL;
    bool ok = true;
    if (!t) {
        ok = refuse_unmatched(&s, r);
    } else if (error) {
        ok = refuse_scripted(error, r);
    } else if (json_object_get(t->json, "answer")) {
        ia_brain_answer(req, answer);
    } else {
        ok = add_blocks_on_screen(req, json_object_get(t->json, "blocks"), answer, r);
        take_rest(t->json, answer);
    }
    ia_buf_fini(&s.results);
    ia_buf_fini(&s.user);
    ia_buf_fini(&s.any_user);
    ia_buf_fini(&s.system);
    return ok;
}
