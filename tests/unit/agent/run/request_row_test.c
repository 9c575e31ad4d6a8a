/* request_row_test.c: a request is written as a run's row and read back, with random values in
 * every field. */
#include "test.h"

#include "rig.h"

#include "agent/goal/job.h"
#include "agent/run/run_store.h"
#include "base/rand.h"

enum { ROUNDS = 200 };

static const char *word(const struct ia_rand *rand, bool maybe)
{
    static const char *const words[] = {"a",       "\"quoted\" \\ text", "zwei\nZeilen",
                                        "日本語",  "{\"json\":[1]}",     "x=y&z",
                                        "\t tab ", "emoji 🙂"};
    uint64_t n = ia_rand_next(rand);
    return maybe && n % 3 == 0 ? NULL : words[(n >> 8) % 8];
}

static void same_text(const char *a, const char *b)
{
    if ((a == NULL) != (b == NULL) || (a && strcmp(a, b) != 0)) {
        fail_msg("%s is not %s", a ? a : "NULL", b ? b : "NULL");
    }
}

struct random_request {
    struct ia_run_request req;
    const char *expect[4], *secrets[4];
    struct ia_setup_step setup[4];
};

static void make_request(const struct ia_rand *rand, struct random_request *q)
{
    uint64_t n = ia_rand_next(rand);
    q->req = (struct ia_run_request){.goal = word(rand, false),
                                     .name = word(rand, true),
                                     .app = word(rand, true),
                                     .hint = word(rand, true),
                                     .agent = word(rand, true),
                                     .model = word(rand, false),
                                     .verifier_model = word(rand, true),
                                     .effort = word(rand, true),
                                     .verify = (enum ia_verify)(n % 3),
                                     .expect = q->expect,
                                     .expect_count = n / 3 % 4,
                                     .budget = {(int)(n % 1000), (int)(n >> 8 & 0xffff),
                                                (int64_t)(n >> 16), (double)(n % 977) / 7},
                                     .pictures = (enum ia_pictures)(n / 12 % 3),
                                     .answer_tokens = (int)(n >> 20 & 0xffff),
                                     .demo_brain = n >> 40 & 1,
                                     .setup = q->setup,
                                     .setup_count = n >> 41 & 3,
                                     .secrets = q->secrets,
                                     .secret_count = n >> 43 & 3,
                                     .continue_session = n >> 45 & 1,
                                     .tries = (int)(n >> 46 & 7)};
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"PASSWORD", "token_2", "_x", "PIN"};
        q->expect[i] = word(rand, false);
        q->secrets[i] = names[i];
        q->setup[i].kind = (enum ia_setup_kind)(n >> (2 * i) & 3);
        q->setup[i].value = q->setup[i].kind == IA_SETUP_RESET ? NULL : word(rand, false);
    }
}

static void same_request(const struct ia_run_request *a, const struct ia_run_request *b)
{
    const char *const texts[][2] = {
        {a->goal, b->goal},     {a->name, b->name},
        {a->app, b->app},       {a->hint, b->hint},
        {a->agent, b->agent},   {a->model, b->model},
        {a->effort, b->effort}, {a->verifier_model, b->verifier_model}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        same_text(texts[i][0], texts[i][1]);
    }
    assert_memory_equal(&a->budget.max_usd, &b->budget.max_usd, sizeof(double));
    assert_true(a->budget.max_steps == b->budget.max_steps &&
                a->budget.max_seconds == b->budget.max_seconds &&
                a->budget.max_tokens == b->budget.max_tokens);
    assert_true(a->verify == b->verify && a->pictures == b->pictures &&
                a->answer_tokens == b->answer_tokens && a->demo_brain == b->demo_brain &&
                a->continue_session == b->continue_session && a->tries == b->tries);
    assert_true(a->expect_count == b->expect_count && a->setup_count == b->setup_count &&
                a->secret_count == b->secret_count);
    for (size_t i = 0; i < a->expect_count; i++) {
        same_text(a->expect[i], b->expect[i]);
    }
    for (size_t i = 0; i < a->setup_count; i++) {
        assert_int_equal(a->setup[i].kind, b->setup[i].kind);
        same_text(a->setup[i].value, b->setup[i].value);
    }
    for (size_t i = 0; i < a->secret_count; i++) {
        same_text(a->secrets[i], b->secrets[i]);
    }
}

/* The row is read back as ia_run_claimed reads it. */
static void every_field_of_a_request_survives_in_its_row(void **state)
{
    (void)state;
    struct rig r;
    struct ia_err err = {0};
    rig_open(&r, "add_contact", NULL); /* for its store: nothing is run */
    uint64_t seed = 7;
    const struct ia_rand seeded = ia_rand_seeded(&seed), *rand = &seeded;
    for (int i = 0; i < ROUNDS; i++) {
        struct random_request q;
        struct ia_job *job = NULL;
        char id[IA_ID_SIZE], boundary[IA_BOUNDARY_SIZE];
        struct ia_tx *tx = NULL;
        const struct ia_run_place place = {.lane = "embedded:test"};
        make_request(rand, &q);
        assert_int_equal(ia_tx_begin(r.store, &tx, NULL), IA_OK);
        ia_run_store_add(tx, &q.req, &place, id);
        if (ia_tx_commit(tx, &err) != IA_OK) {
            fail_msg("%s", err.msg);
        }
        struct ia_run_row *row = NULL;
        if (ia_store_run(r.store, id, &row, &err) != IA_OK) {
            fail_msg("%s", err.msg);
        }
        if (ia_run_store_read(row, &job, boundary, &err) != IA_OK) {
            fail_msg("%s: %s", err.msg, row->options);
        }
        same_request(&q.req, ia_job_request(job));
        same_text(row->goal, q.req.goal);
        same_text(row->name, q.req.name);
        ia_job_free(job);
        ia_run_row_free(row);
    }
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_a_request_survives_in_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
