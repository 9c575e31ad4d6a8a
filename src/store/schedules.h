/* schedules.h: repeated goals and what became of each fire.
 *
 * A fire and its run row are one transaction, and (schedule, scheduled_for) is unique: however
 * many processes tick, and wherever one is killed, a fire has one run. When to fire is decided
 * in agent/schedule/schedule.h; here are the rows. */
#ifndef IA_STORE_SCHEDULES_H
#define IA_STORE_SCHEDULES_H

#include "store/store.h"

enum { IA_SCHEDULE_NAME_MAX = 64 };

/* Each enum is stored by name; _from_name returns the _COUNT for an unknown one. */
enum ia_schedule_kind {
    IA_SCHEDULE_CRON,  /* "cron" */
    IA_SCHEDULE_EVERY, /* "every" */
    IA_SCHEDULE_AT,    /* "at": once */
    IA_SCHEDULE_KIND_COUNT
};
const char *ia_schedule_kind_name(enum ia_schedule_kind kind);
enum ia_schedule_kind ia_schedule_kind_from_name(const char *name);

/* Which of several due fires run; agent/schedule/schedule.h has the rule. */
enum ia_missed { IA_MISSED_LATEST, IA_MISSED_ALL, IA_MISSED_SKIP, IA_MISSED_COUNT };
const char *ia_missed_name(enum ia_missed missed);
enum ia_missed ia_missed_from_name(const char *name);

/* What happens to a fire while the previous run is unfinished. */
enum ia_overlap { IA_OVERLAP_SKIP, IA_OVERLAP_QUEUE, IA_OVERLAP_COUNT };
const char *ia_overlap_name(enum ia_overlap overlap);
enum ia_overlap ia_overlap_from_name(const char *name);

struct ia_schedule_row {
    const char *name; /* unique */
    enum ia_schedule_kind kind;
    const char *spec; /* "0 3 * * 1-5", "1800" (seconds), "2026-12-01T09:00" */
    const char *zone; /* IANA name */
    enum ia_missed missed;
    enum ia_overlap overlap;
    int64_t grace_s;      /* for IA_MISSED_SKIP */
    const char *precheck; /* command, or NULL */
    const char *notify;   /* JSON object {"command":…} or {"url":…}, or NULL */
    const char *run;      /* JSON object: goal and run options, as agent/goal/job.h writes it */
    const char *lane;     /* where its runs wait */
    bool paused;
    int64_t next_ms;          /* the next fire, wall clock; 0: none any more */
    int64_t anchor_ms;        /* grid of "every"; given by the store: when it was added */
    const char *last_verdict; /* state of the last finished run of it, "healed", or NULL */
    const char *problem;      /* why it cannot fire any more, or NULL */
    int64_t created_ms, updated_ms;
};

/* last_verdict and the times but next_ms are ignored. IA_E_EXISTS when the name is taken. */
void ia_tx_add_schedule(struct ia_tx *tx, const struct ia_schedule_row *row);
/* Replaces all but name, anchor, last verdict and history of a row that is still as it was
 * read: IA_E_STATE when its updated_ms is another one (somebody paused or edited it), or it is
 * gone. */
void ia_tx_put_schedule(struct ia_tx *tx, const struct ia_schedule_row *row);
/* IA_E_NOT_FOUND, as for all below. */
/* Its fires go with it, its runs stay. */
void ia_tx_remove_schedule(struct ia_tx *tx, const char *name);
void ia_tx_pause_schedule(struct ia_tx *tx, const char *name, bool paused, int64_t next_ms);
/* Says why it is retired (not paused, not due), or NULL to take that back. */
void ia_tx_schedule_problem(struct ia_tx *tx, const char *name, const char *problem);
void ia_tx_schedule_verdict(struct ia_tx *tx, const char *name, const char *state);

/* A copy that owns its texts. Free with ia_schedule_row_free. */
struct ia_schedule_row *ia_schedule_row_dup(const struct ia_schedule_row *row);
void ia_schedule_row_free(struct ia_schedule_row *row); /* NULL is fine */

typedef bool ia_schedule_fn(void *ctx, const struct ia_schedule_row *row);
/* By name; name NULL lists all. IA_E_NOT_FOUND when the named one does not exist. */
enum ia_rc ia_store_schedules(struct ia_store *s, const char *name, ia_schedule_fn *fn,
                              void *ctx, struct ia_err *err);
/* Those with next_ms <= now_ms that are neither paused nor retired, earliest first; and in
 * ret_next_ms (may be NULL) when the next of the others is due, 0 for never. */
enum ia_rc ia_store_due(struct ia_store *s, int64_t now_ms, ia_schedule_fn *fn, void *ctx,
                        int64_t *ret_next_ms, struct ia_err *err);

/* Those that are not due and were fired or changed more than slack_ms after now: the clock was
 * ahead then. */
enum ia_rc ia_store_schedules_ahead(struct ia_store *s, int64_t now_ms, int64_t slack_ms,
                                    ia_schedule_fn *fn, void *ctx, struct ia_err *err);

/* One fire: a row (schedule, scheduled_for) with the run that was added in the same transaction
 * (its row's `schedule` is set), or, when it was skipped, with the reason. False in
 * *ret_new (nothing else is written by it) when this fire has a row already: then the caller
 * must roll back. */
void ia_tx_add_fire(struct ia_tx *tx, const char *schedule, int64_t scheduled_for_ms,
                    const char *run_id, const char *reason, bool *ret_new);
/* Moves next_ms on; in the transaction of the fires that led to it. */
void ia_tx_schedule_next(struct ia_tx *tx, const char *schedule, int64_t next_ms);
/* The same, if the schedule is still as `row` was read: due at row->next_ms, not edited, paused
 * or retired since. Otherwise false in *ret_moved, and the caller must roll back. */
void ia_tx_schedule_advance(struct ia_tx *tx, const struct ia_schedule_row *row,
                            int64_t next_ms, bool *ret_moved);
/* Puts an interval on another grid: its anchor, and the next_ms of it (0: none). Nothing where the schedule is not
 * as `row` was read. */
void ia_tx_schedule_align(struct ia_tx *tx, const struct ia_schedule_row *row,
                          int64_t anchor_ms, int64_t next_ms);
/* Cancels the runs of the schedule that wait and were never begun. ret_count may be NULL. */
void ia_tx_cancel_waiting(struct ia_tx *tx, const char *schedule, const char *why,
                          int *ret_count);

struct ia_fire_row {
    const char *schedule, *run_id, *reason; /* run_id NULL: it was skipped */
    enum ia_run_state run_state;            /* of the run, now; _COUNT without one */
    const char *run_code, *run_outcome;     /* as in struct ia_run_row */
    int64_t scheduled_ms, fired_ms, run_finished_ms;
    double cost_usd;
    bool cost_known; /* and it was not the demo brain */
};
typedef bool ia_fire_fn(void *ctx, const struct ia_fire_row *row);
/* Newest first. limit 0: 50. */
enum ia_rc ia_store_fires(struct ia_store *s, const char *schedule, int limit, ia_fire_fn *fn,
                          void *ctx, struct ia_err *err);
/* Whether a run of the schedule is unfinished (for overlap): one look into an index. */
enum ia_rc ia_store_schedule_busy(struct ia_store *s, const char *schedule, bool *ret,
                                  struct ia_err *err);
/* The same inside the transaction that fires, where nobody can come between. */
void ia_tx_schedule_busy(struct ia_tx *tx, const char *schedule, bool *ret);

#endif
