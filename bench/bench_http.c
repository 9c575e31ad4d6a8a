/* bench_http.c: what the daemon's HTTP costs.
 *
 *   bench_http alone FOLDER    requests to a server in this process that answers at once, beside a
 *                              loop of accept, read and write on a socket: the lower bound
 *   bench_http ask SOCKET      GET /v1/daemon of a running daemon
 *
 * Times are by the clock, in microseconds: p50 / p99 / max. bench/http.sh runs both; bench/events.py
 * measures the stream of events. */
#include "base/clock.h"
#include "base/paths.h"
#include "server/http/http.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { FRESH = 4000, KEPT = 40000, CLIENTS = 8, ANSWER_BYTES = 256 };

static int64_t now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

static void die(const char *what)
{
    fprintf(stderr, "bench_http: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *what, int64_t *us, size_t n, int64_t took_us)
{
    qsort(us, n, sizeof(*us), by_size);
    printf("%-34s %7.0f/s   %5lld / %5lld / %6lld us\n", what,
           (double)n * 1e6 / (double)took_us, (long long)us[n / 2], (long long)us[n * 99 / 100],
           (long long)us[n - 1]);
}

/* ---- a client ----------------------------------------------------------------------------- */

static struct sockaddr_un address(const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(at.sun_path)) {
        die(path);
    }
    memcpy(at.sun_path, path, strlen(path));
    return at;
}

static int connect_to(const char *path)
{
    struct sockaddr_un at = address(path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0) {
        die(path);
    }
    return fd;
}

/* One request and its whole answer. */
static void ask(int fd)
{
    static const char request[] = "GET /v1/daemon HTTP/1.1\r\nHost: localhost\r\n\r\n";
    char in[8192];
    size_t have = 0;
    const char *body = NULL;
    size_t size = 0;
    if (write(fd, request, sizeof(request) - 1) != (ssize_t)sizeof(request) - 1) {
        die("write");
    }
    while (!body || have < (size_t)(body - in) + size) {
        ssize_t n = read(fd, in + have, sizeof(in) - 1 - have);
        if (n <= 0) {
            die("read");
        }
        have += (size_t)n;
        in[have] = '\0';
        body = strstr(in, "\r\n\r\n");
        const char *length = body ? strstr(in, "Content-Length: ") : NULL;
        size = length ? strtoul(length + 16, NULL, 10) : 0;
        body = body ? body + 4 : NULL;
    }
    if (strncmp(in, "HTTP/1.1 200", 12) != 0) {
        in[12] = '\0';
        die(in);
    }
}

static void ask_fresh(const char *path, const char *what)
{
    static int64_t us[FRESH];
    int64_t start = now_us();
    for (size_t i = 0; i < FRESH; i++) {
        int64_t begin = now_us();
        int fd = connect_to(path);
        ask(fd);
        us[i] = now_us() - begin;
        close(fd);
    }
    print_times(what, us, FRESH, now_us() - start);
}

struct client {
    pthread_t thread;
    const char *path;
    size_t n;
    int64_t *us;
};

static void *ask_kept(void *ctx)
{
    const struct client *c = ctx;
    int fd = connect_to(c->path);
    for (size_t i = 0; i < c->n; i++) {
        int64_t begin = now_us();
        ask(fd);
        c->us[i] = now_us() - begin;
    }
    close(fd);
    return NULL;
}

static void ask_many(const char *path, size_t clients, const char *what)
{
    static int64_t us[KEPT];
    struct client all[CLIENTS];
    int64_t start = now_us();
    for (size_t i = 0; i < clients; i++) {
        all[i] =
            (struct client){.path = path, .n = KEPT / clients, .us = us + i * (KEPT / clients)};
        if (pthread_create(&all[i].thread, NULL, ask_kept, &all[i]) != 0) {
            die("thread");
        }
    }
    for (size_t i = 0; i < clients; i++) {
        pthread_join(all[i].thread, NULL);
    }
    print_times(what, us, KEPT / clients * clients, now_us() - start);
}

static void ask_all(const char *path)
{
    ask_fresh(path, "a connection for each request");
    ask_many(path, 1, "one kept connection");
    ask_many(path, CLIENTS, "8 kept connections at once");
}

/* ---- alone -------------------------------------------------------------------------------- */

static int listen_on(const char *path)
{
    struct sockaddr_un at = address(path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, 64) != 0) {
        die(path);
    }
    return fd;
}

/* As little as a server can do: one connection after another, one read, one write. */
static void *bare_server(void *ctx)
{
    char answer[ANSWER_BYTES + 64];
    int n =
        snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%0*d",
                 ANSWER_BYTES, ANSWER_BYTES, 0);
    for (;;) {
        int fd = accept(*(int *)ctx, NULL, NULL);
        char in[4096];
        while (fd >= 0 && read(fd, in, sizeof(in)) > 0 && write(fd, answer, (size_t)n) == n) {
        }
        close(fd);
    }
    return NULL;
}

static void answer_at_once(void *ctx, const struct ia_http_request *r,
                           struct ia_http_reply *reply)
{
    (void)ctx;
    (void)r;
    ia_buf_printf(&reply->body, "%0*d", ANSWER_BYTES, 0);
}

static void alone(const char *folder)
{
    char *bare = ia_path_join(folder, "bare");
    char *ours = ia_path_join(folder, "ours");
    int fd = listen_on(bare);
    pthread_t thread;
    if (pthread_create(&thread, NULL, bare_server, &fd) != 0) {
        die("thread");
    }
    ask_fresh(bare, "a socket, fresh");
    ask_many(bare, 1, "a socket, kept");
    struct ia_err err = {0};
    struct ia_http_server *server = NULL;
    struct ia_http_opts opts = {.unix_fd = listen_on(ours),
                                .tcp_port = -1,
                                .handler = answer_at_once,
                                .build = "bench"};
    if (ia_http_start(&opts, &server, &err) != IA_OK) {
        fprintf(stderr, "%s\n", err.msg);
        exit(1);
    }
    ask_all(ours);
    ia_http_stop(server);
    free(bare);
    free(ours);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "alone") == 0) {
        alone(argv[2]);
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "ask") == 0) {
        ask_all(argv[2]);
        return 0;
    }
    fprintf(stderr, "usage: bench_http alone FOLDER | ask SOCKET\n");
    return 2;
}
