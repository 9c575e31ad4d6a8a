/* run_verdict.c: how a run ended, on what it rests and what it used. */
#include "cli/view/run_view_impl.h"

#include "base/clean.h"
#include "cli/view/labels.h"
#include "events/basis.h"

enum { EVIDENCE_MAX = 20 /* lines of evidence that are shown */ };

/* What a model healed is no pass. */
static void put_state(struct ia_run_view *r, const struct ia_event_run_finished *e)
{
    bool passed = ia_str_is(e->state, "passed"),
         healed = ia_str_is(e->result.outcome, "healed");
    struct ia_str state = e->result.outcome.n > 0 ? e->result.outcome : e->state;
    ia_run_view_style(r, IA_SAY_BOLD);
    ia_run_view_style(r, healed ? IA_SAY_YELLOW : passed ? IA_SAY_GREEN : IA_SAY_RED);
    for (size_t i = 0; i < state.n && state.p[i] >= 'a' && state.p[i] <= 'z'; i++) {
        ia_buf_putc(&r->line, (char)(state.p[i] - 'a' + 'A'));
    }
    ia_run_view_style(r, IA_SAY_RESET);
}

static void put_evidence(struct ia_run_view *r, const struct ia_event_evidence_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct ia_event_evidence *item = &list->items[i];
        if (i == EVIDENCE_MAX) {
            ia_buf_printf(&r->line, "        … and %zu more\n", list->n - i);
            break;
        }
        ia_run_view_field(r, i == 0 ? "proof" : "");
        ia_clean(&r->line, item->quote, IA_CLEAN_LINE);
        if (item->step >= 0) { /* an earlier step showed it */
            ia_buf_printf(&r->line, " (step %lld)", (long long)item->step);
        }
        ia_buf_puts(&r->line, item->unproven ? " (not found)" : "");
        ia_buf_puts(&r->line, item->pictured ? " (read on the picture)" : "");
        ia_buf_putc(&r->line, '\n');
    }
}

/* Only where one does not hold: otherwise the basis says it of all. */
static void put_expects(struct ia_run_view *r, const struct ia_event_expects_list *list)
{
    size_t held = 0;
    for (size_t i = 0; i < list->n; i++) {
        held += list->items[i].held ? 1 : 0;
    }
    for (size_t i = 0; held < list->n && i < list->n; i++) {
        const struct ia_event_expects *item = &list->items[i];
        ia_run_view_field(r, i == 0 ? "expect" : "");
        ia_buf_puts(&r->line, item->held ? "holds          " : "does not hold  ");
        ia_clean(&r->line, item->expect, IA_CLEAN_LINE);
        ia_buf_puts(&r->line, item->found.n > 0 ? ": " : "");
        ia_clean(&r->line, item->found, IA_CLEAN_LINE);
        ia_buf_putc(&r->line, '\n');
    }
}

static void put_figures(struct ia_run_view *r, const struct ia_event_result *result)
{
    struct ia_label_figures f = {
        .steps = result->steps,
        .seconds = result->seconds,
        .input = result->tokens.input,
        .cache_read = result->tokens.cache_read,
        .cache_write = result->tokens.cache_write,
        .output = result->tokens.output,
        .cost_known = result->cost_usd.known,
        .cost_usd = result->cost_usd.usd,
        .demo = r->demo,
    };
    ia_run_view_field(r, "used");
    ia_label_figures(&r->line, &f);
    ia_buf_putc(&r->line, '\n');
}

static void put_replay(struct ia_run_view *r, const struct ia_event_result *result)
{
    struct ia_buf words = IA_BUF(IA_RUN_VIEW_LINE_MAX);
    ia_replay_words(&result->replay, result->seconds, &words);
    ia_run_view_line(r, "replay", ia_buf_str(&words));
    if (ia_str_is(result->outcome, "healed")) {
        ia_run_view_line(
            r, "next",
            ia_str("ios-agent recordings accept trusts what was healed, reject forgets it"));
    }
    ia_buf_fini(&words);
}

/* Why it did not pass, where the summary does not say so, and what to do. */
static void put_reason(struct ia_run_view *r, const struct ia_event_run_finished *e)
{
    if (e->message.n > 0 && !ia_str_eq(e->message, e->result.summary)) {
        ia_run_view_field(r, "why");
        ia_clean(&r->line, e->code, IA_CLEAN_LINE);
        ia_buf_puts(&r->line, ": ");
        ia_clean(&r->line, e->message, IA_CLEAN_LINE);
        ia_buf_putc(&r->line, '\n');
    }
    ia_run_view_line(r, "hint", e->hint);
}

void ia_run_view_verdict(struct ia_run_view *r, const struct ia_event_run_finished *e)
{
    put_state(r, e);
    ia_buf_puts(&r->line, "  ");
    ia_clean(&r->line, e->result.summary, IA_CLEAN_LINE);
    ia_buf_putc(&r->line, '\n');
    put_reason(r, e);
    ia_run_view_line(r, "basis", ia_str(ia_basis_words(ia_basis_from_name(e->result.basis))));
    put_expects(r, &e->result.expects);
    put_evidence(r, &e->result.evidence);
    put_replay(r, &e->result);
    put_figures(r, &e->result);
    ia_run_view_line(r, "screen", e->record.screenshot);
}
