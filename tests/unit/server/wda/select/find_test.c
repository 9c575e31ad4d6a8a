/* The strategies that compare one attribute: what is found, in which order, what is refused. */
#include "test.h"
#include "wda_trees.h"

struct find_case {
    int32_t under;
    const char *using, *value, *want;
};

static void every(const struct ia_wda_screen *s, const struct find_case *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct find_case *r = &rows[i];
        assert_string_equal(found(s, r->under, r->using, r->value, false), r->want);
        char one[16] = "";
        snprintf(one, sizeof(one), "%.*s", (int)strcspn(r->want, " "), r->want);
        if (!strchr(r->want, ':')) {
            assert_string_equal(found(s, r->under, r->using, r->value, true), one);
        }
    }
}

static void each_strategy_finds_in_pre_order_and_begins_with_the_root(void **state)
{
    static const struct find_case rows[] = {
        {0, "accessibility id", "Wi-Fi", "9 10"}, /* the cell has an identifier of its own */
        {0, "id", "wifi", "8"},
        {0, "name", "BackButton", "3"},
        {0, "name", "Back", ""}, /* that is its label */
        {0, "name", "Settings", "0 2 4"},
        {0, "name", "", ""},
        {LIST, "name", "Settings", ""},
        {NAVIGATION, "name", "Settings", "2 4"}, /* itself counts */
        {0, "class name", "XCUIElementTypeCell", "6 8 11"},
        {0, "class name", "XCUIElementTypeApplication", "0"},
        {0, "class name", "XCUIElementTypeNever", ""}, /* there is no Other */
        {WIFI, "class name", "XCUIElementTypeAny", "8 9 10"},
        {0, "link text", "label=Back", "3"},
        {0, "link text", "wdLabel=Wi-Fi", "8 9 10"},
        {0, "link text", "wifi", "8"},
        {0, "link text", "label=a=Back", "3"}, /* the first and the last part */
        {0, "link text", "label=", "13"},      /* of a text field */
        {0, "link text", "enabled=true", ""},  /* is no text */
        {0, "partial link text", "label=Turn", "16 18"},
        {0, "partial link text", "Button", "3"},
    };
    every(((struct fixture *)*state)->screen, rows, IA_COUNTOF(rows));
}

static void what_cannot_be_is_refused(void **state)
{
    static const struct find_case rows[] = {
        {0, "css selector", "x", "USAGE: Invalid locator requested: css selector"},
        {0, "", "x", "USAGE: Invalid locator requested: "},
        {0, "class name", "Button",
         "USAGE: Invalid argument for class used 'Button'. Did you mean "
         "XCUIElementTypeButton?"},
        {0, "name", "\xff", "USAGE: a selector is UTF-8 without NUL"},
    };
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    every(s, rows, IA_COUNTOF(rows));
    const char *unknown = found(s, 0, "link text", "colour=red", false);
    assert_memory_equal(unknown, "NOT_FOUND: The attribute 'colour' is unknown.", 45);
    static char big[20000];
    memset(big, 'x', sizeof(big) - 1);
    assert_string_equal(found(s, 0, "name", big, false),
                        "LIMIT: a selector of 19999 bytes is longer than 16384");
}

static void an_empty_tree_has_nothing(void **state)
{
    (void)state;
    struct ia_tree *t = ia_tree_new();
    struct ia_wda_screen *s = ia_wda_screen_new(t);
    assert_string_equal(found(s, 0, "class name", "XCUIElementTypeAny", false), "");
    assert_string_equal(found(s, 0, "predicate string", "TRUEPREDICATE", false), "");
    ia_wda_screen_free(s);
    ia_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_SCREEN(each_strategy_finds_in_pre_order_and_begins_with_the_root),
        ON_SCREEN(what_cannot_be_is_refused),
        cmocka_unit_test(an_empty_tree_has_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
