/* daemon.h: the daemon of a home, from its start to its end.
 *
 *   place taken ─► parts opened ─► listening, ready ─► serving ─┬─ idle, home gone ──────────┐
 *                                                               ├─ stop with drain, newer ──► draining:
 *                                                               │  build asks                 nothing new;
 *                                                               │                             work in hand
 *                                                               │                             ends ────────┤
 *                                                               └─ stop, signal ──────────────────────────┤
 *                                                                                                          ▼
 *             place left ◄── parts closed, runs back in the queue ◄── socket hidden, the rest refused: ending
 *
 * While it drains, commands of builds that speak the same API are still done. What arrives while it
 * ends is answered with DAEMON_VERSION, "not sent", and goes to the successor. */
#ifndef IA_SERVER_DAEMON_DAEMON_H
#define IA_SERVER_DAEMON_DAEMON_H

#include "app/credentials.h"
#include "app/runs.h"
#include "app/scheduler_thread.h"
#include "base/cancel.h"

struct ia_daemon_opts {
    /* A command started it: it ends when it is idle, and lets go of stdout and stderr when it is
     * ready. When another one has the place it waits until that one listens, and returns IA_OK. */
    bool background;
    int http_port; /* on loopback; 0: any; -1: what the configuration says */
    const struct ia_credentials *credentials; /* borrowed */
    struct ia_cancel *cancel;                 /* ends it */
    /* What it does, for people: any of it may be NULL. Any thread. */
    void (*say)(void *ctx, const char *line);
    struct ia_runs_observer runs;
    struct ia_scheduler_observer schedules;
    void *ctx;                                           /* of say */
    void (*skills)(const void *ctx, struct ia_jsonw *w); /* as struct ia_api_opts has it */
    const void *skills_ctx;
};

/* Returns when it has ended. IA_E_BUSY: another daemon has the place. IA_E_DAEMON_VERSION: it made way
 * for a newer build, and whoever keeps it running should start that. When a run does not end in time
 * the process exits. */
enum ia_rc ia_daemon_run(const struct ia_daemon_opts *opts, struct ia_err *err);

#endif
