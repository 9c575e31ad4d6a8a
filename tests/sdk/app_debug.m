/* app_debug.m: an app's calls in a debug build, and one mistake for each number of PLANT, which check.sh
 * must find. 0 is sound. */
#import <UIKit/UIKit.h>

#define IOS_AGENT_IMPLEMENTATION
#import "IOSAgent.h"

void app_main(NSString *total);

void app_main(NSString *total)
{
    IOSAgentStart();
    IOSAgentStateSet(@"user", nil);
    IOSAgentStateProvide(@"cart.total", ^NSString *_Nullable {
      return total;
    });
#if PLANT == 1 /* a value that is no text */
    IOSAgentStateSet(@"cart.items", 2);
#elif PLANT == 2 /* a block that gives no text */
    IOSAgentStateProvide(@"cart.items", ^{
      return 2;
    });
#elif PLANT == 3 /* no name */
    IOSAgentStateSet(nil, @"2");
#elif PLANT == 4 /* what UIKit does not publish */
    [[UIApplication sharedApplication] keyWindowForAutomation];
#endif
}
