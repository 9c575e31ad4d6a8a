"""A replay and a heal told apart from a pass on every surface: exit status, reports, history, schedules."""
import json
import os
import re
import sqlite3
import time
import unittest
import xml.etree.ElementTree as ElementTree

from harness import SOURCE, TIMEOUT_S, Case, Terminal
from test_api import Daemon
from test_mcp import Client, text

try:
    import jsonschema
except ImportError:
    jsonschema = None

GOALS = """
[[goal]]
name = "Airplane Mode is on"
goal = "open Settings, turn on Airplane Mode"
%s
setup = ["reset"]
expect = ['value switch "Airplane Mode" = "on"']

[[goal]]
name = "Bluetooth is off"
goal = "open Settings, open Bluetooth, turn off Bluetooth"
setup = ["reset"]
expect = ['value switch "Bluetooth" = "off"']
"""
# Without identifiers, as in an app whose developers renamed them: a model has to find the switch.
MOVED_ON = 'device = "embedded:bare?ids=bare"'


class Outcome(Case):
    def setUp(self):
        super().setUp()
        self.goals = os.path.join(self.folder, "goals.toml")
        self.out = os.path.join(self.folder, "report")
        self.write("")
        self.sweep()

    def write(self, device):
        with open(self.goals, "w", encoding="utf-8") as f:
            f.write(GOALS % device)

    def sweep(self, *args, env=None):
        done = self.run_agent("sweep", "--json", "--demo", self.goals, *args, env=env)
        envelope = done.envelope()
        if envelope["status"] == "ok":
            self.assertEqual(done.code, 0, done)
        return done, envelope["result"]

    def heal(self, *args, env=None):
        self.write(MOVED_ON)
        return self.sweep("--replay", "auto", *args, env=env)

    def read(self, name):
        with open(os.path.join(self.out, name), encoding="utf-8") as f:
            return f.read()


class Sweeps(Outcome):
    def test_what_is_replayed_is_counted_and_what_is_healed_is_no_pass(self):
        done, result = self.sweep("--replay", "auto")
        self.assertEqual((result["passed"], result["replayed"], result["healed"]), (2, 2, 0))
        self.assertEqual([r["outcome"] for r in result["results"]], ["replayed", "replayed"])
        self.assertIn("2 goals: 2 passed; 2 replayed without a model;", done.envelope()["stdout"])
        done, result = self.heal()
        self.assertEqual((done.code, result["passed"], result["replayed"], result["healed"]), (0, 1, 1, 1))
        healed, passed = result["results"]
        self.assertEqual((healed["state"], healed["outcome"], passed["state"]), ("healed", "healed", "passed"))
        self.assertIn("1 passed, 1 healed (a model did a step of the recording)", done.envelope()["stdout"])

    def test_strict_makes_a_heal_a_failure_and_so_does_a_build(self):
        self.assertEqual(self.heal("--strict")[0].code, 1)
        for env, code in (({"CI": "true"}, 1), ({"CI": "false"}, 0), ({"CI": "1", "IOS_AGENT_RUN_STRICT": "false"}, 0)):
            done, result = self.heal(env=env)
            self.assertEqual((done.code, result["healed"]), (code, 1), (env, done))

    def test_a_recording_in_quarantine_is_no_pass_until_somebody_accepts_it(self):
        self.heal()
        rows = self.run_agent("recordings", "list", "Airplane Mode is on", "--json").envelope()["result"]["recordings"]
        self.assertEqual([r["state"] for r in rows], ["quarantined", "candidate"])
        done, result = self.heal("--strict")
        self.assertEqual((done.code, result["healed"]), (1, 1), done)
        run = self.run_agent("report", result["results"][0]["run"], "--format", "json").out
        replay = json.loads(run)["goals"][0]["runs"][0]["replay"]
        self.assertEqual((replay["quarantined"], replay["healed"], replay["requests"]), (True, 0, 0))
        self.assertEqual(self.run_agent("recordings", "accept", rows[0]["id"]).code, 0)
        done, result = self.heal("--strict")
        self.assertEqual((done.code, result["passed"], result["healed"]), (0, 2, 0), done)

    def test_what_needs_a_healed_goal_runs_and_fail_fast_stops_at_it_only_when_strict(self):
        with open(self.goals, "a", encoding="utf-8") as f:
            f.write('needs = ["Airplane Mode is on"]\n')
        device = MOVED_ON + "\n"
        with open(self.goals, encoding="utf-8") as f:
            text = f.read().replace('goal = "open Settings, turn', device + 'goal = "open Settings, turn')
        with open(self.goals, "w", encoding="utf-8") as f:
            f.write(text)
        done, result = self.sweep("--replay", "auto", "--fail-fast")
        self.assertEqual((done.code, result["healed"], result["passed"]), (0, 1, 1), done)
        done, result = self.sweep("--replay", "auto", "--fail-fast", "--strict")
        self.assertEqual((done.code, result["healed"], result["skipped"]), (1, 1, 1), done)


