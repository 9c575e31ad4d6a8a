/* is, wait-for and get in all their forms, on a real phone. */
#include "phone.h"

#include "base/clock.h"

#define SCRIPT(state, ...)                                                                     \
    do {                                                                                       \
        const struct row rows[] = {__VA_ARGS__};                                               \
        phone_script(*(state), rows, IA_COUNTOF(rows));                                        \
    } while (0)

static int open_settings(void **state)
{
    int failed = phone_begin(state);
    phone_try(*state, &(struct row){{"open", "Settings"}, .code = IA_OK});
    return failed;
}

static void a_question_is_answered_with_yes_or_no(void **state)
{
    SCRIPT(state, {{"is", "visible \"Wi-Fi\""}, .code = IA_OK, "yes\n", "{\"holds\":true}"},
           {{"is", "visible", "Wi-Fi"}, .code = IA_OK, "yes\n"},
           {{"is", "visible", "\"Wi-Fi\""}, .code = IA_OK},
           {{"is", "visible", "%row Wi-Fi"}, .code = IA_OK},
           {{"is", "visible", "Nope"},
            .code = IA_E_NOT_MET,
            NULL,
            "{\"holds\":false}",
            "no: visible \"Nope\" does not hold",
            "not on the screen"},
           {{"is", "gone", "Nope"}, .code = IA_OK},
           {{"is", "gone", "Wi-Fi"}, .code = IA_E_NOT_MET},
           {{"is", "gone \"Wi-Fi\""}, .code = IA_E_NOT_MET},
           {{"is", "enabled", "Wi-Fi"}, .code = IA_OK},
           {{"is", "enabled", "@e%row Wi-Fi"}, .code = IA_OK},
           {{"is", "disabled", "Wi-Fi"},
            .code = IA_E_NOT_MET,
            .msg = "no: Wi-Fi is not disabled",
            .hint = "row Wi-Fi = Home"},
           {{"is", "off", "Airplane Mode"}, .code = IA_OK},
           {{"is", "unchecked", "Airplane Mode"}, .code = IA_OK},
           {{"is", "on", "Airplane Mode"},
            .code = IA_E_NOT_MET,
            .msg = "no: Airplane Mode is not on",
            .hint = "switch:off"},
           {{"is", "checked", "Airplane Mode"}, .code = IA_E_NOT_MET},
           {{"is", "selected", "Wi-Fi"}, .code = IA_E_NOT_MET},
           {{"is", "focused", "Search"}, .code = IA_E_NOT_MET},
           {{"is", "text \"Bluetooth\""}, .code = IA_OK},
           {{"is", "text", "Bluetooth"}, .code = IA_OK},
           {{"is", "text", "search"}, .code = IA_E_NOT_MET},
           {{"is", "value \"Wi-Fi\" = \"Home\""}, .code = IA_OK},
           {{"is", "value", "\"Wi-Fi\" = \"Home\""}, .code = IA_OK},
           {{"is", "value \"Wi-Fi\" = \"Office\""}, .code = IA_E_NOT_MET, .hint = "Home"},
           {{"is", "count switch = 1"}, .code = IA_OK},
           {{"is", "count", "switch = 2"}, .code = IA_E_NOT_MET},
           {{"is", "app com.apple.Preferences"}, .code = IA_OK},
           {{"is", "app", "com.apple.Preferences"}, .code = IA_OK},
           {{"is", "app", "com.example.shop"}, .code = IA_E_NOT_MET}, );
}

static void a_question_that_a_screen_cannot_answer_is_refused(void **state)
{
    SCRIPT(
        state, {{"is"}, .code = IA_E_USAGE, .msg = "WHAT is missing"},
        {{"is", ""}, .code = IA_E_USAGE},
        {{"is", "foo"}, .code = IA_E_USAGE, .msg = "\"foo\"", .hint = "visible, gone"},
        {{"is", "foo", "Wi-Fi"}, .code = IA_E_USAGE, .msg = "\"foo\""},
        {{"is", "enabled"},
         .code = IA_E_USAGE,
         .msg = "is enabled ELEMENT",
         .hint = "#identifier"},
        {{"is", "visible"}, .code = IA_E_USAGE},
        {{"is", "enabled", "Nope"}, .code = IA_E_NOT_FOUND, .hint = "on the screen: "},
        {{"is", "enabled", "row"}, .code = IA_E_AMBIGUOUS, .hint = "name one of: "},
        {{"is", "enabled", "99999"}, .code = IA_E_NOT_FOUND},
        {{"is", "appears \"Wi-Fi\""}, .code = IA_E_USAGE, .msg = "one screen alone cannot say"},
        {{"is", "changes", "Wi-Fi"}, .code = IA_E_USAGE},
        {{"is", "disappears \"Wi-Fi\""}, .code = IA_E_USAGE},
        {{"is", "command \"true\""}, .code = IA_E_USAGE},
        {{"is", "after relaunch: visible \"x\""}, .code = IA_E_USAGE},
        {{"is", "visible Wi-Fi"}, .code = IA_E_USAGE, .msg = "not a role"},
        {{"is", "value \"Wi-Fi\""}, .code = IA_E_USAGE},
        {{"is", "count switch = x"}, .code = IA_E_USAGE},
        {{"is", "visible", "\xff"}, .code = IA_E_USAGE},
        {{"is", "visible", "\""}, .code = IA_E_USAGE}, );
}

