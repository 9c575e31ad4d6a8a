/* touch.c: touches at marks and points, and what they changed.
 *
 *     picture before ─► session: tree, guard, element under the point ─► picture again: as it was?
 *                        ─► effect, once ─► tree and picture after ─► what is another */
#include "agent/vision/vision_impl.h"

#include "driver/image/image.h"
#include "driver/snapshot/rect.h"
#include "json/json.h"

#include <math.h>
#include <string.h>

enum { INK_PT = 12 };

/* A text with a secret in it (agent/secrets/secrets.h). */
#define SECRET_MARK "{{secret:"

/* An act of this file, from before its effect to what it changed. */
struct touch {
    struct ia_vision *v;
    const struct ia_tool_env *env;
    const struct ia_pixels *chosen_by; /* the picture that it was chosen by; NULL: none */
    struct ia_deadline deadline;       /* of the action */
    struct ia_rect own;                /* what a line of it may change; empty: nothing */
    bool types_secret;
    struct ia_pixels before; /* the picture just before the effect */
};

static enum ia_rc stale(const struct ia_pixels_change *c, struct ia_err *err)
{
    (void)ia_err_set(err, IA_E_STALE_REF,
                     "the screen has changed since the picture was taken, at %g,%g %gx%g",
                     c->box.x, c->box.y, c->box.w, c->box.h);
    ia_err_hint(err, "call capture_screen again and choose by the new picture");
    return IA_E_STALE_REF;
}

/* A secret is black on pictures where the tree says in which field it is (agent/secrets/secrets.h). One that was typed
 * where the tree shows no field would be on every later picture, so it is not typed there. */
static enum ia_rc secret_seen(const struct touch *t, struct ia_err *err)
{
    if (ia_session_focused(ia_session_latest(t->env->session))) {
        return IA_OK;
    }
    (void)ia_err_set(err, IA_E_STATE,
                     "no field of the screen's text has the keyboard, so a secret that is "
                     "typed could not be "
                     "hidden on pictures");
    ia_err_hint(err, "secrets are typed only into fields that are elements");
    return IA_E_STATE;
}

/* The session asks this last, before the effect. */
static enum ia_rc check(void *ctx, struct ia_err *err)
{
    struct touch *t = ctx;
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    struct ia_pixels_change change;
    enum ia_rc rc = t->types_secret ? secret_seen(t, err) : IA_OK;
    if (rc == IA_OK) {
        rc = ia_session_screenshot(t->env->session, &t->deadline, &png, err);
    }
    if (rc == IA_OK) {
        rc = ia_pixels_read(ia_buf_str(&png), &t->before, err);
    }
    if (rc == IA_OK && t->chosen_by && ia_pixels_changed(t->chosen_by, &t->before, &change)) {
        rc = stale(&change, err);
    }
    ia_buf_fini(&png);
    return rc;
}

/* ---- after ------------------------------------------------------------------------------- */

static void put_change(const struct touch *t, const struct ia_pixels *after,
                       struct ia_tool_result *ret)
{
    struct ia_pixels_change c;
    if (!t->before.rgb) {
        return;
    }
    bool changed = ia_pixels_changed(&t->before, after, &c);
    ret->changed = ret->changed || changed;
    if (changed) {
        ia_buf_printf(&ret->text, "\npicture: changed at %g,%g %gx%g, %d points of it", c.box.x,
                      c.box.y, c.box.w, c.box.h, c.pixels);
        ia_buf_printf(&ret->changes, "picture: changed at %g,%g %gx%g\n", c.box.x, c.box.y,
                      c.box.w, c.box.h);
    } else {
        ia_buf_puts(&ret->text, "\npicture: nothing changed");
    }
}

static void copy_element(const struct ia_act_result *act, struct ia_tool_result *ret)
{
    (void)snprintf(ret->element, sizeof(ret->element), "%s", act->element);
    ret->box = act->box;
    ret->has_box = act->box.w > 0 && act->box.h > 0;
}

/* Of what an act changed the model was shown nothing, but for its own line. */
static void know_own(struct touch *t, const struct ia_pixels *after)
{
    struct ia_pixels_change c;
    if (!t->before.rgb || ia_rect_empty(t->own) || !ia_pixels_changed(&t->before, after, &c)) {
        return;
    }
    struct ia_point end = {c.box.x + c.box.w, c.box.y + c.box.h};
    if (ia_rect_has(t->own, (struct ia_point){c.box.x, c.box.y}) && ia_rect_has(t->own, end)) {
        ia_vision_know(t->v, after, t->v->shown);
    }
}

