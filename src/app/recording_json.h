/* recording_json.h: recordings as JSON, and decisions on them, for every surface. */
#ifndef IA_APP_RECORDING_JSON_H
#define IA_APP_RECORDING_JSON_H

#include "base/jsonw.h"
#include "store/recordings.h"

/* Writes into the open object: "id", "goal" (its name), "state", "passes" (replays in a row that passed without a
 * model), "run"|null (its source), "parent"|null (the recording that was healed), "decided_by"|null, "decided_at"|null
 * and "created_at". */
void ia_recording_members(struct ia_jsonw *w, const struct ia_recording_row *row);
/* Writes an object of these; with whole also "steps":[…]|null (agent/recording/recording.h) and "toml", the file. */
void ia_recording_json(struct ia_jsonw *w, const struct ia_recording_row *row, bool whole);
/* Accepts or rejects a recording; `by` is who decided. *ret is the row after that; free it with
 * ia_recording_row_free. IA_E_STATE: it was decided before. */
enum ia_rc ia_recording_decide(struct ia_store *store, const char *id, bool accept,
                               const char *by, struct ia_recording_row **ret,
                               struct ia_err *err);

#endif
