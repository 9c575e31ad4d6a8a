"""What the attacks on the daemon's sockets share: a daemon with its HTTP port, bytes to send it, and the look afterwards.

Every test ends with that look: the simulated phone's own log has only what the test did rightfully, no run was made, no
answer to an attacker held the token or a path of the home, and a rightful request is answered at once.
"""
import contextlib
import json
import os
import socket
import time

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

    def new_code(self, scope):
        """A code as the dashboard's command gets one."""
        body = json.dumps({"scope": scope}).encode()
        answer = self.raw(self.head("POST /v1/codes", {**JSON, "Content-Length": len(body)}) + body,
                          self.connect_unix())
        self.assertEqual(answer.status, 200, answer)
        return json.loads(answer.body)["result"]["code"]

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
