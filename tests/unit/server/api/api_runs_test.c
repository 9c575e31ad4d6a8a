/* api_runs_test.c: runs, schedules, agents, the key and the configuration over the API. */
#include "asked.h"

#include "agent/prompts/prompts.h"
#include "store/blob.h"

#include <string.h>

#define DEMO "\"demo\":true,\"device\":\"embedded:test\""
#define GOAL "\"goal\":\"open Settings, turn on Airplane Mode\""

static void expect(struct world *w, struct answer *ret, const char *line, const char *body)
{
    *ret = ask(w, line, NULL, body);
    if (ret->status != 200) {
        fail_msg("%s: %d %s", line, ret->status, ia_buf_cstr(&ret->body));
    }
}

/* Queues a run and waits for its end. */
static void run_to_end(struct world *w, char id[IA_ID_SIZE])
{
    struct answer a;
    char line[128];
    expect(w, &a, "POST /v1/runs", "{" GOAL "," DEMO "}");
    assert_int_equal(strlen(result_text(&a, "run.id")), IA_ID_SIZE - 1);
    memcpy(id, result_text(&a, "run.id"), IA_ID_SIZE);
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/runs/%s", id);
    for (bool over = false; !over;) {
        expect(w, &a, line, NULL);
        over = ia_run_state_final(ia_run_state_from_name(result_text(&a, "run.state")));
        if (over) {
            assert_string_equal(result_text(&a, "run.state"), "passed");
        }
        answer_fini(&a);
        if (!over) {
            int64_t soon = ia_mono_us(ia_clock_system()) + 20000;
            (void)ia_clock_wait(ia_clock_system(), NULL, soon);
        }
    }
}

static void a_run_is_queued_done_and_read(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    char id[IA_ID_SIZE], line[160];
    world_open(&w, true);
    run_to_end(&w, id);
    expect(&w, &a, "GET /v1/runs?state=passed&limit=5", NULL);
    assert_int_equal(json_array_size(result(&a, "runs")), 1);
    assert_string_equal(result_text(&a, "runs.0.id"), id);
    int64_t newest = 0;
    struct ia_err err;
    assert_int_equal(ia_store_last_event(w.setup.store, &newest, &err), IA_OK);
    assert_int_equal(json_integer_value(result(&a, "as_of")), newest);
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/runs?before=%s", id);
    expect(&w, &a, line, NULL);
    assert_int_equal(json_array_size(result(&a, "runs")), 0);
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/runs/%s", id);
    expect(&w, &a, line, NULL);
    char *again = json_dumps(result(&a, "job"), 0);
    answer_fini(&a);
    expect(&w, &a, "POST /v1/runs", again);
    assert_string_equal(result_text(&a, "run.goal"), "open Settings, turn on Airplane Mode");
    assert_true(json_is_true(result(&a, "run.demo")));
    free(again);
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/runs/%s/steps?limit=2", id);
    expect(&w, &a, line, NULL);
    assert_int_equal(json_array_size(result(&a, "steps")), 2);
    assert_int_equal(json_integer_value(result(&a, "steps.0.step")), 1);
    assert_int_equal(json_integer_value(result(&a, "next")), 2);
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/runs/%s/steps?after=2", id);
    expect(&w, &a, line, NULL);
    assert_int_equal(json_integer_value(result(&a, "steps.0.step")), 3);
    assert_true(json_is_null(result(&a, "next")));
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/runs/%s/messages", id);
    expect(&w, &a, line, NULL);
    assert_string_equal(result_text(&a, "messages.0.role"), "user");
    assert_true(json_is_array(result(&a, "messages.1.content")));
    answer_fini(&a);
    world_close(&w);
}

static void the_events_of_a_run_come_in_pages_as_they_are_stored(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    char id[IA_ID_SIZE], line[160];
    int64_t after = 0, seen = 0;
    world_open(&w, true);
    run_to_end(&w, id);
    for (bool more = true; more;) {
        (void)snprintf(line, sizeof(line), "GET /v1/runs/%s/events?after=%d&limit=4", id,
                       (int)after);
        expect(&w, &a, line, NULL);
        assert_string_equal(result_text(&a, "run"), id);
        size_t n = json_array_size(result(&a, "events"));
        for (size_t i = 0; i < n; i++) {
            const json_t *event = json_array_get(result(&a, "events"), i);
            assert_int_equal(json_integer_value(json_object_get(event, "seq")), ++seen);
        }
        more = json_is_integer(result(&a, "next"));
        after = json_integer_value(result(&a, "next"));
        assert_int_equal(n, more ? 4 : n);
        assert_true(!more || after == seen);
        if (!more) {
            (void)snprintf(line, sizeof(line), "events.%d.event", (int)n - 1);
            assert_string_equal(result_text(&a, line), "run.finished");
        }
        answer_fini(&a);
    }
    assert_true(seen > 8);
    (void)snprintf(line, sizeof(line), "GET /v1/runs/%s/events?limit=1000", id);
    expect(&w, &a, line, NULL);
    assert_int_equal(json_array_size(result(&a, "events")), seen);
    assert_string_equal(result_text(&a, "events.0.event"), "run.queued");
    assert_true(json_is_null(result(&a, "next")));
    assert_int_equal(json_integer_value(result(&a, "as_of")), seen);
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/runs/%s/events?after=%d", id, INT32_MAX);
    expect(&w, &a, line, NULL);
    assert_int_equal(json_array_size(result(&a, "events")), 0);
    assert_true(json_is_null(result(&a, "next")));
    answer_fini(&a);
    world_close(&w);
}

