/* emit.c: writes events. `ends` keeps the offset behind each, so that faults and pacing can work on
 * whole events, and the socket can cut chunks wherever it likes.
 *
 *   message_start
 *     content_block_start ─► ping after the first ─► content_block_delta … ─► content_block_stop
 *   message_delta (stop reason, usage) ─► message_stop
 *
 * Lengths of pieces, padding and further pings are random, from the reply's generator: with
 * a seed the same request gets the same bytes. */
#include "mock/server/emit.h"

#include "base/jsonw.h"
#include "base/utf8.h"
#include "mock/api/search.h"

#include <stdlib.h>
#include <string.h>

enum { PAD_MAX = 15, TEXT_PIECE = 24, JSON_PIECE = 16, PING_ONE_IN = 16 };

struct emitter {
    struct ia_mock_stream *s;
    const struct ia_rand *rand;
    struct ia_jsonw w;
};

void ia_mock_stream_init(struct ia_mock_stream *s)
{
    *s = (struct ia_mock_stream){.bytes = IA_BUF(IA_MOCK_STREAM_MAX)};
}

void ia_mock_stream_fini(struct ia_mock_stream *s)
{
    ia_buf_fini(&s->bytes);
    free(s->ends);
    *s = (struct ia_mock_stream){0};
}

static void end_frame(struct ia_mock_stream *s)
{
    if (s->frames == s->ends_cap) {
        s->ends_cap = s->ends_cap ? s->ends_cap * 2 : 32;
        s->ends = ia_realloc(s->ends, s->ends_cap, sizeof(*s->ends));
    }
    s->ends[s->frames++] = s->bytes.len;
}

void ia_mock_stream_raw(struct ia_mock_stream *s, const char *bytes)
{
    for (const char *p = bytes; *p;) {
        const char *blank = strstr(p, "\n\n");
        size_t n = blank ? (size_t)(blank - p) + 2 : strlen(p);
        ia_buf_put(&s->bytes, p, n);
        end_frame(s);
        p += n;
    }
}

void ia_mock_stream_error(struct ia_mock_stream *s, const char *type, const char *message)
{
    ia_buf_puts(&s->bytes, "event: error\ndata: ");
    ia_mock_emit_error(&s->bytes, type, message, NULL, NULL);
    ia_buf_puts(&s->bytes, "\n\n");
    end_frame(s);
}

void ia_mock_stream_garbage(struct ia_mock_stream *s)
{
    ia_buf_puts(&s->bytes, "event: content_block_delta\ndata: {\"type\":\"content_blo\n\n");
    end_frame(s);
}

void ia_mock_stream_cut(struct ia_mock_stream *s, size_t n)
{
    if (n < s->frames) {
        s->frames = n;
        ia_buf_cut(&s->bytes, n > 0 ? s->ends[n - 1] : 0);
    }
}

static size_t below(const struct emitter *e, size_t n)
{
    return (size_t)(ia_rand_next(e->rand) % n);
}

static void open_event(struct emitter *e, const char *type)
{
    ia_buf_printf(&e->s->bytes, "event: %s\ndata: ", type);
    ia_jsonw_init(&e->w, &e->s->bytes);
    ia_jsonw_object(&e->w);
    ia_jsonw_kv(&e->w, "type", type);
}

static void close_event(struct emitter *e)
{
    size_t pad = below(e, PAD_MAX + 1);
    for (size_t i = 0; i < pad; i++) {
        ia_buf_putc(&e->s->bytes, ' ');
    }
    ia_jsonw_end_object(&e->w);
    ia_buf_puts(&e->s->bytes, "\n\n");
    end_frame(e->s);
}

static void ping(struct emitter *e)
{
    ia_buf_puts(&e->s->bytes, "event: ping\ndata: {\"type\": \"ping\"}\n\n");
    end_frame(e->s);
}

static void put_json(struct emitter *e, const char *key, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    ia_jsonw_key(&e->w, key);
    ia_jsonw_raw(&e->w, ia_str(text ? text : "null"));
    free(text);
}

