/* request.c: lays out the body of a request, and places the cache breakpoints.
 *
 *     {"model", "max_tokens", "stream", …}   "tools"   "system"   "messages"
 *                                               ▲1        ▲2       ▲3 previous  ▲4 newest
 *                                                                     user message
 *
 * A request reads the cache at a breakpoint when the prefix up to it was written before, and looks
 * back 20 blocks from each. So the newest user message (written now, read by the next request) and
 * the previous one (written by the last request) have one each. Where a turn had so many blocks
 * that the previous one is out of reach, a breakpoint goes in between; then the tools give up
 * theirs, as the system's covers them.
 *
 * The body is a list of pieces (body.h): texts are borrowed from the request and its
 * history, images are read from their files while the body is sent, so a long conversation
 * is not copied for each turn. Nothing of a turn before may change a byte of the prefix, or
 * the cache is missed. */
#include "agent/claude/body.h"
#include "agent/claude/history.h"
#include "agent/claude/jscan.h"

#include <pthread.h>
#include <stdlib.h>

#define CACHE_CONTROL ",\"cache_control\":{\"type\":\"ephemeral\"}"
#define DROPPED "{\"type\":\"text\",\"text\":\"[image no longer available]\""
#define BINDING "{\"prefix_mismatch_behavior\":\"drop_block\"}"

/* Where breakpoints go: 0 to 4 of them. Positions are (message, block). */
struct place {
    size_t message, block;
    bool set;
};

struct plan {
    bool tools, system;
    struct place newest, previous, between;
};

static struct place last_block(const struct ia_history *h, size_t message)
{
    return (struct place){message, h->messages[message].block_count - 1, true};
}

/* The last block of the newest user message before message `end`. */
static struct place user_before(const struct ia_history *h, size_t end)
{
    for (size_t i = end; i > 0; i--) {
        if (h->messages[i - 1].role == IA_MESSAGE_USER) {
            return last_block(h, i - 1);
        }
    }
    return (struct place){0};
}

/* Steps back from a place to the block before it, down to the place `stop`. */
static bool step_back(const struct ia_history *h, struct place *at, const struct place *stop)
{
    if (at->block > 0) {
        at->block--;
    } else {
        *at = last_block(h, at->message - 1);
    }
    return at->message != stop->message || at->block != stop->block;
}

/* When more blocks lie between the two user breakpoints than the newer one looks back, one more
 * is needed within its reach. */
static struct place between(const struct ia_history *h, const struct place *newer,
                            const struct place *older)
{
    struct place at = *newer;
    struct place found = {0};
    for (int steps = 1; step_back(h, &at, older); steps++) {
        /* A thinking block cannot carry a breakpoint. */
        bool usable = !h->messages[at.message].blocks[at.block].thinking;
        if (steps < IA_CLAUDE_LOOKBACK && usable) {
            found = at;
        }
        if (steps + 1 >= IA_CLAUDE_LOOKBACK) {
            return found;
        }
    }
    return (struct place){0};
}

static struct plan make_plan(const struct ia_claude_request *req, bool tools)
{
    struct plan plan = {0};
    if (req->no_cache) {
        return plan;
    }
    plan.system = req->system_count > 0;
    /* The last message is a user message, except after a pause: then the newest one before
     * it. */
    plan.newest = user_before(req->history, req->history->count);
    plan.previous = user_before(req->history, plan.newest.message);
    if (plan.previous.set) {
        plan.between = between(req->history, &plan.newest, &plan.previous);
    }
    /* The system's breakpoint covers the tools as well, should four be too few. */
    plan.tools = tools && !(plan.system && plan.between.set);
    return plan;
}

static bool is_place(const struct place *p, size_t message, size_t block)
{
    return p->set && p->message == message && p->block == block;
}

static bool breakpoint_at(const struct plan *plan, size_t message, size_t block)
{
    return is_place(&plan->newest, message, block) ||
           is_place(&plan->previous, message, block) ||
           is_place(&plan->between, message, block);
}

static enum ia_rc put_image(struct ia_body *b, const struct ia_hist_image *image,
                            struct ia_err *err)
{
    if (image->dropped) {
        ia_body_literal(b, DROPPED);
        return IA_OK;
    }
    ia_body_literal(b, "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"");
    ia_body_literal(b, image->media_type);
    ia_body_literal(b, "\",\"data\":\"");
    enum ia_rc rc = ia_body_file(b, image->path, err);
    ia_body_literal(b, "\"}");
    return rc;
}

/* Puts a block but for its closing brace. Its images are those from *next on. */
static enum ia_rc put_open_block(struct ia_body *b, const struct ia_hist_message *m,
                                 const struct ia_hist_block *block, size_t *next,
                                 struct ia_err *err)
{
    size_t at = block->offset;
    /* Without the closing brace, before which put_blocks may add cache_control. */
    size_t end = block->offset + block->length - 1;
    enum ia_rc rc = IA_OK;
    while (!rc && *next < m->image_count && m->images[*next].offset < end) {
        const struct ia_hist_image *image = &m->images[(*next)++];
        ia_body_borrow(b, m->text + at, image->offset - at);
        rc = put_image(b, image, err);
        at = image->offset + image->length;
    }
    ia_body_borrow(b, m->text + at, end - at);
    return rc;
}

static bool all_stripped(const struct ia_hist_message *m, bool strip)
{
    for (size_t i = 0; i < m->block_count; i++) {
        if (!strip || !m->blocks[i].thinking) {
            return false;
        }
    }
    return true;
}

static enum ia_rc put_blocks(struct ia_body *b, const struct ia_history *h, size_t index,
                             const struct plan *plan, bool strip, struct ia_err *err)
{
    const struct ia_hist_message *m = &h->messages[index];
    size_t image = 0;
    bool first = true;
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; !rc && i < m->block_count; i++) {
        if (strip && m->blocks[i].thinking) {
            continue;
        }
        ia_body_literal(b, first ? "" : ",");
        first = false;
        rc = put_open_block(b, m, &m->blocks[i], &image, err);
        ia_body_literal(b, breakpoint_at(plan, index, i) ? CACHE_CONTROL "}" : "}");
    }
    return rc;
}