class Runs(Outcome):
    def replay(self, *args, env=None):
        return self.run_agent("replay", "Airplane Mode is on", "--device", "embedded:bare?ids=bare", "--fresh", *args,
                              env=env)

    def test_a_replay_says_in_one_line_what_it_did(self):
        done = self.run_agent("replay", "Airplane Mode is on", "--fresh")
        self.assertEqual(done.code, 0, done)
        self.assertIn("\nREPLAYED  Every step was done again\n", done.out)
        self.assertRegex(done.out, r"\nreplay  replayed 2 of 2 steps, 0 model calls, [0-9.]+ m?s\n")
        done = self.replay()
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.out, r"\nreplay  replayed 1 of 2 steps, 0 model calls, [0-9.]+ m?s\n")
        done = self.replay("--heal")
        self.assertEqual(done.code, 0, done)
        self.assertIn("    a model does the next step: step 2, tap: switch \"Airplane Mode\" is changed\n", done.out)
        self.assertIn("    the recording goes on\n", done.out)
        self.assertIn("\nHEALED  ", done.out)
        self.assertRegex(done.out, r"\nreplay  replayed 1 of 2 steps, 1 healed \(step 2: by a model\), 2 model calls, ")

    def test_strict_says_what_to_do(self):
        done = self.replay("--heal", "--json", env={"CI": "true"})
        self.assertEqual(done.code, 1, done)
        error, result = done.envelope()["error"], done.envelope()["result"]
        self.assertEqual((error["code"], result["state"], result["outcome"]), ("FAILED", "passed", "healed"))
        self.assertIn("recordings accept", error["hint"])
        self.assertEqual(result["replay"], result["replay"] | {
            "of": 2, "replayed": 1, "drifted": 0, "healed": 1, "quarantined": False, "notes": "step 2: by a model",
            "requests": 2})
        self.assertEqual(self.replay("--heal").code, 0)

    def test_lists_and_the_run_itself_say_it(self):
        self.replay("--heal")
        self.run_agent("replay", "Bluetooth is off", "--fresh")
        rows = self.run_agent("runs", "--json").envelope()["result"]["runs"]
        self.assertEqual([(r["state"], r["outcome"]) for r in rows[:3]],
                         [("passed", "replayed"), ("passed", "healed"), ("passed", None)])
        self.assertTrue(all(r["recording"] for r in rows[:2]))
        self.assertEqual([line.split()[1] for line in self.run_agent("runs").out.splitlines()[1:4]],
                         ["replayed", "healed", "passed"])
        for state, ids in (("healed", rows[1:2]), ("replayed", rows[:1]), ("passed", rows)):
            listed = self.run_agent("runs", "--state", state, "--json").envelope()["result"]["runs"]
            self.assertEqual([r["id"] for r in listed], [r["id"] for r in ids], state)
        words = self.run_agent("completions", "bash").out
        self.assertRegex(words, r"passed\W+replayed\W+healed")

    def test_what_was_healed_keeps_the_words_of_the_steps_that_were_only_done_again(self):
        def shown():
            shown = self.run_agent("recordings", "show", "Airplane Mode is on", "--json").envelope()["result"]
            return shown["state"], [step.get("why") for step in shown["steps"]]
        before = shown()
        self.assertEqual(before[0], "candidate")
        self.assertIn("Step 1 of 2", before[1][0])
        self.replay("--heal")
        self.run_agent("recordings", "show", "last")
        self.assertEqual(shown(), ("quarantined", before[1]))

    def test_a_step_of_the_recording_puts_no_screen_into_the_conversation(self):
        self.replay("--heal")
        db = sqlite3.connect(f"file:{self.home}/ios-agent.db?mode=ro", uri=True)
        run = self.run_agent("runs", "--limit", "1", "--json").envelope()["result"]["runs"][0]["id"]
        calls = db.execute("SELECT tool_use_id LIKE 'replay_%', json_extract(result, '$'), screen FROM tool_calls "
                           "WHERE run_id = ? AND name = 'tap' ORDER BY rowid", (run,)).fetchall()
        self.assertEqual([c[0] for c in calls], [1, 0], calls)
        self.assertEqual(calls[0][1], "step 1 ok, from the recording")
        self.assertIn("switch:off Airplane Mode", calls[0][2])
        self.assertRegex(calls[1][1], r"(?s)^step 2 ok.*Airplane Mode")
        said = [row[0] for row in db.execute(
            "SELECT content FROM messages WHERE run_id = ? AND role = 'user' AND purpose = 'act'", (run,))]
        self.assertEqual([s.count("Sounds & Haptics") for s in said if "done again" in s], [1])
        self.assertIn("<goal>", said[0])
        self.assertEqual([s for s in said if "<expect>" in s or "icon Settings" in s], [])


