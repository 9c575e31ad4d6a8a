/* store.h: everything that must survive the process, in one SQLite database.
 *
 * A home is a folder ($IOS_AGENT_HOME) with ios-agent.db (WAL), blobs/,
 * lanes/ and sealing.key. One struct ia_store per process and home; every function may be
 * called from any thread.
 *
 * Writing. Rows are written only inside a transaction, and a transaction is the unit that a
 * crash keeps or loses as a whole:
 *
 *     struct ia_tx *tx;
 *     rc = ia_tx_begin(store, &tx, err);            // waits its turn (FIFO among threads)
 *     if (rc == IA_OK) {
 *         ia_tx_add_message(tx, run, &message, NULL); // any number of writes; no error checks
 *         ia_tx_add_call(tx, run, &call);
 *         ia_tx_add_event(tx, run, IA_EVENT(&started), &json);
 *         rc = ia_tx_commit(tx, err);               // durable, or nothing happened at all
 *     }
 *
 * Failure is sticky, as in a buffer: after the first failed write the others do nothing and
 * ia_tx_commit rolls back and returns that failure. Results (ret_) are written only when that
 * write succeeded. While a transaction is open every other writer of this process and of all
 * others waits: never do I/O, never call a callback, never wait between begin and commit.
 *
 * The loop needs two commits for a step with one tool: the assistant turn with the intents of
 * its tools, and the results with the user message that carries them.
 *
 * Reading goes through a few read connections, sees what was committed, and never waits for a
 * writer. Rows given to a callback are borrowed until it returns; a callback must not call the
 * store and must not block. Returning false ends the listing early.
 *
 * Errors: IA_E_DB_NEWER, _LOCKED, _READONLY, _CORRUPT, _FULL and IA_E_DB for the rest, each
 * with the path and a hint. Times are wall milliseconds UTC here and ISO-8601 text in the
 * tables; 0 means never. Ids are UUIDv7 text. JSON is kept byte for byte as it was given. */
#ifndef IA_STORE_STORE_H
#define IA_STORE_STORE_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/rand.h"
#include "events/events.h"

struct ia_store;
struct ia_tx;

struct ia_store_opts {
    const char *home;             /* the folder; made (0700) when it does not exist */
    const char *command;          /* shown to others who find a lane busy; NULL: "ios-agent" */
    const struct ia_clock *clock; /* for time stamps; NULL: the system's */
    const struct ia_rand *rand;   /* for ids; NULL: the system's */
    int busy_ms;                  /* how long to wait for another process; 0: 5000 */
};

/* Opens the database, creating or migrating it as needed. A database of a newer program, a file
 * that is no database of ours, or one that cannot be written is refused and left as it is.
 * Close with ia_store_close. */
enum ia_rc ia_store_open(const struct ia_store_opts *opts, struct ia_store **ret,
                         struct ia_err *err);
/* No transaction, lease or listing may be open. NULL is fine. */
void ia_store_close(struct ia_store *s);
const char *ia_store_home(const struct ia_store *s); /* borrowed */
const char *ia_store_path(const struct ia_store *s); /* of the database; borrowed */
int ia_store_schema_version(void);                   /* that this program writes */
/* Reads every page: IA_E_DB_CORRUPT names the first damage. Slow; for doctor. */
enum ia_rc ia_store_check(struct ia_store *s, struct ia_err *err);

/* ---- transactions ---------------------------------------------------------------------- */

/* Waits for this thread's turn, first come first served, and for other processes at most
 * busy_ms (then IA_E_DB_LOCKED). A second begin on a thread whose transaction is open is
 * IA_E_INTERNAL, as it could only wait for itself. End with commit or rollback, on the same
 * thread. */
enum ia_rc ia_tx_begin(struct ia_store *s, struct ia_tx **ret, struct ia_err *err);
/* Makes all of it durable, or none. The transaction is over either way. Transactions of threads
 * that wait for each other's turns share one write to the disk: this returns after it. When
 * that write fails all of them fail, with an error that says so and is retry_safe; a disk that
 * fails afterwards is another matter (ia_store_await). Hold no lock here that another thread
 * takes inside a transaction. */
