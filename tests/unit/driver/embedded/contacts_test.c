/* The app Contacts of the phone: a long list, search, the form, alerts. */
#include "phone_fixture.h"

static struct ia_device *at_list(void)
{
    struct ia_device *d = phone_new();
    launch(d, CONTACTS);
    return d;
}

/* A drag that brings the row onto the screen. */
static void scroll_to(struct ia_device *d, const char *name)
{
    for (int i = 0; i < 10; i++) {
        struct ia_tree *t = tree_of(d);
        double y = find(t, IA_EL_CELL, name)->frame.y;
        ia_tree_free(t);
        if (y > 110 && y < 780) {
            return;
        }
        drag(d, 150, y < 400 ? 200 : 700, 150, y < 400 ? 700 : 200);
    }
    fail_msg("%s cannot be scrolled to", name);
}

static void the_list_has_all_contacts_also_those_below_the_screen(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    struct ia_tree *t = tree_of(d);
    size_t cells = 0, below = 0;
    struct ia_node *root = ia_tree_root(t);
    for (struct ia_node *n = root; n; n = ia_node_next(n, root)) {
        cells += n->type == IA_EL_CELL;
        below += n->type == IA_EL_CELL && n->frame.y >= 852;
    }
    assert_int_equal(cells, 30);
    assert_true(below >= 15);
    assert_true(find(t, IA_EL_STATIC_TEXT, "A")->flags & IA_NODE_HEADER);
    ia_tree_free(t);
    ia_device_close(d);
}

static void a_contact_is_added_with_name_phone_and_email(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    tap(d, "add");
    assert_true(state_has(d, "\"screen\":\"New Contact\""));
    assert_true(state_has(d, "\"keyboard\":true"));
    type(d, "Ada");
    tap(d, "last-name");
    type(d, "Lovelace");
    tap(d, "phone");
    type(d, "555-0100");
    tap(d, "email");
    type(d, "ada@example.com");
    tap(d, "done");
    assert_true(shows_type(d, IA_EL_STATIC_TEXT, "contact-name"));
    assert_true(shows(d, "Ada Lovelace"));
    assert_true(state_has(d,
                          "{\"name\":\"Ada Lovelace\",\"first\":\"Ada\",\"last\":\"Lovelace\","
                          "\"phone\":\"555-0100\",\"email\":\"ada@example.com\"}"));
    tap(d, "BackButton");
    assert_true(shows_type(d, IA_EL_CELL, "Ada Lovelace"));
    assert_true(shows(d, "31 Contacts"));
    ia_device_close(d);
}

static void return_goes_from_field_to_field(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    tap(d, "add");
    type(d, "Alan\nTuring\n555-0199\nalan@example.com\n");
    assert_true(state_has(d, "\"keyboard\":false"));
    assert_value(d, "first-name", "Alan");
    assert_value(d, "last-name", "Turing");
    assert_value(d, "phone", "555-0199");
    assert_value(d, "email", "alan@example.com");
    ia_device_close(d);
}

static void text_after_the_keyboard_went_away_is_reported_lost(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    tap(d, "add");
    tap(d, "email");
    struct ia_err err = {0};
    assert_int_equal(d->ops->type_text(d, &no_limit, ia_str("a@b\nmore"), &err),
                     IA_E_NO_KEYBOARD);
    assert_int_equal(err.outcome, IA_OUTCOME_SENT);
    assert_non_null(strstr(err.msg, "4 characters"));
    assert_value(d, "email", "a@b");
    ia_device_close(d);
}

static void done_is_disabled_until_something_was_typed(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    tap(d, "add");
    struct ia_tree *t = tree_of(d);
    assert_false(find(t, IA_EL_BUTTON, "done")->flags & IA_NODE_ENABLED);
    ia_tree_free(t);
    tap(d, "done");
    assert_true(state_has(d, "\"screen\":\"New Contact\""));
    type(d, "A");
    t = tree_of(d);
    assert_true(find(t, IA_EL_BUTTON, "done")->flags & IA_NODE_ENABLED);
    ia_tree_free(t);
    ia_device_close(d);
}

