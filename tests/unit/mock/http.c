/* http.c: writes requests byte by byte and takes replies apart: head, chunks, and how the
 * connection ended. */
#include "http.h"

#include "test.h"

#include "base/utf8.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* macOS: tests that write to a closed socket ignore SIGPIPE */
#endif

enum { BODY_MAX = 64 << 20, WAIT_MS = 20000 };

const struct http_headers http_good = {
    .api_key = "test-key", .version = "2023-06-01", .content_type = "application/json"};

int http_connect(int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    return fd;
}

static void add(struct ia_buf *b, const char *name, const char *value)
{
    if (value) {
        ia_buf_printf(b, "%s: %s\r\n", name, value);
    }
}

static void send_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t k = send(fd, p, n, MSG_NOSIGNAL);
        if (k <= 0) {
            return; /* the other side may answer before it has read everything */
        }
        p += k;
        n -= (size_t)k;
    }
}

void http_send(int fd, const char *method, const char *path, const struct http_headers *h,
               struct ia_str body)
{
    struct ia_buf b = IA_BUF(BODY_MAX);
    ia_buf_printf(&b, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n", method, path);
    add(&b, "x-api-key", h->api_key);
    add(&b, "Authorization", h->authorization);
    add(&b, "anthropic-version", h->version);
    add(&b, "anthropic-beta", h->beta);
    add(&b, "Content-Type", h->content_type);
    ia_buf_printf(&b, "Content-Length: %zu\r\n\r\n", body.n);
    ia_buf_putstr(&b, body);
    assert_true(ia_buf_ok(&b));
    send_all(fd, b.p, b.len);
    ia_buf_fini(&b);
}

struct wire {
    int fd;
    int wait_ms;
    enum http_end end;
    struct ia_buf in; /* received and not used yet */
    size_t used;
};

/* Receives some more; false at the end of the connection. */
static bool more(struct wire *w)
{
    char buf[16384];
    struct pollfd p = {.fd = w->fd, .events = POLLIN};
    if (poll(&p, 1, w->wait_ms) <= 0) {
        w->end = HTTP_SILENT;
        return false;
    }
    ssize_t n = recv(w->fd, buf, sizeof(buf), 0);
    if (n <= 0) {
        w->end = n == 0 ? HTTP_CLOSED : HTTP_RESET;
        return false;
    }
    ia_buf_put(&w->in, buf, (size_t)n);
    return true;
}

/* A line without its CRLF in dst; false at the end. */
static bool line(struct wire *w, char *dst, size_t size)
{
    for (;;) {
        const char *start = ia_buf_cstr(&w->in) + w->used;
        const char *end = strstr(start, "\r\n");
        if (end) {
            snprintf(dst, size, "%.*s", (int)(end - start), start);
            w->used += (size_t)(end - start) + 2;
            return true;
        }
        if (!more(w)) {
            return false;
        }
    }
}

static bool take(struct wire *w, size_t n, struct ia_buf *out)
{
    while (w->in.len - w->used < n) {
        if (!more(w)) {
            ia_buf_put(out, w->in.p + w->used, w->in.len - w->used);
            return false;
        }
    }
    ia_buf_put(out, w->in.p + w->used, n);
    w->used += n;
    return true;
}

static bool ends_inside_utf8(const struct ia_buf *b)
{
    return ia_utf8_cut(b->p, b->len) != b->len;
}

static void take_chunks(struct wire *w, struct http_reply *ret)
{
    char size[64];
    while (line(w, size, sizeof(size))) {
        size_t n = strtoul(size, NULL, 16);
        if (n == 0) {
            if (line(w, size, sizeof(size))) {
                w->end = HTTP_COMPLETE;
            }
            return;
        }
        if (!take(w, n, &ret->body) || !line(w, size, sizeof(size))) {
            return;
        }
        ret->chunks++;
        ret->chunk_inside_utf8 = ret->chunk_inside_utf8 || ends_inside_utf8(&ret->body);
    }
}

static bool take_head(struct wire *w, struct http_reply *ret)
{
    char text[1024];
    if (!line(w, text, sizeof(text)) || sscanf(text, "HTTP/1.1 %d", &ret->status) != 1) {
        return false;
    }
    size_t used = 0;
    while (line(w, text, sizeof(text))) {
        if (!*text) {
            return true;
        }
        used += (size_t)snprintf(ret->head + used, sizeof(ret->head) - used, "%s\n", text);
        assert_true(used < sizeof(ret->head));
    }
    return false;
}

const char *http_header(const struct http_reply *r, const char *name, char dst[256])
{
    size_t n = strlen(name);
    dst[0] = '\0';
    for (const char *p = r->head; *p; p += strcspn(p, "\n") + 1) {
        if (strncasecmp(p, name, n) == 0 && p[n] == ':') {
            snprintf(dst, 256, "%.*s", (int)strcspn(p + n + 2, "\n"), p + n + 2);
        }
    }
    return dst;
}

void http_receive(int fd, int wait_ms, struct http_reply *ret)
{
    char value[256];
    struct wire w = {.fd = fd, .wait_ms = wait_ms, .in = IA_BUF(BODY_MAX)};
    *ret = (struct http_reply){.body = IA_BUF(BODY_MAX)};
    if (take_head(&w, ret)) {
        if (strcmp(http_header(ret, "transfer-encoding", value), "chunked") == 0) {
            take_chunks(&w, ret);
        } else {
            size_t n = strtoul(http_header(ret, "content-length", value), NULL, 10);
            w.end = take(&w, n, &ret->body) ? HTTP_COMPLETE : w.end;
        }
    }
    ret->end = w.end;
    ia_buf_fini(&w.in);
}

void http_reply_fini(struct http_reply *r)
{
    ia_buf_fini(&r->body);
}

void http_call(int port, const char *method, const char *path, const struct http_headers *h,
               const char *body, struct http_reply *ret)
{
    int fd = http_connect(port);
    http_send(fd, method, path, h, ia_str(body));
    http_receive(fd, WAIT_MS, ret);
    close(fd);
}

char *quotes(const char *text)
{
    char *copy = ia_strdup(text);
    for (char *p = copy; *p; p++) {
        *p = *p == '\'' ? '"' : *p;
    }
    return copy;
}

void http_message(int port, const char *body, struct http_reply *ret)
{
    char *json = quotes(body);
    http_call(port, "POST", "/v1/messages", &http_good, json, ret);
    free(json);
}

json_t *http_json(const struct http_reply *r)
{
    json_error_t e;
    json_t *j = json_loadb(r->body.p ? r->body.p : "", r->body.len, 0, &e);
    if (!j) {
        fail_msg("not JSON: %s: %s", e.text, ia_buf_cstr(&r->body));
    }
    return j;
}

/* ---- streams ---- */

struct joined {
    json_t *content;
    json_t *events;
    json_t *result;
    struct ia_buf input; /* of the tool_use that is open */
    json_t *open;
    bool stopped;
};

static void on_delta(struct joined *s, const json_t *data)
{
    const json_t *d = json_object_get(data, "delta");
    const char *type = json_string_value(json_object_get(d, "type"));
    static const char *const texts[][2] = {{"text_delta", "text"},
                                           {"thinking_delta", "thinking"}};
    assert_non_null(s->open);
    for (size_t i = 0; i < 2; i++) {
        if (strcmp(type, texts[i][0]) == 0) {
            const char *had = json_string_value(json_object_get(s->open, texts[i][1]));
            const char *got = json_string_value(json_object_get(d, texts[i][1]));
            assert_non_null(got);
            json_object_set_new(s->open, texts[i][1], json_sprintf("%s%s", had, got));
        }
    }
    if (strcmp(type, "signature_delta") == 0) {
        json_object_set(s->open, "signature", json_object_get(d, "signature"));
    } else if (strcmp(type, "input_json_delta") == 0) {
        ia_buf_puts(&s->input, json_string_value(json_object_get(d, "partial_json")));
    }
}

static void on_block_stop(struct joined *s)
{
    assert_non_null(s->open);
    if (s->input.len > 0) {
        json_t *input = json_loads(ia_buf_cstr(&s->input), 0, NULL);
        assert_non_null(input);
        json_object_set_new(s->open, "input", input);
    }
    ia_buf_reset(&s->input);
    s->open = NULL;
}

static void on_event(struct joined *s, const char *name, json_t *data)
{
    assert_false(s->stopped);
    assert_string_equal(name, json_string_value(json_object_get(data, "type")));
    json_array_append_new(s->events, json_string(name));
    if (strcmp(name, "message_start") == 0) {
        json_object_set(s->result, "start_usage",
                        json_object_get(json_object_get(data, "message"), "usage"));
    } else if (strcmp(name, "content_block_start") == 0) {
        assert_null(s->open);
        assert_int_equal(json_integer_value(json_object_get(data, "index")),
                         json_array_size(s->content));
        s->open = json_object_get(data, "content_block");
        json_array_append(s->content, s->open);
    } else if (strcmp(name, "content_block_delta") == 0) {
        on_delta(s, data);
    } else if (strcmp(name, "content_block_stop") == 0) {
        on_block_stop(s);
    } else if (strcmp(name, "message_delta") == 0) {
        json_object_set(s->result, "usage", json_object_get(data, "usage"));
        json_object_update(s->result, json_object_get(data, "delta"));
    } else if (strcmp(name, "message_stop") == 0) {
        s->stopped = true;
    }
}

json_t *http_stream(const struct http_reply *r)
{
    struct joined s = {.content = json_array(),
                       .events = json_array(),
                       .result = json_object(),
                       .input = IA_BUF(1 << 20)};
    const char *p = ia_buf_cstr(&r->body);
    while (*p) {
        char name[64];
        const char *data = strstr(p, "\ndata: ");
        const char *end = strstr(p, "\n\n");
        assert_int_equal(sscanf(p, "event: %60[a-z_]\n", name), 1);
        assert_non_null(data);
        assert_non_null(end);
        data += strlen("\ndata: ");
        json_t *j = json_loadb(data, (size_t)(end - data), 0, NULL);
        assert_non_null(j);
        on_event(&s, name, j);
        json_decref(j);
        p = end + 2;
    }
    assert_true(s.stopped);
    json_object_set_new(s.result, "content", s.content);
    json_object_set_new(s.result, "events", s.events);
    ia_buf_fini(&s.input);
    return s.result;
}

static const json_t *at(const json_t *j, const char *path)
{
    while (j && *path) {
        char key[64];
        size_t n = strcspn(path, ".");
        snprintf(key, sizeof(key), "%.*s", (int)n, path);
        j = json_is_array(j) ? json_array_get(j, strtoul(key, NULL, 10))
                             : json_object_get(j, key);
        path += n + (path[n] == '.');
    }
    return j;
}

long long json_at(const json_t *j, const char *path)
{
    const json_t *v = at(j, path);
    return json_is_integer(v) ? json_integer_value(v) : -1;
}

const char *text_at(const json_t *j, const char *path)
{
    const char *s = json_string_value(at(j, path));
    return s ? s : "";
}
