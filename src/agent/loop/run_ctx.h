/* run_ctx.h: the state of one run, in parts that each have an owner. Private to src/agent.
 *
 *      turn ──► request ──► COMMIT ──► tools ──► COMMIT ──► turn        run/ turn.c, tools.c
 *                 │                      │                            loop/ request.c, commit.c
 *        budget, answer          act or finish                       tools/ act.c, verdict/
 *
 * A run belongs to one thread. What goes wrong with device, model or budget ends the run by
 * ia_run_ctx_fail, and its functions then return IA_OK: the caller looks at end.over. A
 * function that returns an error could not read or write what the run must keep: the store
 * failed, or a text passed its cap. Then the run cannot go on being recorded. */
#ifndef IA_AGENT_LOOP_RUN_CTX_H
#define IA_AGENT_LOOP_RUN_CTX_H

#include "agent/goal/expect.h"
#include "agent/loop/applock.h"
#include "agent/loop/budget.h"
#include "agent/loop/host_time.h"
#include "agent/loop/progress.h"
#include "agent/loop/run_env.h"
#include "agent/loop/stuck.h"
#include "agent/policy/policy.h"
#include "agent/policy/suspect.h"
#include "agent/prompts/fence.h"
#include "agent/prompts/prompts.h"
#include "agent/toolset/toolset.h"
#include "base/hash.h"
#include "driver/session/session.h"
#include "store/store.h"

enum {
    IA_NUDGES_MAX = 3,   /* answers to an end_turn without a tool, in one run */
    IA_REFUSALS_MAX = 2, /* answers to a finish without proof */
    IA_PAUSES_MAX = 8,   /* pause_turn in a row */
    IA_STEPS_LOW = 3,    /* from here on the model is told how many are left */
    IA_IMAGES_MAX = 24,  /* where history may be edited: then all but */
    IA_IMAGES_KEEP = 3,  /* so many are dropped, in one go */
    IA_LEASE_MS = 60000,
    IA_INPUT_SHOWN_BYTES = 64 << 10, /* larger inputs are in the journal, not in events */
    IA_RUN_GOAL_BYTES_MAX = 32 << 10
};
#define IA_TURN_BYTES_MAX ((size_t)4 << 20)

/* The tool that gives subtasks to other agents, where the run's agent may call any. */
struct ia_run_delegate {
    struct ia_tool_def def;
    json_t *tool; /* with the names of its agents and devices; NULL: none */
    char *json;
};

/* How the run ended, or this attempt of it: queued when it is interrupted and goes on later. */
struct ia_end {
    bool over;
    enum ia_run_state state;
    bool rests; /* it is queued already, until its subtasks are over */
    enum ia_basis basis;
    struct ia_err err; /* code IA_OK for passed */
    char *summary;     /* the model's, or NULL */
    char *evidence;    /* JSON array, or NULL */
};

/* A screenshot that was stored: 1 pixel is 1 point. sha is "" where there is none. */
struct ia_picture {
    char sha[IA_SHA256_HEX_SIZE];
    int step, width_pt, height_pt;
};

struct ia_skills; /* agent/skills/skills.h */

/* What a run knows of its agent, beside its prompt and its notes. */
struct ia_run_agent {
    json_t *tools, *skills, *may_call; /* arrays of names; NULL: not said */
    char memory[IA_AGENT_MEMORY_SIZE]; /* one of IA_AGENT_MEMORY_KINDS; "": not said */
};

struct ia_proof_picture; /* agent/verdict/picture.h */

/* What the model is given besides the conversation, and the notes of the agent. */
struct ia_run_texts {
    const struct ia_prompts *prompts;
    struct ia_prompts *opened; /* where the environment has none */
    struct ia_toolset *tools;
    struct ia_skills *skills; /* NULL: none */
    struct ia_core_tools *core;
    struct ia_run_agent agent; /* empty without an agent */
    struct ia_buf
        agent_prompt; /* its prompt and role, and what its tools need to be said; may be empty */
    struct ia_buf memory; /* the agent's notes, Markdown */
    bool memory_changed;  /* the next commit writes it */
};

