/* UIKit.h: the part of UIKit and CoreFoundation that sdk/IOSAgent.h uses, as Apple declares it
 * (developer.apple.com/documentation/uikit). For a compiler that targets iOS it is declarations only; on
 * GNUstep ../uikit_stub.m implements them. */
#ifndef IA_TESTS_SDK_UIKIT_H
#define IA_TESTS_SDK_UIKIT_H

#import <Foundation/Foundation.h>

#if defined(GNUSTEP)
typedef NSRect CGRect;
static inline CGRect CGRectMake(CGFloat x, CGFloat y, CGFloat width, CGFloat height)
{
    return NSMakeRect(x, y, width, height);
}
#define UIKIT_IOS(v)
/* The runtime there wants to know of every variable. */
#define UIKIT_IVARS(...)                                                                       \
    {                                                                                          \
      @public                                                                                  \
        __VA_ARGS__                                                                            \
    }
#else
#define UIKIT_IVARS(...)
#import "FoundationMore.h"
#define UIKIT_IOS(v) API_AVAILABLE_IOS(v)
#endif

NS_ASSUME_NONNULL_BEGIN

/* ---- CoreFoundation ---- */

typedef const void *CFTypeRef;
typedef const struct __CFAllocator *CFAllocatorRef;
typedef const struct __CFString *CFStringRef;
typedef CFStringRef CFRunLoopMode;
typedef struct __CFRunLoop *CFRunLoopRef;
typedef struct __CFRunLoopObserver *CFRunLoopObserverRef;
typedef unsigned long CFOptionFlags;
typedef signed long CFIndex;
typedef unsigned char Boolean;
typedef CFOptionFlags CFRunLoopActivity;
enum { kCFRunLoopEntry = 1UL << 0, kCFRunLoopBeforeWaiting = 1UL << 5 };
extern const CFRunLoopMode kCFRunLoopCommonModes;
#define NSRunLoopCommonModes ((NSString *)@"kCFRunLoopCommonModes")

#if defined(__cplusplus)
extern "C" {
#endif
CFRunLoopRef CFRunLoopGetMain(void);
CFRunLoopObserverRef CFRunLoopObserverCreateWithHandler(
    CFAllocatorRef _Nullable allocator, CFOptionFlags activities, Boolean repeats,
    CFIndex order,
    void (^_Nullable block)(CFRunLoopObserverRef _Null_unspecified observer,
                            CFRunLoopActivity activity));
void CFRunLoopAddObserver(CFRunLoopRef loop, CFRunLoopObserverRef observer, CFRunLoopMode mode);
void CFRelease(CFTypeRef object);
#if defined(__cplusplus)
}
#endif

/* ---- UIKit ---- */

@class UIView, UIWindow, UIViewController, UIScene;

@interface NSObject (UIAccessibility)
@property(nonatomic) BOOL isAccessibilityElement;
@property(nullable, nonatomic, copy) NSString *accessibilityValue;
@end

@protocol UIAccessibilityIdentification <NSObject>
@property(nullable, nonatomic, copy) NSString *accessibilityIdentifier;
@end

typedef CGFloat UIWindowLevel;
extern const UIWindowLevel UIWindowLevelNormal;

@interface UIResponder : NSObject
@property(nonatomic, readonly, nullable) UIResponder *nextResponder;
@end

@interface UIColor : NSObject
@end

@interface UIView : UIResponder <UIAccessibilityIdentification>
UIKIT_IVARS(NSMutableArray *_subviews; UIView * _superview; NSString * _identifier, *_value;
            UIViewController * _controller; BOOL _element, userInteractionEnabled, hidden;
            UIColor * backgroundColor;)
- (instancetype)initWithFrame:(CGRect)frame;
@property(nonatomic, getter=isUserInteractionEnabled) BOOL userInteractionEnabled;
@property(nonatomic, getter=isHidden) BOOL hidden;
@property(nullable, nonatomic, copy) UIColor *backgroundColor;
@property(nullable, nonatomic, readonly) UIView *superview;
@property(nonatomic, readonly, copy) NSArray<UIView *> *subviews;
- (void)addSubview:(UIView *)view;
@end

@interface UIWindow : UIView
UIKIT_IVARS(BOOL _key; UIViewController * _root; UIWindowLevel windowLevel;)
@property(nonatomic) UIWindowLevel windowLevel;
@property(nonatomic, readonly, getter=isKeyWindow) BOOL keyWindow;
@property(nullable, nonatomic, strong) UIViewController *rootViewController;
@end

@interface UIPresentationController : NSObject
UIKIT_IVARS(UIView *_container;)
@property(nullable, nonatomic, readonly, strong) UIView *containerView;
@end

@interface UIViewController : UIResponder
UIKIT_IVARS(UIView *_view; UIViewController * _presented;
            UIPresentationController * _presentation;)
@property(null_resettable, nonatomic, strong) UIView *view;
@property(nullable, nonatomic, readonly) UIViewController *presentedViewController;
@property(nonatomic, readonly, getter=isBeingDismissed) BOOL beingDismissed;
@property(nullable, nonatomic, readonly) UIPresentationController *presentationController;
@end

UIKIT_IOS(13.0)
@interface UIScene : UIResponder
@end

UIKIT_IOS(13.0)
@interface UIWindowScene : UIScene
@property(nonatomic, readonly) NSArray<UIWindow *> *windows;
@end

@interface UIApplication : UIResponder
@property(class, nonatomic, readonly) UIApplication *sharedApplication;
@property(nonatomic, readonly) NSSet<UIScene *> *connectedScenes UIKIT_IOS(13.0);
@end

@interface UIControl : UIView
@end
@interface UIScrollView : UIView
@end
@interface UITableViewCell : UIView
@end
@interface UITableView : UIScrollView
- (nullable NSIndexPath *)indexPathForCell:(UITableViewCell *)cell;
@end
@interface UICollectionReusableView : UIView
@end
@interface UICollectionViewCell : UICollectionReusableView
@end
@interface UICollectionView : UIScrollView
- (nullable NSIndexPath *)indexPathForCell:(UICollectionViewCell *)cell;
@end

NS_ASSUME_NONNULL_END

#endif
