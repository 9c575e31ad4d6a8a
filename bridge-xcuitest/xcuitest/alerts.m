/* alerts.m: alerts and sheets of the system and of the app.
 *
 * No text is interpreted, so this works in every language: the places of the buttons say which
 * one accepts and which one dismisses. iOS arranges them like this:
 *
 *     [dismiss] [accept]        [accept]
 *                               [ ... ]
 *                               [dismiss] */
#import "agent.h"

#include <stdlib.h>
#include <string.h>

enum {
    SETTLE_MS = 3000, /* for an appearing alert to hold still */
    POLL_MS = 50      /* between two snapshots of it */
};

struct button {
    const char *label; /* in the reply's arena */
    struct ia_wire_rect frame;
};

struct alert {
    XCUIApplication *app;
    uint8_t owner;
    struct ia_wire_rect frame;
    const char *title;
    const char *texts[IA_WIRE_BUTTONS_MAX];
    struct button buttons[IA_WIRE_BUTTONS_MAX];
    uint32_t texts_n, buttons_n;
};

/* For qsort: from top to bottom, and in a row from left to right. */
static int by_reading_order(const void *a, const void *b)
{
    const struct ia_wire_rect *one = &((const struct button *)a)->frame;
    const struct ia_wire_rect *two = &((const struct button *)b)->frame;
    bool beside = one->y < two->y + two->h / 2 && two->y < one->y + one->h / 2;
    double distance = beside ? one->x - two->x : one->y - two->y;
    return (distance > 0) - (distance < 0);
}

static bool has_area(struct ia_wire_rect r)
{
    return r.w > 0 && r.h > 0;
}

static void collect(struct ia_xc_op *op, id<XCUIElementSnapshot> s, struct alert *to)
{
    struct ia_wire_rect frame = ia_xc_rect(s.frame);
    if (s.elementType == XCUIElementTypeButton) {
        if (has_area(frame) && to->buttons_n < IA_WIRE_BUTTONS_MAX) {
            struct button *b = &to->buttons[to->buttons_n++];
            b->label = ia_xc_arena_text(op, s.label, IA_WIRE_TEXT_MAX);
            b->frame = frame;
        }
        return; /* texts inside it are its label, not the alert's text */
    }
    if (s.elementType == XCUIElementTypeStaticText && to->texts_n < IA_WIRE_BUTTONS_MAX) {
        to->texts[to->texts_n] = ia_xc_arena_text(op, s.label, IA_WIRE_TEXT_MAX);
        to->texts_n += to->texts[to->texts_n] != NULL;
    }
    for (id<XCUIElementSnapshot> child in s.children) {
        collect(op, child, to);
    }
}

static void read_alert(struct ia_xc_op *op, id<XCUIElementSnapshot> s, struct alert *to)
{
    to->frame = ia_xc_rect(s.frame);
    to->title = ia_xc_arena_text(op, s.label, IA_WIRE_TEXT_MAX);
    collect(op, s, to);
    qsort(to->buttons, to->buttons_n, sizeof(to->buttons[0]), by_reading_order);
    if (to->title == NULL && to->texts_n > 0) {
        to->title = to->texts[0];
    }
}

/* The alerts of one type in one app, front-most first, which is the one drawn last. */
static uint32_t find_alerts_of(struct ia_xc_op *op, XCUIApplication *app, uint8_t owner,
                               XCUIElementType type, struct alert *list, uint32_t n)
{
    XCUIElementQuery *query = [app descendantsMatchingType:type];
    for (NSUInteger i = [query count]; i > 0 && n < IA_WIRE_ALERTS_MAX; i--) {
        id<XCUIElementSnapshot> s = [[query elementBoundByIndex:i - 1] snapshotWithError:NULL];
        struct alert *to = &list[n];
        if (s == nil) {
            continue;
        }
        memset(to, 0, sizeof(*to));
        to->app = app;
        to->owner = owner;
        read_alert(op, s, to);
        n += has_area(to->frame) && to->buttons_n > 0;
    }
    return n;
}

/* `list` has room for IA_WIRE_ALERTS_MAX. Those of the system come first: they lie over every
 * app. */
static uint32_t find_alerts(struct ia_xc_op *op, uint8_t owner, struct alert *list)
{
    struct ia_xc_agent *a = op->agent;
    uint32_t n = 0;
    if (owner != IA_WIRE_OWNER_APP) {
        n = find_alerts_of(op, a->springboard, IA_WIRE_OWNER_SYSTEM, XCUIElementTypeAlert, list,
                           n);
    }
    if (owner != IA_WIRE_OWNER_SYSTEM && a->target != a->springboard &&
        ia_xc_state(a, a->target) == IA_WIRE_APP_FOREGROUND) {
        n = find_alerts_of(op, a->target, IA_WIRE_OWNER_APP, XCUIElementTypeAlert, list, n);
        n = find_alerts_of(op, a->target, IA_WIRE_OWNER_APP, XCUIElementTypeSheet, list, n);
    }
    return n;
}

static struct alert *alloc_alerts(struct ia_xc_op *op)
{
    struct alert *list = ia_wire_alloc(&op->reply->arena, IA_WIRE_ALERTS_MAX * sizeof(*list));
    if (list == NULL) {
        ia_xc_fail(op, IA_WIRE_E_MEMORY, "out of memory for the alerts");
    }
    return list;
}

