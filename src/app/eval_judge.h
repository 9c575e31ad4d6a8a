/* eval_judge.h: judges the runs of an evaluation by the phone's state and the goal's oracle. */
#ifndef IA_APP_EVAL_JUDGE_H
#define IA_APP_EVAL_JUDGE_H

#include "base/paths.h"
#include "store/sweeps.h"

/* Judges the goal of a run that has ended and keeps the judgement (its form: agent/eval/eval.h). Call it while the
 * lane is still idle: the phone's log has the states before and after the run until the phone is used again.
 * With run_id NULL it judges every goal of the sweep that has ended and is not judged yet, as after a kill, and
 * checks that no other run has used the phone since. A phone that cannot be read becomes an error of that goal;
 * the errors returned are the store's. A judgement is never replaced. *ret_oracles (may be NULL) is the number of
 * goals with an oracle. Any thread. */
enum ia_rc ia_eval_judge(struct ia_store *store, const struct ia_paths *paths,
                         const char *sweep_id, const char *run_id, int *ret_oracles,
                         struct ia_err *err);

#endif
