"""The process is killed, or asked to stop, at every named kill point, at every pass of it; then `resume`.

The oracle is the simulated phone's own log: every operation of an undisturbed run, each once.
The model is a script on the strict double that decides by what the screen shows, so an
operation that is missing or doubled is the program's fault. With IOS_AGENT_CRASH=full every
pass of every point is tried, and kills from outside at random moments; else a selection.
"""
import collections
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
import unittest

from harness import ADA, Case, PROGRAM, SOURCE, TIMEOUT_S

FULL = os.environ.get("IOS_AGENT_CRASH") == "full"
SCRIPT = os.path.join(SOURCE, "tests", "e2e", "crash_script.json")
RUN = ["run", "save Ada, then turn on Airplane Mode", "--verify", "always"]
SAVE_EXPECT = 'value switch "Airplane Mode" = "on"'
# A field and a switch that a recording does not find again.
CHANGES = "?changes=id:#last-name=surname;id:#airplane_mode=plane"
# The last one is said again when it is not known whether it was kept; the first is never lost.
NOTES = "- Ada is saved\n(- All is done\n)+"
SAID = 'hold on: 1 < 2 & "so"'
PASSES_MAX = 1000
WRONG_MAX = 20
APPLICATION_ID = 0x494F5341
WORKERS = 2


def kill_points():
    """The names in the source: a new point is tried without being listed here."""
    names = set()
    for folder, _, files in os.walk(os.path.join(SOURCE, "src")):
        for file in files:
            if file.endswith(".c"):
                with open(os.path.join(folder, file), encoding="utf-8") as f:
                    names |= set(re.findall(r'IA_KILL_POINT\("([^"]+)"\)', f.read()))
    return sorted(names)