class Drift(Case):
    def test_what_is_not_as_it_was_recorded_is_said_as_it_happens_and_at_the_end(self):
        contacts = os.path.join(SOURCE, "goals", "contacts.toml")
        goal = "a contact is deleted"
        self.assertEqual(self.run_agent("sweep", "--demo", "--goal", goal, contacts).code, 0)
        done = self.run_agent("replay", goal, "--fresh", "--device", "embedded:c?changes=label:Edit=EDIT")
        self.assertEqual(done.code, 0, done)
        self.assertIn("\n    step 2: label differs\n", done.out)
        self.assertIn("\nreplay  replayed 4 of 4 steps, 1 drifted (step 2: label), 0 model calls, ", done.out)
        run = json.loads(self.run_agent("report", "last", "--format", "json").out)["goals"][0]["runs"][0]
        self.assertEqual([s["replay"] for s in run["steps"]][:2],
                         ["step 1 of the recording", "step 2 of the recording; not as recorded: label"])
        self.assertIn("- replay: replayed 4 of 4 steps, 1 drifted", self.run_agent("report", "last", "--format", "md").out)


class Reports(Outcome):
    def test_every_format_says_it(self):
        self.heal("--report-dir", self.out)
        healed, passed = ElementTree.fromstring(self.read("junit.xml")).findall(".//testcase")
        self.assertEqual([(self.property(t, "outcome"), t.find("failure")) for t in (healed, passed)],
                         [("healed", None), ("replayed", None)])
        report = json.loads(self.read("report.json"))
        self.assertEqual((report["totals"]["healed"], report["totals"]["replayed"], report["totals"]["passed"]), (1, 1, 1))
        goal = report["goals"][0]
        self.assertEqual((goal["state"], goal["runs"][0]["outcome"]), ("healed", "healed"))
        self.assertEqual([s["replay"] for s in goal["runs"][0]["steps"]],
                         ["step 1 of the recording", 'by a model: step 2, tap: switch "Airplane Mode" is changed', None])
        ctrf = json.loads(self.read("ctrf.json"))["results"]
        self.assertEqual([(t["status"], t["rawStatus"], t["extra"]["outcome"]) for t in ctrf["tests"]],
                         [("passed", "healed", "healed"), ("passed", "passed", "replayed")])
        markdown = self.read("report.md")
        self.assertIn("🩹 Airplane Mode is on: healed", markdown)
        self.assertIn("| Bluetooth is off | passed (replayed) |", markdown)
        page = self.read("index.html")
        self.assertIn('<span class="badge is-healed">healed</span>', page)
        self.assertIn("by a model: step 2, tap", self.read("goals/001.html"))
        self.assertIn(" --replay auto -- ", report["goals"][0]["runs"][0]["command"])
        if jsonschema:
            with open(os.path.join(SOURCE, "docs", "report.schema.json"), encoding="utf-8") as f:
                jsonschema.Draft7Validator(json.load(f)).validate(report)

    def test_a_strict_sweep_is_red_in_what_builds_read(self):
        env = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": os.path.join(self.folder, "summary.md")}
        done, _ = self.heal("--report-dir", self.out)
        self.write(MOVED_ON)
        done = self.run_agent("sweep", "--demo", self.goals, "--replay", "auto", env=env)
        self.assertRegex(done.err, "::warning file=.*title=healed%3A Airplane Mode is on::")
        done, _ = self.heal("--strict", "--report-dir", self.out, env=env)
        self.assertRegex(done.err, "::error file=.*title=healed%3A Airplane Mode is on::")
        suite = ElementTree.fromstring(self.read("junit.xml"))
        self.assertEqual((suite.get("failures"), suite.get("errors")), ("1", "0"))
        failure = suite.find(".//testcase/failure")
        self.assertEqual(failure.get("type"), "healed")
        self.assertIn("of a recording in quarantine", failure.text)
        ctrf = json.loads(self.read("ctrf.json"))["results"]
        self.assertEqual((ctrf["summary"]["passed"], ctrf["summary"]["failed"]), (1, 1))

    def property(self, case, name):
        found = [p.get("value") for p in case.findall("properties/property") if p.get("name") == name]
        return found[0] if found else None


