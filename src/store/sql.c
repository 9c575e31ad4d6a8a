/* sql.c: the text of every statement. What a listing selects comes from the lists of columns.h. */
#include "store/sql.h"

#include "store/columns.h"

#define RUN_COLUMNS IA_SELECT(IA_RUN_COLUMNS) " "
#define FIGURES IA_SELECT(IA_RUN_FIGURE_COLUMNS) " "
#define RUNS RUN_COLUMNS "FROM runs r JOIN goals g ON g.id = r.goal_id "

/* As the partial indices say it. */
#define UNFINISHED                                                                             \
    "(state IN ('queued', 'claimed', 'running', 'retry_wait') OR "                             \
    "(state = 'blocked' AND finished_at IS NULL))"
/* The + keeps SQLite from reading them by their end. */
#define OVER "+r.finished_at NOT NULL"

#define SCHEDULES "SELECT " IA_SELECT(IA_SCHEDULE_COLUMNS) " FROM schedules "
#define NOTICES "SELECT " IA_SELECT(IA_NOTICE_COLUMNS) " FROM notices "
#define RECORDINGS "SELECT " IA_SELECT(IA_RECORDING_COLUMNS) " FROM recordings "
#define FLEET_RUNS                                                                             \
    "SELECT run_id, batch, state, order_run, worker, fetch_from, key, attempt FROM "           \
    "fleet_runs "
#define EVENTS "SELECT " IA_SELECT(IA_EVENT_COLUMNS) " FROM events "
#define OF_LANE "(SELECT lane FROM runs r WHERE r.id = run_id) = ?3"
#define COUNT_EVENTS "SELECT count(*) FROM (SELECT 1 FROM events WHERE id > ?1 "
#define QUESTIONS                                                                              \
    "SELECT " IA_SELECT(                                                                       \
        IA_QUESTION_COLUMNS) " FROM questions q JOIN runs r ON r.id = q.run_id "               \
                             "JOIN goals g ON g.id = r.goal_id "
#define LEASES "SELECT " IA_SELECT(IA_LEASE_COLUMNS) ", owner_token FROM leases "

/* As the indices say it: waiting for nothing but its lane. */
#define CLAIMABLE "state = 'queued' AND waits_for = 0"

/* Oldest run of a kind that waits for a lane or pool. The index is named, as SQLite, which has
 * no statistics, may prefer runs_by_state and then reads all that waits. */
#define OLDEST(kind, lane)                                                                     \
    "SELECT min(rowid) AS age FROM runs INDEXED BY runs_waiting WHERE " CLAIMABLE              \
    " AND lane = " lane " AND kind = '" kind "'"

/* The first lane after another one. */
#define NEXT_LANE(index, state, lane)                                                          \
    "SELECT min(lane) FROM runs INDEXED BY " index " WHERE " state " AND lane > " lane
#define RETRYING "state = 'retry_wait'"

/* By name or, where none has it, by text. The + keeps SQLite from putting the parameter into the
 * indexed expression, and so losing the index. */
#define OF_GOAL(param)                                                                         \
    "goal_id IN (SELECT id FROM goals WHERE name = " param " UNION ALL SELECT id FROM goals "  \
    "WHERE substr(text, 1, 100) = substr(" param ", 1, 100) AND +text = " param " "            \
    "AND NOT EXISTS (SELECT 1 FROM goals WHERE name = " param "))"
/* LIKE takes the two cases of an ASCII letter for the same. With a bare parameter behind it SQLite would
 * prepare the statement anew each time that one is bound. */
#define HAS_TEXT "(name LIKE ?8 || '' ESCAPE '\\' OR text LIKE ?8 || '' ESCAPE '\\')"
/* Which runs a list has. ?1 state or outcome, ?2 lane, ?3 older than this run ('g' comes after every id), ?5
 * agent, ?6 schedule, ?7 sweep, ?8 a pattern for the goal's name or text, ?9 the goal; each may be
 * NULL. ?4 is how many, ?10 how many before those, ?11 whether only what nobody delegated. */
#define LISTED                                                                                 \
    "(?1 IS NULL OR state = ?1 OR outcome = ?1 OR (?1 = 'unfinished' AND " UNFINISHED ")) "    \
    "AND (?2 IS NULL OR lane = ?2) AND (?5 IS NULL OR agent = ?5) "                            \
    "AND (?6 IS NULL OR schedule = ?6) AND (?7 IS NULL OR sweep_id = ?7) "                     \
    "AND (?11 = 0 OR parent_id IS NULL) AND id < COALESCE(?3, 'g')"
#define MAY_HAVE_TEXT                                                                          \
    "(?8 IS NULL OR EXISTS (SELECT 1 FROM goals WHERE goals.id = goal_id AND " HAS_TEXT "))"
/* Subtasks count where one agent is asked for: what they did is in the runs above them otherwise. */
#define ENDED                                                                                  \
    "(r.parent_id IS NULL OR ?4 IS NOT NULL) AND r.finished_at >= ?1 AND r.finished_at < ?2 "  \
    "AND (?4 IS NULL OR r.agent = ?4)"
#define OF_IT "(?9 IS NULL OR " OF_GOAL("?9") ") AND " MAY_HAVE_TEXT
#define NEWEST(which)                                                                          \
    "SELECT id FROM (SELECT id FROM runs WHERE " which " AND " LISTED                          \
    " ORDER BY id DESC LIMIT ?4 + ?10)"
/* The ids come first, so that only rows of the page are read whole. */
#define LIST(ids)                                                                              \
    "SELECT " RUNS "WHERE r.id IN (SELECT id FROM (" ids ") ORDER BY id DESC LIMIT ?4 "        \
    "OFFSET ?10) ORDER BY r.id DESC"
