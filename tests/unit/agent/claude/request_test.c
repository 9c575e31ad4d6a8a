/* The body of a request: its members, where the cache breakpoints are, and repairs, which change what is
 * sent and never the history. */
#include "request_fixture.h"

static void a_request_has_only_what_was_asked_for(void **state)
{
    (void)state;
    struct ia_history *h = ia_history_new(NULL);
    append(h, IA_MESSAGE_USER, "[{\"type\":\"text\",\"text\":\"hi\"}]");
    struct ia_claude_request req = request(h);
    req.no_cache = true;
    check_body(&req, &no_repairs,
               HEAD ",\"messages\":[{\"role\":\"user\",\"content\":["
                    "{\"type\":\"text\",\"text\":\"hi\"}]}]}");
    req.effort = "low";
    req.thinking = ia_str("{\"type\":\"adaptive\"}");
    req.tool_choice = ia_str("{\"type\":\"auto\"}");
    check_body(&req, &no_repairs,
               HEAD
               ",\"output_config\":{\"effort\":\"low\"},\"thinking\":{\"type\":\"adaptive\"},"
               "\"tool_choice\":{\"type\":\"auto\"},\"messages\":[{\"role\":\"user\","
               "\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}]}");
    ia_history_free(h);
}

static void a_summary_is_asked_for_with_the_same_messages_and_then_stands_first(void **state)
{
    (void)state;
    static const char user[] = "[{\"type\":\"text\",\"text\":\"hi\"}]";
    static const char block[] =
        "[{\"type\":\"compaction\",\"content\":\"so far\",\"signature\":\"s\"}]";
    struct ia_history *h = ia_history_new(NULL);
    append(h, IA_MESSAGE_USER, user);
    struct ia_claude_request req = request(h);
    req.compaction = ia_str("Be \"brief\".");
    check_body(&req, &no_repairs,
               "{\"model\":\"claude-x\",\"max_tokens\":100,\"compaction\":{\"type\":"
               "\"summarize\",\"instructions\":\"Be \\\"brief\\\".\"},\"messages\":[{"
               "\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"" CC "}]}]}");
    assert_false(ia_history_compacted(h));
    ia_history_clear(h);
    assert_int_equal(ia_history_count(h), 0);
    append(h, IA_MESSAGE_ASSISTANT, block);
    append(h, IA_MESSAGE_USER, user);
    assert_true(ia_history_compacted(h));
    req.compaction = (struct ia_str){0};
    check_body(&req, &no_repairs,
               HEAD ",\"messages\":[{\"role\":\"assistant\",\"content\":[{\"type\":"
                    "\"compaction\",\"content\":\"so far\",\"signature\":\"s\"}]},{\"role\":"
                    "\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"" CC "}]}]}");
    /* Nothing else of the assistant's may come first. */
    ia_history_clear(h);
    append(h, IA_MESSAGE_ASSISTANT, user);
    append(h, IA_MESSAGE_USER, user);
    struct ia_body *b = NULL;
    struct ia_err err;
    assert_int_equal(ia_body_new(&req, &no_repairs, &b, &err), IA_E_USAGE);
    ia_history_free(h);
}

static void breakpoints_are_on_tools_system_and_the_last_two_user_turns(void **state)
{
    (void)state;
    struct ia_history *h = ia_history_new(NULL);
    struct ia_str system[] = {ia_str("one\n"), ia_str("two")};
    append(h, IA_MESSAGE_USER, "[{\"a\":1}]");
    append(h, IA_MESSAGE_ASSISTANT, "[{\"b\":2}]");
    append(h, IA_MESSAGE_USER, "[{\"c\":3} , {\"d\":4}]");
    append(h, IA_MESSAGE_ASSISTANT, "[{\"e\":5}]");
    append(h, IA_MESSAGE_USER, "[{\"f\":6}]");
    struct ia_claude_request req = request(h);
    req.system = system;
    req.system_count = 2;
    req.tools = ia_str("[{\"name\":\"t\"}, {\"name\":\"u\"} ]");
    check_body(&req, &no_repairs,
               HEAD ",\"tools\":[{\"name\":\"t\"}, {\"name\":\"u\"" CC "} ]"
                    ",\"system\":[{\"type\":\"text\",\"text\":\"one\\n\"},"
                    "{\"type\":\"text\",\"text\":\"two\"" CC "}]"
                    ",\"messages\":[{\"role\":\"user\",\"content\":[{\"a\":1}]},"
                    "{\"role\":\"assistant\",\"content\":[{\"b\":2}]},"
                    "{\"role\":\"user\",\"content\":[{\"c\":3},{\"d\":4" CC "}]},"
                    "{\"role\":\"assistant\",\"content\":[{\"e\":5}]},"
                    "{\"role\":\"user\",\"content\":[{\"f\":6" CC "}]}]}");
    ia_history_free(h);
}

/* Removes every cache_control. */
static void strip(char *body)
{
    for (char *at; (at = strstr(body, CC));) {
        memmove(at, at + strlen(CC), strlen(at + strlen(CC)) + 1);
    }
}

