/* replay_until.c: whether a step had its recorded effect.
 *
 * Nothing sleeps for a recorded time: waits end with a condition, and the recorded time only sets their limit. */
#include "agent/run/replay_impl.h"

#include "agent/goal/expect.h"
#include "driver/snapshot/phrase.h"

#include <stdlib.h>

enum { WAIT_MS_MIN = 5000, WAIT_MS_MAX = 30000, TIMES = 3 };

struct ia_deadline ia_replay_limit(struct ia_run_ctx *run, const json_t *step)
{
    int64_t ms = TIMES * json_integer_value(json_object_get(step, "ms"));
    ms = ms < WAIT_MS_MIN ? WAIT_MS_MIN : ms > WAIT_MS_MAX ? WAIT_MS_MAX : ms;
    return ia_run_ctx_deadline(run, ms);
}

/* The recorded effect of a step. */
struct until {
    struct ia_expects all;
    struct ia_buf why; /* the last condition that did not hold */
    const json_t *recording;
    size_t next; /* the next step, from 0 */
    /* If a model did the step: what it touched replaces the recorded element. */
    const struct ia_signature *target;
    const struct ia_element *touched;
    const char *chose; /* the recorded element's label if another one was touched, or NULL */
};

/* True if the condition is about the recorded element and holds for the one that was touched instead. */
static bool holds_of_touched(const struct until *u, const struct ia_expect *x)
{
    const struct ia_element *e = u->touched;
    if (!e || x->kind != IA_EXPECT_VALUE) {
        return false;
    }
    bool named = x->sel.identifier
                     ? ia_replay_equal(x->sel.identifier, u->target->text[IA_SIGN_ID])
                     : ia_replay_equal(x->sel.label, u->target->text[IA_SIGN_LABEL]);
    return named && ia_replay_equal(ia_signature_state(e), x->text);
}

/* True if all conditions hold for which others cannot stand: all but `visible`, and those that name the recorded
 * element where another one was touched, which may be another person or thing. */
static bool has_set(struct until *u, const struct ia_snapshot *fresh)
{
    for (size_t i = 0; i < u->all.count; i++) {
        const struct ia_expect *x = &u->all.items[i];
        bool named = u->chose && x->sel.label && ia_phrase_has(u->chose, x->sel.label);
        if ((x->kind != IA_EXPECT_VISIBLE || named) && !ia_expect_holds(x, fresh, &u->why) &&
            !holds_of_touched(u, x)) {
            return false;
        }
    }
    return true;
}

/* All values that the step set, and at least one element that it brought up: other controls of the next page may have
 * changed, which their own steps will notice. The page's title then has to match. */
static bool has_led(void *ctx, const struct ia_snapshot *fresh)
{
    struct until *u = ctx;
    size_t brought = 0, seen = 0;
    bool titled = true;
    ia_buf_reset(&u->why);
    if (!has_set(u, fresh)) {
        return false;
    }
    for (size_t i = 0; i < u->all.count; i++) {
        const struct ia_expect *x = &u->all.items[i];
        if (x->kind == IA_EXPECT_VISIBLE) {
            bool holds = ia_expect_holds(x, fresh, &u->why);
            brought++;
            seen += holds;
            titled = titled && (holds || x->sel.role != IA_ROLE_HEADING);
        }
    }
    bool last = u->next >= ia_recording_count(u->recording);
    return seen == brought ||
           (seen > 0 && (last ? titled : ia_replay_is_screen(u->recording, u->next, fresh)));
}

static bool changes(const json_t *step)
{
    return json_is_true(json_object_get(step, "changed")) &&
           json_array_size(json_object_get(step, "until")) == 0;
}

/* If the effect held before the step, or none can be named, the screen must have changed. */
static bool is_changed(void *ctx, const struct ia_snapshot *fresh)
{
    const struct ia_run_replay *r = ctx;
    return ia_snapshot_reading_hash(fresh) != r->screen;
}

/* at: the step, from 0. */
static enum ia_rc read_until(const json_t *recording, size_t at, struct until *ret,
                             struct ia_err *err)
{
    const json_t *lines = json_object_get(ia_recording_step(recording, at), "until");
    size_t n = json_array_size(lines);
    const char **texts = ia_calloc(n + 1, sizeof(*texts));
    for (size_t i = 0; i < n; i++) {
        texts[i] = json_string_value(json_array_get(lines, i));
    }
    *ret = (struct until){
        .why = IA_BUF(IA_EVENT_BYTES_MAX), .recording = recording, .next = at + 1};
    enum ia_rc rc = ia_expects_parse(texts, n, &ret->all, err);
    free(texts);
    return rc;
}

static void until_fini(struct until *u)
{
    ia_expects_fini(&u->all);
    ia_buf_fini(&u->why);
}

/* Checks the screen on which the action settled, which need not be read again. */
static bool has_led_there(const struct ia_run_ctx *run, struct until *u)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    return now && ia_session_allowed(run->device.session, now) && has_led(u, now);
}

