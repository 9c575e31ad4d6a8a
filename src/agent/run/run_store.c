/* run_store.c: the rows of a run: its columns when it is added, its lane and first event, its
 * end.
 *
 * add    queued, for a worker          ia_run_store_add, in the caller's transaction
 * new    added and claimed at once     ia_run_store_new: nobody else can claim it in between
 * start  lane taken and running        ia_run_store_start: never running without the lane
 * end    final state, result, event    ia_run_store_end; _failure: no verdict */
#include "agent/run/run_store.h"

#include "agent/loop/commit.h"
#include "agent/loop/pictures.h"
#include "agent/recording/make.h"
#include "agent/recording/recording.h"
#include "agent/run/replay.h"
#include "agent/run/result.h"
#include "agent/run/run.h"
#include "base/jsonw.h"
#include "base/log.h"
#include "store/blob.h"
#include "store/recordings.h"

#include <stdlib.h>
#include <string.h>

enum { LAST_LOOK_MS = 5000, PATH_BYTES_MAX = 4096 };

/* ---- the start --------------------------------------------------------------------------- */

static struct ia_event_budget budget_event(const struct ia_budget *b)
{
    return (struct ia_event_budget){true, b->max_steps, b->max_seconds, b->max_tokens,
                                    b->max_usd};
}

static struct ia_event_device device_event(const struct ia_device_info *d)
{
    return (struct ia_event_device){
        true, ia_str(d->kind), ia_str(d->id), ia_str(d->name), ia_str(d->os), d->simulated};
}

/* The request as a job, and the boundary as it stands in the first message. */
static void options_json(const struct ia_run_request *req, const char *boundary,
                         struct ia_jsonw *w)
{
    struct ia_buf job = IA_BUF(IA_JOB_BYTES_MAX);
    ia_job_write(req, req->device, &job);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "boundary", boundary);
    ia_jsonw_key(w, "job");
    ia_jsonw_raw(w, ia_buf_str(&job));
    ia_jsonw_end_object(w);
    ia_buf_fini(&job);
}

static void expect_json(const struct ia_run_request *req, struct ia_jsonw *w)
{
    ia_jsonw_array(w);
    for (size_t i = 0; i < req->expect_count; i++) {
        ia_jsonw_string(w, req->expect[i]);
    }
    ia_jsonw_end_array(w);
}

/* The JSON columns of a run. */
struct columns {
    struct ia_buf expect, budget, device, options;
};

static void columns_init(struct columns *c, const struct ia_run_request *req,
                         const char *boundary)
{
    *c = (struct columns){IA_BUF(IA_JOB_BYTES_MAX), IA_BUF(4096), IA_BUF(4096),
                          IA_BUF((size_t)2 * IA_JOB_BYTES_MAX)};
    struct ia_jsonw w;
    ia_jsonw_init(&w, &c->expect);
    expect_json(req, &w);
    const struct ia_event_budget budget = budget_event(&req->budget);
    ia_event_write_part(&c->budget, IA_EVENT_PART(&budget));
    ia_jsonw_init(&w, &c->options);
    options_json(req, boundary, &w);
}

static void columns_fini(struct columns *c)
{
    ia_buf_fini(&c->expect);
    ia_buf_fini(&c->budget);
    ia_buf_fini(&c->device);
    ia_buf_fini(&c->options);
}

/* The hash goes into the caller's buffer, which outlives the row. */
static struct ia_run_new new_run(const struct ia_run_request *req, const struct columns *cols,
                                 char hash[IA_GOAL_HASH_SIZE])
{
    ia_goal_hash(req, hash);
    return (struct ia_run_new){
        .goal = req->goal,
        .name = req->name,
        .app = req->app,
        .hint = req->hint,
        .agent = req->agent,
        .model = req->model,
        .expect = ia_buf_str(&cols->expect),
        .budget = ia_buf_str(&cols->budget),
        .device = ia_buf_str(&cols->device),
        .options = ia_buf_str(&cols->options),
        .demo = req->demo_brain,
        .goal_hash = hash,
    };
}

