/* How a sweep shares its budget, and that it holds whatever happens. */
#include "sweep_rig.h"

static double cap_of(const struct taken *t)
{
    json_t *budget = json_loads(t->row->budget, 0, NULL);
    double usd = json_number_value(json_object_get(budget, "max_usd"));
    json_decref(budget);
    return usd;
}

static void the_budget_is_shared_and_stops_the_sweep(void **state)
{
    (void)state;
    struct world w;
    struct taken a = {0}, b = {0}, c = {0};
    struct ia_sweep_opts o = {.retries = -1, .lane_count = 2, .max_usd = 1.0};
    begin(&w, G("a", "") G("b", "budget = { max_usd = 0.2 }\n") G("c", ""), &o);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &a));
    assert_true(take(&w, lanes[1], &b));
    assert_true(cap_of(&a) > 0.4999 && cap_of(&a) < 0.5001);
    assert_true(cap_of(&b) > 0.1999 && cap_of(&b) < 0.2001);
    end(&w, &b, IA_RUN_PASSED, IA_OK, 0.1);
    (void)step(&w);
    assert_true(take(&w, lanes[1], &c));
    assert_true(cap_of(&c) > 0.3999 && cap_of(&c) < 0.4001); /* 1.0 - 0.5 - 0.1 */
    end(&w, &a, IA_RUN_ERROR, IA_E_BUDGET, 0.5);
    end(&w, &c, IA_RUN_PASSED, IA_OK, 0.4);
    assert_true(step(&w));
    assert_state(&w, "a", "error");
    finish(&w);
}

static void a_starved_run_waits_for_all_that_is_left_of_the_budget(void **state)
{
    (void)state;
    struct world w;
    struct taken a = {0}, b = {0};
    struct ia_sweep_opts o = {.retries = -1, .lane_count = 2, .max_usd = 0.1};
    begin(&w, G("a", "") G("b", "") G("c", ""), &o);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &a));
    assert_true(take(&w, lanes[1], &b));
    end(&w, &a, IA_RUN_ERROR, IA_E_BUDGET, 0); /* not one request was made */
    (void)step(&w);
    assert_state(&w, "a", "waiting");
    end(&w, &b, IA_RUN_PASSED, IA_OK, 0.02);
    (void)step(&w);
    struct taken t = {0};
    bool whole = false;
    for (int n = 0; !step(&w) && n < 10; n++) {
        for (int k = 0; k < 2; k++) {
            if (take(&w, lanes[k], &t)) {
                whole = whole || (strcmp(t.row->name, "a") == 0 && cap_of(&t) > 0.059);
                end(&w, &t, IA_RUN_PASSED, IA_OK, 0.02);
            }
        }
    }
    assert_true(whole);
    assert_state(&w, "a", "passed"); /* not flaky: it never tried */
    finish(&w);
}

static void a_starved_run_is_no_verdict_for_the_process_that_continues_either(void **state)
{
    (void)state;
    struct world w;
    struct taken a = {0}, b = {0};
    struct ia_sweep_opts o = {.retries = -1, .lane_count = 2, .max_usd = 0.1};
    begin(&w, G("a", "") G("b", ""), &o);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &a));
    assert_true(take(&w, lanes[1], &b));
    reopen(&w);
    end(&w, &a, IA_RUN_ERROR, IA_E_BUDGET, 0);
    (void)step(&w);
    assert_state(&w, "a", "waiting");
    end(&w, &b, IA_RUN_PASSED, IA_OK, 0.02);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &a));
    end(&w, &a, IA_RUN_PASSED, IA_OK, 0.02);
    assert_true(step(&w));
    assert_state(&w, "a", "passed");
    finish(&w);
}

static void a_rest_too_small_for_a_request_stops_the_sweep(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    struct ia_sweep_opts o = {.retries = -1, .max_usd = 0.1};
    int runs = 0;
    begin(&w, THREE, &o);
    while (!step(&w)) {
        assert_true(take(&w, lanes[0], &t));
        bool first = runs++ == 0;
        end(&w, &t, first ? IA_RUN_PASSED : IA_RUN_ERROR, first ? IA_OK : IA_E_BUDGET,
            first ? 0.0999 : 0);
    }
    assert_true(runs <= 3);
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    assert_state(&w, "b", "skipped"); /* it asked for nothing: that is no verdict */
    assert_state(&w, "c", "skipped");
    assert_non_null(strstr(find(&w, "c").reason, "budget"));
    assert_int_equal(sums(&w).exit_status, 4);
    finish(&w);
}

