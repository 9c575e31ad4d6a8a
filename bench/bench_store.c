/* bench_store.c: durable commits through the store beside plain SQLite, in one run.
 *
 *     bench_store [SECONDS] [FOLDER]        3 seconds a row, in the working folder
 *
 * Each row: threads that commit as fast as they can, synchronous=FULL, WAL. A commit's time is
 * from asking for the transaction to the return of its commit, so it includes the wait for
 * others.
 *
 *   store, 1 event       what the store writes for one event; threads that wait share a commit
 *   sqlite, 1 row        the same row, each thread with a connection and busy_timeout: the peer
 *   store, 1 step        the two commits of an agent's step with one tool (time of each)
 *
 * Exits 1 when eight writers of the store made one wait 50 ms or more. */
#include "base/clock.h"
#include "base/fd.h"
#include "store/store.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EIGHT = 8, THREADS_MAX = 50, SAMPLES_MAX = 1 << 19, LIMIT_US = 50000, BUSY_MS = 60000 };

struct writer {
    struct ia_store *store;
    sqlite3 *conn;
    sqlite3_stmt *begin, *insert, *commit;
    char run[IA_ID_SIZE];
    int step;
    bool failed;
    int64_t until_us;
    int *samples_us;
    int n;
    bool (*commit_once)(struct writer *w);
};

static int64_t now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

/* ---- what a writer does ------------------------------------------------------------------ */

static const struct ia_event_tool_finished event = {
    .step = 12,
    .id = {"toolu_01A09q90qw90lq917835lq9", 29},
    .tool = {"tap", 3},
    .element = {"Add", 3},
    .ok = true,
    .ms = 31,
};
static const char event_body[] = "{\"step\":12,\"id\":\"toolu_01A09q90qw90lq917835lq9\","
                                 "\"tool\":\"tap\",\"element\":\"Add\",\"ok\":true,\"ms\":31}";

static bool store_event(struct writer *w)
{
    struct ia_tx *tx = NULL;
    if (ia_tx_begin(w->store, &tx, NULL) != IA_OK) {
        return false;
    }
    ia_tx_add_event(tx, w->run, IA_EVENT(&event), NULL);
    return ia_tx_commit(tx, NULL) == IA_OK;
}

static bool run_statement(sqlite3_stmt *stmt)
{
    bool ok = sqlite3_step(stmt) == SQLITE_DONE;
    return sqlite3_reset(stmt) == SQLITE_OK && ok;
}

static bool sqlite_row(struct writer *w)
{
    return run_statement(w->begin) && run_statement(w->insert) && run_statement(w->commit);
}

static bool store_step_start(struct writer *w, const char *tool_use_id)
{
    struct ia_tx *tx = NULL;
    struct ia_message_row answer = {.role = "assistant",
                                    .content = ia_str("[{\"type\":\"x\"}]")};
    struct ia_call_row call = {.step = w->step,
                               .tool_use_id = tool_use_id,
                               .name = "tap",
                               .input = ia_str("{\"ref\":\"@e12\"}"),
                               .has_effect = true};
    if (ia_tx_begin(w->store, &tx, NULL) != IA_OK) {
        return false;
    }
    ia_tx_add_message(tx, w->run, &answer, &call.message_seq);
    ia_tx_add_call(tx, w->run, &call);
    ia_tx_add_event(tx, w->run, IA_EVENT(&event), NULL);
    ia_tx_add_event(tx, w->run, IA_EVENT(&event), NULL);
    return ia_tx_commit(tx, NULL) == IA_OK;
}

static bool store_step_end(struct writer *w, const char *tool_use_id)
{
    struct ia_tx *tx = NULL;
    struct ia_message_row results = {.role = "user", .content = ia_str("[{\"type\":\"x\"}]")};
    struct ia_call_row call = {.tool_use_id = tool_use_id, .result = ia_str("[]")};
    struct ia_usage_row usage = {.input = 1000, .output = w->step};
    if (ia_tx_begin(w->store, &tx, NULL) != IA_OK) {
        return false;
    }
    ia_tx_set_result(tx, w->run, &call);
    ia_tx_add_message(tx, w->run, &results, NULL);
    ia_tx_add_event(tx, w->run, IA_EVENT(&event), NULL);
    ia_tx_set_usage(tx, w->run, w->step, &usage);
    ia_tx_heartbeat(tx, w->run, NULL);
    return ia_tx_commit(tx, NULL) == IA_OK;
}

static bool store_step(struct writer *w)
{
    char id[40];
    (void)snprintf(id, sizeof(id), "toolu_%d", w->step / 2);
    bool starts = w->step++ % 2 == 0;
    return starts ? store_step_start(w, id) : store_step_end(w, id);
}

static void *write_until(void *arg)
{
    struct writer *w = arg;
    for (int64_t t = now_us(); t < w->until_us && !w->failed && w->n < SAMPLES_MAX;) {
        w->failed = !w->commit_once(w);
        int64_t after = now_us();
        w->samples_us[w->n++] = (int)(after - t);
        t = after;
    }
    return NULL;
}

/* ---- setting up -------------------------------------------------------------------------- */

static bool add_run(struct writer *w)
{
    struct ia_tx *tx = NULL;
    const struct ia_run_new run = {.goal = "bench", .model = "none", .lane = "bench"};
    if (ia_tx_begin(w->store, &tx, NULL) != IA_OK) {
        return false;
    }
    ia_tx_add_run(tx, &run, w->run);
    return ia_tx_commit(tx, NULL) == IA_OK;
}

