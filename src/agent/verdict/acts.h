/* acts.h: what was done in a run and what it changed on the screen, from its committed events, as
 * text of a limited size. None of it is in the words of the model that acted. */
#ifndef IA_AGENT_VERDICT_ACTS_H
#define IA_AGENT_VERDICT_ACTS_H

#include "agent/loop/run_ctx.h"

struct ia_acts {
    struct ia_act *items; /* the first is step 0, the first look */
    size_t count, cap;
    struct ia_buf messages; /* what people said to the run meanwhile, one a line */
};

/* Reads them from the events. Free with ia_acts_fini, whatever it returns. */
enum ia_rc ia_acts_read(struct ia_run_ctx *run, struct ia_acts *ret, struct ia_err *err);
void ia_acts_fini(struct ia_acts *acts);

/* Appends at most about `bytes` of:
 *
 *     step 3 type_text text="Ada": 12 field First name
 *     | + 30 button Clear
 *
 * A line that begins with `step` says what was done: the tool, its input, the element, and how it
 * ended where it did not go well. Lines that begin with `|` are of the screen: what it showed
 * first, then what changed. Where there is not room for all, lines that have words of `subject` are
 * kept first, and steps are left out from the least telling and oldest on; both are said. */
void ia_acts_put(const struct ia_acts *acts, const char *subject, size_t bytes,
                 struct ia_buf *out);

#endif
