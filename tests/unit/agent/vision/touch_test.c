/* What touches by the picture: marks, points, lines, typing. None of it is a way around a rule. */
#include "world.h"

static char input[128];

static const char *mark_input(unsigned number)
{
    (void)snprintf(input, sizeof(input), "{'mark':%u}", number);
    return input;
}

static void what_was_chosen_on_a_picture_is_refused_once_the_screen_has_changed(void **state)
{
    (void)state;
    static const char line[] = "{'points':[[100,300],[200,300]]}";
    static const struct ia_deadline none = {NULL, IA_NO_DEADLINE};
    struct world w;
    world_open(&w, "tree=off", SKETCH);
    call_refused(&w, "tap_mark", "{'mark':7}", IA_E_NO_SNAPSHOT, "no mark of the last picture");
    call_refused(&w, "tap_point", "{'x':100,'y':300}", IA_E_NO_SNAPSHOT, "no picture");
    call_refused(&w, "draw", line, IA_E_NO_SNAPSHOT, "no picture");
    call_ok(&w, "capture_screen", "{}", NULL);
    unsigned red = mark_of(&w, 0xff3b30).number;
    call_refused(&w, "tap_mark", "{'mark':4000}", IA_E_STALE_REF,
                 "no mark of the last picture");
    /* Somebody else draws. */
    assert_int_equal(ia_device_drag(w.device, &none, (struct ia_point){100, 200},
                                    (struct ia_point){200, 300}, 100, &w.err),
                     IA_OK);
    call_refused(&w, "tap_mark", mark_input(red), IA_E_STALE_REF, "changed since the picture");
    call_refused(&w, "tap_point", "{'x':100,'y':300}", IA_E_STALE_REF, "since the picture");
    call_refused(&w, "draw", line, IA_E_STALE_REF, "changed since the picture");
    call_ok(&w, "capture_screen", "{}", NULL);
    assert_int_equal(mark_of(&w, 0xff3b30).number, red);
    call_ok(&w, "tap_mark", mark_input(red), "picture: changed at");
    call_refused(&w, "tap_mark", mark_input(red), IA_E_STALE_REF, "changed since the picture");
    /* What the tap changed was not shown; what a line itself draws is known. */
    call_refused(&w, "draw", line, IA_E_STALE_REF, "changed since the picture");
    call_ok(&w, "capture_screen", "{}", NULL);
    call_ok(&w, "draw", line, "picture: changed at");
    call_ok(&w, "draw", "{'points':[[100,320],[200,320]]}", "picture: changed at");
    call_ok(&w, "capture_screen", "{'region':{'x':0,'y':0,'width':393,'height':100}}", NULL);
    call_refused(&w, "draw", line, IA_E_STALE_REF, "not on the part");
    world_close(&w);
}

static void a_change_at_the_last_moment_is_seen_too(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "tree=off", SKETCH);
    call_ok(&w, "capture_screen", "{}", NULL);
    unsigned red = mark_of(&w, 0xff3b30).number;
    w.phone.touch_at = w.phone.pictures + 1; /* the one that tap_mark compares with */
    w.phone.touch = (struct ia_point){100, 200};
    assert_int_equal(call(&w, "tap_mark", mark_input(red)), IA_E_STALE_REF);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    call_ok(&w, "capture_screen", "{}", NULL);
    w.phone.touch_at = w.phone.pictures + 1;
    w.phone.touch = (struct ia_point){300, 200};
    assert_int_equal(call(&w, "draw", "{'points':[[100,300],[200,300]]}"), IA_E_STALE_REF);
    call_ok(&w, "capture_screen", "{}", NULL);
    call_ok(&w, "draw", "{'points':[[100,300],[200,300]]}", NULL);
    assert_state(&w, "\"ink\":\"black\",\"x\":100,\"y\":300");
    world_close(&w);
}

