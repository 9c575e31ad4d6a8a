#include "test.h"

#include "agent/goal/job.h"
#include "base/rand.h"

enum { ROUNDS = 2000, POOL = 16 };

/* Texts that JSON has to escape, that are long, that are empty. */
static const char *const texts[POOL] = {
    "",
    "a",
    "open Settings, turn on \"Airplane Mode\"",
    "back\\slash \\n \\u0000",
    "line\nbreak\ttab\r",
    "\x01\x1f control",
    "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
    "</script>",
    "{{secret:NAME}}",
    "{\"goal\":1}",
    "' ; DROP TABLE",
    "com.example.shop",
    "embedded:sweep-1",
    "  leading and trailing  ",
    "\xe2\x80\xa8 separator",
    "\x7f",
};
static const char *const names[] = {"SHOP_PASSWORD", "a", "_x9", "TOKEN"};
static const char *const urls[] = {"com.example.app", "https://example.com/?a=1&b=\"2\""};

static const char *text_or_null(const struct ia_rand *r)
{
    return ia_rand_next(r) % 3 ? texts[ia_rand_next(r) % POOL] : NULL;
}

struct made {
    struct ia_run_request req;
    const char *device;
    const char *expect[IA_JOB_EXPECTS_MAX];
    const char *secrets[IA_JOB_SECRETS_MAX];
    const char *vars[IA_JOB_VARS_MAX];
    struct ia_setup_step setup[IA_JOB_SETUP_MAX];
};

static double some_usd(const struct ia_rand *r)
{
    return ia_rand_next(r) % 2 ? (double)(ia_rand_next(r) >> 11) * 1e-13 : 0;
}

static void make_lists(struct made *m, const struct ia_rand *r)
{
    m->req.expect_count = ia_rand_next(r) % (IA_JOB_EXPECTS_MAX + 1);
    for (size_t i = 0; i < m->req.expect_count; i++) {
        m->expect[i] = texts[ia_rand_next(r) % POOL];
    }
    m->req.secret_count = ia_rand_next(r) % (IA_JOB_SECRETS_MAX + 1);
    for (size_t i = 0; i < m->req.secret_count; i++) {
        m->secrets[i] = names[ia_rand_next(r) % IA_COUNTOF(names)];
    }
    m->req.var_count = ia_rand_next(r) % (IA_JOB_VARS_MAX + 1);
    for (size_t i = 0; i < m->req.var_count; i++) {
        m->vars[i] = texts[ia_rand_next(r) % POOL];
    }
    m->req.vars = m->vars;
    m->req.setup_count = ia_rand_next(r) % (IA_JOB_SETUP_MAX + 1);
    for (size_t i = 0; i < m->req.setup_count; i++) {
        m->setup[i].kind = (enum ia_setup_kind)(ia_rand_next(r) % 4);
        bool bare = m->setup[i].kind == IA_SETUP_RESET;
        m->setup[i].value = bare ? NULL : urls[ia_rand_next(r) % 2];
    }
    m->req.expect = m->expect;
    m->req.secrets = m->secrets;
    m->req.setup = m->setup;
}

static void make(struct made *m, const struct ia_rand *r)
{
    *m = (struct made){0};
    m->device = text_or_null(r);
    m->req = (struct ia_run_request){
        .goal = texts[ia_rand_next(r) % POOL],
        .name = text_or_null(r),
        .app = text_or_null(r),
        .hint = text_or_null(r),
        .agent = text_or_null(r),
        .model = text_or_null(r),
        .verifier_model = text_or_null(r),
        .effort = text_or_null(r),
        .verify = (enum ia_verify)(ia_rand_next(r) % 3),
        .budget = {.max_steps = (int)(ia_rand_next(r) % 3 * 1000),
                   .max_seconds = (int)(ia_rand_next(r) % 2 * INT32_MAX),
                   .max_tokens = (int64_t)(ia_rand_next(r) % 2 * (uint64_t)INT64_MAX),
                   .max_usd = some_usd(r)},
        .policy = {.buy = text_or_null(r), .suspicious = text_or_null(r)},
        .answer_tokens = (int)(ia_rand_next(r) % 2 * 16000),
        .demo_brain = ia_rand_next(r) % 2,
        .continue_session = ia_rand_next(r) % 2,
    };
    make_lists(m, r);
}

static void assert_text(const char *a, const char *b)
{
    assert_true((a == NULL) == (b == NULL));
    if (a) {
        assert_string_equal(a, b);
    }
}

