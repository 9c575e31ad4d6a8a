/* The phone on its side: who may be turned, what the screen is then, and what stays through it. */
#include "phone_fixture.h"

#include "driver/image/image.h"

#define CATALOG "com.example.apple-samplecode.UICatalog"
#define SKETCH "com.example.sketch"

static enum ia_rc turn(struct ia_device *d, enum ia_orientation o, struct ia_err *err)
{
    *err = (struct ia_err){0};
    return ia_device_orientation(d, &no_limit, o, err);
}

static void turned(struct ia_device *d, enum ia_orientation o)
{
    struct ia_err err;
    if (turn(d, o, &err) != IA_OK) {
        fail_msg("not turned: %s", err.msg);
    }
}

static struct ia_node *first(const struct ia_tree *t, enum ia_eltype type)
{
    struct ia_node *n = ia_tree_root(t);
    while (n && n->type != type) {
        n = ia_node_next(n, ia_tree_root(t));
    }
    return n;
}

static void press(struct ia_device *d, enum ia_button button)
{
    assert_int_equal(ia_device_press(d, &no_limit, button, NULL), IA_OK);
}

/* Tree, size and pictures say the same. */
static void assert_wide(struct ia_device *d, bool wide)
{
    struct ia_device_info info;
    struct ia_tree *t = tree_of(d);
    struct ia_rect f = ia_tree_root(t)->frame;
    struct ia_buf png = IA_BUF((size_t)16 << 20), small = IA_BUF((size_t)16 << 20);
    int w, h;
    assert_true(f.w == (wide ? 852 : 393) && f.h == (wide ? 393 : 852));
    assert_int_equal(first(t, IA_EL_STATUS_BAR) == NULL, wide);
    assert_int_equal(ia_device_info(d, &info, NULL), IA_OK);
    assert_true(info.width_pt == f.w && info.height_pt == f.h);
    assert_int_equal(ia_device_screenshot(d, &no_limit, &png, NULL), IA_OK);
    assert_int_equal(ia_png_size(ia_buf_str(&png), &w, &h, NULL), IA_OK);
    assert_true(w == f.w * 3 && h == f.h * 3);
    assert_int_equal(ia_device_screenshot_pt(d, &no_limit, &small, NULL), IA_OK);
    assert_int_equal(ia_png_size(ia_buf_str(&small), &w, &h, NULL), IA_OK);
    assert_true(w == f.w && h == f.h);
    assert_true(
        state_has(d, wide ? "\"orientation\":\"landscape" : "\"orientation\":\"portrait"));
    ia_buf_fini(&png);
    ia_buf_fini(&small);
    ia_tree_free(t);
}

static void refused(struct ia_device *d, enum ia_orientation o, const char *says)
{
    struct ia_err err;
    char *before = state_of(d);
    assert_int_equal(turn(d, o, &err), IA_E_UNSUPPORTED);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_string_equal(err.msg, says);
    char *after = state_of(d);
    assert_string_equal(before, after); /* the count of operations is in it */
    free(before);
    free(after);
}

static void only_some_apps_are_turned_and_nothing_of_the_system(void **state)
{
    (void)state;
    static const struct {
        const char *app, *says; /* NULL: it rotates */
    } apps[] = {{SETTINGS, NULL},
                {REMINDERS, NULL},
                {CATALOG, NULL},
                {CONTACTS, "app Contacts supports portrait only"},
                {SHOP, "app Shop supports portrait only"},
                {"com.apple.MobileSMS", "app Messages supports portrait only"},
                {"com.example.bank", "app Bank supports portrait only"},
                {SKETCH, "app Sketch supports portrait only"}};
    struct ia_device *d = phone_new();
    refused(d, IA_LANDSCAPE_LEFT, "the home screen supports portrait only");
    press(d, IA_BUTTON_LOCK);
    refused(d, IA_LANDSCAPE_RIGHT, "the lock screen supports portrait only");
    press(d, IA_BUTTON_HOME);
    for (size_t i = 0; i < IA_COUNTOF(apps); i++) {
        launch(d, apps[i].app);
        refused(d, IA_UPSIDE_DOWN, "no screen of an iPhone turns upside down");
        if (apps[i].says) {
            refused(d, IA_LANDSCAPE_LEFT, apps[i].says);
            continue;
        }
        turned(d, IA_LANDSCAPE_LEFT);
        assert_wide(d, true);
        turned(d, IA_LANDSCAPE_RIGHT);
        assert_wide(d, true);
        turned(d, IA_PORTRAIT);
        assert_wide(d, false);
    }
    ia_device_close(d);
}

