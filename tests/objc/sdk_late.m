/* sdk_late.m: what late_binding.h declares of Apple's public methods has Apple's types. A message to
 * an object of any class makes the compiler compare all declarations of its selector; those of two
 * types are a warning. */
#import <XCTest/XCTest.h>

#import "late_binding.h"

#ifdef PLANT
@protocol IAPlanted
- (double)planted;
@end
@protocol IAPlantedOther
- (int)planted;
@end
#endif

void ia_late(id any);

void ia_late(id any)
{
    (void)[any performAccessibilityAuditWithAuditTypes:0 issueHandler:nil error:NULL];
    (void)[any element];
    (void)[any compactDescription];
    (void)[any detailedDescription];
    (void)[any auditType];
    (void)[any appearance];
    [any setAppearance:0];
    (void)[any system];
#ifdef PLANT
    (void)[any planted];
#endif
}
