#include "test.h"

#include "agent/goal/expect.h"
#include "screen.h"

struct parse_case {
    const char *text;
    enum ia_rc rc;
    const char *says; /* within the message; for mistakes the caret line too */
};

static const struct parse_case expectations[] = {
    {"visible \"Ada\"", IA_OK, NULL},
    {"  gone   row \"Ada \\\"x\\\"\"  ", IA_OK, NULL},
    {"visible #name", IA_OK, NULL},
    {"visible switch", IA_OK, NULL},
    {"value #name = \"Ada\"", IA_OK, NULL},
    {"value field \"a = b\" = \"c = d\"", IA_OK, NULL},
    {"text \"555\"", IA_OK, NULL},
    {"picture text \"555\"", IA_OK, NULL},
    {"after relaunch: picture text \"555\"", IA_OK, NULL},
    {"picture visible #name", IA_E_PARSE,
     "only text is read on a picture\n  picture visible #name\n          ^"},
    {"picture", IA_E_PARSE, "must begin with"},
    {"app com.apple.Preferences", IA_OK, NULL},
    {"state \"cart.total\" = \"42.00\"", IA_OK, NULL},
    {"after relaunch: state  \"a-b_2\"=\"x = \\\"y\\\"\" ", IA_OK, NULL},
    {"appears row \"Ada\"", IA_OK, NULL},
    {"disappears \"Ada\"", IA_OK, NULL},
    {"changes switch \"Wi-Fi\"", IA_OK, NULL},
    {"count row = 0", IA_OK, NULL},
    {"count #a=b = 12", IA_OK, NULL},
    {"after relaunch: gone row \"Ada\"", IA_OK, NULL},
    {"after  relaunch:  changes #name", IA_OK, NULL},
    {"command \"test -f 'a b'\"", IA_OK, NULL},
    {"", IA_E_PARSE, "must begin with visible"},
    {"visble \"Ada\"", IA_E_PARSE,
     "must begin with visible, gone, appears, disappears, changes, value, count, text, "
     "picture text, app, state, after relaunch: or command\n"
     "  visble \"Ada\"\n"
     "  ^"},
    {"visible", IA_E_PARSE, "a selector is missing\n  visible\n         ^"},
    {"visible buton \"Ada\"", IA_E_PARSE, "\n  visible buton \"Ada\"\n          ^"},
    {"visible \"Ada", IA_E_PARSE, "\n  visible \"Ada\n          ^"},
    {"visible \"Ada\" x", IA_E_PARSE,
     "nothing may follow here\n  visible \"Ada\" x\n"
     "                ^"},
    {"value #name", IA_E_PARSE, "= \"text\" is missing\n  value #name\n             ^"},
    {"value = \"x\"", IA_E_PARSE, "a selector is missing"},
    {"value #name = Ada", IA_E_PARSE,
     "in double quotes is missing\n  value #name = Ada\n"
     "                ^"},
    {"value #name = \"Ada\" now", IA_E_PARSE, "nothing may follow here"},
    {"text 555", IA_E_PARSE, "a text in double quotes is missing"},
    {"text \"\"", IA_E_PARSE, "the text is empty"},
    {"text \"é\" x", IA_E_PARSE, "\n  text \"é\" x\n           ^"},
    {"count row", IA_E_PARSE, "= and a number are missing"},
    {"count = 3", IA_E_PARSE, "a selector is missing"},
    {"count row = x", IA_E_PARSE, "a number from 0 to 9999"},
    {"count row = -1", IA_E_PARSE, "a number from 0 to 9999"},
    {"count row =", IA_E_PARSE, "a number from 0 to 9999"},
    {"count row = 10000", IA_E_PARSE, "a number from 0 to 9999"},
    {"count row = 1 2", IA_E_PARSE, "nothing may follow here"},
    {"after relaunch: after relaunch: gone \"x\"", IA_E_PARSE, "must begin with"},
    {"after relaunch:", IA_E_PARSE, "must begin with"},
    {"after launch: gone \"x\"", IA_E_PARSE, "must begin with"},
    {"after relaunch: command \"true\"", IA_E_PARSE, "knows nothing of a relaunch"},
    {"command \" \"", IA_E_PARSE, "no program is named"},
    {"command \"'' x\"", IA_E_PARSE, "no program is named"},
    {"command \"echo 'x\"", IA_E_PARSE, "a single quote is not closed"},
    {"command true", IA_E_PARSE, "a text in double quotes is missing"},
    {"app", IA_E_PARSE, "a bundle id is missing"},
    {"state", IA_E_PARSE, "a text in double quotes is missing\n  state\n       ^"},
    {"state cart = \"1\"", IA_E_PARSE, "in double quotes is missing\n  state cart"},
    {"state \"cart total\" = \"1\"", IA_E_PARSE,
     "a state's name has letters, digits, \".\", \"_\" and \"-\"\n"
     "  state \"cart total\" = \"1\"\n        ^"},
    {"state \"caf\xc3\xa9\" = \"1\"", IA_E_PARSE, "a state's name has"},
    {"state \"0123456789012345678901234567890123456789012345678901234567890123x\" = \"1\"",
     IA_E_PARSE, "a state's name has"},
    {"state \"cart\"", IA_E_PARSE, "= \"text\" is missing\n  state \"cart\"\n              ^"},
    {"state \"cart\" \"1\"", IA_E_PARSE, "= \"text\" is missing"},
    {"state \"cart\" = 1", IA_E_PARSE, "a text in double quotes is missing"},
    {"state \"cart\" = \"\"", IA_E_PARSE, "the text is empty"},
    {"state \"cart\" = \"1\" \"2\"", IA_E_PARSE, "nothing may follow here"},
    {"app com.a com.b", IA_E_PARSE, "nothing may follow here"},
    {"text \"a\nb\"", IA_E_PARSE, "byte 8 is a control character"},
    {"text \"\xff\"", IA_E_PARSE, "byte 7 is a control character or not UTF-8"},
};

