/* turn.c: one request and what its stop reason asks for. An answer is committed with the
 * intents of its calls before the first of them runs.
 *
 * request ─► answer ─► max_tokens?  yes ─► not kept; once more with twice the room, or the end
 *                         │ no
 *                         ▼
 *              COMMIT: the answer, an intent for each call, the first call's start
 *                         │
 *                         ▼
 *              calls? yes ─► tools.c       no ─► by stop reason: nudge, pause, end
 *
 * A kill before the commit loses the answer, and the same request is sent again (resume.c
 * counts what was perhaps billed). A kill after it loses nothing: the intents say which
 * calls are still to be made or judged. `rc` and `err` are failures of the store, which stop
 * the attempt; everything that concerns the run goes through ia_run_ctx_end or _fail, with
 * rc IA_OK. */
#include "agent/run/turn.h"

#include "agent/loop/commit.h"
#include "agent/loop/request.h"
#include "agent/loop/say.h"
#include "agent/run/compact.h"
#include "agent/run/tools.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_SHOWN_MAX = 60 };

/* ---- committing the turn ----------------------------------------------------------------- */

static void add_intents(struct ia_run_ctx *run, struct ia_commit *c,
                        const struct ia_calls *calls, int message_seq)
{
    for (size_t i = 0; i < calls->n; i++) {
        const struct ia_tool_call *call = &calls->items[i];
        struct ia_call_row row = {
            .message_seq = message_seq,
            .step = call->step,
            .tool_use_id = call->block->id,
            .name = call->block->name,
            .input = ia_str(call->input_text),
            .has_effect = ia_call_has_effect(call),
        };
        ia_tx_add_call(c->tx, run->id, &row);
    }
}

/* The assistant turn, the intents of its tools and the event, in one transaction. content is the row's. */
static enum ia_rc commit_turn(struct ia_run_ctx *run, const struct ia_message_row *row,
                              struct ia_event_ref event, const struct ia_calls *calls,
                              struct ia_err *err)
{
    struct ia_commit c;
    int seq = 0;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc != IA_OK) {
        return rc;
    }
    c.soon = true;
    /* Where the tree is read at once, the effect comes before another thread could have begun. */
    c.gated = run->device.info.instant && calls->n > 0 && ia_call_has_effect(&calls->items[0]);
    ia_tx_add_message(c.tx, run->id, row, &seq);
    add_intents(run, &c, calls, seq);
    ia_commit_event(&c, event);
    /* The start of the first call is part of this commit, as that of each further one is
     * part of the commit of the result before it: one commit for each call instead of
     * two. */
    if (calls->n > 0) {
        ia_tools_started(&c, &calls->items[0]);
    }
    return ia_commit_end(&c, err);
}

static enum ia_rc keep_turn(struct ia_run_ctx *run, const struct ia_claude_message *m,
                            const struct ia_message_row *row, struct ia_event_ref event,
                            const struct ia_calls *calls, struct ia_err *err)
{
    enum ia_rc rc = commit_turn(run, row, event, calls, err);
    /* The journal's key is the tool_use id. The transaction was undone, so the run ends
     * without this answer. */
    if (rc == IA_E_EXISTS) {
        struct ia_err why;
        ia_err_set(&why, IA_E_API_PROTOCOL, "the model used a tool_use id twice");
        ia_run_ctx_end(run, IA_RUN_ERROR, &why);
        return IA_OK;
    }
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_err why = {0};
    if (ia_history_append_message(run->model.history, m, NULL, &why) != IA_OK) {
        ia_run_ctx_fail(run, &why);
    }
    /* What the model has counted in its usage: only what is added from here has to be
     * estimated. */
    run->model.sent = ia_history_count(run->model.history);
    return IA_OK;
}

static enum ia_rc keep_reply(struct ia_run_ctx *run, const struct ia_claude_reply *reply,
                             const struct ia_calls *calls, struct ia_err *err)
{
    struct ia_buf content = IA_BUF(IA_CLAUDE_MESSAGE_MAX);
    ia_claude_message_content(&reply->message, &content);
    const struct ia_event_request_finished finished = ia_request_finished(run, reply, "act");
    struct ia_message_row row = ia_request_row(reply, "act", &content);
    enum ia_rc rc = keep_turn(run, &reply->message, &row, IA_EVENT(&finished), calls, err);
    ia_buf_fini(&content);
    return rc;
}

