#include "agent/loop/run_ctx.h"
#include "base/killpoint.h"

#include <stdlib.h>
#include <string.h>

enum { HEARTBEAT_US = 2000000, NAME_SHOWN_MAX = 60 };

/* ---- hooks while an answer streams ------------------------------------------------------- */

struct listening {
    struct ia_run_ctx *run;
    enum ia_rc store_rc; /* a commit that failed in a hook */
    struct ia_err *err;
};

static void on_text(void *ctx, struct ia_str utf8)
{
    struct listening *h = ctx;
    struct ia_buf body = IA_BUF(IA_EVENT_BYTES_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &body);
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "text");
    ia_jsonw_str(&w, utf8);
    ia_jsonw_end_object(&w);
    ia_live_event(h->run, "text.delta", &body);
    ia_buf_fini(&body);
}

static void on_retry(void *ctx, const struct ia_claude_retry_notice *n)
{
    struct listening *h = ctx;
    struct ia_buf body = IA_BUF(IA_EVENT_BYTES_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &body);
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "attempt", n->attempt);
    ia_jsonw_kv_int(&w, "wait_ms", n->wait_ms);
    ia_jsonw_kv(&w, "code", ia_rc_name(n->code));
    ia_jsonw_kv(&w, "message", n->message);
    ia_jsonw_kv_bool(&w, "text_discarded", n->text_discarded);
    ia_jsonw_end_object(&w);
    if (h->store_rc == IA_OK) {
        h->store_rc = ia_commit_one(h->run, "request.retry", &body, h->err);
    }
    ia_buf_fini(&body);
}

/* A long answer still shows that we live, and notices a cancel from another process. */
static void on_beat(void *ctx)
{
    struct listening *h = ctx;
    struct ia_run_ctx *run = h->run;
    if (h->store_rc != IA_OK || ia_host_time_now() - run->beat_us < HEARTBEAT_US) {
        return;
    }
    bool asked = false;
    enum ia_rc rc = ia_store_heartbeat(run->env->store, run->id, &asked, h->err);
    if (rc == IA_E_DB_LOCKED) {
        return; /* the next beat tries again; what must be written waits for its turn */
    }
    h->store_rc = rc;
    run->beat_us = ia_host_time_now();
    if (asked) {
        run->cancel_asked = true;
        ia_cancel_fire(run->env->cancel);
    }
}

/* ---- sending ----------------------------------------------------------------------------- */

/* Estimate of what the request sends that the last answer has not seen. */
static int64_t added_tokens(const struct ia_run_ctx *run, const struct ia_claude_request *req,
                            bool seen)
{
    const struct ia_model *m = ia_models_find(ia_claude_models(run->env->claude), req->model);
    size_t from = seen ? run->sent : 0;
    int64_t tokens = ia_history_estimate(req->history, from, m && m->high_res);
    if (from == 0) {
        size_t fixed = req->tools.n;
        for (size_t i = 0; i < req->system_count; i++) {
            fixed += req->system[i].n;
        }
        tokens += (int64_t)(fixed / 3) + 1;
    }
    return tokens;
}

static void announce(struct ia_run_ctx *run)
{
    struct ia_buf body = IA_BUF(256);
    ia_buf_printf(&body, "{\"turn\":%d}", run->turn);
    ia_live_event(run, "request.started", &body);
    ia_buf_fini(&body);
}

static int64_t known(int64_t tokens)
{
    return tokens > 0 ? tokens : 0;
}

static void count_usage(struct ia_run_ctx *run, const char *model,
                        const struct ia_claude_reply *reply,
                        const struct ia_claude_broken *broken)
{
    ia_spending_add(&run->spending, model, reply, broken);
    if (reply) {
        const struct ia_claude_tokens *t = &reply->message.usage.total;
        run->usage.input += known(t->input);
        run->usage.cache_read += known(t->cache_read);
        run->usage.cache_write += known(t->cache_write);
        run->usage.output += known(t->output);
    }
    run->usage.cost_usd = run->spending.usd;
    run->usage.cost_known = run->spending.cost_known;
}

