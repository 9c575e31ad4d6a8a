#include "test.h"

#include "server.h"

#include "agent/claude/client.h"
#include "base/fd.h"
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static const char key[] = "sk-ant-test-0123456789";

static struct ia_str lend(void *ctx)
{
    return ia_str(ctx);
}

#define SSE "content-type: text/event-stream; charset=utf-8\r\nrequest-id: req_7\r\n"
#define JSON "content-type: application/json\r\nrequest-id: req_8\r\n"
#define EV(name, rest) "event: " name "\ndata: {\"type\":\"" name "\"" rest "}\n\n"
#define START                                                                                  \
    EV("message_start",                                                                        \
       ",\"message\":{\"id\":\"m1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[" \
       "],"                                                                                    \
       "\"model\":\"claude-sonnet-5-5\",\"stop_reason\":null,\"usage\":{\"input_tokens\":100," \
       "\"cache_read_input_tokens\":20,\"output_tokens\":1}}")                                 \
    EV("content_block_start",                                                                  \
       ",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}")                     \
    EV("content_block_delta",                                                                  \
       ",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hel\"}")
#define REST                                                                                   \
    EV("content_block_delta",                                                                  \
       ",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"lo\"}")                     \
    EV("content_block_stop", ",\"index\":0")                                                   \
    EV("message_delta",                                                                        \
       ",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1000}")         \
    EV("message_stop", "")
#define HELLO START REST
#define ERROR(type, message)                                                                   \
    "{\"type\":\"error\",\"error\":{\"type\":\"" type "\",\"message\":\"" message "\"}}"
#define OK_STEP                                                                                \
    {                                                                                          \
        .status = 200, .headers = SSE, .body = HELLO                                           \
    }

/* A client of a scripted server, on a clock that does not make tests wait. */
struct fixture {
    struct server *server;
    struct ia_vclock *clock;
    struct ia_claude *claude;
    struct ia_claude_conn *conn;
    struct ia_history *history;
    struct ia_claude_request req;
    struct ia_claude_reply reply;
    struct ia_claude_broken broken;
    struct ia_claude_hooks hooks;
    struct ia_err err;
    struct ia_buf text;
    int notices;
    struct ia_claude_retry_notice last;
};

static void take_text(void *ctx, struct ia_str text)
{
    ia_buf_putstr(&((struct fixture *)ctx)->text, text);
}

static void take_notice(void *ctx, const struct ia_claude_retry_notice *n)
{
    struct fixture *f = ctx;
    f->notices++;
    f->last = *n;
}

static struct ia_claude_options options(const struct fixture *f)
{
    return (struct ia_claude_options){
        .base_url = server_url(f->server),
        .secret = {.borrow = lend, .ctx = (void *)key},
        .clock = ia_vclock_clock(f->clock),
    };
}

static void connect_with(struct fixture *f, const struct ia_claude_options *opt)
{
    if (ia_claude_new(opt, &f->claude, &f->err) ||
        ia_claude_conn_new(f->claude, &f->conn, &f->err)) {
        fail_msg("%s", f->err.msg);
    }
}

static void start(struct fixture *f, const struct server_step *steps)
{
    *f = (struct fixture){.server = server_start(steps),
                          .clock = ia_vclock_new(INT64_C(1800000000000)),
                          .history = ia_history_new(NULL),
                          .text = IA_BUF(65536)};
    f->reply = (struct ia_claude_reply){.message = {.usage = ia_claude_usage_none()}};
    f->hooks = (struct ia_claude_hooks){.text = take_text, .retry = take_notice, .ctx = f};
    f->req = (struct ia_claude_request){
        .model = "claude-sonnet-5-5", .max_tokens = 64, .history = f->history};
    assert_int_equal(ia_history_append(f->history, IA_MESSAGE_USER,
                                       ia_str("[{\"type\":\"text\",\"text\":\"hi\"}]"), NULL,
                                       &f->err),
                     IA_OK);
}

static void start_connected(struct fixture *f, const struct server_step *steps)
{
    start(f, steps);
    struct ia_claude_options opt = options(f);
    connect_with(f, &opt);
}

static enum ia_rc send_until(struct fixture *f, struct ia_cancel *cancel, int64_t deadline_us)
{
    ia_claude_reply_fini(&f->reply);
    enum ia_rc rc =
        ia_claude_send(f->conn, &f->req, &f->hooks, cancel, deadline_us, &f->reply, &f->err);
    f->broken = ia_claude_conn_broken(f->conn);
    return rc;
}

