/* faults_test.c: what can go wrong on a phone, and what the host is told. The fake app counts
 * touches: none is ever made twice, and none by a request that was answered not_sent. */
#include "host.h"

#include <fcntl.h>
#include <unistd.h>

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

/* ---- exceptions and issues ---- */

struct operation {
    const char *name; /* of the operation, in FAKE_* */
    struct ia_wire_request req;
    bool reads; /* it has no effect */
};

static const struct ia_wire_selector map = {.identifier = "map"};

static struct operation operations[] = {
    {"tap", {.op = IA_WIRE_OP_TAP_POINT, .u.tap_point = {.at = {30, 110}}}, false},
    {"press", {.op = IA_WIRE_OP_LONG_PRESS_POINT, .u.long_press_point = {{1, 2}, 0.1}}, false},
    {"drag", {.op = IA_WIRE_OP_DRAG, .u.drag = {.to = {9, 9}}}, false},
    {"pinch", {.op = IA_WIRE_OP_PINCH, .u.pinch = {{.selector = &map}, 2, 1}}, false},
    {"type", {.op = IA_WIRE_OP_TYPE_TEXT, .u.type_text = {"a"}}, false},
    {"type", {.op = IA_WIRE_OP_DELETE_TEXT, .u.delete_text = {1}}, false},
    {"button", {.op = IA_WIRE_OP_PRESS_BUTTON}, false},
    {"turn", {.op = IA_WIRE_OP_ORIENTATION, .u.orientation = {IA_WIRE_PORTRAIT}}, false},
    {"open", {.op = IA_WIRE_OP_OPEN_URL, .u.open_url = {"fake://a/b"}}, false},
    {"appearance", {.op = IA_WIRE_OP_APPEARANCE, .u.appearance = {IA_WIRE_LIGHT}}, false},
    {"pasteboard",
     {.op = IA_WIRE_OP_PASTEBOARD, .u.pasteboard = {IA_WIRE_PASTEBOARD_WRITE, "x"}},
     false},
    {"terminate", {.op = IA_WIRE_OP_TERMINATE, .u.bundle = {FAKE_APP}}, false},
    {"snapshot", {.op = IA_WIRE_OP_TREE}, true},
    {"audit", {.op = IA_WIRE_OP_AUDIT}, true},
    {"screenshot", {.op = IA_WIRE_OP_SCREENSHOT}, true},
};

/* Every operation under one fault: it fails with a text and with the outcome of its kind, and
 * the bridge keeps serving. */
static void every_operation_under(const char *fault, enum ia_wire_outcome outcome)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        const struct operation *o = &operations[i];
        struct ia_wire_reply reply;
        launch_fake(&to, "FAKE_SCREEN", "controls", fault, o->name, NULL);
        link_call(&to, &o->req, &reply);
        if (reply.code == IA_WIRE_OK || reply.outcome != (o->reads ? IA_WIRE_NONE : outcome)) {
            fail_msg("%s under %s: %s, outcome %d, '%s'", o->name, fault,
                     ia_wire_code_name(reply.code), reply.outcome, reply.text);
        }
        assert_true(reply.text && reply.text[0]);
        assert_int_equal(reply.retry_safe, o->reads || outcome == IA_WIRE_NOT_SENT);
        ia_wire_reply_fini(&reply);
    }
    launch_fake(&to, NULL);
    assert_int_equal(act_on(&to, "count", 1000), IA_WIRE_OK);
    assert_int_equal(taps_of(&to), 1);
}

static void exceptions_before_an_effect_are_of_unknown_outcome(void **state)
{
    (void)state;
    every_operation_under("FAKE_THROW", IA_WIRE_UNKNOWN);
}

static void any_thrown_object_is_caught(void **state)
{
    (void)state;
    every_operation_under("FAKE_THROW_STRING", IA_WIRE_UNKNOWN);
}

/* Typing has no focus here and so never reaches its late faults; some operations have no late
 * faults at all. */
static void issues_after_an_effect_are_of_unknown_outcome(void **state)
{
    (void)state;
    static const char *const faults[] = {"FAKE_RECORD", "FAKE_THROW_LATE"};
    for (size_t f = 0; f < 2; f++) {
        for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
            const struct operation *o = &operations[i];
            struct ia_wire_reply reply;
            if (o->reads || strcmp(o->name, "type") == 0) {
                continue;
            }
            launch_fake(&to, "FAKE_SCREEN", "controls", faults[f], o->name, NULL);
            link_call(&to, &o->req, &reply);
            assert_int_not_equal(reply.code, IA_WIRE_OK);
            assert_int_equal(reply.outcome, IA_WIRE_UNKNOWN);
            assert_false(reply.retry_safe);
            ia_wire_reply_fini(&reply);
        }
    }
}

