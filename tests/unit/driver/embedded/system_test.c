/* What the phone's system is told beside touches: seen on its screen, in its state and after a
 * restart. */
#include "phone_fixture.h"

#include "driver/embedded/phone/system.h"

#define SKETCH "com.example.sketch"
#define HELLO                                                                                  \
    "{\"aps\":{\"alert\":{\"title\":\"Order shipped\",\"body\":\"It is on its way.\"}}}"

static struct ia_buf picture(struct ia_device *d)
{
    struct ia_buf png = IA_BUF((size_t)16 << 20);
    assert_int_equal(ia_device_screenshot_pt(d, &no_limit, &png, NULL), IA_OK);
    return png;
}

/* Whether the screen looks other than in `before`, which is freed. */
static bool looks_other(struct ia_device *d, struct ia_buf *before)
{
    struct ia_buf now = picture(d);
    bool other = !ia_str_eq(ia_buf_str(before), ia_buf_str(&now));
    ia_buf_fini(before);
    ia_buf_fini(&now);
    return other;
}

static void override(struct ia_device *d, const struct ia_status_bar *bar)
{
    assert_int_equal(ia_device_status_bar(d, &no_limit, bar, NULL), IA_OK);
}

static void permit(struct ia_device *d, enum ia_privacy set, const char *service)
{
    assert_int_equal(ia_device_privacy(d, &no_limit, set, service, SKETCH, NULL), IA_OK);
}

static void push(struct ia_device *d, const char *app, const char *payload)
{
    assert_int_equal(ia_device_push(d, &no_limit, app, ia_str(payload), NULL), IA_OK);
}

/* ---- status bar -------------------------------------------------------------------------- */

static void the_status_bar_shows_what_it_is_told_and_again_what_is_true(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    char *before = tree_text(d);
    struct ia_buf plain = picture(d);
    struct ia_status_bar bar = IA_STATUS_BAR;
    bar.time = "7:07";
    bar.battery_level = 12;
    bar.battery_state = "charging";
    override(d, &bar);
    assert_true(shows(d, "7:07"));
    assert_true(shows(d, "12% battery power, Charging"));
    assert_true(shows(d, "3 of 4 bars, signal strength")); /* left alone */
    assert_true(looks_other(d, &plain));
    plain = picture(d);
    bar = IA_STATUS_BAR;
    bar.wifi_bars = 1;
    bar.cellular_bars = 0;
    override(d, &bar); /* beside the others */
    assert_true(shows(d, "1 of 3 Wi-Fi bars"));
    assert_true(shows(d, "0 of 4 bars, signal strength"));
    assert_true(shows(d, "7:07"));
    assert_true(looks_other(d, &plain));
    assert_true(state_has(d, "\"status_bar\":{\"time\":\"7:07\",\"battery_state\":\"charging\","
                             "\"wifi_bars\":1,\"cellular_bars\":0,\"battery_level\":12}"));
    override(d, NULL);
    char *after = tree_text(d);
    assert_string_equal(before, after);
    assert_true(state_has(d, "\"status_bar\":null"));
    free(before);
    free(after);
    ia_device_close(d);
}

static void a_network_that_is_named_stands_where_the_wifi_stood(void **state)
{
    (void)state;
    static const struct {
        const char *network, *wifi, *cellular, *shown, *gone;
    } rows[] = {
        {"5g", NULL, NULL, "5G", "3 of 3 Wi-Fi bars"},
        {"hide", NULL, NULL, "3 of 4 bars, signal strength", "3 of 3 Wi-Fi bars"},
        {"wifi", NULL, NULL, "3 of 3 Wi-Fi bars", "5G"},
        {NULL, "failed", NULL, "3 of 4 bars, signal strength", "3 of 3 Wi-Fi bars"},
        {NULL, NULL, "failed", "No Service", "3 of 4 bars, signal strength"},
        {NULL, NULL, "searching", "Searching", "3 of 4 bars, signal strength"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_device *d = phone_new();
        struct ia_status_bar bar = IA_STATUS_BAR;
        bar.data_network = rows[i].network;
        bar.wifi_mode = rows[i].wifi;
        bar.cellular_mode = rows[i].cellular;
        override(d, &bar);
        assert_true(shows(d, rows[i].shown));
        assert_false(shows(d, rows[i].gone));
        ia_device_close(d);
    }
}

static void what_no_status_bar_shows_is_refused_before_it_is_logged(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_status_bar rows[] = {IA_STATUS_BAR, IA_STATUS_BAR, IA_STATUS_BAR, IA_STATUS_BAR};
    rows[1].battery_level = 101;
    rows[2].time = "9:41\n";
    rows[3].data_network = "6g";
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_err err = {0};
        assert_int_equal(ia_device_status_bar(d, &no_limit, &rows[i], &err), IA_E_USAGE);
        assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    }
    assert_true(state_has(d, "\"seq\":0"));
    ia_device_close(d);
}