enum ia_rc ia_tx_commit(struct ia_tx *tx, struct ia_err *err) IA_MUST_USE;
/* The same without waiting for the disk: when it returns, the commit survives a kill of the process
 * and is visible to every reader; whether it survives a power failure is certain only after
 * ia_store_await, or after any later ia_tx_commit of this process, as commits become durable in
 * order. For what nobody acts upon before one of the two; where neither comes at once,
 * ia_store_sync_soon. */
enum ia_rc ia_tx_commit_soon(struct ia_tx *tx, uint64_t *ret_number,
                             struct ia_err *err) IA_MUST_USE;
/* Has the commit of that number made durable behind the caller's back. */
void ia_store_sync_soon(struct ia_store *s, uint64_t number);
/* Returns when the commit of that number (0: none) and all before it are durable. If the disk fails
 * here, nobody knows what it kept: this wait and every later transaction fail with an error that says
 * so, until the store is opened again; the commit may be there then. */
enum ia_rc ia_store_await(struct ia_store *s, uint64_t number, struct ia_err *err);
/* NULL is fine. */
void ia_tx_rollback(struct ia_tx *tx);
/* True after a write failed; the rest of the transaction can be skipped. */
bool ia_tx_failed(const struct ia_tx *tx);
/* The time that this transaction's rows carry. */
int64_t ia_tx_wall_ms(const struct ia_tx *tx);

/* ---- runs ------------------------------------------------------------------------------ */

/* A run's life. Persisted by name; ia_run_move is the only writer.
 *
 *   queued ──► claimed ──► running ──► passed | failed | blocked | error | cancelled
 *     ▲ ▲         │           │
 *     │ └─────────┴───────────┤ the owner died or gave the run back
 *     ├────── retry_wait ◄────┤ error, tries left
 *     └──────── asking ◄──────┘ a call needs a person's word (questions.h); an answer queues it
 *
 * queued, claimed, retry_wait and asking may also become cancelled, claimed and retry_wait error.
 * A run that asks is "blocked" to people and in rows, as one that ended so; it has no end. */
enum ia_run_state {
    IA_RUN_QUEUED,
    IA_RUN_CLAIMED,
    IA_RUN_RUNNING,
    IA_RUN_RETRY_WAIT,
    IA_RUN_PASSED,
    IA_RUN_FAILED,
    IA_RUN_BLOCKED,
    IA_RUN_ERROR,
    IA_RUN_CANCELLED,
    IA_RUN_ASKING,
    IA_RUN_STATE_COUNT
};
const char *ia_run_state_name(enum ia_run_state state);
/* The state with that name, or IA_RUN_STATE_COUNT; never IA_RUN_ASKING, whose name is another's. */
enum ia_run_state ia_run_state_from_name(const char *name);
bool ia_run_state_final(enum ia_run_state state);
bool ia_run_move_allowed(enum ia_run_state from, enum ia_run_state to);

/* Tokens and cost of one answer, or of a run so far. */
struct ia_usage_row {
    int64_t input, cache_read, cache_write, output;
    double cost_usd; /* meaningful only when cost_known */
    bool cost_known;
};

/* Why a run exists; it decides its place in the lane (queue.h). Persisted by name. */
enum ia_run_kind {
    IA_RUN_GOAL,      /* "goal": somebody, or a sweep, asked for it */
    IA_RUN_SCHEDULED, /* "scheduled": a schedule fired */
    IA_RUN_FOLLOW_UP, /* "follow_up": goes on with an agent's conversation */
    IA_RUN_KIND_COUNT
};
const char *ia_run_kind_name(enum ia_run_kind kind);
/* The kind with that name, or IA_RUN_KIND_COUNT. */
enum ia_run_kind ia_run_kind_from_name(const char *name);

/* A goal as submitted and the run that shall do it. Strings are borrowed for the call; NULL
 * where there is nothing, except goal, model and lane. */
