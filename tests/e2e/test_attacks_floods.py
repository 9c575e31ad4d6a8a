"""The daemon's sockets under too many or too slow connections: who is in the right is answered all the same."""
import contextlib
import os
import resource
import select
import time
import unittest

from attack_case import ACT, JSON, Attacked
from harness import TIMEOUT_S


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

if __name__ == "__main__":
    unittest.main(verbosity=2)
