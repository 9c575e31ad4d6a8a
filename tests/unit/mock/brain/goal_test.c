/* What the demo brain understands of a goal, and what it makes of it. */
#include "test.h"

#include "mock/brain/goal.h"

struct row {
    const char *phrase;
    enum ia_step_kind kind;
    const char *a, *b, *c;
};

static const struct row rows[] = {
    {"open Contacts", IA_STEP_OPEN_APP, "Contacts", "", ""},
    {"Launch the Settings app", IA_STEP_OPEN_APP, "Settings", "", ""},
    {"go to General", IA_STEP_OPEN, "General", "", ""},
    {"switch to Contacts", IA_STEP_OPEN_APP, "Contacts", "", ""},
    {"add a contact named Ada Lovelace with phone 555-0100", IA_STEP_ADD_CONTACT,
     "Ada Lovelace", "555-0100", ""},
    {"create a new contact called Ada Lovelace with the phone number 555-0100 and email "
     "ada@example.com",
     IA_STEP_ADD_CONTACT, "Ada Lovelace", "555-0100", "ada@example.com"},
    {"add contact Ada with email ada@example.com and phone 5", IA_STEP_ADD_CONTACT, "Ada", "5",
     "ada@example.com"},
    {"add a contact named Ada Lovelace, phone 555-0100", IA_STEP_ADD_CONTACT, "Ada Lovelace",
     "555-0100", ""},
    {"add a contact named \"Salt and Pepper with phone\"", IA_STEP_ADD_CONTACT,
     "Salt and Pepper with phone", "", ""},
    {"tap Done", IA_STEP_TAP, "Done", "", ""},
    {"press on the \"Add to Cart\" button", IA_STEP_TAP, "Add to Cart", "", ""},
    {"select the row Wi-Fi", IA_STEP_TAP, "row Wi-Fi", "", ""},
    {"long press on Photos", IA_STEP_HOLD, "Photos", "", ""},
    {"press and hold the Photos icon", IA_STEP_HOLD, "Photos", "", ""},
    {"turn on Airplane Mode", IA_STEP_SWITCH_ON, "Airplane Mode", "", ""},
    {"turn off the Wi-Fi switch", IA_STEP_SWITCH_OFF, "Wi-Fi", "", ""},
    {"turn Bluetooth off", IA_STEP_SWITCH_OFF, "Bluetooth", "", ""},
    {"enable Dark Appearance", IA_STEP_SWITCH_ON, "Dark Appearance", "", ""},
    {"type hello world into the Search field", IA_STEP_TYPE, "hello world", "Search", ""},
    {"enter 'a, b' in Notes", IA_STEP_TYPE, "a, b", "Notes", ""},
    {"type hello", IA_STEP_TYPE, "hello", "", ""},
    {"fill in the Email field with ada@example.com", IA_STEP_TYPE, "ada@example.com", "Email",
     ""},
    {"set the Name to Ada", IA_STEP_TYPE, "Ada", "Name", ""},
    {"clear the Search field", IA_STEP_CLEAR, "Search", "", ""},
    {"search for bluetooth", IA_STEP_SEARCH, "bluetooth", "", ""},
    {"scroll down to Privacy", IA_STEP_SCROLL, "Privacy", "", ""},
    {"find Privacy", IA_STEP_SCROLL, "Privacy", "", ""},
    {"swipe left", IA_STEP_SWIPE, "left", "", ""},
    {"check that Ada Lovelace is in the list", IA_STEP_CHECK_LIST, "Ada Lovelace", "", ""},
    {"verify Ada is listed", IA_STEP_CHECK_LIST, "Ada", "", ""},
    {"make sure that Ada is on the screen", IA_STEP_CHECK_VISIBLE, "Ada", "", ""},
    {"check that the title Settings is visible", IA_STEP_CHECK_VISIBLE, "title Settings", "",
     ""},
    {"verify that there is a contact named Ada", IA_STEP_CHECK_VISIBLE, "Ada", "", ""},
    {"check for Ada", IA_STEP_CHECK_VISIBLE, "Ada", "", ""},
    {"check that Ada is not in the list", IA_STEP_CHECK_GONE, "Ada", "", ""},
    {"verify that Ada is gone", IA_STEP_CHECK_GONE, "Ada", "", ""},
    {"check that Airplane Mode is on", IA_STEP_CHECK_ON, "Airplane Mode", "", ""},
    {"check that Airplane Mode is turned off", IA_STEP_CHECK_OFF, "Airplane Mode", "", ""},
    {"verify that Brightness says 50%", IA_STEP_CHECK_VALUE, "Brightness", "50%", ""},
    {"check that the Name field shows Ada", IA_STEP_CHECK_VALUE, "Name", "Ada", ""},
    {"go back", IA_STEP_BACK, "", "", ""},
    {"go back to Settings", IA_STEP_BACK, "Settings", "", ""},
    {"go home", IA_STEP_HOME, "", "", ""},
    {"press the home button", IA_STEP_HOME, "", "", ""},
    {"delete the contact Ada Lovelace", IA_STEP_DELETE, "Ada Lovelace", "", ""},
    {"take a screenshot", IA_STEP_SCREENSHOT, "", "", ""},
    {"wait for the list to appear", IA_STEP_WAIT, "list", "", ""},
    {"wait until Done appears", IA_STEP_WAIT, "Done", "", ""},
    {"wait a moment", IA_STEP_WAIT, "", "", ""},
    {"accept the alert", IA_STEP_ACCEPT, "", "", ""},
    {"dismiss the dialog", IA_STEP_DISMISS, "", "", ""},
    {"close the Settings app", IA_STEP_CLOSE, "Settings", "", ""},
    {"please then open Contacts.", IA_STEP_OPEN_APP, "Contacts", "", ""},
    {"log in as ada with password engine-1843", IA_STEP_LOGIN, "ada", "engine-1843", ""},
    {"sign in with the user name ada and the password \"a b\"", IA_STEP_LOGIN, "ada", "a b",
     ""},
    {"log in with user ada and password x", IA_STEP_LOGIN, "ada", "x", ""},
    {"log out", IA_STEP_TAP, "Log Out", "", ""},
    {"add 3 of the Desk Lamp to the cart", IA_STEP_ADD_TO_CART, "Desk Lamp", "3", ""},
    {"put two Tea Kettle into my basket", IA_STEP_ADD_TO_CART, "Tea Kettle", "2", ""},
    {"add the Cup of Tea to the cart", IA_STEP_ADD_TO_CART, "Cup of Tea", "", ""},
    {"remove the Desk Lamp from the cart", IA_STEP_TAKE_OUT, "Desk Lamp", "", ""},
    {"apply the coupon WELCOME10", IA_STEP_COUPON, "WELCOME10", "", ""},
    {"check out", IA_STEP_TAP, "Check Out", "", ""},
    {"place the order", IA_STEP_TAP, "Place Order", "", ""},
    {"check that the total is $119.70", IA_STEP_CHECK_VALUE, "total", "$119.70", ""},
    {"check that the cart is empty", IA_STEP_CHECK_VISIBLE, "Cart Is Empty", "", ""},
    {"choose the Kitchen category", IA_STEP_TAP, "Kitchen", "", ""},
    {"add a reminder called Buy milk", IA_STEP_ADD_REMINDER, "Buy milk", "", ""},
    {"add a reminder to Buy milk due tomorrow to the Work list", IA_STEP_ADD_REMINDER,
     "Buy milk", "Work", "tomorrow"},
    {"create a new reminder named Buy milk in the list Work due next week",
     IA_STEP_ADD_REMINDER, "Buy milk", "Work", "next week"},
    {"add a reminder called Buy milk to the Groceries list", IA_STEP_ADD_REMINDER, "Buy milk",
     "Groceries", ""},
    {"mark Buy milk as done", IA_STEP_COMPLETE, "Buy milk", "", ""},
    {"complete the reminder Buy milk", IA_STEP_COMPLETE, "Buy milk", "", ""},
    {"tick off Buy milk", IA_STEP_COMPLETE, "Buy milk", "", ""},
    {"delete the reminder Buy milk", IA_STEP_DELETE, "Buy milk", "", ""},
    {"check that Buy milk is due tomorrow", IA_STEP_CHECK_VALUE, "Buy milk", "tomorrow", ""},
    {"ponder the meaning of it all", IA_STEP_UNKNOWN, "", "", ""},
    {"tap", IA_STEP_UNKNOWN, "", "", ""},
};

