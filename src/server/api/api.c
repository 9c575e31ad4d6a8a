/* api.c: finds the route of a request, lets it answer, and puts the envelope around the answer.
 *
 *   path ─► route ─► may the caller? ─► kept answer? ─► query, body ─► the route ─► envelope
 *
 * Nothing of a request outlives it but answers of what acted (replay.h). */
#include "server/api/api.h"

#include "app/fleet/watch.h"
#include "base/complaint.h"
#include "base/envelope.h"
#include "base/hash.h"
#include "server/api/handlers.h"

#include <stdlib.h>
#include <string.h>

enum { US_PER_MS = 1000, REPEAT_WAIT_MS = 60000 };

struct ia_api *ia_api_new(const struct ia_api_opts *opts)
{
    struct ia_api *api = ia_calloc(1, sizeof(*api));
    api->opts = *opts;
    api->clock = opts->clock ? opts->clock : ia_clock_system();
    api->routes = ia_api_routes;
    api->replay = ia_replay_new(api->clock);
    api->pictures = ia_pictures_new();
    api->frames = ia_frames_new(&(struct ia_frames_opts){
        .hub = opts->hub, .store = opts->setup->store, .pictures = api->pictures});
    api->sweeps = ia_sweep_starts_new();
    api->totals = ia_totals_new();
    api->fleet = ia_fleet_watch_new(opts->setup);
    api->feed = ia_feed_new(opts->setup->store, api->clock);
    return api;
}

void ia_api_free(struct ia_api *api)
{
    if (api) {
        ia_replay_free(api->replay);
        ia_feed_free(api->feed);
        ia_frames_free(api->frames);
        ia_pictures_free(api->pictures);
        ia_sweep_starts_free(api->sweeps);
        ia_totals_free(api->totals);
        ia_fleet_watch_free(api->fleet);
        free(api);
    }
}

int ia_api_busy(struct ia_api *api)
{
    return ia_sweep_starts_running(api->sweeps);
}

/* ---- which route ------------------------------------------------------------------------- */

/* Whether the path is the pattern's; what stands for its names goes to params. */
static bool match(const char *pattern, const char *path,
                  char params[IA_API_PARAMS_MAX][IA_API_PARAM_BYTES_MAX])
{
    int count = 0;
    while (*pattern != '\0') {
        if (*pattern != '{') {
            if (*pattern++ != *path++) {
                return false;
            }
            continue;
        }
        size_t n = strcspn(path, "/");
        if (n == 0 || n >= IA_API_PARAM_BYTES_MAX || count == IA_API_PARAMS_MAX) {
            return false;
        }
        memcpy(params[count], path, n);
        params[count++][n] = '\0';
        path += n;
        pattern += strcspn(pattern, "}") + 1;
    }
    return *path == '\0';
}

static enum ia_rc other_version(const char *path, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_DAEMON_VERSION,
                               "this daemon speaks version 1 of the API, not %.*s",
                               (int)strcspn(path + 1, "/"), path + 1);
    ia_err_hint(err, "GET /v1/daemon says which versions it speaks");
    err->outcome = IA_OUTCOME_NOT_SENT;
    return rc;
}

static bool has_version(const char *path)
{
    size_t n = strcspn(path + 1, "/");
    bool ours = n == 2 && strncmp(path, "/v1", 3) == 0;
    return n > 1 && path[1] == 'v' && strspn(path + 2, "0123456789") == n - 1 && !ours;
}

