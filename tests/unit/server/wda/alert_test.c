/* alert_test.c: which button of which alert is pressed, and how. */
#include "made.h"

/* n: the type. */
static void fill_alert(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    static const char *const labels[] = {"Left", "Middle", "Right"};
    struct ia_node *alert =
        made_add(t, window, (enum ia_eltype)m->n, (struct ia_rect){60, 300, 270, 200}, "Title");
    made_add(t, alert, IA_EL_STATIC_TEXT, (struct ia_rect){70, 310, 250, 30}, "Sure?");
    for (int i = 0; i < 3; i++) {
        made_add(t, alert, IA_EL_BUTTON, (struct ia_rect){60 + i * 90, 450, 90, 44}, labels[i]);
    }
}

static void the_last_button_of_an_alert_accepts_and_the_first_of_a_sheet(void **state)
{
    (void)state;
    static const struct {
        enum ia_eltype type;
        const char *path, *log;
    } rows[] = {{IA_EL_ALERT, "/alert/accept", "alert 2 Right; "},
                {IA_EL_ALERT, "/alert/dismiss", "alert 2 Left; "},
                {IA_EL_SHEET, "/alert/accept", "alert 2 Left; "},
                {IA_EL_SHEET, "/alert/dismiss", "alert 2 Right; "}};
    assert_int_equal(IA_ALERT_BUTTON, 2);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct made m;
        made_open(&m, fill_alert, (int)rows[i].type);
        made_check(&m,
                   &(struct made_row){"POST", rows[i].path, "{}", 200, "null", rows[i].log});
        made_check(&m, &(struct made_row){"POST", rows[i].path, "{\"name\":\"Middle\"}", 200,
                                          "null", "alert 2 Middle; "});
        served_close(&m.s);
    }
}

static void outside_a_session(struct made *m, const char *path)
{
    struct said r;
    m->log[0] = '\0';
    served_ask(&m->s, "GET", path, NULL, &r);
    assert_int_equal(r.status, 200);
    assert_string_equal(m->log, "");
    said_fini(&r);
}

static void a_default_action_leaves_alerts_to_who_asks_for_them(void **state)
{
    (void)state;
    static const struct {
        const char *action, *log;
    } rows[] = {{"accept", "alert 2 Right; "}, {"dismiss", "alert 2 Left; "}, {"", ""}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct made m;
        char body[128];
        made_open(&m, fill_alert, IA_EL_ALERT);
        (void)snprintf(body, sizeof(body), "{\"settings\":{\"defaultAlertAction\":\"%s\"}}",
                       rows[i].action);
        made_check(
            &m, &(struct made_row){"POST", "/appium/settings", body, 200, rows[i].action, ""});
        made_check(&m, &(struct made_row){"GET", "/alert/text", NULL, 200, "Sure?", ""});
        made_check(&m,
                   &(struct made_row){"GET", "/wda/alert/buttons", NULL, 200, "Middle", ""});
        made_check(&m, &(struct made_row){"POST", "/alert/accept", "{\"name\":\"Middle\"}", 200,
                                          "null", "alert 2 Middle; "});
        made_check(&m, &(struct made_row){"GET", "/status", NULL, 200, "ready", ""});
        outside_a_session(&m, "/window/size");
        made_check(&m,
                   &(struct made_row){"GET", "/window/rect", NULL, 200, "393", rows[i].log});
        served_close(&m.s);
    }
}

enum { TWO_ALERTS = 1, HIDDEN, TWO_FIELDS, TEXT_IN_A_BUTTON, MUCH_TEXT };

static void fill_odd(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    struct ia_rect at = {60, 300, 270, 200};
    struct ia_node *alert = made_add(t, window, IA_EL_ALERT, at, "First");
    struct ia_node *button = made_add(t, alert, IA_EL_BUTTON, at, "One");
    if (m->n == TWO_ALERTS) {
        alert = made_add(t, window, IA_EL_ALERT, at, "Second");
        made_add(t, alert, IA_EL_BUTTON, at, "Two");
    } else if (m->n == HIDDEN) {
        alert->flags |= IA_NODE_INVISIBLE;
    } else if (m->n == TWO_FIELDS) {
        made_add(t, alert, IA_EL_TEXT_FIELD, at, "User");
        made_add(t, alert, IA_EL_SECURE_TEXT_FIELD, at, "Password");
    } else if (m->n == MUCH_TEXT) {
        static char text[IA_TREE_STRING_MAX];
        memset(text, 'x', sizeof(text) - 1);
        for (int i = 0; i < 5; i++) {
            made_add(t, alert, IA_EL_STATIC_TEXT, at, text);
        }
    } else {
        made_add(t, button, IA_EL_STATIC_TEXT, at, "Two words");
    }
}

