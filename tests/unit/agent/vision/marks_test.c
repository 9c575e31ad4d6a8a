/* capture_screen: a picture with numbers on what can be pointed at. */
#include "world.h"

#include "driver/snapshot/rect.h"

#include <math.h>

enum { MARKS = 128, LIST_BYTES_MAX = 4096 };

static void every_app_gets_marks_that_take_little_room(void **state)
{
    (void)state;
    struct ia_embedded_app app;
    struct world phones;
    world_open(&phones, NULL, NULL);
    for (int i = 0; ia_embedded_device_app(phones.device, i, &app); i++) {
        struct world w;
        struct mark all[MARKS];
        world_open(&w, "tree=off", app.bundle_id);
        call_ok(&w, "capture_screen", "{}", "marks that are no elements:");
        size_t n = marks(&w, all, MARKS);
        if (n < 4 || n > 64 || w.result.text.len > LIST_BYTES_MAX) {
            fail_msg("%s: %zu marks, %zu bytes", app.name, n, w.result.text.len);
        }
        for (size_t k = 0; k < n; k++) {
            assert_true(all[k].number > 0 && all[k].w >= 4 && all[k].h >= 4);
            assert_true(all[k].x > 0 && all[k].x < w.kept.width && all[k].y < w.kept.height);
        }
        world_close(&w);
    }
    world_close(&phones);
}

static void an_elements_mark_is_its_ref_and_is_not_listed_twice(void **state)
{
    (void)state;
    struct world w;
    struct mark all[MARKS];
    const struct ia_element *e;
    world_open(&w, NULL, SETTINGS);
    call_ok(&w, "capture_screen", "{}", "row");
    size_t n = marks(&w, all, MARKS), rows = 0;
    const struct ia_snapshot *s = ia_session_latest(w.env.session);
    for (size_t i = 0; (e = ia_snapshot_at(s, i)) != NULL; i++) {
        bool touched = (e->actions & IA_ACT_TAP) && e->reach == IA_REACH_OK && e->listed;
        for (size_t k = 0; touched && k < n; k++) {
            assert_int_not_equal(all[k].number, e->ref);
            assert_false(ia_rect_has(e->frame, (struct ia_point){all[k].x, all[k].y}));
        }
        rows += touched;
    }
    assert_true(rows > 5);
    world_close(&w);
}

static bool has_number(const struct mark *list, size_t n, unsigned number)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i].number == number) {
            return true;
        }
    }
    return false;
}

static void what_did_not_change_keeps_its_number_and_nothing_else_gets_it(void **state)
{
    (void)state;
    struct world w;
    struct mark before[MARKS], after[MARKS];
    world_open(&w, "tree=off", SKETCH);
    call_ok(&w, "capture_screen", "{}", NULL);
    size_t n = marks(&w, before, MARKS);
    unsigned green = mark_of(&w, 0x34c759).number;
    call_ok(&w, "capture_screen", "{}", NULL);
    call_ok(&w, "draw", "{'points':[[100,200],[300,400]]}", NULL);
    call_ok(&w, "capture_screen", "{}", NULL);
    size_t m = marks(&w, after, MARKS);
    assert_int_equal(m, n + 1);
    assert_int_equal(mark_of(&w, 0x34c759).number, green);
    for (size_t i = 0; i < n; i++) {
        assert_true(has_number(after, m, before[i].number));
    }
    assert_true(ia_session_last_ref(w.env.session) >= after[0].number);
    world_close(&w);
}

