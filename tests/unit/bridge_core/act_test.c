/* act_test.c: the four checks before a tap, and verifying a switch after it, on a screen that changes
 * from snapshot to snapshot. */
#include "button.h"

enum { SWITCH = 40, ALERT = 7 };

static struct ia_wire_request tap_ok(uint32_t timeout_ms)
{
    return (struct ia_wire_request){
        .op = IA_WIRE_OP_ACT,
        .id = 1,
        .deadline_ms = 2 * LONG_MS,
        .u.act = {.target.selector = &ok_button, .timeout_ms = timeout_ms}};
}

static void expect_touch(struct world *w, const struct ia_wire_request *r, double x, double y)
{
    struct ia_wire_reply reply;
    host_do(&w->h, r, &reply);
    if (reply.code != IA_WIRE_OK) {
        fail_msg("%s: %s", ia_wire_code_name(reply.code), reply.text);
    }
    assert_int_equal(reply.outcome, IA_WIRE_SENT);
    assert_true(reply.u.act.at.x == x && reply.u.act.at.y == y);
    assert_true(w->f->at.x == x && w->f->at.y == y);
    assert_int_equal(w->f->taps + w->f->presses, 1);
    ia_wire_reply_fini(&reply);
}

static void a_still_element_takes_three_snapshots_and_one_touch(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request r = tap_ok(LONG_MS);
    begin(&w, phone());
    expect_touch(&w, &r, 140, 220);
    assert_int_equal(w.f->snapshots, 3);
    end(&w);
}

static void without_a_timeout_one_snapshot_is_taken(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request r = tap_ok(0);
    begin(&w, phone());
    expect_touch(&w, &r, 140, 220);
    assert_int_equal(w.f->snapshots, 1);
    end(&w);
}

static void slides_in(struct fake *f)
{
    f->nodes[1].frame.y = f->snapshots < 8 ? 900 - f->snapshots * 100 : 200;
}

static void a_moving_element_is_waited_for(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request r = tap_ok(LONG_MS);
    begin(&w, phone());
    w.f->on_snapshot = slides_in;
    expect_touch(&w, &r, 140, 220);
    assert_true(w.f->snapshots >= 9);
    end(&w);
}

/* It stands still for two snapshots, as on the plateau of an easing curve, then moves on. */
static void pauses(struct fake *f)
{
    f->nodes[1].frame.y = f->snapshots <= 2 ? 500 : f->snapshots == 3 ? 300 : 200;
}

static void a_short_pause_is_not_stillness(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request r = tap_ok(LONG_MS);
    begin(&w, phone());
    w.f->on_snapshot = pauses;
    expect_touch(&w, &r, 140, 220);
    assert_int_equal(w.f->snapshots, 6);
    end(&w);
}

static void never_rests(struct fake *f)
{
    f->nodes[1].frame.x = f->snapshots % 2 ? 100 : 120;
}

static void an_element_that_keeps_moving_is_not_touched(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request r = tap_ok(30);
    struct ia_wire_reply reply;
    begin(&w, phone());
    w.f->on_snapshot = never_rests;
    host_do(&w.h, &r, &reply);
    assert_int_equal(reply.code, IA_WIRE_E_MOVING);
    assert_int_equal(reply.outcome, IA_WIRE_NOT_SENT);
    assert_true(reply.retry_safe);
    assert_string_equal(reply.text, "Element with identifier 'ok' did not hold still");
    assert_int_equal(w.f->taps, 0);
    ia_wire_reply_fini(&reply);
    end(&w);
}

static void trembles(struct fake *f)
{
    f->nodes[1].frame.x = 100 + (f->snapshots % 2) * 0.3;
}

static void less_than_half_a_point_is_not_movement(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request r = tap_ok(LONG_MS);
    begin(&w, phone());
    w.f->on_snapshot = trembles;
    expect_touch(&w, &r, 140.3, 220);
    end(&w);
}

static void covered(struct fake *f)
{
    fake_add(f, 1, ALERT, NULL, "Alert", (struct ia_wire_rect){60, 150, 270, 200});
}
static void hidden(struct fake *f)
{
    f->nodes[1].frame.w = 0;
}
static void disabled(struct fake *f)
{
    f->nodes[1].flags = 0;
}
static void gone(struct fake *f)
{
    f->n = 1;
}

