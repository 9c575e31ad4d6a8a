/* feed.c: one connection that looks for commits, shared by the streams: however many there are, the
 * database is asked at most once in FRESH_US. */
#include "server/api/feed.h"

#include <pthread.h>
#include <stdlib.h>

enum { FRESH_US = 5000 };

struct ia_feed {
    struct ia_store *store;
    const struct ia_clock *clock;
    pthread_mutex_t mutex;
    struct ia_store_watch *watch; /* NULL while there is no stream */
    int streams;
    int64_t asked_us, newest;
};

struct ia_feed *ia_feed_new(struct ia_store *store, const struct ia_clock *clock)
{
    struct ia_feed *f = ia_calloc(1, sizeof(*f));
    f->store = store;
    f->clock = clock;
    pthread_mutex_init(&f->mutex, NULL);
    return f;
}

void ia_feed_free(struct ia_feed *f)
{
    if (f) {
        ia_store_watch_close(f->watch);
        pthread_mutex_destroy(&f->mutex);
        free(f);
    }
}

enum ia_rc ia_feed_enter(struct ia_feed *f, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    pthread_mutex_lock(&f->mutex);
    if (!f->watch) {
        rc = ia_store_watch_open(f->store, &f->watch, err);
    }
    /* Who comes may know an event that is newer than the last answer to the others. */
    f->asked_us = INT64_MIN / 2;
    f->streams += rc == IA_OK;
    pthread_mutex_unlock(&f->mutex);
    return rc;
}

void ia_feed_leave(struct ia_feed *f)
{
    if (!f) {
        return;
    }
    pthread_mutex_lock(&f->mutex);
    if (--f->streams == 0) {
        ia_store_watch_close(f->watch);
        f->watch = NULL;
    }
    pthread_mutex_unlock(&f->mutex);
}

enum ia_rc ia_feed_newest(struct ia_feed *f, int64_t *ret_event_id, int64_t *ret_asked_us,
                          struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    pthread_mutex_lock(&f->mutex);
    int64_t now_us = ia_mono_us(f->clock);
    if (now_us - f->asked_us >= FRESH_US) {
        rc = ia_store_watch_newest(f->watch, &f->newest, err);
        f->asked_us = now_us;
    }
    if (rc == IA_OK) {
        *ret_event_id = f->newest;
        *ret_asked_us = f->asked_us;
    }
    pthread_mutex_unlock(&f->mutex);
    return rc;
}
