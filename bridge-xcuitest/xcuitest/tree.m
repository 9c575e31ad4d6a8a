/* tree.m: one snapshot of an app, converted to the nodes of the wire.
 *
 *   app (one snapshot, or spliced from parts when it is too deep)
 *    +-- its children
 *    +-- alerts of the system, which belong to SpringBoard but lie over the app */
#import "agent.h"

enum { NO_ALERT_MS = 250 }; /* how long "no system alert" stays true */

struct ia_wire_rect ia_xc_rect(CGRect r)
{
    struct ia_wire_rect rect = {r.origin.x, r.origin.y, r.size.width, r.size.height};
    return rect;
}

static const char *text_or_null(id text)
{
    return text == nil ? NULL : ia_xc_utf8(text);
}

static uint16_t flags_of(id<XCUIElementAttributes> e)
{
    return (uint16_t)((e.enabled ? IA_WIRE_NODE_ENABLED : 0) |
                      (e.selected ? IA_WIRE_NODE_SELECTED : 0) |
                      (e.hasFocus ? IA_WIRE_NODE_FOCUSED : 0));
}

/* A value that is not a string, such as a progress or a date, is converted to its
 * description. */
struct ia_wire_node ia_xc_node(id<XCUIElementAttributes> e)
{
    NSString *label = e.label;
    struct ia_wire_node node = {
        .type = (uint16_t)e.elementType,
        .flags = flags_of(e),
        .frame = ia_xc_rect(e.frame),
        .identifier = text_or_null(e.identifier),
        .label = text_or_null([label length] > 0 ? label : e.title),
        .value = text_or_null(e.value),
        .placeholder = text_or_null(e.placeholderValue),
    };
    return node;
}

static void walk(struct ia_bridge_tree *t, id<XCUIElementSnapshot> snapshot)
{
    struct ia_wire_node node = ia_xc_node(snapshot);
    if (!ia_bridge_tree_enter(t, &node)) {
        return;
    }
    for (id<XCUIElementSnapshot> child in snapshot.children) {
        walk(t, child);
    }
    ia_bridge_tree_leave(t);
}

static void splice(struct ia_xc_op *op, struct ia_bridge_tree *t, XCUIElement *element);

static void splice_children(struct ia_xc_op *op, struct ia_bridge_tree *t, XCUIElement *element)
{
    XCUIElementQuery *children = [element childrenMatchingType:XCUIElementTypeAny];
    NSUInteger n = [children count];
    for (NSUInteger i = 0; i < n; i++) {
        if (ia_bridge_cancelled(op->call)) {
            ia_bridge_tree_cut(t, IA_WIRE_CUT_FAILED);
            break;
        }
        XCUIElement *child = [children elementBoundByIndex:i];
        id<XCUIElementSnapshot> snapshot = [child snapshotWithError:NULL];
        if (snapshot != nil) {
            walk(t, snapshot);
        } else if ([child exists]) {
            splice(op, t, child);
        } else {
            ia_bridge_tree_cut(t, IA_WIRE_CUT_FAILED);
        }
    }
}

/* For a tree that is too deep for one snapshot: the element is read alone, and each child is
 * tried as a snapshot of its own or spliced in turn. */
static void splice(struct ia_xc_op *op, struct ia_bridge_tree *t, XCUIElement *element)
{
    struct ia_wire_node node = ia_xc_node(element);
    if (ia_bridge_tree_enter(t, &node)) {
        splice_children(op, t, element);
        ia_bridge_tree_leave(t);
    }
}

/* ---- system alerts ---- */

static void walk_alerts(struct ia_xc_agent *a, struct ia_bridge_tree *t)
{
    XCUIElementQuery *query = [a->springboard descendantsMatchingType:XCUIElementTypeAlert];
    NSUInteger n = [query count];
    for (NSUInteger i = 0; i < n; i++) {
        id<XCUIElementSnapshot> alert = [[query elementBoundByIndex:i] snapshotWithError:NULL];
        if (alert != nil) {
            walk(t, alert);
        }
    }
    a->no_alert_until_us = n == 0 ? ia_bridge_now_us() + NO_ALERT_MS * 1000 : 0;
}

/* Alerts of the system belong to SpringBoard. They lie over the app and take its touches, so
 * they become the last children of its root. Looking for them is a query to another process;
 * "there is none" is therefore remembered for a moment, until something is sent to the
 * device. */
