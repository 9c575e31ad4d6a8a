/* runs.h: runs as a service: start one, watch it, tell it something, stop it, list them.
 *
 * What a server stands on, and every front end that is not one command in a terminal.
 *
 *   ia_credentials_take(&credentials, &err);                 first, while there is one thread
 *   ia_setup_store(&setup, "my server", &err);               paths, configuration, log, store
 *   opts = {.setup = &setup, .credentials = &credentials, .all_lanes = true};
 *   ia_runs_open(&opts, &runs, &err);
 *
 *   request = {.goal = "open Settings, turn on Airplane Mode"};
 *   ia_run_request_defaults(setup.config, NULL, &request);   device, model, budgets, …
 *   ia_runs_choose_model(runs, &request.demo_brain, &err);   Claude, or the demo brain
 *   ia_runs_start(runs, &request, id, &err);                 queued; a worker thread does it
 *   watch = ia_runs_watch(runs, id, 0, fn, ctx, &err);       every event from the first on
 *   ia_runs_say(setup.store, id, "anna", "use the blue one", NULL, &err);
 *   ia_runs_stop(runs, id, &result, &err);
 *
 *   ia_runs_close(runs, grace_ms, &err);                     then the rest in reverse
 *   ia_setup_close(&setup);
 *   ia_credentials_fini(&credentials);
 *
 * A request that comes as JSON is read with ia_job_parse (agent/goal/job.h); what of it a server must
 * not take from just anybody is said there. Runs are rows, so any process with the store may say,
 * cancel, list and show; only starting and watching need the threads of a struct ia_runs. Any thread
 * may call any of these. A run_id may be a unique start or end of an id, of at least 4 characters;
 * IA_E_USAGE, naming some, when it fits several. */
#ifndef IA_APP_RUNS_H
#define IA_APP_RUNS_H

#include "agent/goal/request.h"
#include "app/credentials.h"
#include "app/lent_keys.h"
#include "app/request_defaults.h"
#include "app/setup.h"
#include "base/clock.h"
#include "base/jsonw.h"
#include "events/events.h"
#include "store/children.h"
#include "store/sweeps.h"

/* ---- threads that do runs ---------------------------------------------------------------- */

struct ia_runs;
struct ia_queue;
struct ia_queue_task;
struct ia_run_result;
struct ia_telemetry;

/* Hears of every run that this process does, for a log. Any function may be NULL; any thread. */
struct ia_runs_observer {
    /* As ia_workers_event and ia_workers_ended have it (workers.h). */
    void (*event)(void *ctx, const struct ia_queue_task *task, enum ia_event_type event,
                  struct ia_str json);
    void (*ended)(void *ctx, const struct ia_queue_task *task, const struct ia_run_result *r,
                  const struct ia_err *refused);
    /* The queue could not be served: it is tried again a second later. */
    void (*failed)(void *ctx, const struct ia_err *err);
    void *ctx;
};

struct ia_runs_opts {
    const struct ia_setup *setup;             /* with its store; borrowed */
    const struct ia_credentials *credentials; /* borrowed */
    int max_runs; /* at once; 0: queue.max_runs of the configuration */
    /* Does every run that waits on a device of this machine, as a daemon does: those that others
     * queued, and those that this server queued before it was started again. A server sets it.
     * Without it only the devices of ia_runs_start are served, and what waits on another one stays
     * queued until somebody does it. */
    bool all_lanes;
    const struct ia_clock *clock; /* NULL: the system's */
    struct ia_runs_observer observer;
    int *ret_recovered; /* runs of dead processes that were put back; NULL: of no interest */
};
/* Starts the threads, and puts back in the queue what dead processes left (it is done here with
 * all_lanes). Model clients and devices are opened when the first run needs them. End with
 * ia_runs_close. */
enum ia_rc ia_runs_open(const struct ia_runs_opts *opts, struct ia_runs **ret,
                        struct ia_err *err);
/* Takes nothing new, sends the runs in hand back to the queue after the tool in hand (their last
 * event here is run.interrupted), and frees everything, the watches too. No other call may be on its
 * way. IA_E_TIMEOUT when a run did not end within grace_ms: then nothing is freed, and the process
 * must exit; the run is recovered at the next start. */
enum ia_rc ia_runs_close(struct ia_runs *runs, int64_t grace_ms, struct ia_err *err);

/* Its queue, for who adds to it or ends it gently. Borrowed. */
struct ia_queue *ia_runs_queue(struct ia_runs *runs);
/* What is sent to a collector, for its counts; NULL where none is configured. Borrowed. */
struct ia_telemetry *ia_runs_telemetry(struct ia_runs *runs);

/* Who answers a new run when nobody chose: false is Claude, with the key that there is, true the
 * demo brain. The rule of the command line: IA_E_KEY_MISSING when api.base_url was configured and
 * there is no key for it. Opens nothing, asks for nothing. */
enum ia_rc ia_runs_choose_model(struct ia_runs *runs, bool *ret_demo, struct ia_err *err);

/* Queues a run of the request, which names its goal, device, model and who answers. Checked as `run`
 * does it, before anything is written: IA_E_USAGE, IA_E_PARSE, IA_E_NO_DEVICE, IA_E_KEY_MISSING.
 * tries 0 is IA_TRIES_MAX here, as for every run that waits in the queue; `run` makes one try. An
 * agent that the request names must be in the store (ia_agent_store). May ask for a passphrase,
 * once. */
enum ia_rc ia_runs_start(struct ia_runs *runs, const struct ia_run_request *request,
                         char ret_id[IA_ID_SIZE], struct ia_err *err);

/* Whether a run of the request could be queued later: what ia_runs_start refuses, but for secrets that
 * have no value now. */
