/* call.c: one request.
 *
 *     ia_call_line     the raw target, before the library decodes it
 *     ia_call_request  first: the headers ─► checks (limits, framing, access.h), which may refuse
 *                      then:  the body, kept or, of a refused request, dropped
 *                      last:  the handler ─► the answer
 *     ia_call_done     whatever became of it
 *
 * A refusal is answered after a short body was read, since closing a socket with bytes unread
 * makes the kernel drop the answer; where the body is long the connection ends at once. */
#include "server/http/call.h"

#include "base/clock.h"
#include "base/platform.h"
#include "server/http/stream.h"
#include "server/http/target.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    HEADER_LINES_MAX = 64 << 10,
    /* How much of a refused body is read: of a caller that has shown nothing, and of one that may act. */
    DROP_MAX = 64 << 10,
    DROP_TRUSTED_MAX = 8 << 20,
};

struct call {
    struct ia_call_ctx *ctx;
    struct MHD_Connection *connection;
    struct ia_conn *conn;
    struct ia_target target;
    struct ia_err target_err; /* its code is IA_OK where the target is good */
    const char *line_end;     /* of the target as it was sent */
    bool http_1_1;
    bool line_too_long;
    bool begun; /* the headers were checked */
    struct ia_access_verdict access;
    int refused;  /* the status; 0: not */
    bool wrong;   /* a wrong token: its answer may have to wait */
    bool endless; /* nobody knows where its body ends */
    struct ia_err err;
    struct ia_buf body;
    size_t dropped;
    struct ia_http_request request;
};

static const char *header(const struct call *call, const char *name)
{
    return call->ctx->mhd->MHD_lookup_connection_value_(call->connection, MHD_HEADER_KIND,
                                                        name);
}

