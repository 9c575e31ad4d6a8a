/* Which goals tags, names and shards choose. */
#include "sweep_rig.h"

static struct ia_goals *parse(const char *toml)
{
    static const struct ia_run_request base = {.model = "m"};
    static const struct ia_goal_sources src = {.base = &base};
    struct ia_goals *goals = NULL;
    assert_int_equal(ia_goals_parse("g", ia_str(toml), &src, &goals, NULL), IA_OK);
    return goals;
}

static void tags_select_goals_and_the_goals_they_need(void **state)
{
    (void)state;
    static const char *const tags[] = {"x", "z"};
    struct ia_goals *goals =
        parse(G("a", "") G("b", "needs = [\"a\"]\n") G("c", "needs = [\"b\"]\ntags = [\"x\"]\n")
                  G("d", "tags = [\"y\"]\n") G("e", "tags = [\"y\", \"z\"]\n"));
    struct ia_sweep_choice choice = {.tags = tags, .tag_count = 2};
    static const bool want[] = {true, true, true, false, true};
    bool got[5];
    ia_sweep_choose(goals, &choice, got);
    assert_memory_equal(got, want, sizeof(want));
    ia_goals_free(goals);
}

static void put_goals(struct ia_buf *b, int from, int to)
{
    for (int i = from; i < to; i++) {
        ia_buf_printf(b, "[[goal]]\nname = \"goal %d\"\ngoal = \"x\"\n", i);
        if (i % 7 == 3) {
            ia_buf_printf(b, "needs = [\"goal %d\"]\n", i - 2);
        }
    }
}

static int shard_with(const struct ia_goals *goals, const char *name, int shards)
{
    int found = 0;
    bool *got = ia_calloc(ia_goals_count(goals), sizeof(*got));
    for (int k = 1; k <= shards; k++) {
        struct ia_sweep_choice choice = {.shard = k, .shards = shards};
        ia_sweep_choose(goals, &choice, got);
        for (size_t i = 0; i < ia_goals_count(goals); i++) {
            if (got[i] && strcmp(ia_goals_at(goals, i)->req.name, name) == 0) {
                assert_int_equal(found, 0); /* in one shard only */
                found = k;
            }
        }
    }
    assert_int_not_equal(found, 0);
    free(got);
    return found;
}

static void every_goal_is_in_one_shard_and_stays_there(void **state)
{
    (void)state;
    enum { N = 60, SHARDS = 4 };
    struct ia_buf all = IA_BUF(1 << 20), other = IA_BUF(1 << 20);
    put_goals(&all, 0, N);
    put_goals(&other, N, N + 5); /* new goals before, and some gone */
    put_goals(&other, 0, N - 10);
    struct ia_goals *a = parse(ia_buf_cstr(&all)), *b = parse(ia_buf_cstr(&other));
    int sizes[SHARDS] = {0};
    for (size_t i = 0; i < N; i++) {
        const struct ia_goal *g = ia_goals_at(a, i);
        int shard = shard_with(a, g->req.name, SHARDS);
        sizes[shard - 1]++;
        for (size_t k = 0; k < g->need_count; k++) {
            assert_int_equal(shard_with(a, ia_goals_at(a, g->needs[k])->req.name, SHARDS),
                             shard);
        }
        if (i < N - 10) {
            assert_int_equal(shard_with(b, g->req.name, SHARDS), shard);
        }
    }
    for (int k = 0; k < SHARDS; k++) {
        print_message("shard %d: %d goals\n", k + 1, sizes[k]);
        assert_in_range(sizes[k], N / SHARDS / 2, N / SHARDS * 2);
    }
    ia_goals_free(a);
    ia_goals_free(b);
    ia_buf_fini(&all);
    ia_buf_fini(&other);
}

static void a_shard_is_one_of_n(void **state)
{
    (void)state;
    static const char *const bad[] = {"",    "1",    "0/4",  "5/4",    "1/0",
                                      "a/b", "1/4x", "-1/4", "1/1001", "1/99999999999"};
    int shard = 0, shards = 0;
    assert_int_equal(ia_sweep_shard_parse("2/4", &shard, &shards, NULL), IA_OK);
    assert_int_equal(shard, 2);
    assert_int_equal(shards, 4);
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        assert_int_equal(ia_sweep_shard_parse(bad[i], &shard, &shards, NULL), IA_E_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_select_goals_and_the_goals_they_need),
        cmocka_unit_test(every_goal_is_in_one_shard_and_stays_there),
        cmocka_unit_test(a_shard_is_one_of_n),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
