"""A goal of three runs on three phones, killed anywhere: at every named point, and at random moments.

The oracles are those of test_crash.py and test_kills.py: each phone's log of an undisturbed run, every
operation once; one run for each call; whole transcripts and events of all three.
IOS_AGENT_CRASH=full tries every pass of every point; IOS_AGENT_KILLS is how many random stops.
"""
import collections
import concurrent.futures
import json
import os
import random
import signal
import subprocess
import threading
import unittest

from delegate_case import GOAL, SCRIPT, subgoal, write_config
from harness import Case, TIMEOUT_S
from test_crash import FULL, Matrix, World, check_events, check_transcript, kill_points, need
from test_kills import ONLY, SEED, STOPS, Trials, Work

NAMES = ("alice", "bob")
RUN = ["run", GOAL, "--agent", "lead", "--device", "embedded:lead"]
DEVICES = {GOAL: "embedded:lead", **{subgoal(n): "embedded:" + n for n in NAMES}}
OFTEN = {"claude.event", "store.commit.before", "store.commit.after"}


def tree(world):
    return world.rows("SELECT g.text, r.state, r.id FROM runs r JOIN goals g ON g.id = r.goal_id ORDER BY r.rowid")


class TreeMatrix(Matrix):
    def world(self):
        world = World(self.url)
        write_config(world.folder)
        return world

    def baseline(self):
        world = self.world()
        code, out, err = world.call(*self.command)
        assert code == 0, (code, out, err)
        operations = self.operations(world)
        assert all(operations[d] for d in DEVICES.values() if d != "embedded:lead"), operations
        world.remove()
        return operations

    @staticmethod
    def operations(world):
        return {device: world.operations(device) for device in DEVICES.values()}

    def compare(self, operations):
        want = collections.Counter((d, op) for d, ops in self.expected.items() for op in ops)
        have = collections.Counter((d, op) for d, ops in operations.items() for op in ops)
        lost, doubled = sum((want - have).values()), sum((have - want).values())
        with self.lock:
            self.lost += lost
            self.doubled += doubled
        need(operations == self.expected, "operations", lost, "lost", doubled, "too many", operations)

    def check(self, world, said):
        rows = tree(world)
        need(sorted(r[:2] for r in rows) == sorted((goal, "passed") for goal in DEVICES), "runs", rows)
        for _, _, run in rows:
            check_events(world, run)
            check_transcript(world, run)
        waits = world.rows("SELECT id FROM runs WHERE waits_for != 0")
        need(not waits, "somebody still waits", waits)
        self.compare(self.operations(world))

    def to_the_end(self, world):
        if self.recorded(world):
            self.resume(world)
        else:
            need(not any(self.operations(world).values()), "operations of a run that is not recorded")
            code, out, err = world.call(*self.command)
            need(code == 0, "run", code, out, err)

    def check_cancelled(self, world):
        rows = tree(world)
        need(all(r[1] in ("cancelled", "passed") for r in rows), "states", rows)
        need(not rows or rows[0][1] == "cancelled", "the parent", rows)
        for _, _, run in rows:
            check_events(world, run)
        more = (collections.Counter((d, op) for d, ops in self.operations(world).items() for op in ops) -
                collections.Counter((d, op) for d, ops in self.expected.items() for op in ops))
        with self.lock:
            self.doubled += sum(more.values())
        need(not more, "operations of a cancelled run", more)


class Foreground(Work):
    goals = list(DEVICES)
    verdicts = dict.fromkeys(DEVICES, "passed")
    below = [subgoal(n) for n in NAMES]
    status = 0

    def prepare(self):
        write_config(self.world.folder)

    def devices(self):
        return DEVICES

    def command(self):
        return ["resume"] if self.rows("SELECT 1 FROM runs") else RUN

    def over(self):
        return self.rows("SELECT 1 FROM runs") and super().over()

    def check(self):
        need(not self.rows("SELECT 1 FROM runs WHERE waits_for != 0"), "somebody still waits")


class Scheduled(Foreground):
    def prepare(self):
        super().prepare()
        for args in (["add", "--name", "all", "--every", "1d", "--agent", "lead", "--device", "embedded:lead", GOAL],
                     ["run-now", "all"]):
            code, _, err = self.world.call("schedule", *args)
            assert code == 0, (args, err)


class Tick(Scheduled):
    def command(self):
        return ["schedule", "tick"]

    def wait(self, process):
        out, err = process.communicate(timeout=TIMEOUT_S)
        need(process.returncode == 0, "exit status", process.returncode, out[-500:], err)


class Served(Scheduled):
    def command(self):
        return ["daemon"]

    def wait(self, process):
        while not self.over() and process.poll() is None:
            try:
                process.wait(0.02)
            except subprocess.TimeoutExpired:
                pass
        process.send_signal(signal.SIGTERM)
        Work.wait(self, process)


