/* What an error of the API means: its code, whether and when it is tried again, which repair
 * it asks for, and what the user reads about it. */
#include "test.h"

#include "agent/claude/retry.h"
#include "base/clock.h"

static struct ia_api_failure failure(int status, const char *body)
{
    struct ia_api_failure f = {.headers = {.should_retry = -1}};
    ia_api_error(&f, status, ia_str(body));
    return f;
}

#define ERROR(type, message)                                                                   \
    "{\"type\":\"error\",\"error\":{\"type\":\"" type "\",\"message\":\"" message "\"}}"

static void failures_are_classified_by_status_and_type(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *body;
        enum ia_rc code;
        int got_status;
    } rows[] = {
        {400, ERROR("invalid_request_error", "no"), IA_E_API_INVALID, 400},
        {401, ERROR("authentication_error", "no"), IA_E_API_AUTH, 401},
        {402, ERROR("billing_error", "no"), IA_E_API_BILLING, 402},
        {403, ERROR("permission_error", "no"), IA_E_API_PERMISSION, 403},
        {404, ERROR("not_found_error", "no"), IA_E_API_NOT_FOUND, 404},
        {409, ERROR("conflict_error", "no"), IA_E_API_SERVER, 409},
        {413, "<html><head><title>413</title></head></html>", IA_E_API_TOO_LARGE, 413},
        {400, ERROR("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"),
         IA_E_API_TOO_LARGE, 400},
        {429, ERROR("rate_limit_error", "slow"), IA_E_API_RATE, 429},
        {429,
         "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"x\","
         "\"details\":{\"error_code\":\"enforced_spend_limit_reached\"}}}",
         IA_E_API_SPEND, 429},
        {500, ERROR("api_error", "x"), IA_E_API_SERVER, 500},
        {502, "<html>Bad gateway</html>", IA_E_API_SERVER, 502},
        {504, ERROR("timeout_error", "x"), IA_E_API_TIMEOUT, 504},
        {529, ERROR("overloaded_error", "x"), IA_E_API_OVERLOADED, 529},
        {418, "", IA_E_API_INVALID, 418},
        {302, "", IA_E_API_PROTOCOL, 302},
        /* Error events after 200 have no status of their own. */
        {0, ERROR("overloaded_error", "x"), IA_E_API_OVERLOADED, 529},
        {0, ERROR("rate_limit_error", "x"), IA_E_API_RATE, 429},
        {0, ERROR("api_error", "x"), IA_E_API_SERVER, 500},
        {0, ERROR("novel_error", "x"), IA_E_API_SERVER, 500},
        {0, "garbage", IA_E_API_SERVER, 500},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_api_failure f = failure(rows[i].status, rows[i].body);
        if (f.code != rows[i].code || f.status != rows[i].got_status) {
            fail_msg("row %zu: %s, %d", i, ia_rc_name(f.code), f.status);
        }
    }
}

static void an_html_body_is_quoted_without_its_tags(void **state)
{
    (void)state;
    struct ia_api_failure f = failure(
        502, "<html>\r\n<head><title>502 Bad Gateway</title></head>\n<body>nginx</body>");
    assert_string_equal(f.message, "502 Bad Gateway nginx");
}

static void errors_say_what_to_do(void **state)
{
    (void)state;
    struct ia_err err;
    struct ia_api_failure f = failure(401, ERROR("authentication_error", "invalid x-api-key"));
    assert_int_equal(ia_api_failure_err(&f, NULL, &err), IA_E_API_AUTH);
    assert_non_null(strstr(err.hint, "ios-agent key set"));
    assert_int_equal(err.http_status, 401);
    f = failure(404, ERROR("not_found_error", "model: claude-nope"));
    f.headers = (struct ia_api_headers){.request_id = "req_1"};
    assert_int_equal(ia_api_failure_err(&f, "claude-nope", &err), IA_E_API_NOT_FOUND);
    assert_non_null(strstr(err.hint, "claude-nope"));
    assert_non_null(strstr(err.msg, "req_1"));
}

static void the_request_id_of_the_body_is_used_where_the_header_is_missing(void **state)
{
    (void)state;
    struct ia_api_failure f = failure(
        500, "{\"error\":{\"type\":\"api_error\",\"message\":\"x\"},\"request_id\":\"r9\"}");
    assert_string_equal(f.headers.request_id, "r9");
}

