/* sdk_test.m: sdk/IOSAgent.h on GNUstep, with views of a stub (uikit_stub.m). What it tells is read by the
 * same code that reads it from a device. */
#import "uikit_stub.h"

#define IOS_AGENT_IMPLEMENTATION
#import "IOSAgent.h"

#include "agent/goal/app_state.h"
#include "driver/app_sdk.h"

#include "test.h"

/* ---- state ---- */

static const char *json(void)
{
    return [IOSAgentStateJSON() UTF8String];
}

/* The value as ios-agent reads it; "-" where there is none. */
static const char *read_back(const char *name)
{
    static char kept[1024];
    struct ia_buf value = IA_BUF(sizeof(kept) - 1);
    struct ia_err err = {0};
    enum ia_rc rc = ia_app_state_get(json(), name, &value, &err);
    if (rc != IA_OK && rc != IA_E_NOT_FOUND) {
        fail_msg("%s: %s", json(), err.msg);
    }
    (void)snprintf(kept, sizeof(kept), "%s", rc == IA_OK ? ia_buf_cstr(&value) : "-");
    ia_buf_fini(&value);
    return kept;
}

static int forget_all(void **state)
{
    (void)state;
    for (NSString *name in [IOSAgentEntries() allKeys]) {
        IOSAgentStateSet(name, nil);
    }
    return 0;
}

static void what_is_set_and_provided_is_told(void **state)
{
    (void)state;
    __block int items = 2;
    assert_string_equal(json(), "{\"v\":1,\"state\":{}}");
    IOSAgentStateSet(@"user", @"ada");
    IOSAgentStateProvide(@"cart.items", ^NSString *(void) {
      return items ? [NSString stringWithFormat:@"%d", items] : nil;
    });
    assert_string_equal(json(), "{\"v\":1,\"state\":{\"cart.items\":\"2\",\"user\":\"ada\"}}");
    items = 3;
    assert_string_equal(read_back("cart.items"), "3");
    items = 0;
    assert_string_equal(read_back("cart.items"), "-");
    IOSAgentStateSet(@"user", nil);
    assert_string_equal(json(), "{\"v\":1,\"state\":{}}");
}

static void every_text_comes_back_as_it_was(void **state)
{
    (void)state;
    static const char *const texts[] = {"",           "\"",
                                        "\\",         "a\nb\tc\x01\x1f\x7f",
                                        "Zo\xc3\xab", "\xf0\x9f\x98\x80 \xe2\x80\xae",
                                        "{\"v\":1}",  "\\u0041/"};
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        IOSAgentStateSet(@"a", [NSString stringWithUTF8String:texts[i]]);
        assert_string_equal(read_back("a"), texts[i]);
    }
}

static NSString *long_text(NSUInteger n, NSString *piece)
{
    return [@"" stringByPaddingToLength:n withString:piece startingAtIndex:0];
}

/* Half of an emoji, as cutting a text may leave it. */
@interface HalfPair : NSString
@end
@implementation HalfPair
- (NSUInteger)length
{
    return 2;
}
- (unichar)characterAtIndex:(NSUInteger)i
{
    return i == 0 ? 'a' : 0xd83d;
}
- (id)copyWithZone:(NSZone *)zone
{
    (void)zone;
    return [self retain];
}
@end