/* The last step of a goal: before it stands what opens its app. */
static struct ia_step last_step(const char *goal)
{
    struct ia_step *steps = ia_calloc(IA_STEPS_MAX, sizeof(*steps)), last = {0};
    size_t n = ia_goal_parse(ia_str(goal), steps);
    if (n > 0) {
        last = steps[n - 1];
    }
    free(steps);
    return last;
}

static void every_phrase_of_the_table_is_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_step s = last_step(rows[i].phrase);
        if (s.kind != rows[i].kind || strcmp(s.a, rows[i].a) != 0 ||
            strcmp(s.b, rows[i].b) != 0 || strcmp(s.c, rows[i].c) != 0) {
            fail_msg("%s: kind %d, \"%s\" \"%s\" \"%s\"", rows[i].phrase, (int)s.kind, s.a, s.b,
                     s.c);
        }
    }
}

/* Phrases of a goal, joined by " | ". */
static void expect_split(const char *goal, const char *expected)
{
    char joined[4096] = "";
    struct ia_step *steps = ia_calloc(IA_STEPS_MAX, sizeof(*steps));
    size_t n = ia_goal_parse(ia_str(goal), steps);
    for (size_t i = 0; i < n; i++) {
        snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "%s%s",
                 i ? " | " : "", steps[i].text);
    }
    assert_string_equal(joined, expected);
    free(steps);
}

