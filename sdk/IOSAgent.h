/* IOSAgent.h: what an app adds to its debug builds for ios-agent (and for its own UI tests): a state that a
 * test can ask for, and an accessibility identifier for each view that has none.
 *
 *     // in one .m file                      // after the app has launched
 *     #define IOS_AGENT_IMPLEMENTATION       IOSAgentStart();
 *     #import "IOSAgent.h"                   IOSAgentStateSet(@"user", @"ada");
 *                                            IOSAgentStateProvide(@"cart.total", ^{ return cart.total; });
 *
 * In a build without DEBUG everything here is an empty macro: the app contains no class, text or argument of
 * it. Public API only; nothing is swizzled. An app in Swift uses IOSAgent.swift instead, which does the same;
 * use only one of the two. iOS 13, with ARC or without.
 *
 * The state is the value of one accessibility element, "ios-agent.state", of one point without a
 * picture: {"v":1,"state":{"cart.total":"42.00"}}. A test runner reads it with the screen, in the same
 * snapshot, on a simulator and on a device. Names have at most 64 of A-Z a-z 0-9 . _ -, values at
 * most 256 bytes, the whole state at most 64 values and 4096 bytes; what exceeds this is left out and counted
 * in "left_out". Blocks are called on the main thread, when the state is read.
 *
 * Identifiers say where a view stands: "ia~CartViewController/UITableView0/cell[0,3]/UIButton1". An
 * identifier of the app's own is never replaced. README.md has the rules. */
#ifndef IOS_AGENT_H
#define IOS_AGENT_H

#if defined(DEBUG) && DEBUG

#import <QuartzCore/QuartzCore.h>
#import <UIKit/UIKit.h>

NS_ASSUME_NONNULL_BEGIN

typedef NSString *_Nullable (^IOSAgentValue)(void);

#if defined(__cplusplus)
extern "C" {
#endif

/* On the main thread, once: shows the state and keeps the identifiers from now on. */
void IOSAgentStart(void);
/* On any thread. nil removes the value. */
void IOSAgentStateSet(NSString *name, NSString *_Nullable value);
/* On any thread. The block is called at each reading; if it returns nil there is no such value. */
void IOSAgentStateProvide(NSString *name, IOSAgentValue value);

#if defined(__cplusplus)
}
#endif

NS_ASSUME_NONNULL_END

#else

#define IOSAgentStart() ((void)0)
#define IOSAgentStateSet(...) ((void)0)
#define IOSAgentStateProvide(...) ((void)0)

#endif
#endif

#if defined(DEBUG) && DEBUG && defined(IOS_AGENT_IMPLEMENTATION)
#undef IOS_AGENT_IMPLEMENTATION

NS_ASSUME_NONNULL_BEGIN

/* ---- state ---- */

enum {
    IOSAgentNameMax = 64,
    IOSAgentValueMax = 256,
    IOSAgentValuesMax = 64,
    IOSAgentStateBytesMax = 4096,
    IOSAgentEnvelopeBytes = 48 /* {"v":1,"state":{},"left_out":4294967295} */
};

/* A text, or a block that returns one. */
@interface IOSAgentEntry : NSObject {
  @public
    NSString *_text;
    IOSAgentValue _block;
}
@end

@implementation IOSAgentEntry
#if !__has_feature(objc_arc)
- (void)dealloc
{
    [_text release];
    if (_block) {
        Block_release(_block);
    }
    [super dealloc];
}
#endif
@end

static NSMutableDictionary<NSString *, IOSAgentEntry *> *IOSAgentEntries(void)
{
    static NSMutableDictionary<NSString *, IOSAgentEntry *> *entries;
    @synchronized([NSProcessInfo class]) {
        if (!entries) {
            entries = [[NSMutableDictionary alloc] init];
        }
    }
    return entries;
}

static void IOSAgentKeep(NSString *name, IOSAgentEntry *_Nullable entry)
{
    NSMutableDictionary<NSString *, IOSAgentEntry *> *entries = IOSAgentEntries();
    @synchronized(entries) {
        if (entry) {
            [entries setObject:(IOSAgentEntry *)entry forKey:name];
        } else {
            [entries removeObjectForKey:name];
        }
    }
#if !__has_feature(objc_arc)
    [entry release];
#endif
}