static void what_is_beyond_a_limit_is_left_out_and_counted(void **state)
{
    (void)state;
    IOSAgentStateSet(@"good", @"1");
    IOSAgentStateSet(@"no good", @"1");
    IOSAgentStateSet(@"", @"1");
    IOSAgentStateSet(@"caf\u00e9", @"1");
    IOSAgentStateSet(long_text(IA_APP_STATE_NAME_MAX + 1, @"n"), @"1");
    IOSAgentStateSet(@"long", long_text(IA_APP_STATE_VALUE_MAX + 1, @"v"));
    IOSAgentStateSet(@"bytes", long_text(IA_APP_STATE_VALUE_MAX - 1, @"\u00e9"));
    IOSAgentStateSet(@"half", [[HalfPair new] autorelease]);
    IOSAgentStateSet(@"nul", [NSString stringWithCharacters:(unichar[]){'a', 0} length:2]);
    IOSAgentStateProvide(@"throws", ^NSString *(void) {
      [NSException raise:@"Broken" format:@"no cart"];
      return @"x";
    });
    assert_string_equal(json(), "{\"v\":1,\"state\":{\"good\":\"1\"},\"left_out\":8}");
    (void)forget_all(NULL);
    IOSAgentStateSet(long_text(IA_APP_STATE_NAME_MAX, @"n"),
                     long_text(IA_APP_STATE_VALUE_MAX, @"v"));
    assert_null(strstr(json(), "left_out"));
}