struct ia_run_new {
    const char
        *id; /* of the run, made by ia_id_new before (to take its lane first); NULL: new */
    const char *goal, *app, *hint;
    const char *agent; /* name of a configured agent */
    const char *model;
    const char *lane; /* the device the run drives, or a pool of which any lane may */
    enum ia_run_kind kind;
    const char *name;        /* of the goal, by which its history is found; NULL: none */
    const char *unique;      /* while an unfinished run has this, another one is refused with
                              IA_E_EXISTS; NULL: never */
    const char *sweep_id;    /* the sweep it belongs to; NULL: none */
    int sweep_no;            /* which of its goals */
    const char *goal_hash;   /* by which a recording of it is found; NULL: none */
    const char *parent_id;   /* the run that delegates it, with its tool_use id; NULL: none */
    const char *parent_call; /* IA_E_EXISTS when that call has a run already */
    struct ia_str expect;    /* JSON array of strings; empty: [] */
    struct ia_str budget;    /* JSON object; empty: {} */
    struct ia_str device;    /* JSON object; empty: {} */
    struct ia_str options;   /* JSON object of what else a resume needs; empty: {} */
    bool demo;               /* answered by the demo brain */
};

/* Adds the goal and its run, state queued, attempt 1, with the event "run.queued" {goal, lane}.
 * IA_E_EXISTS when `unique` is taken, IA_E_NOT_FOUND for an unknown sweep. */
void ia_tx_add_run(struct ia_tx *tx, const struct ia_run_new *run, char ret_id[IA_ID_SIZE]);

/* Rows and events that are written from now on are of that time (wall ms): those of a run that was done elsewhere. */
void ia_tx_set_time(struct ia_tx *tx, int64_t wall_ms);

/* What a move writes along with the state. NULL and 0 leave the columns as they are. */
struct ia_run_moved {
    struct ia_event_ref event; /* without fields: run.state */
    const char *code;          /* enum ia_rc by name */
    const char *summary;       /* what the run came to, for people */
    const char *basis;         /* what the end rests on (events/basis.h) */
    struct ia_str result;      /* JSON object of the whole result */
    const char *screenshot;    /* SHA-256 of the blob */
    int64_t retry_at_ms;       /* for retry_wait */
    const char *outcome;       /* of a passed replay */
};

/* Moves the run and adds the event that says so. IA_E_STATE when the move is not allowed,
 * IA_E_NOT_FOUND when there is no such run. To claimed or running: this process becomes the
 * owner and its heartbeat starts; a run whose owner lives in another process is IA_E_BUSY. From
 * retry_wait to queued: attempt grows by one. moved may be NULL. ret_json (may be NULL) gets
 * the committed event appended. */
void ia_run_move(struct ia_tx *tx, const char *run_id, enum ia_run_state to,
                 const struct ia_run_moved *moved, struct ia_buf *ret_json);
/* What its owner writes of a run in every commit. */
struct ia_run_now {
    bool beats; /* the heartbeat is now */
    /* What the run used up so far: absolute numbers, so that a repeated write is harmless. NULL: as it was. */
    const struct ia_usage_row *usage;
    /* With the usage. ran_ms is the time of all attempts. */
    int steps;
    double usd_max; /* with an upper estimate for what is not known */
    int64_t ran_ms;
    /* Until when the tool in hand may take, in the commit of its intent; 0 in the commit of its
     * result. With the heartbeat it tells a slow tool from a stuck run. */
    bool sets_deadline;
    int64_t tool_deadline_ms;
};
/* IA_E_NOT_FOUND. ret_cancel (may be NULL): whether somebody asked to cancel. */
void ia_tx_run_now(struct ia_tx *tx, const char *run_id, const struct ia_run_now *now,
                   bool *ret_cancel);
/* Each alone. */
void ia_tx_set_usage(struct ia_tx *tx, const char *run_id, int steps,
                     const struct ia_usage_row *usage);
void ia_tx_heartbeat(struct ia_tx *tx, const char *run_id, bool *ret_cancel);
/* Notes that the `remember` tool keeps for this run (whole text, replaces). */
void ia_tx_set_run_notes(struct ia_tx *tx, const char *run_id, struct ia_str text);

