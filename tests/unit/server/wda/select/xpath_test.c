/* XPath: what is found, the functions beyond XPath 1.0, what is refused, what would take for ever. */
#include "test.h"

#include "base/now.h"
#include "server/wda/select/xpath.h"
#include "wda_trees.h"

#include <pthread.h>

static void what_an_expression_finds(void **state)
{
    static const struct {
        int32_t under;
        const char *xpath, *want;
    } rows[] = {
        {0, "//XCUIElementTypeCell", "6 8 11"},
        {0, "//XCUIElementTypeAny[@name='wifi']", "8"},
        {0, "/XCUIElementTypeApplication", "0"}, /* the root is where the search begins */
        {0, "/XCUIElementTypeButton", ""},
        {0, "//something_not_there", ""},
        {0, ".", "0"},
        {0, "*", "1 16"},
        {0, "XCUIElementTypeWindow/XCUIElementTypeTable", "5"},
        {0, ".//XCUIElementTypeStaticText", "4 7 9 12"},
        {0, "//XCUIElementTypeCell[2]", "8"},
        {0, "(//XCUIElementTypeCell)[last()]", "11"},
        {0,
         "//XCUIElementTypeCell[@label='Wi-Fi']/"
         "XCUIElementTypeStaticText[contains(@value,'Wi')]",
         "9"},
        {0, "//XCUIElementTypeSwitch/..", "8"},
        {0, "//XCUIElementTypeSwitch/ancestor::*", "0 1 5 8"},
        {0, "//XCUIElementTypeButton | //XCUIElementTypeCell[1]", "3 6 14 15 17 18"},
        {0, "//*[@visible='false']", "11 12 15"},
        {0, "//*[@enabled='false']", "15"},
        {0, "//*[@y >= 600]", "14 15"},
        {0, "//*[@width = 52 and @height=32]", "10"},
        {0, "//*[@index=4]", "15"},
        {0, "//*[@placeholderValue='Search']", "13"},
        {0, "//*[@traits='Button, Selected']", "14"},
        {0, "//*[@nativeFrame='{{320.25, 153.5}, {51, 31}}']", "10"},
        {0, "//*[@*='wifi']", "8"}, /* all attributes */
        {0, "//*[@value='1']", "8 10 14"},
        {0, "//*[not(@label)]", "1 2 5"},
        {0, "//*[@label='']", "13"},
        {0, "//*[@UID]", ""}, /* not one of the document's */
        {0, "//@name", ""},   /* no elements */
        {0, "count(//XCUIElementTypeCell)", ""},
        {0, "'text'", ""},
        {0, "true()", ""},
        {0, "//*[@label=\"Café\"]", "11 12"},
        {LIST, "/XCUIElementTypeTable", "5"},
        {LIST, "//XCUIElementTypeButton", ""},
        {LIST, "//XCUIElementTypeTable/XCUIElementTypeCell[1]", "6"},
        {WIFI, "..", ""},
    };
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        const char *got = found(s, rows[i].under, "xpath", rows[i].xpath, false);
        if (strcmp(got, rows[i].want) != 0) {
            fail_msg("%s: found %s, not %s", rows[i].xpath, got, rows[i].want);
        }
    }
    assert_string_equal(found(s, 0, "xpath", "//XCUIElementTypeCell", true), "6");
}

