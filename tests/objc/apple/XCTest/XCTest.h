/* XCTest.h: the part of XCTest and XCUIAutomation that the bridge uses, as Apple declares it for
 * iOS. */
#ifndef IA_APPLE_XCTEST_H
#define IA_APPLE_XCTEST_H

#import <Foundation/Foundation.h>

#define XCUI_UNAVAILABLE(why) __attribute__((unavailable(why)))

NS_ASSUME_NONNULL_BEGIN

@class XCUIApplication, XCUICoordinate, XCUIElement, XCUIElementQuery;

typedef CGFloat XCUIGestureVelocity;

typedef NS_ENUM(NSUInteger, XCUIElementType) {
    XCUIElementTypeAny = 0,
    XCUIElementTypeOther = 1,
    XCUIElementTypeApplication = 2,
    XCUIElementTypeGroup = 3,
    XCUIElementTypeWindow = 4,
    XCUIElementTypeSheet = 5,
    XCUIElementTypeAlert = 7,
    XCUIElementTypeButton = 9,
    XCUIElementTypeStaticText = 48
};

typedef NS_ENUM(NSInteger, XCUIUserInterfaceSizeClass) {
    XCUIUserInterfaceSizeClassUnspecified,
    XCUIUserInterfaceSizeClassCompact,
    XCUIUserInterfaceSizeClassRegular
};

@protocol XCUIElementAttributes
@property(readonly) NSString *identifier;
@property(readonly) CGRect frame;
@property(readonly, nullable) id value;
@property(readonly, copy) NSString *title;
@property(readonly, copy) NSString *label;
@property(readonly) XCUIElementType elementType;
@property(readonly, getter=isEnabled) BOOL enabled;
@property(readonly) XCUIUserInterfaceSizeClass horizontalSizeClass;
@property(readonly) XCUIUserInterfaceSizeClass verticalSizeClass;
@property(readonly, nullable) NSString *placeholderValue;
@property(readonly, getter=isSelected) BOOL selected;
@property(readonly) BOOL hasFocus;
@end

@protocol XCUIElementSnapshot <XCUIElementAttributes>
@property(readonly) NSArray<id<XCUIElementSnapshot>> *children;
@end

@protocol XCUIElementSnapshotProviding <NSObject>
- (nullable id<XCUIElementSnapshot>)snapshotWithError:(NSError *_Nullable *_Nullable)error;
@end

@interface XCUIElement : NSObject <XCUIElementAttributes>
+ (instancetype)new XCUI_UNAVAILABLE("elements come from queries");
- (instancetype)init XCUI_UNAVAILABLE("elements come from queries");
@property(readonly) BOOL exists;
@property(readonly, getter=isHittable) BOOL hittable;
- (BOOL)waitForExistenceWithTimeout:(NSTimeInterval)timeout;
- (XCUIElementQuery *)descendantsMatchingType:(XCUIElementType)type;
- (XCUIElementQuery *)childrenMatchingType:(XCUIElementType)type;
- (XCUICoordinate *)coordinateWithNormalizedOffset:(CGVector)normalizedOffset;
- (void)typeText:(NSString *)text;
- (void)tap;
- (void)doubleTap;
- (void)pressForDuration:(NSTimeInterval)duration;
- (void)pinchWithScale:(CGFloat)scale velocity:(CGFloat)velocity;
@end

@interface XCUIElement (XCUIElementSnapshotProviding) <XCUIElementSnapshotProviding>
@end

@interface XCUIElementQuery : NSObject
+ (instancetype)new XCUI_UNAVAILABLE("queries come from elements");
- (instancetype)init XCUI_UNAVAILABLE("queries come from elements");
@property(readonly) XCUIElement *element;
@property(readonly) XCUIElement *firstMatch;
@property(readonly) NSUInteger count;
- (XCUIElement *)elementBoundByIndex:(NSUInteger)index;
- (XCUIElementQuery *)matchingPredicate:(NSPredicate *)predicate;
- (XCUIElementQuery *)matchingIdentifier:(NSString *)identifier;
@end

@interface XCUICoordinate : NSObject <NSCopying>
+ (instancetype)new XCUI_UNAVAILABLE("coordinates come from elements");
- (instancetype)init XCUI_UNAVAILABLE("coordinates come from elements");
@property(readonly) XCUIElement *referencedElement;
@property(readonly) CGPoint screenPoint;
- (XCUICoordinate *)coordinateWithOffset:(CGVector)offsetVector;
- (void)tap;
- (void)doubleTap;
- (void)pressForDuration:(NSTimeInterval)duration;
- (void)pressForDuration:(NSTimeInterval)duration
    thenDragToCoordinate:(XCUICoordinate *)otherCoordinate
            withVelocity:(XCUIGestureVelocity)velocity
     thenHoldForDuration:(NSTimeInterval)holdDuration;
