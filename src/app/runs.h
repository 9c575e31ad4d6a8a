/* runs.h: runs as a service: start one, watch it, tell it something, stop it, list them.
 *
 * What a server stands on, and every front end that is not one command in a terminal.
 *
 *   struct ia_runs *runs;
 *   ia_runs_open(&opts, &runs, &err);
 *   ia_runs_start(runs, &request, id, &err);              queued; a worker thread does it
 *   watch = ia_runs_watch(runs, id, on_event, ctx, &err); every event from the first on
 *   ia_runs_say(store, id, "anna", "use the blue one", NULL, &err);
 *   ia_runs_stop(runs, id, &result, &err);
 *   ia_runs_close(runs, grace_ms, &err);
 *
 * Runs are rows, so any process with the store may say, cancel, list and show; only starting and
 * watching need the threads of a struct ia_runs. Any thread may call any of these. */
#ifndef IA_APP_RUNS_H
#define IA_APP_RUNS_H

#include "agent/goal/request.h"
#include "app/credentials.h"
#include "app/setup.h"
#include "base/clock.h"
#include "base/jsonw.h"

/* ---- threads that do runs ---------------------------------------------------------------- */

struct ia_runs;

struct ia_runs_opts {
    const struct ia_setup *setup;             /* with its store; borrowed */
    const struct ia_credentials *credentials; /* borrowed */
    int max_runs;   /* at once; 0: queue.max_runs of the configuration */
    bool all_lanes; /* also does what others queued, on any device, as a daemon does */
    const struct ia_clock *clock; /* NULL: the system's */
};
/* Starts the threads, and puts back in the queue what dead processes left. Model clients and
 * devices are opened when the first run needs them. End with ia_runs_close. */
enum ia_rc ia_runs_open(const struct ia_runs_opts *opts, struct ia_runs **ret,
                        struct ia_err *err);
/* Takes nothing new, sends the runs in hand back to the queue after the tool in hand, and frees
 * everything, the watches too. IA_E_TIMEOUT when a run did not end within grace_ms: then nothing
 * is freed, and the process must exit; the run is recovered at the next start. */
enum ia_rc ia_runs_close(struct ia_runs *runs, int64_t grace_ms, struct ia_err *err);

/* Queues a run of the request on the device that it names. Checked as `run` does it, before
 * anything is written: IA_E_USAGE, IA_E_PARSE, IA_E_NO_DEVICE, IA_E_KEY_MISSING. May ask for a
 * passphrase, once. */
enum ia_rc ia_runs_start(struct ia_runs *runs, const struct ia_run_request *request,
                         char ret_id[IA_ID_SIZE], struct ia_err *err);

/* Cancels a run: at once where nobody does it, else at its next safe moment. run_id may be a unique
 * start or end of an id. */
enum ia_rc ia_runs_stop(struct ia_runs *runs, const char *run_id, enum ia_cancel_result *ret,
                        struct ia_err *err);

/* An event of a run, as for ia_run_observer. */
typedef void ia_runs_event_fn(void *ctx, enum ia_event_type event, struct ia_str json);
struct ia_runs_watch;
/* Calls fn with every event of the run, each once and in order: those that are stored now, before
 * this returns; then those to come, as they happen, on the thread that does the run. What another
 * process does is seen within a second, without its live-only events. fn must return soon, as
 * the run waits for it, and must not end its own watch. IA_E_NOT_FOUND. */
struct ia_runs_watch *ia_runs_watch(struct ia_runs *runs, const char *run_id,
                                    ia_runs_event_fn *fn, void *ctx, struct ia_err *err);
/* After it has returned fn is not called any more. NULL is fine. */
void ia_runs_unwatch(struct ia_runs *runs, struct ia_runs_watch *watch);

/* ---- rows: no threads needed ------------------------------------------------------------- */

enum { IA_RUNS_SENDER_MAX = 64 };
/* Leaves a message, which the run reads with its next turn. run_id may be a unique start or end
 * of an id. sender NULL: "user". *ret_run (may be NULL) is the run as it stood, for
 * ia_run_row_free. IA_E_USAGE for an empty text or a bad sender; beyond that as for ia_tx_say. */
enum ia_rc ia_runs_say(struct ia_store *store, const char *run_id, const char *sender,
                       const char *text, struct ia_run_row **ret_run, struct ia_err *err);
/* Cancels a run: at once where nobody does it, else at its next safe moment, which whoever does it
 * reaches a moment later. The same ids. */
enum ia_rc ia_runs_cancel(struct ia_store *store, const char *run_id,
                          enum ia_cancel_result *ret, struct ia_run_row **ret_run,
                          struct ia_err *err);
/* Writes an array of runs, newest first, or one run, as run_json.h has it. */
enum ia_rc ia_runs_list(struct ia_store *store, const struct ia_run_filter *filter,
                        struct ia_jsonw *w, struct ia_err *err);
enum ia_rc ia_runs_show(struct ia_store *store, const char *run_id, struct ia_jsonw *w,
                        struct ia_err *err);

#endif