static void marks_and_grid_are_drawn_only_where_they_are_asked_for(void **state)
{
    (void)state;
    struct world w;
    struct ia_pixels plain;
    struct ia_pixels_change c;
    struct ia_buf png = IA_BUF((size_t)64 << 20);
    world_open(&w, "tree=off", SKETCH);
    assert_int_equal(ia_session_screenshot(w.env.session, &w.env.limit, &png, &w.err), IA_OK);
    assert_int_equal(ia_pixels_read(ia_buf_str(&png), &plain, &w.err), IA_OK);
    struct ia_rect all = {0, 0, plain.width, plain.height}, paper = {60, 100, 200, 500};
    call_ok(&w, "capture_screen", "{'marks':false}", NULL);
    assert_false(ia_pixels_differ(&plain, &w.kept, all, &c));
    call_ok(&w, "capture_screen", "{'marks':true}", NULL);
    assert_true(ia_pixels_differ(&plain, &w.kept, all, &c));
    assert_false(ia_pixels_differ(&plain, &w.kept, paper, &c));
    call_ok(&w, "capture_screen", "{'marks':false,'grid':true}", NULL);
    assert_true(ia_pixels_differ(&plain, &w.kept, paper, &c));
    ia_pixels_fini(&plain);
    ia_buf_fini(&png);
    world_close(&w);
}

static void a_region_is_cut_out_of_the_picture(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "tree=off", SKETCH);
    call_ok(&w, "capture_screen",
            "{'marks':false,'region':{'x':80,'y':760,'width':50,'height':40}}", NULL);
    assert_int_equal(w.kept.width, 50);
    assert_int_equal(w.kept.height, 40);
    assert_true(ia_pixels_apart(ia_pixels_at(&w.kept, 24, 24), 0xff3b30) < 8);
    call_refused(&w, "capture_screen", "{'region':{'x':900,'y':900,'width':5,'height':5}}",
                 IA_E_USAGE, "nothing of the screenshot");
    world_close(&w);
}

/* Whatever the scale of the device's pictures, a place is in points. */
static void marks_are_in_points_at_any_scale(void **state)
{
    (void)state;
    static const double scales[] = {0, 1, 2, 3};
    struct mark red[IA_COUNTOF(scales)];
    for (size_t i = 0; i < IA_COUNTOF(scales); i++) {
        struct world w;
        char input[64];
        world_open(&w, "tree=off", SKETCH);
        w.phone.scale = scales[i];
        call_ok(&w, "capture_screen", "{}", NULL);
        assert_int_equal(w.kept.width, 393);
        red[i] = mark_of(&w, 0xff3b30);
        assert_true(fabs(red[i].x - red[0].x) <= 1 && fabs(red[i].w - red[0].w) <= 2);
        (void)snprintf(input, sizeof(input), "{'mark':%u}", red[i].number);
        call_ok(&w, "tap_mark", input, "picture: changed");
        call_ok(&w, "capture_screen", "{}", NULL);
        call_ok(&w, "draw", "{'points':[[100,300],[200,300]]}",
                "picture: changed at 97,297 106x6");
        assert_state(&w, "{\"ink\":\"red\",\"x\":100,\"y\":300,\"to_x\":200,\"to_y\":300}");
        world_close(&w);
    }
}

static void another_apps_screen_is_not_captured(void **state)
{
    (void)state;
    static const char *const looks[][2] = {{"capture_screen", "{}"},
                                           {"read_text", "{}"},
                                           {"analyze_screen", "{'question':'What is it?'}"},
                                           {"watch_until", "{'until':'still'}"},
                                           {"find_and_tap", "{'description':'it'}"}};
    struct world w;
    world_open(&w, NULL, SETTINGS);
    w.hides = true;
    for (size_t i = 0; i < IA_COUNTOF(looks); i++) {
        assert_int_equal(call(&w, looks[i][0], looks[i][1]), IA_E_APP_LOCK);
        assert_null(w.kept.rgb);
        assert_int_equal(w.asked, 0);
        assert_null(strstr(said(&w), "Settings"));
    }
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_app_gets_marks_that_take_little_room),
        cmocka_unit_test(an_elements_mark_is_its_ref_and_is_not_listed_twice),
        cmocka_unit_test(what_did_not_change_keeps_its_number_and_nothing_else_gets_it),
        cmocka_unit_test(marks_and_grid_are_drawn_only_where_they_are_asked_for),
        cmocka_unit_test(a_region_is_cut_out_of_the_picture),
        cmocka_unit_test(marks_are_in_points_at_any_scale),
        cmocka_unit_test(another_apps_screen_is_not_captured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
