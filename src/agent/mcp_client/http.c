/* http.c: a server behind streamable HTTP: each message is a POST of its own.
 *
 *     POST ─► 200 application/json    one message
 *             200 text/event-stream   messages, up to the answer
 *               └─ it broke off behind an event with an id ─► wait ─► GET, last-event-id ─► goes on
 *             202                     a notification or an answer of ours was taken
 *             404, 400                the session is over: the connection is opened anew
 *
 * Answers to requests of the server are POSTs over a handle of their own, while the stream is read.
 * Redirects are not followed, since headers may hold a secret. The stream that a server may open on
 * its own (GET without last-event-id) is not asked for, so the list of tools is read before each call. The session ends with a DELETE. */
#include "agent/mcp_client/client_impl.h"

#include "base/clean.h"
#include "base/clock.h"
#include "net/http.h"
#include "net/sse.h"
#include "net/url.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    CONNECT_MS = 10000,
    REPLY_MS = 5000,
    BYE_MS = 1000,
    RESUME_MS = 1000, /* between two attempts, where the server names no other time */
    RESUME_MS_MAX = 30000,
    RESUMES_MAX = 5,                             /* in a row that bring no event */
    WAITING_MAX = 4 * IA_MCP_CLIENT_MESSAGE_MAX, /* bytes that came and are not read yet */
    SESSION_SIZE = 1024,
    LINE_MAX_BYTES = 1100,
    ERROR_COLUMNS = 200
};

/* What a transfer is for. */
enum purpose { REQUEST, REPLY, RESUME, BYE };

struct link {
    struct ia_reactor *reactor;
    struct ia_http *http, *replies;
    char session[SESSION_SIZE]; /* that the server gave; "": none */
    /* Of the request in hand. */
    const struct ia_limit *limit;
    char event
        [IA_SSE_ID_SIZE]; /* the last one that came; "": its stream cannot be taken up again */
    int64_t retry_ms;
};

/* One transfer. */
struct transfer {
    struct ia_mcp_client *c;
    enum purpose purpose;
    struct ia_str body;
    size_t at;  /* of the body */
    bool again; /* libcurl sends the body a second time, over another connection */
    char type[64], session[SESSION_SIZE];
    struct ia_sse sse;
    struct ia_buf plain;
};

/* ---- opening ------------------------------------------------------------------------------ */

/* Headers may hold a secret: they travel encrypted, or stay on this machine. */
static enum ia_rc check_place(struct ia_mcp_client *c, struct ia_err *err)
{
    bool tls = strncasecmp(c->url, "https://", 8) == 0;
    bool plain = strncasecmp(c->url, "http://", 7) == 0;
    size_t n = 0;
    for (; c->headers && c->headers[n]; n++) {
        if (!strchr(c->headers[n], ':') || strpbrk(c->headers[n], "\r\n")) {
            return ia_err_set(err, IA_E_CONFIG, "header %zu cannot be sent", n + 1);
        }
    }
    if (n > IA_MCP_CLIENT_HEADERS_MAX) {
        return ia_err_set(err, IA_E_CONFIG, "it has more than %d headers",
                          IA_MCP_CLIENT_HEADERS_MAX);
    }
    if ((!tls && !plain) || strpbrk(c->url, "@ #")) {
        ia_err_set(err, IA_E_CONFIG, "its URL cannot be used");
        ia_err_hint(err,
                    "write it as https://host[:port]/path; credentials belong into a header");
        return IA_E_CONFIG;
    }
    if (plain && !ia_url_local(c->url)) {
        ia_err_set(err, IA_E_CONFIG, "it would be reached unencrypted");
        ia_err_hint(err, "use https; plain http is for servers on this machine");
        return IA_E_CONFIG;
    }
    return IA_OK;
}

static void free_link(struct ia_mcp_client *c)
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
    enum ia_rc rc = check_place(c, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct link *l = ia_calloc(1, sizeof(*l));
    c->link = l;
    rc = ia_reactor_new(ia_http_ready, ia_http_done, &l->reactor, err);
    rc = rc == IA_OK ? ia_http_new(l->reactor, &l->http, err) : rc;
    rc = rc == IA_OK ? ia_http_new(l->reactor, &l->replies, err) : rc;
    if (rc != IA_OK) {
        free_link(c);
    }
    return rc;
}

/* ---- callbacks of a transfer -------------------------------------------------------------- */

/* A call that may have had its effect is not sent a second time. */
static enum ia_rc read_body(void *ctx, char *dst, size_t n, size_t *ret_n, struct ia_err *err)
{
    struct transfer *t = ctx;
    struct ia_mcp_pending *now = &t->c->now;
    if (t->again && now->once && t->purpose == REQUEST) {
        return ia_err_set(err, IA_E_API_NETWORK, "the connection broke");
    }
    size_t left = t->body.n - t->at;
    *ret_n = left < n ? left : n;
    memcpy(dst, t->body.p + t->at, *ret_n);
    t->at += *ret_n;
    if (t->purpose == REQUEST) {
        now->sent = now->sent || *ret_n > 0;
        now->written = t->at == t->body.n;
    }
    return IA_OK;
}