/* ---- permissions ------------------------------------------------------------------------- */

static void save_drawing(struct ia_device *d)
{
    assert_int_equal(ia_device_open_url(d, &no_limit, "sketch://save", NULL), IA_OK);
}

static void an_app_asks_for_what_nobody_has_permitted(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    save_drawing(d);
    assert_true(shows_type(d, IA_EL_ALERT,
                           "\xE2\x80\x9CSketch\xE2\x80\x9D Would Like to Add to Your Photos"));
    tap(d, "Allow");
    assert_true(state_has(d, "\"media\":[\"Sketch 1.png\"]"));
    assert_true(state_has(d, "\"privacy\":[{\"app\":\"" SKETCH
                             "\",\"service\":\"photos-add\",\"granted\":true}]"));
    save_drawing(d); /* not asked a second time */
    assert_true(state_has(d, "\"alert\":null"));
    assert_true(state_has(d, "\"media\":[\"Sketch 1.png\",\"Sketch 2.png\"]"));
    ia_device_close(d);
}

static void an_app_does_not_ask_for_what_is_permitted_or_refused(void **state)
{
    (void)state;
    static const char *const services[] = {"photos-add", "all"};
    for (size_t i = 0; i < IA_COUNTOF(services); i++) {
        struct ia_device *d = phone_new();
        permit(d, IA_PRIVACY_GRANT, services[i]);
        save_drawing(d);
        assert_true(state_has(d, "\"alert\":null"));
        assert_true(state_has(d, "\"media\":[\"Sketch 1.png\"]"));
        permit(d, IA_PRIVACY_REVOKE, services[i]);
        save_drawing(d);
        assert_true(state_has(d, "\"alert\":\"Cannot Save\""));
        tap(d, "OK");
        permit(d, IA_PRIVACY_RESET, services[i]);
        save_drawing(d);
        assert_true(shows(d, "Don\xE2\x80\x99t Allow"));
        tap(d, "Don\xE2\x80\x99t Allow");
        assert_true(state_has(d, "\"granted\":false"));
        assert_true(state_has(d, "\"media\":[\"Sketch 1.png\"]"));
        assert_int_equal(ia_device_privacy(d, &no_limit, IA_PRIVACY_RESET, "all", NULL, NULL),
                         IA_OK);
        assert_true(state_has(d, "\"privacy\":[]"));
        ia_device_close(d);
    }
}

static void unknown_services_and_apps_are_refused(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    static const struct {
        enum ia_privacy set;
        const char *service, *app;
        enum ia_rc rc;
    } rows[] = {
        {IA_PRIVACY_GRANT, "camera", SKETCH, IA_E_UNSUPPORTED},
        {IA_PRIVACY_GRANT, "photos", NULL, IA_E_USAGE},
        {IA_PRIVACY_GRANT, "photos", "com.example.none", IA_E_NO_APP},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_err err = {0};
        assert_int_equal(
            ia_device_privacy(d, &no_limit, rows[i].set, rows[i].service, rows[i].app, &err),
            rows[i].rc);
        assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
        assert_true(err.hint[0] != '\0');
    }
    assert_true(state_has(d, "\"seq\":0"));
    ia_device_close(d);
}

/* ---- location, media, pasteboard --------------------------------------------------------- */

static void a_location_is_kept_until_it_is_cleared(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    const struct ia_location bern = {46.9481, 7.4474}, nowhere = {0, 181};
    assert_int_equal(ia_device_location(d, &no_limit, &bern, NULL), IA_OK);
    assert_true(state_has(d, "\"location\":{\"latitude\":46.9481,\"longitude\":7.4474}"));
    assert_int_equal(ia_device_location(d, &no_limit, &nowhere, NULL), IA_E_USAGE);
    assert_int_equal(ia_device_location(d, &no_limit, NULL, NULL), IA_OK);
    assert_true(state_has(d, "\"location\":null"));
    ia_device_close(d);
}

