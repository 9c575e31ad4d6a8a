/* tree_test.c: building a tree: limits, pruning, sanitized texts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"

struct build {
    struct ia_bridge_tree t;
    struct ia_wire_reply reply;
};

static void begin(struct build *b, struct ia_wire_tree how)
{
    b->reply = (struct ia_wire_reply){.op = IA_WIRE_OP_TREE, .code = IA_WIRE_E_INTERNAL};
    ia_bridge_tree_begin(&b->t, &how, &b->reply);
}

static bool enter(struct build *b, const char *label, double area)
{
    struct ia_wire_node n = {.type = 1, .label = label, .frame = {0, 0, area, area}};
    return ia_bridge_tree_enter(&b->t, &n);
}

static const struct ia_wire_tree_reply *end(struct build *b)
{
    struct ia_wire_buf out = {0};
    ia_bridge_tree_end(&b->t, "a.b");
    assert_int_equal(b->reply.code, IA_WIRE_OK);
    assert_true(ia_wire_put_reply(&out, &b->reply, NULL));
    ia_wire_buf_fini(&out);
    return &b->reply.u.tree;
}

static void empty_nodes_are_pruned(void **state)
{
    (void)state;
    for (int unpruned = 0; unpruned < 2; unpruned++) {
        struct build b;
        begin(&b, (struct ia_wire_tree){.app = "", .flags = (uint8_t)unpruned});
        assert_true(enter(&b, "root", 1));
        assert_true(enter(&b, NULL, 0)); /* pruned, with its content */
        assert_true(enter(&b, NULL, 0));
        ia_bridge_tree_leave(&b.t);
        ia_bridge_tree_leave(&b.t);
        assert_true(enter(&b, "", 0)); /* kept for its child */
        assert_true(enter(&b, "x", 0));
        ia_bridge_tree_leave(&b.t);
        ia_bridge_tree_leave(&b.t);
        assert_true(enter(&b, NULL, 1)); /* kept for its area */
        ia_bridge_tree_leave(&b.t);
        ia_bridge_tree_leave(&b.t);
        const struct ia_wire_tree_reply *t = end(&b);
        assert_int_equal(t->nodes_n, unpruned ? 6 : 4);
        assert_int_equal(t->visited, 6);
        assert_int_equal(t->cut, 0);
        assert_int_equal(t->nodes[t->nodes_n - 1].depth, 1);
        assert_string_equal(t->app, "a.b");
        ia_wire_reply_fini(&b.reply);
    }
}

static void the_depth_limit_is_applied_and_reported(void **state)
{
    (void)state;
    struct build b;
    begin(&b, (struct ia_wire_tree){.app = "", .max_depth = 2});
    assert_true(enter(&b, "0", 1));
    assert_true(enter(&b, "1", 1));
    assert_false(enter(&b, "2", 1));
    ia_bridge_tree_leave(&b.t);
    ia_bridge_tree_leave(&b.t);
    const struct ia_wire_tree_reply *t = end(&b);
    assert_int_equal(t->nodes_n, 2);
    assert_int_equal(t->cut, IA_WIRE_CUT_DEPTH);
    assert_int_equal(t->nodes[0].flags & IA_WIRE_NODE_CUT, 0);
    assert_int_not_equal(t->nodes[1].flags & IA_WIRE_NODE_CUT, 0);
    ia_wire_reply_fini(&b.reply);
}

static void nodes_are_counted_before_pruning(void **state)
{
    (void)state;
    struct build b;
    begin(&b, (struct ia_wire_tree){.app = "", .max_nodes = 3});
    assert_true(enter(&b, "0", 1));
    for (int i = 0; i < 2; i++) {
        assert_true(enter(&b, NULL, 0));
        ia_bridge_tree_leave(&b.t);
    }
    assert_false(enter(&b, "3", 1));
    ia_bridge_tree_leave(&b.t);
    const struct ia_wire_tree_reply *t = end(&b);
    assert_int_equal(t->nodes_n, 1);
    assert_int_equal(t->visited, 3);
    assert_int_equal(t->cut, IA_WIRE_CUT_NODES);
    ia_wire_reply_fini(&b.reply);
}

