/* replay_heal.c: a model does a step of which the app has changed, and the recording goes on.
 *
 * It may touch another element than the recorded one, but types the recorded text and has to lead to what the step
 * led to. What comes of it waits in quarantine (store/recordings.h). */
#include "agent/run/replay_impl.h"

#include "agent/loop/commit.h"
#include "agent/loop/say.h"

#include <stdlib.h>

enum { HEALS_MAX = 3, HEAL_TURNS_MAX = 5 };

/* Three, or a third of a short recording: more is another goal. */
static bool may_heal(const struct ia_run_ctx *run, const struct ia_replay_unlike *u)
{
    const struct ia_run_replay *r = &run->replay;
    return u->healable && run->req->replay && strcmp(run->req->replay, "auto") == 0 &&
           r->heals < HEALS_MAX && (size_t)r->heals * 3 <= ia_recording_count(r->recording);
}

static void put_step(const json_t *step, struct ia_buf *out)
{
    static const char *const shown[] = {"act", "why", "target", "input", "until"};
    json_t *part = json_object();
    for (size_t i = 0; i < IA_COUNTOF(shown); i++) {
        json_t *value = json_object_get(step, shown[i]);
        if (value) {
            (void)json_object_set(part, shown[i], value);
        }
    }
    char *text = json_dumps(part, JSON_COMPACT);
    ia_buf_puts(out, text);
    free(text);
    json_decref(part);
}

/* Whether the step after the one that a model does can be done now. */
static bool next_is_there(const struct ia_run_ctx *run)
{
    const json_t *next = ia_recording_step(run->replay.recording, run->replay.at + 1);
    return next && ia_replay_is_there(next, ia_session_latest(run->device.session));
}

/* What the model is told: the step as it was recorded, what is different, the whole screen. All but our own
 * words are data. */
static enum ia_rc begin_heal(struct ia_run_ctx *run, const json_t *step,
                             const struct ia_replay_unlike *u, bool *resumed,
                             struct ia_err *err)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    struct ia_buf data = IA_BUF(IA_RESULT_BYTES_MAX), text = IA_BUF(IA_TURN_BYTES_MAX);
    run->replay.next_there = next_is_there(run);
    const struct ia_event_replay_strayed event = {.step = (int64_t)run->replay.at + 1,
                                                  .why = ia_str(u->why.msg),
                                                  .next_there = run->replay.next_there};
    put_step(step, &data);
    ia_buf_printf(&data, "\n%s\n%s\n", u->why.msg, u->why.hint);
    ia_snapshot_text(now, 0, &data);
    ia_buf_printf(&text, "%s\n", ia_prompts_note(run->texts.prompts, IA_NOTE_HEAL));
    ia_fence(&text, run->boundary, ia_buf_str(&data));
    ia_snapshot_free(run->device.shown);
    run->device.shown = ia_snapshot_ref(now);
    run->replay.healing = true;
    run->replay.heals++;
    run->replay.acts = 0;
    const struct ia_say message = {
        .resumed = resumed, .text = ia_buf_cstr(&text), .event = IA_EVENT(&event)};
    enum ia_rc rc = ia_say(run, &message, err);
    ia_buf_fini(&data);
    ia_buf_fini(&text);
    return rc;
}

static void too_many_turns(struct ia_run_ctx *run)
{
    struct ia_err end;
    ia_err_set(&end, IA_E_FAILED, "a model did not get step %zu done in %d turns",
               run->replay.at + 1, HEAL_TURNS_MAX);
    ia_err_hint(
        &end,
        "the app has changed too much: run the goal with --replay off, which records it anew");
    ia_run_ctx_end(run, IA_RUN_FAILED, &end);
}

/* Whether the model's turn has led to what the step led to when it was recorded, or has brought up what the next one
 * needs. */
enum ia_rc ia_replay_rejoin(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_run_replay *r = &run->replay;
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    const json_t *step = ia_recording_step(r->recording, r->at);
    if (run->end.over || !now || !step) {
        return IA_OK;
    }
    if (!ia_replay_led(run, step) && (r->next_there || !next_is_there(run))) {
        if (++r->acts >= HEAL_TURNS_MAX) {
            too_many_turns(run);
        }
        return IA_OK;
    }
    const struct ia_event_replay_rejoined event = {.step = (int64_t)++r->at};
    ia_replay_note(r, r->at, ia_str(IA_REPLAY_HEALED));
    r->healing = false;
    r->settled = true;
    return ia_commit_one(run, IA_EVENT(&event), err);
}

enum ia_rc ia_replay_resumed(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    const struct ia_snapshot *now = NULL;
    struct ia_err why;
    if (!run->replay.healing || !run->replay.touched ||
        ia_session_snapshot(run->device.session, &deadline, &now, &why) != IA_OK) {
        return IA_OK; /* the model is asked, and a screen that cannot be read will be its answer */
    }
    return ia_replay_rejoin(run, err);
}

/* A heal may change what is touched, never what is typed. */
bool ia_replay_types(const struct ia_run_ctx *run, const char *text)
{
    const struct ia_run_replay *r = &run->replay;
    bool found = !r->healing;
    for (size_t i = 0; i < ia_recording_count(r->recording) && !found; i++) {
        const json_t *input = json_object_get(ia_recording_step(r->recording, i), "input");
        found = ia_replay_equal(json_string_value(json_object_get(input, "text")), text);
    }
    return found;
}

enum ia_rc ia_replay_stray(struct ia_run_ctx *run, const json_t *step,
                           const struct ia_replay_unlike *unlike, bool *resumed,
                           struct ia_err *err)
{
    if (may_heal(run, unlike)) {
        return begin_heal(run, step, unlike, resumed, err);
    }
    /* What the run came to, whatever kept the step from being done. */
    struct ia_err end = unlike->why;
    end.code = unlike->state == IA_RUN_BLOCKED ? IA_E_BLOCKED : IA_E_FAILED;
    ia_run_ctx_end(run, unlike->state, &end);
    return IA_OK;
}
