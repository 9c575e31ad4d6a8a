/* http_test.c: the server over real sockets: its answers, limits of size, framing, refusals. */
#include "wire.h"

#include "base/clock.h"

#include <string.h>
#include <sys/socket.h>

static void every_answer_has_our_headers(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, 1);
    int fds[] = {wire_unix(w), wire_tcp(w)};
    for (size_t i = 0; i < 2; i++) {
        for (int kept = 0; kept < 2; kept++) {
            struct wire_reply r;
            char value[256];
            wire_send(fds[i],
                      "GET /v1/echo HTTP/1.1\r\nHost: localhost:%d\r\n"
                      "Authorization: Bearer %s\r\n\r\n",
                      w->port, w->token);
            wire_read(fds[i], &r);
            assert_int_equal(r.status, 200);
            assert_false(r.closed);
            assert_string_equal(wire_header(&r, "Ios-Agent-Build", value), "build-7");
            assert_string_equal(wire_header(&r, "X-Content-Type-Options", value), "nosniff");
            assert_string_equal(wire_header(&r, "Cache-Control", value), "no-store");
            assert_string_equal(wire_header(&r, "Cross-Origin-Resource-Policy", value),
                                "same-origin");
            assert_string_equal(wire_header(&r, "Content-Type", value), "application/json");
            assert_string_equal(ia_buf_cstr(&r.body),
                                i == 0 ? "GET /v1/echo 2 unix 0" : "GET /v1/echo 2 token 0");
            wire_reply_fini(&r);
        }
        close(fds[i]);
    }
    wire_stop(w);
}

static void counts(void *ctx, const struct ia_http_request *r, struct ia_http_reply *reply)
{
    (void)r;
    struct wire *w = ctx;
    int connections, streams;
    ia_http_counts(w->server, &connections, &streams);
    ia_buf_printf(&reply->body, "%d", connections);
}

/* Whoever waited at the socket is answered before the server's start has returned. */
static void the_first_request_finds_the_server(void **state)
{
    (void)state;
    struct wire *w = wire_new();
    int fd = wire_unix(w);
    struct wire_reply r;
    wire_send(fd, "GET /v1/daemon HTTP/1.1\r\nHost: localhost\r\n\r\n");
    wire_serve(w, counts, false, 1);
    wire_read(fd, &r);
    assert_string_equal(ia_buf_cstr(&r.body), "1");
    wire_reply_fini(&r);
    close(fd);
    wire_stop(w);
}

static void a_refusal_has_them_too_and_ends_the_connection(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, 1);
    int fd = wire_tcp(w);
    struct wire_reply r;
    char value[256];
    wire_send(fd, "GET /v1/echo HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", w->port);
    wire_read(fd, &r);
    assert_int_equal(r.status, 401);
    assert_true(r.closed);
    assert_true(wire_closes(fd, 10000));
    assert_string_equal(wire_header(&r, "Ios-Agent-Build", value), "build-7");
    assert_string_equal(wire_header(&r, "Cache-Control", value), "no-store");
    assert_string_equal(wire_header(&r, "Access-Control-Allow-Origin", value), "");
    /* RFC 9110, section 15.5.2, demands it; at this scheme no browser asks a person for a password. */
    assert_string_equal(wire_header(&r, "WWW-Authenticate", value), "Bearer");
    assert_non_null(strstr(ia_buf_cstr(&r.body), "\"code\":\"AUTH_REQUIRED\""));
    wire_reply_fini(&r);
    close(fd);
    assert_int_equal(w->handled, 0);
    wire_stop(w);
}

static void a_header_of_the_handler_cannot_make_others(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, false, 1);
    int fd = wire_unix(w);
    struct wire_reply r;
    char value[256];
    wire_send(fd, "GET /other HTTP/1.1\r\nHost: x\r\n\r\n");
    wire_read(fd, &r);
    assert_string_equal(wire_header(&r, "X-Odd", value), "a  Set-Cookie: c=d b");
    assert_string_equal(wire_header(&r, "Set-Cookie", value), "");
    assert_string_equal(wire_header(&r, "Cache-Control", value), "private");
    wire_reply_fini(&r);
    close(fd);
    wire_stop(w);
}

