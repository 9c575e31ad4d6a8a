/* api_test.c: the router, what the daemon is, and device commands. */
#include "asked.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void the_daemon_says_what_it_is(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    static const char *const members[] = {"build",   "version",   "api",  "pid",   "home",
                                          "started", "idle_in_s", "http", "lanes", "clients"};
    world_open(&w, false);
    struct answer a = ask(&w, "GET /v1/daemon", NULL, NULL);
    assert_int_equal(a.status, 200);
    assert_int_equal(json_object_size(result(&a, "")), IA_COUNTOF(members));
    for (size_t i = 0; i < IA_COUNTOF(members); i++) {
        assert_non_null(result(&a, members[i]));
    }
    assert_string_equal(result_text(&a, "build"), "build-7");
    assert_string_equal(result_text(&a, "home"), w.home);
    assert_int_equal(json_integer_value(result(&a, "pid")), getpid());
    assert_int_equal(json_integer_value(result(&a, "api.0")), 1);
    assert_int_equal(json_integer_value(result(&a, "idle_in_s")), 900);
    assert_string_equal(result_text(&a, "started"), "1970-01-01T00:00:01.000Z");
    assert_string_equal(result_text(&a, "http"), "http://127.0.0.1:4848");
    answer_fini(&a);
    world_close(&w);
}

static void the_daemon_is_stopped_with_or_without_what_is_in_hand(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    world_open(&w, false);
    struct answer a = ask(&w, "POST /v1/daemon/stop", NULL, NULL);
    assert_true(a.status == 200 && w.stops == 1 && w.drained);
    answer_fini(&a);
    a = ask(&w, "POST /v1/daemon/stop", NULL, "{\"drain\":false}");
    assert_true(a.status == 200 && w.stops == 2 && !w.drained);
    answer_fini(&a);
    world_close(&w);
}

/* A request, the status and the code of its answer. */
struct refused {
    const char *line, *body;
    int status;
    const char *code;
};

static void expect_refused(struct world *w, const struct refused *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct answer a = ask(w, cases[i].line, NULL, cases[i].body);
        if (a.status != cases[i].status || strcmp(code(&a), cases[i].code) != 0) {
            fail_msg("%s %s: %d %s: %s", cases[i].line, cases[i].body ? cases[i].body : "",
                     a.status, code(&a), ia_buf_cstr(&a.body));
        }
        answer_fini(&a);
    }
}

