/* application.m: applications, their coordinates, and the audit. */
#import "stub/stub.h"

#include <stdlib.h>
#include <string.h>

BOOL StubIsOld(void)
{
    const char *s = getenv("STUB_XCTEST");
    return s != NULL && strcmp(s, "old") == 0;
}

@implementation XCUIApplication

@synthesize launchArguments = _launchArguments;
@synthesize launchEnvironment = _launchEnvironment;

- (instancetype)initWithBundleIdentifier:(NSString *)bundleIdentifier
{
    self = [super initWithQuery:nil index:0];
    if (self != nil) {
        _bundleID = [bundleIdentifier copy];
    }
    return self;
}

- (void)dealloc
{
    [_bundleID release];
    [_launchArguments release];
    [_launchEnvironment release];
    [super dealloc];
}

- (BOOL)respondsToSelector:(SEL)selector
{
    if (StubIsOld() &&
        (sel_isEqual(selector, @selector(setCurrentInteractionOptions:)) ||
         sel_isEqual(selector, @selector(performAccessibilityAuditWithAuditTypes:
                                                                    issueHandler:error:)))) {
        return NO;
    }
    return [super respondsToSelector:selector];
}

- (void)setCurrentInteractionOptions:(unsigned int)options
{
    if ([_bundleID isEqualToString:@"com.example.other"]) {
        [NSException raise:NSInvalidArgumentException format:@"not for this one"];
    }
    _currentInteractionOptions = options;
}

- (FKApp *)app
{
    return [[FKPhone shared] app:_bundleID];
}

- (FKNode *)resolve
{
    FKApp *app = [self app];
    return app != nil && app->state != XCUIApplicationStateNotRunning ? app->root : nil;
}

- (XCUIApplicationState)state
{
    FKApp *app = [self app];
    return app != nil ? app->state : XCUIApplicationStateUnknown;
}

/* The faults of launch are in the environment of that launch. */
- (void)launch
{
    FKApp *app = [self app];
    if (app == nil) {
        FKFail(@"Failed to launch %@: the application is not installed", _bundleID);
        return;
    }
    [app startWithArguments:_launchArguments != nil ? _launchArguments : [NSArray array]
                environment:_launchEnvironment != nil ? _launchEnvironment
                                                      : [NSDictionary dictionary]];
    [[FKPhone shared] bring:app];
    if (!FKBegin(app, @"launch")) {
        return;
    }
    if ([app setting:@"FAKE_DIES"] != nil) {
        [app end];
    }
    FKEnd(app, @"launch");
}

- (void)activate
{
    FKApp *app = [self app];
    if (app == nil || app->state == XCUIApplicationStateNotRunning) {
        [self launch];
        return;
    }
    [[FKPhone shared] bring:app];
}

- (void)terminate
{
    FKApp *app = [self app];
    if (app != nil && app->state != XCUIApplicationStateNotRunning &&
        FKBegin(app, @"terminate")) {
        [app end];
        FKEnd(app, @"terminate");
    }
}

- (BOOL)waitForState:(XCUIApplicationState)state timeout:(NSTimeInterval)timeout
{
    if ([self state] != state) {
        [NSThread sleepForTimeInterval:timeout];
    }
    return [self state] == state;
}

@end

/* ---- coordinates ---- */

@implementation XCUICoordinate

- (id)initWithElement:(XCUIElement *)element
           normalized:(CGVector)normalized
               offset:(CGVector)offset
{
    self = [super init];
    if (self != nil) {
        _element = [element retain];
        _normalized = normalized;
        _offset = offset;
    }
    return self;
}

- (void)dealloc
{
    [_element release];
    [super dealloc];
}

- (XCUIElement *)referencedElement
{
    return _element;
}

- (XCUICoordinate *)coordinateWithOffset:(CGVector)more
{
    CGVector sum = CGVectorMake(_offset.dx + more.dx, _offset.dy + more.dy);
    return [[[XCUICoordinate alloc] initWithElement:_element normalized:_normalized
                                             offset:sum] autorelease];
}

