/* run.c: a run from its request, or from its row, to its end.
 *
 *     ia_run_execute ─► set up ─► new row ──┐
 *                                           ├─► take the lane ─► start or resume ─► turns ─► end
 *     ia_run_claimed ─► row ─► set up ──────┘                                         │
 *                                                                       retry, queued or
 * final */
#include "agent/run/run.h"

#include "agent/loop/commit.h"
#include "agent/run/ask.h"
#include "agent/run/delegate.h"
#include "agent/run/plan.h"
#include "agent/run/replay.h"
#include "agent/run/resume.h"
#include "agent/run/retry.h"
#include "agent/run/run_skills.h"
#include "agent/run/run_store.h"
#include "agent/run/start.h"
#include "agent/run/turn.h"
#include "agent/skills/skills.h"
#include "agent/verdict/picture.h"
#include "agent/verdict/proof.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/* ---- setting up -------------------------------------------------------------------------- */

static enum ia_rc check_request(struct ia_run_ctx *run, struct ia_err *err)
{
    const struct ia_run_request *req = run->req;
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
        return ia_err_set(err, IA_E_USAGE,
                          "only an agent's conversation can be continued: name the agent");
    }
    if (req->plan && (req->replay || req->recording)) {
        return ia_err_set(err, IA_E_USAGE,
                          "a plan is for a model, and a recording is replayed: one of both");
    }
    enum ia_rc rc = ia_expects_parse(req->expect, req->expect_count, &run->proof.expects, err);
    if (rc == IA_OK) {
        rc = ia_expects_allowed(&run->proof.expects, run->env->allow_commands, err);
    }
    if (rc == IA_OK && !req->app && ia_proof_relaunches(run)) {
        rc = ia_err_set(err, IA_E_USAGE, "an expectation after a relaunch needs the app");
        ia_err_hint(err,
                    "name it with --app, or with app = in the goal file: whatever is in front "
                    "at the end need not be the app that the goal is about");
    }
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_claude *claude = run->env->claude;
    struct ia_budget budget = req->budget;
    budget.max_usd = claude ? budget.max_usd : 0; /* nothing is asked that could cost */
    return ia_spending_start(&run->spent.spending, &budget,
                             claude ? ia_claude_models(claude) : NULL, req->model,
                             req->verifier_model, ia_mono_us(run->clock), err);
}

enum ia_rc ia_run_check(struct ia_claude *claude, const struct ia_run_request *req,
                        bool allow_commands, struct ia_err *err)
{
    struct ia_run_env env = {.claude = claude, .allow_commands = allow_commands};
    struct ia_run_ctx run = {.env = &env, .req = req, .clock = ia_clock_system()};
    enum ia_rc rc = check_request(&run, err);
    ia_expects_fini(&run.proof.expects);
    return rc;
}

static enum ia_rc load_prompts(struct ia_run_ctx *run, struct ia_err *err)
{
    run->texts.prompts = run->env->prompts;
    if (!run->texts.prompts) {
        enum ia_rc rc = ia_prompts_open(NULL, &run->texts.opened, err);
        if (rc != IA_OK) {
            return rc;
        }
        run->texts.prompts = run->texts.opened;
    }
    return IA_OK;
}

static json_t *names_of(const char *json)
{
    return json ? json_loads(json, 0, NULL) : NULL;
}

static bool take_agent(void *ctx, const struct ia_agent_row *row)
{
    struct ia_run_texts *t = ctx;
    ia_buf_puts(&t->memory, row->memory);
    ia_buf_puts(&t->agent_prompt, row->prompt);
    if (row->role) {
        ia_buf_printf(&t->agent_prompt, "%s%s %s", t->agent_prompt.len > 0 ? "\n\n" : "",
                      ia_prompts_note(t->prompts, IA_NOTE_ROLE), row->role);
    }
    t->agent = (struct ia_run_agent){.tools = names_of(row->tools),
                                     .skills = names_of(row->skills),
                                     .may_call = names_of(row->may_call)};
    (void)snprintf(t->agent.memory, sizeof(t->agent.memory), "%s",
                   row->memory_kind ? row->memory_kind : "");
    return false;
}