static void a_phone_that_lies_so_already_does_nothing(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, SETTINGS);
    turned(d, IA_PORTRAIT);
    assert_true(state_has(d, "\"seq\":1,"));
    turned(d, IA_LANDSCAPE_LEFT);
    turned(d, IA_LANDSCAPE_LEFT);
    assert_true(state_has(d, "\"seq\":2,"));
    ia_device_close(d);
}

/* Left and right differ in where the camera is. */
static void both_ways_have_one_tree_and_two_pictures(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_buf left = IA_BUF((size_t)4 << 20), right = IA_BUF((size_t)4 << 20);
    launch(d, SETTINGS);
    turned(d, IA_LANDSCAPE_LEFT);
    char *one = tree_text(d);
    assert_int_equal(ia_device_screenshot_pt(d, &no_limit, &left, NULL), IA_OK);
    turned(d, IA_LANDSCAPE_RIGHT);
    char *two = tree_text(d);
    assert_int_equal(ia_device_screenshot_pt(d, &no_limit, &right, NULL), IA_OK);
    assert_string_equal(one, two);
    assert_true(left.len != right.len || memcmp(left.p, right.p, left.len) != 0);
    free(one);
    free(two);
    ia_buf_fini(&left);
    ia_buf_fini(&right);
    ia_device_close(d);
}

static bool has_content(enum ia_eltype type)
{
    switch (type) {
    case IA_EL_CELL:
    case IA_EL_BUTTON:
    case IA_EL_STATIC_TEXT:
    case IA_EL_SEARCH_FIELD:
    case IA_EL_TEXT_FIELD:
    case IA_EL_SWITCH:
    case IA_EL_IMAGE:
    case IA_EL_KEY:
        return true;
    default:
        return false;
    }
}

static void content_keeps_clear_of_the_camera(void **state)
{
    (void)state;
    static const char *const urls[] = {"prefs:root=General", "prefs:root=DISPLAY",
                                       "x-apple-reminderkit:", "uikitcatalog:"};
    struct ia_device *d = phone_new();
    for (size_t i = 0; i < IA_COUNTOF(urls); i++) {
        assert_int_equal(ia_device_open_url(d, &no_limit, urls[i], NULL), IA_OK);
        turned(d, i % 2 ? IA_LANDSCAPE_LEFT : IA_LANDSCAPE_RIGHT);
        struct ia_tree *t = tree_of(d);
        struct ia_node *root = ia_tree_root(t);
        int n = 0;
        for (struct ia_node *k = root; k; k = ia_node_next(k, root)) {
            if (has_content((enum ia_eltype)k->type)) {
                assert_true(k->frame.x >= 59 && k->frame.x + k->frame.w <= 852 - 59);
                n++;
            }
        }
        assert_true(n > 5);
        ia_tree_free(t);
    }
    ia_device_close(d);
}

static void touches_and_their_limits_are_those_of_the_wide_screen(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_err err = {0};
    launch(d, CATALOG);
    turned(d, IA_LANDSCAPE_LEFT);
    assert_int_equal(ia_device_tap(d, &no_limit, (struct ia_point){10, 393}, &err), IA_E_USAGE);
    assert_string_equal(err.hint, "the screen is 852 by 393 points");
    assert_int_equal(ia_device_tap(d, &no_limit, (struct ia_point){852, 10}, NULL), IA_E_USAGE);
    tap_at(d, 770, 74); /* at the right end of the first row */
    assert_true(state_has(d, "\"page\":\"Activity Indicators\""));
    drag(d, 5, 200, 300, 200); /* back from the left edge */
    assert_true(state_has(d, "\"page\":null"));
    drag(d, 400, 330, 400, 60);
    drag(d, 400, 330, 400, 60);
    drag(d, 400, 330, 400, 60);
    tap(d, "Web View"); /* the last one */
    assert_true(state_has(d, "\"page\":\"Web View\""));
    drag(d, 400, 385, 400, 100); /* from the foot: home */
    assert_true(state_has(d, "\"foreground\":\"com.apple.springboard\""));
    ia_device_close(d);
}

