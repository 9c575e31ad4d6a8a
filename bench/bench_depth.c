/* bench_depth.c: what a lane's questions cost beside a long queue and a long history.
 *
 *     bench_depth [ROWS] [FOLDER]        100000 rows, in the working folder
 *
 * Each line is one operation, first with 1000 queued and 1000 finished runs, then with ROWS of
 * each, on 50 lanes. Claim, start and pass are three durable commits; the empty transaction
 * shows what the disk takes of one.
 *
 * Exits 1 when a claim has become slower than 1.5 times. */
#include "base/clock.h"
#include "store/queue.h"
#include "store/sweeps.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LANES = 50, ROUNDS = 200, BATCH = 1000, FEW = 1000 };

static int64_t now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

static void must(enum ia_rc rc, const struct ia_err *err)
{
    if (rc != IA_OK) {
        fprintf(stderr, "%s\n", err->msg);
        exit(2);
    }
}

static void lane_name(int i, char lane[32])
{
    (void)snprintf(lane, 32, "embedded:phone%02d", i % LANES);
}

/* Adds n queued runs in transactions of BATCH. */
static void fill(struct ia_store *s, int n)
{
    struct ia_err err = {0};
    for (int done = 0; done < n; done += BATCH) {
        struct ia_tx *tx = NULL;
        must(ia_tx_begin(s, &tx, &err), &err);
        for (int i = 0; i < BATCH; i++) {
            char lane[32], goal[64], id[IA_ID_SIZE];
            lane_name(i, lane);
            (void)snprintf(goal, sizeof(goal), "open Settings %d", (done + i) % 100);
            const struct ia_run_new run = {.goal = goal,
                                           .name = goal,
                                           .model = "m",
                                           .lane = lane,
                                           .kind = i % 3 == 0 ? IA_RUN_SCHEDULED : IA_RUN_GOAL};
            ia_tx_add_run(tx, &run, id);
        }
        must(ia_tx_commit(tx, &err), &err);
    }
}

static void finish_all(const char *path)
{
    sqlite3 *conn = NULL;
    if (sqlite3_open(path, &conn) != SQLITE_OK ||
        sqlite3_exec(conn,
                     "UPDATE runs SET state = 'passed', started_at = created_at, "
                     "finished_at = created_at",
                     NULL, NULL, NULL) != SQLITE_OK) {
        fprintf(stderr, "%s\n", sqlite3_errmsg(conn));
        exit(2);
    }
    (void)sqlite3_close(conn);
}

/* ---- operations -------------------------------------------------------------------------- */

struct world {
    struct ia_store *s;
    int round;
    struct ia_err err;
};

static void op_empty(struct world *w)
{
    struct ia_tx *tx = NULL;
    must(ia_tx_begin(w->s, &tx, &w->err), &w->err);
    ia_tx_set_cursor(tx, "bench", ++w->round);
    must(ia_tx_commit(tx, &w->err), &w->err);
}

static void move(struct world *w, const char *id, enum ia_run_state to)
{
    struct ia_tx *tx = NULL;
    must(ia_tx_begin(w->s, &tx, &w->err), &w->err);
    ia_run_move(tx, id, to, NULL, NULL);
    must(ia_tx_commit(tx, &w->err), &w->err);
}

static void op_cycle(struct world *w)
{
    char lane[32];
    struct ia_tx *tx = NULL;
    struct ia_claimed got = {.why = IA_CLAIM_NONE};
    const struct ia_claim claim = {.lane = lane, .pool = "sweep:none"};
    lane_name(w->round++, lane);
    must(ia_tx_begin(w->s, &tx, &w->err), &w->err);
    ia_tx_claim(tx, &claim, &got);
    must(ia_tx_commit(tx, &w->err), &w->err);
    if (got.why != IA_CLAIM_RUN) {
        fprintf(stderr, "%s has nothing to claim\n", lane);
        exit(2);
    }
    move(w, got.run_id, IA_RUN_RUNNING);
    move(w, got.run_id, IA_RUN_PASSED);
}

