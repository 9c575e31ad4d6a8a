/* run_to_end.c: a run to its end on one thread: attempts, and what comes between them: waits, subtasks, and questions.
 *
 * Between two attempts nobody holds the device, and anybody may make the next one: a daemon, a
 * `resume`. Then what comes of it is shown as if it were done here. executor.h has the picture. */
#include "app/children.h"
#include "app/executor_impl.h"

#include "agent/run/claim.h"
#include "store/queue.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { EVENTS_BYTES_MAX = 64 << 20, POLL_MS = 200 };

/* The wait for the next attempt. */
struct retry {
    struct ia_hand *h;
    int64_t until_ms;     /* wall; when to poll again */
    int64_t last_event;   /* id of the last event that was shown */
    struct ia_buf events; /* "name\0json\0", to be shown once the store is not being read */
    bool cancelled;       /* asked for here, once */
    bool over;            /* the run came to its end elsewhere, or asks */
};

/* ---- what others do ---------------------------------------------------------------------- */

static bool keep_event(void *ctx, const struct ia_event_row *row)
{
    struct retry *w = ctx;
    ia_buf_puts(&w->events, ia_event_name(row->type));
    ia_buf_putc(&w->events, '\0');
    ia_buf_putstr(&w->events, row->json);
    ia_buf_putc(&w->events, '\0');
    w->last_event = row->id;
    return true;
}

/* What was shown here ends with the wait that begins now. */
static bool find_wait(void *ctx, const struct ia_event_row *row)
{
    struct retry *w = ctx;
    bool waits = row->type == IA_EVENT_RUN_RETRY_WAIT || row->type == IA_EVENT_RUN_WAITS ||
                 row->type == IA_EVENT_RUN_ASKED;
    w->last_event = waits || w->h->e->patient ? row->id : w->last_event;
    return true;
}

static enum ia_rc read_events(struct retry *w, ia_event_fn *fn, struct ia_err *err)
{
    int64_t last = w->last_event, before;
    enum ia_rc rc;
    /* Page by page, until one brings nothing new. */
    do {
        before = last;
        const struct ia_event_range range = {.run_id = w->h->r->id, .after_id = before};
        rc = ia_store_events(w->h->x->store, &range, fn, w, &last, err);
    } while (rc == IA_OK && last > before);
    return rc;
}

static void show_events(const struct retry *w)
{
    const struct ia_execution *e = w->h->e;
    const char *p = ia_buf_cstr(&w->events), *end = p + w->events.len;
    while (e->observe && ia_buf_ok(&w->events) && p < end) {
        const char *json = p + strlen(p) + 1;
        e->observe(e->observe_ctx, ia_event_from_name(p), ia_str(json));
        p = json + strlen(json) + 1;
    }
}

static void take_end(struct ia_run_result *r, const struct ia_run_row *row)
{
    enum ia_rc code = row->code ? ia_rc_from_name(row->code) : IA_OK;
    ia_run_result_fini(r);
    r->code = code == IA_RC_COUNT ? IA_E_INTERNAL : code;
    r->summary = ia_strdup(row->summary);
    (void)snprintf(r->state, sizeof(r->state), "%s", ia_run_state_name(row->state));
    r->asking = row->state == IA_RUN_ASKING;
}

/* Shows what others did, and says when to poll again: at the due time where nobody has the run. */
static enum ia_rc poll_run(struct retry *w, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    struct ia_store *store = w->h->x->store;
    /* A process that took the run and died would otherwise be waited for without end. */
    enum ia_rc rc = ia_store_recover(store, NULL, err);
    if (rc == IA_OK) {
        rc = ia_store_run(store, w->h->r->id, &row, err);
    }
    if (rc == IA_OK) {
        ia_buf_reset(&w->events);
        rc = read_events(w, keep_event, err);
    }
    if (rc == IA_OK) {
        /* Nobody has it: its due time is ours. Otherwise look again soon. */
        bool idle = (row->state == IA_RUN_QUEUED && row->waits_for == 0) ||
                    row->state == IA_RUN_RETRY_WAIT;
        show_events(w);
        w->over = ia_run_state_final(row->state) || row->state == IA_RUN_ASKING;
        w->until_ms = idle ? row->retry_at_ms : ia_wall_ms(w->h->x->clock) + POLL_MS;
    }
    if (rc == IA_OK && w->over) {
        take_end(w->h->r, row);
    }
    ia_run_row_free(row);
    return rc;
}

/* ---- waiting ----------------------------------------------------------------------------- */

