#include "test.h"

#include "opt/opt.h"

static const struct ia_opt opts[] = {
    {.name = "app", .kind = IA_OPT_TEXT, .value = "BUNDLE"},
    {.name = "expect", .kind = IA_OPT_TEXT, .value = "E", .repeat = true},
    {.name = "max-steps", .kind = IA_OPT_INT, .value = "N", .min = 1, .max = 500},
    {.name = "max-usd", .kind = IA_OPT_REAL, .value = "X"},
    {.name = "verify", .kind = IA_OPT_CHOICE, .value = "auto|always|off"},
    {.name = "fresh", .kind = IA_OPT_FLAG},
    {.name = "help", .letter = 'h', .kind = IA_OPT_FLAG},
    {.name = NULL},
};

/* Splits a command line at "|", so that a row of a table is one string. */
static enum ia_rc parse(struct ia_args *a, const char *line, struct ia_err *err)
{
    static char words[1024];
    static char *argv[64];
    int argc = 0;
    snprintf(words, sizeof(words), "%s", line);
    for (char *p = words; p && *line;) {
        argv[argc++] = p;
        p = strchr(p, '|');
        if (p) {
            *p++ = '\0';
        }
    }
    *err = (struct ia_err){0};
    return ia_args_parse(a, opts, argc, argv, err);
}

static void all_forms_of_an_option_are_read(void **state)
{
    (void)state;
    struct ia_args a;
    struct ia_err err;
    assert_int_equal(parse(&a, "--app=com.x|goal one|--max-steps|7|--max-usd=0.25|-h", &err),
                     IA_OK);
    assert_string_equal(ia_args_text(&a, "app"), "com.x");
    assert_int_equal(ia_args_int(&a, "max-steps", 3), 7);
    assert_true(ia_args_real(&a, "max-usd", 0) == 0.25);
    assert_true(ia_args_has(&a, "help"));
    assert_false(ia_args_has(&a, "fresh"));
    assert_int_equal(a.operand_count, 1);
    assert_string_equal(ia_args_operand(&a, 0), "goal one");
    assert_null(ia_args_operand(&a, 1));
}

static void what_is_not_given_has_its_fallback(void **state)
{
    (void)state;
    struct ia_args a;
    struct ia_err err;
    assert_int_equal(parse(&a, "", &err), IA_OK);
    assert_null(ia_args_text(&a, "app"));
    assert_int_equal(ia_args_int(&a, "max-steps", 3), 3);
    assert_true(ia_args_real(&a, "max-usd", 1.5) == 1.5);
}

static void repeated_options_keep_their_order(void **state)
{
    (void)state;
    struct ia_args a;
    struct ia_err err;
    const char *values[2];
    assert_int_equal(parse(&a, "--expect=one|--expect|two|--expect|three", &err), IA_OK);
    assert_int_equal(ia_args_list(&a, "expect", values, 2), 3);
    assert_string_equal(values[0], "one");
    assert_string_equal(values[1], "two");
}

static void two_dashes_end_the_options(void **state)
{
    (void)state;
    struct ia_args a;
    struct ia_err err;
    assert_int_equal(parse(&a, "-|--|--app|--nonsense", &err), IA_OK);
    assert_int_equal(a.operand_count, 3);
    assert_string_equal(ia_args_operand(&a, 0), "-");
    assert_string_equal(ia_args_operand(&a, 2), "--nonsense");
}

static void an_option_takes_the_next_word_whatever_it_is(void **state)
{
    (void)state;
    struct ia_args a;
    struct ia_err err;
    assert_int_equal(parse(&a, "--app|--fresh", &err), IA_OK);
    assert_string_equal(ia_args_text(&a, "app"), "--fresh");
    assert_false(ia_args_has(&a, "fresh"));
}

static void mistakes_are_refused_with_what_was_meant(void **state)
{
    (void)state;
    static const struct {
        const char *line, *msg, *hint;
    } rows[] = {
        {"--exepct=x", "unknown option --exepct=x", "did you mean --expect?"},
        {"--max-step|3", "unknown option --max-step", "did you mean --max-steps?"},
        {"-app", "unknown option -app", "did you mean --app?"},
        {"--zzzzzzz", "unknown option --zzzzzzz", "--help"},
        {"-z", "unknown option -z", "--help"},
        {"--app", "--app needs a value: --app BUNDLE", ""},
        {"--fresh=yes", "--fresh takes no value", ""},
        {"--app=a|--app=b", "--app is given twice", ""},
        {"--max-steps=0", "whole number from 1 to 500, not \"0\"", ""},
        {"--max-steps=501", "whole number from 1 to 500", ""},
        {"--max-steps=7x", "whole number", ""},
        {"--max-steps=", "whole number", ""},
        {"--max-steps=99999999999999999999", "whole number", ""},
        {"--max-usd=-1", "at least 0", ""},
        {"--max-usd=nan", "at least 0", ""},
        {"--max-usd=inf", "at least 0", ""},
        {"--verify=aut", "one of auto|always|off, not \"aut\"", ""},
        {"--verify=auto|off", NULL, NULL}, /* "off" is an operand here */
        {"--verify=auto|--verify=off", "--verify is given twice", ""},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_args a;
        struct ia_err err;
        enum ia_rc rc = parse(&a, rows[i].line, &err);
        if (!rows[i].msg) {
            assert_int_equal(rc, IA_OK);
            continue;
        }
        assert_int_equal(rc, IA_E_USAGE);
        if (!strstr(err.msg, rows[i].msg) || !strstr(err.hint, rows[i].hint)) {
            fail_msg("%s: \"%s\" / \"%s\"", rows[i].line, err.msg, err.hint);
        }
    }
}

