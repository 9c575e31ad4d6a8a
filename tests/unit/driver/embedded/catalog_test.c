/* The app UIKitCatalog of the phone: its labels and its tree are a contract with other people's tests. */
#include "phone_fixture.h"

#include "driver/embedded/phone/phone.h"

#define CATALOG "com.example.apple-samplecode.UICatalog"

static struct ia_device *at_page(const char *name)
{
    struct ia_device *d = phone_new();
    launch(d, CATALOG);
    if (name) {
        tap(d, name);
    }
    return d;
}

static struct ia_node *after(const struct ia_tree *t, const struct ia_node *n)
{
    return n ? ia_node_next(n, ia_tree_root(t)) : ia_tree_root(t);
}

static int count(const struct ia_tree *t, enum ia_eltype type)
{
    int n = 0;
    for (const struct ia_node *i = after(t, NULL); i; i = after(t, i)) {
        n += i->type == type;
    }
    return n;
}

/* The last one of that type. */
static const struct ia_node *last_of(const struct ia_tree *t, enum ia_eltype type)
{
    const struct ia_node *found = NULL;
    for (const struct ia_node *i = after(t, NULL); i; i = after(t, i)) {
        found = i->type == type ? i : found;
    }
    return found;
}

static int count_shown(struct ia_device *d, enum ia_eltype type)
{
    struct ia_tree *t = tree_of(d);
    int n = count(t, type);
    ia_tree_free(t);
    return n;
}

static void the_menu_has_a_cell_without_a_label_around_each_text(void **state)
{
    (void)state;
    static const char *const menu[] = {"Activity Indicators",
                                       "Alert Views",
                                       "Buttons",
                                       "Date Picker",
                                       "Image View",
                                       "Page Control",
                                       "Picker View",
                                       "Progress Views",
                                       "Search",
                                       "Segmented Controls",
                                       "Sliders",
                                       "Stack Views",
                                       "Steppers",
                                       "Switches",
                                       "Text Fields",
                                       "Text View",
                                       "Toolbars",
                                       "Visual Effect",
                                       "Web View"};
    struct ia_device *d = at_page(NULL);
    struct ia_tree *t = tree_of(d);
    assert_int_equal(count(t, IA_EL_CELL), IA_COUNTOF(menu));
    for (size_t i = 0; i < IA_COUNTOF(menu); i++) {
        const struct ia_node *text = find(t, IA_EL_STATIC_TEXT, menu[i]);
        assert_non_null(text);
        assert_int_equal(text->parent->type, IA_EL_CELL);
        assert_null(text->parent->label);
    }
    ia_tree_free(t);
    ia_device_close(d);
}

static void the_scroll_bars_of_a_list_are_elements_that_nobody_sees(void **state)
{
    (void)state;
    struct ia_device *d = at_page(NULL);
    struct ia_tree *t = tree_of(d);
    const struct ia_node *down = find(t, IA_EL_OTHER, "Vertical scroll bar, 2 pages");
    const struct ia_node *across = find(t, IA_EL_OTHER, "Horizontal scroll bar, 1 page");
    assert_non_null(down);
    assert_non_null(across);
    assert_int_equal(down->parent->type, IA_EL_TABLE);
    assert_ptr_equal(across, down->parent->last_child);
    assert_true(down->flags & across->flags & IA_NODE_INVISIBLE);
    assert_string_equal(down->value, "0%");
    ia_tree_free(t);
    drag(d, 200, 700, 200, 100);
    assert_value(d, "Vertical scroll bar, 2 pages", "100%");
    ia_device_close(d);
}

static void every_page_opens_and_leads_back(void **state)
{
    (void)state;
    struct ia_device *d = at_page(NULL);
    struct ia_tree *t = tree_of(d);
    char names[32][64];
    int n = 0;
    for (const struct ia_node *node = after(t, NULL); node; node = after(t, node)) {
        if (node->type == IA_EL_STATIC_TEXT && node->parent->type == IA_EL_CELL) {
            (void)snprintf(names[n++], sizeof(names[0]), "%s", node->label);
        }
    }
    ia_tree_free(t);
    assert_int_equal(n, 19);
    for (int i = 0; i < n; i++) {
        if (i == 16) {
            drag(d, 200, 700, 200, 100);
        }
        tap(d, names[i]);
        assert_true(shows_type(d, IA_EL_NAVIGATION_BAR, names[i]));
        tap(d, "BackButton");
        assert_true(shows_type(d, IA_EL_NAVIGATION_BAR, "UIKitCatalog"));
    }
    ia_device_close(d);
}

