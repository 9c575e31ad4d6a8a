/* stroke.c: what a stroke is, by how far and how long it goes. */
#include "server/wda/actions/stroke.h"

#include "server/wda/actions/acts.h"

#include <math.h>
#include <stdlib.h>

static const double STILL_PT = 6;     /* a finger that moves less does not move */
static const double STRAIGHT_PT = 10; /* so far from the line may a way be */
static const double TAP_MS = 500;     /* a longer touch is a press */
static const double DOUBLE_MS = 300;  /* between two taps that are one */
static const double DOUBLE_PT = 20;

static double distance(struct ia_point a, struct ia_point b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

static const struct ia_wda_waypoint *down(const struct ia_wda_stroke *s)
{
    return &s->way[0];
}

static const struct ia_wda_waypoint *up(const struct ia_wda_stroke *s)
{
    return &s->way[s->n - 1];
}

static bool is_still(const struct ia_wda_stroke *s)
{
    for (size_t i = 1; i < s->n; i++) {
        if (distance(s->way[i].at, down(s)->at) > STILL_PT) {
            return false;
        }
    }
    return true;
}

static bool is_tap(const struct ia_wda_stroke *s)
{
    return is_still(s) && up(s)->to_ms - down(s)->to_ms < TAP_MS;
}

static bool are_one(const struct ia_wda_stroke *a, const struct ia_wda_stroke *b)
{
    return is_tap(a) && is_tap(b) && down(b)->to_ms - up(a)->to_ms <= DOUBLE_MS &&
           distance(down(a)->at, down(b)->at) <= DOUBLE_PT;
}

static double from_segment(struct ia_point p, struct ia_point a, struct ia_point b)
{
    double dx = b.x - a.x, dy = b.y - a.y;
    double length = dx * dx + dy * dy;
    double along = length > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length : 0;
    along = fmin(fmax(along, 0), 1);
    return distance(p, (struct ia_point){a.x + along * dx, a.y + along * dy});
}

static int ms(double from, double to)
{
    return (int)lround(to - from);
}

static enum ia_rc drag(const struct ia_wda_stroke *s, struct ia_wda_acts *acts,
                       struct ia_err *err)
{
    const struct ia_wda_waypoint *first = NULL, *last = NULL;
    for (size_t i = 1; i < s->n; i++) {
        const struct ia_wda_waypoint *w = &s->way[i];
        if (from_segment(w->at, down(s)->at, up(s)->at) > STRAIGHT_PT) {
            return ia_err_set(err, IA_E_UNSUPPORTED,
                              "The finger can only be dragged along a straight line");
        }
        bool moves = distance(w->at, s->way[i - 1].at) > 0;
        first = moves && !first ? w : first;
        last = moves ? w : last;
    }
    struct ia_wda_act *act = ia_wda_acts_add(acts, IA_WDA_ACT_DRAG, ms(0, down(s)->to_ms));
    act->from = down(s)->at;
    act->to = up(s)->at;
    if (first) { /* what is not still moves */
        act->press_ms = ms(down(s)->to_ms, first->from_ms);
        act->move_ms = ms(first->from_ms, last->to_ms);
        act->hold_ms = ms(last->to_ms, up(s)->to_ms);
    }
    return IA_OK;
}

static void touch(const struct ia_wda_stroke *s, enum ia_wda_act_kind kind,
                  struct ia_wda_acts *acts)
{
    struct ia_wda_act *act = ia_wda_acts_add(acts, kind, ms(0, down(s)->to_ms));
    act->from = act->to = down(s)->at;
    act->press_ms = kind == IA_WDA_ACT_LONG_PRESS ? ms(down(s)->to_ms, up(s)->to_ms) : 0;
}

enum ia_rc ia_wda_strokes_act(const struct ia_wda_strokes *strokes, struct ia_wda_acts *acts,
                              struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < strokes->n && rc == IA_OK; i++) {
        const struct ia_wda_stroke *s = &strokes->at[i];
        if (i + 1 < strokes->n && are_one(s, s + 1)) {
            touch(s, IA_WDA_ACT_DOUBLE_TAP, acts);
            i++;
        } else if (is_still(s)) {
            touch(s, is_tap(s) ? IA_WDA_ACT_TAP : IA_WDA_ACT_LONG_PRESS, acts);
        } else {
            rc = drag(s, acts, err);
        }
    }
    return rc;
}

void ia_wda_strokes_free(struct ia_wda_strokes *strokes)
{
    for (size_t i = 0; i < strokes->n; i++) {
        free(strokes->at[i].way);
    }
    free(strokes->at);
    *strokes = (struct ia_wda_strokes){0};
}
