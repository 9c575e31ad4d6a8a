"""The control API of a real daemon, as a script asks it: a goal from its request to its report, over TCP and a token."""
import http.client
import json
import os
import socket
import unittest

from harness import TIMEOUT_S, Case

GOAL = {"goal": "open Settings, turn on Airplane Mode", "demo": True, "device": "embedded:api",
        "pictures": "steps"}


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=TIMEOUT_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(TIMEOUT_S)
        self.sock.connect(self.path)


class Api(Case):
    def setUp(self):
        super().setUp()
        self.process = self.start_agent("daemon", "--http", env={"IOS_AGENT_NO_DAEMON": None})
        for line in self.process.stdout:
            if "ready:" in line:
                break
        else:
            self.fail(self.process.stderr.read())
        self.unix = Unix(os.path.join(self.home, "daemon.sock"))
        status = self.ask("GET", "/v1/daemon")
        self.tcp = http.client.HTTPConnection(status["http"].removeprefix("http://"), timeout=TIMEOUT_S)
        self.token = None
        self.addCleanup(self.unix.close)
        self.addCleanup(self.tcp.close)

    def send(self, method, path, body=None, headers=None, over=None):
        over = over or self.unix
        headers = dict(headers or {})
        if over is not self.unix and self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        over.request(method, path, None if body is None else json.dumps(body), headers)
        answer = over.getresponse()
        return answer.status, answer.headers, answer.read()

    def ask(self, method, path, body=None, headers=None, over=None):
        """The result of what must go well."""
        status, _, data = self.send(method, path, body, headers, over)
        self.assertEqual(status, 200, data)
        return json.loads(data)["result"]

    def test_a_page_gets_its_token_by_a_code_and_does_a_goal_with_it(self):
        code = self.ask("POST", "/v1/codes", {})
        self.assertEqual(code["url"], f"http://{self.tcp.host}:{self.tcp.port}")
        self.assertEqual(self.send("GET", "/v1/runs", over=self.tcp)[0], 401)
        self.token = self.ask("POST", "/v1/login", {"code": code["code"]}, over=self.tcp)["token"]
        run = self.ask("POST", "/v1/runs", GOAL, over=self.tcp)["run"]["id"]
        self.tcp.request("GET", f"/v1/events?run={run}&after=0", headers={"Authorization": f"Bearer {self.token}"})
        events = []
        stream = self.tcp.getresponse()
        while "run.finished" not in events:
            line = stream.readline().decode()
            if line.startswith("event: "):
                events.append(line.split()[1])
        self.tcp.close()
        self.assertEqual(events[0], "run.queued")
        shown = self.ask("GET", f"/v1/runs/{run}", over=self.tcp)
        self.assertEqual((shown["run"]["state"], shown["run"]["demo"]), ("passed", True))
        steps = self.ask("GET", f"/v1/runs/{run}/steps", over=self.tcp)["steps"]
        self.assertEqual(len(steps), shown["run"]["steps"])
        picture = next(e for e in self.run_agent("show", run, "--json").envelope()["result"]["events"] if e.get("image"))
        status, headers, data = self.send("GET", f"/v1/blobs/{picture['image']}", over=self.tcp)
        self.assertEqual((status, headers["Content-Type"], data[:4]), (200, "image/png", b"\x89PNG"))
        status, headers, data = self.send("GET", f"/v1/runs/{run}/report?format=junit", over=self.tcp)
        self.assertEqual(status, 200)
        self.assertIn(b"<testsuite", data)

    def test_who_may_look_sees_and_cannot_act(self):
        code = self.ask("POST", "/v1/codes", {"scope": "view"})
        self.token = self.ask("POST", "/v1/login", {"code": code["code"]}, over=self.tcp)["token"]
        self.ask("GET", "/v1/device/frame?device=embedded:api", over=self.tcp)
        for method, path, body in (("POST", "/v1/runs", GOAL), ("DELETE", "/v1/key", None),
                                   ("POST", "/v1/device/press", {"button": "home"})):
            status, _, data = self.send(method, path, body, over=self.tcp)
            self.assertEqual((status, json.loads(data)["error"]["code"]), (403, "FORBIDDEN"))
        self.assertEqual(self.ask("GET", "/v1/runs", over=self.tcp)["runs"], [])

    def test_a_command_answers_the_same_bytes_as_without_a_daemon(self):
        cases = [["get", "app"], ["tap", 'button "Nowhere"'], ["open", "Settings"], ["open", "no.such.app"], ["is", "odd"]]
        for i, args in enumerate([c + more for c in cases for more in ([], ["--json"])]):
            alone = self.run_agent(*args, "--device", f"embedded:alone{i}")
            through = self.run_agent(*args, "--device", f"embedded:through{i}", env={"IOS_AGENT_NO_DAEMON": None})
            self.assertEqual((alone.code, alone.out, alone.err), (through.code, through.out, through.err), args)

    def test_a_tap_whose_answer_was_lost_is_done_once(self):
        body = {"device": "embedded:once", "what": "Settings"}
        self.ask("POST", "/v1/device/open", body)
        body = {"device": "embedded:once", "ref": 'switch "Airplane Mode"'}
        first = self.send("POST", "/v1/device/tap", body, {"Ios-Agent-Request-Id": "lost-1"})
        again = self.send("POST", "/v1/device/tap", body, {"Ios-Agent-Request-Id": "lost-1"})
        self.assertEqual(first[2], again[2])
        value = self.ask("POST", "/v1/device/get", {"device": "embedded:once", "what": "value",
                                                    "element": 'switch "Airplane Mode"'})
        self.assertIn("on", json.dumps(value))

    def test_a_sweep_is_begun_by_a_request_and_seen_to_its_end(self):
        path = os.path.join(self.folder, "goals.toml")
        with open(path, "w", encoding="utf-8") as f:
            f.write('[[goal]]\nname = "look"\ngoal = "open Settings, check that General is on the screen"\n')
        refused = self.send("POST", "/v1/sweeps", {"files": [path]})
        self.assertEqual((refused[0], json.loads(refused[2])["error"]["code"]), (401, "KEY_MISSING"))
        missing = self.send("POST", "/v1/sweeps", {"files": [path + ".not"], "demo": True})
        self.assertIn("cannot read", json.loads(missing[2])["error"]["message"])
        self.assertEqual(self.ask("GET", "/v1/sweeps")["sweeps"], [])
        headers = {"Ios-Agent-Cwd": self.folder}
        sweep = self.ask("POST", "/v1/sweeps", {"files": ["goals.toml"], "demo": True, "jobs": 1}, headers)["sweep"]
        state = "running"
        while state == "running":
            shown = self.ask("GET", f"/v1/sweeps/{sweep}")
            state = shown["sweep"]["state"]
        self.assertEqual((state, shown["sweep"]["passed"], shown["goals"][0]["name"]), ("done", 1, "look"))

    def test_a_daemon_that_is_told_to_stop_ends_its_sweep_first(self):
        path = os.path.join(self.folder, "goals.toml")
        with open(path, "w", encoding="utf-8") as f:
            f.write('[[goal]]\nname = "look"\ngoal = "open Settings, check that General is on the screen"\n')
        sweep = self.ask("POST", "/v1/sweeps", {"files": [path], "demo": True, "jobs": 1, "repeat": 20})["sweep"]
        self.ask("POST", "/v1/daemon/stop", {"drain": True})
        self.assertEqual(self.process.wait(TIMEOUT_S), 0)
        shown = self.run_agent("show", sweep, "--json").envelope()["result"]
        self.assertEqual((shown["sweep"]["state"], shown["sweep"]["passed"]), ("done", 20), shown["sweep"])

    def test_a_secret_that_a_page_stores_is_typed_by_its_run(self):
        code = self.ask("POST", "/v1/codes", {})
        self.token = self.ask("POST", "/v1/login", {"code": code["code"]}, over=self.tcp)["token"]
        goal = {"goal": "open Shop, log in as ada with password {{secret:SHOP_PASSWORD}}, check that Account is visible",
                "demo": True, "device": "embedded:api", "secrets": ["SHOP_PASSWORD"]}
        status, _, data = self.send("POST", "/v1/runs", goal, over=self.tcp)
        self.assertEqual((status, json.loads(data)["error"]["code"]), (400, "USAGE"))
        stored = self.ask("PUT", "/v1/secrets/SHOP_PASSWORD", {"value": "engine-1843"}, over=self.tcp)["secret"]
        self.assertEqual((stored["name"], stored["origin"]), ("SHOP_PASSWORD", "stored"))
        run = self.ask("POST", "/v1/runs", goal, over=self.tcp)["run"]["id"]
        self.assertEqual(self.finished(run)["state"], "passed")
        for path in (f"/v1/runs/{run}", f"/v1/runs/{run}/steps", f"/v1/runs/{run}/messages", "/v1/secrets", "/v1/config"):
            self.assertNotIn(b"engine-1843", self.send("GET", path, over=self.tcp)[2], path)
        proc = f"/proc/{self.process.pid}"
        if os.path.exists(proc):
            with open(f"{proc}/cmdline", "rb") as f:
                self.assertNotIn(b"engine-1843", f.read())
        self.assertEqual(self.ask("GET", "/v1/secrets", over=self.tcp)["secrets"], [stored])
        self.assertEqual(self.ask("DELETE", "/v1/secrets/SHOP_PASSWORD", over=self.tcp), {"removed": "SHOP_PASSWORD"})

    def finished(self, run):
        """The run as it ended."""
        state = {"state": "running"}
        while state["state"] in ("queued", "claimed", "running"):
            state = self.ask("GET", f"/v1/runs/{run}")["run"]
        return state

    def test_doctor_asks_this_daemon(self):
        result = self.ask("GET", "/v1/doctor")
        daemon = [c for c in result["checks"] if c["name"] == "daemon"]
        self.assertEqual(len(daemon), 1, result)
        self.assertIn("answers", json.dumps(daemon))


if __name__ == "__main__":
    unittest.main(verbosity=2)