static void goals_fall_into_phrases(void **state)
{
    (void)state;
    expect_split("open Contacts, add a contact named Ada Lovelace with phone 555-0100, check "
                 "that Ada Lovelace is in the list",
                 "open Contacts | add a contact named Ada Lovelace with phone 555-0100 | check "
                 "that Ada Lovelace is in the list");
    expect_split("Open Settings and turn on Airplane Mode, then go home.",
                 "Open Settings | turn on Airplane Mode | go home");
    expect_split("search for \"salt and pepper\" and tap Done",
                 "search for \"salt and pepper\" | tap Done");
    expect_split(
        "add a contact named Ada, phone 1,000 and email a@b.c; go back",
        "open Contacts | add a contact named Ada, phone 1,000 and email a@b.c | go back");
    expect_split("1. open Contacts\n2. tap Add\n3) go back\n",
                 "open Contacts | tap Add | go back");
    expect_split("tap \"one, two then three and tap four\", go back",
                 "tap \"one, two then three and tap four\" | go back");
    expect_split("type a.b and c into Notes. Go back.", "type a.b and c into Notes | Go back");
    expect_split("turn on Bluetooth in Settings",
                 "open Settings | turn on Bluetooth in Settings");
    expect_split("In the Contacts app search for Nora",
                 "In the Contacts app | search for Nora");
    expect_split("add a contact named Ada in my Contacts app",
                 "open Contacts | add a contact named Ada in my Contacts app");
    expect_split(
        "in Reminders add a reminder called Buy ink, in the Shop app log in as ada with "
        "password x",
        "in Reminders | add a reminder called Buy ink | in the Shop app | log in as ada "
        "with password x");
    expect_split("tap \"About in Settings\"", "tap \"About in Settings\"");
    expect_split("check that Ada is in Contacts",
                 "open Contacts | check that Ada is in Contacts");
    expect_split("make sure there is no contact named Ada",
                 "open Contacts | make sure there is no contact named Ada");
    expect_split("check that wifi is on", "open Settings | check that wifi is on");
    expect_split("", "");
    expect_split(" ,, . ", "");
}