static void random_goals(struct ia_buf *b, const struct ia_rand *r, int n)
{
    for (int i = 0; i < n; i++) {
        ia_buf_printf(b, "[[goal]]\nname = \"g%d\"\ngoal = \"x\"\n", i);
        if (i > 0 && ia_rand_next(r) % 3 == 0) {
            ia_buf_printf(b, "needs = [\"g%d\"]\n", (int)(ia_rand_next(r) % (uint64_t)i));
        }
        if (ia_rand_next(r) % 5 == 0) {
            ia_buf_puts(b, "device = \"embedded:own\"\n");
        }
        if (ia_rand_next(r) % 4 == 0) {
            ia_buf_puts(b, "retries = 2\n");
        }
        if (ia_rand_next(r) % 6 == 0) {
            ia_buf_puts(b, "repeat = 2\n");
        }
        if (ia_rand_next(r) % 6 == 0) {
            ia_buf_puts(b, "budget = { max_usd = 0.05 }\n");
        }
    }
}

static void end_somehow(struct world *w, struct taken *t, const struct ia_rand *r)
{
    double cap = cap_of(t);
    double usd = (cap > 0 ? cap : 0.1) * (double)(ia_rand_next(r) % 101) / 100;
    switch (ia_rand_next(r) % 5) {
    case 0:
        end(w, t, IA_RUN_FAILED, IA_E_FAILED, usd);
        break;
    case 1:
        end(w, t, IA_RUN_ERROR, IA_E_BUDGET, usd);
        break;
    default:
        end(w, t, IA_RUN_PASSED, IA_OK, usd);
        break;
    }
}

static void sum_cost(void *ctx, const struct ia_sweep_goal *item)
{
    *(double *)ctx += item->cost_usd;
    assert_int_not_equal(item->state, IA_SWEEP_GOAL_RUNNING);
}

/* Nothing is lost, nothing runs twice at once, the budget holds, and a process that dies
 * between any two steps changes nothing of it. */
static void every_sweep_ends_within_its_budget(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t s = seed;
        struct ia_rand r = ia_rand_seeded(&s);
        struct world w;
        struct ia_buf toml = IA_BUF(1 << 20);
        struct ia_sweep_opts o = {.retries = -1,
                                  .lane_count = 1 + ia_rand_next(&r) % LANES,
                                  .fresh = ia_rand_next(&r) % 2,
                                  .max_usd = seed % 2 ? 0.4 : 0};
        random_goals(&toml, &r, 4 + (int)(ia_rand_next(&r) % 12));
        begin(&w, ia_buf_cstr(&toml), &o);
        struct taken hands[LANES + 1] = {0};
        const char *const at[LANES + 1] = {lanes[0], lanes[1], lanes[2], "embedded:own"};
        bool over = step(&w);
        for (int n = 0; !over; n++) {
            assert_true(n < 5000);
            size_t k = ia_rand_next(&r) % (LANES + 1);
            if (hands[k].row) {
                end_somehow(&w, &hands[k], &r);
            } else if (k == LANES || k < o.lane_count) {
                (void)take(&w, at[k], &hands[k]);
            }
            if (ia_rand_next(&r) % 8 == 0) {
                reopen(&w);
            }
            over = step(&w);
        }
        assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
        double usd = 0;
        ia_sweep_each(w.sweep, sum_cost, &usd);
        struct ia_usage_row used = {0};
        assert_int_equal(ia_store_sweep_usage(w.store, w.id, &used, NULL), IA_OK);
        assert_true(used.cost_usd > usd - 1e-9 && used.cost_usd < usd + 1e-9);
        assert_true(o.max_usd <= 0 || usd <= o.max_usd + 1e-9);
        struct ia_sweep_sums sum = sums(&w);
        assert_int_equal(sum.waiting + sum.running, 0);
        assert_int_equal(sum.goals, sum.passed + sum.flaky + sum.failed + sum.blocked +
                                        sum.errors + sum.cancelled + sum.skipped);
        finish(&w);
        ia_buf_fini(&toml);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_budget_is_shared_and_stops_the_sweep),
        cmocka_unit_test(a_starved_run_waits_for_all_that_is_left_of_the_budget),
        cmocka_unit_test(a_starved_run_is_no_verdict_for_the_process_that_continues_either),
        cmocka_unit_test(a_rest_too_small_for_a_request_stops_the_sweep),
        cmocka_unit_test(every_sweep_ends_within_its_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