/* 12 MB in all: a page ends before it is too large to be sent, and the next one goes on. */
static void a_page_of_much_ends_early(void **state)
{
    (void)state;
    enum { BYTES = 900000, ROWS = 12 };
    static const struct {
        const char *what, *number;
    } pages[] = {{"events", "seq"}, {"messages", "seq"}, {"steps", "step"}};
    struct world w = {.clock = NULL};
    struct ia_err err;
    struct ia_tx *tx = NULL;
    char id[IA_ID_SIZE], line[160];
    struct ia_buf json = IA_BUF(BYTES + 100);
    world_open(&w, false);
    ia_buf_puts(&json, "[\"");
    for (int i = 0; i < BYTES; i++) {
        ia_buf_putc(&json, 'x');
    }
    ia_buf_puts(&json, "\"]");
    struct ia_str large = ia_buf_str(&json);
    assert_int_equal(ia_tx_begin(w.setup.store, &tx, &err), IA_OK);
    ia_tx_add_run(tx, &(struct ia_run_new){.goal = "x", .model = "m", .lane = "nowhere"}, id);
    for (int i = 1; i < ROWS; i++) {
        const struct ia_event_run_queued event = {.goal = large, .lane = ia_str("x")};
        ia_tx_add_event(tx, id, IA_EVENT(&event), NULL);
    }
    for (int i = 0; i < ROWS; i++) {
        char use[16];
        (void)snprintf(use, sizeof(use), "use-%d", i);
        ia_tx_add_message(
            tx, id,
            &(struct ia_message_row){.role = "assistant", .purpose = "act", .content = large},
            NULL);
        const struct ia_call_row call = {.message_seq = i + 1,
                                         .step = i + 1,
                                         .tool_use_id = use,
                                         .name = "tap",
                                         .input = large};
        ia_tx_add_call(tx, id, &call);
    }
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
    for (size_t i = 0; i < IA_COUNTOF(pages); i++) {
        int seen = 0, asked = 0;
        for (int after = 0; asked == 0 || after > 0; asked++) {
            struct answer a;
            (void)snprintf(line, sizeof(line), "GET /v1/runs/%s/%s?after=%d&limit=200", id,
                           pages[i].what, after);
            expect(&w, &a, line, NULL);
            assert_true(a.body.len < 6 << 20);
            for (size_t k = 0; k < json_array_size(result(&a, pages[i].what)); k++) {
                const json_t *row = json_array_get(result(&a, pages[i].what), k);
                assert_int_equal(json_integer_value(json_object_get(row, pages[i].number)),
                                 ++seen);
            }
            after = (int)json_integer_value(result(&a, "next"));
            answer_fini(&a);
        }
        assert_int_equal(seen, ROWS);
        assert_int_equal(asked, 3);
    }
    ia_buf_fini(&json);
    world_close(&w);
}

/* What a query must not have: none of it is taken for something else. */
static void hostile_queries_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *line, *code;
    } cases[] = {
        {"GET /v1/runs/last/events?limit=0", "USAGE"},
        {"GET /v1/runs/last/events?limit=1001", "USAGE"},
        {"GET /v1/runs/last/events?after=-1", "USAGE"},
        {"GET /v1/runs/last/events?after=99999999999999999999", "USAGE"},
        {"GET /v1/runs/last/events?after=1e3", "USAGE"},
        {"GET /v1/runs/last/events?after=", "USAGE"},
        {"GET /v1/runs/last/events?type=x", "USAGE"},
        {"GET /v1/runs/last/events?after=1&after=2", "USAGE"},
        {"GET /v1/runs/nobody/events", "NOT_FOUND"},
        {"GET /v1/runs?limit=201", "USAGE"},
        {"GET /v1/runs?limit=-1", "USAGE"},
        {"GET /v1/runs?agents=x", "USAGE"},
        {"GET /v1/runs?state=asleep", "USAGE"},
        {"GET /v1/runs?sweep=nowhere", "NOT_FOUND"},
        {"GET /v1/stats?days=0", "USAGE"},
        {"GET /v1/stats?days=367", "USAGE"},
        {"GET /v1/stats?days=-5", "USAGE"},
        {"GET /v1/stats?days=9223372036854775807", "USAGE"},
        {"GET /v1/stats?days=7d", "USAGE"},
        {"GET /v1/stats?offset_min=1441", "USAGE"},
        {"GET /v1/stats?offset_min=-1441", "USAGE"},
        {"GET /v1/stats?offset_min=60.5", "USAGE"},
        {"GET /v1/stats?limit=5", "USAGE"},
        {"POST /v1/stats", "USAGE"},
        {"GET /v1/runs?sweep=0192' OR 1=1 --", "NOT_FOUND"},
    };
    struct world w = {.clock = NULL};
    world_open(&w, false);
    struct ia_tx *tx = NULL;
    struct ia_err err;
    char id[IA_ID_SIZE];
    assert_int_equal(ia_tx_begin(w.setup.store, &tx, &err), IA_OK);
    ia_tx_add_run(tx, &(struct ia_run_new){.goal = "x", .model = "m", .lane = "nowhere"}, id);
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct answer a = ask(&w, cases[i].line, NULL, NULL);
        if (strcmp(code(&a), cases[i].code) != 0) {
            fail_msg("%s: %s", cases[i].line, ia_buf_cstr(&a.body));
        }
        answer_fini(&a);
    }
    world_close(&w);
}

