/* The body of a request: its members, where the cache breakpoints are, images, and repairs,
 * which change what is sent and never the history. */
#include "test.h"

#include "agent/claude/request.h"
#include "base/fd.h"

#include <unistd.h>

static const struct ia_claude_repairs no_repairs;

static struct ia_claude_request request(struct ia_history *h)
{
    return (struct ia_claude_request){.model = "claude-x", .max_tokens = 100, .history = h};
}

static void append(struct ia_history *h, enum ia_message_role role, const char *blocks)
{
    struct ia_err err;
    if (ia_history_append(h, role, ia_str(blocks), NULL, &err)) {
        fail_msg("%s", err.msg);
    }
}

/* The body, read in pieces of `chunk` bytes. Freed by the caller. */
static char *read_body(struct ia_body *b, size_t chunk)
{
    struct ia_buf text = IA_BUF((size_t)64 << 20);
    struct ia_err err;
    size_t got = 1;
    while (got > 0) {
        char piece[4096];
        if (ia_body_read(b, piece, chunk, &got, &err)) {
            fail_msg("%s", err.msg);
        }
        ia_buf_put(&text, piece, got);
    }
    assert_int_equal(text.len, ia_body_size(b));
    return ia_buf_steal(&text);
}

static char *body_of(const struct ia_claude_request *req, const struct ia_claude_repairs *rep)
{
    struct ia_body *b = NULL;
    struct ia_err err;
    if (ia_body_new(req, rep, &b, &err)) {
        fail_msg("%s", err.msg);
    }
    char *whole = read_body(b, 4096);
    ia_body_rewind(b);
    char *again = read_body(b, 1);
    assert_string_equal(whole, again);
    json_t *json = json_loads(whole, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    json_decref(json);
    free(again);
    ia_body_free(b);
    return whole;
}

static void check_body(const struct ia_claude_request *req, const struct ia_claude_repairs *rep,
                       const char *want)
{
    char *got = body_of(req, rep);
    assert_string_equal(got, want);
    free(got);
}

#define CC ",\"cache_control\":{\"type\":\"ephemeral\"}"
#define HEAD "{\"model\":\"claude-x\",\"max_tokens\":100,\"stream\":true"

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

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what)) {
        n++;
    }
    return n;
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

struct image {
    char path[64];
    size_t size;
};

static struct image make_image(size_t size)
{
    struct image image = {.path = "/tmp/ia-image-XXXXXX", .size = size};
    int fd = mkstemp(image.path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < size; i++) {
        char c = (char)(i * 7);
        assert_int_equal(ia_write_all(fd, &c, 1), IA_OK);
    }
    close(fd);
    return image;
}

static char *result_with_image(const char *path)
{
    struct ia_buf b = IA_BUF(4096);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_jsonw_array(&w);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "type", "tool_result");
    ia_jsonw_kv(&w, "tool_use_id", "t1");
    ia_jsonw_key(&w, "content");
    ia_jsonw_array(&w);
    ia_jsonw_raw(&w, ia_str("{\"type\":\"text\",\"text\":\"screen\"}"));
    ia_history_image(&w, path, "image/png", 393, 852);
    ia_jsonw_raw(&w, ia_str("{\"type\":\"text\",\"text\":\"after\"}"));
    ia_jsonw_end_array(&w);
    ia_jsonw_end_object(&w);
    ia_jsonw_end_array(&w);
    return ia_buf_steal(&b);
}

/* What the base64 of base/jsonw.h makes of the file. */
static char *base64_of(const struct image *image)
{
    struct ia_buf b = IA_BUF((size_t)1 << 20);
    struct ia_jsonw w;
    struct ia_err err;
    ia_jsonw_init(&w, &b);
    assert_int_equal(ia_jsonw_base64_file(&w, image->path, &err), IA_OK);
    return ia_buf_steal(&b);
}

