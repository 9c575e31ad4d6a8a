/* The app Messages of the phone: conversations, answers that come after a while, pictures, what is not
 * delivered, and planted bugs. */
#include "phone_fixture.h"

#define MESSAGES "com.apple.MobileSMS"

static struct ia_device *at_messages(void)
{
    struct ia_device *d = phone_new();
    launch(d, MESSAGES);
    return d;
}

static void open_link(struct ia_device *d, const char *url)
{
    assert_int_equal(d->ops->open_url(d, &no_limit, url, NULL), IA_OK);
}

static void write_text(struct ia_device *d, const char *text)
{
    tap(d, "message");
    type(d, text);
    tap(d, "send");
}

/* Looks until the text has come; each look lets a second pass. */
static void await(struct ia_device *d, const char *text)
{
    for (int looks = 0; !shows(d, text); looks++) {
        assert_true(looks < 30);
    }
}

static void the_list_shows_the_newest_first_with_what_is_unread(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    assert_value(d, "Messages", "4 new items");
    tap(d, "Messages");
    assert_value(d, "Grace Foster", "1 unread");
    assert_value(d, "Ravi Rao", "2 unread");
    assert_value(d, "Parcel Service", "6:36");
    tap(d, "Ravi Rao");
    assert_value(d, "Please send me the picture.", "Received, 8:07");
    tap(d, "Messages");
    assert_value(d, "Ravi Rao", "8:07");
    assert_int_equal(d->ops->press(d, &no_limit, IA_BUTTON_HOME, NULL), IA_OK);
    assert_value(d, "Messages", "2 new items");
    ia_device_close(d);
}

static void an_answer_comes_after_a_while_and_is_typed_until_then(void **state)
{
    (void)state;
    struct ia_device *d = at_messages();
    tap(d, "Grace Foster");
    write_text(d, "Yes, gladly!");
    assert_true(shows(d, "Delivered"));
    assert_true(shows(d, "typing"));
    assert_false(shows(d, "Great! Can you book a table at the Blue Door for Friday?"));
    await(d, "Great! Can you book a table at the Blue Door for Friday?");
    assert_false(shows(d, "typing"));
    char *before = state_of(d);
    assert_true(shows(d, "Yes, gladly!"));
    char *after = state_of(d);
    assert_string_equal(before, after);
    free(before);
    free(after);
    ia_device_close(d);
}

static void the_restaurant_asks_until_a_table_is_booked(void **state)
{
    (void)state;
    static const char *const talk[][2] = {
        {"hello", "Write BOOK to reserve a table for Friday."},
        {"I would like to book", "With pleasure! For how many people?"},
        {"a few", "Please answer with the number of people."},
        {"We are 4", "At what time? We have 18:00, 19:30 and 21:00."},
        {"at 20:00", "Please choose: 18:00, 19:30 or 21:00."},
        {"19:30 then", "A table for 4 on Friday at 19:30. Shall I book it?"},
        {"I know now", "Please answer yes or no."},
        {"YES!", "Your table for 4 on Friday at 19:30 is booked. Reference: BD-6821"},
        {"book another", "Your table for 4 at 19:30 is booked. Write CANCEL to cancel it."},
        {"cancel", "Your table BD-6821 is cancelled."},
    };
    struct ia_device *d = at_messages();
    tap(d, "Blue Door Restaurant");
    for (size_t i = 0; i < IA_COUNTOF(talk); i++) {
        write_text(d, talk[i][0]);
        await(d, talk[i][1]);
    }
    ia_device_close(d);
}

static void what_comes_elsewhere_is_a_banner_that_opens_it(void **state)
{
    (void)state;
    struct ia_device *d = at_messages();
    tap(d, "City Library");
    write_text(d, "renew");
    launch(d, SHOP);
    await(d, "NotificationShortLookView");
    assert_true(state_has(d, "\"with\":\"City Library\",\"number\":\"555-0180\",\"unread\":1"));
    tap(d, "NotificationShortLookView");
    assert_true(state_has(d, "\"screen\":\"City Library\""));
    assert_true(state_has(d, "\"with\":\"City Library\",\"number\":\"555-0180\",\"unread\":0"));
    ia_device_close(d);
}

static void hidden_alerts_show_no_banner(void **state)
{
    (void)state;
    struct ia_device *d = at_messages();
    tap(d, "City Library");
    tap(d, "details");
    tap(d, "hide-alerts");
    tap(d, "City Library");
    write_text(d, "renew");
    launch(d, SHOP);
    for (int i = 0; i < 20; i++) {
        assert_false(shows(d, "NotificationShortLookView"));
    }
    assert_true(state_has(d, "\"unread\":1,\"muted\":true"));
    ia_device_close(d);
}

static void a_picture_is_sent_by_its_name(void **state)
{
    (void)state;
    struct ia_device *d = at_messages();
    open_link(d, "sketch://save");
    tap(d, "Allow");
    launch(d, MESSAGES);
    tap(d, "Ravi Rao");
    tap(d, "attach");
    tap(d, "Sketch 1.png");
    assert_true(shows(d, "Remove Sketch 1.png"));
    tap(d, "detach");
    assert_false(shows(d, "Remove Sketch 1.png"));
    tap(d, "attach");
    tap(d, "Sketch 1.png");
    write_text(d, "Is it this?");
    await(d, "That is another one. I need the receipt.");
    assert_true(state_has(d, "{\"mine\":true,\"picture\":\"Sketch 1.png\",\"delivered\":true},"
                             "{\"mine\":true,\"text\":\"Is it this?\",\"delivered\":true}"));
    tap(d, "attach");
    tap(d, "Receipt.jpg");
    tap(d, "send");
    await(d, "That is the one. Thank you!");
    ia_device_close(d);
}