/* Sets the route. A path that there is with another method only: 405, and which it may be. */
static enum ia_rc find_route(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_buf allowed = IA_BUF(256);
    for (const struct ia_api_route *r = call->api->routes; r->path; r++) {
        if (!match(r->path, call->http->path, call->params)) {
            continue;
        }
        if (strcmp(r->method, call->http->method) == 0) {
            call->route = r;
            ia_buf_fini(&allowed);
            return IA_OK;
        }
        ia_buf_printf(&allowed, "%s%s", allowed.len > 0 ? ", " : "", r->method);
    }
    enum ia_rc rc = IA_E_NOT_FOUND;
    if (allowed.len > 0) {
        rc = ia_err_set(err, IA_E_USAGE, "%s does not take %.16s, only %s", call->http->path,
                        call->http->method, ia_buf_cstr(&allowed));
        ia_http_reply_header(call->reply, "Allow", "%s", ia_buf_cstr(&allowed));
        call->reply->status = 405;
    } else if (has_version(call->http->path)) {
        rc = other_version(call->http->path, err);
    } else {
        (void)ia_err_set(err, rc, "there is nothing at %.200s", call->http->path);
        ia_err_hint(err, "GET /v1/openapi.json lists what there is");
    }
    ia_buf_fini(&allowed);
    return rc;
}

/* ---- may it ------------------------------------------------------------------------------ */

static bool acts(const struct ia_api_call *call)
{
    const struct ia_verb *verb = NULL;
    if (call->route->flags & IA_API_VERB) {
        verb = ia_api_verb(call);
        return verb && (verb->flags & IA_VERB_ACTS);
    }
    return call->route->flags & IA_API_ACTS;
}

static enum ia_rc check_scope(const struct ia_api_call *call, struct ia_err *err)
{
    enum ia_http_scope scope = call->http->scope;
    if ((call->route->flags & IA_API_PUBLIC) || scope == IA_HTTP_SCOPE_ACT) {
        return IA_OK;
    }
    if (scope == IA_HTTP_SCOPE_NONE) {
        return ia_err_set(err, IA_E_AUTH_REQUIRED, "this needs a token");
    }
    if (!acts(call)) {
        return IA_OK;
    }
    return ia_err_set(err, IA_E_FORBIDDEN, "this token may look, not act");
}

static enum ia_rc check_admission(const struct ia_api_call *call, struct ia_err *err)
{
    const struct ia_api_daemon *d = &call->api->opts.daemon;
    bool always = (call->route->flags & IA_API_ALWAYS) || !d->admit;
    return always ? IA_OK : d->admit(d->ctx, call->http, err);
}

/* ---- the answer -------------------------------------------------------------------------- */

static enum ia_rc put_envelope(struct ia_api_call *call, enum ia_rc rc,
                               const struct ia_err *err)
{
    return ia_envelope_line(&call->reply->body, ia_buf_str(&call->text),
                            ia_buf_str(&call->result), rc, err, IA_API_ANSWER_BYTES_MAX);
}

static void put_length(struct ia_api_call *call, const char *header, size_t bytes)
{
    if (bytes > 0) {
        ia_http_reply_header(call->reply, header, "%zu", bytes);
    }
}

/* The bytes that the command line prints; see api.h. */
static enum ia_rc answer_cli(struct ia_api_call *call, enum ia_rc rc, const struct ia_err *err)
{
    struct ia_buf *body = &call->reply->body;
    ia_buf_putstr(body, ia_buf_str(&call->file));
    size_t file_end = body->len;
    if (call->json) {
        rc = put_envelope(call, rc, err);
    } else {
        ia_buf_putstr(body, ia_buf_str(&call->text));
        call->reply->content_type = "application/octet-stream";
    }
    size_t out_end = body->len;
    if (rc != IA_OK && !call->json) {
        ia_complaint(err, body);
    }
    bool only_err = out_end == file_end && body->len > out_end;
    ia_http_reply_header(call->reply, "Ios-Agent-Exit", "%d", ia_rc_exit(rc));
    ia_http_reply_header(call->reply, "Ios-Agent-Stream", "%s", only_err ? "err" : "out");
    put_length(call, "Ios-Agent-File-Bytes", file_end);
    put_length(call, "Ios-Agent-Err-Bytes", only_err ? 0 : body->len - out_end);
    return rc;
}

