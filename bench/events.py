#!/usr/bin/env python3
"""How long an event takes from its commit by another process to 5 listeners of the daemon's stream, at 1,000 a second.

usage: events.py [PROGRAM]. Prints one line; fails when an event is missing, late by more than 250 ms in the median,
or out of order.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
from event_streams import Listener, Writer, delays  # noqa: E402

PER_SECOND, SECONDS, LISTENERS = 1000, 10, 5


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "bench", "src", "cli", "ios-agent")
    with tempfile.TemporaryDirectory(prefix="ia-bench-") as home:
        env = dict(os.environ, IOS_AGENT_HOME=home, HOME=home)
        goal = ["run", "open Settings, check that General is on the screen", "--demo", "--json"]
        done = subprocess.run([program, *goal], env=env, capture_output=True, text=True, check=True)
        run = re.search(r'"id":"([0-9a-f-]{36})"', done.stdout + subprocess.run(
            [program, "runs", "--json"], env=env, capture_output=True, text=True, check=True).stdout).group(1)
        daemon = subprocess.Popen([program, "daemon"], env=env, stdout=subprocess.PIPE, text=True)
        try:
            assert "ready:" in daemon.stdout.readline()
            writer = Writer(os.path.join(home, "ios-agent.db"))
            newest, count = writer.newest(), PER_SECOND * SECONDS
            path = os.path.join(home, "daemon.sock")
            listeners = [Listener(path, until=newest + count) for _ in range(LISTENERS)]
            for listener in listeners:
                listener.start()
                listener.ready.wait(10)
            before = cpu_s(daemon.pid)
            writer.write_steadily(run, PER_SECOND, SECONDS)
            for listener in listeners:
                listener.join(60)
                assert listener.ids == list(range(newest + 1, newest + count + 1)), (listener.failure, len(listener.ids))
            used = cpu_s(daemon.pid) - before
        finally:
            daemon.terminate()
            daemon.communicate(timeout=60)
    times = sorted(t for listener in listeners for t in delays(listener, writer))
    p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
    print(f"{LISTENERS} listeners, {PER_SECOND} events/s for {SECONDS} s: all in order; delay p50 {p50:.0f} ms, "
          f"p99 {p99:.0f} ms, max {times[-1]:.0f} ms; daemon {used:.2f} s of CPU")
    assert p50 <= 250, "too late"


main()