class Live(Outcome):
    """On a terminal: every line fits it, whatever is said of a replay."""

    def test_a_heal_fits_terminals_of_all_widths(self):
        for columns in (80, 100, 120):
            t = Terminal(self, "replay", "Airplane Mode is on", "--device", "embedded:bare?ids=bare", "--fresh", "--heal",
                         "--strict", columns=columns, rows=40)
            self.assertEqual(t.finish(), 1)
            plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", t.seen)
            lines = [line.split("\r")[-1] for line in plain.replace("\r\n", "\n").split("\n")]
            self.assertEqual([line for line in lines if len(line) > columns and self.home not in line], [])
            self.assertIn("HEALED", plain)
            self.assertRegex(" ".join(plain.split()), r"replayed [12] of 2 steps")


class History(Outcome):
    def test_a_heal_is_neither_a_pass_nor_a_failure_nor_flaky(self):
        self.sweep("--replay", "auto")
        self.heal("--retries", "1")
        history = self.run_agent("history", "Airplane Mode is on", "--json").envelope()["result"]
        self.assertEqual([r["outcome"] for r in history["runs"]], ["healed", "replayed", None])
        self.assertEqual({k: history[k] for k in ("verdicts", "passed", "replayed", "healed", "flaky", "executions")},
                         {"verdicts": 2, "passed": 2, "replayed": 1, "healed": 1, "flaky": 0, "executions": 3})
        self.assertIn("runs    3: 2 passed, 1 healed; 1 replayed without a model", self.run_agent(
            "history", "Airplane Mode is on").out)
        goals = self.run_agent("history", "--json").envelope()["result"]["goals"]
        self.assertEqual({g["goal"]: (g["passed"], g["healed"]) for g in goals},
                         {"Airplane Mode is on": (2, 1), "Bluetooth is off": (3, 0)})

    def test_repeats_that_were_healed_are_in_no_rate(self):
        done, _ = self.heal("--repeat", "2")
        rates = done.envelope()["result"]["rates"]
        self.assertEqual([(r["passed"], r["of"]) for r in rates], [(0, 0), (2, 2)])


class Schedules(Case):
    GOAL = ("open Settings, turn on Airplane Mode", "--demo", "--expect", 'value switch "Airplane Mode" = "on"')

    def fire(self, device):
        self.run_agent("schedule", "edit", "s", "--device", device)
        self.run_agent("reset-sim", "--device", device)
        self.run_agent("schedule", "run-now", "s")
        return self.run_agent("schedule", "tick", "--json")

    def test_a_notice_goes_out_when_a_replay_becomes_a_heal_and_when_it_is_one_no_more(self):
        told = os.path.join(self.folder, "told")
        done = self.run_agent("schedule", "add", "--name", "s", "--every", "1d", "--replay", "auto", "--device",
                              "embedded:a", "--notify", f"cat >> {told}; echo >> {told}", *self.GOAL)
        self.assertEqual(done.code, 0, done)
        verdicts = []
        for device in ("embedded:a", "embedded:a", "embedded:bare?ids=bare", "embedded:a"):
            done = self.fire(device)
            self.assertEqual(done.code, 0, done)
            row = self.run_agent("schedule", "show", "s", "--json").envelope()["result"]
            verdicts.append(row["last_verdict"])
        self.assertEqual(verdicts[:3], ["passed", "passed", "healed"])
        with open(told, encoding="utf-8") as f:
            notices = [json.loads(line) for line in f if line.strip()]
        self.assertEqual((notices[0]["was"], notices[0]["state"], notices[0]["outcome"], notices[0]["passed"]),
                         ("passed", "passed", "healed", False))
        fires = self.run_agent("schedule", "history", "s", "--json").envelope()["result"]["fires"]
        self.assertEqual([f["outcome"] for f in fires][1:], ["healed", "replayed", None])