/* Takes the run and gives it back in the same transaction, rolled back: no disk. */
static void op_claim_only(struct world *w)
{
    char lane[32];
    struct ia_tx *tx = NULL;
    struct ia_claimed got = {0};
    const struct ia_claim claim = {.lane = lane, .pool = "sweep:none"};
    lane_name(w->round++, lane);
    must(ia_tx_begin(w->s, &tx, &w->err), &w->err);
    ia_tx_claim(tx, &claim, &got);
    ia_tx_rollback(tx);
}

static bool see_lane(void *ctx, const char *lane, int64_t waiting, int64_t not_before_ms)
{
    (void)lane;
    (void)not_before_ms;
    *(int64_t *)ctx += waiting;
    return true;
}

static void op_waiting(struct world *w)
{
    int64_t n = 0;
    must(ia_store_waiting(w->s, see_lane, &n, &w->err), &w->err);
}

static void op_recover(struct world *w)
{
    must(ia_store_recover(w->s, NULL, &w->err), &w->err);
}

static bool see_run(void *ctx, const struct ia_run_row *row)
{
    (void)row;
    (void)ctx;
    return true;
}

static void op_history(struct world *w)
{
    must(ia_store_history(w->s, "open Settings 7", 20, see_run, NULL, &w->err), &w->err);
}

static void op_list(struct world *w)
{
    must(ia_store_runs(w->s, &(struct ia_run_filter){.limit = 20}, see_run, NULL, &w->err),
         &w->err);
}

static void op_running(struct world *w)
{
    must(ia_store_runs(w->s, &(struct ia_run_filter){.limit = 20, .state = "running"}, see_run,
                       NULL, &w->err),
         &w->err);
}

static const struct op {
    const char *name;
    void (*run)(struct world *w);
    bool bounded;
} ops[] = {
    {"an empty transaction", op_empty, false},
    {"claim, start, pass", op_cycle, true},
    {"claim without the disk", op_claim_only, true},
    {"waiting lanes", op_waiting, false},
    {"recover, nobody died", op_recover, false},
    {"history of a goal, 20", op_history, false},
    {"newest runs, 20", op_list, false},
    {"running runs, 20", op_running, false},
};

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t median_us(struct world *w, const struct op *op)
{
    static int64_t times[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        int64_t t = now_us();
        op->run(w);
        times[i] = now_us() - t;
    }
    qsort(times, ROUNDS, sizeof(times[0]), by_value);
    return times[ROUNDS / 2];
}

static void remove_files(const char *folder)
{
    static const char *const files[] = {"ios-agent.db", "ios-agent.db-wal", "ios-agent.db-shm"};
    for (size_t i = 0; i < IA_COUNTOF(files); i++) {
        char path[4096];
        (void)snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

/* Medians of all operations with that many rows of each. */
static void measure(const char *where, int rows, int64_t ret_us[])
{
    char folder[1024];
    struct world w = {0};
    (void)snprintf(folder, sizeof(folder), "%s/bench_depth_XXXXXX", where);
    if (!mkdtemp(folder)) {
        fprintf(stderr, "cannot make %s\n", folder);
        exit(2);
    }
    must(ia_store_open(&(struct ia_store_opts){.home = folder}, &w.s, &w.err), &w.err);
    fill(w.s, rows);
    finish_all(ia_store_path(w.s));
    fill(w.s, rows);
    for (size_t i = 0; i < IA_COUNTOF(ops); i++) {
        ret_us[i] = median_us(&w, &ops[i]);
    }
    ia_store_close(w.s);
    remove_files(folder);
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100000;
    const char *where = argc > 2 ? argv[2] : ".";
    int64_t few[IA_COUNTOF(ops)], many[IA_COUNTOF(ops)];
    if (rows < FEW) {
        fprintf(stderr, "usage: bench_depth [ROWS] [FOLDER], at least %d rows\n", FEW);
        return 2;
    }
    measure(where, FEW, few);
    measure(where, rows, many);
    int status = 0;
    printf("%-24s %10d %10d   queued and finished runs each (median, us)\n", "", FEW, rows);
    for (size_t i = 0; i < IA_COUNTOF(ops); i++) {
        bool slow = ops[i].bounded && many[i] * 2 > few[i] * 3;
        status = slow ? 1 : status;
        printf("%-24s %10lld %10lld%s\n", ops[i].name, (long long)few[i], (long long)many[i],
               slow ? "   more than 1.5 times" : "");
    }
    return status;
}
