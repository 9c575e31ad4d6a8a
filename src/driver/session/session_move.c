/* session_move.c: swiping, scrolling to a text, going back.
 *
 * A stroke stays inside what is swiped, between the bars, and away from the screen's edges,
 * where the system's own gestures begin. Scrolling to a text goes where the tree already knows
 * it to be, else down to the end and then up. Going back taps only what is certain to be a back
 * control. */
#include "driver/session/session_impl.h"

#include "driver/snapshot/phrase.h"
#include "driver/snapshot/rect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SWIPE_MS = 300, SCROLL_SWIPES_MAX = 50 };
static const double STROKE_MIN_PT = 10;
/* The leading margin of a navigation bar's items; UIKit's back button stands outside of it. */
static const double BAR_MARGIN_PT = 12;

static double clamp(double v, double low, double high)
{
    return fmax(low, fmin(v, high));
}

/* Half of a centred path: `distance` of what insets of 15 % leave of a side. */
static double half_path(double side, double distance)
{
    double inset = clamp(fmax(side * 0.15, IA_EDGE_PT), 1, side / 3);
    return (side - 2 * inset) * distance / 2;
}

bool ia_stroke(const struct ia_session *s, struct ia_rect inside, enum ia_direction dir,
               double distance, struct ia_point *ret_from, struct ia_point *ret_to)
{
    const struct ia_snapshot *now = s->latest;
    struct ia_rect free = {IA_EDGE_PT, fmax(now->safe.y, IA_EDGE_PT),
                           now->width - 2 * IA_EDGE_PT, 0};
    double bottom = fmin(now->safe.y + now->safe.h, now->height - IA_EDGE_PT);
    free.h = fmax(bottom - free.y, 0);
    struct ia_rect r = ia_rect_cut(inside, free);
    struct ia_point c = ia_rect_center(r);
    bool upright = dir == IA_UP || dir == IA_DOWN;
    double half = half_path(upright ? r.h : r.w, clamp(distance, 0.01, 1));
    /* The direction is the finger's: upwards begins below the centre. */
    double sign = dir == IA_UP || dir == IA_LEFT ? 1 : -1;
    *ret_from = *ret_to = c;
    *(upright ? &ret_from->y : &ret_from->x) += sign * half;
    *(upright ? &ret_to->y : &ret_to->x) -= sign * half;
    return !ia_rect_empty(r) && half * 2 >= STROKE_MIN_PT;
}

/* The visible part of what is swiped: the element, else the largest container, else the whole
 * screen. */
static struct ia_rect area_of(const struct ia_session *s, const struct ia_element *e)
{
    const struct ia_snapshot *now = s->latest;
    if (!e && now->main_scroll >= 0) {
        e = &now->elements[now->main_scroll];
    }
    return e ? now->more[e - now->elements].vis
             : (struct ia_rect){0, 0, now->width, now->height};
}

/* A slider's knob is dragged from where it is, by that part of its whole way. False when this is
 * no slider, or where its knob is cannot be told. */
static bool knob_stroke(const struct ia_element *e, enum ia_direction dir, double distance,
                        struct ia_point *ret_from, struct ia_point *ret_to)
{
    char *end;
    bool level = e && e->role == IA_ROLE_SLIDER && e->value && e->frame.w > e->frame.h &&
                 (dir == IA_LEFT || dir == IA_RIGHT);
    double percent = level ? strtod(e->value, &end) : 0;
    if (!level || end == e->value || strcmp(end, "%") != 0) {
        return false;
    }
    double at = clamp(percent / 100, 0, 1);
    double to = clamp(at + (dir == IA_RIGHT ? distance : -distance), 0, 1);
    *ret_from = *ret_to = ia_rect_center(e->frame);
    /* The last point is still inside. */
    ret_from->x = e->frame.x + clamp(at * e->frame.w, 1, e->frame.w - 1);
    ret_to->x = e->frame.x + to * e->frame.w;
    return true;
}

static enum ia_rc send_stroke(struct ia_act *a, struct ia_rect area, enum ia_direction dir,
                              double distance)
{
    struct ia_point from, to;
    if (!knob_stroke(a->e, dir, distance, &from, &to) &&
        !ia_stroke(a->s, area, dir, distance, &from, &to)) {
        ia_err_set(a->err, IA_E_NOT_ACTIONABLE, "there is too little room to swipe here");
        ia_err_hint(a->err, "swipe on a larger element, or on the screen without a ref");
        return IA_E_NOT_ACTIONABLE;
    }
    struct ia_device *d = a->s->device;
    return ia_act_sent(a, ia_device_drag(d, a->deadline, from, to, SWIPE_MS, a->err));
}