bool ia_replay_somebody_decides(const struct ia_run_ctx *run, size_t from, size_t to,
                                struct ia_buf *ret_asked)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    bool open = now && ia_signature_question(now, ret_asked) > 1;
    for (size_t i = from; open && i <= to; i++) {
        const json_t *step = ia_recording_step(run->replay.recording, i);
        open = !ia_replay_equal(json_string_value(json_object_get(step, "asked")),
                                ia_buf_cstr(ret_asked));
    }
    return open;
}

static void say_not_led(const struct ia_run_ctx *run, const json_t *step,
                        const struct ia_buf *missing, struct ia_err *why)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    const char *app = now ? ia_snapshot_app(now) : NULL,
               *is = now ? ia_snapshot_screen(now) : NULL;
    size_t next = run->replay.at;
    const char *title = ia_json_text(ia_recording_step(run->replay.recording, next), "title");
    bool other = *title && is && strcmp(is, title) != 0;
    struct ia_buf asked = IA_BUF(IA_EVENT_BYTES_MAX);
    if (ia_replay_somebody_decides(run, next, next, &asked)) {
        ia_err_set(why, IA_E_BLOCKED, "step %zu, %s: the app asks \"%.120s\"", run->replay.at,
                   ia_json_text(step, "act"), ia_buf_cstr(&asked));
        ia_err_hint(why, "a person has to decide that");
    } else {
        ia_err_set(why, IA_E_FAILED,
                   "step %zu, %s, did not have its recorded effect: "
                   "%s%.80s%s%.80s%s%.*s%s",
                   run->replay.at, ia_json_text(step, "act"), other ? "the screen is \"" : "",
                   other ? is : "", other ? "\" instead of \"" : "", other ? title : "",
                   other ? "\"; " : "", (int)missing->len, ia_buf_cstr(missing),
                   missing->len > 0 ? ""
                   : app            ? app
                                    : "nothing is in front");
    }
    ia_buf_fini(&asked);
}

/* A touched element that looks the same afterwards may be dead; only a field that has the focus may look the same. */
static bool must_change(const struct ia_run_ctx *run, const json_t *step)
{
    const struct ia_run_replay *r = &run->replay;
    struct ia_str role = ia_json_field(json_object_get(step, "target"), "role");
    bool touch =
        ia_recording_act(step) == IA_TOOL_TAP && !ia_role_is_field(ia_role_from_name(role));
    bool named = json_array_size(json_object_get(step, "until")) > 0;
    return r->screen != 0 && (changes(step) || (named && !r->tells && touch));
}

/* IA_E_TIMEOUT: the step does not have its recorded effect; why says what is missing. */
static enum ia_rc await_until(struct ia_run_ctx *run, const json_t *step, struct ia_err *why)
{
    struct ia_deadline deadline = ia_replay_limit(run, step);
    struct until u;
    enum ia_rc rc = read_until(run->replay.recording, run->replay.at - 1, &u, why);
    if (rc == IA_OK && u.all.count > 0 && !has_led_there(run, &u)) {
        rc = ia_session_await(run->device.session, &deadline, has_led, &u, why);
    }
    if (rc == IA_OK && must_change(run, step)) {
        rc = ia_session_await(run->device.session, &deadline, is_changed, &run->replay, why);
        ia_buf_puts(&u.why, rc == IA_E_TIMEOUT ? "the screen reads as before" : "");
    }
    if (rc == IA_E_TIMEOUT) {
        say_not_led(run, step, &u.why, why);
    }
    until_fini(&u);
    return rc;
}

/* While the field is empty, nothing was typed; and text that replaces the field's may be typed again. A submitted text
 * leaves an empty field, too. */
static bool may_type_again(const json_t *step, const struct ia_snapshot *now)
{
    const json_t *input = json_object_get(step, "input");
    bool replaces = json_is_true(json_object_get(input, "replace"));
    bool submits = json_is_true(json_object_get(input, "submit"));
    struct ia_signature target;
    struct ia_match m = {0};
    if (ia_recording_act(step) == IA_TOOL_TYPE_TEXT && ia_recording_target(step, &target)) {
        ia_signature_match(now, &target, &m);
        ia_signature_fini(&target);
    }
    return !submits && m.e && m.class == IA_MATCH_EXACT &&
           (replaces || !m.e->value || !*m.e->value);
}

/* After an interruption, an unchanged screen proves that a step with a visible effect was not done. For a step that
 * cannot be undone, this is no proof. */
static bool may_be_made(const struct ia_run_ctx *run, const json_t *step)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    uint64_t before = run->replay.screen;
    return now && !json_is_true(json_object_get(step, "commit")) &&
           ((run->replay.tells && ia_snapshot_reading_hash(now) == before) ||
            may_type_again(step, now) || ia_recording_act(step) == IA_TOOL_SCROLL_TO);
}

