/* write.c: the bytes that go out. */
#include "server/mcp/core/mcp_impl.h"

#include "base/clock.h"
#include "json/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CACHE_MS = 3600000, POLL_MS = 1000 };

static int http_status(enum ia_mcp_code code)
{
    switch (code) {
    case IA_MCP_PARSE:
    case IA_MCP_INVALID:
    case IA_MCP_HEADERS:
    case IA_MCP_CAPABILITY:
    case IA_MCP_VERSION:
        return 400;
    default:
        return 0;
    }
}

void ia_mcp_error_set(struct ia_mcp_error *e, enum ia_mcp_code code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(e->message, sizeof(e->message), fmt, args);
    va_end(args);
    e->code = code;
    e->http = http_status(code);
    if (e->data.max == 0) {
        e->data = IA_BUF(IA_MCP_ERROR_DATA_MAX);
    }
    ia_buf_reset(&e->data);
}

/* ---- frames ------------------------------------------------------------------------------- */

static void begin(struct ia_jsonw *w, const struct ia_mcp_request *r)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "jsonrpc", "2.0");
    ia_jsonw_key(w, "id");
    ia_jsonw_raw(w, r->id.len ? ia_buf_str(&r->id) : ia_str("null"));
}

void ia_mcp_write_error(struct ia_buf *out, const struct ia_mcp_request *r,
                        const struct ia_mcp_error *e)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    begin(&w, r);
    ia_jsonw_key(&w, "error");
    ia_mcp_write_error_object(&w, e);
    ia_jsonw_end_object(&w);
}

void ia_mcp_write_error_object(struct ia_jsonw *w, const struct ia_mcp_error *e)
{
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "code", e->code);
    ia_jsonw_kv(w, "message", e->message);
    if (e->data.len > 0) {
        ia_jsonw_key(w, "data");
        ia_jsonw_raw(w, ia_buf_str(&e->data));
    }
    ia_jsonw_end_object(w);
}

void ia_mcp_begin_result(struct ia_jsonw *w, const struct ia_mcp_request *r)
{
    begin(w, r);
    ia_jsonw_key(w, "result");
    ia_jsonw_object(w);
}

void ia_mcp_write_server_info(struct ia_jsonw *w, const struct ia_mcp *mcp)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", "ios-agent");
    ia_jsonw_kv(w, "version", mcp->opts.version);
    ia_jsonw_end_object(w);
}

void ia_mcp_end_result(struct ia_jsonw *w, const struct ia_mcp *mcp,
                       const struct ia_mcp_request *r, const char *type, bool cached)
{
    if (r->modern) {
        ia_jsonw_kv(w, "resultType", type);
        if (cached) {
            ia_jsonw_kv_int(w, "ttlMs", CACHE_MS);
            ia_jsonw_kv(w, "cacheScope", "public");
        }
        ia_jsonw_key(w, "_meta");
        ia_jsonw_object(w);
        ia_jsonw_key(w, IA_MCP_META_SERVER);
        ia_mcp_write_server_info(w, mcp);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
}

/* ---- results of calls --------------------------------------------------------------------- */

void ia_mcp_result_init(struct ia_mcp_result *r)
{
    *r = (struct ia_mcp_result){.text = IA_BUF(IA_MCP_ANSWER_MAX),
                                .content = IA_BUF(IA_MCP_ANSWER_MAX),
                                .structured = IA_BUF(IA_MCP_ANSWER_MAX),
                                .error.data = IA_BUF(IA_MCP_ERROR_DATA_MAX)};
}

void ia_mcp_result_fini(struct ia_mcp_result *r)
{
    ia_buf_fini(&r->text);
    ia_buf_fini(&r->content);
    ia_buf_fini(&r->structured);
    ia_buf_fini(&r->error.data);
}

void ia_mcp_result_blob(struct ia_mcp_result *r, const char *type, const char *mime,
                        struct ia_str bytes)
{
    struct ia_jsonw w;
    if (r->content.len > 0) {
        ia_buf_putc(&r->content, ',');
    }
    ia_jsonw_init(&w, &r->content);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "type", type);
    ia_jsonw_key(&w, "data");
    ia_jsonw_base64(&w, bytes.p, bytes.n);
    ia_jsonw_kv(&w, "mimeType", mime);
    ia_jsonw_end_object(&w);
}

