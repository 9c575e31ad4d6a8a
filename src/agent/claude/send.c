/* send.c: one call: attempts, repairs and retries until an answer is complete.
 *
 *     ia_claude_send
 *       └► run_attempt: body, key borrowed, POST, bytes ─► sse.c ─► accum.c ─► message
 *             │ failed
 *             ├ not a matter of the API (cancelled, deadline, our own limits) ──────► error
 *             ├ repaired: the request is changed ─────────────┐
 *             ├ retry: wait as retry.c says, cancellable ─────┤
 *             └ neither: final error with hint ───────────────│─────────────────────► error
 *             ▲                                               │
 *             └───────────────────────────────────────────────┘
 *
 * A call has no effect beyond its answer, so every attempt may be repeated, as far as the
 * caller's budget goes. What attempts that broke off have used is kept in `broken`, since it is billed. The sending thread owns
 * everything here; with `direct` hooks, bytes are decoded on the reactor's thread instead, while
 * the sending thread waits. */
#include "agent/claude/client_impl.h"
#include "agent/claude/endpoint.h"
#include "agent/claude/retry.h"
#include "base/log.h"
#include "net/sse.h"

#include <string.h>
#include <strings.h>

#define BINDING_BETA "thinking-binding-controls-2026-08-01"
#define COMPACT_BETA "compact-2026-09-04"
enum { KEEP_IMAGES = 3 }; /* when old ones are dropped from a prompt that is too long */

/* A call: the attempts until one succeeds. */
struct call {
    struct ia_claude_conn *conn;
    const struct ia_claude_request *req;
    const struct ia_claude_hooks *hooks;
    struct ia_cancel *cancel;
    int64_t deadline_us; /* of the client's clock */
    struct ia_retry retry;
    struct ia_api_failure failure; /* of the last attempt */
    struct ia_claude_broken broken;
    int attempts;
    bool text_shown; /* by the last attempt */
    bool dropped_images;
};

struct attempt {
    struct call *call;
    struct ia_accum *accum;
    struct ia_sse sse;
    struct ia_buf plain_json; /* an answer that was not streamed */
    struct ia_http_answer answer;
    struct ia_api_headers headers; /* of the answer */
    int64_t start_us;
    int64_t first_us; /* of the first event, or 0 */
    bool error_event; /* the failure was read from it */
    bool final;       /* a retry cannot help */
};

static void on_text(void *ctx, struct ia_str text)
{
    struct call *c = ctx;
    c->text_shown = true;
    c->hooks->text(c->hooks->ctx, text);
}

static enum ia_rc on_event(void *ctx, struct ia_str name, struct ia_str data,
                           struct ia_err *err)
{
    struct attempt *a = ctx;
    struct call *c = a->call;
    /* The system's clock and not the client's: this is a measurement. */
    if (!a->first_us) {
        a->first_us = ia_mono_us(ia_clock_system());
    }
    if (c->hooks->event) {
        c->hooks->event(c->hooks->ctx, name, data);
    }
    /* Status 0: the HTTP answer was 200 long before. The failure keeps the request id. */
    if (name.p && ia_str_is(name, "error")) {
        a->error_event = true;
        ia_api_headers_reset(&c->failure.headers);
        memcpy(c->failure.headers.request_id, a->headers.request_id,
               sizeof(c->failure.headers.request_id));
        ia_api_error(&c->failure, 0, data);
        return ia_api_failure_err(&c->failure, c->req->model, err);
    }
    return ia_accum_event(a->accum, name, data, err);
}

static bool type_starts(const struct attempt *a, const char *type)
{
    return strncasecmp(a->headers.content_type, type, strlen(type)) == 0;
}

static enum ia_rc take_bytes(void *ctx, const char *p, size_t n, struct ia_err *err)
{
    struct attempt *a = ctx;
    if (type_starts(a, "text/event-stream") || !a->headers.content_type[0]) {
        return ia_sse_feed(&a->sse, p, n, err);
    }
    if (type_starts(a, "application/json")) {
        ia_buf_put(&a->plain_json, p, n);
        return ia_buf_check(&a->plain_json, "the answer", err);
    }
    /* A web page or another thing that no API answers with. */
    a->final = true;
    return ia_err_set(err, IA_E_API_PROTOCOL, "%s answered with %s instead of an event stream",
                      a->call->conn->client->url, a->headers.content_type);
}

