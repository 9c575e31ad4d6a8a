#include "agent/goal/job.h"
#include "agent/loop/run_ctx.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- ends -------------------------------------------------------------------------------- */

void ia_loop_end(struct ia_loop *l, enum ia_run_state state, const struct ia_err *err)
{
    if (l->end.over) {
        return;
    }
    l->end.over = true;
    l->end.state = state;
    l->end.err = err ? *err : (struct ia_err){0};
    if (state != IA_RUN_PASSED) {
        l->end.basis = IA_BASIS_NONE;
    }
}

bool ia_loop_interrupted(const struct ia_loop *l)
{
    return !l->cancel_asked && ia_cancel_fired(l->env->cancel) && l->env->interrupt &&
           atomic_load(l->env->interrupt);
}

static void go_on_later(struct ia_loop *l)
{
    struct ia_err err;
    ia_err_set(&err, IA_E_INTERRUPTED, "the run was interrupted and goes on later");
    ia_err_hint(&err, "ios-agent resume %s goes on with it", l->id);
    ia_loop_end(l, IA_RUN_QUEUED, &err);
}

void ia_loop_fail(struct ia_loop *l, const struct ia_err *err)
{
    bool cancelled = err->code == IA_E_CANCELLED;
    if (cancelled && ia_loop_interrupted(l)) {
        go_on_later(l);
        return;
    }
    ia_loop_end(l, cancelled ? IA_RUN_CANCELLED : IA_RUN_ERROR, err);
}

bool ia_loop_stopped(struct ia_loop *l)
{
    struct ia_err err;
    if (!l->end.over && (l->cancel_asked || ia_cancel_fired(l->env->cancel))) {
        ia_err_set(&err, IA_E_CANCELLED, "the run was cancelled");
        ia_loop_fail(l, &err);
    }
    return l->end.over;
}

void ia_loop_notice(struct ia_loop *l, const char *what, const char *detail)
{
    struct ia_buf text = IA_BUF(1024), body = IA_BUF(4096);
    ia_buf_printf(&text, "%s%s", what, detail);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &body);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "text", ia_buf_cstr(&text));
    ia_jsonw_end_object(&w);
    ia_live_event(l, "notice", &body);
    ia_buf_fini(&text);
    ia_buf_fini(&body);
}

void ia_loop_append(struct ia_loop *l, enum ia_message_role role, struct ia_str blocks)
{
    struct ia_err err = {0};
    if (ia_history_append(l->history, role, blocks, NULL, &err) != IA_OK) {
        ia_loop_fail(l, &err);
    }
}

struct ia_call ia_loop_call(struct ia_loop *l, int64_t ms)
{
    int64_t until = ia_mono_us(l->clock) + ms * 1000;
    int64_t deadline = ia_spending_deadline(&l->spending);
    return (struct ia_call){l->patience, until < deadline ? until : deadline};
}

/* ---- setting up -------------------------------------------------------------------------- */

static enum ia_rc check_request(struct ia_loop *l, struct ia_err *err)
{
    const struct ia_run_request *req = l->req;
    if (!req->goal || strspn(req->goal, " \t\r\n") == strlen(req->goal)) {
        return ia_err_set(err, IA_E_USAGE, "the goal is empty");
    }
    if (strlen(req->goal) > IA_RUN_GOAL_BYTES_MAX) {
        return ia_err_set(err, IA_E_USAGE, "the goal is longer than %d bytes",
                          IA_RUN_GOAL_BYTES_MAX);
    }
    if (!req->model || !*req->model) {
        return ia_err_set(err, IA_E_USAGE, "no model is given");
    }
    if (req->expect_count > IA_JOB_EXPECTS_MAX || req->setup_count > IA_JOB_SETUP_MAX ||
        req->secret_count > IA_JOB_SECRETS_MAX) {
        return ia_err_set(err, IA_E_USAGE,
                          "more than %d expectations, %d setup steps or %d secrets",
                          IA_JOB_EXPECTS_MAX, IA_JOB_SETUP_MAX, IA_JOB_SECRETS_MAX);
    }
    if (req->continue_session && !req->agent) {
        return ia_err_set(err, IA_E_USAGE, "only an agent's conversation can go on: name it");
    }
    enum ia_rc rc = ia_expects_parse(req->expect, req->expect_count, &l->expects, err);
    if (rc != IA_OK) {
        return rc;
    }
    return ia_spending_start(&l->spending, &req->budget, ia_claude_models(l->env->claude),
                             req->model, req->verifier_model, ia_mono_us(l->clock), err);
}

