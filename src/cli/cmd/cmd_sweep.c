/* sweep FILE_OR_FOLDER…: does a batch of goals, on several devices at once. eval does the same, and the
 * phones' own state judges what came of it. */
#include "agent/report/report.h"
#include "app/agents.h"
#include "app/children.h"
#include "app/eval_judge.h"
#include "app/workers.h"
#include "base/term.h"
#include "cli/cmd/cmd.h"
#include "cli/sweep/conclude.h"
#include "cli/sweep/fleet_sweep.h"
#include "cli/sweep/sweep_plan.h"
#include "cli/sys/interrupt.h"
#include "cli/view/sweep_view.h"
#include "driver/registry/device_registry.h"
#include "store/queue.h"
#include "store/sweeps.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GRACE_MS = 20000, TURN_MS = 100, IDS_MAX = 1 << 20 };

struct sweep {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_sweep_plan plan;
    struct ia_model_client client;
    bool client_open;
    struct ia_cancel *cancel;
    struct ia_sweep *sweep;
    struct ia_workers *workers; /* NULL in a fleet */
    struct ia_sweep_fleet fleet;
    struct ia_sweep_view *view;
    char id[IA_ID_SIZE];
    int64_t started_us;
    bool demo;
    bool judges; /* some of its goals have an oracle */

    pthread_mutex_t mutex; /* guards what follows */
    struct ia_err failure; /* of the store, met by a worker */
};

/* ---- what the workers tell --------------------------------------------------------------- */

static void note_failure(struct sweep *s, const struct ia_err *err)
{
    pthread_mutex_lock(&s->mutex);
    if (s->failure.code == IA_OK) {
        s->failure = *err;
    }
    pthread_mutex_unlock(&s->mutex);
}

static enum ia_rc failure(struct sweep *s, struct ia_err *err)
{
    pthread_mutex_lock(&s->mutex);
    enum ia_rc rc = s->failure.code;
    if (rc != IA_OK) {
        *err = s->failure;
    }
    pthread_mutex_unlock(&s->mutex);
    return rc;
}

/* Records the goals that ended and starts the next ones. */
static enum ia_rc step(struct sweep *s, bool *ret_over, struct ia_err *err)
{
    int added = 0;
    enum ia_rc rc = ia_sweep_step(s->sweep, &added, ret_over, err);
    if (added > 0 && s->workers) {
        const char *const *lanes;
        size_t n = ia_sweep_lanes(s->sweep, &lanes);
        for (size_t i = ia_sweep_pool_lanes(s->sweep); i < n; i++) {
            ia_queue_wake(ia_workers_queue(s->workers), lanes[i]);
        }
        ia_queue_wake(ia_workers_queue(s->workers), NULL);
    }
    return rc;
}

static void ended(void *ctx, const struct ia_queue_task *task, const struct ia_run_result *r,
                  const struct ia_err *refused)
{
    struct sweep *s = ctx;
    struct ia_err err = {0};
    bool over = false;
    if (ia_workers_lacks(r, refused)) {
        note_failure(s, refused);
    }
    /* Now, while nothing else has been done with the phone of this lane. */
    if (s->judges && ia_eval_judge(s->setup.store, &s->setup.paths, s->id, task->run_id, NULL,
                                   &err) != IA_OK) {
        note_failure(s, &err);
    }
    if (step(s, &over, &err) != IA_OK) {
        note_failure(s, &err);
    }
}

static void event_on(void *ctx, const char *lane, const char *run_id, enum ia_event_type type,
                     struct ia_str json)
{
    struct sweep *s = ctx;
    struct ia_event e;
    if (type == IA_EVENT_REQUEST_FINISHED || type == IA_EVENT_RUN_RETRY_WAIT) {
        (void)ia_event_read(&e, json);
        const struct ia_event_spent *spent = ia_event_spent(&e);
        ia_sweep_spent(s->sweep, run_id, spent ? spent->usd : 0, spent ? spent->usd_max : 0);
        ia_event_fini(&e);
    }
    ia_sweep_view_event(s->view, lane, run_id, type, json);
}

static void lost(void *ctx, const char *run_id, double usd_max)
{
    ia_sweep_spent(((struct sweep *)ctx)->sweep, run_id, 0, usd_max);
}

static void event(void *ctx, const struct ia_queue_task *task, enum ia_event_type type,
                  struct ia_str json)
{
    event_on(ctx, task->lane, task->run_id, type, json);
}

