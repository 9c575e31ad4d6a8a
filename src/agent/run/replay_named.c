/* replay_named.c: finds a recording by what a person types. */
#include "agent/run/replay_impl.h"

#include "agent/recording/make.h"
#include "agent/run/run_store.h"
#include "events/basis.h"
#include "store/sweeps.h"

#include <stdlib.h>

enum { NEWEST = 100 };

static enum ia_rc read_job(const struct ia_run_row *run, struct ia_job **ret,
                           struct ia_err *err)
{
    char boundary[IA_BOUNDARY_SIZE];
    return ia_run_store_read(run, ret, boundary, err);
}

static bool on_run(void *ctx, const struct ia_run_row *row)
{
    char **id = ctx;
    bool by_code = ia_replay_equal(row->basis, ia_basis_name(IA_BASIS_BOTH)) ||
                   ia_replay_equal(row->basis, ia_basis_name(IA_BASIS_EXPECTATIONS));
    if (row->state == IA_RUN_PASSED && by_code) {
        *id = ia_strdup(row->id);
    }
    return !*id;
}

/* By its id, or the newest run of a goal that passed. */
static enum ia_rc find_run(struct ia_store *store, const char *text, struct ia_run_row **ret,
                           struct ia_err *err)
{
    char *id = NULL;
    struct ia_err none;
    enum ia_rc rc = ia_store_history(store, text, NEWEST, on_run, &id, err);
    bool last = strcmp(text, "last") == 0;
    if (rc == IA_OK && (id || ia_store_run(store, text, ret, &none) != IA_OK)) {
        rc = id ? ia_store_run(store, id, ret, err)
             : last
                 ? ia_err_set(err, IA_E_NOT_FOUND, "there is no run that could be replayed yet")
                 : ia_err_set(err, IA_E_NOT_FOUND,
                              "%.100s is no recording, no run, and no goal that passed by its "
                              "expectations",
                              text);
        ia_err_hint(
            err, "%s",
            last ? "nothing was run yet; ios-agent run GOAL --expect EXPECTATION, and once it "
                   "has passed, ios-agent replay last"
                 : "ios-agent recordings list and ios-agent runs show what there is");
    }
    free(id);
    return rc;
}

static enum ia_rc record(struct ia_store *store, const char *text,
                         struct ia_recording_row **ret, struct ia_job **ret_job,
                         struct ia_err *err)
{
    struct ia_run_row *run = NULL;
    char id[IA_ID_SIZE];
    enum ia_rc rc = find_run(store, text, &run, err);
    if (rc == IA_OK) {
        rc = read_job(run, ret_job, err);
    }
    /* A plain replay is not recorded again. */
    if (rc == IA_OK && run->recording && ia_replay_equal(run->outcome, "replayed")) {
        rc = ia_store_recording(store, run->recording, ret, err);
    } else if (rc == IA_OK) {
        rc = ia_store_recording_of(store, run->id, ret, err);
    }
    if (rc == IA_OK && !*ret) {
        rc = ia_recording_keep(store, run, ia_job_request(*ret_job), id, err);
        rc = rc == IA_OK ? ia_store_recording(store, id, ret, err) : rc;
    }
    ia_run_row_free(run);
    return rc;
}

/* True if a goal of that name passed after it was changed, so that the recording is of another goal. */
static bool is_outdated(struct ia_store *store, const struct ia_recording_row *row,
                        const char *text)
{
    char hash[IA_GOAL_HASH_SIZE];
    struct ia_run_row *run = NULL;
    struct ia_job *job = NULL;
    struct ia_err none;
    bool outdated = strcmp(row->name, text) == 0 &&
                    find_run(store, text, &run, &none) == IA_OK &&
                    strcmp(run->id, row->id) > 0 && read_job(run, &job, &none) == IA_OK;
    if (outdated) {
        ia_goal_hash(ia_job_request(job), hash);
        outdated = strcmp(hash, row->goal_hash) != 0;
    }
    ia_job_free(job);
    ia_run_row_free(run);
    return outdated;
}

enum ia_rc ia_replay_named(struct ia_store *store, const char *text,
                           struct ia_recording_row **ret, struct ia_job **ret_job,
                           struct ia_err *err)
{
    struct ia_err none;
    struct ia_run_row *run = NULL;
    *ret = NULL;
    *ret_job = NULL;
    if (ia_store_recording(store, text, ret, &none) != IA_OK ||
        is_outdated(store, *ret, text)) {
        ia_recording_row_free(*ret);
        *ret = NULL;
        return record(store, text, ret, ret_job, err);
    }
    enum ia_rc rc = (*ret)->run_id ? ia_store_run(store, (*ret)->run_id, &run, err) : IA_OK;
    if (rc == IA_OK && run) {
        rc = read_job(run, ret_job, err);
    }
    ia_run_row_free(run);
    return rc;
}