static void runs_are_found_by_what_they_belong_to(void **state)
{
    (void)state;
    static const struct {
        const char *query;
        int total;
        const char *first;
    } cases[] = {{"", 3, "third"},
                 {"?limit=1", 3, "third"},
                 {"?agent=anna", 2, "third"},
                 {"?agent=anna&device=one", 1, "first"},
                 {"?goal=second", 1, "second"},
                 {"?goal=the same text", 3, "third"},
                 {"?goal=the same", 0, ""},
                 {"?schedule=nightly", 0, ""},
                 {"?agent=' OR ''='", 0, ""},
                 {"?goal=%", 0, ""},
                 {"?state=unfinished&goal=first", 1, "first"}};
    struct world w = {.clock = NULL};
    struct answer a;
    struct ia_err err;
    struct ia_tx *tx = NULL;
    char id[IA_ID_SIZE];
    static const struct ia_run_new runs[] = {
        {.id = "01920000-0000-7000-8000-000000000001",
         .name = "first",
         .lane = "one",
         .agent = "anna"},
        {.id = "01920000-0000-7000-8000-000000000002", .name = "second", .lane = "one"},
        {.id = "01920000-0000-7000-8000-000000000003",
         .name = "third",
         .lane = "two",
         .agent = "anna"}};
    world_open(&w, false);
    assert_int_equal(ia_tx_begin(w.setup.store, &tx, &err), IA_OK);
    for (size_t i = 0; i < IA_COUNTOF(runs); i++) {
        struct ia_run_new run = runs[i];
        run.goal = "the same text";
        run.model = "m";
        ia_tx_add_run(tx, &run, id);
    }
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char line[160];
        (void)snprintf(line, sizeof(line), "GET /v1/runs%s", cases[i].query);
        expect(&w, &a, line, NULL);
        assert_int_equal(json_integer_value(result(&a, "total")), cases[i].total);
        assert_string_equal(result_text(&a, "runs.0.name"), cases[i].first);
        answer_fini(&a);
    }
    expect(&w, &a, "GET /v1/runs?goal=first", NULL);
    assert_string_equal(result_text(&a, "runs.0.kind"), "goal");
    assert_true(json_is_null(result(&a, "runs.0.sweep")));
    assert_true(json_is_null(result(&a, "runs.0.schedule")));
    answer_fini(&a);
    world_close(&w);
}

static void figures_have_a_day_for_each_and_null_for_what_is_not_known(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    char id[IA_ID_SIZE];
    world_open(&w, true);
    run_to_end(&w, id);
    expect(&w, &a, "GET /v1/stats?days=3&offset_min=-120", NULL);
    assert_int_equal(json_array_size(result(&a, "days")), 3);
    assert_int_equal(json_integer_value(result(&a, "days.0.runs")), 0);
    assert_true(json_is_null(result(&a, "days.0.ms_median")));
    assert_true(json_is_null(result(&a, "days.0.cost_usd")));
    assert_int_equal(strlen(result_text(&a, "days.0.day")), 10);
    assert_int_equal(json_integer_value(result(&a, "days.2.passed")), 1);
    assert_true(json_is_integer(result(&a, "days.2.tokens")));
    assert_true(json_is_null(result(&a, "days.2.cost_usd"))); /* the demo brain */
    assert_true(json_is_null(result(&a, "total.usd_median")));
    assert_int_equal(json_integer_value(result(&a, "total.executions")), 1);
    assert_int_equal(json_integer_value(result(&a, "total.billed")), 0);
    assert_true(json_real_value(result(&a, "total.rate.low")) > 0.2);
    assert_string_equal(result_text(&a, "goals.0.goal"),
                        "open Settings, turn on Airplane Mode");
    assert_string_equal(result_text(&a, "goals.0.last_run"), id);
    assert_string_equal(result_text(&a, "goals.0.last_state"), "passed");
    assert_true(json_is_true(result(&a, "complete")));
    assert_true(json_integer_value(result(&a, "as_of")) > 5);
    answer_fini(&a);
    expect(&w, &a, "GET /v1/stats?agent=nobody", NULL);
    assert_int_equal(json_array_size(result(&a, "days")), 30);
    assert_int_equal(json_array_size(result(&a, "goals")), 0);
    assert_int_equal(json_integer_value(result(&a, "total.runs")), 0);
    answer_fini(&a);
    world_close(&w);
}

static void reports_are_files_of_their_type(void **state)
{
    (void)state;
    static const struct {
        const char *query, *type, *begins;
    } formats[] = {{"", NULL, "{"},
                   {"?format=junit", "application/xml; charset=utf-8", "<?xml"},
                   {"?format=md", "text/markdown; charset=utf-8", "#"},
                   {"?format=ctrf", NULL, "{"}};
    struct world w = {.clock = NULL};
    char id[IA_ID_SIZE], line[160];
    world_open(&w, true);
    run_to_end(&w, id);
    for (size_t i = 0; i < IA_COUNTOF(formats); i++) {
        struct answer a;
        (void)snprintf(line, sizeof(line), "GET /v1/runs/%s/report%s", id, formats[i].query);
        expect(&w, &a, line, NULL);
        assert_true(
            strncmp(ia_buf_cstr(&a.body), formats[i].begins, strlen(formats[i].begins)) == 0);
        assert_true(a.type == formats[i].type || strcmp(a.type, formats[i].type) == 0);
        answer_fini(&a);
    }
    world_close(&w);
}

