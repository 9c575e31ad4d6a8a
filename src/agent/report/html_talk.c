/* html_talk.c: the transcript of a run, message by message.
 *
 * Each block is cut to BLOCK_MAX bytes and the whole to TALK_MAX, as a transcript can be larger
 * than any browser likes. Pictures are only named. */
#include "agent/report/html.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_MAX = 24 << 10, TALK_MAX = 1 << 20 };

struct talk {
    struct ia_buf *out; /* the page's */
    struct ia_buf head, blocks;
    size_t bytes;
    bool cut;
};

static void put_block(struct talk *t, const char *kind, struct ia_str text)
{
    struct ia_buf cut = IA_BUF(BLOCK_MAX + 8);
    ia_cut(&cut, text, BLOCK_MAX);
    ia_tmpl(&t->blocks, "block.html",
            (struct ia_tmpl_var[]){IA_VAR("kind", kind), IA_VAR_BUF("text", &cut), {0}});
    ia_buf_fini(&cut);
}

static void put_call(struct talk *t, const json_t *block)
{
    char *input = json_dumps(json_object_get(block, "input"), JSON_COMPACT);
    struct ia_buf text = IA_BUF(IA_CONTENT_BYTES_MAX);
    ia_buf_putstr(&text, ia_rep_text(block, "name"));
    ia_buf_putc(&text, ' ');
    ia_buf_puts(&text, input);
    put_block(t, "call", ia_buf_str(&text));
    ia_buf_fini(&text);
    free(input);
}

static void put_word(struct talk *t, struct ia_str word)
{
    struct ia_buf text = IA_BUF(256);
    ia_buf_putc(&text, '[');
    ia_cut(&text, word, 64);
    ia_buf_putc(&text, ']');
    put_block(t, "word", ia_buf_str(&text));
    ia_buf_fini(&text);
}

static void put_result(struct talk *t, const json_t *block)
{
    const json_t *content = json_object_get(block, "content");
    const char *kind = json_is_true(json_object_get(block, "is_error")) ? "fault" : "result";
    size_t i = 0;
    const json_t *item = NULL;
    if (json_is_string(content)) {
        put_block(t, kind, ia_rep_text(block, "content"));
    }
    json_array_foreach(content, i, item)
    {
        if (ia_str_is(ia_rep_text(item, "type"), "text")) {
            put_block(t, kind, ia_rep_text(item, "text"));
        } else {
            put_word(t, ia_rep_text(item, "type"));
        }
    }
}

/* What a search found, or why it found nothing. */
static void put_search_result(struct talk *t, const json_t *block)
{
    const json_t *content = json_object_get(block, "content"), *item;
    size_t i;
    if (json_is_object(content)) {
        put_block(t, "fault", ia_rep_text(content, "error_code"));
    }
    json_array_foreach(content, i, item)
    {
        struct ia_buf line = IA_BUF(IA_CONTENT_BYTES_MAX);
        ia_buf_putstr(&line, ia_rep_text(item, "title"));
        ia_buf_puts(&line, "\n");
        ia_buf_putstr(&line, ia_rep_text(item, "url"));
        put_block(t, "result", ia_buf_str(&line));
        ia_buf_fini(&line);
    }
}

static void put_content(struct talk *t, const json_t *block)
{
    struct ia_str type = ia_rep_text(block, "type");
    if (ia_str_is(type, "text")) {
        put_block(t, "text", ia_rep_text(block, "text"));
    } else if (ia_str_is(type, "tool_use") || ia_str_is(type, "server_tool_use")) {
        put_call(t, block);
    } else if (ia_str_is(type, "web_search_tool_result")) {
        put_search_result(t, block);
    } else if (ia_str_is(type, "tool_result")) {
        put_result(t, block);
    } else if (ia_str_is(type, "thinking") && ia_rep_text(block, "thinking").n > 0) {
        put_block(t, "word", ia_rep_text(block, "thinking"));
    } else if (ia_str_is(type, "compaction")) {
        put_block(t, "word", ia_rep_text(block, "content"));
    } else {
        put_word(t, type);
    }
}

static void put_head(struct ia_buf *out, const struct ia_message_row *row)
{
    bool verify = strcmp(row->purpose, "verify") == 0;
    ia_buf_printf(out, "%d %s%s", row->seq, row->role, verify ? ", verifier" : "");
    if (strcmp(row->role, "assistant") == 0) {
        ia_buf_puts(out, " · ");
        ia_fmt_count(out, row->usage.input + row->usage.cache_read + row->usage.cache_write);
        ia_buf_puts(out, " tokens in, ");
        ia_fmt_count(out, row->usage.output);
        ia_buf_puts(out, " out · ");
        ia_fmt_ms(out, row->ms);
    }
}

static bool put_message(void *ctx, const struct ia_message_row *row)
{
    struct talk *t = ctx;
    size_t i = 0, from = t->out->len;
    const json_t *block = NULL;
    json_t *content = json_loadb(row->content.p, row->content.n, JSON_ALLOW_NUL, NULL);
    ia_buf_reset(&t->head);
    ia_buf_reset(&t->blocks);
    put_head(&t->head, row);
    json_array_foreach(content, i, block)
    {
        put_content(t, block);
    }
    json_decref(content);
    ia_tmpl(t->out, "message.html",
            (struct ia_tmpl_var[]){IA_VAR("role", row->role),
                                   IA_VAR_BUF("head", &t->head),
                                   IA_VAR_BUF("blocks", &t->blocks),
                                   {0}});
    t->bytes += t->out->len - from;
    t->cut = t->bytes > TALK_MAX;
    return !t->cut;
}

enum ia_rc ia_html_talk(struct ia_page *p, const struct ia_rep_run *run, struct ia_err *err)
{
    struct talk t = {
        .out = &p->out.buf, .head = IA_BUF(1024), .blocks = IA_BUF(IA_HTML_PART_MAX)};
    enum ia_rc rc =
        ia_store_messages(p->site->r->store, run->row->id, NULL, put_message, &t, err);
    ia_buf_fini(&t.head);
    ia_buf_fini(&t.blocks);
    if (rc == IA_OK) {
        ia_tmpl(
            &p->out.buf, "run_close.html",
            (struct ia_tmpl_var[]){IA_VAR_IF("cut", t.cut), IA_VAR("id", run->row->id), {0}});
        ia_out_flush(&p->out);
    }
    return rc;
}
