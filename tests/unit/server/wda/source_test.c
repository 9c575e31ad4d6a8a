/* source_test.c: what of a screen a client reads: its source, what an element says of itself, its cells. */
#include "made.h"

#include "server/wda/wda_impl.h"

static struct ia_node *labelled(struct ia_tree *t, struct ia_node *n, const char *placeholder)
{
    n->placeholder = ia_tree_text(t, placeholder, strlen(placeholder));
    return n;
}

static void fill_odd(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    static const struct ia_rect at = {10, 110, 100, 40};
    struct ia_node *list =
        made_add(t, window, IA_EL_TABLE, (struct ia_rect){0, 100, 393, 100}, "List");
    (void)m;
    made_add(t, list, IA_EL_CELL, at, "Seen");
    made_add(t, list, IA_EL_CELL, (struct ia_rect){10, 300, 100, 40}, "Below");
    made_add(t, window, IA_EL_CELL, at, "Beside");
    labelled(t, made_add(t, window, IA_EL_BUTTON, at, "Button"), "P");
    labelled(t, made_add(t, window, IA_EL_TEXT_FIELD, at, "Field"), "P");
    made_add(t, window, IA_EL_BUTTON, at, "Invisible")->flags |= IA_NODE_INVISIBLE;
    /* U+FFFF, which XML cannot hold, and U+FFFD, which it can */
    made_add(t, window, IA_EL_BUTTON, at, "n\xEF\xBF\xBFo\xEF\xBF\xBDt");
}

static void lacks(struct made *m, const char *path, const char *text)
{
    struct said r;
    char whole[256];
    (void)snprintf(whole, sizeof(whole), "/session/%s%s", m->s.session, path);
    served_ask(&m->s, "GET", whole, NULL, &r);
    char *all = json_dumps(r.value, JSON_ENCODE_ANY);
    assert_int_equal(r.status, 200);
    if (strstr(all, text)) {
        fail_msg("%s has %s", path, text);
    }
    free(all);
    said_fini(&r);
}

static void the_source_has_what_xml_and_the_session_allow(void **state)
{
    (void)state;
    static const struct made_row rows[] = {
        {"GET", "/source", NULL, 200, "name=\\\"no\xEF\xBF\xBDt\\\"", ""},
        {"GET", "/source", NULL, 200, "label=\\\"Field\\\" enabled=\\\"true\\\" visible", ""},
        {"GET", "/source", NULL, 200, "placeholderValue=\\\"P\\\"", ""},
        {"GET", "/source?excluded_attributes=type,placeholderValue", NULL, 200, "Button", ""},
        {"GET", "/source?scope=AppiumAUT", NULL, 200, "<AppiumAUT>", ""},
        {"GET", "/source?scope=a%3E", NULL, 400, "'scope'", ""},
        {"POST", "/element", "{\"using\":\"xpath\",\"value\":\"//*[@placeholderValue='P']\"}",
         200, "ELEMENT", ""},
        {"POST", "/element",
         "{\"using\":\"xpath\",\"value\":\"//XCUIElementTypeButton[@placeholderValue]\"}", 404,
         "no such element", ""},
        {"GET", "/wda/accessibleSource", NULL, 200, "Seen", ""},
    };
    struct made m;
    made_open(&m, fill_odd, 0);
    made_check_all(&m, rows, IA_COUNTOF(rows));
    lacks(&m, "/source?excluded_attributes=type,placeholderValue", "placeholderValue");
    lacks(&m, "/source", "hittable");
    lacks(&m, "/source", "placeholderValue=\\\"P\\\" traits=\\\"Button");
    lacks(&m, "/wda/accessibleSource", "Invisible");
    made_check(&m, &(struct made_row){"POST", "/appium/settings",
                                      "{\"settings\":{\"includeHittableInPageSource\":true}}",
                                      200, "true", ""});
    made_check(&m, &(struct made_row){"GET", "/source", NULL, 200, "hittable", ""});
    served_close(&m.s);
}

static void fill_much(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    char *label = malloc(IA_TREE_STRING_MAX + 1);
    memset(label, 'x', IA_TREE_STRING_MAX);
    label[IA_TREE_STRING_MAX] = '\0';
    for (int i = 0; i < m->n; i++) {
        made_add(t, window, IA_EL_BUTTON, (struct ia_rect){10, 10, 100, 40}, label);
    }
    free(label);
}

/* A button has its label twice. */
static void a_source_that_is_too_large_is_an_error(void **state)
{
    (void)state;
    struct made m;
    made_open(&m, fill_much, 500);
    made_check(&m, &(struct made_row){"GET", "/source", NULL, 500, "too large", ""});
    m.n = 100;
    made_check(&m, &(struct made_row){"GET", "/source", NULL, 200, "xxx", ""});
    served_close(&m.s);
}

static size_t size_of(struct made *m, const char *method, const char *path, const char *body)
{
    struct said r;
    char whole[256];
    (void)snprintf(whole, sizeof(whole), "/session/%s%s", m->s.session, path);
    served_ask(&m->s, method, whole, body, &r);
    assert_int_equal(r.status, 200);
    size_t n = json_is_array(r.value) ? json_array_size(r.value) : json_object_size(r.value);
    said_fini(&r);
    return n;
}

static void an_element_says_of_itself_what_the_session_wants(void **state)
{
    (void)state;
    static const char find[] = "{\"using\":\"name\",\"value\":\"Button\"}";
    static const char set[] = "{\"settings\":{\"shouldUseCompactResponses\":false,"
                              "\"elementResponseAttributes\":\"rect,nope,attribute/visible\"}}";
    struct made m;
    made_open(&m, fill_odd, 0);
    assert_int_equal(size_of(&m, "POST", "/element", find), 2);
    made_check(&m, &(struct made_row){"POST", "/appium/settings", set, 200, "nope", ""});
    assert_int_equal(size_of(&m, "POST", "/element", find), 4);
    made_check(&m, &(struct made_row){"POST", "/element", find, 200,
                                      "\"attribute/visible\": true", ""});
    served_close(&m.s);
}

static void visible_cells_are_those_of_the_list_that_are_seen(void **state)
{
    (void)state;
    struct made m;
    char uid[64];
    char path[128];
    made_open(&m, fill_odd, 0);
    made_find(&m, "List", uid);
    (void)snprintf(path, sizeof(path), "/wda/element/%s/getVisibleCells", uid);
    assert_int_equal(size_of(&m, "GET", path, NULL), 1);
    served_close(&m.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_source_has_what_xml_and_the_session_allow),
        cmocka_unit_test(a_source_that_is_too_large_is_an_error),
        cmocka_unit_test(an_element_says_of_itself_what_the_session_wants),
        cmocka_unit_test(visible_cells_are_those_of_the_list_that_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
