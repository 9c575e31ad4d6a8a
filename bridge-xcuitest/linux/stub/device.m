/* device.m: the device, its screen, and the pasteboard of UIKit. */
#import "stub/stub.h"

#include "stub/png.h"

enum { SCALE = 2 }; /* pixels per point */

@implementation XCUIScreenshot

@synthesize PNGRepresentation = _png;

- (id)initWithPNG:(NSData *)png
{
    self = [super init];
    if (self != nil) {
        _png = [png copy];
    }
    return self;
}

- (void)dealloc
{
    [_png release];
    [super dealloc];
}

@end

@implementation XCUIScreen

static XCUIScreen *screen;

+ (XCUIScreen *)mainScreen
{
    if (screen == nil) {
        screen = [[XCUIScreen alloc] init];
    }
    return screen;
}

- (XCUIScreenshot *)screenshot
{
    FKPhone *phone = [FKPhone shared];
    CGSize size = [phone size];
    NSData *png = [NSData data];
    size_t n = 0;
    if (FKBegin(phone->front, @"screenshot")) {
        uint8_t *p = stub_png((uint32_t)size.width * SCALE, (uint32_t)size.height * SCALE, &n);
        png = [NSData dataWithBytesNoCopy:p length:n freeWhenDone:YES];
    }
    return [[[XCUIScreenshot alloc] initWithPNG:png] autorelease];
}

@end

@implementation XCUISystem

- (void)openURL:(NSURL *)url
{
    FKApp *app = [FKPhone shared]->front;
    if (FKBegin(app, @"open")) {
        [app note:[NSString stringWithFormat:@"open %@", url]];
        FKEnd(app, @"open");
    }
}

@end

@implementation XCUIDevice

static XCUIDevice *device;
static XCUISystem *sys;

+ (XCUIDevice *)sharedDevice
{
    if (device == nil) {
        device = [[XCUIDevice alloc] init];
        sys = [[XCUISystem alloc] init];
    }
    return device;
}

- (BOOL)respondsToSelector:(SEL)selector
{
    if (StubIsOld() && (sel_isEqual(selector, @selector(setAppearance:)) ||
                        sel_isEqual(selector, @selector(system)))) {
        return NO;
    }
    return [super respondsToSelector:selector];
}

- (XCUISystem *)system
{
    return sys;
}

- (UIDeviceOrientation)orientation
{
    return [FKPhone shared]->orientation;
}

/* Lays out the app in front again: its root and window change their size. */
- (void)setOrientation:(UIDeviceOrientation)orientation
{
    FKPhone *phone = [FKPhone shared];
    FKApp *app = phone->front;
    if (!FKBegin(app, @"turn")) {
        return;
    }
    phone->orientation = orientation;
    app->root->frame.size = [phone size];
    ((FKNode *)[app->root->children objectAtIndex:0])->frame.size = [phone size];
    FKEnd(app, @"turn");
}

- (XCUIDeviceAppearance)appearance
{
    return [FKPhone shared]->appearance;
}

- (void)setAppearance:(XCUIDeviceAppearance)appearance
{
    if (FKBegin([FKPhone shared]->front, @"appearance")) {
        [FKPhone shared]->appearance = appearance;
        FKEnd([FKPhone shared]->front, @"appearance");
    }
}

- (void)pressButton:(XCUIDeviceButton)button
{
    FKApp *front = [FKPhone shared]->front;
    if (button == XCUIDeviceButtonHome && FKBegin(front, @"button")) {
        [[FKPhone shared] pressHome];
        FKEnd(front, @"button");
    }
}

@end

/* ---- UIKit ---- */

@interface UIPasteboard : NSObject
@property(nonatomic, copy) NSString *string;
@end

@implementation UIPasteboard

static UIPasteboard *board;

+ (UIPasteboard *)generalPasteboard
{
    if (board == nil && !StubIsOld()) {
        board = [[UIPasteboard alloc] init];
    }
    return board;
}

- (NSString *)string
{
    return [FKPhone shared]->pasteboard;
}

- (void)setString:(NSString *)string
{
    FKPhone *phone = [FKPhone shared];
    if (FKBegin(phone->front, @"pasteboard")) {
        NSString *old = phone->pasteboard;
        phone->pasteboard = [string copy];
        [old release];
        FKEnd(phone->front, @"pasteboard");
    }
}

@end
