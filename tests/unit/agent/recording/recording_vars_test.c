/* Names in place of values: what a run typed and saw becomes what any run of the goal types and sees. */
#include "test.h"

#include "draw.h"

#include "agent/recording/recording_vars.h"
#include "json/json.h"

static json_t *recording(const char *step)
{
    json_t *doc = json_object();
    (void)json_object_set_new(doc, "step", json_pack("[o]", json_loads(step, 0, NULL)));
    return doc;
}

static char *step_of(const json_t *doc)
{
    return json_dumps(ia_recording_step(doc, 0), JSON_COMPACT);
}

#define ADA "first=Ada", "last=Lovelace", "n=1"
#define TYPED(text) "\"input\":{\"text\":\"" text "\"}"

static const struct {
    const char *vars[4], *step, *named;
} cases[] = {
    {{ADA}, "{" TYPED("Ada") "}", "{" TYPED("{{first}}") "}"},
    {{ADA}, "{" TYPED("Ada Lovelace") "}", "{" TYPED("{{first}} {{last}}") "}"},
    {{ADA}, "{" TYPED("Adamant, Ada.") "}", "{" TYPED("Adamant, Ada.") "}"},
    {{ADA}, "{" TYPED("1") "}", "{" TYPED("1") "}"},
    {{ADA}, "{" TYPED("1 piece, Ada.") "}", "{" TYPED("1 piece, {{first}}.") "}"},
    {{ADA},
     "{" TYPED("Ada") ",\"until\":[\"value #n = \\\"1\\\"\",\"visible row \\\"Ada, 1\\\"\"]}",
     "{" TYPED("{{first}}") ",\"until\":[\"value #n = \\\"1\\\"\",\"visible row "
                            "\\\"{{first}}, 1\\\"\"]}"},
    {{ADA},
     "{\"act\":\"Ada\",\"why\":\"Ada\",\"target\":{\"id\":\"x\",\"label\":\"Delete Ada?\"}}",
     "{\"act\":\"Ada\",\"why\":\"Ada\",\"target\":{\"id\":\"x\",\"label\":\"Delete "
     "{{first}}?\"}}"},
    {{"all=Ada Lovelace", "first=Bob"},
     "{" TYPED("Ada Lovelace") ",\"until\":[\"visible \\\"Ada Lovelace\\\"\"]}",
     "{" TYPED("{{all}}") ",\"until\":[\"visible \\\"{{all}}\\\"\"]}"},
    {{"say=a \"b\""},
     "{" TYPED("a \\\"b\\\"") ",\"until\":[\"visible \\\"a \\\\\\\"b\\\\\\\"\\\"\"]}",
     "{" TYPED("{{say}}") ",\"until\":[\"visible \\\"{{say}}\\\"\"]}"},
    {{"pin=secret"}, "{" TYPED("{{secret:secret}}") "}", "{" TYPED("{{secret:secret}}") "}"},
    {{"empty="}, "{\"title\":\"\"}", "{\"title\":\"\"}"},
};

