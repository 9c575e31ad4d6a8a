/* bench_runs.c: whole runs in one process: the loop, the strict double and embedded phones.
 *
 *     bench_runs host [RUNS]     one run of 20 steps at a time; default 20 runs
 *     bench_runs many [RUNS]     all at once, each on its own thread and phone; default 1000
 *
 * host: the time of a step that is neither model nor device, its two commits included: wall
 * time less the time in the device, in waits for its screen, and in waits for the answer. The
 * double runs in the same process, but only the run's own thread is counted. Beside it, in turn
 * with the runs, the disk: two writes of 8 KB with fsync. A step waits for one of its two.
 *
 * many: each answer is held back, so that the runs truly overlap; the double's count of open
 * connections shows it. Peak memory is of the whole process: runs, double and phones. With
 * glibc the program starts itself again with GLIBC_TUNABLES that turn off what malloc keeps
 * aside for each of the 2,000 threads (about 45 KB of freed pieces a thread); BENCH_PLAIN=1
 * leaves that out.
 *
 * Exits 1 when a run did not pass, a median is above 1 ms, or memory above 200 MB. */
#include "agent/claude/client.h"
#include "agent/prompts/prompts.h"
#include "agent/run/run.h"
#include "base/fd.h"
#include "driver/embedded/embedded.h"
#include "mock/server/mock.h"
#include "source_dir.h"
#include "store/store.h"

#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    RUNS_MAX = 4000,
    STACK_BYTES = 256 << 10,
    HOLD_MS = 3000,
    HOST_LIMIT_US = 1000,
    MEMORY_LIMIT_MB = 200,
    SCRIPT_MAX = 1 << 20,
    FDS_PER_RUN = 8,
    FLOOR_SAMPLES = 20,
    FLOOR_BYTES = 8192
};
#define MODEL "claude-sonnet-5-5"

struct bench {
    char home[64];
    struct ia_store *store;
    struct ia_mock *mock;
    struct ia_claude *claude;
    struct ia_prompts *prompts;
    const char *goal;
};

struct job {
    struct bench *b;
    int number;
    pthread_t thread;
    bool passed;
    int steps;
    int64_t host_us, ms;
    char why[200];
};

static void die(const char *what, const struct ia_err *err)
{
    fprintf(stderr, "%s: %s %s\n", what, ia_rc_name(err->code), err->msg);
    exit(1);
}

static struct ia_str borrow_key(void *ctx)
{
    (void)ctx;
    return ia_str("bench");
}

static void start_mock(struct bench *b, const char *script, int latency_ms)
{
    struct ia_err err = {0};
    struct ia_buf text = IA_BUF(SCRIPT_MAX);
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/tests/unit/agent/run/scripts/%s.json", IA_SOURCE_DIR,
                   script);
    if (ia_file_read(path, &text, &err) != IA_OK) {
        die("script", &err);
    }
    struct ia_mock_options opt = {
        .brain = IA_MOCK_SCRIPT, .script = ia_buf_cstr(&text), .latency_ms = latency_ms};
    if (ia_mock_start(&opt, &b->mock, &err) != IA_OK) {
        die("mock", &err);
    }
    ia_buf_fini(&text);
}