void ia_run_store_add(struct ia_tx *tx, const struct ia_run_request *req,
                      const struct ia_run_place *place, char ret_id[IA_ID_SIZE])
{
    char boundary[IA_BOUNDARY_SIZE];
    struct columns cols;
    ia_fence_boundary(ia_rand_system(), boundary);
    columns_init(&cols, req, boundary);
    char hash[IA_GOAL_HASH_SIZE];
    struct ia_run_new run = new_run(req, &cols, hash);
    run.lane = place->lane;
    run.kind = place->kind;
    run.unique = place->unique;
    run.sweep_id = place->sweep_id;
    run.sweep_no = place->sweep_no;
    run.parent_id = place->parent_id;
    run.parent_call = place->parent_call;
    ia_tx_add_run(tx, &run, ret_id);
    columns_fini(&cols);
}

enum ia_rc ia_run_store_read(const struct ia_run_row *row, struct ia_job **ret_job,
                             char ret_boundary[IA_BOUNDARY_SIZE], struct ia_err *err)
{
    json_t *options = json_loads(row->options, JSON_REJECT_DUPLICATES, NULL);
    const char *boundary = json_string_value(json_object_get(options, "boundary"));
    json_t *job = json_object_get(options, "job");
    enum ia_rc rc = IA_OK;
    if (!job || !boundary || strlen(boundary) != IA_BOUNDARY_SIZE - 1) {
        rc = ia_err_set(
            err, IA_E_UNSUPPORTED,
            "run %s was started by a version of this program that could not resume runs",
            row->id);
        ia_err_hint(err, "Run its goal again.");
    } else {
        memcpy(ret_boundary, boundary, IA_BOUNDARY_SIZE);
        rc = ia_job_take(json_incref(job), ret_job, err);
    }
    json_decref(options);
    return rc;
}

enum ia_rc ia_run_recall(struct ia_store *store, const char *run_id,
                         struct ia_run_recalled *ret, struct ia_err *err)
{
    *ret = (struct ia_run_recalled){.row = NULL};
    enum ia_rc rc = ia_store_run(store, run_id, &ret->row, err);
    if (rc == IA_OK) {
        (void)ia_run_store_read(ret->row, &ret->job, ret->boundary, &ret->unreadable);
    }
    return rc;
}

void ia_run_recalled_fini(struct ia_run_recalled *r)
{
    ia_job_free(r->job);
    ia_run_row_free(r->row);
    *r = (struct ia_run_recalled){.row = NULL};
}

enum ia_rc ia_run_store_new(struct ia_run_ctx *run, struct ia_err *err)
{
    struct columns cols;
    const struct ia_event_device device = device_event(&run->device.info);
    columns_init(&cols, run->req, run->boundary);
    ia_event_write_part(&cols.device, IA_EVENT_PART(&device));
    char hash[IA_GOAL_HASH_SIZE];
    struct ia_run_new row = new_run(run->req, &cols, hash);
    row.lane = ia_device_info_lane(&run->device.info);
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(run->env->store, &tx, err);
    if (rc == IA_OK) {
        ia_tx_add_run(tx, &row, run->id);
        ia_run_move(tx, run->id, IA_RUN_CLAIMED, NULL, NULL);
        rc = ia_tx_commit(tx, err);
    }
    columns_fini(&cols);
    return rc;
}

static enum ia_rc move_running(struct ia_run_ctx *run, struct ia_err *err)
{
    const struct ia_event_start start = {
        .goal = ia_str(run->req->goal),
        .name = ia_str(run->req->name),
        .app = ia_str(run->req->app),
        .device = device_event(&run->device.info),
        .model = ia_str(!run->env->claude      ? IA_NO_MODEL
                        : run->req->demo_brain ? IA_DEMO_MODEL
                                               : run->req->model),
        .demo = run->req->demo_brain && run->env->claude,
        .budget = budget_event(&run->spent.spending.limit),
    };
    const struct ia_event_run_started started = {start};
    const struct ia_event_run_resumed resumed = {
        .attempt = run->attempt,
        .steps = run->spent.spending.steps,
        .seconds = (double)run->previous_attempt.ran_ms / 1000.0,
        .start = start,
    };
    const struct ia_run_moved moved = {
        .event = run->previous_attempt.begun ? IA_EVENT(&resumed) : IA_EVENT(&started)};
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        ia_tx_put_lease(c.tx, run->device.lease, run->id, IA_LEASE_MS);
        if (run->replay.id[0]) {
            ia_tx_run_replays(c.tx, run->id, run->replay.id);
        }
        ia_commit_move(&c, IA_RUN_RUNNING, &moved);
        rc = ia_commit_end(&c, err);
    }
    return rc;
}

