/* retry.h: what becomes of a run whose attempt ended before it had a verdict. */
#ifndef IA_AGENT_RUN_RETRY_H
#define IA_AGENT_RUN_RETRY_H

#include "base/err.h"

struct ia_run_ctx;

/* Whether the end is an error that is tried again later. */
bool ia_retry_wanted(const struct ia_run_ctx *run);
/* Moves the run to retry_wait; without an effect in its journal its transcript is forgotten. */
enum ia_rc ia_retry_record(struct ia_run_ctx *run, struct ia_err *err);
/* Moves an interrupted run back to queued. */
enum ia_rc ia_retry_later(struct ia_run_ctx *run, struct ia_err *err);

#endif
