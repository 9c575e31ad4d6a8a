#!/usr/bin/env python3
"""What watching the simulated phone costs: the daemon's CPU while a page watches a screen that stands still, and the
frames a second while commands change it all the time, with what a command then takes.

usage: frames.py [PROGRAM]. Prints three lines; fails below 5 frames a second, or above 5 % of a core for a still screen.
"""
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STILL_S, MOVING_S, PAUSE_S = 10, 5, 0.02
FRAME = "/v1/device/frame?device=embedded:bench&wait_ms=5000&after="


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)

    def ask(self, method, path, body=None):
        self.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"} if body else {})
        answer = self.getresponse()
        data = answer.read()
        assert answer.status in (200, 204), data
        return json.loads(data)["result"] if data else None


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def drive(path, until, times):
    """Opens an app and goes home again, as fast as somebody who never rests."""
    driver = Unix(path)
    while time.monotonic() < until:
        verb, body = ("press", {"button": "home"}) if len(times) % 2 else ("open", {"what": "Settings"})
        before = time.monotonic()
        driver.ask("POST", f"/v1/device/{verb}", {"device": "embedded:bench", **body})
        times.append(1000 * (time.monotonic() - before))
        time.sleep(PAUSE_S)


def watch(page, last, seconds):
    """How many frames came, and the last."""
    frames, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        frame = page.ask("GET", FRAME + last)
        frames, last = (frames + 1, frame["hash"]) if frame else (frames, last)
    return frames, last


def median(times):
    return sorted(times)[len(times) // 2]


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "bench", "src", "cli", "ios-agent")
    with tempfile.TemporaryDirectory(prefix="ia-bench-") as home:
        env = dict(os.environ, IOS_AGENT_HOME=home, HOME=home)
        daemon = subprocess.Popen([program, "daemon"], env=env, stdout=subprocess.PIPE, text=True)
        try:
            assert "ready:" in daemon.stdout.readline()
            path = os.path.join(home, "daemon.sock")
            page, alone, watched = Unix(path), [], []
            _, last = watch(page, "0", 0.1)
            before = cpu_s(daemon.pid)
            frames, last = watch(page, last, STILL_S)
            still = 100 * (cpu_s(daemon.pid) - before) / STILL_S
            drive(path, time.monotonic() + MOVING_S, alone)
            driver = threading.Thread(target=drive, args=(path, time.monotonic() + MOVING_S, watched))
            before = cpu_s(daemon.pid)
            driver.start()
            frames, last = watch(page, last, MOVING_S)
            driver.join()
            moving = 100 * (cpu_s(daemon.pid) - before) / MOVING_S
        finally:
            daemon.terminate()
            daemon.communicate(timeout=60)
    print(f"still screen, one page for {STILL_S} s: daemon {still:.1f} % of a core")
    print(f"{len(watched) / MOVING_S:.0f} commands a second: {frames / MOVING_S:.1f} frames a second, "
          f"daemon {moving:.0f} % of a core")
    print(f"a command: {median(alone):.1f} ms, {median(watched):.1f} ms while a page watches")
    assert frames / MOVING_S >= 5 and still <= 5


main()
