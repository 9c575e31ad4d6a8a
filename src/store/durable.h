/* durable.h: when what was committed reaches the disk (private to store/).
 *
 * SQLite writes a commit into the log and does not wait for the disk (synchronous = NORMAL): from
 * then on a kill keeps it, and other connections see it, but a power failure may take it. Here it
 * is made durable, outside the turn, so that the next batch is written meanwhile:
 *
 *     turn    commit 1 ──► commit 2 ──────────► commit 3 …
 *     disk            sync 1 ───────► sync 2 ──────────► …      2 covers all that was there when it began
 *
 * One sync at a time. Whoever must not go on before its commit is durable does the sync itself or waits
 * for the one who does (ia_durable_await); where nobody will wait there is a thread (ia_durable_soon).
 *
 * At most IA_UNSYNCED_MAX commits of the log are not durable, those of other processes included:
 * who would write one more waits (ia_durable_room), and who finds that another process has written
 * syncs first (ia_durable_all). wal.h tells damage from a power failure by that.
 *
 * A sync that fails is not tried again: the system may have dropped what it could not write, and
 * the next sync would succeed all the same. Every later wait fails with that error, and so does
 * ia_durable_room, so that nothing more is written. */
#ifndef IA_STORE_DURABLE_H
#define IA_STORE_DURABLE_H

#include "base/err.h"

#include <pthread.h>
#include <sqlite3.h>

enum { IA_UNSYNCED_MAX = 2 };

struct ia_durable {
    const char *path; /* of the database, for messages; borrowed */
    pthread_mutex_t mutex;
    pthread_cond_t over;  /* a sync has ended */
    pthread_cond_t asked; /* for the thread */
    sqlite3_file *log;
    uint64_t written, synced; /* commits */
    uint64_t wanted;          /* that the thread shall see to */
    bool busy;                /* a sync is under way */
    bool ends, has_thread;
    pthread_t thread;
    struct ia_err why; /* of the sync that failed; its code is IA_OK: none has */
};

void ia_durable_init(struct ia_durable *d, const char *path);
/* Syncs what is left, then forgets the log. To be called before its connection is closed. */
void ia_durable_fini(struct ia_durable *d);

/* Counts a commit that is in the log and returns its number, from 1. For the holder of the turn. log
 * stays valid until ia_durable_fini. */
uint64_t ia_durable_written(struct ia_durable *d, sqlite3_file *log);
/* Returns when the commit of that number is durable; 0 is. */
enum ia_rc ia_durable_await(struct ia_durable *d, uint64_t number, struct ia_err *err);
/* Has it made durable by the thread. Where there can be no thread, as ia_durable_await. */
void ia_durable_soon(struct ia_durable *d, uint64_t number);
/* Returns when one more commit may be written. */
enum ia_rc ia_durable_room(struct ia_durable *d, struct ia_err *err);
/* Whether ia_durable_room would return at once. */
bool ia_durable_has_room(struct ia_durable *d);
/* Makes all durable that is in the log, whoever wrote it. In a write transaction. */
enum ia_rc ia_durable_all(struct ia_durable *d, sqlite3_file *log, struct ia_err *err);
/* A sync failed that SQLite did: as if it had been one of these. */
void ia_durable_failed(struct ia_durable *d, int sqlite_rc, int system_errno);

#endif