static void rewind_body(void *ctx)
{
    struct transfer *t = ctx;
    t->again = t->again || t->at > 0;
    t->at = 0;
}

static void begin_answer(void *ctx)
{
    struct transfer *t = ctx;
    t->type[0] = t->session[0] = '\0';
}

static bool is_header(struct ia_str name, const char *want)
{
    return name.n == strlen(want) && strncasecmp(name.p, want, name.n) == 0;
}

/* Visible ASCII alone, as the specification has it; anything longer is not kept. */
static void copy_visible(struct ia_str value, char *dst, size_t size)
{
    bool fits = value.n < size;
    for (size_t i = 0; fits && i < value.n; i++) {
        fits = value.p[i] >= ' ' && value.p[i] <= '~';
    }
    size_t n = fits ? value.n : 0;
    memcpy(dst, value.p, n);
    dst[n] = '\0';
}

static void take_header(void *ctx, struct ia_str name, struct ia_str value)
{
    struct transfer *t = ctx;
    if (is_header(name, "content-type")) {
        copy_visible(value, t->type, sizeof(t->type));
    } else if (is_header(name, "mcp-session-id")) {
        copy_visible(value, t->session, sizeof(t->session));
    }
}

static bool is_type(const struct transfer *t, const char *type)
{
    return strncasecmp(t->type, type, strlen(type)) == 0;
}

static bool wants_messages(const struct transfer *t)
{
    return t->c->now.asked != 0 && (t->purpose == REQUEST || t->purpose == RESUME);
}

static enum ia_rc on_event(void *ctx, struct ia_str name, struct ia_str data,
                           struct ia_err *err)
{
    struct transfer *t = ctx;
    struct link *l = t->c->link;
    (void)name;
    memcpy(l->event, t->sse.id, sizeof(l->event));
    /* One without data only gives an id to go on from. */
    return data.n > 0 ? ia_mcp_client_take(t->c, data, err) : IA_OK;
}

static enum ia_rc take_bytes(void *ctx, const char *bytes, size_t n, struct ia_err *err)
{
    struct transfer *t = ctx;
    if (!wants_messages(t)) {
        return IA_OK;
    }
    if (is_type(t, "text/event-stream")) {
        return ia_sse_feed(&t->sse, bytes, n, err);
    }
    if (is_type(t, "application/json")) {
        ia_buf_put(&t->plain, bytes, n);
        return ia_buf_check(&t->plain, "the answer", err);
    }
    return ia_err_set(err, IA_E_PROTO, "it answered with %s instead of a message",
                      t->type[0] ? t->type : "no content type");
}

static bool is_complete(void *ctx)
{
    const struct transfer *t = ctx;
    return wants_messages(t) && t->c->now.answer && is_type(t, "text/event-stream");
}

/* ---- one transfer ------------------------------------------------------------------------- */

struct lines {
    struct ia_buf made[3]; /* revision, session, event */
    char *list[IA_HTTP_HEADERS_MAX];
    size_t n;
};

static void add_made(struct lines *h, size_t i, const char *name, const char *value)
{
    h->made[i] = IA_BUF(LINE_MAX_BYTES);
    if (value[0]) {
        ia_buf_printf(&h->made[i], "%s: %s", name, value);
        h->list[h->n++] = h->made[i].p;
    }
}

static void make_lines(const struct transfer *t, struct lines *ret)
{
    static char json[] = "content-type: application/json",
                expect[] = "expect:", accept[] = "accept: application/json, text/event-stream",
                stream[] = "accept: text/event-stream";
    const struct ia_mcp_client *c = t->c;
    const struct link *l = c->link;
    *ret = (struct lines){.list = {t->purpose == RESUME ? stream : accept}, .n = 1};
    if (t->body.n > 0) {
        ret->list[ret->n++] = json;
        ret->list[ret->n++] = expect;
    }
    add_made(ret, 0, "mcp-protocol-version", c->version);
    add_made(ret, 1, "mcp-session-id", l->session);
    add_made(ret, 2, "last-event-id", t->purpose == RESUME ? l->event : "");
    for (size_t i = 0; c->headers && c->headers[i] && ret->n < IA_HTTP_HEADERS_MAX; i++) {
        ret->list[ret->n++] = c->headers[i];
    }
}

static void free_lines(struct lines *h)
{
    for (size_t i = 0; i < IA_COUNTOF(h->made); i++) {
        ia_wipe(h->made[i].p, h->made[i].len);
        ia_buf_fini(&h->made[i]);
    }
}

