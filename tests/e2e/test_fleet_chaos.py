"""Three workers with ten phones each, while workers, the server, the submitter and the network are ended at random.

Nothing may be lost, and no run may have two verdicts. IOS_AGENT_FLEET_GOALS and IOS_AGENT_FLEET_STOPS are how many;
IOS_AGENT_FLEET_SEED another series.
"""
import collections
import os
import random
import signal
import sqlite3
import subprocess
import time

import fleet_case
from fleet_case import PROGRAM, Proxy

GOALS = int(os.environ.get("IOS_AGENT_FLEET_GOALS", "400"))
STOPS = int(os.environ.get("IOS_AGENT_FLEET_STOPS", "12"))
SEED = int(os.environ.get("IOS_AGENT_FLEET_SEED", "1"))
PHONES = 10
LIMIT_S = 1500


class Chaos(fleet_case.FleetCase):
    LEASE_S = "3"

    def submit(self, *args):
        process = subprocess.Popen([PROGRAM, "sweep", *args, "--fleet", self.way_in.url, "--demo", "--json"]
                                   if not args[0].startswith("--resume") else
                                   [PROGRAM, "sweep", *args, "--fleet", self.way_in.url, "--json"],
                                   env=self.env(), cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def stop_something(self, what):
        if what == "worker":
            worker = self.dice.choice(self.workers)
            worker.kill()
            worker.close()
            worker.start()
        elif what == "server":
            self.server.kill()
            self.server.start()
        elif what == "cut":
            self.dice.choice(self.ways).cut()
        elif what == "delay":
            way = self.dice.choice(self.ways)
            way.delay = 0.1
            time.sleep(0.7)
            way.delay = 0
        elif what == "partition":
            way = self.dice.choice(self.ways)
            way.cut_off = True
            way.cut()
            time.sleep(1.5)
            way.cut_off = False
        elif what == "submitter":
            self.submitter.send_signal(signal.SIGKILL)
            self.submitter.communicate()
            self.submitter = self.submit("--resume", "last")

    def end(self):
        """What it said at its end. One that met no server when it began, as that was stopped just then, is begun once
        more."""
        out, _ = self.submitter.communicate(timeout=LIMIT_S)
        while self.submitter.returncode == 3 and "no NATS server answers" in out:
            self.submitter = self.submit("--resume", "last")
            out, _ = self.submitter.communicate(timeout=LIMIT_S)
        return out

    def sent(self):
        """Runs that left."""
        try:
            with sqlite3.connect(f"file:{self.home}/ios-agent.db?mode=ro", uri=True) as db:
                return db.execute("SELECT count(*) FROM fleet_runs").fetchone()[0]
        except sqlite3.OperationalError:
            return 0

    def test_nothing_is_lost_and_nothing_counts_twice(self):
        self.dice = random.Random(SEED)
        self.fleet()
        self.way_in = Proxy(self.server.port)
        self.ways = [self.way_in]
        for name in ("mac-1", "mac-2", "mac-3"):
            way = Proxy(self.server.port)
            self.ways.append(way)
            self.worker(name, "--jobs", str(PHONES), url=way.url)
        for way in self.ways:
            self.addCleanup(way.close)
        begun = time.monotonic()
        self.submitter = self.submit(self.goals(GOALS), "--jobs", "60")
        done = collections.Counter()
        self.until(lambda: self.sent() > 0)
        kinds = ["worker", "worker", "server", "cut", "delay", "partition", "submitter"]
        while sum(done.values()) < STOPS:
            time.sleep(self.dice.uniform(0.05, 0.5))
            if self.submitter.poll() == 3:
                self.assertIn("no NATS server answers", self.submitter.communicate()[0])
                self.submitter = self.submit("--resume", "last")
            if self.submitter.poll() is not None:
                break
            what = self.dice.choice(kinds)
            self.stop_something(what)
            done[what] += 1
            self.assertLess(time.monotonic() - begun, LIMIT_S, "it does not end")
        out = self.end()
        verdicts = self.verdicts()
        rows = self.rows()
        states = collections.Counter(state for _, state in rows)
        again = collections.Counter(v["attempt"] for v in verdicts.values())
        print(f"{GOALS} goals, {sum(done.values())} stops {dict(done)}: {len(verdicts)} verdicts, states "
              f"{dict(states)}, attempts {dict(sorted(again.items()))}, {time.monotonic() - begun:.1f} s")
        self.assertEqual(self.submitter.returncode, 0, out[-3000:])
        self.assertEqual(states, {"passed": GOALS})
        self.assertEqual({run for run, _ in rows}, set(verdicts))
        self.assertEqual(sum(done.values()), STOPS, "the sweep ended before all stops; use more goals")

    def rows(self):
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"))
        self.addCleanup(db.close)
        self.assertEqual(db.execute("SELECT count(*) FROM fleet_runs WHERE state <> 'counted'").fetchone(), (0,))
        return db.execute("SELECT id, state FROM runs").fetchall()


if __name__ == "__main__":
    fleet_case.main()
