/* replay.c: replays a recording step by step.
 *
 *   effect of the last step ─► screen and element of this one ─► COMMIT: a turn with one call ─► tools.c
 *        │ does not come                  │ missing or unsure
 *        ▼                                ▼
 *   failed: the step had               a model does the step, if that is allowed (replay_heal.c);
 *   no effect                          otherwise failed or blocked
 *
 * Waits only read the screen, so they are repeated after a kill. */
#include "agent/run/replay_impl.h"

#include "agent/run/turn.h"
#include "agent/verdict/proof.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void end_held(struct ia_run_ctx *run)
{
    struct ia_err end;
    ia_err_set(&end, IA_E_BLOCKED, "every expectation holds before the first step");
    ia_err_hint(
        &end,
        "begin with the state in which the goal was recorded: setup = [\"reset\"], or undo it");
    ia_run_ctx_end(run, IA_RUN_BLOCKED, &end);
}

/* ---- the turn --------------------------------------------------------------------------- */

/* Builds an answer with one tool_use, as the API would give it. */
static void put_answer(struct ia_run_ctx *run, const char *tool, json_t *input,
                       struct ia_buf *out)
{
    char id[48];
    char *text = json_dumps(input, JSON_COMPACT);
    (void)snprintf(id, sizeof(id), "replay_%d_%zu_%d", run->attempt, run->replay.at + 1,
                   ++run->replay.calls);
    ia_buf_printf(out,
                  "{\"id\":\"msg_replay\",\"type\":\"message\",\"role\":\"assistant\","
                  "\"model\":\"recording\",\"content\":[{\"type\":\"tool_use\",\"id\":\"%s\","
                  "\"name\":\"%s\",\"input\":%s}],\"stop_reason\":\"tool_use\",\"usage\":{}}",
                  id, tool, text);
    free(text);
}

/* Notes the screen before a step, so that the screen after it can prove that the step was done. */
static const char *put_screen(struct ia_run_ctx *run, char hex[20])
{
    struct ia_run_replay *r = &run->replay;
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    bool step = now && r->at < ia_recording_count(r->recording);
    r->screen = step ? ia_snapshot_reading_hash(now) : 0;
    r->tells = step && ia_replay_tells(run, now);
    (void)snprintf(hex, 20, "%016" PRIx64, r->screen);
    return step ? hex : NULL;
}

static enum ia_rc make_turn(struct ia_run_ctx *run, const char *tool, json_t *input,
                            const struct ia_replay_sought *w, bool *resumed, struct ia_err *err)
{
    char hex[20];
    const char *screen = put_screen(run, hex);
    struct ia_buf captured = w ? w->captured : IA_BUF(0);
    const struct ia_event_step_replayed event = {
        .step = (int64_t)run->replay.at + 1,
        .of = (int64_t)ia_recording_count(run->replay.recording),
        .match = ia_str(!w || !w->has_target ? ""
                        : w->offscreen       ? IA_REPLAY_OFFSCREEN
                                             : ia_match_names[w->match.class]),
        .differs = ia_str(w ? ia_replay_differs(w) : NULL),
        .ms = (ia_mono_us(run->clock) - run->replay.since_us) / 1000,
        .screen = ia_str(screen),
        .tells = run->replay.tells,
        .captured = ia_buf_str(&captured)};
    struct ia_buf json = IA_BUF(IA_CLAUDE_MESSAGE_MAX);
    struct ia_claude_message m;
    struct ia_err why = {0};
    put_answer(run, tool, input, &json);
    enum ia_rc rc = ia_claude_message_parse(ia_buf_str(&json), &m, &why);
    ia_buf_fini(&json);
    if (rc != IA_OK) {
        ia_run_ctx_fail(run, &why);
        return IA_OK;
    }
    rc = ia_turn_take(run, &m, IA_EVENT(&event), resumed, err);
    ia_claude_message_fini(&m);
    return rc;
}

