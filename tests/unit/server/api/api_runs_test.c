/* api_runs_test.c: runs over the API: queued, read, found, counted, and what is done to them. */
#include "asked.h"

#include <string.h>

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

/* A run as a run of the store delegates it; nobody does it. */
static void add_child(struct world *w, const char *parent, char id[IA_ID_SIZE])
{
    const struct ia_run_new run = {.goal = "be a subtask",
                                   .model = "m",
                                   .lane = "embedded:other",
                                   .parent_id = parent,
                                   .parent_call = "toolu_1"};
    struct ia_tx *tx = NULL;
    assert_int_equal(ia_tx_begin(w->setup.store, &tx, NULL), IA_OK);
    ia_tx_add_run(tx, &run, id);
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
}

static void a_run_has_the_runs_that_it_delegated_and_a_list_may_leave_them_out(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    char id[IA_ID_SIZE], child[IA_ID_SIZE], line[160];
    world_open(&w, false);
    expect(&w, &a, "POST /v1/runs", "{\"goal\":\"open Settings\",\"demo\":true}");
    (void)snprintf(id, sizeof(id), "%s", result_text(&a, "run.id"));
    assert_true(json_is_null(result(&a, "run.parent")));
    answer_fini(&a);
    add_child(&w, id, child);
    (void)snprintf(line, sizeof(line), "GET /v1/runs/%s", id);
    expect(&w, &a, line, NULL);
    assert_int_equal(json_array_size(result(&a, "children")), 1);
    assert_string_equal(result_text(&a, "children.0.id"), child);
    assert_string_equal(result_text(&a, "children.0.parent"), id);
    assert_string_equal(result_text(&a, "children.0.parent_call"), "toolu_1");
    assert_int_equal(json_integer_value(result(&a, "run.waits_for")), 1);
    assert_int_equal(json_integer_value(result(&a, "below.runs")), 1);
    answer_fini(&a);
    expect(&w, &a, "GET /v1/runs", NULL);
    assert_int_equal(json_integer_value(result(&a, "total")), 2);
    answer_fini(&a);
    expect(&w, &a, "GET /v1/runs?top=1", NULL);
    assert_int_equal(json_integer_value(result(&a, "total")), 1);
    assert_string_equal(result_text(&a, "runs.0.id"), id);
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
    struct world w = {.clock = ia_vclock_new(0)};
    struct answer a;
    struct ia_err err;
    struct ia_run_row *row = NULL;
    char id[IA_ID_SIZE];
    world_open(&w, true);
    run_to_end(&w, id);
    assert_int_equal(ia_store_run(w.setup.store, id, &row, &err), IA_OK);
    /* Asked when it ended, so that no midnight is in between. */
    ia_vclock_advance(w.clock, row->finished_ms * 1000);
    ia_run_row_free(row);
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
    ia_vclock_free(w.clock);
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
    /* Before it goes on: a worker then ends it at once, as there is no key. */
    (void)snprintf(line, sizeof(line), "POST /v1/runs/%s/say", id);
    expect(&w, &a, line, "{\"text\":\"use the blue one\",\"sender\":\"anna\"}");
    assert_string_equal(result_text(&a, "state"), "retry_wait");
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "POST /v1/runs/%s/resume", id);
    expect(&w, &a, line, NULL);
    assert_string_equal(result_text(&a, "state"), "retry_wait");
    answer_fini(&a);
    struct ia_run_row *row = NULL;
    assert_int_equal(ia_store_run(w.setup.store, id, &row, &err), IA_OK);
    assert_true(row->state != IA_RUN_RETRY_WAIT);
    ia_run_row_free(row);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_queued_done_and_read),
        cmocka_unit_test(a_run_has_the_runs_that_it_delegated_and_a_list_may_leave_them_out),
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