static void a_tap_that_fails_afterwards_was_made_once(void **state)
{
    (void)state;
    launch_fake(&to, "FAKE_RECORD", "tap", NULL);
    assert_int_equal(act_on(&to, "count", 1000), IA_WIRE_E_DEVICE);
    assert_int_equal(taps_of(&to), 1);
    launch_fake(&to, "FAKE_THROW", "tap", NULL);
    assert_int_equal(act_on(&to, "count", 1000), IA_WIRE_E_DEVICE);
    assert_int_equal(taps_of(&to), 0);
}

static void typing_that_fails_midway_is_unknown(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_TYPE_TEXT, .u.type_text = {"abc"}};
    struct ia_wire_reply reply;
    launch_fake(&to, "FAKE_SCREEN", "text", "FAKE_THROW_LATE", "type", NULL);
    assert_int_equal(act_on(&to, "name", 1000), IA_WIRE_OK);
    link_call(&to, &req, &reply);
    assert_int_equal(reply.code, IA_WIRE_E_DEVICE);
    assert_int_equal(reply.outcome, IA_WIRE_UNKNOWN);
    ia_wire_reply_fini(&reply);
    assert_string_equal(value_of(&to, "name"), "abc");
}

/* ---- apps that end ---- */

static uint16_t tree_code(struct ia_wire_request *req)
{
    struct ia_wire_reply reply;
    req->op = IA_WIRE_OP_TREE;
    link_call(&to, req, &reply);
    uint16_t code = reply.code;
    ia_wire_reply_fini(&reply);
    return code;
}

static void a_crashed_app_is_distinguished_from_one_that_never_ran(void **state)
{
    (void)state;
    struct ia_wire_request req = {0};
    struct ia_wire_request launch = {.op = IA_WIRE_OP_LAUNCH,
                                     .u.launch = {.bundle_id = FAKE_APP}};
    struct ia_wire_reply reply;
    launch_fake(&to, "FAKE_CRASH", "tap", NULL);
    assert_int_equal(act_on(&to, "count", 1000), IA_WIRE_E_APP_GONE);
    assert_int_equal(tree_code(&req), IA_WIRE_E_APP_GONE);
    req.u.tree.app = "com.example.other";
    assert_int_equal(tree_code(&req), IA_WIRE_E_NO_APP);
    link_call(&to, &launch, &reply);
    assert_int_equal(reply.code, IA_WIRE_OK);
    ia_wire_reply_fini(&reply);
    req.u.tree.app = "";
    assert_int_equal(tree_code(&req), IA_WIRE_OK);
}

static void an_app_that_dies_at_launch_is_no_app(void **state)
{
    (void)state;
    static const struct ia_wire_pair env[] = {{"FAKE_DIES", "1"}};
    struct ia_wire_request req = {.op = IA_WIRE_OP_LAUNCH};
    struct ia_wire_reply reply;
    req.deadline_ms = 1000;
    req.u.launch = (struct ia_wire_launch){
        .bundle_id = FAKE_APP, .mode = IA_WIRE_LAUNCH_FRESH, .env = env, .env_n = 1};
    link_call(&to, &req, &reply);
    assert_int_equal(reply.code, IA_WIRE_E_NO_APP);
    assert_int_equal(reply.outcome, IA_WIRE_UNKNOWN);
    ia_wire_reply_fini(&reply);
}

/* ---- snapshots ---- */

static void a_refused_snapshot_is_a_malformed_tree(void **state)
{
    (void)state;
    struct ia_wire_request req = {0};
    launch_fake(&to, "FAKE_REFUSE", "snapshot", NULL);
    assert_int_equal(tree_code(&req), IA_WIRE_OK); /* spliced, element by element */
    launch_fake(&to, "FAKE_REFUSE", "snapshot,query", NULL);
    assert_int_equal(tree_code(&req), IA_WIRE_E_TREE_MALFORMED);
    launch_fake(&to, "FAKE_CRASH", "snapshot", NULL);
    assert_int_equal(tree_code(&req), IA_WIRE_E_APP_GONE);
    launch_fake(&to, "FAKE_SCREEN", "deep", "FAKE_DEPTH", "40", NULL);
    req.u.tree.max_depth = 30;
    struct ia_wire_reply reply;
    link_call(&to, &req, &reply);
    assert_int_equal(reply.u.tree.cut, IA_WIRE_CUT_DEPTH);
    ia_wire_reply_fini(&reply);
}

