"""A run of 200 steps: its requests stay small, a step costs the same at the end as at the beginning, and a
kill before, in or behind a summary of the conversation loses and doubles nothing."""
import json
import os
import unittest

import long_script as script
from harness import Case

LIMIT = 8000
# One turn beyond the limit: an answer, its result, and what the list of contacts shows.
TURN = 800
PHASES = [(11, 50), (51, 100), (101, 150), (151, 200)]


class Steps:
    """What the requests of a run sent, and what each step cost, its share of the summaries included."""

    def __init__(self, events):
        self.cost, self.sent, self.by, self.usage = {}, [], [], []
        step = pending = 0
        for e in events:
            if e["event"] == "request.finished":
                u = e["usage"]
                self.sent.append(u["input"] + u["cache_read"] + u["cache_write"])
                self.usage.append(e)
                pending += e["cost_usd"]
            elif e["event"] == "context.compacted":
                self.by.append(e["by"])
            elif e["event"] == "tool.finished":
                step = e["step"]
                self.cost[step], pending = pending, 0
        self.end = events[-1]

    def mean(self, first, last):
        return sum(self.cost[n] for n in range(first, last + 1)) / (last - first + 1)

    def total(self, key):
        return sum(e["usage"][key] for e in self.usage)


class Long(Case):
    def phone(self, limit, double, model=None):
        env = dict(self.claude(double), IOS_AGENT_RUN_CONTEXT_TOKENS=str(limit))
        return dict(env, IOS_AGENT_RUN_MODEL=model) if model else env

    def long_run(self, limit, model=None, more=()):
        double = self.script(*script.turns())
        result = self.run_agent(*script.RUN, "--events", *more, env=self.phone(limit, double, model))
        return result, double

    def passed(self, limit, model=None):
        result, double = self.long_run(limit, model)
        steps = Steps(result.events())
        self.assertEqual((result.code, steps.end["state"]), (0, "passed"), result.out[-2000:])
        self.assertEqual(steps.end["steps"], script.STEPS + 1)
        self.each_contact_once()
        stats = double.stop()
        self.assertEqual(stats["rejected"], {}, stats)
        # What the program says it used is what the double counted.
        for key, counted in (("cache_read", "cache_read"), ("output", "output"), ("cache_write", "cache_creation")):
            self.assertEqual(steps.total(key), stats["tokens"][counted], key)
        self.assertAlmostEqual(steps.end["cost_usd"], sum(e["cost_usd"] for e in steps.usage), places=9)
        return steps

    def each_contact_once(self):
        names = [c["name"] for c in self.state()["contacts"]]
        for n in range(1, script.CONTACTS + 1):
            self.assertEqual(names.count(script.name(n)), 1, script.name(n))

    def flat(self, steps):
        self.assertLess(max(steps.sent), LIMIT + TURN)
        means = [steps.mean(*phase) for phase in PHASES]
        self.assertLess(max(means), 1.15 * min(means), means)
        self.assertGreater(steps.end["tokens"]["cached_share"], 0.9)

    def test_a_step_costs_the_same_at_the_end_as_at_the_beginning(self):
        steps = self.passed(LIMIT)
        self.assertGreaterEqual(len(steps.by), 3)
        self.assertEqual(set(steps.by), {"model"})
        self.flat(steps)

    def test_so_it_does_where_the_model_writes_no_summary(self):
        steps = self.passed(LIMIT, "claude-sonnet-4-5")
        self.assertGreaterEqual(len(steps.by), 3)
        self.assertEqual(set(steps.by), {"steps"})
        self.flat(steps)

    def test_a_conversation_that_may_grow_costs_ever_more(self):
        steps = self.passed(0)
        self.assertEqual(steps.by, [])
        self.assertGreater(max(steps.sent), 4 * LIMIT)
        self.assertGreater(steps.mean(*PHASES[-1]), 1.8 * steps.mean(*PHASES[0]))

    def test_a_budget_counts_the_summaries(self):
        for option, limit in (("--max-usd", 0.2), ("--max-tokens", 600000)):
            with self.subTest(option):
                self.fresh_home()
                result, _ = self.long_run(LIMIT, more=(option, str(limit)))
                steps = Steps(result.events())
                self.assertEqual((steps.end["state"], steps.end["code"]), ("error", "BUDGET"), result.out[-1500:])
                self.assertIn("model", steps.by)
                spent = steps.usage[-1]["spent"]
                used = {"--max-usd": spent["usd_max"], "--max-tokens": spent["tokens"]}[option]
                # Up to what the next request needs, and never beyond.
                self.assertLess(used, limit)
                self.assertGreater(used, 0.9 * limit)

    @unittest.skipIf(os.environ.get("IOS_AGENT_SANITIZER"), "the kill points are tried in the plain build")
    def test_a_kill_around_a_summary_loses_and_doubles_nothing(self):
        steps = self.passed(LIMIT)
        undisturbed = self.operations()
        asked = [i for i, e in enumerate(steps.usage) if e["purpose"] == "compact"][1] + 1
        places = [f"agent.request.before:{asked}", f"agent.request.after:{asked}",
                  f"agent.request.before:{asked + 1}", f"agent.request.after:{asked + 1}",
                  f"agent.request.before:{asked + 30}"]
        for place in places:
            with self.subTest(place):
                self.fresh_home()
                double = self.script(*script.turns())
                env = self.phone(LIMIT, double)
                killed = self.run_agent(*script.RUN, "--events", env=dict(env, IOS_AGENT_KILL_AT=place))
                self.assertEqual(killed.code, -9, killed.err)
                result = self.run_agent("resume", "--events", env=env)
                rest = Steps(result.events())
                self.assertEqual((result.code, rest.end["state"]), (0, "passed"), result.out[-2000:])
                self.assertEqual(rest.end["steps"], script.STEPS + 1)
                self.each_contact_once()
                self.assertEqual(self.operations(), undisturbed)
                # Behind the summary, and not from the first step on.
                self.assertLess(max(rest.sent), LIMIT + TURN)
                self.assertEqual(double.stop()["rejected"], {})

    def operations(self):
        """What reached the phone, without its clock."""
        return [{k: v for k, v in op.items() if k not in ("seq", "at_ms")} for op in self.log()]

    def fresh_home(self):
        self.home = os.path.join(self.folder, f"home{len(os.listdir(self.folder))}")


if __name__ == "__main__":
    unittest.main()
