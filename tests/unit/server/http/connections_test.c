/* connections_test.c: places, times and ends of connections. Times are divided by 50: 10 s are 200 ms. */
#include "wire.h"

#include "base/clock.h"

#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

enum { HURRY = 50 };

static int64_t now_ms(void)
{
    return ia_mono_us(ia_clock_system()) / 1000;
}

static void pause_ms(int64_t ms)
{
    (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + ms * 1000);
}

static int status_on(int fd, const struct wire *w)
{
    struct wire_reply r;
    wire_send(fd,
              "GET /v1/echo HTTP/1.1\r\nHost: localhost:%d\r\nAuthorization: Bearer %s\r\n\r\n",
              w->port, w->token);
    wire_read(fd, &r);
    wire_reply_fini(&r);
    return r.status;
}

static void headers_that_do_not_come_end_the_connection(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, HURRY);
    int64_t start = now_ms();
    int silent = wire_tcp(w);
    int half = wire_tcp(w);
    wire_send(half, "GET /v1/echo HTTP/1.1\r\nHost: ");
    assert_true(wire_closes(silent, 10000));
    assert_true(wire_closes(half, 10000));
    assert_true(now_ms() - start >= 150);
    close(silent);
    close(half);
    assert_int_equal(w->handled, 0);
    wire_stop(w);
}

/* A byte now and then does not make the time any longer. */
static void headers_that_trickle_end_it_in_the_same_time(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, HURRY);
    int fd = wire_tcp(w);
    int64_t start = now_ms();
    wire_send(fd, "GET /v1/echo HTTP/1.1\r\nHost: localhost:%d\r\nX: ", w->port);
    bool ended = false;
    while (!ended && now_ms() - start < 10000) {
        wire_send(fd, "a");
        ended = wire_closes(fd, 20);
    }
    assert_true(ended);
    assert_true(now_ms() - start < 8000);
    close(fd);
    wire_stop(w);
}

static void a_body_that_trickles_ends_it_too(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, HURRY);
    int fd = wire_tcp(w);
    int64_t start = now_ms();
    wire_send(fd,
              "POST /v1/echo HTTP/1.1\r\nHost: localhost:%d\r\nAuthorization: Bearer %s\r\n"
              "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n",
              w->port, w->token);
    bool ended = false;
    while (!ended && now_ms() - start < 10000) {
        wire_send(fd, " ");
        ended = wire_closes(fd, 20);
    }
    assert_true(ended);
    assert_true(now_ms() - start >= 500 && now_ms() - start < 8000);
    assert_int_equal(w->handled, 0);
    close(fd);
    wire_stop(w);
}

static void a_kept_connection_ends_when_nothing_more_comes(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, HURRY);
    int fd = wire_tcp(w);
    assert_int_equal(status_on(fd, w), 200);
    pause_ms(300); /* longer than headers may take */
    int64_t start = now_ms();
    assert_int_equal(status_on(fd, w), 200);
    assert_true(wire_closes(fd, 10000));
    assert_true(now_ms() - start >= 500);
    close(fd);
    wire_stop(w);
}

static void an_answer_that_nobody_reads_ends_it(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, false, HURRY);
    int64_t start = now_ms();
    int fd = wire_unix(w);
    wire_send(fd, "GET /v1/bytes?n=16000000 HTTP/1.1\r\nHost: x\r\n\r\n");
    int connections = 1;
    int streams;
    while (connections > 0 && now_ms() - start < 10000) {
        pause_ms(20);
        ia_http_counts(w->server, &connections, &streams);
    }
    assert_int_equal(connections, 0);
    assert_true(now_ms() - start >= 1000);
    close(fd);
    wire_stop(w);
}

/* ---- places ------------------------------------------------------------------------------- */

static void idle_connections_keep_nobody_out(void **state)
{
    (void)state;
    enum { FLOOD = 500 };
    struct wire *w = wire_start(wire_handler, true, 1);
    static int fds[FLOOD];
    for (int i = 0; i < FLOOD; i++) {
        fds[i] = i % 2 ? wire_tcp(w) : wire_unix(w);
        if (i % 3 == 0) {
            wire_send(fds[i], "GET /v1/echo HTTP/1.1\r\nX: ");
        }
    }
    int64_t start = now_ms();
    int good[] = {wire_tcp(w), wire_unix(w)};
    assert_int_equal(status_on(good[0], w), 200);
    assert_int_equal(status_on(good[1], w), 200);
    assert_true(now_ms() - start < 8000);
    /* The listeners keep to their numbers, once those that had to go are gone. */
    int connections = FLOOD;
    int streams;
    for (start = now_ms(); connections > IA_HTTP_UNIX_MAX + IA_HTTP_TCP_MAX;) {
        assert_true(now_ms() - start < 10000);
        ia_http_counts(w->server, &connections, &streams);
        pause_ms(5);
    }
    assert_true(wire_closes(fds[0], 10000));
    assert_true(wire_closes(fds[1], 10000));
    assert_int_equal(w->handled, 2);
    for (int i = 0; i < FLOOD; i++) {
        close(fds[i]);
    }
    close(good[0]);
    close(good[1]);
    wire_stop(w);
}

