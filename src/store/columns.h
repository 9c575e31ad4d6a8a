/* columns.h: each row type as one list of its columns (private to store/).
 *
 * A list says for every column its kind, the member that gets it, and its SQL. From it come both
 * the SELECT list of the statements (sql.c) and the reader of their rows, so that neither can be
 * changed without the other:
 *
 *     #define IA_INBOX_COLUMNS(FIRST, NEXT, T)
 *         FIRST(T, INT, id, "id") NEXT(T, TEXT, sender, "sender")
 *
 *     "SELECT " IA_SELECT(IA_INBOX_COLUMNS) " FROM inbox"
 *     static const struct ia_column columns[] = IA_READERS(IA_INBOX_COLUMNS, struct ia_inbox_row);
 *
 * Kinds, and the member's type, which the compiler checks:
 *     TEXT  const char *, borrowed        STR   struct ia_str, borrowed
 *     INT   int, int64_t or bool          REAL  double, NULL reads as 0
 *     TIME  int64_t wall ms, from ISO-8601; NULL reads as 0
 *     COST  for the member `x`: x_usd, and x_known, which is false for NULL
 *     RUN_STATE, … an enum of names.h     EVENT enum ia_event_type */
#ifndef IA_STORE_COLUMNS_H
#define IA_STORE_COLUMNS_H

#include "events/events.h"
#include "store/db.h"
#include "store/names.h"

#include <stddef.h>

enum ia_column_kind {
    IA_COLUMN_IS_TEXT,
    IA_COLUMN_IS_STR,
    IA_COLUMN_IS_INT,
    IA_COLUMN_IS_INT64,
    IA_COLUMN_IS_BOOL,
    IA_COLUMN_IS_REAL,
    IA_COLUMN_IS_TIME,
    IA_COLUMN_IS_COST,
    IA_COLUMN_IS_NAME,
    IA_COLUMN_IS_EVENT
};

struct ia_column {
    enum ia_column_kind kind;
    size_t offset;                /* of the member */
    size_t known;                 /* IA_COLUMN_IS_COST: offset of the bool */
    const struct ia_names *names; /* IA_COLUMN_IS_NAME */
};

/* Reads the next n columns of the current row into the struct; its other members stay. */
void ia_columns_read(const struct ia_column *columns, size_t n, struct ia_q *q, void *row);
/* A copy of the struct of `size` bytes that owns its texts, all in one block: free with free().
 * Only for rows without STR. */
void *ia_columns_copy(const struct ia_column *columns, size_t n, const void *row, size_t size);

/* clang-format off */
#define IA_SELECT_FIRST(T, kind, member, sql) sql
#define IA_SELECT_NEXT(T, kind, member, sql) ", " sql
#define IA_SELECT(LIST) LIST(IA_SELECT_FIRST, IA_SELECT_NEXT, )

#define IA_READER(T, kind, member, sql) IA_COLUMN_##kind(T, member),
#define IA_READERS(LIST, T) {LIST(IA_READER, IA_READER, T)}

/* _Generic without a default does not compile for a member of another type. */
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a type */
#define IA_MEMBER_IS(T, member, type, kind) _Generic(((T *)0)->member, type: (kind))
#define IA_COLUMN_TEXT(T, m) \
    {.kind = IA_MEMBER_IS(T, m, const char *, IA_COLUMN_IS_TEXT), .offset = offsetof(T, m)}
#define IA_COLUMN_STR(T, m) \
    {.kind = IA_MEMBER_IS(T, m, struct ia_str, IA_COLUMN_IS_STR), .offset = offsetof(T, m)}
#define IA_COLUMN_INT(T, m) \
    {.kind = _Generic(((T *)0)->m, int: IA_COLUMN_IS_INT, int64_t: IA_COLUMN_IS_INT64, \
                      bool: IA_COLUMN_IS_BOOL), .offset = offsetof(T, m)}
#define IA_COLUMN_REAL(T, m) \
    {.kind = IA_MEMBER_IS(T, m, double, IA_COLUMN_IS_REAL), .offset = offsetof(T, m)}
#define IA_COLUMN_TIME(T, m) \
    {.kind = IA_MEMBER_IS(T, m, int64_t, IA_COLUMN_IS_TIME), .offset = offsetof(T, m)}
