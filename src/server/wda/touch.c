/* touch.c: fingers: taps, presses, swipes, drags and pinches, at points and on elements
 * (FBElementCommands.m).
 *
 * XCTest scrolls an element into view before it touches it; so does ia_wda_into_view. A device has straight drags
 * alone, which rest neither before nor after (device.h): what a client says of that is not done. */
#include "server/wda/wda_impl.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum {
    DRAG_MS = 300,
    SWIPE_MS = 200,
    SCROLLS_MAX = 12,
    TAPS_MAX = 10,
    STILL_US = 400000, /* until what was flung has come to rest */
    REACH_PT = 8       /* how much of an element has to be seen */
};
static const double SHARE =
    0.35; /* of a rect's side: how far from its middle a stroke begins and ends */
static const double SECONDS_MAX = 60;

/* ---- effects ------------------------------------------------------------------------------ */

struct ia_point ia_wda_middle(struct ia_rect r)
{
    return (struct ia_point){r.x + r.w / 2, r.y + r.h / 2};
}

enum ia_wda_error ia_wda_finger_tap(struct ia_wda_call *c, struct ia_point at, int taps)
{
    enum ia_rc rc = IA_OK;
    for (int i = 0; rc == IA_OK && i < taps; i++) {
        rc = ia_device_tap(c->s->device, &c->deadline, at, &c->err);
        c->acted = c->acted || rc == IA_OK;
    }
    ia_wda_unlook(c);
    return ia_wda_result(rc);
}

enum ia_wda_error ia_wda_finger_press(struct ia_wda_call *c, struct ia_point at, double seconds)
{
    if (seconds < 0 || seconds > SECONDS_MAX) {
        return ia_wda_fail(c, IA_WDA_E_ARGUMENT, "'duration' must be 0 to %.0f seconds",
                           SECONDS_MAX);
    }
    return ia_wda_did(c, ia_device_long_press(c->s->device, &c->deadline, at,
                                              (int)(seconds * 1000), &c->err));
}

enum ia_wda_error ia_wda_finger_drag(struct ia_wda_call *c, struct ia_point from,
                                     struct ia_point to, int ms)
{
    enum ia_rc rc = ia_device_drag(c->s->device, &c->deadline, from, to, ms, &c->err);
    ia_wda_unlook(c);
    c->acted = c->acted || rc == IA_OK;
    if (rc == IA_OK && !c->s->info.instant) {
        rc = ia_clock_wait(ia_clock_system(), c->deadline.cancel,
                           ia_mono_us(ia_clock_system()) + STILL_US);
    }
    return ia_wda_result(rc);
}

/* dx, dy: where the finger goes, -1 to 1, as a part of SHARE. */
static enum ia_wda_error stroke(struct ia_wda_call *c, struct ia_rect in, double dx, double dy,
                                double share, int ms)
{
    struct ia_point m = ia_wda_middle(in);
    dx *= in.w * share;
    dy *= in.h * share;
    return ia_wda_finger_drag(c, (struct ia_point){m.x - dx, m.y - dy},
                              (struct ia_point){m.x + dx, m.y + dy}, ms);
}

/* ---- elements ----------------------------------------------------------------------------- */

static struct ia_rect on_screen(const struct ia_wda_call *c, int32_t node)
{
    return c->screen->nodes[node].seen;
}

static bool reachable(const struct ia_wda_node *n)
{
    return (n->state & IA_WDA_IS_VISIBLE) && n->seen.h >= fmin(n->node->frame.h, REACH_PT);
}

/* What scrolls around it, or -1. */
static int32_t scroller_of(const struct ia_wda_screen *s, int32_t node)
{
    for (int32_t at = s->nodes[node].parent; at >= 0; at = s->nodes[at].parent) {
        unsigned type = s->nodes[at].node->type;
        if (type == IA_EL_TABLE || type == IA_EL_COLLECTION_VIEW || type == IA_EL_SCROLL_VIEW ||
            type == IA_EL_WEB_VIEW) {
            return at;
        }
    }
    return -1;
}

enum ia_wda_error ia_wda_into_view(struct ia_wda_call *c, const char *uid, int32_t *node)
{
    enum ia_wda_error error = ia_wda_element(c, uid, node);
    for (int i = 0; error == IA_WDA_OK && i < SCROLLS_MAX; i++) {
        const struct ia_wda_node *n = &c->screen->nodes[*node];
        int32_t scroller = scroller_of(c->screen, *node);
        if (reachable(n) || scroller < 0) {
            return IA_WDA_OK;
        }
        struct ia_rect around = on_screen(c, scroller);
        struct ia_point at = ia_wda_middle(n->node->frame);
        struct ia_point m = ia_wda_middle(around);
        bool sideways = at.y > around.y && at.y < around.y + around.h;
        error = stroke(c, around,
                       !sideways    ? 0
                       : at.x > m.x ? -1
                                    : 1,
                       sideways     ? 0
                       : at.y > m.y ? -1
                                    : 1,
                       SHARE, DRAG_MS);
        if (error == IA_WDA_OK) {
            error = ia_wda_element(c, uid, node);
        }
    }
    return error;
}

