/* verify.c: the second opinion: a request of its own, with one message and one tool.
 *
 *     question (acts.c, screen) ─► the same as the last one? ─► yes: its answer
 *                                        │ no
 *                                        ▼
 *                                     request ─► a verdict? ─► yes: COMMIT, the answer
 *                                                  │ no: once more, with room and a nudge
 *                                                  ▼
 *                                               the run ends as an error of the provider
 *
 * For an agent that goes by pictures the question has the picture of the last screen, too.
 *
 * The key of a question says what was done and what the screen shows, without refs, which a resumed
 * run gives anew. It is committed with the answer, so a kill does not make anybody ask twice. The
 * question and the answer are committed with purpose "verify": they are for people to read and
 * never part of the conversation. */
#include "agent/verdict/verify.h"

#include "agent/verdict/subtasks.h"

#include "agent/loop/commit.h"
#include "agent/loop/compose.h"
#include "agent/loop/request.h"
#include "agent/verdict/acts.h"
#include "agent/verdict/picture.h"
#include "base/jsonw.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum {
    VERDICT_TOKENS = 4000,
    ASKS_MAX = 2,
    /* All of a request but the last screen and a goal of more than usual length stays below
     * 1,500 tokens, at three bytes a token, the API's own words about tools not counted. */
    REQUEST_BYTES = 4000,
    STEPS_BYTES_MIN = 1200, /* what steps get whatever the length of the goal */
    EARLIER_BYTES = 200
};

/* ---- what it is asked --------------------------------------------------------------------- */

struct question {
    struct ia_buf done; /* goal, expectations and steps */
    struct ia_buf text; /* the whole message */
    bool sees;          /* with the picture of the last screen */
    struct ia_seen_picture last;
    char key[IA_SHA256_HEX_SIZE];
};

static void question_fini(struct question *q)
{
    ia_buf_fini(&q->done);
    ia_buf_fini(&q->text);
}

static size_t steps_bytes(const struct ia_run_ctx *run, size_t used)
{
    used += ia_prompts_verifier(run->texts.prompts).n;
    used += ia_prompts_verdict_tool(run->texts.prompts).n;
    return used + STEPS_BYTES_MIN < REQUEST_BYTES ? REQUEST_BYTES - used : STEPS_BYTES_MIN;
}

/* What the user's words are about: the goal, and the texts and labels of expectations. */
static void put_subject(const struct ia_run_ctx *run, struct ia_buf *out)
{
    ia_buf_puts(out, run->req->goal);
    for (size_t i = 0; i < run->proof.expects.count; i++) {
        const struct ia_expect *x = &run->proof.expects.items[i];
        ia_buf_printf(out, " %s %s", x->sel.label ? x->sel.label : "", x->text ? x->text : "");
    }
}

/* What was delegated, by verdict and proof. */
static enum ia_rc put_subtasks(struct ia_run_ctx *run, struct ia_buf *out, struct ia_err *err)
{
    struct ia_subtasks all;
    struct ia_buf text = IA_BUF(IA_TURN_BYTES_MAX);
    enum ia_rc rc = ia_subtasks_read(run->env->store, run->id, &all, err);
    if (rc == IA_OK && all.count > 0) {
        ia_subtasks_put(&all, &text);
        ia_buf_puts(out, "<subtasks>\n");
        ia_fence_data(out, run->boundary, ia_buf_str(&text));
        ia_buf_puts(out, "\n</subtasks>\n");
    }
    ia_subtasks_fini(&all);
    ia_buf_fini(&text);
    return rc;
}

static enum ia_rc put_done(struct ia_run_ctx *run, struct ia_buf *out, struct ia_err *err)
{
    struct ia_buf steps = IA_BUF(IA_TURN_BYTES_MAX), subject = IA_BUF(IA_TURN_BYTES_MAX);
    struct ia_acts acts;
    ia_buf_printf(out, "<goal>\n%s\n</goal>\n", run->req->goal);
    for (size_t i = 0; i < run->proof.expects.count; i++) {
        const struct ia_expect *x = &run->proof.expects.items[i];
        if (!x->relaunch) { /* not checked before the verifier agrees */
            ia_buf_printf(out, "<expect>%s</expect>\n", x->source);
        }
    }
    ia_buf_printf(out, "Screen boundary: %s\n", run->boundary);
    enum ia_rc rc = ia_acts_read(run, &acts, err);
    if (rc == IA_OK) {
        if (acts.messages.len > 0) {
            ia_buf_printf(out, "<messages>\n%s</messages>\n", ia_buf_cstr(&acts.messages));
        }
        rc = put_subtasks(run, out, err);
        put_subject(run, &subject);
        ia_acts_put(&acts, ia_buf_cstr(&subject), steps_bytes(run, out->len), &steps);
        ia_buf_puts(out, "<steps>\n");
        ia_fence(out, run->boundary, ia_buf_str(&steps));
        ia_buf_puts(out, "\n</steps>\n");
    }
    ia_acts_fini(&acts);
    ia_buf_fini(&steps);
    ia_buf_fini(&subject);
    return rc;
}

