"""`ios-agent bridge start`: a runner is launched, adopted when it lives, replaced when it does not fit."""
import concurrent.futures
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import unittest
import uuid

from bridge_case import BUNDLE, DEVICES, PHONE, PRO, Built
from harness import ADA, TIMEOUT_S


class Start(Built):
    def start(self, *args, env=None):
        result = self.run_agent("bridge", "start", *(args or ("--sim", "iPhone 17")), "--json", env=env)
        self.assertEqual(result.code, 0, result)
        return result.envelope()["result"]

    def status(self):
        return self.done("bridge", "status")[0]["runners"]

    def test_it_installs_launches_and_waits_for_hello(self):
        r = self.start()
        self.assertEqual((r["udid"], r["started_by"], r["adopted"], r["note"]), (PHONE, "simctl", False, None))
        self.assertTrue(18100 <= r["port"] < 18100 + 2048)
        self.assertTrue(self.lives(r["pid"]))
        verbs = [c for c in self.calls() if c[0] in ("install", "launch")]
        self.assertEqual(verbs[0][:2], ["install", PHONE])
        self.assertEqual(verbs[1][-2:], [PHONE, BUNDLE])
        self.assertIn("--terminate-running-process", verbs[1])
        env = next(c["env"] for c in self.logged if c["argv"][0] == "launch")
        self.assertEqual(env["SIMCTL_CHILD_BRIDGE_PORT"], str(r["port"]))
        self.assertEqual(env["SIMCTL_CHILD_BRIDGE_QUIESCENCE"], "wait")
        (live,) = self.status()
        self.assertEqual((live["health"], live["port"], live["pid"]), ("live", r["port"], r["pid"]))

    def test_the_token_is_in_the_state_file_and_the_childs_environment_only(self):
        self.start()
        token = self.state_of()["token"]
        self.assertRegex(token, "^[0-9a-f]{64}$")
        state = self.bridge("runners", PHONE + ".json")
        self.assertEqual(state.stat().st_mode & 0o777, 0o600)
        for path in pathlib.Path(self.home).rglob("*"):
            if path.is_file() and path != state:
                self.assertNotIn(token.encode(), path.read_bytes(), path)
        self.calls()
        for call in self.logged:
            self.assertNotIn(token, json.dumps(call["argv"]))
        for command in ("status", "logs", "stop"):
            result = self.run_agent("bridge", command, "--json")
            self.assertNotIn(token, result.out + result.err)

    def test_what_needs_no_touch_is_simctls_on_a_simulators_runner(self):
        self.start()
        self.tools()
        device = ("--device", f"bridge:{PHONE}")
        for words, argv in (
            (("status-bar", "--time", "9:41", "--battery-level", "80"),
             ["status_bar", PHONE, "override", "--time", "9:41", "--batteryLevel", "80"]),
            (("status-bar", "clear"), ["status_bar", PHONE, "clear"]),
            (("privacy", "grant", "photos", "com.example.shop"), ["privacy", PHONE, "grant", "photos", "com.example.shop"]),
            (("location", "46.9481,7.4474"), ["location", PHONE, "set", "46.9481000,7.4474000"]),
            (("push", "com.example.shop", "--title", "Hi"), ["push", PHONE, "com.example.shop", "-"]),
            (("pasteboard", "copied"), ["pbcopy", PHONE]),
        ):
            done = self.run_agent(*words, *device)
            self.assertEqual(done.code, 0, done)
            self.assertIn(argv, self.calls(), done)
        self.assertEqual(self.run_agent("pasteboard", *device).out, "copied\n")
        refused = self.run_agent("privacy", "grant", "camera", "com.example.shop", *device)
        self.assertEqual(refused.code, 3, refused)
        self.assertIn("photos", refused.err)

    def test_a_runner_that_lives_is_adopted(self):
        first = self.start()
        self.tools()
        second = self.start()
        self.assertTrue(second["adopted"])
        self.assertEqual((second["pid"], second["port"]), (first["pid"], first["port"]))
        self.assertNotIn("launch", [c[0] for c in self.calls()])

    def test_the_same_simulator_gets_the_same_port_and_two_get_two(self):
        first = self.start()
        self.done("bridge", "stop")
        self.assertEqual(self.start()["port"], first["port"])
        self.setup(devices=[dict(d, state="Booted") if d["udid"] == PRO else d for d in DEVICES])
        pathlib.Path(self.world, "state.json").unlink()
        self.assertNotEqual(self.start("--sim", PRO)["port"], first["port"])
        self.assertEqual(len(self.status()), 2)

    def test_a_taken_port_is_passed_over(self):
        port = self.start()["port"]
        self.done("bridge", "stop")
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind(("127.0.0.1", port))
            s.listen()
            self.assertNotEqual(self.start()["port"], port)

    def test_a_port_that_is_lost_between_the_look_and_the_launch_is_followed_by_the_next(self):
        self.setup(faults=["taken"])
        r = self.start()
        self.assertEqual(r["started_by"], "simctl")
        self.assertEqual(len(self.started()), 2)

    def test_a_killed_runner_is_told_and_started_again(self):
        first = self.start()
        os.kill(first["pid"], signal.SIGKILL)
        self.wait_until(lambda: not self.lives(first["pid"]))
        (dead,) = self.status()
        self.assertEqual(dead["health"], "dead")
        self.assertIn("is gone", dead["note"])
        second = self.start()
        self.assertFalse(second["adopted"])
        self.assertNotEqual(second["pid"], first["pid"])

    def test_a_simulator_is_a_device_whose_runner_is_started_when_it_is_needed(self):
        first = self.run_agent("snapshot", "--device", "bridge:" + PHONE.lower())
        self.assertEqual(first.code, 0, first)
        self.assertIn("com.example.stand-in 393x852", first.out)
        self.assertEqual(len(self.started()), 1)
        again = self.run_agent("snapshot", "--device", "bridge:" + PHONE)
        self.assertEqual(again.code, 0, again)
        self.assertEqual(len(self.started()), 1)
        os.kill(self.started()[0]["pid"], signal.SIGKILL)
        self.wait_until(lambda: not self.lives(self.started()[0]["pid"]))
        third = self.run_agent("snapshot", "--device", "bridge:" + PHONE)
        self.assertEqual(third.code, 0, third)
        self.assertEqual(len(self.started()), 2)

    def test_ctrl_c_ends_a_run_that_waits_for_a_runner_to_start(self):
        self.setup(faults=["hang", "hang"])
        run = self.start_agent("run", ADA, "--device", "bridge:" + PHONE)
        self.wait_until(lambda: self.started() or run.poll() is not None)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=TIMEOUT_S)
        self.assertEqual(run.returncode, 7, (out, err))
        self.assertEqual(len(self.started()), 1)

    def test_a_runner_that_dies_in_a_request_is_started_again_and_asked_again(self):
        self.setup(faults=["die-later"])
        result = self.run_agent("snapshot", "--device", "bridge:" + PHONE)
        self.assertEqual(result.code, 0, result)
        self.assertIn("com.example.stand-in", result.out)
        self.assertEqual(len(self.started()), 2)

    def test_a_simulator_that_is_shut_down_is_told_from_a_runner_that_ended(self):
        for udid, code in ((PRO, "NO_DEVICE"), (str(uuid.uuid4()), "NO_DEVICE")):
            result = self.run_agent("snapshot", "--json", "--device", "bridge:" + udid)
            self.assertEqual(result.code, 3, result)
            error = result.envelope()["error"]
            self.assertEqual(error["code"], code, error)
            self.assertIn("simulator", error["message"])
            self.assertIn("ios-agent boot", error["hint"])
        self.assertEqual(self.started(), [])

    def test_a_pid_that_is_somebody_elses_now_is_not_the_runner_and_is_left_alone(self):
        first = self.start()
        os.kill(first["pid"], signal.SIGKILL)
        self.wait_until(lambda: not self.lives(first["pid"]))
        bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        self.addCleanup(bystander.communicate)
        self.addCleanup(bystander.kill)
        state = self.state_of()
        state["pid"] = bystander.pid
        path = self.bridge("runners", PHONE + ".json")
        path.write_text(json.dumps(state))
        self.assertEqual(self.status()[0]["health"], "dead")
        self.done("bridge", "stop")
        self.assertIsNone(bystander.poll())

    def test_a_runner_of_another_build_is_replaced(self):
        first = self.start()
        self.setup(xcode="26.3")
        second = self.start()
        self.assertFalse(second["adopted"])
        self.assertFalse(self.lives(first["pid"]))
        self.assertNotEqual(first["build"], second["build"])

    def test_a_runner_that_does_not_say_the_build_of_its_state_file_is_replaced(self):
        first = self.start()
        state = self.state_of()
        newer, _ = self.done("bridge", "build")
        self.assertEqual(state["key"], newer["key"])
        self.setup(xcode="26.3")
        state["key"] = self.done("bridge", "build")[0]["key"]
        self.bridge("runners", PHONE + ".json").write_text(json.dumps(state))
        (old,) = self.status()
        self.assertEqual(old["health"], "old")
        second = self.start()
        self.assertNotEqual(second["pid"], first["pid"])

    def test_a_runner_of_another_device_is_not_taken(self):
        self.setup(answers_as=PRO)
        code, error = self.failed("bridge", "start", "--sim", "iPhone 17")
        self.assertEqual((code, error["code"]), (3, "DEVICE"))
        self.assertIn(PRO, error["message"])
        self.assertEqual([self.lives(r["pid"]) for r in self.started()], [False, False])
        self.assertEqual(self.status(), [])

    def test_other_options_replace_the_runner(self):
        self.start()
        r = self.start(env={"IOS_AGENT_RUNNER_SKIP_QUIESCENCE": "true"})
        self.assertFalse(r["adopted"])
        self.assertIn("quiescence=skip", self.done("bridge", "logs")[1])

    def test_a_damaged_or_readable_state_file_counts_for_nothing(self):
        for damage in (lambda p: p.write_text("{"), lambda p: p.chmod(0o644)):
            self.start()
            path = self.bridge("runners", PHONE + ".json")
            damage(path)
            self.assertEqual(self.status()[0]["health"], "dead")
            self.assertFalse(self.start()["adopted"])
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            self.done("bridge", "stop")

    def test_a_start_that_is_killed_is_carried_on_by_the_next(self):
        for at in ("runner.start.before", "runner.start.launched"):
            killed = self.run_agent("bridge", "start", "--sim", "iPhone 17", env={"IOS_AGENT_KILL_AT": at})
            self.assertEqual(killed.code, -signal.SIGKILL, killed)
            self.start()
            living = [r for r in self.started() if self.lives(r["pid"])]
            self.assertEqual(len(living), 1, at)
            self.done("bridge", "stop")
            self.wait_until(lambda: not any(self.lives(r["pid"]) for r in self.started()))

    def test_two_starts_at_once_give_one_runner(self):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            many = list(pool.map(lambda _: self.start(), range(3)))
        self.assertEqual(len({r["pid"] for r in many}), 1)
        self.assertEqual(len(self.started()), 1)

    def test_a_simulator_that_is_shut_down_is_to_be_booted(self):
        code, error = self.failed("bridge", "start", "--sim", "iPhone 17 Pro")
        self.assertEqual((code, error["code"]), (2, "STATE"))
        self.assertIn("ios-agent boot", error["hint"])
        self.assertEqual(self.started(), [])


if __name__ == "__main__":
    unittest.main()
