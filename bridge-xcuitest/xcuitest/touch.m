/* touch.m: taps, presses, drags, pinches and keys.
 *
 * Touches go to coordinates and not to elements, because XCTest resolves an element again and
 * waits for the app to be idle before it touches one. A pinch is the exception: XCTest offers
 * it for elements only. */
#import "agent.h"

#include <math.h>
#include <string.h>

enum { DELETE_CHUNK = 64 }; /* delete keys in one typeText: */

/* The app's frame is remembered from its last tree: asking for it is a query. */
static CGPoint origin_of(struct ia_xc_agent *a, XCUIApplication *app)
{
    if (a->frame_app != app) {
        a->frame = [app frame];
        a->frame_app = app;
    }
    return a->frame.origin;
}

XCUICoordinate *ia_xc_coordinate(struct ia_xc_agent *a, XCUIApplication *app,
                                 struct ia_wire_point at)
{
    CGPoint origin = origin_of(a, app);
    XCUICoordinate *corner = [app coordinateWithNormalizedOffset:CGVectorMake(0, 0)];
    return [corner coordinateWithOffset:CGVectorMake(at.x - origin.x, at.y - origin.y)];
}

static XCUICoordinate *front_coordinate(struct ia_xc_op *op, struct ia_wire_point at)
{
    return ia_xc_coordinate(op->agent, ia_xc_front(op->agent), at);
}

void ia_xc_tap(struct ia_xc_op *op)
{
    const struct ia_wire_tap_point *t = &op->req->u.tap_point;
    XCUICoordinate *at = front_coordinate(op, t->at);
    if (t->taps > 2) {
        ia_xc_fail(op, IA_WIRE_E_UNSUPPORTED, "XCTest taps a point once or twice, not %d times",
                   (int)t->taps);
        return;
    }
    if (!ia_xc_send(op)) {
        return;
    }
    if (t->taps == 2) {
        [at doubleTap];
    } else {
        [at tap];
    }
    ia_xc_done(op);
}

void ia_xc_long_press(struct ia_xc_op *op)
{
    const struct ia_wire_long_press_point *p = &op->req->u.long_press_point;
    XCUICoordinate *at = front_coordinate(op, p->at);
    if (!ia_xc_send(op)) {
        return;
    }
    [at pressForDuration:p->duration_s > 0 ? p->duration_s : 1];
    ia_xc_done(op);
}

static double velocity_of(const struct ia_wire_drag *d)
{
    if (d->velocity > 0) {
        return d->velocity;
    }
    double duration_s = d->duration_s > 0 ? d->duration_s : 0.3;
    double distance = hypot(d->to.x - d->from.x, d->to.y - d->from.y);
    return distance > 0 ? distance / duration_s : 1;
}

void ia_xc_drag(struct ia_xc_op *op)
{
    const struct ia_wire_drag *d = &op->req->u.drag;
    XCUICoordinate *from = front_coordinate(op, d->from);
    XCUICoordinate *to = front_coordinate(op, d->to);
    if (!ia_xc_send(op)) {
        return;
    }
    [from pressForDuration:d->press_s
        thenDragToCoordinate:to
                withVelocity:(XCUIGestureVelocity)velocity_of(d)
         thenHoldForDuration:d->hold_s];
    ia_xc_done(op);
}

/* The live element for a node of a tree; nil when none has its texts and its frame any more. */
static XCUIElement *live_element(XCUIApplication *app, const struct ia_wire_node *node)
{
    NSPredicate *texts = [NSPredicate predicateWithFormat:@"identifier == %@ AND label == %@",
                                                          ia_xc_string(node->identifier),
                                                          ia_xc_string(node->label)];
    XCUIElementQuery *query =
        [[app descendantsMatchingType:(XCUIElementType)node->type] matchingPredicate:texts];
    NSUInteger n = [query count];
    for (NSUInteger i = 0; i < n; i++) {
        XCUIElement *element = [query elementBoundByIndex:i];
        struct ia_wire_rect r = ia_xc_rect([element frame]);
        if (memcmp(&r, &node->frame, sizeof(r)) == 0) {
            return element;
        }
    }
    return nil;
}

void ia_xc_pinch(struct ia_xc_op *op)
{
    const struct ia_wire_pinch *p = &op->req->u.pinch;
    const struct ia_wire_node *node = op->call->element;
    XCUIApplication *app = ia_xc_front(op->agent);
    bool whole = node == NULL || node->type == XCUIElementTypeApplication;
    XCUIElement *element = whole ? app : live_element(app, node);
    if (element == nil) {
        ia_xc_fail(op, IA_WIRE_E_STALE_REF, "the element to pinch has moved or disappeared");
        return;
    }
    if (!(p->scale > 0)) {
        ia_xc_fail(op, IA_WIRE_E_USAGE, "the scale of a pinch must be above 0");
        return;
    }
    double velocity = p->velocity != 0 ? p->velocity : p->scale < 1 ? -1 : 1;
    if (!ia_xc_send(op)) {
        return;
    }
    [element pinchWithScale:(CGFloat)p->scale velocity:(CGFloat)velocity];
    ia_xc_done(op);
}

/* Types into the element that has the keyboard. Without one XCTest records an issue:
 * NO_KEYBOARD. */
void ia_xc_type(struct ia_xc_op *op)
{
    const char *text = op->req->u.type_text.text;
    XCUIApplication *app = ia_xc_front(op->agent);
    NSString *string = ia_xc_string(text);
    op->reply->u.typed.count = ia_xc_characters(text);
    if ([string length] == 0) {
        ia_xc_done(op);
        return;
    }
    if (!ia_xc_send(op)) {
        return;
    }
    [app typeText:string];
    ia_xc_done(op);
}

/* Each chunk is an event of its own, so that a cancel takes effect between them. After a chunk
 * that failed no other is sent. */
void ia_xc_delete(struct ia_xc_op *op)
{
    uint32_t wanted = op->req->u.delete_text.count;
    XCUIApplication *app = ia_xc_front(op->agent);
    uint32_t deleted = 0;
    while (deleted < wanted && ia_xc_send(op)) {
        uint32_t n = wanted - deleted < DELETE_CHUNK ? wanted - deleted : DELETE_CHUNK;
        [app typeText:[@"" stringByPaddingToLength:n withString:@"\b" startingAtIndex:0]];
        if (ia_xc_has_issue(op)) {
            return;
        }
        op->partial = true;
        deleted += n;
    }
    if (deleted == wanted) {
        op->reply->u.typed.count = deleted;
        ia_xc_done(op);
    }
}