static void an_elements_mark_is_tapped_as_its_ref(void **state)
{
    (void)state;
    struct world w;
    struct ia_selector sel;
    world_open(&w, NULL, SETTINGS);
    call_ok(&w, "capture_screen", "{}", NULL);
    assert_int_equal(ia_selector_parse(ia_str("row \"General\""), &sel, NULL, &w.err), IA_OK);
    const struct ia_element *e = ia_snapshot_find(ia_session_latest(w.env.session), &sel);
    assert_non_null(e);
    call_ok(&w, "tap_mark", mark_input(e->ref), "About");
    assert_non_null(strstr(w.result.element, "General"));
    assert_true(w.result.has_box && w.result.changed && w.result.picture != 0);
    ia_selector_fini(&sel);
    world_close(&w);
}

static void a_point_says_which_element_lies_there(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, NULL, SETTINGS);
    call_ok(&w, "capture_screen", "{}", NULL);
    call_ok(&w, "tap_point", "{'x':120,'y':549}", "General");
    assert_non_null(strstr(w.result.element, "General"));
    assert_non_null(strstr(said(&w), "under the point:"));
    world_close(&w);
}

static void points_outside_and_lines_from_the_edge_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][3] = {
        {"tap_point", "{'x':393.5,'y':10}", "outside of the screen"},
        {"tap_point", "{'x':10,'y':9000}", "outside of the screen"},
        {"tap_point", "{'x':-1,'y':10}", "out of range"},
        {"draw", "{'points':[[100,850],[100,400]]}", "at the screen's edge"},
        {"draw", "{'points':[[100,5],[100,400]]}", "at the screen's edge"},
        {"draw", "{'points':[[5,400],[300,400]]}", "at the screen's edge"},
        {"draw", "{'points':[[100,100]]}", "2 to 64 points"},
        {"draw", "{'points':[]}", "2 to 64 points"},
        {"draw", "{'points':[[100,100],[100,100]]}", "the same as the one before"},
        {"draw", "{'points':[[100,100],[100]]}", "must be [x, y]"},
        {"draw", "{'points':[[100,100],[5000,100]]}", "outside"},
        {"tap_mark", "{'mark':0}", "out of range"},
        {"tap_mark", "{}", "mark"},
        {"find_and_tap", "{'description':''}", "description"},
        {"watch_until", "{'until':'never'}", "until"},
        {"watch_until", "{'until':'text'}", "needs the field text"},
        {"read_text", "{'language':'../../etc'}", "language"},
        {"type_focused", "{'text':''}", "text"},
    };
    struct world w;
    world_open(&w, "tree=off", SKETCH);
    call_ok(&w, "capture_screen", "{}", NULL);
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        call_refused(&w, bad[i][0], bad[i][1], IA_E_USAGE, bad[i][2]);
    }
    assert_state(&w, "\"sketch\":[]");
    world_close(&w);
}

static void a_line_has_a_stroke_for_each_part(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "tree=off", SKETCH);
    call_ok(&w, "capture_screen", "{}", NULL);
    call_ok(&w, "draw", "{'points':[[100,200],[300,200],[200,350],[100,200]]}",
            "picture: changed at 97,197");
    assert_state(
        &w, "\"sketch\":[{\"ink\":\"black\",\"x\":100,\"y\":200,\"to_x\":300,\"to_y\":200},"
            "{\"ink\":\"black\",\"x\":300,\"y\":200,\"to_x\":200,\"to_y\":350},"
            "{\"ink\":\"black\",\"x\":200,\"y\":350,\"to_x\":100,\"to_y\":200}]");
    world_close(&w);
}

static void what_is_disabled_is_not_tapped_by_a_point(void **state)
{
    (void)state;
    struct world w;
    const struct ia_element *e, *disabled = NULL;
    const struct ia_snapshot *s = NULL;
    world_open(&w, NULL, "com.apple.MobileAddressBook");
    call_ok(&w, "capture_screen", "{}", NULL);
    call_ok(&w, "tap_point", "{'x':365,'y':76}", "New Contact");
    assert_int_equal(ia_session_snapshot(w.env.session, &w.env.limit, &s, &w.err), IA_OK);
    for (size_t i = 0; (e = ia_snapshot_at(s, i)) != NULL; i++) {
        disabled = e->disabled && e->role == IA_ROLE_BUTTON ? e : disabled;
    }
    assert_non_null(disabled);
    (void)snprintf(input, sizeof(input), "{'x':%g,'y':%g}",
                   disabled->frame.x + disabled->frame.w / 2,
                   disabled->frame.y + disabled->frame.h / 2);
    call_refused(&w, "tap_point", input, IA_E_DISABLED, "");
    world_close(&w);
}

