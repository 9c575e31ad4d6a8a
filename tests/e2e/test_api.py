"""The control API of a real daemon, as a script asks it: a goal from its request to its report, over TCP and a token."""
import http.client
import json
import os
import socket
import sqlite3
import threading
import time
import unittest
import urllib.parse

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


class Daemon(Case):
    """A daemon of its own home, over its socket and over TCP."""

    def fill_home(self):
        """Before it starts."""

    def setUp(self):
        super().setUp()
        self.fill_home()
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

    def refused(self, method, path, body=None, over=None):
        """The code with which it is refused."""
        status, _, data = self.send(method, path, body, over=over)
        self.assertGreaterEqual(status, 400, data)
        return json.loads(data)["error"]["code"]

    def finish(self, goal):
        """The row of a run that was asked for, once it is over."""
        run = self.ask("POST", "/v1/runs", goal)["run"]["id"]
        self.unix.request("GET", f"/v1/events?run={run}&after=0&types=run.finished")
        stream = self.unix.getresponse()
        while not stream.readline().startswith(b"event: run.finished"):
            pass
        self.unix.close()
        return self.ask("GET", f"/v1/runs/{run}")["run"]


class Watching(Daemon):
    """GET /v1/device/frame, and acting by what it showed."""

    FRAME = "/v1/device/frame?device=embedded:seen"
    model = None

    def fill_home(self):
        self.model = self.double("--latency-ms", "300")

    def env(self, **more):
        return super().env(**{**(self.claude(self.model) if self.model else {}), **more})

    def after(self, frame, wait_ms=30000):
        """The next frame, or None where it is still the same."""
        status, _, data = self.send("GET", f"{self.FRAME}&after={frame['hash']}&wait_ms={wait_ms}")
        self.assertIn(status, (200, 204), data)
        return json.loads(data)["result"] if status == 200 else None

    @staticmethod
    def ref_of(frame, words):
        return next(ref for ref, line in frame["lines"].items() if line.split(" ", 1)[1].startswith(words))

    def act(self, verb, **body):
        return self.send("POST", f"/v1/device/{verb}", {"device": "embedded:seen", **body})

    def test_a_run_is_watched_by_what_it_saw_and_is_not_disturbed(self):
        first = frame = self.ask("GET", self.FRAME)
        goal = {**GOAL, "device": "embedded:seen", "demo": False}
        run = self.ask("POST", "/v1/runs", goal)["run"]["id"]
        frames = []
        while not frames or frames[-1]["holder"]:
            frame = self.after(frame)
            self.assertIsNotNone(frame)
            if frame["holder"] or frames:
                frames.append(frame)
        self.assertEqual({f["holder"]["run"] for f in frames[:-1]}, {run})
        self.assertTrue(all(f["snapshot"] is None for f in frames[:-1]))
        self.assertGreater(len({f["picture"] for f in frames[:-1]}), 1)
        events = self.ask("GET", f"/v1/runs/{run}/events?limit=1000")["events"]
        pictures = [e["image"] for e in events if e["event"] == "picture"]
        self.assertLessEqual({f["picture"] for f in frames[:-1]} - {None}, set(pictures))
        self.assertIn("Airplane Mode", frames[-2]["screen"])
        for f in frames:
            if f["picture"]:
                self.assertEqual(self.send("GET", f"/v1/blobs/{f['picture']}")[2][:4], b"\x89PNG")
        self.assertEqual(self.ask("GET", f"/v1/runs/{run}")["run"]["state"], "passed")
        alone = self.ask("POST", "/v1/runs", {**goal, "device": "embedded:alone"})["run"]["id"]
        while self.ask("GET", f"/v1/runs/{alone}")["run"]["state"] != "passed":
            pass
        log = [[{k: v for k, v in op.items() if k not in ("seq", "at_ms")} for op in self.log("--device", device)]
               for device in ("embedded:seen", "embedded:alone")]
        self.assertEqual(log[0], log[1])
        self.assertGreater(frames[-1]["generation"], first["generation"])

    def test_a_click_acts_on_what_the_frame_showed_or_not_at_all(self):
        home = self.ask("GET", self.FRAME)
        settings = self.ref_of(home, "icon Settings")
        self.assertEqual(self.act("tap", ref=settings, seen=home["hash"])[0], 200)
        frame = self.after(home)
        self.assertEqual(frame["snapshot"]["screen"], "Settings")
        wifi = self.ref_of(frame, "row Wi-Fi")
        for ref, seen, code in ((wifi, home["hash"], "STALE_REF"), (wifi, "0" * 31 + "1", "STALE_REF"),
                                (wifi, "odd", "USAGE"), (settings, frame["hash"], "STALE_REF")):
            status, _, data = self.act("tap", ref=ref, seen=seen)
            error = json.loads(data)["error"]
            self.assertEqual((error["code"], error["outcome"]), (code, "not_sent"), data)
        self.assertEqual([op["op"] for op in self.log("--device", "embedded:seen")].count("tap"), 1)
        self.assertEqual(self.act("tap", ref=wifi, seen=frame["hash"])[0], 200)

    def test_a_picture_follows_the_phone_within_the_blink_of_an_eye(self):
        frame, times = self.ask("GET", self.FRAME), []
        driver = Unix(os.path.join(self.home, "daemon.sock"))
        self.addCleanup(driver.close)
        for i in range(10):
            verb, body = ("press", {"button": "home"}) if i % 2 else ("open", {"what": "Settings"})
            before = time.monotonic()
            self.ask("POST", f"/v1/device/{verb}", {"device": "embedded:seen", **body}, over=driver)
            frame = self.after(frame)
            times.append(time.monotonic() - before)
        self.assertLess(sorted(times)[5], 0.4)  # bench/frames.py counts frames; a look that nothing woke takes a second
        self.assertIsNone(self.after(frame, wait_ms=300))

    def test_behind_the_wire_there_are_two_looks_a_second_however_many_watch(self):
        server = self.start_agent("embedded", "serve", "--name", "served", "--json")
        served = json.loads(server.stdout.readline())["result"]
        device = f"bridge:127.0.0.1:{served['port']}?token-file={served['token_file']}"
        query = "device=" + urllib.parse.quote(device, safe="")
        hashes, threads, over, begin = set(), [], threading.Event(), time.monotonic()

        def watch():
            connection, last = Unix(os.path.join(self.home, "daemon.sock")), "0"
            while not over.is_set():
                connection.request("GET", f"/v1/device/frame?{query}&wait_ms=500&after={last}")
                answer = connection.getresponse()
                data = answer.read()
                if answer.status == 200:
                    frame = json.loads(data)["result"]
                    last = frame["hash"]
                    hashes.add((frame["snapshot"]["timestamp"], last))
            connection.close()

        for _ in range(4):
            threads.append(threading.Thread(target=watch))
            threads[-1].start()
        commands = 0
        while time.monotonic() < begin + 3 or commands < 20:
            verb, body = ("press", {"button": "home"}) if commands % 2 else ("open", {"what": "Settings"})
            self.ask("POST", f"/v1/device/{verb}", {"device": device, **body})
            commands += 1
        over.set()
        for thread in threads:
            thread.join(TIMEOUT_S)
        self.assertGreaterEqual(len(hashes), 2)
        self.assertLessEqual(len(hashes), 2 * (time.monotonic() - begin) + 1)


