/* hostile_test.c: servers that break every rule. Each harms its own call and nothing else: what fails
 * says why, its outcome is told truly, it ends in time, and another server answers as before. */
#include "fixture.h"

#include "test.h"

#include "base/clock.h"
#include "json/json.h"

enum { SOON_MS = 300, LATE_MS = 60000, ENDS_MS = 30000 };

/* What comes of the first call of the tool echo. */
struct row {
    const char *behaviour;
    enum ia_rc rc;
    enum ia_outcome outcome;
    int ms;           /* how long the call may take; 0: LATE_MS */
    const char *part; /* of the message */
};

/* Before a call can be made. */
static const struct row at_start[] = {
    {"hangs_at_start", IA_E_TIMEOUT, IA_OUTCOME_NOT_SENT, SOON_MS, "it gave no answer in time"},
    {"exits_at_start", IA_E_CHILD, IA_OUTCOME_NOT_SENT, 0,
     "status 3: cannot find␛[31m its config"},
    {"refuses_initialize", IA_E_FAILED, IA_OUTCOME_NOT_SENT, 0,
     "answered initialize with an error: go away"},
    {"new_version", IA_E_UNSUPPORTED, IA_OUTCOME_NOT_SENT, 0,
     "it speaks revision \"2099-01-01\""},
    {"no_version", IA_E_UNSUPPORTED, IA_OUTCOME_NOT_SENT, 0, "it speaks revision \"\""},
    {"no_tools", IA_E_UNSUPPORTED, IA_OUTCOME_NOT_SENT, 0, "it offers no tools"},
    {"many_tools", IA_E_PROTO, IA_OUTCOME_NOT_SENT, 0, "a message of more than 4 MB"},
    {"257_tools", IA_E_LIMIT, IA_OUTCOME_NOT_SENT, 0, "it lists more than 256 tools"},
    {"large_tool", IA_E_LIMIT, IA_OUTCOME_NOT_SENT, 0, "a tool of more than 64 KB"},
    {"large_list", IA_E_LIMIT, IA_OUTCOME_NOT_SENT, 0, "tools of more than 1 MB together"},
    {"endless_pages", IA_E_LIMIT, IA_OUTCOME_NOT_SENT, 0, "more than 32 pages"},
    {"large_cursor", IA_E_LIMIT, IA_OUTCOME_NOT_SENT, 0, "a cursor of more than 4096 bytes"},
    {"list_is_no_list", IA_E_PROTO, IA_OUTCOME_NOT_SENT, 0,
     "answered tools/list without a list"},
    {"tool_without_name", IA_E_PROTO, IA_OUTCOME_NOT_SENT, 0, "it lists a tool without a name"},
    {"hangs_in_list", IA_E_TIMEOUT, IA_OUTCOME_NOT_SENT, 2000, "it gave no answer in time"},
};

/* In the call; the tools were listed before. */
static const struct row in_call[] = {
    {"hangs_in_call", IA_E_TIMEOUT, IA_OUTCOME_UNKNOWN, SOON_MS, "it gave no answer in time"},
    {"hangs_and_ignores_sigterm", IA_E_TIMEOUT, IA_OUTCOME_UNKNOWN, SOON_MS,
     "it gave no answer in time"},
    {"wrong_ids", IA_E_TIMEOUT, IA_OUTCOME_UNKNOWN, SOON_MS, "it gave no answer in time"},
    {"exits_in_call", IA_E_CHILD, IA_OUTCOME_UNKNOWN, 0,
     "it exited with status 4: out of ideas"},
    {"dies_in_call", IA_E_CHILD, IA_OUTCOME_UNKNOWN, 0, "it was killed by signal 9"},
    {"forks_in_call", IA_E_CHILD, IA_OUTCOME_UNKNOWN, 0, "it exited with status 5"},
    {"closes_output_in_call", IA_E_CHILD, IA_OUTCOME_UNKNOWN, 0, "it closed its output"},
    {"floods_lines", IA_E_PROTO, IA_OUTCOME_UNKNOWN, 0, "more than 10000 messages"},
    {"floods_requests", IA_E_PROTO, IA_OUTCOME_UNKNOWN, 0, "more than 100 requests"},
    {"floods_large_lines", IA_E_PROTO, IA_OUTCOME_UNKNOWN, 0, "more than 64 MB"},
    {"floods_bytes", IA_E_PROTO, IA_OUTCOME_UNKNOWN, 0, "a message of more than 4 MB"},
    {"floods_empty_lines", IA_E_PROTO, IA_OUTCOME_UNKNOWN, 0, "lines that are no messages"},
    {"garbage_without_end", IA_E_PROTO, IA_OUTCOME_UNKNOWN, 0, "lines that are no messages"},
    {"broken_json", IA_E_PROTO, IA_OUTCOME_UNKNOWN, 0, "JSON that cannot be read"},
    {"invalid_utf8", IA_E_PROTO, IA_OUTCOME_UNKNOWN, 0, "JSON that cannot be read"},
    {"deep_json", IA_E_PROTO, IA_OUTCOME_UNKNOWN, 0, "nested too deeply"},
    {"many_values", IA_E_PROTO, IA_OUTCOME_UNKNOWN, 0, "more than 200000 values"},
    {"no_rpc", IA_E_PROTO, IA_OUTCOME_UNKNOWN, 0, "JSON that is no JSON-RPC message"},
    {"no_result", IA_E_PROTO, IA_OUTCOME_UNKNOWN, 0, "an answer without a result"},
    {"error", IA_E_FAILED, IA_OUTCOME_UNKNOWN, 0, "with an error: ␛[2Jno such (-32602)"},
    {"unknown_method", IA_E_FAILED, IA_OUTCOME_NOT_SENT, 0, "with an error: no (-32601)"},
};