/* What is not understood wholly is not done in part: no value swallows the rest of a sentence. */
static void a_goal_with_a_word_too_many_is_not_understood(void **state)
{
    (void)state;
    static const char *const goals[] = {
        "add a contact named Bob Ross with phone 555-1 three times",
        "add a contact named Bob Ross tomorrow",
        "add a contact named Bob Ross unless he is there",
        "log in as ada with password engine-1843 and juggle two desk lamps",
        "log in as ada with password engine-1843 quickly",
        "set a reminder to buy milk on Friday",
        "remind me to call Ada at 5pm",
        "remind me to stretch every day",
        "delete Zoe Walker tomorrow",
        "delete Zoe Walker or Ravi Rao",
        "delete every contact whose last name starts with D",
        "type hello twice",
        "type hello and whistle",
        "search for osei three times",
        "turn on Wi-Fi and whistle",
        "turn on Wi-Fi if Bluetooth is off",
        "add cheese to my groceries list every week",
        "put two desk lamps in the cart only if they are cheap",
        "open Contacts, whistle, open Settings",
        "turn on Zoom for an hour",
        "buy two desk lamps and ship to Ada Lovelace",
        "create a reminder called Tomorrow",
        "rename this phone to",
        "add bob@example.com to my contacts",
    };
    for (size_t i = 0; i < IA_COUNTOF(goals); i++) {
        struct ia_step last = last_step(goals[i]);
        if (last.kind != IA_STEP_UNKNOWN) {
            fail_msg("%s: kind %d, \"%s\" \"%s\" \"%s\"", goals[i], (int)last.kind, last.a,
                     last.b, last.c);
        }
    }
}

static void what_it_cannot_do_is_not_done_in_part(void **state)
{
    (void)state;
    static const char *const goals[] = {
        "add a reminder to buy milk with high priority",
        "remind me to buy milk with a high priority",
        "how much do two wool blankets cost?",
    };
    for (size_t i = 0; i < IA_COUNTOF(goals); i++) {
        struct ia_step last = last_step(goals[i]);
        if (last.kind != IA_STEP_CANNOT) {
            fail_msg("%s: kind %d, \"%s\"", goals[i], (int)last.kind, last.a);
        }
    }
}

/* Different words for one thing. */
static void sentences_of_one_meaning_are_one_step(void **state)
{
    (void)state;
    static const struct row same[] = {
        {"turn on dark mode", IA_STEP_SWITCH_ON, "dark mode", "", ""},
        {"Could you please enable dark mode?", IA_STEP_SWITCH_ON, "dark mode", "", ""},
        {"i want to switch dark mode on", IA_STEP_SWITCH_ON, "dark mode", "", ""},
        {"Hey, turn dark mode on for me, thanks!", IA_STEP_SWITCH_ON, "dark mode", "", ""},
        {"Set the brightness to 100%", IA_STEP_LEVEL, "brightness", "100%", ""},
        {"turn the brightness up to 100 percent", IA_STEP_LEVEL, "brightness", "100", ""},
        {"what's Nora Abbott's number?", IA_STEP_READ_CONTACT, "Nora Abbott", "mobile", ""},
        {"tell me the phone number of Nora Abbott", IA_STEP_READ_CONTACT, "Nora Abbott",
         "mobile", ""},
        {"I already called the dentist, tick it off", IA_STEP_COMPLETE, "called the dentist",
         "", ""},
        {"add a reminder to pay rent due tomorrow to the Work list", IA_STEP_ADD_REMINDER,
         "pay rent", "Work", "tomorrow"},
        {"add a reminder to pay rent to the Work list due tomorrow", IA_STEP_ADD_REMINDER,
         "pay rent", "Work", "tomorrow"},
        {"remind me tomorrow to buy eggs", IA_STEP_ADD_REMINDER, "buy eggs", "", "tomorrow"},
        {"remind me to buy salt and pepper", IA_STEP_ADD_REMINDER, "buy salt and pepper", "",
         ""},
    };
    for (size_t i = 0; i < IA_COUNTOF(same); i++) {
        struct ia_step s = last_step(same[i].phrase);
        if (s.kind != same[i].kind || strcmp(s.a, same[i].a) != 0 ||
            strcmp(s.b, same[i].b) != 0 || strcmp(s.c, same[i].c) != 0) {
            fail_msg("%s: kind %d, \"%s\" \"%s\" \"%s\"", same[i].phrase, (int)s.kind, s.a, s.b,
                     s.c);
        }
    }
}

