#include "test.h"

#include "agent/goal/app_state.h"
#include "agent/goal/expect.h"
#include "driver/app_sdk.h"
#include "screen.h"

#define GOOD "{\"v\":1,\"state\":{\"cart.total\":\"42.00\",\"user\":\"Zo\xc3\xab \\\"Z\\\"\"}}"

static void a_state_is_read_or_refused_as_a_whole(void **state)
{
    (void)state;
    static const struct {
        const char *json, *name;
        enum ia_rc rc;
        const char *says; /* the value, or within the message */
    } cases[] = {
        {GOOD, "cart.total", IA_OK, "42.00"},
        {GOOD, "user", IA_OK, "Zo\xc3\xab \"Z\""},
        {"{\"state\":{\"a\":\"\"},\"v\":1}", "a", IA_OK, ""},
        {"{\"v\":1,\"state\":{\"a\":\"x\"},\"left_out\":3}", "a", IA_OK, "x"},
        {GOOD, "cart", IA_E_NOT_FOUND, "it tells cart.total, user"},
        {"{\"v\":1,\"state\":{}}", "a", IA_E_NOT_FOUND, "tells nothing yet"},
        {"{\"v\":1,\"state\":{\"b\":\"x\"},\"left_out\":3}", "a", IA_E_NOT_FOUND,
         "tells b, and has more than the SDK shows"},
        {"", "a", IA_E_PARSE, "not a JSON object"},
        {"{", "a", IA_E_PARSE, "not a JSON object"},
        {"[]", "a", IA_E_PARSE, "not a JSON object"},
        {"{\"v\":1,\"state\":{\"a\":\"x\",\"a\":\"y\"}}", "a", IA_E_PARSE, "names that differ"},
        {"{\"v\":1,\"state\":{\"a\":\"x\"}} x", "a", IA_E_PARSE, "not a JSON object"},
        {"{\"v\":1,\"state\":{\"a\":{\"b\":\"x\"}}}", "a", IA_E_PARSE, "not a JSON object"},
        {"{\"state\":{\"a\":\"x\"}}", "a", IA_E_PARSE, "different versions"},
        {"{\"v\":2,\"state\":{\"a\":\"x\"}}", "a", IA_E_PARSE, "different versions"},
        {"{\"v\":\"1\",\"state\":{\"a\":\"x\"}}", "a", IA_E_PARSE, "different versions"},
        {"{\"v\":1,\"state\":{\"a\":\"x\"},\"more\":1}", "a", IA_E_PARSE, "other members"},
        {"{\"v\":1,\"state\":{\"a\":\"x\"},\"left_out\":\"1\"}", "a", IA_E_PARSE,
         "other members"},
        {"{\"v\":1}", "a", IA_E_PARSE, "other members"},
        {"{\"v\":1,\"state\":[]}", "a", IA_E_PARSE, "not an object"},
        /* Values that were not asked for must be valid too. */
        {"{\"v\":1,\"state\":{\"a\":\"x\",\"b\":1}}", "a", IA_E_PARSE, "b is not a text"},
        {"{\"v\":1,\"state\":{\"a\":\"x\",\"\":\"y\"}}", "a", IA_E_PARSE, "a name is not"},
        {"{\"v\":1,\"state\":{\"a\":\"x\",\"b c\":\"y\"}}", "a", IA_E_PARSE, "a name is not"},
        {"{\"v\":1,\"state\":{\"a\":\"x\",\"b\\n\":\"y\"}}", "a", IA_E_PARSE, "a name is not"},
        {"{\"v\":1,\"state\":{\"a\":\"x\\u0000y\"}}", "a", IA_E_PARSE, "not a JSON object"},
        {"{\"v\":1,\"state\":{\"a\":\"\xff\"}}", "a", IA_E_PARSE, "not a JSON object"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_err err = {0};
        struct ia_buf value = IA_BUF(1024);
        enum ia_rc rc = ia_app_state_get(cases[i].json, cases[i].name, &value, &err);
        bool said = rc == IA_OK ? strcmp(ia_buf_cstr(&value), cases[i].says) == 0
                                : value.len == 0 && strstr(err.msg, cases[i].says) != NULL;
        if (rc != cases[i].rc || !said) {
            fail_msg("%zu %s: %s \"%s\" %s", i, cases[i].json, ia_rc_name(rc),
                     ia_buf_cstr(&value), err.msg);
        }
        ia_buf_fini(&value);
    }
}

/* A state of that many values, whose names and values have so many characters. */
static void make(struct ia_buf *out, int values, int name, int value)
{
    ia_buf_puts(out, "{\"v\":1,\"state\":{");
    for (int i = 0; i < values; i++) {
        ia_buf_printf(out, "%s\"%0*d\":\"%0*d\"", i ? "," : "", name, i, value, 0);
    }
    ia_buf_puts(out, "}}");
}

static void beyond_a_limit_nothing_is_read(void **state)
{
    (void)state;
    static const struct {
        int values, name, value;
        bool read;
    } cases[] = {
        {IA_APP_STATE_VALUES_MAX, 2, 1, true},   {IA_APP_STATE_VALUES_MAX + 1, 2, 1, false},
        {1, IA_APP_STATE_NAME_MAX, 1, true},     {1, IA_APP_STATE_NAME_MAX + 1, 1, false},
        {1, 1, IA_APP_STATE_VALUE_MAX, true},    {1, 1, IA_APP_STATE_VALUE_MAX + 1, false},
        {13, 30, IA_APP_STATE_VALUE_MAX, true},  {14, 30, IA_APP_STATE_VALUE_MAX, false},
        {50, 64, IA_APP_STATE_VALUE_MAX, false},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_buf json = IA_BUF(1 << 20), name = IA_BUF(200), value = IA_BUF(1024);
        make(&json, cases[i].values, cases[i].name, cases[i].value);
        ia_buf_printf(&name, "%0*d", cases[i].name, 0);
        enum ia_rc rc = ia_app_state_get(ia_buf_cstr(&json), ia_buf_cstr(&name), &value, NULL);
        if (rc != (cases[i].read ? IA_OK : IA_E_PARSE)) {
            fail_msg("%zu of %zu bytes: %s", i, json.len, ia_rc_name(rc));
        }
        assert_int_equal(value.len, cases[i].read ? cases[i].value : 0);
        ia_buf_fini(&json);
        ia_buf_fini(&name);
        ia_buf_fini(&value);
    }
}

/* ---- on a screen --------------------------------------------------------------------------- */

#define PROBE(json)                                                                            \
    {                                                                                          \
        IA_EL_OTHER, NULL, json, IA_SDK_STATE, 0                                               \
    }

static bool holds(const struct screen *s, const char *text, struct ia_buf *why)
{
    struct ia_expect x;
    assert_int_equal(ia_expect_parse(text, &x, NULL), IA_OK);
    bool yes = ia_expect_holds(&x, s->snapshot, why);
    assert_true(yes == (why->len == 0));
    ia_expect_fini(&x);
    return yes;
}

static void an_expectation_compares_the_whole_value(void **state)
{
    (void)state;
    static const struct piece pieces[] = {{IA_EL_BUTTON, "Buy", NULL, NULL, 50}, PROBE(GOOD)};
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"state \"cart.total\" = \"42.00\"", NULL},
        {"state \"user\" = \"Zo\xc3\xab \\\"Z\\\"\"", NULL},
        {"state \"cart.total\" = \"42\"", "state \"cart.total\" = \"42\": it is \"42.00\"\n"},
        {"state \"user\" = \"Ada\"",
         "state \"user\" = \"Ada\": it is \"Zo\xc3\xab \\\"Z\\\"\"\n"},
        {"state \"cart\" = \"42.00\"",
         "state \"cart\" = \"42.00\": the app does not tell it; it tells cart.total, user\n"},
    };
    struct screen s = screen_of("com.acme.shop", pieces, IA_COUNTOF(pieces));
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_buf why = IA_BUF(4096);
        assert_true(holds(&s, cases[i].text, &why) == (cases[i].why == NULL));
        assert_string_equal(ia_buf_cstr(&why), cases[i].why ? cases[i].why : "");
        ia_buf_fini(&why);
    }
    screen_free(&s);
}

