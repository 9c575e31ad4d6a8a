/* parts.c: opens what a daemon is made of, in order, and closes it in reverse. */
#include "agent/queue/queue.h"
#include "agent/run/run.h"
#include "app/live_config.h"
#include "app/secret_source.h"
#include "base/platform.h"
#include "client/build.h"
#include "client/client.h"
#include "events/shapes.h"
#include "server/daemon/life.h"
#include "server/http/access.h"
#include "server/http/token.h"
#include "server/mcp/core/http.h"
#include "server/mcp/mcp_server.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    GRACE_MS = 20000, /* for a run to reach its next safe moment */
    LAST_ANSWERS_MS = 300,
    LAST_TICK_MS = 3,
    SUCCESSOR_WAIT_MS = 12000
};

/* ---- the place ------------------------------------------------------------------------------ */

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
static enum ia_rc take_place(struct ia_daemon *d, bool *ret_other, struct ia_err *err)
{
    const char *home = d->setup.paths.home;
    int64_t until_us = ia_daemon_in_ms(SUCCESSOR_WAIT_MS), pause_ms = 1;
    enum ia_rc rc = ia_place_take(home, &d->place, err);
    while (rc == IA_E_BUSY && d->opts->background && !*ret_other &&
           ia_daemon_now_us() < until_us) {
        (void)ia_clock_wait(ia_clock_system(), d->opts->cancel, ia_daemon_in_ms(pause_ms));
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
    struct ia_daemon *d = ctx;
    const struct ia_runs_observer *o = &d->opts->runs;
    if (event == IA_EVENT_PICTURE || event == IA_EVENT_TOOL_FINISHED) {
        ia_hub_changed(d->hub, task->lane); /* who watches may look what the run saw */
    } else if (ia_event_infos[event].where == IA_EVENT_W_LIVE) {
        ia_live_add(d->live, event, task->run_id, task->lane, json);
    }
    if (o->event) {
        o->event(o->ctx, task, event, json);
    }
}

static void run_ended(void *ctx, const struct ia_queue_task *task,
                      const struct ia_run_result *r, const struct ia_err *refused)
{
    struct ia_daemon *d = ctx;
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
    struct ia_daemon *d = ctx;
    ia_daemon_say(d, "%s", err->msg);
    if (err->code == IA_E_DB_CORRUPT || err->code == IA_E_DB_NEWER) {
        pthread_mutex_lock(&d->mutex);
        d->failure = *err;
        pthread_mutex_unlock(&d->mutex);
        ia_daemon_leave(d, true, false);
    }
}

/* ---- settings ------------------------------------------------------------------------------- */

/* What this process keeps of its settings. What is read when it is needed, as by a run, needs nothing
 * here; where it listens, and what it notifies through, is as it was when it began. */
static void on_settings(void *ctx, const struct ia_config *config)
{
    struct ia_daemon *d = ctx;
    struct ia_err err;
    int64_t seconds = ia_config_int(config, IA_CFG_DAEMON_IDLE_SECONDS);
    pthread_mutex_lock(&d->mutex);
    d->idle_us = d->opts->background ? seconds * 1000000 : 0;
    pthread_mutex_unlock(&d->mutex);
    ia_queue_set_max_runs(ia_runs_queue(d->runs),
                          (int)ia_config_int(config, IA_CFG_QUEUE_MAX_RUNS));
    if (ia_setup_log(&d->setup.paths, config, &err) != IA_OK) {
        ia_daemon_say(d, "%s", err.msg);
    }
}

/* ---- opening ------------------------------------------------------------------------------- */

static bool is_secret(void *ctx, const char *text)
{
    return ia_secret_in_text(((struct ia_daemon *)ctx)->setup.store, text);
}

static void leader_says(void *ctx, const char *line)
{
    ia_daemon_say(ctx, "%s", line);
}

static enum ia_rc open_schedules(struct ia_daemon *d, struct ia_err *err)
{
    struct ia_scheduler_peers peers = {.claim = NULL};
    enum ia_rc rc = IA_OK;
    if (ia_leader_wanted(d->setup.config)) {
        rc = ia_leader_open(
            &(struct ia_leader_opts){.setup = &d->setup, .say = leader_says, .ctx = d},
            &d->leader, err);
        peers = (struct ia_scheduler_peers){.claim = ia_leader_claim, .ctx = d->leader};
    }
    if (rc == IA_OK) {
        d->scheduler = ia_scheduler_thread_start(&d->setup, ia_runs_queue(d->runs),
                                                 &d->opts->schedules, peers, err);
        rc = d->scheduler ? IA_OK : err->code;
    }
    return rc;
}

static enum ia_rc open_work(struct ia_daemon *d, struct ia_err *err)
{
    int recovered = 0;
    struct ia_hub_opts hub = {.paths = &d->setup.paths,
                              .command = "ios-agent daemon",
                              .is_secret = is_secret,
                              .ctx = d};
    struct ia_runs_opts runs = {
        .setup = &d->setup,
        .credentials = d->opts->credentials,
        .all_lanes = true,
        .observer = {.event = run_event, .ended = run_ended, .failed = queue_failed, .ctx = d},
        .ret_recovered = &recovered};
    d->live = ia_live_new(NULL);
    d->hub = ia_hub_new(&hub);
    ia_commands_listen(ia_hub_commands(d->hub), ia_live_command, d->live);
    ia_setup_follow(&d->setup);
    enum ia_rc rc = ia_runs_open(&runs, &d->runs, err);
    if (rc == IA_OK && recovered > 0) {
        ia_daemon_say(d, "%d interrupted run%s of dead processes will be resumed", recovered,
                      recovered == 1 ? "" : "s");
    }
    if (rc == IA_OK) {
        ia_setup_hear(&d->setup, on_settings, d);
        rc = open_schedules(d, err);
    }
    return rc;
}

static enum ia_rc get_runs(void *ctx, struct ia_runs **ret, const struct ia_setup **ret_setup,
                           struct ia_err *err)
{
    struct ia_daemon *d = ctx;
    (void)err;
    *ret = d->runs;
    *ret_setup = &d->setup;
    return IA_OK;
}

static enum ia_rc open_mcp(struct ia_daemon *d, struct ia_err *err)
{
    const struct ia_mcp_host host = {
        .hub = d->hub, .runs = get_runs, .ctx = d, .version = ia_build_version()};
    enum ia_rc rc = ia_mcp_server_new(&host, &d->mcp, err);
    if (rc == IA_OK) {
        d->mcp_http = ia_mcp_http_new(ia_mcp_server_core(d->mcp));
    }
    return rc;
}

static enum ia_rc open_server(struct ia_daemon *d, struct ia_err *err)
{
    int port = d->opts->http_port >= 0
                   ? d->opts->http_port
                   : (int)ia_config_int(d->setup.config, IA_CFG_DAEMON_HTTP);
    port = port == 0 ? ia_daemon_usual_port(d->place.home) : port;
    char *token = ia_token_path(d->setup.paths.home);
    d->access = ia_access_new(&(struct ia_access_opts){
        .token_file = token,
        .allowed_hosts = ia_config_str(d->setup.config, IA_CFG_HTTP_ALLOWED_HOSTS)});
    free(token);
    bool known = ia_platform_program(d->program, sizeof(d->program));
    struct ia_api_opts api = {.setup = &d->setup,
                              .credentials = d->opts->credentials,
                              .runs = d->runs,
                              .hub = d->hub,
                              .live = d->live,
                              .access = d->access,
                              .daemon = {.facts = ia_daemon_facts,
                                         .stop = ia_daemon_stop_asked,
                                         .listen = ia_daemon_listen_tcp,
                                         .admit = ia_daemon_admit,
                                         .ctx = d},
                              .build = ia_build_id(),
                              .version = ia_build_version(),
                              .skills = d->opts->skills,
                              .skills_ctx = d->opts->skills_ctx,
                              .program = known ? d->program : NULL};
    d->api = ia_api_new(&api);
    enum ia_rc rc = open_mcp(d, err);
    if (rc == IA_OK) {
        struct ia_http_opts http = {.unix_fd = d->socket_fd,
                                    .tcp_port = port,
                                    .access = d->access,
                                    .handler = ia_daemon_handle,
                                    .ctx = d,
                                    .build = ia_build_id()};
        rc = ia_http_start(&http, &d->http, err);
        d->socket_fd = rc == IA_OK ? -1 : d->socket_fd; /* the server's */
    }
    return rc;
}

/* The socket comes first, before there are threads. Who connects meanwhile is answered when the last part
 * is there. */
enum ia_rc ia_daemon_open(struct ia_daemon *d, bool *ret_other, struct ia_err *err)
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
    rc = ia_place_listen(&d->place, d->opts->background, &d->socket_fd, err);
    if (rc == IA_OK) {
        rc = ia_setup_store(&d->setup, "ios-agent daemon", err);
    }
    if (rc == IA_OK) {
        rc = open_work(d, err);
    }
    if (rc == IA_OK) {
        rc = open_server(d, err);
    }
    return rc;
}

