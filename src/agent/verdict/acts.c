/* acts.c: the steps of a run in little room.
 *
 *     events ─► acts: tool, input, element, changes, in order
 *     heads      each act's line with its input; where they take more than half of the room, the
 *                least telling and oldest are left out
 *     changes    what is left is shared among the acts that changed the screen: the largest share
 *                that fits all of them, else the newest first
 *     lines      of a share, those with words of the goal come first
 *
 * Inputs are the tool's own members, named one by one below: a member that is not named there, as
 * the condition of wait_for, is the model's word and no act. `finish`, `remember` and
 * `memory` hold nothing else. What did not happen (not sent, nothing changed) is no act either. */
#include "agent/verdict/acts.h"

#include "agent/core_tools/core_tools.h"
#include "base/jsonw.h"
#include "base/utf8.h"
#include "json/json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    VALUE_BYTES = 160, /* of one input; an element has half of it */
    VALUE_BYTES_SHORT = 64,
    NAME_BYTES = 64,
    OTHER_INPUTS = 4,
    LINE_BYTES = 120,
    MESSAGE_BYTES = 500,
    CHANGES_BYTES = 8 << 10, /* of one act: what is behind it is not looked at */
    WORDS_MAX = 64,
    WORD_BYTES_MIN = 3, /* shorter ones stand in every second line */
    SCORE_MAX = 4
};

/* ---- which inputs are acts ---------------------------------------------------------------- */

/* What is shown of a tool, and how telling it is: what is opened, started and answered more than
 * what is typed, that more than a tap, a tap more than scrolling, all of them more than looking. */
enum { TELLING_MAX = 4 };
static const struct shape {
    const char *inputs[3];
    int telling;
} shapes[IA_TOOL_COUNT] = {
    [IA_TOOL_TYPE_TEXT] = {{"text", "replace", "submit"}, 3},
    [IA_TOOL_OPEN_URL] = {{"url"}, TELLING_MAX},
    [IA_TOOL_LAUNCH_APP] = {{"bundle_id"}, TELLING_MAX},
    [IA_TOOL_TERMINATE_APP] = {{"bundle_id"}, TELLING_MAX},
    [IA_TOOL_ALERT] = {{"action", "button"}, TELLING_MAX},
    [IA_TOOL_PRESS_BUTTON] = {{"button"}, TELLING_MAX},
    [IA_TOOL_CLEAR_TEXT] = {{NULL}, 3},
    [IA_TOOL_TAP] = {{NULL}, 2},
    [IA_TOOL_LONG_PRESS] = {{NULL}, 2},
    [IA_TOOL_SWIPE] = {{"direction"}, 1},
    [IA_TOOL_SCROLL_TO] = {{NULL}, 1},
    [IA_TOOL_BACK] = {{NULL}, 1},
};

/* At most n bytes, on one line, without the signs in `without`. */
static void put_clipped(struct ia_buf *out, struct ia_str s, size_t n, const char *without)
{
    size_t kept = s.n > n ? ia_utf8_cut(s.p, n) : s.n;
    for (size_t i = 0; i < kept; i++) {
        bool dropped = (unsigned char)s.p[i] < ' ' || strchr(without, s.p[i]);
        ia_buf_putc(out, dropped ? ' ' : s.p[i]);
    }
    ia_buf_puts(out, kept < s.n ? "…" : "");
}

/* ---- reading them from the events --------------------------------------------------------- */

struct ia_act {
    int step;
    enum ia_tool tool; /* IA_TOOL_COUNT: one that is not the device's, or the first look */
    char *name;        /* of that one; NULL: the first look, or a tool of the device */
    json_t *input;     /* NULL: none */
    char *element, *changes;
    char *trouble; /* how it ended, where it did not go well */
    bool changed;

    size_t share;  /* bytes for its changes */
    bool left_out; /* not even its line */
};

/* What other programs were asked to do is as telling as what was opened. */
static int telling_of(const struct ia_act *a)
{
    return a->tool < IA_TOOL_COUNT ? shapes[a->tool].telling : TELLING_MAX;
}

