/* reply.c: the answer's form: {"value":…,"sessionId":…}, and what our errors are to a client. */
#include "server/wda/wda_impl.h"

#include <stdio.h>

static const struct {
    const char *text;
    int status;
} errors[] = {
#define ROW(id, text, status) [IA_WDA_E_##id] = {text, status},
    IA_WDA_ERROR_LIST(ROW)
#undef ROW
};

enum ia_wda_error ia_wda_result(enum ia_rc rc)
{
    static const struct {
        enum ia_rc rc;
        enum ia_wda_error error;
    } rows[] = {
        {IA_OK, IA_WDA_OK},
        {IA_E_NO_ALERT, IA_WDA_E_NO_SUCH_ALERT},
        {IA_E_NO_KEYBOARD, IA_WDA_E_STATE},
        {IA_E_NOT_FOUND, IA_WDA_E_STATE},
        {IA_E_APP_GONE, IA_WDA_E_STATE},
        {IA_E_UNSUPPORTED, IA_WDA_E_UNSUPPORTED},
        {IA_E_USAGE, IA_WDA_E_ARGUMENT},
        {IA_E_PARSE, IA_WDA_E_SELECTOR},
        {IA_E_TIMEOUT, IA_WDA_E_TIMEOUT},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (rows[i].rc == rc) {
            return rows[i].error;
        }
    }
    return IA_WDA_E_UNKNOWN;
}

void ia_wda_put_rect(struct ia_jsonw *w, struct ia_rect r)
{
    ia_jsonw_object(w);
    ia_jsonw_kv_real(w, "y", r.y);
    ia_jsonw_kv_real(w, "x", r.x);
    ia_jsonw_kv_real(w, "width", r.w);
    ia_jsonw_kv_real(w, "height", r.h);
    ia_jsonw_end_object(w);
}

static void add_headers(struct ia_http_reply *reply)
{
    reply->content_type = "application/json;charset=UTF-8";
    ia_http_reply_header(reply, "Server", "WebDriverAgent/1.0");
}

/* The trace tells programs of ours what WebDriverAgent's errors have no word for. */
static void put_error(struct ia_buf *out, enum ia_wda_error error, const struct ia_err *err)
{
    struct ia_jsonw w;
    char trace[sizeof(err->hint) + 64] = "";
    if (err->code != IA_E_FAILED) {
        (void)snprintf(trace, sizeof(trace), "%s %s%s%s", ia_rc_name(err->code),
                       ia_outcome_name(err->outcome), err->hint[0] ? ": " : "", err->hint);
    }
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "error", errors[error].text);
    ia_jsonw_kv(&w, "message", err->msg);
    ia_jsonw_kv(&w, "traceback", trace);
    ia_jsonw_end_object(&w);
}

static void end_envelope(struct ia_buf *out, const char *session)
{
    struct ia_jsonw w;
    ia_buf_puts(out, ",\"sessionId\":");
    ia_jsonw_init(&w, out);
    ia_jsonw_string(&w, session[0] ? session : NULL);
    ia_buf_putc(out, '}');
}

static const char begin_envelope[] = "{\"value\":";

void ia_wda_reply(struct ia_wda_call *c, enum ia_wda_error error, const char *session,
                  struct ia_http_reply *reply)
{
    add_headers(reply);
    if (error == IA_WDA_OK && (c->route->flags & IA_WDA_TEXT_ONLY)) {
        reply->content_type = "text/plain";
        return;
    }
    if (error != IA_WDA_OK) {
        reply->status = errors[error].status;
        ia_buf_reset(c->out);
        ia_buf_puts(c->out, begin_envelope);
        put_error(c->out, error, &c->err);
    } else if (c->out->len == 0) {
        ia_buf_puts(c->out, "{\"value\":null");
    }
    end_envelope(c->out, session);
}

void ia_wda_refusal(struct ia_http_reply *reply, const struct ia_err *err)
{
    add_headers(reply);
    ia_buf_reset(&reply->body);
    ia_buf_puts(&reply->body, begin_envelope);
    bool mistake = err->code != IA_E_LIMIT && err->code != IA_E_BUSY;
    put_error(&reply->body, mistake ? IA_WDA_E_ARGUMENT : IA_WDA_E_UNKNOWN, err);
    end_envelope(&reply->body, "");
}