static void walk_system_alerts(struct ia_xc_agent *a, struct ia_bridge_tree *t)
{
    uint32_t depth = t->depth;
    if (ia_bridge_now_us() < a->no_alert_until_us) {
        return;
    }
    @try {
        walk_alerts(a, t);
    } @catch (id e) {
        ia_bridge_tree_cut(t, IA_WIRE_CUT_FAILED);
    }
    while (t->depth > depth) {
        ia_bridge_tree_leave(t);
    }
}

/* The app, from one snapshot, or spliced when that is nil. */
static void walk_screen(struct ia_xc_op *op, struct ia_bridge_tree *t, XCUIApplication *app,
                        id<XCUIElementSnapshot> snapshot)
{
    struct ia_xc_agent *a = op->agent;
    struct ia_wire_node node =
        ia_xc_node(snapshot != nil ? snapshot : (id<XCUIElementAttributes>)app);
    if (!ia_bridge_tree_enter(t, &node)) {
        return;
    }
    for (id<XCUIElementSnapshot> child in snapshot.children) {
        walk(t, child);
    }
    if (snapshot == nil) {
        splice_children(op, t, app);
    }
    if (*op->req->u.tree.app == '\0' && app == a->target && app != a->springboard) {
        walk_system_alerts(a, t);
    }
    ia_bridge_tree_leave(t);
}

/* The app that the request names, otherwise the target, or SpringBoard while the target is in the
 * background. nil: the reply says why there is nothing to show. */
static XCUIApplication *choose_app(struct ia_xc_op *op)
{
    struct ia_xc_agent *a = op->agent;
    const char *asked = op->req->u.tree.app;
    XCUIApplication *app = ia_xc_app(a, asked);
    if (app == a->springboard) {
        return app;
    }
    bool ended = app == a->target && a->was_running;
    enum ia_wire_app_state state = ia_xc_state(a, app);
    if (state == IA_WIRE_APP_NOT_RUNNING) {
        ia_xc_fail(op, ended ? IA_WIRE_E_APP_GONE : IA_WIRE_E_NO_APP, "%s %s",
                   *asked != '\0' ? asked : ia_xc_utf8(a->bundle_id),
                   ended ? "is no longer running" : "is not running");
        return nil;
    }
    bool in_background = state == IA_WIRE_APP_SUSPENDED || state == IA_WIRE_APP_BACKGROUND;
    return in_background && *asked == '\0' ? a->springboard : app;
}

/* Coordinates are relative to the app's origin, frames to the screen's. */
static void note_frame(struct ia_xc_agent *a, XCUIApplication *app,
                       const struct ia_bridge_tree *t)
{
    if ((app == a->target || app == a->springboard) && t->n > 0) {
        struct ia_wire_rect r = t->nodes[0].frame;
        a->frame = CGRectMake(r.x, r.y, r.w, r.h);
        a->frame_app = app;
    }
}

static NSString *shown_bundle_id(struct ia_xc_op *op, XCUIApplication *app)
{
    struct ia_xc_agent *a = op->agent;
    return app == a->target || app == a->springboard ? ia_xc_bundle_id(a, app)
                                                     : ia_xc_string(op->req->u.tree.app);
}

/* Issues that snapshots recorded are dropped, because the tree itself says what is missing. */
void ia_xc_tree(struct ia_xc_op *op)
{
    struct ia_bridge_tree t;
    NSError *error = nil;
    XCUIApplication *app = choose_app(op);
    if (app == nil) {
        return;
    }
    id<XCUIElementSnapshot> snapshot = [app snapshotWithError:&error];
    ia_bridge_tree_begin(&t, &op->req->u.tree, op->reply);
    @try {
        if (snapshot == nil) {
            ia_xc_clear_issues(op);
            ia_bridge_tree_cut(&t, IA_WIRE_CUT_SPLICED);
        }
        walk_screen(op, &t, app, snapshot);
    } @finally {
        note_frame(op->agent, app, &t);
        ia_bridge_tree_end(&t, ia_xc_utf8(shown_bundle_id(op, app)));
    }
    ia_xc_clear_issues(op);
    if (snapshot == nil && op->reply->u.tree.nodes_n < 2) {
        bool ended = ia_xc_target_ended(op->agent);
        ia_xc_fail(op, ended ? IA_WIRE_E_APP_GONE : IA_WIRE_E_TREE_MALFORMED,
                   "the snapshot could not be taken%s: %s",
                   ended ? " because the app has ended" : "",
                   ia_xc_utf8([error localizedDescription]));
    }
}
