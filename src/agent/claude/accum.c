/* accum.c: builds a message from its stream of events.
 *
 *     message_start                       head and usage as the server sent them
 *       content_block_start  index n      a new open block (block.c)
 *         content_block_delta index n  *  appended to it; text also goes to the text hook
 *       content_block_stop   index n      the block is complete
 *     message_delta                       stop_reason and the like into head, tokens into usage
 *     message_stop                        complete: ia_accum_finish makes the message
 *     error                               the code of its type; the message is lost
 *
 * An event in another order is IA_E_API_PROTOCOL; one with an unknown name does nothing (the API
 * may add some, ping among them). Deltas are nearly all there is, so their path has no DOM and
 * copies each byte once. head stays raw JSON: what we do not know is kept and replayed. */
#include "agent/claude/block.h"
#include "agent/claude/retry.h"
#include "base/killpoint.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 48, BYTES_PER_TOKEN = 3 };

struct ia_accum {
    ia_accum_text_fn *on_text;
    void *ctx;
    bool started;
    bool stopped;
    struct ia_buf head;  /* the message object of message_start, as later events changed it */
    struct ia_buf usage; /* its usage object, likewise */
    struct ia_buf piece; /* scratch: one decoded delta */
    struct ia_open_block *blocks;
    size_t block_count;
    size_t bytes; /* of all events */
    size_t made;  /* of those, what the model wrote, escapes included */
};

/* The members of one event; absent ones are empty. */
struct frame {
    struct ia_jstr type;
    int64_t index; /* -1 absent */
    struct ia_str message, content_block, delta_json, usage, context;
    struct ia_delta delta;
};

struct ia_accum *ia_accum_new(ia_accum_text_fn *on_text, void *ctx)
{
    struct ia_accum *a = ia_calloc(1, sizeof(*a));
    a->on_text = on_text;
    a->ctx = ctx;
    a->head = IA_BUF(IA_CLAUDE_BLOCK_MAX);
    a->usage = IA_BUF(IA_CLAUDE_BLOCK_MAX);
    a->piece = IA_BUF(IA_CLAUDE_BLOCK_MAX);
    return a;
}

void ia_accum_free(struct ia_accum *a)
{
    if (!a) {
        return;
    }
    for (size_t i = 0; i < a->block_count; i++) {
        ia_open_block_fini(&a->blocks[i]);
    }
    free(a->blocks);
    ia_buf_fini(&a->head);
    ia_buf_fini(&a->usage);
    ia_buf_fini(&a->piece);
    free(a);
}

bool ia_accum_stopped(const struct ia_accum *a)
{
    return a->stopped;
}

bool ia_accum_started(const struct ia_accum *a)
{
    return a->started;
}

struct ia_claude_usage ia_accum_usage(const struct ia_accum *a)
{
    return ia_claude_usage_parse(ia_buf_str(&a->usage));
}

