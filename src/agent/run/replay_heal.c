/* replay_heal.c: a model does a step that the app has changed; then the replay continues.
 *
 * The model may touch another element than the recorded one, but types the recorded text, and the step must have its
 * recorded effect. The new recording waits in quarantine (store/recordings.h). */
#include "agent/run/replay_impl.h"

#include "agent/loop/commit.h"
#include "agent/loop/say.h"

#include <stdlib.h>

enum { HEALS_MAX = 3, HEALED_RUNS_MAX = 3, HEAL_TURNS_MAX = 5, HEAL_S_MAX = 60 };
#define HEAL_USD_MAX 0.10

#define CHANGED_TOO_MUCH                                                                       \
    "the app has changed too much: run the goal with --replay off, which records it anew"

#define UNDECIDED                                                                              \
    "a model helped with this step in %d runs, and nothing that came of it was accepted: "     \
    "accept one that ios-agent recordings list shows, or run the goal with --replay off, "     \
    "which records it anew"

/* The limit of heals: one, or a third of the steps, and at most three; more would be another goal. Elements with the
 * recorded identifier do not count: an app in another language has other labels everywhere. */
static bool few_heals(const struct ia_run_replay *r, const struct ia_replay_unlike *u)
{
    int next = r->heals - r->renamed + 1;
    bool few = next == 1 || (size_t)next * 3 <= ia_recording_count(r->recording);
    return strcmp(u->match, IA_REPLAY_RENAMED) == 0 || (few && next <= HEALS_MAX);
}

/* The words of a step, or the nearest words before it. */
static json_t *part_of(const struct ia_run_replay *r)
{
    json_t *why = NULL;
    for (size_t i = r->at + 1; i-- > 0 && !why;) {
        why = json_object_get(ia_recording_step(r->recording, i), "why");
    }
    return why;
}

static void put_step(const struct ia_run_replay *r, const json_t *step, struct ia_buf *out)
{
    static const char *const shown[] = {"act", "why", "target", "input", "until"};
    json_t *part = json_object();
    for (size_t i = 0; i < IA_COUNTOF(shown); i++) {
        json_t *value = json_object_get(step, shown[i]);
        if (value) {
            (void)json_object_set(part, shown[i], value);
        }
    }
    if (!json_object_get(part, "why")) {
        (void)json_object_set(part, "part_of", part_of(r));
    }
    char *text = json_dumps(part, JSON_COMPACT);
    ia_buf_puts(out, text);
    free(text);
    json_decref(part);
}

/* True if the step, from 0, can be done now. */
static bool is_there(const struct ia_run_ctx *run, size_t at)
{
    const json_t *recording = run->replay.recording;
    return at < ia_recording_count(recording) &&
           ia_replay_is_there(recording, at, ia_session_latest(run->device.session));
}

static void count_from_here(struct ia_run_ctx *run)
{
    run->replay.heal_us = ia_mono_us(run->clock);
    run->replay.heal_usd = run->spent.spending.usd_max;
}

/* Writes the message to the model: the step as recorded, the difference, the whole screen. Everything but our own
 * words is fenced as data. */
static enum ia_rc begin_heal(struct ia_run_ctx *run, const json_t *step,
                             const struct ia_replay_unlike *u, bool *resumed,
                             struct ia_err *err)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    struct ia_buf data = IA_BUF(IA_RESULT_BYTES_MAX), text = IA_BUF(IA_TURN_BYTES_MAX);
    struct ia_run_replay *r = &run->replay;
    r->next_there = is_there(run, r->at + 1);
    r->led = ia_replay_led(run);
    const struct ia_event_replay_strayed event = {.step = (int64_t)r->at + 1,
                                                  .match = ia_str(u->match),
                                                  .why = ia_str(u->why.msg),
                                                  .led = r->led,
                                                  .next_there = r->next_there};
    put_step(r, step, &data);
    ia_buf_printf(&data, "\n%s\n%s", u->why.msg, u->why.hint);
    ia_buf_printf(&text, "%s\n", ia_prompts_note(run->texts.prompts, IA_NOTE_HEAL));
    ia_fence(&text, run->boundary, ia_buf_str(&data));
    ia_buf_reset(&data);
    ia_snapshot_text(now, 0, &data);
    ia_buf_putc(&text, '\n');
    ia_fence(&text, run->boundary, ia_buf_str(&data));
    ia_snapshot_free(run->device.shown);
    run->device.shown = ia_snapshot_ref(now);
    ia_replay_heals(r, &event);
    count_from_here(run);
    const struct ia_say message = {
        .resumed = resumed, .text = ia_buf_cstr(&text), .event = IA_EVENT(&event)};
    enum ia_rc rc = ia_say(run, &message, err);
    ia_buf_fini(&data);
    ia_buf_fini(&text);
    return rc;
}

/* Ends the run if the model has used up its turns, money or time without completing the step. */
static void end_where_spent(struct ia_run_ctx *run)
{
    struct ia_run_replay *r = &run->replay;
    struct ia_err end = {.code = IA_OK};
    int64_t s = (ia_mono_us(run->clock) - r->heal_us) / 1000000;
    if (++r->acts >= HEAL_TURNS_MAX) {
        ia_err_set(&end, IA_E_FAILED, "a model did not complete step %zu in %d turns",
                   r->at + 1, HEAL_TURNS_MAX);
    } else if (run->spent.spending.usd_max - r->heal_usd >= HEAL_USD_MAX) {
        ia_err_set(&end, IA_E_FAILED, "a model did not complete step %zu for $%.2f", r->at + 1,
                   HEAL_USD_MAX);
    } else if (s >= HEAL_S_MAX) {
        ia_err_set(&end, IA_E_FAILED, "a model did not complete step %zu in %d s", r->at + 1,
                   HEAL_S_MAX);
    }
    if (end.code != IA_OK) {
        ia_err_hint(&end, CHANGED_TOO_MUCH);
        ia_run_ctx_end(run, IA_RUN_FAILED, &end);
    }
}

