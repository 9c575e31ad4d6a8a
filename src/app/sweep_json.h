/* sweep_json.h: a sweep and its goals as JSON, the same on every surface. */
#ifndef IA_APP_SWEEP_JSON_H
#define IA_APP_SWEEP_JSON_H

#include "base/jsonw.h"
#include "store/sweeps.h"

/* What the goals of a sweep came to. */
struct ia_sweep_tally {
    int by_state[IA_SWEEP_GOAL_STATE_COUNT];
    int expected; /* failed as their files say; not among the failed */
    double cost_usd;
    bool cost_known;
    bool demo; /* the demo brain answers: it costs nothing */
};
/* Nothing yet; the cost is known. */
void ia_sweep_tally_init(struct ia_sweep_tally *s);
/* An ia_sweep_goal_fn; ctx is the struct ia_sweep_tally. */
bool ia_sweep_tally_add(void *ctx, const struct ia_sweep_goal_row *row);

/* "interrupted" for one whose process is gone, which stays marked as running until it is resumed. */
const char *ia_sweep_json_state(const struct ia_sweep_row *row);
/* {"id","title","state","why"|null,"created","finished"|null,"goals", a number for each state of a goal,
 * "expected","demo" (the demo brain answers),"cost_usd"|null} */
void ia_sweep_json(struct ia_jsonw *w, const struct ia_sweep_row *row,
                   const struct ia_sweep_tally *sums);
/* {"no","name","state","expected","counts" (its pass rate counts it),"reason"|null,"repeat","tries","ms",
 * "cost_usd"|null,"code"|null,"run"|null,"file","line","needs":[NAME…]}; with job what is run, too:
 * "job":{…} (agent/goal/job.h). */
void ia_sweep_goal_json(struct ia_jsonw *w, const struct ia_sweep_goal_row *row, bool job);
/* {"sweep","cancel":"asked"|"done"}, or IA_E_STATE for one that had ended before. */
enum ia_rc ia_sweep_cancel_json(struct ia_jsonw *w, const struct ia_sweep_row *row,
                                enum ia_cancel_result result, struct ia_err *err);

#endif