static void delta(struct emitter *e, size_t index, const char *type, const char *key,
                  struct ia_str value)
{
    open_event(e, "content_block_delta");
    ia_jsonw_kv_int(&e->w, "index", (int64_t)index);
    ia_jsonw_key(&e->w, "delta");
    ia_jsonw_object(&e->w);
    ia_jsonw_kv(&e->w, "type", type);
    ia_jsonw_key(&e->w, key);
    ia_jsonw_str(&e->w, value);
    ia_jsonw_end_object(&e->w);
    close_event(e);
    if (below(e, PING_ONE_IN) == 0) {
        ping(e);
    }
}

/* Pieces of random length that end between characters. */
static void deltas(struct emitter *e, size_t index, const char *type, const char *key,
                   const char *text, size_t piece)
{
    size_t n = strlen(text);
    for (size_t at = 0; at < n;) {
        size_t want = 1 + below(e, piece);
        size_t take = n - at <= want ? n - at : ia_utf8_cut(text + at, want);
        if (take == 0) {
            take = ia_utf8_valid_len(text + at, n - at);
            take = take ? take : 1;
        }
        delta(e, index, type, key, (struct ia_str){text + at, take});
        at += take;
    }
}

static json_t *start_of(const json_t *block)
{
    json_t *start = json_deep_copy(block);
    const char *type = ia_mock_str(block, "type");
    if (strcmp(type, "text") == 0) {
        json_object_set_new(start, "text", json_string(""));
        if (json_object_get(start, "citations")) {
            json_object_set_new(start, "citations", json_array());
        }
    } else if (strcmp(type, "thinking") == 0) {
        json_object_set_new(start, "thinking", json_string(""));
        json_object_set_new(start, "signature", json_string(""));
    } else if (json_object_get(start, "input")) {
        json_object_set_new(start, "input", json_object());
    }
    /* A member of scripts, which the API does not have. */
    json_object_del(start, "input_raw");
    return start;
}

static void tool_deltas(struct emitter *e, size_t index, const json_t *block)
{
    const char *raw = ia_mock_str(block, "input_raw");
    const json_t *input = json_object_get(block, "input");
    char *text = raw ? ia_strdup(raw) : json_dumps(input, 0);
    delta(e, index, "input_json_delta", "partial_json", ia_str(""));
    /* No input is no further delta: the client must read an empty text as {}. */
    if (text && (raw || json_object_size(input) > 0)) {
        deltas(e, index, "input_json_delta", "partial_json", text, JSON_PIECE);
    }
    free(text);
}

static void citation_deltas(struct emitter *e, size_t index, const json_t *block)
{
    const json_t *citation;
    size_t i;
    json_array_foreach(json_object_get(block, "citations"), i, citation)
    {
        open_event(e, "content_block_delta");
        ia_jsonw_kv_int(&e->w, "index", (int64_t)index);
        ia_jsonw_key(&e->w, "delta");
        ia_jsonw_object(&e->w);
        ia_jsonw_kv(&e->w, "type", "citations_delta");
        put_json(e, "citation", citation);
        ia_jsonw_end_object(&e->w);
        close_event(e);
    }
}

static void block_deltas(struct emitter *e, size_t index, const json_t *block)
{
    const char *type = ia_mock_str(block, "type");
    if (strcmp(type, "text") == 0) {
        citation_deltas(e, index, block);
        deltas(e, index, "text_delta", "text", ia_mock_str(block, "text"), TEXT_PIECE);
    } else if (strcmp(type, "thinking") == 0) {
        deltas(e, index, "thinking_delta", "thinking", ia_mock_str(block, "thinking"),
               TEXT_PIECE);
        delta(e, index, "signature_delta", "signature",
              ia_str(ia_mock_str(block, "signature")));
    } else if (json_is_object(json_object_get(block, "input"))) {
        tool_deltas(e, index, block);
    }
}

static void emit_block(struct emitter *e, size_t index, const json_t *block, bool stop)
{
    json_t *start = start_of(block);
    open_event(e, "content_block_start");
    ia_jsonw_kv_int(&e->w, "index", (int64_t)index);
    put_json(e, "content_block", start);
    close_event(e);
    json_decref(start);
    if (index == 0) {
        ping(e);
    }
    block_deltas(e, index, block);
    if (stop) {
        open_event(e, "content_block_stop");
        ia_jsonw_kv_int(&e->w, "index", (int64_t)index);
        close_event(e);
    }
}

