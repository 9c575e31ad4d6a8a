/* wda_server_test.c: who may ask, what a hostile request gets, a device that waits, and sessions. */
#include "served.h"

#include "base/clock.h"
#include "server/http/token.h"
#include "server/wda/wda_impl.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

/* The status and the error of a request with these lines behind its Host line. */
static int ask_raw(struct served *s, const char *line, const char *host, const char *rest,
                   char error[64])
{
    struct wire_reply r;
    char value[256];
    int fd = wire_tcp(&s->at);
    wire_send(fd, "%s HTTP/1.1\r\nHost: %s\r\n%s", line, host, rest);
    wire_read(fd, &r);
    close(fd);
    json_t *whole = json_loadb(r.body.p, r.body.len, 0, NULL);
    const char *text =
        json_string_value(json_object_get(json_object_get(whole, "value"), "error"));
    (void)snprintf(error, 64, "%s", text ? text : "");
    assert_string_equal(wire_header(&r, "Access-Control-Allow-Origin", value), "");
    int status = r.status;
    json_decref(whole);
    wire_reply_fini(&r);
    return status;
}

static void only_programs_of_this_machine_may_ask(void **state)
{
    (void)state;
    static const struct {
        const char *line, *host, *rest;
        int status;
    } rows[] = {
        {"GET /status", "127.0.0.1:1", "\r\n", 200}, /* a port that is forwarded */
        {"GET /status", "localhost", "\r\n", 200},
        {"GET /status", "[::1]:8100", "\r\n", 200},
        {"GET /status", "evil.example", "\r\n", 403},
        {"GET /status", "localhost.evil.example:80", "\r\n", 403},
        {"GET /status", "127.0.0.1:80x", "\r\n", 403},
        {"GET /status", "127.0.0.1", "Origin: http://127.0.0.1\r\n\r\n", 403},
        {"GET /status", "127.0.0.1", "Origin: null\r\n\r\n", 403},
        {"GET /status", "127.0.0.1", "Sec-Fetch-Site: same-origin\r\n\r\n", 403},
        {"GET /status", "127.0.0.1", "Sec-Fetch-Site: cross-site\r\n\r\n", 403},
        {"GET /status", "127.0.0.1", "Host: localhost\r\n\r\n", 400},
        {"OPTIONS /session", "127.0.0.1", "\r\n", 403},
        {"TRACE /session", "127.0.0.1", "\r\n", 405},
        {"POST /session", "127.0.0.1", "Content-Length: 20000000\r\n\r\n", 413},
        {"POST /session", "127.0.0.1", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
         400},
        {"POST /session", "127.0.0.1",
         "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400},
        {"GET /../status", "127.0.0.1", "\r\n", 400},
        {"GET /status%00x", "127.0.0.1", "\r\n", 400},
        {"GET /source?format=xml&format=json", "127.0.0.1", "\r\n", 400},
    };
    struct served s;
    served_open(&s);
    served_start(&s, NULL);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char error[64];
        int status = ask_raw(&s, rows[i].line, rows[i].host, rows[i].rest, error);
        const char *want = status == 200   ? ""
                           : status == 413 ? "unknown error"
                                           : "invalid argument";
        if (status != rows[i].status || strcmp(error, want) != 0) {
            fail_msg("row %zu: %d %s", i, status, error);
        }
    }
    served_close(&s);
}

static void a_token_is_asked_for_where_there_is_one(void **state)
{
    (void)state;
    struct served s;
    char *dir = tmpdir_new();
    char *path = ia_token_path(dir);
    char token[IA_ACCESS_TOKEN_SIZE];
    char line[256];
    char error[64];
    assert_int_equal(ia_token_write(path, token, NULL), IA_OK);
    served_open(&s);
    served_start(&s, &(struct ia_wda_server_options){.mjpeg_port = -1, .token_file = path});
    assert_int_equal(ask_raw(&s, "GET /status", "localhost", "\r\n", error), 401);
    assert_int_equal(ask_raw(&s, "GET /", "localhost", "\r\n", error), 401);
    assert_int_equal(ask_raw(&s, "POST /v1/login", "localhost", "\r\n", error), 401);
    assert_int_equal(
        ask_raw(&s, "GET /status", "localhost", "Authorization: Bearer x\r\n\r\n", error), 401);
    (void)snprintf(line, sizeof(line), "Authorization: Bearer %s\r\n\r\n", token);
    assert_int_equal(ask_raw(&s, "GET /status", "localhost", line, error), 200);
    served_close(&s);
    free(path);
    tmpdir_free(dir);
}

