/* act.c: one small function for each tool, from checked input to a call of the session. Inputs
 * were checked against their schemas, so a field has its type or is absent. */
#include "agent/tools/act.h"

#include "driver/image/image.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum {
    WAIT_ALSO_MAX = 4,

    LONG_PRESS_MS = 1000,
    WAIT_S_DEFAULT = 10,
    SCROLL_SWIPES = 12
};
#define SWIPE_DISTANCE 0.8

/* ---- checked input ----------------------------------------------------------------------- */

static int int_of(const json_t *in, const char *key, int otherwise)
{
    const json_t *v = json_object_get(in, key);
    return v ? (int)json_integer_value(v) : otherwise;
}

static double real_of(const json_t *in, const char *key, double otherwise)
{
    const json_t *v = json_object_get(in, key);
    return v ? json_number_value(v) : otherwise;
}

static bool flag_of(const json_t *in, const char *key)
{
    return json_is_true(json_object_get(in, key));
}

/* Index of the word in the list, which a checked enum value always has. */
static int index_of(const char *word, const char *const *list, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(word, list[i]) == 0) {
            return i;
        }
    }
    return 0;
}

/* ---- actions ----------------------------------------------------------------------------- */

/* What every action gets. */
struct act {
    struct ia_session *session;
    struct ia_deadline deadline;
    const json_t *in;
    struct ia_act_result *result;
    struct ia_err *err;
};
typedef enum ia_rc act_fn(const struct act *a);

static enum ia_rc act_tap(const struct act *a)
{
    return ia_session_tap(a->session, &a->deadline, ia_tool_ref(a->in), a->result, a->err);
}

static enum ia_rc act_long_press(const struct act *a)
{
    return ia_session_long_press(a->session, &a->deadline, ia_tool_ref(a->in),
                                 int_of(a->in, "ms", LONG_PRESS_MS), a->result, a->err);
}

static enum ia_rc act_type_text(const struct act *a)
{
    return ia_session_type(a->session, &a->deadline, ia_tool_ref(a->in),
                           ia_str(ia_json_text(a->in, "text")), flag_of(a->in, "replace"),
                           flag_of(a->in, "submit"), a->result, a->err);
}

static enum ia_rc act_clear_text(const struct act *a)
{
    return ia_session_clear(a->session, &a->deadline, ia_tool_ref(a->in), a->result, a->err);
}

static enum ia_rc act_swipe(const struct act *a)
{
    static const char *const words[] = {"up", "down", "left", "right"};
    static const enum ia_direction dirs[] = {IA_UP, IA_DOWN, IA_LEFT, IA_RIGHT};
    return ia_session_swipe(a->session, &a->deadline, ia_tool_ref(a->in),
                            dirs[index_of(ia_json_text(a->in, "direction"), words, 4)],
                            real_of(a->in, "distance", SWIPE_DISTANCE), a->result, a->err);
}

static enum ia_rc act_scroll_to(const struct act *a)
{
    const struct ia_element *found = NULL;
    return ia_session_scroll_to(a->session, &a->deadline, ia_str(ia_json_text(a->in, "text")),
                                int_of(a->in, "max_swipes", SCROLL_SWIPES), &found, a->result,
                                a->err);
}

static enum ia_rc act_press_button(const struct act *a)
{
    static const char *const words[] = {"home", "lock", "volume_up", "volume_down"};
    static const enum ia_button buttons[] = {IA_BUTTON_HOME, IA_BUTTON_LOCK,
                                             IA_BUTTON_VOLUME_UP, IA_BUTTON_VOLUME_DOWN};
    return ia_session_press(a->session, &a->deadline,
                            buttons[index_of(ia_json_text(a->in, "button"), words, 4)],
                            a->result, a->err);
}

static enum ia_rc act_back(const struct act *a)
{
    return ia_session_back(a->session, &a->deadline, a->result, a->err);
}

static enum ia_rc act_launch_app(const struct act *a)
{
    return ia_session_launch(a->session, &a->deadline, ia_json_text(a->in, "bundle_id"),
                             a->result, a->err);
}

