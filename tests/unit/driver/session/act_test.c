/* Settling, and acting by ref: found again, at rest, allowed, sent once, and what it changed. */
#include "world.h"

/* ---- settling --------------------------------------------------------------------------- */

static void a_still_screen_settles_in_a_tenth_of_a_second(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, still_screen);
    assert_int_equal(fake_ms(&w.f), 100);
    assert_int_equal(w.f.trees, 3);
    close_world(&w);
}

static void an_instant_device_is_not_waited_for(void **state)
{
    (void)state;
    struct world w;
    memset(&w, 0, sizeof(w));
    fake_open(&w.f, still_screen);
    w.f.instant = true;
    w.deadline = fake_call(&w.f, 0);
    assert_int_equal(ia_session_snapshot(w.f.session, &w.deadline, &w.s, &w.err), IA_OK);
    assert_int_equal(w.f.trees, 2);
    assert_int_equal(tap(&w, "2"), IA_OK);
    assert_int_equal(w.f.trees, 5);
    assert_int_equal(fake_ms(&w.f), 0);
    assert_true(w.r.settled);
    close_world(&w);
}

static const char *screen_of_state(struct fake *f)
{
    snprintf(f->page, sizeof(f->page), BAR("T") " Button 'A%d' 0,100,90,40\n", f->state);
    return f->page;
}

static void a_look_at_what_has_not_changed_gives_the_same_snapshot(void **state)
{
    (void)state;
    struct world w;
    const struct ia_snapshot *again = NULL;
    memset(&w, 0, sizeof(w));
    fake_open(&w.f, screen_of_state);
    w.deadline = fake_call(&w.f, 0);
    assert_int_equal(ia_session_snapshot(w.f.session, &w.deadline, &w.s, &w.err), IA_OK);
    uint32_t refs = ia_session_last_ref(w.f.session);
    assert_int_equal(ia_session_peek(w.f.session, &w.deadline, &again, &w.err), IA_OK);
    assert_ptr_equal(again, w.s);
    assert_int_equal(ia_session_snapshot(w.f.session, &w.deadline, &again, &w.err), IA_OK);
    assert_ptr_equal(again, w.s);
    assert_int_equal(ia_session_last_ref(w.f.session), refs);

    uint64_t before = ia_snapshot_content_hash(w.s);
    w.f.state = 1;
    assert_int_equal(ia_session_peek(w.f.session, &w.deadline, &again, &w.err), IA_OK);
    assert_true(ia_snapshot_content_hash(again) != before);
    close_world(&w);
}

static const char *ticking_screen(struct fake *f)
{
    snprintf(f->page, sizeof(f->page),
             BAR("T") " StaticText 'Clock: %d' %d,60,60,20\n Button 'A' 0,100,90,40\n",
             f->trees, 100 + f->trees % 3);
    return f->page;
}

static void a_ticking_clock_does_not_keep_a_screen_from_settling(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, ticking_screen);
    assert_int_equal(fake_ms(&w.f), 100);
    assert_int_equal(tap(&w, "3"), IA_OK); /* A, beside the clock's line */
    assert_true(w.r.settled);
    assert_int_equal(w.f.taps, 1);
    close_world(&w);
}

static const char *restless_screen(struct fake *f)
{
    snprintf(f->page, sizeof(f->page),
             BAR("T") " Button 'Still' 0,100,90,40\n Button 'Marquee' %d,200,90,40\n",
             f->trees * 3 % 300);
    return f->page;
}

static void at_the_cap_the_capture_is_kept_and_what_moves_is_named(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, restless_screen);
    assert_int_equal(fake_ms(&w.f), 2500);
    assert_int_equal(tap(&w, "2"), IA_OK);
    assert_false(w.r.settled);
    assert_non_null(strstr(changes(&w), "still moving: 3\n"));
    assert_non_null(ia_session_latest(w.f.session));
    close_world(&w);
}

static const char *empty_then_ready(struct fake *f)
{
    return f->trees < 4 ? "" : still_screen(f);
}

static const char *never_ready(struct fake *f)
{
    return f->state == 0 ? "" : "Application 0,0,0,0\n Other 0,0,0,0\n";
}

/* The same before and after the moment in which it was empty. */
static const char *empty_for_a_moment(struct fake *f)
{
    return f->trees == 3 ? "" : still_screen(f);
}

