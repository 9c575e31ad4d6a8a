/* cancel_watch.h: notices that another process asked to cancel a run, however long the run waits.
 *
 * The run itself looks between its commits; a silent server or a long wait before another try
 * would keep it from looking. A thread of its own reads the request a few times a second and
 * fires the run's cancel token. */
#ifndef IA_APP_CANCEL_WATCH_H
#define IA_APP_CANCEL_WATCH_H

#include "base/cancel.h"
#include "store/store.h"

struct ia_cancel_watch;

/* store and cancel are borrowed until ia_cancel_watch_stop. NULL and err when there is no thread or
 * descriptor left. */
struct ia_cancel_watch *ia_cancel_watch_start(struct ia_store *store, const char *run_id,
                                              struct ia_cancel *cancel, struct ia_err *err);
/* Ends the thread and frees. NULL is fine. */
void ia_cancel_watch_stop(struct ia_cancel_watch *w);

#endif
