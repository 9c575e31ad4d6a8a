/* ops_test.c: apps, trees and touches, performed by the bridge's own sources on the fake
 * iPhone. */
#include "host.h"

#include "test.h"

static struct host host;
static struct link to;

static int start(void **state)
{
    (void)state;
    host_start(&host, NULL);
    link_open(&to, &host);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    link_close(&to);
    assert_int_equal(host_stop(&host), 0);
    return 0;
}

/* ---- hello and info ---- */

static void hello_lists_all_requests_except_those_of_simulated_phones(void **state)
{
    (void)state;
    uint64_t all = 0;
    const struct ia_wire_op *op;
    for (size_t i = 0; (op = ia_wire_op_at(i)); i++) {
        all |= op->reply ? IA_WIRE_BIT(op->op) : 0;
    }
    assert_int_equal(to.hello.ops, all & ~IA_WIRE_BIT(IA_WIRE_OP_RESET));
    assert_int_equal(to.hello.features, 0);
}

static void info_describes_device_target_and_scale(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_INFO};
    struct ia_wire_reply reply;
    launch_fake(&to, NULL);
    link_call(&to, &req, &reply);
    const struct ia_wire_info_reply *info = &reply.u.info;
    assert_int_equal(reply.code, IA_WIRE_OK);
    assert_string_equal(info->kind, "xcuitest");
    assert_string_equal(info->bundle_id, FAKE_APP);
    assert_string_equal(info->app_name, "Fake \"app\"");
    assert_int_equal(info->app_state, IA_WIRE_APP_FOREGROUND);
    assert_true(info->width_pt == 390 && info->height_pt == 844 && info->scale == 2);
    assert_int_equal(info->orientation, IA_WIRE_PORTRAIT);
    assert_int_equal(info->notes_n, 0);
    assert_true(info->os[0] != 0);
    ia_wire_reply_fini(&reply);
}

/* ---- apps ---- */

static void launch_passes_arguments_and_environment(void **state)
{
    (void)state;
    static const char *const args[] = {"-language", "(de)", "\xc3\xa4"};
    static const struct ia_wire_pair env[] = {{"GREETING", "hi there"}};
    struct ia_wire_request req = {.op = IA_WIRE_OP_LAUNCH};
    req.u.launch = (struct ia_wire_launch){.bundle_id = FAKE_APP,
                                           .mode = IA_WIRE_LAUNCH_FRESH,
                                           .args = args,
                                           .args_n = 3,
                                           .env = env,
                                           .env_n = 1};
    must(&to, &req, IA_WIRE_SENT);
    assert_string_equal(label_of(&to, "fake.args"), "-language (de) \xc3\xa4|hi there");
}

static uint8_t state_of(const char *bundle_id)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_STATE};
    struct ia_wire_reply reply;
    req.u.bundle.bundle_id = bundle_id;
    link_call(&to, &req, &reply);
    assert_int_equal(reply.code, IA_WIRE_OK);
    assert_int_equal(reply.outcome, IA_WIRE_NONE);
    uint8_t app = reply.u.state.state;
    ia_wire_reply_fini(&reply);
    return app;
}

static void a_running_app_is_brought_to_the_front_unchanged(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_LAUNCH};
    struct ia_wire_request home = {.op = IA_WIRE_OP_PRESS_BUTTON};
    launch_fake(&to, NULL);
    assert_int_equal(act_on(&to, "count", 1000), IA_WIRE_OK);
    must(&to, &home, IA_WIRE_SENT);
    assert_int_equal(state_of(FAKE_APP), IA_WIRE_APP_BACKGROUND);
    req.u.launch.bundle_id = FAKE_APP;
    must(&to, &req, IA_WIRE_SENT);
    assert_int_equal(state_of(""), IA_WIRE_APP_FOREGROUND);
    assert_string_equal(label_of(&to, "counted"), "Count: 1");
}