static bool open_sqlite(struct writer *w, const char *path)
{
    static const char *const setup =
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, json TEXT NOT NULL)";
    char insert[400];
    (void)snprintf(insert, sizeof(insert), "INSERT INTO events (json) VALUES ('%s')",
                   event_body);
    return sqlite3_open(path, &w->conn) == SQLITE_OK &&
           sqlite3_busy_timeout(w->conn, BUSY_MS) == SQLITE_OK &&
           sqlite3_exec(w->conn, setup, NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(w->conn, "BEGIN IMMEDIATE", -1, &w->begin, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(w->conn, insert, -1, &w->insert, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(w->conn, "COMMIT", -1, &w->commit, NULL) == SQLITE_OK;
}

static void close_sqlite(struct writer *w)
{
    (void)sqlite3_finalize(w->begin);
    (void)sqlite3_finalize(w->insert);
    (void)sqlite3_finalize(w->commit);
    (void)sqlite3_close(w->conn);
}

/* ---- measuring --------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Prints one row and returns the longest time in microseconds. */
static int report(const char *name, struct writer *w, int threads, double seconds)
{
    int total = 0, least = SAMPLES_MAX;
    for (int i = 0; i < threads; i++) {
        total += w[i].n;
        least = w[i].n < least ? w[i].n : least;
    }
    int *all = ia_alloc((size_t)total * sizeof(int) + sizeof(int));
    int n = 0;
    for (int i = 0; i < threads; i++) {
        memcpy(all + n, w[i].samples_us, (size_t)w[i].n * sizeof(int));
        n += w[i].n;
    }
    qsort(all, (size_t)n, sizeof(int), by_value);
    int longest = n > 0 ? all[n - 1] : 0;
    printf("%-16s %7d %10.0f %9.0f %9.3f %9.3f %9.1f %9d\n", name, threads, total / seconds,
           total / seconds / threads, n > 0 ? all[n / 2] / 1e3 : 0,
           n > 0 ? all[n - 1 - n / 100] / 1e3 : 0, longest / 1e3, least);
    free(all);
    return longest;
}

static int measure(const char *name, struct writer *w, int threads, double seconds,
                   bool (*commit_once)(struct writer *))
{
    pthread_t ids[THREADS_MAX];
    int64_t start = now_us();
    for (int i = 0; i < threads; i++) {
        w[i].n = 0;
        w[i].commit_once = commit_once;
        w[i].until_us = start + (int64_t)(seconds * 1e6);
        (void)pthread_create(&ids[i], NULL, write_until, &w[i]);
    }
    bool failed = false;
    for (int i = 0; i < threads; i++) {
        (void)pthread_join(ids[i], NULL);
        failed = failed || w[i].failed;
    }
    if (failed) {
        fprintf(stderr, "%s: a commit failed\n", name);
        exit(2);
    }
    return report(name, w, threads, (double)(now_us() - start) / 1e6);
}

static struct ia_store *open_store(const char *folder)
{
    struct ia_store_opts opts = {.home = folder, .command = "bench_store"};
    struct ia_store *s = NULL;
    struct ia_err err = {0};
    if (ia_store_open(&opts, &s, &err) != IA_OK) {
        fprintf(stderr, "%s\n%s\n", err.msg, err.hint);
        exit(2);
    }
    return s;
}

static void remove_files(const char *folder)
{
    static const char *const files[] = {"ios-agent.db", "ios-agent.db-wal", "ios-agent.db-shm",
                                        "raw.db",       "raw.db-wal",       "raw.db-shm"};
    for (size_t i = 0; i < IA_COUNTOF(files); i++) {
        char path[4096];
        (void)snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

static int run_all(struct writer *w, double seconds)
{
    printf("%-16s %7s %10s %9s %9s %9s %9s %9s\n", "", "threads", "commits/s", "each/s",
           "p50 ms", "p99 ms", "max ms", "least");
    (void)measure("store, 1 event", w, 1, seconds, store_event);
    (void)measure("sqlite, 1 row", w, 1, seconds, sqlite_row);
    int longest = measure("store, 1 event", w, EIGHT, seconds, store_event);
    int peer = measure("sqlite, 1 row", w, EIGHT, seconds, sqlite_row);
    (void)measure("store, 1 event", w, THREADS_MAX, seconds, store_event);
    (void)measure("store, 1 step", w, 1, seconds, store_step);
    int steps = measure("store, 1 step", w, EIGHT, seconds, store_step);
    (void)measure("store, 1 step", w, THREADS_MAX, seconds, store_step);
    longest = steps > longest ? steps : longest;
    printf("\nlongest time of one of 8 writers: store %.1f ms (limit %d), sqlite %.1f ms\n",
           longest / 1e3, LIMIT_US / 1000, peer / 1e3);
    return longest < LIMIT_US ? 0 : 1;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 3;
    char folder[1024], raw[1100];
    (void)snprintf(folder, sizeof(folder), "%s/bench_store_XXXXXX", argc > 2 ? argv[2] : ".");
    if (seconds <= 0 || !mkdtemp(folder)) {
        fprintf(stderr, "usage: bench_store [SECONDS] [FOLDER]\n");
        return 2;
    }
    (void)snprintf(raw, sizeof(raw), "%s/raw.db", folder);
    struct ia_store *s = open_store(folder);
    static struct writer w[THREADS_MAX];
    for (int i = 0; i < THREADS_MAX; i++) {
        w[i].store = s;
        w[i].samples_us = ia_calloc(SAMPLES_MAX, sizeof(int));
        if (!add_run(&w[i]) || !open_sqlite(&w[i], raw)) {
            fprintf(stderr, "cannot set up in %s\n", folder);
            return 2;
        }
    }
    int status = run_all(w, seconds);
    for (int i = 0; i < THREADS_MAX; i++) {
        close_sqlite(&w[i]);
        free(w[i].samples_us);
    }
    ia_store_close(s);
    remove_files(folder);
    return status;
}