struct ia_run_row {
    const char *id, *goal_id, *goal, *app, *hint, *agent, *model, *lane;
    const char *expect, *budget, *device, *options; /* JSON */
    enum ia_run_state state;
    int attempt;
    const char *code, *summary, *basis, *result, *screenshot; /* NULL while unknown */
    const char *notes;                                        /* NULL or text */
    int64_t owner_pid;
    const char *owner_token, *owner_command; /* NULL while nobody claimed it */
    int64_t created_ms, started_ms, finished_ms, heartbeat_ms, retry_at_ms;
    bool cancel_requested, demo;
    enum ia_run_kind kind;
    const char *name, *sweep_id, *schedule; /* NULL where there is none */
    int sweep_no;
    int64_t tool_deadline_ms; /* of the tool in hand, 0: none; see ia_run_now */
    const char *recording;    /* id of the one that it began to replay, or NULL */
    /* Of a passed replay: "replayed", or "healed": a model did a step, or did it when this recording was made and
     * nobody has accepted that yet. Else NULL. */
    const char *outcome;
    const char *parent_id, *parent_call; /* the run that delegated it, with its call; or NULL */
    int waits_for;                       /* its own subtasks that are not over */
    int delegates;                       /* 1: it has subtasks; only where figures are read */
    int steps;
    struct ia_usage_row usage; /* without that of its subtasks (children.h) */
};

/* The run with that id; the newest that no run delegated for "last"; or the one whose id starts or ends with that text (at least 4 characters) when
 * just one does. IA_E_NOT_FOUND; IA_E_USAGE when several match, naming some. Free with
 * ia_run_row_free. */
enum ia_rc ia_store_run(struct ia_store *s, const char *id, struct ia_run_row **ret,
                        struct ia_err *err);
void ia_run_row_free(struct ia_run_row *row);
/* Who answered, as every surface says it: the model that was configured, or the demo brain, which
 * is no model, whichever was configured; none where a recording was done again as it is. */
#define IA_DEMO_MODEL "demo brain"
#define IA_NO_MODEL "none"
const char *ia_run_model(const struct ia_run_row *row);
/* What people read of a run: its outcome where it is a passed replay, else its state. What a model healed is told
 * apart from a pass everywhere. */
const char *ia_run_word(enum ia_run_state state, const char *outcome);
/* NULL is fine. */
bool ia_outcome_healed(const char *outcome);
/* False when the process that claimed the run is gone (or nobody claimed it). */
bool ia_run_owner_alive(const struct ia_run_row *row);

enum { IA_RUN_LIST_MAX = 10000 };
/* A state, with "passed" also those that were replayed or healed; one of these outcomes; or not yet final. */
#define IA_RUN_FILTERS                                                                         \
    "passed|replayed|healed|failed|blocked|error|cancelled|queued|claimed|running|retry_wait|" \
    "unfinished"
struct ia_run_filter {
    int limit;             /* 0: 50; at most IA_RUN_LIST_MAX */
    const char *state;     /* one of IA_RUN_FILTERS; NULL: every state */
    const char *before_id; /* NULL, or older than this run (paging) */
    int skip;              /* so many of the newest ones are left out; costs their ids */
    /* Each NULL: every one. */
    const char *lane, *agent, *schedule;
    const char *sweep_id; /* a whole id */
    const char *goal;     /* its name or, where no goal has that name, its text */
    const char *text;     /* a part of either; upper and lower case of ASCII are the same */
    bool top;             /* without those that another run delegated */
};
typedef bool ia_run_fn(void *ctx, const struct ia_run_row *row);
/* Newest first. IA_E_USAGE for an unknown state name. */
enum ia_rc ia_store_runs(struct ia_store *s, const struct ia_run_filter *filter, ia_run_fn *fn,
                         void *ctx, struct ia_err *err);
/* How many there are, on all pages: limit, before_id and skip do not count. */
enum ia_rc ia_store_runs_count(struct ia_store *s, const struct ia_run_filter *filter,
                               int64_t *ret, struct ia_err *err);

enum ia_cancel_result {
    IA_CANCEL_ASKED,   /* its owner lives and will see the request */
    IA_CANCEL_DONE,    /* nobody was running it: it is cancelled now */
    IA_CANCEL_TOO_LATE /* it had already finished */
};
/* Why nobody had to end a run that is cancelled at once (IA_CANCEL_DONE): from its state and the number of
 * subtasks that it waited for. Its process may live all the same, and wait with it. */
const char *ia_run_cancelled_while(enum ia_run_state state, int64_t waits_for);
/* Asks for the end of a run, from any process. run_id is a whole id. */
enum ia_rc ia_store_cancel_run(struct ia_store *s, const char *run_id,
                               enum ia_cancel_result *ret, struct ia_err *err);
/* How far a run is; IA_E_NOT_FOUND. One indexed read, as the next. */
enum ia_rc ia_store_run_state(struct ia_store *s, const char *run_id, enum ia_run_state *ret,
                              struct ia_err *err);
