-- Schema version 1. Times are UTC ISO-8601 with milliseconds, ids are UUIDv7, JSON columns hold
-- the bytes as they were given.

CREATE TABLE agents (
    name       TEXT NOT NULL PRIMARY KEY,
    model      TEXT,
    prompt     TEXT,
    tools      TEXT,                        -- JSON array of names; NULL: all
    memory     TEXT NOT NULL DEFAULT '',    -- Markdown
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE goals (
    id         TEXT NOT NULL PRIMARY KEY,
    text       TEXT NOT NULL,
    app        TEXT,
    hint       TEXT,
    expect     TEXT NOT NULL,               -- JSON array of strings
    budget     TEXT NOT NULL,               -- JSON object
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE runs (
    id                 TEXT NOT NULL PRIMARY KEY,
    goal_id            TEXT NOT NULL REFERENCES goals (id),
    agent              TEXT,
    model              TEXT NOT NULL,
    lane               TEXT NOT NULL,
    device             TEXT NOT NULL,       -- JSON object
    options            TEXT NOT NULL,       -- JSON object
    demo               INTEGER NOT NULL CHECK (demo IN (0, 1)),
    state              TEXT NOT NULL CHECK (state IN ('queued', 'claimed', 'running', 'retry_wait',
                           'passed', 'failed', 'blocked', 'error', 'cancelled')),
    attempt            INTEGER NOT NULL DEFAULT 1,
    retry_at           TEXT,
    code               TEXT,
    summary            TEXT,
    basis              TEXT,
    result             TEXT,                -- JSON object
    screenshot         TEXT,                -- SHA-256 of a blob
    notes              TEXT,
    cancel_requested   INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
    owner_pid          INTEGER,
    owner_token        TEXT,                -- tells a process from a later one with its pid
    owner_command      TEXT,
    heartbeat_at       TEXT,
    created_at         TEXT NOT NULL,
    started_at         TEXT,
    finished_at        TEXT,
    steps              INTEGER NOT NULL DEFAULT 0,
    tokens_input       INTEGER NOT NULL DEFAULT 0,
    tokens_cache_read  INTEGER NOT NULL DEFAULT 0,
    tokens_cache_write INTEGER NOT NULL DEFAULT 0,
    tokens_output      INTEGER NOT NULL DEFAULT 0,
    cost_usd           REAL                 -- NULL: unknown
) STRICT;
CREATE INDEX runs_by_state ON runs (state, id);
CREATE INDEX runs_by_goal ON runs (goal_id);

CREATE TABLE messages (
    id                 INTEGER PRIMARY KEY,
    run_id             TEXT NOT NULL REFERENCES runs (id),
    seq                INTEGER NOT NULL,
    role               TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    purpose            TEXT NOT NULL CHECK (purpose IN ('act', 'verify')),
    content            TEXT NOT NULL,       -- JSON array of content blocks
    stop_reason        TEXT,
    model              TEXT,
    request_id         TEXT,
    tokens_input       INTEGER NOT NULL,
    tokens_cache_read  INTEGER NOT NULL,
    tokens_cache_write INTEGER NOT NULL,
    tokens_output      INTEGER NOT NULL,
    cost_usd           REAL,
    ms                 INTEGER NOT NULL,
    created_at         TEXT NOT NULL,
    UNIQUE (run_id, seq)
) STRICT;

-- The journal: the intent is committed before the tool runs, the result after.
CREATE TABLE tool_calls (
    id          INTEGER PRIMARY KEY,
    run_id      TEXT NOT NULL,
    message_seq INTEGER NOT NULL,
    step        INTEGER NOT NULL,
    tool_use_id TEXT NOT NULL,
    name        TEXT NOT NULL,
    input       TEXT NOT NULL,              -- JSON object
    has_effect  INTEGER NOT NULL CHECK (has_effect IN (0, 1)),
    state       TEXT NOT NULL CHECK (state IN ('intent', 'done')),
    result      TEXT,                       -- JSON content of the tool_result
    is_error    INTEGER NOT NULL DEFAULT 0 CHECK (is_error IN (0, 1)),
    code        TEXT,
    outcome     TEXT,
    screen      TEXT,                       -- text form of the screen after it; NULL: not read
    ms          INTEGER NOT NULL DEFAULT 0,
    intent_at   TEXT NOT NULL,
    done_at     TEXT,
    UNIQUE (run_id, tool_use_id),
    FOREIGN KEY (run_id, message_seq) REFERENCES messages (run_id, seq),
    CHECK ((state = 'done') = (result IS NOT NULL))
) STRICT;

CREATE TABLE events (
    id     INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
    run_id TEXT NOT NULL REFERENCES runs (id),
    seq    INTEGER NOT NULL,
    type   TEXT NOT NULL,
    ts     TEXT NOT NULL,
    json   TEXT NOT NULL,
    UNIQUE (run_id, seq)
) STRICT;
CREATE TRIGGER events_are_append_only BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

CREATE TABLE cursors (
    consumer   TEXT NOT NULL PRIMARY KEY,
    event_id   INTEGER NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE sessions (
    agent      TEXT NOT NULL PRIMARY KEY REFERENCES agents (name) ON DELETE CASCADE,
    run_id     TEXT NOT NULL REFERENCES runs (id),
    updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE leases (
    lane          TEXT NOT NULL PRIMARY KEY,
    run_id        TEXT,                     -- NULL: held by a command without a run
    owner_pid     INTEGER NOT NULL,
    owner_token   TEXT NOT NULL,
    owner_command TEXT NOT NULL,
    since         TEXT NOT NULL,
    expires       TEXT NOT NULL
) STRICT;

CREATE TABLE secrets (
    name       TEXT NOT NULL PRIMARY KEY,
    version    INTEGER NOT NULL,
    seal       TEXT NOT NULL CHECK (seal IN ('key-file', 'passphrase')),
    nonce      BLOB NOT NULL,
    ciphertext BLOB NOT NULL,
    salt       BLOB NOT NULL,               -- of Argon2id; empty for a key file
    argon_ops  INTEGER NOT NULL,
    argon_mem  INTEGER NOT NULL,            -- bytes
    key_check  BLOB NOT NULL,               -- tells a wrong key from a changed ciphertext
    digest     BLOB NOT NULL,               -- over all of the above
    sealed_at  TEXT NOT NULL
) STRICT;