static void changed(void *ctx, const struct ia_sweep_goal *item)
{
    struct sweep *s = ctx;
    if (s->view) {
        ia_sweep_view_goal(s->view, item);
    }
}

/* ---- opening ----------------------------------------------------------------------------- */

static enum ia_rc check_args(const struct sweep *s, struct ia_err *err)
{
    const struct ia_args *a = &s->c->args;
    bool resume = ia_args_has(a, "resume");
    if (ia_args_has(a, "events") && s->c->json) {
        return ia_err_set(err, IA_E_USAGE, "--events and --json cannot be used together");
    }
    if (resume && a->operand_count > 0) {
        return ia_err_set(err, IA_E_USAGE,
                          "--resume continues the goals of that sweep; give no files");
    }
    if (!resume && !s->plan.eval && a->operand_count == 0) {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "no goal file was given");
        ia_err_hint(err, "ios-agent sweep FILE_OR_FOLDER…; docs/goals.md shows a goal file");
        return rc;
    }
    return IA_OK;
}

static enum ia_rc keep_client(struct sweep *s, enum ia_rc rc)
{
    s->client_open = rc == IA_OK;
    s->demo = s->client.demo != NULL;
    if (rc != IA_OK) {
        ia_model_client_close(&s->client);
    }
    return rc;
}

static enum ia_rc open_client(struct sweep *s, struct ia_err *err)
{
    bool demo = ia_args_has(&s->c->args, "demo");
    return keep_client(
        s, ia_model_client_open(&s->client, &s->c->credentials, &s->setup, demo, err));
}

/* Without it every goal that waits would end in an error: then none is begun. */
static enum ia_rc open_client_again(struct sweep *s, struct ia_err *err)
{
    struct ia_err second;
    bool demo = ia_sweep_demo(s->sweep);
    enum ia_rc rc = keep_client(
        s, ia_model_client_open_again(&s->client, &s->c->credentials, &s->setup, demo, err));
    if (rc != IA_OK) {
        ia_sweep_stop(s->sweep, err->msg);
        (void)ia_sweep_end(s->sweep, &second);
    }
    return rc;
}

static enum ia_rc create(struct sweep *s, struct ia_err *err)
{
    enum ia_rc rc = ia_sweep_plan_make(&s->plan, s->c, &s->setup, err);
    if (rc == IA_OK) {
        rc = ia_sweep_plan_recordings(&s->plan, s->c, s->setup.store, err);
    }
    if (rc == IA_OK && ia_sweep_fleet_wanted(s->c)) {
        rc = ia_sweep_fleet_connect(&s->fleet, s->c, &s->setup, err);
        rc = rc == IA_OK ? ia_sweep_fleet_lanes(&s->fleet, &s->plan, s->c, err) : rc;
    } else if (rc == IA_OK) {
        rc = ia_sweep_plan_lanes(&s->plan, s->c, &s->setup, err);
    }
    if (rc == IA_OK && s->plan.chosen_count > 0 && ia_run_asks_model(&s->plan.base)) {
        rc = open_client(s, err);
    }
    if (rc != IA_OK || s->plan.chosen_count == 0) {
        return rc;
    }
    struct ia_secret_source *secrets = ia_secret_source_new(s->setup.store, &s->c->credentials);
    rc = ia_sweep_plan_check(&s->plan, s->client.claude, secrets, err);
    if (rc == IA_OK) {
        s->plan.opts.demo = s->demo;
        ia_sweep_plan_tell_vars(&s->plan, secrets);
        rc = s->plan.agent
                 ? ia_agent_store_all(s->setup.config, s->plan.agent, s->setup.store, err)
                 : IA_OK;
    }
    if (rc == IA_OK) {
        rc = ia_sweep_create(s->setup.store, s->plan.goals, s->plan.chosen, &s->plan.opts,
                             s->id, err);
    }
    ia_secret_source_free(secrets);
    return rc;
}

/* The sweep to go on with. */
static enum ia_rc find(struct sweep *s, const char *id, struct ia_err *err)
{
    struct ia_sweep_row *row = NULL;
    enum ia_rc rc = ia_store_recover(s->setup.store, NULL, err);
    if (rc == IA_OK) {
        rc = ia_store_sweep(s->setup.store, id, &row, err);
    }
    if (rc == IA_OK) {
        (void)snprintf(s->id, sizeof(s->id), "%s", row->id);
        s->plan.title = ia_strdup(row->title);
    }
    ia_sweep_row_free(row);
    return rc;
}