/* One list and its count for each way through the indices. */
#define WAY(name, which)                                                                       \
    [IA_SQL_RUN_LIST_##name] = LIST(NEWEST(which)),                                            \
    [IA_SQL_RUN_COUNT_##name] = "SELECT count(*) FROM runs WHERE " which " AND " LISTED

/* Statements are broken where they read well. */
/* clang-format off */
const char *const ia_sql_text[IA_SQL_COUNT] = {
    [IA_SQL_BEGIN] = "BEGIN IMMEDIATE",
    [IA_SQL_COMMIT] = "COMMIT",
    [IA_SQL_ROLLBACK] = "ROLLBACK",
    [IA_SQL_READ_BEGIN] = "BEGIN",
    [IA_SQL_DATA_VERSION] = "PRAGMA data_version",
    [IA_SQL_PART_BEGIN] = "SAVEPOINT part",
    [IA_SQL_PART_KEEP] = "RELEASE part",
    [IA_SQL_PART_UNDO] = "ROLLBACK TO part",
    [IA_SQL_CHECK] = "PRAGMA integrity_check(1)",

    /* ---- runs ---- */
    [IA_SQL_GOAL_ADD] =
        "INSERT INTO goals (id, text, app, hint, expect, budget, created_at, name) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [IA_SQL_RUN_ADD] =
        "INSERT INTO runs (id, goal_id, agent, model, lane, device, options, demo, kind, "
        "unique_key, sweep_id, sweep_no, state, created_at, goal_hash, parent_id, parent_call) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 'queued', ?13, ?14, ?15, ?16)",
    [IA_SQL_RUN_UNIQUE] =
        "SELECT id, state FROM runs INDEXED BY runs_unique WHERE unique_key = ?1 AND " UNFINISHED,
    [IA_SQL_RUN_STATE] =
        "SELECT " IA_RUN_STATE_SQL("") ", owner_pid, owner_token, waits_for, parent_id FROM runs WHERE id = ?1",
    [IA_SQL_RUN_COUNT_CHILDREN] =
        "UPDATE runs SET waits_for = (SELECT count(*) FROM runs c INDEXED BY runs_of_parent "
        "WHERE c.parent_id = ?1 AND " UNFINISHED ") WHERE id = ?1 RETURNING " UNFINISHED,
    [IA_SQL_RUN_CHILDREN] =
        "SELECT " RUNS "WHERE r.parent_id = ?1 ORDER BY r.rowid",
    [IA_SQL_RUN_CHILDREN_OPEN] =
        "SELECT id FROM runs INDEXED BY runs_of_parent WHERE parent_id = ?1 AND " UNFINISHED
        " ORDER BY rowid LIMIT ?2",
    [IA_SQL_RUN_CHILD_OF_CALL] =
        "SELECT " RUNS "WHERE r.parent_id = ?1 AND r.parent_call = ?2",
    [IA_SQL_RUN_CHILD_NO] =
        "SELECT count(*) FROM runs WHERE parent_id = ?1 AND rowid <= "
        "(SELECT rowid FROM runs c WHERE c.id = ?2)",
    /* What all below it used, theirs included. ?2 how deep; a chain that is longer has no end. */
    [IA_SQL_RUN_BELOW] =
        "WITH RECURSIVE below (id, depth) AS (SELECT ?1, 0 UNION ALL SELECT c.id, depth + 1 "
        "FROM below JOIN runs c ON c.parent_id = below.id WHERE depth < ?2) "
        "SELECT count(*), COALESCE(sum(steps), 0), COALESCE(sum(tokens_input + tokens_cache_read + "
        "tokens_cache_write + tokens_output), 0), COALESCE(sum(cost_usd), 0.0), "
        "COALESCE(sum(cost_usd IS NULL AND demo = 0 AND started_at IS NOT NULL), 0), "
        "COALESCE(sum(usd_max), 0.0), COALESCE(sum(ran_ms), 0) "
        "FROM runs WHERE id IN (SELECT id FROM below WHERE depth > 0)",
    [IA_SQL_RUN_ABOVE] =
        "WITH RECURSIVE above (id, depth) AS (SELECT ?1, 0 UNION ALL SELECT r.parent_id, depth + 1 "
        "FROM above JOIN runs r ON r.id = above.id WHERE r.parent_id IS NOT NULL AND depth < ?2) "
        "SELECT " RUNS "WHERE r.id IN (SELECT id FROM above WHERE depth > 0) ORDER BY r.rowid DESC",
    /* ?3 now, ?4 it starts, ?5 it ends, ?6 a new attempt begins, ?14 … ?17 its owner, if it gets one */
    [IA_SQL_RUN_MOVE] =
        "UPDATE runs SET state = ?2, "
        "started_at = CASE WHEN ?4 THEN COALESCE(started_at, ?3) ELSE started_at END, "
        "finished_at = CASE WHEN ?5 THEN ?3 END, attempt = attempt + ?6, retry_at = ?7, "
        "code = COALESCE(?8, code), summary = COALESCE(?9, summary), "
        "basis = COALESCE(?10, basis), result = COALESCE(?11, result), "
        "screenshot = COALESCE(?12, screenshot), outcome = COALESCE(?13, outcome), "
        "owner_pid = COALESCE(?14, owner_pid), owner_token = COALESCE(?15, owner_token), "
        "owner_command = COALESCE(?16, owner_command), "
        "heartbeat_at = COALESCE(?17, heartbeat_at) WHERE id = ?1",
    /* The heartbeat says when it was given back. What waits again (?3) without a transcript is
     * anybody's in its pool. */
    [IA_SQL_RUN_DISOWN] =
        "UPDATE runs SET owner_pid = NULL, owner_token = NULL, owner_command = NULL, "
        "tool_deadline_at = NULL, heartbeat_at = ?2, lane = CASE WHEN ?3 AND NOT EXISTS "
        "(SELECT 1 FROM messages WHERE run_id = ?1) THEN COALESCE(pool, lane) ELSE lane END "
        "WHERE id = ?1",
    /* What is not told stays: ?2 heartbeat, ?3 … ?8 what was spent, ?9 whether ?10 is the deadline */
    [IA_SQL_RUN_NOW] =
        "UPDATE runs SET heartbeat_at = COALESCE(?2, heartbeat_at), steps = COALESCE(?3, steps), "
        "tokens_input = COALESCE(?4, tokens_input), "
        "tokens_cache_read = COALESCE(?5, tokens_cache_read), "
        "tokens_cache_write = COALESCE(?6, tokens_cache_write), "
        "tokens_output = COALESCE(?7, tokens_output), "
        "cost_usd = CASE WHEN ?3 IS NULL THEN cost_usd ELSE ?8 END, "
        "usd_max = COALESCE(?9, usd_max), ran_ms = COALESCE(?10, ran_ms), "
        "tool_deadline_at = CASE WHEN ?11 THEN ?12 ELSE tool_deadline_at END WHERE id = ?1",
    /* Its process died, maybe with a request in flight that nobody counted. */
    [IA_SQL_RUN_CHILD_DIED] =
        "UPDATE runs SET usd_max = max(usd_max, COALESCE((SELECT json_extract(budget, '$.max_usd') "
        "FROM goals WHERE goals.id = goal_id), 0)) WHERE id = ?1 AND parent_id IS NOT NULL",
    [IA_SQL_RUN_NOTES] = "UPDATE runs SET notes = ?2 WHERE id = ?1",
    [IA_SQL_RUN_LANE] = "UPDATE runs SET lane = ?2, pool = NULL WHERE id = ?1 AND "
                        "state IN ('queued', 'retry_wait', 'claimed') RETURNING 1",

    /* ---- runs of a fleet ---- */
    [IA_SQL_FLEET_PUT] =
        "INSERT INTO fleet_runs (run_id, batch, key, attempt, state, order_run) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
        "ON CONFLICT (run_id) DO UPDATE SET attempt = max(attempt, excluded.attempt), "
        "state = excluded.state",
    [IA_SQL_FLEET_END] =
        "UPDATE fleet_runs SET state = ?2, worker = ?3, fetch_from = ?4 WHERE run_id = ?1 "
        "RETURNING 1",
    [IA_SQL_FLEET_FETCHED] = "UPDATE fleet_runs SET fetch_from = NULL WHERE run_id = ?1",
    [IA_SQL_FLEET_ORDER] = FLEET_RUNS "WHERE order_run = ?1 ORDER BY run_id DESC LIMIT 1",
    [IA_SQL_FLEET_FETCHES] =
        FLEET_RUNS "WHERE batch = ?1 AND fetch_from IS NOT NULL ORDER BY run_id",
    [IA_SQL_FLEET_GET] = FLEET_RUNS "WHERE run_id = ?1",
    [IA_SQL_FLEET_LIST] = FLEET_RUNS "WHERE state = ?1 ORDER BY run_id",
    [IA_SQL_RUN_CANCEL] = "UPDATE runs SET cancel_requested = 1 WHERE id = ?1",
    [IA_SQL_RUN_SPENT] = "SELECT " IA_SELECT(IA_USAGE_COLUMNS) ", steps, demo, started_at "
                         "FROM runs WHERE id = ?1",
    [IA_SQL_RUN_CANCEL_GET] = "SELECT cancel_requested FROM runs WHERE id = ?1",
    /* Prefixes use the index; endings need a scan, and come second. */
    [IA_SQL_RUN_MATCH] =
        "SELECT id FROM runs WHERE id >= ?1 AND id < ?1 || 'g' UNION "
        "SELECT id FROM runs WHERE substr(id, -length(?1)) = ?1 ORDER BY id DESC LIMIT 4",
    [IA_SQL_RUN_NEWEST] = "SELECT id FROM runs WHERE parent_id IS NULL ORDER BY id DESC LIMIT 1",
    [IA_SQL_RUN_GET] = "SELECT " RUNS "WHERE r.id = ?1",
    WAY(ALL, "1"),
    WAY(STATE, "state = ?1 AND " MAY_HAVE_TEXT),
    WAY(OUTCOME, "state = 'passed' AND outcome = ?1 AND " MAY_HAVE_TEXT),
    WAY(LANE, "lane = ?2 AND " MAY_HAVE_TEXT),
    WAY(AGENT, "agent = ?5 AND " MAY_HAVE_TEXT),
    WAY(SCHEDULE, "schedule = ?6 AND " MAY_HAVE_TEXT),
    WAY(SWEEP, "sweep_id = ?7 AND " MAY_HAVE_TEXT),
    WAY(GOAL, OF_GOAL("?9") " AND " MAY_HAVE_TEXT),
    WAY(TEXT, "goal_id IN (SELECT id FROM goals WHERE " HAS_TEXT ")"),
    [IA_SQL_RUN_LIST_UNFINISHED] =
        LIST(NEWEST("state = 'queued' AND " OF_IT) " UNION ALL "
        NEWEST("state IN ('claimed', 'running', 'retry_wait') AND " OF_IT) " UNION ALL "
        NEWEST("state = 'blocked' AND finished_at IS NULL AND " OF_IT)),
    [IA_SQL_RUN_COUNT_UNFINISHED] =
        "SELECT count(*) FROM runs WHERE " UNFINISHED " AND " OF_IT " AND " LISTED,

    /* ---- the queue ---- */
    [IA_SQL_CLAIM_HELD] =
        "SELECT 1 FROM runs INDEXED BY runs_held "
        "WHERE state IN ('claimed', 'running') AND lane = ?1 LIMIT 1",
    [IA_SQL_LANE_USED] =
        "SELECT EXISTS (SELECT 1 FROM runs INDEXED BY runs_held "
        "WHERE state IN ('claimed', 'running') AND lane = ?1) OR "
        "EXISTS (SELECT 1 FROM runs INDEXED BY runs_waiting "
        "WHERE " CLAIMABLE " AND lane = ?1) OR "
        "EXISTS (SELECT 1 FROM runs INDEXED BY runs_retry "
        "WHERE state = 'retry_wait' AND lane = ?1)",
    [IA_SQL_CLAIM_RETRY] =
        "SELECT rowid, retry_at, heartbeat_at FROM runs INDEXED BY runs_retry "
        "WHERE state = 'retry_wait' AND lane = ?1 ORDER BY retry_at LIMIT 1",
    [IA_SQL_CLAIM_RETRY_MOVE] =
        "UPDATE runs SET retry_at = ?2, heartbeat_at = ?3 WHERE rowid = ?1",
    [IA_SQL_CLAIM_INTERRUPTED] =
        "SELECT min(rowid) FROM runs INDEXED BY runs_interrupted "
        "WHERE " CLAIMABLE " AND (started_at IS NOT NULL OR parent_id IS NOT NULL) AND lane = ?1",
    [IA_SQL_CLAIM_SCHEDULED] =
        "SELECT min(age) FROM ("
        OLDEST("scheduled", "?1") " UNION ALL " OLDEST("scheduled", "?2") ")",
    [IA_SQL_CLAIM_OTHER] =
        "SELECT min(age) FROM ("
        OLDEST("goal", "?1") " UNION ALL " OLDEST("goal", "?2") " UNION ALL "
        OLDEST("follow_up", "?1") " UNION ALL " OLDEST("follow_up", "?2") ")",
    [IA_SQL_CLAIM_ROW] =
        "SELECT id, attempt, kind, EXISTS (SELECT 1 FROM messages WHERE run_id = runs.id) "
        "FROM runs WHERE rowid = ?1",
    [IA_SQL_CLAIM_LANE] = 
        "UPDATE runs SET pool = COALESCE(pool, lane), lane = ?2 WHERE id = ?1 AND lane <> ?2",
    /* Of what is blocked only the runs that ask: the others are history. */
    [IA_SQL_QUEUE_FIGURES] =
        "SELECT state, count(*), sum(waits_for = 0) FROM runs "
        "WHERE state IN ('queued', 'claimed', 'running', 'retry_wait') GROUP BY state UNION ALL "
        "SELECT 'asking', count(*), 0 FROM runs INDEXED BY runs_asking "
        "WHERE state = 'blocked' AND finished_at IS NULL",
    /* Jumps from lane to lane in the index instead of reading all that waits. */
    [IA_SQL_WAITING] =
        "WITH RECURSIVE "
        "q (lane) AS (" NEXT_LANE("runs_waiting", CLAIMABLE, "''") " UNION ALL SELECT ("
        NEXT_LANE("runs_waiting", CLAIMABLE, "q.lane") ") FROM q WHERE q.lane NOT NULL), "
        "w (lane) AS (" NEXT_LANE("runs_retry", RETRYING, "''") " UNION ALL SELECT ("
        NEXT_LANE("runs_retry", RETRYING, "w.lane") ") FROM w WHERE w.lane NOT NULL), "
        "lanes (lane) AS (SELECT lane FROM q UNION SELECT lane FROM w) "
        "SELECT l.lane, "
        "(SELECT count(*) FROM (SELECT 1 FROM runs INDEXED BY runs_waiting "
        "WHERE " CLAIMABLE " AND lane = l.lane LIMIT ?1)) + "
        "(SELECT count(*) FROM (SELECT 1 FROM runs INDEXED BY runs_retry "
        "WHERE state = 'retry_wait' AND lane = l.lane LIMIT ?1)), "
        "(SELECT min(retry_at) FROM runs INDEXED BY runs_retry "
        "WHERE state = 'retry_wait' AND lane = l.lane), "
        "(SELECT min(age) FROM (" OLDEST("goal", "l.lane") " UNION ALL "
        OLDEST("scheduled", "l.lane") " UNION ALL " OLDEST("follow_up", "l.lane") " UNION ALL "
        "SELECT min(rowid) FROM runs INDEXED BY runs_retry "
        "WHERE state = 'retry_wait' AND lane = l.lane)) AS oldest "
        "FROM lanes l WHERE l.lane NOT NULL ORDER BY oldest",
    [IA_SQL_HELD_LIST] =
        "SELECT id, owner_pid, owner_token, cancel_requested FROM runs INDEXED BY runs_held "
        "WHERE state IN ('claimed', 'running')",
    [IA_SQL_RUN_EFFECT] = "SELECT EXISTS (SELECT 1 FROM tool_calls WHERE run_id = runs.id AND "
                          "has_effect = 1), attempt FROM runs WHERE id = ?1",
    [IA_SQL_ROLL_BACK_CALLS] = "DELETE FROM tool_calls WHERE run_id = ?1",
    [IA_SQL_ROLL_BACK_MESSAGES] = "DELETE FROM messages WHERE run_id = ?1",
    [IA_SQL_ROLL_BACK_RUN] = "UPDATE runs SET inbox_cursor = 0, notes = NULL WHERE id = ?1",

    /* ---- questions ---- */
    /* Asked anew, it is another question: an answer to what was asked before is none to this. */
    [IA_SQL_QUESTION_PUT] =
        "INSERT INTO questions (id, run_id, tool_use_id, rule, text, detail, state, asked_at, expires_at) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'open', ?7, ?8) ON CONFLICT (run_id, tool_use_id) DO UPDATE SET "
        "id = excluded.id, rule = excluded.rule, text = excluded.text, detail = excluded.detail, "
        "state = 'open', asked_at = excluded.asked_at, expires_at = excluded.expires_at, "
        "answered_at = NULL, answered_by = NULL, note = NULL",
    [IA_SQL_QUESTION_ANSWER] =
        "UPDATE questions SET state = ?2, answered_at = ?3, answered_by = ?4, note = ?5 "
        "WHERE id = ?1 AND state = 'open' RETURNING run_id, text",
    [IA_SQL_QUESTION_USE] =
        "UPDATE questions SET state = 'used' WHERE id = ?1 AND state = 'approved' RETURNING 1",
    [IA_SQL_QUESTION_WITHDRAW] =
        "UPDATE questions SET state = 'withdrawn' WHERE run_id = ?1 AND state = 'open'",
    [IA_SQL_QUESTION_GET] = QUESTIONS "WHERE q.id = ?1",
    [IA_SQL_QUESTION_MATCH] =
        "SELECT id FROM questions WHERE substr(id, 1, length(?1)) = ?1 OR "
        "substr(id, -length(?1)) = ?1 ORDER BY id DESC LIMIT 4",
    [IA_SQL_QUESTION_OF_RUN] =
        QUESTIONS "WHERE q.run_id = ?1 ORDER BY q.asked_at DESC, q.id DESC LIMIT 1",
    [IA_SQL_QUESTION_LIST] =
        QUESTIONS "WHERE (?1 OR q.state = 'open') AND (?2 IS NULL OR q.run_id = ?2) "
        "ORDER BY q.asked_at, q.id LIMIT 1000",
    [IA_SQL_QUESTION_EXPIRED] =
        "SELECT id FROM questions WHERE state = 'open' AND expires_at <= ?1 LIMIT 100",

    /* ---- messages to a run ---- */
    [IA_SQL_INBOX_CHECK] =
        "SELECT " IA_RUN_STATE_SQL("") ", kind, (SELECT count(*) FROM inbox "
        "WHERE run_id = ?1 AND inbox.id > inbox_cursor) FROM runs WHERE id = ?1",
    [IA_SQL_INBOX_ADD] = "INSERT INTO inbox (run_id, sender, text, created_at) "
                         "VALUES (?1, ?2, ?3, ?4) RETURNING id",
    [IA_SQL_INBOX_LIST] =
        "SELECT " IA_SELECT(IA_INBOX_COLUMNS) " FROM inbox WHERE run_id = ?1 AND id > "
        "(SELECT inbox_cursor FROM runs WHERE runs.id = ?1) ORDER BY id",
    [IA_SQL_INBOX_TAKEN] =
        "UPDATE runs SET inbox_cursor = max(inbox_cursor, ?2) WHERE id = ?1 AND EXISTS "
        "(SELECT 1 FROM inbox WHERE inbox.id = ?2 AND run_id = ?1) RETURNING 1",

    /* ---- schedules ---- */
    [IA_SQL_SCHEDULE_ADD] =
        "INSERT INTO schedules (name, kind, spec, zone, missed, overlap, grace_s, precheck, "
        "notify, run, lane, paused, next_at, problem, anchor_at, created_at, updated_at) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?15, ?15) "
        "ON CONFLICT (name) DO NOTHING RETURNING 1",
    [IA_SQL_SCHEDULE_PUT] =
        "UPDATE schedules SET kind = ?2, spec = ?3, zone = ?4, missed = ?5, overlap = ?6, "
        "grace_s = ?7, precheck = ?8, notify = ?9, run = ?10, lane = ?11, paused = ?12, "
        "next_at = ?13, problem = ?14, updated_at = ?15 WHERE name = ?1 AND updated_at = ?16 "
        "RETURNING 1",
    [IA_SQL_SCHEDULE_REMOVE] = "DELETE FROM schedules WHERE name = ?1 RETURNING 1",
    [IA_SQL_SCHEDULE_PAUSE] = "UPDATE schedules SET paused = ?2, next_at = ?3, updated_at = ?4 "
                              "WHERE name = ?1 RETURNING 1",
    [IA_SQL_SCHEDULE_PROBLEM] =
        "UPDATE schedules SET problem = ?2, updated_at = ?3 WHERE name = ?1 RETURNING 1",
    [IA_SQL_SCHEDULE_VERDICT] =
        "UPDATE schedules SET last_verdict = ?2 WHERE name = ?1 RETURNING 1",
    [IA_SQL_SCHEDULE_NEXT] = "UPDATE schedules SET next_at = ?2 WHERE name = ?1 RETURNING 1",
    /* Only while it is as it was read: due, and neither edited nor fired by somebody else. */
    [IA_SQL_SCHEDULE_ADVANCE] =
        "UPDATE schedules SET next_at = ?4 WHERE name = ?1 AND next_at = ?2 AND "
        "updated_at = ?3 AND paused = 0 AND problem IS NULL RETURNING 1",
    [IA_SQL_SCHEDULE_ALIGN] =
        "UPDATE schedules SET anchor_at = ?4, next_at = ?5 WHERE name = ?1 AND next_at IS ?2 AND "
        "updated_at = ?3 RETURNING 1",
    [IA_SQL_SCHEDULE_WAITING] = "SELECT id FROM runs INDEXED BY runs_of_schedule "
                                "WHERE schedule = ?1 AND " UNFINISHED
                                " AND state = 'queued' AND started_at IS NULL LIMIT 1",
    [IA_SQL_SCHEDULE_LIST] =
        SCHEDULES "WHERE ?1 IS NULL OR name = ?1 ORDER BY name",
    [IA_SQL_SCHEDULE_DUE] =
        SCHEDULES "WHERE paused = 0 AND problem IS NULL AND next_at <= ?1 ORDER BY next_at",
    [IA_SQL_SCHEDULE_DUE_LATER] = "SELECT min(next_at) FROM schedules "
                                  "WHERE paused = 0 AND problem IS NULL AND next_at > ?1",
    /* ?1 now, ?2 a little later: what lies beyond it can only come from a clock that was ahead. */
    [IA_SQL_SCHEDULE_AHEAD] =
        SCHEDULES "WHERE paused = 0 AND problem IS NULL AND next_at > ?1 AND (updated_at > ?2 OR "
        "(SELECT f.fired_at FROM schedule_runs f WHERE f.schedule = name "
        "ORDER BY f.scheduled_for DESC LIMIT 1) > ?2)",
    [IA_SQL_SCHEDULE_BUSY] =
        "SELECT EXISTS (SELECT 1 FROM runs INDEXED BY runs_of_schedule "
        "WHERE schedule = ?1 AND " UNFINISHED ")",
    [IA_SQL_FIRE_ADD] =
        "INSERT INTO schedule_runs (schedule, scheduled_for, run_id, reason, fired_at) "
        "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (schedule, scheduled_for) DO NOTHING "
        "RETURNING 1",
    [IA_SQL_FIRE_RUN] = "UPDATE runs SET schedule = ?2 WHERE id = ?1 RETURNING 1",
    [IA_SQL_FIRE_LIST] =
        "SELECT " IA_SELECT(IA_FIRE_COLUMNS)
        " FROM schedule_runs f LEFT JOIN runs r ON r.id = f.run_id "
        "WHERE f.schedule = ?1 ORDER BY f.scheduled_for DESC LIMIT ?2",

    /* CROSS JOIN: from the first event after the cursor on, whatever the other tables hold. */
    [IA_SQL_FIRE_END] =
        "SELECT " IA_SELECT(IA_FIRE_END_COLUMNS) " FROM events e "
        "CROSS JOIN schedule_runs f ON f.run_id = e.run_id "
        "CROSS JOIN schedules s ON s.name = f.schedule "
        "CROSS JOIN runs r ON r.id = e.run_id CROSS JOIN goals g ON g.id = r.goal_id "
        "WHERE e.id > ?1 AND e.type = 'run.finished' ORDER BY e.id LIMIT 1",
    [IA_SQL_EVENT_LAST] = "SELECT COALESCE(max(id), 0) FROM events",
    [IA_SQL_EVENT_NEWEST] =
        "SELECT json FROM events WHERE run_id = ?1 AND type = ?2 ORDER BY seq DESC LIMIT 1",
    [IA_SQL_RUN_REPLAYS] = "UPDATE runs SET recording = ?2 WHERE id = ?1",
    /* What a model healed since, or, while there is no recording, what it did alone. Without a word of a model it
     * was a recording in quarantine that was done again. */
    [IA_SQL_RUN_TO_RECORD] =
        "SELECT " RUNS "WHERE r.goal_hash = ?1 AND r.state = 'passed' AND "
        "r.basis IN ('both', 'expectations') AND ((r.outcome = 'healed' AND r.tokens_output > 0 AND "
        "r.id = (SELECT max(h.id) FROM runs h WHERE h.goal_hash = ?1 AND h.state = 'passed' AND "
        "h.basis IN ('both', 'expectations') AND h.outcome = 'healed' AND h.tokens_output > 0)) OR "
        "(r.outcome IS NULL AND "
        "NOT EXISTS (SELECT 1 FROM recordings k WHERE k.goal_hash = ?1 AND k.state IN "
        "('candidate', 'trusted', 'quarantined')))) AND NOT EXISTS (SELECT 1 FROM recordings k "
        "WHERE k.run_id = r.id) ORDER BY r.outcome IS NULL, r.id DESC LIMIT 1",
    [IA_SQL_RECORDING_REJECTED] =
        "SELECT 1 FROM recordings WHERE goal_hash = ?1 AND steps_hash = ?2 AND state = 'rejected'",
    /* Proposed once more, by a later run: it counts from the beginning. */
    [IA_SQL_RECORDING_SAME_HEAL] =
        "UPDATE recordings SET passes = CASE WHEN run_id > ?3 THEN passes ELSE 0 END, "
        "run_id = max(ifnull(run_id, ''), ?3) WHERE id = (SELECT id FROM recordings WHERE goal_hash = ?1 "
        "AND steps_hash = ?2 AND state = 'quarantined' ORDER BY id DESC LIMIT 1) RETURNING id",
    [IA_SQL_RECORDING_HEALS] =
        "SELECT count(*) FROM runs WHERE recording = ?1 AND goal_hash = (SELECT goal_hash FROM recordings "
        "WHERE id = ?1) AND state = 'passed' AND basis IN ('both', 'expectations') AND outcome = 'healed' "
        "AND tokens_output > 0 AND EXISTS (SELECT 1 FROM events e WHERE e.run_id = runs.id AND "
        "e.type = 'replay.strayed' AND json_extract(e.json, '$.step') = ?2)",
    [IA_SQL_RECORDING_ADD] =
        "INSERT INTO recordings (id, name, goal_hash, run_id, parent, state, steps_hash, body, "
        "created_at, decided_by, decided_at) VALUES (?1, ?2, ?3, (SELECT id FROM runs WHERE id = ?4), "
        "?5, ?6, ?7, ?8, ?9, ?10, CASE WHEN ?10 NOTNULL THEN ?9 END)",
    [IA_SQL_RECORDING_SAME] =
        "SELECT id FROM recordings WHERE goal_hash = ?1 AND body = ?2 ORDER BY id DESC LIMIT 1",
    [IA_SQL_RECORDING_SAME_STATE] =
        "SELECT id FROM recordings WHERE goal_hash = ?1 AND body = ?2 AND state = ?3 AND "
        "decided_by = ?4 ORDER BY id DESC LIMIT 1",
    /* ?3: also those that were healed from it. */
    [IA_SQL_RECORDING_REPLACE_OTHERS] =
        "UPDATE recordings SET state = 'replaced' WHERE goal_hash = ?1 AND state IN "
        "('candidate', 'trusted', 'quarantined') AND id NOT IN (WITH RECURSIVE kin (id) AS "
        "(VALUES (?2) UNION SELECT k.id FROM recordings k JOIN kin ON k.parent = kin.id "
        "WHERE NOT ?3) SELECT id FROM kin)",
    [IA_SQL_RECORDING_TRUST] =
        "UPDATE recordings SET state = 'trusted', decided_by = ?3, decided_at = ?4 WHERE id = ?2 AND "
        "(state IN ('candidate', 'quarantined') OR (state = 'rejected' AND ?5) OR (state = 'replaced' "
        "AND NOT EXISTS (SELECT 1 FROM recordings k WHERE k.goal_hash = ?1 AND k.state IN "
        "('candidate', 'trusted', 'quarantined'))))",
    /* -1: one in quarantine that failed, so that the one it was healed from goes before it again. */
    [IA_SQL_RECORDING_REPLAYED] =
        "UPDATE recordings SET passes = CASE WHEN ?2 THEN max(passes, 0) + 1 WHEN state = 'quarantined' "
        "THEN -1 ELSE 0 END, state = CASE WHEN ?2 AND (state = 'candidate' OR (state = 'quarantined' "
        "AND max(passes, 0) + 1 >= ?3)) THEN 'trusted' ELSE state END WHERE id = ?1",
    /* What a trusted one was healed from, and the other heals of that. */
    [IA_SQL_RECORDING_REPLACE_PARENT] =
        "UPDATE recordings SET state = 'replaced' WHERE id <> ?1 AND EXISTS (SELECT 1 FROM recordings t "
        "WHERE t.id = ?1 AND t.state = 'trusted' AND ((recordings.id = t.parent AND recordings.state IN "
        "('candidate', 'trusted', 'quarantined')) OR (recordings.parent = t.parent AND "
        "recordings.state = 'quarantined')))",
    [IA_SQL_RECORDING_RESTORE_PARENT] =
        "UPDATE recordings SET state = 'trusted' WHERE state = 'replaced' AND id = (SELECT parent FROM "
        "recordings r WHERE r.id = ?1 AND r.state = 'rejected') AND NOT EXISTS (SELECT 1 FROM recordings k "
        "WHERE k.goal_hash = recordings.goal_hash AND k.state IN ('candidate', 'trusted'))",
    [IA_SQL_RECORDING_DECIDE] =
        "UPDATE recordings SET state = ?2, decided_by = ?3, decided_at = ?4 WHERE id = ?1 AND "
        "state IN ('candidate', 'trusted', 'quarantined') RETURNING 1",
    [IA_SQL_RECORDING_GET] = RECORDINGS "WHERE id = ?1",
    [IA_SQL_RECORDING_MATCH] = "SELECT id FROM recordings WHERE substr(id, 1, length(?1)) = ?1 OR "
                               "substr(id, -length(?1)) = ?1 ORDER BY id DESC LIMIT 4",
    [IA_SQL_RECORDING_OF_RUN] = RECORDINGS "WHERE run_id = ?1 ORDER BY id DESC LIMIT 1",
    [IA_SQL_RECORDING_OF_NAME] =
        RECORDINGS "WHERE name = ?1 AND state NOT IN ('rejected', 'replaced') "
                   "ORDER BY id DESC LIMIT 1",
    [IA_SQL_RECORDING_FOR] =
        RECORDINGS "WHERE goal_hash = ?1 AND state IN ('candidate', 'trusted', 'quarantined') "
                   "ORDER BY (state = 'quarantined' AND passes >= 0) DESC, state = 'trusted' DESC, "
                   "state = 'candidate' DESC, id DESC LIMIT 1",
    [IA_SQL_RECORDING_LIST] = RECORDINGS "WHERE (?1 IS NULL OR name = ?1) AND "
                                          "(?2 IS NULL OR state = ?2) ORDER BY id DESC",
    [IA_SQL_RECORDING_GOAL_FILE] =
        "SELECT g.file, s.options FROM runs r JOIN sweep_goals g ON g.sweep_id = r.sweep_id AND "
        "g.no = r.sweep_no JOIN sweeps s ON s.id = r.sweep_id WHERE r.goal_hash = ?1 "
        "ORDER BY r.id DESC LIMIT 1",
    [IA_SQL_NOTICE_ADD] =
        "INSERT INTO notices (schedule, run_id, target, body, question_id, state, due_at, created_at) "
        "VALUES (?1, ?2, ?3, ?4, ?5, 'waiting', ?6, ?6) ON CONFLICT DO NOTHING",
    [IA_SQL_NOTICE_DUE] = NOTICES "WHERE state = 'waiting' AND due_at <= ?1 AND "
                                  "(?2 IS NULL OR run_id = ?2) ORDER BY due_at LIMIT 1",
    [IA_SQL_NOTICE_TRY] = "UPDATE notices SET attempts = attempts + 1, due_at = ?3 "
                          "WHERE id = ?1 AND attempts = ?2 AND state = 'waiting' RETURNING 1",
    [IA_SQL_NOTICE_END] = "UPDATE notices SET state = ?2, problem = ?3, due_at = ?4 "
                          "WHERE id = ?1 AND state = 'waiting'",

    /* ---- sweeps ---- */
    [IA_SQL_SWEEP_ADD] =
        "INSERT INTO sweeps (id, title, options, max_usd, state, owner_pid, owner_token, "
        "created_at) VALUES (?1, ?2, ?3, ?4, 'running', ?5, ?6, ?7)",
    [IA_SQL_SWEEP_END] =
        "UPDATE sweeps SET state = ?2, why = ?3, finished_at = ?4 WHERE id = ?1 RETURNING 1",
    [IA_SQL_SWEEP_OWNER] = "SELECT state, owner_pid, owner_token FROM sweeps WHERE id = ?1",
    [IA_SQL_SWEEP_TAKE] =
        "UPDATE sweeps SET state = 'running', why = NULL, finished_at = NULL, "
        "owner_pid = ?2, owner_token = ?3 WHERE id = ?1 RETURNING 1",
    [IA_SQL_SWEEP_MATCH] =
        "SELECT id FROM sweeps WHERE id >= ?1 AND id < ?1 || 'g' UNION "
        "SELECT id FROM sweeps WHERE substr(id, -length(?1)) = ?1 ORDER BY id DESC LIMIT 4",
    [IA_SQL_SWEEP_GET] =
        "SELECT " IA_SELECT(IA_SWEEP_COLUMNS) ", owner_token FROM sweeps WHERE id = ?1",
    [IA_SQL_SWEEP_LIST] = "SELECT " IA_SELECT(IA_SWEEP_COLUMNS) ", owner_token FROM sweeps "
                          "ORDER BY id DESC LIMIT ?1",
    [IA_SQL_SWEEP_GOAL_ADD] =
        "INSERT INTO sweep_goals (sweep_id, no, name, file, line, repeat, needs, tags, job, "
        "state, reason, eval) VALUES (?1, (SELECT COALESCE(max(no), 0) + 1 FROM sweep_goals "
        "WHERE sweep_id = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) RETURNING no",
    [IA_SQL_SWEEP_GOAL_SET] = "UPDATE sweep_goals SET state = ?3, reason = ?4 "
                              "WHERE sweep_id = ?1 AND no = ?2",
    [IA_SQL_SWEEP_GOAL_JUDGE] = "UPDATE sweep_goals SET judged = COALESCE(judged, ?3) "
                                "WHERE sweep_id = ?1 AND no = ?2 RETURNING 1",
    /* The one max() decides from which row r.id comes: the last try. */
    [IA_SQL_SWEEP_GOAL_LIST] =
        "SELECT " IA_SELECT(IA_SWEEP_GOAL_COLUMNS) ", max(r.rowid) "
        "FROM sweep_goals g LEFT JOIN runs r ON r.sweep_id = g.sweep_id AND r.sweep_no = g.no "
        "WHERE g.sweep_id = ?1 GROUP BY g.no ORDER BY g.no",
    [IA_SQL_SWEEP_RUNS] =
        "SELECT " RUNS "WHERE r.sweep_id = ?1 AND (?2 = 0 OR r.sweep_no = ?2) ORDER BY r.rowid",
    [IA_SQL_SWEEP_USAGE] =
        "SELECT " IA_SELECT(IA_USAGE_SUM_COLUMNS) " FROM runs WHERE id IN (WITH RECURSIVE all_of (id) AS "
        "(SELECT id FROM runs WHERE sweep_id = ?1 UNION ALL SELECT c.id FROM all_of JOIN runs c "
        "ON c.parent_id = all_of.id) SELECT id FROM all_of)",
    [IA_SQL_HISTORY_NAME] =
        "SELECT " FIGURES "FROM goals g CROSS JOIN runs r ON r.goal_id = g.id "
        "WHERE g.name = ?1 AND r.parent_id IS NULL AND " OVER " ORDER BY g.rowid DESC LIMIT ?2",
    /* The + keeps SQLite from putting ?1 into the indexed expression,
     * and so losing the index. */
    [IA_SQL_HISTORY_TEXT] =
        "SELECT " FIGURES "FROM goals g CROSS JOIN runs r ON r.goal_id = g.id "
        "WHERE substr(g.text, 1, 100) = substr(?1, 1, 100) AND +g.text = ?1 "
        "AND r.parent_id IS NULL AND " OVER " ORDER BY g.rowid DESC LIMIT ?2",

    [IA_SQL_HISTORY_DAYS] =
        "SELECT " FIGURES "FROM runs r INDEXED BY runs_by_end JOIN goals g ON g.id = r.goal_id "
        "WHERE " ENDED " ORDER BY r.finished_at DESC, r.rowid DESC LIMIT ?3",
    [IA_SQL_HISTORY_DAYS_GOAL] =
        "SELECT " FIGURES "FROM runs r INDEXED BY runs_by_goal JOIN goals g ON g.id = r.goal_id "
        "WHERE r." OF_GOAL("?5") " AND " ENDED " ORDER BY r.finished_at DESC, r.rowid DESC LIMIT ?3",
    /* Of the newest runs, so that the price does not grow with the database. */
    [IA_SQL_HISTORY_GOALS] =
        "SELECT COALESCE(name, text) AS goal, COUNT(*), "
        "SUM(state = 'passed' AND outcome IS NOT 'healed'), SUM(outcome IS 'healed'), "
        "SUM(state = 'failed'), MAX(id) FROM (SELECT g.name, g.text, r.state, r.outcome, r.id FROM runs r "
        "JOIN goals g ON g.id = r.goal_id WHERE r.parent_id IS NULL AND " OVER " ORDER BY r.id DESC LIMIT "
        "10000) GROUP BY goal ORDER BY MAX(id) DESC LIMIT ?1",

    /* ---- transcript ---- */
    [IA_SQL_MESSAGE_NEXT] = "SELECT COALESCE(MAX(seq), 0) + 1 FROM messages WHERE run_id = ?1",
    [IA_SQL_MESSAGE_ADD] =
        "INSERT INTO messages (run_id, seq, role, purpose, content, stop_reason, model, "
        "request_id, tokens_input, tokens_cache_read, tokens_cache_write, tokens_output, "
        "cost_usd, ms, created_at) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
    [IA_SQL_MESSAGE_LIST] =
        "SELECT " IA_SELECT(IA_MESSAGE_COLUMNS) " "
        "FROM messages WHERE run_id = ?1 AND (?2 IS NULL OR purpose = ?2) ORDER BY seq",

    /* ---- the journal ---- */
    [IA_SQL_CALL_ADD] =
        "INSERT INTO tool_calls (run_id, message_seq, step, tool_use_id, name, input, "
        "has_effect, state, intent_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'intent', ?8) "
        "ON CONFLICT (run_id, tool_use_id) DO NOTHING",
    [IA_SQL_CALL_STATE] = "SELECT state FROM tool_calls WHERE run_id = ?1 AND tool_use_id = ?2",
    [IA_SQL_CALL_BEGUN] =
        "UPDATE tool_calls SET begun = ?3 WHERE run_id = ?1 AND tool_use_id = ?2",
    [IA_SQL_CALL_RESULT] =
        "UPDATE tool_calls SET state = 'done', result = ?3, is_error = ?4, code = ?5, "
        "outcome = ?6, ms = ?7, done_at = ?8, screen = ?9, recorded = ?10 WHERE run_id = ?1 "
        "AND tool_use_id = ?2",
    [IA_SQL_CALL_LIST] =
        "SELECT " IA_SELECT(IA_CALL_COLUMNS) " FROM tool_calls "
        "WHERE run_id = ?1 ORDER BY id",
    [IA_SQL_CALL_SCREEN] = "SELECT screen FROM tool_calls WHERE id = (SELECT max(id) FROM "
                           "tool_calls WHERE run_id = ?1 AND screen IS NOT NULL AND name <> 'delegate')",

    /* ---- events ---- */
    [IA_SQL_EVENT_NEXT] = "SELECT COALESCE(MAX(seq), 0) + 1 FROM events WHERE run_id = ?1",
    [IA_SQL_EVENT_ADD] =
        "INSERT INTO events (run_id, seq, type, ts, json) VALUES (?1, ?2, ?3, ?4, ?5)",
    [IA_SQL_EVENT_LIST_ALL] = EVENTS "WHERE id > ?1 ORDER BY id LIMIT ?2",
    /* Within a run seq and id grow together, so the index on (run_id, seq) gives the order. */
    [IA_SQL_EVENT_LIST_RUN] =
        EVENTS "WHERE id > ?1 AND run_id = ?3 AND seq > ?4 ORDER BY seq LIMIT ?2",
    [IA_SQL_EVENT_LIST_LANE] = EVENTS "WHERE id > ?1 AND " OF_LANE " ORDER BY id LIMIT ?2",
    [IA_SQL_EVENT_COUNT] = COUNT_EVENTS "LIMIT ?2)",
    [IA_SQL_EVENT_COUNT_RUN] = COUNT_EVENTS "AND run_id = ?3 AND seq > ?4 LIMIT ?2)",
    [IA_SQL_EVENT_COUNT_LANE] = COUNT_EVENTS "AND " OF_LANE " LIMIT ?2)",

    [IA_SQL_CURSOR_GET] = "SELECT event_id FROM cursors WHERE consumer = ?1",
    [IA_SQL_CURSOR_SET] =
        "INSERT INTO cursors (consumer, event_id, updated_at) VALUES (?1, ?2, ?3) "
        "ON CONFLICT (consumer) DO UPDATE SET event_id = excluded.event_id, "
        "updated_at = excluded.updated_at WHERE excluded.event_id > event_id RETURNING 1",

    /* ---- agents ---- */
    [IA_SQL_AGENT_PUT] =
        "INSERT INTO agents (name, model, prompt, tools, created_at, updated_at, role, skills, "
        "may_call, memory_kind, budget) VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10) "
        "ON CONFLICT (name) DO UPDATE SET "
        "model = excluded.model, prompt = excluded.prompt, tools = excluded.tools, "
        "role = excluded.role, skills = excluded.skills, may_call = excluded.may_call, "
        "memory_kind = excluded.memory_kind, budget = excluded.budget, "
        "updated_at = excluded.updated_at",
    [IA_SQL_AGENT_REMOVE] = "DELETE FROM agents WHERE name = ?1 RETURNING 1",
    [IA_SQL_AGENT_MEMORY] =
        "UPDATE agents SET memory = ?2, updated_at = ?3 WHERE name = ?1 RETURNING 1",
    [IA_SQL_AGENT_LIST] =
        "SELECT " IA_SELECT(IA_AGENT_COLUMNS) " FROM agents "
        "WHERE ?1 IS NULL OR name = ?1 ORDER BY name",
    [IA_SQL_SKILL_TRUST] =
        "INSERT INTO trusted_skills (hash, name, granted, trusted_at) VALUES (?1, ?2, ?3, ?4) "
        "ON CONFLICT (hash) DO UPDATE SET name = excluded.name, granted = excluded.granted, "
        "trusted_at = excluded.trusted_at",
    [IA_SQL_SKILL_DISTRUST] = "DELETE FROM trusted_skills WHERE hash = ?1 OR name = ?2",
    [IA_SQL_SKILL_TRUSTED] = "SELECT granted FROM trusted_skills WHERE hash = ?1",
    [IA_SQL_SESSION_SET] =
        "INSERT INTO sessions (agent, run_id, updated_at) VALUES (?1, ?2, ?3) "
        "ON CONFLICT (agent) DO UPDATE SET run_id = excluded.run_id, "
        "updated_at = excluded.updated_at",
    [IA_SQL_SESSION_FORGET] = "DELETE FROM sessions WHERE agent = ?1",
    [IA_SQL_SESSION_GET] = "SELECT run_id FROM sessions WHERE agent = ?1",

    /* ---- accepted tools ---- */
    [IA_SQL_ACCEPTED_ADD] =
        "INSERT INTO accepted_tools (skill, tool, digest, accepted_at) SELECT ?1, ?2, ?3, ?4 "
        "WHERE (SELECT count(*) FROM accepted_tools WHERE skill = ?1) < ?5 "
        "ON CONFLICT DO NOTHING",
    [IA_SQL_ACCEPTED_FORGET] = "DELETE FROM accepted_tools WHERE skill = ?1",
    [IA_SQL_ACCEPTED_LIST] =
        "SELECT tool, digest FROM accepted_tools WHERE skill = ?1 ORDER BY tool",

    /* ---- lanes ---- */
    [IA_SQL_LEASE_GET] = LEASES "WHERE lane = ?1",
    [IA_SQL_LEASE_PUT] =
        "INSERT OR REPLACE INTO leases (lane, run_id, owner_pid, owner_token, owner_command, "
        "since, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [IA_SQL_LEASE_RENEW] = "UPDATE leases SET expires = ?5 WHERE lane = ?1 AND owner_pid = ?2 "
                           "AND owner_token = ?3 "
                           "AND since = ?4 RETURNING 1",
    [IA_SQL_LEASE_REMOVE] = "DELETE FROM leases WHERE lane = ?1 AND owner_pid = ?2 "
                            "AND owner_token = ?3 AND since = ?4",
    [IA_SQL_LEASE_OF_RUN] =
        "DELETE FROM leases WHERE run_id = ?1 AND owner_pid = ?2 AND owner_token = ?3",
    [IA_SQL_LEASE_FORGET] = "DELETE FROM leases WHERE lane = ?1 AND owner_pid = ?2 "
                            "AND owner_token = ?3",
    [IA_SQL_LEASE_LIST] = LEASES "ORDER BY lane",
    /* As IA_SQL_HELD_LIST. */
    [IA_SQL_LEASE_COUNT] = "SELECT count(*) FROM leases",
    [IA_SQL_LEASE_HELD] = "SELECT lane, owner_pid, owner_token, 0 FROM leases ORDER BY lane",

    /* ---- secrets ---- */
    [IA_SQL_SECRET_PUT] =
        "INSERT OR REPLACE INTO secrets (name, version, seal, nonce, ciphertext, salt, "
        "argon_ops, argon_mem, key_check, digest, sealed_at) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [IA_SQL_SECRET_GET] =
        "SELECT version, seal, nonce, ciphertext, salt, argon_ops, argon_mem, key_check, "
        "digest, sealed_at FROM secrets WHERE name = ?1",
    [IA_SQL_SECRET_REMOVE] = "DELETE FROM secrets WHERE name = ?1 RETURNING 1",
    [IA_SQL_SECRET_LIST] =
        "SELECT substr(name, length(?1) + 1), seal, sealed_at FROM secrets "
        "WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name",
    [IA_SQL_SECRET_NAMED] =
        "SELECT DISTINCT value FROM (SELECT run AS job FROM schedules UNION ALL "
        "SELECT options FROM runs WHERE " UNFINISHED "), "
        "json_each(iif(json_valid(job), job, '{}'), '$.secrets') "
        "WHERE type = 'text' ORDER BY value",
};
/* clang-format on */