static void a_refusal_names_its_reason(void **state)
{
    (void)state;
    const struct {
        void (*change)(struct fake *f);
        enum ia_wire_code code;
    } rows[] = {{covered, IA_WIRE_E_COVERED},
                {hidden, IA_WIRE_E_NOT_VISIBLE},
                {disabled, IA_WIRE_E_DISABLED},
                {gone, IA_WIRE_E_NOT_FOUND},
                {doubled, IA_WIRE_E_AMBIGUOUS}};
    const struct ia_wire_selector one = {.identifier = "ok", .index = IA_WIRE_UNIQUE};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (uint32_t ms = 0; ms < 40; ms += 20) {
            struct world w;
            struct ia_wire_request r = tap_ok(ms);
            r.u.act.target.selector = &one;
            begin(&w, phone());
            rows[i].change(w.f);
            host_expect(&w.h, &r, rows[i].code, IA_WIRE_NOT_SENT);
            assert_int_equal(w.f->taps, 0);
            end(&w);
        }
    }
}

static void comes_back(struct fake *f)
{
    f->tree_code = f->snapshots < 4 ? IA_WIRE_E_TREE_MALFORMED : IA_WIRE_OK;
}

static void a_transient_snapshot_failure_is_retried(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request r = tap_ok(LONG_MS);
    begin(&w, phone());
    w.f->on_snapshot = comes_back;
    expect_touch(&w, &r, 140, 220);
    assert_int_equal(w.f->snapshots, 6);
    end(&w);
    begin(&w, phone());
    w.f->tree_code = IA_WIRE_E_NO_APP; /* which is not transient */
    host_expect(&w.h, &r, IA_WIRE_E_NO_APP, IA_WIRE_NOT_SENT);
    assert_int_equal(w.f->snapshots, 1);
    w.f->tree_code = IA_WIRE_E_TREE_EMPTY;
    r.u.act.timeout_ms = 0;
    host_expect(&w.h, &r, IA_WIRE_E_TREE_EMPTY, IA_WIRE_NOT_SENT);
    assert_int_equal(w.f->snapshots, 2);
    end(&w);
}

/* ---- signatures ---- */

static void a_signature_saves_a_snapshot(void **state)
{
    (void)state;
    struct world w;
    const uint16_t path[] = {0};
    struct ia_wire_signature s = {.identifier = "ok",
                                  .label = "OK",
                                  .type = BUTTON,
                                  .path = path,
                                  .path_n = 1,
                                  .frame = {100, 200, 80, 40},
                                  .count = 1};
    struct ia_wire_request r = tap_ok(LONG_MS);
    r.u.act.target = (struct ia_wire_target){.signature = &s};
    begin(&w, phone());
    expect_touch(&w, &r, 140, 220);
    assert_int_equal(w.f->snapshots, 2);
    end(&w);
}

static void an_element_that_moved_is_touched_where_it_is_now(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_signature s = {
        .identifier = "ok", .label = "OK", .type = BUTTON, .frame = {0, 0, 80, 40}, .count = 1};
    struct ia_wire_request r = tap_ok(LONG_MS);
    r.u.act.target = (struct ia_wire_target){.signature = &s};
    begin(&w, phone());
    expect_touch(&w, &r, 140, 220);
    assert_int_equal(w.f->snapshots, 3);
    end(&w);
}

static void an_element_with_another_label_is_stale(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_signature s = {.identifier = "ok",
                                  .label = "Send",
                                  .type = BUTTON,
                                  .frame = {100, 200, 80, 40},
                                  .count = 1};
    struct ia_wire_request r = tap_ok(20);
    r.u.act.target = (struct ia_wire_target){.signature = &s};
    begin(&w, phone());
    host_expect(&w.h, &r, IA_WIRE_E_STALE_REF, IA_WIRE_NOT_SENT);
    assert_int_equal(w.f->taps, 0);
    end(&w);
}

/* ---- kinds of touches ---- */

static void double_taps_and_long_presses_use_the_same_point(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request r = tap_ok(0);
    begin(&w, phone());
    r.u.act.action = IA_WIRE_DOUBLE_TAP;
    expect_touch(&w, &r, 140, 220);
    assert_int_equal(w.f->taps_of_last, 2);
    end(&w);
    begin(&w, phone());
    r.u.act.action = IA_WIRE_LONG_PRESS;
    r.u.act.duration_s = 2.5;
    expect_touch(&w, &r, 140, 220);
    assert_true(w.f->press_s == 2.5);
    end(&w);
}

static void flip(struct fake *f)
{
    f->nodes[2].value = "1";
}