static void expect_row(const struct row *r, struct world *w)
{
    struct ia_err err = {0};
    int64_t start_us = ia_mono_us(ia_clock_system());
    enum ia_rc rc = call_within(w, "echo", within(r->ms ? r->ms : LATE_MS), NULL, &err);
    int64_t ms = (ia_mono_us(ia_clock_system()) - start_us) / 1000;
    if (rc != r->rc || err.outcome != r->outcome || !strstr(err.msg, r->part) || ms > ENDS_MS) {
        fail_msg("%s: %s %s after %lld ms: %s", r->behaviour, ia_rc_name(rc),
                 ia_outcome_name(err.outcome), (long long)ms, err.msg);
    }
}

static void list(struct world *w)
{
    struct ia_limit limit = within(LATE_MS);
    json_t *tools = NULL;
    assert_int_equal(ia_mcp_client_tools(w->client, &limit, &tools, NULL), IA_OK);
    json_decref(tools);
}

static void expect_all(const struct row *rows, size_t n, bool listed)
{
    struct world good = world_new("good");
    for (size_t i = 0; i < n; i++) {
        struct world w = world_new(rows[i].behaviour);
        if (listed) {
            list(&w);
        }
        expect_row(&rows[i], &w);
        world_close(&w);
        assert_true(logged(&w, "tools/call") <= 1);
        world_free(&w);
        expect_call(&good, "echo", "{\"n\": 1}");
    }
    assert_int_equal(logged(&good, "start"), 1);
    world_free(&good);
}

static void a_server_that_starts_badly_is_sent_no_call(void **state)
{
    (void)state;
    expect_all(at_start, IA_COUNTOF(at_start), false);
}

static void a_server_that_fails_in_a_call_harms_that_call_alone(void **state)
{
    (void)state;
    expect_all(in_call, IA_COUNTOF(in_call), true);
}

/* The next call begins anew, and finds the same; nothing of the last one is left. */
static void the_call_after_a_failure_is_made_as_the_first(void **state)
{
    (void)state;
    for (size_t i = 3; i < IA_COUNTOF(in_call); i += 3) {
        struct world w = world_new(in_call[i].behaviour);
        expect_row(&in_call[i], &w);
        expect_row(&in_call[i], &w);
        world_free(&w);
    }
}

static void an_answer_counts_once_and_only_for_its_request(void **state)
{
    (void)state;
    static const char *const behaviours[] = {"duplicate_ids"};
    for (size_t i = 0; i < IA_COUNTOF(behaviours); i++) {
        struct world w = world_new(behaviours[i]);
        expect_call(&w, "echo", "{\"n\": 1}");
        expect_call(&w, "fail", "it went wrong");
        expect_call(&w, "echo", "{\"n\": 1}");
        assert_int_equal(logged(&w, "start"), 1);
        world_free(&w);
    }
}

static void names_are_listed_as_they_are_each_once(void **state)
{
    (void)state;
    struct world w = world_new("odd_names");
    struct ia_limit limit = within(LATE_MS);
    json_t *tools = NULL;
    assert_int_equal(ia_mcp_client_tools(w.client, &limit, &tools, NULL), IA_OK);
    assert_int_equal(json_array_size(tools),
                     13); /* without the one with a NUL and the second read_file */
    json_decref(tools);
    expect_call(&w, "\x1b[2J", "{\"n\": 1}");
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_that_starts_badly_is_sent_no_call),
        cmocka_unit_test(a_server_that_fails_in_a_call_harms_that_call_alone),
        cmocka_unit_test(the_call_after_a_failure_is_made_as_the_first),
        cmocka_unit_test(an_answer_counts_once_and_only_for_its_request),
        cmocka_unit_test(names_are_listed_as_they_are_each_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
