/* stream_test.c: streams over real sockets: order, waking, clients that go, limits. */
#include "wire.h"

#include "base/clock.h"

#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

enum { LISTENERS_MAX = 64, EVENTS = 1000 };

/* What all streams of a test read: a number that grows. */
static struct feed {
    pthread_mutex_t lock;
    struct ia_http_stream *streams[LISTENERS_MAX];
    int newest;
    bool ended;
    _Atomic int open, done;
} feed = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct reader {
    int place, sent;
    bool registered;
};

static bool next_numbers(void *ctx, struct ia_http_stream *s, struct ia_buf *out)
{
    struct reader *r = ctx;
    pthread_mutex_lock(&feed.lock);
    if (!r->registered) {
        while (feed.streams[r->place]) {
            r->place++;
        }
        feed.streams[r->place] = s;
        r->registered = true;
        feed.open++;
    }
    int newest = feed.newest;
    bool ended = feed.ended;
    pthread_mutex_unlock(&feed.lock);
    while (r->sent < newest && out->len < 4096) {
        ia_buf_printf(out, "data: %d\n\n", ++r->sent);
    }
    if (out->len == 0 && !ended) {
        (void)ia_http_stream_wait(s, IA_NO_DEADLINE);
    }
    return out->len > 0 || !ended;
}

static void reader_done(void *ctx)
{
    struct reader *r = ctx;
    pthread_mutex_lock(&feed.lock);
    if (r->registered) {
        feed.streams[r->place] = NULL;
    }
    feed.done++;
    pthread_mutex_unlock(&feed.lock);
    free(r);
}

static void tell(int newest, bool ended)
{
    pthread_mutex_lock(&feed.lock);
    feed.newest = newest;
    feed.ended = ended;
    for (size_t i = 0; i < LISTENERS_MAX; i++) {
        if (feed.streams[i]) {
            ia_http_stream_wake(feed.streams[i]);
        }
    }
    pthread_mutex_unlock(&feed.lock);
}

static void handler(void *ctx, const struct ia_http_request *r, struct ia_http_reply *reply)
{
    static const struct ia_http_stream_ops ops = {next_numbers, reader_done};
    if (strcmp(r->path, "/v1/events") == 0) {
        reply->content_type = "text/event-stream";
        reply->stream = &ops;
        reply->stream_ctx = ia_calloc(1, sizeof(struct reader));
    } else {
        wire_handler(ctx, r, reply);
    }
}

static struct wire *start(void)
{
    feed.newest = 0;
    feed.ended = false;
    feed.open = feed.done = 0;
    return wire_start(handler, true, 1);
}

static void ask(int fd, const struct wire *w, const char *token)
{
    wire_send(
        fd, "GET /v1/events HTTP/1.1\r\nHost: localhost:%d\r\nAuthorization: Bearer %s\r\n\r\n",
        w->port, token);
}

static int64_t now_ms(void)
{
    return ia_mono_us(ia_clock_system()) / 1000;
}

static void a_thousand_events_reach_five_listeners_in_order(void **state)
{
    (void)state;
    enum { LISTENERS = 5 };
    struct wire *w = start();
    int fds[LISTENERS];
    for (int i = 0; i < LISTENERS; i++) {
        fds[i] = i % 2 ? wire_tcp(w) : wire_unix(w);
        ask(fds[i], w, w->token);
    }
    wire_until(&feed.open, LISTENERS);
    for (int i = 1; i <= EVENTS; i++) {
        tell(i, i == EVENTS);
    }
    for (int i = 0; i < LISTENERS; i++) {
        struct wire_reply r;
        char value[256];
        wire_read(fds[i], &r);
        assert_int_equal(r.status, 200);
        assert_string_equal(wire_header(&r, "Content-Type", value), "text/event-stream");
        const char *p = ia_buf_cstr(&r.body);
        for (int k = 1; k <= EVENTS; k++) {
            char expected[32];
            size_t n = (size_t)snprintf(expected, sizeof(expected), "data: %d\n\n", k);
            assert_int_equal(strncmp(p, expected, n), 0);
            p += n;
        }
        assert_string_equal(p, "");
        wire_reply_fini(&r);
        close(fds[i]);
    }
    wire_until(&feed.done, LISTENERS);
    wire_stop(w);
}

static void a_client_that_goes_is_noticed_at_once(void **state)
{
    (void)state;
    struct wire *w = start();
    for (int i = 0; i < 2; i++) {
        int fd = i ? wire_tcp(w) : wire_unix(w);
        ask(fd, w, w->token);
        wire_until(&feed.open, i + 1);
        int64_t start_ms = now_ms();
        close(fd);
        wire_until(&feed.done, i + 1);
        assert_true(now_ms() - start_ms < 5000);
        int connections;
        int streams = 1;
        for (int ms = 0; streams > 0 && ms < 5000; ms++) {
            (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + 1000);
            ia_http_counts(w->server, &connections, &streams);
        }
        assert_int_equal(streams, 0);
    }
    wire_stop(w);
}