static void a_refusal_says_what_to_do_here(void **state)
{
    (void)state;
    struct served s;
    char *dir = tmpdir_new();
    char *path = ia_token_path(dir);
    char token[IA_ACCESS_TOKEN_SIZE];
    assert_int_equal(ia_token_write(path, token, NULL), IA_OK);
    served_open(&s);
    served_start(&s, &(struct ia_wda_server_options){.mjpeg_port = -1, .token_file = path});
    const struct {
        const char *host, *hint;
    } rows[] = {{"localhost", "in its first line"}, {"evil.example", "localhost"}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct wire_reply r;
        int fd = wire_tcp(&s.at);
        wire_send(fd, "GET /status HTTP/1.1\r\nHost: %s\r\n\r\n", rows[i].host);
        wire_read(fd, &r);
        close(fd);
        assert_non_null(strstr(ia_buf_cstr(&r.body), rows[i].hint));
        wire_reply_fini(&r);
    }
    served_close(&s);
    free(path);
    tmpdir_free(dir);
}

/* A body that is none, or a bomb, is an empty one; nothing of it is fatal. */
static void odd_bodies_count_as_empty(void **state)
{
    (void)state;
    struct served s;
    static char deep[200001];
    memset(deep, '[', sizeof(deep) - 1);
    const char *const bodies[] = {"",           "{",  "[]",  "\"x\"", "{\"value\":}",
                                  "\xff\xfe{}", deep, "null"};
    char path[128];
    served_open(&s);
    served_start(&s, NULL);
    served_session(&s);
    (void)snprintf(path, sizeof(path), "/session/%s/element", s.session);
    for (size_t i = 0; i < IA_COUNTOF(bodies); i++) {
        struct said said;
        served_ask(&s, "POST", path, bodies[i], &said);
        assert_string_equal(said.error, "invalid argument");
        said_fini(&said);
    }
    served_close(&s);
}

enum { SLOW_US = 300000 }; /* longer than it takes to notice that a client has gone */

/* ---- a device that waits ------------------------------------------------------------------ */

static int begin(struct served *s, const char *method, const char *path)
{
    int fd = wire_tcp(&s->at);
    wire_send(fd, "%s /session/%s%s HTTP/1.1\r\nHost: localhost\r\n\r\n", method, s->session,
              path);
    return fd;
}

/* Until a request waits for the device. */
static void until_one_waits(struct served *s)
{
    for (bool waits = false; !waits;) {
        pthread_mutex_lock(&s->server->lock);
        waits = s->server->first != NULL;
        pthread_mutex_unlock(&s->server->lock);
    }
}

static int begin_tap(struct served *s)
{
    static const char body[] = "{\"x\":1,\"y\":2}";
    int fd = wire_tcp(&s->at);
    wire_send(fd,
              "POST /session/%s/wda/tap HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
              "%zu\r\n\r\n%s",
              s->session, sizeof(body) - 1, body);
    return fd;
}

static void assert_answers(int fd, int status, const char *error)
{
    struct wire_reply r;
    wire_read(fd, &r);
    assert_int_equal(r.status, status);
    assert_non_null(strstr(ia_buf_cstr(&r.body), error));
    wire_reply_fini(&r);
    close(fd);
}

static void status_and_the_end_of_a_session_pass_what_hangs(void **state)
{
    (void)state;
    struct served s;
    struct said said;
    char path[128];
    served_open(&s);
    s.device.ops.tree = served_wait;
    served_start(&s, NULL);
    served_session(&s);
    int running = begin(&s, "GET", "/source");
    wire_until(&s.inside, 1);
    int waiting = begin(&s, "GET", "/window/rect");
    served_ask(&s, "GET", "/status", NULL, &said);
    assert_int_equal(said.status, 200);
    assert_string_equal(json_string_value(json_object_get(said.whole, "sessionId")), s.session);
    said_fini(&said);
    (void)snprintf(path, sizeof(path), "/session/%s", s.session);
    served_ask(&s, "DELETE", path, NULL, &said);
    assert_int_equal(said.status, 200);
    said_fini(&said);
    assert_answers(running, 404, "invalid session id");
    assert_answers(waiting, 404, "invalid session id");
    assert_int_equal(s.inside, 0);
    served_close(&s);
}