/* A signal, or a request to cancel. */
static enum ia_rc stop_waiting(struct retry *w, struct ia_err *err)
{
    const struct ia_execution *e = w->h->e;
    const char *id = w->h->r->id;
    enum ia_cancel_result result;
    if (e->interrupt && atomic_load(e->interrupt)) {
        ia_err_set(err, IA_E_INTERRUPTED, "run %s is still waiting for a retry", id);
        ia_err_hint(err, "ios-agent resume %s continues it", id);
        return IA_E_INTERRUPTED;
    }
    /* From here the token is not waited on any more: it has fired and would end each wait at
     * once. */
    w->cancelled = true;
    w->until_ms = 0;
    return ia_store_cancel_run(w->h->x->store, id, &result, err);
}

static enum ia_rc wait_until_due(struct retry *w, struct ia_err *err)
{
    const struct ia_clock *clock = w->h->x->clock;
    int64_t wait_ms = w->until_ms - ia_wall_ms(clock);
    int64_t until_us = ia_mono_us(clock) + (wait_ms > 0 ? wait_ms : 0) * 1000;
    struct ia_cancel *cancel = w->cancelled ? NULL : w->h->e->cancel;
    bool stop = ia_clock_wait(clock, cancel, until_us) == IA_E_CANCELLED;
    return stop ? stop_waiting(w, err) : IA_OK;
}

/* The device first: with a claim in hand and no device it could only be given back. */
static enum ia_rc claim_next(struct retry *w, struct ia_err *err)
{
    struct ia_hand *h = w->h;
    enum ia_rc rc = ia_hand_open_device(h, false, err);
    if (rc == IA_OK) {
        rc = ia_claim_take(h->x->store, h->r->id, err);
    }
    /* The device is not kept while others may want it. */
    if (rc != IA_OK) {
        ia_hand_close_device(h);
    }
    if (rc == IA_E_BUSY ||
        rc == IA_E_STATE) { /* another process was first, or has the device */
        w->until_ms = ia_wall_ms(h->x->clock) + POLL_MS;
        rc = IA_OK;
    } else if (rc == IA_E_CANCELLED && !w->cancelled) { /* the next wait sees it, and acts */
        w->until_ms = 0;
        rc = IA_OK;
    }
    return rc;
}

/* Waits for the run's next attempt and claims it (the device is open then), or for its end. */
static enum ia_rc retry_wait(struct ia_hand *h, struct ia_err *err)
{
    struct retry w = {
        .h = h, .until_ms = h->r->retry_at_ms, .events = IA_BUF(EVENTS_BYTES_MAX)};
    /* The wait may take minutes, and the next attempt may be another process's. */
    ia_hand_close_device(h);
    enum ia_rc rc = read_events(&w, find_wait, err);
    while (rc == IA_OK && !h->device && !w.over) {
        rc = wait_until_due(&w, err);
        if (rc == IA_OK) {
            rc = poll_run(&w, err);
        }
        if (rc == IA_OK && !w.over && w.until_ms <= ia_wall_ms(h->x->clock)) {
            rc = claim_next(&w, err);
        }
    }
    ia_buf_fini(&w.events);
    return rc;
}

/* ---- the run ----------------------------------------------------------------------------- */

/* Ends a run of an older version, which this version cannot continue. If it stayed open, every
 * resume would fail on it again. */
static void give_up(struct ia_store *store, const char *run_id, const struct ia_err *why)
{
    enum ia_run_state state;
    if (ia_claim_take(store, run_id, NULL) == IA_OK) {
        (void)ia_claim_refuse(store, run_id, why, &state, NULL);
    }
}

/* Where its time has not come after all (the wall clock stood still, or was put back), it waits. */
static enum ia_rc claim(struct ia_hand *h, struct ia_err *err)
{
    enum ia_rc rc = ia_claim_take(h->x->store, h->r->id, err);
    if (rc == IA_E_STATE && err->retry_after_ms > 0) {
        h->r->retry_at_ms = ia_wall_ms(h->x->clock) + err->retry_after_ms;
        rc = retry_wait(h, err);
    }
    return rc;
}

static bool waits(const struct ia_run_result *r)
{
    return r->rests || r->asking || strcmp(r->state, ia_run_state_name(IA_RUN_RETRY_WAIT)) == 0;
}

/* Its device may be one of theirs. */
static enum ia_rc do_children(struct ia_hand *h, struct ia_err *err)
{
    ia_hand_close_device(h);
    h->r->retry_at_ms = 0;
    h->r->rests = false;
    return ia_children_run(h->x, h->e, h->r->id, ia_executor_run, err);
}