static void functions_beyond_xpath_1(void **state)
{
    /* Each holds for all elements or for none. */
    static const struct {
        const char *test;
        bool holds;
    } rows[] = {
        {"matches('Wi-Fi', '^W')", true},
        {"matches('Wi-Fi', 'w')", false},
        {"matches('Wi-Fi', 'w', 'i')", true},
        {"matches('Wi-Fi', 'w', 'ims')", true},
        {"matches('', '')", true},
        {"ends-with('battery.battery', '.battery')", true},
        {"ends-with('y', 'ry')", false},
        {"ends-with('y', '')", true},
        {"lower-case('ÀB') = 'àb'", true},
        {"upper-case('àb') = 'ÀB'", true},
        {"replace('a1b22', '[0-9]+', '-') = 'a-b-'", true},
        {"replace('ab', '(a)(b)', '$2$1$0') = 'baab'", true},
        {"replace('ab', 'a', '\\$0') = '$0b'", true},
        {"replace('aé', '', '-') = '-a-é-'", true},
        {"replace('Ab', 'a', 'x', 'i') = 'xb'", true},
        {"replace('ab', 'x', 'y') = 'ab'", true},
        {"string-join(tokenize('a, b,c', ',\\s*'), '+') = 'a+b+c'", true},
        {"string-join(tokenize('  a  b '), '+') = 'a+b'", true},
        {"string-join(tokenize('aéc', ''), '+') = 'a+é+c'", true},
        {"string-join(tokenize(',a,,b,', ','), '+') = 'a+b'", true}, /* no empty ones */
        {"string-join('one', '+') = 'one'", true},
        {"string-join(//XCUIElementTypeCell/@name, ' ') = 'general wifi below'", true},
        {"string-join(//nothing, ' ') = ''", true},
        {"concat(substring('abc', 2), translate('x', 'x', 'y'), normalize-space(' z ')) = "
         "'bcyz'",
         true},
        {"string-length('é') = 1", true},
        {"substring-after('a=b', '=') = 'b' and substring-before('a=b', '=') = 'a'", true},
        {"starts-with('ab', 'a') and contains('ab', 'b')", true},
        {"matches(1, '1')", true}, /* numbers are texts, too */
    };
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char xpath[300];
        snprintf(xpath, sizeof(xpath), "/*[%s]", rows[i].test);
        const char *got = found(s, 0, "xpath", xpath, false);
        if (strcmp(got, rows[i].holds ? "0" : "") != 0) {
            fail_msg("%s: found '%s'", xpath, got);
        }
    }
    assert_string_equal(
        found(s, 0, "xpath", "//XCUIElementTypeCell[matches(@label, 'w.*', 'i')]", false), "8");
}

static void a_mistake_is_an_invalid_selector(void **state)
{
    static const struct {
        const char *xpath, *why;
    } rows[] = {
        {"//[", ""},
        {"", ""},
        {"//*[", ""},
        {"//*[@name=']", ""},
        {"unknown()", ""},
        {"$variable", ""},
        {"x:y", ""},
        {"/*[matches('a')]", ": Invalid number of arguments"},
        {"/*[matches('a','b','c','d')]", ": Invalid number of arguments"},
        {"/*[string-join('a')]", ": Invalid number of arguments"},
        {"/*[matches('a', 'a', 'z')]", ": Invalid regular expression flags"},
        {"/*[matches('a', 'a', 'q')]", ": Invalid regular expression flags"},
        {"/*[matches('a', '(')]", ": "},
        {"/*[replace('a', '(', '')]", ": "},
        {"/*[tokenize('a', '[')]", ": "},
    };
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char want[300];
        snprintf(want, sizeof(want),
                 "PARSE: Cannot evaluate results for XPath expression \"%s\"%s", rows[i].xpath,
                 rows[i].why);
        const char *got = found(s, 0, "xpath", rows[i].xpath, false);
        if (strncmp(got, want, strlen(want)) != 0) {
            fail_msg("%s\nnot %s", got, want);
        }
    }
}

static void an_expression_has_limits(void **state)
{
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    static char text[12000];
    memset(text, '(', 200);
    strcpy(text + 200, "1");
    memset(text + 201, ')', 200);
    text[401] = '\0';
    assert_non_null(strstr(found(s, 0, "xpath", text, false), "too many brackets"));
    static const char *const links[] = {"/*", "|*", "or 1", "-1", "--", "[1]", "::*", "*1"};
    for (size_t k = 0; k < IA_COUNTOF(links); k++) {
        char *end = stpcpy(text, "1 ");
        for (int i = 0; i < 2000; i++) {
            end = stpcpy(end, links[k]);
        }
        assert_non_null(strstr(found(s, 0, "xpath", text, false), "it is too long"));
    }
}

