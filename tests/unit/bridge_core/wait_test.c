/* wait_test.c: what is found, and conditions that are waited for, on a screen that changes from snapshot
 * to snapshot. */
#include "button.h"

/* ---- find ---- */

static void find_counts_matches_and_reports_visibility(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_reply reply;
    struct ia_wire_request r = {.op = IA_WIRE_OP_FIND, .id = 4};
    r.u.find.selector = ok_button;
    r.u.find.limit = 5;
    begin(&w, phone());
    doubled(w.f);
    w.f->nodes[1].flags = 0;
    host_do(&w.h, &r, &reply);
    assert_int_equal(reply.u.find.count, 2);
    assert_int_equal(reply.u.find.nodes_n, 2);
    assert_int_equal(reply.u.find.reason, IA_WIRE_E_DISABLED);
    assert_int_equal(reply.u.find.nodes[0].flags, IA_WIRE_NODE_HITTABLE_KNOWN);
    assert_int_equal(reply.u.find.nodes[1].flags, IA_WIRE_NODE_HITTABLE_KNOWN |
                                                      IA_WIRE_NODE_HITTABLE |
                                                      IA_WIRE_NODE_ENABLED);
    ia_wire_reply_fini(&reply);
    r.u.find.selector.index = 1;
    host_do(&w.h, &r, &reply);
    assert_int_equal(reply.u.find.nodes_n, 1);
    assert_int_equal(reply.u.find.reason, IA_WIRE_OK);
    ia_wire_reply_fini(&reply);
    r.u.find.selector.identifier = "none";
    host_do(&w.h, &r, &reply);
    assert_int_equal(reply.code, IA_WIRE_OK);
    assert_int_equal(reply.u.find.count, 0);
    assert_int_equal(reply.u.find.reason, IA_WIRE_E_NOT_FOUND);
    ia_wire_reply_fini(&reply);
    end(&w);
}

static void appears(struct fake *f)
{
    if (f->snapshots == 6) {
        f->n = 2;
    }
}

static void find_waits_for_a_match(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_reply reply;
    struct ia_wire_request r = {.op = IA_WIRE_OP_FIND, .id = 4, .deadline_ms = LONG_MS};
    r.u.find.selector = ok_button;
    r.u.find.timeout_ms = LONG_MS;
    begin(&w, phone());
    w.f->n = 1;
    w.f->on_snapshot = appears;
    host_do(&w.h, &r, &reply);
    assert_int_equal(reply.u.find.count, 1);
    assert_int_equal(w.f->snapshots, 6);
    ia_wire_reply_fini(&reply);
    end(&w);
}

/* ---- wait ---- */

static void becomes(struct fake *f)
{
    struct ia_wire_node *n = &f->nodes[1];
    if (f->snapshots == 4) {
        n->flags = IA_WIRE_NODE_ENABLED | IA_WIRE_NODE_FOCUSED;
        n->value = "done";
        f->nodes[2].frame.y = 900;
    } else if (f->snapshots < 4) {
        n->flags = 0;
        n->value = "busy";
        n->frame.y = 200 + 10 * f->snapshots;
    }
}

