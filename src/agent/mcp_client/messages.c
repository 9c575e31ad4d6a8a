/* messages.c: JSON-RPC as a client sees it: what it sends, and what may come back.
 *
 *     without a method ─► an answer: ours by its id; any other is late or invented, and dropped
 *     with a method    ─► with an id: a request: ping is answered, anything else refused
 *                         without:    a notification: list_changed and progress are noted, others dropped */
#include "agent/mcp_client/client_impl.h"

#include "base/clean.h"
#include "base/jsonw.h"
#include "mcp/protocol.h"
#include "json/json.h"

#include <string.h>

enum { ID_MAX = 256, ERROR_COLUMNS = 240 };

void ia_mcp_client_write(struct ia_buf *out, int64_t id, const char *method,
                         struct ia_str params)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "jsonrpc", "2.0");
    if (id != 0) {
        ia_jsonw_kv_int(&w, "id", id);
    }
    ia_jsonw_kv(&w, "method", method);
    if (params.n > 0) {
        ia_jsonw_key(&w, "params");
        ia_jsonw_raw(&w, params);
    }
    ia_jsonw_end_object(&w);
}

static enum ia_rc broken(const char *what, struct ia_err *err)
{
    return ia_err_set(err, IA_E_PROTO, "it sent %s", what);
}

/* ---- requests of the server --------------------------------------------------------------- */

/* An id is sent back as it came. False for one of another type, or a long one: no answer then. */
static bool put_id(struct ia_jsonw *w, const json_t *id)
{
    if (json_is_integer(id)) {
        ia_jsonw_kv_int(w, "id", json_integer_value(id));
    } else if (json_is_string(id) && json_string_length(id) <= ID_MAX) {
        ia_jsonw_key(w, "id");
        ia_jsonw_str(w, ia_json_str(id));
    } else {
        return false;
    }
    return true;
}

static void answer_request(struct ia_mcp_client *c, const json_t *m)
{
    struct ia_buf out = IA_BUF(4096);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "jsonrpc", "2.0");
    bool can = put_id(&w, json_object_get(m, "id"));
    if (strcmp(ia_json_text(m, "method"), "ping") == 0) {
        ia_jsonw_key(&w, "result");
        ia_jsonw_raw(&w, ia_str("{}"));
    } else {
        ia_jsonw_key(&w, "error");
        ia_jsonw_object(&w);
        ia_jsonw_kv_int(&w, "code", IA_MCP_NO_METHOD);
        ia_jsonw_kv(&w, "message", "this client does not do that");
        ia_jsonw_end_object(&w);
    }
    ia_jsonw_end_object(&w);
    if (can) {
        c->wire->answer(c, ia_buf_str(&out));
    }
    ia_buf_fini(&out);
}

static enum ia_rc take_request(struct ia_mcp_client *c, const json_t *m, struct ia_err *err)
{
    if (++c->now.requests > IA_MCP_CLIENT_REQUESTS_MAX) {
        return broken("more than 100 requests instead of an answer", err);
    }
    answer_request(c, m);
    return IA_OK;
}

/* ---- notifications ------------------------------------------------------------------------ */

static void take_notification(struct ia_mcp_client *c, const json_t *m)
{
    const char *method = ia_json_text(m, "method");
    const json_t *params = json_object_get(m, "params");
    const json_t *token = json_object_get(params, "progressToken");
    if (strcmp(method, "notifications/tools/list_changed") == 0) {
        c->stale = true;
    } else if (strcmp(method, "notifications/progress") == 0 && c->now.token != 0 &&
               json_integer_value(token) == c->now.token) {
        const json_t *total = json_object_get(params, "total");
        c->now.progress = json_number_value(json_object_get(params, "progress"));
        c->now.total = json_is_number(total) ? json_number_value(total) : -1;
    }
}

void ia_mcp_client_put_progress(const struct ia_mcp_client *c, struct ia_buf *out)
{
    if (c->now.progress >= 0 && c->now.total >= 0) {
        ia_buf_printf(out, "; its progress was %g of %g", c->now.progress, c->now.total);
    } else if (c->now.progress >= 0) {
        ia_buf_printf(out, "; its progress was %g", c->now.progress);
    }
}

/* ---- any message -------------------------------------------------------------------------- */

