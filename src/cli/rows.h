/* rows.h: a run's row as JSON, the same on every surface. */
#ifndef IA_CLI_ROWS_H
#define IA_CLI_ROWS_H

#include "base/jsonw.h"
#include "cli/say.h"
#include "store/store.h"

/* {"id","state","orphaned","cancel_requested","attempt","goal","app","hint","agent","model","demo","device","lane",
 *  "expect","budget","code","summary","basis","steps","seconds"|null,"tokens"{…},
 *  "cost_usd"|null,"created","started"|null,"finished"|null,"owner"|null} */
void ia_row_json(struct ia_jsonw *w, const struct ia_run_row *row);
/* "running", or "orphaned" when its process is gone. */
const char *ia_row_state(const struct ia_run_row *row);
/* Milliseconds from its start to its end, or -1. */
int64_t ia_row_duration_ms(const struct ia_run_row *row);
struct ia_say_figures ia_row_figures(const struct ia_run_row *row);

#endif
