/* Connections, retries, limits and cancellation of a call. */
#include "client_fixture.h"

static void turns_share_a_connection_and_carry_the_headers(void **state)
{
    (void)state;
    struct client_fixture f;
    client_start_connected(&f, (struct server_step[]){OK_STEP, OK_STEP, {0}});
    client_must_send(&f);
    assert_string_equal(f.text.p, "Hello");
    assert_string_equal(f.reply.request_id, "req_7");
    assert_int_equal(f.reply.attempts, 1);
    assert_int_equal(f.reply.message.usage.total.output, 1000);
    assert_true(f.reply.cost_known);
    assert_true(f.reply.cost_usd > 0.010201 && f.reply.cost_usd < 0.010203);
    client_must_send(&f);
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
    client_finish(&f);
}

static void a_bearer_token_and_a_prefix_reach_a_gateway(void **state)
{
    (void)state;
    struct client_fixture f;
    char url[128];
    client_start(&f, (struct server_step[]){OK_STEP, {0}});
    snprintf(url, sizeof(url), "%s/gate/way/", server_url(f.server));
    struct ia_claude_options opt = client_options(&f);
    opt.base_url = url;
    opt.auth = IA_CLAUDE_AUTH_BEARER;
    opt.version = "2026-10-21";
    client_connect(&f, &opt);
    client_must_send(&f);
    const char *head = server_head(f.server, 0);
    assert_non_null(strstr(head, "POST /gate/way/v1/messages HTTP/1.1\r\n"));
    assert_non_null(strstr(head, "\r\nauthorization: Bearer sk-ant-test-0123456789\r\n"));
    assert_non_null(strstr(head, "\r\nanthropic-version: 2026-10-21\r\n"));
    assert_null(strcasestr(head, "x-api-key"));
    client_finish(&f);
}

static void a_proxy_of_the_environment_is_not_used_for_this_machine(void **state)
{
    (void)state;
    struct client_fixture f;
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    client_start_connected(&f, (struct server_step[]){OK_STEP, {0}});
    client_must_send(&f);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
    client_finish(&f);
}

static void a_configured_proxy_is_used(void **state)
{
    (void)state;
    struct client_fixture f;
    client_start(&f, (struct server_step[]){OK_STEP, {0}});
    struct ia_claude_options opt = client_options(&f);
    opt.base_url = "http://api.invalid:8080/x";
    opt.allow_http = true;
    opt.proxy = server_url(f.server);
    client_connect(&f, &opt);
    client_must_send(&f);
    assert_non_null(strstr(server_head(f.server, 0),
                           "POST http://api.invalid:8080/x/v1/messages HTTP/1.1\r\n"));
    client_finish(&f);
}

static void a_rate_limit_is_waited_out_as_the_server_asks(void **state)
{
    (void)state;
    struct client_fixture f;
    client_start_connected(
        &f, (struct server_step[]){
                {.status = 429,
                 .headers = JSON "retry-after-ms: 1234.5\r\nretry-after: 9\r\n",
                 .body = ERROR("rate_limit_error", "slow down")},
                {.status = 529, .headers = JSON, .body = ERROR("overloaded_error", "")},
                OK_STEP,
                {0}});
    int64_t before = ia_mono_us(ia_vclock_clock(f.clock));
    client_must_send(&f);
    assert_int_equal(f.err.code, IA_OK); /* the attempt that failed is no failure of the call */
    int64_t waited_ms = (ia_mono_us(ia_vclock_clock(f.clock)) - before) / 1000;
    assert_in_range(waited_ms, 1234 + 750, 1235 + 1000);
    assert_int_equal(f.reply.attempts, 3);
    assert_int_equal(f.notices, 2);
    assert_int_equal(f.last.code, IA_E_API_OVERLOADED);
    assert_false(f.last.text_discarded);
    assert_int_equal(f.broken.turns, 0);
    client_finish(&f);
}

