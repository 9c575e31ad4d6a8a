/* main.m: runs the bridge's test on the stub of XCTest, as Apple's runner does on the real one.
 *
 * Configured by the same variables (BRIDGE_PORT, BRIDGE_TOKEN, BRIDGE_APP, BRIDGE_QUIESCENCE).
 * Exit status 0 when the server was stopped by a request. */
#import "BridgeTests.h"
#import "stub/stub.h"

#include <stdio.h>

int main(void)
{
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    IABridgeTests *test = [[IABridgeTests alloc] init];
    StubSetTest(test);
    [test setUp];
    [test testServe];
    [test tearDown];
    StubSetTest(nil);
    [test release];
    [FKPhone end];
    [pool drain];
    puts("BRIDGE_ENDED");
    return 0;
}