static void an_image_file_is_sent_as_base64_inside_a_tool_result(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 3071, 3072, 3073, 10000};
    for (size_t i = 0; i < IA_COUNTOF(sizes); i++) {
        struct image image = make_image(sizes[i]);
        struct ia_history *h = ia_history_new("/tmp");
        char *blocks = result_with_image(strrchr(image.path, '/') + 1);
        append(h, IA_MESSAGE_USER, blocks);
        assert_int_equal(ia_history_images(h), 1);
        struct ia_claude_request req = request(h);
        struct ia_buf want = IA_BUF((size_t)1 << 20);
        char *data = base64_of(&image);
        ia_buf_printf(&want,
                      HEAD ",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_"
                           "result\",\"tool_use_id\":\"t1\",\"content\":[{\"type\":\"text\","
                           "\"text\":\"screen\"},{\"type\":\"image\",\"source\":{\"type\":"
                           "\"base64\",\"media_type\":\"image/png\",\"data\":%s}},{\"type\":"
                           "\"text\",\"text\":\"after\"}]" CC "}]}]}",
                      data);
        check_body(&req, &no_repairs, want.p);
        ia_buf_fini(&want);
        free(data);
        free(blocks);
        ia_history_free(h);
        unlink(image.path);
    }
}

static void an_image_of_its_own_can_carry_the_breakpoint(void **state)
{
    (void)state;
    struct image image = make_image(3);
    struct ia_history *h = ia_history_new(NULL);
    struct ia_buf b = IA_BUF(4096);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_jsonw_array(&w);
    ia_history_image(&w, image.path, "image/jpeg", 0, 0);
    ia_jsonw_end_array(&w);
    append(h, IA_MESSAGE_USER, b.p);
    struct ia_claude_request req = request(h);
    check_body(&req, &no_repairs,
               HEAD ",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image\","
                    "\"source\":{\"type\":\"base64\",\"media_type\":\"image/jpeg\",\"data\":"
                    "\"AAcO\"}" CC "}]}]}");
    ia_buf_fini(&b);
    ia_history_free(h);
    unlink(image.path);
}

static void the_model_cannot_make_us_send_a_file(void **state)
{
    (void)state;
    struct ia_history *h = ia_history_new(NULL);
    const char *block = "[{\"type\":\"image\",\"source\":{\"type\":\"ia_file\",\"media_type\":"
                        "\"image/png\",\"path\":\"/etc/passwd\"}}]";
    append(h, IA_MESSAGE_USER, "[{\"q\":1}]");
    append(h, IA_MESSAGE_ASSISTANT, block);
    assert_int_equal(ia_history_images(h), 0);
    struct ia_claude_request req = request(h);
    char *body = body_of(&req, &no_repairs);
    assert_non_null(strstr(body, "\"ia_file\""));
    free(body);
    ia_history_free(h);
}

static void old_images_can_be_dropped_for_good(void **state)
{
    (void)state;
    struct image image = make_image(3);
    struct ia_history *h = ia_history_new(NULL);
    char *blocks = result_with_image(image.path);
    for (int i = 0; i < 3; i++) {
        append(h, IA_MESSAGE_USER, blocks);
    }
    assert_int_equal(ia_history_drop_images(h, 5), 0);
    assert_int_equal(ia_history_drop_images(h, 1), 2);
    assert_int_equal(ia_history_images(h), 1);
    assert_int_equal(ia_history_drop_images(h, 1), 0);
    struct ia_claude_request req = request(h);
    char *body = body_of(&req, &no_repairs);
    assert_int_equal(count(body, "AAcO"), 1);
    assert_int_equal(count(body, "image no longer available"), 2);
    assert_null(strstr(body, "ia_file"));
    free(body);
    free(blocks);
    ia_history_free(h);
    unlink(image.path);
}

