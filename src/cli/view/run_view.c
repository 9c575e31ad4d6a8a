/* run_view.c: one run, event by event, as lines for people.
 *
 * Each event appends to `line`; flush hides the spinner and writes it. Streamed text is the only
 * thing that stays open across events: with opt.stream it is written as it comes, and settle ends
 * its line before anything else is printed; otherwise it waits in `text` until the answer is
 * complete. */
#include "cli/view/run_view.h"

#include "base/clean.h"
#include "base/columns.h"
#include "base/fd.h"
#include "cli/view/changes.h"
#include "cli/view/labels.h"
#include "cli/view/wrap.h"
#include "driver/registry/device_registry.h"
#include "events/basis.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_MAX_BYTES = 1 << 20, /* of one line or block */
    COL_TOOL = 13,            /* columns of the tool's name */
    COL_ELEMENT = 34,         /* of the element's label */
    COL_ELEMENT_NARROW = 26,
    EVIDENCE_MAX = 20 /* lines of evidence that are shown */
};

struct ia_run_view {
    struct ia_run_view_options opt;
    struct ia_buf line;   /* being built */
    struct ia_buf text;   /* streamed text that waits for its end */
    struct ia_buf word;   /* of streamed text, whose end is still to come */
    size_t column;        /* where streamed text left the cursor */
    struct ia_buf target; /* what the running tool acts on */
    bool open;            /* streamed text left the cursor in the middle of a line */
    bool dim;             /* streamed text left the colour on */
    bool demo;
    bool lost;
};

struct ia_run_view *ia_run_view_new(const struct ia_run_view_options *opt)
{
    struct ia_run_view *r = ia_calloc(1, sizeof(*r));
    r->opt = *opt;
    r->line = IA_BUF(LINE_MAX_BYTES);
    r->text = IA_BUF(LINE_MAX_BYTES);
    r->target = IA_BUF(LINE_MAX_BYTES);
    r->word = IA_BUF(LINE_MAX_BYTES);
    return r;
}

bool ia_run_view_lost(const struct ia_run_view *r)
{
    return r->lost;
}

/* Writes what was built and starts anew. */
static void flush(struct ia_run_view *r)
{
    ia_spinner_hide(r->opt.spinner);
    if (r->opt.fd >= 0 && r->line.len > 0) {
        struct ia_buf fitted = IA_BUF(2 * LINE_MAX_BYTES);
        /* The rest of a streamed line is still to come, and nobody knows where it would break. */
        ia_wrap_lines(&fitted, ia_buf_str(&r->line), r->open ? 0 : (size_t)r->opt.width);
        bool written = ia_write_all(r->opt.fd, fitted.p, fitted.len) == IA_OK;
        ia_buf_fini(&fitted);
        r->lost = r->lost || (!written && errno != EPIPE);
    }
    if (r->opt.out) {
        ia_buf_putstr(r->opt.out, ia_buf_str(&r->line));
    }
    ia_buf_reset(&r->line);
}

/* Writes the word that was streamed, on a new line where it does not fit. */
static void put_word(struct ia_run_view *r)
{
    size_t columns = ia_columns(ia_buf_str(&r->word));
    bool fits = r->opt.width == 0 || r->column + columns <= (size_t)r->opt.width;
    if (!fits && r->column > 0) {
        ia_buf_putc(&r->line, '\n');
        r->column = 0;
    }
    ia_buf_putstr(&r->line, ia_buf_str(&r->word));
    r->column += columns;
    ia_buf_reset(&r->word);
}

/* Ends a line of streamed text that is still open. */
static void settle(struct ia_run_view *r)
{
    put_word(r);
    if (r->dim) {
        ia_buf_puts(&r->line, IA_SAY_RESET);
        r->dim = false;
    }
    if (r->open) {
        ia_buf_putc(&r->line, '\n');
        r->open = false;
    }
    r->column = 0;
}

void ia_run_view_free(struct ia_run_view *r)
{
    if (!r) {
        return;
    }
    settle(r);
    flush(r);
    ia_buf_fini(&r->line);
    ia_buf_fini(&r->text);
    ia_buf_fini(&r->target);
    ia_buf_fini(&r->word);
    free(r);
}

