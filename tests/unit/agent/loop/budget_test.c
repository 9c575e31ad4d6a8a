#include "test.h"

#include "agent/loop/budget.h"

#define MODEL "claude-sonnet-5-5" /* $2 in, $2.5 written, $0.1 read, $10 out */

static struct ia_models *models(void)
{
    struct ia_models *m = NULL;
    assert_int_equal(ia_models_load(NULL, &m, NULL), IA_OK);
    return m;
}

static struct ia_spending start(const struct ia_models *m, struct ia_budget limit)
{
    struct ia_spending s;
    assert_int_equal(ia_spending_start(&s, &limit, m, MODEL, NULL, 1000, NULL), IA_OK);
    return s;
}

static void without_limits_only_the_default_of_steps_counts(void **state)
{
    (void)state;
    struct ia_models *m = models();
    struct ia_spending s = start(m, (struct ia_budget){0});
    int max = 0;
    assert_true(ia_spending_deadline(&s) == IA_NO_DEADLINE);
    assert_int_equal(ia_spending_check(&s, INT64_MAX - 1, NULL), IA_OK);
    assert_int_equal(ia_spending_next(&s, MODEL, NULL, 5000, IA_ANSWER_TOKENS, &max, NULL),
                     IA_OK);
    assert_int_equal(max, IA_ANSWER_TOKENS);
    s.steps = IA_STEPS_DEFAULT;
    assert_int_equal(ia_spending_check(&s, 0, NULL), IA_E_BUDGET);
    ia_models_free(m);
}

static void time_and_steps_end_a_run_with_their_own_codes(void **state)
{
    (void)state;
    struct ia_models *m = models();
    struct ia_spending s = start(m, (struct ia_budget){.max_steps = 3, .max_seconds = 2});
    struct ia_err err;
    assert_int_equal(ia_spending_check(&s, 2000999, &err), IA_OK);
    assert_int_equal(ia_spending_check(&s, 2001000, &err), IA_E_TIMEOUT);
    assert_non_null(strstr(err.msg, "2 s"));
    assert_non_null(strstr(err.hint, "--max-seconds"));
    s.steps = 3;
    assert_int_equal(ia_spending_check(&s, 1000, &err), IA_E_BUDGET);
    assert_non_null(strstr(err.hint, "--max-steps"));
    ia_models_free(m);
}

static struct ia_claude_usage used(int64_t read, int64_t written, int64_t out)
{
    struct ia_claude_usage u = ia_claude_usage_none();
    u.total.input = 0;
    u.total.cache_read = read;
    u.total.cache_write = written;
    u.total.output = out;
    return u;
}

static void the_next_request_must_fit_into_the_tokens_that_are_left(void **state)
{
    (void)state;
    struct ia_models *m = models();
    struct ia_spending s = start(m, (struct ia_budget){.max_tokens = 20000});
    struct ia_claude_usage last = used(0, 4000, 1000);
    int max = 0;
    struct ia_err err;
    s.tokens = 5000; /* next: 5000 of the last turn and 1000 new are sent, 9000 are left */
    assert_int_equal(ia_spending_next(&s, MODEL, &last, 1000, IA_ANSWER_TOKENS, &max, &err),
                     IA_OK);
    assert_int_equal(max, 9000);
    s.tokens = 13600;
    assert_int_equal(ia_spending_next(&s, MODEL, &last, 1000, IA_ANSWER_TOKENS, &max, &err),
                     IA_E_BUDGET);
    assert_non_null(strstr(err.msg, "20000 tokens"));
    ia_models_free(m);
}

static void the_projected_cost_must_fit_into_the_usd_that_are_left(void **state)
{
    (void)state;
    struct ia_models *m = models();
    struct ia_spending s = start(m, (struct ia_budget){.max_usd = 0.10});
    struct ia_claude_usage last = used(100000, 0, 0);
    int max = 0;
    struct ia_err err;
    /* 100,000 read = $0.01, 4,000 written = $0.01; $0.08 are left for 8,000 tokens of output */
    assert_int_equal(ia_spending_next(&s, MODEL, &last, 4000, IA_ANSWER_TOKENS, &max, &err),
                     IA_OK);
    assert_in_range(max, 7990, 8000);
    s.usd_max = 0.076; /* $0.02 and the least answer of $0.00512 do not fit any more */
    assert_int_equal(ia_spending_next(&s, MODEL, &last, 4000, IA_ANSWER_TOKENS, &max, &err),
                     IA_E_BUDGET);
    assert_non_null(strstr(err.msg, "$0.1000"));
    assert_non_null(strstr(err.msg, "$0.0760 are spent"));
    ia_models_free(m);
}

