-- Schema version 3: notices of a schedule's change of verdict, until they are delivered.

CREATE TABLE notices (
    id         INTEGER PRIMARY KEY,
    schedule   TEXT NOT NULL REFERENCES schedules (name) ON DELETE CASCADE,
    run_id     TEXT NOT NULL UNIQUE REFERENCES runs (id),
    target     TEXT NOT NULL,              -- JSON object, as in schedules.notify
    body       TEXT NOT NULL,              -- JSON object that is delivered
    state      TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'given_up')),
    attempts   INTEGER NOT NULL DEFAULT 0, -- begun
    due_at     TEXT NOT NULL,              -- of the next attempt
    problem    TEXT,                       -- of the last attempt
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX notices_due ON notices (due_at) WHERE state = 'waiting';
CREATE INDEX notices_of_schedule ON notices (schedule);