static void head_has_the_headers_of_get_alone(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, false, 1);
    int fd = wire_unix(w);
    wire_send(fd, "HEAD /v1/bytes?n=5 HTTP/1.1\r\nHost: x\r\n\r\n"
                  "GET /v1/bytes?n=3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    struct ia_buf in = IA_BUF(65536);
    char bytes[4096];
    ssize_t n;
    while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
        ia_buf_put(&in, bytes, (size_t)n);
    }
    assert_non_null(strstr(ia_buf_cstr(&in), "Content-Length: 5\r\n"));
    assert_null(strstr(ia_buf_cstr(&in), "xxxxx"));
    assert_string_equal(in.p + in.len - 7, "\r\n\r\nxxx");
    ia_buf_fini(&in);
    close(fd);
    wire_stop(w);
}

/* ---- sizes -------------------------------------------------------------------------------- */

static char *repeat(char c, size_t n)
{
    char *text = ia_alloc(n + 1);
    memset(text, c, n);
    text[n] = '\0';
    return text;
}

static void a_line_of_4_kb_is_read_and_a_longer_one_is_414(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, 1);
    static const struct {
        size_t target;
        int status;
    } rows[] = {{4096, 200}, {4097, 414}, {9000, 414}, {60000, 414}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char *fill = repeat('a', rows[i].target - strlen("/v1/echo?"));
        struct ia_buf line = IA_BUF(1 << 20);
        ia_buf_printf(&line, "GET /v1/echo?%s", fill);
        int status = wire_status(w, ia_buf_cstr(&line), "", "");
        if (status != rows[i].status) {
            fail_msg("%zu: %d", rows[i].target, status);
        }
        ia_buf_fini(&line);
        free(fill);
    }
    assert_int_equal(w->handled, 1);
    wire_stop(w);
}

static void headers_of_16_kb_are_read_and_longer_ones_are_431(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, 1);
    static const struct {
        size_t each, count;
        int status;
    } rows[] = {{1000, 15, 200}, {15000, 1, 200}, {1000, 17, 431},  {17000, 1, 431},
                {100, 400, 431}, {1, 3000, 431},  {200000, 1, 431}, {100, 9000, 431}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char *fill = repeat('a', rows[i].each);
        struct ia_buf lines = IA_BUF(4 << 20);
        for (size_t k = 0; k < rows[i].count; k++) {
            ia_buf_printf(&lines, "X-%zu: %s\r\n", k, fill);
        }
        int status = wire_status(w, "GET /v1/echo", ia_buf_cstr(&lines), "");
        if (status != rows[i].status) {
            fail_msg("%zu times %zu: %d", rows[i].count, rows[i].each, status);
        }
        ia_buf_fini(&lines);
        free(fill);
    }
    assert_int_equal(w->handled, 2);
    wire_stop(w);
}

static void a_body_of_1_mib_is_read_and_a_longer_one_is_413(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, 1);
    static const struct {
        size_t size;
        int status;
    } rows[] = {{0, 200}, {IA_HTTP_BODY_MAX, 200}, {IA_HTTP_BODY_MAX + 1, 413}, {5 << 20, 413}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char *body = repeat(' ', rows[i].size);
        assert_int_equal(
            wire_status(w, "POST /v1/echo", "Content-Type: application/json\r\n", body),
            rows[i].status);
        free(body);
    }
    assert_int_equal(w->handled, 2);
    /* One that is only announced is refused before it comes. */
    int fd = wire_unix(w);
    struct wire_reply r;
    wire_send(fd, "POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                  "Content-Length: 99999999999\r\n\r\n");
    wire_read(fd, &r);
    assert_int_equal(r.status, 413);
    wire_reply_fini(&r);
    close(fd);
    wire_stop(w);
}

static void chunks_count_as_a_body(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, false, 1);
    for (int large = 0; large < 2; large++) {
        int fd = wire_unix(w);
        wire_send(fd, "POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n");
        char *chunk = repeat(' ', 1000);
        for (int i = 0; i < (large ? 1100 : 1000); i++) {
            wire_send(fd, "3e8\r\n%s\r\n", chunk);
        }
        wire_send(fd, "0\r\n\r\n");
        free(chunk);
        struct wire_reply r;
        wire_read(fd, &r);
        assert_int_equal(r.status, large ? 413 : 200);
        if (!large) {
            assert_string_equal(ia_buf_cstr(&r.body), "POST /v1/echo 2 unix 1000000");
        }
        wire_reply_fini(&r);
        close(fd);
    }
    wire_stop(w);
}

