/* replay RUN|RECORDING|GOAL|FILE: does a recorded run again, without a model. */
#include "agent/goal/goalfile.h"
#include "agent/recording/recording_file.h"
#include "agent/run/replay.h"
#include "app/request_defaults.h"
#include "app/setup.h"
#include "cli/cmd/cmd.h"
#include "cli/foreground/foreground_run.h"
#include "store/recordings.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

struct replay {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_foreground foreground;
    struct ia_recording_row *recording;
    struct ia_job *job;     /* of the run that it was made from, or */
    struct ia_goals *goals; /* those of the files beside it */
    struct ia_run_request base, req;
};

/* ---- a file ------------------------------------------------------------------------------ */

static enum ia_rc load_goals(struct replay *r, const char *file, struct ia_err *err)
{
    const struct ia_args *a = &r->c->args;
    const char *vars[IA_ARGS_MAX];
    const struct ia_goal_sources src = {.vars = vars,
                                        .var_count =
                                            ia_args_list(a, "var", vars, IA_COUNTOF(vars)),
                                        .base = &r->base};
    ia_run_request_defaults(r->setup.config, NULL, &r->base);
    r->base.device = NULL;
    if (a->operand_count > 1) {
        return ia_goals_load(a->operands + 1, a->operand_count - 1, &src, &r->goals, err);
    }
    const char *slash = strrchr(file, '/');
    char *folder = slash ? ia_strndup(file, (size_t)(slash - file) + 1) : ia_strdup(".");
    const char *const paths[] = {folder};
    enum ia_rc rc = ia_goals_load(paths, 1, &src, &r->goals, err);
    free(folder);
    return rc;
}

/* The goal that the file is of, by its name. */
static enum ia_rc take_goal(struct replay *r, const char *file, const json_t *doc,
                            struct ia_err *err)
{
    const char *name = ia_json_text(doc, "goal");
    size_t i = 0, n = ia_goals_count(r->goals);
    while (i < n && strcmp(ia_goals_at(r->goals, i)->req.name, name) != 0) {
        i++;
    }
    if (i == n) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_NOT_FOUND, "%s: no goal is named \"%.100s\"", file, name);
        ia_err_hint(err, "name its goal file: ios-agent replay %.200s GOALFILE", file);
        return rc;
    }
    const struct ia_goal *goal = ia_goals_at(r->goals, i);
    r->req = goal->req;
    r->req.device = goal->device;
    return ia_recording_check_goal(file, doc, &r->req, err);
}

static enum ia_rc import(struct replay *r, const json_t *doc, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    char id[IA_ID_SIZE] = {0};
    enum ia_rc rc = ia_tx_begin(r->setup.store, &tx, err);
    if (rc == IA_OK) {
        rc = ia_recording_import(tx, doc, true, id, err);
        if (rc == IA_OK) {
            rc = ia_tx_commit(tx, err);
        } else {
            ia_tx_rollback(tx);
        }
    }
    return rc == IA_OK ? ia_store_recording(r->setup.store, id, &r->recording, err) : rc;
}

static enum ia_rc find_file(struct replay *r, const char *file, struct ia_err *err)
{
    json_t *doc = NULL;
    enum ia_rc rc = ia_recording_open(file, &doc, err);
    if (rc == IA_OK) {
        rc = load_goals(r, file, err);
    }
    if (rc == IA_OK) {
        rc = take_goal(r, file, doc, err);
    }
    if (rc == IA_OK) {
        rc = import(r, doc, err);
    }
    json_decref(doc);
    return rc;
}

/* ---- what to do -------------------------------------------------------------------------- */

/* One of another machine is only known with its goal file. */
static enum ia_rc find_row(struct replay *r, const char *text, struct ia_err *err)
{
    if (r->c->args.operand_count > 1 || ia_args_has(&r->c->args, "var")) {
        return ia_err_set(err, IA_E_USAGE, "goal files and --var go with a recording's file");
    }
    enum ia_rc rc = ia_replay_named(r->setup.store, text, &r->recording, &r->job, err);
    if (rc == IA_OK && !r->job) {
        rc = ia_err_set(err, IA_E_STATE, "no run of this recording is stored here");
        ia_err_hint(err, "replay its file, or its goal file: ios-agent sweep --replay only");
    }
    if (rc == IA_OK) {
        r->req = *ia_job_request(r->job);
        r->req.device = ia_job_device(r->job);
    }
    return rc;
}

static enum ia_rc find(struct replay *r, struct ia_err *err)
{
    const char *text = ia_args_operand(&r->c->args, 0);
    return ia_recording_named(text) ? find_file(r, text, err) : find_row(r, text, err);
}

static enum ia_rc open_all(struct replay *r, struct ia_err *err)
{
    enum ia_rc rc = ia_setup_store(&r->setup, "ios-agent replay", err);
    if (rc == IA_OK) {
        rc = ia_args_configure(&r->c->args, "allow-commands", r->setup.config,
                               IA_CFG_RUN_ALLOW_COMMANDS, err);
    }
    if (rc == IA_OK) {
        rc = ia_args_configure(&r->c->args, "strict", r->setup.config, IA_CFG_RUN_STRICT, err);
    }
    if (rc == IA_OK) {
        const struct ia_executor_opts executor = {.setup = &r->setup,
                                                  .credentials = &r->c->credentials};
        rc = ia_foreground_open(&r->foreground, &executor, err);
    }
    return rc == IA_OK ? ia_foreground_display(&r->foreground, err) : rc;
}

/* Named here, or for that run; that of a sweep was only lent. */
static const char *device_of(const struct replay *r)
{
    const char *named = ia_args_text(&r->c->args, "device");
    return named           ? named
           : r->req.device ? r->req.device
                           : ia_config_str(r->setup.config, IA_CFG_RUN_DEVICE);
}

enum ia_rc ia_cmd_replay(struct ia_cli *c, struct ia_err *err)
{
    struct replay r = {.c = c};
    ia_foreground_init(&r.foreground, c);
    enum ia_rc rc = ia_foreground_signals(&r.foreground, err);
    if (rc == IA_OK) {
        rc = open_all(&r, err);
    }
    if (rc == IA_OK) {
        rc = find(&r, err);
    }
    if (rc == IA_OK) {
        r.req.recording = r.recording->id;
        r.req.device = device_of(&r);
        r.req.strict = ia_run_strict(r.setup.config);
        r.req.demo_brain = r.req.demo_brain && ia_args_has(&c->args, "heal");
        r.req.replay = ia_args_has(&c->args, "heal") ? "auto" : "only";
        const struct ia_foreground_task task = {.request = &r.req,
                                                .fresh = ia_args_has(&c->args, "fresh")};
        rc = ia_foreground_run(&r.foreground, &task, err);
    }
    if (c->json) {
        ia_foreground_result(&r.foreground);
    }
    ia_foreground_fini(&r.foreground);
    ia_job_free(r.job);
    ia_goals_free(r.goals);
    ia_recording_row_free(r.recording);
    ia_setup_close(&r.setup);
    return rc;
}