static void answer(struct ia_api_call *call, enum ia_rc rc, struct ia_err *err)
{
    if (call->w.depth != 0) { /* the route failed half way through its result */
        ia_buf_reset(&call->result);
    }
    if (rc != IA_OK) {
        ia_complaint_hide_keys(err);
    }
    ia_buf_reset(&call->reply->body);
    rc = call->as_cli ? answer_cli(call, rc, err) : put_envelope(call, rc, err);
    if (rc != IA_OK) {
        ia_http_reply_header(call->reply, "Ios-Agent-Code", "%s", ia_rc_name(rc));
    }
    call->reply->status = call->reply->status ? call->reply->status : ia_rc_http(rc);
}

static void run(struct ia_api_call *call)
{
    struct ia_err err = {.code = IA_OK};
    enum ia_rc rc = ia_api_read(call, &err);
    if (rc == IA_OK) {
        rc = call->route->run(call, &err);
    }
    if (!call->answered) {
        answer(call, rc, &err);
    }
}

/* ---- once only --------------------------------------------------------------------------- */

static void hash_member(void *ctx, const char *name, const char *value)
{
    uint64_t *h = ctx;
    *h = ia_hash(ia_hash(*h, name, strlen(name) + 1), value, strlen(value) + 1);
}

static uint64_t hash_of(const struct ia_http_request *r)
{
    uint64_t h = ia_hash(IA_HASH_SEED, r->method, strlen(r->method) + 1);
    h = ia_hash(h, r->path, strlen(r->path) + 1);
    ia_http_query_each(r, hash_member, &h);
    return ia_hash(h, r->body.p, r->body.n);
}

static enum ia_rc check_id(const char *id, struct ia_err *err)
{
    size_t n = strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
    if (n > 0 && n <= IA_REPLAY_ID_BYTES_MAX && id[n] == '\0') {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE,
                               "Ios-Agent-Request-Id must be 1 to %d letters, digits, \".\", "
                               "\"_\" or \"-\"",
                               IA_REPLAY_ID_BYTES_MAX);
    err->outcome = IA_OUTCOME_NOT_SENT;
    return rc;
}

/* A client that did not hear the answer may ask again with the same id. */
static enum ia_rc run_once(struct ia_api_call *call, const char *id, struct ia_err *err)
{
    struct ia_api *api = call->api;
    enum ia_replay_turn turn;
    int64_t until_us = ia_mono_us(api->clock) + (int64_t)REPEAT_WAIT_MS * US_PER_MS;
    enum ia_rc rc = ia_replay_begin(api->replay, id, hash_of(call->http), until_us, &turn,
                                    call->reply, err);
    if (rc == IA_OK && turn == IA_REPLAY_FIRST) {
        run(call);
        ia_replay_end(api->replay, id, call->reply);
    }
    return rc;
}

void ia_api_handle(void *ctx, const struct ia_http_request *request,
                   struct ia_http_reply *reply)
{
    struct ia_err err = {.code = IA_OK};
    struct ia_api_call call = {.api = ctx,
                               .http = request,
                               .reply = reply,
                               .text = IA_BUF(IA_API_ANSWER_BYTES_MAX),
                               .result = IA_BUF(IA_API_ANSWER_BYTES_MAX),
                               .file = IA_BUF(IA_API_ANSWER_BYTES_MAX)};
    const char *as = ia_http_query(request, "as");
    call.as_cli = as && strcmp(as, "cli") == 0;
    ia_jsonw_init(&call.w, &call.result);
    const char *id = ia_http_header(request, "Ios-Agent-Request-Id");
    enum ia_rc rc = find_route(&call, &err);
    if (rc == IA_OK) {
        rc = check_scope(&call, &err);
    }
    if (rc == IA_OK) {
        rc = check_admission(&call, &err);
    }
    if (rc == IA_OK && id) {
        rc = check_id(id, &err);
    }
    if (rc == IA_OK && id && acts(&call)) {
        rc = run_once(&call, id, &err);
    } else if (rc == IA_OK) {
        run(&call);
    }
    if (rc != IA_OK) {
        answer(&call, rc, &err);
    }
    ia_api_call_fini(&call);
}