static void begin_answer(void *ctx)
{
    ia_api_headers_reset(&((struct attempt *)ctx)->headers);
}

static void take_header(void *ctx, struct ia_str name, struct ia_str value)
{
    ia_api_headers_take(&((struct attempt *)ctx)->headers, name, value);
}

static enum ia_rc read_body(void *ctx, char *dst, size_t n, size_t *ret_n, struct ia_err *err)
{
    return ia_body_read(ctx, dst, n, ret_n, err);
}

static void rewind_body(void *ctx)
{
    ia_body_rewind(ctx);
}

static bool is_complete(void *ctx)
{
    return ia_accum_stopped(((struct attempt *)ctx)->accum);
}

static void add_headers(struct ia_header_lines *h, const struct call *call,
                        struct ia_str secret)
{
    const struct ia_claude *c = call->conn->client;
    const struct ia_claude_repairs *repairs = &call->conn->repairs;
    bool bearer = c->auth == IA_CLAUDE_AUTH_BEARER;
    /* Each beta goes with the member or the block that needs it, and only with it. */
    bool binding = repairs->binding && !repairs->strip_thinking;
    bool compact = call->req->compaction.n > 0 || ia_history_compacted(call->req->history);
    ia_header_add(h, "content-type: ", ia_str("application/json"));
    ia_header_add(h, "accept: ", ia_str("application/json"));
    ia_header_add(h, "user-agent: ", ia_str(c->user_agent));
    ia_header_add(h, "anthropic-version: ", ia_str(c->version));
    if (binding || compact) {
        ia_header_add(h, "anthropic-beta: ",
                      ia_str(!compact  ? BINDING_BETA
                             : binding ? BINDING_BETA "," COMPACT_BETA
                                       : COMPACT_BETA));
    }
    ia_header_add(h, "expect:", ia_str("")); /* no 100-continue round trip */
    ia_header_add(h, bearer ? "authorization: Bearer " : "x-api-key: ", secret);
}

/* A deadline of the client's clock as one of the system's, which polls use. */
static int64_t system_deadline(const struct call *c)
{
    if (c->deadline_us == IA_NO_DEADLINE) {
        return IA_NO_DEADLINE;
    }
    int64_t left = c->deadline_us - ia_mono_us(c->conn->client->clock);
    return ia_mono_us(ia_clock_system()) + left;
}

static void on_beat(void *ctx)
{
    const struct ia_claude_hooks *hooks = ((struct attempt *)ctx)->call->hooks;
    hooks->beat(hooks->ctx);
}

static enum ia_rc post(struct attempt *a, struct ia_body *body,
                       const struct ia_header_lines *lines, struct ia_err *err)
{
    const struct ia_claude *c = a->call->conn->client;
    const struct ia_claude_hooks *hooks = a->call->hooks;
    struct ia_http_call http = {.url = c->url,
                                .body = {.size_bytes = ia_body_size(body),
                                         .read = read_body,
                                         .rewind = rewind_body,
                                         .ctx = body},
                                .ca_bundle = c->ca_bundle,
                                .proxy = c->proxy,
                                .connect_timeout_ms = c->connect_timeout_ms,
                                .idle_timeout_ms = c->idle_timeout_ms,
                                .deadline_us = system_deadline(a->call),
                                .cancel = a->call->cancel,
                                .bytes_max = IA_CLAUDE_MESSAGE_MAX,
                                .begin = begin_answer,
                                .header = take_header,
                                .take = take_bytes,
                                .complete = is_complete,
                                /* Without hooks nobody cares on which thread bytes are
                                 * decoded, and a hand-over is saved. */
                                .direct = hooks->direct || (!hooks->text && !hooks->event),
                                .beat = hooks->beat ? on_beat : NULL,
                                .ctx = a};
    for (size_t i = 0; i < lines->count; i++) {
        http.headers[i] = ia_header_line(lines, i);
    }
    bool final = false;
    enum ia_rc rc = ia_http_post(a->call->conn->http, &http, &a->answer, &final, err);
    a->final = a->final || final;
    return rc;
}