static void style(struct ia_run_view *r, const char *code)
{
    if (r->opt.color) {
        ia_buf_puts(&r->line, code);
    }
}

static void wait_for(struct ia_run_view *r, const char *what)
{
    ia_spinner_show(r->opt.spinner, what);
}

/* Columns that are left after `used`, at least 8; many where lines are not cut. */
static size_t columns_left(const struct ia_run_view *r, size_t used)
{
    if (r->opt.width == 0) {
        return LINE_MAX_BYTES;
    }
    size_t width = (size_t)r->opt.width;
    return width > used + 8 ? width - used : 8;
}

/* ---- header -------------------------------------------------------------------------- */

static void field(struct ia_run_view *r, const char *name)
{
    style(r, IA_SAY_DIM);
    ia_buf_printf(&r->line, "%-8s", name);
    style(r, IA_SAY_RESET);
}

static void show_device(struct ia_run_view *r, const struct ia_event_device *device)
{
    field(r, "device");
    ia_clean(&r->line, device->name, IA_CLEAN_LINE);
    ia_buf_puts(&r->line, ", ");
    ia_clean(&r->line, device->id, IA_CLEAN_LINE);
    if (device->simulated) {
        /* Here, or by the program that serves it. */
        char lane[IA_DEVICE_NAME_MAX];
        (void)snprintf(lane, sizeof(lane), "%.*s", (int)device->id.n, device->id.p);
        ia_buf_printf(&r->line, " (simulated by %s; not Apple's simulator)",
                      ia_device_lane_simulated(lane) ? "this program" : "ios-agent");
    }
    ia_buf_putc(&r->line, '\n');
}

static void show_model(struct ia_run_view *r, struct ia_str model)
{
    field(r, "model");
    if (r->demo) {
        style(r, IA_SAY_YELLOW);
        ia_buf_puts(&r->line, IA_SAY_DEMO);
        style(r, IA_SAY_RESET);
    } else {
        ia_clean(&r->line, model, IA_CLEAN_LINE);
    }
    ia_buf_putc(&r->line, '\n');
}

static void on_run_started(struct ia_run_view *r, const struct ia_event *e)
{
    const struct ia_event_start *start = ia_event_start(e);
    r->demo = start->demo;
    field(r, "goal");
    style(r, IA_SAY_BOLD);
    ia_clean(&r->line, start->goal, IA_CLEAN_LINE);
    style(r, IA_SAY_RESET);
    ia_buf_putc(&r->line, '\n');
    if (start->app.n > 0) {
        field(r, "app");
        ia_clean(&r->line, start->app, IA_CLEAN_LINE);
        ia_buf_puts(&r->line, " (the run is locked to it)\n");
    }
    show_device(r, &start->device);
    show_model(r, start->model);
    field(r, "run");
    ia_clean(&r->line, e->run, IA_CLEAN_LINE);
    ia_buf_puts(&r->line, "\n\n");
    flush(r);
}

static void on_run_resumed(struct ia_run_view *r, const struct ia_event *e)
{
    long long steps = e->run_resumed.steps;
    settle(r);
    on_run_started(r, e);
    ia_buf_printf(&r->line, "    resumed after %lld step%s\n", steps, steps == 1 ? "" : "s");
    flush(r);
}

/* ---- talking to the model ------------------------------------------------------------ */

static void on_request_started(struct ia_run_view *r, const struct ia_event *e)
{
    (void)e;
    wait_for(r, r->demo ? "waiting for the demo brain" : "waiting for the model");
}

static void stream_text(struct ia_run_view *r, struct ia_str text)
{
    if (!r->dim && r->opt.color) {
        ia_buf_puts(&r->line, IA_SAY_DIM);
        r->dim = true;
    }
    struct ia_buf part = IA_BUF(4 * text.n + 16);
    ia_clean(&part, text, IA_CLEAN_PART);
    for (size_t i = 0; i < part.len; i++) {
        char c = part.p[i];
        if (c != ' ' && c != '\n') {
            ia_buf_putc(&r->word, c);
            continue;
        }
        put_word(r);
        ia_buf_putc(&r->line, c);
        r->column = c == '\n' ? 0 : r->column + 1;
    }
    ia_buf_fini(&part);
    r->open = r->column > 0 || r->word.len > 0;
    flush(r);
}

