/* compact.c: replaces a conversation by a summary.
 *
 *     tools, system │ first message, turn, turn, … , turn          more tokens than allowed
 *          │                        │
 *          │                        ▼ asked with the same prefix, so it is read from the cache
 *     tools, system │ compaction block │ goal, screen              model with compaction
 *     tools, system │ goal, list of what was done, screen          any other model, or the summary failed
 *     └── cached ───┘
 *
 * The earlier history is dropped as a whole and never edited, so no signed thinking loses its context. This happens
 * while no call is open and in one commit: a run that is killed before asks for its summary again, and one
 * that is killed later resumes from the rows after the summary (resume.c).
 *
 * The service can also clear old tool results (clear_tool_uses_20250919). It decides anew with each request, so the
 * cached prefix changes with every turn; and since calls, texts and thinking stay, the cost of a step would
 * still grow.
 * Source: Anthropic's "Compaction on demand", "Compaction that keeps recent turns" and "Context editing",
 * 2026-10. */
#include "agent/run/compact.h"

#include "agent/claude/jscan.h"
#include "agent/loop/commit.h"
#include "agent/loop/compose.h"
#include "agent/loop/request.h"
#include "agent/loop/say.h"
#include "agent/verdict/acts.h"
#include "base/jsonw.h"

#include <string.h>

enum {
    SUMMARY_TOKENS = 4096, /* thinking included; as in the documentation's example */
    SUMMARY_BYTES_MAX = 64 << 10,
    DONE_BYTES = 6000, /* of the list of steps */
    MESSAGES_MIN = 12  /* a few large screens do not make a long conversation */
};

static const struct ia_model *model_of(const struct ia_run_ctx *run)
{
    return ia_models_find(run->spent.spending.models, run->req->model);
}

/* Estimates the tokens of the next request: those of the last request and answer, and what was added since. */
static int64_t context_tokens(const struct ia_run_ctx *run)
{
    const struct ia_model *m = model_of(run);
    return ia_usage_tokens(&run->model.last_usage.total) +
           ia_history_estimate(run->model.history, run->model.sent, m && m->high_res);
}

/* NULL if there is none that could be sent back: the service refuses an empty one. */
static const struct ia_claude_block *summary_of(const struct ia_claude_message *m)
{
    for (size_t i = 0; m->stop == IA_STOP_COMPACTION && i < m->block_count; i++) {
        const struct ia_claude_block *b = &m->blocks[i];
        struct ia_str content = ia_json_get((struct ia_str){b->json, b->json_len}, "content");
        if (b->complete && strcmp(b->type, "compaction") == 0 &&
            b->json_len <= SUMMARY_BYTES_MAX && content.n > strlen("\"\"") &&
            content.p[0] == '"') {
            return b;
        }
    }
    return NULL;
}

/* why tells whether there is an answer. A cancel ends the run; after any other failure the list replaces the
 * summary. */
static enum ia_rc ask(struct ia_run_ctx *run, struct ia_claude_reply *ret, struct ia_err *why,
                      struct ia_err *err)
{
    struct ia_str system[2];
    struct ia_claude_request req = ia_request_acting(run, system);
    req.max_tokens = SUMMARY_TOKENS;
    req.compaction = ia_str(ia_prompts_note(run->texts.prompts, IA_NOTE_COMPACT));
    enum ia_rc rc = ia_request_try(run, &req, ret, why, err);
    if (rc == IA_OK && why->code == IA_E_CANCELLED) {
        ia_run_ctx_fail(run, why);
    } else if (rc == IA_OK && why->code != IA_OK) {
        ia_run_ctx_notice(run, "no summary of the conversation: ", why->msg);
    }
    return rc;
}

/* The steps, if the summary does not have them. */
static enum ia_rc put_done(struct ia_run_ctx *run, bool summed_up, struct ia_buf *out,
                           struct ia_err *err)
{
    struct ia_buf steps = IA_BUF(IA_TURN_BYTES_MAX);
    struct ia_acts acts;
    enum ia_rc rc = ia_acts_read(run, &acts, err);
    ia_buf_printf(out, "notice: %s\n", ia_prompts_note(run->texts.prompts, IA_NOTE_COMPACTED));
    /* Messages from people belong to the goal and are not summarized. */
    if (acts.messages.len > 0) {
        ia_buf_printf(out, "<messages>\n%s</messages>\n", ia_buf_cstr(&acts.messages));
    }
    if (rc == IA_OK && !summed_up) {
        ia_acts_put(&acts, run->req->goal, DONE_BYTES, &steps);
        ia_buf_puts(out, "<steps>\n");
        ia_fence(out, run->boundary, ia_buf_str(&steps));
        ia_buf_puts(out, "\n</steps>\n");
    }
    ia_acts_fini(&acts);
    ia_buf_fini(&steps);
    return rc;
}

