/* replay_find.c: finds the screen and the element of a step by their names. */
#include "agent/run/replay_impl.h"

#include "agent/recording/recording_vars.h"

#include <stdlib.h>

enum { CAPTURED_BYTES = 16 << 10 };

/* True if the question in front equals the recorded one; mostly there is none. */
static bool asks_as_recorded(const json_t *step, const struct ia_snapshot *s)
{
    struct ia_buf text = IA_BUF(IA_EVENT_BYTES_MAX);
    const char *asked = json_string_value(json_object_get(step, "asked"));
    bool asks = ia_signature_question(s, &text) > 0;
    bool same = asks ? ia_replay_equal(asked, ia_buf_cstr(&text)) : !asked;
    ia_buf_fini(&text);
    return same;
}

static void take_word(void *ctx, const char *var)
{
    ia_buf_printf(ctx, "%s\n", var);
}

/* The words that the step captures may come later than its element. */
static bool reads(struct ia_replay_sought *w, const struct ia_snapshot *s)
{
    ia_buf_reset(&w->captured);
    ia_buf_reset(&w->unread);
    return ia_recording_capture(w->step, s, take_word, &w->captured, &w->unread);
}

static bool is_there(void *ctx, const struct ia_snapshot *s)
{
    struct ia_replay_sought *w = ctx;
    const char *app = json_string_value(json_object_get(w->step, "app"));
    w->other_app = app && !ia_replay_equal(app, ia_snapshot_app(s));
    w->other_question = !w->other_app && !asks_as_recorded(w->step, s);
    w->other_screen =
        !w->other_app && !w->other_question && !ia_replay_is_screen(w->recording, w->at, s);
    if (w->other_app || w->other_question || w->other_screen || !w->has_target) {
        return !w->other_app && !w->other_question && !w->other_screen && reads(w, s);
    }
    ia_signature_match(s, &w->target, &w->match);
    const struct ia_element *e = w->match.e;
    w->ref = e ? e->ref : 0;
    w->offscreen = e && e->reach == IA_REACH_OFFSCREEN && e->label && w->may_scroll;
    return e && (w->offscreen || (e->reach == IA_REACH_OK && reads(w, s)));
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

static void say_nearest(struct ia_replay_unlike *u, const struct ia_replay_sought *w, size_t n)
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
    const struct ia_match_candidate *best = w->match.count > 0 ? &w->match.best[0] : NULL;
    const struct ia_element *e = best ? best->e : NULL;
    bool on = e && e->on != (uint8_t)w->target.on && w->match.class == IA_MATCH_CHANGED;
    bool renamed = e && ia_replay_equal(e->identifier, w->target.text[IA_SIGN_ID]) &&
                   e->role == w->target.role;
    u->match = renamed ? IA_REPLAY_RENAMED : ia_match_names[w->match.class];
    u->healable =
        w->match.class == IA_MATCH_MISSING || (w->match.class == IA_MATCH_CHANGED && !on);
}

/* An alert with one button only informs. One with several buttons, or with another question than the recorded one,
 * needs a person's decision. */
static void say_question(struct ia_replay_unlike *u, const struct ia_replay_sought *w, size_t n,
                         const struct ia_snapshot *now)
{
    struct ia_buf text = IA_BUF(IA_EVENT_BYTES_MAX);
    const char *asked = json_string_value(json_object_get(w->step, "asked"));
    size_t buttons = ia_signature_question(now, &text);
    u->match = "question";
    if (buttons == 0) {
        ia_err_set(&u->why, IA_E_NOT_MET, "step %zu, %s: the app does not ask \"%.120s\"", n,
                   ia_json_text(w->step, "act"), asked);
    } else {
        ia_err_set(&u->why, IA_E_BLOCKED, "step %zu, %s: the app asks \"%.120s\"%s%.120s%s", n,
                   ia_json_text(w->step, "act"), ia_buf_cstr(&text),
                   asked ? " instead of \"" : "", asked ? asked : "", asked ? "\"" : "");
        ia_err_hint(&u->why,
                    "a person has to decide that; if the app always asks it now, run the "
                    "goal with --replay off, which records it anew");
        u->healable = !asked && buttons == 1;
        u->state = u->healable ? IA_RUN_FAILED : IA_RUN_BLOCKED;
    }
    ia_buf_fini(&text);
}

static void say_screen(struct ia_replay_unlike *u, const struct ia_replay_sought *w, size_t n,
                       const struct ia_snapshot *now)
{
    const char *title = ia_snapshot_screen(now);
    ia_err_set(&u->why, IA_E_NOT_MET,
               "step %zu, %s: the screen is \"%.80s\" instead of \"%.80s\"", n,
               ia_json_text(w->step, "act"), title ? title : "another one",
               ia_json_text(w->step, "title"));
    u->match = "screen";
    u->healable = true;
}

