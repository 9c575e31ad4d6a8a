/* answer.c: does what a request asks, and sends what it came to. */
#include "server/mcp/core/mcp_impl.h"

#include "agent/prompts/schema.h"
#include "base/utf8.h"
#include "json/json.h"

#include <string.h>

/* Where messages of one request go. */
struct ia_mcp_progress {
    ia_mcp_send_fn *send;
    void *ctx;
    const json_t *token;
    double last;
    struct ia_cancel *cancel;
};

static bool gone(struct ia_cancel *cancel)
{
    return cancel && ia_cancel_fired(cancel);
}

/* The first n characters of a text. */
static struct ia_str characters(const char *text, size_t n)
{
    struct ia_str all = ia_str(text);
    size_t at = 0;
    for (; at < all.n && n > 0; n--) {
        size_t len = ia_utf8_valid_len(all.p + at, all.n - at);
        at += len ? len : 1;
    }
    return (struct ia_str){all.p, at};
}

static void put_token(struct ia_jsonw *w, const json_t *token)
{
    if (json_is_string(token)) {
        ia_jsonw_str(w, ia_json_str(token));
    } else {
        ia_jsonw_int(w, json_integer_value(token));
    }
}

void ia_mcp_tell(struct ia_mcp_call *call, double progress, double total, const char *message)
{
    struct ia_mcp_progress *p = call->progress;
    if (!p || progress <= p->last || gone(p->cancel)) {
        return;
    }
    p->last = progress;
    struct ia_buf out = IA_BUF(IA_MCP_ANSWER_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "jsonrpc", "2.0");
    ia_jsonw_kv(&w, "method", "notifications/progress");
    ia_jsonw_key(&w, "params");
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "progressToken");
    put_token(&w, p->token);
    ia_jsonw_kv_real(&w, "progress", progress);
    if (total > 0) {
        ia_jsonw_kv_real(&w, "total", total);
    }
    if (message && *message) {
        ia_jsonw_key(&w, "message");
        ia_jsonw_str(&w, characters(message, IA_MCP_NOTE_MAX));
    }
    ia_jsonw_end_object(&w);
    ia_jsonw_end_object(&w);
    p->send(p->ctx, ia_buf_str(&out), false);
    ia_buf_fini(&out);
}

/* ---- tools/call --------------------------------------------------------------------------- */

static void write_started_task(struct ia_mcp *mcp, const struct ia_mcp_request *r,
                               const char *id, struct ia_buf *out)
{
    struct ia_mcp_task task = {.state = IA_MCP_TASK_WORKING};
    struct ia_jsonw w;
    ia_mcp_result_init(&task.result);
    if (mcp->opts.tasks->get(mcp->opts.ctx, id, &task)) {
        /* The answer to the call says that there is a task; tasks/get says what came of it. */
        task.state = IA_MCP_TASK_WORKING;
        ia_jsonw_init(&w, out);
        ia_mcp_begin_result(&w, r);
        ia_mcp_write_task(&w, &task);
        ia_mcp_end_result(&w, mcp, r, "task", false);
    } else {
        struct ia_mcp_error e = {.data = IA_BUF(IA_MCP_ERROR_DATA_MAX)};
        ia_mcp_error_set(&e, IA_MCP_INTERNAL, "the task cannot be read");
        ia_mcp_write_error(out, r, &e);
        ia_buf_fini(&e.data);
    }
    ia_mcp_result_fini(&task.result);
}

static void write_result(const struct ia_mcp *mcp, const struct ia_mcp_request *r,
                         const struct ia_mcp_result *result, enum ia_rc rc,
                         const struct ia_err *err, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_mcp_begin_result(&w, r);
    ia_mcp_write_call_result(&w, result, rc, err, false);
    ia_mcp_end_result(&w, mcp, r, "complete", false);
}

static enum ia_rc call_tool(struct ia_mcp *mcp, struct ia_mcp_call *call,
                            struct ia_mcp_result *result, struct ia_err *err)
{
    json_t *none = json_object();
    call->args = call->args ? call->args : none;
    enum ia_rc rc =
        ia_schema_check(ia_mcp_tool_schema(mcp, call->tool), call->args, call->tool->name, err);
    if (rc == IA_OK) {
        rc = call->tool->run(call, result, err);
    }
    json_decref(none);
    return rc;
}

static int answer_call(struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                       const struct ia_mcp_request *r, struct ia_mcp_progress *progress,
                       struct ia_buf *out)
{
    struct ia_err err = {.code = IA_OK};
    struct ia_mcp_result result;
    ia_mcp_result_init(&result);
    progress->token = json_object_get(r->meta, "progressToken");
    bool told = json_is_integer(progress->token) ||
                (json_is_string(progress->token) &&
                 json_string_length(progress->token) <= IA_MCP_ID_MAX);
    struct ia_mcp_call call = {.tool = r->tool,
                               .args = json_object_get(r->params, "arguments"),
                               .meta = r->meta,
                               .peer = peer,
                               .cancel = progress->cancel,
                               .tasks = mcp->opts.tasks && ia_mcp_takes_tasks(r),
                               .ctx = mcp->opts.ctx,
                               .progress = told ? progress : NULL};
    enum ia_rc rc = call_tool(mcp, &call, &result, &err);
    if (rc == IA_OK && result.error.code != 0) {
        ia_mcp_write_error(out, r, &result.error);
    } else if (rc == IA_OK && *result.task) {
        write_started_task(mcp, r, result.task, out);
    } else {
        write_result(mcp, r, &result, rc, &err, out);
        if (!ia_buf_ok(out) || !ia_buf_ok(&result.text) || !ia_buf_ok(&result.content)) {
            ia_buf_reset(out);
            ia_mcp_result_fini(&result);
            ia_mcp_result_init(&result);
            rc = ia_err_set(&err, IA_E_LIMIT, "the result is larger than %d bytes",
                            IA_MCP_ANSWER_MAX);
            write_result(mcp, r, &result, rc, &err, out);
        }
    }
    int http = rc == IA_OK ? result.error.http : 0;
    ia_mcp_result_fini(&result);
    return http;
}

