/* agent.h: the operations of the bridge on XCTest. Private to xcuitest/.
 *
 * Manual retain and release, explicit ivars, no subscripts, no GCD: the same sources are built
 * by Xcode's clang for iOS and by clang with GCC's Objective-C runtime for GNUstep. All of it
 * runs on the main thread, in ia_bridge_run().
 *
 * A request is performed by one function of the table in perform.m. Around it, and nowhere
 * else, are its autorelease pool, both ways in which XCTest reports a failure (an exception, an
 * issue that is recorded on the test), and the outcome:
 *
 *     not_sent   the function failed before it called ia_xc_send
 *     sent       it called ia_xc_send and came back without a failure
 *     unknown    it called ia_xc_send, and then there was an exception or an issue */
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

/* What the runner was started with. Strings are borrowed from the environment. */
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
    bool ran;                     /* the target was seen running: when it is not, it ended */
    CGRect frame;                 /* of `framed`, where an element's frame is on the screen */
    XCUIApplication *framed;      /* borrowed; NULL: not looked at yet */
    int64_t calm_until_us;        /* until then no alert of the system is looked for */
    struct ia_xc_config config;
    const char *quiescence; /* why the private switch does nothing; NULL: it works, or is off */
};

/* One request while it is performed. */
struct ia_xc_op {
    struct ia_xc_agent *agent;
    const struct ia_wire_request *req;
    const struct ia_bridge_call *call;
    struct ia_wire_reply *reply;
    bool effect; /* the request changes something */
    bool sent;   /* the effect was given to XCTest: set by ia_xc_send */
    bool partly; /* one of several events has been made: what fails now is no "not_sent" */
};
typedef void ia_xc_fn(struct ia_xc_op *op);

/* perform.m */

/* The operations that are here, as IA_WIRE_BIT()s. */
uint64_t ia_xc_can(void);
/* ops->perform of the bridge. */
void ia_xc_perform(void *agent, const struct ia_wire_request *req,
                   const struct ia_bridge_call *call, struct ia_wire_reply *reply);
/* To be asked right before the effect is given to XCTest. False: the request has ended, its
 * reply says so, and nothing may be sent. */
bool ia_xc_send(struct ia_xc_op *op);
/* Makes the reply a failure, with the outcome that follows from `sent`. */
void ia_xc_fail(struct ia_xc_op *op, enum ia_wire_code code, const char *fmt, ...)
    IA_WIRE_PRINTF(3, 4);
/* Makes the reply a success whose body is in reply->u. */
void ia_xc_done(struct ia_xc_op *op);
/* Forgets the issues that were recorded until now: their cause was dealt with. */
void ia_xc_forgive(struct ia_xc_op *op);
/* Whether an issue was recorded since the request began. */
bool ia_xc_troubled(struct ia_xc_op *op);
/* True until the deadline less `spare_ms`, or `at_most_ms` after `since_us`, or a cancel. */
bool ia_xc_time_left(struct ia_xc_op *op, int64_t since_us, int at_most_ms, int spare_ms);
/* Lets the run loop run for that long. */
void ia_xc_rest(int ms);

/* text.m: strings of the two languages */

/* UTF-8 that lives as long as the operation's pool; "" for nil and for no string. */
const char *ia_xc_utf8(id text);
/* The same in the reply's arena, cut at `max` bytes; NULL for nil and for "". */
const char *ia_xc_keep(struct ia_xc_op *op, id text, size_t max);
/* Autoreleased; @"" for NULL and for what is not UTF-8. */
NSString *ia_xc_string(const char *utf8);
uint32_t ia_xc_characters(const char *utf8);

/* apps.m: which app is meant */

extern NSString *const ia_xc_springboard_id;

/* Autoreleased, with the quiescence switch applied; the target and SpringBoard are the kept
 * objects. "" is the target. */
XCUIApplication *ia_xc_app(struct ia_xc_agent *a, const char *bundle_id);
/* The target while it is in the foreground, else SpringBoard. */
XCUIApplication *ia_xc_front(struct ia_xc_agent *a);
void ia_xc_set_target(struct ia_xc_agent *a, NSString *bundle_id);
/* Its XCUIApplicationState as the wire's. */
enum ia_wire_app_state ia_xc_state(struct ia_xc_agent *a, XCUIApplication *app);
/* True when the target was seen running and does not run any more. Throws nothing. */
bool ia_xc_target_ended(struct ia_xc_agent *a);
NSString *ia_xc_bundle_id(struct ia_xc_agent *a, XCUIApplication *app);
/* Sets the private switch of an app when the configuration wants that. */
void ia_xc_apply_quiescence(struct ia_xc_agent *a, XCUIApplication *app);

ia_xc_fn ia_xc_launch, ia_xc_terminate, ia_xc_app_state, ia_xc_target, ia_xc_list_apps;

/* tree.m */

/* What a snapshot says of one element; its texts live as long as the operation's pool. */
struct ia_wire_node ia_xc_node(id<XCUIElementAttributes> element);
struct ia_wire_rect ia_xc_rect(CGRect r);

ia_xc_fn ia_xc_tree;

/* touch.m */

/* A point of the screen as a coordinate of an app. */
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

#endif