static void an_answer_is_at_most_16_mib(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, false, 1);
    for (int extra = 0; extra < 2; extra++) {
        int fd = wire_unix(w);
        struct wire_reply r;
        wire_send(fd, "GET /v1/bytes?n=%d HTTP/1.1\r\nHost: x\r\n\r\n",
                  IA_HTTP_ANSWER_MAX + extra);
        wire_read(fd, &r);
        assert_int_equal(r.status, extra ? 500 : 200);
        if (extra) {
            assert_non_null(strstr(ia_buf_cstr(&r.body), "\"code\":\"LIMIT\""));
        } else {
            assert_int_equal(r.body.len, IA_HTTP_ANSWER_MAX);
        }
        wire_reply_fini(&r);
        close(fd);
    }
    wire_stop(w);
}

/* ---- what a request may not be -------------------------------------------------------------- */

/* Raw bytes to the Unix socket, where nobody needs a token: what is refused is refused for its form. */
static void odd_requests_never_reach_the_handler(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size; /* 0: the text's */
        int status;  /* 0: an end without an answer will do */
    } rows[] = {
        {"GET //v1/echo HTTP/1.1\r\nHost: x\r\n\r\n", 0, 400},
        {"GET /app/../v1/echo HTTP/1.1\r\nHost: x\r\n\r\n", 0, 400},
        {"GET /app/%2e%2e/v1/echo HTTP/1.1\r\nHost: x\r\n\r\n", 0, 400},
        {"GET /v1/echo%00 HTTP/1.1\r\nHost: x\r\n\r\n", 0, 400},
        {"GET /v1%2fecho HTTP/1.1\r\nHost: x\r\n\r\n", 0, 400},
        {"GET http://x/v1/echo HTTP/1.1\r\nHost: x\r\n\r\n", 0, 400},
        {"GET v1/echo HTTP/1.1\r\nHost: x\r\n\r\n", 0, 400},
        {"GET * HTTP/1.1\r\nHost: x\r\n\r\n", 0, 400},
        {"GET /v1/echo HTTP/1.1\r\nHo\0st: x\r\n\r\n", 35, 0},
        {"OPTIONS /v1/echo HTTP/1.1\r\nHost: x\r\n\r\n", 0, 403},
        {"TRACE /v1/echo HTTP/1.1\r\nHost: x\r\n\r\n", 0, 405},
        {"BREW /v1/echo HTTP/1.1\r\nHost: x\r\n\r\n", 0, 405},
        {"GET /v1/e cho HTTP/1.1\r\nHost: x\r\n\r\n", 0, 400},
        {"GET /v1/echo HTTP/1.1\r\nHost : x\r\n\r\n", 0, 400},
        {"GET /v1/echo HTTP/1.1\r\nHost: x\r\nHost\t: y\r\n\r\n", 0, 400},
        {"GET /v1/echo HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", 0, 0},
        {"GET /v1/echo HTTP/2.0\r\nHost: x\r\n\r\n", 0, 0},
        {"GET /v1/echo\r\n\r\n", 0, 0},
        {"GET /v1/echo HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 0, 400},
        {"GET /v1/echo HTTP/1.1\r\nHost: x\r\nOrigin: a\r\norigin: b\r\n\r\n", 0, 400},
        {"POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
         "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
         0, 400},
        {"POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
         "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         0, 400},
        {"POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
         "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
         0, 400},
        {"POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
         "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
         0, 0},
        {"POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
         "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n\r\n",
         0, 0},
        {"POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
         "Content-Length: -1\r\n\r\n",
         0, 0},
        {"POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
         "Content-Length: 99999999999999999999999999\r\n\r\n",
         0, 0},
        {"POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
         "Content-Length: 0x2\r\n\r\n{}",
         0, 0},
        {"POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
         "Content-Length: 2\r\n\r\n{}",
         0, 415},
        {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15, 0},
        {"\r\n\r\n\r\n\r\n", 0, 0},
    };
    struct wire *w = wire_start(wire_handler, false, 20);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        int fd = wire_unix(w);
        size_t size = rows[i].size ? rows[i].size : strlen(rows[i].bytes);
        assert_int_equal(write(fd, rows[i].bytes, size), size);
        struct wire_reply r;
        wire_read(fd, &r);
        bool fine = rows[i].status ? r.status == rows[i].status
                                   : r.status == 0 || (r.status >= 400 && r.status < 600);
        if (!fine || w->handled != 0) {
            fail_msg("row %zu: %d, %d handled", i, r.status, w->handled);
        }
        wire_reply_fini(&r);
        close(fd);
    }
    wire_stop(w);
}

