/* effort.c: steps are counted, and the clock is read when there were many. */
#include "server/wda/select/effort.h"

#include "base/now.h"

enum { STEPS_A_LOOK = 100000 };

struct ia_wda_effort ia_wda_effort(int ms)
{
    return (struct ia_wda_effort){.until_us = ia_thread_cpu_us() + (int64_t)ms * 1000};
}

bool ia_wda_spend(struct ia_wda_effort *e, size_t steps)
{
    e->unchecked += steps;
    if (!e->spent && e->unchecked >= STEPS_A_LOOK) {
        e->unchecked = 0;
        e->spent = ia_thread_cpu_us() > e->until_us;
    }
    return !e->spent;
}

enum ia_rc ia_wda_effort_check(const struct ia_wda_effort *e, struct ia_err *err)
{
    if (!e->spent) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_TIMEOUT, "the search took too long");
    ia_err_hint(err, "a simpler pattern, or a path that begins nearer, is faster");
    return rc;
}