int64_t ia_accum_made_tokens(const struct ia_accum *a)
{
    struct ia_claude_usage said = ia_accum_usage(a);
    int64_t tokens = (int64_t)(a->made + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
    tokens = said.total.output > tokens ? said.total.output : tokens;
    ia_claude_usage_fini(&said);
    return tokens;
}

static enum ia_rc malformed(struct ia_str name, struct ia_err *err)
{
    return ia_err_set(err, IA_E_API_PROTOCOL, "the %.*s event of the answer is malformed",
                      (int)name.n, name.p);
}

static enum ia_rc misplaced(struct ia_str name, struct ia_err *err)
{
    return ia_err_set(err, IA_E_API_PROTOCOL, "the %.*s event of the answer is out of place",
                      (int)name.n, name.p);
}

/* Where a string member of a delta goes, or NULL. */
static struct ia_jstr *delta_string(struct ia_str key, struct ia_delta *d)
{
    if (IA_IS(key, "type")) {
        return &d->type;
    }
    if (IA_IS(key, "text")) {
        return &d->text;
    }
    if (IA_IS(key, "partial_json")) {
        return &d->partial_json;
    }
    if (IA_IS(key, "thinking")) {
        return &d->thinking;
    }
    return IA_IS(key, "signature") ? &d->signature : NULL;
}

/* Takes the value of a member of a delta, in one pass. */
static bool delta_member(struct ia_jwalk *w, struct ia_str key, struct ia_delta *d)
{
    struct ia_jstr *string = delta_string(key, d);
    ia_jscan_space(&w->s);
    if (string && w->s.p < w->s.end && *w->s.p == '"') {
        w->bad = !ia_jscan_string(&w->s, string);
        return !w->bad;
    }
    struct ia_str value;
    if (!ia_jwalk_value(w, &value)) {
        return false;
    }
    if (IA_IS(key, "citation")) {
        d->citation = value;
    } else if (IA_IS(key, "content")) {
        d->content = value;
    } else if (IA_IS(key, "encrypted_content")) {
        d->encrypted_content = value;
    }
    return true;
}

/* Scans the delta object at the cursor into f->delta and moves the cursor behind it. */
static bool take_delta(struct ia_jwalk *outer, struct frame *f)
{
    struct ia_jwalk w = ia_jwalk(outer->s, '{');
    struct ia_jstr key;
    const char *start = w.s.p - 1;
    while (ia_jwalk_member(&w, &key) && delta_member(&w, key.raw, &f->delta)) {
    }
    outer->bad = w.bad;
    outer->s = w.s;
    f->delta_json = (struct ia_str){start, (size_t)(w.s.p - start)};
    return !w.bad;
}

static bool take_index(struct ia_jwalk *w, int64_t *ret)
{
    struct ia_str v;
    /* Six digits are more than any answer needs, and cannot overflow. */
    if (!ia_jwalk_value(w, &v) || v.n == 0 || v.n > 6) {
        return false;
    }
    *ret = 0;
    for (size_t i = 0; i < v.n; i++) {
        if (v.p[i] < '0' || v.p[i] > '9') {
            return false;
        }
        *ret = *ret * 10 + (v.p[i] - '0');
    }
    return true;
}

/* Where a member of an event that is taken whole goes, or NULL. */
static struct ia_str *frame_value(struct ia_str key, struct frame *f)
{
    if (IA_IS(key, "message")) {
        return &f->message;
    }
    if (IA_IS(key, "content_block")) {
        return &f->content_block;
    }
    if (IA_IS(key, "usage")) {
        return &f->usage;
    }
    return IA_IS(key, "context_management") ? &f->context : NULL;
}

static bool take_member(struct ia_jwalk *w, struct ia_str key, struct frame *f)
{
    if (IA_IS(key, "type")) {
        w->bad = !ia_jscan_string(&w->s, &f->type);
        return !w->bad;
    }
    if (IA_IS(key, "index")) {
        return take_index(w, &f->index);
    }
    if (IA_IS(key, "delta")) {
        return take_delta(w, f);
    }
    struct ia_str unused;
    struct ia_str *dst = frame_value(key, f);
    return ia_jwalk_value(w, dst ? dst : &unused);
}

/* Reads an event's object; its type must be the event's name. */
static bool read_frame(struct ia_str name, struct ia_str data, struct frame *f)
{
    struct ia_jwalk w = ia_jwalk(ia_jscan(data), '{');
    struct ia_jstr key;
    *f = (struct frame){.index = -1};
    while (ia_jwalk_member(&w, &key)) {
        if (!take_member(&w, key.raw, f)) {
            return false;
        }
    }
    return !w.bad && ia_jscan_end(&w.s) && ia_str_eq(f->type.raw, name);
}

static bool is_object(struct ia_str json)
{
    return json.n > 0 && json.p[0] == '{';
}

/* Replaces members of the object in dst by those of over; with skip_null, null changes nothing. */
static bool overlay(struct ia_buf *dst, struct ia_str over, bool skip_null)
{
    struct ia_jpair pairs[PAIRS_MAX];
    int n = ia_json_pairs(over, pairs, PAIRS_MAX);
    size_t kept = 0;
    /* In message_delta a null means "unchanged" for a token count, but is a value for the
     * head. */
    for (int i = 0; i < n; i++) {
        if (!skip_null || !ia_str_is(pairs[i].value, "null")) {
            pairs[kept++] = pairs[i];
        }
    }
    struct ia_buf out = IA_BUF(dst->max);
    bool ok =
        n >= 0 && ia_json_patch(dst->len ? ia_buf_str(dst) : ia_str("{}"), pairs, kept, &out);
    ia_buf_fini(dst);
    *dst = out;
    return ok && ia_buf_ok(dst);
}

static enum ia_rc on_start(struct ia_accum *a, const struct frame *f, struct ia_str name,
                           struct ia_err *err)
{
    struct ia_str usage = ia_json_get(f->message, "usage");
    if (a->started) {
        return misplaced(name, err);
    }
    if (!is_object(f->message) || !overlay(&a->head, f->message, false) ||
        (is_object(usage) && !overlay(&a->usage, usage, false))) {
        return malformed(name, err);
    }
    a->started = true;
    return IA_OK;
}

/* Blocks come one after another, so the last one is nearly always meant. */
static struct ia_open_block *find_block(struct ia_accum *a, int64_t index)
{
    for (size_t i = a->block_count; i > 0; i--) {
        if (a->blocks[i - 1].index == index) {
            return &a->blocks[i - 1];
        }
    }
    return NULL;
}

/* A fallback block says that another model answers from here on. */
static void note_fallback(struct ia_accum *a, struct ia_str block)
{
    struct ia_str model = ia_json_get(ia_json_get(block, "to"), "model");
    struct ia_buf over = IA_BUF(IA_CLAUDE_BLOCK_MAX);
    if (ia_str_is(ia_json_get(block, "type"), "\"fallback\"") && model.n > 0 &&
        model.p[0] == '"') {
        const struct ia_jpair pair = {ia_str("model"), model};
        ia_json_patch(ia_str("{}"), &pair, 1, &over);
        overlay(&a->head, ia_buf_str(&over), false);
    }
    ia_buf_fini(&over);
}

static enum ia_rc on_block_start(struct ia_accum *a, const struct frame *f, struct ia_str name,
                                 struct ia_err *err)
{
    if (f->index < 0 || !is_object(f->content_block)) {
        return malformed(name, err);
    }
    if (find_block(a, f->index)) {
        return misplaced(name, err);
    }
    if (a->block_count == IA_CLAUDE_BLOCKS_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "the answer has more than %d content blocks",
                          IA_CLAUDE_BLOCKS_MAX);
    }
    a->blocks = ia_realloc(a->blocks, a->block_count + 1, sizeof(*a->blocks));
    struct ia_open_block *b = &a->blocks[a->block_count];
    if (!ia_open_block_init(b, f->index, f->content_block)) {
        ia_open_block_fini(b);
        return malformed(name, err);
    }
    a->block_count++;
    note_fallback(a, f->content_block);
    return IA_OK;
}

