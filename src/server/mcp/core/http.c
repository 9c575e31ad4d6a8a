/* http.c: a request that is answered at once runs on its connection's thread; one that may tell how far
 * it is has a thread of its own, which leaves messages for the connection's thread to send.
 *
 *   handler ─┬─ JSON: ia_mcp_answer ─► body
 *            └─ stream: ┌ worker: ia_mcp_answer ─► out ─► wake
 *                       └ connection: next ◄─ out, or a comment every 15 s
 *
 * The stream is freed by whichever of the two ends last. */
#include "server/mcp/core/http.h"

#include "base/base64.h"
#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP_ALIVE_US = 15000000, PIECE_BYTES = 64 << 10 };

struct ia_mcp_http {
    struct ia_mcp *mcp;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct stream *streams; /* whose worker is still at work */
};

/* A peer whose texts outlive the request that named them. */
struct peer {
    struct ia_mcp_peer p;
    char *cwd, *device, *device_token, *appium_caps, *api_key, *auth_token, *base_url;
    bool stdio; /* `ios-agent mcp` passes on what its client says */
};

struct stream {
    struct stream *next;
    struct ia_mcp_http *home;
    struct ia_mcp_request *request;
    struct peer peer;
    struct ia_cancel *cancel;
    bool close_cancels;
    pthread_mutex_t mutex;
    struct ia_buf out;              /* not yet sent */
    bool done;                      /* the answer is in out, or was sent */
    bool reader_gone;               /* the connection has ended */
    struct ia_http_stream *waiting; /* to be woken; NULL before the first wait and at the end */
};

/* ---- the client --------------------------------------------------------------------------- */

static bool asked(const struct ia_http_request *r, const char *name, const char *value)
{
    const char *given = ia_http_query(r, name);
    return given && strcmp(given, value) == 0;
}

static void read_peer(const struct ia_http_request *r, struct peer *ret)
{
    bool own = r->listener == IA_HTTP_UNIX && asked(r, "from", "stdio");
    *ret = (struct peer){.stdio = own};
    ret->cwd = ia_strdup(own ? ia_http_header(r, "Ios-Agent-Cwd") : NULL);
    ret->device = ia_strdup(own ? ia_http_header(r, "Ios-Agent-Device") : NULL);
    ret->device_token = ia_strdup(own ? ia_http_header(r, "Ios-Agent-Device-Token") : NULL);
    ret->appium_caps = ia_strdup(own ? ia_http_header(r, "Ios-Agent-Appium-Caps") : NULL);
    ret->api_key = ia_strdup(own ? ia_http_header(r, IA_HTTP_API_KEY_HEADER) : NULL);
    ret->auth_token = ia_strdup(own ? ia_http_header(r, IA_HTTP_AUTH_TOKEN_HEADER) : NULL);
    ret->base_url = ia_strdup(own ? ia_http_header(r, IA_HTTP_BASE_URL_HEADER) : NULL);
    ret->p = (struct ia_mcp_peer){
        .cwd = ret->cwd,
        .device = ret->device,
        .device_token = ret->device_token,
        .appium_caps = ret->appium_caps,
        .api_key = ret->api_key,
        .auth_token = ret->auth_token,
        .base_url = ret->base_url,
        .without = (asked(r, "tools", "full") ? 0 : (unsigned)IA_MCP_TOOL_MORE) |
                   (asked(r, "read_only", "1") ? (unsigned)IA_MCP_TOOL_ACTS : 0),
        .demo = asked(r, "demo", "1"),
        .structured = asked(r, "structured", "1"),
    };
}

static void free_peer(struct peer *p)
{
    free(p->cwd);
    free(p->device);
    free(p->base_url);
    free(p->appium_caps);
    ia_free_wiped(p->device_token);
    ia_free_wiped(p->api_key);
    ia_free_wiped(p->auth_token);
}

/* ---- headers ------------------------------------------------------------------------------ */

/* A header's value without the blanks around it; p is NULL where it is absent. */
static struct ia_str header(const struct ia_http_request *r, const char *name)
{
    const char *given = ia_http_header(r, name);
    struct ia_str s = ia_str(given);
    if (!given) {
        return (struct ia_str){NULL, 0};
    }
    while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t')) {
        s = (struct ia_str){s.p + 1, s.n - 1};
    }
    while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t')) {
        s.n--;
    }
    return s;
}

/* Whether a header says the value: as it is, or as =?base64?…?=. */
static bool header_says(struct ia_str given, const char *value)
{
    size_t n = strlen(value);
    bool same = given.p && ia_str_is(given, value);
    if (!same && given.p && n <= IA_MCP_ID_MAX) {
        char form[IA_BASE64_SIZE(IA_MCP_ID_MAX) + 16] = "=?base64?";
        size_t at = strlen(form);
        at += ia_base64_encode(value, n, form + at);
        memcpy(form + at, "?=", 3);
        same = ia_str_is(given, form);
    }
    return same;
}

