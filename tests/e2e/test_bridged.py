"""Runs on a device behind the wire of the bridge: the same goals, the same phone, served."""
import json
import os
import signal
import unittest

from harness import ADA, SOURCE, TIMEOUT_S, Case

GOALS = os.path.join(SOURCE, "goals")


class Bridged(Case):
    def serve(self, *args, name="served"):
        self.server = self.start_agent("embedded", "serve", "--name", name, "--json", *args)
        line = self.server.stdout.readline()
        if not line:
            raise AssertionError(self.server.communicate())
        served = json.loads(line)["result"]
        device = f"bridge:127.0.0.1:{served['port']}"
        if served["token_file"]:
            device += "?token-file=" + served["token_file"]
        return device

    def end_server(self):
        self.server.send_signal(signal.SIGTERM)
        out, err = self.server.communicate(timeout=TIMEOUT_S)
        self.assertEqual(self.server.returncode, 0, (out, err))

    def test_behind_an_address_there_is_a_pasteboard_and_no_system(self):
        device = ("--device", self.serve())
        done = self.run_agent("pasteboard", "copied", *device)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.run_agent("pasteboard", *device).out, "copied\n")
        for words in (("status-bar", "--time", "9:41"), ("location", "1,2"), ("push", "a.b", "--title", "Hi"),
                      ("privacy", "grant", "photos", "a.b")):
            self.check_error([*words, *device], 3, "UNSUPPORTED", "this device cannot", "bridge:UDID")
        self.end_server()

    def test_a_run_does_the_same_as_on_the_phone_itself(self):
        device = self.serve()
        direct = self.run_agent("run", ADA, "--json", "--device", "embedded:direct")
        self.assertEqual(direct.code, 0, direct)
        result = self.run_agent("run", ADA, "--json", "--device", device)
        self.assertEqual(result.code, 0, result)
        self.end_server()
        self.assertEqual(self.log("--device", "embedded:served"),
                         self.log("--device", "embedded:direct"))
        one, other = direct.envelope()["result"], result.envelope()["result"]
        self.assertEqual(one["steps"], other["steps"])
        self.assertEqual(other["device"]["id"], "bridge:embedded:served")
        self.assertTrue(other["device"]["simulated"])

    def test_it_says_on_every_surface_that_the_phone_is_simulated(self):
        device = self.serve()
        result = self.run_agent("run", ADA, "--device", device)
        self.assertEqual(result.code, 0, result)
        self.assertIn("simulated by ios-agent; not Apple's simulator", result.out)

    def test_the_sample_goals_end_as_on_the_phone_itself(self):
        ends = []
        for device, name in ((self.serve("--no-token"), "served"),
                             ("embedded:direct", "direct")):
            result = self.run_agent("sweep", "--json", GOALS, "--device", device)
            self.assertEqual(result.code, 0, result)
            goals = result.envelope()["result"]["results"]
            self.assertEqual(len(goals), 35)
            ends.append([(g["name"], g["state"], g["reason"]) for g in goals])
            if name == "served":
                self.end_server()
        self.assertEqual(ends[0], ends[1])
        self.assertEqual(self.log("--device", "embedded:served"),
                         self.log("--device", "embedded:direct"))

    def test_without_the_right_token_nothing_is_done(self):
        device = self.serve()
        wrong = os.path.join(self.folder, "wrong")
        empty = os.path.join(self.folder, "empty")
        for path, text in ((wrong, "not-the-token"), (empty, "\n")):
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
        bare = device.split("?")[0]
        error = self.check_error(["run", ADA, "--device", bare], 3, "AUTH")
        self.assertIn("token-file", error["error"]["hint"])
        self.check_error(["run", ADA, "--device", f"{bare}?token-file={wrong}"], 3, "AUTH")
        self.check_error(["run", ADA, "--device", f"{bare}?token-file={empty}"], 2, "USAGE")
        self.check_error(["run", ADA, "--device", f"{bare}?token-file=/no/such"], 2, "NOT_FOUND")
        self.end_server()
        self.assertEqual(self.log("--device", "embedded:served"), [])
        self.assertEqual(self.runs(), [])

    def test_the_token_may_stand_in_the_environment(self):
        device = self.serve()
        bare, path = device.split("?token-file=")
        with open(path, encoding="ascii") as file:
            token = file.read().strip()
        result = self.run_agent("run", ADA, "--json", "--device", bare,
                                env={"IOS_AGENT_DEVICE_TOKEN": token})
        self.assertEqual(result.code, 0, result)
        self.assertNotIn(token, result.out + result.err)
        wrong = self.run_agent("run", ADA, "--json", "--device", bare,
                               env={"IOS_AGENT_DEVICE_TOKEN": "not-the-token"})
        self.assertEqual((wrong.code, wrong.envelope()["error"]["code"]), (3, "AUTH"), wrong)
        self.assertNotIn("not-the-token", wrong.out + wrong.err)
        for bad in ("x" * 257, "x" * 5000):
            error = self.run_agent("run", ADA, "--device", bare,
                                   env={"IOS_AGENT_DEVICE_TOKEN": bad})
            self.assertEqual(error.code, 2, error)
        self.end_server()

    def test_a_name_that_is_no_bridge_is_exit_2(self):
        for device in ("bridge:", "bridge:nowhere", "bridge:127.0.0.1:0", "bridge:1.2.3.4:99999",
                       "bridge:127.0.0.1:5?speed=1", "bridge:127.0.0.1:5?token-file="):
            result = self.run_agent("run", ADA, "--device", device)
            self.assertEqual(result.code, 2, result)
        self.check_error(["embedded", "state", "--device", "bridge:127.0.0.1:5"], 2, "USAGE")

    def test_where_nobody_listens_the_mend_is_told(self):
        device = self.serve()
        self.end_server()
        error = self.check_error(["run", ADA, "--device", device.split("?")[0]], 3, "NO_DEVICE")
        self.assertNotEqual(error["error"]["hint"], "")

    def test_fresh_resets_the_phone_over_the_wire(self):
        device = self.serve()
        self.assertEqual(self.run_agent("run", ADA, "--device", device).code, 0)
        self.assertEqual(self.run_agent("run", ADA, "--fresh", "--device", device).code, 0)
        self.end_server()
        names = [c["name"] for c in self.state("--device", "embedded:served")["contacts"]]
        self.assertEqual(names.count("Ada Lovelace"), 1)

    def test_a_server_that_dies_in_the_middle_is_a_device_error_and_no_pass(self):
        device = self.serve()
        run = self.start_agent("run", ADA, "--events", "--device", device)
        self.read_event(run, "tool.finished")
        self.server.kill()
        last = [json.loads(line) for line in run.stdout][-1]
        run.wait(timeout=TIMEOUT_S)
        if last["state"] == "passed":
            self.skipTest("the run was faster than the kill")
        self.assertEqual(run.returncode, 3, last)
        self.assertEqual((last["state"], last["code"]), ("error", "DEVICE_LOST"), last)

    def test_planted_bugs_and_faults_strike_behind_the_wire(self):
        device = self.serve(name="bad?faults=crash@4")
        result = self.run_agent("run", ADA, "--json", "--device", device)
        self.assertEqual(result.code, 1, result)
        self.end_server()
        log = self.log("--device", "embedded:bad")
        self.assertIn("fault", [o["op"] for o in log])

    def test_doctor_and_snapshot_reach_it(self):
        device = self.serve()
        doctor = self.run_agent("doctor", env={"IOS_AGENT_RUN_DEVICE": device})
        self.assertIn("bridge at 127.0.0.1:", doctor.out)
        self.assertIn("simulated by ios-agent", doctor.out)
        snapshot = self.run_agent("snapshot", "--device", device)
        self.assertEqual(snapshot.code, 0, snapshot)
        self.assertIn("Contacts", snapshot.out)


if __name__ == "__main__":
    unittest.main()