static void notify_text(struct ia_accum *a, struct ia_jstr text)
{
    if (!a->on_text || text.raw.n == 0) {
        return;
    }
    struct ia_str piece = text.raw;
    if (text.escaped) {
        ia_buf_reset(&a->piece);
        ia_jstr_decode(text, &a->piece);
        piece = ia_buf_str(&a->piece);
    }
    a->on_text(a->ctx, piece);
}

static enum ia_rc on_block_delta(struct ia_accum *a, const struct frame *f, struct ia_str name,
                                 struct ia_err *err)
{
    struct ia_open_block *b = find_block(a, f->index);
    if (!b || b->stopped) {
        return misplaced(name, err);
    }
    if (!f->delta_json.p || !ia_open_block_delta(b, &f->delta)) {
        return malformed(name, err);
    }
    const struct ia_delta *d = &f->delta;
    a->made += d->text.raw.n + d->thinking.raw.n + d->partial_json.raw.n;
    if (d->text.raw.p) {
        notify_text(a, d->text);
    }
    return IA_OK;
}

static enum ia_rc on_block_stop(struct ia_accum *a, const struct frame *f, struct ia_str name,
                                struct ia_err *err)
{
    struct ia_open_block *b = find_block(a, f->index);
    if (!b || b->stopped) {
        return misplaced(name, err);
    }
    b->stopped = true;
    return IA_OK;
}

