/* transcript.c: one stored message as text, block by block.
 *
 * The content is the JSON that was sent or received, so a block may lack any of its fields. */
#include "cli/view/transcript.h"

#include "base/clean.h"
#include "cli/view/labels.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* The text, every line of it after the indent. */
static void put_block(struct ia_buf *out, const char *indent, struct ia_str text)
{
    while (text.n > 0) {
        const char *end = memchr(text.p, '\n', text.n);
        size_t n = end ? (size_t)(end - text.p) : text.n;
        ia_buf_puts(out, indent);
        ia_clean(out, (struct ia_str){text.p, n}, IA_CLEAN_LINE);
        ia_buf_putc(out, '\n');
        n += end ? 1 : 0;
        text.p += n;
        text.n -= n;
    }
}

static void put_bracketed(struct ia_buf *out, const char *indent, struct ia_str what)
{
    ia_buf_puts(out, indent);
    ia_buf_putc(out, '[');
    ia_clean(out, what, IA_CLEAN_LINE);
    ia_buf_puts(out, "]\n");
}

static void put_tool_use(struct ia_buf *out, const json_t *block)
{
    char *input = json_dumps(json_object_get(block, "input"), JSON_COMPACT);
    ia_buf_puts(out, "  > ");
    ia_clean(out, ia_json_field(block, "name"), IA_CLEAN_LINE);
    ia_buf_putc(out, ' ');
    ia_clean(out, ia_str(input), IA_CLEAN_LINE);
    ia_buf_putc(out, '\n');
    free(input);
}

static void put_tool_result(struct ia_buf *out, const json_t *block)
{
    const json_t *content = json_object_get(block, "content");
    const char *indent = json_is_true(json_object_get(block, "is_error")) ? "  ! " : "  < ";
    size_t i = 0;
    const json_t *item = NULL;
    if (json_is_string(content)) {
        put_block(out, indent, ia_json_field(block, "content"));
    }
    json_array_foreach(content, i, item)
    {
        if (ia_str_is(ia_json_field(item, "type"), "text")) {
            put_block(out, indent, ia_json_field(item, "text"));
        } else {
            put_bracketed(out, indent, ia_json_field(item, "type"));
        }
    }
}

/* What a search found, a line each; or why it found nothing. */
static void put_search_result(struct ia_buf *out, const json_t *block)
{
    const json_t *content = json_object_get(block, "content"), *item;
    size_t i;
    if (json_is_object(content)) {
        put_block(out, "  ! ", ia_json_field(content, "error_code"));
    }
    json_array_foreach(content, i, item)
    {
        put_block(out, "  < ", ia_json_field(item, "title"));
        put_block(out, "    ", ia_json_field(item, "url"));
    }
}

static void put_content_block(struct ia_buf *out, const json_t *block)
{
    struct ia_str type = ia_json_field(block, "type");
    if (ia_str_is(type, "text")) {
        put_block(out, "  ", ia_json_field(block, "text"));
    } else if (ia_str_is(type, "tool_use") || ia_str_is(type, "server_tool_use")) {
        put_tool_use(out, block);
    } else if (ia_str_is(type, "web_search_tool_result")) {
        put_search_result(out, block);
    } else if (ia_str_is(type, "tool_result")) {
        put_tool_result(out, block);
    } else if (ia_str_is(type, "thinking") && ia_json_field(block, "thinking").n > 0) {
        put_block(out, "  (thinking) ", ia_json_field(block, "thinking"));
    } else if (ia_str_is(type, "compaction")) {
        put_block(out, "  (summary) ", ia_json_field(block, "content"));
    } else {
        put_bracketed(out, "  ", type);
    }
}

static void put_head(struct ia_buf *out, const struct ia_message_row *row)
{
    ia_buf_printf(out, "%d %s", row->seq, row->role);
    if (strcmp(row->purpose, "verify") == 0) {
        ia_buf_puts(out, ", verifier");
    }
    if (row->stop_reason) {
        ia_buf_puts(out, ", ");
        ia_clean(out, ia_str(row->stop_reason), IA_CLEAN_LINE);
    }
    if (strcmp(row->role, "assistant") == 0) {
        ia_buf_puts(out, ", ");
        ia_fmt_count(out, row->usage.input + row->usage.cache_read + row->usage.cache_write);
        ia_buf_puts(out, " tokens in, ");
        ia_fmt_count(out, row->usage.output);
        ia_buf_puts(out, " out, ");
        ia_fmt_ms(out, row->ms);
    }
    ia_buf_putc(out, '\n');
}

void ia_transcript_message(struct ia_buf *out, const struct ia_message_row *row)
{
    size_t i = 0;
    const json_t *block = NULL;
    put_head(out, row);
    json_t *content = json_loadb(row->content.p, row->content.n, JSON_ALLOW_NUL, NULL);
    json_array_foreach(content, i, block)
    {
        put_content_block(out, block);
    }
    json_decref(content);
    ia_buf_putc(out, '\n');
}
