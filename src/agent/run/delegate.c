/* delegate.c: the tool `delegate`. What a model may choose is checked here: an agent that the run's
 * agent may call, a device that the user named for it, expectations that run no command, the app that
 * the run itself is locked to, and a share of what is left of its limits. */
#include "agent/run/delegate.h"

#include "agent/loop/commit.h"
#include "agent/loop/spent.h"
#include "agent/run/result.h"
#include "agent/run/run_store.h"
#include "agent/tools/act.h"
#include "base/killpoint.h"
#include "store/children.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES_MAX = 4096, EXPECTS_MAX = 8 };

/* ---- the tool ---------------------------------------------------------------------------- */

static bool put_role(void *ctx, const struct ia_agent_row *row)
{
    ia_buf_printf(ctx, " %s: %s.", row->name, row->role ? row->role : "no role is given");
    return false;
}

/* The property may only be one of those names. */
static void set_names(json_t *tool, const char *property, json_t *names)
{
    json_t *schema = json_object_get(tool, "input_schema");
    json_t *p = json_object_get(json_object_get(schema, "properties"), property);
    json_object_set_new(p, "enum", names);
}

static json_t *device_names(const struct ia_run_ctx *run)
{
    json_t *names = json_array();
    const char *at = run->env->delegation.devices ? run->env->delegation.devices : "";
    for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        json_array_append_new(names, json_stringn(at, n));
        at += n;
    }
    if (run->req->device) {
        json_array_append_new(names, json_string(run->req->device));
    }
    return names;
}

static void make_tool(struct ia_run_ctx *run)
{
    struct ia_buf text = IA_BUF(IA_PROMPT_BYTES_MAX);
    json_t *tool = json_deep_copy(ia_prompts_delegate_tool(run->texts.prompts)), *name;
    size_t i;
    ia_buf_puts(&text, ia_json_text(tool, "description"));
    ia_buf_puts(&text, " Agents:");
    json_array_foreach(run->texts.agent.may_call, i, name)
    {
        struct ia_err ignored; /* one that is gone is refused when it is called */
        (void)ia_store_agents(run->env->store, json_string_value(name), put_role, &text,
                              &ignored);
    }
    json_object_set_new(tool, "description", json_string(ia_buf_cstr(&text)));
    set_names(tool, "agent", json_deep_copy(run->texts.agent.may_call));
    set_names(tool, "device", device_names(run));
    run->delegate.tool = tool;
    run->delegate.json = json_dumps(tool, JSON_COMPACT);
    ia_buf_fini(&text);
}

/* At least 1 remains of a limit: 0 would be none. */
static void charge(struct ia_budget *limit, const struct ia_below *below)
{
    int64_t steps = limit->max_steps - below->steps, tokens = limit->max_tokens - below->tokens;
    double usd = limit->max_usd - below->usd;
    limit->max_steps = steps > 1 ? (int)steps : 1;
    limit->max_tokens = limit->max_tokens == 0 ? 0 : tokens > 1 ? tokens : 1;
    limit->max_usd = limit->max_usd <= 0 ? 0 : usd > 1e-9 ? usd : 1e-9;
}

static ia_tool_call_fn collect;

enum ia_rc ia_delegate_add(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_below below = {.runs = 0};
    int depth = 0;
    enum ia_rc rc = run->id[0] ? ia_store_below(run->env->store, run->id, &below, err) : IA_OK;
    if (rc == IA_OK && run->id[0]) {
        rc = ia_store_depth(run->env->store, run->id, &depth, err);
    }
    if (rc == IA_OK && below.runs > 0) {
        charge(&run->spent.spending.limit, &below);
    }
    bool may = json_array_size(run->texts.agent.may_call) > 0 && !run->req->recording;
    /* Where it has delegated, its transcript has calls of the tool. */
    if (rc != IA_OK || !may || (depth >= run->env->delegation.depth && below.runs == 0)) {
        return rc;
    }
    make_tool(run);
    run->delegate.def = (struct ia_tool_def){
        .name = IA_DELEGATE,
        .json = ia_str(run->delegate.json),
        .schema = json_object_get(run->delegate.tool, "input_schema"),
        .has_effect = true,
        .resumes = true,
        .call = collect,
        .ctx = run,
    };
    return ia_toolset_add(run->texts.tools, &run->delegate.def, err);
}

