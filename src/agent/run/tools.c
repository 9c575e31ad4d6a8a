/* tools.c: the calls of one turn through the journal.
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
#include "agent/run/retry.h"
#include "agent/tools/act.h"
#include "agent/verdict/finish.h"
#include "base/killpoint.h"
#include "store/blob.h"

#include <stdlib.h>
#include <string.h>

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
                                                    const struct ia_tool_result *r, int64_t ms,
                                                    int64_t host_us)
{
    return (struct ia_event_tool_finished){
        .step = call->step,
        .id = ia_str(call->block->id),
        .tool = ia_str(call->block->name),
        .ok = r->code == IA_OK,
        .code = ia_str(ia_rc_name(r->code)),
        .outcome = ia_str(ia_outcome_name(r->outcome)),
        .element = ia_str(r->element),
        .changed = r->changed,
        .changes = ia_str(ia_buf_cstr(&r->changes)),
        .ms = ms,
        .box = {r->has_box, r->box.x, r->box.y, r->box.w, r->box.h},
        .image = ia_str(r->image.sha[0] ? r->image.sha : NULL),
        .host_us = host_us,
        .refs = ia_session_last_ref(run->device.session),
    };
}

/* Longer than any wait that a schema allows is not believed. */
enum { WAIT_S_MAX = 3600 };

/* Says in that transaction until when the call may take; NULL: none is in hand. */
static void in_hand(struct ia_commit *c, const struct ia_tool_call *call)
{
    if (!call) {
        ia_tx_tool_deadline(c->tx, c->run->id, 0);
        return;
    }
    /* wait_for may take as long as the model asked for; the stuck check must not call that
     * stuck (agent/queue/pulse.c). */
    json_int_t wait_s = json_integer_value(json_object_get(call->input, "seconds"));
    wait_s = wait_s < 0 ? 0 : wait_s > WAIT_S_MAX ? WAIT_S_MAX : wait_s;
    ia_tx_tool_deadline(c->tx, c->run->id,
                        ia_tx_wall_ms(c->tx) + IA_ACTION_MS_MAX + wait_s * 1000);
}

void ia_tools_started(struct ia_commit *c, const struct ia_tool_call *call)
{
    struct ia_buf element = IA_BUF(4096);
    struct ia_event_tool_started started = {
        .step = call->step,
        .id = ia_str(call->block->id),
        .tool = ia_str(call->block->name),
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
    in_hand(c, call);
    ia_buf_fini(&element);
}

/* ---- the result as the model gets it ----------------------------------------------------- */

/* The content of the tool_result: a string, or blocks where there is an image. */
static void content_json(const struct ia_tool_result *r, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    if (!r->image.sha[0]) {
        ia_jsonw_str(&w, ia_buf_str(&r->text));
        return;
    }
    ia_jsonw_array(&w);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "type", "text");
    ia_jsonw_key(&w, "text");
    ia_jsonw_str(&w, ia_buf_str(&r->text));
    ia_jsonw_end_object(&w);
    ia_history_image(&w, r->image.path, "image/png", r->image.width_px, r->image.height_px);
    ia_jsonw_end_array(&w);
}

static void block_json(struct ia_jsonw *w, const struct ia_tool_call *call, bool is_error,
                       struct ia_str content)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "type", "tool_result");
    ia_jsonw_kv(w, "tool_use_id", call->block->id);
    ia_jsonw_key(w, "content");
    ia_jsonw_raw(w, content);
    if (is_error) {
        ia_jsonw_kv_bool(w, "is_error", true);
    }
    ia_jsonw_end_object(w);
}

static void put_notice(struct ia_run_ctx *run, struct ia_buf *out, enum ia_note note)
{
    ia_buf_printf(out, "\nnotice: %s", ia_prompts_note(run->texts.prompts, note));
}

/* Whether the error's text may quote the screen, so that it is data. */
static bool quotes_screen(enum ia_rc code)
{
    return code != IA_E_USAGE && code != IA_E_NOT_MET && code != IA_E_LIMIT &&
           code != IA_E_INTERRUPTED;
}

static void put_error(struct ia_run_ctx *run, struct ia_buf *out, const struct ia_err *err)
{
    struct ia_buf text = IA_BUF(2048);
    ia_buf_puts(&text, err->msg);
    if (err->hint[0]) {
        ia_buf_printf(&text, "\n%s", err->hint);
    }
    ia_buf_putc(out, '\n');
    if (quotes_screen(err->code)) {
        ia_fence(out, run->boundary, ia_buf_str(&text));
    } else {
        ia_buf_putstr(out, ia_buf_str(&text));
    }
    ia_buf_fini(&text);
}

static bool in_foreign_app(const struct ia_run_ctx *run)
{
    const char *app = run->device.shown ? ia_snapshot_app(run->device.shown) : NULL;
    return run->device.lock.app && app && !ia_app_lock_allows(&run->device.lock, app);
}