class World:
    """A home of its own, and the double that all share."""

    def __init__(self, url, seed=None):
        """seed: the home of which this one is a copy."""
        self.folder = tempfile.mkdtemp(prefix="ios-agent-crash-")
        self.home = os.path.join(self.folder, "home")
        self.url = url
        if seed:
            shutil.copytree(seed, self.home)

    def env(self, kill, number):
        env = {k: v for k, v in os.environ.items() if k == "PATH" or k.endswith("SAN_OPTIONS")}
        env.update(HOME=self.folder, IOS_AGENT_HOME=self.home, LC_ALL="C.UTF-8",
                   ANTHROPIC_BASE_URL=self.url, ANTHROPIC_API_KEY="sk-test")
        if kill:
            env.update(IOS_AGENT_KILL_AT=kill, IOS_AGENT_KILL_WITH=number.name.removeprefix("SIG"))
        return env

    def start(self, *args, kill=None, number=signal.SIGKILL):
        return subprocess.Popen([PROGRAM, *args], env=self.env(kill, number), cwd=self.folder,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def call(self, *args, kill=None, number=signal.SIGKILL):
        process = self.start(*args, kill=kill, number=number)
        out, err = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, out, err

    def result(self, *args):
        code, out, err = self.call(*args, "--json")
        assert code == 0, (args, code, out, err)
        return json.loads(out)["result"]

    def operations(self, device="embedded"):
        """What reached the phone, without its clock and what was planted in it."""
        return [tuple(sorted((k, v) for k, v in op.items() if k not in ("seq", "at_ms")))
                for op in self.result("embedded", "log", "--device", device) if op["op"] != "changes"]

    def rows(self, sql, *values):
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"))
        try:
            return db.execute(sql, values).fetchall()
        finally:
            db.close()

    def remove(self):
        shutil.rmtree(self.folder, True)


def old_database(path, schema):
    """A database of schema version 1 with one finished run."""
    with open(schema, encoding="utf-8") as f:
        sql = f.read()
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.execute("INSERT INTO goals VALUES ('g', 'old', NULL, NULL, '[]', '{}', '2026-01-01T00:00:00.000Z')")
    db.execute("INSERT INTO runs (id, goal_id, model, lane, device, options, demo, state, summary, "
               "created_at) VALUES ('0199aaaa-0000-7000-8000-000000000000', 'g', 'm', 'embedded:default', "
               "'{}', '{}', 0, 'passed', 'kept', '2026-01-01T00:00:00.000Z')")
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute("PRAGMA user_version = 1")
    db.commit()
    db.close()


class Wrong(Exception):
    pass


def need(condition, *what):
    if not condition:
        raise Wrong(what)


def check_transcript(world, run):
    """Every tool_use is answered once, in the next message; seqs have no hole."""
    rows = world.rows("SELECT seq, role, purpose, content FROM messages WHERE run_id = ? "
                      "ORDER BY seq", run)
    need([r[0] for r in rows] == list(range(1, len(rows) + 1)), "hole in the transcript")
    open_ids = []
    for _, role, purpose, content in rows:
        if purpose != "act":
            continue
        blocks = json.loads(content)
        if role == "assistant":
            need(not open_ids, "calls without results", open_ids)
            open_ids = [b["id"] for b in blocks if b["type"] == "tool_use"]
        else:
            answered = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
            need(answered == open_ids, "results", answered, open_ids)
            open_ids = []
    need(not open_ids, "calls without results at the end")
    states = world.rows("SELECT DISTINCT state FROM tool_calls WHERE run_id = ?", run)
    need(states == [("done",)], "journal", states)


def check_events(world, run):
    rows = world.rows("SELECT seq, type FROM events WHERE run_id = ? ORDER BY seq", run)
    need([r[0] for r in rows] == list(range(1, len(rows) + 1)), "hole in the events")
    types = collections.Counter(r[1] for r in rows)
    need(types["run.finished"] == 1, "verdicts", types["run.finished"])
    need(rows[-1][1] == "run.finished", "something came after the verdict", rows[-1])


def check_said(world, run, said):
    taken = [json.loads(r[0]) for r in world.rows(
        "SELECT json FROM events WHERE run_id = ? AND type = 'message.taken'", run)]
    texts = [m["text"] for t in taken for m in t["messages"]]
    need(texts == [SAID] * said, "messages taken", texts)
    shown = "".join(r[0] for r in world.rows(
        "SELECT content FROM messages WHERE run_id = ? AND role = 'user' AND purpose = 'act'", run))
    need(shown.count("<messages>") == said, "messages shown", shown.count("<messages>"))
    need(shown.count("hold on: 1 &lt; 2 &amp; &quot;so&quot;</message>") == said, "escaped text")


class Matrix:
    """Counts what the trials came to."""

    own = "1"  # which runs of the home are looked at

    def __init__(self, url, command=RUN, notes=NOTES, exact=True):
        """exact: what reached the phone must be the same; else only what it came to."""
        self.url, self.command, self.notes, self.exact = url, command, notes, exact
        self.lock = threading.Lock()
        self.trials = self.killed = self.lost = self.doubled = 0
        self.points = collections.Counter()
        self.wrong = []
        self.expected = self.baseline()

    def world(self):
        return World(self.url)

    def baseline(self):
        world = self.world()
        code, out, err = world.call(*self.command)
        assert code == 0, (code, out, err)
        operations = world.operations()
        self.contacts = world.result("embedded", "state")["contacts"]
        names = [c["name"] for c in self.contacts]
        assert names.count("Ada Lovelace") == 1, names
        world.remove()
        return operations

    def compare(self, operations):
        if not self.exact:
            return
        want, have = collections.Counter(self.expected), collections.Counter(operations)
        lost, doubled = sum((want - have).values()), sum((have - want).values())
        with self.lock:
            self.lost += lost
            self.doubled += doubled
        need(operations == self.expected, "operations", lost, "lost", doubled, "too many",
             operations)

    def check(self, world, said):
        runs = world.rows(f"SELECT id, state, notes FROM runs WHERE {self.own}")
        need(len(runs) == 1, "runs", runs)
        run, state, notes = runs[0]
        need(state == "passed", "state", state)
        need(re.fullmatch(self.notes, notes or ""), "notes", notes)
        check_events(world, run)
        check_transcript(world, run)
        check_said(world, run, said)
        self.compare(world.operations())
        contacts = world.result("embedded", "state")["contacts"]
        need(contacts == self.contacts, "contacts", [c for c in contacts if c not in self.contacts])

    @staticmethod
    def resume(world, kill=None):
        code, out, err = world.call("resume", kill=kill)
        if kill and code == -signal.SIGKILL:
            return False
        need(code == 0, "resume", code, out, err)
        return True

    def recorded(self, world):
        """Whether the run exists: killed before that, nothing was promised yet."""
        try:
            return bool(world.rows(f"SELECT 1 FROM runs WHERE {self.own}"))
        except sqlite3.OperationalError:
            return False

    def to_the_end(self, world):
        if self.recorded(world):
            self.resume(world)
        else:
            need(not os.path.exists(os.path.join(world.home, "embedded", "default.log")) or
                 world.operations() == [], "operations of a run that is not recorded")
            code, out, err = world.call(*self.command)
            need(code == 0, "run", code, out, err)

    def one(self, point, n):
        """Kills the run at the n-th pass. False when it does not pass so often."""
        world = self.world()
        try:
            code, out, err = world.call(*self.command, kill=f"{point}:{n}")
            if code != -signal.SIGKILL:
                need(code == 0, "run", code, out, err)
                return False
            self.to_the_end(world)
            self.check(world, 0)
            return True
        finally:
            world.remove()

    def asked(self, number):
        """A trial that asks the run to stop at the n-th pass."""

        def ask(point, n):
            world = self.world()
            try:
                code, out, err = world.call(*self.command, kill=f"{point}:{n}", number=number)
                # Before it listens for signals it ends like any program; too late, it has passed.
                need(code in (0, 7, -number), number.name, code, out, err)
                if code == 7 and number == signal.SIGINT:
                    self.check_cancelled(world)
                else:
                    if code != 0:
                        self.to_the_end(world)
                    self.check(world, 0)
                return code != 0
            finally:
                world.remove()

        ask.__name__ = number.name
        return ask

    def check_cancelled(self, world):
        runs = world.rows(f"SELECT id, state FROM runs WHERE {self.own}")
        need([r[1] for r in runs] in ([], ["cancelled"]), "runs", runs)
        for run, _ in runs:
            check_events(world, run)
        more = collections.Counter(world.operations()) - collections.Counter(self.expected)
        if not self.exact:
            return
        with self.lock:
            self.doubled += sum(more.values())
        need(not more, "operations of a cancelled run", more)

    def two(self, point, n):
        """Kills the run in the middle, says something, kills the resumed one at the n-th pass."""
        world = self.world()
        try:
            code, out, err = world.call(*self.command, kill="agent.tool.after:3")
            need(code == -signal.SIGKILL, "first kill", code, out, err)
            run = world.rows("SELECT id FROM runs")[0][0]
            world.result("say", run, SAID)
            ended = self.resume(world, f"{point}:{n}")
            if not ended:
                self.resume(world)
            self.check(world, 1)
            return not ended
        finally:
            world.remove()

    def outside(self, point, n):
        """Kills it n ms after its start."""
        del point
        world = self.world()
        try:
            process = world.start(*self.command)
            try:
                process.communicate(timeout=n / 1000)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            self.to_the_end(world)
            self.check(world, 0)
            return True
        finally:
            world.remove()

    def trial(self, how, point, n):
        try:
            killed = how(point, n)
        except (Wrong, AssertionError, subprocess.TimeoutExpired) as e:
            with self.lock:
                self.wrong.append(f"{how.__name__} {point}:{n}: {e}")
            killed = True
        with self.lock:
            self.trials += 1
            self.killed += killed
            self.points[point] += killed
        return killed

    def passes(self, how, point, step):
        """Every step-th pass, to the last."""
        n = 1
        while n < PASSES_MAX and len(self.wrong) < WRONG_MAX and self.trial(how, point, n):
            n += step

    def report(self, title):
        print(f"{title}: {len(self.points)} kill points, {self.trials} runs, {self.killed} "
              f"killed, lost={self.lost}, doubled={self.doubled}, wrong={len(self.wrong)}")


class ReplayMatrix(Matrix):
    """A goal that was recorded before is done again; where the app has changed, by the model."""

    own = "rowid > 1"  # the first is the recorded one

    def __init__(self, url, seed, outcome, device):
        self.seed, self.outcome = seed, outcome
        super().__init__(url, ["replay", "last", "--heal", "--device", device], "")

    def world(self):
        return World(self.url, self.seed)

    def check(self, world, said):
        super().check(world, said)
        outcomes = world.rows(f"SELECT outcome FROM runs WHERE {self.own}")
        need(outcomes == [(self.outcome,)], "outcome", outcomes)
        recordings = world.rows("SELECT state, passes FROM recordings")
        # An interrupted step of a model is of unknown outcome, and no recording is made of such.
        allowed = {"replayed": ([("trusted", 1)],),
                   "healed": ([("candidate", 0)], [("candidate", 0), ("quarantined", 0)])}
        need(recordings in allowed[self.outcome], "recordings", recordings)


class Crash(Case):
    def matrix(self):
        self.shared = self.double("--script", SCRIPT)
        return Matrix(self.shared.url)

    def finish(self, matrix, title):
        matrix.report(title)
        self.assertEqual(matrix.wrong, [])
        self.assertEqual((matrix.lost, matrix.doubled), (0, 0))
        stats = self.shared.stop()
        self.assertEqual(stats["rejected"], {}, stats)
        self.assertEqual(stats.get("unmatched", 0), 0, stats)

    @staticmethod
    def run_all(jobs):
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            for job in [pool.submit(*job) for job in jobs]:
                job.result()

    # The points that a run passes. Others have tests of their own: the key's below, those of a finish
    # with a relaunch in test_expectations.py.
    OF_A_RUN = ("agent.request.", "agent.tool.", "blob.", "claude.", "embedded.log.", "store.")

    def test_a_run_killed_anywhere_ends_as_if_nothing_had_happened(self):
        matrix = self.matrix()
        points = [p for p in kill_points() if p.startswith(self.OF_A_RUN)]
        often = {"claude.event", "store.commit.before", "store.commit.after"}
        self.run_all((matrix.passes, matrix.one, p,
                      1 if FULL or p.startswith("agent.tool.") else 31 if p in often else 7)
                     for p in points)
        self.assertEqual(sorted(p for p in matrix.points if matrix.points[p]), points)
        self.finish(matrix, "killed once")

    def test_a_run_that_is_asked_to_stop_anywhere_ends_as_if_nothing_had_happened(self):
        matrix = self.matrix()
        points = [p for p in kill_points() if p.startswith(self.OF_A_RUN)]
        often = {"claude.event", "store.commit.before", "store.commit.after"}
        signals = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
        step = {p: 1 if FULL else 43 if p in often else 5 if p.startswith("agent.tool.") else 13 for p in points}
        self.run_all((matrix.passes, matrix.asked(number), p, step[p]) for number in signals for p in points)
        self.finish(matrix, "asked to stop")

    def test_a_run_of_the_demo_brain_killed_anywhere_ends_as_if_nothing_had_happened(self):
        self.shared = self.double()
        # It looks after a call of unknown outcome and may type a field anew: the phone must come to
        # the same, though not by the same operations.
        matrix = Matrix(self.shared.url, ["run", ADA, "--verify", "always"], "", exact=False)
        points = [p for p in kill_points() if p.startswith(("agent.", "embedded."))]
        signals = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
        step = 1 if FULL else 3
        self.run_all((matrix.passes, matrix.one, p, step) for p in points)
        self.run_all((matrix.passes, matrix.asked(number), p, step + 4 * (not FULL))
                     for number in signals for p in points)
        self.finish(matrix, "demo brain")

    # The points that a replay passes, and one in which a model does a step.
    OF_A_REPLAY = ("agent.tool.", "embedded.log.", "store.commit.")
    OF_A_HEAL = (*OF_A_REPLAY, "agent.request.", "claude.")

    def recorded(self):
        """A home in which the goal was done once by the model, on another phone."""
        self.shared = self.double("--script", SCRIPT)
        world = World(self.shared.url)
        self.addCleanup(world.remove)
        code, out, err = world.call(*RUN, "--expect", SAVE_EXPECT, "--device", "embedded:recorded")
        self.assertEqual(code, 0, (out, err))
        return world.home

    def replay(self, matrix, prefixes, title):
        points = [p for p in kill_points() if p.startswith(prefixes)]
        often = {"claude.event", "store.commit.before", "store.commit.after"}
        self.run_all((matrix.passes, how, p, 1 if FULL or p.startswith(("agent.tool.", "embedded.")) else
                      7 if p in often else 3) for p in points for how in (matrix.one, matrix.asked(signal.SIGTERM)))
        self.assertEqual(sorted(p for p in matrix.points if matrix.points[p]), points)
        self.finish(matrix, title)

    def test_a_replay_killed_anywhere_ends_as_if_nothing_had_happened(self):
        home = self.recorded()
        self.replay(ReplayMatrix(self.shared.url, home, "replayed", "embedded"), self.OF_A_REPLAY, "replayed")

    def test_a_heal_killed_anywhere_ends_as_if_nothing_had_happened(self):
        home = self.recorded()
        self.replay(ReplayMatrix(self.shared.url, home, "healed", "embedded:default" + CHANGES), self.OF_A_HEAL, "healed")

    def test_a_resumed_run_killed_anywhere_loses_no_message(self):
        matrix = self.matrix()
        points = [p for p in kill_points()
                  if p.startswith(self.OF_A_RUN) and not p.startswith("store.migrate")]
        often = {"claude.event", "store.commit.before", "store.commit.after"}
        self.run_all((matrix.passes, matrix.two, p,
                      1 if FULL else 23 if p in often else 11) for p in points)
        self.finish(matrix, "killed twice")

    def test_a_migration_killed_anywhere_is_done_later_and_loses_nothing(self):
        first = os.path.join(SOURCE, "src", "store", "schema", "0001-first.sql")
        for point in (p for p in kill_points() if p.startswith("store.migrate")):
            for n in range(1, PASSES_MAX):
                shutil.rmtree(self.home, True)
                os.mkdir(self.home)
                old_database(os.path.join(self.home, "ios-agent.db"), first)
                killed = self.run_agent("runs", env={"IOS_AGENT_KILL_AT": f"{point}:{n}"})
                self.assertEqual([r["summary"] for r in self.runs()], ["kept"], (point, n))
                if killed.code == 0:
                    self.assertGreater(n, 1, "the point was not passed")
                    break
                self.assertEqual(killed.code, -signal.SIGKILL, killed)

    def test_a_key_that_is_stored_while_it_is_killed_is_there_or_not_and_can_be_stored(self):
        for point in ("secret.keyfile.before", "store.commit.before", "store.commit.after"):
            for n in range(1, PASSES_MAX):
                shutil.rmtree(self.home, True)
                killed = self.run_agent("key", "set", stdin="sk-ant-test\n",
                                        env={"IOS_AGENT_KILL_AT": f"{point}:{n}"})
                status = self.run_agent("key", "status", "--json")
                self.assertEqual(status.code, 0, status)
                if killed.code == 0:
                    self.assertGreater(n, 1, "the point was not passed")
                    break
                self.assertEqual(killed.code, -signal.SIGKILL, killed)
                again = self.run_agent("key", "set", stdin="sk-ant-test\n")
                self.assertEqual(again.code, 0, (point, n, again))

    def test_a_kill_from_outside_at_any_moment(self):
        matrix = self.matrix()
        moments = random.Random(4).sample(range(1, 400), 150 if FULL else 8)
        self.run_all((matrix.trial, matrix.outside, "outside", n) for n in moments)
        self.finish(matrix, "killed from outside")


if __name__ == "__main__":
    unittest.main()
