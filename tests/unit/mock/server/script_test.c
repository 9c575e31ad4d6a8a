/* Scripts: which turn answers, what it may say, and what is wrong with a script. */
#include "test.h"

#include "fixture.h"
#include "mock/server/script.h"

#define HEAD "{'model':'claude-sonnet-5-5','max_tokens':99,"
#define ASK(messages) HEAD "'messages':[" messages "]}"
#define U(text) "{'role':'user','content':'" text "'}"
#define A(text) "{'role':'assistant','content':'" text "'}"
#define USED(name)                                                                             \
    "{'role':'assistant','content':[{'type':'tool_use','id':'t1','name':'" name                \
    "','input':{}}]}"
#define GOT(text)                                                                              \
    "{'role':'user','content':[{'type':'tool_result','tool_use_id':'t1','content':'" text "'}" \
    "]}"
#define SAYS(text) "'blocks':[{'text':'" text "'}]"

/* The text of the first block of the answer, or "STATUS message". Free with free(). */
static char *answer_to(struct ia_mock *m, const char *body)
{
    struct http_reply r;
    http_message(ia_mock_port(m), body, &r);
    json_t *j = http_json(&r);
    json_t *text = r.status == 200
                       ? json_sprintf("%s", text_at(j, "content.0.text"))
                       : json_sprintf("%d %s", r.status, text_at(j, "error.message"));
    char *copy = ia_strdup(json_string_value(text));
    json_decref(text);
    json_decref(j);
    http_reply_fini(&r);
    return copy;
}

static void expect_answer(struct ia_mock *m, const char *body, const char *expected)
{
    char *text = answer_to(m, body);
    assert_string_equal(text, expected);
    free(text);
}

static void turns_answer_in_sequence_by_the_assistant_turns_so_far(void **state)
{
    (void)state;
    struct ia_mock *m =
        start_double("{'turns':[{" SAYS("one") "},{'repeat':2," SAYS("two") "},{" SAYS(
                         "three") "}],'default':{" SAYS("else") "}}",
                     NULL);
    expect_answer(m, ASK(U("x")), "one");
    expect_answer(m, ASK(U("x")), "one");
    expect_answer(m, ASK(U("x") "," A("a") "," U("y")), "two");
    expect_answer(m, ASK(U("x") "," A("a") "," U("y") "," A("b") "," U("z")), "two");
    expect_answer(m,
                  ASK(U("x") "," A("a") "," U("y") "," A("b") "," U("z") "," A("c") "," U("y")),
                  "three");
    expect_answer(m,
                  ASK(U("x") "," A("a") "," U("y") "," A("b") "," U("z") "," A("c") "," U(
                      "y") "," A("d") "," U("y")),
                  "else");
    ia_mock_stop(m);
}

static void conditions_choose_a_turn(void **state)
{
    (void)state;
    static const struct {
        const char *match, *answer;
    } turns[] = {
        {"'result_contains':['login','failed']", "both"},
        {"'tool':'snapshot'", "after a snapshot"},
        {"'user_text':'continue'", "nudged"},
        {"'system_contains':'pirate'", "arr"},
        {"'model':'claude-opus-5-5'", "opus"},
        {"'turn':[2,3]", "late"},
        {"'is_error':true", "error"},
        {"'any_text':'goal'", "has the goal"},
        {"", "anything"},
    };
    struct ia_buf script = IA_BUF(4096);
    for (size_t i = 0; i < IA_COUNTOF(turns); i++) {
        ia_buf_printf(&script, "%s{'match':{%s}," SAYS("%s") "}", i ? "," : "{'turns':[",
                      turns[i].match, turns[i].answer);
    }
    ia_buf_puts(&script, "]}");
    struct ia_mock *m = start_double(ia_buf_cstr(&script), NULL);
    expect_answer(m, ASK(U("x") "," USED("tap") "," GOT("login has failed")), "both");
    expect_answer(m, ASK(U("x") "," USED("tap") "," GOT("login")), "anything");
    expect_answer(m, ASK(U("x") "," USED("snapshot") "," GOT("y")), "after a snapshot");
    expect_answer(m, ASK(U("x") "," A("a") "," U("please continue")), "nudged");
    expect_answer(m, HEAD "'system':'be a pirate','messages':[" U("x") "]}", "arr");
    expect_answer(m, "{'model':'claude-opus-5-5','max_tokens':9,'messages':[" U("x") "]}",
                  "opus");
    expect_answer(m, ASK(U("x") "," A("a") "," U("y") "," A("b") "," U("z")), "late");
    expect_answer(m,
                  ASK(U("x") "," USED("tap") ",{'role':'user','content':[{'type':'tool_result',"
                                             "'tool_use_id':'t1','is_error':true}]}"),
                  "error");
    expect_answer(m, ASK(U("the goal") "," A("a") "," U("y")), "has the goal");
    ia_buf_fini(&script);
    ia_mock_stop(m);
}

