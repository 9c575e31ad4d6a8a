/* Summaries on demand: what the double writes, what it counts for it, and what a conversation that goes
 * on from one may look like. */
#include "test.h"

#include "fixture.h"
#include "requests.h"

#include <stdio.h>

#define BETA .beta = "compact-2026-09-04"
#define BIG "'model':'claude-sonnet-5-5','max_tokens':4000"
#define ASK "'compaction':{'type':'summarize'}"
#define TALK MSG(ASKED(USE("t1")) "," USER(RESULT("t1")))

static const struct http_headers with_beta = {KEY, V23, JSON, BETA};

static json_t *ask(struct ia_mock *m, const struct http_headers *h, const char *body,
                   int *ret_status)
{
    struct http_reply r;
    char *text = quotes(body);
    http_call(ia_mock_port(m), "POST", "/v1/messages", h, text, &r);
    json_t *j = http_json(&r);
    *ret_status = r.status;
    http_reply_fini(&r);
    free(text);
    return j;
}

static void a_summary_is_one_signed_block_and_counts_as_an_iteration_alone(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    int status;
    json_t *j = ask(m, &with_beta, "{" BIG "," ASK "," TALK "}", &status);
    assert_int_equal(status, 200);
    assert_string_equal(text_at(j, "stop_reason"), "compaction");
    assert_int_equal(json_array_size(json_object_get(j, "content")), 1);
    assert_string_equal(text_at(j, "content.0.type"), "compaction");
    assert_non_null(strstr(text_at(j, "content.0.content"), "Asked: hi"));
    assert_non_null(strstr(text_at(j, "content.0.content"), "tap {}"));
    assert_int_equal(json_at(j, "usage.input_tokens"), 0);
    assert_int_equal(json_at(j, "usage.output_tokens"), 0);
    assert_string_equal(text_at(j, "usage.iterations.0.type"), "compaction");
    assert_true(json_at(j, "usage.iterations.0.input_tokens") > 0);
    assert_true(json_at(j, "usage.iterations.0.output_tokens") > 0);
    assert_true(json_at(j, "usage.iterations.0.cache_creation.ephemeral_5m_input_tokens") >= 0);
    json_decref(j);
    /* Without room for it there is no block, and the conversation is as it was. */
    j = ask(m, &with_beta, "{'model':'claude-sonnet-5-5','max_tokens':3," ASK "," TALK "}",
            &status);
    assert_int_equal(status, 200);
    assert_string_equal(text_at(j, "stop_reason"), "max_tokens");
    assert_int_equal(json_array_size(json_object_get(j, "content")), 0);
    json_decref(j);
    ia_mock_stop(m);
}

/* A block of the double's, with ' for ". */
static char *block_of(struct ia_mock *m)
{
    int status;
    json_t *j = ask(m, &with_beta, "{" BIG "," ASK "," MSG(U) "}", &status);
    json_t *block = json_array_get(json_object_get(j, "content"), 0);
    char *text = json_dumps(block, JSON_COMPACT);
    for (char *p = text; *p; p++) {
        *p = *p == '"' ? '\'' : *p;
    }
    json_decref(j);
    return text;
}

static void a_conversation_goes_on_from_a_block_that_stands_first(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    char *block = block_of(m);
    char *altered = ia_strdup(block);
    memcpy(strstr(altered, "Asked"), "Asken", 5);
    static const struct {
        const char *form; /* %s: the block, or the altered one */
        bool beta, altered;
        int status;
        const char *words;
    } rows[] = {
        {"{" M "," MSG("{'role':'assistant','content':[%s]}," U) "}", true, false, 200, ""},
        {"{" M "," MSG("{'role':'assistant','content':[%s]}," U) "}", false, false, 400,
         "does not match any of the expected tags"},
        {"{" M "," MSG("{'role':'assistant','content':[%s]}," U) "}", true, true, 400,
         "Invalid `signature` in `compaction` block"},
        {"{" M "," MSG(U ",{'role':'assistant','content':[%s]}," U) "}", true, false, 400,
         "must be first"},
        {"{" M "," MSG("{'role':'assistant','content':[%s]}") "}", true, false, 400,
         "must end with a user message"},
        {"{" BIG "," ASK "," MSG("{'role':'assistant','content':[%s]}," U) "}", true, false,
         200, ""},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf body = IA_BUF(1 << 16);
        const char *at = strstr(rows[i].form, "%s");
        ia_buf_printf(&body, "%.*s%s%s", (int)(at - rows[i].form), rows[i].form,
                      rows[i].altered ? altered : block, at + 2);
        static const struct http_headers without = {KEY, V23, JSON};
        int status;
        json_t *j = ask(m, rows[i].beta ? &with_beta : &without, ia_buf_cstr(&body), &status);
        const char *said = status == 200 ? "" : text_at(j, "error.message");
        if (status != rows[i].status || !strstr(said, rows[i].words)) {
            fail_msg("row %zu: %d %s", i, status, said);
        }
        json_decref(j);
        ia_buf_fini(&body);
    }
    free(altered);
    free(block);
    ia_mock_stop(m);
}

static void what_a_summary_cannot_be_asked_with_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *body, *words;
    } rows[] = {
        {"{" BIG ",'compaction':{'type':'shorten'}," MSG(U) "}", "compaction.type"},
        {"{" BIG ",'compaction':{'type':'summarize','keep':3}," MSG(U) "}", "compaction.keep"},
        {"{" BIG ",'compaction':{'type':'summarize','instructions':7}," MSG(U) "}",
         "compaction.instructions"},
        {"{" BIG "," ASK ",'stop_sequences':['x']," MSG(U) "}", "stop_sequences"},
        {"{" BIG "," ASK
         ",'output_config':{'format':{'type':'json_schema','schema':{}}}," MSG(U) "}",
         "output_config.format"},
        {"{" OLD "," ASK "," MSG(U) "}", "does not support compaction"},
        {"{" BIG "," ASK "," MSG(ASKED(USE("t1"))) "}", "without `tool_result`"},
    };
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        int status;
        json_t *j = ask(m, &with_beta, rows[i].body, &status);
        if (status != 400 || !strstr(text_at(j, "error.message"), rows[i].words)) {
            fail_msg("row %zu: %d %s", i, status, text_at(j, "error.message"));
        }
        json_decref(j);
    }
    int status;
    json_t *j = ask(m, &http_good, "{" BIG "," ASK "," MSG(U) "}", &status);
    assert_int_equal(status, 400);
    assert_non_null(strstr(text_at(j, "error.message"), "compaction: Extra inputs"));
    json_decref(j);
    ia_mock_stop(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_summary_is_one_signed_block_and_counts_as_an_iteration_alone),
        cmocka_unit_test(a_conversation_goes_on_from_a_block_that_stands_first),
        cmocka_unit_test(what_a_summary_cannot_be_asked_with_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
