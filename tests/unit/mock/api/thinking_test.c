/* Thinking that the double sent must come back as it was, as long as its tool loop lasts. */
#include "test.h"

#include "fixture.h"

static const char script[] =
    "{'turns':[{'match':{'turn':0},'blocks':[{'thinking':'Where is it? — 日本'},"
    "{'redacted_thinking':'opaque'},{'text':'Looking.'},"
    "{'tool_use':'tap','input':{'ref':1,'more':{'b':1,'a':2}}}]},"
    "{'match':{'turn':[1,9]},'blocks':[{'text':'done'}]}]}";

struct talk {
    struct ia_mock *m;
    const char *model;
    const char *system;
    const char *beta;
    json_t *extra;    /* merged into the request */
    json_t *messages; /* as the client keeps them */
};

static void say(struct talk *t, const char *role, json_t *content)
{
    json_array_append_new(t->messages,
                          json_pack("{s:s, s:o}", "role", role, "content", content));
}

static void talk_start(struct talk *t, const char *model)
{
    *t = (struct talk){.m = start_double(script, NULL), .model = model, .system = "Be brief."};
    t->messages = json_array();
    say(t, "user", json_string("find it"));
}

static void talk_end(struct talk *t)
{
    json_decref(t->extra);
    json_decref(t->messages);
    ia_mock_stop(t->m);
}

/* Sends the conversation; the caller owns *ret_json. Returns the status. */
static int send_talk(struct talk *t, json_t **ret_json)
{
    struct http_reply r;
    struct http_headers h = http_good;
    json_t *req = json_pack("{s:s, s:i, s:s, s:O}", "model", t->model, "max_tokens", 2000,
                            "system", t->system, "messages", t->messages);
    if (t->extra) {
        json_object_update(req, t->extra);
    }
    char *body = json_dumps(req, 0);
    h.beta = t->beta;
    http_call(ia_mock_port(t->m), "POST", "/v1/messages", &h, body, &r);
    *ret_json = http_json(&r);
    int status = r.status;
    http_reply_fini(&r);
    free(body);
    json_decref(req);
    return status;
}

/* One turn: the answer is appended as it is, then a result for its tool call. */
static void take_turn(struct talk *t)
{
    json_t *answer;
    assert_int_equal(send_talk(t, &answer), 200);
    json_t *content = json_object_get(answer, "content");
    const char *id = text_at(answer, "content.3.id");
    assert_string_equal(text_at(answer, "content.0.type"), "thinking");
    json_t *results = json_pack("[{s:s, s:s, s:s}]", "type", "tool_result", "tool_use_id", id,
                                "content", "tapped");
    say(t, "assistant", json_incref(content));
    say(t, "user", results);
    json_decref(answer);
}

static json_t *block_at(struct talk *t, size_t message, size_t block)
{
    return json_array_get(json_object_get(json_array_get(t->messages, message), "content"),
                          block);
}

static void expect_refused(struct talk *t, const char *reason, const char *words)
{
    json_t *j;
    char path[80];
    snprintf(path, sizeof(path), "rejected.%s", reason);
    long long before = counted(t->m, path);
    int status = send_talk(t, &j);
    if (status != 400 || !strstr(text_at(j, "error.message"), words)) {
        fail_msg("status %d: %s", status, text_at(j, "error.message"));
    }
    assert_int_equal(counted(t->m, path), before + 1);
    json_decref(j);
}

static void expect_answered(struct talk *t)
{
    json_t *j;
    int status = send_talk(t, &j);
    if (status != 200) {
        fail_msg("status %d: %s", status, text_at(j, "error.message"));
    }
    json_decref(j);
}

static void unchanged_thinking_is_accepted(void **state)
{
    (void)state;
    struct talk t;
    talk_start(&t, "claude-sonnet-5-5");
    take_turn(&t);
    expect_answered(&t);
    talk_end(&t);
}

/* The same value with the members of every object in reverse. */
static json_t *reversed(const json_t *j)
{
    const char *key, *keys[64];
    json_t *value, *out = json_is_array(j) ? json_array() : json_object();
    size_t i, n = 0;
    if (!json_is_array(j) && !json_is_object(j)) {
        json_decref(out);
        return json_deep_copy(j);
    }
    json_array_foreach(j, i, value)
    {
        json_array_append_new(out, reversed(value));
    }
    json_object_foreach((json_t *)j, key, value)
    {
        assert_true(n < IA_COUNTOF(keys));
        keys[n++] = key;
    }
    while (n-- > 0) {
        json_object_set_new(out, keys[n], reversed(json_object_get(j, keys[n])));
    }
    return out;
}

