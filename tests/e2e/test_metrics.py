"""GET /metrics of a real daemon, as a scraper asks: over TCP with a token, across restarts, for runs of other processes;
and the lines of the log, which name the run."""
import json
import os
import signal
import unittest

from harness import TIMEOUT_S
from test_api import GOAL, Daemon


def series(text):
    """{name with labels: value} of an exposition."""
    return {name: float(value) for name, value in
            (line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#"))}


class Metrics(Daemon):
    def scrape(self, over=None):
        status, headers, body = self.send("GET", "/metrics", over=over)
        self.assertEqual(status, 200, body)
        self.assertEqual(headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
        return series(body.decode())

    def test_a_scraper_with_the_token_sees_what_runs_came_to(self):
        status, _, _ = self.send("GET", "/metrics", over=self.tcp)
        self.assertEqual(status, 401)
        self.token = self.run_agent("daemon", "token", "--json").envelope()["result"]["token"]
        before = self.scrape(over=self.tcp)
        self.assertEqual(before['ios_agent_runs_finished_total{outcome="passed"}'], 0)
        run = self.finish(GOAL)
        other = self.run_agent("run", "--demo", "--fresh", "--device", "embedded:other", "--json",
                               "open Settings, check that Nowhere is on the screen")
        self.assertEqual(other.code, 1, other)
        after = self.scrape(over=self.tcp)
        self.assertEqual(after['ios_agent_runs_finished_total{outcome="passed"}'], 1)
        self.assertEqual(after['ios_agent_runs_finished_total{outcome="failed"}'], 1)
        calls = sum(v for k, v in after.items() if k.startswith("ios_agent_tool_calls_total"))
        self.assertEqual(calls, run["steps"] + other.envelope()["result"]["steps"])
        self.assertNotIn("Settings", str(after))
        return after

    def test_counters_outlive_the_daemon_also_one_that_is_killed(self):
        self.finish(GOAL)
        before = self.scrape()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=TIMEOUT_S)
        process = self.start_agent("daemon", env={"IOS_AGENT_NO_DAEMON": None})
        for line in process.stdout:
            if "ready:" in line:
                break
        self.unix.close()
        after = self.scrape()
        started = "process_start_time_seconds"
        self.assertGreater(after.pop(started), before.pop(started))
        self.assertEqual(after, before)


class LogLines(Daemon):
    """Two runs at once in one process."""

    model = None

    def fill_home(self):
        self.model = self.double("--latency-ms", "20")

    def env(self, **more):
        claude = self.claude(self.model) if self.model else {}
        return super().env(**{**claude, "IOS_AGENT_LOG_LEVEL": "info", **more})

    def test_each_line_names_the_run_that_it_is_about(self):
        runs = [self.ask("POST", "/v1/runs", {**GOAL, "demo": False, "device": f"embedded:{name}"})["run"]["id"]
                for name in ("one", "two")]
        for run in runs:
            self.unix.request("GET", f"/v1/events?run={run}&after=0&types=run.finished")
            stream = self.unix.getresponse()
            while not stream.readline().startswith(b"event: run.finished"):
                pass
            self.unix.close()
        with open(os.path.join(self.home, "ios-agent.log"), encoding="utf-8") as f:
            lines = [json.loads(line) for line in f]
        answers = [line["run"] for line in lines if line["event"] == "api.answer"]
        for run in runs:
            events = self.ask("GET", f"/v1/runs/{run}/events?limit=1000")["events"]
            self.assertEqual(answers.count(run), sum(e["event"] == "request.finished" for e in events))
        self.assertEqual(set(answers), set(runs))


if __name__ == "__main__":
    unittest.main()
