#include "test.h"

#include "agent/toolset/toolset.h"

#include <string.h>

static struct ia_prompts *prompts;

static int open_prompts(void **state)
{
    (void)state;
    struct ia_err err;
    return ia_prompts_open(NULL, &prompts, &err) == IA_OK ? 0 : -1;
}

static int close_prompts(void **state)
{
    (void)state;
    ia_prompts_free(prompts);
    return 0;
}

static struct ia_toolset *with(const char *names)
{
    struct ia_toolset *t = ia_toolset_new(prompts);
    json_t *list = json_loads(names, 0, NULL);
    ia_toolset_limit(t, list);
    json_decref(list);
    return t;
}

static struct ia_tool_def def(const char *name)
{
    return (struct ia_tool_def){.name = name, .json = ia_str("{\"name\":\"it\"}")};
}

/* The names of the request's tools, with commas. */
static void list(struct ia_toolset *t, struct ia_buf *out)
{
    struct ia_str json = ia_toolset_json(t);
    json_t *all = json_loadb(json.p, json.n, 0, NULL);
    size_t i;
    json_t *tool;
    assert_true(json_is_array(all));
    json_array_foreach(all, i, tool)
    {
        ia_buf_printf(out, "%s%s", i > 0 ? "," : "",
                      json_string_value(json_object_get(tool, "name")));
    }
    json_decref(all);
}

static void assert_list(struct ia_toolset *t, const char *expected)
{
    struct ia_buf names = IA_BUF(4096);
    list(t, &names);
    assert_string_equal(ia_buf_cstr(&names), expected);
    ia_buf_fini(&names);
}

static void a_toolset_without_limits_is_the_text_of_the_prompts(void **state)
{
    (void)state;
    struct ia_toolset *t = ia_toolset_new(prompts);
    assert_ptr_equal(ia_toolset_json(t).p, ia_prompts_tools(prompts).p);
    assert_true(ia_toolset_has(t, IA_TOOL_TAP));
    assert_false(ia_toolset_has(t, IA_TOOL_COUNT));
    assert_int_equal(ia_toolset_added(t), 0);
    ia_toolset_free(t);
}

static void names_limit_the_tools_of_the_device_in_their_own_order(void **state)
{
    (void)state;
    static const struct {
        const char *names, *list;
    } cases[] = {
        {"[\"back\",\"tap\"]", "snapshot,tap,back,finish"},
        {"[]", "snapshot,finish"},
        {"[\"nothing\",7,null]", "snapshot,finish"},
        {"[\"tap\",\"finish\",\"tap\"]", "snapshot,tap,finish"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_toolset *t = with(cases[i].names);
        assert_list(t, cases[i].list);
        assert_false(ia_toolset_has(t, IA_TOOL_SWIPE));
        ia_toolset_free(t);
    }
}

static void the_word_default_stands_for_all_of_them(void **state)
{
    (void)state;
    struct ia_toolset *t = with("[\"memory\",\"default\"]");
    assert_ptr_equal(ia_toolset_json(t).p, ia_prompts_tools(prompts).p);
    ia_toolset_free(t);
}

static void one_can_be_taken_out(void **state)
{
    (void)state;
    struct ia_toolset *t = with("[\"tap\",\"remember\"]");
    ia_toolset_drop(t, IA_TOOL_REMEMBER);
    assert_list(t, "snapshot,tap,finish");
    ia_toolset_free(t);
}

static void added_tools_follow_in_the_order_of_their_adding(void **state)
{
    (void)state;
    struct ia_err err;
    struct ia_toolset *t = with("[\"tap\"]");
    struct ia_tool_def a = def("zeta"), b = def("alpha");
    a.json = ia_str("{\"name\":\"zeta\"}");
    b.json = ia_str("{\"name\":\"alpha\"}");
    assert_list(t, "snapshot,tap,finish");
    assert_int_equal(ia_toolset_add(t, &a, &err), IA_OK);
    assert_int_equal(ia_toolset_add(t, &b, &err), IA_OK);
    assert_list(t, "snapshot,tap,finish,zeta,alpha");
    assert_string_equal(ia_toolset_find(t, ia_str("alpha"))->name, "alpha");
    assert_null(ia_toolset_find(t, ia_str("alph")));
    assert_null(ia_toolset_find(t, ia_str("tap")));
    assert_int_equal(ia_toolset_added(t), 2);
    ia_toolset_free(t);
}

static void names_are_unique_and_those_that_the_api_takes(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "tap",
        "a b",
        "a.b",
        "once",
        "ü",
        "a234567890123456789012345678901234567890123456789012345678901234x"};
    struct ia_err err;
    struct ia_toolset *t = ia_toolset_new(prompts);
    struct ia_tool_def once = def("once");
    assert_int_equal(ia_toolset_add(t, &once, &err), IA_OK);
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        struct ia_tool_def d = def(bad[i]);
        assert_int_equal(ia_toolset_add(t, &d, &err), IA_E_CONFIG);
    }
    assert_int_equal(ia_toolset_added(t), 1);
    ia_toolset_free(t);
}