static const char *method_of(enum purpose purpose)
{
    return purpose == RESUME ? "GET" : purpose == BYE ? "DELETE" : NULL;
}

/* *ret_status: 0 where no answer came. */
static enum ia_rc run(struct transfer *t, struct ia_http *http, const struct ia_limit *limit,
                      struct ia_http_answer *answer, struct ia_err *err)
{
    struct lines lines;
    bool final = false;
    make_lines(t, &lines);
    struct ia_http_call call = {.method = method_of(t->purpose),
                                .url = t->c->url,
                                .ca_bundle = t->c->ca_bundle,
                                .proxy = ia_url_local(t->c->url) ? "" : t->c->proxy,
                                .body = {.size_bytes = (int64_t)t->body.n,
                                         .read = read_body,
                                         .rewind = rewind_body,
                                         .ctx = t},
                                .connect_timeout_ms = CONNECT_MS,
                                .idle_timeout_ms = INT32_MAX, /* the deadline ends it */
                                .deadline_us = limit->deadline_us,
                                .bytes_max = WAITING_MAX,
                                .cancel = limit->cancel,
                                .begin = begin_answer,
                                .header = take_header,
                                .take = take_bytes,
                                .complete = is_complete,
                                .ctx = t};
    memcpy(call.headers, lines.list, sizeof(call.headers));
    enum ia_rc rc = ia_http_post(http, &call, answer, &final, err);
    free_lines(&lines);
    return rc;
}

/* For messages whose answer does not matter. */
static void send_only(struct ia_mcp_client *c, struct ia_http *http, enum purpose purpose,
                      struct ia_str body, const struct ia_limit *limit)
{
    struct transfer t = {.c = c, .purpose = purpose, .body = body};
    struct ia_http_answer answer;
    struct ia_err why;
    (void)run(&t, http, limit, &answer, &why);
    ia_buf_fini(&answer.error_body);
}

static void answer(struct ia_mcp_client *c, struct ia_str message)
{
    struct link *l = c->link;
    struct ia_limit soon = ia_limit_within(l->limit, REPLY_MS);
    send_only(c, l->replies, REPLY, message, &soon);
}

static void close_link(struct ia_mcp_client *c)
{
    struct link *l = c->link;
    struct ia_limit soon = {NULL, ia_mono_us(ia_clock_system()) + BYE_MS * INT64_C(1000)};
    if (l->session[0]) {
        send_only(c, l->http, BYE, (struct ia_str){0}, &soon);
    }
    free_link(c);
}

/* ---- what an answer means ----------------------------------------------------------------- */

/* Many servers put a JSON-RPC error into the body of a refusal. */
static void put_reason(struct ia_mcp_client *c, const struct ia_buf *body, struct ia_buf *out)
{
    struct ia_str text = ia_buf_str(body);
    json_t *m = ia_json_depth_ok(text, IA_MCP_CLIENT_DEPTH_MAX)
                    ? json_loadb(text.p, text.n, JSON_ALLOW_NUL, NULL)
                    : NULL;
    ia_mcp_hide_json(c, m);
    struct ia_str reason = ia_json_field(json_object_get(m, "error"), "message");
    if (reason.n > 0) {
        ia_buf_puts(out, ": ");
        ia_clean_cut(out, reason, ERROR_COLUMNS);
    }
    json_decref(m);
}

