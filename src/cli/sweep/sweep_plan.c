/* sweep_plan.c: what `sweep` is going to do, decided before anything runs.
 *
 *     options ─► goals of all files ─► the chosen ones ─► lanes ─► requests checked ─► sweep
 *
 * Every mistake that can be found without a device is found here. */
#include "cli/sweep/sweep_plan.h"

#include "agent/eval/eval.h"
#include "agent/goal/oracle.h"
#include "agent/run/run.h"
#include "app/agents.h"
#include "app/request_defaults.h"
#include "app/secret_source.h"
#include "base/embed.h"
#include "base/rand.h"
#include "base/suggest.h"
#include "cli/sys/sim.h"
#include "driver/registry/device_registry.h"
#include "driver/registry/sim_name.h"
#include "store/queue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct ia_embedded ia_eval_suite[]; /* evals/ */

enum { TITLE_MAX = 4096, EXAMPLE_MAX = 1 << 20, OWN_MAX = 64 };

/* ---- options ----------------------------------------------------------------------------- */

/* The last ones are of recordings, which an evaluation does not use. */
static enum ia_rc apply_flags(struct ia_setup *setup, const struct ia_args *a, bool eval,
                              struct ia_err *err)
{
    enum { OF_RECORDINGS = 2 };
    static const struct {
        const char *option;
        enum ia_config_key key;
    } rows[] = {
        {"model", IA_CFG_RUN_MODEL},       {"verifier-model", IA_CFG_RUN_VERIFIER_MODEL},
        {"verify", IA_CFG_RUN_VERIFY},     {"effort", IA_CFG_RUN_EFFORT},
        {"pictures", IA_CFG_RUN_PICTURES}, {"allow-commands", IA_CFG_RUN_ALLOW_COMMANDS},
        {"replay", IA_CFG_RUN_REPLAY},     {"strict", IA_CFG_RUN_STRICT},
    };
    enum ia_rc rc = IA_OK;
    size_t n = IA_COUNTOF(rows) - (eval ? OF_RECORDINGS : 0);
    for (size_t i = 0; i < n && rc == IA_OK; i++) {
        rc = ia_args_configure(a, rows[i].option, setup->config, rows[i].key, err);
    }
    return rc;
}

/* A report shows a picture of each step, unless the user chose otherwise. */
static enum ia_pictures pictures(const struct ia_config *g, const struct ia_args *a)
{
    bool said = ia_config_origin(g, IA_CFG_RUN_PICTURES) != IA_CFG_FROM_DEFAULT;
    bool report = ia_args_has(a, "report-dir");
    return !said && report ? IA_PICTURES_STEPS
                           : (enum ia_pictures)ia_config_int(g, IA_CFG_RUN_PICTURES);
}

static void take_requests(struct ia_sweep_plan *p, const struct ia_config *g,
                          const struct ia_args *a)
{
    p->base = (struct ia_run_request){.goal = NULL};
    ia_run_request_defaults(g, p->agent, &p->base);
    p->base.device = NULL; /* the plan gives each run one */
    p->base.pictures = pictures(g, a);
    if (p->eval) {
        p->base.replay = NULL; /* a model is measured, and no recording */
    }
    p->force = (struct ia_run_request){
        .model = ia_args_text(a, "model"),
        .verifier_model = ia_args_text(a, "verifier-model"),
        .effort = ia_args_text(a, "effort"),
        .verify = p->base.verify,
    };
}

static enum ia_rc take_options(struct ia_sweep_plan *p, const struct ia_args *a,
                               struct ia_err *err)
{
    const char *shard = ia_args_text(a, "shard");
    p->choice.tags = p->tags;
    p->choice.tag_count = ia_args_list(a, "tag", p->tags, IA_COUNTOF(p->tags));
    p->choice.names = p->names;
    p->choice.name_count = ia_args_list(a, "goal", p->names, IA_COUNTOF(p->names));
    p->opts.repeat = (int)ia_args_int(a, "repeat", 0);
    p->opts.retries = p->eval ? 0 : (int)ia_args_int(a, "retries", -1);
    p->opts.fail_fast = ia_args_has(a, "fail-fast");
    p->opts.max_usd = ia_args_real(a, "max-usd", 0);
    p->opts.max_seconds = (int)ia_args_int(a, "max-seconds", 0);
    p->last_failed = !p->eval && ia_args_has(a, "last-failed");
    if (p->last_failed && p->choice.name_count > 0) {
        return ia_err_set(err, IA_E_USAGE, "--last-failed and --goal cannot be used together");
    }
    return shard ? ia_sweep_shard_parse(shard, &p->choice.shard, &p->choice.shards, err)
                 : IA_OK;
}

