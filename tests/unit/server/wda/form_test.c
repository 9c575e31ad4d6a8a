/* form_test.c: fields, sliders, wheels and the keyboard: what a device is told for what a client types. */
#include "made.h"

/* Nothing changes but the wheel, which shows how much was done. */
static void fill_form(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    char turned[16];
    (void)snprintf(turned, sizeof(turned), "v%d", m->effects);
    const struct {
        enum ia_eltype type;
        const char *label, *value, *placeholder;
        unsigned flags;
    } rows[] = {
        {IA_EL_TEXT_FIELD, "Plain", "abc", NULL, 0},
        {IA_EL_TEXT_FIELD, "Focused",
         "d\xC3\xBC"
         "e",
         NULL, IA_NODE_FOCUSED},
        {IA_EL_TEXT_FIELD, "Empty", "Name", "Name", 0},
        {IA_EL_BUTTON, "Button", "abc", NULL, 0},
        {IA_EL_SLIDER, "Percent", "50%", NULL, 0},
        {IA_EL_SLIDER, "Part", "0.25", NULL, 0},
        {IA_EL_PICKER_WHEEL, "Wheel", turned, NULL, 0},
    };
    struct ia_rect at = {0, 50, 200, 40};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++, at.y += 50) {
        struct ia_node *n = made_add(t, window, rows[i].type, at, rows[i].label);
        n->value = ia_tree_text(t, rows[i].value, strlen(rows[i].value));
        n->placeholder = rows[i].placeholder;
        n->flags |= (uint16_t)rows[i].flags;
    }
    made_add(t, window, IA_EL_BUTTON, (struct ia_rect){300, 0, 40, 40}, "Done");
    if (m->n) {
        struct ia_rect keys = {0, 600, 393, 252};
        struct ia_node *keyboard = made_add(t, window, IA_EL_KEYBOARD, keys, "Keys");
        made_add(t, keyboard, IA_EL_BUTTON, (struct ia_rect){300, 800, 80, 40}, "Done");
        made_add(t, window, IA_EL_BUTTON, (struct ia_rect){300, 50, 40, 40}, "Behind");
    }
}

static void a_field_is_touched_unless_it_has_the_keyboard(void **state)
{
    (void)state;
    static const struct made_row rows[] = {
        {"POST", "/element/E(Plain)/value", "{\"value\":[\"x\",\"y\"]}", 200, "null",
         "tap 100,70; type xy; "},
        {"POST", "/element/E(Focused)/value", "{\"text\":\"xy\"}", 200, "null", "type xy; "},
        {"POST", "/element/E(Plain)/value", "{\"value\":[\"x\",5]}", 400, "'value'", ""},
        {"POST", "/element/E(Plain)/value", "{\"value\":5}", 400, "'value'", ""},
        {"POST", "/element/E(Empty)/clear", "{}", 200, "null", ""},
        {"POST", "/element/E(Button)/clear", "{}", 200, "null", ""},
        /* three characters, three times */
        {"POST", "/element/E(Focused)/clear", "{}", 400, "stays as it is",
         "delete 3; delete 3; delete 3; "},
        {"POST", "/wda/element/0/keyboardInput", "{\"keys\":[\"a\",{\"key\":\"b\"}]}", 200,
         "null", "type ab; "},
        {"POST", "/wda/element/E(Plain)/keyboardInput",
         "{\"keys\":[\"XCUIKeyboardKeyDelete\"]}", 200, "null", "tap 100,70; delete 1; "},
        {"POST", "/wda/element/0/keyboardInput", "{\"keys\":[\"XCUIKeyboardKeyF1\"]}", 500,
         "keys[0]", ""},
        {"POST", "/wda/element/0/keyboardInput",
         "{\"keys\":[\"a\",{\"key\":\"b\",\"modifierFlags\":2}]}", 500, "keys[1]", ""},
        {"POST", "/wda/element/0/keyboardInput", "{\"keys\":[]}", 400, "'keys'", ""},
    };
    made_run(fill_form, 0, rows, IA_COUNTOF(rows));
}

static void a_text_has_an_end(void **state)
{
    (void)state;
    enum { MOST = 64 << 10 };
    struct made m;
    char *body = malloc(MOST + 64);
    made_open(&m, fill_form, 0);
    for (int more = 0; more < 2; more++) {
        int n = sprintf(body, "{\"value\":\"");
        memset(body + n, 'x', MOST + (size_t)more);
        (void)sprintf(body + n + MOST + more, "\"}");
        m.effects = 0;
        served_says(&m.s, "POST", "/wda/keys", body, more ? 400 : 200, more ? "65536" : "null");
        assert_int_equal(m.effects, !more);
    }
    /* A key that has no room after a text that takes it all. */
    int n = sprintf(body, "{\"keys\":[\"");
    memset(body + n, 'x', MOST);
    (void)sprintf(body + n + MOST, "\",\"XCUIKeyboardKeyTab\"]}");
    m.effects = 0;
    served_says(&m.s, "POST", "/wda/element/0/keyboardInput", body, 500, "keys[1]");
    assert_int_equal(m.effects, 0);
    free(body);
    served_close(&m.s);
}