static enum ia_rc act_terminate_app(const struct act *a)
{
    return ia_session_terminate(a->session, &a->deadline, ia_json_text(a->in, "bundle_id"),
                                a->result, a->err);
}

static enum ia_rc act_open_url(const struct act *a)
{
    return ia_session_open_url(a->session, &a->deadline, ia_json_text(a->in, "url"), a->result,
                               a->err);
}

static enum ia_rc act_alert(const struct act *a)
{
    static const char *const words[] = {"accept", "dismiss", "button"};
    static const enum ia_alert_action actions[] = {IA_ALERT_ACCEPT, IA_ALERT_DISMISS,
                                                   IA_ALERT_BUTTON};
    enum ia_alert_action action = actions[index_of(ia_json_text(a->in, "action"), words, 3)];
    const char *button = ia_json_text(a->in, "button");
    if (action == IA_ALERT_BUTTON && *button == '\0') {
        return ia_err_set(a->err, IA_E_USAGE, "alert: action button needs the field button");
    }
    return ia_session_alert(a->session, &a->deadline, action,
                            action == IA_ALERT_BUTTON ? button : NULL, a->result, a->err);
}

/* ---- wait_for ---------------------------------------------------------------------------- */

static const char *const wait_words[] = {"exists", "gone",  "enabled", "focused",
                                         "value",  "count", "text",    "settled"};
static const enum ia_wait_kind wait_kinds[] = {IA_WAIT_EXISTS,  IA_WAIT_GONE,   IA_WAIT_ENABLED,
                                               IA_WAIT_FOCUSED, IA_WAIT_VALUE,  IA_WAIT_COUNT,
                                               IA_WAIT_TEXT,    IA_WAIT_SETTLED};

/* Which fields the condition needs, beyond what a schema of this kind can say. */
static enum ia_rc wait_needs(const json_t *in, const struct ia_condition *c, struct ia_err *err)
{
    bool element = c->kind != IA_WAIT_TEXT && c->kind != IA_WAIT_SETTLED;
    bool text = c->kind == IA_WAIT_TEXT || c->kind == IA_WAIT_VALUE;
    const char *missing = element && !*ia_json_text(in, "element")   ? "element"
                          : text && !*c->text                        ? "text"
                          : c->kind == IA_WAIT_COUNT && c->count < 0 ? "count"
                                                                     : NULL;
    if (missing) {
        return ia_err_set(err, IA_E_USAGE, "wait_for: until %s needs the field %s",
                          ia_json_text(in, "until"), missing);
    }
    return IA_OK;
}

static enum ia_rc wait_selector(const json_t *in, struct ia_condition *c, struct ia_err *err)
{
    if (c->kind == IA_WAIT_TEXT || c->kind == IA_WAIT_SETTLED) {
        return IA_OK;
    }
    c->ref = ia_ref_parse(ia_str(ia_json_text(in, "element")));
    if (c->ref) {
        return IA_OK;
    }
    size_t pos = 0;
    struct ia_err inner = {0};
    if (ia_selector_parse(ia_str(ia_json_text(in, "element")), &c->sel, &pos, &inner) !=
        IA_OK) {
        return ia_err_set(err, IA_E_USAGE, "wait_for.element: %s (at byte %zu)", inner.msg,
                          pos + 1);
    }
    return IA_OK;
}

/* One condition from an object with the fields until, element, text and count; the selector is
 * the caller's to release, whatever is returned. */
static enum ia_rc wait_condition(const json_t *in, struct ia_condition *c, struct ia_err *err)
{
    *c = (struct ia_condition){
        .kind = wait_kinds[index_of(ia_json_text(in, "until"), wait_words, 8)],
        .sel = {.role = -1},
        .text = ia_json_text(in, "text"),
        .count = int_of(in, "count", -1),
    };
    enum ia_rc rc = wait_needs(in, c, err);
    return rc == IA_OK ? wait_selector(in, c, err) : rc;
}

