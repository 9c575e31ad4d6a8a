"""Signals that ask to stop: SIGTERM and SIGHUP leave every kind of work for later, Ctrl-C cancels a run.

Where it was stopped makes no difference to how it ends: after `resume` each verdict, and what
reached the phone, is as if nothing had happened.
"""
import json
import os
import resource
import signal
import sqlite3
import time
import unittest

from harness import ADA, Case, Terminal, TIMEOUT_S

AGREES = {"match": {"call": "verifier"}, "latency_ms": 1500,
          "blocks": [{"tool_use": "verdict", "input": {"agrees": True, "reason": "it is on the screen"}}]}
SETTINGS = [
    AGREES,
    {"match": {"latest": "icon Settings"},
     "blocks": [{"tool_use": "tap", "input": {"ref": '$ref(icon "Settings")'}}]},
    {"match": {"latest": "Airplane Mode"},
     "blocks": [{"tool_use": "finish", "input": {
         "verdict": "passed", "summary": "done", "evidence": [{"quote": "Airplane Mode"}]}}]},
]


class StopCase(Case):
    def rows(self, sql):
        """None while the database is not there, or not whole."""
        path = os.path.join(self.home, "ios-agent.db")
        if not os.path.exists(path):
            return []
        db = sqlite3.connect(path, timeout=TIMEOUT_S)
        try:
            return db.execute(sql).fetchall()
        except sqlite3.OperationalError:
            return []
        finally:
            db.close()

    def states(self):
        return [r["state"] for r in self.runs()]

    def stop(self, process, number):
        process.send_signal(number)
        out, err = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, out + err


class OfARun(StopCase):
    def begun(self, *args):
        double = self.double("--latency-ms", "300")
        process = self.start_agent("run", ADA, *args, env=self.claude(double))
        return process, self.claude(double)

    def wait_for_steps(self, n):
        while len(self.rows("SELECT 1 FROM tool_calls WHERE state = 'done'")) < n:
            time.sleep(0.01)

    def test_sigterm_and_sighup_leave_it_to_resume(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                self.home = os.path.join(self.folder, number.name)
                process, env = self.begun()
                self.wait_for_steps(2)
                code, said = self.stop(process, number)
                self.assertEqual((code, self.states()), (7, ["queued"]), said)
                run = self.runs()[0]["id"]
                self.assertIn(f"ios-agent resume {run} continues it", said)
                result = self.run_agent("resume", run, env=env)
                self.assertEqual(result.code, 0, result)
                self.assertEqual([c["name"] for c in self.state()["contacts"]].count("Ada Lovelace"), 1)
                self.assertEqual(len(self.rows("SELECT 1 FROM events WHERE type = 'run.finished'")), 1)

    def test_as_events_and_as_json(self):
        process, _ = self.begun("--events")
        self.read_event(process, "tool.finished")
        process.send_signal(signal.SIGTERM)
        run = self.read_event(process, "run.interrupted")["run"]
        self.assertEqual(process.communicate()[0], "")
        self.assertEqual(process.returncode, 7)
        self.home = os.path.join(self.folder, "json")
        process, _ = self.begun("--json")
        self.wait_for_steps(1)
        code, said = self.stop(process, signal.SIGTERM)
        envelope = json.loads(said)
        run = self.runs()[0]["id"]
        self.assertEqual((code, envelope["error"]["code"]), (7, "INTERRUPTED"))
        self.assertEqual((envelope["result"]["run"], envelope["result"]["state"]), (run, "queued"))
        self.assertIn(f"resume {run}", envelope["error"]["hint"])

    def test_a_terminal_that_closes_says_how_to_go_on(self):
        terminal = Terminal(self, "run", ADA, env=self.claude(self.double("--latency-ms", "300")))
        terminal.read_until("type_text")
        os.kill(terminal.pid, signal.SIGHUP)
        os.kill(terminal.pid, signal.SIGHUP)  # once by the system, once by the shell
        self.assertEqual(terminal.finish(), 7)
        self.assertEqual(self.states(), ["queued"])
        self.assertIn(f"ios-agent resume {self.runs()[0]['id']} continues it", terminal.seen)

    def test_ctrl_c_cancels_it_and_does_not_say_that_nothing_was_sent(self):
        process, _ = self.begun()
        self.wait_for_steps(2)
        code, said = self.stop(process, signal.SIGINT)
        self.assertEqual((code, self.states()), (7, ["cancelled"]), said)
        self.assertIn("CANCELLED  the run was cancelled", said)
        self.assertNotIn("before anything was sent", said)

    @unittest.skipUnless(hasattr(resource, "prlimit"), "no limit of another process can be set here")
    def test_a_full_disk_leaves_it_to_resume_and_says_so(self):
        process, env = self.begun("--events")
        self.read_event(process, "tool.finished")
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        out, err = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 3, err)
        refused = json.loads(out.splitlines()[-1])
        run = self.runs()[0]["id"]
        self.assertEqual(refused["code"], "DB_FULL")
        self.assertTrue(refused["hint"].startswith(f"ios-agent resume {run} continues it; first free some space"), refused)
        self.assertNotIn("again", refused["hint"])
        self.assertEqual(self.run_agent("resume", run, env=env).code, 0)
        self.assertEqual([c["name"] for c in self.state()["contacts"]].count("Ada Lovelace"), 1)

    def test_a_database_that_is_deleted_ends_it_with_an_error(self):
        process, _ = self.begun()
        self.wait_for_steps(1)
        for suffix in ("", "-wal", "-shm"):
            os.remove(os.path.join(self.home, f"ios-agent.db{suffix}"))
        _, err = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 3, err)
        self.assertIn("was deleted or replaced while it was in use", err)
        self.assertEqual(self.runs(), [])

    def test_before_it_began_there_is_nothing_to_resume(self):
        double = self.double("--fault", "stall:0")
        first = self.start_agent("run", "x", "--events", env=self.claude(double))
        run = self.read_event(first, "request.started")["run"]
        code, _ = self.stop(first, signal.SIGTERM)
        self.assertEqual(code, 7)
        resumed = self.start_agent("resume", run, "--events", env=self.claude(double))
        self.read_event(resumed, "request.started")
        code, _ = self.stop(resumed, signal.SIGTERM)
        self.assertEqual((code, self.states()), (7, ["queued"]))