static void what_is_done_to_a_run_answers_as_the_commands(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    char line[160];
    world_open(&w, true);
    expect(&w, &a, "POST /v1/runs", "{" GOAL "," DEMO "}");
    char id[IA_ID_SIZE];
    memcpy(id, result_text(&a, "run.id"), sizeof(id));
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "POST /v1/runs/%s/cancel", id);
    a = ask(&w, line, NULL, NULL);
    assert_true(a.status == 200 || strcmp(code(&a), "STATE") == 0);
    answer_fini(&a);
    run_to_end(&w, id);
    (void)snprintf(line, sizeof(line), "POST /v1/runs/%s/cancel", id);
    a = ask(&w, line, NULL, NULL);
    assert_string_equal(code(&a), "STATE");
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "POST /v1/runs/%s/resume", id);
    a = ask(&w, line, NULL, NULL);
    assert_string_equal(code(&a), "STATE");
    answer_fini(&a);
    world_close(&w);
}

static void a_run_that_waits_for_its_next_try_goes_on_at_once(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct ia_err err;
    struct answer a;
    char id[IA_ID_SIZE], line[160];
    world_open(&w, false); /* nobody does it */
    struct ia_tx *tx = NULL;
    const struct ia_run_new run = {.goal = "x", .model = "m", .lane = "embedded:none"};
    assert_int_equal(ia_tx_begin(w.setup.store, &tx, &err), IA_OK);
    ia_tx_add_run(tx, &run, id);
    ia_run_move(tx, id, IA_RUN_CLAIMED, NULL, NULL);
    const struct ia_run_moved later = {.retry_at_ms = INT64_C(4000000000000)};
    ia_run_move(tx, id, IA_RUN_RETRY_WAIT, &later, NULL);
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
    (void)snprintf(line, sizeof(line), "POST /v1/runs/%s/resume", id);
    expect(&w, &a, line, NULL);
    assert_string_equal(result_text(&a, "state"), "retry_wait");
    answer_fini(&a);
    struct ia_run_row *row = NULL;
    assert_int_equal(ia_store_run(w.setup.store, id, &row, &err), IA_OK);
    assert_true(row->state != IA_RUN_RETRY_WAIT);
    ia_run_row_free(row);
    (void)snprintf(line, sizeof(line), "POST /v1/runs/%s/say", id);
    expect(&w, &a, line, "{\"text\":\"use the blue one\",\"sender\":\"anna\"}");
    answer_fini(&a);
    world_close(&w);
}

static void a_run_without_a_key_is_refused_and_never_done_by_the_demo_brain(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    world_open(&w, true);
    struct answer a = ask(&w, "POST /v1/runs", NULL, "{" GOAL ",\"device\":\"embedded:test\"}");
    assert_int_equal(a.status, 401);
    assert_string_equal(code(&a), "KEY_MISSING");
    answer_fini(&a);
    expect(&w, &a, "GET /v1/runs", NULL);
    assert_int_equal(json_array_size(result(&a, "runs")), 0);
    answer_fini(&a);
    world_close(&w);
}