static void *search_all(void *ctx)
{
    static char text[8000];
    const struct ia_wda_screen *s = ctx;
    memset(text, '(', IA_WDA_XPATH_DEPTH_MAX);
    strcpy(text + IA_WDA_XPATH_DEPTH_MAX, "//*");
    memset(text + IA_WDA_XPATH_DEPTH_MAX + 3, ')', IA_WDA_XPATH_DEPTH_MAX);
    assert_memory_equal(found(s, 0, "xpath", text, false), "0 1 2", 5);
    for (int i = 0; i < IA_WDA_XPATH_DEPTH_MAX; i++) {
        memcpy(text + 2 * i, "*[", 2);
        text[2 * IA_WDA_XPATH_DEPTH_MAX + 1 + i] = ']';
    }
    text[2 * IA_WDA_XPATH_DEPTH_MAX] = '*';
    text[3 * IA_WDA_XPATH_DEPTH_MAX + 1] = '\0';
    assert_string_equal(found(s, 0, "xpath", text, false), "");
    static const char *const links[] = {"/*", "|*", " or 1", "-1", "[1]"};
    for (size_t k = 0; k < IA_COUNTOF(links); k++) {
        char *end = strcpy(text, "*") + 1;
        for (int i = 0; i < IA_WDA_XPATH_WORDS_MAX / 3 - 1; i++) {
            end = stpcpy(end, links[k]);
        }
        assert_null(strchr(found(s, 0, "xpath", text, false), ':'));
    }
    return NULL;
}

/* Threads of macOS have half a megabyte. */
static void an_expression_at_the_limits_fits_a_small_stack(void **state)
{
    pthread_attr_t attr;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstacksize(&attr, 512 * 1024), 0);
    assert_int_equal(
        pthread_create(&thread, &attr, search_all, ((struct fixture *)*state)->screen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attr);
}

/* With a tenth of a second: what it answers. */
static const char *soon(const struct ia_wda_screen *s, const char *xpath)
{
    static struct ia_err err;
    struct ia_wda_nodes list = {0};
    struct ia_wda_effort effort = ia_wda_effort(100);
    int64_t start = ia_thread_cpu_us();
    enum ia_rc rc = ia_wda_xpath_find(s, 0, ia_str(xpath), &effort, &list, &err);
    assert_true(ia_thread_cpu_us() - start < 5000000);
    ia_wda_nodes_fini(&list);
    return rc == IA_OK ? "" : err.msg;
}

/* A list of 3,000 elements with long names: work that grows with the square of that, or faster. */
static void what_would_take_for_ever_is_given_up(void **state)
{
    (void)state;
    static char label[16001], name[16001];
    memset(label, 'a', 16000);
    memset(name, 'b', 16000);
    struct ia_tree *t = long_tree(3000);
    for (struct ia_node *n = ia_tree_root(t); n; n = ia_node_next(n, ia_tree_root(t))) {
        if (n->type == IA_EL_CELL) {
            n->label = label;
            n->identifier = name;
        }
    }
    struct ia_wda_screen *s = ia_wda_screen_new(t);
    static const char *const rows[] = {
        "//*[count(//*[//*/@label = //*/@name]) > 1]",
        "//*[count(//*[count(//*) > 1]) > 1]",
        "//*[matches(@label, '(a+)+[^a]')]",
        "//*[translate(@label, @name, '') = 'x']",
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (strcmp(soon(s, rows[i]), "the search took too long") != 0) {
            fail_msg("%s", rows[i]);
        }
    }
    static const char *const grow[] = {
        "/*[concat(string(//*[@label][2]/@label), //*[@label][2]/@label, "
        "//*[@label][2]/@label, "
        "//*[@label][2]/@label, //*[@label][2]/@label)]",
        "//*[replace(@label, 'a', '$0$0$0$0$0$0$0$0')]",
        "//*[string-join(//@label, '')]",
    };
    for (size_t i = 0; i < IA_COUNTOF(grow); i++) {
        assert_non_null(strstr(found(s, 0, "xpath", grow[i], false), ": a text is too long"));
    }
    ia_wda_screen_free(s);
    ia_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_SCREEN(what_an_expression_finds),
        ON_SCREEN(functions_beyond_xpath_1),
        ON_SCREEN(a_mistake_is_an_invalid_selector),
        ON_SCREEN(an_expression_has_limits),
        ON_SCREEN(an_expression_at_the_limits_fits_a_small_stack),
        cmocka_unit_test(what_would_take_for_ever_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
