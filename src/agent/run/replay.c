/* replay.c: a recording, step by step.
 *
 *   until of the step before ─► screen and target of this one ─► COMMIT: a turn with one call ─► tools.c
 *        │ does not come                │ not there, or unsure
 *        ▼                              ▼
 *   failed: what was done had        failed or blocked: the app is not as it was recorded
 *   no effect
 *
 * Nothing sleeps for as long as something took when it was recorded: a condition is awaited, and the recorded
 * time is where the limit of the wait comes from. Waits only look, so they are done again after a kill. */
#include "agent/run/replay.h"

#include "agent/loop/commit.h"
#include "agent/loop/say.h"
#include "agent/recording/make.h"
#include "agent/run/turn.h"
#include "store/recordings.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_MS_MIN = 5000, WAIT_MS_MAX = 30000, TIMES = 3, MARKS_PART = 60 };

/* ---- the recording ---------------------------------------------------------------------- */

static bool equal(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* The step that a call of the journal did, as its id says; 0: none. */
static size_t step_of(const char *tool_use_id)
{
    const char *step =
        strncmp(tool_use_id, "replay_", 7) == 0 ? strchr(tool_use_id + 7, '_') : NULL;
    return step ? strtoul(step + 1, NULL, 10) : 0;
}

/* A call without a result was in hand when its process ended. */
static bool count_step(void *ctx, const struct ia_call_row *row)
{
    struct ia_run_replay *r = ctx;
    size_t step = step_of(row->tool_use_id);
    if (step > 0) {
        r->at = step;
        r->calls++;
        r->unknown = row->has_effect && (row->state == IA_CALL_INTENT ||
                                         equal(row->code, ia_rc_name(IA_E_INTERRUPTED)));
    }
    if (row->screen.n > 0 && !r->unknown) {
        free(r->screen);
        r->screen = ia_strndup(row->screen.p, row->screen.n);
    }
    return true;
}

static enum ia_rc check_goal(const struct ia_run_ctx *run, const json_t *recording,
                             struct ia_err *err)
{
    char hash[IA_RECORDING_HASH_SIZE];
    ia_recording_goal_hash(run->req, hash);
    if (strcmp(hash, ia_json_text(recording, "goal_hash")) == 0) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(
        err, IA_E_STATE, "the recording is of another goal, or the goal was changed since");
    ia_err_hint(err, "run the goal once more with a model; what passes is a new recording");
    return rc;
}

/* The request of the run that is to be recorded is that of this run: they have the same hash. */
static enum ia_rc record(struct ia_run_ctx *run, const char *hash, char ret_id[IA_ID_SIZE],
                         struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_store_run_to_record(run->env->store, hash, &row, err);
    if (rc == IA_OK && row) {
        rc = ia_recording_keep(run->env->store, row, run->req, ret_id, err);
        /* A run that cannot be replayed is no recording, and no reason not to do the goal. */
        rc = rc == IA_E_STATE ? IA_OK : rc;
    }
    ia_run_row_free(row);
    return rc;
}

/* The best recording of the goal, which may have to be made first; "" where there is none. */
static enum ia_rc choose(struct ia_run_ctx *run, char ret_id[IA_ID_SIZE], struct ia_err *err)
{
    char hash[IA_RECORDING_HASH_SIZE];
    struct ia_recording_row *row = NULL;
    ia_recording_goal_hash(run->req, hash);
    enum ia_rc rc = record(run, hash, ret_id, err);
    if (rc == IA_OK && !ret_id[0]) {
        rc = ia_store_recording_for(run->env->store, hash, &row, err);
    }
    if (row) {
        memcpy(ret_id, row->id, IA_ID_SIZE);
    }
    ia_recording_row_free(row);
    return rc;
}

/* Which steps a model did, and whether it is at one now. */
static bool count_heal(void *ctx, const struct ia_event_row *row)
{
    struct ia_run_replay *r = ctx;
    struct ia_event e;
    bool strayed = row->type == IA_EVENT_REPLAY_STRAYED;
    if ((strayed || row->type == IA_EVENT_REPLAY_REJOINED) && ia_event_read(&e, row->json)) {
        size_t step = (size_t)(strayed ? e.replay_strayed.step - 1 : e.replay_rejoined.step);
        r->at = step > r->at ? step : r->at;
        r->heals += strayed;
        r->healing = strayed;
        ia_event_fini(&e);
    }
    return true;
}

static enum ia_rc load_progress(struct ia_run_ctx *run, struct ia_err *err)
{
    const struct ia_event_range range = {.run_id = run->id};
    enum ia_rc rc = ia_store_calls(run->env->store, run->id, count_step, &run->replay, err);
    return rc == IA_OK
               ? ia_store_events(run->env->store, &range, count_heal, &run->replay, NULL, err)
               : rc;
}

static enum ia_rc load(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_run_replay *r = &run->replay;
    struct ia_recording_row *row = NULL;
    enum ia_rc rc = ia_store_recording(run->env->store, r->id, &row, err);
    if (rc == IA_OK) {
        rc = ia_recording_read(row->id, ia_str(row->body), &r->recording, err);
    }
    if (rc == IA_OK) {
        rc = check_goal(run, r->recording, err);
    }
    if (rc == IA_OK && run->previous_attempt.begun) {
        rc = load_progress(run, err);
    }
    ia_recording_row_free(row);
    return rc;
}

enum ia_rc ia_replay_load(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_run_replay *r = &run->replay;
    enum ia_rc rc = IA_OK;
    if (run->req->recording) {
        (void)snprintf(r->id, sizeof(r->id), "%s", run->req->recording);
    } else if (!r->id[0] && run->req->replay && !run->previous_attempt.begun) {
        rc = choose(run, r->id, err);
    }
    if (rc == IA_OK && r->id[0]) {
        rc = load(run, err);
    } else if (rc == IA_OK && run->req->replay && strcmp(run->req->replay, "only") == 0) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "there is no recording of this goal");
        ia_err_hint(err, "run it once with a model: what passes by its expectations is one");
    }
    return rc;
}