static enum ia_rc put_messages(struct ia_body *b, const struct ia_history *h,
                               const struct plan *plan, bool strip, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    bool first = true;
    ia_body_literal(b, ",\"messages\":[");
    for (size_t i = 0; !rc && i < h->count; i++) {
        /* A message without blocks would be refused. */
        if (all_stripped(&h->messages[i], strip)) {
            continue;
        }
        ia_body_literal(b, first ? "" : ",");
        first = false;
        ia_body_literal(b, h->messages[i].role == IA_MESSAGE_USER
                               ? "{\"role\":\"user\",\"content\":["
                               : "{\"role\":\"assistant\",\"content\":[");
        rc = put_blocks(b, h, i, plan, strip, err);
        ia_body_literal(b, "]}");
    }
    ia_body_literal(b, "]}");
    return rc;
}

/* {"model":…,"max_tokens":…,"stream":true, and optional members. A summary is not streamed, as nobody
 * reads along. */
static void put_head(struct ia_body *b, const struct ia_claude_request *req,
                     const struct ia_claude_repairs *rep)
{
    size_t from = b->text.len;
    struct ia_str thinking = rep->no_thinking ? (struct ia_str){0} : req->thinking;
    const struct ia_jpair binding[] = {{ia_str("type"), ia_str("\"adaptive\"")},
                                       {ia_str("block_binding"), ia_str(BINDING)}};
    ia_buf_puts(&b->text, "{\"model\":\"");
    ia_json_escape(&b->text, ia_str(req->model));
    ia_buf_printf(&b->text, "\",\"max_tokens\":%d", req->max_tokens);
    if (req->compaction.n > 0) {
        ia_buf_puts(&b->text, ",\"compaction\":{\"type\":\"summarize\",\"instructions\":\"");
        ia_json_escape(&b->text, req->compaction);
        ia_buf_puts(&b->text, "\"}");
    } else {
        ia_buf_puts(&b->text, ",\"stream\":true");
    }
    if (req->effort) {
        ia_buf_printf(&b->text, ",\"output_config\":{\"effort\":\"%s\"}", req->effort);
    }
    if (rep->binding && !rep->strip_thinking) {
        ia_buf_puts(&b->text, ",\"thinking\":");
        ia_json_patch(thinking.n ? thinking : ia_str("{}"), binding, IA_COUNTOF(binding),
                      &b->text);
    } else if (thinking.n > 0) {
        ia_buf_puts(&b->text, ",\"thinking\":");
        ia_buf_putstr(&b->text, thinking);
    }
    if (req->tool_choice.n > 0 && !rep->no_tool_choice) {
        ia_buf_puts(&b->text, ",\"tool_choice\":");
        ia_buf_putstr(&b->text, req->tool_choice);
    }
    ia_body_end_text(b, from);
}

/* tools is a valid array that ends in an object. */
static void put_tools(struct ia_body *b, struct ia_str tools, bool breakpoint)
{
    /* The breakpoint goes into the last tool, before its closing brace. */
    size_t brace = tools.n;
    while (tools.p[brace - 1] != '}') {
        brace--;
    }
    ia_body_literal(b, ",\"tools\":");
    ia_body_borrow(b, tools.p, brace - 1);
    ia_body_literal(b, breakpoint ? CACHE_CONTROL : "");
    ia_body_borrow(b, tools.p + brace - 1, tools.n - brace + 1);
}

static void put_system(struct ia_body *b, const struct ia_claude_request *req, bool breakpoint)
{
    size_t from = b->text.len;
    ia_buf_puts(&b->text, ",\"system\":[");
    for (size_t i = 0; i < req->system_count; i++) {
        ia_buf_puts(&b->text,
                    i ? ",{\"type\":\"text\",\"text\":\"" : "{\"type\":\"text\",\"text\":\"");
        ia_json_escape(&b->text, req->system[i]);
        ia_buf_putc(&b->text, '"');
        bool last = i + 1 == req->system_count;
        ia_buf_puts(&b->text, last && breakpoint ? CACHE_CONTROL "}" : "}");
    }
    ia_buf_putc(&b->text, ']');
    ia_body_end_text(b, from);
}

