/* agent.h: the operations of the bridge, implemented with XCTest. Private to xcuitest/.
 *
 * Manual retain and release, explicit ivars, no subscripts, no GCD: Xcode's clang builds these
 * sources for iOS, and clang with GCC's Objective-C runtime builds them for GNUstep. All of it
 * runs on the main thread, in ia_bridge_run().
 *
 * Each request is performed by one function of the table in perform.m. Its autorelease pool,
 * the two ways in which XCTest reports a failure (an exception, and an issue recorded on the
 * test) and the outcome are handled around that call and nowhere else:
 *
 *     not_sent   the function failed before it called ia_xc_send
 *     sent       it called ia_xc_send and returned without a failure
 *     unknown    it called ia_xc_send, and an exception or an issue followed */
#ifndef IA_XCUITEST_AGENT_H
#define IA_XCUITEST_AGENT_H

#if defined(__has_feature)
#if __has_feature(objc_arc)
#error "the bridge is written for manual retain and release: compile it with -fno-objc-arc"
#endif
#endif

#import <XCTest/XCTest.h>

#include "core/core.h"

@class IABridgeTests;

/* The configuration of the runner. Strings are borrowed from the environment. */
struct ia_xc_config {
    uint16_t port;         /* BRIDGE_PORT; 0: any */
    const char *token;     /* BRIDGE_TOKEN; NULL: none */
    const char *bundle_id; /* BRIDGE_APP, the first target; NULL: SpringBoard */
    bool skip_quiescence;  /* BRIDGE_QUIESCENCE=skip */
};

struct ia_xc_agent {
    IABridgeTests *test;          /* borrowed: the running test */
    XCUIApplication *springboard; /* owned */
    XCUIApplication *target;      /* owned */
    NSString *bundle_id;          /* owned: of the target */
    bool was_running; /* the target ran once, so if it does not run now it has ended */
    CGRect frame;     /* of frame_app, on the screen */
    XCUIApplication *frame_app; /* borrowed; NULL: `frame` is not known */
    int64_t no_alert_until_us;  /* until then there is no system alert for sure */
    struct ia_xc_config config;
    const char *quiescence; /* why the wait for idle cannot be skipped, or NULL */
};

/* One request while it is performed. */
struct ia_xc_op {
    struct ia_xc_agent *agent;
    const struct ia_wire_request *req;
    const struct ia_bridge_call *call;
    struct ia_wire_reply *reply;
    bool effect;  /* the request changes something */
    bool sent;    /* the effect was handed to XCTest; set by ia_xc_send */
    bool partial; /* one of several events was made, so no later failure is not_sent */
};
typedef void ia_xc_fn(struct ia_xc_op *op);

/* perform.m */

/* The operations that are implemented, as IA_WIRE_BIT()s. */
uint64_t ia_xc_can(void);
/* ops->perform of the bridge. */
void ia_xc_perform(void *agent, const struct ia_wire_request *req,
                   const struct ia_bridge_call *call, struct ia_wire_reply *reply);
/* Call it right before handing the effect to XCTest. False: the request has ended, its reply
 * says so, and nothing may be sent. */
bool ia_xc_send(struct ia_xc_op *op);
/* Makes the reply a failure whose outcome follows from `sent`. */
void ia_xc_fail(struct ia_xc_op *op, enum ia_wire_code code, const char *fmt, ...)
    IA_WIRE_PRINTF(3, 4);
/* Makes the reply a success whose body is in reply->u. */
void ia_xc_done(struct ia_xc_op *op);
/* Drops the issues recorded so far, because the caller has dealt with their cause. */
void ia_xc_clear_issues(struct ia_xc_op *op);
/* Whether an issue was recorded during this request. */
bool ia_xc_has_issue(struct ia_xc_op *op);
/* False after a cancel, at_most_ms after since_us, and in the last spare_ms before the
 * deadline. */
bool ia_xc_time_left(struct ia_xc_op *op, int64_t since_us, int at_most_ms, int spare_ms);
/* Runs the run loop for that long. */
void ia_xc_sleep_ms(int ms);

/* text.m: strings of Objective-C and of C */

/* UTF-8, valid as long as the operation's autorelease pool; "" for nil. */
const char *ia_xc_utf8(id text);
/* The same, copied to the reply's arena and cut at `max` bytes; NULL for nil and for "". */
const char *ia_xc_arena_text(struct ia_xc_op *op, id text, size_t max);
/* Autoreleased; @"" for NULL and for bytes that are not UTF-8. */
NSString *ia_xc_string(const char *utf8);
uint32_t ia_xc_characters(const char *utf8);

/* apps.m: which app a request means */

extern NSString *const ia_xc_springboard_id;

/* Autoreleased, with the quiescence setting applied; for the target and SpringBoard the objects
 * that the agent owns. "" is the target. */
XCUIApplication *ia_xc_app(struct ia_xc_agent *a, const char *bundle_id);
/* The target while it is in the foreground, otherwise SpringBoard. */
XCUIApplication *ia_xc_front(struct ia_xc_agent *a);
void ia_xc_set_target(struct ia_xc_agent *a, NSString *bundle_id);
/* Its XCUIApplicationState, in the numbers of the wire. */
enum ia_wire_app_state ia_xc_state(struct ia_xc_agent *a, XCUIApplication *app);
/* Whether the target has run and no longer does. Throws nothing. */
bool ia_xc_target_ended(struct ia_xc_agent *a);
NSString *ia_xc_bundle_id(struct ia_xc_agent *a, XCUIApplication *app);
/* Makes an app skip the wait for idle if the configuration asks for it. */
void ia_xc_apply_quiescence(struct ia_xc_agent *a, XCUIApplication *app);

ia_xc_fn ia_xc_launch, ia_xc_terminate, ia_xc_app_state, ia_xc_target, ia_xc_list_apps;

/* tree.m */

/* One element of a snapshot; its texts live as long as the operation's autorelease pool. */
struct ia_wire_node ia_xc_node(id<XCUIElementAttributes> element);
struct ia_wire_rect ia_xc_rect(CGRect r);

ia_xc_fn ia_xc_tree;

/* touch.m */

/* A point on the screen as a coordinate of an app. */
XCUICoordinate *ia_xc_coordinate(struct ia_xc_agent *a, XCUIApplication *app,
                                 struct ia_wire_point at);

ia_xc_fn ia_xc_tap, ia_xc_long_press, ia_xc_drag, ia_xc_pinch, ia_xc_type, ia_xc_delete;

/* alerts.m */
ia_xc_fn ia_xc_alerts, ia_xc_alert_act;

/* device.m */
ia_xc_fn ia_xc_info, ia_xc_press_button, ia_xc_orientation, ia_xc_open_url, ia_xc_pasteboard,
    ia_xc_appearance, ia_xc_screenshot;

/* audit.m */
ia_xc_fn ia_xc_audit;

/* native.m */
ia_xc_fn ia_xc_native;

#endif
