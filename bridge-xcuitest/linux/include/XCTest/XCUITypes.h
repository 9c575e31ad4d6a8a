/* XCUITypes.h: the types that Apple's headers take from CoreGraphics and UIKit, and the
 * enumerations of XCTest, as far as the bridge uses them. Numbers are Apple's. */
#ifndef IA_STUB_XCUI_TYPES_H
#define IA_STUB_XCUI_TYPES_H

#import <Foundation/Foundation.h>
#include <TargetConditionals.h>

typedef NSPoint CGPoint;
typedef NSSize CGSize;
typedef NSRect CGRect;
typedef struct CGVector {
    CGFloat dx, dy;
} CGVector;

static inline CGVector CGVectorMake(CGFloat dx, CGFloat dy)
{
    CGVector v = {dx, dy};
    return v;
}
static inline CGRect CGRectMake(CGFloat x, CGFloat y, CGFloat width, CGFloat height)
{
    return NSMakeRect(x, y, width, height);
}
static inline bool CGRectEqualToRect(CGRect a, CGRect b)
{
    return NSEqualRects(a, b);
}
static inline bool CGRectIsEmpty(CGRect r)
{
    return NSIsEmptyRect(r);
}
#define CGRectZero NSZeroRect

typedef NS_ENUM(NSInteger, UIDeviceOrientation) {
    UIDeviceOrientationUnknown,
    UIDeviceOrientationPortrait,
    UIDeviceOrientationPortraitUpsideDown,
    UIDeviceOrientationLandscapeLeft,
    UIDeviceOrientationLandscapeRight,
    UIDeviceOrientationFaceUp,
    UIDeviceOrientationFaceDown
};

/* Only some have a name here, but a variable of this type may hold any of Apple's numbers. */
typedef NS_ENUM(NSUInteger, XCUIElementType) {
    XCUIElementTypeAny = 0,
    XCUIElementTypeOther = 1,
    XCUIElementTypeApplication = 2,
    XCUIElementTypeWindow = 4,
    XCUIElementTypeSheet = 5,
    XCUIElementTypeAlert = 7,
    XCUIElementTypeButton = 9,
    XCUIElementTypeKeyboard = 19,
    XCUIElementTypeKey = 20,
    XCUIElementTypeNavigationBar = 21,
    XCUIElementTypeTable = 26,
    XCUIElementTypeSlider = 33,
    XCUIElementTypePageIndicator = 34,
    XCUIElementTypeSwitch = 40,
    XCUIElementTypeImage = 43,
    XCUIElementTypeIcon = 44,
    XCUIElementTypeScrollView = 46,
    XCUIElementTypeStaticText = 48,
    XCUIElementTypeTextField = 49,
    XCUIElementTypeSecureTextField = 50,
    XCUIElementTypeMap = 57,
    XCUIElementTypeCell = 75
};

typedef NS_ENUM(NSInteger, XCUIUserInterfaceSizeClass) {
    XCUIUserInterfaceSizeClassUnspecified,
    XCUIUserInterfaceSizeClassCompact,
    XCUIUserInterfaceSizeClassRegular
};

typedef NS_ENUM(NSUInteger, XCUIApplicationState) {
    XCUIApplicationStateUnknown,
    XCUIApplicationStateNotRunning,
    XCUIApplicationStateRunningBackgroundSuspended,
    XCUIApplicationStateRunningBackground,
    XCUIApplicationStateRunningForeground
};

/* The volume buttons are not declared for simulators. */
typedef NS_ENUM(NSInteger, XCUIDeviceButton) { XCUIDeviceButtonHome = 1 };

typedef NS_ENUM(NSInteger, XCUIDeviceAppearance) {
    XCUIDeviceAppearanceUnspecified,
    XCUIDeviceAppearanceLight,
    XCUIDeviceAppearanceDark
};

typedef NS_ENUM(NSInteger, XCTIssueType) {
    XCTIssueTypeAssertionFailure,
    XCTIssueTypeThrownError,
    XCTIssueTypeUncaughtException,
    XCTIssueTypePerformanceRegression,
    XCTIssueTypeSystem,
    XCTIssueTypeUnmatchedExpectedFailure
};

typedef CGFloat XCUIGestureVelocity;

#endif
