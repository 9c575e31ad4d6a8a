/* run_view.c: one run, event by event, as lines for people. */
#include "cli/view/run_view_impl.h"

#include "base/clean.h"
#include "base/columns.h"
#include "cli/view/changes.h"
#include "cli/view/labels.h"
#include "driver/registry/device_registry.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COL_TOOL = 13,    /* columns of the tool's name */
    COL_ELEMENT = 34, /* of the element's label */
    COL_ELEMENT_NARROW = 26
};

struct ia_run_view *ia_run_view_new(const struct ia_run_view_options *opt)
{
    struct ia_run_view *r = ia_calloc(1, sizeof(*r));
    r->opt = *opt;
    r->line = IA_BUF(IA_RUN_VIEW_LINE_MAX);
    r->text = IA_BUF(IA_RUN_VIEW_LINE_MAX);
    r->target = IA_BUF(IA_RUN_VIEW_LINE_MAX);
    r->word = IA_BUF(IA_RUN_VIEW_LINE_MAX);
    return r;
}

bool ia_run_view_lost(const struct ia_run_view *r)
{
    return r->lost;
}

void ia_run_view_free(struct ia_run_view *r)
{
    if (!r) {
        return;
    }
    ia_run_view_settle(r);
    ia_run_view_flush(r);
    while (r->below) {
        struct ia_run_below *b = r->below;
        r->below = b->next;
        ia_run_view_free(b->view);
        ia_buf_fini(&b->out);
        free(b);
    }
    ia_buf_fini(&r->line);
    ia_buf_fini(&r->text);
    ia_buf_fini(&r->target);
    ia_buf_fini(&r->word);
    free(r);
}

static void wait_for(struct ia_run_view *r, const char *what)
{
    ia_spinner_show(r->opt.spinner, what);
}

/* Columns that are left after `used`, at least 8; many where lines are not cut. */
static size_t columns_left(const struct ia_run_view *r, size_t used)
{
    if (r->opt.width == 0) {
        return IA_RUN_VIEW_LINE_MAX;
    }
    size_t width = (size_t)r->opt.width;
    return width > used + 8 ? width - used : 8;
}

/* ---- header -------------------------------------------------------------------------- */

static void show_device(struct ia_run_view *r, const struct ia_event_device *device)
{
    ia_run_view_field(r, "device");
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
    ia_run_view_field(r, "model");
    if (r->demo) {
        ia_run_view_style(r, IA_SAY_YELLOW);
        ia_buf_puts(&r->line, IA_SAY_DEMO);
        ia_run_view_style(r, IA_SAY_RESET);
    } else {
        ia_clean(&r->line, model, IA_CLEAN_LINE);
    }
    ia_buf_putc(&r->line, '\n');
}

static void on_run_started(struct ia_run_view *r, const struct ia_event *e)
{
    const struct ia_event_start *start = ia_event_start(e);
    r->demo = start->demo;
    r->headed = true;
    ia_run_view_field(r, "goal");
    ia_run_view_style(r, IA_SAY_BOLD);
    ia_clean(&r->line, start->goal, IA_CLEAN_LINE);
    ia_run_view_style(r, IA_SAY_RESET);
    ia_buf_putc(&r->line, '\n');
    if (start->app.n > 0) {
        ia_run_view_field(r, "app");
        ia_clean(&r->line, start->app, IA_CLEAN_LINE);
        ia_buf_puts(&r->line, " (the run is locked to it)\n");
    }
    show_device(r, &start->device);
    show_model(r, start->model);
    ia_run_view_line(r, "run", e->run);
    ia_buf_putc(&r->line, '\n');
    ia_run_view_flush(r);
}

/* It goes on after its subtasks or a question, which were shown: nothing is said again. */
static void on_waits(struct ia_run_view *r, const struct ia_event *e)
{
    (void)e;
    r->rests = true;
    wait_for(r, "subtasks");
}

static void on_run_resumed(struct ia_run_view *r, const struct ia_event *e)
{
    if (r->rests) {
        r->rests = false;
        return;
    }
    long long steps = e->run_resumed.steps;
    ia_run_view_settle(r);
    on_run_started(r, e);
    ia_buf_printf(&r->line, "    resumed after %lld step%s\n", steps, steps == 1 ? "" : "s");
    ia_run_view_flush(r);
}

/* ---- talking to the model ------------------------------------------------------------ */

static void on_request_started(struct ia_run_view *r, const struct ia_event *e)
{
    (void)e;
    wait_for(r, r->demo ? "waiting for the demo brain" : "waiting for the model");
}

