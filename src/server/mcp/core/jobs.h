/* jobs.h: requests that are under way on threads of their own.
 *
 *   add ──► waiting ──► a thread ──► done
 *              │ one with the same key, and earlier, goes first
 *
 * Threads are started when none is free, and stay. */
#ifndef IA_SERVER_MCP_CORE_JOBS_H
#define IA_SERVER_MCP_CORE_JOBS_H

#include "base/buf.h"
#include "base/cancel.h"

struct ia_mcp_jobs;
/* Does the job, on any thread, and frees what it points to. */
typedef void ia_mcp_job_fn(void *ctx, void *job, struct ia_cancel *cancel);

struct ia_mcp_jobs *ia_mcp_jobs_new(int threads, int most, ia_mcp_job_fn *fn, void *ctx);
/* False when too many are under way, or nothing more is taken: the job stays the caller's. id names
 * it for ia_mcp_jobs_cancel; key "": it waits for no other. Both are copied. */
bool ia_mcp_jobs_add(struct ia_mcp_jobs *j, struct ia_str id, const char *key, void *job);
/* Fires the token of the job with that id; an unknown one is ignored. */
void ia_mcp_jobs_cancel(struct ia_mcp_jobs *j, struct ia_str id);
/* Takes nothing new, cancels all and waits. False when some did not end within ms: then nothing may be
 * freed. */
bool ia_mcp_jobs_end(struct ia_mcp_jobs *j, int64_t ms);
/* Only after ia_mcp_jobs_end said true. NULL is fine. */
void ia_mcp_jobs_free(struct ia_mcp_jobs *j);

#endif