/* ---- why it stopped ---------------------------------------------------------------------- */

static void end_by_stop(struct ia_run_ctx *run, const struct ia_claude_message *m,
                        const char *what)
{
    struct ia_err err;
    ia_err_set(&err, IA_E_API_STOP, "%s (stop reason %.*s)%s%.200s", what, NAME_SHOWN_MAX,
               m->stop_reason ? m->stop_reason : "none", m->stop_details ? ": " : "",
               m->stop_details ? m->stop_details : "");
    ia_run_ctx_end(run, IA_RUN_ERROR, &err);
}

/* The answer was cut, nothing of it may run: once more with twice the room, where the budget
 * was not what cut it. The cut answer is not kept, so the request stays the same. */
static enum ia_rc answer_cut(struct ia_run_ctx *run, const struct ia_claude_request *req,
                             const struct ia_claude_reply *reply, struct ia_err *err)
{
    const struct ia_event_request_finished finished = ia_request_finished(run, reply, "act");
    enum ia_rc rc = ia_commit_one(run, IA_EVENT(&finished), err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_err why;
    if (req->max_tokens < run->model.want_tokens) {
        ia_err_set(&why, IA_E_BUDGET, "the answer did not fit into what is left of the budget");
        ia_err_hint(&why, "Allow more with --max-tokens or --max-usd.");
        ia_run_ctx_fail(run, &why);
    } else if (run->model.want_tokens > run->model.answer_tokens) {
        end_by_stop(run, &reply->message, "the answer was cut twice");
    } else {
        run->model.want_tokens = 2 * run->model.answer_tokens;
    }
    return IA_OK;
}

static enum ia_rc no_tool(struct ia_run_ctx *run, bool *resumed, struct ia_err *err)
{
    /* One nudge until the model uses a tool again, and IA_NUDGES_MAX in all. */
    if (!run->model.nudged && run->model.nudges < IA_NUDGES_MAX) {
        run->model.nudged = true;
        run->model.nudges++;
        const char *note = ia_prompts_note(run->texts.prompts, IA_NOTE_CONTINUE);
        return ia_say(run, &(struct ia_say){.resumed = resumed, .text = note}, err);
    }
    /* A message that waits is a reason to go on, even after the nudges are used up. */
    struct ia_inbox inbox;
    enum ia_rc rc = ia_inbox_read(run, &inbox, err);
    if (rc == IA_OK && inbox.count > 0) {
        rc = ia_say(run, &(struct ia_say){.resumed = resumed, .inbox = &inbox}, err);
    } else if (rc == IA_OK) {
        struct ia_err why;
        ia_err_set(&why, IA_E_FAILED, "the model ended its turn without calling finish");
        ia_run_ctx_end(run, IA_RUN_FAILED, &why);
    }
    ia_inbox_fini(&inbox);
    return rc;
}

/* A pause is answered by sending the same again, which nothing may do with a call of ours that
 * has no result. */
static void paused(struct ia_run_ctx *run, const struct ia_claude_message *m)
{
    size_t index = 0;
    if (ia_claude_message_next_tool(m, &index)) {
        end_by_stop(run, m, "the model paused with a tool call that must not run");
    } else if (++run->model.pauses > IA_PAUSES_MAX) {
        end_by_stop(run, m, "the model paused too often");
    }
}

enum ia_rc ia_turn_go_on(struct ia_run_ctx *run, const struct ia_claude_message *m,
                         const struct ia_calls *calls, bool *resumed, struct ia_err *err)
{
    /* Whatever the stop reason is: calls that are committed have to be answered. */
    if (calls->n > 0) {
        run->model.nudged = false;
        run->model.pauses = 0;
        return ia_tools_run(run, calls, resumed, err);
    }
    switch (m->stop) {
    case IA_STOP_END_TURN:
    case IA_STOP_TOOL_USE:
        return no_tool(run, resumed, err);
    case IA_STOP_PAUSE_TURN:
        paused(run, m);
        return IA_OK;
    case IA_STOP_REFUSAL:
        end_by_stop(run, m, "the model refused to continue");
        return IA_OK;
    case IA_STOP_CONTEXT:
        end_by_stop(run, m, "the conversation no longer fits into the model's context");
        return IA_OK;
    default:
        end_by_stop(run, m, "the model stopped for a reason that this program does not know");
        return IA_OK;
    }
}

static enum ia_rc take_reply(struct ia_run_ctx *run, const struct ia_claude_request *req,
                             const struct ia_claude_reply *reply, bool *resumed,
                             struct ia_err *err)
{
    if (reply->message.stop == IA_STOP_MAX_TOKENS) {
        return answer_cut(run, req, reply, err);
    }
    struct ia_calls calls;
    ia_calls_read(&reply->message, run->texts.tools, run->spent.spending.limit.max_steps,
                  &run->spent.spending.steps, &calls);
    enum ia_rc rc = IA_OK;
    if (!ia_calls_sound(&calls)) {
        struct ia_err why;
        ia_err_set(&why, IA_E_API_PROTOCOL,
                   "the model's answer has a tool call that is unfinished or has no usable id");
        ia_run_ctx_end(run, IA_RUN_ERROR, &why);
    } else {
        rc = keep_reply(run, reply, &calls, err);
        if (rc == IA_OK && !run->end.over) {
            rc = ia_turn_go_on(run, &reply->message, &calls, resumed, err);
        }
    }
    ia_calls_fini(&calls);
    return rc;
}

enum ia_rc ia_turn_take(struct ia_run_ctx *run, const struct ia_claude_message *m,
                        struct ia_event_ref event, bool *resumed, struct ia_err *err)
{
    struct ia_buf content = IA_BUF(IA_CLAUDE_MESSAGE_MAX);
    struct ia_calls calls;
    ia_claude_message_content(m, &content);
    ia_calls_read(m, run->texts.tools, run->spent.spending.limit.max_steps,
                  &run->spent.spending.steps, &calls);
    const struct ia_message_row row = {.role = "assistant",
                                       .purpose = "act",
                                       .content = ia_buf_str(&content),
                                       .stop_reason = m->stop_reason,
                                       .model = m->model,
                                       .usage = {.cost_known = true}};
    enum ia_rc rc = keep_turn(run, m, &row, event, &calls, err);
    if (rc == IA_OK && !run->end.over) {
        rc = ia_turn_go_on(run, m, &calls, resumed, err);
    }
    ia_calls_fini(&calls);
    ia_buf_fini(&content);
    return rc;
}

static void keep_usage(struct ia_run_ctx *run, struct ia_claude_reply *reply)
{
    ia_claude_usage_fini(&run->model.last_usage);
    run->model.last_usage = reply->message.usage;
    reply->message.usage = ia_claude_usage_none();
    run->model.has_last = true;
}

enum ia_rc ia_turn(struct ia_run_ctx *run, bool *resumed, struct ia_err *err)
{
    struct ia_str system[2];
    struct ia_claude_reply reply;
    struct ia_err why = {0};
    enum ia_rc rc = ia_compact(run, err);
    if (rc != IA_OK || run->end.over) {
        return rc;
    }
    struct ia_claude_request req = ia_request_acting(run, system);
    rc = ia_request_try(run, &req, &reply, &why, err);
    if (rc == IA_OK && ia_compact_helps(run, &why)) {
        rc = ia_compact_to_list(run, err);
        why = (struct ia_err){0};
        rc = rc == IA_OK && !run->end.over ? ia_request_try(run, &req, &reply, &why, err) : rc;
    }
    if (rc == IA_OK && why.code != IA_OK) {
        ia_run_ctx_fail(run, &why);
    }
    if (rc != IA_OK || run->end.over) {
        return rc;
    }
    rc = take_reply(run, &req, &reply, resumed, err);
    /* Last, as it takes the usage out of the reply. It is the base of the next estimate. */
    keep_usage(run, &reply);
    ia_claude_reply_fini(&reply);
    return rc;
}
