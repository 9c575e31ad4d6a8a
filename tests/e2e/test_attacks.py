"""The daemon's sockets under attack: nothing is done, nothing leaks, and it goes on answering.

Every test ends with the same look at the daemon: the simulated phone's own log has only what the test
did rightfully, no run was made, no answer to an attacker held the token or a path of the home, and a
rightful request is answered at once.
"""
import contextlib
import http.server
import json
import os
import resource
import select
import socket
import subprocess
import sys
import threading
import time
import unittest

import browser
from harness import TIMEOUT_S, Case

ACT = "/v1/device/press"
HOME_BUTTON = b'{"button":"home"}'
JSON = {"Content-Type": "application/json"}


class Answer:
    def __init__(self, data):
        self.data = data
        head, _, self.body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split()[1]) if lines[0].startswith("HTTP/1.1 ") else 0
        self.headers = {k.lower(): v for k, v in (l.split(": ", 1) for l in lines[1:] if ": " in l)}

    def __repr__(self):
        return repr(self.data[:600])


class Attacked(Case):
    def setUp(self):
        super().setUp()
        self.heard = b""
        self.rightful = 0
        self.process = self.start_daemon()
        for line in self.process.stdout:
            if "ready:" in line:
                break
        else:
            self.fail(self.process.stderr.read())
        status = self.run_agent("daemon", "status", "--json").envelope()["result"]
        self.port = int(status["http"].rsplit(":", 1)[1])
        self.token = self.run_agent("daemon", "token").out.strip()
        self.socket_path = os.path.join(self.home, "daemon.sock")

    def start_daemon(self):
        return self.start_agent("daemon", "--http", env={"IOS_AGENT_NO_DAEMON": None})

    # ---- the wire ----

    def connect(self):
        s = socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_S)
        self.addCleanup(s.close)
        return s

    def connect_unix(self):
        s = socket.socket(socket.AF_UNIX)
        s.connect(self.socket_path)  # waits where the listener's queue is full, which one with a timeout does not
        s.settimeout(TIMEOUT_S)
        self.addCleanup(s.close)
        return s

    def all_of(self, s):
        """What the server says until it closes."""
        data = b""
        with contextlib.suppress(ConnectionResetError):
            while chunk := s.recv(1 << 16):
                data += chunk
        self.heard += data
        return data

    def raw(self, data, s=None):
        s = s or self.connect()
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            s.sendall(data)
        answer = Answer(self.all_of(s))
        s.close()
        return answer

    def head(self, line, headers):
        headers = {"Host": f"127.0.0.1:{self.port}", "Connection": "close", **headers}
        lines = [f"{k}: {v}" for k, v in headers.items() if v is not None]
        return "\r\n".join([f"{line} HTTP/1.1", *lines, "", ""]).encode("latin-1")

    def request(self, method="POST", path=ACT, body=HOME_BUTTON, **headers):
        """One request with these headers (an underscore is a hyphen; None leaves one out)."""
        more = {k.replace("_", "-"): v for k, v in headers.items()}
        length = {"Content-Length": len(body)} if body else {}
        return self.raw(self.head(f"{method} {path}", {**JSON, **length, **more}) + body)

    def bearer(self, token=None):
        return f"Bearer {token or self.token}"

    def act(self):
        """What the owner of the token may do."""
        answer = self.request(Authorization=self.bearer())
        self.assertEqual(answer.status, 200, answer)
        self.rightful += 1

    # ---- the look afterwards ----

    def check_unharmed(self):
        self.assertNotIn(self.token.encode(), self.heard)
        self.assertNotIn(b"Access-Control", self.heard)
        self.assertNotIn(b"Set-Cookie", self.heard)
        self.assertNotIn(self.home.encode(), self.heard)
        start = time.monotonic()
        self.act()
        self.assertLess(time.monotonic() - start, 10)
        self.assertEqual([e["op"] for e in self.log()], ["press"] * self.rightful)
        self.assertEqual(self.runs(), [])
        self.assertIsNone(self.process.poll())
        status = self.run_agent("daemon", "status", "--json").envelope()["result"]
        self.assertEqual(status["pid"], self.process.pid)
        self.process.terminate()
        self.process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(self.process.returncode, 0)