static void a_key_of_the_callers_own_is_taken_over_the_unix_socket_alone(void **state)
{
    (void)state;
    static const char body[] = "{" GOAL ",\"device\":\"embedded:test\"}";
    static const char key[] = IA_HTTP_API_KEY_HEADER ": sk-ant-api03-callersown\n";
    struct world w = {.clock = NULL};
    /* A port at which nobody listens: no request leaves this machine. */
    assert_int_equal(setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1", 1), 0);
    world_open(&w, false);
    w.listener = IA_HTTP_TCP;
    struct answer a = ask(&w, "POST /v1/runs", key, body);
    assert_string_equal(code(&a), "KEY_MISSING");
    answer_fini(&a);
    w.listener = IA_HTTP_UNIX;
    a = ask(&w, "POST /v1/runs", key, body);
    assert_int_equal(a.status, 200);
    assert_true(json_is_false(result(&a, "run.demo")));
    assert_null(strstr(ia_buf_cstr(&a.body), "callersown"));
    char line[160];
    (void)snprintf(line, sizeof(line), "POST /v1/runs/%s/cancel", result_text(&a, "run.id"));
    answer_fini(&a);
    a = ask(&w, line, NULL, NULL);
    answer_fini(&a);
    expect(&w, &a, "GET /v1/key", NULL);
    assert_true(json_is_false(result(&a, "stored")));
    answer_fini(&a);
    world_close(&w);
    assert_int_equal(unsetenv("ANTHROPIC_BASE_URL"), 0);
}

/* ---- schedules --------------------------------------------------------------------------- */

#define SCHEDULE "\"name\":\"nightly\",\"cron\":\"0 3 * * *\",\"tz\":\"UTC\""

static void a_schedule_is_added_changed_and_removed(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    world_open(&w, false);
    expect(&w, &a, "POST /v1/schedules", "{" SCHEDULE ",\"run\":{" GOAL ",\"demo\":true}}");
    assert_string_equal(result_text(&a, "schedule.state"), "active");
    assert_string_equal(result_text(&a, "schedule.device"), "embedded:schedule-nightly");
    assert_true(json_is_true(result(&a, "schedule.run.demo")));
    answer_fini(&a);
    a = ask(&w, "POST /v1/schedules", NULL, "{" SCHEDULE ",\"run\":{" GOAL ",\"demo\":true}}");
    assert_string_equal(code(&a), "EXISTS");
    answer_fini(&a);
    expect(&w, &a, "PATCH /v1/schedules/nightly", "{\"every\":\"30m\",\"overlap\":\"queue\"}");
    assert_string_equal(result_text(&a, "schedule.kind"), "every");
    assert_string_equal(result_text(&a, "schedule.overlap"), "queue");
    assert_string_equal(result_text(&a, "schedule.run.goal"),
                        "open Settings, turn on Airplane Mode");
    answer_fini(&a);
    expect(&w, &a, "PATCH /v1/schedules/nightly",
           "{\"run\":{\"goal\":\"open Contacts\",\"demo\":true}}");
    assert_string_equal(result_text(&a, "schedule.kind"), "every");
    assert_string_equal(result_text(&a, "schedule.run.goal"), "open Contacts");
    answer_fini(&a);
    expect(&w, &a, "POST /v1/schedules/nightly/run-now", NULL);
    assert_int_equal(strlen(result_text(&a, "run")), IA_ID_SIZE - 1);
    answer_fini(&a);
    expect(&w, &a, "POST /v1/schedules/nightly/pause", NULL);
    assert_int_equal(json_integer_value(result(&a, "cancelled")), 1);
    answer_fini(&a);
    expect(&w, &a, "POST /v1/schedules/nightly/resume", NULL);
    assert_string_equal(result_text(&a, "schedule.state"), "active");
    answer_fini(&a);
    expect(&w, &a, "GET /v1/schedules", NULL);
    assert_int_equal(json_array_size(result(&a, "schedules")), 1);
    answer_fini(&a);
    expect(&w, &a, "DELETE /v1/schedules/nightly", NULL);
    answer_fini(&a);
    a = ask(&w, "GET /v1/schedules/nightly", NULL, NULL);
    assert_int_equal(a.status, 404);
    answer_fini(&a);
    world_close(&w);
}

static void a_schedule_with_a_mistake_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *body, *code;
    } cases[] = {
        {"{" SCHEDULE "}", "USAGE"},
        {"{\"cron\":\"0 3 * * *\",\"run\":{" GOAL ",\"demo\":true}}", "USAGE"},
        {"{\"name\":\"a\",\"run\":{" GOAL ",\"demo\":true}}", "USAGE"},
        {"{\"name\":\"a\",\"cron\":\"0 3 * *\",\"run\":{" GOAL ",\"demo\":true}}", "USAGE"},
        {"{\"name\":\"a\",\"cron\":\"0 3 * * *\",\"every\":\"1h\",\"run\":{" GOAL
         ",\"demo\":true}}",
         "USAGE"},
        {"{" SCHEDULE ",\"run\":{" GOAL "}}", "KEY_MISSING"},
        {"{" SCHEDULE ",\"run\":{" GOAL ",\"demo\":true,\"gaol\":1}}", "USAGE"},
        {"{" SCHEDULE ",\"run\":[]}", "USAGE"},
        {"{" SCHEDULE ",\"run\":{" GOAL ",\"demo\":true,\"device\":\"nowhere:1\"}}",
         "NO_DEVICE"},
    };
    struct world w = {.clock = NULL};
    world_open(&w, false);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct answer a = ask(&w, "POST /v1/schedules", NULL, cases[i].body);
        if (strcmp(code(&a), cases[i].code) != 0) {
            fail_msg("%s: %s", cases[i].body, ia_buf_cstr(&a.body));
        }
        answer_fini(&a);
    }
    w.listener = IA_HTTP_TCP;
    struct answer a = ask(&w, "POST /v1/schedules", NULL,
                          "{" SCHEDULE ",\"if\":\"true\",\"run\":{" GOAL ",\"demo\":true}}");
    assert_string_equal(code(&a), "FORBIDDEN");
    answer_fini(&a);
    expect(&w, &a, "GET /v1/schedules", NULL);
    assert_int_equal(json_array_size(result(&a, "schedules")), 0);
    answer_fini(&a);
    world_close(&w);
}

/* ---- sweeps ------------------------------------------------------------------------------ */

static void a_sweep_is_listed_shown_and_stopped(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    struct ia_err err;
    struct ia_tx *tx = NULL;
    char id[IA_ID_SIZE], line[160];
    world_open(&w, false);
    assert_int_equal(ia_tx_begin(w.setup.store, &tx, &err), IA_OK);
    const struct ia_sweep_row sweep = {.title = "goals", .options = "{}"};
    const struct ia_sweep_goal_row goal = {.name = "first",
                                           .needs = "[\"none\"]",
                                           .tags = "[]",
                                           .job = "{\"goal\":\"x\"}",
                                           .repeat = 1};
    ia_tx_add_sweep(tx, &sweep, id);
    ia_tx_add_sweep_goal(tx, id, &goal, NULL);
    ia_tx_set_sweep_goal(tx, id, 1, IA_SWEEP_GOAL_PASSED, NULL);
    ia_tx_end_sweep(tx, id, IA_SWEEP_DONE, NULL);
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
    expect(&w, &a, "GET /v1/sweeps?limit=3", NULL);
    assert_string_equal(result_text(&a, "sweeps.0.id"), id);
    assert_int_equal(json_integer_value(result(&a, "sweeps.0.passed")), 1);
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/sweeps/%s", id);
    expect(&w, &a, line, NULL);
    assert_string_equal(result_text(&a, "goals.0.name"), "first");
    assert_string_equal(result_text(&a, "sweep.state"), "done");
    assert_string_equal(json_string_value(result(&a, "goals.0.needs.0")), "none");
    assert_true(json_is_true(result(&a, "goals.0.counts")));
    assert_null(result(&a, "goals.0.job"));
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/sweeps/%s/goals/1", id);
    expect(&w, &a, line, NULL);
    assert_string_equal(result_text(&a, "goal.job.goal"), "x");
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/sweeps/%s/goals/2", id);
    a = ask(&w, line, NULL, NULL);
    assert_string_equal(code(&a), "NOT_FOUND");
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "POST /v1/sweeps/%s/cancel", id);
    a = ask(&w, line, NULL, NULL);
    assert_string_equal(code(&a), "STATE");
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/sweeps/%s/report?format=md", id);
    expect(&w, &a, line, NULL);
    answer_fini(&a);
    world_close(&w);
}

