/* say RUN TEXT: a message to a run; it reads it with its next turn. */
#include "app/setup.h"
#include "cli/cli.h"
#include "store/queue.h"

#include <string.h>

enum { SENDER_MAX = 64 };

static enum ia_rc check(const struct ia_args *a, struct ia_err *err)
{
    const char *text = ia_args_operand(a, 1);
    if (text[strspn(text, " \t\r\n")] == '\0') {
        return ia_err_set(err, IA_E_USAGE, "the message is empty");
    }
    const char *from = ia_args_text(a, "from");
    if (from && (from[0] == '\0' || strlen(from) > SENDER_MAX)) {
        return ia_err_set(err, IA_E_USAGE, "--from takes a name of at most %d bytes",
                          SENDER_MAX);
    }
    return IA_OK;
}

static enum ia_rc say(struct ia_cli *c, struct ia_store *store, struct ia_err *err)
{
    const char *from = ia_args_text(&c->args, "from");
    struct ia_run_row *run = NULL;
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_store_run(store, ia_args_operand(&c->args, 0), &run, err);
    if (rc == IA_OK) {
        rc = ia_tx_begin(store, &tx, err);
    }
    if (rc == IA_OK) {
        ia_tx_say(tx, run->id, from ? from : "user", ia_str(ia_args_operand(&c->args, 1)));
        rc = ia_tx_commit(tx, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(&c->text, "run %s: it reads this with its next turn\n", run->id);
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "run", run->id);
        ia_jsonw_kv(&c->w, "state", ia_run_state_name(run->state));
        ia_jsonw_end_object(&c->w);
    }
    ia_run_row_free(run);
    return rc;
}

enum ia_rc ia_cmd_say(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup = {.config = NULL};
    enum ia_rc rc = check(&c->args, err);
    if (rc == IA_OK) {
        rc = ia_setup_store(&setup, "ios-agent say", err);
    }
    if (rc == IA_OK) {
        rc = say(c, setup.store, err);
    }
    ia_setup_close(&setup);
    return rc;
}