/* ---- the four checks ---- */

static void a_moving_element_is_waited_for(void **state)
{
    (void)state;
    launch_fake(&to, "FAKE_MOVE", "0,40,80,120,160", NULL);
    assert_int_equal(act_on(&to, "mover", 60000), IA_WIRE_OK);
    assert_string_equal(gesture_of(&to), "tap 240,442 x1");
    assert_string_equal(label_of(&to, "counted"), "Count: 1");
}

/* It rests for two snapshots on its way, as on the plateau of an easing curve. */
static void an_element_that_pauses_takes_one_more_snapshot(void **state)
{
    (void)state;
    launch_fake(&to, "FAKE_MOVE", "0,40,40,90,120", NULL);
    assert_int_equal(act_on(&to, "mover", 60000), IA_WIRE_OK);
    assert_string_equal(gesture_of(&to), "tap 200,442 x1");
}

static void an_element_that_keeps_moving_is_not_tapped(void **state)
{
    (void)state;
    launch_fake(&to, "FAKE_MOVE", "forever", NULL);
    assert_int_equal(act_on(&to, "mover", 300), IA_WIRE_E_MOVING);
    assert_int_equal(taps_of(&to), 0);
}

static void an_element_that_disappears_is_not_tapped(void **state)
{
    (void)state;
    launch_fake(&to, "FAKE_VANISH", "2", NULL);
    assert_int_equal(act_on(&to, "vanishing", 300), IA_WIRE_E_NOT_FOUND);
    assert_int_equal(taps_of(&to), 0);
}

/* The signature, in the current tree, of the node with that identifier or label. */
static struct ia_wire_signature signature_of(const struct ia_wire_node *n, const uint16_t *path,
                                             uint32_t path_n)
{
    return (struct ia_wire_signature){.identifier = n->identifier,
                                      .label = n->label,
                                      .type = n->type,
                                      .path = path,
                                      .path_n = path_n,
                                      .frame = n->frame};
}

static uint16_t act_by_signature(const struct ia_wire_signature *s)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_ACT};
    struct ia_wire_reply reply;
    req.u.act.target.signature = s;
    req.u.act.timeout_ms = 500;
    link_call(&to, &req, &reply);
    uint16_t code = reply.code;
    ia_wire_reply_fini(&reply);
    return code;
}

static void an_element_of_an_old_tree_is_found_again_or_stale(void **state)
{
    (void)state;
    struct ia_wire_reply tree;
    launch_fake(&to, "FAKE_RENAME", "4", NULL);
    take_tree(&to, &tree);
    static const uint16_t wrong_path[] = {0, 1};
    struct ia_wire_signature s = signature_of(find_node(&tree, "renamed"), wrong_path, 2);
    assert_int_equal(act_by_signature(&s), IA_WIRE_OK); /* the only one with its identity */
    assert_int_equal(taps_of(&to), 1);
    assert_string_equal(label_of(&to, "renamed"), "Another");
    assert_int_equal(act_by_signature(&s), IA_WIRE_E_STALE_REF);
    assert_int_equal(taps_of(&to), 1);
    ia_wire_reply_fini(&tree);
}

static void one_of_several_equal_elements_is_found_by_its_index(void **state)
{
    (void)state;
    static const uint16_t wrong_path[] = {0, 1};
    struct ia_wire_signature s = {.label = "Same",
                                  .type = 9,
                                  .path = wrong_path,
                                  .path_n = 2,
                                  .frame = {20, 520, 120, 44},
                                  .ordinal = 1,
                                  .count = 3};
    launch_fake(&to, NULL);
    assert_int_equal(act_by_signature(&s), IA_WIRE_OK);
    assert_string_equal(gesture_of(&to), "tap 80,542 x1");
    s.count = 4; /* there were more of them */
    assert_int_equal(act_by_signature(&s), IA_WIRE_E_STALE_REF);
    assert_int_equal(taps_of(&to), 1);
}

