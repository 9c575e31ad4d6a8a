/* The canonical tree: order, caps, bad texts and frames, names of types. */
#include "test.h"

#include "driver/tree.h"

#include <math.h>

static const struct ia_rect box = {1, 2, 3, 4};

static void children_keep_their_order_and_parent(void **state)
{
    (void)state;
    struct ia_tree *t = ia_tree_new();
    struct ia_node *root = ia_tree_add(t, NULL, IA_EL_APPLICATION, box);
    struct ia_node *a = ia_tree_add(t, root, IA_EL_WINDOW, box);
    struct ia_node *b = ia_tree_add(t, root, IA_EL_BUTTON, box);
    assert_ptr_equal(ia_tree_root(t), root);
    assert_ptr_equal(root->first_child, a);
    assert_ptr_equal(root->last_child, b);
    assert_ptr_equal(a->next, b);
    assert_null(b->next);
    assert_ptr_equal(b->parent, root);
    assert_int_equal(b->flags, IA_NODE_ENABLED);
    assert_int_equal(b->type, IA_EL_BUTTON);
    assert_true(b->frame.w == 3 && b->frame.h == 4);
    assert_int_equal(ia_tree_count(t), 3);
    assert_false(ia_tree_truncated(t));
    ia_tree_free(t);
}

static void a_second_root_is_refused(void **state)
{
    (void)state;
    struct ia_tree *t = ia_tree_new();
    assert_non_null(ia_tree_add(t, NULL, IA_EL_APPLICATION, box));
    assert_null(ia_tree_add(t, NULL, IA_EL_APPLICATION, box));
    assert_int_equal(ia_tree_count(t), 1);
    ia_tree_free(t);
}

static void pre_order_stays_inside_the_subtree(void **state)
{
    (void)state;
    struct ia_tree *t = ia_tree_new();
    struct ia_node *root = ia_tree_add(t, NULL, IA_EL_APPLICATION, box);
    struct ia_node *a = ia_tree_add(t, root, IA_EL_CELL, box);
    struct ia_node *a1 = ia_tree_add(t, a, IA_EL_IMAGE, box);
    struct ia_node *a2 = ia_tree_add(t, a, IA_EL_SWITCH, box);
    struct ia_node *b = ia_tree_add(t, root, IA_EL_CELL, box);
    assert_ptr_equal(ia_node_next(root, root), a);
    assert_ptr_equal(ia_node_next(a, root), a1);
    assert_ptr_equal(ia_node_next(a1, root), a2);
    assert_ptr_equal(ia_node_next(a2, root), b);
    assert_null(ia_node_next(b, root));
    assert_null(ia_node_next(a2, a));
    assert_null(ia_node_next(b, b));
    ia_tree_free(t);
}

static void texts_become_valid_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        size_t n;
        const char *out;
    } rows[] = {
        {"plain", 5, "plain"},
        {"cut here", 3, "cut"},
        {"J\xC3\xBCrgen", 7, "J\xC3\xBCrgen"},
        {"a\xFF z", 4, "a\xEF\xBF\xBD z"},
        {"a\0b", 3,
         "a\xEF\xBF\xBD"
         "b"},
        {"ends \xE2\x82", 7, "ends \xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xED\xA0\x80", 3, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    };
    struct ia_tree *t = ia_tree_new();
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_string_equal(ia_tree_text(t, rows[i].in, rows[i].n), rows[i].out);
    }
    assert_null(ia_tree_text(t, NULL, 5));
    assert_null(ia_tree_text(t, "", 0));
    ia_tree_free(t);
}

static void a_long_text_is_cut_between_characters(void **state)
{
    (void)state;
    size_t n = IA_TREE_STRING_MAX + 10;
    char *s = malloc(n);
    memset(s, 'x', n);
    memcpy(s + IA_TREE_STRING_MAX - 1, "\xC3\xA9", 2);
    struct ia_tree *t = ia_tree_new();
    assert_int_equal(strlen(ia_tree_text(t, s, n)), IA_TREE_STRING_MAX - 1);
    ia_tree_free(t);
    free(s);
}

static void a_tree_deeper_than_the_cap_is_marked_truncated(void **state)
{
    (void)state;
    struct ia_tree *t = ia_tree_new();
    struct ia_node *n = NULL;
    for (int i = 0; i < IA_TREE_DEPTH_MAX; i++) {
        n = ia_tree_add(t, n, IA_EL_OTHER, box);
        assert_non_null(n);
    }
    assert_false(ia_tree_truncated(t));
    assert_null(ia_tree_add(t, n, IA_EL_OTHER, box));
    assert_true(ia_tree_truncated(t));
    assert_non_null(ia_tree_add(t, ia_tree_root(t), IA_EL_OTHER, box));
    ia_tree_free(t);
}

static void a_tree_with_too_many_nodes_is_marked_truncated(void **state)
{
    (void)state;
    struct ia_tree *t = ia_tree_new();
    struct ia_node *root = ia_tree_add(t, NULL, IA_EL_OTHER, box);
    for (int i = 1; i < IA_TREE_NODES_MAX; i++) {
        assert_non_null(ia_tree_add(t, root, IA_EL_OTHER, box));
    }
    assert_null(ia_tree_add(t, root, IA_EL_OTHER, box));
    assert_true(ia_tree_truncated(t));
    assert_int_equal(ia_tree_count(t), IA_TREE_NODES_MAX);
    ia_tree_free(t);
}

