/* daemon.c: a daemon's life from its own thread: it wakes once every few seconds to see whether there is
 * still anything to do, and at once when the end is asked for. */
#include "server/daemon/daemon.h"

#include "agent/queue/queue.h"
#include "base/killpoint.h"
#include "base/platform.h"
#include "server/daemon/life.h"

#include <fcntl.h>
#include <unistd.h>

enum {
    TICK_MS = 10000,    /* between two looks at the home, the devices and the idle time */
    DRAIN_TICK_MS = 20, /* the same while it drains */
    DEVICE_IDLE_S = 300
};

/* Whoever waits at the other end of stdout learns from its end that the daemon is ready. */
static void let_go_of_output(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
            (void)dup2(null, fd);
        }
        close(null);
    }
}

/* ---- serving ------------------------------------------------------------------------------- */

/* Why it is to end, or NULL. */
static const char *reason_to_end(struct ia_daemon *d, int64_t *ret_wait_ms)
{
    bool work;
    int64_t left_us = ia_daemon_idle_left_us(d, &work);
    int64_t left_ms = left_us / 1000 + 1;
    *ret_wait_ms = left_ms < TICK_MS ? left_ms : TICK_MS;
    *ret_wait_ms = work && *ret_wait_ms < DRAIN_TICK_MS ? DRAIN_TICK_MS : *ret_wait_ms;
    if (ia_place_lost(&d->place)) {
        return "its folder or its socket was removed";
    }
    return d->opts->background && !work && left_us <= 0 ? "nothing was asked of it" : NULL;
}

/* Once after each time that something was done, and when its devices have been closed. */
static void tidy(struct ia_daemon *d)
{
    int open = ia_hub_trim(d->hub, DEVICE_IDLE_S * INT64_C(1000000));
    pthread_mutex_lock(&d->mutex);
    bool again = d->last_us == d->tidied_us && open == d->open;
    d->tidied_us = d->last_us;
    d->open = open;
    pthread_mutex_unlock(&d->mutex);
    if (!again) {
        ia_platform_give_back_memory();
    }
}

static void serve(struct ia_daemon *d)
{
    const char *why = NULL;
    while (!why && !ia_cancel_fired(d->changed) && !ia_cancel_fired(d->opts->cancel)) {
        int64_t wait_ms;
        why = reason_to_end(d, &wait_ms);
        if (!why) {
            tidy(d);
            struct pollfd stop = {ia_cancel_fd(d->opts->cancel), POLLIN, 0};
            int ready;
            (void)ia_cancel_poll(d->changed, &stop, 1, ia_daemon_in_ms(wait_ms), &ready);
        }
    }
    if (why) {
        ia_daemon_say(d, "ending: %s", why);
    }
    ia_daemon_leave(d, ia_cancel_fired(d->opts->cancel), false);
}

static void drain(struct ia_daemon *d)
{
    if (d->newer) {
        ia_daemon_say(d, "a newer build of ios-agent asked: ending when nothing is in hand");
    }
    ia_leader_leave(d->leader); /* what is due from now on is another machine's */
    ia_queue_hold(ia_runs_queue(d->runs));
    while (!ia_daemon_drained(d)) {
        (void)ia_clock_wait(ia_clock_system(), d->opts->cancel, ia_daemon_in_ms(DRAIN_TICK_MS));
        if (ia_cancel_fired(d->opts->cancel)) {
            ia_daemon_leave(d, true, false);
        }
    }
}

static enum ia_rc outcome(const struct ia_daemon *d, struct ia_err *err)
{
    if (d->failure.code != IA_OK) {
        *err = d->failure;
        return err->code;
    }
    if (d->newer && !d->opts->background && !ia_cancel_fired(d->opts->cancel)) {
        return ia_err_set(err, IA_E_DAEMON_VERSION,
                          "it made way for a newer build of ios-agent");
    }
    return IA_OK;
}

enum ia_rc ia_daemon_run(const struct ia_daemon_opts *opts, struct ia_err *err)
{
    struct ia_daemon d = {
        .opts = opts, .place.lock_fd = -1, .socket_fd = -1, .mutex = PTHREAD_MUTEX_INITIALIZER};
    bool other = false;
    ia_platform_few_heaps();
    d.changed = ia_cancel_new(err);
    d.started_ms = ia_wall_ms(ia_clock_system());
    d.last_us = ia_daemon_now_us();
    enum ia_rc rc = d.changed ? ia_daemon_open(&d, &other, err) : err->code;
    if (rc == IA_OK) {
        IA_KILL_POINT("daemon.ready");
        ia_daemon_say(&d, "ready: %s", d.setup.paths.home);
        if (opts->background) {
            let_go_of_output();
        }
        serve(&d);
        if (opts->say) {
            opts->say(opts->ctx, "stopping; finishing the actions in progress first");
        }
        drain(&d);
        rc = outcome(&d, err);
    }
    ia_daemon_close(&d);
    return other ? IA_OK : rc;
}
