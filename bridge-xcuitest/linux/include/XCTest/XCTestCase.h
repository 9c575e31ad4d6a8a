/* XCTestCase.h: a test and the issues recorded on it, as Apple declares them. */
#ifndef IA_STUB_XCTEST_CASE_H
#define IA_STUB_XCTEST_CASE_H

#import <XCTest/XCUIElement.h>

NS_ASSUME_NONNULL_BEGIN

@interface XCTIssue : NSObject {
    XCTIssueType _type;
    NSString *_compact;
}
@property(readonly) XCTIssueType type;
@property(readonly, copy) NSString *compactDescription;
- (instancetype)initWithType:(XCTIssueType)type compactDescription:(NSString *)description;
@end

@interface XCTestCase : NSObject {
    BOOL _continueAfterFailure;
    NSTimeInterval _executionTimeAllowance;
    NSMutableArray *_monitors;
    NSUInteger _failures;
}
@property BOOL continueAfterFailure;
@property NSTimeInterval executionTimeAllowance;
- (void)setUp;
- (void)tearDown;
- (void)recordIssue:(XCTIssue *)issue;
- (id<NSObject>)addUIInterruptionMonitorWithDescription:(NSString *)description
                                                handler:(BOOL (^)(XCUIElement *))handler;
- (void)removeUIInterruptionMonitor:(id<NSObject>)monitor;
@end

NS_ASSUME_NONNULL_END

#endif
