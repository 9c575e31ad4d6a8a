/* questions.h: what a person has to decide before a call of a run may be made.
 *
 *     open ──answer──► approved ──the commit before the effect──► used
 *       │        └───► denied
 *       └──the run is cancelled──► withdrawn
 *
 * A row is written in the commit that moves its run to IA_RUN_ASKING, and an answer moves the run back to queued in
 * its own commit. As long as a question is not used, its call has not begun; so nothing is done twice, and
 * an approval is good for one effect. A call that is asked about again replaces its row, under a new id: an answer to
 * what was asked before does not count for it.
 *
 * ia_tx_… functions write in the caller's transaction, and their errors show at its commit; the others read
 * and write by themselves, on any thread, and return the store's errors and those named. */
#ifndef IA_STORE_QUESTIONS_H
#define IA_STORE_QUESTIONS_H

#include "store/store.h"

enum ia_question_state {
    IA_QUESTION_OPEN,
    IA_QUESTION_APPROVED,
    IA_QUESTION_DENIED,
    IA_QUESTION_USED,
    IA_QUESTION_WITHDRAWN,
    IA_QUESTION_STATE_COUNT
};
const char *ia_question_state_name(enum ia_question_state state);
enum ia_question_state ia_question_state_from_name(const char *name);

enum { IA_QUESTION_TEXT_MAX = 3000, IA_QUESTION_NOTE_MAX = 1000, IA_QUESTION_BY_MAX = 60 };

struct ia_question_row {
    const char *id, *run_id, *tool_use_id;
    const char *rule;   /* agent/policy/policy.h */
    const char *text;   /* the question */
    const char *detail; /* JSON object: what an approval is for (agent/run/ask.c) */
    enum ia_question_state state;
    int64_t asked_ms, expires_ms, answered_ms; /* 0: never */
    const char *answered_by, *note;            /* NULL where there is none */
    const char *goal, *lane;                   /* of the run; read only */
};

/* Adds the question, or replaces that of the same call; id, state and times are given by the store, except
 * expires_ms. */
void ia_tx_ask(struct ia_tx *tx, const struct ia_question_row *q, char ret_id[IA_ID_SIZE]);
/* The call may have begun from here on. IA_E_STATE for a question that is not approved. */
void ia_tx_use_question(struct ia_tx *tx, const char *id);

/* Answers an open question and queues its run. IA_E_STATE where it is no longer open (err says how it
 * was answered), IA_E_NOT_FOUND, IA_E_LIMIT for a note that is too long. */
enum ia_rc ia_store_answer(struct ia_store *s, const char *id, bool approve, const char *by,
                           const char *note, struct ia_err *err);
/* Who answered what nobody answered in time. */
#define IA_QUESTION_BY_TIMEOUT "timeout"
/* Denies what nobody answered in time. Called where runs of dead processes are given back. */
enum ia_rc ia_store_expire_questions(struct ia_store *s, struct ia_err *err);

/* By its id, or a part of it as for runs. Free *ret with free(). IA_E_NOT_FOUND, IA_E_USAGE. */
enum ia_rc ia_store_question(struct ia_store *s, const char *id, struct ia_question_row **ret,
                             struct ia_err *err);
/* The newest of a run; *ret is NULL where it has none. Free it with free(). */
enum ia_rc ia_store_question_of(struct ia_store *s, const char *run_id,
                                struct ia_question_row **ret, struct ia_err *err);
typedef bool ia_question_fn(void *ctx, const struct ia_question_row *row);
/* The open ones, or all; of one run where run_id is not NULL. The oldest first, at most 1000. */
enum ia_rc ia_store_questions(struct ia_store *s, bool all, const char *run_id,
                              ia_question_fn *fn, void *ctx, struct ia_err *err);

#endif
