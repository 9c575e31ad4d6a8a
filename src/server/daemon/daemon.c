/* daemon.c: opens the parts in order, watches what goes on, and closes them in reverse.
 *
 * Every request passes through handle(), which counts what is in hand and when the last one ended; a
 * request of a newer build starts the drain. The thread of ia_daemon_run wakes once every few seconds to
 * see whether there is still anything to do, and at once when the end is asked for. */
#include "server/daemon/daemon.h"

#include "agent/queue/queue.h"
#include "agent/run/run.h"
#include "base/killpoint.h"
#include "base/platform.h"
#include "client/build.h"
#include "client/client.h"
#include "server/api/api.h"
#include "server/daemon/log.h"
#include "server/daemon/place.h"
#include "server/http/access.h"
#include "server/http/token.h"
#include "server/mcp/core/http.h"
#include "server/mcp/mcp_server.h"
#include "store/queue.h"
#include "store/schedules.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TICK_MS = 10000,    /* between two looks at the home, the devices and the idle time */
    DRAIN_TICK_MS = 50, /* the same while it drains */
    GRACE_MS = 20000,   /* for a run to reach its next safe moment */
    SUCCESSOR_WAIT_MS = 12000,
    SOON_MS = 60 * 60 * 1000, /* a schedule that is due by then keeps the daemon */
    DEVICE_IDLE_S = 300,
    LINE_MAX_BYTES = 512,
    PATH_MAX_BYTES = 512
};

enum phase { SERVING, DRAINING, ENDING };

struct daemon {
    const struct ia_daemon_opts *opts;
    struct ia_place place;
    struct ia_setup setup;
    struct ia_daemon_log *log;
    struct ia_runs *runs;
    struct ia_scheduler_thread *scheduler;
    struct ia_hub *hub;
    struct ia_access *access;
    struct ia_api *api;
    struct ia_mcp_server *mcp;
    struct ia_mcp_http *mcp_http;
    struct ia_http_server *http;
    struct ia_cancel *changed; /* fires when the phase is no longer SERVING */
    int64_t started_ms, idle_us;

    pthread_mutex_t mutex; /* guards the rest */
    enum phase phase;
    bool now;              /* without waiting for what is in hand */
    bool newer;            /* a newer build asked */
    int in_hand;           /* requests */
    int64_t last_us;       /* when there was work last */
    int64_t tidied_us;     /* last_us at the time when memory was given back */
    struct ia_err failure; /* the store cannot be served for good */
};

IA_PRINTF(2, 3) static void say(struct daemon *d, const char *fmt, ...)
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

static int64_t now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

/* ---- phases -------------------------------------------------------------------------------- */

/* From SERVING to DRAINING, and from waiting to not waiting; never back. */
static void leave(struct daemon *d, bool now, bool newer)
{
    pthread_mutex_lock(&d->mutex);
    d->phase = d->phase == SERVING ? DRAINING : d->phase;
    d->now = d->now || now;
    d->newer = d->newer || newer;
    pthread_mutex_unlock(&d->mutex);
    ia_cancel_fire(d->changed);
}

/* From DRAINING to ENDING once nothing is in hand: a request that comes later is refused. */
static bool ended(struct daemon *d)
{
    bool left =
        ia_queue_active(ia_runs_queue(d->runs)) > 0 || ia_mcp_http_busy(d->mcp_http) > 0;
    pthread_mutex_lock(&d->mutex);
    bool over = d->now || (d->in_hand == 0 && !left);
    d->phase = over ? ENDING : d->phase;
    pthread_mutex_unlock(&d->mutex);
    return over;
}

static bool is_newer(const struct ia_http_request *request)
{
    const char *build = ia_http_header(request, "Ios-Agent-Build");
    return build && ia_build_compare(build, ia_build_id()) > 0;
}