static void several_names_are_several_steps_and_an_order_has_its_order(void **state)
{
    (void)state;
    static const struct {
        const char *goal;
        enum ia_step_kind kinds[6];
    } plans[] = {
        {"Remove Zoe Walker and Ravi Rao from my address book",
         {IA_STEP_OPEN_APP, IA_STEP_DELETE, IA_STEP_DELETE}},
        {"turn off Wi-Fi, Bluetooth and Zoom",
         {IA_STEP_OPEN_APP, IA_STEP_SWITCH_OFF, IA_STEP_SWITCH_OFF, IA_STEP_SWITCH_OFF}},
        {"put a tea kettle in the cart (shop login: grace / compiler-1952)",
         {IA_STEP_OPEN_APP, IA_STEP_LOGIN, IA_STEP_ADD_TO_CART}},
        {"order two desk lamps. ship to Ada Lovelace, 12 Way, London, zip 10243. log in as ada "
         "with password x",
         {IA_STEP_OPEN_APP, IA_STEP_LOGIN, IA_STEP_ADD_TO_CART, IA_STEP_CHECK_OUT}},
        {"turn on Zoom but don't touch VoiceOver", {IA_STEP_OPEN_APP, IA_STEP_SWITCH_ON}},
        {"turn on Zoom and remind me to turn it off tomorrow",
         {IA_STEP_OPEN_APP, IA_STEP_SWITCH_ON, IA_STEP_OPEN_APP, IA_STEP_ADD_REMINDER}},
    };
    struct ia_step *steps = ia_calloc(IA_STEPS_MAX, sizeof(*steps));
    for (size_t i = 0; i < IA_COUNTOF(plans); i++) {
        size_t n = ia_goal_parse(ia_str(plans[i].goal), steps);
        for (size_t k = 0; k < n; k++) {
            if (k >= 6 || steps[k].kind != plans[i].kinds[k]) {
                fail_msg("%s: step %zu is of kind %d", plans[i].goal, k, (int)steps[k].kind);
            }
        }
        assert_true(n > 0 && (n == 6 || plans[i].kinds[n] == IA_STEP_UNKNOWN));
    }
    free(steps);
}

/* `help demo` cannot promise what the grammar does not know. */
static void every_example_is_understood(void **state)
{
    (void)state;
    const char *about, *example;
    size_t n = 0;
    for (; ia_goal_example(n, &about, &example); n++) {
        enum ia_step_kind kind = last_step(example).kind;
        bool address = strstr(example, "order") != NULL; /* wants one, and says so */
        if (kind == IA_STEP_UNKNOWN || (kind == IA_STEP_CANNOT && !address)) {
            fail_msg("%s: %s is not understood", about, example);
        }
        assert_string_equal(ia_goal_nearest(ia_str(example)), example);
    }
    assert_true(n > 40);
}

static void too_many_phrases_end_in_one_that_is_not_understood(void **state)
{
    (void)state;
    struct ia_step *steps = ia_calloc(IA_STEPS_MAX, sizeof(*steps));
    char goal[2048] = "";
    for (int i = 0; i < IA_STEPS_MAX + 5; i++) {
        strncat(goal, "go back, ", sizeof(goal) - strlen(goal) - 1);
    }
    assert_int_equal(ia_goal_parse(ia_str(goal), steps), IA_STEPS_MAX);
    assert_int_equal(steps[0].kind, IA_STEP_BACK);
    assert_int_equal(steps[IA_STEPS_MAX - 1].kind, IA_STEP_UNKNOWN);
    free(steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_phrase_of_the_table_is_understood),
        cmocka_unit_test(goals_fall_into_phrases),
        cmocka_unit_test(a_goal_with_a_word_too_many_is_not_understood),
        cmocka_unit_test(what_it_cannot_do_is_not_done_in_part),
        cmocka_unit_test(sentences_of_one_meaning_are_one_step),
        cmocka_unit_test(several_names_are_several_steps_and_an_order_has_its_order),
        cmocka_unit_test(every_example_is_understood),
        cmocka_unit_test(too_many_phrases_end_in_one_that_is_not_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