static void put_notices(struct ia_run_ctx *run, const struct ia_tool_call *call,
                        struct ia_buf *out)
{
    if (run->watch.level == IA_STUCK_NUDGE) {
        put_notice(run, out, IA_NOTE_STUCK_NUDGE);
    } else if (run->watch.level == IA_STUCK_DEMAND) {
        put_notice(run, out, IA_NOTE_STUCK_DEMAND);
    }
    if (ia_tool_has_effect(call->tool) && in_foreign_app(run)) {
        put_notice(run, out, IA_NOTE_LEFT_APP);
    }
    int left = run->spent.spending.limit.max_steps - call->step;
    if (left <= IA_STEPS_LOW && !call->skipped) {
        ia_buf_printf(out, "\nsteps left: %d.", left > 0 ? left : 0);
        put_notice(run, out, IA_NOTE_STEPS_LOW);
    }
}

/* The blob's path below the store's home, where the history looks for images. */
static enum ia_rc image_path(struct ia_run_ctx *run, struct ia_tool_image *image,
                             struct ia_err *err)
{
    struct ia_buf path = IA_BUF(4096);
    enum ia_rc rc = ia_blob_path(run->env->store, image->sha, &path, err);
    if (rc == IA_OK) {
        const char *home = ia_store_home(run->env->store);
        const char *at = ia_buf_cstr(&path);
        size_t n = strlen(home);
        /* Relative, so that a transcript stays valid when the folder is moved. */
        at += strncmp(at, home, n) == 0 && at[n] == '/' ? n + 1 : 0;
        (void)snprintf(image->path, sizeof(image->path), "%s", at);
    }
    ia_buf_fini(&path);
    return rc;
}

static enum ia_rc keep_image(void *ctx, struct ia_str png, struct ia_tool_image *ret,
                             struct ia_err *err)
{
    struct ia_run_ctx *run = ctx;
    struct ia_picture p;
    enum ia_rc rc = ia_picture_store(run, png, &p, err);
    if (rc == IA_OK) {
        memcpy(ret->sha, p.sha, sizeof(ret->sha));
        ret->width_px = p.width_px;
        ret->height_px = p.height_px;
        rc = image_path(run, ret, err);
    }
    return rc;
}

/* What a tool gets of the run. A screenshot only looks and can be taken again, so it has
 * neither the patience nor the time budget of an action. */
static struct ia_tool_env tool_env(struct ia_run_ctx *run, enum ia_tool tool)
{
    struct ia_deadline acting = {run->device.patience,
                                 ia_spending_deadline(&run->spent.spending)};
    struct ia_deadline looking = {run->env->cancel, IA_NO_DEADLINE};
    return (struct ia_tool_env){.session = run->device.session,
                                .clock = run->clock,
                                .limit = tool == IA_TOOL_SCREENSHOT ? looking : acting,
                                .boundary = run->boundary,
                                .shown = &run->device.shown,
                                .notes = &run->texts.memory,
                                .keep = keep_image,
                                .keep_ctx = run};
}

/* Puts the head before what the tool wrote, and error and notices after it. */
static void compose(struct ia_run_ctx *run, const struct ia_tool_call *call,
                    struct ia_tool_result *r, const struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_RESULT_BYTES_MAX);
    ia_compose_head(&text, call->step, r->code, r->outcome);
    if (r->code != IA_OK && err->msg[0]) {
        put_error(run, &text, err);
        /* A failed call may still have changed the screen, or found that it changed: the
         * model must not act on the old one. */
        if (ia_session_latest(run->device.session) != run->device.shown) {
            struct ia_tool_env env = tool_env(run, call->tool);
            ia_tool_show(&env, r, false);
        }
    }
    ia_buf_putstr(&text, ia_buf_str(&r->text));
    put_notices(run, call, &text);
    ia_buf_fini(&r->text);
    r->text = text;
}

/* ---- making a call ----------------------------------------------------------------------- */

static enum ia_rc note_error(struct ia_run_ctx *run, enum ia_rc rc, enum ia_note note,
                             struct ia_err *err)
{
    ia_err_set(err, rc, "%s", ia_prompts_note(run->texts.prompts, note));
    err->outcome = IA_OUTCOME_NOT_SENT;
    return rc;
}

/* Judged for going in circles; waiting and finishing are not, unless the call is malformed. */
static bool judged(enum ia_tool tool)
{
    return tool != IA_TOOL_WAIT_FOR && tool != IA_TOOL_FINISH;
}