static enum ia_rc tap_and_wait(struct ia_device *d, const struct ia_deadline *deadline,
                               struct ia_point at, struct ia_err *err)
{
    struct ia_tree *none = NULL;
    enum ia_rc rc = served_wait(d, deadline, &none, err);
    (void)at;
    err->outcome = IA_OUTCOME_UNKNOWN;
    return rc;
}

/* What ran may have been done; what waited was not. */
static void the_end_of_a_session_says_what_became_of_its_calls(void **state)
{
    (void)state;
    struct served s;
    struct said said;
    char path[128];
    served_open(&s);
    s.device.ops.tap = tap_and_wait;
    served_start(&s, NULL);
    served_session(&s);
    int running = begin_tap(&s);
    wire_until(&s.inside, 1);
    int waiting = begin_tap(&s);
    until_one_waits(&s);
    (void)snprintf(path, sizeof(path), "/session/%s", s.session);
    served_ask(&s, "DELETE", path, NULL, &said);
    said_fini(&said);
    assert_answers(running, 404,
                   "while this request was still pending\",\"traceback\":"
                   "\"CANCELLED unknown");
    assert_answers(waiting, 404, "Session does not exist");
    served_close(&s);
}

static void a_new_session_ends_what_waits_for_the_old_one(void **state)
{
    (void)state;
    struct served s;
    struct said said;
    char old[64];
    char path[128];
    served_open(&s);
    served_start(&s, NULL);
    served_session(&s);
    (void)snprintf(old, sizeof(old), "%s", s.session);
    served_session(&s);
    assert_string_not_equal(old, s.session);
    (void)snprintf(path, sizeof(path), "/session/%s/source", old);
    served_ask(&s, "GET", path, NULL, &said);
    assert_string_equal(said.error, "invalid session id");
    said_fini(&said);
    served_close(&s);
}

/* The old session ends while a request of its runs and a new session waits for the device. */
static void the_end_of_an_old_session_is_not_the_end_of_the_new_ones_app(void **state)
{
    static const char create[] = "{\"capabilities\":{\"alwaysMatch\":{\"bundleId\":"
                                 "\"com.apple.MobileAddressBook\"}}}";
    (void)state;
    struct served s;
    struct said said;
    char path[128];
    enum ia_application_state app;
    served_open(&s);
    s.device.ops.tree = served_wait;
    served_start(&s, NULL);
    served_session(&s);
    int running = begin(&s, "GET", "/source");
    wire_until(&s.inside, 1);
    int created = wire_tcp(&s.at);
    wire_send(created,
              "POST /session HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n\r\n%s",
              sizeof(create) - 1, create);
    until_one_waits(&s);
    (void)snprintf(path, sizeof(path), "/session/%s", s.session);
    served_ask(&s, "DELETE", path, NULL, &said);
    assert_int_equal(said.status, 200);
    said_fini(&said);
    assert_answers(running, 404, "invalid session id");
    assert_answers(created, 200, "com.apple.MobileAddressBook");
    assert_int_equal(
        ia_device_app_state(s.phone, NULL, "com.apple.MobileAddressBook", &app, NULL), IA_OK);
    assert_int_equal(app, IA_APP_FRONT);
    served_close(&s);
}

/* A request that was let in, and whose session ends before it is in the queue. */
static void what_queues_after_the_end_of_its_session_is_not_done(void **state)
{
    (void)state;
    static const struct ia_wda_route route = {.path = "", .fn = ia_wda_settings_get};
    struct served s;
    struct ia_buf out = IA_BUF(1 << 20);
    struct ia_http_request http = {.method = "GET"};
    served_open(&s);
    served_start(&s, NULL);
    served_session(&s);
    struct ia_wda_call c = {
        .s = s.server, .http = &http, .route = &route, .session = s.session, .out = &out};
    assert_true(ia_wda_enter(&c));
    ia_wda_session_set(s.server, (char[IA_WDA_UID_SIZE]){"another"});
    assert_int_equal(ia_wda_queue(&c), IA_WDA_E_NO_SESSION);
    assert_int_equal(out.len, 0);
    ia_buf_fini(&out);
    served_close(&s);
}

