"""A long history, for tests and measurements that need one: thousands of runs with their steps, of several goals, agents,
lanes, sweeps and days, some of them flaky.

    IOS_AGENT=build/dev/src/cli/ios-agent python3 tests/e2e/big_history.py HOME [--runs 10000] [--days 90] [--journals 500] [--seed 1]
    ios-agent daemon                         # with IOS_AGENT_HOME=HOME: serves it

    made = big_history.make(home, program, runs=10000)      # in a test; what it returns is described there

The program itself makes the schema and does each goal four times with the demo brain: passed, failed, blocked, and out of
budget. Every run of the history is a copy of the rows of one of those, written through sqlite3, with an id, times, durations,
costs and a lane of its own, so journals, transcripts, events and pictures are what the program really writes. Only the newest
`journals` runs have them; the others are the rows of runs and goals alone, which is all that lists and figures read. The same
seed and the same time make the same history. Nobody may use the home meanwhile.
"""
import argparse
import datetime
import json
import os
import random
import sqlite3
import subprocess
import time

DAY_MS = 86400000
AGENTS = ("anna", "nightly-bot", None, None)
LANES = tuple(f"embedded:ci-{n}" for n in range(1, 5))
MODELS = ("claude-sonnet-5-5", "claude-opus-5")
# name, text, share of first tries that pass, share of second tries, and seconds of one.
GOALS = (
    ("airplane mode", "open Settings, turn on Airplane Mode", .99, .9, 14),
    ("add a contact", "open Contacts, add a contact named Ada Lovelace with phone 555-0100, "
     "check that Ada Lovelace is in the list", .93, .9, 48),
    ("dark mode", "open Settings, turn on Dark Appearance", .97, .8, 21),
    ("about", "open Settings, tap General, tap About, check that iOS Version is on the screen", .98, .9, 25),
    ("contacts open", "open Contacts, check that Nora Abbott is on the screen", .75, .8, 17),
    ("settings open", "open Settings, check that General is on the screen", .4, .2, 9),
    (None, "open Reminders, check that Groceries is on the screen", .9, .5, 12),
    (None, "open Settings, check that Bluetooth is on the screen", 1, 1, 11),
)
# How to have the goal end otherwise, as the demo brain does.
ENDS = {"passed": ("", ()), "failed": (", check that Nowhere is on the screen", ()),
        "blocked": (", fly to the moon", ()), "error": ("", ("--max-steps", "1"))}
RUN_TABLES = ("messages", "tool_calls", "events")


