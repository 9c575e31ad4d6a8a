/* Other tools' trees: what is read of them, and how broken, empty and too large ones are told
 * apart. */
#include "test.h"

#include "base/buf.h"
#include "driver/adapt/adapt.h"
#include "driver/snapshot/snapshot.h"

static struct ia_tree *adapt(enum ia_source source, const char *text)
{
    struct ia_tree *t = NULL;
    struct ia_err err = {0};
    if (ia_adapt(source, ia_str(text), &t, &err) != IA_OK) {
        fail_msg("%s: %s", text, err.msg);
    }
    return t;
}

/* The node at an index in pre-order. */
static const struct ia_node *node(const struct ia_tree *t, int index)
{
    const struct ia_node *n = ia_tree_root(t);
    while (n && index-- > 0) {
        n = ia_node_next(n, ia_tree_root(t));
    }
    assert_non_null(n);
    return n;
}

#define SCREEN_JSON "{\"x\":0,\"y\":0,\"width\":400,\"height\":800}"
#define APP_XML                                                                                \
    "<XCUIElementTypeApplication name=\"A\" x=\"0\" y=\"0\" width=\"400\" height=\"800\">"
#define APP_XML_END "</XCUIElementTypeApplication>"

static void every_failure_says_its_cause_and_what_to_do(void **state)
{
    (void)state;
    static const struct {
        enum ia_source source;
        const char *text;
        enum ia_rc rc;
        const char *msg, *hint;
    } cases[] = {
        {IA_SOURCE_AXE, "", IA_E_TREE_MALFORMED, "it is empty", "describe-ui"},
        {IA_SOURCE_AXE, "[{\"type\":\n\"Button\",", IA_E_TREE_MALFORMED, "line 2", "whole"},
        {IA_SOURCE_AXE, "\"x\"", IA_E_TREE_MALFORMED, "without elements", "describe-ui"},
        {IA_SOURCE_AXE, "{\"a\":1}", IA_E_TREE_MALFORMED, "without elements", "describe-ui"},
        {IA_SOURCE_AXE, "[1]", IA_E_TREE_MALFORMED, "entry 0", "describe-ui"},
        {IA_SOURCE_AXE, "[]", IA_E_TREE_EMPTY, "no element", "launch"},
        {IA_SOURCE_AXE, "{\"elements\":[]}", IA_E_TREE_EMPTY, "no element", "launch"},
        {IA_SOURCE_AXE, "[{\"type\":\"Application\",\"AXLabel\":\"A\"}]", IA_E_TREE_EMPTY,
         "has an area", "wait"},
        {IA_SOURCE_AXE, "<a/>", IA_E_TREE_MALFORMED, "line 1", "describe-ui"},
        {IA_SOURCE_AXE, "[{\"AXLabel\":\"\xff\"}", IA_E_TREE_MALFORMED, "column 13", "whole"},
        {IA_SOURCE_WDA_XML, " \n", IA_E_TREE_MALFORMED, "it is empty", "format=xml"},
        {IA_SOURCE_WDA_XML, "plain", IA_E_TREE_MALFORMED, "line 1", "format=xml"},
        {IA_SOURCE_WDA_XML, "<AppiumAUT>\n<XCUIElementTypeOther", IA_E_TREE_MALFORMED, "line 2",
         "whole"},
        {IA_SOURCE_WDA_XML, "<AppiumAUT/>", IA_E_TREE_EMPTY, "no element", "launch"},
        {IA_SOURCE_WDA_XML, "<html><body/></html>", IA_E_TREE_MALFORMED, "XCUIElementType",
         "format=xml"},
        {IA_SOURCE_WDA_XML, "<AppiumAUT><XCUIElementTypeApplication/></AppiumAUT>",
         IA_E_TREE_EMPTY, "has an area", "wait"},
        {IA_SOURCE_WDA_XML, "<!DOCTYPE a [<!ENTITY b \"c\">]><a/>", IA_E_TREE_MALFORMED,
         "document type", "format=xml"},
        {IA_SOURCE_WDA_XML, "<XCUIElementTypeOther label=\"&b;\"/>", IA_E_TREE_MALFORMED, "b",
         "format=xml"},
        {IA_SOURCE_WDA_XML, "{\"value\":7}", IA_E_TREE_MALFORMED, "without XML", "format=xml"},
        {IA_SOURCE_WDA_XML,
         "{\"value\":{\"error\":\"invalid session id\",\"message\":\"gone\"}}", IA_E_DEVICE,
         "invalid session id: gone", "launch"},
        {IA_SOURCE_WDA_JSON, "{\"value\":{\"error\":\"stale\",\"message\":\"m\"}}", IA_E_DEVICE,
         "stale: m", "launch"},
        {IA_SOURCE_WDA_JSON, "{\"value\":null}", IA_E_TREE_EMPTY, "no element", "launch"},
        {IA_SOURCE_WDA_JSON, "{\"value\":\"<a/>\"}", IA_E_TREE_MALFORMED, "XML", "format=json"},
        {IA_SOURCE_WDA_JSON, "[]", IA_E_TREE_MALFORMED, "type", "format=json"},
        {IA_SOURCE_WDA_JSON, "{\"type\":\"Application\"}", IA_E_TREE_EMPTY, "has an area",
         "wait"},
        {IA_SOURCE_BRIDGE, "[]", IA_E_TREE_EMPTY, "no element", "launch"},
        {IA_SOURCE_BRIDGE, "[{\"type\":\"Other\"},7]", IA_E_TREE_MALFORMED, "entry 1",
         "bridge"},
        {IA_SOURCE_BRIDGE, "7", IA_E_TREE_MALFORMED, "neither an element", "bridge"},
        {IA_SOURCE_BRIDGE, "{}", IA_E_TREE_MALFORMED, "neither", "bridge"},
        {IA_SOURCE_BRIDGE, "null", IA_E_TREE_EMPTY, "no element", "launch"},
        {IA_SOURCE_BRIDGE, "{\"type\":\"Application\",\"children\":[]}", IA_E_TREE_EMPTY,
         "has an area", "wait"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_tree *t = NULL;
        struct ia_err err = {0};
        enum ia_rc rc = ia_adapt(cases[i].source, ia_str(cases[i].text), &t, &err);
        if (rc != cases[i].rc || t || !strstr(err.msg, cases[i].msg) ||
            !strstr(err.hint, cases[i].hint)) {
            fail_msg("%s: %s, %s, %s", cases[i].text, ia_rc_name(rc), err.msg, err.hint);
        }
    }
}

static void sources_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < IA_SOURCE_COUNT; i++) {
        assert_int_equal(ia_source_from_name(ia_source_name((enum ia_source)i)), i);
    }
    assert_int_equal(ia_source_from_name("xml"), IA_SOURCE_COUNT);
    assert_int_equal(ia_source_from_name(NULL), IA_SOURCE_COUNT);
}

