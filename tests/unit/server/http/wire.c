/* wire.c: the server under test and its raw client. */
#include "wire.h"

#include "base/clock.h"
#include "server/http/token.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { READ_MS = 60000 };

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* macOS: SIGPIPE is ignored instead */
#endif

/* ---- the server --------------------------------------------------------------------------- */

static int listen_unix(const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    assert_true(strlen(path) < sizeof(at.sun_path));
    memcpy(at.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(fd, 512), 0);
    return fd;
}

void wire_handler(void *ctx, const struct ia_http_request *r, struct ia_http_reply *reply)
{
    struct wire *w = ctx;
    w->handled++;
    if (strcmp(r->path, "/v1/echo") == 0) {
        ia_buf_printf(&reply->body, "%s %s %d %s %zu", r->method, r->path, r->scope, r->client,
                      r->body.n);
    } else if (strcmp(r->path, "/v1/login") == 0) {
        char token[IA_ACCESS_TOKEN_SIZE];
        enum ia_http_scope scope;
        struct ia_err err = {0};
        if (ia_access_trade(w->access, ia_http_query(r, "code"), token, &scope, &err) ==
            IA_OK) {
            ia_buf_puts(&reply->body, token);
        } else {
            ia_http_reply_error(reply, &err);
        }
    } else if (strcmp(r->path, "/v1/bytes") == 0) {
        size_t n = strtoul(ia_http_query(r, "n"), NULL, 10);
        void *bytes = ia_buf_reserve(&reply->body, n);
        if (bytes) {
            memset(bytes, 'x', n);
            ia_buf_grew(&reply->body, n);
        }
    } else if (strcmp(r->path, "/v1/wait") == 0) {
        /* Until the client goes, the server stops or the test says so. */
        w->waiting++;
        while (!w->go && !ia_cancel_fired(ia_http_cancel(r))) {
            (void)ia_clock_wait(ia_clock_system(), ia_http_cancel(r),
                                ia_mono_us(ia_clock_system()) + 1000);
        }
        w->cancelled += ia_cancel_fired(ia_http_cancel(r));
        ia_buf_puts(&reply->body, "done");
        w->waiting--;
    } else {
        ia_http_reply_header(reply, "X-Odd", "a%sb", "\r\nSet-Cookie: c=d\n");
        ia_http_reply_header(reply, "Cache-Control", "private");
        ia_buf_puts(&reply->body, "here");
    }
}

struct wire *wire_new(void)
{
    struct ia_err err = {0};
    struct wire *w = ia_calloc(1, sizeof(*w));
    (void)sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    w->dir = tmpdir_new();
    w->socket_path = ia_path_join(w->dir, "s");
    char *token_file = ia_token_path(w->dir);
    assert_int_equal(ia_token_write(token_file, w->token, &err), IA_OK);
    w->access = ia_access_new(&(struct ia_access_opts){.token_file = token_file,
                                                       .allowed_hosts = "phones.example:8443"});
    free(token_file);
    w->unix_fd = listen_unix(w->socket_path);
    return w;
}

void wire_serve(struct wire *w, ia_http_handler *handler, bool tcp, int hurry)
{
    struct ia_err err = {0};
    struct ia_http_opts opts = {.unix_fd = w->unix_fd,
                                .tcp_port = tcp ? 0 : -1,
                                .access = w->access,
                                .handler = handler,
                                .ctx = w,
                                .build = "build-7",
                                .hurry = hurry};
    if (ia_http_start(&opts, &w->server, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    w->port = ia_http_port(w->server);
}

struct wire *wire_start(ia_http_handler *handler, bool tcp, int hurry)
{
    struct wire *w = wire_new();
    wire_serve(w, handler, tcp, hurry);
    return w;
}

void wire_stop(struct wire *w)
{
    ia_http_stop(w->server);
    ia_access_free(w->access);
    free(w->socket_path);
    tmpdir_free(w->dir);
    free(w);
}

/* ---- the client --------------------------------------------------------------------------- */

int wire_unix(const struct wire *w)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    memcpy(at.sun_path, w->socket_path, strlen(w->socket_path));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    return fd;
}

int wire_tcp(const struct wire *w)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)w->port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    return fd;
}

/* The server may have closed already: what then comes of it shows in the answer. */
void wire_send(int fd, const char *fmt, ...)
{
    struct ia_buf b = IA_BUF(64 << 20);
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = ia_buf_reserve(&b, (size_t)n + 1);
    va_start(args, fmt);
    (void)vsnprintf(text, (size_t)n + 1, fmt, args);
    va_end(args);
    for (ssize_t sent = 0; sent < n;) {
        ssize_t now = send(fd, text + sent, (size_t)(n - sent), MSG_NOSIGNAL);
        if (now < 0) {
            break;
        }
        sent += now;
    }
    ia_buf_fini(&b);
}

