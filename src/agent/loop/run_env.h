/* run_env.h: what the program gives to a run: its store, model, device, time, and who watches. */
#ifndef IA_AGENT_LOOP_RUN_ENV_H
#define IA_AGENT_LOOP_RUN_ENV_H

#include "agent/secrets/secrets.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/rand.h"
#include "store/store.h"

struct ia_claude;  /* a configured client: base URL, key, retry policy (claude/client.h) */
struct ia_prompts; /* texts and tool schemas (prompts.h) */

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
    struct ia_secret_lookup secrets; /* where the values of the request's secrets come from */
};

#endif