/* What this process must not begin: the client takes it to the next daemon. */
static enum ia_rc admit(void *ctx, const struct ia_http_request *request, struct ia_err *err)
{
    struct daemon *d = ctx;
    (void)request;
    pthread_mutex_lock(&d->mutex);
    bool ending = d->phase == ENDING;
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

/* Asking how it is keeps no daemon alive. */
static bool is_work(const struct ia_http_request *request)
{
    return strcmp(request->path, "/v1/daemon") != 0;
}

static void count(struct daemon *d, int by, bool work)
{
    pthread_mutex_lock(&d->mutex);
    d->in_hand += by;
    d->last_us = work ? now_us() : d->last_us;
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

static void handle_mcp(struct daemon *d, const struct ia_http_request *request,
                       struct ia_http_reply *reply)
{
    struct ia_err err = {.code = IA_OK};
    enum ia_rc rc = admit(d, request, &err);
    if (rc == IA_OK) {
        ia_mcp_http_handle(d->mcp_http, request, reply);
    } else {
        ia_http_reply_error(reply, &err);
        ia_http_reply_header(reply, "Ios-Agent-Code", "%s", ia_rc_name(rc));
    }
}

static void handle(void *ctx, const struct ia_http_request *original,
                   struct ia_http_reply *reply)
{
    struct daemon *d = ctx;
    char path[PATH_MAX_BYTES];
    const struct ia_http_request r = translated(original, path), *request = &r;
    bool work = is_work(request), newer = is_newer(request);
    count(d, 1, work);
    IA_KILL_POINT("daemon.request");
    if (newer) {
        leave(d, false, true);
    }
    if (is_mcp(request)) {
        handle_mcp(d, request, reply);
    } else {
        ia_api_handle(d->api, request, reply);
    }
    if (newer && work) {
        ia_http_reply_header(reply, "Ios-Agent-Drains", "1");
    }
    IA_KILL_POINT("daemon.answer");
    count(d, -1, work);
}

static void stop_asked(void *ctx, bool drain)
{
    struct daemon *d = ctx;
    say(d, drain ? "asked to stop when nothing is in hand" : "asked to stop");
    leave(d, !drain, false);
}

static enum ia_rc listen_tcp(void *ctx, int *ret_port, struct ia_err *err)
{
    struct daemon *d = ctx;
    return ia_http_listen_tcp(d->http, 0, ret_port, err);
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
static bool has_work(struct daemon *d)
{
    int connections = 0, streams = 0;
    bool waiting = false;
    struct ia_err err;
    ia_http_counts(d->http, &connections, &streams);
    pthread_mutex_lock(&d->mutex);
    int in_hand = d->in_hand;
    pthread_mutex_unlock(&d->mutex);
    if (in_hand + streams + ia_hub_busy(d->hub) + ia_queue_active(ia_runs_queue(d->runs)) > 0) {
        return true;
    }
    int64_t soon_ms = ia_wall_ms(ia_clock_system()) + SOON_MS;
    return ia_store_waiting(d->setup.store, stop_at_first, &waiting, &err) != IA_OK ||
           ia_store_due(d->setup.store, soon_ms, due_soon, &waiting, NULL, &err) != IA_OK ||
           waiting;
}

/* Microseconds until it would end; INT64_MAX: never. Notes work that is going on. */
static int64_t idle_left_us(struct daemon *d, bool *ret_work)
{
    *ret_work = has_work(d);
    int64_t now = now_us();
    pthread_mutex_lock(&d->mutex);
    d->last_us = *ret_work ? now : d->last_us;
    int64_t left = d->last_us + d->idle_us - now;
    pthread_mutex_unlock(&d->mutex);
    return d->idle_us == 0 ? INT64_MAX : left;
}

static void facts(void *ctx, struct ia_api_facts *ret)
{
    struct daemon *d = ctx;
    int streams;
    int64_t idle_us;
    pthread_mutex_lock(&d->mutex);
    idle_us = d->last_us + d->idle_us - now_us();
    pthread_mutex_unlock(&d->mutex);
    ret->started_ms = d->started_ms;
    ret->idle_in_s = d->idle_us == 0 ? -1 : idle_us > 0 ? idle_us / 1000000 : 0;
    if (d->http) {
        int port = ia_http_port(d->http);
        if (port > 0) {
            (void)snprintf(ret->http, sizeof(ret->http), "http://127.0.0.1:%d", port);
        }
        ia_http_counts(d->http, &ret->clients, &streams);
    }
}

/* ---- the place ------------------------------------------------------------------------------ */

static int64_t in_ms(int64_t ms)
{
    return now_us() + ms * 1000;
}

/* Whether somebody accepts connections there. */
static bool answers(const char *home)
{
    struct ia_client *c =
        ia_client_new(&(struct ia_client_opts){.home = home, .quiet = true}, NULL);
    struct ia_client_request q = {.method = "GET", .path = "/daemon", .deadline_ms = 1000};
    struct ia_client_answer a;
    bool ok = ia_client_call(c, &q, &a, NULL) == IA_OK;
    ia_client_answer_fini(&a);
    ia_client_free(c);
    return ok;
}

/* In the background, where another daemon has the place: until that one answers, which is as good, or
 * is gone. *ret_other: it answers. */
static enum ia_rc take_place(struct daemon *d, bool *ret_other, struct ia_err *err)
{
    const char *home = d->setup.paths.home;
    int64_t until_us = in_ms(SUCCESSOR_WAIT_MS), pause_ms = 1;
    enum ia_rc rc = ia_place_take(home, &d->place, err);
    while (rc == IA_E_BUSY && d->opts->background && !*ret_other && now_us() < until_us) {
        (void)ia_clock_wait(ia_clock_system(), d->opts->cancel, in_ms(pause_ms));
        pause_ms = pause_ms < 20 ? pause_ms * 2 : pause_ms;
        *ret_other = answers(home);
        rc = *ret_other ? rc : ia_place_take(home, &d->place, err);
    }
    return rc;
}

/* ---- what runs do -------------------------------------------------------------------------- */

static void run_event(void *ctx, const struct ia_queue_task *task, enum ia_event_type event,
                      struct ia_str json)
{
    const struct ia_runs_observer *o = &((struct daemon *)ctx)->opts->runs;
    if (o->event) {
        o->event(o->ctx, task, event, json);
    }
}

static void run_ended(void *ctx, const struct ia_queue_task *task,
                      const struct ia_run_result *r, const struct ia_err *refused)
{
    struct daemon *d = ctx;
    const struct ia_runs_observer *o = &d->opts->runs;
    if (o->ended) {
        o->ended(o->ctx, task, r, refused);
    }
    if (d->log) {
        ia_daemon_log_say(d->log, "run %s on %s: %s%s%s", r->id, task->lane, r->state,
                          refused ? ", " : "", refused ? ia_rc_name(refused->code) : "");
    }
}

static void queue_failed(void *ctx, const struct ia_err *err)
{
    struct daemon *d = ctx;
    say(d, "%s", err->msg);
    if (err->code == IA_E_DB_CORRUPT || err->code == IA_E_DB_NEWER) {
        pthread_mutex_lock(&d->mutex);
        d->failure = *err;
        pthread_mutex_unlock(&d->mutex);
        leave(d, true, false);
    }
}

/* ---- opening ------------------------------------------------------------------------------- */

static enum ia_rc open_work(struct daemon *d, struct ia_err *err)
{
    int recovered = 0;
    struct ia_hub_opts hub = {.paths = &d->setup.paths, .command = "ios-agent daemon"};
    struct ia_runs_opts runs = {
        .setup = &d->setup,
        .credentials = d->opts->credentials,
        .all_lanes = true,
        .observer = {.event = run_event, .ended = run_ended, .failed = queue_failed, .ctx = d},
        .ret_recovered = &recovered};
    d->hub = ia_hub_new(&hub);
    enum ia_rc rc = ia_runs_open(&runs, &d->runs, err);
    if (rc == IA_OK && recovered > 0) {
        say(d, "%d interrupted run%s of dead processes will be resumed", recovered,
            recovered == 1 ? "" : "s");
    }
    if (rc == IA_OK) {
        d->scheduler = ia_scheduler_thread_start(&d->setup, ia_runs_queue(d->runs),
                                                 &d->opts->schedules, err);
        rc = d->scheduler ? IA_OK : err->code;
    }
    return rc;
}

static enum ia_rc get_runs(void *ctx, struct ia_runs **ret, const struct ia_setup **ret_setup,
                           struct ia_err *err)
{
    struct daemon *d = ctx;
    (void)err;
    *ret = d->runs;
    *ret_setup = &d->setup;
    return IA_OK;
}

static enum ia_rc open_mcp(struct daemon *d, struct ia_err *err)
{
    const struct ia_mcp_host host = {
        .hub = d->hub, .runs = get_runs, .ctx = d, .version = ia_build_version()};
    enum ia_rc rc = ia_mcp_server_new(&host, &d->mcp, err);
    if (rc == IA_OK) {
        d->mcp_http = ia_mcp_http_new(ia_mcp_server_core(d->mcp));
    }
    return rc;
}

static enum ia_rc open_server(struct daemon *d, struct ia_err *err)
{
    int port = d->opts->http_port >= 0
                   ? d->opts->http_port
                   : (int)ia_config_int(d->setup.config, IA_CFG_DAEMON_HTTP);
    char *token = ia_token_path(d->setup.paths.home);
    int fd = -1;
    d->access = ia_access_new(&(struct ia_access_opts){
        .token_file = token,
        .allowed_hosts = ia_config_str(d->setup.config, IA_CFG_HTTP_ALLOWED_HOSTS)});
    free(token);
    struct ia_api_opts api = {.setup = &d->setup,
                              .credentials = d->opts->credentials,
                              .runs = d->runs,
                              .hub = d->hub,
                              .access = d->access,
                              .daemon = {.facts = facts,
                                         .stop = stop_asked,
                                         .listen = listen_tcp,
                                         .admit = admit,
                                         .ctx = d},
                              .build = ia_build_id(),
                              .version = ia_build_version()};
    d->api = ia_api_new(&api);
    enum ia_rc rc = open_mcp(d, err);
    if (rc == IA_OK) {
        rc = ia_place_listen(&d->place, d->opts->background, &fd, err);
    }
    if (rc == IA_OK) {
        struct ia_http_opts http = {.unix_fd = fd,
                                    .tcp_port = port,
                                    .access = d->access,
                                    .handler = handle,
                                    .ctx = d,
                                    .build = ia_build_id()};
        rc = ia_http_start(&http, &d->http, err);
        if (rc != IA_OK) {
            close(fd);
        }
    }
    return rc;
}

/* The parts that have threads come last, as whoever holds the place and does not listen yet is waited
 * for: everything that can fail without them fails first. */
static enum ia_rc open_daemon(struct daemon *d, bool *ret_other, struct ia_err *err)
{
    enum ia_rc rc = ia_paths_find(NULL, &d->setup.paths, err);
    if (rc == IA_OK) {
        rc = take_place(d, ret_other, err);
    }
    ia_paths_fini(&d->setup.paths);
    if (rc != IA_OK) {
        return rc;
    }
    d->log = d->opts->background ? ia_daemon_log_open(d->place.home) : NULL;
    rc = ia_setup_store(&d->setup, "ios-agent daemon", err);
    if (rc == IA_OK) {
        rc = open_work(d, err);
    }
    if (rc == IA_OK) {
        rc = open_server(d, err);
    }
    return rc;
}

/* Whoever waits at the other end of stdout learns from its end that the daemon is ready. */
static void let_go_of_output(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
            (void)dup2(null, fd);
        }
        close(null);
    }
}

/* ---- serving ------------------------------------------------------------------------------- */

/* Why it is to end, or NULL. */
static const char *reason_to_end(struct daemon *d, int64_t *ret_wait_ms)
{
    bool work;
    int64_t left_us = idle_left_us(d, &work);
    int64_t left_ms = left_us / 1000 + 1;
    *ret_wait_ms = left_ms < TICK_MS ? left_ms : TICK_MS;
    *ret_wait_ms = work && *ret_wait_ms < DRAIN_TICK_MS ? DRAIN_TICK_MS : *ret_wait_ms;
    if (ia_place_lost(&d->place)) {
        return "its folder or its socket was removed";
    }
    return d->opts->background && !work && left_us <= 0 ? "nothing was asked of it" : NULL;
}

/* Once after each time that something was done. */
static void tidy(struct daemon *d)
{
    (void)ia_hub_trim(d->hub, DEVICE_IDLE_S * INT64_C(1000000));
    pthread_mutex_lock(&d->mutex);
    bool again = d->last_us == d->tidied_us;
    d->tidied_us = d->last_us;
    pthread_mutex_unlock(&d->mutex);
    if (!again) {
        ia_platform_give_back_memory();
    }
}

static void serve(struct daemon *d)
{
    const char *why = NULL;
    while (!why && !ia_cancel_fired(d->changed) && !ia_cancel_fired(d->opts->cancel)) {
        int64_t wait_ms;
        why = reason_to_end(d, &wait_ms);
        if (!why) {
            tidy(d);
            struct pollfd stop = {ia_cancel_fd(d->opts->cancel), POLLIN, 0};
            int ready;
            (void)ia_cancel_poll(d->changed, &stop, 1, in_ms(wait_ms), &ready);
        }
    }
    if (why) {
        say(d, "ending: %s", why);
    }
    leave(d, ia_cancel_fired(d->opts->cancel), false);
}

static void drain(struct daemon *d)
{
    if (d->newer) {
        say(d, "a newer build of ios-agent asked: ending when nothing is in hand");
    }
    ia_queue_hold(ia_runs_queue(d->runs));
    while (!ended(d)) {
        (void)ia_clock_wait(ia_clock_system(), d->opts->cancel, in_ms(DRAIN_TICK_MS));
        if (ia_cancel_fired(d->opts->cancel)) {
            leave(d, true, false);
        }
    }
}

/* ---- closing ------------------------------------------------------------------------------- */

static void close_server(struct daemon *d)
{
    ia_http_stop(d->http);
    ia_mcp_http_free(d->mcp_http);
    ia_mcp_server_free(d->mcp);
    ia_api_free(d->api);
    ia_access_free(d->access);
}

/* A run that does not end within the grace period is left to the next start. Its thread still uses
 * this memory, so nothing is freed. */
static void close_work(struct daemon *d)
{
    struct ia_err err;
    ia_scheduler_thread_stop(d->scheduler);
    if (d->runs && ia_runs_close(d->runs, GRACE_MS, &err) != IA_OK) {
        say(d, "%s", err.msg);
        _exit(ia_rc_exit(IA_E_CANCELLED));
    }
    ia_hub_free(d->hub);
}

static void close_daemon(struct daemon *d)
{
    ia_place_hide(&d->place);
    close_server(d);
    close_work(d);
    ia_setup_close(&d->setup);
    if (d->log) {
        ia_daemon_log_say(d->log, "ended");
    }
    ia_daemon_log_close(d->log);
    ia_place_leave(&d->place);
    ia_cancel_free(d->changed);
    pthread_mutex_destroy(&d->mutex);
}

static enum ia_rc outcome(const struct daemon *d, struct ia_err *err)
{
    if (d->failure.code != IA_OK) {
        *err = d->failure;
        return err->code;
    }
    if (d->newer && !d->opts->background && !ia_cancel_fired(d->opts->cancel)) {
        return ia_err_set(err, IA_E_DAEMON_VERSION,
                          "it made way for a newer build of ios-agent");
    }
    return IA_OK;
}

enum ia_rc ia_daemon_run(const struct ia_daemon_opts *opts, struct ia_err *err)
{
    struct daemon d = {.opts = opts, .place.lock_fd = -1, .mutex = PTHREAD_MUTEX_INITIALIZER};
    bool other = false;
    ia_platform_few_heaps();
    d.changed = ia_cancel_new(err);
    d.started_ms = ia_wall_ms(ia_clock_system());
    d.last_us = now_us();
    enum ia_rc rc = d.changed ? open_daemon(&d, &other, err) : err->code;
    if (rc == IA_OK) {
        d.idle_us = opts->background
                        ? ia_config_int(d.setup.config, IA_CFG_DAEMON_IDLE_SECONDS) * 1000000
                        : 0;
        IA_KILL_POINT("daemon.ready");
        say(&d, "ready: %s", d.setup.paths.home);
        if (opts->background) {
            let_go_of_output();
        }
        serve(&d);
        if (opts->say) {
            opts->say(opts->ctx, "stopping; finishing the actions in progress first");
        }
        drain(&d);
        rc = outcome(&d, err);
    }
    close_daemon(&d);
    return other ? IA_OK : rc;
}
