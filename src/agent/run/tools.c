/* tools.c: the calls of one turn (call.c) through the journal.
 *
 *     intents are committed ─► call 1 ─► COMMIT result 1, start of call 2
 *                              call 2 ─► COMMIT result 2, start of call 3
 *                              last   ─► COMMIT its result and the user message with all results
 *
 * When the run ends early, the calls that were not made are answered in the same commit as the
 * last result: the API refuses a turn whose calls are not all answered.
 *
 * What a kill leaves: in a call, its intent without a result, which resume.c judges (one
 * with an effect is answered as `unknown` instead of being made again); between two calls,
 * nothing that is lost. The user message exists in the store only when all calls of the turn
 * are answered, so a transcript never ends with half of a turn's results. */
#include "agent/run/tools.h"

#include "agent/loop/compose.h"
#include "agent/loop/pictures.h"
#include "agent/loop/say.h"
#include "agent/loop/suspicious.h"
#include "agent/recording/note.h"
#include "agent/run/ask.h"
#include "agent/run/call.h"
#include "agent/run/delegate.h"
#include "agent/run/retry.h"

#include <stdlib.h>

/* ---- events ------------------------------------------------------------------------------ */

/* The element that the call names, as the model was shown it; "" without one. */
static void named_element(struct ia_run_ctx *run, const struct ia_tool_call *call,
                          struct ia_buf *out)
{
    uint32_t ref = ia_tool_ref(call->input);
    const struct ia_snapshot *s = ia_session_latest(run->device.session);
    const struct ia_element *e = NULL;
    if (s && ref > 0 &&
        ia_snapshot_resolve(s, ia_session_refs(run->device.session), ref, &e, NULL) == IA_OK) {
        ia_element_text(e, out);
    }
}

static struct ia_event_tool_finished finished_event(const struct ia_run_ctx *run,
                                                    const struct ia_tool_call *call,
                                                    const struct ia_tool_result *r, int64_t ms)
{
    return (struct ia_event_tool_finished){
        .step = call->step,
        .id = ia_str(call->block->id),
        .tool = ia_str(call->block->name),
        .skill = ia_str(call->def ? call->def->skill : NULL),
        .ok = r->code == IA_OK,
        .code = ia_str(ia_rc_name(r->code)),
        .outcome = ia_str(ia_outcome_name(r->outcome)),
        .element = ia_str(r->element),
        .changed = r->changed,
        .changes = ia_str(ia_buf_cstr(&r->changes)),
        .ms = ms,
        .box = {r->has_box, r->box.x, r->box.y, r->box.w, r->box.h},
        .image = ia_str(r->image.sha[0] ? r->image.sha : NULL),
        .refs = ia_session_last_ref(run->device.session),
    };
}

/* Longer than any wait that a schema allows is not believed. */
enum { WAIT_S_MAX = 3600 };

/* Says in that transaction until when the call may take; NULL: none is in hand. */
static void in_hand(struct ia_commit *c, const struct ia_tool_call *call)
{
    c->now.sets_deadline = true;
    c->now.tool_deadline_ms = 0;
    if (call) {
        /* wait_for may take as long as the model asked for; the stuck check must not call that
         * stuck (agent/queue/pulse.c). */
        json_int_t wait_s = json_integer_value(json_object_get(call->input, "seconds"));
        wait_s = wait_s < 0 ? 0 : wait_s > WAIT_S_MAX ? WAIT_S_MAX : wait_s;
        int64_t max_ms = call->def && call->def->max_ms > IA_ACTION_MS_MAX ? call->def->max_ms
                                                                           : IA_ACTION_MS_MAX;
        c->now.tool_deadline_ms = ia_tx_wall_ms(c->tx) + max_ms + wait_s * 1000;
    }
}

