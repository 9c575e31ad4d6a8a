/* block.c: one content block from its start event to the JSON that is replayed.
 *
 *     start event   {"type":"text","text":""}           kept raw: member order, unknown members
 *     deltas        "Hel", "lo"                          body: raw string content, still escaped
 *     finish        {"type":"text","text":"Hello"}      start with some members replaced
 *
 * Bytes are replayed as they came, because the prompt cache and signed thinking are bound to
 * them. Two things must change all the same: a surrogate pair that was cut between two deltas
 * (escapes are joined or replaced by U+FFFD), and a tool's input that is no JSON object. */
#include "agent/claude/block.h"

#include "base/jsonw.h"

#include <stdlib.h>
#include <string.h>

static bool type_is(const struct ia_open_block *b, const char *type)
{
    return strcmp(b->type, type) == 0;
}

/* The raw content of a string member of the start event, or an empty string. */
static struct ia_jstr start_string(const struct ia_open_block *b, const char *key)
{
    struct ia_jstr s = {{"", 0}, false, false};
    struct ia_jscan scan = ia_jscan(ia_json_get(b->start, key));
    if (scan.p != scan.end) {
        ia_jscan_string(&scan, &s);
    }
    return s;
}

static void put_raw(struct ia_open_block *b, struct ia_jstr s)
{
    if (b->body.len == 0) {
        ia_buf_putc(&b->body, '"');
    }
    ia_buf_putstr(&b->body, s.raw);
    b->surrogates = b->surrogates || s.surrogates;
}

bool ia_open_block_init(struct ia_open_block *b, int64_t index, struct ia_str start)
{
    *b = (struct ia_open_block){.index = index,
                                .body = IA_BUF(IA_CLAUDE_BLOCK_MAX),
                                .signature = IA_BUF(IA_CLAUDE_BLOCK_MAX),
                                .citations = IA_BUF(IA_CLAUDE_BLOCK_MAX),
                                .compaction = IA_BUF(IA_CLAUDE_BLOCK_MAX)};
    b->type = ia_json_get_string(start, "type");
    if (!b->type) {
        return false;
    }
    b->start = (struct ia_str){ia_strndup(start.p, start.n), start.n};
    if (type_is(b, "text") || type_is(b, "thinking")) {
        put_raw(b, start_string(b, b->type));
    }
    return true;
}

void ia_open_block_fini(struct ia_open_block *b)
{
    free(b->type);
    free((char *)b->start.p);
    ia_buf_fini(&b->body);
    ia_buf_fini(&b->signature);
    ia_buf_fini(&b->citations);
    ia_buf_fini(&b->compaction);
}

static bool delta_text(struct ia_open_block *b, const struct ia_delta *d)
{
    /* Before the check, which makes the event malformed and ends the answer: what was put is
     * then never used. The same holds for the other deltas. */
    put_raw(b, d->text);
    return type_is(b, "text") && d->text.raw.p;
}

static bool delta_thinking(struct ia_open_block *b, const struct ia_delta *d)
{
    put_raw(b, d->thinking);
    return type_is(b, "thinking") && d->thinking.raw.p;
}

static bool takes_input(const struct ia_open_block *b)
{
    return type_is(b, "tool_use") || type_is(b, "server_tool_use") ||
           type_is(b, "mcp_tool_use");
}

static bool delta_input(struct ia_open_block *b, const struct ia_delta *d)
{
    /* Decoded at once: partial_json is JSON inside a string, and the pieces together are the
     * input. */
    ia_jstr_decode(d->partial_json, &b->body);
    return takes_input(b) && d->partial_json.raw.p;
}

/* A signature is set, not appended. */
static bool delta_signature(struct ia_open_block *b, const struct ia_delta *d)
{
    ia_buf_reset(&b->signature);
    ia_buf_putc(&b->signature, '"');
    ia_buf_putstr(&b->signature, d->signature.raw);
    ia_buf_putc(&b->signature, '"');
    return type_is(b, "thinking") && d->signature.raw.p;
}

static bool delta_citation(struct ia_open_block *b, const struct ia_delta *d)
{
    ia_buf_puts(&b->citations, b->citations.len ? "," : "");
    ia_buf_putstr(&b->citations, d->citation);
    return type_is(b, "text") && d->citation.p;
}