/* Blocked if a person must look, failed if the app no longer does it. A model cannot tell equal elements apart
 * either; and an element that is disabled, or on already, is what the goal tests. */
static void explain(const struct ia_run_ctx *run, const struct ia_replay_sought *w,
                    struct ia_replay_unlike *u)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    const char *act = ia_json_text(w->step, "act"), *app = now ? ia_snapshot_app(now) : NULL;
    size_t n = run->replay.at + 1;
    *u = (struct ia_replay_unlike){.state = IA_RUN_FAILED, .match = ""};
    if (!now || w->other_app) {
        ia_err_set(&u->why, IA_E_BLOCKED, "step %zu, %s: %s is in front instead of %s", n, act,
                   app ? app : "another app", ia_json_text(w->step, "app"));
        u->state = IA_RUN_BLOCKED;
    } else if (w->other_question) {
        say_question(u, w, n, now);
    } else if (w->other_screen) {
        say_screen(u, w, n, now);
    } else if (w->unread.len > 0) {
        ia_err_set(&u->why, IA_E_NOT_MET, "step %zu, %s: %.*s", n, act, (int)w->unread.len - 1,
                   w->unread.p);
    } else if (w->match.e) {
        (void)ia_snapshot_check(now, w->match.e, 0, &u->why);
        (void)ia_err_wrap(&u->why, u->why.code, "step %zu, %s", n, act);
    } else {
        say_nearest(u, w, n);
    }
    u->healable = u->healable && !json_is_true(json_object_get(w->step, "commit"));
}

/* A step that opens the run's app was recorded without the screen before it. */
static bool on_hidden_screen(const struct ia_run_ctx *run, const json_t *step)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    return now && !ia_session_allowed(run->device.session, now) &&
           json_array_size(json_object_get(step, "marks")) == 0 &&
           !json_object_get(step, "title") && !json_object_get(step, "target");
}

/* A model did the step that should have captured it. */
static bool lacks_word(const struct ia_run_ctx *run, const json_t *step,
                       struct ia_replay_unlike *u)
{
    struct ia_str name;
    size_t at = 0;
    struct ia_str text = ia_json_field(json_object_get(step, "input"), "text");
    if (json_object_get(step, "capture") || !ia_recording_next_name(text, &at, &name)) {
        return false;
    }
    *u = (struct ia_replay_unlike){.state = IA_RUN_FAILED, .match = ""};
    ia_err_set(&u->why, IA_E_NOT_MET, "step %zu, %s: nothing was read for {{%.*s}}",
               run->replay.at + 1, ia_json_text(step, "act"), (int)name.n, name.p);
    ia_err_hint(&u->why, "the step that reads it has changed: run the goal with --replay off");
    return true;
}

enum ia_rc ia_replay_find(struct ia_run_ctx *run, struct ia_replay_sought *sought,
                          struct ia_replay_unlike *unlike, struct ia_err *why)
{
    struct ia_deadline deadline = ia_replay_limit(run, sought->step);
    if (on_hidden_screen(run, sought->step)) {
        return IA_OK;
    }
    sought->has_target = ia_recording_target(sought->step, &sought->target);
    sought->may_scroll = run->replay.scrolled != run->replay.at + 1;
    if (lacks_word(run, sought->step, unlike)) {
        ia_signature_fini(&sought->target);
        return IA_E_TIMEOUT;
    }
    sought->captured = sought->unread = IA_BUF(CAPTURED_BYTES);
    enum ia_rc rc = ia_session_await(run->device.session, &deadline, is_there, sought, why);
    if (rc == IA_OK) {
        ia_replay_fill(run, ia_buf_str(&sought->captured));
    }
    if (rc == IA_E_TIMEOUT) {
        explain(run, sought, unlike);
    }
    ia_signature_fini(&sought->target);
    return rc;
}

void ia_replay_sought_fini(struct ia_replay_sought *sought)
{
    ia_buf_fini(&sought->captured);
    ia_buf_fini(&sought->unread);
}

bool ia_replay_is_there(const json_t *recording, size_t at, const struct ia_snapshot *s)
{
    const json_t *step = ia_recording_step(recording, at);
    struct ia_replay_sought w = {.recording = recording,
                                 .at = at,
                                 .step = step,
                                 .captured = IA_BUF(CAPTURED_BYTES),
                                 .unread = IA_BUF(CAPTURED_BYTES)};
    w.has_target = ia_recording_target(step, &w.target);
    bool there = is_there(&w, s) && (!w.has_target || w.match.class == IA_MATCH_EXACT);
    ia_signature_fini(&w.target);
    ia_replay_sought_fini(&w);
    return there;
}
