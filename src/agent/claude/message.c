/* message.c: usage and messages: reading tokens, adding them up, freeing, and the two JSON forms.
 *
 * -1 in a token count means that the server did not say; adding keeps that apart from 0
 * (add). */
#include "agent/claude/message.h"

#include "agent/claude/block.h"
#include "base/jsonw.h"

#include <stdlib.h>
#include <string.h>

struct ia_claude_usage ia_claude_usage_none(void)
{
    return (struct ia_claude_usage){.total = {.input = -1,
                                              .cache_read = -1,
                                              .cache_write = -1,
                                              .cache_write_5m = -1,
                                              .cache_write_1h = -1,
                                              .output = -1,
                                              .thinking = -1},
                                    .web_searches = -1};
}

void ia_claude_usage_fini(struct ia_claude_usage *u)
{
    free(u->iterations);
    free(u->json);
    *u = ia_claude_usage_none();
}

static void read_model(struct ia_str json, char *dst, size_t size)
{
    struct ia_jscan s = ia_jscan(json);
    struct ia_jstr model;
    if (ia_jscan_string(&s, &model) && !model.escaped && model.raw.n < size) {
        memcpy(dst, model.raw.p, model.raw.n);
        dst[model.raw.n] = '\0';
    }
}

/* A number of tokens, or -1 for anything else. */
static int64_t tokens_of(struct ia_str json)
{
    int64_t n = ia_json_int(json, -1);
    /* Capped, so that sums and prices cannot overflow whatever a server sends. */
    return n < 0 ? -1 : n < IA_CLAUDE_TOKENS_MAX ? n : IA_CLAUDE_TOKENS_MAX;
}

/* One member of a usage object. */
static void read_member(struct ia_claude_tokens *t, struct ia_str key, struct ia_str value)
{
    if (IA_IS(key, "input_tokens")) {
        t->input = tokens_of(value);
    } else if (IA_IS(key, "cache_read_input_tokens")) {
        t->cache_read = tokens_of(value);
    } else if (IA_IS(key, "cache_creation_input_tokens")) {
        t->cache_write = tokens_of(value);
    } else if (IA_IS(key, "output_tokens")) {
        t->output = tokens_of(value);
    } else if (IA_IS(key, "cache_creation")) {
        t->cache_write_5m = tokens_of(ia_json_get(value, "ephemeral_5m_input_tokens"));
        t->cache_write_1h = tokens_of(ia_json_get(value, "ephemeral_1h_input_tokens"));
    } else if (IA_IS(key, "output_tokens_details")) {
        t->thinking = tokens_of(ia_json_get(value, "thinking_tokens"));
    } else if (IA_IS(key, "model")) {
        read_model(value, t->model, sizeof(t->model));
    }
}

static struct ia_claude_tokens read_tokens(struct ia_str json)
{
    struct ia_claude_tokens t = ia_claude_usage_none().total;
    struct ia_jwalk w = ia_jwalk(ia_jscan(json), '{');
    struct ia_jstr key;
    struct ia_str value;
    while (ia_jwalk_member(&w, &key) && ia_jwalk_value(&w, &value)) {
        read_member(&t, key.raw, value);
    }
    return t;
}

static void read_iterations(struct ia_claude_usage *u, struct ia_str list)
{
    struct ia_jwalk w = ia_jwalk(ia_jscan(list), '[');
    struct ia_str item;
    while (ia_jwalk_item(&w) && ia_jwalk_value(&w, &item) &&
           u->iteration_count < IA_CLAUDE_ITERATIONS_MAX) {
        u->iterations =
            ia_realloc(u->iterations, u->iteration_count + 1, sizeof(*u->iterations));
        u->iterations[u->iteration_count++] = read_tokens(item);
    }
}

struct ia_claude_usage ia_claude_usage_parse(struct ia_str json)
{
    struct ia_claude_usage u = ia_claude_usage_none();
    if (json.n == 0 || json.p[0] != '{') {
        return u;
    }
    u.total = read_tokens(json);
    u.json = ia_strndup(json.p, json.n);
    u.web_searches =
        tokens_of(ia_json_get(ia_json_get(json, "server_tool_use"), "web_search_requests"));
    struct ia_str list = ia_json_get(json, "iterations");
    if (list.n > 0 && list.p[0] == '[') {
        read_iterations(&u, list);
    }
    return u;
}

static void add_tokens(int64_t *sum, int64_t n)
{
    *sum = n < 0 ? *sum : (*sum > 0 ? *sum : 0) + n;
}

struct ia_claude_tokens ia_claude_usage_said(const struct ia_claude_usage *u)
{
    struct ia_claude_tokens sum = u->total;
    if (u->iteration_count == 0 || sum.input > 0 || sum.cache_read > 0 || sum.cache_write > 0 ||
        sum.output > 0) {
        return sum;
    }
    for (size_t i = 0; i < u->iteration_count; i++) {
        add_tokens(&sum.input, u->iterations[i].input);
        add_tokens(&sum.cache_read, u->iterations[i].cache_read);
        add_tokens(&sum.cache_write, u->iterations[i].cache_write);
        add_tokens(&sum.output, u->iterations[i].output);
    }
    return sum;
}

void ia_claude_block_fini(struct ia_claude_block *b)
{
    free(b->type);
    free(b->json);
    free(b->text);
    free(b->id);
    free(b->name);
    json_decref(b->input);
    free(b->bad_input);
}

void ia_claude_message_fini(struct ia_claude_message *m)
{
    for (size_t i = 0; i < m->block_count; i++) {
        ia_claude_block_fini(&m->blocks[i]);
    }
    free(m->blocks);
    free(m->id);
    free(m->model);
    free(m->stop_reason);
    free(m->stop_details);
    free(m->json_head);
    ia_claude_usage_fini(&m->usage);
    *m = (struct ia_claude_message){.usage = ia_claude_usage_none()};
}

void ia_claude_message_content(const struct ia_claude_message *m, struct ia_buf *out)
{
    ia_buf_putc(out, '[');
    for (size_t i = 0; i < m->block_count; i++) {
        ia_buf_puts(out, i ? "," : "");
        ia_buf_put(out, m->blocks[i].json, m->blocks[i].json_len);
    }
    ia_buf_putc(out, ']');
}

void ia_claude_message_json(const struct ia_claude_message *m, struct ia_buf *out)
{
    struct ia_buf content = IA_BUF(IA_CLAUDE_MESSAGE_MAX * 2);
    ia_claude_message_content(m, &content);
    const struct ia_jpair pairs[] = {
        {ia_str("content"), ia_buf_str(&content)},
        {ia_str("usage"), ia_str(m->usage.json ? m->usage.json : "null")},
    };
    if (!content.failed) {
        ia_json_patch(ia_str(m->json_head), pairs, IA_COUNTOF(pairs), out);
    } else {
        out->failed = true;
    }
    ia_buf_fini(&content);
}

const struct ia_claude_block *ia_claude_message_next_tool(const struct ia_claude_message *m,
                                                          size_t *index)
{
    while (*index < m->block_count) {
        const struct ia_claude_block *b = &m->blocks[(*index)++];
        if (b->kind == IA_BLOCK_TOOL_USE) {
            return b;
        }
    }
    return NULL;
}
