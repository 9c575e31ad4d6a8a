/* odd.h: a string that has no UTF-8, as Apple's NSString may be and GNUstep's may not. */
#ifndef IA_FAKE_ODD_H
#define IA_FAKE_ODD_H

#import <Foundation/Foundation.h>

/* "a", a whole pair of surrogates (U+1F469), half a pair, "z". */
@interface FKOddString : NSString
@end

#endif