static void on_text_delta(struct ia_run_view *r, const struct ia_event *e)
{
    struct ia_str text = e->text_delta.text;
    if (text.n == 0) {
        return;
    }
    if (r->opt.stream) {
        stream_text(r, text);
    } else {
        ia_buf_putstr(&r->text, text);
    }
}

/* Text that was kept until its end, one line for each of its lines. */
static void put_kept_text(struct ia_run_view *r)
{
    struct ia_str rest = ia_buf_str(&r->text);
    while (rest.n > 0) {
        struct ia_str line = ia_changes_line(&rest);
        if (line.n > 0) {
            ia_buf_puts(&r->line, "    ");
            ia_clean(&r->line, line, IA_CLEAN_LINE);
            ia_buf_putc(&r->line, '\n');
        }
    }
    ia_buf_reset(&r->text);
}

static void on_request_finished(struct ia_run_view *r, const struct ia_event *e)
{
    (void)e;
    settle(r);
    put_kept_text(r);
    flush(r);
}

static void on_request_retry(struct ia_run_view *r, const struct ia_event *e)
{
    settle(r);
    put_kept_text(r);
    style(r, IA_SAY_YELLOW);
    ia_buf_puts(&r->line, "    retrying in ");
    ia_fmt_ms(&r->line, e->request_retry.wait_ms);
    ia_buf_puts(&r->line, ": ");
    ia_clean(&r->line, e->request_retry.code, IA_CLEAN_LINE);
    style(r, IA_SAY_RESET);
    ia_buf_putc(&r->line, ' ');
    ia_clean_cut(&r->line, e->request_retry.message, columns_left(r, 40));
    ia_buf_putc(&r->line, '\n');
    flush(r);
    wait_for(r, "waiting to retry");
}

/* ---- steps --------------------------------------------------------------------------- */

/* The element, or the first text of the input where there is none: an app, an address. */
static void keep_target(struct ia_run_view *r, const struct ia_event_tool_started *e)
{
    ia_buf_reset(&r->target);
    ia_buf_putstr(&r->target, e->element);
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(e->input.value, key, value)
    {
        if (r->target.len == 0 && json_is_string(value)) {
            ia_buf_put(&r->target, json_string_value(value), json_string_length(value));
        }
    }
}

static void on_tool_started(struct ia_run_view *r, const struct ia_event *e)
{
    struct ia_buf what = IA_BUF(4096);
    keep_target(r, &e->tool_started);
    ia_clean_cut(&what, e->tool_started.tool, 40);
    ia_buf_putc(&what, ' ');
    ia_clean_cut(&what, ia_buf_str(&r->target), 40);
    wait_for(r, ia_buf_cstr(&what));
    ia_buf_fini(&what);
}

/* A cell of at least `columns` columns. */
static void cell(struct ia_run_view *r, struct ia_str text, size_t columns)
{
    size_t start = r->line.len;
    ia_clean_cut(&r->line, text, r->opt.width > 0 ? columns : LINE_MAX_BYTES);
    size_t used = ia_columns((struct ia_str){r->line.p + start, r->line.len - start});
    ia_buf_printf(&r->line, "%*s", used < columns ? (int)(columns - used) : 0, "");
    ia_buf_putc(&r->line, ' ');
}

