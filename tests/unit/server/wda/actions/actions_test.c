/* W3C actions: what each way of a finger is, what keys type, what is refused. */
#include "test.h"

#include "base/buf.h"
#include "server/wda/actions/actions.h"

static enum ia_rc middle(void *ctx, struct ia_str id, struct ia_point *ret, struct ia_err *err)
{
    (void)ctx;
    if (!ia_str_is(id, "E1")) {
        return ia_err_set(err, IA_E_STALE_REF, "no element %.*s", (int)id.n, id.p);
    }
    *ret = (struct ia_point){100, 200};
    return IA_OK;
}

static const char *const kinds[] = {"tap", "double", "long", "drag", "type", "delete"};

static void put_act(struct ia_buf *out, const struct ia_wda_act *a)
{
    ia_buf_printf(out, "%s%s", out->len ? "; " : "", kinds[a->kind]);
    if (a->kind == IA_WDA_ACT_TYPE) {
        ia_buf_printf(out, " '%s'", a->text);
    } else if (a->kind == IA_WDA_ACT_DELETE) {
        ia_buf_printf(out, " %d", a->count);
    } else {
        ia_buf_printf(out, " %g,%g", a->from.x, a->from.y);
    }
    if (a->kind == IA_WDA_ACT_LONG_PRESS) {
        ia_buf_printf(out, " for %d", a->press_ms);
    } else if (a->kind == IA_WDA_ACT_DRAG) {
        ia_buf_printf(out, " %g,%g %d+%d+%d", a->to.x, a->to.y, a->press_ms, a->move_ms,
                      a->hold_ms);
    }
    ia_buf_printf(out, " @%d", a->at_ms);
}

/* What is to be done, or the code and message of the error. ' stands for " in the JSON. */
static const char *decoded(const char *json)
{
    static char out[4000];
    char *text = strdup(json);
    for (char *p = text; *p; p++) {
        *p = (char)(*p == '\'' ? '"' : *p);
    }
    json_t *actions = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(actions);
    struct ia_wda_where where = {middle, NULL};
    struct ia_wda_acts acts = {0};
    struct ia_err err;
    enum ia_rc rc = ia_wda_actions_read(actions, &where, &acts, &err);
    struct ia_buf b = IA_BUF(sizeof(out) - 1);
    if (rc != IA_OK) {
        ia_buf_printf(&b, "%s: %s", ia_rc_name(rc), err.msg);
        assert_int_equal(acts.n, 0);
    }
    for (size_t i = 0; i < acts.n; i++) {
        put_act(&b, &acts.at[i]);
    }
    snprintf(out, sizeof(out), "%s", ia_buf_cstr(&b));
    ia_buf_fini(&b);
    ia_wda_acts_free(&acts);
    json_decref(actions);
    free(text);
    return out;
}

struct decoded_case {
    const char *items, *want;
};

/* The items of one source of that type. */
static void every(const char *type, const struct decoded_case *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char json[4000];
        snprintf(json, sizeof(json),
                 "[{'type':'%s','id':'f','parameters':{'pointerType':'touch'},'actions':[%s]}]",
                 type, rows[i].items);
        const char *got = decoded(json);
        if (strcmp(got, rows[i].want) != 0) {
            fail_msg("%s\n  is  %s\n  not %s", rows[i].items, got, rows[i].want);
        }
    }
}

#define MOVE(x, y, ms) "{'type':'pointerMove','duration':" #ms ",'x':" #x ",'y':" #y "}"
#define DOWN "{'type':'pointerDown','button':0}"
#define UP "{'type':'pointerUp','button':0}"
#define PAUSE(ms) "{'type':'pause','duration':" #ms "}"
#define TOUCH DOWN "," UP