static void the_default_limits_are_the_documented_ones(void **state)
{
    (void)state;
    struct build b;
    begin(&b, (struct ia_wire_tree){.app = ""});
    for (int i = 0; i < IA_BRIDGE_TREE_DEPTH; i++) {
        assert_true(enter(&b, "x", 1));
    }
    assert_false(enter(&b, "x", 1));
    ia_bridge_tree_leave(&b.t);
    for (int i = 0; i < IA_BRIDGE_TREE_NODES - IA_BRIDGE_TREE_DEPTH; i++) {
        assert_true(enter(&b, "x", 1));
        ia_bridge_tree_leave(&b.t);
    }
    assert_false(enter(&b, "x", 1));
    for (int i = 1; i < IA_BRIDGE_TREE_DEPTH; i++) {
        ia_bridge_tree_leave(&b.t);
    }
    const struct ia_wire_tree_reply *t = end(&b);
    assert_int_equal(t->nodes_n, IA_BRIDGE_TREE_NODES);
    assert_int_equal(t->cut, IA_WIRE_CUT_DEPTH | IA_WIRE_CUT_NODES);
    ia_wire_reply_fini(&b.reply);
}

static void values_from_apps_are_sanitized(void **state)
{
    (void)state;
    struct build b;
    char *longest = malloc(IA_WIRE_TEXT_MAX + 10);
    assert_non_null(longest);
    memset(longest, 'x', IA_WIRE_TEXT_MAX + 9);
    longest[IA_WIRE_TEXT_MAX + 9] = 0;
    begin(&b, (struct ia_wire_tree){.app = ""});
    struct ia_wire_node n = {.type = 999,
                             .label = "a\xff",
                             .identifier = "",
                             .value = longest,
                             .frame = {INFINITY, NAN, 10, 10}};
    assert_true(ia_bridge_tree_enter(&b.t, &n));
    ia_bridge_tree_leave(&b.t);
    const struct ia_wire_tree_reply *t = end(&b);
    assert_string_equal(t->nodes[0].label, "a\xef\xbf\xbd");
    assert_null(t->nodes[0].identifier);
    assert_int_equal(strlen(t->nodes[0].value), IA_WIRE_TEXT_MAX);
    assert_int_equal(t->nodes[0].type, 1);
    assert_true(t->nodes[0].frame.x == 0 && t->nodes[0].frame.y == 0);
    assert_int_equal(t->cut, IA_WIRE_CUT_BYTES);
    ia_wire_reply_fini(&b.reply);
    free(longest);
}

static void a_tree_of_many_long_texts_fits_into_a_frame(void **state)
{
    (void)state;
    struct build b;
    char *longest = malloc(IA_WIRE_TEXT_MAX + 1);
    assert_non_null(longest);
    memset(longest, '\x01', IA_WIRE_TEXT_MAX);
    longest[IA_WIRE_TEXT_MAX] = 0;
    begin(&b, (struct ia_wire_tree){.app = ""});
    assert_true(enter(&b, "root", 1));
    struct ia_wire_node n = {.label = longest, .value = longest, .identifier = longest};
    int entered = 0;
    while (ia_bridge_tree_enter(&b.t, &n)) {
        ia_bridge_tree_leave(&b.t);
        entered++;
    }
    ia_bridge_tree_leave(&b.t);
    assert_true(entered > 100);
    assert_int_equal(end(&b)->cut, IA_WIRE_CUT_BYTES);
    ia_wire_reply_fini(&b.reply);
    free(longest);
}

static void a_tree_without_nodes_is_empty(void **state)
{
    (void)state;
    struct build b;
    begin(&b, (struct ia_wire_tree){.app = ""});
    ia_bridge_tree_end(&b.t, "a.b");
    assert_int_equal(b.reply.code, IA_WIRE_E_TREE_EMPTY);
    ia_wire_reply_fini(&b.reply);
    begin(&b, (struct ia_wire_tree){.app = ""});
    assert_true(enter(&b, "root", 1)); /* given up midway */
    ia_bridge_tree_cut(&b.t, IA_WIRE_CUT_FAILED);
    ia_bridge_tree_end(&b.t, "a.b");
    ia_wire_reply_fail(&b.reply, IA_WIRE_E_APP_GONE, IA_WIRE_NONE, false, "it crashed");
    assert_false(b.reply.has_body);
    ia_wire_reply_fini(&b.reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_nodes_are_pruned),
        cmocka_unit_test(the_depth_limit_is_applied_and_reported),
        cmocka_unit_test(nodes_are_counted_before_pruning),
        cmocka_unit_test(the_default_limits_are_the_documented_ones),
        cmocka_unit_test(values_from_apps_are_sanitized),
        cmocka_unit_test(a_tree_of_many_long_texts_fits_into_a_frame),
        cmocka_unit_test(a_tree_without_nodes_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
