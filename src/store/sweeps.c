/* sweeps.c: batches of goals, and what their runs came to.
 *
 * A sweep has an owner as a run has, by pid and start token: while that process lives nobody
 * else may take it; after a kill whoever resumes it does, without a recovery pass. */
#include "store/sweeps.h"

#include "store/columns.h"
#include "store/impl.h"

#include <stdlib.h>
#include <string.h>

enum { HISTORY_DEFAULT = 50 };

/* ---- writing ----------------------------------------------------------------------------- */

void ia_tx_add_sweep(struct ia_tx *tx, const struct ia_sweep_row *row, char ret_id[IA_ID_SIZE])
{
    char id[IA_ID_SIZE];
    ia_id_new(tx->store->clock, tx->store->rand, id);
    struct ia_q q = ia_tx_q(tx, IA_SQL_SWEEP_ADD);
    ia_q_text(&q, id);
    ia_q_text(&q, row->title);
    ia_q_text(&q, row->options ? row->options : "{}");
    ia_q_real(&q, row->max_usd);
    ia_q_int(&q, tx->store->self.pid);
    ia_q_text(&q, tx->store->self.token);
    ia_q_iso(&q, tx->now_ms);
    if (ia_tx_end(tx, &q)) {
        memcpy(ret_id, id, sizeof(id));
    }
}

/* Whether this process may have the sweep. */
static bool may_take(struct ia_tx *tx, const char *id)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SWEEP_OWNER);
    ia_q_text(&q, id);
    bool found = ia_q_row(&q);
    enum ia_sweep_state state =
        found ? ia_sweep_state_from_name(ia_q_get_text(&q)) : IA_SWEEP_STATE_COUNT;
    bool done = state == IA_SWEEP_DONE, running = state == IA_SWEEP_RUNNING;
    int64_t pid = found ? ia_q_get_int(&q) : 0;
    /* This process may take its own again, as after a stop. */
    bool other = found && pid != tx->store->self.pid;
    bool busy = running && other && ia_process_alive(pid, ia_q_get_text(&q));
    if (!ia_tx_end_found(tx, &q, found, "sweep", id)) {
        return false;
    }
    if (done) {
        ia_tx_fail(tx, IA_E_STATE, "sweep %s is finished", id);
    } else if (busy) {
        ia_tx_fail(tx, IA_E_BUSY, "sweep %s is being run by pid %lld", id, (long long)pid);
    }
    return !done && !busy;
}

void ia_tx_take_sweep(struct ia_tx *tx, const char *id)
{
    if (!may_take(tx, id)) {
        return;
    }
    struct ia_q q = ia_tx_q(tx, IA_SQL_SWEEP_TAKE);
    ia_q_text(&q, id);
    ia_q_int(&q, tx->store->self.pid);
    ia_q_text(&q, tx->store->self.token);
    bool found = ia_q_row(&q);
    (void)ia_tx_end_found(tx, &q, found, "sweep", id);
}

void ia_tx_end_sweep(struct ia_tx *tx, const char *id, enum ia_sweep_state state,
                     const char *why)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SWEEP_END);
    ia_q_text(&q, id);
    ia_q_text(&q, ia_sweep_state_name(state));
    ia_q_text(&q, why);
    ia_q_iso(&q, tx->now_ms);
    bool found = ia_q_row(&q);
    (void)ia_tx_end_found(tx, &q, found, "sweep", id);
}

void ia_tx_add_sweep_goal(struct ia_tx *tx, const char *sweep_id,
                          const struct ia_sweep_goal_row *row, int *ret_no)
{
    int no = 0;
    struct ia_q q = ia_tx_q(tx, IA_SQL_SWEEP_GOAL_ADD);
    ia_q_text(&q, sweep_id);
    ia_q_text(&q, row->name);
    ia_q_text(&q, row->file ? row->file : "");
    ia_q_int(&q, row->line);
    ia_q_int(&q, row->repeat > 0 ? row->repeat : 1);
    ia_q_text(&q, row->needs ? row->needs : "[]");
    ia_q_text(&q, row->tags ? row->tags : "[]");
    ia_q_text(&q, row->job ? row->job : "{}");
    ia_q_text(&q, ia_sweep_goal_state_name(row->state));
    ia_q_text(&q, row->reason);
    ia_q_text(&q, row->eval);
    if (ia_q_row(&q)) {
        no = (int)ia_q_get_int(&q);
    }
    if (ia_tx_end(tx, &q) && ret_no) {
        *ret_no = no;
    }
}

void ia_tx_set_sweep_goal(struct ia_tx *tx, const char *sweep_id, int no,
                          enum ia_sweep_goal_state state, const char *reason)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SWEEP_GOAL_SET);
    ia_q_text(&q, sweep_id);
    ia_q_int(&q, no);
    ia_q_text(&q, ia_sweep_goal_state_name(state));
    ia_q_text(&q, reason);
    bool found = ia_q_changed(&q);
    (void)ia_tx_end_found(tx, &q, found, "such goal in sweep", sweep_id);
}