/* ---- waiting ---------------------------------------------------------------------------- */

static struct ia_deadline limit_of(struct ia_run_ctx *run, const json_t *step)
{
    int64_t ms = TIMES * json_integer_value(json_object_get(step, "ms"));
    ms = ms < WAIT_MS_MIN ? WAIT_MS_MIN : ms > WAIT_MS_MAX ? WAIT_MS_MAX : ms;
    return ia_run_ctx_deadline(run, ms);
}

/* What a step led to, when it was recorded. */
struct until {
    struct ia_expects all;
    struct ia_buf why; /* the last that did not hold */
};

/* All that the step set, and one of what it brought onto the screen: another control of the next page may have
 * changed, which the next step will find. */
static bool has_led(void *ctx, const struct ia_snapshot *fresh)
{
    struct until *u = ctx;
    size_t brought = 0, seen = 0;
    ia_buf_reset(&u->why);
    for (size_t i = 0; i < u->all.count; i++) {
        bool holds = ia_expect_holds(&u->all.items[i], fresh, &u->why);
        bool brings = u->all.items[i].kind == IA_EXPECT_VISIBLE;
        brought += brings;
        seen += brings && holds;
        if (!brings && !holds) {
            return false;
        }
    }
    return brought == 0 || seen > 0;
}

static enum ia_rc read_until(const json_t *step, struct until *ret, struct ia_err *err)
{
    const json_t *lines = json_object_get(step, "until");
    size_t n = json_array_size(lines);
    const char **texts = ia_calloc(n + 1, sizeof(*texts));
    for (size_t i = 0; i < n; i++) {
        texts[i] = json_string_value(json_array_get(lines, i));
    }
    *ret = (struct until){.why = IA_BUF(IA_EVENT_BYTES_MAX)};
    enum ia_rc rc = ia_expects_parse(texts, n, &ret->all, err);
    free(texts);
    return rc;
}

static void until_fini(struct until *u)
{
    ia_expects_fini(&u->all);
    ia_buf_fini(&u->why);
}

/* IA_E_TIMEOUT where the step does not lead to what it led to when it was recorded; why says what is missing. */
static enum ia_rc await_until(struct ia_run_ctx *run, const json_t *step, struct ia_err *why)
{
    struct ia_deadline deadline = limit_of(run, step);
    struct until u;
    enum ia_rc rc = read_until(step, &u, why);
    if (rc == IA_OK) {
        rc = ia_session_await(run->device.session, &deadline, has_led, &u, why);
    }
    if (rc == IA_E_TIMEOUT) {
        ia_err_set(why, IA_E_FAILED,
                   "step %zu, %s, did not lead to what it led to when it was recorded: %s",
                   run->replay.at, ia_json_text(step, "act"), ia_buf_cstr(&u.why));
    }
    until_fini(&u);
    return rc;
}