static void terminate_ends_an_app_and_goes_back_to_springboard(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_TERMINATE};
    struct ia_wire_reply tree;
    launch_fake(&to, NULL);
    req.u.bundle.bundle_id = FAKE_APP;
    must(&to, &req, IA_WIRE_SENT);
    assert_int_equal(state_of(FAKE_APP), IA_WIRE_APP_NOT_RUNNING);
    must(&to, &req, IA_WIRE_SENT); /* it no longer runs, which is no error */
    take_tree(&to, &tree);
    assert_string_equal(tree.u.tree.app, "com.apple.springboard");
    assert_non_null(find_node(&tree, "Fake"));
    ia_wire_reply_fini(&tree);
    req.u.bundle.bundle_id = "com.apple.springboard";
    refused(&to, &req, IA_WIRE_E_USAGE, IA_WIRE_NOT_SENT);
}

static void an_app_that_is_not_installed_is_no_app(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_LAUNCH};
    req.u.launch.bundle_id = "com.example.none";
    refused(&to, &req, IA_WIRE_E_NO_APP, IA_WIRE_UNKNOWN);
}

static void target_changes_which_app_is_observed(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_TARGET};
    struct ia_wire_request tree = {.op = IA_WIRE_OP_TREE};
    struct ia_wire_request apps = {.op = IA_WIRE_OP_LIST_APPS};
    struct ia_wire_reply reply;
    launch_fake(&to, NULL);
    req.u.bundle.bundle_id = "com.example.other";
    must(&to, &req, IA_WIRE_SENT);
    refused(&to, &tree, IA_WIRE_E_NO_APP, IA_WIRE_NONE);
    tree.u.tree.app = FAKE_APP;
    must(&to, &tree, IA_WIRE_NONE);
    link_call(&to, &apps, &reply);
    assert_int_equal(reply.u.apps.apps_n, 2);
    assert_string_equal(reply.u.apps.apps[0].bundle_id, "com.example.other");
    assert_string_equal(reply.u.apps.apps[1].bundle_id, "com.apple.springboard");
    ia_wire_reply_fini(&reply);
}

/* ---- trees ---- */

static void a_tree_has_texts_states_and_frames(void **state)
{
    (void)state;
    struct ia_wire_reply tree;
    launch_fake(&to, NULL);
    take_tree(&to, &tree);
    const struct ia_wire_node *n = find_node(&tree, "count");
    assert_non_null(n);
    assert_int_equal(n->type, 9);
    assert_string_equal(n->label, "Count");
    assert_true(n->frame.x == 20 && n->frame.y == 100 && n->frame.w == 120 && n->frame.h == 44);
    assert_true(n->flags & IA_WIRE_NODE_ENABLED);
    assert_false(find_node(&tree, "disabled")->flags & IA_WIRE_NODE_ENABLED);
    assert_string_equal(find_node(&tree, "page")->value, "2"); /* a number, not a text */
    assert_string_equal(tree.u.tree.nodes[0].label, "Fake \"app\"");
    assert_string_equal(tree.u.tree.app, FAKE_APP);
    assert_int_equal(tree.u.tree.cut, 0);
    /* A node without texts and area is pruned, but counted as visited. */
    assert_int_equal(tree.u.tree.visited, tree.u.tree.nodes_n + 1);
    ia_wire_reply_fini(&tree);
}

static void a_label_with_half_a_character_loses_that_half_only(void **state)
{
    (void)state;
    launch_fake(&to, "FAKE_ODD", "1", NULL);
    assert_string_equal(label_of(&to, "odd"), "a\xf0\x9f\x91\xa9\xef\xbf\xbdz");
}

