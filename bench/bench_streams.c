/* bench_streams BASE_URL N: N conversations stream at once through the client, each on a thread
 * of its own as runs are, and one JSON line says what that took. bench/streams.mjs runs it
 * beside the SDK against bench/load_server.c. */
#include "agent/claude/client.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { STACK = 256 * 1024, DELAYS_MAX = 1024, STAMP_DIGITS = 16 };

struct talk {
    struct ia_claude *claude;
    pthread_t thread;
    int32_t delays_us[DELAYS_MAX];
    int delay_count;
    bool ok;
};

static struct ia_str lend(void *ctx)
{
    (void)ctx;
    return ia_str("sk-ant-load");
}

static void on_text(void *ctx, struct ia_str text)
{
    struct talk *t = ctx;
    int64_t sent_us = 0;
    if (text.n <= STAMP_DIGITS || t->delay_count == DELAYS_MAX) {
        return;
    }
    for (int i = 0; i < STAMP_DIGITS; i++) {
        sent_us = sent_us * 10 + (text.p[i] - '0');
    }
    t->delays_us[t->delay_count++] = (int32_t)(ia_mono_us(ia_clock_system()) - sent_us);
}

static enum ia_rc stream(struct talk *t, struct ia_claude_conn *conn, struct ia_history *h,
                         struct ia_err *err)
{
    struct ia_claude_hooks hooks = {.text = on_text, .direct = true, .ctx = t};
    struct ia_claude_request req = {
        .model = "claude-sonnet-5-5", .max_tokens = 1024, .history = h};
    struct ia_claude_reply reply;
    enum ia_rc rc = ia_history_append(
        h, IA_MESSAGE_USER, ia_str("[{\"type\":\"text\",\"text\":\"x\"}]"), NULL, err);
    rc = rc ? rc : ia_claude_send(conn, &req, &hooks, NULL, IA_NO_DEADLINE, &reply, err);
    if (!rc) {
        ia_claude_reply_fini(&reply);
    }
    return rc;
}

static void *talk(void *ctx)
{
    struct talk *t = ctx;
    struct ia_claude_conn *conn = NULL;
    struct ia_history *h = ia_history_new(NULL);
    struct ia_err err;
    enum ia_rc rc = ia_claude_conn_new(t->claude, &conn, &err);
    rc = rc ? rc : stream(t, conn, h, &err);
    if (rc) {
        fprintf(stderr, "%s\n", err.msg);
    }
    t->ok = rc == IA_OK;
    ia_claude_conn_free(conn);
    ia_history_free(h);
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    return *(const int32_t *)a < *(const int32_t *)b
               ? -1
               : *(const int32_t *)a > *(const int32_t *)b;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void report(const struct talk *talks, int n, double wall_s)
{
    struct rusage u;
    int32_t *all = ia_calloc((size_t)n * DELAYS_MAX + 1, sizeof(*all));
    size_t count = 0;
    int done = 0;
    getrusage(RUSAGE_SELF, &u);
    for (int i = 0; i < n; i++) {
        memcpy(all + count, talks[i].delays_us, (size_t)talks[i].delay_count * sizeof(*all));
        count += (size_t)talks[i].delay_count;
        done += talks[i].ok;
    }
    qsort(all, count, sizeof(*all), by_size);
#ifdef __APPLE__
    double rss_mb = (double)u.ru_maxrss / 1e6;
#else
    double rss_mb = (double)u.ru_maxrss / 1e3;
#endif
    printf("{\"streams\":%d,\"done\":%d,\"events\":%zu,\"wall_s\":%.2f,\"cpu_s\":%.2f,"
           "\"rss_mb\":%.1f,\"p50_ms\":%.2f,\"p99_ms\":%.2f,\"max_ms\":%.2f}\n",
           n, done, count, wall_s, seconds(u.ru_utime) + seconds(u.ru_stime), rss_mb,
           all[count / 2] / 1e3, all[count * 99 / 100] / 1e3,
           count ? all[count - 1] / 1e3 : 0.0);
    free(all);
}

static bool start_talks(struct talk *talks, int n, struct ia_claude *claude)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK);
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        talks[i].claude = claude;
        ok = pthread_create(&talks[i].thread, &attr, talk, &talks[i]) == 0;
    }
    pthread_attr_destroy(&attr);
    return ok;
}

int main(int argc, char **argv)
{
    int n = argc == 3 ? (int)strtol(argv[2], NULL, 10) : 0;
    struct ia_claude *claude = NULL;
    struct ia_err err = {0};
    struct rlimit files;
    struct ia_claude_options opt = {
        .base_url = argc == 3 ? argv[1] : "", .secret = {.borrow = lend}, .max_retries = -1};
    if (n < 1 || ia_claude_new(&opt, &claude, &err)) {
        fprintf(stderr, "usage: bench_streams BASE_URL N\n%s\n", err.msg);
        return 2;
    }
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max < 10240 ? files.rlim_max : 10240;
    setrlimit(RLIMIT_NOFILE, &files);
    struct talk *talks = ia_calloc((size_t)n, sizeof(*talks));
    int64_t start_us = ia_mono_us(ia_clock_system());
    if (!start_talks(talks, n, claude)) {
        fprintf(stderr, "cannot start %d threads\n", n);
        return 1;
    }
    for (int i = 0; i < n; i++) {
        pthread_join(talks[i].thread, NULL);
    }
    report(talks, n, (double)(ia_mono_us(ia_clock_system()) - start_us) / 1e6);
    ia_claude_free(claude);
    free(talks);
    return 0;
}