static void history_is_sent_with_the_same_bytes_every_time(void **state)
{
    (void)state;
    struct ia_history *h = ia_history_new(NULL);
    struct ia_claude_request req = request(h);
    char *before = NULL;
    for (int turn = 0; turn < 6; turn++) {
        append(h, IA_MESSAGE_USER, "[{\"type\":\"text\",\"text\":\"\xC3\xA9 \\u00e9 \\/\"}]");
        char *now = body_of(&req, &no_repairs);
        strip(now);
        if (before) {
            /* All but the closing "]}" of the earlier request. */
            assert_int_equal(strncmp(before, now, strlen(before) - 2), 0);
        }
        free(before);
        before = now;
        append(h, IA_MESSAGE_ASSISTANT,
               "[{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"s\"},"
               "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"n\",\"input\":{ \"z\":1.50}}]");
    }
    free(before);
    ia_history_free(h);
}

/* A history whose newest turn added `calls` tool calls and as many results. */
static struct ia_history *wide_history(int calls)
{
    struct ia_history *h = ia_history_new(NULL);
    struct ia_buf uses = IA_BUF(65536);
    struct ia_buf results = IA_BUF(65536);
    for (int i = 0; i < calls; i++) {
        ia_buf_printf(&uses, "%c{\"use\":%d}", i ? ',' : '[', i);
        ia_buf_printf(&results, "%c{\"result\":%d}", i ? ',' : '[', i);
    }
    ia_buf_puts(&uses, "]");
    ia_buf_puts(&results, "]");
    append(h, IA_MESSAGE_USER, "[{\"q\":1}]");
    append(h, IA_MESSAGE_ASSISTANT, uses.p);
    append(h, IA_MESSAGE_USER, results.p);
    ia_buf_fini(&uses);
    ia_buf_fini(&results);
    return h;
}

static void a_turn_of_twenty_blocks_gets_a_breakpoint_in_between(void **state)
{
    (void)state;
    static const struct {
        int calls;
        const char *extra; /* block that carries the one in between, or NULL */
    } rows[] = {
        {9, NULL},
        {10, "{\"use\":0" CC}, /* 20 blocks: 19 before the newest */
        {15, "{\"use\":10" CC},
        {25, "{\"result\":5" CC},
    };
    struct ia_str system = ia_str("s");
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_history *h = wide_history(rows[i].calls);
        struct ia_claude_request req = request(h);
        req.system = &system;
        req.system_count = 1;
        req.tools = ia_str("[{\"name\":\"t\"}]");
        char *body = body_of(&req, &no_repairs);
        assert_int_equal(count(body, CC), IA_CLAUDE_BREAKPOINTS_MAX);
        assert_int_equal(count(body, "{\"name\":\"t\"" CC), rows[i].extra ? 0 : 1);
        if (rows[i].extra && !strstr(body, rows[i].extra)) {
            fail_msg("%d calls: %s", rows[i].calls, body);
        }
        free(body);
        ia_history_free(h);
    }
}

static void a_breakpoint_in_between_is_never_on_thinking(void **state)
{
    (void)state;
    struct ia_history *h = ia_history_new(NULL);
    append(h, IA_MESSAGE_USER, "[{\"q\":1}]");
    struct ia_buf blocks = IA_BUF(65536);
    ia_buf_puts(&blocks, "[{\"first\":1}");
    for (int i = 0; i < 30; i++) {
        ia_buf_puts(&blocks, ",{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"s\"}");
    }
    ia_buf_puts(&blocks, "]");
    append(h, IA_MESSAGE_ASSISTANT, blocks.p);
    append(h, IA_MESSAGE_USER, "[{\"r\":1}]");
    struct ia_claude_request req = request(h);
    char *body = body_of(&req, &no_repairs);
    assert_int_equal(count(body, CC), 2);
    assert_int_equal(count(body, "\"s\"" CC), 0);
    free(body);
    ia_buf_fini(&blocks);
    ia_history_free(h);
}

static void empty_text_is_left_out_and_an_empty_message_not_appended(void **state)
{
    (void)state;
    struct ia_history *h = ia_history_new(NULL);
    struct ia_err err;
    bool appended = true;
    append(h, IA_MESSAGE_USER, "[{\"q\":1}]");
    assert_int_equal(ia_history_append(h, IA_MESSAGE_ASSISTANT,
                                       ia_str("[{\"type\":\"text\",\"text\":\"\"}]"), &appended,
                                       &err),
                     IA_OK);
    assert_false(appended);
    assert_int_equal(ia_history_count(h), 1);
    assert_int_equal(ia_history_append(h, IA_MESSAGE_ASSISTANT,
                                       ia_str("[{\"type\":\"text\",\"text\":\"\"},{\"a\":1}]"),
                                       &appended, &err),
                     IA_OK);
    assert_true(appended);
    struct ia_claude_request req = request(h);
    req.no_cache = true;
    check_body(&req, &no_repairs,
               HEAD ",\"messages\":[{\"role\":\"user\",\"content\":[{\"q\":1}]},"
                    "{\"role\":\"assistant\",\"content\":[{\"a\":1}]}]}");
    ia_history_free(h);
}

