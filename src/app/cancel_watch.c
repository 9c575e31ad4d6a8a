/* cancel_watch.c: one thread for all runs of an executor, that asks the store every POLL_US whether
 * somebody wants one of them cancelled, and fires its token. A run itself asks only when it commits, which
 * may be minutes away while a device is being opened or a call is under way.
 *
 * The thread ends at the first poll that finds no run, so that an idle process sleeps, and begins again
 * with the next. */
#include "app/cancel_watch.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { POLL_US = 200000, STACK_BYTES = 256 << 10 };

struct ia_cancel_watch {
    struct ia_cancel_watcher *watcher;
    struct ia_cancel *cancel;
    struct ia_cancel_watch *next;
    char run_id[IA_ID_SIZE];
};

struct ia_cancel_watcher {
    struct ia_store *store;
    pthread_mutex_t mutex; /* guards the rest */
    struct ia_cancel_watch *watches;
    struct ia_cancel *stop; /* made with the first thread */
    pthread_t thread;
    bool made, polls; /* there is a thread to join; it goes on polling */
};

/* A failed read counts as "not asked": the run reports a broken store itself. */
static bool asked(const struct ia_cancel_watch *w)
{
    bool yes = false;
    return ia_store_cancel_requested(w->watcher->store, w->run_id, &yes, NULL) == IA_OK && yes;
}

static void *poll_store(void *arg)
{
    struct ia_cancel_watcher *all = arg;
    int ready = 0;
    for (bool polls = true; polls;) {
        int64_t next = ia_mono_us(ia_clock_system()) + POLL_US;
        bool stopped = ia_cancel_poll(all->stop, NULL, 0, next, &ready) == IA_E_CANCELLED;
        pthread_mutex_lock(&all->mutex);
        for (struct ia_cancel_watch *w = stopped ? NULL : all->watches; w; w = w->next) {
            /* Once is enough: a token that fired stays fired. */
            if (!ia_cancel_fired(w->cancel) && asked(w)) {
                ia_cancel_fire(w->cancel);
            }
        }
        polls = all->polls = !stopped && all->watches;
        pthread_mutex_unlock(&all->mutex);
    }
    return NULL;
}

/* The mutex is held. */
static enum ia_rc start_thread(struct ia_cancel_watcher *all, struct ia_err *err)
{
    pthread_attr_t attr;
    if (all->made) { /* its last poll is over, or is about to let go of the mutex for good */
        pthread_join(all->thread, NULL);
        all->made = false;
    }
    if (!all->stop && !(all->stop = ia_cancel_new(err))) {
        return err->code;
    }
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    int rc = pthread_create(&all->thread, &attr, poll_store, all);
    pthread_attr_destroy(&attr);
    all->made = all->polls = rc == 0;
    return rc == 0 ? IA_OK
                   : ia_err_set(err, IA_E_IO, "cannot start a thread: %s", strerror(rc));
}

struct ia_cancel_watcher *ia_cancel_watcher_new(struct ia_store *store)
{
    struct ia_cancel_watcher *all = ia_calloc(1, sizeof(*all));
    all->store = store;
    pthread_mutex_init(&all->mutex, NULL);
    return all;
}

void ia_cancel_watcher_free(struct ia_cancel_watcher *all)
{
    if (!all) {
        return;
    }
    ia_cancel_fire(all->stop);
    if (all->made) {
        pthread_join(all->thread, NULL);
    }
    ia_cancel_free(all->stop);
    pthread_mutex_destroy(&all->mutex);
    free(all);
}

struct ia_cancel_watch *ia_cancel_watch_start(struct ia_cancel_watcher *all, const char *run_id,
                                              struct ia_cancel *cancel, struct ia_err *err)
{
    struct ia_cancel_watch *w = ia_calloc(1, sizeof(*w));
    w->watcher = all;
    w->cancel = cancel;
    memcpy(w->run_id, run_id, strnlen(run_id, IA_ID_SIZE - 1));
    pthread_mutex_lock(&all->mutex);
    enum ia_rc rc = all->polls ? IA_OK : start_thread(all, err);
    if (rc == IA_OK) {
        w->next = all->watches;
        all->watches = w;
    }
    pthread_mutex_unlock(&all->mutex);
    if (rc != IA_OK) {
        free(w);
        return NULL;
    }
    return w;
}

void ia_cancel_watch_stop(struct ia_cancel_watch *w)
{
    if (!w) {
        return;
    }
    /* A poll that is under way is waited for: afterwards nobody fires the token. */
    pthread_mutex_lock(&w->watcher->mutex);
    struct ia_cancel_watch **at = &w->watcher->watches;
    while (*at != w) {
        at = &(*at)->next;
    }
    *at = w->next;
    pthread_mutex_unlock(&w->watcher->mutex);
    free(w);
}