void ia_tools_started(struct ia_commit *c, const struct ia_tool_call *call)
{
    struct ia_buf element = IA_BUF(4096);
    struct ia_event_tool_started started = {
        .step = call->step,
        .id = ia_str(call->block->id),
        .tool = ia_str(call->block->name),
        .skill = ia_str(call->def ? call->def->skill : NULL),
        .input.text = ia_str(call->input_text),
    };
    /* The event shows it; the whole input is in the journal. */
    if (started.input.text.n > IA_INPUT_SHOWN_BYTES) { /* a model's input can pass the cap */
        started.input_left_out_bytes = (int64_t)started.input.text.n;
        started.input.text = (struct ia_str){0};
    }
    named_element(c->run, call, &element);
    started.element = ia_str(ia_buf_cstr(&element));
    ia_commit_event(c, IA_EVENT(&started));
    ia_ask_started(c, call);
    in_hand(c, call);
    ia_buf_fini(&element);
}

/* ---- the journal ------------------------------------------------------------------------- */

/* The results of one turn on their way into store and history. */
struct turn_results {
    struct ia_run_ctx *run;
    struct ia_inbox inbox;
    const struct ia_tool_call *calls;
    size_t n;
    struct ia_buf user; /* the user message, an open JSON array until it is closed */
    struct ia_jsonw w;
    bool *resumed;
    bool open; /* the last call has no result: the next attempt makes it again */
};

static void journal(struct turn_results *t, struct ia_commit *c,
                    const struct ia_tool_call *call, const struct ia_tool_result *r, int64_t ms)
{
    struct ia_buf content = IA_BUF(2 * IA_RESULT_BYTES_MAX);
    struct ia_buf recorded = IA_BUF(IA_RESULT_BYTES_MAX);
    ia_call_content(r, &content);
    /* Only what the device's own tools do can be done again from a recording. */
    if (r->code == IA_OK && call->history == IA_CALL_NEW && !call->def &&
        ia_call_has_effect(call)) {
        ia_recording_note(t->run->device.session, &recorded);
    }
    struct ia_call_row row = {
        .tool_use_id = call->block->id,
        .result = ia_buf_str(&content),
        .is_error = r->code != IA_OK,
        .code = ia_rc_name(r->code),
        .outcome = ia_outcome_name(r->outcome),
        .ms = ms,
        .screen = ia_buf_str(&r->screen),
        .recorded = ia_buf_str(&recorded),
    };
    ia_tx_set_result(c->tx, t->run->id, &row);
    /* The row and the message get the same bytes, so that a resumed turn sends what this one
     * would have. */
    ia_call_block(&t->w, call, row.is_error, ia_buf_str(&content));
    ia_buf_fini(&recorded);
    ia_buf_fini(&content);
}

/* Answers the calls that were not made because the run ended, or stopped for now, before their
 * turn. */
static void journal_rest(struct turn_results *t, struct ia_commit *c, size_t from)
{
    for (size_t i = from; i < t->n; i++) {
        struct ia_tool_result r;
        ia_tool_result_init(&r);
        ia_call_not_made(t->run, &t->calls[i], &r);
        journal(t, c, &t->calls[i], &r, 0);
        ia_tool_result_fini(&r);
    }
}

static void journal_memory(struct ia_run_ctx *run, struct ia_commit *c)
{
    if (!run->texts.memory_changed) {
        return;
    }
    ia_tx_set_run_notes(c->tx, run->id, ia_buf_str(&run->texts.memory));
    if (run->req->agent) {
        ia_tx_set_memory(c->tx, run->req->agent, ia_buf_str(&run->texts.memory));
    }
    run->texts.memory_changed = false;
}

/* What the user message says beyond the results. Read before the transaction. */
static enum ia_rc prepare_close(struct turn_results *t, struct ia_buf *note, struct ia_err *err)
{
    struct ia_run_ctx *run = t->run;
    /* A run that is over takes no further messages: they stay in the inbox. */
    if (!run->end.over) {
        ia_say_resumed(run, t->resumed, note);
    }
    return run->end.over ? IA_OK : ia_inbox_read(run, &t->inbox, err);
}