static void a_verifiers_call_is_matched_apart(void **state)
{
    (void)state;
#define TOOLS(name) "'tools':[{'name':'" name "','input_schema':{'type':'object'}}],"
    struct ia_mock *m = start_double(
        "{'turns':[{" SAYS("actor") "},{'match':{'call':'verifier'}," SAYS("verifier") "}]}",
        NULL);
    expect_answer(m, HEAD TOOLS("verdict") "'messages':[" U("x") "]}", "verifier");
    expect_answer(m, HEAD TOOLS("finish") "'messages':[" U("x") "]}", "actor");
    ia_mock_stop(m);
}

static void a_request_that_nothing_matches_is_refused_with_what_was_seen(void **state)
{
    (void)state;
    char retry[256];
    struct ia_mock *m = start_double("{'turns':[{'match':{'turn':7}," SAYS("x") "}]}", NULL);
    struct http_reply r;
    http_message(ia_mock_port(m), ASK(U("hello") "," USED("tap") "," GOT("the screen")), &r);
    json_t *j = http_json(&r);
    const char *message = text_at(j, "error.message");
    assert_int_equal(r.status, 500);
    assert_string_equal(http_header(&r, "x-should-retry", retry), "false");
    assert_non_null(strstr(message, "no turn matches this actor request"));
    assert_non_null(strstr(message, "claude-sonnet-5-5"));
    assert_non_null(strstr(message, "1 assistant turns"));
    assert_non_null(strstr(message, "the screen"));
    assert_int_equal(counted(m, "unmatched"), 1);
    json_decref(j);
    http_reply_fini(&r);
    ia_mock_stop(m);
}

#define SCREEN                                                                                 \
    "step 0\\n<screen abc>\\ncom.apple.Preferences 402x874 #3fa2: Settings\\n"                 \
    "12 switch:on Airplane Mode\\n13 row Wi-Fi, Not Connected\\n14 button Add\\n</screen abc>"

static void refs_are_found_on_the_latest_screen(void **state)
{
    (void)state;
    static const char script[] =
        "{'turns':[{'repeat':true,'blocks':[{'tool_use':'tap','input':{"
        "'ref':'$ref(button \\'Add\\')','also':['$ref(switch)','from $ref(\\'Wi-Fi, Not "
        "Connected\\') on'],'deep':{'ref':'$ref(row \\'New\\')'}}}]}]}";
    struct ia_mock *m = start_double(script, NULL);
    struct http_reply r;
    http_message(ia_mock_port(m),
                 ASK(U(SCREEN) "," USED("tap") "," GOT(
                     "step 1 ok\\n<screen abc>\\n+ 77 row New\\n- 12 switch:on Airplane Mode\\n"
                     "+ 31 switch Dark\\n</screen abc>")),
                 &r);
    json_t *j = http_json(&r);
    assert_int_equal(json_at(j, "content.0.input.ref"), 14);
    assert_int_equal(json_at(j, "content.0.input.also.0"), 31);
    assert_string_equal(text_at(j, "content.0.input.also.1"), "from 13 on");
    assert_int_equal(json_at(j, "content.0.input.deep.ref"), 77);
    json_decref(j);
    http_reply_fini(&r);
    ia_mock_stop(m);
}

static void a_ref_that_is_not_there_fails_loudly(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(
        "{'turns':[{'blocks':[{'tool_use':'tap','input':{'ref':'$ref(button \\'Gone\\')'}}]}]}",
        NULL);
    char *text = answer_to(m, ASK(U(SCREEN)));
    assert_string_equal(text, "500 script: $ref(button \"Gone\") matches nothing on the latest "
                              "screen (3 elements)");
    free(text);
    ia_mock_stop(m);
}

static void an_answer_may_override_everything(void **state)
{
    (void)state;
    static const char script[] =
        "{'turns':[{'blocks':[{'text':'a'},{'tool_use':'tap','id':'toolu_own','input_raw':'{\\'"
        "a\\':'}],"
        "'stop_reason':'max_tokens','unfinished':true,'usage':{'output_tokens':99,"
        "'iterations':[]}}]}";
    struct ia_mock *m = start_double(script, NULL);
    struct http_reply r;
    http_message(ia_mock_port(m), HEAD "'stream':true,'messages':[" U("x") "]}", &r);
    const char *body = ia_buf_cstr(&r.body);
    assert_non_null(strstr(body, "\"stop_reason\":\"max_tokens\""));
    assert_non_null(strstr(body, "\"id\":\"toolu_own\""));
    assert_non_null(strstr(body, "\"output_tokens\":99"));
    assert_non_null(strstr(body, "\"iterations\":[]"));
    const char *stop = strstr(body, "event: content_block_stop");
    assert_non_null(stop);
    assert_null(strstr(stop + 1, "event: content_block_stop"));
    assert_null(strstr(body, "input_raw"));
    http_reply_fini(&r);
    ia_mock_stop(m);
}

