/* recording_json.c: see recording_json.h. */
#include "app/recording_json.h"

#include "agent/recording/recording.h"

#include <stdlib.h>

static void put_time(struct ia_jsonw *w, const char *key, int64_t wall_ms)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(wall_ms, iso);
    ia_jsonw_kv(w, key, wall_ms > 0 ? iso : NULL);
}

void ia_recording_members(struct ia_jsonw *w, const struct ia_recording_row *row)
{
    ia_jsonw_kv(w, "id", row->id);
    ia_jsonw_kv(w, "goal", row->name);
    ia_jsonw_kv(w, "state", ia_recording_state_name(row->state));
    ia_jsonw_kv_int(w, "passes", row->passes);
    ia_jsonw_kv(w, "run", row->run_id);
    ia_jsonw_kv(w, "parent", row->parent);
    ia_jsonw_kv(w, "decided_by", row->decided_by);
    put_time(w, "decided_at", row->decided_ms);
    put_time(w, "created_at", row->created_ms);
}

/* One that another version wrote may not be read by this one. */
static void put_steps(struct ia_jsonw *w, const struct ia_recording_row *row)
{
    json_t *document = NULL;
    char *steps = ia_recording_read(row->id, ia_str(row->body), &document, NULL) == IA_OK
                      ? json_dumps(json_object_get(document, "step"), JSON_COMPACT)
                      : NULL;
    ia_jsonw_key(w, "steps");
    ia_jsonw_raw(w, ia_str(steps ? steps : "null"));
    free(steps);
    json_decref(document);
}

void ia_recording_json(struct ia_jsonw *w, const struct ia_recording_row *row, bool whole)
{
    ia_jsonw_object(w);
    ia_recording_members(w, row);
    if (whole) {
        put_steps(w, row);
        ia_jsonw_kv(w, "toml", row->body);
    }
    ia_jsonw_end_object(w);
}

enum ia_rc ia_recording_decide(struct ia_store *store, const char *id, bool accept,
                               const char *by, struct ia_recording_row **ret,
                               struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc == IA_OK) {
        ia_tx_decide_recording(tx, id, accept, by);
        rc = ia_tx_commit(tx, err);
    }
    return rc == IA_OK ? ia_store_recording(store, id, ret, err) : rc;
}
