"""daemon: resumes what a killed process left, holds one place in a home, and stops politely."""
import itertools
import resource
import signal
import subprocess
import unittest

from harness import ADA, PROGRAM, TIMEOUT_S, Case

LOOK = "open Settings, check that General is on the screen"


class Daemon(Case):
    def start(self, env=None):
        process = self.start_agent("daemon", env=env)
        early = []  # a run may be taken up before the daemon says that it is ready
        for line in process.stdout:
            if "ready:" in line:
                process.lines = itertools.chain(early, process.stdout)
                return process
            early.append(line)
        self.fail(process.stderr.read())

    @staticmethod
    def read_until(process, text):
        lines = []
        for line in process.lines:
            lines.append(line)
            if text in line:
                return lines
        raise AssertionError("".join(lines) + process.stderr.read())

    def runs(self):
        return self.run_agent("runs", "--json").envelope()["result"]["runs"]

    def leave_a_killed_run(self, goal=LOOK, at="store.commit.after:3"):
        killed = self.run_agent("run", goal, "--demo", env={"IOS_AGENT_KILL_AT": at})
        self.assertEqual(killed.code, -signal.SIGKILL, killed)

    def test_it_resumes_the_run_of_a_killed_process(self):
        self.leave_a_killed_run()
        self.assertEqual([r["orphaned"] for r in self.runs()], [True])
        daemon = self.start()
        lines = self.read_until(daemon, " passed")
        self.assertTrue(any(" resumed: " in l or " started: " in l for l in lines), lines)
        self.assertEqual([r["state"] for r in self.runs()], ["passed"])

    def test_it_resumes_what_dies_while_it_runs(self):
        daemon = self.start()
        self.leave_a_killed_run()
        self.read_until(daemon, " passed")
        self.assertEqual([r["state"] for r in self.runs()], ["passed"])

    def test_a_run_that_was_begun_waits_for_its_key(self):
        turn = {"blocks": [{"tool_use": "finish", "input": {
            "verdict": "failed", "summary": "the end", "evidence": []}}]}
        env = self.claude(self.script(turn))
        killed = self.run_agent("run", LOOK, env={**env, "IOS_AGENT_KILL_AT": "store.commit.after:3"})
        self.assertEqual(killed.code, -signal.SIGKILL, killed)
        daemon = self.start()
        self.read_until(daemon, "there is no key for Claude")
        self.assertEqual([r["state"] for r in self.runs()], ["queued"])
        daemon.send_signal(signal.SIGTERM)
        daemon.communicate(timeout=TIMEOUT_S)
        self.assertEqual([r["state"] for r in self.runs()], ["queued"])
        self.read_until(self.start(env=env), " failed")

    @unittest.skipUnless(hasattr(resource, "prlimit"), "no limit of another process can be set here")
    def test_a_run_that_met_a_full_disk_goes_on_when_there_is_room(self):
        env = self.claude(self.double("--latency-ms", "400"))
        add = ["schedule", "add", "--name", "s", "--every", "1d", ADA]
        self.assertEqual(self.run_agent(*add, env=env).code, 0)
        self.assertEqual(self.run_agent("schedule", "run-now", "s").code, 0)
        daemon = self.start(env=env)
        self.read_until(daemon, " tap ")
        resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        self.read_until(daemon, " running: ")
        resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        self.read_until(daemon, " resumed: ")
        self.read_until(daemon, " passed")
        self.assertEqual([r["state"] for r in self.runs()], ["passed"])
        names = [c["name"] for c in self.state("--device", "embedded:schedule-s")["contacts"]]
        self.assertEqual(names.count("Ada Lovelace"), 1)

    def test_whatever_it_lacks_at_the_start_it_fails_and_says_so(self):
        ready = False
        for files in range(6, 40):
            process = subprocess.Popen(
                ["/bin/sh", "-c", f'ulimit -n {files}; exec "$0" daemon', PROGRAM], env=self.env(),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(self.reap, process)
            line = process.stdout.readline()
            while line and "ready:" not in line:
                line = process.stdout.readline()
            ready = bool(line)
            if ready:
                process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=TIMEOUT_S)
            self.assertEqual(process.returncode == 0, ready, (files, process.returncode, err))
            self.assertEqual(bool(err), not ready, (files, err))
            if ready:
                break
        self.assertTrue(ready)

    def test_sigterm_ends_it_with_status_0(self):
        daemon = self.start()
        daemon.send_signal(signal.SIGTERM)
        out, err = daemon.communicate(timeout=TIMEOUT_S)
        self.assertEqual(daemon.returncode, 0, out + err)
        self.assertIn("stopping", out)

    def test_a_home_has_one_daemon(self):
        self.start()
        second = self.run_agent("daemon")
        self.assertEqual(second.code, 3, second)
        self.assertRegex(second.err, r"daemon is busy: held by .*pid \d+")

    def test_a_killed_daemon_leaves_its_place_to_the_next(self):
        first = self.start()
        first.kill()
        first.wait(timeout=TIMEOUT_S)
        self.start()

    def test_sigterm_sends_the_run_in_hand_back_and_the_next_daemon_finishes_it(self):
        # The answer takes far longer than the test: the run is in hand when the signal comes.
        slow = self.script({"latency_ms": 60000, "blocks": [{"text": "…"}]})
        env = self.claude(slow)
        killed = self.run_agent("run", LOOK, env={**env, "IOS_AGENT_KILL_AT": "store.commit.after:3"})
        self.assertEqual(killed.code, -signal.SIGKILL, killed)
        daemon = self.start(env=env)
        self.read_until(daemon, "open Settings")
        daemon.send_signal(signal.SIGTERM)
        out, err = daemon.communicate(timeout=TIMEOUT_S)
        self.assertEqual(daemon.returncode, 0, out + err)
        self.assertEqual([r["state"] for r in self.runs()], ["queued"])
        slow.kill()
        quick = self.script({"blocks": [{"tool_use": "finish", "input": {
            "verdict": "failed", "summary": "the end", "evidence": []}}]})
        second = self.start(env=self.claude(quick))
        self.read_until(second, " failed")
        self.assertEqual(len(self.runs()), 1)


if __name__ == "__main__":
    unittest.main()
