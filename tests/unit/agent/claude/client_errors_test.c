/* Answers that refuse, repairs of the request, and what is refused before it is sent. */
#include "client_fixture.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

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
        struct client_fixture f;
        client_start_connected(&f, (struct server_step[]){rows[i].step, {0}});
        enum ia_rc rc = client_send(&f);
        if (rc != rows[i].rc || !strstr(f.err.hint, rows[i].hint)) {
            fail_msg("row %zu: %s %s / %s", i, ia_rc_name(rc), f.err.msg, f.err.hint);
        }
        client_finish(&f);
    }
}

static void what_speaks_no_http_is_a_failure_of_the_provider(void **state)
{
    (void)state;
    struct server_step raw = {
        .status = SERVER_RAW, .body = "220 mail ready\r\n", .end = SERVER_CLOSE};
    struct client_fixture f;
    client_start_connected(&f, (struct server_step[]){raw, raw, raw, raw, {0}});
    assert_int_equal(client_send(&f), IA_E_API_PROTOCOL);
    assert_int_equal(ia_rc_exit(f.err.code), ia_rc_exit(IA_E_API_NETWORK));
    assert_non_null(strstr(f.err.msg, "127.0.0.1"));
    client_finish_some(&f);
}

static void an_answer_that_is_too_large_is_the_providers_and_asked_for_once(void **state)
{
    (void)state;
    enum { LINE = 9 << 20, BLOCKS = 600 };
    struct ia_buf bodies[2] = {IA_BUF((size_t)32 << 20), IA_BUF((size_t)32 << 20)};
    ia_buf_puts(&bodies[0], START "event: content_block_delta\ndata: ");
    memset(ia_buf_reserve(&bodies[0], LINE), 'x', LINE);
    ia_buf_grew(&bodies[0], LINE);
    ia_buf_puts(&bodies[1], START);
    for (int i = 1; i <= BLOCKS; i++) {
        ia_buf_printf(&bodies[1],
                      EV("content_block_start", ",\"index\":%d,\"content_block\":{\"type\":"
                                                "\"text\",\"text\":\"\"}"),
                      i);
    }
    for (size_t i = 0; i < IA_COUNTOF(bodies); i++) {
        struct client_fixture f;
        client_start_connected(
            &f, (struct server_step[]){
                    {.status = 200, .headers = SSE, .body = ia_buf_cstr(&bodies[i])}, {0}});
        assert_int_equal(client_send(&f), IA_E_API_PROTOCOL);
        assert_int_equal(f.notices, 0);
        client_finish_some(&f);
        ia_buf_fini(&bodies[i]);
    }
}

static void a_mistyped_model_is_answered_with_the_nearest(void **state)
{
    (void)state;
    struct client_fixture f;
    client_start_connected(
        &f,
        (struct server_step[]){
            {.status = 404, .headers = JSON, .body = ERROR("not_found_error", "model")}, {0}});
    f.req.model = "claude-sonet-5-5";
    assert_int_equal(client_send(&f), IA_E_API_NOT_FOUND);
    assert_non_null(strstr(f.err.hint, "claude-sonnet-5-5"));
    client_finish(&f);
}

static void a_key_that_the_server_echoes_is_not_repeated(void **state)
{
    (void)state;
    struct client_fixture f;
    client_start_connected(
        &f, (struct server_step[]){
                {.status = 401,
                 .headers = JSON,
                 .body = ERROR("authentication_error",
                               "bad key sk-ant-test-0123456789, sk-ant-test-0123456789")},
                {0}});
    assert_int_equal(client_send(&f), IA_E_API_AUTH);
    assert_null(strstr(f.err.msg, client_key));
    assert_non_null(strstr(f.err.msg, "bad key [key], [key]"));
    client_finish(&f);
}

static void an_unreachable_server_is_a_network_error(void **state)
{
    (void)state;
    struct client_fixture f;
    client_start(&f, (struct server_step[]){{0}});
    char url[64];
    snprintf(url, sizeof(url), "%s", server_url(f.server));
    server_stop(f.server, true);
    f.server = server_start((struct server_step[]){{0}});
    struct ia_claude_options opt = client_options(&f);
    opt.base_url = url;
    client_connect(&f, &opt);
    assert_int_equal(client_send(&f), IA_E_API_NETWORK);
    assert_int_equal(f.notices, 2);
    assert_non_null(strstr(f.err.msg, url));
    assert_non_null(strstr(f.err.hint, "HTTPS_PROXY"));
    client_finish(&f);
}