/* However much an app tells, ios-agent can read it. */
static void no_state_is_larger_than_what_is_read(void **state)
{
    (void)state;
    static const struct {
        int values;
        NSUInteger bytes;
        const char *last, *left_out; /* the last that is told, of names "00", "01" … */
    } cases[] = {
        {64, 1, "63", NULL},
        {70, 1, "63", "\"left_out\":6"},
        {64, 55, "63", NULL},
        {64, 56, "62", "\"left_out\":1"},
        {20, 256, "14", "\"left_out\":5"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        for (int k = 0; k < cases[i].values; k++) {
            IOSAgentStateSet([NSString stringWithFormat:@"%02d", k],
                             long_text(cases[i].bytes, @"v"));
        }
        assert_true(strlen(json()) <= IA_APP_STATE_BYTES_MAX);
        assert_int_equal(strlen(read_back(cases[i].last)), cases[i].bytes);
        const char *said = strstr(json(), "\"left_out\"");
        if ((said != NULL) != (cases[i].left_out != NULL) ||
            (said && !strstr(said, cases[i].left_out))) {
            fail_msg("%zu: %zu bytes, %s", i, strlen(json()), said ? said : "nothing left out");
        }
        (void)forget_all(NULL);
    }
}

/* ---- views ---- */

@interface CartViewController : UIViewController
@end
@implementation CartViewController
@end
@interface PriceLabel : UIView
@end
@implementation PriceLabel
@end
@interface WKWebView : UIView
@end
@implementation WKWebView
@end

/* A window with a cart: a table of three cells with a button each, a stack with labels, a web view. */
struct cart {
    UIWindow *window;
    CartViewController *controller;
    UITableView *table;
    UITableViewCell *cells[3];
    UIControl *buttons[3];
    UIView *stack, *title, *total, *named, *wrapper, *page;
};

static UIView *label(UIView *in)
{
    UIView *l = [[PriceLabel new] autorelease];
    l.isAccessibilityElement = YES;
    [in addSubview:l];
    return l;
}

static struct cart cart(void)
{
    struct cart c = {.window = [UIWindow new],
                     .controller = [CartViewController new],
                     .table = [UITableView new],
                     .stack = [UIView new],
                     .wrapper = [UIView new],
                     .page = [WKWebView new]};
    c.window.stubKey = YES;
    c.window.rootViewController = c.controller;
    [c.controller.view addSubview:c.table];
    [c.controller.view addSubview:c.stack];
    [c.controller.view addSubview:c.page];
    label(c.page);
    for (NSUInteger i = 0; i < 3; i++) {
        c.cells[i] = [UITableViewCell new];
        c.buttons[i] = [UIControl new];
        [c.cells[i] addSubview:c.buttons[i]];
        [c.table stubPlace:c.cells[i] section:0 row:i];
    }
    c.title = label(c.stack);
    c.total = label(c.stack);
    [c.stack addSubview:c.wrapper];
    c.named = label(c.wrapper);
    c.named.accessibilityIdentifier = @"coupon";
    stub_windows([NSArray arrayWithObject:c.window]);
    return c;
}

static void is_called(UIView *view, const char *identifier)
{
    const char *has = [view.accessibilityIdentifier UTF8String];
    assert_string_equal(has ? has : "-", identifier);
}

static void views_are_called_by_where_they_stand(void **state)
{
    (void)state;
    struct cart c = cart();
    IOSAgentUpdate();
    is_called(c.table, "ia~CartViewController/UITableView0");
    is_called(c.cells[0], "ia~CartViewController/UITableView0/cell[0,0]");
    is_called(c.buttons[2], "ia~CartViewController/UITableView0/cell[0,2]/UIControl0");
    is_called(c.title, "ia~CartViewController/UIView0/PriceLabel0");
    is_called(c.total, "ia~CartViewController/UIView0/PriceLabel1");
    is_called(c.stack, "-"); /* a wrapper */
    is_called(c.wrapper, "-");
    is_called(c.named, "coupon"); /* the developer's */
    is_called(c.page, "-");
    is_called(c.page.subviews.firstObject, "-");
    assert_true(ia_sdk_generated([c.title.accessibilityIdentifier UTF8String]));
}

static void identifiers_follow_what_changes(void **state)
{
    (void)state;
    struct cart c = cart();
    IOSAgentUpdate();
    /* The first row goes, and its cell waits to be used again. */
    [c.table stubForget:c.cells[0]];
    [c.table stubPlace:c.cells[1] section:0 row:0];
    [c.table stubPlace:c.cells[2] section:0 row:1];
    /* The developer names what had no name, and the row's button is called by it from then on. */
    c.cells[2].accessibilityIdentifier = @"lamp";
    c.total.accessibilityIdentifier = @"total";
    c.named.accessibilityIdentifier = nil;
    c.stack.accessibilityIdentifier = @"sums";
    IOSAgentUpdate();
    is_called(c.cells[0], "-");
    is_called(c.buttons[0], "-");
    is_called(c.cells[1], "ia~CartViewController/UITableView0/cell[0,0]");
    is_called(c.cells[2], "lamp");
    is_called(c.buttons[2], "ia~CartViewController/UITableView0/cell[0,1]/UIControl0");
    is_called(c.total, "total");
    is_called(c.title, "ia~CartViewController/#sums/PriceLabel0");
    is_called(c.named, "ia~CartViewController/#sums/UIView0/PriceLabel0");
}

static void two_controllers_of_a_class_are_told_apart(void **state)
{
    (void)state;
    struct cart c = cart();
    CartViewController *other = [CartViewController new];
    [c.controller.view addSubview:other.view];
    UIView *inside = label(other.view);
    IOSAgentUpdate();
    is_called(inside, "ia~CartViewController1/PriceLabel0");
    is_called(c.title, "ia~CartViewController/UIView0/PriceLabel0");
}

static void a_long_path_is_cut_and_stays_unique(void **state)
{
    (void)state;
    struct cart c = cart();
    UIView *at = c.stack;
    for (int i = 0; i < 30; i++) {
        UIView *inner = [[UIView new] autorelease];
        [at addSubview:inner];
        at = inner;
    }
    UIView *one = label(at), *other = label(at);
    IOSAgentUpdate();
    assert_int_equal(one.accessibilityIdentifier.length, IA_SDK_IDENTIFIER_MAX);
    assert_int_equal(other.accessibilityIdentifier.length, IA_SDK_IDENTIFIER_MAX);
    assert_false([one.accessibilityIdentifier isEqualToString:other.accessibilityIdentifier]);
    /* The hash is FNV-1a of the whole, reckoned elsewhere. */
    is_called(one,
              "ia~CartViewController/UIView0/UIView1/UIView0/UIView0/UIView0/UIView0/UIView0/"
              "UIView0/UIView0/UIView0/U~f7706ed5f2618b9d");
}

static void nothing_is_endless(void **state)
{
    (void)state;
    struct cart c = cart();
    UIView *at = c.stack;
    for (int i = 0; i < 200; i++) {
        UIView *inner = [[UIView new] autorelease];
        [at addSubview:inner];
        at = inner;
    }
    UIView *deep = label(at);
    for (int i = 0; i < 5000; i++) {
        label(c.wrapper);
    }
    UIView *last = label(c.wrapper);
    IOSAgentUpdate();
    is_called(deep, "-");
    is_called(last, "-");
    is_called(c.title, "ia~CartViewController/UIView0/PriceLabel0");
}

/* ---- the state's element, and when it is looked after ---- */

static UIView *probe_in(UIView *view)
{
    for (UIView *inner in view.subviews) {
        if ([inner.accessibilityIdentifier isEqualToString:@IA_SDK_STATE]) {
            return inner;
        }
    }
    return nil;
}

static void the_state_is_shown_where_a_presentation_leaves_it_visible(void **state)
{
    (void)state;
    struct cart c = cart();
    UIViewController *sheet = [UIViewController new];
    UIWindow *keyboard = [UIWindow new];
    keyboard.windowLevel = 1;
    stub_windows([NSArray arrayWithObjects:c.window, keyboard, nil]);
    IOSAgentStateSet(@"user", @"ada");
    IOSAgentUpdate();
    UIView *probe = probe_in(c.window);
    assert_non_null(probe);
    assert_true(probe.isAccessibilityElement && !probe.userInteractionEnabled);
    assert_string_equal([probe.accessibilityValue UTF8String],
                        "{\"v\":1,\"state\":{\"user\":\"ada\"}}");
    [c.controller stubPresent:sheet];
    IOSAgentUpdate();
    assert_null(probe_in(c.window));
    assert_ptr_equal(probe_in(sheet.presentationController.containerView), probe);
    [c.controller stubPresent:nil];
    IOSAgentUpdate();
    assert_ptr_equal(probe_in(c.window), probe);
    assert_null(probe_in(keyboard));
    stub_windows([NSArray array]); /* in the background */
    IOSAgentUpdate();
}

/* Waits until the run loop's timers up to now have fired. */
static void let_timers_fire(void)
{
    NSDate *end = [NSDate dateWithTimeIntervalSinceNow:0.15];
    while ([end timeIntervalSinceNow] > 0) {
        [[NSRunLoop currentRunLoop] runMode:NSRunLoopCommonModes beforeDate:end];
    }
}

static void a_change_is_seen_also_when_it_comes_right_after_a_look(void **state)
{
    (void)state;
    struct cart c = cart();
    stub_turn(); /* nobody has asked for it yet */
    is_called(c.title, "-");
    IOSAgentStart();
    IOSAgentStart();
    stub_turn();
    is_called(c.title, "ia~CartViewController/UIView0/PriceLabel0");
    UIView *late = label(c.stack);
    stub_turn();
    is_called(late, "-"); /* too soon */
    stub_pass(0.2);
    let_timers_fire();
    stub_turn();
    is_called(late, "ia~CartViewController/UIView0/PriceLabel2");
}

int main(void)
{
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_set_and_provided_is_told, forget_all),
        cmocka_unit_test_teardown(every_text_comes_back_as_it_was, forget_all),
        cmocka_unit_test_teardown(what_is_beyond_a_limit_is_left_out_and_counted, forget_all),
        cmocka_unit_test_teardown(no_state_is_larger_than_what_is_read, forget_all),
        cmocka_unit_test_teardown(views_are_called_by_where_they_stand, forget_all),
        cmocka_unit_test_teardown(identifiers_follow_what_changes, forget_all),
        cmocka_unit_test_teardown(two_controllers_of_a_class_are_told_apart, forget_all),
        cmocka_unit_test_teardown(a_long_path_is_cut_and_stays_unique, forget_all),
        cmocka_unit_test_teardown(nothing_is_endless, forget_all),
        cmocka_unit_test_teardown(the_state_is_shown_where_a_presentation_leaves_it_visible,
                                  forget_all),
        cmocka_unit_test_teardown(a_change_is_seen_also_when_it_comes_right_after_a_look,
                                  forget_all),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    [pool drain];
    return failed;
}