- (CGPoint)screenPoint
{
    CGRect frame = [_element frame];
    return NSMakePoint(frame.origin.x + _normalized.dx * frame.size.width + _offset.dx,
                       frame.origin.y + _normalized.dy * frame.size.height + _offset.dy);
}

/* The app that is touched there, or nil if its faults prevent it. As in XCTest the element of
 * the coordinate must exist, because its frame is needed. */
- (FKApp *)begin:(NSString *)operation
{
    FKApp *app = [[FKPhone shared] touched];
    if ([_element resolveFor:operation] == nil || !FKBegin(app, operation)) {
        return nil;
    }
    return app;
}

- (void)tapTimes:(NSUInteger)times
{
    FKApp *app = [self begin:@"tap"];
    if (app != nil) {
        [app touch:[self screenPoint] times:times];
        FKEnd(app, @"tap");
    }
}

- (void)tap
{
    [self tapTimes:1];
}

- (void)doubleTap
{
    [self tapTimes:2];
}

- (void)pressForDuration:(NSTimeInterval)duration
{
    FKApp *app = [self begin:@"press"];
    if (app != nil) {
        CGPoint p = [self screenPoint];
        [app note:[NSString stringWithFormat:@"press %g,%g for %g", p.x, p.y, duration]];
        FKEnd(app, @"press");
    }
}

- (void)pressForDuration:(NSTimeInterval)duration
    thenDragToCoordinate:(XCUICoordinate *)other
            withVelocity:(XCUIGestureVelocity)velocity
     thenHoldForDuration:(NSTimeInterval)hold
{
    FKApp *app = [self begin:@"drag"];
    if (app != nil) {
        CGPoint from = [self screenPoint], to = [other screenPoint];
        [app note:[NSString stringWithFormat:@"drag %g,%g to %g,%g after %g at %g hold %g",
                                             from.x, from.y, to.x, to.y, duration, velocity,
                                             hold]];
        FKEnd(app, @"drag");
    }
}

@end

/* ---- the audit ---- */

@implementation XCUIAccessibilityAuditIssue

@synthesize element = _element;
@synthesize compactDescription = _compact;
@synthesize detailedDescription = _detailed;
@synthesize auditType = _type;

- (id)initWithElement:(XCUIElement *)element
                 type:(uint64_t)type
              compact:(NSString *)compact
             detailed:(NSString *)detailed
{
    self = [super init];
    if (self != nil) {
        _element = [element retain];
        _type = type;
        _compact = [compact copy];
        _detailed = [detailed copy];
    }
    return self;
}

- (void)dealloc
{
    [_element release];
    [_compact release];
    [_detailed release];
    [super dealloc];
}

@end

@implementation XCUIApplication (Auditing)

/* Every button without an identifier is an issue of type 1 << 3; one more issue names no
 * element. Issues that the handler does not accept are recorded on the test. */
- (BOOL)performAccessibilityAuditWithAuditTypes:(uint64_t)types
                                   issueHandler:(BOOL (^)(XCUIAccessibilityAuditIssue *))handler
                                          error:(NSError **)error
{
    FKApp *app = [self app];
    XCUIElementQuery *query = [self descendantsMatchingType:XCUIElementTypeButton];
    NSUInteger n = [query count];
    if (error != NULL) {
        *error = nil;
    }
    if (!FKBegin(app, @"audit")) {
        return NO;
    }
    for (NSUInteger i = 0; i <= n; i++) {
        XCUIElement *element = i < n ? [query elementBoundByIndex:i] : nil;
        if ((types & 8) == 0 || (element != nil && [[element identifier] length] > 0)) {
            continue;
        }
        XCUIAccessibilityAuditIssue *issue = [[XCUIAccessibilityAuditIssue alloc]
            initWithElement:element
                       type:8
                    compact:@"Element has no description"
                   detailed:@"It is read out as \"button\" only."];
        if (handler == nil || !handler(issue)) {
            FKFail(@"%@", [issue compactDescription]);
        }
        [issue release];
    }
    FKEnd(app, @"audit");
    return YES;
}

@end