/* A list that is shorter on its side is scrolled within its ends after every turn. */
static void scrolling_stays_within_the_list(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, SETTINGS);
    turned(d, IA_LANDSCAPE_LEFT);
    for (int i = 0; i < 6; i++) {
        drag(d, 400, 330, 400, 20);
    }
    struct ia_tree *t = tree_of(d);
    const struct ia_node *last = find(t, IA_EL_CELL, "com.apple.settings.apps");
    assert_non_null(last);
    assert_true(last->frame.y + last->frame.h <= 393 - 21);
    ia_tree_free(t);
    turned(d, IA_PORTRAIT);
    t = tree_of(d);
    last = find(t, IA_EL_CELL, "com.apple.settings.apps");
    assert_true(last->frame.y + last->frame.h > 700);
    ia_tree_free(t);
    ia_device_close(d);
}

static void a_turn_keeps_the_keyboard_and_what_was_typed(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, CATALOG);
    drag(d, 200, 700, 200, 100);
    tap(d, "Text Fields");
    struct ia_tree *t = tree_of(d);
    /* The fifth of the six, which the keyboard of a wide screen would cover. */
    tap_at(d, 200, first(t, IA_EL_TABLE)->frame.y + 8 + 4.5 * 44);
    ia_tree_free(t);
    type(d, "Ada");
    turned(d, IA_LANDSCAPE_RIGHT);
    t = tree_of(d);
    const struct ia_node *board = first(t, IA_EL_KEYBOARD), *field = NULL;
    for (struct ia_node *n = ia_tree_root(t); n; n = ia_node_next(n, ia_tree_root(t))) {
        field = n->flags & IA_NODE_FOCUSED ? n : field;
    }
    assert_non_null(board);
    assert_non_null(field);
    assert_string_equal(field->value, "Ada");
    assert_true(board->frame.w == 852 && board->frame.y == 393 - board->frame.h);
    assert_true(field->frame.y >= 44 && field->frame.y + field->frame.h <= board->frame.y);
    ia_tree_free(t);
    static const char *const keys[] = {"q", "p",      "a",    "l", "space",
                                       "Z", "delete", "more", "0", "_"};
    for (size_t i = 0; i < IA_COUNTOF(keys); i++) {
        tap(d, keys[i]);
    }
    tap(d, "more");
    turned(d, IA_PORTRAIT);
    t = tree_of(d);
    for (struct ia_node *n = ia_tree_root(t); n; n = ia_node_next(n, ia_tree_root(t))) {
        if (n->flags & IA_NODE_FOCUSED) {
            assert_string_equal(n->value, "Adaqpal 0_");
        }
    }
    assert_non_null(first(t, IA_EL_KEYBOARD));
    ia_tree_free(t);
    tap(d, "Return");
    assert_true(state_has(d, "\"keyboard\":false"));
    ia_device_close(d);
}

static void a_turn_keeps_an_alert_in_the_middle_and_it_is_answered(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, CATALOG);
    tap(d, "Alert Views");
    tap(d, "Simple");
    turned(d, IA_LANDSCAPE_LEFT);
    struct ia_tree *t = tree_of(d);
    const struct ia_node *alert = find(t, IA_EL_ALERT, "A Short Title Is Best");
    assert_non_null(alert);
    double x = alert->frame.x + alert->frame.w / 2, y = alert->frame.y + alert->frame.h / 2;
    assert_true(x > 425 && x < 427 && y > 195 && y < 198);
    ia_tree_free(t);
    tap(d, "OK");
    assert_true(state_has(d, "\"alert\":null"));
    tap(d, "Text Entry");
    turned(d, IA_PORTRAIT);
    turned(d, IA_LANDSCAPE_RIGHT);
    type(d, "x");
    t = tree_of(d);
    alert = find(t, IA_EL_ALERT, "A Short Title Is Best");
    assert_true(alert->frame.y >= 0);
    assert_true(alert->frame.y + alert->frame.h <= first(t, IA_EL_KEYBOARD)->frame.y);
    ia_tree_free(t);
    assert_int_equal(ia_device_alert(d, &no_limit, IA_ALERT_BUTTON, "Cancel", NULL), IA_OK);
    assert_wide(d, true);
    ia_device_close(d);
}

