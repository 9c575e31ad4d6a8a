/* replay_load.c: chooses the recording of a run, and reads how far an earlier attempt came.
 *
 * A run that should replay its goal takes the best recording. Healed runs and runs by a model are recorded only now, so
 * that recording costs a passing run nothing. */
#include "agent/run/replay_impl.h"

#include "agent/recording/make.h"
#include "agent/recording/recording_file.h"
#include "agent/recording/recording_vars.h"
#include "agent/run/run_store.h"
#include "store/recordings.h"

#include <stdio.h>
#include <stdlib.h>

enum { NOTES_MAX = 16 << 10 };

static bool is_replayed(const char *tool_use_id)
{
    return strncmp(tool_use_id, "replay_", 7) == 0;
}

/* The outcome of the recording's last call. A call that a request to stop put off was not made. */
static bool judge_call(void *ctx, const struct ia_call_row *row)
{
    struct ia_run_replay *r = ctx;
    bool last = is_replayed(row->tool_use_id) && !r->healing && !r->settled;
    bool not_sent = ia_replay_equal(row->outcome, ia_outcome_name(IA_OUTCOME_NOT_SENT));
    bool interrupted = ia_replay_equal(row->code, ia_rc_name(IA_E_INTERRUPTED));
    bool unknown = ia_replay_equal(row->outcome, ia_outcome_name(IA_OUTCOME_UNKNOWN));
    if (last) {
        r->unknown = row->has_effect && (row->state == IA_CALL_INTENT || unknown);
        r->not_made = row->has_effect && interrupted && not_sent;
        r->failed.code = IA_OK;
        if (row->is_error && !r->unknown && !interrupted) {
            ia_err_set(&r->failed, IA_E_FAILED, "it failed with %s", row->code);
        }
    }
    return true;
}

/* Records by that run's own request: this run's has the same hash, but may have other values of variables. why:
 * IA_E_STATE if the run cannot be recorded, which does not stop this one. */
static enum ia_rc record(struct ia_store *store, const char *hash, char ret_id[IA_ID_SIZE],
                         struct ia_err *why, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    struct ia_job *job = NULL;
    char boundary[IA_BOUNDARY_SIZE];
    enum ia_rc rc = ia_store_run_to_record(store, hash, &row, err);
    if (rc == IA_OK && row) {
        rc = ia_run_store_read(row, &job, boundary, err);
    }
    if (rc == IA_OK && job) {
        rc = ia_recording_keep(store, row, ia_job_request(job), ret_id, why);
        if (rc == IA_E_STATE) {
            rc = IA_OK;
        } else if (rc != IA_OK) {
            *err = *why;
        }
    }
    ia_job_free(job);
    ia_run_row_free(row);
    return rc;
}

enum ia_rc ia_replay_choose(struct ia_store *store, const struct ia_run_request *req,
                            char ret_id[IA_ID_SIZE], struct ia_err *why, struct ia_err *err)
{
    char hash[IA_GOAL_HASH_SIZE];
    struct ia_recording_row *row = NULL;
    ret_id[0] = '\0';
    ia_goal_hash(req, hash);
    enum ia_rc rc = record(store, hash, ret_id, why, err);
    if (rc == IA_OK && !ret_id[0]) {
        rc = ia_store_recording_for(store, hash, &row, err);
    }
    if (row) {
        memcpy(ret_id, row->id, IA_ID_SIZE);
    }
    ia_recording_row_free(row);
    return rc;
}

static void note(struct ia_run_replay *r, size_t step, struct ia_str what)
{
    ia_buf_printf(&r->notes, "%sstep %zu: %.*s", r->notes.len > 0 ? ", " : "", step,
                  (int)what.n, what.p);
}

void ia_replay_drifted(struct ia_run_replay *r, size_t step, struct ia_str what)
{
    if (step > r->last_drifted) {
        r->last_drifted = step;
        r->drifted++;
        note(r, step, what);
    }
}

void ia_replay_chose(struct ia_run_replay *r, const char *touched)
{
    json_t *step = json_array_get(json_object_get(r->recording, "step"), r->at);
    (void)json_object_set_new(step, IA_REPLAY_TOUCHED, json_string(touched));
}

void ia_replay_healed(struct ia_run_replay *r, bool done)
{
    note(r, r->at + 1, ia_str(IA_REPLAY_HEALED));
    if (!done) {
        ia_replay_chose(r, "");
    }
    r->at += done;
    r->healing = false;
    r->settled = true;
}

static void set_touched(struct ia_run_replay *r, const char *element)
{
    free(r->touched);
    r->touched = element ? ia_strdup(element) : NULL;
}

void ia_replay_heals(struct ia_run_replay *r, const struct ia_event_replay_strayed *event)
{
    r->healing = true;
    r->going = ia_str_is(event->match, "screen") || ia_str_is(event->match, "question");
    r->led = event->led;
    r->next_there = event->next_there;
    r->heals++;
    r->renamed += ia_str_is(event->match, IA_REPLAY_RENAMED);
    r->acts = 0;
}

void ia_replay_fill(struct ia_run_ctx *run, struct ia_str captured)
{
    for (size_t at = 0; at < captured.n;) {
        const char *line = captured.p + at, *end = memchr(line, '\n', captured.n - at);
        size_t n = end ? (size_t)(end - line) : captured.n - at;
        char *var = ia_strndup(line, n);
        const char *const vars[] = {var};
        ia_recording_fill(run->replay.recording, vars, 1);
        free(var);
        at += n + 1;
    }
}