static enum ia_rc send_now(struct fixture *f)
{
    return send_until(f, NULL, IA_NO_DEADLINE);
}

static void close_fixture(struct fixture *f, bool all_asked)
{
    ia_claude_reply_fini(&f->reply);
    ia_claude_conn_free(f->conn);
    ia_claude_free(f->claude);
    ia_history_free(f->history);
    server_stop(f->server, all_asked);
    ia_vclock_free(f->clock);
    ia_buf_fini(&f->text);
}

static void finish(struct fixture *f)
{
    close_fixture(f, true);
}

static void finish_some(struct fixture *f)
{
    close_fixture(f, false);
}

static void must_send(struct fixture *f)
{
    if (send_now(f)) {
        fail_msg("%s", f->err.msg);
    }
    assert_string_equal(f->reply.message.blocks[0].text, "Hello");
}

static void turns_share_a_connection_and_carry_the_headers(void **state)
{
    (void)state;
    struct fixture f;
    start_connected(&f, (struct server_step[]){OK_STEP, OK_STEP, {0}});
    must_send(&f);
    assert_string_equal(f.text.p, "Hello");
    assert_string_equal(f.reply.request_id, "req_7");
    assert_int_equal(f.reply.attempts, 1);
    assert_int_equal(f.reply.message.usage.total.output, 1000);
    assert_true(f.reply.cost_known);
    assert_true(f.reply.cost_usd > 0.010201 && f.reply.cost_usd < 0.010203);
    must_send(&f);
    assert_int_equal(server_connections(f.server), 1);
    const char *head = server_head(f.server, 1);
    assert_non_null(strstr(head, "POST /v1/messages HTTP/1.1\r\n"));
    assert_non_null(strstr(head, "\r\nx-api-key: sk-ant-test-0123456789\r\n"));
    assert_non_null(strstr(head, "\r\nanthropic-version: 2023-06-01\r\n"));
    assert_non_null(strstr(head, "\r\ncontent-type: application/json\r\n"));
    assert_null(strcasestr(head, "authorization"));
    assert_null(strcasestr(head, "anthropic-beta"));
    assert_null(strcasestr(head, "expect"));
    assert_null(strcasestr(head, "x-www-form"));
    assert_string_equal(server_body(f.server, 0), server_body(f.server, 1));
    assert_non_null(strstr(server_body(f.server, 0), "\"stream\":true"));
    finish(&f);
}

static void a_bearer_token_and_a_prefix_reach_a_gateway(void **state)
{
    (void)state;
    struct fixture f;
    char url[128];
    start(&f, (struct server_step[]){OK_STEP, {0}});
    snprintf(url, sizeof(url), "%s/gate/way/", server_url(f.server));
    struct ia_claude_options opt = options(&f);
    opt.base_url = url;
    opt.auth = IA_CLAUDE_AUTH_BEARER;
    opt.version = "2026-10-21";
    connect_with(&f, &opt);
    must_send(&f);
    const char *head = server_head(f.server, 0);
    assert_non_null(strstr(head, "POST /gate/way/v1/messages HTTP/1.1\r\n"));
    assert_non_null(strstr(head, "\r\nauthorization: Bearer sk-ant-test-0123456789\r\n"));
    assert_non_null(strstr(head, "\r\nanthropic-version: 2026-10-21\r\n"));
    assert_null(strcasestr(head, "x-api-key"));
    finish(&f);
}

static void a_proxy_of_the_environment_is_not_used_for_this_machine(void **state)
{
    (void)state;
    struct fixture f;
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    start_connected(&f, (struct server_step[]){OK_STEP, {0}});
    must_send(&f);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
    finish(&f);
}

static void a_configured_proxy_is_used(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, (struct server_step[]){OK_STEP, {0}});
    struct ia_claude_options opt = options(&f);
    opt.base_url = "http://api.invalid:8080/x";
    opt.allow_http = true;
    opt.proxy = server_url(f.server);
    connect_with(&f, &opt);
    must_send(&f);
    assert_non_null(strstr(server_head(f.server, 0),
                           "POST http://api.invalid:8080/x/v1/messages HTTP/1.1\r\n"));
    finish(&f);
}

