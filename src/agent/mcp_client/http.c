/* http.c: a server behind streamable HTTP: each message is a POST of its own, whose answer is a
 * message, a stream of them that ends with the answer to it, or nothing (202).
 *
 *     POST message ─► 200 application/json    one message
 *                     200 text/event-stream   ─► sse ─► messages; those that are requests of the
 *                                             server are answered by a POST over the other handle
 *                     202                     it was taken
 *                     404                     the session is over: the connection is made anew
 *
 * Redirects are not followed, since the headers may hold a secret. The stream that a server may open
 * by itself (GET) is not asked for: nothing is wanted that it could say there. */
#include "agent/mcp_client/client_impl.h"

#include "base/clock.h"
#include "net/http.h"
#include "net/sse.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { CONNECT_MS = 10000, REPLY_MS = 5000, SESSION_MAX = 1024, LINE_MAX_BYTES = 1100 };

struct link {
    struct ia_reactor *reactor;
    struct ia_http *http, *replies;
    char session[SESSION_MAX]; /* that the server gave us; "": none */
};

/* One POST. */
struct post {
    struct ia_mcp_client *c;
    struct ia_str body;
    size_t at;   /* of the body */
    bool again;  /* the connection was dead, and curl begins anew */
    bool reply;  /* to a request of the server */
    char type[64], session[SESSION_MAX];
    struct ia_sse sse;
    struct ia_buf plain;
};

static void close_link(struct ia_mcp_client *c)
{
    struct link *l = c->link;
    ia_http_free(l->http);
    ia_http_free(l->replies);
    ia_reactor_free(l->reactor);
    ia_wipe(l->session, sizeof(l->session));
    free(l);
    c->link = NULL;
}

static enum ia_rc open_link(struct ia_mcp_client *c, struct ia_err *err)
{
    struct link *l = ia_calloc(1, sizeof(*l));
    c->link = l;
    enum ia_rc rc = ia_reactor_new(ia_http_ready, ia_http_done, &l->reactor, err);
    rc = rc == IA_OK ? ia_http_new(l->reactor, &l->http, err) : rc;
    rc = rc == IA_OK ? ia_http_new(l->reactor, &l->replies, err) : rc;
    if (rc != IA_OK) {
        close_link(c);
    }
    return rc;
}

/* ---- callbacks ---------------------------------------------------------------------------- */

/* A call that may have had its effect is not sent a second time. */
static enum ia_rc read_body(void *ctx, char *dst, size_t n, size_t *ret_n, struct ia_err *err)
{
    struct post *p = ctx;
    if (p->again && p->c->once) {
        return ia_err_set(err, IA_E_API_NETWORK, "the connection to the MCP server %s broke",
                          p->c->name);
    }
    size_t left = p->body.n - p->at;
    *ret_n = left < n ? left : n;
    memcpy(dst, p->body.p + p->at, *ret_n);
    p->at += *ret_n;
    p->c->sent = p->c->sent || (!p->reply && *ret_n > 0);
    return IA_OK;
}

static void rewind_body(void *ctx)
{
    struct post *p = ctx;
    p->again = p->again || p->at > 0;
    p->at = 0;
}

static void begin_answer(void *ctx)
{
    struct post *p = ctx;
    p->type[0] = p->session[0] = '\0';
}

/* Visible ASCII alone, as the specification has it; longer ones are not kept. */
static bool copy_visible(struct ia_str value, char *dst, size_t size)
{
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] < 0x20 || value.p[i] > 0x7e) {
            return false;
        }
    }
    if (value.n >= size) {
        return false;
    }
    memcpy(dst, value.p, value.n);
    dst[value.n] = '\0';
    return true;
}