/* Whether somebody asked; for the owner between commits. */
enum ia_rc ia_store_cancel_requested(struct ia_store *s, const char *run_id, bool *ret,
                                     struct ia_err *err);
/* As ia_tx_begin, for what can as well be done later: IA_E_DB_LOCKED at once where another
 * thread writes, and within 20 ms where another process does. */
enum ia_rc ia_tx_begin_at_once(struct ia_store *s, struct ia_tx **ret, struct ia_err *err);
/* ia_tx_heartbeat in a transaction of its own, begun at once; ret_cancel may be NULL. */
enum ia_rc ia_store_heartbeat(struct ia_store *s, const char *run_id, bool *ret_cancel,
                              struct ia_err *err);

/* ---- transcript ------------------------------------------------------------------------ */

/* Of a message's content, a tool's input and a tool's result, each; beyond it IA_E_LIMIT. */
enum { IA_CONTENT_BYTES_MAX = 32 << 20 };

struct ia_message_row {
    int seq;               /* 1, 2, …; given by the store */
    const char *role;      /* "user" or "assistant" */
    const char *purpose;   /* "act" or "verify" */
    struct ia_str content; /* JSON array of content blocks, byte for byte as sent or received */
    const char *stop_reason, *model, *request_id; /* NULL where unknown */
    struct ia_usage_row usage;
    int64_t ms;         /* how long the answer took; 0 for user messages */
    int64_t created_ms; /* given by the store */
};

void ia_tx_add_message(struct ia_tx *tx, const char *run_id,
                       const struct ia_message_row *message, int *ret_seq);
typedef bool ia_message_fn(void *ctx, const struct ia_message_row *row);
/* All messages of a run in order. purpose NULL: both. */
enum ia_rc ia_store_messages(struct ia_store *s, const char *run_id, const char *purpose,
                             ia_message_fn *fn, void *ctx, struct ia_err *err);

/* ---- the journal ----------------------------------------------------------------------- */

/* intent ──► done. An intent without a result after a crash: the tool may have run. */
enum ia_call_state { IA_CALL_INTENT, IA_CALL_DONE, IA_CALL_STATE_COUNT };
const char *ia_call_state_name(enum ia_call_state state);
/* The state with that name, or IA_CALL_STATE_COUNT. */
enum ia_call_state ia_call_state_from_name(const char *name);

struct ia_call_row {
    int message_seq;         /* of the assistant message that holds the tool_use */
    int step;                /* the run's own count of tool calls, from 1 */
    const char *tool_use_id; /* unique within the run */
    const char *name;
    struct ia_str input; /* JSON object */
    bool has_effect;     /* false: harmless to repeat */
    enum ia_call_state state;
    bool not_begun; /* its effect is marked as not begun (ia_tx_set_begun) */
    /* the result; empty while state is intent */
    struct ia_str result; /* JSON: content of the tool_result, byte for byte */
    bool is_error;
    const char *code;    /* enum ia_rc by name */
    const char *outcome; /* "", "not_sent", "sent" or "unknown" */
    int64_t ms;
    struct ia_str screen;   /* text form of the screen after the call; empty when not read */
    struct ia_str recorded; /* what it takes to make it again, JSON; empty: not known */
    int64_t intent_ms, done_ms; /* given by the store */
};

/* Commits to running a tool; state and result fields are ignored. IA_E_EXISTS when the run
 * already has that tool_use_id. */
void ia_tx_add_call(struct ia_tx *tx, const char *run_id, const struct ia_call_row *call);
/* Whether the effect of a call may have begun, of one that is stopped between its intent and its effect. */
void ia_tx_set_begun(struct ia_tx *tx, const char *run_id, const char *tool_use_id, bool begun);
/* Records what came of it: result, is_error, code, outcome, ms, screen and recorded of `call`, found by its
 * tool_use_id.
 * IA_E_NOT_FOUND without an intent, IA_E_STATE when it already has a result. */
void ia_tx_set_result(struct ia_tx *tx, const char *run_id, const struct ia_call_row *call);
typedef bool ia_call_fn(void *ctx, const struct ia_call_row *row);
/* All calls of a run in order. */
enum ia_rc ia_store_calls(struct ia_store *s, const char *run_id, ia_call_fn *fn, void *ctx,
                          struct ia_err *err);
