/* queue_impl.h: what the queue's files share. */
#ifndef IA_AGENT_QUEUE_QUEUE_IMPL_H
#define IA_AGENT_QUEUE_QUEUE_IMPL_H

#include "agent/queue/lanes.h"
#include "agent/queue/queue.h"

#include <pthread.h>
#include <stdatomic.h>

/* What a lane keeps between its runs. */
struct slot {
    struct ia_lane *lane;
    struct ia_cancel *cancel; /* of the current run; NULL where none waits or runs */
    int streak;               /* scheduled runs in a row */
    bool active;
    bool dedicated; /* runs nothing of the pool */
    struct slot *next;
};

struct ia_queue {
    struct ia_queue_opts opts;
    const struct ia_clock *clock;
    char *pool;
    int wake_pipe[2]; /* a byte in it makes ia_queue_serve go round once more */

    pthread_mutex_t mutex; /* guards everything below */
    pthread_cond_t changed;
    uint64_t changes; /* grows with every wake */
    struct ia_lanes *lanes;
    struct slot *slots;
    atomic_bool interrupt;
    bool held; /* nothing new is taken */
    bool stopping;
    struct ia_err err; /* the first failure, for ia_queue_serve to return */
    pthread_t *threads;
    int thread_count, threads_running;
};

/* Has the serving thread go round once more. Any thread, with or without the mutex. */
void ia_queue_wake_server(struct ia_queue *q);

#endif
