/* late_binding.h: messages that the XCTest we are compiled against, or the one we run on, may not have.
 *
 * They are declared here, so that an older SDK does not stop the build, and are sent only after
 * respondsToSelector: or to a class that was looked up by its name. */
#ifndef IA_XCUITEST_LATE_H
#define IA_XCUITEST_LATE_H

#import <Foundation/Foundation.h>

/* XCUIApplication, Xcode 15, iOS 17. The block is called before the method returns; YES means
 * that the issue is not recorded as a failure of the test. */
@protocol IALateAudit
- (BOOL)performAccessibilityAuditWithAuditTypes:(uint64_t)types
                                   issueHandler:(BOOL (^)(id issue))handler
                                          error:(NSError **)error;
@end

/* What that block is given. */
@protocol IALateAuditIssue
- (id)element;
- (NSString *)compactDescription;
- (NSString *)detailedDescription;
- (uint64_t)auditType;
@end

/* XCUIDevice: appearance since Xcode 13, system since 14.3; and what system is. */
@protocol IALateDevice
- (NSInteger)appearance;
- (void)setAppearance:(NSInteger)appearance;
- (id)system;
@end
@protocol IALateSystem
- (void)openURL:(NSURL *)url;
@end

/* UIPasteboard: UIKit is not linked by everything that runs these sources. */
@protocol IALatePasteboard
+ (id)generalPasteboard;
- (NSString *)string;
- (void)setString:(NSString *)string;
@end

/* XCUIApplication, private: bit 0 leaves out the wait for idle before an event, bit 1 the one
 * after it. Set only when the configuration asks for it, by key-value coding. */
@protocol IALateQuiescence
- (void)setCurrentInteractionOptions:(unsigned int)options;
@end

#endif
