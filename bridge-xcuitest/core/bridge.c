/* bridge.c: the life of a server.
 *
 *   accepting thread     accepts, starts a thread for each connection, joins those that ended
 *   connection threads   conn.c
 *   main thread          in ia_bridge_run: performs jobs, pumps the run loop in between
 *
 * Closing goes from the outside in: no new jobs, no new connections, then each connection is
 * woken and joined. Every thread waits in poll with the reading end of a pipe, so a byte wakes
 * it. */
#include "core/impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void copy_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

static void set_options(struct ia_bridge *b, const struct ia_bridge_options *opt)
{
    struct ia_bridge_options *o = &b->opt;
    *o = *opt;
    struct {
        uint32_t *value;
        uint32_t standard;
    } const rows[] = {
        {&o->idle_ms, IA_BRIDGE_IDLE_MS},     {&o->frame_ms, IA_BRIDGE_FRAME_MS},
        {&o->write_ms, IA_BRIDGE_WRITE_MS},   {&o->grace_ms, IA_BRIDGE_GRACE_MS},
        {&o->tick_ms, IA_BRIDGE_TICK_MS},     {&o->poll_ms, IA_BRIDGE_POLL_MS},
        {&o->verify_ms, IA_BRIDGE_VERIFY_MS}, {&o->deadline_ms, IA_BRIDGE_DEADLINE_MS},
        {&o->queue_max, IA_BRIDGE_QUEUE_MAX},
    };
    for (size_t i = 0; i < IA_BRIDGE_COUNTOF(rows); i++) {
        if (*rows[i].value == 0) {
            *rows[i].value = rows[i].standard;
        }
    }
    copy_text(b->token, sizeof(b->token), opt->token);
    copy_text(b->server, sizeof(b->server), opt->server);
    copy_text(b->udid, sizeof(b->udid), opt->udid);
}

/* ---- connections ---- */

static void conn_free(struct ia_bridge_conn *c)
{
    if (c->fd >= 0) {
        close(c->fd);
    }
    ia_bridge_pipe_close(c->wake_pipe);
    ia_wire_reader_fini(&c->reader);
    free(c);
}

/* Where all places are taken, the one that has been longest without presenting the token makes
 * room: silent strangers must not lock the owner out. Takes it out of the list, or returns NULL. */
static struct ia_bridge_conn *take_stranger(struct ia_bridge *b)
{
    struct ia_bridge_conn **oldest = NULL, *c = NULL;
    pthread_mutex_lock(&b->lock);
    for (struct ia_bridge_conn **at = &b->conns; *at; at = &(*at)->next) {
        if (!atomic_load(&(*at)->authenticated)) {
            oldest = at; /* the newest stand first */
        }
    }
    if (b->conns_n == IA_BRIDGE_CONNECTIONS_MAX && b->token[0] && oldest) {
        c = *oldest;
        *oldest = c->next;
        b->conns_n--;
    }
    pthread_mutex_unlock(&b->lock);
    return c;
}

static void make_room(struct ia_bridge *b)
{
    struct ia_bridge_conn *c = take_stranger(b);
    if (c) {
        (void)shutdown(c->fd, SHUT_RDWR); /* ends whatever its thread reads or writes */
        pthread_join(c->thread, NULL);
        conn_free(c);
    }
}

static void conn_add(struct ia_bridge *b, int fd)
{
    struct ia_bridge_conn *c = calloc(1, sizeof(*c));
    if (!c || !ia_bridge_pipe(c->wake_pipe)) {
        close(fd);
        free(c);
        return;
    }
    c->bridge = b;
    c->fd = fd;
    c->accepted_us = ia_bridge_now_us();
    ia_wire_reader_init(&c->reader,
                        b->token[0] ? IA_BRIDGE_UNAUTHENTICATED_MAX : IA_WIRE_REQUEST_MAX);
    pthread_mutex_lock(&b->lock);
    bool room = b->conns_n < IA_BRIDGE_CONNECTIONS_MAX;
    c->session = ++b->sessions;
    /* Under the lock, which the thread takes before it ends: it is in the list by then. */
    if (room && pthread_create(&c->thread, NULL, ia_bridge_conn_main, c) == 0) {
        c->next = b->conns;
        b->conns = c;
        b->conns_n++;
        c = NULL;
    }
    pthread_mutex_unlock(&b->lock);
    if (c) {
        conn_free(c);
    }
}

/* Joins and frees connections: all of them, or only those that have ended. */
static void conns_reap(struct ia_bridge *b, bool all)
{
    struct ia_bridge_conn *c;
    do {
        c = NULL;
        pthread_mutex_lock(&b->lock);
        struct ia_bridge_conn **at = &b->conns;
        while (*at && !all && !(*at)->ended) {
            at = &(*at)->next;
        }
        if (*at) {
            c = *at;
            *at = c->next;
            b->conns_n--;
        }
        pthread_mutex_unlock(&b->lock);
        /* Not under the lock, which the thread takes once more before it returns. */
        if (c) {
            pthread_join(c->thread, NULL);
            conn_free(c);
        }
    } while (c);
}

