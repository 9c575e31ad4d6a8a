/* run_below.c: subtasks in the view of the run that delegates them.
 *
 *     subtask 1: hand on embedded:alice: turn on Airplane Mode      run.delegated
 *     [1]   2 tap    13 switch:off Airplane Mode    9 ms            its steps, in the order of all
 *     subtask 1 passed: every expectation holds                     run.child_finished
 *
 * Each has a view of its own, whose lines are written with its number in front. */
#include "base/clean.h"
#include "cli/view/labels.h"
#include "cli/view/run_view_impl.h"
#include "events/basis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_ID = 8 };

static struct ia_run_below *find(const struct ia_run_view *r, struct ia_str run)
{
    struct ia_run_below *b = r->below;
    while (b && !ia_str_is(run, b->run)) {
        b = b->next;
    }
    return b;
}

static struct ia_run_below *add(struct ia_run_view *r, struct ia_str run, const char *label)
{
    struct ia_run_below *b = ia_calloc(1, sizeof(*b));
    (void)snprintf(b->run, sizeof(b->run), "%.*s", (int)run.n, run.p);
    (void)snprintf(b->label, sizeof(b->label), "%s", label);
    b->out = IA_BUF(IA_RUN_VIEW_LINE_MAX);
    b->next = r->below;
    r->below = b;
    return b;
}

/* One that was delegated before this view began is called by the end of its id. */
struct ia_run_below *ia_run_below_find(struct ia_run_view *r, struct ia_str run)
{
    struct ia_run_below *b = find(r, run);
    if (!b) {
        size_t n = run.n > SHORT_ID ? SHORT_ID : run.n;
        char label[IA_RUN_BELOW_LABEL];
        (void)snprintf(label, sizeof(label), "%.*s", (int)n, run.p + run.n - n);
        b = add(r, run, label);
    }
    return b;
}

void ia_run_below_delegated(struct ia_run_view *r, const struct ia_event *e, const char *above)
{
    const struct ia_event_run_delegated *d = &e->run_delegated;
    char label[IA_RUN_BELOW_LABEL];
    (void)snprintf(label, sizeof(label), "%.20s%s%d", above, *above ? "." : "", (int)d->number);
    (void)add(r, d->child, label);
    ia_run_view_settle(r);
    ia_buf_printf(&r->line, "    subtask %s: ", label);
    ia_clean(&r->line, d->agent, IA_CLEAN_LINE);
    ia_buf_puts(&r->line, " on ");
    ia_clean(&r->line, d->device, IA_CLEAN_LINE);
    ia_buf_puts(&r->line, ": ");
    ia_clean(&r->line, d->goal, IA_CLEAN_LINE);
    ia_buf_putc(&r->line, '\n');
    ia_run_view_flush(r);
}

void ia_run_below_finished(struct ia_run_view *r, const struct ia_event *e, const char *above)
{
    const struct ia_event_run_child_finished *f = &e->run_child_finished;
    enum ia_basis basis = ia_basis_from_name(f->basis);
    ia_run_view_settle(r);
    ia_buf_printf(&r->line, "    subtask %s%s%d ", above, *above ? "." : "", (int)f->number);
    ia_clean(&r->line, f->state, IA_CLEAN_LINE);
    if (basis != IA_BASIS_NONE) {
        ia_buf_printf(&r->line, ": %s", ia_basis_words(basis));
    } else if (f->code.n > 0) {
        ia_buf_printf(&r->line, ": %.*s", (int)f->code.n, f->code.p);
    }
    ia_buf_putc(&r->line, '\n');
    ia_run_view_flush(r);
}

void ia_run_below_lines(struct ia_run_view *r, struct ia_run_below *b)
{
    struct ia_str rest = ia_buf_str(&b->out), line;
    ia_run_view_settle(r);
    while (rest.n > 0 && ia_str_line(&rest, &line)) {
        ia_buf_printf(&r->line, "[%s] ", b->label);
        ia_buf_putstr(&r->line, line);
        ia_buf_putc(&r->line, '\n');
    }
    ia_buf_reset(&b->out);
    ia_run_view_flush(r);
}
