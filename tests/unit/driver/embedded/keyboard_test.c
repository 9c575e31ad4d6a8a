/* The keyboard: its pages, typed text, fields with their limits. */
#include "phone_fixture.h"

static struct ia_device *at_form(void)
{
    struct ia_device *d = phone_new();
    launch(d, CONTACTS);
    tap(d, "add");
    return d;
}

static void keys_type_into_the_focused_field(void **state)
{
    (void)state;
    struct ia_device *d = at_form();
    assert_true(shows_type(d, IA_EL_KEY, "Q"));
    tap(d, "Q"); /* names begin with a capital */
    tap(d, "w");
    tap(d, "space");
    tap(d, "E");
    assert_value(d, "first-name", "Qw E");
    tap(d, "delete");
    tap(d, "delete");
    assert_value(d, "first-name", "Qw");
    ia_device_close(d);
}

static void shift_changes_the_next_letter_only(void **state)
{
    (void)state;
    struct ia_device *d = at_form();
    struct ia_tree *t = tree_of(d);
    assert_true(find(t, IA_EL_BUTTON, "shift")->flags & IA_NODE_SELECTED);
    ia_tree_free(t);
    tap(d, "shift");
    tap(d, "a");
    tap(d, "shift");
    tap(d, "B");
    tap(d, "c");
    assert_value(d, "first-name", "aBc");
    ia_device_close(d);
}

static void without_auto_capitalization_letters_start_small(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    assert_int_equal(d->ops->open_url(d, &no_limit, "prefs:root=General&path=Keyboard", NULL),
                     IA_OK);
    tap(d, "auto_capitalization");
    launch(d, CONTACTS);
    tap(d, "add");
    assert_true(shows_type(d, IA_EL_KEY, "q"));
    assert_false(shows_type(d, IA_EL_KEY, "Q"));
    ia_device_close(d);
}

static void the_numbers_page_comes_and_goes(void **state)
{
    (void)state;
    struct ia_device *d = at_form();
    tap(d, "more");
    tap(d, "7");
    tap(d, "?");
    assert_false(shows_type(d, IA_EL_KEY, "q"));
    tap(d, "letters");
    tap(d, "x");
    assert_value(d, "first-name", "7?x");
    ia_device_close(d);
}

static void a_phone_number_has_the_phone_pad(void **state)
{
    (void)state;
    struct ia_device *d = at_form();
    tap(d, "phone");
    assert_false(shows_type(d, IA_EL_KEY, "space"));
    tap(d, "5");
    tap(d, "0");
    tap(d, "delete");
    tap(d, "+");
    assert_value(d, "phone", "5+");
    ia_device_close(d);
}

static void an_email_field_offers_at_and_dot(void **state)
{
    (void)state;
    struct ia_device *d = at_form();
    tap(d, "email");
    tap(d, "a");
    tap(d, "@");
    tap(d, ".");
    assert_value(d, "email", "a@.");
    ia_device_close(d);
}

static void the_return_key_goes_on_and_closes_the_keyboard(void **state)
{
    (void)state;
    struct ia_device *d = at_form();
    tap(d, "Return");
    struct ia_tree *t = tree_of(d);
    assert_true(find(t, IA_EL_TEXT_FIELD, "last-name")->flags & IA_NODE_FOCUSED);
    assert_false(find(t, IA_EL_TEXT_FIELD, "first-name")->flags & IA_NODE_FOCUSED);
    ia_tree_free(t);
    tap(d, "email");
    tap(d, "Return");
    assert_true(state_has(d, "\"keyboard\":false"));
    ia_device_close(d);
}

static void typing_without_a_keyboard_is_refused(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_err err = {0};
    assert_int_equal(d->ops->type_text(d, &no_limit, ia_str("x"), &err), IA_E_NO_KEYBOARD);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    launch(d, CONTACTS);
    assert_int_equal(d->ops->delete_text(d, &no_limit, 1, &err), IA_E_NO_KEYBOARD);
    assert_true(state_has(d, "\"seq\":1,"));
    ia_device_close(d);
}

static void text_that_no_key_types_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
    } bad[] = {{"\x01", 1}, {"a\tb", 3}, {"a\0b", 3},
               {"\x7F", 1}, {"\xFF", 1}, {"\xE2\x82", 2}};
    struct ia_device *d = at_form();
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        struct ia_err err = {0};
        struct ia_str text = {bad[i].text, bad[i].n};
        assert_int_equal(d->ops->type_text(d, &no_limit, text, &err), IA_E_USAGE);
        assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    }
    assert_value(d, "first-name", NULL);
    ia_device_close(d);
}