/* ---- agents, key, configuration, blobs ---------------------------------------------------- */

static void an_agent_keeps_what_a_change_does_not_name(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    world_open(&w, false);
    expect(&w, &a, "PUT /v1/agents/anna",
           "{\"model\":\"claude-x\",\"prompt\":\"Be quick.\",\"tools\":[\"tap\",\"finish\"]}");
    answer_fini(&a);
    expect(&w, &a, "PUT /v1/agents/anna", "{\"memory\":\"likes blue\",\"prompt\":\"\"}");
    assert_string_equal(result_text(&a, "agent.model"), "claude-x");
    assert_string_equal(result_text(&a, "agent.memory"), "likes blue");
    assert_true(json_is_null(result(&a, "agent.prompt")));
    assert_int_equal(json_array_size(result(&a, "agent.tools")), 2);
    answer_fini(&a);
    a = ask(&w, "PUT /v1/agents/anna", NULL, "{\"tools\":[\"tapp\"]}");
    assert_string_equal(code(&a), "USAGE");
    answer_fini(&a);
    expect(&w, &a, "PUT /v1/agents/anna", "{\"tools\":[]}");
    assert_true(json_is_null(result(&a, "agent.tools")));
    assert_string_equal(result_text(&a, "agent.model"), "claude-x");
    answer_fini(&a);
    a = ask(&w, "PUT /v1/agents/an.na", NULL, "{}");
    assert_string_equal(code(&a), "USAGE");
    answer_fini(&a);
    expect(&w, &a, "GET /v1/agents", NULL);
    assert_int_equal(json_array_size(result(&a, "agents")), 1);
    answer_fini(&a);
    expect(&w, &a, "DELETE /v1/agents/anna", NULL);
    answer_fini(&a);
    a = ask(&w, "DELETE /v1/agents/anna", NULL, NULL);
    assert_int_equal(a.status, 404);
    answer_fini(&a);
    world_close(&w);
}

static void agents_are_those_of_the_store_and_of_the_configuration(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    char path[512], cwd[600];
    world_open(&w, false);
    (void)snprintf(path, sizeof(path), "%s/ios-agent.toml", w.home);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("[agents.zoe]\n[agents.berta]\nmodel = \"claude-x\"\ntools = [\"tap\"]\n"
          "[agents.anna]\n",
          f);
    fclose(f);
    (void)snprintf(cwd, sizeof(cwd), "Ios-Agent-Cwd: %s\n", w.home);
    expect(&w, &a, "PUT /v1/agents/anna", "{\"memory\":\"likes blue\"}");
    answer_fini(&a);
    expect(&w, &a, "PUT /v1/agents/carl", "{}");
    assert_true(json_is_false(result(&a, "agent.configured")));
    answer_fini(&a);
    a = ask(&w, "GET /v1/agents", cwd, NULL);
    static const struct {
        const char *name;
        bool configured, stored;
    } agents[] = {{"anna", true, true},
                  {"berta", true, false},
                  {"carl", false, true},
                  {"zoe", true, false}};
    assert_int_equal(json_array_size(result(&a, "agents")), IA_COUNTOF(agents));
    for (size_t i = 0; i < IA_COUNTOF(agents); i++) {
        const json_t *agent = json_array_get(result(&a, "agents"), i);
        assert_string_equal(json_string_value(json_object_get(agent, "name")), agents[i].name);
        assert_int_equal(json_is_true(json_object_get(agent, "configured")),
                         agents[i].configured);
        assert_int_equal(json_is_string(json_object_get(agent, "created")), agents[i].stored);
        assert_true(json_is_null(json_object_get(agent, "session")));
    }
    assert_string_equal(result_text(&a, "agents.1.model"), "claude-x");
    assert_string_equal(result_text(&a, "agents.1.tools.0"), "tap");
    assert_string_equal(result_text(&a, "agents.0.memory"), "likes blue");
    answer_fini(&a);
    a = ask(&w, "GET /v1/agents/berta", cwd, NULL);
    assert_string_equal(result_text(&a, "agent.name"), "berta");
    answer_fini(&a);
    a = ask(&w, "GET /v1/agents/berta", NULL, NULL);
    assert_int_equal(a.status, 404);
    answer_fini(&a);
    a = ask(&w, "DELETE /v1/agents/berta", cwd, NULL);
    assert_string_equal(code(&a), "STATE");
    answer_fini(&a);
    a = ask(&w, "DELETE /v1/agents/anna", cwd, NULL); /* what it remembers */
    assert_int_equal(a.status, 200);
    answer_fini(&a);
    world_close(&w);
}

