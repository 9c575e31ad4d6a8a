/* uikit_stub.m: as much of UIKit as sdk/IOSAgent.h needs, on GNUstep. */
#import "uikit_stub.h"

#import <QuartzCore/QuartzCore.h>

#import <Block.h>

/* The isa of blocks that capture nothing, which libgnustep-base does not export. */
extern void *_NSConcreteGlobalBlock[32];
void *_NSConcreteGlobalBlock[32];

const CFRunLoopMode kCFRunLoopCommonModes = NULL;
const UIWindowLevel UIWindowLevelNormal = 0;

static void (^observer)(CFRunLoopObserverRef, CFRunLoopActivity);

CFRunLoopRef CFRunLoopGetMain(void)
{
    return (CFRunLoopRef)&observer;
}

CFRunLoopObserverRef CFRunLoopObserverCreateWithHandler(
    CFAllocatorRef allocator, CFOptionFlags activities, Boolean repeats, CFIndex order,
    void (^block)(CFRunLoopObserverRef observer, CFRunLoopActivity activity))
{
    NSCParameterAssert(!allocator && activities == kCFRunLoopBeforeWaiting && repeats);
    NSCParameterAssert(order > 2000000 && !observer); /* Core Animation's */
    observer = Block_copy(block);
    return (CFRunLoopObserverRef)&observer;
}

void CFRunLoopAddObserver(CFRunLoopRef loop, CFRunLoopObserverRef added, CFRunLoopMode mode)
{
    NSCParameterAssert(added == (CFRunLoopObserverRef)&observer && loop == CFRunLoopGetMain());
    NSCParameterAssert(mode == kCFRunLoopCommonModes);
}

void CFRelease(CFTypeRef object)
{
    NSCParameterAssert(object == &observer);
}

static CFTimeInterval clock_s = 100;

CFTimeInterval CACurrentMediaTime(void)
{
    return clock_s;
}

void stub_pass(CFTimeInterval seconds)
{
    clock_s += seconds;
}

void stub_turn(void)
{
    if (observer) {
        observer((CFRunLoopObserverRef)&observer, kCFRunLoopBeforeWaiting);
    }
}

@implementation UIResponder
- (UIResponder *)nextResponder
{
    return nil;
}
@end

@implementation UIColor
@end

@implementation UIView
@synthesize userInteractionEnabled, hidden, backgroundColor;

- (instancetype)initWithFrame:(CGRect)frame
{
    (void)frame;
    self = [super init];
    _subviews = [NSMutableArray new];
    return self;
}

- (instancetype)init
{
    return [self initWithFrame:CGRectMake(0, 0, 0, 0)];
}

- (void)dealloc
{
    [_subviews release];
    [_identifier release];
    [_value release];
    [backgroundColor release];
    [super dealloc];
}

- (UIView *)superview
{
    return _superview;
}

- (NSArray *)subviews
{
    return [[_subviews copy] autorelease];
}

- (void)removeFromSuperview
{
    UIView *from = _superview;
    _superview = nil;
    if (from) {
        [from->_subviews removeObject:self];
    }
}

- (void)addSubview:(UIView *)view
{
    [[view retain] autorelease];
    [view removeFromSuperview];
    view->_superview = self;
    [_subviews addObject:view];
}

- (UIResponder *)nextResponder
{
    return _controller ? (UIResponder *)_controller : _superview;
}

- (BOOL)isAccessibilityElement
{
    return _element;
}

- (void)setIsAccessibilityElement:(BOOL)is
{
    _element = is;
}

- (NSString *)accessibilityIdentifier
{
    return _identifier;
}

- (void)setAccessibilityIdentifier:(NSString *)text
{
    NSString *old = _identifier;
    _identifier = [text copy];
    [old release];
}

- (NSString *)accessibilityValue
{
    return _value;
}

- (void)setAccessibilityValue:(NSString *)text
{
    NSString *old = _value;
    _value = [text copy];
    [old release];
}
@end

@implementation UIWindow
@synthesize windowLevel;

- (BOOL)isKeyWindow
{
    return _key;
}

- (BOOL)stubKey
{
    return _key;
}

- (void)setStubKey:(BOOL)key
{
    _key = key;
}

- (UIViewController *)rootViewController
{
    return _root;
}

- (void)setRootViewController:(UIViewController *)root
{
    _root = [root retain];
    [self addSubview:root.view];
}
@end

@implementation UIPresentationController
- (UIView *)containerView
{
    return _container;
}
@end

@implementation UIViewController

- (UIView *)view
{
    if (!_view) {
        _view = [UIView new];
        _view->_controller = self;
    }
    return _view;
}

- (void)setView:(UIView *)view
{
    _view = [view retain];
    _view->_controller = self;
}

- (UIViewController *)presentedViewController
{
    return _presented;
}

- (BOOL)isBeingDismissed
{
    return NO;
}

- (UIPresentationController *)presentationController
{
    return _presentation;
}

- (void)stubPresent:(UIViewController *)other
{
    if (_presented) {
        [_presented->_presentation->_container removeFromSuperview];
    }
    _presented = other;
    if (other) {
        other->_presentation = [UIPresentationController new];
        other->_presentation->_container = [UIView new];
        [other->_presentation->_container addSubview:other.view];
        UIView *window = self.view;
        while (window.superview) {
            window = window.superview;
        }
        [window addSubview:other->_presentation->_container];
    }
}
@end

static NSArray *all_windows;

@implementation UIScene
@end

@implementation UIWindowScene
- (NSArray *)windows
{
    return all_windows;
}
@end

@implementation UIApplication
+ (UIApplication *)sharedApplication
{
    static UIApplication *app;
    app = app ? app : [UIApplication new];
    return app;
}

- (NSSet *)connectedScenes
{
    static UIWindowScene *scene;
    scene = scene ? scene : [UIWindowScene new];
    return [NSSet setWithObject:scene];
}
@end

void stub_windows(NSArray *windows)
{
    [all_windows release];
    all_windows = [windows retain];
}

@implementation UIControl
@end
@implementation UIScrollView
@end
@implementation UITableViewCell
@end
@implementation UICollectionReusableView
@end
@implementation UICollectionViewCell
@end

static NSMapTable *places;

static void place(UIView *cell, NSUInteger section, NSUInteger row)
{
    NSUInteger at[] = {section, row};
    places = places ? places : [[NSMapTable strongToStrongObjectsMapTable] retain];
    [places setObject:[NSIndexPath indexPathWithIndexes:at length:2] forKey:cell];
}

@implementation UITableView
- (NSIndexPath *)indexPathForCell:(UITableViewCell *)cell
{
    return [places objectForKey:cell];
}

- (void)stubPlace:(UIView *)cell section:(NSUInteger)section row:(NSUInteger)row
{
    place(cell, section, row);
    if (cell.superview != self) {
        [self addSubview:cell];
    }
}

- (void)stubForget:(UIView *)cell
{
    [places removeObjectForKey:cell];
}
@end

@implementation UICollectionView
- (NSIndexPath *)indexPathForCell:(UICollectionViewCell *)cell
{
    return [places objectForKey:cell];
}

- (void)stubPlace:(UIView *)cell section:(NSUInteger)section row:(NSUInteger)row
{
    place(cell, section, row);
    if (cell.superview != self) {
        [self addSubview:cell];
    }
}
@end