class Requests(Attacked):
    def test_the_same_request_with_all_that_it_needs_does_act(self):
        """Without this one the others would prove nothing."""
        for headers in ({}, {"Origin": f"http://127.0.0.1:{self.port}"}, {"Sec_Fetch_Site": "same-origin"},
                        {"Host": f"localhost:{self.port}"}):
            answer = self.request(Authorization=self.bearer(), **headers)
            self.assertEqual(answer.status, 200, answer)
            self.rightful += 1
        self.check_unharmed()

    def test_pages_of_other_origins_and_names_that_lead_here(self):
        port = self.port
        for headers in (
            {"Host": "evil.example"},
            {"Host": f"evil.example:{port}"},
            {"Host": f"127.0.0.1.evil.example:{port}"},
            {"Host": f"0.0.0.0:{port}"},
            {"Host": f"127.0.0.1:{port + 1}"},
            {"Host": None},
            {"Host": ""},
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Origin": f"http://127.0.0.1:{port + 1}"},
            {"Origin": f"https://127.0.0.1:{port}"},
            {"Origin": f"http://localhost:{port}"},
            {"Origin": f"http://127.0.0.1:{port}@evil.example"},
            {"Sec_Fetch_Site": "same-site"},
            {"Sec_Fetch_Site": "cross-site"},
            {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"},
        ):
            for authorization in (None, self.bearer()):
                answer = self.request(Authorization=authorization, **headers)
                self.assertEqual(answer.status, 403, (headers, answer))
            for path in ("/", "/v1/daemon", "/app/x.js", "/v1/login"):
                answer = self.request("GET", path, b"", Authorization=self.bearer(), **headers)
                # A link may lead to the page, which has no data; no other page may hold it in a frame.
                door = path == "/" and "Sec_Fetch_Site" in headers
                self.assertEqual(answer.status, 200 if door else 403, (headers, path, answer))
                self.assertTrue(not door or "frame-ancestors 'none'" in answer.headers["content-security-policy"], answer)
        self.check_unharmed()

    def test_preflights_get_nothing(self):
        for path in ("/", ACT, "/v1/login", "/mcp", "*"):
            answer = self.request(
                "OPTIONS", path, b"", Origin="http://evil.example",
                Access_Control_Request_Method="POST", Access_Control_Request_Headers="authorization",
            )
            self.assertEqual(answer.status, 403, answer)
            answer = self.request("OPTIONS", path, b"", Authorization=self.bearer())
            self.assertEqual(answer.status, 403, answer)
        self.check_unharmed()

    def test_tokens_that_are_none(self):
        wrong = "0" * 64
        for authorization in (None, "", "Bearer", "Bearer ", self.token, f"Basic {self.token}",
                              self.bearer(self.token[:-1]), self.bearer(self.token + "0"),
                              self.bearer(self.token.upper() + "x")):
            answer = self.request(Authorization=authorization)
            self.assertEqual(answer.status, 401, (authorization, answer))
            self.assertEqual(json.loads(answer.body)["error"]["code"], "AUTH_REQUIRED")
        # Neither a cookie nor the address carries one.
        self.assertEqual(self.request(Cookie=f"token={self.token}; daemon.token={self.token}").status, 401)
        self.assertEqual(self.request(path=f"{ACT}?token={self.token}").status, 401)
        self.assertEqual(self.request(path=f"{ACT}?access_token={self.token}").status, 401)
        # Two headers, of which one is right.
        good = f"Authorization: {self.bearer()}\r\n"
        bad = f"Authorization: {self.bearer(wrong)}\r\n"
        for pair in (good + bad, bad + good):
            answer = self.raw(self.head(f"POST {ACT}", {**JSON, "Content-Length": 17}).replace(
                b"\r\n\r\n", b"\r\n" + pair.encode() + b"\r\n") + HOME_BUTTON)
            self.assertEqual(answer.status, 400, answer)
        self.check_unharmed()

    def test_who_guesses_waits_and_the_owner_does_not(self):
        for _ in range(10):
            self.assertEqual(self.request(Authorization=self.bearer("0" * 64)).status, 401)
        start = time.monotonic()
        self.assertEqual(self.request(Authorization=self.bearer("0" * 64)).status, 401)
        self.assertGreaterEqual(time.monotonic() - start, 1)
        # Many at once neither get in nor keep the owner out.
        guesses = []
        for _ in range(32):
            s = self.connect()
            s.sendall(self.head(f"GET {ACT}", {"Authorization": self.bearer("0" * 64)}))
            guesses.append(s)
        self.act()
        for s in guesses:
            with contextlib.suppress(ConnectionResetError):
                self.assertNotIn(b" 200 ", self.all_of(s))
        self.check_unharmed()

    def test_a_token_file_that_others_can_read_opens_nothing(self):
        path = os.path.join(self.home, "daemon.token")
        for mode in (0o644, 0o640, 0o602):
            os.chmod(path, mode)
            self.assertEqual(self.request(Authorization=self.bearer()).status, 401)
        shown = self.run_agent("daemon", "token")
        self.assertNotEqual(shown.code, 0)
        self.assertNotIn(self.token, shown.out + shown.err)
        old = self.token
        self.token = self.run_agent("daemon", "token", "--new").out.strip()
        self.assertEqual(os.stat(path).st_mode & 0o7777, 0o600)
        self.assertEqual(self.request(Authorization=self.bearer(old)).status, 401)
        self.check_unharmed()

    def test_what_forms_can_send(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                     "text/plain; application/json", "application/jsonp", "", None):
            answer = self.request(Authorization=self.bearer(), Content_Type=kind)
            self.assertEqual(answer.status, 415, (kind, answer))
        for method in ("GET", "HEAD", "DELETE", "PUT", "PATCH", "TRACE", "CONNECT", "POSTX"):
            answer = self.request(method, Authorization=self.bearer())
            self.assertGreaterEqual(answer.status, 400, (method, answer))
        self.check_unharmed()

    def test_paths_that_mean_another_one(self):
        for path in (
            "/app/../v1/daemon", "/app/%2e%2e/v1/daemon", "/app/.%2E/v1/daemon", "/app/..%2fv1/daemon",
            "//v1/daemon", "/app//../v1/daemon", "/./v1/daemon", "/app/%00/v1/daemon", "/v1/daemon%00",
            "/app/..\\v1\\daemon", "/app/%5c..%5cv1", "/%76%31/daemon", "/V1/daemon", "/v1/daemon/",
            "/app/../../../../etc/passwd", "/app/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/favicon.svg/../v1/daemon",
            f"http://127.0.0.1:{self.port}/v1/daemon", "v1/daemon", "*", "?", "/v1/daemon#/app/",
            "/v1/daemon;/app/", "/app/\u00e4", "/app/%ff%fe", "/app/%c0%ae%c0%ae/v1/daemon",
            "/v1/login/../daemon", "/app/%", "/app/%4", "/" + "a/" * 2000,
        ):
            answer = self.request("GET", path, b"")
            self.assertIn(answer.status, (0, 400, 401, 404), (path, answer))
            self.assertNotIn(b"root:", answer.data)
            self.assertNotIn(b'"pid"', answer.data)
        for data in (b"GET /app/\0/v1/daemon HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n",
                     b"GET /v1/daemon\0/app/ HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n"):
            answer = self.raw(data % self.port)
            self.assertIn(answer.status, (0, 400, 401, 404), answer)
        self.check_unharmed()

    def test_what_is_too_large(self):
        auth = {"Authorization": self.bearer()}
        self.assertEqual(self.request("GET", "/v1/daemon?" + "a" * 5000, b"", **auth).status, 414)
        self.assertEqual(self.request("GET", "/v1/daemon", b"", X="a" * 17000, **auth).status, 431)
        many = {f"X{i}": "a" for i in range(5000)}
        self.assertEqual(self.request("GET", "/v1/daemon", b"", **many, **auth).status, 431)
        self.assertEqual(self.request(body=b" " * (1 << 20) + HOME_BUTTON, **auth).status, 413)
        for data in (b"A" * (1 << 20), b"GET /" + b"a" * (1 << 20), b"\0" * (1 << 18),
                     b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * (1 << 16), os.urandom(1 << 16)):
            s = self.connect()
            with contextlib.suppress(OSError):  # it is closed before all is sent
                s.sendall(data)
                s.shutdown(socket.SHUT_WR)
            self.assertNotIn(b" 200 ", self.all_of(s))
        # A body without an end.
        s = self.connect()
        s.sendall(self.head(f"POST {ACT}", {**JSON, **auth, "Transfer-Encoding": "chunked"}))
        with self.assertRaises((ConnectionResetError, BrokenPipeError)):
            for _ in range(64):
                s.sendall(b"100000\r\n" + b" " * (1 << 20) + b"\r\n")
        # JSON that is deep.
        deep = b'{"button":' + b"[" * 100000 + b"]" * 100000 + b"}"
        self.assertEqual(self.request(body=deep, **auth).status, 400)
        self.check_unharmed()

    def test_lengths_that_lie(self):
        auth = {"Authorization": self.bearer()}
        # Shorter than it says: never done.
        s = self.connect()
        s.sendall(self.head(f"POST {ACT}", {**JSON, **auth, "Content-Length": 18}) + HOME_BUTTON)
        s.shutdown(socket.SHUT_WR)
        self.assertNotIn(b" 200 ", self.all_of(s))
        # Longer than it says: the rest is a request of its own, without a token.
        smuggled = self.head(f"POST {ACT}", {**JSON, "Content-Length": 17}) + HOME_BUTTON
        first = self.head("GET /v1/daemon", {**auth, "Connection": "keep-alive"})
        data = self.raw(first + smuggled).data
        self.assertEqual(data.count(b"HTTP/1.1 200"), 1, data)
        self.assertEqual(data.count(b"HTTP/1.1 401"), 1, data)
        self.heard = self.heard.replace(self.home.encode(), b"")  # the rightful half
        for headers, body in (
            ({"Content-Length": 17, "Transfer-Encoding": "chunked"}, b"0\r\n\r\n" + smuggled),
            ({"Transfer-Encoding": "chunked, identity"}, HOME_BUTTON),
            ({"Transfer-Encoding": "xchunked"}, HOME_BUTTON),
            ({"Transfer-Encoding": "chunked"}, b"11;\r\n"),
            ({"Transfer-Encoding": "chunked"}, b"-11\r\n" + HOME_BUTTON + b"\r\n0\r\n\r\n"),
            ({"Transfer-Encoding": "chunked"}, b"fffffffffffffff1\r\n" + HOME_BUTTON + b"\r\n0\r\n\r\n"),
            ({"Content-Length": "-1"}, HOME_BUTTON),
            ({"Content-Length": "17, 17"}, HOME_BUTTON),
            ({"Content-Length": "0x11"}, HOME_BUTTON),
            ({"Content-Length": "99999999999999999999"}, HOME_BUTTON),
            ({"Content-Length": "+17"}, HOME_BUTTON),
        ):
            s = self.connect()
            with contextlib.suppress(OSError):
                s.sendall(self.head(f"POST {ACT}", {**JSON, **auth, **headers}) + body)
                s.shutdown(socket.SHUT_WR)
            self.assertNotIn(b" 200 ", self.all_of(s), headers)
        self.check_unharmed()

    def test_pipelined_requests_show_their_own_tokens(self):
        good = self.head(f"POST {ACT}", {**JSON, "Authorization": self.bearer(), "Content-Length": 17,
                                         "Connection": "keep-alive"}) + HOME_BUTTON
        bad = self.head(f"POST {ACT}", {**JSON, "Content-Length": 17}) + HOME_BUTTON
        data = self.raw(good + good + bad + good).data
        self.rightful += 2
        self.assertEqual(data.count(b"HTTP/1.1 200"), 2, data)
        self.assertEqual(data.count(b"HTTP/1.1 401"), 1, data)
        self.check_unharmed()

    def test_only_this_machine_can_connect(self):
        if not os.path.exists("/proc/net/tcp"):
            self.skipTest("needs /proc/net/tcp")
        with open("/proc/net/tcp", encoding="ascii") as f:
            local = [line.split()[1] for line in f.readlines()[1:] if line.split()[3] == "0A"]
        port = f":{self.port:04X}"
        self.assertEqual([a for a in local if a.endswith(port)], ["0100007F" + port])
        self.check_unharmed()


class Codes(Attacked):
    def code(self, scope):
        """A code as the dashboard's command gets one."""
        body = json.dumps({"scope": scope}).encode()
        answer = self.raw(self.head("POST /v1/codes", {**JSON, "Content-Length": len(body)}) + body,
                          self.connect_unix())
        self.assertEqual(answer.status, 200, answer)
        return json.loads(answer.body)["result"]["code"]

    def trade(self, code, **headers):
        return self.request(path="/v1/login", body=json.dumps({"code": code}).encode(), **headers)

    def test_a_code_that_was_used_and_codes_that_never_were(self):
        code = self.code("act")
        answer = self.trade(code)
        self.assertEqual(answer.status, 200, answer)
        token = json.loads(answer.body)["result"]["token"]
        self.assertEqual(self.request(Authorization=self.bearer(token)).status, 200)
        self.rightful += 1
        for wrong in (code, code[:-1], code + "0", "", "0" * 32, token, self.token, "' OR 1=1 --", None, {}, [code]):
            answer = self.trade(wrong)
            self.assertIn(answer.status, (400, 401), (wrong, answer))
            self.assertNotIn(b'"token"', answer.body)
        # A code is no token, and codes are not to be had over TCP.
        code = self.code("act")
        self.assertEqual(self.request(Authorization=self.bearer(code)).status, 401)
        answer = self.request(path="/v1/codes", body=b"{}", Authorization=self.bearer(token))
        self.assertEqual(answer.status, 403, answer)
        # A page of another origin cannot trade even a good one.
        self.assertEqual(self.trade(code, Origin="http://evil.example").status, 403)
        self.assertEqual(self.trade(code, Host=f"evil.example:{self.port}").status, 403)
        self.assertEqual(self.trade(code, Content_Type="text/plain").status, 415)
        self.assertEqual(self.trade(code).status, 200)
        self.check_unharmed()

    def test_a_token_that_may_only_look(self):
        token = json.loads(self.trade(self.code("view")).body)["result"]["token"]
        auth = {"Authorization": self.bearer(token)}
        self.assertEqual(self.request("GET", "/v1/runs", b"", **auth).status, 200)
        for method, path, body in (
            ("POST", ACT, HOME_BUTTON),
            ("POST", "/v1/runs", b'{"goal":"x"}'),
            ("POST", "/v1/daemon/stop", b"{}"),
            ("POST", "/v1/codes", b"{}"),
            ("PUT", "/v1/key", b'{"key":"sk-ant-x"}'),
            ("DELETE", "/v1/key", b""),
            ("POST", "/mcp", b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'),
        ):
            answer = self.request(method, path, body, **auth)
            self.assertEqual(answer.status, 403, (path, answer))
            answer = self.request(method, path, body, X_HTTP_Method_Override="GET", **auth)
            self.assertEqual(answer.status, 403, (path, answer))
            # Nor by a method that looks.
            answer = self.request("GET", path, body, X_HTTP_Method_Override=method, **auth)
            self.assertNotIn(b'"did"', answer.data)
        self.check_unharmed()

    def test_a_code_that_is_too_old(self):
        code = self.code("act")
        select.select([], [], [], 61)
        self.assertEqual(self.trade(code).status, 401)
        self.check_unharmed()

    def test_tokens_of_pages_end_with_the_daemon(self):
        token = json.loads(self.trade(self.code("act")).body)["result"]["token"]
        self.process.terminate()
        self.process.communicate(timeout=TIMEOUT_S)
        self.process = self.start_agent("daemon", "--http", str(self.port))
        for line in self.process.stdout:
            if "ready:" in line:
                break
        status = self.run_agent("daemon", "status", "--json").envelope()["result"]
        self.port = int(status["http"].rsplit(":", 1)[1])
        self.assertEqual(self.request(Authorization=self.bearer(token)).status, 401)
        self.check_unharmed()


class Floods(Attacked):
    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def test_a_thousand_idle_connections(self):
        linux = os.path.isdir("/proc/self/task")
        self.act()
        before = self.descriptors() if linux else 0
        idle = []
        for i in range(1000):
            s = self.connect() if i % 4 else self.connect_unix()
            if i % 3 == 0:
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    s.sendall(b"POST /v1/device/press HTTP/1.1\r\nHost: ")
            elif i % 3 == 1:  # a login that stops in its body needs no token
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    s.sendall(self.head("POST /v1/login", {**JSON, "Content-Length": 100}) + b"{")
            idle.append(s)
        start = time.monotonic()
        self.act()
        s = self.connect_unix()
        self.assertEqual(self.raw(self.head("GET /v1/daemon", {}), s).status, 200)
        self.heard = b""
        self.assertLess(time.monotonic() - start, 10)
        if linux:
            # 64 and 32 connections, and those that are just going.
            deadline = time.monotonic() + TIMEOUT_S
            while self.threads() > 64 + 32 + 20 and time.monotonic() < deadline:
                select.select([], [], [], 0.01)
            self.assertLessEqual(self.threads(), 64 + 32 + 20)
        for s in idle:
            s.close()
        if linux:
            deadline = time.monotonic() + TIMEOUT_S
            while self.descriptors() > before + 2 and time.monotonic() < deadline:
                select.select([], [], [], 0.01)
            self.assertLessEqual(self.descriptors(), before + 2)
        self.check_unharmed()

    def test_streams_are_few_and_a_stop_ends_them(self):
        streams = []
        for _ in range(9):
            s = self.connect()
            s.sendall(self.head("GET /v1/events", {"Authorization": self.bearer()}))
            streams.append((s, s.recv(12)))
        self.assertEqual([status[9:] for _, status in streams], [b"200"] * 8 + [b"429"])
        self.check_unharmed()  # ends the daemon
        for s, _ in streams:
            self.all_of(s)

    def test_slow_requests_end_in_their_time(self):
        """Headers a byte at a time: 10 s; a body a byte at a time: 30 s, and nobody else waits."""
        slow = {}
        for i in range(10):
            s = self.connect()
            s.sendall(b"POST /v1/device/press HTTP/1.1\r\nHost: localhost\r\nX: ")
            slow[s] = 10
        for i in range(5):
            s = self.connect()
            s.sendall(self.head(f"POST {ACT}", {**JSON, "Authorization": self.bearer(),
                                                "Content-Length": 1000}))
            slow[s] = 30
        start = time.monotonic()
        ended = {}
        others = 0
        while len(ended) < len(slow) and time.monotonic() - start < 60:
            select.select([], [], [], 0.5)
            for s in [s for s in slow if s not in ended]:
                try:
                    s.sendall(b" ")
                    if select.select([s], [], [], 0)[0] and not s.recv(4096):
                        ended[s] = time.monotonic() - start
                except (ConnectionResetError, BrokenPipeError):
                    ended[s] = time.monotonic() - start
            asked = time.monotonic()
            self.act()
            self.assertLess(time.monotonic() - asked, 9)
            others += 1
        self.assertEqual(len(ended), len(slow))
        for s, seconds in ended.items():
            self.assertGreaterEqual(seconds, slow[s] - 1)
            self.assertLess(seconds, slow[s] + 15)
        self.assertGreater(others, 10)
        self.check_unharmed()


# What a page can do to another port; each tells what it could read. TARGET, TOKEN and CODE are filled in.
PAGE = """<!doctype html><meta charset=utf-8><title>nice page</title><body><script>
const target = "TARGET", act = target + "/v1/device/press", body = '{"button":"home"}';
const got = {};
const json = {"Content-Type": "application/json"};
const bearer = {...json, Authorization: "Bearer TOKEN"};
async function ask(name, url, options) {
  try {
    const r = await fetch(url, options);
    got[name] = r.type + " " + r.status + " " + await r.text();
  } catch (e) { got[name] = "refused"; }
}
function element(name, tag, fill) {
  return new Promise(done => {
    const e = document.createElement(tag);
    e.onload = () => { got[name] = "loaded"; done(); };
    e.onerror = () => { got[name] = "refused"; done(); };
    setTimeout(() => { got[name] ??= "silent"; done(); }, 3000);
    fill(e);
    document.body.append(e);
  });
}
function form(type) {
  return new Promise(done => {
    const frame = document.createElement("iframe");
    frame.name = "frame" + type;
    document.body.append(frame);
    const f = document.createElement("form");
    f.action = act; f.method = "POST"; f.enctype = type; f.target = frame.name;
    const i = document.createElement("input");
    i.name = '{"button":"home","x":"'; i.value = '"}';
    f.append(i); document.body.append(f);
    frame.onload = () => { let t = "opaque"; try { t = "read " + frame.contentDocument.body.innerText; } catch (e) {}
                           if (!t.startsWith("read about")) { got["form " + type] = t; } };
    f.submit();
    setTimeout(() => { got["form " + type] ??= "silent"; done(); }, 3000);
  });
}
function stream(name, url) {
  return new Promise(done => {
    const s = new EventSource(url, {withCredentials: true});
    s.onopen = () => { got[name] = "open"; s.close(); done(); };
    s.onerror = () => { got[name] = "refused"; s.close(); done(); };
  });
}
function socket(name, url) {
  return new Promise(done => {
    const s = new WebSocket(url);
    s.onopen = () => { got[name] = "open"; done(); };
    s.onerror = () => { got[name] = "refused"; done(); };
  });
}
async function attack() {
  await ask("simple post", act, {method: "POST", mode: "no-cors", body, headers: {"Content-Type": "text/plain"}});
  await ask("simple login", target + "/v1/login", {method: "POST", mode: "no-cors", body: '{"code":"CODE"}'});
  await ask("json post", act, {method: "POST", body, headers: json});
  await ask("with a token", act, {method: "POST", body, headers: bearer});
  await ask("login", target + "/v1/login", {method: "POST", body: '{"code":"CODE"}', headers: json});
  await ask("with cookies", act, {method: "POST", body, headers: json, credentials: "include"});
  await ask("get", target + "/v1/daemon", {});
  await ask("get with a token", target + "/v1/daemon", {headers: bearer});
  await ask("opaque get", target + "/v1/daemon", {mode: "no-cors"});
  await ask("root", target + "/", {});
  await ask("mcp", target + "/mcp", {method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers: bearer});
  await ask("delete", target + "/v1/key", {method: "DELETE", headers: bearer});
  got.beacon = navigator.sendBeacon(act, new Blob([body], {type: "text/plain"})) ? "sent" : "refused";
  await Promise.all([
    stream("stream", target + "/v1/events"),
    socket("socket", target.replace("http", "ws") + "/v1/events"),
    element("image", "img", e => { e.src = target + "/v1/daemon"; }),
    element("icon", "img", e => { e.src = target + "/favicon.svg"; }),
    element("script", "script", e => { e.src = target + "/v1/daemon"; }),
    element("app script", "script", e => { e.src = target + "/app/main.js"; }),
    element("style", "link", e => { e.rel = "stylesheet"; e.href = target + "/v1/daemon"; }),
    form("text/plain"), form("application/x-www-form-urlencoded"), form("multipart/form-data"),
  ]);
  return got;
}
</script>"""


class Pages(Attacked):
    """A page of somebody else in a real browser; it even knows a token and a code."""

    def setUp(self):
        if not browser.find():
            self.skipTest("no Chromium")
        super().setUp()
        body = b'{"scope":"act"}'
        answer = self.raw(self.head("POST /v1/codes", {**JSON, "Content-Length": len(body)}) + body,
                          self.connect_unix())
        self.code = json.loads(answer.body)["result"]["code"]

    def serve(self, target):
        """The page, from a port of its own. Returns that port."""
        page = PAGE.replace("TARGET", target).replace("TOKEN", self.token).replace("CODE", self.code).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server.server_address[1]

    def attack(self, host, target, *options):
        with browser.Browser(browser.find(), *options) as b:
            b.open(f"http://{host}:{self.serve(target)}/")
            return b.evaluate("attack()")

    def check_got(self, got):
        """Nothing was read: an opaque answer has no status and no text."""
        opaque = {"simple post", "simple login", "opaque get"}
        self.assertGreaterEqual(len(got), 23, got)
        for name, what in got.items():
            if name in opaque:
                self.assertIn(what, ("opaque 0 ", "refused"), name)
            elif name.startswith("form "):
                self.assertIn(what, ("opaque", "silent"), name)
            elif name != "beacon":
                self.assertEqual(what, "refused", name)
        # The code is still good: nobody traded it.
        answer = self.request(path="/v1/login", body=json.dumps({"code": self.code}).encode())
        self.assertEqual(answer.status, 200, answer)
        self.check_unharmed()

    def test_the_same_page_gets_all_it_wants_from_a_careless_server(self):
        """Without this one the others would prove nothing."""
        asked = []

        class Careless(http.server.BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                asked.append((self.command, self.path, self.headers.get("Content-Type", ""), body))
                self.send_response(200)
                self.send_header("Access-Control-Allow-Origin", self.headers.get("Origin", "*"))
                self.send_header("Access-Control-Allow-Credentials", "true")
                self.send_header("Access-Control-Allow-Headers", "authorization, content-type")
                self.send_header("Access-Control-Allow-Methods", "POST, DELETE")
                stream = self.path == "/v1/events"
                self.send_header("Content-Type", "text/event-stream" if stream else "application/json")
                self.end_headers()
                if self.command != "OPTIONS":
                    self.wfile.write(b": hello\n\n" if stream else b'{"pid":1}')

            do_GET = do_POST = do_DELETE = do_OPTIONS = answer

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Careless)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        got = self.attack("127.0.0.1", f"http://127.0.0.1:{server.server_address[1]}")
        for name in ("json post", "with a token", "login", "with cookies", "get", "get with a token", "mcp", "delete"):
            self.assertEqual(got[name], 'cors 200 {"pid":1}', name)
        self.assertEqual(got["stream"], "open")
        posts = [kind.split(";")[0] for method, path, kind, _ in asked if (method, path) == ("POST", ACT)]
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json"):
            self.assertIn(kind, posts)
        # The form that is JSON by its name and value.
        self.assertIn(b'{"button":"home","x":"="}\r\n', [body for *_, body in asked])
        self.check_unharmed()

    def test_a_page_on_another_port(self):
        self.check_got(self.attack("127.0.0.1", f"http://127.0.0.1:{self.port}"))

    def test_a_page_on_localhost(self):
        self.check_got(self.attack("localhost", f"http://127.0.0.1:{self.port}"))

    def test_a_page_whose_name_leads_here(self):
        """Rebinding: the page's own name resolves to this address, and the port is ours."""
        rules = "--host-resolver-rules=MAP evil.example 127.0.0.1"
        self.check_got(self.attack("evil.example", f"http://evil.example:{self.port}", rules))

    def test_a_name_that_leads_here_opens_nothing(self):
        rules = "--host-resolver-rules=MAP evil.example 127.0.0.1"
        with browser.Browser(browser.find(), rules) as b:
            b.open(f"http://evil.example:{self.port}/")
            text = b.evaluate("document.body.innerText")
            self.assertIn("FORBIDDEN", text)
            got = b.evaluate(
                "fetch('/v1/device/press', {method: 'POST', body: '{\"button\":\"home\"}', headers:"
                " {'Content-Type': 'application/json', Authorization: 'Bearer %s'}}).then(r => r.status)"
                % self.token)
            self.assertEqual(got, 403)
        self.check_unharmed()


class ReverseProxy(Attacked):
    def start_daemon(self):
        allowed = "other.example, phones.example:8443"
        return self.start_agent("daemon", "--http", env={"IOS_AGENT_HTTP_ALLOWED_HOSTS": allowed})

    def test_its_name_is_allowed_and_no_other(self):
        good = {"Host": "phones.example:8443", "Origin": "https://phones.example:8443"}
        self.assertEqual(self.request(Authorization=self.bearer(), **good).status, 200)
        self.rightful += 1
        self.assertEqual(self.request(**good).status, 401)
        for bad in (
            {**good, "Host": "phones.example"},
            {**good, "Host": "phones.example:8443, other.example"},
            {**good, "Host": ","},
            {**good, "Origin": "https://phones.example"},
            {**good, "Origin": "https://other.example"},
        ):
            self.assertEqual(self.request(Authorization=self.bearer(), **bad).status, 403, bad)
        self.check_unharmed()


class FewDescriptors(Attacked):
    def start_daemon(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
        try:
            return super().start_daemon()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    def test_a_daemon_that_was_started_with_few_descriptors(self):
        idle = [self.connect() for _ in range(200)]
        start = time.monotonic()
        self.act()
        self.assertLess(time.monotonic() - start, 5)
        for s in idle:
            s.close()
        self.check_unharmed()


class UnixSocket(Attacked):
    def test_it_is_for_its_user_alone(self):
        self.assertEqual(os.stat(self.socket_path).st_mode & 0o777, 0o600)
        if os.geteuid() != 0:
            self.skipTest("another user is needed, so root")
        # Even where the file's mode lets another one in.
        for path in (self.folder, self.home):
            os.chmod(path, 0o711)
        os.chmod(self.socket_path, 0o666)
        ask = (
            "import os,socket,sys\n"
            "os.setgid(65534); os.setuid(65534)\n"
            "s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])\n"
            "s.sendall(sys.argv[2].encode())\n"
            "d=b''\n"
            "while True:\n"
            "  c=s.recv(4096)\n"
            "  if not c: break\n"
            "  d+=c\n"
            "sys.stdout.buffer.write(d)\n"
        )
        request = self.head(f"POST {ACT}", {**JSON, "Content-Length": 17}) + HOME_BUTTON
        for data in (request, self.head("GET /v1/daemon", {})):
            done = subprocess.run(
                [sys.executable, "-c", ask, self.socket_path, data.decode()],
                capture_output=True, timeout=TIMEOUT_S, check=True,
            )
            self.heard += done.stdout
            self.assertEqual(Answer(done.stdout).status, 403, done.stdout)
        # The same bytes from its own user are fine.
        answer = self.raw(request, self.connect_unix())
        self.assertEqual(answer.status, 200, answer)
        self.rightful += 1
        self.check_unharmed()


if __name__ == "__main__":
    unittest.main(verbosity=2)
