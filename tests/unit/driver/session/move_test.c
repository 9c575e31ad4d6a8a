/* Swiping, scrolling to a text, going back. */
#include "world.h"

/* ---- moving ----------------------------------------------------------------------------- */

static const char *list_screen(struct fake *f)
{
    int n = snprintf(f->page, sizeof(f->page), BAR("T") " Table 0,94,400,706\n");
    for (int i = 0; i < 40; i++) {
        double y = 94 + i * 60 - f->scroll;
        if (y > -200 && y < 1000) {
            n += snprintf(f->page + n, sizeof(f->page) - (size_t)n,
                          "  Cell 'Row %d' 0,%.0f,400,60\n", i, y);
        }
    }
    return f->page;
}

static void scroll(struct fake *f, struct ia_point from, struct ia_point to)
{
    f->scroll += from.y - to.y;
    f->scroll = f->scroll < 0 ? 0 : f->scroll > 40 * 60 - 706 ? 40 * 60 - 706 : f->scroll;
}

static enum ia_rc scroll_to(struct world *w, const char *text, const struct ia_element **e)
{
    ia_act_result_fini(&w->r);
    return ia_session_scroll_to(w->f.session, &w->deadline, ia_str(text), 12, e, &w->r,
                                &w->err);
}

static void scrolling_finds_a_text_below_and_above(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, list_screen);
    w.f.dragged = scroll;
    const struct ia_element *e = NULL;
    assert_int_equal(scroll_to(&w, "Row 39", &e), IA_OK);
    assert_string_equal(e->label, "Row 39");
    assert_true(e->actions & IA_ACT_TAP);
    assert_int_equal(scroll_to(&w, "row 2", &e), IA_OK);
    assert_int_equal(strncmp(e->label, "Row 2", 5), 0);
    int drags = w.f.drags;
    assert_int_equal(scroll_to(&w, e->label, &e), IA_OK); /* there already */
    assert_int_equal(w.f.drags, drags);
    assert_int_equal(scroll_to(&w, "Row 99", &e), IA_E_NOT_FOUND);
    close_world(&w);
}

static void strokes_stay_between_the_bars(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, list_screen);
    for (int dir = IA_UP; dir <= IA_RIGHT; dir++) {
        ia_act_result_fini(&w.r);
        assert_int_equal(ia_session_swipe(w.f.session, &w.deadline, 0, (enum ia_direction)dir,
                                          1, &w.r, &w.err),
                         IA_OK);
        assert_true(w.f.last.y > 94 && w.f.last.y < 776);
        assert_true(w.f.last.x >= 24 && w.f.last.x <= 376);
    }
    ia_act_result_fini(&w.r);
    assert_int_equal(ia_session_swipe(w.f.session, &w.deadline, 2, IA_UP, 1, &w.r, &w.err),
                     IA_OK);
    close_world(&w);
}

static const char *back_screen(struct fake *f)
{
    return f->state ? BAR("二") " Button 'A' 0,100,90,40\n"
                    : SCREEN " NavigationBar 0,50,400,44\n  Button '戻る' 8,50,60,44\n"
                             "  StaticText '一' 150,50,100,44 header\n"
                             "  Button '閉じる' 340,50,60,44\n";
}

static void back_taps_the_bars_leading_button_in_any_language(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, back_screen);
    assert_int_equal(ia_session_back(w.f.session, &w.deadline, &w.r, &w.err), IA_OK);
    assert_int_equal(w.f.taps, 1);
    assert_float_equal(w.f.last.x, 38, 0.1);
    ia_act_result_fini(&w.r);
    close_world(&w);
}

static const char *root_screen(struct fake *f)
{
    static const char *const screens[] = {
        SCREEN " NavigationBar 0,50,400,44\n  Button 'Edit' 16,50,60,44\n"
               "  StaticText 'Home' 150,50,100,44 header\n",
        SCREEN " NavigationBar 0,50,400,44\n  Button 'Home' 16,50,60,44\n"
               "  StaticText 'Detail' 150,50,100,44 header\n",
        SCREEN " NavigationBar 0,50,400,44\n  Button #nav.back-arrow '' 20,50,44,44\n"
               "  StaticText 'More' 150,50,100,44 header\n",
        BAR("Bare") " Button 'A' 0,100,90,40\n",
        SCREEN " Button 'Menu' 16,60,44,44\n StaticText 'x' 0,200,90,40\n",
        SCREEN,
    };
    return screens[f->state];
}

static void back_on_a_first_screen_taps_no_other_command(void **state)
{
    (void)state;
    static const struct {
        int screen, taps;
        enum ia_rc rc;
    } cases[] = {
        {0, 0, IA_E_NO_BACK}, /* Edit */
        {1, 1, IA_OK},        /* named after the screen seen before */
        {2, 1, IA_OK},        /* its identifier says so */
        {3, 0, IA_E_NO_BACK}, {4, 0, IA_E_NO_BACK},
        {5, 0, IA_OK}, /* shows nothing, before or after */
    };
    struct world w;
    open_world(&w, root_screen);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        w.f.state = cases[i].screen;
        w.f.taps = w.f.drags = 0;
        ia_act_result_fini(&w.r);
        assert_int_equal(ia_session_back(w.f.session, &w.deadline, &w.r, &w.err), cases[i].rc);
        assert_int_equal(w.f.taps, cases[i].taps);
        assert_int_equal(w.f.drags, 1 - cases[i].taps);
        if (cases[i].rc != IA_OK) {
            assert_true(w.f.last.x < 2);
            assert_int_equal(w.err.outcome, IA_OUTCOME_SENT);
            assert_non_null(strstr(w.err.hint, "screen"));
        }
    }
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scrolling_finds_a_text_below_and_above),
        cmocka_unit_test(strokes_stay_between_the_bars),
        cmocka_unit_test(back_taps_the_bars_leading_button_in_any_language),
        cmocka_unit_test(back_on_a_first_screen_taps_no_other_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