static void nothing_goes_or_comes_in_airplane_mode(void **state)
{
    (void)state;
    struct ia_device *d = at_messages();
    tap(d, "Grace Foster");
    write_text(d, "booked!");
    launch(d, SETTINGS);
    tap(d, "airplane_mode");
    launch(d, MESSAGES);
    write_text(d, "no");
    assert_true(shows(d, "Not Delivered"));
    for (int i = 0; i < 20; i++) {
        assert_false(shows(d, "Perfect, see you there!"));
    }
    launch(d, SETTINGS);
    tap(d, "airplane_mode");
    launch(d, MESSAGES);
    await(d, "Perfect, see you there!");
    tap(d, "no");
    tap(d, "Try Again");
    assert_false(shows(d, "Not Delivered"));
    await(d, "What a pity. Maybe next week!");
    ia_device_close(d);
}

static void who_takes_no_answers_gets_none(void **state)
{
    (void)state;
    struct ia_device *d = at_messages();
    tap(d, "Parcel Service");
    write_text(d, "thanks");
    assert_true(state_has(d, "{\"mine\":true,\"text\":\"thanks\",\"delivered\":false}"));
    ia_device_close(d);
}

static void a_new_message_goes_to_a_contact_or_a_number(void **state)
{
    (void)state;
    struct ia_device *d = at_messages();
    tap(d, "compose");
    type(d, "osei");
    tap(d, "Kwame Osei");
    type(d, "Hello");
    tap(d, "send");
    tap(d, "BackButton");
    assert_true(shows_type(d, IA_EL_CELL, "Kwame Osei"));
    tap(d, "compose");
    type(d, "555-0123");
    tap(d, "next");
    assert_true(state_has(d, "\"screen\":\"Grace Foster\""));
    open_link(d, "sms:555-0777");
    assert_true(state_has(d, "\"screen\":\"555-0777\""));
    tap(d, "BackButton");
    assert_false(shows(d, "555-0777"));
    ia_device_close(d);
}

static void search_finds_names_and_texts(void **state)
{
    (void)state;
    struct ia_device *d = at_messages();
    tap(d, "search");
    type(d, "mill lane");
    assert_true(shows_type(d, IA_EL_CELL, "Adam Young"));
    assert_false(shows_type(d, IA_EL_CELL, "Ravi Rao"));
    type(d, "!");
    assert_true(shows(d, "No Results"));
    ia_device_close(d);
}

static void a_message_is_copied_and_deleted(void **state)
{
    (void)state;
    struct ia_device *d = at_messages();
    tap(d, "Parcel Service");
    tap(d, "Your parcel is in locker 14. The pickup code is 7731.");
    tap(d, "Copy");
    assert_true(state_has(d, "\"pasteboard\":\"Your parcel is in locker 14."));
    tap(d, "Your parcel is in locker 14. The pickup code is 7731.");
    tap(d, "Delete");
    assert_false(shows(d, "Your parcel is in locker 14. The pickup code is 7731."));
    tap(d, "BackButton");
    assert_false(shows(d, "Parcel Service"));
    ia_device_close(d);
}

static void deleting_a_conversation_asks(void **state)
{
    (void)state;
    struct ia_device *d = at_messages();
    tap(d, "555-0199");
    tap(d, "details");
    tap(d, "delete-conversation");
    tap(d, "Cancel");
    assert_true(state_has(d, "\"with\":\"555-0199\""));
    tap(d, "delete-conversation");
    tap(d, "Delete Conversation");
    assert_true(state_has(d, "\"screen\":\"Messages\""));
    assert_false(state_has(d, "\"with\":\"555-0199\""));
    ia_device_close(d);
}

static void what_is_on_its_way_survives_the_program(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    launch(d, MESSAGES);
    tap(d, "City Library");
    write_text(d, "renew");
    char *left = state_of(d);
    ia_device_close(d);
    d = phone_open(folder, "a");
    char *found = state_of(d);
    assert_string_equal(left, found);
    await(d, "Renewed. It is now due on 26 September.");
    ia_device_close(d);
    free(left);
    free(found);
    folder_remove(folder);
}

static void planted_bugs_show(void **state)
{
    (void)state;
    struct ia_device *d = at_messages();
    open_link(d, "embedded://?bugs=messages-badge-stays,messages-lost-picture,"
                 "messages-deaf-search");
    tap(d, "Ravi Rao");
    tap(d, "attach");
    tap(d, "Beach.jpg");
    write_text(d, "Here");
    assert_false(state_has(d, "Beach.jpg"));
    tap(d, "BackButton");
    assert_value(d, "Ravi Rao", "2 unread");
    tap(d, "search");
    type(d, "mill");
    assert_true(shows(d, "No Results"));
    ia_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_shows_the_newest_first_with_what_is_unread),
        cmocka_unit_test(an_answer_comes_after_a_while_and_is_typed_until_then),
        cmocka_unit_test(the_restaurant_asks_until_a_table_is_booked),
        cmocka_unit_test(what_comes_elsewhere_is_a_banner_that_opens_it),
        cmocka_unit_test(hidden_alerts_show_no_banner),
        cmocka_unit_test(a_picture_is_sent_by_its_name),
        cmocka_unit_test(nothing_goes_or_comes_in_airplane_mode),
        cmocka_unit_test(who_takes_no_answers_gets_none),
        cmocka_unit_test(a_new_message_goes_to_a_contact_or_a_number),
        cmocka_unit_test(search_finds_names_and_texts),
        cmocka_unit_test(a_message_is_copied_and_deleted),
        cmocka_unit_test(deleting_a_conversation_asks),
        cmocka_unit_test(what_is_on_its_way_survives_the_program),
        cmocka_unit_test(planted_bugs_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