static void a_way_is_a_tap_a_press_or_a_drag(void **state)
{
    (void)state;
    static const struct decoded_case rows[] = {
        {MOVE(10, 20, 250) "," TOUCH, "tap 10,20 @250"},
        {PAUSE(50) "," MOVE(10, 20, 0) "," TOUCH, "tap 10,20 @50"},
        {MOVE(10, 20, 0) "," DOWN "," PAUSE(499) "," UP, "tap 10,20 @0"},
        {MOVE(10, 20, 0) "," DOWN "," PAUSE(500) "," UP, "long 10,20 for 500 @0"},
        {MOVE(10, 20, 0) "," DOWN "," MOVE(16, 20, 100) "," UP, "tap 10,20 @0"},
        {MOVE(10, 20, 0) "," DOWN "," MOVE(17, 20, 100) "," UP, "drag 10,20 17,20 0+100+0 @0"},
        {MOVE(10, 20, 0) "," TOUCH "," PAUSE(300) "," TOUCH, "double 10,20 @0"},
        {MOVE(10, 20, 0) "," TOUCH "," PAUSE(301) "," TOUCH, "tap 10,20 @0; tap 10,20 @301"},
        {MOVE(10, 20, 0) "," TOUCH "," MOVE(30, 20, 0) "," TOUCH, "double 10,20 @0"},
        {MOVE(10, 20, 0) "," TOUCH "," MOVE(31, 20, 0) "," TOUCH, "tap 10,20 @0; tap 31,20 @0"},
        {MOVE(10, 20, 0) "," TOUCH "," TOUCH "," TOUCH, "double 10,20 @0; tap 10,20 @0"},
        {MOVE(10, 20, 0) "," TOUCH "," DOWN "," PAUSE(900) "," UP,
         "tap 10,20 @0; long 10,20 for 900 @0"},
        {MOVE(10, 20, 100) "," DOWN "," PAUSE(700) "," MOVE(10, 220, 300) "," PAUSE(50) "," UP,
         "drag 10,20 10,220 700+300+50 @100"},
        /* several steps of one way */
        {MOVE(0, 0, 0) "," DOWN "," MOVE(50, 1, 100) "," PAUSE(20) "," MOVE(100, 0, 100) "," UP,
         "drag 0,0 100,0 0+220+0 @0"},
        {MOVE(0, 0, 0) "," DOWN
                       "," MOVE(0, 0, 100) "," MOVE(100, 0, 100) "," MOVE(100, 0, 30) "," UP,
         "drag 0,0 100,0 100+100+30 @0"},
        /* nobody lifts it */
        {MOVE(10, 20, 0) "," DOWN "," PAUSE(600), "long 10,20 for 600 @0"},
        {MOVE(10, 20, 0) "," DOWN "," DOWN "," UP "," UP, "tap 10,20 @0"},
        {MOVE(10, 20, 0), ""},
        {MOVE(10, 20, 0) "," UP, ""},
        {"", ""},
    };
    every("pointer", rows, IA_COUNTOF(rows));
}

static void a_place_has_an_origin(void **state)
{
    (void)state;
#define AT(rest) "{'type':'pointerMove'," rest "}"
    static const struct decoded_case rows[] = {
        {AT("'x':1,'y':2,'origin':'viewport'") "," TOUCH, "tap 1,2 @0"},
        {AT("'x':1.5,'y':-2,'origin':'viewport'") "," TOUCH, "tap 1.5,-2 @0"},
        {MOVE(10, 20, 0) "," AT("'x':5,'y':-5,'origin':'pointer'") "," TOUCH, "tap 15,15 @0"},
        {MOVE(10, 20, 0) "," AT("'origin':'pointer'") "," TOUCH, "tap 10,20 @0"},
        {AT("'x':5,'y':6,'origin':{'element-6066-11e4-a52e-4f735466cecf':'E1'}") "," TOUCH,
         "tap 105,206 @0"},
        {AT("'x':5,'y':6,'origin':{'ELEMENT':'E1'}") "," TOUCH, "tap 105,206 @0"},
        {AT("'origin':'E1'") "," TOUCH, "tap 100,200 @0"},
        {AT("'x':0,'y':0,'origin':{'ELEMENT':'E2'}") "," TOUCH, "STALE_REF: no element E2"},
        {AT("'x':0,'y':0,'origin':'E2'"), "STALE_REF: no element E2"},
        {AT("'x':1,'y':1,'origin':'pointer'"), "USAGE: There is no previous item for "
                                               "'{\"type\":\"pointerMove\",\"x\":1,\"y\":1,"
                                               "\"origin\":\"pointer\"}' action item, however "
                                               "origin is set to 'pointer'"},
        {AT("'x':1,'y':1,'origin':{}"), "USAGE: Unsupported origin type is set for "
                                        "'{\"type\":\"pointerMove\",\"x\":1,\"y\":1,\"origin\":"
                                        "{}}' action item. Supported origin "
                                        "types: (pointer, viewport) or an element instance"},
        {AT("'x':1"), "USAGE: Both 'x' and 'y' options should be set for "
                      "'{\"type\":\"pointerMove\",\"x\":1}' action item"},
        {AT("'x':1,'y':'2'"), "USAGE: Both 'x' and 'y' options should be set for "
                              "'{\"type\":\"pointerMove\",\"x\":1,\"y\":\"2\"}' action item"},
        {AT("'x':1,'y':2000000"),
         "USAGE: Both 'x' and 'y' options should be set for "
         "'{\"type\":\"pointerMove\",\"x\":1,\"y\":2000000}' action item"},
        {"{'type':'pointerMove'}", "USAGE: Both 'x' and 'y' options should be set for "
                                   "'{\"type\":\"pointerMove\"}' action item"},
    };
    every("pointer", rows, IA_COUNTOF(rows));
}

