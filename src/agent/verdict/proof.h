/* proof.h: what a finish has to show beside quotes and the verifier's word: the app that is in
 * front, and the expectations, on the screen, by a command, and after a relaunch. */
#ifndef IA_AGENT_VERDICT_PROOF_H
#define IA_AGENT_VERDICT_PROOF_H

#include "agent/loop/run_ctx.h"

/* Gets each thing that does not hold: what was expected, and what was found instead, which may
 * quote the screen or a program and is data. */
typedef void ia_proof_missing(void *ctx, const char *expected, enum ia_note note,
                              struct ia_str found);

/* Checks on that fresh screen: a run that is locked to an app ends in it, unless an expectation
 * names an app; and all expectations but commands and those after a relaunch. It begins
 * run->proof.checked anew, to which each check adds what it found. */
void ia_proof_screen(struct ia_run_ctx *run, const struct ia_snapshot *fresh,
                     ia_proof_missing *missing, void *ctx);

/* Waits a while for the expectations on the screen, before or after the relaunch, as an app may load slowly.
 * Judges nothing: the caller checks what holds then. */
void ia_proof_await(struct ia_run_ctx *run, bool relaunched);

/* Runs the commands, one after another, and names those that did not exit with 0. Where one was
 * cancelled nothing is known: why->code is IA_E_CANCELLED then.
 *
 * A command is a program with its arguments: no shell, nothing is expanded. It runs in the working
 * folder of this process, with stdin at its end, for at most IA_COMMAND_MS_MAX and within the run's
 * own time; of the environment it has the variables that a program needs to find its way (PATH,
 * HOME, TMPDIR, the user, language and time zone) and IOS_AGENT_RUN, the id of the run. What it
 * prints is not kept beyond the last line of stderr. After an interruption it may be run again. */
enum { IA_COMMAND_MS_MAX = 60000 };
void ia_proof_commands(struct ia_run_ctx *run, ia_proof_missing *missing, void *ctx,
                       struct ia_err *why);

/* Whether one of the expectations is checked after a relaunch. */
bool ia_proof_relaunches(const struct ia_run_ctx *run);

/* Notes that every expectation holds, where that is known from before. */
void ia_proof_all_hold(struct ia_run_ctx *run);
/* Appends those that did not hold when they were checked last, as they were written; returns how
 * many there are. */
size_t ia_proof_not_held(const struct ia_run_ctx *run, struct ia_buf *out);

/* Notes a quote that was not found although the expectations hold. */
void ia_proof_unproven(struct ia_run_ctx *run, const char *quote);

/* Notes a quote that was read on a picture. */
void ia_proof_pictured(struct ia_run_ctx *run, const char *quote);

/* Whether it holds on that screen, or, where it asks for that, on its picture. why as ia_expect_holds. */
bool ia_proof_holds(struct ia_run_ctx *run, const struct ia_expect *x,
                    const struct ia_snapshot *s, struct ia_buf *why);

/* Commits that everything was shown but what is seen after a relaunch; says which quotes were not
 * found, and which were read on a picture. A finish that is interrupted from here on begins behind it: run->proof.relaunch. */
enum ia_rc ia_proof_checked(struct ia_run_ctx *run, struct ia_err *err);

/* Where run->proof.relaunch names an app: ends it, launches it again and checks what is expected
 * after that. *ret is the screen then, borrowed from the session; NULL where nothing had to be
 * done. why->code is not IA_OK where the device failed. */
void ia_proof_relaunch(struct ia_run_ctx *run, ia_proof_missing *missing, void *ctx,
                       const struct ia_snapshot **ret, struct ia_err *why);

#endif
