/* requests.c: what goes on: requests in hand, when the last one ended, who asked for the end.
 *
 * Every request passes through ia_daemon_handle(), which counts it; one of a newer build starts the
 * drain. */
#include "agent/queue/queue.h"
#include "base/hash.h"
#include "base/killpoint.h"
#include "client/build.h"
#include "server/daemon/life.h"
#include "server/dashboard/dashboard.h"
#include "server/mcp/core/http.h"
#include "store/queue.h"
#include "store/schedules.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SOON_MS = 60 * 60 * 1000, /* a schedule that is due by then keeps the daemon */
    FIRST_REQUEST_MS = 500,   /* from its start */
    LINE_MAX_BYTES = 512,
    PATH_MAX_BYTES = 512,
    PORT_MIN = 21000,
    PORTS = 10000
};

void ia_daemon_say(struct ia_daemon *d, const char *fmt, ...)
{
    char line[LINE_MAX_BYTES];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    if (d->opts->say) {
        d->opts->say(d->opts->ctx, line);
    }
    if (d->log) {
        ia_daemon_log_say(d->log, "%s", line);
    }
}

/* ---- phases -------------------------------------------------------------------------------- */

void ia_daemon_leave(struct ia_daemon *d, bool now, bool newer)
{
    pthread_mutex_lock(&d->mutex);
    d->phase = d->phase == IA_DAEMON_SERVING ? IA_DAEMON_DRAINING : d->phase;
    d->now = d->now || now;
    d->newer = d->newer || newer;
    pthread_mutex_unlock(&d->mutex);
    ia_cancel_fire(d->changed);
}

/* The client that started this daemon has not sent its request yet. If a stop could come first every
 * time, that client would start one daemon after another in vain. */
static bool awaits_first(const struct ia_daemon *d)
{
    return d->opts->background && !d->worked &&
           ia_daemon_now_us() < d->last_us + FIRST_REQUEST_MS * INT64_C(1000);
}

bool ia_daemon_drained(struct ia_daemon *d)
{
    bool left = ia_queue_active(ia_runs_queue(d->runs)) + ia_mcp_http_busy(d->mcp_http) +
                    ia_api_busy(d->api) >
                0;
    pthread_mutex_lock(&d->mutex);
    left = left || awaits_first(d);
    d->phase = d->now || !left ? IA_DAEMON_ENDING : d->phase;
    bool over = d->now || (d->phase == IA_DAEMON_ENDING && d->in_hand == 0);
    pthread_mutex_unlock(&d->mutex);
    return over;
}

static bool is_newer(const struct ia_http_request *request)
{
    const char *build = ia_http_header(request, "Ios-Agent-Build");
    return build && ia_build_compare(build, ia_build_id()) > 0;
}

/* What this process must not begin: the client takes it to the next daemon. */
enum ia_rc ia_daemon_admit(void *ctx, const struct ia_http_request *request, struct ia_err *err)
{
    struct ia_daemon *d = ctx;
    (void)request;
    pthread_mutex_lock(&d->mutex);
    bool ending = d->phase == IA_DAEMON_ENDING;
    pthread_mutex_unlock(&d->mutex);
    if (!ending) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_DAEMON_VERSION, "this daemon is ending");
    ia_err_hint(err, "try again: the next command starts another one");
    err->outcome = IA_OUTCOME_NOT_SENT;
    return rc;
}

/* ---- requests ------------------------------------------------------------------------------ */

/* A request about the daemon itself does not keep it alive, nor does one that comes every few seconds. */
static bool is_work(const struct ia_http_request *request)
{
    return strcmp(request->path, "/metrics") != 0 &&
           strncmp(request->path, "/v1/daemon", strlen("/v1/daemon")) != 0;
}

static void count(struct ia_daemon *d, int by, bool work)
{
    pthread_mutex_lock(&d->mutex);
    d->in_hand += by;
    d->last_us = work ? ia_daemon_now_us() : d->last_us;
    d->worked = d->worked || work;
    pthread_mutex_unlock(&d->mutex);
}

/* Tests have programs of another version: there "/v2/" is what this one knows as "/v1/". */
static struct ia_http_request translated(const struct ia_http_request *request,
                                         char path[PATH_MAX_BYTES])
{
    struct ia_http_request r = *request;
    if (ia_build_api() != 1 && strncmp(r.path, "/v", 2) == 0) {
        bool same = strtol(r.path + 2, NULL, 10) == ia_build_api();
        (void)snprintf(path, PATH_MAX_BYTES, "/v%d%s", same ? 1 : 0,
                       r.path + 2 + strcspn(r.path + 2, "/"));
        r.path = path;
    }
    return r;
}

/* "/mcp" is every client's; `ios-agent mcp`, which comes with the daemon, asks for it by version. */
static bool is_mcp(const struct ia_http_request *request)
{
    return strcmp(request->path, "/mcp") == 0 || strcmp(request->path, "/v1/mcp") == 0;
}

