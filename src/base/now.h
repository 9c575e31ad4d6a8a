/* now.h: the readings of the system's clocks, in the one file that makes them. Programs take their
 * time from base/clock.h, which a test can replace. */
#ifndef IA_BASE_NOW_H
#define IA_BASE_NOW_H

#include <stdint.h>

/* Microseconds of the monotonic clock. Async-signal-safe. */
int64_t ia_now_mono_us(void);
/* Milliseconds since 1970 UTC. */
int64_t ia_now_wall_ms(void);
/* CPU time that the calling thread used so far, in microseconds, for measuring our own work apart
 * from waits. */
int64_t ia_thread_cpu_us(void);

#endif
