"""config set and config unset: one line of the user's file changes, or nothing does."""
import glob
import http.server
import json
import os
import pathlib
import signal
import threading
import time
import unittest

from harness import SOURCE, TIMEOUT_S, Case
from test_api import Unix

MINE = '# mine\n[run]\nmodel = "a"   # why\n\n# later\n[api]\nmax_retries = 1\n'


class Files(Case):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.folder, ".config", "ios-agent", "config.toml")

    def write(self, text):
        os.makedirs(os.path.dirname(self.file), exist_ok=True)
        with open(self.file, "w", encoding="utf-8", newline="") as f:
            f.write(text)

    def read(self):
        with open(self.file, encoding="utf-8", newline="") as f:
            return f.read()



class ConfigSet(Files):
    def row(self, key):
        rows = self.run_agent("config", "--json").envelope()["result"]["values"]
        return next(r for r in rows if r["key"] == key)

    def test_the_first_setting_makes_the_file_for_its_owner_alone(self):
        done = self.run_agent("config", "set", "run.max_usd", "0.50")
        self.assertEqual((done.code, done.out), (0, f"run.max_usd is set in {self.file}\n"), done)
        self.assertEqual(self.read(), "[run]\nmax_usd = 0.5\n")
        self.assertEqual(os.stat(self.file).st_mode & 0o777, 0o600)
        self.assertEqual((self.row("run.max_usd")["value"], self.row("run.max_usd")["origin"]), (0.5, "user file"))
        again = self.run_agent("config", "set", "run.max_usd", "0.50")
        self.assertIn("was set so", again.out)
        self.assertIn("no longer set", self.run_agent("config", "unset", "run.max_usd").out)
        self.assertIn("was not set", self.run_agent("config", "unset", "run.max_usd").out)
        self.assertFalse(os.path.exists(self.home), "a setting needs no store")

    def test_every_other_byte_stays(self):
        self.write(MINE)
        done = self.run_agent("config", "set", "run.model", 'b"\\ü', "--json").envelope()["result"]
        self.assertEqual((done["file"], done["changed"], done["value"]["value"]), (self.file, True, 'b"\\ü'))
        self.assertEqual(self.read(), MINE.replace('"a"', '"b\\"\\\\ü"'))
        self.assertEqual(self.run_agent("config", "unset", "run.model").code, 0)
        self.assertEqual(self.read(), MINE.replace('model = "a"   # why', "# why"))

    def test_what_loading_would_refuse_is_refused_and_nothing_changes(self):
        self.write(MINE)
        for key, value, *parts in (
                ("run.max_steps", "0", "run.max_steps must be between 1 and 1000"),
                ("run.max_steps", "many", "run.max_steps must be an integer"),
                ("run.verify", "often", "one of auto, always, off"),
                ("run.model", "a\nb", "a control character"),
                ("run.model", "x" * 65536, "longer than 4096 bytes"),
                ("api.base_url", "file:///etc", "must be a URL"),
                ("run.modle", "x", "did you mean run.model?"),
                ("api.key", "sk-ant-xyz", "key set")):
            envelope = self.check_error(["config", "set", key, value], 2, "CONFIG", *parts)
            self.assertNotIn("sk-ant-xyz", str(envelope))
        self.assertEqual(self.read(), MINE)
        for broken in ("[run\n", "[run]\nmodle = 1\n", '[run]\nmodel = "a\n'):
            self.write(broken)
            self.check_error(["config", "set", "run.model", "x"], 2, "CONFIG", self.file)
            self.check_error(["config", "unset", "run.model"], 2, "CONFIG", self.file)
            self.assertEqual(self.read(), broken)
        self.write("[run]\nmax_steps = 0 # oops\n")
        self.assertEqual(self.run_agent("config", "set", "run.max_steps", "5").code, 0)
        self.assertEqual(self.read(), "[run]\nmax_steps = 5 # oops\n")

    def test_what_goes_before_the_file_is_named(self):
        done = self.run_agent("config", "set", "run.max_steps", "5", env={"IOS_AGENT_RUN_MAX_STEPS": "9"})
        self.assertIn("not in effect: IOS_AGENT_RUN_MAX_STEPS goes before it", done.out)
        with open(os.path.join(self.folder, "ios-agent.toml"), "w", encoding="utf-8") as f:
            f.write("[run]\nmax_steps = 7\n")
        done = self.run_agent("config", "set", "run.max_steps", "6")
        self.assertIn("ios-agent.toml:2:1 goes before it", done.out)

    def test_a_kill_leaves_the_old_file_or_the_new_one(self):
        for point, text in (("file.rename.before", MINE), ("file.rename.after", MINE.replace('"a"', '"b"'))):
            self.write(MINE)
            killed = self.run_agent("config", "set", "run.model", "b", env={"IOS_AGENT_KILL_AT": point})
            self.assertEqual(killed.code, -signal.SIGKILL, killed)
            self.assertEqual(self.read(), text, point)
            self.assertEqual(self.run_agent("config", "set", "run.model", "c").code, 0)
            self.assertEqual(self.read(), MINE.replace('"a"', '"c"'))
            self.assertEqual(glob.glob(os.path.dirname(self.file) + "/*"), [self.file], "what was left is cleared away")

    def test_the_example_with_every_setting_uncommented_is_edited_in_place(self):
        with open(os.path.join(SOURCE, "config.example.toml"), encoding="utf-8") as f:
            example = f.read()
        self.write(example)
        keys = [r["key"] for r in self.run_agent("config", "--json").envelope()["result"]["values"]]
        for key in keys:
            value = str(self.row(key)["value"]).replace("True", "true").replace("False", "false")
            self.assertEqual(self.run_agent("config", "set", key, value).code, 0, key)
            self.assertEqual(self.row(key)["origin"], "user file")
        for key in reversed(keys):
            self.assertEqual(self.run_agent("config", "unset", key).code, 0, key)
        self.assertEqual(self.read(), example)


