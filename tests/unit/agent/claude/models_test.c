/* The table of models: limits, prices, rules, and the file that replaces it. */
#include "test.h"

#include "agent/claude/models.h"
#include "base/fd.h"

#include <unistd.h>

static struct ia_models *table(void)
{
    struct ia_models *m = NULL;
    struct ia_err err;
    if (ia_models_load(NULL, &m, &err)) {
        fail_msg("%s", err.msg);
    }
    return m;
}

static bool near(double a, double b)
{
    return a > b - 1e-9 && a < b + 1e-9;
}

static void check_cost(const char *model, const char *usage, double want)
{
    struct ia_models *m = table();
    struct ia_claude_usage u = ia_claude_usage_parse(ia_str(usage));
    double usd = -1;
    bool got = ia_models_cost(m, model, &u, &usd);
    if (got != (want >= 0) || (got && !near(usd, want))) {
        fail_msg("%s %s: %f, not %f", model, usage, got ? usd : -1, want);
    }
    ia_claude_usage_fini(&u);
    ia_models_free(m);
}

enum { UNKNOWN = -1 };

static void cost_follows_the_price_table(void **state)
{
    (void)state;
    static const struct {
        const char *model, *usage;
        double usd;
    } rows[] = {
        /* 1M of each kind adds up the row of the table. */
        {"claude-sonnet-5-5",
         "{\"input_tokens\":1000000,\"cache_read_input_tokens\":1000000,"
         "\"cache_creation_input_tokens\":2000000,\"cache_creation\":{"
         "\"ephemeral_5m_input_tokens\":1000000,\"ephemeral_1h_input_tokens\":1000000},"
         "\"output_tokens\":1000000}",
         2 + 0.1 + 2.5 + 4 + 10},
        /* Searches of the service are billed beside the tokens, $10 for 1,000. */
        {"claude-sonnet-5-5",
         "{\"input_tokens\":1000000,\"output_tokens\":0,\"server_tool_use\":{"
         "\"web_search_requests\":3}}",
         2 + 0.03},
        /* Writes without a split are the short ones. */
        {"claude-sonnet-5-5",
         "{\"input_tokens\":0,\"cache_creation_input_tokens\":1000000,\"output_tokens\":0}",
         2.5},
        /* The band is chosen by the whole prompt and holds for every token. */
        {"claude-haiku-5-5",
         "{\"input_tokens\":50000,\"cache_read_input_tokens\":50000,\"output_tokens\":1000000}",
         0.005 + 0.0005 + 0.5},
        {"claude-haiku-5-5",
         "{\"input_tokens\":50001,\"cache_read_input_tokens\":50000,\"output_tokens\":1000000}",
         0.0250005 + 0.0025 + 2.5},
        /* Iterations are what is billed, each at its own model's price. */
        {"claude-opus-5",
         "{\"input_tokens\":9,\"output_tokens\":9,\"iterations\":[{\"input_tokens\":1000000,"
         "\"output_tokens\":0},{\"input_tokens\":1000000,\"output_tokens\":0,\"model\":"
         "\"claude-haiku-4-5\"}]}",
         5 + 1},
        {"claude-haiku-4-5-20251001", "{\"input_tokens\":1000000,\"output_tokens\":0}", 1},
        {"claude-haiku-4-5-2025", "{\"input_tokens\":1000000,\"output_tokens\":0}", UNKNOWN},
        {"claude-fable-5-2", "{\"input_tokens\":1,\"output_tokens\":1}", UNKNOWN},
        {"some-other-model", "{\"input_tokens\":1,\"output_tokens\":1}", UNKNOWN},
        {"claude-sonnet-5-5", "{\"output_tokens\":1}", UNKNOWN},
        {"claude-sonnet-5-5", "{\"input_tokens\":1}", UNKNOWN},
        {"claude-sonnet-5-5",
         "{\"input_tokens\":1,\"output_tokens\":1,\"iterations\":[{\"input_tokens\":1}]}",
         UNKNOWN},
        /* Iterations that say less than the whole do not hide it. */
        {"claude-sonnet-5-5",
         "{\"input_tokens\":1000000,\"output_tokens\":100000,\"iterations\":[{\"input_tokens\":"
         "0,"
         "\"output_tokens\":0},{\"input_tokens\":5,\"output_tokens\":5}]}",
         2 + 1},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        check_cost(rows[i].model, rows[i].usage, rows[i].usd);
    }
}