void *ia_call_line(void *ctx, const char *target, struct MHD_Connection *connection)
{
    struct call *call = ia_calloc(1, sizeof(*call));
    call->ctx = ctx;
    call->connection = connection;
    call->body = IA_BUF(IA_HTTP_BODY_MAX);
    const union MHD_ConnectionInfo *info = call->ctx->mhd->MHD_get_connection_info_(
        connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    call->conn = info->socket_context;
    ia_conn_move(call->conn, IA_CONN_HEAD);
    call->line_end = target + strlen(target);
    call->line_too_long = call->line_end - target > IA_HTTP_LINE_MAX;
    if (!call->line_too_long) {
        (void)ia_target_parse(target, &call->target, &call->target_err);
    }
    return call;
}

/* ---- refusals ----------------------------------------------------------------------------- */

/* The first refusal counts. */
static void refuse(struct call *call, int status, enum ia_rc rc, const char *what)
{
    if (call->refused == 0) {
        call->refused = status;
        (void)ia_err_set(&call->err, rc, "%s", what);
    }
}

/* Headers that decide who asks for what: two of them could be read differently by two readers. */
static const char *const single[] = {
    "Host",         "Origin",         "Sec-Fetch-Site",   "Authorization",
    "Content-Type", "Content-Length", "Transfer-Encoding"};
struct header_count {
    size_t bytes;
    bool odd; /* a name that other readers may take for another */
    int of[IA_COUNTOF(single)];
};

static enum MHD_Result count_header(void *ctx, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    (void)kind;
    struct header_count *n = ctx;
    n->bytes += strlen(name) + (value ? strlen(value) : 0) + 4; /* ": " and the line's end */
    n->odd = n->odd || name[strcspn(name, " \t()<>@,;:\\\"/[]?={}")] != '\0';
    for (size_t i = 0; i < IA_COUNTOF(single); i++) {
        n->of[i] += strcasecmp(name, single[i]) == 0;
    }
    return MHD_YES;
}

static void check_framing(struct call *call)
{
    struct header_count n = {0};
    (void)call->ctx->mhd->MHD_get_connection_values_(call->connection, MHD_HEADER_KIND,
                                                     count_header, &n);
    if (n.bytes > IA_HTTP_HEADERS_MAX) {
        refuse(call, 431, IA_E_LIMIT, "the request's headers are longer than 16 KB");
    }
    if (n.odd) {
        refuse(call, 400, IA_E_PARSE, "the name of a header is not valid");
    }
    for (size_t i = 0; i < IA_COUNTOF(single); i++) {
        if (n.of[i] > 1) {
            call->endless = true;
            refuse(call, 400, IA_E_PARSE, "a header that may come once comes twice");
        }
    }
    const char *coding = header(call, "Transfer-Encoding");
    if (coding && (header(call, "Content-Length") || strcasecmp(coding, "chunked") != 0)) {
        call->endless = true;
        refuse(call, 400, IA_E_PARSE, "the length of the request's body is not certain");
    }
}

static uint64_t content_length(const struct call *call)
{
    const char *text = header(call, "Content-Length");
    return text ? strtoull(text, NULL, 10) : 0;
}

static void check_access(struct call *call, const char *method)
{
    struct ia_access_request r = {
        .listener = call->conn->listener,
        .port = call->ctx->port,
        .method = method,
        .path = call->target.path ? call->target.path : "",
        .host = header(call, "Host"),
        .origin = header(call, "Origin"),
        .fetch_site = header(call, "Sec-Fetch-Site"),
        .authorization = header(call, "Authorization"),
        .content_type = header(call, "Content-Type"),
        .has_body = content_length(call) > 0 || header(call, "Transfer-Encoding"),
    };
    struct ia_err err = {0};
    ia_access_check(call->ctx->access, &r, &call->access, &err);
    if (call->access.status != 0 && call->refused == 0) {
        call->refused = call->access.status;
        call->err = err;
    }
    call->wrong = call->refused == 401 && r.authorization;
}

static void check_place(struct call *call)
{
    if (call->conn->full) {
        refuse(call, 503, IA_E_BUSY, "every connection of the server is in use; try again");
    }
}

/* All that can be told from the headers. */
static void check_head(struct call *call, const char *method)
{
    if (call->conn->foreign) {
        refuse(call, 403, IA_E_FORBIDDEN, "this socket belongs to another user");
    }
    if (call->line_too_long) {
        refuse(call, 414, IA_E_LIMIT, "the request's line is longer than 4 KB");
    }
    check_framing(call);
    /* Who may not talk learns nothing about the rest. */
    check_access(call, method);
    if (call->target_err.code != IA_OK) {
        refuse(call, 400, IA_E_PARSE, call->target_err.msg);
    }
    if (content_length(call) > IA_HTTP_BODY_MAX) {
        refuse(call, 413, IA_E_LIMIT, "the request's body is longer than 1 MiB");
    }
}

/* ---- answers ------------------------------------------------------------------------------ */

static void add(const struct call *call, struct MHD_Response *r, const char *name,
                const char *value)
{
    (void)call->ctx->mhd->MHD_add_response_header_(r, name, value);
}

/* Adds the handler's lines, "Name: value\n" each. Whether Cache-Control was among them. */
static bool add_lines(const struct call *call, struct MHD_Response *r, struct ia_buf *lines)
{
    bool cache = false;
    struct ia_str rest = ia_buf_str(lines);
    struct ia_str line;
    while (ia_str_line(&rest, &line)) {
        char *text = ia_strndup(line.p, line.n);
        char *value = strstr(text, ": ");
        if (value) {
            *value = '\0';
            cache = cache || strcasecmp(text, "Cache-Control") == 0;
            add(call, r, text, value + 2);
        }
        free(text);
    }
    return cache;
}

static struct MHD_Response *make_response(struct call *call, struct ia_http_reply *reply)
{
    const struct ia_mhd *mhd = call->ctx->mhd;
    if (reply->stream) {
        return ia_stream_response(mhd, call->conn, reply->stream, reply->stream_ctx,
                                  &call->err);
    }
    size_t n = reply->body.len;
    char *bytes = ia_buf_steal(&reply->body);
    struct MHD_Response *r =
        mhd->MHD_create_response_from_buffer_(n, bytes, MHD_RESPMEM_MUST_FREE);
    if (!r) {
        free(bytes);
    }
    return r;
}

static enum MHD_Result send_reply(struct call *call, struct ia_http_reply *reply,
                                  bool close_after)
{
    const struct ia_mhd *mhd = call->ctx->mhd;
    struct MHD_Response *r = make_response(call, reply);
    if (!r) {
        return MHD_NO;
    }
    add(call, r, "Content-Type",
        reply->content_type ? reply->content_type : "application/json");
    add(call, r, "Ios-Agent-Build", call->ctx->build);
    add(call, r, "X-Content-Type-Options", "nosniff");
    add(call, r, "Cross-Origin-Resource-Policy", "same-origin");
    if (!add_lines(call, r, &reply->headers)) {
        add(call, r, "Cache-Control", "no-store");
    }
    if (close_after) {
        add(call, r, "Connection", "close");
    }
    ia_conn_move(call->conn, IA_CONN_ANSWER);
    enum MHD_Result result = mhd->MHD_queue_response_(
        call->connection, (unsigned)(reply->status ? reply->status : 200), r);
    mhd->MHD_destroy_response_(r);
    return result;
}

/* Makes a caller that guesses wait; not one that has gone. */
static void delay(struct call *call)
{
    int64_t ms = ia_access_wrong(call->ctx->access);
    if (ms == 0) {
        return;
    }
    ia_conn_move(call->conn, IA_CONN_DELAY);
    int ready;
    struct pollfd fd = {.fd = call->conn->fd, .events = ia_platform_hangup_events()};
    (void)ia_cancel_poll(ia_conns_stopping(call->ctx->conns), &fd, 1,
                         ia_mono_us(ia_clock_system()) + ms * 1000, &ready);
}

static struct ia_http_reply empty_reply(void)
{
    return (struct ia_http_reply){.body = IA_BUF(IA_HTTP_ANSWER_MAX),
                                  .headers = IA_BUF(HEADER_LINES_MAX)};
}

static enum MHD_Result finish(struct call *call, struct ia_http_reply *reply, bool close_after)
{
    enum MHD_Result result = send_reply(call, reply, close_after);
    ia_buf_fini(&reply->body);
    ia_buf_fini(&reply->headers);
    return result;
}

static enum MHD_Result answer_refusal(struct call *call)
{
    struct ia_http_reply reply = empty_reply();
    if (call->wrong) {
        delay(call);
    }
    call->ctx->refusal(&reply, &call->err);
    reply.status = call->refused;
    if (call->refused == 401) {
        ia_http_reply_header(&reply, "WWW-Authenticate", "Bearer");
    }
    return finish(call, &reply, true);
}

/* A stream beyond the limits, or an answer that is too large, becomes an error. */
static void check_reply(struct call *call, struct ia_http_reply *reply)
{
    struct ia_err err = {0};
    if (reply->stream && !ia_conn_stream(call->conn, call->access.client)) {
        if (reply->stream->done) {
            reply->stream->done(reply->stream_ctx);
        }
        reply->stream = NULL;
        (void)ia_err_set(&err, IA_E_BUSY, "this client has as many event streams as it may");
        call->ctx->refusal(reply, &err);
        reply->status = 429;
    } else if (!reply->stream && !ia_buf_ok(&reply->body)) {
        (void)ia_err_set(&err, IA_E_LIMIT, "the answer is larger than 16 MiB; ask for less");
        call->ctx->refusal(reply, &err);
        reply->status = 500;
    }
}

static enum MHD_Result handle(struct call *call)
{
    struct ia_http_reply reply = empty_reply();
    call->request.body = ia_buf_str(&call->body);
    call->ctx->handler(call->ctx->handler_ctx, &call->request, &reply);
    ia_conn_unwatch(call->conn);
    ia_buf_fini(&call->body);
    bool guess = reply.status == 401 && call->access.scope == IA_HTTP_SCOPE_NONE;
    if (guess) {
        delay(call);
    }
    check_reply(call, &reply);
    return finish(call, &reply, guess);
}

/* ---- the library's calls ------------------------------------------------------------------ */

static size_t drop_max(const struct call *call)
{
    return call->access.scope == IA_HTTP_SCOPE_ACT ? DROP_TRUSTED_MAX : DROP_MAX;
}

static enum MHD_Result begin(struct call *call, const char *method, const char *version)
{
    call->begun = true;
    call->http_1_1 = strcmp(version, "HTTP/1.1") == 0;
    /* The library ends the target at a NUL, and the version is what stands behind the line's last space. */
    if (version != call->line_end + 1 && call->target_err.code == IA_OK) {
        (void)ia_err_set(&call->target_err, IA_E_PARSE,
                         "the request's target is not valid: it has a NUL");
    }
    ia_conn_move(call->conn, IA_CONN_BODY);
    check_head(call, method);
    if (call->refused) {
        return call->endless || content_length(call) > drop_max(call) ? answer_refusal(call)
                                                                      : MHD_YES;
    }
    call->request = (struct ia_http_request){
        .method = strcmp(method, "HEAD") == 0 ? "GET" : method,
        .path = call->target.path,
        .listener = call->conn->listener,
        .scope = call->access.scope,
        .client = call->access.client,
        .connection = call,
    };
    return MHD_YES;
}

/* Of a body in chunks nobody knows the length before its end. */
static enum MHD_Result take_upload(struct call *call, const char *bytes, size_t n)
{
    if (call->refused == 0) {
        ia_buf_put(&call->body, bytes, n);
        if (ia_buf_ok(&call->body)) {
            return MHD_YES;
        }
        ia_buf_fini(&call->body);
        refuse(call, 413, IA_E_LIMIT, "the request's body is longer than 1 MiB");
    }
    call->dropped += n;
    return call->dropped > drop_max(call) ? MHD_NO : MHD_YES;
}

enum MHD_Result ia_call_request(void *ctx, struct MHD_Connection *connection, const char *path,
                                const char *method, const char *version, const char *upload,
                                size_t *upload_size, void **state)
{
    (void)ctx;
    (void)connection;
    (void)path;
    struct call *call = *state;
    if (!call->begun) {
        return begin(call, method, version);
    }
    if (*upload_size > 0) {
        enum MHD_Result result = take_upload(call, upload, *upload_size);
        *upload_size = 0;
        return result;
    }
    if (!call->refused) {
        ia_conn_move(call->conn, IA_CONN_HANDLER); /* from here on nobody takes its place */
        check_place(call);
    }
    return call->refused ? answer_refusal(call) : handle(call);
}

void ia_call_done(void *ctx, struct MHD_Connection *connection, void **state,
                  enum MHD_RequestTerminationCode reason)
{
    (void)ctx;
    (void)connection;
    (void)reason;
    struct call *call = *state;
    if (call) {
        ia_conn_stream_end(call->conn);
        ia_conn_move(call->conn, IA_CONN_KEPT);
        ia_target_fini(&call->target);
        ia_buf_fini(&call->body);
        free(call);
        *state = NULL;
    }
}

/* ---- what handlers ask -------------------------------------------------------------------- */

const char *ia_http_query(const struct ia_http_request *r, const char *name)
{
    const struct call *call = r->connection;
    return ia_target_query(&call->target, name);
}

void ia_http_query_each(const struct ia_http_request *r, ia_http_query_fn *fn, void *ctx)
{
    const struct call *call = r->connection;
    for (size_t i = 0; i < call->target.members; i++) {
        fn(ctx, call->target.query[i].name, call->target.query[i].value);
    }
}

const char *ia_http_header(const struct ia_http_request *r, const char *name)
{
    return header(r->connection, name);
}

struct ia_cancel *ia_http_cancel(const struct ia_http_request *r)
{
    const struct call *call = r->connection;
    return ia_conn_watch(call->conn, call->http_1_1);
}
