/* schedule_fire.c: what is due, what of it runs, and the one transaction of each fire.
 *
 *     row due ─► find: the newest IA_SCHEDULE_CATCH_UP fires, older ones only counted
 *             ─► settle: without those that other machines settled
 *             ─► choose: how many of them run, by the policy for missed fires
 *             ─► precheck, once, outside any transaction: it may take IA_PRECHECK_MS
 *             ─► for each fire its claim, where there are other machines, and one transaction:
 *                next_ms moved on, the run or the reason, the row
 *
 * Moving next_ms succeeds only while the schedule is as it was read, so of several processes
 * that tick one wins, and an edit in between discards the rest of the tick.
 *
 * A kill before a fire's commit leaves it due for the next tick; one after it has left the
 * run in the queue. In neither case does a fire run twice: its row has the schedule and the
 * time as its key. A precheck may run again for the same fire. */
#include "agent/schedule/schedule.h"

#include "agent/run/run_store.h"
#include "agent/schedule/due.h"
#include "base/killpoint.h"
#include "base/log.h"
#include "base/spawn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DUE_MAX = 1000, /* schedules in one tick */
    REASON_MAX = 600,
    RUN_NOW_TRIES = 100
};

/* The tick. */
struct tick {
    const struct ia_tick_env *env;
    const struct ia_clock *clock;
    int64_t now_ms;
    enum ia_rc rc; /* the first failure */
    struct ia_err err;
};

/* ---- reasons ----------------------------------------------------------------------------- */

/* Of those that are left out: all before at[first]. */
static void missed_reason(const struct ia_schedule_row *row, const struct ia_due *d, int first,
                          int64_t last_ms, char ret[REASON_MAX])
{
    char from[IA_ISO_SIZE], to[IA_ISO_SIZE];
    int64_t count = d->older + first;
    ia_iso_format(d->oldest_ms, from);
    ia_iso_format(last_ms, to);
    if (count == 1) {
        (void)snprintf(ret, REASON_MAX, "missed: nothing was ticking (policy: %s)",
                       ia_missed_name(row->missed));
    } else {
        (void)snprintf(ret, REASON_MAX,
                       "%s%" PRId64 " fires from %.16sZ to %.16sZ were missed: nothing was "
                       "ticking (policy: %s)",
                       d->uncounted ? "more than " : "", count, from, to,
                       ia_missed_name(row->missed));
    }
}

static void last_line(const struct ia_buf *b, char *ret, size_t size)
{
    const char *text = ia_buf_cstr(b);
    size_t n = b->len;
    while (n > 0 && (unsigned char)text[n - 1] <= ' ') {
        n--;
    }
    size_t start = n;
    while (start > 0 && text[start - 1] != '\n') {
        start--;
    }
    (void)snprintf(ret, size, "%.*s", (int)(n - start), text + start);
}

/* Whether the command exits with 0; else why not. No transaction is open while it runs. */
static bool precheck(const struct tick *t, const char *command, char reason[REASON_MAX])
{
    const char *argv[] = {"/bin/sh", "-c", command, NULL};
    struct ia_spawn spawn = {.argv = argv,
                             .output_max = IA_PRECHECK_OUTPUT_MAX,
                             .timeout_ms = IA_PRECHECK_MS,
                             .cancel = t->env->cancel};
    struct ia_spawn_result r;
    struct ia_err err = {.code = IA_OK};
    char said[200];
    enum ia_rc rc = ia_spawn_run(&spawn, &r, &err);
    /* What a command says about its failure is usually the last line, and on stderr. */
    last_line(r.err.len > 0 ? &r.err : &r.out, said, sizeof(said));
    if (rc != IA_OK) {
        (void)snprintf(reason, REASON_MAX, "--if: %.500s", err.msg);
    } else if (r.signal != 0) {
        (void)snprintf(reason, REASON_MAX, "--if: killed by signal %d", r.signal);
    } else if (r.exit_status != 0) {
        (void)snprintf(reason, REASON_MAX, "--if: exit status %d%s%s", r.exit_status,
                       said[0] ? ": " : "", said);
    }
    bool yes = rc == IA_OK && r.signal == 0 && r.exit_status == 0;
    ia_spawn_result_fini(&r);
    return yes;
}

