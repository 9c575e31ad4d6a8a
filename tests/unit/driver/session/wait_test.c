/* Alerts, and waiting for conditions. */
#include "world.h"

/* ---- alerts and waiting ----------------------------------------------------------------- */

static const char *alert_screen(struct fake *f)
{
    return f->state
               ? BAR("T") " Button 'A' 0,100,90,40\n Alert '確認' 60,300,280,200\n"
                          "  Button 'いいえ' 60,450,140,50\n  Button 'はい' 200,450,140,50\n"
               : BAR("T") " Button 'A' 0,100,90,40\n";
}

static enum ia_rc alert(struct world *w, enum ia_alert_action action, const char *button)
{
    ia_act_result_fini(&w->r);
    return ia_session_alert(w->f.session, &w->deadline, action, button, &w->r, &w->err);
}

static void alerts_are_answered_by_place_or_by_name(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, alert_screen);
    assert_int_equal(alert(&w, IA_ALERT_ACCEPT, NULL), IA_E_NO_ALERT);
    w.f.state = 1;
    assert_int_equal(alert(&w, IA_ALERT_ACCEPT, NULL), IA_OK);
    assert_float_equal(w.f.last.x, 270, 0.1);
    assert_int_equal(alert(&w, IA_ALERT_DISMISS, NULL), IA_OK);
    assert_float_equal(w.f.last.x, 130, 0.1);
    assert_int_equal(alert(&w, IA_ALERT_BUTTON, "はい"), IA_OK);
    assert_float_equal(w.f.last.x, 270, 0.1);
    assert_int_equal(alert(&w, IA_ALERT_BUTTON, "Nope"), IA_E_NOT_FOUND);
    assert_non_null(strstr(w.err.hint, "いいえ, はい"));
    assert_int_equal(w.f.taps, 3);
    close_world(&w);
}

static void what_an_alert_covers_cannot_be_tapped(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, alert_screen);
    w.f.state = 1;
    assert_int_equal(tap(&w, "2"), IA_E_COVERED);
    assert_int_equal(w.f.taps, 0);
    close_world(&w);
}

static const char *loading_screen(struct fake *f)
{
    return fake_ms(f) < 1000
               ? BAR("T") " ActivityIndicator 190,400,20,20\n"
               : BAR("T") " Button #go 'Go' 0,100,90,40\n Cell 'A' 0,200,400,40\n"
                          " Cell 'B' 0,240,400,40\n Switch 'S' ='1' 300,300,50,30\n";
}

static char go_id[] = "go";
static char none_id[] = "none";

static enum ia_rc wait(struct world *w, struct ia_condition c, int ms)
{
    w->deadline = fake_call(&w->f, ms);
    ia_act_result_fini(&w->r);
    return ia_session_wait(w->f.session, &w->deadline, &c, 1, true, &w->r, &w->err);
}

static void waiting_ends_when_the_condition_holds(void **state)
{
    (void)state;
    struct ia_selector go = {.identifier = go_id, .role = -1};
    struct ia_selector row = {.role = IA_ROLE_ROW};
    struct ia_selector progress = {.role = IA_ROLE_PROGRESS};
    struct ia_selector sw = {.role = IA_ROLE_SWITCH};
    const struct ia_condition conds[] = {
        {.kind = IA_WAIT_EXISTS, .sel = go},
        {.kind = IA_WAIT_GONE, .sel = progress},
        {.kind = IA_WAIT_ENABLED, .sel = go},
        {.kind = IA_WAIT_TEXT, .text = "Go"},
        {.kind = IA_WAIT_COUNT, .sel = row, .count = 2},
        {.kind = IA_WAIT_VALUE, .sel = sw, .text = "on"},
    };
    for (size_t i = 0; i < IA_COUNTOF(conds); i++) {
        struct world w;
        open_world(&w, loading_screen);
        assert_int_equal(wait(&w, conds[i], 5000), IA_OK);
        assert_in_range(fake_ms(&w.f), 1000, 1100);
        assert_true(w.r.changed);
        close_world(&w);
    }
}

static enum ia_rc wait_both(struct world *w, struct ia_condition a, struct ia_condition b,
                            bool all)
{
    struct ia_condition c[2] = {a, b};
    w->deadline = fake_call(&w->f, 3000);
    ia_act_result_fini(&w->r);
    return ia_session_wait(w->f.session, &w->deadline, c, 2, all, &w->r, &w->err);
}

