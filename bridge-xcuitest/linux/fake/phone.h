/* phone.h: the fake iPhone behind the stub of XCTest: its apps, what lies over them, and a
 * journal of all that was done to it.
 *
 * What is to go wrong an app reads from the environment that it is launched with; README.md has
 * the list. */
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
    NSUInteger looks, taps, gestures;
}
- (id)initWithBundleID:(NSString *)bundleID;
/* What the environment says of that name; nil when nothing. */
- (NSString *)setting:(NSString *)name;
/* Whether the environment names that operation under that fault: FAKE_THROW=tap,type. */
- (BOOL)fault:(NSString *)fault at:(NSString *)operation;
- (void)startWithArguments:(NSArray *)arguments environment:(NSDictionary *)environment;
- (void)end;
/* One look at the whole app: what depends on time moves on by one. */
- (void)looked;
/* Writes a gesture into the journal, which is a part of the tree. */
- (void)note:(NSString *)gesture;
- (void)touch:(CGPoint)point times:(NSUInteger)times;
/* NO: nothing has the keyboard. */
- (BOOL)typeText:(NSString *)text;
@end

@interface FKApp (Screens)
/* The window's content for FAKE_SCREEN. */
- (void)build:(FKNode *)window;
/* What touching that node does. */
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
/* Frees it, so that a leak checker has less to say. */
+ (void)end;
/* nil: not installed. */
- (FKApp *)app:(NSString *)bundleID;
- (void)bring:(FKApp *)app;
- (void)pressHome;
/* What lies on top and is touched: SpringBoard's alert, else the app in front. */
- (FKApp *)touched;
- (CGSize)size;
/* An alert of the system over everything. */
- (void)ask:(NSString *)title;
@end

/* The faults of an app at the beginning of an operation: it may throw, record an issue, hang or
 * crash here. NO: the operation is to do nothing, its issue is recorded. */
BOOL FKBegin(FKApp *app, NSString *operation);
/* Those at its end, after the effect. */
void FKEnd(FKApp *app, NSString *operation);
/* An issue on the running test; with continueAfterFailure NO it unwinds. */
void FKFail(NSString *format, ...) NS_FORMAT_FUNCTION(1, 2);

#endif