static enum ia_rc transmit(struct ia_run_ctx *run, struct ia_claude_request *req, bool acting,
                           struct ia_claude_reply *ret, struct ia_err *err)
{
    struct ia_err store_err = {0};
    struct listening listening = {.run = run, .err = &store_err};
    struct ia_claude_hooks hooks = {.text = acting && run->env->observe ? on_text : NULL,
                                    .retry = on_retry,
                                    .beat = on_beat,
                                    .ctx = &listening};
    int64_t wall = ia_host_time_now(), cpu = ia_thread_cpu_us();
    IA_KILL_POINT("agent.request.before");
    enum ia_rc rc = ia_claude_send(run->conn, req, &hooks, run->env->cancel,
                                   ia_spending_deadline(&run->spending), ret, err);
    IA_KILL_POINT("agent.request.after");
    struct ia_claude_broken broken = ia_claude_conn_broken(run->conn);
    ia_host_time_away(&run->timed, ia_host_time_now() - wall, ia_thread_cpu_us() - cpu);
    count_usage(run, req->model, rc == IA_OK ? ret : NULL, &broken);
    if (listening.store_rc != IA_OK) {
        if (rc == IA_OK) {
            ia_claude_reply_fini(ret);
        }
        *err = store_err;
        return listening.store_rc;
    }
    if (rc != IA_OK) {
        ia_run_ctx_fail(run, err);
    }
    return rc;
}

enum ia_rc ia_turn_send(struct ia_run_ctx *run, struct ia_claude_request *req,
                        struct ia_claude_reply *ret, struct ia_err *err)
{
    bool acting = req->history == run->history;
    int want = req->max_tokens;
    enum ia_rc rc = IA_OK;
    if (acting || ia_mono_us(run->clock) >= ia_spending_deadline(&run->spending)) {
        rc = ia_spending_check(&run->spending, ia_mono_us(run->clock), err);
    }
    if (rc == IA_OK) {
        bool seen = acting && run->has_last && run->last_usage.total.input >= 0;
        rc = ia_spending_next(&run->spending, req->model, seen ? &run->last_usage : NULL,
                              added_tokens(run, req, seen), want, &req->max_tokens, err);
    }
    if (rc != IA_OK) {
        ia_run_ctx_fail(run, err);
        return rc;
    }
    run->turn++;
    announce(run);
    return transmit(run, req, acting, ret, err);
}

/* ---- what is written about an answer ----------------------------------------------------- */

static void usage_json(struct ia_jsonw *w, const struct ia_claude_tokens *t)
{
    ia_jsonw_key(w, "usage");
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "input", known(t->input));
    ia_jsonw_kv_int(w, "cache_read", known(t->cache_read));
    ia_jsonw_kv_int(w, "cache_write", known(t->cache_write));
    ia_jsonw_kv_int(w, "output", known(t->output));
    ia_jsonw_end_object(w);
}

void ia_turn_finished_json(struct ia_run_ctx *run, const struct ia_claude_reply *reply,
                           const char *purpose, struct ia_buf *out)
{
    int64_t host_us = ia_host_time_lap(&run->timed);
    run->turn_host_us += host_us;
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "turn", run->turn);
    ia_jsonw_kv_int(&w, "ms", reply->duration_us / 1000);
    ia_jsonw_kv(&w, "stop_reason", reply->message.stop_reason);
    usage_json(&w, &reply->message.usage.total);
    ia_jsonw_key(&w, "cost_usd");
    if (reply->cost_known && !run->req->demo_brain) {
        ia_jsonw_real(&w, reply->cost_usd);
    } else {
        ia_jsonw_null(&w);
    }
    ia_jsonw_kv(&w, "purpose", purpose);
    ia_jsonw_kv_int(&w, "host_us", host_us);
    ia_run_store_spent(run, &w);
    ia_jsonw_end_object(&w);
}

struct ia_message_row ia_turn_row(const struct ia_claude_reply *reply, const char *purpose,
                                  const struct ia_buf *content)
{
    const struct ia_claude_tokens *t = &reply->message.usage.total;
    return (struct ia_message_row){
        .role = "assistant",
        .purpose = purpose,
        .content = ia_buf_str(content),
        .stop_reason = reply->message.stop_reason,
        .model = reply->message.model,
        .request_id = reply->request_id[0] ? reply->request_id : NULL,
        .usage = {known(t->input), known(t->cache_read), known(t->cache_write),
                  known(t->output), reply->cost_usd, reply->cost_known},
        .ms = reply->duration_us / 1000,
    };
}

/* ---- the turn's tool calls --------------------------------------------------------------- */

