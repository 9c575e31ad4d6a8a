/* host_time.h: measures how much of a run is ours.
 *
 * Wraps a device and a clock so that time spent in the device and in waits for its screen to
 * settle is counted as away; a call of the model adds what it waited. What is left of the wall
 * time is host overhead. Real time is measured, also where the run's own clock is virtual. One
 * thread. */
#ifndef IA_AGENT_LOOP_HOST_TIME_H
#define IA_AGENT_LOOP_HOST_TIME_H

#include "driver/device_forward.h"

struct ia_host_time {
    struct ia_device_forward forward; /* first; give forward.device to a session */
    struct ia_clock clock;            /* and this */
    const struct ia_clock *inner_clock;
    int64_t away_us;
    int64_t device_us; /* of that: in operations of the device, since the last lap */
    int64_t mark_us;   /* real monotonic time of the last lap */
    int64_t began_us;  /* of the device call that is under way */
};

/* clock may be virtual. Both are borrowed. */
void ia_host_time_init(struct ia_host_time *t, struct ia_device *device,
                       const struct ia_clock *clock);

/* Counts a call that took wall_us, of which cpu_us were our own work. */
void ia_host_time_away(struct ia_host_time *t, int64_t wall_us, int64_t cpu_us);

/* Real monotonic time, for ia_host_time_away. */
int64_t ia_host_time_now(void);

/* Host time since the last lap (or init), and starts the next. ret_device_us (may be NULL): the time in
 * operations of the device since then. */
int64_t ia_host_time_lap(struct ia_host_time *t, int64_t *ret_device_us);

#endif
