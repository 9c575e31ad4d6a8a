/* peer.c: one poll loop over the listener and its connections. A request is answered as soon as its
 * last byte is there. */
#include "peer.h"

#include "test.h"

#include "base/fd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 64, REQUESTS_MAX = 4096, BYTES_MAX = 8 << 20 };

struct connection {
    int fd, number;
    struct ia_buf in;
};

struct peer {
    int listener, port, wake[2];
    char url[64];
    peer_fn *answer;
    void *ctx;
    pthread_t thread;
    struct connection list[CONNECTIONS_MAX];
    int connections; /* so far */
    pthread_mutex_t lock;
    struct peer_request *requests[REQUESTS_MAX];
    size_t count;
};

static void drop(struct connection *c, bool reset)
{
    struct linger hard = {.l_onoff = 1, .l_linger = 0};
    if (reset) {
        (void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    }
    close(c->fd);
    ia_buf_fini(&c->in);
    c->fd = -1;
}

/* ---- requests --------------------------------------------------------------------------- */

static const char *header(const char *head, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = head; p; p = strstr(p, "\r\n") ? strstr(p, "\r\n") + 2 : NULL) {
        if (strncasecmp(p, name, n) == 0 && p[n] == ':') {
            return p + n + 1 + strspn(p + n + 1, " ");
        }
    }
    return NULL;
}

/* Takes a whole request off the connection's bytes; NULL while there is none. */
static struct peer_request *take(struct connection *c)
{
    const char *end = c->in.len > 0 ? strstr(c->in.p, "\r\n\r\n") : NULL;
    if (!end) {
        return NULL;
    }
    size_t head = (size_t)(end - c->in.p) + 4;
    struct peer_request *r = ia_calloc(1, sizeof(*r));
    (void)snprintf(r->head, sizeof(r->head), "%.*s", (int)head, c->in.p);
    const char *length = header(r->head, "Content-Length");
    size_t body = length ? (size_t)strtoul(length, NULL, 10) : 0;
    if (c->in.len < head + body) {
        free(r);
        return NULL;
    }
    assert_int_equal(sscanf(c->in.p, "%15s %511s", r->method, r->path), 2);
    r->body = ia_strndup(c->in.p + head, body);
    r->connection = c->number;
    ia_buf_consume(&c->in, head + body);
    return r;
}

/* ---- answers ---------------------------------------------------------------------------- */

static void put_head(struct ia_buf *out, const struct peer_reply *r)
{
    ia_buf_printf(out, "HTTP/1.1 %d Said\r\nContent-Type: %s\r\n%s",
                  r->status ? r->status : 200, r->type ? r->type : "application/json",
                  r->headers ? r->headers : "");
    if (r->how == PEER_CHUNKED) {
        ia_buf_puts(out, "Transfer-Encoding: chunked\r\n\r\n");
    } else {
        ia_buf_printf(out, "Content-Length: %zu\r\n\r\n", r->body.len);
    }
}

static void put_chunks(struct ia_buf *out, struct ia_str body)
{
    for (size_t n = 0; body.n > 0; body.p += n, body.n -= n) {
        n = body.n < 7 ? body.n : 7;
        ia_buf_printf(out, "%zx\r\n", n);
        ia_buf_put(out, body.p, n);
        ia_buf_puts(out, "\r\n");
    }
    ia_buf_puts(out, "0\r\n\r\n");
}

static void put_reply(struct ia_buf *out, const struct peer_reply *r)
{
    struct ia_str body = ia_buf_str(&r->body);
    if (r->how == PEER_RAW) {
        ia_buf_putstr(out, body);
        return;
    }
    put_head(out, r);
    if (r->how == PEER_CUT_HEAD) {
        ia_buf_cut(out, out->len / 2);
    } else if (r->how == PEER_CHUNKED) {
        put_chunks(out, body);
    } else {
        ia_buf_put(out, body.p, r->how == PEER_CUT_BODY ? body.n / 2 : body.n);
    }
}

static void carry_out(struct peer *p, struct connection *c, const struct peer_reply *r)
{
    struct ia_buf out = IA_BUF(BYTES_MAX);
    bool says = r->how != PEER_CUT && r->how != PEER_RESET && r->how != PEER_SILENT &&
                r->how != PEER_KILLED;
    if (says) {
        put_reply(&out, r);
        (void)ia_write_all(c->fd, out.p, out.len);
    }
    ia_buf_fini(&out);
    if (r->how == PEER_KILLED && p->listener >= 0) {
        close(p->listener);
        p->listener = -1;
    }
    if (r->how != PEER_ANSWER && r->how != PEER_CHUNKED && r->how != PEER_SILENT) {
        drop(c, r->how == PEER_RESET);
    }
}