static void a_rate_limit_is_waited_out_as_the_server_asks(void **state)
{
    (void)state;
    struct fixture f;
    start_connected(&f,
                    (struct server_step[]){
                        {.status = 429,
                         .headers = JSON "retry-after-ms: 1234.5\r\nretry-after: 9\r\n",
                         .body = ERROR("rate_limit_error", "slow down")},
                        {.status = 529, .headers = JSON, .body = ERROR("overloaded_error", "")},
                        OK_STEP,
                        {0}});
    int64_t before = ia_mono_us(ia_vclock_clock(f.clock));
    must_send(&f);
    int64_t waited_ms = (ia_mono_us(ia_vclock_clock(f.clock)) - before) / 1000;
    assert_in_range(waited_ms, 1234 + 750, 1235 + 1000);
    assert_int_equal(f.reply.attempts, 3);
    assert_int_equal(f.notices, 2);
    assert_int_equal(f.last.code, IA_E_API_OVERLOADED);
    assert_false(f.last.text_discarded);
    assert_int_equal(f.broken.turns, 0);
    finish(&f);
}

static void a_broken_stream_is_sent_again_and_its_input_counted(void **state)
{
    (void)state;
    static const struct server_step breaks[] = {
        {.status = 200,
         .headers = SSE,
         .body = START "event: error\ndata: " ERROR("overloaded_error", "x") "\n\n"},
        {.status = 200, .headers = SSE, .body = START},
        {.status = 200, .headers = SSE, .body = START, .end = SERVER_CLOSE},
        {.status = 200, .headers = SSE, .body = START, .end = SERVER_RESET},
        {.status = 200,
         .headers = SSE,
         .body = START "event: content_block_stop\ndata: {bad\n\n"},
    };
    for (size_t i = 0; i < 2 * IA_COUNTOF(breaks); i++) {
        struct fixture f;
        start_connected(&f, (struct server_step[]){breaks[i / 2], OK_STEP, {0}});
        f.hooks.direct = i % 2;
        must_send(&f);
        assert_string_equal(f.text.p, "HelHello");
        assert_true(f.last.text_discarded);
        assert_int_equal(f.broken.turns, 1);
        assert_int_equal(f.broken.input_tokens, 120);
        assert_string_equal(server_body(f.server, 0), server_body(f.server, 1));
        finish(&f);
    }
}

static void an_answer_cut_anywhere_is_never_a_message(void **state)
{
    (void)state;
    size_t last = strlen(HELLO) - 1; /* without its last byte, message_stop is not closed */
    for (size_t cut = 1; cut <= last; cut += cut < last - 40 ? 37 : 1) {
        struct fixture f;
        start(
            &f,
            (struct server_step[]){
                {.status = 200, .headers = SSE, .body = HELLO, .end = SERVER_CLOSE, .cut = cut},
                {0}});
        struct ia_claude_options opt = options(&f);
        opt.max_retries = -1;
        connect_with(&f, &opt);
        f.hooks.direct = cut % 2;
        assert_int_equal(send_now(&f), IA_E_API_STREAM);
        assert_non_null(strstr(f.err.hint, "again"));
        finish(&f);
    }
}

static void a_message_is_complete_with_its_stop_whatever_follows(void **state)
{
    (void)state;
    static const enum server_end ends[] = {SERVER_CLOSE, SERVER_RESET, SERVER_STALL};
    for (size_t i = 0; i < 2 * IA_COUNTOF(ends); i++) {
        struct fixture f;
        start_connected(&f,
                        (struct server_step[]){
                            {.status = 200, .headers = SSE, .body = HELLO, .end = ends[i / 2]},
                            OK_STEP,
                            {0}});
        f.hooks.direct = i % 2;
        must_send(&f);
        assert_int_equal(f.reply.attempts, 1);
        must_send(&f);
        finish(&f);
    }
}

static void a_connection_that_died_between_turns_is_replaced(void **state)
{
    (void)state;
    struct fixture f;
    struct server_step first = OK_STEP;
    first.close_after = true;
    start_connected(&f, (struct server_step[]){first, OK_STEP, {0}});
    must_send(&f);
    must_send(&f);
    assert_int_equal(server_connections(f.server), 2);
    finish(&f);
}

static void silence_is_a_timeout_that_is_tried_again(void **state)
{
    (void)state;
    struct fixture f;
    start(
        &f,
        (struct server_step[]){
            {.status = 200, .headers = SSE, .body = START, .end = SERVER_STALL}, OK_STEP, {0}});
    struct ia_claude_options opt = options(&f);
    opt.idle_timeout_ms = 600; /* the start must arrive in it, on a busy machine too */
    connect_with(&f, &opt);
    must_send(&f);
    assert_int_equal(f.last.code, IA_E_API_TIMEOUT);
    assert_int_equal(f.broken.turns, 1);
    finish(&f);
}

