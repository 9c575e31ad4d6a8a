"""The OpenTelemetry collector takes all that runs export, and what it took is what the runs did.

usage: collector.py BUILD_DIR. Go builds the collector, whose versions collector/go.mod pins, into BUILD_DIR on the first run;
without Go or its module proxy the test is skipped (exit status 77).
"""
import fcntl
import json
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import sys
import unittest
import urllib.error
import urllib.request

SOURCE = pathlib.Path(os.environ["IOS_AGENT_SOURCE"])
FOLDER = pathlib.Path(sys.argv.pop(1)).resolve() / "collector"
sys.path.insert(0, str(SOURCE / "tests" / "e2e"))

from delegate_case import SCRIPT, DelegateCase  # noqa: E402
from test_api import Daemon  # noqa: E402

CONFIG = """
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:%d"}}}}
exporters:
  file/traces: {path: "%s"}
  file/metrics: {path: "%s"}
service:
  telemetry: {metrics: {level: none}, logs: {level: info}}
  pipelines:
    traces: {receivers: [otlp], exporters: [file/traces]}
    metrics: {receivers: [otlp], exporters: [file/metrics]}
"""


def skip(why):
    print("SKIPPED:", why)
    sys.exit(77)


def build():
    """The collector's program."""
    if not shutil.which("go"):
        skip("there is no go")
    FOLDER.mkdir(parents=True, exist_ok=True)
    module = SOURCE / "tests" / "peers" / "telemetry" / "collector"
    with open(FOLDER / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        got = subprocess.run(["go", "mod", "download"], cwd=module, capture_output=True, text=True, timeout=600,
                             check=False)
        if got.returncode != 0:
            skip(f"the collector's modules cannot be fetched: {got.stderr.strip()[-300:]}")
        subprocess.run(["go", "build", "-mod=readonly", "-o", str(FOLDER / "collector"), "."], cwd=module, check=True,
                       timeout=1200)
    return str(FOLDER / "collector")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Collector:
    def __init__(self, case):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.files = {signal: os.path.join(case.folder, signal + ".json") for signal in ("traces", "metrics")}
        config = os.path.join(case.folder, "collector.yaml")
        with open(config, "w", encoding="utf-8") as f:
            f.write(CONFIG % (port, self.files["traces"], self.files["metrics"]))
        self.process = subprocess.Popen([PROGRAM, "--config", f"file:{config}"], stderr=subprocess.PIPE, text=True)
        case.addCleanup(self.stop)
        self.said = []
        for line in self.process.stderr:
            self.said.append(line)
            if "Everything is ready" in line:
                return
        case.fail("".join(self.said))

    def stop(self):
        """Ends it, so that all it has is in its files; what it said."""
        if not self.process.stderr.closed:
            self.process.terminate()
            self.said += self.process.stderr.readlines()
            self.process.wait(timeout=60)
            self.process.stderr.close()
        return self.said

    def read(self, signal):
        with open(self.files[signal], encoding="utf-8") as f:
            return [json.loads(line) for line in f]

    def spans(self):
        return [span for doc in self.read("traces") for resource in doc["resourceSpans"]
                for scope in resource["scopeSpans"] for span in scope["spans"]]

    def points(self, name):
        return [point for doc in self.read("metrics") for resource in doc["resourceMetrics"]
                for scope in resource["scopeMetrics"] for metric in scope["metrics"] if metric["name"] == name
                for point in metric["histogram"]["dataPoints"]]

    def refuses(self, path, body):
        request = urllib.request.Request(self.url + path, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30):
                return False
        except urllib.error.HTTPError as e:
            return 400 <= e.code < 500


def attributes(thing):
    values = {a["key"]: a["value"] for a in thing.get("attributes", [])}
    return {key: int(v["intValue"]) if "intValue" in v else next(iter(v.values())) for key, v in values.items()}


class Compared:
    """What a home's store has of its runs, beside what the collector took."""

    def events(self, run, kind):
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"))
        rows = db.execute("SELECT json FROM events WHERE run_id = ? AND type = ? ORDER BY seq", (run, kind)).fetchall()
        db.close()
        return [json.loads(row[0]) for row in rows]

    def log(self):
        path = os.path.join(self.home, "ios-agent.log")
        with open(path, encoding="utf-8") as f:
            return [line for line in f if "telemetry" in line]

    def compare_run(self, spans, run, provider):
        """The run's own span, once all below it is compared with the run's events."""
        root, = [s for s in spans if attributes(s).get("ios_agent.run.id") == run]
        below = [s for s in spans if s.get("parentSpanId") == root["spanId"]]
        chats = [s for s in below if s["name"].startswith("chat ")]
        tools = [s for s in below if s["name"].startswith("execute_tool ")]
        self.assertEqual(attributes(root)["gen_ai.provider.name"], provider)
        answers, calls = self.events(run, "request.finished"), self.events(run, "tool.finished")
        self.assertGreater(len(answers), 0)
        self.assertEqual([attributes(s)["gen_ai.usage.output_tokens"] for s in chats],
                         [e["usage"]["output"] for e in answers])
        self.assertEqual([attributes(s)["gen_ai.usage.input_tokens"] for s in chats],
                         [e["usage"]["input"] + e["usage"]["cache_read"] + e["usage"]["cache_write"] for e in answers])
        self.assertEqual([attributes(s).get("ios_agent.cost_usd") for s in chats], [e["cost_usd"] for e in answers])
        self.assertEqual([attributes(s)["gen_ai.response.finish_reasons"]["values"][0]["stringValue"] for s in chats],
                         [e["stop_reason"] for e in answers])
        self.assertEqual([(attributes(s)["gen_ai.tool.name"], attributes(s)["gen_ai.tool.call.id"]) for s in tools],
                         [(e["tool"], e["id"]) for e in calls])
        self.assertEqual([s["status"].get("code", 0) for s in tools], [0 if e["ok"] else 2 for e in calls])
        self.assertEqual([(int(s["endTimeUnixNano"]) - int(s["startTimeUnixNano"])) // 10**6 for s in tools],
                         [e["ms"] for e in calls])
        devices = [s for s in spans if s["name"].startswith("device ") and
                   s["parentSpanId"] in {t["spanId"] for t in tools}]
        self.assertEqual(len(devices), sum(e["device_us"] > 0 for e in calls))
        return root

    def compare_all(self, collector, runs, provider):
        said = collector.stop()
        self.assertEqual([line for line in said if "\terror\t" in line or "\twarn\t" in line], [])
        self.assertEqual(self.log(), [])
        spans = collector.spans()
        self.assertEqual(len({s["spanId"] for s in spans}), len(spans))
        roots = [self.compare_run(spans, run, provider) for run in runs]
        answers = [e for run in runs for e in self.events(run, "request.finished")]
        for kind, tokens in (("output", sum(e["usage"]["output"] for e in answers)),
                             ("input", sum(e["usage"][k] for e in answers
                                           for k in ("input", "cache_read", "cache_write")))):
            points = [p for p in collector.points("gen_ai.client.token.usage")
                      if attributes(p)["gen_ai.token.type"] == kind]
            self.assertEqual(sum(p["sum"] for p in points), tokens)
            self.assertEqual(sum(int(p["count"]) for p in points), len(answers))
        times = collector.points("gen_ai.client.operation.duration")
        self.assertAlmostEqual(sum(p["sum"] for p in times), sum(e["ms"] for e in answers) / 1000)
        for p in times:
            self.assertEqual(sum(map(int, p["bucketCounts"])), int(p["count"]))
        return roots


class OfTheDaemon(Compared, Daemon):
    def fill_home(self):
        self.collector = Collector(self)
        self.model = self.double()

    def env(self, **more):
        on = {"IOS_AGENT_TELEMETRY_OTLP_ENDPOINT": self.collector.url, **self.claude(self.model)} \
            if hasattr(self, "model") else {}
        return super().env(**{**on, **more})

    def test_runs_of_the_daemon_and_of_the_foreground(self):
        self.assertTrue(self.collector.refuses("/v1/traces", b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"kind":"x"}]}]}]}'))
        goal = {"goal": "open Settings, turn on Airplane Mode", "device": "embedded:api"}
        run = self.finish(goal)["id"]
        other = self.run_agent("run", "--json", "--device", "embedded:other",
                               "open Settings, check that Nowhere is on the screen")
        self.assertEqual(other.code, 1, other)
        metrics = self.send("GET", "/metrics")[2].decode().splitlines()
        self.process.terminate()
        self.process.wait(timeout=60)
        self.assertIn("ios_agent_telemetry_runs_dropped_total 0", metrics)
        self.compare_all(self.collector, [run, other.envelope()["result"]["run"]], "anthropic")


class OfSubtasks(Compared, DelegateCase):
    def test_subtasks_stand_below_the_calls_that_delegated_them(self):
        collector = Collector(self)
        self.start(SCRIPT)
        done = self.goal("--json", IOS_AGENT_TELEMETRY_OTLP_ENDPOINT=collector.url)
        self.assertEqual(done.code, 0, done)
        parent = self.parent()
        children = self.rows("SELECT id, parent_call FROM runs WHERE parent_id = ?", parent)
        self.assertEqual(len(children), 2)
        root, *below = self.compare_all(collector, [parent, *(run for run, _ in children)], "anthropic")
        calls = {attributes(s).get("gen_ai.tool.call.id"): s["spanId"] for s in collector.spans()
                 if s.get("parentSpanId") == root["spanId"]}
        for (_, call), span in zip(children, below):
            self.assertEqual(span["traceId"], root["traceId"])
            self.assertEqual(span["parentSpanId"], calls[call])


if __name__ == "__main__":
    PROGRAM = build()
    unittest.main()
