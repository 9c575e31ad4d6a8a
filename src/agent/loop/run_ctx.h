/* run_ctx.h: the state of one run and the parts of its loop. Private to src/agent.
 *
 *     run.c      sets up, and goes from the first message to the end
 *     begin.c    setup steps, the first look and the first message
 *     resume.c   goes on where an earlier attempt stopped
 *     progress.c what the events tell of that attempt
 *     record.c   what the store is told of the start and the end
 *     retry.c    whether an error is the end, or another try comes
 *     inbox.c    what was said to the run meanwhile
 *     turn.c     one request: send, judge why it stopped, commit the turn with its intents
 *     tools.c    the turn's tools in order, through the journal
 *     act.c      what each tool does to the device
 *     finish.c   the proof rule
 *     verify.c   the second opinion
 *     pictures.c screenshots for people to look at later
 *     commit.c   transactions with their events; live events
 *
 * A run belongs to one thread. Functions that return enum ia_rc fail only when the store
 * failed: the run can then no longer be recorded. Everything else ends the run through
 * ia_run_ctx_end. */
#ifndef IA_AGENT_LOOP_RUN_CTX_H
#define IA_AGENT_LOOP_RUN_CTX_H

#include "agent/goal/expect.h"
#include "agent/loop/applock.h"
#include "agent/loop/budget.h"
#include "agent/loop/compose.h"
#include "agent/loop/host_time.h"
#include "agent/loop/stuck.h"
#include "agent/prompts/prompts.h"
#include "agent/run/progress.h"
#include "agent/run/run.h"
#include "agent/secrets/secrets.h"
#include "base/hash.h"
#include "driver/session/session.h"
#include "store/store.h"

enum {
    IA_TURN_TOOLS_MAX = 16,   /* calls of one turn that are made */
    IA_NUDGES_MAX = 3,        /* answers to an end_turn without a tool, in one run */
    IA_REFUSALS_MAX = 2,      /* answers to a finish without proof */
    IA_PAUSES_MAX = 8,        /* pause_turn in a row */
    IA_STEPS_LOW = 3,         /* from here on the model is told how many are left */
    IA_IMAGES_MAX = 24,       /* where history may be edited: then all but */
    IA_IMAGES_KEEP = 3,       /* so many are dropped, in one go */
    IA_ACTION_MS_MAX = 60000, /* deadline of one action */
    IA_WAIT_S_DEFAULT = 10,
    IA_LEASE_MS = 60000,
    IA_TOOL_NAME_MAX = 64,
    IA_TOOL_ID_MAX = 256,
    IA_INPUT_SHOWN_BYTES = 64 << 10, /* larger inputs are in the journal, not in events */
    IA_RUN_GOAL_BYTES_MAX = 32 << 10
};
#define IA_RESULT_BYTES_MAX ((size_t)256 << 10)
#define IA_TURN_BYTES_MAX ((size_t)4 << 20)

/* How the run ended, or this attempt of it: queued when it is interrupted and goes on later. */
struct ia_end {
    bool over;
    enum ia_run_state state;
    enum ia_basis basis;
    struct ia_err err; /* code IA_OK for passed */
    char *summary;     /* the model's, or NULL */
    char *evidence;    /* JSON array, or NULL */
};

/* A screenshot that was stored: 1 pixel is 1 point. sha is "" where there is none. */
struct ia_picture {
    char sha[IA_SHA256_HEX_SIZE];
    int step, width_px, height_px;
};

struct ia_run_ctx {
    const struct ia_run_env *env;
    const struct ia_run_request *req;
    struct ia_run_result *result;
    const struct ia_clock *clock;
    const struct ia_rand *rand;
    const struct ia_prompts *prompts;
    struct ia_prompts *own_prompts;

    char id[IA_ID_SIZE];
    char boundary[IA_BOUNDARY_SIZE];
    int attempt;
    struct ia_progress previous_attempt; /* empty for a first attempt */
    bool lacking;                        /* begun with secrets that this process has not */
    struct ia_cancel *patience;          /* cancels what is done to the device */
    struct ia_device_info device;
    struct ia_host_time timed;
    struct ia_secrets *secrets; /* NULL: none */
    struct ia_session *session;
    struct ia_snapshot *shown; /* what the model was last shown */
    struct ia_lease *lease;
    int64_t leased_us;

