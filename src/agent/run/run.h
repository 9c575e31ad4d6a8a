/* run.h: one run of one goal on one device: the agent loop from the goal to its verdict.
 *
 * A run is one thread of straight-line code. Everything that matters is committed to the store
 * before it has an effect (ARCHITECTURE.md, "A run": Journal). */
#ifndef IA_AGENT_RUN_RUN_H
#define IA_AGENT_RUN_RUN_H

#include "agent/goal/request.h"
#include "agent/loop/run_env.h"
#include "agent/prompts/fence.h"
#include "agent/run/result.h"

struct ia_job;
struct ia_run_recalled;

/* Runs to the verdict. Returns IA_OK when the run came to a state of its own (whatever it is,
 * see ret->state); an error only when it could not be started or recorded at all: a bad request
 * (IA_E_PARSE, IA_E_USAGE; nothing is recorded), a busy lane (IA_E_BUSY), a broken store. The
 * lane is the device's id and is leased for the run. With req->tries above 1 the state may be
 * retry_wait, as for ia_run_claimed; 0 is one try here, since nobody waits in a queue. */
enum ia_rc ia_run_execute(const struct ia_run_env *env, const struct ia_run_request *req,
                          struct ia_run_result *ret, struct ia_err *err);

/* Does a run that this process claimed (store/queue.h) and whose lane it may take: from its
 * start, or, where it has a transcript, from where that ends. A tool call with a result is not
 * made again; one with an intent only is made again when it is read-only, and otherwise becomes
 * a result that says that its outcome is unknown. Old refs stay refused. Errors and result as
 * for ia_run_execute, except that a run which ended in an error that can pass
 * (ia_rc_retryable, tries left) is left in retry_wait: ret->state is "retry_wait". When
 * env->cancel fires with env->interrupt set, the tool in hand is finished and the run goes back
 * to queued: ret->state is "queued". One with a transcript whose secrets have no value here is
 * refused and goes back to queued.
 *
 * recalled (may be NULL) is what ia_run_recall read since the run was claimed. */
enum ia_rc ia_run_claimed(const struct ia_run_env *env, const char *run_id,
                          const struct ia_run_recalled *recalled, struct ia_run_result *ret,
                          struct ia_err *err);

/* A run and its job, as stored. */
struct ia_run_recalled {
    struct ia_run_row *row;
    struct ia_job *job; /* NULL: unreadable says why */
    char boundary[IA_BOUNDARY_SIZE];
    struct ia_err unreadable;
};
/* Reads a run. Free *ret with ia_run_recalled_fini, which takes a zeroed one, too. IA_E_NOT_FOUND. */
enum ia_rc ia_run_recall(struct ia_store *store, const char *run_id,
                         struct ia_run_recalled *ret, struct ia_err *err);
void ia_run_recalled_fini(struct ia_run_recalled *r);

/* Whether an end says something about the goal, and so counts in its pass rate: a verdict, or a
 * limit of its own that it met. Not an error of its surroundings, nor a cancel. */
bool ia_run_counts(enum ia_run_state state, enum ia_rc code);
/* Checks the request as ia_run_execute does before it records anything, so that a device need
 * not be touched for a run that would be refused. claude knows the prices; allow_commands as in
 * struct ia_run_env. */
enum ia_rc ia_run_check(struct ia_claude *claude, const struct ia_run_request *req,
                        bool allow_commands, struct ia_err *err);

#endif
