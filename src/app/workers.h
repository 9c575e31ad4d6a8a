/* workers.h: does the runs that wait in the queue, on threads of its own.
 *
 * What `schedule tick`, `sweep`, `daemon` and runs.h have in common: the queue's engine
 * (agent/queue/queue.h) over the executor (executor.h). */
#ifndef IA_APP_WORKERS_H
#define IA_APP_WORKERS_H

#include "agent/queue/queue.h"
#include "agent/run/run.h"
#include "app/executor.h"

struct ia_workers;

/* The run came to rest: passed, failed, …, or retry_wait, or queued after an interrupt. refused
 * (NULL otherwise) says why it could not be done at all; then r holds only id and state. Any
 * thread. */
typedef void ia_workers_ended(void *ctx, const struct ia_queue_task *task,
                              const struct ia_run_result *r, const struct ia_err *refused);
/* An event of a run, as for ia_run_observer. Any thread. */
typedef void ia_workers_event(void *ctx, const struct ia_queue_task *task,
                              enum ia_event_type event, struct ia_str json);

struct ia_workers_opts {
    const struct ia_setup *setup;             /* with its store; borrowed */
    const struct ia_credentials *credentials; /* borrowed */
    const struct ia_model_client *model;      /* as in struct ia_executor_opts */
    const struct ia_clock *clock;             /* NULL: the system's */
    int max_runs;                             /* 0: queue.max_runs of the configuration */
    const char *pool;                         /* as in struct ia_queue_opts */
    bool all_lanes;          /* also lanes that were not added, where something waits */
    ia_workers_ended *ended; /* NULL: none */
    ia_workers_event *event; /* NULL: none */
    void *ctx;
};
/* Whether what ia_workers_ended got says that this process cannot do the run now, though
 * another may: a key or a secret is missing (it is tried again after a minute), or what came of
 * it cannot be written (when it can be). */
bool ia_workers_lacks(const struct ia_run_result *r, const struct ia_err *refused);
enum ia_rc ia_workers_new(const struct ia_workers_opts *opts, struct ia_workers **ret,
                          struct ia_err *err);
/* Stops the queue first, however long that takes. NULL is fine. */
void ia_workers_free(struct ia_workers *workers);
/* Fires the token of that run, where it is in hand here: at once, where the watch for cancels from
 * other processes needs a moment. Its row must ask for the cancel too. Any thread. */
void ia_workers_cancel(struct ia_workers *workers, const char *run_id);
/* Whether a thread here still works on that run: it has its device until then, also after its end. Any
 * thread. */
bool ia_workers_have(struct ia_workers *workers, const char *run_id);
/* Borrowed. */
struct ia_queue *ia_workers_queue(struct ia_workers *workers);
struct ia_executor *ia_workers_executor(struct ia_workers *workers);

#endif
