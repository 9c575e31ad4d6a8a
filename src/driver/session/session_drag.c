/* session_drag.c: dragging from spot to spot, and pinching.
 *
 * A spot is an element, found again in the fresh capture and free to be touched, or a point. The
 * finger comes down away from the screen's edges, where the system's own gestures begin; it may be
 * lifted anywhere on the screen. */
#include "driver/session/session_impl.h"

#include "driver/snapshot/rect.h"

#include <math.h>

enum { DRAG_MS = 500, DRAG_MS_MAX = 10000 };

/* Where a finger may come down. */
static struct ia_rect inner(const struct ia_snapshot *now)
{
    return (struct ia_rect){IA_EDGE_PT, IA_EDGE_PT, now->width - 2 * IA_EDGE_PT,
                            now->height - 2 * IA_EDGE_PT};
}

static enum ia_rc no_room(struct ia_act *a)
{
    (void)ia_err_set(a->err, IA_E_NOT_ACTIONABLE,
                     "%s stands at the screen's edge, where the system's own gestures begin",
                     a->ret->element);
    ia_err_hint(a->err, "scroll it further inside, or drag from something else");
    return IA_E_NOT_ACTIONABLE;
}

static enum ia_rc start_of(struct ia_act *a, const struct ia_spot *from, struct ia_point *ret)
{
    const struct ia_snapshot *now = a->s->latest;
    struct ia_rect free = inner(now);
    struct ia_point p = a->e ? a->e->activation : from->at;
    if (!ia_rect_has(free, p) && a->e) {
        struct ia_rect held = ia_rect_cut(now->more[a->e - now->elements].vis, free);
        if (ia_rect_empty(held)) {
            return no_room(a);
        }
        p = (struct ia_point){fmin(fmax(p.x, held.x), held.x + held.w - 1),
                              fmin(fmax(p.y, held.y), held.y + held.h - 1)};
    } else if (!ia_rect_has(free, p)) {
        (void)ia_err_set(a->err, IA_E_USAGE,
                         "a drag from (%g, %g) would begin at the screen's edge or outside",
                         p.x, p.y);
        ia_err_hint(
            a->err,
            "begin %g points or more inside the screen of %g by %g points; to go back or "
            "home there are commands of their own",
            IA_EDGE_PT, now->width, now->height);
        return IA_E_USAGE;
    }
    *ret = p;
    return IA_OK;
}

static enum ia_rc end_of(struct ia_act *a, const struct ia_spot *to, struct ia_point *ret)
{
    const struct ia_snapshot *now = a->s->latest;
    const struct ia_element *e = NULL;
    enum ia_rc rc = to->ref > 0 ? ia_act_other(a, to->ref, 0, &e) : IA_OK;
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_point p = e ? e->activation : to->at;
    if (!ia_rect_has((struct ia_rect){0, 0, now->width, now->height}, p)) {
        (void)ia_err_set(a->err, IA_E_USAGE, "a drag to (%g, %g) would leave the screen", p.x,
                         p.y);
        ia_err_hint(a->err, "the screen is %g by %g points", now->width, now->height);
        return IA_E_USAGE;
    }
    *ret = p;
    return IA_OK;
}

/* A point was chosen on a picture: what was there then must be there now. */
static enum ia_rc check_points(struct ia_act *a, const struct ia_drag *drag)
{
    const struct ia_snapshot *seen = a->s->seen;
    bool by_ref = drag->from.ref > 0 && drag->to.ref > 0;
    if (by_ref || !seen || seen->motion == a->s->latest->motion) {
        return IA_OK;
    }
    (void)ia_err_set(a->err, IA_E_STALE_REF,
                     "the screen has changed since the frame on which the points were chosen");
    ia_err_hint(a->err, "look at the newest frame, and do it again if that is what you mean");
    return IA_E_STALE_REF;
}

static enum ia_rc send_drag(struct ia_act *a, const struct ia_drag *drag)
{
    struct ia_point from, to;
    enum ia_rc rc = check_points(a, drag);
    if (rc == IA_OK) {
        rc = start_of(a, &drag->from, &from);
    }
    if (rc == IA_OK) {
        rc = end_of(a, &drag->to, &to);
    }
    if (rc == IA_OK && hypot(to.x - from.x, to.y - from.y) < 1) {
        rc = ia_err_set(a->err, IA_E_USAGE, "a drag must end somewhere else than it begins");
    }
    if (rc != IA_OK) {
        return rc;
    }
    int ms = drag->duration_ms > 0 ? drag->duration_ms : DRAG_MS;
    ms = ms < DRAG_MS_MAX ? ms : DRAG_MS_MAX;
    return ia_act_sent(a, ia_device_drag(a->s->device, a->deadline, from, to, ms, a->err));
}

enum ia_rc ia_session_drag(struct ia_session *s, const struct ia_deadline *deadline,
                           const struct ia_drag *drag, struct ia_act_result *ret,
                           struct ia_err *err)
{
    struct ia_act a;
    enum ia_rc rc = drag->from.ref > 0
                        ? ia_act_begin_on(&a, s, deadline, drag->from.ref, 0, ret, err)
                        : ia_act_begin(&a, s, deadline, ret, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = send_drag(&a, drag);
    return rc == IA_OK ? ia_act_end(&a) : ia_act_fail(&a, rc);
}

static enum ia_rc send_pinch(struct ia_act *a, double scale)
{
    const struct ia_snapshot *now = a->s->latest;
    struct ia_rect in = a->e ? a->e->frame : (struct ia_rect){0, 0, now->width, now->height};
    if (!(scale >= IA_PINCH_MIN && scale <= IA_PINCH_MAX) || fabs(scale - 1) < 0.01) {
        (void)ia_err_set(a->err, IA_E_USAGE, "the scale of a pinch is %g", scale);
        ia_err_hint(a->err, "%g to 1 moves the fingers together, 1 to %g apart", IA_PINCH_MIN,
                    IA_PINCH_MAX);
        return IA_E_USAGE;
    }
    return ia_act_sent(a, ia_device_pinch(a->s->device, a->deadline, in, scale, a->err));
}

enum ia_rc ia_session_pinch(struct ia_session *s, const struct ia_deadline *deadline,
                            uint32_t ref, double scale, struct ia_act_result *ret,
                            struct ia_err *err)
{
    struct ia_act a;
    enum ia_rc rc = ref > 0 ? ia_act_begin_on(&a, s, deadline, ref, 0, ret, err)
                            : ia_act_begin(&a, s, deadline, ret, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = send_pinch(&a, scale);
    return rc == IA_OK ? ia_act_end(&a) : ia_act_fail(&a, rc);
}
