/* server.c: one thread accepts and one per connection answers. A step may send only a part of
 * its body, end the connection, or fire a token. */
#include "test.h"

#include "server.h"

#include "base/clock.h"
#include "base/fd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUESTS_MAX = 64, CONNECTIONS_MAX = 64 };

struct server {
    const struct server_step *steps;
    int listener;
    int stop[2]; /* closed to stop */
    char url[64];
    pthread_t thread;
    pthread_t servants[CONNECTIONS_MAX]; /* one a connection */
    atomic_int connections;
    pthread_mutex_t lock; /* guards what was asked for */
    int requests;
    _Atomic int64_t cancelled_us;
    char *heads[REQUESTS_MAX];
    char *bodies[REQUESTS_MAX];
};

/* Waits until fd is readable; false when the server is to stop. */
static bool readable(struct server *s, int fd)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = s->stop[0], .events = POLLIN}};
    while (poll(fds, 2, -1) < 0 && errno == EINTR) {
    }
    return fds[0].revents != 0;
}

static size_t content_length(const char *head)
{
    const char *at = strcasestr(head, "\r\ncontent-length:");
    return at ? (size_t)strtoull(at + 17, NULL, 10) : 0;
}

/* Keeps a request and returns its number. */
static int keep_request(struct server *s, const struct ia_buf *in, size_t head)
{
    pthread_mutex_lock(&s->lock);
    int i = s->requests++;
    s->heads[i] = ia_strndup(in->p, head);
    s->bodies[i] = ia_strndup(in->p + head, in->len - head);
    pthread_mutex_unlock(&s->lock);
    return i;
}

/* Reads one request into the next slot; its number, or -1 when the client is gone. */
static int read_request(struct server *s, int fd)
{
    struct ia_buf in = IA_BUF((size_t)64 << 20);
    size_t need = 0;
    char *end = NULL;
    while (!end || in.len < need) {
        char piece[65536];
        ssize_t n = readable(s, fd) ? recv(fd, piece, sizeof(piece), 0) : 0;
        if (n <= 0) {
            ia_buf_fini(&in);
            return -1;
        }
        ia_buf_put(&in, piece, (size_t)n);
        end = strstr(in.p, "\r\n\r\n");
        need = end ? (size_t)(end - in.p) + 4 + content_length(in.p) : 0;
    }
    int i = keep_request(s, &in, (size_t)(end - in.p) + 4);
    ia_buf_fini(&in);
    return i;
}

static void send_answer(int fd, const struct server_step *step)
{
    size_t n = strlen(step->body);
    size_t part = step->cut && step->cut < n ? step->cut : n;
    struct ia_buf out = IA_BUF((size_t)64 << 20);
    if (step->status > 0) {
        ia_buf_printf(&out, "HTTP/1.1 %d X\r\n%scontent-length: %zu\r\n\r\n", step->status,
                      step->headers ? step->headers : "",
                      n + (step->end == SERVER_KEEP ? 0 : 1));
    }
    ia_buf_put(&out, step->body, part);
    (void)ia_write_all(fd, out.p, out.len);
    ia_buf_fini(&out);
}

/* Answers; true when the connection goes on. */
static bool answer(struct server *s, int fd, const struct server_step *step)
{
    send_answer(fd, step);
    if (step->cancels) {
        s->cancelled_us = ia_mono_us(ia_clock_system());
        ia_cancel_fire(step->cancels);
    }
    char byte;
    if (step->end == SERVER_STALL) {
        while (readable(s, fd) && recv(fd, &byte, 1, 0) > 0) {
        }
    } else if (step->end == SERVER_RESET) {
        struct linger hard = {.l_onoff = 1};
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    }
    return step->end == SERVER_KEEP && !step->close_after;
}

struct servant {
    struct server *server;
    int fd;
};

static void *serve(void *ctx)
{
    struct servant *me = ctx;
    bool more = true;
    int i;
    while (more && (i = read_request(me->server, me->fd)) >= 0) {
        const struct server_step *step = &me->server->steps[i];
        more = step->status && answer(me->server, me->fd, step);
    }
    close(me->fd);
    free(me);
    return NULL;
}

static void *run(void *ctx)
{
    struct server *s = ctx;
    while (readable(s, s->listener)) {
        struct servant *servant = ia_alloc(sizeof(*servant));
        int one = 1;
        *servant = (struct servant){.server = s, .fd = accept(s->listener, NULL, NULL)};
        setsockopt(servant->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        pthread_create(&s->servants[s->connections++], NULL, serve, servant);
    }
    return NULL;
}

struct server *server_start(const struct server_step *steps)
{
    struct server *s = ia_calloc(1, sizeof(*s));
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(a);
    s->steps = steps;
    pthread_mutex_init(&s->lock, NULL);
    s->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(s->listener, (struct sockaddr *)&a, sizeof(a)), 0);
    assert_int_equal(listen(s->listener, 64), 0);
    assert_int_equal(getsockname(s->listener, (struct sockaddr *)&a, &n), 0);
    snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%d", ntohs(a.sin_port));
    assert_int_equal(ia_pipe(s->stop, NULL), IA_OK);
    assert_int_equal(pthread_create(&s->thread, NULL, run, s), 0);
    return s;
}

void server_stop(struct server *s, bool all)
{
    close(s->stop[1]);
    pthread_join(s->thread, NULL);
    for (int i = 0; i < s->connections; i++) {
        pthread_join(s->servants[i], NULL);
    }
    close(s->stop[0]);
    close(s->listener);
    if (all) {
        assert_int_equal(s->steps[s->requests].status, 0);
    }
    for (int i = 0; i < s->requests; i++) {
        free(s->heads[i]);
        free(s->bodies[i]);
    }
    pthread_mutex_destroy(&s->lock);
    free(s);
}

const char *server_url(const struct server *s)
{
    return s->url;
}

int server_connections(struct server *s)
{
    return s->connections;
}

int server_requests(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    int n = s->requests;
    pthread_mutex_unlock(&s->lock);
    return n;
}

const char *server_head(struct server *s, int i)
{
    assert_true(i < server_requests(s));
    return s->heads[i];
}

const char *server_body(struct server *s, int i)
{
    assert_true(i < server_requests(s));
    return s->bodies[i];
}

int64_t server_cancelled_us(struct server *s)
{
    return s->cancelled_us;
}
