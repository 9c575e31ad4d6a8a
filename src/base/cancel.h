/* cancel.h: a token that stops a run at any moment, and the one cancellable wait on fds. */
#ifndef IA_BASE_CANCEL_H
#define IA_BASE_CANCEL_H

#include "base/base.h"
#include "base/err.h"

#include <poll.h>
#include <signal.h>

/* What one ios-agent sends to another to have it stop at its next safe moment. Unlike SIGTERM it never
 * ends it at once, however often it is sent. */
#define IA_CANCEL_SIGNAL SIGUSR1

struct ia_cancel;

/* NULL and err when no file descriptors are left. Free with ia_cancel_free. */
struct ia_cancel *ia_cancel_new(struct ia_err *err);
void ia_cancel_free(struct ia_cancel *c);
/* Fires the token; it stays fired. Any thread; async-signal-safe. NULL is ignored. */
void ia_cancel_fire(struct ia_cancel *c);
/* How often ia_cancel_fire was called. NULL never fired. */
int ia_cancel_count(const struct ia_cancel *c);
bool ia_cancel_fired(const struct ia_cancel *c);
/* Readable from the moment the token fires. Owned by the token; do not read from it. -1 for
 * NULL and for a patient token. */
int ia_cancel_fd(const struct ia_cancel *c);

/* A token for work that is better finished than cut off: it fires with its parent, but while
 * *hold is true (it is read once the parent fired) only grace_ms later. It fires by itself
 * too. One thread uses it at a time; parent and hold outlive it. parent may be NULL. */
struct ia_cancel *ia_cancel_new_patient(struct ia_cancel *parent, const _Atomic(bool) *hold,
                                        int64_t grace_ms);

/* poll() that also ends when the token fires or at the deadline (monotonic µs of the system
 * clock, IA_NO_DEADLINE for none). Restarts after EINTR. n is at most IA_POLL_MAX.
 * IA_OK: *ret_ready fds have revents. IA_E_CANCELLED, IA_E_TIMEOUT: as named. */
enum { IA_POLL_MAX = 64 };
enum ia_rc ia_cancel_poll(struct ia_cancel *c, struct pollfd *fds, size_t n,
                          int64_t deadline_us, int *ret_ready);

#endif
