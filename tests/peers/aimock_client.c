/* aimock_client URL tools|faults|ask CODE: drives the client against a running aimock with the
 * fixtures of tests/data/claude/aimock. Says what went wrong and exits 1 when something did. */
#include "agent/claude/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct talk {
    struct ia_claude *claude;
    struct ia_claude_conn *conn;
    struct ia_history *history;
    struct ia_claude_reply reply;
    struct ia_err err;
};

static const char tools[] =
    "[{\"name\":\"snapshot\",\"description\":\"d\",\"input_schema\":{\"type\":\"object\","
    "\"properties\":{\"interactive\":{\"type\":\"boolean\"}}}},{\"name\":\"tap\","
    "\"description\":"
    "\"d\",\"input_schema\":{\"type\":\"object\",\"properties\":{\"ref\":{\"type\":\"string\"}}"
    ","
    "\"required\":[\"ref\"]}}]";

static struct ia_str lend(void *ctx)
{
    (void)ctx;
    return ia_str("sk-ant-peer-test");
}

static void start(struct talk *t, struct ia_claude *claude)
{
    *t = (struct talk){.claude = claude, .history = ia_history_new(NULL)};
    t->reply = (struct ia_claude_reply){.message = {.usage = ia_claude_usage_none()}};
    if (ia_claude_conn_new(claude, &t->conn, &t->err)) {
        fprintf(stderr, "%s\n", t->err.msg);
        exit(1);
    }
}

static void finish(struct talk *t)
{
    ia_claude_reply_fini(&t->reply);
    ia_claude_conn_free(t->conn);
    ia_history_free(t->history);
}

static void say(struct talk *t, const char *text)
{
    struct ia_buf b = IA_BUF(4096);
    ia_buf_puts(&b, "[{\"type\":\"text\",\"text\":\"");
    ia_json_escape(&b, ia_str(text));
    ia_buf_puts(&b, "\"}]");
    (void)ia_history_append(t->history, IA_MESSAGE_USER, ia_buf_str(&b), NULL, &t->err);
    ia_buf_fini(&b);
}

static enum ia_rc turn(struct talk *t)
{
    struct ia_str system = ia_str("You test apps.");
    struct ia_claude_request req = {.model = "claude-sonnet-5-5",
                                    .max_tokens = 1024,
                                    .system = &system,
                                    .system_count = 1,
                                    .tools = ia_str(tools),
                                    .history = t->history};
    ia_claude_reply_fini(&t->reply);
    return ia_claude_send(t->conn, &req, NULL, NULL, IA_NO_DEADLINE, &t->reply, &t->err);
}

/* Answers every tool_use with the same text, in one user message. */
static void answer_tools(struct talk *t, const char *text)
{
    struct ia_buf b = IA_BUF(65536);
    struct ia_jsonw w;
    const struct ia_claude_block *call;
    size_t at = 0;
    (void)ia_history_append_message(t->history, &t->reply.message, NULL, &t->err);
    ia_jsonw_init(&w, &b);
    ia_jsonw_array(&w);
    while ((call = ia_claude_message_next_tool(&t->reply.message, &at))) {
        ia_jsonw_object(&w);
        ia_jsonw_kv(&w, "type", "tool_result");
        ia_jsonw_kv(&w, "tool_use_id", call->id);
        ia_jsonw_kv(&w, "content", text);
        ia_jsonw_end_object(&w);
    }
    ia_jsonw_end_array(&w);
    (void)ia_history_append(t->history, IA_MESSAGE_USER, ia_buf_str(&b), NULL, &t->err);
    ia_buf_fini(&b);
}

static int check(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "not so: %s\n", what);
    }
    return ok;
}

static const char *text_of(const struct talk *t)
{
    const struct ia_claude_message *m = &t->reply.message;
    for (size_t i = 0; i < m->block_count; i++) {
        if (m->blocks[i].text) {
            return m->blocks[i].text;
        }
    }
    return "";
}

static const struct ia_claude_block *tool(const struct talk *t, size_t index)
{
    const struct ia_claude_block *b = NULL;
    size_t at = 0;
    for (size_t i = 0; i <= index; i++) {
        b = ia_claude_message_next_tool(&t->reply.message, &at);
    }
    return b;
}

static bool input_is(const struct ia_claude_block *b, const char *key, const char *want)
{
    const char *got =
        b && b->input_ok ? json_string_value(json_object_get(b->input, key)) : NULL;
    return got && strcmp(got, want) == 0;
}

static bool first_turn(struct talk *t)
{
    const struct ia_claude_block *snapshot = NULL;
    say(t, "Turn on dark mode");
    if (!check(turn(t) == IA_OK, t->err.msg)) {
        return false;
    }
    snapshot = tool(t, 0);
    return check(t->reply.message.stop == IA_STOP_TOOL_USE, "the first turn asks for a tool") &
           check(t->reply.message.blocks[0].kind == IA_BLOCK_THINKING, "it thinks first") &
           check(strcmp(text_of(t),
                        "I'll take a snapshot of the screen first. \u2014 d\u00e9but "
                        "\U0001F4F1") == 0,
                 "its text is whole") &
           check(snapshot && strcmp(snapshot->name, "snapshot") == 0 &&
                     json_is_true(json_object_get(snapshot->input, "interactive")),
                 "it calls snapshot");
}

