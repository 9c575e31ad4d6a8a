/* How long memory lives that passes between the store and its callers.
 *
 * Everything lent is freed at the first moment at which the contract allows it, so that
 * AddressSanitizer reports whoever still looks at it. Bytes are overwritten before they are
 * freed, so that other builds read something else than they expect. */
#include "home.h"

#include "store/notices.h"
#include "store/queue.h"
#include "store/schedules.h"
#include "store/sweeps.h"

enum { LENT_MAX = 64 };

/* Texts lent to the store, each in a block of its own. */
static char *lent[LENT_MAX];
static size_t lent_count;

static const char *lend(const char *text)
{
    assert_true(lent_count < LENT_MAX);
    lent[lent_count] = strdup(text);
    return lent[lent_count++];
}

static struct ia_str lend_str(const char *text)
{
    return (struct ia_str){lend(text), strlen(text)};
}

static void take_all_back(void)
{
    while (lent_count > 0) {
        char *text = lent[--lent_count];
        memset(text, '#', strlen(text));
        free(text);
    }
}

/* ---- given to the store ------------------------------------------------------------------ */

static void options_are_needed_only_until_the_store_is_open(void **state)
{
    struct home *h = *state;
    struct ia_store_opts opts = {.home = lend(h->dir), .command = lend("ios-agent test")};
    struct ia_store *s = NULL;
    assert_rc(IA_OK, ia_store_open(&opts, &s, NULL));
    take_all_back();
    struct ia_lease *lease = NULL, *second = NULL;
    struct ia_err err = {0};
    assert_rc(IA_OK, ia_lease_take(s, lend("embedded:demo"), NULL, 60000, &lease, NULL));
    take_all_back();
    assert_rc(IA_E_BUSY, ia_lease_take(s, "embedded:demo", NULL, 60000, &second, &err));
    assert_contains(err.msg, "ios-agent test");
    assert_rc(IA_OK, ia_lease_renew(lease, 60000, NULL));
    assert_string_equal(ia_store_home(s), h->dir);
    ia_lease_release(lease);
    ia_store_close(s);
}

static void lend_run(struct ia_tx *tx, const char *sweep_id, char id[IA_ID_SIZE])
{
    const struct ia_run_new run = {.goal = lend("open Settings"),
                                   .app = lend("com.example.shop"),
                                   .hint = lend("it is on the second page"),
                                   .model = lend("claude-x"),
                                   .lane = lend("embedded:demo"),
                                   .name = lend("settings open"),
                                   .unique = lend("key"),
                                   .sweep_id = lend(sweep_id),
                                   .sweep_no = 1,
                                   .expect = lend_str("[\"text \\\"Settings\\\"\"]"),
                                   .budget = lend_str("{\"steps\":3}"),
                                   .device = lend_str("{\"kind\":\"embedded\"}"),
                                   .options = lend_str("{\"locale\":\"en\"}")};
    ia_tx_add_run(tx, &run, id);
    take_all_back();
}

static void lend_sweep(struct ia_tx *tx, char id[IA_ID_SIZE])
{
    const struct ia_sweep_row sweep = {.title = lend("goals/"), .options = lend("{\"a\":1}")};
    ia_tx_add_sweep(tx, &sweep, id);
    const struct ia_sweep_goal_row goal = {.name = lend("settings open"),
                                           .file = lend("goals/a.toml"),
                                           .needs = lend("[\"b\"]"),
                                           .tags = lend("[\"smoke\"]"),
                                           .job = lend("{\"goal\":\"x\"}"),
                                           .reason = lend("first try")};
    ia_tx_add_sweep_goal(tx, lend(id), &goal, NULL);
    take_all_back();
}

static void lend_transcript(struct ia_tx *tx, const char *run)
{
    const struct ia_message_row message = {.role = lend("assistant"),
                                           .purpose = lend("act"),
                                           .content = lend_str("[{\"type\":\"text\"}]"),
                                           .stop_reason = lend("tool_use"),
                                           .model = lend("claude-x"),
                                           .request_id = lend("req_1")};
    struct ia_call_row call = {.step = 1,
                               .tool_use_id = lend("toolu_1"),
                               .name = lend("tap"),
                               .input = lend_str("{\"ref\":7}")};
    int seq = 0;
    ia_tx_add_message(tx, run, &message, &seq);
    call.message_seq = seq;
    ia_tx_add_call(tx, run, &call);
    take_all_back();
    const struct ia_call_row result = {.tool_use_id = lend("toolu_1"),
                                       .result = lend_str("[\"done\"]"),
                                       .code = lend("ok"),
                                       .outcome = lend("sent"),
                                       .screen = lend_str("Settings")};
    ia_tx_set_result(tx, run, &result);
    ia_tx_say(tx, run, lend("person"), lend_str("use the second tab"));
    ia_tx_set_run_notes(tx, run, lend_str("it has two tabs"));
    take_all_back();
}

