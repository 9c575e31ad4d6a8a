/* The app Reminders of the phone: lists, search, the sheet of a reminder, dates. */
#include "phone_fixture.h"

static struct ia_device *at_list(const char *list)
{
    struct ia_device *d = phone_new();
    launch(d, REMINDERS);
    tap(d, list);
    return d;
}

static void a_list_has_its_reminders_with_dates_and_notes(void **state)
{
    (void)state;
    struct ia_device *d = at_list("Reminders");
    assert_value(d, "Call the dentist", "Today");
    assert_value(d, "Renew passport", "Tue, 16 Sep 2025 \xC2\xB7 Two photos are needed");
    assert_value(d, "Water the plants", "Tomorrow");
    assert_false(shows(d, "Milk"));
    assert_true(state_has(d, "\"screen\":\"Reminders\""));
    ia_device_close(d);
}

static void a_new_reminder_has_a_title_notes_and_a_date(void **state)
{
    (void)state;
    struct ia_device *d = at_list("Work");
    tap(d, "new-reminder");
    assert_true(state_has(d, "\"keyboard\":true"));
    type(d, "Buy stamps\nfor letters\n");
    tap(d, "Tomorrow");
    tap(d, "add");
    assert_value(d, "Buy stamps", "Tomorrow \xC2\xB7 for letters");
    assert_true(state_has(d, "{\"title\":\"Buy stamps\",\"notes\":\"for letters\",\"list\":"
                             "\"Work\",\"due\":\"2025-09-10\",\"completed\":false}"));
    ia_device_close(d);
}

static void add_is_disabled_until_there_is_a_title(void **state)
{
    (void)state;
    struct ia_device *d = at_list("Work");
    tap(d, "new-reminder");
    type(d, "  ");
    struct ia_tree *t = tree_of(d);
    assert_false(find(t, IA_EL_BUTTON, "add")->flags & IA_NODE_ENABLED);
    ia_tree_free(t);
    type(d, "x");
    t = tree_of(d);
    assert_true(find(t, IA_EL_BUTTON, "add")->flags & IA_NODE_ENABLED);
    ia_tree_free(t);
    tap(d, "cancel");
    assert_true(shows(d, "Discard Changes"));
    tap(d, "Discard Changes");
    assert_true(state_has(d, "\"screen\":\"Work\""));
    ia_device_close(d);
}

static void a_completed_reminder_moves_to_the_completed_and_back(void **state)
{
    (void)state;
    struct ia_device *d = at_list("Groceries");
    tap(d, "Complete Milk");
    assert_value(d, "Milk", "Completed");
    assert_true(state_has(d, "\"title\":\"Milk\",\"notes\":\"\",\"list\":\"Groceries\",\"due\":"
                             "null,\"completed\":true"));
    tap(d, "Reopen Milk");
    assert_value(d, "Milk", NULL);
    tap(d, "BackButton");
    assert_value(d, "Groceries", "2");
    ia_device_close(d);
}

static void a_reminder_is_changed_and_deleted_in_its_sheet(void **state)
{
    (void)state;
    struct ia_device *d = at_list("Groceries");
    tap(d, "Bread");
    assert_value(d, "notes", "Whole grain");
    tap(d, "Next Week");
    tap(d, "done");
    assert_value(d, "Bread", "Tue, 16 Sep 2025 \xC2\xB7 Whole grain");
    tap(d, "Bread");
    tap(d, "delete-reminder");
    assert_true(state_has(d, "delete this reminder?"));
    tap(d, "Delete Reminder");
    assert_false(shows(d, "Bread"));
    assert_false(state_has(d, "Bread"));
    ia_device_close(d);
}

static void a_new_list_is_empty_and_says_so(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, REMINDERS);
    tap(d, "add-list");
    type(d, "Books");
    tap(d, "done");
    tap(d, "Books");
    assert_true(shows(d, "No Reminders"));
    assert_true(state_has(d, "\"Books\"]"));
    ia_device_close(d);
}

static void search_and_smart_lists_go_over_all_lists(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, REMINDERS);
    assert_value(d, "today", "1");
    assert_value(d, "all", "6");
    tap(d, "completed");
    assert_true(shows(d, "Coffee beans"));
    assert_true(shows(d, "Book a meeting room"));
    tap(d, "BackButton");
    tap(d, "search");
    type(d, "report");
    assert_true(shows(d, "Send the quarterly report"));
    assert_false(shows(d, "Milk"));
    type(d, "x");
    assert_true(shows(d, "No Results"));
    ia_device_close(d);
}

static void reminders_outlive_the_app_but_what_was_typed_does_not(void **state)
{
    (void)state;
    struct ia_device *d = at_list("Work");
    tap(d, "new-reminder");
    type(d, "Half");
    assert_int_equal(d->ops->terminate(d, &no_limit, REMINDERS, NULL), IA_OK);
    launch(d, REMINDERS);
    assert_true(state_has(d, "\"screen\":\"Lists\""));
    assert_false(state_has(d, "Half"));
    assert_true(state_has(d, "Milk"));
    ia_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_has_its_reminders_with_dates_and_notes),
        cmocka_unit_test(a_new_reminder_has_a_title_notes_and_a_date),
        cmocka_unit_test(add_is_disabled_until_there_is_a_title),
        cmocka_unit_test(a_completed_reminder_moves_to_the_completed_and_back),
        cmocka_unit_test(a_reminder_is_changed_and_deleted_in_its_sheet),
        cmocka_unit_test(a_new_list_is_empty_and_says_so),
        cmocka_unit_test(search_and_smart_lists_go_over_all_lists),
        cmocka_unit_test(reminders_outlive_the_app_but_what_was_typed_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
