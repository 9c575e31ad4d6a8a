/* apps.m: which app a request means, and launching, activating and terminating apps.
 *
 * The agent keeps two XCUIApplication objects: SpringBoard and the target, which is the app
 * that was launched or named last. Requests that touch the screen go to the target while it is
 * in the foreground and to SpringBoard otherwise, because XCTest cannot say which app is in
 * front. */
#import "agent.h"

#import "late_binding.h"

NSString *const ia_xc_springboard_id = @"com.apple.springboard";

enum {
    START_MS = 20000, /* an app that is not in front by then is reported as it is */
    SPARE_MS = 500    /* of the deadline, kept for sending the reply */
};

static void note_no_quiescence(struct ia_xc_agent *a, const char *reason)
{
    if (a->quiescence == NULL) {
        a->quiescence = reason;
    }
}

void ia_xc_apply_quiescence(struct ia_xc_agent *a, XCUIApplication *app)
{
    if (!a->config.skip_quiescence) {
        return;
    }
    if (![app respondsToSelector:@selector(setCurrentInteractionOptions:)]) {
        note_no_quiescence(a, "the wait for idle cannot be skipped: this XCTest has no "
                              "currentInteractionOptions");
        return;
    }
    @try {
        [app setValue:[NSNumber numberWithInt:3] forKey:@"currentInteractionOptions"];
    } @catch (id e) {
        note_no_quiescence(a, "the wait for idle cannot be skipped: this XCTest refuses to set "
                              "currentInteractionOptions");
    }
}

XCUIApplication *ia_xc_app(struct ia_xc_agent *a, const char *bundle_id)
{
    NSString *name = ia_xc_string(bundle_id);
    if ([name length] == 0 || [name isEqualToString:a->bundle_id]) {
        return a->target;
    }
    if ([name isEqualToString:ia_xc_springboard_id]) {
        return a->springboard;
    }
    XCUIApplication *app =
        [[[XCUIApplication alloc] initWithBundleIdentifier:name] autorelease];
    ia_xc_apply_quiescence(a, app);
    return app;
}

NSString *ia_xc_bundle_id(struct ia_xc_agent *a, XCUIApplication *app)
{
    return app == a->springboard ? ia_xc_springboard_id : a->bundle_id;
}

static void replace_target(struct ia_xc_agent *a, XCUIApplication *app, NSString *bundle_id)
{
    NSString *name = [bundle_id copy];
    [app retain];
    if (app != a->target) {
        a->was_running = false;
        a->frame_app = nil;
    }
    [a->target release];
    [a->bundle_id release];
    a->target = app;
    a->bundle_id = name;
}

void ia_xc_set_target(struct ia_xc_agent *a, NSString *bundle_id)
{
    replace_target(a, ia_xc_app(a, [bundle_id UTF8String]), bundle_id);
}

enum ia_wire_app_state ia_xc_state(struct ia_xc_agent *a, XCUIApplication *app)
{
    NSUInteger state = [app state];
    if (app == a->target && state >= IA_WIRE_APP_SUSPENDED) {
        a->was_running = true;
    }
    return state <= IA_WIRE_APP_FOREGROUND ? (enum ia_wire_app_state)state
                                           : IA_WIRE_APP_UNKNOWN;
}

bool ia_xc_target_ended(struct ia_xc_agent *a)
{
    @try {
        return a->was_running && [a->target state] == XCUIApplicationStateNotRunning;
    } @catch (id e) {
        return false;
    }
}

XCUIApplication *ia_xc_front(struct ia_xc_agent *a)
{
    return ia_xc_state(a, a->target) == IA_WIRE_APP_FOREGROUND ? a->target : a->springboard;
}

static void reply_state(struct ia_xc_op *op, XCUIApplication *app)
{
    op->reply->u.state.state = (uint8_t)ia_xc_state(op->agent, app);
    ia_xc_done(op);
}

static void wait_for(struct ia_xc_op *op, XCUIApplication *app, XCUIApplicationState state)
{
    int64_t since = ia_bridge_now_us();
    while ([app state] != state && !ia_xc_has_issue(op) &&
           ia_xc_time_left(op, since, START_MS, SPARE_MS)) {
        /* In short turns, so that a cancel or the deadline is noticed. */
        [app waitForState:state timeout:0.1];
    }
}

