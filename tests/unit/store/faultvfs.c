#include "faultvfs.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

static sqlite3_vfs *real;
static sqlite3_vfs shim;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static struct {
    enum fault fault;
    int nth, seen, failed, syncs, slow_ms;
    bool held;
} plan;

struct file {
    sqlite3_file base;
    sqlite3_file *real; /* behind this struct */
};

static sqlite3_file *inner(sqlite3_file *f)
{
    return ((struct file *)(void *)f)->real;
}

/* SQLITE_OK, or with what this operation fails. */
static int next_operation(int io_code, bool *ret_torn)
{
    pthread_mutex_lock(&mutex);
    bool sync = io_code == SQLITE_IOERR_FSYNC;
    plan.syncs += sync;
    while (sync && plan.held) {
        pthread_cond_wait(&released, &mutex);
    }
    plan.seen += sync || plan.fault != FAULT_SYNC;
    int n = sync || plan.fault != FAULT_SYNC ? plan.seen : 0;
    bool lasting = plan.fault == FAULT_DEAD || plan.fault == FAULT_FULL_LONG;
    bool fails = plan.nth > 0 && (n == plan.nth || (lasting && n > plan.nth));
    plan.failed += fails;
    bool full = plan.fault == FAULT_FULL || plan.fault == FAULT_FULL_LONG;
    *ret_torn = fails && plan.fault == FAULT_TORN;
    pthread_mutex_unlock(&mutex);
    return fails ? (full ? SQLITE_FULL : io_code) : SQLITE_OK;
}

/* ---- files ------------------------------------------------------------------------------- */

static int f_close(sqlite3_file *f)
{
    return inner(f)->pMethods->xClose(inner(f));
}

static int f_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
    return inner(f)->pMethods->xRead(inner(f), p, n, at);
}

static int f_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
    bool torn = false;
    int rc = next_operation(SQLITE_IOERR_WRITE, &torn);
    if (torn) {
        (void)inner(f)->pMethods->xWrite(inner(f), p, n / 2, at);
    }
    return rc != SQLITE_OK ? rc : inner(f)->pMethods->xWrite(inner(f), p, n, at);
}

static int f_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    bool torn = false;
    int rc = next_operation(SQLITE_IOERR_TRUNCATE, &torn);
    return rc != SQLITE_OK ? rc : inner(f)->pMethods->xTruncate(inner(f), size);
}

static int f_sync(sqlite3_file *f, int flags)
{
    bool torn = false;
    (void)f;
    (void)flags;
    pthread_mutex_lock(&mutex);
    struct timespec pause = {.tv_nsec = plan.slow_ms * 1000000L};
    pthread_mutex_unlock(&mutex);
    (void)nanosleep(&pause, NULL);
    return next_operation(SQLITE_IOERR_FSYNC, &torn);
}

static int f_size(sqlite3_file *f, sqlite3_int64 *ret)
{
    return inner(f)->pMethods->xFileSize(inner(f), ret);
}

static int f_lock(sqlite3_file *f, int level)
{
    return inner(f)->pMethods->xLock(inner(f), level);
}

static int f_unlock(sqlite3_file *f, int level)
{
    return inner(f)->pMethods->xUnlock(inner(f), level);
}

static int f_check_lock(sqlite3_file *f, int *ret)
{
    return inner(f)->pMethods->xCheckReservedLock(inner(f), ret);
}

static int f_control(sqlite3_file *f, int op, void *arg)
{
    bool torn = false;
    int rc =
        op == SQLITE_FCNTL_SIZE_HINT ? next_operation(SQLITE_IOERR_WRITE, &torn) : SQLITE_OK;
    return rc != SQLITE_OK ? rc : inner(f)->pMethods->xFileControl(inner(f), op, arg);
}

static int f_sector(sqlite3_file *f)
{
    return inner(f)->pMethods->xSectorSize(inner(f));
}

static int f_traits(sqlite3_file *f)
{
    return inner(f)->pMethods->xDeviceCharacteristics(inner(f));
}

static int f_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **ret)
{
    return inner(f)->pMethods->xShmMap(inner(f), page, size, extend, ret);
}

static int f_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
    return inner(f)->pMethods->xShmLock(inner(f), offset, n, flags);
}

static void f_shm_barrier(sqlite3_file *f)
{
    inner(f)->pMethods->xShmBarrier(inner(f));
}

static int f_shm_unmap(sqlite3_file *f, int remove)
{
    return inner(f)->pMethods->xShmUnmap(inner(f), remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = f_close,
    .xRead = f_read,
    .xWrite = f_write,
    .xTruncate = f_truncate,
    .xSync = f_sync,
    .xFileSize = f_size,
    .xLock = f_lock,
    .xUnlock = f_unlock,
    .xCheckReservedLock = f_check_lock,
    .xFileControl = f_control,
    .xSectorSize = f_sector,
    .xDeviceCharacteristics = f_traits,
    .xShmMap = f_shm_map,
    .xShmLock = f_shm_lock,
    .xShmBarrier = f_shm_barrier,
    .xShmUnmap = f_shm_unmap,
};

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *ret)
{
    struct file *file = (struct file *)(void *)f;
    (void)vfs;
    file->real = (sqlite3_file *)(void *)(file + 1);
    file->real->pMethods = NULL;
    int rc = real->xOpen(real, name, file->real, flags, ret);
    f->pMethods = file->real->pMethods ? &methods : NULL;
    return rc;
}

/* ---- from outside ------------------------------------------------------------------------ */

void faultvfs_install(void)
{
    if (!real) {
        real = sqlite3_vfs_find(NULL);
        shim = *real;
        shim.pNext = NULL;
        shim.zName = "fault";
        shim.szOsFile = (int)sizeof(struct file) + real->szOsFile;
        shim.xOpen = vfs_open;
        sqlite3_vfs_register(&shim, 1);
    }
}

void faultvfs_arm(enum fault fault, int nth)
{
    pthread_mutex_lock(&mutex);
    plan.fault = fault;
    plan.nth = nth;
    plan.seen = plan.failed = 0;
    pthread_mutex_unlock(&mutex);
}

int faultvfs_heal(void)
{
    pthread_mutex_lock(&mutex);
    plan.nth = 0;
    int seen = plan.seen;
    pthread_mutex_unlock(&mutex);
    return seen;
}

int faultvfs_hold(bool hold)
{
    pthread_mutex_lock(&mutex);
    int syncs = plan.syncs;
    plan.held = hold;
    pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&mutex);
    return syncs;
}

void faultvfs_slow(int ms)
{
    pthread_mutex_lock(&mutex);
    plan.slow_ms = ms;
    pthread_mutex_unlock(&mutex);
}

int faultvfs_hit(void)
{
    pthread_mutex_lock(&mutex);
    int failed = plan.failed;
    pthread_mutex_unlock(&mutex);
    return failed;
}
