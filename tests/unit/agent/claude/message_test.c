/* A message from a stream or in one piece: every recorded stream, cut into chunks of every
 * size, must give its golden message; a stream that breaks the protocol is refused. */
#include "test.h"

#include "golden.h"

#include "agent/claude/message.h"
#include "net/sse.h"

/* Feeds a body in pieces through decoder and accumulator. */
static enum ia_rc accumulate(const char *p, size_t n, size_t chunk,
                             struct ia_claude_message *ret, struct ia_err *err)
{
    struct ia_sse s;
    struct ia_accum *a = ia_accum_new(NULL, NULL);
    enum ia_rc rc = IA_OK;
    ia_sse_init(&s, ia_accum_event, a);
    for (size_t at = 0; !rc && at < n;) {
        size_t size = chunk && chunk < n - at ? chunk : n - at;
        rc = ia_sse_feed(&s, p + at, size, err);
        at += size;
    }
    rc = rc ? rc : ia_accum_finish(a, ret, err);
    ia_sse_fini(&s);
    ia_accum_free(a);
    return rc;
}

static enum ia_rc accumulate_text(const char *text, struct ia_claude_message *ret,
                                  struct ia_err *err)
{
    return accumulate(text, strlen(text), 0, ret, err);
}

static json_t *message_json(const struct ia_claude_message *m)
{
    struct ia_buf b = IA_BUF((size_t)32 << 20);
    ia_claude_message_json(m, &b);
    assert_true(ia_buf_ok(&b));
    json_error_t e;
    json_t *json = json_loadb(b.p, b.len, JSON_REJECT_DUPLICATES, &e);
    if (!json) {
        fail_msg("%s: %s", e.text, b.p);
    }
    ia_buf_fini(&b);
    return json;
}

static void check_final(const struct golden *g, const json_t *want, const char *body, size_t n,
                        size_t chunk)
{
    struct ia_claude_message m;
    struct ia_err err;
    enum ia_rc rc = accumulate(body, n, chunk, &m, &err);
    if (json_object_get(want, "err")) {
        assert_int_equal(rc, IA_E_API_STREAM);
        return;
    }
    if (rc) {
        fail_msg("%s at %zu: %s", g->body_path, chunk, err.msg);
    }
    json_t *got = message_json(&m);
    if (!json_equal(want, got)) {
        fail_msg("%s at %zu: %s", g->body_path, chunk, json_dumps(got, 0));
    }
    json_decref(got);
    ia_claude_message_fini(&m);
}

static void recorded_streams_give_the_golden_message_at_every_chunk_size(void **state)
{
    (void)state;
    struct golden *list;
    size_t count = golden_list(&list);
    size_t checked = 0;
    for (size_t i = 0; i < count; i++) {
        json_t *want = json_load_file(list[i].final_path, 0, NULL);
        if (!want) {
            continue;
        }
        size_t n;
        char *body = golden_read(list[i].body_path, &n);
        json_object_del(want, "parsed_output"); /* an addition of the SDK's helper */
        for (size_t c = 0; c < golden_chunk_count; c++) {
            check_final(&list[i], want, body, n, golden_chunks[c]);
        }
        checked++;
        json_decref(want);
        free(body);
    }
    free(list);
    assert_int_equal(checked, 15);
}

#define EV(name, rest) "event: " name "\ndata: {\"type\":\"" name "\"" rest "}\n\n"
#define MSG(rest)                                                                              \
    EV("message_start",                                                                        \
       ",\"message\":{\"id\":\"m1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[" \
       "],"                                                                                    \
       "\"model\":\"claude-x\",\"stop_reason\":null,\"usage\":{\"input_tokens\":7}" rest "}")
#define START(i, block)                                                                        \
    EV("content_block_start", ",\"index\":" i ",\"content_block\":{" block "}")
#define DELTA(i, delta) EV("content_block_delta", ",\"index\":" i ",\"delta\":{" delta "}")
#define STOP(i) EV("content_block_stop", ",\"index\":" i)
#define END(reason)                                                                            \
    EV("message_delta",                                                                        \
       ",\"delta\":{\"stop_reason\":\"" reason "\"},\"usage\":{\"output_tokens\":3}")          \
    EV("message_stop", "")
#define TEXT0 START("0", "\"type\":\"text\",\"text\":\"\"")
#define TOOL0 START("0", "\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"tap\",\"input\":{}")
#define PARTIAL(text) DELTA("0", "\"type\":\"input_json_delta\",\"partial_json\":\"" text "\"")