static enum ia_rc on_message_delta(struct ia_accum *a, const struct frame *f,
                                   struct ia_str name, struct ia_err *err)
{
    /* It comes beside the delta, but belongs into the message like the members of the delta. */
    const struct ia_jpair context = {ia_str("context_management"), f->context};
    struct ia_buf extra = IA_BUF(IA_CLAUDE_BLOCK_MAX);
    if (is_object(f->context)) {
        ia_json_patch(ia_str("{}"), &context, 1, &extra);
    }
    bool ok = (!f->delta_json.p || overlay(&a->head, f->delta_json, false)) &&
              (!is_object(f->usage) || overlay(&a->usage, f->usage, true)) &&
              (extra.len == 0 || overlay(&a->head, ia_buf_str(&extra), false));
    ia_buf_fini(&extra);
    return ok ? IA_OK : malformed(name, err);
}

static enum ia_rc on_message_stop(struct ia_accum *a, const struct frame *f, struct ia_str name,
                                  struct ia_err *err)
{
    (void)f;
    (void)name;
    (void)err;
    a->stopped = true;
    return IA_OK;
}

typedef enum ia_rc handler(struct ia_accum *, const struct frame *, struct ia_str name,
                           struct ia_err *);

static handler *find_handler(struct ia_str name)
{
    static const struct {
        const char *name;
        handler *take;
    } rows[] = {
        {"content_block_start", on_block_start},
        {"content_block_stop", on_block_stop},
        {"message_start", on_start},
        {"message_delta", on_message_delta},
        {"message_stop", on_message_stop},
    };
    if (name.p && IA_IS(name, "content_block_delta")) {
        return on_block_delta; /* nearly always */
    }
    for (size_t i = 0; name.p && i < IA_COUNTOF(rows); i++) {
        if (ia_str_is(name, rows[i].name)) {
            return rows[i].take;
        }
    }
    return NULL;
}

enum ia_rc ia_accum_event(void *ctx, struct ia_str name, struct ia_str data, struct ia_err *err)
{
    struct ia_accum *a = ctx;
    struct frame f;
    handler *take = find_handler(name);
    IA_KILL_POINT("claude.event");
    if (name.p && IA_IS(name, "error")) {
        struct ia_api_failure failure = {.headers = {.should_retry = -1}};
        ia_api_error(&failure, 0, data);
        return ia_api_failure_err(&failure, NULL, err);
    }
    /* After message_stop nothing may change the message any more, whatever a server still
     * sends. */
    if (!take || a->stopped) {
        return IA_OK;
    }
    if (take != on_start && !a->started) {
        return misplaced(name, err);
    }
    /* The sum over all events bounds the memory that one answer can take. */
    a->bytes += data.n;
    if (a->bytes > IA_CLAUDE_MESSAGE_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "the answer is larger than %zu bytes",
                          IA_CLAUDE_MESSAGE_MAX);
    }
    return read_frame(name, data, &f) ? take(a, &f, name, err) : malformed(name, err);
}

static enum ia_stop stop_of(const char *reason)
{
    static const struct {
        const char *name;
        enum ia_stop stop;
    } rows[] = {
        {"end_turn", IA_STOP_END_TURN},
        {"max_tokens", IA_STOP_MAX_TOKENS},
        {"stop_sequence", IA_STOP_SEQUENCE},
        {"tool_use", IA_STOP_TOOL_USE},
        {"pause_turn", IA_STOP_PAUSE_TURN},
        {"refusal", IA_STOP_REFUSAL},
        {"model_context_window_exceeded", IA_STOP_CONTEXT},
        {"compaction", IA_STOP_COMPACTION},
    };
    for (size_t i = 0; reason && i < IA_COUNTOF(rows); i++) {
        if (strcmp(reason, rows[i].name) == 0) {
            return rows[i].stop;
        }
    }
    return reason ? IA_STOP_UNKNOWN : IA_STOP_NONE;
}