static void the_next_call_reads_the_last_one_from_the_cache(void **state)
{
    (void)state;
    struct ia_models *m = table();
    double usd;
    struct ia_claude_usage last = ia_claude_usage_parse(
        ia_str("{\"input_tokens\":100000,\"cache_read_input_tokens\":300000,"
               "\"cache_creation_input_tokens\":500000,\"output_tokens\":100000}"));
    assert_true(ia_models_project(m, "claude-sonnet-5-5", &last, 1000000, 1000000, &usd));
    assert_true(near(usd, 0.1 + 2.5 + 10));
    assert_true(ia_models_project(m, "claude-sonnet-5-5", NULL, 1000000, 0, &usd));
    assert_true(near(usd, 2.5));
    assert_false(ia_models_project(m, "unheard-of", &last, 1, 1, &usd));
    ia_claude_usage_fini(&last);
    ia_models_free(m);
}

static void limits_and_rules_come_with_the_model(void **state)
{
    (void)state;
    struct ia_models *m = table();
    const struct ia_model *sonnet = ia_models_find(m, "claude-sonnet-5-5");
    assert_int_equal(sonnet->context_tokens, 1000000);
    assert_int_equal(sonnet->max_output_tokens, 128000);
    assert_int_equal(sonnet->min_cacheable_tokens, 512);
    assert_true(sonnet->signature_bound);
    assert_true(sonnet->high_res);
    const struct ia_model *old = ia_models_find(m, "claude-haiku-4-5");
    assert_false(old->signature_bound);
    assert_false(old->high_res);
    assert_string_equal(ia_models_nearest(m, "claude-sonet-5-5"), "claude-sonnet-5-5");
    assert_null(ia_models_find(m, NULL));
    ia_models_free(m);
}

static void malformed_tables_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"{\n \"models\": [}", "t.json:2:"},
        {"[]", "models"},
        {"{\"models\":{}}", "models"},
        {"{\"models\":[{}]}", "model 1"},
        {"{\"models\":[{\"id\":\"a\",\"context_tokens\":-1}]}", "(a)"},
        {"{\"models\":[{\"id\":\"a\",\"prices\":[{\"input\":1}]}]}", "(a)"},
        {"{\"models\":[{\"id\":\"a\"},{\"id\":\"b\",\"prices\":[{\"up_to_prompt_tokens\":5,"
         "\"input\":1,\"cache_write_5m\":1,\"cache_write_1h\":1,\"cache_read\":1,\"output\":1}]"
         "}]}",
         "model 2"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_models *m = NULL;
        struct ia_err err;
        assert_int_equal(ia_models_parse(ia_str(rows[i].text), "t.json", &m, &err),
                         IA_E_CONFIG);
        if (!strstr(err.msg, rows[i].says)) {
            fail_msg("row %zu: %s", i, err.msg);
        }
    }
}

static void a_file_replaces_the_table(void **state)
{
    (void)state;
    char path[] = "/tmp/ia-models-XXXXXX";
    struct ia_models *m = NULL;
    struct ia_err err;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    const char *text = "{\"models\":[{\"id\":\"mine\",\"signature_bound\":false}]}";
    assert_int_equal(ia_write_all(fd, text, strlen(text)), IA_OK);
    assert_int_equal(ia_models_load(path, &m, &err), IA_OK);
    assert_non_null(ia_models_find(m, "mine"));
    assert_null(ia_models_find(m, "claude-sonnet-5-5"));
    ia_models_free(m);
    close(fd);
    unlink(path);
    assert_int_equal(ia_models_load(path, &m, &err), IA_E_NOT_FOUND);
    assert_non_null(strstr(err.msg, path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cost_follows_the_price_table),
        cmocka_unit_test(the_next_call_reads_the_last_one_from_the_cache),
        cmocka_unit_test(limits_and_rules_come_with_the_model),
        cmocka_unit_test(malformed_tables_are_refused_with_their_place),
        cmocka_unit_test(a_file_replaces_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
