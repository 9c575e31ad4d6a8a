/* sweeps.c: batches of goals, and what their runs came to. */
#include "store/sweeps.h"

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
    const char *state = found ? ia_q_get_text(&q) : "";
    bool done = strcmp(state, "done") == 0, running = strcmp(state, "running") == 0;
    int64_t pid = found ? ia_q_get_int(&q) : 0;
    bool other = found && pid != tx->store->self.pid;
    bool busy = running && other && ia_process_alive(pid, ia_q_get_text(&q));
    if (!ia_tx_end_found(tx, &q, found, "sweep", id)) {
        return false;
    }
    if (done) {
        ia_tx_fail(tx, IA_E_STATE, "sweep %s is done", id);
    } else if (busy) {
        ia_tx_fail(tx, IA_E_BUSY, "sweep %s is in the hands of pid %lld", id, (long long)pid);
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

void ia_tx_end_sweep(struct ia_tx *tx, const char *id, const char *state, const char *why)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SWEEP_END);
    ia_q_text(&q, id);
    ia_q_text(&q, state);
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
    ia_q_text(&q, row->state ? row->state : "waiting");
    ia_q_text(&q, row->reason);
    if (ia_q_row(&q)) {
        no = (int)ia_q_get_int(&q);
    }
    if (ia_tx_end(tx, &q) && ret_no) {
        *ret_no = no;
    }
}

void ia_tx_set_sweep_goal(struct ia_tx *tx, const char *sweep_id, int no, const char *state,
                          const char *reason)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SWEEP_GOAL_SET);
    ia_q_text(&q, sweep_id);
    ia_q_int(&q, no);
    ia_q_text(&q, state);
    ia_q_text(&q, reason);
    bool found = ia_q_row(&q);
    (void)ia_tx_end_found(tx, &q, found, "such goal in sweep", sweep_id);
}

/* ---- a sweep ----------------------------------------------------------------------------- */

static struct ia_sweep_row read_sweep(struct ia_q *q)
{
    struct ia_sweep_row r = {0};
    r.id = ia_q_get_text(q);
    r.title = ia_q_get_text(q);
    r.options = ia_q_get_text(q);
    bool known = false;
    r.max_usd = ia_q_get_real(q, &known);
    r.created_ms = ia_q_get_iso(q);
    r.finished_ms = ia_q_get_iso(q);
    r.state = ia_q_get_text(q);
    r.why = ia_q_get_text(q);
    r.owner_pid = ia_q_get_int(q);
    r.owner_alive = ia_process_alive(r.owner_pid, ia_q_get_text(q));
    r.goals = (int)ia_q_get_int(q);
    return r;
}

/* One block: the row, then the bytes of its strings. */
static struct ia_sweep_row *copy_sweep(const struct ia_sweep_row *row)
{
    const char *const texts[] = {row->id, row->title, row->options, row->state, row->why};
    size_t size = sizeof(*row);
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        size += texts[i] ? strlen(texts[i]) + 1 : 0;
    }
    struct ia_sweep_row *copy = ia_alloc(size);
    *copy = *row;
    const char **const places[] = {&copy->id, &copy->title, &copy->options, &copy->state,
                                   &copy->why};
    char *end = (char *)(copy + 1);
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        size_t n = texts[i] ? strlen(texts[i]) + 1 : 0;
        if (n > 0) {
            memcpy(end, texts[i], n);
            *places[i] = end;
            end += n;
        }
    }
    return copy;
}

void ia_sweep_row_free(struct ia_sweep_row *row)
{
    free(row);
}

static enum ia_rc get_sweep(struct ia_db *db, const char *id, struct ia_sweep_row **ret,
                            struct ia_err *err)
{
    struct ia_sweep_row *copy = NULL;
    struct ia_q q = ia_q(db, IA_SQL_SWEEP_GET);
    ia_q_text(&q, id);
    if (ia_q_row(&q)) {
        struct ia_sweep_row row = read_sweep(&q);
        copy = copy_sweep(&row);
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

enum ia_rc ia_store_sweep(struct ia_store *s, const char *id, struct ia_sweep_row **ret,
                          struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    char whole[IA_ID_SIZE] = {0};
    rc = ia_match_id(db, IA_SQL_SWEEP_MATCH, "sweep", id, whole, err);
    if (rc == IA_OK) {
        rc = get_sweep(db, whole, ret, err);
    }
    ia_store_done(s, db);
    return rc;
}

/* ---- its goals and runs ------------------------------------------------------------------ */

static struct ia_sweep_goal_row read_goal(struct ia_q *q)
{
    struct ia_sweep_goal_row g = {0};
    g.no = (int)ia_q_get_int(q);
    g.name = ia_q_get_text(q);
    g.file = ia_q_get_text(q);
    g.needs = ia_q_get_text(q);
    g.line = (int)ia_q_get_int(q);
    g.repeat = (int)ia_q_get_int(q);
    g.tags = ia_q_get_text(q);
    g.job = ia_q_get_text(q);
    g.state = ia_q_get_text(q);
    g.reason = ia_q_get_text(q);
    g.tries = (int)ia_q_get_int(q);
    g.run_id = ia_q_get_text(q);
    bool summed = false;
    g.cost_usd = ia_q_get_real(q, &summed);
    g.cost_known = ia_q_get_int(q) != 0;
    g.ms = ia_q_get_int(q);
    return g;
}

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
        struct ia_sweep_goal_row row = read_goal(&q);
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
        usage = ia_usage_read(&q);
        usage.cost_known = ia_q_get_int(&q) != 0;
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
        rc = ia_run_each(&q, fn, ctx, &n, err);
    }
    ia_store_done(s, db);
    return rc;
}