/* What another value would change cannot be told: the recording is of this value alone. */
static void a_value_of_which_not_all_is_certain_stays(void **state)
{
    (void)state;
    static const struct {
        const char *vars[4], *step, *fixed; /* NULL: nothing is */
    } rows[] = {
        {{"day=tomorrow"}, "{" TYPED("Milk tomorrow") "}", NULL},
        {{"day=tomorrow"},
         "{" TYPED("Milk tomorrow") ",\"target\":{\"label\":\"Tomorrow\"}}",
         "{\"day\":\"tomorrow\"}"},
        {{"day=Today"},
         "{\"target\":{\"label\":\"Today\",\"id\":\"today\"}}",
         "{\"day\":\"Today\"}"},
        {{"n=4"}, "{" TYPED("4") "}", "{\"n\":\"4\"}"},
        {{"ref=Amount"},
         "{" TYPED("Amount") ",\"target\":{\"label\":\"Note\",\"before\":\"Amount\"}}",
         "{\"ref\":\"Amount\"}"},
        {{"name=Ada Lovelace"},
         "{" TYPED("Lovelace") ",\"target\":{\"label\":\"Ada Lovelace\"}}",
         "{\"name\":\"Ada Lovelace\"}"},
        {{"name=Ada"}, "{\"until\":[\"visible \\\"Ada\\\"\"]}", "{\"name\":\"Ada\"}"},
        {{"all=Ada Lovelace", "first=Ada"},
         "{" TYPED("Ada Lovelace, ADA LOVELACE") "}",
         "{\"all\":\"Ada Lovelace\",\"first\":\"Ada\"}"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_run_request req = {.vars = rows[i].vars,
                                     .var_count = rows[i].vars[1] ? 2 : 1};
        struct ia_err err = {0};
        json_t *doc = recording(rows[i].step);
        assert_int_equal(ia_recording_name_vars(doc, &req, &err), IA_OK);
        char *step = step_of(doc);
        json_t *fixed = json_object_get(doc, "fixed");
        char *text = fixed ? json_dumps(fixed, JSON_COMPACT) : NULL;
        if ((text && rows[i].fixed) ? strcmp(text, rows[i].fixed) != 0
                                    : text || rows[i].fixed) {
            fail_msg("%s: %s", rows[i].step, text ? text : "nothing is fixed");
        }
        assert_int_equal(strcmp(step, rows[i].step) == 0, rows[i].fixed != NULL);
        free(step);
        free(text);
        json_decref(doc);
    }
}

static struct ia_run_request request(const char *const *vars)
{
    size_t n = 0;
    while (n < 4 && vars[n]) {
        n++;
    }
    return (struct ia_run_request){.vars = vars, .var_count = n};
}

static void values_become_names_and_names_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_run_request req = request(cases[i].vars);
        struct ia_err err = {0};
        json_t *doc = recording(cases[i].step);
        if (ia_recording_name_vars(doc, &req, &err) != IA_OK) {
            fail_msg("%s: %s", cases[i].step, err.msg);
        }
        char *named = step_of(doc);
        assert_string_equal(named, cases[i].named);
        ia_recording_fill(doc, req.vars, req.var_count);
        char *filled = step_of(doc);
        assert_string_equal(filled, cases[i].step);
        free(named);
        free(filled);
        json_decref(doc);
    }
}

static void other_values_are_put_in_as_they_are_quoted(void **state)
{
    (void)state;
    const char *const vars[] = {"a=x \"y\" \\"};
    json_t *doc =
        recording("{\"title\":\"{{a}}, {{b}}\",\"until\":[\"visible \\\"{{a}}\\\"\"]}");
    ia_recording_fill(doc, vars, 1);
    const json_t *step = ia_recording_step(doc, 0);
    assert_string_equal(ia_json_text(step, "title"), "x \"y\" \\, {{b}}");
    assert_string_equal(json_string_value(json_array_get(json_object_get(step, "until"), 0)),
                        "visible \"x \\\"y\\\" \\\\\"");
    json_decref(doc);
}

static void what_cannot_be_told_apart_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *vars[4], *step;
        bool ok;
    } rows[] = {
        {{"a=Ada", "b=Ada"}, "{\"input\":{\"text\":\"Ada\"}}", false},
        {{"a=Ada", "c=Bob", "b=Ada"}, "{\"input\":{\"text\":\"Ada\"}}", false},
        {{"a=Ada", "b=Ada"}, "{\"input\":{\"text\":\"Bob\"}}", true},
        {{"a=Ada"}, "{\"title\":\"Hello {{user}}\"}", false},
        {{"a=Ada"}, "{\"title\":\"Hello {{secret:X}}\"}", true},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_run_request req = request(rows[i].vars);
        struct ia_err err = {0};
        json_t *doc = recording(rows[i].step);
        assert_int_equal(ia_recording_name_vars(doc, &req, &err),
                         rows[i].ok ? IA_OK : IA_E_STATE);
        json_decref(doc);
    }
}

/* ---- captures ---------------------------------------------------------------------------- */

#define SCREEN "Application 0,0,400,800\n"

static void take(void *ctx, const char *var)
{
    (void)snprintf(ctx, 80, "%s", var);
}