static void axe_nodes_are_read_with_all_that_they_say(void **state)
{
    (void)state;
    struct ia_tree *t = adapt(
        IA_SOURCE_AXE,
        "[{\"type\":\"Application\",\"AXLabel\":\"Shop\",\"frame\":" SCREEN_JSON
        ",\"children\":["
        "{\"type\":\"TextField\",\"subrole\":\"AXSearchField\",\"AXValue\":\"tea\","
        "\"AXUniqueId\":\"q\",\"AXFocused\":true,\"AXFrame\":\"{{10, 20.5}, {100, 40}}\"},"
        "{\"type\":\"CheckBox\",\"subrole\":\"AXSwitch\",\"AXValue\":1,\"title\":\"Wi-Fi\","
        "\"enabled\":false},"
        "{\"role\":\"AXHeading\",\"AXLabel\":\"H\",\"traits\":[\"Header\",\"selected\"]},"
        "{\"type\":\"RadioButton\",\"role_description\":\"tab\",\"AXSelected\":true},"
        "{\"type\":\"Quux\",\"role\":\"AXSlider\",\"AXValue\":0.25},"
        "{\"type\":\"Quux\",\"AXLabel\":\"\\u0000\"}]}]");
    assert_int_equal(ia_tree_count(t), 7);
    const struct ia_node *search = node(t, 1);
    assert_int_equal(search->type, IA_EL_SEARCH_FIELD);
    assert_string_equal(search->value, "tea");
    assert_string_equal(search->identifier, "q");
    assert_true(search->flags & IA_NODE_FOCUSED);
    assert_true(search->frame.x == 10 && search->frame.y == 20.5 && search->frame.w == 100);
    const struct ia_node *sw = node(t, 2);
    assert_int_equal(sw->type, IA_EL_SWITCH);
    assert_string_equal(sw->label, "Wi-Fi");
    assert_string_equal(sw->value, "1");
    assert_false(sw->flags & IA_NODE_ENABLED);
    assert_true(node(t, 3)->flags & IA_NODE_HEADER);
    assert_true(node(t, 3)->flags & IA_NODE_SELECTED);
    assert_int_equal(node(t, 3)->type, IA_EL_STATIC_TEXT);
    assert_int_equal(node(t, 4)->type, IA_EL_TAB);
    assert_int_equal(node(t, 5)->type, IA_EL_SLIDER);
    assert_string_equal(node(t, 5)->value, "0.25");
    assert_int_equal(node(t, 6)->type, IA_EL_OTHER);
    assert_string_equal(node(t, 6)->label, "\xEF\xBF\xBD");
    ia_tree_free(t);
}

