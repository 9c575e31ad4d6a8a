/* Headers, sizes, counts, paths and methods: what is not a rule about one request's members. */
#include "test.h"

#include "fixture.h"
#include "requests.h"

#include <unistd.h>

static void bearer_and_new_version_are_accepted(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    const struct http_headers h = {.authorization = "Bearer test-key", V26, JSON};
    struct http_reply r;
    char *body = quotes(GOOD);
    http_call(ia_mock_port(m), "POST", "/v1/messages?beta=true", &h, body, &r);
    assert_int_equal(r.status, 200);
    http_reply_fini(&r);
    free(body);
    ia_mock_stop(m);
}

/* n times the same block as the only user message. */
static void post_many(struct ia_mock *m, const char *model, const char *block, int n,
                      struct http_reply *r)
{
    struct ia_buf b = IA_BUF(1 << 20);
    ia_buf_printf(&b, "{'model':'%s','max_tokens':9,'messages':[{'role':'user','content':[",
                  model);
    for (int i = 0; i < n; i++) {
        ia_buf_printf(&b, "%s%s", i ? "," : "", block);
    }
    ia_buf_puts(&b, "]}]}");
    http_message(ia_mock_port(m), ia_buf_cstr(&b), r);
    ia_buf_fini(&b);
}

static void images_are_counted_and_bounded_together(void **state)
{
    (void)state;
    static const struct {
        const char *model, *image;
        int count, status;
    } cases[] = {
        {"claude-haiku-4-5", IMAGE("image/png", PNG_8), 100, 200},
        {"claude-haiku-4-5", IMAGE("image/png", PNG_8), 101, 400},
        {"claude-sonnet-5-5", IMAGE("image/png", PNG_8), 600, 200},
        {"claude-sonnet-5-5", IMAGE("image/png", PNG_8), 601, 400},
        {"claude-sonnet-5-5", IMAGE("image/png", PNG_3000), 20, 200},
        {"claude-sonnet-5-5", IMAGE("image/png", PNG_3000), 21, 400},
    };
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct http_reply r;
        post_many(m, cases[i].model, cases[i].image, cases[i].count, &r);
        assert_int_equal(r.status, cases[i].status);
        http_reply_fini(&r);
    }
    assert_int_equal(counted(m, "rejected.image_count"), 2);
    assert_int_equal(counted(m, "rejected.image_pixels"), 1);
    ia_mock_stop(m);
}

/* A body of exactly n bytes: spaces are no JSON of their own. */
static void post_bytes(struct ia_mock *m, size_t n, struct http_reply *r)
{
    char *body = ia_alloc(n + 1);
    char *json = quotes(GOOD);
    memset(body, ' ', n);
    memcpy(body, json, strlen(json));
    int fd = http_connect(ia_mock_port(m));
    http_send(fd, "POST", "/v1/messages", &http_good, (struct ia_str){body, n});
    http_receive(fd, 20000, r);
    close(fd);
    free(json);
    free(body);
}

static void a_body_of_32_mb_is_taken_and_one_byte_more_is_not(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    struct http_reply r;
    post_bytes(m, (size_t)32 << 20, &r);
    assert_int_equal(r.status, 200);
    http_reply_fini(&r);
    post_bytes(m, ((size_t)32 << 20) + 1, &r);
    assert_int_equal(r.status, 413);
    json_t *j = http_json(&r);
    assert_string_equal(text_at(j, "error.type"), "request_too_large");
    json_decref(j);
    http_reply_fini(&r);
    ia_mock_stop(m);
}

static void deep_nesting_is_refused_before_it_is_parsed(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    enum { DEPTH = 500000 };
    struct http_reply r;
    char *body = ia_alloc(DEPTH + 1);
    memset(body, '[', DEPTH);
    body[DEPTH] = '\0';
    http_call(ia_mock_port(m), "POST", "/v1/messages", &http_good, body, &r);
    assert_int_equal(r.status, 400);
    assert_non_null(strstr(ia_buf_cstr(&r.body), "nested too deeply"));
    http_reply_fini(&r);
    free(body);
    ia_mock_stop(m);
}

static void other_paths_and_methods_have_their_own_errors(void **state)
{
    (void)state;
    static const struct {
        const char *method, *path;
        int status;
    } cases[] = {
        {"GET", "/v1/messages/batches", 404},
        {"GET", "/v1/messages/batches/msgbatch_1", 404},
        {"POST", "/v1/messages/batches", 404},
        {"DELETE", "/v1/messages/batches/msgbatch_1", 404},
        {"GET", "/health", 200},
        {"GET", "/v1/models", 200},
        {"GET", "/v1/models/claude-sonnet-5-5", 200},
        {"GET", "/v1/models/claude-9", 404},
        {"GET", "/v1/messages", 405},
        {"GET", "/", 404},
        {"POST", "/v1/complete", 404},
        {"DELETE", "/v1/messages", 405},
    };
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct http_reply r;
        http_call(ia_mock_port(m), cases[i].method, cases[i].path, &http_good, "", &r);
        assert_int_equal(r.status, cases[i].status);
        json_t *j = http_json(&r);
        if (r.status >= 400) {
            assert_string_equal(text_at(j, "error.type"),
                                r.status == 404 ? "not_found_error" : "invalid_request_error");
        }
        json_decref(j);
        http_reply_fini(&r);
    }
    ia_mock_stop(m);
}