static void a_screen_is_still_only_from_when_it_was_last_empty(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, empty_for_a_moment);
    /* Empty at the look at 100 ms, and a tenth of a second still from there. */
    assert_int_equal(fake_ms(&w.f), 200);
    close_world(&w);
}

static void an_empty_tree_is_waited_out_or_named(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, empty_then_ready);
    assert_string_equal(ia_snapshot_screen(w.s), "T");
    close_world(&w);
    memset(&w, 0, sizeof(w));
    fake_open(&w.f, never_ready);
    w.deadline = fake_call(&w.f, 0);
    assert_int_equal(ia_session_snapshot(w.f.session, &w.deadline, &w.s, &w.err),
                     IA_E_TREE_EMPTY);
    assert_non_null(strstr(w.err.msg, "has no elements"));
    w.f.state = 1;
    assert_int_equal(ia_session_snapshot(w.f.session, &w.deadline, &w.s, &w.err),
                     IA_E_TREE_EMPTY);
    assert_non_null(strstr(w.err.msg, "has an area"));
    close_world(&w);
}

/* ---- finding again ---------------------------------------------------------------------- */

static const char *banner_screen(struct fake *f)
{
    return f->state == 0 ? BAR("T") " Button #scrim 'Show scrim' 0,100,90,40\n"
                         : BAR("T") " Button #banner 'Show banner' 0,100,90,40\n"
                                    " Button #scrim 'Show scrim' 0,140,90,40\n";
}

static void an_element_that_moved_is_tapped_where_it_is_now(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, banner_screen);
    w.f.state = 1;
    assert_int_equal(tap(&w, "2"), IA_OK);
    assert_float_equal(w.f.last.y, 160, 0.1);
    assert_string_equal(w.r.element, "2 button Show scrim");
    assert_float_equal(w.r.box.y, 140, 0.1);
    close_world(&w);
}

static const char *vanishing_screen(struct fake *f)
{
    return f->state == 0 ? BAR("T") " Button 'Log in' 0,100,90,40\n"
                         : BAR("T") " Button 'Log in again' 0,100,90,40\n";
}

static void a_stale_ref_is_refused_with_candidates_and_nothing_sent(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, vanishing_screen);
    w.f.state = 1;
    assert_int_equal(tap(&w, "@e2"), IA_E_STALE_REF);
    assert_int_equal(w.f.taps, 0);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    assert_true(w.err.retry_safe);
    assert_non_null(strstr(w.err.hint, "Log in again"));
    /* the fresh capture is the latest now */
    assert_int_equal(tap(&w, "3"), IA_OK);
    close_world(&w);
}

static const char *renamed_screen(struct fake *f)
{
    return f->state == 0 ? BAR("T") " Button #x 'Follow' 0,100,90,40\n"
                         : BAR("T") " Button #x 'Block' 0,100,90,40\n";
}

static void an_element_that_reads_differently_is_refused_once(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, renamed_screen);
    w.f.state = 1;
    assert_int_equal(tap(&w, "2"), IA_E_STALE_REF);
    assert_int_equal(w.f.taps, 0);
    assert_non_null(strstr(w.err.hint, "2 button Block"));
    assert_int_equal(tap(&w, "2"), IA_OK);
    assert_int_equal(w.f.taps, 1);
    close_world(&w);
}

static void a_moving_element_is_waited_for(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, gliding_screen);
    w.f.state = w.f.trees;
    assert_int_equal(tap(&w, "2"), IA_OK);
    assert_float_equal(w.f.last.y, 100 + 150 + 20, 0.1);
    close_world(&w);
}

static void an_element_that_never_rests_is_not_tapped(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, restless_screen);
    assert_int_equal(tap(&w, "3"), IA_E_MOVING);
    assert_int_equal(w.f.taps, 0);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    close_world(&w);
}

/* An alert comes over the button, and goes while the button glides to its new place. */
static const char *alert_that_goes(struct fake *f)
{
    int since = f->state > 0 ? f->trees - f->state : 0;
    int y = 100 + (since < 5 ? since : 5) * 30;
    const char *alert = since == 1 ? " Alert 'Allow?' 50,500,300,200\n"
                                     "  Button 'OK' 60,640,100,44\n"
                                   : "";
    snprintf(f->page, sizeof(f->page), BAR("T") " Button 'A' 0,%d,90,40\n%s", y, alert);
    return f->page;
}