static void several_roots_share_a_screen(void **state)
{
    (void)state;
    struct ia_tree *t =
        adapt(IA_SOURCE_AXE,
              "{\"elements\":[{\"type\":\"Button\",\"frame\":{\"x\":10,\"y\":700,"
              "\"width\":380,\"height\":90}},{\"type\":\"Group\",\"frame\":" SCREEN_JSON "}]}");
    assert_int_equal(ia_tree_count(t), 3);
    assert_true(ia_tree_root(t)->frame.w == 400 && ia_tree_root(t)->frame.h == 800);
    ia_tree_free(t);
}

static void xml_nodes_are_read_with_all_that_they_say(void **state)
{
    (void)state;
    struct ia_tree *t = adapt(
        IA_SOURCE_WDA_XML,
        "<?xml version=\"1.0\"?><AppiumAUT><XCUIElementTypeApplication bundleId=\"com.a.B\" "
        "name=\"A\" label=\"A\" x=\"0\" y=\"0\" width=\"400\" height=\"800\">"
        "<Odd><XCUIElementTypeButton name=\"go\" label=\"Go &amp; &#x1F600;\" "
        "enabled=\"false\" "
        "visible=\"false\" x=\"1\" y=\"2\" width=\"3\" height=\"4\"/></Odd>"
        "<XCUIElementTypeTextField value=\"Name\" placeholderValue=\"Name\" label=\"\"/>"
        "<XCUIElementTypeStaticText name=\"Only a name\"/>"
        "<XCUIElementTypeOther label=\"S\" traits=\"Button, Selected, Not Enabled\"/>"
        "<XCUIElementTypeNovelty label=\"N\" selected=\"true\" x=\"-1\" y=\"inf\"/>"
        "</XCUIElementTypeApplication><XCUIElementTypeApplication label=\"Springboard\"/>"
        "</AppiumAUT>");
    assert_string_equal(ia_tree_app(t), "com.a.B");
    const struct ia_node *go = node(t, 1);
    assert_ptr_equal(go->parent, ia_tree_root(t));
    assert_string_equal(go->label, "Go & \xF0\x9F\x98\x80");
    assert_string_equal(go->identifier, "go");
    assert_int_equal(go->flags, IA_NODE_INVISIBLE);
    assert_true(go->frame.x == 1 && go->frame.y == 2 && go->frame.w == 3 && go->frame.h == 4);
    assert_null(node(t, 2)->label);
    assert_string_equal(node(t, 2)->placeholder, "Name");
    assert_string_equal(node(t, 3)->label, "Only a name");
    assert_null(node(t, 3)->identifier);
    assert_int_equal(node(t, 4)->type, IA_EL_BUTTON);
    assert_int_equal(node(t, 4)->flags, IA_NODE_SELECTED);
    assert_int_equal(node(t, 5)->type, IA_EL_OTHER);
    assert_true(node(t, 5)->frame.y == 0);
    assert_int_equal(node(t, 6)->type, IA_EL_APPLICATION);
    assert_ptr_equal(node(t, 6)->parent, ia_tree_root(t));
    ia_tree_free(t);
}