static void a_contact_without_a_name_is_refused_by_an_alert(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    tap(d, "add");
    type(d, "   ");
    tap(d, "phone");
    type(d, "555");
    tap(d, "done");
    assert_true(shows_type(d, IA_EL_ALERT, "Name Required"));
    assert_int_equal(d->ops->alert(d, &no_limit, IA_ALERT_ACCEPT, NULL, NULL), IA_OK);
    assert_true(state_has(d, "\"screen\":\"New Contact\""));
    assert_value(d, "phone", "555");
    ia_device_close(d);
}

static void cancel_asks_before_typed_text_is_thrown_away(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    tap(d, "add");
    tap(d, "cancel");
    assert_true(state_has(d, "\"screen\":\"Contacts\""));
    tap(d, "add");
    type(d, "Bob");
    tap(d, "cancel");
    assert_true(
        shows_type(d, IA_EL_SHEET, "Are you sure you want to discard this new contact?"));
    tap(d, "Keep Editing");
    assert_value(d, "first-name", "Bob");
    drag(d, 196, 90, 196, 400);
    tap(d, "Discard Changes");
    assert_true(state_has(d, "\"screen\":\"Contacts\""));
    assert_false(state_has(d, "Bob"));
    tap(d, "add");
    assert_value(d, "first-name", NULL);
    ia_device_close(d);
}

static void the_list_stays_behind_the_form(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    tap(d, "add");
    assert_true(shows_type(d, IA_EL_CELL, "Nora Abbott"));
    assert_true(shows_type(d, IA_EL_NAVIGATION_BAR, "Contacts"));
    tap(d, "Nora Abbott");
    assert_true(state_has(d, "\"screen\":\"New Contact\""));
    ia_device_close(d);
}

static void a_card_is_edited(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    tap(d, "Mei Chen");
    assert_value(d, "phone", "555-0117");
    tap(d, "edit");
    assert_value(d, "first-name", "Mei");
    struct ia_tree *t = tree_of(d);
    assert_false(find(t, IA_EL_BUTTON, "done")->flags & IA_NODE_ENABLED);
    ia_tree_free(t);
    tap(d, "phone");
    tap(d, "Clear text");
    type(d, "555-7777");
    tap(d, "done");
    assert_true(state_has(d, "\"screen\":\"Contact\""));
    assert_value(d, "phone", "555-7777");
    assert_true(state_has(d, "\"name\":\"Mei Chen\",\"first\":\"Mei\",\"last\":\"Chen\","
                             "\"phone\":\"555-7777\""));
    ia_device_close(d);
}

static void a_contact_is_deleted_only_after_confirmation(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    tap(d, "Oliver Cole");
    tap(d, "edit");
    tap(d, "delete-contact");
    assert_true(shows_type(d, IA_EL_SHEET, "Are you sure you want to delete this contact?"));
    assert_int_equal(d->ops->alert(d, &no_limit, IA_ALERT_DISMISS, NULL, NULL), IA_OK);
    assert_true(state_has(d, "Oliver Cole"));
    tap(d, "delete-contact");
    tap(d, "Delete Contact");
    assert_true(state_has(d, "\"screen\":\"Contacts\""));
    assert_false(state_has(d, "Oliver Cole"));
    assert_false(shows(d, "Oliver Cole"));
    assert_true(shows(d, "29 Contacts"));
    ia_device_close(d);
}