/* *ret_left: nobody answered, and the run comes to rest. One that was cancelled meanwhile is over. */
static enum ia_rc ask_person(struct ia_hand *h, bool *ret_left, struct ia_err *err)
{
    bool answered = false;
    const struct ia_execution *e = h->e;
    ia_hand_close_device(h);
    ia_hand_notify(h);
    enum ia_rc rc =
        e->ask_person ? e->ask_person(e->observe_ctx, h->r->id, &answered, err) : IA_OK;
    enum ia_run_state state = IA_RUN_ASKING;
    if (rc == IA_OK && !answered) {
        rc = ia_store_run_state(h->x->store, h->r->id, &state, err);
    }
    *ret_left = rc == IA_OK && state == IA_RUN_ASKING && !answered;
    if (!*ret_left) {
        h->r->retry_at_ms = 0;
        h->r->asking = false;
    }
    return rc;
}

static bool keep_question(void *ctx, const struct ia_event_row *row)
{
    struct retry *w = ctx;
    if (row->type == IA_EVENT_RUN_ASKED) {
        ia_buf_reset(&w->events);
        (void)keep_event(w, row);
    }
    return true;
}

/* A run that asked before: its question is shown as when it was asked. */
static enum ia_rc show_question(struct ia_hand *h, struct ia_err *err)
{
    struct retry w = {.h = h, .events = IA_BUF(EVENTS_BYTES_MAX)};
    enum ia_rc rc = read_events(&w, keep_question, err);
    if (rc == IA_OK) {
        show_events(&w);
    }
    ia_buf_fini(&w.events);
    return rc;
}

/* The first attempt: at once, so that who asked for it hears that the device is busy, or as
 * soon as it is free. A run that rests since before has its subtasks done. */
static enum ia_rc begin(struct ia_hand *h, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    const struct ia_execution *e = h->e;
    if (!e->run_id) {
        return ia_hand_open_device(h, e->fresh, err);
    }
    enum ia_rc rc = ia_store_run(h->x->store, e->run_id, &row, err);
    bool rests = rc == IA_OK && row->waits_for > 0 && !ia_run_state_final(row->state);
    bool asks = rc == IA_OK && row->state == IA_RUN_ASKING;
    if (asks) {
        take_end(h->r, row);
    }
    ia_run_row_free(row);
    if (asks) {
        return show_question(h, err);
    }
    if (rc == IA_OK && rests) {
        rc = do_children(h, err);
    }
    if (rc != IA_OK || rests || e->patient) {
        return rc == IA_OK ? retry_wait(h, err) : rc;
    }
    rc = ia_hand_open_device(h, e->fresh, err);
    return rc == IA_OK ? claim(h, err) : rc;
}

/* It was stopped before the agent had it: a run of the store is left as it was. */
static enum ia_rc stopped_before(const struct ia_execution *e, const char *id,
                                 struct ia_err *err)
{
    if (!e->run_id) {
        return ia_err_set(err, IA_E_CANCELLED, "stopped before the run began");
    }
    ia_err_set(err, IA_E_INTERRUPTED, "stopped before run %s went on", id);
    ia_err_hint(err, "ios-agent resume %s continues it", id);
    return IA_E_INTERRUPTED;
}

enum ia_rc ia_executor_run(struct ia_executor *x, const struct ia_execution *e,
                           struct ia_run_result *ret, struct ia_err *err)
{
    struct ia_hand h = {.x = x, .e = e, .r = ret};
    *ret = (struct ia_run_result){.steps = 0};
    enum ia_rc rc = ia_hand_prepare(&h, err);
    ia_run_recalled_fini(&h.recalled); /* it is claimed only below */
    if (rc == IA_E_UNSUPPORTED && e->run_id && h.model.claude) {
        give_up(x->store, ret->id, err);
    }
    if (rc == IA_OK) {
        rc = begin(&h, err);
    }
    if (rc == IA_E_CANCELLED) {
        rc = stopped_before(e, ret->id, err);
    }
    if (rc == IA_OK && h.device) {
        rc = ia_hand_attempt(&h, e->request, err);
    }
    /* Without a device after the wait the run came to its end elsewhere, and its result is
     * taken over. */
    bool left = false;
    while (rc == IA_OK && waits(ret)) {
        rc = ret->asking  ? ask_person(&h, &left, err)
             : ret->rests ? do_children(&h, err)
                          : IA_OK;
        if (left) {
            break;
        }
        rc = rc == IA_OK ? retry_wait(&h, err) : rc;
        if (rc == IA_OK && h.device) {
            rc = ia_hand_attempt(&h, NULL, err);
        }
    }
    bool here = h.device != NULL;
    ia_hand_close(&h);
    if (rc == IA_OK && here) { /* elsewhere, that process says so */
        ia_executor_ended(x, ret);
    }
    return rc;
}