static enum ia_rc act_wait_for(const struct act *a)
{
    struct ia_condition conds[1 + WAIT_ALSO_MAX];
    size_t n = 0;
    /* Counted before it is parsed: its selector is freed below even after a failure. */
    enum ia_rc rc = wait_condition(a->in, &conds[n++], a->err);
    const json_t *also = json_object_get(a->in, "also");
    for (size_t i = 0; rc == IA_OK && i < json_array_size(also) && i < WAIT_ALSO_MAX; i++) {
        rc = wait_condition(json_array_get(also, i), &conds[n++], a->err);
    }
    if (rc == IA_OK) {
        bool all = strcmp(ia_json_text(a->in, "match"), "any") != 0;
        rc = ia_session_wait(a->session, &a->deadline, conds, n, all, a->result, a->err);
    }
    for (size_t i = 0; i < n; i++) {
        ia_selector_fini(&conds[i].sel);
    }
    return rc;
}

static act_fn *const acts[IA_TOOL_COUNT] = {
    [IA_TOOL_TAP] = act_tap,
    [IA_TOOL_LONG_PRESS] = act_long_press,
    [IA_TOOL_TYPE_TEXT] = act_type_text,
    [IA_TOOL_CLEAR_TEXT] = act_clear_text,
    [IA_TOOL_SWIPE] = act_swipe,
    [IA_TOOL_SCROLL_TO] = act_scroll_to,
    [IA_TOOL_PRESS_BUTTON] = act_press_button,
    [IA_TOOL_BACK] = act_back,
    [IA_TOOL_WAIT_FOR] = act_wait_for,
    [IA_TOOL_LAUNCH_APP] = act_launch_app,
    [IA_TOOL_TERMINATE_APP] = act_terminate_app,
    [IA_TOOL_OPEN_URL] = act_open_url,
    [IA_TOOL_ALERT] = act_alert,
};

/* ---- looking ----------------------------------------------------------------------------- */

/* Token and deadline for at most ms, within the caller's limit. */
static struct ia_deadline within(const struct ia_tool_env *env, int64_t ms)
{
    /* The run's time budget wins over the action's own limit. */
    int64_t until = ia_mono_us(env->clock) + ms * 1000;
    return (struct ia_deadline){env->limit.cancel,
                                until < env->limit.at_us ? until : env->limit.at_us};
}

/* A reader that was not shown anything yet, as after a resume, gets all of the screen as
 * new. */
static bool what_changed(const struct ia_snapshot *shown, const struct ia_snapshot *now,
                         struct ia_buf *out)
{
    if (shown) {
        return ia_snapshot_diff(shown, now, 0, out);
    }
    ia_buf_puts(out, "new screen\n");
    ia_snapshot_text(now, 0, out);
    return true;
}

static bool hides(const struct ia_tool_env *env, const struct ia_snapshot *s)
{
    return env->hides && env->hides(env->hides_ctx, s);
}

enum ia_rc ia_tool_may_show(const struct ia_tool_env *env, const struct ia_snapshot *s,
                            struct ia_err *err)
{
    return !hides(env, s) ? IA_OK
                          : ia_err_set(err, IA_E_APP_LOCK,
                                       "another app is in front, and what it shows is "
                                       "hidden from this run");
}

enum ia_rc ia_tool_may_use(const struct ia_tool_env *env, const char *bundle_id,
                           struct ia_err *err)
{
    if (!*bundle_id || !env->allows || env->allows(env->hides_ctx, bundle_id)) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_APP_LOCK,
                               "this run is locked to an app: %s, and what belongs to it, is "
                               "not allowed",
                               bundle_id);
    ia_err_hint(err, "Reach the goal inside the app.");
    return ia_device_not_sent(rc, err);
}

struct ia_deadline ia_tool_deadline(const struct ia_tool_env *env)
{
    return within(env, IA_ACTION_MS_MAX);
}