static void the_app_lock_holds_for_every_touch(void **state)
{
    (void)state;
    static const char *const touches[][2] = {{"tap_point", "{'x':120,'y':549}"},
                                             {"draw", "{'points':[[100,300],[100,400]]}"},
                                             {"type_focused", "{'text':'x'}"},
                                             {"find_and_tap", "{'description':'General'}"}};
    struct world w;
    world_open(&w, NULL, SETTINGS);
    call_ok(&w, "capture_screen", "{}", NULL);
    w.guard = IA_E_APP_LOCK;
    w.answer = "{'found':true,'x':120,'y':549,'what':'General'}";
    for (size_t i = 0; i < IA_COUNTOF(touches); i++) {
        call_refused(&w, touches[i][0], touches[i][1], IA_E_APP_LOCK, "locked to another app");
    }
    world_close(&w);
}

static void typing_goes_where_the_keyboard_is(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "tree=off", "com.apple.MobileAddressBook");
    call_ok(&w, "capture_screen", "{}", NULL);
    call_refused(&w, "type_focused", "{'text':'Lovelace'}", IA_E_NO_KEYBOARD, "");
    call_ok(&w, "tap_point", "{'x':365,'y':76}", "picture: changed");
    call_ok(&w, "capture_screen", "{}", NULL);
    call_ok(&w, "read_text", "{}", "Last name");
    /* The place of the line that reads so. */
    double x = 0, y = 0;
    const char *line = strstr(said(&w), "Last name");
    while (line && line > said(&w) && line[-1] != '\n') {
        line--;
    }
    assert_int_equal(sscanf(line, "%lf,%lf", &x, &y), 2);
    (void)snprintf(input, sizeof(input), "{'x':%g,'y':%g}", x + 5, y + 5);
    call_ok(&w, "tap_point", input, "picture: changed");
    call_ok(&w, "type_focused", "{'text':'Lovelace'}", "picture: changed");
    call_ok(&w, "read_text", "{}", "Lovelace");
    world_close(&w);
}

/* A secret must be in a field that the tree shows, or no picture could hide it. */
static void a_secret_is_typed_only_into_a_field_that_the_tree_shows(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "tree=off", "com.apple.MobileAddressBook");
    call_ok(&w, "capture_screen", "{}", NULL);
    call_ok(&w, "tap_point", "{'x':365,'y':76}", NULL);
    call_ok(&w, "capture_screen", "{}", NULL);
    call_ok(&w, "tap_point", "{'x':120,'y':320}", NULL);
    call_refused(&w, "type_focused", "{'text':'{{secret:PW}}'}", IA_E_STATE,
                 "could not be hidden");
    call_ok(&w, "type_focused", "{'text':'Ada'}", "picture: changed");
    world_close(&w);
    world_open(&w, NULL, "com.apple.MobileAddressBook");
    call_ok(&w, "capture_screen", "{}", NULL);
    call_ok(&w, "tap_point", "{'x':365,'y':76}", NULL);
    call_ok(&w, "capture_screen", "{}", NULL);
    call_ok(&w, "tap_point", "{'x':120,'y':320}", NULL);
    call_ok(&w, "type_focused", "{'text':'{{secret:PW}}'}", "picture: changed");
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_chosen_on_a_picture_is_refused_once_the_screen_has_changed),
        cmocka_unit_test(a_change_at_the_last_moment_is_seen_too),
        cmocka_unit_test(an_elements_mark_is_tapped_as_its_ref),
        cmocka_unit_test(a_point_says_which_element_lies_there),
        cmocka_unit_test(points_outside_and_lines_from_the_edge_are_refused),
        cmocka_unit_test(a_line_has_a_stroke_for_each_part),
        cmocka_unit_test(what_is_disabled_is_not_tapped_by_a_point),
        cmocka_unit_test(the_app_lock_holds_for_every_touch),
        cmocka_unit_test(typing_goes_where_the_keyboard_is),
        cmocka_unit_test(a_secret_is_typed_only_into_a_field_that_the_tree_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
