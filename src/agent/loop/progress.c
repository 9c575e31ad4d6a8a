/* progress.c: one pass over the events of a run, a function for each type that counts.
 *
 * The events are the only memory between attempts, so this is what a resumed run knows of
 * the ones before: time and money used up, the first screen, refused proofs, and whether the
 * last attempt ended in order. `clean` is set by an end that says what was spent; after a
 * kill there is none, and resume.c counts a request that may be billed. */
#include "agent/loop/progress.h"

#include "agent/loop/compose.h"
#include "events/basis.h"

#include <stdio.h>
#include <stdlib.h>

/* The events of one run on their way into a progress. */
struct reading {
    struct ia_progress *p;
    int64_t before_ms; /* time of the event before, of the same attempt; 0 at its start */
};

static void take_refs(struct ia_progress *p, const struct ia_event *e)
{
    int64_t refs = e->type == IA_EVENT_RUN_LOOKED      ? e->run_looked.refs
                   : e->type == IA_EVENT_TOOL_FINISHED ? e->tool_finished.refs
                                                       : 0;
    if (refs > (int64_t)p->last_ref && refs < UINT32_MAX) {
        p->last_ref = (uint32_t)refs;
    }
}

static void take_spent(struct ia_progress *p, const struct ia_event *e)
{
    const struct ia_event_spent *spent = ia_event_spent(e);
    if (spent) {
        p->has_spent = true;
        p->spent =
            (struct ia_spent){spent->tokens, spent->usd, spent->usd_max, spent->cost_known};
        /* What the attempt measured itself is exact; the sum over gaps between events is
         * only for one that was killed. */
        p->ran_ms = spent->ran_ms >= 0 ? spent->ran_ms : p->ran_ms;
    }
}

static void drop_texts(char ***texts, size_t *count)
{
    for (size_t i = 0; i < *count; i++) {
        free((*texts)[i]);
    }
    free(*texts);
    *texts = NULL;
    *count = 0;
}

static void keep_texts(char ***texts, size_t *count, const struct ia_event_texts *from)
{
    drop_texts(texts, count);
    *texts = ia_calloc(from->n + 1, sizeof(**texts));
    for (size_t i = 0; i < from->n; i++) {
        (*texts)[(*count)++] = ia_strndup(from->items[i].p, from->items[i].n);
    }
}

static void forget_finish(struct ia_progress *p)
{
    drop_texts(&p->unproven, &p->unproven_count);
    drop_texts(&p->pictured, &p->pictured_count);
    p->relaunch[0] = '\0';
}

static void on_started(struct ia_progress *p, const struct ia_event *e)
{
    (void)e;
    p->running = true;
    p->clean = p->rested = false;
}

static void on_planned(struct ia_progress *p, const struct ia_event *e)
{
    ia_buf_reset(&p->plan);
    ia_compose_plan_lines(&p->plan, e->run_planned.plan.items, e->run_planned.plan.n);
}

static void on_looked(struct ia_progress *p, const struct ia_event *e)
{
    p->begun = true;
    p->expects_held = e->run_looked.expects_held;
    keep_texts(&p->start, &p->start_count, &e->run_looked.start);
    ia_buf_reset(&p->screen);
    ia_buf_puts(&p->screen, ia_event_text(e->run_looked.screen));
    (void)snprintf(p->continues, sizeof(p->continues), "%s",
                   ia_event_text(e->run_looked.continues));
}

static void on_answer(struct ia_progress *p, const struct ia_event *e)
{
    (void)e;
    p->turns++;
}

static void on_refused(struct ia_progress *p, const struct ia_event *e)
{
    p->refusals++;
    p->disputed = ia_basis_from_name(e->finish_refused.basis) == IA_BASIS_DISPUTED;
    forget_finish(p);
}

static void on_checked(struct ia_progress *p, const struct ia_event *e)
{
    const struct ia_event_finish_checked *checked = &e->finish_checked;
    keep_texts(&p->unproven, &p->unproven_count, &checked->unproven);
    keep_texts(&p->pictured, &p->pictured_count, &checked->pictured);
    (void)snprintf(p->relaunch, sizeof(p->relaunch), "%s", ia_event_text(checked->relaunch));
}

/* With its result the finish is no longer in hand. */
static void on_tool(struct ia_progress *p, const struct ia_event *e)
{
    (void)e;
    p->relaunch[0] = '\0';
}

void ia_opinion_set(struct ia_opinion *o, const char *question, bool agrees, const char *reason)
{
    free(o->reason);
    *o = (struct ia_opinion){.agrees = agrees, .reason = ia_strdup(reason)};
    (void)snprintf(o->question, sizeof(o->question), "%s", question);
}

static void on_verifier(struct ia_progress *p, const struct ia_event *e)
{
    const struct ia_event_verifier_result *r = &e->verifier_result;
    ia_opinion_set(&p->opinion, ia_event_text(r->question), r->agrees,
                   ia_event_text(r->reason));
}

