/* The screen text that a model sees, read back. */
#include "test.h"

#include "mock/brain/screen.h"

static const char settings[] = "com.apple.Preferences 402x874 #3fa2: Settings\n"
                               "3 search:focused Search = wi\n"
                               "12 switch:on,disabled Airplane Mode\n"
                               "13 row Wi-Fi, Not Connected\n"
                               "14 button:disabled Edit\n"
                               "15 slider Brightness = 50%\n"
                               "16 switch Dark\n"
                               "17 image\n"
                               "18 field = typed\n"
                               "19 text \"= odd \\\"label\\\"\" = \"\\\\\"\n"
                               "+23 below: Privacy, Battery, General, …\n"
                               "40 keyboard 41 shift, 42 delete\n";

static const struct ia_brain_item *item(const struct ia_brain_screen *s, uint32_t ref)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->items[i].ref == ref) {
            return &s->items[i];
        }
    }
    fail_msg("no element %u", ref);
    return NULL;
}

static void a_complete_text_gives_every_element(void **state)
{
    (void)state;
    struct ia_brain_screen s;
    ia_brain_screen_init(&s);
    assert_true(ia_brain_screen_read(&s, ia_str(settings)));
    assert_string_equal(s.app, "com.apple.Preferences");
    assert_string_equal(s.title, "Settings");
    assert_int_equal(s.count, 10);
    assert_true(item(&s, 3)->focused);
    assert_string_equal(item(&s, 3)->value, "wi");
    assert_true(item(&s, 12)->on && item(&s, 12)->disabled && !item(&s, 12)->off);
    assert_string_equal(item(&s, 13)->label, "Wi-Fi, Not Connected");
    assert_true(item(&s, 16)->off);
    assert_false(item(&s, 14)->off);
    assert_string_equal(item(&s, 17)->label, "");
    assert_string_equal(item(&s, 18)->label, "");
    assert_string_equal(item(&s, 18)->value, "typed");
    assert_string_equal(item(&s, 19)->label, "= odd \"label\"");
    assert_string_equal(item(&s, 19)->value, "\\");
    assert_non_null(strstr(s.outside, "Battery"));
    assert_false(s.incomplete);
    ia_brain_screen_fini(&s);
}

static void changes_are_applied_to_it(void **state)
{
    (void)state;
    struct ia_brain_screen s;
    ia_brain_screen_init(&s);
    assert_true(ia_brain_screen_read(&s, ia_str(settings)));
    assert_true(ia_brain_screen_read(&s, ia_str("+ 50 alert Name Required\n"
                                                "- 13 row Wi-Fi, Not Connected\n"
                                                "~ 16 switch:on Dark\n"
                                                "~ 3 moved\n")));
    assert_int_equal(s.count, 10);
    assert_string_equal(item(&s, 50)->role, "alert");
    assert_true(item(&s, 16)->on && !item(&s, 16)->off);
    assert_string_equal(item(&s, 3)->label, "Search");
    assert_true(ia_brain_screen_read(&s, ia_str("nothing changed")));
    assert_int_equal(s.count, 10);
    ia_brain_screen_fini(&s);
}

static void a_new_screen_replaces_the_old_one(void **state)
{
    (void)state;
    struct ia_brain_screen s;
    ia_brain_screen_init(&s);
    assert_true(ia_brain_screen_read(&s, ia_str(settings)));
    assert_true(
        ia_brain_screen_read(&s, ia_str("new screen\n- 402x874 #0000 truncated: \"a \\\" b\"\n"
                                        "5 button OK\n(+12 left out: text limit)\n")));
    assert_string_equal(s.app, "");
    assert_string_equal(s.title, "a \" b");
    assert_int_equal(s.count, 1);
    assert_null(s.outside);
    assert_true(s.incomplete);
    ia_brain_screen_fini(&s);
}

static void changes_without_a_screen_and_other_text_are_nothing(void **state)
{
    (void)state;
    struct ia_brain_screen s;
    ia_brain_screen_init(&s);
    assert_false(ia_brain_screen_read(&s, ia_str("+ 5 button OK\n")));
    assert_false(ia_brain_screen_read(&s, ia_str("")));
    assert_false(ia_brain_screen_read(&s, ia_str("new screen")));
    assert_int_equal(s.count, 0);
    ia_brain_screen_fini(&s);
}

static void the_last_fenced_part_is_the_screen(void **state)
{
    (void)state;
    static const char message[] = "step 3 ok\n<screen k7f3>\none\n</screen k7f3>\nnotice: x\n"
                                  "<screen k7f3>\ntwo\nthree\n</screen k7f3>\nmore";
    assert_true(ia_str_is(ia_brain_screen_part(ia_str(message)), "two\nthree\n"));
    assert_int_equal(ia_brain_screen_part(ia_str("no screen here")).n, 0);
    assert_true(ia_str_is(ia_brain_screen_part(ia_str("<screen a>\nopen")), "open"));
}

static void selectors_find_by_role_and_exact_label(void **state)
{
    (void)state;
    static const struct {
        const char *selector;
        uint32_t ref;
    } cases[] = {
        {"\"Dark\"", 16},
        {"switch", 12},
        {"switch \"Dark\"", 16},
        {"button \"Edit\"", 14},
        {"\"dark\"", 0},
        {"slider \"Dark\"", 0},
        {"", 0},
        {"\"= odd \\\"label\\\"\"", 19},
    };
    struct ia_brain_screen s;
    ia_brain_screen_init(&s);
    assert_true(ia_brain_screen_read(&s, ia_str(settings)));
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        const struct ia_brain_item *found =
            ia_brain_screen_select(&s, ia_str(cases[i].selector));
        assert_int_equal(found ? found->ref : 0, cases[i].ref);
    }
    ia_brain_screen_fini(&s);
}

static void noting_keeps_what_was_ever_shown(void **state)
{
    (void)state;
    struct ia_brain_screen s;
    ia_brain_screen_init(&s);
    ia_brain_screen_note(&s, ia_str("tap: step 1 ok\n<screen a>\n+ 5 button OK\n- 5 button OK\n"
                                    "7 switch Dark\n~ 7 switch:on Dark\n</screen a>\n"));
    assert_int_equal(s.count, 2);
    assert_true(item(&s, 7)->on);
    ia_brain_screen_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_complete_text_gives_every_element),
        cmocka_unit_test(changes_are_applied_to_it),
        cmocka_unit_test(a_new_screen_replaces_the_old_one),
        cmocka_unit_test(changes_without_a_screen_and_other_text_are_nothing),
        cmocka_unit_test(the_last_fenced_part_is_the_screen),
        cmocka_unit_test(selectors_find_by_role_and_exact_label),
        cmocka_unit_test(noting_keeps_what_was_ever_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