static void the_models_list_comes_in_pages(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    struct http_reply r;
    http_call(ia_mock_port(m), "GET", "/v1/models", &http_good, "", &r);
    json_t *list = http_json(&r);
    const json_t *all = json_object_get(list, "data");
    size_t n = json_array_size(all);
    http_reply_fini(&r);
    assert_true(n > 5 && n <= 20);
    const char *ids[20];
    for (size_t i = 0; i < n; i++) {
        ids[i] = json_string_value(json_object_get(json_array_get(all, i), "id"));
        assert_string_equal(
            json_string_value(json_object_get(json_array_get(all, i), "lifecycle")), "active");
    }
    const struct {
        const char *query, *id;
        int status;
        size_t from, count;
        bool more;
    } rows[] = {
        {"?limit=2", "", 200, 0, 2, true},
        {"?limit=1000", "", 200, 0, n, false},
        {"?limit=2&after_id=", ids[0], 200, 1, 2, true},
        {"?limit=2&after_id=", ids[n - 2], 200, n - 1, 1, false},
        {"?after_id=", ids[n - 1], 200, 0, 0, false},
        {"?limit=2&before_id=", ids[4], 200, 2, 2, true},
        {"?limit=2&before_id=", ids[1], 200, 0, 1, false},
        {"?limit=0", "", 400, 0, 0, false},
        {"?limit=1001", "", 400, 0, 0, false},
        {"?limit=x", "", 400, 0, 0, false},
        {"?limit=", "", 400, 0, 0, false},
        {"?after_id=", "claude-9", 400, 0, 0, false},
        {"?before_id=", "claude-9", 400, 0, 0, false},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char path[160];
        (void)snprintf(path, sizeof(path), "/v1/models%s%s", rows[i].query, rows[i].id);
        http_call(ia_mock_port(m), "GET", path, &http_good, "", &r);
        json_t *j = http_json(&r);
        const json_t *data = json_object_get(j, "data");
        if (r.status != rows[i].status || json_array_size(data) != rows[i].count) {
            fail_msg("%s: %d with %zu", path, r.status, json_array_size(data));
        }
        if (r.status == 200) {
            assert_int_equal(json_is_true(json_object_get(j, "has_more")), rows[i].more);
        }
        if (rows[i].count > 0) {
            assert_string_equal(text_at(j, "first_id"), ids[rows[i].from]);
            assert_string_equal(text_at(j, "last_id"), ids[rows[i].from + rows[i].count - 1]);
        }
        json_decref(j);
        http_reply_fini(&r);
    }
    json_decref(list);
    ia_mock_stop(m);
}

static void the_models_list_names_limits(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    struct http_reply r;
    http_call(ia_mock_port(m), "GET", "/v1/models/claude-haiku-4-5", &http_good, "", &r);
    json_t *j = http_json(&r);
    assert_string_equal(text_at(j, "type"), "model");
    assert_int_equal(json_at(j, "max_input_tokens"), 200000);
    assert_int_equal(json_at(j, "max_tokens"), 64000);
    json_decref(j);
    http_reply_fini(&r);
    const struct http_headers none = {0};
    http_call(ia_mock_port(m), "GET", "/v1/models", &none, "", &r);
    assert_int_equal(r.status, 401);
    http_reply_fini(&r);
    ia_mock_stop(m);
}

static void count_tokens_counts_and_checks(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    struct http_reply r;
    char *body = quotes("{'model':'claude-sonnet-5-5','system':'12345678'," MSG(U) "}");
    http_call(ia_mock_port(m), "POST", "/v1/messages/count_tokens", &http_good, body, &r);
    json_t *j = http_json(&r);
    assert_int_equal(json_at(j, "input_tokens"), 3);
    json_decref(j);
    http_reply_fini(&r);
    free(body);
    body = quotes("{'model':'claude-sonnet-5-5'," MSG(ASKED(USE("t1"))) "}");
    http_call(ia_mock_port(m), "POST", "/v1/messages/count_tokens", &http_good, body, &r);
    assert_int_equal(r.status, 400);
    http_reply_fini(&r);
    free(body);
    ia_mock_stop(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bearer_and_new_version_are_accepted),
        cmocka_unit_test(images_are_counted_and_bounded_together),
        cmocka_unit_test(a_body_of_32_mb_is_taken_and_one_byte_more_is_not),
        cmocka_unit_test(deep_nesting_is_refused_before_it_is_parsed),
        cmocka_unit_test(other_paths_and_methods_have_their_own_errors),
        cmocka_unit_test(the_models_list_comes_in_pages),
        cmocka_unit_test(the_models_list_names_limits),
        cmocka_unit_test(count_tokens_counts_and_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
