/* connections.c: see connections.h.
 *
 *            new
 *             ▼    headers        body complete         answer queued      answer read
 *     ┌───► HEAD ─────────► BODY ───────────► HANDLER ──────────► ANSWER ───────────► KEPT ──┐
 *     │               │ refused                 ▲                  ▲   │                     │
 *     │               ├─────────────────────────┼──────────────────┤   │ stream: next bytes  │
 *     │               └──────► DELAY ───────────┼──────────────────┤   ▼                     │
 *     │                                         stream: bytes ──── WAIT                      │
 *     └────────────────────────── the next request line ─────────────────────────────────────┘
 *
 * Until a request is complete its connection ends when somebody else needs the place, so that idle
 * connections never keep anybody out. All fields of connections are under the one lock. */
#include "server/http/connections.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/platform.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* the library has set SO_NOSIGPIPE there */
#endif

enum {
    US_PER_S = 1000000,
    WATCH_US = 100000,
    DRAIN_US = 5000,
    LEAVING_MAX = 8, /* of a listener, at once */
    LEAVING_US = 1000
};

static const struct {
    int seconds; /* how long at most; 0: no limit */
    bool idle;   /* may be ended for another one */
} phases[IA_CONN_PHASES] = {
    [IA_CONN_HEAD] = {IA_HTTP_HEAD_S, true},
    [IA_CONN_BODY] = {IA_HTTP_BODY_S, true},
    [IA_CONN_DELAY] = {0, true},
    [IA_CONN_HANDLER] = {0, false},
    [IA_CONN_ANSWER] = {IA_HTTP_ANSWER_S, false},
    [IA_CONN_WAIT] = {0, false},
    [IA_CONN_KEPT] = {0, true}, /* keep_s */
};

static const int room[] = {[IA_HTTP_UNIX] = IA_HTTP_UNIX_MAX, [IA_HTTP_TCP] = IA_HTTP_TCP_MAX};

struct ia_conns {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* the phase of a connection */
    struct ia_conn *first;
    int hurry, keep_s;
    bool half_close;
    struct ia_cancel *stopping;
    pthread_t reaper;
    struct ia_cancel *reaper_end;
    int wake[2];
    int64_t sleeps_until_us; /* of the reaper */
};

/* ---- the thread that ends connections ----------------------------------------------------- */

/* An end that closed all and one that only sends no more look alike, until something is sent there: the first
 * resets the connection. 100 is what every client of HTTP/1.1 skips before its answer; no part of that is under
 * way while the request is watched. */