/* An error answer, or a head, that has no end: what the call returns, well before the server
 * would be called silent. */
static enum ia_rc send_to_endless(const char *headers, const char *body)
{
    struct fixture f;
    start(&f, (struct server_step[]){
                  {.status = 500, .headers = headers, .body = body, .end = SERVER_STALL}, {0}});
    struct ia_claude_options opt = options(&f);
    opt.idle_timeout_ms = 4000;
    opt.max_retries = -1;
    connect_with(&f, &opt);
    enum ia_rc rc = send_now(&f);
    finish(&f);
    return rc;
}

static void an_error_without_end_is_read_to_its_cap(void **state)
{
    (void)state;
    struct ia_buf body = IA_BUF(1 << 20);
    while (body.len < 100000) {
        ia_buf_puts(&body, "no end ");
    }
    assert_int_equal(send_to_endless("content-type: text/plain\r\n", ia_buf_cstr(&body)),
                     IA_E_API_SERVER);
    ia_buf_fini(&body);
}

static void headers_without_end_are_refused(void **state)
{
    (void)state;
    struct ia_buf headers = IA_BUF(1 << 20);
    for (int i = 0; headers.len < 300000; i++) {
        ia_buf_printf(&headers, "x-%d: 0123456789012345678901234567890123456789\r\n", i);
    }
    assert_int_equal(send_to_endless(ia_buf_cstr(&headers), "x"), IA_E_API_PROTOCOL);
    ia_buf_fini(&headers);
}

/* Cancels while the server is silent; how long the call took to return after that. */
static int64_t cancel_latency_ms(void)
{
    struct fixture f;
    struct ia_err err;
    struct ia_cancel *cancel = ia_cancel_new(&err);
    start_connected(&f, (struct server_step[]){{.status = 200,
                                                .headers = SSE,
                                                .body = START,
                                                .end = SERVER_STALL,
                                                .cancels = cancel},
                                               {0}});
    assert_int_equal(send_until(&f, cancel, IA_NO_DEADLINE), IA_E_CANCELLED);
    int64_t ms = (ia_mono_us(ia_clock_system()) - server_cancelled_us(f.server)) / 1000;
    assert_int_equal(f.broken.turns, f.text.len > 0);
    finish(&f);
    ia_cancel_free(cancel);
    return ms;
}

static void a_cancelled_call_returns_within_100_ms(void **state)
{
    (void)state;
    int64_t best = INT64_MAX; /* of a few, as the machine may be busy */
    for (int i = 0; i < 5 && best >= 100; i++) {
        int64_t ms = cancel_latency_ms();
        best = ms < best ? ms : best;
    }
    assert_in_range(best, 0, 99);
}

/* Cancels once an answer is all there but its transfer does not end. How long the call took to
 * return after that, or INT64_MAX when the answer came in two pieces
 * with the cancel between. */
static int64_t cancel_at_the_end_ms(void)
{
    struct fixture f;
    struct ia_err err;
    struct ia_cancel *cancel = ia_cancel_new(&err);
    start_connected(&f, (struct server_step[]){{.status = 200,
                                                .headers = SSE,
                                                .body = HELLO,
                                                .end = SERVER_STALL,
                                                .cancels = cancel},
                                               {0}});
    enum ia_rc rc = send_until(&f, cancel, IA_NO_DEADLINE);
    int64_t ms = (ia_mono_us(ia_clock_system()) - server_cancelled_us(f.server)) / 1000;
    assert_true(rc == IA_OK || rc == IA_E_CANCELLED);
    assert_true(rc != IA_OK || f.reply.message.stop == IA_STOP_END_TURN);
    finish(&f);
    ia_cancel_free(cancel);
    return rc == IA_OK ? ms : INT64_MAX;
}

static void a_cancel_does_not_wait_for_the_end_of_a_transfer_whose_answer_is_there(void **state)
{
    (void)state;
    int64_t best = INT64_MAX;
    for (int i = 0; i < 50 && best >= 100; i++) {
        int64_t ms = cancel_at_the_end_ms();
        best = ms < best ? ms : best;
    }
    assert_in_range(best, 0, 99);
}

