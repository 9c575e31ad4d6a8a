"""`ios-agent mcp`: what its clients see of its life, of the daemon behind it, and of its HTTP."""
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

from harness import PROGRAM, TIMEOUT_S, Case

MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
AIRPLANE = "open Settings, turn on Airplane Mode"


class Client:
    """One client of a server on pipes."""

    def __init__(self, case, *args, env=None):
        self.process = subprocess.Popen(
            [PROGRAM, "mcp", *args],
            env=case.env(**(env or {})),
            cwd=case.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.id = 0
        case.addCleanup(self.kill)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def send(self, method, **params):
        self.id += 1
        self.write({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params})
        return self.id

    def notify(self, method, **params):
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def write(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, method, **params):
        wanted = self.send(method, **params)
        self.told = []
        while True:
            message = self.read()
            if message.get("id") == wanted:
                return message
            self.told.append(message)

    def call(self, tool, meta=None, **args):
        more = {"_meta": meta} if meta else {}
        answer = self.ask("tools/call", name=tool, arguments=args, **more)
        return answer.get("result", answer)

    def end(self):
        """Ends the input. The exit status, how long it took, and what still came."""
        begun = time.monotonic()
        self.process.stdin.close()
        status = self.process.wait(TIMEOUT_S)
        return status, time.monotonic() - begun, self.process.stdout.read()


def text(result):
    return "".join(block["text"] for block in result["content"] if block["type"] == "text")


def ref_of(screen, element):
    for line in screen.splitlines():
        number, _, rest = line.partition(" ")
        if number.isdigit() and rest.startswith(element):
            return int(number)
    raise AssertionError(f"{element} is not in {screen}")


class Silent:
    """A server that takes requests and never answers."""

    def __init__(self, case):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.taken = []
        case.addCleanup(lambda: [connection.close() for connection, _ in self.taken])
        threading.Thread(target=self.serve, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        case.addCleanup(self.socket.close)

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                self.taken.append(self.socket.accept())


class Mcp(Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.run_agent, "daemon", "stop", "--now")

    def env(self, **more):
        more.setdefault("IOS_AGENT_NO_DAEMON", None)
        return super().env(**more)

    def command(self, *args):
        result = self.run_agent(*args, "--json")
        self.assertEqual(result.code, 0, result)
        return result.envelope()["result"]

    def test_a_clients_environment_says_how_its_device_is_opened(self):
        server = self.start_agent("embedded", "serve", "--port", "0", "--token-file", "tok", "--json")
        bare = f"bridge:127.0.0.1:{json.loads(server.stdout.readline())['result']['port']}"
        with open(os.path.join(self.folder, "tok"), encoding="ascii") as f:
            token = f.read().strip()
        refused = Client(self, env={"IOS_AGENT_DEVICE": bare})
        self.assertTrue(refused.call("snapshot")["isError"])
        for env in ({"IOS_AGENT_DEVICE": bare, "IOS_AGENT_DEVICE_TOKEN": token}, {"IOS_AGENT_DEVICE": bare + "?token-file=tok"}):
            client = Client(self, env=env)
            self.assertIn("icon Settings", text(client.call("snapshot")))

    def configure(self, url):
        path = self.command("config", "path")["user"]["path"]
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as config:
            config.write(f'[api]\nbase_url = "{url}"\nallow_http = true\n')

    def silent_model(self):
        """A key, and a server for it that never answers: runs last."""
        self.configure(Silent(self).url)
        result = self.run_agent("key", "set", stdin="sk-any\n")
        self.assertEqual(result.code, 0, result)

    def until(self, what):
        limit = time.monotonic() + TIMEOUT_S
        while not what():
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.01)

    def only_run(self):
        runs = self.runs()
        self.assertEqual(len(runs), 1, runs)
        return runs[0]

    # ---- its life

    def test_refs_outlive_the_process(self):
        first = Client(self)
        screen = text(first.call("snapshot"))
        self.assertEqual(first.end()[0], 0)
        second = Client(self)
        tapped = second.call("tap", ref=ref_of(screen, "icon Settings"))
        self.assertIn("tapped", text(tapped))
        status = self.run_agent("tap", str(ref_of(text(tapped), "switch:off Airplane Mode")))
        self.assertEqual(status.code, 0, status)
        self.assertIn("Airplane Mode", status.out)

    def test_nothing_but_messages_comes_out(self):
        client = Client(self)
        client.ask("initialize", protocolVersion="2025-11-25")
        client.call("snapshot")
        status, _, rest = client.end()
        self.assertEqual((status, rest), (0, b""))
        self.assertEqual(client.process.stderr.read(), b"")

    def test_the_end_of_the_input_ends_it_within_a_second(self):
        self.silent_model()
        client = Client(self)
        client.send("tools/call", name="run", arguments={"goal": "look"})
        self.until(lambda: self.runs())
        status, seconds, rest = client.end()
        self.assertEqual((status, rest), (0, b""))
        self.assertLess(seconds, 1.5)

    def test_sigterm_ends_it(self):
        client = Client(self)
        client.ask("ping")
        client.process.send_signal(signal.SIGTERM)
        self.assertEqual(client.process.wait(TIMEOUT_S), 0)

    def test_it_ends_when_its_parent_has_died_though_its_input_is_open(self):
        read, write = os.pipe()
        parent = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import subprocess,sys,time; p=subprocess.Popen(sys.argv[1:],stdin=0);"
                "print(p.pid,flush=True); time.sleep(600)",
                PROGRAM,
                "mcp",
            ],
            env=self.env(),
            stdin=read,
            stdout=subprocess.PIPE,
        )
        self.addCleanup(os.close, write)
        os.close(read)
        pid = int(parent.stdout.readline())
        os.write(write, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        self.assertIn(b'"id":1', parent.stdout.readline())
        parent.kill()
        parent.wait()
        self.until(lambda: not self.is_alive(pid))
        parent.stdout.close()

    @staticmethod
    def is_alive(pid):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 0)
            return not os.path.isdir("/proc/self")
        return False

    def test_a_daemon_that_was_killed_is_replaced(self):
        client = Client(self)
        client.call("open", app="com.apple.Preferences")
        pid = self.command("daemon", "status")["pid"]
        os.kill(pid, signal.SIGKILL)
        self.until(lambda: not self.is_alive(pid))
        screen = client.call("snapshot")
        self.assertIn("Airplane Mode", text(screen))
        self.assertNotEqual(self.command("daemon", "status")["pid"], pid)

    def test_without_a_daemon_it_does_all_itself(self):
        client = Client(self, "--no-daemon", "--demo")
        self.assertIn("icon Settings", text(client.call("snapshot")))
        self.assertIn("PASSED", text(client.call("run", goal=AIRPLANE)))
        self.assertEqual(client.end()[0], 0)
        self.assertFalse(os.path.exists(os.path.join(self.home, "daemon.sock")))

    def test_a_message_that_the_daemon_does_not_take_is_an_error_result(self):
        client = Client(self)
        result = client.call("scroll_to", text="x" * (2 << 20))
        self.assertTrue(result["isError"])
        self.assertIn("LIMIT: ", text(result))
        self.assertIn("icon Settings", text(client.call("snapshot")))

    def test_a_batch_is_answered_in_its_version_alone(self):
        client = Client(self)
        client.ask("initialize", protocolVersion="2025-03-26")
        call = {"name": "tap", "arguments": {"ref": 60000}}
        client.write(
            [
                {"jsonrpc": "2.0", "id": "a", "method": "ping"},
                {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": call},
            ]
        )
        answers = client.read()
        self.assertEqual([a["id"] for a in answers], ["a", "b"])
        self.assertTrue(answers[1]["result"]["isError"])
        client.ask("initialize", protocolVersion="2025-11-25")
        client.write([{"jsonrpc": "2.0", "id": "a", "method": "ping"}])
        self.assertEqual(client.read()["error"]["code"], -32600)

    # ---- runs

    def test_a_run_needs_a_key_or_the_leave_for_the_demo_brain(self):
        refused = Client(self).call("run", goal=AIRPLANE)
        self.assertTrue(refused["isError"])
        self.assertIn("KEY_MISSING: ", text(refused))
        self.assertEqual(self.runs(), [])
        client = Client(self, "--demo")
        done = client.call("run", meta={"progressToken": "t"}, goal=AIRPLANE)
        self.assertIn("PASSED in ", text(done))
        steps = [m["params"]["progress"] for m in client.told]
        self.assertEqual(steps, sorted(set(steps)))
        self.assertTrue(steps)

    def test_a_key_of_the_environment_goes_along_with_the_run_alone(self):
        key = "sk-ant-of-the-client"
        model = self.double("--brain", "demo")
        self.configure("http://127.0.0.1:1")
        # The key is for the server that the same environment names, and goes to no other.
        client = Client(self, env={"ANTHROPIC_API_KEY": key, "ANTHROPIC_BASE_URL": model.url})
        self.assertIn("icon Settings", text(client.call("snapshot")))
        self.assertIn("PASSED in ", text(client.call("run", goal=AIRPLANE)))
        # Nobody else has it: neither another client nor the daemon's files.
        self.assertIn("KEY_MISSING: ", text(Client(self).call("run", goal=AIRPLANE)))
        for folder, _, files in os.walk(self.home):
            for path in filter(os.path.isfile, (os.path.join(folder, name) for name in files)):
                with open(path, "rb") as file:
                    self.assertNotIn(key.encode(), file.read(), path)

    def test_a_cancelled_call_cancels_the_run_that_it_started(self):
        self.silent_model()
        client = Client(self)
        call = client.send("tools/call", name="run", arguments={"goal": "look"})
        self.until(lambda: self.runs() and self.only_run()["state"] == "running")
        client.notify("notifications/cancelled", requestId=call)
        self.until(lambda: self.only_run()["state"] == "cancelled")
        self.assertEqual(client.ask("ping")["result"], {})
        self.assertEqual(client.told, [])

    def test_a_client_that_goes_before_the_answer_cancels_its_run(self):
        self.silent_model()
        client = Client(self)
        client.send("tools/call", name="run", arguments={"goal": "look"})
        self.until(lambda: self.runs() and self.only_run()["state"] == "running")
        client.process.kill()
        self.until(lambda: self.only_run()["state"] == "cancelled")

    def test_a_run_that_was_handed_over_goes_on_and_can_be_cancelled_by_id(self):
        self.silent_model()
        meta = dict(META)
        meta["io.modelcontextprotocol/clientCapabilities"] = {
            "extensions": {"io.modelcontextprotocol/tasks": {}}
        }
        first = Client(self)
        task = first.call("run", meta=meta, goal="look")
        self.assertEqual((task["resultType"], task["status"]), ("task", "working"))
        self.until(lambda: self.only_run()["state"] == "running")
        self.assertEqual(first.end()[0], 0)
        second = Client(self)
        begun = time.monotonic()
        status = second.call("run_status", id=task["taskId"], wait_seconds=1)
        self.assertGreaterEqual(time.monotonic() - begun, 1)
        self.assertIn("RUNNING step 0", text(status))
        self.assertIn(f"ask run_status with id {task['taskId']}", text(status))
        busy = second.call("run", goal="look again")
        self.assertIn("BUSY: embedded:default is held by run " + task["taskId"], text(busy))
        self.assertIn("BUSY: ", text(second.call("tap", ref=1)))
        ended = second.call("run_status", id=task["taskId"], cancel=True)
        self.assertIn("CANCELLED in 0 steps", text(ended))
        got = second.ask("tasks/get", taskId=task["taskId"], _meta=meta)
        self.assertEqual(got["result"]["status"], "cancelled")
        self.assertIn("icon Settings", text(second.call("snapshot")))

    def test_a_wait_that_is_cancelled_leaves_the_run_alone(self):
        self.silent_model()
        client = Client(self)
        run = client.send("tools/call", name="run", arguments={"goal": "look"})
        self.until(lambda: self.runs() and self.only_run()["state"] == "running")
        other = Client(self)
        args = {"id": self.only_run()["id"], "wait_seconds": 45}
        wait = other.send("tools/call", name="run_status", arguments=args)
        other.notify("notifications/cancelled", requestId=wait)
        self.assertEqual(other.ask("ping")["result"], {})
        self.assertEqual(other.end()[0], 0)
        self.assertEqual(self.only_run()["state"], "running")
        client.notify("notifications/cancelled", requestId=run)
        self.until(lambda: self.only_run()["state"] == "cancelled")

    # ---- HTTP

    def serve_http(self):
        daemon = self.start_agent("daemon", "--http")
        self.assertIn("ready", daemon.stdout.readline())
        self.address = self.command("daemon", "status")["http"].removeprefix("http://")
        self.token = self.command("daemon", "token")["token"]

    def post(self, message, method="POST", path="/mcp", **headers):
        connection = http.client.HTTPConnection(self.address, timeout=TIMEOUT_S)
        self.addCleanup(connection.close)
        sent = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        body = message if isinstance(message, bytes) else json.dumps(message)
        connection.request(method, path, body, {k: v for k, v in sent.items() if v is not None})
        self.connection = connection
        return connection.getresponse()

    def call_modern(self, tool, args, path="/mcp", **more):
        meta = dict(META, **more)
        params = {"name": tool, "arguments": args, "_meta": meta}
        return self.post(
            {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params},
            path=path,
            MCP_Protocol_Version=MODERN,
            Mcp_Method="tools/call",
            Mcp_Name=tool,
        )

    def test_http_has_the_status_of_each_case(self):
        self.serve_http()
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        discover = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": META}}
        modern = {"MCP_Protocol_Version": MODERN, "Mcp_Method": "server/discover"}
        cases = [
            (200, ping, {}),
            (202, {"jsonrpc": "2.0", "method": "notifications/initialized"}, {}),
            (202, {"jsonrpc": "2.0", "id": 1, "result": {}}, {}),
            (400, b"not JSON", {}),
            (200, [ping], {}),
            (400, [ping], {"MCP_Protocol_Version": "2025-11-25"}),
            (400, ping, {"MCP_Protocol_Version": "1999-01-01"}),
            (200, discover, modern),
            (400, discover, {}),
            (400, discover, dict(modern, Mcp_Method="tools/list")),
            (405, ping, {"method": "GET"}),
            (405, ping, {"method": "DELETE"}),
            (401, ping, {"Authorization": None}),
            (401, ping, {"Authorization": "Bearer wrong"}),
            (403, ping, {"Origin": "http://evil.example"}),
            (403, ping, {"Host": "evil.example"}),
            (415, ping, {"Content_Type": "text/plain"}),
            (413, b"x" * (1 << 20) + b"x", {}),
        ]
        for status, message, headers in cases:
            answer = self.post(message, **headers)
            body = answer.read()
            self.assertEqual(answer.status, status, (str(message)[:100], headers, body))
            if status == 405:
                self.assertEqual(answer.headers["Allow"], "POST")
            if status == 202:
                self.assertEqual(body, b"")
            if status == 401:
                self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")

    def test_http_tells_progress_in_a_stream_that_ends_with_the_answer(self):
        self.serve_http()
        answer = self.call_modern("run", {"goal": AIRPLANE}, "/mcp?demo=1", progressToken="t")
        self.assertEqual(answer.headers["Content-Type"], "text/event-stream")
        self.assertEqual(answer.headers["X-Accel-Buffering"], "no")
        data = [line[6:] for line in answer.read().decode().splitlines() if line.startswith("data: ")]
        messages = [json.loads(line) for line in data]
        self.assertEqual(messages[0]["method"], "notifications/progress")
        self.assertIn("PASSED", text(messages[-1]["result"]))
        tools = self.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, path="/mcp?read_only=1")
        names = [tool["name"] for tool in json.load(tools)["result"]["tools"]]
        self.assertEqual(names, ["snapshot", "wait_for", "devices", "run_status"])

    def test_closing_a_modern_stream_cancels_the_run(self):
        self.silent_model()
        self.serve_http()
        self.call_modern("run", {"goal": "look"})
        self.until(lambda: self.runs() and self.only_run()["state"] == "running")
        self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.connection.close()
        self.until(lambda: self.only_run()["state"] == "cancelled")

    def test_what_only_the_own_program_may_say_does_not_come_by_http(self):
        self.serve_http()
        discover = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": META}}
        # Without its headers a modern message is refused: from=stdio counts on the socket alone.
        answer = self.post(discover, path="/mcp?from=stdio")
        self.assertEqual(answer.status, 400)
        self.assertEqual(json.load(answer)["error"]["code"], -32020)


if __name__ == "__main__":
    unittest.main()