void IOSAgentStateSet(NSString *name, NSString *_Nullable value)
{
    IOSAgentEntry *entry = value ? [[IOSAgentEntry alloc] init] : nil;
    if (entry) {
        entry->_text = [value copy];
    }
    IOSAgentKeep(name, entry);
}

void IOSAgentStateProvide(NSString *name, IOSAgentValue value)
{
    IOSAgentEntry *entry = [[IOSAgentEntry alloc] init];
#if __has_feature(objc_arc)
    entry->_block = [value copy];
#else
    entry->_block = Block_copy(value);
#endif
    IOSAgentKeep(name, entry);
}

static BOOL IOSAgentNameIsGood(NSString *name)
{
    for (NSUInteger i = 0; i < name.length; i++) {
        unichar c = [name characterAtIndex:i];
        BOOL letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '-') {
            return NO;
        }
    }
    return name.length > 0 && name.length <= IOSAgentNameMax;
}

/* Whether the character at i is NUL, or one half of a surrogate pair without the other. */
static BOOL IOSAgentIsNoCharacter(NSString *text, NSUInteger i)
{
    unichar c = [text characterAtIndex:i];
    unichar before = i > 0 ? [text characterAtIndex:i - 1] : 0;
    unichar after = i + 1 < text.length ? [text characterAtIndex:i + 1] : 0;
    BOOL high = c >= 0xd800 && c < 0xdc00, low = c >= 0xdc00 && c < 0xe000;
    return c == 0 || (high && !(after >= 0xdc00 && after < 0xe000)) ||
           (low && !(before >= 0xd800 && before < 0xdc00));
}

/* The text in quotes; nil if it is no valid Unicode or contains a NUL. */
static NSString *_Nullable IOSAgentQuoted(NSString *text)
{
    NSMutableString *out = [NSMutableString stringWithString:@"\""];
    for (NSUInteger i = 0; i < text.length; i++) {
        unichar c = [text characterAtIndex:i];
        if (IOSAgentIsNoCharacter(text, i)) {
            return nil;
        }
        if (c < 0x20) {
            [out appendFormat:@"\\u%04x", (unsigned)c];
        } else {
            [out appendString:c == '"' || c == '\\' ? @"\\" : @""];
            [out appendString:[text substringWithRange:NSMakeRange(i, 1)]];
        }
    }
    [out appendString:@"\""];
    return out;
}

/* An app's block may throw. */
static NSString *_Nullable IOSAgentTextOf(IOSAgentEntry *_Nullable entry)
{
    if (!entry) {
        return nil;
    }
    @try {
        return entry->_block ? entry->_block() : entry->_text;
    } @catch (NSException *e) {
        NSLog(@"ios-agent: a value of the state threw %@", e.name);
        return nil;
    }
}

static NSUInteger IOSAgentBytes(NSString *text)
{
    return [text lengthOfBytesUsingEncoding:NSUTF8StringEncoding];
}

static NSString *_Nullable IOSAgentMember(NSString *name, NSString *text)
{
    NSString *quoted = IOSAgentBytes(text) <= IOSAgentValueMax ? IOSAgentQuoted(text) : nil;
    if (!quoted || !IOSAgentNameIsGood(name)) {
        NSLog(@"ios-agent: left out of the state, as its name or value is no good: %@", name);
        return nil;
    }
    return [NSString stringWithFormat:@"\"%@\":%@", name, quoted];
}