static void what_one_finger_cannot_do_is_unsupported(void **state)
{
    (void)state;
    static const struct decoded_case rows[] = {
        {MOVE(0, 0, 0) "," DOWN "," MOVE(50, 11, 9) "," MOVE(100, 0, 9) "," UP,
         "UNSUPPORTED: The finger can only be dragged along a straight line"},
        {MOVE(0, 0, 0) "," DOWN "," MOVE(100, 0, 9) "," MOVE(0, 0, 9) "," UP,
         "UNSUPPORTED: The finger can only be dragged along a straight line"},
        {MOVE(0, 0, 0) "," DOWN "," MOVE(50, 10, 9) "," MOVE(100, 0, 9) "," UP,
         "drag 0,0 100,0 0+18+0 @0"},
        {MOVE(0, 0, 0) ",{'type':'pointerDown','pressure':0.5}",
         "UNSUPPORTED: This device does not support force press interactions"},
    };
    every("pointer", rows, IA_COUNTOF(rows));
    static const char finger[] =
        "{'type':'pointer','id':'%s','parameters':{'pointerType':'touch'},'actions':[%s]}";
    char one[600], two[600], json[1300];
    snprintf(one, sizeof(one), finger, "f1", MOVE(0, 0, 0) "," TOUCH);
    snprintf(two, sizeof(two), finger, "f2", MOVE(9, 9, 0) "," TOUCH);
    snprintf(json, sizeof(json), "[%s,%s]", one, two);
    assert_string_equal(decoded(json),
                        "UNSUPPORTED: There is one finger, and 'f2' would be another");
    snprintf(two, sizeof(two), finger, "f2", MOVE(9, 9, 0));
    snprintf(json, sizeof(json), "[%s,%s]", one, two);
    assert_string_equal(decoded(json), "tap 0,0 @0");
}

#define KEY_DOWN(k) "{'type':'keyDown','value':'" k "'}"
#define KEY_UP(k) "{'type':'keyUp','value':'" k "'}"
#define KEY(k) KEY_DOWN(k) "," KEY_UP(k)

