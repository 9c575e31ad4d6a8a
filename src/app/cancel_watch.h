/* cancel_watch.h: notices that another process asked to cancel a run, however long the run waits.
 *
 * The run itself looks between its commits; a silent server or a long wait before another try
 * would keep it from looking. One thread reads the requests of all runs a few times a second and
 * fires their cancel tokens. */
#ifndef IA_APP_CANCEL_WATCH_H
#define IA_APP_CANCEL_WATCH_H

#include "base/cancel.h"
#include "store/store.h"

struct ia_cancel_watcher;
struct ia_cancel_watch;

/* Borrows the store. Free it after stopping the last watch; NULL is fine. */
struct ia_cancel_watcher *ia_cancel_watcher_new(struct ia_store *store);
void ia_cancel_watcher_free(struct ia_cancel_watcher *all);

/* cancel is borrowed until ia_cancel_watch_stop. NULL and err when there is no thread or
 * descriptor left. Any thread. */
struct ia_cancel_watch *ia_cancel_watch_start(struct ia_cancel_watcher *all, const char *run_id,
                                              struct ia_cancel *cancel, struct ia_err *err);
/* Once it returns, the token is not fired any more. NULL is fine. */
void ia_cancel_watch_stop(struct ia_cancel_watch *w);

#endif
