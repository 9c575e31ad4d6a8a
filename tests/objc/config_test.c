/* config_test.c: the variables that configure the bridge, and an older XCTest. */
#include "host.h"

#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static void info(struct link *l, struct ia_wire_reply *ret)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_INFO};
    link_call(l, &req, ret);
    assert_int_equal(ret->code, IA_WIRE_OK);
}

static void the_wait_for_idle_is_skipped_only_on_request(void **state)
{
    (void)state;
    struct host h;
    struct link l;
    struct ia_wire_reply reply;
    host_start(&h, "BRIDGE_QUIESCENCE", "skip", "BRIDGE_APP", FAKE_APP, "SIMULATOR_UDID",
               "0000-11", "SIMULATOR_DEVICE_NAME", "iPhone 17", "SIMULATOR_RUNTIME_VERSION",
               "26.2", NULL);
    link_open(&l, &h);
    assert_int_equal(l.hello.features, IA_WIRE_FEATURE_NO_QUIESCENCE);
    info(&l, &reply);
    assert_int_equal(reply.u.info.notes_n, 0);
    assert_string_equal(reply.u.info.bundle_id, FAKE_APP);
    assert_string_equal(reply.u.info.udid, "0000-11");
    assert_string_equal(reply.u.info.name, "iPhone 17");
    assert_string_equal(reply.u.info.os, "iOS 26.2");
    ia_wire_reply_fini(&reply);
    launch_fake(&l, NULL);
    assert_int_equal(act_on(&l, "count", 1000), IA_WIRE_OK);
    assert_string_equal(label_of(&l, "counted"), "Count: 1");
    link_close(&l);
    assert_int_equal(host_stop(&h), 0);
}

static void an_app_that_refuses_to_skip_the_wait_is_reported(void **state)
{
    (void)state;
    struct host h;
    struct link l;
    struct ia_wire_reply reply;
    struct ia_wire_request req = {.op = IA_WIRE_OP_LAUNCH};
    host_start(&h, "BRIDGE_QUIESCENCE", "skip", NULL);
    link_open(&l, &h);
    req.u.launch.bundle_id = "com.example.other";
    link_call(&l, &req, &reply);
    assert_int_equal(reply.code, IA_WIRE_OK);
    ia_wire_reply_fini(&reply);
    info(&l, &reply);
    assert_int_equal(reply.u.info.notes_n, 1);
    assert_non_null(strstr(reply.u.info.notes[0], "refuses"));
    ia_wire_reply_fini(&reply);
    link_close(&l);
    assert_int_equal(host_stop(&h), 0);
}

static void an_older_xctest_answers_unsupported(void **state)
{
    (void)state;
    static struct ia_wire_request requests[] = {
        {.op = IA_WIRE_OP_AUDIT},
        {.op = IA_WIRE_OP_OPEN_URL, .u.open_url = {"fake://a/b"}},
        {.op = IA_WIRE_OP_APPEARANCE, .u.appearance = {IA_WIRE_DARK}},
        {.op = IA_WIRE_OP_PASTEBOARD, .u.pasteboard = {IA_WIRE_PASTEBOARD_READ, ""}}};
    struct host h;
    struct link l;
    struct ia_wire_reply reply;
    host_start(&h, "STUB_XCTEST", "old", "BRIDGE_QUIESCENCE", "skip", NULL);
    link_open(&l, &h);
    assert_int_equal(l.hello.features, 0);
    info(&l, &reply);
    assert_int_equal(reply.u.info.notes_n, 1);
    assert_non_null(strstr(reply.u.info.notes[0], "cannot be skipped"));
    ia_wire_reply_fini(&reply);
    launch_fake(&l, NULL);
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        link_call(&l, &requests[i], &reply);
        assert_int_equal(reply.code, IA_WIRE_E_UNSUPPORTED);
        assert_true(reply.outcome == IA_WIRE_NONE || reply.outcome == IA_WIRE_NOT_SENT);
        ia_wire_reply_fini(&reply);
    }
    assert_int_equal(act_on(&l, "count", 1000), IA_WIRE_OK);
    link_close(&l);
    assert_int_equal(host_stop(&h), 0);
}

static void a_host_without_the_token_is_refused(void **state)
{
    (void)state;
    struct host h;
    struct link l;
    struct ia_wire_request req = {.op = IA_WIRE_OP_TREE};
    struct ia_wire_reply reply;
    host_start(&h, NULL);
    link_connect(&l, &h);
    link_call(&l, &req, &reply);
    assert_int_equal(reply.code, IA_WIRE_E_AUTH);
    ia_wire_reply_fini(&reply);
    link_close(&l);
    assert_int_equal(host_stop(&h), 0);
}

/* Starts the program with one invalid variable and expects it to say so and to end. */
static void it_fails_with(const char *variable, const char *says)
{
    int fds[2], status = 0;
    char said[512] = "";
    size_t n = 0;
    ssize_t got;
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char *argv[] = {getenv("BRIDGE_PROGRAM"), NULL};
        char *envp[] = {(char *)(uintptr_t)variable, NULL};
        dup2(fds[1], STDERR_FILENO);
        close(fds[0]);
        execve(argv[0], argv, envp);
        _exit(127);
    }
    close(fds[1]);
    while (n + 1 < sizeof(said) && (got = read(fds[0], said + n, sizeof(said) - 1 - n)) > 0) {
        n += (size_t)got;
    }
    close(fds[0]);
    waitpid(pid, &status, 0);
    if (!strstr(said, "BRIDGE_FAILED") || !strstr(said, says)) {
        fail_msg("%s: %s", variable, said);
    }
    assert_int_equal(WEXITSTATUS(status), 1);
}

static void an_invalid_variable_ends_the_runner_with_a_reason(void **state)
{
    (void)state;
    struct host h;
    char taken[32];
    it_fails_with("BRIDGE_PORT=many", "BRIDGE_PORT");
    it_fails_with("BRIDGE_PORT=70000", "BRIDGE_PORT");
    it_fails_with("BRIDGE_PORT=-1", "BRIDGE_PORT");
    it_fails_with("BRIDGE_QUIESCENCE=maybe", "BRIDGE_QUIESCENCE");
    host_start(&h, NULL);
    snprintf(taken, sizeof(taken), "BRIDGE_PORT=%u", h.port);
    it_fails_with(taken, "cannot listen");
    assert_int_equal(host_stop(&h), 0);
}

static void a_killed_runner_closes_its_connections_at_once(void **state)
{
    (void)state;
    struct host h;
    struct link l;
    char c;
    host_start(&h, NULL);
    link_open(&l, &h);
    host_kill(&h);
    assert_true(read(l.fd, &c, 1) <= 0);
    link_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wait_for_idle_is_skipped_only_on_request),
        cmocka_unit_test(an_app_that_refuses_to_skip_the_wait_is_reported),
        cmocka_unit_test(an_older_xctest_answers_unsupported),
        cmocka_unit_test(a_host_without_the_token_is_refused),
        cmocka_unit_test(an_invalid_variable_ends_the_runner_with_a_reason),
        cmocka_unit_test(a_killed_runner_closes_its_connections_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
