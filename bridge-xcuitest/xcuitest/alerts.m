/* alerts.m: alerts and sheets of the system and of the app.
 *
 * Nothing here reads a language: which button accepts and which dismisses follows from where it
 * is. Side by side the last one accepts and the first one dismisses; one above the other the
 * first one accepts and the last one dismisses, as iOS arranges them. */
#import "agent.h"

#include <stdlib.h>
#include <string.h>

enum {
    SETTLE_MS = 3000, /* for an alert that comes up to hold still */
    LOOK_MS = 50      /* between two looks at it */
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

/* Where a thing comes in the order of reading. */
static int by_place(const void *a, const void *b)
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
            b->label = ia_xc_keep(op, s.label, IA_WIRE_TEXT_MAX);
            b->frame = frame;
        }
        return; /* the text in a button is the button's */
    }
    if (s.elementType == XCUIElementTypeStaticText && to->texts_n < IA_WIRE_BUTTONS_MAX) {
        to->texts[to->texts_n] = ia_xc_keep(op, s.label, IA_WIRE_TEXT_MAX);
        to->texts_n += to->texts[to->texts_n] != NULL;
    }
    for (id<XCUIElementSnapshot> child in s.children) {
        collect(op, child, to);
    }
}

static void read_alert(struct ia_xc_op *op, id<XCUIElementSnapshot> s, struct alert *to)
{
    to->frame = ia_xc_rect(s.frame);
    to->title = ia_xc_keep(op, s.label, IA_WIRE_TEXT_MAX);
    collect(op, s, to);
    qsort(to->buttons, to->buttons_n, sizeof(to->buttons[0]), by_place);
    if (to->title == NULL && to->texts_n > 0) {
        to->title = to->texts[0];
    }
}

/* The alerts of one kind of one app, front-most first: the last that is drawn. */
static uint32_t look_for(struct ia_xc_op *op, XCUIApplication *app, uint8_t owner,
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

/* `list` has room for IA_WIRE_ALERTS_MAX. The system's come first: they lie over every app. */
static uint32_t look(struct ia_xc_op *op, uint8_t owner, struct alert *list)
{
    struct ia_xc_agent *a = op->agent;
    uint32_t n = 0;
    if (owner != IA_WIRE_OWNER_APP) {
        n = look_for(op, a->springboard, IA_WIRE_OWNER_SYSTEM, XCUIElementTypeAlert, list, n);
    }
    if (owner != IA_WIRE_OWNER_SYSTEM && a->target != a->springboard &&
        ia_xc_state(a, a->target) == IA_WIRE_APP_FOREGROUND) {
        n = look_for(op, a->target, IA_WIRE_OWNER_APP, XCUIElementTypeAlert, list, n);
        n = look_for(op, a->target, IA_WIRE_OWNER_APP, XCUIElementTypeSheet, list, n);
    }
    return n;
}

static struct alert *room(struct ia_xc_op *op)
{
    struct alert *list = ia_wire_alloc(&op->reply->arena, IA_WIRE_ALERTS_MAX * sizeof(*list));
    if (list == NULL) {
        ia_xc_fail(op, IA_WIRE_E_MEMORY, "no memory for alerts");
    }
    return list;
}

/* The texts but the title, a line each. */
static const char *text_of(struct ia_xc_op *op, const struct alert *a)
{
    NSMutableArray *lines = [NSMutableArray array];
    for (uint32_t i = 0; i < a->texts_n; i++) {
        if (a->title == NULL || strcmp(a->texts[i], a->title) != 0) {
            [lines addObject:ia_xc_string(a->texts[i])];
        }
    }
    return ia_xc_keep(op, [lines componentsJoinedByString:@"\n"], IA_WIRE_TEXT_MAX);
}

static bool tell(struct ia_xc_op *op, const struct alert *a, struct ia_wire_alert *to)
{
    const char **buttons = ia_wire_alloc(&op->reply->arena, a->buttons_n * sizeof(*buttons));
    if (buttons == NULL) {
        ia_xc_fail(op, IA_WIRE_E_MEMORY, "no memory for alerts");
        return false;
    }
    for (uint32_t i = 0; i < a->buttons_n; i++) {
        buttons[i] = a->buttons[i].label;
    }
    to->owner = a->owner;
    to->title = a->title;
    to->text = text_of(op, a);
    to->frame = a->frame;
    to->buttons = buttons;
    to->buttons_n = a->buttons_n;
    return true;
}

void ia_xc_alerts(struct ia_xc_op *op)
{
    struct alert *list = room(op);
    if (list == NULL) {
        return;
    }
    uint32_t n = look(op, IA_WIRE_OWNER_ANY, list);
    struct ia_wire_alert *alerts =
        ia_wire_alloc(&op->reply->arena, IA_WIRE_ALERTS_MAX * sizeof(*alerts));
    if (alerts == NULL) {
        ia_xc_fail(op, IA_WIRE_E_MEMORY, "no memory for alerts");
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!tell(op, &list[i], &alerts[i])) {
            return;
        }
    }
    op->reply->u.alerts.alerts = alerts;
    op->reply->u.alerts.alerts_n = n;
    ia_xc_done(op);
}

static const struct button *by_action(const struct alert *a, bool accept)
{
    const struct button *first = &a->buttons[0];
    const struct button *last = &a->buttons[a->buttons_n - 1];
    bool row = first->frame.y < last->frame.y + last->frame.h &&
               last->frame.y < first->frame.y + first->frame.h;
    return accept == row ? last : first;
}

static const struct button *by_label(const struct alert *a, const char *label)
{
    for (uint32_t i = 0; i < a->buttons_n; i++) {
        if (a->buttons[i].label != NULL && strcmp(a->buttons[i].label, label) == 0) {
            return &a->buttons[i];
        }
    }
    return NULL;
}

static const struct button *choose(struct ia_xc_op *op, const struct alert *a)
{
    const struct ia_wire_alert_act *act = &op->req->u.alert_act;
    if (act->action != IA_WIRE_ALERT_BUTTON) {
        return by_action(a, act->action == IA_WIRE_ALERT_ACCEPT);
    }
    const struct button *b = by_label(a, act->button);
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

/* The alert that is answered, once it holds still: one that comes up grows into its place.
 * False: there is none, or it moved until the end. */
static bool settled(struct ia_xc_op *op, struct alert *list)
{
    struct ia_wire_rect before = {0, 0, 0, 0};
    int64_t since = ia_bridge_now_us();
    do {
        if (look(op, op->req->u.alert_act.owner, list) == 0) {
            ia_xc_fail(op, IA_WIRE_E_NO_ALERT, "no alert is up");
            return false;
        }
        if (memcmp(&before, &list[0].frame, sizeof(before)) == 0) {
            return true;
        }
        before = list[0].frame;
        ia_xc_rest(LOOK_MS);
    } while (ia_xc_time_left(op, since, SETTLE_MS, 0));
    ia_xc_fail(op, IA_WIRE_E_MOVING, "the alert did not hold still");
    return false;
}

void ia_xc_alert_act(struct ia_xc_op *op)
{
    struct alert *list = room(op);
    if (list == NULL || !settled(op, list)) {
        return;
    }
    const struct button *b = choose(op, &list[0]);
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