enum ia_wda_error ia_wda_not_visible(struct ia_wda_call *c, int32_t node)
{
    return ia_wda_fail(c, IA_WDA_E_STATE,
                       "The element '%s' is not visible on the screen and thus is not "
                       "interactable",
                       ia_eltype_full_name((enum ia_eltype)c->screen->nodes[node].node->type));
}

/* Where to touch it: its middle, or that point from its corner. */
static enum ia_wda_error aim(struct ia_wda_call *c, struct ia_point *ret)
{
    int32_t node = 0;
    enum ia_wda_error error = ia_wda_into_view(c, c->args[0], &node);
    if (error != IA_WDA_OK) {
        return error;
    }
    const struct ia_wda_node *n = &c->screen->nodes[node];
    if (!(n->state & IA_WDA_IS_VISIBLE)) {
        return ia_wda_not_visible(c, node);
    }
    *ret = c->has[0] && c->has[1]
               ? (struct ia_point){n->node->frame.x + c->num[0], n->node->frame.y + c->num[1]}
               : ia_wda_middle(n->seen);
    return IA_WDA_OK;
}

enum ia_wda_error ia_wda_tap_element(struct ia_wda_call *c, const char *uid)
{
    int32_t node = 0;
    enum ia_wda_error error = ia_wda_into_view(c, uid, &node);
    if (error == IA_WDA_OK && !(c->screen->nodes[node].state & IA_WDA_IS_VISIBLE)) {
        error = ia_wda_not_visible(c, node);
    }
    return error != IA_WDA_OK ? error
                              : ia_wda_finger_tap(c, ia_wda_middle(on_screen(c, node)), 1);
}

/* The element of the route, or the whole app where it has none. */
static enum ia_wda_error target(struct ia_wda_call *c, int32_t *ret)
{
    *ret = 0;
    return c->args[0] ? ia_wda_element(c, c->args[0], ret) : ia_wda_look(c);
}

/* ---- routes: taps ------------------------------------------------------------------------- */

/* arg: how many. nums: "x? y?". */
enum ia_wda_error ia_wda_tap(struct ia_wda_call *c)
{
    struct ia_point at = {c->num[0], c->num[1]};
    enum ia_wda_error error = c->args[0] ? aim(c, &at) : IA_WDA_OK;
    return error != IA_WDA_OK ? error : ia_wda_finger_tap(c, at, c->route->arg);
}

/* nums: "numberOfTaps numberOfTouches?". */
enum ia_wda_error ia_wda_taps(struct ia_wda_call *c)
{
    struct ia_device_info info = ia_wda_info(c->s);
    struct ia_point at = {info.width_pt / 2, info.height_pt / 2};
    if (c->has[1] && c->num[1] > 1) {
        return ia_wda_one_finger(c);
    }
    if (c->num[0] < 1 || c->num[0] > TAPS_MAX) {
        return ia_wda_fail(c, IA_WDA_E_ARGUMENT, "'numberOfTaps' must be 1 to %d", TAPS_MAX);
    }
    int n = (int)c->num[0];
    c->has[0] = false;
    enum ia_wda_error error = c->args[0] ? aim(c, &at) : IA_WDA_OK;
    return error != IA_WDA_OK ? error : ia_wda_finger_tap(c, at, n);
}

/* nums: "x? y? duration". */
enum ia_wda_error ia_wda_press(struct ia_wda_call *c)
{
    struct ia_point at = {c->num[0], c->num[1]};
    enum ia_wda_error error = c->args[0] ? aim(c, &at) : IA_WDA_OK;
    return error != IA_WDA_OK ? error : ia_wda_finger_press(c, at, c->num[2]);
}

enum ia_wda_error ia_wda_one_finger(struct ia_wda_call *c)
{
    return ia_wda_fail(c, IA_WDA_E_UNSUPPORTED, "This device is touched with one finger");
}

/* nums: "scale velocity?". */
enum ia_wda_error ia_wda_pinch(struct ia_wda_call *c)
{
    int32_t node = 0;
    enum ia_wda_error error = target(c, &node);
    if (error != IA_WDA_OK) {
        return error;
    }
    struct ia_rect in = on_screen(c, node);
    return ia_wda_did(c, ia_device_pinch(c->s->device, &c->deadline, in, c->num[0], &c->err));
}

/* ---- routes: strokes ---------------------------------------------------------------------- */