/* Sorted by name, so that the same values are left out each time. */
static NSString *IOSAgentStateJSON(void)
{
    NSMutableDictionary<NSString *, IOSAgentEntry *> *entries = IOSAgentEntries();
    NSDictionary<NSString *, IOSAgentEntry *> *now = nil;
    @synchronized(entries) {
        now = [NSDictionary dictionaryWithDictionary:entries];
    }
    NSMutableString *members = [NSMutableString string];
    NSUInteger count = 0, leftOut = 0, bytes = IOSAgentEnvelopeBytes;
    for (NSString *name in [now.allKeys sortedArrayUsingSelector:@selector(compare:)]) {
        NSString *text = IOSAgentTextOf([now objectForKey:name]);
        if (!text) {
            continue;
        }
        NSString *member = IOSAgentMember(name, text);
        NSUInteger more = member ? IOSAgentBytes(member) + 1 : 0;
        if (!member || count == IOSAgentValuesMax || bytes + more > IOSAgentStateBytesMax) {
            leftOut++;
            continue;
        }
        [members appendFormat:@"%@%@", count > 0 ? @"," : @"", member];
        bytes += more;
        count++;
    }
    NSString *rest =
        leftOut ? [NSString stringWithFormat:@",\"left_out\":%lu", (unsigned long)leftOut]
                : @"";
    return [NSString stringWithFormat:@"{\"v\":1,\"state\":{%@}%@}", members, rest];
}

/* One point in the corner that draws nothing and takes no touch. It is not hidden and not transparent, because
 * accessibility leaves such views out. */
@interface IOSAgentProbe : UIView
@end

@implementation IOSAgentProbe

- (BOOL)isAccessibilityElement
{
    return YES;
}

- (nullable NSString *)accessibilityIdentifier
{
    return @"ios-agent.state";
}

- (nullable NSString *)accessibilityValue
{
    return IOSAgentStateJSON();
}

@end

static NSArray<UIWindow *> *IOSAgentWindows(void)
{
    NSMutableArray<UIWindow *> *windows = [NSMutableArray array];
    for (UIScene *scene in [UIApplication sharedApplication].connectedScenes) {
        if (![scene isKindOfClass:[UIWindowScene class]]) {
            continue;
        }
        for (UIWindow *window in ((UIWindowScene *)scene).windows) {
            /* The keyboard's window and those of alerts lie higher. */
            if (window.windowLevel == UIWindowLevelNormal && !window.hidden) {
                [windows addObject:window];
            }
        }
    }
    return windows;
}

/* Where accessibility still sees it: the tree leaves out what a presentation covers, but not what lies in
 * the presentation's own container. */
static UIView *IOSAgentHost(UIWindow *window)
{
    UIView *host = window;
    UIViewController *top = window.rootViewController;
    while (top.presentedViewController && !top.presentedViewController.isBeingDismissed) {
        top = top.presentedViewController;
        UIView *container = top.presentationController.containerView;
        host = container ? container : host;
    }
    return host;
}

static void IOSAgentPlaceProbe(NSArray<UIWindow *> *windows)
{
    static IOSAgentProbe *probe;
    UIWindow *front = windows.firstObject;
    for (UIWindow *window in windows) {
        front = window.isKeyWindow ? window : front;
    }
    if (!probe) {
        probe = [[IOSAgentProbe alloc] initWithFrame:CGRectMake(0, 0, 1, 1)];
        probe.userInteractionEnabled = NO;
        probe.backgroundColor = nil;
    }
    UIView *host = front ? IOSAgentHost(front) : nil;
    if (host && probe.superview != host) {
        [host addSubview:probe];
    }
}

/* ---- identifiers ---- */

enum { IOSAgentIdentifierMax = 120, IOSAgentDepthMax = 60, IOSAgentViewsMax = 3000 };

typedef struct {
    __unsafe_unretained NSCountedSet<NSString *> *controllers;
    NSUInteger views;
} IOSAgentPass;

/* "CartCell" for "Shop.CartCell"; other characters than letters and digits become "_". */
static NSString *IOSAgentTypeName(id object)
{
    NSString *name = NSStringFromClass([object class]);
    NSRange dot = [name rangeOfString:@"." options:NSBackwardsSearch];
    name = dot.location == NSNotFound ? name : [name substringFromIndex:dot.location + 1];
    NSMutableString *out = [NSMutableString string];
    for (NSUInteger i = 0; i < name.length; i++) {
        unichar c = [name characterAtIndex:i];
        BOOL good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        [out appendString:good ? [name substringWithRange:NSMakeRange(i, 1)] : @"_"];
    }
    return out;
}