void ia_tx_judge_sweep_goal(struct ia_tx *tx, const char *sweep_id, int no, const char *judged)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SWEEP_GOAL_JUDGE);
    ia_q_text(&q, sweep_id);
    ia_q_int(&q, no);
    ia_q_text(&q, judged);
    bool found = ia_q_row(&q);
    (void)ia_tx_end_found(tx, &q, found, "such goal in sweep", sweep_id);
}

/* ---- a sweep ----------------------------------------------------------------------------- */

static const struct ia_column columns[] = IA_READERS(IA_SWEEP_COLUMNS, struct ia_sweep_row);

void ia_sweep_row_free(struct ia_sweep_row *row)
{
    free(row);
}

static struct ia_sweep_row read_sweep(struct ia_q *q)
{
    struct ia_sweep_row row;
    ia_columns_read(columns, IA_COUNTOF(columns), q, &row);
    /* Asked of the system now; a row cannot know. */
    row.owner_alive = ia_process_alive(row.owner_pid, ia_q_get_text(q));
    return row;
}

static enum ia_rc get_sweep(struct ia_db *db, const char *id, struct ia_sweep_row **ret,
                            struct ia_err *err)
{
    struct ia_sweep_row *copy = NULL;
    struct ia_q q = ia_q(db, IA_SQL_SWEEP_GET);
    ia_q_text(&q, id);
    if (ia_q_row(&q)) {
        struct ia_sweep_row row = read_sweep(&q);
        copy = ia_columns_copy(columns, IA_COUNTOF(columns), &row, sizeof(row));
    }
    enum ia_rc rc = ia_q_end(&q, err);
    if (rc == IA_OK && !copy) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "there is no sweep \"%.60s\"", id);
    }
    if (rc != IA_OK) {
        free(copy);
        return rc;
    }
    *ret = copy;
    return IA_OK;
}

/* "" where there is none. */
static enum ia_rc newest_sweep(struct ia_db *db, char ret_id[IA_ID_SIZE], struct ia_err *err)
{
    struct ia_q q = ia_q(db, IA_SQL_SWEEP_LIST);
    ia_q_int(&q, 1);
    bool any = ia_q_row(&q);
    if (any) {
        memcpy(ret_id, read_sweep(&q).id, IA_ID_SIZE);
    }
    enum ia_rc rc = ia_q_end(&q, err);
    return rc == IA_OK && !any ? ia_err_set(err, IA_E_NOT_FOUND, "there are no sweeps yet")
                               : rc;
}

enum ia_rc ia_store_sweep(struct ia_store *s, const char *id, struct ia_sweep_row **ret,
                          struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    char whole[IA_ID_SIZE] = {0};
    if (strcmp(id, "last") == 0) {
        rc = newest_sweep(db, whole, err);
    } else {
        rc = ia_match_id(db, IA_SQL_SWEEP_MATCH, "sweep", id, whole, err);
    }
    if (rc == IA_OK) {
        rc = get_sweep(db, whole, ret, err);
    }
    ia_store_done(s, db);
    return rc;
}

enum ia_rc ia_store_sweeps(struct ia_store *s, int limit, ia_sweep_fn *fn, void *ctx,
                           struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_SWEEP_LIST);
    ia_q_int(&q, limit);
    bool more = true;
    while (more && ia_q_row(&q)) {
        struct ia_sweep_row row = read_sweep(&q);
        more = fn(ctx, &row);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}

/* ---- a run or a sweep -------------------------------------------------------------------- */

static enum ia_rc last_of_either(struct ia_store *s, struct ia_run_row **ret_run,
                                 struct ia_sweep_row **ret_sweep, struct ia_err *err)
{
    enum ia_rc rc = ia_store_run(s, "last", ret_run, err);
    if (rc == IA_OK && (*ret_run)->sweep_id) {
        rc = ia_store_sweep(s, (*ret_run)->sweep_id, ret_sweep, err);
        ia_run_row_free(*ret_run);
        *ret_run = NULL;
    }
    return rc;
}

/* Neither of them alone was found: why not. */
static enum ia_rc neither(const char *id, const struct ia_err *run, const struct ia_err *sweep,
                          struct ia_err *err)
{
    bool known = run->code != IA_E_NOT_FOUND || sweep->code != IA_E_NOT_FOUND;
    if (known && err) {
        *err = run->code != IA_E_NOT_FOUND ? *run : *sweep;
    }
    if (known) {
        return run->code != IA_E_NOT_FOUND ? run->code : sweep->code;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_NOT_FOUND, "no run or sweep has the id %.60s", id);
    ia_err_hint(err, "ios-agent runs lists the runs, ios-agent sweeps the sweeps; last is the "
                     "newest");
    return rc;
}

