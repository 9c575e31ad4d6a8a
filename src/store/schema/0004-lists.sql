-- Schema version 4: lists and figures of a long history without reading all of it.

-- In the order of a list: by what it is asked for, then by age.
CREATE INDEX runs_by_lane ON runs (lane, id);
CREATE INDEX runs_by_agent ON runs (agent, id) WHERE agent IS NOT NULL;
CREATE INDEX runs_by_schedule ON runs (schedule, id) WHERE schedule IS NOT NULL;
DROP INDEX runs_by_goal;
CREATE INDEX runs_by_goal ON runs (goal_id, id);
-- For the figures of some days.
CREATE INDEX runs_by_end ON runs (finished_at) WHERE finished_at IS NOT NULL;