static void limits_cut_a_tree_and_are_reported(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_TREE};
    struct ia_wire_reply tree;
    launch_fake(&to, "FAKE_SCREEN", "list", "FAKE_NODES", "2000", NULL);
    link_call(&to, &req, &tree);
    assert_true(tree.u.tree.nodes_n > 2000 && tree.u.tree.cut == 0);
    ia_wire_reply_fini(&tree);
    req.u.tree.max_nodes = 100;
    link_call(&to, &req, &tree);
    assert_int_equal(tree.u.tree.visited, 100);
    assert_int_equal(tree.u.tree.cut, IA_WIRE_CUT_NODES);
    ia_wire_reply_fini(&tree);
    req.u.tree = (struct ia_wire_tree){.max_depth = 2};
    link_call(&to, &req, &tree);
    assert_int_equal(tree.u.tree.nodes_n, 2);
    assert_int_equal(tree.u.tree.cut, IA_WIRE_CUT_DEPTH);
    assert_true(tree.u.tree.nodes[1].flags & IA_WIRE_NODE_CUT);
    ia_wire_reply_fini(&tree);
}

static void a_tree_too_deep_for_one_snapshot_is_spliced(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_TREE};
    struct ia_wire_reply tree;
    launch_fake(&to, "FAKE_SCREEN", "deep", "FAKE_DEPTH", "80", NULL);
    req.u.tree.max_depth = 150;
    link_call(&to, &req, &tree);
    assert_int_equal(tree.code, IA_WIRE_OK);
    assert_int_equal(tree.u.tree.cut, IA_WIRE_CUT_SPLICED);
    const struct ia_wire_node *bottom = find_node(&tree, "bottom");
    assert_non_null(bottom);
    assert_int_equal(bottom->depth, 82);
    assert_string_equal(bottom->label, "Bottom");
    assert_non_null(find_node(&tree, "top"));
    assert_non_null(find_node(&tree, "fake.taps"));
    ia_wire_reply_fini(&tree);
}

static void springboard_is_shown_for_an_app_in_the_background(void **state)
{
    (void)state;
    struct ia_wire_request home = {.op = IA_WIRE_OP_PRESS_BUTTON};
    struct ia_wire_reply tree;
    launch_fake(&to, NULL);
    must(&to, &home, IA_WIRE_SENT);
    take_tree(&to, &tree);
    assert_string_equal(tree.u.tree.app, "com.apple.springboard");
    ia_wire_reply_fini(&tree);
    assert_int_equal(act_on(&to, "Fake", 1000), IA_WIRE_OK);
    assert_int_equal(state_of(""), IA_WIRE_APP_FOREGROUND);
}

/* ---- touches ---- */

static void points_are_touched_as_requested(void **state)
{
    (void)state;
    struct ia_wire_request tap = {.op = IA_WIRE_OP_TAP_POINT};
    struct ia_wire_request press = {.op = IA_WIRE_OP_LONG_PRESS_POINT};
    struct ia_wire_request drag = {.op = IA_WIRE_OP_DRAG};
    launch_fake(&to, NULL);
    tap.u.tap_point.at = (struct ia_wire_point){30.5, 110};
    must(&to, &tap, IA_WIRE_SENT);
    assert_string_equal(gesture_of(&to), "tap 30.5,110 x1");
    assert_string_equal(label_of(&to, "counted"), "Count: 1");
    tap.u.tap_point.taps = 2;
    must(&to, &tap, IA_WIRE_SENT);
    assert_string_equal(gesture_of(&to), "tap 30.5,110 x2");
    assert_int_equal(taps_of(&to), 3);
    tap.u.tap_point.taps = 3;
    refused(&to, &tap, IA_WIRE_E_UNSUPPORTED, IA_WIRE_NOT_SENT);
    press.u.long_press_point.at = (struct ia_wire_point){50, 60};
    press.u.long_press_point.duration_s = 1.5;
    must(&to, &press, IA_WIRE_SENT);
    assert_string_equal(gesture_of(&to), "press 50,60 for 1.5");
    drag.u.drag = (struct ia_wire_drag){.from = {100, 600},
                                        .to = {100, 300},
                                        .press_s = 0.05,
                                        .duration_s = 0.5,
                                        .hold_s = 0.25};
    must(&to, &drag, IA_WIRE_SENT);
    assert_string_equal(gesture_of(&to), "drag 100,600 to 100,300 after 0.05 at 600 hold 0.25");
    drag.u.drag.velocity = 900;
    must(&to, &drag, IA_WIRE_SENT);
    assert_string_equal(gesture_of(&to), "drag 100,600 to 100,300 after 0.05 at 900 hold 0.25");
}