/* The user message after the summary. */
static enum ia_rc compose(struct ia_run_ctx *run, bool summed_up, struct ia_buf *content,
                          struct ia_err *err)
{
    struct ia_buf screen = IA_BUF(IA_RESULT_BYTES_MAX), text = IA_BUF(IA_TURN_BYTES_MAX);
    struct ia_buf done = IA_BUF(IA_TURN_BYTES_MAX);
    enum ia_rc rc = put_done(run, summed_up, &done, err);
    ia_say_screen(run, &screen);
    const struct ia_run_request told = ia_run_ctx_told(run);
    ia_compose_first(&text, &told, ia_buf_cstr(&run->texts.memory), run->boundary,
                     ia_buf_str(&done), run->spent.spending.steps, ia_buf_str(&screen));
    ia_compose_secrets(&text, run->req, ia_prompts_note(run->texts.prompts, IA_NOTE_SECRETS));
    ia_compose_plan(&text, ia_prompts_note(run->texts.prompts, IA_NOTE_PLAN), run->boundary,
                    ia_buf_str(&run->previous_attempt.plan));
    struct ia_jsonw w;
    ia_jsonw_init(&w, content);
    ia_jsonw_array(&w);
    ia_compose_block(&w, ia_buf_str(&text));
    ia_jsonw_end_array(&w);
    ia_buf_fini(&done);
    ia_buf_fini(&text);
    ia_buf_fini(&screen);
    return rc == IA_OK ? ia_buf_check(content, "the summary of the conversation", err) : rc;
}

/* head is the content of the summary's row, or empty. */
static enum ia_rc commit(struct ia_run_ctx *run, const struct ia_claude_reply *reply,
                         const struct ia_buf *head, struct ia_str content, int64_t tokens,
                         struct ia_err *err)
{
    struct ia_commit c;
    const struct ia_event_context_compacted event = {
        .step = run->spent.spending.steps,
        .tokens = tokens,
        .by = ia_str(head->len > 0 ? "model" : "steps"),
    };
    struct ia_message_row user = {.role = "user",
                                  .purpose = "act",
                                  .content = content,
                                  .stop_reason = head->len > 0 ? NULL : IA_COMPACTED};
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (reply) {
        const struct ia_event_request_finished finished =
            ia_request_finished(run, reply, "compact");
        ia_commit_event(&c, IA_EVENT(&finished));
    }
    if (head->len > 0) {
        struct ia_message_row row = ia_request_row(reply, "act", head);
        ia_tx_add_message(c.tx, run->id, &row, NULL);
    }
    ia_tx_add_message(c.tx, run->id, &user, NULL);
    ia_commit_event(&c, IA_EVENT(&event));
    return ia_commit_end(&c, err);
}

static enum ia_rc go_on(struct ia_run_ctx *run, const struct ia_claude_reply *reply,
                        int64_t tokens, struct ia_err *err)
{
    const struct ia_claude_block *summary = reply ? summary_of(&reply->message) : NULL;
    struct ia_buf head = IA_BUF(2 * SUMMARY_BYTES_MAX);
    struct ia_buf content = IA_BUF((size_t)2 * IA_TURN_BYTES_MAX);
    if (summary) {
        ia_buf_printf(&head, "[%s]", summary->json);
    }
    enum ia_rc rc = compose(run, summary != NULL, &content, err);
    if (rc == IA_OK && !run->end.over) {
        rc = commit(run, reply, &head, ia_buf_str(&content), tokens, err);
    }
    if (rc == IA_OK && !run->end.over) {
        ia_run_ctx_notice(run, "the conversation goes on from ",
                          summary ? "a summary" : "a list of what was done");
        ia_history_clear(run->model.history);
        run->model.has_last = false;
        run->model.sent = 0;
        if (head.len > 0) {
            ia_run_ctx_append(run, IA_MESSAGE_ASSISTANT, ia_buf_str(&head));
        }
        ia_run_ctx_append(run, IA_MESSAGE_USER, ia_buf_str(&content));
    }
    ia_buf_fini(&content);
    ia_buf_fini(&head);
    return rc;
}

bool ia_compact_helps(const struct ia_run_ctx *run, const struct ia_err *why)
{
    const struct ia_history *h = run->model.history;
    bool unread = why->http_status == 400 && strstr(why->msg, "compaction");
    return (unread && ia_history_compacted(h)) ||
           (why->code == IA_E_API_TOO_LARGE && ia_history_count(h) >= MESSAGES_MIN &&
            !run->req->demo_brain);
}

enum ia_rc ia_compact_to_list(struct ia_run_ctx *run, struct ia_err *err)
{
    return go_on(run, NULL, context_tokens(run), err);
}

/* A heal takes only a few turns, and its instructions must stay. A list has only this run's steps, so a conversation
 * of several runs may grow if the model cannot write a summary. */
static bool may_compact(const struct ia_run_ctx *run, bool asks)
{
    return run->req->context_tokens > 0 && !run->req->demo_brain && !run->replay.healing &&
           run->model.has_last && ia_history_count(run->model.history) >= MESSAGES_MIN &&
           (asks || !run->previous_attempt.continues[0]);
}

enum ia_rc ia_compact(struct ia_run_ctx *run, struct ia_err *err)
{
    const struct ia_model *m = model_of(run);
    bool asks = m && m->compaction;
    int64_t tokens = context_tokens(run);
    struct ia_claude_reply reply;
    struct ia_err why = {0};
    /* No summary for a run that a limit ends now. */
    if (tokens <= run->req->context_tokens || !may_compact(run, asks) ||
        ia_spending_check(&run->spent.spending, ia_mono_us(run->clock), &why) != IA_OK) {
        return IA_OK;
    }
    enum ia_rc rc = asks ? ask(run, &reply, &why, err) : IA_OK;
    if (rc != IA_OK || run->end.over) {
        return rc;
    }
    bool answered = asks && why.code == IA_OK;
    rc = go_on(run, answered ? &reply : NULL, tokens, err);
    if (answered) {
        ia_claude_reply_fini(&reply);
    }
    return rc;
}
