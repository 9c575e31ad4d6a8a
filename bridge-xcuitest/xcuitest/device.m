/* device.m: the device itself: info, buttons, orientation, URLs, pasteboard, appearance,
 * screenshots. Where XCTest lacks something that simctl has, the failure names the simctl
 * command. */
#import "agent.h"

#import "late_binding.h"

#include <stdlib.h>
#include <string.h>

enum { ROTATE_MS = 3000 }; /* for the new orientation to be reported */

/* ---- info ---- */

static const char *env_or_empty(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? value : "";
}

/* A simulator describes itself in the environment of its processes. */
static void fill_device(struct ia_xc_op *op)
{
    struct ia_wire_info_reply *info = &op->reply->u.info;
    struct ia_wire_arena *arena = &op->reply->arena;
    const char *version = env_or_empty("SIMULATOR_RUNTIME_VERSION");
    NSString *os = *version != '\0'
                       ? [NSString stringWithFormat:@"iOS %s", version]
                       : [[NSProcessInfo processInfo] operatingSystemVersionString];
    info->kind = ia_wire_str(arena, "xcuitest");
    info->name = ia_wire_str(arena, env_or_empty("SIMULATOR_DEVICE_NAME"));
    info->udid = ia_wire_str(arena, env_or_empty("SIMULATOR_UDID"));
    info->os = ia_xc_arena_text(op, os, IA_WIRE_NAME_MAX);
}

static void fill_target(struct ia_xc_op *op)
{
    struct ia_wire_info_reply *info = &op->reply->u.info;
    struct ia_xc_agent *a = op->agent;
    info->app_state = (uint8_t)ia_xc_state(a, a->target);
    info->bundle_id = ia_xc_arena_text(op, a->bundle_id, IA_WIRE_NAME_MAX);
    if (info->app_state == IA_WIRE_APP_FOREGROUND) {
        info->app_name = ia_xc_arena_text(op, [a->target label], IA_WIRE_TEXT_MAX);
    }
}

static void add_notes(struct ia_xc_op *op)
{
    struct ia_wire_info_reply *info = &op->reply->u.info;
    const char **list = ia_wire_alloc(&op->reply->arena, sizeof(*list));
    if (op->agent->quiescence != NULL && list != NULL) {
        list[0] = ia_wire_str(&op->reply->arena, op->agent->quiescence);
        info->notes = list;
        info->notes_n = 1;
    }
}

/* The size of a PNG in pixels, from its first chunk; false when it is not a PNG. */
static bool png_size(NSData *png, uint32_t *ret_w, uint32_t *ret_h)
{
    static const unsigned char magic[] = {0x89, 'P', 'N', 'G'};
    const unsigned char *p = [png bytes];
    if ([png length] < 24 || memcmp(p, magic, sizeof(magic)) != 0) {
        return false;
    }
    *ret_w = (uint32_t)p[16] << 24 | (uint32_t)p[17] << 16 | (uint32_t)p[18] << 8 | p[19];
    *ret_h = (uint32_t)p[20] << 24 | (uint32_t)p[21] << 16 | (uint32_t)p[22] << 8 | p[23];
    return true;
}

/* A screenshot is sometimes rotated with the device and sometimes not, so only the long sides
 * are compared. */
static double scale_of(uint32_t width_px, uint32_t height_px, CGRect screen)
{
    double points =
        screen.size.width > screen.size.height ? screen.size.width : screen.size.height;
    uint32_t pixels = width_px > height_px ? width_px : height_px;
    return points > 0 ? pixels / points : 0;
}

static enum ia_wire_orientation_mode orientation_now(CGRect screen)
{
    switch ([XCUIDevice sharedDevice].orientation) {
    case UIDeviceOrientationPortrait:
        return IA_WIRE_PORTRAIT;
    case UIDeviceOrientationPortraitUpsideDown:
        return IA_WIRE_UPSIDE_DOWN;
    case UIDeviceOrientationLandscapeLeft:
        return IA_WIRE_LANDSCAPE_LEFT;
    case UIDeviceOrientationLandscapeRight:
        return IA_WIRE_LANDSCAPE_RIGHT;
    default: /* unknown, or face up: the shape of the screen decides, as far as it can */
        return screen.size.width > screen.size.height ? IA_WIRE_LANDSCAPE_LEFT
                                                      : IA_WIRE_PORTRAIT;
    }
}

void ia_xc_info(struct ia_xc_op *op)
{
    struct ia_wire_info_reply *info = &op->reply->u.info;
    uint32_t width_px = 0, height_px = 0;
    CGRect screen = [ia_xc_front(op->agent) frame];
    NSData *png = [[[XCUIScreen mainScreen] screenshot] PNGRepresentation];
    fill_device(op);
    fill_target(op);
    add_notes(op);
    if (png_size(png, &width_px, &height_px)) {
        info->scale = scale_of(width_px, height_px, screen);
    }
    info->width_pt = screen.size.width;
    info->height_pt = screen.size.height;
    info->orientation = (uint8_t)orientation_now(screen);
    ia_xc_done(op);
}

/* ---- buttons and orientation ---- */

/* Simulators have no other button: their SDK does not even declare the constants. */
void ia_xc_press_button(struct ia_xc_op *op)
{
    if (op->req->u.press_button.button != IA_WIRE_BUTTON_HOME) {
        ia_xc_fail(op, IA_WIRE_E_UNSUPPORTED,
                   "XCTest can press only the home button of a simulator");
        return;
    }
    if (!ia_xc_send(op)) {
        return;
    }
    [[XCUIDevice sharedDevice] pressButton:XCUIDeviceButtonHome];
    ia_xc_done(op);
}