/* ---- what is asked for ------------------------------------------------------------------- */

struct subtask {
    const struct ia_tool_call *call;
    struct ia_run_request req;
    struct ia_buf lane;
    char *model;
    struct ia_budget agent; /* its own limits */
    const char *expect[EXPECTS_MAX];
};

static void subtask_fini(struct subtask *s)
{
    ia_buf_fini(&s->lane);
    free(s->model);
}

static bool take_agent(void *ctx, const struct ia_agent_row *row)
{
    struct subtask *s = ctx;
    json_t *b = row->budget ? json_loads(row->budget, 0, NULL) : NULL;
    s->model = row->model ? ia_strdup(row->model) : NULL;
    s->agent = (struct ia_budget){
        .max_steps = (int)json_number_value(json_object_get(b, "max_steps")),
        .max_seconds = (int)json_number_value(json_object_get(b, "max_seconds")),
        .max_tokens = (int64_t)json_number_value(json_object_get(b, "max_tokens")),
        .max_usd = json_number_value(json_object_get(b, "max_usd")),
    };
    json_decref(b);
    return false;
}

/* No command of a model's is run, whatever the user allows to himself. */
static enum ia_rc take_expects(struct subtask *s, const json_t *input, struct ia_err *err)
{
    struct ia_expects parsed;
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)json_object_get(input, "expect"), i, item)
    {
        if (i < EXPECTS_MAX) {
            s->expect[s->req.expect_count++] = json_string_value(item);
        }
    }
    s->req.expect = s->expect;
    enum ia_rc rc = ia_expects_parse(s->expect, s->req.expect_count, &parsed, err);
    if (rc == IA_OK) {
        rc = ia_expects_allowed(&parsed, false, err);
    }
    ia_expects_fini(&parsed);
    return rc;
}

static enum ia_rc take_device(struct ia_run_ctx *run, struct subtask *s, const char *named,
                              struct ia_err *err)
{
    const struct ia_delegation *d = &run->env->delegation;
    const char *own = ia_device_info_lane(&run->device.info);
    if (!named || (run->req->device && strcmp(named, run->req->device) == 0)) {
        s->req.device = run->req->device;
        ia_buf_puts(&s->lane, own);
        return IA_OK;
    }
    s->req.device = named;
    return d->lane ? d->lane(d->ctx, named, &s->lane, err)
                   : ia_err_set(err, IA_E_NO_DEVICE, "there is no other device here");
}

static enum ia_rc take_app(const struct ia_run_ctx *run, struct subtask *s, const char *named,
                           struct ia_err *err)
{
    if (named && run->req->app && strcmp(named, run->req->app) != 0) {
        return ia_err_set(err, IA_E_USAGE, "this run is locked to %s, and so are its subtasks",
                          run->req->app);
    }
    s->req.app = run->req->app ? run->req->app : named;
    return IA_OK;
}

/* Fills everything but the budget; borrows from the call's input. The input was not checked yet. */
static enum ia_rc read_subtask(struct ia_run_ctx *run, const struct ia_tool_def *def,
                               const json_t *input, struct subtask *s, struct ia_err *err)
{
    const struct ia_run_request *p = run->req;
    *s = (struct subtask){.lane = IA_BUF(NAME_BYTES_MAX)};
    enum ia_rc rc = ia_tool_def_check(def, input, err);
    const char *agent = json_string_value(json_object_get(input, "agent"));
    s->req = (struct ia_run_request){.goal = json_string_value(json_object_get(input, "goal")),
                                     .agent = agent,
                                     .verifier_model = p->verifier_model,
                                     .effort = p->effort,
                                     .verify = p->verify,
                                     .pictures = p->pictures,
                                     .answer_tokens = p->answer_tokens,
                                     .context_tokens = p->context_tokens,
                                     .demo_brain = p->demo_brain,
                                     .secrets = p->secrets,
                                     .secret_count = p->secret_count,
                                     .tries = p->tries};
    if (rc == IA_OK) {
        rc = ia_store_agents(run->env->store, agent, take_agent, s, err);
    }
    if (rc == IA_OK) {
        s->req.model = s->model ? s->model : p->model;
        rc = take_expects(s, input, err);
    }
    if (rc == IA_OK) {
        rc = take_device(run, s, json_string_value(json_object_get(input, "device")), err);
    }
    return rc == IA_OK ? take_app(run, s, json_string_value(json_object_get(input, "app")), err)
                       : rc;
}

