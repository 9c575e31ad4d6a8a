/* Every fault, as a client meets it. */
#include "test.h"

#include "base/clock.h"
#include "fixture.h"
#include "mock/server/faults.h"

#include <unistd.h>

#define ASK                                                                                    \
    "{'model':'claude-sonnet-5-5','max_tokens':9,'messages':[{'role':'user','content':'x'}]}"
#define STREAM                                                                                 \
    "{'model':'claude-sonnet-5-5','max_tokens':9,'stream':true,'messages':[{'role':'user',"    \
    "'content':'x'}]}"

struct whole {
    const char *fault;
    int status;
    const char *type; /* of the error; NULL: the body is no JSON */
    const char *retry_after, *retry_after_ms, *should_retry;
};

static const struct whole wholes[] = {
    {"429:retry-after=1", 429, "rate_limit_error", "1", "", "true"},
    {"429:retry-after-ms=250.5", 429, "rate_limit_error", "", "250.5", "true"},
    {"429:should-retry=false", 429, "rate_limit_error", "", "", "false"},
    {"spend-limit", 429, "rate_limit_error", "", "", "false"},
    {"529", 529, "overloaded_error", "", "", ""},
    {"500", 500, "api_error", "", "", ""},
    {"503:should-retry=true", 503, "api_error", "", "", "true"},
    {"504", 504, "timeout_error", "", "", ""},
    {"400", 400, "invalid_request_error", "", "", "false"},
    {"401", 401, "authentication_error", "", "", "false"},
    {"402", 402, "billing_error", "", "", "false"},
    {"403", 403, "permission_error", "", "", "false"},
    {"404", 404, "not_found_error", "", "", "false"},
    {"409", 409, "conflict_error", "", "", "false"},
    {"413", 413, "request_too_large", "", "", "false"},
    {"html502", 502, NULL, "", "", ""},
    {"html413", 413, NULL, "", "", ""},
};

static void expect_header(const struct http_reply *r, const char *name, const char *value)
{
    char have[256];
    assert_string_equal(http_header(r, name, have), value);
}

static void error_answers_come_with_their_headers(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(wholes); i++) {
        const struct whole *w = &wholes[i];
        struct ia_mock *m = start_double(ALWAYS_OK, w->fault);
        struct http_reply r;
        http_message(ia_mock_port(m), STREAM, &r);
        assert_int_equal(r.status, w->status);
        expect_header(&r, "retry-after", w->retry_after);
        expect_header(&r, "retry-after-ms", w->retry_after_ms);
        expect_header(&r, "x-should-retry", w->should_retry);
        expect_header(&r, "content-type", w->type ? "application/json" : "text/html");
        if (w->type) {
            json_t *j = http_json(&r);
            assert_string_equal(text_at(j, "error.type"), w->type);
            json_decref(j);
        } else {
            assert_non_null(strstr(ia_buf_cstr(&r.body), "<html>"));
        }
        http_reply_fini(&r);
        ia_mock_stop(m);
    }
}

static void a_spend_limit_names_its_code(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, "spend-limit");
    struct http_reply r;
    http_message(ia_mock_port(m), ASK, &r);
    json_t *j = http_json(&r);
    assert_string_equal(text_at(j, "error.details.error_code"), "enforced_spend_limit_reached");
    json_decref(j);
    http_reply_fini(&r);
    ia_mock_stop(m);
}

static void an_index_strikes_one_request_and_a_range_several(void **state)
{
    (void)state;
    static const int expected[] = {200, 429, 529, 529, 200};
    struct ia_mock *m = start_double(ALWAYS_OK, "429@2,529@3-4");
    for (size_t i = 0; i < IA_COUNTOF(expected); i++) {
        struct http_reply r;
        http_message(ia_mock_port(m), ASK, &r);
        assert_int_equal(r.status, expected[i]);
        http_reply_fini(&r);
    }
    assert_int_equal(counted(m, "faults.429"), 1);
    assert_int_equal(counted(m, "faults.529"), 2);
    assert_int_equal(counted(m, "answered"), 2);
    ia_mock_stop(m);
}

static void a_probability_strikes_its_share(void **state)
{
    (void)state;
    struct ia_mock_faults f;
    int hits = 0;
    uint64_t rnd = 1;
    assert_int_equal(ia_mock_faults_parse("529:0.3", &f, NULL), IA_OK);
    for (int i = 1; i <= 10000; i++) {
        rnd = rnd * UINT64_C(6364136223846793005) + 1442695040888963407;
        hits += ia_mock_faults_pick(&f, i, rnd) != NULL;
    }
    assert_in_range(hits, 2800, 3200);
    assert_int_equal(ia_mock_faults_parse("529:0.0", &f, NULL), IA_OK);
    assert_null(ia_mock_faults_pick(&f, 1, 0));
    assert_int_equal(ia_mock_faults_parse("529:1.0", &f, NULL), IA_OK);
    assert_non_null(ia_mock_faults_pick(&f, 1, UINT64_MAX));
}