/* Whether two screens in text form read the same; the numbers of their elements do not count. */
static bool reads_same(const char *a, const char *b)
{
    while (*a && *b) {
        size_t n = strcspn(a += strspn(a, "0123456789"), "\n");
        size_t m = strcspn(b += strspn(b, "0123456789"), "\n");
        if (n != m || memcmp(a, b, n) != 0) {
            return false;
        }
        a += n + (a[n] == '\n');
        b += m + (b[m] == '\n');
    }
    return *a == *b;
}

/* After an interruption: a step that led nowhere on a screen that reads word for word as before it was not made. */
static bool was_not_made(const struct ia_run_ctx *run, const json_t *step)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    const char *before =
        run->replay.screen ? run->replay.screen : ia_buf_cstr(&run->proof.first_screen);
    struct ia_buf text = IA_BUF(IA_RESULT_BYTES_MAX);
    ia_snapshot_text(now, 0, &text);
    bool same = reads_same(before, ia_buf_cstr(&text));
    ia_buf_fini(&text);
    return same && !json_is_true(json_object_get(step, "commit"));
}

/* What the step before came to. Where the next one must not be done, the run has ended. */
static void settle_step(struct ia_run_ctx *run, const json_t *step)
{
    struct ia_run_replay *r = &run->replay;
    struct ia_err why = {0};
    bool unknown = r->unknown;
    enum ia_rc rc = await_until(run, step, &why);
    r->unknown = false;
    if (rc == IA_OK) {
        return;
    }
    if (rc != IA_E_TIMEOUT) {
        ia_run_ctx_fail(run, &why);
    } else if (!unknown) {
        ia_run_ctx_end(run, IA_RUN_FAILED, &why);
    } else if (was_not_made(run, step)) {
        r->at--;
    } else {
        ia_err_set(
            &why, IA_E_INTERRUPTED,
            "step %zu, %s, was interrupted, and the screen does not tell whether it was done",
            r->at, ia_json_text(step, "act"));
        ia_err_hint(&why, "look at the app, then replay again from its beginning");
        ia_run_ctx_end(run, IA_RUN_ERROR, &why);
    }
}

/* ---- the screen of a step --------------------------------------------------------------- */

struct sought {
    const json_t *step;
    struct ia_signature target;
    bool has_target;
    struct ia_match match; /* its elements are borrowed from the newest screen */
    bool other_app, other_screen;
    uint32_t ref;
};

/* The title, or most of what stands on it for as long as it is that screen. */
static bool is_screen(const json_t *step, const struct ia_snapshot *s)
{
    const char *title = json_string_value(json_object_get(step, "title"));
    const json_t *marks = json_object_get(step, "marks");
    size_t n = json_array_size(marks), found = 0;
    if (n == 0 || equal(title, ia_snapshot_screen(s))) {
        return !title || n > 0 || equal(title, ia_snapshot_screen(s));
    }
    for (size_t i = 0; i < n; i++) {
        struct ia_selector sel;
        size_t at;
        const char *mark = json_string_value(json_array_get(marks, i));
        if (ia_selector_parse(ia_str(mark), &sel, &at, NULL) == IA_OK) {
            found += ia_snapshot_find(s, &sel) != NULL;
            ia_selector_fini(&sel);
        }
    }
    return found * 100 >= n * MARKS_PART;
}

static bool is_there(void *ctx, const struct ia_snapshot *s)
{
    struct sought *w = ctx;
    const char *app = json_string_value(json_object_get(w->step, "app"));
    w->other_app = app && !equal(app, ia_snapshot_app(s));
    w->other_screen = !w->other_app && !is_screen(w->step, s);
    if (w->other_app || w->other_screen || !w->has_target) {
        return !w->other_app && !w->other_screen;
    }
    ia_signature_match(s, &w->target, &w->match);
    w->ref = w->match.e ? w->match.e->ref : 0;
    return w->match.e && w->match.e->reach == IA_REACH_OK;
}

