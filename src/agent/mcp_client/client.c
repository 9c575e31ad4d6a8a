/* client.c: the life of a connection to one server, and single requests over it. */
#include "agent/mcp_client/client_impl.h"

#include "base/clock.h"
#include "base/jsonw.h"
#include "base/utf8.h"
#include "mcp/protocol.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { PING_MS = 2000, CANCEL_MS = 500 };

struct ia_mcp_client *ia_mcp_client_new(const struct ia_mcp_server *server)
{
    static const char *const nothing[] = {NULL};
    struct ia_mcp_client *c = ia_calloc(1, sizeof(*c));
    c->name = ia_strdup(server->name);
    c->cwd = ia_strdup(server->cwd);
    c->url = ia_strdup(server->url);
    c->ca_bundle = ia_strdup(server->ca_bundle);
    c->proxy = ia_strdup(server->proxy);
    c->program_version = ia_strdup(server->version ? server->version : "0");
    c->argv = ia_mcp_copy_list(server->argv);
    c->env = ia_mcp_copy_list(server->env ? server->env : nothing);
    c->headers = ia_mcp_copy_list(server->headers);
    c->secrets = ia_mcp_secrets(server);
    c->wire = server->url ? &ia_mcp_wire_http : &ia_mcp_wire_stdio;
    c->said = IA_BUF(IA_MCP_CLIENT_TEXT_MAX);
    c->accepted = json_object();
    c->listed = json_object();
    c->stale = true;
    return c;
}

static void close_wire(struct ia_mcp_client *c)
{
    if (c->state != IA_MCP_CLOSED) {
        c->wire->close(c);
    }
    c->state = IA_MCP_CLOSED;
    c->version[0] = '\0';
}

void ia_mcp_client_free(struct ia_mcp_client *c)
{
    if (!c) {
        return;
    }
    close_wire(c);
    json_decref(c->now.answer);
    json_decref(c->accepted);
    json_decref(c->listed);
    free(c->name);
    free(c->cwd);
    free(c->url);
    free(c->ca_bundle);
    free(c->proxy);
    free(c->program_version);
    ia_mcp_free_list(c->argv);
    ia_mcp_free_list(c->env);
    ia_mcp_free_list(c->headers);
    ia_mcp_free_list(c->secrets);
    ia_buf_fini(&c->said);
    free(c);
}

struct ia_str ia_mcp_client_said(const struct ia_mcp_client *c)
{
    return ia_buf_str(&c->said);
}

/* ---- requests ----------------------------------------------------------------------------- */

static void begin_request(struct ia_mcp_client *c, int64_t id, bool once)
{
    json_decref(c->now.answer);
    c->now = (struct ia_mcp_pending){.asked = id,
                                     .token = once ? c->last_token : 0,
                                     .once = once,
                                     .progress = -1,
                                     .total = -1};
}

/* A message that has no answer, and is not waited for long. If it is lost, a later request shows it. */
static void notify(struct ia_mcp_client *c, const char *method, struct ia_str params,
                   int64_t ms)
{
    struct ia_buf out = IA_BUF(4096);
    struct ia_limit limit = {NULL, ia_mono_us(ia_clock_system()) + ms * 1000};
    ia_mcp_client_write(&out, 0, method, params);
    (void)c->wire->exchange(c, ia_buf_str(&out), &limit, NULL);
    ia_buf_fini(&out);
}

/* Nobody waits for that answer any longer. */
static void call_off(struct ia_mcp_client *c, int64_t id, enum ia_rc why)
{
    struct ia_buf params = IA_BUF(256);
    ia_buf_printf(&params, "{\"requestId\":%lld,\"reason\":\"%s\"}", (long long)id,
                  why == IA_E_TIMEOUT ? "the time is up" : "the user cancelled");
    notify(c, "notifications/cancelled", ia_buf_str(&params), CANCEL_MS);
    ia_buf_fini(&params);
}

/* A request that left only in part would leave with the next one, so its connection is closed.
 * initialize must not be called off. */
static void give_up(struct ia_mcp_client *c, int64_t id, enum ia_rc why)
{
    bool sent = c->now.sent;
    bool can = why == IA_E_TIMEOUT || why == IA_E_CANCELLED;
    if (can && c->now.written && c->version[0]) {
        call_off(c, id, why);
        c->state = IA_MCP_DOUBTFUL;
    } else {
        close_wire(c);
    }
    c->now.sent = sent;
}

