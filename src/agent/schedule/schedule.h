/* schedule.h: repeated goals: when they fire, and which fires are skipped.
 *
 * A schedule is a row (store/schedules.h). A tick fires what is due: for each fire one
 * transaction adds the run to the queue, writes the fire's row and moves next_ms on, but only if
 * the schedule is still as it was read. So any number of processes may tick at once, and after a
 * kill at any moment a fire has exactly one run, or none yet.
 *
 *   next_ms ──due──► missed? ──► overlap? ──► precheck ──► run queued, next_ms moved on
 *                       └────────────┴───────────┴───────► skipped row with its reason
 *
 * Which of several due fires run (a fire is late when it is more than IA_SCHEDULE_LATE_S, or
 * the schedule's grace where that is more, behind):
 *   - those that are not late, each;
 *   - missed "latest": else the latest one;  "all": also the late ones, the newest
 *     IA_SCHEDULE_CATCH_UP of all;  "skip": no others.
 * The fires left out share one row, at the time of the latest of them.
 *
 * Where other machines fire the same schedules (struct ia_tick_env, claim), a due time is claimed before
 * its transaction, and one that is somebody else's moves next_ms on and nothing else:
 *
 *   due ──► settled by others? ──► missed? … precheck ──► claimed ──► run queued, next_ms moved on
 *              └─► next_ms moved on              somebody else's ──► next_ms moved on
 *
 * A machine that was killed behind its claim finds it to be its own, and goes on from there. All
 * machines must mean the same moment by a due time, so intervals are counted from 1970 there and not
 * from when each machine was told of them.
 *
 * A clock that went ahead and comes back leaves next_ms in its future: a tick that sees a fire or a
 * change from later than now counts next_ms from now again. A time has one row, so none fires twice.
 *
 * A row that cannot be used is retired with a `problem`, which list, show and doctor report; the
 * other schedules are not affected. */
#ifndef IA_AGENT_SCHEDULE_SCHEDULE_H
#define IA_AGENT_SCHEDULE_SCHEDULE_H

#include "agent/goal/job.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "store/schedules.h"

enum {
    IA_SCHEDULE_LATE_S = 60,
    IA_SCHEDULE_CATCH_UP = 24,
    IA_SCHEDULE_GRACE_MAX_S = 7 * 86400,
    IA_SCHEDULE_COMMAND_MAX = 4096,
    IA_PRECHECK_MS = 30000,
    IA_PRECHECK_OUTPUT_MAX = 64 << 10
};

/* ---- one schedule ------------------------------------------------------------------------ */

struct ia_schedule;

/* Reads when (kind, spec, zone, anchor_ms), the policies and the job of a row, which is not
 * needed afterwards. IA_E_USAGE, IA_E_PARSE or IA_E_LIMIT for what can never be used;
 * IA_E_MISSING without time zone data. Free with ia_schedule_free. */
enum ia_rc ia_schedule_open(const struct ia_schedule_row *row, struct ia_schedule **ret,
                            struct ia_err *err);
void ia_schedule_free(struct ia_schedule *s); /* NULL is fine */
/* The first fire after that moment; 0: none. */
int64_t ia_schedule_next(const struct ia_schedule *s, int64_t after_ms);
const struct ia_job *ia_schedule_job(const struct ia_schedule *s); /* borrowed */
/* Whether the row could be added, and when it would first fire. IA_E_USAGE also for a bad name
 * and for a single time in the past. Pure. */
enum ia_rc ia_schedule_check(const struct ia_schedule_row *row, int64_t now_ms,
                             int64_t *ret_next_ms, struct ia_err *err);

/* ---- changing them ----------------------------------------------------------------------- */

/* Adds it, with next_ms and the anchor of its grid counted from now. IA_E_EXISTS, and what
 * ia_schedule_check says. ret_next_ms may be NULL. */
enum ia_rc ia_schedule_add(struct ia_store *store, const struct ia_schedule_row *row,
                           int64_t *ret_next_ms, struct ia_err *err);
/* Replaces all but its name, anchor and history of the row as ia_schedule_find read it
 * (IA_E_STATE when somebody changed it since); a problem is forgotten. Unless `when` is true
 * (kind, spec or zone changed), the next fire stays. */
enum ia_rc ia_schedule_edit(struct ia_store *store, const struct ia_schedule_row *row,
                            bool when, int64_t *ret_next_ms, struct ia_err *err);
/* Stops it from firing, and cancels its queued runs that never started. ret_cancelled (may be
 * NULL) is how many. */
enum ia_rc ia_schedule_pause(struct ia_store *store, const char *name, int *ret_cancelled,
                             struct ia_err *err);
enum ia_rc ia_schedule_remove(struct ia_store *store, const char *name, int *ret_cancelled,
                              struct ia_err *err);
/* Makes it fire again from now on, without what it missed while paused; also clears a problem
 * that was fixed. IA_E_USAGE for a single time that has passed meanwhile, IA_E_STATE when it was
 * neither paused nor retired. */
enum ia_rc ia_schedule_resume(struct ia_store *store, const char *name, int64_t *ret_next_ms,
                              struct ia_err *err);
/* Adds a run now, in addition to its fires and without its precheck, even while it is paused.
 * IA_E_BUSY when a run of it is not over and overlap is IA_OVERLAP_SKIP. */
enum ia_rc ia_schedule_run_now(struct ia_store *store, const char *name,
                               char ret_run_id[IA_ID_SIZE], struct ia_err *err);
/* The row of that name. IA_E_NOT_FOUND names the nearest one.
 * Free with ia_schedule_row_free. */
enum ia_rc ia_schedule_find(struct ia_store *store, const char *name,
                            struct ia_schedule_row **ret, struct ia_err *err);

/* ---- firing ------------------------------------------------------------------------------ */

/* What a tick did. Strings are borrowed for the call. */
struct ia_fired {
    const char *schedule;
    const char *lane;
    int64_t scheduled_ms;
    const char *run_id; /* NULL: skipped, or retired */
    const char *reason; /* why it was skipped or retired */
    bool retired;       /* it has a problem now and no longer fires */
};
typedef void ia_fired_fn(void *ctx, const struct ia_fired *fired);

/* Whose a due time is, where several machines have the same schedules. */
enum ia_fire_owner {
    IA_FIRE_FREE,  /* nobody's yet, and this machine may claim it */
    IA_FIRE_WAITS, /* nobody's yet, and another machine is to claim it */
    IA_FIRE_OURS,  /* this machine claimed it, now or earlier */
    IA_FIRE_TAKEN  /* another machine did, or nobody can know any more */
};
/* Asks for it, or claims it (take) unless it is somebody else's. With an error, as one whose claim was not
 * answered, the schedule stays due. */
typedef enum ia_rc ia_fire_claim_fn(void *ctx, const char *schedule, int64_t due_ms, bool take,
                                    enum ia_fire_owner *ret, struct ia_err *err);

struct ia_tick_env {
    struct ia_store *store;
    const struct ia_clock *clock; /* NULL: the system's */
    struct ia_cancel *cancel;     /* ends a precheck; may be NULL */
    ia_fired_fn *on_fire;         /* after the commit; may be NULL */
    void *ctx;
    ia_fire_claim_fn *claim; /* NULL: no other machine has these schedules */
    void *claim_ctx;
};
/* Fires what is due. *ret_next_ms: when to tick again at the latest, 0 for never. An error is
 * the first one that was met; everything else was still done. */
enum ia_rc ia_schedule_tick(const struct ia_tick_env *env, int64_t *ret_next_ms,
                            struct ia_err *err);

#endif
