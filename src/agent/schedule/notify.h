/* notify.h: notifies somebody when the verdict of a schedule changes, or a run asks.
 *
 * Follows the events of all runs by a cursor of its own. Each run of a schedule that ended is
 * taken once, in one transaction: the cursor moves, the verdict is written, and a notice is
 * added where it changed:
 *
 *     none ──► not passed     passed ──► not passed     not passed ──► passed
 *
 * failed, blocked and error are "not passed"; a cancelled run has no verdict. Notices are
 * delivered at least once: an attempt is written down first, and one whose process died is
 * made again after IA_NOTICE_LEASE_MS.
 *
 * What is delivered, on a command's stdin or as a POST:
 *   {"schedule","goal","run","state","was"|null,"passed","code","summary","scheduled_for",
 *    "finished","steps","cost_usd"|null,"demo"}
 * The notice of a question is written with the question (agent/run/ask.c) and delivered here likewise. */
#ifndef IA_AGENT_SCHEDULE_NOTIFY_H
#define IA_AGENT_SCHEDULE_NOTIFY_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/err.h"

struct ia_store;

enum {
    IA_NOTICE_MS = 10000,       /* for one attempt */
    IA_NOTICE_LEASE_MS = 60000, /* then an attempt that nobody ended is made again */
    IA_NOTICE_TRIES = 6         /* the first and five more, after 5, 10, … 80 s */
};

struct ia_notify_env {
    struct ia_store *store;
    const struct ia_clock *clock; /* NULL: the system's */
    struct ia_cancel *cancel;     /* ends an attempt; it is made again. May be NULL */
    const char *ca_bundle;        /* for webhooks; NULL: the system's */
    const char *proxy;            /* likewise; NULL: from the environment */
    int attempts_max;             /* of one tick; 0: all that are due */
    /* What came of an attempt: problem is NULL when it was delivered; of is the schedule, or "run ID" for a question. May
     * be NULL. */
    void (*on_attempt)(void *ctx, const char *of, const char *problem, bool last);
    void *ctx;
};
/* Takes runs that ended and makes the attempts that are due. IA_OK also when an attempt failed: an
 * error is always one of the store, and it may be called again. */
enum ia_rc ia_notify_tick(const struct ia_notify_env *env, struct ia_err *err);
/* The first attempt at telling of that run's open question, where it has one to tell of. As ia_notify_tick, which makes
 * the others. */
enum ia_rc ia_notify_question(const struct ia_notify_env *env, const char *run_id,
                              struct ia_err *err);
/* {"url":…} or {"command":…}: where notices go, of a text that is one or the other. */
void ia_notify_target(const char *text, struct ia_buf *out);
/* For the first schedule of a home: moves the cursor past everything that ended before it. */
enum ia_rc ia_notify_skip_past(struct ia_store *store, struct ia_err *err);

#endif