class Swept(Foreground):
    def prepare(self):
        super().prepare()
        with open(os.path.join(self.world.folder, "goals.toml"), "w", encoding="utf-8") as f:
            f.write(f'[[goal]]\nname = "g"\ngoal = "{GOAL}"\ndevice = "embedded:lead"\n')

    def command(self):
        sweep = self.rows("SELECT id FROM sweeps")
        return ["sweep", "--resume", sweep[0][0]] if sweep else ["sweep", "goals.toml", "--agent", "lead"]

    def over(self):
        return bool(self.rows("SELECT 1 FROM sweeps WHERE state = 'done'"))


class Together:
    """A foreground run and a daemon serve one database; either or both are killed at random moments."""

    def __init__(self, matrix, seconds):
        self.matrix, self.seconds = matrix, seconds
        self.kills = collections.Counter()

    def trial(self, n):
        rand = random.Random(SEED * 7919 + n)
        world = self.matrix.world()
        try:
            for _ in range(rand.choice((1, 2, 3))):
                work = Foreground(world)
                if work.over():
                    break
                both = {"daemon": world.start("daemon"), "foreground": world.start(*work.command())}
                victims = rand.choice((["daemon"], ["foreground"], ["daemon", "foreground"]))
                try:
                    both["foreground"].communicate(timeout=rand.random() * self.seconds)
                except subprocess.TimeoutExpired:
                    pass
                for name in victims:
                    self.kills[name] += both[name].poll() is None
                    both[name].kill()
                for name in both:
                    if name not in victims and name == "daemon":
                        both[name].terminate()
                    both[name].communicate(timeout=TIMEOUT_S)
            if self.matrix.recorded(world):
                # Where the other process has ended it, there is nothing to resume.
                if not Foreground(world).over():
                    self.matrix.resume(world)
            else:
                code, out, err = world.call(*RUN)
                need(code == 0, "run", code, out, err)
            self.matrix.check(world, 0)
        finally:
            world.remove()


class DelegateKills(Case):
    def model(self, *args):
        path = os.path.join(self.folder, "script.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"turns": SCRIPT}, f)
        self.shared = self.double("--script", path, *args)
        return self.shared.url

    def finish(self, matrix, title):
        matrix.report(title)
        self.assertEqual(matrix.wrong, [])
        self.assertEqual((matrix.lost, matrix.doubled), (0, 0))
        stats = self.shared.stop()
        self.assertEqual((stats["rejected"], stats.get("unmatched", 0)), ({}, 0), stats)

    @staticmethod
    def run_all(jobs):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for job in [pool.submit(*job) for job in jobs]:
                job.result()

    def test_a_tree_killed_at_any_named_point_ends_as_if_nothing_had_happened(self):
        matrix = TreeMatrix(self.model(), RUN)
        points = [p for p in kill_points()
                  if p.startswith(("agent.request.", "agent.tool.", "agent.delegate.", "blob.", "claude.", "embedded.log.",
                                   "store.")) and not p.startswith("store.migrate")]
        self.run_all((matrix.passes, matrix.one, p,
                      1 if FULL or p.startswith(("agent.tool.", "agent.delegate.")) else 31 if p in OFTEN else 5)
                     for p in points)
        self.assertEqual(sorted(p for p in matrix.points if matrix.points[p]), points)
        self.finish(matrix, "a tree, killed once")

    def test_a_tree_asked_to_stop_at_any_named_point_ends_as_if_nothing_had_happened(self):
        matrix = TreeMatrix(self.model(), RUN)
        points = [p for p in kill_points() if p.startswith(("agent.request.", "agent.tool.", "agent.delegate."))]
        self.run_all((matrix.passes, matrix.asked(number), p, 1 if FULL else 3)
                     for number in (signal.SIGTERM, signal.SIGINT) for p in points)
        self.finish(matrix, "a tree, asked to stop")

    def test_a_tree_stopped_at_random_moments_ends_as_if_nothing_had_happened(self):
        trials = Trials(self.model("--latency-ms", "15"), [Foreground, Swept, Tick, Served])
        if ONLY:
            trials.trial(int(ONLY))
        else:
            trials.all()
        trials.report()
        self.assertEqual(trials.wrong, [])
        self.assertEqual((sum(trials.lost.values()), sum(trials.doubled.values())), (0, 0))

    def test_two_processes_that_serve_one_database_and_are_killed_do_everything_once(self):
        matrix = TreeMatrix(self.model("--latency-ms", "15"), RUN)
        together = Together(matrix, 1.5)
        lock, numbers = threading.Lock(), iter(range(STOPS // 2))

        def worker():
            for n in iter(lambda: next(numbers, None), None):
                try:
                    together.trial(n)
                except Exception as e:  # pylint: disable=broad-except
                    with lock:
                        matrix.wrong.append(f"trial {n}: {e!r}")

        self.run_all([(worker,), (worker,)])
        print(f"two processes: {dict(together.kills)} killed, lost={matrix.lost}, doubled={matrix.doubled}, "
              f"wrong={len(matrix.wrong)}")
        self.assertEqual(matrix.wrong, [])
        self.assertEqual((matrix.lost, matrix.doubled), (0, 0))


if __name__ == "__main__":
    unittest.main()
