/* tree_test.c: trees with what the XML lacks, and alerts by the names of their buttons. */
#include "device_world.h"

#include "test.h"

#include "base/clock.h"

/* ---- trees ------------------------------------------------------------------------------ */

static struct ia_tree *tree_of(struct world *w)
{
    struct ia_tree *t = NULL;
    if (ia_device_tree(w->d, NULL, &t, &w->err) != IA_OK) {
        fail_msg("%s", w->err.msg);
    }
    return t;
}

static struct ia_node *node_of(struct ia_tree *t, enum ia_eltype type)
{
    struct ia_node *n = ia_tree_root(t);
    while (n && n->type != type) {
        n = ia_node_next(n, ia_tree_root(t));
    }
    return n;
}

static void the_field_with_the_keyboard_is_marked(void **state)
{
    (void)state;
    struct world w;
    begin(&w, false);
    w.p.app = SCREEN(
        EL("Other", AT(10, 100, 300, 40) ">")
            EL("TextField", "label='Name'" AT(10, 100, 300, 40) ">")
                EL("Other",
                   AT(10, 100, 300,
                      40) "/>") "</XCUIElementTypeTextField></XCUIElementTypeOther>" KEYBOARD);
    w.p.focus = "{\"x\":10,\"y\":100,\"width\":300,\"height\":40}";
    struct ia_tree *t = tree_of(&w);
    assert_true(node_of(t, IA_EL_TEXT_FIELD)->flags & IA_NODE_FOCUSED);
    assert_false(node_of(t, IA_EL_OTHER)->flags & IA_NODE_FOCUSED);
    ia_tree_free(t);
    w.p.focus = NULL; /* 404: nothing has it, or nobody knows */
    t = tree_of(&w);
    assert_false(node_of(t, IA_EL_TEXT_FIELD)->flags & IA_NODE_FOCUSED);
    ia_tree_free(t);
    w.p.app = SCREEN(BUTTON("a", AT(0, 0, 9, 9)));
    size_t asked = double_count(&w.p, "GET /element/active");
    ia_tree_free(tree_of(&w)); /* no keyboard, no question */
    assert_int_equal(double_count(&w.p, "GET /element/active"), asked);
    end(&w);
}

static void an_alert_of_the_system_takes_the_place_of_the_app(void **state)
{
    (void)state;
    for (int appium = 0; appium < 2; appium++) {
        struct world w;
        begin(&w, appium);
        w.p.buttons = "[\"Allow\"]";
        w.p.system = SCREEN(EL("Alert", "label='May it?'" AT(50, 300, 290, 200) ">") BUTTON(
            "Allow", AT(60, 400, 100, 40)) "</XCUIElementTypeAlert>");
        struct ia_tree *t = tree_of(&w);
        assert_non_null(node_of(t, IA_EL_ALERT));
        ia_tree_free(t);
        assert_string_equal(
            json_string_value(json_object_get(w.p.settings, "defaultActiveApplication")),
            "auto");
        /* What is no alert there is no reason to show SpringBoard. */
        w.p.system = SCREEN(BUTTON("Icon", AT(0, 0, 60, 60)));
        t = tree_of(&w);
        assert_string_equal(node_of(t, IA_EL_BUTTON)->identifier, "add");
        ia_tree_free(t);
        end(&w);
    }
}

static void a_tree_that_shows_an_alert_is_not_asked_for_one(void **state)
{
    (void)state;
    struct world w;
    begin(&w, false);
    w.p.app = SCREEN(EL("Alert", "label='Sure?'" AT(50, 300, 290, 200) "/>"));
    ia_tree_free(tree_of(&w));
    assert_int_equal(double_count(&w.p, "GET /wda/alert/buttons"), 0);
    end(&w);
}

/* The setting would make every later tree SpringBoard's. Here it can neither be changed nor put back, and then
 * the session is lost. */
static void the_look_at_springboard_is_undone_later_if_it_cannot_be_at_once(void **state)
{
    (void)state;
    for (int lost = 0; lost < 2; lost++) {
        struct world w;
        begin(&w, false);
        w.p.buttons = "[\"Allow\"]";
        w.p.trouble = (struct trouble){
            .on = "POST /appium/settings",
            .status = 500,
            .body = "{\"value\":{\"error\":\"unknown error\",\"message\":\"x\"}}"};
        ia_tree_free(tree_of(&w));
        w.p.trouble.on = w.p.buttons = NULL;
        (void)json_object_set_new(w.p.settings, "defaultActiveApplication",
                                  json_string("com.apple.springboard"));
        w.p.system = "<nonsense";
        if (lost) {
            w.p.session[0] = '\0';
        }
        struct ia_tree *t = tree_of(&w);
        assert_string_equal(node_of(t, IA_EL_BUTTON)->identifier, "add");
        ia_tree_free(t);
        assert_string_equal(
            json_string_value(json_object_get(w.p.settings, "defaultActiveApplication")),
            "auto");
        end(&w);
    }
}