static void mistakes_are_shown_with_a_caret_under_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(expectations); i++) {
        struct ia_err err = {0};
        const char *text = expectations[i].text;
        enum ia_rc rc = ia_expect_check(&text, 1, &err);
        if (rc != expectations[i].rc ||
            (rc != IA_OK && !strstr(err.msg, expectations[i].says))) {
            fail_msg("%s: %s %s", text, ia_rc_name(rc), err.msg);
        }
    }
}

static void a_text_beyond_the_cap_is_refused(void **state)
{
    (void)state;
    char big[IA_EXPECT_BYTES_MAX + 50];
    memset(big, 'x', sizeof(big) - 1);
    memcpy(big, "text \"", 6);
    big[sizeof(big) - 2] = '"';
    big[sizeof(big) - 1] = '\0';
    const char *text = big;
    struct ia_err err;
    assert_int_equal(ia_expect_check(&text, 1, &err), IA_E_PARSE);
    assert_non_null(strstr(err.msg, "longer than"));
}

struct hold_case {
    const char *text;
    bool holds;
};

static void expectations_are_checked_on_the_screen(void **state)
{
    (void)state;
    static const struct piece pieces[] = {
        {IA_EL_BUTTON, "Add", NULL, "add", 50},
        {IA_EL_STATIC_TEXT, "Ada Lovelace", NULL, NULL, 100},
        {IA_EL_TEXT_FIELD, "Name", "Grace Hopper", "name", 150},
        {IA_EL_SWITCH, "Wi-Fi", "1", "wifi", 200},
        {IA_EL_SWITCH, "Bluetooth", "0", NULL, 250},
        {IA_EL_BUTTON, "Privacy", NULL, NULL, 1200},
    };
    static const struct hold_case cases[] = {
        {"visible \"Ada Lovelace\"", true},
        {"visible button \"Add\"", true},
        {"visible #add", true},
        {"visible switch", true},
        {"visible text \"Add\"", false},
        {"visible \"Ada\"", false},
        {"visible \"Privacy\"", false}, /* off the screen */
        {"gone \"Alan Turing\"", true},
        {"gone \"Ada Lovelace\"", false},
        {"gone \"Privacy\"", false}, /* off the screen is not gone */
        {"value #name = \"Grace Hopper\"", true},
        {"value #name = \"Grace\"", false},
        {"value #nobody = \"Grace\"", false},
        {"value switch \"Wi-Fi\" = \"on\"", true},
        {"value switch \"Wi-Fi\" = \"1\"", true},
        {"value switch \"Wi-Fi\" = \"0\"", false},
        {"value switch \"Wi-Fi\" = \"off\"", false},
        {"value switch \"Wi-Fi\" = \"off\"", false},
        {"value \"Bluetooth\" = \"off\"", true},
        {"value button \"Add\" = \"selected\"", false},
        {"value button \"Add\" = \"disabled\"", false},
        {"text \"Lovelace\"", true},
        {"text \"Hopper\"", true},
        {"text \"Turing\"", false},
        {"text \"1\"", false}, /* a ref, a role, a state, an identifier: not on the screen */
        {"text \"button Add\"", false},
        {"text \"switch\"", false},
        {"text \"on\"", false},
        {"text \"wifi\"", false},
        {"app com.acme.book", true},
        {"app com.acme", false},
        {"state \"cart.total\" = \"42.00\"", false}, /* the app tells nothing */
    };
    struct screen s = screen_of("com.acme.book", pieces, IA_COUNTOF(pieces));
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_expect x;
        struct ia_buf why = IA_BUF(4096);
        assert_int_equal(ia_expect_parse(cases[i].text, &x, NULL), IA_OK);
        bool holds = ia_expect_holds(&x, s.snapshot, &why);
        if (holds != cases[i].holds) {
            ia_snapshot_text(s.snapshot, 0, &why);
            fail_msg("%s: %s", cases[i].text, ia_buf_cstr(&why));
        }
        assert_true(holds == (why.len == 0));
        assert_true(holds || strstr(ia_buf_cstr(&why), cases[i].text));
        ia_buf_fini(&why);
        ia_expect_fini(&x);
    }
    screen_free(&s);
}