static void a_broken_stream_is_sent_again_and_what_it_used_is_counted(void **state)
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
        struct client_fixture f;
        client_start_connected(&f, (struct server_step[]){breaks[i / 2], OK_STEP, {0}});
        f.hooks.direct = i % 2;
        client_must_send(&f);
        assert_string_equal(f.text.p, "HelHello");
        assert_true(f.last.text_discarded);
        assert_int_equal(f.broken.turns, 1);
        assert_int_equal(f.broken.input_tokens, 120);
        assert_int_equal(f.broken.output_tokens, 1); /* "Hel", and as the start said */
        assert_string_equal(server_body(f.server, 0), server_body(f.server, 1));
        client_finish(&f);
    }
}

static void what_a_broken_stream_made_is_counted_by_its_bytes(void **state)
{
    (void)state;
    static const char *const deltas[] = {
        "\"type\":\"text_delta\",\"text\":\"%s\"",
        "\"type\":\"thinking_delta\",\"thinking\":\"%s\"",
        "\"type\":\"input_json_delta\",\"partial_json\":\"%s\"",
    };
    static const char *const blocks[] = {
        "\"type\":\"text\",\"text\":\"\"",
        "\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"",
        "\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"tap\",\"input\":{}",
    };
    char text[3001] = "";
    memset(text, 'x', sizeof(text) - 1);
    for (size_t i = 0; i < IA_COUNTOF(deltas); i++) {
        struct client_fixture f;
        struct ia_buf body = IA_BUF(1 << 16);
        ia_buf_printf(&body,
                      "%sevent: content_block_start\ndata: {\"type\":"
                      "\"content_block_start\",\"index\":1,\"content_block\":{%s}}\n\n"
                      "event: content_block_delta\ndata: {\"type\":\"content_block_delta\","
                      "\"index\":1,\"delta\":{",
                      START, blocks[i]);
        const char *at = strstr(deltas[i], "%s");
        ia_buf_put(&body, deltas[i], (size_t)(at - deltas[i]));
        ia_buf_printf(&body, "%s%s}}\n\n", text, at + 2);
        client_start_connected(
            &f, (struct server_step[]){
                    {.status = 200, .headers = SSE, .body = ia_buf_cstr(&body)}, OK_STEP, {0}});
        client_must_send(&f);
        assert_int_equal(f.broken.output_tokens, 1001);
        client_finish(&f);
        ia_buf_fini(&body);
    }
}

/* The budget of a run: nothing more once an attempt has used that much. */
static enum ia_rc allow_one(void *ctx, const struct ia_claude_broken *broken,
                            struct ia_err *err)
{
    int *asked = ctx;
    (*asked)++;
    return broken->turns < 2 ? IA_OK : ia_err_set(err, IA_E_BUDGET, "it is used up");
}

static void a_retry_is_made_only_where_the_caller_allows_it(void **state)
{
    (void)state;
    struct client_fixture f;
    int asked = 0;
    struct server_step cut = {.status = 200, .headers = SSE, .body = START};
    client_start_connected(&f, (struct server_step[]){cut, cut, {0}});
    f.hooks = (struct ia_claude_hooks){.again = allow_one, .ctx = &asked};
    assert_int_equal(client_send(&f), IA_E_BUDGET);
    assert_string_equal(f.err.msg, "it is used up");
    assert_int_equal(asked, 2);
    assert_int_equal(f.broken.turns, 2);
    client_finish(&f);
}

static void an_answer_cut_anywhere_is_never_a_message(void **state)
{
    (void)state;
    size_t last = strlen(HELLO) - 1; /* without its last byte, message_stop is not closed */
    for (size_t cut = 1; cut <= last; cut += cut < last - 40 ? 37 : 1) {
        struct client_fixture f;
        client_start(
            &f,
            (struct server_step[]){
                {.status = 200, .headers = SSE, .body = HELLO, .end = SERVER_CLOSE, .cut = cut},
                {0}});
        struct ia_claude_options opt = client_options(&f);
        opt.max_retries = -1;
        client_connect(&f, &opt);
        f.hooks.direct = cut % 2;
        assert_int_equal(client_send(&f), IA_E_API_STREAM);
        assert_non_null(strstr(f.err.hint, "again"));
        client_finish(&f);
    }
}

