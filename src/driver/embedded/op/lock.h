/* lock.h: one driver per phone, across processes and inside this one. */
#ifndef IA_DRIVER_EMBEDDED_OP_LOCK_H
#define IA_DRIVER_EMBEDDED_OP_LOCK_H

#include "base/err.h"

struct ia_phone_lock;

/* Takes the lock file at path, making it when missing. IA_E_BUSY names the process that has it.
 * The file is never opened by anything else: closing any descriptor of it would drop the lock
 * (POSIX, fcntl). It is left behind on release; only the lock counts. */
enum ia_rc ia_phone_lock_take(const char *path, struct ia_phone_lock **ret, struct ia_err *err);
/* Says, in the lock file, that its holder is about to change the phone: once is enough for as long as
 * the lock is held. */
enum ia_rc ia_phone_lock_mark(struct ia_phone_lock *lock, struct ia_err *err);
/* How many holders changed the phone up to now: who finds its own number knows that none did since. */
uint64_t ia_phone_lock_turn(const struct ia_phone_lock *lock);
/* NULL is fine. */
void ia_phone_lock_release(struct ia_phone_lock *lock);

#endif
