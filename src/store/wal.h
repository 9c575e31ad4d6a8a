/* wal.h: whether a write-ahead log lost commits in its middle (private to store/).
 *
 * After a crash SQLite takes the frames of the log up to the first whose checksum is wrong, and
 * forgets the rest without a word: it cannot tell a commit that was being written from damage.
 * At most IA_UNSYNCED_MAX commits are not durable at any time (durable.h), so a crash can only tear
 * those; where more follow the first bad frame, the log was damaged. What cannot be told from a
 * crash: damage in the last IA_UNSYNCED_MAX commits, and in the log's header. */
#ifndef IA_STORE_WAL_H
#define IA_STORE_WAL_H

#include "base/base.h"
#include "base/err.h"

/* IA_E_DB_CORRUPT where commits were lost in the middle of that log; IA_OK where it is whole, torn at
 * its end, missing, or cannot be read (SQLite says why). Reads only; beside other processes too. */
enum ia_rc ia_wal_check(const char *path, struct ia_err *err);

#endif