/* The delta carries the final values, so they are set. */
static bool delta_compaction(struct ia_open_block *b, const struct ia_delta *d)
{
    ia_buf_reset(&b->compaction);
    ia_buf_puts(&b->compaction, "{\"content\":");
    ia_buf_putstr(&b->compaction, d->content.p ? d->content : ia_str("null"));
    if (d->encrypted_content.p) {
        ia_buf_puts(&b->compaction, ",\"encrypted_content\":");
        ia_buf_putstr(&b->compaction, d->encrypted_content);
    }
    ia_buf_putc(&b->compaction, '}');
    return type_is(b, "compaction");
}

bool ia_open_block_delta(struct ia_open_block *b, const struct ia_delta *d)
{
    if (IA_IS(d->type.raw, "text_delta")) {
        return delta_text(b, d);
    }
    if (IA_IS(d->type.raw, "input_json_delta")) {
        return delta_input(b, d);
    }
    if (IA_IS(d->type.raw, "thinking_delta")) {
        return delta_thinking(b, d);
    }
    if (IA_IS(d->type.raw, "signature_delta")) {
        return delta_signature(b, d);
    }
    if (IA_IS(d->type.raw, "citations_delta")) {
        return delta_citation(b, d);
    }
    /* A delta of a type that is not known changes nothing; the block is replayed as it
     * began. */
    return IA_IS(d->type.raw, "compaction_delta") ? delta_compaction(b, d) : true;
}

static enum ia_block_kind kind_of(const struct ia_open_block *b)
{
    static const struct {
        const char *type;
        enum ia_block_kind kind;
    } kinds[] = {
        {"text", IA_BLOCK_TEXT},
        {"thinking", IA_BLOCK_THINKING},
        {"redacted_thinking", IA_BLOCK_THINKING},
        {"tool_use", IA_BLOCK_TOOL_USE},
    };
    for (size_t i = 0; i < IA_COUNTOF(kinds); i++) {
        if (type_is(b, kinds[i].type)) {
            return kinds[i].kind;
        }
    }
    return IA_BLOCK_OTHER;
}

/* What replaces members of the start event, and the memory behind it. */
struct patch {
    struct ia_jpair pairs[8];
    size_t n;
    struct ia_buf input;
    struct ia_buf citations;
};

static void patch_add(struct patch *p, const char *key, struct ia_str value)
{
    p->pairs[p->n++] = (struct ia_jpair){ia_str(key), value};
}

/* Closes the string of a text or thinking block. */
static void patch_body(struct ia_open_block *b, struct patch *p)
{
    /* Only where an escape of a surrogate was seen: the text is copied for it. */
    if (b->surrogates) {
        struct ia_buf fixed = IA_BUF(IA_CLAUDE_BLOCK_MAX);
        ia_jstr_fix_surrogates(ia_buf_str(&b->body), &fixed);
        ia_buf_fini(&b->body);
        b->body = fixed;
    }
    ia_buf_putc(&b->body, '"');
    patch_add(p, b->type, ia_buf_str(&b->body));
    if (b->signature.len > 0) {
        patch_add(p, "signature", ia_buf_str(&b->signature));
    }
}

static void patch_citations(const struct ia_open_block *b, struct patch *p)
{
    struct ia_str old = ia_json_get(b->start, "citations");
    bool keep = old.n > 2 && old.p[0] == '[';
    ia_buf_put(&p->citations, keep ? old.p : "[", keep ? old.n - 1 : 1);
    ia_buf_puts(&p->citations, keep ? "," : "");
    ia_buf_putstr(&p->citations, ia_buf_str(&b->citations));
    ia_buf_putc(&p->citations, ']');
    patch_add(p, "citations", ia_buf_str(&p->citations));
}

