/* testcase.m: a test case, and how XCTest reports failures to it. */
#import "stub/stub.h"

#include <Block.h>
#include <stdio.h>

/* The only part of the block runtime that libgnustep-base lacks. */
void *_NSConcreteGlobalBlock[32];

/* What XCTest throws to end a test that must not continue. */
@interface StubInterruption : NSException
@end
@implementation StubInterruption
@end

static XCTestCase *running;

void StubSetTest(XCTestCase *test)
{
    running = test;
}

void FKFail(NSString *format, ...)
{
    va_list ap;
    va_start(ap, format);
    NSString *text = [[[NSString alloc] initWithFormat:format arguments:ap] autorelease];
    va_end(ap);
    XCTIssue *issue = [[XCTIssue alloc] initWithType:XCTIssueTypeSystem
                                  compactDescription:text];
    [running recordIssue:[issue autorelease]];
    if (![running continueAfterFailure]) {
        [StubInterruption raise:@"_XCTestCaseInterruptionException" format:@"%@", text];
    }
}

@implementation XCTIssue

@synthesize type = _type;
@synthesize compactDescription = _compact;

- (instancetype)initWithType:(XCTIssueType)type compactDescription:(NSString *)description
{
    self = [super init];
    if (self != nil) {
        _type = type;
        _compact = [description copy];
    }
    return self;
}

- (void)dealloc
{
    [_compact release];
    [super dealloc];
}

@end

@implementation XCTestCase

@synthesize continueAfterFailure = _continueAfterFailure;
@synthesize executionTimeAllowance = _executionTimeAllowance;

- (id)init
{
    self = [super init];
    if (self != nil) {
        _continueAfterFailure = YES;
        _monitors = [[NSMutableArray alloc] init];
    }
    return self;
}

- (void)dealloc
{
    [_monitors release];
    [super dealloc];
}

- (void)setUp
{
}

- (void)tearDown
{
}

/* A test whose -recordIssue: calls super has failed. */
- (void)recordIssue:(XCTIssue *)issue
{
    _failures++;
    fprintf(stderr, "stub: the test has failed: %s\n", [[issue compactDescription] UTF8String]);
}

/* GCC's runtime has no classes for blocks, so they are copied by the C function and kept as
 * pointers. */
- (id<NSObject>)addUIInterruptionMonitorWithDescription:(NSString *)description
                                                handler:(BOOL (^)(XCUIElement *))handler
{
    NSValue *monitor = [NSValue valueWithPointer:(const void *)Block_copy(handler)];
    (void)description;
    [_monitors addObject:monitor];
    return monitor;
}

- (void)removeUIInterruptionMonitor:(id<NSObject>)monitor
{
    Block_release([(NSValue *)monitor pointerValue]);
    [_monitors removeObjectIdenticalTo:monitor];
}

/* The two private keys, which an old XCTest does not have. */
- (void)setValue:(id)value forUndefinedKey:(NSString *)key
{
    if (StubIsOld() || ![key hasPrefix:@"should"]) {
        [super setValue:value forUndefinedKey:key];
    }
}

@end