    struct ia_claude_conn *conn;
    struct ia_history *history;
    struct ia_buf tools;          /* JSON array for the request; empty: all tools */
    struct ia_buf agent_tools;    /* the agent's JSON array of names, may be empty */
    bool disabled[IA_TOOL_COUNT]; /* tools that the agent does not have */
    struct ia_buf prompt;         /* the agent's own, may be empty */
    struct ia_buf memory;         /* the agent's notes, Markdown */
    bool memory_changed;
    struct ia_buf first_screen; /* what step 0 showed */
    bool say_resumed;           /* the next user message says that the run was interrupted */
    bool expects_held;          /* all held there already: they prove no deed */
    struct ia_claude_usage last_usage; /* of the last answer to the acting model */
    bool has_last;
    size_t sent;       /* messages of the history that the last answer has seen, and itself */
    int answer_tokens; /* that one answer may have, before it was cut once */
    int want_tokens;

    struct ia_expects expects;
    struct ia_app_lock lock;
    struct ia_spending spending;
    struct ia_stuck stuck;
    enum ia_stuck_level level;
    struct ia_usage_row usage;
    int turn, nudges, refusals, pauses;
    bool nudged; /* the last turn was answered with a nudge */
    bool cancel_asked;
    bool store_failed;         /* inside a tool call; the run cannot go on */
    int64_t beat_us;           /* last heartbeat, real time */
    struct ia_picture picture; /* the next commit records it */
    bool pictured;             /* one was taken in this process */

    int64_t turn_host_us; /* of the current turn so far */
    int64_t *host_us;     /* per step */
    size_t host_count, host_cap;

    struct ia_end end;
};

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

struct ia_tool_call;
struct ia_job;

/* ---- commit.c ---------------------------------------------------------------------------- */

enum { IA_COMMIT_EVENTS_MAX = 8 };
struct ia_commit {
    struct ia_run_ctx *loop;
    struct ia_tx *tx;
    struct ia_buf json; /* the committed events, one after another */
    struct {
        const char *type;
        size_t from, to;
    } events[IA_COMMIT_EVENTS_MAX];
    size_t count;
};
enum ia_rc ia_commit_begin(struct ia_commit *c, struct ia_run_ctx *run, struct ia_err *err);
/* body is one JSON object without the envelope's members. */
void ia_commit_event(struct ia_commit *c, const char *type, const struct ia_buf *body);
/* Moves the run with an event of that type. */
void ia_commit_move(struct ia_commit *c, enum ia_run_state to, struct ia_run_moved *moved,
                    const struct ia_buf *body);
/* Adds heartbeat and usage, commits, and only then tells the observer. */
enum ia_rc ia_commit_end(struct ia_commit *c, struct ia_err *err);
/* One event in a transaction of its own. */
enum ia_rc ia_commit_one(struct ia_run_ctx *run, const char *type, const struct ia_buf *body,
                         struct ia_err *err);
/* An event that is not committed. */
void ia_live_event(struct ia_run_ctx *run, const char *type, const struct ia_buf *body);

/* ---- pictures.c -------------------------------------------------------------------------- */

/* Takes a screenshot and stores it: every picture that is kept comes this way. At most ms. */
enum ia_rc ia_picture_take(struct ia_run_ctx *run, int64_t ms, struct ia_picture *ret,
                           struct ia_err *err);
/* Where each step is to have its picture: of the screen before the first one, and after one
 * that acted. Never fails the run; not counted as host time. The next commit adds the event. */
void ia_picture_before(struct ia_run_ctx *run, int step);
void ia_picture_after(struct ia_run_ctx *run, int step, bool acted);
void ia_picture_commit(struct ia_commit *c);

/* ---- record.c ---------------------------------------------------------------------------- */