/* ---- one fire ---------------------------------------------------------------------------- */

/* A fire to be written. */
struct fire {
    const struct ia_schedule *s;
    struct ia_schedule_row *row; /* as it is now: next_ms follows the fires */
    int64_t at_ms, next_ms;
    const char *reason; /* NULL: it runs */
    char run_id[IA_ID_SIZE];
    char busy[REASON_MAX];
};

static void add_run(struct ia_tx *tx, const struct ia_schedule_row *row,
                    const struct ia_schedule *s, char ret_id[IA_ID_SIZE])
{
    char unique[IA_SCHEDULE_NAME_MAX + 16];
    (void)snprintf(unique, sizeof(unique), "schedule:%s", row->name);
    /* The key makes the store refuse a second unfinished run, even if two processes come
     * here at once; `overlaps` only finds the better reason. */
    bool alone = row->overlap == IA_OVERLAP_SKIP;
    struct ia_run_place place = {
        .lane = row->lane, .kind = IA_RUN_SCHEDULED, .unique = alone ? unique : NULL};
    ia_run_store_add(tx, ia_job_request(ia_schedule_job(s)), &place, ret_id);
}

static bool overlaps(struct ia_tx *tx, const struct ia_schedule_row *row)
{
    bool busy = false;
    if (row->overlap == IA_OVERLAP_SKIP) {
        ia_tx_schedule_busy(tx, row->name, &busy);
    }
    return busy;
}

static const char overlap_reason[] = "the previous run is not over (overlap: skip)";

/* Writes the fire. False when its row was there already: then nothing may be kept. */
static bool write_fire(struct ia_tx *tx, struct fire *f)
{
    bool is_new = false;
    if (!f->reason && overlaps(tx, f->row)) {
        f->reason = overlap_reason;
    }
    if (!f->reason) {
        add_run(tx, f->row, f->s, f->run_id);
    }
    ia_tx_add_fire(tx, f->row->name, f->at_ms, f->reason ? NULL : f->run_id, f->reason,
                   &is_new);
    return is_new || ia_tx_failed(tx);
}

enum came { FIRED, THERE_ALREADY, CHANGED_MEANWHILE };

