/* delegate.h: subtasks of a run, as runs of their own.
 *
 *     turn with delegate calls ─► COMMIT: a run for each, and the parent back in the queue ─┐
 *                                                                                           │
 *     parent claimed again ◄── the last of them is over (store/children.h) ◄────────────────┘
 *         └─► each call finds its run by its id, and its result is that run's verdict
 *
 * The commit has both or neither, so a kill leaves either a call that is made again or runs that
 * are waited for. */
#ifndef IA_AGENT_RUN_DELEGATE_H
#define IA_AGENT_RUN_DELEGATE_H

#include "agent/loop/run_ctx.h"
#include "agent/tools/calls.h"
#include "agent/verdict/subtasks.h"

enum { IA_DELEGATE_DEPTH_DEFAULT = 2, IA_DELEGATE_RUNS_DEFAULT = 16 };

/* Adds the tool where the run's agent may call others and is not too deep, and takes what was
 * used below the run off its limits. */
enum ia_rc ia_delegate_add(struct ia_run_ctx *run, struct ia_err *err);

/* Names of secrets of the runs above this one that it does not have: what was typed by them may still stand on
 * a screen. *ret is the caller's, whatever this returns. */
enum ia_rc ia_delegate_hidden(const struct ia_run_ctx *run, json_t **ret, struct ia_err *err);

/* At a call that is next: where it and those directly behind it delegate, begins what has not begun.
 * *ret_rests: the run is queued now and waits; the turn stays open. Otherwise the call is made as any
 * other. */
enum ia_rc ia_delegate_begin(struct ia_run_ctx *run, const struct ia_tool_call *calls, size_t n,
                             bool *ret_rests, struct ia_err *err);
/* The tool's function (toolset.h): the verdict of the call's run, or why it has none. ctx is the run. */
ia_tool_call_fn ia_delegate_collect;

#endif
