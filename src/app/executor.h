/* executor.h: does runs: the one place where a run's row or request meets the model that answers
 * it, the device that it is done on, and the agent.
 *
 *   request ──► model ─► device ─────────────► run ─► verdict
 *   row     ──► model ─► device ─► claim ────► run ─► verdict | retry_wait | queued
 *
 * Worker threads (workers.h) make one attempt at a run that the queue claimed for them.
 * ia_executor_run does one run to its end, on the caller's thread, waits between attempts
 * included. The device is opened before the run is claimed: a claim whose device is busy could
 * only be given back. */
#ifndef IA_APP_EXECUTOR_H
#define IA_APP_EXECUTOR_H

#include "agent/run/run.h"
#include "app/credentials.h"
#include "app/lent_keys.h"
#include "app/model_client.h"
#include "app/secret_source.h"
#include "app/setup.h"

struct ia_executor;
struct ia_telemetry;

struct ia_executor_opts {
    const struct ia_setup *setup;             /* with its store; borrowed */
    const struct ia_credentials *credentials; /* borrowed */
    /* A model client that is open, for the runs that it may answer; borrowed. NULL: none. The
     * executor opens what else it needs when the first run needs it, and keeps it. */
    const struct ia_model_client *model;
    const struct ia_clock *clock; /* NULL: the system's */
};
/* Reads the prompts. Free with ia_executor_free. */
enum ia_rc ia_executor_new(const struct ia_executor_opts *opts, struct ia_executor **ret,
                           struct ia_err *err);
/* No run may be in hand. NULL is fine. */
void ia_executor_free(struct ia_executor *x);

/* The client that answers runs of the demo brain, or those of Claude: a run is always answered
 * by the one it was made for. It is made of the settings and the key that there are now, and
 * stays as it is until it is given back. Any thread. May ask for a passphrase.
 * IA_E_KEY_MISSING where there is no key any more. */
struct ia_model_slot;
struct ia_model_use {
    struct ia_claude *claude;
    struct ia_model_slot *slot; /* NULL: not the executor's */
};
enum ia_rc ia_executor_model(struct ia_executor *x, bool demo, struct ia_model_use *ret,
                             struct ia_err *err);
void ia_executor_model_done(struct ia_executor *x,
                            struct ia_model_use *use); /* empty is fine */

/* Keys of single runs (lent_keys.h): such a run is answered by the client of its own key. Borrowed. */
struct ia_lent_keys *ia_executor_lent_keys(struct ia_executor *x);
/* Secrets that came with a run from another machine. They go before those of this machine. Borrowed. */
struct ia_lent_secrets *ia_executor_lent_secrets(struct ia_executor *x);
/* Where its runs look up secrets. Borrowed. */
struct ia_secret_source *ia_executor_secrets(struct ia_executor *x);

/* Asks a person the open question of a run. *ret_answered: it is no longer open, by their answer or by one from
 * elsewhere; otherwise the run stays as it is. On the thread of that run, for one run at a time. */
typedef enum ia_rc ia_ask_person_fn(void *ctx, const char *run_id, bool *ret_answered,
                                    struct ia_err *err);

/* What a run came to that this process did. It is exported where it is over and a collector is configured; without one
 * this costs a branch. ia_executor_run says so itself. Any thread. */
void ia_executor_ended(struct ia_executor *x, const struct ia_run_result *r);
/* NULL where no collector is configured. Borrowed. */
struct ia_telemetry *ia_executor_telemetry(struct ia_executor *x);

/* A run to do. Everything is borrowed for the call. */
struct ia_execution {
    const char *run_id;                   /* a run of the store; or NULL and */
    const struct ia_run_request *request; /* a new one, which names its device */
    bool fresh;                           /* the device is reset when it is opened first */
    bool patient; /* waits for a device that is busy, and shows only what happens from now on */
    /* Stops the run, and the opening of its device. Also fired by the executor, when another
     * process asks to cancel the run. */
    struct ia_cancel *cancel;
    const _Atomic(bool) *interrupt; /* as in struct ia_run_env; may be NULL */
    ia_run_observer *observe;       /* may be NULL */
    ia_run_observer
        *observe_below; /* of what the run delegates, one event at a time; may be NULL */
    ia_ask_person_fn *ask_person; /* NULL: no person is there, a run that asks comes to rest */
    void *observe_ctx;            /* of all three */
};

/* One attempt at a run that this process claimed. *ret_began: the agent had it, so its row says
 * what came of it. Otherwise an error says why it could not be done at all, and the claim is
 * still the caller's. Result and errors beyond that as for ia_run_claimed. Any thread. */
enum ia_rc ia_executor_attempt(struct ia_executor *x, const struct ia_execution *e,
                               bool *ret_began, struct ia_run_result *ret, struct ia_err *err);

/* Does a new run, or one that waits, to its end on this thread.
 *
 *   open device ─► claim ─► attempt ─► final state: done
 *        ▲                     │ retry_wait: close the device, so that anybody may use it
 *        │ due, and nobody     ▼
 *        └──────────────── wait for the due time; show what another process does meanwhile
 *
 * A run that rests has its subtasks done first, by threads of this process (children.h). One that asks goes on once
 * e->ask_person says that it was answered.
 *
 * Between two attempts another process may take the run: its events go to the observer as if
 * they had happened here, and its end is the run's. When cancel fires during a wait, the run is
 * cancelled; with *interrupt set it keeps waiting, and IA_E_INTERRUPTED says how to go on.
 *
 * IA_OK: the run came to rest, see ret->state. Otherwise it could not be done: IA_E_BUSY names
 * the run that holds the device, IA_E_UNSUPPORTED is for a run of a version whose runs cannot
 * be continued, which then ends here. */
enum ia_rc ia_executor_run(struct ia_executor *x, const struct ia_execution *e,
                           struct ia_run_result *ret, struct ia_err *err);

#endif