static void an_alert_with_a_field_is_typed_into_and_stands_clear_of_the_keyboard(void **state)
{
    (void)state;
    struct ia_device *d = at_page("Alert Views");
    tap(d, "Text Entry");
    struct ia_tree *t = tree_of(d);
    const struct ia_node *alert = find(t, IA_EL_ALERT, "A Short Title Is Best");
    const struct ia_node *keyboard = last_of(t, IA_EL_KEYBOARD);
    assert_non_null(alert);
    assert_non_null(keyboard);
    assert_true(alert->frame.y + alert->frame.h < keyboard->frame.y);
    ia_tree_free(t);
    type(d, "hello");
    tap(d, "w");
    t = tree_of(d);
    const struct ia_node *field = last_of(t, IA_EL_TEXT_FIELD);
    assert_string_equal(field->value, "hellow");
    assert_true(field->flags & IA_NODE_FOCUSED);
    assert_null(find(t, IA_EL_BUTTON, "Clear text")); /* UIKit's alerts have none */
    ia_tree_free(t);
    type(d, "\n");
    assert_int_equal(count_shown(d, IA_EL_ALERT), 0);
    assert_int_equal(count_shown(d, IA_EL_KEYBOARD), 0);
    tap(d, "Text Entry");
    t = tree_of(d);
    assert_null(last_of(t, IA_EL_TEXT_FIELD)->value);
    ia_tree_free(t);
    ia_device_close(d);
}

static void a_secure_alert_shows_dots(void **state)
{
    (void)state;
    struct ia_device *d = at_page("Alert Views");
    tap(d, "Secure Text Entry");
    type(d, "ab");
    struct ia_tree *t = tree_of(d);
    assert_string_equal(last_of(t, IA_EL_SECURE_TEXT_FIELD)->value, "\xE2\x80\xA2\xE2\x80\xA2");
    ia_tree_free(t);
    tap(d, "Cancel");
    assert_int_equal(count_shown(d, IA_EL_KEYBOARD), 0);
    ia_device_close(d);
}

static void
a_wheel_turns_to_the_row_that_is_touched_and_follows_a_drag_to_its_ends(void **state)
{
    (void)state;
    struct ia_device *d = at_page("Picker View");
    const char *red = "Red color component value";
    struct ia_tree *t = tree_of(d);
    assert_int_equal(count(t, IA_EL_PICKER_WHEEL), 3);
    struct ia_rect f = find(t, IA_EL_PICKER_WHEEL, red)->frame;
    ia_tree_free(t);
    double x = f.x + f.w / 2, y = f.y + f.h / 2;
    assert_value(d, red, "65");
    tap_at(d, x, y + 32);
    assert_value(d, red, "70");
    tap_at(d, x, y - 64);
    assert_value(d, red, "60");
    drag(d, x, y + 32, x, y - 64);
    assert_value(d, red, "75");
    for (int i = 0; i < 4; i++) {
        drag(d, x, y - 100, x, y + 100);
    }
    assert_value(d, red, "0");
    assert_value(d, "Green color component value", "205");
    assert_true(state_has(d, "\"catalog\":{\"page\":\"Picker View\",\"values\":[0,205,120]}"));
    tap(d, "BackButton");
    tap(d, "Picker View");
    assert_value(d, red, "65");
    ia_device_close(d);
}

static void a_stepper_counts_between_its_ends(void **state)
{
    (void)state;
    struct ia_device *d = at_page("Steppers");
    struct ia_tree *t = tree_of(d);
    const struct ia_node *less = NULL, *more = NULL;
    for (const struct ia_node *n = after(t, NULL); n && !more; n = after(t, n)) {
        less = n->label && strcmp(n->label, "Decrement") == 0 ? n : less;
        more = n->label && strcmp(n->label, "Increment") == 0 ? n : more;
    }
    assert_false(less->flags & IA_NODE_ENABLED);
    double x = more->frame.x + 20, y = more->frame.y + 16;
    ia_tree_free(t);
    tap_at(d, x, y);
    tap_at(d, x, y);
    assert_true(shows_type(d, IA_EL_STATIC_TEXT, "2"));
    for (int i = 0; i < 12; i++) {
        tap_at(d, x, y);
    }
    assert_true(shows_type(d, IA_EL_STATIC_TEXT, "10"));
    ia_device_close(d);
}

