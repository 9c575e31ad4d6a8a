/* last_failed.c: which goals did not pass the last time, for `sweep --last-failed`.
 *
 * The history of a goal, by its name, newest first: the sweep (or the run alone) of its newest run
 * is the last time. There, each repeat's newest try is its verdict, and one that did not pass
 * (or did, where its file says that it fails) makes the goal one that failed. A goal that never ran
 * did not fail. */
#include "cli/sweep/sweep_plan.h"
#include "store/sweeps.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 4000 };

struct last_time {
    char sweep[IA_ID_SIZE]; /* "" for a run alone */
    int judged[RUNS_MAX];   /* numbers of repeats whose newest try was seen */
    size_t count;
    bool fails; /* as its file says */
    bool failed;
};

static bool is_judged(const struct last_time *t, int no)
{
    for (size_t i = 0; i < t->count; i++) {
        if (t->judged[i] == no) {
            return true;
        }
    }
    return false;
}

static bool look(void *ctx, const struct ia_run_row *row)
{
    struct last_time *t = ctx;
    const char *sweep = row->sweep_id ? row->sweep_id : "";
    if (t->count == 0) {
        (void)snprintf(t->sweep, sizeof(t->sweep), "%s", sweep);
    } else if (strcmp(t->sweep, sweep) != 0 || *sweep == '\0' || t->count == RUNS_MAX) {
        return false;
    }
    if (!is_judged(t, row->sweep_no)) {
        t->judged[t->count++] = row->sweep_no;
        t->failed = t->failed || row->state != (t->fails ? IA_RUN_FAILED : IA_RUN_PASSED);
    }
    return !t->failed;
}

enum ia_rc ia_sweep_last_failed(struct ia_store *store, const struct ia_goals *goals,
                                const char ***ret, size_t *ret_n, struct ia_err *err)
{
    size_t n = ia_goals_count(goals);
    const char **names = ia_calloc(n + 1, sizeof(*names));
    struct last_time *t = ia_calloc(1, sizeof(*t));
    enum ia_rc rc = IA_OK;
    *ret_n = 0;
    for (size_t i = 0; rc == IA_OK && i < n; i++) {
        const struct ia_run_request *req = &ia_goals_at(goals, i)->req;
        *t = (struct last_time){.fails = req->fails};
        rc = ia_store_history(store, req->name, RUNS_MAX, look, t, err);
        if (t->failed) {
            names[(*ret_n)++] = req->name;
        }
    }
    free(t);
    *ret = names;
    return rc;
}
