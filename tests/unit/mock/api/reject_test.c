/* Each rule of a strict server is a row: the request that breaks it, the status, the words of
 * the error and the name under which it is counted. */
#include "test.h"

#include "fixture.h"
#include "requests.h"

struct row {
    const char *name;
    int status;
    const char *words;
    const char *reason;
    const char *body;            /* ' for " */
    struct http_headers headers; /* all NULL: good ones */
};

static const struct row rows[] = {
    /* authentication and version */
    {"no key", 401, "x-api-key header is required", "auth_missing", GOOD, {V23, JSON}},
    {"wrong key",
     401,
     "invalid x-api-key",
     "auth_wrong",
     GOOD,
     {.api_key = "other", V23, JSON}},
    {"wrong bearer",
     401,
     "Invalid bearer token",
     "auth_wrong",
     GOOD,
     {.authorization = "Bearer other", V23, JSON}},
    {"basic authorization",
     401,
     "Invalid bearer token",
     "auth_wrong",
     GOOD,
     {.authorization = "Basic dGVzdC1rZXk=", V23, JSON}},
    {"both",
     401,
     "must not both",
     "auth_both",
     GOOD,
     {KEY, .authorization = "Bearer test-key", V23, JSON}},
    {"no version", 400, "anthropic-version: header is required", "version", GOOD, {KEY, JSON}},
    {"odd version",
     400,
     "is not a valid version",
     "version",
     GOOD,
     {KEY, .version = "2024-01-01", JSON}},
    {"no content type", 400, "content-type", "content_type", GOOD, {KEY, V23}},
    /* shape */
    {"no JSON", 400, "not valid JSON", "json", "{" M ",", {0}},
    {"a list", 400, "valid dictionary", "json", "[]", {0}},
    {"a key twice", 400, "not valid JSON", "json", "{" M "," M "," MSG(U) "}", {0}},
    {"no model", 400, "model: Field required", "model", "{'max_tokens':1," MSG(U) "}", {0}},
    {"unknown model",
     404,
     "model: claude-9",
     "unknown_model",
     "{'model':'claude-9','max_tokens':1," MSG(U) "}",
     {0}},
    {"no max_tokens",
     400,
     "max_tokens: Field required",
     "max_tokens",
     "{'model':'claude-sonnet-5-5'," MSG(U) "}",
     {0}},
    {"max_tokens beyond the model",
     400,
     "128001 > 128000",
     "max_tokens",
     "{'model':'claude-sonnet-5-5','max_tokens':128001," MSG(U) "}",
     {0}},
    {"negative max_tokens",
     400,
     "max_tokens",
     "max_tokens",
     "{'model':'claude-sonnet-5-5','max_tokens':-1," MSG(U) "}",
     {0}},
    {"no messages", 400, "messages: Field required", "messages", "{" M "}", {0}},
    {"empty messages", 400, "at least one message", "messages", "{" M "," MSG("") "}", {0}},
    {"unknown field",
     400,
     "maxtokens: Extra inputs",
     "unknown_field",
     "{" M ",'maxtokens':1," MSG(U) "}",
     {0}},
    {"beta field without its header",
     400,
     "context_management: Extra inputs",
     "unknown_field",
     "{" M ",'context_management':{}," MSG(U) "}",
     {0}},
    {"stream as text", 400, "stream", "field_type", "{" M ",'stream':'yes'," MSG(U) "}", {0}},
    {"sampling with the new version",
     400,
     "temperature",
     "sampling",
     "{" M ",'temperature':1," MSG(U) "}",
     {KEY, V26, JSON}},
    {"unknown effort",
     400,
     "output_config.effort",
     "field_value",
     "{" M ",'output_config':{'effort':'huge'}," MSG(U) "}",
     {0}},
    /* roles and content */
    {"first message by the assistant",
     400,
     "first message must use the \"user\" role",
     "first_message",
     "{" M "," MSG("{'role':'assistant','content':'hi'}," U) "}",
     {0}},
    {"unknown role",
     400,
     "messages.1.role",
     "role",
     "{" M "," MSG(U ",{'role':'tool','content':'x'}") "}",
     {0}},
    {"system role first",
     400,
     "role 'system'",
     "system_role",
     "{" M "," MSG("{'role':'system','content':'x'}," U) "}",
     {0}},
    {"system role on a model without it",
     400,
     "role 'system'",
     "system_role",
     "{'model':'claude-sonnet-5','max_tokens':9," MSG(
         U ",{'role':'system','content':'x'}," U) "}",
     {0}},
    {"prefill",
     400,
     "does not support assistant message prefill",
     "prefill",
     "{" M "," MSG(U ",{'role':'assistant','content':'{'}") "}",
     {0}},
    {"empty content",
     400,
     "non-empty content",
     "empty_content",
     "{" M "," MSG("{'role':'user','content':[]}") "}",
     {0}},
    {"empty text block",
     400,
     "text content blocks must be non-empty",
     "empty_text",
     "{" M "," MSG(USER(TEXT(""))) "}",
     {0}},
    {"blank text block",
     400,
     "non-whitespace",
     "empty_text",
     "{" M "," MSG(USER(TEXT(" \\n"))) "}",
     {0}},
    {"empty text in a result",
     400,
     "non-empty",
     "empty_text",
     "{" M "," MSG(ASKED(USE("t1")) "," USER("{'type':'tool_result','tool_use_id':'t1',"
                                             "'content':[" TEXT("") "]}")) "}",
     {0}},
    {"empty system text",
     400,
     "non-empty",
     "empty_text",
     "{" M ",'system':[" TEXT("") "]," MSG(U) "}",
     {0}},
    {"unknown block",
     400,
     "'video'",
     "block",
     "{" M "," MSG(USER("{'type':'video'}")) "}",
     {0}},
    {"tool_use by the user",
     400,
     "`tool_use` blocks can not be in `user`",
     "block_role",
     "{" M "," MSG(USER(USE("t1"))) "}",
     {0}},
    {"document by the assistant",
     400,
     "`document` blocks",
     "document_role",
     "{" M "," MSG(ASKED("{'type':'document','source':{}}") "," U) "}",
     {KEY, V26, JSON}},
    {"citations by the user",
     400,
     "citations",
     "citations",
     "{" M "," MSG(USER("{'type':'text','text':'x','citations':[{}]}")) "}",
     {KEY, V26, JSON}},
    /* tools */
    {"tool name with a space",
     400,
     "tools.0.custom.name",
     "tool_name",
     "{" M ",'tools':[" TOOL("a b") "]," MSG(U) "}",
     {0}},
    {"tool name of 65",
     400,
     "{1,64}",
     "tool_name",
     "{" M ",'tools':[" TOOL(
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa") "]," MSG(U) "}",
     {0}},
    {"search tool of another name",
     400,
     "name: Input should be 'web_search'",
     "tool",
     "{" M ",'tools':[{'type':'web_search_20250305','name':'search'}]," MSG(U) "}",
     {0}},
    {"memory tool of another name",
     400,
     "name: Input should be 'memory'",
     "tool",
     "{" M ",'tools':[{'type':'memory_20250818','name':'files'}]," MSG(U) "}",
     {0}},
    {"search tool without uses",
     400,
     "max_uses: Input should be greater than 0",
     "tool",
     "{" M
     ",'tools':[{'type':'web_search_20250305','name':'web_search','max_uses':0}]," MSG(U) "}",
     {0}},
    {"search tool with two lists",
     400,
     "only one of",
     "tool",
     "{" M ",'tools':[{'type':'web_search_20250305','name':'web_search','allowed_domains':['a."
     "com'],'blocked_domains':['b.com']}]," MSG(U) "}",
     {0}},
    {"search without its result",
     400,
     "without a corresponding `web_search_tool_result`",
     "server_tool_use",
     "{" M "," MSG(ASKED("{'type':'server_tool_use','id':'srvtoolu_1','name':'web_search','"
                         "input':{'query':'x'}}") "," U) "}",
     {0}},
    {"result without its search",
     400,
     "unexpected `tool_use_id`",
     "server_tool_use",
     "{" M "," MSG(ASKED("{'type':'web_search_tool_result','tool_use_id':'srvtoolu_1','content'"
                         ":[{'type':'web_search_result','url':'https://e.com/"
                         "','title':'E','page_age':null,'encrypted_content':'x'}]}") "," U) "}",
     {0}},
    {"search id that the service does not make",
     400,
     "match pattern",
     "server_tool_use",
     "{" M "," MSG(ASKED("{'type':'server_tool_use','id':'toolu_1','name':'web_search','input':"
                         "{'query':'x'}}") "," U) "}",
     {0}},
    {"search result that was edited",
     400,
     "Invalid `encrypted_content`",
     "encrypted_content",
     "{" M
     "," MSG(ASKED("{'type':'server_tool_use','id':'srvtoolu_1','name':'web_search','input':{'"
                   "query':'x'}},{'type':'web_search_tool_result','tool_use_id':'srvtoolu_1','"
                   "content':[{'type':'web_search_result','url':'https://e.com/"
                   "','title':'E','page_age':null,'encrypted_content':'x'}]}") "," U) "}",
     {0}},
    {"citation that was edited",
     400,
     "Invalid `encrypted_index`",
     "encrypted_content",
     "{" M "," MSG(ASKED(
         "{'type':'text','text':'x','citations':[{'type':'web_search_result_location','url':'"
         "https://e.com/','title':'E','cited_text':'x','encrypted_index':'y'}]}") "," U) "}",
     {0}},
    {"two tools of one name",
     400,
     "Tool names must be unique",
     "tool_duplicate",
     "{" M ",'tools':[" TOOL("tap") "," TOOL("back") "," TOOL("tap") "]," MSG(U) "}",
     {0}},
    {"tool without schema",
     400,
     "input_schema: Field required",
     "tool_schema",
     "{" M ",'tools':[{'name':'tap'}]," MSG(U) "}",
     {0}},
    {"strict tool with open schema",
     400,
     "additionalProperties",
     "tool_schema",
     "{" M
     ",'tools':[{'name':'tap','strict':true,'input_schema':{'type':'object'}}]," MSG(U) "}",
     {0}},
    {"forced tool on a model that cannot",
     400,
     "tool_choice: type \"tool\" and \"any\" are not supported for this model.",
     "tool_choice_forced",
     "{" M ",'tools':[" TOOL("tap") "],'tool_choice':{'type':'any'}," MSG(U) "}",
     {0}},
    {"forced tool with thinking",
     400,
     "Thinking may not be enabled",
     "tool_choice_forced",
     "{" OLD ",'thinking':{'type':'enabled','budget_tokens':1024},'tools':[" TOOL(
         "tap") "],'tool_choice':{'type':'tool','name':'tap'}," MSG(U) "}",
     {0}},
    {"tool_choice without tools",
     400,
     "while providing tools",
     "tool_choice",
     "{" OLD ",'tool_choice':{'type':'auto'}," MSG(U) "}",
     {0}},
    {"forced tool that is not there",
     400,
     "Tool 'x' not found",
     "tool_choice",
     "{" OLD ",'tools':[" TOOL("tap") "],'tool_choice':{'type':'tool','name':'x'}," MSG(U) "}",
     {0}},
    /* pairing */
    {"tool_use without result",
     400,
     "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: "
     "t1.",
     "tool_use_unanswered",
     "{" M "," MSG(ASKED(USE("t1")) "," U) "}",
     {0}},
    {"one of two results missing",
     400,
     "after: t2.",
     "tool_use_unanswered",
     "{" M "," MSG(ASKED(USE("t1") "," USE("t2")) "," USER(RESULT("t1"))) "}",
     {0}},
    {"text before the results",
     400,
     "`tool_use` ids were found without",
     "tool_use_unanswered",
     "{" M "," MSG(ASKED(USE("t1")) "," USER(TEXT("x") "," RESULT("t1"))) "}",
     {0}},
    {"result a turn late",
     400,
     "`tool_use` ids were found without",
     "tool_use_unanswered",
     "{" M "," MSG(
         ASKED(USE("t1")) "," U ",{'role':'assistant','content':'x'}," USER(RESULT("t1"))) "}",
     {0}},
    {"result that nobody asked for",
     400,
     "messages.0.content.1: unexpected `tool_use_id` found in `tool_result` blocks: t9.",
     "tool_result_unexpected",
     "{" M "," MSG(U "," USER(RESULT("t9"))) "}",
     {0}},
    {"two results for one call",
     400,
     "must have a single result",
     "tool_result_duplicate",
     "{" M "," MSG(ASKED(USE("t1")) "," USER(RESULT("t1") "," RESULT("t1"))) "}",
     {0}},
    {"one id used twice",
     400,
     "ids must be unique",
     "tool_use_duplicate",
     "{" M "," MSG(ASKED(USE("t1") "," USE("t1")) "," USER(RESULT("t1"))) "}",
     {0}},
    {"input that is no object",
     400,
     "tool_use.input",
     "tool_use",
     "{" M "," MSG(ASKED("{'type':'tool_use','id':'t1','name':'tap','input':'{}'}") "," USER(
         RESULT("t1"))) "}",
     {0}},
    {"image in an error result",
     400,
     "all content must be type `text`",
     "tool_result",
     "{" M "," MSG(ASKED(USE("t1")) "," USER(
         "{'type':'tool_result','tool_use_id':'t1',"
         "'is_error':true,'content':[" IMAGE("image/png", PNG_8) "]}")) "}",
     {0}},
    /* cache_control */
    {"five breakpoints",
     400,
     "A maximum of 4 blocks with cache_control may be provided. Found 5.",
     "cache_count",
     "{" M "," MSG(USER(CCTEXT "," CCTEXT "," CCTEXT "," CCTEXT "," CCTEXT)) "}",
     {0}},
    {"top-level one beside four",
     400,
     "Found 5",
     "cache_count",
     "{" M "," CC "," MSG(USER(CCTEXT "," CCTEXT "," CCTEXT "," CCTEXT "," TEXT("x"))) "}",
     {0}},
    {"5m before 1h",
     400,
     "ttl='1h' cache_control block must not come after",
     "cache_ttl_order",
     "{" M ",'system':[" CCTEXT "]," MSG(USER(HOUR)) "}",
     {0}},
    {"unknown ttl",
     400,
     "cache_control.ttl",
     "cache_control",
     "{" M "," MSG(USER("{'type':'text','text':'x','cache_control':{'type':'ephemeral','ttl':"
                        "'2h'}}")) "}",
     {0}},
    {"top-level ttl unlike the last block's",
     400,
     "another ttl",
     "cache_auto",
     "{" M "," CC "," MSG(USER(HOUR)) "}",
     {0}},
    {"on empty text",
     400,
     "cache_control cannot be set for empty text blocks",
     "cache_empty_text",
     "{" M "," MSG(USER("{'type':'text','text':''," CC "}")) "}",
     {0}},
    {"on thinking",
     400,
     "thinking.cache_control: Extra inputs",
     "cache_thinking",
     "{" M
     "," MSG(ASKED("{'type':'thinking','thinking':'x','signature':'s'," CC "}") "," U) "}",
     {0}},
    /* thinking parameter by model */
    {"thinking enabled where it is not",
     400,
     "\"thinking.type.enabled\" is not supported for this model.",
     "thinking_type",
     "{'model':'claude-sonnet-5-5','max_tokens':2000,'thinking':{'type':'enabled',"
     "'budget_tokens':1024}," MSG(U) "}",
     {0}},
    {"thinking disabled where it is not",
     400,
     "\"thinking.type.disabled\" is not supported",
     "thinking_type",
     "{" M ",'thinking':{'type':'disabled'}," MSG(U) "}",
     {0}},
    {"adaptive on an old model",
     400,
     "\"thinking.type.adaptive\" is not supported",
     "thinking_type",
     "{" OLD ",'thinking':{'type':'adaptive'}," MSG(U) "}",
     {0}},
    {"disabled at an effort above high",
     400,
     "\"thinking.type.disabled\" is not supported",
     "thinking_type",
     "{'model':'claude-opus-5','max_tokens':9,'thinking':{'type':'disabled'},"
     "'output_config':{'effort':'max'}," MSG(U) "}",
     {0}},
    {"budget below 1024",
     400,
     "budget_tokens",
     "thinking_budget",
     "{" OLD ",'thinking':{'type':'enabled','budget_tokens':1000}," MSG(U) "}",
     {0}},
    {"budget beyond max_tokens",
     400,
     "`max_tokens` must be greater",
     "thinking_budget",
     "{" OLD ",'thinking':{'type':'enabled','budget_tokens':2000}," MSG(U) "}",
     {0}},
    {"foreign signature",
     400,
     "Invalid `signature` in `thinking` block",
     "thinking_signature",
     "{" M "," MSG(ASKED("{'type':'thinking','thinking':'x','signature':'EqQB'}") "," U) "}",
     {0}},
    /* images */
    {"unknown media type",
     400,
     "media_type",
     "image_media",
     "{" M "," MSG(USER(IMAGE("image/bmp", PNG_8))) "}",
     {0}},
    {"media type unlike the bytes",
     400,
     "appears to be a image/gif image",
     "image_media",
     "{" M "," MSG(USER(IMAGE("image/png", GIF_1))) "}",
     {0}},
    {"bytes that are no image",
     400,
     "Could not process image",
     "image_media",
     "{" M "," MSG(USER(IMAGE("image/png", "AAAA"))) "}",
     {0}},
    {"no base64",
     400,
     "Invalid base64",
     "image_base64",
     "{" M "," MSG(USER(IMAGE("image/png", "data:x"))) "}",
     {0}},
    {"too wide",
     400,
     "max allowed size: 8000 pixels",
     "image_pixels",
     "{" M "," MSG(USER(IMAGE("image/png", PNG_9000))) "}",
     {0}},
    {"image inside a result",
     400,
     "messages.2.content.0.tool_result.content.0.image",
     "image_pixels",
     "{" M
     "," MSG(ASKED(USE("t1")) "," USER("{'type':'tool_result','tool_use_id':'t1',"
                                       "'content':[" IMAGE("image/png", PNG_9000) "]}")) "}",
     {0}},
};

