/* durable.c: one fsync of the log for the commits of many. durable.h has the picture.
 *
 * The sync goes through SQLite's own handle of the log (SQLITE_FCNTL_JOURNAL_POINTER): it is the
 * file that SQLite writes to, whatever happens to its name, and on macOS its sync reaches the
 * medium. A sync only reads what the handle is; a connection opens its log once. The folder of a
 * new log is synced by SQLite, with the log's header (wal.c of SQLite 3.40). */
#include "store/durable.h"

#include "store/db.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

void ia_durable_init(struct ia_durable *d, const char *path)
{
    *d = (struct ia_durable){.path = path};
    pthread_mutex_init(&d->mutex, NULL);
    pthread_cond_init(&d->over, NULL);
    pthread_cond_init(&d->asked, NULL);
}

/* ---- one sync: the mutex is held before and after ------------------------------------------ */

static void keep_failure(struct ia_durable *d, int sqlite_rc, int system_errno)
{
    bool full = (sqlite_rc & 0xFF) == SQLITE_FULL || ia_db_out_of_room(system_errno);
    if (d->why.code != IA_OK) {
        return;
    }
    (void)ia_err_set(&d->why, full ? IA_E_DB_FULL : IA_E_DB,
                     "%s: the last commits could not be made durable (%s), so this process "
                     "writes nothing more to it",
                     d->path,
                     full           ? "no room left on the disk"
                     : system_errno ? strerror(system_errno)
                                    : "the disk reports an error");
    ia_err_hint(&d->why,
                "check the disk, then stop this ios-agent and start it again: runs go on "
                "with `resume`");
}

static void sync_once(struct ia_durable *d, sqlite3_file *log)
{
    uint64_t upto = d->written;
    d->busy = true;
    pthread_mutex_unlock(&d->mutex);
    errno = 0;
    int rc = log->pMethods->xSync(log, SQLITE_SYNC_FULL);
    int cause = errno;
    pthread_mutex_lock(&d->mutex);
    d->busy = false;
    if (rc == SQLITE_OK) {
        d->synced = upto;
    } else {
        keep_failure(d, rc, cause);
    }
    pthread_cond_broadcast(&d->over);
    if (d->wanted > d->synced) {
        pthread_cond_signal(&d->asked);
    }
}

/* Until that commit is durable, or a sync has failed. */
static enum ia_rc await_locked(struct ia_durable *d, uint64_t number, struct ia_err *err)
{
    while (d->synced < number && d->why.code == IA_OK) {
        if (d->busy) {
            pthread_cond_wait(&d->over, &d->mutex);
        } else {
            sync_once(d, d->log);
        }
    }
    if (d->synced >= number) {
        return IA_OK;
    }
    if (err) {
        *err = d->why;
    }
    return d->why.code;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void *serve(void *arg)
{
    struct ia_durable *d = arg;
    pthread_mutex_lock(&d->mutex);
    while (!d->ends) {
        if (d->wanted > d->synced && !d->busy && d->why.code == IA_OK) {
            sync_once(d, d->log);
        } else {
            pthread_cond_wait(&d->asked, &d->mutex);
        }
    }
    pthread_mutex_unlock(&d->mutex);
    return NULL;
}

/* Signals are for other threads. */
static void start_thread(struct ia_durable *d)
{
    sigset_t all, before;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    d->has_thread = pthread_create(&d->thread, NULL, serve, d) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void ia_durable_soon(struct ia_durable *d, uint64_t number)
{
    pthread_mutex_lock(&d->mutex);
    if (!d->has_thread) {
        start_thread(d);
    }
    if (!d->has_thread) {
        (void)await_locked(d, number, NULL);
    } else if (number > d->wanted) {
        d->wanted = number;
        if (!d->busy) { /* else the end of that sync wakes it */
            pthread_cond_signal(&d->asked);
        }
    }
    pthread_mutex_unlock(&d->mutex);
}

void ia_durable_fini(struct ia_durable *d)
{
    pthread_mutex_lock(&d->mutex);
    d->ends = true;
    pthread_cond_signal(&d->asked);
    pthread_mutex_unlock(&d->mutex);
    if (d->has_thread) {
        pthread_join(d->thread, NULL);
    }
    (void)ia_durable_await(d, d->written, NULL);
    pthread_cond_destroy(&d->asked);
    pthread_cond_destroy(&d->over);
    pthread_mutex_destroy(&d->mutex);
}

/* ---- for those who write --------------------------------------------------------------------- */

uint64_t ia_durable_written(struct ia_durable *d, sqlite3_file *log)
{
    pthread_mutex_lock(&d->mutex);
    d->log = log;
    uint64_t number = ++d->written;
    pthread_mutex_unlock(&d->mutex);
    return number;
}

enum ia_rc ia_durable_await(struct ia_durable *d, uint64_t number, struct ia_err *err)
{
    pthread_mutex_lock(&d->mutex);
    enum ia_rc rc = await_locked(d, number, err);
    pthread_mutex_unlock(&d->mutex);
    return rc;
}

static uint64_t needed_for_room(const struct ia_durable *d)
{
    return d->written < IA_UNSYNCED_MAX ? 0 : d->written - IA_UNSYNCED_MAX + 1;
}

enum ia_rc ia_durable_room(struct ia_durable *d, struct ia_err *err)
{
    pthread_mutex_lock(&d->mutex);
    uint64_t number = d->why.code == IA_OK ? needed_for_room(d) : UINT64_MAX;
    enum ia_rc rc = await_locked(d, number, err);
    pthread_mutex_unlock(&d->mutex);
    return rc;
}

bool ia_durable_has_room(struct ia_durable *d)
{
    pthread_mutex_lock(&d->mutex);
    bool has = d->why.code != IA_OK || d->synced >= needed_for_room(d);
    pthread_mutex_unlock(&d->mutex);
    return has;
}

enum ia_rc ia_durable_all(struct ia_durable *d, sqlite3_file *log, struct ia_err *err)
{
    pthread_mutex_lock(&d->mutex);
    while (d->busy) {
        pthread_cond_wait(&d->over, &d->mutex);
    }
    if (d->why.code == IA_OK) {
        sync_once(d, log);
    }
    enum ia_rc rc = await_locked(d, d->why.code == IA_OK ? 0 : UINT64_MAX, err);
    pthread_mutex_unlock(&d->mutex);
    return rc;
}

void ia_durable_failed(struct ia_durable *d, int sqlite_rc, int system_errno)
{
    pthread_mutex_lock(&d->mutex);
    keep_failure(d, sqlite_rc, system_errno);
    pthread_mutex_unlock(&d->mutex);
}