/* ---- its share --------------------------------------------------------------------------- */

static double least(double a, double b, double c)
{
    double x = a > 0 ? a : b;
    x = b > 0 && b < x ? b : x;
    x = x <= 0 ? c : x;
    return c > 0 && c < x ? c : x;
}

/* An even share of what is left for each of n, and one for the run itself; less where the agent's
 * limits or the call say so. A limit that the run does not have, 0, is none here. */
static enum ia_rc share(const struct ia_run_ctx *run, const json_t *input, size_t n,
                        struct subtask *s, struct ia_err *err)
{
    const struct ia_spending *spent = &run->spent.spending;
    const struct ia_budget *limit = &spent->limit;
    double parts = (double)n + 1;
    double steps = (limit->max_steps - spent->steps) / parts;
    double tokens = (double)(limit->max_tokens - spent->tokens) / parts;
    double usd = (limit->max_usd - spent->usd_max) / parts;
    int64_t until_us = ia_spending_deadline(spent);
    double seconds =
        until_us == IA_NO_DEADLINE ? 0 : (double)(until_us - ia_mono_us(run->clock)) / 1e6 + 1;
    if (steps < 1 || (limit->max_tokens > 0 && tokens < 1) ||
        (limit->max_usd > 0 && usd <= 0)) {
        enum ia_rc rc = ia_err_set(err, IA_E_BUDGET,
                                   "too little is left of this run's limits "
                                   "for a subtask");
        ia_err_hint(err, "Do it yourself, or finish with failed.");
        return rc;
    }
    double asked_steps = json_number_value(json_object_get(input, "max_steps"));
    double asked_usd = json_number_value(json_object_get(input, "max_usd"));
    s->req.budget = (struct ia_budget){
        .max_steps = (int)least(asked_steps, s->agent.max_steps, steps),
        .max_seconds = (int)least(s->agent.max_seconds, 0, seconds),
        .max_tokens =
            (int64_t)least((double)s->agent.max_tokens, 0, limit->max_tokens > 0 ? tokens : 0),
        .max_usd = least(asked_usd, s->agent.max_usd, limit->max_usd > 0 ? usd : 0),
    };
    return IA_OK;
}

/* ---- beginning --------------------------------------------------------------------------- */

/* Where a call stands: it has a run that is over, or not, or none. */
enum begun { BEGUN_NOT, BEGUN_OPEN, BEGUN_OVER };

static enum ia_rc find_begun(struct ia_run_ctx *run, const char *call, enum begun *ret,
                             struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_store_child_of(run->env->store, run->id, call, &row, err);
    *ret = !row ? BEGUN_NOT : ia_run_state_final(row->state) ? BEGUN_OVER : BEGUN_OPEN;
    ia_run_row_free(row);
    return rc;
}

static bool delegates(const struct ia_run_ctx *run, const struct ia_tool_call *c)
{
    return c->def && c->def->ctx == run && c->def->resumes && c->history == IA_CALL_NEW &&
           !c->skipped;
}

static bool count_child(void *ctx, const struct ia_run_row *row)
{
    (void)row;
    ++*(int *)ctx;
    return true;
}