static bool client_gone(const struct ia_conns *c, struct ia_conn *conn)
{
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (!c->half_close) {
        return ia_platform_peer_gone(conn->fd);
    }
    if (!conn->asked && ia_platform_peer_gone(conn->fd)) {
        conn->asked = true;
        (void)!send(conn->fd, go_on, sizeof(go_on) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    return ia_platform_peer_lost(conn->fd);
}

/* Ends what is due. When there is something to do next. */
static int64_t reap(struct ia_conns *c, int64_t now)
{
    int64_t next = IA_NO_DEADLINE;
    for (struct ia_conn *conn = c->first; conn; conn = conn->next) {
        if (conn->until_us <= now) {
            (void)shutdown(conn->fd, SHUT_RDWR);
            conn->until_us = IA_NO_DEADLINE;
        }
        next = conn->until_us < next ? conn->until_us : next;
        if (conn->watcher && !ia_cancel_fired(conn->watcher)) {
            if (client_gone(c, conn)) {
                ia_cancel_fire(conn->watcher);
            } else {
                next = now + WATCH_US < next ? now + WATCH_US : next;
            }
        }
    }
    return next;
}

static void *reaper_main(void *ctx)
{
    struct ia_conns *c = ctx;
    for (;;) {
        pthread_mutex_lock(&c->lock);
        int64_t until = c->sleeps_until_us = reap(c, ia_mono_us(ia_clock_system()));
        pthread_mutex_unlock(&c->lock);
        int ready;
        struct pollfd wake = {.fd = c->wake[0], .events = POLLIN};
        enum ia_rc rc = ia_cancel_poll(c->reaper_end, &wake, 1, until, &ready);
        if (rc == IA_E_CANCELLED) {
            return NULL;
        }
        if (rc == IA_OK) {
            char bytes[64];
            (void)!read(c->wake[0], bytes, sizeof(bytes));
        }
    }
}

/* Makes the reaper look at the connections by that time. It is woken only when it would sleep
 * longer: once for a burst of short requests. */
static void look_by(struct ia_conns *c, int64_t when_us)
{
    if (when_us < c->sleeps_until_us) {
        c->sleeps_until_us = when_us;
        (void)!write(c->wake[1], "", 1);
    }
}

/* ---- all of them -------------------------------------------------------------------------- */

static enum ia_rc open_all(struct ia_conns *c, struct ia_err *err)
{
    enum ia_rc rc = ia_pipe(c->wake, err);
    if (rc != IA_OK) {
        c->wake[0] = c->wake[1] = -1;
        return rc;
    }
    (void)ia_fd_nonblocking(c->wake[1]);
    c->stopping = ia_cancel_new(err);
    c->reaper_end = c->stopping ? ia_cancel_new(err) : NULL;
    if (!c->reaper_end) {
        return IA_E_IO;
    }
    if (pthread_create(&c->reaper, NULL, reaper_main, c) != 0) {
        ia_cancel_free(c->reaper_end);
        c->reaper_end = NULL;
        return ia_err_set(err, IA_E_IO, "cannot start a thread for the HTTP server");
    }
    return IA_OK;
}

struct ia_conns *ia_conns_new(int hurry, int keep_s, bool half_close, struct ia_err *err)
{
    struct ia_conns *c = ia_calloc(1, sizeof(*c));
    c->hurry = hurry;
    c->half_close = half_close;
    c->keep_s = keep_s > 0 ? keep_s : IA_HTTP_KEEP_S;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    if (open_all(c, err) != IA_OK) {
        ia_conns_free(c);
        return NULL;
    }
    return c;
}

void ia_conns_free(struct ia_conns *c)
{
    if (!c) {
        return;
    }
    if (c->reaper_end) {
        ia_cancel_fire(c->reaper_end);
        pthread_join(c->reaper, NULL);
    }
    ia_cancel_free(c->reaper_end);
    ia_cancel_free(c->stopping);
    if (c->wake[0] >= 0) {
        close(c->wake[0]);
        close(c->wake[1]);
    }
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

struct ia_cancel *ia_conns_stopping(struct ia_conns *c)
{
    return c->stopping;
}

void ia_conns_stop(struct ia_conns *c)
{
    pthread_mutex_lock(&c->lock);
    ia_cancel_fire(c->stopping);
    for (struct ia_conn *conn = c->first; conn; conn = conn->next) {
        ia_cancel_fire(conn->watcher);
    }
    pthread_mutex_unlock(&c->lock);
}

void ia_conns_count(struct ia_conns *c, int *ret_connections, int *ret_streams)
{
    *ret_connections = *ret_streams = 0;
    pthread_mutex_lock(&c->lock);
    for (const struct ia_conn *conn = c->first; conn; conn = conn->next) {
        ++*ret_connections;
        *ret_streams += conn->stream[0] != '\0';
    }
    pthread_mutex_unlock(&c->lock);
}

static bool any_in(const struct ia_conns *c, enum ia_conn_phase phase)
{
    for (const struct ia_conn *conn = c->first; conn; conn = conn->next) {
        if (conn->phase == phase) {
            return true;
        }
    }
    return false;
}

void ia_conns_drain(struct ia_conns *c, int64_t answers_until_us)
{
    pthread_mutex_lock(&c->lock);
    while (any_in(c, IA_CONN_HANDLER)) {
        pthread_cond_wait(&c->changed, &c->lock);
    }
    while (any_in(c, IA_CONN_ANSWER) && ia_mono_us(ia_clock_system()) < answers_until_us) {
        pthread_mutex_unlock(&c->lock);
        (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + DRAIN_US);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
}

/* ---- one ---------------------------------------------------------------------------------- */

static void move(struct ia_conn *conn, enum ia_conn_phase phase)
{
    struct ia_conns *c = conn->owner;
    int64_t now = ia_mono_us(ia_clock_system());
    conn->phase = phase;
    conn->since_us = now;
    int seconds = phase == IA_CONN_KEPT ? c->keep_s : phases[phase].seconds;
    conn->until_us = seconds ? now + (int64_t)seconds * US_PER_S / c->hurry : IA_NO_DEADLINE;
    look_by(c, conn->until_us);
    pthread_cond_broadcast(&c->changed);
}

void ia_conn_move(struct ia_conn *conn, enum ia_conn_phase phase)
{
    pthread_mutex_lock(&conn->owner->lock);
    move(conn, phase);
    pthread_mutex_unlock(&conn->owner->lock);
}

/* Whether there is room for one more; the connection that was idle longest makes it. Those that are on
 * their way out do not count: *ret_leaving is how many. */
static bool make_room(struct ia_conns *c, enum ia_http_listener listener, int *ret_leaving)
{
    int n = 0;
    struct ia_conn *oldest = NULL;
    *ret_leaving = 0;
    for (struct ia_conn *conn = c->first; conn; conn = conn->next) {
        if (conn->listener != listener) {
            continue;
        }
        if (conn->full) {
            ++*ret_leaving;
            continue;
        }
        n++;
        if (phases[conn->phase].idle && (!oldest || conn->since_us <= oldest->since_us)) {
            oldest = conn;
        }
    }
    if (n >= room[listener] && oldest) {
        (void)shutdown(oldest->fd, SHUT_RDWR);
        oldest->full = true;
    }
    return n < room[listener] || oldest;
}

struct ia_conn *ia_conn_add(struct ia_conns *c, enum ia_http_listener listener, int fd)
{
    struct ia_conn *conn = ia_calloc(1, sizeof(*conn));
    conn->owner = c;
    conn->fd = fd;
    conn->listener = listener;
    uid_t peer;
    conn->foreign =
        listener == IA_HTTP_UNIX && !(ia_platform_peer(fd, &peer) && peer == geteuid());
    pthread_mutex_lock(&c->lock);
    int leaving;
    conn->full = !make_room(c, listener, &leaving);
    conn->next = c->first;
    c->first = conn;
    conn->phase = IA_CONN_HEAD;
    move(conn, IA_CONN_HEAD);
    pthread_mutex_unlock(&c->lock);
    if (leaving >= LEAVING_MAX) {
        /* New ones come faster than old ones end. The rest waits in the listener's queue. */
        (void)ia_clock_wait(ia_clock_system(), NULL,
                            ia_mono_us(ia_clock_system()) + LEAVING_US);
    }
    return conn;
}

void ia_conn_drop(struct ia_conn *conn)
{
    struct ia_conns *c = conn->owner;
    ia_conn_unwatch(conn);
    pthread_mutex_lock(&c->lock);
    struct ia_conn **at = &c->first;
    while (*at != conn) {
        at = &(*at)->next;
    }
    *at = conn->next;
    pthread_mutex_unlock(&c->lock);
    free(conn);
}

struct ia_cancel *ia_conn_watch(struct ia_conn *conn, bool http_1_1)
{
    if (conn->watcher) {
        return conn->watcher;
    }
    struct ia_cancel *watcher = ia_cancel_new(NULL);
    pthread_mutex_lock(&conn->owner->lock);
    if (watcher && ia_cancel_fired(conn->owner->stopping)) {
        ia_cancel_fire(watcher);
    }
    conn->watcher = watcher;
    conn->asked = !http_1_1;
    look_by(conn->owner, ia_mono_us(ia_clock_system()) + WATCH_US);
    pthread_mutex_unlock(&conn->owner->lock);
    return watcher;
}

void ia_conn_unwatch(struct ia_conn *conn)
{
    pthread_mutex_lock(&conn->owner->lock);
    struct ia_cancel *watcher = conn->watcher;
    conn->watcher = NULL;
    pthread_mutex_unlock(&conn->owner->lock);
    ia_cancel_free(watcher);
}

bool ia_conn_stream(struct ia_conn *conn, const char *client)
{
    struct ia_conns *c = conn->owner;
    int of_client = 0;
    int of_listener = 0;
    pthread_mutex_lock(&c->lock);
    for (const struct ia_conn *other = c->first; other; other = other->next) {
        bool counts = other->listener == conn->listener && other->stream[0];
        of_listener += counts;
        of_client += counts && strcmp(other->stream, client) == 0;
    }
    /* Programs of ours share the one name of the Unix socket. */
    bool ok = of_listener < room[conn->listener] * 3 / 4 &&
              (conn->listener == IA_HTTP_UNIX || of_client < IA_HTTP_STREAMS_MAX);
    if (ok) {
        (void)snprintf(conn->stream, sizeof(conn->stream), "%s", client);
    }
    pthread_mutex_unlock(&c->lock);
    return ok;
}

void ia_conn_stream_end(struct ia_conn *conn)
{
    pthread_mutex_lock(&conn->owner->lock);
    conn->stream[0] = '\0';
    pthread_mutex_unlock(&conn->owner->lock);
}