static void assert_lists(const struct ia_run_request *a, const struct ia_run_request *b)
{
    assert_int_equal(a->expect_count, b->expect_count);
    for (size_t i = 0; i < a->expect_count; i++) {
        assert_string_equal(a->expect[i], b->expect[i]);
    }
    assert_int_equal(a->secret_count, b->secret_count);
    for (size_t i = 0; i < a->secret_count; i++) {
        assert_string_equal(a->secrets[i], b->secrets[i]);
    }
    assert_int_equal(a->var_count, b->var_count);
    for (size_t i = 0; i < a->var_count; i++) {
        assert_string_equal(a->vars[i], b->vars[i]);
    }
    assert_int_equal(a->setup_count, b->setup_count);
    for (size_t i = 0; i < a->setup_count; i++) {
        assert_int_equal(a->setup[i].kind, b->setup[i].kind);
        assert_text(a->setup[i].value, b->setup[i].value);
    }
}

static void assert_same(const struct ia_run_request *a, const struct ia_run_request *b)
{
    assert_string_equal(a->goal, b->goal);
    assert_text(a->name, b->name);
    assert_text(a->app, b->app);
    assert_text(a->hint, b->hint);
    assert_text(a->agent, b->agent);
    assert_text(a->model, b->model);
    assert_text(a->verifier_model, b->verifier_model);
    assert_text(a->effort, b->effort);
    assert_int_equal(a->verify, b->verify);
    assert_int_equal(a->budget.max_steps, b->budget.max_steps);
    assert_int_equal(a->budget.max_seconds, b->budget.max_seconds);
    assert_true(a->budget.max_tokens == b->budget.max_tokens);
    assert_true(a->budget.max_usd == b->budget.max_usd);
    assert_text(a->policy.buy, b->policy.buy);
    assert_text(a->policy.suspicious, b->policy.suspicious);
    assert_int_equal(a->answer_tokens, b->answer_tokens);
    assert_int_equal(a->demo_brain, b->demo_brain);
    assert_int_equal(a->continue_session, b->continue_session);
    assert_lists(a, b);
}

static void what_is_written_is_read_back_equal(void **state)
{
    (void)state;
    uint64_t seed = 4;
    struct ia_rand r = ia_rand_seeded(&seed);
    struct made m;
    for (int i = 0; i < ROUNDS; i++) {
        make(&m, &r);
        struct ia_buf json = IA_BUF(IA_JOB_BYTES_MAX), again = IA_BUF(IA_JOB_BYTES_MAX);
        struct ia_job *job = NULL;
        struct ia_err err = {0};
        ia_job_write(&m.req, m.device, &json);
        assert_true(ia_buf_ok(&json));
        assert_int_equal(ia_job_parse(ia_buf_str(&json), &job, &err), IA_OK);
        assert_same(&m.req, ia_job_request(job));
        assert_text(m.device, ia_job_device(job));
        ia_job_write(ia_job_request(job), ia_job_device(job), &again);
        assert_string_equal(ia_buf_cstr(&json), ia_buf_cstr(&again));
        ia_job_free(job);
        ia_buf_fini(&json);
        ia_buf_fini(&again);
    }
}

static void the_form_is_the_documented_one(void **state)
{
    (void)state;
    const char *expect[] = {"text \"Done\""};
    const char *secrets[] = {"PW"};
    struct ia_setup_step setup[] = {{IA_SETUP_RESET, NULL}, {IA_SETUP_OPEN_URL, "shop://cart"}};
    struct ia_run_request req = {
        .goal = "buy it",
        .name = "buy",
        .model = "m",
        .verify = IA_VERIFY_OFF,
        .expect = expect,
        .expect_count = 1,
        .budget = {.max_steps = 5, .max_usd = 0.25},
        .policy = {.buy = "ask", .delete = "deny"},
        .setup = setup,
        .setup_count = 2,
        .secrets = secrets,
        .secret_count = 1,
    };
    struct ia_buf json = IA_BUF(IA_JOB_BYTES_MAX);
    ia_job_write(&req, "embedded:a", &json);
    assert_string_equal(
        ia_buf_cstr(&json),
        "{\"goal\":\"buy it\",\"name\":\"buy\",\"model\":\"m\",\"verify\":\"off\","
        "\"expect\":[\"text \\\"Done\\\"\"],\"budget\":{\"max_steps\":5,\"max_usd\":0.25},"
        "\"policy\":{\"buy\":\"ask\",\"delete\":\"deny\"},"
        "\"setup\":[{\"do\":\"reset\"},{\"do\":\"open-url\",\"value\":\"shop://cart\"}],"
        "\"secrets\":[\"PW\"],\"device\":\"embedded:a\"}");
    ia_buf_fini(&json);
}