static char *deep_tree(int levels)
{
    struct ia_buf b = IA_BUF(1 << 20);
    for (int i = 0; i < levels; i++) {
        ia_buf_puts(&b, i == 0 ? EL("Application", AT(0, 0, 390, 844) ">")
                               : EL("Other", AT(0, 0, 390, 844) ">"));
    }
    for (int i = levels; i > 0; i--) {
        ia_buf_puts(&b, i == 1 ? "</XCUIElementTypeApplication>" : "</XCUIElementTypeOther>");
    }
    return ia_buf_steal(&b);
}

static void a_tree_too_deep_for_xctest_is_asked_for_less_deep(void **state)
{
    (void)state;
    static const struct {
        int deepest, depth;
    } rows[] = {{60, 50}, {40, 30}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct world w;
        char why[80];
        begin(&w, false);
        char *cut = deep_tree(rows[i].depth + 1);
        w.p.app = cut;
        w.p.deepest = rows[i].deepest;
        struct ia_tree *t = tree_of(&w);
        (void)snprintf(why, sizeof(why), "WebDriverAgent's depth limit %d", rows[i].depth);
        assert_true(ia_tree_truncated(t));
        assert_string_equal(ia_tree_truncated_by(t), why);
        ia_tree_free(t);
        size_t asked = double_count(&w.p, "GET /source");
        ia_tree_free(tree_of(&w)); /* the depth stays */
        assert_int_equal(double_count(&w.p, "GET /source"), asked + 1);
        end(&w);
        free(cut);
    }
}

#define STALE                                                                                  \
    "{\"value\":{\"error\":\"stale element reference\",\"message\":\"The previously found "    \
    "element is not present in the current view anymore\"}}"

static json_int_t depth_of(struct world *w)
{
    return json_integer_value(json_object_get(w->p.settings, "snapshotMaxDepth"));
}

/* An app that comes up is called stale, whatever the depth. */
static void a_passing_trouble_lowers_the_depth_for_as_long_as_it_lasts(void **state)
{
    (void)state;
    for (int appium = 0; appium < 2; appium++) {
        struct world w;
        begin(&w, appium);
        w.p.trouble =
            (struct trouble){.on = "GET /source", .times = 2, .status = 404, .body = STALE};
        ia_tree_free(tree_of(&w));
        assert_int_equal(double_count(&w.p, "GET /source"), 3);
        assert_int_equal(depth_of(&w), 62);
        char *xml = deep_tree(56);
        w.p.app = xml;
        struct ia_tree *t = tree_of(&w);
        assert_false(ia_tree_truncated(t));
        ia_tree_free(t);
        end(&w);
        free(xml);
    }
}

/* Whatever it calls it: a server whose every tree is too deep at first is not asked so for ever. */
static void a_depth_that_keeps_failing_stays_low(void **state)
{
    (void)state;
    struct world w;
    begin(&w, false);
    for (int i = 0; i < 10; i++) {
        w.p.trouble = (struct trouble){.on = depth_of(&w) == 62 ? "GET /source" : NULL,
                                       .times = 1,
                                       .status = 404,
                                       .body = STALE};
        ia_tree_free(tree_of(&w));
    }
    assert_int_equal(depth_of(&w), 50);
    end(&w);
}

/* One more than that is no number of ours. */
static void a_depth_that_no_phone_has_is_not_believed(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        int levels;
        bool cut;
    } rows[] = {{"{\"value\":{\"snapshotMaxDepth\":2147483647}}", 63, true},
                {"{\"value\":{\"snapshotMaxDepth\":4294967297}}", 63, true},
                {"{\"value\":{\"snapshotMaxDepth\":-5}}", 2, true},
                {"{\"value\":{\"snapshotMaxDepth\":10}}", 11, true},
                {"{\"value\":{\"snapshotMaxDepth\":10}}", 10, false}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct world w = {.d = NULL};
        char *xml = deep_tree(rows[i].levels);
        double_start(&w.p, false);
        w.p.trouble = (struct trouble){
            .on = "POST /appium/settings", .times = 1, .status = 200, .body = rows[i].answer};
        w.d = double_open(&w.p, (struct ia_wda_options){.url = NULL});
        w.p.app = xml;
        struct ia_tree *t = tree_of(&w);
        assert_int_equal(ia_tree_truncated(t), rows[i].cut);
        ia_tree_free(t);
        end(&w);
        free(xml);
    }
}

