/* eval_judge.h: reads the phone after a run of an evaluation and keeps what its oracle says. */
#ifndef IA_APP_EVAL_JUDGE_H
#define IA_APP_EVAL_JUDGE_H

#include "base/paths.h"
#include "store/sweeps.h"

/* Judges the goal of that run, which has ended (agent/eval/eval.h says what is kept): now, while its lane
 * waits, as the phone's log tells the state before and after the run until something else is done with
 * the phone. run_id NULL: every goal of the sweep whose run has ended and that is not judged, as after a
 * kill; then it is checked that no other run has used the phone since. A phone that cannot be read is kept
 * as an error of that goal; what fails is the store. The first judgement stays. *ret_oracles (may be
 * NULL): how many goals have an oracle. Any thread. */
enum ia_rc ia_eval_judge(struct ia_store *store, const struct ia_paths *paths,
                         const char *sweep_id, const char *run_id, int *ret_oracles,
                         struct ia_err *err);

#endif