static void keys_are_texts_and_deletions(void **state)
{
    (void)state;
    static const struct decoded_case rows[] = {
        /* the last keys of WebDriver type nothing, the next sign is a text */
        {KEY("\xEE\x81\x90") "," KEY("a") "," KEY("\xEE\x81\x9C"), "type 'a' @0"},
        {KEY("\xEE\x81\x9E"), "type '\xEE\x81\x9E' @0"},
        {KEY("A") "," KEY("d") "," KEY("a"), "type 'Ada' @0"},
        {KEY_DOWN("a") "," KEY_DOWN("b") "," KEY_UP("a") "," KEY_UP("b"), "type 'ab' @0"},
        {KEY("ö") "," KEY("あ") "," KEY("\\n"), "type 'öあ\n' @0"},
        {KEY("a") "," PAUSE(100) "," KEY("b"), "type 'a' @0; type 'b' @100"},
        {KEY("a") "," KEY("\\ue003") "," KEY("\\b") "," KEY("b"),
         "type 'a' @0; delete 2 @0; type 'b' @0"},
        {KEY("\\ue007") "," KEY("\\ue006") "," KEY("\\r"), "type '\n\n\n' @0"},
        {KEY("\\ue01a") "," KEY("\\ue023") "," KEY("\\ue018") "," KEY("\\ue029") "," KEY(
             "\\ue00d"),
         "type '09;/ ' @0"},
        {KEY("\\ue008") "," KEY("\\ue012"), ""}, /* shift, left */
        {KEY("\\ue000"), ""},
        {KEY_DOWN("a"), "USAGE: Key Down action 'a' must have a closing Key Up successor"},
        {KEY_DOWN("a") "," PAUSE(1) "," KEY_UP("a"),
         "USAGE: Key Down action 'a' must have a closing Key Up successor"},
        {KEY_UP("a"), "USAGE: Key Up action is not balanced with a preceding Key Down one in "
                      "'{\"type\":\"keyUp\",\"value\":\"a\"}'"},
        {KEY_DOWN("a") "," KEY_UP("b"),
         "USAGE: Key Up action is not balanced with a preceding Key Down one in "
         "'{\"type\":\"keyUp\",\"value\":\"b\"}'"},
        {KEY_DOWN(""),
         "USAGE: Key value must be present and should be a valid non-empty string for "
         "'{\"type\":\"keyDown\",\"value\":\"\"}'"},
        {"{'type':'keyDown','value':7}",
         "USAGE: Key value must be present and should be a valid non-empty string for "
         "'{\"type\":\"keyDown\",\"value\":7}'"},
        {"{'type':'pause'}",
         "USAGE: Duration must be present for '{\"type\":\"pause\"}' action item"},
        {DOWN,
         "USAGE: The action item type of '{\"type\":\"pointerDown\",\"button\":0}' is not "
         "supported. Only the following action item types are supported: (pause, keyUp, "
         "keyDown)"},
    };
    every("key", rows, IA_COUNTOF(rows));
}

static void sources_are_merged_by_time(void **state)
{
    (void)state;
    static const char json[] = "[{'type':'key','id':'k','actions':[" PAUSE(500) "," KEY(
        "a") "]},"
             "{'type':'pointer','id':'f','parameters':{'pointerType':'touch'},'actions':[" MOVE(
                 1, 2, 250) "," TOUCH "," PAUSE(1000) "," TOUCH "]},"
                                                      "{'type':'none','id':'n','actions':[]}]";
    assert_string_equal(decoded(json), "tap 1,2 @250; type 'a' @500; tap 1,2 @1250");
}

static void a_cancel_takes_the_item_before_it_back(void **state)
{
    (void)state;
#define CANCEL "{'type':'pointerCancel'}"
    static const struct decoded_case rows[] = {
        {MOVE(1, 2, 0) "," DOWN "," CANCEL "," UP, ""},
        {MOVE(1, 2, 0) "," MOVE(3, 4, 0) "," CANCEL "," TOUCH, "tap 1,2 @0"},
        {MOVE(1, 2, 0) "," TOUCH "," CANCEL "," CANCEL, "tap 1,2 @0"},
        {MOVE(1, 2, 0) "," DOWN "," PAUSE(600) "," CANCEL "," CANCEL, "long 1,2 for 600 @0"},
        {CANCEL, ""},
    };
    every("pointer", rows, IA_COUNTOF(rows));
}

