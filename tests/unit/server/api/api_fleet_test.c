/* api_fleet_test.c: GET /v1/fleet and the drain of a worker, where there is no fleet or its server does not answer. With
 * a server: tests/e2e/test_dashboard_fleet.py. */
#include "asked.h"

#include "app/fleet/overview.h"
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

static void fleet_open(struct world *w, const char *url)
{
    assert_int_equal(
        url ? setenv("IOS_AGENT_FLEET_URL", url, 1) : unsetenv("IOS_AGENT_FLEET_URL"), 0);
    world_open(w, false);
}

static void without_a_fleet_it_says_so_and_loads_nothing(void **state)
{
    struct world w = {.clock = NULL};
    struct answer a;
    (void)state;
    fleet_open(&w, NULL);
    expect(&w, &a, "GET /v1/fleet", NULL);
    assert_true(json_is_false(result(&a, "configured")));
    assert_true(json_is_false(result(&a, "connected")));
    assert_int_equal(json_array_size(result(&a, "workers")), 0);
    assert_true(json_is_null(result(&a, "leader")));
    answer_fini(&a);
    a = ask(&w, "POST /v1/fleet/drain", NULL, "{\"worker\":\"mac-1\"}");
    assert_string_equal(code(&a), "STATE");
    answer_fini(&a);
    world_close(&w);
}

static void a_server_that_is_away_is_an_answer_without_the_password(void **state)
{
    struct world w = {.clock = NULL};
    struct answer a;
    (void)state;
    fleet_open(&w, "nats://user:hunter2@127.0.0.1:1");
    do { /* a machine that is busy may not have tried yet */
        expect(&w, &a, "GET /v1/fleet", NULL);
        bool tried = strcmp(result_text(&a, "error.code"), "TIMEOUT") != 0;
        assert_true(json_is_true(result(&a, "configured")));
        assert_true(json_is_false(result(&a, "connected")));
        assert_string_equal(result_text(&a, "url"), "nats://***@127.0.0.1:1");
        assert_null(strstr(ia_buf_cstr(&a.body), "hunter2"));
        if (tried) {
            assert_string_equal(result_text(&a, "error.code"), "IO");
            assert_non_null(strstr(result_text(&a, "error.hint"), "docs/fleet.md"));
            answer_fini(&a);
            break;
        }
        answer_fini(&a);
    } while (true);
    a = ask(&w, "POST /v1/fleet/drain", NULL, "{\"worker\":\"mac-1\"}");
    assert_string_equal(code(&a), "IO");
    assert_null(strstr(ia_buf_cstr(&a.body), "hunter2"));
    answer_fini(&a);
    world_close(&w);
}

static void who_may_only_look_drains_nothing(void **state)
{
    struct world w = {.clock = NULL};
    struct answer a;
    (void)state;
    fleet_open(&w, NULL);
    w.listener = IA_HTTP_TCP;
    w.scope = IA_HTTP_SCOPE_VIEW;
    expect(&w, &a, "GET /v1/fleet", NULL);
    answer_fini(&a);
    a = ask(&w, "POST /v1/fleet/drain", NULL, "{\"worker\":\"mac-1\"}");
    assert_string_equal(code(&a), "FORBIDDEN");
    answer_fini(&a);
    w.scope = IA_HTTP_SCOPE_NONE;
    a = ask(&w, "GET /v1/fleet", NULL, NULL);
    assert_string_equal(code(&a), "AUTH_REQUIRED");
    answer_fini(&a);
    w.scope = IA_HTTP_SCOPE_ACT;
    a = ask(&w, "POST /v1/fleet/drain", NULL, "{}");
    assert_string_equal(code(&a), "USAGE");
    answer_fini(&a);
    world_close(&w);
}

static void what_workers_say_is_written_as_json(void **state)
{
    struct ia_fleet_lane lanes[] = {
        {.device = "<b>\"\xe2\x80\xae", .since_ms = 1764288000000},
        {.device = "b", .batch = "BATCH", .run = "RUN"},
    };
    struct ia_fleet_member m = {
        .worker = {.name = "mac-1", .class_key = "any", .state = "up", .lanes = 2, .busy = 1},
        .lanes = lanes,
        .lane_count = 2,
        .quiet_ms = 12999};
    const struct ia_fleet_overview o = {.workers = &m, .worker_count = 1};
    struct ia_buf text = IA_BUF(4096);
    struct ia_jsonw j;
    (void)state;
    ia_jsonw_init(&j, &text);
    ia_fleet_workers_json(&o, &j);
    assert_string_equal(
        ia_buf_cstr(&text),
        "[{\"worker\":\"mac-1\",\"state\":\"up\",\"labels\":\"any\",\"devices\":2,\"busy\":1,"
        "\"done\":0,\"version\":\"\",\"since\":null,\"quiet_s\":12,\"lanes\":["
        "{\"device\":\"<b>\\\"\xe2\x80\xae\",\"batch\":null,\"run\":null,"
        "\"since\":\"2025-11-28T00:00:00.000Z\"},"
        "{\"device\":\"b\",\"batch\":\"BATCH\",\"run\":\"RUN\",\"since\":null}]}]");
    assert_ptr_equal(ia_fleet_member_of(&o, "mac-1"), &m);
    assert_null(ia_fleet_member_of(&o, "mac-2"));
    ia_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_fleet_it_says_so_and_loads_nothing),
        cmocka_unit_test(a_server_that_is_away_is_an_answer_without_the_password),
        cmocka_unit_test(who_may_only_look_drains_nothing),
        cmocka_unit_test(what_workers_say_is_written_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
