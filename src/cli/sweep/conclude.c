/* conclude.c: see conclude.h. */
#include "cli/sweep/conclude.h"

#include "agent/eval/eval.h"
#include "agent/report/report.h"
#include "cli/view/github.h"

#include <stdlib.h>

/* *ret_path: that of index.html, freed by the caller. */
static enum ia_rc write_report(struct ia_sweep_conclusion *c, char **ret_path,
                               struct ia_err *err)
{
    const char *folder = ia_args_text(&c->cli->args, "report-dir");
    struct ia_report_done done = {0};
    enum ia_rc rc = IA_OK;
    if (folder) {
        rc = ia_report_write_all(c->store, c->result.id, folder, "ios-agent " IA_VERSION, &done,
                                 err);
    }
    if (folder && rc == IA_OK) {
        *ret_path = ia_strdup(done.path);
        ia_report_done_fini(&done);
    }
    ia_cli_github(c->store, c->result.id);
    return rc;
}

/* A code with that exit status, for --json. */
static enum ia_rc code_of(int exit_status, struct ia_err *err)
{
    static const enum ia_rc codes[] = {
        [0] = IA_OK,       [1] = IA_E_FAILED,  [2] = IA_E_USAGE,      [3] = IA_E_DEVICE,
        [4] = IA_E_BUDGET, [5] = IA_E_BLOCKED, [6] = IA_E_API_SERVER, [7] = IA_E_CANCELLED,
    };
    enum ia_rc rc = codes[exit_status];
    *err = (struct ia_err){.code = rc, .retry_after_ms = -1};
    return rc;
}

static void print(struct ia_sweep_conclusion *c)
{
    const struct ia_event_sweep_finished finished = ia_sweep_result_event(&c->result);
    ia_sweep_view_put(c->view, IA_EVENT(&finished));
    if (c->cli->json && !c->eval) {
        ia_sweep_result_put(&c->result, &c->cli->w);
    }
    if (!ia_args_has(&c->cli->args, "events")) {
        ia_sweep_result_say(&c->result, &c->cli->text);
    }
}

static enum ia_rc print_eval(struct ia_sweep_conclusion *c, struct ia_err *err)
{
    struct ia_eval *e = NULL;
    enum ia_rc rc = ia_eval_read(c->store, c->result.id, &e, err);
    if (rc == IA_OK && c->cli->json && c->eval) {
        ia_eval_put(e, &c->cli->w);
    }
    if (rc == IA_OK && !ia_args_has(&c->cli->args, "events")) {
        ia_eval_say(e, &c->cli->text);
        if (c->result.report) {
            ia_buf_printf(&c->cli->text, "evaluation: %s/eval.html\n",
                          ia_args_text(&c->cli->args, "report-dir"));
        }
    }
    ia_eval_free(e);
    return rc;
}

static enum ia_rc exit_code(const struct ia_sweep_conclusion *c, struct ia_err *err)
{
    const struct ia_sweep_sums *n = &c->result.sums;
    /* An evaluation measures: whatever came of its goals, it is done. */
    enum ia_rc rc = c->eval && !n->why ? IA_OK : code_of(n->exit_status, err);
    if (rc != IA_OK && c->cli->json) {
        (void)ia_err_set(err, rc, "%d of %d goals did not pass",
                         n->goals - n->passed - n->flaky - n->healed - n->expected, n->goals);
        ia_err_hint(err, "ios-agent report %s shows what happened", c->result.id);
    }
    if (rc == IA_OK && ia_sweep_view_lost(c->view)) {
        rc = ia_err_set(err, IA_E_IO, "cannot write to standard output");
    }
    return rc;
}

enum ia_rc ia_sweep_conclude(struct ia_sweep_conclusion *c, struct ia_err *err)
{
    char *report = NULL;
    ia_sweep_sum(c->result.sweep, &c->result.sums);
    enum ia_rc rc = write_report(c, &report, err);
    c->result.report = report;
    print(c);
    if (rc == IA_OK && c->judged) {
        rc = print_eval(c, err);
    }
    free(report);
    c->result.report = NULL;
    return rc == IA_OK ? exit_code(c, err) : rc;
}