static struct ia_claude_message read_ok(const char *text)
{
    struct ia_claude_message m;
    struct ia_err err;
    if (accumulate_text(text, &m, &err)) {
        fail_msg("%s", err.msg);
    }
    return m;
}

static void blocks_keep_member_order_and_escapes_of_the_server(void **state)
{
    (void)state;
    struct ia_claude_message m =
        read_ok(MSG("") START("0", "\"x\":[1, 2],\"text\":\"\",\"type\":\"text\"")
                    DELTA("0", "\"text\":\"\\u00e9\\n\",\"type\":\"text_delta\"")
                        DELTA("0", "\"type\":\"text_delta\",\"text\":\"\xC3\xA9 \\/\"")
                            STOP("0") END("end_turn"));
    assert_string_equal(m.blocks[0].json,
                        "{\"x\":[1, 2],\"text\":\"\\u00e9\\n\xC3\xA9 \\/\",\"type\":\"text\"}");
    assert_string_equal(m.blocks[0].text, "\xC3\xA9\n\xC3\xA9 /");
    assert_int_equal(m.stop, IA_STOP_END_TURN);
    ia_claude_message_fini(&m);
}

static void a_surrogate_pair_cut_between_deltas_is_one_character(void **state)
{
    (void)state;
    struct ia_claude_message m =
        read_ok(MSG("") TEXT0 DELTA("0", "\"type\":\"text_delta\",\"text\":\"a\\ud83d\"") DELTA(
            "0", "\"type\":\"text_delta\",\"text\":\"\\ude00b\"") STOP("0") END("end_turn"));
    assert_string_equal(m.blocks[0].text, "a\xF0\x9F\x98\x80"
                                          "b");
    assert_non_null(strstr(m.blocks[0].json, "a\\ud83d\\ude00b"));
    ia_claude_message_fini(&m);
}

static void a_lone_surrogate_is_replaced_so_that_the_block_can_be_sent_back(void **state)
{
    (void)state;
    struct ia_claude_message m = read_ok(MSG("") TEXT0 DELTA(
        "0", "\"type\":\"text_delta\",\"text\":\"a\\ud83dz\"") STOP("0") END("end_turn"));
    assert_string_equal(m.blocks[0].json, "{\"type\":\"text\",\"text\":\"a\\ufffdz\"}");
    ia_claude_message_fini(&m);
}

static void the_last_signature_replaces_the_ones_before(void **state)
{
    (void)state;
    struct ia_claude_message m = read_ok(
        MSG("") START("0", "\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"")
            DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\"hm\"")
                DELTA("0", "\"type\":\"signature_delta\",\"signature\":\"one\"")
                    DELTA("0", "\"type\":\"signature_delta\",\"signature\":\"two\"") STOP("0")
                        START("1", "\"type\":\"redacted_thinking\",\"data\":\"zz\"") STOP("1")
                            END("end_turn"));
    assert_string_equal(m.blocks[0].json,
                        "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"two\"}");
    assert_int_equal(m.blocks[1].kind, IA_BLOCK_THINKING);
    assert_string_equal(m.blocks[1].json, "{\"type\":\"redacted_thinking\",\"data\":\"zz\"}");
    ia_claude_message_fini(&m);
}

