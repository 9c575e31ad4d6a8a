/* What a stream looks like on the wire, and how connections are used. */
#include "test.h"

#include "fixture.h"
#include "mock/server/emit.h"

#include <sys/resource.h>
#include <unistd.h>

#define ASK(more)                                                                              \
    "{'model':'claude-sonnet-5-5','max_tokens':100," more                                      \
    "'messages':[{'role':'user','content':'hi'}]}"
#define STREAM ASK("'stream':true,")

static const char tool_script[] =
    "{'turns':[{'repeat':true,'blocks':["
    "{'text':'Zo\xc3\xab fährt — 日本語 \xf0\x9f\x8d\x8e\xf0\x9f\x8d\x8e\xf0\x9f\x8d\x8e "
    "日本語日本語日本語日本語'},"
    "{'tool_use':'tap','input':{'ref':12,'why':'日本語 \xf0\x9f\x8d\x8e'}},"
    "{'tool_use':'snapshot'}]}]}";

static int count_events(const json_t *j, const char *name)
{
    int n = 0;
    size_t i;
    json_t *e;
    json_array_foreach(json_object_get(j, "events"), i, e)
    {
        n += strcmp(json_string_value(e), name) == 0;
    }
    return n;
}

static void a_stream_carries_the_blocks_in_pieces(void **state)
{
    (void)state;
    char type[256];
    struct ia_mock *m = start_double(tool_script, NULL);
    struct http_reply r;
    http_message(ia_mock_port(m), STREAM, &r);
    assert_int_equal(r.end, HTTP_COMPLETE);
    assert_string_equal(http_header(&r, "content-type", type),
                        "text/event-stream; charset=utf-8");
    json_t *j = http_stream(&r);
    assert_non_null(strstr(text_at(j, "content.0.text"), "\xf0\x9f\x8d\x8e 日本語日本語"));
    assert_int_equal(json_at(j, "content.1.input.ref"), 12);
    assert_string_equal(text_at(j, "content.1.caller.type"), "direct");
    assert_memory_equal(text_at(j, "content.1.id"), "toolu_", 6);
    assert_string_not_equal(text_at(j, "content.1.id"), text_at(j, "content.2.id"));
    assert_string_equal(text_at(j, "stop_reason"), "tool_use");
    assert_true(count_events(j, "ping") >= 1);
    assert_true(count_events(j, "content_block_delta") >= 10);
    json_decref(j);
    http_reply_fini(&r);
    ia_mock_stop(m);
}

static void the_wire_is_as_uneven_as_the_real_one(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(tool_script, NULL);
    bool inside = false, padded = false, more_chunks = false;
    for (int i = 0; i < 8; i++) {
        struct http_reply r;
        http_message(ia_mock_port(m), STREAM, &r);
        json_t *j = http_stream(&r);
        inside = inside || r.chunk_inside_utf8;
        padded = padded || strstr(ia_buf_cstr(&r.body), "  }\n\n");
        more_chunks = more_chunks || r.chunks > json_array_size(json_object_get(j, "events"));
        assert_non_null(strstr(ia_buf_cstr(&r.body), "data: {\"type\": \"ping\"}\n\n"));
        assert_non_null(strstr(ia_buf_cstr(&r.body), "\"partial_json\":\"\"}"));
        json_decref(j);
        http_reply_fini(&r);
    }
    assert_true(inside);
    assert_true(padded);
    assert_true(more_chunks);
    ia_mock_stop(m);
}

static void usage_is_cumulative_and_equal_to_the_plain_answers(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(tool_script, NULL);
    struct http_reply r;
    http_message(ia_mock_port(m), STREAM, &r);
    json_t *streamed = http_stream(&r);
    http_reply_fini(&r);
    http_message(ia_mock_port(m), ASK(""), &r);
    json_t *plain = http_json(&r);
    assert_int_equal(json_at(streamed, "start_usage.output_tokens"), 1);
    assert_true(json_at(streamed, "usage.output_tokens") > 10);
    assert_int_equal(json_at(streamed, "usage.output_tokens"),
                     json_at(plain, "usage.output_tokens"));
    assert_int_equal(json_at(streamed, "usage.input_tokens"),
                     json_at(plain, "usage.input_tokens"));
    assert_string_equal(text_at(streamed, "content.0.text"), text_at(plain, "content.0.text"));
    json_decref(streamed);
    json_decref(plain);
    http_reply_fini(&r);
    ia_mock_stop(m);
}

static void an_empty_input_is_one_empty_piece(void **state)
{
    (void)state;
    struct ia_mock *m =
        start_double("{'turns':[{'repeat':true,'blocks':[{'tool_use':'back'}]}]}", NULL);
    struct http_reply r;
    http_message(ia_mock_port(m), STREAM, &r);
    json_t *j = http_stream(&r);
    assert_int_equal(count_events(j, "content_block_delta"), 1);
    assert_int_equal(json_object_size(json_object_get(
                         json_array_get(json_object_get(j, "content"), 0), "input")),
                     0);
    json_decref(j);
    http_reply_fini(&r);
    ia_mock_stop(m);
}

