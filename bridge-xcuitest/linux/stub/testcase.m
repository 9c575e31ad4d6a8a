/* testcase.m: a test case and how XCTest tells it of failures. */
#import "stub/stub.h"

#include <Block.h>
#include <stdio.h>

/* Of the block runtime libgnustep-base has all but this. */
void *_NSConcreteGlobalBlock[32];

/* What XCTest throws through a test that is not to go on. */
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

/* A test whose own -recordIssue: comes here has failed. */
- (void)recordIssue:(XCTIssue *)issue
{
    _failures++;
    fprintf(stderr, "stub: the test has failed: %s\n", [[issue compactDescription] UTF8String]);
}

/* GCC's runtime has no classes for blocks: they are copied as C and kept as pointers. */
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

/* The private keys: there are two of them, unless the stub is an old one. */
- (void)setValue:(id)value forUndefinedKey:(NSString *)key
{
    if (StubIsOld() || ![key hasPrefix:@"should"]) {
        [super setValue:value forUndefinedKey:key];
    }
}

@end
