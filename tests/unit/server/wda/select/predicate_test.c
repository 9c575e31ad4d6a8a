/* Predicates: what holds, what is refused and where, what never ends. */
#include "test.h"

#include "server/wda/select/predicate.h"
#include "wda_predicates.h"
#include "wda_trees.h"

static void every_operator_holds_for_what_it_should(void **state)
{
    const struct wda_predicate *rows = wda_predicates;
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    for (size_t i = 0; i < IA_COUNTOF(wda_predicates); i++) {
        const char *got = found(s, 0, "predicate string", rows[i].text, false);
        if (strcmp(got, rows[i].want) != 0) {
            fail_msg("%s\n  found %s\n  not   %s", rows[i].text, got, rows[i].want);
        }
    }
}

static void a_search_below_an_element_stays_there(void **state)
{
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    assert_string_equal(found(s, WIFI, "predicate string", "label == 'Wi-Fi'", false),
                        "8 9 10");
    assert_string_equal(found(s, WIFI, "predicate string", "label == 'Wi-Fi'", true), "8");
    assert_string_equal(found(s, WIFI_SWITCH, "predicate string", "label == 'Back'", true), "");
}

static void a_mistake_is_told_with_its_place(void **state)
{
    static const struct {
        const char *predicate, *want;
    } rows[] = {
        {"", "there is no value at character 1, before ''"},
        {"name", "there is no comparison at character 5, before ''"},
        {"name ==", "there is no value at character 8, before ''"},
        {"name === 'x'", "there is no value at character 8, before '='"},
        {"name == 'x", "there is no value at character 9, before ''x'"},
        {"name == 'x' AND", "there is no value at character 16, before ''"},
        {"name == 'x' label", "something is left over at character 13, before 'label'"},
        {"(name == 'x'", "a bracket is not closed at character 13, before ''"},
        {"name == ('x'", "a bracket is not closed at character 13, before ''"},
        {"(name) AND name == 'x'", "there is no comparison at character 8, before 'AND'"},
        {"(name AND name)", "a bracket is not closed at character 7, before 'AND'"},
        {"NOT (name)", "there is no comparison at character 11, before ''"},
        {"name ==[x] 'x'", "the options may be c, d, n and l at character 6, before '=='"},
        {"name ==[] 'x'", "the options may be c, d, n and l at character 6, before '=='"},
        {"name == {'x'}", "a list goes behind IN or BETWEEN at character 14, before ''"},
        {"{'x'} == name", "a list goes behind IN or BETWEEN at character 14, before ''"},
        {"index BETWEEN {1}", "BETWEEN wants a list of two at character 18, before ''"},
        {"index BETWEEN 1", "BETWEEN wants a list of two at character 16, before ''"},
        {"name IN {'x', name}",
         "a list holds texts and numbers; at character 15, before 'name'"},
        {"name IN {'x'", "the list has no end at character 13, before ''"},
        {"name MATCHES label", "MATCHES wants a pattern in quotes at character 19, before ''"},
        {"ANY name == 'x'", "there is no value at character 1, before 'ANY'"},
        {"name == 1 + 1", "something is left over at character 11, before '+'"},
        {"name == $x", "there is no value at character 9, before '$'"},
    };
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char want[300];
        snprintf(want, sizeof(want), "STATE: Unable to parse the format string \"%s\": %s",
                 rows[i].predicate, rows[i].want);
        assert_string_equal(found(s, 0, "predicate string", rows[i].predicate, false), want);
    }
}

static void an_unknown_key_is_told_by_name(void **state)
{
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    const char *got = found(s, 0, "predicate string", "foo === 'x'", false);
    assert_memory_equal(got, "NOT_FOUND: The attribute 'foo' is unknown. Valid", 48);
    assert_string_equal(found(s, 0, "predicate string", "rect.z == 1", false),
                        "NOT_FOUND: The attribute 'rect' has no 'z'");
    assert_string_equal(found(s, 0, "predicate string", "visible.length == 1", false),
                        "NOT_FOUND: The attribute 'visible' has no 'length'");
}