/* Restores the next step, who does it, and what a model has touched for it. */
static bool take_event(void *ctx, const struct ia_event_row *row)
{
    struct ia_run_ctx *run = ctx;
    struct ia_run_replay *r = &run->replay;
    size_t count = ia_recording_count(r->recording);
    struct ia_event e;
    if (!ia_event_read(&e, row->json)) {
        return true;
    }
    switch (row->type) {
    case IA_EVENT_STEP_REPLAYED:
        r->at = (size_t)e.step_replayed.step;
        r->at = r->at < count ? r->at : count;
        r->calls++;
        r->settled = ia_str_is(e.step_replayed.match, IA_REPLAY_OFFSCREEN);
        r->scrolled = r->settled ? r->at-- : 0;
        ia_replay_fill(run, e.step_replayed.captured);
        r->screen =
            e.step_replayed.screen.n > 0 ? strtoull(e.step_replayed.screen.p, NULL, 16) : 0;
        r->tells = e.step_replayed.tells;
        if (e.step_replayed.differs.n > 0) {
            ia_replay_drifted(r, (size_t)e.step_replayed.step, e.step_replayed.differs);
        }
        break;
    case IA_EVENT_REPLAY_STRAYED:
        r->at = (size_t)e.replay_strayed.step - 1;
        ia_replay_heals(r, &e.replay_strayed);
        set_touched(r, NULL);
        break;
    case IA_EVENT_REPLAY_REJOINED:
        ia_replay_chose(r, ia_event_text(e.replay_rejoined.same));
        ia_replay_healed(r, (size_t)e.replay_rejoined.step > r->at);
        break;
    case IA_EVENT_TOOL_STARTED:
        if (r->healing && ia_tool_has_effect(ia_tool_from_name(e.tool_started.tool))) {
            set_touched(r, ia_event_text(e.tool_started.element));
        }
        break;
    default:
        break;
    }
    ia_event_fini(&e);
    return true;
}

bool ia_replay_unanswered(struct ia_run_ctx *run)
{
    struct ia_run_replay last = {.at = run->replay.at};
    return ia_store_calls(run->env->store, run->id, judge_call, &last, NULL) == IA_OK &&
           last.unknown;
}

static enum ia_rc load_progress(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_run_replay *r = &run->replay;
    struct ia_event_range range = {.run_id = run->id};
    int64_t last = 0;
    enum ia_rc rc;
    do { /* in pages; one without a new event is the end */
        range.after_id = last;
        rc = ia_store_events(run->env->store, &range, take_event, run, &last, err);
    } while (rc == IA_OK && last > range.after_id);
    if (rc == IA_OK) {
        rc = ia_store_calls(run->env->store, run->id, judge_call, r, err);
    }
    if (rc == IA_OK && r->not_made) { /* the effect of the step before it was seen already */
        r->at--;
        r->settled = r->at > 0;
    }
    return rc;
}

static enum ia_rc load(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_run_replay *r = &run->replay;
    struct ia_recording_row *row = NULL;
    r->notes = IA_BUF(NOTES_MAX);
    enum ia_rc rc = ia_store_recording(run->env->store, r->id, &row, err);
    if (rc == IA_OK && row->state == IA_RECORDING_REJECTED) {
        rc = ia_err_set(err, IA_E_STATE, "recording %s was rejected", row->id);
        ia_err_hint(err, "run the goal with --replay off, which records it anew");
    }
    if (rc == IA_OK) {
        r->quarantined = row->state == IA_RECORDING_QUARANTINED;
        rc = ia_recording_read(row->id, ia_str(row->body), &r->recording, err);
    }
    if (rc == IA_OK) {
        rc = ia_recording_check_goal(row->id, r->recording, run->req, err);
        ia_recording_fill(r->recording, run->req->vars, run->req->var_count);
    }
    if (rc == IA_OK && run->previous_attempt.begun) {
        rc = load_progress(run, err);
    }
    ia_recording_row_free(row);
    return rc;
}

/* A sweep shows only the message. */
enum ia_rc ia_replay_none(const struct ia_err *why, struct ia_err *err)
{
    if (why->code == IA_E_STATE) {
        ia_err_set(err, IA_E_NOT_FOUND,
                   "there is no recording of this goal; where it passed, %s", why->msg);
        ia_err_hint(err, "%s", why->hint);
    } else {
        ia_err_set(err, IA_E_NOT_FOUND,
                   "there is no recording of this goal; it has to pass once by its "
                   "expectations, with a model: --replay auto");
        ia_err_hint(err, "ios-agent recordings import FILE takes a recording from elsewhere");
    }
    return err->code;
}

enum ia_rc ia_replay_load(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_err why = {0};
    struct ia_run_replay *r = &run->replay;
    enum ia_rc rc = IA_OK;
    if (run->req->recording) {
        (void)snprintf(r->id, sizeof(r->id), "%s", run->req->recording);
    } else if (!r->id[0] && run->req->replay && !run->previous_attempt.begun) {
        rc = ia_replay_choose(run->env->store, run->req, r->id, &why, err);
    }
    if (rc == IA_OK && r->id[0]) {
        rc = load(run, err);
    } else if (rc == IA_OK && run->req->replay && strcmp(run->req->replay, "only") == 0) {
        rc = ia_replay_none(&why, err);
    }
    return rc;
}
