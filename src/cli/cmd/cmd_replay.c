/* replay RUN|RECORDING|GOAL|FILE: does a recorded run again, without a model. */
#include "agent/goal/goalfile.h"
#include "agent/recording/recording_file.h"
#include "agent/run/replay.h"
#include "agent/schedule/schedule.h"
#include "app/request_defaults.h"
#include "app/setup.h"
#include "cli/cmd/cmd.h"
#include "cli/foreground/foreground_run.h"
#include "store/recordings.h"
#include "store/schedules.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

struct replay {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_foreground foreground;
    struct ia_recording_row *recording;
    struct ia_job *job;      /* of the run that it was made from, if that is stored here */
    struct ia_job *schedule; /* as it asks now, if it is the goal of one */
    struct ia_goals *goals;  /* of its file, or those of the files beside its recording's */
    struct ia_run_request base, req;
};

/* ---- goal files -------------------------------------------------------------------------- */

/* Those of the folder that the file is in. */
static enum ia_rc load_beside(const char *file, const struct ia_goal_sources *src,
                              struct ia_goals **ret, struct ia_err *err)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash ? ia_strndup(file, (size_t)(slash - file) + 1) : ia_strdup(".");
    const char *const paths[] = {folder};
    enum ia_rc rc = ia_goals_load(paths, 1, src, ret, err);
    free(folder);
    return rc;
}

static const struct ia_goal *goal_named(const struct ia_goals *goals, const char *name)
{
    size_t i = 0, n = ia_goals_count(goals);
    while (i < n && strcmp(ia_goals_at(goals, i)->req.name, name) != 0) {
        i++;
    }
    return i < n ? ia_goals_at(goals, i) : NULL;
}

/* What a goal has where its file does not say. */
static const struct ia_run_request *base_of(struct replay *r)
{
    ia_run_request_defaults(r->setup.config, NULL, &r->base);
    r->base.device = NULL;
    return &r->base;
}

/* ---- a file ------------------------------------------------------------------------------ */

static enum ia_rc load_goals(struct replay *r, const char *file, struct ia_err *err)
{
    const struct ia_args *a = &r->c->args;
    const char *vars[IA_ARGS_MAX];
    const struct ia_goal_sources src = {.vars = vars,
                                        .var_count =
                                            ia_args_list(a, "var", vars, IA_COUNTOF(vars)),
                                        .base = base_of(r)};
    return a->operand_count > 1
               ? ia_goals_load(a->operands + 1, a->operand_count - 1, &src, &r->goals, err)
               : load_beside(file, &src, &r->goals, err);
}

/* The goal that the file is of, by its name. */
static enum ia_rc take_goal(struct replay *r, const char *file, const json_t *doc,
                            struct ia_err *err)
{
    const char *name = ia_json_text(doc, "goal");
    const struct ia_goal *goal = goal_named(r->goals, name);
    if (!goal) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_NOT_FOUND, "%s: no goal is named \"%.100s\"", file, name);
        ia_err_hint(err, "name its goal file: ios-agent replay %.200s GOALFILE", file);
        return rc;
    }
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

/* ---- the goal as it stands now ----------------------------------------------------------- */

/* In the file that a sweep had it from, with the variables of the recorded run. Steps and goals that it needs may
 * stand in files beside it. */
static enum ia_rc find_in_file(struct replay *r, const char *file,
                               const struct ia_run_request **ret, struct ia_err *err)
{
    const struct ia_goal_sources src = {
        .vars = r->req.vars, .var_count = r->req.var_count, .base = base_of(r)};
    struct ia_err beside;
    enum ia_rc rc = ia_goals_load(&file, 1, &src, &r->goals, err);
    if (rc == IA_E_CONFIG && load_beside(file, &src, &r->goals, &beside) == IA_OK) {
        rc = IA_OK;
    }
    const struct ia_goal *goal = rc == IA_OK ? goal_named(r->goals, r->recording->name) : NULL;
    *ret = goal ? &goal->req : NULL;
    return rc;
}