static void waiting_for_any_ends_with_the_first_and_for_all_with_the_last(void **state)
{
    (void)state;
    struct ia_condition go = {.kind = IA_WAIT_EXISTS, .sel = {.identifier = go_id, .role = -1}};
    struct ia_condition never = {.kind = IA_WAIT_EXISTS,
                                 .sel = {.identifier = none_id, .role = -1}};
    struct ia_condition still = {.kind = IA_WAIT_SETTLED};
    struct world w;
    open_world(&w, loading_screen);
    assert_int_equal(wait_both(&w, never, go, false), IA_OK);
    assert_in_range(fake_ms(&w.f), 1000, 1100);
    assert_int_equal(wait_both(&w, go, still, true), IA_OK);
    assert_int_equal(wait_both(&w, go, never, true), IA_E_TIMEOUT);
    assert_true(fake_ms(&w.f) >= 4000);
    close_world(&w);
}

static void a_condition_may_name_an_element_by_its_ref(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, loading_screen);
    struct ia_condition go = {.kind = IA_WAIT_EXISTS, .sel = {.identifier = go_id, .role = -1}};
    assert_int_equal(wait(&w, go, 3000), IA_OK);
    uint32_t ref = ia_snapshot_find(ia_session_latest(w.f.session), &go.sel)->ref;
    const struct ia_condition by_ref[] = {
        {.kind = IA_WAIT_EXISTS, .ref = ref},
        {.kind = IA_WAIT_ENABLED, .ref = ref},
        {.kind = IA_WAIT_COUNT, .ref = ref, .count = 1},
        {.kind = IA_WAIT_GONE, .ref = ref + 1000},
    };
    for (size_t i = 0; i < IA_COUNTOF(by_ref); i++) {
        assert_int_equal(wait(&w, by_ref[i], 500), IA_OK);
    }
    assert_int_equal(wait(&w, (struct ia_condition){.kind = IA_WAIT_GONE, .ref = ref}, 200),
                     IA_E_TIMEOUT);
    close_world(&w);
}

static void waiting_for_what_never_comes_times_out(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, loading_screen);
    struct ia_selector none = {.identifier = none_id, .role = -1};
    assert_int_equal(wait(&w, (struct ia_condition){.kind = IA_WAIT_EXISTS, .sel = none}, 3000),
                     IA_E_TIMEOUT);
    assert_in_range(fake_ms(&w.f), 3000, 3200);
    assert_non_null(ia_session_latest(w.f.session));
    struct ia_selector focus = {.identifier = go_id, .role = -1};
    assert_int_equal(
        wait(&w, (struct ia_condition){.kind = IA_WAIT_FOCUSED, .sel = focus}, 200),
        IA_E_TIMEOUT);
    close_world(&w);
    open_world(&w, gliding_screen);
    w.f.state = w.f.trees;
    assert_int_equal(wait(&w, (struct ia_condition){.kind = IA_WAIT_SETTLED}, 5000), IA_OK);
    close_world(&w);
}

static void on_an_instant_device_a_hopeless_wait_ends_at_once(void **state)
{
    (void)state;
    struct world w;
    memset(&w, 0, sizeof(w));
    fake_open(&w.f, still_screen);
    w.f.instant = true;
    struct ia_selector none = {.identifier = none_id, .role = -1};
    assert_int_equal(
        wait(&w, (struct ia_condition){.kind = IA_WAIT_EXISTS, .sel = none}, 60000),
        IA_E_TIMEOUT);
    assert_true(w.f.trees <= 3);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alerts_are_answered_by_place_or_by_name),
        cmocka_unit_test(what_an_alert_covers_cannot_be_tapped),
        cmocka_unit_test(waiting_ends_when_the_condition_holds),
        cmocka_unit_test(waiting_for_any_ends_with_the_first_and_for_all_with_the_last),
        cmocka_unit_test(a_condition_may_name_an_element_by_its_ref),
        cmocka_unit_test(waiting_for_what_never_comes_times_out),
        cmocka_unit_test(on_an_instant_device_a_hopeless_wait_ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