/* Allows what an alert allows, as the lock on an app does on the home screen. */
static enum ia_rc only_alerts(void *ctx, const struct ia_snapshot *fresh, struct ia_err *err)
{
    const struct ia_element *e;
    (void)ctx;
    for (size_t i = 0; (e = ia_snapshot_at(fresh, i)) != NULL; i++) {
        if (e->role == IA_ROLE_ALERT) {
            return IA_OK;
        }
    }
    return ia_err_set(err, IA_E_APP_LOCK, "another app is in front");
}

static void the_guard_is_asked_about_the_screen_that_is_tapped(void **state)
{
    (void)state;
    struct world w;
    memset(&w, 0, sizeof(w));
    fake_open(&w.f, alert_that_goes);
    ia_session_free(w.f.session);
    struct ia_session_options opt = {.clock = ia_vclock_clock(w.f.clock), .guard = only_alerts};
    w.f.session = ia_session_new(&w.f.device, &opt);
    w.deadline = fake_call(&w.f, 0);
    assert_int_equal(ia_session_snapshot(w.f.session, &w.deadline, &w.s, &w.err), IA_OK);
    w.f.state = w.f.trees;
    assert_int_equal(tap(&w, "2"), IA_E_APP_LOCK);
    assert_int_equal(w.f.taps, 0);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    close_world(&w);
}

static void without_a_snapshot_there_are_no_refs(void **state)
{
    (void)state;
    struct world w;
    memset(&w, 0, sizeof(w));
    fake_open(&w.f, still_screen);
    w.deadline = fake_call(&w.f, 0);
    assert_int_equal(tap(&w, "2"), IA_E_NO_SNAPSHOT);
    assert_int_equal(w.f.trees, 0);
    close_world(&w);
}

static void a_ref_of_another_session_is_not_found(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, still_screen);
    assert_int_equal(tap(&w, "77"), IA_E_NOT_FOUND);
    assert_int_equal(w.f.taps, 0);
    assert_non_null(ia_session_latest(w.f.session));
    close_world(&w);
}

/* ---- effects ---------------------------------------------------------------------------- */

static void a_tap_without_effect_says_so(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, still_screen);
    assert_int_equal(tap(&w, "2"), IA_OK);
    assert_string_equal(changes(&w), "nothing changed\n");
    assert_false(w.r.changed);
    assert_int_equal(w.r.layout_before, w.r.layout_after);
    close_world(&w);
}

static void a_failed_tap_says_what_was_sent_and_is_not_repeated(void **state)
{
    (void)state;
    static const struct {
        enum ia_outcome told, outcome;
        bool retry_safe;
    } cases[] = {{IA_OUTCOME_NOT_SENT, IA_OUTCOME_NOT_SENT, true},
                 {IA_OUTCOME_NONE, IA_OUTCOME_UNKNOWN, false},
                 {IA_OUTCOME_UNKNOWN, IA_OUTCOME_UNKNOWN, false},
                 {IA_OUTCOME_SENT, IA_OUTCOME_SENT, false}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct world w;
        open_world(&w, still_screen);
        w.f.tap_fails = IA_E_DEVICE_LOST;
        w.f.outcome = cases[i].told;
        assert_int_equal(tap(&w, "2"), IA_E_DEVICE_LOST);
        assert_int_equal(w.err.outcome, cases[i].outcome);
        assert_int_equal(w.err.retry_safe, cases[i].retry_safe);
        assert_non_null(ia_session_latest(w.f.session));
        close_world(&w);
    }
}

static void lose_trees(struct fake *f, struct ia_point at)
{
    (void)at;
    f->tree_fails = IA_E_DEVICE_LOST;
}

static void a_connection_lost_after_the_tap_reports_it_as_sent(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, still_screen);
    w.f.tapped = lose_trees;
    assert_int_equal(tap(&w, "2"), IA_E_DEVICE_LOST);
    assert_int_equal(w.f.taps, 1);
    assert_int_equal(w.err.outcome, IA_OUTCOME_SENT);
    assert_false(w.err.retry_safe);
    w.f.tapped = NULL;
    assert_int_equal(tap(&w, "2"), IA_E_DEVICE_LOST); /* before the tap this time */
    assert_int_equal(w.f.taps, 1);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    assert_true(w.err.retry_safe);
    close_world(&w);
}

