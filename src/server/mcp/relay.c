/* relay.c: one connection for each call under way; those that are free wait in a list.
 *
 * The daemon's answer is the answer, as JSON or as events; what is neither (no daemon, one that ends, an
 * answer of another kind) becomes a failure of the call. */
#include "server/mcp/relay.h"

#include "base/paths.h"
#include "client/client.h"
#include "server/mcp/core/http.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SPARE_MS = 15000, PATH_MAX_BYTES = 256 };
#define DATA "data: "

struct line {
    struct line *next;
    struct ia_client *client;
};

struct ia_mcp_relay {
    const struct ia_mcp *mcp;
    const struct ia_mcp_peer *peer;
    const struct ia_credentials *keys;
    pthread_mutex_t mutex;
    struct line *free_lines;
};

struct ia_mcp_relay *ia_mcp_relay_new(const struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                                      const struct ia_credentials *keys)
{
    struct ia_mcp_relay *r = ia_calloc(1, sizeof(*r));
    r->mcp = mcp;
    r->peer = peer;
    r->keys = keys;
    pthread_mutex_init(&r->mutex, NULL);
    return r;
}

static void free_line(struct line *l)
{
    ia_client_free(l->client);
    free(l);
}

void ia_mcp_relay_free(struct ia_mcp_relay *r)
{
    if (r) {
        while (r->free_lines) {
            struct line *l = r->free_lines;
            r->free_lines = l->next;
            free_line(l);
        }
        pthread_mutex_destroy(&r->mutex);
        free(r);
    }
}

static struct line *take_line(struct ia_mcp_relay *r, struct ia_err *err)
{
    pthread_mutex_lock(&r->mutex);
    struct line *l = r->free_lines;
    if (l) {
        r->free_lines = l->next;
    }
    pthread_mutex_unlock(&r->mutex);
    if (!l) {
        l = ia_calloc(1, sizeof(*l));
        l->client = ia_client_new(&(struct ia_client_opts){.start = true, .quiet = true}, err);
    }
    if (!l->client) {
        free(l);
        l = NULL;
    }
    return l;
}

static void give_back(struct ia_mcp_relay *r, struct line *l)
{
    pthread_mutex_lock(&r->mutex);
    l->next = r->free_lines;
    r->free_lines = l;
    pthread_mutex_unlock(&r->mutex);
}

/* ---- events ------------------------------------------------------------------------------- */

/* A stream of events that comes in pieces. */
struct events {
    ia_mcp_send_fn *send;
    void *ctx;
    struct ia_buf pending; /* up to a line's end */
    bool answered;
};

static bool is_answer(struct ia_str message)
{
    static const char notification[] = "{\"jsonrpc\":\"2.0\",\"method\":";
    return !ia_str_starts(message, ia_str(notification));
}

static void take_event_line(struct events *e, struct ia_str line)
{
    if (ia_str_starts(line, ia_str(DATA)) && !e->answered) {
        struct ia_str message = {line.p + strlen(DATA), line.n - strlen(DATA)};
        e->answered = is_answer(message);
        e->send(e->ctx, message, e->answered);
    }
}

static void take_piece(void *ctx, struct ia_str bytes)
{
    struct events *e = ctx;
    ia_buf_putstr(&e->pending, bytes);
    struct ia_str left = ia_buf_str(&e->pending), line;
    const char *end = NULL;
    size_t used = 0;
    while ((end = memchr(left.p, '\n', left.n)) != NULL) {
        line = (struct ia_str){left.p, (size_t)(end - left.p)};
        take_event_line(e, line);
        used += line.n + 1;
        left = (struct ia_str){end + 1, left.n - line.n - 1};
    }
    ia_buf_consume(&e->pending, used);
}

/* ---- a call ------------------------------------------------------------------------------- */