enum ia_rc ia_runs_check_later(struct ia_runs *runs, const struct ia_run_request *request,
                               struct ia_err *err);

/* The same with a key of the caller's own, which counts for this run alone and is copied; NULL, or none
 * in it: those of this process. */
enum ia_rc ia_runs_start_with(struct ia_runs *runs, const struct ia_run_request *request,
                              const struct ia_lent *lent, char ret_id[IA_ID_SIZE],
                              struct ia_err *err);

/* Cancels a run: at once where nobody does it, else at its next safe moment. */
enum ia_rc ia_runs_stop(struct ia_runs *runs, const char *run_id, enum ia_cancel_result *ret,
                        struct ia_err *err);

/* An event of a run. seq is 1, 2, … within the run, or 0 for an event that is live only and never
 * stored. json is one object without newlines (docs/events.schema.json, events/events.h); it is borrowed
 * until fn returns, and no NUL ends it. IA_EVENT_COUNT: an event that another version wrote. */
typedef void ia_runs_event_fn(void *ctx, int64_t seq, enum ia_event_type event,
                              struct ia_str json);
struct ia_runs_watch;
/* Calls fn with every event of the run whose seq is above after_seq (0: from the start; what a client
 * had last: it goes on from there), each once, in order, one at a time. Those that are stored come
 * first, on the caller's thread and before it has the handle; those to come as they happen, on the
 * thread that does the run, or within a second on one that reads the store, where another process
 * does the run (its live-only events are not seen).
 *
 * The last event of a run is run.finished. Until then the run may go back to the queue
 * (run.interrupted, run.retry_wait) and go on later. The watch itself lasts until it is ended.
 *
 * fn may use the store and watch other runs. It must return soon: the run waits for it, and so does
 * the thread that polls the queue and the store, which delays every other watch and run that is to
 * start. No watch may be ended from fn, neither its own nor another: ia_runs_unwatch waits for the
 * callback of the watch that it ends, so two callbacks that end each other's watch wait forever. Nor
 * may fn close the runs. NULL and err: IA_E_NOT_FOUND, IA_E_USAGE. */
struct ia_runs_watch *ia_runs_watch(struct ia_runs *runs, const char *run_id, int64_t after_seq,
                                    ia_runs_event_fn *fn, void *ctx, struct ia_err *err);
/* After it has returned fn is not called any more. Not from a callback of a watch. NULL is fine. */
void ia_runs_unwatch(struct ia_runs *runs, struct ia_runs_watch *watch);

/* Goes on at once with a run that waits: one that was interrupted, or whose next try is not due yet.
 * *ret_run (may be NULL) is the run as it stood. As ia_run_resumable. */
enum ia_rc ia_runs_resume(struct ia_runs *runs, const char *run_id, struct ia_run_row **ret_run,
                          struct ia_err *err);

/* Whether a thread here still has that run in hand (a whole id), and with it its device: a moment longer
 * than the run's last event says. */
bool ia_runs_in_hand(struct ia_runs *runs, const char *run_id);

/* ---- rows: no threads needed ------------------------------------------------------------- */

enum { IA_RUNS_SENDER_MAX = 64 };
/* Leaves a message, which the run reads with its next turn. sender NULL: "user". *ret_run (may be
 * NULL) is the run as it stood, for ia_run_row_free. IA_E_USAGE for an empty text or a bad sender;
 * beyond that as for ia_tx_say. */
enum ia_rc ia_runs_say(struct ia_store *store, const char *run_id, const char *sender,
                       const char *text, struct ia_run_row **ret_run, struct ia_err *err);
/* Cancels a run: at once where nobody does it, else at its next safe moment, which whoever does it
 * reaches a moment later. */
enum ia_rc ia_runs_cancel(struct ia_store *store, const char *run_id,
                          enum ia_cancel_result *ret, struct ia_run_row **ret_run,
                          struct ia_err *err);
/* Whether the run waits for somebody to do it. IA_E_STATE when it has finished, or is its sweep's;
 * IA_E_BUSY names who does it; IA_E_ASK when it waits for an answer. */
enum ia_rc ia_run_resumable(const struct ia_run_row *row, struct ia_err *err);
/* IA_E_ASK, and how to answer. */
enum ia_rc ia_run_unanswered(const char *run_id, struct ia_err *err);
/* A run of a sweep without a transcript is queued again; resuming the sweep continues it. */
bool ia_run_waits_for_sweep(const struct ia_run_row *row);
/* Stops a sweep so that it can be resumed: its process as by one SIGTERM; where that is gone, the rows.
 * IA_CANCEL_TOO_LATE when it has ended. */
enum ia_rc ia_runs_cancel_sweep(struct ia_store *store, const struct ia_sweep_row *sweep,
                                enum ia_cancel_result *ret, struct ia_err *err);
/* Writes an array of runs, newest first, or one run, as run_json.h has it. */
enum ia_rc ia_runs_list(struct ia_store *store, const struct ia_run_filter *filter,
                        struct ia_jsonw *w, struct ia_err *err);
enum ia_rc ia_runs_show(struct ia_store *store, const char *run_id, struct ia_jsonw *w,
                        struct ia_err *err);
/* Writes two members: children, an array of the runs that this one delegated, and below, what they and all
 * below them used: {runs, steps, tokens, cost_usd}. */
enum ia_rc ia_runs_children(struct ia_store *store, const char *run_id, struct ia_jsonw *w,
                            struct ia_err *err);
/* Writes two members: run, and children, an array of {run, children} to any depth. fn, which may be NULL, gets each
 * item as well. */
enum ia_rc ia_runs_tree(struct ia_store *store, const struct ia_run_row *run, ia_tree_fn *fn,
                        void *ctx, struct ia_jsonw *w, struct ia_err *err);

#endif
