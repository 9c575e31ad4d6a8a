/* conclude.h: the end of a sweep: its report, what is printed of it, and its exit status. */
#ifndef IA_CLI_SWEEP_CONCLUDE_H
#define IA_CLI_SWEEP_CONCLUDE_H

#include "cli/command/command.h"
#include "cli/sweep/sweep_result.h"
#include "cli/view/sweep_view.h"
#include "store/store.h"

/* Borrows all it points to. */
struct ia_sweep_conclusion {
    struct ia_cli *cli;
    struct ia_store *store;
    struct ia_sweep_view *view;
    bool judged; /* the phones' own state was asked: the evaluation is printed too */
    bool eval;   /* the command is `eval`, whose result is the evaluation alone */
    struct ia_sweep_result result; /* without sums and report, which are filled in here */
};
/* Writes the reports, tells the view, and prints. The code has the exit status of the sweep; IA_E_IO where a report or
 * standard output cannot be written. */
enum ia_rc ia_sweep_conclude(struct ia_sweep_conclusion *c, struct ia_err *err);

#endif