/* Adds the run, claimed by this process. */
enum ia_rc ia_run_store_new(struct ia_run_ctx *run, struct ia_err *err);
/* Reads back what the columns of a run hold of the request. */
enum ia_rc ia_run_store_read(const struct ia_run_row *row, struct ia_job **ret_job,
                             char ret_boundary[IA_BOUNDARY_SIZE], struct ia_err *err);
/* Takes its lane and moves it to running: run.started, or run.resumed where it has begun.
 * IA_E_BUSY when the lane is held; the run is then as it was. */
enum ia_rc ia_run_store_start(struct ia_run_ctx *run, struct ia_err *err);
/* For a run that cannot go on being recorded, or never got its lane: moves it to error if that
 * can still be written. Returns why->code. */
enum ia_rc ia_run_store_failure(struct ia_run_ctx *run, const struct ia_err *why);
/* Keeps the last picture, fills the result and moves the run to its end. */
enum ia_rc ia_run_store_end(struct ia_run_ctx *run, struct ia_err *err);

/* Writes the member "spent" of an event. */
void ia_run_store_spent(const struct ia_run_ctx *run, struct ia_jsonw *w);
/* Fills l->result from how it ended. */
void ia_run_store_result(struct ia_run_ctx *run);

/* ---- retry.c ----------------------------------------------------------------------------- */

/* Whether the end is an error that is tried again later. */
bool ia_retry_wanted(const struct ia_run_ctx *run);
/* Moves the run to retry_wait; without an effect in its journal its transcript is forgotten. */
enum ia_rc ia_retry_record(struct ia_run_ctx *run, struct ia_err *err);
/* Moves an interrupted run back to queued. */
enum ia_rc ia_retry_later(struct ia_run_ctx *run, struct ia_err *err);

/* ---- begin.c, resume.c ------------------------------------------------------------------- */

/* Setup, first look, first message. */
enum ia_rc ia_run_start(struct ia_run_ctx *run, struct ia_err *err);
/* Rebuilds the history from the transcript and finishes a turn that was interrupted. */
enum ia_rc ia_resume(struct ia_run_ctx *run, struct ia_err *err);
/* Appends the messages of that run, and before them of those whose conversation it goes on
 * with. */
enum ia_rc ia_resume_prefix(struct ia_run_ctx *run, const char *run_id, struct ia_err *err);
/* The note that the run was interrupted, and what the screen shows now; clears say_resumed. A
 * device that fails ends the run. */
void ia_resume_note(struct ia_run_ctx *run, struct ia_buf *text);

/* ---- inbox.c ----------------------------------------------------------------------------- */

/* Messages to the run that the next user message takes with it. */
struct ia_inbox {
    int64_t last_id; /* 0: none */
    struct ia_buf xml;
    struct ia_buf event;
    struct ia_jsonw w;
    size_t count;
};
/* Reads what waits; outside of transactions. Free with ia_inbox_fini. */
enum ia_rc ia_inbox_read(struct ia_run_ctx *run, struct ia_inbox *ret, struct ia_err *err);
/* Moves the cursor and adds the event, in the transaction of the message. */
void ia_inbox_take(struct ia_commit *c, struct ia_inbox *box);
void ia_inbox_fini(struct ia_inbox *box);

/* ---- turn.c ------------------------------------------------------------------------------ */

/* One request and what follows from its answer. */
enum ia_rc ia_turn(struct ia_run_ctx *run, struct ia_err *err);
/* Appends a user message to store and history, and with it what was said to the run. event
 * (may be NULL) of that type is committed with it. */
enum ia_rc ia_turn_say(struct ia_run_ctx *run, const char *text, const char *type,
                       const struct ia_buf *event, struct ia_err *err);
/* What follows from an assistant turn that is committed. calls of it that have no result yet
 * are made, or answered as `past` of each says. */
enum ia_rc ia_turn_go_on(struct ia_run_ctx *run, const struct ia_claude_message *m,
                         struct ia_tool_call *calls, size_t n, struct ia_err *err);
/* The calls of an answer, one for each tool_use; free with ia_turn_free_calls. Steps are
 * counted. */
struct ia_tool_call *ia_turn_calls(struct ia_run_ctx *run, const struct ia_claude_message *m,
                                   size_t *ret_n);
