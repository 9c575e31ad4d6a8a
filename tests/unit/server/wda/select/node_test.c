/* A screen: numbers, attributes, what is seen, what VoiceOver reads, identity. */
#include "test.h"
#include "wda_trees.h"

/* An attribute as text: "null", "true", "7", "{1, 2, 3, 4}", or itself in quotes. */
static const char *show(const struct ia_wda_screen *s, int32_t node, const char *name)
{
    static char out[1200];
    enum ia_wda_attribute a;
    struct ia_wda_value v;
    static struct ia_err err;
    if (ia_wda_attribute(ia_str(name), &a, &err) != IA_OK) {
        return err.msg;
    }
    ia_wda_get(s, node, a, &v);
    switch (v.is) {
    case IA_WDA_NULL:
        return "null";
    case IA_WDA_BOOL:
        return v.truth ? "true" : "false";
    case IA_WDA_NUMBER:
        snprintf(out, sizeof(out), "%g", v.number);
        return out;
    case IA_WDA_TEXT:
        snprintf(out, sizeof(out), "'%.*s'", (int)v.text.n, v.text.p);
        return out;
    case IA_WDA_RECT_OF:
        snprintf(out, sizeof(out), "{%g, %g, %g, %g}", v.rect.x, v.rect.y, v.rect.w, v.rect.h);
        return out;
    }
    return "?";
}

static void elements_are_numbered_in_pre_order(void **state)
{
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    static const struct {
        int32_t node, parent, end, index;
    } rows[] = {
        {0, -1, COUNT, 0},  {1, 0, ALERT, 0},           {NAVIGATION, 1, LIST, 0},
        {BACK, 2, 4, 0},    {TITLE, 2, LIST, 1},        {LIST, 1, FIELD, 1},
        {WIFI, 5, 11, 1},   {WIFI_SWITCH, WIFI, 11, 1}, {BELOW_TEXT, BELOW, 13, 0},
        {HIDDEN, 1, 16, 4}, {ALERT, 0, COUNT, 1},       {TURN_OFF, ALERT, COUNT, 1},
    };
    assert_int_equal(s->count, COUNT);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        const struct ia_wda_node *n = &s->nodes[rows[i].node];
        assert_int_equal(n->parent, rows[i].parent);
        assert_int_equal(n->end, rows[i].end);
        assert_int_equal(n->index, rows[i].index);
    }
    const struct ia_node *n = ia_tree_root(s->tree);
    for (int32_t i = 0; i < s->count; i++, n = ia_node_next(n, ia_tree_root(s->tree))) {
        assert_ptr_equal(s->nodes[i].node, n);
    }
}