static UIDeviceOrientation device_orientation(uint8_t mode)
{
    switch (mode) {
    case IA_WIRE_LANDSCAPE_LEFT:
        return UIDeviceOrientationLandscapeLeft;
    case IA_WIRE_LANDSCAPE_RIGHT:
        return UIDeviceOrientationLandscapeRight;
    case IA_WIRE_UPSIDE_DOWN:
        return UIDeviceOrientationPortraitUpsideDown;
    default:
        return UIDeviceOrientationPortrait;
    }
}

void ia_xc_orientation(struct ia_xc_op *op)
{
    uint8_t mode = op->req->u.orientation.mode;
    XCUIDevice *device = [XCUIDevice sharedDevice];
    if (mode != IA_WIRE_ORIENTATION_READ) {
        UIDeviceOrientation wanted = device_orientation(mode);
        int64_t since = ia_bridge_now_us();
        if (!ia_xc_send(op)) {
            return;
        }
        device.orientation = wanted;
        op->agent->frame_app = nil;
        while (device.orientation != wanted && ia_xc_time_left(op, since, ROTATE_MS, 0)) {
            ia_xc_sleep_ms(50);
        }
    }
    op->reply->u.mode.mode = (uint8_t)orientation_now([ia_xc_front(op->agent) frame]);
    ia_xc_done(op);
}

/* ---- URLs, pasteboard, appearance ---- */

void ia_xc_open_url(struct ia_xc_op *op)
{
    NSURL *url = [NSURL URLWithString:ia_xc_string(op->req->u.open_url.url)];
    id<IALateDevice> device = (id<IALateDevice>)[XCUIDevice sharedDevice];
    if (url == nil || [[url scheme] length] == 0) {
        ia_xc_fail(op, IA_WIRE_E_USAGE, "'%.200s' is not a URL", op->req->u.open_url.url);
        return;
    }
    if (![(id)device respondsToSelector:@selector(system)]) {
        ia_xc_fail(op, IA_WIRE_E_UNSUPPORTED,
                   "this XCTest cannot open URLs; use simctl openurl");
        return;
    }
    id<IALateSystem> system = [device system];
    if (!ia_xc_send(op)) {
        return;
    }
    [system openURL:url];
    ia_xc_done(op);
}

void ia_xc_pasteboard(struct ia_xc_op *op)
{
    const struct ia_wire_pasteboard *p = &op->req->u.pasteboard;
    Class<IALatePasteboard> class = NSClassFromString(@"UIPasteboard");
    id<IALatePasteboard> board = [class generalPasteboard];
    if (board == nil) {
        ia_xc_fail(op, IA_WIRE_E_UNSUPPORTED,
                   "this process has no pasteboard; use simctl pbcopy and pbpaste");
        return;
    }
    if (p->mode == IA_WIRE_PASTEBOARD_WRITE) {
        if (!ia_xc_send(op)) {
            return;
        }
        [board setString:ia_xc_string(p->text)];
    }
    op->reply->u.pasteboard.text = ia_xc_arena_text(op, [board string], IA_WIRE_TYPED_MAX);
    ia_xc_done(op);
}

/* The numbers of XCUIDeviceAppearance are the wire's: 1 light, 2 dark. */
void ia_xc_appearance(struct ia_xc_op *op)
{
    uint8_t mode = op->req->u.appearance.mode;
    id<IALateDevice> device = (id<IALateDevice>)[XCUIDevice sharedDevice];
    if (![(id)device respondsToSelector:@selector(setAppearance:)]) {
        ia_xc_fail(op, IA_WIRE_E_UNSUPPORTED,
                   "this XCTest cannot change the appearance; use simctl ui appearance");
        return;
    }
    if (mode != IA_WIRE_APPEARANCE_READ) {
        if (!ia_xc_send(op)) {
            return;
        }
        [device setAppearance:mode];
    }
    NSInteger now = [device appearance];
    op->reply->u.mode.mode = now == IA_WIRE_LIGHT || now == IA_WIRE_DARK ? (uint8_t)now : 0;
    ia_xc_done(op);
}

/* ---- screenshot ---- */

void ia_xc_screenshot(struct ia_xc_op *op)
{
    struct ia_wire_screenshot_reply *shot = &op->reply->u.screenshot;
    if (op->req->u.screenshot.scale != IA_WIRE_SCALE_PIXELS) {
        ia_xc_fail(op, IA_WIRE_E_UNSUPPORTED, "XCTest takes screenshots in pixels only");
        return;
    }
    NSData *png = [[[XCUIScreen mainScreen] screenshot] PNGRepresentation];
    size_t n = [png length];
    if (!png_size(png, &shot->width_px, &shot->height_px)) {
        ia_xc_fail(op, IA_WIRE_E_DEVICE,
                   "XCTest returned a screenshot that is not a PNG (%zu bytes)", n);
        return;
    }
    if (n > IA_WIRE_PNG_MAX) {
        ia_xc_fail(op, IA_WIRE_E_LIMIT, "the screenshot has %zu bytes; at most %d are allowed",
                   n, IA_WIRE_PNG_MAX);
        return;
    }
    uint8_t *bytes = ia_wire_alloc(&op->reply->arena, n);
    if (bytes == NULL) {
        ia_xc_fail(op, IA_WIRE_E_MEMORY, "out of memory for a screenshot of %zu bytes", n);
        return;
    }
    memcpy(bytes, [png bytes], n);
    shot->png = bytes;
    shot->png_n = (uint32_t)n;
    shot->scale = scale_of(shot->width_px, shot->height_px, [ia_xc_front(op->agent) frame]);
    ia_xc_done(op);
}