static enum ia_rc take_one(struct ia_mcp_client *c, json_t *m, struct ia_err *err)
{
    if (++c->now.messages > IA_MCP_CLIENT_BEFORE_MAX) {
        return broken("more than 10000 messages instead of an answer", err);
    }
    if (!json_is_object(m) || strcmp(ia_json_text(m, "jsonrpc"), "2.0") != 0) {
        return broken("JSON that is no JSON-RPC message", err);
    }
    const json_t *id = json_object_get(m, "id");
    if (json_object_get(m, "method") && id) {
        return take_request(c, m, err);
    }
    if (json_object_get(m, "method")) {
        take_notification(c, m);
    } else if (!c->now.answer && c->now.asked != 0 && json_is_integer(id) &&
               json_integer_value(id) == c->now.asked) {
        c->now.answer = json_incref(m);
    }
    return IA_OK;
}

/* Some programs print to stdout what belongs to stderr: a line that does not begin as JSON does is
 * ignored. */
static enum ia_rc take_noise(struct ia_mcp_client *c, struct ia_str bytes, struct ia_err *err)
{
    if (bytes.n > 0 && (bytes.p[0] == '{' || bytes.p[0] == '[')) {
        return broken("JSON that cannot be read", err);
    }
    return ++c->now.noise > IA_MCP_CLIENT_NOISE_MAX
               ? broken("too many lines that are no messages", err)
               : IA_OK;
}

/* Before a parser sees it: what it would allocate and how deep it would go is known. */
static enum ia_rc check_size(struct ia_mcp_client *c, struct ia_str bytes, struct ia_err *err)
{
    if (bytes.n > IA_MCP_CLIENT_MESSAGE_MAX) {
        return broken("a message of more than 4 MB", err);
    }
    c->now.bytes += bytes.n;
    if (c->now.bytes > IA_MCP_CLIENT_BYTES_MAX) {
        return broken("more than 64 MB instead of an answer", err);
    }
    if (!ia_json_depth_ok(bytes, IA_MCP_CLIENT_DEPTH_MAX)) {
        return broken("a message that is nested too deeply", err);
    }
    return ia_json_count_ok(bytes, IA_MCP_CLIENT_VALUES_MAX)
               ? IA_OK
               : broken("a message with more than 200000 values", err);
}

enum ia_rc ia_mcp_client_take(struct ia_mcp_client *c, struct ia_str bytes, struct ia_err *err)
{
    enum ia_rc rc = check_size(c, bytes, err);
    if (rc != IA_OK) {
        return rc;
    }
    json_t *m = json_loadb(bytes.p, bytes.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    if (!m) {
        return take_noise(c, bytes, err);
    }
    ia_mcp_hide_json(c, m);
    if (json_is_array(m)) {
        for (size_t i = 0; rc == IA_OK && i < json_array_size(m); i++) {
            rc = take_one(c, json_array_get(m, i), err);
        }
    } else {
        rc = take_one(c, m, err);
    }
    json_decref(m);
    return rc;
}

/* ---- the answer --------------------------------------------------------------------------- */

/* A server that does not know the method, or cannot read the request, did nothing. Invalid params
 * may also be what a tool says after it did something. */
static bool did_nothing(json_int_t code)
{
    return code == IA_MCP_NO_METHOD || code == IA_MCP_INVALID || code == IA_MCP_PARSE;
}

enum ia_rc ia_mcp_client_result(struct ia_mcp_client *c, const char *method, json_t **ret,
                                struct ia_err *err)
{
    const json_t *error = json_object_get(c->now.answer, "error");
    if (!json_is_object(error)) {
        *ret = json_object_get(c->now.answer, "result");
        return json_is_object(*ret) ? IA_OK : broken("an answer without a result", err);
    }
    json_int_t code = json_integer_value(json_object_get(error, "code"));
    struct ia_buf text = IA_BUF(4096);
    ia_clean_cut(&text, ia_json_field(error, "message"), ERROR_COLUMNS);
    ia_err_set(err, IA_E_FAILED, "it answered %s with an error: %s (%lld)", method,
               ia_buf_cstr(&text), (long long)code);
    ia_buf_fini(&text);
    if (err && did_nothing(code)) {
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    return IA_E_FAILED;
}