static void photos_are_added_by_name_and_only_those_that_are_there(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_new();
    struct ia_err err = {0};
    for (int i = 0; i < 2; i++) {
        FILE *f = fopen(file_path(folder, i ? "notes.txt" : "Zoo.JPG"), "w");
        assert_non_null(f);
        fclose(f);
    }
    assert_int_equal(ia_device_add_media(d, &no_limit, file_path(folder, "Zoo.JPG"), &err),
                     IA_OK);
    assert_true(state_has(d, "\"media\":[\"Zoo.JPG\"]"));
    assert_int_equal(ia_device_add_media(d, &no_limit, file_path(folder, "notes.txt"), &err),
                     IA_E_USAGE);
    assert_int_equal(ia_device_add_media(d, &no_limit, file_path(folder, "none.png"), &err),
                     IA_E_NOT_FOUND);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_true(state_has(d, "\"seq\":1"));
    for (int i = 1; i < IA_MEDIA_MAX; i++) {
        assert_int_equal(ia_device_add_media(d, &no_limit, file_path(folder, "Zoo.JPG"), &err),
                         IA_OK);
    }
    assert_int_equal(ia_device_add_media(d, &no_limit, file_path(folder, "Zoo.JPG"), &err),
                     IA_E_LIMIT);
    ia_device_close(d);
    folder_remove(folder);
}

static void assert_pasteboard(struct ia_device *d, const char *text)
{
    struct ia_buf b = IA_BUF(1 << 16);
    assert_int_equal(ia_device_pasteboard(d, &no_limit, &b, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&b), text);
    ia_buf_fini(&b);
}

static void the_pasteboard_gives_back_what_was_put_on_it(void **state)
{
    (void)state;
    static const char *const texts[] = {"Zo\xC3\xAB\n\tsecond line \"quoted\"", "x", ""};
    struct ia_device *d = phone_new();
    assert_pasteboard(d, "");
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        assert_int_equal(ia_device_set_pasteboard(d, &no_limit, ia_str(texts[i]), NULL), IA_OK);
        assert_pasteboard(d, texts[i]);
    }
    assert_int_equal(ia_device_set_pasteboard(d, &no_limit, (struct ia_str){"a\0b", 3}, NULL),
                     IA_E_USAGE);
    ia_device_close(d);
}

static void hold(struct ia_device *d, const char *name)
{
    struct ia_tree *t = tree_of(d);
    struct ia_rect f = find(t, IA_EL_ANY, name)->frame;
    ia_tree_free(t);
    assert_int_equal(ia_device_long_press(d, &no_limit,
                                          (struct ia_point){f.x + f.w / 2, f.y + f.h / 2}, 800,
                                          NULL),
                     IA_OK);
}

static void a_field_that_is_pressed_long_offers_to_paste(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    launch(d, CONTACTS);
    tap(d, "add");
    hold(d, "last-name");
    assert_false(shows(d, "Paste")); /* nothing to paste */
    assert_int_equal(ia_device_set_pasteboard(d, &no_limit, ia_str("van\nGogh \xC3\xAB"), NULL),
                     IA_OK);
    type(d, "V. ");
    hold(d, "last-name");
    assert_true(shows_type(d, IA_EL_MENU_ITEM, "Paste"));
    tap(d, "Paste");
    assert_value(d, "last-name", "V. van Gogh \xC3\xAB");
    assert_false(shows(d, "Paste"));
    hold(d, "first-name");
    assert_true(shows(d, "Paste"));
    tap(d, "last-name"); /* anything else takes it away */
    assert_false(shows(d, "Paste"));
    hold(d, "first-name");
    hold(d, "Done"); /* no field */
    assert_false(shows(d, "Paste"));
    char *live = state_of(d), *tree = tree_text(d);
    ia_device_close(d);
    d = phone_open(folder, "a");
    char *again = state_of(d), *tree_again = tree_text(d);
    assert_string_equal(live, again);
    assert_string_equal(tree, tree_again);
    free(live);
    free(again);
    free(tree);
    free(tree_again);
    ia_device_close(d);
    folder_remove(folder);
}

/* ---- notifications ----------------------------------------------------------------------- */

static void a_notification_is_a_banner_that_opens_its_app(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, SETTINGS);
    struct ia_buf before = picture(d);
    push(d, SHOP, HELLO);
    assert_true(shows_type(d, IA_EL_BUTTON, "Shop, now, Order shipped, It is on its way."));
    assert_true(looks_other(d, &before));
    assert_true(state_has(d, "\"notifications\":[{\"app\":\"" SHOP
                             "\",\"title\":\"Order shipped\","
                             "\"body\":\"It is on its way.\"}],\"banner\":true"));
    tap(d, "NotificationShortLookView");
    assert_true(state_has(d, "\"foreground\":\"" SHOP "\""));
    assert_true(state_has(d, "\"notifications\":[],\"banner\":false"));
    ia_device_close(d);
}

static void a_banner_goes_by_itself_and_the_notice_stays(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    push(d, NULL, "{\"Simulator Target Bundle\":\"" CONTACTS "\",\"aps\":{\"alert\":\"Hi\"}}");
    for (int i = 0; i < 4; i++) {
        assert_true(shows(d, "Contacts, now, Contacts, Hi"));
        launch(d, SETTINGS);
    }
    launch(d, SETTINGS);
    assert_false(shows(d, "Contacts, now, Contacts, Hi"));
    assert_true(state_has(d, "\"title\":\"Contacts\",\"body\":\"Hi\"}],\"banner\":false"));
    ia_device_close(d);
}