static void on_tool_finished(struct ia_run_view *r, const struct ia_event *e)
{
    const struct ia_event_tool_finished *tool = &e->tool_finished;
    settle(r);
    style(r, IA_SAY_DIM);
    ia_buf_printf(&r->line, "%3lld ", (long long)tool->step);
    style(r, IA_SAY_RESET);
    cell(r, tool->tool, COL_TOOL);
    struct ia_str element = tool->element;
    size_t wide = r->opt.width > 0 && r->opt.width < 100 ? COL_ELEMENT_NARROW : COL_ELEMENT;
    cell(r, element.n > 0 ? element : ia_buf_str(&r->target), wide);
    ia_buf_reset(&r->target);
    style(r, IA_SAY_DIM);
    struct ia_buf ms = IA_BUF(64);
    ia_fmt_ms(&ms, tool->ms);
    ia_buf_printf(&r->line, "%7s  ", ia_buf_cstr(&ms));
    ia_buf_fini(&ms);
    style(r, IA_SAY_RESET);
    if (!tool->ok) {
        style(r, IA_SAY_RED);
        ia_clean(&r->line, tool->code, IA_CLEAN_LINE);
        style(r, IA_SAY_RESET);
        ia_buf_putc(&r->line, ' ');
    }
    /* The number, the tool, the element, the time, and the gaps between them. */
    size_t used = 4 + COL_TOOL + 1 + wide + 1 + 9 + (tool->ok ? 0 : tool->code.n + 1);
    ia_changes_put(&r->line, tool->changes, element, columns_left(r, used));
    ia_buf_putc(&r->line, '\n');
    flush(r);
}

static void remark(struct ia_run_view *r, const char *code, const char *head,
                   struct ia_str text)
{
    settle(r);
    style(r, code);
    ia_buf_printf(&r->line, "    %s", head);
    style(r, IA_SAY_RESET);
    if (text.n > 0) {
        ia_buf_puts(&r->line, ": ");
        ia_clean(&r->line, text, IA_CLEAN_LINE);
    }
    ia_buf_putc(&r->line, '\n');
    flush(r);
}

/* ---- replaying ----------------------------------------------------------------------- */

static void on_step_replayed(struct ia_run_view *r, const struct ia_event *e)
{
    const struct ia_event_step_replayed *step = &e->step_replayed;
    struct ia_buf head = IA_BUF(400);
    if (step->differs.n > 0) {
        ia_buf_printf(&head, "step %lld: ", (long long)step->step);
        ia_clean(&head, step->differs, IA_CLEAN_LINE);
        ia_buf_puts(&head, " differs");
        remark(r, IA_SAY_YELLOW, ia_buf_cstr(&head), (struct ia_str){NULL, 0});
    }
    ia_buf_fini(&head);
}

static void on_strayed(struct ia_run_view *r, const struct ia_event *e)
{
    remark(r, IA_SAY_YELLOW, "a model does the next step", e->replay_strayed.why);
}

static void on_rejoined(struct ia_run_view *r, const struct ia_event *e)
{
    (void)e;
    remark(r, IA_SAY_GREEN, "the recording goes on", (struct ia_str){NULL, 0});
}

/* ---- judging ------------------------------------------------------------------------- */

static void on_finish_refused(struct ia_run_view *r, const struct ia_event *e)
{
    const struct ia_event_texts *missing = &e->finish_refused.missing;
    remark(r, IA_SAY_YELLOW, "the finish was refused", (struct ia_str){NULL, 0});
    for (size_t i = 0; i < missing->n; i++) {
        remark(r, "", "  missing", missing->items[i]);
    }
}

static void on_finish_checked(struct ia_run_view *r, const struct ia_event *e)
{
    const struct ia_event_finish_checked *checked = &e->finish_checked;
    for (size_t i = 0; i < checked->unproven.n; i++) {
        remark(r, IA_SAY_YELLOW, "a quote was not found", checked->unproven.items[i]);
    }
    if (checked->relaunch.n > 0) {
        remark(r, "", "the app is launched again, to check what is left", checked->relaunch);
    }
}

static void on_verifier_result(struct ia_run_view *r, const struct ia_event *e)
{
    bool agrees = e->verifier_result.agrees;
    remark(r, agrees ? IA_SAY_GREEN : IA_SAY_RED,
           agrees ? "the verifier agrees" : "the verifier disagrees",
           e->verifier_result.reason);
}

static void on_retry_wait(struct ia_run_view *r, const struct ia_event *e)
{
    const struct ia_event_run_retry_wait *wait = &e->run_retry_wait;
    struct ia_buf head = IA_BUF(400);
    ia_buf_printf(&head, "attempt %lld of %lld ended with ", (long long)wait->attempt,
                  (long long)wait->tries);
    ia_clean(&head, wait->code, IA_CLEAN_LINE);
    ia_buf_puts(&head, ", again in ");
    ia_fmt_ms(&head, wait->wait_ms);
    remark(r, IA_SAY_YELLOW, ia_buf_cstr(&head), wait->message);
    ia_buf_fini(&head);
    wait_for(r, "waiting to retry");
}