static void attributes_follow_the_rules_of_each_type(void **state)
{
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    static const struct {
        int32_t node;
        const char *name, *want;
    } rows[] = {
        {BACK, "type", "'XCUIElementTypeButton'"},
        {BACK, "name", "'BackButton'"},
        {BACK, "label", "'Back'"},
        {BACK, "value", "null"},
        {SAVE, "name", "'Save'"},
        {SAVE, "value", "'1'"}, /* selected */
        {SAVE, "selected", "true"},
        {TITLE, "value", "'Settings'"}, /* a text is its label */
        {BELOW_TEXT, "value", "'12'"},
        {WIFI, "value", "'1'"},
        {WIFI_SWITCH, "value", "'1'"},
        {WIFI_SWITCH, "name", "'Wi-Fi'"},
        {FIELD, "value", "'Search'"}, /* its placeholder */
        {FIELD, "placeholderValue", "'Search'"},
        {FIELD, "label", "''"}, /* not null in a text field */
        {FIELD, "focused", "true"},
        {LIST, "label", "null"},
        {LIST, "placeholderValue", "null"},
        {HIDDEN, "enabled", "false"},
        {SAVE, "enabled", "true"},
        {TURN_OFF, "index", "1"},
        {WIFI_SWITCH, "rect", "{320, 153, 52, 32}"}, /* rounded outwards */
        {WIFI_SWITCH, "frame", "{320, 153, 52, 32}"},
        {WIFI_SWITCH, "nativeFrame", "{320.25, 153.5, 51, 31}"},
        {TITLE, "traits", "'Header, StaticText'"},
        {SAVE, "traits", "'Button, Selected'"},
        {HIDDEN, "traits", "'Button, NotEnabled'"},
        {LIST, "traits", "''"},
        {BACK, "minValue", "null"},
        {BACK, "maxValue", "null"},
        {BACK, "customActions", "null"},
        {BACK, "wdName", "'BackButton'"},
        {WIFI_SWITCH, "wdRect", "{320, 153, 52, 32}"},
        {BACK, "wdVisible", "true"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_string_equal(show(s, rows[i].node, rows[i].name), rows[i].want);
    }
}

static void an_unknown_attribute_is_answered_with_all_names(void **state)
{
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    assert_string_equal(
        show(s, 0, "colour"),
        "The attribute 'colour' is unknown. Valid attribute names are: (UID, "
        "accessibilityContainer, accessible, customActions, enabled, focused, frame, hittable, "
        "index, "
        "label, maxValue, minValue, name, nativeAccessibilityElement, nativeFrame, "
        "placeholderValue, rect, selected, traits, type, value, visible)");
    static const char *const unknown[] = {"",    "wd",          "wdname",  "Name",
                                          "uid", "isWDVisible", "wdwdName"};
    enum ia_wda_attribute a;
    for (size_t i = 0; i < IA_COUNTOF(unknown); i++) {
        assert_int_equal(ia_wda_attribute(ia_str(unknown[i]), &a, NULL), IA_E_NOT_FOUND);
    }
    assert_int_equal(ia_wda_attribute(ia_str("wdUID"), &a, NULL), IA_OK);
    assert_string_equal(ia_wda_attribute_name(a), "UID");
}

static void lists_windows_and_the_screen_hide_what_lies_outside(void **state)
{
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    static const int32_t hidden[] = {BELOW, BELOW_TEXT, HIDDEN};
    for (int32_t i = 0; i < s->count; i++) {
        bool want = true;
        for (size_t k = 0; k < IA_COUNTOF(hidden); k++) {
            want = want && i != hidden[k];
        }
        assert_string_equal(show(s, i, "visible"), want ? "true" : "false");
        assert_string_equal(show(s, i, "hittable"), want ? "true" : "false");
    }
    assert_true(s->nodes[BELOW].seen.h == 0);
    assert_true(s->nodes[GENERAL].seen.h == 44);
}

static void the_part_that_a_list_shows_is_what_is_seen(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {0, IA_EL_APPLICATION, NULL, NULL, NULL, {0, 0, 100, 100}, 0, 0, NULL},
        {1, IA_EL_SCROLL_VIEW, NULL, NULL, NULL, {0, 0, 100, 40}, 0, 0, NULL},
        {2, IA_EL_TABLE, NULL, NULL, NULL, {0, 20, 100, 60}, 0, 0, NULL},
        {3, IA_EL_CELL, NULL, "half", NULL, {0, 30, 100, 20}, 0, 0, NULL},
        {3,
         IA_EL_CELL,
         NULL,
         "in the table, outside the scroll view",
         NULL,
         {0, 50, 100, 20},
         0,
         0,
         NULL},
        {1, IA_EL_OTHER, NULL, "does not clip", NULL, {0, 0, 1, 1}, 0, 0, NULL},
        {2, IA_EL_BUTTON, NULL, "free", NULL, {90, 90, 20, 20}, 0, 0, NULL},
        {2, IA_EL_BUTTON, NULL, "no area", NULL, {50, 50, 0, 20}, 0, 0, NULL},
    };
    struct ia_tree *t = tree_of(rows, IA_COUNTOF(rows));
    struct ia_wda_screen *s = ia_wda_screen_new(t);
    assert_true(s->nodes[3].seen.y == 30 && s->nodes[3].seen.h == 10);
    assert_string_equal(show(s, 4, "visible"), "false");
    assert_true(s->nodes[6].seen.w == 10 && s->nodes[6].seen.h == 10);
    assert_string_equal(show(s, 7, "visible"), "false");
    ia_wda_screen_free(s);
    ia_tree_free(t);
}

