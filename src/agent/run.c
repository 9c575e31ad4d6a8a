#include "agent/loop.h"
#include "base/log.h"
#include "store/blob.h"

#include <stdlib.h>
#include <string.h>

enum { LAST_LOOK_MS = 5000, PNG_BYTES_MAX = 32 << 20, PATH_BYTES_MAX = 4096 };

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

struct ia_call ia_loop_call(struct ia_loop *l, int64_t ms)
{
    int64_t until = ia_mono_us(l->clock) + ms * 1000;
    int64_t deadline = ia_spending_deadline(&l->spending);
    return (struct ia_call){l->env->cancel, until < deadline ? until : deadline};
}

static const char *basis_name(enum ia_basis basis)
{
    static const char *const names[] = {"none", "expectations", "verifier", "unverified"};
    return names[basis];
}

/* ---- setting up ---------------------------------------------------------------------------
 */

static enum ia_rc check_request(struct ia_loop *l, struct ia_err *err)
{
    const struct ia_run_request *req = l->req;
    if (!req->goal || strspn(req->goal, " \t\r\n") == strlen(req->goal)) {
        return ia_err_set(err, IA_E_USAGE, "the goal is empty");
    }
    if (strlen(req->goal) > IA_GOAL_BYTES_MAX) {
        return ia_err_set(err, IA_E_USAGE, "the goal is longer than %d bytes",
                          IA_GOAL_BYTES_MAX);
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

/* Whether the agent's list of tools has it. finish and snapshot are always there. */
static bool tool_enabled(const json_t *list, enum ia_tool tool)
{
    if (!list || tool == IA_TOOL_FINISH || tool == IA_TOOL_SNAPSHOT) {
        return true;
    }
    size_t i;
    json_t *name;
    json_array_foreach((json_t *)list, i, name)
    {
        if (json_is_string(name) && strcmp(json_string_value(name), ia_tool_name(tool)) == 0) {
            return true;
        }
    }
    return false;
}

/* The request's tools, always in the same order and with the same bytes. */
static void list_tools(struct ia_loop *l)
{
    json_t *list =
        l->agent_tools.len ? json_loads(ia_buf_cstr(&l->agent_tools), 0, NULL) : NULL;
    ia_buf_putc(&l->tools, '[');
    for (int i = 0; i < IA_TOOL_COUNT; i++) {
        if (tool_enabled(list, (enum ia_tool)i)) {
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
    ia_prompts_free(l->own_prompts);
    free(l->host_us);
    free(l->end.summary);
    free(l->end.evidence);
}

/* ---- recording the start ------------------------------------------------------------------
 */

static void budget_json(const struct ia_budget *b, struct ia_jsonw *w)
{
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "max_steps", b->max_steps);
    ia_jsonw_kv_int(w, "max_seconds", b->max_seconds);
    ia_jsonw_kv_int(w, "max_tokens", b->max_tokens);
    ia_jsonw_kv_real(w, "max_usd", b->max_usd);
    ia_jsonw_end_object(w);
}

static void device_json(const struct ia_device_info *d, struct ia_jsonw *w)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "kind", d->kind);
    ia_jsonw_kv(w, "id", d->id);
    ia_jsonw_kv(w, "name", d->name);
    ia_jsonw_kv(w, "os", d->os);
    ia_jsonw_kv_bool(w, "simulated", d->simulated);
    ia_jsonw_end_object(w);
}

/* What else a resume needs: the boundary, as it stands in the first message. */
static void options_json(const struct ia_loop *l, struct ia_jsonw *w)
{
    static const char *const verify[] = {"auto", "always", "off"};
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "boundary", l->boundary);
    ia_jsonw_kv(w, "verify", verify[l->req->verify]);
    ia_jsonw_kv(w, "verifier_model", l->req->verifier_model);
    ia_jsonw_kv(w, "effort", l->req->effort);
    ia_jsonw_end_object(w);
}

