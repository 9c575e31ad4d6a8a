/* run_tools.c: run, run_status, runs and say; and runs as tasks.
 *
 *   run ─► row ─┬─ the client takes tasks: the task at once
 *               ├─ ended within 45 s: what it came to
 *               ├─ else: RUNNING and the id; the run goes on
 *               └─ cancelled, or the client has gone: the run is stopped */
#include "server/mcp/run_tools.h"
#include "agent/goal/expect.h"
#include "app/request_defaults.h"
#include "app/run_json.h"
#include "base/clock.h"
#include "driver/registry/device_registry.h"
#include "driver/registry/sim_name.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXPECTS_MAX = IA_EXPECTS_MAX,
    STOP_WAIT_MS = 5000,
    DEVICE_MAX = 8192,
    LIST_MAX = 20,
    LIST_BYTES = 32 << 10
};

/* What a call needs of runs. */
struct service {
    struct ia_runs *runs;
    const struct ia_setup *setup;
};

static enum ia_rc open_service(const struct ia_mcp_call *call, struct service *ret,
                               struct ia_err *err)
{
    const struct ia_mcp_host *host = &((const struct ia_mcp_server *)call->ctx)->host;
    return host->runs(host->ctx, &ret->runs, &ret->setup, err);
}

static int64_t now_ms(void)
{
    return ia_wall_ms(ia_clock_system());
}

static enum ia_rc put_row(const struct ia_mcp_call *call, struct ia_store *store,
                          const char *id, struct ia_mcp_result *ret, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_store_run(store, id, &row, err);
    if (rc == IA_OK) {
        struct ia_buf json = IA_BUF(IA_MCP_ANSWER_MAX);
        struct ia_jsonw w;
        ia_jsonw_init(&w, &json);
        ia_run_json(&w, row);
        ia_mcp_put_run(ret, row, now_ms());
        ia_mcp_put_structured(call, ret, ia_buf_str(&json));
        ia_buf_fini(&json);
    }
    ia_run_row_free(row);
    return rc;
}

/* ---- a new run ---------------------------------------------------------------------------- */

/* A request with the texts that it borrows. */
struct asked {
    struct ia_run_request request;
    struct ia_setup setup; /* configuration as it is where the client stands */
    struct ia_buf device;
    const char *expect[EXPECTS_MAX];
};

static enum ia_rc no_key(struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_KEY_MISSING, "there is no API key for this run");
    ia_err_hint(err, "a person stores one with: ios-agent key set. Or start the server as "
                     "ios-agent mcp --demo: then the demo brain does literal steps, without "
                     "reasoning. The other tools need no key");
    err->outcome = IA_OUTCOME_NOT_SENT;
    return rc;
}

/* The demo brain answers only where it was allowed: what it did would look as if a model had. */
static enum ia_rc choose_model(const struct ia_mcp_call *call, struct ia_runs *runs,
                               struct ia_run_request *r, struct ia_err *err)
{
    if (call->peer->api_key || call->peer->auth_token) {
        return IA_OK;
    }
    enum ia_rc rc = ia_runs_choose_model(runs, &r->demo_brain, err);
    return rc == IA_OK && r->demo_brain && !call->peer->demo ? no_key(err) : rc;
}

