/* BridgeTests.h: the test case that contains the bridge. Its only test serves until it is
 * stopped. */
#ifndef IA_XCUITEST_BRIDGE_TESTS_H
#define IA_XCUITEST_BRIDGE_TESTS_H

#import <XCTest/XCTest.h>

@interface IABridgeTests : XCTestCase {
    NSString *_issue;
    BOOL _served;
}
/* The first issue recorded since the last call, autoreleased; nil when there is none. */
- (NSString *)takeIssue;
- (BOOL)hasIssue;
/* Listens on loopback and performs requests until SHUTDOWN. Prints BRIDGE_READY port=N on
 * stdout, or BRIDGE_FAILED and the reason on stderr. */
- (void)testServe;
/* Whether testServe ended as intended, by a request. */
- (BOOL)hasServed;
@end

#endif