/* A model that does one step must not answer a question that the recording does not answer. */
static bool is_asked(const struct ia_run_ctx *run, struct ia_err *why)
{
    struct ia_buf asked = IA_BUF(IA_EVENT_BYTES_MAX);
    size_t at = run->replay.at;
    bool open = ia_replay_somebody_decides(run, at, at + 1, &asked);
    if (open) {
        ia_err_set(why, IA_E_BLOCKED, "step %zu, by a model: the app asks \"%.120s\"", at + 1,
                   ia_buf_cstr(&asked));
        ia_err_hint(why, "a person has to decide that");
    }
    ia_buf_fini(&asked);
    return open;
}

/* True if the model's turn had the step's recorded effect, or set what the step sets and brought up the target of the
 * next one. */
static bool is_done(const struct ia_run_ctx *run)
{
    const struct ia_run_replay *r = &run->replay;
    return ia_replay_keeps_vars(run) &&
           ((!r->led && ia_replay_led(run)) ||
            (!r->next_there && is_there(run, r->at + 1) && ia_replay_set(run)));
}

/* Goes on if the step is done, or can be done now. */
enum ia_rc ia_replay_rejoin(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_run_replay *r = &run->replay;
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    if (run->end.over || !now || r->at >= ia_recording_count(r->recording)) {
        return IA_OK;
    }
    struct ia_err end;
    if (is_asked(run, &end)) {
        ia_run_ctx_end(run, IA_RUN_BLOCKED, &end);
        return IA_OK;
    }
    struct ia_buf same = IA_BUF(IA_EVENT_BYTES_MAX);
    ia_replay_same(run, &same);
    ia_replay_chose(r, ia_buf_cstr(&same));
    bool done = is_done(run);
    enum ia_rc rc = IA_OK;
    if (done || is_there(run, r->at)) {
        ia_replay_healed(r, done);
        const struct ia_event_replay_rejoined event = {.step = (int64_t)r->at,
                                                       .same = ia_buf_str(&same)};
        rc = ia_commit_one(run, IA_EVENT(&event), err);
    } else {
        end_where_spent(run);
    }
    ia_buf_fini(&same);
    return rc;
}

enum ia_rc ia_replay_resumed(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    const struct ia_snapshot *now = NULL;
    struct ia_err why;
    count_from_here(run);
    if (!run->replay.healing || !run->replay.touched ||
        ia_session_snapshot(run->device.session, &deadline, &now, &why) != IA_OK) {
        return IA_OK; /* the model's next call will return the error */
    }
    return ia_replay_rejoin(run, err);
}

/* A heal may navigate and touch another element, but its actions are of the recorded kind and type only the recorded
 * text. Only the last step may finish the run. */
bool ia_replay_allows(const struct ia_run_ctx *run, enum ia_tool tool, const json_t *input)
{
    const struct ia_run_replay *r = &run->replay;
    const json_t *step = ia_recording_step(r->recording, r->at);
    if (!r->healing || !step) {
        return true;
    }
    if (ia_tool_has_effect(tool) && is_asked(run, NULL)) {
        return false;
    }
    switch (tool) {
    case IA_TOOL_TAP:
    case IA_TOOL_SWIPE:
    case IA_TOOL_BACK:
    case IA_TOOL_SCROLL_TO:
        return true;
    case IA_TOOL_FINISH:
        return r->at + 1 == ia_recording_count(r->recording) ||
               strcmp(ia_json_text(input, "verdict"), "passed") != 0;
    default:
        return !ia_tool_has_effect(tool) ||
               (!r->going && tool == ia_recording_act(step) &&
                strcmp(ia_json_text(input, "text"),
                       ia_json_text(json_object_get(step, "input"), "text")) == 0);
    }
}

/* Whether a model was needed at this step so often that somebody has to decide on what came of it. */
static bool is_undecided(const struct ia_run_ctx *run)
{
    int64_t heals = 0;
    const struct ia_run_replay *r = &run->replay;
    return ia_store_recording_heals(run->env->store, r->id, (int64_t)r->at + 1, &heals, NULL) ==
               IA_OK &&
           heals >= HEALED_RUNS_MAX;
}

enum ia_rc ia_replay_stray(struct ia_run_ctx *run, const json_t *step,
                           const struct ia_replay_unlike *unlike, bool *resumed,
                           struct ia_err *err)
{
    bool heal = unlike->healable && ia_replay_equal(run->req->replay, "auto");
    bool undecided = heal && is_undecided(run);
    if (heal && !undecided && few_heals(&run->replay, unlike)) {
        return begin_heal(run, step, unlike, resumed, err);
    }
    /* The end of the run if the step was not done, whatever the cause. */
    struct ia_err end = unlike->why;
    end.code = unlike->state == IA_RUN_BLOCKED ? IA_E_BLOCKED : IA_E_FAILED;
    if (undecided) {
        ia_err_hint(&end, UNDECIDED, HEALED_RUNS_MAX);
    } else if (heal) {
        ia_err_hint(&end, CHANGED_TOO_MUCH);
    } else if (unlike->healable) {
        ia_err_hint(&end,
                    "%.400s; with --replay auto, or replay --heal, a model does this step",
                    unlike->why.hint);
    }
    ia_run_ctx_end(run, unlike->state, &end);
    return IA_OK;
}