/* A server that refuses the credentials, the session or the method did nothing. */
static enum ia_rc refused(struct ia_mcp_client *c, const struct ia_http_answer *a,
                          struct ia_err *err)
{
    struct link *l = c->link;
    bool credentials = a->status == 401 || a->status == 403;
    bool nothing_done = credentials || a->status == 404 || a->status == 405;
    /* 404 says so. Some servers say 400: what only reads is then asked again in a new session. */
    bool session_over =
        l->session[0] && (a->status == 404 || (a->status == 400 && !c->now.once));
    bool redirect = a->status >= 300 && a->status < 400;
    struct ia_buf reason = IA_BUF(4096);
    put_reason(c, &a->error_body, &reason);
    enum ia_rc rc = credentials ? IA_E_AUTH : IA_E_PROTO;
    ia_err_set(err, rc, "it answered with HTTP %d%s%s", a->status,
               session_over ? ", its session is over"
               : redirect   ? "; redirects are not followed"
                            : "",
               ia_buf_cstr(&reason));
    ia_buf_fini(&reason);
    if (credentials) {
        ia_err_hint(err, "check the header that the skill's manifest names for this server");
    }
    if (err && nothing_done && !l->event[0]) {
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    if (session_over) {
        l->session[0] = '\0';
        c->now.sent = c->now.sent && c->now.once;
    }
    return rc;
}

/* What has come when the transfer is over. */
static enum ia_rc conclude(struct transfer *t, const struct ia_http_answer *a,
                           struct ia_err *err)
{
    struct ia_mcp_client *c = t->c;
    struct link *l = c->link;
    bool good = a->status >= 200 && a->status < 300;
    if (!good || (c->now.asked != 0 && a->status != 200)) {
        return refused(c, a, err);
    }
    enum ia_rc rc =
        t->plain.len > 0 ? ia_mcp_client_take(c, ia_buf_str(&t->plain), err) : IA_OK;
    if (rc == IA_OK && c->now.asked != 0 && !c->now.answer) {
        rc = ia_err_set(err, IA_E_API_STREAM, "it ended without an answer");
    }
    if (rc == IA_OK && t->session[0]) {
        memcpy(l->session, t->session, sizeof(l->session));
    }
    return rc;
}

static enum ia_rc transfer(struct ia_mcp_client *c, enum purpose purpose, struct ia_str body,
                           struct ia_err *err)
{
    struct link *l = c->link;
    struct transfer t = {
        .c = c, .purpose = purpose, .body = body, .plain = IA_BUF(IA_MCP_CLIENT_MESSAGE_MAX)};
    struct ia_http_answer answer;
    ia_sse_init(&t.sse, on_event, &t);
    enum ia_rc rc = run(&t, l->http, l->limit, &answer, err);
    rc = rc == IA_OK ? conclude(&t, &answer, err) : rc;
    l->retry_ms = t.sse.retry_ms >= 0 ? t.sse.retry_ms : l->retry_ms;
    ia_sse_fini(&t.sse);
    ia_buf_fini(&t.plain);
    ia_buf_fini(&answer.error_body);
    return rc;
}

/* ---- one exchange ------------------------------------------------------------------------- */

/* Takes up a stream that broke off, as long as that brings anything. The request is not sent again. */
static enum ia_rc resume(struct ia_mcp_client *c, enum ia_rc rc, struct ia_err *err)
{
    struct link *l = c->link;
    int left = RESUMES_MAX;
    while ((rc == IA_E_API_STREAM || rc == IA_E_API_NETWORK) && l->event[0] && left > 0) {
        char before[IA_SSE_ID_SIZE];
        memcpy(before, l->event, sizeof(before));
        int64_t ms = l->retry_ms < RESUME_MS_MAX ? l->retry_ms : RESUME_MS_MAX;
        struct ia_limit wait = ia_limit_within(l->limit, (uint32_t)ms);
        if (ia_clock_wait(ia_clock_system(), wait.cancel, wait.deadline_us) != IA_OK) {
            return ia_err_set(err, IA_E_CANCELLED, "the request was cancelled");
        }
        rc = transfer(c, RESUME, (struct ia_str){0}, err);
        left = strcmp(before, l->event) == 0 ? left - 1 : RESUMES_MAX;
    }
    return rc;
}

/* The codes of net/ are those of the model's provider. */
static enum ia_rc own_code(enum ia_rc rc)
{
    switch (rc) {
    case IA_E_API_NETWORK:
    case IA_E_API_STREAM:
        return IA_E_IO;
    case IA_E_API_PROTOCOL:
        return IA_E_PROTO;
    case IA_E_API_TIMEOUT:
        return IA_E_TIMEOUT;
    default:
        return rc;
    }
}

/* Says in the error how far the call had come. */
static enum ia_rc end(struct ia_mcp_client *c, enum ia_rc rc, struct ia_err *err)
{
    struct ia_buf progress = IA_BUF(256);
    ia_mcp_client_put_progress(c, &progress);
    if (err && progress.len > 0) {
        struct ia_err inner = *err;
        (void)snprintf(err->msg, sizeof(err->msg), "%.900s%s", inner.msg,
                       ia_buf_cstr(&progress));
    }
    if (err) {
        err->code = own_code(rc);
    }
    ia_buf_fini(&progress);
    return own_code(rc);
}

static enum ia_rc exchange(struct ia_mcp_client *c, struct ia_str message,
                           const struct ia_limit *limit, struct ia_err *err)
{
    struct link *l = c->link;
    l->limit = limit;
    l->event[0] = '\0';
    l->retry_ms = RESUME_MS;
    enum ia_rc rc = transfer(c, REQUEST, message, err);
    rc = c->now.asked != 0 ? resume(c, rc, err) : rc;
    return rc == IA_OK ? rc : end(c, rc, err);
}

static enum ia_rc settle(struct ia_mcp_client *c, struct ia_err *err)
{
    (void)c;
    (void)err;
    return IA_OK;
}

const struct ia_mcp_wire ia_mcp_wire_http = {false,    open_link, settle,
                                             exchange, answer,    close_link};