static void cancel_at_first_beat(void *ctx)
{
    ia_cancel_fire(ctx);
}

static void a_caller_that_waits_is_given_a_beat(void **state)
{
    (void)state;
    struct fixture f;
    struct ia_err err;
    struct ia_cancel *cancel = ia_cancel_new(&err);
    start_connected(
        &f, (struct server_step[]){
                {.status = 200, .headers = SSE, .body = START, .end = SERVER_STALL}, {0}});
    f.hooks = (struct ia_claude_hooks){.beat = cancel_at_first_beat, .ctx = cancel};
    assert_int_equal(send_until(&f, cancel, IA_NO_DEADLINE), IA_E_CANCELLED);
    finish_some(&f); /* the request may not even have been sent */
    ia_cancel_free(cancel);
}

static void a_call_can_be_cancelled_while_it_waits_for_the_next_try(void **state)
{
    (void)state;
    struct fixture f;
    struct ia_err err;
    struct ia_cancel *cancel = ia_cancel_new(&err);
    start(&f, (struct server_step[]){{.status = 529,
                                      .headers = JSON "retry-after: 500\r\n",
                                      .body = ERROR("overloaded_error", "x"),
                                      .cancels = cancel},
                                     {0}});
    struct ia_claude_options opt = options(&f);
    opt.clock = NULL; /* the real one: a wait of 500 s is cut short */
    connect_with(&f, &opt);
    assert_int_equal(send_until(&f, cancel, IA_NO_DEADLINE), IA_E_CANCELLED);
    finish(&f);
    ia_cancel_free(cancel);
}

static void the_deadline_ends_a_call(void **state)
{
    (void)state;
    struct fixture f;
    start_connected(
        &f, (struct server_step[]){
                {.status = 200, .headers = SSE, .body = START, .end = SERVER_STALL},
                {.status = 529, .headers = JSON, .body = ERROR("overloaded_error", "busy")},
                {0}});
    int64_t now = ia_mono_us(ia_vclock_clock(f.clock));
    assert_int_equal(send_until(&f, NULL, now + 50000), IA_E_TIMEOUT);
    /* No wait may end after it either. */
    assert_int_equal(send_until(&f, NULL, now + 100000), IA_E_API_OVERLOADED);
    assert_non_null(strstr(f.err.msg, "busy"));
    finish(&f);
}

static void refusals_say_what_to_do_and_are_not_repeated(void **state)
{
    (void)state;
    static const struct {
        struct server_step step;
        enum ia_rc rc;
        const char *hint;
    } rows[] = {
        {{.status = 401, .headers = JSON, .body = ERROR("authentication_error", "bad key")},
         IA_E_API_AUTH,
         "ios-agent key set"},
        {{.status = 404, .headers = JSON, .body = ERROR("not_found_error", "model: x")},
         IA_E_API_NOT_FOUND,
         "claude-sonnet-5-5"},
        {{.status = 400, .headers = JSON, .body = ERROR("invalid_request_error", "no")},
         IA_E_API_INVALID,
         ""},
        {{.status = 413, .body = "<html><h1>413 Too Large</h1></html>"},
         IA_E_API_TOO_LARGE,
         "long"},
        {{.status = 302, .headers = "location: http://127.0.0.1:1/\r\n", .body = ""},
         IA_E_API_PROTOCOL,
         "ANTHROPIC_BASE_URL"},
        {{.status = 200,
          .headers = "content-type: text/html\r\n",
          .body = "<html>hotel</html>"},
         IA_E_API_PROTOCOL,
         "ANTHROPIC_BASE_URL"},
        {{.status = 429,
          .headers = JSON "x-should-retry: true\r\n",
          .body = "{\"error\":{\"type\":\"rate_limit_error\",\"message\":\"x\",\"details\":{"
                  "\"error_code\":\"enforced_spend_limit_reached\"}}}"},
         IA_E_API_SPEND,
         "spend"},
        {{.status = 529,
          .headers = JSON "x-should-retry: false\r\n",
          .body = ERROR("overloaded_error", "x")},
         IA_E_API_OVERLOADED,
         "again"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct fixture f;
        start_connected(&f, (struct server_step[]){rows[i].step, {0}});
        enum ia_rc rc = send_now(&f);
        if (rc != rows[i].rc || !strstr(f.err.hint, rows[i].hint)) {
            fail_msg("row %zu: %s %s / %s", i, ia_rc_name(rc), f.err.msg, f.err.hint);
        }
        finish(&f);
    }
}

static void a_mistyped_model_is_answered_with_the_nearest(void **state)
{
    (void)state;
    struct fixture f;
    start_connected(
        &f,
        (struct server_step[]){
            {.status = 404, .headers = JSON, .body = ERROR("not_found_error", "model")}, {0}});
    f.req.model = "claude-sonet-5-5";
    assert_int_equal(send_now(&f), IA_E_API_NOT_FOUND);
    assert_non_null(strstr(f.err.hint, "claude-sonnet-5-5"));
    finish(&f);
}

static void a_key_that_the_server_echoes_is_not_repeated(void **state)
{
    (void)state;
    struct fixture f;
    start_connected(
        &f, (struct server_step[]){
                {.status = 401,
                 .headers = JSON,
                 .body = ERROR("authentication_error",
                               "bad key sk-ant-test-0123456789, sk-ant-test-0123456789")},
                {0}});
    assert_int_equal(send_now(&f), IA_E_API_AUTH);
    assert_null(strstr(f.err.msg, key));
    assert_non_null(strstr(f.err.msg, "bad key [key], [key]"));
    finish(&f);
}

static void an_unreachable_server_is_a_network_error(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, (struct server_step[]){{0}});
    char url[64];
    snprintf(url, sizeof(url), "%s", server_url(f.server));
    server_stop(f.server, true);
    f.server = server_start((struct server_step[]){{0}});
    struct ia_claude_options opt = options(&f);
    opt.base_url = url;
    connect_with(&f, &opt);
    assert_int_equal(send_now(&f), IA_E_API_NETWORK);
    assert_int_equal(f.notices, 2);
    assert_non_null(strstr(f.err.msg, url));
    assert_non_null(strstr(f.err.hint, "HTTPS_PROXY"));
    finish(&f);
}

