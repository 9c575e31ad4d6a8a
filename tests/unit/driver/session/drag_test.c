/* Dragging from spot to spot, and pinching. */
#include "world.h"

#include <math.h>

static const char *board_screen(struct fake *f)
{
    snprintf(f->page, sizeof(f->page),
             BAR("T") " Button 'Card' 20,100,100,40\n Button '%s' 200,600,100,40\n"
                      " Button 'Edge' 0,300,30,40\n Button 'Lost' 376,300,24,40\n"
                      " Button 'Off' 20,200,100,40 disabled\n",
             f->state == 0 ? "Bin" : "Bank");
    return f->page;
}

/* The ref of what has that label. */
static uint32_t ref_of(struct world *w, const char *label)
{
    const struct ia_snapshot *now = ia_session_latest(w->f.session);
    for (size_t i = 0; i < ia_snapshot_count(now); i++) {
        const struct ia_element *e = ia_snapshot_at(now, i);
        if (e->label && strcmp(e->label, label) == 0) {
            return e->ref;
        }
    }
    fail_msg("nothing is called %s", label);
    return 0;
}

static struct ia_spot on(struct world *w, const char *label)
{
    return (struct ia_spot){.ref = ref_of(w, label)};
}

static struct ia_spot at(double x, double y)
{
    return (struct ia_spot){.at = {x, y}};
}

static enum ia_rc drag(struct world *w, struct ia_spot from, struct ia_spot to)
{
    struct ia_drag d = {.from = from, .to = to};
    ia_act_result_fini(&w->r);
    return ia_session_drag(w->f.session, &w->deadline, &d, &w->r, &w->err);
}

static void an_element_is_dragged_to_another_or_to_a_point(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, board_screen);
    assert_int_equal(drag(&w, on(&w, "Card"), on(&w, "Bin")), IA_OK);
    assert_true(w.f.last.x == 70 && w.f.last.y == 120);
    assert_true(w.f.end.x == 250 && w.f.end.y == 620);
    assert_non_null(strstr(w.r.element, "Card"));
    assert_int_equal(drag(&w, on(&w, "Card"), at(399, 799)), IA_OK);
    assert_true(w.f.end.x == 399 && w.f.end.y == 799);
    assert_int_equal(drag(&w, at(50, 700), on(&w, "Bin")), IA_OK);
    assert_true(w.f.last.x == 50 && w.f.end.x == 250);
    assert_int_equal(drag(&w, at(50, 700), at(60, 400)), IA_OK);
    assert_int_equal(w.f.drags, 4);
    close_world(&w);
}

static void no_drag_begins_at_the_edge_or_ends_outside(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, board_screen);
    const struct {
        struct ia_spot from, to;
        enum ia_rc rc;
    } rows[] = {
        {at(23, 400), at(200, 400), IA_E_USAGE},
        {at(200, 777), at(200, 400), IA_E_USAGE},
        {at(200, 20), at(200, 400), IA_E_USAGE},
        {at(-5, 400), at(200, 400), IA_E_USAGE},
        {at(200, 400), at(400, 400), IA_E_USAGE},
        {at(200, 400), at(200, -1), IA_E_USAGE},
        {at(200, 400), at(200, 400), IA_E_USAGE},
        {on(&w, "Lost"), at(200, 400), IA_E_NOT_ACTIONABLE},
        {on(&w, "Off"), at(200, 400), IA_E_DISABLED},
        {at(200, 400), on(&w, "Off"), IA_E_DISABLED},
        {at(200, 400), {.ref = 99}, IA_E_NOT_FOUND},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_int_equal(drag(&w, rows[i].from, rows[i].to), rows[i].rc);
        assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
        assert_true(w.err.retry_safe);
    }
    assert_int_equal(w.f.drags, 0);
    /* An element that reaches inside is taken hold of there. */
    assert_int_equal(drag(&w, on(&w, "Edge"), at(200, 400)), IA_OK);
    assert_true(w.f.last.x == 24 && w.f.last.y == 320);
    close_world(&w);
}

static void what_reads_differently_now_is_no_target(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, board_screen);
    struct ia_spot card = on(&w, "Card"), bin = on(&w, "Bin");
    w.f.state = 1;
    assert_int_equal(drag(&w, card, bin), IA_E_STALE_REF);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(w.f.drags, 0);
    close_world(&w);
}

static enum ia_rc pinch(struct world *w, uint32_t ref, double scale)
{
    ia_act_result_fini(&w->r);
    return ia_session_pinch(w->f.session, &w->deadline, ref, scale, &w->r, &w->err);
}

static void a_pinch_is_in_an_element_or_on_the_screen(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, board_screen);
    assert_int_equal(pinch(&w, ref_of(&w, "Card"), 2.5), IA_OK);
    assert_true(w.f.pinched.x == 20 && w.f.pinched.w == 100 && w.f.pinch_scale == 2.5);
    assert_int_equal(pinch(&w, 0, 0.5), IA_OK);
    assert_true(w.f.pinched.x == 0 && w.f.pinched.h == 800 && w.f.pinch_scale == 0.5);
    static const double bad[] = {0, -1, 0.05, 1, 11, NAN};
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        assert_int_equal(pinch(&w, 0, bad[i]), IA_E_USAGE);
        assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    }
    assert_true(w.f.pinch_scale == 0.5);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_element_is_dragged_to_another_or_to_a_point),
        cmocka_unit_test(no_drag_begins_at_the_edge_or_ends_outside),
        cmocka_unit_test(what_reads_differently_now_is_no_target),
        cmocka_unit_test(a_pinch_is_in_an_element_or_on_the_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