/* A login is public: who begins one and does not go on has shown no token. */
static void bodies_of_strangers_keep_nobody_out(void **state)
{
    (void)state;
    enum { FLOOD = 100 };
    struct wire *w = wire_start(wire_handler, true, 1);
    int fds[FLOOD];
    for (int i = 0; i < FLOOD; i++) {
        fds[i] = wire_tcp(w);
        wire_send(
            fds[i],
            "POST /v1/%s HTTP/1.1\r\nHost: localhost:%d\r\nContent-Type: application/json\r\n"
            "Content-Length: 100\r\n\r\n{",
            i % 2 ? "login?code=0" : "echo", w->port);
    }
    int64_t start = now_ms();
    int fd = wire_tcp(w);
    assert_int_equal(status_on(fd, w), 200);
    assert_true(now_ms() - start < 8000);
    assert_int_equal(w->handled, 1);
    close(fd);
    for (int i = 0; i < FLOOD; i++) {
        close(fds[i]);
    }
    wire_stop(w);
}

static void one_more_than_can_be_served_is_told_so(void **state)
{
    (void)state;
    static const int most[] = {
        [IA_HTTP_UNIX] = IA_HTTP_UNIX_MAX, [IA_HTTP_TCP] = IA_HTTP_TCP_MAX};
    struct wire *w = wire_start(wire_handler, true, 1);
    int fds[IA_HTTP_UNIX_MAX];
    for (int listener = 0; listener < 2; listener++) {
        w->go = false;
        for (int i = 0; i < most[listener]; i++) {
            fds[i] = listener == IA_HTTP_TCP ? wire_tcp(w) : wire_unix(w);
            wire_send(fds[i],
                      "GET /v1/wait HTTP/1.1\r\nHost: localhost:%d\r\n"
                      "Authorization: Bearer %s\r\n\r\n",
                      w->port, w->token);
        }
        wire_until(&w->waiting, most[listener]);
        int fd = listener == IA_HTTP_TCP ? wire_tcp(w) : wire_unix(w);
        assert_int_equal(status_on(fd, w), 503);
        close(fd);
        /* The other listener has places of its own. */
        fd = listener == IA_HTTP_TCP ? wire_unix(w) : wire_tcp(w);
        assert_int_equal(status_on(fd, w), 200);
        close(fd);
        w->go = true;
        for (int i = 0; i < most[listener]; i++) {
            struct wire_reply r;
            wire_read(fds[i], &r);
            assert_int_equal(r.status, 200);
            wire_reply_fini(&r);
            close(fds[i]);
        }
        fd = listener == IA_HTTP_TCP ? wire_tcp(w) : wire_unix(w);
        assert_int_equal(status_on(fd, w), 200);
        close(fd);
    }
    wire_stop(w);
}

/* ---- ends --------------------------------------------------------------------------------- */

static void a_handler_learns_that_its_client_has_gone(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, 1);
    for (int i = 0; i < 2; i++) {
        int fd = i ? wire_tcp(w) : wire_unix(w);
        wire_send(
            fd,
            "GET /v1/wait HTTP/1.1\r\nHost: localhost:%d\r\nAuthorization: Bearer %s\r\n\r\n",
            w->port, w->token);
        wire_until(&w->waiting, 1);
        int64_t start = now_ms();
        close(fd);
        wire_until(&w->cancelled, i + 1);
        assert_true(now_ms() - start < 8000);
        for (; w->waiting > 0;) {
            pause_ms(1);
        }
    }
    wire_stop(w);
}

static void *stop_server(void *ctx)
{
    ia_http_stop(((struct wire *)ctx)->server);
    return NULL;
}

static void a_stop_cancels_handlers_and_sends_their_answers(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, 1);
    int fds[] = {wire_unix(w), wire_tcp(w)};
    for (size_t i = 0; i < 2; i++) {
        wire_send(
            fds[i],
            "GET /v1/wait HTTP/1.1\r\nHost: localhost:%d\r\nAuthorization: Bearer %s\r\n\r\n",
            w->port, w->token);
    }
    int idle = wire_unix(w);
    wire_until(&w->waiting, 2);
    pthread_t stopper;
    assert_int_equal(pthread_create(&stopper, NULL, stop_server, w), 0);
    for (size_t i = 0; i < 2; i++) {
        struct wire_reply r;
        wire_read(fds[i], &r);
        assert_int_equal(r.status, 200);
        assert_string_equal(ia_buf_cstr(&r.body), "done");
        wire_reply_fini(&r);
        close(fds[i]);
    }
    assert_true(wire_closes(idle, 10000));
    close(idle);
    assert_int_equal(pthread_join(stopper, NULL), 0);
    assert_int_equal(w->cancelled, 2);
    w->server = NULL;
    wire_stop(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_that_do_not_come_end_the_connection),
        cmocka_unit_test(headers_that_trickle_end_it_in_the_same_time),
        cmocka_unit_test(a_body_that_trickles_ends_it_too),
        cmocka_unit_test(a_kept_connection_ends_when_nothing_more_comes),
        cmocka_unit_test(an_answer_that_nobody_reads_ends_it),
        cmocka_unit_test(idle_connections_keep_nobody_out),
        cmocka_unit_test(bodies_of_strangers_keep_nobody_out),
        cmocka_unit_test(one_more_than_can_be_served_is_told_so),
        cmocka_unit_test(a_handler_learns_that_its_client_has_gone),
        cmocka_unit_test(a_stop_cancels_handlers_and_sends_their_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
