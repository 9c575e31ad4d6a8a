/* run_json.h: a run's row as JSON, the same on every surface. */
#ifndef IA_APP_RUN_JSON_H
#define IA_APP_RUN_JSON_H

#include "base/jsonw.h"
#include "store/store.h"

/* {"id","state","orphaned","stuck","cancel_requested","attempt","goal","name"|null,
 *  "kind","sweep"|null,"schedule"|null,"app","hint","agent","model","demo","device",
 *  "lane","expect","budget","code","summary","basis","steps","seconds"|null,"tokens"{…},
 *  "cost_usd"|null,"created","started"|null,"finished"|null,"owner"|null} */
void ia_run_json(struct ia_jsonw *w, const struct ia_run_row *row);
/* {"seq","role","purpose","stop_reason"|null,"model"|null,"request_id"|null,"ms","content"}; demo: the
 * run's. */
void ia_message_json(struct ia_jsonw *w, const struct ia_message_row *row, bool demo);
/* A row of the journal: {"step","message_seq","id","tool","input","has_effect","state","result"|null,
 * "is_error","code"|null,"outcome"|null,"ms","screen"|null,"intent","done"|null} */
void ia_call_json(struct ia_jsonw *w, const struct ia_call_row *row);
/* {"run","cancel":"asked"|"done"}, or IA_E_STATE for a run that had ended before. */
enum ia_rc ia_run_cancel_json(struct ia_jsonw *w, const struct ia_run_row *row,
                              enum ia_cancel_result result, struct ia_err *err);
/* "running"; "orphaned" when its process is gone; "stuck" when that lives and is silent. */
const char *ia_run_json_state(const struct ia_run_row *row);
/* The state in lists for people, where a passed replay is "replayed" or "healed". Static. */
const char *ia_run_json_word(const struct ia_run_row *row);
/* How long a run that counts as stuck (agent/queue/queue.h) has shown no sign of life; 0:
 * it is not. */
int64_t ia_run_silent_ms(const struct ia_run_row *row);
/* Milliseconds from its start to its end, or -1. */
int64_t ia_run_duration_ms(const struct ia_run_row *row);

#endif