static void put_nearest(const struct ia_match *m, struct ia_buf *out)
{
    for (size_t i = 0; i < m->count; i++) {
        ia_buf_puts(out, i > 0 ? "; " : "");
        ia_element_text(m->best[i].e, out);
        ia_buf_printf(out, " (%d points%s%s)", m->best[i].score, m->best[i].veto ? ", " : "",
                      m->best[i].veto ? m->best[i].veto : "");
    }
}

/* Why the step cannot be done as it was recorded, and what the run comes to by that. */
struct unlike {
    struct ia_err why;
    enum ia_run_state state;
    bool healable; /* a person would do the step in another way */
};

static void say_nearest(struct unlike *u, const struct sought *w, size_t n)
{
    const char *label = w->target.text[IA_SIGN_LABEL];
    struct ia_buf nearest = IA_BUF(sizeof(u->why.hint));
    ia_err_set(&u->why, w->match.class == IA_MATCH_AMBIGUOUS ? IA_E_AMBIGUOUS : IA_E_NOT_FOUND,
               "step %zu, %s: %s \"%.80s\" is %s", n, ia_json_text(w->step, "act"),
               ia_role_name((enum ia_role)w->target.role),
               label                        ? label
               : w->target.text[IA_SIGN_ID] ? w->target.text[IA_SIGN_ID]
                                            : "",
               ia_match_names[w->match.class]);
    put_nearest(&w->match, &nearest);
    if (nearest.len > 0) {
        ia_err_hint(&u->why, "nearest: %s", ia_buf_cstr(&nearest));
    }
    ia_buf_fini(&nearest);
    u->healable = w->match.class == IA_MATCH_CHANGED || w->match.class == IA_MATCH_MISSING;
}

/* What another person would have to look at is blocked, what the app no longer does failed. Of several equal
 * elements a model knows no more than the recording; one that is disabled is what is being tested. */
static void explain(const struct ia_run_ctx *run, const struct sought *w, struct unlike *u)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    const char *act = ia_json_text(w->step, "act");
    size_t n = run->replay.at + 1;
    *u = (struct unlike){.state = IA_RUN_FAILED};
    if (w->other_app) {
        const char *app = now ? ia_snapshot_app(now) : NULL;
        ia_err_set(&u->why, IA_E_BLOCKED, "step %zu, %s: %s is in front instead of %s", n, act,
                   app ? app : "another app", ia_json_text(w->step, "app"));
        u->state = IA_RUN_BLOCKED;
    } else if (w->other_screen) {
        const char *title = now ? ia_snapshot_screen(now) : NULL;
        ia_err_set(&u->why, IA_E_NOT_MET,
                   "step %zu, %s: the screen is \"%.80s\" instead of \"%.80s\"", n, act,
                   title ? title : "another one", ia_json_text(w->step, "title"));
        u->healable = true;
    } else if (w->match.e) {
        (void)ia_snapshot_check(now, w->match.e, 0, &u->why);
        (void)ia_err_wrap(&u->why, u->why.code, "step %zu, %s", n, act);
    } else {
        say_nearest(u, w, n);
    }
    u->healable = u->healable && !json_is_true(json_object_get(w->step, "commit"));
}

/* ---- healing ---------------------------------------------------------------------------- */

enum { HEALS_MAX = 3, HEAL_TURNS_MAX = 5 };

/* Three, or a third of a short recording: more is another goal. */
static bool may_heal(const struct ia_run_ctx *run, const struct unlike *u)
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

/* What the model is told: the step as it was recorded, what is different, the whole screen. All but our own
 * words are data. */
static enum ia_rc begin_heal(struct ia_run_ctx *run, const json_t *step, const struct unlike *u,
                             bool *resumed, struct ia_err *err)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    struct ia_buf data = IA_BUF(IA_RESULT_BYTES_MAX), text = IA_BUF(IA_TURN_BYTES_MAX);
    const struct ia_event_replay_strayed event = {.step = (int64_t)run->replay.at + 1,
                                                  .why = ia_str(u->why.msg)};
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

/* Whether the model's turn has led to what the step led to when it was recorded. */
enum ia_rc ia_replay_rejoin(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_run_replay *r = &run->replay;
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    const json_t *step = ia_recording_step(r->recording, r->at);
    struct until u;
    struct ia_err why = {0};
    if (run->end.over || !now || !step) {
        return IA_OK;
    }
    bool led = read_until(step, &u, &why) == IA_OK && u.all.count > 0 && has_led(&u, now);
    until_fini(&u);
    if (!led) {
        if (++r->acts >= HEAL_TURNS_MAX) {
            too_many_turns(run);
        }
        return IA_OK;
    }
    const struct ia_event_replay_rejoined event = {.step = (int64_t)++r->at};
    r->healing = false;
    return ia_commit_one(run, IA_EVENT(&event), err);
}

