"""A provider on a bad day: 30 % of the calls fail, in every way that can pass again.

A sweep over several phones must still bring every goal to its true verdict: none lost, none done
twice (by the phones' own logs), and the cost that the rows tell is what the provider delivered.
"""
import json
import os
import sqlite3
import unittest
from collections import Counter

from harness import Case, Result

GOALS = int(os.environ.get("IOS_AGENT_CHAOS", "20"))
LANES = 8
WAYS = [
    "409", "429", "500", "503", "504", "529", "html502", "error-event", "cut", "reset", "stall",
    "garbage",
]
EACH = 0.3 / len(WAYS)
QUICK = {"IOS_AGENT_API_IDLE_TIMEOUT_S": "1"}
PRICE = {"input": 2e-6, "cache_read": 0.1e-6, "cache_creation": 2.5e-6, "output": 10e-6}


def faults():
    """Each entry is asked only when those before it did not strike."""
    entries, left = [], 1.0
    for way in WAYS:
        entries.append(f"{way}:{EACH / left:.4f}")
        left -= EACH
    return ",".join(entries)


def goal(i):
    """The i-th goal, and how it truly ends."""
    if i % 10 == 7:
        return "open Contacts, check that Nobody Here is in the list", "failed"
    if i % 10 == 9:
        return "hum a tune", "blocked"
    if i % 10 == 4:
        return "open Settings, turn on Airplane Mode, check that Airplane Mode is on", "passed"
    text = f"open Contacts, add a contact named Zz{i}q Hopper with phone 555-0100, check that Zz{i}q Hopper is in the list"
    return text, "passed"


class Chaos(Case):
    def write_goals(self):
        path = os.path.join(self.folder, "goals.toml")
        with open(path, "w", encoding="utf-8") as f:
            for i in range(GOALS):
                f.write(f'[[goal]]\nname = "g{i}"\ngoal = "{goal(i)[0]}"\n')
        return path

    def typed(self):
        """How often each first name reached a phone, over all of them."""
        seen = Counter()
        for lane in range(1, LANES + 1):
            log = json.dumps(self.log("--device", f"embedded:sweep-{lane}"))
            for i in range(GOALS):
                seen[i] += log.count(f"Zz{i}q")
        return seen

    def check_verdicts(self, results):
        self.assertEqual([r["name"] for r in results], [f"g{i}" for i in range(GOALS)])
        wrong = [(r["name"], r["state"], r["code"], r["reason"]) for i, r in enumerate(results) if r["state"] != goal(i)[1]]
        self.assertEqual(wrong, [])
        self.assertEqual(len({r["run"] for r in results}), GOALS)
        self.assertTrue(all(r["tries"] == 1 for r in results))

    def check_cost(self, delivered, summary):
        """The rows hold every token that arrived whole, once, and its price."""
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"))
        sums = "sum(tokens_input), sum(tokens_cache_read), sum(tokens_cache_write), sum(tokens_output)"
        runs = db.execute(f"SELECT {sums}, count(*) FROM runs").fetchone()
        answers = db.execute(f"SELECT {sums}, sum(cost_usd) FROM messages").fetchone()
        off = db.execute(
            "SELECT count(*) FROM runs r WHERE cost_usd IS NOT NULL AND abs(cost_usd - "
            "(SELECT sum(cost_usd) FROM messages m WHERE m.run_id = r.id)) > 1e-9"
        ).fetchone()
        db.close()
        want = tuple(delivered[k] for k in PRICE)
        cost = sum(delivered[k] * p for k, p in PRICE.items())
        self.assertEqual(runs, (*want, GOALS))
        self.assertEqual(answers[:4], want)
        self.assertEqual(off, (0,))
        self.assertAlmostEqual(answers[4], cost, 6)
        self.assertAlmostEqual(summary["cost_known_usd"], cost, 6)

    def test_every_goal_comes_to_its_true_verdict(self):
        double = self.double("--fault", faults(), "--seed", "7")
        process = self.start_agent(
            "sweep", self.write_goals(), "--jobs", str(LANES), "--json", "--pictures", "off",
            env={**self.claude(double), **QUICK},
        )
        out, err = process.communicate()  # minutes; the test's own limit ends it
        result = Result(process.returncode, out, err)
        stats = double.stop()
        summary = result.envelope()["result"]
        failed = sum(stats["faults"].values())
        print(json.dumps({"goals": GOALS, "seconds": summary["seconds"], "calls": stats["messages"],
                          "failed": failed, "ways": stats["faults"], "cost_usd": summary["cost_usd"]}))
        self.check_verdicts(summary["results"])
        self.assertEqual(result.code, 5, result.err)
        self.assertEqual(len(stats["faults"]), len(WAYS), stats)
        self.assertGreater(failed / stats["messages"], 0.2, stats)
        self.assertEqual(stats["rejected"], {}, stats)
        typed = self.typed()
        for i in range(GOALS):
            self.assertEqual(typed[i], 1 if "Zz" in goal(i)[0] else 0, i)
        self.check_cost(stats["delivered"], summary)

    def test_what_cannot_pass_is_an_error_and_never_a_failed_goal(self):
        path = os.path.join(self.folder, "one.toml")
        with open(path, "w", encoding="utf-8") as f:
            f.write('[[goal]]\nname = "one"\ngoal = "open Settings"\nretries = 3\n')
        for way in ("400", "401", "402", "403", "404", "413", "html413", "spend-limit"):
            with self.subTest(way=way):
                double = self.double("--fault", way)
                result = self.run_agent("sweep", path, "--json", env=self.claude(double))
                self.assertEqual(result.code, 6, result)
                row = result.envelope()["result"]["results"][0]
                self.assertEqual((row["state"], row["tries"]), ("error", 1), row)


if __name__ == "__main__":
    unittest.main()