static void an_empty_thinking_block_is_kept(void **state)
{
    (void)state;
    struct ia_claude_message m =
        read_ok(MSG("") START("0", "\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"")
                    DELTA("0", "\"type\":\"signature_delta\",\"signature\":\"s\"") STOP("0")
                        END("end_turn"));
    assert_int_equal(m.block_count, 1);
    assert_string_equal(m.blocks[0].json,
                        "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"s\"}");
    ia_claude_message_fini(&m);
}

static void citations_are_pushed(void **state)
{
    (void)state;
    struct ia_claude_message m =
        read_ok(MSG("") START("0", "\"type\":\"text\",\"text\":\"\",\"citations\":[]")
                    DELTA("0", "\"type\":\"citations_delta\",\"citation\":{\"n\":1}")
                        DELTA("0", "\"type\":\"citations_delta\",\"citation\":{\"n\":2}")
                            STOP("0") END("end_turn"));
    assert_string_equal(
        m.blocks[0].json,
        "{\"type\":\"text\",\"text\":\"\",\"citations\":[{\"n\":1},{\"n\":2}]}");
    ia_claude_message_fini(&m);
}

static void tool_input_is_parsed_once_at_the_end(void **state)
{
    (void)state;
    struct ia_claude_message m = read_ok(MSG("") TOOL0 PARTIAL("") PARTIAL("{\\\"ref\\\": ")
                                             PARTIAL("\\\"@e5\\\"}") STOP("0") END("tool_use"));
    size_t at = 0;
    const struct ia_claude_block *b = ia_claude_message_next_tool(&m, &at);
    assert_non_null(b);
    assert_true(b->input_ok && b->complete);
    assert_string_equal(b->id, "t1");
    assert_string_equal(b->name, "tap");
    assert_string_equal(json_string_value(json_object_get(b->input, "ref")), "@e5");
    assert_string_equal(b->json, "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"tap\","
                                 "\"input\":{\"ref\": \"@e5\"}}");
    assert_null(ia_claude_message_next_tool(&m, &at));
    ia_claude_message_fini(&m);
}

static void a_nul_in_a_name_does_not_end_it(void **state)
{
    (void)state;
    struct ia_claude_message m = read_ok(
        MSG("") START("0", "\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"finish\\u0000"
                           "\",\"input\":{}") STOP("0") END("tool_use"));
    assert_string_equal(m.blocks[0].name, "finish\xef\xbf\xbd");
    ia_claude_message_fini(&m);
}

static void a_tool_without_input_deltas_has_an_empty_object(void **state)
{
    (void)state;
    struct ia_claude_message m = read_ok(MSG("") TOOL0 PARTIAL("") STOP("0") END("tool_use"));
    assert_true(m.blocks[0].input_ok);
    assert_int_equal(json_object_size(m.blocks[0].input), 0);
    ia_claude_message_fini(&m);
}

static void tool_input_that_is_no_object_never_runs_and_can_be_sent_back(void **state)
{
    (void)state;
    static const char *const bad[] = {"{\\\"a\\\":", "[1]", "nope", "{\\\"a\\\":1}}"};
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        struct ia_buf text = IA_BUF(4096);
        ia_buf_printf(
            &text, "%s%s%s%s%s", MSG("") TOOL0,
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\","
            "\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"",
            bad[i], "\"}}\n\n", STOP("0") END("tool_use"));
        struct ia_claude_message m = read_ok(text.p);
        const struct ia_claude_block *b = &m.blocks[0];
        assert_false(b->input_ok);
        assert_non_null(b->bad_input);
        json_t *block = json_loads(b->json, 0, NULL);
        assert_non_null(block);
        json_t *input = json_object_get(block, "input");
        assert_string_equal(json_string_value(json_object_get(input, "INVALID_JSON")),
                            b->bad_input);
        json_decref(block);
        ia_claude_message_fini(&m);
        ia_buf_fini(&text);
    }
}