static enum ia_rc usage_error(struct ia_err *err, const char *what)
{
    return ia_err_set(err, IA_E_USAGE, "the request cannot be sent: %s", what);
}

static bool known_effort(const char *effort)
{
    static const char *const efforts[] = {"low", "medium", "high", "xhigh", "max"};
    for (size_t i = 0; i < IA_COUNTOF(efforts); i++) {
        if (strcmp(effort, efforts[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Counts the tools; -1 when they are no array of objects or one carries a breakpoint. */
static int count_tools(struct ia_str tools)
{
    struct ia_jwalk w = ia_jwalk(ia_jscan(tools), '[');
    struct ia_str tool;
    int n = 0;
    while (ia_jwalk_item(&w) && ia_jwalk_value(&w, &tool)) {
        if (tool.p[0] != '{' || ia_json_get(tool, "cache_control").n > 0) {
            return -1;
        }
        n++;
    }
    return w.bad || !ia_jscan_end(&w.s) ? -1 : n;
}

/* The same text comes with every request of a program: it is read once. */
static int count_known_tools(struct ia_str tools)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static struct ia_buf last = {.max = IA_CLAUDE_REQUEST_MAX};
    static int count;
    pthread_mutex_lock(&mutex);
    if (last.len != tools.n || memcmp(last.p, tools.p, tools.n) != 0) {
        ia_buf_reset(&last);
        ia_buf_putstr(&last, tools);
        count = count_tools(tools);
    }
    int n = count;
    pthread_mutex_unlock(&mutex);
    return n;
}

static bool forces_tool(struct ia_str choice)
{
    struct ia_str type = ia_json_get(choice, "type");
    return !ia_str_is(type, "\"auto\"") && !ia_str_is(type, "\"none\"");
}

static bool is_object(struct ia_str json)
{
    return json.n > 0 && json.p[0] == '{' && ia_json_valid(json);
}

/* With a user message, or the summary of what was before. */
static bool begins_well(const struct ia_history *h)
{
    if (!ia_history_compacted(h)) {
        return h->count > 0;
    }
    const struct ia_hist_message *m = &h->messages[0];
    struct ia_str block = {m->text + m->blocks[0].offset, m->blocks[0].length};
    return ia_str_is(ia_json_get(block, "type"), "\"compaction\"");
}

static enum ia_rc check_request(const struct ia_claude_request *req, int tools,
                                struct ia_err *err)
{
    if (!req->model || !req->model[0]) {
        return usage_error(err, "no model was given");
    }
    if (req->max_tokens < 1) {
        return usage_error(err, "max_tokens must be at least 1");
    }
    if (req->effort && !known_effort(req->effort)) {
        return usage_error(err, "effort must be low, medium, high, xhigh or max");
    }
    if (tools < 0) {
        return usage_error(err,
                           "the tools are not a JSON array of objects without cache_control");
    }
    if (req->thinking.n > 0 && !is_object(req->thinking)) {
        return usage_error(err, "thinking is not a JSON object");
    }
    if (req->tool_choice.n > 0 &&
        (!is_object(req->tool_choice) || forces_tool(req->tool_choice))) {
        return usage_error(err, "tool_choice may be auto or none");
    }
    if (!req->history || !begins_well(req->history)) {
        return usage_error(err, "the history does not begin with a user message");
    }
    for (size_t i = 0; i < req->system_count; i++) {
        if (req->system[i].n == 0) {
            return usage_error(err, "a system text is empty");
        }
    }
    return IA_OK;
}

static enum ia_rc check_size(struct ia_body *b, struct ia_err *err)
{
    for (size_t i = 0; i < b->count; i++) {
        b->size += b->pieces[i].size;
    }
    enum ia_rc rc = ia_buf_check(&b->text, "the system text", err);
    if (!rc && b->size > IA_CLAUDE_REQUEST_MAX) {
        rc = ia_err_set(err, IA_E_API_TOO_LARGE,
                        "the request has %lld bytes; the API accepts at most %lld",
                        (long long)b->size, (long long)IA_CLAUDE_REQUEST_MAX);
        ia_err_hint(err, "start a new run, or take fewer screenshots");
    }
    return rc;
}

enum ia_rc ia_body_new(const struct ia_claude_request *req, const struct ia_claude_repairs *rep,
                       struct ia_body **ret, struct ia_err *err)
{
    int tools = req->tools.n ? count_known_tools(req->tools) : 0;
    enum ia_rc rc = check_request(req, tools, err);
    if (rc) {
        return rc;
    }
    struct ia_body *b = ia_body_open();
    struct plan plan = make_plan(req, tools > 0);
    put_head(b, req, rep);
    if (tools > 0) {
        put_tools(b, req->tools, plan.tools);
    }
    if (req->system_count > 0) {
        put_system(b, req, plan.system);
    }
    rc = put_messages(b, req->history, &plan, rep->strip_thinking, err);
    rc = rc ? rc : check_size(b, err);
    if (rc) {
        ia_body_free(b);
        return rc;
    }
    *ret = b;
    return IA_OK;
}