/* A line of a screen behind its ref. */
static struct ia_str without_ref(struct ia_str line)
{
    size_t n = 0;
    while (n < line.n && line.p[n] >= '0' && line.p[n] <= '9') {
        n++;
    }
    return (struct ia_str){line.p + n, line.n - n};
}

static void make_key(struct question *q, struct ia_str screen)
{
    struct ia_buf b = IA_BUF(2 * IA_TURN_BYTES_MAX);
    struct ia_str line;
    ia_buf_putstr(&b, ia_buf_str(&q->done));
    if (q->sees) {
        ia_buf_printf(&b, "%016llx\n", (unsigned long long)q->last.hash);
    }
    while (ia_str_line(&screen, &line)) {
        ia_buf_putstr(&b, without_ref(line));
        ia_buf_putc(&b, '\n');
    }
    ia_sha256_hex(ia_buf_cstr(&b), b.len, q->key);
    ia_buf_fini(&b);
}

/* An answer that did not agree, so that something small done since does not roll the dice anew. */
static void put_earlier(const struct ia_opinion *earlier, struct ia_buf *out)
{
    if (earlier->question[0] == '\0' || earlier->agrees) {
        return;
    }
    size_t n = strlen(earlier->reason);
    n = n > EARLIER_BYTES ? ia_utf8_cut(earlier->reason, EARLIER_BYTES) : n;
    ia_buf_puts(out, "<earlier_check agrees=\"false\">");
    for (size_t i = 0; i < n; i++) { /* it may quote the screen: no tag of its own */
        ia_buf_putc(out, strchr("<>\r\n", earlier->reason[i]) ? ' ' : earlier->reason[i]);
    }
    ia_buf_puts(out, "</earlier_check>\n");
}

static enum ia_rc compose(struct ia_run_ctx *run, const struct ia_snapshot *last,
                          struct question *q, struct ia_err *why, struct ia_err *err)
{
    struct ia_buf screen = IA_BUF(IA_RESULT_BYTES_MAX);
    enum ia_rc rc = put_done(run, &q->done, err);
    q->sees = ia_proof_sees(run);
    if (rc == IA_OK && q->sees) {
        why->code = ia_proof_see(run, &q->last, why);
    }
    if (rc == IA_OK && why->code == IA_OK) {
        ia_snapshot_text(last, 0, &screen);
        make_key(q, ia_buf_str(&screen));
        ia_buf_putstr(&q->text, ia_buf_str(&q->done));
        put_earlier(&run->proof.opinion, &q->text);
        ia_buf_puts(&q->text, "<last>\n");
        ia_fence(&q->text, run->boundary, ia_buf_str(&screen));
        ia_buf_puts(&q->text, "\n</last>");
        rc = ia_buf_check(&q->text, "the verifier's message", err);
    }
    ia_buf_fini(&screen);
    return rc;
}

/* The blocks of the message. */
static void message_json(struct ia_run_ctx *run, const struct question *q, bool nudge,
                         struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_array(&w);
    ia_compose_block(&w, ia_buf_str(&q->text));
    if (q->sees) {
        ia_compose_block(&w, ia_str(ia_prompts_note(run->texts.prompts, IA_NOTE_LAST_PICTURE)));
        ia_history_image(&w, q->last.path, "image/png", q->last.picture.width_pt,
                         q->last.picture.height_pt);
    }
    if (nudge) {
        ia_compose_block(&w, ia_str(ia_prompts_note(run->texts.prompts, IA_NOTE_VERDICT)));
    }
    ia_jsonw_end_array(&w);
}

/* ---- its answer -------------------------------------------------------------------------- */

/* Only a well-formed call of verdict counts; NULL for anything else. */
static const json_t *read_verdict(struct ia_run_ctx *run, const struct ia_claude_message *m)
{
    size_t index = 0;
    const struct ia_claude_block *b = ia_claude_message_next_tool(m, &index);
    /* Exactly one call, complete, and nothing that was cut. */
    if (!b || !b->complete || !b->input_ok || !b->name || strcmp(b->name, "verdict") != 0 ||
        ia_claude_message_next_tool(m, &index) || m->stop != IA_STOP_TOOL_USE) {
        return NULL;
    }
    enum ia_rc rc = ia_prompts_check_verdict(run->texts.prompts, b->input, NULL);
    return rc == IA_OK ? b->input : NULL;
}