static const char *switch_screen(struct fake *f)
{
    snprintf(f->page, sizeof(f->page), BAR("T") " Switch 'Wi-Fi' ='%d' 300,100,50,30\n",
             f->state);
    return f->page;
}

static void toggle(struct fake *f, struct ia_point at)
{
    (void)at;
    f->state = !f->state;
}

static void a_switch_is_read_back(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, switch_screen);
    w.f.tapped = toggle;
    assert_int_equal(tap(&w, "2"), IA_OK);
    assert_string_equal(changes(&w), "~ 2 switch:on Wi-Fi\n");
    w.f.tapped = NULL;
    assert_int_equal(tap(&w, "2"), IA_E_NOT_MET);
    assert_int_equal(w.err.outcome, IA_OUTCOME_SENT);
    assert_int_equal(w.f.taps, 2);
    close_world(&w);
}

static void a_cancelled_call_ends_at_once(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, restless_screen);
    struct ia_cancel *c = ia_cancel_new(NULL);
    ia_cancel_fire(c);
    w.deadline.cancel = c;
    int64_t before = fake_ms(&w.f);
    assert_int_equal(tap(&w, "2"), IA_E_CANCELLED);
    assert_int_equal(w.err.outcome, IA_OUTCOME_SENT); /* the tap came before the wait */
    assert_int_equal(fake_ms(&w.f), before);
    assert_int_equal(ia_session_snapshot(w.f.session, &w.deadline, &w.s, &w.err),
                     IA_E_CANCELLED);
    ia_cancel_free(c);
    close_world(&w);
}

static const char *bare_screen(struct fake *f)
{
    (void)f;
    return BAR("T") " Button 'A' 0,100,90,44\n Button #close 340,100,44,44\n";
}

static void what_the_audit_names_can_be_acted_on(void **state)
{
    (void)state;
    struct world w;
    struct ia_audit a;
    open_world(&w, bare_screen);
    assert_int_equal(ia_session_audit(w.f.session, &w.deadline, &a, &w.err), IA_OK);
    assert_int_equal(a.count, 1);
    assert_int_equal(a.findings[0].rule, IA_AUDIT_LABEL_MISSING);
    assert_int_equal(ia_session_tap(w.f.session, &w.deadline, a.findings[0].ref, &w.r, &w.err),
                     IA_OK);
    assert_true(w.f.last.x == 362);
    ia_audit_fini(&a);
    w.f.tree_fails = IA_E_DEVICE;
    assert_int_equal(ia_session_audit(w.f.session, &w.deadline, &a, &w.err), IA_E_DEVICE);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_still_screen_settles_in_a_tenth_of_a_second),
        cmocka_unit_test(an_instant_device_is_not_waited_for),
        cmocka_unit_test(a_look_at_what_has_not_changed_gives_the_same_snapshot),
        cmocka_unit_test(a_ticking_clock_does_not_keep_a_screen_from_settling),
        cmocka_unit_test(at_the_cap_the_capture_is_kept_and_what_moves_is_named),
        cmocka_unit_test(a_screen_is_still_only_from_when_it_was_last_empty),
        cmocka_unit_test(an_empty_tree_is_waited_out_or_named),
        cmocka_unit_test(an_element_that_moved_is_tapped_where_it_is_now),
        cmocka_unit_test(a_stale_ref_is_refused_with_candidates_and_nothing_sent),
        cmocka_unit_test(an_element_that_reads_differently_is_refused_once),
        cmocka_unit_test(a_moving_element_is_waited_for),
        cmocka_unit_test(an_element_that_never_rests_is_not_tapped),
        cmocka_unit_test(the_guard_is_asked_about_the_screen_that_is_tapped),
        cmocka_unit_test(without_a_snapshot_there_are_no_refs),
        cmocka_unit_test(a_ref_of_another_session_is_not_found),
        cmocka_unit_test(a_tap_without_effect_says_so),
        cmocka_unit_test(a_failed_tap_says_what_was_sent_and_is_not_repeated),
        cmocka_unit_test(a_connection_lost_after_the_tap_reports_it_as_sent),
        cmocka_unit_test(a_switch_is_read_back),
        cmocka_unit_test(what_the_audit_names_can_be_acted_on),
        cmocka_unit_test(a_cancelled_call_ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