enum ia_rc ia_run_check(struct ia_claude *claude, const struct ia_run_request *req,
                        struct ia_err *err)
{
    struct ia_run_env env = {.claude = claude};
    struct ia_loop l = {.env = &env, .req = req, .clock = ia_clock_system()};
    enum ia_rc rc = check_request(&l, err);
    ia_expects_fini(&l.expects);
    return rc;
}

static enum ia_rc load_prompts(struct ia_loop *l, struct ia_err *err)
{
    l->prompts = l->env->prompts;
    if (!l->prompts) {
        enum ia_rc rc = ia_prompts_open(NULL, &l->own_prompts, err);
        if (rc != IA_OK) {
            return rc;
        }
        l->prompts = l->own_prompts;
    }
    return IA_OK;
}

static bool take_agent(void *ctx, const struct ia_agent_row *row)
{
    struct ia_loop *l = ctx;
    ia_buf_puts(&l->memory, row->memory);
    ia_buf_puts(&l->prompt, row->prompt);
    ia_buf_puts(&l->agent_tools, row->tools);
    return false;
}

static bool named(const json_t *list, const char *tool)
{
    size_t i;
    json_t *name;
    json_array_foreach((json_t *)list, i, name)
    {
        if (json_is_string(name) && strcmp(json_string_value(name), tool) == 0) {
            return true;
        }
    }
    return false;
}

/* The tools of an agent that has only some, always in the same order. finish and snapshot are
 * always there. */
static void list_tools(struct ia_loop *l)
{
    if (l->agent_tools.len == 0) {
        return;
    }
    json_t *list = json_loads(ia_buf_cstr(&l->agent_tools), 0, NULL);
    ia_buf_putc(&l->tools, '[');
    for (int i = 0; i < IA_TOOL_COUNT; i++) {
        bool always = i == IA_TOOL_FINISH || i == IA_TOOL_SNAPSHOT;
        l->disabled[i] = !always && !named(list, ia_tool_name((enum ia_tool)i));
        if (!l->disabled[i]) {
            ia_buf_puts(&l->tools, l->tools.len > 1 ? "," : "");
            ia_buf_putstr(&l->tools, ia_prompts_tool(l->prompts, (enum ia_tool)i));
        }
    }
    ia_buf_putc(&l->tools, ']');
    json_decref(list);
}

static enum ia_rc load_agent(struct ia_loop *l, struct ia_err *err)
{
    if (l->req->agent) {
        enum ia_rc rc = ia_store_agents(l->env->store, l->req->agent, take_agent, l, err);
        if (rc != IA_OK) {
            return rc;
        }
    }
    list_tools(l);
    return IA_OK;
}

static enum ia_rc guard(void *ctx, const struct ia_snapshot *fresh, struct ia_err *err)
{
    const struct ia_loop *l = ctx;
    return ia_app_lock_screen(&l->lock, fresh, err);
}

/* The conversation to go on with: the one that an earlier attempt took, else the agent's last.
 */
static enum ia_rc find_conversation(struct ia_loop *l, uint32_t *last_ref, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    if (!l->past.begun && l->req->continue_session) {
        rc = ia_store_session(l->env->store, l->req->agent, l->past.continues, err);
    }
    if (rc == IA_OK && l->past.continues[0]) {
        struct ia_progress before;
        rc = ia_progress_read(l->env->store, l->past.continues, &before, err);
        *last_ref = before.last_ref > *last_ref ? before.last_ref : *last_ref;
        ia_progress_fini(&before);
    }
    return rc;
}

/* A new session gives refs above all that the transcript may mention, so an old ref can only be
 * stale, never another element. */