/* All texts except the title, one on each line. */
static const char *body_text(struct ia_xc_op *op, const struct alert *a)
{
    NSMutableArray *lines = [NSMutableArray array];
    for (uint32_t i = 0; i < a->texts_n; i++) {
        if (a->title == NULL || strcmp(a->texts[i], a->title) != 0) {
            [lines addObject:ia_xc_string(a->texts[i])];
        }
    }
    return ia_xc_arena_text(op, [lines componentsJoinedByString:@"\n"], IA_WIRE_TEXT_MAX);
}

static bool fill_alert(struct ia_xc_op *op, const struct alert *a, struct ia_wire_alert *to)
{
    const char **buttons = ia_wire_alloc(&op->reply->arena, a->buttons_n * sizeof(*buttons));
    if (buttons == NULL) {
        ia_xc_fail(op, IA_WIRE_E_MEMORY, "out of memory for the alerts");
        return false;
    }
    for (uint32_t i = 0; i < a->buttons_n; i++) {
        buttons[i] = a->buttons[i].label;
    }
    to->owner = a->owner;
    to->title = a->title;
    to->text = body_text(op, a);
    to->frame = a->frame;
    to->buttons = buttons;
    to->buttons_n = a->buttons_n;
    return true;
}

void ia_xc_alerts(struct ia_xc_op *op)
{
    struct alert *list = alloc_alerts(op);
    if (list == NULL) {
        return;
    }
    uint32_t n = find_alerts(op, IA_WIRE_OWNER_ANY, list);
    struct ia_wire_alert *alerts =
        ia_wire_alloc(&op->reply->arena, IA_WIRE_ALERTS_MAX * sizeof(*alerts));
    if (alerts == NULL) {
        ia_xc_fail(op, IA_WIRE_E_MEMORY, "out of memory for the alerts");
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!fill_alert(op, &list[i], &alerts[i])) {
            return;
        }
    }
    op->reply->u.alerts.alerts = alerts;
    op->reply->u.alerts.alerts_n = n;
    ia_xc_done(op);
}

static const struct button *accepting_or_dismissing(const struct alert *a, bool accept)
{
    const struct button *first = &a->buttons[0];
    const struct button *last = &a->buttons[a->buttons_n - 1];
    bool row = first->frame.y < last->frame.y + last->frame.h &&
               last->frame.y < first->frame.y + first->frame.h;
    return accept == row ? last : first;
}

static const struct button *labelled(const struct alert *a, const char *label)
{
    for (uint32_t i = 0; i < a->buttons_n; i++) {
        if (a->buttons[i].label != NULL && strcmp(a->buttons[i].label, label) == 0) {
            return &a->buttons[i];
        }
    }
    return NULL;
}

static const struct button *choose_button(struct ia_xc_op *op, const struct alert *a)
{
    const struct ia_wire_alert_act *act = &op->req->u.alert_act;
    if (act->action != IA_WIRE_ALERT_BUTTON) {
        return accepting_or_dismissing(a, act->action == IA_WIRE_ALERT_ACCEPT);
    }
    const struct button *b = labelled(a, act->button);
    if (b == NULL) {
        NSMutableArray *labels = [NSMutableArray array];
        for (uint32_t i = 0; i < a->buttons_n; i++) {
            [labels addObject:[NSString
                                  stringWithFormat:@"'%@'", ia_xc_string(a->buttons[i].label)]];
        }
        ia_xc_fail(op, IA_WIRE_E_NOT_FOUND, "the alert has no button '%.100s'; it has %s",
                   act->button, ia_xc_utf8([labels componentsJoinedByString:@", "]));
    }
    return b;
}

/* Waits until the alert to be answered holds still, since an appearing one grows into place.
 * False: there is none, or it kept moving. */
static bool wait_until_still(struct ia_xc_op *op, struct alert *list)
{
    struct ia_wire_rect before = {0, 0, 0, 0};
    int64_t since = ia_bridge_now_us();
    do {
        if (find_alerts(op, op->req->u.alert_act.owner, list) == 0) {
            ia_xc_fail(op, IA_WIRE_E_NO_ALERT, "no alert is shown");
            return false;
        }
        if (memcmp(&before, &list[0].frame, sizeof(before)) == 0) {
            return true;
        }
        before = list[0].frame;
        ia_xc_sleep_ms(POLL_MS);
    } while (ia_xc_time_left(op, since, SETTLE_MS, 0));
    ia_xc_fail(op, IA_WIRE_E_MOVING, "the alert did not hold still");
    return false;
}

void ia_xc_alert_act(struct ia_xc_op *op)
{
    struct alert *list = alloc_alerts(op);
    if (list == NULL || !wait_until_still(op, list)) {
        return;
    }
    const struct button *b = choose_button(op, &list[0]);
    if (b == NULL) {
        return;
    }
    struct ia_wire_point centre = {b->frame.x + b->frame.w / 2, b->frame.y + b->frame.h / 2};
    XCUICoordinate *at = ia_xc_coordinate(op->agent, list[0].app, centre);
    if (!ia_xc_send(op)) {
        return;
    }
    [at tap];
    op->reply->u.alert_act.button = b->label;
    ia_xc_done(op);
}