static void a_message_is_complete_with_its_stop_whatever_follows(void **state)
{
    (void)state;
    static const enum server_end ends[] = {SERVER_CLOSE, SERVER_RESET, SERVER_STALL};
    for (size_t i = 0; i < 2 * IA_COUNTOF(ends); i++) {
        struct client_fixture f;
        client_start_connected(
            &f, (struct server_step[]){
                    {.status = 200, .headers = SSE, .body = HELLO, .end = ends[i / 2]},
                    OK_STEP,
                    {0}});
        f.hooks.direct = i % 2;
        client_must_send(&f);
        assert_int_equal(f.reply.attempts, 1);
        client_must_send(&f);
        client_finish(&f);
    }
}

static void a_connection_that_died_between_turns_is_replaced(void **state)
{
    (void)state;
    struct client_fixture f;
    struct server_step first = OK_STEP;
    first.close_after = true;
    client_start_connected(&f, (struct server_step[]){first, OK_STEP, {0}});
    client_must_send(&f);
    client_must_send(&f);
    assert_int_equal(server_connections(f.server), 2);
    client_finish(&f);
}

static void silence_is_a_timeout_that_is_retried(void **state)
{
    (void)state;
    struct client_fixture f;
    client_start(
        &f,
        (struct server_step[]){
            {.status = 200, .headers = SSE, .body = START, .end = SERVER_STALL}, OK_STEP, {0}});
    struct ia_claude_options opt = client_options(&f);
    opt.idle_timeout_ms = 600; /* the start must arrive in it, on a busy machine too */
    client_connect(&f, &opt);
    client_must_send(&f);
    assert_int_equal(f.last.code, IA_E_API_TIMEOUT);
    assert_int_equal(f.broken.turns, 1);
    client_finish(&f);
}

/* An error answer, or a head, that has no end: what the call returns, well before the server
 * would be called silent. */