static enum ia_rc open_session(struct ia_loop *l, struct ia_err *err)
{
    uint32_t last_ref = l->past.last_ref;
    enum ia_rc rc = find_conversation(l, &last_ref, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_session_options opt = {.clock = &l->timed.clock,
                                     .guard = l->req->app ? guard : NULL,
                                     .guard_ctx = l,
                                     .first_ref = last_ref + 1};
    l->session = ia_session_new(&l->timed.device, &opt);
    return IA_OK;
}

static enum ia_rc set_up(struct ia_loop *l, struct ia_err *err)
{
    enum ia_rc rc = check_request(l, err);
    if (rc == IA_OK) {
        rc = load_prompts(l, err);
    }
    if (rc == IA_OK) {
        rc = load_agent(l, err);
    }
    if (rc == IA_OK) {
        rc = l->env->device->ops->info(l->env->device, &l->device, err);
    }
    if (rc == IA_OK) {
        rc = ia_secrets_new(l->env, l->req, &l->secrets, err);
        l->lacking = rc != IA_OK && l->past.begun;
    }
    if (rc == IA_OK) {
        rc = ia_claude_conn_new(l->env->claude, &l->conn, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    l->lock = (struct ia_app_lock){.app = l->req->app, .goal = l->req->goal};
    l->patience = ia_cancel_new_patient(l->env->cancel, l->env->interrupt, IA_TOOL_GRACE_MS);
    ia_timed_init(&l->timed, l->secrets ? ia_secrets_device(l->secrets) : l->env->device,
                  l->clock);
    l->history = ia_history_new(ia_store_home(l->env->store));
    return open_session(l, err);
}

static void loop_fini(struct ia_loop *l)
{
    ia_progress_fini(&l->past);
    ia_cancel_free(l->patience);
    ia_snapshot_free(l->shown);
    ia_session_free(l->session);
    ia_secrets_free(l->secrets);
    ia_lease_release(l->lease);
    ia_claude_conn_free(l->conn);
    ia_history_free(l->history);
    ia_claude_usage_fini(&l->last_usage);
    ia_expects_fini(&l->expects);
    ia_stuck_fini(&l->stuck);
    ia_buf_fini(&l->tools);
    ia_buf_fini(&l->agent_tools);
    ia_buf_fini(&l->prompt);
    ia_buf_fini(&l->memory);
    ia_buf_fini(&l->first_screen);
    ia_prompts_free(l->own_prompts);
    free(l->host_us);
    free(l->end.summary);
    free(l->end.evidence);
}

/* ---- the run ----------------------------------------------------------------------------- */

static enum ia_rc keep_lease(struct ia_loop *l)
{
    struct ia_err err;
    if (ia_timed_now() - l->leased_us < IA_LEASE_MS * 1000 / 3) {
        return IA_OK;
    }
    enum ia_rc rc = ia_lease_renew(l->lease, IA_LEASE_MS, &err);
    l->leased_us = ia_timed_now();
    if (rc == IA_E_STATE) { /* taken over; anything else is tried again in time */
        ia_loop_fail(l, &err);
        return rc;
    }
    return IA_OK;
}

static enum ia_rc conclude(struct ia_loop *l, struct ia_err *err)
{
    if (l->end.state == IA_RUN_QUEUED) {
        return ia_retry_later(l, err);
    }
    return ia_retry_wanted(l) ? ia_retry_record(l, err) : ia_record_end(l, err);
}

static enum ia_rc run_to_end(struct ia_loop *l, struct ia_err *err)
{
    enum ia_rc rc = l->past.begun ? ia_resume(l, err) : ia_begin(l, err);
    (void)ia_timed_lap(&l->timed);
    while (rc == IA_OK && !ia_loop_stopped(l) && keep_lease(l) == IA_OK) {
        rc = ia_turn(l, err);
    }
    return rc == IA_OK ? conclude(l, err) : ia_record_failure(l, err);
}

static struct ia_loop loop_of(const struct ia_run_env *env, const struct ia_run_request *req,
                              struct ia_run_result *ret)
{
    return (struct ia_loop){
        .env = env,
        .req = req,
        .result = ret,
        .clock = env->clock ? env->clock : ia_clock_system(),
        .rand = env->rand ? env->rand : ia_rand_system(),
        .attempt = 1,
        .past = {.screen = IA_BUF(0)},
        .tools = IA_BUF(IA_TURN_BYTES_MAX),
        .agent_tools = IA_BUF(IA_MEMORY_BYTES_MAX),
        .prompt = IA_BUF(IA_TURN_BYTES_MAX),
        .memory = IA_BUF(IA_MEMORY_BYTES_MAX),
        .first_screen = IA_BUF(IA_RESULT_BYTES_MAX),
        .last_usage = ia_claude_usage_none(),
        .answer_tokens = req->answer_tokens > 0 ? req->answer_tokens : IA_ANSWER_TOKENS,
        .want_tokens = req->answer_tokens > 0 ? req->answer_tokens : IA_ANSWER_TOKENS,
        .usage = {.cost_known = true},
    };
}

enum ia_rc ia_run_execute(const struct ia_run_env *env, const struct ia_run_request *req,
                          struct ia_run_result *ret, struct ia_err *err)
{
    struct ia_err local = {0};
    struct ia_run_request once = *req;
    once.tries = req->tries > 0 ? req->tries : 1;
    struct ia_loop l = loop_of(env, &once, ret);
    err = err ? err : &local;
    *ret = (struct ia_run_result){0};
    ia_boundary_new(l.rand, l.boundary);
    enum ia_rc rc = set_up(&l, err);
    if (rc == IA_OK) {
        rc = ia_record_new(&l, err);
    }
    if (rc == IA_OK) {
        rc = ia_record_start(&l, err);
        rc = rc == IA_OK ? run_to_end(&l, err) : ia_record_failure(&l, err);
    }
    loop_fini(&l);
    if (rc != IA_OK) {
        ia_run_result_fini(ret);
    }
    return rc;
}

/* ---- a run that was claimed -------------------------------------------------------------- */

/* What earlier attempts used up counts against the budget; the time between them does not. */
static void carry_on(struct ia_loop *l, const struct ia_run_row *row)
{
    const struct ia_spent *spent = &l->past.spent;
    l->spending.started_us -= l->past.ran_ms * 1000;
    l->spending.steps = l->past.begun ? row->steps : 0;
    l->usage = row->usage;
    l->usage.cost_usd = spent->usd;
    l->usage.cost_known = true;
    if (l->past.has_spent) {
        l->spending.tokens = spent->tokens;
        l->spending.usd = spent->usd;
        l->spending.usd_max = spent->usd_max;
        l->spending.cost_known = l->usage.cost_known = spent->cost_known;
    }
    l->turn = l->past.turns;
    if (!l->past.begun) {
        return; /* nothing of the transcript is left */
    }
    l->refusals = l->past.refusals;
    l->expects_held = l->past.expects_held;
    ia_buf_putstr(&l->first_screen, ia_buf_str(&l->past.screen));
    if (row->notes) {
        ia_buf_reset(&l->memory);
        ia_buf_puts(&l->memory, row->notes);
    }
}

/* Goes on with the row: what it asks for, and what went before. */
static enum ia_rc take_up(struct ia_loop *l, const struct ia_run_row *row, struct ia_err *err)
{
    memcpy(l->id, row->id, strnlen(row->id, sizeof(l->id) - 1));
    l->attempt = row->attempt;
    enum ia_rc rc = IA_OK;
    if (row->started_ms > 0) {
        rc = ia_progress_read(l->env->store, l->id, &l->past, err);
    }
    if (rc == IA_OK) {
        rc = set_up(l, err);
    }
    carry_on(l, row); /* also where the run can only end */
    return rc;
}

/* A run that cannot be done now is given back where that may change, and ends where not. */
static enum ia_rc not_done(struct ia_loop *l, struct ia_err *err)
{
    if (err->code != IA_E_BUSY && !l->lacking) {
        ia_loop_fail(l, err);
        return ia_retry_wanted(l) ? ia_retry_record(l, err) : ia_record_failure(l, err);
    }
    struct ia_err why = *err;
    enum ia_rc rc = ia_retry_later(l, err);
    if (rc == IA_OK) {
        *err = why;
    }
    return err->code;
}

static enum ia_rc do_row(struct ia_loop *l, const struct ia_run_row *row, struct ia_err *err)
{
    enum ia_rc rc = take_up(l, row, err);
    if (rc == IA_OK) {
        rc = ia_record_start(l, err);
    }
    return rc == IA_OK ? run_to_end(l, err) : not_done(l, err);
}

enum ia_rc ia_run_claimed(const struct ia_run_env *env, const char *run_id,
                          struct ia_run_result *ret, struct ia_err *err)
{
    struct ia_err local = {0};
    struct ia_run_row *row = NULL;
    struct ia_job *job = NULL;
    char boundary[IA_BOUNDARY_SIZE] = "";
    err = err ? err : &local;
    *ret = (struct ia_run_result){0};
    enum ia_rc rc = ia_store_run(env->store, run_id, &row, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_record_read(row, &job, boundary, err);
    static const struct ia_run_request none = {0};
    struct ia_loop l = loop_of(env, rc == IA_OK ? ia_job_request(job) : &none, ret);
    memcpy(l.boundary, boundary, sizeof(boundary));
    memcpy(l.id, row->id, strnlen(row->id, sizeof(l.id) - 1));
    l.usage = row->usage;
    l.spending.steps = row->steps;
    rc = rc == IA_OK ? do_row(&l, row, err) : ia_record_failure(&l, err);
    loop_fini(&l);
    if (rc != IA_OK) {
        ia_run_result_fini(ret);
    }
    ia_job_free(job);
    ia_run_row_free(row);
    return rc;
}

void ia_run_result_fini(struct ia_run_result *r)
{
    free(r->summary);
    free(r->screenshot_path);
    r->summary = NULL;
    r->screenshot_path = NULL;
}