class WhileTheVerifierIsAsked(StopCase):
    """The second opinion belongs to the call of finish: cut off, it is asked again."""

    def begin(self, *args):
        double = self.script(*SETTINGS)
        env = self.claude(double)
        process = self.start_agent(*args, env=env)
        while not self.rows("SELECT 1 FROM tool_calls WHERE name = 'finish'"):
            time.sleep(0.01)
        time.sleep(0.3)  # now the verifier is being asked; later would only make this test weaker
        return process, env

    def passes(self, env):
        result = self.run_agent("resume", env=env)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(self.states(), ["passed"])
        finish = self.rows("SELECT state, code FROM tool_calls WHERE name = 'finish'")
        self.assertEqual(finish, [("done", "OK")])
        self.assertEqual(len(self.rows("SELECT 1 FROM events WHERE type = 'run.finished'")), 1)

    def test_of_a_run(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                self.home = os.path.join(self.folder, number.name)
                process, env = self.begin("run", "open Settings", "--verify", "always")
                code, said = self.stop(process, number)
                self.assertIn((code, self.states()), [(7, ["queued"]), (0, ["passed"])], said)
                self.passes(env)

    def test_of_a_sweep(self):
        path = os.path.join(self.folder, "goals.toml")
        with open(path, "w", encoding="utf-8") as f:
            f.write('[[goal]]\nname = "a"\ngoal = "open Settings"\n')
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(number):
                self.home = os.path.join(self.folder, number.name)
                process, env = self.begin("sweep", path)
                code, said = self.stop(process, number)
                sweep = self.rows("SELECT id, state FROM sweeps")[0]
                if sweep[1] == "done":
                    self.assertEqual(code, 0, said)
                else:
                    self.assertEqual(code, 7, said)
                    self.assertIn(f"ios-agent sweep --resume {sweep[0]} continues it", said)
                    resumed = self.run_agent("sweep", "--resume", sweep[0], env=env)
                    self.assertEqual(resumed.code, 0, resumed)
                self.passes(env)

    def schedule(self, env):
        add = ["schedule", "add", "--name", "s", "--every", "1d", "--notify", "cat >> told", "open Settings"]
        added = self.run_agent(*add, env=env)
        self.assertEqual(added.code, 0, added)
        self.assertEqual(self.run_agent("schedule", "run-now", "s").code, 0)

    def told(self):
        path = os.path.join(self.folder, "told")
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8") as f:
            return f.read()

    def test_of_a_tick_and_of_a_daemon(self):
        for command, number in ((["schedule", "tick"], signal.SIGTERM), (["daemon"], signal.SIGTERM),
                                (["daemon"], signal.SIGHUP)):
            with self.subTest(command=command, number=number):
                self.home = os.path.join(self.folder, command[0] + number.name)
                double = self.script(*SETTINGS)
                self.schedule(self.claude(double))
                process, env = self.begin(*command)
                code, said = self.stop(process, number)
                self.assertIn(self.states(), (["queued"], ["passed"]), said)
                self.assertIn(code, (0, 7) if command == ["daemon"] or self.states() == ["passed"] else (7,), said)
                self.passes(env)
                self.assertEqual(self.run_agent("schedule", "tick").code, 0)
                self.assertNotIn("failed", self.told())


if __name__ == "__main__":
    unittest.main()