static void an_image_that_is_gone_is_an_error_that_names_it(void **state)
{
    (void)state;
    struct image image = make_image(3);
    struct ia_history *h = ia_history_new(NULL);
    char *blocks = result_with_image(image.path);
    struct ia_body *b = NULL;
    struct ia_err err;
    append(h, IA_MESSAGE_USER, blocks);
    unlink(image.path);
    assert_int_equal(ia_history_append(h, IA_MESSAGE_USER, ia_str(blocks), NULL, &err),
                     IA_E_IO);
    assert_non_null(strstr(err.msg, image.path));
    struct ia_claude_request req = request(h);
    assert_int_equal(ia_body_new(&req, &no_repairs, &b, &err), IA_E_IO);
    free(blocks);
    ia_history_free(h);
}

static void an_image_that_shrinks_while_it_is_sent_is_an_error(void **state)
{
    (void)state;
    struct image image = make_image(8000);
    struct ia_history *h = ia_history_new(NULL);
    char *blocks = result_with_image(image.path);
    struct ia_body *b = NULL;
    struct ia_err err;
    char piece[16384];
    size_t got;
    append(h, IA_MESSAGE_USER, blocks);
    struct ia_claude_request req = request(h);
    assert_int_equal(ia_body_new(&req, &no_repairs, &b, &err), IA_OK);
    assert_int_equal(truncate(image.path, 100), 0);
    assert_int_equal(ia_body_read(b, piece, sizeof(piece), &got, &err), IA_E_IO);
    ia_body_free(b);
    free(blocks);
    ia_history_free(h);
    unlink(image.path);
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

static void a_request_beyond_the_limit_is_refused_here(void **state)
{
    (void)state;
    struct image image = make_image(1);
    assert_int_equal(truncate(image.path, 7000000), 0);
    struct ia_history *h = ia_history_new(NULL);
    char *blocks = result_with_image(image.path);
    struct ia_body *b = NULL;
    struct ia_err err;
    for (int i = 0; i < 4; i++) {
        append(h, IA_MESSAGE_USER, blocks);
    }
    struct ia_claude_request req = request(h);
    assert_int_equal(ia_body_new(&req, &no_repairs, &b, &err), IA_E_API_TOO_LARGE);
    ia_history_drop_images(h, 3);
    assert_int_equal(ia_body_new(&req, &no_repairs, &b, &err), IA_OK);
    ia_body_free(b);
    assert_int_equal(truncate(image.path, 8000000), 0);
    assert_int_equal(ia_history_append(h, IA_MESSAGE_USER, ia_str(blocks), NULL, &err),
                     IA_E_LIMIT);
    free(blocks);
    ia_history_free(h);
    unlink(image.path);
}

static void the_estimate_counts_text_and_images(void **state)
{
    (void)state;
    struct image image = make_image(3);
    struct ia_history *h = ia_history_new(NULL);
    char *blocks = result_with_image(image.path);
    append(h, IA_MESSAGE_USER, "[{\"q\":1}]");
    int64_t before = ia_history_estimate(h, 0, true);
    append(h, IA_MESSAGE_USER, blocks);
    assert_true(ia_history_estimate(h, 1, true) > 465);
    assert_int_equal(ia_history_estimate(h, 0, true), before + ia_history_estimate(h, 1, true));
    free(blocks);
    ia_history_free(h);
    unlink(image.path);
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
        cmocka_unit_test(an_image_file_is_sent_as_base64_inside_a_tool_result),
        cmocka_unit_test(an_image_of_its_own_can_carry_the_breakpoint),
        cmocka_unit_test(the_model_cannot_make_us_send_a_file),
        cmocka_unit_test(old_images_can_be_dropped_for_good),
        cmocka_unit_test(an_image_that_is_gone_is_an_error_that_names_it),
        cmocka_unit_test(an_image_that_shrinks_while_it_is_sent_is_an_error),
        cmocka_unit_test(repairs_change_the_request_and_not_the_history),
        cmocka_unit_test(malformed_content_is_refused),
        cmocka_unit_test(requests_that_could_only_be_refused_are_not_sent),
        cmocka_unit_test(a_request_beyond_the_limit_is_refused_here),
        cmocka_unit_test(the_estimate_counts_text_and_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
