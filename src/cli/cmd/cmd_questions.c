/* questions, approve ID, deny ID: what runs ask a person, and the answers. ID is a question's, or that of the run that
 * asks. */
#include "app/setup.h"
#include "cli/cmd/cmd.h"
#include "store/questions.h"

#include <stdlib.h>

/* ---- listing ----------------------------------------------------------------------------- */

static void put_row(struct ia_jsonw *w, const struct ia_question_row *q)
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

static bool list_row(void *ctx, const struct ia_question_row *q)
{
    struct ia_cli *c = ctx;
    put_row(&c->w, q);
    ia_buf_printf(&c->text, "%s  %s\n  %s\n  run %s: %s\n", q->id,
                  ia_question_state_name(q->state), q->text, q->run_id, q->goal);
    return true;
}

enum ia_rc ia_cmd_questions(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent questions", err);
    if (rc == IA_OK) {
        ia_jsonw_object(&c->w);
        ia_jsonw_key(&c->w, "questions");
        ia_jsonw_array(&c->w);
        rc = ia_store_questions(setup.store, ia_args_has(&c->args, "all"), NULL, list_row, c,
                                err);
        ia_jsonw_end_array(&c->w);
        ia_jsonw_end_object(&c->w);
    }
    if (rc == IA_OK && c->text.len == 0) {
        ia_buf_puts(&c->text, "no run asks anything\n");
    }
    ia_setup_close(&setup);
    return rc;
}

/* ---- answering --------------------------------------------------------------------------- */

/* The question with that id, or the newest of the run with it. */
static enum ia_rc find(struct ia_store *store, const char *id, struct ia_question_row **ret,
                       struct ia_err *err)
{
    struct ia_run_row *run = NULL;
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

static enum ia_rc answer(struct ia_cli *c, bool approve, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_question_row *q = NULL;
    enum ia_rc rc = ia_setup_store(&setup, approve ? "ios-agent approve" : "ios-agent deny", err);
    if (rc == IA_OK) {
        rc = find(setup.store, ia_args_operand(&c->args, 0), &q, err);
    }
    if (rc == IA_OK) {
        rc = ia_store_answer(setup.store, q->id, approve, "terminal",
                             ia_args_text(&c->args, "note"), err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(&c->text,
                      "%s: %s\nthe run is queued; a daemon goes on with it, or "
                      "ios-agent resume %s\n",
                      approve ? "approved" : "denied", q->text, q->run_id);
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "question", q->id);
        ia_jsonw_kv(&c->w, "run", q->run_id);
        ia_jsonw_kv(&c->w, "answer", approve ? "approved" : "denied");
        ia_jsonw_end_object(&c->w);
    }
    free(q);
    ia_setup_close(&setup);
    return rc;
}

enum ia_rc ia_cmd_approve(struct ia_cli *c, struct ia_err *err)
{
    return answer(c, true, err);
}

enum ia_rc ia_cmd_deny(struct ia_cli *c, struct ia_err *err)
{
    return answer(c, false, err);
}