static void a_wait_ends_as_soon_as_it_holds(void **state)
{
    SCRIPT(state, {{"wait-for", "Wi-Fi"}, .code = IA_OK, "it holds:"},
           {{"wait-for", "\"Wi-Fi\""}, .code = IA_OK},
           {{"wait-for", "@e%row Wi-Fi"}, .code = IA_OK},
           {{"wait-for", "%row Wi-Fi"}, .code = IA_OK},
           {{"wait-for", "#Nope", "--seconds", "1"},
            .code = IA_E_TIMEOUT,
            .msg = "exists #Nope did not hold within 1 s",
            .hint = "in front: com.apple.Preferences: Settings"},
           {{"wait-for", "exists", "Wi-Fi"}, .code = IA_OK},
           {{"wait-for", "gone", "Nope"}, .code = IA_OK},
           {{"wait-for", "enabled", "Wi-Fi"}, .code = IA_OK},
           {{"wait-for", "value", "Wi-Fi", "--text", "Home"}, .code = IA_OK},
           {{"wait-for", "count", "switch", "--count", "1"}, .code = IA_OK},
           {{"wait-for", "text", "Bluetooth"}, .code = IA_OK},
           {{"wait-for", "text", "--text", "Bluetooth"}, .code = IA_OK},
           {{"wait-for", "settled"}, .code = IA_OK},
           {{"wait-for", "visible \"Wi-Fi\""}, .code = IA_OK, "it holds: visible \"Wi-Fi\""},
           {{"wait-for", "visible", "Wi-Fi"}, .code = IA_OK},
           {{"wait-for", "value \"Wi-Fi\" = \"Home\""}, .code = IA_OK},
           {{"wait-for", "app com.apple.Preferences"}, .code = IA_OK},
           {{"wait-for", "app", "com.apple.Preferences"}, .code = IA_OK},
           {{"tap", "Search"}, .code = IA_OK},
           {{"wait-for", "focused", "Search"}, .code = IA_OK},
           {{"wait-for", "exists", "focused"}, .code = IA_OK},
           {{"is", "focused", "focused"}, .code = IA_OK}, );
}

static int64_t seconds_of(struct phone *p, const struct row *row)
{
    int64_t from = ia_mono_us(ia_clock_system());
    phone_try(p, row);
    return (ia_mono_us(ia_clock_system()) - from) / 1000000;
}

static void a_wait_in_vain_ends_and_says_for_what(void **state)
{
    static const struct row rows[] = {
        {{"wait-for", "Nope", "--seconds", "1"}, .code = IA_E_TIMEOUT, .msg = "Nope"},
        {{"wait-for", "gone", "Wi-Fi", "--seconds", "1"},
         .code = IA_E_TIMEOUT,
         .msg = "gone Wi-Fi did not hold within 1 s"},
        {{"wait-for", "visible \"Nope\"", "--seconds", "1"},
         .code = IA_E_TIMEOUT,
         .msg = "visible \"Nope\" did not hold",
         .hint = "not on the screen",
         .never = "\n"},
        {{"wait-for", "value", "Wi-Fi", "--text", "Nope", "--seconds", "1"},
         .code = IA_E_TIMEOUT},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_in_range(seconds_of(*state, &rows[i]), 0, 9);
    }
}