class Api(Daemon):
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
        frame = "/v1/device/frame?device=embedded:api"
        self.assertEqual(self.refused("GET", frame, over=self.tcp), "FORBIDDEN")
        self.ask("POST", "/v1/device/press", {"device": "embedded:api", "button": "home"})
        self.ask("GET", frame, over=self.tcp)
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

    def test_events_of_a_run_in_pages_are_those_that_show_prints(self):
        run = self.finish(GOAL)["id"]
        shown = self.run_agent("show", run, "--json").envelope()["result"]["events"]
        for limit in (1, 3, 1000):
            pages, after = [], 0
            while after is not None:
                page = self.ask("GET", f"/v1/runs/{run}/events?after={after}&limit={limit}")
                self.assertLessEqual(len(page["events"]), limit)
                pages += page["events"]
                after = page["next"]
            self.assertEqual(pages, shown)
        self.assertEqual(self.ask("GET", f"/v1/runs/{run[-8:]}/events?after={len(shown)}")["events"], [])
        self.assertEqual(page["as_of"], self.ask("GET", "/v1/runs")["as_of"])

    def test_a_damaged_event_takes_no_other_with_it(self):
        run = self.finish(GOAL)["id"]
        before = self.ask("GET", f"/v1/runs/{run}/events?limit=1000")["events"]
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"), isolation_level=None)
        self.addCleanup(db.close)
        for seq, text in enumerate(('{"event":"no', "", "]"), len(before) + 1):
            db.execute("INSERT INTO events (run_id, seq, type, ts, json) VALUES (?, ?, 'run.state', '2026-01-01T00:00:00.000Z', ?)",
                       (run, seq, text))
        self.addCleanup(db.execute, "DELETE FROM events WHERE seq > ?", (len(before),))
        self.assertEqual(self.ask("GET", f"/v1/runs/{run}/events?limit=1000")["events"], before)
        page = self.ask("GET", f"/v1/runs/{run}/events?limit=1&after={len(before)}")
        self.assertEqual((page["events"], page["next"]), ([], len(before) + 1))

    def test_an_agent_goes_on_with_its_conversation_until_that_is_forgotten(self):
        self.ask("PUT", "/v1/agents/anna", {"memory": "likes blue"})
        goal = {**GOAL, "agent": "anna", "continue": True}

        def before(run):
            events = self.ask("GET", f"/v1/runs/{run}/events?limit=1000")["events"]
            return next(e["continues"] for e in events if e["event"] == "run.looked")

        first, second = self.finish(goal)["id"], self.finish(goal)["id"]
        self.assertEqual((before(first), before(second)), (None, first))
        agent = self.ask("GET", "/v1/agents")["agents"][0]
        self.assertEqual((agent["name"], agent["session"], agent["configured"]), ("anna", second, False))
        agent = self.ask("DELETE", "/v1/agents/anna/session")["agent"]
        self.assertEqual((agent["session"], agent["memory"]), (None, "likes blue"))
        third = self.finish(goal)["id"]
        self.assertIsNone(before(third))
        self.assertEqual(self.ask("GET", "/v1/agents/anna")["agent"]["session"], third)
        found = self.ask("GET", "/v1/runs?agent=anna")
        self.assertEqual(([r["id"] for r in found["runs"]], found["total"]), ([third, second, first], 3))

    def test_skills_are_what_the_command_prints(self):
        skills = self.ask("GET", "/v1/skills")
        self.assertEqual(skills["build"], self.ask("GET", "/v1/daemon")["build"])
        self.assertIn("core", [s["name"] for s in skills["skills"]])
        for skill in skills["skills"]:
            self.assertEqual(self.run_agent("skill", "show", skill["name"]).out, skill["text"])
            self.assertTrue(skill["description"])
            self.assertIn(f"ios-agent {skill['version']}", skill["text"])

    def test_what_a_query_must_not_have_is_refused_on_both_ways_in(self):
        self.token = self.ask("POST", "/v1/login", {"code": self.ask("POST", "/v1/codes", {})["code"]}, over=self.tcp)["token"]
        run = self.finish(GOAL)["id"]
        bad = ["/v1/runs?limit=0", "/v1/runs?limit=201", "/v1/runs?limit=-9223372036854775808", "/v1/runs?limit=1e2", "/v1/runs?page=2",
               "/v1/runs?agent=a&agent=b", "/v1/runs?agent=%FF", "/v1/runs?state=%00", f"/v1/runs/{run}/events?limit=1001",
               f"/v1/runs/{run}/events?after=-1", f"/v1/runs/{run}/events?after=99999999999999999999", f"/v1/runs/{run}/events?from=1",
               "/v1/stats?days=0", "/v1/stats?days=367", "/v1/stats?days=-1", "/v1/stats?days=%00", "/v1/stats?offset_min=1441",
               "/v1/stats?offset_min=-99999999999999999999", "/v1/stats?since=2026", "/v1/skills?name=core", "/v1/agents?limit=1"]
        for over in (self.unix, self.tcp):
            for path in bad:
                self.assertIn(self.refused("GET", path, over=over), ("USAGE", "PARSE"), path)
        # What looks like SQL, a pattern or a path is only a name that nothing has; behind a NUL there is nothing either.
        for name in ("'%20OR%20''='", "%25", "_", "..%2F..", "%E2%80%AE", "x" * 2000, "a%00b"):
            for path in (f"/v1/runs?agent={name}", f"/v1/runs?goal={name}", f"/v1/runs?schedule={name}", f"/v1/runs?device={name}",
                         f"/v1/stats?goal={name}", f"/v1/stats?agent={name}"):
                status, _, data = self.send("GET", path)
                answer = json.loads(data)
                if status == 200:
                    total = answer["result"]["total"]
                    self.assertEqual(total["runs"] if isinstance(total, dict) else total, 0, path)
                else:
                    self.assertEqual((status, answer["error"]["code"]), (400, "PARSE"), path)
        self.assertEqual(self.refused("DELETE", "/v1/agents/..%2Fanna/session"), "PARSE")
        self.assertEqual(self.refused("DELETE", "/v1/agents/nobody/session", {"all": True}), "USAGE")

    def test_doctor_asks_this_daemon(self):
        result = self.ask("GET", "/v1/doctor")
        daemon = [c for c in result["checks"] if c["name"] == "daemon"]
        self.assertEqual(len(daemon), 1, result)
        self.assertIn("answers", json.dumps(daemon))


if __name__ == "__main__":
    unittest.main(verbosity=2)