static void xml_may_come_in_its_http_envelope(void **state)
{
    (void)state;
    struct ia_tree *t = adapt(
        IA_SOURCE_WDA_XML,
        "{\"value\":\"\\n<XCUIElementTypeApplication width=\\\"4\\\" height=\\\"8\\\"/>\","
        "\"sessionId\":null}");
    assert_int_equal(ia_tree_count(t), 1);
    ia_tree_free(t);
}

static void wda_json_is_read_with_its_texts_for_truth_values(void **state)
{
    (void)state;
    struct ia_tree *t = adapt(
        IA_SOURCE_WDA_JSON,
        "{\"value\":{\"type\":\"Application\",\"label\":\"A\",\"name\":\"A\","
        "\"rect\":" SCREEN_JSON
        ",\"children\":[{\"type\":\"Switch\",\"rawIdentifier\":null,\"name\":\"W\",\"label\":"
        "\"W\",\"value\":\"1\",\"isEnabled\":\"0\",\"isVisible\":\"1\",\"isFocused\":\"0\"},"
        "{\"type\":\"Button\",\"rawIdentifier\":\"id\",\"name\":\"id\",\"label\":\"L\","
        "\"isVisible\":\"0\",\"isFocused\":true,\"frame\":\"{{1, 2}, {3, 4}}\",\"traits\":"
        "\"Button, "
        "Header\"},{\"type\":\"TextField\",\"name\":\"n\",\"placeholderValue\":\"P\"}]"
        "},\"sessionId\":\"s\"}");
    const struct ia_node *sw = node(t, 1);
    assert_int_equal(sw->type, IA_EL_SWITCH);
    assert_int_equal(sw->flags, 0);
    assert_null(sw->identifier);
    assert_string_equal(sw->value, "1");
    const struct ia_node *b = node(t, 2);
    assert_string_equal(b->identifier, "id");
    assert_int_equal(b->flags,
                     IA_NODE_ENABLED | IA_NODE_INVISIBLE | IA_NODE_FOCUSED | IA_NODE_HEADER);
    assert_true(b->frame.w == 3);
    assert_string_equal(node(t, 3)->identifier, "n");
    assert_string_equal(node(t, 3)->placeholder, "P");
    ia_tree_free(t);
}

static void bridge_roots_may_come_as_a_list(void **state)
{
    (void)state;
    static const char one[] = "{\"type\":\"Window\",\"AXLabel\":\"a\",\"frame\":{\"x\":0,\"y\":"
                              "0,\"width\":10,\"height\":20},\"children\":[]}";
    struct ia_buf b = IA_BUF(1 << 12);
    for (int roots = 1; roots <= 2; roots++) {
        struct ia_tree *t = NULL;
        struct ia_err err = {0};
        ia_buf_reset(&b);
        ia_buf_printf(&b, "[%s%s%s]", one, roots > 1 ? "," : "", roots > 1 ? one : "");
        assert_int_equal(ia_adapt(IA_SOURCE_BRIDGE, ia_buf_str(&b), &t, &err), IA_OK);
        assert_int_equal(ia_tree_count(t), roots == 1 ? 1 : 3);
        assert_int_equal(ia_tree_root(t)->type, roots == 1 ? IA_EL_WINDOW : IA_EL_OTHER);
        assert_true(ia_tree_root(t)->frame.h == 20);
        ia_tree_free(t);
    }
    ia_buf_fini(&b);
}

static void bridge_nodes_are_read_by_type_or_role(void **state)
{
    (void)state;
    struct ia_tree *t = adapt(
        IA_SOURCE_BRIDGE,
        "{\"type\":\"Application\",\"AXLabel\":\"A\",\"bundleId\":\"com.a.B\",\"hittable\":"
        "null,"
        "\"frame\":" SCREEN_JSON ",\"children\":[{\"AXUniqueId\":\"i\",\"AXLabel\":\"L\","
        "\"AXValue\":null,\"type\":\"XCUIElementTypeButton\",\"role\":null,\"children\":[]},"
        "{\"role\":\"AXTextField\",\"AXValue\":\"v\",\"hittable\":false,\"enabled\":false}]}");
    assert_string_equal(ia_tree_app(t), "com.a.B");
    assert_int_equal(node(t, 1)->type, IA_EL_BUTTON);
    assert_string_equal(node(t, 1)->identifier, "i");
    assert_int_equal(node(t, 2)->type, IA_EL_TEXT_FIELD);
    assert_int_equal(node(t, 2)->flags, 0);
    ia_tree_free(t);
}