static void an_alert_that_keeps_moving_is_not_answered(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_ALERT_ACT};
    struct ia_wire_reply reply;
    launch_fake(&to, "FAKE_SCREEN", "dialogs", "FAKE_ALERT_MOVE", "forever", NULL);
    assert_int_equal(act_on(&to, "alert", 1000), IA_WIRE_OK);
    link_call(&to, &req, &reply);
    assert_int_equal(reply.code, IA_WIRE_E_MOVING);
    assert_int_equal(reply.outcome, IA_WIRE_NOT_SENT);
    ia_wire_reply_fini(&reply);
    assert_int_equal(taps_of(&to), 1);
}

/* ---- a main thread that hangs ---- */

/* The file that is there while an operation hangs. */
static const char *hanging(void)
{
    static char path[64];
    snprintf(path, sizeof(path), "/tmp/ios-agent-hang-%d.here", (int)getpid());
    return path;
}

static const char *hang_file(void)
{
    static char path[64];
    snprintf(path, sizeof(path), "/tmp/ios-agent-hang-%d", (int)getpid());
    unlink(hanging());
    close(open(path, O_CREAT | O_WRONLY, 0600));
    return path;
}

static void health(struct link *l, struct ia_wire_health_reply *ret)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_HEALTH};
    struct ia_wire_reply reply;
    link_call(l, &req, &reply);
    assert_int_equal(reply.code, IA_WIRE_OK);
    *ret = reply.u.health;
    ia_wire_reply_fini(&reply);
}

static void until_it_rests(struct link *l)
{
    struct ia_wire_health_reply h;
    do {
        health(l, &h);
    } while (h.busy);
}

/* The snapshot hangs past its deadline. It is answered nevertheless, and so are health and a
 * cancel on another connection; the waiting request is cancelled; and once the snapshot
 * returns, everything works again. */
static void a_hanging_snapshot_blocks_nobody_else(void **state)
{
    (void)state;
    const char *file = hang_file();
    struct ia_wire_request tree = {.op = IA_WIRE_OP_TREE, .deadline_ms = 200};
    struct ia_wire_request tap = operations[0].req, cancel = {.op = IA_WIRE_OP_CANCEL};
    struct ia_wire_health_reply h;
    struct ia_wire_reply reply;
    struct link other;
    launch_fake(&to, "FAKE_HANG", "snapshot", "FAKE_HANG_FILE", file, NULL);
    link_open(&other, &host);
    link_call(&to, &tree, &reply);
    assert_int_equal(reply.code, IA_WIRE_E_TIMEOUT);
    assert_int_equal(reply.outcome, IA_WIRE_NONE);
    assert_true(reply.retry_safe);
    ia_wire_reply_fini(&reply);
    health(&other, &h);
    assert_true(h.busy && h.overdue && h.op == IA_WIRE_OP_TREE);
    uint32_t id = link_send(&to, &tap); /* waits behind the snapshot */
    cancel.u.cancel.session = to.session;
    cancel.u.cancel.request = id;
    do {
        link_call(&other, &cancel, &reply);
        bool found = reply.u.cancel.found;
        ia_wire_reply_fini(&reply);
        if (found) {
            break;
        }
    } while (true);
    link_receive(&to, &reply);
    assert_int_equal(reply.id, id);
    assert_int_equal(reply.code, IA_WIRE_E_CANCELLED);
    assert_int_equal(reply.outcome, IA_WIRE_NOT_SENT);
    ia_wire_reply_fini(&reply);
    unlink(file);
    until_it_rests(&other);
    assert_int_equal(taps_of(&to), 0);
    link_close(&other);
}

static void a_hanging_tap_is_of_unknown_outcome_and_made_once(void **state)
{
    (void)state;
    const char *file = hang_file();
    struct ia_wire_request tap = operations[0].req;
    struct ia_wire_reply reply;
    launch_fake(&to, "FAKE_HANG", "tap", "FAKE_HANG_FILE", file, NULL);
    tap.deadline_ms = 200;
    link_call(&to, &tap, &reply);
    assert_int_equal(reply.code, IA_WIRE_E_TIMEOUT);
    assert_int_equal(reply.outcome, IA_WIRE_UNKNOWN);
    assert_false(reply.retry_safe);
    ia_wire_reply_fini(&reply);
    unlink(file);
    until_it_rests(&to);
    assert_int_equal(taps_of(&to), 1);
}