static void a_client_may_reorder_members_on_every_model(void **state)
{
    (void)state;
    static const char *const models[] = {"claude-sonnet-5-5", "claude-opus-5-5",
                                         "claude-opus-4-8"};
    for (size_t i = 0; i < IA_COUNTOF(models); i++) {
        struct talk t;
        talk_start(&t, models[i]);
        take_turn(&t);
        json_t *messages = reversed(t.messages);
        json_decref(t.messages);
        t.messages = messages;
        expect_answered(&t);
        /* Another value is still another conversation. */
        json_object_set_new(block_at(&t, 1, 1), "more", json_true());
        expect_refused(&t, "thinking_altered", "messages.1.content.1: ");
        talk_end(&t);
    }
}

static void altered_text_or_signature_is_refused(void **state)
{
    (void)state;
    static const char *const keys[] = {"thinking", "signature"};
    for (size_t i = 0; i < 2; i++) {
        struct talk t;
        talk_start(&t, "claude-opus-4-8");
        take_turn(&t);
        json_object_set_new(block_at(&t, 1, 0), keys[i], json_string("something else"));
        if (i == 0) {
            expect_refused(&t, "thinking_altered",
                           "messages.1.content.0: `thinking` or `redacted_thinking` blocks in "
                           "the latest assistant message cannot be modified.");
        } else {
            expect_refused(&t, "thinking_signature", "Invalid `signature` in `thinking` block");
        }
        talk_end(&t);
    }
}

static void altered_redacted_thinking_is_refused(void **state)
{
    (void)state;
    struct talk t;
    talk_start(&t, "claude-opus-4-8");
    take_turn(&t);
    const char *data = text_at(block_at(&t, 1, 1), "data");
    json_object_set_new(block_at(&t, 1, 1), "data", json_sprintf("%sx", data));
    expect_refused(&t, "thinking_altered", "messages.1.content.1");
    talk_end(&t);
}

static void missing_thinking_in_the_tool_loop_is_refused(void **state)
{
    (void)state;
    struct talk t;
    talk_start(&t, "claude-sonnet-5-5");
    take_turn(&t);
    json_t *content = json_object_get(json_array_get(t.messages, 1), "content");
    json_array_remove(content, 1);
    expect_refused(
        &t, "thinking_altered",
        "messages.1.content.1: `thinking` or `redacted_thinking` blocks in the latest "
        "assistant message cannot be modified");
    json_array_remove(content, 0);
    expect_refused(&t, "thinking_missing",
                   "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but "
                   "found `text`");
    talk_end(&t);
}

static void thinking_of_an_earlier_loop_may_be_dropped(void **state)
{
    (void)state;
    struct talk t;
    talk_start(&t, "claude-sonnet-5-5");
    take_turn(&t);
    say(&t, "assistant", json_string("Found it."));
    say(&t, "user", json_string("and now the other one"));
    json_t *content = json_object_get(json_array_get(t.messages, 1), "content");
    json_array_remove(content, 1);
    json_array_remove(content, 0);
    expect_answered(&t);
    talk_end(&t);
}

static void a_changed_conversation_breaks_the_binding_where_there_is_one(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        bool bound;
    } models[] = {
        {"claude-sonnet-5-5", true}, {"claude-opus-5-5", true}, {"claude-opus-4-8", false}};
    for (size_t i = 0; i < IA_COUNTOF(models); i++) {
        struct talk t;
        talk_start(&t, models[i].model);
        take_turn(&t);
        t.system = "Be verbose.";
        if (models[i].bound) {
            expect_refused(&t, "thinking_bound",
                           "messages.1.content.0: Invalid `signature` in `thinking` block. The "
                           "block is bound to a different conversation");
        } else {
            expect_answered(&t);
        }
        talk_end(&t);
    }
}

static void moving_cache_control_and_changing_effort_keep_the_binding(void **state)
{
    (void)state;
    struct talk t;
    talk_start(&t, "claude-sonnet-5-5");
    take_turn(&t);
    json_object_set_new(block_at(&t, 2, 0), "cache_control",
                        json_pack("{s:s}", "type", "ephemeral"));
    t.extra = json_pack("{s:{s:s}, s:i}", "output_config", "effort", "low", "max_tokens", 3000);
    expect_answered(&t);
    talk_end(&t);
}

static void a_client_recovers_by_dropping_mismatched_blocks(void **state)
{
    (void)state;
    struct talk t;
    talk_start(&t, "claude-sonnet-5-5");
    take_turn(&t);
    t.system = "Be verbose.";
    t.extra = json_pack("{s:{s:s, s:{s:s}}}", "thinking", "type", "adaptive", "block_binding",
                        "prefix_mismatch_behavior", "drop_block");
    expect_refused(&t, "thinking_bound", "bound to a different conversation");
    t.beta = "thinking-binding-controls-2026-08-01";
    expect_answered(&t);
    talk_end(&t);
}

