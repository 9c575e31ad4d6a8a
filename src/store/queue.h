/* queue.h: which run a lane does next: claims, retries, and messages to runs.
 *
 * A lane is a device; runs on one lane are serial, lanes are parallel. The queue is rows: a run
 * in state queued waits for its lane (or for any lane of a pool), and claiming it is one
 * transaction that looks at everything the rule needs, so that several processes may serve the
 * same database. Order within a lane:
 *
 *   1. nothing, while a run of the lane is claimed or running, or waits for its retry_at
 *   2. a retry whose time has come, then a run that was interrupted
 *   3. scheduled runs before others, but after IA_SCHEDULED_STREAK_MAX scheduled ones in a row
 *      the others get one turn
 *   4. oldest first
 *
 * Functions with tx follow the rules of store.h (sticky failure, results on success). */
#ifndef IA_STORE_QUEUE_H
#define IA_STORE_QUEUE_H

#include "store/store.h"

enum { IA_SCHEDULED_STREAK_MAX = 3, IA_POOL_MAX = IA_LANE_MAX };

/* Who asks for work. */
struct ia_claim {
    const char *lane;     /* the device that is free */
    const char *pool;     /* also runs that any lane of this pool may do; NULL: none */
    int scheduled_streak; /* scheduled runs that the lane did in a row just before */
};

enum ia_claim_why {
    IA_CLAIM_NONE,  /* nothing waits */
    IA_CLAIM_RUN,   /* claimed: state claimed, this process owns it, its lane is `lane` */
    IA_CLAIM_BUSY,  /* a run of this lane is claimed or running elsewhere */
    IA_CLAIM_LATER, /* the lane's retry is not due yet: ask again at not_before_ms */
};

struct ia_claimed {
    enum ia_claim_why why;
    char run_id[IA_ID_SIZE]; /* for IA_CLAIM_RUN */
    int64_t not_before_ms;   /* for IA_CLAIM_LATER */
    bool scheduled;          /* its kind is IA_RUN_SCHEDULED */
    bool begun;              /* it has a transcript: resume it, do not start it */
};

/* Claims the next run by the rule above, with the event "run.claimed" {lane, attempt}. A retry
 * that is due grows its attempt. A run of a pool gets the lane; once begun it is bound to that
 * device, before that it goes back to the pool when it is given back. A retry that would wait
 * longer than it was told to, as the wall clock went back, is moved forward by that much. */
void ia_tx_claim(struct ia_tx *tx, const struct ia_claim *claim, struct ia_claimed *ret);

enum { IA_WAITING_COUNT_MAX = 20 };

/* Lanes on which something waits that could start now or later, each once, longest waiting
 * first; pools are listed by their name. waiting is counted up to IA_WAITING_COUNT_MAX;
 * not_before_ms is 0 unless a retry gates the lane. For workers that have to find out what to
 * serve: it costs the number of lanes, not of runs. */
typedef bool ia_waiting_fn(void *ctx, const char *lane, int64_t waiting, int64_t not_before_ms);
enum ia_rc ia_store_waiting(struct ia_store *s, ia_waiting_fn *fn, void *ctx,
                            struct ia_err *err);

/* Whether a run waits for that lane, or is done on it, by whomever. */
enum ia_rc ia_store_lane_used(struct ia_store *s, const char *lane, bool *ret,
                              struct ia_err *err);

/* How many runs there are in each state that is not final, now. Costs the runs that are not over, whatever the
 * length of the history. */
struct ia_queue_figures {
    int64_t runs[IA_RUN_STATE_COUNT];
    int64_t depth; /* of those: they wait for nothing but their lane, or for a retry's time */
    int64_t lanes_busy; /* devices that a run or a command holds */
};
enum ia_rc ia_store_queue_figures(struct ia_store *s, struct ia_queue_figures *ret,
                                  struct ia_err *err);

/* Gives back what dead processes claimed: their runs become queued again (the transcript and
 * journal stay, "run.interrupted" {owner_pid}), or cancelled where that was asked; their leases
 * go. One transaction, and none when nobody died. ret_count (of runs) may be NULL. */
enum ia_rc ia_store_recover(struct ia_store *s, int *ret_count, struct ia_err *err);

/* Gives back a run that this process claimed or ran, and of which what came could not be
 * written: queued again, as after a kill, "run.interrupted" {}. Its lane was released; a row of
 * the lease that could not be removed then goes too. */
void ia_tx_put_back_run(struct ia_tx *tx, const char *run_id);

/* ---- retry ------------------------------------------------------------------------------ */

enum { IA_TRIES_MAX = 6 }; /* the first and five more */

/* 5·2^(n-1) s before retry n = 1, 2, …; never less than what the provider asked for. */
int64_t ia_retry_delay_ms(int retry, int64_t provider_after_ms);

/* Forgets the transcript of an attempt that had no effect (messages, journal and notes; events
 * and what the run used up stay) and puts its messages back, so that the next attempt starts
 * afresh: "run.rolled_back" {attempt}. IA_E_STATE when a call with an effect was committed. */
void ia_tx_roll_back_run(struct ia_tx *tx, const char *run_id);
/* Whether an intent of a call with an effect is in the journal. */
enum ia_rc ia_store_had_effect(struct ia_store *s, const char *run_id, bool *ret,
                               struct ia_err *err);

/* ---- messages to a run ------------------------------------------------------------------ */

enum { IA_SAY_BYTES_MAX = 32 << 10, IA_SAY_PENDING_MAX = 100 };

struct ia_inbox_row {
    int64_t id;
    const char *sender, *text;
    int64_t created_ms;
};

/* Adds a message for an unfinished run, with the event "message.queued" {id, sender, text}.
 * IA_E_NOT_FOUND; IA_E_STATE when the run is over or scheduled (its goal is fixed); IA_E_LIMIT
 * when too many wait. */
void ia_tx_say(struct ia_tx *tx, const char *run_id, const char *sender, struct ia_str text);
typedef bool ia_inbox_fn(void *ctx, const struct ia_inbox_row *row);
/* Messages of the run beyond its cursor, oldest first. */
enum ia_rc ia_store_inbox(struct ia_store *s, const char *run_id, ia_inbox_fn *fn, void *ctx,
                          struct ia_err *err);
/* Moves the run's cursor to that message, in the transaction that adds the user message which
 * carries it. Never back; ia_tx_roll_back_run resets it. IA_E_NOT_FOUND when it is none of the
 * run's. */
void ia_tx_inbox_taken(struct ia_tx *tx, const char *run_id, int64_t inbox_id);

#endif
