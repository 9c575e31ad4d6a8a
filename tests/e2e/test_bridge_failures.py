"""Runners that do not start: xcodebuild in place of simctl, and a code and a fix for each failure."""
import json
import os
import pathlib
import signal
import unittest

from bridge_case import PHONE, Built
from harness import SOURCE


class Fallback(Built):
    """xcodebuild, where simctl launch does not do."""

    def setup(self, **more):
        answers = more.pop("answers", [])
        super().setup(answers=[{"match": ["launch"], "row": "launch|openurl denied"}, *answers], **more)

    def start(self, *args):
        return self.done("bridge", "start", *(args or ("--sim", "iPhone 17")))[0]

    def test_it_hands_port_and_token_on_and_waits_for_hello(self):
        r = self.start()
        self.assertEqual((r["udid"], r["started_by"], r["adopted"]), (PHONE, "xcodebuild", False))
        self.assertIn("by simctl: simctl launch:", r["note"])
        self.calls()
        call = next(c for c in self.logged if c["argv"][0] == "test-without-building")
        self.assertEqual(call["env"]["TEST_RUNNER_BRIDGE_PORT"], str(r["port"]))
        self.assertEqual(call["env"]["TEST_RUNNER_BRIDGE_TOKEN"], self.state_of()["token"])
        self.assertNotIn(self.state_of()["token"], json.dumps([c["argv"] for c in self.logged]))
        (live,) = self.done("bridge", "status")[0]["runners"]
        self.assertEqual(live["health"], "live")
        self.assertTrue(self.start()["adopted"])

    def test_the_build_of_recipe_b_starts_as_well(self):
        agents = self.platform_path() / "Developer/Library/Xcode/Agents"
        agents.rename(agents.with_name("Moved"))
        self.assertEqual(self.done("bridge", "build", "--force")[0]["recipe"], "B")
        self.assertEqual(self.start()["started_by"], "xcodebuild")

    def test_a_port_that_is_lost_between_the_look_and_the_launch_is_followed_by_the_next(self):
        self.setup(faults=["taken"])
        self.assertEqual(self.start()["started_by"], "xcodebuild")
        self.assertEqual(len(self.started()), 2)

    def test_a_killed_xcodebuild_leaves_a_runner_that_still_answers(self):
        first = self.start()
        os.kill(first["pid"], signal.SIGKILL)
        self.wait_until(lambda: not self.lives(first["pid"]))
        self.assertTrue(self.start()["adopted"])
        self.done("bridge", "stop")
        self.wait_until(lambda: not any(self.lives(r["pid"]) for r in self.started()))

    def test_a_start_that_is_killed_is_carried_on_by_the_next(self):
        killed = self.run_agent("bridge", "start", "--sim", "iPhone 17",
                                env={"IOS_AGENT_KILL_AT": "runner.start.launched:2"})
        self.assertEqual(killed.code, -signal.SIGKILL, killed)
        self.start()
        self.assertEqual(len([r for r in self.started() if self.lives(r["pid"])]), 1)