static void repairs_change_the_request_and_not_the_history(void **state)
{
    (void)state;
    struct ia_history *h = ia_history_new(NULL);
    append(h, IA_MESSAGE_USER, "[{\"q\":1}]");
    append(h, IA_MESSAGE_ASSISTANT,
           "[{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":"
           "\"s\"},{\"a\":1}]");
    append(h, IA_MESSAGE_USER, "[{\"r\":1}]");
    append(h, IA_MESSAGE_ASSISTANT, "[{\"type\":\"redacted_thinking\",\"data\":\"s\"}]");
    append(h, IA_MESSAGE_USER, "[{\"s\":1}]");
    struct ia_claude_request req = request(h);
    req.no_cache = true;
    req.thinking = ia_str("{\"type\":\"adaptive\",\"display\":\"omitted\"}");
    req.tool_choice = ia_str("{\"type\":\"auto\"}");
    struct ia_claude_repairs rep = {.binding = true, .no_tool_choice = true};
    char *body = body_of(&req, &rep);
    assert_non_null(strstr(body, "\"thinking\":{\"type\":\"adaptive\",\"display\":\"omitted\","
                                 "\"block_binding\":{\"prefix_mismatch_behavior\":"
                                 "\"drop_block\"}}"));
    assert_null(strstr(body, "tool_choice"));
    assert_int_equal(count(body, "\"s\""), 3);
    free(body);
    rep.strip_thinking = true;
    rep.no_thinking = true;
    check_body(&req, &rep,
               HEAD ",\"messages\":[{\"role\":\"user\",\"content\":[{\"q\":1}]},"
                    "{\"role\":\"assistant\",\"content\":[{\"a\":1}]},"
                    "{\"role\":\"user\",\"content\":[{\"r\":1}]},"
                    "{\"role\":\"user\",\"content\":[{\"s\":1}]}]}");
    ia_history_free(h);
}

static void malformed_content_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *blocks;
        enum ia_rc rc;
    } rows[] = {
        {"", IA_E_PARSE},
        {"{}", IA_E_PARSE},
        {"[1]", IA_E_PARSE},
        {"[{\"a\":1}", IA_E_PARSE},
        {"[{\"a\":1}] x", IA_E_PARSE},
        {"[{\"a\":\"\xFF\"}]", IA_E_PARSE},
        {"[{\"a\":1,\"cache_control\":{}}]", IA_E_USAGE},
        {"[{\"type\":\"image\",\"source\":{\"type\":\"ia_file\",\"media_type\":\"text/html\","
         "\"path\":\"x\"}}]",
         IA_E_USAGE},
        {"[{\"type\":\"image\",\"source\":{\"type\":\"ia_file\",\"media_type\":\"image/"
         "png\"}}]",
         IA_E_USAGE},
        {"[]", IA_OK},
    };
    struct ia_history *h = ia_history_new(NULL);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_err err;
        enum ia_rc rc =
            ia_history_append(h, IA_MESSAGE_USER, ia_str(rows[i].blocks), NULL, &err);
        if (rc != rows[i].rc) {
            fail_msg("row %zu: %s", i, ia_rc_name(rc));
        }
    }
    assert_int_equal(ia_history_count(h), 0);
    ia_history_free(h);
}

static void requests_that_could_only_be_refused_are_not_sent(void **state)
{
    (void)state;
    struct ia_history *h = ia_history_new(NULL);
    struct ia_history *empty = ia_history_new(NULL);
    struct ia_str nothing = {"", 0};
    append(h, IA_MESSAGE_USER, "[{\"q\":1}]");
    struct ia_claude_request rows[8];
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        rows[i] = request(h);
    }
    rows[0].model = "";
    rows[1].max_tokens = 0;
    rows[2].effort = "huge";
    rows[3].tools = ia_str("{}");
    rows[4].tool_choice = ia_str("{\"type\":\"any\"}");
    rows[5].history = empty;
    rows[6].thinking = ia_str("true");
    rows[7].system = &nothing;
    rows[7].system_count = 1;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_body *b = NULL;
        struct ia_err err;
        if (ia_body_new(&rows[i], &no_repairs, &b, &err) != IA_E_USAGE) {
            fail_msg("row %zu", i);
        }
    }
    ia_history_free(h);
    ia_history_free(empty);
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_has_only_what_was_asked_for),
        cmocka_unit_test(a_summary_is_asked_for_with_the_same_messages_and_then_stands_first),
        cmocka_unit_test(breakpoints_are_on_tools_system_and_the_last_two_user_turns),
        cmocka_unit_test(history_is_sent_with_the_same_bytes_every_time),
        cmocka_unit_test(a_turn_of_twenty_blocks_gets_a_breakpoint_in_between),
        cmocka_unit_test(a_breakpoint_in_between_is_never_on_thinking),
        cmocka_unit_test(empty_text_is_left_out_and_an_empty_message_not_appended),
        cmocka_unit_test(repairs_change_the_request_and_not_the_history),
        cmocka_unit_test(malformed_content_is_refused),
        cmocka_unit_test(requests_that_could_only_be_refused_are_not_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
