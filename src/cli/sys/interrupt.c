/* interrupt.c: the signal handlers behind Ctrl-C.
 *
 *     first signal  ─► flags, token and a notice: the work ends at its next safe point
 *     second signal ─► colours restored, _exit; a SIGHUP is no second signal, as a terminal that
 *                      closes often sends it twice (its kernel and its shell), and neither is
 *                      `ios-agent cancel` from elsewhere
 *
 * A handler may only touch atomics and call write and _exit; what it needs is stored before it is
 * installed. */
#include "cli/sys/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, IA_CANCEL_SIGNAL};

/* Written before the handlers are installed, and read by them. */
static struct ia_cancel *_Atomic token;
static atomic_int terminal = -1;
static atomic_int seen; /* signals so far: the token may fire for other reasons too */
static atomic_bool flag, later;

/* Async-signal-safe. The text restores the colours first: output may be in the middle of a line. */
static void put_on_terminal(const char *text, size_t n)
{
    int fd = atomic_load(&terminal);
    if (fd >= 0) {
        ssize_t written = write(fd, text, n);
        (void)written;
    }
}

static void on_signal(int signo)
{
    int saved = errno;
    bool again = atomic_fetch_add(&seen, 1) > 0;
    if (again && (signo == SIGHUP || signo == IA_CANCEL_SIGNAL)) {
        return;
    }
    if (!again) {
        static const char stopping[] =
            "\r\x1b[K\x1b[0mstopping safely; press again to end at once\n";
        /* Before the token: whoever it wakes reads them. */
        atomic_store(&later, signo != SIGINT);
        atomic_store(&flag, true);
        ia_cancel_fire(atomic_load(&token));
        put_on_terminal(stopping, sizeof(stopping) - 1);
        errno = saved;
        return;
    }
    static const char restore[] = "\r\x1b[K\x1b[0m\n";
    put_on_terminal(restore, sizeof(restore) - 1);
    _exit(ia_rc_exit(IA_E_CANCELLED));
}

/* nohup(1) ignores SIGHUP, so that the run outlives its terminal. */
static bool outlives_terminal(int signo)
{
    struct sigaction now;
    return signo == SIGHUP && sigaction(signo, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void install(void (*handler)(int))
{
    struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < IA_COUNTOF(signals); i++) {
        if (!outlives_terminal(signals[i])) {
            (void)sigaction(signals[i], &sa, NULL);
        }
    }
}

void ia_interrupt_install(struct ia_cancel *cancel, int tty_fd)
{
    atomic_store(&token, cancel);
    atomic_store(&terminal, tty_fd);
    install(on_signal);
}

const _Atomic(bool) *ia_interrupt_flag(void)
{
    return &flag;
}

const _Atomic(bool) *ia_interrupt_later_flag(void)
{
    return &later;
}

void ia_interrupt_remove(void)
{
    install(SIG_DFL);
    atomic_store(&token, NULL);
    atomic_store(&terminal, -1);
    atomic_store(&seen, 0);
    atomic_store(&flag, false);
    atomic_store(&later, false);
}
