/* result.c: fills what the caller of a run gets. */
#include "agent/run/result.h"

#include "agent/loop/run_ctx.h"

#include <stdlib.h>
#include <string.h>

static int order_us(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t host_median(struct ia_run_ctx *run)
{
    if (run->spent.host_count == 0) {
        return 0;
    }
    qsort(run->spent.host_us, run->spent.host_count, sizeof(*run->spent.host_us), order_us);
    return run->spent.host_us[run->spent.host_count / 2];
}

void ia_run_result_fill(struct ia_run_ctx *run)
{
    struct ia_run_result *r = run->result;
    const struct ia_end *end = &run->end;
    memcpy(r->id, run->id, sizeof(r->id));
    (void)snprintf(r->state, sizeof(r->state), "%s", ia_run_state_name(end->state));
    r->rests = end->rests;
    r->code = end->err.code;
    const struct ia_run_replay *replay = &run->replay;
    bool healed = replay->heals > 0 || replay->quarantined;
    bool replayed = end->state == IA_RUN_PASSED && replay->recording;
    r->outcome = !replayed ? NULL : healed ? "healed" : "replayed";
    r->strict = run->req->strict;
    r->basis = end->basis;
    r->summary = ia_strdup(end->summary ? end->summary : end->err.msg);
    r->steps = run->spent.spending.steps;
    int64_t from_us = run->spent.spending.started_us;
    r->duration_ms = from_us > 0 ? (ia_mono_us(run->clock) - from_us) / 1000 : 0;
    r->tokens_input = run->spent.usage.input;
    r->tokens_cache_read = run->spent.usage.cache_read;
    r->tokens_cache_write = run->spent.usage.cache_write;
    r->tokens_output = run->spent.usage.output;
    r->cost_usd = run->spent.usage.cost_usd;
    r->cost_known = run->spent.spending.cost_known;
    r->host_us_median = host_median(run);
}

enum ia_rc ia_run_result_code(const struct ia_run_result *r)
{
    return r->strict && ia_outcome_healed(r->outcome) ? IA_E_FAILED : r->code;
}

void ia_run_result_fini(struct ia_run_result *r)
{
    free(r->summary);
    free(r->screenshot_path);
    r->summary = NULL;
    r->screenshot_path = NULL;
}