static void what_is_no_character_is_replaced_and_counted(void **state)
{
    (void)state;
    static const struct {
        enum ia_source source;
        const char *doc, *label;
        size_t repaired;
    } cases[] = {
        {IA_SOURCE_AXE,
         "{\"type\":\"Button\",\"AXLabel\":\"a\\ud83d b\",\"frame\":" SCREEN_JSON "}",
         "a\uFFFD b", 1},
        {IA_SOURCE_AXE,
         "{\"type\":\"Button\",\"AXLabel\":\"\\udc00\\ud83d\\ude00\\\\ud83d\","
         "\"frame\":" SCREEN_JSON "}",
         "\uFFFD\U0001F600\\ud83d", 1},
        {IA_SOURCE_BRIDGE,
         "{\"type\":\"Button\",\"AXLabel\":\"a\xff\xc3(\",\"frame\":" SCREEN_JSON "}",
         "a\uFFFD\uFFFD(", 2},
        {IA_SOURCE_WDA_JSON,
         "{\"value\":{\"type\":\"Button\",\"label\":\"a\nb\",\"rect\":" SCREEN_JSON "}}",
         "a\uFFFD"
         "b",
         1},
        {IA_SOURCE_WDA_XML,
         "<XCUIElementTypeButton label=\"a\xff&#xD83D;&amp;\\ud83d\" width=\"9\" "
         "height=\"9\"/>",
         "a\uFFFD\uFFFD&\\ud83d", 2},
        {IA_SOURCE_WDA_XML,
         "{\"value\":\"<XCUIElementTypeButton label='&#1;\\ud83d' width='9' height='9'/>\"}",
         "\uFFFD\uFFFD", 2},
        {IA_SOURCE_AXE, "{\"type\":\"Button\",\"AXLabel\":\"fine\",\"frame\":" SCREEN_JSON "}",
         "fine", 0},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_tree *t = adapt(cases[i].source, cases[i].doc);
        assert_string_equal(ia_tree_root(t)->label, cases[i].label);
        assert_int_equal(ia_tree_repaired(t), cases[i].repaired);
        struct ia_refs *refs = ia_refs_new();
        struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
        struct ia_buf text = IA_BUF(4096);
        ia_snapshot_text(s, 0, &text);
        assert_int_equal(strstr(ia_buf_cstr(&text), " repaired") != NULL,
                         cases[i].repaired > 0);
        ia_buf_fini(&text);
        ia_snapshot_free(s);
        ia_refs_free(refs);
        ia_tree_free(t);
    }
    struct ia_tree *none = NULL;
    struct ia_err err = {0};
    assert_int_equal(ia_adapt(IA_SOURCE_AXE, ia_str("{\"type\":\"Button\xff"), &none, &err),
                     IA_E_TREE_MALFORMED);
}

static void a_flat_list_is_the_application_that_begins_it(void **state)
{
    (void)state;
    struct ia_tree *t =
        adapt(IA_SOURCE_AXE,
              "[{\"type\":\"Application\",\"AXLabel\":\"Notes\",\"frame\":" SCREEN_JSON "},"
              "{\"type\":\"Button\",\"AXLabel\":\"Add\",\"frame\":" SCREEN_JSON "},"
              "{\"type\":\"StaticText\",\"AXLabel\":\"Milk\",\"frame\":" SCREEN_JSON "}]");
    assert_int_equal(ia_tree_count(t), 3);
    assert_int_equal(ia_tree_root(t)->type, IA_EL_APPLICATION);
    assert_string_equal(ia_tree_root(t)->label, "Notes");
    assert_ptr_equal(node(t, 2)->parent, ia_tree_root(t));
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    assert_string_equal(ia_snapshot_app(s), "Notes");
    ia_snapshot_free(s);
    ia_refs_free(refs);
    ia_tree_free(t);
}

