/* question_json.c: questions to people as JSON, and by any of their ids. */
#include "app/question_json.h"

#include <string.h>

enum { ID_BYTES_MIN = 8 };

void ia_question_json(struct ia_jsonw *w, const struct ia_question_row *q)
{
    char iso[IA_ISO_SIZE];
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "id", q->id);
    ia_jsonw_kv(w, "run", q->run_id);
    ia_jsonw_kv(w, "goal", q->goal);
    ia_jsonw_kv(w, "device", q->lane);
    ia_jsonw_kv(w, "rule", q->rule);
    ia_jsonw_kv(w, "text", q->text);
    ia_jsonw_kv(w, "state", ia_question_state_name(q->state));
    ia_iso_format(q->asked_ms, iso);
    ia_jsonw_kv(w, "asked", iso);
    ia_iso_format(q->expires_ms, iso);
    ia_jsonw_kv(w, "expires", q->expires_ms > 0 ? iso : NULL);
    ia_jsonw_kv(w, "by", q->answered_by);
    ia_jsonw_kv(w, "note", q->note);
    ia_jsonw_end_object(w);
}

enum ia_rc ia_question_find(struct ia_store *store, const char *id,
                            struct ia_question_row **ret, struct ia_err *err)
{
    struct ia_run_row *run = NULL;
    /* Ids begin with the time, so a few characters would fit whatever is open. */
    if (strlen(id) < ID_BYTES_MIN && strcmp(id, "last") != 0) {
        enum ia_rc few =
            ia_err_set(err, IA_E_USAGE, "\"%s\" is too short to name a question", id);
        ia_err_hint(err, "%d characters or more; ios-agent questions lists the ids",
                    ID_BYTES_MIN);
        return few;
    }
    enum ia_rc rc = ia_store_question(store, id, ret, err);
    if (rc != IA_E_NOT_FOUND && rc != IA_E_USAGE) {
        return rc;
    }
    if (ia_store_run(store, id, &run, NULL) != IA_OK) {
        return rc;
    }
    rc = ia_store_question_of(store, run->id, ret, err);
    if (rc == IA_OK && !*ret) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "run %s asks nothing", run->id);
        ia_err_hint(err, "ios-agent questions lists what is asked");
    }
    ia_run_row_free(run);
    return rc;
}