static enum ia_rc commit_answer(struct ia_run_ctx *run, struct ia_str question,
                                const struct ia_claude_reply *reply,
                                const struct ia_opinion *opinion, struct ia_err *err)
{
    struct ia_buf content = IA_BUF(IA_CLAUDE_MESSAGE_MAX);
    ia_claude_message_content(&reply->message, &content);
    const struct ia_event_request_finished finished = ia_request_finished(run, reply, "verify");
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        struct ia_message_row asked = {
            .role = "user", .purpose = "verify", .content = question};
        struct ia_message_row answer = ia_request_row(reply, "verify", &content);
        ia_tx_add_message(c.tx, run->id, &asked, NULL);
        ia_tx_add_message(c.tx, run->id, &answer, NULL);
        ia_commit_event(&c, IA_EVENT(&finished));
        if (opinion) {
            const struct ia_event_verifier_result result = {.agrees = opinion->agrees,
                                                            .reason = ia_str(opinion->reason),
                                                            .question =
                                                                ia_str(opinion->question)};
            ia_commit_event(&c, IA_EVENT(&result));
        }
        rc = ia_commit_end(&c, err);
    }
    ia_buf_fini(&content);
    return rc;
}

/* Sends the message; *ret_stop is why an answer without a verdict stopped, else "". */
static enum ia_rc send(struct ia_run_ctx *run, struct ia_history *history,
                       const struct question *q, int ask, struct ia_str message,
                       struct ia_buf *ret_stop, struct ia_err *why, struct ia_err *err)
{
    struct ia_str system = ia_prompts_verifier(run->texts.prompts);
    struct ia_str tool = ia_prompts_verdict_tool(run->texts.prompts);
    struct ia_buf tools = IA_BUF(IA_PROMPT_BYTES_MAX);
    ia_buf_printf(&tools, "[%.*s]", (int)tool.n, tool.p);
    struct ia_claude_request req = {
        .model = run->req->verifier_model ? run->req->verifier_model : run->req->model,
        .max_tokens = ask * VERDICT_TOKENS,
        .system = &system,
        .system_count = 1,
        .tools = ia_buf_str(&tools),
        .history = history,
        /* What requests share, system and tool, is about 450 tokens, and no model caches a prefix
         * of less than 512 (models.json); the rest is asked once. A cache would at best be
         * written, which costs more than to send. */
        .no_cache = true,
    };
    struct ia_claude_reply reply;
    enum ia_rc rc = ia_request_send(run, &req, &reply, why, err);
    if (rc == IA_OK && why->code == IA_OK) {
        const json_t *verdict = read_verdict(run, &reply.message);
        struct ia_opinion *o = &run->proof.opinion;
        if (verdict) {
            ia_opinion_set(o, q->key, json_is_true(json_object_get(verdict, "agrees")),
                           json_string_value(json_object_get(verdict, "reason")));
        } else {
            ia_buf_puts(ret_stop,
                        reply.message.stop_reason ? reply.message.stop_reason : "none");
        }
        rc = commit_answer(run, message, &reply, verdict ? o : NULL, err);
        ia_claude_reply_fini(&reply);
    }
    ia_buf_fini(&tools);
    return rc;
}

static enum ia_rc ask(struct ia_run_ctx *run, const struct question *q, int no,
                      struct ia_buf *ret_stop, struct ia_err *why, struct ia_err *err)
{
    struct ia_buf message = IA_BUF(IA_TURN_BYTES_MAX);
    struct ia_history *history = ia_history_new(ia_store_home(run->env->store));
    message_json(run, q, no > 1, &message);
    enum ia_rc rc =
        ia_history_append(history, IA_MESSAGE_USER, ia_buf_str(&message), NULL, err);
    if (rc == IA_OK) {
        rc = send(run, history, q, no, ia_buf_str(&message), ret_stop, why, err);
    }
    ia_history_free(history);
    ia_buf_fini(&message);
    return rc;
}

/* A provider's failure, and no verdict on the run. */
static void end_without_verdict(struct ia_run_ctx *run, const struct ia_buf *stop,
                                struct ia_err *why)
{
    ia_err_set(why, IA_E_API_STOP,
               "the verifier gave no verdict, asked twice (stop reason %.60s)",
               ia_buf_cstr(stop));
    ia_err_hint(why,
                "Run it again, name another model with --verifier-model, or let code alone "
                "judge with --verify off and --expect.");
    ia_run_ctx_fail(run, why);
}

enum ia_rc ia_verify(struct ia_run_ctx *run, const struct ia_snapshot *last, struct ia_err *why,
                     struct ia_err *err)
{
    struct question q = {.done = IA_BUF(IA_TURN_BYTES_MAX), .text = IA_BUF(IA_TURN_BYTES_MAX)};
    struct ia_buf stop = IA_BUF(IA_EVENT_BYTES_MAX);
    enum ia_rc rc = compose(run, last, &q, why, err);
    bool known =
        rc == IA_OK && why->code == IA_OK && strcmp(run->proof.opinion.question, q.key) == 0;
    for (int no = 1; rc == IA_OK && why->code == IA_OK && !known; no++) {
        if (no > ASKS_MAX) {
            end_without_verdict(run, &stop, why);
            break;
        }
        ia_buf_reset(&stop);
        rc = ask(run, &q, no, &stop, why, err);
        known = stop.len == 0;
    }
    ia_buf_fini(&stop);
    question_fini(&q);
    return rc;
}
