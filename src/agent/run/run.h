/* run.h: one run of one goal on one device: the agent loop from the goal to its verdict.
 *
 * A run is one thread of straight-line code. Everything that matters is committed to the store
 * before it has an effect (see ARCHITECTURE.md, "The journal"). */
#ifndef IA_AGENT_RUN_RUN_H
#define IA_AGENT_RUN_RUN_H

#include "base/cancel.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/rand.h"
#include "driver/device.h"
#include "store/store.h"

struct ia_claude;  /* a configured client: base URL, key, retry policy (claude/client.h) */
struct ia_prompts; /* texts and tool schemas (prompts.h) */

/* 0 means no limit, except steps, where 0 means IA_STEPS_DEFAULT. A step is one tool call. */
enum { IA_STEPS_DEFAULT = 60 };
struct ia_budget {
    int max_steps;
    int max_seconds;
    int64_t max_tokens;
    double max_usd;
};

enum ia_verify { IA_VERIFY_AUTO, IA_VERIFY_ALWAYS, IA_VERIFY_OFF };

/* Which screenshots are kept for people. END: the last screen. STEPS: also the screen before
 * the first tool and after each one that acted. */
enum ia_pictures { IA_PICTURES_END, IA_PICTURES_STEPS, IA_PICTURES_OFF, IA_PICTURES_COUNT };
/* "end", "steps", "off". */
const char *ia_pictures_name(enum ia_pictures pictures);
/* The one with that name, or IA_PICTURES_COUNT; NULL has none. */
enum ia_pictures ia_pictures_from_name(const char *name);

/* What is done before the first look. Each may be done twice without harm, so a run that is
 * started again does them again. */
enum ia_setup_kind {
    IA_SETUP_RESET,     /* "reset": the device as if new (embedded: factory state) */
    IA_SETUP_LAUNCH,    /* "launch": bundle id */
    IA_SETUP_TERMINATE, /* "terminate": bundle id */
    IA_SETUP_OPEN_URL   /* "open-url": URL */
};
struct ia_setup_step {
    enum ia_setup_kind kind;
    const char *value; /* NULL for reset */
};

/* What the user asked for. All strings are borrowed for the call. */
struct ia_run_request {
    const char *goal;
    const char *name; /* of the goal, for reports and history, or NULL */
    const char
        *device;     /* as the user named it, so that a resume opens the same; NULL: the lane */
    const char *app; /* bundle id the run is locked to, or NULL */
    const char *hint;  /* or NULL */
    const char *agent; /* name of a configured agent, or NULL */
    const char *model;
    const char *verifier_model; /* NULL: the same model */
    const char *effort;         /* NULL unless asked for */
    enum ia_verify verify;
    const char *const *expect; /* expectation texts, parsed before anything starts */
    size_t expect_count;
    struct ia_budget budget;
    enum ia_pictures pictures;
    int answer_tokens; /* most tokens of one answer; 0: the default */
    bool demo_brain;   /* the answers come from the demo brain, which does not reason */
    const struct ia_setup_step *setup;
    size_t setup_count;
    const char *const *secrets; /* names that type_text may name; the values are the env's */
    size_t secret_count;
    bool continue_session; /* goes on with the agent's conversation */
    int tries; /* most tries, the first included, where an error can pass; 0: IA_TRIES_MAX for a
                  run that waits in a queue, 1 for ia_run_execute */
};

/* Where a run that is not started now waits. */
struct ia_run_place {
    const char *lane; /* or a pool (store/queue.h) */
    enum ia_run_kind kind;
    const char *unique, *sweep_id; /* as in struct ia_run_new; NULL: none */
    int sweep_no;
};

/* How a pass was established; said on every surface. */
enum ia_basis { IA_BASIS_NONE, IA_BASIS_EXPECTATIONS, IA_BASIS_VERIFIER, IA_BASIS_UNVERIFIED };

/* Observer of a run's events, called on the run's thread, in order; json is one object without
 * newlines, the same that was committed to the events table. text.delta and request.started are
 * live only: they are not committed and their seq is 0.
 *
 *   run.started      {run, goal, name, app, device{id,name,simulated}, model, demo, budget{…}}
 *   run.resumed      the same, and {attempt, steps, seconds}: what went before
 *   run.looked       {setup[{do,value,ms}], app, screen (text form), expects_held, refs,
 *                     continues (run whose conversation goes on)|null}
 *   text.delta       {text}
 *   request.started  {turn}
 *   request.retry    {attempt, wait_ms, code, message}
 *   request.finished {turn, ms, stop_reason, usage{input,cache_read,cache_write,output},
 *                     cost_usd|null, purpose: "act"|"verify", host_us,
 *                     spent{tokens,usd,usd_max,cost_known,ran_ms}: of the run so far}
 *   tool.started     {step, id, tool, element, input}; an input above 64 KB is null, with
 *                    its size as input_left_out_bytes
 *   tool.finished    {step, id, tool, ok, code, outcome, element, changed, changes, ms,
 *                     box{x,y,w,h}|null, image (SHA-256 of a screenshot)|null, host_us,
 *                     refs: the highest that was given out}
 *   picture          {step, image (SHA-256), width, height}: the screen after that step (0: the
 *                     one before the first), a pixel a point; comes with a later commit
 *   message.taken    {messages[{id,sender,text}]}: what was said to the run and is now before
 *                     the model
 *   finish.refused   {missing[]}
 *   verifier.result  {agrees, reason}
 *   notice           {text}
 *   run.retry_wait   {attempt, tries, wait_ms, retry_at, code, message, kept: whether the
 *                     transcript stays, spent{…}}
 *   run.interrupted  {spent{…}}, or {owner_pid} where a dead process is noticed by another
 *   run.finished     {run, state, code, message, basis, summary, evidence[], steps, seconds,
 *                     tokens{input,cache_read,cache_write,output,cached_share}, cost_usd|null,
 *                     demo, screenshot (path)|null, host_us_median}
 *
 * Every object also has {"event","seq","ts","run"}. */
typedef void ia_run_observer(void *ctx, const char *event, struct ia_str json);

enum { IA_TOOL_GRACE_MS = 10000 };
struct ia_run_env {
    struct ia_store *store;
    struct ia_claude *claude;
    struct ia_device *device;
    const struct ia_prompts *prompts; /* NULL: the built-in ones; may be shared by threads */
    const struct ia_clock *clock;     /* NULL: the system's */
    const struct ia_rand *rand;       /* NULL: the system's */
    struct ia_cancel *cancel;         /* may be NULL */
    const _Atomic(bool) *interrupt;   /* read when cancel fires: go on later; may be NULL.
                                         The tool in hand then has IA_TOOL_GRACE_MS */
    ia_run_observer *observe;         /* may be NULL */
    void *observe_ctx;
    /* The value of a secret by its name, or NULL; NULL: there are none. Copied at once. */
    const char *(*secret)(void *ctx, const char *name);
    void *secret_ctx;
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

/* Checks expectation texts without running: IA_E_PARSE with a message that shows the text and a
 * caret under the mistake. */
enum ia_rc ia_expect_check(const char *const *texts, size_t n, struct ia_err *err);

#endif