enum ia_rc ia_mcp_client_ask(struct ia_mcp_client *c, const char *method, struct ia_str params,
                             bool once, const struct ia_limit *limit, json_t **ret,
                             struct ia_err *err)
{
    struct ia_buf out = IA_BUF(IA_MCP_CLIENT_MESSAGE_MAX);
    int64_t id = ++c->last_id;
    begin_request(c, id, once);
    ia_mcp_client_write(&out, id, method, params);
    enum ia_rc rc = ia_buf_check(&out, "the request", err);
    if (rc != IA_OK) {
        ia_buf_fini(&out);
        return rc;
    }
    rc = c->wire->exchange(c, ia_buf_str(&out), limit, err);
    ia_buf_fini(&out);
    c->now.asked = 0;
    if (rc != IA_OK) {
        give_up(c, id, rc);
        return rc;
    }
    c->answered_us = ia_mono_us(ia_clock_system());
    return ia_mcp_client_result(c, method, ret, err);
}

/* ---- opening ------------------------------------------------------------------------------ */

static void put_client(struct ia_mcp_client *c, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "protocolVersion", IA_MCP_LEGACY_VERSION);
    ia_jsonw_key(&w, "capabilities");
    ia_jsonw_raw(&w, ia_str("{}"));
    ia_jsonw_key(&w, "clientInfo");
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "name", "ios-agent");
    ia_jsonw_kv(&w, "version", c->program_version);
    ia_jsonw_end_object(&w);
    ia_jsonw_end_object(&w);
}

/* The server answers with the revision that it was asked for, or with another that it speaks. */
static enum ia_rc agree(struct ia_mcp_client *c, const json_t *result, struct ia_err *err)
{
    const char *version = ia_json_text(result, "protocolVersion");
    if (!ia_mcp_is_legacy(version)) {
        ia_err_set(err, IA_E_UNSUPPORTED, "it speaks revision \"%.30s\" of the protocol",
                   version);
        ia_err_hint(err, "this program speaks 2024-11-05 to " IA_MCP_LEGACY_VERSION);
        return IA_E_UNSUPPORTED;
    }
    if (!json_is_object(json_object_get(json_object_get(result, "capabilities"), "tools"))) {
        return ia_err_set(err, IA_E_UNSUPPORTED, "it offers no tools");
    }
    (void)snprintf(c->version, sizeof(c->version), "%s", version);
    struct ia_str said = ia_json_field(result, "instructions");
    said.n =
        said.n > IA_MCP_CLIENT_TEXT_MAX ? ia_utf8_cut(said.p, IA_MCP_CLIENT_TEXT_MAX) : said.n;
    ia_buf_reset(&c->said);
    ia_buf_putstr(&c->said, said);
    return IA_OK;
}

static enum ia_rc initialize(struct ia_mcp_client *c, const struct ia_limit *limit,
                             struct ia_err *err)
{
    struct ia_buf params = IA_BUF(1024);
    json_t *result = NULL;
    put_client(c, &params);
    enum ia_rc rc =
        ia_mcp_client_ask(c, "initialize", ia_buf_str(&params), false, limit, &result, err);
    ia_buf_fini(&params);
    rc = rc == IA_OK ? agree(c, result, err) : rc;
    if (rc == IA_OK) {
        notify(c, "notifications/initialized", (struct ia_str){0}, PING_MS);
    } else {
        close_wire(c);
    }
    return rc;
}

static enum ia_rc ping(struct ia_mcp_client *c, const struct ia_limit *limit)
{
    struct ia_limit soon = ia_limit_within(limit, PING_MS);
    json_t *result = NULL;
    struct ia_err why;
    return ia_mcp_client_ask(c, "ping", (struct ia_str){0}, false, &soon, &result, &why);
}

/* Closes a connection that is dead, so that it is opened anew before anything is sent. */
static void examine(struct ia_mcp_client *c, const struct ia_limit *limit)
{
    struct ia_err why;
    if (c->state != IA_MCP_CLOSED && c->wire->settle(c, &why) != IA_OK) {
        close_wire(c);
    }
    int64_t idle_us = ia_mono_us(ia_clock_system()) - c->answered_us;
    bool doubtful =
        c->state == IA_MCP_DOUBTFUL ||
        (c->state == IA_MCP_OPEN && idle_us >= IA_MCP_CLIENT_IDLE_MS * INT64_C(1000));
    if (!doubtful) {
        return;
    }
    enum ia_rc rc = ping(c, limit);
    if (rc == IA_OK || rc == IA_E_FAILED) {
        c->state = IA_MCP_OPEN;
    } else {
        close_wire(c);
    }
}

enum ia_rc ia_mcp_client_open(struct ia_mcp_client *c, const struct ia_limit *limit,
                              struct ia_err *err)
{
    begin_request(c, 0, false);
    examine(c, limit);
    if (c->state != IA_MCP_CLOSED) {
        return IA_OK;
    }
    struct ia_limit start = ia_limit_within(limit, IA_MCP_CLIENT_START_MS);
    c->stale = true; /* another process, which may have other tools */
    enum ia_rc rc = c->wire->open(c, err);
    if (rc == IA_OK) {
        c->state = IA_MCP_OPEN;
        rc = initialize(c, &start, err);
    }
    return rc;
}
