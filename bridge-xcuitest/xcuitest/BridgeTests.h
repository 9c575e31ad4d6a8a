/* BridgeTests.h: the test case that is the bridge. Its one test serves until it is stopped. */
#ifndef IA_XCUITEST_BRIDGE_TESTS_H
#define IA_XCUITEST_BRIDGE_TESTS_H

#import <XCTest/XCTest.h>

@interface IABridgeTests : XCTestCase {
    NSString *_issue;
    BOOL _served;
}
/* The first issue that was recorded since the last call, autoreleased; nil without one. */
- (NSString *)takeIssue;
- (BOOL)hasIssue;
/* Listens on loopback and performs requests until SHUTDOWN. Says BRIDGE_READY port=N on stdout,
 * or BRIDGE_FAILED and why on stderr. */
- (void)testServe;
/* Whether it ended as it should: by a request, not for want of a port. */
- (BOOL)hasServed;
@end

#endif