static void take_title(struct ia_sweep_plan *p, const struct ia_args *a)
{
    struct ia_buf b = IA_BUF(TITLE_MAX);
    for (size_t i = 0; i < a->operand_count; i++) {
        ia_buf_printf(&b, "%s%s", i > 0 ? " " : "", a->operands[i]);
    }
    p->title = b.len > 0 ? ia_buf_steal(&b) : ia_strdup(p->eval ? IA_EVAL_BUILT_IN : "sweep");
    p->opts.title = p->title;
    ia_buf_fini(&b);
}

/* ---- goals ------------------------------------------------------------------------------- */

/* Checks that the device exists; does not open it. */
static enum ia_rc check_device(const struct ia_setup *setup, const char *name,
                               struct ia_err *err)
{
    struct ia_device_spec spec = {.kind = NULL};
    enum ia_rc rc = ia_device_spec_find(name, &setup->paths, &spec, err);
    ia_device_spec_fini(&spec);
    return rc;
}

static enum ia_rc check_devices(const struct ia_sweep_plan *p, const struct ia_setup *setup,
                                struct ia_err *err)
{
    for (size_t i = 0; i < ia_goals_count(p->goals); i++) {
        const struct ia_goal *g = ia_goals_at(p->goals, i);
        enum ia_rc rc = g->device ? ia_device_name_check_foreign(g->device, err) : IA_OK;
        if (rc == IA_OK && g->device) {
            rc = check_device(setup, g->device, err);
        }
        if (rc != IA_OK) {
            return ia_err_wrap(err, rc, "%s:%u:%u: goal \"%.100s\"", g->file, g->line,
                               g->column, g->req.name);
        }
    }
    return IA_OK;
}

/* Only where a phone begins as if new can it be told what a run has changed, and only by a reason who has found
 * out that a goal cannot be done. */
static const char *why_not(const struct ia_goal *g)
{
    bool why = g->req.fails == NULL;
    for (size_t i = 0; i < g->oracle_count; i++) {
        why = why || ia_oracle_tells_why(g->oracle[i]);
    }
    return g->oracle_count == 0 ? "has no oracle"
           : g->req.setup_count == 0 || g->req.setup[0].kind != IA_SETUP_RESET
               ? "does not begin its setup with \"reset\""
           : !why ? "cannot be done, and no rule seen or answer of its oracle says why not"
                  : NULL;
}

static enum ia_rc check_oracles(const struct ia_sweep_plan *p, struct ia_err *err)
{
    for (size_t i = 0; i < ia_goals_count(p->goals); i++) {
        const struct ia_goal *g = ia_goals_at(p->goals, i);
        const char *why = why_not(g);
        if (why) {
            enum ia_rc rc = ia_err_set(err, IA_E_CONFIG, "%s:%u:%u: goal \"%.100s\" %s",
                                       g->file, g->line, g->column, g->req.name, why);
            ia_err_hint(err, "docs/eval.md shows a goal that can be evaluated");
            return rc;
        }
    }
    return IA_OK;
}

/* Every --goal must name one. */
static enum ia_rc check_names(const struct ia_sweep_plan *p, struct ia_err *err)
{
    size_t n = ia_goals_count(p->goals);
    const char **names = ia_calloc(n + 1, sizeof(*names));
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < n; i++) {
        names[i] = ia_goals_at(p->goals, i)->req.name;
    }
    for (size_t k = 0; rc == IA_OK && k < p->choice.name_count; k++) {
        size_t i = 0;
        while (i < n && strcmp(names[i], p->names[k]) != 0) {
            i++;
        }
        if (i == n) {
            const char *best = ia_nearest(ia_str(p->names[k]), names, n);
            rc = ia_err_set(err, IA_E_USAGE, "no goal is named \"%.100s\"", p->names[k]);
            ia_err_hint(err, best ? "did you mean \"%.200s\"?" : "--dry-run shows the goals%s",
                        best ? best : "");
        }
    }
    free(names);
    return rc;
}