static void a_tree_too_deep_at_any_depth_is_an_error(void **state)
{
    (void)state;
    struct world w;
    struct ia_tree *t = NULL;
    begin(&w, false);
    w.p.deepest = 20;
    assert_int_equal(ia_device_tree(w.d, NULL, &t, &w.err), IA_E_DEVICE);
    assert_int_equal(double_count(&w.p, "GET /source"), 3);
    end(&w);
}

static void a_tree_below_the_limit_is_whole(void **state)
{
    (void)state;
    struct world w;
    begin(&w, false);
    char *xml = deep_tree(62);
    w.p.app = xml;
    struct ia_tree *t = tree_of(&w);
    assert_false(ia_tree_truncated(t));
    ia_tree_free(t);
    end(&w);
    free(xml);
}

/* It costs a request to the app for each element. */
static void visible_is_left_out_after_a_slow_source(void **state)
{
    (void)state;
    for (int appium = 0; appium < 2; appium++) {
        struct ia_vclock *clock = ia_vclock_new(0);
        struct world w = {.d = NULL};
        double_start(&w.p, appium);
        w.d = double_open(&w.p, (struct ia_wda_options){.clock = ia_vclock_clock(clock)});
        w.p.clock = clock;
        w.p.slow_ms = 2900;
        ia_tree_free(tree_of(&w));
        ia_tree_free(tree_of(&w));
        w.p.slow_ms = 3100;
        ia_tree_free(tree_of(&w));
        size_t slow = peer_count(w.p.peer);
        ia_tree_free(tree_of(&w));
        const char *path = NULL;
        for (size_t i = 0; i < peer_count(w.p.peer); i++) {
            const char *p = strstr(peer_request(w.p.peer, i)->path, "/source");
            path = p ? p : path;
            assert_true(i >= slow || !p || !strstr(p, "visible"));
        }
        assert_string_equal(path, appium ? "/source"
                                         : "/source?format=xml&excluded_attributes="
                                           "accessible,visible");
        const char *excluded =
            json_string_value(json_object_get(w.p.settings, "pageSourceExcludedAttributes"));
        assert_true(!appium || strcmp(excluded, "accessible,visible") == 0);
        end(&w);
        ia_vclock_free(clock);
    }
}

/* ---- alerts ----------------------------------------------------------------------------- */

#define ALERT(inside)                                                                          \
    SCREEN(EL("Alert", AT(50, 300, 290, 200) ">") inside "</XCUIElementTypeAlert>")

