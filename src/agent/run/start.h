/* start.h: how a run begins. */
#ifndef IA_AGENT_RUN_START_H
#define IA_AGENT_RUN_START_H

#include "agent/loop/run_ctx.h"

/* Setup steps, the first look and the first message. */
enum ia_rc ia_start(struct ia_run_ctx *run, struct ia_err *err);

#endif
