/* odd.h: a string that has no UTF-8, which is possible with Apple's NSString but not with
 * GNUstep's. */
#ifndef IA_FAKE_ODD_H
#define IA_FAKE_ODD_H

#import <Foundation/Foundation.h>

/* "a", a surrogate pair (U+1F469), half a pair, "z". */
@interface FKOddString : NSString
@end

#endif