enum ia_rc ia_store_run_or_sweep(struct ia_store *s, const char *id,
                                 struct ia_run_row **ret_run, struct ia_sweep_row **ret_sweep,
                                 struct ia_err *err)
{
    struct ia_err no_run = {.code = IA_OK}, no_sweep = {.code = IA_OK};
    *ret_run = NULL;
    *ret_sweep = NULL;
    if (strcmp(id, "last") == 0) {
        return last_of_either(s, ret_run, ret_sweep, err);
    }
    bool run = ia_store_run(s, id, ret_run, &no_run) == IA_OK;
    bool sweep = ia_store_sweep(s, id, ret_sweep, &no_sweep) == IA_OK;
    if (run != sweep) {
        return IA_OK;
    }
    if (!run) {
        return neither(id, &no_run, &no_sweep, err);
    }
    enum ia_rc rc =
        ia_err_set(err, IA_E_USAGE, "%.40s is ambiguous: run %s and sweep %s end with it", id,
                   (*ret_run)->id, (*ret_sweep)->id);
    ia_run_row_free(*ret_run);
    ia_sweep_row_free(*ret_sweep);
    *ret_run = NULL;
    *ret_sweep = NULL;
    return rc;
}

/* ---- its goals and runs ------------------------------------------------------------------ */

static const struct ia_column goal_columns[] =
    IA_READERS(IA_SWEEP_GOAL_COLUMNS, struct ia_sweep_goal_row);

enum ia_rc ia_store_sweep_goals(struct ia_store *s, const char *sweep_id, ia_sweep_goal_fn *fn,
                                void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_SWEEP_GOAL_LIST);
    ia_q_text(&q, sweep_id);
    bool more = true;
    while (more && ia_q_row(&q)) {
        struct ia_sweep_goal_row row;
        ia_columns_read(goal_columns, IA_COUNTOF(goal_columns), &q, &row);
        more = fn(ctx, &row);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}

enum ia_rc ia_store_sweep_runs(struct ia_store *s, const char *sweep_id, int no, ia_run_fn *fn,
                               void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_SWEEP_RUNS);
    ia_q_text(&q, sweep_id);
    ia_q_int(&q, no);
    rc = ia_run_each(&q, fn, ctx, NULL, err);
    ia_store_done(s, db);
    return rc;
}

static const struct ia_column sum_columns[] =
    IA_READERS(IA_USAGE_SUM_COLUMNS, struct ia_usage_row);

enum ia_rc ia_store_sweep_usage(struct ia_store *s, const char *sweep_id,
                                struct ia_usage_row *ret, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_usage_row usage = {0};
    struct ia_q q = ia_q(db, IA_SQL_SWEEP_USAGE);
    ia_q_text(&q, sweep_id);
    if (ia_q_row(&q)) {
        ia_columns_read(sum_columns, IA_COUNTOF(sum_columns), &q, &usage);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    if (rc == IA_OK) {
        *ret = usage;
    }
    return rc;
}

/* ---- history ----------------------------------------------------------------------------- */

enum ia_rc ia_store_history(struct ia_store *s, const char *goal, int limit, ia_run_fn *fn,
                            void *ctx, struct ia_err *err)
{
    static const enum ia_sql ways[] = {IA_SQL_HISTORY_NAME, IA_SQL_HISTORY_TEXT};
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    int n = 0;
    for (size_t i = 0; rc == IA_OK && n == 0 && i < IA_COUNTOF(ways); i++) {
        struct ia_q q = ia_q(db, ways[i]);
        ia_q_text(&q, goal);
        ia_q_int(&q, limit > 0 ? limit : HISTORY_DEFAULT);
        rc = ia_run_each_figures(&q, fn, ctx, &n, err);
    }
    ia_store_done(s, db);
    return rc;
}

enum ia_rc ia_store_history_days(struct ia_store *s, const struct ia_history_range *range,
                                 ia_run_fn *fn, void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, range->goal ? IA_SQL_HISTORY_DAYS_GOAL : IA_SQL_HISTORY_DAYS);
    ia_q_iso(&q, range->from_ms);
    ia_q_iso(&q, range->until_ms);
    ia_q_int(&q, range->limit);
    ia_q_text(&q, range->agent);
    if (range->goal) {
        ia_q_text(&q, range->goal);
    }
    rc = ia_run_each_figures(&q, fn, ctx, NULL, err);
    ia_store_done(s, db);
    return rc;
}

enum ia_rc ia_store_history_goals(struct ia_store *s, int limit, ia_history_goal_fn *fn,
                                  void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_HISTORY_GOALS);
    ia_q_int(&q, limit);
    bool more = true;
    while (more && ia_q_row(&q)) {
        struct ia_history_goal goal = {.goal = ia_q_get_text(&q)};
        goal.runs = (int)ia_q_get_int(&q);
        goal.passed = (int)ia_q_get_int(&q);
        goal.healed = (int)ia_q_get_int(&q);
        goal.failed = (int)ia_q_get_int(&q);
        goal.newest_run = ia_q_get_text(&q);
        more = fn(ctx, &goal);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}