def iso(ms):
    at = datetime.datetime.fromtimestamp(ms // 1000, datetime.timezone.utc)
    return at.strftime("%Y-%m-%dT%H:%M:%S") + f".{ms % 1000:03d}Z"


def from_iso(text):
    at = datetime.datetime.strptime(text[:19] + "+0000", "%Y-%m-%dT%H:%M:%S%z")
    return int(at.timestamp()) * 1000 + int(text[20:23])


def pack(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Template:
    """A run that the program did."""

    def __init__(self, db, run_id):
        self.run = dict(db.execute("SELECT * FROM runs WHERE id = ?", (run_id,)).fetchone())
        self.goal = dict(db.execute("SELECT * FROM goals WHERE id = ?", (self.run["goal_id"],)).fetchone())
        self.rows = {t: [dict(r) for r in db.execute(f"SELECT * FROM {t} WHERE run_id = ? ORDER BY id", (run_id,))]
                     for t in RUN_TABLES}
        self.begun_ms = from_iso(self.run["created_at"])
        self.took_ms = max(1, from_iso(self.run["finished_at"]) - self.begun_ms)
        usd = 0.0
        for row in self.rows["events"]:
            row["json"] = json.loads(row["json"])
            if row["type"] == "request.finished":
                row["usd"] = row["json"]["spent"]["usd"] - usd
                usd = row["json"]["spent"]["usd"]


class Maker:
    def __init__(self, home, program, seed, now_ms):
        self.home, self.program, self.now_ms = home, program, now_ms
        self.random = random.Random(seed)
        self.rows = {t: [] for t in ("sweeps", "sweep_goals", "goals", "runs", *RUN_TABLES, "schedule_runs")}
        self.sweeps = {}  # id: [begun, ended, states by no]

    # ---- what the program makes ------------------------------------------------------------

    def agent(self, *args):
        env = dict(os.environ, IOS_AGENT_HOME=self.home, IOS_AGENT_NO_DAEMON="1", HOME=self.home)
        done = subprocess.run([self.program, *args, "--json"], env=env, cwd=self.home, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
        return json.loads(done.stdout.splitlines()[-1])["result"]

    def do_templates(self):
        os.makedirs(self.home, exist_ok=True)
        ids = {}
        for _, text, *_ in GOALS:
            for state, (more, options) in ENDS.items():
                done = self.agent("run", text + more, "--demo", "--fresh", "--device", "embedded:template", "--pictures", "steps",
                                  *options)
                assert done["state"] == state, (text, state, done)
                ids[text, state] = done["run"]
        self.agent("schedule", "add", GOALS[0][1], "--name", "nightly", "--cron", "0 3 * * *", "--tz", "UTC", "--demo")
        self.agent("schedule", "pause", "nightly")
        self.db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"), isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.db.execute("PRAGMA synchronous = OFF")
        self.templates = {key: Template(self.db, run_id) for key, run_id in ids.items()}
        for table in (*RUN_TABLES, "runs", "goals"):
            self.db.execute(f"DELETE FROM {table}")

    # ---- what is to be ---------------------------------------------------------------------

    def new_id(self, ms):
        bits = ms << 80 | 7 << 76 | self.random.getrandbits(12) << 64 | 2 << 62 | self.random.getrandbits(62)
        text = f"{bits:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def first_end(self, goal, passes):
        if self.random.random() < passes:
            return "passed"
        return self.random.choices(("failed", "error", "blocked", "cancelled"), (85, 9, 4, 2))[0]

    def plan_sweep(self, begun_ms):
        sweep, plan = self.new_id(begun_ms), []
        self.sweeps[sweep] = [begun_ms, begun_ms, {}]
        for no, goal in enumerate([g for g in GOALS if g[0]], 1):
            start = begun_ms + no * 20000
            states = [self.first_end(goal, goal[2])]
            if states[0] != "passed":
                states.append(self.first_end(goal, goal[3]))
            self.sweeps[sweep][2][no] = (goal, states)
            lane = self.random.choice(LANES)
            plan += [(start + i * 400000, goal, s, {"sweep_id": sweep, "sweep_no": no, "lane": lane, "pool": f"sweep:{sweep}",
                                                    "owner_command": "ios-agent sweep"}) for i, s in enumerate(states)]
        return plan

    def plan_one(self, begun_ms):
        goal = self.random.choice(GOALS)
        columns = {"agent": self.random.choice(AGENTS), "lane": self.random.choice(LANES)}
        if self.random.random() < .1:
            goal = GOALS[0]
            columns = {"lane": "embedded:schedule-nightly", "kind": "scheduled", "schedule": "nightly"}
        return [(begun_ms, goal, self.first_end(goal, goal[2]), columns)]

    def plan(self, runs, days):
        """More in the day than at night, fewer at weekends; oldest first."""
        plan = []
        while len(plan) < runs:
            at = self.now_ms - int(self.random.random() * days * DAY_MS) - 1800000
            when = datetime.datetime.fromtimestamp(at / 1000, datetime.timezone.utc)
            quiet = (.8 if not 6 <= when.hour < 20 else 0) + (.6 if when.weekday() > 4 else 0)
            if self.random.random() >= quiet:
                sweep = self.random.random() < .06 and runs - len(plan) >= 2 * len(GOALS)
                plan += self.plan_sweep(at) if sweep else self.plan_one(at)
        return sorted(plan, key=lambda p: p[0])

    # ---- copies ----------------------------------------------------------------------------

    def copy(self, begun_ms, goal, state, columns, journal):
        name, text, _, _, seconds = goal
        t = self.templates[text, "error" if state == "cancelled" else state]
        took_ms = int(seconds * 1000 * self.random.lognormvariate(0, .25) * (len(t.rows["events"]) / 20 + .2))
        run_id, goal_id = self.new_id(begun_ms), self.new_id(begun_ms)
        usd = t.run["cost_usd"] * self.random.lognormvariate(0, .2) if self.random.random() > .02 else None
        demo = self.random.random() < .01
        result = json.loads(t.run["result"])
        summary = {"passed": f"Done: {text}", "cancelled": "cancelled"}.get(state, result["summary"].replace(ENDS["failed"][0], ""))
        result.update(state=state, seconds=took_ms / 1000, cost_usd=None if demo else usd, demo=demo, summary=summary,
                      message="" if state == "passed" else summary)
        if state == "cancelled":
            result.update(code="CANCELLED", hint="")
        self.rows["goals"].append({**t.goal, "id": goal_id, "text": text, "name": name, "created_at": iso(begun_ms)})
        run = {**t.run, "id": run_id, "goal_id": goal_id, "model": self.random.choice(MODELS), "demo": int(demo), "state": state,
               "code": result["code"], "summary": summary, "result": pack(result), "cost_usd": usd, "created_at": iso(begun_ms),
               "started_at": iso(begun_ms + 400), "finished_at": iso(begun_ms + took_ms), "heartbeat_at": iso(begun_ms + took_ms),
               "owner_pid": 1, "owner_token": "gone", **columns}
        run["device"] = t.run["device"].replace("embedded:template", run["lane"])
        run["options"] = t.run["options"].replace(pack(t.goal["text"]), pack(text)).replace("embedded:template", run["lane"])
        self.rows["runs"].append(run)
        if "schedule" in columns:
            self.rows["schedule_runs"].append({"schedule": "nightly", "scheduled_for": iso(begun_ms), "run_id": run_id,
                                               "fired_at": iso(begun_ms)})
        if "sweep_id" in columns:
            sweep = self.sweeps[columns["sweep_id"]]
            sweep[1] = max(sweep[1], begun_ms + took_ms)
        if journal:
            self.copy_journal(t, run, {"goal": text, "name": name}, took_ms, result)

    def copy_journal(self, t, run, goal, took_ms, result):
        factor = took_ms / t.took_ms
        price = run["cost_usd"] and run["cost_usd"] / t.run["cost_usd"]
        begun_ms = from_iso(run["created_at"])

        def at(then):
            return then and iso(begun_ms + int((from_iso(then) - t.begun_ms) * factor))

        for table, times in (("messages", ("created_at",)), ("tool_calls", ("intent_at", "done_at"))):
            for row in t.rows[table]:
                self.rows[table].append({**row, "id": None, "run_id": run["id"], "ms": int(row["ms"] * factor),
                                         **{k: at(row[k]) for k in times}})
        for row in t.rows["events"]:
            event = {**row["json"], "run": run["id"], "ts": at(row["ts"])}
            name = event["event"]
            if "ms" in event:
                event["ms"] = int(event["ms"] * factor)
            if name == "run.queued":
                event.update(goal=goal["goal"], lane=run["lane"])
            elif name == "run.started":
                event.update(goal, model=run["model"], demo=bool(run["demo"]), device={**event["device"], "id": run["lane"]})
            elif name == "request.finished":
                event["cost_usd"] = row["usd"] * price if price and not run["demo"] else None
                event["spent"] = {**event["spent"], "usd": event["spent"]["usd"] * (price or 0), "cost_known": bool(price),
                                  "ran_ms": int(event["spent"]["ran_ms"] * factor)}
            elif name == "run.finished":
                event.update({k: v for k, v in result.items() if k in event})
            self.rows["events"].append({"run_id": run["id"], "seq": row["seq"], "type": name, "ts": event["ts"], "json": pack(event)})

    def end_sweeps(self):
        folder = os.path.join(self.home, "goals")
        for sweep, (begun_ms, ended_ms, goals) in self.sweeps.items():
            self.rows["sweeps"].append({
                "id": sweep, "title": "goals", "max_usd": 0, "state": "done", "owner_pid": 1, "owner_token": "gone",
                "options": pack({"folder": folder, "lanes": LANES, "vars": [], "fresh": True, "fail_fast": False, "max_seconds": 0,
                                 "retries": [1] * len(goals)}),
                "created_at": iso(begun_ms), "finished_at": iso(ended_ms)})
            for no, ((name, text, *_), states) in goals.items():
                state = "flaky" if states[-1] == "passed" and len(states) > 1 else states[-1]
                self.rows["sweep_goals"].append({
                    "sweep_id": sweep, "no": no, "name": name, "file": "goals/all.toml", "line": no * 3, "repeat": 1, "needs": "[]",
                    "tags": "[]", "job": pack({"goal": text, "name": name}), "state": state})

    def write(self):
        self.db.execute("BEGIN")
        for table, rows in self.rows.items():
            if table == "events":
                rows.sort(key=lambda r: (r["ts"], r["run_id"], r["seq"]))
            if rows:
                names = list(rows[0])
                sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
                self.db.executemany(sql, ([r[n] for n in names] for r in rows))
        now = iso(self.now_ms)
        self.db.executemany("INSERT OR IGNORE INTO agents (name, memory, created_at, updated_at) VALUES (?, ?, ?, ?)",
                            [(a, f"{a} remembers nothing yet.", now, now) for a in sorted({a for a in AGENTS if a})])
        self.db.execute("COMMIT")
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.db.close()


def make(home, program, runs=10000, days=90, journals=500, seed=1, now_ms=None):
    """Makes the history in a home that has none. Returns its runs (columns of the table), oldest first, and the ids of its sweeps."""
    maker = Maker(home, program, seed, now_ms or int(time.time() * 1000))
    maker.do_templates()
    plan = maker.plan(runs, days)
    for i, (begun_ms, goal, state, columns) in enumerate(plan):
        maker.copy(begun_ms, goal, state, columns, journal=i >= runs - journals)
    maker.end_sweeps()
    maker.write()
    return {"runs": maker.rows["runs"], "sweeps": list(maker.sweeps)}


def main():
    parser = argparse.ArgumentParser(description="Makes a long history in the folder HOME.")
    parser.add_argument("home")
    for name, value in (("--runs", 10000), ("--days", 90), ("--journals", 500), ("--seed", 1)):
        parser.add_argument(name, type=int, default=value)
    args = parser.parse_args()
    made = make(os.path.abspath(args.home), os.path.abspath(os.environ["IOS_AGENT"]), args.runs, args.days, args.journals, args.seed)
    print(f"{len(made['runs'])} runs, {len(made['sweeps'])} sweeps in {args.home}")


if __name__ == "__main__":
    main()
