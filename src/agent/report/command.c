/* command.c: the command that does a run again, as one line for a shell.
 *
 * A run is told by its options, which its row keeps as a job (agent/goal/job.h); a goal of a sweep
 * by its file, which knows its setup, its steps, its secrets and what it needs. Files are named from
 * the root, so that the command works in any folder. The value of a secret is in neither. */
#include "agent/report/escape.h"
#include "agent/report/model.h"
#include "base/paths.h"

#include <stdlib.h>
#include <string.h>

static void put_option(struct ia_buf *out, const char *name, const char *value)
{
    if (value && value[0] != '\0') {
        ia_buf_printf(out, " --%s ", name);
        ia_esc_shell(out, ia_str(value));
    }
}

static void put_options(struct ia_buf *out, const char *name, const json_t *values)
{
    size_t i = 0;
    const json_t *v = NULL;
    json_array_foreach(values, i, v)
    {
        put_option(out, name, json_string_value(v));
    }
}

static void put_number(struct ia_buf *out, const char *name, const json_t *v)
{
    if (json_is_integer(v) && json_integer_value(v) > 0) {
        ia_buf_printf(out, " --%s %lld", name, (long long)json_integer_value(v));
    } else if (json_is_real(v) && json_real_value(v) > 0) {
        ia_buf_printf(out, " --%s %.15g", name, json_real_value(v));
    }
}

static void put_budget(struct ia_buf *out, const char *json)
{
    json_t *budget = json ? json_loads(json, JSON_ALLOW_NUL, NULL) : NULL;
    put_number(out, "max-steps", json_object_get(budget, "max_steps"));
    put_number(out, "max-seconds", json_object_get(budget, "max_seconds"));
    put_number(out, "max-tokens", json_object_get(budget, "max_tokens"));
    put_number(out, "max-usd", json_object_get(budget, "max_usd"));
    /* By default there is a limit. */
    if (json_integer_value(json_object_get(budget, "max_seconds")) == 0) {
        ia_buf_puts(out, " --max-seconds 0");
    }
    json_decref(budget);
}

/* It was allowed, or the run would not have begun. */
static void put_allowed(struct ia_buf *out, const json_t *expect)
{
    size_t i = 0;
    const json_t *e = NULL;
    bool commands = false;
    json_array_foreach(expect, i, e)
    {
        commands = commands || ia_str_starts(ia_str(json_string_value(e)), ia_str("command"));
    }
    ia_buf_puts(out, commands ? " --allow-commands" : "");
}

/* The demo brain is no model, whichever was configured. */
static void put_how(struct ia_buf *out, const struct ia_rep_run *run)
{
    const char *verify = ia_rep_text(run->job, "verify").p;
    if (run->row->demo) {
        ia_buf_puts(out, " --demo");
    } else {
        put_option(out, "model", run->row->model);
    }
    put_option(out, "verifier-model", ia_rep_text(run->job, "verifier_model").p);
    put_option(out, "effort", ia_rep_text(run->job, "effort").p);
    put_option(out, "verify", strcmp(verify, "auto") == 0 ? NULL : verify);
    put_option(out, "pictures", ia_rep_text(run->job, "pictures").p);
    put_option(out, "plan", ia_rep_text(run->job, "plan").p);
    put_option(out, "replay", ia_rep_text(run->job, "replay").p);
    ia_buf_puts(out, json_is_true(json_object_get(run->job, "strict")) ? " --strict" : "");
    put_allowed(out, run->expect);
}

/* As the user named it, with the bugs and faults that were asked for. */
static const char *device_of(const struct ia_rep_run *run)
{
    const char *named = ia_rep_text(run->job, "device").p;
    return named[0] != '\0' ? named : run->row->lane;
}

/* A reset is all the setup that `run` can do. */
static bool is_fresh(const struct ia_rep_run *run)
{
    const json_t *first = json_array_get(json_object_get(run->job, "setup"), 0);
    return json_is_true(json_object_get(run->job, "fresh")) ||
           strcmp(ia_rep_text(first, "do").p, "reset") == 0;
}

static void put_run(const struct ia_rep_run *run, struct ia_buf *out)
{
    const struct ia_run_row *row = run->row;
    int64_t tries = json_integer_value(json_object_get(run->job, "tries"));
    ia_buf_puts(out, "ios-agent run");
    put_option(out, "app", row->app);
    put_option(out, "device", device_of(run));
    ia_buf_puts(out, is_fresh(run) ? " --fresh" : "");
    put_option(out, "agent", row->agent);
    ia_buf_puts(out, json_is_true(json_object_get(run->job, "continue")) ? " --continue" : "");
    put_how(out, run);
    put_option(out, "hint", row->hint);
    put_options(out, "expect", run->expect);
    put_options(out, "secret", json_object_get(run->job, "secrets"));
    put_budget(out, row->budget);
    if (tries > 1) {
        ia_buf_printf(out, " --retries %lld", (long long)(tries - 1));
    }
    ia_buf_puts(out, " -- ");
    ia_esc_shell(out, ia_str(row->goal));
}

/* NULL: it is no goal of an evaluation. */
static const struct ia_eval_row *eval_row(const struct ia_rep *r, int no)
{
    for (size_t i = 0; r->eval && i < r->eval->count; i++) {
        if (r->eval->rows[i].no == no) {
            return &r->eval->rows[i];
        }
    }
    return NULL;
}

/* The device is named only where the sweep had been given devices. */
static void put_sweep(const struct ia_rep *r, const struct ia_rep_goal *g,
                      const struct ia_rep_run *run, struct ia_buf *out)
{
    bool own = json_is_true(json_object_get(r->options, "fresh"));
    const char *folder = ia_rep_text(r->options, "folder").p;
    char *files =
        ia_path_join(folder[0] != '\0' ? folder : ".", r->common ? r->common : g->file);
    const json_t *retries =
        json_array_get(json_object_get(r->options, "retries"), (size_t)run->row->sweep_no - 1);
    const struct ia_eval_row *row = eval_row(r, g->no);
    bool built_in = row && strcmp(r->title, IA_EVAL_BUILT_IN) == 0;
    ia_buf_puts(out, row ? "ios-agent eval" : "ios-agent sweep");
    put_option(out, "goal", g->name);
    if (row) {
        ia_buf_printf(out, " --seeds %d --wordings %d", row->seed, row->wording);
    }
    put_options(out, "var", json_object_get(r->options, "vars"));
    put_option(out, "device", own ? NULL : device_of(run));
    put_how(out, run);
    put_number(out, "retries", row ? NULL : retries);
    put_number(out, "max-seconds", json_object_get(r->options, "max_seconds"));
    if (!built_in) {
        ia_buf_puts(out, " -- ");
        ia_esc_shell(out, ia_str(folder[0] != '\0' ? files : r->common ? r->common : g->file));
    }
    free(files);
}

void ia_rep_command(const struct ia_rep *r, const struct ia_rep_goal *g,
                    const struct ia_rep_run *run, struct ia_buf *out)
{
    if (g->file && g->file[0] != '\0') {
        put_sweep(r, g, run, out);
    } else {
        put_run(run, out);
    }
}