/* A longer one would not be found: XCTest refuses to look for more than 128 characters. */
static NSString *IOSAgentCut(NSString *identifier)
{
    enum { HASH_CHARACTERS = 17 };
    NSData *bytes = [identifier dataUsingEncoding:NSUTF8StringEncoding];
    const unsigned char *p = (const unsigned char *)bytes.bytes;
    unsigned long long hash = 14695981039346656037ULL; /* FNV-1a */
    if (identifier.length <= IOSAgentIdentifierMax) {
        return identifier;
    }
    for (NSUInteger i = 0; i < bytes.length; i++) {
        hash = (hash ^ p[i]) * 1099511628211ULL;
    }
    NSString *front = [identifier substringToIndex:IOSAgentIdentifierMax - HASH_CHARACTERS];
    return [NSString stringWithFormat:@"%@~%016llx", front, hash];
}

static BOOL IOSAgentIsOurs(NSString *_Nullable identifier)
{
    return [identifier hasPrefix:@"ia~"];
}

/* The developer's, which names a step of the path. */
static NSString *_Nullable IOSAgentOwn(UIView *view)
{
    NSString *identifier = view.accessibilityIdentifier;
    return identifier.length > 0 && !IOSAgentIsOurs(identifier) ? identifier : nil;
}

/* What a test wants to find; an identifier on each wrapper would only make the tree larger. */
static BOOL IOSAgentWantsIdentifier(UIView *view)
{
    return view.isAccessibilityElement || [view isKindOfClass:[UIControl class]] ||
           [view isKindOfClass:[UIScrollView class]] ||
           [view isKindOfClass:[UITableViewCell class]] ||
           [view isKindOfClass:[UICollectionViewCell class]];
}

/* "cell[0,3]"; nil for other views; "" for a cell that shows no row now. */
static NSString *_Nullable IOSAgentCellStep(UIView *view, UIView *_Nullable list)
{
    NSIndexPath *at = nil;
    if ([view isKindOfClass:[UITableViewCell class]]) {
        if ([list isKindOfClass:[UITableView class]]) {
            at = [(UITableView *)list indexPathForCell:(UITableViewCell *)view];
        }
    } else if ([view isKindOfClass:[UICollectionViewCell class]]) {
        if ([list isKindOfClass:[UICollectionView class]]) {
            at = [(UICollectionView *)list indexPathForCell:(UICollectionViewCell *)view];
        }
    } else {
        return nil;
    }
    return at ? [NSString stringWithFormat:@"cell[%ld,%ld]", (long)[at indexAtPosition:0],
                                           (long)[at indexAtPosition:1]]
              : @"";
}

/* A view controller starts a new path; a second one of its class gets a number. */
static NSString *_Nullable IOSAgentControllerStep(UIView *view, IOSAgentPass *pass)
{
    UIResponder *next = view.nextResponder;
    if (![next isKindOfClass:[UIViewController class]]) {
        return nil;
    }
    NSString *name = IOSAgentTypeName(next);
    NSUInteger before = [pass->controllers countForObject:name];
    [pass->controllers addObject:name];
    return before ? [NSString stringWithFormat:@"%@%lu", name, (unsigned long)before] : name;
}

static void IOSAgentGive(UIView *view, NSString *_Nullable path)
{
    NSString *has = view.accessibilityIdentifier;
    NSString *wanted = nil;
    if (has.length > 0 && !IOSAgentIsOurs(has)) {
        return;
    }
    if (path && IOSAgentWantsIdentifier(view)) {
        wanted = IOSAgentCut([@"ia~" stringByAppendingString:(NSString *)path]);
    }
    if (wanted != has && ![wanted isEqualToString:has ? (NSString *)has : @""]) {
        view.accessibilityIdentifier = wanted;
    }
}