static void voice_over_reads_the_outermost_element(void **state)
{
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    static const struct {
        int32_t node;
        const char *accessible, *native, *container;
    } rows[] = {
        {0, "false", "false", "true"},
        {LIST, "false", "false", "true"},
        {WIFI, "true", "true", "true"},
        {WIFI_SWITCH, "false", "true", "false"}, /* the cell is read */
        {BACK, "true", "true", "false"},
        {FIELD, "true", "true", "false"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_string_equal(show(s, rows[i].node, "accessible"), rows[i].accessible);
        assert_string_equal(show(s, rows[i].node, "nativeAccessibilityElement"),
                            rows[i].native);
        assert_string_equal(show(s, rows[i].node, "accessibilityContainer"), rows[i].container);
    }
}

static void alike_elements_are_told_apart_by_ordinal(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {0, IA_EL_APPLICATION, NULL, NULL, NULL, {0, 0, 9, 9}, 0, 0, NULL},
        {1, IA_EL_BUTTON, "id", "first", NULL, {0, 0, 9, 9}, 0, 0, NULL},
        {1, IA_EL_BUTTON, "id", "second", NULL, {0, 0, 9, 9}, 0, 0, NULL},
        {1, IA_EL_BUTTON, NULL, "id", NULL, {0, 0, 9, 9}, 0, 0, NULL},
        {1, IA_EL_CELL, "id", NULL, NULL, {0, 0, 9, 9}, 0, 0, NULL},
    };
    struct ia_tree *t = tree_of(rows, IA_COUNTOF(rows));
    struct ia_wda_screen *s = ia_wda_screen_new(t);
    assert_true(s->nodes[1].kind == s->nodes[2].kind); /* the label does not count */
    assert_int_equal(s->nodes[1].ordinal, 0);
    assert_int_equal(s->nodes[2].ordinal, 1);
    assert_int_equal(s->nodes[2].alike, 2);
    assert_int_equal(s->nodes[3].alike, 1);
    assert_int_equal(s->nodes[4].alike, 1);
    char uid[5][IA_WDA_UID_SIZE];
    for (int32_t i = 0; i < s->count; i++) {
        ia_wda_uid(s, i, uid[i]);
        assert_int_equal(strlen(uid[i]), IA_WDA_UID_SIZE - 1);
        for (int32_t k = 0; k < i; k++) {
            assert_string_not_equal(uid[i], uid[k]);
            assert_true(s->nodes[i].path != s->nodes[k].path);
        }
    }
    ia_wda_screen_free(s);
    ia_tree_free(t);
}

static void the_same_element_has_the_same_uid_in_the_next_tree(void **state)
{
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    struct ia_tree *again = settings_tree();
    struct ia_wda_screen *s2 = ia_wda_screen_new(again);
    char was[IA_WDA_UID_SIZE], is[IA_WDA_UID_SIZE];
    for (int32_t i = 0; i < s->count; i++) {
        ia_wda_uid(s, i, was);
        ia_wda_uid(s2, i, is);
        assert_string_equal(was, is);
        assert_true(s->nodes[i].path == s2->nodes[i].path);
    }
    ia_tree_set_app(again, "com.example.other");
    ia_wda_uid(s, 3, was);
    ia_wda_uid(s2, 3, is);
    assert_string_not_equal(was, is);
    ia_wda_screen_free(s2);
    ia_tree_free(again);
}

