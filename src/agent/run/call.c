/* call.c: one call of a turn: made or refused, and what the model is told of it.
 *
 *     known from before ─► its outcome is unknown, or it was not made
 *     run is stopped    ─► not made
 *     refused           ─► skipped, no such tool, two verdicts, going in circles
 *     else              ─► schema ─► app lock ─► finish.c or act.c ─► going in circles?
 *
 * Whatever comes of it, the text for the model is the head (`step 3 ok`, or the error), what the
 * tool wrote, and notices. Nothing is written to the store here, but what finish commits. */
#include "agent/run/call.h"

#include "agent/loop/commit.h"
#include "agent/loop/compose.h"
#include "agent/loop/pictures.h"
#include "agent/loop/suspicious.h"
#include "agent/run/ask.h"
#include "agent/run/replay.h"
#include "agent/run/see.h"
#include "agent/verdict/finish.h"
#include "agent/verdict/picture.h"
#include "base/killpoint.h"
#include "json/json.h"

#include <string.h>

/* ---- the result as the model gets it ----------------------------------------------------- */

void ia_call_content(const struct ia_tool_result *r, struct ia_buf *out)
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

void ia_call_block(struct ia_jsonw *w, const struct ia_tool_call *call, bool is_error,
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

/* Whether the error's text may quote the screen, a page, a program or a server, so that it is data. */
static bool is_data(enum ia_rc code)
{
    return code != IA_E_USAGE && code != IA_E_NOT_MET && code != IA_E_POLICY &&
           code != IA_E_DENIED && code != IA_E_LIMIT && code != IA_E_INTERRUPTED;
}

static void put_error(struct ia_run_ctx *run, const struct ia_tool_call *call,
                      struct ia_buf *out, const struct ia_err *err)
{
    struct ia_buf text = IA_BUF(2048);
    ia_buf_puts(&text, err->msg);
    if (err->hint[0]) {
        ia_buf_printf(&text, "\n%s", err->hint);
    }
    ia_buf_putc(out, '\n');
    if (is_data(err->code) && call->def) {
        ia_fence_data(out, run->boundary, ia_buf_str(&text));
    } else if (is_data(err->code)) {
        ia_fence(out, run->boundary, ia_buf_str(&text));
    } else {
        ia_buf_putstr(out, ia_buf_str(&text));
    }
    ia_buf_fini(&text);
}

static bool hides(void *ctx, const struct ia_snapshot *s)
{
    const struct ia_run_ctx *run = ctx;
    return ia_app_lock_screen(&run->device.lock, s, NULL) != IA_OK;
}

static bool allows(void *ctx, const char *bundle_id)
{
    const struct ia_run_ctx *run = ctx;
    return ia_app_lock_allows(&run->device.lock, bundle_id);
}

static void put_notices(struct ia_run_ctx *run, const struct ia_tool_call *call,
                        struct ia_buf *out)
{
    if (run->watch.level == IA_STUCK_NUDGE) {
        put_notice(run, out, IA_NOTE_STUCK_NUDGE);
    } else if (run->watch.level == IA_STUCK_DEMAND) {
        put_notice(run, out, IA_NOTE_STUCK_DEMAND);
    }
    if (call->tool != IA_TOOL_FINISH && run->device.shown && hides(run, run->device.shown)) {
        put_notice(run, out, IA_NOTE_LEFT_APP);
    }
    ia_suspicious_screen(run, out);
    int left = run->spent.spending.limit.max_steps - call->step;
    if (left <= IA_STEPS_LOW && !call->skipped) {
        ia_buf_printf(out, "\nsteps left: %d.", left > 0 ? left : 0);
        put_notice(run, out, IA_NOTE_STEPS_LOW);
    }
}

static enum ia_rc keep_image(void *ctx, struct ia_str png, struct ia_tool_image *ret,
                             struct ia_err *err)
{
    return ia_see_keep(ctx, png, ret, err);
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
                                .hides = hides,
                                .hides_ctx = run,
                                .allows = allows,
                                .notes = &run->texts.memory,
                                .keep = keep_image,
                                .keep_ctx = run,
                                .ask = ia_see,
                                .ask_ctx = run};
}