static enum ia_rc find_in_schedule(struct replay *r, const struct ia_run_request **ret,
                                   struct ia_err *err)
{
    struct ia_schedule_row *row = NULL;
    enum ia_rc rc = ia_schedule_find(r->setup.store, r->recording->name, &row, err);
    if (rc == IA_OK) {
        rc = ia_job_parse(ia_str(row->run), &r->schedule, err);
    }
    *ret = rc == IA_OK ? ia_job_request(r->schedule) : NULL;
    ia_schedule_row_free(row);
    return rc;
}

/* NULL, and IA_OK, where neither a file nor a schedule has it any more, or ever had. *ret_where is to be freed. */
static enum ia_rc find_now(struct replay *r, const struct ia_run_request **ret,
                           char **ret_where, struct ia_err *err)
{
    enum ia_rc rc =
        ia_recording_goal_file(r->setup.store, r->recording->goal_hash, ret_where, err);
    *ret = NULL;
    if (rc == IA_OK && *ret_where) {
        rc = find_in_file(r, *ret_where, ret, err);
    } else if (rc == IA_OK) {
        *ret_where = ia_strdup("its schedule");
        rc = find_in_schedule(r, ret, err);
    }
    return rc == IA_E_NOT_FOUND ? IA_OK : rc;
}

/* Whether they ask for the same, whatever they expect of it. */
static bool asks_the_same(const struct ia_run_request *a, const struct ia_run_request *b)
{
    struct ia_run_request of[] = {*a, *b};
    char hash[2][IA_GOAL_HASH_SIZE];
    for (int i = 0; i < 2; i++) {
        of[i].goal_hash = NULL;
        of[i].expect_count = 0;
        ia_goal_hash(&of[i], hash[i]);
    }
    return strcmp(hash[0], hash[1]) == 0;
}

static bool expects_the_same(const struct ia_run_request *a, const struct ia_run_request *b)
{
    bool same = a->expect_count == b->expect_count;
    for (size_t i = 0; i < a->expect_count && same; i++) {
        same = strcmp(a->expect[i], b->expect[i]) == 0;
    }
    return same;
}

static enum ia_rc note(struct replay *r, const char *what, const char *where,
                       struct ia_err *err)
{
    if (r->foreground.events) {
        return IA_OK;
    }
    ia_buf_printf(&r->c->text, "note: %s was changed since; %s\n", where, what);
    return r->c->json ? IA_OK : ia_cli_announce(r->c, err);
}

/* The steps are those of the recorded goal, so it stays their hash: what they come to is no recording of today's. */
static enum ia_rc judge_by(struct replay *r, const struct ia_run_request *now,
                           const char *where, struct ia_err *err)
{
    if (!asks_the_same(&r->req, now) || ia_args_has(&r->c->args, "heal")) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_STATE, "%s: \"%.100s\" was changed since it was recorded",
                       where, r->recording->name);
        ia_err_hint(err,
                    "do it once more with a model; ios-agent replay %s does what was "
                    "recorded, and judges it as it was then",
                    r->recording->run_id);
        return rc;
    }
    r->req.expect = now->expect;
    r->req.expect_count = now->expect_count;
    r->req.goal_hash = r->recording->goal_hash;
    return note(r, "its expectations of today are the judge", where, err);
}

/* A goal is judged as it stands now; a run, or its recording, as it was then. */
static enum ia_rc take_now(struct replay *r, bool by_goal, struct ia_err *err)
{
    const struct ia_run_request *now = NULL;
    char *where = NULL;
    enum ia_rc rc = find_now(r, &now, &where, err);
    if (rc == IA_OK && now &&
        !(asks_the_same(&r->req, now) && expects_the_same(&r->req, now))) {
        rc = by_goal ? judge_by(r, now, where, err)
                     : note(r, "the run is done again, and judged, as it was", where, err);
    }
    free(where);
    return by_goal ? rc : IA_OK;
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
        rc = take_now(
            r, strcmp(text, r->recording->name) == 0 || strcmp(text, r->req.goal) == 0, err);
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
    ia_job_free(r.schedule);
    ia_goals_free(r.goals);
    ia_recording_row_free(r.recording);
    ia_setup_close(&r.setup);
    return rc;
}