static void waits_that_the_server_names_are_understood(void **state)
{
    (void)state;
    const int64_t wall = INT64_C(784111777000); /* Sun, 06 Nov 1994 08:49:37 GMT */
    static const struct {
        const char *ms, *s;
        int64_t want;
    } rows[] = {
        {"1500", "9", 1500},
        {"1500.7", "", 1500},
        {"", "2", 2000},
        {"", "0.25", 250},
        {"", "1.5", 1500},
        {"", "Sun, 06 Nov 1994 08:49:47 GMT", 10000},
        {"", "Sun, 06 Nov 1994 08:49:27 GMT", -1},
        {"", "Mon, 06 Nul 1994 08:49:47 GMT", -1},
        {"", "Sun, 06 Nov 1994 08:49:47 CET", -1},
        {"", "0", -1},
        {"0", "3", 3000},
        {"", "-3", -1},
        {"", "soon", -1},
        {"x", "", -1},
        {"", "99999999999999999999", -1},
        {"", "", -1},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_api_headers h = {.should_retry = -1};
        snprintf(h.retry_after_ms, sizeof(h.retry_after_ms), "%s", rows[i].ms);
        snprintf(h.retry_after, sizeof(h.retry_after), "%s", rows[i].s);
        int64_t got = ia_retry_after_ms(&h, wall);
        if (got != rows[i].want) {
            fail_msg("row %zu: %lld", i, (long long)got);
        }
    }
}

static bool retried(struct ia_api_failure f)
{
    struct ia_retry r = ia_retry_start(IA_DEFAULT_RETRIES, IA_NO_DEADLINE);
    int64_t wait_ms;
    return ia_retry_next(&r, &f, 0, 0, 0, &wait_ms);
}

static void what_is_worth_retrying_follows_header_status_and_code(void **state)
{
    (void)state;
    static const struct {
        int status;
        int should_retry;
        bool want;
    } rows[] = {
        {400, -1, false}, {401, -1, false}, {403, -1, false}, {404, -1, false}, {408, -1, true},
        {409, -1, true},  {413, -1, false}, {429, -1, true},  {500, -1, true},  {502, -1, true},
        {529, -1, true},  {529, 0, false},  {429, 0, false},  {400, 1, true},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_api_failure f = failure(rows[i].status, "");
        f.headers.should_retry = rows[i].should_retry;
        if (retried(f) != rows[i].want) {
            fail_msg("row %zu", i);
        }
    }
    struct ia_api_failure f = {.headers = {.should_retry = -1}};
    f.code = IA_E_API_NETWORK;
    assert_true(retried(f));
    f.code = IA_E_API_STREAM;
    assert_true(retried(f));
    f.code = IA_E_API_TIMEOUT;
    assert_true(retried(f));
    f.code = IA_E_API_PROTOCOL;
    assert_true(retried(f));
    f.code = IA_E_LIMIT;
    assert_false(retried(f));
}

static void a_spend_limit_is_never_retried(void **state)
{
    (void)state;
    struct ia_api_failure f =
        failure(429, "{\"error\":{\"type\":\"rate_limit_error\",\"message\":\"x\",\"details\":{"
                     "\"error_code\":\"contract_spend_limit_reached\"}}}");
    f.headers.should_retry = 1;
    assert_false(retried(f));
}

static int count_tries(int status, int max_retries)
{
    struct ia_retry r = ia_retry_start(max_retries, IA_NO_DEADLINE);
    struct ia_api_failure f = failure(status, "");
    int64_t wait_ms;
    int n = 0;
    while (n < 100 && ia_retry_next(&r, &f, 0, 0, 0, &wait_ms)) {
        n++;
    }
    return n;
}

static void overload_is_tried_more_often_than_other_failures(void **state)
{
    (void)state;
    assert_int_equal(count_tries(500, IA_DEFAULT_RETRIES), 2);
    assert_int_equal(count_tries(429, IA_DEFAULT_RETRIES), IA_DEFAULT_RETRIES);
    assert_int_equal(count_tries(529, IA_DEFAULT_RETRIES), IA_DEFAULT_RETRIES);
    assert_int_equal(count_tries(529, 0), 0);
    assert_int_equal(count_tries(500, 0), 0);
    assert_int_equal(count_tries(500, 1), 1);
    assert_int_equal(count_tries(500, 5), 2);
    assert_int_equal(count_tries(529, 5), 5);
}

static void waits_double_up_to_the_cap_and_are_spread(void **state)
{
    (void)state;
    static const int64_t want[] = {500, 1000, 2000, 4000, 8000, 16000, 32000, 60000};
    struct ia_retry r = ia_retry_start(IA_DEFAULT_RETRIES, IA_NO_DEADLINE);
    struct ia_retry spread = r;
    struct ia_api_failure f = failure(529, "");
    for (size_t i = 0; i < IA_COUNTOF(want); i++) {
        int64_t wait_ms;
        assert_true(ia_retry_next(&r, &f, 0, 0, 0, &wait_ms));
        assert_int_equal(wait_ms, want[i]);
        assert_true(ia_retry_next(&spread, &f, 0, 0, 999, &wait_ms));
        assert_true(wait_ms < want[i] && wait_ms >= want[i] * 3 / 4);
    }
    int64_t wait_ms = 0;
    f = failure(500, ""); /* after all those others */
    assert_true(ia_retry_next(&r, &f, 0, 0, 0, &wait_ms));
    assert_int_equal(wait_ms, IA_RETRY_CAP_MS);
}

