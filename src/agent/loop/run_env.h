/* run_env.h: what the program gives to a run: its store, model, device, time, and who
 * watches. */
#ifndef IA_AGENT_LOOP_RUN_ENV_H
#define IA_AGENT_LOOP_RUN_ENV_H

#include "agent/core_tools/core_tools.h"
#include "agent/secrets/secrets.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/rand.h"
#include "events/basis.h"
#include "store/store.h"

struct ia_claude; /* a configured client: base URL, key, retry policy (agent/claude/client.h) */
struct ia_policy;
struct ia_prompts; /* texts and tool schemas (agent/prompts/prompts.h) */

/* Observer of a run's events (events/list.h), called on the run's thread, in order. json is one
 * object without newlines, for ia_event_read: what was committed to the events table, or a live
 * event, whose seq is 0. */
typedef void ia_run_observer(void *ctx, enum ia_event_type event, struct ia_str json);

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
                                         The tool in hand then has tool_grace_ms */
    int64_t tool_grace_ms;            /* 0: IA_TOOL_GRACE_MS */
    ia_run_observer *observe;         /* may be NULL */
    void *observe_ctx;
    const struct ia_policy
        *policy;         /* the user's (agent/policy/policy.h); NULL: all is allowed */
    bool allow_commands; /* expectations may run commands: the user's own word */
    /* What a run may delegate: how deep, how many subtasks, on which devices besides its own (names,
     * separated by spaces; NULL: none), and how to find the lane of one of them. depth 0: nothing. */
    struct ia_delegation {
        int depth, runs;
        const char *devices;
        enum ia_rc (*lane)(void *ctx, const char *device, struct ia_buf *out,
                           struct ia_err *err);
        void *ctx;
    } delegation;
    struct ia_core_settings core; /* what tools of this program may do */
    /* Of skills that lie in folders (agent/skills/skills.h). */
    struct ia_run_skills {
        bool allow;              /* without trust: the user's own word */
        const char *user_config; /* beside it are the user's own; NULL: none */
        const char *ca_bundle, *proxy, *version;
    } skills;
    struct ia_secret_lookup secrets; /* where the values of the request's secrets come from */
};

#endif