/* Puts the head before what the tool wrote, and error and notices after it. looked: it read the screen. */
static void compose(struct ia_run_ctx *run, const struct ia_tool_call *call, bool looked,
                    struct ia_tool_result *r, const struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_RESULT_BYTES_MAX);
    ia_compose_head(&text, call->step, r->code, r->outcome);
    if (r->code != IA_OK && err->msg[0]) {
        put_error(run, call, &text, err);
        /* A failed call may still have changed the screen, or found that it changed: the
         * model must not act on the old one. */
        if (looked || ia_session_latest(run->device.session) != run->device.shown) {
            struct ia_tool_env env = tool_env(run, call->tool);
            ia_tool_show(&env, r, false);
        }
    }
    /* The journal keeps this screen; a model that does a later step gets the screen of that time. */
    bool replayed = r->code == IA_OK && call->tool != IA_TOOL_FINISH && ia_run_ctx_replays(run);
    ia_buf_putstr(&text, replayed ? ia_str(", from the recording") : ia_buf_str(&r->text));
    put_notices(run, call, &text);
    if (call->def) {
        ia_suspicious_text(run, ia_buf_str(&r->text), &text);
    }
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

/* Judged for going in circles; waiting, finishing and what does nothing on the screen are not, unless the
 * call is malformed. */
static bool judged(const struct ia_tool_call *call)
{
    return call->def ? call->def->screen
                     : call->tool != IA_TOOL_WAIT_FOR && call->tool != IA_TOOL_FINISH;
}

/* The schema first: the app lock and the tools take its types for granted. */
static enum ia_rc check(struct ia_run_ctx *run, const struct ia_tool_call *call,
                        struct ia_err *why)
{
    if (call->def) {
        return ia_tool_def_check(call->def, call->input, why);
    }
    enum ia_rc rc = ia_prompts_check_input(run->texts.prompts, call->tool, call->input, why);
    return rc == IA_OK ? ia_app_lock_tool(&run->device.lock, call->tool, call->input, why) : rc;
}

/* In front of what acts on no device there is no gate but this one: the intent is durable first. */
static enum ia_rc call_def(struct ia_run_ctx *run, const struct ia_tool_call *call,
                           const struct ia_tool_env *env, struct ia_tool_result *r,
                           struct ia_err *why)
{
    enum ia_rc rc = ia_call_has_effect(call) ? ia_commit_settled(run, why) : IA_OK;
    if (rc != IA_OK) {
        why->outcome = IA_OUTCOME_NOT_SENT;
        return rc;
    }
    return call->def->call(call->def->ctx, env, call->input, r, why);
}

static enum ia_rc check_and_act(struct ia_run_ctx *run, const struct ia_tool_call *call,
                                struct ia_tool_result *r, struct ia_err *why,
                                struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    r->code = check(run, call, why);
    if (r->code == IA_OK) {
        r->code = ia_ask_before(run, call, why);
    }
    /* Refused here, the device never saw the call. */
    if (r->code != IA_OK) {
        why->outcome = IA_OUTCOME_NOT_SENT;
    } else if (call->tool == IA_TOOL_FINISH) {
        rc = ia_finish(run, call->input, &r->text, why, err);
        r->code = why->code;
    } else {
        struct ia_tool_env env = tool_env(run, call->tool);
        env.call = call->block->id;
        r->code = call->def ? call_def(run, call, &env, r, why)
                            : ia_tool_act(&env, call->tool, call->input, r, why);
        run->texts.memory_changed = run->texts.memory_changed || r->remembered;
    }
    return rc;
}

/* Beside the text of the screen, what is new may be a picture of it, for an agent that goes by pictures; or the
 * answer of a tool that tells of no screen. */