static enum ia_rc check_and_act(struct ia_run_ctx *run, const struct ia_tool_call *call,
                                struct ia_tool_result *r, struct ia_err *why,
                                struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    /* The schema first: the app lock and the tools take its types for granted. */
    r->code = ia_prompts_check_input(run->texts.prompts, call->tool, call->input, why);
    if (r->code == IA_OK) {
        r->code = ia_app_lock_tool(&run->device.lock, call->tool, call->input, why);
    }
    /* Refused here, the device never saw the call. */
    if (r->code != IA_OK) {
        why->outcome = IA_OUTCOME_NOT_SENT;
    } else if (call->tool == IA_TOOL_FINISH) {
        rc = ia_finish(run, call->input, &r->text, why, err);
        r->code = why->code;
    } else {
        struct ia_tool_env env = tool_env(run, call->tool);
        r->code = ia_tool_act(&env, call->tool, call->input, r, why);
        run->texts.memory_changed = run->texts.memory_changed || r->remembered;
    }
    return rc;
}

static void judge(struct ia_run_ctx *run, uint64_t layout, uint64_t hash)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    uint64_t content = now ? ia_snapshot_content_hash(now) : 0;
    run->watch.level = ia_stuck_step(&run->watch.stuck, layout, hash, content);
}

/* Why a call is answered without being made, into r->code and why; IA_OK where it is made. */
static enum ia_rc refusal(struct ia_run_ctx *run, const struct ia_tool_call *call,
                          uint64_t layout, uint64_t hash, struct ia_err *why)
{
    if (call->skipped) {
        /* Two reasons to skip a call: the steps of the budget are used up, or the turn had
         * too many calls. */
        bool steps = call->step > run->spent.spending.limit.max_steps;
        return note_error(run, steps ? IA_E_BUDGET : IA_E_LIMIT,
                          steps ? IA_NOTE_STEPS_USED : IA_NOTE_TURN_FULL, why);
    }
    if (call->tool == IA_TOOL_COUNT) {
        return note_error(run, IA_E_USAGE, IA_NOTE_UNKNOWN_TOOL, why);
    }
    if (call->ambiguous) {
        return note_error(run, IA_E_USAGE, IA_NOTE_FINISH_ONCE, why);
    }
    if (judged(call->tool) &&
        ia_stuck_refuses(&run->watch.stuck, layout, hash, &run->watch.level)) {
        return note_error(run, IA_E_STATE, IA_NOTE_STUCK_REFUSED, why);
    }
    return IA_OK;
}

static enum ia_rc make_call(struct ia_run_ctx *run, const struct ia_tool_call *call,
                            struct ia_tool_result *r, struct ia_err *why, struct ia_err *err)
{
    const struct ia_snapshot *shown = run->device.shown;
    /* Of the screen before the call: going in circles is the same call on the same layout. */
    uint64_t layout = shown ? ia_snapshot_layout_hash(shown) : 0;
    uint64_t hash = ia_stuck_call(ia_str(ia_tool_name(call->tool)), ia_str(call->input_text));
    r->code = refusal(run, call, layout, hash, why);
    if (r->code != IA_OK) {
        return IA_OK;
    }
    enum ia_rc rc = check_and_act(run, call, r, why, err);
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    if (judged(call->tool) || r->code == IA_E_USAGE || r->code == IA_E_PARSE) {
        judge(run, layout, hash);
        if (run->watch.level != IA_STUCK_NO) {
            ia_run_ctx_notice(run, "these steps lead to no new screen", "");
        }
    } else if (now) {
        ia_stuck_saw(&run->watch.stuck, ia_snapshot_content_hash(now));
    }
    return rc;
}

/* Errors that no further step can fix, and circles that go on. */
static void end_where_due(struct ia_run_ctx *run, const struct ia_tool_result *r,
                          const struct ia_err *err)
{
    /* Without a device, or asked to stop, no further call could do better. */
    if (r->code == IA_E_CANCELLED || r->code == IA_E_DEVICE_LOST || r->code == IA_E_NO_DEVICE) {
        ia_run_ctx_fail(run, err);
    } else if (run->watch.level == IA_STUCK_STOP) {
        struct ia_err stuck;
        ia_err_set(&stuck, IA_E_BLOCKED, "the run went in circles and was stopped");
        ia_err_hint(&stuck,
                    "Give a hint with --hint, or a smaller goal; `show` has the steps.");
        ia_run_ctx_end(run, IA_RUN_BLOCKED, &stuck);
    }
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
    content_json(r, &content);
    struct ia_call_row row = {
        .tool_use_id = call->block->id,
        .result = ia_buf_str(&content),
        .is_error = r->code != IA_OK,
        .code = ia_rc_name(r->code),
        .outcome = ia_outcome_name(r->outcome),
        .ms = ms,
        .screen = ia_buf_str(&r->screen),
    };
    ia_tx_set_result(c->tx, t->run->id, &row);
    /* The row and the message get the same bytes, so that a resumed turn sends what this one
     * would have. */
    block_json(&t->w, call, row.is_error, ia_buf_str(&content));
    ia_buf_fini(&content);
}