static bool has_headers(const struct row *row)
{
    const struct http_headers *h = &row->headers;
    return h->api_key || h->authorization || h->version || h->content_type;
}

static void check_shape(const struct row *row, const struct http_reply *r)
{
    char id[256];
    json_t *j = http_json(r);
    assert_string_equal(text_at(j, "type"), "error");
    assert_string_equal(text_at(j, "error.type"), row->status == 401 ? "authentication_error"
                                                  : row->status == 404
                                                      ? "not_found_error"
                                                      : "invalid_request_error");
    assert_string_equal(text_at(j, "request_id"), http_header(r, "request-id", id));
    assert_memory_equal(id, "req_", 4);
    if (!strstr(text_at(j, "error.message"), row->words)) {
        fail_msg("%s: message is \"%s\"", row->name, text_at(j, "error.message"));
    }
    json_decref(j);
}

static void every_rule_is_refused_with_its_own_error(void **state)
{
    (void)state;
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    int port = ia_mock_port(m);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        const struct row *row = &rows[i];
        struct http_reply r;
        char path[64];
        char *body = quotes(row->body);
        snprintf(path, sizeof(path), "rejected.%s", row->reason);
        long long before = counted(m, path);
        http_call(port, "POST", "/v1/messages", has_headers(row) ? &row->headers : &http_good,
                  body, &r);
        if (r.status != row->status) {
            fail_msg("%s: status %d, %s", row->name, r.status, ia_buf_cstr(&r.body));
        }
        check_shape(row, &r);
        if (counted(m, path) != before + 1) {
            fail_msg("%s is not counted as %s", row->name, row->reason);
        }
        free(body);
        http_reply_fini(&r);
    }
    assert_int_equal(counted(m, "answered"), 0);
    ia_mock_stop(m);
}