/* A row that is a switch, with the real switch at its end. */
static struct fake *switches(void)
{
    struct fake *f = fake_new();
    fake_add(f, 1, SWITCH, "ok", "Wi-Fi", (struct ia_wire_rect){0, 200, 390, 44})->value = "0";
    fake_add(f, 2, SWITCH, NULL, "Wi-Fi", (struct ia_wire_rect){320, 205, 50, 30})->value = "0";
    return f;
}

static void the_inner_switch_is_touched_and_verified(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request r = tap_ok(LONG_MS);
    struct ia_wire_reply reply;
    begin(&w, switches());
    w.f->on_tap = flip;
    host_do(&w.h, &r, &reply);
    assert_int_equal(reply.code, IA_WIRE_OK);
    assert_true(reply.u.act.at.x == 345 && reply.u.act.at.y == 220);
    assert_string_equal(reply.u.act.value, "1");
    ia_wire_reply_fini(&reply);
    end(&w);
}

static void a_switch_that_does_not_change_is_reported(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request r = tap_ok(LONG_MS);
    struct ia_wire_reply reply;
    begin(&w, switches());
    host_do(&w.h, &r, &reply);
    assert_int_equal(reply.code, IA_WIRE_E_NO_EFFECT);
    assert_int_equal(reply.outcome, IA_WIRE_SENT);
    assert_false(reply.retry_safe);
    assert_true(reply.has_body);
    assert_string_equal(reply.u.act.value, "0");
    assert_int_equal(w.f->taps, 1); /* it was never tapped again */
    ia_wire_reply_fini(&reply);
    r.u.act.flags = IA_WIRE_ACT_UNVERIFIED;
    host_expect(&w.h, &r, IA_WIRE_OK, IA_WIRE_SENT);
    end(&w);
}

static void leads_away(struct fake *f)
{
    f->n = 1;
}

static void a_switch_that_leads_to_another_screen_has_worked(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request r = tap_ok(LONG_MS);
    begin(&w, switches());
    w.f->on_tap = leads_away;
    host_expect(&w.h, &r, IA_WIRE_OK, IA_WIRE_SENT);
    end(&w);
}

static void shows_nothing_more(struct fake *f)
{
    f->tree_code = IA_WIRE_E_DEVICE;
}

static void a_switch_that_cannot_be_read_after_the_tap_is_a_failure(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request r = tap_ok(LONG_MS);
    begin(&w, switches());
    w.f->on_tap = shows_nothing_more;
    host_expect(&w.h, &r, IA_WIRE_E_DEVICE, IA_WIRE_SENT);
    assert_int_equal(w.f->taps, 1);
    end(&w);
}

/* ---- a device whose time moves with its calls ---- */

static void pass_time(void *ctx, int64_t us)
{
    struct fake *f = ctx;
    assert_true(us > 0);
    f->sleeps++;
}

static void a_device_with_its_own_clock_costs_no_real_time(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request r = tap_ok(600000);
    struct fake *f = phone();
    r.deadline_ms = 600000;
    f->ops.sleep = pass_time;
    f->opt.poll_ms = 60000;
    f->on_snapshot = never_rests;
    begin(&w, f);
    host_expect(&w.h, &r, IA_WIRE_E_MOVING, IA_WIRE_NOT_SENT);
    assert_in_range(f->sleeps, 9, 11);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_still_element_takes_three_snapshots_and_one_touch),
        cmocka_unit_test(without_a_timeout_one_snapshot_is_taken),
        cmocka_unit_test(a_moving_element_is_waited_for),
        cmocka_unit_test(a_short_pause_is_not_stillness),
        cmocka_unit_test(an_element_that_keeps_moving_is_not_touched),
        cmocka_unit_test(less_than_half_a_point_is_not_movement),
        cmocka_unit_test(a_refusal_names_its_reason),
        cmocka_unit_test(a_transient_snapshot_failure_is_retried),
        cmocka_unit_test(a_signature_saves_a_snapshot),
        cmocka_unit_test(an_element_that_moved_is_touched_where_it_is_now),
        cmocka_unit_test(an_element_with_another_label_is_stale),
        cmocka_unit_test(double_taps_and_long_presses_use_the_same_point),
        cmocka_unit_test(the_inner_switch_is_touched_and_verified),
        cmocka_unit_test(a_switch_that_does_not_change_is_reported),
        cmocka_unit_test(a_switch_that_leads_to_another_screen_has_worked),
        cmocka_unit_test(a_switch_that_cannot_be_read_after_the_tap_is_a_failure),
        cmocka_unit_test(a_device_with_its_own_clock_costs_no_real_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