static json_t *load_object(struct ia_str json)
{
    json_t *v =
        ia_json_valid(json) ? json_loadb(json.p, json.n, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (json_is_object(v)) {
        return v;
    }
    json_decref(v);
    return NULL;
}

/* The input of a tool: the streamed text, or what the start event had when nothing was
 * streamed. Cut-off input is closed after its last complete value, so that the block can be shown;
 * it is never run. */
static void patch_input(struct ia_open_block *b, struct patch *p, struct ia_claude_block *ret)
{
    struct ia_str text = ia_buf_str(&b->body);
    struct ia_str given = ia_json_get(b->start, "input");
    struct ia_jscan scan = ia_jscan(text);
    bool streamed = !ia_jscan_end(&scan); /* more than blanks */
    if (!streamed) {
        ia_buf_putstr(&p->input, given.n ? given : ia_str("{}"));
    } else if (b->stopped || !ia_json_close(text, &p->input)) {
        ia_buf_putstr(&p->input, text);
    }
    ret->input = load_object(ia_buf_str(&p->input));
    /* Cut-off input may parse by accident; it must not run. */
    ret->input_ok = ret->input && b->stopped;
    if (!ret->input) {
        size_t n = p->input.len;
        ret->bad_input = ia_buf_steal(&p->input);
        struct ia_str bad = {ret->bad_input, n};
        /* The API takes more objects than jansson reads: with \u0000, lone surrogates, keys that
         * repeat and integers beyond 64 bits. Those are replayed as they came. */
        scan = ia_jscan(bad);
        if (ia_json_valid(bad) && ia_jscan_take(&scan, '{')) {
            ia_buf_putstr(&p->input, bad);
        } else {
            ia_buf_puts(&p->input, "{\"INVALID_JSON\":\"");
            ia_json_escape(&p->input, bad);
            ia_buf_puts(&p->input, "\"}");
        }
    }
    patch_add(p, "input", ia_buf_str(&p->input));
}

/* Text, id, name: what callers read without parsing. */
static void read_fields(struct ia_claude_block *ret, const struct ia_open_block *b)
{
    if (ret->kind == IA_BLOCK_TEXT) {
        struct ia_buf text = IA_BUF(IA_CLAUDE_BLOCK_MAX);
        /* Without the quotes that put_raw and patch_body added. */
        struct ia_jstr raw = {{b->body.p + 1, b->body.len - 2}, true, false};
        ia_jstr_decode(raw, &text);
        ret->text = text.p ? ia_buf_steal(&text) : ia_strdup("");
    }
    if (ret->kind == IA_BLOCK_TOOL_USE) {
        ret->id = ia_json_get_string(b->start, "id");
        ret->name = ia_json_get_string(b->start, "name");
    }
}

static void make_patch(struct ia_open_block *b, struct patch *p, struct ia_claude_block *ret)
{
    if (type_is(b, "text") || type_is(b, "thinking")) {
        patch_body(b, p);
    }
    if (b->citations.len > 0) {
        patch_citations(b, p);
    }
    if (takes_input(b)) {
        patch_input(b, p, ret);
    }
    if (b->compaction.len > 0) {
        /* At most two members, as delta_compaction writes them: they fit behind what is
         * there. */
        int n = ia_json_pairs(ia_buf_str(&b->compaction), p->pairs + p->n, 2);
        p->n += n > 0 ? (size_t)n : 0;
    }
}

static enum ia_rc too_large(const struct ia_open_block *b, struct ia_err *err)
{
    return ia_err_set(err, IA_E_LIMIT,
                      "content block %lld of the answer is larger than %zu bytes",
                      (long long)b->index, IA_CLAUDE_BLOCK_MAX);
}

static enum ia_rc make_block(struct ia_open_block *b, struct patch *p,
                             struct ia_claude_block *ret, struct ia_err *err)
{
    struct ia_buf json = IA_BUF(IA_CLAUDE_MESSAGE_MAX);
    make_patch(b, p, ret);
    read_fields(ret, b);
    ia_json_patch(b->start, p->pairs, p->n, &json);
    bool ok = ia_buf_ok(&json) && ia_buf_ok(&p->input) && ia_buf_ok(&p->citations);
    ret->json_len = json.len;
    /* Taken over before the check: on failure the caller frees it with the rest of the
     * block. */
    ret->json = ia_buf_steal(&json);
    if (!ok) {
        return too_large(b, err);
    }
    if (ret->kind == IA_BLOCK_TOOL_USE && (!ret->id || !ret->name)) {
        return ia_err_set(err, IA_E_API_PROTOCOL, "a tool_use block has no id or no name");
    }
    return IA_OK;
}

enum ia_rc ia_open_block_finish(struct ia_open_block *b, struct ia_claude_block *ret,
                                struct ia_err *err)
{
    if (!ia_buf_ok(&b->body) || !ia_buf_ok(&b->signature) || !ia_buf_ok(&b->citations) ||
        !ia_buf_ok(&b->compaction)) {
        return too_large(b, err);
    }
    struct patch p = {.input = IA_BUF(IA_CLAUDE_BLOCK_MAX),
                      .citations = IA_BUF(IA_CLAUDE_BLOCK_MAX)};
    struct ia_claude_block made = {
        .kind = kind_of(b), .complete = b->stopped, .type = ia_strdup(b->type)};
    enum ia_rc rc = make_block(b, &p, &made, err);
    if (rc) {
        ia_claude_block_fini(&made);
    } else {
        *ret = made;
    }
    ia_buf_fini(&p.input);
    ia_buf_fini(&p.citations);
    return rc;
}
