/* run_tools.h: what the files about runs share. */
#ifndef IA_SERVER_MCP_RUN_TOOLS_H
#define IA_SERVER_MCP_RUN_TOOLS_H

#include "server/mcp/mcp_impl.h"

/* Of its budget; 0: no limit. */
int ia_mcp_run_max_steps(const struct ia_run_row *row);
/* What a run came to, or how far it is. A run that ended without a pass is a failed result, except one
 * that waits for a person. */
void ia_mcp_put_run(struct ia_mcp_result *ret, const struct ia_run_row *row, int64_t now_ms);

/* run_wait.c: waits until the run has ended, at most ms, and tells how far it is. IA_OK: see the row;
 * IA_E_CANCELLED: nobody waits any more. */
enum ia_rc ia_mcp_wait_for_run(struct ia_mcp_call *call, struct ia_runs *runs,
                               struct ia_store *store, const struct ia_run_row *row, int64_t ms,
                               struct ia_err *err);

#endif