static void no_wait_ends_after_the_deadline(void **state)
{
    (void)state;
    struct ia_api_failure f = failure(529, "");
    int64_t wait_ms;
    struct ia_retry r = ia_retry_start(IA_DEFAULT_RETRIES, 1500000);
    assert_true(ia_retry_next(&r, &f, 1000000, 0, 0, &wait_ms));
    r = ia_retry_start(IA_DEFAULT_RETRIES, 1499000);
    assert_false(ia_retry_next(&r, &f, 1000000, 0, 0, &wait_ms));
    r = ia_retry_start(IA_DEFAULT_RETRIES, IA_NO_DEADLINE);
    snprintf(f.headers.retry_after, sizeof(f.headers.retry_after), "%d",
             IA_RETRY_AFTER_MAX_MS / 1000 + 1);
    assert_false(ia_retry_next(&r, &f, 0, 0, 0, &wait_ms));
}

static enum ia_repair repair(const char *message, const char *thinking, const char *choice,
                             struct ia_claude_repairs *rep)
{
    struct ia_claude_request req = {.thinking = ia_str(thinking),
                                    .tool_choice = ia_str(choice)};
    struct ia_api_failure f = failure(400, "");
    snprintf(f.message, sizeof(f.message), "%s", message);
    return ia_repair_next(&f, &req, rep);
}

static void each_refusal_is_repaired_once(void **state)
{
    (void)state;
    const char *signature =
        "messages.1.content.0: Invalid `signature` in `thinking` block. The "
        "block is bound to a different conversation";
    struct ia_claude_repairs rep = {0};
    assert_int_equal(repair(signature, "", "", &rep), IA_REPAIR_BINDING);
    assert_true(rep.binding);
    assert_int_equal(repair(signature, "", "", &rep), IA_REPAIR_STRIP);
    assert_int_equal(repair(signature, "", "", &rep), IA_REPAIR_NONE);

    rep = (struct ia_claude_repairs){.binding = true};
    assert_int_equal(
        repair("thinking.block_binding: Extra inputs are not permitted", "", "", &rep),
        IA_REPAIR_STRIP);

    rep = (struct ia_claude_repairs){0};
    const char *thinking = "thinking.type.enabled is not supported for this model";
    assert_int_equal(repair(thinking, "{}", "", &rep), IA_REPAIR_THINKING);
    assert_int_equal(repair(thinking, "{}", "", &rep), IA_REPAIR_NONE);
    assert_int_equal(repair(thinking, "", "", &(struct ia_claude_repairs){0}), IA_REPAIR_NONE);

    const char *choice =
        "tool_choice: type \"tool\" and \"any\" are not supported for this model.";
    assert_int_equal(repair(choice, "", "{}", &rep), IA_REPAIR_TOOL_CHOICE);
    assert_int_equal(repair(choice, "", "{}", &rep), IA_REPAIR_NONE);
    assert_int_equal(repair("messages: bad", "{}", "{}", &rep), IA_REPAIR_NONE);
}

static void a_prompt_that_is_too_long_asks_for_fewer_images(void **state)
{
    (void)state;
    struct ia_claude_repairs rep = {0};
    struct ia_claude_request req = {0};
    struct ia_api_failure f = failure(413, "");
    assert_int_equal(ia_repair_next(&f, &req, &rep), IA_REPAIR_IMAGES);
    f = failure(500, "");
    assert_int_equal(ia_repair_next(&f, &req, &rep), IA_REPAIR_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_are_classified_by_status_and_type),
        cmocka_unit_test(an_html_body_is_quoted_without_its_tags),
        cmocka_unit_test(errors_say_what_to_do),
        cmocka_unit_test(the_request_id_of_the_body_is_used_where_the_header_is_missing),
        cmocka_unit_test(waits_that_the_server_names_are_understood),
        cmocka_unit_test(what_is_worth_retrying_follows_header_status_and_code),
        cmocka_unit_test(a_spend_limit_is_never_retried),
        cmocka_unit_test(overload_is_tried_more_often_than_other_failures),
        cmocka_unit_test(waits_double_up_to_the_cap_and_are_spread),
        cmocka_unit_test(no_wait_ends_after_the_deadline),
        cmocka_unit_test(each_refusal_is_repaired_once),
        cmocka_unit_test(a_prompt_that_is_too_long_asks_for_fewer_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
