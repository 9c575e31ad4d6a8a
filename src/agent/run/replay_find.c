/* replay_find.c: the screen and the element of a step, by what names them. */
#include "agent/run/replay_impl.h"

enum { MARKS_PART = 60 };

/* The title, or most of what stands on it for as long as it is that screen. */
static bool is_screen(const json_t *step, const struct ia_snapshot *s)
{
    const char *title = json_string_value(json_object_get(step, "title"));
    const json_t *marks = json_object_get(step, "marks");
    size_t n = json_array_size(marks), found = 0;
    if (n == 0 || ia_replay_equal(title, ia_snapshot_screen(s))) {
        return !title || n > 0 || ia_replay_equal(title, ia_snapshot_screen(s));
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
    struct ia_replay_sought *w = ctx;
    const char *app = json_string_value(json_object_get(w->step, "app"));
    w->other_app = app && !ia_replay_equal(app, ia_snapshot_app(s));
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
    u->healable = w->match.class == IA_MATCH_CHANGED || w->match.class == IA_MATCH_MISSING;
}

/* What another person would have to look at is blocked, what the app no longer does failed. Of several equal
 * elements a model knows no more than the recording; one that is disabled is what is being tested. */
static void explain(const struct ia_run_ctx *run, const struct ia_replay_sought *w,
                    struct ia_replay_unlike *u)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    const char *act = ia_json_text(w->step, "act");
    size_t n = run->replay.at + 1;
    *u = (struct ia_replay_unlike){.state = IA_RUN_FAILED};
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

/* What leads into the app of the run was recorded without anything of the screen before it. */
static bool on_hidden_screen(const struct ia_run_ctx *run, const json_t *step)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    return now && !ia_session_allowed(run->device.session, now) &&
           json_array_size(json_object_get(step, "marks")) == 0 &&
           !json_object_get(step, "title") && !json_object_get(step, "target");
}

enum ia_rc ia_replay_find(struct ia_run_ctx *run, struct ia_replay_sought *sought,
                          struct ia_replay_unlike *unlike, struct ia_err *why)
{
    struct ia_deadline deadline = ia_replay_limit(run, sought->step);
    if (on_hidden_screen(run, sought->step)) {
        return IA_OK;
    }
    sought->has_target = ia_recording_target(sought->step, &sought->target);
    enum ia_rc rc = ia_session_await(run->device.session, &deadline, is_there, sought, why);
    if (rc == IA_E_TIMEOUT) {
        explain(run, sought, unlike);
    }
    ia_signature_fini(&sought->target);
    return rc;
}

bool ia_replay_is_there(const json_t *step, const struct ia_snapshot *s)
{
    struct ia_replay_sought w = {.step = step};
    w.has_target = ia_recording_target(step, &w.target);
    bool there = w.has_target && is_there(&w, s) && w.match.class == IA_MATCH_EXACT;
    ia_signature_fini(&w.target);
    return there;
}
