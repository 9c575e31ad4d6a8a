/* The app Bank of the phone: codes that come as messages, transfers and their limits, sessions that end, and
 * planted bugs. */
#include "phone_fixture.h"

#define BANK "com.example.bank"

enum { CODE = 16 };

static void look(struct ia_device *d, int times)
{
    for (int i = 0; i < times; i++) {
        (void)shows(d, "");
    }
}

/* The code that is on its way, out of the message. */
static void read_code(struct ia_device *d, char code[CODE])
{
    static const char mark[] = " is your code ";
    const char *at = NULL;
    char *state = NULL;
    for (int looks = 0; !at; looks++) {
        assert_true(looks < 30);
        look(d, 1);
        free(state);
        state = state_of(d);
        at = strstr(state, "\"number\":\"22650\"");
        for (const char *p = at; p; p = strstr(p + 1, mark)) {
            at = p;
        }
        at = at && strncmp(at, mark, sizeof(mark) - 1) == 0 ? at : NULL;
    }
    snprintf(code, CODE, "%.6s", at - 6);
    free(state);
}

static void enter_code(struct ia_device *d)
{
    char code[CODE];
    look(d, 10);
    read_code(d, code);
    tap(d, "code");
    type(d, code);
    look(d, 10);
    tap(d, "verify");
}

static void log_in(struct ia_device *d, const char *password)
{
    tap(d, "user");
    type(d, "ada");
    tap(d, "password");
    type(d, password);
    tap(d, "login");
}

static struct ia_device *at_bank(void)
{
    struct ia_device *d = phone_new();
    launch(d, BANK);
    log_in(d, "ledger-1815");
    enter_code(d);
    look(d, 5);
    return d;
}

static void fill_transfer(struct ia_device *d, const char *to, const char *amount)
{
    tap(d, "tab-transfer");
    tap(d, "to");
    tap(d, to);
    tap(d, "amount");
    type(d, amount);
    tap(d, "continue");
}

static void assert_wrong(struct ia_device *d, const char *code, const char *says)
{
    tap(d, "code");
    type(d, code);
    tap(d, "verify");
    assert_true(shows(d, says));
}

static void the_code_that_comes_as_a_message_logs_in(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, BANK);
    log_in(d, "ledger-1815");
    assert_true(state_has(d, "\"screen\":\"Enter Code\""));
    assert_false(shows(d, "NotificationShortLookView"));
    assert_true(state_has(d, "\"bank\":{\"user\":null"));
    enter_code(d);
    assert_true(shows(d, "loading"));
    look(d, 5);
    assert_value(d, "Everyday", "$2,345.60");
    assert_value(d, "total", "$10,572.15");
    assert_true(state_has(d, "\"bank\":{\"user\":\"ada\",\"locked\":false,\"code\":null"));
    ia_device_close(d);
}

static void a_new_code_replaces_the_old_one_and_codes_expire(void **state)
{
    (void)state;
    char first[CODE], second[CODE];
    struct ia_device *d = phone_new();
    launch(d, BANK);
    log_in(d, "ledger-1815");
    read_code(d, first);
    look(d, 10);
    tap(d, "resend");
    assert_true(shows(d, "code-sent"));
    look(d, 20);
    read_code(d, second);
    assert_string_not_equal(first, second);
    assert_wrong(d, first, "Wrong code. 2 tries left.");
    for (int i = 0; i < 300; i++) {
        assert_int_equal(d->ops->press(d, &no_limit, IA_BUTTON_VOLUME_UP, NULL), IA_OK);
    }
    assert_wrong(d, second, "This code has expired. Ask for a new one.");
    ia_device_close(d);
}

static void three_wrong_codes_lock_it_for_good(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, BANK);
    log_in(d, "ledger-1815");
    look(d, 20);
    assert_wrong(d, "111111", "Wrong code. 2 tries left.");
    assert_wrong(d, "222222", "Wrong code. 1 try left.");
    assert_wrong(d, "333333", "locked");
    assert_false(shows(d, "login"));
    assert_int_equal(d->ops->terminate(d, &no_limit, BANK, NULL), IA_OK);
    launch(d, BANK);
    assert_true(shows(d, "locked"));
    assert_true(state_has(d, "\"bank\":{\"user\":null,\"locked\":true"));
    ia_device_close(d);
}