static void a_signature_of_another_prefix_is_repaired_for_the_session(void **state)
{
    (void)state;
    struct client_fixture f;
    client_start_connected(
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
    client_must_send(&f);
    assert_int_equal(f.reply.attempts, 2);
    assert_true(f.last.repaired);
    client_must_send(&f);
    assert_null(strcasestr(server_head(f.server, 0), "anthropic-beta"));
    for (int i = 1; i <= 2; i++) {
        assert_non_null(strstr(server_head(f.server, i),
                               "\r\nanthropic-beta: thinking-binding-controls-2026-08-01\r\n"));
        assert_non_null(strstr(server_body(f.server, i), "\"block_binding\":{\"prefix_mismatch_"
                                                         "behavior\":\"drop_block\"}"));
    }
    client_finish(&f);
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

static void append_images(struct client_fixture *f, const char *path, int n)
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
    struct client_fixture f;
    char *path = make_image(3);
    client_start_connected(&f, (struct server_step[]){TOO_LONG, OK_STEP, TOO_LONG, {0}});
    append_images(&f, path, 5);
    f.req.model = "claude-haiku-4-5";
    client_must_send(&f);
    assert_int_equal(ia_history_images(f.history), 3);
    /* Nothing is left to drop. */
    assert_int_equal(client_send(&f), IA_E_API_TOO_LARGE);
    client_finish(&f);

    client_start_connected(&f, (struct server_step[]){TOO_LONG, {0}});
    append_images(&f, path, 5);
    assert_int_equal(client_send(&f), IA_E_API_TOO_LARGE);
    assert_int_equal(ia_history_images(f.history), 5);
    client_finish(&f);
    unlink(path);
    free(path);
}

static void a_large_image_is_streamed_from_its_file(void **state)
{
    (void)state;
    struct client_fixture f;
    char *path = make_image(3000000);
    client_start_connected(&f, (struct server_step[]){OK_STEP, {0}});
    append_images(&f, path, 1);
    client_must_send(&f);
    assert_true(strlen(server_body(f.server, 0)) > 4000000);
    json_t *body = json_loads(server_body(f.server, 0), 0, NULL);
    assert_non_null(body);
    json_decref(body);
    client_finish(&f);
    unlink(path);
    free(path);
}

static void an_answer_that_was_not_streamed_is_read_too(void **state)
{
    (void)state;
    struct client_fixture f;
    client_start_connected(
        &f,
        (struct server_step[]){
            {.status = 200,
             .headers = JSON,
             .body = "{\"id\":\"m\",\"model\":\"unheard-of\",\"content\":[{\"type\":\"text\","
                     "\"text\":\"Hello\"}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_"
                     "tokens\":1,\"output_tokens\":1}}"},
            {0}});
    client_must_send(&f);
    assert_false(f.reply.cost_known);
    client_finish(&f);
}

static void a_missing_or_malformed_key_is_not_sent(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        enum ia_rc rc;
    } rows[] = {{"", IA_E_KEY_MISSING}, {"a\r\nx: y", IA_E_CONFIG}, {"a b", IA_E_CONFIG}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct client_fixture f;
        client_start(&f, (struct server_step[]){{0}});
        struct ia_claude_options opt = client_options(&f);
        opt.secret.ctx = (void *)rows[i].key;
        client_connect(&f, &opt);
        assert_int_equal(client_send(&f), rows[i].rc);
        assert_non_null(strstr(f.err.hint, "ios-agent key set"));
        assert_int_equal(server_requests(f.server), 0);
        client_finish(&f);
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
        struct ia_claude_options opt = {
            .secret = {.borrow = client_lend, .ctx = (void *)client_key}, .version = rows[i]};
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
        struct ia_claude_options opt = {
            .base_url = rows[i].url,
            .allow_http = rows[i].allow_http,
            .secret = {.borrow = client_lend, .ctx = (void *)client_key}};
        enum ia_rc rc = ia_claude_new(&opt, &c, &err);
        if (rc != rows[i].rc) {
            fail_msg("%s: %s", rows[i].url, ia_rc_name(rc));
        }
        ia_claude_free(c);
    }
}

static void *one_conversation(void *ctx)
{
    struct client_fixture f = {
        .claude = ctx, .history = ia_history_new(NULL), .text = IA_BUF(65536)};
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
    struct client_fixture f;
    client_start_connected(&f, steps);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, one_conversation, f.claude), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *ret;
        pthread_join(threads[i], &ret);
        assert_non_null(ret);
    }
    client_finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_say_what_to_do_and_are_not_repeated),
        cmocka_unit_test(what_speaks_no_http_is_a_failure_of_the_provider),
        cmocka_unit_test(an_answer_that_is_too_large_is_the_providers_and_asked_for_once),
        cmocka_unit_test(a_mistyped_model_is_answered_with_the_nearest),
        cmocka_unit_test(a_key_that_the_server_echoes_is_not_repeated),
        cmocka_unit_test(an_unreachable_server_is_a_network_error),
        cmocka_unit_test(a_signature_of_another_prefix_is_repaired_for_the_session),
        cmocka_unit_test(a_prompt_that_is_too_long_loses_old_images_where_the_model_allows_it),
        cmocka_unit_test(a_large_image_is_streamed_from_its_file),
        cmocka_unit_test(an_answer_that_was_not_streamed_is_read_too),
        cmocka_unit_test(a_missing_or_malformed_key_is_not_sent),
        cmocka_unit_test(a_version_that_is_no_header_value_is_refused),
        cmocka_unit_test(base_urls_are_checked),
        cmocka_unit_test(many_threads_share_a_client),
        cmocka_unit_test(the_log_names_requests_and_never_the_key),
    };
    return cmocka_run_group_tests(tests, client_open_log, client_close_log);
}