static void open_bench(struct bench *b, const char *script, const char *goal, int latency_ms)
{
    struct ia_err err = {0};
    *b = (struct bench){.goal = goal};
    (void)snprintf(b->home, sizeof(b->home), "./bench-runs-XXXXXX");
    if (!mkdtemp(b->home)) {
        perror("mkdtemp");
        exit(1);
    }
    struct ia_store_opts store = {.home = b->home};
    if (ia_store_open(&store, &b->store, &err) != IA_OK) {
        die("store", &err);
    }
    start_mock(b, script, latency_ms);
    char url[64];
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%d", ia_mock_port(b->mock));
    struct ia_claude_options opt = {.base_url = url, .secret = {.borrow = borrow_key}};
    if (ia_claude_new(&opt, &b->claude, &err) != IA_OK) {
        die("client", &err);
    }
    if (ia_prompts_open(NULL, &b->prompts, &err) != IA_OK) {
        die("prompts", &err);
    }
}

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static void close_bench(struct bench *b)
{
    ia_prompts_free(b->prompts);
    ia_claude_free(b->claude);
    ia_mock_stop(b->mock);
    ia_store_close(b->store);
    (void)nftw(b->home, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- one run ----------------------------------------------------------------------------- */

static void note_result(struct job *j, const struct ia_run_result *r)
{
    j->passed = strcmp(r->state, "passed") == 0;
    j->steps = r->steps;
    j->host_us = r->host_us_median;
    j->ms = r->duration_ms;
    if (!j->passed) {
        (void)snprintf(j->why, sizeof(j->why), "%s: %.150s", r->state, r->summary);
    }
}

static void *run_job(void *arg)
{
    struct job *j = arg;
    struct ia_err err = {0};
    struct ia_device *phone = NULL;
    char name[32];
    (void)snprintf(name, sizeof(name), "p%d", j->number);
    struct ia_embedded_options opt = {.name = name, .fresh = true};
    if (ia_embedded_open(&opt, &phone, &err) != IA_OK) {
        die("phone", &err);
    }
    struct ia_run_env env = {.store = j->b->store,
                             .claude = j->b->claude,
                             .device = phone,
                             .prompts = j->b->prompts,
                             .cancel = NULL};
    struct ia_run_request req = {.goal = j->b->goal, .model = MODEL};
    struct ia_run_result result;
    if (ia_run_execute(&env, &req, &result, &err) == IA_OK) {
        note_result(j, &result);
        ia_run_result_fini(&result);
    } else {
        (void)snprintf(j->why, sizeof(j->why), "%s %.150s", ia_rc_name(err.code), err.msg);
    }
    ia_device_close(phone);
    return NULL;
}

static int order_host(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    return (x->host_us > y->host_us) - (x->host_us < y->host_us);
}

static int count_passed(const struct job *jobs, int n)
{
    int passed = 0;
    for (int i = 0; i < n; i++) {
        passed += jobs[i].passed;
        if (!jobs[i].passed) {
            fprintf(stderr, "run %d: %s\n", jobs[i].number, jobs[i].why);
        }
    }
    return passed;
}

/* ---- host: one at a time ----------------------------------------------------------------- */

static int order_us(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t median_us(int64_t *samples, int n)
{
    qsort(samples, (size_t)n, sizeof(*samples), order_us);
    return samples[n / 2];
}

/* The time of two durable writes to a file in the same folder. */
static int64_t floor_us(const struct bench *b)
{
    static const char page[FLOOR_BYTES];
    char path[128];
    int64_t samples[FLOOR_SAMPLES];
    (void)snprintf(path, sizeof(path), "%s/floor", b->home);
    FILE *f = fopen(path, "ab");
    if (!f) {
        return 0;
    }
    for (int i = 0; i < FLOOR_SAMPLES; i++) {
        int64_t from = ia_mono_us(ia_clock_system());
        for (int k = 0; k < 2; k++) {
            (void)ia_write_all(fileno(f), page, sizeof(page));
            (void)fsync(fileno(f));
        }
        samples[i] = ia_mono_us(ia_clock_system()) - from;
    }
    (void)fclose(f);
    return median_us(samples, FLOOR_SAMPLES);
}

static int bench_host(int runs)
{
    static struct job jobs[RUNS_MAX];
    static int64_t floors[RUNS_MAX];
    struct bench b;
    open_bench(&b, "twenty_steps", "check that Zoe Walker is in Contacts", 0);
    for (int i = 0; i < runs; i++) {
        jobs[i] = (struct job){.b = &b, .number = i};
        (void)run_job(&jobs[i]);
        floors[i] = floor_us(&b);
    }
    int passed = count_passed(jobs, runs);
    qsort(jobs, (size_t)runs, sizeof(*jobs), order_host);
    int64_t median = jobs[runs / 2].host_us;
    printf(
        "host time per step: median %lld us (best run %lld, worst %lld), %d runs of %d steps, "
        "%d passed\n",
        (long long)median, (long long)jobs[0].host_us, (long long)jobs[runs - 1].host_us, runs,
        jobs[0].steps, passed);
    printf("floor, two durable writes: median %lld us\n", (long long)median_us(floors, runs));
    close_bench(&b);
    return passed == runs && median <= HOST_LIMIT_US ? 0 : 1;
}

/* ---- many: all at once ------------------------------------------------------------------- */

static double peak_mb(void)
{
    struct rusage u;
    (void)getrusage(RUSAGE_SELF, &u);
#ifdef __APPLE__
    return (double)u.ru_maxrss / (1 << 20);
#else
    return (double)u.ru_maxrss / 1024;
#endif
}

static double cpu_seconds(void)
{
    struct rusage u;
    (void)getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void allow_files(int runs)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
        rlim_t want = (rlim_t)runs * FDS_PER_RUN + 256;
        r.rlim_cur = want < r.rlim_max ? want : r.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &r);
    }
}

static void start_all(struct bench *b, struct job *jobs, int runs)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    for (int i = 0; i < runs; i++) {
        jobs[i] = (struct job){.b = b, .number = i};
        if (pthread_create(&jobs[i].thread, &attr, run_job, &jobs[i]) != 0) {
            perror("pthread_create");
            exit(1);
        }
    }
    pthread_attr_destroy(&attr);
}

/* These can only be set from outside. */
static void without_thread_caches(char **argv)
{
#ifdef __GLIBC__
    if (!getenv("BENCH_PLAIN") && !getenv("GLIBC_TUNABLES")) {
        (void)setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=2",
                     1);
        (void)execvp(argv[0], argv);
        perror(argv[0]);
    }
#else
    (void)argv;
#endif
}

static int bench_many(int runs)
{
    static struct job jobs[RUNS_MAX];
    struct bench b;
    allow_files(runs);
    open_bench(&b, "add_contact", "add a contact named Ada Lovelace", HOLD_MS);
    double before = peak_mb(), cpu = cpu_seconds();
    int64_t from = ia_mono_us(ia_clock_system());
    start_all(&b, jobs, runs);
    for (int i = 0; i < runs; i++) {
        pthread_join(jobs[i].thread, NULL);
    }
    double seconds = (double)(ia_mono_us(ia_clock_system()) - from) / 1e6;
    int passed = count_passed(jobs, runs);
    struct ia_buf stats = IA_BUF(SCRIPT_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &stats);
    ia_mock_stats_json(b.mock, &w);
    double peak = peak_mb();
    printf("%d runs at once: %d passed, peak memory %.1f MB (%.1f before they began), %.1f s, "
           "%.1f s CPU\n%s\n",
           runs, passed, peak, before, seconds, cpu_seconds() - cpu, ia_buf_cstr(&stats));
    ia_buf_fini(&stats);
    close_bench(&b);
    return passed == runs && peak <= MEMORY_LIMIT_MB ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "host";
    bool many = strcmp(mode, "many") == 0;
    int runs = argc > 2 ? (int)strtol(argv[2], NULL, 10) : many ? 1000 : 20;
    if (runs < 1 || runs > RUNS_MAX || (!many && strcmp(mode, "host") != 0)) {
        fprintf(stderr, "usage: bench_runs host|many [RUNS]\n");
        return 2;
    }
    if (many) {
        without_thread_caches(argv);
    }
    return many ? bench_many(runs) : bench_host(runs);
}
