-- Schema version 6: evaluations, which are sweeps whose goals the phone's own state judges.

-- What the goal's file says about judging it (JSON object, agent/eval/eval.h); NULL: nothing.
ALTER TABLE sweep_goals ADD COLUMN eval TEXT;
-- What the phone's state said once its run had ended (JSON object, the same); NULL: not read yet.
ALTER TABLE sweep_goals ADD COLUMN judged TEXT;