static void serve(struct peer *p, struct connection *c)
{
    struct peer_request *r = NULL;
    while (c->fd >= 0 && (r = take(c))) {
        struct peer_reply reply = {.body = IA_BUF(BYTES_MAX)};
        pthread_mutex_lock(&p->lock);
        assert_true(p->count < REQUESTS_MAX);
        p->requests[p->count++] = r;
        pthread_mutex_unlock(&p->lock);
        p->answer(p->ctx, r, &reply);
        /* Who asks for the count sees what the function wrote, also where nothing is answered. */
        pthread_mutex_lock(&p->lock);
        pthread_mutex_unlock(&p->lock);
        carry_out(p, c, &reply);
        ia_buf_fini(&reply.body);
    }
}

/* ---- the loop --------------------------------------------------------------------------- */

static void receive(struct peer *p, struct connection *c)
{
    char *to = ia_buf_reserve(&c->in, 65536);
    ssize_t n = to ? read(c->fd, to, 65535) : 0;
    if (n <= 0) {
        drop(c, false);
        return;
    }
    ia_buf_grew(&c->in, (size_t)n);
    to[n] = '\0';
    serve(p, c);
}

static void admit(struct peer *p)
{
    int fd = accept(p->listener, NULL, NULL);
    for (int i = 0; fd >= 0 && i < CONNECTIONS_MAX; i++) {
        if (p->list[i].fd < 0) {
            p->list[i] = (struct connection){
                .fd = fd, .number = ++p->connections, .in = IA_BUF(BYTES_MAX)};
            return;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

static void *loop(void *arg)
{
    struct peer *p = arg;
    for (;;) {
        struct pollfd fds[CONNECTIONS_MAX + 2];
        fds[0] = (struct pollfd){.fd = p->wake[0], .events = POLLIN};
        fds[1] = (struct pollfd){.fd = p->listener, .events = POLLIN};
        for (int i = 0; i < CONNECTIONS_MAX; i++) {
            fds[i + 2] = (struct pollfd){.fd = p->list[i].fd, .events = POLLIN};
        }
        (void)poll(fds, CONNECTIONS_MAX + 2, -1);
        if (fds[0].revents) {
            return NULL;
        }
        for (int i = 0; i < CONNECTIONS_MAX; i++) {
            if (fds[i + 2].revents) {
                receive(p, &p->list[i]);
            }
        }
        if (fds[1].revents && p->listener >= 0) {
            admit(p);
        }
    }
}

static int listen_tcp(int *ret_port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(a);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    *ret_port = ntohs(a.sin_port);
    return fd;
}

static int listen_unix(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(strlen(path) < sizeof(a.sun_path));
    memcpy(a.sun_path, path, strlen(path) + 1);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
    return fd;
}

struct peer *peer_start(const char *socket_path, peer_fn *answer, void *ctx)
{
    struct peer *p = ia_calloc(1, sizeof(*p));
    p->answer = answer;
    p->ctx = ctx;
    p->listener = socket_path ? listen_unix(socket_path) : listen_tcp(&p->port);
    assert_int_equal(listen(p->listener, 16), 0);
    assert_int_equal(ia_pipe(p->wake, NULL), IA_OK);
    (void)snprintf(p->url, sizeof(p->url), "http://127.0.0.1:%d", p->port);
    for (int i = 0; i < CONNECTIONS_MAX; i++) {
        p->list[i].fd = -1;
    }
    pthread_mutex_init(&p->lock, NULL);
    assert_int_equal(pthread_create(&p->thread, NULL, loop, p), 0);
    return p;
}

void peer_stop(struct peer *p)
{
    if (!p) {
        return;
    }
    assert_int_equal(write(p->wake[1], "x", 1), 1);
    pthread_join(p->thread, NULL);
    for (int i = 0; i < CONNECTIONS_MAX; i++) {
        if (p->list[i].fd >= 0) {
            drop(&p->list[i], false);
        }
    }
    for (size_t i = 0; i < p->count; i++) {
        free(p->requests[i]->body);
        free(p->requests[i]);
    }
    if (p->listener >= 0) {
        close(p->listener);
    }
    close(p->wake[0]);
    close(p->wake[1]);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

int peer_port(const struct peer *p)
{
    return p->port;
}

const char *peer_url(const struct peer *p)
{
    return p->url;
}

size_t peer_count(struct peer *p)
{
    pthread_mutex_lock(&p->lock);
    size_t n = p->count;
    pthread_mutex_unlock(&p->lock);
    return n;
}

const struct peer_request *peer_request(struct peer *p, size_t i)
{
    pthread_mutex_lock(&p->lock);
    assert_true(i < p->count);
    const struct peer_request *r = p->requests[i];
    pthread_mutex_unlock(&p->lock);
    return r;
}

size_t peer_count_of(struct peer *p, const char *start)
{
    size_t n = 0;
    for (size_t i = 0, all = peer_count(p); i < all; i++) {
        const struct peer_request *r = peer_request(p, i);
        char line[sizeof(r->method) + sizeof(r->path)];
        (void)snprintf(line, sizeof(line), "%s %s", r->method, r->path);
        n += strncmp(line, start, strlen(start)) == 0;
    }
    return n;
}
