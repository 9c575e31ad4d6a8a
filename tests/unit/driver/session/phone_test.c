/* A session on the simulated iPhone: the whole way from a ref to what the phone then holds. */
#include "test.h"

#include "driver/embedded/embedded.h"
#include "driver/session/session.h"

struct world {
    struct ia_device *d;
    struct ia_session *s;
    struct ia_deadline deadline;
    struct ia_act_result r;
    struct ia_err err;
};

static void open_world_with(struct world *w, const char *query)
{
    memset(w, 0, sizeof(*w));
    struct ia_embedded_options opt = {.name = "default", .fresh = true, .query = query};
    assert_int_equal(ia_embedded_open(&opt, &w->d, &w->err), IA_OK);
    w->s = ia_session_new(w->d, NULL);
    w->deadline.at_us = IA_NO_DEADLINE;
}

static void open_world(struct world *w)
{
    open_world_with(w, NULL);
}

static void close_world(struct world *w)
{
    ia_act_result_fini(&w->r);
    ia_session_free(w->s);
    ia_device_close(w->d);
}

/* The ref of what a selector matches in the latest snapshot. */
static uint32_t ref(struct world *w, const char *selector)
{
    struct ia_selector sel;
    assert_int_equal(ia_selector_parse(ia_str(selector), &sel, NULL, &w->err), IA_OK);
    const struct ia_element *e = ia_snapshot_find(ia_session_latest(w->s), &sel);
    ia_selector_fini(&sel);
    if (!e) {
        struct ia_buf b = IA_BUF(65536);
        ia_snapshot_text(ia_session_latest(w->s), 0, &b);
        fail_msg("no %s on:\n%s", selector, ia_buf_cstr(&b));
    }
    return e->ref;
}

static void ok(struct world *w, enum ia_rc rc)
{
    if (rc != IA_OK) {
        fail_msg("%s: %s (%s)", ia_rc_name(rc), w->err.msg, w->err.hint);
    }
    assert_true(w->r.settled);
}

static void launch(struct world *w, const char *app)
{
    ia_act_result_fini(&w->r);
    ok(w, ia_session_launch(w->s, &w->deadline, app, &w->r, &w->err));
}

static void tap(struct world *w, const char *selector)
{
    ia_act_result_fini(&w->r);
    ok(w, ia_session_tap(w->s, &w->deadline, ref(w, selector), &w->r, &w->err));
}

static void type(struct world *w, const char *selector, const char *text)
{
    ia_act_result_fini(&w->r);
    ok(w, ia_session_type(w->s, &w->deadline, ref(w, selector), ia_str(text), false, false,
                          &w->r, &w->err));
}

static bool shows(struct world *w, const char *text)
{
    return ia_snapshot_contains(ia_session_latest(w->s), ia_str(text));
}

/* A swipe on a slider drags its knob, by that part of its whole way: every value can be set. */
static void a_sliders_knob_is_dragged_from_where_it_is(void **state)
{
    (void)state;
    static const struct {
        enum ia_direction dir;
        double distance;
        const char *value;
    } rows[] = {{IA_RIGHT, 0.2, "70%"},
                {IA_RIGHT, 1, "100%"},
                {IA_LEFT, 0.37, "63%"},
                {IA_LEFT, 1, "0%"},
                {IA_RIGHT, 0.1, "10%"}};
    struct world w;
    open_world(&w);
    launch(&w, "com.apple.Preferences");
    tap(&w, "row \"Display & Brightness\"");
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        ia_act_result_fini(&w.r);
        ok(&w, ia_session_swipe(w.s, &w.deadline, ref(&w, "slider"), rows[i].dir,
                                rows[i].distance, &w.r, &w.err));
        assert_true(shows(&w, rows[i].value));
    }
    close_world(&w);
}