/* "Delete" in each of three rows, and the first row goes: an id of the second is not the third's now. */
static void an_id_is_not_handed_on_to_another_element_like_it(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {0, IA_EL_APPLICATION, NULL, NULL, NULL, {0, 0, 9, 9}, 0, 0, NULL},
        {1, IA_EL_BUTTON, NULL, "Delete", NULL, {0, 0, 9, 3}, 0, 0, NULL},
        {1, IA_EL_BUTTON, NULL, "Delete", NULL, {0, 3, 9, 3}, 0, 0, NULL},
        {1, IA_EL_BUTTON, NULL, "Delete", NULL, {0, 6, 9, 3}, 0, 0, NULL},
    };
    char uid[2][2][IA_WDA_UID_SIZE];
    for (size_t gone = 0; gone < 2; gone++) {
        struct ia_tree *t = tree_of(rows, IA_COUNTOF(rows) - gone);
        struct ia_wda_screen *s = ia_wda_screen_new(t);
        ia_wda_uid(s, 1, uid[gone][0]);
        ia_wda_uid(s, 2, uid[gone][1]);
        ia_wda_screen_free(s);
        ia_tree_free(t);
    }
    assert_string_not_equal(uid[0][0], uid[1][0]);
    assert_string_not_equal(uid[0][1], uid[1][1]);
}

static void frames_are_rounded_outwards(void **state)
{
    (void)state;
    static const struct {
        struct ia_rect frame, want;
    } rows[] = {
        {{1, 2, 3, 4}, {1, 2, 3, 4}},         {{0.5, 0.5, 1, 1}, {0, 0, 2, 2}},
        {{-0.5, -1.5, 1, 1}, {-1, -2, 2, 2}}, {{10, 10, -4, -2}, {6, 8, 4, 2}},
        {{1e300, 0, 5, 5}, {-1, -1, 0, 0}},   {{0, 0, 1e300, 1e300}, {-1, -1, 0, 0}},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_node n = {.frame = rows[i].frame};
        struct ia_rect got = ia_wda_rect(&n);
        assert_memory_equal(&got, &rows[i].want, sizeof(got));
    }
}

static void types_are_found_by_their_full_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum ia_eltype want;
    } rows[] = {
        {"XCUIElementTypeButton", IA_EL_BUTTON},
        {"XCUIElementTypeAny", IA_EL_ANY},
        {"XCUIElementTypeNew", IA_EL_OTHER},
        {"XCUIElementType", IA_EL_COUNT},
        {"Button", IA_EL_COUNT},
        {"", IA_EL_COUNT},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_int_equal(ia_wda_type_from_name(ia_str(rows[i].name)), rows[i].want);
    }
}

static void a_deep_tree_and_an_empty_one_are_screens(void **state)
{
    (void)state;
    struct ia_tree *t = ia_tree_new();
    struct ia_wda_screen *s = ia_wda_screen_new(t);
    assert_int_equal(s->count, 0);
    ia_wda_screen_free(s);
    struct ia_node *n = NULL;
    for (int i = 0; i < IA_TREE_DEPTH_MAX; i++) {
        n = ia_tree_add(t, n, IA_EL_OTHER, (struct ia_rect){0, 0, 0, 0});
        assert_non_null(n);
    }
    s = ia_wda_screen_new(t);
    assert_int_equal(s->count, IA_TREE_DEPTH_MAX);
    assert_int_equal(s->nodes[IA_TREE_DEPTH_MAX - 1].parent, IA_TREE_DEPTH_MAX - 2);
    assert_int_equal(s->nodes[0].end, IA_TREE_DEPTH_MAX);
    ia_wda_screen_free(s);
    ia_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_SCREEN(elements_are_numbered_in_pre_order),
        ON_SCREEN(attributes_follow_the_rules_of_each_type),
        ON_SCREEN(an_unknown_attribute_is_answered_with_all_names),
        ON_SCREEN(lists_windows_and_the_screen_hide_what_lies_outside),
        cmocka_unit_test(the_part_that_a_list_shows_is_what_is_seen),
        ON_SCREEN(voice_over_reads_the_outermost_element),
        cmocka_unit_test(alike_elements_are_told_apart_by_ordinal),
        ON_SCREEN(the_same_element_has_the_same_uid_in_the_next_tree),
        cmocka_unit_test(an_id_is_not_handed_on_to_another_element_like_it),
        cmocka_unit_test(frames_are_rounded_outwards),
        cmocka_unit_test(types_are_found_by_their_full_names),
        cmocka_unit_test(a_deep_tree_and_an_empty_one_are_screens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
