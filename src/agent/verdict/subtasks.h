/* subtasks.h: what a run may rely on of its subtasks: verdicts with proof, never words.
 *
 *     proven   passed, and its end rests on expectations or a verifier
 *     open     not proven, and not done again by a later subtask that is proven
 *
 * A run does not pass while one of its subtasks is open. */
#ifndef IA_AGENT_VERDICT_SUBTASKS_H
#define IA_AGENT_VERDICT_SUBTASKS_H

#include "agent/loop/run_ctx.h"

#define IA_DELEGATE "delegate" /* the tool's name */

/* One subtask, in the order in which they were asked for. */
struct ia_subtask {
    enum ia_run_state state;
    enum ia_basis basis;
    int redoes; /* number of the one that it does again, from 1; 0: none */
    char id[IA_ID_SIZE];
    char *call, *agent, *lane, *goal;
    char *code;     /* why it did not pass, or NULL */
    char *summary;  /* its own words, or why it ended */
    json_t *result; /* its run.finished, or NULL */
};
struct ia_subtasks {
    struct ia_subtask *items;
    size_t count;
};

/* Whether it passed by more than somebody's word. Pure. */
bool ia_subtask_proven(enum ia_run_state state, enum ia_basis basis);
/* The number of the first that is open, from 1; 0: none. Pure. */
size_t ia_subtasks_open(const struct ia_subtask *items, size_t count);

/* Reads those of a run. Free with ia_subtasks_fini, whatever it returns. */
enum ia_rc ia_subtasks_read(struct ia_store *store, const char *run_id, struct ia_subtasks *ret,
                            struct ia_err *err);
void ia_subtasks_fini(struct ia_subtasks *s);

/* Appends what a program found of it, as lines: its expectations and the quotes that were found. In the
 * form of a screen's text, so that a quote of it can be looked for as on a screen (evidence.h). Nothing of
 * one that is not proven. */
void ia_subtask_proof(const struct ia_subtask *s, struct ia_buf *out);
/* Appends all of them for a verifier: who, where, what was asked, the verdict and its basis, the proof. Nothing
 * that an agent says of itself. */
void ia_subtasks_put(const struct ia_subtasks *s, struct ia_buf *out);

#endif
