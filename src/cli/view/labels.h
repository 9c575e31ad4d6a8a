/* labels.h: figures, times and the words that every surface uses for the same thing. */
#ifndef IA_CLI_VIEW_LABELS_H
#define IA_CLI_VIEW_LABELS_H

#include "base/format.h"
#include "store/store.h"

#define IA_SAY_RESET "\x1b[0m"
#define IA_SAY_BOLD "\x1b[1m"
#define IA_SAY_DIM "\x1b[2m"
#define IA_SAY_RED "\x1b[31m"
#define IA_SAY_GREEN "\x1b[32m"
#define IA_SAY_YELLOW "\x1b[33m"

/* What stands where the model's name would. */
#define IA_SAY_DEMO "demo brain (follows literal steps; it does not reason)"

/* The state of a goal that failed as its file says. */
#define IA_SAY_EXPECTED "expected"

struct ia_label_figures {
    int64_t steps;
    double seconds;
    int64_t input, cache_read, cache_write, output; /* tokens; input is what was not cached */
    double cost_usd;
    bool cost_known;
    bool demo;
};
/* Those of a run's row. */
struct ia_label_figures ia_label_run_figures(const struct ia_run_row *row);
/* "14 steps, 3.2 s, 12,345 tokens (91 % of the input cached), $0.0123", on one line. */
void ia_label_figures(struct ia_buf *out, const struct ia_label_figures *f);
/* The cost alone: "$0.0123", "cost unknown", or that the demo brain costs nothing. */
void ia_label_cost(struct ia_buf *out, const struct ia_label_figures *f);

/* "20 goals"; "5 goals in 15 runs" where some are repeated. */
void ia_label_goals(struct ia_buf *out, int goals, int runs);

#endif
