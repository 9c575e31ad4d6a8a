/* bench_queue.c: goals through the queue: claim, start, verdict and next, each durable.
 *
 *     bench_queue [GOALS [HISTORY [LANES]]]     10000 goals, no history, 50 lanes
 *
 * HISTORY finished runs are in the database before. All goals wait from the start, spread over
 * the lanes; the model is instant: a run is moved to running and to passed, with its events,
 * and that is all. What is left is the queue and the database, on the disk of the working
 * folder with synchronous=FULL. Every goal costs three transactions; writers that meet share a
 * commit.
 *
 *   goals_per_commit   the rate by that of SQLite's own commits, half a second before and half a
 *         second after: machines differ twofold
 *   gap   from the end of a lane's run, as its worker sees it, to the start of the lane's next:
 *         what the queue adds between two runs, waiting for its turn included
 *
 * Exits 1 when a goal was lost, done twice, or was not passed; beyond that it only measures:
 * queue.sh knows the limits. */
#include "agent/queue/queue.h"
#include "commits.h"
#include "store/queue.h"

#include <ftw.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LANES_MAX = 1000, BATCH = 1000, LANE_SIZE = 32 };
#define FLOOR_SECONDS 0.5

struct lane {
    char name[LANE_SIZE];
    int64_t ended_us; /* its last run; 0 before the first */
};

struct bench {
    char home[64];
    struct ia_store *store;
    int goals, history, lanes;
    struct lane lane[LANES_MAX];
    atomic_int done, gaps;
    int64_t *gap_us;
};

static int64_t now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

static void check(enum ia_rc rc, const char *what, const struct ia_err *err)
{
    if (rc != IA_OK) {
        (void)fprintf(stderr, "%s: %s %s\n", what, ia_rc_name(rc), err->msg);
        exit(1);
    }
}

/* ---- filling ----------------------------------------------------------------------------- */

static void add_one(struct bench *b, struct ia_tx *tx, int i, bool finished)
{
    char id[IA_ID_SIZE];
    struct ia_run_new run = {.goal = "open Contacts, add a contact named Ada Lovelace",
                             .name = "add a contact",
                             .model = "claude-sonnet-5-5",
                             .lane = b->lane[i % b->lanes].name,
                             .demo = true};
    ia_tx_add_run(tx, &run, id);
    if (finished) {
        ia_run_move(tx, id, IA_RUN_CLAIMED, NULL, NULL);
        ia_run_move(tx, id, IA_RUN_RUNNING, NULL, NULL);
        ia_run_move(tx, id, IA_RUN_PASSED, NULL, NULL);
    }
}

static void fill(struct bench *b, int count, bool finished)
{
    struct ia_err err = {0};
    for (int i = 0; i < count; i += BATCH) {
        struct ia_tx *tx = NULL;
        check(ia_tx_begin(b->store, &tx, &err), "begin", &err);
        for (int k = i; k < count && k < i + BATCH; k++) {
            add_one(b, tx, k, finished);
        }
        check(ia_tx_commit(tx, &err), "fill", &err);
    }
}

/* ---- running ----------------------------------------------------------------------------- */

static void move(struct bench *b, const char *id, enum ia_run_state to)
{
    struct ia_err err = {0};
    struct ia_tx *tx = NULL;
    check(ia_tx_begin(b->store, &tx, &err), "begin", &err);
    ia_run_move(tx, id, to, NULL, NULL);
    check(ia_tx_commit(tx, &err), "move", &err);
}

static void work(void *ctx, const struct ia_queue_task *task)
{
    struct bench *b = ctx;
    int i = 0;
    while (strcmp(b->lane[i].name, task->lane) != 0) {
        i++;
    }
    int64_t ended_us = b->lane[i].ended_us;
    if (ended_us > 0) {
        b->gap_us[atomic_fetch_add(&b->gaps, 1)] = now_us() - ended_us;
    }
    move(b, task->run_id, IA_RUN_RUNNING);
    move(b, task->run_id, IA_RUN_PASSED);
    atomic_fetch_add(&b->done, 1);
    b->lane[i].ended_us = now_us();
}

