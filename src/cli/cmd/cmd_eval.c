/* eval, eval show, eval compare: how good a model is, judged by the phones' own state. */
#include "agent/eval/eval.h"
#include "agent/report/report.h"
#include "app/setup.h"
#include "cli/cmd/cmd.h"

enum ia_rc ia_cmd_eval(struct ia_cli *c, struct ia_err *err)
{
    bool stopped;
    return ia_cmd_sweep_once(c, NULL, 0, &stopped, err);
}

enum ia_rc ia_cmd_eval_show(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_eval *e = NULL;
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent eval show", err);
    if (rc == IA_OK) {
        rc = ia_eval_read(setup.store, ia_args_operand(&c->args, 0), &e, err);
    }
    if (rc == IA_OK) {
        ia_eval_say(e, &c->text);
        ia_eval_put(e, &c->w);
    }
    ia_eval_free(e);
    ia_setup_close(&setup);
    return rc;
}

enum ia_rc ia_cmd_eval_compare(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_eval *a = NULL, *b = NULL;
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent eval compare", err);
    if (rc == IA_OK) {
        rc = ia_eval_read(setup.store, ia_args_operand(&c->args, 0), &a, err);
    }
    if (rc == IA_OK) {
        rc = ia_eval_read(setup.store, ia_args_operand(&c->args, 1), &b, err);
    }
    if (rc == IA_OK && ia_eval_compare(a, b, NULL, NULL).pairs == 0) {
        rc = ia_err_set(err, IA_E_USAGE, "no goal was done and judged in both %s and %s", a->id,
                        b->id);
        ia_err_hint(err, "compare evaluations of the same goals, seeds and wordings");
    }
    if (rc == IA_OK) {
        ia_eval_say_compared(a, b, &c->text);
        ia_eval_put_compared(a, b, &c->w);
    }
    const char *path = ia_args_text(&c->args, "out");
    if (rc == IA_OK && path) {
        rc = ia_report_compared(a, b, path, "ios-agent " IA_VERSION, err);
    }
    ia_eval_free(a);
    ia_eval_free(b);
    ia_setup_close(&setup);
    return rc;
}