static void a_stop_ends_streams_and_their_clients_see_the_end(void **state)
{
    (void)state;
    struct wire *w = start();
    int fds[] = {wire_unix(w), wire_tcp(w)};
    for (int i = 0; i < 2; i++) {
        ask(fds[i], w, w->token);
    }
    wire_until(&feed.open, 2);
    tell(3, false);
    int64_t start_ms = now_ms();
    ia_http_stop(w->server);
    w->server = NULL;
    assert_true(now_ms() - start_ms < 8000);
    assert_int_equal(feed.done, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(wire_closes(fds[i], 1000));
        close(fds[i]);
    }
    wire_stop(w);
}

static void a_token_has_eight_streams(void **state)
{
    (void)state;
    struct wire *w = start();
    int fds[IA_HTTP_STREAMS_MAX];
    for (int i = 0; i < IA_HTTP_STREAMS_MAX; i++) {
        fds[i] = wire_tcp(w);
        ask(fds[i], w, w->token);
    }
    wire_until(&feed.open, IA_HTTP_STREAMS_MAX);
    int fd = wire_tcp(w);
    struct wire_reply r;
    ask(fd, w, w->token);
    wire_read(fd, &r);
    assert_int_equal(r.status, 429);
    assert_int_equal(feed.done, 1); /* the context of a stream that was refused is given back */
    wire_reply_fini(&r);
    /* Another token has its own. */
    char code[IA_ACCESS_CODE_SIZE];
    char token[IA_ACCESS_TOKEN_SIZE];
    enum ia_http_scope scope;
    ia_access_code(w->access, IA_HTTP_SCOPE_VIEW, code);
    assert_int_equal(ia_access_trade(w->access, code, token, &scope, NULL), IA_OK);
    int other = wire_tcp(w);
    ask(other, w, token);
    wire_until(&feed.open, IA_HTTP_STREAMS_MAX + 1);
    /* And one that ended makes room. */
    close(fds[0]);
    wire_until(&feed.done, 2);
    int status = 429;
    for (int i = 0; i < 1000 && status == 429; i++) {
        ask(fd, w, w->token);
        struct pollfd p = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&p, 1, 10000), 1);
        char head[13] = "";
        assert_int_equal(recv(fd, head, 12, MSG_PEEK), 12);
        status = (int)strtol(head + 9, NULL, 10);
        if (status == 429) {
            wire_read(fd, &r);
            wire_reply_fini(&r);
        }
    }
    assert_int_equal(status, 200);
    close(fd);
    close(other);
    for (int i = 1; i < IA_HTTP_STREAMS_MAX; i++) {
        close(fds[i]);
    }
    wire_stop(w);
}

static void streams_leave_places_for_requests(void **state)
{
    (void)state;
    enum { MOST = IA_HTTP_UNIX_MAX * 3 / 4 };
    struct wire *w = start();
    int fds[MOST];
    for (int i = 0; i < MOST; i++) {
        fds[i] = wire_unix(w);
        ask(fds[i], w, "");
    }
    wire_until(&feed.open, MOST);
    int fd = wire_unix(w);
    struct wire_reply r;
    ask(fd, w, "");
    wire_read(fd, &r);
    assert_int_equal(r.status, 429);
    wire_reply_fini(&r);
    wire_send(fd, "GET /v1/echo HTTP/1.1\r\nHost: x\r\n\r\n");
    wire_read(fd, &r);
    assert_int_equal(r.status, 200);
    wire_reply_fini(&r);
    close(fd);
    for (int i = 0; i < MOST; i++) {
        close(fds[i]);
    }
    wire_stop(w);
}

static void a_reader_that_sleeps_holds_up_nobody(void **state)
{
    (void)state;
    struct wire *w = start();
    int asleep = wire_unix(w);
    int awake = wire_unix(w);
    int small = 4096;
    (void)setsockopt(asleep, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    ask(asleep, w, "");
    ask(awake, w, "");
    wire_until(&feed.open, 2);
    enum { MANY = 200000 };
    tell(MANY, true);
    struct wire_reply r;
    wire_read(awake, &r);
    assert_int_equal(r.status, 200);
    assert_string_equal(r.body.p + r.body.len - 14, "data: 200000\n\n");
    wire_reply_fini(&r);
    int connections;
    int streams;
    ia_http_counts(w->server, &connections, &streams);
    assert_true(streams >= 1);
    /* It misses nothing when it wakes. */
    wire_read(asleep, &r);
    assert_string_equal(r.body.p + r.body.len - 14, "data: 200000\n\n");
    wire_reply_fini(&r);
    close(asleep);
    close(awake);
    wire_stop(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_events_reach_five_listeners_in_order),
        cmocka_unit_test(a_client_that_goes_is_noticed_at_once),
        cmocka_unit_test(a_stop_ends_streams_and_their_clients_see_the_end),
        cmocka_unit_test(a_token_has_eight_streams),
        cmocka_unit_test(streams_leave_places_for_requests),
        cmocka_unit_test(a_reader_that_sleeps_holds_up_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