enum ia_rc ia_run_store_start(struct ia_run_ctx *run, struct ia_err *err)
{
    enum ia_rc rc = ia_lease_lock(run->env->store, ia_device_info_lane(&run->device.info),
                                  run->id, &run->device.lease, err);
    if (rc == IA_OK) {
        run->device.leased_us = ia_host_time_now();
        rc = move_running(run, err);
    }
    return rc;
}

/* ---- the end ----------------------------------------------------------------------------- */

/* Under a name that viewers open: screens/RUN.png. */
static enum ia_rc name_picture(const struct ia_run_ctx *run, const char *sha,
                               struct ia_buf *ret_path, struct ia_err *err)
{
    char name[IA_ID_SIZE + 4];
    (void)snprintf(name, sizeof(name), "%s.png", run->id);
    return ia_blob_show_as(run->env->store, sha, "screens", name, ret_path, err);
}

/* The last screen as a picture. It is a record only: without it the verdict stands. */
static void last_picture(struct ia_run_ctx *run, char ret_sha[IA_SHA256_HEX_SIZE])
{
    ret_sha[0] = '\0';
    if (run->req->pictures == IA_PICTURES_OFF) {
        return;
    }
    /* Whoever cancels wants the end, and a lost device has no screen. */
    if (ia_cancel_fired(run->env->cancel) || run->end.err.code == IA_E_DEVICE_LOST) {
        return;
    }
    struct ia_buf path = IA_BUF(PATH_BYTES_MAX);
    struct ia_picture p;
    struct ia_err err = {0};
    enum ia_rc rc = ia_picture_take(run, LAST_LOOK_MS, &p, &err);
    if (rc == IA_OK) {
        memcpy(ret_sha, p.sha, sizeof(p.sha));
        rc = name_picture(run, ret_sha, &path, &err);
    }
    if (rc == IA_OK) {
        run->result->screenshot_path = ia_buf_steal(&path);
    } else {
        ia_picture_lost(run, &err);
    }
    ia_buf_fini(&path);
}

static struct ia_event_tokens tokens_event(const struct ia_run_result *r)
{
    int64_t sent = r->tokens_input + r->tokens_cache_read + r->tokens_cache_write;
    return (struct ia_event_tokens){
        .input = r->tokens_input,
        .cache_read = r->tokens_cache_read,
        .cache_write = r->tokens_cache_write,
        .output = r->tokens_output,
        .cached_share = sent > 0 ? (double)r->tokens_cache_read / (double)sent : 0,
    };
}

/* A step that is being healed is not counted yet. */
static struct ia_event_replay replay_event(const struct ia_run_ctx *run)
{
    const struct ia_run_replay *r = &run->replay;
    int healed = r->heals - r->healing;
    return (struct ia_event_replay){
        .has = r->recording,
        .recording = ia_str(r->id),
        .of = (int64_t)ia_recording_count(r->recording),
        .replayed = (int64_t)r->at - healed,
        .drifted = r->drifted,
        .quarantined = r->quarantined,
        .healed = healed,
        .notes = r->notes.len > 0 ? ia_buf_str(&r->notes) : ia_str(""),
        .requests = run->model.turn,
    };
}