static void handle_mcp(struct ia_daemon *d, const struct ia_http_request *request,
                       struct ia_http_reply *reply)
{
    struct ia_err err = {.code = IA_OK};
    enum ia_rc rc = ia_daemon_admit(d, request, &err);
    if (rc == IA_OK) {
        ia_mcp_http_handle(d->mcp_http, request, reply);
    } else {
        ia_http_reply_error(reply, &err);
        ia_http_reply_header(reply, "Ios-Agent-Code", "%s", ia_rc_name(rc));
    }
}

void ia_daemon_handle(void *ctx, const struct ia_http_request *original,
                      struct ia_http_reply *reply)
{
    struct ia_daemon *d = ctx;
    char path[PATH_MAX_BYTES];
    const struct ia_http_request r = translated(original, path), *request = &r;
    bool work = is_work(request), newer = is_newer(request);
    count(d, 1, work);
    IA_KILL_POINT("daemon.request");
    if (is_mcp(request)) {
        handle_mcp(d, request, reply);
    } else if (ia_dashboard_path(request->path)) {
        ia_dashboard_handle(request, reply);
    } else {
        ia_api_handle(d->api, request, reply);
    }
    if (newer && work) {
        ia_http_reply_header(reply, "Ios-Agent-Drains", "1");
    }
    if (newer) { /* not before: this one is still served */
        ia_daemon_leave(d, false, true);
    }
    IA_KILL_POINT("daemon.answer");
    count(d, -1, work);
}

void ia_daemon_stop_asked(void *ctx, bool drain)
{
    struct ia_daemon *d = ctx;
    ia_daemon_say(d, drain ? "asked to stop when nothing is in hand" : "asked to stop");
    ia_daemon_leave(d, !drain, false);
}

int ia_daemon_usual_port(const char *home)
{
    return PORT_MIN + (int)(ia_hash(IA_HASH_SEED, home, strlen(home)) % PORTS);
}

enum ia_rc ia_daemon_listen_tcp(void *ctx, int *ret_port, struct ia_err *err)
{
    struct ia_daemon *d = ctx;
    return ia_http_listen_tcp(d->http, ia_daemon_usual_port(d->place.home), ret_port, err);
}

/* ---- idle ---------------------------------------------------------------------------------- */

static bool stop_at_first(void *ctx, const char *lane, int64_t waiting, int64_t not_before_ms)
{
    (void)lane;
    (void)waiting;
    (void)not_before_ms;
    *(bool *)ctx = true;
    return false;
}

static bool due_soon(void *ctx, const struct ia_schedule_row *row)
{
    (void)row;
    *(bool *)ctx = true;
    return false;
}

/* Whether anything keeps it. What the store does not say counts as work. */
static bool has_work(struct ia_daemon *d)
{
    int connections = 0, streams = 0;
    bool waiting = false;
    struct ia_err err;
    ia_http_counts(d->http, &connections, &streams);
    pthread_mutex_lock(&d->mutex);
    int in_hand = d->in_hand;
    pthread_mutex_unlock(&d->mutex);
    if (in_hand + streams + ia_hub_busy(d->hub) + ia_queue_active(ia_runs_queue(d->runs)) +
            ia_api_busy(d->api) >
        0) {
        return true;
    }
    int64_t soon_ms = ia_wall_ms(ia_clock_system()) + SOON_MS;
    return ia_store_waiting(d->setup.store, stop_at_first, &waiting, &err) != IA_OK ||
           ia_store_due(d->setup.store, soon_ms, due_soon, &waiting, NULL, &err) != IA_OK ||
           waiting;
}

/* Microseconds until it would end; INT64_MAX: never. Notes work that is going on. */
int64_t ia_daemon_idle_left_us(struct ia_daemon *d, bool *ret_work)
{
    *ret_work = has_work(d);
    int64_t now = ia_daemon_now_us();
    pthread_mutex_lock(&d->mutex);
    d->last_us = *ret_work ? now : d->last_us;
    int64_t left = d->idle_us == 0 ? INT64_MAX : d->last_us + d->idle_us - now;
    pthread_mutex_unlock(&d->mutex);
    return left;
}

void ia_daemon_facts(void *ctx, struct ia_api_facts *ret)
{
    struct ia_daemon *d = ctx;
    int streams;
    pthread_mutex_lock(&d->mutex);
    int64_t left_us = d->last_us + d->idle_us - ia_daemon_now_us();
    ret->idle_in_s = d->idle_us == 0 ? -1 : left_us > 0 ? left_us / 1000000 : 0;
    pthread_mutex_unlock(&d->mutex);
    ret->started_ms = d->started_ms;
    int port = ia_http_port(d->http);
    if (port > 0) {
        (void)snprintf(ret->http, sizeof(ret->http), "http://127.0.0.1:%d", port);
    }
    ia_http_counts(d->http, &ret->clients, &streams);
}