static void three_wrong_passwords_lock_it_too(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, BANK);
    log_in(d, "1234");
    assert_true(shows(d, "login-error"));
    for (int i = 0; i < 2; i++) {
        tap(d, "password");
        type(d, "1234");
        tap(d, "login");
    }
    assert_true(shows(d, "locked"));
    ia_device_close(d);
}

static void a_small_transfer_needs_no_code(void **state)
{
    (void)state;
    struct ia_device *d = at_bank();
    fill_transfer(d, "Emma Schmidt", "120.5");
    assert_value(d, "order-amount", "$120.50");
    assert_value(d, "balance-after", "$2,225.10");
    tap(d, "cancel");
    tap(d, "reference");
    type(d, "Lunch");
    tap(d, "continue");
    tap(d, "confirm");
    assert_true(state_has(d, "\"screen\":\"Transfer Sent\""));
    assert_value(d, "balance", "$2,225.10");
    assert_true(state_has(d, "\"transfers\":[{\"from\":\"Everyday\",\"to\":\"Emma Schmidt\","
                             "\"amount\":\"120.50\",\"reference\":\"Lunch\"}]"));
    tap(d, "done");
    assert_value(d, "to", "Choose");
    tap(d, "tab-accounts");
    tap(d, "Everyday");
    assert_value(d, "Emma Schmidt", "-$120.50");
    ia_device_close(d);
}

static void a_large_one_needs_a_code_that_names_it(void **state)
{
    (void)state;
    struct ia_device *d = at_bank();
    fill_transfer(d, "Ravi Rao", "250");
    tap(d, "confirm");
    assert_true(state_has(d, "\"transfers\":[]"));
    enter_code(d);
    assert_true(state_has(d, "is your code for a transfer of $250.00 to Ravi Rao."));
    assert_true(state_has(d, "\"to\":\"Ravi Rao\",\"amount\":\"250.00\""));
    ia_device_close(d);
}

static void what_cannot_be_transferred_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *to, *amount, *alert;
    } rows[] = {
        {"Ravi Rao", "0", "Check the Amount"},
        {"Ravi Rao", "12,50", "Check the Amount"},
        {"Ravi Rao", "1.234", "Check the Amount"},
        {"Ravi Rao", "99999999", "Check the Amount"},
        {"Ravi Rao", "2345.61", "Not Enough Money"},
        {"Ravi Rao", "1000.01", "Over the Daily Limit"},
        {"Everyday", "10", "Same Account"},
    };
    struct ia_device *d = at_bank();
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char alert[64];
        snprintf(alert, sizeof(alert), "\"alert\":\"%s\"", rows[i].alert);
        fill_transfer(d, rows[i].to, rows[i].amount);
        assert_true(state_has(d, alert));
        tap(d, "OK");
        tap(d, "amount");
        tap(d, "Clear text");
    }
    fill_transfer(d, "Savings", "2000");
    tap(d, "confirm");
    assert_true(state_has(d, "\"Everyday\":\"345.60\",\"Savings\":\"10500.00\""));
    assert_true(state_has(d, "\"transfers\":[]"));
    ia_device_close(d);
}

static void the_limit_is_of_a_day_and_more_of_it_needs_a_code(void **state)
{
    (void)state;
    struct ia_device *d = at_bank();
    for (int i = 0; i < 4; i++) {
        fill_transfer(d, "Emma Schmidt", "240");
        tap(d, "confirm");
        tap(d, "done");
    }
    fill_transfer(d, "Emma Schmidt", "240");
    assert_true(state_has(d, "\"alert\":\"Over the Daily Limit\""));
    tap(d, "OK");
    tap(d, "tab-profile");
    tap(d, "limit");
    tap(d, "$2,500.00");
    enter_code(d);
    assert_value(d, "limit", "$2,500.00");
    tap(d, "limit");
    tap(d, "$500.00");
    assert_value(d, "limit", "$500.00");
    ia_device_close(d);
}

static void a_new_payee_needs_eight_digits_and_a_code(void **state)
{
    (void)state;
    struct ia_device *d = at_bank();
    tap(d, "tab-transfer");
    tap(d, "to");
    tap(d, "add-payee");
    type(d, "Grace Foster\n1234567");
    tap(d, "save");
    assert_true(state_has(d, "\"alert\":\"Check the Account Number\""));
    tap(d, "OK");
    tap(d, "payee-account");
    type(d, "8");
    tap(d, "save");
    enter_code(d);
    assert_value(d, "to", "Grace Foster");
    assert_true(state_has(d, "{\"name\":\"Grace Foster\",\"account\":\"12345678\"}"));
    ia_device_close(d);
}

