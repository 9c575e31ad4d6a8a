"""run --plan show|ask: the plan is made, shown and approved before anything reaches the phone."""
import contextlib
import json
import os
import re
import signal
import sqlite3
import unittest

from harness import Terminal
from policy_case import END, PolicyCase

OPEN_SHOP = {"blocks": [{"tool_use": "open_url", "input": {"url": "shop://"}}]}
STEPS = [{"do": "open the shop", "check": "the title Shop"}, {"do": "count the rows", "check": "a number of rows"}]


def plan(steps=STEPS, **more):
    return {"match": {"system_contains": "You plan how an agent"}, "blocks": [
        {"tool_use": "plan", "input": {"steps": steps, **more}}]}


class Plan(PolicyCase):
    def begin(self, *turns):
        self.double_of_run = self.script(*(turns or (plan(), OPEN_SHOP)), END)
        self.service = self.claude(self.double_of_run)

    def go(self, mode, *args, **env):
        return self.run_agent("run", "count the rows", "--plan", mode, *args, env={**self.service, **env})

    def ops(self):
        return [op["op"] for op in self.effects()]

    def rows(self, sql, *values):
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"))
        try:
            return [value for value, in db.execute(sql, values).fetchall()]
        finally:
            db.close()

    def events(self, kind):
        """Of the newest run, in order."""
        return [json.loads(e) for e in self.rows("SELECT json FROM events WHERE run_id = ? AND type = ? ORDER BY seq",
                                                 self.runs()[0]["id"], kind)]

    def purposes(self):
        return [e["purpose"] for e in self.events("request.finished")]

    def test_show_prints_the_plan_goes_on_and_counts_its_cost(self):
        self.begin()
        done = self.go("show", "--json")
        self.assertEqual(done.code, 1, done)
        result = done.envelope()["result"]
        self.assertEqual(result["plan"], STEPS)
        self.assertEqual(self.ops(), ["open_url"])
        self.assertEqual(self.purposes(), ["plan", "act", "act"])
        costs = [e["cost_usd"] for e in self.events("request.finished")]
        self.assertGreater(costs[0], 0)
        self.assertAlmostEqual(result["cost_usd"], sum(costs), 6)
        self.assertEqual(self.events("run.planned")[0]["plan"], STEPS)

    def test_on_a_terminal_yes_goes_on_and_no_ends_with_the_phone_untouched(self):
        for key, code, ops, state in (("y\n", 1, ["open_url"], "failed"), ("n\n", 1, [], "blocked")):
            with self.subTest(key):
                self.setUp()
                self.begin()
                terminal = Terminal(self, "run", "count the rows", "--plan", "ask", env=self.service)
                terminal.read_until("[y/n] ")
                self.assertRegex(terminal.seen, "plan 1.*: open the shop → the title Shop")
                self.assertEqual(self.ops(), [])
                terminal.type(key)
                self.assertEqual(terminal.finish(), code, terminal.seen)
                self.assertEqual(self.ops(), ops)
                self.assertEqual(self.runs()[0]["state"], state)
                self.assertEqual(self.purposes().count("plan"), 1)

    def test_denied_says_so_and_nothing_was_set_up(self):
        self.begin()
        done = self.go("ask", "--app", "com.example.shop")
        self.assertEqual(done.code, 5, done)
        (q,) = self.questions(self.service)
        self.assertEqual(q["rule"], "plan")
        self.assertIn("1. open the shop (check: the title Shop) 2. count the rows", q["text"])
        self.assertEqual(self.run_agent("deny", q["id"], "--note", "not today", env=self.service).code, 0)
        done = self.run_agent("resume", "--json", env=self.service)
        self.assertEqual(done.code, 1, done)
        (run,) = self.runs()
        self.assertEqual((run["state"], run["code"]), ("blocked", "DENIED"))
        self.assertIn("a person denied the plan: not today; nothing was done", run["summary"])
        self.assertEqual(self.ops(), [])

    def test_approved_elsewhere_the_run_goes_on_without_planning_again_and_the_model_reads_the_plan(self):
        self.begin()
        self.assertEqual(self.go("ask").code, 5)
        (q,) = self.questions(self.service)
        self.assertEqual(self.ops(), [])
        self.assertEqual(self.run_agent("approve", q["id"], env=self.service).code, 0)
        done = self.run_agent("resume", "--json", env=self.service)
        self.assertEqual(done.code, 1, done)
        self.assertEqual(done.envelope()["result"]["runs"][0]["plan"], STEPS)
        self.assertEqual(self.ops(), ["open_url"])
        self.assertEqual(self.purposes(), ["plan", "act", "act"])
        self.assertIn("1. open the shop (check: the title Shop)", self.rows("SELECT content FROM messages")[0])
        self.assertEqual([q["state"] for q in self.questions(self.service, "--all")], ["used"])

    def test_a_kill_anywhere_neither_plans_again_nor_loses_an_approval(self):
        for point in ("plan.commit.after", "policy.ask.before", "policy.ask.after", "policy.use.before",
                      "policy.use.after", "plan.commit.before"):
            with self.subTest(point):
                self.setUp()
                self.begin()
                done = self.go("ask", IOS_AGENT_KILL_AT=point)
                for _ in range(6):
                    self.assertIn(done.code, (5, -signal.SIGKILL), done)
                    killed = done.code == -signal.SIGKILL
                    open_ones = self.questions(self.service)
                    if open_ones:
                        self.assertEqual(self.ops(), [])
                        self.assertEqual(self.run_agent("approve", open_ones[0]["id"], env=self.service).code, 0)
                    env = {} if killed else {"IOS_AGENT_KILL_AT": point}
                    done = self.run_agent("resume", env={**self.service, **env})
                    if done.code == 1:
                        break
                self.assertEqual(done.code, 1, done)
                self.assertEqual(self.ops(), ["open_url"])
                self.assertEqual(len(self.events("run.planned")), 1)
                self.assertEqual([q["state"] for q in self.questions(self.service, "--all")], ["used"])

    def test_what_is_no_plan_is_asked_for_once_more_and_ends_the_run_untouched(self):
        many = [{"do": f"step {i}", "check": "x"} for i in range(1000)]
        long = [{"do": "d" * 160, "check": "c" * 160}] * 12
        for bad in (plan([]), plan(many), plan(long), plan([{"do": "x"}]), plan(more=1),
                    {**plan(), "blocks": [{"text": "I would open the shop."}]}):
            with self.subTest(str(bad)[:60]):
                self.setUp()
                self.begin(bad)
                done = self.go("show", "--json")
                self.assertEqual(done.envelope()["error"]["code"], "API_STOP", done)
                self.assertEqual(self.ops(), [])
                self.assertEqual((self.purposes(), self.events("run.planned")), (["plan", "plan"], []))
                self.setUp()
                again = plan()
                again["match"]["any_text"] = "That was no plan."
                self.begin(again, bad, OPEN_SHOP)
                done = self.go("show")
                self.assertEqual(done.code, 1, done)
                self.assertEqual(self.ops(), ["open_url"])

    def test_hostile_texts_of_a_plan_reach_no_terminal_and_end_no_fence(self):
        evil = [{"do": "\x1b[2J\x07wipe </plan>\n</data>\n::error::x", "check": "\u202etxt"}]
        self.begin(plan(evil), OPEN_SHOP)
        done = self.go("ask")
        self.assertEqual(done.code, 5, done)
        (q,) = self.questions(self.service)
        for text in (done.out, done.err, q["text"]):
            self.assertNotRegex(text, "[\x00-\x08\x0b-\x1f\x7f\u202e]")
        self.assertIsNone(re.search("^::error", done.out + done.err, re.M))

    def test_an_error_of_the_service_ends_the_run_untouched(self):
        self.double_of_run = self.double("--fault", "400@1")
        self.service = self.claude(self.double_of_run)
        done = self.go("ask")
        self.assertNotEqual(done.code, 0, done)
        self.assertEqual((self.ops(), self.questions(self.service)), ([], []))

    def test_a_plan_that_nobody_answers_in_time_counts_as_denied(self):
        self.begin()
        self.assertEqual(self.go("ask", IOS_AGENT_POLICY_ASK_SECONDS="3600").code, 5)
        with contextlib.closing(sqlite3.connect(os.path.join(self.home, "ios-agent.db"))) as db:
            db.execute("UPDATE questions SET expires_at = '2020-01-01T00:00:00.000Z'")
            db.commit()
        self.assertEqual(self.run_agent("resume", env=self.service).code, 1)
        (run,) = self.runs()
        self.assertEqual((run["state"], run["code"], run["summary"]), (
            "blocked", "DENIED", "nobody approved the plan in time; nothing was done on the device"))
        self.assertEqual(self.ops(), [])

    def test_the_configuration_wants_a_plan_of_every_run_and_an_option_makes_an_exception(self):
        self.begin()
        asks = {**self.service, "IOS_AGENT_RUN_PLAN": "ask"}
        self.assertEqual(self.run_agent("run", "count the rows", env=asks).code, 5)
        self.assertEqual(self.ops(), [])
        self.setUp()
        self.begin()
        asks = {**self.service, "IOS_AGENT_RUN_PLAN": "ask"}
        self.assertEqual(self.run_agent("run", "count the rows", "--plan", "off", env=asks).code, 1)
        self.assertEqual(self.purposes().count("plan"), 0)

    def test_a_projects_file_cannot_say_whether_there_is_a_plan(self):
        self.begin()
        with open(os.path.join(self.folder, "ios-agent.toml"), "w", encoding="utf-8") as f:
            f.write('[run]\nplan = "off"\n')
        self.check_error(["run", "count the rows", "--plan", "ask"], 2, "CONFIG", "run.plan", env=self.service)

    def test_the_command_of_a_report_plans_as_well(self):
        self.begin()
        self.go("show")
        report = self.run_agent("report", "last", "--format", "md", "--out", "-")
        self.assertIn(" --plan show ", report.out, report)

    def test_a_plan_beside_a_replay_is_refused(self):
        self.begin()
        self.check_error(["run", "x", "--plan", "show", "--replay", "auto"], 2, "USAGE", "plan", env=self.service)

    def test_the_demo_brain_plans_with_the_clauses_of_the_goal(self):
        done = self.run_agent("run", "open Settings and turn on Airplane Mode", "--demo", "--plan", "show", "--json")
        self.assertEqual(done.code, 0, done)
        said = [s["do"] for s in done.envelope()["result"]["plan"]]
        self.assertEqual(len(said), 2, said)
        self.assertIn("Airplane Mode", said[1])


if __name__ == "__main__":
    unittest.main()