static void a_signature_of_another_prefix_is_mended_for_the_session(void **state)
{
    (void)state;
    struct fixture f;
    start_connected(
        &f,
        (struct server_step[]){
            {.status = 400,
             .headers = JSON,
             .body = ERROR("invalid_request_error",
                           "messages.1.content.0: Invalid `signature` in `thinking` block. The "
                           "block is bound to a different conversation")},
            OK_STEP,
            OK_STEP,
            {0}});
    must_send(&f);
    assert_int_equal(f.reply.attempts, 2);
    assert_true(f.last.repaired);
    must_send(&f);
    assert_null(strcasestr(server_head(f.server, 0), "anthropic-beta"));
    for (int i = 1; i <= 2; i++) {
        assert_non_null(strstr(server_head(f.server, i),
                               "\r\nanthropic-beta: thinking-binding-controls-2026-08-01\r\n"));
        assert_non_null(strstr(server_body(f.server, i), "\"block_binding\":{\"prefix_mismatch_"
                                                         "behavior\":\"drop_block\"}"));
    }
    finish(&f);
}

static char *make_image(size_t size)
{
    char *path = ia_strdup("/tmp/ia-client-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    close(fd);
    return path;
}

static void append_images(struct fixture *f, const char *path, int n)
{
    struct ia_buf b = IA_BUF(65536);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_jsonw_array(&w);
    for (int i = 0; i < n; i++) {
        ia_history_image(&w, path, "image/png", 100, 100);
    }
    ia_jsonw_end_array(&w);
    assert_int_equal(
        ia_history_append(f->history, IA_MESSAGE_USER, ia_buf_str(&b), NULL, &f->err), IA_OK);
    ia_buf_fini(&b);
}

#define TOO_LONG                                                                               \
    {                                                                                          \
        .status = 400, .headers = JSON,                                                        \
        .body = ERROR("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")     \
    }

static void a_prompt_that_is_too_long_loses_old_images_where_the_model_allows_it(void **state)
{
    (void)state;
    struct fixture f;
    char *path = make_image(3);
    start_connected(&f, (struct server_step[]){TOO_LONG, OK_STEP, TOO_LONG, {0}});
    append_images(&f, path, 5);
    f.req.model = "claude-haiku-4-5";
    must_send(&f);
    assert_int_equal(ia_history_images(f.history), 3);
    /* Nothing is left to drop. */
    assert_int_equal(send_now(&f), IA_E_API_TOO_LARGE);
    finish(&f);

    start_connected(&f, (struct server_step[]){TOO_LONG, {0}});
    append_images(&f, path, 5);
    assert_int_equal(send_now(&f), IA_E_API_TOO_LARGE);
    assert_int_equal(ia_history_images(f.history), 5);
    finish(&f);
    unlink(path);
    free(path);
}

static void a_large_image_is_streamed_from_its_file(void **state)
{
    (void)state;
    struct fixture f;
    char *path = make_image(3000000);
    start_connected(&f, (struct server_step[]){OK_STEP, {0}});
    append_images(&f, path, 1);
    must_send(&f);
    assert_true(strlen(server_body(f.server, 0)) > 4000000);
    json_t *body = json_loads(server_body(f.server, 0), 0, NULL);
    assert_non_null(body);
    json_decref(body);
    finish(&f);
    unlink(path);
    free(path);
}

static void an_answer_that_was_not_streamed_is_read_too(void **state)
{
    (void)state;
    struct fixture f;
    start_connected(
        &f,
        (struct server_step[]){
            {.status = 200,
             .headers = JSON,
             .body = "{\"id\":\"m\",\"model\":\"unheard-of\",\"content\":[{\"type\":\"text\","
                     "\"text\":\"Hello\"}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_"
                     "tokens\":1,\"output_tokens\":1}}"},
            {0}});
    must_send(&f);
    assert_false(f.reply.cost_known);
    finish(&f);
}

static void a_missing_or_malformed_key_is_not_sent(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        enum ia_rc rc;
    } rows[] = {{"", IA_E_KEY_MISSING}, {"a\r\nx: y", IA_E_CONFIG}, {"a b", IA_E_CONFIG}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct fixture f;
        start(&f, (struct server_step[]){{0}});
        struct ia_claude_options opt = options(&f);
        opt.secret.ctx = (void *)rows[i].key;
        connect_with(&f, &opt);
        assert_int_equal(send_now(&f), rows[i].rc);
        assert_non_null(strstr(f.err.hint, "ios-agent key set"));
        assert_int_equal(server_requests(f.server), 0);
        finish(&f);
    }
}