static struct ia_event_run_finished finished_event(const struct ia_run_ctx *run,
                                                   const char *expects)
{
    const struct ia_run_result *r = run->result;
    bool demo = run->req->demo_brain && run->env->claude;
    return (struct ia_event_run_finished){
        .state = ia_str(r->state),
        .code = ia_str(ia_rc_name(r->code)),
        .message = ia_str(run->end.err.msg),
        .hint = ia_str(run->end.err.hint),
        .result = {.has = true,
                   .basis = ia_str(ia_basis_name(r->basis)),
                   .summary = ia_str(r->summary),
                   .evidence.json = ia_str(run->end.evidence ? run->end.evidence : "[]"),
                   .expects.json = ia_str(expects ? expects : "[]"),
                   .steps = r->steps,
                   .seconds = (double)r->duration_ms / 1000.0,
                   .tokens = tokens_event(r),
                   .cost_usd = {r->cost_known && !demo, r->cost_usd},
                   .demo = demo,
                   .outcome = ia_str(r->outcome),
                   .replay = replay_event(run)},
        .record = {.has = true,
                   .screenshot = ia_str(r->screenshot_path),
                   .host_us_median = r->host_us_median},
    };
}

/* Moves the run to its end, with everything that is known of it. agent is whose conversation
 * it becomes, or NULL. */
static enum ia_rc commit_end(struct ia_run_ctx *run, const char *screenshot, const char *agent,
                             struct ia_err *err)
{
    struct ia_buf body = IA_BUF(IA_EVENT_BYTES_MAX);
    char *expects = run->proof.checked ? json_dumps(run->proof.checked, JSON_COMPACT) : NULL;
    const struct ia_event_run_finished finished = finished_event(run, expects);
    ia_event_write_body(&body, IA_EVENT(&finished));
    bool passed = run->end.state == IA_RUN_PASSED;
    struct ia_run_moved moved = {
        .event = IA_EVENT(&finished),
        .code = ia_rc_name(run->result->code),
        .summary = run->result->summary,
        .basis = ia_basis_name(run->result->basis),
        .result = ia_buf_str(&body),
        .screenshot = screenshot,
        .outcome = run->result->outcome,
    };
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        if (agent) {
            ia_tx_set_session(c.tx, agent, run->id);
        }
        if (run->replay.recording && (passed || run->end.state == IA_RUN_FAILED)) {
            ia_tx_recording_replayed(c.tx, run->replay.id, passed && run->replay.heals == 0);
        }
        ia_commit_move(&c, run->end.state, &moved);
        rc = ia_commit_end(&c, err);
    }
    free(expects);
    ia_buf_fini(&body);
    return rc;
}

/* Whatever the run had come to: it could not be written down, so it is no verdict. */
static void end_by_failure(struct ia_run_ctx *run, const struct ia_err *why)
{
    free(run->end.summary);
    free(run->end.evidence);
    run->end = (struct ia_end){.over = true, .state = IA_RUN_ERROR, .err = *why};
}

enum ia_rc ia_run_store_failure(struct ia_run_ctx *run, const struct ia_err *why)
{
    enum ia_rc code = why->code;
    struct ia_err failed = *why; /* what is tried here must not overwrite it */
    /* Without an id there is no row to write to. */
    if (!run->id[0]) {
        return code;
    }
    ia_run_result_fini(run->result);
    end_by_failure(run, &failed);
    ia_run_result_fill(run);
    if (commit_end(run, NULL, NULL, NULL) != IA_OK) {
        IA_LOG(IA_LOG_WARN, "run.not_recorded", IA_S("run", run->id));
    }
    return code;
}

/* Records a healed run that passed, so that somebody can decide on it. If that fails, the next replay of the goal does
 * it. */
static void keep_healed(const struct ia_run_ctx *run)
{
    struct ia_run_row *row = NULL;
    struct ia_err ignored;
    char id[IA_ID_SIZE];
    bool healed = run->end.state == IA_RUN_PASSED && run->replay.heals > 0;
    if (healed && ia_store_run(run->env->store, run->id, &row, &ignored) == IA_OK) {
        (void)ia_recording_keep(run->env->store, row, run->req, id, &ignored);
    }
    ia_run_row_free(row);
}

enum ia_rc ia_run_store_end(struct ia_run_ctx *run, struct ia_err *err)
{
    char sha[IA_SHA256_HEX_SIZE];
    last_picture(run, sha);
    ia_run_result_fill(run);
    enum ia_rc rc = commit_end(run, sha[0] ? sha : NULL, run->req->agent, err);
    if (rc == IA_OK) {
        keep_healed(run);
    }
    return rc;
}