static void a_client_recovers_by_leaving_all_thinking_out(void **state)
{
    (void)state;
    struct talk t;
    talk_start(&t, "claude-sonnet-5-5");
    take_turn(&t);
    t.system = "Be verbose.";
    expect_refused(&t, "thinking_bound", "bound to a different conversation");
    json_t *content = json_object_get(json_array_get(t.messages, 1), "content");
    json_array_remove(content, 1);
    json_array_remove(content, 0);
    expect_answered(&t);
    talk_end(&t);
}

static void blocks_of_another_model_are_ignored(void **state)
{
    (void)state;
    struct talk t;
    talk_start(&t, "claude-opus-5-5");
    take_turn(&t);
    t.model = "claude-sonnet-5-5";
    t.system = "Be verbose.";
    expect_answered(&t);
    talk_end(&t);
}

static void a_paused_turn_may_be_sent_back_unchanged(void **state)
{
    (void)state;
    struct ia_mock *m = start_double("{'turns':[{'blocks':[{'text':'half'}],'stop_reason':"
                                     "'pause_turn'},{'blocks':[{'text':'whole'}]}]}",
                                     NULL);
#define BACK(text)                                                                             \
    "{'model':'claude-sonnet-5-5','max_tokens':9,'messages':[{'role':'user','content':'x'},"   \
    "{'role':'assistant','content':[{'type':'text','text':'" text "'}]}]}"
    struct http_reply r;
    http_message(ia_mock_port(m), BACK("half"), &r);
    assert_int_equal(r.status, 400);
    http_reply_fini(&r);
    http_message(ia_mock_port(m),
                 "{'model':'claude-sonnet-5-5','max_tokens':9,'messages':[{'role':'user',"
                 "'content':'x'}]}",
                 &r);
    http_reply_fini(&r);
    http_message(ia_mock_port(m), BACK("half"), &r);
    assert_int_equal(r.status, 200);
    http_reply_fini(&r);
    http_message(ia_mock_port(m), BACK("another"), &r);
    assert_int_equal(r.status, 400);
    http_reply_fini(&r);
    ia_mock_stop(m);
}

static void a_paused_turn_may_come_back_with_its_members_in_another_order(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(
        "{'turns':[{'blocks':[{'raw':{'type':'server_tool_use','id':'srvtoolu_1','name':"
        "'web_search','input':{'query':'x','max':3}}}],'stop_reason':'pause_turn'},"
        "{'blocks':[{'text':'whole'}]}]}",
        NULL);
    static const struct {
        const char *block;
        int status;
    } rows[] = {
        {"{'input':{'max':3,'query':'x'},'name':'web_search','id':'srvtoolu_1','type':"
         "'server_tool_use'}",
         200},
        {"{'input':{'max':4,'query':'x'},'name':'web_search','id':'srvtoolu_1','type':"
         "'server_tool_use'}",
         400},
    };
    struct http_reply r;
    http_message(ia_mock_port(m),
                 "{'model':'claude-sonnet-5-5','max_tokens':9,'messages':[{'role':'user',"
                 "'content':'x'}]}",
                 &r);
    assert_int_equal(r.status, 200);
    http_reply_fini(&r);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf body = IA_BUF(4096);
        ia_buf_printf(&body,
                      "{'model':'claude-sonnet-5-5','max_tokens':9,'messages':[{'role':'user',"
                      "'content':'x'},{'role':'assistant','content':[%s]}]}",
                      rows[i].block);
        http_message(ia_mock_port(m), ia_buf_cstr(&body), &r);
        assert_int_equal(r.status, rows[i].status);
        http_reply_fini(&r);
        ia_buf_fini(&body);
    }
    ia_mock_stop(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unchanged_thinking_is_accepted),
        cmocka_unit_test(altered_text_or_signature_is_refused),
        cmocka_unit_test(altered_redacted_thinking_is_refused),
        cmocka_unit_test(missing_thinking_in_the_tool_loop_is_refused),
        cmocka_unit_test(thinking_of_an_earlier_loop_may_be_dropped),
        cmocka_unit_test(a_changed_conversation_breaks_the_binding_where_there_is_one),
        cmocka_unit_test(moving_cache_control_and_changing_effort_keep_the_binding),
        cmocka_unit_test(a_client_recovers_by_dropping_mismatched_blocks),
        cmocka_unit_test(a_client_recovers_by_leaving_all_thinking_out),
        cmocka_unit_test(blocks_of_another_model_are_ignored),
        cmocka_unit_test(a_paused_turn_may_be_sent_back_unchanged),
        cmocka_unit_test(a_paused_turn_may_come_back_with_its_members_in_another_order),
        cmocka_unit_test(a_client_may_reorder_members_on_every_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
