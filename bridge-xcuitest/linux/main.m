/* main.m: runs the bridge's test on the stub of XCTest, as Apple's runner does on the real one.
 *
 * Configured by the same variables (BRIDGE_PORT, BRIDGE_TOKEN, BRIDGE_APP, BRIDGE_QUIESCENCE).
 * Exit status 0 when the server was stopped by a request, 1 when it could not begin. */
#import "BridgeTests.h"
#import "stub/stub.h"

int main(void)
{
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    IABridgeTests *test = [[IABridgeTests alloc] init];
    StubSetTest(test);
    [test setUp];
    [test testServe];
    [test tearDown];
    BOOL served = [test hasServed];
    StubSetTest(nil);
    [test release];
    [FKPhone end];
    [pool drain];
    return served ? 0 : 1;
}