static void a_pinch_goes_to_its_element_or_to_the_app(void **state)
{
    (void)state;
    struct ia_wire_selector map = by_id("map"), none = by_id("none");
    struct ia_wire_request req = {.op = IA_WIRE_OP_PINCH};
    launch_fake(&to, NULL);
    req.u.pinch.target.selector = &map;
    req.u.pinch.scale = 2.5;
    must(&to, &req, IA_WIRE_SENT);
    assert_string_equal(gesture_of(&to), "pinch map 2.5 at 1");
    req.u.pinch = (struct ia_wire_pinch){.scale = 0.5, .velocity = -3};
    must(&to, &req, IA_WIRE_SENT);
    assert_string_equal(gesture_of(&to), "pinch  0.5 at -3");
    req.u.pinch.velocity = 3; /* XCTest throws */
    refused(&to, &req, IA_WIRE_E_DEVICE, IA_WIRE_UNKNOWN);
    req.u.pinch.target.selector = &none;
    refused(&to, &req, IA_WIRE_E_NOT_FOUND, IA_WIRE_NOT_SENT);
}

static void an_element_is_tapped_at_its_centre_once(void **state)
{
    (void)state;
    launch_fake(&to, NULL);
    assert_int_equal(act_on(&to, "count", 1000), IA_WIRE_OK);
    assert_string_equal(gesture_of(&to), "tap 80,122 x1");
    assert_int_equal(taps_of(&to), 1);
    assert_int_equal(act_on(&to, "disabled", 0), IA_WIRE_E_DISABLED);
    assert_int_equal(act_on(&to, "none", 0), IA_WIRE_E_NOT_FOUND);
    assert_int_equal(taps_of(&to), 1);
}

static void switches_are_tapped_where_they_react(void **state)
{
    (void)state;
    launch_fake(&to, NULL);
    assert_int_equal(act_on(&to, "plain", 1000), IA_WIRE_OK);
    assert_string_equal(value_of(&to, "plain"), "1");
    assert_int_equal(act_on(&to, "row", 1000), IA_WIRE_OK);
    assert_string_equal(value_of(&to, "row"), "1");
    assert_string_equal(gesture_of(&to), "tap 344.5,384.5 x1");
    launch_fake(&to, "FAKE_SWITCH", "stuck", NULL);
    assert_int_equal(act_on(&to, "row", 1000), IA_WIRE_E_NO_EFFECT);
    assert_int_equal(taps_of(&to), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_lists_all_requests_except_those_of_simulated_phones),
        cmocka_unit_test(info_describes_device_target_and_scale),
        cmocka_unit_test(launch_passes_arguments_and_environment),
        cmocka_unit_test(a_running_app_is_brought_to_the_front_unchanged),
        cmocka_unit_test(terminate_ends_an_app_and_goes_back_to_springboard),
        cmocka_unit_test(an_app_that_is_not_installed_is_no_app),
        cmocka_unit_test(target_changes_which_app_is_observed),
        cmocka_unit_test(a_tree_has_texts_states_and_frames),
        cmocka_unit_test(a_label_with_half_a_character_loses_that_half_only),
        cmocka_unit_test(limits_cut_a_tree_and_are_reported),
        cmocka_unit_test(a_tree_too_deep_for_one_snapshot_is_spliced),
        cmocka_unit_test(springboard_is_shown_for_an_app_in_the_background),
        cmocka_unit_test(points_are_touched_as_requested),
        cmocka_unit_test(a_pinch_goes_to_its_element_or_to_the_app),
        cmocka_unit_test(an_element_is_tapped_at_its_centre_once),
        cmocka_unit_test(switches_are_tapped_where_they_react),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