/* The act is done, whatever a look after it says: that is no failure of it. */
static void after(struct touch *t, const struct ia_act_result *act, struct ia_tool_result *ret)
{
    struct ia_vision_look look;
    copy_element(act, ret);
    if (act->element[0]) {
        ia_buf_puts(&ret->text, "\nunder the point:\n");
        ia_fence(&ret->text, t->env->boundary, ia_str(act->element));
    }
    ia_tool_show(t->env, ret, false);
    if (ia_vision_look(t->env, true, &look, NULL) == IA_OK) {
        put_change(t, &look.pixels, ret);
        know_own(t, &look.pixels);
        ret->picture = ia_pixels_hash(&look.pixels);
    }
    ia_vision_look_fini(&look);
}

static enum ia_rc end(struct touch *t, enum ia_rc rc, struct ia_act_result *act,
                      struct ia_tool_result *ret)
{
    if (rc == IA_OK) {
        after(t, act, ret);
    } else {
        copy_element(act, ret);
    }
    ia_act_result_fini(act);
    ia_pixels_fini(&t->before);
    return rc;
}

/* A point or a line means the picture that it was chosen on. */
static enum ia_rc choose_by(struct touch *t, const struct ia_pixels *picture,
                            const struct ia_point *points, size_t n, struct ia_err *err)
{
    const struct ia_rect screen = {0, 0, picture->width, picture->height};
    bool known = picture == &t->v->known;
    t->chosen_by = picture;
    for (size_t i = 0; picture->rgb && known && i < n; i++) {
        if (ia_rect_has(screen, points[i]) && !ia_rect_has(t->v->shown, points[i])) {
            enum ia_rc rc = ia_err_set(err, IA_E_STALE_REF,
                                       "%g,%g is not on the part of the screen that was shown",
                                       points[i].x, points[i].y);
            ia_err_hint(err, "call capture_screen without a region");
            err->outcome = IA_OUTCOME_NOT_SENT;
            return rc;
        }
    }
    if (picture->rgb) {
        return IA_OK;
    }
    enum ia_rc rc =
        ia_err_set(err, IA_E_NO_SNAPSHOT, "there is no picture to choose points on");
    ia_err_hint(err, "call capture_screen first");
    err->outcome = IA_OUTCOME_NOT_SENT;
    return rc;
}

static struct touch touch_of(struct ia_vision *v, const struct ia_tool_env *env)
{
    return (struct touch){.v = v, .env = env, .deadline = ia_tool_deadline(env)};
}

/* ---- marks and points -------------------------------------------------------------------- */

