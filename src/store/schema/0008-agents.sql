-- Schema version 8: what an agent is for and may use, runs that another run asked for, and questions to people.

ALTER TABLE agents ADD COLUMN role TEXT;
ALTER TABLE agents ADD COLUMN skills TEXT;      -- JSON array of names
ALTER TABLE agents ADD COLUMN may_call TEXT;    -- JSON array of agents' names
ALTER TABLE agents ADD COLUMN memory_kind TEXT CHECK (memory_kind IN ('notes', 'files', 'off'));
ALTER TABLE agents ADD COLUMN budget TEXT;      -- JSON object: max_steps, max_seconds, max_tokens, max_usd

-- A run that is a subtask: the run whose call asked for it. One call makes one run, however often it is made.
ALTER TABLE runs ADD COLUMN parent_id TEXT REFERENCES runs (id);
ALTER TABLE runs ADD COLUMN parent_call TEXT;   -- the tool_use_id
CREATE UNIQUE INDEX runs_of_parent ON runs (parent_id, parent_call) WHERE parent_id IS NOT NULL;
-- What its owner counts against its limits beyond steps and tokens: an upper bound of the cost, and time spent running.
ALTER TABLE runs ADD COLUMN usd_max REAL NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN ran_ms INTEGER NOT NULL DEFAULT 0;
-- How many of its own subtasks are not over: until then nobody takes the run up.
ALTER TABLE runs ADD COLUMN waits_for INTEGER NOT NULL DEFAULT 0;
DROP INDEX runs_waiting;
CREATE INDEX runs_waiting ON runs (lane, kind) WHERE state = 'queued' AND waits_for = 0;
DROP INDEX runs_interrupted;
CREATE INDEX runs_interrupted ON runs (lane)
    WHERE state = 'queued' AND waits_for = 0 AND (started_at IS NOT NULL OR parent_id IS NOT NULL);

-- Folders of skills that the user trusts: by what lies in them, wherever they are.
CREATE TABLE trusted_skills (
    hash       TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    granted    TEXT,                            -- JSON array of names of secrets that it may have
    trusted_at TEXT NOT NULL
) STRICT;

-- What a person has to decide before a call of a run may be made. An approved question is used in the commit
-- before the call's effect, so that an approval is good for one effect.
CREATE TABLE questions (
    id          TEXT NOT NULL PRIMARY KEY,
    run_id      TEXT NOT NULL REFERENCES runs (id),
    tool_use_id TEXT NOT NULL,
    rule        TEXT NOT NULL,
    text        TEXT NOT NULL,
    detail      TEXT NOT NULL,                  -- JSON object
    state       TEXT NOT NULL CHECK (state IN ('open', 'approved', 'denied', 'used', 'withdrawn')),
    asked_at    TEXT NOT NULL,
    expires_at  TEXT,                           -- from then on it counts as denied
    answered_at TEXT,
    answered_by TEXT,
    note        TEXT,
    UNIQUE (run_id, tool_use_id)
) STRICT;
CREATE INDEX questions_open ON questions (asked_at) WHERE state = 'open';
CREATE INDEX questions_due ON questions (expires_at) WHERE state = 'open' AND expires_at IS NOT NULL;

-- Of a call that a policy judges before its effect: 0 until the effect may have begun, then 1. NULL: its intent says so.
ALTER TABLE tool_calls ADD COLUMN begun INTEGER;

-- A notice of a question belongs to no schedule, and a run may ask more than once.
CREATE TABLE notices_8 (
    id          INTEGER PRIMARY KEY,
    schedule    TEXT REFERENCES schedules (name) ON DELETE CASCADE,
    run_id      TEXT NOT NULL REFERENCES runs (id),
    question_id TEXT UNIQUE,               -- NULL: of the verdict
    target      TEXT NOT NULL,             -- JSON object, as in schedules.notify
    body        TEXT NOT NULL,             -- JSON object that is delivered
    state       TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'given_up')),
    attempts    INTEGER NOT NULL DEFAULT 0,
    due_at      TEXT NOT NULL,             -- of the next attempt
    problem     TEXT,                      -- of the last attempt
    created_at  TEXT NOT NULL
) STRICT;
INSERT INTO notices_8 (id, schedule, run_id, target, body, state, attempts, due_at, problem, created_at)
    SELECT id, schedule, run_id, target, body, state, attempts, due_at, problem, created_at FROM notices;
DROP TABLE notices;
ALTER TABLE notices_8 RENAME TO notices;
CREATE UNIQUE INDEX notices_of_verdict ON notices (run_id) WHERE question_id IS NULL;
CREATE INDEX notices_of_run ON notices (run_id);
CREATE INDEX notices_due ON notices (due_at) WHERE state = 'waiting';
CREATE INDEX notices_of_schedule ON notices (schedule);
-- Nobody is told of a question that is answered.
CREATE TRIGGER notices_of_answers AFTER UPDATE OF state ON questions WHEN old.state = 'open' AND new.state <> 'open'
BEGIN
    UPDATE notices SET state = 'given_up', problem = 'answered' WHERE question_id = old.id AND state = 'waiting';
END;

-- The definitions of tools of MCP servers that were accepted, by skill. Another definition is not called.
CREATE TABLE accepted_tools (
    skill       TEXT NOT NULL,                  -- the hash of its folder
    tool        TEXT NOT NULL,
    digest      TEXT NOT NULL,
    accepted_at TEXT NOT NULL,
    PRIMARY KEY (skill, tool)
) STRICT, WITHOUT ROWID;

-- A run that asks is blocked without an end: it is not over.
DROP INDEX runs_unique;
CREATE UNIQUE INDEX runs_unique ON runs (unique_key)
    WHERE unique_key IS NOT NULL AND (state IN ('queued', 'claimed', 'running', 'retry_wait') OR
                                      (state = 'blocked' AND finished_at IS NULL));
DROP INDEX runs_of_schedule;
CREATE INDEX runs_of_schedule ON runs (schedule)
    WHERE schedule IS NOT NULL AND (state IN ('queued', 'claimed', 'running', 'retry_wait') OR
                                    (state = 'blocked' AND finished_at IS NULL));
CREATE INDEX runs_asking ON runs (id) WHERE state = 'blocked' AND finished_at IS NULL;