void ia_turn_free_calls(struct ia_tool_call *calls, size_t n);
/* Where the model allows it, drops old images from the history. */
void ia_turn_prune(struct ia_run_ctx *run);

/* A call of the model with its budget, hooks, accounting and cpu time. IA_OK with a reply, or
 * the run has ended and the error is returned. purpose is "act" or "verify". */
enum ia_rc ia_turn_send(struct ia_run_ctx *run, struct ia_claude_request *req,
                        struct ia_claude_reply *ret, struct ia_err *err);
/* Body of request.finished. */
void ia_turn_finished_json(struct ia_run_ctx *run, const struct ia_claude_reply *reply,
                           const char *purpose, struct ia_buf *out);
/* The transcript's row of an answer; strings borrow from the reply and content. */
struct ia_message_row ia_turn_row(const struct ia_claude_reply *reply, const char *purpose,
                                  const struct ia_buf *content);

/* ---- tools.c ----------------------------------------------------------------------------- */

struct ia_tool_result {
    enum ia_rc code;
    enum ia_outcome outcome;
    struct ia_buf text;   /* for the model, already fenced */
    struct ia_buf screen; /* text form of the screen after, empty when it was not read */
    struct ia_buf changes;
    bool changed;
    char element[160];
    struct ia_rect box;
    bool has_box;
    char image[IA_SHA256_HEX_SIZE]; /* "" without one */
    char image_path[128];           /* below the store's home */
    int width_px, height_px;
};

/* What is known of a call from before this process took the run. */
enum ia_call_history {
    IA_CALL_NEW,     /* it is to be made */
    IA_CALL_MADE,    /* it has a result */
    IA_CALL_UNKNOWN, /* it may have been made, and has an effect */
    IA_CALL_DROPPED  /* it was not made, and comes after one of which nothing is known */
};

/* A tool_use of the turn, ready to be committed and run. */
struct ia_tool_call {
    const struct ia_claude_block *block;
    enum ia_tool tool; /* IA_TOOL_COUNT when unknown */
    char *input;       /* JSON text */
    int step;
    bool skipped; /* answered without being made */
    enum ia_call_history history;
    char *result; /* of one that was made: content of the tool_result, JSON */
    bool is_error;
    bool ambiguous; /* one of several verdicts in a turn: refused */
};

/* Runs the calls in order, commits each result, the user message with the last, and appends it
 * to the history. The intents are committed. */
enum ia_rc ia_tools_run(struct ia_run_ctx *run, const struct ia_tool_call *calls, size_t n,
                        struct ia_err *err);
/* Body of tool.started. */
void ia_tools_started_json(struct ia_run_ctx *run, const struct ia_tool_call *deadline,
                           struct ia_buf *out);
/* Says in that transaction until when the call may take, NULL: none is in hand. */
void ia_tools_in_hand(struct ia_commit *c, const struct ia_tool_call *deadline);

/* ---- act.c ------------------------------------------------------------------------------- */

/* Does what the checked input says. Never ends the run by itself. */
enum ia_rc ia_tool_act(struct ia_run_ctx *run, enum ia_tool tool, const json_t *input,
                       struct ia_tool_result *ret, struct ia_err *err);
/* Puts what the latest snapshot shows into the result: all of it, or what changed since the
 * model was last shown something. */
void ia_tool_show(struct ia_run_ctx *run, struct ia_tool_result *ret, bool whole);

/* ---- finish.c, verify.c ------------------------------------------------------------------ */

/* Judges `finish`. Ends the run, or answers with what is missing (IA_E_NOT_MET). */
enum ia_rc ia_finish(struct ia_run_ctx *run, const json_t *input, struct ia_tool_result *ret,
                     struct ia_err *err);
/* Ends the run by a finish that was accepted before. */
void ia_finish_restore(struct ia_run_ctx *run, const json_t *input);
/* Asks the verifier. IA_OK with its answer, else the run has ended or the store failed. reason
 * is appended. */
enum ia_rc ia_verify(struct ia_run_ctx *run, const struct ia_snapshot *last, bool *ret_agrees,
                     struct ia_buf *reason, struct ia_err *err);

#endif