/* Keys are sent in chunks, and none after the deadline. */
static void deleting_ends_with_its_deadline(void **state)
{
    (void)state;
    struct ia_wire_request req = {
        .op = IA_WIRE_OP_DELETE_TEXT, .deadline_ms = 300, .u.delete_text = {4000000000u}};
    struct ia_wire_reply reply;
    launch_fake(&to, "FAKE_SCREEN", "text", NULL);
    assert_int_equal(act_on(&to, "filled", 1000), IA_WIRE_OK);
    link_call(&to, &req, &reply);
    assert_int_equal(reply.code, IA_WIRE_E_TIMEOUT);
    assert_int_equal(reply.outcome, IA_WIRE_UNKNOWN);
    ia_wire_reply_fini(&reply);
    until_it_rests(&to);
    assert_string_equal(value_of(&to, "filled"), "Town");
}

/* The keyboard disappears after the first chunk, which was typed: repeating the request would
 * delete too much. */
static void deleting_that_loses_the_keyboard_midway_is_not_reported_unsent(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_DELETE_TEXT, .u.delete_text = {200}};
    struct ia_wire_reply reply;
    launch_fake(&to, "FAKE_SCREEN", "text", "FAKE_FOCUS", "once", NULL);
    assert_int_equal(act_on(&to, "filled", 1000), IA_WIRE_OK);
    link_call(&to, &req, &reply);
    assert_int_equal(reply.code, IA_WIRE_E_NO_KEYBOARD);
    assert_int_equal(reply.outcome, IA_WIRE_UNKNOWN);
    assert_false(reply.retry_safe);
    ia_wire_reply_fini(&reply);
    assert_string_equal(gesture_of(&to), "type 64");
    assert_string_equal(value_of(&to, "filled"), "Town"); /* its placeholder */
}

/* The host disconnects during an operation: that ends on its own, and nothing is done twice. The
 * tap has reached XCTest by then; one that is only taken from the queue may be dropped. */
static void a_lost_connection_leaves_exactly_one_tap(void **state)
{
    (void)state;
    const char *file = hang_file();
    struct ia_wire_request tap = operations[0].req;
    struct ia_wire_health_reply h;
    struct link cut;
    launch_fake(&to, "FAKE_HANG", "tap", "FAKE_HANG_FILE", file, NULL);
    link_open(&cut, &host);
    link_send(&cut, &tap);
    do {
        health(&to, &h);
    } while (access(hanging(), F_OK) != 0);
    health(&to, &h);
    assert_true(h.busy);
    link_close(&cut);
    unlink(file);
    until_it_rests(&to);
    assert_int_equal(taps_of(&to), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exceptions_before_an_effect_are_of_unknown_outcome),
        cmocka_unit_test(any_thrown_object_is_caught),
        cmocka_unit_test(issues_after_an_effect_are_of_unknown_outcome),
        cmocka_unit_test(a_tap_that_fails_afterwards_was_made_once),
        cmocka_unit_test(typing_that_fails_midway_is_unknown),
        cmocka_unit_test(a_crashed_app_is_distinguished_from_one_that_never_ran),
        cmocka_unit_test(an_app_that_dies_at_launch_is_no_app),
        cmocka_unit_test(a_refused_snapshot_is_a_malformed_tree),
        cmocka_unit_test(a_moving_element_is_waited_for),
        cmocka_unit_test(an_element_that_pauses_takes_one_more_snapshot),
        cmocka_unit_test(an_element_that_keeps_moving_is_not_tapped),
        cmocka_unit_test(an_element_that_disappears_is_not_tapped),
        cmocka_unit_test(an_element_of_an_old_tree_is_found_again_or_stale),
        cmocka_unit_test(one_of_several_equal_elements_is_found_by_its_index),
        cmocka_unit_test(an_alert_that_keeps_moving_is_not_answered),
        cmocka_unit_test(a_hanging_snapshot_blocks_nobody_else),
        cmocka_unit_test(a_hanging_tap_is_of_unknown_outcome_and_made_once),
        cmocka_unit_test(deleting_ends_with_its_deadline),
        cmocka_unit_test(deleting_that_loses_the_keyboard_midway_is_not_reported_unsent),
        cmocka_unit_test(a_lost_connection_leaves_exactly_one_tap),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