static void mistakes_are_refused_and_named(void **state)
{
    (void)state;
    static const struct refused cases[] = {
        {"GET /", NULL, 404, "NOT_FOUND"},
        {"GET /v1", NULL, 404, "NOT_FOUND"},
        {"GET /v1/", NULL, 404, "NOT_FOUND"},
        {"GET /v1/daemon/", NULL, 404, "NOT_FOUND"},
        {"GET /v2/daemon", NULL, 409, "DAEMON_VERSION"},
        {"GET /v10/daemon", NULL, 409, "DAEMON_VERSION"},
        {"POST /v1/daemon", NULL, 405, "USAGE"},
        {"DELETE /v1/runs", NULL, 405, "USAGE"},
        {"GET /v1/daemon?x=1", NULL, 400, "USAGE"},
        {"GET /v1/runs?limt=3", NULL, 400, "USAGE"},
        {"GET /v1/runs?limit=0", NULL, 400, "USAGE"},
        {"GET /v1/runs?limit=201", NULL, 400, "USAGE"},
        {"GET /v1/runs?limit=3&limit=4", NULL, 400, "USAGE"},
        {"GET /v1/runs?limit=3x", NULL, 400, "USAGE"},
        {"GET /v1/runs?state=odd", NULL, 400, "USAGE"},
        {"GET /v1/devices?all=1", NULL, 400, "USAGE"},
        {"GET /v1/devices?all", NULL, 400, "USAGE"},
        {"GET /v1/runs/0199", NULL, 404, "NOT_FOUND"},
        {"GET /v1/runs/0199/steps", NULL, 404, "NOT_FOUND"},
        {"GET /v1/daemon", "{\"a\":1}", 400, "USAGE"},
        {"POST /v1/daemon/stop", "{\"drian\":true}", 400, "USAGE"},
        {"POST /v1/daemon/stop", "{\"drain\":3}", 400, "USAGE"},
        {"POST /v1/daemon/stop", "{\"drain\":true,\"drain\":false}", 400, "PARSE"},
        {"POST /v1/daemon/stop", "{\"drain\":", 400, "PARSE"},
        {"POST /v1/daemon/stop", "[]", 400, "USAGE"},
        {"POST /v1/daemon/stop", "\xff", 400, "PARSE"},
        {"POST /v1/device/tapp", "{}", 404, "NOT_FOUND"},
        {"POST /v1/device/tap", "{}", 400, "USAGE"},
        {"POST /v1/device/tap", "{\"ref\":[1]}", 400, "USAGE"},
        {"POST /v1/device/tap", "{\"ref\":{}}", 400, "USAGE"},
        {"POST /v1/device/tap", "{\"ref\":1,\"refs\":2}", 400, "USAGE"},
        {"POST /v1/device/tap?as=xml", "{\"ref\":1}", 400, "USAGE"},
        {"POST /v1/runs", "{}", 400, "USAGE"},
        {"POST /v1/runs", "{\"goal\":\"x\",\"gaol\":1}", 400, "USAGE"},
        {"POST /v1/runs", "{\"goal\":\"open Settings\"}", 401, "KEY_MISSING"},
        {"POST /v1/runs/0199/say", "{\"text\":\"x\"}", 404, "NOT_FOUND"},
        {"POST /v1/runs/0199/say", "{}", 400, "USAGE"},
        {"POST /v1/runs/0199/cancel", NULL, 404, "NOT_FOUND"},
        {"GET /v1/blobs/../../etc", NULL, 404, "NOT_FOUND"},
        {"GET /v1/blobs/0123", NULL, 400, "USAGE"},
        {"GET /v1/blobs/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL,
         404, "NOT_FOUND"},
        {"GET /v1/schedules/none", NULL, 404, "NOT_FOUND"},
        {"PUT /v1/key", "{\"key\":\"no key\"}", 400, "USAGE"},
        {"PUT /v1/key", "{}", 400, "USAGE"},
        {"GET /v1/events?types=run.finished,odd", NULL, 400, "USAGE"},
        {"GET /v1/events?after=-2", NULL, 400, "USAGE"},
        {"GET /v1/events?run=0199", NULL, 404, "NOT_FOUND"},
        {"GET /v1/events?run=0199&device=embedded:x", NULL, 400, "USAGE"},
        {"GET /v1/events?live=2", NULL, 400, "USAGE"},
        {"GET /v1/events?types=command,odd", NULL, 400, "USAGE"},
        {"GET /v1/commands?limit=501", NULL, 400, "USAGE"},
    };
    struct world w = {.clock = NULL};
    world_open(&w, false);
    expect_refused(&w, cases, IA_COUNTOF(cases));
    assert_int_equal(w.stops, 0);
    world_close(&w);
}

static void depth_and_size_of_a_body_have_limits(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct ia_buf body = IA_BUF(2 << 20);
    world_open(&w, false);
    for (int depth = 31; depth <= 500000; depth = depth == 31 ? 32 : 500000) {
        ia_buf_reset(&body);
        ia_buf_puts(&body, "{\"drain\":");
        for (int i = 0; i < depth; i++) {
            ia_buf_putc(&body, '[');
        }
        for (int i = 0; i < depth; i++) {
            ia_buf_putc(&body, ']');
        }
        ia_buf_putc(&body, '}');
        struct answer a = ask(&w, "POST /v1/daemon/stop", NULL, ia_buf_cstr(&body));
        assert_string_equal(code(&a), depth == 31 ? "USAGE" : "PARSE");
        answer_fini(&a);
        if (depth == 500000) {
            break;
        }
    }
    ia_buf_fini(&body);
    world_close(&w);
}