/* The headers that repeat what a modern message says, so that others need not read the message. */
static void check_headers(const struct ia_http_request *http, struct ia_mcp_request *r)
{
    const char *version = r->version ? r->version : "";
    const struct {
        const char *name, *value;
    } wanted[] = {
        {"MCP-Protocol-Version", version}, {"Mcp-Method", r->method}, {"Mcp-Name", r->name}};
    for (size_t i = 0; i < IA_COUNTOF(wanted); i++) {
        struct ia_str given = header(http, wanted[i].name);
        if (wanted[i].value && !header_says(given, wanted[i].value)) {
            ia_mcp_error_set(&r->error, IA_MCP_HEADERS, "Header mismatch: %s %s",
                             wanted[i].name,
                             given.p ? "differs from the message" : "is missing");
            return;
        }
    }
}

/* ---- answers as JSON ----------------------------------------------------------------------- */

static void put_body(void *ctx, struct ia_str message, bool last)
{
    struct ia_http_reply *reply = ctx;
    if (last) {
        ia_buf_putstr(&reply->body, message);
    }
}

static void answer_json(struct ia_mcp_http *h, const struct ia_http_request *http,
                        const struct ia_mcp_request *r, const struct peer *peer,
                        struct ia_http_reply *reply)
{
    bool takes_time = r->kind != IA_MCP_QUICK && r->error.code == 0;
    bool close_cancels = takes_time && (r->modern || peer->stdio);
    reply->status = ia_mcp_answer(h->mcp, &peer->p, r,
                                  close_cancels ? ia_http_cancel(http) : NULL, put_body, reply);
}

/* ---- answers as a stream ------------------------------------------------------------------- */

static void free_stream(struct stream *s)
{
    ia_mcp_request_free(s->request);
    free_peer(&s->peer);
    ia_cancel_free(s->cancel);
    ia_buf_fini(&s->out);
    pthread_mutex_destroy(&s->mutex);
    free(s);
}

static void put_data(void *ctx, struct ia_str message, bool last)
{
    struct stream *s = ctx;
    (void)last;
    pthread_mutex_lock(&s->mutex);
    ia_buf_puts(&s->out, "data: ");
    ia_buf_putstr(&s->out, message);
    ia_buf_puts(&s->out, "\n\n");
    if (s->waiting) {
        ia_http_stream_wake(s->waiting);
    }
    pthread_mutex_unlock(&s->mutex);
}

static void take_out(struct stream *s)
{
    struct ia_mcp_http *h = s->home;
    pthread_mutex_lock(&h->mutex);
    struct stream **at = &h->streams;
    while (*at != s) {
        at = &(*at)->next;
    }
    *at = s->next;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->mutex);
}

static void *work(void *arg)
{
    struct stream *s = arg;
    (void)ia_mcp_answer(s->home->mcp, &s->peer.p, s->request, s->cancel, put_data, s);
    take_out(s);
    pthread_mutex_lock(&s->mutex);
    s->done = true;
    bool last = s->reader_gone;
    if (s->waiting) {
        ia_http_stream_wake(s->waiting);
    }
    pthread_mutex_unlock(&s->mutex);
    if (last) {
        free_stream(s);
    }
    return NULL;
}

/* Moves what is there to out, a piece at a time. False once all was sent. */
static bool take_bytes(struct stream *s, struct ia_http_stream *stream, struct ia_buf *out)
{
    pthread_mutex_lock(&s->mutex);
    s->waiting = stream;
    size_t n = s->out.len < PIECE_BYTES ? s->out.len : PIECE_BYTES;
    ia_buf_put(out, s->out.p, n);
    ia_buf_consume(&s->out, n);
    bool more = !s->done || s->out.len > 0;
    pthread_mutex_unlock(&s->mutex);
    return more;
}

static bool stream_next(void *ctx, struct ia_http_stream *stream, struct ia_buf *out)
{
    struct stream *s = ctx;
    bool more = take_bytes(s, stream, out);
    if (!more || out->len > 0) {
        return more;
    }
    int64_t until = ia_mono_us(ia_clock_system()) + KEEP_ALIVE_US;
    if (!ia_http_stream_wait(stream, until)) {
        return false;
    }
    more = take_bytes(s, stream, out);
    if (more && out->len == 0 && ia_mono_us(ia_clock_system()) >= until) {
        ia_buf_puts(out, ": keepalive\n\n");
    }
    return more;
}

static void stream_done(void *ctx)
{
    struct stream *s = ctx;
    pthread_mutex_lock(&s->mutex);
    s->reader_gone = true;
    s->waiting = NULL;
    bool last = s->done;
    if (!last && s->close_cancels) {
        ia_cancel_fire(s->cancel);
    }
    pthread_mutex_unlock(&s->mutex);
    if (last) {
        free_stream(s);
    }
}

static const struct ia_http_stream_ops stream_ops = {stream_next, stream_done};

