/* BridgeTests.m: the test case that XCTest runs: reads the configuration, serves inside its
 * only test, and collects the issues that XCTest records.
 *
 * A user-interface test is the only kind of process that Apple lets drive other apps. So the
 * server is a test that does not end: it allows itself 30 days, and neither an issue nor an
 * exception stops it. */
#import "BridgeTests.h"

#import "agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* XCTest ends a test after ten minutes unless the test allows itself more. */
static const NSTimeInterval allowance_s = 30 * 24 * 3600.0;

#ifndef IA_VERSION
#define IA_VERSION "0.2.0"
#endif

/* False: the variable is set and is not a port. */
static bool read_port(const char *text, uint16_t *ret)
{
    if (text == NULL || *text == '\0') {
        *ret = 0;
        return true;
    }
    char *end = NULL;
    unsigned long n = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || n > 65535) {
        return false;
    }
    *ret = (uint16_t)n;
    return true;
}

static bool read_config(struct ia_xc_config *c, struct ia_wire_fault *fault)
{
    const char *quiescence = getenv("BRIDGE_QUIESCENCE");
    memset(c, 0, sizeof(*c));
    c->token = getenv("BRIDGE_TOKEN");
    c->bundle_id = getenv("BRIDGE_APP");
    c->skip_quiescence = quiescence != NULL && strcmp(quiescence, "skip") == 0;
    if (!read_port(getenv("BRIDGE_PORT"), &c->port)) {
        return ia_wire_fault_set(fault, IA_WIRE_E_USAGE,
                                 "BRIDGE_PORT must be a number from 0 to 65535");
    }
    if (quiescence != NULL && *quiescence != '\0' && strcmp(quiescence, "wait") != 0 &&
        !c->skip_quiescence) {
        return ia_wire_fault_set(fault, IA_WIRE_E_USAGE,
                                 "BRIDGE_QUIESCENCE must be wait or skip");
    }
    return true;
}

static void pump(void *agent)
{
    (void)agent;
    ia_xc_sleep_ms(0);
}

static bool serve(struct ia_xc_agent *a, struct ia_wire_fault *fault)
{
    struct ia_bridge_options opt = {.port = a->config.port,
                                    .token = a->config.token,
                                    .server = "ios-agent " IA_VERSION " xcuitest",
                                    .udid = getenv("SIMULATOR_UDID")};
    struct ia_bridge_ops ops = {
        .ctx = a, .can = ia_xc_can(), .pump = pump, .perform = ia_xc_perform};
    if (a->config.skip_quiescence && a->quiescence == NULL) {
        ops.features |= IA_WIRE_FEATURE_NO_QUIESCENCE;
    }
    struct ia_bridge *b = NULL;
    if (!ia_bridge_open(&opt, &ops, &b, fault)) {
        return false;
    }
    unsetenv("BRIDGE_TOKEN"); /* apps launched from here must not inherit it */
    printf("BRIDGE_READY port=%u\n", (unsigned)ia_bridge_port(b));
    fflush(stdout);
    ia_bridge_run(b);
    ia_bridge_close(b);
    return true;
}

static void agent_init(struct ia_xc_agent *a, IABridgeTests *test)
{
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    a->test = test;
    a->springboard = [[XCUIApplication alloc] initWithBundleIdentifier:ia_xc_springboard_id];
    ia_xc_apply_quiescence(a, a->springboard);
    ia_xc_set_target(a, a->config.bundle_id ? ia_xc_string(a->config.bundle_id)
                                            : ia_xc_springboard_id);
    [pool drain];
}

static void agent_fini(struct ia_xc_agent *a)
{
    [a->target release];
    [a->springboard release];
    [a->bundle_id release];
}

@implementation IABridgeTests

- (void)dealloc
{
    [_issue release];
    [super dealloc];
}

/* A failed operation must not stop the test, and no exception that XCTest throws to end the
 * test may unwind through the server. The two keys are private; without them a failed launch
 * may end the test. */
- (void)setUp
{
    [super setUp];
    self.continueAfterFailure = YES;
    self.executionTimeAllowance = allowance_s;
    NSArray *keys = [NSArray arrayWithObjects:@"shouldHaltWhenReceivesControl",
                                              @"shouldSetShouldHaltWhenReceivesControl", nil];
    for (NSString *key in keys) {
        @try {
            [self setValue:[NSNumber numberWithBool:NO] forKey:key];
        } @catch (NSException *e) {
            fprintf(stderr, "bridge: this XCTest has no %s\n", [key UTF8String]);
        }
    }
}

/* Does not call super: the issue is kept for the operation and must not fail the test. */
- (void)recordIssue:(XCTIssue *)issue
{
    if (_issue == nil) {
        NSString *text = issue.compactDescription;
        _issue = [(text ? text : @"XCTest recorded an issue without a description") copy];
    }
}

- (BOOL)hasServed
{
    return _served;
}

- (BOOL)hasIssue
{
    return _issue != nil;
}

- (NSString *)takeIssue
{
    NSString *issue = [_issue autorelease];
    _issue = nil;
    return issue;
}

/* Only requests answer alerts. The handler claims to have handled each one, so that XCTest does
 * not answer it on its own. */
- (void)testServe
{
    struct ia_xc_agent agent;
    struct ia_wire_fault fault;
    memset(&agent, 0, sizeof(agent));
    memset(&fault, 0, sizeof(fault));
    id<NSObject> monitor =
        [self addUIInterruptionMonitorWithDescription:@"ios-agent"
                                              handler:^BOOL(XCUIElement *alert) {
                                                (void)alert;
                                                return YES;
                                              }];
    if (read_config(&agent.config, &fault)) {
        agent_init(&agent, self);
        _served = serve(&agent, &fault);
        agent_fini(&agent);
    }
    if (!_served) {
        fprintf(stderr, "BRIDGE_FAILED %s\n", fault.text);
    }
    [self removeUIInterruptionMonitor:monitor];
}

@end