static void the_list_scrolls_and_stops_at_its_ends(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    struct ia_tree *t = tree_of(d);
    double top = find(t, IA_EL_CELL, "Nora Abbott")->frame.y;
    ia_tree_free(t);
    drag(d, 150, 700, 150, 600);
    t = tree_of(d);
    assert_true(find(t, IA_EL_CELL, "Nora Abbott")->frame.y == top - 100);
    ia_tree_free(t);
    drag(d, 150, 300, 150, 700);
    t = tree_of(d);
    assert_true(find(t, IA_EL_CELL, "Nora Abbott")->frame.y == top);
    ia_tree_free(t);
    for (int i = 0; i < 6; i++) {
        drag(d, 150, 800, 150, 110);
    }
    t = tree_of(d);
    struct ia_rect last = find(t, IA_EL_CELL, "Adam Young")->frame;
    ia_tree_free(t);
    assert_true(last.y > 600 && last.y + last.h < 818);
    tap_at(d, 196, 30);
    t = tree_of(d);
    assert_true(find(t, IA_EL_CELL, "Nora Abbott")->frame.y == top);
    ia_tree_free(t);
    ia_device_close(d);
}

static void the_large_title_collapses_into_the_bar(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    struct ia_tree *t = tree_of(d);
    assert_true(find(t, IA_EL_NAVIGATION_BAR, "Contacts")->frame.h == 148);
    assert_non_null(find(t, IA_EL_SEARCH_FIELD, "search"));
    ia_tree_free(t);
    drag(d, 150, 700, 150, 400);
    t = tree_of(d);
    assert_true(find(t, IA_EL_NAVIGATION_BAR, "Contacts")->frame.h == 44);
    assert_null(find(t, IA_EL_SEARCH_FIELD, "search"));
    assert_non_null(find(t, IA_EL_BUTTON, "add"));
    ia_tree_free(t);
    ia_device_close(d);
}

static void the_index_jumps_to_a_letter(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    struct ia_tree *t = tree_of(d);
    struct ia_rect f = find(t, IA_EL_OTHER, "table-index")->frame;
    ia_tree_free(t);
    tap_at(d, f.x + 5, f.y + f.h * 12.5 / 27); /* M */
    t = tree_of(d);
    double y = find(t, IA_EL_CELL, "Daniel Meyer")->frame.y;
    ia_tree_free(t);
    assert_true(y > 103 && y < 140);
    ia_device_close(d);
}

static void searching_finds_names_numbers_and_addresses(void **state)
{
    (void)state;
    static const struct {
        const char *query, *hit, *miss;
    } rows[] = {
        {"schm", "Emma Schmidt", "Nora Abbott"}, {"emma s", "Emma Schmidt", "Nora Abbott"},
        {"0111", "Nora Abbott", "Emma Schmidt"}, {"mei.chen@", "Mei Chen", "Emma Schmidt"},
        {"", "Nora Abbott", "No Results"},       {"qqq", "No Results", "Nora Abbott"}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_device *d = at_list();
        tap(d, "search");
        type(d, rows[i].query);
        assert_true(shows(d, rows[i].hit));
        assert_false(shows(d, rows[i].miss));
        ia_device_close(d);
    }
}

static void a_found_contact_is_opened_and_the_search_is_still_there_after(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    tap(d, "search");
    type(d, "osei\n");
    assert_true(state_has(d, "\"keyboard\":false"));
    tap(d, "Kwame Osei");
    assert_true(shows(d, "contact-name"));
    tap(d, "BackButton");
    assert_value(d, "search", "osei");
    tap(d, "Cancel");
    assert_true(shows_type(d, IA_EL_CELL, "Nora Abbott"));
    ia_device_close(d);
}