static void who_may_only_look_cannot_act(void **state)
{
    (void)state;
    static const struct refused looking[] = {
        {"POST /v1/daemon/stop", NULL, 403, "FORBIDDEN"},
        {"POST /v1/runs", "{\"goal\":\"x\",\"demo\":true}", 403, "FORBIDDEN"},
        {"POST /v1/device/tap", "{\"ref\":1}", 403, "FORBIDDEN"},
        {"DELETE /v1/key", NULL, 403, "FORBIDDEN"},
        {"PUT /v1/agents/a", "{}", 403, "FORBIDDEN"},
    };
    static const struct refused stranger[] = {
        {"GET /v1/daemon", NULL, 401, "AUTH_REQUIRED"},
        {"GET /v1/runs", NULL, 401, "AUTH_REQUIRED"},
        {"POST /v1/device/is", "{\"what\":\"visible \\\"x\\\"\"}", 401, "AUTH_REQUIRED"},
    };
    struct world w = {.clock = NULL};
    world_open(&w, false);
    w.listener = IA_HTTP_TCP;
    w.scope = IA_HTTP_SCOPE_VIEW;
    expect_refused(&w, looking, IA_COUNTOF(looking));
    struct answer a = ask(&w, "GET /v1/runs", NULL, NULL);
    assert_int_equal(a.status, 200);
    answer_fini(&a);
    a = ask(&w, "POST /v1/device/get", NULL, "{\"what\":\"app\"}");
    assert_int_equal(a.status, 200);
    answer_fini(&a);
    w.scope = IA_HTTP_SCOPE_NONE;
    expect_refused(&w, stranger, IA_COUNTOF(stranger));
    assert_int_equal(w.stops, 0);
    world_close(&w);
}

static void a_daemon_that_ends_takes_no_work_and_says_that_nothing_was_done(void **state)
{
    (void)state;
    char value[256];
    struct world w = {.clock = NULL};
    world_open(&w, false);
    w.full = true;
    struct answer a = ask(&w, "POST /v1/device/back?as=cli", NULL, "{}");
    assert_int_equal(a.status, 409);
    assert_string_equal(header(&a, "Ios-Agent-Code", value), "DAEMON_VERSION");
    assert_string_equal(header(&a, "Ios-Agent-Exit", value), "3");
    assert_string_equal(header(&a, "Ios-Agent-Stream", value), "err");
    assert_string_equal(ia_buf_cstr(&a.body), "ios-agent: this daemon ends\n");
    answer_fini(&a);
    a = ask(&w, "GET /v1/daemon", NULL, NULL);
    assert_int_equal(a.status, 200);
    answer_fini(&a);
    world_close(&w);
}

/* ---- commands ---------------------------------------------------------------------------- */

#define DEVICE "\"device\":\"embedded:test\""

static void a_command_answers_as_the_command_line_prints(void **state)
{
    (void)state;
    char value[256];
    struct world w = {.clock = NULL};
    world_open(&w, false);
    struct answer a =
        ask(&w, "POST /v1/device/open?as=cli", NULL, "{" DEVICE ",\"what\":\"Settings\"}");
    assert_int_equal(a.status, 200);
    assert_null(a.json);
    assert_string_equal(header(&a, "Ios-Agent-Exit", value), "0");
    assert_string_equal(header(&a, "Ios-Agent-Stream", value), "out");
    assert_string_equal(header(&a, "Ios-Agent-Code", value), "");
    assert_true(a.body.len > 0);
    answer_fini(&a);
    a = ask(&w, "POST /v1/device/get?as=cli", NULL,
            "{" DEVICE ",\"what\":\"app\",\"json\":true}");
    assert_string_equal(result_text(&a, "app"), "com.apple.Preferences");
    assert_string_equal(header(&a, "Ios-Agent-Exit", value), "0");
    answer_fini(&a);
    a = ask(&w, "POST /v1/device/get", NULL, "{" DEVICE ",\"what\":\"app\"}");
    assert_string_equal(result_text(&a, "app"), "com.apple.Preferences");
    answer_fini(&a);
    world_close(&w);
}