static void close_turn(struct turn_results *t, struct ia_commit *c, const struct ia_buf *note)
{
    ia_compose_block(&t->w, ia_buf_str(note));
    ia_compose_block(&t->w, ia_buf_str(&t->inbox.xml));
    ia_inbox_take(c, &t->inbox);
    ia_jsonw_end_array(&t->w);
    struct ia_message_row row = {
        .role = "user", .purpose = "act", .content = ia_buf_str(&t->user)};
    ia_tx_add_message(c->tx, t->run->id, &row, NULL);
}

/* The run stops for now, and the next call finds what it began when it is made again. */
static bool waits(const struct turn_results *t, size_t next)
{
    const struct ia_tool_call *call = next < t->n ? &t->calls[next] : NULL;
    bool goes_on = t->run->end.state == IA_RUN_QUEUED || ia_retry_wanted(t->run);
    return t->run->end.over && goes_on && call && call->def && call->def->resumes;
}

static void commit_next(struct turn_results *t, struct ia_commit *c, size_t next,
                        const struct ia_buf *note)
{
    struct ia_run_ctx *run = t->run;
    if (waits(t, next)) {
        t->open = true;
        in_hand(c, NULL);
        return;
    }
    if (run->end.over || next == t->n) {
        journal_rest(t, c, next);
        close_turn(t, c, note);
        /* Until the next answer no tool call explains a missing heartbeat. */
        in_hand(c, NULL);
        return;
    }
    ia_tools_started(c, &t->calls[next]);
}

/* Commits the result of call i; with it the next call's start, or the end of the turn. */
static enum ia_rc commit_result(struct turn_results *t, size_t i,
                                const struct ia_tool_result *r, int64_t ms, struct ia_err *err)
{
    struct ia_run_ctx *run = t->run;
    struct ia_buf note = IA_BUF(IA_RESULT_BYTES_MAX);
    /* Reads of the store, which a transaction would hold up everybody else for. */
    enum ia_rc rc = i + 1 == t->n ? prepare_close(t, &note, err) : IA_OK;
    /* The lap is taken before the commit, so that the event with the time can be part of it. */
    struct ia_event_tool_finished finished = finished_event(run, &t->calls[i], r, ms);
    finished.host_us = ia_host_time_lap(&run->device.timed, &finished.device_us);
    run->spent.turn_host_us += finished.host_us;
    struct ia_commit c;
    if (rc == IA_OK) {
        rc = ia_commit_begin(&c, run, err);
    }
    if (rc == IA_OK) {
        c.soon = true;
        journal(t, &c, &t->calls[i], r, ms);
        journal_memory(run, &c);
        ia_commit_event(&c, IA_EVENT(&finished));
        ia_suspicious_commit(&c, t->calls[i].step);
        commit_next(t, &c, i + 1, &note);
        rc = ia_commit_end(&c, err);
    }
    ia_buf_fini(&note);
    return rc;
}

/* An error that can pass, or an interruption, ended the attempt in a call that may be made again,
 * such as the second opinion of finish. Told as a result, the model would take it for a verdict on
 * what it did. A call that came to its own end has its result all the same. */
static bool stays_open(const struct ia_run_ctx *run, const struct ia_tool_call *call,
                       const struct ia_tool_result *r)
{
    /* Cut off, or not begun. One with an effect that was not begun is answered so: the next attempt
     * could not tell it from one that was. */
    bool interrupted = run->end.state == IA_RUN_QUEUED &&
                       (r->code == IA_E_CANCELLED ||
                        (r->code == IA_E_INTERRUPTED && call->history == IA_CALL_NEW));
    /* It waits for a person, and did not begin. */
    bool asking = run->end.state == IA_RUN_ASKING && r->code == IA_E_ASK;
    return asking || ((ia_retry_wanted(run) || interrupted) &&
                      (!ia_call_has_effect(call) || (call->def && call->def->resumes)));
}