static void a_wait_without_sense_is_refused_at_once(void **state)
{
    static const struct row rows[] = {
        {{"wait-for"}, .code = IA_E_USAGE, .msg = "WHAT is missing"},
        {{"wait-for", ""}, .code = IA_E_USAGE, .msg = "empty"},
        {{"wait-for", "gone"}, .code = IA_E_USAGE, .msg = "wait-for gone ELEMENT"},
        {{"wait-for", "value", "Wi-Fi"},
         .code = IA_E_USAGE,
         .msg = "wait-for value ELEMENT --text TEXT"},
        {{"wait-for", "count", "switch"}, .code = IA_E_USAGE, .msg = "--count N"},
        {{"wait-for", "text"}, .code = IA_E_USAGE, .msg = "wait-for text TEXT"},
        {{"wait-for", "enabled", "row"}, .code = IA_E_AMBIGUOUS, .hint = "name one of: "},
        {{"wait-for", "99999"}, .code = IA_E_NOT_FOUND},
        {{"wait-for", "exists", "focused"}, .code = IA_E_NOT_FOUND, .msg = "keyboard focus"},
        {{"wait-for", "visible Nope"}, .code = IA_E_USAGE, .msg = "not a role"},
        {{"wait-for", "appears \"Nope\""}, .code = IA_E_USAGE, .msg = "one screen alone"},
        {{"wait-for", "gone", "\""}, .code = IA_E_USAGE, .msg = "quote"},
        {{"wait-for", "text", "\xff"}, .code = IA_E_USAGE, .msg = "UTF-8"},
        {{"wait-for", "Nope", "--seconds", "0"}, .code = IA_E_USAGE, .msg = "from 1 to 60"},
        {{"wait-for", "Nope", "--seconds", "61"}, .code = IA_E_USAGE},
        {{"wait-for", "Nope", "--seconds", "1.5"}, .code = IA_E_USAGE},
        {{"wait-for", "count", "switch", "--count", "1001"}, .code = IA_E_USAGE},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_true(seconds_of(*state, &rows[i]) < 9);
    }
}

static void one_thing_is_printed(void **state)
{
    SCRIPT(state,
           {{"get", "app"},
            .code = IA_OK,
            "com.apple.Preferences\n",
            "{\"app\":\"com.apple.Preferences\"}"},
           {{"get", "title"}, .code = IA_OK, "Settings\n"},
           {{"get", "text", "Wi-Fi"}, .code = IA_OK, "row Wi-Fi = Home\n"},
           {{"get", "label", "%row Wi-Fi"}, .code = IA_OK, "Wi-Fi\n", "{\"label\":\"Wi-Fi\"}"},
           {{"get", "value", "Wi-Fi"}, .code = IA_OK, "Home\n"},
           {{"get", "value", "Airplane Mode"}, .code = IA_OK, "off\n"},
           {{"get", "role", "@e%row Wi-Fi"}, .code = IA_OK, "row\n"},
           {{"get", "identifier", "Wi-Fi"}, .code = IA_OK},
           {{"get", "frame", "Wi-Fi"}, .code = IA_OK, "16 "},
           {{"get", "state", "Airplane Mode"}, .code = IA_OK, "visible enabled off\n"},
           {{"get", "count", "switch"}, .code = IA_OK, "1\n"},
           {{"get", "count", "Nope"}, .code = IA_OK, "0\n"},
           {{"get", "count", "row"}, .code = IA_OK},
           {{"get"}, .code = IA_E_USAGE, .msg = "what"},
           {{"get", "colour"}, .code = IA_E_USAGE, .msg = "text|label"},
           {{"get", "value"}, .code = IA_E_USAGE, .msg = "get value ELEMENT"},
           {{"get", "count"}, .code = IA_E_USAGE, .msg = "get count ELEMENT"},
           {{"get", "value", "Nope"}, .code = IA_E_NOT_FOUND},
           {{"get", "value", "row"}, .code = IA_E_AMBIGUOUS},
           {{"get", "value", "focused"}, .code = IA_E_NOT_FOUND},
           {{"tap", "Search"}, .code = IA_OK},
           {{"get", "role", "focused"}, .code = IA_OK, "search\n"}, );
}

static void two_sessions_are_two_phones(void **state)
{
    struct phone *p = *state;
    SCRIPT(state,
           {{"open", "Shop", "--session", "a", "--device", "embedded:one"}, .code = IA_OK},
           {{"get", "app", "--session", "b", "--device", "embedded:two"},
            .code = IA_OK,
            "springboard"},
           {{"get", "app", "--session", "a"}, .code = IA_OK, "com.example.shop"},
           {{"get", "app", "--session", "b"}, .code = IA_OK, "springboard"},
           {{"get", "app"}, .code = IA_OK, "Preferences"}, );
    p->session = "a";
    SCRIPT(state, {{"get", "app"}, .code = IA_OK, "com.example.shop"},
           {{"get", "app", "--session", "b"}, .code = IA_OK, "springboard"}, );
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_settings, phone_end)
    const struct CMUnitTest tests[] = {
        T(a_question_is_answered_with_yes_or_no),
        T(a_question_that_a_screen_cannot_answer_is_refused),
        T(a_wait_ends_as_soon_as_it_holds),
        T(a_wait_in_vain_ends_and_says_for_what),
        T(a_wait_without_sense_is_refused_at_once),
        T(one_thing_is_printed),
        T(two_sessions_are_two_phones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
