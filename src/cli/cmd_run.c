/* run "GOAL": the agent does a goal on a device, in the foreground. */
#include "agent/prompts.h"
#include "agent/run.h"
#include "base/fd.h"
#include "base/term.h"
#include "cli/agents.h"
#include "cli/brain.h"
#include "cli/clean.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/phone.h"
#include "cli/render.h"
#include "cli/setup.h"
#include "cli/watch.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVENT_MAX = 1 << 20 };

/* Everything a run needs, opened one after the other and closed in reverse. */
struct job {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_prompts *prompts;
    const struct ia_config_agent *agent; /* NULL: none was named */
    struct ia_brain brain;
    struct ia_phone phone;
    struct ia_device *device;
    struct ia_cancel *cancel;
    struct ia_watch *watch; /* from the moment the run has an id */
    struct ia_spinner *spinner;
    struct ia_render *render; /* NULL: nothing is shown as it happens */
    struct ia_buf started;    /* the run.started event */
    struct ia_buf finished;   /* the run.finished event */
    const char *expect[IA_ARGS_MAX];
    bool events;
    bool lost; /* an event could not be printed, though its reader is still there */
};

/* ---- what the user asked for ----------------------------------------------------------- */

static enum ia_rc apply_flags(struct job *j, struct ia_err *err)
{
    static const struct {
        const char *option;
        enum ia_config_key key;
    } rows[] = {
        {"app", IA_CFG_RUN_APP},
        {"device", IA_CFG_RUN_DEVICE},
        {"model", IA_CFG_RUN_MODEL},
        {"verifier-model", IA_CFG_RUN_VERIFIER_MODEL},
        {"verify", IA_CFG_RUN_VERIFY},
        {"effort", IA_CFG_RUN_EFFORT},
        {"pictures", IA_CFG_RUN_PICTURES},
        {"max-steps", IA_CFG_RUN_MAX_STEPS},
        {"max-seconds", IA_CFG_RUN_MAX_SECONDS},
        {"max-tokens", IA_CFG_RUN_MAX_TOKENS},
        {"max-usd", IA_CFG_RUN_MAX_USD},
    };
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < IA_COUNTOF(rows) && rc == IA_OK; i++) {
        rc = ia_setup_flag(&j->setup, &j->c->args, rows[i].option, rows[i].key, err);
    }
    return rc;
}

static enum ia_rc check_goal(struct job *j, struct ia_err *err)
{
    const char *goal = ia_args_operand(&j->c->args, 0);
    if (j->events && j->c->json) {
        return ia_err_set(err, IA_E_USAGE, "--events and --json exclude each other");
    }
    if (goal[strspn(goal, " \t\r\n")] == '\0') {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "the goal is empty");
        ia_err_hint(err, "say what is to be done: ios-agent run \"open Settings, turn on "
                         "Airplane Mode\"");
        return rc;
    }
    size_t n = ia_args_list(&j->c->args, "expect", j->expect, IA_COUNTOF(j->expect));
    return ia_expect_check(j->expect, n, err);
}

static const char *set_or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

/* --model, else the agent's own, else the configured one. */
static const char *model(const struct job *j)
{
    const struct ia_config *g = j->setup.config;
    bool flag = ia_config_origin(g, IA_CFG_RUN_MODEL) == IA_CFG_FROM_FLAG;
    if (!flag && j->agent && j->agent->model[0] != '\0') {
        return j->agent->model;
    }
    return ia_config_str(g, IA_CFG_RUN_MODEL);
}

