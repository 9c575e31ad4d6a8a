/* recording_json.h: recordings as JSON and what is decided on them, the same on every surface. */
#ifndef IA_APP_RECORDING_JSON_H
#define IA_APP_RECORDING_JSON_H

#include "base/jsonw.h"
#include "store/recordings.h"

/* "id","goal" (its name),"state","passes" (replays in a row that passed without a model),"run"|null (that it was made
 * from),"parent"|null (that it was healed from),"decided_by"|null,"decided_at"|null,"created_at": into the object that
 * is open. */
void ia_recording_members(struct ia_jsonw *w, const struct ia_recording_row *row);
/* An object of those; whole: also "steps":[…]|null (agent/recording/recording.h) and "toml", the file. */
void ia_recording_json(struct ia_jsonw *w, const struct ia_recording_row *row, bool whole);
/* Somebody accepts or rejects it; *ret is how it stands then. IA_E_STATE where it was decided before. Free with
 * ia_recording_row_free. */
enum ia_rc ia_recording_decide(struct ia_store *store, const char *id, bool accept,
                               const char *by, struct ia_recording_row **ret,
                               struct ia_err *err);

#endif
