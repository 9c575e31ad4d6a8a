#include "agent/loop/spent.h"

/* All attempts, by a clock that does not jump. */
static int64_t ran_ms(const struct ia_run_ctx *run)
{
    int64_t from_us = run->spending.started_us;
    return from_us > 0 ? (ia_mono_us(run->clock) - from_us) / 1000
                       : run->previous_attempt.ran_ms;
}

void ia_spent_json(const struct ia_run_ctx *run, struct ia_jsonw *w)
{
    const struct ia_spending *s = &run->spending;
    ia_jsonw_key(w, "spent");
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "tokens", s->tokens);
    ia_jsonw_kv_real(w, "usd", s->usd);
    ia_jsonw_kv_real(w, "usd_max", s->usd_max);
    ia_jsonw_kv_bool(w, "cost_known", s->cost_known);
    ia_jsonw_kv_int(w, "ran_ms", ran_ms(run));
    ia_jsonw_end_object(w);
}
