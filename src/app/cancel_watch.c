/* cancel_watch.c: a thread that asks the store every POLL_US whether somebody wants the run
 * cancelled, and fires its token. The run itself asks only when it commits, which may be
 * minutes away while a device is being opened or a call is under way. */
#include "app/cancel_watch.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { POLL_US = 200000 };

struct ia_cancel_watch {
    struct ia_store *store;
    struct ia_cancel *cancel;
    struct ia_cancel *stop;
    pthread_t thread;
    char run_id[IA_ID_SIZE];
};

/* A failed read counts as "not asked": the run reports a broken store itself. */
static bool asked(const struct ia_cancel_watch *w)
{
    bool yes = false;
    return ia_store_cancel_requested(w->store, w->run_id, &yes, NULL) == IA_OK && yes;
}

static void *poll_store(void *arg)
{
    struct ia_cancel_watch *w = arg;
    int ready = 0;
    for (;;) {
        int64_t next = ia_mono_us(ia_clock_system()) + POLL_US;
        if (ia_cancel_poll(w->stop, NULL, 0, next, &ready) == IA_E_CANCELLED) {
            return NULL;
        }
        /* Once is enough: a token that fired stays fired. */
        if (asked(w)) {
            ia_cancel_fire(w->cancel);
            return NULL;
        }
    }
}

struct ia_cancel_watch *ia_cancel_watch_start(struct ia_store *store, const char *run_id,
                                              struct ia_cancel *cancel, struct ia_err *err)
{
    struct ia_cancel *stop = ia_cancel_new(err);
    if (!stop) {
        return NULL;
    }
    struct ia_cancel_watch *w = ia_calloc(1, sizeof(*w));
    w->store = store;
    w->cancel = cancel;
    w->stop = stop;
    memcpy(w->run_id, run_id, strnlen(run_id, IA_ID_SIZE - 1));
    int rc = pthread_create(&w->thread, NULL, poll_store, w);
    if (rc != 0) {
        (void)ia_err_set(err, IA_E_IO, "cannot start a thread: %s", strerror(rc));
        ia_cancel_free(stop);
        free(w);
        return NULL;
    }
    return w;
}

void ia_cancel_watch_stop(struct ia_cancel_watch *w)
{
    if (w) {
        /* Wakes the thread at once instead of at its next poll. */
        ia_cancel_fire(w->stop);
        pthread_join(w->thread, NULL);
        ia_cancel_free(w->stop);
        free(w);
    }
}