static void a_failed_command_has_its_status_code_and_both_streams(void **state)
{
    (void)state;
    char value[256], *end = NULL;
    struct world w = {.clock = NULL};
    world_open(&w, false);
    struct answer a = ask(&w, "POST /v1/device/tap?as=cli", NULL,
                          "{" DEVICE ",\"ref\":\"button \\\"Nothing\\\"\"}");
    assert_int_equal(a.status, 404);
    assert_string_equal(header(&a, "Ios-Agent-Code", value), "NOT_FOUND");
    assert_string_equal(header(&a, "Ios-Agent-Exit", value), "2");
    bool both = strcmp(header(&a, "Ios-Agent-Stream", value), "out") == 0;
    size_t err_bytes = strtoul(header(&a, "Ios-Agent-Err-Bytes", value), &end, 10);
    const char *complaint = ia_buf_cstr(&a.body) + (both ? a.body.len - err_bytes : 0);
    assert_true(strncmp(complaint, "ios-agent: ", 11) == 0);
    answer_fini(&a);
    a = ask(&w, "POST /v1/device/tap", NULL, "{\"device\":\"embedded:other\",\"ref\":12}");
    assert_int_equal(a.status, 409);
    assert_string_equal(code(&a), "NO_SNAPSHOT");
    answer_fini(&a);
    world_close(&w);
}

static void a_picture_comes_as_bytes_for_the_users_file(void **state)
{
    (void)state;
    char value[256], *end = NULL;
    struct world w = {.clock = NULL};
    world_open(&w, false);
    struct answer a =
        ask(&w, "POST /v1/device/screenshot?as=cli", NULL, "{" DEVICE ",\"out\":\"/x.png\"}");
    size_t n = strtoul(header(&a, "Ios-Agent-File-Bytes", value), &end, 10);
    assert_true(n > 1000 && n <= a.body.len);
    assert_memory_equal(a.body.p, "\x89PNG", 4);
    answer_fini(&a);
    a = ask(&w, "POST /v1/device/screenshot", NULL, "{" DEVICE "}");
    assert_true(strncmp(result_text(&a, "file"), "iVBORw0KGgo", 11) == 0);
    answer_fini(&a);
    world_close(&w);
}

static void devices_are_listed_with_who_has_them(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    world_open(&w, false);
    struct answer a = ask(&w, "POST /v1/device/back", NULL, "{" DEVICE "}");
    answer_fini(&a);
    a = ask(&w, "GET /v1/devices?all=true", NULL, NULL);
    assert_int_equal(a.status, 200);
    assert_true(json_is_array(result(&a, "simulators")));
    assert_true(json_array_size(result(&a, "embedded")) > 0);
    assert_string_equal(result_text(&a, "lanes.0.lane"), "embedded:test");
    answer_fini(&a);
    a = ask(&w, "GET /v1/commands?device=embedded:test&limit=1", NULL, NULL);
    assert_string_equal(result_text(&a, "commands.0.verb"), "back");
    assert_string_equal(result_text(&a, "commands.0.actor"), "http");
    answer_fini(&a);
    world_close(&w);
}

/* ---- once only --------------------------------------------------------------------------- */

#define ID(id) "Ios-Agent-Request-Id: " id "\n"

