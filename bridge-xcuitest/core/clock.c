/* clock.c: the only place in the core where a clock is read and where the main thread lets time
 * pass in the middle of a request. A test can replace both functions and be the clock. */
#include "core/impl.h"

#include <poll.h>
#include <time.h>

int64_t ia_bridge_now_us(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

void ia_bridge_wait_until(int wake, int64_t until_us)
{
    int64_t left_ms = (until_us - ia_bridge_now_us() + 999) / 1000;
    struct pollfd p = {.fd = wake, .events = POLLIN}; /* poll ignores a descriptor of -1 */
    (void)poll(&p, 1, left_ms < 0 ? 0 : left_ms > 60000 ? 60000 : (int)left_ms);
}
