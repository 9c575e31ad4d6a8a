/* commit.c: a transaction and its events. Events are written into the transaction and kept
 * here; the observer sees them only after the commit, so nobody is shown what a kill could
 * undo.
 *
 * An answer with its intents, and a result, are committed `soon`: the disk works while the loop reads
 * the tree, or the model thinks. Two rules remain: an intent is durable before its effect is sent, and
 * a result before anything that follows from it has an effect. Both are one wait, before whatever
 * changes something outside (ia_commit_settled). A power failure before it is as one a moment
 * earlier. */
#include "agent/loop/commit.h"

#include "agent/loop/spent.h"

#include <stdlib.h>
#include <string.h>

/* Remembers the event that was appended to c->json since `from`. */
static void keep_event(struct ia_commit *c, enum ia_event_type type, size_t from)
{
    if (c->count < IA_COMMIT_EVENTS_MAX) {
        c->events[c->count].type = type;
        c->events[c->count].from = from;
        c->events[c->count].to = c->json.len;
        c->count++;
    }
}

void ia_commit_event(struct ia_commit *c, struct ia_event_ref event)
{
    size_t from = c->json.len;
    ia_tx_add_event(c->tx, c->run->id, event, &c->json);
    keep_event(c, event.type, from);
}

/* A screenshot that was stored since the last commit. */
static void add_picture(struct ia_commit *c)
{
    struct ia_picture *p = &c->run->pictures.next;
    if (p->sha[0] == '\0') {
        return;
    }
    const struct ia_event_picture picture = {p->step, ia_str(p->sha), p->width_pt,
                                             p->height_pt};
    ia_commit_event(c, IA_EVENT(&picture));
    p->sha[0] = '\0';
}

enum ia_rc ia_commit_begin(struct ia_commit *c, struct ia_run_ctx *run, struct ia_err *err)
{
    *c = (struct ia_commit){.run = run, .json = IA_BUF(8 * (size_t)IA_EVENT_BYTES_MAX)};
    enum ia_rc rc = ia_tx_begin(run->env->store, &c->tx, err);
    /* Its file is durable already; the event that names it rides on whatever is committed
     * next. */
    if (rc == IA_OK) {
        add_picture(c);
    }
    return rc;
}

void ia_commit_move(struct ia_commit *c, enum ia_run_state to, const struct ia_run_moved *moved)
{
    size_t from = c->json.len;
    /* The lease's row ends with the run; the lock stays until the device is no longer used. */
    c->leaves = to != IA_RUN_CLAIMED && to != IA_RUN_RUNNING && c->run->device.lease;
    if (c->leaves) {
        ia_tx_drop_lease(c->tx, c->run->device.lease);
    }
    ia_run_move(c->tx, c->run->id, to, moved, &c->json);
    keep_event(c, moved->event.type, from);
}

static void notify(struct ia_run_ctx *run, enum ia_event_type type, struct ia_str json)
{
    if (run->env->observe) {
        run->env->observe(run->env->observe_ctx, type, json);
    }
}

enum ia_rc ia_commit_end(struct ia_commit *c, struct ia_err *err)
{
    struct ia_run_ctx *run = c->run;
    bool asked = false;
    /* Every commit carries what was spent and a heartbeat: neither costs a transaction of
     * its own. */
    c->now.beats = true;
    c->now.steps = run->spent.spending.steps;
    c->now.usage = &run->spent.usage;
    c->now.usd_max = run->spent.spending.usd_max;
    c->now.ran_ms = ia_spent_event(run).ran_ms;
    ia_tx_run_now(c->tx, run->id, &c->now, &asked);
    enum ia_rc rc =
        c->soon ? ia_tx_commit_soon(c->tx, &run->committed, err) : ia_tx_commit(c->tx, err);
    c->tx = NULL;
    if (rc == IA_OK && c->soon && !c->gated) {
        ia_store_sync_soon(run->env->store, run->committed);
    }
    if (rc == IA_OK) {
        /* The heartbeat's answer is how a cancel from another process arrives here. */
        run->watch.cancel_asked = run->watch.cancel_asked || asked;
        run->watch.beat_us = ia_host_time_now();
        ia_lease_dropped(c->leaves ? run->device.lease : NULL);
        for (size_t i = 0; i < c->count; i++) {
            notify(run, c->events[i].type,
                   (struct ia_str){c->json.p + c->events[i].from,
                                   c->events[i].to - c->events[i].from});
        }
    }
    ia_buf_fini(&c->json);
    return rc;
}

enum ia_rc ia_commit_settled(void *ctx, struct ia_err *err)
{
    const struct ia_run_ctx *run = ctx;
    return ia_store_await(run->env->store, run->committed, err);
}

enum ia_rc ia_commit_one(struct ia_run_ctx *run, struct ia_event_ref event, struct ia_err *err)
{
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_commit_event(&c, event);
    return ia_commit_end(&c, err);
}

void ia_live_event(struct ia_run_ctx *run, struct ia_event_ref event)
{
    if (!run->env->observe) {
        return;
    }
    const struct ia_event_envelope envelope = {.run_id = run->id,
                                               .ts_ms = ia_wall_ms(run->clock)};
    struct ia_buf json = IA_BUF(IA_EVENT_BYTES_MAX);
    ia_event_write(&json, event, &envelope);
    if (ia_buf_ok(&json)) {
        notify(run, event.type, ia_buf_str(&json));
    }
    ia_buf_fini(&json);
}