static struct ia_run_request request(const struct job *j)
{
    const struct ia_config *g = j->setup.config;
    const struct ia_args *a = &j->c->args;
    return (struct ia_run_request){
        .goal = ia_args_operand(a, 0),
        .app = set_or_null(ia_config_str(g, IA_CFG_RUN_APP)),
        .hint = ia_args_text(a, "hint"),
        .agent = j->agent ? j->agent->name : NULL,
        .model = model(j),
        .verifier_model = set_or_null(ia_config_str(g, IA_CFG_RUN_VERIFIER_MODEL)),
        .effort = set_or_null(ia_config_str(g, IA_CFG_RUN_EFFORT)),
        .verify = (enum ia_verify)ia_config_int(g, IA_CFG_RUN_VERIFY),
        .expect = j->expect,
        .expect_count = ia_args_list(a, "expect", NULL, 0),
        .pictures = (enum ia_pictures)ia_config_int(g, IA_CFG_RUN_PICTURES),
        .budget = {.max_steps = (int)ia_config_int(g, IA_CFG_RUN_MAX_STEPS),
                   .max_seconds = (int)ia_config_int(g, IA_CFG_RUN_MAX_SECONDS),
                   .max_tokens = ia_config_int(g, IA_CFG_RUN_MAX_TOKENS),
                   .max_usd = ia_config_real(g, IA_CFG_RUN_MAX_USD)},
        .answer_tokens = (int)ia_config_int(g, IA_CFG_API_MAX_TOKENS),
        .demo_brain = j->brain.demo != NULL,
    };
}

/* ---- what is shown --------------------------------------------------------------------- */

static void print_event(struct job *j, struct ia_str json)
{
    struct ia_buf line = IA_BUF(6 * json.n + 1);
    ia_clean_json(&line, json);
    ia_buf_putc(&line, '\n');
    if (ia_write_all(STDOUT_FILENO, line.p, line.len) != IA_OK && errno != EPIPE) {
        j->lost = true;
    }
    ia_buf_fini(&line);
}

static void keep(struct ia_buf *b, struct ia_str json)
{
    ia_buf_reset(b);
    ia_buf_putstr(b, json);
}

/* Without the watch a cancel from elsewhere is still seen, only later. */
static void start_watch(struct job *j, struct ia_str json)
{
    struct ia_err ignored;
    json_t *e = json_loadb(json.p, json.n, JSON_ALLOW_NUL, NULL);
    const char *run = json_string_value(json_object_get(e, "run"));
    if (run && !j->watch) {
        j->watch = ia_watch_start(j->setup.store, run, j->cancel, &ignored);
    }
    json_decref(e);
}

static void observe(void *ctx, const char *event, struct ia_str json)
{
    struct job *j = ctx;
    if (strcmp(event, "run.started") == 0) {
        keep(&j->started, json);
        start_watch(j, json);
    } else if (strcmp(event, "run.finished") == 0) {
        keep(&j->finished, json);
    }
    if (j->events) {
        print_event(j, json);
    } else if (j->render) {
        ia_render_event(j->render, event, json);
    }
}

/* People see the run on stdout; with --json only talk on a terminal is left for them. */
static enum ia_rc open_display(struct job *j, struct ia_err *err)
{
    int fd = j->c->json ? STDERR_FILENO : STDOUT_FILENO;
    bool tty = ia_term_is(fd);
    if (j->events || (j->c->json && !tty)) {
        return IA_OK;
    }
    if (tty) {
        j->spinner = ia_spinner_new(fd, err);
        if (!j->spinner) {
            return err->code;
        }
    }
    struct ia_render_options opt = {
        .fd = fd,
        .color = tty && ia_term_colors(fd),
        .width = tty ? ia_term_width(fd) : 0,
        .stream = tty,
        .spinner = j->spinner,
    };
    j->render = ia_render_new(&opt);
    return IA_OK;
}

/* The terminal whose colours a second Ctrl-C puts back, or -1. */
static int terminal(const struct job *j)
{
    if (!j->spinner) {
        return -1;
    }
    return j->c->json ? STDERR_FILENO : STDOUT_FILENO;
}

/* ---- opening and closing --------------------------------------------------------------- */

struct holder {
    const char *lane;
    struct ia_err *err;
};

static bool name_holder(void *ctx, const struct ia_lease_row *row)
{
    struct holder *h = ctx;
    if (strcmp(row->lane, h->lane) != 0 || !row->owner_alive) {
        return true;
    }
    int64_t held_ms = ia_wall_ms(ia_clock_system()) - row->since_ms;
    (void)ia_err_set(h->err, IA_E_BUSY, "%s is busy: held by run %s (%s, pid %lld) for %lld s",
                     row->lane, row->run_id, row->owner_command, (long long)row->owner_pid,
                     (long long)(held_ms > 0 ? held_ms / 1000 : 0));
    ia_err_hint(h->err,
                "wait for it, stop it with ios-agent cancel %s, or take another phone: "
                "--device embedded:NAME",
                row->run_id);
    return false;
}

