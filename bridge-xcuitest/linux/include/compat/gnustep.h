/* gnustep.h: included before every Objective-C source on Linux. GCC's objc.h defines YES as a
 * cast, which `@YES` does not accept. */
#import <Foundation/Foundation.h>

#undef YES
#undef NO
#define YES ((BOOL)1)
#define NO ((BOOL)0)