/* How many events the undisturbed stream has. */
static size_t whole_frames(void)
{
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    struct http_reply r;
    http_message(ia_mock_port(m), STREAM, &r);
    json_t *j = http_stream(&r);
    size_t n = json_array_size(json_object_get(j, "events"));
    json_decref(j);
    http_reply_fini(&r);
    ia_mock_stop(m);
    return n;
}

static size_t frames_in(const struct http_reply *r)
{
    size_t n = 0;
    for (const char *p = ia_buf_cstr(&r->body); (p = strstr(p, "\n\n")); p += 2) {
        n++;
    }
    return n;
}

static void a_cut_comes_after_every_frame_that_is_asked_for(void **state)
{
    (void)state;
    size_t all = whole_frames();
    assert_true(all > 5);
    for (size_t frame = 0; frame < all; frame++) {
        char fault[32];
        struct http_reply r;
        snprintf(fault, sizeof(fault), "cut:%zu", frame);
        struct ia_mock *m = start_double(ALWAYS_OK, fault);
        http_message(ia_mock_port(m), STREAM, &r);
        assert_int_equal(r.status, 200);
        assert_int_equal(r.end, HTTP_CLOSED);
        assert_int_equal(frames_in(&r), frame);
        http_reply_fini(&r);
        ia_mock_stop(m);
    }
}

static void a_cut_never_leaves_a_complete_message(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, "cut:1000");
    struct http_reply r;
    http_message(ia_mock_port(m), STREAM, &r);
    assert_int_equal(r.end, HTTP_CLOSED);
    assert_null(strstr(ia_buf_cstr(&r.body), "message_stop"));
    http_reply_fini(&r);
    http_message(ia_mock_port(m), ASK, &r);
    assert_int_equal(r.end, HTTP_CLOSED);
    assert_true(r.body.len > 0);
    http_reply_fini(&r);
    ia_mock_stop(m);
}

static void a_reset_comes_before_any_answer_or_in_its_middle(void **state)
{
    (void)state;
    static const char *const faults[] = {"reset", "reset:3"};
    for (size_t i = 0; i < IA_COUNTOF(faults); i++) {
        struct ia_mock *m = start_double(ALWAYS_OK, faults[i]);
        struct http_reply r;
        http_message(ia_mock_port(m), STREAM, &r);
        assert_int_equal(r.status, i == 0 ? 0 : 200);
        assert_int_equal(r.end, HTTP_RESET);
        assert_int_equal(frames_in(&r), i == 0 ? 0 : 3);
        http_reply_fini(&r);
        ia_mock_stop(m);
    }
}

static void an_error_event_ends_the_stream(void **state)
{
    (void)state;
    static const char *const types[] = {"overloaded_error", "api_error"};
    static const char *const faults[] = {"error-event", "error-event:4:type=api_error"};
    for (size_t i = 0; i < IA_COUNTOF(faults); i++) {
        char words[80];
        struct ia_mock *m = start_double(ALWAYS_OK, faults[i]);
        struct http_reply r;
        http_message(ia_mock_port(m), STREAM, &r);
        assert_int_equal(r.status, 200);
        assert_int_equal(r.end, HTTP_COMPLETE);
        snprintf(words, sizeof(words),
                 "event: error\ndata: {\"type\":\"error\",\"error\":{"
                 "\"type\":\"%s\"",
                 types[i]);
        assert_non_null(strstr(ia_buf_cstr(&r.body), words));
        assert_null(strstr(ia_buf_cstr(&r.body), "message_stop"));
        assert_int_equal(frames_in(&r), i == 0 ? 3 : 5);
        http_reply_fini(&r);
        ia_mock_stop(m);
    }
}

static void an_error_event_is_the_whole_answer_where_nothing_is_streamed(void **state)
{
    (void)state;
    static const struct {
        const char *fault, *type;
        int status;
    } rows[] = {{"error-event", "overloaded_error", 529},
                {"error-event:4:type=rate_limit_error", "rate_limit_error", 429},
                {"error-event:type=api_error", "api_error", 500}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_mock *m = start_double(ALWAYS_OK, rows[i].fault);
        struct http_reply r;
        http_message(ia_mock_port(m), ASK, &r);
        assert_int_equal(r.status, rows[i].status);
        json_t *body = json_loadb(r.body.p, r.body.len, 0, NULL);
        const json_t *error = json_object_get(body, "error");
        assert_string_equal(json_string_value(json_object_get(error, "type")), rows[i].type);
        json_decref(body);
        http_reply_fini(&r);
        ia_mock_stop(m);
    }
}