/* What a device could not deliver may hold the very element. */
static void nothing_is_gone_from_a_screen_that_was_cut(void **state)
{
    (void)state;
    static const struct piece pieces[] = {{IA_EL_BUTTON, "Save", NULL, NULL, 0}};
    struct screen s = screen_of("com.acme.book", pieces, 1);
    struct ia_buf why = IA_BUF(4096);
    struct ia_expect x;
    assert_int_equal(ia_expect_parse("gone \"Ada\"", &x, NULL), IA_OK);
    assert_true(ia_expect_holds(&x, s.snapshot, NULL));
    ia_snapshot_free(s.snapshot);
    ia_tree_set_truncated(s.tree);
    s.snapshot = ia_snapshot_new(s.tree, s.refs, 400, 800);
    assert_false(ia_expect_holds(&x, s.snapshot, &why));
    assert_non_null(strstr(ia_buf_cstr(&why), "cut"));
    ia_buf_fini(&why);
    ia_expect_fini(&x);
    screen_free(&s);
}

/* Two screens of one app: what was there at the start, and what is there in the end. */
static void an_effect_is_what_differs_from_the_start(void **state)
{
    (void)state;
    static const struct piece first[] = {
        {IA_EL_STATIC_TEXT, "Ada", NULL, NULL, 50},
        {IA_EL_STATIC_TEXT, "Grace", NULL, NULL, 1200}, /* off the screen */
        {IA_EL_SWITCH, "Wi-Fi", "0", NULL, 100},
        {IA_EL_SWITCH, "Bluetooth", "1", NULL, 150},
        {IA_EL_TEXT_FIELD, "Name", "Ada", NULL, 200},
    };
    static const struct piece last[] = {
        {IA_EL_STATIC_TEXT, "Alan", NULL, NULL, 50},
        {IA_EL_STATIC_TEXT, "Grace", NULL, NULL, 250},
        {IA_EL_SWITCH, "Wi-Fi", "1", NULL, 100},
        {IA_EL_SWITCH, "Bluetooth", "1", NULL, 150},
        {IA_EL_SWITCH, "Cellular", "1", NULL, 300},
        {IA_EL_TEXT_FIELD, "Name", "Alan", NULL, 200},
        {IA_EL_BUTTON, "Privacy", NULL, NULL, 1200},
    };
    static const struct {
        const char *text;
        bool holds;
        const char *why;
    } cases[] = {
        {"appears \"Alan\"", true, ""},
        {"appears \"Ada\"", false, "not on the screen"},
        {"appears switch \"Wi-Fi\"", false, "there from the start"},
        {"appears \"Grace\"", false, "there from the start"}, /* it was below */
        {"appears \"Privacy\"", false, "off the screen"},
        {"disappears \"Ada\"", true, ""},
        {"disappears \"Grace\"", false, "still there"},
        {"disappears \"Turing\"", false, "not there at the start"},
        {"changes switch \"Wi-Fi\"", true, ""},
        {"changes \"Name\"", true, ""},
        {"changes switch \"Bluetooth\"", false, "reads as at the start"},
        {"changes switch \"Cellular\"", false, "not on the first screen"},
        {"changes \"Ada\"", false, "not on the screen"},
        {"count switch = 3", true, ""},
        {"count switch = 2", false, "there are 3"},
        {"count \"Ada\" = 0", true, ""},
        {"count button = 0", true, ""}, /* Privacy is below */
        {"after relaunch: appears \"Alan\"", true, ""},
        {"command \"true\"", false, "not run"}, /* never here */
    };
    struct screen a = screen_of("com.acme.book", first, IA_COUNTOF(first));
    struct screen b = screen_of("com.acme.book", last, IA_COUNTOF(last));
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_expect x, again;
        struct ia_buf why = IA_BUF(4096);
        assert_int_equal(ia_expect_parse(cases[i].text, &x, NULL), IA_OK);
        assert_int_equal(ia_expect_parse(cases[i].text, &again, NULL), IA_OK);
        ia_expect_begin(&x, a.snapshot);
        ia_expect_recall(&again, ia_str(x.start)); /* as another process does */
        bool holds = ia_expect_holds(&x, b.snapshot, &why);
        if (holds != cases[i].holds || !strstr(ia_buf_cstr(&why), cases[i].why)) {
            fail_msg("%s: %s", cases[i].text, ia_buf_cstr(&why));
        }
        assert_int_equal(ia_expect_holds(&again, b.snapshot, NULL), holds);
        ia_expect_recall(&x, ia_str(NULL));
        bool compares = strstr(cases[i].text, "ppears") || strstr(cases[i].text, "changes");
        assert_int_equal(ia_expect_holds(&x, b.snapshot, NULL), holds && !compares);
        ia_buf_fini(&why);
        ia_expect_fini(&x);
        ia_expect_fini(&again);
    }
    screen_free(&a);
    screen_free(&b);
}