static struct ia_act *add(struct ia_acts *acts)
{
    if (acts->count == acts->cap) {
        acts->cap = acts->cap ? 2 * acts->cap : 32;
        acts->items = ia_realloc(acts->items, acts->cap, sizeof(*acts->items));
    }
    struct ia_act *a = &acts->items[acts->count++];
    *a = (struct ia_act){.tool = IA_TOOL_COUNT};
    return a;
}

static void act_fini(struct ia_act *a)
{
    json_decref(a->input);
    free(a->name);
    free(a->element);
    free(a->changes);
    free(a->trouble);
}

static void forget(struct ia_acts *acts)
{
    for (size_t i = 0; i < acts->count; i++) {
        act_fini(&acts->items[i]);
    }
    acts->count = 0;
    ia_buf_reset(&acts->messages);
}

void ia_acts_fini(struct ia_acts *acts)
{
    forget(acts);
    free(acts->items);
    ia_buf_fini(&acts->messages);
    *acts = (struct ia_acts){0};
}

struct reading {
    struct ia_acts *acts;
    json_t *input; /* of the call that began last */
    int64_t step;  /* of that */
};

static void take_started(struct reading *r, const struct ia_event_tool_started *e)
{
    json_decref(r->input);
    r->input = json_incref(e->input.value);
    r->step = e->step;
}

/* An effect that may have reached the device, or a look at a screen that had changed. */
static bool happened(enum ia_tool tool, const struct ia_event_tool_finished *e)
{
    if (tool == IA_TOOL_FINISH || tool == IA_TOOL_REMEMBER ||
        ia_str_is(e->tool, IA_TOOL_MEMORY)) {
        return false;
    }
    if (tool == IA_TOOL_COUNT) { /* only those with an effect have an outcome */
        return e->changed || ia_str_is(e->outcome, ia_outcome_name(IA_OUTCOME_SENT)) ||
               ia_str_is(e->outcome, ia_outcome_name(IA_OUTCOME_UNKNOWN));
    }
    return e->changed || (ia_tool_has_effect(tool) && !ia_str_is(e->outcome, "not_sent"));
}

static void take_finished(struct reading *r, const struct ia_event_tool_finished *e)
{
    enum ia_tool tool = ia_tool_from_name(e->tool);
    if (!happened(tool, e)) {
        return;
    }
    struct ia_act *a = add(r->acts);
    a->step = (int)e->step;
    a->tool = tool;
    a->name = tool == IA_TOOL_COUNT ? ia_strdup(ia_event_text(e->tool)) : NULL;
    a->input = r->step == e->step ? json_incref(r->input) : NULL;
    a->element = ia_strdup(ia_event_text(e->element));
    a->changes = ia_strdup(ia_event_text(e->changes));
    a->changed = e->changed;
    a->trouble = e->ok ? NULL : ia_strdup(ia_event_text(e->code));
}

static void take_messages(struct reading *r, const struct ia_event_messages_list *said)
{
    for (size_t i = 0; i < said->n; i++) {
        put_clipped(&r->acts->messages, said->items[i].text, MESSAGE_BYTES, "<>");
        ia_buf_putc(&r->acts->messages, '\n');
    }
}

static bool take_event(void *ctx, const struct ia_event_row *row)
{
    struct reading *r = ctx;
    enum ia_event_type type = row->type;
    struct ia_event e;
    if (type == IA_EVENT_RUN_ROLLED_BACK) { /* that attempt did nothing */
        forget(r->acts);
    }
    if (type != IA_EVENT_TOOL_STARTED && type != IA_EVENT_TOOL_FINISHED &&
        type != IA_EVENT_MESSAGE_TAKEN) {
        return true;
    }
    if (ia_event_read(&e, row->json)) {
        if (type == IA_EVENT_TOOL_STARTED) {
            take_started(r, &e.tool_started);
        } else if (type == IA_EVENT_TOOL_FINISHED) {
            take_finished(r, &e.tool_finished);
        } else {
            take_messages(r, &e.message_taken.messages);
        }
    }
    ia_event_fini(&e);
    return true;
}