static void number_and_bytes_are_capped(void **state)
{
    (void)state;
    struct ia_err err;
    struct ia_toolset *t = ia_toolset_new(prompts);
    char names[IA_TOOLS_MAX][8];
    for (int i = 0; i < IA_TOOLS_MAX; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "t%d", i);
        struct ia_tool_def d = def(names[i]);
        assert_int_equal(ia_toolset_add(t, &d, &err), IA_OK);
    }
    struct ia_tool_def more = def("more");
    assert_int_equal(ia_toolset_add(t, &more, &err), IA_E_LIMIT);
    ia_toolset_free(t);
    t = ia_toolset_new(prompts);
    more.json.n = IA_TOOLS_BYTES_MAX + 1; /* not read where it does not fit */
    assert_int_equal(ia_toolset_add(t, &more, &err), IA_E_LIMIT);
    ia_toolset_free(t);
}

static void an_input_is_checked_with_the_schema_if_there_is_one(void **state)
{
    (void)state;
    struct ia_err err;
    json_t *schema = json_loads("{\"type\":\"object\",\"additionalProperties\":false,"
                                "\"properties\":{\"n\":{\"type\":\"integer\"}}}",
                                0, NULL);
    json_t *good = json_loads("{\"n\":1}", 0, NULL), *bad = json_loads("{\"m\":1}", 0, NULL);
    struct ia_tool_def d = def("counter");
    assert_int_equal(ia_tool_def_check(&d, bad, &err), IA_OK);
    d.schema = schema;
    assert_int_equal(ia_tool_def_check(&d, good, &err), IA_OK);
    assert_int_equal(ia_tool_def_check(&d, bad, &err), IA_E_USAGE);
    assert_non_null(strstr(err.msg, "counter"));
    json_t *deep = json_object();
    for (int i = 0; i < 20; i++) {
        deep = json_pack("{s:o}", "n", deep);
    }
    d.schema = NULL;
    assert_int_equal(ia_tool_def_check(&d, deep, &err), IA_E_USAGE);
    json_decref(deep);
    json_decref(good);
    json_decref(bad);
    json_decref(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_toolset_without_limits_is_the_text_of_the_prompts),
        cmocka_unit_test(names_limit_the_tools_of_the_device_in_their_own_order),
        cmocka_unit_test(the_word_default_stands_for_all_of_them),
        cmocka_unit_test(one_can_be_taken_out),
        cmocka_unit_test(added_tools_follow_in_the_order_of_their_adding),
        cmocka_unit_test(names_are_unique_and_those_that_the_api_takes),
        cmocka_unit_test(number_and_bytes_are_capped),
        cmocka_unit_test(an_input_is_checked_with_the_schema_if_there_is_one),
    };
    return cmocka_run_group_tests(tests, open_prompts, close_prompts);
}
