/* app_release.m: an app's calls in a build without DEBUG. Arguments that do not exist show that none is
 * looked at; check.sh looks for what is left of it in the object. */
#define IOS_AGENT_IMPLEMENTATION
#import "IOSAgent.h"

int app_main(void);

int app_main(void)
{
    IOSAgentStart();
    IOSAgentStateSet(@"cart.total", no_such_variable);
    IOSAgentStateProvide(@"cart.items", ^{
      int a = 1, b = 2;
      return no_such_function(a, b);
    });
    return 7;
}
