"""Kills and graceful stops at random moments of a run, a replay, a heal, a sweep, a tick and a daemon.

A trial begins one kind of work, ends it one to three times (SIGKILL, SIGTERM, SIGHUP, SIGINT) at
random moments, each time going on by the command that a person would use, and then lets it come
to its end. The oracles are an undisturbed run of each goal: its verdict, and the phone's own log.

    lost     an operation, a run or a verdict that an undisturbed run has is missing
    doubled  something reached the phone, or is recorded, more often than there
    wrong    a verdict is another one, or a transcript or an exit status does not fit

IOS_AGENT_KILLS is how many stops; IOS_AGENT_KILLS_SEED another series; IOS_AGENT_KILLS_ONLY the
number of one trial, to repeat it.
"""
import collections
import concurrent.futures
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
import unittest

from harness import SOURCE, TIMEOUT_S, Case
from test_crash import CHANGES, RUN, SAVE_EXPECT, SCRIPT, World, Wrong, check_events, check_transcript, need

STOPS = int(os.environ.get("IOS_AGENT_KILLS", "40"))
SEED = int(os.environ.get("IOS_AGENT_KILLS_SEED", "1"))
ONLY = os.environ.get("IOS_AGENT_KILLS_ONLY")
WORKERS = 2
LATENCY_MS = 15
WRONG_MAX = 20
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
SAVE, UNICORN, GRIFFIN = RUN[1], "find the unicorn in Settings", "ask the griffin"
GOALS = {SAVE: "passed", UNICORN: "failed", GRIFFIN: "blocked"}
DEVICES = {SAVE: "embedded:save", UNICORN: "embedded:unicorn", GRIFFIN: "embedded:griffin"}


def says(verdict):
    return [{"tool_use": "finish", "input": {"verdict": verdict, "summary": verdict, "evidence": []}}]


# They go on from whatever is on the screen, as the script of the passing goal does.
OTHERS = [
    {"match": {"any_text": "unicorn", "latest": 'icon Settings'},
     "blocks": [{"tool_use": "tap", "input": {"ref": '$ref(icon "Settings")'}}]},
    {"match": {"any_text": "unicorn", "latest": "Airplane Mode"}, "blocks": says("failed")},
    {"match": {"any_text": "unicorn"}, "blocks": [{"tool_use": "snapshot", "input": {}}]},
    {"match": {"any_text": "griffin"}, "blocks": says("blocked")},
]


class Work:
    """One kind of work: how it begins, how it goes on after a stop, and what it leaves."""

    goals = [SAVE, UNICORN, GRIFFIN]
    verdicts = GOALS
    below = ()  # goals that another one delegates, and not if it is cancelled first
    earlier = 0  # runs that are not its own

    def __init__(self, world):
        self.world = world

    def prepare(self):
        pass

    def over(self):
        """Whether nothing is left to go on with."""
        return not self.rows("SELECT 1 FROM runs WHERE state IN ('queued', 'claimed', 'running', 'retry_wait')")

    def check(self):
        pass

    def rows(self, sql):
        """Empty while there is no database."""
        try:
            return self.world.rows(sql)
        except sqlite3.OperationalError:
            return []

    def devices(self):
        return {goal: DEVICES[goal] for goal in self.goals}

    def wait(self, process):
        out, err = process.communicate(timeout=TIMEOUT_S)
        need(process.returncode == self.status, "exit status", process.returncode, out[-500:], err)


class Run(Work):
    goals = [SAVE]
    status = 0

    def command(self):
        if self.rows("SELECT 1 FROM runs"):
            return ["resume"]
        return [*RUN, "--device", DEVICES[SAVE]]

    def over(self):
        return self.rows("SELECT 1 FROM runs") and super().over()


class Replay(Run):
    """Of a goal that was done on another phone before."""

    change, outcome = "", "replayed"
    earlier = 1
    recorded = {}  # worlds, by kind

    def prepare(self):
        kind = type(self)
        if kind not in self.recorded:
            self.recorded[kind] = world = World(self.world.url)
            code, out, err = world.call("run", self.goals[0], "--expect", SAVE_EXPECT, "--device", "embedded:recorded")
            assert code == 0, (out, err)
        shutil.copytree(self.recorded[kind].home, self.world.home)

    def command(self):
        if self.rows(f"SELECT 1 FROM runs WHERE rowid > {self.earlier}"):
            return ["resume"]
        return ["replay", "last", "--heal", "--device", DEVICES[self.goals[0]] + self.change]

    def over(self):
        return self.command() == ["resume"] and Work.over(self)

    def check(self):
        outcome = self.rows(f"SELECT outcome FROM runs WHERE rowid > {self.earlier} AND state != 'cancelled'")
        need(outcome in ([], [(self.outcome,)]), "outcome", outcome)