/* The device, from the lane's lease to what was last seen on it. Each wraps the one before:
 * the environment's device, secrets, timed, session. */
struct ia_run_device {
    struct ia_device_info info;
    struct ia_lease *lease;
    int64_t leased_us;
    struct ia_cancel *patience; /* cancels what is done to the device */
    struct ia_secrets *secrets; /* NULL: none */
    struct ia_host_time timed;
    struct ia_app_lock lock;
    struct ia_session *session;
    struct ia_snapshot *shown; /* what the model was last shown */
};

/* The conversation with the acting model. */
struct ia_run_model {
    struct ia_claude_conn *conn;
    struct ia_history *history;
    struct ia_claude_usage last_usage; /* of its last answer */
    bool has_last;
    size_t sent;       /* messages of the history that the last answer has seen, and itself */
    int answer_tokens; /* that one answer may have, before it was cut once */
    int want_tokens;
    int turn, nudges, pauses;
    bool nudged; /* the last turn was answered with a nudge */
};

/* What a verdict rests on, apart from the journal. */
struct ia_run_proof {
    struct ia_expects expects;
    struct ia_buf first_screen; /* what step 0 showed */
    bool expects_held;          /* all held there already: then they prove no action */
    int refusals;               /* finishes that were refused */
    json_t *checked;  /* what the last finish found of the expectations, an array of the event's
                         objects; or NULL */
    json_t *unproven; /* quotes of the last finish that were not found, an array; or NULL */
    json_t *pictured; /* quotes of the last finish that were read on a picture, likewise */
    struct ia_proof_picture *
        picture; /* the text on the picture of the screen (agent/verdict/picture.h); NULL: not read */
    char relaunch[IA_APP_BYTES_MAX]; /* the app that an interrupted finish was launching again:
                                        what comes before that has been shown. "": none */
    bool disputed;             /* the last of them for want of the verifier's agreement alone */
    struct ia_opinion opinion; /* the verifier's last */
};

/* What the run has used up. Host time is neither the model's nor the device's. */
struct ia_run_spent {
    struct ia_spending spending;
    struct ia_usage_row usage;
    int64_t turn_host_us; /* of the current turn so far */
    int64_t *host_us;     /* per step */
    size_t host_count, host_cap;
};

/* What may stop it from outside or for going in circles. */
struct ia_run_watch {
    struct ia_stuck stuck;
    enum ia_stuck_level level; /* after the last step */
    bool cancel_asked;         /* by another process */
    int64_t beat_us;           /* last heartbeat, real time */
};

struct ia_run_pictures {
    struct ia_picture next; /* the next commit records it */
    bool taken;             /* one was, in this process */
    bool lost;              /* one could not be kept, and that was said */
};

/* A recording that is replayed instead of asking the model (agent/run/replay.h). */
struct ia_run_replay {
    char id[IA_ID_SIZE]; /* "": none */
    json_t *recording;   /* NULL: the model acts */
    bool quarantined;    /* it was healed and is not accepted yet */
    size_t at;           /* the step that is next */
    int64_t since_us;    /* when the wait for it began */
    int drifted;         /* steps whose element was found in other surroundings, … */
    size_t last_drifted; /* the last of them, from 1 */
    bool healing;        /* a model does step `at` */
    bool going;          /* the model may only navigate to the step's screen */
    int heals, acts;     /* steps given to a model; the model's turns in this step */
    int64_t heal_us;     /* when the model began with this step in this process … */
    double heal_usd;     /* … and what the run had cost by then */
    int renamed;         /* of the heals, those of elements with the recorded identifier */
    bool led;            /* the step's effect held before the model's first turn */
    bool next_there;     /* the next step could be done before the model's first turn */
    size_t scrolled;     /* the step whose element was scrolled to, from 1 */
    bool settled;        /* the effect of the step before `at` was seen */
    int calls;           /* calls from the recording, for their ids */
    bool unknown;        /* the last of them was interrupted: its outcome is unknown */
    bool not_made;       /* the last of them was put off */
    /* The error of its last call, if that failed. */
    struct ia_err failed;
    uint64_t screen; /* reading hash of the screen before it; 0: not known */
    bool tells; /* its effect did not hold before, so it will prove that the call was made */
    /* The target of a model's last action before a resume, as text; owned. */
    char *touched;
    /* Which steps drifted or were healed: "step 4: container, step 6: by a model". */
    struct ia_buf notes;
};