static int64_t serve(struct bench *b)
{
    struct ia_err err = {0};
    struct ia_queue_opts opts = {
        .store = b->store, .max_runs = b->lanes, .work = work, .ctx = b};
    struct ia_queue *q = ia_queue_new(&opts, &err);
    check(q ? IA_OK : err.code, "queue", &err);
    for (int i = 0; i < b->lanes; i++) {
        ia_queue_add_lane(q, b->lane[i].name);
    }
    enum ia_served served = IA_SERVED_UNTIL;
    int64_t from = now_us();
    check(ia_queue_start(q, &err), "start", &err);
    check(ia_queue_serve(q, NULL, INT64_MAX, true, &served, &err), "serve", &err);
    int64_t took = now_us() - from;
    check(ia_queue_stop(q, 10000, &err), "stop", &err);
    ia_queue_free(q);
    return took;
}

/* ---- judging ----------------------------------------------------------------------------- */

static int order(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool count_waiting(void *ctx, const char *lane, int64_t waiting, int64_t not_before_ms)
{
    (void)lane;
    (void)not_before_ms;
    *(int64_t *)ctx += waiting;
    return true;
}

static int report(struct bench *b, int64_t took_us, double commits)
{
    struct ia_err err = {0};
    int64_t waiting = 0;
    check(ia_store_waiting(b->store, count_waiting, &waiting, &err), "waiting", &err);
    int done = atomic_load(&b->done), gaps = atomic_load(&b->gaps);
    qsort(b->gap_us, (size_t)gaps, sizeof(*b->gap_us), order);
    struct rusage use;
    (void)getrusage(RUSAGE_SELF, &use);
#ifdef __APPLE__
    double mb = (double)use.ru_maxrss / 1048576.0;
#else
    double mb = (double)use.ru_maxrss / 1024.0;
#endif
    double rate = (double)done * 1e6 / (double)took_us;
    (void)printf("{\"goals\":%d,\"history\":%d,\"lanes\":%d,\"done\":%d,\"waiting\":%" PRId64
                 ",\"seconds\":%.3f,\"per_second\":%.0f,\"sqlite_commits_per_second\":%.0f,"
                 "\"goals_per_commit\":%.2f,\"gap_p50_ms\":%.2f,\"gap_p99_ms\":%.2f,"
                 "\"peak_mb\":%.1f}\n",
                 b->goals, b->history, b->lanes, done, waiting, (double)took_us / 1e6, rate,
                 commits, commits > 0 ? rate / commits : 0,
                 gaps ? (double)b->gap_us[gaps / 2] / 1e3 : 0,
                 gaps ? (double)b->gap_us[gaps - 1 - gaps / 100] / 1e3 : 0, mb);
    return done == b->goals && waiting == 0 ? 0 : 1;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int argument(int argc, char **argv, int i, int fallback, int most)
{
    long n = argc > i ? strtol(argv[i], NULL, 10) : fallback;
    return n < 0 || n > most ? fallback : (int)n;
}

int main(int argc, char **argv)
{
    struct bench *b = calloc(1, sizeof(*b));
    if (!b) {
        return 1;
    }
    b->goals = argument(argc, argv, 1, 10000, 1000000);
    b->history = argument(argc, argv, 2, 0, 1000000);
    b->lanes = argument(argc, argv, 3, 50, LANES_MAX);
    b->gap_us = calloc((size_t)b->goals + 1, sizeof(*b->gap_us));
    (void)snprintf(b->home, sizeof(b->home), "./bench-queue-XXXXXX");
    if (!mkdtemp(b->home) || !b->gap_us) {
        perror("bench-queue");
        return 1;
    }
    for (int i = 0; i < b->lanes; i++) {
        (void)snprintf(b->lane[i].name, LANE_SIZE, "embedded:bench-%d", i);
    }
    struct ia_err err = {0};
    struct ia_store_opts opts = {.home = b->home};
    check(ia_store_open(&opts, &b->store, &err), "store", &err);
    fill(b, b->history, true);
    fill(b, b->goals, false);
    double before = commits_per_second(b->home, FLOOR_SECONDS);
    int64_t took_us = serve(b);
    double after = commits_per_second(b->home, FLOOR_SECONDS);
    int status = report(b, took_us, (before + after) / 2);
    ia_store_close(b->store);
    (void)nftw(b->home, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(b->gap_us);
    free(b);
    return status;
}
