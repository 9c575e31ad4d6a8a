/* Acting by ref: found again, at rest, allowed, sent once, and what it changed. */
#include "test.h"

#include "draw.h"
#include "fake.h"

#define SCREEN "Application 0,0,400,800\n"
#define BAR(title)                                                                             \
    SCREEN " NavigationBar 0,50,400,44\n  StaticText '" title "' 150,50,100,44 header\n"

/* Everything a test needs around one action. */
struct world {
    struct fake f;
    struct ia_deadline deadline;
    struct ia_act_result r;
    struct ia_err err;
    const struct ia_snapshot *s;
};

static void open_world(struct world *w, const char *(*screen)(struct fake *f))
{
    memset(w, 0, sizeof(*w));
    fake_open(&w->f, screen);
    w->deadline = fake_call(&w->f, 0);
    assert_int_equal(ia_session_snapshot(w->f.session, &w->deadline, &w->s, &w->err), IA_OK);
}

static void close_world(struct world *w)
{
    ia_act_result_fini(&w->r);
    fake_close(&w->f);
}

static enum ia_rc tap(struct world *w, const char *ref)
{
    ia_act_result_fini(&w->r);
    return ia_session_tap(w->f.session, &w->deadline, ia_ref_parse(ia_str(ref)), &w->r,
                          &w->err);
}

static const char *changes(const struct world *w)
{
    return ia_buf_cstr(&w->r.changes);
}

/* ---- settling --------------------------------------------------------------------------- */

static const char *still_screen(struct fake *f)
{
    (void)f;
    return BAR("T") " Button 'A' 0,100,90,40\n";
}

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
    assert_non_null(strstr(w.err.msg, "without elements"));
    w.f.state = 1;
    assert_int_equal(ia_session_snapshot(w.f.session, &w.deadline, &w.s, &w.err),
                     IA_E_TREE_EMPTY);
    assert_non_null(strstr(w.err.msg, "no area"));
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

static void an_element_that_reads_otherwise_is_refused_once(void **state)
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

static const char *gliding_screen(struct fake *f)
{
    int y = 100 + (f->state > 0 ? (f->trees - f->state < 5 ? f->trees - f->state : 5) * 30 : 0);
    snprintf(f->page, sizeof(f->page), BAR("T") " Button 'A' 0,%d,90,40\n", y);
    return f->page;
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

/* ---- typing ----------------------------------------------------------------------------- */

static const char *form_screen(struct fake *f)
{
    const char *keyboard = f->state ? " Keyboard 0,500,400,300\n  Key 'q' 0,500,40,50\n" : "";
    char value[300] = "";
    if (f->field[0]) {
        snprintf(value, sizeof(value), "='%s'", f->field);
    }
    snprintf(f->page, sizeof(f->page), BAR("T") " TextField 'Name' %s 0,100,300,40 %s\n%s",
             value, f->state ? "focused" : "", keyboard);
    return f->page;
}

static void bring_keyboard(struct fake *f, struct ia_point at)
{
    (void)at;
    f->state = 1;
}

static enum ia_rc type(struct world *w, const char *text, bool replace, bool submit)
{
    ia_act_result_fini(&w->r);
    return ia_session_type(w->f.session, &w->deadline, 2, ia_str(text), replace, submit, &w->r,
                           &w->err);
}

static void typing_focuses_types_once_and_reads_back(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, form_screen);
    w.f.tapped = bring_keyboard;
    assert_int_equal(type(&w, "Ada", false, false), IA_OK);
    assert_string_equal(w.f.field, "Ada");
    assert_int_equal(w.f.types, 1);
    assert_non_null(strstr(changes(&w), "2 field:focused Name = Ada\n"));
    assert_int_equal(type(&w, " Lovelace", false, false), IA_OK);
    assert_string_equal(w.f.field, "Ada Lovelace");
    assert_int_equal(w.f.taps, 1); /* it had the focus */
    assert_int_equal(type(&w, "Grace", true, false), IA_OK);
    assert_string_equal(w.f.field, "Grace");
    ia_act_result_fini(&w.r);
    assert_int_equal(ia_session_clear(w.f.session, &w.deadline, 2, &w.r, &w.err), IA_OK);
    assert_string_equal(w.f.field, "");
    close_world(&w);
}

static void swallow(struct fake *f, struct ia_str text)
{
    (void)f;
    (void)text;
}

static void drop_first(struct fake *f, struct ia_str text)
{
    snprintf(f->field, sizeof(f->field), "%.*s", (int)text.n - 1, text.p + 1);
}

static void format_number(struct fake *f, struct ia_str text)
{
    (void)text;
    snprintf(f->field, sizeof(f->field), "(555) 010-0");
}