static void garbage_is_an_event_that_is_no_json(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, "garbage:3");
    struct http_reply r;
    http_message(ia_mock_port(m), STREAM, &r);
    assert_non_null(strstr(ia_buf_cstr(&r.body), "data: {\"type\":\"content_blo\n\n"));
    http_reply_fini(&r);
    ia_mock_stop(m);
}

static void a_stall_goes_on_after_its_time(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, "stall:3:ms=60");
    struct http_reply r;
    int64_t before = ia_mono_us(ia_clock_system());
    http_message(ia_mock_port(m), STREAM, &r);
    assert_int_equal(r.end, HTTP_COMPLETE);
    assert_true(ia_mono_us(ia_clock_system()) - before >= 60000);
    json_decref(http_stream(&r));
    http_reply_fini(&r);
    ia_mock_stop(m);
}

static void an_endless_stall_is_silent_and_stops_with_the_double(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, "stall:3");
    struct http_reply r;
    char *body = quotes(STREAM);
    int fd = http_connect(ia_mock_port(m));
    http_send(fd, "POST", "/v1/messages", &http_good, ia_str(body));
    http_receive(fd, 100, &r);
    assert_int_equal(r.end, HTTP_SILENT);
    assert_int_equal(frames_in(&r), 3);
    http_reply_fini(&r);
    int64_t before = ia_mono_us(ia_clock_system());
    ia_mock_stop(m);
    assert_true(ia_mono_us(ia_clock_system()) - before < 2000000);
    close(fd);
    free(body);
}

static void latency_and_pace_take_their_time(void **state)
{
    (void)state;
    struct ia_mock *m;
    struct ia_err err;
    char *script = quotes(ALWAYS_OK);
    const struct ia_mock_options opt = {
        .brain = IA_MOCK_SCRIPT, .script = script, .seed = 1, .latency_ms = 50, .pace_ms = 10};
    size_t frames = whole_frames();
    assert_int_equal(ia_mock_start(&opt, &m, &err), IA_OK);
    struct http_reply r;
    int64_t before = ia_mono_us(ia_clock_system());
    http_message(ia_mock_port(m), STREAM, &r);
    assert_int_equal(r.end, HTTP_COMPLETE);
    assert_true(ia_mono_us(ia_clock_system()) - before >=
                50000 + (int64_t)(frames - 3) * 10000);
    http_reply_fini(&r);
    ia_mock_stop(m);
    free(script);
}

static void mistakes_in_a_fault_list_are_shown_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *words;
    } cases[] = {
        {"428", "position 1: unknown fault"},
        {"429,", "position 5: expected a fault"},
        {"429@0", "position 5: expected a request number"},
        {"429@", "position 5: expected a request number"},
        {"429@3-2", "position 7: expected the end of a range"},
        {"429:2", "position 5: a probability needs a decimal point"},
        {"429:1.5", "a probability from 0.0 to 1.0"},
        {"429:0.5.5", "a probability from 0.0 to 1.0"},
        {"cut:x", "position 5: unknown argument"},
        {"cut:99999999999", "expected a frame number"},
        {"429:retry-after=x", "position 17: expected seconds"},
        {"429:should-retry=maybe", "true or false"},
        {"cut:type=api_error", "unknown argument"},
        {"529@1x", "a comma, a colon or the end"},
    };
    struct ia_mock_faults f;
    struct ia_err err;
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        assert_int_equal(ia_mock_faults_parse(cases[i].spec, &f, &err), IA_E_USAGE);
        if (!strstr(err.msg, cases[i].words)) {
            fail_msg("%s: %s", cases[i].spec, err.msg);
        }
    }
    assert_int_equal(ia_mock_faults_parse(NULL, &f, &err), IA_OK);
    assert_int_equal(f.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_answers_come_with_their_headers),
        cmocka_unit_test(a_spend_limit_names_its_code),
        cmocka_unit_test(an_index_strikes_one_request_and_a_range_several),
        cmocka_unit_test(a_probability_strikes_its_share),
        cmocka_unit_test(a_cut_comes_after_every_frame_that_is_asked_for),
        cmocka_unit_test(a_cut_never_leaves_a_complete_message),
        cmocka_unit_test(a_reset_comes_before_any_answer_or_in_its_middle),
        cmocka_unit_test(an_error_event_ends_the_stream),
        cmocka_unit_test(an_error_event_is_the_whole_answer_where_nothing_is_streamed),
        cmocka_unit_test(garbage_is_an_event_that_is_no_json),
        cmocka_unit_test(a_stall_goes_on_after_its_time),
        cmocka_unit_test(an_endless_stall_is_silent_and_stops_with_the_double),
        cmocka_unit_test(latency_and_pace_take_their_time),
        cmocka_unit_test(mistakes_in_a_fault_list_are_shown_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