static void a_prompt_or_a_memory_that_no_run_could_use_is_refused(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    static const char *const members[] = {"prompt", "memory"};
    world_open(&w, false);
    for (size_t i = 0; i < IA_COUNTOF(members); i++) {
        struct ia_buf body = IA_BUF(128 << 10);
        ia_buf_printf(&body, "{\"%s\":\"%0*d\"}", members[i], (64 << 10) + 1, 0);
        struct answer a = ask(&w, "PUT /v1/agents/anna", NULL, ia_buf_cstr(&body));
        assert_string_equal(code(&a), "LIMIT");
        assert_non_null(strstr(ia_buf_cstr(&a.body), members[i]));
        answer_fini(&a);
        ia_buf_fini(&body);
    }
    struct answer a = ask(&w, "GET /v1/agents/anna", NULL, NULL);
    assert_int_equal(a.status, 404);
    answer_fini(&a);
    world_close(&w);
}

static void models_are_known_with_their_prices(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    size_t i, priced = 0;
    json_t *row;
    world_open(&w, false);
    expect(&w, &a, "GET /v1/models", NULL);
    assert_string_equal(result_text(&a, "default"), "claude-sonnet-5-5");
    json_array_foreach(result(&a, "models"), i, row)
    {
        const json_t *prices = json_object_get(row, "prices");
        assert_true(json_is_string(json_object_get(row, "id")));
        if (json_array_size(prices) > 0) {
            const json_t *last = json_array_get(prices, json_array_size(prices) - 1);
            assert_true(json_is_null(json_object_get(last, "up_to_prompt_tokens")));
            assert_true(json_number_value(json_object_get(last, "output")) > 0);
            priced++;
        }
    }
    assert_true(i > 10 && priced > 10);
    answer_fini(&a);
    world_close(&w);
}

static void an_agent_forgets_its_conversation_and_nothing_else(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    struct ia_err err;
    struct ia_tx *tx = NULL;
    char id[IA_ID_SIZE];
    world_open(&w, false);
    expect(&w, &a, "PUT /v1/agents/anna", "{\"memory\":\"likes blue\"}");
    answer_fini(&a);
    assert_int_equal(ia_tx_begin(w.setup.store, &tx, &err), IA_OK);
    ia_tx_add_run(
        tx, &(struct ia_run_new){.goal = "x", .model = "m", .lane = "nowhere", .agent = "anna"},
        id);
    ia_tx_set_session(tx, "anna", id);
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
    expect(&w, &a, "GET /v1/agents/anna", NULL);
    assert_string_equal(result_text(&a, "agent.session"), id);
    answer_fini(&a);
    expect(&w, &a, "GET /v1/agents", NULL);
    assert_string_equal(result_text(&a, "agents.0.session"), id);
    answer_fini(&a);
    w.scope = IA_HTTP_SCOPE_VIEW;
    a = ask(&w, "DELETE /v1/agents/anna/session", NULL, NULL);
    assert_string_equal(code(&a), "FORBIDDEN");
    answer_fini(&a);
    w.scope = IA_HTTP_SCOPE_ACT;
    for (int i = 0; i < 2; i++) { /* the second has nothing to forget */
        expect(&w, &a, "DELETE /v1/agents/anna/session", NULL);
        assert_true(json_is_null(result(&a, "agent.session")));
        assert_string_equal(result_text(&a, "agent.memory"), "likes blue");
        answer_fini(&a);
    }
    expect(&w, &a, "GET /v1/runs?agent=anna", NULL);
    assert_int_equal(json_integer_value(result(&a, "total")), 1);
    answer_fini(&a);
    a = ask(&w, "DELETE /v1/agents/nobody/session", NULL, NULL);
    assert_int_equal(a.status, 404);
    answer_fini(&a);
    a = ask(&w, "DELETE /v1/agents/anna/session?all=true", NULL, NULL);
    assert_string_equal(code(&a), "USAGE");
    answer_fini(&a);
    world_close(&w);
}

static void tools_are_those_of_a_run_in_its_order(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    char path[64];
    world_open(&w, false);
    expect(&w, &a, "GET /v1/skills", NULL);
    assert_string_equal(result_text(&a, "build"), "build-7");
    assert_int_equal(json_array_size(result(&a, "tools")), IA_TOOL_COUNT);
    for (int i = 0; i < IA_TOOL_COUNT; i++) {
        const json_t *tool = json_array_get(result(&a, "tools"), (size_t)i);
        assert_string_equal(json_string_value(json_object_get(tool, "name")),
                            ia_tool_name((enum ia_tool)i));
        assert_int_equal(json_is_true(json_object_get(tool, "acts")),
                         ia_tool_has_effect((enum ia_tool)i));
        (void)snprintf(path, sizeof(path), "tools.%d.description", i);
        assert_true(strlen(result_text(&a, path)) > 5);
    }
    assert_string_equal(result_text(&a, "tools.2.description"), "Tap an element.");
    assert_true(
        json_is_array(result(&a, "skills"))); /* what the daemon has, this test has not */
    answer_fini(&a);
    a = ask(&w, "GET /v1/skills?topic=core", NULL, NULL);
    assert_string_equal(code(&a), "USAGE");
    answer_fini(&a);
    world_close(&w);
}

#define KEY "sk-ant-api03-abcdefghijklmnop"