static void what_webdriveragent_refuses_is_an_invalid_argument(void **state)
{
    (void)state;
    static const struct decoded_case pointer[] = {
        {DOWN,
         "USAGE: The '{\"type\":\"pointerDown\",\"button\":0}' action item must be preceded by "
         "pointerMove item"},
        {UP,
         "USAGE: The '{\"type\":\"pointerUp\",\"button\":0}' action item must be preceded by "
         "pointerMove item"},
        {"{}", "USAGE: The type property is mandatory to set for '{}' action item"},
        {"7", "USAGE: The type property is mandatory to set for '7' action item"},
        {"{'type':'scroll'}",
         "USAGE: The action item type of '{\"type\":\"scroll\"}' is not supported. "
         "Only the following action item types are supported: (pause, pointerUp, "
         "pointerDown, pointerMove)"},
        {PAUSE(-1), "USAGE: Duration must be a valid positive number for "
                    "'{\"type\":\"pause\",\"duration\":-1}' action item"},
        {PAUSE("1"), "USAGE: Duration must be a valid positive number for "
                     "'{\"type\":\"pause\",\"duration\":\"1\"}' action item"},
        {PAUSE(600000) "," PAUSE(1),
         "USAGE: With '{\"type\":\"pause\",\"duration\":1}' the action is "
         "longer than ten minutes"},
    };
    every("pointer", pointer, IA_COUNTOF(pointer));
    static const struct decoded_case whole[] = {
        {"{}", "USAGE: 'actions' must be a list"},
        {"7", "USAGE: 'actions' must be a list"},
        {"[7]", "USAGE: The mandatory action id field is missing or empty for action 1"},
        {"[{'id':''}]",
         "USAGE: The mandatory action id field is missing or empty for action 1"},
        {"[{'id':'a','actions':[]},{'id':'a','actions':[]}]",
         "USAGE: Action id 'a' is not unique"},
        {"[{'id':'a'}]",
         "USAGE: It is mandatory to have at least one item defined for each action. "
         "Action with id 'a' contains none"},
        {"[{'id':'a','type':'wheel','actions':[{}]}]",
         "USAGE: Only actions of '(pointer, key)' types are supported. 'wheel' is given "
         "instead for "
         "action with id 'a'"},
        {"[{'id':'a','type':'pointer','actions':[{}]}]",
         "USAGE: Only pointer type 'touch' is supported. 'mouse' is given instead for action "
         "with id "
         "'a'"},
        {"[{'id':'a','type':'pointer','parameters':{'pointerType':'pen'},'actions':[{}]}]",
         "USAGE: Only pointer type 'touch' is supported. 'pen' is given instead for action "
         "with id "
         "'a'"},
        {"[]", ""},
    };
    for (size_t i = 0; i < IA_COUNTOF(whole); i++) {
        assert_string_equal(decoded(whole[i].items), whole[i].want);
    }
}

static void more_items_than_anybody_sends_are_refused(void **state)
{
    (void)state;
    json_t *items = json_array();
    for (int i = 0; i <= IA_WDA_ACTION_ITEMS_MAX; i++) {
        json_array_append_new(items, json_pack("{s:s,s:i}", "type", "pause", "duration", 0));
    }
    json_t *actions = json_pack("[{s:s,s:s,s:o}]", "id", "k", "type", "key", "actions", items);
    struct ia_wda_acts acts = {0};
    struct ia_err err;
    struct ia_wda_where where = {middle, NULL};
    assert_int_equal(ia_wda_actions_read(actions, &where, &acts, &err), IA_E_USAGE);
    assert_string_equal(err.msg, "There are more than 10000 action items");
    json_array_remove(items, 0);
    assert_int_equal(ia_wda_actions_read(actions, &where, &acts, &err), IA_OK);
    assert_int_equal(acts.n, 0);
    ia_wda_acts_free(&acts);
    json_decref(actions);
}

/* Two sources, so that what comes later stands first: sorting them must not take minutes. */
static void what_few_items_come_to_is_limited_too(void **state)
{
    (void)state;
    static char text[2 * 60000 + 1];
    static const int later_ms[] = {1000, 0};
    for (size_t i = 0; i + 1 < sizeof(text); i++) {
        text[i] = i % 2 ? '\b' : 'a';
    }
    json_t *actions = json_array();
    for (int i = 0; i < 2; i++) {
        json_array_append_new(actions,
                              json_pack("{s:s,s:s,s:[{s:s,s:i},{s:s,s:s},{s:s,s:s}]}", "id",
                                        i ? "a" : "b", "type", "key", "actions", "type",
                                        "pause", "duration", later_ms[i], "type", "keyDown",
                                        "value", text, "type", "keyUp", "value", text));
    }
    struct ia_wda_acts acts = {0};
    struct ia_err err;
    struct ia_wda_where where = {middle, NULL};
    assert_int_equal(ia_wda_actions_read(actions, &where, &acts, &err), IA_E_USAGE);
    assert_string_equal(err.msg, "There are more than 10000 action items");
    json_decref(actions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_way_is_a_tap_a_press_or_a_drag),
        cmocka_unit_test(a_place_has_an_origin),
        cmocka_unit_test(what_one_finger_cannot_do_is_unsupported),
        cmocka_unit_test(keys_are_texts_and_deletions),
        cmocka_unit_test(sources_are_merged_by_time),
        cmocka_unit_test(a_cancel_takes_the_item_before_it_back),
        cmocka_unit_test(what_webdriveragent_refuses_is_an_invalid_argument),
        cmocka_unit_test(more_items_than_anybody_sends_are_refused),
        cmocka_unit_test(what_few_items_come_to_is_limited_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
