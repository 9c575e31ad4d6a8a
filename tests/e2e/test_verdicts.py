"""Where code and a model disagree, every surface says both."""
import json
import os
import unittest

from harness import Case
from test_lies import OPEN_CONTACTS, finish, say, use, verifier

EXPECT = ("--expect", "app com.apple.MobileAddressBook")
GIVES_UP = say(use("finish", verdict="failed", summary="There is no button.", evidence=[]))

# What the model and the verifier say, and what people read of it.
CASES = {
    "disputed": ([OPEN_CONTACTS, {**finish("Contacts"), "repeat": True}, verifier(False)],
                 ["every expectation holds", "the verifier does not agree", "I looked at the steps."]),
    "expectations_hold": ([OPEN_CONTACTS, GIVES_UP],
                          ["There is no button.", "although the expectations hold"]),
}


class Verdicts(Case):
    def report(self, run, form, *args):
        result = self.run_agent("report", run, "--format", form, "--out", "-", *args)
        self.assertEqual(result.code, 0, result)
        return result.out

    def surfaces(self, run):
        page = os.path.join(self.folder, "page.html")
        self.assertEqual(self.run_agent("report", run, "--out", page).code, 0)
        with open(page, encoding="utf-8") as file:
            yield "html", file.read()
        yield "md", self.report(run, "md")
        yield "junit", self.report(run, "junit")
        yield "strict junit", self.report(run, "junit", "--junit-flavor", "strict")
        yield "show", self.run_agent("show", run).out

    def machine_surfaces(self, run, goal):
        yield "runs", self.runs()[0]["basis"]
        report = json.loads(self.report(run, "json"))
        yield "report", report["goals"][0]["runs"][-1]["basis"]
        ctrf = json.loads(self.report(run, "ctrf"))
        yield "ctrf", ctrf["results"]["tests"][0]["extra"]["basis"]
        history = self.run_agent("history", goal, "--json").envelope()["result"]
        yield "history", history["runs"][0]["basis"]
        shown = self.run_agent("show", run, "--json").envelope()["result"]["events"]
        yield "events", [e for e in shown if e["event"] == "run.finished"][-1]["basis"]

    def test_every_surface_says_both(self):
        for basis, (turns, texts) in CASES.items():
            goal = f"add a contact ({basis})"
            double = self.script(*turns)
            done = self.run_agent("run", goal, *EXPECT, env=self.claude(double))
            double.stop()
            self.assertEqual(done.code, 1, done)
            run = self.runs()[0]["id"]
            for name, text in [("run", done.out + done.err), *self.surfaces(run)]:
                words = " ".join(text.split())
                for part in texts:
                    with self.subTest(basis=basis, surface=name, text=part):
                        self.assertIn(part, words)
            for name, value in self.machine_surfaces(run, goal):
                with self.subTest(basis=basis, surface=name):
                    self.assertEqual(value, basis)
            self.assertIn(basis, self.run_agent("history", goal).out)

    def test_a_sweep_says_both(self):
        path = os.path.join(self.folder, "goals.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write('[[goal]]\nname = "a"\ngoal = "add a contact"\n'
                       'expect = ["app com.apple.MobileAddressBook"]\n')
        for basis, reason in (("disputed", "every expectation holds, but the verifier"),
                              ("expectations_hold", "expectations hold, but: There is no button.")):
            double = self.script(*CASES[basis][0])
            done = self.run_agent("sweep", path, "--json", env=self.claude(double))
            double.stop()
            result = done.envelope()["result"]["results"][0]
            self.assertEqual(result["state"], "failed", done)
            self.assertIn(reason, result["reason"])

    def test_a_goal_file_may_leave_it_to_code_alone(self):
        path = os.path.join(self.folder, "goals.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write('[[goal]]\nname = "a"\ngoal = "add a contact"\nverify = "off"\n'
                       'expect = ["app com.apple.MobileAddressBook"]\n')
        double = self.script(OPEN_CONTACTS, finish("Contacts"), verifier(False))
        done = self.run_agent("sweep", path, "--json", env=self.claude(double))
        double.stop()
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.runs()[0]["basis"], "expectations")


if __name__ == "__main__":
    unittest.main()
