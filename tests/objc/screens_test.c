/* screens_test.c: text, alerts, the device, find, wait and batch, performed by the bridge's own
 * sources on the fake iPhone. */
#include "host.h"

#include "test.h"

static struct host host;
static struct link to;

static int start(void **state)
{
    (void)state;
    host_start(&host, NULL);
    link_open(&to, &host);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    link_close(&to);
    assert_int_equal(host_stop(&host), 0);
    return 0;
}

/* ---- text ---- */

static uint16_t set_text(const char *identifier, const char *text, uint8_t flags)
{
    struct ia_wire_selector s = by_id(identifier);
    struct ia_wire_request req = {.op = IA_WIRE_OP_SET_TEXT};
    struct ia_wire_reply reply;
    req.u.set_text = (struct ia_wire_set_text){
        .target = {.selector = &s}, .text = text, .timeout_ms = 1000, .flags = flags};
    link_call(&to, &req, &reply);
    uint16_t code = reply.code;
    ia_wire_reply_fini(&reply);
    return code;
}

static void a_field_is_filled_and_read_back(void **state)
{
    (void)state;
    launch_fake(&to, "FAKE_SCREEN", "text", NULL);
    assert_int_equal(set_text("name", "Ada Lovelace", 0), IA_WIRE_OK);
    assert_string_equal(value_of(&to, "name"), "Ada Lovelace");
    assert_int_equal(
        set_text("filled", "K\xc3\xb6ln \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", 0),
        IA_WIRE_OK);
    assert_int_equal(set_text("filled", "!", IA_WIRE_TEXT_APPEND | IA_WIRE_TEXT_SUBMIT),
                     IA_WIRE_OK);
    assert_string_equal(label_of(&to, "submitted"),
                        "K\xc3\xb6ln \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb!");
    assert_int_equal(set_text("secret", "p4ss", 0), IA_WIRE_OK);
}

static void a_field_is_filled_with_a_hardware_keyboard_too(void **state)
{
    (void)state;
    launch_fake(&to, "FAKE_SCREEN", "text", "FAKE_HARDWARE_KEYBOARD", "1",
                "FAKE_FOCUS_UNREPORTED", "1", NULL);
    assert_int_equal(set_text("name", "Ada", 0), IA_WIRE_OK);
    assert_string_equal(value_of(&to, "name"), "Ada");
}

static void text_that_does_not_arrive_is_reported(void **state)
{
    (void)state;
    launch_fake(&to, "FAKE_SCREEN", "text", "FAKE_DROP", "3", NULL);
    assert_int_equal(set_text("name", "Ada Lovelace", 0), IA_WIRE_E_TEXT_MISMATCH);
    launch_fake(&to, "FAKE_SCREEN", "text", "FAKE_FOCUS", "never", NULL);
    assert_int_equal(set_text("name", "Ada", 0), IA_WIRE_E_NO_KEYBOARD);
}

static void a_field_is_cleared(void **state)
{
    (void)state;
    struct ia_wire_selector s = by_id("filled");
    struct ia_wire_request req = {.op = IA_WIRE_OP_CLEAR};
    launch_fake(&to, "FAKE_SCREEN", "text", NULL);
    req.u.clear.target.selector = &s;
    req.u.clear.timeout_ms = 1000;
    must(&to, &req, IA_WIRE_SENT);
    assert_string_equal(value_of(&to, "filled"), "Town"); /* its placeholder */
}

