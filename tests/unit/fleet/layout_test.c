/* Labels, classes and subjects: what two processes must write alike. */
#include "test.h"

#include "fleet/layout.h"

static void labels_become_one_class_in_any_order(void **state)
{
    static const struct {
        const char *labels, *class_key; /* NULL: refused */
    } cases[] = {
        {"", "any"},
        {"os=18", "os=18"},
        {"os=18.5,Model=iPhone17", "model=iphone17,os=18:5"},
        {"model=iphone17,os=18.5", "model=iphone17,os=18:5"},
        {"a=1,b=2,c=3,d=4,e=5,f=6,g=7,h=8", "a=1,b=2,c=3,d=4,e=5,f=6,g=7,h=8"},
        {"a=1,b=2,c=3,d=4,e=5,f=6,g=7,h=8,i=9", NULL},
        {"os", NULL},
        {"os=", NULL},
        {"=18", NULL},
        {"os=*", NULL},
        {"os=1>", NULL},
        {"os=1 8", NULL},
        {"o.s=18", NULL},
        {"os=18,,a=1", NULL},
        {"os=\xc3\xa9", NULL},
        {"a=1234567890123456789012345678901234567890,b="
         "1234567890123456789012345678901234567890",
         NULL},
    };
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char class_key[IA_FLEET_CLASS_SIZE] = "";
        struct ia_err err = {0};
        enum ia_rc rc = ia_fleet_class(cases[i].labels, class_key, &err);
        print_message("%s\n", cases[i].labels);
        assert_int_equal(rc, cases[i].class_key ? IA_OK : IA_E_USAGE);
        if (rc == IA_OK) {
            assert_string_equal(class_key, cases[i].class_key);
            assert_true(ia_fleet_class_ok(class_key));
        }
    }
    assert_false(ia_fleet_class_ok("os=18,model=x")); /* not sorted */
    assert_false(ia_fleet_class_ok("OS=18"));
    assert_false(ia_fleet_class_ok("os=18.5"));
    assert_false(ia_fleet_class_ok(""));
}

static void a_worker_serves_what_its_labels_cover(void **state)
{
    (void)state;
    assert_true(ia_fleet_class_serves("model=iphone17,os=18:5", "os=18:5"));
    assert_true(ia_fleet_class_serves("model=iphone17,os=18:5", "any"));
    assert_true(ia_fleet_class_serves("any", "any"));
    assert_false(ia_fleet_class_serves("any", "os=18:5"));
    assert_false(ia_fleet_class_serves("os=18:5", "os=18"));
    assert_false(ia_fleet_class_serves("os=18:5", "model=x,os=18:5"));
    char value[16];
    ia_fleet_class_label("model=iphone17,os=18:5", "os", value, sizeof(value));
    assert_string_equal(value, "18:5");
    ia_fleet_class_label("model=iphone17,os=18:5", "mode", value, sizeof(value));
    assert_string_equal(value, "");
}

static void subjects_name_what_they_are_of(void **state)
{
    char s[IA_FLEET_SUBJECT_SIZE];
    (void)state;
    ia_fleet_subject(IA_FLEET_RUN, "os=18", "B", "R", s);
    assert_string_equal(s, "ia.run.os=18.B.R");
    ia_fleet_subject(IA_FLEET_PROPOSAL, "mac-1", "B", "R", s);
    assert_string_equal(s, "ia.proposed.mac-1.B.R");
    ia_fleet_subject(IA_FLEET_VERDICT, NULL, "B", "R", s);
    assert_string_equal(s, "ia.verdict.B.R");
    assert_true(ia_fleet_name_ok("mac-7_a"));
    assert_false(ia_fleet_name_ok("mac.7"));
    assert_false(ia_fleet_name_ok(""));
    assert_false(ia_fleet_name_ok("12345678901234567890123456789012345678901"));
}

static void a_due_time_has_one_subject(void **state)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    (void)state;
    ia_fleet_fired_subject("night.ly", 1793491200000, subject);
    assert_string_equal(subject, "ia.fired.night:ly.1793491200000");
    ia_fleet_fired_subject("a_b-c", -1, subject);
    assert_string_equal(subject, "ia.fired.a_b-c.-1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_become_one_class_in_any_order),
        cmocka_unit_test(a_worker_serves_what_its_labels_cover),
        cmocka_unit_test(subjects_name_what_they_are_of),
        cmocka_unit_test(a_due_time_has_one_subject),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