static void lend_schedule(struct ia_tx *tx, const char *run)
{
    const struct ia_schedule_row row = {.name = lend("nightly"),
                                        .kind = IA_SCHEDULE_CRON,
                                        .spec = lend("0 3 * * *"),
                                        .zone = lend("UTC"),
                                        .precheck = lend("true"),
                                        .notify = lend("{\"command\":\"cat\"}"),
                                        .run = lend("{\"goal\":\"x\"}"),
                                        .lane = lend("embedded:demo"),
                                        .next_ms = 1000};
    bool is_new = false;
    ia_tx_add_schedule(tx, &row);
    ia_tx_add_fire(tx, lend("nightly"), 1000, lend(run), NULL, &is_new);
    ia_tx_add_notice(tx, lend("nightly"), lend(run), NULL, lend("{\"command\":\"cat\"}"),
                     lend_str("{\"passed\":true}"));
    const struct ia_agent_row agent = {
        .name = lend("tester"), .model = lend("claude-x"), .tools = lend("[\"tap\"]")};
    ia_tx_put_agent(tx, &agent);
    ia_tx_set_memory(tx, lend("tester"), lend_str("likes short reports"));
    take_all_back();
}

static void what_a_write_is_given_is_needed_only_until_it_returns(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    char run[IA_ID_SIZE] = "", sweep[IA_ID_SIZE] = "";
    struct ia_tx *tx = begin(s);
    lend_sweep(tx, sweep);
    lend_run(tx, sweep, run);
    lend_transcript(tx, run);
    lend_schedule(tx, run);
    commit(tx);
    static const char *const tables[] = {
        "goals",         "runs",    "messages",    "tool_calls", "inbox",  "schedules",
        "schedule_runs", "notices", "sweep_goals", "sweeps",     "agents", "events"};
    for (size_t i = 0; i < IA_COUNTOF(tables); i++) {
        char sql[200];
        snprintf(sql, sizeof(sql), "SELECT count(*) > 0 FROM %s", tables[i]);
        assert_int_equal(raw_int(h->db, sql), 1);
    }
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM goals, runs, messages, tool_calls, "
                                    "inbox, schedules, notices, sweep_goals, sweeps, agents "
                                    "WHERE goals.text = 'open Settings' AND "
                                    "goals.hint = 'it is on the second page' AND "
                                    "runs.options = '{\"locale\":\"en\"}' AND "
                                    "runs.notes = 'it has two tabs' AND "
                                    "messages.content = '[{\"type\":\"text\"}]' AND "
                                    "tool_calls.result = '[\"done\"]' AND "
                                    "inbox.text = 'use the second tab' AND "
                                    "schedules.notify = '{\"command\":\"cat\"}' AND "
                                    "notices.body = '{\"passed\":true}' AND "
                                    "sweep_goals.job = '{\"goal\":\"x\"}' AND "
                                    "sweeps.title = 'goals/' AND "
                                    "agents.memory = 'likes short reports'"),
                     1);
    ia_store_close(s);
}

/* ---- given by the store ------------------------------------------------------------------ */

/* Reads every byte of a text. */
static size_t touch(const char *text)
{
    return text ? strlen(text) : 0;
}

static size_t touch_run(const struct ia_run_row *r)
{
    const char *const texts[] = {
        r->id,       r->goal_id,  r->goal,    r->app,         r->hint,         r->agent,
        r->model,    r->lane,     r->expect,  r->budget,      r->device,       r->options,
        r->code,     r->basis,    r->result,  r->screenshot,  r->notes,        r->name,
        r->sweep_id, r->schedule, r->summary, r->owner_token, r->owner_command};
    size_t n = 0;
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        n += touch(texts[i]);
    }
    return n;
}

static size_t touch_schedule(const struct ia_schedule_row *r)
{
    return touch(r->name) + touch(r->spec) + touch(r->zone) + touch(r->precheck) +
           touch(r->notify) + touch(r->run) + touch(r->lane) + touch(r->last_verdict) +
           touch(r->problem);
}