struct calls {
    struct ia_tool_call *items; /* one for each block of the answer at most */
    size_t n;
};

static char *input_text(const struct ia_claude_block *b)
{
    if (b->input_ok) {
        char *text = json_dumps(b->input, JSON_COMPACT | JSON_PRESERVE_ORDER);
        return text ? text : ia_strdup("{}");
    }
    struct ia_buf out = IA_BUF(IA_TURN_BYTES_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "INVALID_JSON", b->bad_input ? b->bad_input : "");
    ia_jsonw_end_object(&w);
    return ia_buf_steal(&out);
}

/* Of two verdicts in one turn none counts: whichever came first would decide. */
static void refuse_two_verdicts(const struct calls *calls)
{
    int verdicts = 0;
    for (size_t i = 0; i < calls->n; i++) {
        verdicts += calls->items[i].tool == IA_TOOL_FINISH;
    }
    for (size_t i = 0; i < calls->n && verdicts > 1; i++) {
        calls->items[i].ambiguous = calls->items[i].tool == IA_TOOL_FINISH;
    }
}

static void collect_calls(struct ia_run_ctx *run, const struct ia_claude_message *m,
                          struct calls *ret)
{
    *ret = (struct calls){.items = ia_calloc(m->block_count + 1, sizeof(*ret->items))};
    if (m->stop != IA_STOP_TOOL_USE && m->stop != IA_STOP_END_TURN) {
        return; /* nothing of such an answer may run */
    }
    size_t index = 0;
    const struct ia_claude_block *b;
    while ((b = ia_claude_message_next_tool(m, &index)) != NULL) {
        struct ia_tool_call *c = &ret->items[ret->n++];
        *c = (struct ia_tool_call){.block = b,
                                   .tool = ia_tool_from_name(ia_str(b->name)),
                                   .input = input_text(b),
                                   .step = run->spending.steps + 1};
        if (c->tool < IA_TOOL_COUNT && run->disabled[c->tool]) {
            c->tool = IA_TOOL_COUNT;
        }
        c->skipped = ret->n > IA_TURN_TOOLS_MAX || c->step > run->spending.limit.max_steps;
        run->spending.steps += !c->skipped;
    }
    refuse_two_verdicts(ret);
}

struct ia_tool_call *ia_turn_calls(struct ia_run_ctx *run, const struct ia_claude_message *m,
                                   size_t *ret_n)
{
    struct calls calls;
    collect_calls(run, m, &calls);
    *ret_n = calls.n;
    return calls.items;
}

void ia_turn_free_calls(struct ia_tool_call *calls, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(calls[i].input);
        free(calls[i].result);
    }
    free(calls);
}

/* A tool_use that never ended, or one without a sensible id, must not run. */
static bool calls_sound(const struct calls *calls)
{
    for (size_t i = 0; i < calls->n; i++) {
        const struct ia_claude_block *b = calls->items[i].block;
        if (!b->complete || !b->id || !b->name || strlen(b->name) > 2 * IA_TOOL_NAME_MAX ||
            strlen(b->id) > IA_TOOL_ID_MAX) {
            return false;
        }
    }
    return true;
}

/* ---- committing the turn ----------------------------------------------------------------- */

static void add_intents(struct ia_run_ctx *run, struct ia_commit *c, const struct calls *calls,
                        int message_seq)
{
    for (size_t i = 0; i < calls->n; i++) {
        const struct ia_tool_call *call = &calls->items[i];
        struct ia_call_row row = {
            .message_seq = message_seq,
            .step = call->step,
            .tool_use_id = call->block->id,
            .name = call->block->name,
            .input = ia_str(call->input),
            .has_effect = ia_tool_has_effect(call->tool),
        };
        ia_tx_add_call(c->tx, run->id, &row);
    }
}