#define IA_COLUMN_COST(T, m) \
    {.kind = IA_MEMBER_IS(T, m##_usd, double, IA_COLUMN_IS_COST), \
     .offset = offsetof(T, m##_usd), .known = offsetof(T, m##_known)}
#define IA_COLUMN_EVENT(T, m) \
    {.kind = IA_MEMBER_IS(T, m, enum ia_event_type, IA_COLUMN_IS_EVENT), .offset = offsetof(T, m)}
#define IA_COLUMN_NAME(T, m, noun) \
    {.kind = IA_MEMBER_IS(T, m, enum ia_##noun, IA_COLUMN_IS_NAME), .offset = offsetof(T, m), \
     .names = &ia_##noun##_names}
#define IA_COLUMN_RUN_STATE(T, m) IA_COLUMN_NAME(T, m, run_state)
#define IA_COLUMN_RUN_KIND(T, m) IA_COLUMN_NAME(T, m, run_kind)
#define IA_COLUMN_CALL_STATE(T, m) IA_COLUMN_NAME(T, m, call_state)
#define IA_COLUMN_SCHEDULE_KIND(T, m) IA_COLUMN_NAME(T, m, schedule_kind)
#define IA_COLUMN_MISSED(T, m) IA_COLUMN_NAME(T, m, missed)
#define IA_COLUMN_OVERLAP(T, m) IA_COLUMN_NAME(T, m, overlap)
#define IA_COLUMN_NOTICE_STATE(T, m) IA_COLUMN_NAME(T, m, notice_state)
#define IA_COLUMN_RECORDING_STATE(T, m) IA_COLUMN_NAME(T, m, recording_state)
#define IA_COLUMN_QUESTION_STATE(T, m) IA_COLUMN_NAME(T, m, question_state)
#define IA_COLUMN_SWEEP_STATE(T, m) IA_COLUMN_NAME(T, m, sweep_state)
#define IA_COLUMN_SWEEP_GOAL_STATE(T, m) IA_COLUMN_NAME(T, m, sweep_goal_state)

/* ---- the lists ---- */

#define IA_USAGE_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, INT, input, "tokens_input") \
    NEXT(T, INT, cache_read, "tokens_cache_read") \
    NEXT(T, INT, cache_write, "tokens_cache_write") \
    NEXT(T, INT, output, "tokens_output") \
    NEXT(T, COST, cost, "cost_usd")

/* "asking" is no word of a row: it is "blocked" without an end (names.c). */
#define IA_RUN_STATE_SQL(r) \
    "iif(" r "state = 'blocked' AND " r "finished_at IS NULL, 'asking', " r "state)"

/* What a run used up so far. */
#define IA_RUN_USED_COLUMNS(NEXT, T) \
    NEXT(T, INT, steps, "r.steps") \
    NEXT(T, INT, usage.input, "r.tokens_input") \
    NEXT(T, INT, usage.cache_read, "r.tokens_cache_read") \
    NEXT(T, INT, usage.cache_write, "r.tokens_cache_write") \
    NEXT(T, INT, usage.output, "r.tokens_output") \
    NEXT(T, COST, usage.cost, "r.cost_usd")

/* What figures are made of: the members of a run that are small. */
#define IA_RUN_FIGURE_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, TEXT, id, "r.id") \
    NEXT(T, TEXT, goal, "g.text") \
    NEXT(T, TEXT, name, "g.name") \
    NEXT(T, RUN_STATE, state, IA_RUN_STATE_SQL("r.")) \
    NEXT(T, TEXT, basis, "r.basis") \
    NEXT(T, TEXT, outcome, "r.outcome") \
    NEXT(T, TIME, created_ms, "r.created_at") \
    NEXT(T, TIME, started_ms, "r.started_at") \
    NEXT(T, TIME, finished_ms, "r.finished_at") \
    NEXT(T, INT, demo, "r.demo") \
    NEXT(T, TEXT, sweep_id, "r.sweep_id") \
    NEXT(T, INT, sweep_no, "r.sweep_no") \
    NEXT(T, INT, delegates, "EXISTS (SELECT 1 FROM runs c WHERE c.parent_id = r.id)") \
    IA_RUN_USED_COLUMNS(NEXT, T)

#define IA_RUN_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, TEXT, id, "r.id") \
    NEXT(T, TEXT, goal_id, "r.goal_id") \
    NEXT(T, TEXT, goal, "g.text") \
    NEXT(T, TEXT, app, "g.app") \
    NEXT(T, TEXT, hint, "g.hint") \
    NEXT(T, TEXT, agent, "r.agent") \
    NEXT(T, TEXT, model, "r.model") \
    NEXT(T, TEXT, lane, "r.lane") \
    NEXT(T, TEXT, expect, "g.expect") \
    NEXT(T, TEXT, budget, "g.budget") \
    NEXT(T, TEXT, device, "r.device") \
    NEXT(T, TEXT, options, "r.options") \
    NEXT(T, RUN_STATE, state, IA_RUN_STATE_SQL("r.")) \
    NEXT(T, INT, attempt, "r.attempt") \
    NEXT(T, TEXT, code, "r.code") \
    NEXT(T, TEXT, summary, "r.summary") \
    NEXT(T, TEXT, basis, "r.basis") \
    NEXT(T, TEXT, result, "r.result") \
    NEXT(T, TEXT, screenshot, "r.screenshot") \
    NEXT(T, TEXT, notes, "r.notes") \
    NEXT(T, INT, owner_pid, "r.owner_pid") \
    NEXT(T, TEXT, owner_token, "r.owner_token") \
    NEXT(T, TEXT, owner_command, "r.owner_command") \
    NEXT(T, TIME, created_ms, "r.created_at") \
    NEXT(T, TIME, started_ms, "r.started_at") \
    NEXT(T, TIME, finished_ms, "r.finished_at") \
    NEXT(T, TIME, heartbeat_ms, "r.heartbeat_at") \
    NEXT(T, TIME, retry_at_ms, "r.retry_at") \
    NEXT(T, INT, cancel_requested, "r.cancel_requested") \
    NEXT(T, INT, demo, "r.demo") \
    NEXT(T, RUN_KIND, kind, "r.kind") \
    NEXT(T, TEXT, name, "g.name") \
    NEXT(T, TEXT, sweep_id, "r.sweep_id") \
    NEXT(T, INT, sweep_no, "r.sweep_no") \
    NEXT(T, TEXT, schedule, "r.schedule") \
    NEXT(T, TIME, tool_deadline_ms, "r.tool_deadline_at") \
    NEXT(T, TEXT, recording, "r.recording") \
    NEXT(T, TEXT, outcome, "r.outcome") \
    NEXT(T, TEXT, parent_id, "r.parent_id") \
    NEXT(T, TEXT, parent_call, "r.parent_call") \
    NEXT(T, INT, waits_for, "r.waits_for") \
    IA_RUN_USED_COLUMNS(NEXT, T)

#define IA_MESSAGE_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, INT, seq, "seq") \
    NEXT(T, TEXT, role, "role") \
    NEXT(T, TEXT, purpose, "purpose") \
    NEXT(T, STR, content, "content") \
    NEXT(T, TEXT, stop_reason, "stop_reason") \
    NEXT(T, TEXT, model, "model") \
    NEXT(T, TEXT, request_id, "request_id") \
    NEXT(T, INT, usage.input, "tokens_input") \
    NEXT(T, INT, usage.cache_read, "tokens_cache_read") \
    NEXT(T, INT, usage.cache_write, "tokens_cache_write") \
    NEXT(T, INT, usage.output, "tokens_output") \
    NEXT(T, COST, usage.cost, "cost_usd") \
    NEXT(T, INT, ms, "ms") \
    NEXT(T, TIME, created_ms, "created_at")

#define IA_CALL_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, INT, message_seq, "message_seq") \
    NEXT(T, INT, step, "step") \
    NEXT(T, TEXT, tool_use_id, "tool_use_id") \
    NEXT(T, TEXT, name, "name") \
    NEXT(T, STR, input, "input") \
    NEXT(T, INT, has_effect, "has_effect") \
    NEXT(T, CALL_STATE, state, "state") \
    NEXT(T, INT, not_begun, "coalesce(begun = 0, 0)") \
    NEXT(T, STR, result, "result") \
    NEXT(T, INT, is_error, "is_error") \
    NEXT(T, TEXT, code, "code") \
    NEXT(T, TEXT, outcome, "outcome") \
    NEXT(T, INT, ms, "ms") \
    NEXT(T, TIME, intent_ms, "intent_at") \
    NEXT(T, TIME, done_ms, "done_at") \
    NEXT(T, STR, screen, "screen") \
    NEXT(T, STR, recorded, "recorded")

#define IA_EVENT_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, INT, id, "id") \
    NEXT(T, INT, seq, "seq") \
    NEXT(T, TEXT, run_id, "run_id") \
    NEXT(T, EVENT, type, "type") \
    NEXT(T, TIME, ts_ms, "ts") \
    NEXT(T, STR, json, "json")

#define IA_AGENT_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, TEXT, name, "name") \
    NEXT(T, TEXT, model, "model") \
    NEXT(T, TEXT, prompt, "prompt") \
    NEXT(T, TEXT, tools, "tools") \
    NEXT(T, TEXT, role, "role") \
    NEXT(T, TEXT, skills, "skills") \
    NEXT(T, TEXT, may_call, "may_call") \
    NEXT(T, TEXT, memory_kind, "memory_kind") \
    NEXT(T, TEXT, budget, "budget") \
    NEXT(T, TEXT, memory, "memory") \
    NEXT(T, TEXT, session, "(SELECT run_id FROM sessions WHERE agent = name)") \
    NEXT(T, TIME, created_ms, "created_at") \
    NEXT(T, TIME, updated_ms, "updated_at")

#define IA_LEASE_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, TEXT, lane, "lane") \
    NEXT(T, TEXT, run_id, "run_id") \
    NEXT(T, INT, owner_pid, "owner_pid") \
    NEXT(T, TEXT, owner_command, "owner_command") \
    NEXT(T, TIME, since_ms, "since") \
    NEXT(T, TIME, expires_ms, "expires")

#define IA_INBOX_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, INT, id, "id") \
    NEXT(T, TEXT, sender, "sender") \
    NEXT(T, TEXT, text, "text") \
    NEXT(T, TIME, created_ms, "created_at")

#define IA_SCHEDULE_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, TEXT, name, "name") \
    NEXT(T, SCHEDULE_KIND, kind, "kind") \
    NEXT(T, TEXT, spec, "spec") \
    NEXT(T, TEXT, zone, "zone") \
    NEXT(T, MISSED, missed, "missed") \
    NEXT(T, OVERLAP, overlap, "overlap") \
    NEXT(T, INT, grace_s, "grace_s") \
    NEXT(T, TEXT, precheck, "precheck") \
    NEXT(T, TEXT, notify, "notify") \
    NEXT(T, TEXT, run, "run") \
    NEXT(T, TEXT, lane, "lane") \
    NEXT(T, INT, paused, "paused") \
    NEXT(T, TIME, next_ms, "next_at") \
    NEXT(T, TIME, anchor_ms, "anchor_at") \
    NEXT(T, TEXT, last_verdict, "last_verdict") \
    NEXT(T, TEXT, problem, "problem") \
    NEXT(T, TIME, created_ms, "created_at") \
    NEXT(T, TIME, updated_ms, "updated_at")

/* From schedule_runs f and, where there is one, its run r. */
#define IA_FIRE_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, TEXT, schedule, "f.schedule") \
    NEXT(T, TEXT, run_id, "f.run_id") \
    NEXT(T, TEXT, reason, "f.reason") \
    NEXT(T, RUN_STATE, run_state, IA_RUN_STATE_SQL("r.")) \
    NEXT(T, TEXT, run_code, "r.code") \
    NEXT(T, TEXT, run_outcome, "r.outcome") \
    NEXT(T, TIME, scheduled_ms, "f.scheduled_for") \
    NEXT(T, TIME, fired_ms, "f.fired_at") \
    NEXT(T, TIME, run_finished_ms, "r.finished_at") \
    NEXT(T, COST, cost, "CASE WHEN r.demo = 0 THEN r.cost_usd END")

/* From the events e of runs r that a fire f of the schedule s started, for the goal g. */
#define IA_FIRE_END_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, INT, event_id, "e.id") \
    NEXT(T, TIME, finished_ms, "e.ts") \
    NEXT(T, TEXT, schedule, "f.schedule") \
    NEXT(T, TIME, scheduled_ms, "f.scheduled_for") \
    NEXT(T, TEXT, run_id, "r.id") \
    NEXT(T, RUN_STATE, state, IA_RUN_STATE_SQL("r.")) \
    NEXT(T, TEXT, code, "r.code") \
    NEXT(T, TEXT, outcome, "r.outcome") \
    NEXT(T, TEXT, summary, "r.summary") \
    NEXT(T, INT, demo, "r.demo") \
    NEXT(T, INT, steps, "r.steps") \
    NEXT(T, COST, cost, "r.cost_usd") \
    NEXT(T, TEXT, goal, "g.text") \
    NEXT(T, TEXT, last_verdict, "s.last_verdict") \
    NEXT(T, TEXT, notify, "s.notify")

#define IA_NOTICE_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, INT, id, "id") \
    NEXT(T, TEXT, schedule, "schedule") \
    NEXT(T, TEXT, run_id, "run_id") \
    NEXT(T, TEXT, target, "target") \
    NEXT(T, TEXT, body, "body") \
    NEXT(T, NOTICE_STATE, state, "state") \
    NEXT(T, INT, attempts, "attempts") \
    NEXT(T, TIME, due_ms, "due_at") \
    NEXT(T, TEXT, problem, "problem") \
    NEXT(T, TIME, created_ms, "created_at")

#define IA_RECORDING_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, TEXT, id, "id") \
    NEXT(T, TEXT, name, "name") \
    NEXT(T, TEXT, goal_hash, "goal_hash") \
    NEXT(T, TEXT, run_id, "run_id") \
    NEXT(T, TEXT, parent, "parent") \
    NEXT(T, RECORDING_STATE, state, "state") \
    NEXT(T, INT, passes, "max(passes, 0)") \
    NEXT(T, TEXT, steps_hash, "steps_hash") \
    NEXT(T, TEXT, body, "body") \
    NEXT(T, TEXT, decided_by, "decided_by") \
    NEXT(T, TIME, decided_ms, "decided_at") \
    NEXT(T, TIME, created_ms, "created_at")

/* From questions q, the run r that asks, and its goal g. */
#define IA_QUESTION_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, TEXT, id, "q.id") \
    NEXT(T, TEXT, run_id, "q.run_id") \
    NEXT(T, TEXT, tool_use_id, "q.tool_use_id") \
    NEXT(T, TEXT, rule, "q.rule") \
    NEXT(T, TEXT, text, "q.text") \
    NEXT(T, TEXT, detail, "q.detail") \
    NEXT(T, QUESTION_STATE, state, "q.state") \
    NEXT(T, TIME, asked_ms, "q.asked_at") \
    NEXT(T, TIME, expires_ms, "q.expires_at") \
    NEXT(T, TIME, answered_ms, "q.answered_at") \
    NEXT(T, TEXT, answered_by, "q.answered_by") \
    NEXT(T, TEXT, note, "q.note") \
    NEXT(T, TEXT, goal, "g.text") \
    NEXT(T, TEXT, lane, "r.lane")

#define IA_SWEEP_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, TEXT, id, "id") \
    NEXT(T, TEXT, title, "title") \
    NEXT(T, TEXT, options, "options") \
    NEXT(T, REAL, max_usd, "max_usd") \
    NEXT(T, TIME, created_ms, "created_at") \
    NEXT(T, TIME, finished_ms, "finished_at") \
    NEXT(T, SWEEP_STATE, state, "state") \
    NEXT(T, TEXT, why, "why") \
    NEXT(T, INT, owner_pid, "owner_pid") \
    NEXT(T, INT, goals, "(SELECT count(*) FROM sweep_goals WHERE sweep_id = id)")

/* From sweep_goals g and all its runs r. Sums of costs: what is known, and whether no run used
 * tokens without a known cost. */
#define IA_SWEEP_GOAL_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, INT, no, "g.no") \
    NEXT(T, TEXT, name, "g.name") \
    NEXT(T, TEXT, file, "g.file") \
    NEXT(T, TEXT, needs, "g.needs") \
    NEXT(T, INT, line, "g.line") \
    NEXT(T, INT, repeat, "g.repeat") \
    NEXT(T, TEXT, tags, "g.tags") \
    NEXT(T, TEXT, job, "g.job") \
    NEXT(T, TEXT, eval, "g.eval") \
    NEXT(T, TEXT, judged, "g.judged") \
    NEXT(T, SWEEP_GOAL_STATE, state, "g.state") \
    NEXT(T, TEXT, reason, "g.reason") \
    NEXT(T, INT, tries, "count(r.id)") \
    NEXT(T, TEXT, run_id, "r.id") \
    NEXT(T, TEXT, code, "r.code") \
    NEXT(T, TEXT, outcome, "r.outcome") \
    NEXT(T, REAL, cost_usd, "total(cost_usd)") \
    NEXT(T, INT, cost_known, "total(cost_usd IS NULL AND tokens_output > 0) = 0") \
    NEXT(T, INT, ms, \
         "COALESCE(sum(CAST(round((julianday(finished_at) - julianday(started_at)) * 86400000) " \
         "AS INTEGER)), 0)")

/* Over all runs of a sweep. */
#define IA_USAGE_SUM_COLUMNS(FIRST, NEXT, T) \
    FIRST(T, INT, input, "COALESCE(sum(tokens_input), 0)") \
    NEXT(T, INT, cache_read, "COALESCE(sum(tokens_cache_read), 0)") \
    NEXT(T, INT, cache_write, "COALESCE(sum(tokens_cache_write), 0)") \
    NEXT(T, INT, output, "COALESCE(sum(tokens_output), 0)") \
    NEXT(T, REAL, cost_usd, "total(cost_usd)") \
    NEXT(T, INT, cost_known, "total(cost_usd IS NULL AND tokens_output > 0) = 0")
/* clang-format on */

#endif
