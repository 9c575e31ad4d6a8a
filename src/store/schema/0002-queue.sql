-- Schema version 2: the queue, schedules and sweeps.

ALTER TABLE goals ADD COLUMN name TEXT;     -- by which its history is found; NULL: none

CREATE TABLE sweeps (
    id          TEXT NOT NULL PRIMARY KEY,
    title       TEXT NOT NULL,
    options     TEXT NOT NULL,              -- JSON object
    max_usd     REAL NOT NULL,              -- 0: no limit
    state       TEXT NOT NULL CHECK (state IN ('running', 'done', 'stopped')),
    why         TEXT,
    owner_pid   INTEGER NOT NULL,
    owner_token TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    finished_at TEXT
) STRICT;

CREATE TABLE sweep_goals (
    sweep_id TEXT NOT NULL REFERENCES sweeps (id),
    no       INTEGER NOT NULL,
    name     TEXT NOT NULL,
    file     TEXT NOT NULL,
    line     INTEGER NOT NULL,
    repeat   INTEGER NOT NULL,
    needs    TEXT NOT NULL,                 -- JSON array of names
    tags     TEXT NOT NULL,                 -- JSON array
    job      TEXT NOT NULL,                 -- JSON object
    state    TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'passed', 'flaky', 'failed',
                 'blocked', 'error', 'cancelled', 'skipped')),
    reason   TEXT,
    PRIMARY KEY (sweep_id, no)
) STRICT;

ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'goal'
    CHECK (kind IN ('goal', 'scheduled', 'follow_up'));
ALTER TABLE runs ADD COLUMN unique_key TEXT;
ALTER TABLE runs ADD COLUMN sweep_id TEXT REFERENCES sweeps (id);
ALTER TABLE runs ADD COLUMN sweep_no INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN pool TEXT;      -- from which its lane took it; NULL: none
ALTER TABLE runs ADD COLUMN schedule TEXT;  -- that fired it; stays when that is removed
ALTER TABLE runs ADD COLUMN inbox_cursor INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN tool_deadline_at TEXT; -- of the tool in hand; NULL: none

-- What waits, is held, or comes back, each by an index that holds nothing else, so that a long
-- queue and a long history cost nothing. The rowid at the end of each is the order of age.
CREATE INDEX runs_waiting ON runs (lane, kind) WHERE state = 'queued';
CREATE INDEX runs_interrupted ON runs (lane) WHERE state = 'queued' AND started_at IS NOT NULL;
CREATE INDEX runs_held ON runs (lane) WHERE state IN ('claimed', 'running');
CREATE INDEX runs_retry ON runs (lane, retry_at) WHERE state = 'retry_wait';
CREATE UNIQUE INDEX runs_unique ON runs (unique_key)
    WHERE state IN ('queued', 'claimed', 'running', 'retry_wait') AND unique_key IS NOT NULL;
CREATE INDEX runs_of_sweep ON runs (sweep_id, sweep_no) WHERE sweep_id IS NOT NULL;
CREATE INDEX runs_of_schedule ON runs (schedule)
    WHERE state IN ('queued', 'claimed', 'running', 'retry_wait') AND schedule IS NOT NULL;
CREATE INDEX goals_by_name ON goals (name) WHERE name IS NOT NULL;
CREATE INDEX goals_by_text ON goals (substr(text, 1, 100));

-- Messages to a run. Those up to runs.inbox_cursor are in its transcript.
CREATE TABLE inbox (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id     TEXT NOT NULL REFERENCES runs (id),
    sender     TEXT NOT NULL,
    text       TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX inbox_of_run ON inbox (run_id);

CREATE TABLE schedules (
    name         TEXT NOT NULL PRIMARY KEY,
    kind         TEXT NOT NULL CHECK (kind IN ('cron', 'every', 'at')),
    spec         TEXT NOT NULL,
    zone         TEXT NOT NULL,
    missed       TEXT NOT NULL CHECK (missed IN ('latest', 'all', 'skip')),
    overlap      TEXT NOT NULL CHECK (overlap IN ('skip', 'queue')),
    grace_s      INTEGER NOT NULL,
    precheck     TEXT,
    notify       TEXT,                      -- JSON object
    run          TEXT NOT NULL,             -- JSON object
    lane         TEXT NOT NULL,
    paused       INTEGER NOT NULL CHECK (paused IN (0, 1)),
    next_at      TEXT,                      -- NULL: never again
    anchor_at    TEXT NOT NULL,
    last_verdict TEXT,
    problem      TEXT,                      -- why it is retired
    created_at   TEXT NOT NULL,
    updated_at   TEXT NOT NULL
) STRICT;
CREATE INDEX schedules_due ON schedules (next_at) WHERE paused = 0 AND problem IS NULL;

-- One row for each fire. They go with their schedule; their runs stay.
CREATE TABLE schedule_runs (
    id            INTEGER PRIMARY KEY,
    schedule      TEXT NOT NULL REFERENCES schedules (name) ON DELETE CASCADE,
    scheduled_for TEXT NOT NULL,
    run_id        TEXT REFERENCES runs (id), -- NULL: skipped
    reason        TEXT,
    fired_at      TEXT NOT NULL,
    UNIQUE (schedule, scheduled_for)
) STRICT;
CREATE INDEX schedule_runs_by_run ON schedule_runs (run_id) WHERE run_id IS NOT NULL;