static void on_interrupted(struct ia_run_view *r, const struct ia_event *e)
{
    (void)e;
    remark(r, IA_SAY_YELLOW, "interrupted", (struct ia_str){NULL, 0});
}

static void on_message_taken(struct ia_run_view *r, const struct ia_event *e)
{
    const struct ia_event_messages_list *messages = &e->message_taken.messages;
    for (size_t i = 0; i < messages->n; i++) {
        struct ia_buf head = IA_BUF(400);
        ia_clean(&head, messages->items[i].sender, IA_CLEAN_LINE);
        ia_buf_puts(&head, " says");
        remark(r, IA_SAY_YELLOW, ia_buf_cstr(&head), messages->items[i].text);
        ia_buf_fini(&head);
    }
}

static void on_notice(struct ia_run_view *r, const struct ia_event *e)
{
    remark(r, IA_SAY_YELLOW, "note", e->notice.text);
}

/* ---- verdict ------------------------------------------------------------------------- */

/* What a model healed is no pass. */
static void put_state(struct ia_run_view *r, const struct ia_event_run_finished *e)
{
    bool passed = ia_str_is(e->state, "passed"),
         healed = ia_str_is(e->result.outcome, "healed");
    struct ia_str state = e->result.outcome.n > 0 ? e->result.outcome : e->state;
    style(r, IA_SAY_BOLD);
    style(r, healed ? IA_SAY_YELLOW : passed ? IA_SAY_GREEN : IA_SAY_RED);
    for (size_t i = 0; i < state.n && state.p[i] >= 'a' && state.p[i] <= 'z'; i++) {
        ia_buf_putc(&r->line, (char)(state.p[i] - 'a' + 'A'));
    }
    style(r, IA_SAY_RESET);
}

static void put_evidence(struct ia_run_view *r, const struct ia_event_evidence_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct ia_event_evidence *item = &list->items[i];
        if (i == EVIDENCE_MAX) {
            ia_buf_printf(&r->line, "        … and %zu more\n", list->n - i);
            break;
        }
        field(r, i == 0 ? "proof" : "");
        ia_clean(&r->line, item->quote, IA_CLEAN_LINE);
        if (item->step >= 0) { /* an earlier step showed it */
            ia_buf_printf(&r->line, " (step %lld)", (long long)item->step);
        }
        ia_buf_puts(&r->line, item->unproven ? " (not found)" : "");
        ia_buf_putc(&r->line, '\n');
    }
}

/* Only where one does not hold: otherwise the basis says it of all. */
static void put_expects(struct ia_run_view *r, const struct ia_event_expects_list *list)
{
    size_t held = 0;
    for (size_t i = 0; i < list->n; i++) {
        held += list->items[i].held ? 1 : 0;
    }
    for (size_t i = 0; held < list->n && i < list->n; i++) {
        const struct ia_event_expects *item = &list->items[i];
        field(r, i == 0 ? "expect" : "");
        ia_buf_puts(&r->line, item->held ? "holds          " : "does not hold  ");
        ia_clean(&r->line, item->expect, IA_CLEAN_LINE);
        ia_buf_puts(&r->line, item->found.n > 0 ? ": " : "");
        ia_clean(&r->line, item->found, IA_CLEAN_LINE);
        ia_buf_putc(&r->line, '\n');
    }
}

static void put_figures(struct ia_run_view *r, const struct ia_event_result *result)
{
    struct ia_label_figures f = {
        .steps = result->steps,
        .seconds = result->seconds,
        .input = result->tokens.input,
        .cache_read = result->tokens.cache_read,
        .cache_write = result->tokens.cache_write,
        .output = result->tokens.output,
        .cost_known = result->cost_usd.known,
        .cost_usd = result->cost_usd.usd,
        .demo = r->demo,
    };
    field(r, "used");
    ia_label_figures(&r->line, &f);
    ia_buf_putc(&r->line, '\n');
}