static enum ia_rc nothing_chosen(const struct ia_sweep_plan *p, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "no goal has one of the tags");
    struct ia_buf known = IA_BUF(sizeof(err->hint) - 60);
    for (size_t i = 0; i < ia_goals_count(p->goals); i++) {
        const struct ia_goal *g = ia_goals_at(p->goals, i);
        for (size_t k = 0; k < g->tag_count; k++) {
            if (ia_buf_ok(&known) && !strstr(ia_buf_cstr(&known), g->tags[k])) {
                ia_buf_printf(&known, "%s%s", known.len > 0 ? ", " : "", g->tags[k]);
            }
        }
    }
    ia_err_hint(err, known.len > 0 ? "the goals have the tags %s" : "the goals have no tags%s",
                ia_buf_cstr(&known));
    ia_buf_fini(&known);
    return rc;
}

static bool is_needed(const struct ia_sweep_plan *p, size_t goal)
{
    for (size_t i = 0; i < ia_goals_count(p->goals); i++) {
        const struct ia_goal *g = ia_goals_at(p->goals, i);
        for (size_t k = 0; p->chosen[i] && k < g->need_count; k++) {
            if (g->needs[k] == goal) {
                return true;
            }
        }
    }
    return false;
}

/* Only what passed is recorded: without a model there is nothing to be done for a goal that is known to fail. */
static void leave_out(struct ia_sweep_plan *p)
{
    bool only = p->base.replay && strcmp(p->base.replay, "only") == 0;
    for (size_t i = 0; only && i < ia_goals_count(p->goals); i++) {
        if (p->chosen[i] && ia_goals_at(p->goals, i)->req.fails && !is_needed(p, i)) {
            p->chosen[i] = false;
            p->left_out++;
        }
    }
}

static enum ia_rc choose(struct ia_sweep_plan *p, struct ia_err *err)
{
    size_t n = ia_goals_count(p->goals);
    p->chosen = ia_calloc(n, sizeof(*p->chosen));
    if (p->last_failed && p->choice.name_count == 0) {
        return IA_OK; /* nothing failed, so there is nothing to do */
    }
    ia_sweep_choose(p->goals, &p->choice, p->chosen);
    if (p->choice.name_count == 0) {
        leave_out(p);
    }
    for (size_t i = 0; i < n; i++) {
        p->chosen_count += p->chosen[i];
    }
    bool fewer = p->choice.shards > 0 || p->choice.file_count > 0 ||
                 p->left_out > 0; /* none may be among them */
    return p->chosen_count == 0 && !fewer ? nothing_chosen(p, err) : IA_OK;
}

enum ia_rc ia_sweep_plan_make(struct ia_sweep_plan *p, const struct ia_cli *c,
                              struct ia_setup *setup, struct ia_err *err)
{
    const struct ia_args *a = &c->args;
    enum ia_rc rc = take_options(p, a, err);
    if (rc == IA_OK) {
        rc = apply_flags(setup, a, p->eval, err);
    }
    const char *agent = p->eval ? NULL : ia_args_text(a, "agent");
    if (rc == IA_OK && agent) {
        rc = ia_agent_find(setup->config, agent, &p->agent, err);
    }
    take_title(p, a);
    take_requests(p, setup->config, a);
    p->allow_commands = ia_config_bool(setup->config, IA_CFG_RUN_ALLOW_COMMANDS);
    struct ia_buf example = IA_BUF(EXAMPLE_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &example);
    ia_embedded_example_json(&w);
    struct ia_goal_sources src = {
        .vars = p->vars,
        .var_count = ia_args_list(a, "var", p->vars, IA_COUNTOF(p->vars)),
        .base = &p->base,
        .force = &p->force,
        .force_verify = ia_args_has(a, "verify"),
        .seeds = (int)ia_args_int(a, "seeds", 1),
        .wordings = (int)ia_args_int(a, "wordings", 1),
        .first_seed = p->eval ? (int)ia_args_int(a, "first-seed", 1) : 1,
        .state = p->eval ? ia_buf_cstr(&example) : NULL,
        .built_in = p->eval && a->operand_count == 0 ? ia_eval_suite : NULL,
    };
    if (rc == IA_OK) {
        rc = ia_goals_load(a->operands, a->operand_count, &src, &p->goals, err);
    }
    ia_buf_fini(&example);
    if (rc == IA_OK) {
        rc = check_devices(p, setup, err);
    }
    if (rc == IA_OK && p->eval) {
        rc = check_oracles(p, err);
    }
    if (rc == IA_OK) {
        rc = check_names(p, err);
    }
    if (rc == IA_OK && p->last_failed) {
        rc = ia_sweep_last_failed(setup->store, p->goals, &p->failed, &p->choice.name_count,
                                  err);
        p->choice.names = p->failed;
    }
    return rc == IA_OK ? choose(p, err) : rc;
}

