"""Phones behind WebDriverAgent: whose session it is, logins, and what a killed run leaves behind."""
import glob
import http.server
import json
import os
import signal
import threading
import time
import unittest
import urllib.error
import urllib.request

from harness import ADA, TIMEOUT_S, Case


class Slow(http.server.BaseHTTPRequestHandler):
    """WebDriverAgent on a phone whose taps take a while: the server passes on what it is asked."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = urllib.request.Request(self.server.inner + self.path, method=self.command, data=body or None,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                status, said = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, said = error.code, error.read()
        if self.path.endswith("/wda/tap"):
            self.server.tapped.set()
            self.server.go_on.wait(TIMEOUT_S)
        try:
            self.send_response(status)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)
        except OSError:  # whoever asked has gone
            pass

    do_GET = do_DELETE = do_POST

    def log_message(self, *args):
        pass


class WdaDevice(Case):
    def serve(self, *args):
        self.server = self.start_agent("embedded", "serve", "--name", "served", "--protocol", "wda", "--json", *args)
        line = self.server.stdout.readline()
        if not line:
            raise AssertionError(self.server.communicate())
        self.served = json.loads(line)["result"]
        self.url = f"http://127.0.0.1:{self.served['port']}"
        return f"wda:127.0.0.1:{self.served['port']}"

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, method=method, data=data,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            return json.load(answer)

    def session(self):
        return self.ask("GET", "/status")["sessionId"]

    def setting(self, name):
        session = self.session() or self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {}}})["sessionId"]
        return self.ask("GET", f"/session/{session}/appium/settings")["value"][name]

    def files(self):
        return glob.glob(os.path.join(self.home, "wda", "*.json"))

    def test_a_run_ends_its_session_and_leaves_no_file(self):
        device = self.serve("--no-token")
        done = self.run_agent("run", ADA, "--json", "--device", device)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(done.envelope()["result"]["device"]["id"], "wda:" + self.url)
        self.assertTrue(done.envelope()["result"]["device"]["simulated"])
        self.assertIsNone(self.session())
        self.assertEqual(self.files(), [])

    def test_another_clients_session_is_refused_and_taken_only_on_demand(self):
        device = self.serve("--no-token")
        other = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {}}})["value"]["sessionId"]
        error = self.check_error(["snapshot", "--device", device], 3, "BUSY", other)
        self.assertIn(f"wda:{self.url}?take", error["error"]["hint"])
        self.assertEqual(self.session(), other)
        taken = self.run_agent("snapshot", "--device", device + "?take")
        self.assertEqual(taken.code, 0, taken)
        self.assertIn("com.apple.springboard", taken.out)
        self.assertIsNone(self.session())

    def test_a_tap_whose_session_is_ended_while_it_runs_may_have_been_done(self):
        self.serve("--no-token")
        slow = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
        slow.inner, slow.tapped, slow.go_on = self.url, threading.Event(), threading.Event()
        threading.Thread(target=slow.serve_forever, daemon=True).start()
        self.addCleanup(slow.server_close)
        self.addCleanup(slow.shutdown)
        self.addCleanup(slow.go_on.set)
        server = self.start_agent("serve", "--protocol", "wda", "--json", "--device",
                                  f"wda:127.0.0.1:{slow.server_port}")
        self.url = f"http://127.0.0.1:{json.loads(server.stdout.readline())['result']['port']}"
        tap = self.start_agent("tap", "Settings", "--json", "--device", self.url.replace("http://", "wda:"))
        self.assertTrue(slow.tapped.wait(TIMEOUT_S))
        self.ask("DELETE", f"/session/{self.session()}")
        out, err = tap.communicate(timeout=TIMEOUT_S)
        error = json.loads(out)["error"]
        self.assertEqual((error["code"], error["outcome"], error["retry_safe"]), ("DEVICE_LOST", "unknown", False),
                         (out, err))
        self.assertIn("look at the screen", error["hint"])

    def test_what_a_killed_run_leaves_is_known_and_put_back(self):
        device = self.serve("--no-token")
        before = self.setting("snapshotMaxDepth")
        self.ask("DELETE", f"/session/{self.session()}")
        run = self.start_agent("run", ADA, "--device", device)
        until = time.monotonic() + TIMEOUT_S
        while not (self.files() and self.session() and self.setting("snapshotMaxDepth") == 62):
            self.assertLess(time.monotonic(), until)
            self.assertIsNone(run.poll())
            time.sleep(0.02)
        run.send_signal(signal.SIGKILL)
        run.wait(timeout=TIMEOUT_S)
        (path,) = self.files()
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.assertIsNotNone(self.session())
        after = self.run_agent("snapshot", "--device", device)
        self.assertEqual(after.code, 0, after)
        self.assertIsNone(self.session())
        self.assertEqual(self.files(), [])
        self.assertEqual(self.setting("snapshotMaxDepth"), before)

    def test_a_session_whose_begin_was_cut_off_is_known_by_its_mark(self):
        device = self.serve("--no-token")
        mark = "ios-agent-0123456789abcdef"
        begun = {"capabilities": {"alwaysMatch": {"elementResponseAttributes": f"type,label,{mark}"}}}
        path = os.path.join(self.home, "wda", f"wda-http___127.0.0.1_{self.served['port']}.json")
        os.makedirs(os.path.dirname(path), exist_ok=True)

        def left():
            with open(path, "w", encoding="ascii") as f:
                json.dump({"session": "", "mark": mark, "settings": None}, f)

        left()
        self.ask("POST", "/session", begun)
        self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {}}})
        self.check_error(["snapshot", "--device", device], 3, "BUSY")
        self.ask("POST", "/session", begun)
        done = self.run_agent("snapshot", "--device", device)
        self.assertEqual(done.code, 0, done)
        self.assertIsNone(self.session())
        self.assertEqual(self.setting("elementResponseAttributes"), "type,label")

    def test_a_login_comes_from_a_file_or_the_environment(self):
        path = os.path.join(self.folder, "token")
        device = self.serve("--token-file", path)
        with open(path, encoding="ascii") as f:
            token = f.read().strip()
        self.check_error(["snapshot", "--device", device], 3, "AUTH")
        for name, env in ((f"{device}?token-file={path}", {}), (device, {"IOS_AGENT_DEVICE_TOKEN": token})):
            done = self.run_agent("snapshot", "--device", name, env=env)
            self.assertEqual(done.code, 0, done)
            self.assertNotIn(token, done.out + done.err)
        self.check_error(["snapshot", "--device", device.replace("wda:", "wda:http://me:secret@")], 2, "USAGE",
                         "does not belong into the address")

    def test_a_daemon_opens_a_device_as_the_callers_environment_and_folder_say(self):
        device = self.serve("--token-file", os.path.join(self.folder, "tok"))
        with open(os.path.join(self.folder, "tok"), encoding="ascii") as f:
            token = f.read().strip()
        here = {"IOS_AGENT_NO_DAEMON": None}
        self.addCleanup(self.run_agent, "daemon", "stop", "--now", env=here)
        self.check_error(["snapshot", "--device", device], 3, "AUTH", env=here)
        for name, more in ((device + "?token-file=tok", {}), (device, {"IOS_AGENT_DEVICE_TOKEN": token + "\n"})):
            env = {**here, **more}
            shown = self.run_agent("snapshot", "--device", name, env=env)
            self.assertEqual(shown.code, 0, shown)
            ref = next(line.split()[0] for line in shown.out.splitlines() if line.endswith("icon Settings"))
            tapped = self.run_agent("tap", ref, "--device", name, env=env)
            self.assertEqual(tapped.code, 0, tapped)
            self.assertEqual(self.run_agent("press", "home", "--device", name, env=env).code, 0)
        # What is open stays open for whoever says nothing else, and is opened anew for another login.
        self.assertEqual(self.run_agent("get", "app", "--device", device, env=here).code, 0)
        self.check_error(["get", "app", "--device", device], 3, "AUTH", env={**here, "IOS_AGENT_DEVICE_TOKEN": "x"})
        appium, caps = device.replace("wda:", "appium:"), os.path.join(self.folder, "caps.json")
        for name, more in ((appium + "?udid=1&caps=caps.json", {}), (appium, {"IOS_AGENT_APPIUM_CAPS": "caps.json"})):
            self.check_error(["snapshot", "--device", name], 2, "NOT_FOUND", caps, env={**here, **more})
        for root, _, files in os.walk(self.home):
            for path in filter(os.path.isfile, (os.path.join(root, name) for name in files)):
                with open(path, "rb") as f:
                    self.assertNotIn(token.encode(), f.read(), path)

    def test_nobody_there_and_the_wrong_one_there_say_what_to_do(self):
        device = self.serve("--no-token")
        appium = device.replace("wda:", "appium:")
        error = self.check_error(["snapshot", "--device", appium], 3, "NO_DEVICE", "is not an Appium server")
        self.assertEqual(error["error"]["hint"], "write wda:" + self.url)
        self.server.send_signal(signal.SIGTERM)
        self.server.communicate(timeout=TIMEOUT_S)
        error = self.check_error(["snapshot", "--device", device], 3, "NO_DEVICE", "nothing answers")
        self.assertIn("start WebDriverAgent", error["error"]["hint"])

    def test_a_projects_file_names_no_address(self):
        with open(os.path.join(self.folder, "ios-agent.toml"), "w", encoding="ascii") as f:
            f.write('[run]\ndevice = "wda:127.0.0.1:8100"\n')
        result = self.run_agent("snapshot", "--json")
        self.assertEqual((result.code, result.envelope()["error"]["code"]), (2, "CONFIG"), result)


if __name__ == "__main__":
    unittest.main()
