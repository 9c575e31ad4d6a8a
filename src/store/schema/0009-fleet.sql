-- Schema version 9: runs that are done for somebody else, or by somebody else (fleet_runs.h).

CREATE TABLE fleet_runs (
    run_id  TEXT NOT NULL PRIMARY KEY REFERENCES runs (id),
    batch   TEXT NOT NULL,
    order_run TEXT NOT NULL,                -- its id for who submitted it
    key     BLOB NOT NULL,                  -- of this run alone, 32 bytes
    attempt INTEGER NOT NULL,               -- the newest that is known of
    state   TEXT NOT NULL CHECK (state IN ('sent', 'counted', 'held', 'proposed', 'lost')),
    worker  TEXT,                           -- whose verdict counts
    fetch_from TEXT                         -- URL of the worker that has its pictures; NULL: nothing to fetch
) STRICT;
CREATE INDEX fleet_runs_open ON fleet_runs (state) WHERE state IN ('sent', 'held');
CREATE INDEX fleet_runs_of_order ON fleet_runs (order_run);
CREATE INDEX fleet_runs_to_fetch ON fleet_runs (batch) WHERE fetch_from IS NOT NULL;