static void a_contact_is_added_and_found(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    launch(&w, "com.apple.MobileAddressBook");
    tap(&w, "button \"Add\"");
    assert_null(strstr(ia_buf_cstr(&w.r.changes), "Nora Abbott")); /* it is behind the sheet */
    type(&w, "#first-name", "Ada");
    type(&w, "#last-name", "Lovelace");
    type(&w, "#phone", "555-0100");
    tap(&w, "#done");
    assert_true(shows(&w, "Ada Lovelace"));
    assert_true(shows(&w, "555-0100"));
    ia_act_result_fini(&w.r);
    ok(&w, ia_session_back(w.s, &w.deadline, &w.r, &w.err));
    assert_string_equal(ia_snapshot_screen(ia_session_latest(w.s)), "Contacts");
    const struct ia_element *e = NULL;
    ia_act_result_fini(&w.r);
    ok(&w,
       ia_session_scroll_to(w.s, &w.deadline, ia_str("Ada Lovelace"), 20, &e, &w.r, &w.err));
    assert_string_equal(e->label, "Ada Lovelace");
    close_world(&w);
}

/* The layout moves under the finger: the tap lands on the field above, which has the focus. */
static void a_field_that_moved_away_gets_no_text_and_no_other_does(void **state)
{
    (void)state;
    struct world w;
    open_world_with(&w, "faults=late-shift@3");
    launch(&w, "com.apple.MobileAddressBook");
    tap(&w, "button \"Add\"");
    ia_act_result_fini(&w.r);
    assert_int_equal(ia_session_type(w.s, &w.deadline, ref(&w, "#last-name"),
                                     ia_str("Lovelace"), false, false, &w.r, &w.err),
                     IA_E_NO_KEYBOARD);
    assert_non_null(strstr(w.err.msg, "First name"));
    assert_true(w.err.retry_safe);
    assert_false(shows(&w, "Lovelace"));
    type(&w, "#last-name", "Lovelace");
    assert_true(shows(&w, "Lovelace"));
    close_world(&w);
}

static void a_switch_deep_in_settings_is_turned(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    launch(&w, "com.apple.Preferences");
    tap(&w, "switch \"Airplane Mode\"");
    assert_non_null(strstr(ia_buf_cstr(&w.r.changes), "switch:on Airplane Mode"));
    const struct ia_element *e = NULL;
    ia_act_result_fini(&w.r);
    ok(&w, ia_session_scroll_to(w.s, &w.deadline, ia_str("Privacy"), 20, &e, &w.r, &w.err));
    assert_true(e->actions & IA_ACT_TAP);
    close_world(&w);
}

static void the_same_row_keeps_its_ref_and_another_page_has_others(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    launch(&w, "com.apple.MobileAddressBook");
    uint32_t nora = ref(&w, "row \"Nora Abbott\"");
    tap(&w, "row \"Nora Abbott\"");
    uint32_t edit = ref(&w, "#edit");
    ia_act_result_fini(&w.r);
    ok(&w, ia_session_back(w.s, &w.deadline, &w.r, &w.err));
    assert_int_equal(nora, ref(&w, "row \"Nora Abbott\""));
    tap(&w, "row \"Samuel Adler\"");
    assert_int_not_equal(edit, ref(&w, "#edit"));
    ia_act_result_fini(&w.r);
    assert_int_equal(ia_session_tap(w.s, &w.deadline, edit, &w.r, &w.err), IA_E_STALE_REF);
    close_world(&w);
}

static void searching_keeps_the_field_its_ref_while_the_bar_goes(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    launch(&w, "com.apple.MobileAddressBook");
    const char *texts[] = {"Ada", "Nora"};
    uint32_t field = ref(&w, "search");
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        ia_act_result_fini(&w.r);
        ok(&w, ia_session_type(w.s, &w.deadline, field, ia_str(texts[i]), true, false, &w.r,
                               &w.err));
    }
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searching_keeps_the_field_its_ref_while_the_bar_goes),
        cmocka_unit_test(a_contact_is_added_and_found),
        cmocka_unit_test(a_sliders_knob_is_dragged_from_where_it_is),
        cmocka_unit_test(a_field_that_moved_away_gets_no_text_and_no_other_does),
        cmocka_unit_test(a_switch_deep_in_settings_is_turned),
        cmocka_unit_test(the_same_row_keeps_its_ref_and_another_page_has_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