static void a_version_that_is_no_header_value_is_refused(void **state)
{
    (void)state;
    char longest[3000];
    memset(longest, '2', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    const char *const rows[] = {"2023-06-01\r\nx: y", "2023 06", "\xc3\xa9", longest};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_claude *claude = NULL;
        struct ia_err err;
        struct ia_claude_options opt = {.secret = {.borrow = lend, .ctx = (void *)key},
                                        .version = rows[i]};
        assert_int_equal(ia_claude_new(&opt, &claude, &err), IA_E_CONFIG);
        assert_non_null(strstr(err.msg, "api.version"));
    }
}

static void base_urls_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        bool allow_http;
        enum ia_rc rc;
    } rows[] = {
        {"https://api.anthropic.com", false, IA_OK},
        {"https://gate/way/v1", false, IA_OK},
        {"http://127.0.0.1:80", false, IA_OK},
        {"http://localhost", false, IA_OK},
        {"http://[::1]:9/x", false, IA_OK},
        {"http://10.0.0.1", true, IA_OK},
        {"http://10.0.0.1", false, IA_E_CONFIG},
        {"http://127.evil.example", false, IA_E_CONFIG},
        {"http://localhost.evil.example", false, IA_E_CONFIG},
        {"http://127.0.0.1@evil.example", false, IA_E_CONFIG},
        {"ftp://x", true, IA_E_CONFIG},
        {"https://", false, IA_E_CONFIG},
        {"https://a b", false, IA_E_CONFIG},
        {"https://a?x=1", false, IA_E_CONFIG},
        {"api.anthropic.com", false, IA_E_CONFIG},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_claude *c = NULL;
        struct ia_err err;
        struct ia_claude_options opt = {.base_url = rows[i].url,
                                        .allow_http = rows[i].allow_http,
                                        .secret = {.borrow = lend, .ctx = (void *)key}};
        enum ia_rc rc = ia_claude_new(&opt, &c, &err);
        if (rc != rows[i].rc) {
            fail_msg("%s: %s", rows[i].url, ia_rc_name(rc));
        }
        ia_claude_free(c);
    }
}