static void a_phone_that_must_not_disturb_shows_no_banner(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    assert_int_equal(ia_device_open_url(d, &no_limit, "prefs:root=DO_NOT_DISTURB", NULL),
                     IA_OK);
    tap(d, "do_not_disturb");
    push(d, SHOP, HELLO);
    assert_true(state_has(d, "\"title\":\"Order shipped\""));
    assert_true(state_has(d, "\"banner\":false"));
    ia_device_close(d);
}

static void notifications_that_cannot_be_delivered_are_refused(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    char *large = ia_alloc(IA_PUSH_BYTES_MAX + 2);
    memset(large, ' ', IA_PUSH_BYTES_MAX + 1);
    memcpy(large, HELLO, strlen(HELLO));
    large[IA_PUSH_BYTES_MAX + 1] = '\0';
    const struct {
        const char *app, *payload;
        enum ia_rc rc;
    } rows[] = {
        {SHOP, "not JSON", IA_E_USAGE},    {SHOP, "[]", IA_E_USAGE},
        {SHOP, "{\"aps\":1}", IA_E_USAGE}, {SHOP, large, IA_E_USAGE},
        {"a.b", HELLO, IA_E_NO_APP},       {NULL, HELLO, IA_E_NO_APP},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_err err = {0};
        assert_int_equal(
            ia_device_push(d, &no_limit, rows[i].app, ia_str(rows[i].payload), &err),
            rows[i].rc);
        assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    }
    for (int i = 0; i < IA_NOTICES_MAX + 5; i++) {
        push(d, SHOP, HELLO);
    }
    assert_true(state_has(d, "\"banner\":true"));
    free(large);
    ia_device_close(d);
}

/* ---- all of it --------------------------------------------------------------------------- */

static void everything_is_found_as_it_was_left_and_gone_after_a_reset(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    struct ia_status_bar bar = IA_STATUS_BAR;
    const struct ia_location bern = {46.9481, 7.4474};
    bar.time = "7:07";
    bar.operator_name = "";
    override(d, &bar);
    permit(d, IA_PRIVACY_GRANT, "photos");
    permit(d, IA_PRIVACY_REVOKE, "location");
    push(d, SHOP, HELLO);
    assert_int_equal(ia_device_location(d, &no_limit, &bern, NULL), IA_OK);
    assert_int_equal(ia_device_set_pasteboard(d, &no_limit, ia_str("a\n\"b\"\t\xC3\xAB"), NULL),
                     IA_OK);
    char *live = state_of(d), *tree = tree_text(d);
    ia_device_close(d);
    d = phone_open(folder, "a");
    char *again = state_of(d), *tree_again = tree_text(d);
    assert_string_equal(live, again);
    assert_string_equal(tree, tree_again);
    assert_int_equal(ia_device_reset(d, &no_limit, NULL), IA_OK);
    assert_true(state_has(d, "\"status_bar\":null,\"privacy\":[],\"location\":null,"
                             "\"notifications\":[],\"banner\":false,\"media\":[],"
                             "\"pasteboard\":\"\""));
    free(live);
    free(again);
    free(tree);
    free(tree_again);
    ia_device_close(d);
    folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_status_bar_shows_what_it_is_told_and_again_what_is_true),
        cmocka_unit_test(a_network_that_is_named_stands_where_the_wifi_stood),
        cmocka_unit_test(what_no_status_bar_shows_is_refused_before_it_is_logged),
        cmocka_unit_test(an_app_asks_for_what_nobody_has_permitted),
        cmocka_unit_test(an_app_does_not_ask_for_what_is_permitted_or_refused),
        cmocka_unit_test(unknown_services_and_apps_are_refused),
        cmocka_unit_test(a_location_is_kept_until_it_is_cleared),
        cmocka_unit_test(photos_are_added_by_name_and_only_those_that_are_there),
        cmocka_unit_test(the_pasteboard_gives_back_what_was_put_on_it),
        cmocka_unit_test(a_field_that_is_pressed_long_offers_to_paste),
        cmocka_unit_test(a_notification_is_a_banner_that_opens_its_app),
        cmocka_unit_test(a_banner_goes_by_itself_and_the_notice_stays),
        cmocka_unit_test(a_phone_that_must_not_disturb_shows_no_banner),
        cmocka_unit_test(notifications_that_cannot_be_delivered_are_refused),
        cmocka_unit_test(everything_is_found_as_it_was_left_and_gone_after_a_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