static void raw_bytes_are_sent_as_they_are(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(
        "{'turns':[{'raw_sse':'event: odd\\ndata: 1\\n\\n: comment\\n\\ndata: [DONE]\\n\\n'}]}",
        NULL);
    struct http_reply r;
    http_message(ia_mock_port(m), HEAD "'stream':true,'messages':[" U("x") "]}", &r);
    assert_string_equal(ia_buf_cstr(&r.body),
                        "event: odd\ndata: 1\n\n: comment\n\ndata: [DONE]\n\n");
    http_reply_fini(&r);
    ia_mock_stop(m);
}

static void an_error_may_be_scripted(void **state)
{
    (void)state;
    struct ia_mock *m = start_double("{'turns':[{'error':{'status':400,'message':'prompt is "
                                     "too long: 2 tokens > 1 maximum'}}]}",
                                     NULL);
    expect_answer(m, ASK(U("x")), "400 prompt is too long: 2 tokens > 1 maximum");
    ia_mock_stop(m);
}

static void other_blocks_pass_through(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(
        "{'turns':[{'blocks':[{'raw':{'type':'server_tool_use','id':'srvtoolu_1','name':"
        "'web_search','input':{'query':'x'}}},{'raw':{'type':'novelty','a':1}}]}]}",
        NULL);
    struct http_reply r;
    http_message(ia_mock_port(m), HEAD "'stream':true,'messages':[" U("x") "]}", &r);
    json_t *j = http_stream(&r);
    assert_string_equal(text_at(j, "content.0.input.query"), "x");
    assert_string_equal(text_at(j, "content.1.type"), "novelty");
    json_decref(j);
    http_reply_fini(&r);
    ia_mock_stop(m);
}

static void the_demo_brain_may_answer_for_a_turn(void **state)
{
    (void)state;
    struct ia_mock *m = start_double("{'turns':[{'answer':'demo'}]}", NULL);
    char *text = answer_to(m, ASK(U("x")));
    assert_non_null(strstr(text, "do not reason"));
    free(text);
    ia_mock_stop(m);
}

static void mistakes_in_a_script_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *script, *words;
    } cases[] = {
        {"{'turns':[", "line 1, column 10"},
        {"{'turn':[]}", "unknown member \"turn\""},
        {"{'turns':{}}", "a list of at most"},
        {"[]", "top level"},
        {"{'turns':[1]}", "turn 0: must be an object"},
        {"{'turns':[{'blocks':[],'block':[]}]}", "unknown member \"block\""},
        {"{'turns':[{}]}", "turn 0: one of blocks, raw_sse, error or answer"},
        {"{'turns':[{'blocks':[],'answer':'demo'}]}", "one of blocks"},
        {"{'turns':[{'blocks':[]},{'blocks':[{'txt':'x'}]}]}", "turn 1, block 0"},
        {"{'turns':[{'blocks':[{'tool_use':'x','ref':1}]}]}", "unknown member \"ref\""},
        {"{'turns':[{'match':{'after':1},'blocks':[]}]}", "unknown condition \"after\""},
        {"{'turns':[{'match':{'turn':'1'},'blocks':[]}]}", "wrong type"},
        {"{'turns':[{'match':{'call':'judge'},'blocks':[]}]}", "unknown call \"judge\""},
        {"{'turns':[{'match':{},'repeat':2,'blocks':[]}]}",
         "repeat works only for turns without"},
        {"{'turns':[{'repeat':0,'blocks':[]}]}", "repeat must be"},
        {"{'turns':[{'answer':'human'}]}", "answer can only be"},
        {"{'turns':[{'error':{'status':200,'message':'x'}}]}", "error needs a status"},
        {"{'turns':[],'default':{'match':{},'blocks':[]}}", "it has no match"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_script *s;
        struct ia_err err;
        char *json = quotes(cases[i].script);
        assert_int_equal(ia_script_parse(ia_str(json), &s, &err), IA_E_PARSE);
        if (!strstr(err.msg, cases[i].words)) {
            fail_msg("%s: %s", json, err.msg);
        }
        free(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_answer_in_sequence_by_the_assistant_turns_so_far),
        cmocka_unit_test(conditions_choose_a_turn),
        cmocka_unit_test(a_verifiers_call_is_matched_apart),
        cmocka_unit_test(a_request_that_nothing_matches_is_refused_with_what_was_seen),
        cmocka_unit_test(refs_are_found_on_the_latest_screen),
        cmocka_unit_test(a_ref_that_is_not_there_fails_loudly),
        cmocka_unit_test(an_answer_may_override_everything),
        cmocka_unit_test(raw_bytes_are_sent_as_they_are),
        cmocka_unit_test(an_error_may_be_scripted),
        cmocka_unit_test(other_blocks_pass_through),
        cmocka_unit_test(the_demo_brain_may_answer_for_a_turn),
        cmocka_unit_test(mistakes_in_a_script_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