static void texts_beyond_the_byte_cap_are_refused(void **state)
{
    (void)state;
    char *s = malloc(IA_TREE_STRING_MAX);
    memset(s, 'x', IA_TREE_STRING_MAX);
    struct ia_tree *t = ia_tree_new();
    size_t got = 0;
    while (got <= IA_TREE_BYTES_MAX && ia_tree_text(t, s, IA_TREE_STRING_MAX)) {
        got += IA_TREE_STRING_MAX;
    }
    assert_true(got > IA_TREE_BYTES_MAX / 2 && got <= IA_TREE_BYTES_MAX);
    assert_true(ia_tree_truncated(t));
    ia_tree_free(t);
    free(s);
}

static void frames_that_are_not_numbers_become_zero(void **state)
{
    (void)state;
    struct ia_tree *t = ia_tree_new();
    struct ia_rect bad = {NAN, INFINITY, -INFINITY, 7};
    struct ia_node *n = ia_tree_add(t, NULL, IA_EL_OTHER, bad);
    assert_true(n->frame.x == 0 && n->frame.y == 0 && n->frame.w == 0 && n->frame.h == 7);
    ia_tree_free(t);
}

/* A screen with one difference, or none. */
static struct ia_tree *screen_with(int difference)
{
    struct ia_tree *t = ia_tree_new();
    struct ia_rect frame = box;
    frame.h += difference == 1 ? 1 : 0;
    struct ia_node *root = ia_tree_add(t, NULL, IA_EL_APPLICATION, box);
    struct ia_node *list = ia_tree_add(t, root, IA_EL_TABLE, box);
    struct ia_node *cell =
        ia_tree_add(t, list, difference == 2 ? IA_EL_BUTTON : IA_EL_CELL, frame);
    struct ia_node *last = ia_tree_add(t, difference == 3 ? list : root, IA_EL_BUTTON, box);
    cell->label = difference == 4 ? "Off" : "On";
    cell->value = difference == 5 ? NULL : "1";
    cell->identifier = difference == 6 ? "b" : "a";
    cell->placeholder = difference == 7 ? "p" : NULL;
    last->flags = difference == 8 ? 0 : IA_NODE_ENABLED;
    if (difference == 9) {
        (void)ia_tree_add(t, last, IA_EL_OTHER, box);
    }
    if (difference == 10) {
        (void)ia_tree_add(t, root, IA_EL_OTHER, box);
    }
    return t;
}

static void equal_trees_say_the_same_node_by_node(void **state)
{
    (void)state;
    struct ia_tree *first = screen_with(0);
    for (int difference = 0; difference <= 10; difference++) {
        struct ia_tree *other = screen_with(difference);
        assert_int_equal(ia_tree_equal(first, other), difference == 0);
        assert_int_equal(ia_tree_equal(other, first), difference == 0);
        ia_tree_free(other);
    }
    struct ia_tree *none = ia_tree_new();
    assert_false(ia_tree_equal(first, none));
    assert_true(ia_tree_equal(none, none));
    ia_tree_free(none);
    ia_tree_free(first);
}

static void the_app_is_the_last_one_set(void **state)
{
    (void)state;
    struct ia_tree *t = ia_tree_new();
    assert_null(ia_tree_app(t));
    ia_tree_set_app(t, "com.apple.Preferences");
    assert_string_equal(ia_tree_app(t), "com.apple.Preferences");
    ia_tree_set_app(t, NULL);
    assert_null(ia_tree_app(t));
    ia_tree_free(t);
    ia_tree_free(NULL);
}

static void type_names_go_both_ways(void **state)
{
    (void)state;
    for (int i = 0; i < IA_EL_COUNT; i++) {
        const char *name = ia_eltype_name((enum ia_eltype)i);
        char full[64];
        snprintf(full, sizeof(full), "XCUIElementType%s", name);
        assert_int_equal(ia_eltype_from_name(ia_str(name)), i);
        assert_int_equal(ia_eltype_from_name(ia_str(full)), i);
    }
    assert_string_equal(ia_eltype_name(IA_EL_STATUS_ITEM), "StatusItem");
    assert_string_equal(ia_eltype_name((enum ia_eltype)4711), "Other");
    assert_int_equal(ia_eltype_from_name(ia_str("Knob")), IA_EL_COUNT);
    assert_int_equal(ia_eltype_from_name(ia_str("")), IA_EL_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_keep_their_order_and_parent),
        cmocka_unit_test(a_second_root_is_refused),
        cmocka_unit_test(pre_order_stays_inside_the_subtree),
        cmocka_unit_test(texts_become_valid_utf8),
        cmocka_unit_test(a_long_text_is_cut_between_characters),
        cmocka_unit_test(a_tree_deeper_than_the_cap_is_marked_truncated),
        cmocka_unit_test(a_tree_with_too_many_nodes_is_marked_truncated),
        cmocka_unit_test(texts_beyond_the_byte_cap_are_refused),
        cmocka_unit_test(frames_that_are_not_numbers_become_zero),
        cmocka_unit_test(equal_trees_say_the_same_node_by_node),
        cmocka_unit_test(the_app_is_the_last_one_set),
        cmocka_unit_test(type_names_go_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