/* The library ends the target there. */
static void a_nul_in_the_line_is_refused_after_the_check_of_who_asks(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, 1);
    static const char *const lines[][2] = {{"/v1/echo", "/app/"}, {"/app/", "/v1/echo"}};
    for (size_t i = 0; i < IA_COUNTOF(lines); i++) {
        int fd = wire_tcp(w);
        struct wire_reply r;
        wire_send(fd, "GET %s%c%s HTTP/1.1\r\nHost: localhost:%d\r\n\r\n", lines[i][0], '\0',
                  lines[i][1], w->port);
        wire_read(fd, &r);
        assert_int_equal(r.status, i == 0 ? 401 : 400);
        wire_reply_fini(&r);
        close(fd);
    }
    wire_stop(w);
}

/* A body shorter than it was said to be never reaches the handler; what is longer is another request,
 * which has to show its own token. */
static void a_length_that_lies_gains_nothing(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, 1);
    int fd = wire_tcp(w);
    wire_send(fd,
              "POST /v1/echo HTTP/1.1\r\nHost: localhost:%d\r\nAuthorization: Bearer %s\r\n"
              "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{}",
              w->port, w->token);
    close(fd);
    fd = wire_tcp(w);
    wire_send(fd,
              "POST /v1/echo HTTP/1.1\r\nHost: localhost:%d\r\nAuthorization: Bearer %s\r\n"
              "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
              "GET /v1/echo HTTP/1.1\r\nHost: localhost:%d\r\n\r\n",
              w->port, w->token, w->port);
    struct wire_reply r;
    struct ia_buf in = IA_BUF(65536);
    char bytes[4096];
    ssize_t n;
    while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
        ia_buf_put(&in, bytes, (size_t)n);
    }
    assert_non_null(strstr(ia_buf_cstr(&in), "HTTP/1.1 200"));
    assert_non_null(strstr(ia_buf_cstr(&in), "HTTP/1.1 401"));
    ia_buf_fini(&in);
    close(fd);
    assert_int_equal(w->handled, 1);
    fd = wire_unix(w);
    wire_send(fd, "GET /v1/echo HTTP/1.1\r\nHost: x\r\n\r\n");
    wire_read(fd, &r);
    assert_int_equal(r.status, 200);
    wire_reply_fini(&r);
    close(fd);
    wire_stop(w);
}

static void a_refused_body_does_not_swallow_the_answer(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, 1);
    static const size_t sizes[] = {2, 300, 60000};
    for (size_t i = 0; i < IA_COUNTOF(sizes); i++) {
        char *body = repeat(' ', sizes[i]);
        int fd = wire_tcp(w);
        struct wire_reply r;
        wire_send(fd,
                  "POST /v1/echo HTTP/1.1\r\nHost: localhost:%d\r\n"
                  "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                  w->port, sizes[i], body);
        wire_read(fd, &r);
        assert_int_equal(r.status, 401);
        wire_reply_fini(&r);
        close(fd);
        free(body);
    }
    wire_stop(w);
}

static void a_client_that_asks_first_is_told_before_it_sends(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, 1);
    for (int good = 0; good < 2; good++) {
        int fd = wire_tcp(w);
        struct wire_reply r;
        wire_send(fd,
                  "POST /v1/echo HTTP/1.1\r\nHost: localhost:%d\r\nAuthorization: Bearer %s\r\n"
                  "Content-Type: application/json\r\nContent-Length: 200000\r\n"
                  "Expect: 100-continue\r\n\r\n",
                  w->port, good ? w->token : "none");
        wire_read(fd, &r);
        assert_int_equal(r.status, good ? 100 : 401);
        wire_reply_fini(&r);
        close(fd);
    }
    wire_stop(w);
}

/* ---- tokens over the wire ----------------------------------------------------------------- */

/* A request over TCP with this token; the status of its answer. */
static int status_of(const struct wire *w, const char *token, const char *line)
{
    int fd = wire_tcp(w);
    struct wire_reply r;
    wire_send(fd,
              "%s HTTP/1.1\r\nHost: localhost:%d\r\n%s%s\r\nContent-Type: application/json\r\n"
              "Content-Length: 2\r\n\r\n{}",
              line, w->port, token ? "Authorization: Bearer " : "X: ", token ? token : "");
    wire_read(fd, &r);
    wire_reply_fini(&r);
    close(fd);
    return r.status;
}

