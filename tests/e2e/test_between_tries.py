"""Between two tries of a run nobody holds it: others may do the next one, or the phone may be taken."""
import fcntl
import signal
import time
import unittest
from datetime import datetime

from harness import Case


class BetweenTries(Case):
    def waiting_run(self):
        """A run whose first try failed, stopped (SIGSTOP) while it waits for the second."""
        path = f"{self.folder}/script.json"
        with open(path, "w", encoding="utf-8") as f:
            f.write('{"turns": [{"repeat": true, "blocks": [{"tool_use": "finish", "input": '
                    '{"verdict": "failed", "summary": "the end", "evidence": []}}]}]}')
        double = self.double("--script", path, "--fault", "529@1")
        env = {**self.claude(double), "IOS_AGENT_API_MAX_RETRIES": "0"}
        process = self.start_agent("run", "x", "--retries", "5", "--events", env=env)
        waiting = self.read_event(process, "run.retry_wait")
        self.wait_for_the_phone()
        process.send_signal(signal.SIGSTOP)
        self.addCleanup(process.send_signal, signal.SIGCONT)
        return process, waiting, env

    def wait_for_the_phone(self):
        with open(f"{self.home}/embedded/default.lock", "r+", encoding="utf-8") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)

    @staticmethod
    def wait_until(iso):
        while time.time() < datetime.fromisoformat(iso.replace("Z", "+00:00")).timestamp():
            time.sleep(0.1)

    def test_a_try_that_another_process_made_is_the_runs_own(self):
        process, waiting, env = self.waiting_run()
        resumed = self.run_agent("resume", waiting["run"], env=env)
        self.assertEqual(resumed.code, 1, resumed)
        process.send_signal(signal.SIGCONT)
        finished = self.read_event(process, "run.finished")
        self.assertEqual((finished["state"], finished["summary"]), ("failed", "the end"))
        process.communicate()
        self.assertEqual(process.returncode, 1)

    def test_a_phone_that_is_busy_then_is_waited_for(self):
        process, waiting, _ = self.waiting_run()
        slow = self.script({"latency_ms": 600000, "blocks": [{"text": "x"}]})
        other = self.start_agent("run", "y", "--events", env=self.claude(slow))
        self.read_event(other, "request.started")
        self.wait_until(waiting["retry_at"])
        process.send_signal(signal.SIGCONT)
        time.sleep(1)  # it meets the phone busy; nothing depends on how often
        other.send_signal(signal.SIGINT)
        other.communicate()
        finished = self.read_event(process, "run.finished")
        self.assertEqual(finished["state"], "failed")
        process.communicate()
        self.assertEqual(process.returncode, 1)

    def test_ctrl_c_cancels_it_and_the_events_say_so(self):
        for command in (None, "cancel"):
            process, waiting, _ = self.waiting_run()
            if command:
                self.assertEqual(self.run_agent(command, waiting["run"]).code, 0)
            else:
                process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGCONT)
            self.assertEqual(self.read_event(process, "run.finished")["state"], "cancelled")
            process.communicate()
            self.assertEqual(process.returncode, 7)


if __name__ == "__main__":
    unittest.main()