/* Appends the newest screen of them, in text form; nothing where none was read. */
enum ia_rc ia_store_call_screen(struct ia_store *s, const char *run_id, struct ia_buf *ret,
                                struct ia_err *err);

/* ---- events ---------------------------------------------------------------------------- */

enum { IA_EVENT_BATCH_MAX = 1000, IA_EVENT_BYTES_MAX = 1 << 20 };

struct ia_event_row {
    int64_t id;  /* grows over all runs; a reader that continues after the last id it saw
                    misses nothing */
    int64_t seq; /* 1, 2, … within the run */
    const char *run_id;
    enum ia_event_type type; /* IA_EVENT_COUNT: one of another version */
    int64_t ts_ms;
    struct ia_str json; /* for ia_event_read */
};

/* Appends an event. The committed object is appended to ret_json (may be NULL), for observers
 * after the commit. */
void ia_tx_add_event(struct ia_tx *tx, const char *run_id, struct ia_event_ref event,
                     struct ia_buf *ret_json);
typedef bool ia_event_fn(void *ctx, const struct ia_event_row *row);
/* Which events to read. */
struct ia_event_range {
    const char *run_id; /* NULL: of all runs */
    int64_t after_id;   /* only events with a larger id */
    int64_t after_seq;  /* only events with a larger seq, where there is a run_id */
    int limit;          /* cut to IA_EVENT_BATCH_MAX; 0 means that */
    const char *lane;   /* NULL: of all; ignored where there is a run_id */
};
/* Events of the range, oldest first. ret_last (may be NULL) gets the last id given to fn, or
 * after_id. */
enum ia_rc ia_store_events(struct ia_store *s, const struct ia_event_range *range,
                           ia_event_fn *fn, void *ctx, int64_t *ret_last, struct ia_err *err);

/* Appends the newest event of that type of a run; nothing where it has none. */
enum ia_rc ia_store_newest_event(struct ia_store *s, const char *run_id,
                                 enum ia_event_type type, struct ia_buf *ret_json,
                                 struct ia_err *err);

/* How many events the range has, counted up to its limit. */
enum ia_rc ia_store_events_count(struct ia_store *s, const struct ia_event_range *range,
                                 int *ret, struct ia_err *err);

/* How far a consumer has read. Never moves back. An unknown consumer is at 0. */
enum ia_rc ia_store_cursor(struct ia_store *s, const char *consumer, int64_t *ret_event_id,
                           struct ia_err *err);
void ia_tx_set_cursor(struct ia_tx *tx, const char *consumer, int64_t event_id);
/* The same, and whether it moved: of several processes that take the same event, one does. */
void ia_tx_move_cursor(struct ia_tx *tx, const char *consumer, int64_t event_id,
                       bool *ret_moved);
/* The id of the newest event, 0 without any. */
enum ia_rc ia_store_last_event(struct ia_store *s, int64_t *ret_event_id, struct ia_err *err);

/* ---- agents ---------------------------------------------------------------------------- */

enum { IA_MEMORY_BYTES_MAX = 64 << 10, IA_AGENT_MEMORY_SIZE = 8 };
/* What an agent remembers by: lines that `remember` writes, files, or nothing. */
#define IA_AGENT_MEMORY_KINDS "notes|files|off"
#define IA_AGENT_MEMORY_NOTES "notes"
#define IA_AGENT_MEMORY_FILES "files"

struct ia_agent_row {
    const char *name;           /* unique */
    const char *model, *prompt; /* NULL: the default */
    const char *tools;          /* JSON array of names, or NULL: the device's */
    const char *role; /* what it is for, told to it and to those who may call it; or NULL */
    const char *skills, *may_call; /* JSON arrays of names; NULL: none */
    const char *memory_kind;       /* one of IA_AGENT_MEMORY_KINDS; NULL: notes */
    const char
        *budget; /* JSON object: max_steps, max_seconds, max_tokens, max_usd; NULL: none */
    const char *memory;             /* Markdown; never NULL when read */
    const char *session;            /* ia_store_session, or NULL; read only */
    int64_t created_ms, updated_ms; /* given by the store */
};