static void a_bad_pattern_is_told(void **state)
{
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    static const char *const bad[] = {"(", "a)|(b", "[", "*", "(?P<x", "\\\\"};
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        char predicate[100];
        snprintf(predicate, sizeof(predicate), "label MATCHES '%s'", bad[i]);
        const char *got = found(s, 0, "predicate string", predicate, false);
        assert_memory_equal(got, "STATE: Unable to parse", 22);
    }
}

static void brackets_in_each_other_have_a_limit(void **state)
{
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    char deep[2000] = "";
    for (int n = IA_WDA_PREDICATE_DEPTH_MAX - 1; n <= IA_WDA_PREDICATE_DEPTH_MAX + 1; n++) {
        memset(deep, '(', (size_t)n);
        strcpy(deep + n, "name == 'wifi'");
        memset(deep + n + 14, ')', (size_t)n);
        deep[2 * n + 14] = '\0';
        const char *got = found(s, 0, "predicate string", deep, false);
        if (n <= IA_WDA_PREDICATE_DEPTH_MAX) {
            assert_string_equal(got, "8");
        } else {
            assert_non_null(strstr(got, "too many brackets in each other"));
        }
    }
    memset(deep, '!', 1000);
    strcpy(deep + 1000, "name == 'wifi'");
    assert_string_equal(found(s, 0, "predicate string", deep, false), "8");
    memset(deep, '(', 1900);
    deep[1900] = '\0';
    assert_non_null(strstr(found(s, 0, "predicate string", deep, false), "too many brackets"));
}

/* (a+)+ on a long row of a tries every way to part it. */
static void a_pattern_that_never_ends_is_given_up(void **state)
{
    (void)state;
    static char label[4001];
    memset(label, 'a', 4000);
    struct row rows[30] = {{0, IA_EL_APPLICATION, NULL, NULL, NULL, {0, 0, 9, 9}, 0, 0, NULL}};
    for (int i = 1; i < 30; i++) {
        rows[i] = (struct row){1, IA_EL_BUTTON, NULL, label, NULL, {0, 0, 9, 9}, 0, 0, NULL};
    }
    struct ia_tree *t = tree_of(rows, IA_COUNTOF(rows));
    struct ia_wda_screen *s = ia_wda_screen_new(t);
    assert_string_equal(found(s, 0, "predicate string", "label MATCHES '(a+)+[^a]'", false),
                        "TIMEOUT: the search took too long");
    ia_wda_screen_free(s);
    ia_tree_free(t);
}

/* As Foundation counts: 1 byte, 2, 3, and 4, which are two units. */
static void a_text_is_as_long_as_its_units_of_sixteen_bits(void **state)
{
    (void)state;
    static const char label[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
    const struct row rows[] = {
        {0, IA_EL_APPLICATION, NULL, label, NULL, {0, 0, 9, 9}, 0, 0, NULL}};
    struct ia_tree *t = tree_of(rows, IA_COUNTOF(rows));
    struct ia_wda_screen *s = ia_wda_screen_new(t);
    assert_string_equal(found(s, 0, "predicate string", "label.length == 5", false), "0");
    ia_wda_screen_free(s);
    ia_tree_free(t);
}

static void the_effort_ends_a_search(void **state)
{
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    struct ia_wda_predicate *p = NULL;
    assert_int_equal(ia_wda_predicate_new(ia_str("label LIKE '*a*a*a*b'"), &p, NULL), IA_OK);
    struct ia_wda_effort none = ia_wda_effort(-1);
    (void)ia_wda_spend(&none, 1000000);
    assert_false(ia_wda_predicate_holds(p, s, 0, &none));
    assert_int_equal(ia_wda_effort_check(&none, NULL), IA_E_TIMEOUT);
    ia_wda_predicate_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_SCREEN(every_operator_holds_for_what_it_should),
        ON_SCREEN(a_search_below_an_element_stays_there),
        ON_SCREEN(a_mistake_is_told_with_its_place),
        ON_SCREEN(an_unknown_key_is_told_by_name),
        ON_SCREEN(a_bad_pattern_is_told),
        ON_SCREEN(brackets_in_each_other_have_a_limit),
        cmocka_unit_test(a_pattern_that_never_ends_is_given_up),
        cmocka_unit_test(a_text_is_as_long_as_its_units_of_sixteen_bits),
        ON_SCREEN(the_effort_ends_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