/* ---- tasks -------------------------------------------------------------------------------- */

static void answer_task(struct ia_mcp *mcp, const struct ia_mcp_request *r, struct ia_buf *out)
{
    struct ia_mcp_task task = {.state = IA_MCP_TASK_WORKING};
    struct ia_mcp_error unknown = {.data = IA_BUF(IA_MCP_ERROR_DATA_MAX)};
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_mcp_result_init(&task.result);
    const struct ia_mcp_tasks *tasks = mcp->opts.tasks;
    bool get = strcmp(r->method, "tasks/get") == 0;
    bool there =
        get ? tasks->get(mcp->opts.ctx, r->name, &task)
            : strcmp(r->method, "tasks/cancel") == 0 && tasks->cancel(mcp->opts.ctx, r->name);
    if (there) {
        ia_mcp_begin_result(&w, r);
        if (get) {
            ia_mcp_write_task(&w, &task);
        }
        ia_mcp_end_result(&w, mcp, r, "complete", false);
    } else {
        bool update = strcmp(r->method, "tasks/update") == 0;
        ia_mcp_error_set(&unknown, IA_MCP_PARAMS,
                         update ? "The task %.100s asked for no input" : "Unknown task: %.100s",
                         r->name);
        ia_mcp_write_error(out, r, &unknown);
    }
    ia_buf_fini(&unknown.data);
    ia_mcp_result_fini(&task.result);
}

/* ---- any request -------------------------------------------------------------------------- */

static int answer_one(struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                      const struct ia_mcp_request *r, struct ia_mcp_progress *progress,
                      struct ia_buf *out)
{
    int http = r->error.http;
    if (r->error.code != 0) {
        ia_mcp_write_error(out, r, &r->error);
    } else if (r->kind == IA_MCP_CALL) {
        http = answer_call(mcp, peer, r, progress, out);
    } else if (r->kind == IA_MCP_TASK) {
        answer_task(mcp, r, out);
    } else if (r->kind == IA_MCP_QUICK) {
        const struct ia_mcp_method *method = ia_mcp_method(mcp, r->method, r->modern);
        struct ia_jsonw w;
        ia_jsonw_init(&w, out);
        ia_mcp_begin_result(&w, r);
        method->write(&w, mcp, peer, r);
        ia_mcp_end_result(&w, mcp, r, "complete", method->cached);
    }
    return http;
}

static void answer_batch(struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                         const struct ia_mcp_request *batch, struct ia_mcp_progress *progress,
                         struct ia_buf *out)
{
    struct ia_mcp_request *r = NULL;
    for (size_t i = 0; (r = ia_mcp_batch(mcp, peer, batch, i)) != NULL; i++) {
        struct ia_buf one = IA_BUF(IA_MCP_ANSWER_MAX);
        if (r->kind != IA_MCP_SILENT && !gone(progress->cancel)) {
            progress->last = -1;
            (void)answer_one(mcp, peer, r, progress, &one);
            ia_buf_putc(out, out->len == 0 ? '[' : ',');
            ia_buf_putstr(out, ia_buf_str(&one));
        }
        ia_buf_fini(&one);
        ia_mcp_request_free(r);
    }
    if (out->len > 0) {
        ia_buf_putc(out, ']');
    }
}

int ia_mcp_answer(struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                  const struct ia_mcp_request *r, struct ia_cancel *cancel,
                  ia_mcp_send_fn *send, void *ctx)
{
    struct ia_buf out = IA_BUF(IA_MCP_ANSWER_MAX);
    struct ia_mcp_progress progress = {.send = send, .ctx = ctx, .last = -1, .cancel = cancel};
    int http = 0;
    if (r->kind == IA_MCP_BATCH) {
        answer_batch(mcp, peer, r, &progress, &out);
    } else {
        http = answer_one(mcp, peer, r, &progress, &out);
    }
    if (!ia_buf_ok(&out)) {
        struct ia_mcp_error large = {.code = 0};
        ia_buf_reset(&out);
        ia_mcp_error_set(&large, IA_MCP_INTERNAL, "the answer is larger than %d bytes",
                         IA_MCP_ANSWER_MAX);
        ia_mcp_write_error(&out, r, &large);
        ia_buf_fini(&large.data);
    }
    if (out.len > 0 && !gone(cancel)) {
        send(ctx, ia_buf_str(&out), true);
    }
    ia_buf_fini(&out);
    return http;
}

void ia_mcp_answer_failure(const struct ia_mcp *mcp, const struct ia_mcp_request *r,
                           enum ia_rc rc, const struct ia_err *err, ia_mcp_send_fn *send,
                           void *ctx)
{
    struct ia_buf out = IA_BUF(IA_MCP_ANSWER_MAX);
    if (r->kind == IA_MCP_CALL) {
        struct ia_mcp_result none;
        ia_mcp_result_init(&none);
        write_result(mcp, r, &none, rc, err, &out);
        ia_mcp_result_fini(&none);
    } else {
        struct ia_mcp_error e = {.code = 0};
        ia_mcp_error_set(&e, IA_MCP_INTERNAL, "%s: %s", ia_rc_name(rc), err->msg);
        ia_mcp_write_error(&out, r, &e);
        ia_buf_fini(&e.data);
    }
    send(ctx, ia_buf_str(&out), true);
    ia_buf_fini(&out);
}
