/* host_time.c: a device and a clock that measure the time spent in them.
 *
 * lap = time since the last lap, less what was spent away: in the device, in waits, in the model
 *
 * What is left is the program's own time for a step. Measured on the system's clock even
 * where the run has a virtual one, since it is real time that is asked about. */
#include "agent/loop/host_time.h"

int64_t ia_host_time_now(void)
{
    return ia_mono_us(ia_clock_system());
}

void ia_host_time_away(struct ia_host_time *t, int64_t wall_us, int64_t cpu_us)
{
    /* CPU time that this thread used meanwhile (TLS, decoding) is its own. */
    t->away_us += wall_us > cpu_us ? wall_us - cpu_us : 0;
}

int64_t ia_host_time_lap(struct ia_host_time *t, int64_t *ret_device_us)
{
    int64_t now = ia_host_time_now();
    int64_t host = now - t->mark_us - t->away_us;
    if (ret_device_us) {
        *ret_device_us = t->device_us;
    }
    t->mark_us = now;
    t->away_us = t->device_us = 0;
    return host > 0 ? host : 0;
}

/* ---- the device -------------------------------------------------------------------------- */

static void begin(struct ia_device_forward *f)
{
    ((struct ia_host_time *)f)->began_us = ia_host_time_now();
}

static enum ia_rc end(struct ia_device_forward *f, enum ia_rc rc, struct ia_err *err)
{
    struct ia_host_time *t = (struct ia_host_time *)f; /* forward is the first member */
    int64_t took_us = ia_host_time_now() - t->began_us;
    (void)err;
    t->away_us += took_us;
    t->device_us += took_us;
    return rc;
}

/* ---- the clock --------------------------------------------------------------------------- */

static int64_t timed_mono(void *ctx)
{
    struct ia_host_time *t = ctx;
    return ia_mono_us(t->inner_clock);
}

static int64_t timed_wall(void *ctx)
{
    struct ia_host_time *t = ctx;
    return ia_wall_ms(t->inner_clock);
}

static enum ia_rc timed_wait(void *ctx, struct ia_cancel *cancel, int64_t until_us)
{
    struct ia_host_time *t = ctx;
    int64_t from = ia_host_time_now();
    enum ia_rc rc = ia_clock_wait(t->inner_clock, cancel, until_us);
    t->away_us += ia_host_time_now() - from;
    return rc;
}

void ia_host_time_init(struct ia_host_time *t, struct ia_device *device,
                       const struct ia_clock *clock)
{
    *t = (struct ia_host_time){
        .clock = {timed_mono, timed_wall, timed_wait, t},
        .inner_clock = clock,
        .mark_us = ia_host_time_now(),
    };
    ia_device_forward_init(&t->forward, device);
    t->forward.before = begin;
    t->forward.after = end;
}