static void conditions_are_waited_for(void **state)
{
    (void)state;
    const struct ia_wire_selector other = {.identifier = "other"},
                                  none = {.identifier = "none"};
    const struct {
        struct ia_wire_wait w;
        int snapshots;
    } rows[] = {
        {{.condition = IA_WIRE_WAIT_EXISTS, .selector = ok_button}, 1},
        {{.condition = IA_WIRE_WAIT_ENABLED, .selector = ok_button}, 4},
        {{.condition = IA_WIRE_WAIT_HITTABLE, .selector = ok_button}, 4},
        {{.condition = IA_WIRE_WAIT_FOCUSED, .selector = ok_button}, 4},
        {{.condition = IA_WIRE_WAIT_VALUE, .selector = ok_button, .text = "done"}, 4},
        {{.condition = IA_WIRE_WAIT_TEXT, .text = "don"}, 4},
        {{.condition = IA_WIRE_WAIT_HIDDEN, .selector = other}, 4},
        {{.condition = IA_WIRE_WAIT_GONE, .selector = none}, 1},
        {{.condition = IA_WIRE_WAIT_COUNT, .selector = {.type = BUTTON}, .count = 2}, 1},
        {{.condition = IA_WIRE_WAIT_STILL, .selector = ok_button}, 4},
        {{.condition = IA_WIRE_WAIT_SETTLED}, 5},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w;
        struct ia_wire_reply reply;
        struct ia_wire_request r = {
            .op = IA_WIRE_OP_WAIT, .id = 4, .deadline_ms = LONG_MS, .u.wait = rows[i].w};
        r.u.wait.timeout_ms = LONG_MS;
        r.u.wait.poll_ms = 1;
        begin(&w, phone());
        fake_add(w.f, 1, BUTTON, "other", NULL, (struct ia_wire_rect){0, 500, 9, 9});
        w.f->on_snapshot = becomes;
        host_do(&w.h, &r, &reply);
        if (reply.code != IA_WIRE_OK || w.f->snapshots != rows[i].snapshots) {
            fail_msg("condition %u: %s after %d snapshots", rows[i].w.condition,
                     ia_wire_code_name(reply.code), w.f->snapshots);
        }
        ia_wire_reply_fini(&reply);
        end(&w);
    }
}

static void counts(struct fake *f)
{
    static char value[64];
    (void)snprintf(value, sizeof(value), "{\"v\":1,\"state\":{\"n\":\"%d\"}}", f->snapshots);
    f->nodes[f->n - 1].value = value;
}

/* It is no part of the screen. */
static void an_app_whose_state_goes_on_changing_is_settled(void **state)
{
    (void)state;
    static const struct {
        const char *identifier;
        enum ia_wire_code code;
    } rows[] = {{"ios-agent.state", IA_WIRE_OK}, {"another", IA_WIRE_E_NOT_MET}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w;
        struct ia_wire_reply reply;
        struct ia_wire_request r = {
            .op = IA_WIRE_OP_WAIT, .id = 4, .u.wait = {.condition = IA_WIRE_WAIT_SETTLED}};
        r.u.wait.timeout_ms = 30;
        r.u.wait.poll_ms = 1;
        begin(&w, phone());
        fake_add(w.f, 1, 1, rows[i].identifier, NULL, (struct ia_wire_rect){0, 0, 1, 1});
        w.f->on_snapshot = counts;
        host_do(&w.h, &r, &reply);
        assert_int_equal(reply.code, rows[i].code);
        ia_wire_reply_fini(&reply);
        end(&w);
    }
}

static void a_condition_that_stays_false_is_not_met(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_reply reply;
    struct ia_wire_request r = {.op = IA_WIRE_OP_WAIT, .id = 4};
    r.u.wait.condition = IA_WIRE_WAIT_GONE;
    r.u.wait.selector = ok_button;
    begin(&w, phone());
    host_do(&w.h, &r, &reply);
    assert_int_equal(reply.code, IA_WIRE_E_NOT_MET);
    assert_int_equal(w.f->snapshots, 1);
    assert_true(reply.has_body);
    assert_int_equal(reply.u.wait.count, 1);
    assert_string_equal(reply.u.wait.element->identifier, "ok");
    ia_wire_reply_fini(&reply);
    r.u.wait.timeout_ms = 20;
    host_do(&w.h, &r, &reply);
    assert_int_equal(reply.code, IA_WIRE_E_NOT_MET);
    assert_true(reply.u.wait.waited_ms >= 20);
    ia_wire_reply_fini(&reply);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find_counts_matches_and_reports_visibility),
        cmocka_unit_test(find_waits_for_a_match),
        cmocka_unit_test(conditions_are_waited_for),
        cmocka_unit_test(an_app_whose_state_goes_on_changing_is_settled),
        cmocka_unit_test(a_condition_that_stays_false_is_not_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