void ia_sweep_plan_fini(struct ia_sweep_plan *p)
{
    for (size_t i = 0; i < IA_SWEEP_LANES_MAX; i++) {
        free(p->lanes[i]);
    }
    ia_goals_free(p->goals);
    free(p->chosen);
    free(p->failed);
    free(p->title);
}

/* ---- lanes ------------------------------------------------------------------------------- */

static void add_lane(struct ia_sweep_plan *p, const char *name)
{
    for (size_t i = 0; i < p->opts.lane_count; i++) {
        if (strcmp(p->lanes[i], name) == 0) {
            return;
        }
    }
    p->lanes[p->opts.lane_count++] = ia_strdup(name);
}

static enum ia_rc named_lane(struct ia_sweep_plan *p, const struct ia_setup *setup,
                             const char *name, struct ia_err *err)
{
    enum ia_rc rc = check_device(setup, name, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (p->opts.lane_count == IA_SWEEP_LANES_MAX) {
        return ia_err_set(err, IA_E_USAGE, "a sweep has at most %d devices",
                          IA_SWEEP_LANES_MAX);
    }
    if (strchr(name, '?')) {
        rc = ia_err_set(err, IA_E_USAGE,
                        "--device %.100s: a device of a sweep cannot have settings", name);
        ia_err_hint(err,
                    "name it as the device of a goal, or in its setup: \"open-url "
                    "embedded://%.100s\"",
                    strchr(name, '?'));
        return rc;
    }
    struct ia_buf lane = IA_BUF(4096);
    ia_device_lane(name, &lane);
    add_lane(p, ia_buf_cstr(&lane));
    ia_buf_fini(&lane);
    return IA_OK;
}

struct lease_query {
    const char *lane;
    bool held;
};

static bool on_lease(void *ctx, const struct ia_lease_row *row)
{
    struct lease_query *q = ctx;
    q->held = q->held || (row->owner_alive && strcmp(row->lane, q->lane) == 0);
    return !q->held;
}

/* A living process holds it, or an interrupted run will be resumed on it. */
static bool is_taken(struct ia_store *store, const char *lane)
{
    struct lease_query q = {.lane = lane};
    bool used = false;
    if (!store) {
        return false;
    }
    (void)ia_store_leases(store, on_lease, &q, NULL);
    (void)ia_store_lane_used(store, lane, &used, NULL);
    return q.held || used;
}

/* Simulated phones for this sweep alone, skipping those that are taken. */
static void own_lanes(struct ia_sweep_plan *p, struct ia_store *store, size_t n)
{
    char name[IA_LANE_MAX];
    /* The phones of an evaluation are its evidence: no other sweep takes them. */
    uint64_t mark = p->eval ? ia_rand_next(ia_rand_system()) & 0xFFFFFFU : 0;
    p->opts.fresh = true;
    for (int k = 1; p->opts.lane_count < n && k < 10000; k++) {
        if (p->eval) {
            (void)snprintf(name, sizeof(name), IA_DEVICE_EMBEDDED ":eval-%06" PRIx64 "-%d",
                           mark, k);
        } else {
            (void)snprintf(name, sizeof(name), IA_DEVICE_EMBEDDED ":sweep-%d", k);
        }
        if (!is_taken(store, name)) {
            add_lane(p, name);
        }
    }
}

enum ia_rc ia_sweep_plan_lanes(struct ia_sweep_plan *p, const struct ia_cli *c,
                               const struct ia_setup *setup, struct ia_err *err)
{
    const char *named[IA_ARGS_MAX];
    const struct ia_config *g = setup->config;
    size_t n = ia_args_list(&c->args, "device", named, IA_COUNTOF(named));
    int64_t jobs = ia_args_int(&c->args, "jobs", 0);
    if (n > 0 && jobs > 0) {
        return ia_err_set(err, IA_E_USAGE,
                          "--jobs is for the sweep's own simulated phones; with --device, each "
                          "device runs one goal at a time");
    }
    if (n == 0 && jobs == 0 && ia_config_origin(g, IA_CFG_RUN_DEVICE) != IA_CFG_FROM_DEFAULT) {
        named[n++] = ia_config_str(g, IA_CFG_RUN_DEVICE);
    }
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < n && rc == IA_OK; i++) {
        struct ia_buf name = IA_BUF(IA_DEVICE_NAME_MAX + strlen(named[i]));
        rc = ia_sim_device_name(named[i], NULL, &name, err);
        if (rc == IA_OK) {
            rc = named_lane(p, setup, ia_buf_cstr(&name), err);
        }
        ia_buf_fini(&name);
    }
    if (n == 0 && jobs > OWN_MAX) {
        return ia_err_set(err, IA_E_USAGE, "--jobs: at most %d without --fleet", OWN_MAX);
    }
    if (n == 0) {
        size_t most = jobs > 0 ? (size_t)jobs : (size_t)ia_config_int(g, IA_CFG_QUEUE_MAX_RUNS);
        size_t repeats = p->opts.repeat > 1 ? (size_t)p->opts.repeat : 1;
        size_t work = p->chosen_count * repeats;
        most = most < OWN_MAX ? most : OWN_MAX;
        own_lanes(p, setup->store, jobs > 0 || work > most ? most : (work > 0 ? work : 1));
    }
    p->opts.lanes = (const char *const *)p->lanes;
    return rc;
}