static void
tool_input_that_only_jansson_refuses_never_runs_and_is_replayed_as_it_came(void **state)
{
    (void)state;
    static const struct {
        const char *sent, *kept;
    } rows[] = {
        {"{\\\"a\\\":\\\"\\\\u0000\\\"}", "{\"a\":\"\\u0000\"}"},
        {"{\\\"a\\\\u0000\\\": 1}", "{\"a\\u0000\": 1}"},
        {"{\\\"a\\\": 99999999999999999999}", "{\"a\": 99999999999999999999}"},
        {" {\\\"a\\\":\\\"\\\\ud800\\\"}", " {\"a\":\"\\ud800\"}"},
        {"{\\\"a\\\":1,\\\"a\\\":2}", "{\"a\":1,\"a\":2}"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf text = IA_BUF(4096);
        ia_buf_printf(
            &text, "%s%s%s%s%s", MSG("") TOOL0,
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\","
            "\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"",
            rows[i].sent, "\"}}\n\n", STOP("0") END("tool_use"));
        struct ia_claude_message m = read_ok(text.p);
        assert_false(m.blocks[0].input_ok);
        assert_string_equal(m.blocks[0].bad_input, rows[i].kept);
        assert_non_null(strstr(m.blocks[0].json, rows[i].kept));
        assert_null(strstr(m.blocks[0].json, "INVALID_JSON"));
        ia_claude_message_fini(&m);
        ia_buf_fini(&text);
    }
}

static void a_tool_cut_off_by_max_tokens_is_marked_incomplete(void **state)
{
    (void)state;
    struct ia_claude_message m =
        read_ok(MSG("") TOOL0 PARTIAL("{\\\"a\\\":[1,{\\\"b\\\":tr") END("max_tokens"));
    assert_int_equal(m.stop, IA_STOP_MAX_TOKENS);
    assert_false(m.blocks[0].complete);
    assert_false(m.blocks[0].input_ok);
    assert_non_null(strstr(m.blocks[0].json, "\"input\":{\"a\":[1,{}]}"));
    ia_claude_message_fini(&m);
}

static void unknown_blocks_are_kept_and_unknown_events_and_deltas_ignored(void **state)
{
    (void)state;
    struct ia_claude_message m = read_ok(
        MSG("") EV("future", ",\"x\":1")
            START("0", "\"type\":\"novel\",\"deep\":{\"a\":[null]}")
                DELTA("0", "\"type\":\"novel_delta\",\"q\":[]") STOP("0") END("novel_reason"));
    assert_int_equal(m.blocks[0].kind, IA_BLOCK_OTHER);
    assert_string_equal(m.blocks[0].json, "{\"type\":\"novel\",\"deep\":{\"a\":[null]}}");
    assert_int_equal(m.stop, IA_STOP_UNKNOWN);
    assert_string_equal(m.stop_reason, "novel_reason");
    ia_claude_message_fini(&m);
}

static void usage_is_overwritten_and_null_says_nothing(void **state)
{
    (void)state;
    struct ia_claude_message m = read_ok(
        MSG("") EV("message_delta",
                   ",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":3,"
                   "\"input_tokens\":null,\"cache_read_input_tokens\":50}")
            EV("message_delta", ",\"delta\":{},\"usage\":{\"output_tokens\":9}")
                EV("message_stop", ""));
    assert_int_equal(m.usage.total.output, 9);
    assert_int_equal(m.usage.total.input, 7);
    assert_int_equal(m.usage.total.cache_read, 50);
    assert_int_equal(m.usage.total.cache_write, -1);
    assert_int_equal(m.stop, IA_STOP_END_TURN);
    ia_claude_message_fini(&m);
}

static void a_fallback_block_names_the_model_that_answered(void **state)
{
    (void)state;
    struct ia_claude_message m = read_ok(
        MSG("") START("0", "\"type\":\"fallback\",\"from\":{\"model\":\"claude-x\"},\"to\":{"
                           "\"model\":\"claude-y\"}") STOP("0") END("end_turn"));
    assert_string_equal(m.model, "claude-y");
    ia_claude_message_fini(&m);
}

static void streams_against_the_protocol_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum ia_rc rc;
    } rows[] = {
        {MSG("") DELTA("0", "\"type\":\"text_delta\",\"text\":\"x\""), IA_E_API_PROTOCOL},
        {MSG("") TEXT0 DELTA("1", "\"type\":\"text_delta\",\"text\":\"x\""), IA_E_API_PROTOCOL},
        {MSG("") TEXT0 STOP("0") DELTA("0", "\"type\":\"text_delta\",\"text\":\"x\""),
         IA_E_API_PROTOCOL},
        {MSG("") TEXT0 TEXT0, IA_E_API_PROTOCOL},
        {MSG("") STOP("0"), IA_E_API_PROTOCOL},
        {MSG("") MSG(""), IA_E_API_PROTOCOL},
        {TEXT0, IA_E_API_PROTOCOL},
        {MSG("") TOOL0 DELTA("0", "\"type\":\"text_delta\",\"text\":\"x\""), IA_E_API_PROTOCOL},
        {"event: message_start\ndata: {\"type\":\"message_start\"\n\n", IA_E_API_PROTOCOL},
        {"event: message_start\ndata: {\"type\":\"message_start\",\"message\":[]}\n\n",
         IA_E_API_PROTOCOL},
        {"event: message_start\ndata: {\"type\":\"ping\"}\n\n", IA_E_API_PROTOCOL},
        {MSG("") "event: content_block_stop\ndata: "
                 "{\"type\":\"content_block_stop\",\"index\":-1}\n\n",
         IA_E_API_PROTOCOL},
        {MSG("") START("0", "\"type\":\"tool_use\",\"input\":{}") STOP("0") END("tool_use"),
         IA_E_API_PROTOCOL},
        {MSG("") TEXT0 STOP("0"), IA_E_API_STREAM},
        {MSG("") TEXT0 STOP("0") END("end_turn") "x", IA_OK},
        {"", IA_E_API_STREAM},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_claude_message m;
        struct ia_err err;
        enum ia_rc rc = accumulate_text(rows[i].text, &m, &err);
        if (rc != rows[i].rc) {
            fail_msg("row %zu: %s", i, ia_rc_name(rc));
        }
        if (rc == IA_OK) {
            ia_claude_message_fini(&m);
        }
    }
}

static void an_error_event_is_the_error_it_names(void **state)
{
    (void)state;
    struct ia_claude_message m;
    struct ia_err err;
    const char *text =
        MSG("") TEXT0 "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":"
                      "\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    assert_int_equal(accumulate_text(text, &m, &err), IA_E_API_OVERLOADED);
    assert_int_equal(err.http_status, 529);
    assert_non_null(strstr(err.msg, "Overloaded"));
}

