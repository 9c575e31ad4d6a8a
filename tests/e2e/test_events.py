"""GET /v1/events of a real daemon over its sockets: what another process does, in order and whole."""
import json
import os
import socket
import sqlite3
import threading
import time
import unittest

from harness import ADA, TIMEOUT_S, Case


class Stream:
    """A client of server-sent events that shows what it got: ids and types of whole blocks."""

    def __init__(self, case, unix, last_id=None, query="", token=None):
        if unix:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(TIMEOUT_S)
            self.socket.connect(os.path.join(case.home, "daemon.sock"))
        else:
            self.socket = socket.create_connection(("127.0.0.1", case.port), timeout=TIMEOUT_S)
        case.addCleanup(self.socket.close)
        lines = [f"GET /v1/events{query} HTTP/1.1", f"Host: 127.0.0.1:{case.port}"]
        if not unix:
            lines.append(f"Authorization: Bearer {token or case.token}")
        if last_id is not None:
            lines.append(f"Last-Event-ID: {last_id}")
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.data = b""
        self.text = b""
        self.left = 0  # of the chunk
        self.ended = False
        while b"\r\n\r\n" not in self.data and self.more(64):
            pass
        head, _, self.data = self.data.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])

    def more(self, size=1 << 16):
        try:
            chunk = self.socket.recv(size)
        except ConnectionResetError:
            chunk = b""
        self.data += chunk
        self.ended = self.ended or not chunk
        return not self.ended

    def unchunk(self):
        """What came of a chunk counts before the rest of it comes."""
        while self.data:
            if self.left == 0:  # the line with the next one's size
                line, found, rest = self.data.lstrip(b"\r\n").partition(b"\r\n")
                if not found:
                    return
                self.left, self.data = int(line, 16), rest
                self.ended = self.ended or self.left == 0
            n = min(self.left, len(self.data))
            self.text += self.data[:n]
            self.data = self.data[n:]
            self.left -= n

    def blocks(self, size=1 << 16):
        """The events of the next bytes, as (id or None, type, data)."""
        self.more(size)
        self.unchunk()
        *whole, self.text = self.text.split(b"\n\n")
        for block in whole:
            fields = dict(l.split(": ", 1) for l in block.decode().split("\n") if ": " in l and l[0] != ":")
            if "event" in fields or "id" in fields:
                number = int(fields["id"]) if "id" in fields else None
                yield number, fields.get("event"), fields.get("data")


class Events(Case):
    def setUp(self):
        super().setUp()
        self.process = self.start_agent("daemon", "--http")
        for line in self.process.stdout:
            if "ready:" in line:
                break
        status = self.run_agent("daemon", "status", "--json").envelope()["result"]
        self.port = int(status["http"].rsplit(":", 1)[1])
        self.token = self.run_agent("daemon", "token").out.strip()

    def table(self):
        """The events as the database has them."""
        db = sqlite3.connect(f"file:{self.home}/ios-agent.db?mode=ro", uri=True)
        try:
            return [row[0] for row in db.execute("SELECT id FROM events ORDER BY id")]
        finally:
            db.close()

    def listen_to_the_end(self, stream, got):
        """Reads until the run has finished."""
        while not stream.ended:
            for number, kind, data in stream.blocks():
                if data and number is not None:
                    json.loads(data)
                    got.append(number)
                if kind == "run.finished":
                    return

    def test_five_listeners_see_a_run_of_another_process_in_order(self):
        threads, heard = [], []
        for i in range(5):
            got = []
            stream = Stream(self, unix=i % 2 == 0, last_id=0)
            self.assertEqual(stream.status, 200)
            threads.append(threading.Thread(target=self.listen_to_the_end, args=(stream, got)))
            heard.append(got)
        for t in threads:
            t.start()
        done = self.run_agent("run", ADA, "--demo")
        ended = time.monotonic()
        self.assertEqual(done.code, 0, done)
        for t in threads:
            t.join(TIMEOUT_S)
        self.assertLess(time.monotonic() - ended, 5)
        table = self.table()
        self.assertGreater(len(table), 20)
        for got in heard:
            self.assertEqual(got, table)

    def test_a_stream_that_breaks_anywhere_loses_and_doubles_nothing(self):
        run = self.start_agent("run", ADA, "--demo")
        got, last, breaks, finished = [], 0, 0, False
        deadline = time.monotonic() + TIMEOUT_S
        while not finished and time.monotonic() < deadline:
            stream = Stream(self, unix=breaks % 2 == 0, last_id=last)
            self.assertEqual(stream.status, 200)
            # A few bytes, so that it breaks inside heads, chunks and blocks.
            for _ in range(2 + breaks % 5):
                for number, kind, _ in [] if finished else stream.blocks(60 + 97 * breaks % 300):
                    self.assertNotEqual(kind, "reset")
                    if number is not None:
                        got.append(number)
                        last = number
                    finished = finished or kind == "run.finished"
            stream.socket.close()
            breaks += 1
        run.communicate(timeout=TIMEOUT_S)
        self.assertEqual(got, self.table())
        self.assertGreater(breaks, 10)
        # Streams that are gone hold nothing.
        while time.monotonic() < deadline:
            if self.run_agent("daemon", "status", "--json").envelope()["result"]["clients"] <= 1:
                break
        self.assertLessEqual(self.run_agent("daemon", "status", "--json").envelope()["result"]["clients"], 1)

    def test_a_token_has_eight_streams_and_a_stop_ends_them(self):
        streams = [Stream(self, unix=False) for _ in range(8)]
        self.assertEqual([s.status for s in streams], [200] * 8)
        self.assertEqual(Stream(self, unix=False).status, 429)
        self.assertEqual(Stream(self, unix=True).status, 200)
        self.process.terminate()
        for s in streams:
            while not s.ended:
                list(s.blocks())
        self.process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(self.process.returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