static void expect_json(const struct ia_run_request *req, struct ia_jsonw *w)
{
    ia_jsonw_array(w);
    for (size_t i = 0; i < req->expect_count; i++) {
        ia_jsonw_string(w, req->expect[i]);
    }
    ia_jsonw_end_array(w);
}

/* The four JSON columns of a run. */
struct columns {
    struct ia_buf expect, budget, device, options;
};

static void columns_init(struct columns *c, const struct ia_loop *l)
{
    *c = (struct columns){IA_BUF(1 << 20), IA_BUF(4096), IA_BUF(4096), IA_BUF(4096)};
    struct ia_jsonw w;
    ia_jsonw_init(&w, &c->expect);
    expect_json(l->req, &w);
    ia_jsonw_init(&w, &c->budget);
    budget_json(&l->spending.limit, &w);
    ia_jsonw_init(&w, &c->device);
    device_json(&l->device, &w);
    ia_jsonw_init(&w, &c->options);
    options_json(l, &w);
}

static void columns_fini(struct columns *c)
{
    ia_buf_fini(&c->expect);
    ia_buf_fini(&c->budget);
    ia_buf_fini(&c->device);
    ia_buf_fini(&c->options);
}

static enum ia_rc add_run(struct ia_loop *l, struct ia_err *err)
{
    struct columns cols;
    columns_init(&cols, l);
    struct ia_run_new run = {
        .goal = l->req->goal,
        .app = l->req->app,
        .hint = l->req->hint,
        .agent = l->req->agent,
        .model = l->req->model,
        .lane = l->device.id,
        .expect = ia_buf_str(&cols.expect),
        .budget = ia_buf_str(&cols.budget),
        .device = ia_buf_str(&cols.device),
        .options = ia_buf_str(&cols.options),
        .demo = l->req->demo_brain,
    };
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(l->env->store, &tx, err);
    if (rc == IA_OK) {
        ia_tx_add_run(tx, &run, l->id);
        ia_run_move(tx, l->id, IA_RUN_CLAIMED, NULL, NULL);
        rc = ia_tx_commit(tx, err);
    }
    columns_fini(&cols);
    return rc;
}

static void started_json(const struct ia_loop *l, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "goal", l->req->goal);
    ia_jsonw_kv(&w, "app", l->req->app);
    ia_jsonw_key(&w, "device");
    device_json(&l->device, &w);
    ia_jsonw_kv(&w, "model", l->req->model);
    ia_jsonw_kv_bool(&w, "demo", l->req->demo_brain);
    ia_jsonw_key(&w, "budget");
    budget_json(&l->spending.limit, &w);
    ia_jsonw_end_object(&w);
}

static enum ia_rc move_running(struct ia_loop *l, struct ia_err *err)
{
    struct ia_buf body = IA_BUF(IA_EVENT_BYTES_MAX);
    started_json(l, &body);
    struct ia_run_moved moved = {.event = "run.started"};
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, l, err);
    if (rc == IA_OK) {
        ia_commit_move(&c, IA_RUN_RUNNING, &moved, &body);
        rc = ia_commit_end(&c, err);
    }
    ia_buf_fini(&body);
    return rc;
}

/* A run that never got its lane is recorded as such; the error stays the lane's. */
static enum ia_rc give_back(struct ia_loop *l, const struct ia_err *why)
{
    struct ia_tx *tx = NULL;
    struct ia_run_moved moved = {.code = ia_rc_name(why->code), .summary = why->msg};
    if (ia_tx_begin(l->env->store, &tx, NULL) == IA_OK) {
        ia_run_move(tx, l->id, IA_RUN_ERROR, &moved, NULL);
        if (ia_tx_commit(tx, NULL) != IA_OK) {
            IA_LOG(IA_LOG_WARN, "run.not_recorded", IA_S("run", l->id));
        }
    }
    return why->code;
}