static void put_line(struct ia_run_view *r, const char *name, struct ia_str text)
{
    if (text.n > 0) {
        field(r, name);
        ia_clean(&r->line, text, IA_CLEAN_LINE);
        ia_buf_putc(&r->line, '\n');
    }
}

static void put_replay(struct ia_run_view *r, const struct ia_event_result *result)
{
    struct ia_buf words = IA_BUF(LINE_MAX_BYTES);
    ia_replay_words(&result->replay, result->seconds, &words);
    put_line(r, "replay", ia_buf_str(&words));
    if (ia_str_is(result->outcome, "healed")) {
        put_line(r, "next",
                 ia_str("ios-agent recordings accept trusts what was healed, reject forgets it"));
    }
    ia_buf_fini(&words);
}

/* Why it did not pass, where the summary does not say so, and what to do. */
static void put_reason(struct ia_run_view *r, const struct ia_event_run_finished *e)
{
    if (e->message.n > 0 && !ia_str_eq(e->message, e->result.summary)) {
        field(r, "why");
        ia_clean(&r->line, e->code, IA_CLEAN_LINE);
        ia_buf_puts(&r->line, ": ");
        ia_clean(&r->line, e->message, IA_CLEAN_LINE);
        ia_buf_putc(&r->line, '\n');
    }
    put_line(r, "hint", e->hint);
}

static void on_run_finished(struct ia_run_view *r, const struct ia_event *e)
{
    const struct ia_event_run_finished *end = &e->run_finished;
    r->demo = r->demo || end->result.demo;
    settle(r);
    put_kept_text(r);
    ia_buf_putc(&r->line, '\n');
    put_state(r, end);
    ia_buf_puts(&r->line, "  ");
    ia_clean(&r->line, end->result.summary, IA_CLEAN_LINE);
    ia_buf_putc(&r->line, '\n');
    put_reason(r, end);
    put_line(r, "basis", ia_str(ia_basis_words(ia_basis_from_name(end->result.basis))));
    put_expects(r, &end->result.expects);
    put_evidence(r, &end->result.evidence);
    put_replay(r, &end->result);
    put_figures(r, &end->result);
    put_line(r, "screen", end->record.screenshot);
    put_line(r, "run", e->run);
    flush(r);
}

void ia_run_view_event(struct ia_run_view *r, struct ia_str json)
{
    static void (*const shows[IA_EVENT_COUNT])(struct ia_run_view * r,
                                               const struct ia_event *e) = {
        [IA_EVENT_RUN_STARTED] = on_run_started,
        [IA_EVENT_RUN_RESUMED] = on_run_resumed,
        [IA_EVENT_RUN_RETRY_WAIT] = on_retry_wait,
        [IA_EVENT_RUN_INTERRUPTED] = on_interrupted,
        [IA_EVENT_MESSAGE_TAKEN] = on_message_taken,
        [IA_EVENT_REQUEST_STARTED] = on_request_started,
        [IA_EVENT_TEXT_DELTA] = on_text_delta,
        [IA_EVENT_REQUEST_RETRY] = on_request_retry,
        [IA_EVENT_REQUEST_FINISHED] = on_request_finished,
        [IA_EVENT_TOOL_STARTED] = on_tool_started,
        [IA_EVENT_TOOL_FINISHED] = on_tool_finished,
        [IA_EVENT_STEP_REPLAYED] = on_step_replayed,
        [IA_EVENT_REPLAY_STRAYED] = on_strayed,
        [IA_EVENT_REPLAY_REJOINED] = on_rejoined,
        [IA_EVENT_FINISH_REFUSED] = on_finish_refused,
        [IA_EVENT_FINISH_CHECKED] = on_finish_checked,
        [IA_EVENT_VERIFIER_RESULT] = on_verifier_result,
        [IA_EVENT_NOTICE] = on_notice,
        [IA_EVENT_RUN_FINISHED] = on_run_finished,
    };
    struct ia_event e;
    if (ia_event_read(&e, json) && shows[e.type]) {
        shows[e.type](r, &e);
    }
    ia_event_fini(&e);
}