/* SwiftUI has its own elements (.accessibilityIdentifier names those), and web pages do not consist of views. */
static BOOL IOSAgentIsForeign(UIView *view)
{
    NSString *name = NSStringFromClass([view class]);
    return [name rangeOfString:@"SwiftUI"].location != NSNotFound ||
           [name hasPrefix:@"WKWebView"] || [view isKindOfClass:[IOSAgentProbe class]];
}

/* path: of the view, nil in a cell that shows no row. list: the nearest list around it. */
static void IOSAgentName(UIView *view, NSString *_Nullable path, UIView *_Nullable list,
                         int depth, IOSAgentPass *pass)
{
    NSCountedSet<NSString *> *types = [NSCountedSet set];
    BOOL lists = [view isKindOfClass:[UITableView class]] ||
                 [view isKindOfClass:[UICollectionView class]];
    UIView *around = lists ? view : list;
    if (depth == IOSAgentDepthMax || [view isKindOfClass:[UIControl class]]) {
        return;
    }
    for (UIView *inner in view.subviews) {
        if (pass->views == IOSAgentViewsMax || IOSAgentIsForeign(inner)) {
            continue;
        }
        pass->views++;
        NSString *type = IOSAgentTypeName(inner);
        NSString *step = IOSAgentCellStep(inner, around), *own = IOSAgentOwn(inner);
        NSString *controller = IOSAgentControllerStep(inner, pass);
        NSString *next = nil;
        if (!step) {
            step = own ? [@"#" stringByAppendingString:(NSString *)own]
                       : [NSString stringWithFormat:@"%@%lu", type,
                                                    (unsigned long)[types countForObject:type]];
            [types addObject:type];
        }
        if (controller) {
            next = controller;
        } else if (path && step.length > 0) {
            next = path.length > 0 ? [NSString stringWithFormat:@"%@/%@", path, step] : step;
        }
        IOSAgentGive(inner, next);
        IOSAgentName(inner, next, around, depth + 1, pass);
    }
}

/* ---- when ---- */

static void IOSAgentUpdate(void)
{
    NSArray<UIWindow *> *windows = IOSAgentWindows();
    NSCountedSet<NSString *> *controllers = [NSCountedSet set];
    IOSAgentPass pass = {controllers, 0};
    IOSAgentPlaceProbe(windows);
    for (UIWindow *window in windows) {
        IOSAgentName(window, @"", nil, 0, &pass);
    }
}

/* Looks at the views whenever the main thread is about to wait, so after each layout, but at most ten times a
 * second. For a change that comes sooner, a timer wakes an idle app once. */
@interface IOSAgentWatch : NSObject {
    CFTimeInterval _last;
    BOOL _waits;
}
@end

static const NSTimeInterval IOSAgentInterval = 0.1;

@implementation IOSAgentWatch

- (void)turn
{
    CFTimeInterval now = CACurrentMediaTime();
    if (now - _last >= IOSAgentInterval) {
        _last = now;
        IOSAgentUpdate();
    } else if (!_waits) {
        _waits = YES;
        [self performSelector:@selector(late)
                   withObject:nil
                   afterDelay:IOSAgentInterval
                      inModes:[NSArray arrayWithObject:NSRunLoopCommonModes]];
    }
}

/* It wakes the run loop, whose observer calls turn before the loop sleeps again. */
- (void)late
{
    _waits = NO;
}

@end

void IOSAgentStart(void)
{
    static IOSAgentWatch *watch;
    if (watch) {
        return;
    }
    watch = [[IOSAgentWatch alloc] init];
    /* After Core Animation's own observer, which does the layout. */
    CFRunLoopObserverRef observer = CFRunLoopObserverCreateWithHandler(
        NULL, kCFRunLoopBeforeWaiting, true, NSIntegerMax,
        ^(CFRunLoopObserverRef same, CFRunLoopActivity activity) {
          (void)same;
          (void)activity;
          [watch turn];
        });
    CFRunLoopAddObserver(CFRunLoopGetMain(), observer, kCFRunLoopCommonModes);
    CFRelease(observer);
}

NS_ASSUME_NONNULL_END

#endif
