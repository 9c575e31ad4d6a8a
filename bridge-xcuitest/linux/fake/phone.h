/* phone.h: the fake iPhone behind the stub of XCTest: its apps, the alerts over them, and a
 * journal of everything that was done to it.
 *
 * An app reads its faults from the environment that it is launched with; README.md lists
 * them. */
#ifndef IA_FAKE_PHONE_H
#define IA_FAKE_PHONE_H

#import "fake/node.h"

@interface FKApp : NSObject {
  @public
    NSString *bundleID;
    FKNode *root;
    XCUIApplicationState state;
    NSDictionary *env;
    FKNode *focus; /* not retained */
    NSUInteger snapshots, taps, gestures;
}
- (id)initWithBundleID:(NSString *)bundleID;
/* The variable of that name in the environment, or nil. */
- (NSString *)setting:(NSString *)name;
/* Whether the environment lists that operation for that fault: FAKE_THROW=tap,type. */
- (BOOL)fault:(NSString *)fault at:(NSString *)operation;
- (void)startWithArguments:(NSArray *)arguments environment:(NSDictionary *)environment;
- (void)end;
/* A snapshot of the whole app was taken: time advances by one. */
- (void)snapshotTaken;
/* Writes a gesture to the journal, which is part of the tree. */
- (void)note:(NSString *)gesture;
- (void)touch:(CGPoint)point times:(NSUInteger)times;
/* NO: no element has the keyboard. */
- (BOOL)typeText:(NSString *)text;
@end

@interface FKApp (Screens)
/* The content of the window for FAKE_SCREEN. */
- (void)build:(FKNode *)window;
/* The effect of touching that node. */
- (void)act:(FKNode *)node;
@end

@interface FKPhone : NSObject {
  @public
    NSMutableDictionary *apps; /* bundle id: FKApp */
    FKApp *springboard, *front;
    UIDeviceOrientation orientation;
    XCUIDeviceAppearance appearance;
    NSString *pasteboard;
}
+ (FKPhone *)shared;
/* Frees it, so that a leak checker reports real leaks only. */
+ (void)end;
/* nil: not installed. */
- (FKApp *)app:(NSString *)bundleID;
- (void)bring:(FKApp *)app;
- (void)pressHome;
/* What receives touches: SpringBoard's alert, otherwise the app in front. */
- (FKApp *)touched;
- (CGSize)size;
/* Shows an alert of the system over everything. */
- (void)ask:(NSString *)title;
@end

/* The faults of an app at the beginning of an operation: this may throw, record an issue, hang
 * or crash. NO: the issue is recorded, and the operation must do nothing. */
BOOL FKBegin(FKApp *app, NSString *operation);
/* The faults at its end, after the effect. */
void FKEnd(FKApp *app, NSString *operation);
/* Records an issue on the running test; if continueAfterFailure is NO, it throws. */
void FKFail(NSString *format, ...) NS_FORMAT_FUNCTION(1, 2);

#endif