enum ia_rc ia_vision_tap_point(struct ia_vision *v, const struct ia_tool_env *env,
                               struct ia_point at, const struct ia_pixels *chosen_by,
                               struct ia_tool_result *ret, struct ia_err *err)
{
    struct touch t = touch_of(v, env);
    enum ia_rc rc = choose_by(&t, chosen_by, &at, 1, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_aim aim = {.check = check, .ctx = &t};
    struct ia_act_result act = {.changes = IA_BUF(0)};
    rc = ia_session_tap_at(env->session, &t.deadline, at, &aim, &act, err);
    return end(&t, rc, &act, ret);
}

/* The picture is compared first: the element may be where it was and mean something else. */
static enum ia_rc tap_element(struct touch *t, const struct ia_vision_mark *m,
                              struct ia_act_result *act, struct ia_err *err)
{
    const struct ia_snapshot *now = NULL;
    enum ia_rc rc = ia_session_peek(t->env->session, &t->deadline, &now, err);
    if (rc == IA_OK) {
        rc = check(t, err);
    }
    return rc == IA_OK ? ia_session_tap(t->env->session, &t->deadline, m->number, act, err)
                       : rc;
}

enum ia_rc ia_vision_tap_mark(struct ia_vision *v, const struct ia_tool_env *env,
                              const struct ia_vision_mark *m, struct ia_tool_result *ret,
                              struct ia_err *err)
{
    struct touch t = touch_of(v, env);
    t.chosen_by = &v->seen;
    struct ia_aim aim = {.check = check, .ctx = &t, .ref = m->under, .bound = true};
    struct ia_act_result act = {.changes = IA_BUF(0)};
    enum ia_rc rc = m->element ? tap_element(&t, m, &act, err)
                               : ia_session_tap_at(env->session, &t.deadline,
                                                   ia_rect_center(m->box), &aim, &act, err);
    return end(&t, rc, &act, ret);
}

enum ia_rc ia_vision_call_tap_mark(void *ctx, const struct ia_tool_env *env, const json_t *in,
                                   struct ia_tool_result *ret, struct ia_err *err)
{
    struct ia_vision *v = ctx;
    json_int_t number = json_integer_value(json_object_get(in, "mark"));
    const struct ia_vision_mark *m = ia_vision_find(v, (uint32_t)number);
    if (!m || number > UINT32_MAX) {
        enum ia_rc rc = ia_err_set(err, v->count > 0 ? IA_E_STALE_REF : IA_E_NO_SNAPSHOT,
                                   "%lld is no mark of the last picture", (long long)number);
        ia_err_hint(err, "call capture_screen; its marks are good until the screen changes");
        err->outcome = IA_OUTCOME_NOT_SENT;
        return rc;
    }
    return ia_vision_tap_mark(v, env, m, ret, err);
}

static double number_of(const json_t *v)
{
    return json_number_value(v);
}

enum ia_rc ia_vision_call_tap_point(void *ctx, const struct ia_tool_env *env, const json_t *in,
                                    struct ia_tool_result *ret, struct ia_err *err)
{
    struct ia_point at = {number_of(json_object_get(in, "x")),
                          number_of(json_object_get(in, "y"))};
    struct ia_vision *v = ctx;
    return ia_vision_tap_point(v, env, at, &v->known, ret, err);
}

/* ---- lines and typing -------------------------------------------------------------------- */

static enum ia_rc points_of(const json_t *list, struct ia_point *points, size_t *ret_count,
                            struct ia_err *err)
{
    size_t n = json_array_size(list);
    for (size_t i = 0; i < n && i < IA_PATH_POINTS_MAX; i++) {
        const json_t *p = json_array_get(list, i);
        if (json_array_size(p) != 2) {
            enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "draw.points[%zu] must be [x, y]", i);
            err->outcome = IA_OUTCOME_NOT_SENT;
            return rc;
        }
        points[i] =
            (struct ia_point){number_of(json_array_get(p, 0)), number_of(json_array_get(p, 1))};
    }
    *ret_count = n;
    return IA_OK;
}

/* Where a line through the points may leave ink; empty without points. */
static struct ia_rect around(const struct ia_point *points, size_t n)
{
    double x0 = points[0].x, y0 = points[0].y, x1 = x0, y1 = y0;
    for (size_t i = 1; i < n; i++) {
        x0 = fmin(x0, points[i].x);
        y0 = fmin(y0, points[i].y);
        x1 = fmax(x1, points[i].x);
        y1 = fmax(y1, points[i].y);
    }
    return (struct ia_rect){x0 - INK_PT, y0 - INK_PT, x1 - x0 + 2 * INK_PT,
                            y1 - y0 + 2 * INK_PT};
}

enum ia_rc ia_vision_call_draw(void *ctx, const struct ia_tool_env *env, const json_t *in,
                               struct ia_tool_result *ret, struct ia_err *err)
{
    struct touch t = touch_of(ctx, env);
    struct ia_point points[IA_PATH_POINTS_MAX] = {{0, 0}};
    struct ia_path path = {.points = points};
    enum ia_rc rc = points_of(json_object_get(in, "points"), points, &path.count, err);
    rc = rc == IA_OK ? choose_by(&t, &t.v->known, points, path.count, err) : rc;
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_aim aim = {.check = check, .ctx = &t};
    struct ia_act_result act = {.changes = IA_BUF(0)};
    t.own = around(points, path.count);
    rc = ia_session_draw(env->session, &t.deadline, &path, &aim, &act, err);
    return end(&t, rc, &act, ret);
}

enum ia_rc ia_vision_call_type_focused(void *ctx, const struct ia_tool_env *env,
                                       const json_t *in, struct ia_tool_result *ret,
                                       struct ia_err *err)
{
    struct touch t = touch_of(ctx, env);
    const char *text = ia_json_text(in, "text");
    t.types_secret = strstr(text, SECRET_MARK) != NULL;
    struct ia_aim aim = {.check = check, .ctx = &t};
    struct ia_act_result act = {.changes = IA_BUF(0)};
    enum ia_rc rc =
        ia_session_type_focused(env->session, &t.deadline, ia_str(text),
                                json_is_true(json_object_get(in, "submit")), &aim, &act, err);
    return end(&t, rc, &act, ret);
}