class Heal(Replay):
    """On a phone whose app has changed: the same is done, some of it by the model."""

    change, outcome = CHANGES, "healed"


class Sweep(Work):
    status = 5  # the worst of its goals is blocked

    def prepare(self):
        with open(os.path.join(self.world.folder, "goals.toml"), "w", encoding="utf-8") as f:
            for i, goal in enumerate(self.goals):
                f.write(f'[[goal]]\nname = "g{i}"\ngoal = "{goal}"\ndevice = "{DEVICES[goal]}"\nverify = "always"\n')

    def command(self):
        sweep = self.rows("SELECT id FROM sweeps")
        return ["sweep", "--resume", sweep[0][0]] if sweep else ["sweep", "goals.toml"]

    def over(self):
        return bool(self.rows("SELECT 1 FROM sweeps WHERE state = 'done'"))


class Tick(Work):
    status = 5

    def prepare(self):
        for goal, device in self.devices().items():
            name = device.split(":")[1]
            for args in (["add", "--name", name, "--every", "1d", "--device", device, "--verify", "always",
                          "--notify", f"cat >> told-{name}; echo >> told-{name}", goal], ["run-now", name]):
                code, _, err = self.world.call("schedule", *args)
                assert code == 0, (args, err)

    def command(self):
        return ["schedule", "tick"]

    def wait(self, process):
        out, err = process.communicate(timeout=TIMEOUT_S)
        # What ended before the last stop is not this tick's.
        need(process.returncode in (0, 1, 5), "exit status", process.returncode, out[-500:], err)


class Daemon(Tick):
    status = 0

    def command(self):
        return ["daemon"]

    def wait(self, process):
        end = time.monotonic() + TIMEOUT_S
        while not self.over() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        Work.wait(self, process)


KINDS = [Run, Replay, Heal, Sweep, Tick, Daemon]


