/* messages.c: JSON-RPC as a client sees it: what is sent, and what may come back.
 *
 *     has no method ─► an answer: ours by its id, or a late one, which is dropped
 *     has a method  ─► with id: a request: ping is answered, anything else refused
 *                      without: a notification (progress, log, list_changed): dropped */
#include "agent/mcp_client/client_impl.h"

#include "base/jsonw.h"
#include "json/json.h"
#include "mcp/protocol.h"

#include <string.h>

enum { ID_MAX = 256 };

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

/* ---- what comes in ------------------------------------------------------------------------ */

static enum ia_rc broken(struct ia_mcp_client *c, const char *what, struct ia_err *err)
{
    return ia_err_set(err, IA_E_PROTO, "the MCP server %s sent %s", c->name, what);
}

/* Ids come back as they are; one of another kind, or a long one, is left without an answer. */
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

static void answer_request(const json_t *m, struct ia_buf *reply)
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
    if (can && reply->len == 0) { /* of a batch the first: nobody sends more */
        ia_buf_putstr(reply, ia_buf_str(&out));
    }
    ia_buf_fini(&out);
}

static enum ia_rc take_one(struct ia_mcp_client *c, json_t *m, struct ia_buf *reply,
                           struct ia_err *err)
{
    if (++c->before > IA_MCP_CLIENT_BEFORE_MAX) {
        return broken(c, "more than 10000 messages instead of an answer", err);
    }
    if (!json_is_object(m) || strcmp(ia_json_text(m, "jsonrpc"), "2.0") != 0) {
        return broken(c, "JSON that is no JSON-RPC message", err);
    }
    const json_t *id = json_object_get(m, "id");
    if (json_object_get(m, "method")) {
        if (id) {
            answer_request(m, reply);
        }
        return IA_OK;
    }
    if (!c->answer && c->asked != 0 && json_is_integer(id) &&
        json_integer_value(id) == c->asked) {
        c->answer = json_incref(m);
    }
    return IA_OK;
}

/* Programs print to their stdout what belongs into stderr: words that begin no JSON are let pass. */
static enum ia_rc take_noise(struct ia_mcp_client *c, struct ia_str bytes, struct ia_err *err)
{
    bool json = bytes.n > 0 && (bytes.p[0] == '{' || bytes.p[0] == '[');
    if (json) {
        return broken(c, "JSON that cannot be read", err);
    }
    return ++c->noise > IA_MCP_CLIENT_NOISE_MAX ? broken(c, "lines that are no messages", err)
                                                : IA_OK;
}

enum ia_rc ia_mcp_client_take(struct ia_mcp_client *c, struct ia_str bytes,
                              struct ia_buf *reply, struct ia_err *err)
{
    if (!ia_json_depth_ok(bytes, IA_MCP_CLIENT_DEPTH_MAX)) {
        return broken(c, "a message that is nested too deeply", err);
    }
    json_t *m = json_loadb(bytes.p, bytes.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    if (!m) {
        return take_noise(c, bytes, err);
    }
    enum ia_rc rc = IA_OK;
    if (json_is_array(m)) {
        for (size_t i = 0; rc == IA_OK && i < json_array_size(m); i++) {
            rc = take_one(c, json_array_get(m, i), reply, err);
        }
    } else {
        rc = take_one(c, m, reply, err);
    }
    json_decref(m);
    return rc;
}

enum ia_rc ia_mcp_client_result(struct ia_mcp_client *c, const char *method, json_t **ret,
                                struct ia_err *err)
{
    const json_t *error = json_object_get(c->answer, "error");
    if (json_is_object(error)) {
        json_int_t code = json_integer_value(json_object_get(error, "code"));
        ia_err_set(err, IA_E_FAILED, "the MCP server %s refused %s: %.300s (%lld)", c->name,
                   method, ia_json_text(error, "message"), (long long)code);
        if (err && (code == IA_MCP_NO_METHOD || code == IA_MCP_PARAMS || code == IA_MCP_INVALID)) {
            err->outcome = IA_OUTCOME_NOT_SENT; /* refused before anything was done */
        }
        return IA_E_FAILED;
    }
    *ret = json_object_get(c->answer, "result");
    return json_is_object(*ret) ? IA_OK : broken(c, "an answer without a result", err);
}