static void typing_needs_a_keyboard(void **state)
{
    (void)state;
    struct ia_wire_request type = {.op = IA_WIRE_OP_TYPE_TEXT};
    struct ia_wire_request delete = {.op = IA_WIRE_OP_DELETE_TEXT};
    launch_fake(&to, "FAKE_SCREEN", "text", NULL);
    type.u.type_text.text = "some words that are more than one piece of what is typed at once";
    delete.u.delete_text.count = 5;
    refused(&to, &type, IA_WIRE_E_NO_KEYBOARD, IA_WIRE_NOT_SENT);
    refused(&to, &delete, IA_WIRE_E_NO_KEYBOARD, IA_WIRE_NOT_SENT);
    assert_int_equal(act_on(&to, "name", 1000), IA_WIRE_OK);
    must(&to, &type, IA_WIRE_SENT);
    must(&to, &delete, IA_WIRE_SENT);
    assert_string_equal(value_of(&to, "name"),
                        "some words that are more than one piece of what is typed at");
}

/* ---- alerts ---- */

static uint16_t answer(uint8_t action, const char *button, const char *pressed)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_ALERT_ACT};
    struct ia_wire_reply reply;
    req.u.alert_act.action = action;
    req.u.alert_act.button = button;
    link_call(&to, &req, &reply);
    uint16_t code = reply.code;
    if (code == IA_WIRE_OK) {
        assert_string_equal(reply.u.alert_act.button, pressed);
    }
    ia_wire_reply_fini(&reply);
    return code;
}

static void alerts_are_listed_front_most_first(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_ALERTS};
    struct ia_wire_reply reply;
    launch_fake(&to, "FAKE_SCREEN", "dialogs", NULL);
    must(&to, &req, IA_WIRE_NONE);
    assert_int_equal(act_on(&to, "ask", 1000), IA_WIRE_OK);
    link_call(&to, &req, &reply);
    assert_int_equal(reply.u.alerts.alerts_n, 1);
    const struct ia_wire_alert *a = &reply.u.alerts.alerts[0];
    assert_int_equal(a->owner, IA_WIRE_OWNER_SYSTEM);
    assert_string_equal(a->text, "Dein Standort wird gezeigt.");
    assert_int_equal(a->buttons_n, 3);
    assert_string_equal(a->buttons[2], "Nicht erlauben");
    ia_wire_reply_fini(&reply);
    assert_int_equal(answer(IA_WIRE_ALERT_DISMISS, "", "Nicht erlauben"), IA_WIRE_OK);
    assert_int_equal(answer(IA_WIRE_ALERT_DISMISS, "", ""), IA_WIRE_E_NO_ALERT);
}

static void an_alert_of_the_system_is_a_part_of_the_screen(void **state)
{
    (void)state;
    struct ia_wire_selector no = {.label = "Nicht erlauben"};
    struct ia_wire_request req = {.op = IA_WIRE_OP_ACT};
    struct ia_wire_reply tree;
    launch_fake(&to, "FAKE_ASK", "Ortung?", NULL);
    take_tree(&to, &tree);
    assert_string_equal(tree.u.tree.app, FAKE_APP);
    const struct ia_wire_node *last = &tree.u.tree.nodes[tree.u.tree.nodes_n - 1];
    assert_string_equal(last->label, "Nicht erlauben");
    assert_int_equal(last->depth, 2); /* its parent is an alert, a child of the root */
    ia_wire_reply_fini(&tree);
    assert_int_equal(act_on(&to, "renamed", 100), IA_WIRE_E_COVERED);
    req.u.act.target.selector = &no;
    req.u.act.timeout_ms = 1000;
    must(&to, &req, IA_WIRE_SENT);
    assert_int_equal(act_on(&to, "renamed", 1000), IA_WIRE_OK);
    assert_int_equal(taps_of(&to), 1);
}

static void an_alert_of_the_app_is_read_from_left_to_right(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_ALERTS};
    struct ia_wire_reply reply;
    launch_fake(&to, "FAKE_SCREEN", "dialogs", NULL);
    assert_int_equal(act_on(&to, "alert", 1000), IA_WIRE_OK);
    link_call(&to, &req, &reply);
    const struct ia_wire_alert *a = &reply.u.alerts.alerts[0];
    assert_int_equal(reply.u.alerts.alerts_n, 1);
    assert_int_equal(a->owner, IA_WIRE_OWNER_APP);
    assert_string_equal(a->title, "Delete it?");
    assert_string_equal(a->text, "This cannot be undone.");
    assert_string_equal(a->buttons[0], "Abbrechen");
    assert_string_equal(a->buttons[1], "L\xc3\xb6schen");
    ia_wire_reply_fini(&reply);
}