/* The tools of the agent: those of the device, of this program, and of its skills. */
static enum ia_rc list_tools(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_run_texts *t = &run->texts;
    t->tools = ia_toolset_new(t->prompts);
    ia_toolset_limit(t->tools, t->agent.tools);
    if (t->agent.memory[0] && strcmp(t->agent.memory, IA_AGENT_MEMORY_NOTES) != 0) {
        ia_toolset_drop(t->tools, IA_TOOL_REMEMBER);
    }
    enum ia_rc rc = ia_delegate_add(run, err);
    if (rc == IA_OK) {
        rc = ia_run_skills_open(run, err);
    }
    if (rc == IA_OK) {
        rc = ia_core_tools_new(&run->env->core, &t->core, err);
    }
    if (rc == IA_OK) {
        if (strcmp(t->agent.memory, IA_AGENT_MEMORY_FILES) == 0) {
            ia_core_tools_remember(t->core, ia_store_home(run->env->store), run->req->agent);
        }
        rc = ia_core_tools_add(t->core, t->agent.tools, t->tools, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    if (ia_toolset_added(t->tools) > 0) {
        ia_buf_printf(&t->agent_prompt, "%s%s", t->agent_prompt.len > 0 ? "\n\n" : "",
                      ia_prompts_note(t->prompts, IA_NOTE_DATA));
    }
    return rc;
}

static enum ia_rc load_agent(struct ia_run_ctx *run, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    if (run->req->agent) {
        rc = ia_store_agents(run->env->store, run->req->agent, take_agent, &run->texts, err);
    }
    return rc == IA_OK ? list_tools(run, err) : rc;
}

static enum ia_rc guard(void *ctx, const struct ia_snapshot *fresh, struct ia_err *err)
{
    const struct ia_run_ctx *run = ctx;
    return run->req->app ? ia_app_lock_screen(&run->device.lock, fresh, err) : IA_OK;
}

/* The conversation to go on with: the one that an earlier attempt took,
 * else the agent's last. */
static enum ia_rc find_conversation(struct ia_run_ctx *run, uint32_t *last_ref,
                                    struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    if (!run->previous_attempt.begun && run->req->continue_session) {
        rc = ia_store_session(run->env->store, run->req->agent, run->previous_attempt.continues,
                              err);
    }
    if (rc == IA_OK && run->previous_attempt.continues[0]) {
        struct ia_progress before;
        rc = ia_progress_read(run->env->store, run->previous_attempt.continues, &before, err);
        *last_ref = before.last_ref > *last_ref ? before.last_ref : *last_ref;
        ia_progress_fini(&before);
    }
    return rc;
}

/* A new session gives refs above all that the transcript may mention, so an old ref can only be
 * stale, never another element. */
static enum ia_rc open_session(struct ia_run_ctx *run, struct ia_err *err)
{
    uint32_t last_ref = run->previous_attempt.last_ref;
    enum ia_rc rc = find_conversation(run, &last_ref, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_session_options opt = {.clock = &run->device.timed.clock,
                                     .guard = run->req->app ? guard : NULL,
                                     .guard_ctx = run,
                                     .permit = ia_ask_permit,
                                     .first_ref = last_ref + 1};
    run->device.session = ia_session_new(&run->device.timed.forward.device, &opt);
    return IA_OK;
}

/* A secret may be missing here and there in another process: a run that has begun, or that another run
 * delegated, waits for it instead of failing. */
static enum ia_rc take_secrets(struct ia_run_ctx *run, struct ia_err *err)
{
    bool earlier = run->previous_attempt.begun || run->delegated;
    json_t *hidden = NULL;
    enum ia_rc rc = ia_delegate_hidden(run, &hidden, err);
    if (rc == IA_OK) {
        rc = ia_secrets_new(run->env->device, &run->env->secrets, run->req, hidden,
                            &run->device.secrets, err);
        run->lacking = rc != IA_OK && earlier;
    }
    json_decref(hidden);
    if (rc == IA_OK) {
        ia_core_tools_guard(run->texts.core, run->device.secrets);
    }
    if (rc == IA_OK && earlier) {
        ia_secrets_resumed(run->device.secrets);
    }
    return rc;
}

static enum ia_rc set_up(struct ia_run_ctx *run, struct ia_err *err)
{
    enum ia_rc rc = check_request(run, err);
    /* Commands were allowed where it began; here it waits for who allows them, too. */
    run->lacking =
        rc != IA_OK && run->previous_attempt.begun &&
        ia_expects_allowed(&run->proof.expects, run->env->allow_commands, NULL) != IA_OK;
    if (rc == IA_OK) {
        rc = load_prompts(run, err);
    }
    if (rc == IA_OK) {
        rc = load_agent(run, err);
    }
    if (rc == IA_OK) {
        rc = ia_device_info(run->env->device, &run->device.info, err);
    }
    if (rc == IA_OK) {
        rc = take_secrets(run, err);
    }
    if (rc == IA_OK) {
        rc = ia_replay_load(run, err);
    }
    if (rc == IA_OK && run->env->claude) {
        rc = ia_claude_conn_new(run->env->claude, &run->model.conn, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    run->device.lock = (struct ia_app_lock){.app = run->req->app,
                                            .goal = run->req->goal,
                                            .expects = &run->proof.expects,
                                            .setup = run->req->setup,
                                            .setup_count = run->req->setup_count};
    run->device.patience = ia_cancel_new_patient(
        run->env->cancel, run->env->interrupt,
        run->env->tool_grace_ms ? run->env->tool_grace_ms : IA_TOOL_GRACE_MS);
    /* The order of the wrappers: secrets next to the device, the measuring around them, so
     * that hiding counts as the device's time. */
    ia_host_time_init(&run->device.timed,
                      run->device.secrets ? ia_secrets_device(run->device.secrets)
                                          : run->env->device,
                      run->clock);
    run->device.timed.forward.gate = ia_ask_gate;
    run->device.timed.forward.gate_ctx = run;
    ia_ask_init(run);
    run->model.history = ia_history_new(ia_store_home(run->env->store));
    return open_session(run, err);
}

static void loop_fini(struct ia_run_ctx *run)
{
    ia_progress_fini(&run->previous_attempt);
    ia_cancel_free(run->device.patience);
    ia_snapshot_free(run->device.shown);
    /* Session before secrets: it uses the device that they wrap. */
    ia_session_free(run->device.session);
    ia_secrets_free(run->device.secrets);
    /* Only now: until here this run used the device. */
    ia_lease_release(run->device.lease);
    ia_claude_conn_free(run->model.conn);
    ia_history_free(run->model.history);
    ia_claude_usage_fini(&run->model.last_usage);
    ia_expects_fini(&run->proof.expects);
    free(run->proof.opinion.reason);
    ia_stuck_fini(&run->watch.stuck);
    ia_ask_fini(run);
    ia_toolset_free(run->texts.tools);
    ia_skills_free(run->texts.skills);
    ia_core_tools_free(run->texts.core);
    json_decref(run->delegate.tool);
    free(run->delegate.json);
    json_decref(run->texts.agent.tools);
    json_decref(run->texts.agent.skills);
    json_decref(run->texts.agent.may_call);
    ia_buf_fini(&run->texts.agent_prompt);
    ia_buf_fini(&run->texts.memory);
    ia_buf_fini(&run->proof.first_screen);
    ia_prompts_free(run->texts.opened);
    free(run->spent.host_us);
    json_decref(run->proof.unproven);
    json_decref(run->proof.pictured);
    ia_proof_forget_picture(run);
    json_decref(run->proof.checked);
    json_decref(run->replay.recording);
    free(run->replay.touched);
    ia_buf_fini(&run->replay.notes);
    free(run->end.summary);
    free(run->end.evidence);
}

/* ---- the run ----------------------------------------------------------------------------- */

/* False where another process took the lane over, which ends the run. */
static bool keep_lease(struct ia_run_ctx *run)
{
    struct ia_err err;
    /* Renewed after a third of its time, so that two failures in a row do no harm. */
    if (ia_host_time_now() - run->device.leased_us < IA_LEASE_MS * 1000 / 3) {
        return true;
    }
    enum ia_rc rc = ia_lease_renew(run->device.lease, IA_LEASE_MS, &err);
    run->device.leased_us = ia_host_time_now();
    if (rc == IA_E_STATE) { /* anything else is tried again in time */
        ia_run_ctx_fail(run, &err);
    }
    return rc != IA_E_STATE;
}

static enum ia_rc conclude(struct ia_run_ctx *run, struct ia_err *err)
{
    if (run->end.rests) {
        return IA_OK; /* it was put back with its subtasks */
    }
    if (run->end.state == IA_RUN_QUEUED) {
        return ia_retry_later(run, err);
    }
    if (run->end.state == IA_RUN_ASKING) {
        return ia_ask_record(run, err);
    }
    return ia_retry_wanted(run) ? ia_retry_record(run, err) : ia_run_store_end(run, err);
}

/* A disk that is full or away says nothing about the run, which goes on when there is room. */
static bool can_be_written_later(enum ia_rc code)
{
    return code == IA_E_DB_FULL || code == IA_E_DB_LOCKED || code == IA_E_DB_READONLY ||
           code == IA_E_DB;
}

/* The run cannot go on being recorded: back to the queue, or its end where waiting is no help. */
static enum ia_rc leave(struct ia_run_ctx *run, const struct ia_err *why)
{
    struct ia_err own;
    if (!run->id[0] || !can_be_written_later(why->code)) {
        return ia_run_store_failure(run, why);
    }
    /* Should this fail too, the run is given back when this process is seen to be over. */
    ia_run_result_fini(run->result);
    if (ia_retry_later(run, &own) != IA_OK) {
        IA_LOG(IA_LOG_WARN, "run.not_recorded", IA_S("run", run->id), IA_S("why", own.msg));
    }
    return why->code;
}

/* A turn from the recording, or from a model, which may be doing a step of it. */
static enum ia_rc next_turn(struct ia_run_ctx *run, bool *resumed, struct ia_err *err)
{
    if (ia_run_ctx_replays(run)) {
        return ia_replay_turn(run, resumed, err);
    }
    enum ia_rc rc = ia_turn(run, resumed, err);
    return rc == IA_OK && run->replay.healing ? ia_replay_rejoin(run, err) : rc;
}

static enum ia_rc run_to_end(struct ia_run_ctx *run, struct ia_err *err)
{
    bool begun = run->previous_attempt.begun, resumed = begun;
    enum ia_rc rc = begun ? ia_resume(run, &resumed, err) : ia_plan(run, err);
    if (rc == IA_OK && !begun && !run->end.over) {
        rc = ia_start(run, err);
    }
    if (rc == IA_OK && !run->end.over) {
        rc = ia_replay_resumed(run, err);
    }
    /* The first lap is setup and start, which no step is charged for. */
    (void)ia_host_time_lap(&run->device.timed, NULL);
    while (rc == IA_OK && !ia_run_ctx_stopped(run) && keep_lease(run)) {
        rc = next_turn(run, &resumed, err);
    }
    if (rc == IA_OK) {
        rc = conclude(run, err);
    }
    return rc == IA_OK ? rc : leave(run, err);
}

static struct ia_run_ctx loop_of(const struct ia_run_env *env, const struct ia_run_request *req,
                                 struct ia_run_result *ret)
{
    int tokens = req->answer_tokens > 0 ? req->answer_tokens : IA_ANSWER_TOKENS;
    return (struct ia_run_ctx){
        .env = env,
        .req = req,
        .result = ret,
        .clock = env->clock ? env->clock : ia_clock_system(),
        .attempt = 1,
        .previous_attempt = {.screen = IA_BUF(0)},
        .texts = {.agent_prompt = IA_BUF(IA_TURN_BYTES_MAX),
                  .memory = IA_BUF(IA_MEMORY_BYTES_MAX)},
        .model = {.last_usage = ia_claude_usage_none(),
                  .answer_tokens = tokens,
                  .want_tokens = tokens},
        .proof = {.first_screen = IA_BUF(IA_RESULT_BYTES_MAX)},
        .spent = {.usage = {.cost_known = true}},
    };
}

enum ia_rc ia_run_execute(const struct ia_run_env *env, const struct ia_run_request *req,
                          struct ia_run_result *ret, struct ia_err *err)
{
    struct ia_err local = {0};
    struct ia_run_request once = *req;
    /* Nobody waits for a retry of a run that is done in the foreground of its caller, unless
     * it asked for tries. */
    once.tries = req->tries > 0 ? req->tries : 1;
    struct ia_run_ctx run = loop_of(env, &once, ret);
    err = err ? err : &local;
    *ret = (struct ia_run_result){0};
    ia_fence_boundary(env->rand ? env->rand : ia_rand_system(), run.boundary);
    enum ia_rc rc = set_up(&run, err);
    if (rc == IA_OK) {
        rc = ia_run_store_new(&run, err);
    }
    if (rc == IA_OK) {
        memcpy(ret->id, run.id, sizeof(ret->id));
        rc = ia_run_store_start(&run, err);
        rc = rc == IA_OK ? run_to_end(&run, err) : leave(&run, err);
    }
    loop_fini(&run);
    if (rc != IA_OK) {
        ia_run_result_fini(ret);
    }
    return rc;
}

/* ---- a run that was claimed -------------------------------------------------------------- */

static void recall_proof(struct ia_run_ctx *run)
{
    const struct ia_progress *before = &run->previous_attempt;
    for (size_t i = 0; i < run->proof.expects.count && i < before->start_count; i++) {
        ia_expect_recall(&run->proof.expects.items[i], ia_str(before->start[i]));
    }
    for (size_t i = 0; i < before->unproven_count; i++) {
        ia_proof_unproven(run, before->unproven[i]);
    }
    for (size_t i = 0; i < before->pictured_count; i++) {
        ia_proof_pictured(run, before->pictured[i]);
    }
    memcpy(run->proof.relaunch, before->relaunch, sizeof(run->proof.relaunch));
}

/* What earlier attempts used up counts against the budget; the time between them does not. */
static void carry_on(struct ia_run_ctx *run, const struct ia_run_row *row)
{
    const struct ia_spent *spent = &run->previous_attempt.spent;
    run->spent.spending.started_us -= run->previous_attempt.ran_ms * 1000;
    run->spent.spending.steps = run->previous_attempt.begun ? row->steps : 0;
    run->spent.usage = row->usage;
    run->spent.usage.cost_usd = spent->usd;
    run->spent.usage.cost_known = true;
    if (run->previous_attempt.has_spent) {
        run->spent.spending.tokens = spent->tokens;
        run->spent.spending.usd = spent->usd;
        run->spent.spending.usd_max = spent->usd_max;
        run->spent.spending.cost_known = run->spent.usage.cost_known = spent->cost_known;
    }
    run->model.turn = run->previous_attempt.turns;
    if (!run->previous_attempt.begun) {
        return; /* nothing of the transcript is left */
    }
    run->ask.suspects.any = run->previous_attempt.suspicious;
    run->proof.refusals = run->previous_attempt.refusals;
    run->proof.disputed = run->previous_attempt.disputed;
    run->proof.expects_held = run->previous_attempt.expects_held;
    const struct ia_opinion *said = &run->previous_attempt.opinion;
    ia_opinion_set(&run->proof.opinion, said->question, said->agrees, said->reason);
    ia_buf_putstr(&run->proof.first_screen, ia_buf_str(&run->previous_attempt.screen));
    recall_proof(run);
    if (row->notes) {
        ia_buf_reset(&run->texts.memory);
        ia_buf_puts(&run->texts.memory, row->notes);
    }
}

/* Goes on with the row: what it asks for, and what went before. */
static enum ia_rc take_up(struct ia_run_ctx *run, const struct ia_run_row *row,
                          struct ia_err *err)
{
    memcpy(run->id, row->id, strnlen(row->id, sizeof(run->id) - 1));
    run->attempt = row->attempt;
    if (row->recording) {
        (void)snprintf(run->replay.id, sizeof(run->replay.id), "%s", row->recording);
    }
    enum ia_rc rc = IA_OK;
    /* A run that never started has no events worth reading. */
    if (row->started_ms > 0) {
        rc = ia_progress_read(run->env->store, run->id, &run->previous_attempt, err);
    }
    if (rc == IA_OK) {
        rc = set_up(run, err);
    }
    carry_on(run, row); /* also where the run can only end */
    return rc;
}

/* A run that cannot be done now is given back where that may change, and ends where not. */
static enum ia_rc not_done(struct ia_run_ctx *run, struct ia_err *err)
{
    if (err->code != IA_E_BUSY && !run->lacking) {
        ia_run_ctx_fail(run, err);
        return ia_retry_wanted(run) ? ia_retry_record(run, err) : leave(run, err);
    }
    /* Kept: giving back may overwrite err, but the caller wants to know why it was needed. */
    struct ia_err why = *err;
    enum ia_rc rc = ia_retry_later(run, err);
    if (rc == IA_OK) {
        *err = why;
    }
    return err->code;
}

static enum ia_rc do_row(struct ia_run_ctx *run, const struct ia_run_row *row,
                         struct ia_err *err)
{
    enum ia_rc rc = take_up(run, row, err);
    if (rc == IA_OK) {
        rc = ia_run_store_start(run, err);
    }
    return rc == IA_OK ? run_to_end(run, err) : not_done(run, err);
}

static enum ia_rc do_recalled(const struct ia_run_env *env, const struct ia_run_recalled *r,
                              struct ia_run_result *ret, struct ia_err *err)
{
    static const struct ia_run_request none = {0};
    struct ia_run_ctx run = loop_of(env, r->job ? ia_job_request(r->job) : &none, ret);
    memcpy(run.boundary, r->boundary, sizeof(run.boundary));
    memcpy(run.id, r->row->id, strnlen(r->row->id, sizeof(run.id) - 1));
    run.delegated = r->row->parent_id != NULL;
    run.spent.usage = r->row->usage;
    run.spent.spending.steps = r->row->steps;
    if (!r->job) {
        *err = r->unreadable;
    }
    enum ia_rc rc = r->job ? do_row(&run, r->row, err) : ia_run_store_failure(&run, err);
    loop_fini(&run);
    if (rc != IA_OK) {
        ia_run_result_fini(ret);
    }
    return rc;
}

enum ia_rc ia_run_claimed(const struct ia_run_env *env, const char *run_id,
                          const struct ia_run_recalled *recalled, struct ia_run_result *ret,
                          struct ia_err *err)
{
    struct ia_err local = {0};
    struct ia_run_recalled own = {.row = NULL};
    err = err ? err : &local;
    *ret = (struct ia_run_result){0};
    enum ia_rc rc = recalled ? IA_OK : ia_run_recall(env->store, run_id, &own, err);
    if (rc == IA_OK) {
        rc = do_recalled(env, recalled ? recalled : &own, ret, err);
    }
    ia_run_recalled_fini(&own);
    return rc;
}

bool ia_run_counts(enum ia_run_state state, enum ia_rc code)
{
    bool limit = state == IA_RUN_ERROR && ia_rc_exit(code) == ia_rc_exit(IA_E_BUDGET);
    return state == IA_RUN_PASSED || state == IA_RUN_FAILED || state == IA_RUN_BLOCKED || limit;
}