static void judge(struct ia_run_ctx *run, const struct ia_tool_call *call,
                  const struct ia_tool_result *r, uint64_t layout, uint64_t hash)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    uint64_t content = now ? ia_snapshot_content_hash(now) : 0;
    uint64_t picture =
        r->picture || !ia_proof_sees(run) ? r->picture : ia_proof_picture_hash(run);
    content = picture ? ia_hash(content, &picture, sizeof(picture)) : content;
    if (call->def && call->def->answers && r->text.len > 0) {
        content = ia_hash(content, r->text.p, r->text.len);
    }
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
    if (ia_ask_denied(run, call, why)) {
        return IA_E_DENIED;
    }
    if (call->tool == IA_TOOL_COUNT && !call->def) {
        return note_error(run, IA_E_USAGE, IA_NOTE_UNKNOWN_TOOL, why);
    }
    if (call->ambiguous) {
        return note_error(run, IA_E_USAGE, IA_NOTE_FINISH_ONCE, why);
    }
    /* A step of a recording is one of the device's. */
    bool strays = run->replay.healing && call->def && ia_call_has_effect(call);
    if (strays || !ia_replay_allows(run, call->tool, call->input)) {
        return note_error(run, IA_E_USAGE, IA_NOTE_HEAL_REFUSED, why);
    }
    if (judged(call) && ia_stuck_refuses(&run->watch.stuck, layout, hash, &run->watch.level)) {
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
    uint64_t hash = ia_stuck_call(ia_str(call->block->name), ia_str(call->input_text));
    r->code = refusal(run, call, layout, hash, why);
    if (r->code != IA_OK) {
        return IA_OK;
    }
    enum ia_rc rc = check_and_act(run, call, r, why, err);
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    if (judged(call) || r->code == IA_E_USAGE || r->code == IA_E_PARSE) {
        judge(run, call, r, layout, hash);
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

/* The result of one call into r->code and why. */
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

enum ia_rc ia_call_make(struct ia_run_ctx *run, const struct ia_tool_call *call,
                        struct ia_tool_result *r, struct ia_err *err)
{
    struct ia_err why = {0};
    bool effect = ia_call_has_effect(call);
    uint64_t looks = ia_session_looks(run->device.session);
    run->watch.level = IA_STUCK_NO;
    run->ask.call = NULL;
    enum ia_rc rc = make(run, call, r, &why, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (r->code ==
        IA_E_ASK) { /* nothing is told: the call is made, or denied, once it is answered */
        run->ask.step = call->step;
        (void)snprintf(run->ask.call_id, sizeof(run->ask.call_id), "%s", call->block->id);
        return IA_OK;
    }
    why.code = r->code;
    r->outcome = r->code != IA_OK ? why.outcome : effect ? IA_OUTCOME_SENT : IA_OUTCOME_NONE;
    /* A verdict that is refused shows the screen itself. */
    bool looked = call->tool != IA_TOOL_FINISH && ia_session_looks(run->device.session) > looks;
    if (ia_run_ctx_replays(run)) {
        ia_replay_called(run, r->outcome, &why);
    }
    compose(run, call, looked, r, &why);
    if (!run->end.over) {
        end_where_due(run, r, &why);
    }
    return IA_OK;
}

void ia_call_not_made(struct ia_run_ctx *run, const struct ia_tool_call *call,
                      struct ia_tool_result *r)
{
    /* Interrupted, the model will go on after a resume and may make the call again; over, it
     * will not. */
    bool later = run->end.state == IA_RUN_QUEUED;
    r->code = later ? IA_E_INTERRUPTED : IA_E_CANCELLED;
    r->outcome = IA_OUTCOME_NOT_SENT;
    ia_compose_head(&r->text, call->step, r->code, r->outcome);
    put_notice(run, &r->text, later ? IA_NOTE_NOT_MADE : IA_NOTE_RUN_OVER);
}