static void a_client_that_hangs_up_ends_its_request(void **state)
{
    (void)state;
    struct served s;
    struct said said;
    served_open(&s);
    s.device.ops.tree = served_wait;
    served_start(&s, NULL);
    served_session(&s);
    int fd = begin(&s, "GET", "/source");
    wire_until(&s.inside, 1);
    close(fd);
    /* The next one gets its turn. */
    served_ask(&s, "GET", "/wda/screens", NULL, &said);
    assert_int_equal(said.status, 200);
    said_fini(&said);
    assert_int_equal(s.inside, 0);
    served_close(&s);
}

static enum ia_rc slow_tree(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_tree **ret_tree, struct ia_err *err)
{
    enum ia_rc rc = ia_clock_wait(ia_clock_system(), deadline->cancel,
                                  ia_mono_us(ia_clock_system()) + SLOW_US);
    return rc == IA_OK ? ia_device_forward_ops.tree(d, deadline, ret_tree, err)
                       : ia_err_set(err, rc, "cancelled");
}

static void a_client_that_sends_no_more_gets_its_answer(void **state)
{
    (void)state;
    struct served s;
    served_open(&s);
    s.device.ops.tree = slow_tree;
    served_start(&s, NULL);
    served_session(&s);
    for (int minor = 0; minor < 2; minor++) {
        struct ia_buf all = IA_BUF(1 << 20);
        char bytes[4096];
        ssize_t n;
        int fd = wire_tcp(&s.at);
        wire_send(fd, "GET /session/%s/source HTTP/1.%d\r\nHost: localhost\r\n\r\n", s.session,
                  minor);
        assert_int_equal(shutdown(fd, SHUT_WR), 0);
        while ((n = recv(fd, bytes, sizeof(bytes), 0)) > 0) {
            ia_buf_put(&all, bytes, (size_t)n);
        }
        close(fd);
        /* Only a client of 1.1 takes the sign of life. */
        bool sign = strncmp(ia_buf_cstr(&all), "HTTP/1.1 100 Continue\r\n\r\n", 25) == 0;
        assert_int_equal(sign, minor);
        assert_non_null(strstr(ia_buf_cstr(&all) + (sign ? 25 : 0), " 200 OK\r\n"));
        assert_non_null(strstr(ia_buf_cstr(&all), "</XCUIElementTypeApplication>"));
        ia_buf_fini(&all);
    }
    served_close(&s);
}

static void a_body_in_chunks_ends_the_connection(void **state)
{
    (void)state;
    static const char *const lines[] = {"POST /session", "GET /status", "POST /nope"};
    struct served s;
    served_open(&s);
    served_start(&s, NULL);
    for (size_t i = 0; i < IA_COUNTOF(lines); i++) {
        struct wire_reply r;
        int fd = wire_tcp(&s.at);
        wire_send(fd,
                  "%s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "2\r\n{}\r\n0\r\n\r\nGET /status HTTP/1.1\r\nHost: localhost\r\n\r\n",
                  lines[i]);
        wire_read(fd, &r);
        assert_int_equal(r.status, 400);
        assert_non_null(strstr(ia_buf_cstr(&r.body), "Transfer-Encoding"));
        assert_true(wire_closes(fd, 10000));
        wire_reply_fini(&r);
        close(fd);
    }
    served_close(&s);
}

/* Nor does a slash at the end name it. */
static void who_cannot_name_the_session_cannot_end_it(void **state)
{
    (void)state;
    struct served s;
    struct said r;
    char slash[128];
    served_open(&s);
    served_start(&s, NULL);
    served_session(&s);
    (void)snprintf(slash, sizeof(slash), "/session/%s/", s.session);
    const char *const paths[] = {"/session", "/session/", slash, "/session/x"};
    for (size_t i = 0; i < 2 * IA_COUNTOF(paths); i++) {
        served_ask(&s, i % 2 ? "GET" : "DELETE", paths[i / 2], NULL, &r);
        assert_int_equal(r.status, 404);
        assert_string_equal(json_string_value(json_object_get(r.whole, "sessionId")),
                            s.session);
        said_fini(&r);
    }
    served_close(&s);
}