enum ia_rc ia_acts_read(struct ia_run_ctx *run, struct ia_acts *ret, struct ia_err *err)
{
    *ret = (struct ia_acts){.messages = IA_BUF(IA_TURN_BYTES_MAX)};
    struct reading r = {.acts = ret};
    int64_t last = 0, before;
    enum ia_rc rc;
    do {
        before = last;
        struct ia_event_range range = {.run_id = run->id, .after_id = before};
        rc = ia_store_events(run->env->store, &range, take_event, &r, &last, err);
    } while (rc == IA_OK && last > before);
    json_decref(r.input);
    struct ia_act *look = add(ret);
    look->changes = ia_strdup(ia_buf_cstr(&run->proof.first_screen));
    look->changed = true;
    /* To the front: an attempt that was rolled back may have been forgotten meanwhile. */
    struct ia_act first = *look;
    memmove(ret->items + 1, ret->items, (ret->count - 1) * sizeof(*ret->items));
    ret->items[0] = first;
    return rc;
}

/* ---- heads -------------------------------------------------------------------------------- */

static void put_value(struct ia_buf *out, const char *key, const json_t *v, size_t max)
{
    if (json_is_true(v)) {
        ia_buf_printf(out, " %s", key);
    } else if (json_is_string(v)) {
        struct ia_str s = {json_string_value(v), json_string_length(v)};
        size_t kept = s.n > max ? ia_utf8_cut(s.p, max) : s.n;
        ia_buf_printf(out, " %s=", key);
        struct ia_jsonw w;
        ia_jsonw_init(&w, out);
        ia_jsonw_str(&w, (struct ia_str){s.p, kept});
        ia_buf_puts(out, kept < s.n ? "…" : "");
    } else if (json_is_number(v) || json_is_array(v)) { /* places on a picture */
        char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
        ia_buf_printf(out, " %s=", key);
        put_clipped(out, ia_str(text), max, "");
        free(text);
    }
}

/* Of a tool that this file does not know: its first members. They are what it was called with, and so
 * what it did. */
static void put_members(struct ia_buf *out, const struct ia_act *a, size_t value_bytes)
{
    int left = OTHER_INPUTS;
    const char *key;
    json_t *value;
    json_object_foreach(a->input, key, value)
    {
        put_value(out, key, left-- > 0 ? value : NULL, value_bytes);
    }
}

static void put_head(struct ia_buf *out, const struct ia_act *a, size_t value_bytes)
{
    ia_buf_printf(out, "step %d", a->step);
    if (a->tool == IA_TOOL_COUNT && !a->name) {
        ia_buf_putc(out, '\n');
        return;
    }
    ia_buf_putc(out, ' ');
    put_clipped(out, ia_str(a->name ? a->name : ia_tool_name(a->tool)), NAME_BYTES, "<>");
    for (size_t i = 0; !a->name && i < IA_COUNTOF(shapes[a->tool].inputs); i++) {
        const char *key = shapes[a->tool].inputs[i];
        put_value(out, key, key ? json_object_get(a->input, key) : NULL, value_bytes);
    }
    if (a->name) {
        put_members(out, a, value_bytes);
    }
    if (a->element[0]) {
        ia_buf_puts(out, ": ");
        put_clipped(out, ia_str(a->element), value_bytes / 2, "");
    }
    if (a->trouble) {
        ia_buf_printf(out, " (error %s)", a->trouble);
    }
    ia_buf_puts(out, a->changed ? "\n" : " (nothing changed)\n");
}

static size_t head_bytes(const struct ia_act *a, size_t value_bytes)
{
    struct ia_buf b = IA_BUF(IA_TURN_BYTES_MAX);
    put_head(&b, a, value_bytes);
    size_t n = b.len;
    ia_buf_fini(&b);
    return n;
}

/* ---- lines of the screen ------------------------------------------------------------------ */

/* Words of what the run is about, in lower case, each once. */
struct words {
    char *text;
    const char *items[WORDS_MAX];
    size_t count;
};