class Trials:
    def __init__(self, url, kinds=None):
        self.url, self.kinds = url, kinds or KINDS
        self.lock = threading.Lock()
        self.stops = collections.Counter()  # (kind, signal)
        self.trials = collections.Counter()
        self.lost, self.doubled = collections.Counter(), collections.Counter()
        self.wrong = []
        self.expected, self.seconds = {}, {}
        for kind in self.kinds:
            self.learn(kind)

    def learn(self, kind):
        """An undisturbed one: what reaches the phones, and how long it takes."""
        world = World(self.url)
        work = kind(world)
        work.prepare()
        began = time.monotonic()
        work.wait(world.start(*work.command()))
        self.seconds[kind] = time.monotonic() - began
        for goal, device in work.devices().items():
            seen = world.operations(device)
            assert self.expected.setdefault(goal, seen) == seen, (goal, seen)
        world.remove()

    # ---- what came of it -----------------------------------------------------------------

    def check(self, kind, work, cancelled):
        world, name = work.world, kind.__name__
        rows = world.rows("SELECT g.text, r.state, r.id, r.lane FROM runs r JOIN goals g ON g.id = r.goal_id "
                          f"WHERE r.rowid > {work.earlier}")
        runs = collections.Counter(r[0] for r in rows)
        for goal, device in work.devices().items():
            want, have = collections.Counter(self.expected[goal]), collections.Counter(world.operations(device))
            lost, doubled = sum((want - have).values()), sum((have - want).values())
            begun = int(runs[goal] > 0 or not (cancelled and goal in work.below))
            with self.lock:
                self.lost[name] += (0 if cancelled else lost) + (begun and runs[goal] == 0)
                self.doubled[name] += doubled + max(runs[goal] - 1, 0)
            need(runs[goal] == begun, "runs of", goal, runs[goal])
            need(doubled == 0 and (lost == 0 or cancelled), "operations of", goal, lost, "lost", doubled, "too many")
        for goal, state, run, _ in rows:
            need(state == work.verdicts[goal] or (cancelled and state == "cancelled"), "verdict", goal, state)
            check_events(world, run)
            if state != "cancelled":
                check_transcript(world, run)
        work.check()
        self.check_told(world)

    @staticmethod
    def check_told(world):
        """A notice may come twice, but never with another verdict."""
        for goal, device in DEVICES.items():
            path = os.path.join(world.folder, "told-" + device.split(":")[1])
            if os.path.exists(path):
                with open(path, encoding="utf-8") as f:
                    for line in f.read().splitlines():
                        need(not line.strip() or json.loads(line)["state"] == GOALS[goal], "told", line)

    # ---- a trial -------------------------------------------------------------------------

    def stop(self, kind, work, number, after_s):
        """Whether the signal met a living process, and what that process said."""
        process = work.world.start(*work.command())
        try:
            out, err = process.communicate(timeout=after_s)
            return False, out + err
        except subprocess.TimeoutExpired:
            process.send_signal(number)
        out, err = process.communicate(timeout=TIMEOUT_S)
        ended = process.returncode
        if number == signal.SIGKILL and ended != -number:
            return False, out + err  # by itself, in the last moment
        # A signal that asks comes too late to change the end, or before anybody listens.
        need(ended in (0, 1, 5, 7, -number), "exit status of a stop", number.name, ended, err)
        with self.lock:
            self.stops[kind.__name__, number.name] += 1
        return True, out + err

    def trial(self, n):
        rand = random.Random(SEED * 1000003 + n)
        kind = self.kinds[n % len(self.kinds)]
        world = World(self.url)
        work = kind(world)
        cancelled = False
        try:
            work.prepare()
            for _ in range(rand.choice((1, 1, 2, 3))):
                number, share = rand.choice(SIGNALS), rand.random()
                begins = work.command()[0] in ("run", "replay")
                if not work.over():
                    met, said = self.stop(kind, work, number, share * self.seconds[kind])
                    # Ctrl-C cancels a run in the foreground, and only there.
                    cancelled = cancelled or (met and begins and number == signal.SIGINT and "CANCELLED" in said)
            while not work.over():
                work.wait(world.start(*work.command()))
            self.check(kind, work, cancelled)
        except (Wrong, AssertionError, subprocess.TimeoutExpired) as e:
            with self.lock:
                self.wrong.append(f"trial {n}, {kind.__name__}: {e}")
        finally:
            world.remove()
        with self.lock:
            self.trials[kind.__name__] += 1

    def all(self):
        numbers = iter(range(1 << 30))

        def worker():
            while sum(self.stops.values()) < STOPS and len(self.wrong) < WRONG_MAX:
                with self.lock:
                    n = next(numbers)
                self.trial(n)

        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            for job in [pool.submit(worker) for _ in range(WORKERS)]:
                job.result()

    def report(self):
        names = [s.name for s in SIGNALS]
        print(f"seed {SEED}: {sum(self.trials.values())} trials, {sum(self.stops.values())} stops")
        print(f"{'':8}{'trials':>8}" + "".join(f"{n:>9}" for n in names) + f"{'lost':>7}{'doubled':>9}{'wrong':>7}")
        for kind in (k.__name__ for k in self.kinds):
            wrong = sum(f", {kind}:" in w for w in self.wrong)
            print(f"{kind:8.8}{self.trials[kind]:8}" + "".join(f"{self.stops[kind, n]:9}" for n in names)
                  + f"{self.lost[kind]:7}{self.doubled[kind]:9}{wrong:7}")
        for wrong in self.wrong:
            print(wrong)


class Kills(Case):
    def test_wherever_work_is_stopped_it_ends_as_if_nothing_had_happened(self):
        with open(SCRIPT, encoding="utf-8") as f:
            script = json.load(f)
        verifier, *others = script["turns"]
        path = os.path.join(self.folder, "script.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"turns": [verifier, *OTHERS, *others]}, f)
        double = self.double("--script", path, "--latency-ms", str(LATENCY_MS))
        self.addCleanup(lambda: [world.remove() for world in Replay.recorded.values()])
        trials = Trials(double.url)
        if ONLY:
            trials.trial(int(ONLY))
        else:
            trials.all()
        trials.report()
        self.assertEqual(trials.wrong, [])
        self.assertEqual((sum(trials.lost.values()), sum(trials.doubled.values())), (0, 0))
        stats = double.stop()
        self.assertEqual((stats["rejected"], stats["unmatched"]), ({}, 0), stats)


if __name__ == "__main__":
    unittest.main()