static enum ia_rc record_start(struct ia_loop *l, struct ia_err *err)
{
    enum ia_rc rc = add_run(l, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_lease_take(l->env->store, l->device.id, l->id, IA_LEASE_MS, &l->lease, err);
    if (rc != IA_OK) {
        return give_back(l, err);
    }
    l->leased_us = ia_timed_now();
    return move_running(l, err);
}

/* ---- the first message --------------------------------------------------------------------
 */

static void notice(struct ia_loop *l, const char *what, const char *detail)
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
        notice(l, "launched ", l->req->app);
        *s = ia_session_latest(l->session);
    }
    return rc;
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
    ia_stuck_saw(&l->stuck, ia_snapshot_content_hash(s));
    l->shown = ia_snapshot_ref(s);
    return IA_OK;
}

static enum ia_rc begin(struct ia_loop *l, struct ia_err *err)
{
    struct ia_buf screen = IA_BUF(IA_RESULT_BYTES_MAX), text = IA_BUF(IA_TURN_BYTES_MAX);
    enum ia_rc rc = first_look(l, &screen, err);
    if (rc == IA_OK) {
        ia_compose_first(&text, l->req, ia_buf_cstr(&l->memory), l->boundary,
                         ia_buf_str(&screen));
        rc = ia_turn_say(l, ia_buf_cstr(&text), err);
    } else if (l->end.over) {
        rc = IA_OK;
    }
    ia_buf_fini(&screen);
    ia_buf_fini(&text);
    return rc;
}

/* ---- recording the end --------------------------------------------------------------------
 */

static int order_us(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t host_median(struct ia_loop *l)
{
    if (l->host_count == 0) {
        return 0;
    }
    qsort(l->host_us, l->host_count, sizeof(*l->host_us), order_us);
    return l->host_us[l->host_count / 2];
}

/* The last screen as a picture. It is a record only: without it the verdict stands. */
static void last_picture(struct ia_loop *l, char ret_sha[IA_SHA256_HEX_SIZE])
{
    ret_sha[0] = '\0';
    if (ia_cancel_fired(l->env->cancel) || l->end.err.code == IA_E_DEVICE_LOST) {
        return;
    }
    struct ia_buf png = IA_BUF(PNG_BYTES_MAX), path = IA_BUF(PATH_BYTES_MAX);
    struct ia_call call = {l->env->cancel, ia_mono_us(l->clock) + LAST_LOOK_MS * 1000};
    if (ia_session_screenshot(l->session, &call, &png, NULL) == IA_OK &&
        ia_blob_put(l->env->store, png.p, png.len, ret_sha, NULL) == IA_OK &&
        ia_blob_path(l->env->store, ret_sha, &path, NULL) == IA_OK) {
        l->result->screenshot_path = ia_buf_steal(&path);
    }
    ia_buf_fini(&png);
    ia_buf_fini(&path);
}

static void fill_result(struct ia_loop *l)
{
    struct ia_run_result *r = l->result;
    const struct ia_end *end = &l->end;
    memcpy(r->id, l->id, sizeof(r->id));
    (void)snprintf(r->state, sizeof(r->state), "%s", ia_run_state_name(end->state));
    r->code = end->err.code;
    r->basis = end->basis;
    r->summary = ia_strdup(end->summary ? end->summary : end->err.msg);
    r->steps = l->spending.steps;
    r->duration_ms = (ia_mono_us(l->clock) - l->spending.started_us) / 1000;
    r->tokens_input = l->usage.input;
    r->tokens_cache_read = l->usage.cache_read;
    r->tokens_cache_write = l->usage.cache_write;
    r->tokens_output = l->usage.output;
    r->cost_usd = l->usage.cost_usd;
    r->cost_known = l->spending.cost_known;
    r->host_us_median = host_median(l);
}

static void tokens_json(const struct ia_run_result *r, struct ia_jsonw *w)
{
    int64_t sent = r->tokens_input + r->tokens_cache_read + r->tokens_cache_write;
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "input", r->tokens_input);
    ia_jsonw_kv_int(w, "cache_read", r->tokens_cache_read);
    ia_jsonw_kv_int(w, "cache_write", r->tokens_cache_write);
    ia_jsonw_kv_int(w, "output", r->tokens_output);
    ia_jsonw_kv_real(w, "cached_share",
                     sent > 0 ? (double)r->tokens_cache_read / (double)sent : 0);
    ia_jsonw_end_object(w);
}

