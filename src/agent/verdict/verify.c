/* verify.c: the second opinion. Its question is made from the committed events, not from what
 * the acting model said; the oldest steps are left out where there are too many.
 *
 * It gets a history of its own with one message and one tool. The question and the answer
 * are committed with purpose "verify": they are for people to read and never part of the
 * conversation. */
#include "agent/verdict/verify.h"

#include "agent/loop/commit.h"
#include "agent/loop/request.h"
#include "base/jsonw.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEP_BYTES = 1500,   /* of one step's result */
    STEPS_BYTES = 40000, /* of all; the oldest are left out first */
    VERDICT_TOKENS = 4000
};

/* ---- what it sees ------------------------------------------------------------------------ */

/* The steps as the events have them: what was done to which element, and what changed. The
 * actor's own words are not among that. */
struct step_list {
    struct ia_run_ctx *run;
    struct ia_buf text;
    size_t *ends; /* offset behind each step */
    size_t count, cap;
};

static void put_step(struct step_list *s, const struct ia_event_tool_finished *step)
{
    struct ia_buf screen = IA_BUF(IA_EVENT_BYTES_MAX);
    const char *changes = ia_event_text(step->changes);
    size_t n = strlen(changes);
    bool cut = n > STEP_BYTES;
    ia_buf_printf(&screen, "%s\n", ia_event_text(step->element));
    ia_buf_put(&screen, changes, cut ? ia_utf8_cut(changes, STEP_BYTES) : n);
    ia_buf_puts(&screen, cut ? " …" : "");
    ia_buf_printf(&s->text, "step %lld %s %s\n", (long long)step->step,
                  ia_event_text(step->tool), ia_event_text(step->code));
    /* What the screen says is data, for this model as for the other. */
    ia_fence(&s->text, s->run->boundary, ia_buf_str(&screen));
    ia_buf_putc(&s->text, '\n');
    ia_buf_fini(&screen);
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->ends = ia_realloc(s->ends, s->cap, sizeof(*s->ends));
    }
    s->ends[s->count++] = s->text.len;
}

static bool take_event(void *ctx, const struct ia_event_row *row)
{
    struct step_list *s = ctx;
    struct ia_event e;
    if (row->type == IA_EVENT_RUN_ROLLED_BACK) { /* that attempt did nothing */
        ia_buf_reset(&s->text);
        s->count = 0;
    }
    if (row->type != IA_EVENT_TOOL_FINISHED) {
        return true;
    }
    if (ia_event_read(&e, row->json)) {
        enum ia_tool tool = ia_tool_from_name(e.tool_finished.tool);
        /* Left out: finish and remember carry the actor's own words. */
        if (tool != IA_TOOL_COUNT && tool != IA_TOOL_FINISH && tool != IA_TOOL_REMEMBER) {
            put_step(s, &e.tool_finished);
        }
    }
    ia_event_fini(&e);
    return true;
}

static enum ia_rc list_steps(struct step_list *s, struct ia_err *err)
{
    int64_t last = 0, before;
    enum ia_rc rc;
    do {
        before = last;
        struct ia_event_range range = {.run_id = s->run->id, .after_id = before};
        rc = ia_store_events(s->run->env->store, &range, take_event, s, &last, err);
    } while (rc == IA_OK && last > before);
    return rc;
}

/* Drops whole steps from the front until the list fits; returns how many. */
static size_t shorten(struct step_list *s)
{
    size_t dropped = 0;
    while (dropped < s->count &&
           s->text.len - (dropped ? s->ends[dropped - 1] : 0) > STEPS_BYTES) {
        dropped++;
    }
    ia_buf_consume(&s->text, dropped ? s->ends[dropped - 1] : 0);
    return dropped;
}

static void put_last_screen(struct ia_run_ctx *run, const struct ia_snapshot *last,
                            struct ia_buf *out)
{
    struct ia_buf screen = IA_BUF(IA_RESULT_BYTES_MAX);
    ia_snapshot_text(last, 0, &screen);
    ia_buf_puts(out, "<last>\n");
    ia_fence(out, run->boundary, ia_buf_str(&screen));
    ia_buf_puts(out, "\n</last>");
    ia_buf_fini(&screen);
}

/* <goal>, <expect>…, the boundary, <steps>, <last>. */
static enum ia_rc compose(struct ia_run_ctx *run, const struct ia_snapshot *last,
                          struct ia_buf *out, struct ia_err *err)
{
    struct step_list steps = {.run = run, .text = IA_BUF(IA_TURN_BYTES_MAX)};
    enum ia_rc rc = list_steps(&steps, err);
    if (rc == IA_OK) {
        size_t left_out = shorten(&steps);
        ia_buf_printf(out, "<goal>\n%s\n</goal>\n", run->req->goal);
        for (size_t i = 0; i < run->proof.expects.count; i++) {
            ia_buf_printf(out, "<expect>%s</expect>\n", run->proof.expects.items[i].source);
        }
        ia_buf_printf(out, "Screen boundary: %s\n<steps left_out=\"%zu\">\n", run->boundary,
                      left_out);
        ia_buf_putstr(out, ia_buf_str(&steps.text));
        ia_buf_puts(out, "</steps>\n");
        put_last_screen(run, last, out);
        rc = ia_buf_check(out, "the verifier's message", err);
    }
    ia_buf_fini(&steps.text);
    free(steps.ends);
    return rc;
}

