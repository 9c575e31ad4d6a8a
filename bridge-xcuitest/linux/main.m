/* main.m: runs the bridge's test on the stub of XCTest, as Apple's runner does on the real one.
 *
 * The same variables configure it (BRIDGE_PORT, BRIDGE_TOKEN, BRIDGE_APP, BRIDGE_QUIESCENCE).
 * The exit status is 0 if a request stopped the server and 1 if the server could not start. */
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
    StubDataEnd();
    [pool drain];
    return served ? 0 : 1;
}