/* The same seed gives the same answer, wherever it stands in a conversation. */
static void a_seed_makes_answers_repeatable(void **state)
{
    (void)state;
    char *texts[2];
    for (int i = 0; i < 2; i++) {
        struct ia_mock *m = start_double(tool_script, NULL);
        struct http_reply r;
        http_message(ia_mock_port(m), STREAM, &r);
        texts[i] = ia_strdup(ia_buf_cstr(&r.body));
        http_reply_fini(&r);
        ia_mock_stop(m);
    }
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

static void a_connection_serves_many_requests(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(tool_script, NULL);
    char *body = quotes(STREAM);
    int fd = http_connect(ia_mock_port(m));
    for (int i = 0; i < 20; i++) {
        struct http_reply r;
        http_send(fd, "POST", "/v1/messages", &http_good, ia_str(body));
        http_receive(fd, 20000, &r);
        assert_int_equal(r.status, 200);
        assert_int_equal(r.end, HTTP_COMPLETE);
        http_reply_fini(&r);
    }
    close(fd);
    assert_int_equal(counted(m, "connections.most"), 1);
    assert_int_equal(counted(m, "streams"), 20);
    free(body);
    ia_mock_stop(m);
}

static void an_error_keeps_the_connection(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(tool_script, NULL);
    int fd = http_connect(ia_mock_port(m));
    for (int i = 0; i < 3; i++) {
        struct http_reply r;
        http_send(fd, "POST", "/v1/messages", &http_good, ia_str("{}"));
        http_receive(fd, 20000, &r);
        assert_int_equal(r.status, 400);
        http_reply_fini(&r);
    }
    close(fd);
    assert_int_equal(counted(m, "connections.most"), 1);
    ia_mock_stop(m);
}

static void the_latest_request_bodies_are_kept(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    struct http_reply r;
    struct ia_buf b = IA_BUF(1 << 16);
    assert_false(ia_mock_request_body(m, 0, &b));
    http_message(ia_mock_port(m), ASK(""), &r);
    http_reply_fini(&r);
    http_message(ia_mock_port(m), STREAM, &r);
    http_reply_fini(&r);
    assert_true(ia_mock_request_body(m, 0, &b));
    assert_non_null(strstr(ia_buf_cstr(&b), "\"stream\":true"));
    ia_buf_reset(&b);
    assert_true(ia_mock_request_body(m, 1, &b));
    assert_null(strstr(ia_buf_cstr(&b), "\"stream\":true"));
    assert_false(ia_mock_request_body(m, 2, &b));
    ia_buf_fini(&b);
    ia_mock_stop(m);
}

static void a_port_in_use_is_said_to_be_busy(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    struct ia_mock *second;
    struct ia_err err;
    const struct ia_mock_options opt = {.port = ia_mock_port(m)};
    assert_int_equal(ia_mock_start(&opt, &second, &err), IA_E_BUSY);
    assert_non_null(strstr(err.msg, "cannot listen on 127.0.0.1:"));
    ia_mock_stop(m);
    const struct ia_mock_options bad = {.port = 70000};
    assert_int_equal(ia_mock_start(&bad, &second, &err), IA_E_USAGE);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CROWD = 50, CROWD_KB = 0 };
#else
enum { CROWD = 1000, CROWD_KB = 60 << 10 };
#endif

static long max_rss_kb(void)
{
    struct rusage u;
    assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
#ifdef __APPLE__
    return u.ru_maxrss / 1024;
#else
    return u.ru_maxrss;
#endif
}

/* Both ends are in this process, so what is measured is more than the server's share. */
static void a_thousand_connections_fit_in_60_mb(void **state)
{
    (void)state;
    struct rlimit files;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max < 4096 ? files.rlim_max : 4096;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    if (files.rlim_cur < 2 * CROWD + 100) {
        skip();
    }
    struct ia_mock *m = start_double(tool_script, NULL);
    char *body = quotes(STREAM);
    int *fds = ia_calloc(CROWD, sizeof(*fds));
    long before = max_rss_kb();
    for (int i = 0; i < CROWD; i++) {
        fds[i] = http_connect(ia_mock_port(m));
        http_send(fds[i], "POST", "/v1/messages", &http_good, ia_str(body));
    }
    for (int i = 0; i < CROWD; i++) {
        struct http_reply r;
        http_receive(fds[i], 20000, &r);
        assert_int_equal(r.end, HTTP_COMPLETE);
        http_reply_fini(&r);
    }
    assert_int_equal(counted(m, "connections.now"), CROWD);
    long grown = max_rss_kb() - before;
    print_message("%d connections: %ld KB\n", CROWD, grown);
    assert_true(CROWD_KB == 0 || grown < CROWD_KB);
    for (int i = 0; i < CROWD; i++) {
        close(fds[i]);
    }
    free(fds);
    free(body);
    ia_mock_stop(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_connections_fit_in_60_mb),
        cmocka_unit_test(a_stream_carries_the_blocks_in_pieces),
        cmocka_unit_test(the_wire_is_as_uneven_as_the_real_one),
        cmocka_unit_test(usage_is_cumulative_and_equal_to_the_plain_answers),
        cmocka_unit_test(an_empty_input_is_one_empty_piece),
        cmocka_unit_test(a_seed_makes_answers_repeatable),
        cmocka_unit_test(a_connection_serves_many_requests),
        cmocka_unit_test(an_error_keeps_the_connection),
        cmocka_unit_test(the_latest_request_bodies_are_kept),
        cmocka_unit_test(a_port_in_use_is_said_to_be_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