static void alerts_are_answered_in_any_language(void **state)
{
    (void)state;
    static const struct {
        const char *opens;
        uint8_t action;
        const char *button, *pressed;
    } cases[] = {{"alert", IA_WIRE_ALERT_ACCEPT, "", "L\xc3\xb6schen"},
                 {"alert", IA_WIRE_ALERT_DISMISS, "", "Abbrechen"},
                 {"alert", IA_WIRE_ALERT_BUTTON, "L\xc3\xb6schen", "L\xc3\xb6schen"},
                 {"sheet", IA_WIRE_ALERT_ACCEPT, "", "Kopieren"},
                 {"sheet", IA_WIRE_ALERT_DISMISS, "", "Abbrechen"},
                 {"sheet", IA_WIRE_ALERT_BUTTON, "Teilen", "Teilen"}};
    launch_fake(&to, "FAKE_SCREEN", "dialogs", NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(act_on(&to, cases[i].opens, 1000), IA_WIRE_OK);
        assert_int_equal(answer(IA_WIRE_ALERT_BUTTON, "OK", ""), IA_WIRE_E_NOT_FOUND);
        assert_int_equal(answer(cases[i].action, cases[i].button, cases[i].pressed),
                         IA_WIRE_OK);
        assert_string_equal(label_of(&to, "chosen"), cases[i].pressed);
    }
    assert_int_equal(act_on(&to, "ask", 1000), IA_WIRE_OK);
    assert_int_equal(answer(IA_WIRE_ALERT_ACCEPT, "", "Einmal erlauben"), IA_WIRE_OK);
}

static void an_appearing_alert_is_waited_for(void **state)
{
    (void)state;
    launch_fake(&to, "FAKE_SCREEN", "dialogs", "FAKE_ALERT_MOVE", "300,200,100,0", NULL);
    assert_int_equal(act_on(&to, "alert", 1000), IA_WIRE_OK);
    assert_int_equal(answer(IA_WIRE_ALERT_ACCEPT, "", "L\xc3\xb6schen"), IA_WIRE_OK);
    assert_string_equal(label_of(&to, "chosen"), "L\xc3\xb6schen");
}

/* ---- the device ---- */

static uint8_t mode_of(const struct ia_wire_request *req)
{
    struct ia_wire_reply reply;
    link_call(&to, req, &reply);
    assert_int_equal(reply.code, IA_WIRE_OK);
    uint8_t mode = reply.u.mode.mode;
    ia_wire_reply_fini(&reply);
    return mode;
}

static void the_phone_is_rotated(void **state)
{
    (void)state;
    static const uint8_t modes[] = {IA_WIRE_LANDSCAPE_LEFT, IA_WIRE_LANDSCAPE_RIGHT,
                                    IA_WIRE_UPSIDE_DOWN, IA_WIRE_PORTRAIT};
    struct ia_wire_request set = {.op = IA_WIRE_OP_ORIENTATION}, read = set;
    launch_fake(&to, NULL);
    for (size_t i = 0; i < sizeof(modes); i++) {
        struct ia_wire_reply tree;
        set.u.orientation.mode = modes[i];
        assert_int_equal(mode_of(&set), modes[i]);
        assert_int_equal(mode_of(&read), modes[i]);
        take_tree(&to, &tree);
        assert_true((tree.u.tree.nodes[0].frame.w > 400) == (i < 2));
        ia_wire_reply_fini(&tree);
    }
}

