/* sweep_result.h: how a sweep went, in the three ways it is told: its last event, the result of --json, and
 * the lines for people. Reads the sweep and changes nothing; cannot fail but for the buffers. */
#ifndef IA_CLI_SWEEP_SWEEP_RESULT_H
#define IA_CLI_SWEEP_SWEEP_RESULT_H

#include "agent/sweep/sweep.h"
#include "app/fleet/submit.h"
#include "base/jsonw.h"
#include "events/events.h"

/* Borrows all it points to. */
struct ia_sweep_result {
    struct ia_sweep *sweep;
    struct ia_sweep_sums sums;
    const char *id;
    const char *report;                   /* path of index.html; NULL: none was written */
    int64_t us;                           /* how long this process worked on it */
    bool demo;                            /* nothing was paid */
    const struct ia_fleet_figures *fleet; /* NULL: it was done here */
};

/* Its texts are borrowed from r. */
struct ia_event_sweep_finished ia_sweep_result_event(const struct ia_sweep_result *r);
/* An object: the members of that event, `rates` of goals that were repeated, `results` with each goal. */
void ia_sweep_result_put(const struct ia_sweep_result *r, struct ia_jsonw *w);
/* Rates, counts, time, cost; and where to go on, or to read more. */
void ia_sweep_result_say(const struct ia_sweep_result *r, struct ia_buf *out);

#endif