/* What ended without its worker: when the process that did the sweep was killed, or by a cancel. */
static enum ia_rc judge_rest(struct sweep *s, struct ia_err *err)
{
    int oracles = 0;
    enum ia_rc rc = ia_eval_judge(s->setup.store, &s->setup.paths, s->id, NULL, &oracles, err);
    s->judges = oracles > 0;
    return rc;
}

static enum ia_rc open_sweep(struct sweep *s, struct ia_err *err)
{
    const char *report = ia_args_text(&s->c->args, "report-dir");
    const char *resume = ia_args_text(&s->c->args, "resume");
    enum ia_rc rc = ia_setup_store(&s->setup, "ios-agent sweep", err);
    if (rc == IA_OK) { /* also where a sweep is resumed, which reads no other option */
        rc = ia_args_configure(&s->c->args, "allow-commands", s->setup.config,
                               IA_CFG_RUN_ALLOW_COMMANDS, err);
    }
    if (rc == IA_OK && report) {
        rc = ia_report_check_folder(report, err);
    }
    if (rc == IA_OK) {
        rc = resume ? find(s, resume, err) : create(s, err);
    }
    if (rc != IA_OK || s->id[0] == '\0') {
        return rc;
    }
    struct ia_sweep_env env = {
        .store = s->setup.store, .observe = changed, .ctx = s, .lane = ia_device_lane};
    rc = ia_sweep_open(&env, s->id, &s->sweep, err);
    rc = rc == IA_OK ? judge_rest(s, err) : rc;
    if (rc == IA_OK && resume && ia_sweep_fleet_was(s->sweep)) {
        return ia_sweep_fleet_connect(&s->fleet, s->c, &s->setup, err);
    }
    return rc == IA_OK && resume && ia_sweep_asks_model(s->sweep) ? open_client_again(s, err)
                                                                  : rc;
}

/* The view goes to stdout; with --json to stderr, if that is a terminal. */
static void open_view(struct sweep *s)
{
    struct ia_sweep_sums sums;
    bool events = ia_args_has(&s->c->args, "events");
    int fd = s->c->json ? STDERR_FILENO : STDOUT_FILENO;
    bool tty = ia_term_is(fd);
    ia_sweep_sum(s->sweep, &sums);
    struct ia_sweep_view_opts opts = {
        .fd = s->c->json && !tty ? -1 : fd,
        .table = tty && !events,
        .color = tty && ia_term_colors(fd),
        .events = events,
        .demo = s->demo,
        .total = sums.goals,
        .distinct = sums.distinct,
    };
    s->view = ia_sweep_view_new(&opts);
    ia_sweep_view_start(s->view, s->sweep, s->plan.title);
}

static enum ia_rc open_workers(struct sweep *s, struct ia_err *err)
{
    const char *const *lanes;
    size_t n = ia_sweep_lanes(s->sweep, &lanes);
    struct ia_workers_opts opts = {
        .setup = &s->setup,
        .credentials = &s->c->credentials,
        .model = s->client_open ? &s->client : NULL,
        .max_runs = (int)n,
        .pool = ia_sweep_pool(s->sweep),
        .ended = ended,
        .event = event,
        .ctx = s,
    };
    enum ia_rc rc = ia_workers_new(&opts, &s->workers, err);
    for (size_t i = 0; i < n && rc == IA_OK; i++) {
        if (i < ia_sweep_pool_lanes(s->sweep)) {
            ia_queue_add_lane(ia_workers_queue(s->workers), lanes[i]);
        } else {
            ia_queue_add_dedicated_lane(ia_workers_queue(s->workers), lanes[i]);
        }
    }
    return rc;
}

/* The terminal that shows the table, or -1: a file or a program that reads events gets nothing of what a
 * person is told at a signal. */
static int terminal(const struct sweep *s)
{
    int fd = s->c->json ? STDERR_FILENO : STDOUT_FILENO;
    return !ia_args_has(&s->c->args, "events") && ia_term_is(fd) ? fd : -1;
}

static enum ia_rc open_fleet(struct sweep *s, struct ia_err *err)
{
    /* Events cross the network once for each worker's step: only where somebody sees or counts them. */
    bool wanted =
        ia_args_has(&s->c->args, "events") || terminal(s) >= 0 || ia_sweep_budgeted(s->sweep);
    const struct ia_sweep_fleet_callbacks callbacks = {wanted ? event_on : NULL, lost, s};
    return ia_sweep_fleet_open(&s->fleet, &s->setup, s->sweep, &callbacks, err);
}

