/* children.h: the subtasks of a run that rests, done by this process (store/children.h has the
 * rows).
 *
 *     parent rests ─► one thread per device ─► each does its children in order, to their end
 *                                                   │
 *     parent goes on ◄─ all threads ended ──────────┘
 *
 * A child may rest, too, and is then driven in the same way. Another process may take any of them;
 * its events are shown as if they had happened here. */
#ifndef IA_APP_CHILDREN_H
#define IA_APP_CHILDREN_H

#include "app/executor.h"

/* ia_executor_run, which itself has the subtasks of a child done by ia_children_run. */
typedef enum ia_rc ia_child_run_fn(struct ia_executor *x, const struct ia_execution *e,
                                   struct ia_run_result *ret, struct ia_err *err);

/* Returns when none of the run's subtasks is open any more, or when parent->cancel has fired and
 * they were stopped: cancelled, or put back in the queue with *parent->interrupt. Their events go to
 * parent->observe_below, one at a time. Otherwise the error says which one cannot be done here and
 * why, IA_E_ASK where a person has to answer first; the parent then still waits for it. */
enum ia_rc ia_children_run(struct ia_executor *x, const struct ia_execution *parent,
                           const char *parent_id, ia_child_run_fn *run, struct ia_err *err);

#endif