static void who_guesses_waits_and_who_knows_does_not(void **state)
{
    (void)state;
    const struct ia_clock *clock = ia_clock_system();
    struct wire *w = wire_start(wire_handler, true, 1);
    int64_t start = ia_mono_us(clock);
    for (int i = 0; i < IA_ACCESS_WRONG_MAX; i++) {
        /* Codes count as tokens do; no token at all is no guess. */
        assert_int_equal(status_of(w, NULL, "GET /v1/echo"), 401);
        assert_int_equal(i % 2 ? status_of(w, "0123", "POST /v1/echo")
                               : status_of(w, NULL, "POST /v1/login?code=0"),
                         401);
    }
    assert_true(ia_mono_us(clock) - start < 5000000); /* ten waits would be ten seconds */
    start = ia_mono_us(clock);
    assert_int_equal(status_of(w, "0123", "POST /v1/echo"), 401);
    assert_true(ia_mono_us(clock) - start >= 1000000);
    start = ia_mono_us(clock);
    assert_int_equal(status_of(w, NULL, "POST /v1/login?code=0"), 401);
    assert_true(ia_mono_us(clock) - start >= 1000000);
    start = ia_mono_us(clock);
    assert_int_equal(status_of(w, w->token, "POST /v1/echo"), 200);
    assert_true(ia_mono_us(clock) - start < 900000);
    wire_stop(w);
}

static void a_code_becomes_a_token_over_the_wire(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, 1);
    char code[IA_ACCESS_CODE_SIZE];
    ia_access_code(w->access, IA_HTTP_SCOPE_VIEW, code);
    for (int again = 0; again < 2; again++) {
        int fd = wire_tcp(w);
        struct wire_reply r;
        wire_send(fd,
                  "POST /v1/login?code=%s HTTP/1.1\r\nHost: localhost:%d\r\n"
                  "Origin: http://localhost:%d\r\nSec-Fetch-Site: same-origin\r\n"
                  "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
                  code, w->port, w->port);
        wire_read(fd, &r);
        assert_int_equal(r.status, again ? 401 : 200);
        if (!again) {
            assert_int_equal(status_of(w, ia_buf_cstr(&r.body), "GET /v1/echo"), 200);
            assert_int_equal(status_of(w, ia_buf_cstr(&r.body), "POST /v1/echo"), 403);
        }
        wire_reply_fini(&r);
        close(fd);
    }
    wire_stop(w);
}

static void a_taken_port_gives_another_one(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true, 1);
    struct wire *other = wire_start(wire_handler, false, 1);
    struct ia_err err = {0};
    int port = 0;
    assert_int_equal(ia_http_port(other->server), 0);
    assert_int_equal(ia_http_listen_tcp(other->server, w->port, &port, &err), IA_OK);
    assert_int_not_equal(port, w->port);
    assert_true(port > 0);
    int again = 0;
    assert_int_equal(ia_http_listen_tcp(other->server, 0, &again, &err), IA_OK);
    assert_int_equal(again, port);
    assert_int_equal(ia_http_port(other->server), port);
    other->port = port;
    assert_int_equal(status_of(other, other->token, "GET /v1/echo"), 200);
    assert_int_equal(status_of(other, w->token, "GET /v1/echo"), 401);
    assert_int_equal(ia_http_listen_tcp(w->server, 70000, &again, &err), IA_OK);
    wire_stop(other);
    other = wire_start(wire_handler, false, 1);
    assert_int_equal(ia_http_listen_tcp(other->server, 70000, &again, &err), IA_E_USAGE);
    wire_stop(other);
    wire_stop(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_request_finds_the_server),
        cmocka_unit_test(every_answer_has_our_headers),
        cmocka_unit_test(a_refusal_has_them_too_and_ends_the_connection),
        cmocka_unit_test(a_header_of_the_handler_cannot_make_others),
        cmocka_unit_test(head_has_the_headers_of_get_alone),
        cmocka_unit_test(a_line_of_4_kb_is_read_and_a_longer_one_is_414),
        cmocka_unit_test(headers_of_16_kb_are_read_and_longer_ones_are_431),
        cmocka_unit_test(a_body_of_1_mib_is_read_and_a_longer_one_is_413),
        cmocka_unit_test(chunks_count_as_a_body),
        cmocka_unit_test(an_answer_is_at_most_16_mib),
        cmocka_unit_test(odd_requests_never_reach_the_handler),
        cmocka_unit_test(a_nul_in_the_line_is_refused_after_the_check_of_who_asks),
        cmocka_unit_test(a_length_that_lies_gains_nothing),
        cmocka_unit_test(a_refused_body_does_not_swallow_the_answer),
        cmocka_unit_test(a_client_that_asks_first_is_told_before_it_sends),
        cmocka_unit_test(who_guesses_waits_and_who_knows_does_not),
        cmocka_unit_test(a_code_becomes_a_token_over_the_wire),
        cmocka_unit_test(a_taken_port_gives_another_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
