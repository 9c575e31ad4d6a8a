"""Traces and metrics of real runs, sent to a collector that is no more than a server for HTTP. The real collector is in
tests/peers/telemetry."""
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time
import unittest

import test_api
from harness import PROGRAM, TIMEOUT_S, Case

GOAL = "open Settings, turn on Airplane Mode"
KEY = "hush-collector-key"


class Sink:
    """What was posted, by path: (headers, bytes, JSON) each."""

    def __init__(self, status=200):
        self.came = []
        self.connections = 0
        sink = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                sink.connections += 1

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                sink.came.append((self.path, self.headers, body, json.loads(body)))
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def spans(self):
        return [span for path, _, _, doc in self.came if path == "/v1/traces"
                for span in doc["resourceSpans"][0]["scopeSpans"][0]["spans"]]


def attributes(span):
    return {a["key"]: next(iter(a["value"].values())) for a in span["attributes"]}


def named(spans, start):
    return [span for span in spans if span["name"].split(" ")[0] == start]


class Telemetry(Case):
    def setUp(self):
        super().setUp()
        self.sink = Sink()
        self.addCleanup(self.sink.stop)

    def on(self, **more):
        return {"IOS_AGENT_TELEMETRY_OTLP_ENDPOINT": self.sink.url, **more}

    def do(self, *args, env=None):
        result = self.run_agent("run", "--demo", "--json", *args, GOAL, env=env)
        self.assertEqual(result.code, 0, result)
        return result.envelope()["result"]

    def test_a_run_in_the_foreground_is_what_was_sent(self):
        run = self.do(env=self.on(OTEL_SERVICE_NAME="phones"))
        self.assertEqual([path for path, *_ in self.sink.came], ["/v1/traces", "/v1/metrics"])
        spans = self.sink.spans()
        root, = named(spans, "invoke_agent")
        self.assertEqual(root["traceId"], run["run"].replace("-", ""))
        chats, tools = named(spans, "chat"), named(spans, "execute_tool")
        self.assertEqual(len(tools), run["steps"])
        self.assertEqual({s["parentSpanId"] for s in chats + tools}, {root["spanId"]})
        tokens = run["tokens"]
        self.assertEqual(int(attributes(root)["gen_ai.usage.output_tokens"]), tokens["output"])
        self.assertEqual(sum(int(attributes(s)["gen_ai.usage.output_tokens"]) for s in chats), tokens["output"])
        self.assertEqual(sum(int(attributes(s)["gen_ai.usage.input_tokens"]) for s in chats),
                         tokens["input"] + tokens["cache_read"] + tokens["cache_write"])
        self.assertEqual(attributes(root)["gen_ai.provider.name"], "ios_agent.demo_brain")
        self.assertEqual({s["name"] for s in chats}, {"chat demo_brain"})
        ids = [s["spanId"] for s in spans]
        self.assertEqual(len(set(ids)), len(ids))
        resource = self.sink.came[0][3]["resourceSpans"][0]["resource"]
        self.assertEqual(attributes(resource)["service.name"], "phones")

    def test_each_run_of_a_sweep_is_sent(self):
        path = os.path.join(self.folder, "goals.toml")
        with open(path, "w", encoding="utf-8") as f:
            for n, goal in enumerate((GOAL, "open Settings, check that Nowhere is on the screen", GOAL)):
                f.write(f'[[goal]]\nname = "{n}"\ngoal = "{goal}"\n')
        result = self.run_agent("sweep", path, "--demo", "--jobs", "2", "--json", env=self.on())
        self.assertEqual(result.code, 1, result)
        roots = named(self.sink.spans(), "invoke_agent")
        self.assertEqual(sorted(attributes(s)["ios_agent.run.state"] for s in roots), ["failed", "passed", "passed"])
        self.assertEqual({attributes(s)["ios_agent.run.id"] for s in roots}, {run["id"] for run in self.runs()})
        self.assertEqual(len({attributes(s)["ios_agent.sweep.id"] for s in roots}), 1)

    @unittest.skipUnless(os.path.isdir("/proc/self/task"), "threads are counted in /proc")
    def test_off_there_is_no_thread_and_no_connection(self):
        """What a daemon has open after a run, without a collector and with one."""
        seen = {}
        for name, env in (("off", {}), ("on", self.on())):
            home = os.path.join(self.folder, name)
            daemon = self.start_agent("daemon", env={**env, "IOS_AGENT_HOME": home, "IOS_AGENT_NO_DAEMON": None})
            for line in daemon.stdout:
                if "ready:" in line:
                    break
            unix = test_api.Unix(os.path.join(home, "daemon.sock"))
            body = json.dumps({"goal": GOAL, "demo": True, "device": "embedded:x"})
            unix.request("POST", "/v1/runs", body, {"Content-Type": "application/json"})
            run = json.loads(unix.getresponse().read())["result"]["run"]["id"]
            unix.request("GET", f"/v1/events?run={run}&after=0&types=run.finished")
            stream = unix.getresponse()
            while not stream.readline().startswith(b"event: run.finished"):
                pass
            unix.close()
            self.until(lambda: name == "off" or len(self.sink.came) == 2)
            seen[name] = (self.threads(daemon.pid, "telemetry"), self.sink.connections)
            daemon.send_signal(signal.SIGTERM)
            daemon.communicate(timeout=TIMEOUT_S)
        self.assertEqual(seen, {"off": (0, 0), "on": (1, 1)})

    @unittest.skipIf(os.environ.get("IOS_AGENT_SANITIZER"), "valgrind runs the plain build")
    @unittest.skipUnless(shutil.which("valgrind"), "valgrind counts instructions")
    def test_off_it_costs_no_instructions(self):
        """A whole run takes hundreds of millions; what is left of telemetry is one look at NULL when the process ends."""
        off, of_run = self.instructions({})
        on, _ = self.instructions(self.on())
        self.assertGreater(of_run, 10_000_000)
        self.assertLess(off, 100)
        self.assertGreater(on, 10_000)
        self.assertEqual(len(self.sink.came), 2)

    def instructions(self, env):
        """Those that a run spends in src/telemetry, and all of them."""
        path = os.path.join(self.folder, f"callgrind.{'on' if env else 'off'}")
        done = subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={path}", PROGRAM, "run", "--demo", "--fresh",
                               GOAL], env=self.env(**env), capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, done)
        table = subprocess.run(["callgrind_annotate", "--threshold=100", path], capture_output=True, text=True, check=True).stdout
        rows = re.findall(r"^ *([\d,]+) \([ \d.]+%\)  (.*)$", table, re.M)
        counts = [(int(n.replace(",", "")), what) for n, what in rows]
        return (sum(n for n, what in counts if re.search(r"src/telemetry/\w+\.c:", what)),
                next(n for n, what in counts if what == "PROGRAM TOTALS"))

    @staticmethod
    def threads(pid, name):
        """How many have that name; others come and go meanwhile."""
        found = 0
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            try:
                found += (task / "comm").read_text().strip() == name
            except FileNotFoundError:
                pass
        return found

    def until(self, true):
        deadline = time.monotonic() + TIMEOUT_S
        while not true():
            self.assertLess(time.monotonic(), deadline)
            threading.Event().wait(0.01)

    def test_a_collector_that_is_down_or_refuses_fails_no_run(self):
        refuses = Sink(status=400)
        self.addCleanup(refuses.stop)
        self.sink.stop()
        for url in (self.sink.url, refuses.url):
            began = time.monotonic()
            run = self.do("--fresh", env={"IOS_AGENT_TELEMETRY_OTLP_ENDPOINT": url})
            self.assertLess(time.monotonic() - began, 20)
            with open(os.path.join(self.home, "ios-agent.log"), encoding="utf-8") as f:
                last = json.loads(f.read().splitlines()[-1])
            self.assertEqual((last["event"], last["run"]), ("telemetry.dropped", run["run"]))

    def test_what_is_sent_holds_no_text_and_the_key_reaches_nobody_else(self):
        seen = os.path.join(self.folder, "seen")
        script = os.path.join(self.folder, "look.sh")
        with open(script, "w", encoding="ascii") as f:
            f.write(f"env > {seen}\n")
        env = self.on(OTEL_EXPORTER_OTLP_HEADERS=f"api-key={KEY}", IOS_AGENT_LOG_LEVEL="debug")
        hooked = self.run_agent("run", "--demo", "--json", "--allow-commands", "--expect",
                                f'command "sh {script}"', GOAL, env=env)
        self.assertEqual(hooked.code, 0, hooked)
        with open(seen, encoding="utf-8") as f:
            self.assertNotIn(KEY, f.read())
        self.assertEqual(len(self.sink.came), 2)
        for _, headers, body, _ in self.sink.came:
            self.assertEqual(headers["api-key"], KEY)
            self.assertEqual(headers["Content-Type"], "application/json")
            for text in ("Airplane", "Settings", "General", KEY):
                self.assertNotIn(text.encode(), body)
        for folder, _, files in os.walk(self.home):
            for name in files:
                with open(os.path.join(folder, name), "rb") as f:
                    self.assertNotIn(KEY.encode(), f.read(), name)

    def test_a_run_that_was_killed_and_resumed_is_one_trace(self):
        killed = self.run_agent("run", "--demo", "--json", GOAL, env=self.on(IOS_AGENT_KILL_AT="agent.tool.after:1"))
        self.assertEqual(killed.code, -signal.SIGKILL, killed)
        self.assertEqual(self.sink.came, [])
        resumed = self.run_agent("resume", "last", "--json", env=self.on())
        self.assertEqual(resumed.code, 0, resumed)
        run, = resumed.envelope()["result"]["runs"]
        spans = self.sink.spans()
        root, = named(spans, "invoke_agent")
        self.assertEqual(len({s["spanId"] for s in spans}), len(spans))
        self.assertEqual({s["traceId"] for s in spans}, {run["run"].replace("-", "")})
        self.assertIn("run.resumed", [e["name"] for e in root["events"]])
        self.assertEqual(len(named(spans, "execute_tool")), run["steps"])

    def test_headers_that_are_none_are_refused_without_showing_them(self):
        result = self.run_agent("run", "--demo", GOAL, env=self.on(OTEL_EXPORTER_OTLP_HEADERS=f"no header {KEY}"))
        self.assertEqual(result.code, 2, result)
        self.assertIn("OTEL_EXPORTER_OTLP_HEADERS", result.err)
        self.assertNotIn(KEY, result.out + result.err)

    def test_a_project_cannot_say_where_to(self):
        with open(os.path.join(self.folder, "ios-agent.toml"), "w", encoding="utf-8") as f:
            f.write(f'[telemetry]\notlp_endpoint = "{self.sink.url}"\n')
        result = self.run_agent("run", "--demo", GOAL)
        self.assertEqual(result.code, 2, result)
        self.assertIn("telemetry.otlp_endpoint", result.err)
        self.assertEqual(self.sink.came, [])


if __name__ == "__main__":
    assert PROGRAM
    unittest.main()