static struct ia_tree *nested(enum ia_source source, int levels)
{
    bool xml = source == IA_SOURCE_WDA_XML;
    struct ia_buf b = IA_BUF(1 << 22);
    for (int i = 0; i < levels; i++) {
        ia_buf_puts(&b, xml ? "<XCUIElementTypeOther width=\"400\" height=\"800\">"
                            : "{\"type\":\"Other\",\"frame\":" SCREEN_JSON
                              ",\"rect\":" SCREEN_JSON ",\"children\":[");
    }
    for (int i = 0; i < levels; i++) {
        ia_buf_puts(&b, xml ? "</XCUIElementTypeOther>" : "]}");
    }
    struct ia_tree *t = adapt(source, ia_buf_cstr(&b));
    ia_buf_fini(&b);
    return t;
}

static void a_tree_that_ends_where_its_maker_cuts_is_truncated(void **state)
{
    (void)state;
    static const struct {
        enum ia_source source;
        int levels;
        bool truncated;
    } cases[] = {
        {IA_SOURCE_WDA_XML, 50, false}, {IA_SOURCE_WDA_XML, 51, true},
        {IA_SOURCE_WDA_XML, 52, false}, {IA_SOURCE_WDA_XML, 200, false},
        {IA_SOURCE_WDA_XML, 201, true}, {IA_SOURCE_WDA_XML, 3000, true},
        {IA_SOURCE_WDA_JSON, 51, true}, {IA_SOURCE_WDA_JSON, 50, false},
        {IA_SOURCE_BRIDGE, 29, false},  {IA_SOURCE_BRIDGE, 30, true},
        {IA_SOURCE_AXE, 51, false},     {IA_SOURCE_AXE, 200, false},
        {IA_SOURCE_AXE, 201, true},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_tree *t = nested(cases[i].source, cases[i].levels);
        if (ia_tree_truncated(t) != cases[i].truncated) {
            fail_msg("%s with %d levels", ia_source_name(cases[i].source), cases[i].levels);
        }
        assert_in_range(ia_tree_count(t), 1, IA_TREE_DEPTH_MAX);
        ia_tree_free(t);
    }
}

static void more_nodes_than_the_cap_are_cut_and_said(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(IA_ADAPT_BYTES_MAX * 2);
    ia_buf_puts(&b, APP_XML);
    for (int i = 0; i < IA_TREE_NODES_MAX + 10; i++) {
        ia_buf_puts(&b, "<XCUIElementTypeButton/>");
    }
    ia_buf_puts(&b, APP_XML_END);
    struct ia_tree *t = adapt(IA_SOURCE_WDA_XML, ia_buf_cstr(&b));
    assert_int_equal(ia_tree_count(t), IA_TREE_NODES_MAX);
    assert_true(ia_tree_truncated(t));
    ia_tree_free(t);
    while (b.len <= IA_ADAPT_BYTES_MAX) {
        ia_buf_puts(&b, "                                                                ");
    }
    struct ia_err err = {0};
    for (int i = 0; i < IA_SOURCE_COUNT; i++) {
        assert_int_equal(ia_adapt((enum ia_source)i, ia_buf_str(&b), &t, &err), IA_E_LIMIT);
        assert_non_null(strstr(err.hint, "depth"));
    }
    ia_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failure_says_its_cause_and_what_to_do),
        cmocka_unit_test(sources_have_names),
        cmocka_unit_test(axe_nodes_are_read_with_all_that_they_say),
        cmocka_unit_test(several_roots_share_a_screen),
        cmocka_unit_test(xml_nodes_are_read_with_all_that_they_say),
        cmocka_unit_test(xml_may_come_in_its_http_envelope),
        cmocka_unit_test(wda_json_is_read_with_its_texts_for_truth_values),
        cmocka_unit_test(bridge_roots_may_come_as_a_list),
        cmocka_unit_test(what_is_no_character_is_replaced_and_counted),
        cmocka_unit_test(a_flat_list_is_the_application_that_begins_it),
        cmocka_unit_test(bridge_nodes_are_read_by_type_or_role),
        cmocka_unit_test(a_tree_that_ends_where_its_maker_cuts_is_truncated),
        cmocka_unit_test(more_nodes_than_the_cap_are_cut_and_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