static void silent_or_wrong_typing_is_a_mismatch_and_not_repeated(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, form_screen);
    w.f.tapped = bring_keyboard;
    w.f.typed = swallow;
    assert_int_equal(type(&w, "Ada", false, true), IA_E_TEXT_MISMATCH);
    assert_int_equal(w.f.types, 1); /* and no return key either */
    assert_int_equal(w.err.outcome, IA_OUTCOME_SENT);
    assert_false(w.err.retry_safe);
    assert_non_null(strstr(w.err.msg, "reads \"\" instead of \"Ada\""));
    w.f.typed = drop_first;
    assert_int_equal(type(&w, "Ada", false, false), IA_E_TEXT_MISMATCH);
    assert_non_null(strstr(w.err.msg, "reads \"da\" instead of \"Ada\""));
    close_world(&w);
}

static void a_number_that_the_app_formats_is_no_mismatch(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, form_screen);
    w.f.tapped = bring_keyboard;
    w.f.typed = format_number;
    assert_int_equal(type(&w, "5550100", false, false), IA_OK);
    close_world(&w);
}

static void without_a_keyboard_nothing_is_typed(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, form_screen);
    assert_int_equal(type(&w, "Ada", false, false), IA_E_NO_KEYBOARD);
    assert_int_equal(w.f.types, 0);
    assert_int_equal(w.err.outcome, IA_OUTCOME_SENT); /* the tap */
    assert_true(w.err.retry_safe);
    close_world(&w);
}

static const char *secret_screen(struct fake *f)
{
    char dots[128] = "";
    for (size_t i = 0; i < strlen(f->field); i++) {
        strncat(dots, "•", sizeof(dots) - strlen(dots) - 1);
    }
    char value[160] = "";
    if (dots[0]) {
        snprintf(value, sizeof(value), "='%s'", dots);
    }
    snprintf(f->page, sizeof(f->page),
             BAR("T") " SecureTextField 'PIN' %s 0,100,300,40 focused\n", value);
    return f->page;
}

static void a_secret_is_compared_by_length_and_never_told(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, secret_screen);
    assert_int_equal(type(&w, "hunter2", false, false), IA_OK);
    w.f.typed = drop_first;
    assert_int_equal(type(&w, "swordfish", true, false), IA_E_TEXT_MISMATCH);
    assert_null(strstr(w.err.msg, "swordfish"));
    assert_null(strstr(w.err.msg, "hunter2"));
    assert_non_null(strstr(w.err.msg, "8 characters instead of 9"));
    close_world(&w);
}

static void text_that_is_no_text_is_refused(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, form_screen);
    assert_int_equal(type(&w, "\xff\xfe", false, false), IA_E_USAGE);
    assert_int_equal(w.f.taps, 0);
    close_world(&w);
}

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

static void back_is_the_bars_leading_button_in_any_language(void **state)
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
        cmocka_unit_test(a_still_screen_settles_in_a_tenth_of_a_second),
        cmocka_unit_test(an_instant_device_is_not_waited_for),
        cmocka_unit_test(a_ticking_clock_does_not_keep_a_screen_from_settling),
        cmocka_unit_test(at_the_cap_the_capture_is_kept_and_what_moves_is_named),
        cmocka_unit_test(an_empty_tree_is_waited_out_or_named),
        cmocka_unit_test(an_element_that_moved_is_tapped_where_it_is_now),
        cmocka_unit_test(a_stale_ref_is_refused_with_candidates_and_nothing_sent),
        cmocka_unit_test(an_element_that_reads_otherwise_is_refused_once),
        cmocka_unit_test(a_moving_element_is_waited_for),
        cmocka_unit_test(an_element_that_never_rests_is_not_tapped),
        cmocka_unit_test(without_a_snapshot_there_are_no_refs),
        cmocka_unit_test(a_ref_of_another_session_is_not_found),
        cmocka_unit_test(a_tap_without_effect_says_so),
        cmocka_unit_test(a_failed_tap_says_what_was_sent_and_is_not_repeated),
        cmocka_unit_test(a_connection_lost_after_the_tap_reports_it_as_sent),
        cmocka_unit_test(a_switch_is_read_back),
        cmocka_unit_test(a_cancelled_call_ends_at_once),
        cmocka_unit_test(typing_focuses_types_once_and_reads_back),
        cmocka_unit_test(silent_or_wrong_typing_is_a_mismatch_and_not_repeated),
        cmocka_unit_test(a_number_that_the_app_formats_is_no_mismatch),
        cmocka_unit_test(without_a_keyboard_nothing_is_typed),
        cmocka_unit_test(a_secret_is_compared_by_length_and_never_told),
        cmocka_unit_test(text_that_is_no_text_is_refused),
        cmocka_unit_test(scrolling_finds_a_text_below_and_above),
        cmocka_unit_test(strokes_stay_between_the_bars),
        cmocka_unit_test(back_is_the_bars_leading_button_in_any_language),
        cmocka_unit_test(back_on_a_first_screen_taps_no_other_command),
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
