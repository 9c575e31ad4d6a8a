/* Looks of who only watches: they change nothing for the others, and their refs are good at once, judged by
 * what was shown. */
#include "world.h"

/* The button is known by its identifier, so that its label may change under the same ref. */
static const char *pay_screen(struct fake *f)
{
    static const char *const pages[] = {
        BAR("T") " Button #pay 'Follow' 0,100,90,40\n",
        BAR("T") " Button #pay 'Block' 0,100,90,40\n",
        BAR("T") " Button #pay 'Follow' 0,100,90,40\n Button 'New' 0,200,90,40\n",
        BAR("T") " Button #pay 'Follow' 0,160,90,40\n Button 'New' 0,100,90,40\n",
        BAR("T") " Button #pay 'Follow' 0,100,90,40\n Button #new 'Old' 0,200,90,40\n",
        BAR("T") " Button #pay 'Follow' 0,100,90,40\n Button #new 'Other' 0,200,90,40\n"};
    return pages[f->state];
}

/* What the watcher is shown now, by its id. */
static uint64_t look(struct world *w)
{
    struct ia_snapshot *s = NULL;
    assert_int_equal(ia_session_look(w->f.session, &w->deadline, &s, &w->err), IA_OK);
    uint64_t id = ia_session_look_id(s);
    ia_snapshot_free(s);
    return id;
}

static enum ia_rc tap_seen(struct world *w, uint64_t seen, const char *ref)
{
    enum ia_rc rc = ia_session_go_by(w->f.session, seen, &w->err);
    rc = rc == IA_OK ? tap(w, ref) : rc;
    assert_int_equal(ia_session_go_by(w->f.session, 0, NULL), IA_OK);
    return rc;
}

static void watching_changes_nothing_for_who_looked_before(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, pay_screen);
    const struct ia_snapshot *latest = ia_session_latest(w.f.session);
    w.f.state = 1;
    (void)look(&w);
    assert_ptr_equal(ia_session_latest(w.f.session), latest);
    assert_int_equal(tap(&w, "2"), IA_E_STALE_REF); /* chosen by "Follow" */
    assert_non_null(strstr(w.err.msg, "used to read \"Follow\""));
    assert_int_equal(w.f.taps, 0);
    close_world(&w);
}

static void a_ref_of_a_look_is_good_at_once(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, pay_screen);
    w.f.state = 2;
    (void)look(&w);
    assert_int_equal(tap(&w, "3"), IA_OK);
    assert_string_equal(w.r.element, "3 button New");
    close_world(&w);
}

static void a_ref_that_only_a_look_showed_is_judged_by_it(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, pay_screen);
    w.f.state = 4;
    (void)look(&w);
    w.f.state = 5;
    assert_int_equal(tap(&w, "3"), IA_E_STALE_REF);
    assert_non_null(strstr(w.err.msg, "used to read \"Old\""));
    assert_int_equal(w.f.taps, 0);
    close_world(&w);
}

static void a_screen_that_came_back_is_the_newest_look(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, pay_screen);
    for (int i = 0; i < 3; i++) {
        w.f.state = i == 1 ? 5 : 4;
        (void)look(&w); /* "Old", "Other", "Old" */
    }
    w.f.state = 5;
    assert_int_equal(tap(&w, "3"), IA_E_STALE_REF);
    assert_non_null(strstr(w.err.msg, "used to read \"Old\""));
    assert_int_equal(w.f.taps, 0);
    close_world(&w);
}

static void the_first_look_of_a_session_is_enough_to_act(void **state)
{
    (void)state;
    struct world w;
    memset(&w, 0, sizeof(w));
    fake_open(&w.f, pay_screen);
    w.deadline = fake_call(&w.f, 0);
    assert_int_equal(tap(&w, "2"), IA_E_NO_SNAPSHOT);
    assert_false(ia_session_look_has(w.f.session, 2));
    (void)look(&w);
    assert_true(ia_session_look_has(w.f.session, 2));
    assert_int_equal(tap(&w, "2"), IA_OK);
    close_world(&w);
}

static void who_goes_by_a_look_acts_on_what_it_showed(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, pay_screen); /* another reader saw "Follow" */
    w.f.state = 1;
    uint64_t seen = look(&w);
    assert_int_equal(tap_seen(&w, seen, "2"), IA_OK);
    assert_string_equal(w.r.element, "2 button Block");
    close_world(&w);
}

static void what_changed_since_the_look_is_refused_whoever_read_it_meanwhile(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, pay_screen);
    uint64_t seen = look(&w);
    w.f.state = 1;
    assert_int_equal(ia_session_snapshot(w.f.session, &w.deadline, &w.s, &w.err), IA_OK);
    assert_int_equal(tap_seen(&w, seen, "2"), IA_E_STALE_REF);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(w.f.taps, 0);
    assert_int_equal(tap(&w, "2"), IA_OK); /* who read "Block" may */
    close_world(&w);
}