/* What stands beside the refused requests must pass, or the table proves nothing. */
static void the_nearest_good_requests_are_answered(void **state)
{
    (void)state;
    static const char *const good[] = {
        GOOD,
        "{" M ",'temperature':1," MSG(U) "}",
        "{" M ",'output_config':{'effort':'low'}," MSG(U) "}",
        "{" M "," MSG(U "," U ",{'role':'system','content':'x'}") "}",
        "{" OLD "," MSG(U ",{'role':'assistant','content':'{'}") "}",
        "{" M "," MSG(ASKED(USE("t1") "," USE("t2")) "," USER(
            RESULT("t2") "," RESULT("t1") "," TEXT("go on"))) "}",
        "{" M
        "," MSG(ASKED(USE("t1")) "," USER("{'type':'tool_result','tool_use_id':'t1'}")) "}",
        "{" M ",'system':[" HOUR "]," MSG(USER(CCTEXT "," CCTEXT "," CCTEXT)) "}",
        "{" M "," CC "," MSG(USER(CCTEXT "," CCTEXT "," CCTEXT "," TEXT("x"))) "}",
        "{" M ",'thinking':{'type':'adaptive'}," MSG(U) "}",
        "{" OLD ",'thinking':{'type':'enabled','budget_tokens':1024}," MSG(U) "}",
        "{" OLD ",'tools':[" TOOL("tap") "],'tool_choice':{'type':'any'}," MSG(U) "}",
        "{" M "," MSG(USER(IMAGE("image/png", PNG_8) "," TEXT("what is this?"))) "}",
        "{" M "," MSG(USER(IMAGE("image/png", PNG_3000))) "}",
        "{'model':'claude-haiku-4-5-20251001','max_tokens':0," MSG(U) "}",
    };
    struct ia_mock *m = start_double(ALWAYS_OK, NULL);
    for (size_t i = 0; i < IA_COUNTOF(good); i++) {
        struct http_reply r;
        http_message(ia_mock_port(m), good[i], &r);
        if (r.status != 200) {
            fail_msg("%s: %s", good[i], ia_buf_cstr(&r.body));
        }
        http_reply_fini(&r);
    }
    ia_mock_stop(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_is_refused_with_its_own_error),
        cmocka_unit_test(the_nearest_good_requests_are_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