static void without_a_state_that_can_be_believed_nothing_holds(void **state)
{
    (void)state;
    static const struct piece none[] = {{IA_EL_BUTTON, "Buy", NULL, NULL, 50}};
    static const struct piece two[] = {PROBE(GOOD), PROBE(GOOD)};
    static const struct piece empty[] = {PROBE(NULL)};
    static const struct piece broken[] = {PROBE("{\"v\":1,\"state\":{\"cart.total\":42}}")};
    static const struct {
        const struct piece *pieces;
        size_t n;
        const char *why;
    } cases[] = {
        {none, 1, "the app in front tells no state; a debug build tells it with the SDK"},
        {two, 2, "several elements tell a state"},
        {empty, 1, "the app's state cannot be read: it is not a JSON object"},
        {broken, 1, "the app's state cannot be read: cart.total is not a text"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct screen s = screen_of("com.acme.shop", cases[i].pieces, cases[i].n);
        struct ia_buf why = IA_BUF(4096);
        assert_false(holds(&s, "state \"cart.total\" = \"42.00\"", &why));
        if (!strstr(ia_buf_cstr(&why), cases[i].why)) {
            fail_msg("%s", ia_buf_cstr(&why));
        }
        ia_buf_fini(&why);
        screen_free(&s);
    }
}

/* A page can give its elements any name; what it reports is only text on the screen. */
static void a_page_in_a_web_view_tells_no_state(void **state)
{
    (void)state;
    struct ia_rect all = {0, 0, 400, 800};
    struct ia_tree *t = ia_tree_new();
    struct ia_refs *refs = ia_refs_new();
    struct ia_node *root = ia_tree_add(t, NULL, IA_EL_APPLICATION, all);
    struct ia_node *page = ia_tree_add(t, root, IA_EL_WEB_VIEW, all);
    struct ia_node *said =
        ia_tree_add(t, page, IA_EL_STATIC_TEXT, (struct ia_rect){0, 60, 400, 44});
    said->identifier = IA_SDK_STATE;
    said->label = said->value = GOOD;
    struct screen s = {t, refs, ia_snapshot_new(t, refs, 400, 800)};
    struct ia_buf why = IA_BUF(4096), text = IA_BUF(4096);
    assert_false(holds(&s, "state \"cart.total\" = \"42.00\"", &why));
    assert_non_null(strstr(ia_buf_cstr(&why), "tells no state"));
    ia_snapshot_text(s.snapshot, 0, &text);
    assert_non_null(strstr(ia_buf_cstr(&text), "cart.total"));
    ia_buf_fini(&why);
    ia_buf_fini(&text);
    screen_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_read_or_refused_as_a_whole),
        cmocka_unit_test(beyond_a_limit_nothing_is_read),
        cmocka_unit_test(an_expectation_compares_the_whole_value),
        cmocka_unit_test(without_a_state_that_can_be_believed_nothing_holds),
        cmocka_unit_test(a_page_in_a_web_view_tells_no_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