/* The assistant turn, the intents of its tools and the events, in one transaction. */
static enum ia_rc commit_turn(struct ia_run_ctx *run, const struct ia_claude_reply *reply,
                              const struct calls *calls, struct ia_err *err)
{
    struct ia_buf content = IA_BUF(IA_CLAUDE_MESSAGE_MAX);
    struct ia_buf finished = IA_BUF(IA_EVENT_BYTES_MAX), started = IA_BUF(IA_EVENT_BYTES_MAX);
    ia_claude_message_content(&reply->message, &content);
    ia_turn_finished_json(run, reply, "act", &finished);
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        struct ia_message_row row = ia_turn_row(reply, "act", &content);
        int seq = 0;
        ia_tx_add_message(c.tx, run->id, &row, &seq);
        add_intents(run, &c, calls, seq);
        ia_commit_event(&c, "request.finished", &finished);
        if (calls->n > 0) {
            ia_tools_started_json(run, &calls->items[0], &started);
            ia_commit_event(&c, "tool.started", &started);
            ia_tools_in_hand(&c, &calls->items[0]);
        }
        rc = ia_commit_end(&c, err);
    }
    ia_buf_fini(&content);
    ia_buf_fini(&finished);
    ia_buf_fini(&started);
    return rc;
}

static enum ia_rc keep_turn(struct ia_run_ctx *run, const struct ia_claude_reply *reply,
                            const struct calls *calls, struct ia_err *err)
{
    enum ia_rc rc = commit_turn(run, reply, calls, err);
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
    if (ia_history_append_message(run->history, &reply->message, NULL, &why) != IA_OK) {
        ia_run_ctx_fail(run, &why);
    }
    run->sent = ia_history_count(run->history);
    return IA_OK;
}

/* The message, its event, and the cursor of what it takes from the inbox,
 * in one transaction. */
static enum ia_rc commit_said(struct ia_run_ctx *run, struct ia_str content,
                              struct ia_inbox *box, const char *type,
                              const struct ia_buf *event, struct ia_err *err)
{
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        struct ia_message_row row = {.role = "user", .purpose = "act", .content = content};
        ia_tx_add_message(c.tx, run->id, &row, NULL);
        if (event) {
            ia_commit_event(&c, type, event);
        }
        ia_inbox_take(&c, box);
        rc = ia_commit_end(&c, err);
    }
    return rc;
}

static enum ia_rc say_with(struct ia_run_ctx *run, const char *text, struct ia_inbox *box,
                           const char *type, const struct ia_buf *event, struct ia_err *err)
{
    struct ia_buf content = IA_BUF((size_t)2 * IA_TURN_BYTES_MAX);
    struct ia_buf note = IA_BUF(IA_TURN_BYTES_MAX);
    struct ia_jsonw w;
    if (run->say_resumed) {
        ia_resume_note(run, &note);
    }
    ia_jsonw_init(&w, &content);
    ia_jsonw_array(&w);
    ia_compose_block(&w, ia_buf_str(&note));
    ia_compose_block(&w, ia_str(text));
    ia_compose_block(&w, ia_buf_str(&box->xml));
    ia_jsonw_end_array(&w);
    enum ia_rc rc =
        run->end.over ? IA_OK : commit_said(run, ia_buf_str(&content), box, type, event, err);
    if (rc == IA_OK && !run->end.over) {
        ia_run_ctx_append(run, IA_MESSAGE_USER, ia_buf_str(&content));
    }
    ia_buf_fini(&content);
    ia_buf_fini(&note);
    return rc;
}

enum ia_rc ia_turn_say(struct ia_run_ctx *run, const char *text, const char *type,
                       const struct ia_buf *event, struct ia_err *err)
{
    struct ia_inbox box;
    enum ia_rc rc = ia_inbox_read(run, &box, err);
    if (rc == IA_OK) {
        rc = say_with(run, text, &box, type, event, err);
    }
    ia_inbox_fini(&box);
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
    struct ia_buf finished = IA_BUF(IA_EVENT_BYTES_MAX);
    ia_turn_finished_json(run, reply, "act", &finished);
    enum ia_rc rc = ia_commit_one(run, "request.finished", &finished, err);
    ia_buf_fini(&finished);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_err why;
    if (req->max_tokens < run->want_tokens) {
        ia_err_set(&why, IA_E_BUDGET, "the answer did not fit into what is left of the budget");
        ia_err_hint(&why, "Allow more with --max-tokens or --max-usd.");
        ia_run_ctx_fail(run, &why);
    } else if (run->want_tokens > run->answer_tokens) {
        end_by_stop(run, &reply->message, "the answer was cut twice");
    } else {
        run->want_tokens = 2 * run->answer_tokens;
    }
    return IA_OK;
}

