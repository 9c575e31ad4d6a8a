/* late_binding.h: methods that may be missing, from the SDK that this is compiled against or
 * from the XCTest that it runs on.
 *
 * They are declared here so that an older SDK does not break the build, and are called only
 * after respondsToSelector:, or on a class that was looked up by name. */
#ifndef IA_XCUITEST_LATE_BINDING_H
#define IA_XCUITEST_LATE_BINDING_H

#import <Foundation/Foundation.h>

/* XCUIApplication, Xcode 15, iOS 17. The block is called before the method returns; YES keeps
 * the issue from being recorded as a failure of the test. */
@protocol IALateAudit
- (BOOL)performAccessibilityAuditWithAuditTypes:(uint64_t)types
                                   issueHandler:(BOOL (^)(id issue))handler
                                          error:(NSError **)error;
@end

/* The argument of that block. */
@protocol IALateAuditIssue
- (id)element;
- (NSString *)compactDescription;
- (NSString *)detailedDescription;
- (uint64_t)auditType;
@end

/* XCUIDevice: appearance since Xcode 13, system since 14.3. */
@protocol IALateDevice
- (NSInteger)appearance;
- (void)setAppearance:(NSInteger)appearance;
- (id)system;
@end
@protocol IALateSystem
- (void)openURL:(NSURL *)url;
@end

/* UIPasteboard, looked up by name because not every build of these sources links UIKit. */
@protocol IALatePasteboard
+ (id)generalPasteboard;
- (NSString *)string;
- (void)setString:(NSString *)string;
@end

/* XCUIApplication, private: bit 0 skips the wait for idle before an event, bit 1 the one after
 * it. Set by key-value coding, and only when the configuration asks for it. */
@protocol IALateQuiescence
- (void)setCurrentInteractionOptions:(unsigned int)options;
@end

#endif