class Failures(Built):
    """Each known way not to start, with its own code and mend."""

    SHORT = {"IOS_AGENT_RUNNER_START_S": "1"}

    def start_fails(self, env=None, **setup):
        self.setup(**setup)
        code, error = self.failed("bridge", "start", "--sim", "iPhone 17", env=env)
        self.assertFalse(self.bridge("runners", PHONE + ".json").exists())
        return code, error

    def test_a_runner_that_dies_is_named_with_its_last_words(self):
        code, error = self.start_fails(faults=["die", "die"])
        self.assertEqual((code, error["code"]), (3, "DEVICE"))
        self.assertIn("Library not loaded: @rpath/XCTest.framework", error["message"])
        self.assertIn("bridge build --force", error["hint"])

    def test_a_test_host_that_crashes_under_xcodebuild_is_told_as_a_crash(self):
        code, error = self.start_fails(faults=["crash", "crash"])
        self.assertEqual((code, error["code"]), (3, "DEVICE"))
        self.assertIn("crashed with signal 9", error["message"])
        self.assertIn("DiagnosticReports", error["hint"])

    def test_when_the_first_way_fails_the_second_is_taken(self):
        for fault in ("die", "crash", "hang", "no-answer"):
            self.setup(faults=[fault])
            pathlib.Path(self.world, "state.json").unlink(missing_ok=True)
            result = self.run_agent("bridge", "start", "--sim", "iPhone 17", "--json",
                                    env=None if fault in ("die", "crash") else {"IOS_AGENT_RUNNER_START_S": "2"})
            self.assertEqual(result.code, 0, (fault, result))
            self.assertEqual(result.envelope()["result"]["started_by"], "xcodebuild", fault)
            living = [r for r in self.started() if self.lives(r["pid"])]
            self.assertEqual(len(living), 1, fault)
            self.done("bridge", "stop")

    def test_one_that_hangs_is_ended_and_told_with_what_it_wrote(self):
        code, error = self.start_fails(env=self.SHORT, faults=["hang", "hang"])
        self.assertEqual((code, error["code"]), (4, "TIMEOUT"))
        self.assertIn("did not answer within 1 s", error["message"])
        self.assertIn("Test Suite 'All tests' started", error["message"])
        self.assertEqual([self.lives(r["pid"]) for r in self.started()], [False, False])

    def test_the_commands_own_time_leaves_the_start_to_the_next_command(self):
        self.done("bridge", "build")
        self.setup(faults=["hang"])
        code, error = self.failed("bridge", "start", "--sim", "iPhone 17", "--timeout", "3")
        self.assertEqual((code, error["code"]), (4, "TIMEOUT"))
        self.assertIn("the start continues", error["hint"])
        (r,) = self.done("bridge", "status")[0]["runners"]
        self.assertEqual((r["health"], r["note"]), ("silent", "it is starting"))
        self.assertTrue(self.lives(self.started()[0]["pid"]))

    def test_time_that_ends_in_a_tool_is_no_reason_for_the_second_way(self):
        self.setup(answers=[{"match": ["install"], "hang": True}])
        code, error = self.failed("bridge", "start", "--sim", "iPhone 17", "--timeout", "3")
        self.assertEqual((code, error["code"]), (4, "TIMEOUT"), error)
        if self.bridge("runners", PHONE + ".json").exists():
            self.assertEqual(self.state_of()["way"], "simctl")
            (r,) = self.done("bridge", "status")[0]["runners"]
            self.assertEqual((r["health"], r["note"]), ("dead", "its start was interrupted"))
        self.setup()
        result, _ = self.done("bridge", "start", "--sim", "iPhone 17")
        self.assertEqual((result["started_by"], result["adopted"]), ("simctl", False))

    def test_whoever_else_listens_there_is_named(self):
        code, error = self.start_fails(faults=["other-token"] * 9)
        self.assertEqual((code, error["code"]), (3, "BUSY"))
        self.assertIn("requires a different token", error["message"])
        self.assertFalse(any(self.lives(r["pid"]) for r in self.started()))

    def test_old_simulators_are_started_by_xcodebuild_at_once(self):
        result, _ = self.done("bridge", "start", "--sim", "iPhone 15")
        self.assertEqual(result["started_by"], "xcodebuild")
        self.assertIn("iOS 16", result["note"])
        self.assertNotIn("launch", [c[0] for c in self.calls()])

    def test_what_xcodebuild_says_has_a_code_and_a_mend(self):
        rows = [json.loads(l) for l in
                pathlib.Path(SOURCE, "tests/data/xcodebuild/errors.jsonl").read_text().splitlines()]
        for row in [r for r in rows if r["tool"] == "test-without-building"]:
            pathlib.Path(self.world, "state.json").unlink(missing_ok=True)
            self.setup(answers=[{"match": ["launch"], "row": "launch|openurl denied"},
                                {"match": ["test-without-building"], "exit": row["exit"],
                                 "stdout": row.get("stdout", ""), "stderr": row.get("stderr", "")}])
            code, error = self.failed("bridge", "start", "--sim", "iPhone 17")
            self.assertEqual(error["code"], row["code"], (row, error))
            self.assertIn(row["hint"], error["hint"], (row, error))

    def test_what_the_tools_of_a_build_say_has_a_code_and_a_mend(self):
        for match, stderr, code, hint in (
            (["--force"], "X.framework: resource fork, Finder information, or similar detritus not allowed\n", "DEVICE", "xattr -cr"),
            (["--force"], "X.framework: errSecInternalComponent\n", "DEVICE", "unlock-keychain"),
            (["-target"], "ld: framework 'XCTest' not found\nclang: error: linker command failed with exit code 1\n", "CHILD_FAILED", "xcode-select -s"),
        ):
            self.setup(answers=[{"match": match, "exit": 1, "stderr": stderr},
                                {"match": ["build-for-testing"], "exit": 65, "stderr": stderr}])
            _, error = self.failed("bridge", "build", "--force")
            self.assertEqual(error["code"], code, error)
            self.assertIn(hint, error["hint"])


if __name__ == "__main__":
    unittest.main()