static void finished_json(const struct ia_loop *l, struct ia_buf *out)
{
    const struct ia_run_result *r = l->result;
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "state", r->state);
    ia_jsonw_kv(&w, "code", ia_rc_name(r->code));
    ia_jsonw_kv(&w, "message", l->end.err.msg);
    ia_jsonw_kv(&w, "hint", l->end.err.hint);
    ia_jsonw_kv(&w, "basis", basis_name(r->basis));
    ia_jsonw_kv(&w, "summary", r->summary);
    ia_jsonw_key(&w, "evidence");
    ia_jsonw_raw(&w, ia_str(l->end.evidence ? l->end.evidence : "[]"));
    ia_jsonw_kv_int(&w, "steps", r->steps);
    ia_jsonw_kv_real(&w, "seconds", (double)r->duration_ms / 1000.0);
    ia_jsonw_key(&w, "tokens");
    tokens_json(r, &w);
    ia_jsonw_key(&w, "cost_usd");
    if (r->cost_known) {
        ia_jsonw_real(&w, r->cost_usd);
    } else {
        ia_jsonw_null(&w);
    }
    ia_jsonw_kv_bool(&w, "demo", l->req->demo_brain);
    ia_jsonw_kv(&w, "screenshot", r->screenshot_path);
    ia_jsonw_kv_int(&w, "host_us_median", r->host_us_median);
    ia_jsonw_end_object(&w);
}

static enum ia_rc record_end(struct ia_loop *l, struct ia_err *err)
{
    char sha[IA_SHA256_HEX_SIZE];
    last_picture(l, sha);
    fill_result(l);
    struct ia_buf body = IA_BUF(IA_EVENT_BYTES_MAX);
    finished_json(l, &body);
    struct ia_run_moved moved = {
        .event = "run.finished",
        .code = ia_rc_name(l->result->code),
        .summary = l->result->summary,
        .basis = basis_name(l->result->basis),
        .result = ia_buf_str(&body),
        .screenshot = sha[0] ? sha : NULL,
    };
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, l, err);
    if (rc == IA_OK) {
        if (l->req->agent) {
            ia_tx_set_session(c.tx, l->req->agent, l->id);
        }
        ia_commit_move(&c, l->end.state, &moved, &body);
        rc = ia_commit_end(&c, err);
    }
    ia_buf_fini(&body);
    return rc;
}

/* ---- the run ------------------------------------------------------------------------------
 */

static enum ia_rc keep_lease(struct ia_loop *l)
{
    struct ia_err err;
    if (ia_timed_now() - l->leased_us < IA_LEASE_MS * 1000 / 3) {
        return IA_OK;
    }
    enum ia_rc rc = ia_lease_renew(l->lease, IA_LEASE_MS, &err);
    l->leased_us = ia_timed_now();
    if (rc != IA_OK) {
        ia_loop_fail(l, &err);
    }
    return rc;
}

static enum ia_rc run_to_end(struct ia_loop *l, struct ia_err *err)
{
    enum ia_rc rc = record_start(l, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = begin(l, err);
    (void)ia_timed_lap(&l->timed);
    while (rc == IA_OK && !ia_loop_stopped(l) && keep_lease(l) == IA_OK) {
        rc = ia_turn(l, err);
    }
    return rc == IA_OK ? record_end(l, err) : rc;
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
        .last_usage = ia_claude_usage_none(),
        .want_tokens = IA_ANSWER_TOKENS,
        .usage = {.cost_known = true},
    };
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