class Keys(http.server.BaseHTTPRequestHandler):
    """Refuses every request, and remembers with which key it came."""

    def log_message(self, *_):
        pass

    def do_POST(self):  # the name that the library asks for
        self.rfile.read(int(self.headers["content-length"]))
        self.server.keys.add(self.headers["x-api-key"])
        body = b'{"type":"error","error":{"type":"authentication_error","message":"no"}}'
        self.send_response(401)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def key_server(case):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Keys)
    server.keys, server.url = set(), f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    for done in (server.server_close, thread.join, server.shutdown):
        case.addCleanup(done)
    return server


class Running(Files):
    """A daemon that goes on while its settings change."""

    def start(self, env=None):
        self.daemon = self.start_agent("daemon", env={"IOS_AGENT_NO_DAEMON": None, **(env or {})})
        for line in self.daemon.stdout:
            if "ready:" in line:
                break
        else:
            self.fail(self.daemon.stderr.read())
        self.unix = Unix(os.path.join(self.home, "daemon.sock"))
        self.addCleanup(self.unix.close)

    def ask(self, method, path, body=None):
        self.unix.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"} if body else {})
        answer = json.loads(self.unix.getresponse().read())
        self.assertEqual(answer["status"], "ok", answer)
        return answer["result"]

    def finished(self, **goal):
        run = self.ask("POST", "/v1/runs", {"goal": "x", "device": "embedded:live", **goal})["run"]["id"]
        while True:
            row = self.ask("GET", f"/v1/runs/{run}")["run"]
            if row["state"] in ("passed", "failed", "blocked", "error"):
                return row

    def until(self, holds):
        end = time.monotonic() + TIMEOUT_S
        while not holds():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def config(self, *args):
        done = self.run_agent("config", *args)
        self.assertEqual(done.code, 0, done)

    def test_the_next_run_goes_to_the_server_that_is_set_now_with_the_key_that_is_stored_now(self):
        first, second = key_server(self), key_server(self)
        self.config("set", "api.base_url", first.url)
        self.assertEqual(self.run_agent("key", "set", stdin="sk-test-1").code, 0)
        self.start()
        self.assertEqual(self.finished()["state"], "error")
        self.config("set", "api.base_url", second.url)
        self.assertEqual(self.finished()["state"], "error")
        self.assertEqual(self.run_agent("key", "set", stdin="sk-test-2").code, 0)
        self.assertEqual(self.finished()["state"], "error")
        self.assertEqual((first.keys, second.keys), ({"sk-test-1"}, {"sk-test-1", "sk-test-2"}))
        self.assertEqual(self.run_agent("key", "remove").code, 0)
        self.unix.request("POST", "/v1/runs", '{"goal":"x"}', {"Content-Type": "application/json"})
        self.assertIn(b"KEY_MISSING", self.unix.getresponse().read())

    def test_a_run_goes_by_the_budget_that_is_set_now(self):
        self.start()
        goal = "open Settings, turn on Airplane Mode"
        self.assertEqual(self.finished(goal=goal, demo=True)["state"], "passed")
        set_now = self.ask("PUT", "/v1/config", {"key": "run.max_steps", "value": "1"})
        self.assertEqual(set_now["value"]["value"], 1)
        self.assertEqual(self.finished(goal=goal, demo=True, setup=[{"do": "reset"}])["code"], "BUDGET")
        self.ask("DELETE", "/v1/config/run.max_steps")
        self.assertEqual(self.finished(goal=goal, demo=True, setup=[{"do": "reset"}])["state"], "passed")

    def test_commands_are_allowed_as_soon_as_the_user_says_so(self):
        self.start()
        body = {"goal": "open Settings", "demo": True, "device": "embedded:live", "expect": ['command "true"']}
        self.unix.request("POST", "/v1/runs", json.dumps(body), {"Content-Type": "application/json"})
        self.assertEqual(self.unix.getresponse().read().count(b'"status":"error"'), 1)
        self.config("set", "run.allow_commands", "true")
        self.assertEqual(self.finished(**body)["state"], "passed")

    def test_what_the_daemon_keeps_changes_within_seconds(self):
        self.start({"IOS_AGENT_LOG_LEVEL": None})
        log = os.path.join(self.folder, "other.log")
        self.config("set", "log.file", log)
        self.config("set", "log.level", "debug")
        self.until(lambda: os.path.exists(log))
        self.write("[run\n")
        self.until(lambda: "kept as it was" in pathlib.Path(log).read_text(encoding="utf-8"))
        self.assertEqual(self.finished_with_broken_file()["error"]["code"], "CONFIG")

    def finished_with_broken_file(self):
        self.unix.request("POST", "/v1/runs", json.dumps({"goal": "x", "demo": True}), {"Content-Type": "application/json"})
        return json.loads(self.unix.getresponse().read())

    def test_a_daemon_in_the_background_takes_a_new_idle_time(self):
        self.assertEqual(self.run_agent("press", "home", env={"IOS_AGENT_NO_DAEMON": None}).code, 0)
        self.addCleanup(self.run_agent, "daemon", "stop", "--now")
        self.unix = Unix(os.path.join(self.home, "daemon.sock"))
        self.addCleanup(self.unix.close)
        self.assertIn(self.ask("GET", "/v1/daemon")["idle_in_s"], range(800, 901))
        self.config("set", "daemon.idle_seconds", "0")
        self.until(lambda: self.ask("GET", "/v1/daemon")["idle_in_s"] is None)


if __name__ == "__main__":
    unittest.main(verbosity=2)
