/* clock.c: a clock for tests, chosen by BRIDGE_CLOCK=virtual.
 *
 * Its time passes only where a request waits on purpose, between two snapshots for example, and
 * such a wait takes no real time. So every timeout in the bridge comes after the same number of
 * snapshots, however slow the machine is, and a request in valgrind cannot run out of time.
 * What a request computes takes no time at all: a test of a hanging operation needs the real
 * clock.
 *
 * The linker puts these functions before those of core/clock.c (--wrap). */
#include "core/core.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

int64_t __real_ia_bridge_now_us(void);
void __real_ia_bridge_wait_until(int wake, int64_t until_us);
int64_t __wrap_ia_bridge_now_us(void);
void __wrap_ia_bridge_wait_until(int wake, int64_t until_us);

static _Atomic int64_t virtual_us = 1000000;

/* The environment does not change while the program runs, so any thread may ask. */
static bool is_virtual(void)
{
    const char *clock = getenv("BRIDGE_CLOCK");
    return clock && strcmp(clock, "virtual") == 0;
}

int64_t __wrap_ia_bridge_now_us(void)
{
    return is_virtual() ? atomic_load(&virtual_us) : __real_ia_bridge_now_us();
}

void __wrap_ia_bridge_wait_until(int wake, int64_t until_us)
{
    if (!is_virtual()) {
        __real_ia_bridge_wait_until(wake, until_us);
    } else if (atomic_load(&virtual_us) < until_us) {
        atomic_store(&virtual_us, until_us); /* only the main thread waits like this */
    }
}