static enum ia_rc run_one(struct turn_results *t, size_t i, struct ia_err *err)
{
    struct ia_run_ctx *run = t->run;
    struct ia_tool_result r;
    ia_tool_result_init(&r);
    /* Timed apart from the call: the picture is for the report. */
    ia_picture_before(run, t->calls[i].step);
    int64_t from = ia_mono_us(run->clock);
    enum ia_rc rc = ia_call_make(run, &t->calls[i], &r, err);
    if (rc != IA_OK) {
        ia_tool_result_fini(&r);
        return rc;
    }
    t->open = stays_open(run, &t->calls[i], &r);
    /* Nothing is written: the intent stays open, and the next attempt makes the call again. */
    if (t->open) {
        ia_tool_result_fini(&r);
        return IA_OK;
    }
    bool effect = ia_call_has_effect(&t->calls[i]);
    bool acted = r.changed || (effect && r.outcome != IA_OUTCOME_NOT_SENT);
    /* For its effect: a cancel that came during the call ends the run in this commit rather
     * than in the next turn. */
    (void)ia_run_ctx_stopped(run);
    rc = commit_result(t, i, &r, (ia_mono_us(run->clock) - from) / 1000, err);
    if (rc == IA_OK) {
        ia_picture_after(run, t->calls[i].step, acted);
    }
    ia_tool_result_fini(&r);
    return rc;
}

static void keep_host_times(struct ia_run_ctx *run, size_t steps)
{
    for (size_t i = 0; i < steps; i++) {
        if (run->spent.host_count == run->spent.host_cap) {
            run->spent.host_cap = run->spent.host_cap ? run->spent.host_cap * 2 : 32;
            run->spent.host_us = ia_realloc(run->spent.host_us, run->spent.host_cap,
                                            sizeof(*run->spent.host_us));
        }
        run->spent.host_us[run->spent.host_count++] = run->spent.turn_host_us / (int64_t)steps;
    }
    run->spent.turn_host_us = 0;
}

enum ia_rc ia_tools_run(struct ia_run_ctx *run, const struct ia_calls *calls, bool *resumed,
                        struct ia_err *err)
{
    struct turn_results t = {.run = run,
                             .calls = calls->items,
                             .n = calls->n,
                             .resumed = resumed,
                             .user = IA_BUF(IA_TURN_BYTES_MAX)};
    t.inbox = (struct ia_inbox){.count = 0};
    ia_jsonw_init(&t.w, &t.user);
    ia_jsonw_array(&t.w);
    enum ia_rc rc = IA_OK;
    size_t first = 0; /* of those without a result: one is always answered */
    /* Results of an earlier attempt are taken over as they are. When the run is over, one
     * call without a result still goes through run_one, because its commit closes the turn
     * for all that follow. */
    for (size_t i = 0; rc == IA_OK && i < t.n && !(i > first && run->end.over); i++) {
        if (t.calls[i].history == IA_CALL_MADE) {
            ia_call_block(&t.w, &t.calls[i], t.calls[i].is_error, ia_str(t.calls[i].result));
            first = i + 1;
        } else {
            rc = ia_delegate_begin(run, &t.calls[i], t.n - i, &t.open, err);
            if (rc != IA_OK || t.open) {
                break;
            }
            rc = run_one(&t, i, err);
        }
    }
    /* The history follows the store: only what is committed is sent. */
    if (rc == IA_OK && !t.open) {
        keep_host_times(run, t.n);
        ia_run_ctx_append(run, IA_MESSAGE_USER, ia_buf_str(&t.user));
        ia_run_ctx_prune(run);
    }
    ia_inbox_fini(&t.inbox);
    ia_buf_fini(&t.user);
    return rc;
}