struct kept {
    struct ia_schedule_row *schedule;
    size_t schedule_bytes, run_bytes;
};

static bool see_run(void *ctx, const struct ia_run_row *row)
{
    ((struct kept *)ctx)->run_bytes = touch_run(row);
    return true;
}

static bool keep_schedule(void *ctx, const struct ia_schedule_row *row)
{
    struct kept *k = ctx;
    k->schedule_bytes = touch_schedule(row);
    k->schedule = ia_schedule_row_dup(row);
    return false;
}

static void a_copy_of_a_row_outlives_its_listing_and_the_store(void **state)
{
    struct ia_store *s = home_open(*state);
    char run[IA_ID_SIZE] = "", sweep[IA_ID_SIZE] = "";
    struct ia_tx *tx = begin(s);
    lend_sweep(tx, sweep);
    lend_run(tx, sweep, run);
    lend_schedule(tx, run);
    ia_run_move(tx, run, IA_RUN_CLAIMED, NULL, NULL);
    commit(tx);
    struct kept kept = {0};
    struct ia_run_row *run_row = NULL;
    struct ia_sweep_row *sweep_row = NULL;
    assert_rc(IA_OK, ia_store_schedules(s, NULL, keep_schedule, &kept, NULL));
    assert_rc(IA_OK, ia_store_runs(s, NULL, see_run, &kept, NULL));
    assert_rc(IA_OK, ia_store_run(s, run, &run_row, NULL));
    assert_rc(IA_OK, ia_store_sweep(s, sweep, &sweep_row, NULL));
    ia_store_close(s);
    assert_int_equal(touch_schedule(kept.schedule), kept.schedule_bytes);
    assert_int_equal(touch_run(run_row), kept.run_bytes);
    assert_string_equal(run_row->goal, "open Settings");
    assert_string_equal(kept.schedule->spec, "0 3 * * *");
    assert_string_equal(sweep_row->title, "goals/");
    assert_null(sweep_row->why);
    ia_schedule_row_free(kept.schedule);
    ia_run_row_free(run_row);
    ia_sweep_row_free(sweep_row);
}

/* A listing that ends early drops its rows; the next one uses the same statement. */
static void a_listing_that_ends_early_leaves_nothing_behind(void **state)
{
    struct ia_store *s = home_open(*state);
    struct kept kept = {0};
    char run[IA_ID_SIZE] = "", sweep[IA_ID_SIZE] = "";
    struct ia_tx *tx = begin(s);
    lend_sweep(tx, sweep);
    lend_run(tx, sweep, run);
    lend_schedule(tx, run);
    commit(tx);
    for (int i = 0; i < 3; i++) {
        assert_rc(IA_OK, ia_store_schedules(s, NULL, keep_schedule, &kept, NULL));
        assert_int_equal(touch_schedule(kept.schedule), kept.schedule_bytes);
        ia_schedule_row_free(kept.schedule);
    }
    ia_store_close(s);
}

/* The struct behind ia_tx belongs to whoever has the turn, so the error must be a copy. */
static void the_error_of_a_transaction_stays_after_the_next_one(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_err first = {0}, second = {0};
    struct ia_tx *tx = begin(s);
    ia_run_move(tx, "nobody", IA_RUN_CLAIMED, NULL, NULL);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, &first));
    tx = begin(s);
    ia_tx_remove_schedule(tx, "nightly");
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, &second));
    ia_store_close(s);
    assert_contains(first.msg, "run nobody");
    assert_contains(second.msg, "schedule nightly");
}

static void the_committed_event_belongs_to_the_caller(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_buf json = IA_BUF(1 << 16);
    char run[IA_ID_SIZE] = "";
    add_run(s, "embedded:demo", run);
    struct ia_tx *tx = begin(s);
    ia_run_move(tx, run, IA_RUN_CLAIMED, NULL, &json);
    commit(tx);
    ia_store_close(s);
    assert_contains(ia_buf_cstr(&json), "\"to\":\"claimed\"");
    assert_contains(ia_buf_cstr(&json), run);
    ia_buf_fini(&json);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(options_are_needed_only_until_the_store_is_open),
        T(what_a_write_is_given_is_needed_only_until_it_returns),
        T(a_copy_of_a_row_outlives_its_listing_and_the_store),
        T(a_listing_that_ends_early_leaves_nothing_behind),
        T(the_error_of_a_transaction_stays_after_the_next_one),
        T(the_committed_event_belongs_to_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