class Served(Daemon):
    JOB = {"goal": "open Settings, turn on Airplane Mode", "name": "airplane", "demo": True, "replay": "auto",
           "expect": ['value switch "Airplane Mode" = "on"'], "setup": [{"do": "reset"}]}

    def go(self, device):
        return self.finish({**self.JOB, "device": device})

    def test_recordings_are_listed_compared_and_decided_on(self):
        outcomes = [self.go(d)["outcome"] for d in ("embedded:a", "embedded:a", "embedded:b?ids=bare", "embedded:b?ids=bare")]
        self.assertEqual(outcomes, [None, "replayed", "healed", "healed"])
        stats = self.ask("GET", "/v1/stats")["total"]
        self.assertEqual({k: stats[k] for k in ("runs", "passed", "replayed", "healed", "failed", "other")},
                         {"runs": 4, "passed": 2, "replayed": 1, "healed": 2, "failed": 0, "other": 0})
        rows = self.ask("GET", "/v1/recordings?goal=airplane")["recordings"]
        self.assertEqual([r["state"] for r in rows], ["quarantined", "trusted"])
        self.assertEqual(self.ask("GET", "/v1/recordings?state=trusted&limit=1")["recordings"], rows[1:])
        one = self.ask("GET", f"/v1/recordings/{rows[0]['id']}")
        self.assertEqual(one["parent"]["id"], rows[1]["id"])
        was, now = (r["steps"][1]["target"] for r in (one["parent"], one["recording"]))
        self.assertEqual((was["label"], now["label"], was.get("id"), now.get("id")),
                         ("Airplane Mode", "Airplane Mode", "airplane_mode", None))
        self.assertIn("[[step]]", one["recording"]["toml"])
        accepted = self.ask("POST", f"/v1/recordings/{rows[0]['id']}/accept")["recording"]
        self.assertEqual((accepted["state"], accepted["decided_by"]), ("trusted", "api"))
        self.assertEqual(self.refused("POST", f"/v1/recordings/{rows[1]['id']}/accept"), "STATE")  # replaced
        self.assertEqual(self.refused("POST", "/v1/recordings/0000/accept"), "NOT_FOUND")
        self.assertEqual(self.go("embedded:b?ids=bare")["outcome"], "replayed")

    def quarantined(self):
        """What the heal left, which is stored just after its run ended."""
        until = time.monotonic() + TIMEOUT_S
        while not (rows := self.ask("GET", "/v1/recordings?state=quarantined")["recordings"]):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)
        return rows[0]["id"]

    def test_what_is_rejected_is_replayed_no_more(self):
        for device in ("embedded:a", "embedded:a", "embedded:b?ids=bare"):
            self.go(device)
        healed = self.quarantined()
        self.assertEqual(self.ask("POST", f"/v1/recordings/{healed}/reject")["recording"]["state"], "rejected")
        self.assertEqual(self.refused("POST", f"/v1/recordings/{healed}/accept"), "STATE")
        self.assertEqual(self.go("embedded:a")["outcome"], "replayed")

    def test_a_tool_of_a_client_says_what_was_healed(self):
        for device in ("embedded:a", "embedded:a"):
            self.go(device)
        run = self.go("embedded:b?ids=bare")["id"]
        client = Client(self)
        said = text(client.call("run_status", id=run))
        self.assertIn("HEALED in 3 steps", said)
        self.assertIn("replayed 1 of 2 steps, 1 healed (step 2: by a model), 2 model calls", said)
        self.assertIn("healed, not passed", said)


if __name__ == "__main__":
    unittest.main()