static void a_limit_in_usd_needs_known_prices_and_no_limit_is_negative(void **state)
{
    (void)state;
    struct ia_models *m = models();
    struct ia_spending s;
    struct ia_err err;
    struct ia_budget usd = {.max_usd = 1}, negative = {.max_steps = -1};
    assert_int_equal(ia_spending_start(&s, &usd, m, "claude-unheard-of", NULL, 0, &err),
                     IA_E_USAGE);
    assert_non_null(strstr(err.msg, "claude-unheard-of"));
    assert_int_equal(ia_spending_start(&s, &usd, m, MODEL, "claude-unheard-of", 0, &err),
                     IA_E_USAGE);
    assert_int_equal(ia_spending_start(&s, &negative, m, MODEL, NULL, 0, &err), IA_E_USAGE);
    ia_models_free(m);
}

static void attempts_that_broke_off_are_counted_at_most_and_make_the_cost_unknown(void **state)
{
    (void)state;
    struct ia_models *m = models();
    struct ia_spending s = start(m, (struct ia_budget){.max_usd = 1});
    struct ia_claude_broken broken = {.turns = 1, .input_tokens = 10000, .output_tokens = 2000};
    ia_spending_add(&s, MODEL, NULL, &broken);
    assert_int_equal(s.tokens, 12000);
    assert_false(s.cost_known);
    assert_true(s.usd == 0 && s.usd_max > 0.0449 && s.usd_max < 0.0451);
    struct ia_claude_reply reply = {.cost_usd = 0.5, .cost_known = true};
    reply.message.usage = used(10, 20, 30);
    reply.message.usage.total.input = -1;
    ia_spending_add(&s, MODEL, &reply, NULL);
    assert_int_equal(s.tokens, 12060);
    assert_true(s.usd == 0.5);
    ia_models_free(m);
}

/* A gateway may call the model by another name: what is asked for has a price all the same. */
static void a_cost_that_is_not_known_still_counts_against_the_limit(void **state)
{
    (void)state;
    struct ia_models *m = models();
    struct ia_spending s = start(m, (struct ia_budget){.max_usd = 1});
    struct ia_claude_reply reply = {.cost_known = false};
    reply.message.usage = used(0, 0, 50000);
    ia_spending_add(&s, MODEL, &reply, NULL);
    assert_false(s.cost_known);
    assert_true(s.usd == 0 && s.usd_max > 0.4999 && s.usd_max < 0.5001);
    ia_models_free(m);
}

/* A server that does not say what it used: the projection of the request counts. */
static void an_answer_without_usage_counts_as_what_was_projected(void **state)
{
    (void)state;
    struct ia_models *m = models();
    struct ia_spending s = start(m, (struct ia_budget){.max_usd = 1, .max_tokens = 100000});
    struct ia_claude_reply reply = {.cost_known = false};
    int max = 0;
    reply.message.usage = ia_claude_usage_none();
    assert_int_equal(ia_spending_next(&s, MODEL, NULL, 4000, 10000, &max, NULL), IA_OK);
    ia_spending_add(&s, MODEL, &reply, NULL);
    assert_int_equal(s.tokens, 14000);
    assert_true(s.usd_max > 0.1 && s.usd_max < 0.12);
    assert_false(s.cost_known);
    ia_models_free(m);
}

static void absurd_usage_does_not_overflow(void **state)
{
    (void)state;
    struct ia_models *m = models();
    struct ia_spending s = start(m, (struct ia_budget){.max_tokens = 100000});
    struct ia_claude_reply reply = {.cost_known = false};
    reply.message.usage = ia_claude_usage_parse(
        ia_str("{\"input_tokens\":999999999999999999,\"output_tokens\":999999999999999999,"
               "\"cache_read_input_tokens\":999999999999999999}"));
    int max = 0;
    for (int i = 0; i < 10; i++) {
        ia_spending_add(&s, MODEL, &reply, NULL);
    }
    assert_true(s.tokens > 100000);
    assert_int_equal(ia_spending_next(&s, MODEL, &reply.message.usage, 1, 1, &max, NULL),
                     IA_E_BUDGET);
    ia_claude_usage_fini(&reply.message.usage);
    ia_models_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_limits_only_the_default_of_steps_counts),
        cmocka_unit_test(time_and_steps_end_a_run_with_their_own_codes),
        cmocka_unit_test(the_next_request_must_fit_into_the_tokens_that_are_left),
        cmocka_unit_test(the_projected_cost_must_fit_into_the_usd_that_are_left),
        cmocka_unit_test(a_limit_in_usd_needs_known_prices_and_no_limit_is_negative),
        cmocka_unit_test(attempts_that_broke_off_are_counted_at_most_and_make_the_cost_unknown),
        cmocka_unit_test(a_cost_that_is_not_known_still_counts_against_the_limit),
        cmocka_unit_test(an_answer_without_usage_counts_as_what_was_projected),
        cmocka_unit_test(absurd_usage_does_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