/* A command would run on this machine, by the word of a model. */
static enum ia_rc check_expect(const char *text, struct ia_err *err)
{
    struct ia_expect e;
    enum ia_rc rc = ia_expect_parse(text, &e, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (e.kind == IA_EXPECT_COMMAND) {
        rc = ia_err_set(err, IA_E_USAGE, "an expectation may not run a command here: %s", text);
        ia_err_hint(err, "commands are for goal files and the command line");
    }
    ia_expect_fini(&e);
    return rc;
}

static enum ia_rc read_expects(const struct ia_mcp_call *call, struct asked *a,
                               struct ia_err *err)
{
    const json_t *list = json_object_get(call->args, "expect");
    size_t n = json_array_size(list);
    enum ia_rc rc = n <= EXPECTS_MAX
                        ? IA_OK
                        : ia_err_set(err, IA_E_USAGE, "at most %d expectations", EXPECTS_MAX);
    for (size_t i = 0; rc == IA_OK && i < n; i++) {
        a->expect[i] = json_string_value(json_array_get(list, i));
        rc = check_expect(a->expect[i], err);
    }
    a->request.expect = a->expect;
    a->request.expect_count = rc == IA_OK ? n : 0;
    return rc;
}

/* As for a verb: the argument, the client's environment, the configuration, the one booted. */
static enum ia_rc find_device(const struct ia_mcp_call *call, struct asked *a,
                              struct ia_err *err)
{
    struct ia_buf name = IA_BUF(a->device.max);
    const char *given = ia_json_text(call->args, "device");
    enum ia_rc rc = IA_OK;
    given = *given ? given : call->peer->device;
    if (given && *given) {
        ia_device_name_absolute(given, call->peer->cwd, &name);
    } else if (ia_config_origin(a->setup.config, IA_CFG_RUN_DEVICE) != IA_CFG_FROM_DEFAULT) {
        ia_device_name_absolute(ia_config_str(a->setup.config, IA_CFG_RUN_DEVICE),
                                call->peer->cwd, &name);
    } else {
        rc = ia_sim_device_default(NULL, &name, err);
    }
    if (rc == IA_OK) {
        rc = ia_sim_device_name(ia_buf_cstr(&name), NULL, &a->device, err);
    }
    a->request.device = ia_buf_cstr(&a->device);
    ia_buf_fini(&name);
    return rc;
}

static enum ia_rc read_request(const struct ia_mcp_call *call, struct asked *a,
                               struct ia_err *err)
{
    const char *app = ia_json_text(call->args, "app");
    const char *plan = ia_json_text(call->args, "plan");
    struct ia_run_request *r = &a->request;
    r->goal = ia_json_text(call->args, "goal");
    r->app = *app ? app : NULL;
    r->plan = *plan ? plan : NULL;
    r->budget.max_usd = json_number_value(json_object_get(call->args, "max_usd"));
    r->budget.max_steps = (int)json_integer_value(json_object_get(call->args, "max_steps"));
    if (r->budget.max_usd < 0 || r->budget.max_steps < 0) {
        return ia_err_set(err, IA_E_USAGE, "run: a limit must not be negative");
    }
    enum ia_rc rc = read_expects(call, a, err);
    if (rc == IA_OK) {
        rc = ia_setup_config_in(&a->setup, call->peer->cwd, err);
    }
    if (rc == IA_OK) {
        rc = find_device(call, a, err);
    }
    if (rc == IA_OK) {
        ia_run_request_plan(a->setup.config, r);
        ia_run_request_defaults(a->setup.config, NULL, r);
    }
    return rc;
}

/* A run that holds the device now. */
struct holder {
    struct ia_buf text;
};

static bool find_holder(void *ctx, const struct ia_run_row *row)
{
    struct holder *h = ctx;
    if (!ia_run_owner_alive(row)) {
        return true;
    }
    char since[IA_ISO_SIZE];
    ia_iso_format(row->started_ms, since);
    ia_buf_printf(&h->text, "run %s since %s: %.200s", row->id, since, row->goal);
    return false;
}

static enum ia_rc check_free(struct ia_store *store, const char *device, struct ia_err *err)
{
    struct holder h = {.text = IA_BUF(1024)};
    struct ia_buf lane = IA_BUF(256);
    ia_device_lane(device, &lane);
    const struct ia_run_filter filter = {.lane = ia_buf_cstr(&lane), .state = "running"};
    enum ia_rc rc = ia_store_runs(store, &filter, find_holder, &h, err);
    if (rc == IA_OK && h.text.len > 0) {
        rc = ia_err_set(err, IA_E_BUSY, "%s is held by %s", ia_buf_cstr(&lane),
                        ia_buf_cstr(&h.text));
        ia_err_hint(err,
                    "wait for it with run_status, cancel it there, or name another device");
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    ia_buf_fini(&lane);
    ia_buf_fini(&h.text);
    return rc;
}

/* With the key of the client's environment, for this run alone, where it has one. */
static enum ia_rc start_with_keys(const struct ia_mcp_call *call, struct ia_runs *runs,
                                  const struct ia_run_request *r, char ret_id[IA_ID_SIZE],
                                  struct ia_err *err)
{
    struct ia_lent own = {.base_url = call->peer->base_url};
    enum ia_rc rc =
        ia_credentials_of(call->peer->api_key, call->peer->auth_token, &own.keys, err);
    if (rc == IA_OK) {
        rc = ia_runs_start_with(runs, r, &own, ret_id, err);
    }
    ia_credentials_fini(&own.keys);
    return rc;
}

static enum ia_rc start(const struct ia_mcp_call *call, const struct service *s,
                        char ret_id[IA_ID_SIZE], struct ia_err *err)
{
    struct asked a = {.device = IA_BUF(DEVICE_MAX)};
    enum ia_rc rc = read_request(call, &a, err);
    if (rc == IA_OK) {
        rc = choose_model(call, s->runs, &a.request, err);
    }
    if (rc == IA_OK) {
        rc = check_free(s->setup->store, a.request.device, err);
    }
    if (rc == IA_OK) {
        rc = start_with_keys(call, s->runs, &a.request, ret_id, err);
    }
    ia_buf_fini(&a.device);
    ia_setup_close(&a.setup);
    return rc;
}

static enum ia_rc wait_for(struct ia_mcp_call *call, const struct service *s, const char *id,
                           int64_t ms, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_store_run(s->setup->store, id, &row, err);
    if (rc == IA_OK && !ia_run_state_final(row->state)) {
        rc = ia_mcp_wait_for_run(call, s->runs, s->setup->store, row, ms, err);
    }
    ia_run_row_free(row);
    return rc;
}

enum ia_rc ia_mcp_run_tool(struct ia_mcp_call *call, struct ia_mcp_result *ret,
                           struct ia_err *err)
{
    struct service s;
    char id[IA_ID_SIZE];
    enum ia_rc rc = open_service(call, &s, err);
    if (rc == IA_OK) {
        rc = start(call, &s, id, err);
    }
    if (rc == IA_OK && call->tasks) {
        (void)snprintf(ret->task, sizeof(ret->task), "%s", id);
        return IA_OK;
    }
    if (rc == IA_OK) {
        rc = wait_for(call, &s, id, IA_MCP_WAIT_MS_MAX, err);
        if (rc == IA_E_CANCELLED) {
            enum ia_cancel_result ignored;
            struct ia_err stop_err;
            (void)ia_runs_stop(s.runs, id, &ignored, &stop_err);
        }
    }
    return rc == IA_OK ? put_row(call, s.setup->store, id, ret, err) : rc;
}

/* ---- run_status --------------------------------------------------------------------------- */

/* A count of a sweep's goals by their state. */
struct tally {
    int of[IA_SWEEP_GOAL_STATE_COUNT];
};

static bool count_goal(void *ctx, const struct ia_sweep_goal_row *row)
{
    struct tally *t = ctx;
    t->of[row->state]++;
    return true;
}

static enum ia_rc put_sweep(struct ia_store *store, const struct ia_sweep_row *sweep,
                            struct ia_mcp_result *ret, struct ia_err *err)
{
    struct tally t = {{0}};
    enum ia_rc rc = ia_store_sweep_goals(store, sweep->id, count_goal, &t, err);
    if (rc == IA_OK) {
        ia_buf_printf(&ret->text, "sweep %s: %s, %d goals", sweep->id,
                      ia_sweep_state_name(sweep->state), sweep->goals);
        for (int i = 0; i < IA_SWEEP_GOAL_STATE_COUNT; i++) {
            if (t.of[i] > 0) {
                ia_buf_printf(&ret->text, ", %d %s", t.of[i],
                              ia_sweep_goal_state_name((enum ia_sweep_goal_state)i));
            }
        }
    }
    return rc;
}

static enum ia_rc cancel_named(const struct ia_mcp_call *call, const struct service *s,
                               const char *run_id, const struct ia_sweep_row *sweep,
                               struct ia_err *err)
{
    enum ia_cancel_result ignored;
    if (call->peer->without & IA_MCP_TOOL_ACTS) {
        return ia_err_set(err, IA_E_USAGE, "run_status: this server is read-only");
    }
    return run_id ? ia_runs_stop(s->runs, run_id, &ignored, err)
                  : ia_runs_cancel_sweep(s->setup->store, sweep, &ignored, err);
}

enum ia_rc ia_mcp_run_status_tool(struct ia_mcp_call *call, struct ia_mcp_result *ret,
                                  struct ia_err *err)
{
    struct service s;
    struct ia_run_row *run = NULL;
    struct ia_sweep_row *sweep = NULL;
    bool cancel = json_is_true(json_object_get(call->args, "cancel"));
    int64_t ms = json_integer_value(json_object_get(call->args, "wait_seconds")) * 1000;
    enum ia_rc rc = open_service(call, &s, err);
    if (rc == IA_OK) {
        rc = ia_store_run_or_sweep(s.setup->store, ia_json_text(call->args, "id"), &run, &sweep,
                                   err);
    }
    if (rc == IA_OK && cancel) {
        rc = cancel_named(call, &s, run ? run->id : NULL, sweep, err);
        ms = ms > STOP_WAIT_MS ? ms : STOP_WAIT_MS; /* until its next safe moment */
    }
    if (rc == IA_OK && run && ms > 0) {
        rc = wait_for(call, &s, run->id, ms, err);
    }
    if (rc == IA_OK) {
        rc = run ? put_row(call, s.setup->store, run->id, ret, err)
                 : put_sweep(s.setup->store, sweep, ret, err);
        ret->failed = false; /* the question was answered */
    }
    ia_run_row_free(run);
    ia_sweep_row_free(sweep);
    return rc;
}

/* ---- runs and say ------------------------------------------------------------------------- */

static bool put_line(void *ctx, const struct ia_run_row *row)
{
    ia_buf_printf(ctx, "%s %s: %.120s\n", row->id, ia_run_json_word(row), row->goal);
    return true;
}

enum ia_rc ia_mcp_runs_tool(struct ia_mcp_call *call, struct ia_mcp_result *ret,
                            struct ia_err *err)
{
    struct service s;
    struct ia_buf lines = IA_BUF(LIST_BYTES);
    const char *state = json_string_value(json_object_get(call->args, "state"));
    int limit = (int)json_integer_value(json_object_get(call->args, "limit"));
    const struct ia_run_filter filter = {.limit = limit ? limit : LIST_MAX, .state = state};
    enum ia_rc rc = open_service(call, &s, err);
    if (rc == IA_OK) {
        rc = ia_store_runs(s.setup->store, &filter, put_line, &lines, err);
    }
    if (rc == IA_OK) {
        ia_mcp_put_text(ret, lines.len ? ia_buf_str(&lines) : ia_str("no runs"), false);
    }
    ia_buf_fini(&lines);
    return rc;
}

enum ia_rc ia_mcp_say_tool(struct ia_mcp_call *call, struct ia_mcp_result *ret,
                           struct ia_err *err)
{
    struct service s;
    struct ia_run_row *row = NULL;
    enum ia_rc rc = open_service(call, &s, err);
    if (rc == IA_OK) {
        rc = ia_runs_say(s.setup->store, ia_json_text(call->args, "id"), "mcp",
                         ia_json_text(call->args, "text"), &row, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(&ret->text, "run %s reads it with its next step", row->id);
    }
    ia_run_row_free(row);
    return rc;
}

/* ---- runs as tasks ------------------------------------------------------------------------ */

static enum ia_mcp_task_state task_state(enum ia_run_state state)
{
    if (!ia_run_state_final(state)) {
        return IA_MCP_TASK_WORKING;
    }
    return state == IA_RUN_CANCELLED ? IA_MCP_TASK_CANCELLED : IA_MCP_TASK_COMPLETED;
}

static int64_t latest(const struct ia_run_row *row)
{
    int64_t t = row->created_ms > row->heartbeat_ms ? row->created_ms : row->heartbeat_ms;
    return t > row->finished_ms ? t : row->finished_ms;
}

/* A task is named by its whole id: nobody types it. */
static enum ia_rc find_task(void *ctx, const char *id, struct service *ret,
                            struct ia_run_row **ret_row)
{
    struct ia_err ignored;
    const struct ia_mcp_host *host = &((const struct ia_mcp_server *)ctx)->host;
    enum ia_rc rc = host->runs(host->ctx, &ret->runs, &ret->setup, &ignored);
    if (rc == IA_OK) {
        rc = ia_store_run(ret->setup->store, id, ret_row, &ignored);
    }
    return rc == IA_OK && strcmp((*ret_row)->id, id) != 0 ? IA_E_NOT_FOUND : rc;
}

static bool take_name(void *ctx, const struct ia_call_row *row)
{
    struct ia_buf *name = ctx; /* the last one stays */
    ia_buf_reset(name);
    ia_buf_puts(name, row->name);
    return true;
}

/* "step 7 of 60: tap"; before the first step the state, "queued". */
static void say_step(const struct service *s, const struct ia_run_row *row, char *dst,
                     size_t size)
{
    struct ia_err ignored;
    struct ia_buf tool = IA_BUF(IA_MCP_NOTE_MAX);
    int max = ia_mcp_run_max_steps(row);
    (void)ia_store_calls(s->setup->store, row->id, take_name, &tool, &ignored);
    if (row->steps == 0 || row->state != IA_RUN_RUNNING) {
        (void)snprintf(dst, size, "%s", ia_run_json_state(row));
    } else if (max > 0) {
        (void)snprintf(dst, size, "step %d of %d: %s", row->steps, max, ia_buf_cstr(&tool));
    } else {
        (void)snprintf(dst, size, "step %d: %s", row->steps, ia_buf_cstr(&tool));
    }
    ia_buf_fini(&tool);
}

static bool get_task(void *ctx, const char *id, struct ia_mcp_task *ret)
{
    struct service s;
    struct ia_run_row *row = NULL;
    bool found = find_task(ctx, id, &s, &row) == IA_OK;
    if (found) {
        (void)snprintf(ret->id, sizeof(ret->id), "%s", row->id);
        ret->state = task_state(row->state);
        ret->created_ms = row->created_ms;
        ret->updated_ms = latest(row);
        if (ret->state == IA_MCP_TASK_WORKING) {
            say_step(&s, row, ret->message, sizeof(ret->message));
        } else {
            ia_mcp_put_run(&ret->result, row, now_ms());
        }
    }
    ia_run_row_free(row);
    return found;
}

static bool cancel_task(void *ctx, const char *id)
{
    struct service s;
    struct ia_run_row *row = NULL;
    bool found = find_task(ctx, id, &s, &row) == IA_OK;
    if (found) {
        enum ia_cancel_result ignored;
        struct ia_err err;
        (void)ia_runs_stop(s.runs, id, &ignored, &err);
    }
    ia_run_row_free(row);
    return found;
}

const struct ia_mcp_tasks ia_mcp_run_tasks = {get_task, cancel_task};