/* Fills everything but the blocks from the merged message object. */
static void read_head(struct ia_accum *a, struct ia_claude_message *m)
{
    struct ia_jpair pairs[PAIRS_MAX];
    struct ia_str head = ia_buf_str(&a->head);
    struct ia_str details = ia_json_get(head, "stop_details");
    int n = ia_json_pairs(head, pairs, PAIRS_MAX);
    size_t kept = 0;
    /* Blocks and usage are kept apart, as the events changed them. */
    for (int i = 0; i < n; i++) {
        if (!ia_str_is(pairs[i].key, "content") && !ia_str_is(pairs[i].key, "usage")) {
            pairs[kept++] = pairs[i];
        }
    }
    struct ia_buf rest = IA_BUF(IA_CLAUDE_MESSAGE_MAX);
    ia_json_patch(ia_str("{}"), pairs, kept, &rest);
    m->json_head = ia_buf_steal(&rest);
    m->id = ia_json_get_string(head, "id");
    m->model = ia_json_get_string(head, "model");
    m->stop_reason = ia_json_get_string(head, "stop_reason");
    m->stop = stop_of(m->stop_reason);
    m->stop_details = is_object(details) ? ia_strndup(details.p, details.n) : NULL;
    m->usage = ia_accum_usage(a);
}

static enum ia_rc read_blocks(struct ia_accum *a, struct ia_claude_message *m,
                              struct ia_err *err)
{
    m->blocks = ia_calloc(a->block_count + 1, sizeof(*m->blocks));
    for (size_t i = 0; i < a->block_count; i++) {
        enum ia_rc rc = ia_open_block_finish(&a->blocks[i], &m->blocks[i], err);
        if (rc) {
            return rc;
        }
        m->block_count++;
    }
    return IA_OK;
}

enum ia_rc ia_accum_finish(struct ia_accum *a, struct ia_claude_message *ret,
                           struct ia_err *err)
{
    struct ia_claude_message m = {.usage = ia_claude_usage_none()};
    /* A stream that ends early is no answer, even if its blocks look whole: the stop reason
     * is missing. */
    if (!a->stopped) {
        return ia_err_set(err, IA_E_API_STREAM, "the answer ended before message_stop");
    }
    enum ia_rc rc = read_blocks(a, &m, err);
    if (rc) {
        ia_claude_message_fini(&m);
        return rc;
    }
    read_head(a, &m);
    *ret = m;
    return IA_OK;
}

/* Gives each block of a message that was not streamed to the accumulator as if it had been. */
static enum ia_rc take_content(struct ia_accum *a, struct ia_str content, struct ia_err *err)
{
    struct ia_jwalk w = ia_jwalk(ia_jscan(content), '[');
    struct ia_str name = ia_str("content");
    struct frame f = {.index = 0};
    enum ia_rc rc = IA_OK;
    while (!rc && ia_jwalk_item(&w) && ia_jwalk_value(&w, &f.content_block)) {
        rc = on_block_start(a, &f, name, err);
        rc = rc ? rc : on_block_stop(a, &f, name, err);
        f.index++;
    }
    return rc || !w.bad ? rc : malformed(name, err);
}

enum ia_rc ia_claude_message_parse(struct ia_str json, struct ia_claude_message *ret,
                                   struct ia_err *err)
{
    struct ia_accum *a = ia_accum_new(NULL, NULL);
    struct frame f = {.message = json};
    enum ia_rc rc = json.n > IA_CLAUDE_MESSAGE_MAX || !ia_json_valid(json)
                        ? malformed(ia_str("message"), err)
                        : on_start(a, &f, ia_str("message"), err);
    rc = rc ? rc : take_content(a, ia_json_get(json, "content"), err);
    a->stopped = true;
    rc = rc ? rc : ia_accum_finish(a, ret, err);
    ia_accum_free(a);
    return rc;
}
