/* session_point.c: touches at points that were chosen on a picture.
 *
 *   begin: fresh capture ─► guard ─► what lies there? the one that it was chosen by? enabled?
 *          ─► the caller's own check (the picture) ─► effect, once
 *
 * A point is no way around what holds for elements: where the tree has one under it, that is the
 * element of the action for all who ask. */
#include "driver/session/session_impl.h"

#include "driver/snapshot/rect.h"

#include <math.h>

enum { PART_MS = 300, PART_MS_MAX = 5000 };

const struct ia_element *ia_session_under(const struct ia_snapshot *s, struct ia_point at)
{
    const struct ia_element *best = NULL;
    double best_area = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_element *e = &s->elements[i];
        double area = ia_rect_area(s->more[i].vis);
        bool there = ia_rect_has(s->more[i].vis, at) && e->reach != IA_REACH_OFFSCREEN &&
                     e->reach != IA_REACH_COVERED;
        bool known = e->actions != 0 || e->listed || e->disabled;
        if (there && known && (!best || area <= best_area)) {
            best = e;
            best_area = area;
        }
    }
    return best;
}

static enum ia_rc outside(struct ia_act *a, struct ia_point p, double edge)
{
    const struct ia_snapshot *now = a->s->latest;
    struct ia_rect in = {edge, edge, now->width - 2 * edge, now->height - 2 * edge};
    if (isfinite(p.x) && isfinite(p.y) && ia_rect_has(in, p)) {
        return IA_OK;
    }
    (void)ia_err_set(a->err, IA_E_USAGE, "the point (%g, %g) is %s", p.x, p.y,
                     edge > 0
                         ? "at the screen's edge, where the system's own gestures begin, or "
                           "outside of it"
                         : "outside of the screen");
    ia_err_hint(a->err, "points are from (%g, %g) to (%g, %g)", edge, edge, now->width - edge,
                now->height - edge);
    return IA_E_USAGE;
}

/* What lies under the point becomes the element of the action, if it may be touched. */
static enum ia_rc take_under(struct ia_act *a, struct ia_point at, const struct ia_aim *aim)
{
    const struct ia_element *e = ia_session_under(a->s->latest, at);
    if (aim && aim->bound && aim->ref != (e ? e->ref : 0)) {
        (void)ia_err_set(a->err, IA_E_STALE_REF,
                         "another element lies at (%g, %g) than when the place was chosen",
                         at.x, at.y);
        ia_err_hint(a->err, "look at the screen again");
        return IA_E_STALE_REF;
    }
    ia_act_about(a, e);
    return e && e->disabled ? ia_snapshot_check(a->s->latest, e, 0, a->err) : IA_OK;
}

/* The caller's own check, then the policy, which judges the element under the point. */
static enum ia_rc check_aim(struct ia_act *a, const struct ia_aim *aim)
{
    enum ia_rc rc = aim && aim->check ? aim->check(aim->ctx, a->err) : IA_OK;
    return rc == IA_OK ? ia_act_permit(a) : rc;
}

enum ia_rc ia_session_tap_at(struct ia_session *s, const struct ia_deadline *deadline,
                             struct ia_point at, const struct ia_aim *aim,
                             struct ia_act_result *ret, struct ia_err *err)
{
    struct ia_act a;
    enum ia_rc rc = ia_act_begin(&a, s, deadline, ret, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = outside(&a, at, 0);
    if (rc == IA_OK) {
        rc = take_under(&a, at, aim);
    }
    if (rc == IA_OK) {
        rc = check_aim(&a, aim);
    }
    if (rc == IA_OK) {
        rc = ia_act_sent(&a, ia_device_tap(s->device, deadline, at, a.err));
    }
    return rc == IA_OK ? ia_act_end(&a) : ia_act_fail(&a, rc);
}

static enum ia_rc check_path(struct ia_act *a, const struct ia_path *path)
{
    if (path->count < 2 || path->count > IA_PATH_POINTS_MAX) {
        return ia_err_set(a->err, IA_E_USAGE, "a line has 2 to %d points, not %zu",
                          IA_PATH_POINTS_MAX, path->count);
    }
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < path->count && rc == IA_OK; i++) {
        bool begins = i + 1 < path->count;
        rc = outside(a, path->points[i], begins ? IA_EDGE_PT : 0);
        struct ia_point from = path->points[i > 0 ? i - 1 : 0], to = path->points[i];
        if (rc == IA_OK && i > 0 && hypot(to.x - from.x, to.y - from.y) < 1) {
            rc = ia_err_set(a->err, IA_E_USAGE, "point %zu is the same as the one before it",
                            i + 1);
        }
    }
    return rc;
}

/* Between two parts the app may have gone: the guard decides anew. */
static enum ia_rc send_parts(struct ia_act *a, const struct ia_path *path)
{
    int ms = path->duration_ms > 0 ? path->duration_ms : PART_MS;
    ms = ms < PART_MS_MAX ? ms : PART_MS_MAX;
    enum ia_rc rc = IA_OK;
    size_t done = 0;
    for (; done + 1 < path->count && rc == IA_OK; done++) {
        rc = done > 0 ? ia_act_refresh(a) : IA_OK;
        if (rc == IA_OK && done > 0) {
            rc = ia_act_guard(a);
        }
        if (rc == IA_OK) {
            rc = ia_act_sent(a, ia_device_drag(a->s->device, a->deadline, path->points[done],
                                               path->points[done + 1], ms, a->err));
        }
    }
    if (rc != IA_OK && done > 1) {
        ia_err_wrap(a->err, rc, "%zu of %zu parts of the line were drawn", done - 1,
                    path->count - 1);
        a->err->retry_safe = false;
    }
    return rc;
}

enum ia_rc ia_session_draw(struct ia_session *s, const struct ia_deadline *deadline,
                           const struct ia_path *path, const struct ia_aim *aim,
                           struct ia_act_result *ret, struct ia_err *err)
{
    struct ia_act a;
    enum ia_rc rc = ia_act_begin(&a, s, deadline, ret, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = check_path(&a, path);
    if (rc == IA_OK) {
        rc = take_under(&a, path->points[0], aim);
    }
    if (rc == IA_OK) {
        rc = check_aim(&a, aim);
    }
    if (rc == IA_OK) {
        rc = send_parts(&a, path);
    }
    return rc == IA_OK ? ia_act_end(&a) : ia_act_fail(&a, rc);
}

const struct ia_element *ia_session_focused(const struct ia_snapshot *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->elements[i].focused) {
            return &s->elements[i];
        }
    }
    return NULL;
}

enum ia_rc ia_session_type_focused(struct ia_session *s, const struct ia_deadline *deadline,
                                   struct ia_str text, bool submit, const struct ia_aim *aim,
                                   struct ia_act_result *ret, struct ia_err *err)
{
    struct ia_act a;
    enum ia_rc rc = ia_act_begin(&a, s, deadline, ret, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_act_about(&a, ia_session_focused(s->latest));
    rc = check_aim(&a, aim);
    if (rc != IA_OK) {
        return ia_act_fail(&a, rc);
    }
    rc = ia_act_sent(&a, ia_device_type_text(s->device, deadline, text, a.err));
    if (rc == IA_OK && submit) {
        rc = ia_act_sent(&a, ia_device_type_text(s->device, deadline, ia_str("\n"), a.err));
    }
    return rc == IA_OK ? ia_act_end(&a) : ia_act_fail(&a, rc);
}
