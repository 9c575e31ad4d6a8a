"""script/mac-check against stand-ins for Apple's tools: it takes every step and reports what it finds."""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

from bridge_case import Bridge, PhoneBehind
from harness import PROGRAM, SOURCE

CHECK_S = 300


class MacCheck(PhoneBehind, Bridge):
    def setUp(self):
        super().setUp()
        self.out = pathlib.Path(self.folder, "out")

    def check(self, *more):
        return subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "script", "mac-check"), "--out", str(self.out),
                               "--program", PROGRAM, "--type", "iPhone 15", "--only", "simulator", "--rounds", "2",
                               "--patience", "1", *more],
                              env=self.env(IOS_AGENT_NO_DAEMON=None), capture_output=True, text=True, timeout=CHECK_S)

    def summary(self):
        return json.loads((self.out / "summary.json").read_text())

    def test_every_step_is_taken_and_what_it_finds_is_told(self):
        done = self.check()
        summary = self.summary()
        steps = {s["step"]: s for s in summary["steps"]}
        self.assertEqual((done.returncode, summary["ok"], summary["ended"]), (0, True, None), done)
        for recipe in "AB":
            for step in (f"recipe {recipe}", f"start by recipe {recipe}", f"snapshot by recipe {recipe}"):
                self.assertEqual(steps[step]["status"], 0, step)
        self.assertIn("3 goals: 3 passed", (self.out / steps["goals"]["log"]).read_text())
        self.assertTrue((self.out / "report" / "index.html").exists())
        verdicts = {(v["item"], v["verdict"]) for v in summary["verdicts"]}
        self.assertEqual({item for item, _ in verdicts}, {2, 3, 4, 5, 6, 7, 8, 9}, verdicts)
        self.assertLessEqual({(4, "proven"), (7, "proven"), (2, "measured"), (6, "measured")}, verdicts)
        told = (self.out / "summary.md").read_text()
        for v in summary["verdicts"]:
            self.assertIn(f"| {v['item']} | {v['what']} | {v['verdict']} | {v['why']} |", told)
        for path in self.out.glob("*"):  # a runner's token has 64 digits
            if path.suffix in (".log", ".json", ".jsonl", ".md"):
                self.assertIsNone(re.search(r"\b[0-9a-f]{64}\b", path.read_text()), path)

    def test_a_mac_that_cannot_make_a_simulator_is_told_so(self):
        self.setup(xcode=None)
        done = self.check()
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("create simulator failed", self.summary()["ended"])
        self.assertIn("Something failed.", (self.out / "summary.md").read_text())

    def test_a_folder_with_other_files_is_left_alone(self):
        self.out.mkdir()
        (self.out / "mine.txt").write_text("mine")
        done = self.check()
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual([p.name for p in self.out.iterdir()], ["mine.txt"])


if __name__ == "__main__":
    unittest.main()