static void anything_else_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *json, *say;
    } rows[] = {
        {"", "JSON object"},
        {"[]", "JSON object"},
        {"{\"goal\":\"a\"", "JSON object"},
        {"{\"goal\":\"a\",\"goal\":\"b\"}", "duplicate"},
        {"{}", "needs a goal"},
        {"{\"goal\":null}", "\"goal\""},
        {"{\"goal\":\"a\\u0000b\"}", "JSON object"},
        {"{\"goal\":\"a\",\"gaol\":1}", "\"gaol\""},
        {"{\"goal\":\"a\",\"app\":1}", "\"app\""},
        {"{\"goal\":\"a\",\"demo\":1}", "\"demo\""},
        {"{\"goal\":\"a\",\"answer_tokens\":-1}", "\"answer_tokens\""},
        {"{\"goal\":\"a\",\"answer_tokens\":3000000000}", "\"answer_tokens\""},
        {"{\"goal\":\"a\",\"answer_tokens\":1.5}", "\"answer_tokens\""},
        {"{\"goal\":\"a\",\"budget\":[]}", "\"budget\""},
        {"{\"goal\":\"a\",\"budget\":{\"max_usd\":-1}}", "\"max_usd\""},
        {"{\"goal\":\"a\",\"budget\":{\"max_usd\":\"1\"}}", "\"max_usd\""},
        {"{\"goal\":\"a\",\"budget\":{\"max_step\":1}}", "\"max_step\""},
        {"{\"goal\":\"a\",\"policy\":\"deny\"}", "\"policy\""},
        {"{\"goal\":\"a\",\"policy\":{\"apps\":\"x\"}}", "policy has no \"apps\""},
        {"{\"goal\":\"a\",\"policy\":{\"buy\":1}}", "\"buy\""},
        {"{\"goal\":\"a\",\"verify\":\"maybe\"}", "\"verify\""},
        {"{\"goal\":\"a\",\"verify\":1}", "\"verify\""},
        {"{\"goal\":\"a\",\"pictures\":\"all\"}", "\"pictures\""},
        {"{\"goal\":\"a\",\"expect\":\"text\"}", "\"expect\""},
        {"{\"goal\":\"a\",\"expect\":[1]}", "\"expect\""},
        {"{\"goal\":\"a\",\"setup\":{}}", "\"setup\""},
        {"{\"goal\":\"a\",\"setup\":[\"reset\"]}", "\"setup\""},
        {"{\"goal\":\"a\",\"setup\":[{\"do\":\"erase\"}]}", "\"setup\""},
        {"{\"goal\":\"a\",\"setup\":[{\"do\":\"launch\"}]}", "\"setup\""},
        {"{\"goal\":\"a\",\"setup\":[{\"do\":\"launch\",\"value\":\"\"}]}", "\"setup\""},
        {"{\"goal\":\"a\",\"setup\":[{\"do\":\"launch\",\"value\":1}]}", "\"setup\""},
        {"{\"goal\":\"a\",\"setup\":[{\"do\":\"reset\",\"value\":\"x\"}]}", "\"setup\""},
        {"{\"goal\":\"a\",\"setup\":[{\"do\":\"launch\",\"value\":\"x\",\"y\":1}]}",
         "\"setup\""},
        {"{\"goal\":\"a\",\"secrets\":[\"9X\"]}", "\"secrets\""},
        {"{\"goal\":\"a\",\"secrets\":[\"A-B\"]}", "\"secrets\""},
        {"{\"goal\":\"a\",\"secrets\":[\"\"]}", "\"secrets\""},
        {"{\"goal\":\"a\",\"device\":1}", "\"device\""},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_job *job = NULL;
        struct ia_err err = {0};
        print_message("  %s\n", rows[i].json);
        assert_int_equal(ia_job_parse(ia_str(rows[i].json), &job, &err), IA_E_PARSE);
        assert_null(job);
        assert_non_null(strstr(err.msg, rows[i].say));
    }
}

static void put_list(struct ia_buf *b, const char *key, const char *entry, int n)
{
    ia_buf_printf(b, "{\"goal\":\"a\",\"%s\":[", key);
    for (int i = 0; i < n; i++) {
        ia_buf_printf(b, "%s%s", i ? "," : "", entry);
    }
    ia_buf_puts(b, "]}");
}

static void lists_and_the_whole_are_capped(void **state)
{
    (void)state;
    static const struct {
        const char *key, *entry;
        int max;
    } rows[] = {
        {"expect", "\"app a\"", IA_JOB_EXPECTS_MAX},
        {"secrets", "\"A\"", IA_JOB_SECRETS_MAX},
        {"setup", "{\"do\":\"reset\"}", IA_JOB_SETUP_MAX},
        {"expect", "\"app a\"", IA_JOB_BYTES_MAX},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf json = IA_BUF(16 << 20);
        struct ia_job *job = NULL;
        struct ia_err err = {0};
        put_list(&json, rows[i].key, rows[i].entry, rows[i].max + 1);
        assert_int_equal(ia_job_parse(ia_buf_str(&json), &job, &err), IA_E_LIMIT);
        ia_buf_fini(&json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back_equal),
        cmocka_unit_test(the_form_is_the_documented_one),
        cmocka_unit_test(anything_else_is_refused_with_its_reason),
        cmocka_unit_test(lists_and_the_whole_are_capped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