static void *accept_main(void *arg)
{
    struct ia_bridge *b = arg;
    while (!atomic_load(&b->closing)) {
        int ready =
            ia_bridge_poll(b->listener, b->accept_pipe[0], ia_bridge_now_us() + 60000000);
        ia_bridge_drain(b->accept_pipe[0]);
        conns_reap(b, false);
        int fd = ready & 1 ? ia_bridge_accept(b->listener) : -1;
        if (fd >= 0) {
            make_room(b);
            conn_add(b, fd);
        } else if (ready & 1) {
            /* Out of descriptors, or the peer has disconnected already: do not spin. */
            ia_bridge_poll(-1, b->accept_pipe[0], ia_bridge_now_us() + 50000);
        }
    }
    return NULL;
}

/* ---- the server ---- */

static void bridge_free(struct ia_bridge *b)
{
    if (b->listener >= 0) {
        close(b->listener);
    }
    ia_bridge_pipe_close(b->wake_pipe);
    ia_bridge_pipe_close(b->accept_pipe);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

bool ia_bridge_open(const struct ia_bridge_options *opt, const struct ia_bridge_ops *ops,
                    struct ia_bridge **ret, struct ia_wire_fault *fault)
{
    struct ia_bridge *b = calloc(1, sizeof(*b));
    if (!b) {
        return ia_wire_fault_set(fault, IA_WIRE_E_MEMORY, "out of memory");
    }
    b->listener = b->wake_pipe[0] = b->wake_pipe[1] = b->accept_pipe[0] = b->accept_pipe[1] =
        -1;
    b->ops = *ops;
    b->opened_us = b->pumped_us = ia_bridge_now_us();
    set_options(b, opt);
    pthread_mutex_init(&b->lock, NULL);
    bool ok;
    if (opt->token && strlen(opt->token) > IA_WIRE_TOKEN_MAX) {
        ok = ia_wire_fault_set(fault, IA_WIRE_E_LIMIT, "the token is longer than %d bytes",
                               IA_WIRE_TOKEN_MAX);
    } else if (!ia_bridge_pipe(b->wake_pipe) || !ia_bridge_pipe(b->accept_pipe)) {
        ok =
            ia_wire_fault_set(fault, IA_WIRE_E_IO, "cannot create a pipe: %s", strerror(errno));
    } else {
        ok = ia_bridge_listen(b, fault);
    }
    if (ok && pthread_create(&b->accept_thread, NULL, accept_main, b) != 0) {
        ok = ia_wire_fault_set(fault, IA_WIRE_E_IO, "cannot start a thread");
    }
    if (!ok) {
        bridge_free(b);
        return false;
    }
    *ret = b;
    return true;
}

uint16_t ia_bridge_port(const struct ia_bridge *b)
{
    return b->port;
}

static void pump(struct ia_bridge *b)
{
    if (b->ops.pump) {
        b->ops.pump(b->ops.ctx);
    }
    pthread_mutex_lock(&b->lock);
    b->pumped_us = ia_bridge_now_us();
    pthread_mutex_unlock(&b->lock);
}

void ia_bridge_run(struct ia_bridge *b)
{
    /* Without a run loop to pump, a job or a stop is all that the main thread waits for. */
    int64_t tick_us = b->ops.pump ? b->opt.tick_ms * INT64_C(1000) : 1000000;
    while (!atomic_load(&b->stopping)) {
        struct ia_bridge_job *j = ia_bridge_job_next(b);
        if (j) {
            ia_bridge_perform(j);
            ia_bridge_job_done(j);
        } else {
            /* Queueing a job and stopping both write to the pipe afterwards: nothing is
             * missed. */
            ia_bridge_poll(-1, b->wake_pipe[0], ia_bridge_now_us() + tick_us);
            ia_bridge_drain(b->wake_pipe[0]);
        }
        pump(b);
    }
    ia_bridge_jobs_end(b);
}

void ia_bridge_close(struct ia_bridge *b)
{
    if (!b) {
        return;
    }
    atomic_store(&b->stopping, true);
    atomic_store(&b->closing, true);
    ia_bridge_jobs_end(b);
    ia_bridge_wake(b->accept_pipe[1]);
    pthread_join(b->accept_thread, NULL);
    pthread_mutex_lock(&b->lock);
    for (struct ia_bridge_conn *c = b->conns; c; c = c->next) {
        ia_bridge_wake(c->wake_pipe[1]);
    }
    pthread_mutex_unlock(&b->lock);
    conns_reap(b, true);
    bridge_free(b);
}
