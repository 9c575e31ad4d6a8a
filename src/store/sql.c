#include "store/sql.h"

#define RUN_COLUMNS                                                                            \
    "r.id, r.goal_id, g.text, g.app, g.hint, r.agent, r.model, r.lane, g.expect, g.budget, "   \
    "r.device, r.options, r.state, r.attempt, r.code, r.summary, r.basis, r.result, "          \
    "r.screenshot, r.notes, r.owner_pid, r.owner_token, r.owner_command, r.created_at, "       \
    "r.started_at, r.finished_at, r.heartbeat_at, r.retry_at, r.cancel_requested, r.demo, "    \
    "r.steps, r.tokens_input, r.tokens_cache_read, r.tokens_cache_write, r.tokens_output, "    \
    "r.cost_usd FROM runs r JOIN goals g ON g.id = r.goal_id "

const char *const ia_sql_text[IA_SQL_COUNT] = {
    [IA_SQL_BEGIN] = "BEGIN IMMEDIATE",
    [IA_SQL_COMMIT] = "COMMIT",
    [IA_SQL_ROLLBACK] = "ROLLBACK",
    [IA_SQL_CHECK] = "PRAGMA integrity_check(1)",

    /* ---- runs ---- */
    [IA_SQL_GOAL_ADD] = "INSERT INTO goals (id, text, app, hint, expect, budget, created_at) "
                        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [IA_SQL_RUN_ADD] =
        "INSERT INTO runs (id, goal_id, agent, model, lane, device, options, demo, state, "
        "created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'queued', ?9)",
    [IA_SQL_RUN_STATE] = "SELECT state, owner_pid, owner_token, owner_command FROM runs "
                         "WHERE id = ?1",
    /* ?3 now, ?4 it starts, ?5 it ends, ?6 a new attempt begins */
    [IA_SQL_RUN_MOVE] =
        "UPDATE runs SET state = ?2, "
        "started_at = CASE WHEN ?4 THEN COALESCE(started_at, ?3) ELSE started_at END, "
        "finished_at = CASE WHEN ?5 THEN ?3 END, attempt = attempt + ?6, retry_at = ?7, "
        "code = COALESCE(?8, code), summary = COALESCE(?9, summary), "
        "basis = COALESCE(?10, basis), result = COALESCE(?11, result), "
        "screenshot = COALESCE(?12, screenshot) WHERE id = ?1",
    [IA_SQL_RUN_OWN] = "UPDATE runs SET owner_pid = ?2, owner_token = ?3, owner_command = ?4, "
                       "heartbeat_at = ?5 WHERE id = ?1",
    [IA_SQL_RUN_DISOWN] = "UPDATE runs SET owner_pid = NULL, owner_token = NULL, "
                          "owner_command = NULL WHERE id = ?1",
    [IA_SQL_RUN_USAGE] =
        "UPDATE runs SET steps = ?2, tokens_input = ?3, tokens_cache_read = ?4, "
        "tokens_cache_write = ?5, tokens_output = ?6, cost_usd = ?7 WHERE id = ?1 RETURNING 1",
    [IA_SQL_RUN_HEARTBEAT] =
        "UPDATE runs SET heartbeat_at = ?2 WHERE id = ?1 RETURNING cancel_requested",
    [IA_SQL_RUN_NOTES] = "UPDATE runs SET notes = ?2 WHERE id = ?1 RETURNING 1",
    [IA_SQL_RUN_CANCEL] = "UPDATE runs SET cancel_requested = 1 WHERE id = ?1",
    [IA_SQL_RUN_CANCEL_GET] = "SELECT cancel_requested FROM runs WHERE id = ?1",
    /* Prefixes use the index; endings need a scan, and come second. */
    [IA_SQL_RUN_MATCH] =
        "SELECT id FROM runs WHERE id >= ?1 AND id < ?1 || 'g' UNION "
        "SELECT id FROM runs WHERE substr(id, -length(?1)) = ?1 ORDER BY id DESC LIMIT 4",
    [IA_SQL_RUN_GET] = "SELECT " RUN_COLUMNS "WHERE r.id = ?1",
    [IA_SQL_RUN_LIST] =
        "SELECT " RUN_COLUMNS
        "WHERE (?1 IS NULL OR r.state = ?1 OR (?1 = 'unfinished' AND r.state IN ('queued', "
        "'claimed', 'running', 'retry_wait'))) AND (?2 IS NULL OR r.lane = ?2) "
        "AND (?3 IS NULL OR r.id < ?3) ORDER BY r.id DESC LIMIT ?4",

    /* ---- transcript ---- */
    [IA_SQL_MESSAGE_NEXT] = "SELECT COALESCE(MAX(seq), 0) + 1 FROM messages WHERE run_id = ?1",
    [IA_SQL_MESSAGE_ADD] =
        "INSERT INTO messages (run_id, seq, role, purpose, content, stop_reason, model, "
        "request_id, tokens_input, tokens_cache_read, tokens_cache_write, tokens_output, "
        "cost_usd, ms, created_at) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
    [IA_SQL_MESSAGE_LIST] =
        "SELECT seq, role, purpose, content, stop_reason, model, request_id, tokens_input, "
        "tokens_cache_read, tokens_cache_write, tokens_output, cost_usd, ms, created_at "
        "FROM messages WHERE run_id = ?1 AND (?2 IS NULL OR purpose = ?2) ORDER BY seq",

    /* ---- the journal ---- */
    [IA_SQL_CALL_ADD] =
        "INSERT INTO tool_calls (run_id, message_seq, step, tool_use_id, name, input, "
        "has_effect, state, intent_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'intent', ?8) "
        "ON CONFLICT (run_id, tool_use_id) DO NOTHING RETURNING 1",
    [IA_SQL_CALL_STATE] = "SELECT state FROM tool_calls WHERE run_id = ?1 AND tool_use_id = ?2",
    [IA_SQL_CALL_RESULT] =
        "UPDATE tool_calls SET state = 'done', result = ?3, is_error = ?4, code = ?5, "
        "outcome = ?6, ms = ?7, done_at = ?8, screen = ?9 WHERE run_id = ?1 AND tool_use_id = "
        "?2",
    [IA_SQL_CALL_LIST] =
        "SELECT message_seq, step, tool_use_id, name, input, has_effect, state, result, "
        "is_error, code, outcome, ms, intent_at, done_at, screen FROM tool_calls "
        "WHERE run_id = ?1 ORDER BY id",

    /* ---- events ---- */
    [IA_SQL_EVENT_NEXT] = "SELECT COALESCE(MAX(seq), 0) + 1 FROM events WHERE run_id = ?1",
    [IA_SQL_EVENT_ADD] =
        "INSERT INTO events (run_id, seq, type, ts, json) VALUES (?1, ?2, ?3, ?4, ?5)",
    [IA_SQL_EVENT_LIST_ALL] = "SELECT id, seq, run_id, type, ts, json FROM events "
                              "WHERE id > ?1 ORDER BY id LIMIT ?2",
    /* Within a run seq and id grow together, so the index on (run_id, seq) gives the order. */
    [IA_SQL_EVENT_LIST_RUN] = "SELECT id, seq, run_id, type, ts, json FROM events "
                              "WHERE id > ?1 AND run_id = ?3 ORDER BY seq LIMIT ?2",

    [IA_SQL_CURSOR_GET] = "SELECT event_id FROM cursors WHERE consumer = ?1",
    [IA_SQL_CURSOR_SET] =
        "INSERT INTO cursors (consumer, event_id, updated_at) VALUES (?1, ?2, ?3) "
        "ON CONFLICT (consumer) DO UPDATE SET event_id = excluded.event_id, "
        "updated_at = excluded.updated_at WHERE excluded.event_id > event_id",

    /* ---- agents ---- */
    [IA_SQL_AGENT_PUT] =
        "INSERT INTO agents (name, model, prompt, tools, created_at, updated_at) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?5) ON CONFLICT (name) DO UPDATE SET "
        "model = excluded.model, prompt = excluded.prompt, tools = excluded.tools, "
        "updated_at = excluded.updated_at",
    [IA_SQL_AGENT_REMOVE] = "DELETE FROM agents WHERE name = ?1 RETURNING 1",
    [IA_SQL_AGENT_MEMORY] =
        "UPDATE agents SET memory = ?2, updated_at = ?3 WHERE name = ?1 RETURNING 1",
    [IA_SQL_AGENT_LIST] =
        "SELECT name, model, prompt, tools, memory, created_at, updated_at FROM agents "
        "WHERE ?1 IS NULL OR name = ?1 ORDER BY name",
    [IA_SQL_SESSION_SET] =
        "INSERT INTO sessions (agent, run_id, updated_at) VALUES (?1, ?2, ?3) "
        "ON CONFLICT (agent) DO UPDATE SET run_id = excluded.run_id, "
        "updated_at = excluded.updated_at",
    [IA_SQL_SESSION_GET] = "SELECT run_id FROM sessions WHERE agent = ?1",

    /* ---- lanes ---- */
    [IA_SQL_LEASE_GET] = "SELECT lane, run_id, owner_pid, owner_token, owner_command, since, "
                         "expires FROM leases WHERE lane = ?1",
    [IA_SQL_LEASE_PUT] =
        "INSERT OR REPLACE INTO leases (lane, run_id, owner_pid, owner_token, owner_command, "
        "since, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [IA_SQL_LEASE_RENEW] = "UPDATE leases SET expires = ?5 WHERE lane = ?1 AND owner_pid = ?2 "
                           "AND owner_token = ?3 "
                           "AND since = ?4 RETURNING 1",
    [IA_SQL_LEASE_REMOVE] = "DELETE FROM leases WHERE lane = ?1 AND owner_pid = ?2 "
                            "AND owner_token = ?3 AND since = ?4",
    [IA_SQL_LEASE_LIST] = "SELECT lane, run_id, owner_pid, owner_token, owner_command, since, "
                          "expires FROM leases ORDER BY lane",

    /* ---- secrets ---- */
    [IA_SQL_SECRET_PUT] =
        "INSERT OR REPLACE INTO secrets (name, version, seal, nonce, ciphertext, salt, "
        "argon_ops, argon_mem, key_check, digest, sealed_at) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [IA_SQL_SECRET_GET] =
        "SELECT version, seal, nonce, ciphertext, salt, argon_ops, argon_mem, key_check, "
        "digest, sealed_at FROM secrets WHERE name = ?1",
    [IA_SQL_SECRET_REMOVE] = "DELETE FROM secrets WHERE name = ?1 RETURNING 1",
};