static bool start_worker(struct stream *s)
{
    struct ia_mcp_http *h = s->home;
    pthread_t thread;
    pthread_mutex_lock(&h->mutex);
    bool started = pthread_create(&thread, NULL, work, s) == 0;
    if (started) {
        pthread_detach(thread);
        s->next = h->streams;
        h->streams = s;
    }
    pthread_mutex_unlock(&h->mutex);
    return started;
}

/* Takes the request and the peer. False where there is no thread or token left: then they are still
 * the caller's. */
static bool answer_stream(struct ia_mcp_http *h, struct ia_mcp_request *r, struct peer *peer,
                          struct ia_http_reply *reply)
{
    struct ia_err err;
    struct stream *s = ia_calloc(1, sizeof(*s));
    *s = (struct stream){.home = h,
                         .request = r,
                         .peer = *peer,
                         .cancel = ia_cancel_new(&err),
                         .close_cancels = r->modern || peer->stdio,
                         .out = IA_BUF(2 * IA_MCP_ANSWER_MAX)};
    pthread_mutex_init(&s->mutex, NULL);
    if (!s->cancel || !start_worker(s)) {
        s->request = NULL;
        s->peer = (struct peer){.cwd = NULL};
        free_stream(s);
        return false;
    }
    reply->content_type = "text/event-stream";
    ia_http_reply_header(reply, "Cache-Control", "no-store");
    ia_http_reply_header(reply, "X-Accel-Buffering", "no");
    reply->stream = &stream_ops;
    reply->stream_ctx = s;
    return true;
}

/* ---- requests ----------------------------------------------------------------------------- */

struct ia_mcp_http *ia_mcp_http_new(struct ia_mcp *mcp)
{
    struct ia_mcp_http *h = ia_calloc(1, sizeof(*h));
    h->mcp = mcp;
    pthread_mutex_init(&h->mutex, NULL);
    pthread_cond_init(&h->changed, NULL);
    return h;
}

int ia_mcp_http_busy(struct ia_mcp_http *h)
{
    int n = 0;
    pthread_mutex_lock(&h->mutex);
    for (const struct stream *s = h->streams; s; s = s->next) {
        n++;
    }
    pthread_mutex_unlock(&h->mutex);
    return n;
}

void ia_mcp_http_free(struct ia_mcp_http *h)
{
    if (!h) {
        return;
    }
    pthread_mutex_lock(&h->mutex);
    for (struct stream *s = h->streams; s; s = s->next) {
        ia_cancel_fire(s->cancel);
    }
    while (h->streams) {
        pthread_cond_wait(&h->changed, &h->mutex);
    }
    pthread_mutex_unlock(&h->mutex);
    pthread_mutex_destroy(&h->mutex);
    pthread_cond_destroy(&h->changed);
    free(h);
}

/* Whether the answer may be preceded by other messages, and the client takes them. */
static bool wants_stream(const struct ia_http_request *http, const struct ia_mcp_request *r)
{
    const char *accept = ia_http_header(http, "Accept");
    return r->kind == IA_MCP_CALL && r->error.code == 0 &&
           (r->tool->flags & IA_MCP_TOOL_PROGRESS) && accept &&
           strstr(accept, "text/event-stream");
}

/* Without a header it is the revision that did not have one yet. */
static char *said_version(const struct ia_http_request *http, const struct peer *peer)
{
    struct ia_str version = header(http, "MCP-Protocol-Version");
    if (peer->stdio) {
        return ia_strdup(ia_http_query(http, "version"));
    }
    return version.p ? ia_strndup(version.p, version.n) : ia_strdup(IA_MCP_BATCH_VERSION);
}

static void handle_post(struct ia_mcp_http *h, const struct ia_http_request *http,
                        struct ia_http_reply *reply)
{
    struct peer peer;
    read_peer(http, &peer);
    char *said = said_version(http, &peer);
    struct ia_mcp_request *r = ia_mcp_read(h->mcp, &peer.p, http->body, said);
    free(said);
    bool unclear =
        r->error.code == IA_MCP_PARAMS && r->error.http != 0; /* no version to compare */
    if (r->modern && r->kind != IA_MCP_SILENT && !peer.stdio && !unclear) {
        check_headers(http, r);
    }
    if (r->kind == IA_MCP_SILENT) {
        reply->status = 202;
    } else if (wants_stream(http, r) && answer_stream(h, r, &peer, reply)) {
        return;
    } else {
        answer_json(h, http, r, &peer, reply);
    }
    ia_mcp_request_free(r);
    free_peer(&peer);
}

void ia_mcp_http_handle(struct ia_mcp_http *h, const struct ia_http_request *http,
                        struct ia_http_reply *reply)
{
    if (strcmp(http->method, "POST") == 0) {
        handle_post(h, http, reply);
    } else {
        reply->status = 405;
        ia_http_reply_header(reply, "Allow", "POST");
    }
}
