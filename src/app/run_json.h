/* run_json.h: a run's row as JSON, the same on every surface. */
#ifndef IA_APP_RUN_JSON_H
#define IA_APP_RUN_JSON_H

#include "base/jsonw.h"
#include "store/store.h"

/* {"id","state","orphaned","stuck","cancel_requested","attempt","goal","app","hint","agent","model","demo","device","lane",
 *  "expect","budget","code","summary","basis","steps","seconds"|null,"tokens"{…},
 *  "cost_usd"|null,"created","started"|null,"finished"|null,"owner"|null} */
void ia_run_json(struct ia_jsonw *w, const struct ia_run_row *row);
/* "running"; "orphaned" when its process is gone; "stuck" when that lives and is silent. */
const char *ia_run_json_state(const struct ia_run_row *row);
/* How long a run that counts as stuck (agent/queue/queue.h) has shown no sign of life; 0:
 * it is not. */
int64_t ia_run_silent_ms(const struct ia_run_row *row);
/* Milliseconds from its start to its end, or -1. */
int64_t ia_run_duration_ms(const struct ia_run_row *row);

#endif
