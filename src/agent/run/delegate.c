/* delegate.c: calls of the tool `delegate`: what they ask for, the runs that they begin, what came of those.
 *
 * What a model may choose is checked here and by the tool's schema (delegate_tool.c): expectations that run no
 * command, a device that exists, the app that the run itself is locked to, and a share of what is left of its
 * limits. */
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

/* ---- what is asked for ------------------------------------------------------------------- */

struct subtask {
    const struct ia_tool_call *call;
    struct ia_run_request req;
    struct ia_buf lane;
    char *model;
    struct ia_budget agent; /* its own limits */
    const char *expect[2 * EXPECTS_MAX];
    const char *secrets[IA_JOB_SECRETS_MAX];
    struct before {
        int number, at;  /* of the subtask that it does again; 0: none */
        json_t *options; /* its row's; NULL: there is no such one */
        const json_t *job;
        char *lane;
        bool proven;
    } before;
};

static void subtask_fini(struct subtask *s)
{
    ia_buf_fini(&s->lane);
    free(s->model);
    free(s->before.lane);
    json_decref(s->before.options);
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

/* Appends to n texts, up to max. */
static size_t take_texts(const json_t *from, const char *key, const char **texts, size_t n,
                         size_t max)
{
    const json_t *list = json_object_get(from, key);
    for (size_t i = 0; i < json_array_size(list) && n < max; i++) {
        texts[n++] = json_string_value(json_array_get(list, i));
    }
    return n;
}

static bool find_before(void *ctx, const struct ia_run_row *row)
{
    struct before *b = ctx;
    if (++b->at < b->number) {
        return true;
    }
    b->options = row->options ? json_loads(row->options, JSON_ALLOW_NUL, NULL) : NULL;
    b->job = json_object_get(b->options, "job");
    b->lane = ia_strdup(row->lane);
    b->proven = ia_subtask_proven(row->state, ia_basis_from_name(ia_str(row->basis)));
    return false;
}

/* What is done again stays what it was: its goal, its expectations, its device. Else one thing could be proven in
 * the place of another. What the call asks for is a hint. */
static enum ia_rc take_before(struct ia_run_ctx *run, struct subtask *s, const json_t *input,
                              struct ia_err *err)
{
    struct before *b = &s->before;
    b->number = (int)json_integer_value(json_object_get(input, "redoes"));
    if (b->number == 0) {
        return IA_OK;
    }
    enum ia_rc rc = ia_store_children(run->env->store, run->id, find_before, b, err);
    if (rc == IA_OK && !b->job) {
        rc = ia_err_set(err, IA_E_USAGE, "there is no subtask %d to do again", b->number);
    } else if (rc == IA_OK && b->proven) {
        rc = ia_err_set(err, IA_E_USAGE, "subtask %d passed with proof", b->number);
    }
    s->req.hint = s->req.goal;
    s->req.goal = json_string_value(json_object_get(b->job, "goal"));
    return rc;
}

/* No command of a model's is run, even if the user's own may be. */
static enum ia_rc take_expects(struct subtask *s, const json_t *input, struct ia_err *err)
{
    struct ia_expects parsed;
    size_t n = take_texts(s->before.job, "expect", s->expect, 0, IA_COUNTOF(s->expect));
    s->req.expect_count = take_texts(input, "expect", s->expect, n, IA_COUNTOF(s->expect));
    s->req.expect = s->expect;
    enum ia_rc rc = ia_expects_parse(s->expect, s->req.expect_count, &parsed, err);
    if (rc == IA_OK) {
        rc = ia_expects_allowed(&parsed, false, err);
    }
    ia_expects_fini(&parsed);
    return rc;
}

/* What the call says or, where it says nothing, what was said before. */
static const char *choice(const struct subtask *s, const json_t *input, const char *key)
{
    const char *text = json_string_value(json_object_get(input, key));
    return text ? text : json_string_value(json_object_get(s->before.job, key));
}

static enum ia_rc take_device(struct ia_run_ctx *run, struct subtask *s, const char *named,
                              struct ia_err *err)
{
    const struct ia_delegation *d = &run->env->delegation;
    bool own = !named || (run->req->device && strcmp(named, run->req->device) == 0);
    enum ia_rc rc = IA_OK;
    s->req.device = own ? run->req->device : named;
    if (own) {
        ia_buf_puts(&s->lane, ia_device_info_lane(&run->device.info));
    } else {
        rc = d->lane ? d->lane(d->ctx, named, &s->lane, err)
                     : ia_err_set(err, IA_E_NO_DEVICE, "there is no other device here");
        /* It is not this run's own device that is missing, which would end the run. */
        rc = rc == IA_OK ? IA_OK : ia_err_wrap(err, IA_E_USAGE, "device %.80s", named);
    }
    if (rc == IA_OK && s->before.lane && strcmp(s->before.lane, ia_buf_cstr(&s->lane)) != 0) {
        rc =
            ia_err_set(err, IA_E_USAGE, "subtask %d was on %s and can be done again only there",
                       s->before.number, s->before.lane);
    }
    return rc;
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

/* Fills everything but the budget; borrows from the call's input, which was not checked yet. s must stay where it is. */
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
                                     .policy = p->policy,
                                     .pictures = p->pictures,
                                     .answer_tokens = p->answer_tokens,
                                     .context_tokens = p->context_tokens,
                                     .demo_brain = p->demo_brain,
                                     .tries = p->tries};
    s->req.secret_count = take_texts(input, "secrets", s->secrets, 0, IA_JOB_SECRETS_MAX);
    s->req.secrets = s->secrets;
    if (rc == IA_OK) {
        rc = take_before(run, s, input, err);
    }
    if (rc == IA_OK) {
        rc = ia_store_agents(run->env->store, agent, take_agent, s, err);
    }
    if (rc == IA_OK) {
        s->req.model = s->model ? s->model : p->model;
        rc = take_expects(s, input, err);
    }
    if (rc == IA_OK) {
        rc = take_device(run, s, choice(s, input, "device"), err);
    }
    return rc == IA_OK ? take_app(run, s, choice(s, input, "app"), err) : rc;
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
    double left_s = (double)(ia_spending_deadline(spent) - ia_mono_us(run->clock)) / 1e6;
    double seconds = limit->max_seconds > 0 ? left_s / parts : 0;
    if (steps < 1 || (limit->max_tokens > 0 && tokens < 1) ||
        (limit->max_usd > 0 && usd <= 0) || (limit->max_seconds > 0 && seconds < 1)) {
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

/* How many of them can begin together, each with its share; the others come after those. */
static size_t affordable(const struct ia_run_ctx *run, struct subtask *list, size_t count)
{
    for (size_t n = count; n > 0; n--) {
        struct ia_err why;
        size_t ok = 0;
        while (ok < n && share(run, list[ok].call->input, n, &list[ok], &why) == IA_OK) {
            ok++;
        }
        if (ok == n) {
            return n;
        }
    }
    return 0;
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
    size_t count = 0;
    int open = 0;
    enum ia_rc rc = gather(run, calls, n, list, &count, &open, err);
    size_t begins = rc == IA_OK ? affordable(run, list, count) : 0;
    if (rc == IA_OK && (begins > 0 || open > 0)) {
        rc = rest(run, list, begins, open, err);
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

/* What it says of itself, and what a program found of that. */
static void put_words(struct ia_run_ctx *run, const struct ia_subtask *s, struct ia_buf *out)
{
    struct ia_buf words = IA_BUF(IA_RESULT_BYTES_MAX);
    size_t i;
    json_t *item;
    ia_buf_printf(&words, "summary: %s\n", s->summary);
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
    const json_t *cost = json_object_get(s->result, "cost_usd");
    ia_buf_printf(&ret->text, "\nsubtask %d: %s", number, ia_run_state_name(s->state));
    if (s->basis != IA_BASIS_NONE || s->code) {
        ia_buf_printf(&ret->text, ": %s",
                      s->basis != IA_BASIS_NONE ? ia_basis_words(s->basis) : s->code);
    }
    ia_buf_printf(&ret->text, ", %lld steps",
                  (long long)json_integer_value(json_object_get(s->result, "steps")));
    if (json_is_number(cost)) {
        ia_buf_printf(&ret->text, ", $%.4f", json_number_value(cost));
    }
    put_words(run, s, &ret->text);
    if (ia_subtask_proven(s->state, s->basis)) {
        ia_subtask_proof(s, &ret->screen); /* for quotes that name this step */
        return IA_OK;
    }
    ia_err_set(err, IA_E_NOT_MET, "subtask %d did not end as passed with proof", number);
    err->outcome = IA_OUTCOME_SENT;
    return IA_E_NOT_MET;
}

enum ia_rc ia_delegate_collect(void *ctx, const struct ia_tool_env *env, const json_t *input,
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
