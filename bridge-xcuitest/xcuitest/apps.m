/* apps.m: which app is meant, and the life of apps. */
#import "agent.h"

#import "late_binding.h"

NSString *const ia_xc_springboard_id = @"com.apple.springboard";

enum {
    START_MS = 20000, /* an app that is not in front by then is told as it is */
    SPARE_MS = 500    /* left of the deadline for the answer */
};

static void no_switch(struct ia_xc_agent *a, const char *why)
{
    if (a->quiescence == NULL) {
        a->quiescence = why;
    }
}

void ia_xc_apply_quiescence(struct ia_xc_agent *a, XCUIApplication *app)
{
    if (!a->config.skip_quiescence) {
        return;
    }
    if (![app respondsToSelector:@selector(setCurrentInteractionOptions:)]) {
        no_switch(a, "the wait for idle cannot be switched off: this XCTest has no "
                     "currentInteractionOptions");
        return;
    }
    @try {
        [app setValue:[NSNumber numberWithInt:3] forKey:@"currentInteractionOptions"];
    } @catch (id e) {
        no_switch(a, "the wait for idle cannot be switched off: this XCTest refuses to set "
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

static void adopt(struct ia_xc_agent *a, XCUIApplication *app, NSString *bundle_id)
{
    NSString *name = [bundle_id copy];
    [app retain];
    if (app != a->target) {
        a->ran = false;
        a->framed = nil;
    }
    [a->target release];
    [a->bundle_id release];
    a->target = app;
    a->bundle_id = name;
}

void ia_xc_set_target(struct ia_xc_agent *a, NSString *bundle_id)
{
    adopt(a, ia_xc_app(a, [bundle_id UTF8String]), bundle_id);
}

enum ia_wire_app_state ia_xc_state(struct ia_xc_agent *a, XCUIApplication *app)
{
    NSUInteger state = [app state];
    if (app == a->target && state >= IA_WIRE_APP_SUSPENDED) {
        a->ran = true;
    }
    return state <= IA_WIRE_APP_FOREGROUND ? (enum ia_wire_app_state)state
                                           : IA_WIRE_APP_UNKNOWN;
}

bool ia_xc_target_ended(struct ia_xc_agent *a)
{
    @try {
        return a->ran && [a->target state] == XCUIApplicationStateNotRunning;
    } @catch (id e) {
        return false;
    }
}

XCUIApplication *ia_xc_front(struct ia_xc_agent *a)
{
    return ia_xc_state(a, a->target) == IA_WIRE_APP_FOREGROUND ? a->target : a->springboard;
}

static void answer_state(struct ia_xc_op *op, XCUIApplication *app)
{
    op->reply->u.state.state = (uint8_t)ia_xc_state(op->agent, app);
    ia_xc_done(op);
}

static void wait_for(struct ia_xc_op *op, XCUIApplication *app, XCUIApplicationState state)
{
    int64_t since = ia_bridge_now_us();
    while ([app state] != state && !ia_xc_troubled(op) &&
           ia_xc_time_left(op, since, START_MS, SPARE_MS)) {
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

/* To the front as it is when it runs; `launch` would end it first. Arguments reach only an app
 * that is started. */
void ia_xc_launch(struct ia_xc_op *op)
{
    const struct ia_wire_launch *l = &op->req->u.launch;
    struct ia_xc_agent *a = op->agent;
    XCUIApplication *app = ia_xc_app(a, l->bundle_id);
    bool runs = [app state] >= XCUIApplicationStateRunningBackgroundSuspended;
    if (!ia_xc_send(op)) {
        return;
    }
    if (app == a->springboard || (l->mode == IA_WIRE_LAUNCH_FRONT && runs)) {
        [app activate];
    } else {
        app.launchArguments = arguments(l);
        app.launchEnvironment = environment(l);
        [app launch];
    }
    wait_for(op, app, XCUIApplicationStateRunningForeground);
    if (ia_xc_troubled(op) || ia_xc_state(a, app) == IA_WIRE_APP_NOT_RUNNING) {
        ia_xc_fail(op, IA_WIRE_E_NO_APP, "%s was started and does not run: it may have crashed",
                   l->bundle_id);
        return;
    }
    a->framed = nil;
    adopt(a, app, ia_xc_string(l->bundle_id));
    answer_state(op, app);
}

/* Without its target the bridge is back at SpringBoard: that it ended was no accident. */
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
    answer_state(op, ia_xc_app(op->agent, op->req->u.bundle.bundle_id));
}

/* Nothing reaches the device: the next requests are about another app. */
void ia_xc_target(struct ia_xc_op *op)
{
    ia_xc_set_target(op->agent, ia_xc_string(op->req->u.bundle.bundle_id));
    answer_state(op, op->agent->target);
}

static void fill(struct ia_xc_op *op, XCUIApplication *app, struct ia_wire_app *to)
{
    to->bundle_id = ia_xc_keep(op, ia_xc_bundle_id(op->agent, app), IA_WIRE_NAME_MAX);
    to->state = (uint8_t)ia_xc_state(op->agent, app);
    if (to->state == IA_WIRE_APP_FOREGROUND) {
        to->name = ia_xc_keep(op, [app label], IA_WIRE_NAME_MAX);
    }
}

/* XCTest lists no apps: these are the target and SpringBoard. */
void ia_xc_list_apps(struct ia_xc_op *op)
{
    struct ia_xc_agent *a = op->agent;
    struct ia_wire_apps_reply *apps = &op->reply->u.apps;
    struct ia_wire_app *list = ia_wire_alloc(&op->reply->arena, 2 * sizeof(*list));
    if (list == NULL) {
        ia_xc_fail(op, IA_WIRE_E_MEMORY, "no memory for a list of apps");
        return;
    }
    if (a->target != a->springboard) {
        fill(op, a->target, &list[apps->apps_n++]);
    }
    fill(op, a->springboard, &list[apps->apps_n++]);
    apps->apps = list;
    ia_xc_done(op);
}