static void close_sweep(struct sweep *s)
{
    ia_sweep_fleet_close(&s->fleet);
    ia_workers_free(s->workers);
    ia_sweep_close(s->sweep);
    ia_sweep_view_free(s->view);
    if (s->client_open) {
        ia_model_client_close(&s->client);
    }
    ia_sweep_plan_fini(&s->plan);
    ia_interrupt_remove();
    ia_cancel_free(s->cancel);
    ia_setup_close(&s->setup);
    pthread_mutex_destroy(&s->mutex);
}

/* ---- running ----------------------------------------------------------------------------- */

static bool keep_resting(void *ctx, const struct ia_run_row *row)
{
    if (row->waits_for > 0 && !ia_run_state_final(row->state)) {
        ia_buf_put(ctx, row->id, IA_ID_SIZE);
    }
    return true;
}

/* Runs that waited for their subtasks when an earlier process ended: nobody else does those. */
static enum ia_rc do_children(struct sweep *s, struct ia_err *err)
{
    static const _Atomic(bool) later = true; /* a signal leaves them to --resume */
    const struct ia_execution e = {.cancel = s->cancel, .interrupt = &later};
    struct ia_executor *x = ia_workers_executor(s->workers);
    struct ia_buf ids = IA_BUF(IDS_MAX);
    enum ia_rc rc = ia_store_sweep_runs(s->setup.store, s->id, 0, keep_resting, &ids, err);
    if (rc == IA_OK) {
        rc = ia_buf_check(&ids, "the list of runs that wait", err);
    }
    for (size_t at = 0; at < ids.len && rc == IA_OK && !ia_cancel_fired(s->cancel);
         at += IA_ID_SIZE) {
        rc = ia_children_run(x, &e, ids.p + at, ia_executor_run, err);
        rc = rc == IA_E_ASK ? IA_OK : rc; /* it waits for its answer */
    }
    ia_buf_fini(&ids);
    return rc;
}

/* Until everything is done, the store fails, or a signal arrives. */
static enum ia_rc serve(struct sweep *s, struct ia_err *err)
{
    struct ia_queue *q = ia_workers_queue(s->workers);
    bool over = false;
    enum ia_rc rc = do_children(s, err);
    if (rc == IA_OK) {
        rc = step(s, &over, err);
    }
    while (rc == IA_OK && !over && !ia_cancel_fired(s->cancel)) {
        enum ia_served served;
        int64_t until = ia_wall_ms(ia_clock_system()) + TURN_MS;
        rc = ia_queue_serve(q, s->cancel, until, false, &served, err);
        if (rc == IA_OK) {
            rc = failure(s, err);
        }
        if (rc == IA_OK) {
            rc = step(s, &over, err);
        }
        ia_sweep_view_tick(s->view);
    }
    return rc;
}

/* The same with workers elsewhere, which need no thread here. */
static enum ia_rc serve_fleet(struct sweep *s, struct ia_err *err)
{
    bool over = false;
    enum ia_rc rc = step(s, &over, err);
    while (rc == IA_OK && !over && !ia_cancel_fired(s->cancel)) {
        bool ended_one = false;
        int64_t until = ia_wall_ms(ia_clock_system()) + TURN_MS;
        rc = ia_fleet_submit_serve(s->fleet.submit, s->cancel, until, &ended_one, err);
        if (rc == IA_OK) {
            rc = step(s, &over, err);
        }
        ia_sweep_view_tick(s->view);
    }
    return rc;
}

static enum ia_rc say_how_to_go_on(const struct sweep *s, enum ia_rc rc, struct ia_err *err)
{
    if (rc != IA_OK) {
        ia_err_go_on(err, "ios-agent sweep --resume %s continues it", s->id);
    }
    return rc;
}

/* Running tools are finished; goals that have not ended wait for --resume. */
static enum ia_rc stop(struct sweep *s, enum ia_rc rc, struct ia_err *err)
{
    struct ia_err second = {0};
    bool over = false;
    if (ia_cancel_fired(s->cancel)) {
        ia_sweep_stop(s->sweep, "interrupted");
    } else if (rc != IA_OK) {
        ia_sweep_stop(s->sweep, err->msg);
    }
    bool stuck =
        s->workers && ia_queue_stop(ia_workers_queue(s->workers), GRACE_MS, &second) != IA_OK;
    ia_sweep_fleet_stop(&s->fleet);
    enum ia_rc ending = ia_sweep_step(s->sweep, NULL, &over, &second);
    if (ending == IA_OK) {
        ending = judge_rest(s, &second);
    }
    if (ending == IA_OK) {
        ending = ia_sweep_end(s->sweep, &second);
    }
    ia_sweep_view_end(s->view);
    if (stuck) { /* a run that did not end still uses this memory: free nothing */
        _exit(ia_rc_exit(IA_E_CANCELLED));
    }
    if (rc == IA_OK && ending != IA_OK) {
        *err = second;
        rc = ending;
    }
    return say_how_to_go_on(s, rc, err);
}