static void appearance_is_read_and_set(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_APPEARANCE};
    launch_fake(&to, NULL);
    req.u.appearance.mode = IA_WIRE_DARK;
    assert_int_equal(mode_of(&req), IA_WIRE_DARK);
    req.u.appearance.mode = IA_WIRE_APPEARANCE_READ;
    assert_int_equal(mode_of(&req), IA_WIRE_DARK);
    req.u.appearance.mode = IA_WIRE_LIGHT;
    assert_int_equal(mode_of(&req), IA_WIRE_LIGHT);
}

static void the_pasteboard_is_written_and_read(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_PASTEBOARD};
    struct ia_wire_reply reply;
    launch_fake(&to, NULL);
    req.u.pasteboard.mode = IA_WIRE_PASTEBOARD_WRITE;
    req.u.pasteboard.text = "caf\xc3\xa9\n";
    must(&to, &req, IA_WIRE_SENT);
    req.u.pasteboard = (struct ia_wire_pasteboard){.mode = IA_WIRE_PASTEBOARD_READ, .text = ""};
    link_call(&to, &req, &reply);
    assert_string_equal(reply.u.pasteboard.text, "caf\xc3\xa9\n");
    assert_int_equal(reply.outcome, IA_WIRE_NONE);
    ia_wire_reply_fini(&reply);
}

static void urls_are_opened(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_OPEN_URL};
    launch_fake(&to, NULL);
    req.u.open_url.url = "fake://cart/add?item=7";
    must(&to, &req, IA_WIRE_SENT);
    assert_string_equal(gesture_of(&to), "open fake://cart/add?item=7");
    req.u.open_url.url = "no url at all";
    refused(&to, &req, IA_WIRE_E_USAGE, IA_WIRE_NOT_SENT);
}

static void only_the_home_button_is_pressed(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_PRESS_BUTTON};
    launch_fake(&to, NULL);
    must(&to, &req, IA_WIRE_SENT);
    req.u.press_button.button = IA_WIRE_BUTTON_VOLUME_UP;
    refused(&to, &req, IA_WIRE_E_UNSUPPORTED, IA_WIRE_NOT_SENT);
}

static void a_screenshot_is_a_png_with_its_scale(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_SCREENSHOT};
    struct ia_wire_reply reply;
    launch_fake(&to, NULL);
    link_call(&to, &req, &reply);
    const struct ia_wire_screenshot_reply *shot = &reply.u.screenshot;
    assert_int_equal(reply.code, IA_WIRE_OK);
    assert_int_equal(shot->width_px, 780);
    assert_int_equal(shot->height_px, 1688);
    assert_true(shot->scale == 2);
    assert_memory_equal(shot->png, "\x89PNG\r\n\x1a\n", 8);
    assert_memory_equal(shot->png + shot->png_n - 8, "IEND\xae\x42\x60\x82", 8);
    ia_wire_reply_fini(&reply);
    req.u.screenshot.scale = IA_WIRE_SCALE_POINTS;
    refused(&to, &req, IA_WIRE_E_UNSUPPORTED, IA_WIRE_NONE);
}

static void the_audit_names_elements(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_AUDIT};
    struct ia_wire_reply reply;
    launch_fake(&to, NULL);
    link_call(&to, &req, &reply);
    const struct ia_wire_audit_reply *audit = &reply.u.audit;
    assert_int_equal(reply.code, IA_WIRE_OK);
    assert_int_equal(audit->issues_n, 4); /* three without an identifier, one of the app */
    assert_string_equal(audit->issues[0].summary, "Element has no description");
    assert_int_equal(audit->issues[0].type, 8);
    assert_string_equal(audit->issues[0].element->label, "Same");
    assert_null(audit->issues[3].element);
    ia_wire_reply_fini(&reply);
    req.u.audit.types = 1;
    link_call(&to, &req, &reply);
    assert_int_equal(reply.u.audit.issues_n, 0);
    ia_wire_reply_fini(&reply);
}

