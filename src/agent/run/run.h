/* run.h: one run of one goal on one device: the agent loop from the goal to its verdict.
 *
 * A run is one thread of straight-line code. Everything that matters is committed to the store
 * before it has an effect (see ARCHITECTURE.md, "The journal"). */
#ifndef IA_AGENT_RUN_RUN_H
#define IA_AGENT_RUN_RUN_H

#include "agent/goal/request.h"
#include "agent/loop/run_env.h"

/* Where a run that is not started now waits. */
struct ia_run_place {
    const char *lane; /* or a pool (store/queue.h) */
    enum ia_run_kind kind;
    const char *unique, *sweep_id; /* as in struct ia_run_new; NULL: none */
    int sweep_no;
};

struct ia_run_result {
    char id[IA_ID_SIZE];
    char state[12];  /* passed, failed, blocked, error, cancelled; see ia_run_claimed */
    enum ia_rc code; /* IA_OK for passed; else decides the exit status */
    enum ia_basis basis;
    char *summary;         /* never NULL after ia_run_execute */
    char *screenshot_path; /* PNG of the last screen, or NULL */
    int steps;
    int64_t duration_ms;
    int64_t tokens_input, tokens_cache_read, tokens_cache_write, tokens_output;
    double cost_usd; /* meaningful only when cost_known */
    bool cost_known;
    int64_t retry_at_ms;    /* wall time, with state retry_wait */
    int64_t host_us_median; /* per step: neither model nor device, durable commits included */
};
void ia_run_result_fini(struct ia_run_result *r);

/* Runs to the verdict. Returns IA_OK when the run came to a state of its own (whatever it is,
 * see ret->state); an error only when it could not be started or recorded at all: a bad request
 * (IA_E_PARSE, IA_E_USAGE; nothing is recorded), a busy lane (IA_E_BUSY), a broken store. The
 * lane is the device's id and is leased for the run. With req->tries above 1 the state may be
 * retry_wait, as for ia_run_claimed. */
enum ia_rc ia_run_execute(const struct ia_run_env *env, const struct ia_run_request *req,
                          struct ia_run_result *ret, struct ia_err *err);

/* Adds a run to be claimed later, in a transaction of the caller: the goal, everything that a
 * resume needs, state queued. The request was checked by ia_run_check. */
void ia_run_add(struct ia_tx *tx, const struct ia_run_request *req,
                const struct ia_run_place *place, char ret_id[IA_ID_SIZE]);

/* Does a run that this process claimed (store/queue.h) and whose lane it may take: from its
 * start, or, where it has a transcript, from where that ends. A tool call with a result is not
 * made again; one with an intent only is made again when it is read-only, and otherwise becomes
 * a result that says that its outcome is unknown. Old refs stay refused. Errors and result as
 * for ia_run_execute, except that a run which ended in an error that can pass
 * (ia_run_can_pass, tries left) is left in retry_wait: ret->state is "retry_wait". When
 * env->cancel fires with env->interrupt set, the tool in hand is finished and the run goes back
 * to queued: ret->state is "queued". One with a transcript whose secrets have no value here is
 * refused and goes back to queued. */
enum ia_rc ia_run_claimed(const struct ia_run_env *env, const char *run_id,
                          struct ia_run_result *ret, struct ia_err *err);

/* Claims that run for this process, whatever waits before it: from queued, or from retry_wait
 * once its time has come (a further attempt then). IA_E_BUSY when a living process has it,
 * IA_E_STATE when it is over or its retry is not due. */
enum ia_rc ia_run_claim(struct ia_store *store, const char *run_id, struct ia_err *err);
/* Whether the same may go well later: 429, 5xx, overload, network, a garbled stream, a lost
 * device. */
bool ia_run_can_pass(enum ia_rc code);
/* Whether an end says something about the goal, and so counts in its pass rate: a verdict, or a
 * limit of its own that it met. Not an error of its surroundings, nor a cancel. */
bool ia_run_counts(enum ia_run_state state, enum ia_rc code);
/* For a run that this process claimed and cannot do, as its device or its model cannot be
 * opened: back to queued where the device is busy, or where a run that was begun lacks its key
 * (ask again later, not at once), into retry_wait where it can pass and tries are left, else
 * into error. ret_state is the state it came to. */
enum ia_rc ia_run_refuse(struct ia_store *store, const char *run_id, const struct ia_err *why,
                         enum ia_run_state *ret_state, struct ia_err *err);
/* For a run that this process claimed or runs, and of which what came could not be written:
 * back to queued, as after a kill. It can go on from what was written. */
enum ia_rc ia_run_put_back(struct ia_store *store, const char *run_id, struct ia_err *err);
/* Appends the name of the run's device: as the user gave it, else its lane. */
enum ia_rc ia_run_device(const struct ia_run_row *row, struct ia_buf *out, struct ia_err *err);

/* Checks the request as ia_run_execute does before it records anything, so that a device need
 * not be touched for a run that would be refused. claude knows the prices. */
enum ia_rc ia_run_check(struct ia_claude *claude, const struct ia_run_request *req,
                        struct ia_err *err);

#endif
