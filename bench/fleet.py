#!/usr/bin/env python3
"""What a fleet costs: the same sweep by the local queue and by workers on a real NATS server, in turns.

usage: bench/fleet.py PROGRAM NATS-SERVER [GOALS] [ROUNDS]

One phone each, so that runs follow each other: the time of a sweep divided by its goals is what a goal takes, and the difference is
what the fleet adds. Then 1, 2 and 4 workers with two phones each. Fails above 3 ms a goal at the median.
"""
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM, SERVER = os.path.abspath(sys.argv[1]), sys.argv[2]
GOALS = int(sys.argv[3]) if len(sys.argv) > 3 else 200
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 7
LIMIT_MS = 3.0


def environment(home):
    return {"PATH": os.environ["PATH"], "HOME": home, "IOS_AGENT_HOME": home, "IOS_AGENT_NO_DAEMON": "1"}


class Bench:
    def __init__(self, folder):
        self.folder = folder
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.url = f"nats://127.0.0.1:{self.port}"
        config = os.path.join(folder, "nats.conf")
        with open(config, "w", encoding="utf-8") as f:
            f.write(f"host: 127.0.0.1\nport: {self.port}\njetstream {{ store_dir: \"{folder}/js\", sync_interval: always }}\n")
        self.server = subprocess.Popen([SERVER, "-c", config], stderr=subprocess.DEVNULL)
        while socket.socket().connect_ex(("127.0.0.1", self.port)):
            time.sleep(0.05)
        self.goals = os.path.join(folder, "goals.toml")
        with open(self.goals, "w", encoding="utf-8") as f:
            for i in range(GOALS):
                f.write(f'[[goal]]\nname = "g{i}"\ngoal = "open Settings, turn on Airplane Mode"\n')

    def worker(self, name, jobs):
        home = os.path.join(self.folder, name)
        return subprocess.Popen([PROGRAM, "worker", "--fleet", self.url, "--name", name, "--jobs", str(jobs)],
                                env=environment(home), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def sweep(self, *args):
        """Milliseconds a goal."""
        home = os.path.join(self.folder, "submitter")
        begun = time.monotonic()
        done = subprocess.run([PROGRAM, "sweep", self.goals, "--demo", "--pictures", "off", "--json", *args],
                              env=environment(home), stdout=subprocess.PIPE, check=False)
        took = time.monotonic() - begun
        if done.returncode != 0:
            sys.exit(done.stdout.decode()[-2000:])
        return took * 1000 / GOALS

    def warm(self, workers):
        """Until all workers are known."""
        while True:
            out = subprocess.run([PROGRAM, "fleet", "workers", "--fleet", self.url], stdout=subprocess.PIPE, check=True,
                                 env=environment(os.path.join(self.folder, "submitter"))).stdout
            if out.count(b"any ") + out.count(b"up") >= workers:
                return
            self.sweep("--fleet", self.url, "--jobs", "4")

    def stop(self, workers):
        for w in workers:
            w.terminate()
        for w in workers:
            w.wait()


def main():
    folder = tempfile.mkdtemp(prefix="ios-agent-bench-")
    bench = Bench(folder)
    try:
        one = [bench.worker("one", 1)]
        bench.sweep("--fleet", bench.url)
        there, here = [], []
        for _ in range(ROUNDS):
            here.append(bench.sweep("--jobs", "1"))
            there.append(bench.sweep("--fleet", bench.url))
        bench.stop(one)
        added = [a - b for a, b in zip(there, here)]
        print(f"one phone, {GOALS} goals, {ROUNDS} rounds: local {statistics.median(here):.2f} ms a goal, fleet "
              f"{statistics.median(there):.2f} ms, added {statistics.median(added):.2f} ms "
              f"({min(added):.2f} to {max(added):.2f})")
        for n in (1, 2, 4):
            workers = [bench.worker(f"w{n}-{i}", 2) for i in range(n)]
            bench.warm(n)
            took = statistics.median(bench.sweep("--fleet", bench.url) for _ in range(3))
            print(f"{n} workers with two phones each: {took:.2f} ms a goal, {1000 / took:.0f} goals/s")
            bench.stop(workers)
    finally:
        bench.server.kill()
        bench.server.wait()
        shutil.rmtree(folder)
    if statistics.median(added) > LIMIT_MS:
        sys.exit(f"a fleet adds more than {LIMIT_MS} ms a goal")


if __name__ == "__main__":
    main()