/* The phone only knows that it is busy; the store knows who holds it. */
static void explain_busy(struct job *j, struct ia_err *err)
{
    struct ia_err ignored;
    struct ia_buf name = IA_BUF((size_t)2 * IA_DEVICE_NAME_MAX);
    ia_buf_printf(&name, "embedded:%s", j->phone.name);
    struct holder h = {.lane = ia_buf_cstr(&name), .err = err};
    (void)ia_store_leases(j->setup.store, name_holder, &h, &ignored);
    ia_buf_fini(&name);
}

static enum ia_rc open_device(struct job *j, struct ia_err *err)
{
    bool fresh = ia_args_has(&j->c->args, "fresh");
    enum ia_rc rc = ia_phone_open(&j->phone, fresh, &j->device, err);
    if (rc == IA_E_BUSY) {
        explain_busy(j, err);
    }
    return rc;
}

static enum ia_rc open_inputs(struct job *j, struct ia_err *err)
{
    enum ia_rc rc = ia_setup_store(&j->setup, "ios-agent run", err);
    if (rc == IA_OK) {
        rc = apply_flags(j, err);
    }
    if (rc == IA_OK && ia_args_has(&j->c->args, "agent")) {
        rc = ia_agent_find(j->setup.config, ia_args_text(&j->c->args, "agent"), &j->agent, err);
    }
    if (rc == IA_OK) {
        const struct ia_config *g = j->setup.config;
        rc =
            ia_phone_find(ia_config_str(g, IA_CFG_RUN_DEVICE), &j->setup.paths, &j->phone, err);
    }
    if (rc == IA_OK) {
        const char *dir = ia_config_str(j->setup.config, IA_CFG_PROMPTS_DIR);
        rc = ia_prompts_open(set_or_null(dir), &j->prompts, err);
    }
    return rc;
}

/* The device comes last: opening a fresh one forgets the old, and nothing may fail after that
 * for a reason that could have been seen before. */
static enum ia_rc open_job(struct job *j, struct ia_err *err)
{
    enum ia_rc rc = open_inputs(j, err);
    if (rc == IA_OK) {
        rc = ia_brain_open(&j->brain, &j->c->credentials, &j->setup,
                           ia_args_has(&j->c->args, "demo"), err);
    }
    if (rc == IA_OK && j->agent) {
        rc = ia_agent_store(j->agent, j->setup.store, err);
    }
    if (rc == IA_OK) {
        struct ia_run_request req = request(j);
        rc = ia_run_check(j->brain.claude, &req, err);
    }
    if (rc == IA_OK) {
        rc = open_display(j, err);
    }
    return rc == IA_OK ? open_device(j, err) : rc;
}

static void close_job(struct job *j)
{
    ia_device_close(j->device);
    ia_render_free(j->render);
    ia_spinner_free(j->spinner);
    ia_interrupt_remove();
    ia_cancel_free(j->cancel);
    ia_brain_close(&j->brain);
    ia_prompts_free(j->prompts);
    ia_phone_fini(&j->phone);
    ia_setup_close(&j->setup);
    ia_buf_fini(&j->started);
    ia_buf_fini(&j->finished);
}

/* ---- the run --------------------------------------------------------------------------- */

static json_t *load(const struct ia_buf *b)
{
    return json_loadb(ia_buf_cstr(b), b->len, JSON_ALLOW_NUL, NULL);
}

/* The envelope's result: the run.finished event, and what run.started says beyond it (goal,
 * app, device, model, budget). Its text: both as people see them. */
static void put_result(struct job *j)
{
    struct ia_render_options opt = {.fd = -1, .out = &j->c->text};
    struct ia_render *plain = ia_render_new(&opt);
    ia_render_event(plain, "run.started", ia_buf_str(&j->started));
    ia_render_event(plain, "run.finished", ia_buf_str(&j->finished));
    ia_render_free(plain);
    json_t *result = load(&j->finished);
    json_t *started = load(&j->started);
    (void)json_object_update_missing(result, started);
    char *text = json_dumps(result, JSON_COMPACT | JSON_REAL_PRECISION(15));
    if (text) {
        ia_jsonw_raw(&j->c->w, ia_str(text));
    }
    free(text);
    json_decref(started);
    json_decref(result);
}

