/* now.c: the only file that reads a clock. */
#include "base/now.h"

#include <time.h>

static int64_t read_us(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t ia_now_mono_us(void)
{
    return read_us(CLOCK_MONOTONIC);
}

int64_t ia_now_wall_ms(void)
{
    return read_us(CLOCK_REALTIME) / 1000;
}

int64_t ia_thread_cpu_us(void)
{
    return read_us(CLOCK_THREAD_CPUTIME_ID);
}