/* Makes the message of an answer that came to its end. */
static enum ia_rc read_answer(struct attempt *a, struct ia_claude_message *ret,
                              struct ia_err *err)
{
    struct ia_api_failure *f = &a->call->failure;
    if (a->answer.status != 200) {
        ia_api_error(f, a->answer.status, ia_buf_str(&a->answer.error_body));
        return ia_api_failure_err(f, a->call->req->model, err);
    }
    /* A server may answer with one JSON object although a stream was asked for. */
    if (a->plain_json.len > 0) {
        return ia_claude_message_parse(ia_buf_str(&a->plain_json), ret, err);
    }
    return ia_accum_finish(a->accum, ret, err);
}

/* Notes what a failed attempt was about, unless the API said so itself. */
static void note_failure(struct attempt *a, enum ia_rc rc, const struct ia_err *err)
{
    struct ia_api_failure *f = &a->call->failure;
    f->code = rc;
    /* With a status, ia_api_error has taken the server's own words. */
    if (f->status == 0) {
        size_t n = strlen(err->msg);
        n = n < sizeof(f->message) ? n : sizeof(f->message) - 1;
        memcpy(f->message, err->msg, n);
        f->message[n] = '\0';
    }
    if (a->final) {
        f->headers.should_retry = 0;
    }
    /* message_start tells the input's tokens: they are billed, whatever came after, and what was
     * made until the stream broke may be. */
    if (ia_accum_started(a->accum)) {
        struct ia_claude_usage u = ia_accum_usage(a->accum);
        const struct ia_claude_tokens *t = &u.total;
        a->call->broken.turns++;
        a->call->broken.input_tokens += (t->input > 0 ? t->input : 0) +
                                        (t->cache_read > 0 ? t->cache_read : 0) +
                                        (t->cache_write > 0 ? t->cache_write : 0);
        a->call->broken.output_tokens += ia_accum_made_tokens(a->accum);
        ia_claude_usage_fini(&u);
    }
}

static void start_attempt(struct attempt *a, struct call *c)
{
    *a = (struct attempt){.call = c,
                          .plain_json = IA_BUF(IA_CLAUDE_MESSAGE_MAX),
                          .start_us = ia_mono_us(ia_clock_system())};
    a->accum = ia_accum_new(c->hooks->text ? on_text : NULL, c);
    ia_sse_init(&a->sse, on_event, a);
    c->text_shown = false;
    c->failure = (struct ia_api_failure){.headers = {.should_retry = -1}};
}

/* Everything of an answer that messages and logs may quote: servers may echo what they got. The
 * content is the model's and stays as it is. */
static void redact_answer(struct attempt *a, struct ia_claude_message *m, struct ia_str secret)
{
    struct ia_api_failure *f = &a->call->failure;
    char *texts[] = {f->message,
                     f->type,
                     f->error_code,
                     f->headers.request_id,
                     a->headers.request_id,
                     m ? m->model : NULL,
                     m ? m->stop_reason : NULL,
                     m ? m->stop_details : NULL};
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        if (texts[i]) {
            ia_secret_redact(texts[i], secret);
        }
    }
}

/* An answer beyond our caps is the server's fault, and the next would be as large. */
static enum ia_rc too_large(struct attempt *a, struct ia_err *err)
{
    a->final = true;
    err->code = IA_E_API_PROTOCOL;
    return IA_E_API_PROTOCOL;
}