struct ia_question_row; /* store/questions.h */
struct ia_tool_call;    /* agent/tools/calls.h */
/* The policy, and the question that the call in hand needs (agent/run/ask.h). */
struct ia_run_ask {
    struct ia_policy *policy;        /* owned: too large for a stack */
    struct ia_question_row *row;     /* of an earlier attempt, or NULL; owned */
    const struct ia_tool_call *call; /* in hand; NULL: none */
    bool used;                       /* its approval is, in this attempt */
    int step;
    const char *rule;    /* its name; static */
    char *text, *detail; /* to be asked; NULL: nothing */
    char call_id[256];   /* of the call that is to be asked about */
    char guarded[256]; /* of the call whose row says that its effect has not begun; "": none */
    struct ia_suspects suspects;
    struct ia_suspect found[IA_SUSPECTS_MAX]; /* on the newest screen, for the next commit */
    size_t found_count;
};

struct ia_run_result; /* agent/run/run.h */

struct ia_run_ctx {
    const struct ia_run_env *env;
    const struct ia_run_request *req;
    struct ia_run_result *result;
    const struct ia_clock *clock;
    char id[IA_ID_SIZE];
    char boundary[IA_BOUNDARY_SIZE];
    int attempt;
    struct ia_progress previous_attempt; /* empty for a first attempt */
    uint64_t committed; /* the last commit that was not waited for (commit.h) */
    bool lacking;       /* begun with secrets or commands that this process has not */
    bool delegated;     /* another run asked for it */

    struct ia_run_texts texts;
    struct ia_run_device device;
    struct ia_run_model model;
    struct ia_run_proof proof;
    struct ia_run_spent spent;
    struct ia_run_watch watch;
    struct ia_run_pictures pictures;
    struct ia_run_replay replay;
    struct ia_run_delegate delegate;
    struct ia_run_ask ask;
    struct ia_end end;
};

/* True while the recording acts and not a model. */
static inline bool ia_run_ctx_replays(const struct ia_run_ctx *run)
{
    return run->replay.recording && !run->replay.healing;
}

/* What a model is told of the request. One that only does a step of a recording is not shown the expectations, which
 * judge what it did. */
static inline struct ia_run_request ia_run_ctx_told(const struct ia_run_ctx *run)
{
    struct ia_run_request told = *run->req;
    told.expect_count = run->replay.recording ? 0 : told.expect_count;
    return told;
}

/* Ends the run; the first end stays. err may be NULL for passed. */
void ia_run_ctx_end(struct ia_run_ctx *run, enum ia_run_state state, const struct ia_err *err);
/* Ends it by an error of the device, the model or the budget: cancelled or error. */
void ia_run_ctx_fail(struct ia_run_ctx *run, const struct ia_err *err);
/* True when the run is over, also by its token, somebody's request, or time. */
bool ia_run_ctx_stopped(struct ia_run_ctx *run);
/* True when the run is to stop now and go on later. */
bool ia_run_ctx_interrupted(const struct ia_run_ctx *run);
/* Appends a message to the history. A history that is full, or an image that is gone, ends the
 * run. */
void ia_run_ctx_append(struct ia_run_ctx *run, enum ia_message_role role, struct ia_str blocks);
/* Tells the observer something in words; not committed. */
void ia_run_ctx_notice(struct ia_run_ctx *run, const char *what, const char *detail);
/* Token and deadline for one action of at most ms. */
struct ia_deadline ia_run_ctx_deadline(struct ia_run_ctx *run, int64_t ms);
/* Where the model allows it, drops old images from the history. */
void ia_run_ctx_prune(struct ia_run_ctx *run);

#endif
