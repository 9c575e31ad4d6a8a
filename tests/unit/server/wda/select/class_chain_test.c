/* Class chains: WebDriverAgent's own queries, what is found on a screen, what is refused. */
#include "test.h"

#include "server/wda/select/class_chain.h"
#include "source_dir.h"
#include "wda_trees.h"
#include "json/json.h"

static void each_query_of_webdriveragents_tests_is_judged_as_there(void **state)
{
    (void)state;
    json_t *all = json_load_file(IA_TEST_DATA "/wda/class_chain_vectors.json", 0, NULL);
    assert_int_equal(json_array_size(all), 44);
    size_t i, valid = 0;
    json_t *row;
    json_array_foreach(all, i, row)
    {
        struct ia_wda_chain *chain = NULL;
        struct ia_err err;
        struct ia_str query = ia_json_field(row, "query");
        enum ia_rc rc = ia_wda_chain_new(query, &chain, &err);
        bool want = json_is_true(json_object_get(row, "valid"));
        if ((rc == IA_OK) != want) {
            fail_msg("%s: %s", query.p, rc == IA_OK ? "is accepted" : err.msg);
        }
        if (want) {
            assert_int_equal(ia_wda_chain_items(chain),
                             json_integer_value(json_object_get(row, "segments")));
            valid++;
        } else {
            assert_int_equal(rc, IA_E_PARSE);
            assert_non_null(strstr(err.msg, "Cannot parse class chain query '"));
        }
        ia_wda_chain_free(chain);
    }
    assert_int_equal(valid, 13);
    json_decref(all);
}

static void what_a_chain_finds(void **state)
{
    static const struct {
        int32_t under;
        const char *chain, *want;
    } rows[] = {
        {0, "*", "1 16"},
        {0, "**/*", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18"},
        {0, "XCUIElementTypeApplication", ""}, /* the root is not found */
        {0, "**/XCUIElementTypeAny[`name == 'wifi'`]", "8"},
        {0, "XCUIElementTypeWindow", "1"},
        {0, "XCUIElementTypeWindow/*", "2 5 13 14 15"},
        {0, "XCUIElementTypeWindow/*[-1]", "15"},
        {0, "XCUIElementTypeWindow/*[2]", "5"},
        {0, "XCUIElementTypeWindow/*[6]", ""},
        {0, "XCUIElementTypeWindow/*[-6]", ""},
        {0, "XCUIElementTypeWindow/*[-5]", "2"},
        {0, "XCUIElementTypeTable", ""}, /* is no child */
        {0, "**/XCUIElementTypeTable", "5"},
        {0, "**/XCUIElementTypeTable/XCUIElementTypeCell", "6 8 11"},
        {0, "**/XCUIElementTypeTable/**/XCUIElementTypeStaticText", "7 9 12"},
        {0, "**/XCUIElementTypeCell[2]/XCUIElementTypeSwitch", "10"},
        {0, "**/XCUIElementTypeCell/XCUIElementTypeStaticText[2]",
         "9"}, /* of all, not of each */
        {0, "**/XCUIElementTypeCell[`visible == 1`]", "6 8"},
        {0, "**/XCUIElementTypeCell[$type == 'XCUIElementTypeSwitch'$]", "8"},
        {0, "**/XCUIElementTypeCell[$label == 'Wi-Fi'$][`name == 'wifi'`][1]", "8"},
        {0, "**/*[$name == 'wifi'$]", "1 5"}, /* not itself */
        {0, "**/*[`label BEGINSWITH 'W'`][-1]", "10"},
        {0, "**/XCUIElementTypeNew", ""},
        {0, "*/*/*/*", "7 9 10 12"},
        {0, "**/*/*[3]", "13"}, /* the window's children first, then those of what is in it */
        {0, "**/*/**/*/**/*", "3 4 6 7 8 9 10 11 12"}, /* each once */
        {LIST, "*[1]", "6"},
        {LIST, "**/XCUIElementTypeSwitch", "10"},
        {WIFI_SWITCH, "**/*", ""},
    };
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        const char *got = found(s, rows[i].under, "class chain", rows[i].chain, false);
        if (strcmp(got, rows[i].want) != 0) {
            fail_msg("%s: found %s, not %s", rows[i].chain, got, rows[i].want);
        }
    }
    assert_string_equal(found(s, 0, "class chain", "**/XCUIElementTypeCell", true), "6");
}

static void marks_are_doubled_to_stand_for_themselves(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {0, IA_EL_APPLICATION, NULL, NULL, NULL, {0, 0, 9, 9}, 0, 0, NULL},
        {1, IA_EL_CELL, "cell", NULL, NULL, {0, 0, 9, 9}, 0, 0, NULL},
        {2, IA_EL_STATIC_TEXT, NULL, "a`b$c", NULL, {0, 0, 9, 9}, 0, 0, NULL},
    };
    struct ia_tree *t = tree_of(rows, IA_COUNTOF(rows));
    struct ia_wda_screen *s = ia_wda_screen_new(t);
    assert_string_equal(found(s, 0, "class chain", "**/*[`label == 'a``b$c'`]", false), "2");
    assert_string_equal(found(s, 0, "class chain", "**/*[$label == 'a`b$$c'$]", false), "1");
    ia_wda_screen_free(s);
    ia_tree_free(t);
}

static void what_is_wrong_is_told_with_its_place(void **state)
{
    static const struct {
        const char *chain, *want;
    } rows[] = {
        {"", "Unexpected character detected at position 0:\n <----"},
        {"**/", "Unexpected character detected at position 3:\n**/ <----"},
        {"/x", "Unexpected character detected at position 1:\n/ <----"},
        {"*é", "Unexpected character detected at position 2:\n*é <----"},
        {"*[1]x", "Unexpected character detected at position 5:\n*[1]x <----"},
        {"Button", "'Button' class name is unknown to WDA"},
        {"*[`name == 'x']", "Cannot find the end of 'name == 'x']' predicate value."},
        {"*[1][`name == 'x'`]",
         "Predicate value 'name == 'x'' must be set before position value."},
        {"*[1][2]", "Position value '2' is expected to be set only once."},
        {"*[0]",
         "Position value '0' is expected to be a valid integer number not equal to zero."},
        {"*[--1]",
         "Position value '--1' is expected to be a valid integer number not equal to zero."},
        {"*[-]",
         "Position value '-' is expected to be a valid integer number not equal to zero."},
        {"*[99999999999]", "Position value '99999999999' is expected to be a valid integer "
                           "number not equal to zero."},
        {"*[`name ==`]", "Unable to parse the format string \"name ==\": there is no value at "
                         "character 8, before ''"},
        {"*[`x == 1`]", "The attribute 'x' is unknown."},
    };
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char want[400];
        snprintf(want, sizeof(want), "PARSE: Cannot parse class chain query '%s'. %s",
                 rows[i].chain, rows[i].want);
        const char *got = found(s, 0, "class chain", rows[i].chain, false);
        assert_int_equal(strncmp(got, want, strlen(want)), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_query_of_webdriveragents_tests_is_judged_as_there),
        ON_SCREEN(what_a_chain_finds),
        cmocka_unit_test(marks_are_doubled_to_stand_for_themselves),
        ON_SCREEN(what_is_wrong_is_told_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