static void an_alert_is_the_one_in_front_that_is_seen(void **state)
{
    (void)state;
    static const struct {
        int n;
        struct made_row row;
    } rows[] = {
        {TWO_ALERTS, {"GET", "/wda/alert/buttons", NULL, 200, "[\"Two\"]", ""}},
        {TWO_ALERTS, {"POST", "/alert/accept", "{}", 200, "null", "alert 2 Two; "}},
        /* one that only the device sees */
        {HIDDEN, {"POST", "/alert/accept", "{}", 200, "null", "alert 0 -; "}},
        {HIDDEN, {"POST", "/alert/dismiss", "{}", 200, "null", "alert 1 -; "}},
        {HIDDEN, {"POST", "/alert/accept", "{\"name\":\"One\"}", 200, "null", "alert 2 One; "}},
        {HIDDEN, {"GET", "/alert/text", NULL, 404, "no such alert", ""}},
        {TWO_FIELDS,
         {"POST", "/alert/text", "{\"value\":\"x\"}", 500, "more than one input field", ""}},
        {MUCH_TEXT, {"GET", "/alert/text", NULL, 500, "LIMIT", ""}},
        {TEXT_IN_A_BUTTON, {"GET", "/alert/text", NULL, 200, "\"First\"", ""}},
        {TEXT_IN_A_BUTTON,
         {"POST", "/alert/accept", "{\"name\":\"On\"}", 400, "with label 'On'", ""}},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct made m;
        made_open(&m, fill_odd, rows[i].n);
        made_check(&m, &rows[i].row);
        served_close(&m.s);
    }
}

static void a_selector_of_the_session_names_the_button(void **state)
{
    (void)state;
    static const struct made_row rows[] = {
        {"POST", "/appium/settings",
         "{\"settings\":{\"acceptAlertButtonSelector\":"
         "\"**/XCUIElementTypeButton[`label == 'Middle'`]\"}}",
         200, "Middle", ""},
        {"POST", "/alert/accept", "{}", 200, "null", "alert 2 Middle; "},
        {"POST", "/alert/dismiss", "{}", 200, "null", "alert 2 Left; "},
        {"POST", "/appium/settings",
         "{\"settings\":{\"acceptAlertButtonSelector\":\"**/XCUIElementTypeSwitch\","
         "\"dismissAlertButtonSelector\":\"**/XCUIElementTypeButton[2]\"}}",
         200, "Switch", ""},
        {"POST", "/alert/accept", "{}", 200, "null", "alert 2 Right; "},
        {"POST", "/alert/dismiss", "{}", 200, "null", "alert 2 Middle; "},
    };
    made_run(fill_alert, IA_EL_ALERT, rows, IA_COUNTOF(rows));
}

static enum ia_rc knows_none(struct ia_device *d, const struct ia_deadline *deadline,
                             enum ia_alert_action action, const char *label, struct ia_err *err)
{
    (void)d;
    (void)deadline;
    (void)action;
    return ia_err_set(err, IA_E_NOT_FOUND, "no button %s", label);
}

static void a_button_that_the_device_does_not_know_is_tapped(void **state)
{
    (void)state;
    static const struct made_row row = {"POST", "/alert/accept", "{}",
                                        200,    "null",          "tap 285,472; "};
    struct made m;
    made_open(&m, fill_alert, IA_EL_ALERT);
    m.s.device.ops.alert = knows_none;
    made_check(&m, &row);
    m.s.device.ops.alert = NULL;
    made_check(&m, &row);
    served_close(&m.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_button_of_an_alert_accepts_and_the_first_of_a_sheet),
        cmocka_unit_test(a_default_action_leaves_alerts_to_who_asks_for_them),
        cmocka_unit_test(an_alert_is_the_one_in_front_that_is_seen),
        cmocka_unit_test(a_selector_of_the_session_names_the_button),
        cmocka_unit_test(a_button_that_the_device_does_not_know_is_tapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