static void an_alert_is_answered_by_the_name_of_a_button(void **state)
{
    (void)state;
    static const struct {
        const char *buttons, *app;
        enum ia_alert_action action;
        const char *label;
        const char *request, *name; /* name NULL: refused with rc */
        enum ia_rc rc;
    } rows[] = {
        {"[\"OK\"]", NULL, IA_ALERT_ACCEPT, NULL, "POST /alert/accept", "OK", IA_OK},
        {"[\"OK\"]", NULL, IA_ALERT_DISMISS, NULL, "POST /alert/dismiss", "OK", IA_OK},
        {"[\"Don't\",\"Allow\"]", NULL, IA_ALERT_BUTTON, "Allow", "POST /alert/accept", "Allow",
         IA_OK},
        {"[\"A\",\"B\"]", NULL, IA_ALERT_BUTTON, "C", NULL, NULL, IA_E_NOT_FOUND},
        {NULL, NULL, IA_ALERT_ACCEPT, NULL, NULL, NULL, IA_E_NO_ALERT},
        {NULL, NULL, IA_ALERT_BUTTON, "OK", NULL, NULL, IA_E_NO_ALERT},
        /* in a row the right one accepts, whichever order they are named in */
        {"[\"Cancel\",\"Turn Off\"]",
         ALERT(BUTTON("Cancel", AT(60, 400, 100, 40))
                   BUTTON("Turn Off", AT(200, 400, 100, 40))),
         IA_ALERT_ACCEPT, NULL, "POST /alert/accept", "Turn Off", IA_OK},
        {"[\"Turn Off\",\"Cancel\"]",
         ALERT(BUTTON("Turn Off", AT(200, 400, 100, 40))
                   BUTTON("Cancel", AT(60, 400, 100, 40))),
         IA_ALERT_DISMISS, NULL, "POST /alert/dismiss", "Cancel", IA_OK},
        /* in a column the upper one */
        {"[\"Discard\",\"Keep\"]",
         ALERT(BUTTON("Discard", AT(60, 400, 200, 40)) BUTTON("Keep", AT(60, 450, 200, 40))),
         IA_ALERT_ACCEPT, NULL, "POST /alert/accept", "Discard", IA_OK},
        {"[\"Discard\",\"Keep\"]",
         ALERT(BUTTON("Discard", AT(60, 400, 200, 40)) BUTTON("Keep", AT(60, 450, 200, 40))),
         IA_ALERT_DISMISS, NULL, "POST /alert/dismiss", "Keep", IA_OK},
        /* the permission that "accept" without a name denies */
        {"[\"Allow Once\",\"Allow While Using App\",\"Don't Allow\"]",
         ALERT(BUTTON("Allow Once", AT(60, 350, 200, 40))
                   BUTTON("Allow While Using App", AT(60, 400, 200, 40))
                       BUTTON("Don&apos;t Allow", AT(60, 450, 200, 40))),
         IA_ALERT_ACCEPT, NULL, NULL, NULL, IA_E_USAGE},
        {"[\"Allow Once\",\"Allow While Using App\",\"Don't Allow\"]",
         ALERT(BUTTON("Allow Once", AT(60, 350, 200, 40))
                   BUTTON("Allow While Using App", AT(60, 400, 200, 40))
                       BUTTON("Don&apos;t Allow", AT(60, 450, 200, 40))),
         IA_ALERT_DISMISS, NULL, "POST /alert/dismiss", "Don't Allow", IA_OK},
        /* not on the screen: nobody can tell */
        {"[\"One\",\"Two\"]", SCREEN(BUTTON("Three", AT(0, 0, 9, 9))), IA_ALERT_ACCEPT, NULL,
         NULL, NULL, IA_E_USAGE},
        {"[\"\"]", NULL, IA_ALERT_ACCEPT, NULL, NULL, NULL, IA_E_USAGE},
        {"[]", NULL, IA_ALERT_ACCEPT, NULL, NULL, NULL, IA_E_NO_ALERT},
        {"{}", NULL, IA_ALERT_ACCEPT, NULL, NULL, NULL, IA_E_NO_ALERT},
        {"[1,null]", NULL, IA_ALERT_ACCEPT, NULL, NULL, NULL, IA_E_USAGE},
    };
    for (size_t i = 0; i < 2 * IA_COUNTOF(rows); i++) {
        size_t k = i / 2;
        bool appium = i % 2;
        struct world w;
        begin(&w, appium);
        w.p.buttons = rows[k].buttons;
        w.p.app = rows[k].app ? rows[k].app : w.p.app;
        enum ia_rc rc = ia_device_alert(w.d, NULL, rows[k].action, rows[k].label, &w.err);
        if (rc != rows[k].rc) {
            fail_msg("row %zu: %s %s", k, ia_rc_name(rc), w.err.msg);
        }
        if (rows[k].name) {
            json_t *args = double_last(&w.p, rows[k].request);
            assert_string_equal(
                json_string_value(json_object_get(args, appium ? "buttonLabel" : "name")),
                rows[k].name);
            json_decref(args);
        } else {
            assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
            assert_int_equal(double_count(&w.p, "POST /alert/accept") +
                                 double_count(&w.p, "POST /alert/dismiss"),
                             0);
        }
        assert_true(rows[k].rc != IA_E_USAGE || strstr(w.err.hint, "its buttons: "));
        end(&w);
    }
}

static void names_of_buttons_are_told_on_one_line(void **state)
{
    (void)state;
    struct world w;
    begin(&w, false);
    w.p.buttons = "[\"A\\u001b[31m\\nhint: tap B\",\"B\",\"C\\u009b\"]";
    assert_int_equal(ia_device_alert(w.d, NULL, IA_ALERT_ACCEPT, NULL, &w.err), IA_E_USAGE);
    assert_non_null(strstr(w.err.hint, "hint: tap B\", \"B\""));
    assert_null(strpbrk(w.err.hint, "\x1b\n"));
    assert_null(strstr(w.err.hint, "\xc2\x9b"));
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_field_with_the_keyboard_is_marked),
        cmocka_unit_test(an_alert_of_the_system_takes_the_place_of_the_app),
        cmocka_unit_test(a_tree_that_shows_an_alert_is_not_asked_for_one),
        cmocka_unit_test(the_look_at_springboard_is_undone_later_if_it_cannot_be_at_once),
        cmocka_unit_test(a_tree_too_deep_for_xctest_is_asked_for_less_deep),
        cmocka_unit_test(a_passing_trouble_lowers_the_depth_for_as_long_as_it_lasts),
        cmocka_unit_test(a_depth_that_keeps_failing_stays_low),
        cmocka_unit_test(a_depth_that_no_phone_has_is_not_believed),
        cmocka_unit_test(a_tree_too_deep_at_any_depth_is_an_error),
        cmocka_unit_test(a_tree_below_the_limit_is_whole),
        cmocka_unit_test(visible_is_left_out_after_a_slow_source),
        cmocka_unit_test(an_alert_is_answered_by_the_name_of_a_button),
        cmocka_unit_test(names_of_buttons_are_told_on_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
