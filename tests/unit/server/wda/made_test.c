/* made_test.c: screens that are made here: elements that are many, alike or gone, alerts and sheets; and what
 * the device is told. */
#include "served.h"
#include "server/wda/wda_impl.h"

#include <stdarg.h>

enum { LOG_SIZE = 4096 };

struct made {
    struct served s;
    void (*fill)(const struct made *m, struct ia_tree *t, struct ia_node *window);
    int n;              /* fill's */
    int effects;        /* that were done */
    int most;           /* the one after these fails and sends nothing; 0: none fails */
    char log[LOG_SIZE]; /* what the device was told, "tap 1,2; " and so on */
};

static struct made *made_of(struct ia_device *d)
{
    return (struct made *)((char *)d - offsetof(struct made, s.device));
}

static enum ia_rc told(struct ia_device *d, struct ia_err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum ia_rc told(struct ia_device *d, struct ia_err *err, const char *format, ...)
{
    struct made *m = made_of(d);
    size_t len = strlen(m->log);
    va_list args;
    if (m->most > 0 && m->effects == m->most) {
        return ia_device_not_sent(ia_err_set(err, IA_E_DEVICE, "no"), err);
    }
    m->effects++;
    va_start(args, format);
    (void)vsnprintf(m->log + len, sizeof(m->log) - len, format, args);
    va_end(args);
    return IA_OK;
}

static enum ia_rc made_tree(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_tree **ret_tree, struct ia_err *err)
{
    struct made *m = made_of(d);
    struct ia_rect all = {0, 0, 393, 852};
    struct ia_tree *t = ia_tree_new();
    struct ia_node *root = ia_tree_add(t, NULL, IA_EL_APPLICATION, all);
    (void)deadline;
    (void)err;
    ia_tree_set_app(t, "com.example.made");
    m->fill(m, t, ia_tree_add(t, root, IA_EL_WINDOW, all));
    *ret_tree = t;
    return IA_OK;
}

static enum ia_rc told_tap(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_point at, struct ia_err *err)
{
    (void)deadline;
    return told(d, err, "tap %g,%g; ", at.x, at.y);
}

static enum ia_rc told_alert(struct ia_device *d, const struct ia_deadline *deadline,
                             enum ia_alert_action action, const char *label, struct ia_err *err)
{
    (void)deadline;
    return told(d, err, "alert %d %s; ", action, label ? label : "-");
}

static enum ia_rc told_press(struct ia_device *d, const struct ia_deadline *deadline,
                             enum ia_button button, struct ia_err *err)
{
    (void)deadline;
    return told(d, err, "press %d; ", button);
}

static enum ia_rc told_delete(struct ia_device *d, const struct ia_deadline *deadline,
                              int count, struct ia_err *err)
{
    (void)deadline;
    return told(d, err, "delete %d; ", count);
}

#define TOLD_TEXT(name)                                                                        \
    static enum ia_rc told_##name(struct ia_device *d, const struct ia_deadline *deadline,     \
                                  const char *text, struct ia_err *err)                        \
    {                                                                                          \
        (void)deadline;                                                                        \
        return told(d, err, #name " %s; ", text);                                              \
    }
TOLD_TEXT(launch)
TOLD_TEXT(terminate)
TOLD_TEXT(open_url)

static void made_open(struct made *m,
                      void (*fill)(const struct made *, struct ia_tree *, struct ia_node *),
                      int n)
{
    *m = (struct made){.fill = fill, .n = n};
    served_open(&m->s);
    m->s.device.ops.tree = made_tree;
    m->s.device.ops.tap = told_tap;
    m->s.device.ops.alert = told_alert;
    m->s.device.ops.press = told_press;
    m->s.device.ops.delete_text = told_delete;
    m->s.device.ops.launch = told_launch;
    m->s.device.ops.terminate = told_terminate;
    m->s.device.ops.open_url = told_open_url;
    served_start(&m->s, NULL);
    served_session(&m->s);
}

/* The request is answered so, and the device was told this and no more. */
static void tells(struct made *m, const char *method, const char *path, const char *body,
                  const char *text, const char *log)
{
    m->log[0] = '\0';
    served_says(&m->s, method, path, body, 200, text);
    assert_string_equal(m->log, log);
}

static struct ia_node *add(struct ia_tree *t, struct ia_node *parent, enum ia_eltype type,
                           struct ia_rect frame, const char *label)
{
    struct ia_node *n = ia_tree_add(t, parent, type, frame);
    n->label = ia_tree_text(t, label, strlen(label));
    return n;
}

/* ---- elements ----------------------------------------------------------------------------- */

enum { KNOWN = 1024 };

static void fill_different(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    for (int i = 0; i < m->n; i++) {
        char label[16];
        (void)snprintf(label, sizeof(label), "b%d", i);
        add(t, window, IA_EL_BUTTON, (struct ia_rect){i % 10 * 30, 60, 20, 20}, label);
    }
}

static void fill_alike(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    for (int i = 0; i < m->n; i++) {
        add(t, window, IA_EL_BUTTON, (struct ia_rect){10, 60 + i * 50, 80, 40}, "Delete");
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
    assert_int_equal(json_array_size(r->value), m->n);
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

/* ---- alerts ------------------------------------------------------------------------------- */

/* n: the type. */
static void fill_alert(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    static const char *const labels[] = {"Left", "Middle", "Right"};
    struct ia_node *alert =
        add(t, window, (enum ia_eltype)m->n, (struct ia_rect){60, 300, 270, 200}, "Title");
    add(t, alert, IA_EL_STATIC_TEXT, (struct ia_rect){70, 310, 250, 30}, "Sure?");
    for (int i = 0; i < 3; i++) {
        add(t, alert, IA_EL_BUTTON, (struct ia_rect){60 + i * 90, 450, 90, 44}, labels[i]);
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
        made_open(&m, fill_alert, rows[i].type);
        tells(&m, "POST", rows[i].path, "{}", "null", rows[i].log);
        tells(&m, "POST", rows[i].path, "{\"name\":\"Middle\"}", "null", "alert 2 Middle; ");
        served_close(&m.s);
    }
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
        tells(&m, "POST", "/appium/settings", body, rows[i].action, "");
        tells(&m, "GET", "/alert/text", NULL, "Sure?", "");
        tells(&m, "GET", "/wda/alert/buttons", NULL, "Middle", "");
        tells(&m, "POST", "/alert/accept", "{\"name\":\"Middle\"}", "null", "alert 2 Middle; ");
        tells(&m, "GET", "/window/rect", NULL, "393", rows[i].log);
        served_close(&m.s);
    }
}

/* ---- fingers ------------------------------------------------------------------------------ */

static void fingers_tap_as_often_as_they_are_told(void **state)
{
    (void)state;
#define TOUCH "{\"type\":\"pointerDown\"},{\"type\":\"pointerUp\"}"
#define ACTIONS(items)                                                                         \
    "{\"actions\":[{\"type\":\"pointer\",\"id\":\"f\",\"parameters\":{\"pointerType\":"        \
    "\"touch\"},\"actions\":[{\"type\":\"pointerMove\",\"x\":10,\"y\":20}," items "]}]}"
    struct made m;
    made_open(&m, fill_alike, 1);
    tells(&m, "POST", "/actions", ACTIONS(TOUCH), "null", "tap 10,20; ");
    tells(&m, "POST", "/actions", ACTIONS(TOUCH "," TOUCH), "null", "tap 10,20; tap 10,20; ");
    tells(&m, "POST", "/wda/tap", "{\"x\":1,\"y\":2}", "null", "tap 1,2; ");
    tells(&m, "POST", "/wda/doubleTap", "{\"x\":1,\"y\":2}", "null", "tap 1,2; tap 1,2; ");
    served_close(&m.s);
}

/* ---- what was done before a failure -------------------------------------------------------- */

/* A wheel that turns with each tap, and a field that stays as it is. */
static void fill_form(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    char value[16];
    int n = snprintf(value, sizeof(value), "v%d", m->effects);
    struct ia_node *wheel =
        add(t, window, IA_EL_PICKER_WHEEL, (struct ia_rect){10, 60, 100, 100}, "Wheel");
    struct ia_node *field =
        add(t, window, IA_EL_TEXT_FIELD, (struct ia_rect){10, 200, 100, 40}, "Field");
    wheel->value = ia_tree_text(t, value, (size_t)n);
    field->value = ia_tree_text(t, "abc", 3);
    field->flags |= IA_NODE_FOCUSED;
}

static void found(struct made *m, const char *name, char ret_uid[64])
{
    struct said r;
    char path[128];
    char body[128];
    (void)snprintf(path, sizeof(path), "/session/%s/element", m->s.session);
    (void)snprintf(body, sizeof(body), "{\"using\":\"name\",\"value\":\"%s\"}", name);
    served_ask(&m->s, "POST", path, body, &r);
    assert_int_equal(r.status, 200);
    (void)snprintf(ret_uid, 64, "%s", json_string_value(json_object_get(r.value, "ELEMENT")));
    said_fini(&r);
}

static void a_failure_after_an_effect_is_none_that_sent_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *name, *before, *behind, *body, *log;
    } rows[] = {
        {"Wheel", "/element/", "/value", "{\"value\":\"v9\"}", "tap 60,130; "},
        {"Wheel", "/wda/pickerwheel/", "/select", "{\"order\":\"previous\",\"value\":\"v9\"}",
         "tap 60,90; "},
        {"Field", "/element/", "/clear", "{}", "delete 3; "},
        {NULL, "/wda/deactivateApp", "", "{\"duration\":0}", "press 0; "},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct made m;
        char uid[64] = "";
        char path[128];
        made_open(&m, fill_form, 0);
        if (rows[i].name) {
            found(&m, rows[i].name, uid);
        }
        m.most = 1;
        (void)snprintf(path, sizeof(path), "%s%s%s", rows[i].before, uid, rows[i].behind);
        served_says(&m.s, "POST", path, rows[i].body, 500, "DEVICE sent");
        assert_string_equal(m.log, rows[i].log);
        served_says(&m.s, "POST", path, rows[i].body, 500, "DEVICE not_sent");
        served_close(&m.s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_element_that_was_used_longest_ago_makes_room),
        cmocka_unit_test(an_element_is_stale_when_more_or_fewer_are_like_it),
        cmocka_unit_test(the_last_button_of_an_alert_accepts_and_the_first_of_a_sheet),
        cmocka_unit_test(a_default_action_leaves_alerts_to_who_asks_for_them),
        cmocka_unit_test(a_failure_after_an_effect_is_none_that_sent_nothing),
        cmocka_unit_test(fingers_tap_as_often_as_they_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
