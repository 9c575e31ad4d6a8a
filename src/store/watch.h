/* watch.h: reads that belong together, and finding out that anybody wrote. */
#ifndef IA_STORE_WATCH_H
#define IA_STORE_WATCH_H

#include "store/store.h"

/* From here to ia_store_read_end every read of this thread sees the database as it is now, whatever
 * is committed meanwhile. *ret_last_event: the newest event in it; who lists something and then
 * follows the events after that one misses nothing. One at a time on a thread; it holds one of the
 * few read connections, so never wait meanwhile. Writes are not part of it. */
enum ia_rc ia_store_read_begin(struct ia_store *s, int64_t *ret_last_event, struct ia_err *err);
void ia_store_read_end(struct ia_store *s);

/* A connection of its own, which sees commits of every other one, of this process or another. Used
 * by one thread at a time. Close it before the store. */
struct ia_store_watch;
enum ia_rc ia_store_watch_open(struct ia_store *s, struct ia_store_watch **ret,
                               struct ia_err *err);
/* The newest event, read anew only when something was committed since the last time: a poll costs
 * some microseconds (PRAGMA data_version, sqlite.org/pragma.html, 2026-11). */
enum ia_rc ia_store_watch_newest(struct ia_store_watch *w, int64_t *ret_event_id,
                                 struct ia_err *err);
void ia_store_watch_close(struct ia_store_watch *w); /* NULL is fine */

#endif
