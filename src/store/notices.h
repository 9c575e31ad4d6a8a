/* notices.h: what has to be told of runs, until it was told: the verdicts of schedules, and questions.
 *
 * One process after the other takes each run of a schedule that ended, exactly once: it moves
 * its cursor (store.h), and in the same transaction writes the verdict and, where that changed,
 * a notice. A notice is delivered at least once: an attempt is written down before it is made.
 * The notice of a question is added in the commit that opens it, and given up by the one that answers it.
 *
 *   waiting ──► sent | given_up */
#ifndef IA_STORE_NOTICES_H
#define IA_STORE_NOTICES_H

#include "store/schedules.h"

enum ia_notice_state {
    IA_NOTICE_WAITING,
    IA_NOTICE_SENT,
    IA_NOTICE_GIVEN_UP,
    IA_NOTICE_STATE_COUNT
};
const char *ia_notice_state_name(enum ia_notice_state state);
/* The state with that name, or IA_NOTICE_STATE_COUNT. */
enum ia_notice_state ia_notice_state_from_name(const char *name);

/* A run of a schedule that ended, and what was known before it. */
struct ia_fire_end {
    int64_t event_id, finished_ms, scheduled_ms;
    enum ia_run_state state;
    const char *schedule, *run_id, *code, *summary, *goal;
    const char *outcome;               /* as in struct ia_run_row */
    const char *last_verdict, *notify; /* of the schedule, now; NULL where there is none */
    int64_t steps;
    double cost_usd;
    bool cost_known, demo;
};
typedef void ia_fire_end_fn(void *ctx, const struct ia_fire_end *end);
/* The first one after that event whose schedule is still there. False in *ret_found when there
 * is none. */
enum ia_rc ia_store_fire_end(struct ia_store *s, int64_t after_event_id, ia_fire_end_fn *fn,
                             void *ctx, bool *ret_found, struct ia_err *err);

struct ia_notice_row {
    int64_t id;
    const char *schedule; /* NULL: of a question */
    const char *run_id;
    const char *target; /* JSON object, as `notify` of a schedule */
    const char *body;   /* JSON object to deliver */
    enum ia_notice_state state;
    int attempts;        /* that were begun */
    const char *problem; /* of the last attempt, or NULL */
    int64_t due_ms, created_ms;
};
/* Due at once; nothing where the run, or the question, has one already. Of schedule and question_id one is NULL. */
void ia_tx_add_notice(struct ia_tx *tx, const char *schedule, const char *run_id,
                      const char *question_id, const char *target, struct ia_str body);
/* Takes an attempt: attempts grows, and until due_ms nobody else tries. False in *ret_mine when
 * somebody else was quicker. */
void ia_tx_try_notice(struct ia_tx *tx, const struct ia_notice_row *row, int64_t due_ms,
                      bool *ret_mine);
/* What came of it. IA_NOTICE_WAITING: again at due_ms. */
void ia_tx_end_notice(struct ia_tx *tx, int64_t id, enum ia_notice_state state,
                      const char *problem, int64_t due_ms);

typedef bool ia_notice_fn(void *ctx, const struct ia_notice_row *row);
/* The one that has been due the longest, of that run where run_id is not NULL; *ret_found likewise. */
enum ia_rc ia_store_due_notice(struct ia_store *s, int64_t now_ms, const char *run_id,
                               ia_notice_fn *fn, void *ctx, bool *ret_found,
                               struct ia_err *err);
#endif