/* The app alone, and nothing that could be quoted. */
static void show_hidden(const struct ia_tool_env *env, struct ia_tool_result *ret,
                        const struct ia_snapshot *now)
{
    const char *app = ia_snapshot_app(now), *before = NULL;
    if (*env->shown) {
        before = ia_snapshot_app(*env->shown);
    }
    ia_buf_reset(&ret->screen);
    ia_buf_reset(&ret->changes);
    ret->changed = !before || strcmp(before, app ? app : "") != 0;
    ia_buf_printf(&ret->changes, "%s is in front; what it shows is hidden from this run",
                  app ? app : "another app");
    ia_buf_putc(&ret->text, '\n');
    ia_fence(&ret->text, env->boundary, ia_buf_str(&ret->changes));
}

void ia_tool_show(const struct ia_tool_env *env, struct ia_tool_result *ret, bool whole)
{
    const struct ia_snapshot *now = ia_session_latest(env->session);
    if (!now) {
        return;
    }
    if (hides(env, now)) {
        show_hidden(env, ret, now);
    } else {
        ia_buf_reset(&ret->screen);
        ia_snapshot_text(now, 0, &ret->screen);
        ia_buf_reset(&ret->changes);
        ret->changed = what_changed(*env->shown, now, &ret->changes);
        ia_buf_putc(&ret->text, '\n');
        ia_fence(&ret->text, env->boundary, ia_buf_str(whole ? &ret->screen : &ret->changes));
    }
    ia_snapshot_free(*env->shown);
    *env->shown = ia_snapshot_ref(now);
}

/* All that one element says. What the reader last saw stays what it was: this is no look at the
 * screen, and what changed meanwhile is told by the next one. */