static bool second_turn(struct talk *t)
{
    answer_tools(t, "Settings @e5 General @e9 Display");
    return check(turn(t) == IA_OK, t->err.msg) &&
           check(input_is(tool(t, 0), "ref", "@e5"), "the first of two calls") &
               check(input_is(tool(t, 1), "note",
                              "quote \" backslash \\ newline \n tab \t \u0416"),
                     "the second, with escapes") &
               check(!tool(t, 2), "there are two calls");
}

static bool run_tools(struct ia_claude *claude)
{
    static const struct {
        const char *result, *end;
    } rows[] = {{"ok", "Dark mode is on."}, {"ERROR: covered", "The tap failed, giving up."}};
    bool ok = true;
    for (size_t i = 0; ok && i < IA_COUNTOF(rows); i++) {
        struct talk t;
        start(&t, claude);
        ok = first_turn(&t) && second_turn(&t);
        if (ok) {
            answer_tools(&t, rows[i].result);
            ok = check(turn(&t) == IA_OK, t.err.msg) &&
                 check(strcmp(text_of(&t), rows[i].end) == 0, rows[i].end) &
                     check(t.reply.message.stop == IA_STOP_END_TURN, "the third turn ends it");
        }
        finish(&t);
    }
    return ok;
}

static bool run_faults(struct ia_claude *claude)
{
    static const struct {
        const char *prompt;
        enum ia_rc rc;
        enum ia_stop stop;
        int attempts;
    } rows[] = {
        {"FAULT rate limit", IA_OK, IA_STOP_END_TURN, 2},
        {"FAULT overloaded", IA_OK, IA_STOP_END_TURN, 2},
        {"FAULT truncated stream", IA_E_API_STREAM, IA_STOP_NONE, 0},
        {"FAULT disconnect", IA_E_API_STREAM, IA_STOP_NONE, 0},
        {"FAULT max tokens", IA_OK, IA_STOP_MAX_TOKENS, 1},
        {"FAULT refusal", IA_OK, IA_STOP_REFUSAL, 1},
        {"FAULT pause", IA_OK, IA_STOP_PAUSE_TURN, 1},
        {"FAULT slow first byte", IA_OK, IA_STOP_END_TURN, 1},
        {"FAULT malformed", IA_E_API_PROTOCOL, IA_STOP_NONE, 0},
        {"FAULT drop", IA_E_API_SERVER, IA_STOP_NONE, 0},
        {"no such fixture", IA_E_API_SERVER, IA_STOP_NONE, 0},
    };
    bool ok = true;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct talk t;
        start(&t, claude);
        say(&t, rows[i].prompt);
        enum ia_rc rc = turn(&t);
        bool same = rc == rows[i].rc && (rc || (t.reply.message.stop == rows[i].stop &&
                                                t.reply.attempts == rows[i].attempts));
        if (!same) {
            fprintf(stderr, "%s: %s %s, stop %d, attempts %d\n", rows[i].prompt, ia_rc_name(rc),
                    rc ? t.err.msg : "", (int)t.reply.message.stop, t.reply.attempts);
        }
        ok = ok && same;
        finish(&t);
    }
    return ok;
}

static bool run_ask(struct ia_claude *claude, const char *code)
{
    struct talk t;
    start(&t, claude);
    say(&t, "Turn on dark mode");
    enum ia_rc rc = turn(&t);
    bool ok = check(strcmp(ia_rc_name(rc), code) == 0, code);
    if (!ok) {
        fprintf(stderr, "but %s: %s\n", ia_rc_name(rc), rc ? t.err.msg : "");
    }
    finish(&t);
    return ok;
}

int main(int argc, char **argv)
{
    struct ia_vclock *clock = ia_vclock_new(0); /* waits between tries take no time */
    struct ia_claude *claude = NULL;
    struct ia_err err = {0};
    struct ia_claude_options opt = {.base_url = argc > 2 ? argv[1] : "",
                                    .secret = {.borrow = lend},
                                    .clock = ia_vclock_clock(clock)};
    if (argc < 3 || ia_claude_new(&opt, &claude, &err)) {
        fprintf(stderr, "usage: aimock_client URL tools|faults|ask CODE\n%s\n", err.msg);
        return 2;
    }
    bool ok = strcmp(argv[2], "tools") == 0    ? run_tools(claude)
              : strcmp(argv[2], "faults") == 0 ? run_faults(claude)
                                               : run_ask(claude, argc > 3 ? argv[3] : "OK");
    ia_claude_free(claude);
    ia_vclock_free(clock);
    printf("%s %s: %s\n", argv[2], argc > 3 ? argv[3] : "", ok ? "ok" : "failed");
    return ok ? 0 : 1;
}
