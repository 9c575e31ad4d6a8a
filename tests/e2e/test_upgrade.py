"""A home that a program of an earlier schema version left (tests/data/homes) is opened by this one: everything in it is still there and
goes on. A home of a later version is refused and left as it is."""
import glob
import hashlib
import http.server
import json
import os
import shutil
import sqlite3
import threading
import unittest

import event_schema
from harness import SOURCE, Case

HOMES = os.path.join(SOURCE, "tests", "data", "homes")
SCHEMA = sorted(glob.glob(os.path.join(SOURCE, "src", "store", "schema", "*.sql")))
APPLICATION_ID = 0x494F5341
KEY = "sk-ant-of-the-old-home"
# The tables that the programs from that version on filled: without rows their tests would show nothing.
FILLED = {1: ("runs", "messages", "tool_calls", "events", "secrets", "leases"), 2: ("sweeps", "sweep_goals", "inbox"),
          3: ("schedules", "schedule_runs", "notices"), 5: ("recordings",), 8: ("questions",)}
ENDED = {"passed", "failed", "blocked", "error", "cancelled"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Upgrade(Case):
    """The tests of one version; a class for each is made below."""

    version = 0

    def setUp(self):
        super().setUp()
        made = os.path.join(HOMES, f"v{self.version}")
        shutil.copytree(made, self.home)
        os.chmod(self.home, 0o700)
        os.chmod(os.path.join(self.home, "sealing.key"), 0o600)
        rows = os.path.join(self.home, "rows.sql")
        self.path = os.path.join(self.home, "ios-agent.db")
        db = sqlite3.connect(self.path)
        db.executescript("PRAGMA journal_mode = WAL;")
        for migration in SCHEMA[:self.version]:
            db.executescript(read(migration))
        db.executescript(f"{read(rows)}\nPRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {self.version};")
        self.assertEqual(db.execute("PRAGMA foreign_key_check").fetchall(), [])
        db.close()
        os.remove(rows)
        self.before = self.rows()
        self.addCleanup(self.check_events)

    def query(self, sql, *values):
        db = sqlite3.connect(self.path)
        try:
            db.row_factory = sqlite3.Row
            return [dict(row) for row in db.execute(sql, values)]
        finally:
            db.close()

    def rows(self):
        """Every row of every table, by its rowid where it has one."""
        tables = self.query("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return {t["name"]: self.query(f"SELECT * FROM {t['name']}") for t in tables}

    def result(self, *args, code=0, **more):
        done = self.run_agent(*args, "--json", **more)
        self.assertEqual(done.code, code, done)
        return done.envelope()["result"]

    def old(self, table):
        return self.before.get(table, [])

    def check_events(self):
        """Those of the present version fit its schema; older ones may lack what was added since."""
        newest = max(event["id"] for event in self.old("events"))
        for event in self.query("SELECT json FROM events WHERE id > ?", newest):
            event_schema.check(json.loads(event["json"]))
        os.remove(self.path)

    # ---- nothing is lost ---------------------------------------------------------------------

    def test_every_row_is_still_there(self):
        self.result("runs")
        self.assertEqual(self.query("PRAGMA user_version")[0]["user_version"], len(SCHEMA))
        self.assertEqual(self.query("PRAGMA integrity_check"), [{"integrity_check": "ok"}])
        self.assertEqual(self.query("PRAGMA foreign_key_check"), [])
        after = self.rows()
        self.assertLessEqual(set(self.before), set(after))
        for table, rows in self.before.items():
            kept = [{column: row[column] for column in rows[0]} for row in after[table]] if rows else after[table]
            self.assertEqual(kept, rows, table)

    def test_runs_and_their_reports_are_as_they_were(self):
        listed = {run["id"]: run for run in self.result("runs")["runs"]}
        self.assertEqual(set(listed), {run["id"] for run in self.old("runs")})
        for run in self.old("runs"):
            row = listed[run["id"]]
            self.assertEqual(row["steps"], run["steps"])
            self.assertEqual(row["state"], run["state"] if run["state"] in ENDED else "running")
            shown = self.run_agent("show", run["id"], "--transcript")
            self.assertEqual(shown.code, 0, shown)
            for call in self.old("tool_calls"):
                if call["run_id"] == run["id"] and call["state"] == "done":
                    self.assertRegex(shown.out, rf"\b{call['step']} +{call['name']} ")
            report = json.loads(self.run_agent("report", run["id"], "--format", "json", "--out", "-").out)
            self.assertIn(run["id"], json.dumps(report))
            html = self.run_agent("report", run["id"], "--out", os.path.join(self.folder, f"{run['id']}.html"))
            self.assertEqual(html.code, 0, html)

    def test_sweeps_and_schedules_are_as_they_were(self):
        self.assertEqual({s["id"] for s in self.result("sweeps")["sweeps"]}, {s["id"] for s in self.old("sweeps")})
        for sweep in self.old("sweeps"):
            self.assertEqual(self.run_agent("show", sweep["id"]).code, 0)
            report = self.run_agent("report", sweep["id"], "--format", "junit", "--out", "-")
            self.assertIn("<testsuite", report.out)
        listed = {s["name"]: s for s in self.result("schedule", "list")["schedules"]}
        self.assertEqual(set(listed), {s["name"] for s in self.old("schedules")})
        for schedule in self.old("schedules"):
            row = listed[schedule["name"]]
            self.assertEqual((row["spec"], row["tz"], row["last_verdict"]),
                             (schedule["spec"], schedule["zone"], schedule["last_verdict"]))
            fires = self.result("schedule", "history", schedule["name"])["fires"]
            self.assertEqual([f["run"] for f in fires], [f["run_id"] for f in self.old("schedule_runs")])

    # ---- and it goes on ----------------------------------------------------------------------

    def test_a_run_that_was_killed_goes_on_and_passes(self):
        left = [run["id"] for run in self.old("runs") if run["state"] == "running"]
        self.assertEqual(len(left), 1)
        done = [c["name"] for c in self.old("tool_calls") if c["run_id"] == left[0]]
        self.assertEqual(done[0], "tap")
        if self.version == 1:  # programs of this version could not resume
            done = self.run_agent("resume", left[0])
            self.assertEqual(done.code, 3, done)
            self.assertIn("could not resume runs\n  hint: Run its goal again.", done.err)
            return
        result = self.result("resume", left[0])
        self.assertEqual(self.query("SELECT state FROM runs WHERE id = ?", left[0]), [{"state": "passed"}], result)
        # What was done before was not done again.
        self.assertEqual([op["op"] for op in self.log("--device", "embedded:left")], ["tap"] * 4)
        self.assertTrue(self.state("--device", "embedded:left")["settings"]["low_power_mode"])
        for text in self.old("inbox"):
            said = self.query("SELECT count(*) AS n FROM messages WHERE run_id = ? AND purpose = 'act' AND instr(content, ?) > 0",
                              left[0], text["text"])
            self.assertEqual(said[0]["n"], 1)

    def test_a_schedule_fires_again(self):
        for schedule in self.old("schedules"):
            self.result("schedule", "run-now", schedule["name"])
            self.result("schedule", "tick", code=1)
            states = [f["state"] for f in self.result("schedule", "history", schedule["name"])["fires"]]
            # The times that went by while nothing ran the schedule are skipped, and said to be.
            self.assertIn("skipped", states)
            self.assertEqual([s for s in states if s != "skipped"], ["failed"] * (len(self.old("schedule_runs")) + 1))

    def test_a_recording_is_replayed(self):
        self.assertEqual({r["id"] for r in self.result("recordings", "list")["recordings"]},
                         {r["id"] for r in self.old("recordings")})
        for recording in self.old("recordings"):
            result = self.result("replay", recording["run_id"], "--fresh")
            self.assertEqual((result["state"], result["tokens"]["input"]), ("passed", 0))

    def test_a_question_is_answered(self):
        for question in self.old("questions"):
            self.assertEqual([q["id"] for q in self.result("questions")["questions"]], [question["id"]])
            self.result("approve", question["id"])
            self.result("resume", question["run_id"], env={"IOS_AGENT_POLICY_ASK_TOOLS": "tap"})
            self.assertEqual(self.query("SELECT state FROM questions"), [{"state": "used"}])
            self.assertEqual([op["op"] for op in self.log("--device", "embedded:asks")], ["tap", "tap"])

    def test_the_key_and_the_secrets_can_be_read(self):
        self.assertEqual(self.result("key", "status")["key_file"], "OK")
        self.assertEqual(self.key_of_a_request(), KEY)
        sealed = [s["name"] for s in self.result("secret", "list")["secrets"]]
        self.assertEqual(len(sealed) + 1, len(self.old("secrets")))
        for name in sealed:
            goal = "open Shop, log in as ada with password {{secret:%s}}, check that Account is visible" % name
            self.result("run", "--demo", "--fresh", goal, "--secret", name)

    def test_a_new_run_passes(self):
        self.result("run", "--demo", "--fresh", "open Settings, turn on Airplane Mode")
        self.assertEqual(len(self.query("SELECT id FROM runs")), len(self.old("runs")) + 1)

    def key_of_a_request(self):
        """The API key that a run sends."""
        keys = []

        class Api(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                keys.append(self.headers["x-api-key"])
                self.send_error(401)

            def log_message(self, *args):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Api) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            try:
                done = self.run_agent("run", "--fresh", "look", env={"ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}"})
            finally:
                server.shutdown()
                thread.join()
        self.assertEqual(done.code, 6, done)
        return keys[0]


class Downgrade(Case):
    COMMANDS = [["run", "--demo", "look"], ["runs"], ["show", "last"], ["report", "last"], ["resume"], ["sweeps"],
                ["schedule", "list"], ["schedule", "tick"], ["key", "status"], ["secret", "list"], ["recordings", "list"]]

    def bytes(self):
        """The files of the database, by their SHA-256."""
        found = {}
        for path in glob.glob(os.path.join(self.home, "ios-agent.db*")):
            with open(path, "rb") as file:
                found[os.path.basename(path)] = hashlib.sha256(file.read()).hexdigest()
        return found

    def test_a_later_schema_is_refused_by_every_command_and_no_byte_changes(self):
        self.assertEqual(self.run_agent("run", "--demo", "open Settings").code, 0)
        path = os.path.join(self.home, "ios-agent.db")
        db = sqlite3.connect(path)
        db.executescript(f"CREATE TABLE of_later (x); PRAGMA user_version = {len(SCHEMA) + 1};")
        db.close()
        before = self.bytes()
        self.assertEqual(list(before), ["ios-agent.db"])
        for command in self.COMMANDS:
            error = self.check_error(command, 3, "DB_NEWER", f"schema version is {len(SCHEMA) + 1}",
                                     f"versions up to {len(SCHEMA)}", "update ios-agent")["error"]
            self.assertIn("was left unchanged", error["hint"])
            self.assertEqual(self.bytes(), before, command)


class Versions(unittest.TestCase):
    def test_there_is_a_home_of_every_version_before_the_present_one(self):
        homes = {int(os.path.basename(path)[1:]) for path in glob.glob(os.path.join(HOMES, "v*"))}
        self.assertLessEqual(set(range(1, len(SCHEMA))), homes)
        self.assertLessEqual(max(homes), len(SCHEMA))

    def test_each_home_has_rows_of_what_its_program_could_do(self):
        for path in glob.glob(os.path.join(HOMES, "v*")):
            rows = read(os.path.join(path, "rows.sql"))
            for since, tables in FILLED.items():
                for table in tables if int(os.path.basename(path)[1:]) >= since else ():
                    self.assertIn(f'INSERT INTO "{table}"', rows, path)


def load_tests(loader, tests, _):
    """A class for each home, so that a failure names its version."""
    suite = unittest.TestSuite(loader.loadTestsFromTestCase(c) for c in (Downgrade, Versions))
    for path in glob.glob(os.path.join(HOMES, "v*")):
        name = os.path.basename(path)
        one = type(f"Upgrade_{name}", (Upgrade,), {"version": int(name[1:])})
        suite.addTests(loader.loadTestsFromTestCase(one))
    return suite


if __name__ == "__main__":
    unittest.main()
