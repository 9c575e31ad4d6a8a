/* clock.c: the only place in the core that reads a clock, so that a program for tests can link
 * another. */
#include "core/impl.h"

#include <time.h>

int64_t ia_bridge_now_us(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}
