/* reactor.h: one thread that moves the bytes of all transfers of a client.
 *
 * One curl multi handle serves every conversation, so that what costs memory and time (TLS
 * trust stores above all) exists once, and a thousand streams wake one thread instead of a
 * thousand.
 *
 *   sending thread                        reactor's thread
 *   ia_reactor_start(job) ──────────────► adds the handle, runs its callbacks
 *        waits on a pipe of its own ◄──── done(transfer, result), handle removed
 *   ia_reactor_stop(job) ───────────────► removes the handle; returns when that is done */
#ifndef IA_NET_REACTOR_H
#define IA_NET_REACTOR_H

#include "net/curl.h"

struct ia_reactor;

/* A request to start or stop a transfer, in the transfer's memory. */
struct ia_transfer_job {
    CURL *easy;
    bool stop;
    bool taken; /* guarded by the reactor's lock */
    struct ia_transfer_job *next;
};

/* Says that a transfer has something for its sending thread. Lives in the transfer's memory; only
 * the reactor's thread touches it. */
struct ia_transfer_notice {
    void *transfer;
    bool pending;
    struct ia_transfer_notice *next;
};
/* Called on the reactor's thread for each transfer that ia_reactor_notify was given. */
typedef void ia_reactor_ready(void *transfer);

/* Called on the reactor's thread when a transfer has ended by itself; transfer is the handle's
 * CURLOPT_PRIVATE. No callback of the handle follows. */
typedef void ia_reactor_done(void *transfer, CURLcode code);

/* Starts the thread. IA_E_MISSING when libcurl cannot be loaded. */
enum ia_rc ia_reactor_new(ia_reactor_ready *ready, ia_reactor_done *done,
                          struct ia_reactor **ret, struct ia_err *err);
/* After all transfers ended. NULL is fine. */
void ia_reactor_free(struct ia_reactor *r);

/* Starts a transfer whose options are set. The handle belongs to the reactor's thread until
 * done was called or ia_reactor_stop returned; the job must live as long. */
void ia_reactor_start(struct ia_reactor *r, struct ia_transfer_job *job, CURL *easy);
/* Ends a transfer, which may have ended already. Afterwards no callback runs. Takes about as
 * long as one callback. */
void ia_reactor_stop(struct ia_reactor *r, struct ia_transfer_job *job, CURL *easy);

/* For a callback of the handle: ready(n->transfer) is called once, after curl has handed out all
 * that it read from the socket, in however many pieces. Notifying again before that is fine. */
void ia_reactor_notify(struct ia_reactor *r, struct ia_transfer_notice *n);

#endif