enum ia_rc ia_session_swipe(struct ia_session *s, const struct ia_deadline *deadline,
                            uint32_t ref, enum ia_direction dir, double distance,
                            struct ia_act_result *ret, struct ia_err *err)
{
    struct ia_act a;
    enum ia_rc rc = ref > 0 ? ia_act_begin_on(&a, s, deadline, ref, IA_ACT_SWIPE, ret, err)
                            : ia_act_begin(&a, s, deadline, ret, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = send_stroke(&a, area_of(s, a.e), dir, distance > 0 ? distance : 1);
    return rc == IA_OK ? ia_act_end(&a) : ia_act_fail(&a, rc);
}

/* ---- scrolling to a text ---------------------------------------------------------------- */

/* ASCII letters compare without case. */
static bool contains(const char *label, const char *part)
{
    size_t n = strlen(part);
    for (; label && *label; label++) {
        if (strncasecmp(label, part, n) == 0) {
            return true;
        }
    }
    return false;
}

struct search {
    struct ia_act a;
    char *text;            /* folded */
    enum ia_direction dir; /* of the finger */
    bool turned, went;     /* the direction changed; something moved at all */
    int32_t found;         /* element index, -1 */
};

/* The listed element that says the text: one that says just it before one that contains it. */
static int32_t listed_match(const struct ia_snapshot *now, const char *text)
{
    int32_t found = -1;
    for (size_t i = 0; i < now->count; i++) {
        const struct ia_element *e = &now->elements[i];
        if (!e->listed || !contains(e->label, text)) {
            continue;
        }
        if (strcmp(e->label, text) == 0) {
            return (int32_t)i;
        }
        found = found < 0 ? (int32_t)i : found;
    }
    return found;
}

/* An element that is known to be off-screen tells the direction and the container. */
static const struct ia_element *offscreen_match(const struct ia_snapshot *now, const char *text)
{
    for (size_t i = 0; i < now->count; i++) {
        if (now->more[i].outside && contains(now->elements[i].label, text)) {
            return &now->elements[i];
        }
    }
    return NULL;
}

static enum ia_direction toward(uint8_t side)
{
    static const enum ia_direction dirs[] = {[IA_SIDE_NONE] = IA_UP,
                                             [IA_SIDE_BELOW] = IA_UP,
                                             [IA_SIDE_ABOVE] = IA_DOWN,
                                             [IA_SIDE_RIGHT] = IA_LEFT,
                                             [IA_SIDE_LEFT] = IA_RIGHT};
    return dirs[side];
}

static enum ia_rc scroll_once(struct search *f, bool *ret_moved)
{
    struct ia_act *a = &f->a;
    const struct ia_snapshot *now = a->s->latest;
    const struct ia_element *known = offscreen_match(now, f->text);
    const struct ia_element *container = NULL;
    enum ia_direction dir = f->dir;
    if (known) {
        int32_t scroll = now->more[known - now->elements].scroll;
        dir = toward(now->more[known - now->elements].side);
        container = scroll >= 0 ? &now->elements[scroll] : NULL;
    }
    /* Kept as a number: the settling below frees `now`. */
    uint64_t before = now->motion;
    enum ia_rc rc = ia_act_guard(a); /* the stroke before may have left the app */
    if (rc == IA_OK) {
        rc = send_stroke(a, area_of(a->s, container), dir, 0.9);
    }
    if (rc == IA_OK) {
        bool is_settled = false;
        rc = ia_session_settle(a->s, a->deadline, &is_settled, a->err);
    }
    *ret_moved = rc == IA_OK && a->s->latest->motion != before;
    return rc;
}

static enum ia_rc not_found(struct search *f, int swipes)
{
    ia_err_set(f->a.err, IA_E_NOT_FOUND, "\"%.200s\" did not come into view in %d swipes",
               f->text, swipes);
    ia_err_hint(f->a.err, "check the wording, scroll another container, or use the screen's "
                          "search field");
    return IA_E_NOT_FOUND;
}

/* Pulling down what is at its top closes a sheet. */
static bool may_turn(const struct search *f)
{
    const struct ia_snapshot *now = f->a.s->latest;
    bool above = false;
    for (size_t k = 0; k < now->outside_count; k++) {
        above |= now->outsides[k].side == IA_SIDE_ABOVE;
    }
    return above || f->went || !now->modal;
}

static enum ia_rc search(struct search *f, int max_swipes)
{
    int swipes = 0;
    for (;;) {
        f->found = listed_match(f->a.s->latest, f->text);
        if (f->found >= 0) {
            return IA_OK;
        }
        if (swipes == max_swipes) {
            return not_found(f, swipes);
        }
        bool moved = false;
        enum ia_rc rc = scroll_once(f, &moved);
        swipes++;
        if (rc != IA_OK) {
            return rc;
        }
        f->went |= moved;
        if (!moved && (f->turned || !may_turn(f))) {
            return not_found(f, swipes);
        }
        if (!moved) {
            /* The end is reached, so once more from here the other way; what does not move
             * after that is not there. */
            f->turned = true;
            f->dir = IA_DOWN;
        }
    }
}

enum ia_rc ia_session_scroll_to(struct ia_session *s, const struct ia_deadline *deadline,
                                struct ia_str text, int max_swipes,
                                const struct ia_element **ret_element,
                                struct ia_act_result *ret, struct ia_err *err)
{
    struct search f = {.dir = IA_UP, .found = -1};
    struct ia_buf folded = IA_BUF(SIZE_MAX / 2);
    ia_phrase_fold_to(&folded, text.p, text.n);
    f.text = ia_buf_steal(&folded);
    enum ia_rc rc = ia_act_begin(&f.a, s, deadline, ret, err);
    if (rc == IA_OK && !*f.text) {
        rc = ia_act_fail(&f.a,
                         ia_err_set(f.a.err, IA_E_USAGE, "the text to scroll to is empty"));
    } else if (rc == IA_OK) {
        int most = max_swipes > 0 ? max_swipes : SCROLL_SWIPES_MAX;
        rc = search(&f, most < SCROLL_SWIPES_MAX ? most : SCROLL_SWIPES_MAX);
        rc = rc == IA_OK ? ia_act_end(&f.a) : ia_act_fail(&f.a, rc);
    }
    if (rc == IA_OK) {
        /* Searched again: the settling at the end made another snapshot, with other indexes. */
        f.found = listed_match(s->latest, f.text);
        *ret_element = ia_snapshot_at(s->latest, f.found < 0 ? SIZE_MAX : (size_t)f.found);
    }
    free(f.text);
    return rc;
}

/* ---- back ------------------------------------------------------------------------------- */

/* The system's gesture: from the leading edge across the screen. */
static enum ia_rc edge_swipe(struct ia_act *a)
{
    const struct ia_snapshot *now = a->s->latest;
    struct ia_device *d = a->s->device;
    double y = now->height / 2;
    struct ia_point from = {now->mirrored ? now->width - 1 : 1, y};
    struct ia_point to = {now->width * (now->mirrored ? 0.25 : 0.75), y};
    return ia_act_sent(a, ia_device_drag(d, a->deadline, from, to, SWIPE_MS, a->err));
}

static bool names_back(const char *identifier)
{
    for (; identifier && *identifier; identifier++) {
        if (strncasecmp(identifier, "back", 4) == 0) {
            return true;
        }
    }
    return false;
}

/* The bar's leading control may be Edit or a menu as well. It is the back control where its
 * identifier says so, where it is named after a screen seen before, or where it stands closer
 * to the edge than a bar's other items do. */
static const struct ia_element *back_control(const struct ia_session *s)
{
    const struct ia_snapshot *now = s->latest;
    const struct ia_element *e = now->back >= 0 ? &now->elements[now->back] : NULL;
    if (!e) {
        return NULL;
    }
    bool named = e->label && (!now->screen || strcmp(e->label, now->screen) != 0) &&
                 ia_session_saw_title(s, e->label);
    double gap = now->mirrored ? now->width - e->frame.x - e->frame.w : e->frame.x;
    bool hugs = now->back_in_bar && gap < BAR_MARGIN_PT;
    return named || hugs || names_back(e->identifier) ? e : NULL;
}

/* The gesture was sent and the screen did not change. */
static enum ia_rc no_back(struct ia_session *s, struct ia_err *err)
{
    const struct ia_snapshot *now = s->latest;
    struct ia_buf b = IA_BUF(400);
    if (now->back >= 0) {
        ia_element_text(&now->elements[now->back], &b);
    }
    ia_err_set(err, IA_E_NO_BACK,
               "there is no back control here, and the back gesture changed nothing");
    ia_err_hint(err, "this may be the first screen; %s%s",
                b.len ? "tap this if it leaves the screen: "
                      : "tap what closes the screen, or press home",
                ia_buf_cstr(&b));
    if (err) {
        err->outcome = IA_OUTCOME_SENT;
        /* Nothing changed, so the gesture may be sent again. */
        err->retry_safe = true;
    }
    ia_buf_fini(&b);
    return IA_E_NO_BACK;
}

enum ia_rc ia_session_back(struct ia_session *s, const struct ia_deadline *deadline,
                           struct ia_act_result *ret, struct ia_err *err)
{
    struct ia_act a;
    enum ia_rc rc = ia_act_begin(&a, s, deadline, ret, err);
    if (rc != IA_OK) {
        return rc;
    }
    a.e = back_control(s);
    bool control = a.e != NULL;
    uint64_t before = s->latest->content;
    if (control) {
        a.ref = a.e->ref;
        ia_act_note(&a);
        rc = ia_act_sent(&a, ia_device_tap(s->device, deadline, a.e->activation, a.err));
    } else {
        rc = edge_swipe(&a);
    }
    rc = rc == IA_OK ? ia_act_end(&a) : ia_act_fail(&a, rc);
    /* Where an app shows no accessibility, nobody knows whether it went back. */
    bool same =
        rc == IA_OK && !control && s->latest->line_count > 0 && s->latest->content == before;
    return same ? no_back(s, err) : rc;
}