static enum ia_rc conclude(struct sweep *s, struct ia_err *err)
{
    const struct ia_fleet_figures fleet = ia_fleet_submit_figures(s->fleet.submit);
    struct ia_sweep_conclusion e = {
        .cli = s->c,
        .store = s->setup.store,
        .view = s->view,
        .judged = s->judges,
        .eval = s->plan.eval,
        .result = {.sweep = s->sweep,
                   .id = s->id,
                   .demo = s->demo,
                   .fleet = s->fleet.submit ? &fleet : NULL,
                   .us = ia_mono_us(ia_clock_system()) - s->started_us},
    };
    return ia_sweep_conclude(&e, err);
}

static enum ia_rc run(struct sweep *s, struct ia_err *err)
{
    open_view(s);
    enum ia_rc rc = s->fleet.bus ? open_fleet(s, err) : open_workers(s, err);
    if (rc == IA_OK && s->workers) {
        rc = ia_queue_start(ia_workers_queue(s->workers), err);
    }
    if (rc == IA_OK) {
        ia_interrupt_install(s->cancel, terminal(s));
        rc = stop(s, s->workers ? serve(s, err) : serve_fleet(s, err), err);
    }
    return rc == IA_OK ? conclude(s, err) : rc;
}

/* ---- the command ------------------------------------------------------------------------- */

static enum ia_rc dry_run(struct sweep *s, struct ia_err *err)
{
    enum ia_rc rc = !s->plan.eval && ia_args_has(&s->c->args, "last-failed")
                        ? ia_setup_store(&s->setup, "ios-agent sweep", err)
                        : ia_setup_config(&s->setup, err);
    if (rc == IA_OK) {
        rc = ia_sweep_plan_make(&s->plan, s->c, &s->setup, err);
    }
    if (rc == IA_OK) {
        rc = ia_sweep_plan_recordings(&s->plan, s->c, NULL, err);
    }
    if (rc == IA_OK && !ia_sweep_fleet_wanted(s->c)) { /* a fleet's workers are not asked */
        rc = ia_sweep_plan_lanes(&s->plan, s->c, &s->setup, err);
    }
    if (rc == IA_OK) {
        ia_sweep_plan_show(&s->plan, s->c);
    }
    return rc;
}

/* A shard without goals is not a mistake, and no goal that failed is none. */
static enum ia_rc nothing(struct sweep *s)
{
    bool failed = s->plan.last_failed && s->plan.choice.name_count == 0;
    ia_buf_puts(&s->c->text, failed ? "no goal failed the last time it ran\n"
                             : s->plan.choice.file_count > 0
                                 ? "no goal of the changed files is chosen\n"
                                 : "no goal is in this shard\n");
    ia_jsonw_object(&s->c->w);
    ia_jsonw_kv_int(&s->c->w, "goals", 0);
    ia_jsonw_end_object(&s->c->w);
    return IA_OK;
}

static enum ia_rc sweep(struct sweep *s, struct ia_err *err)
{
    s->cancel = ia_cancel_new(err);
    if (!s->cancel) {
        return err->code;
    }
    ia_interrupt_install(s->cancel, -1);
    enum ia_rc rc = open_sweep(s, err);
    if (rc != IA_OK) {
        return rc;
    }
    return s->sweep ? run(s, err) : nothing(s);
}

enum ia_rc ia_cmd_sweep_once(struct ia_cli *c, const char *const *files, size_t n,
                             bool *ret_stopped, struct ia_err *err)
{
    struct sweep s = {.c = c, .started_us = ia_mono_us(ia_clock_system())};
    s.plan.eval = strcmp(c->command->name, "eval") == 0;
    s.plan.choice.files = files;
    s.plan.choice.file_count = n;
    pthread_mutex_init(&s.mutex, NULL);
    enum ia_rc rc = check_args(&s, err);
    if (rc == IA_OK) {
        rc = ia_args_has(&c->args, "dry-run") ? dry_run(&s, err) : sweep(&s, err);
    }
    *ret_stopped = ia_cancel_fired(s.cancel);
    close_sweep(&s);
    return rc;
}