static void a_session_ends_when_it_was_left_or_the_app_ends(void **state)
{
    (void)state;
    struct ia_device *d = at_bank();
    launch(d, SETTINGS);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(d->ops->press(d, &no_limit, IA_BUTTON_VOLUME_UP, NULL), IA_OK);
    }
    launch(d, BANK);
    assert_true(state_has(d, "\"screen\":\"Accounts\""));
    launch(d, SETTINGS);
    for (int i = 0; i < 61; i++) {
        assert_int_equal(d->ops->press(d, &no_limit, IA_BUTTON_VOLUME_UP, NULL), IA_OK);
    }
    launch(d, BANK);
    assert_true(shows(d, "session-ended"));
    log_in(d, "ledger-1815");
    enter_code(d);
    assert_true(state_has(d, "\"bank\":{\"user\":\"ada\""));
    assert_int_equal(d->ops->terminate(d, &no_limit, BANK, NULL), IA_OK);
    launch(d, BANK);
    assert_true(shows(d, "login"));
    assert_false(shows(d, "session-ended"));
    ia_device_close(d);
}

static void transactions_are_searched_and_the_card_is_frozen(void **state)
{
    (void)state;
    struct ia_device *d = at_bank();
    tap(d, "Everyday");
    tap(d, "search");
    type(d, "invoice");
    assert_value(d, "Northern Power", "-$73.15");
    assert_false(shows(d, "Corner Market"));
    tap(d, "Cancel");
    tap(d, "BackButton");
    tap(d, "Credit Card");
    tap(d, "freeze-card");
    assert_true(state_has(d, "\"card_frozen\":true"));
    ia_device_close(d);
}

/* The balance and the codes belong to the seed. */
static void phones_of_other_seeds_have_other_codes_and_balances(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *a = phone_open(folder, "a"), *b = NULL;
    struct ia_embedded_options opt = {.folder = folder, .name = "b", .seed = 7};
    assert_int_equal(ia_embedded_open(&opt, &b, NULL), IA_OK);
    assert_true(state_has(a, "\"Everyday\":\"2345.60\""));
    assert_false(state_has(b, "\"Everyday\":\"2345.60\""));
    struct ia_device *phones[] = {a, b};
    char codes[2][CODE];
    for (int i = 0; i < 2; i++) {
        launch(phones[i], BANK);
        log_in(phones[i], "ledger-1815");
        read_code(phones[i], codes[i]);
        ia_device_close(phones[i]);
    }
    assert_string_not_equal(codes[0], codes[1]);
    folder_remove(folder);
}

static void planted_bugs_show(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    assert_int_equal(d->ops->open_url(d, &no_limit,
                                      "embedded://?bugs=bank-double-transfer,bank-no-limit,"
                                      "bank-wrong-payee,bank-any-code",
                                      NULL),
                     IA_OK);
    launch(d, BANK);
    log_in(d, "ledger-1815");
    look(d, 20);
    tap(d, "code");
    type(d, "123456");
    tap(d, "verify");
    look(d, 5);
    fill_transfer(d, "Ravi Rao", "1100");
    tap(d, "confirm");
    look(d, 20);
    tap(d, "code");
    type(d, "123456");
    tap(d, "verify");
    assert_value(d, "to", "Emma Schmidt");
    assert_value(d, "balance", "$145.60");
    ia_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_code_that_comes_as_a_message_logs_in),
        cmocka_unit_test(a_new_code_replaces_the_old_one_and_codes_expire),
        cmocka_unit_test(three_wrong_codes_lock_it_for_good),
        cmocka_unit_test(three_wrong_passwords_lock_it_too),
        cmocka_unit_test(a_small_transfer_needs_no_code),
        cmocka_unit_test(a_large_one_needs_a_code_that_names_it),
        cmocka_unit_test(what_cannot_be_transferred_is_refused),
        cmocka_unit_test(the_limit_is_of_a_day_and_more_of_it_needs_a_code),
        cmocka_unit_test(a_new_payee_needs_eight_digits_and_a_code),
        cmocka_unit_test(a_session_ends_when_it_was_left_or_the_app_ends),
        cmocka_unit_test(transactions_are_searched_and_the_card_is_frozen),
        cmocka_unit_test(phones_of_other_seeds_have_other_codes_and_balances),
        cmocka_unit_test(planted_bugs_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