/* ---- find, wait and batch ---- */

static void find_reports_why_an_element_cannot_be_tapped(void **state)
{
    (void)state;
    static const struct {
        const char *identifier;
        uint16_t reason;
    } cases[] = {
        {"count", IA_WIRE_OK}, {"disabled", IA_WIRE_E_DISABLED}, {"none", IA_WIRE_E_NOT_FOUND}};
    launch_fake(&to, NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ia_wire_request req = {.op = IA_WIRE_OP_FIND};
        struct ia_wire_reply reply;
        req.u.find.selector = by_id(cases[i].identifier);
        link_call(&to, &req, &reply);
        assert_int_equal(reply.code, IA_WIRE_OK);
        assert_int_equal(reply.u.find.reason, cases[i].reason);
        ia_wire_reply_fini(&reply);
    }
}

static void a_wait_sees_what_appears_later(void **state)
{
    (void)state;
    struct ia_wire_request req = {.op = IA_WIRE_OP_WAIT};
    launch_fake(&to, "FAKE_APPEAR", "4", NULL);
    req.u.wait.condition = IA_WIRE_WAIT_HITTABLE;
    req.u.wait.selector = by_id("late");
    req.u.wait.timeout_ms = 60000;
    must(&to, &req, IA_WIRE_NONE);
    req.u.wait.condition = IA_WIRE_WAIT_GONE;
    req.u.wait.timeout_ms = 100;
    refused(&to, &req, IA_WIRE_E_NOT_MET, IA_WIRE_NONE);
}

static void a_batch_stops_at_its_first_failure(void **state)
{
    (void)state;
    struct ia_wire_selector count = by_id("count"), none = by_id("none");
    struct ia_wire_request items[3] = {
        {.op = IA_WIRE_OP_ACT}, {.op = IA_WIRE_OP_ACT}, {.op = IA_WIRE_OP_ACT}};
    struct ia_wire_request req = {.op = IA_WIRE_OP_BATCH};
    struct ia_wire_reply reply;
    launch_fake(&to, NULL);
    items[0].u.act.target.selector = items[2].u.act.target.selector = &count;
    items[1].u.act.target.selector = &none;
    req.u.batch = (struct ia_wire_batch){items, 3};
    link_call(&to, &req, &reply);
    assert_int_equal(reply.u.batch.items_n, 2);
    assert_int_equal(reply.u.batch.items[1].code, IA_WIRE_E_NOT_FOUND);
    ia_wire_reply_fini(&reply);
    assert_int_equal(taps_of(&to), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_is_filled_and_read_back),
        cmocka_unit_test(a_field_is_filled_with_a_hardware_keyboard_too),
        cmocka_unit_test(text_that_does_not_arrive_is_reported),
        cmocka_unit_test(a_field_is_cleared),
        cmocka_unit_test(typing_needs_a_keyboard),
        cmocka_unit_test(alerts_are_listed_front_most_first),
        cmocka_unit_test(an_alert_of_the_system_is_a_part_of_the_screen),
        cmocka_unit_test(an_alert_of_the_app_is_read_from_left_to_right),
        cmocka_unit_test(alerts_are_answered_in_any_language),
        cmocka_unit_test(an_appearing_alert_is_waited_for),
        cmocka_unit_test(the_phone_is_rotated),
        cmocka_unit_test(appearance_is_read_and_set),
        cmocka_unit_test(the_pasteboard_is_written_and_read),
        cmocka_unit_test(urls_are_opened),
        cmocka_unit_test(only_the_home_button_is_pressed),
        cmocka_unit_test(a_screenshot_is_a_png_with_its_scale),
        cmocka_unit_test(the_audit_names_elements),
        cmocka_unit_test(find_reports_why_an_element_cannot_be_tapped),
        cmocka_unit_test(a_wait_sees_what_appears_later),
        cmocka_unit_test(a_batch_stops_at_its_first_failure),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
