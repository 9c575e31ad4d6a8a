/* stop.c: why a job or the whole server ends early.
 *
 * Another thread sets the stop_reason of a job; the stop of the server and the deadline are
 * checked here. Nothing here takes the lock: a back end asks often, and ia_bridge_stop has to
 * work in a signal handler. */
#include "core/impl.h"

enum ia_bridge_stop_reason ia_bridge_stop_reason(const struct ia_bridge_job *j)
{
    int reason = atomic_load(&j->stop_reason);
    if (reason == IA_BRIDGE_NO_STOP && atomic_load(&j->bridge->stopping)) {
        reason = IA_BRIDGE_STOP_SERVER;
    }
    if (reason == IA_BRIDGE_NO_STOP && ia_bridge_now_us() >= j->deadline_us) {
        reason = IA_BRIDGE_STOP_DEADLINE;
    }
    return (enum ia_bridge_stop_reason)reason;
}

bool ia_bridge_cancelled(const struct ia_bridge_call *call)
{
    /* The deadline of an item of a batch may come before that of its job. */
    return ia_bridge_now_us() >= call->deadline_us ||
           (call->job && ia_bridge_stop_reason(call->job) != IA_BRIDGE_NO_STOP);
}

void ia_bridge_stop(struct ia_bridge *b)
{
    atomic_store(&b->stopping, true);
    ia_bridge_wake(b->wake_pipe[1]);
}