static void too_long_a_text_is_refused_and_a_full_field_takes_no_more(void **state)
{
    (void)state;
    struct ia_device *d = at_form();
    char *text = malloc(4098);
    memset(text, 'x', 4097);
    text[4097] = '\0';
    struct ia_err err = {0};
    assert_int_equal(d->ops->type_text(d, &no_limit, ia_str(text), &err), IA_E_LIMIT);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    text[2000] = '\0';
    type(d, text);
    char *value = value_of(d, "first-name");
    assert_int_equal(strlen(value), 1024);
    free(value);
    free(text);
    ia_device_close(d);
}

static void any_utf8_is_typed_and_deleted_by_characters(void **state)
{
    (void)state;
    struct ia_device *d = at_form();
    type(d, "J\xC3\xBC\xE6\x97\xA5\xF0\x9F\x98\x80");
    assert_value(d, "first-name", "J\xC3\xBC\xE6\x97\xA5\xF0\x9F\x98\x80");
    assert_int_equal(d->ops->delete_text(d, &no_limit, 2, NULL), IA_OK);
    assert_value(d, "first-name", "J\xC3\xBC");
    assert_int_equal(d->ops->delete_text(d, &no_limit, 100, NULL), IA_OK);
    assert_value(d, "first-name", NULL);
    assert_int_equal(d->ops->delete_text(d, &no_limit, 0, NULL), IA_E_USAGE);
    assert_int_equal(d->ops->delete_text(d, &no_limit, -1, NULL), IA_E_USAGE);
    ia_device_close(d);
}

static void the_clear_button_stands_only_in_a_focused_field_with_text(void **state)
{
    (void)state;
    struct ia_device *d = at_form();
    assert_false(shows(d, "Clear text"));
    type(d, "x");
    assert_true(shows_type(d, IA_EL_BUTTON, "Clear text"));
    tap(d, "last-name");
    assert_false(shows(d, "Clear text"));
    tap(d, "first-name");
    tap(d, "Clear text");
    assert_value(d, "first-name", NULL);
    assert_true(state_has(d, "\"keyboard\":true"));
    ia_device_close(d);
}

static void a_placeholder_is_not_a_value(void **state)
{
    (void)state;
    struct ia_device *d = at_form();
    struct ia_tree *t = tree_of(d);
    const struct ia_node *n = find(t, IA_EL_TEXT_FIELD, "last-name");
    assert_null(n->value);
    assert_string_equal(n->placeholder, "Last name");
    assert_string_equal(n->label, "Last name");
    ia_tree_free(t);
    ia_device_close(d);
}

static void an_alert_takes_the_keyboard_away(void **state)
{
    (void)state;
    struct ia_device *d = at_form();
    type(d, "x");
    tap(d, "cancel");
    assert_true(state_has(d, "\"keyboard\":false"));
    assert_int_equal(d->ops->type_text(d, &no_limit, ia_str("y"), NULL), IA_E_NO_KEYBOARD);
    ia_device_close(d);
}

static void the_keyboard_survives_a_visit_to_the_home_screen(void **state)
{
    (void)state;
    struct ia_device *d = at_form();
    type(d, "Al");
    assert_int_equal(d->ops->press(d, &no_limit, IA_BUTTON_HOME, NULL), IA_OK);
    assert_int_equal(d->ops->type_text(d, &no_limit, ia_str("y"), NULL), IA_E_NO_KEYBOARD);
    launch(d, CONTACTS);
    type(d, "an");
    assert_value(d, "first-name", "Alan");
    ia_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_type_into_the_focused_field),
        cmocka_unit_test(shift_changes_the_next_letter_only),
        cmocka_unit_test(without_auto_capitalization_letters_start_small),
        cmocka_unit_test(the_numbers_page_comes_and_goes),
        cmocka_unit_test(a_phone_number_has_the_phone_pad),
        cmocka_unit_test(an_email_field_offers_at_and_dot),
        cmocka_unit_test(the_return_key_goes_on_and_closes_the_keyboard),
        cmocka_unit_test(typing_without_a_keyboard_is_refused),
        cmocka_unit_test(text_that_no_key_types_is_refused),
        cmocka_unit_test(too_long_a_text_is_refused_and_a_full_field_takes_no_more),
        cmocka_unit_test(any_utf8_is_typed_and_deleted_by_characters),
        cmocka_unit_test(the_clear_button_stands_only_in_a_focused_field_with_text),
        cmocka_unit_test(a_placeholder_is_not_a_value),
        cmocka_unit_test(an_alert_takes_the_keyboard_away),
        cmocka_unit_test(the_keyboard_survives_a_visit_to_the_home_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