/* Sends with the secret borrowed; nothing of it outlives this function. */
static enum ia_rc send_once(struct attempt *a, struct ia_body *body,
                            struct ia_claude_reply *ret, struct ia_err *err)
{
    const struct ia_claude_secret *lender = &a->call->conn->client->secret;
    struct ia_api_failure *f = &a->call->failure;
    struct ia_header_lines lines = {0};
    /* From here on the key is in the header lines too, until ia_header_fini. */
    struct ia_str secret = lender->borrow(lender->ctx);
    enum ia_rc rc = ia_secret_check(secret, err);
    if (!rc) {
        add_headers(&lines, a->call, secret);
        rc = post(a, body, &lines, err);
        if (!a->error_event) {
            f->headers = a->headers;
            f->headers.should_retry = a->answer.status == 200 ? -1 : f->headers.should_retry;
        }
        rc = rc ? rc : read_answer(a, &ret->message, err);
        rc = rc == IA_E_LIMIT ? too_large(a, err) : rc;
    }
    /* Before release: redacting needs the key. */
    if (rc) {
        ia_secret_redact(err->msg, secret);
    }
    redact_answer(a, rc ? NULL : &ret->message, secret);
    ia_header_fini(&lines);
    if (lender->release) {
        lender->release(lender->ctx);
    }
    return rc;
}

static enum ia_rc run_attempt(struct call *c, struct ia_claude_reply *ret, struct ia_err *err)
{
    struct attempt a;
    struct ia_body *body = NULL;
    start_attempt(&a, c);
    enum ia_rc rc = ia_body_new(c->req, &c->conn->repairs, &body, err);
    rc = rc ? rc : send_once(&a, body, ret, err);
    ia_body_free(body);
    if (rc) {
        note_failure(&a, rc, err);
    } else {
        memcpy(ret->request_id, a.headers.request_id, sizeof(ret->request_id));
        ret->first_byte_us = a.first_us ? a.first_us - a.start_us : 0;
    }
    ia_sse_fini(&a.sse);
    ia_accum_free(a.accum);
    ia_buf_fini(&a.plain_json);
    ia_buf_fini(&a.answer.error_body);
    return rc;
}

static void notify_retry(const struct call *c, int64_t wait_ms, bool repaired)
{
    const struct ia_api_failure *f = &c->failure;
    IA_LOG(IA_LOG_WARN, "api.retry", IA_S("code", ia_rc_name(f->code)),
           IA_I("status", f->status), IA_S("type", f->type),
           IA_S("request_id", f->headers.request_id), IA_I("attempt", c->attempts),
           IA_I("wait_ms", wait_ms), IA_I("repaired", repaired));
    if (!c->hooks->retry) {
        return;
    }
    struct ia_claude_retry_notice notice = {.attempt = c->attempts,
                                            .wait_ms = wait_ms,
                                            .code = f->code,
                                            .message = f->message,
                                            .text_discarded = c->text_shown,
                                            .repaired = repaired};
    c->hooks->retry(c->hooks->ctx, &notice);
}

/* Drops old screenshots where the model lets history be edited, once per call. */
static bool drop_images(struct call *c)
{
    const struct ia_model *m = ia_models_find(c->conn->client->models, c->req->model);
    /* Where signed thinking is bound to the history, a changed history would invalidate it. */
    if (!m || m->signature_bound || c->dropped_images) {
        return false;
    }
    c->dropped_images = true;
    return ia_history_drop_images(c->req->history, KEEP_IMAGES) > 0;
}

static bool repair_request(struct call *c)
{
    enum ia_repair repair = ia_repair_next(&c->failure, c->req, &c->conn->repairs);
    return repair == IA_REPAIR_IMAGES ? drop_images(c) : repair != IA_REPAIR_NONE;
}

static enum ia_rc final_error(const struct call *c, struct ia_err *err)
{
    const struct ia_claude *client = c->conn->client;
    const struct ia_api_failure *f = &c->failure;
    if (f->status == 0 && err->hint[0]) {
        return f->code; /* err is still that of the attempt, with a better hint */
    }
    (void)ia_api_failure_err(f, c->req->model, err);
    err->retry_after_ms = ia_retry_after_ms(&f->headers, ia_wall_ms(client->clock));
    const char *near = ia_models_nearest(client->models, c->req->model);
    if (f->code == IA_E_API_NOT_FOUND && near && strcmp(near, c->req->model) != 0) {
        ia_err_hint(err, "the model \"%s\" is not known; did you mean \"%s\" (--model)?",
                    c->req->model, near);
    }
    return f->code;
}

