"""Listeners of the daemon's stream of events, and a process beside it that writes events, at a steady rate.

For the tests and for bench/events.py. A listener keeps what a browser would: the id of the last event of which it
saw everything.
"""
import json
import socket
import sqlite3
import threading
import time


class Listener(threading.Thread):
    """Reads a stream to its end, to the event `until`, or for kill_after bytes. after: the header Last-Event-ID."""

    def __init__(self, path, after=-1, query="", until=None, kill_after=None):
        super().__init__(daemon=True)
        self.path, self.after, self.query, self.until, self.kill_after = path, after, query, until, kill_after
        self.ids, self.events, self.arrived, self.resets = [], [], [], 0
        self.told = []  # (event, data) of all that came, with an id or without
        self.failure, self.ready = None, threading.Event()
        self.socket = socket.socket(socket.AF_UNIX)

    def run(self):
        try:
            self.listen()
        except Exception as e:  # told by the thread that waits for this one
            self.failure = e
        finally:
            self.ready.set()
            self.socket.close()

    def listen(self):
        self.socket.settimeout(60)
        self.socket.connect(self.path)
        last = f"Last-Event-ID: {self.after}\r\n" if self.after >= 0 else ""
        self.socket.sendall(f"GET /v1/events{self.query} HTTP/1.1\r\nHost: x\r\n{last}\r\n".encode())
        data = self.socket.recv(65536)
        while b"\r\n\r\n" not in data:
            data += self.socket.recv(65536)
        head, raw = data.split(b"\r\n\r\n", 1)
        assert b" 200 " in head.split(b"\r\n")[0] and b"chunked" in head, head
        self.ready.set()
        raw = raw[:self.kill_after]
        text, left = b"", None if self.kill_after is None else self.kill_after - len(raw)
        while not self.over():
            while True:  # chunks of HTTP
                size, _, rest = raw.partition(b"\r\n")
                if not _ or len(rest) < int(size, 16) + 2:
                    break
                if int(size, 16) == 0:
                    return
                text, raw = text + rest[:int(size, 16)], rest[int(size, 16) + 2:]
            while b"\n\n" in text:
                block, text = text.split(b"\n\n", 1)
                self.take(block.decode())
            if self.over() or left == 0:
                return  # in the middle of whatever it is
            more = self.socket.recv(65536)
            if not more:
                return
            more = more[:left]
            left = None if left is None else left - len(more)
            raw += more

    def over(self):
        return self.until is not None and self.ids and self.ids[-1] >= self.until

    def take(self, block):
        members = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
        self.resets += members.get("event") == "reset"
        if "data" in members:
            self.told.append((members.get("event"), json.loads(members["data"])))
        if "id" in members:
            self.after = int(members["id"])
        if "id" in members and "data" in members and members.get("event") != "reset":
            self.ids.append(int(members["id"]))
            self.arrived.append(time.monotonic())
            self.events.append(json.loads(members["data"]))


class Writer:
    """Another process's connection to the database, as far as the daemon can tell."""

    def __init__(self, database):
        self.db = sqlite3.connect(database, timeout=30, isolation_level=None, check_same_thread=False)
        self.db.execute("PRAGMA foreign_keys = ON")
        self.committed = {}  # id: when

    def newest(self):
        return self.db.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()[0]

    def write(self, run, count):
        """One commit."""
        seq = self.db.execute("SELECT coalesce(max(seq), 0) FROM events WHERE run_id = ?", (run,)).fetchone()[0]
        self.db.execute("BEGIN IMMEDIATE")
        ids = []
        for i in range(seq + 1, seq + 1 + count):
            ts = "2026-11-22T00:00:00.000Z"
            data = json.dumps({"event": "notice", "seq": i, "ts": ts, "run": run, "text": f"number {i}"})
            ids.append(self.db.execute("INSERT INTO events (run_id, seq, type, ts, json) VALUES (?, ?, 'notice', ?, ?)",
                                       (run, i, ts, data)).lastrowid)
        self.db.execute("COMMIT")
        now = time.monotonic()
        self.committed.update(dict.fromkeys(ids, now))
        return ids[-1]

    def write_steadily(self, run, per_second, seconds, batch=10):
        begin, last = time.monotonic(), 0
        for i in range(int(per_second * seconds / batch)):
            wait = begin + i * batch / per_second - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            last = self.write(run, batch)
        return last


def delays(listener, writer):
    """Milliseconds from each commit to its arrival, sorted."""
    return sorted(1000 * max(0, at - writer.committed[i])
                  for i, at in zip(listener.ids, listener.arrived) if i in writer.committed)