static void take_header(void *ctx, struct ia_str name, struct ia_str value)
{
    struct post *p = ctx;
    if (name.n == strlen("content-type") && strncasecmp(name.p, "content-type", name.n) == 0) {
        (void)copy_visible(value, p->type, sizeof(p->type));
    } else if (name.n == strlen("mcp-session-id") && strncasecmp(name.p, "mcp-session-id", name.n) == 0) {
        (void)copy_visible(value, p->session, sizeof(p->session));
    }
}

static enum ia_rc post(struct ia_mcp_client *c, struct ia_http *http, struct ia_str body,
                       bool reply, const struct ia_limit *limit, struct ia_err *err);

static enum ia_rc take_message(struct ia_mcp_client *c, struct ia_str message, struct ia_err *err)
{
    struct link *l = c->link;
    struct ia_buf reply = IA_BUF(8192);
    enum ia_rc rc = ia_mcp_client_take(c, message, &reply, err);
    if (rc == IA_OK && reply.len > 0) {
        struct ia_limit soon = {NULL, ia_mono_us(ia_clock_system()) + REPLY_MS * 1000};
        (void)post(c, l->replies, ia_buf_str(&reply), true, &soon, NULL);
    }
    ia_buf_fini(&reply);
    return rc;
}

static enum ia_rc on_event(void *ctx, struct ia_str name, struct ia_str data,
                           struct ia_err *err)
{
    struct post *p = ctx;
    (void)name;
    /* An event without data opens a stream that could be taken up again. */
    return data.n > 0 && !p->reply ? take_message(p->c, data, err) : IA_OK;
}

static bool is_type(const struct post *p, const char *type)
{
    return strncasecmp(p->type, type, strlen(type)) == 0;
}

static enum ia_rc take_bytes(void *ctx, const char *bytes, size_t n, struct ia_err *err)
{
    struct post *p = ctx;
    if (is_type(p, "text/event-stream")) {
        return ia_sse_feed(&p->sse, bytes, n, err);
    }
    if (is_type(p, "application/json") || p->c->asked == 0 || p->reply) {
        ia_buf_put(&p->plain, bytes, n);
        return ia_buf_check(&p->plain, "an answer of an MCP server", err);
    }
    return ia_err_set(err, IA_E_PROTO, "%s answered with %s instead of a message", p->c->url,
                      p->type[0] ? p->type : "no type");
}

static bool is_complete(void *ctx)
{
    const struct post *p = ctx;
    return p->c->answer && is_type(p, "text/event-stream");
}

/* ---- one POST ----------------------------------------------------------------------------- */

struct lines {
    struct ia_buf made[2]; /* of version and session */
    char *list[IA_HTTP_HEADERS_MAX];
    size_t n;
};

static void add_made(struct lines *h, struct ia_buf *line, const char *name, const char *value)
{
    *line = IA_BUF(LINE_MAX_BYTES);
    if (value[0]) {
        ia_buf_printf(line, "%s: %s", name, value);
        h->list[h->n++] = line->p;
    }
}

static void make_lines(struct ia_mcp_client *c, const struct link *l, struct lines *ret)
{
    static char json[] = "content-type: application/json", expect[] = "expect:",
                accept[] = "accept: application/json, text/event-stream";
    *ret = (struct lines){.list = {json, accept, expect}, .n = 3};
    add_made(ret, &ret->made[0], "mcp-protocol-version", c->version);
    add_made(ret, &ret->made[1], "mcp-session-id", l->session);
    for (size_t i = 0; c->headers && c->headers[i] && ret->n + 1 < IA_HTTP_HEADERS_MAX; i++) {
        ret->list[ret->n++] = c->headers[i];
    }
}