/* Points of an element are from its corner. */
static enum ia_wda_error drag_points(struct ia_wda_call *c, int ms)
{
    struct ia_rect of = {0};
    if (c->args[0]) {
        int32_t node = 0;
        enum ia_wda_error error = ia_wda_element(c, c->args[0], &node);
        if (error != IA_WDA_OK) {
            return error;
        }
        of = c->screen->nodes[node].node->frame;
    }
    return ia_wda_finger_drag(c, (struct ia_point){of.x + c->num[0], of.y + c->num[1]},
                              (struct ia_point){of.x + c->num[2], of.y + c->num[3]}, ms);
}

/* nums: "fromX fromY toX toY duration?"; the duration is of the press before it. */
enum ia_wda_error ia_wda_drag(struct ia_wda_call *c)
{
    return drag_points(c, DRAG_MS);
}

/* nums: "fromX fromY toX toY velocity". */
enum ia_wda_error ia_wda_drag_velocity(struct ia_wda_call *c)
{
    double ms = hypot(c->num[2] - c->num[0], c->num[3] - c->num[1]) / c->num[4] * 1000;
    if (!(c->num[4] > 0) || ms > SECONDS_MAX * 1000) {
        return ia_wda_fail(c, IA_WDA_E_ARGUMENT, "'velocity' must be points a second");
    }
    return drag_points(c, (int)ms);
}

/* Where that direction is; false for another word. */
static bool direction(const char *word, double *dx, double *dy)
{
    static const struct {
        const char *word;
        double dx, dy;
    } rows[] = {{"up", 0, -1}, {"down", 0, 1}, {"left", -1, 0}, {"right", 1, 0}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (strcasecmp(word, rows[i].word) == 0) {
            *dx = rows[i].dx;
            *dy = rows[i].dy;
            return true;
        }
    }
    return false;
}

enum ia_wda_error ia_wda_swipe(struct ia_wda_call *c)
{
    double dx;
    double dy;
    int32_t node = 0;
    if (!direction(ia_json_text(c->body, "direction"), &dx, &dy)) {
        return ia_wda_fail(c, IA_WDA_E_ARGUMENT,
                           "Unsupported swipe direction '%.40s'. Only the following directions "
                           "are supported: up, down, left, right",
                           ia_json_text(c->body, "direction"));
    }
    enum ia_wda_error error = target(c, &node);
    return error != IA_WDA_OK ? error : stroke(c, on_screen(c, node), dx, dy, SHARE, SWIPE_MS);
}

/* The last of what is found, as in WebDriverAgent, comes into view. */
static enum ia_wda_error scroll_to(struct ia_wda_call *c, int32_t under, const char *using,
                                   const char *value)
{
    char uid[IA_WDA_UID_SIZE];
    struct ia_wda_nodes found = {0};
    enum ia_wda_error error = ia_wda_search(c, under, using, value, false, &found);
    if (error == IA_WDA_OK && (found.n == 0 || found.at[found.n - 1] == under)) {
        error = ia_wda_fail(c, IA_WDA_E_NO_SUCH_ELEMENT, "'%.200s' didn't match any elements",
                            value);
    }
    if (error == IA_WDA_OK) {
        int32_t node = found.at[found.n - 1];
        ia_wda_know(c, node, uid);
        error = ia_wda_into_view(c, uid, &node);
    }
    ia_wda_nodes_fini(&found);
    return error;
}

/* The content goes the other way than the finger. nums: "distance?", a share of the element. */
enum ia_wda_error ia_wda_scroll(struct ia_wda_call *c)
{
    double dx;
    double dy;
    int32_t node = 0;
    const char *name = ia_json_text(c->body, "name");
    const char *predicate = ia_json_text(c->body, "predicateString");
    enum ia_wda_error error = target(c, &node);
    if (error != IA_WDA_OK) {
        return error;
    }
    if (name[0] || predicate[0]) {
        return scroll_to(c, node, name[0] ? "name" : "predicate string",
                         name[0] ? name : predicate);
    }
    if (direction(ia_json_text(c->body, "direction"), &dx, &dy)) {
        double share = fmin(c->has[0] && c->num[0] > 0 ? c->num[0] : 1, 0.8) / 2;
        return stroke(c, on_screen(c, node), -dx, -dy, share, DRAG_MS);
    }
    if (json_is_true(json_object_get(c->body, "toVisible")) && c->args[0]) {
        return ia_wda_into_view(c, c->args[0], &node);
    }
    return ia_wda_fail(c, IA_WDA_E_ARGUMENT, "Unsupported scroll type");
}

enum ia_wda_error ia_wda_scroll_here(struct ia_wda_call *c)
{
    int32_t node = 0;
    return ia_wda_into_view(c, c->args[0], &node);
}
