"""script/mac-check against stand-ins for Apple's tools: it takes every step and reports what it finds."""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import types
import unittest

from bridge_case import Bridge, PhoneBehind
from harness import PROGRAM, SOURCE

CHECK_S = 300
SCRIPT = os.path.join(SOURCE, "script", "mac-check")
# Apple's tool as far as a runner of WebDriverAgent needs it; the runner is a simulated phone.
XCODEBUILD = """#!/bin/sh
echo "$@" >> '{log}'
case "$1" in
build-for-testing)
    test -d "$3" && test "$2 $4 $5 $6 $8" = "-project -scheme WebDriverAgentRunner -destination -derivedDataPath" || exit 65
    mkdir -p "$9/Build/Products" && touch "$9/Build/Products/WebDriverAgentRunner.xctestrun" ;;
test-without-building)
    test -f "$3" && test "$TEST_RUNNER_USE_IP" = 127.0.0.1 || exit 66
    exec '{program}' embedded serve --protocol wda --no-token --name 'agent{query}' --port "$TEST_RUNNER_USE_PORT" ;;
*) echo "Xcode 26.2" ;;
esac
"""


class MacCheck(PhoneBehind, Bridge):
    def setUp(self):
        super().setUp()
        self.out = pathlib.Path(self.folder, "out")

    def check(self, *more, program=PROGRAM, dry=("--dry-run",)):
        return subprocess.run([sys.executable, "-B", SCRIPT, "--out", str(self.out), "--program", program, "--type",
                               "iPhone 15", "--only", "simulator", "--rounds", "2", "--patience", "1", *dry, *more],
                              env=self.env(IOS_AGENT_NO_DAEMON=None), capture_output=True, text=True, timeout=CHECK_S)

    def webdriveragent(self, query=""):
        """A clone of WebDriverAgent, and an Xcode that builds and starts it."""
        clone = pathlib.Path(self.folder, "WebDriverAgent")
        (clone / "WebDriverAgent.xcodeproj").mkdir(parents=True)
        self.env()  # makes the folder of tools
        self.xcodebuild_log = pathlib.Path(self.folder, "xcodebuild.log")
        tool = pathlib.Path(self.folder, "xcode-tools", "xcodebuild")
        tool.write_text(XCODEBUILD.format(log=self.xcodebuild_log, program=PROGRAM, query=query))
        tool.chmod(0o755)
        return "--wda", str(clone)

    def program(self, script):
        """A program that does what the script says, and otherwise what ios-agent does."""
        path = pathlib.Path(self.folder, "program")
        path.write_text(f"#!/bin/sh\n{script}\nexec '{PROGRAM}' \"$@\"\n")
        path.chmod(0o755)
        return str(path)

    def summary(self):
        return json.loads((self.out / "summary.json").read_text())

    def test_every_step_is_taken_and_what_it_finds_is_told(self):
        done = self.check(*self.webdriveragent())
        summary = self.summary()
        steps = {s["step"]: s for s in summary["steps"]}
        self.assertEqual((done.returncode, summary["ok"], summary["ended"]), (0, True, None), done)
        for recipe in "AB":
            for step in (f"recipe {recipe}", f"start by recipe {recipe}", f"snapshot by recipe {recipe}"):
                self.assertEqual(steps[step]["status"], 0, step)
        self.assertIn("3 goals: 3 passed", (self.out / steps["goals"]["log"]).read_text())
        self.assertTrue((self.out / "report" / "index.html").exists())
        verdicts = {(v["item"], v["verdict"]) for v in summary["verdicts"]}
        self.assertEqual({item for item, _ in verdicts}, {2, 3, 4, 5, 6, 7, 8, 9, "native", "parity"}, verdicts)
        self.assertLessEqual({(4, "proven"), (7, "proven"), (2, "measured"), (6, "measured"), ("native", "proven")}, verdicts)
        self.assertNotIn(("native", "refuted"), verdicts, summary["verdicts"])
        self.assertEqual([v["verdict"] for v in summary["verdicts"] if v["item"] == "parity"], ["proven", "proven"])
        self.assertEqual(list(summary["parity"]), ["the simulated iPhone", "the bridge", "WebDriverAgent"])
        for ends in summary["parity"].values():
            self.assertEqual(sorted(ends.values()), ["expected", "passed", "passed", "passed", "passed"])
        words = self.xcodebuild_log.read_text()
        udid = re.search(r"build-for-testing .*-destination platform=iOS Simulator,id=(\S+) .*CODE_SIGNING_ALLOWED=NO", words)
        self.assertIn(f"WebDriverAgentRunner.xctestrun -destination platform=iOS Simulator,id={udid.group(1)}\n", words)
        told = (self.out / "summary.md").read_text()
        for v in summary["verdicts"]:
            self.assertIn(f"| {v['item']} | {v['what']} | {v['verdict']} | {v['why']} |", told)
        for path in self.out.glob("*"):  # a runner's token has 64 digits
            if path.suffix in (".log", ".json", ".jsonl", ".md"):
                self.assertIsNone(re.search(r"\b[0-9a-f]{64}\b", path.read_text()), path)

    def test_a_goal_that_ends_otherwise_over_one_way_is_named(self):
        done = self.check(*self.webdriveragent("?bugs=contacts-deaf-search"))
        summary = self.summary()
        self.assertEqual((done.returncode, summary["ok"]), (1, False), done)
        bridge, agent = [v for v in summary["verdicts"] if v["item"] == "parity"]
        self.assertEqual((bridge["verdict"], agent["verdict"]), ("proven", "refuted"))
        self.assertRegex(agent["why"], "^what was kept is found again: [a-z]+ instead of passed$")

    def test_another_system_is_refused_at_once_unless_it_is_a_dry_run(self):
        if sys.platform == "darwin":
            self.skipTest("this is a Mac")
        before = time.monotonic()
        done = self.check(dry=())
        self.assertLess(time.monotonic() - before, 30)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("on a Mac with Xcode", done.stderr)
        self.assertEqual(self.summary()["steps"], [])
        self.assertIn("on a Mac with Xcode", (self.out / "summary.md").read_text())

    def test_what_no_step_expects_still_ends_with_a_summary(self):
        done = self.check(program=self.program('test "$1 $2" = "sim create" && { echo nonsense; exit 0; }'))
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("create simulator printed no simulator", self.summary()["ended"])
        self.assertIn("printed no simulator", (self.out / "summary.md").read_text())

    def imported(self, script):
        """The script's Check, for whose program another script stands in."""
        loader = importlib.machinery.SourceFileLoader("mac_check", SCRIPT)
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mac_check", loader))
        loader.exec_module(module)
        self.out.mkdir()
        check = module.Check(types.SimpleNamespace(out=self.out, program=self.program(script), type="", rounds=1, patience=1,
                                                   wda=None))
        self.addCleanup(os.rmdir, check.home)
        return check

    def test_a_command_that_hangs_is_an_answer(self):
        check = self.imported("exec sleep 60")
        answer, _ = check.ask("daemon", "stop", timeout=0.2)
        self.assertEqual(answer["status"], "error")
        self.assertIn("ended after 0.2 s", answer["error"]["message"])

    def test_goals_that_did_not_run_are_not_alike(self):
        check = self.imported("exit 3")
        check.parity()
        self.assertEqual([v["verdict"] for v in check.verdicts], ["refuted", "open"])
        self.assertIn("--wda", check.verdicts[1]["why"])

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