static void a_ref_that_the_look_had_not_is_refused(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, pay_screen);
    uint64_t seen = look(&w);
    w.f.state = 2;
    assert_int_equal(ia_session_snapshot(w.f.session, &w.deadline, &w.s, &w.err), IA_OK);
    assert_int_equal(tap_seen(&w, seen, "3"), IA_E_STALE_REF);
    assert_non_null(strstr(w.err.msg, "not in the frame"));
    assert_int_equal(tap_seen(&w, look(&w), "3"), IA_OK);
    close_world(&w);
}

static void what_moved_since_the_look_is_tapped_where_it_is(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, pay_screen);
    w.f.state = 2;
    uint64_t seen = look(&w);
    w.f.state = 3;
    assert_int_equal(tap_seen(&w, seen, "2"), IA_OK);
    assert_float_equal(w.f.last.y, 180, 0.1);
    close_world(&w);
}

static enum ia_rc drag_seen(struct world *w, uint64_t seen)
{
    const struct ia_drag drag = {.from.at = {45, 180}, .to.at = {45, 500}};
    enum ia_rc rc = ia_session_go_by(w->f.session, seen, &w->err);
    ia_act_result_fini(&w->r);
    rc = rc == IA_OK ? ia_session_drag(w->f.session, &w->deadline, &drag, &w->r, &w->err) : rc;
    assert_int_equal(ia_session_go_by(w->f.session, 0, NULL), IA_OK);
    return rc;
}

static void a_point_of_a_look_wants_what_was_there_to_be_there(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, pay_screen);
    w.f.state = 2;
    uint64_t seen = look(&w);
    assert_int_equal(drag_seen(&w, seen), IA_OK);
    w.f.state = 3;
    assert_int_equal(drag_seen(&w, seen), IA_E_STALE_REF);
    assert_int_equal(w.f.drags, 1);
    assert_int_equal(drag_seen(&w, 0), IA_OK); /* who gives points alone means points */
    close_world(&w);
}

static const char *asking_screen(struct fake *f)
{
    static const char *const asked[] = {"Allow once?", "Delete all?"};
    snprintf(f->page, sizeof(f->page), BAR("T") " Button 'A' 0,100,90,40\n%s%s%s",
             f->state < 2 ? " Alert '" : "", f->state < 2 ? asked[f->state] : "",
             f->state < 2 ? "' 60,300,280,200\n  Button 'OK' 60,450,140,50\n"
                            "  Button 'Cancel' 200,450,140,50\n"
                          : "");
    return f->page;
}

static enum ia_rc accept_seen(struct world *w, uint64_t seen)
{
    enum ia_rc rc = ia_session_go_by(w->f.session, seen, &w->err);
    ia_act_result_fini(&w->r);
    rc = rc == IA_OK ? ia_session_alert(w->f.session, &w->deadline, IA_ALERT_ACCEPT, NULL,
                                        &w->r, &w->err)
                     : rc;
    assert_int_equal(ia_session_go_by(w->f.session, 0, NULL), IA_OK);
    return rc;
}

static void an_alert_is_answered_only_as_it_was_seen(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, asking_screen);
    uint64_t seen = look(&w);
    for (w.f.state = 1; w.f.state < 3; w.f.state++) {
        assert_int_equal(accept_seen(&w, seen), IA_E_STALE_REF);
        assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    }
    assert_int_equal(w.f.taps, 0);
    w.f.state = 0;
    assert_int_equal(accept_seen(&w, seen), IA_OK);
    assert_int_equal(w.f.taps, 1);
    close_world(&w);
}

static const char *counting_screen(struct fake *f)
{
    snprintf(f->page, sizeof(f->page),
             BAR("T") " StaticText '%d' 0,60,60,20\n Button 'A' 0,100,90,40\n", f->state);
    return f->page;
}

static void a_look_is_known_until_sixteen_others_came(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, counting_screen);
    uint64_t first = look(&w);
    assert_true(look(&w) == first);
    for (w.f.state = 1; w.f.state < 16; w.f.state++) {
        assert_true(look(&w) != first);
    }
    assert_int_equal(ia_session_go_by(w.f.session, first, &w.err), IA_OK);
    (void)look(&w);
    assert_int_equal(ia_session_go_by(w.f.session, first, &w.err), IA_E_STALE_REF);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(ia_session_go_by(w.f.session, 12345, &w.err), IA_E_STALE_REF);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watching_changes_nothing_for_who_looked_before),
        cmocka_unit_test(a_ref_of_a_look_is_good_at_once),
        cmocka_unit_test(a_screen_that_came_back_is_the_newest_look),
        cmocka_unit_test(a_ref_that_only_a_look_showed_is_judged_by_it),
        cmocka_unit_test(the_first_look_of_a_session_is_enough_to_act),
        cmocka_unit_test(who_goes_by_a_look_acts_on_what_it_showed),
        cmocka_unit_test(what_changed_since_the_look_is_refused_whoever_read_it_meanwhile),
        cmocka_unit_test(a_ref_that_the_look_had_not_is_refused),
        cmocka_unit_test(what_moved_since_the_look_is_tapped_where_it_is),
        cmocka_unit_test(a_point_of_a_look_wants_what_was_there_to_be_there),
        cmocka_unit_test(an_alert_is_answered_only_as_it_was_seen),
        cmocka_unit_test(a_look_is_known_until_sixteen_others_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