/* ---- checking ---------------------------------------------------------------------------- */

enum ia_rc ia_sweep_plan_check(const struct ia_sweep_plan *p, struct ia_claude *claude,
                               struct ia_secret_source *secrets, struct ia_err *err)
{
    for (size_t i = 0; i < ia_goals_count(p->goals); i++) {
        const struct ia_goal *g = ia_goals_at(p->goals, i);
        struct ia_run_request req = g->req;
        if (p->opts.max_usd > 0 && !(req.budget.max_usd > 0)) {
            req.budget.max_usd = p->opts.max_usd;
        }
        enum ia_rc rc =
            p->chosen[i] ? ia_run_check(claude, &req, p->allow_commands, err) : IA_OK;
        if (rc != IA_OK) {
            return ia_err_wrap(err, rc, "%s:%u:%u: goal \"%.100s\"", g->file, g->line,
                               g->column, g->req.name);
        }
        rc = p->chosen[i] ? ia_secrets_check(secrets, &req, err) : IA_OK;
        if (rc != IA_OK) { /* the name may be where the value is */
            return ia_err_wrap(err, rc, "%s:%u:%u", g->file, g->line, g->column);
        }
    }
    return IA_OK;
}

static bool holds_secret(const struct ia_sweep_plan *p, const char *var,
                         struct ia_secret_source *secrets)
{
    for (size_t i = 0; i < ia_goals_count(p->goals); i++) {
        struct ia_run_request req = ia_goals_at(p->goals, i)->req;
        req.goal = var;
        if (ia_secrets_check(secrets, &req, NULL) != IA_OK) {
            return true;
        }
    }
    return false;
}

void ia_sweep_plan_tell_vars(struct ia_sweep_plan *p, struct ia_secret_source *secrets)
{
    p->opts.vars = p->told_vars;
    for (size_t i = 0; i < IA_ARGS_MAX && p->vars[i]; i++) {
        if (!holds_secret(p, p->vars[i], secrets)) {
            p->told_vars[p->opts.var_count++] = p->vars[i];
        }
    }
}