static enum ia_rc make_step(struct ia_run_ctx *run, const struct ia_replay_sought *w,
                            bool *resumed, struct ia_err *err)
{
    json_t *input = json_deep_copy(json_object_get(w->step, "input"));
    input = input ? input : json_object();
    if (w->ref > 0) {
        (void)json_object_set_new(input, "ref", json_integer(w->ref));
    }
    enum ia_rc rc = make_turn(run, ia_json_text(w->step, "act"), input, w, resumed, err);
    json_decref(input);
    run->replay.at++;
    return rc;
}

/* Scrolls to the element of the step, which is found but not visible. The effect of the step before may scroll out of
 * sight. */
static enum ia_rc make_scroll(struct ia_run_ctx *run, const struct ia_replay_sought *w,
                              bool *resumed, struct ia_err *err)
{
    json_t *input = json_pack("{s:s}", "text", w->match.e->label);
    enum ia_rc rc = make_turn(run, ia_tool_name(IA_TOOL_SCROLL_TO), input, w, resumed, err);
    json_decref(input);
    run->replay.scrolled = run->replay.at + 1;
    run->replay.settled = true;
    return rc;
}

static enum ia_rc make_finish(struct ia_run_ctx *run, bool *resumed, struct ia_err *err)
{
    const char *summary =
        run->replay.heals > 0
            ? "Every step was done again; a model did what the app has changed"
        : run->replay.quarantined
            ? "Every step was done again, some of them as a model healed them"
            : "Every step was done again";
    json_t *input =
        json_pack("{s:s, s:s, s:[]}", "verdict", "passed", "summary", summary, "evidence");
    enum ia_rc rc = make_turn(run, ia_tool_name(IA_TOOL_FINISH), input, NULL, resumed, err);
    json_decref(input);
    return rc;
}

/* Returns false if a model does the step, or the run has ended. */
static enum ia_rc find_step(struct ia_run_ctx *run, struct ia_replay_sought *w, bool *resumed,
                            bool *ret_there, struct ia_err *err)
{
    struct ia_err why = {0};
    struct ia_replay_unlike unlike;
    enum ia_rc rc = ia_replay_find(run, w, &unlike, &why);
    *ret_there = rc == IA_OK;
    if (rc == IA_E_TIMEOUT) {
        return ia_replay_stray(run, w->step, &unlike, resumed, err);
    }
    if (rc != IA_OK) {
        ia_run_ctx_fail(run, &why);
    }
    if (rc == IA_OK && ia_replay_differs(w)) {
        ia_replay_drifted(&run->replay, run->replay.at + 1, ia_str(ia_replay_differs(w)));
    }
    return IA_OK;
}

static enum ia_rc make_next(struct ia_run_ctx *run, const struct ia_replay_sought *w,
                            bool *resumed, struct ia_err *err)
{
    if (!w->step) {
        ia_proof_await(run, false);
        return make_finish(run, resumed, err);
    }
    return w->offscreen ? make_scroll(run, w, resumed, err) : make_step(run, w, resumed, err);
}

enum ia_rc ia_replay_turn(struct ia_run_ctx *run, bool *resumed, struct ia_err *err)
{
    struct ia_run_replay *r = &run->replay;
    bool there = true;
    enum ia_rc rc = IA_OK;
    r->since_us = ia_mono_us(run->clock);
    if (r->at == 0 && run->proof.expects_held) {
        end_held(run);
    } else if (r->at > 0) {
        ia_replay_settle(run);
    }
    struct ia_replay_sought w = {
        .recording = r->recording, .at = r->at, .step = ia_recording_step(r->recording, r->at)};
    if (w.step && !run->end.over) {
        rc = find_step(run, &w, resumed, &there, err);
    }
    if (rc == IA_OK && !run->end.over && there) {
        rc = make_next(run, &w, resumed, err);
    }
    ia_replay_sought_fini(&w);
    return rc;
}