static const char *outcome_text(enum ia_outcome outcome)
{
    switch (outcome) {
    case IA_OUTCOME_NOT_SENT:
        return "nothing was sent to the device";
    case IA_OUTCOME_SENT:
        return "the action was sent, and has happened";
    case IA_OUTCOME_UNKNOWN:
        return "it may have happened: look before you try again";
    default:
        return NULL;
    }
}

/* "CODE: message", the hint and what is known of the effect. */
static void write_failure(struct ia_buf *out, enum ia_rc rc, const struct ia_err *err)
{
    const char *outcome = outcome_text(err->outcome);
    ia_buf_printf(out, "%s: %s", ia_rc_name(rc), err->msg);
    if (outcome) {
        ia_buf_printf(out, "\noutcome: %s", outcome);
    }
    if (*err->hint) {
        ia_buf_printf(out, "\nhint: %s", err->hint);
    }
}

void ia_mcp_write_call_result(struct ia_jsonw *w, const struct ia_mcp_result *result,
                              enum ia_rc rc, const struct ia_err *err, bool always_error)
{
    struct ia_buf text = IA_BUF(IA_MCP_ANSWER_MAX);
    if (rc != IA_OK) {
        write_failure(&text, rc, err);
        ia_buf_puts(&text, result->text.len ? "\n" : "");
    }
    ia_buf_putstr(&text, ia_buf_str(&result->text));
    ia_jsonw_key(w, "content");
    ia_jsonw_array(w);
    if (text.len > 0 || result->content.len == 0) {
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "type", "text");
        ia_jsonw_key(w, "text");
        ia_jsonw_str(w, ia_buf_str(&text));
        ia_jsonw_end_object(w);
    }
    if (result->content.len > 0) {
        ia_jsonw_raw(w, ia_buf_str(&result->content));
    }
    ia_jsonw_end_array(w);
    ia_buf_fini(&text);
    if (result->structured.len > 0) {
        ia_jsonw_key(w, "structuredContent");
        ia_jsonw_raw(w, ia_buf_str(&result->structured));
    }
    if (rc != IA_OK || result->failed || always_error) {
        ia_jsonw_kv_bool(w, "isError", rc != IA_OK || result->failed);
    }
}

/* ---- tasks -------------------------------------------------------------------------------- */

bool ia_mcp_takes_tasks(const struct ia_mcp_request *r)
{
    const json_t *capabilities = json_object_get(r->meta, IA_MCP_META_CAPABILITIES);
    const json_t *extensions = json_object_get(capabilities, "extensions");
    return r->modern && json_is_object(json_object_get(extensions, IA_MCP_TASKS));
}

static void write_time(struct ia_jsonw *w, const char *key, int64_t wall_ms)
{
    char text[IA_ISO_SIZE];
    ia_iso_format(wall_ms, text);
    ia_jsonw_kv(w, key, text);
}

void ia_mcp_write_task(struct ia_jsonw *w, const struct ia_mcp_task *task)
{
    static const char *const words[] = {"working", "completed", "failed", "cancelled"};
    ia_jsonw_kv(w, "taskId", task->id);
    ia_jsonw_kv(w, "status", words[task->state]);
    if (*task->message) {
        ia_jsonw_kv(w, "statusMessage", task->message);
    }
    write_time(w, "createdAt", task->created_ms);
    write_time(w, "lastUpdatedAt", task->updated_ms);
    ia_jsonw_key(w, "ttlMs");
    ia_jsonw_null(w);
    ia_jsonw_kv_int(w, "pollIntervalMs", POLL_MS);
    if (task->state == IA_MCP_TASK_COMPLETED) {
        ia_jsonw_key(w, "result");
        ia_jsonw_object(w);
        ia_mcp_write_call_result(w, &task->result, IA_OK, NULL, true);
        ia_jsonw_end_object(w);
    } else if (task->state == IA_MCP_TASK_FAILED) {
        ia_jsonw_key(w, "error");
        ia_mcp_write_error_object(w, &task->result.error);
    }
}