static void the_home_screen_is_upright_and_an_app_as_the_phone_is_held(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_err err;
    launch(d, SETTINGS);
    turned(d, IA_LANDSCAPE_RIGHT);
    press(d, IA_BUTTON_HOME);
    assert_wide(d, false);
    assert_true(state_has(d, "\"held\":\"landscape_right\""));
    assert_int_equal(turn(d, IA_LANDSCAPE_RIGHT, &err), IA_E_UNSUPPORTED);
    launch(d, CONTACTS);
    assert_wide(d, false);
    launch(d, REMINDERS);
    assert_wide(d, true);
    press(d, IA_BUTTON_LOCK);
    assert_wide(d, false);
    press(d, IA_BUTTON_HOME);
    assert_wide(d, true);
    assert_int_equal(ia_device_terminate(d, &no_limit, REMINDERS, NULL), IA_OK);
    assert_wide(d, false);
    turned(d, IA_PORTRAIT); /* it is held otherwise, though nothing moves */
    launch(d, SETTINGS);
    assert_wide(d, false);
    turned(d, IA_LANDSCAPE_LEFT);
    assert_int_equal(ia_device_reset(d, &no_limit, NULL), IA_OK);
    launch(d, SETTINGS);
    assert_wide(d, false);
    ia_device_close(d);
}

static void a_notification_comes_in_the_middle(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, SETTINGS);
    turned(d, IA_LANDSCAPE_LEFT);
    assert_int_equal(
        ia_device_push(d, &no_limit, REMINDERS, ia_str("{\"aps\":{\"alert\":\"Milk\"}}"), NULL),
        IA_OK);
    struct ia_tree *t = tree_of(d);
    const struct ia_node *banner = find(t, IA_EL_BUTTON, "NotificationShortLookView");
    assert_non_null(banner);
    assert_true(banner->frame.x + banner->frame.w / 2 == 426 && banner->frame.y == 8);
    ia_tree_free(t);
    tap(d, "NotificationShortLookView");
    assert_true(state_has(d, "\"foreground\":\"com.apple.reminders\""));
    assert_wide(d, true);
    ia_device_close(d);
}

static void the_log_has_the_turn_and_replays_it(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    launch(d, SETTINGS);
    turned(d, IA_LANDSCAPE_RIGHT);
    tap(d, "com.apple.settings.wifi");
    char *before = tree_text(d);
    ia_device_close(d);
    d = phone_open(folder, "a");
    char *after = tree_text(d);
    assert_string_equal(before, after);
    assert_wide(d, true);
    free(before);
    free(after);
    ia_device_close(d);
    char log[4096] = "";
    FILE *f = fopen(file_path(folder, "a.log"), "r");
    assert_non_null(f);
    log[fread(log, 1, sizeof(log) - 1, f)] = '\0';
    fclose(f);
    assert_non_null(strstr(log, "\"op\":\"rotate\",\"to\":\"landscape_right\"}"));
    folder_remove(folder);
}

/* A film has one size: the wide screen lies on its side in it. */
static void a_film_goes_on_through_a_turn(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_new();
    struct ia_recording film = {.bytes = 0};
    char path[256];
    (void)snprintf(path, sizeof(path), "%s", file_path(folder, "film.png"));
    launch(d, SETTINGS);
    assert_int_equal(ia_device_record_start(d, &no_limit, path, NULL), IA_OK);
    turned(d, IA_LANDSCAPE_LEFT);
    turned(d, IA_LANDSCAPE_RIGHT);
    turned(d, IA_PORTRAIT);
    assert_int_equal(ia_device_record_stop(d, &no_limit, &film, NULL), IA_OK);
    assert_int_equal(film.frames, 4);
    ia_device_close(d);
    folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_some_apps_are_turned_and_nothing_of_the_system),
        cmocka_unit_test(a_phone_that_lies_so_already_does_nothing),
        cmocka_unit_test(both_ways_have_one_tree_and_two_pictures),
        cmocka_unit_test(content_keeps_clear_of_the_camera),
        cmocka_unit_test(touches_and_their_limits_are_those_of_the_wide_screen),
        cmocka_unit_test(scrolling_stays_within_the_list),
        cmocka_unit_test(a_turn_keeps_the_keyboard_and_what_was_typed),
        cmocka_unit_test(a_turn_keeps_an_alert_in_the_middle_and_it_is_answered),
        cmocka_unit_test(the_home_screen_is_upright_and_an_app_as_the_phone_is_held),
        cmocka_unit_test(a_notification_comes_in_the_middle),
        cmocka_unit_test(the_log_has_the_turn_and_replays_it),
        cmocka_unit_test(a_film_goes_on_through_a_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