/* Answers the calls that were not made because the run ended, or stopped for now, before their
 * turn. */
static void journal_rest(struct turn_results *t, struct ia_commit *c, size_t from)
{
    /* Interrupted, the model will go on after a resume and may make the call again; over, it
     * will not. */
    bool later = t->run->end.state == IA_RUN_QUEUED;
    for (size_t i = from; i < t->n; i++) {
        struct ia_tool_result r;
        ia_tool_result_init(&r);
        r.code = later ? IA_E_INTERRUPTED : IA_E_CANCELLED;
        r.outcome = IA_OUTCOME_NOT_SENT;
        ia_compose_head(&r.text, t->calls[i].step, r.code, r.outcome);
        put_notice(t->run, &r.text, later ? IA_NOTE_NOT_MADE : IA_NOTE_RUN_OVER);
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

static void commit_next(struct turn_results *t, struct ia_commit *c, size_t next,
                        const struct ia_buf *note)
{
    struct ia_run_ctx *run = t->run;
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
    int64_t host_us = ia_host_time_lap(&run->device.timed);
    run->spent.turn_host_us += host_us;
    const struct ia_event_tool_finished finished =
        finished_event(run, &t->calls[i], r, ms, host_us);
    struct ia_commit c;
    if (rc == IA_OK) {
        rc = ia_commit_begin(&c, run, err);
    }
    if (rc == IA_OK) {
        journal(t, &c, &t->calls[i], r, ms);
        journal_memory(run, &c);
        ia_commit_event(&c, IA_EVENT(&finished));
        commit_next(t, &c, i + 1, &note);
        rc = ia_commit_end(&c, err);
    }
    ia_buf_fini(&note);
    return rc;
}

/* The result of one call into r->code and why. A call of an earlier attempt of which nothing is
 * known, or that comes after one, is answered without being made. */
static enum ia_rc make(struct ia_run_ctx *run, const struct ia_tool_call *call,
                       struct ia_tool_result *r, struct ia_err *why, struct ia_err *err)
{
    /* Before the stop check: it must not turn an unknown outcome into "not made". */
    if (call->history != IA_CALL_NEW) {
        bool unknown = call->history == IA_CALL_UNKNOWN;
        r->code = note_error(run, IA_E_INTERRUPTED,
                             unknown ? IA_NOTE_OUTCOME_UNKNOWN : IA_NOTE_NOT_MADE, why);
        why->outcome = unknown ? IA_OUTCOME_UNKNOWN : IA_OUTCOME_NOT_SENT;
        return IA_OK;
    }
    if (ia_run_ctx_stopped(run)) {
        bool later = run->end.state == IA_RUN_QUEUED;
        r->code = note_error(run, later ? IA_E_INTERRUPTED : IA_E_CANCELLED,
                             later ? IA_NOTE_NOT_MADE : IA_NOTE_RUN_OVER, why);
        return IA_OK;
    }
    IA_KILL_POINT("agent.tool.before");
    enum ia_rc rc = make_call(run, call, r, why, err);
    IA_KILL_POINT("agent.tool.after");
    return rc;
}

/* An error that can pass ended the attempt in a call that may be made again, such as the second
 * opinion of finish. Told as a result, the model would take it for a verdict on what it did. */
static bool stays_open(const struct ia_run_ctx *run, const struct ia_tool_call *call)
{
    return ia_retry_wanted(run) && !ia_tool_has_effect(call->tool);
}

static enum ia_rc run_one(struct turn_results *t, size_t i, struct ia_err *err)
{
    struct ia_run_ctx *run = t->run;
    struct ia_tool_result r;
    struct ia_err why = {0};
    ia_tool_result_init(&r);
    run->watch.level = IA_STUCK_NO;
    /* Timed apart from the call: the picture is for the report. */
    ia_picture_before(run, t->calls[i].step);
    int64_t from = ia_mono_us(run->clock);
    enum ia_rc rc = make(run, &t->calls[i], &r, &why, err);
    if (rc != IA_OK) {
        ia_tool_result_fini(&r);
        return rc;
    }
    why.code = r.code;
    bool effect = ia_tool_has_effect(t->calls[i].tool);
    r.outcome = r.code != IA_OK ? why.outcome : effect ? IA_OUTCOME_SENT : IA_OUTCOME_NONE;
    compose(run, &t->calls[i], &r, &why);
    if (!run->end.over) {
        end_where_due(run, &r, &why);
    }
    t->open = stays_open(run, &t->calls[i]);
    /* Nothing is written: the intent stays open, and the next attempt makes the call again. */
    if (t->open) {
        ia_tool_result_fini(&r);
        return IA_OK;
    }
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
            block_json(&t.w, &t.calls[i], t.calls[i].is_error, ia_str(t.calls[i].result));
            first = i + 1;
        } else {
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