static void put_path(const struct ia_mcp_peer *peer, const char *version, char *dst,
                     size_t size)
{
    (void)snprintf(dst, size, "/mcp?from=stdio%s%s%s%s%s%s",
                   peer->without & IA_MCP_TOOL_MORE ? "" : "&tools=full",
                   peer->without & IA_MCP_TOOL_ACTS ? "&read_only=1" : "",
                   peer->structured ? "&structured=1" : "", peer->demo ? "&demo=1" : "",
                   version ? "&version=" : "", version ? version : "");
}

/* The key that counts for this process counts for what it asks for. */
static void put_key(const struct ia_credentials *keys, const struct ia_mcp_request *r,
                    struct ia_client_request *q)
{
    const struct ia_secret *key = keys->api_key ? keys->api_key : keys->auth_token;
    if (key && r->kind == IA_MCP_CALL && (r->tool->flags & IA_MCP_TOOL_KEY)) {
        q->secret.name = keys->api_key ? IA_HTTP_API_KEY_HEADER : IA_HTTP_AUTH_TOKEN_HEADER;
        q->secret.value = ia_secret_bytes(key);
        q->api_base_url = ia_env_get(NULL, "IOS_AGENT_API_BASE_URL");
        q->api_base_url =
            q->api_base_url ? q->api_base_url : ia_env_get(NULL, "ANTHROPIC_BASE_URL");
    }
}

static bool is_message(struct ia_str body)
{
    return ia_str_starts(body, ia_str("{\"jsonrpc\":")) ||
           ia_str_starts(body, ia_str("[{\"jsonrpc\":"));
}

/* The daemon refused before it looked at the message. */
static enum ia_rc refused(const struct ia_client_answer *a, struct ia_err *err)
{
    return ia_err_set(err, a->http_status == 413 ? IA_E_LIMIT : IA_E_PROTO,
                      "the daemon did not take the call (HTTP %d): %.300s", a->http_status,
                      ia_buf_cstr(&a->body));
}

static enum ia_rc exchange(struct line *l, const struct ia_client_request *q, struct events *e,
                           struct ia_err *err)
{
    struct ia_client_answer a;
    enum ia_rc rc = ia_client_call(l->client, q, &a, err);
    if (rc == IA_OK && !e->answered) {
        bool message = is_message(ia_buf_str(&a.body));
        rc = message ? IA_OK : refused(&a, err);
        if (message) {
            e->send(e->ctx, ia_buf_str(&a.body), true);
        }
        e->answered = message;
    }
    ia_client_answer_fini(&a);
    return rc;
}

void ia_mcp_relay_forward(void *ctx, const struct ia_mcp_request *r, struct ia_str bytes,
                          const char *version, struct ia_cancel *cancel, ia_mcp_send_fn *send,
                          void *send_ctx)
{
    struct ia_mcp_relay *relay = ctx;
    struct ia_err err = {.code = IA_OK};
    struct events e = {.send = send, .ctx = send_ctx, .pending = IA_BUF(4 * IA_MCP_ANSWER_MAX)};
    char path[PATH_MAX_BYTES];
    put_path(relay->peer, version, path, sizeof(path));
    struct ia_client_request q = {.method = "POST",
                                  .path = path,
                                  .body = bytes,
                                  .device = relay->peer->device,
                                  .lends = true,
                                  .deadline_ms = IA_MCP_WAIT_MS_MAX + SPARE_MS,
                                  .cancel = cancel,
                                  .piece = take_piece,
                                  .piece_ctx = &e};
    put_key(relay->keys, r, &q);
    struct line *l = take_line(relay, &err);
    enum ia_rc rc = l ? exchange(l, &q, &e, &err) : err.code;
    if (rc != IA_OK && !e.answered && !ia_cancel_fired(cancel)) {
        ia_mcp_answer_failure(relay->mcp, r, rc, &err, send, send_ctx);
    }
    if (l) {
        give_back(relay, l);
    }
    ia_buf_fini(&e.pending);
}