/* Reads some more. False at the end. */
static bool more(int fd, struct ia_buf *in)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int ready;
    int64_t until = ia_mono_us(ia_clock_system()) + INT64_C(1000) * READ_MS;
    assert_int_equal(ia_cancel_poll(NULL, &p, 1, until, &ready), IA_OK);
    char bytes[65536];
    ssize_t n = recv(fd, bytes, sizeof(bytes), 0);
    if (n > 0) {
        ia_buf_put(in, bytes, (size_t)n);
    }
    return n > 0;
}

const char *wire_header(const struct wire_reply *r, const char *name, char dst[256])
{
    size_t n = strlen(name);
    dst[0] = '\0';
    for (const char *p = r->head; (p = strstr(p, "\r\n")) != NULL; p += 2) {
        if (strncasecmp(p + 2, name, n) == 0 && p[2 + n] == ':') {
            const char *value = p + 3 + n;
            value += strspn(value, " ");
            (void)snprintf(dst, 256, "%.*s", (int)strcspn(value, "\r"), value);
        }
    }
    return dst;
}

static void read_chunks(int fd, struct ia_buf *in, struct wire_reply *ret)
{
    for (;;) {
        const char *end;
        while (!(end = in->len ? strstr(in->p, "\r\n") : NULL)) {
            if (!more(fd, in)) {
                ret->closed = true;
                return;
            }
        }
        size_t size = strtoul(in->p, NULL, 16);
        size_t at = (size_t)(end - in->p) + 2;
        while (in->len < at + size + 2) {
            if (!more(fd, in)) {
                ret->closed = true;
                return;
            }
        }
        ia_buf_put(&ret->body, in->p + at, size);
        ia_buf_consume(in, at + size + 2);
        if (size == 0) {
            return;
        }
    }
}

void wire_read(int fd, struct wire_reply *ret)
{
    struct ia_buf in = IA_BUF(64 << 20);
    *ret = (struct wire_reply){.body = IA_BUF(64 << 20)};
    const char *end;
    while (!(end = in.len ? strstr(in.p, "\r\n\r\n") : NULL)) {
        if (!more(fd, &in)) {
            ret->closed = true;
            ia_buf_fini(&in);
            return;
        }
    }
    size_t head = (size_t)(end - in.p) + 4;
    assert_true(head < sizeof(ret->head));
    memcpy(ret->head, in.p, head);
    ret->status = (int)strtol(ret->head + 9, NULL, 10);
    ia_buf_consume(&in, head);
    char value[256];
    if (strcasecmp(wire_header(ret, "Transfer-Encoding", value), "chunked") == 0) {
        read_chunks(fd, &in, ret);
    } else {
        size_t size = strtoul(wire_header(ret, "Content-Length", value), NULL, 10);
        while (in.len < size && more(fd, &in)) {
        }
        ia_buf_putstr(&ret->body, ia_buf_str(&in));
        /* libmicrohttpd 0.9.75 repeats the head of its own answer to a Content-Length that is no
         * number. */
        if (strcmp(wire_header(ret, "Ios-Agent-Build", value), "") == 0) {
            ia_buf_cut(&ret->body, size);
        }
        assert_int_equal(ret->body.len, size);
    }
    ret->closed = strcasecmp(wire_header(ret, "Connection", value), "close") == 0;
    ia_buf_fini(&in);
}

void wire_reply_fini(struct wire_reply *r)
{
    ia_buf_fini(&r->body);
}

void wire_until(const _Atomic int *value, int n)
{
    for (int ms = 0; *value < n; ms++) {
        assert_true(ms < READ_MS);
        (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + 1000);
    }
}

bool wire_closes(int fd, int ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char bytes[4096];
    while (poll(&p, 1, ms) == 1) {
        if (recv(fd, bytes, sizeof(bytes), 0) <= 0) {
            return true;
        }
    }
    return false;
}

int wire_status(const struct wire *w, const char *line, const char *headers, const char *body)
{
    int fd = wire_tcp(w);
    char length[64] = "";
    if (*body) {
        (void)snprintf(length, sizeof(length), "Content-Length: %zu\r\n", strlen(body));
    }
    wire_send(fd, "%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n%s%s\r\n%s",
              line, w->port, w->token, headers, length, body);
    struct wire_reply r;
    wire_read(fd, &r);
    wire_reply_fini(&r);
    close(fd);
    return r.status;
}