static void message_json(const struct ia_buf *text, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_array(&w);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "type", "text");
    ia_jsonw_key(&w, "text");
    ia_jsonw_str(&w, ia_buf_str(text));
    ia_jsonw_end_object(&w);
    ia_jsonw_end_array(&w);
}

/* ---- its answer -------------------------------------------------------------------------- */

/* Only a well-formed call of verdict counts; anything else is no agreement. */
static bool read_verdict(struct ia_run_ctx *run, const struct ia_claude_message *m,
                         struct ia_buf *reason)
{
    size_t index = 0;
    const struct ia_claude_block *b = ia_claude_message_next_tool(m, &index);
    /* Exactly one call, complete, and nothing that was cut. */
    if (!b || !b->complete || !b->input_ok || !b->name || strcmp(b->name, "verdict") != 0 ||
        ia_claude_message_next_tool(m, &index) || m->stop != IA_STOP_TOOL_USE) {
        return false;
    }
    if (ia_prompts_check_verdict(run->texts.prompts, b->input, NULL) != IA_OK) {
        return false;
    }
    ia_buf_puts(reason, json_string_value(json_object_get(b->input, "reason")));
    return json_is_true(json_object_get(b->input, "agrees"));
}

static enum ia_rc commit_answer(struct ia_run_ctx *run, const struct ia_buf *question,
                                const struct ia_claude_reply *reply, bool agrees,
                                const struct ia_buf *reason, struct ia_err *err)
{
    struct ia_buf content = IA_BUF(IA_CLAUDE_MESSAGE_MAX);
    ia_claude_message_content(&reply->message, &content);
    const struct ia_event_request_finished finished = ia_request_finished(run, reply, "verify");
    const struct ia_event_verifier_result result = {.agrees = agrees,
                                                    .reason = ia_str(ia_buf_cstr(reason))};
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        struct ia_message_row asked = {
            .role = "user", .purpose = "verify", .content = ia_buf_str(question)};
        struct ia_message_row answer = ia_request_row(reply, "verify", &content);
        ia_tx_add_message(c.tx, run->id, &asked, NULL);
        ia_tx_add_message(c.tx, run->id, &answer, NULL);
        ia_commit_event(&c, IA_EVENT(&finished));
        ia_commit_event(&c, IA_EVENT(&result));
        rc = ia_commit_end(&c, err);
    }
    ia_buf_fini(&content);
    return rc;
}

static enum ia_rc ask(struct ia_run_ctx *run, struct ia_history *history,
                      const struct ia_buf *question, bool *ret_agrees, struct ia_buf *reason,
                      struct ia_err *why, struct ia_err *err)
{
    struct ia_str system = ia_prompts_verifier(run->texts.prompts);
    struct ia_str tool = ia_prompts_verdict_tool(run->texts.prompts);
    struct ia_buf tools = IA_BUF(IA_PROMPT_BYTES_MAX);
    ia_buf_printf(&tools, "[%.*s]", (int)tool.n, tool.p);
    struct ia_claude_request req = {
        .model = run->req->verifier_model ? run->req->verifier_model : run->req->model,
        .max_tokens = VERDICT_TOKENS,
        .system = &system,
        .system_count = 1,
        .tools = ia_buf_str(&tools),
        .history = history,
        /* Each question is asked once: a cache would be written and never read. */
        .no_cache = true,
    };
    struct ia_claude_reply reply;
    enum ia_rc rc = ia_request_send(run, &req, &reply, why, err);
    if (rc == IA_OK && why->code == IA_OK) {
        *ret_agrees = read_verdict(run, &reply.message, reason);
        rc = commit_answer(run, question, &reply, *ret_agrees, reason, err);
        ia_claude_reply_fini(&reply);
    }
    ia_buf_fini(&tools);
    return rc;
}

enum ia_rc ia_verify(struct ia_run_ctx *run, const struct ia_snapshot *last, bool *ret_agrees,
                     struct ia_buf *reason, struct ia_err *why, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_TURN_BYTES_MAX), question = IA_BUF(IA_TURN_BYTES_MAX);
    struct ia_history *history = ia_history_new(NULL);
    enum ia_rc rc = compose(run, last, &text, err);
    if (rc == IA_OK) {
        message_json(&text, &question);
        rc = ia_history_append(history, IA_MESSAGE_USER, ia_buf_str(&question), NULL, err);
    }
    if (rc == IA_OK) {
        rc = ask(run, history, &question, ret_agrees, reason, why, err);
    }
    ia_history_free(history);
    ia_buf_fini(&text);
    ia_buf_fini(&question);
    return rc;
}
