/* cancel.c: cancel tokens, and the one wait of the program that they end.
 *
 * A token is a counter and a pipe: whoever waits polls the pipe together with its own descriptors,
 * so a token that fires ends the wait at once. A patient token has no pipe. It follows its parent,
 * but while `hold` is set it fires only grace_us after the parent: a tool in hand may finish.
 *
 *     parent quiet ──────────────────────────► not fired; waits on the parent's pipe
 *     parent fired, hold set, within grace ──► not fired; polls every HOLD_POLL_MS
 *     parent fired, otherwise ───────────────► fired */
#include "base/cancel.h"

#include "base/clock.h" /* IA_NO_DEADLINE */
#include "base/fd.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOLD_POLL_MS = 50 };

struct ia_cancel {
    atomic_int count;
    int fds[2]; /* pipe: [0] becomes readable when the token fires; -1 in a patient token */
    struct ia_cancel *parent;
    const _Atomic(bool) *hold;
    int64_t grace_us;
    _Atomic int64_t fired_us; /* monotonic time of the first firing; 0 before */
};

struct ia_cancel *ia_cancel_new(struct ia_err *err)
{
    struct ia_cancel *c = ia_calloc(1, sizeof(*c));
    if (ia_pipe(c->fds, err) != IA_OK) {
        free(c);
        return NULL;
    }
    (void)ia_fd_nonblocking(c->fds[1]);
    return c;
}

struct ia_cancel *ia_cancel_new_patient(struct ia_cancel *parent, const _Atomic(bool) *hold,
                                        int64_t grace_ms)
{
    struct ia_cancel *c = ia_calloc(1, sizeof(*c));
    *c = (struct ia_cancel){
        .fds = {-1, -1}, .parent = parent, .hold = hold, .grace_us = grace_ms * 1000};
    return c;
}

static bool patient(const struct ia_cancel *c)
{
    return c && c->fds[1] < 0;
}

void ia_cancel_free(struct ia_cancel *c)
{
    if (patient(c)) {
        free(c);
    } else if (c) {
        close(c->fds[0]);
        close(c->fds[1]);
        free(c);
    }
}

void ia_cancel_fire(struct ia_cancel *c)
{
    if (!c) {
        return;
    }
    int saved = errno;
    int64_t never = 0;
    /* Before the count: a thread that sees the count reads the time of the firing in held().
     * The first firing's time stays. */
    (void)atomic_compare_exchange_strong(&c->fired_us, &never, ia_now_mono_us());
    atomic_fetch_add(&c->count, 1);
    if (patient(c)) {
        return;
    }
    /* A full pipe is readable already, so a failed write loses nothing. */
    ssize_t n = write(c->fds[1], "x", 1);
    (void)n;
    errno = saved;
}

/* The parent fired, and there is a reason to go on all the same. */
static bool held(const struct ia_cancel *c)
{
    int64_t since_us = atomic_load(&c->parent->fired_us);
    return c->hold && atomic_load(c->hold) && ia_now_mono_us() < since_us + c->grace_us;
}

int ia_cancel_count(const struct ia_cancel *c)
{
    int count = c ? atomic_load(&c->count) : 0;
    if (count > 0 || !c || !c->parent) {
        return count;
    }
    int parents = ia_cancel_count(c->parent);
    return parents > 0 && held(c) ? 0 : parents;
}

bool ia_cancel_fired(const struct ia_cancel *c)
{
    return ia_cancel_count(c) > 0;
}

int ia_cancel_fd(const struct ia_cancel *c)
{
    return c ? c->fds[0] : -1;
}

/* The pipe to wait on; -1 while a patient token is held, whose firing no pipe announces. */
static int cancel_fd(const struct ia_cancel *c)
{
    if (!patient(c)) {
        return ia_cancel_fd(c);
    }
    return ia_cancel_fired(c->parent) ? -1 : cancel_fd(c->parent);
}

/* A patient token whose parent fired has no pipe: what holds it is polled. */
static int64_t next_poll(const struct ia_cancel *c, int64_t deadline_us)
{
    if (!patient(c) || !ia_cancel_fired(c->parent)) {
        return deadline_us;
    }
    int64_t poll_us = ia_now_mono_us() + HOLD_POLL_MS * 1000;
    return poll_us < deadline_us ? poll_us : deadline_us;
}

/* Milliseconds for poll(): rounded up, so that a wait never ends before its deadline. */
static int poll_ms(int64_t deadline_us)
{
    if (deadline_us == IA_NO_DEADLINE) {
        return -1;
    }
    int64_t left = deadline_us - ia_now_mono_us();
    if (left <= 0) {
        return 0;
    }
    int64_t ms = (left + 999) / 1000;
    /* An int of milliseconds; the caller's loop waits again for what is beyond the hour. */
    return ms > 3600000 ? 3600000 : (int)ms;
}

enum ia_rc ia_cancel_poll(struct ia_cancel *c, struct pollfd *fds, size_t n,
                          int64_t deadline_us, int *ret_ready)
{
    struct pollfd all[IA_POLL_MAX + 1];
    if (n > IA_POLL_MAX) {
        return IA_E_LIMIT;
    }
    for (;;) {
        if (patient(c) && ia_cancel_fired(c)) {
            return IA_E_CANCELLED; /* no pipe announces it */
        }
        all[0] = (struct pollfd){.fd = cancel_fd(c), .events = POLLIN};
        if (n > 0) {
            memcpy(all + 1, fds, n * sizeof(*fds));
        }
        int ready = poll(all, (nfds_t)(n + 1), poll_ms(next_poll(c, deadline_us)));
        if (ready < 0 && errno != EINTR) {
            return IA_E_IO;
        }
        if (ia_cancel_fired(c)) {
            return IA_E_CANCELLED;
        }
        /* The parent's pipe woke a token that is held: the next round leaves that pipe out. */
        if (ready > 0 && !(all[0].revents && patient(c))) {
            if (n > 0) {
                memcpy(fds, all + 1, n * sizeof(*fds));
            }
            *ret_ready = ready;
            return IA_OK;
        }
        if (deadline_us != IA_NO_DEADLINE && ia_now_mono_us() >= deadline_us) {
            return IA_E_TIMEOUT;
        }
    }
}