static enum ia_rc refused(struct ia_mcp_client *c, int status, struct ia_err *err)
{
    struct link *l = c->link;
    switch (status) {
    case 401:
    case 403:
        ia_err_set(err, IA_E_AUTH, "%s refused the credentials (HTTP %d)", c->url, status);
        ia_err_hint(err, "the skill's manifest says which variable or secret holds them");
        c->sent = false;
        return IA_E_AUTH;
    case 404:
        c->sent = false; /* no such session, or nothing there at all: nothing was done */
        return ia_err_set(err, IA_E_IO, "%s: HTTP 404%s", c->url,
                          l->session[0] ? ", the session is over" : "");
    default:
        return ia_err_set(err, IA_E_PROTO, "%s answered with HTTP %d%s", c->url, status,
                          status >= 300 && status < 400 ? "; redirects are not followed" : "");
    }
}

/* What has come once the answer is at its end. */
static enum ia_rc conclude(struct post *p, int status, struct ia_err *err)
{
    struct link *l = p->c->link;
    if (p->reply || (p->c->asked == 0 && status >= 200 && status < 300)) {
        return IA_OK;
    }
    if (status != 200) {
        return refused(p->c, status, err);
    }
    enum ia_rc rc =
        p->plain.len > 0 ? take_message(p->c, ia_buf_str(&p->plain), err) : IA_OK;
    if (rc == IA_OK && !p->c->answer) {
        rc = ia_err_set(err, IA_E_PROTO, "%s ended without the answer", p->c->url);
    }
    if (rc == IA_OK && p->session[0]) {
        memcpy(l->session, p->session, sizeof(l->session));
    }
    return rc;
}

static enum ia_rc post(struct ia_mcp_client *c, struct ia_http *http, struct ia_str body,
                       bool reply, const struct ia_limit *limit, struct ia_err *err)
{
    struct post p = {.c = c, .body = body, .reply = reply,
                     .plain = IA_BUF(IA_MCP_CLIENT_MESSAGE_MAX)};
    struct ia_http_answer answer = {.error_body = IA_BUF(IA_HTTP_ERROR_BODY_MAX)};
    struct lines lines;
    bool final = false;
    make_lines(c, c->link, &lines);
    ia_sse_init(&p.sse, on_event, &p);
    struct ia_http_call call = {.url = c->url,
                                .body = {.size_bytes = (int64_t)body.n,
                                         .read = read_body,
                                         .rewind = rewind_body,
                                         .ctx = &p},
                                .connect_timeout_ms = CONNECT_MS,
                                .idle_timeout_ms = INT32_MAX, /* the deadline ends it */
                                .deadline_us = limit->deadline_us,
                                .bytes_max = IA_MCP_CLIENT_MESSAGE_MAX,
                                .cancel = limit->cancel,
                                .begin = begin_answer,
                                .header = take_header,
                                .take = take_bytes,
                                .complete = is_complete,
                                .ctx = &p};
    memcpy(call.headers, lines.list, sizeof(call.headers));
    enum ia_rc rc = ia_http_post(http, &call, &answer, &final, err);
    rc = rc == IA_OK ? conclude(&p, answer.status, err) : rc;
    ia_sse_fini(&p.sse);
    ia_buf_fini(&p.plain);
    ia_buf_fini(&answer.error_body);
    ia_buf_fini(&lines.made[0]);
    ia_buf_fini(&lines.made[1]);
    return rc;
}

/* The codes of net/ are those of the model's provider. */
static enum ia_rc own_code(enum ia_rc rc)
{
    return rc == IA_E_API_NETWORK                            ? IA_E_IO
           : rc == IA_E_API_STREAM || rc == IA_E_API_PROTOCOL ? IA_E_PROTO
           : rc == IA_E_API_TIMEOUT                           ? IA_E_TIMEOUT
                                                              : rc;
}

static enum ia_rc exchange(struct ia_mcp_client *c, struct ia_str message,
                           const struct ia_limit *limit, struct ia_err *err)
{
    struct link *l = c->link;
    enum ia_rc rc = own_code(post(c, l->http, message, false, limit, err));
    if (err && rc != IA_OK) {
        err->code = rc;
    }
    return rc;
}

const struct ia_mcp_wire ia_mcp_wire_http = {open_link, exchange, close_link};