static void a_nul_in_a_path_is_no_end_of_it(void **state)
{
    (void)state;
    struct served s;
    served_open(&s);
    served_start(&s, NULL);
    int fd = wire_tcp(&s.at);
    wire_send(fd, "GET /status%cx HTTP/1.1\r\nHost: localhost\r\n\r\n", '\0');
    assert_answers(fd, 400, "NUL");
    served_close(&s);
}

static void a_stop_ends_what_runs_and_waits(void **state)
{
    (void)state;
    struct served s;
    served_open(&s);
    s.device.ops.tree = served_wait;
    served_start(&s, NULL);
    served_session(&s);
    int fds[] = {begin(&s, "GET", "/source"), begin(&s, "GET", "/source"),
                 begin(&s, "GET", "/window/rect")};
    wire_until(&s.inside, 1);
    served_close(&s);
    assert_int_equal(s.inside, 0);
    for (size_t i = 0; i < IA_COUNTOF(fds); i++) {
        close(fds[i]);
    }
}

/* ---- many clients ------------------------------------------------------------------------- */

enum { CLIENTS = 8, ROUNDS = 40 };

static void *client_main(void *ctx)
{
    struct served *s = ctx;
    for (int i = 0; i < ROUNDS; i++) {
        served_says(s, "POST", "/element", "{\"using\":\"name\",\"value\":\"Contacts\"}", 200,
                    "ELEMENT");
        served_says(s, "GET", "/window/rect", NULL, 200, "393");
        served_says(s, "POST", "/element", "{\"using\":\"name\",\"value\":\"nope\"}", 404,
                    "no such element");
        served_says(s, "GET", "/wda/nope", NULL, 404, "unknown command");
    }
    return NULL;
}

static void many_clients_get_their_own_answers(void **state)
{
    (void)state;
    struct served s;
    pthread_t threads[CLIENTS];
    served_open(&s);
    served_start(&s, NULL);
    served_session(&s);
    for (int i = 0; i < CLIENTS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, client_main, &s), 0);
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
    }
    served_close(&s);
}

static void a_taken_port_is_an_error(void **state)
{
    (void)state;
    struct served s;
    struct ia_wda_server *second = NULL;
    struct ia_err err = {0};
    served_open(&s);
    served_start(&s, NULL);
    struct ia_wda_server_options opt = {.device = s.phone, .port = s.at.port, .mjpeg_port = -1};
    assert_int_equal(ia_wda_server_start(&opt, &second, &err), IA_E_IO);
    assert_non_null(strstr(err.msg, "cannot listen"));
    served_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_programs_of_this_machine_may_ask),
        cmocka_unit_test(a_token_is_asked_for_where_there_is_one),
        cmocka_unit_test(a_refusal_says_what_to_do_here),
        cmocka_unit_test(odd_bodies_count_as_empty),
        cmocka_unit_test(status_and_the_end_of_a_session_pass_what_hangs),
        cmocka_unit_test(the_end_of_a_session_says_what_became_of_its_calls),
        cmocka_unit_test(a_new_session_ends_what_waits_for_the_old_one),
        cmocka_unit_test(the_end_of_an_old_session_is_not_the_end_of_the_new_ones_app),
        cmocka_unit_test(what_queues_after_the_end_of_its_session_is_not_done),
        cmocka_unit_test(a_client_that_hangs_up_ends_its_request),
        cmocka_unit_test(a_client_that_sends_no_more_gets_its_answer),
        cmocka_unit_test(a_body_in_chunks_ends_the_connection),
        cmocka_unit_test(a_nul_in_a_path_is_no_end_of_it),
        cmocka_unit_test(who_cannot_name_the_session_cannot_end_it),
        cmocka_unit_test(a_stop_ends_what_runs_and_waits),
        cmocka_unit_test(many_clients_get_their_own_answers),
        cmocka_unit_test(a_taken_port_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