static enum ia_rc send_to_endless(const char *headers, const char *body)
{
    struct client_fixture f;
    client_start(
        &f, (struct server_step[]){
                {.status = 500, .headers = headers, .body = body, .end = SERVER_STALL}, {0}});
    struct ia_claude_options opt = client_options(&f);
    opt.idle_timeout_ms = 4000;
    opt.max_retries = -1;
    client_connect(&f, &opt);
    enum ia_rc rc = client_send(&f);
    client_finish(&f);
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
    struct client_fixture f;
    struct ia_err err;
    struct ia_cancel *cancel = ia_cancel_new(&err);
    client_start_connected(&f, (struct server_step[]){{.status = 200,
                                                       .headers = SSE,
                                                       .body = START,
                                                       .end = SERVER_STALL,
                                                       .cancels = cancel},
                                                      {0}});
    assert_int_equal(client_send_until(&f, cancel, IA_NO_DEADLINE), IA_E_CANCELLED);
    int64_t ms = (ia_mono_us(ia_clock_system()) - server_cancelled_us(f.server)) / 1000;
    assert_int_equal(f.broken.turns, f.text.len > 0);
    client_finish(&f);
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

/* Cancels when the last event of an answer is there. */
struct at_stop {
    struct ia_cancel *cancel;
    int64_t fired_us;
};

static void cancel_at_stop(void *ctx, struct ia_str name, struct ia_str data)
{
    struct at_stop *s = ctx;
    (void)data;
    if (name.p && ia_str_is(name, "message_stop")) {
        s->fired_us = ia_mono_us(ia_clock_system());
        ia_cancel_fire(s->cancel);
    }
}

/* How long a call took to return after that, while its transfer does not end. */
static int64_t cancel_at_the_end_ms(void)
{
    struct client_fixture f;
    struct ia_err err;
    struct at_stop stop = {.cancel = ia_cancel_new(&err)};
    client_start_connected(
        &f, (struct server_step[]){
                {.status = 200, .headers = SSE, .body = HELLO, .end = SERVER_STALL}, {0}});
    f.hooks = (struct ia_claude_hooks){.event = cancel_at_stop, .ctx = &stop};
    assert_int_equal(client_send_until(&f, stop.cancel, IA_NO_DEADLINE), IA_OK);
    int64_t ms = (ia_mono_us(ia_clock_system()) - stop.fired_us) / 1000;
    assert_int_equal(f.reply.message.stop, IA_STOP_END_TURN);
    client_finish(&f);
    ia_cancel_free(stop.cancel);
    return ms;
}

static void a_cancel_does_not_wait_for_the_end_of_a_transfer_whose_answer_is_there(void **state)
{
    (void)state;
    int64_t best = INT64_MAX;
    for (int i = 0; i < 5 && best >= 100; i++) { /* the machine may be busy */
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
    struct client_fixture f;
    struct ia_err err;
    struct ia_cancel *cancel = ia_cancel_new(&err);
    client_start_connected(
        &f, (struct server_step[]){
                {.status = 200, .headers = SSE, .body = START, .end = SERVER_STALL}, {0}});
    f.hooks = (struct ia_claude_hooks){.beat = cancel_at_first_beat, .ctx = cancel};
    assert_int_equal(client_send_until(&f, cancel, IA_NO_DEADLINE), IA_E_CANCELLED);
    client_finish_some(&f); /* the request may not even have been sent */
    ia_cancel_free(cancel);
}

static void a_call_can_be_cancelled_while_it_waits_for_a_retry(void **state)
{
    (void)state;
    struct client_fixture f;
    struct ia_err err;
    struct ia_cancel *cancel = ia_cancel_new(&err);
    client_start(&f, (struct server_step[]){{.status = 529,
                                             .headers = JSON "retry-after: 500\r\n",
                                             .body = ERROR("overloaded_error", "x"),
                                             .cancels = cancel},
                                            {0}});
    struct ia_claude_options opt = client_options(&f);
    opt.clock = NULL; /* the real one: a wait of 500 s is cut short */
    client_connect(&f, &opt);
    assert_int_equal(client_send_until(&f, cancel, IA_NO_DEADLINE), IA_E_CANCELLED);
    client_finish(&f);
    ia_cancel_free(cancel);
}

static void the_deadline_ends_a_call(void **state)
{
    (void)state;
    struct client_fixture f;
    client_start_connected(
        &f, (struct server_step[]){
                {.status = 200, .headers = SSE, .body = START, .end = SERVER_STALL},
                {.status = 529, .headers = JSON, .body = ERROR("overloaded_error", "busy")},
                {0}});
    int64_t now = ia_mono_us(ia_vclock_clock(f.clock));
    assert_int_equal(client_send_until(&f, NULL, now + 50000), IA_E_TIMEOUT);
    /* No wait may end after it either. */
    assert_int_equal(client_send_until(&f, NULL, now + 100000), IA_E_API_OVERLOADED);
    assert_non_null(strstr(f.err.msg, "busy"));
    client_finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_share_a_connection_and_carry_the_headers),
        cmocka_unit_test(a_bearer_token_and_a_prefix_reach_a_gateway),
        cmocka_unit_test(a_proxy_of_the_environment_is_not_used_for_this_machine),
        cmocka_unit_test(a_configured_proxy_is_used),
        cmocka_unit_test(a_rate_limit_is_waited_out_as_the_server_asks),
        cmocka_unit_test(a_broken_stream_is_sent_again_and_what_it_used_is_counted),
        cmocka_unit_test(what_a_broken_stream_made_is_counted_by_its_bytes),
        cmocka_unit_test(a_retry_is_made_only_where_the_caller_allows_it),
        cmocka_unit_test(an_answer_cut_anywhere_is_never_a_message),
        cmocka_unit_test(a_message_is_complete_with_its_stop_whatever_follows),
        cmocka_unit_test(a_connection_that_died_between_turns_is_replaced),
        cmocka_unit_test(silence_is_a_timeout_that_is_retried),
        cmocka_unit_test(an_error_without_end_is_read_to_its_cap),
        cmocka_unit_test(headers_without_end_are_refused),
        cmocka_unit_test(a_cancelled_call_returns_within_100_ms),
        cmocka_unit_test(
            a_cancel_does_not_wait_for_the_end_of_a_transfer_whose_answer_is_there),
        cmocka_unit_test(a_caller_that_waits_is_given_a_beat),
        cmocka_unit_test(a_call_can_be_cancelled_while_it_waits_for_a_retry),
        cmocka_unit_test(the_deadline_ends_a_call),
        cmocka_unit_test(the_log_names_requests_and_never_the_key),
    };
    return cmocka_run_group_tests(tests, client_open_log, client_close_log);
}
