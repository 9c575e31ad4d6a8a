"""`ios-agent bridge stop` and `logs`, and what doctor says about runners."""
import os
import pathlib
import shutil
import signal
import unittest

from bridge_case import PHONE, Built


class Stop(Built):
    def start(self, **setup):
        self.setup(**setup)
        return self.done("bridge", "start", "--sim", "iPhone 17")[0]

    def test_it_ends_when_asked_on_the_wire_without_any_tool(self):
        r = self.start()
        self.tools()
        result, text = self.done("bridge", "stop")
        self.assertEqual(result["runners"], [{"udid": PHONE, "stopped": True}])
        self.assertIn("the runner is stopped", text)
        self.assertEqual(self.tools(), [])
        self.assertFalse(self.lives(r["pid"]))
        self.assertEqual(self.done("bridge", "status")[0]["runners"], [])

    def test_one_that_does_not_listen_to_it_is_terminated_and_at_last_killed(self):
        for fault in ("ignore-stop", "ignore-sigterm"):
            r = self.start(faults=[fault])
            pathlib.Path(self.world, "state.json").unlink()
            self.done("bridge", "stop", "--sim", "iPhone 17")
            self.assertFalse(self.lives(r["pid"]), fault)
            self.assertIn("terminate", [c[0] for c in self.calls()])

    def test_a_runner_whose_state_file_is_damaged_is_stopped_all_the_same(self):
        r = self.start()
        self.bridge("runners", PHONE + ".json").write_text("{")
        result, _ = self.done("bridge", "stop", "--sim", PHONE)
        self.assertEqual(result["runners"], [{"udid": PHONE, "stopped": True}])
        self.wait_until(lambda: not self.lives(r["pid"]))
        self.assertFalse(self.bridge("runners", PHONE + ".json").exists())

    def test_stopping_what_does_not_run_is_done_already(self):
        code, error = self.failed("bridge", "stop")
        self.assertEqual((code, error["code"]), (2, "NOT_FOUND"))
        result, text = self.done("bridge", "stop", "--sim", "iPhone 17")
        self.assertEqual(result["runners"], [{"udid": PHONE, "stopped": False}])
        self.assertEqual(self.done("bridge", "stop", "--all")[0]["runners"], [])

    def test_of_several_one_has_to_be_named_or_all(self):
        self.start()
        self.done("bridge", "start", "--sim", "iPhone 15")
        code, error = self.failed("bridge", "stop")
        self.assertEqual((code, error["code"]), (2, "AMBIGUOUS"))
        self.done("bridge", "stop", "iPhone 15")
        self.assertEqual([r["name"] for r in self.done("bridge", "status")[0]["runners"]], ["iPhone 17"])
        self.assertEqual(len(self.done("bridge", "stop", "--all")[0]["runners"]), 1)

    def test_an_xcodebuild_runner_takes_xcodebuild_with_it(self):
        r = self.done("bridge", "start", "--sim", "iPhone 15")[0]
        self.done("bridge", "stop")
        self.assertFalse(self.lives(r["pid"]))
        self.assertFalse(any(self.lives(x["pid"]) for x in self.started()))

    def test_logs_are_the_last_lines_of_what_it_wrote(self):
        self.start()
        result, text = self.done("bridge", "logs")
        self.assertIn("BRIDGE_READY port=", text)
        self.assertEqual(result["udid"], PHONE)
        self.done("bridge", "stop")
        self.assertIn("BRIDGE_READY", self.done("bridge", "logs", "--sim", PHONE)[1])


class Doctor(Built):
    def rows(self):
        result = self.run_agent("doctor", "--json")
        return {r["name"]: (r["status"], r["detail"]) for r in result.envelope()["result"]["checks"]}

    def test_runner_and_ports_have_rows(self):
        rows = self.rows()
        self.assertEqual(rows["runner"][0], "ok")
        self.assertIn("built for Xcode 26.2 (17C52)", rows["runner"][1])
        self.assertEqual(rows["ports"][0], "ok")
        self.assertIn("no runner has been started", rows["ports"][1])
        r, _ = self.done("bridge", "start", "--sim", "iPhone 17")
        self.assertIn(f"iPhone 17: live on port {r['port']}", self.rows()["ports"][1])
        os.kill(r["pid"], signal.SIGKILL)
        self.wait_until(lambda: not self.lives(r["pid"]))
        status, detail = self.rows()["ports"]
        self.assertEqual(status, "warn")
        self.assertIn("bridge stop", detail)
        shutil.rmtree(self.bridge("builds"))
        self.assertIn("has not been built", self.rows()["runner"][1])


if __name__ == "__main__":
    unittest.main()