static void a_word_is_read_from_the_screen(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *screen, *read; /* NULL: nothing is */
    } rows[] = {
        {"text \"code is {{c}}\"", " StaticText 'Your code is 482913. Hide it' 0,100,400,40\n",
         "c=482913"},
        {"text \"code is {{c}}\"", " StaticText 'Your code is ' 0,100,400,40\n", NULL},
        {"text \"code is {{c}}\"", " StaticText 'Your barcode is 7' 0,100,400,40\n", NULL},
        {"text \"{{c}} is your\"",
         " StaticText 'This is your code' 0,100,400,40\n StaticText 'Bank, 9:41, 77 is your "
         "code' "
         "0,200,400,40\n",
         "c=77"},
        {"text \"at 9:41, {{c}} is\"",
         " StaticText 'Sent at 10:05, 482913 is it' 0,100,400,40\n", "c=482913"},
        {"text \"code is {{c}}\"",
         " StaticText 'code is 1' 0,100,400,40\n StaticText 'code is 2' 0,200,400,40\n", NULL},
        {"text \"code is {{c}}\"",
         " StaticText 'code is 1' 0,100,400,40\n StaticText 'My code is 1' 0,200,400,40\n",
         "c=1"},
        {"text \"code is {{c}}\"", " StaticText 'code is {{secret:KEY}}' 0,100,400,40\n", NULL},
        {"text \"Order 12 of {{c}} is\"",
         " StaticText 'Order 34 of 2026-11-24 is due' 0,100,400,40\n", "c=2026-11-24"},
        {"value cell \"Code\" = \"{{c}}\"", "", NULL},
        {"value text \"Code\" = \"{{c}}\"", " StaticText 'Code' ='A-7' 0,100,400,40\n",
         "c=A-7"},
        {"value text \"Code\" = \"{{c}}\"", " StaticText 'Code' ='two words' 0,100,400,40\n",
         NULL},
        {"text \"{{c}}\"", " StaticText '7' 0,100,400,40\n", NULL},
        {"visible \"{{c}}\"", " StaticText '7' 0,100,400,40\n", NULL},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_refs *refs = ia_refs_new();
        struct ia_buf tree = IA_BUF(4096), why = IA_BUF(4096);
        char var[80] = "";
        ia_buf_printf(&tree, "%s%s", SCREEN, rows[i].screen);
        struct ia_snapshot *s = draw(ia_buf_cstr(&tree), refs);
        json_t *step = json_pack("{s:{s:s}}", "capture", "c", rows[i].pattern);
        bool read = ia_recording_capture(step, s, take, var, &why);
        if (read != (rows[i].read != NULL) || (read && strcmp(var, rows[i].read) != 0)) {
            fail_msg("%s on %s: %s %s", rows[i].pattern, rows[i].screen, var,
                     ia_buf_cstr(&why));
        }
        json_decref(step);
        ia_snapshot_free(s);
        ia_refs_free(refs);
        ia_buf_fini(&tree);
        ia_buf_fini(&why);
    }
}

static void a_pattern_is_made_of_what_is_around_a_word(void **state)
{
    (void)state;
    static const struct {
        const char *screen, *word, *pattern; /* NULL: there is none */
    } rows[] = {
        {"app x \"X\"\n12 text Your new code is 482913. Do not share it\n", "482913",
         "text \"new code is {{c}}. Do\""},
        {"12 text 482913 is your code\n", "482913", "text \"{{c}} is your\""},
        {"24 row Bank, 9:41, 876161 is your code. = 1 unread\n", "876161",
         "text \"{{c}} is your\""},
        {"24 row Sent 9:41, 876161\n", "876161", "text \"Sent 9:41, {{c}}\""},
        {"12 text 482913\n", "482913", NULL},
        {"12 text Code 4829\n", "829", NULL},
        {"482913 text Code\n", "482913", NULL},
        {"12 row mobile = 555-0100\n", "555-0100", "value row \"mobile\" = \"{{c}}\""},
        {"12 row:selected a \"b\" = 555-0100\n", "555-0100",
         "value row \"a \\\"b\\\"\" = \"{{c}}\""},
        {"12 row Order 77 of = two days\n", "77", "text \"Order {{c}} of\""},
        {"12 row Order = in 7 days\n", "7", "text \"in {{c}} days\""},
        {"", "7", NULL},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf out = IA_BUF(400);
        bool made = ia_recording_capture_of(rows[i].screen, rows[i].word, "c", &out);
        if (made != (rows[i].pattern != NULL) ||
            (made && strcmp(ia_buf_cstr(&out), rows[i].pattern) != 0)) {
            fail_msg("%s: %s", rows[i].screen, ia_buf_cstr(&out));
        }
        ia_buf_fini(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_become_names_and_names_values),
        cmocka_unit_test(a_value_of_which_not_all_is_certain_stays),
        cmocka_unit_test(other_values_are_put_in_as_they_are_quoted),
        cmocka_unit_test(what_cannot_be_told_apart_is_refused),
        cmocka_unit_test(a_word_is_read_from_the_screen),
        cmocka_unit_test(a_pattern_is_made_of_what_is_around_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