static void a_repeat_gets_the_same_answer_and_acts_no_second_time(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    world_open(&w, false);
    struct answer first = ask(&w, "POST /v1/daemon/stop", ID("a-1"), NULL);
    struct answer again = ask(&w, "POST /v1/daemon/stop", ID("a-1"), NULL);
    struct answer other = ask(&w, "POST /v1/daemon/stop", ID("a-1"), "{\"drain\":false}");
    struct answer bad = ask(&w, "POST /v1/daemon/stop", ID("a b"), NULL);
    assert_int_equal(w.stops, 1);
    assert_string_equal(ia_buf_cstr(&first.body), ia_buf_cstr(&again.body));
    assert_string_equal(code(&other), "USAGE");
    assert_string_equal(code(&bad), "USAGE");
    answer_fini(&first);
    answer_fini(&again);
    answer_fini(&other);
    answer_fini(&bad);
    first = ask(&w, "POST /v1/daemon/stop", ID("a-2"), NULL);
    assert_int_equal(w.stops, 2);
    answer_fini(&first);
    world_close(&w);
}

enum { TWINS = 8 };

static void *ask_again(void *ctx)
{
    struct answer *a = ia_calloc(1, sizeof(*a));
    *a = ask(ctx, "POST /v1/daemon/stop", ID("twin"), NULL);
    return a;
}

static void of_repeats_at_the_same_time_one_acts(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    pthread_t threads[TWINS];
    struct answer *answers[TWINS];
    world_open(&w, false);
    for (int i = 0; i < TWINS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, ask_again, &w), 0);
    }
    for (int i = 0; i < TWINS; i++) {
        void *ret = NULL;
        pthread_join(threads[i], &ret);
        answers[i] = ret;
    }
    assert_int_equal(w.stops, 1);
    for (int i = 0; i < TWINS; i++) {
        assert_int_equal(answers[i]->status, 200);
        assert_string_equal(ia_buf_cstr(&answers[i]->body), ia_buf_cstr(&answers[0]->body));
    }
    for (int i = 0; i < TWINS; i++) {
        answer_fini(answers[i]);
        free(answers[i]);
    }
    world_close(&w);
}

static void answers_are_kept_for_ten_minutes(void **state)
{
    (void)state;
    struct world w = {.clock = ia_vclock_new(0)};
    world_open(&w, false);
    struct answer a = ask(&w, "POST /v1/daemon/stop", ID("a-1"), NULL);
    answer_fini(&a);
    ia_vclock_advance(w.clock, INT64_C(599) * 1000000);
    a = ask(&w, "POST /v1/daemon/stop", ID("a-1"), NULL);
    answer_fini(&a);
    assert_int_equal(w.stops, 1);
    ia_vclock_advance(w.clock, INT64_C(2) * 1000000);
    a = ask(&w, "POST /v1/daemon/stop", ID("a-1"), NULL);
    answer_fini(&a);
    assert_int_equal(w.stops, 2);
    world_close(&w);
    ia_vclock_free(w.clock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_daemon_says_what_it_is),
        cmocka_unit_test(the_daemon_is_stopped_with_or_without_what_is_in_hand),
        cmocka_unit_test(mistakes_are_refused_and_named),
        cmocka_unit_test(depth_and_size_of_a_body_have_limits),
        cmocka_unit_test(who_may_only_look_cannot_act),
        cmocka_unit_test(a_daemon_that_ends_takes_no_work_and_says_that_nothing_was_done),
        cmocka_unit_test(a_command_answers_as_the_command_line_prints),
        cmocka_unit_test(a_failed_command_has_its_status_code_and_both_streams),
        cmocka_unit_test(a_picture_comes_as_bytes_for_the_users_file),
        cmocka_unit_test(devices_are_listed_with_who_has_them),
        cmocka_unit_test(a_repeat_gets_the_same_answer_and_acts_no_second_time),
        cmocka_unit_test(of_repeats_at_the_same_time_one_acts),
        cmocka_unit_test(answers_are_kept_for_ten_minutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
