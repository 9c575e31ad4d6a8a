/* life.h: a daemon in hand, for the files of this folder: requests.c knows what is going on, parts.c what
 * it is made of, daemon.c when it ends. */
#ifndef IA_SERVER_DAEMON_LIFE_H
#define IA_SERVER_DAEMON_LIFE_H

#include "app/fleet/leader.h"
#include "server/api/api.h"
#include "server/daemon/daemon.h"
#include "server/daemon/log.h"
#include "server/daemon/place.h"

#include <limits.h>
#include <pthread.h>

struct ia_mcp_server;
struct ia_mcp_http;

enum ia_daemon_phase { IA_DAEMON_SERVING, IA_DAEMON_DRAINING, IA_DAEMON_ENDING };

struct ia_daemon {
    const struct ia_daemon_opts *opts;
    struct ia_place place;
    struct ia_setup setup;
    struct ia_daemon_log *log;
    struct ia_runs *runs;
    struct ia_leader *leader; /* NULL: no other machine has these schedules */
    struct ia_scheduler_thread *scheduler;
    struct ia_hub *hub;
    struct ia_live *live;
    struct ia_access *access;
    struct ia_api *api;
    char program[PATH_MAX]; /* its file; empty: not known */
    struct ia_mcp_server *mcp;
    struct ia_mcp_http *mcp_http;
    struct ia_http_server *http;
    int socket_fd;             /* -1: none, or the server's */
    struct ia_cancel *changed; /* fires when the phase is no longer IA_DAEMON_SERVING */
    int64_t started_ms;

    pthread_mutex_t mutex; /* guards the rest */
    int64_t idle_us;       /* 0: it never ends for want of work */
    enum ia_daemon_phase phase;
    bool now;              /* without waiting for what is in hand */
    bool newer;            /* a newer build asked */
    int in_hand;           /* requests */
    int64_t last_us;       /* when there was work last */
    bool worked;           /* there was work */
    int64_t tidied_us;     /* last_us at the time when memory was given back */
    int open;              /* devices that were open then */
    struct ia_err failure; /* the store cannot be served for good */
};

/* Of the monotonic clock: a machine that sleeps is not idle. */
static inline int64_t ia_daemon_now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

static inline int64_t ia_daemon_in_ms(int64_t ms)
{
    return ia_daemon_now_us() + ms * 1000;
}

/* ---- requests.c: any thread ---------------------------------------------------------------- */

void ia_daemon_say(struct ia_daemon *d, const char *fmt, ...) IA_PRINTF(2, 3);
/* From serving to draining, and from waiting to not waiting; never back. */
void ia_daemon_leave(struct ia_daemon *d, bool now, bool newer);
/* From draining to ending once no run or sweep is in hand: a request that comes later is refused, as there would
 * always be one more. True when those that came before have been answered. */
bool ia_daemon_drained(struct ia_daemon *d);
/* Microseconds until it would end; INT64_MAX: never. Notes work that is going on. */
int64_t ia_daemon_idle_left_us(struct ia_daemon *d, bool *ret_work);
/* The handler of the server, and what the API asks of its owner (server/api/api.h); ctx is the daemon. */
void ia_daemon_handle(void *ctx, const struct ia_http_request *request,
                      struct ia_http_reply *reply);
enum ia_rc ia_daemon_admit(void *ctx, const struct ia_http_request *request,
                           struct ia_err *err);
void ia_daemon_facts(void *ctx, struct ia_api_facts *ret);
void ia_daemon_stop_asked(void *ctx, bool drain);
/* The same one for a home each time, so that a page finds the next daemon where it knew this one; where
 * it is taken, the server listens on another one. Below the range from which systems choose. */
int ia_daemon_usual_port(const char *home);
enum ia_rc ia_daemon_listen_tcp(void *ctx, int *ret_port, struct ia_err *err);

/* ---- parts.c ------------------------------------------------------------------------------- */

/* Takes the place and opens everything; ia_daemon_close closes what there is, whatever came of it.
 * *ret_other: another one has the place and answers. */
enum ia_rc ia_daemon_open(struct ia_daemon *d, bool *ret_other, struct ia_err *err);
void ia_daemon_close(struct ia_daemon *d);

#endif
