/* uikit_stub.h: how a test sets up the views of uikit/ and turns their run loop. */
#ifndef IA_TESTS_SDK_UIKIT_STUB_H
#define IA_TESTS_SDK_UIKIT_STUB_H

#import <UIKit/UIKit.h>

@interface UIView (Stub)
- (void)removeFromSuperview;
@end

@interface UIWindow (Stub)
@property(nonatomic) BOOL stubKey;
@end

@interface UIViewController (Stub)
/* In a container of its own, as a presentation controller makes one; nil ends it. */
- (void)stubPresent:(UIViewController *)other;
@end

@interface UITableView (Stub)
- (void)stubPlace:(UIView *)cell section:(NSUInteger)section row:(NSUInteger)row;
- (void)stubForget:(UIView *)cell;
@end

@interface UICollectionView (Stub)
- (void)stubPlace:(UIView *)cell section:(NSUInteger)section row:(NSUInteger)row;
@end

/* The windows of the app's one scene, in their order. */
void stub_windows(NSArray *windows);
/* Time passes on Core Animation's clock. */
void stub_pass(double seconds);
/* The run loop is about to wait. */
void stub_turn(void);

#endif