/* The run's own error as the envelope's. */
static void fill_error(struct job *j, const struct ia_run_result *r, struct ia_err *err)
{
    json_t *e = load(&j->finished);
    const char *message = json_string_value(json_object_get(e, "message"));
    const char *hint = json_string_value(json_object_get(e, "hint"));
    (void)ia_err_set(err, r->code, "%s", message && message[0] != '\0' ? message : r->summary);
    if (hint && hint[0] != '\0') {
        ia_err_hint(err, "%s", hint);
    } else {
        ia_err_hint(err, "ios-agent show %s tells what happened", r->id);
    }
    json_decref(e);
}

/* The run's end as this command's. Where people saw the verdict there is nothing to add. */
static enum ia_rc conclude(struct job *j, const struct ia_run_result *r, struct ia_err *err)
{
    if (j->c->json && j->finished.len > 0) {
        put_result(j);
    }
    if (r->code == IA_OK && (j->lost || (j->render && ia_render_lost(j->render)))) {
        enum ia_rc rc = ia_err_set(err, IA_E_IO, "cannot write to standard output");
        ia_err_hint(err, "the run itself passed: ios-agent show %s", r->id);
        return rc;
    }
    if (r->code == IA_OK) {
        return IA_OK;
    }
    *err = (struct ia_err){.code = r->code, .retry_after_ms = -1};
    if (j->c->json) {
        fill_error(j, r, err);
    }
    return r->code;
}

static enum ia_rc execute(struct job *j, struct ia_err *err)
{
    struct ia_run_result result = {.steps = 0};
    struct ia_run_request req = request(j);
    struct ia_run_env env = {
        .store = j->setup.store,
        .claude = j->brain.claude,
        .device = j->device,
        .prompts = j->prompts,
        .cancel = j->cancel,
        .observe = observe,
        .observe_ctx = j,
    };
    ia_interrupt_install(j->cancel, terminal(j));
    enum ia_rc rc = ia_run_execute(&env, &req, &result, err);
    ia_watch_stop(j->watch);
    ia_spinner_hide(j->spinner);
    if (rc == IA_OK) {
        rc = conclude(j, &result, err);
    } else if (j->finished.len > 0 && !j->c->json) {
        *err = (struct ia_err){.code = rc, .retry_after_ms = -1}; /* people saw it */
    }
    ia_run_result_fini(&result);
    return rc;
}

/* With --events a run that could not start says so in a line of its own. */
static void print_refusal(struct job *j, const struct ia_err *err)
{
    struct ia_buf b = IA_BUF(1 << 16);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "event", "run.refused");
    ia_jsonw_kv(&w, "code", ia_rc_name(err->code));
    ia_jsonw_kv(&w, "message", err->msg);
    ia_jsonw_kv(&w, "hint", err->hint);
    ia_jsonw_kv(&w, "outcome", ia_outcome_name(err->outcome));
    ia_jsonw_kv_bool(&w, "retry_safe", err->retry_safe);
    ia_jsonw_end_object(&w);
    print_event(j, ia_buf_str(&b));
    ia_buf_fini(&b);
}

/* From the first moment, so that Ctrl-C ends a run that is only starting as any other. */
static enum ia_rc watch_signals(struct job *j, struct ia_err *err)
{
    j->cancel = ia_cancel_new(err);
    if (!j->cancel) {
        return err->code;
    }
    ia_interrupt_install(j->cancel, -1);
    return IA_OK;
}

enum ia_rc ia_cmd_run(struct ia_cli *c, struct ia_err *err)
{
    struct job j = {.c = c, .started = IA_BUF(EVENT_MAX), .finished = IA_BUF(EVENT_MAX)};
    j.events = ia_args_has(&c->args, "events");
    enum ia_rc rc = watch_signals(&j, err);
    if (rc == IA_OK) {
        rc = check_goal(&j, err);
    }
    if (rc == IA_OK) {
        rc = open_job(&j, err);
    }
    if (rc == IA_OK) {
        rc = execute(&j, err);
    }
    if (rc != IA_OK && j.events && !c->json && err->msg[0] != '\0') {
        print_refusal(&j, err);
    }
    close_job(&j);
    return rc;
}