/* A run that was only refused, as its device was busy, says nothing about the attempt
 * before. */
static void on_pause(struct ia_progress *p, const struct ia_event *e)
{
    p->clean = p->running ? ia_event_spent(e) != NULL : p->clean;
    p->running = false;
}

static void on_waits(struct ia_progress *p, const struct ia_event *e)
{
    on_pause(p, e);
    p->rested = true;
}

static void on_suspicious(struct ia_progress *p, const struct ia_event *e)
{
    (void)e;
    p->suspicious = true;
}

static void on_rolled_back(struct ia_progress *p, const struct ia_event *e)
{
    (void)e;
    p->begun = p->disputed = p->suspicious = false;
    p->refusals = 0;
    forget_finish(p);
    ia_opinion_set(&p->opinion, "", false, "");
}

/* The events that an attempt writes while it runs, and what each of them means. */
static const struct row {
    bool counts;                                                   /* the others are not read */
    void (*take)(struct ia_progress *p, const struct ia_event *e); /* NULL: only that it ran */
    bool starts, outside; /* an attempt begins; not written by a running attempt */
} rows[IA_EVENT_COUNT] = {
    [IA_EVENT_RUN_STARTED] = {.counts = true, .take = on_started, .starts = true},
    [IA_EVENT_RUN_RESUMED] = {.counts = true, .take = on_started, .starts = true},
    [IA_EVENT_RUN_PLANNED] = {.counts = true, .take = on_planned},
    [IA_EVENT_RUN_LOOKED] = {.counts = true, .take = on_looked},
    [IA_EVENT_REQUEST_RETRY] = {.counts = true},
    [IA_EVENT_REQUEST_FINISHED] = {.counts = true, .take = on_answer},
    [IA_EVENT_TOOL_STARTED] = {.counts = true},
    [IA_EVENT_TOOL_FINISHED] = {.counts = true, .take = on_tool},
    [IA_EVENT_FINISH_REFUSED] = {.counts = true, .take = on_refused},
    [IA_EVENT_FINISH_CHECKED] = {.counts = true, .take = on_checked},
    [IA_EVENT_VERIFIER_RESULT] = {.counts = true, .take = on_verifier},
    [IA_EVENT_SCREEN_SUSPICIOUS] = {.counts = true, .take = on_suspicious},
    [IA_EVENT_MESSAGE_TAKEN] = {.counts = true},
    [IA_EVENT_RUN_RETRY_WAIT] = {.counts = true, .take = on_pause},
    [IA_EVENT_RUN_WAITS] = {.counts = true, .take = on_waits},
    [IA_EVENT_RUN_ASKED] = {.counts = true, .take = on_pause},
    [IA_EVENT_RUN_INTERRUPTED] = {.counts = true, .take = on_pause, .outside = true},
    [IA_EVENT_RUN_ROLLED_BACK] = {.counts = true, .take = on_rolled_back, .outside = true},
};

static void count_time(struct reading *r, int64_t ts_ms, bool starts)
{
    /* Time between attempts is nobody's; a clock that went back adds nothing. */
    if (!starts && r->before_ms > 0 && ts_ms > r->before_ms) {
        r->p->ran_ms += ts_ms - r->before_ms;
    }
    r->before_ms = ts_ms;
}

static bool take_event(void *ctx, const struct ia_event_row *event)
{
    struct reading *r = ctx;
    const struct row *row = event->type < IA_EVENT_COUNT ? &rows[event->type] : NULL;
    struct ia_event e;
    if (!row || !row->counts) {
        return true;
    }
    if (!row->outside) {
        count_time(r, event->ts_ms, row->starts);
    }
    if (ia_event_read(&e, event->json)) {
        take_refs(r->p, &e);
        take_spent(r->p, &e);
        if (row->take) {
            row->take(r->p, &e);
        }
    }
    ia_event_fini(&e);
    return true;
}

enum ia_rc ia_progress_read(struct ia_store *store, const char *run_id, struct ia_progress *ret,
                            struct ia_err *err)
{
    *ret = (struct ia_progress){.screen = IA_BUF(IA_EVENT_BYTES_MAX),
                                .plan = IA_BUF(IA_PLAN_BYTES_MAX)};
    struct reading r = {.p = ret};
    int64_t last = 0, before;
    enum ia_rc rc;
    /* The store gives events in pages; a page without a new one is the end. */
    do {
        before = last;
        const struct ia_event_range range = {.run_id = run_id, .after_id = before};
        rc = ia_store_events(store, &range, take_event, &r, &last, err);
    } while (rc == IA_OK && last > before);
    return rc;
}

void ia_progress_fini(struct ia_progress *p)
{
    ia_buf_fini(&p->screen);
    ia_buf_fini(&p->plan);
    drop_texts(&p->start, &p->start_count);
    drop_texts(&p->unproven, &p->unproven_count);
    drop_texts(&p->pictured, &p->pictured_count);
    free(p->opinion.reason);
}