static void on_text_delta(struct ia_run_view *r, const struct ia_event *e)
{
    struct ia_str text = e->text_delta.text;
    if (text.n == 0) {
        return;
    }
    if (r->opt.stream) {
        ia_run_view_stream(r, text);
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
    ia_run_view_settle(r);
    put_kept_text(r);
    ia_run_view_flush(r);
}

static void on_request_retry(struct ia_run_view *r, const struct ia_event *e)
{
    ia_run_view_settle(r);
    put_kept_text(r);
    ia_run_view_style(r, IA_SAY_YELLOW);
    ia_buf_puts(&r->line, "    retrying in ");
    ia_fmt_ms(&r->line, e->request_retry.wait_ms);
    ia_buf_puts(&r->line, ": ");
    ia_clean(&r->line, e->request_retry.code, IA_CLEAN_LINE);
    ia_run_view_style(r, IA_SAY_RESET);
    ia_buf_putc(&r->line, ' ');
    ia_clean_cut(&r->line, e->request_retry.message, columns_left(r, 40));
    ia_buf_putc(&r->line, '\n');
    ia_run_view_flush(r);
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
    ia_clean_cut(&r->line, text, r->opt.width > 0 ? columns : IA_RUN_VIEW_LINE_MAX);
    size_t used = ia_columns((struct ia_str){r->line.p + start, r->line.len - start});
    ia_buf_printf(&r->line, "%*s", used < columns ? (int)(columns - used) : 0, "");
    ia_buf_putc(&r->line, ' ');
}

static void on_tool_finished(struct ia_run_view *r, const struct ia_event *e)
{
    const struct ia_event_tool_finished *tool = &e->tool_finished;
    ia_run_view_settle(r);
    ia_run_view_style(r, IA_SAY_DIM);
    ia_buf_printf(&r->line, "%3lld ", (long long)tool->step);
    ia_run_view_style(r, IA_SAY_RESET);
    cell(r, tool->tool, COL_TOOL);
    struct ia_str element = tool->element;
    size_t wide = r->opt.width > 0 && r->opt.width < 100 ? COL_ELEMENT_NARROW : COL_ELEMENT;
    cell(r, element.n > 0 ? element : ia_buf_str(&r->target), wide);
    ia_buf_reset(&r->target);
    ia_run_view_style(r, IA_SAY_DIM);
    struct ia_buf ms = IA_BUF(64);
    ia_fmt_ms(&ms, tool->ms);
    ia_buf_printf(&r->line, "%7s  ", ia_buf_cstr(&ms));
    ia_buf_fini(&ms);
    ia_run_view_style(r, IA_SAY_RESET);
    if (!tool->ok) {
        ia_run_view_style(r, IA_SAY_RED);
        ia_clean(&r->line, tool->code, IA_CLEAN_LINE);
        ia_run_view_style(r, IA_SAY_RESET);
        ia_buf_putc(&r->line, ' ');
    }
    /* The number, the tool, the element, the time, and the gaps between them. */
    size_t used = 4 + COL_TOOL + 1 + wide + 1 + 9 + (tool->ok ? 0 : tool->code.n + 1);
    ia_changes_put(&r->line, tool->changes, element, columns_left(r, used));
    ia_buf_putc(&r->line, '\n');
    ia_run_view_flush(r);
}

static void remark(struct ia_run_view *r, const char *code, const char *head,
                   struct ia_str text)
{
    ia_run_view_settle(r);
    ia_run_view_style(r, code);
    ia_buf_printf(&r->line, "    %s", head);
    ia_run_view_style(r, IA_SAY_RESET);
    if (text.n > 0) {
        ia_buf_puts(&r->line, ": ");
        ia_clean(&r->line, text, IA_CLEAN_LINE);
    }
    ia_buf_putc(&r->line, '\n');
    ia_run_view_flush(r);
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

static void on_asked(struct ia_run_view *r, const struct ia_event *e)
{
    struct ia_buf head = IA_BUF(400);
    ia_buf_puts(&head, "a person has to decide (");
    ia_clean(&head, e->run_asked.rule, IA_CLEAN_LINE);
    ia_buf_putc(&head, ')');
    remark(r, IA_SAY_YELLOW, ia_buf_cstr(&head), e->run_asked.text);
    r->rests = r->headed;
    ia_buf_fini(&head);
}

static void on_planned(struct ia_run_view *r, const struct ia_event *e)
{
    const struct ia_event_run_planned *planned = &e->run_planned;
    for (size_t i = 0; i < planned->plan.n; i++) {
        const struct ia_event_plan *step = &planned->plan.items[i];
        struct ia_buf head = IA_BUF(2000), text = IA_BUF(2000);
        ia_buf_printf(&head, "plan %zu", i + 1);
        ia_buf_printf(&text, "%s → %s", ia_event_text(step->action),
                      ia_event_text(step->check));
        remark(r, IA_SAY_BOLD, ia_buf_cstr(&head), ia_buf_str(&text));
        ia_buf_fini(&head);
        ia_buf_fini(&text);
    }
}

static void on_answered(struct ia_run_view *r, const struct ia_event *e)
{
    struct ia_buf head = IA_BUF(400);
    ia_clean(&head, e->run_answered.answer, IA_CLEAN_LINE);
    ia_buf_puts(&head, " by ");
    ia_clean(&head, e->run_answered.by, IA_CLEAN_LINE);
    remark(r, IA_SAY_YELLOW, ia_buf_cstr(&head), e->run_answered.note);
    ia_buf_fini(&head);
}

static void on_suspicious(struct ia_run_view *r, const struct ia_event *e)
{
    const struct ia_event_texts *texts = &e->screen_suspicious.texts;
    for (size_t i = 0; i < texts->n; i++) {
        remark(r, IA_SAY_YELLOW, "the screen tries to give orders", texts->items[i]);
    }
}

static void on_interrupted(struct ia_run_view *r, const struct ia_event *e)
{
    (void)e;
    remark(r, IA_SAY_YELLOW, "interrupted", (struct ia_str){NULL, 0});
}

static void on_placed(struct ia_run_view *r, const struct ia_event *e)
{
    struct ia_buf text = IA_BUF(400);
    ia_buf_putstr(&text, e->run_placed.worker);
    if (e->run_placed.attempt > 1) {
        ia_buf_printf(&text, ", attempt %lld: an earlier worker came to no verdict",
                      (long long)e->run_placed.attempt);
    }
    remark(r, IA_SAY_YELLOW, "done by worker", ia_buf_str(&text));
    ia_buf_fini(&text);
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

static void on_run_finished(struct ia_run_view *r, const struct ia_event *e)
{
    const struct ia_event_run_finished *end = &e->run_finished;
    r->demo = r->demo || end->result.demo;
    ia_run_view_settle(r);
    put_kept_text(r);
    ia_buf_putc(&r->line, '\n');
    ia_run_view_verdict(r, end);
    ia_run_view_line(r, "run", e->run);
    ia_run_view_flush(r);
}

static void on_delegated(struct ia_run_view *r, const struct ia_event *e)
{
    ia_run_below_delegated(r, e, "");
}

static void on_child_finished(struct ia_run_view *r, const struct ia_event *e)
{
    ia_run_below_finished(r, e, "");
}

void ia_run_view_event(struct ia_run_view *r, struct ia_str json)
{
    static void (*const shows[IA_EVENT_COUNT])(struct ia_run_view * r,
                                               const struct ia_event *e) = {
        [IA_EVENT_RUN_STARTED] = on_run_started,
        [IA_EVENT_RUN_RESUMED] = on_run_resumed,
        [IA_EVENT_RUN_DELEGATED] = on_delegated,
        [IA_EVENT_RUN_WAITS] = on_waits,
        [IA_EVENT_RUN_CHILD_FINISHED] = on_child_finished,
        [IA_EVENT_RUN_RETRY_WAIT] = on_retry_wait,
        [IA_EVENT_RUN_INTERRUPTED] = on_interrupted,
        [IA_EVENT_RUN_PLACED] = on_placed,
        [IA_EVENT_RUN_PLANNED] = on_planned,
        [IA_EVENT_RUN_ASKED] = on_asked,
        [IA_EVENT_RUN_ANSWERED] = on_answered,
        [IA_EVENT_SCREEN_SUSPICIOUS] = on_suspicious,
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

/* ---- subtasks ------------------------------------------------------------------------- */

/* Its header and its verdict are left out: what was asked and how it ended the parent's events say. */
static bool below_shows(enum ia_event_type type)
{
    return type == IA_EVENT_TOOL_STARTED || type == IA_EVENT_TOOL_FINISHED ||
           type == IA_EVENT_FINISH_REFUSED || type == IA_EVENT_VERIFIER_RESULT ||
           type == IA_EVENT_RUN_RETRY_WAIT || type == IA_EVENT_RUN_INTERRUPTED ||
           type == IA_EVENT_RUN_ASKED || type == IA_EVENT_RUN_ANSWERED ||
           type == IA_EVENT_MESSAGE_TAKEN || type == IA_EVENT_NOTICE;
}

static void show_below(struct ia_run_view *r, struct ia_run_below *b, struct ia_str json)
{
    int used = (int)strlen(b->label) + 3;
    const struct ia_run_view_options opt = {
        .fd = -1,
        .out = &b->out,
        .color = r->opt.color,
        .width = r->opt.width > used ? r->opt.width - used : 0,
    };
    b->view = b->view ? b->view : ia_run_view_new(&opt);
    ia_run_view_event(b->view, json);
    ia_run_below_lines(r, b);
}

void ia_run_view_below(struct ia_run_view *r, struct ia_str json)
{
    struct ia_event e;
    if (ia_event_read(&e, json)) {
        struct ia_run_below *b = ia_run_below_find(r, e.run);
        if (e.type == IA_EVENT_RUN_DELEGATED) {
            ia_run_below_delegated(r, &e, b->label);
        } else if (e.type == IA_EVENT_RUN_CHILD_FINISHED) {
            ia_run_below_finished(r, &e, b->label);
        } else if (below_shows(e.type)) {
            show_below(r, b, json);
        }
    }
    ia_event_fini(&e);
}
