#include "agent/loop.h"

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

void ia_loop_fail(struct ia_loop *l, const struct ia_err *err)
{
    bool cancelled = err->code == IA_E_CANCELLED;
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
    return (struct ia_call){l->env->cancel, until < deadline ? until : deadline};
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
        rc = ia_claude_conn_new(l->env->claude, &l->conn, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    l->lock = (struct ia_app_lock){.app = l->req->app, .goal = l->req->goal};
    ia_boundary_new(l->rand, l->boundary);
    ia_timed_init(&l->timed, l->env->device, l->clock);
    struct ia_session_options opt = {
        .clock = &l->timed.clock, .guard = l->req->app ? guard : NULL, .guard_ctx = l};
    l->session = ia_session_new(&l->timed.device, &opt);
    l->history = ia_history_new(ia_store_home(l->env->store));
    return IA_OK;
}

static void loop_fini(struct ia_loop *l)
{
    ia_snapshot_free(l->shown);
    ia_session_free(l->session);
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

/* ---- the first message ------------------------------------------------------------------- */

/* A run that is locked to an app begins in it, which saves the model a step. Bringing an app to
 * the front twice does no harm, so this needs no journal. */
static enum ia_rc enter_app(struct ia_loop *l, const struct ia_snapshot **s, struct ia_err *err)
{
    const char *front = ia_snapshot_app(*s);
    if (!l->req->app || (front && strcmp(front, l->req->app) == 0)) {
        return IA_OK;
    }
    struct ia_act_result act = {.changes = IA_BUF(IA_RESULT_BYTES_MAX)};
    struct ia_call call = ia_loop_call(l, IA_ACTION_MS_MAX);
    enum ia_rc rc = ia_session_launch(l->session, &call, l->req->app, &act, err);
    ia_act_result_fini(&act);
    if (rc == IA_OK) {
        ia_loop_notice(l, "launched ", l->req->app);
        *s = ia_session_latest(l->session);
    }
    return rc;
}

static bool expects_hold(const struct ia_loop *l, const struct ia_snapshot *s)
{
    bool all = l->expects.count > 0;
    for (size_t i = 0; all && i < l->expects.count; i++) {
        all = ia_expect_holds(&l->expects.items[i], s, NULL);
    }
    return all;
}

static enum ia_rc first_look(struct ia_loop *l, struct ia_buf *screen, struct ia_err *err)
{
    const struct ia_snapshot *s = NULL;
    struct ia_call call = ia_loop_call(l, IA_ACTION_MS_MAX);
    enum ia_rc rc = ia_session_snapshot(l->session, &call, &s, err);
    if (rc == IA_OK) {
        rc = enter_app(l, &s, err);
    }
    if (rc != IA_OK) {
        ia_loop_fail(l, err);
        return rc;
    }
    ia_snapshot_text(s, 0, screen);
    l->expects_held = expects_hold(l, s);
    ia_stuck_saw(&l->stuck, ia_snapshot_content_hash(s));
    l->shown = ia_snapshot_ref(s);
    return IA_OK;
}

static enum ia_rc begin(struct ia_loop *l, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_TURN_BYTES_MAX);
    enum ia_rc rc = first_look(l, &l->first_screen, err);
    if (rc == IA_OK) {
        ia_compose_first(&text, l->req, ia_buf_cstr(&l->memory), l->boundary,
                         ia_buf_str(&l->first_screen));
        rc = ia_turn_say(l, ia_buf_cstr(&text), err);
    } else if (l->end.over) {
        rc = IA_OK;
    }
    ia_buf_fini(&text);
    return rc;
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

static enum ia_rc run_to_end(struct ia_loop *l, struct ia_err *err)
{
    enum ia_rc rc = ia_record_start(l, err);
    if (rc == IA_OK) {
        rc = begin(l, err);
    }
    (void)ia_timed_lap(&l->timed);
    while (rc == IA_OK && !ia_loop_stopped(l) && keep_lease(l) == IA_OK) {
        rc = ia_turn(l, err);
    }
    return rc == IA_OK ? ia_record_end(l, err) : ia_record_failure(l, err);
}

enum ia_rc ia_run_execute(const struct ia_run_env *env, const struct ia_run_request *req,
                          struct ia_run_result *ret, struct ia_err *err)
{
    struct ia_err local = {0};
    struct ia_loop l = {
        .env = env,
        .req = req,
        .result = ret,
        .clock = env->clock ? env->clock : ia_clock_system(),
        .rand = env->rand ? env->rand : ia_rand_system(),
        .tools = IA_BUF(IA_TURN_BYTES_MAX),
        .agent_tools = IA_BUF(IA_MEMORY_BYTES_MAX),
        .prompt = IA_BUF(IA_TURN_BYTES_MAX),
        .memory = IA_BUF(IA_MEMORY_BYTES_MAX),
        .first_screen = IA_BUF(IA_RESULT_BYTES_MAX),
        .last_usage = ia_claude_usage_none(),
        .answer_tokens = req->answer_tokens > 0 ? req->answer_tokens : IA_ANSWER_TOKENS,
        .usage = {.cost_known = true},
    };
    l.want_tokens = l.answer_tokens;
    *ret = (struct ia_run_result){0};
    enum ia_rc rc = set_up(&l, err ? err : &local);
    if (rc == IA_OK) {
        rc = run_to_end(&l, err ? err : &local);
    }
    loop_fini(&l);
    if (rc != IA_OK) {
        ia_run_result_fini(ret);
    }
    return rc;
}

void ia_run_result_fini(struct ia_run_result *r)
{
    free(r->summary);
    free(r->screenshot_path);
    r->summary = NULL;
    r->screenshot_path = NULL;
}
