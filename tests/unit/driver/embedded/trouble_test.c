/* Planted bugs and faults on demand. */
#include "phone_fixture.h"

#include "base/clock.h"

static struct ia_device *phone_with(const char *query)
{
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    if (ia_embedded_open(&(struct ia_embedded_options){.name = "test", .query = query}, &d,
                         &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    return d;
}

/* ---- planted bugs: each walk ends once as it should, and once as the bug has it ---- */

static void shop_with_two_lamps(struct ia_device *d)
{
    launch(d, SHOP);
    tap(d, "user");
    type(d, "ada");
    tap(d, "password");
    type(d, "engine-1843");
    tap(d, "login");
    while (shows(d, "loading")) {
    }
    tap(d, "Desk Lamp");
    tap(d, "increment");
    tap(d, "add-to-cart");
    tap(d, "tab-cart");
}

static bool shop_total(struct ia_device *d)
{
    shop_with_two_lamps(d);
    return shows(d, "$85.70");
}

static bool shop_coupon(struct ia_device *d)
{
    shop_with_two_lamps(d);
    tap(d, "coupon");
    type(d, "WELCOME10");
    tap(d, "apply-coupon");
    assert_true(shows(d, "-$7.98"));
    return shows(d, "$77.72");
}

static bool shop_cart(struct ia_device *d)
{
    shop_with_two_lamps(d);
    tap(d, "check-out");
    type(d, "Ada\nHigh Street 1\nLondon\n12345");
    tap(d, "place-order");
    tap(d, "done");
    return shows(d, "Your Cart Is Empty");
}

static bool contacts_phone(struct ia_device *d)
{
    launch(d, CONTACTS);
    tap(d, "Nora Abbott");
    tap(d, "edit");
    tap(d, "phone");
    type(d, "9");
    tap(d, "done");
    return shows(d, "555-01119");
}

static bool contacts_search(struct ia_device *d)
{
    launch(d, CONTACTS);
    tap(d, "search");
    type(d, "abbott");
    return shows_type(d, IA_EL_CELL, "Nora Abbott");
}

static bool reminders_ghost(struct ia_device *d)
{
    launch(d, REMINDERS);
    tap(d, "Groceries");
    tap(d, "Milk");
    tap(d, "delete-reminder");
    tap(d, "Delete Reminder");
    assert_false(shows(d, "Milk"));
    assert_int_equal(d->ops->terminate(d, &no_limit, REMINDERS, NULL), IA_OK);
    launch(d, REMINDERS);
    tap(d, "Groceries");
    return !shows(d, "Milk");
}

static bool reminders_late(struct ia_device *d)
{
    launch(d, REMINDERS);
    tap(d, "Work");
    tap(d, "new-reminder");
    type(d, "Buy stamps");
    tap(d, "Tomorrow");
    tap(d, "add");
    return state_has(d, "\"due\":\"2025-09-10\",\"completed\":false}]");
}

static bool settings_switch(struct ia_device *d)
{
    launch(d, SETTINGS);
    tap(d, "com.apple.settings.bluetooth");
    tap(d, "bluetooth");
    assert_true(state_has(d, "\"bluetooth\":false"));
    tap(d, "BackButton");
    return state_has(d, "\"bluetooth\":false");
}

static const struct {
    const char *query;
    bool (*right)(struct ia_device *d);
} bugs[] = {
    {"bugs=shop-total", shop_total},
    {"bugs=shop-coupon", shop_coupon},
    {"bugs=shop-cart-stays", shop_cart},
    {"bugs=contacts-lost-phone", contacts_phone},
    {"bugs=contacts-deaf-search", contacts_search},
    {"bugs=reminders-ghost", reminders_ghost},
    {"bugs=reminders-late", reminders_late},
    {"bugs=settings-switch-lies", settings_switch},
};

static void each_bug_shows_when_it_is_planted_and_only_then(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(bugs); i++) {
        struct ia_device *d = phone_with(NULL), *buggy = phone_with(bugs[i].query);
        if (!bugs[i].right(d) || bugs[i].right(buggy)) {
            fail_msg("%s", bugs[i].query);
        }
        ia_device_close(d);
        ia_device_close(buggy);
    }
}

static void bugs_stay_on_a_phone_until_others_are_set(void **state)
{
    (void)state;
    char *folder = folder_new();
    static const struct {
        const char *query, *bugs;
    } rows[] = {
        {NULL, "\"bugs\":[]"},
        {"bugs=shop-total,reminders-ghost", "\"bugs\":[\"shop-total\",\"reminders-ghost\"]"},
        {NULL, "\"bugs\":[\"shop-total\",\"reminders-ghost\"]"},
        {"faults=none", "\"bugs\":[\"shop-total\",\"reminders-ghost\"]"},
        {"bugs=reminders-ghost", "\"bugs\":[\"reminders-ghost\"]"},
        {"bugs=none", "\"bugs\":[]"},
        {NULL, "\"bugs\":[]"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_device *d = NULL;
        struct ia_embedded_options opt = {
            .folder = folder, .name = "a", .query = rows[i].query};
        assert_int_equal(ia_embedded_open(&opt, &d, NULL), IA_OK);
        assert_true(state_has(d, rows[i].bugs));
        ia_device_close(d);
    }
    folder_remove(folder);
}

static void a_link_plants_bugs_until_the_next_reset(void **state)
{
    (void)state;
    struct ia_device *d = phone_with("bugs=shop-coupon");
    struct ia_err err = {0};
    assert_int_equal(d->ops->open_url(d, &no_limit, "embedded://?bugs=shop-total", NULL),
                     IA_OK);
    assert_true(state_has(d, "\"bugs\":[\"shop-total\"]"));
    assert_true(state_has(d, "\"foreground\":\"com.apple.springboard\""));
    assert_int_equal(ia_device_reset(d, &no_limit, NULL), IA_OK);
    assert_true(state_has(d, "\"bugs\":[\"shop-coupon\"]"));
    assert_int_equal(d->ops->open_url(d, &no_limit, "embedded://?bugs=shop", &err), IA_E_USAGE);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    ia_device_close(d);
}

static void a_bad_query_is_refused_with_what_it_may_be(void **state)
{
    (void)state;
    static const struct {
        const char *query, *msg, *hint;
    } rows[] = {
        {"bugs=shop-totl", "\"shop-totl\"", "shop-total"},
        {"bugs=", "\"\"", "embedded bugs"},
        {"bugs=none,", "\"\"", "embedded bugs"},
        {"bug=all", "\"bug\"", "bugs="},
        {"faults=popup@", "popup@", "popup"},
        {"faults=popup@0", "popup@0", "popup"},
        {"faults=popup%101", "popup%101", "popup"},
        {"faults=popups", "popups", "popup"},
        {"faults=slow-tree:9999999", "slow-tree:9999999", "slow-tree"},
        {"faults=popup@5x", "popup@5x", "popup"},
        {"faults=zzzzzzzz", "zzzzzzzz", "FAULT["},
        {"faults=crash,crash,crash,crash,crash,crash,crash,crash,crash", "at most 8", ""},
        {"seed=0", "\"0\"", ""},
        {"seed=x", "\"x\"", ""},
        {"seed=99999999999999999999", "seed", ""},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_device *d = NULL;
        struct ia_err err = {0};
        struct ia_embedded_options opt = {.name = "a", .query = rows[i].query};
        if (ia_embedded_open(&opt, &d, &err) != IA_E_USAGE || !strstr(err.msg, rows[i].msg) ||
            !strstr(err.hint, rows[i].hint)) {
            fail_msg("%s: %s (%s)", rows[i].query, err.msg, err.hint);
        }
        assert_int_equal(ia_embedded_check(rows[i].query, NULL), IA_E_USAGE);
    }
    assert_int_equal(ia_embedded_check(NULL, NULL), IA_OK);
    assert_int_equal(ia_embedded_check("", NULL), IA_OK);
}

/* ---- faults ---- */

static void an_alert_of_the_system_stands_over_everything(void **state)
{
    (void)state;
    struct ia_device *d = phone_with("faults=popup@3");
    launch(d, CONTACTS);
    tap(d, "add");
    struct ia_err err = {0};
    assert_int_equal(d->ops->type_text(d, &no_limit, ia_str("Ada"), &err), IA_E_NO_KEYBOARD);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_true(state_has(d, "\"keyboard\":false"));
    assert_false(state_has(d, "\"alert\":null"));
    tap_at(d, 196, 150);
    assert_false(state_has(d, "\"alert\":null"));
    assert_int_equal(d->ops->alert(d, &no_limit, IA_ALERT_DISMISS, NULL, NULL), IA_OK);
    assert_true(state_has(d, "\"alert\":null"));
    type(d, "Ada");
    assert_value(d, "first-name", "Ada");
    ia_device_close(d);
}

static void a_crash_ends_the_app_in_front(void **state)
{
    (void)state;
    struct ia_device *d = phone_with("faults=crash@3");
    launch(d, CONTACTS);
    tap(d, "add");
    struct ia_err err = {0};
    assert_int_equal(d->ops->type_text(d, &no_limit, ia_str("Ada"), &err), IA_E_NO_KEYBOARD);
    assert_true(state_has(d, "\"running\":[]"));
    launch(d, CONTACTS);
    assert_true(state_has(d, "\"screen\":\"Contacts\""));
    ia_device_close(d);
}

static void silent_typing_takes_nothing_and_says_nothing(void **state)
{
    (void)state;
    struct ia_device *d = phone_with("faults=silent-typing@1");
    launch(d, CONTACTS);
    tap(d, "add");
    type(d, "Ada");
    assert_value(d, "first-name", NULL);
    type(d, "Ada");
    assert_value(d, "first-name", "Ada");
    ia_device_close(d);
}

static double top_of(struct ia_device *d, const char *name)
{
    struct ia_tree *t = tree_of(d);
    double y = find(t, IA_EL_CELL, name)->frame.y;
    ia_tree_free(t);
    return y;
}

static void the_layout_moves_before_the_next_read(void **state)
{
    (void)state;
    struct ia_device *d = phone_with("faults=stale-ref@2");
    launch(d, CONTACTS);
    double first = top_of(d, "Nora Abbott"), second = top_of(d, "Nora Abbott");
    double third = top_of(d, "Nora Abbott"), fourth = top_of(d, "Nora Abbott");
    assert_true(first == second && third > second && third == fourth);
    tap(d, "Nora Abbott");
    assert_true(state_has(d, "\"screen\":\"Contact\""));
    ia_device_close(d);
}

static void the_layout_moves_between_the_last_read_and_the_touch(void **state)
{
    (void)state;
    struct ia_device *d = phone_with("faults=late-shift@2");
    launch(d, CONTACTS);
    double y = top_of(d, "Priya Anand");
    tap_at(d, 100, y + 22);
    assert_false(shows(d, "Priya Anand"));
    ia_device_close(d);
}

static void a_slow_tree_takes_its_time_up_to_the_deadline(void **state)
{
    (void)state;
    struct ia_vclock *vc = ia_vclock_new(0);
    const struct ia_clock *clock = ia_vclock_clock(vc);
    int64_t start = ia_mono_us(clock);
    struct ia_device *d = NULL;
    struct ia_embedded_options opt = {
        .name = "a", .query = "faults=slow-tree@2:700", .clock = clock};
    assert_int_equal(ia_embedded_open(&opt, &d, NULL), IA_OK);
    struct ia_tree *t = NULL;
    struct ia_deadline deadline = {.at_us = start + 500000};
    assert_int_equal(d->ops->tree(d, &deadline, &t, NULL), IA_OK);
    assert_int_equal(ia_mono_us(clock), start);
    ia_tree_free(t);
    assert_int_equal(d->ops->tree(d, &deadline, &t, NULL), IA_E_TIMEOUT);
    assert_int_equal(ia_mono_us(clock), start + 500000);
    ia_device_close(d);
    ia_vclock_free(vc);
}

static void a_lost_connection_fails_every_call_or_so_many(void **state)
{
    (void)state;
    struct ia_device *d = phone_with("faults=lost@2:2");
    struct ia_err err = {0};
    struct ia_tree *t = NULL;
    launch(d, CONTACTS);
    assert_int_equal(d->ops->launch(d, &no_limit, SETTINGS, &err), IA_E_DEVICE_LOST);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(d->ops->tree(d, &no_limit, &t, &err), IA_E_DEVICE_LOST);
    assert_true(state_has(d, "\"foreground\":\"" CONTACTS "\""));
    assert_int_equal(d->ops->tree(d, &no_limit, &t, &err), IA_OK);
    ia_tree_free(t);
    ia_device_close(d);
    d = phone_with("faults=lost@1");
    for (int i = 0; i < 5; i++) {
        assert_int_equal(d->ops->launch(d, &no_limit, SETTINGS, &err), IA_E_DEVICE_LOST);
    }
    ia_device_close(d);
}

static void what_is_not_answered_was_done(void **state)
{
    (void)state;
    struct ia_device *d = phone_with("faults=unanswered@1");
    struct ia_err err = {0};
    assert_int_equal(d->ops->launch(d, &no_limit, CONTACTS, &err), IA_E_DEVICE_LOST);
    assert_int_equal(err.outcome, IA_OUTCOME_UNKNOWN);
    assert_false(err.retry_safe);
    assert_true(state_has(d, "\"foreground\":\"" CONTACTS "\""));
    ia_device_close(d);
}

/* A walk of some length; whatever the phone refuses is refused alike. */
static char *walk(const char *query)
{
    struct ia_device *d = phone_with(query);
    launch(d, CONTACTS);
    for (int i = 0; i < 60; i++) {
        struct ia_point at = {60 + i * 37 % 300, 90 + i * 97 % 700};
        (void)d->ops->tap(d, &no_limit, at, NULL);
        (void)d->ops->type_text(d, &no_limit, ia_str("ab"), NULL);
    }
    char *oracle = state_of(d);
    ia_device_close(d);
    return oracle;
}

static void chance_goes_by_the_seed(void **state)
{
    (void)state;
    static const char *const queries[] = {"faults=popup%20,crash%5,silent-typing%10&seed=7",
                                          "faults=popup%20,crash%5,silent-typing%10&seed=7",
                                          "faults=popup%20,crash%5,silent-typing%10&seed=8"};
    char *a = walk(queries[0]), *b = walk(queries[1]), *c = walk(queries[2]);
    assert_string_equal(a, b);
    assert_string_not_equal(a, c);
    free(a);
    free(b);
    free(c);
}

static void faults_that_change_the_phone_are_in_its_log(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = NULL;
    struct ia_embedded_options opt = {
        .folder = folder, .name = "a", .query = "faults=popup@4+,late-shift@3,silent-typing@2"};
    assert_int_equal(ia_embedded_open(&opt, &d, NULL), IA_OK);
    launch(d, CONTACTS);
    tap(d, "add");
    type(d, "Ada");
    tap_at(d, 196, 300);
    char *tree = tree_text(d), *oracle = state_of(d);
    ia_device_close(d);
    d = phone_open(folder, "a");
    char *tree_after = tree_text(d), *oracle_after = state_of(d);
    assert_string_equal(tree, tree_after);
    assert_string_equal(oracle, oracle_after);
    ia_device_close(d);
    free(tree);
    free(oracle);
    free(tree_after);
    free(oracle_after);
    folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bug_shows_when_it_is_planted_and_only_then),
        cmocka_unit_test(bugs_stay_on_a_phone_until_others_are_set),
        cmocka_unit_test(a_link_plants_bugs_until_the_next_reset),
        cmocka_unit_test(a_bad_query_is_refused_with_what_it_may_be),
        cmocka_unit_test(an_alert_of_the_system_stands_over_everything),
        cmocka_unit_test(a_crash_ends_the_app_in_front),
        cmocka_unit_test(silent_typing_takes_nothing_and_says_nothing),
        cmocka_unit_test(the_layout_moves_before_the_next_read),
        cmocka_unit_test(the_layout_moves_between_the_last_read_and_the_touch),
        cmocka_unit_test(a_slow_tree_takes_its_time_up_to_the_deadline),
        cmocka_unit_test(a_lost_connection_fails_every_call_or_so_many),
        cmocka_unit_test(what_is_not_answered_was_done),
        cmocka_unit_test(chance_goes_by_the_seed),
        cmocka_unit_test(faults_that_change_the_phone_are_in_its_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