static void *one_conversation(void *ctx)
{
    struct fixture f = {.claude = ctx, .history = ia_history_new(NULL), .text = IA_BUF(65536)};
    f.req = (struct ia_claude_request){
        .model = "claude-sonnet-5-5", .max_tokens = 64, .history = f.history};
    bool ok = !ia_claude_conn_new(f.claude, &f.conn, &f.err);
    for (int turn = 0; ok && turn < 3; turn++) {
        ok = !ia_history_append(f.history, IA_MESSAGE_USER, ia_str("[{\"q\":1}]"), NULL,
                                &f.err) &&
             !ia_claude_send(f.conn, &f.req, NULL, NULL, IA_NO_DEADLINE, &f.reply, &f.err) &&
             !ia_history_append_message(f.history, &f.reply.message, NULL, &f.err);
        ia_claude_reply_fini(&f.reply);
    }
    ia_claude_conn_free(f.conn);
    ia_history_free(f.history);
    return ok ? ctx : NULL;
}

static void many_threads_share_a_client(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    struct server_step steps[THREADS * 3 + 1] = {{0}};
    for (int i = 0; i < THREADS * 3; i++) {
        steps[i] = (struct server_step)OK_STEP;
    }
    struct fixture f;
    start_connected(&f, steps);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, one_conversation, f.claude), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *ret;
        pthread_join(threads[i], &ret);
        assert_non_null(ret);
    }
    finish(&f);
}

static char log_path[] = "/tmp/ia-log-XXXXXX";

static int open_log(void **state)
{
    (void)state;
    close(mkstemp(log_path));
    return ia_log_open(log_path, IA_LOG_DEBUG, NULL) ? -1 : 0;
}

static void the_log_names_requests_and_never_the_key(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF((size_t)1 << 20);
    struct ia_err err;
    assert_int_equal(ia_file_read(log_path, &b, &err), IA_OK);
    assert_non_null(strstr(b.p, "req_7"));
    assert_non_null(strstr(b.p, "api.retry"));
    assert_null(strstr(b.p, key));
    ia_buf_fini(&b);
}

static int close_log(void **state)
{
    (void)state;
    ia_log_close();
    return unlink(log_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_share_a_connection_and_carry_the_headers),
        cmocka_unit_test(a_bearer_token_and_a_prefix_reach_a_gateway),
        cmocka_unit_test(a_proxy_of_the_environment_is_not_used_for_this_machine),
        cmocka_unit_test(a_configured_proxy_is_used),
        cmocka_unit_test(a_rate_limit_is_waited_out_as_the_server_asks),
        cmocka_unit_test(a_broken_stream_is_sent_again_and_its_input_counted),
        cmocka_unit_test(an_answer_cut_anywhere_is_never_a_message),
        cmocka_unit_test(a_message_is_complete_with_its_stop_whatever_follows),
        cmocka_unit_test(a_connection_that_died_between_turns_is_replaced),
        cmocka_unit_test(silence_is_a_timeout_that_is_tried_again),
        cmocka_unit_test(an_error_without_end_is_read_to_its_cap),
        cmocka_unit_test(headers_without_end_are_refused),
        cmocka_unit_test(a_cancelled_call_returns_within_100_ms),
        cmocka_unit_test(
            a_cancel_does_not_wait_for_the_end_of_a_transfer_whose_answer_is_there),
        cmocka_unit_test(a_caller_that_waits_is_given_a_beat),
        cmocka_unit_test(a_call_can_be_cancelled_while_it_waits_for_the_next_try),
        cmocka_unit_test(the_deadline_ends_a_call),
        cmocka_unit_test(refusals_say_what_to_do_and_are_not_repeated),
        cmocka_unit_test(a_mistyped_model_is_answered_with_the_nearest),
        cmocka_unit_test(a_key_that_the_server_echoes_is_not_repeated),
        cmocka_unit_test(an_unreachable_server_is_a_network_error),
        cmocka_unit_test(a_signature_of_another_prefix_is_mended_for_the_session),
        cmocka_unit_test(a_prompt_that_is_too_long_loses_old_images_where_the_model_allows_it),
        cmocka_unit_test(a_large_image_is_streamed_from_its_file),
        cmocka_unit_test(an_answer_that_was_not_streamed_is_read_too),
        cmocka_unit_test(a_missing_or_malformed_key_is_not_sent),
        cmocka_unit_test(a_version_that_is_no_header_value_is_refused),
        cmocka_unit_test(base_urls_are_checked),
        cmocka_unit_test(many_threads_share_a_client),
        cmocka_unit_test(the_log_names_requests_and_never_the_key),
    };
    return cmocka_run_group_tests(tests, open_log, close_log);
}