/* Another attempt costs like the first: whoever pays is asked. */
static enum ia_rc ask_caller(const struct call *c, struct ia_err *err)
{
    return c->hooks->again ? c->hooks->again(c->hooks->ctx, &c->broken, err) : IA_OK;
}

/* After a failed attempt: IA_OK when another may follow now. */
static enum ia_rc prepare_next(struct call *c, struct ia_err *err)
{
    const struct ia_claude *client = c->conn->client;
    int64_t wait_ms = 0;
    /* A repair costs no try: the request was refused and is now another one. Each is made
     * once, so this ends. */
    if (repair_request(c)) {
        notify_retry(c, 0, true);
        return ask_caller(c, err);
    }
    if (!ia_retry_next(&c->retry, &c->failure, ia_mono_us(client->clock),
                       ia_wall_ms(client->clock), ia_rand_next(client->rand), &wait_ms)) {
        return final_error(c, err);
    }
    enum ia_rc rc = ask_caller(c, err);
    if (rc) {
        return rc;
    }
    notify_retry(c, wait_ms, false);
    if (ia_clock_wait(client->clock, c->cancel, ia_mono_us(client->clock) + wait_ms * 1000)) {
        return ia_err_set(err, IA_E_CANCELLED, "the request was cancelled");
    }
    return IA_OK;
}

static void complete_reply(const struct call *c, struct ia_claude_reply *r, int64_t start_us)
{
    const struct ia_claude *client = c->conn->client;
    const struct ia_claude_message *m = &r->message;
    r->attempts = c->attempts;
    r->broken = c->broken;
    r->duration_us = ia_mono_us(client->clock) - start_us;
    r->cost_known = ia_models_cost(client->models, m->model ? m->model : c->req->model,
                                   &m->usage, &r->cost_usd);
    IA_LOG(IA_LOG_INFO, "api.answer", IA_S("request_id", r->request_id),
           IA_S("model", m->model), IA_S("stop", m->stop_reason), IA_I("attempts", r->attempts),
           IA_I("us", r->duration_us));
}

static enum ia_rc run_call(struct call *c, struct ia_claude_reply *ret, struct ia_err *err)
{
    for (;;) {
        c->attempts++;
        enum ia_rc rc = run_attempt(c, ret, err);
        /* Only failures of the API, or of the way to it, may be retried or repaired. */
        if (!rc || ia_rc_exit(rc) != ia_rc_exit(IA_E_API_NETWORK)) {
            return rc;
        }
        rc = prepare_next(c, err);
        if (rc) {
            return rc;
        }
    }
}

enum ia_rc ia_claude_send(struct ia_claude_conn *conn, const struct ia_claude_request *req,
                          const struct ia_claude_hooks *hooks, struct ia_cancel *cancel,
                          int64_t deadline_us, struct ia_claude_reply *ret, struct ia_err *err)
{
    static const struct ia_claude_hooks no_hooks;
    struct ia_err attempt_err = {
        0}; /* also of attempts that were retried: no result of the call */
    struct call c = {.conn = conn,
                     .req = req,
                     .hooks = hooks ? hooks : &no_hooks,
                     .cancel = cancel,
                     .deadline_us = deadline_us,
                     .retry = ia_retry_start(conn->client->max_retries, deadline_us)};
    struct ia_claude_reply reply = {.message = {.usage = ia_claude_usage_none()}};
    int64_t start_us = ia_mono_us(conn->client->clock);
    enum ia_rc rc = run_call(&c, &reply, &attempt_err);
    if (!rc) {
        complete_reply(&c, &reply, start_us);
        *ret = reply;
    } else if (err) {
        *err = attempt_err;
    }
    conn->broken = c.broken;
    return rc;
}

struct ia_claude_broken ia_claude_conn_broken(const struct ia_claude_conn *conn)
{
    return conn->broken;
}
