/* see.h: a question about a picture: a request of its own, within the run's budget. */
#ifndef IA_AGENT_RUN_SEE_H
#define IA_AGENT_RUN_SEE_H

#include "agent/loop/run_ctx.h"
#include "agent/tools/act.h"

/* ia_tool_env.ask; ctx is the run. The answer is committed as request.finished with purpose "see"; question,
 * answer and picture are in the call's own input and result, so there is no message of it. A failure ends the
 * call and not the run. */
enum ia_rc ia_see(void *run, const struct ia_tool_question *q, json_t **ret_answer,
                  struct ia_err *err);

/* Keeps a picture as a blob and says where, as the history wants it. */
enum ia_rc ia_see_keep(struct ia_run_ctx *run, struct ia_str png, struct ia_tool_image *ret,
                       struct ia_err *err);

#endif
