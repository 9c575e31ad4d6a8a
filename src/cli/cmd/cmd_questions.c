/* questions, approve ID, deny ID: what runs ask a person, and the answers. ID is a question's, or that of the run that
 * asks. */
#include "app/question_json.h"
#include "app/setup.h"
#include "cli/cmd/cmd.h"

#include <stdlib.h>

/* ---- listing ----------------------------------------------------------------------------- */

static bool list_row(void *ctx, const struct ia_question_row *q)
{
    struct ia_cli *c = ctx;
    ia_question_json(&c->w, q);
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

static enum ia_rc answer(struct ia_cli *c, bool approve, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_question_row *q = NULL;
    enum ia_rc rc =
        ia_setup_store(&setup, approve ? "ios-agent approve" : "ios-agent deny", err);
    if (rc == IA_OK) {
        rc = ia_question_find(setup.store, ia_args_operand(&c->args, 0), &q, err);
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
