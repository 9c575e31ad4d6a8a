-- Schema version 7: the list of states is compared only for runs that have a key or a schedule. SQLite puts such
-- a list into a table each time, for the old row and the new one: most of what a move of a run took.

DROP INDEX runs_unique;
CREATE UNIQUE INDEX runs_unique ON runs (unique_key)
    WHERE unique_key IS NOT NULL AND state IN ('queued', 'claimed', 'running', 'retry_wait');
DROP INDEX runs_of_schedule;
CREATE INDEX runs_of_schedule ON runs (schedule)
    WHERE schedule IS NOT NULL AND state IN ('queued', 'claimed', 'running', 'retry_wait');
