"""The daemon's sockets under attack by what a request says: nothing is done, nothing leaks, and it goes on answering."""
import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import time
import unittest

from attack_case import ACT, HOME_BUTTON, JSON, Answer, Attacked
from harness import TIMEOUT_S


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
    def trade(self, code, **headers):
        return self.request(path="/v1/login", body=json.dumps({"code": code}).encode(), **headers)

    def test_a_code_that_was_used_and_codes_that_never_were(self):
        code = self.new_code("act")
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
        code = self.new_code("act")
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
        token = json.loads(self.trade(self.new_code("view")).body)["result"]["token"]
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
        code = self.new_code("act")
        select.select([], [], [], 61)
        self.assertEqual(self.trade(code).status, 401)
        self.check_unharmed()

    def test_tokens_of_pages_end_with_the_daemon(self):
        token = json.loads(self.trade(self.new_code("act")).body)["result"]["token"]
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