static void too_many_words_are_refused(void **state)
{
    (void)state;
    static char *argv[IA_ARGS_MAX + 1];
    static char flag[] = "--fresh";
    static char word[] = "word";
    struct ia_args a;
    struct ia_err err;
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < IA_COUNTOF(argv); i++) {
            argv[i] = kind == 0 ? flag : word;
        }
        assert_int_equal(ia_args_parse(&a, opts, IA_ARGS_MAX, argv, &err), IA_OK);
        assert_int_equal(ia_args_parse(&a, opts, IA_ARGS_MAX + 1, argv, &err), IA_E_USAGE);
    }
}

/* Words fill the options that have a place, except those that were given by name. */
static void words_become_the_values_of_options_with_a_place(void **state)
{
    (void)state;
    static const struct ia_opt placed[] = {
        {.name = "ref", .kind = IA_OPT_TEXT, .value = "REF", .operand = 1, .required = true},
        {.name = "text", .kind = IA_OPT_TEXT, .value = "TEXT", .operand = 2},
        {.name = NULL},
    };
    static const struct {
        const char *words[4], *ref, *text;
        size_t left;
    } rows[] = {
        {{"@e9", "hello"}, "@e9", "hello", 0},
        {{"--ref", "@e9", "hello"}, "@e9", "hello", 0},
        {{"--text=hello", "9"}, "9", "hello", 0},
        {{"9", "-5"}, "9", "-5", 0}, /* no option is called by a digit */
        {{"9", "hello", "world"}, "9", "hello", 1},
        {{"--text", "hello"}, NULL, "hello", 0},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char *argv[4];
        int argc = 0;
        for (; argc < 4 && rows[i].words[argc]; argc++) {
            argv[argc] = (char *)rows[i].words[argc];
        }
        struct ia_args a;
        struct ia_err err = {0};
        assert_int_equal(ia_args_parse(&a, placed, argc, argv, &err), IA_OK);
        assert_true(a.operand_count == rows[i].left);
        assert_int_equal(ia_args_check(&a, &err), rows[i].ref ? IA_OK : IA_E_USAGE);
        assert_string_equal(rows[i].ref ? ia_args_text(&a, "ref") : err.msg,
                            rows[i].ref ? rows[i].ref : "--ref REF is missing");
        assert_string_equal(ia_args_text(&a, "text"), rows[i].text);
    }
}

/* "swipe up @e7" and "swipe @e7 up" say the same. */
static void a_word_that_a_choice_does_not_have_goes_to_the_next_place(void **state)
{
    (void)state;
    static const struct ia_opt placed[] = {
        {.name = "direction",
         .kind = IA_OPT_CHOICE,
         .value = "up|down",
         .operand = 1,
         .required = true},
        {.name = "ref", .kind = IA_OPT_TEXT, .value = "REF", .operand = 2},
        {.name = NULL},
    };
    static const struct {
        const char *words[2];
        enum ia_rc parsed, checked;
    } rows[] = {
        {{"up", "@e7"}, IA_OK, IA_OK},
        {{"@e7", "up"}, IA_OK, IA_OK},
        {{"up", NULL}, IA_OK, IA_OK},
        {{"@e7", NULL}, IA_E_USAGE, IA_E_USAGE}, /* not "direction is missing" */
        {{"@e7", "sideways"}, IA_E_USAGE, IA_E_USAGE},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char *argv[] = {(char *)rows[i].words[0], (char *)rows[i].words[1]};
        struct ia_args a;
        struct ia_err err = {0};
        assert_int_equal(ia_args_parse(&a, placed, rows[i].words[1] ? 2 : 1, argv, &err),
                         rows[i].parsed);
        if (rows[i].parsed == IA_OK) {
            assert_int_equal(ia_args_check(&a, &err), rows[i].checked);
        }
        if (rows[i].checked == IA_OK) {
            assert_string_equal(ia_args_text(&a, "direction"), "up");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_of_an_option_are_read),
        cmocka_unit_test(what_is_not_given_has_its_fallback),
        cmocka_unit_test(repeated_options_keep_their_order),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(an_option_takes_the_next_word_whatever_it_is),
        cmocka_unit_test(mistakes_are_refused_with_what_was_meant),
        cmocka_unit_test(too_many_words_are_refused),
        cmocka_unit_test(words_become_the_values_of_options_with_a_place),
        cmocka_unit_test(a_word_that_a_choice_does_not_have_goes_to_the_next_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