static enum ia_rc read_element(const struct ia_tool_env *env, const struct ia_snapshot *s,
                               uint32_t ref, struct ia_tool_result *ret, struct ia_err *err)
{
    const struct ia_element *e = NULL;
    enum ia_rc rc = ia_snapshot_resolve(s, ia_session_refs(env->session), ref, &e, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_buf line = IA_BUF(IA_RESULT_BYTES_MAX);
    ia_element_text_whole(e, &line);
    ia_buf_putc(&ret->text, '\n');
    ia_fence(&ret->text, env->boundary, ia_buf_str(&line));
    /* The screen as it is kept for proof has the whole text too. */
    ia_snapshot_text(s, 0, &ret->screen);
    ia_buf_putstr(&ret->screen, ia_buf_str(&line));
    ia_buf_putc(&ret->screen, '\n');
    ia_buf_fini(&line);
    return IA_OK;
}

static enum ia_rc look(const struct ia_tool_env *env, const json_t *in,
                       struct ia_tool_result *ret, struct ia_err *err)
{
    struct ia_deadline deadline = ia_tool_deadline(env);
    const struct ia_snapshot *s = NULL;
    enum ia_rc rc = ia_session_snapshot(env->session, &deadline, &s, err);
    uint32_t ref = ia_tool_ref(in);
    if (rc == IA_OK && ref > 0) {
        rc = read_element(env, s, ref, ret, err);
    } else if (rc == IA_OK) {
        ia_tool_show(env, ret, true);
        const char *moving = ia_session_moving(env->session);
        if (*moving) {
            ia_buf_printf(&ret->text, "\nstill moving: %s", moving);
        }
    }
    return rc;
}

static enum ia_rc photograph(const struct ia_tool_env *env, struct ia_tool_result *ret,
                             struct ia_err *err)
{
    if (!env->keep) {
        return ia_err_set(err, IA_E_UNSUPPORTED,
                          "screenshot: screenshots cannot be stored here");
    }
    struct ia_deadline deadline = ia_tool_deadline(env);
    const struct ia_snapshot *now = NULL;
    enum ia_rc rc = env->hides ? ia_session_peek(env->session, &deadline, &now, err) : IA_OK;
    if (rc == IA_OK && now) {
        rc = ia_tool_may_show(env, now, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    struct ia_tool_image image = {.sha = ""};
    rc = ia_session_screenshot(env->session, &deadline, &png, err);
    if (rc == IA_OK) {
        rc = env->keep(env->keep_ctx, ia_buf_str(&png), &image, err);
    }
    if (rc == IA_OK) {
        ret->image = image;
    }
    ia_buf_fini(&png);
    return rc;
}

/* ---- remember ---------------------------------------------------------------------------- */

/* A note is one line, and nothing in it can end the place where it is shown later. */
static enum ia_rc remember(const struct ia_tool_env *env, const json_t *in,
                           struct ia_tool_result *ret, struct ia_err *err)
{
    if (!env->notes) {
        return ia_err_set(err, IA_E_UNSUPPORTED, "remember: there is no memory");
    }
    size_t before = env->notes->len;
    ia_buf_puts(env->notes, "- ");
    for (const char *p = ia_json_text(in, "note"); *p; p++) {
        ia_buf_putc(env->notes, strchr("\r\n<>", *p) ? ' ' : *p);
    }
    ia_buf_putc(env->notes, '\n');
    if (!ia_buf_ok(env->notes)) {
        ia_buf_cut(env->notes, before);
        /* A note that does not fit is refused; the notes before it stay usable. */
        env->notes->failed = false;
        return ia_err_set(err, IA_E_LIMIT, "remember: the memory is full (%zu bytes)",
                          env->notes->max);
    }
    ret->remembered = true;
    return IA_OK;
}

/* ---- all of them ------------------------------------------------------------------------- */

/* After a failure that may have had an effect the reader must see what is there now. */
static void look_again(const struct ia_tool_env *env, const struct ia_err *err)
{
    bool unsure = err->outcome == IA_OUTCOME_SENT || err->outcome == IA_OUTCOME_UNKNOWN;
    bool dead = err->code == IA_E_DEVICE_LOST || err->code == IA_E_CANCELLED;
    if (unsure && !dead) {
        struct ia_deadline deadline = ia_tool_deadline(env);
        const struct ia_snapshot *s = NULL;
        (void)ia_session_snapshot(env->session, &deadline, &s, NULL);
    }
}

static enum ia_rc act_on_device(const struct ia_tool_env *env, enum ia_tool tool,
                                const json_t *in, struct ia_tool_result *ret,
                                struct ia_err *err)
{
    int64_t ms = tool == IA_TOOL_WAIT_FOR
                     ? 1000 * (int64_t)int_of(in, "seconds", WAIT_S_DEFAULT)
                     : IA_ACTION_MS_MAX;
    struct ia_act_result result = {.changes = IA_BUF(IA_RESULT_BYTES_MAX)};
    struct act a = {env->session, within(env, ms), in, &result, err};
    enum ia_rc rc = acts[tool](&a);
    (void)snprintf(ret->element, sizeof(ret->element), "%s", result.element);
    ret->box = result.box;
    ret->has_box = result.box.w > 0 && result.box.h > 0;
    ia_act_result_fini(&result);
    if (rc != IA_OK) {
        look_again(env, err);
        return rc;
    }
    ia_tool_show(env, ret, false);
    return rc;
}

enum ia_rc ia_tool_act(const struct ia_tool_env *env, enum ia_tool tool, const json_t *input,
                       struct ia_tool_result *ret, struct ia_err *err)
{
    struct ia_err local = {0};
    err = err ? err : &local;
    switch (tool) {
    case IA_TOOL_SNAPSHOT:
        return look(env, input, ret, err);
    case IA_TOOL_SCREENSHOT:
        return photograph(env, ret, err);
    case IA_TOOL_REMEMBER:
        return remember(env, input, ret, err);
    default:
        break;
    }
    if (tool < 0 || tool >= IA_TOOL_COUNT || !acts[tool]) {
        return ia_err_set(err, IA_E_UNSUPPORTED, "%s is not a tool of a device",
                          ia_tool_name(tool));
    }
    return act_on_device(env, tool, input, ret, err);
}

void ia_tool_result_init(struct ia_tool_result *r)
{
    *r = (struct ia_tool_result){.text = IA_BUF(IA_RESULT_BYTES_MAX),
                                 .screen = IA_BUF(IA_RESULT_BYTES_MAX),
                                 .changes = IA_BUF(IA_RESULT_BYTES_MAX)};
}

void ia_tool_result_fini(struct ia_tool_result *r)
{
    ia_buf_fini(&r->text);
    ia_buf_fini(&r->screen);
    ia_buf_fini(&r->changes);
}