static void a_command_is_words_and_never_a_shell_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words[5];
    } cases[] = {
        {"true", {"true"}},
        {" curl  -f\thttp://x ", {"curl", "-f", "http://x"}},
        {"test 'a b' = a\\ b", {"test", "a b", "=", "a b"}},
        {"echo $HOME;rm *", {"echo", "$HOME;rm", "*"}},
        {"p '' x", {"p", "", "x"}},
        {"p 'it'\\''s'", {"p", "it's"}},
        {"p 'x", {NULL}},
        {"", {NULL}},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char **words = ia_command_words(cases[i].text);
        size_t n = 0;
        assert_int_equal(words == NULL, cases[i].words[0] == NULL);
        for (; words && words[n]; n++) {
            assert_non_null(cases[i].words[n]);
            assert_string_equal(words[n], cases[i].words[n]);
        }
        assert_null(cases[i].words[n]);
        ia_words_free(words);
    }
}

static void commands_have_to_be_allowed(void **state)
{
    (void)state;
    const char *const texts[] = {"visible \"Ada\"", "command \"true\""};
    struct ia_expects list;
    struct ia_err err = {0};
    assert_int_equal(ia_expects_parse(texts, 2, &list, NULL), IA_OK);
    assert_int_equal(ia_expects_allowed(&list, true, &err), IA_OK);
    assert_int_equal(ia_expects_allowed(&list, false, &err), IA_E_USAGE);
    assert_non_null(strstr(err.msg, "command \"true\""));
    assert_non_null(strstr(err.hint, "--allow-commands"));
    list.count = 1;
    assert_int_equal(ia_expects_allowed(&list, false, &err), IA_OK);
    list.count = 2;
    ia_expects_fini(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_shown_with_a_caret_under_them),
        cmocka_unit_test(a_text_beyond_the_cap_is_refused),
        cmocka_unit_test(expectations_are_checked_on_the_screen),
        cmocka_unit_test(an_effect_is_what_differs_from_the_start),
        cmocka_unit_test(a_command_is_words_and_never_a_shell_line),
        cmocka_unit_test(commands_have_to_be_allowed),
        cmocka_unit_test(nothing_is_gone_from_a_screen_that_was_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