/* If the device failed or did not answer, the screen decides. */
void ia_replay_called(struct ia_run_ctx *run, enum ia_outcome outcome, const struct ia_err *err)
{
    bool verdict = err->code != IA_OK && ia_rc_exit(err->code) <= ia_rc_exit(IA_E_USAGE);
    run->replay.failed = (struct ia_err){.code = IA_OK};
    if (verdict && outcome != IA_OUTCOME_UNKNOWN) {
        run->replay.failed = *err;
    }
}

/* A question that came in between is the reason. */
static bool ends_failed(struct ia_run_ctx *run, const json_t *step)
{
    size_t next = run->replay.at;
    struct ia_err why = run->replay.failed;
    struct ia_buf asked = IA_BUF(IA_EVENT_BYTES_MAX);
    if (why.code == IA_OK) {
        return false;
    }
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    const struct ia_snapshot *now = NULL;
    (void)ia_session_snapshot(run->device.session, &deadline, &now, NULL);
    if (ia_replay_somebody_decides(run, next, next, &asked)) {
        say_not_led(run, step, &asked, &why);
    } else {
        (void)ia_err_wrap(&why, IA_E_FAILED, "step %zu, %s", run->replay.at,
                          ia_json_text(step, "act"));
        why.code = IA_E_FAILED;
    }
    ia_buf_fini(&asked);
    ia_run_ctx_end(run, why.code == IA_E_BLOCKED ? IA_RUN_BLOCKED : IA_RUN_FAILED, &why);
    return true;
}

/* Checks the effect of the step before. If the next step must not be done, the run has ended. */
void ia_replay_settle(struct ia_run_ctx *run)
{
    struct ia_run_replay *r = &run->replay;
    if (r->settled) { /* a model did the step, and its effect was checked */
        r->settled = false;
        return;
    }
    const json_t *step = ia_recording_step(r->recording, r->at - 1);
    struct ia_err why = {0};
    bool unknown = r->unknown;
    if (!unknown && ends_failed(run, step)) {
        return;
    }
    enum ia_rc rc = await_until(run, step, &why);
    r->unknown = false;
    /* A condition that held before the step proves nothing. */
    if (rc == IA_OK && !(unknown && !r->tells)) {
        return;
    }
    rc = rc == IA_OK ? IA_E_TIMEOUT : rc;
    if (rc != IA_E_TIMEOUT) {
        ia_run_ctx_fail(run, &why);
    } else if (unknown && may_be_made(run, step)) {
        r->at--;
    } else if (unknown || ia_replay_unanswered(run)) {
        ia_err_set(&why, unknown ? IA_E_INTERRUPTED : IA_E_DEVICE,
                   "step %zu, %s, was %s, and the screen does not tell whether it was done",
                   r->at, ia_json_text(step, "act"), unknown ? "interrupted" : "not answered");
        ia_err_hint(&why, "look at the app, then replay again from its beginning");
        ia_run_ctx_end(run, IA_RUN_ERROR, &why);
    } else {
        ia_run_ctx_end(run, why.code == IA_E_BLOCKED ? IA_RUN_BLOCKED : IA_RUN_FAILED, &why);
    }
}

/* Of the next step. touched: what a model touched for it, or NULL. */
static bool shows(const struct ia_run_replay *r, const struct ia_snapshot *now,
                  const struct ia_element *touched, const char *chose,
                  bool (*has)(struct until *u, const struct ia_snapshot *now))
{
    struct ia_signature target = {0};
    struct until u;
    bool has_target = ia_recording_target(ia_recording_step(r->recording, r->at), &target);
    enum ia_rc rc = read_until(r->recording, r->at, &u, NULL);
    u.target = &target;
    u.touched = has_target ? touched : NULL;
    u.chose = chose;
    bool shown = rc == IA_OK && has(&u, now);
    ia_signature_fini(&target);
    until_fini(&u);
    return shown;
}

static bool has_shown(struct until *u, const struct ia_snapshot *now)
{
    return u->all.count > 0 && has_led(u, now);
}

/* The label of the next step's target if the model that does it touched another one. */
static const char *chose(const struct ia_run_replay *r)
{
    const json_t *step = ia_recording_step(r->recording, r->at);
    bool same = *ia_json_text(step, IA_REPLAY_TOUCHED);
    return r->healing && !same ? ia_json_text(json_object_get(step, "target"), "label") : NULL;
}

bool ia_replay_led(const struct ia_run_ctx *run)
{
    const struct ia_run_replay *r = &run->replay;
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    return shows(r, now, ia_replay_touched(run, now), chose(r), has_shown);
}

bool ia_replay_set(const struct ia_run_ctx *run)
{
    const struct ia_run_replay *r = &run->replay;
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    return shows(r, now, ia_replay_touched(run, now), chose(r), has_set);
}

bool ia_replay_tells(const struct ia_run_ctx *run, const struct ia_snapshot *before)
{
    const struct ia_run_replay *r = &run->replay;
    const json_t *step = ia_recording_step(r->recording, r->at);
    return changes(step) || (json_array_size(json_object_get(step, "until")) > 0 &&
                             !shows(r, before, NULL, NULL, has_shown));
}