static void append_text(void *ctx, struct ia_str text)
{
    ia_buf_putstr(ctx, text);
    ia_buf_putc(ctx, '|');
}

static void text_reaches_the_hook_as_it_arrives(void **state)
{
    (void)state;
    struct ia_buf told = IA_BUF(1024);
    struct ia_accum *a = ia_accum_new(append_text, &told);
    struct ia_sse s;
    struct ia_err err;
    const char *text = MSG("") TEXT0 DELTA("0", "\"type\":\"text_delta\",\"text\":\"one\\n\"")
        DELTA("0", "\"type\":\"text_delta\",\"text\":\"two\"");
    ia_sse_init(&s, ia_accum_event, a);
    assert_int_equal(ia_sse_feed(&s, text, strlen(text), &err), IA_OK);
    assert_string_equal(ia_buf_cstr(&told), "one\n|two|");
    assert_true(ia_accum_started(a));
    assert_false(ia_accum_stopped(a));
    struct ia_claude_usage u = ia_accum_usage(a);
    assert_int_equal(u.total.input, 7);
    ia_claude_usage_fini(&u);
    ia_sse_fini(&s);
    ia_accum_free(a);
    ia_buf_fini(&told);
}

static void a_message_in_one_piece_reads_like_a_streamed_one(void **state)
{
    (void)state;
    struct ia_claude_message m;
    struct ia_err err;
    const char *text =
        "{\"id\":\"m\",\"model\":\"c\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\","
        "\"text\":\"hi\"},{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"n\",\"input\":{\"a\":"
        "1}}],"
        "\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":1,\"iterations\":[{\"output_"
        "tokens\":4,\"model\":\"d\"}]}}";
    assert_int_equal(ia_claude_message_parse(ia_str(text), &m, &err), IA_OK);
    assert_string_equal(m.blocks[0].text, "hi");
    assert_true(m.blocks[1].input_ok);
    assert_int_equal(json_integer_value(json_object_get(m.blocks[1].input, "a")), 1);
    assert_int_equal(m.usage.iteration_count, 1);
    assert_string_equal(m.usage.iterations[0].model, "d");
    struct ia_buf content = IA_BUF(1024);
    ia_claude_message_content(&m, &content);
    assert_string_equal(
        content.p, "[{\"type\":\"text\",\"text\":\"hi\"},{\"type\":\"tool_use\",\"id\":\"t\","
                   "\"name\":\"n\",\"input\":{\"a\":1}}]");
    ia_buf_fini(&content);
    ia_claude_message_fini(&m);
    assert_int_equal(ia_claude_message_parse(ia_str("{\"a\":"), &m, &err), IA_E_API_PROTOCOL);
    assert_int_equal(ia_claude_message_parse(ia_str("[]"), &m, &err), IA_E_API_PROTOCOL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_streams_give_the_golden_message_at_every_chunk_size),
        cmocka_unit_test(blocks_keep_member_order_and_escapes_of_the_server),
        cmocka_unit_test(a_surrogate_pair_cut_between_deltas_is_one_character),
        cmocka_unit_test(a_lone_surrogate_is_replaced_so_that_the_block_can_be_sent_back),
        cmocka_unit_test(the_last_signature_replaces_the_ones_before),
        cmocka_unit_test(an_empty_thinking_block_is_kept),
        cmocka_unit_test(citations_are_pushed),
        cmocka_unit_test(tool_input_is_parsed_once_at_the_end),
        cmocka_unit_test(a_nul_in_a_name_does_not_end_it),
        cmocka_unit_test(a_tool_without_input_deltas_has_an_empty_object),
        cmocka_unit_test(tool_input_that_is_no_object_never_runs_and_can_be_sent_back),
        cmocka_unit_test(
            tool_input_that_only_jansson_refuses_never_runs_and_is_replayed_as_it_came),
        cmocka_unit_test(a_tool_cut_off_by_max_tokens_is_marked_incomplete),
        cmocka_unit_test(unknown_blocks_are_kept_and_unknown_events_and_deltas_ignored),
        cmocka_unit_test(usage_is_overwritten_and_null_says_nothing),
        cmocka_unit_test(a_fallback_block_names_the_model_that_answered),
        cmocka_unit_test(streams_against_the_protocol_are_refused),
        cmocka_unit_test(an_error_event_is_the_error_it_names),
        cmocka_unit_test(text_reaches_the_hook_as_it_arrives),
        cmocka_unit_test(a_message_in_one_piece_reads_like_a_streamed_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