static NSArray *arguments(const struct ia_wire_launch *l)
{
    NSMutableArray *list = [NSMutableArray array];
    for (uint32_t i = 0; i < l->args_n; i++) {
        [list addObject:ia_xc_string(l->args[i])];
    }
    return list;
}

static NSDictionary *environment(const struct ia_wire_launch *l)
{
    NSMutableDictionary *map = [NSMutableDictionary dictionary];
    for (uint32_t i = 0; i < l->env_n; i++) {
        [map setObject:ia_xc_string(l->env[i].value) forKey:ia_xc_string(l->env[i].name)];
    }
    return map;
}

/* A running app is activated, because `launch` would terminate it first. Arguments and
 * environment reach only an app that is started. */
void ia_xc_launch(struct ia_xc_op *op)
{
    const struct ia_wire_launch *l = &op->req->u.launch;
    struct ia_xc_agent *a = op->agent;
    XCUIApplication *app = ia_xc_app(a, l->bundle_id);
    bool is_running = [app state] >= XCUIApplicationStateRunningBackgroundSuspended;
    if (!ia_xc_send(op)) {
        return;
    }
    if (app == a->springboard || (l->mode == IA_WIRE_LAUNCH_FRONT && is_running)) {
        [app activate];
    } else {
        app.launchArguments = arguments(l);
        app.launchEnvironment = environment(l);
        [app launch];
    }
    wait_for(op, app, XCUIApplicationStateRunningForeground);
    if (ia_xc_has_issue(op) || ia_xc_state(a, app) == IA_WIRE_APP_NOT_RUNNING) {
        ia_xc_fail(op, IA_WIRE_E_NO_APP,
                   "%s was started but is not running; it may have crashed", l->bundle_id);
        return;
    }
    a->frame_app = nil;
    replace_target(a, app, ia_xc_string(l->bundle_id));
    reply_state(op, app);
}

/* The target ended on purpose, which is no APP_GONE: SpringBoard becomes the target again. */
void ia_xc_terminate(struct ia_xc_op *op)
{
    struct ia_xc_agent *a = op->agent;
    XCUIApplication *app = ia_xc_app(a, op->req->u.bundle.bundle_id);
    if (app == a->springboard) {
        ia_xc_fail(op, IA_WIRE_E_USAGE, "SpringBoard cannot be terminated");
        return;
    }
    if (!ia_xc_send(op)) {
        return;
    }
    [app terminate];
    wait_for(op, app, XCUIApplicationStateNotRunning);
    op->reply->u.state.state = (uint8_t)ia_xc_state(a, app);
    if (app == a->target) {
        ia_xc_set_target(a, ia_xc_springboard_id);
    }
    ia_xc_done(op);
}

void ia_xc_app_state(struct ia_xc_op *op)
{
    reply_state(op, ia_xc_app(op->agent, op->req->u.bundle.bundle_id));
}

/* Sends nothing to the device; later requests are about another app. */
void ia_xc_target(struct ia_xc_op *op)
{
    ia_xc_set_target(op->agent, ia_xc_string(op->req->u.bundle.bundle_id));
    reply_state(op, op->agent->target);
}

static void fill_app(struct ia_xc_op *op, XCUIApplication *app, struct ia_wire_app *to)
{
    to->bundle_id = ia_xc_arena_text(op, ia_xc_bundle_id(op->agent, app), IA_WIRE_NAME_MAX);
    to->state = (uint8_t)ia_xc_state(op->agent, app);
    if (to->state == IA_WIRE_APP_FOREGROUND) {
        to->name = ia_xc_arena_text(op, [app label], IA_WIRE_NAME_MAX);
    }
}

/* XCTest cannot list apps, so these are the two that the agent knows. */
void ia_xc_list_apps(struct ia_xc_op *op)
{
    struct ia_xc_agent *a = op->agent;
    struct ia_wire_apps_reply *apps = &op->reply->u.apps;
    struct ia_wire_app *list = ia_wire_alloc(&op->reply->arena, 2 * sizeof(*list));
    if (list == NULL) {
        ia_xc_fail(op, IA_WIRE_E_MEMORY, "out of memory for the list of apps");
        return;
    }
    if (a->target != a->springboard) {
        fill_app(op, a->target, &list[apps->apps_n++]);
    }
    fill_app(op, a->springboard, &list[apps->apps_n++]);
    apps->apps = list;
    ia_xc_done(op);
}