/* ---- closing ------------------------------------------------------------------------------- */

/* Whoever found the socket before it was hidden is still told that nothing was done: a connection that is
 * cut would leave its client in doubt. One that is only kept alive is not waited for longer. */
static void last_answers(struct ia_daemon *d)
{
    int64_t until_us = ia_daemon_in_ms(LAST_ANSWERS_MS);
    int connections, streams;
    for (int quiet = 0; quiet < 2 && ia_daemon_now_us() < until_us;) {
        (void)ia_clock_wait(ia_clock_system(), NULL, ia_daemon_in_ms(LAST_TICK_MS));
        ia_http_counts(d->http, &connections, &streams);
        quiet = connections == 0 ? quiet + 1 : 0;
    }
}

static void close_server(struct ia_daemon *d)
{
    if (d->http) {
        last_answers(d);
    }
    ia_http_stop(d->http);
    if (d->socket_fd >= 0) {
        close(d->socket_fd);
    }
    ia_mcp_http_free(d->mcp_http);
    ia_mcp_server_free(d->mcp);
    ia_api_free(d->api);
    ia_access_free(d->access);
}

/* A run that does not end within the grace period is left to the next start. Its thread still uses
 * this memory, so nothing is freed. */
static void close_work(struct ia_daemon *d)
{
    struct ia_err err;
    ia_scheduler_thread_stop(d->scheduler);
    ia_leader_close(d->leader);
    if (d->runs && ia_runs_close(d->runs, GRACE_MS, &err) != IA_OK) {
        ia_daemon_say(d, "%s", err.msg);
        _exit(ia_rc_exit(IA_E_CANCELLED));
    }
    ia_hub_free(d->hub);
    ia_live_free(d->live);
}

void ia_daemon_close(struct ia_daemon *d)
{
    ia_place_hide(&d->place);
    close_server(d);
    close_work(d);
    ia_setup_unfollow(&d->setup);
    ia_setup_close(&d->setup);
    if (d->log) {
        ia_daemon_log_say(d->log, "ended");
    }
    ia_daemon_log_close(d->log);
    ia_place_leave(&d->place);
    ia_cancel_free(d->changed);
    pthread_mutex_destroy(&d->mutex);
}