static void a_sliders_knob_is_dragged_from_where_it_is(void **state)
{
    (void)state;
    static const struct made_row rows[] = {
        {"POST", "/element/E(Percent)/value", "{\"value\":\"0.75\"}", 200, "null",
         "drag 100,270 150,270 300; "},
        {"POST", "/element/E(Part)/value", "{\"value\":\"1\"}", 200, "null",
         "drag 50,320 199,320 300; "},
        {"POST", "/element/E(Part)/value", "{\"value\":\"0\"}", 200, "null",
         "drag 50,320 1,320 300; "},
        {"POST", "/element/E(Part)/value", "{\"value\":\"1.01\"}", 400, "0..1", ""},
        {"POST", "/element/E(Part)/value", "{\"value\":\"-0.1\"}", 400, "0..1", ""},
        {"POST", "/element/E(Part)/value", "{\"value\":\"0.5x\"}", 400, "0..1", ""},
    };
    made_run(fill_form, 0, rows, IA_COUNTOF(rows));
}

static void a_wheel_turns_until_it_shows_what_is_asked(void **state)
{
    (void)state;
#define PICK "/wda/pickerwheel/E(Wheel)/select"
    static const struct made_row rows[] = {
        {"POST", "/element/E(Wheel)/value", "{\"value\":\"v2\"}", 200, "null",
         "tap 100,378; tap 100,378; "},
        {"POST", PICK, "{\"order\":\"next\"}", 200, "null", "tap 100,378; "},
        {"POST", PICK, "{\"order\":\"previous\",\"offset\":0.25}", 200, "null",
         "tap 100,360; "},
        {"POST", PICK, "{\"order\":\"next\",\"offset\":0.5,\"value\":\"v6\"}", 200, "null",
         "tap 100,390; tap 100,390; "},
        {"POST", PICK, "{\"order\":\"next\",\"value\":\"v9\",\"maxAttempts\":2}", 400,
         "did not change", "tap 100,378; tap 100,378; "},
        {"POST", PICK, "{\"order\":\"next\",\"offset\":0.51}", 400, "'offset'", ""},
        {"POST", PICK, "{\"order\":\"next\",\"offset\":0}", 400, "'offset'", ""},
        {"POST", PICK, "{\"order\":\"first\"}", 400, "'order'", ""},
        {"POST", "/wda/pickerwheel/E(Button)/select", "{\"order\":\"next\"}", 400,
         "XCUIElementTypeButton", ""},
    };
    struct made m;
    made_open(&m, fill_form, 0);
    made_check_all(&m, rows, IA_COUNTOF(rows));
    /* However often a client wants it. */
    m.effects = 0;
    served_says(&m.s, "POST", "/element/E/value", "{}", 400, "invalid argument");
    char uid[64];
    char path[128];
    made_find(&m, "Wheel", uid);
    (void)snprintf(path, sizeof(path), "/wda/pickerwheel/%s/select", uid);
    served_says(&m.s, "POST", path,
                "{\"order\":\"next\",\"value\":\"none\",\"maxAttempts\":100000}", 400,
                "did not change");
    assert_int_equal(m.effects, 120);
    served_close(&m.s);
}

static void a_key_that_dismisses_is_one_of_the_keyboard(void **state)
{
    (void)state;
#define DISMISS "/wda/keyboard/dismiss"
    static const struct made_row without = {"POST", DISMISS, "{\"keyNames\":[\"Done\"]}",
                                            200,    "null",  ""};
    static const struct made_row with[] = {
        {"POST", DISMISS, "{\"keyNames\":[\"Nope\",\"Done\"]}", 200, "null", "tap 340,820; "},
        {"POST", DISMISS, "{\"keyNames\":[\"Behind\"]}", 400, "how to dismiss", ""},
        {"POST", DISMISS, "{}", 400, "how to dismiss", ""},
    };
    struct made m;
    made_open(&m, fill_form, 0);
    made_check(&m, &without);
    m.n = 1;
    made_check_all(&m, with, IA_COUNTOF(with));
    served_close(&m.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_is_touched_unless_it_has_the_keyboard),
        cmocka_unit_test(a_text_has_an_end),
        cmocka_unit_test(a_sliders_knob_is_dragged_from_where_it_is),
        cmocka_unit_test(a_wheel_turns_until_it_shows_what_is_asked),
        cmocka_unit_test(a_key_that_dismisses_is_one_of_the_keyboard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
