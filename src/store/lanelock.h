/* lanelock.h: one file lock for each lane, <home>/lanes/<lane>.lock (private to store/).
 *
 * flock(2) belongs to the open file, not to the process as fcntl(F_SETLK) does: two threads
 * exclude each other as well, closing another descriptor of the file does not lose it, and the
 * system gives it back when the process dies. The file itself is never removed. */
#ifndef IA_STORE_LANELOCK_H
#define IA_STORE_LANELOCK_H

#include "base/err.h"

/* Tries the lock, without waiting. IA_E_BUSY (without a message) when somebody has it.
 * IA_E_USAGE for an empty or too long lane. close(2) gives it back. */
enum ia_rc ia_lanelock_take(const char *home, const char *lane, int *ret_fd,
                            struct ia_err *err);

#endif