/* Reads those that can begin; what is wrong with another its call says (collect). */
static enum ia_rc gather(struct ia_run_ctx *run, const struct ia_tool_call *calls, size_t n,
                         struct subtask *list, size_t *ret_n, int *ret_open, struct ia_err *err)
{
    int room = 0;
    enum ia_rc rc = ia_store_children(run->env->store, run->id, count_child, &room, err);
    room = run->env->delegation.runs - room;
    for (size_t i = 0; rc == IA_OK && i < n && delegates(run, &calls[i]); i++) {
        enum begun begun = BEGUN_NOT;
        struct ia_err why;
        rc = find_begun(run, calls[i].block->id, &begun, err);
        *ret_open += rc == IA_OK && begun == BEGUN_OPEN;
        if (rc != IA_OK || begun != BEGUN_NOT || (int)*ret_n >= room) {
            continue;
        }
        struct subtask *s = &list[*ret_n];
        if (read_subtask(run, calls[i].def, calls[i].input, s, &why) == IA_OK) {
            s->call = &calls[i];
            ++*ret_n;
        } else {
            subtask_fini(s);
        }
    }
    return rc;
}

static void add_one(struct ia_commit *c, const struct subtask *s)
{
    struct ia_run_ctx *run = c->run;
    char id[IA_ID_SIZE] = {0};
    const struct ia_run_place place = {.lane =
                                           ia_buf_cstr((struct ia_buf *)(uintptr_t)&s->lane),
                                       .parent_id = run->id,
                                       .parent_call = s->call->block->id};
    ia_run_store_add(c->tx, &s->req, &place, id);
    if (ia_tx_failed(c->tx)) {
        return;
    }
    const struct ia_budget *b = &s->req.budget;
    const struct ia_event_run_delegated delegated = {
        .call = ia_str(s->call->block->id),
        .number = ia_tx_child_number(c->tx, run->id, id),
        .child = ia_str(id),
        .agent = ia_str(s->req.agent),
        .goal = ia_str(s->req.goal),
        .device = ia_str(s->req.device ? s->req.device : place.lane),
        .budget = {true, b->max_steps, b->max_seconds, b->max_tokens, b->max_usd},
    };
    ia_commit_event(c, IA_EVENT(&delegated));
}

/* One commit: the runs, and this one back in the queue. */
static enum ia_rc rest(struct ia_run_ctx *run, const struct subtask *list, size_t n, int open,
                       struct ia_err *err)
{
    struct ia_commit c;
    IA_KILL_POINT("agent.delegate.before");
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc != IA_OK) {
        return rc;
    }
    for (size_t i = 0; i < n; i++) {
        add_one(&c, &list[i]);
    }
    const struct ia_event_run_waits waits = {.children = open + (int)n,
                                             .spent = ia_spent_event(run)};
    const struct ia_run_moved moved = {.event = IA_EVENT(&waits)};
    run->end = (struct ia_end){.over = true, .state = IA_RUN_QUEUED, .rests = true};
    ia_run_result_fill(run);
    ia_commit_move(&c, IA_RUN_QUEUED, &moved);
    rc = ia_commit_end(&c, err);
    if (rc != IA_OK) {
        run->end = (struct ia_end){.over = false};
        ia_run_result_fini(run->result);
        run->result->rests = false;
    }
    IA_KILL_POINT("agent.delegate.after");
    return rc;
}

enum ia_rc ia_delegate_begin(struct ia_run_ctx *run, const struct ia_tool_call *calls, size_t n,
                             bool *ret_rests, struct ia_err *err)
{
    *ret_rests = false;
    if (!delegates(run, &calls[0]) || ia_run_ctx_stopped(run)) {
        return IA_OK;
    }
    struct subtask *list = ia_calloc(n, sizeof(*list));
    size_t count = 0, affordable = 0;
    int open = 0;
    enum ia_rc rc = gather(run, calls, n, list, &count, &open, err);
    for (size_t i = 0; rc == IA_OK && i < count; i++) {
        struct ia_err why;
        affordable += share(run, list[i].call->input, count, &list[i], &why) == IA_OK;
    }
    affordable = affordable == count ? count : 0; /* all have the same share, or none has one */
    if (rc == IA_OK && (affordable > 0 || open > 0)) {
        rc = rest(run, list, affordable, open, err);
        *ret_rests = rc == IA_OK;
    }
    for (size_t i = 0; i < count; i++) {
        subtask_fini(&list[i]);
    }
    free(list);
    return rc;
}

