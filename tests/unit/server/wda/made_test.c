/* made_test.c: elements that are many or alike, and what is said of a failure after an effect. */
#include "made.h"
#include "server/wda/wda_impl.h"

/* ---- elements ----------------------------------------------------------------------------- */

enum { KNOWN = 1024 };

static void fill_different(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    for (int i = 0; i < m->n; i++) {
        char label[16];
        (void)snprintf(label, sizeof(label), "b%d", i);
        made_add(t, window, IA_EL_BUTTON, (struct ia_rect){i % 10 * 30, 60, 20, 20}, label);
    }
}

static void fill_alike(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    for (int i = 0; i < m->n; i++) {
        made_add(t, window, IA_EL_BUTTON, (struct ia_rect){10, 60 + i * 50, 80, 40}, "Delete");
    }
}

enum { AS_FOUND, ONE_BEFORE, IN_A_GROUP };

/* Two that are alike: as they were; with another element before them; both elsewhere. */
static void fill_moved(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    struct ia_node *in = window;
    if (m->n == IN_A_GROUP) {
        in = made_add(t, window, IA_EL_GROUP, (struct ia_rect){0, 0, 393, 852}, "Group");
    }
    for (int i = 0; i < 3; i++) {
        struct ia_rect at = {10, 60 + i * 50, 80, 40};
        bool here = m->n == ONE_BEFORE ? i > 0 : i < 2;
        made_add(t, in, here ? IA_EL_BUTTON : IA_EL_STATIC_TEXT, at, here ? "Delete" : "Text");
    }
}

/* The ids of all buttons. */
static json_t *buttons(struct made *m, struct said *r)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "/session/%s/elements", m->s.session);
    served_ask(&m->s, "POST", path,
               "{\"using\":\"class name\",\"value\":\"XCUIElementTypeButton\"}", r);
    assert_int_equal(r->status, 200);
    return r->value;
}

static void rect_of(struct made *m, const json_t *found, size_t i, int status, const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "/element/%s/rect",
                   json_string_value(json_object_get(json_array_get(found, i), "ELEMENT")));
    served_says(&m->s, "GET", path, NULL, status, text);
}

static void the_element_that_was_used_longest_ago_makes_room(void **state)
{
    (void)state;
    struct made m;
    struct said r;
    made_open(&m, fill_different, KNOWN);
    const json_t *found = buttons(&m, &r);
    m.n = KNOWN + 1;
    rect_of(&m, found, 0, 200, "\"x\": 0");
    served_says(&m.s, "POST", "/element", "{\"using\":\"name\",\"value\":\"b1024\"}", 200,
                "ELEMENT");
    rect_of(&m, found, 1, 404, "has expired from the internal cache");
    rect_of(&m, found, 0, 200, "\"x\": 0");
    rect_of(&m, found, 2, 200, "\"x\": 60");
    rect_of(&m, found, KNOWN - 1, 200, "\"x\": 90");
    said_fini(&r);
    served_close(&m.s);
}

static void an_element_is_stale_when_more_or_fewer_are_like_it(void **state)
{
    (void)state;
    for (int n = 1; n <= 3; n += 2) {
        struct made m;
        struct said r;
        made_open(&m, fill_alike, 2);
        const json_t *found = buttons(&m, &r);
        rect_of(&m, found, 0, 200, "\"y\": 60");
        m.n = n;
        rect_of(&m, found, 0, 404, "not present in the current view anymore");
        m.n = 2;
        rect_of(&m, found, 0, 404, "has expired from the internal cache");
        rect_of(&m, found, 1, 200, "\"y\": 110");
        said_fini(&r);
        served_close(&m.s);
    }
}

static void an_element_that_moved_is_never_taken_for_another(void **state)
{
    (void)state;
    struct made m;
    struct said r;
    made_open(&m, fill_moved, AS_FOUND);
    const json_t *all = buttons(&m, &r);
    assert_int_equal(json_array_size(all), 2);
    m.n = IN_A_GROUP;
    rect_of(&m, all, 0, 200, "\"y\": 60");
    rect_of(&m, all, 1, 200, "\"y\": 110");
    /* Where the second one was is the first one now, or the second one while the first has gone. */
    m.n = ONE_BEFORE;
    rect_of(&m, all, 1, 404, "not present in the current view anymore");
    said_fini(&r);
    served_close(&m.s);
}

/* ---- what was done before a failure -------------------------------------------------------- */

/* A wheel that turns with each tap, and a field that stays as it is. */
static void fill_form(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    char value[16];
    int n = snprintf(value, sizeof(value), "v%d", m->effects);
    struct ia_node *wheel =
        made_add(t, window, IA_EL_PICKER_WHEEL, (struct ia_rect){10, 60, 100, 100}, "Wheel");
    struct ia_node *field =
        made_add(t, window, IA_EL_TEXT_FIELD, (struct ia_rect){10, 200, 100, 40}, "Field");
    wheel->value = ia_tree_text(t, value, (size_t)n);
    field->value = ia_tree_text(t, "abc", 3);
    field->flags |= IA_NODE_FOCUSED;
}

static void a_failure_after_an_effect_is_none_that_sent_nothing(void **state)
{
    (void)state;
    static const struct made_row rows[] = {
        {"POST", "/element/E(Wheel)/value", "{\"value\":\"v9\"}", 500, "DEVICE sent",
         "tap 60,130; "},
        {"POST", "/wda/pickerwheel/E(Wheel)/select",
         "{\"order\":\"previous\",\"value\":\"v9\"}", 500, "DEVICE sent", "tap 60,90; "},
        {"POST", "/element/E(Field)/clear", "{}", 500, "DEVICE sent", "delete 3; "},
        {"POST", "/wda/keys", "{\"value\":\"a\\b\"}", 500, "DEVICE sent", "type a; "},
        {"POST", "/wda/deactivateApp", "{\"duration\":0}", 500, "DEVICE sent", "press 0; "},
    };
    struct made m;
    made_open(&m, fill_form, 0);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct made_row none = rows[i];
        none.text = "DEVICE not_sent";
        none.log = "";
        m.effects = 0;
        m.most = 1;
        made_check(&m, &rows[i]);
        made_check(&m, &none);
    }
    served_close(&m.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_element_that_was_used_longest_ago_makes_room),
        cmocka_unit_test(an_element_is_stale_when_more_or_fewer_are_like_it),
        cmocka_unit_test(an_element_that_moved_is_never_taken_for_another),
        cmocka_unit_test(a_failure_after_an_effect_is_none_that_sent_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
