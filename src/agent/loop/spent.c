/* spent.c: what all attempts of a run have used, by a clock that does not jump. */
#include "agent/loop/spent.h"

/* All attempts, by a clock that does not jump. */
static int64_t ran_ms(const struct ia_run_ctx *run)
{
    int64_t from_us = run->spent.spending.started_us;
    return from_us > 0 ? (ia_mono_us(run->clock) - from_us) / 1000
                       : run->previous_attempt.ran_ms;
}

struct ia_event_spent ia_spent_event(const struct ia_run_ctx *run)
{
    const struct ia_spending *s = &run->spent.spending;
    return (struct ia_event_spent){.has = true,
                                   .tokens = s->tokens,
                                   .usd = s->usd,
                                   .usd_max = s->usd_max,
                                   .cost_known = s->cost_known,
                                   .ran_ms = ran_ms(run)};
}