static void six_fields_have_a_placeholder_and_no_label_and_forget_what_was_typed(void **state)
{
    (void)state;
    struct ia_device *d = at_page("Text Fields");
    struct ia_tree *t = tree_of(d);
    assert_int_equal(count(t, IA_EL_TEXT_FIELD), 5);
    assert_int_equal(count(t, IA_EL_SECURE_TEXT_FIELD), 1);
    const struct ia_node *last = last_of(t, IA_EL_TEXT_FIELD);
    assert_null(last->label);
    assert_null(last->value);
    assert_string_equal(last->placeholder, "Placeholder text");
    tap_at(d, last->frame.x + 20, last->frame.y + 20);
    ia_tree_free(t);
    type(d, "abc\n");
    assert_int_equal(count_shown(d, IA_EL_KEYBOARD), 0);
    t = tree_of(d);
    assert_string_equal(last_of(t, IA_EL_TEXT_FIELD)->value, "abc");
    ia_tree_free(t);
    tap(d, "BackButton");
    tap(d, "Text Fields");
    t = tree_of(d);
    assert_null(last_of(t, IA_EL_TEXT_FIELD)->value);
    ia_tree_free(t);
    ia_device_close(d);
}

static void controls_show_what_was_chosen(void **state)
{
    (void)state;
    struct ia_device *d = at_page("Buttons");
    tap(d, "Toggle");
    tap(d, "Cart");
    tap(d, "Cart");
    assert_true(state_has(d, "\"values\":[0,0,0,2,0,1]"));
    tap(d, "BackButton");
    tap(d, "Switches");
    tap(d, "Tinted");
    assert_true(state_has(d, "\"values\":[1,1]"));
    tap(d, "BackButton");
    tap(d, "Segmented Controls");
    tap(d, "Tools"); /* the last one: of the second control */
    assert_true(state_has(d, "\"values\":[0,2]"));
    tap(d, "BackButton");
    tap(d, "Page Control");
    assert_value(d, "Page Control", "page 1 of 10");
    struct ia_tree *t = tree_of(d);
    struct ia_rect f = find(t, IA_EL_PAGE_INDICATOR, "Page Control")->frame;
    ia_tree_free(t);
    tap_at(d, f.x + f.w - 4, f.y + 10);
    assert_value(d, "Page Control", "page 2 of 10");
    ia_device_close(d);
}

static void the_page_search_shows_the_names_that_match(void **state)
{
    (void)state;
    struct ia_device *d = at_page("Search");
    assert_int_equal(count_shown(d, IA_EL_CELL), 19);
    tap(d, "search");
    type(d, "view");
    assert_int_equal(count_shown(d, IA_EL_CELL), 7);
    tap(d, "Cancel");
    tap(d, "BackButton");
    assert_true(shows_type(d, IA_EL_NAVIGATION_BAR, "UIKitCatalog"));
    ia_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_menu_has_a_cell_without_a_label_around_each_text),
        cmocka_unit_test(the_scroll_bars_of_a_list_are_elements_that_nobody_sees),
        cmocka_unit_test(every_page_opens_and_leads_back),
        cmocka_unit_test(an_alert_with_a_field_is_typed_into_and_stands_clear_of_the_keyboard),
        cmocka_unit_test(a_secure_alert_shows_dots),
        cmocka_unit_test(
            a_wheel_turns_to_the_row_that_is_touched_and_follows_a_drag_to_its_ends),
        cmocka_unit_test(a_stepper_counts_between_its_ends),
        cmocka_unit_test(six_fields_have_a_placeholder_and_no_label_and_forget_what_was_typed),
        cmocka_unit_test(controls_show_what_was_chosen),
        cmocka_unit_test(the_page_search_shows_the_names_that_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
