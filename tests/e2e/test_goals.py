"""The sample goals, the planted bugs that five of them find, and phones that misbehave."""
import glob
import json
import os
import re
import unittest

from harness import ADA, Case, SOURCE
from test_replay import BUGS

LISTED = 'visible row "Ada Lovelace"'
GOALS = os.path.join(SOURCE, "goals")


class Schema(Case):
    """docs/goals.schema.json against the parser, which lists the keys that it knows beside one that it does not."""

    def known(self, text):
        path = os.path.join(self.folder, "g.toml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        hint = self.run_agent("sweep", "--json", "--dry-run", path).envelope()["error"]["hint"]
        self.assertIn("allowed here: ", hint)
        return set(hint.split("allowed here: ")[1].split(", "))

    def test_the_schema_for_editors_has_the_keys_of_the_parser(self):
        with open(os.path.join(SOURCE, "docs/goals.schema.json"), encoding="utf-8") as f:
            schema = json.load(f)
        goal = '[[goal]]\nname = "n"\ngoal = "g"\n'
        tables = {
            "qqqqqqqqqqqq = 1\n": schema,
            "[defaults]\nqqqqqqqqqqqq = 1\n": schema["properties"]["defaults"],
            "[steps.s]\nqqqqqqqqqqqq = 1\n" + goal: schema["definitions"]["step"],
            goal + "qqqqqqqqqqqq = 1\n": schema["definitions"]["goal"],
            goal + "budget = { qqqqqqqqqqqq = 1 }\n": schema["definitions"]["budget"],
        }
        for text, table in tables.items():
            self.assertEqual(self.known(text), set(table["properties"]), text)
            self.assertIs(table["additionalProperties"], False, text)


class Goals(Case):
    def sweep(self, *args, code):
        result = self.run_agent("sweep", "--json", *args)
        self.assertEqual(result.code, code, result)
        return {r["name"]: r for r in result.envelope()["result"]["results"]}

    def test_the_sample_goals_pass_but_for_five_that_find_a_bug_as_their_files_say(self):
        results = self.sweep(GOALS, code=0)
        self.assertEqual(len(results), 35)
        failed = {name: r["reason"] for name, r in results.items() if r["state"] != "passed"}
        reasons = {
            "a changed number is kept, in a broken build":
                'I expected "mobile" to say "555-0100", and it says "555-0112"',
            "what is deleted stays away, in a broken build":
                'I expected "Bread" to be gone, and saw "Bread"',
            "the total counts every piece, in a broken build":
                'I expected "Total" to say "$119.70", and it says "$45.80"',
            "the right picture is sent, in a broken build":
                'An expectation does not hold: visible row "Receipt.jpg"',
            "a transfer is booked once, in a broken build":
                'I expected "Balance" to say "$2,245.60", and it says "$2,145.60"',
        }
        self.assertEqual(set(failed), set(reasons))
        for name, reason in reasons.items():
            self.assertEqual((results[name]["state"], results[name]["expected"]), ("failed", True))
            self.assertTrue(failed[name].startswith("as expected (the build is broken on purpose"), failed[name])
            self.assertIn(reason, failed[name])

    def test_the_five_pass_where_no_bug_is_planted(self):
        for path in sorted(glob.glob(os.path.join(GOALS, "*.toml"))):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            text = re.sub(r'"open-url embedded:[^"]*bugs=[^"]*", ', "", text)
            text = re.sub(r'(?m)^fails = .*\n', "", text)
            with open(os.path.join(self.folder, os.path.basename(path)), "w",
                      encoding="utf-8") as file:
                file.write(text)
        results = self.sweep(self.folder, "--tag", "finds-a-bug", code=0)
        self.assertEqual(len(results), 5)

    def test_every_planted_bug_is_found_by_a_goal(self):
        listed = self.run_agent("embedded", "bugs", "--json").envelope()["result"]["bugs"]
        self.assertEqual({b["name"] for b in listed}, set(BUGS))
        for bug, broken in BUGS.items():
            path = os.path.join(self.folder, bug + ".toml")
            with open(os.path.join(GOALS, bug.partition("-")[0] + ".toml"), encoding="utf-8") as source, open(path, "w", encoding="utf-8") as f:
                f.write(source.read().replace('setup = ["reset",', f'setup = ["reset", "open-url embedded://?bugs={bug}",'))
            names = [arg for name in sorted(broken) for arg in ("--goal", name)]
            done = self.run_agent("sweep", "--json", path, *names)
            results = done.envelope()["result"]["results"]
            self.assertTrue(broken, bug)
            # Failed by what it expects, or the brain saw that its step came to nothing; never passed.
            self.assertEqual({r["name"] for r in results if r["state"] in ("failed", "blocked")}, broken, (bug, done))

    def test_a_goal_names_a_phone_with_a_bug_of_its_own(self):
        path = os.path.join(self.folder, "own.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write('[[goal]]\nname = "own"\n'
                       'device = "embedded:own?bugs=contacts-deaf-search"\n'
                       'goal = "open Contacts, search for osei, check that Kwame Osei is in the '
                       'list"\n')
        self.assertEqual(self.sweep(path, code=1)["own"]["state"], "failed")
        self.assertEqual(self.state("--device", "embedded:own")["bugs"],
                         ["contacts-deaf-search"])


class Bugs(Case):
    def test_bugs_are_listed_planted_and_taken_away(self):
        listed = self.run_agent("embedded", "bugs", "--json").envelope()["result"]
        names = [b["name"] for b in listed["bugs"]]
        self.assertGreaterEqual(len(names), 5)
        self.assertIn("popup", [f["name"] for f in listed["faults"]])
        for name in names:
            self.assertEqual(self.run_agent("embedded", "bugs", "--set", name).code, 0)
            self.assertEqual(self.state()["bugs"], [name])
        self.assertEqual(self.run_agent("embedded", "bugs", "--set", "all").code, 0)
        self.assertEqual(self.state()["bugs"], names)
        self.assertEqual(self.run_agent("embedded", "bugs", "--set", "none").code, 0)
        self.assertEqual(self.state()["bugs"], [])

    def test_a_bad_query_is_exit_2_and_touches_nothing(self):
        for device, text in (("embedded:a?bugs=shop-totl", "shop-total"),
                             ("embedded?faults=pop@1", "popup"),
                             ("embedded:a?speed=1", "bugs=")):
            result = self.run_agent("run", ADA, "--device", device)
            self.assertEqual(result.code, 2, result)
            self.assertIn(text, result.err)
        self.assertEqual(self.run_agent("embedded", "bugs", "--set", "x").code, 2)
        self.assertFalse(os.path.exists(os.path.join(self.home, "embedded", "a.log")))


class Faults(Case):
    """Whatever goes wrong: no pass without its proof, no effect twice, a clear code."""

    def run_with(self, faults, goal=ADA, seconds=60):
        device = "embedded:f?faults=" + faults
        result = self.run_agent("run", goal, "--fresh", "--json", "--device", device,
                                "--max-seconds", str(seconds), "--expect", LISTED)
        ada = [c for c in self.state("--device", "embedded:f")["contacts"]
               if c["name"] == "Ada Lovelace"]
        run = result.envelope()["result"]
        self.assertLessEqual(len(ada), 1, (faults, ada))
        if run["state"] == "passed":
            self.assertEqual(result.code, 0)
            self.assertEqual([c["phone"] for c in ada], ["555-0100"], faults)
        else:
            self.assertNotEqual(result.code, 0, faults)
        return result.code, run

    def test_what_can_be_survived_is_survived(self):
        for faults in ("slow-tree:20", "stale-ref@2", "stale-ref@4", "stale-ref@6",
                       "silent-typing@1", "silent-typing@4", "silent-typing@6", "crash@1",
                       "late-shift@3", "late-shift@4", "late-shift@6"):
            code, run = self.run_with(faults)
            self.assertEqual((code, run["state"]), (0, "passed"), (faults, run["summary"]))

    def test_a_popup_is_answered_by_who_expects_it(self):
        goal = ADA.replace("open Contacts,", "open Contacts, dismiss the alert,")
        code, run = self.run_with("popup@2", goal)
        self.assertEqual((code, run["state"]), (0, "passed"), run["summary"])
        # Nobody expects it: it is closed, and what it caught is done again.
        for n in range(2, 9):
            code, run = self.run_with(f"popup@{n}")
            self.assertEqual((code, run["state"]), (0, "passed"), (n, run["summary"]))

    def test_an_app_that_ends_is_no_pass(self):
        for n in range(2, 9):
            code, run = self.run_with(f"crash@{n}")
            self.assertEqual((code, run["state"]), (1, "failed"), (n, run["summary"]))

    def test_a_lost_connection_is_a_device_error(self):
        for faults in ("lost@1", "lost@3", "lost@8", "lost@4:1", "unanswered@1", "unanswered@4",
                       "unanswered@8"):
            code, run = self.run_with(faults)
            self.assertEqual((code, run["state"], run["code"]), (3, "error", "DEVICE_LOST"),
                             (faults, run["summary"]))

    def test_a_tree_that_never_comes_ends_with_the_time(self):
        code, run = self.run_with("slow-tree@4+:600000", seconds=3)
        self.assertEqual(code, 4, run)

    def test_any_mixture_by_chance_gives_no_false_pass_and_the_same_run_again(self):
        seen = set()
        for seed in range(1, 7):
            faults = f"popup%5,crash%3,late-shift%20,silent-typing%10,unanswered%2&seed={seed}"
            first = self.run_with(faults)
            again = self.run_with(faults)
            self.assertEqual((first[0], first[1]["summary"]), (again[0], again[1]["summary"]))
            seen.add(first[1]["state"])
        self.assertGreater(len(seen), 1, seen)

    def test_the_log_of_a_phone_that_misbehaved_is_the_phone(self):
        self.run_with("popup@3,late-shift@2+")
        log = self.log("--device", "embedded:f")
        self.assertIn({"fault": "popup", "op": "fault"},
                      [{k: o[k] for k in ("op", "fault")} for o in log if o["op"] == "fault"])
        before = self.state("--device", "embedded:f")
        self.assertEqual(self.state("--device", "embedded:f"), before)
        self.assertEqual([o["seq"] for o in log], list(range(1, len(log) + 1)))


if __name__ == "__main__":
    unittest.main()