static void the_key_goes_in_and_never_comes_out(void **state)
{
    (void)state;
    static const char *const lines[] = {"GET /v1/key", "GET /v1/config", "GET /v1/daemon",
                                        "GET /v1/agents"};
    struct world w = {.clock = NULL};
    struct answer a;
    world_open(&w, false);
    expect(&w, &a, "PUT /v1/key", "{\"key\":\"" KEY "\"}");
    assert_true(json_is_true(result(&a, "stored")));
    assert_string_equal(result_text(&a, "in_use"), "sealed");
    assert_null(strstr(ia_buf_cstr(&a.body), KEY));
    answer_fini(&a);
    for (size_t i = 0; i < IA_COUNTOF(lines); i++) {
        expect(&w, &a, lines[i], NULL);
        assert_null(strstr(ia_buf_cstr(&a.body), "abcdefghijklmnop"));
        answer_fini(&a);
    }
    a = ask(&w, "GET /v1/runs/" KEY, NULL, NULL); /* where a person pastes it */
    assert_null(strstr(ia_buf_cstr(&a.body), "abcdefghijklmnop"));
    answer_fini(&a);
    expect(&w, &a, "DELETE /v1/key", NULL);
    assert_true(json_is_false(result(&a, "stored")));
    answer_fini(&a);
    a = ask(&w, "DELETE /v1/key", NULL, NULL);
    assert_string_equal(code(&a), "KEY_MISSING");
    answer_fini(&a);
    world_close(&w);
}

static void the_configuration_is_that_of_the_callers_folder(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    char path[512], cwd[600];
    world_open(&w, false);
    (void)snprintf(path, sizeof(path), "%s/ios-agent.toml", w.home);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("[run]\nmax_steps = 77\n", f);
    fclose(f);
    (void)snprintf(cwd, sizeof(cwd), "Ios-Agent-Cwd: %s\n", w.home);
    struct answer a = ask(&w, "GET /v1/config", cwd, NULL);
    assert_non_null(strstr(ia_buf_cstr(&a.body), "\"value\":77"));
    answer_fini(&a);
    a = ask(&w, "GET /v1/config", NULL, NULL);
    assert_null(strstr(ia_buf_cstr(&a.body), "\"value\":77"));
    answer_fini(&a);
    a = ask(&w, "GET /v1/config", "Ios-Agent-Cwd: here\n", NULL);
    assert_string_equal(code(&a), "USAGE");
    answer_fini(&a);
    w.listener = IA_HTTP_TCP; /* a page has no folder */
    a = ask(&w, "GET /v1/config", cwd, NULL);
    assert_null(strstr(ia_buf_cstr(&a.body), "\"value\":77"));
    answer_fini(&a);
    world_close(&w);
}

static void blobs_have_the_type_of_their_bytes(void **state)
{
    (void)state;
    static const struct {
        struct ia_str bytes;
        const char *type;
    } cases[] = {{{"\x89PNG\r\n\x1a\nrest", 12}, "image/png"},
                 {{"\xff\xd8\xff\xe0", 4}, "image/jpeg"},
                 {{"{\"a\":1}", 7}, "application/json"},
                 {{"<script>alert(1)</script>", 25}, "text/plain; charset=utf-8"},
                 {{"\xff\xfe\x00", 3}, "application/octet-stream"}};
    struct world w = {.clock = NULL};
    world_open(&w, false);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char sha[IA_SHA256_HEX_SIZE], line[128], value[256];
        struct ia_err err;
        assert_int_equal(
            ia_blob_put(w.setup.store, cases[i].bytes.p, cases[i].bytes.n, sha, &err), IA_OK);
        (void)snprintf(line, sizeof(line), "GET /v1/blobs/%s", sha);
        struct answer a;
        expect(&w, &a, line, NULL);
        assert_string_equal(a.type, cases[i].type);
        assert_int_equal(a.body.len, cases[i].bytes.n);
        assert_memory_equal(a.body.p, cases[i].bytes.p, cases[i].bytes.n);
        assert_string_equal(header(&a, "Cache-Control", value),
                            "private, max-age=31536000, immutable");
        answer_fini(&a);
    }
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_queued_done_and_read),
        cmocka_unit_test(the_events_of_a_run_come_in_pages_as_they_are_stored),
        cmocka_unit_test(a_page_of_much_ends_early),
        cmocka_unit_test(runs_are_found_by_what_they_belong_to),
        cmocka_unit_test(hostile_queries_are_refused),
        cmocka_unit_test(figures_have_a_day_for_each_and_null_for_what_is_not_known),
        cmocka_unit_test(reports_are_files_of_their_type),
        cmocka_unit_test(what_is_done_to_a_run_answers_as_the_commands),
        cmocka_unit_test(a_run_that_waits_for_its_next_try_goes_on_at_once),
        cmocka_unit_test(a_run_without_a_key_is_refused_and_never_done_by_the_demo_brain),
        cmocka_unit_test(a_key_of_the_callers_own_is_taken_over_the_unix_socket_alone),
        cmocka_unit_test(a_schedule_is_added_changed_and_removed),
        cmocka_unit_test(a_schedule_with_a_mistake_is_refused),
        cmocka_unit_test(a_sweep_is_listed_shown_and_stopped),
        cmocka_unit_test(an_agent_keeps_what_a_change_does_not_name),
        cmocka_unit_test(agents_are_those_of_the_store_and_of_the_configuration),
        cmocka_unit_test(a_prompt_or_a_memory_that_no_run_could_use_is_refused),
        cmocka_unit_test(models_are_known_with_their_prices),
        cmocka_unit_test(an_agent_forgets_its_conversation_and_nothing_else),
        cmocka_unit_test(tools_are_those_of_a_run_in_its_order),
        cmocka_unit_test(the_key_goes_in_and_never_comes_out),
        cmocka_unit_test(the_configuration_is_that_of_the_callers_folder),
        cmocka_unit_test(blobs_have_the_type_of_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