static enum ia_rc no_tool(struct ia_run_ctx *run, struct ia_err *err)
{
    if (!run->nudged && run->nudges < IA_NUDGES_MAX) {
        run->nudged = true;
        run->nudges++;
        return ia_turn_say(run, ia_prompts_note(run->prompts, IA_NOTE_CONTINUE), NULL, NULL,
                           err);
    }
    struct ia_inbox box;
    enum ia_rc rc = ia_inbox_read(run, &box, err);
    if (rc == IA_OK && box.count > 0) {
        rc = say_with(run, "", &box, NULL, NULL, err);
        ia_inbox_fini(&box);
        return rc;
    }
    ia_inbox_fini(&box);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_err why;
    ia_err_set(&why, IA_E_FAILED, "the model ended its turn without calling finish");
    ia_run_ctx_end(run, IA_RUN_FAILED, &why);
    return IA_OK;
}

/* A pause is answered by sending the same again, which nothing may do with a call of ours that
 * has no result. */
static void paused(struct ia_run_ctx *run, const struct ia_claude_message *m)
{
    size_t index = 0;
    if (ia_claude_message_next_tool(m, &index)) {
        end_by_stop(run, m, "the model paused with a tool call of which nothing may run");
    } else if (++run->pauses > IA_PAUSES_MAX) {
        end_by_stop(run, m, "the model paused too often");
    }
}

enum ia_rc ia_turn_go_on(struct ia_run_ctx *run, const struct ia_claude_message *m,
                         struct ia_tool_call *calls, size_t n, struct ia_err *err)
{
    if (n > 0) {
        run->nudged = false;
        run->pauses = 0;
        return ia_tools_run(run, calls, n, err);
    }
    switch (m->stop) {
    case IA_STOP_END_TURN:
    case IA_STOP_TOOL_USE:
        return no_tool(run, err);
    case IA_STOP_PAUSE_TURN:
        paused(run, m);
        return IA_OK;
    case IA_STOP_REFUSAL:
        end_by_stop(run, m, "the model refused to go on");
        return IA_OK;
    case IA_STOP_CONTEXT:
        end_by_stop(run, m, "the conversation does not fit into the model's context any more");
        return IA_OK;
    default:
        end_by_stop(run, m, "the model stopped for a reason that this program does not know");
        return IA_OK;
    }
}

static enum ia_rc take_reply(struct ia_run_ctx *run, const struct ia_claude_request *req,
                             const struct ia_claude_reply *reply, struct ia_err *err)
{
    if (reply->message.stop == IA_STOP_MAX_TOKENS) {
        return answer_cut(run, req, reply, err);
    }
    struct calls calls;
    collect_calls(run, &reply->message, &calls);
    enum ia_rc rc = IA_OK;
    if (!calls_sound(&calls)) {
        struct ia_err why;
        ia_err_set(&why, IA_E_API_PROTOCOL,
                   "the model's answer has a tool call that is unfinished or has no usable id");
        ia_run_ctx_end(run, IA_RUN_ERROR, &why);
    } else {
        rc = keep_turn(run, reply, &calls, err);
        if (rc == IA_OK && !run->end.over) {
            rc = ia_turn_go_on(run, &reply->message, calls.items, calls.n, err);
        }
    }
    ia_turn_free_calls(calls.items, calls.n);
    return rc;
}

static void keep_usage(struct ia_run_ctx *run, struct ia_claude_reply *reply)
{
    ia_claude_usage_fini(&run->last_usage);
    run->last_usage = reply->message.usage;
    reply->message.usage = ia_claude_usage_none();
    run->has_last = true;
}

enum ia_rc ia_turn(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_str system[] = {ia_prompts_system(run->prompts), ia_buf_str(&run->prompt)};
    struct ia_claude_request req = {
        .model = run->req->model,
        .max_tokens = run->want_tokens,
        .effort = run->req->effort,
        .system = system,
        .system_count = run->prompt.len > 0 ? 2 : 1,
        .tools = run->tools.len > 0 ? ia_buf_str(&run->tools) : ia_prompts_tools(run->prompts),
        .history = run->history,
    };
    struct ia_claude_reply reply;
    enum ia_rc rc = ia_turn_send(run, &req, &reply, err);
    if (rc != IA_OK) {
        return run->end.over ? IA_OK : rc;
    }
    rc = take_reply(run, &req, &reply, err);
    keep_usage(run, &reply);
    ia_claude_reply_fini(&reply);
    return rc;
}
