/* cancel ID: ends a run or a sweep, at once or at its next safe moment. */
#include "app/run_json.h"
#include "app/runs.h"
#include "app/sweep_json.h"
#include "cli/cmd/cmd.h"

static enum ia_rc say(struct ia_cli *c, const struct ia_run_row *run,
                      enum ia_cancel_result result, struct ia_err *err)
{
    const char *words = result == IA_CANCEL_ASKED
                            ? "asked to stop; its process will end it at the next safe moment"
                            : ia_run_cancelled_while(run->state, run->waits_for);
    enum ia_rc rc = ia_run_cancel_json(&c->w, run, result, err);
    if (rc == IA_OK) {
        ia_buf_printf(&c->text, "run %s: %s\n", run->id, words);
    }
    return rc;
}

static enum ia_rc cancel_run(struct ia_cli *c, struct ia_store *store, const char *id,
                             struct ia_err *err)
{
    enum ia_cancel_result result = IA_CANCEL_TOO_LATE;
    struct ia_run_row *run = NULL;
    enum ia_rc rc = ia_runs_cancel(store, id, &result, &run, err);
    if (rc == IA_OK) {
        rc = say(c, run, result, err);
    }
    ia_run_row_free(run);
    return rc;
}

static enum ia_rc cancel_sweep(struct ia_cli *c, struct ia_store *store,
                               const struct ia_sweep_row *sweep, struct ia_err *err)
{
    enum ia_cancel_result result = IA_CANCEL_TOO_LATE;
    enum ia_rc rc = ia_runs_cancel_sweep(store, sweep, &result, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_sweep_cancel_json(&c->w, sweep, result, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_buf_printf(&c->text,
                  result == IA_CANCEL_ASKED
                      ? "sweep %s: asked to stop; it finishes the actions in progress. "
                      : "sweep %s: stopped; no process was running it. ",
                  sweep->id);
    ia_buf_printf(&c->text, "ios-agent sweep --resume %s continues it\n", sweep->id);
    return IA_OK;
}

enum ia_rc ia_cmd_cancel(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_run_row *run = NULL;
    struct ia_sweep_row *sweep = NULL;
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent cancel", err);
    if (rc == IA_OK) {
        rc =
            ia_store_run_or_sweep(setup.store, ia_args_operand(&c->args, 0), &run, &sweep, err);
    }
    if (rc == IA_OK) {
        rc = run ? cancel_run(c, setup.store, run->id, err)
                 : cancel_sweep(c, setup.store, sweep, err);
    }
    ia_run_row_free(run);
    ia_sweep_row_free(sweep);
    ia_setup_close(&setup);
    return rc;
}