static void new_contacts_stand_in_their_place_by_last_name(void **state)
{
    (void)state;
    static const char *const names[] = {"Zed\nAbel\n",
                                        "\xC3\x96"
                                        "dön\n\xC3\x96"
                                        "rs\n",
                                        "3M\n\n"};
    struct ia_device *d = at_list();
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        tap(d, "add");
        type(d, names[i]);
        tap(d, "done");
        tap(d, "BackButton");
    }
    struct ia_tree *t = tree_of(d);
    double abbott = find(t, IA_EL_CELL, "Nora Abbott")->frame.y;
    double abel = find(t, IA_EL_CELL, "Zed Abel")->frame.y;
    double adler = find(t, IA_EL_CELL, "Samuel Adler")->frame.y;
    double ors = find(t, IA_EL_CELL,
                      "\xC3\x96"
                      "dön \xC3\x96"
                      "rs")
                     ->frame.y;
    double osei = find(t, IA_EL_CELL, "Kwame Osei")->frame.y;
    double number = find(t, IA_EL_CELL, "3M")->frame.y;
    assert_true(abbott < abel && abel < adler);
    assert_true(ors < osei && number > find(t, IA_EL_CELL, "Adam Young")->frame.y);
    assert_non_null(find(t, IA_EL_STATIC_TEXT, "#"));
    ia_tree_free(t);
    ia_device_close(d);
}

static void the_sort_order_of_settings_changes_the_list(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    assert_int_equal(d->ops->open_url(d, &no_limit, "prefs:root=APPS&path=CONTACTS", NULL),
                     IA_OK);
    tap(d, "contacts_sort_order");
    tap(d, "First, Last");
    launch(d, CONTACTS);
    struct ia_tree *t = tree_of(d);
    assert_true(find(t, IA_EL_CELL, "Adam Young")->frame.y <
                find(t, IA_EL_CELL, "Nora Abbott")->frame.y);
    ia_tree_free(t);
    ia_device_close(d);
}

static void what_cannot_be_done_on_a_card_is_disabled(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    tap(d, "Nora Abbott");
    struct ia_tree *t = tree_of(d);
    static const char *const actions[] = {"message", "call", "video", "mail"};
    for (size_t i = 0; i < IA_COUNTOF(actions); i++) {
        assert_false(find(t, IA_EL_BUTTON, actions[i])->flags & IA_NODE_ENABLED);
    }
    ia_tree_free(t);
    ia_device_close(d);
}

static void every_row_can_be_scrolled_to_and_opened(void **state)
{
    (void)state;
    struct ia_device *d = at_list();
    static const char *const names[] = {"Adam Young", "Ravi Rao", "Nora Abbott", "Liam Hughes"};
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        scroll_to(d, names[i]);
        tap(d, names[i]);
        assert_true(shows_type(d, IA_EL_STATIC_TEXT, names[i]));
        assert_true(state_has(d, "\"screen\":\"Contact\""));
        tap(d, "BackButton");
    }
    ia_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_has_all_contacts_also_those_below_the_screen),
        cmocka_unit_test(a_contact_is_added_with_name_phone_and_email),
        cmocka_unit_test(return_goes_from_field_to_field),
        cmocka_unit_test(text_after_the_keyboard_went_away_is_reported_lost),
        cmocka_unit_test(done_is_disabled_until_something_was_typed),
        cmocka_unit_test(a_contact_without_a_name_is_refused_by_an_alert),
        cmocka_unit_test(cancel_asks_before_typed_text_is_thrown_away),
        cmocka_unit_test(the_list_stays_behind_the_form),
        cmocka_unit_test(a_card_is_edited),
        cmocka_unit_test(a_contact_is_deleted_only_after_confirmation),
        cmocka_unit_test(the_list_scrolls_and_stops_at_its_ends),
        cmocka_unit_test(the_large_title_collapses_into_the_bar),
        cmocka_unit_test(the_index_jumps_to_a_letter),
        cmocka_unit_test(searching_finds_names_numbers_and_addresses),
        cmocka_unit_test(a_found_contact_is_opened_and_the_search_is_still_there_after),
        cmocka_unit_test(new_contacts_stand_in_their_place_by_last_name),
        cmocka_unit_test(the_sort_order_of_settings_changes_the_list),
        cmocka_unit_test(what_cannot_be_done_on_a_card_is_disabled),
        cmocka_unit_test(every_row_can_be_scrolled_to_and_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
