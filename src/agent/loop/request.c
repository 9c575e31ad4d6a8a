/* request.c: one request from its projection to its accounting.
 *
 * While an answer streams, three hooks run on this thread: text goes to the observer, a retry
 * is committed as an event, and a heartbeat shows other processes that the run lives. A hook
 * that fails to write keeps the error until the answer is there; then it wins over the
 * answer. */
#include "agent/loop/request.h"

#include "agent/loop/commit.h"
#include "agent/loop/spent.h"
#include "base/killpoint.h"

enum { HEARTBEAT_US = 2000000 };

/* ---- hooks while an answer streams ------------------------------------------------------ */

struct listening {
    struct ia_run_ctx *run;
    struct ia_claude_request *req;
    const struct ia_claude_usage *last; /* as the request was projected with */
    int64_t added;
    int want;
    enum ia_rc store_rc; /* a commit that failed in a hook */
    struct ia_err *err;
};

static void on_text(void *ctx, struct ia_str utf8)
{
    struct listening *h = ctx;
    ia_live_event(h->run, IA_EVENT(&(struct ia_event_text_delta){.text = utf8}));
}

static void on_retry(void *ctx, const struct ia_claude_retry_notice *n)
{
    struct listening *h = ctx;
    const struct ia_event_request_retry retry = {
        .attempt = n->attempt,
        .wait_ms = n->wait_ms,
        .code = ia_str(ia_rc_name(n->code)),
        .message = ia_str(n->message),
        .text_discarded = n->text_discarded,
    };
    /* err holds the first failure. */
    if (h->store_rc == IA_OK) {
        h->store_rc = ia_commit_one(h->run, IA_EVENT(&retry), h->err);
    }
}

/* A further attempt is projected like the first, with what those before it have used. */
static enum ia_rc on_again(void *ctx, const struct ia_claude_broken *broken, struct ia_err *err)
{
    struct listening *h = ctx;
    struct ia_spending next = h->run->spent.spending;
    ia_spending_add(&next, h->req->model, NULL, broken);
    return ia_spending_next(&next, h->req->model, h->last, h->added, h->want,
                            &h->req->max_tokens, err);
}

/* A long answer still shows that we live, and notices a cancel from another process. */
static void on_beat(void *ctx)
{
    struct listening *h = ctx;
    struct ia_run_ctx *run = h->run;
    if (h->store_rc != IA_OK || ia_host_time_now() - run->watch.beat_us < HEARTBEAT_US) {
        return;
    }
    bool asked = false;
    enum ia_rc rc = ia_store_heartbeat(run->env->store, run->id, &asked, h->err);
    if (rc == IA_E_DB_LOCKED) {
        return; /* the next beat tries again; what must be written waits for its turn */
    }
    h->store_rc = rc;
    run->watch.beat_us = ia_host_time_now();
    /* Both: the flag tells a cancel from a shutdown, the token ends the transfer. */
    if (asked) {
        run->watch.cancel_asked = true;
        ia_cancel_fire(run->env->cancel);
    }
}

/* ---- sending ---------------------------------------------------------------------------- */

/* Estimate of what the request sends that the last answer has not seen. */
static int64_t added_tokens(const struct ia_run_ctx *run, const struct ia_claude_request *req,
                            bool seen)
{
    const struct ia_model *m = ia_models_find(ia_claude_models(run->env->claude), req->model);
    size_t from = seen ? run->model.sent : 0;
    int64_t tokens = ia_history_estimate(req->history, from, m && m->high_res);
    if (from == 0) {
        size_t fixed = req->tools.n;
        for (size_t i = 0; i < req->system_count; i++) {
            fixed += req->system[i].n;
        }
        /* Three bytes a token, as in ia_history_estimate: rather too many. */
        tokens += (int64_t)(fixed / 3) + 1;
    }
    return tokens;
}

static int64_t known(int64_t tokens)
{
    return tokens > 0 ? tokens : 0;
}

static void count_usage(struct ia_run_ctx *run, const char *model,
                        const struct ia_claude_reply *reply,
                        const struct ia_claude_broken *broken)
{
    ia_spending_add(&run->spent.spending, model, reply, broken);
    if (reply) {
        const struct ia_claude_tokens t = ia_claude_usage_said(&reply->message.usage);
        run->spent.usage.input += known(t.input);
        run->spent.usage.cache_read += known(t.cache_read);
        run->spent.usage.cache_write += known(t.cache_write);
        run->spent.usage.output += known(t.output);
    }
    run->spent.usage.cost_usd = run->spent.spending.usd;
    run->spent.usage.cost_known = run->spent.spending.cost_known;
}

