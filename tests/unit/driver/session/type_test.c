/* Typing: the focus first, the text once, then read back. */
#include "world.h"

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

/* All but the last character are lost above the pace that `state` says. */
static void lose_when_fast(struct fake *f, struct ia_str text)
{
    bool fast = f->pace == 0 || f->pace > f->state;
    size_t n = strlen(f->field), from = fast ? text.n - 1 : 0;
    snprintf(f->field + n, sizeof(f->field) - n, "%.*s", (int)(text.n - from), text.p + from);
}

static void what_was_lost_is_typed_slower_once_the_field_is_empty(void **state)
{
    (void)state;
    static const struct {
        int good_pace; /* of the field */
        bool paced, replace;
        enum ia_rc rc;
        int types, deletes;
    } rows[] = {
        {60, false, false, IA_E_TEXT_MISMATCH, 1, 0}, /* the device has one pace */
        {20, true, false, IA_OK, 2, 1},
        {8, true, false, IA_OK, 3, 2},
        {8, true, true, IA_OK, 3, 3},
        {7, true, false, IA_E_TEXT_MISMATCH, 3, 2},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct world w;
        open_world(&w, form_screen);
        w.f.tapped = bring_keyboard;
        w.f.typed = lose_when_fast;
        w.f.paced = rows[i].paced;
        snprintf(w.f.field, sizeof(w.f.field), "%s", rows[i].replace ? "old" : "");
        w.f.state = rows[i].good_pace; /* not 0: the field has the focus */
        assert_int_equal(type(&w, "Ada", rows[i].replace, false), rows[i].rc);
        assert_string_equal(w.f.field, rows[i].rc == IA_OK ? "Ada" : "a");
        assert_int_equal(w.f.types, rows[i].types);
        assert_int_equal(w.f.deletes, rows[i].deletes);
        assert_int_equal(w.f.pace, 0); /* what comes next is typed as ever */
        close_world(&w);
    }
}

static void keep_all(struct fake *f, int count)
{
    (void)f;
    (void)count;
}

static void rewrite(struct fake *f, struct ia_str text)
{
    (void)text;
    snprintf(f->field, sizeof(f->field), "ADA");
}

/* The field holds other text too, cannot be emptied, or what it reads is not what was lost of it. */
static void nothing_is_typed_again_where_it_could_be_there_twice(void **state)
{
    (void)state;
    static const struct {
        const char *before;
        void (*typed)(struct fake *, struct ia_str);
        void (*deleted)(struct fake *, int);
    } rows[] = {
        {"old ", lose_when_fast, NULL},
        {"", lose_when_fast, keep_all},
        {"", rewrite, NULL},
        {"", swallow, NULL},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct world w;
        open_world(&w, form_screen);
        w.f.tapped = bring_keyboard;
        w.f.typed = rows[i].typed;
        w.f.deleted = rows[i].deleted;
        w.f.paced = true;
        w.f.state = 1;
        snprintf(w.f.field, sizeof(w.f.field), "%s", rows[i].before);
        assert_int_equal(type(&w, "Ada", false, false), IA_E_TEXT_MISMATCH);
        assert_int_equal(w.f.types, 1);
        assert_int_equal(w.err.outcome, IA_OUTCOME_SENT);
        close_world(&w);
    }
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

static void a_secret_is_compared_by_length_and_never_shown(void **state)
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

/* How many characters it shows says nothing about which were lost. */
static void in_a_secure_field_nothing_is_typed_again(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, secret_screen);
    w.f.typed = drop_first;
    w.f.paced = true;
    assert_int_equal(type(&w, "1111", false, false), IA_E_TEXT_MISMATCH);
    assert_int_equal(w.f.types, 1);
    assert_int_equal(w.f.deletes, 0);
    close_world(&w);
}

static void invalid_text_is_refused(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, form_screen);
    assert_int_equal(type(&w, "\xff\xfe", false, false), IA_E_USAGE);
    assert_int_equal(w.f.taps, 0);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typing_focuses_types_once_and_reads_back),
        cmocka_unit_test(silent_or_wrong_typing_is_a_mismatch_and_not_repeated),
        cmocka_unit_test(what_was_lost_is_typed_slower_once_the_field_is_empty),
        cmocka_unit_test(nothing_is_typed_again_where_it_could_be_there_twice),
        cmocka_unit_test(a_number_that_the_app_formats_is_no_mismatch),
        cmocka_unit_test(without_a_keyboard_nothing_is_typed),
        cmocka_unit_test(a_secret_is_compared_by_length_and_never_shown),
        cmocka_unit_test(in_a_secure_field_nothing_is_typed_again),
        cmocka_unit_test(invalid_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
