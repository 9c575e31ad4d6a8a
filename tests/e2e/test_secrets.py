"""The key is nowhere: not on disk, not in output, not in the environment or argv of a run."""
import http.server
import json
import os
import pathlib
import signal
import threading
import unittest

from harness import ADA, Case
from test_api import Unix

KEY = "sk-ant-e2e-7c31d05be94a28f6"
TOKEN = "tok-e2e-90aa17c2f4d83b65"

# As long as real ones are, so that buffers with a smaller cap cut it.
LONG_KEY = "sk-ant-e2e-" + "0123456789abcdef" * 7


def stopped_answer(reason):
    """A whole stream whose stop reason is that."""
    start = {"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": reason, "content": [],
        "stop_reason": None, "usage": {"input_tokens": 1, "output_tokens": 1}}}
    delta = {"type": "message_delta", "delta": {"stop_reason": reason},
             "usage": {"output_tokens": 1}}
    events = (start, delta, {"type": "message_stop"})
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers every request with its own key, somewhere."""

    def log_message(self, *_):
        pass

    def do_POST(self):  # the name that the library asks for
        self.rfile.read(int(self.headers["content-length"]))
        key, place = self.headers["x-api-key"], self.server.place
        error = {"type": key if place == "type" else "invalid_request_error", "message": "no"}
        if place == "message":
            error["message"] = f"{key} is no key"
        elif place == "end of a long message":
            error["message"] = "x" * 450 + key
        body = json.dumps({"type": "error", "error": error})
        body = f"<html>{key}</html>" if place == "html" else body
        body = stopped_answer(key) if place == "stop reason" else body
        self.send_response(200 if place == "stop reason" else 400)
        if place == "stop reason":
            self.send_header("content-type", "text/event-stream")
        self.send_header("request-id", key if place == "request-id" else "req_1")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())


def echo_server(case, place):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    server.place = place
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def stop():
        server.shutdown()
        thread.join()
        server.server_close()

    case.addCleanup(stop)
    return f"http://127.0.0.1:{server.server_port}"


class Secrets(Case):
    def assert_nowhere_on_disk(self, *secrets):
        files = 0
        for folder, _, names in os.walk(self.home):
            for name in names:
                files += 1
                data = pathlib.Path(folder, name).read_bytes()
                for secret in secrets:
                    self.assertNotIn(secret.encode(), data, name)
        self.assertGreater(files, 3)

    def assert_not_in_process(self, pid, *secrets):
        proc = pathlib.Path("/proc", str(pid))
        if not proc.exists():
            self.skipTest("there is no /proc")
        limits = (proc / "limits").read_text()
        self.assertRegex(limits, r"Max core file size +0 +0 ")
        for name in ("environ", "cmdline"):
            data = (proc / name).read_bytes()
            self.assertIn(b"ios-agent" if name == "cmdline" else b"IOS_AGENT_HOME", data)
            for secret in secrets:
                self.assertNotIn(secret.encode(), data, name)

    def run_and_look(self, env):
        """A whole run at the most talkative log level, looked at while it waits for the model."""
        double = self.double("--fault", "stall@2:0")
        env = {**env, "ANTHROPIC_BASE_URL": double.url, "IOS_AGENT_LOG_LEVEL": "debug"}
        process = self.start_agent("run", ADA, "--events", env=env)
        self.read_event(process, "tool.finished")
        self.read_event(process, "request.started")
        self.assert_not_in_process(process.pid, KEY, TOKEN)
        self.assert_nowhere_on_disk(KEY, TOKEN)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        self.assertEqual(process.returncode, 7)
        for secret in (KEY, TOKEN):
            self.assertNotIn(secret, out + err)
        self.assert_nowhere_on_disk(KEY, TOKEN)
        self.assertGreater(os.path.getsize(os.path.join(self.home, "ios-agent.log")), 0)
        self.assertEqual(double.stop()["rejected"], {})

    def assert_not_in_memory(self, pid, *secrets):
        """Of what a process can read, nothing holds them."""
        areas = 0
        with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
            for line in maps:
                start, end = (int(x, 16) for x in line.split()[0].split("-"))
                if line.split()[1][0] == "r" and "[v" not in line:
                    memory.seek(start)
                    data = memory.read(end - start)
                    areas += 1
                    for secret in secrets:
                        self.assertNotIn(secret.encode(), data, line)
        self.assertGreater(areas, 10)

    @unittest.skipIf(os.environ.get("IOS_AGENT_SANITIZER"), "a sanitizer keeps what was freed")
    def test_a_daemon_that_typed_a_secret_forgets_it(self):
        value = "engine-98271-in-memory"
        daemon = self.start_agent("daemon", env={"IOS_AGENT_NO_DAEMON": None})
        while "ready:" not in daemon.stdout.readline():
            self.assertIsNone(daemon.poll())
        if not os.access(f"/proc/{daemon.pid}/mem", os.R_OK):
            self.skipTest("the memory of a process cannot be read here")
        unix = Unix(os.path.join(self.home, "daemon.sock"))
        self.addCleanup(unix.close)

        def ask(method, path, **body):
            unix.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
            return json.loads(unix.getresponse().read())["result"]

        self.assertEqual(ask("PUT", "/v1/secrets/PIN", value=value)["secret"]["origin"], "stored")
        self.assert_not_in_memory(daemon.pid, value)
        run = ask("POST", "/v1/runs", goal="open Shop, log in as ada with password {{secret:PIN}}", demo=True,
                  device="embedded:m", secrets=["PIN"])["run"]["id"]
        while ask("GET", f"/v1/runs/{run}")["run"]["state"] in ("queued", "claimed", "running"):
            pass
        self.assertIn("•••", json.dumps(self.log("--device", "embedded:m"), ensure_ascii=False))
        self.assert_not_in_memory(daemon.pid, value)

    def test_a_key_from_the_environment(self):
        self.run_and_look({"ANTHROPIC_API_KEY": KEY})

    def test_a_bearer_token_from_the_environment(self):
        self.run_and_look({"ANTHROPIC_AUTH_TOKEN": TOKEN})

    def test_a_sealed_key(self):
        self.assertEqual(self.run_agent("key", "set", stdin=KEY).code, 0)
        self.run_and_look({})

    def test_no_command_and_no_error_shows_a_key(self):
        double = self.double("--fault", "401")
        env = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_AUTH_TOKEN": TOKEN,
               "ANTHROPIC_BASE_URL": double.url}
        for args in (["run", "x"], ["run", "x", "--json"], ["run", "x", "--events"], ["doctor"],
                     ["config"], ["config", "--json"], ["key", "status"], ["runs", "--json"],
                     ["help"], ["nonsense"]):
            result = self.run_agent(*args, env=env)
            for secret in (KEY, TOKEN):
                self.assertNotIn(secret, result.out + result.err, args)
        run = self.runs()[0]["id"]
        shown = self.run_agent("show", run, "--transcript", "--json", env=env)
        self.assertNotIn(KEY, shown.out)
        self.assert_nowhere_on_disk(KEY, TOKEN)

    def test_a_server_that_echoes_the_key_does_not_spread_it(self):
        for place in ("message", "end of a long message", "type", "request-id", "html",
                      "stop reason"):
            with self.subTest(place):
                url = echo_server(self, place)
                env = {"ANTHROPIC_API_KEY": LONG_KEY, "ANTHROPIC_BASE_URL": url,
                       "IOS_AGENT_LOG_LEVEL": "debug"}
                for form in ((), ("--json",), ("--events",)):
                    result = self.run_agent("run", "x", "--max-seconds", "20", *form, env=env)
                    self.assertEqual(result.code, 6, result)
                    self.assertNotIn(LONG_KEY[:40], result.out + result.err)
                self.assert_nowhere_on_disk(LONG_KEY[:40])


if __name__ == "__main__":
    unittest.main()