/* A heal may change what is touched, never what is typed. */
bool ia_replay_types(const struct ia_run_ctx *run, const char *text)
{
    const struct ia_run_replay *r = &run->replay;
    bool found = !r->healing;
    for (size_t i = 0; i < ia_recording_count(r->recording) && !found; i++) {
        const json_t *input = json_object_get(ia_recording_step(r->recording, i), "input");
        found = equal(json_string_value(json_object_get(input, "text")), text);
    }
    return found;
}

/* Waits for the step's screen and element. False: a model does the step, or the run has ended. */
static enum ia_rc await_target(struct ia_run_ctx *run, struct sought *w, bool *resumed,
                               bool *ret_there, struct ia_err *err)
{
    struct ia_deadline deadline = limit_of(run, w->step);
    struct ia_err why = {0};
    struct unlike u;
    w->has_target = ia_recording_target(w->step, &w->target);
    enum ia_rc rc = ia_session_await(run->device.session, &deadline, is_there, w, &why);
    *ret_there = rc == IA_OK;
    run->replay.drifted += rc == IA_OK && w->match.class == IA_MATCH_DRIFTED;
    if (rc == IA_E_TIMEOUT) {
        explain(run, w, &u);
        if (may_heal(run, &u)) {
            rc = begin_heal(run, w->step, &u, resumed, err);
        } else {
            /* What the run came to, whatever kept the step from being done. */
            u.why.code = u.state == IA_RUN_BLOCKED ? IA_E_BLOCKED : IA_E_FAILED;
            ia_run_ctx_end(run, u.state, &u.why);
            rc = IA_OK;
        }
    } else if (rc != IA_OK) {
        ia_run_ctx_fail(run, &why);
        rc = IA_OK;
    }
    ia_signature_fini(&w->target);
    return rc;
}

/* Expectations that hold before anything was done show nothing of what the recording does. */
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

/* As the API gives an answer with one tool_use. */
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

static enum ia_rc make_turn(struct ia_run_ctx *run, const char *tool, json_t *input,
                            const char *match, bool *resumed, struct ia_err *err)
{
    const struct ia_event_step_replayed event = {
        .step = (int64_t)run->replay.at + 1,
        .of = (int64_t)ia_recording_count(run->replay.recording),
        .match = ia_str(match),
        .ms = (ia_mono_us(run->clock) - run->replay.since_us) / 1000};
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

static enum ia_rc make_step(struct ia_run_ctx *run, const struct sought *w, bool *resumed,
                            struct ia_err *err)
{
    json_t *input = json_deep_copy(json_object_get(w->step, "input"));
    input = input ? input : json_object();
    if (w->ref > 0) {
        (void)json_object_set_new(input, "ref", json_integer(w->ref));
    }
    enum ia_rc rc =
        make_turn(run, ia_json_text(w->step, "act"), input,
                  w->has_target ? ia_match_names[w->match.class] : "", resumed, err);
    json_decref(input);
    run->replay.at++;
    return rc;
}

static enum ia_rc make_finish(struct ia_run_ctx *run, bool *resumed, struct ia_err *err)
{
    char summary[128];
    (void)snprintf(summary, sizeof(summary), "Replayed %zu steps%s", run->replay.at,
                   run->replay.drifted ? ", some in other surroundings" : "");
    json_t *input =
        json_pack("{s:s, s:s, s:[]}", "verdict", "passed", "summary", summary, "evidence");
    enum ia_rc rc = make_turn(run, ia_tool_name(IA_TOOL_FINISH), input, "", resumed, err);
    json_decref(input);
    return rc;
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
        settle_step(run, ia_recording_step(r->recording, r->at - 1));
    }
    struct sought w = {.step = ia_recording_step(r->recording, r->at)};
    if (w.step && !run->end.over) {
        rc = await_target(run, &w, resumed, &there, err);
    }
    if (rc != IA_OK || run->end.over || !there) {
        return rc;
    }
    r->acting = true;
    rc = w.step ? make_step(run, &w, resumed, err) : make_finish(run, resumed, err);
    r->acting = false;
    return rc;
}
