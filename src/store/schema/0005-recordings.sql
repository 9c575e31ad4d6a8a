-- Schema version 5: runs that can be done again without a model.

-- What it takes to make the call again (JSON object, agent/recording/note.h); NULL: nothing is known.
ALTER TABLE tool_calls ADD COLUMN recorded TEXT;

-- A passed run in the form in which it can be replayed. The text of a row never changes.
CREATE TABLE recordings (
    id         TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,               -- of the goal; its text where it has none
    goal_hash  TEXT NOT NULL,               -- of all that says what is to be done
    run_id     TEXT REFERENCES runs (id),   -- that it was made from; NULL: of another machine
    parent     TEXT REFERENCES recordings (id),    -- that was healed; NULL: none
    state      TEXT NOT NULL CHECK (state IN ('candidate', 'trusted', 'quarantined', 'rejected',
                   'replaced')),
    passes     INTEGER NOT NULL DEFAULT 0,  -- replays in a row that passed without a model
    steps_hash TEXT NOT NULL,               -- of what is done to what: the same heal is rejected once
    body       TEXT NOT NULL,               -- TOML
    decided_by TEXT,
    decided_at TEXT,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX recordings_by_goal ON recordings (goal_hash, id);
CREATE INDEX recordings_by_name ON recordings (name, id);

-- A goal that passed with a step done by a model, where its recording no longer fitted: neither passed nor failed.
CREATE TABLE sweep_goals_5 (
    sweep_id TEXT NOT NULL REFERENCES sweeps (id),
    no       INTEGER NOT NULL,
    name     TEXT NOT NULL,
    file     TEXT NOT NULL,
    line     INTEGER NOT NULL,
    repeat   INTEGER NOT NULL,
    needs    TEXT NOT NULL,                 -- JSON array of names
    tags     TEXT NOT NULL,                 -- JSON array
    job      TEXT NOT NULL,                 -- JSON object
    state    TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'passed', 'flaky', 'healed', 'failed',
                 'blocked', 'error', 'cancelled', 'skipped')),
    reason   TEXT,
    PRIMARY KEY (sweep_id, no)
) STRICT;
INSERT INTO sweep_goals_5 SELECT * FROM sweep_goals;
DROP TABLE sweep_goals;
ALTER TABLE sweep_goals_5 RENAME TO sweep_goals;

ALTER TABLE runs ADD COLUMN goal_hash TEXT; -- as recordings have it; NULL: of an older version
ALTER TABLE runs ADD COLUMN recording TEXT REFERENCES recordings (id); -- that it began to replay
ALTER TABLE runs ADD COLUMN outcome TEXT CHECK (outcome IN ('replayed', 'healed'));
CREATE INDEX runs_to_record ON runs (goal_hash, id)
    WHERE state = 'passed' AND basis IN ('both', 'expectations');