/* ---- what came of it --------------------------------------------------------------------- */

/* Why it has no run. */
static enum ia_rc refusal(struct ia_run_ctx *run, const json_t *input, struct ia_err *err)
{
    struct subtask s;
    enum ia_rc rc = read_subtask(run, &run->delegate.def, input, &s, err);
    if (rc == IA_OK) {
        rc = share(run, input, 1, &s, err);
    }
    subtask_fini(&s);
    if (rc == IA_OK) {
        rc = ia_err_set(err, IA_E_LIMIT, "a run may have no more than %d subtasks",
                        run->env->delegation.runs);
    }
    err->outcome = IA_OUTCOME_NOT_SENT;
    return rc;
}

static void put_words(struct ia_run_ctx *run, const struct ia_subtask *s, struct ia_buf *out)
{
    struct ia_buf words = IA_BUF(IA_RESULT_BYTES_MAX);
    size_t i;
    json_t *item;
    ia_buf_printf(&words, "summary: %s\n", ia_json_text(s->result, "summary"));
    json_array_foreach(json_object_get(s->result, "expects"), i, item)
    {
        ia_buf_printf(&words, "expectation %s: %s\n",
                      json_is_true(json_object_get(item, "held")) ? "holds" : "does not hold",
                      ia_json_text(item, "expect"));
    }
    json_array_foreach(json_object_get(s->result, "evidence"), i, item)
    {
        ia_buf_printf(&words, "evidence%s: %s\n",
                      json_is_true(json_object_get(item, "unproven")) ? " (not found)" : "",
                      ia_json_text(item, "quote"));
    }
    ia_buf_putc(out, '\n');
    ia_fence_data(out, run->boundary, ia_buf_str(&words));
    ia_buf_fini(&words);
}

static enum ia_rc tell(struct ia_run_ctx *run, const struct ia_subtask *s, int number,
                       struct ia_tool_result *ret, struct ia_err *err)
{
    bool proven = ia_subtask_proven(s->state, s->basis);
    const json_t *cost = json_object_get(s->result, "cost_usd");
    ia_buf_printf(&ret->text, "\nsubtask %d: %s%s%s, %lld steps", number,
                  ia_run_state_name(s->state), s->basis == IA_BASIS_NONE ? "" : ": ",
                  ia_basis_words(s->basis),
                  (long long)json_integer_value(json_object_get(s->result, "steps")));
    if (json_is_number(cost)) {
        ia_buf_printf(&ret->text, ", $%.4f", json_number_value(cost));
    }
    put_words(run, s, &ret->text);
    /* For quotes that name this step. */
    ia_subtask_proof(s, &ret->screen);
    if (!proven) {
        ia_err_set(err, IA_E_NOT_MET, "subtask %d did not end as passed with proof", number);
        err->outcome = IA_OUTCOME_SENT;
        return IA_E_NOT_MET;
    }
    return IA_OK;
}

static enum ia_rc collect(void *ctx, const struct ia_tool_env *env, const json_t *input,
                          struct ia_tool_result *ret, struct ia_err *err)
{
    struct ia_run_ctx *run = ctx;
    struct ia_subtasks all;
    enum ia_rc rc = ia_subtasks_read(run->env->store, run->id, &all, err);
    size_t i = 0;
    while (rc == IA_OK && i < all.count && strcmp(all.items[i].call, env->call) != 0) {
        i++;
    }
    if (rc == IA_OK) {
        rc = i == all.count ? refusal(run, input, err)
                            : tell(run, &all.items[i], (int)i + 1, ret, err);
    }
    ia_subtasks_fini(&all);
    return rc;
}