/* Adds or replaces the configuration; the memory of an existing agent stays. */
void ia_tx_put_agent(struct ia_tx *tx, const struct ia_agent_row *agent);
/* IA_E_NOT_FOUND without that agent. */
void ia_tx_remove_agent(struct ia_tx *tx, const char *name);
/* Replaces an agent's memory. IA_E_NOT_FOUND; IA_E_LIMIT beyond IA_MEMORY_BYTES_MAX. */
void ia_tx_set_memory(struct ia_tx *tx, const char *agent, struct ia_str text);
typedef bool ia_agent_fn(void *ctx, const struct ia_agent_row *row);
/* Agents by name; name NULL lists all. IA_E_NOT_FOUND when the named one does not exist. */
enum ia_rc ia_store_agents(struct ia_store *s, const char *name, ia_agent_fn *fn, void *ctx,
                           struct ia_err *err);

/* Trusts a skill's folder by the hash of what lies in it (agent/skills/folder.h); granted: JSON array of the names
 * of secrets that it may have, or NULL. What was said of the hash before is replaced. */
void ia_tx_trust_skill(struct ia_tx *tx, const char *hash, const char *name,
                       const char *granted);
/* Neither that hash nor any that was trusted as that name is trusted any more. */
void ia_tx_distrust_skill(struct ia_tx *tx, const char *hash, const char *name);
/* *ret_granted (may be NULL) is freed by the caller; NULL where nothing is granted. */
enum ia_rc ia_store_skill_trusted(struct ia_store *s, const char *hash, bool *ret,
                                  char **ret_granted, struct ia_err *err);

/* The conversation that an agent continues: the run whose messages are its history. */
void ia_tx_set_session(struct ia_tx *tx, const char *agent, const char *run_id);
/* The next run begins a new one; the runs of this one stay. Nothing where there is none. */
void ia_tx_forget_session(struct ia_tx *tx, const char *agent);
/* ret_run_id is "" when the agent has none. */
enum ia_rc ia_store_session(struct ia_store *s, const char *agent, char ret_run_id[IA_ID_SIZE],
                            struct ia_err *err);

/* ---- lanes ----------------------------------------------------------------------------- */

/* The right to drive one device: a row that says who, and a file lock (lanes/<lane>.lock) that
 * the system takes back when the process dies. */
struct ia_lease;

enum { IA_LANE_MAX = 80 }; /* bytes of a lane's name */

/* Takes the lane for a run (NULL: for a command without one), without waiting. IA_E_BUSY when
 * it is held, with a message such as "embedded:demo is busy: held by run 0199… (ios-agent run,
 * pid 41) for 42 s". A lease of a dead process is taken over; one whose time ran out only when
 * the file lock is free too. Renew before ttl_ms is over. Release with ia_lease_release. */
enum ia_rc ia_lease_take(struct ia_store *s, const char *lane, const char *run_id,
                         int64_t ttl_ms, struct ia_lease **ret, struct ia_err *err);
/* The same in two parts, for a row that shares the commit of what begins and ends with it: the file lock,
 * with IA_E_BUSY as above, and then the row, of which the transaction fails with IA_E_BUSY. */
enum ia_rc ia_lease_lock(struct ia_store *s, const char *lane, const char *run_id,
                         struct ia_lease **ret, struct ia_err *err);
void ia_tx_put_lease(struct ia_tx *tx, struct ia_lease *lease, const char *run_id,
                     int64_t ttl_ms);
/* Takes the row away; once that is committed, ia_lease_dropped (NULL is fine) spares ia_lease_release
 * the commit. */
void ia_tx_drop_lease(struct ia_tx *tx, const struct ia_lease *lease);
void ia_lease_dropped(struct ia_lease *lease);
/* IA_E_STATE when the lane was taken over meanwhile: stop driving the device. */
enum ia_rc ia_lease_renew(struct ia_lease *lease, int64_t ttl_ms, struct ia_err *err);
/* Gives the lane back and frees. NULL is fine. */
void ia_lease_release(struct ia_lease *lease);

struct ia_lease_row {
    const char *lane, *run_id, *owner_command;
    int64_t owner_pid, since_ms, expires_ms;
    bool owner_alive;
};
typedef bool ia_lease_fn(void *ctx, const struct ia_lease_row *row);
enum ia_rc ia_store_leases(struct ia_store *s, ia_lease_fn *fn, void *ctx, struct ia_err *err);

#endif
