/* Verdicts of subtasks: which count as proven, which stay open, and what a verifier and a quote may rest on. */
#include "test.h"

#include "agent/verdict/subtasks.h"

#include <stdlib.h>
#include <string.h>

static void only_a_pass_that_a_program_or_a_verifier_checked_is_proven(void **state)
{
    (void)state;
    for (int s = 0; s < IA_RUN_STATE_COUNT; s++) {
        for (int b = 0; b < IA_BASIS_COUNT; b++) {
            bool proven =
                s == IA_RUN_PASSED && (b == IA_BASIS_EXPECTATIONS || b == IA_BASIS_VERIFIER ||
                                       b == IA_BASIS_BOTH || b == IA_BASIS_PICTURE);
            assert_int_equal(ia_subtask_proven((enum ia_run_state)s, (enum ia_basis)b), proven);
        }
    }
}

static void a_subtask_is_open_until_it_or_a_later_one_that_repeats_it_is_proven(void **state)
{
    (void)state;
    const struct {
        bool proven[4];
        int redoes[4];
        size_t count, open;
    } cases[] = {
        {{0}, {0}, 0, 0},
        {{true, true}, {0}, 2, 0},
        {{true, false}, {0}, 2, 2},
        {{false, true}, {0, 1}, 2, 0},
        {{false, false}, {0, 1}, 2, 1},
        {{false, false, true}, {0, 1, 2}, 3, 0}, /* a repeat of a repeat */
        {{false, true, true}, {0, 0, 2}, 3, 1},  /* another one was repeated */
        {{false, true}, {0, 2}, 2, 1},           /* it names itself */
        {{true, false}, {2, 0}, 2, 2},           /* one before it repeats nothing */
        {{false, true}, {0, -1}, 2, 1},
        {{false, true}, {0, 99}, 2, 1},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_subtask items[4] = {{.redoes = 0}};
        for (size_t k = 0; k < cases[i].count; k++) {
            items[k] =
                (struct ia_subtask){.state = cases[i].proven[k] ? IA_RUN_PASSED : IA_RUN_FAILED,
                                    .basis = cases[i].proven[k] ? IA_BASIS_BOTH : IA_BASIS_NONE,
                                    .redoes = cases[i].redoes[k]};
        }
        assert_int_equal(ia_subtasks_open(items, cases[i].count), cases[i].open);
    }
}

static json_t *result(void)
{
    return json_pack("{s:s, s:[{s:s, s:b}], s:[{s:s}, {s:s, s:b}]}", "summary", "WORDS",
                     "expects", "expect", "value \"a\" = \"b\"", "held", 1, "evidence", "quote",
                     "seen \"it\"\nand that", "quote", "INVENTED", "unproven", 1);
}

static void
what_is_proven_are_expectations_and_quotes_that_were_found_and_no_words(void **state)
{
    (void)state;
    struct ia_subtask item = {.state = IA_RUN_PASSED,
                              .basis = IA_BASIS_BOTH,
                              .agent = (char *)"hand",
                              .lane = (char *)"embedded:a",
                              .goal = (char *)"do\nit",
                              .summary = (char *)"WORDS",
                              .result = result()};
    const struct ia_subtasks all = {.items = &item, .count = 1};
    struct ia_buf out = IA_BUF(1 << 16);
    ia_subtask_proof(&item, &out);
    assert_string_equal(ia_buf_cstr(&out),
                        "subtask\n1 text \"seen \\\"it\\\"\"\n2 text \"and that\"\n");
    ia_buf_reset(&out);
    ia_subtasks_put(&all, &out);
    assert_non_null(
        strstr(ia_buf_cstr(&out), "subtask 1 by hand on embedded:a: passed (every"));
    assert_non_null(strstr(ia_buf_cstr(&out), "0 asked \"do it\"\n"));
    assert_non_null(
        strstr(ia_buf_cstr(&out), "expectation:holds \"value \\\"a\\\" = \\\"b\\\"\""));
    assert_null(strstr(ia_buf_cstr(&out), "WORDS"));
    assert_null(strstr(ia_buf_cstr(&out), "INVENTED"));
    ia_buf_reset(&out);
    item.basis = IA_BASIS_UNVERIFIED;
    ia_subtask_proof(&item, &out);
    assert_int_equal(out.len, 0);
    ia_buf_fini(&out);
    json_decref(item.result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_pass_that_a_program_or_a_verifier_checked_is_proven),
        cmocka_unit_test(a_subtask_is_open_until_it_or_a_later_one_that_repeats_it_is_proven),
        cmocka_unit_test(
            what_is_proven_are_expectations_and_quotes_that_were_found_and_no_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