static enum ia_rc transmit(struct listening *listening, bool acting,
                           struct ia_claude_reply *ret, struct ia_err *why, struct ia_err *err)
{
    struct ia_run_ctx *run = listening->run;
    struct ia_claude_request *req = listening->req;
    struct ia_err store_err = {0}; /* a heartbeat that is tried again leaves its error here */
    listening->err = &store_err;
    struct ia_claude_hooks hooks = {.text = acting && run->env->observe ? on_text : NULL,
                                    .retry = on_retry,
                                    .again = on_again,
                                    .beat = on_beat,
                                    .ctx = listening};
    /* The time away is the model's and not this host's. */
    int64_t wall = ia_host_time_now(), cpu = ia_thread_cpu_us();
    IA_KILL_POINT("agent.request.before");
    /* The verifier is part of the tool in hand and is waited for like a device. */
    struct ia_cancel *cancel = acting ? run->env->cancel : run->device.patience;
    enum ia_rc rc = ia_claude_send(run->model.conn, req, &hooks, cancel,
                                   ia_spending_deadline(&run->spent.spending), ret, why);
    IA_KILL_POINT("agent.request.after");
    /* Counted after a failure too: attempts that broke off are billed for their input. */
    struct ia_claude_broken broken = ia_claude_conn_broken(run->model.conn);
    ia_host_time_away(&run->device.timed, ia_host_time_now() - wall, ia_thread_cpu_us() - cpu);
    count_usage(run, req->model, rc == IA_OK ? ret : NULL, &broken);
    if (listening->store_rc != IA_OK) {
        if (rc == IA_OK) {
            ia_claude_reply_fini(ret);
        }
        *err = store_err;
        return listening->store_rc;
    }
    return IA_OK;
}

enum ia_rc ia_request_try(struct ia_run_ctx *run, struct ia_claude_request *req,
                          struct ia_claude_reply *ret, struct ia_err *why, struct ia_err *err)
{
    /* The verifier has a history of its own and is part of finishing: of the checks that end
     * a run before a request, only the time applies to it. What its request may cost is
     * checked below, as for any other. */
    bool acting = req->history == run->model.history;
    struct listening listening = {.run = run, .req = req, .want = req->max_tokens};
    enum ia_rc rc = IA_OK;
    *why = (struct ia_err){0};
    if (acting || ia_mono_us(run->clock) >= ia_spending_deadline(&run->spent.spending)) {
        rc = ia_spending_check(&run->spent.spending, ia_mono_us(run->clock), why);
    }
    if (rc == IA_OK) {
        /* An answer without input tokens in its usage is no base for an estimate. */
        bool seen = acting && run->model.has_last && run->model.last_usage.total.input >= 0;
        listening.last = seen ? &run->model.last_usage : NULL;
        listening.added = added_tokens(run, req, seen);
        run->spent.spending.searches_usd =
            acting ? ia_core_tools_searches_usd(run->texts.core) : 0;
        rc = ia_spending_next(&run->spent.spending, req->model, listening.last, listening.added,
                              listening.want, &req->max_tokens, why);
    }
    if (rc != IA_OK) {
        return IA_OK;
    }
    run->model.turn++;
    ia_live_event(run, IA_EVENT(&(struct ia_event_request_started){.turn = run->model.turn}));
    return transmit(&listening, acting, ret, why, err);
}

enum ia_rc ia_request_send(struct ia_run_ctx *run, struct ia_claude_request *req,
                           struct ia_claude_reply *ret, struct ia_err *why, struct ia_err *err)
{
    enum ia_rc rc = ia_request_try(run, req, ret, why, err);
    if (rc == IA_OK && why->code != IA_OK) {
        ia_run_ctx_fail(run, why);
    }
    return rc;
}

struct ia_claude_request ia_request_acting(struct ia_run_ctx *run, struct ia_str system[2])
{
    system[0] = ia_prompts_system(run->texts.prompts);
    system[1] = ia_buf_str(&run->texts.agent_prompt);
    return (struct ia_claude_request){
        .model = run->req->model,
        .max_tokens = run->model.want_tokens,
        .effort = run->req->effort,
        .system = system,
        .system_count = run->texts.agent_prompt.len > 0 ? 2 : 1,
        .tools = ia_toolset_json(run->texts.tools),
        .history = run->model.history,
    };
}

/* ---- what is written about an answer ---------------------------------------------------- */

struct ia_event_request_finished ia_request_finished(struct ia_run_ctx *run,
                                                     const struct ia_claude_reply *reply,
                                                     const char *purpose)
{
    const struct ia_claude_tokens t = ia_claude_usage_said(&reply->message.usage);
    int64_t host_us = ia_host_time_lap(&run->device.timed, NULL);
    run->spent.turn_host_us += host_us;
    return (struct ia_event_request_finished){
        .turn = run->model.turn,
        .ms = reply->duration_us / 1000,
        .stop_reason = ia_str(reply->message.stop_reason),
        .usage = {.input = known(t.input),
                  .cache_read = known(t.cache_read),
                  .cache_write = known(t.cache_write),
                  .output = known(t.output)},
        .cost_usd = {reply->cost_known && !run->req->demo_brain, reply->cost_usd},
        .purpose = ia_str(purpose),
        .host_us = host_us,
        .spent = ia_spent_event(run),
        .model = ia_str(run->req->demo_brain ? IA_DEMO_MODEL : reply->message.model),
    };
}

struct ia_message_row ia_request_row(const struct ia_claude_reply *reply, const char *purpose,
                                     const struct ia_buf *content)
{
    const struct ia_claude_tokens t = ia_claude_usage_said(&reply->message.usage);
    return (struct ia_message_row){
        .role = "assistant",
        .purpose = purpose,
        .content = ia_buf_str(content),
        .stop_reason = reply->message.stop_reason,
        .model = reply->message.model,
        .request_id = reply->request_id[0] ? reply->request_id : NULL,
        .usage = {known(t.input), known(t.cache_read), known(t.cache_write), known(t.output),
                  reply->cost_usd, reply->cost_known},
        .ms = reply->duration_us / 1000,
    };
}
