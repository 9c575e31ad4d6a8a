/* say RUN TEXT: a message to a run; it reads it with its next turn. */
#include "app/runs.h"
#include "cli/cmd/cmd.h"

enum ia_rc ia_cmd_say(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_run_row *run = NULL;
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent say", err);
    if (rc == IA_OK) {
        rc = ia_runs_say(setup.store, ia_args_operand(&c->args, 0),
                         ia_args_text(&c->args, "from"), ia_args_operand(&c->args, 1), &run,
                         err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(&c->text, "run %s: the agent reads this in its next turn\n", run->id);
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "run", run->id);
        ia_jsonw_kv(&c->w, "state", ia_run_state_name(run->state));
        ia_jsonw_end_object(&c->w);
    }
    ia_run_row_free(run);
    ia_setup_close(&setup);
    return rc;
}