static bool has_word(const struct words *w, const char *word)
{
    for (size_t i = 0; i < w->count; i++) {
        if (strcmp(w->items[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static void words_init(struct words *w, const char *subject)
{
    *w = (struct words){.text = ia_strdup(subject)};
    char *from = NULL;
    for (char *p = w->text;; p++) {
        bool end = *p == '\0';
        bool in = !end && (isalnum((unsigned char)*p) || (unsigned char)*p >= 0x80);
        from = in && !from ? p : from;
        *p = (char)(in ? tolower((unsigned char)*p) : '\0');
        if (!in && from) {
            if (p - from >= WORD_BYTES_MIN && w->count < WORDS_MAX && !has_word(w, from)) {
                w->items[w->count++] = from;
            }
            from = NULL;
        }
        if (end) {
            return;
        }
    }
}

static int score_of(const struct words *w, struct ia_str line)
{
    char low[LINE_BYTES + 1];
    size_t n = line.n < LINE_BYTES ? line.n : LINE_BYTES;
    for (size_t i = 0; i < n; i++) {
        low[i] = (char)(line.p[i] ? tolower((unsigned char)line.p[i]) : ' ');
    }
    low[n] = '\0';
    int score = 0;
    for (size_t i = 0; i < w->count && score < SCORE_MAX; i++) {
        score += strstr(low, w->items[i]) != NULL;
    }
    return score;
}

enum { SHARE_MIN = 60 };       /* less holds no line that says anything */
enum { LEFT_NOTE_BYTES = 16 }; /* "| (+12 lines)\n" */

struct line {
    struct ia_str s;
    int score;
    bool kept;
};

/* The lines of the act's changes; the caller frees them. The header of a new screen, which has
 * its app and title, counts as telling. */
static struct line *lines_of(const struct ia_act *a, const struct words *w, size_t *ret_n)
{
    struct ia_str text = ia_str(a->changes), s;
    text.n = text.n > CHANGES_BYTES ? CHANGES_BYTES : text.n;
    struct line *lines = NULL;
    size_t cap = 0;
    bool header = a->step == 0;
    *ret_n = 0;
    while (ia_str_line(&text, &s)) {
        if (ia_str_is(s, "new screen")) {
            header = true;
            continue;
        }
        if (*ret_n == cap) {
            cap = cap ? 2 * cap : 32;
            lines = ia_realloc(lines, cap, sizeof(*lines));
        }
        lines[(*ret_n)++] = (struct line){s, header ? SCORE_MAX : score_of(w, s), false};
        header = false;
    }
    return lines;
}

static size_t line_bytes(const struct line *l)
{
    return (l->s.n > LINE_BYTES ? LINE_BYTES + strlen("…") : l->s.n) + strlen("| \n");
}

/* Marks the lines that fit, the most telling first; returns their bytes. */
static size_t choose(struct line *lines, size_t n, size_t bytes)
{
    size_t used = 0;
    for (int want = SCORE_MAX; want >= 0; want--) {
        for (size_t i = 0; i < n; i++) {
            if (lines[i].score == want && used + line_bytes(&lines[i]) <= bytes) {
                lines[i].kept = true;
                used += line_bytes(&lines[i]);
            }
        }
    }
    return used;
}

static void put_changes(struct ia_buf *out, const struct ia_act *a, const struct words *w)
{
    size_t n, left = 0;
    struct line *lines = lines_of(a, w, &n);
    choose(lines, n, a->share > LEFT_NOTE_BYTES ? a->share - LEFT_NOTE_BYTES : 0);
    for (size_t i = 0; i < n; i++) {
        if (lines[i].kept) {
            ia_buf_puts(out, "| ");
            put_clipped(out, lines[i].s, LINE_BYTES, "");
            ia_buf_putc(out, '\n');
        }
        left += !lines[i].kept;
    }
    if (left > 0) {
        ia_buf_printf(out, "| (+%zu lines)\n", left);
    }
    free(lines);
}

/* ---- sharing the room --------------------------------------------------------------------- */

static size_t heads_bytes(const struct ia_acts *acts, size_t value_bytes)
{
    size_t total = 0;
    for (size_t i = 0; i < acts->count; i++) {
        total += head_bytes(&acts->items[i], value_bytes);
    }
    return total;
}

/* Leaves out acts until the heads of the others fit; returns the bytes of those. */
static size_t fit_heads(const struct ia_acts *acts, size_t value_bytes, size_t bytes)
{
    size_t total = heads_bytes(acts, value_bytes);
    for (int telling = 0; telling <= TELLING_MAX && total > bytes; telling++) {
        /* From 1: what was there first is the one thing that a change is seen by. */
        for (size_t i = 1; i < acts->count && total > bytes; i++) {
            struct ia_act *a = &acts->items[i];
            if (telling_of(a) == telling) {
                a->left_out = true;
                total -= head_bytes(a, value_bytes);
            }
        }
    }
    return total;
}

/* The bytes that changes take with that share each; the first screen has its own. */
static size_t changes_bytes(const struct ia_acts *acts, size_t share)
{
    size_t total = 0;
    for (size_t i = 1; i < acts->count; i++) {
        const struct ia_act *a = &acts->items[i];
        size_t all = a->changed && !a->left_out ? strlen(a->changes) : 0;
        total += all < share ? all : share;
    }
    return total;
}

/* What was there first is what a change is seen by, so some room is its own; it also gets what the
 * others leave. */
static void share_out(const struct ia_acts *acts, size_t bytes)
{
    static const size_t shares[] = {2000, 1000, 600, 400, 300, 200, 150, 100};
    enum { LAST = IA_COUNTOF(shares) - 1 };
    struct ia_act *first = &acts->items[0];
    size_t at = 0, of_first = strlen(first->changes);
    of_first = of_first < bytes / 4 ? of_first : bytes / 4;
    bytes -= of_first;
    while (at < LAST && changes_bytes(acts, shares[at]) > bytes) {
        at++;
    }
    /* The newest first, for where even the smallest share is too much. */
    for (size_t i = acts->count; i-- > 1;) {
        struct ia_act *a = &acts->items[i];
        bool shown = a->changed && !a->left_out;
        size_t all = strlen(a->changes);
        a->share = !shown ? 0 : shares[at] < bytes ? shares[at] : bytes;
        a->share = a->share < SHARE_MIN && a->share < all ? 0 : a->share;
        bytes -= all < a->share ? all : a->share;
    }
    first->share = of_first + bytes;
}

/* How many steps of which tool are not shown. */
static void put_left_out(struct ia_buf *out, const struct ia_acts *acts)
{
    int counts[IA_TOOL_COUNT + 1] = {0}, all = 0;
    for (size_t i = 1; i < acts->count; i++) {
        counts[acts->items[i].tool] += acts->items[i].left_out;
        all += acts->items[i].left_out;
    }
    if (all == 0) {
        return;
    }
    ia_buf_printf(out, "(%d steps are left out:", all);
    for (int t = 0; t <= IA_TOOL_COUNT; t++) {
        if (counts[t] > 0) {
            const char *name = t < IA_TOOL_COUNT ? ia_tool_name((enum ia_tool)t) : "other";
            ia_buf_printf(out, " %d %s", counts[t], name);
        }
    }
    ia_buf_puts(out, ")\n");
}

void ia_acts_put(const struct ia_acts *acts, const char *subject, size_t bytes,
                 struct ia_buf *out)
{
    struct words w;
    words_init(&w, subject);
    for (size_t i = 0; i < acts->count; i++) {
        acts->items[i].left_out = false;
    }
    size_t value_bytes = VALUE_BYTES;
    size_t heads = heads_bytes(acts, value_bytes);
    if (heads > bytes / 2) {
        value_bytes = VALUE_BYTES_SHORT;
    }
    heads = fit_heads(acts, value_bytes, bytes * 3 / 4);
    share_out(acts, bytes > heads ? bytes - heads : 0);
    for (size_t i = 0; i < acts->count; i++) {
        if (!acts->items[i].left_out) {
            put_head(out, &acts->items[i], value_bytes);
            if (acts->items[i].share > 0) {
                put_changes(out, &acts->items[i], &w);
            }
        }
    }
    put_left_out(out, acts);
    free(w.text);
}