@end

typedef NS_ENUM(NSUInteger, XCUIApplicationState) {
    XCUIApplicationStateUnknown,
    XCUIApplicationStateNotRunning,
    XCUIApplicationStateRunningBackgroundSuspended,
    XCUIApplicationStateRunningBackground,
    XCUIApplicationStateRunningForeground
};

API_AVAILABLE_IOS(17.0)
typedef NS_OPTIONS(uint64_t, XCUIAccessibilityAuditType) {
    XCUIAccessibilityAuditTypeContrast = 1UL << 0,
    XCUIAccessibilityAuditTypeElementDetection = 1UL << 1,
    XCUIAccessibilityAuditTypeHitRegion = 1UL << 2,
    XCUIAccessibilityAuditTypeSufficientElementDescription = 1UL << 3,
    XCUIAccessibilityAuditTypeDynamicType = 1UL << 16,
    XCUIAccessibilityAuditTypeTextClipped = 1UL << 17,
    XCUIAccessibilityAuditTypeTrait = 1UL << 18,
    XCUIAccessibilityAuditTypeAll = ~0UL
};

API_AVAILABLE_IOS(17.0)
@interface XCUIAccessibilityAuditIssue : NSObject
@property(nonatomic, readonly, nullable) XCUIElement *element;
@property(nonatomic, readonly, copy) NSString *compactDescription;
@property(nonatomic, readonly, copy) NSString *detailedDescription;
@property(nonatomic, readonly) XCUIAccessibilityAuditType auditType;
@end

@interface XCUIApplication : XCUIElement
- (instancetype)init;
- (instancetype)initWithBundleIdentifier:(NSString *)bundleIdentifier;
- (void)launch;
- (void)activate;
- (void)terminate;
@property(nonatomic, copy) NSArray<NSString *> *launchArguments;
@property(nonatomic, copy) NSDictionary<NSString *, NSString *> *launchEnvironment;
@property(readonly) XCUIApplicationState state;
- (BOOL)waitForState:(XCUIApplicationState)state timeout:(NSTimeInterval)timeout;
- (BOOL)performAccessibilityAuditWithAuditTypes:(XCUIAccessibilityAuditType)auditTypes
                                   issueHandler:
                                       (nullable __attribute__((noescape))
                                        BOOL (^)(XCUIAccessibilityAuditIssue *issue))block
                                          error:(NSError *_Nullable *_Nullable)outError
    API_AVAILABLE_IOS(17.0);
@end

@interface XCUIScreenshot : NSObject
@property(readonly, copy) NSData *PNGRepresentation;
@end
@interface XCUIScreen : NSObject
+ (instancetype)new XCUI_UNAVAILABLE("mainScreen is one");
- (instancetype)init XCUI_UNAVAILABLE("mainScreen is one");
@property(class, readonly, strong) XCUIScreen *mainScreen;
- (XCUIScreenshot *)screenshot;
@end

@interface XCUISystem : NSObject
- (void)openURL:(NSURL *)url;
@end

/* The volume buttons are not declared for simulators. */
typedef NS_ENUM(NSInteger, XCUIDeviceButton) { XCUIDeviceButtonHome = 1 };
API_AVAILABLE_IOS(15.0)
typedef NS_ENUM(NSInteger, XCUIDeviceAppearance) {
    XCUIDeviceAppearanceUnspecified,
    XCUIDeviceAppearanceLight,
    XCUIDeviceAppearanceDark
};

@interface XCUIDevice : NSObject
+ (instancetype)new XCUI_UNAVAILABLE("sharedDevice is one");
- (instancetype)init XCUI_UNAVAILABLE("sharedDevice is one");
@property(class, readonly) XCUIDevice *sharedDevice;
@property(nonatomic) UIDeviceOrientation orientation;
- (void)pressButton:(XCUIDeviceButton)button;
@property(nonatomic) XCUIDeviceAppearance appearance API_AVAILABLE_IOS(15.0);
@property(nonatomic, readonly) XCUISystem *system;
@end

@interface XCTIssue : NSObject <NSCopying>
@property(readonly, copy) NSString *compactDescription;
@property(readonly, copy, nullable) NSString *detailedDescription;
@end

@interface XCTest : NSObject
- (void)setUp;
- (void)tearDown;
@end
@interface XCTestCase : XCTest
@property BOOL continueAfterFailure;
@property NSTimeInterval executionTimeAllowance;
- (void)recordIssue:(XCTIssue *)issue;
- (id<NSObject>)
    addUIInterruptionMonitorWithDescription:(NSString *)handlerDescription
                                    handler:(BOOL (^)(XCUIElement *interruptingElement))handler;
- (void)removeUIInterruptionMonitor:(id<NSObject>)monitor;
@end

NS_ASSUME_NONNULL_END

#endif