static json_t *message_json(const struct ia_mock_answer *a, const char *model,
                            const struct ia_mock_usage *u, const struct ia_rand *rand,
                            bool start)
{
    char id[IA_MOCK_ID_SIZE];
    ia_mock_id(rand, "msg_", id);
    json_t *m =
        json_pack("{s:s, s:s, s:s, s:s, s:[], s:n, s:n}", "model", model, "id", id, "type",
                  "message", "role", "assistant", "content", "stop_reason", "stop_sequence");
    json_object_set_new(m, "usage", ia_mock_usage_json(a, u, true));
    if (!start) {
        json_object_set_new(json_object_get(m, "usage"), "output_tokens",
                            json_integer(u->output));
        if (ia_mock_searches(a) > 0) {
            json_object_set_new(
                json_object_get(m, "usage"), "server_tool_use",
                json_pack("{s:I}", "web_search_requests", (json_int_t)ia_mock_searches(a)));
        }
        if (a->usage) {
            json_object_update(json_object_get(m, "usage"), a->usage);
        }
    }
    return m;
}

static void emit_end(struct emitter *e, const struct ia_mock_answer *a,
                     const struct ia_mock_usage *u)
{
    json_t *usage = ia_mock_usage_json(a, u, false);
    open_event(e, "message_delta");
    ia_jsonw_key(&e->w, "delta");
    ia_jsonw_object(&e->w);
    ia_jsonw_kv(&e->w, "stop_reason", a->stop_reason);
    if (a->stop_sequence) {
        put_json(e, "stop_sequence", a->stop_sequence);
    } else {
        ia_jsonw_kv(&e->w, "stop_sequence", NULL);
    }
    if (a->stop_details) {
        put_json(e, "stop_details", a->stop_details);
    }
    ia_jsonw_end_object(&e->w);
    put_json(e, "usage", usage);
    close_event(e);
    json_decref(usage);
    open_event(e, "message_stop");
    close_event(e);
}

void ia_mock_emit_stream(struct ia_mock_stream *s, const struct ia_mock_answer *a,
                         const char *model, const struct ia_mock_usage *u,
                         const struct ia_rand *rand)
{
    struct emitter e = {.s = s, .rand = rand};
    if (a->raw_sse) {
        ia_mock_stream_raw(s, a->raw_sse);
        return;
    }
    json_t *message = message_json(a, model, u, rand, true);
    open_event(&e, "message_start");
    put_json(&e, "message", message);
    close_event(&e);
    json_decref(message);
    size_t i;
    json_t *block;
    json_array_foreach(a->content, i, block)
    {
        bool last = i + 1 == json_array_size(a->content);
        emit_block(&e, i, block, !(last && a->unfinished));
    }
    emit_end(&e, a, u);
}

void ia_mock_emit_message(struct ia_buf *out, const struct ia_mock_answer *a, const char *model,
                          const struct ia_mock_usage *u, const struct ia_rand *rand)
{
    json_t *m = message_json(a, model, u, rand, false);
    json_t *content = json_deep_copy(a->content);
    size_t i;
    json_t *block;
    json_array_foreach(content, i, block)
    {
        json_object_del(block, "input_raw");
    }
    json_object_set_new(m, "content", content);
    json_object_set_new(m, "stop_reason", json_string(a->stop_reason));
    if (a->stop_sequence) {
        json_object_set(m, "stop_sequence", a->stop_sequence);
    }
    if (a->stop_details) {
        json_object_set(m, "stop_details", a->stop_details);
    }
    char *text = json_dumps(m, JSON_COMPACT);
    ia_buf_puts(out, text);
    free(text);
    json_decref(m);
}

void ia_mock_emit_error(struct ia_buf *out, const char *type, const char *message,
                        const char *details, const char *request_id)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "type", "error");
    ia_jsonw_key(&w, "error");
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "type", type);
    ia_jsonw_kv(&w, "message", message);
    if (details) {
        ia_jsonw_key(&w, "details");
        ia_jsonw_raw(&w, ia_str(details));
    }
    ia_jsonw_end_object(&w);
    if (request_id) {
        ia_jsonw_kv(&w, "request_id", request_id);
    }
    ia_jsonw_end_object(&w);
}