/* One transaction: the fire, its run, and next_ms moved on. Without `write` only the last. */
static enum ia_rc commit_fire(struct tick *t, struct fire *f, bool write, enum came *ret,
                              struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    bool moved = false;
    enum ia_rc rc = ia_tx_begin(t->env->store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    /* First, as everything else depends on it: no row changes unless the schedule is still
     * due, unpaused and as it was read. */
    ia_tx_schedule_advance(tx, f->row, f->next_ms, &moved);
    *ret = moved || ia_tx_failed(tx) ? FIRED : CHANGED_MEANWHILE;
    if (*ret == FIRED && write && !write_fire(tx, f)) {
        *ret = THERE_ALREADY;
    }
    /* Also undoes the move of next_ms and the run that write_fire added. */
    if (*ret != FIRED) {
        ia_tx_rollback(tx);
        return IA_OK;
    }
    IA_KILL_POINT("schedule.fire.before");
    return ia_tx_commit(tx, err);
}

static void report_fire(const struct tick *t, const struct fire *f)
{
    struct ia_fired fired = {.schedule = f->row->name,
                             .lane = f->row->lane,
                             .scheduled_ms = f->at_ms,
                             .run_id = f->reason ? NULL : f->run_id,
                             .reason = f->reason};
    if (t->env->on_fire) {
        t->env->on_fire(t->env->ctx, &fired);
    }
}

/* IA_FIRE_OURS where no other machine has the schedule. */
static enum ia_rc claim(struct tick *t, const char *schedule, int64_t at_ms, bool take,
                        enum ia_fire_owner *ret, struct ia_err *err)
{
    *ret = IA_FIRE_OURS;
    return t->env->claim ? t->env->claim(t->env->claim_ctx, schedule, at_ms, take, ret, err)
                         : IA_OK;
}

/* False when the rest of this schedule's fires must wait for the next tick. */
static bool fire_once(struct tick *t, struct fire *f, struct ia_err *err)
{
    enum came came = CHANGED_MEANWHILE;
    enum ia_fire_owner owner;
    enum ia_rc rc = claim(t, f->row->name, f->at_ms, true, &owner, err);
    IA_KILL_POINT("schedule.claim.after");
    if (rc != IA_OK || (owner != IA_FIRE_OURS && owner != IA_FIRE_TAKEN)) {
        return false;
    }
    rc = commit_fire(t, f, owner == IA_FIRE_OURS, &came, err);
    /* The fire is on record, so only next_ms has to follow it; otherwise the schedule would
     * stay due for ever. */
    if (rc == IA_OK && came == THERE_ALREADY) { /* for example after the clock went back */
        rc = commit_fire(t, f, false, &came, err);
    } else if (rc == IA_OK && came == FIRED && owner == IA_FIRE_OURS) {
        report_fire(t, f);
    }
    /* The next fire of this tick compares with it. */
    f->row->next_ms = f->next_ms;
    return rc == IA_OK && came == FIRED;
}

/* ---- one schedule ------------------------------------------------------------------------ */

/* The precheck runs once for all fires of the tick, and only if one of them could run. */
static bool may_run(struct tick *t, const struct ia_schedule_row *row, int runs,
                    char reason[REASON_MAX])
{
    bool busy = false;
    if (!row->precheck || row->precheck[0] == '\0' || runs == 0) {
        return true;
    }
    if (row->overlap == IA_OVERLAP_SKIP &&
        ia_store_schedule_busy(t->env->store, row->name, &busy, NULL) == IA_OK && busy) {
        return true; /* it will be skipped anyway, for the overlap */
    }
    bool yes = precheck(t, row->precheck, reason);
    IA_KILL_POINT("schedule.precheck.after");
    return yes;
}

/* Leaves what this machine has to decide. The newest one that another machine claimed settles all before it, but for
 * what this machine had claimed when it was killed; what another is to claim, and all behind it, stays due. */
static enum ia_rc settle(struct tick *t, const struct ia_schedule_row *row, struct ia_due *d,
                         struct ia_err *err)
{
    enum ia_fire_owner owners[IA_SCHEDULE_CATCH_UP];
    struct ia_due left = {.next_ms = d->next_ms};
    int taken = -1;
    for (int i = 0; i < d->n; i++) {
        enum ia_rc rc = claim(t, row->name, d->at[i], false, &owners[i], err);
        if (rc != IA_OK) {
            return rc;
        }
        taken = owners[i] == IA_FIRE_TAKEN ? i : taken;
    }
    for (int i = 0; i < d->n; i++) {
        if (i > taken && owners[i] == IA_FIRE_WAITS) {
            left.next_ms = i == 0 ? row->next_ms : d->at[i];
            break;
        }
        if (i > taken || owners[i] == IA_FIRE_OURS) {
            left.at[left.n++] = d->at[i];
        }
    }
    if (taken < 0 && left.next_ms == d->next_ms) {
        return IA_OK; /* all of it is this machine's */
    }
    left.oldest_ms = left.n > 0 ? left.at[0] : 0;
    *d = left;
    return IA_OK;
}

/* The fires of others, and those that a policy leaves to them: next_ms moves past them. */
static enum ia_rc move_on(struct tick *t, const struct ia_schedule *s,
                          struct ia_schedule_row *row, int64_t next_ms, struct ia_err *err)
{
    struct fire f = {.s = s, .row = row, .next_ms = next_ms};
    enum came came;
    return next_ms == row->next_ms ? IA_OK : commit_fire(t, &f, false, &came, err);
}

static enum ia_rc fire_due(struct tick *t, const struct ia_schedule *s,
                           struct ia_schedule_row *row, struct ia_err *err)
{
    struct ia_due d;
    char missed[REASON_MAX], refused[REASON_MAX];
    ia_due_find(s, row->next_ms, t->now_ms, &d);
    if (t->env->claim) {
        enum ia_rc rc = settle(t, row, &d, err);
        if (rc != IA_OK || d.n == 0) {
            return rc != IA_OK ? rc : move_on(t, s, row, d.next_ms, err);
        }
    }
    int runs = ia_due_choose(row, &d, t->now_ms);
    int first = d.n - runs;
    struct fire f = {.s = s, .row = row};
    bool yes = may_run(t, row, runs, refused);
    /* A precheck that was killed by the shutdown is no refusal: nothing is written, the
     * fires stay due. */
    if (!yes && ia_cancel_fired(t->env->cancel)) {
        return ia_err_set(err, IA_E_CANCELLED, "the tick was stopped");
    }
    /* fire_once answers false without an error too. */
    err->code = IA_OK;
    /* All that is left out shares one row, at the time of the last of them, so that a week
     * without a tick does not become thousands of rows. */
    if (d.older + first > 0) {
        f.at_ms = first > 0 ? d.at[first - 1] : d.older_ms;
        f.next_ms = runs > 0 ? d.at[first] : d.next_ms;
        missed_reason(row, &d, first, f.at_ms, missed);
        f.reason = missed;
        if (!fire_once(t, &f, err)) {
            return err->code;
        }
    }
    for (int i = first; i < d.n; i++) {
        f.at_ms = d.at[i];
        /* One step at a time: after a kill between two fires the second is still due. */
        f.next_ms = i + 1 < d.n ? d.at[i + 1] : d.next_ms;
        f.reason = yes ? NULL : refused;
        if (!fire_once(t, &f, err)) {
            return err->code;
        }
    }
    return IA_OK;
}

/* The row can never be used as it is: say so, and leave it alone until somebody fixes it. */
static enum ia_rc retire(struct tick *t, const struct ia_schedule_row *row,
                         const struct ia_err *why, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    bool moved = false;
    enum ia_rc rc = ia_tx_begin(t->env->store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_tx_schedule_advance(tx, row, row->next_ms, &moved); /* still as it was read? */
    if (!moved && !ia_tx_failed(tx)) {
        ia_tx_rollback(tx);
        return IA_OK;
    }
    ia_tx_schedule_problem(tx, row->name, why->msg);
    rc = ia_tx_commit(tx, err);
    if (rc == IA_OK && t->env->on_fire) {
        struct ia_fired fired = {.schedule = row->name,
                                 .lane = row->lane,
                                 .scheduled_ms = row->next_ms,
                                 .reason = why->msg,
                                 .retired = true};
        t->env->on_fire(t->env->ctx, &fired);
    }
    return rc;
}

/* What cannot be read today cannot be read at the next tick either; any other failure may pass. */
static bool is_hopeless(enum ia_rc rc)
{
    return rc == IA_E_USAGE || rc == IA_E_PARSE || rc == IA_E_LIMIT;
}

static enum ia_rc tick_schedule(struct tick *t, struct ia_schedule_row *row, struct ia_err *err)
{
    struct ia_schedule *s = NULL;
    struct ia_err why = {.code = IA_OK};
    enum ia_rc rc = ia_schedule_open(row, &s, &why);
    if (rc == IA_OK) {
        rc = fire_due(t, s, row, err);
    } else if (is_hopeless(rc)) {
        rc = retire(t, row, &why, err);
    } else {
        *err = why;
    }
    ia_schedule_free(s);
    return rc == IA_OK ? rc : ia_err_wrap(err, rc, "schedule %s", row->name);
}

/* ---- the tick ---------------------------------------------------------------------------- */

struct rows {
    struct ia_schedule_row *list[DUE_MAX];
    size_t n;
};

static bool keep_row(void *ctx, const struct ia_schedule_row *row)
{
    struct rows *rows = ctx;
    /* Copied, as firing writes to the store and a listing's callback must not. */
    rows->list[rows->n++] = ia_schedule_row_dup(row);
    return rows->n < DUE_MAX;
}

static bool count_row(void *ctx, const struct ia_schedule_row *row)
{
    (void)row;
    (*(int *)ctx)++;
    return false;
}

/* ---- a clock that was ahead ---------------------------------------------------------------- */

/* Its next time was counted from a moment that has not come yet: without this it would be silent
 * until then. What fired meanwhile has its row, so nothing fires twice. */
static enum ia_rc come_back(struct tick *t, const struct ia_schedule_row *row,
                            struct ia_err *err)
{
    struct ia_schedule *s = NULL;
    struct ia_err why = {.code = IA_OK};
    if (ia_schedule_open(row, &s, &why) != IA_OK) {
        return IA_OK; /* it is reported when it is due */
    }
    struct fire f = {.s = s, .row = ia_schedule_row_dup(row)};
    enum came came = CHANGED_MEANWHILE;
    enum ia_rc rc = IA_OK;
    f.next_ms = ia_schedule_next(s, t->now_ms);
    if (f.next_ms != 0 && f.next_ms < row->next_ms) {
        rc = commit_fire(t, &f, false, &came, err);
    }
    if (rc == IA_OK && came == FIRED) {
        IA_LOG(IA_LOG_WARN, "schedule.clock_went_back", IA_S("schedule", row->name),
               IA_I("next_ms", f.next_ms));
    }
    ia_schedule_row_free(f.row);
    ia_schedule_free(s);
    return rc;
}

static enum ia_rc come_back_all(struct tick *t, struct rows *rows, struct ia_err *err)
{
    enum ia_rc rc = ia_store_schedules_ahead(
        t->env->store, t->now_ms, IA_SCHEDULE_LATE_S * INT64_C(1000), keep_row, rows, err);
    for (size_t i = 0; i < rows->n; i++) {
        rc = rc == IA_OK ? come_back(t, rows->list[i], err) : rc;
        ia_schedule_row_free(rows->list[i]);
    }
    rows->n = 0;
    return rc;
}

/* What is still due either failed or became due meanwhile: tick again soon. */
static enum ia_rc next_tick(const struct tick *t, int64_t *ret_next_ms, struct ia_err *err)
{
    int still = 0;
    int64_t next_ms = 0;
    enum ia_rc rc = ia_store_due(t->env->store, t->now_ms, count_row, &still, &next_ms, err);
    if (rc == IA_OK) {
        *ret_next_ms = still > 0 ? t->now_ms + 1000 : next_ms;
    }
    return rc;
}

/* ---- intervals of several machines --------------------------------------------------------- */

/* Each machine counts an interval from when it was added there: here from 1970, so that all mean the same due times. What
 * is overdue stays so. */
static enum ia_rc align(struct tick *t, const struct ia_schedule_row *row, struct ia_err *err)
{
    int64_t every_ms = strtoll(row->spec, NULL, 10) * 1000;
    if (row->kind != IA_SCHEDULE_EVERY || every_ms < 1000 ||
        (row->anchor_ms % every_ms == 0 && row->next_ms % every_ms == 0)) {
        return IA_OK;
    }
    struct ia_tx *tx = NULL;
    int64_t next_ms = row->next_ms - row->next_ms % every_ms;
    bool skips = next_ms <= t->now_ms && row->next_ms > t->now_ms;
    enum ia_rc rc = ia_tx_begin(t->env->store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_tx_schedule_align(tx, row, row->anchor_ms - row->anchor_ms % every_ms,
                         skips ? next_ms + every_ms : next_ms);
    return ia_tx_commit(tx, err);
}

static enum ia_rc align_all(struct tick *t, struct rows *rows, struct ia_err *err)
{
    enum ia_rc rc = ia_store_schedules(t->env->store, NULL, keep_row, rows, err);
    for (size_t i = 0; i < rows->n; i++) {
        rc = rc == IA_OK ? align(t, rows->list[i], err) : rc;
        ia_schedule_row_free(rows->list[i]);
    }
    rows->n = 0;
    return rc;
}

static void note(struct tick *t, enum ia_rc rc, const struct ia_err *err)
{
    if (rc != IA_OK && t->rc == IA_OK) {
        t->rc = rc;
        t->err = *err;
    }
}

enum ia_rc ia_schedule_tick(const struct ia_tick_env *env, int64_t *ret_next_ms,
                            struct ia_err *err)
{
    const struct ia_clock *clock = env->clock ? env->clock : ia_clock_system();
    struct tick t = {.env = env, .clock = clock, .now_ms = ia_wall_ms(clock)};
    struct rows *rows = ia_calloc(1, sizeof(*rows));
    struct ia_err e = {.code = IA_OK};
    enum ia_rc rc = come_back_all(&t, rows, &e);
    note(&t, rc, &e);
    if (env->claim) {
        rc = align_all(&t, rows, &e);
        note(&t, rc, &e);
    }
    rc = ia_store_due(env->store, t.now_ms, keep_row, rows, NULL, &e);
    note(&t, rc, &e);
    for (size_t i = 0; i < rows->n; i++) {
        if (!ia_cancel_fired(env->cancel)) {
            /* One schedule that fails does not keep the others from their time; the first
             * failure is reported. */
            rc = tick_schedule(&t, rows->list[i], &e);
            note(&t, rc, &e);
        }
        ia_schedule_row_free(rows->list[i]);
    }
    free(rows);
    if (t.rc == IA_OK || t.rc == IA_E_MISSING) {
        rc = next_tick(&t, ret_next_ms, &e);
        note(&t, rc, &e);
    }
    if (t.rc != IA_OK && err) {
        *err = t.err;
    }
    return t.rc;
}

/* ---- out of turn ------------------------------------------------------------------------- */

static enum ia_rc add_now(struct ia_store *store, const struct ia_schedule_row *row,
                          const struct ia_schedule *s, char ret_run_id[IA_ID_SIZE],
                          struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (overlaps(tx, row)) {
        ia_tx_rollback(tx);
        rc = ia_err_set(err, IA_E_BUSY, "a run of %s is not over", row->name);
        ia_err_hint(err, "ios-agent runs --state unfinished shows it; --overlap queue lets "
                         "runs wait for each other");
        return rc;
    }
    bool is_new = false;
    add_run(tx, row, s, ret_run_id);
    int64_t at_ms = ia_tx_wall_ms(
        tx); /* a fire of this very millisecond may exist: take the next free one */
    for (int i = 0; i < RUN_NOW_TRIES && !is_new && !ia_tx_failed(tx); i++) {
        ia_tx_add_fire(tx, row->name, at_ms + i, ret_run_id, NULL, &is_new);
    }
    if (!is_new && !ia_tx_failed(tx)) {
        ia_tx_rollback(tx);
        return ia_err_set(err, IA_E_BUSY, "%s was run too often within a moment; try again",
                          row->name);
    }
    return ia_tx_commit(tx, err);
}

enum ia_rc ia_schedule_run_now(struct ia_store *store, const char *name,
                               char ret_run_id[IA_ID_SIZE], struct ia_err *err)
{
    struct ia_schedule_row *row = NULL;
    struct ia_schedule *s = NULL;
    enum ia_rc rc = ia_schedule_find(store, name, &row, err);
    if (rc == IA_OK) {
        rc = ia_schedule_open(row, &s, err);
    }
    if (rc == IA_OK) {
        rc = add_now(store, row, s, ret_run_id, err);
    }
    ia_schedule_free(s);
    ia_schedule_row_free(row);
    return rc;
}
