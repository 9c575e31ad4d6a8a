"""schedule: from the command line to the run and its history, and what is refused."""
import datetime
import os
import sqlite3
import unittest

from harness import Case

LOOK = "open Settings, check that General is on the screen"
EMPTY = {"ANTHROPIC_API_KEY": "", "ANTHROPIC_AUTH_TOKEN": ""}


def iso(**ago):
    t = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**ago)
    return t.strftime("%Y-%m-%dT%H:%M:%S.") + "000Z"


class Schedule(Case):
    def ok(self, *args, env=None):
        done = self.run_agent("schedule", *args, "--json", env=env)
        self.assertEqual(done.code, 0, done)
        return done.envelope()["result"]

    def add(self, *args, name="nightly", when=("--cron", "0 3 * * 1-5"), goal=LOOK):
        return self.ok("add", "--name", name, *when, "--demo", *args, goal)

    def history(self, name="nightly"):
        return self.ok("history", name)["fires"]

    def overdue(self, name="nightly", **ago):
        """As if nothing had been ticking since then."""
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"))
        with db:
            then = iso(**ago)
            changed = db.execute(
                "UPDATE schedules SET next_at = ?, spec = iif(kind = 'at', ?, spec) WHERE name = ?",
                (then, then[:19] + "Z", name))
            self.assertEqual(changed.rowcount, 1)
        db.close()

    # ---- from add to the verdict -------------------------------------------------------------

    def test_what_is_due_runs_once_and_its_verdict_is_in_the_history(self):
        added = self.add("--tz", "Europe/Zurich")
        self.assertEqual((added["state"], added["spec"], added["tz"]), ("active", "0 3 * * 1-5", "Europe/Zurich"))
        self.assertEqual(self.ok("tick")["fired"], [], "not due yet")
        self.overdue(minutes=10)
        ticked = self.ok("tick")
        self.assertEqual([f["schedule"] for f in ticked["fired"]], ["nightly"])
        self.assertEqual([r["state"] for r in ticked["runs"]], ["passed"])
        self.assertEqual(self.ok("tick")["fired"], [], "a fire is done once")
        fires = self.history()
        self.assertEqual([f["state"] for f in fires], ["passed"])
        self.assertEqual(fires[0]["run"], ticked["runs"][0]["run"])
        self.assertEqual([r["state"] for r in self.runs()], ["passed"])

    def test_a_single_moment_is_done_after_its_fire(self):
        later = (datetime.datetime.now() + datetime.timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")
        added = self.add(when=("--at", later, "--tz", "UTC"))
        self.assertEqual(added["next"], later + ":00.000Z")
        self.overdue(seconds=5)
        self.assertEqual(len(self.ok("tick")["fired"]), 1)
        self.assertEqual(self.ok("show", "nightly")["state"], "done")

    def test_an_interval_fires_first_after_one_interval(self):
        self.add(when=("--every", "1h30m"))
        shown = self.ok("show", "nightly")
        self.assertEqual((shown["kind"], shown["spec"]), ("every", "5400"))
        self.assertEqual(len(shown["next_fires"]), 5)
        self.assertEqual(self.ok("tick")["fired"], [])

    def test_run_now_queues_a_run_that_tick_does(self):
        self.add()
        run = self.ok("run-now", "nightly")["run"]
        self.assertEqual([(r["run"], r["state"]) for r in self.ok("tick")["runs"]], [(run, "passed")])

    def test_a_precheck_that_says_no_skips_with_its_reason(self):
        self.add("--if", "echo no build yet; exit 3")
        self.overdue(minutes=2)
        fired = self.ok("tick")["fired"]
        self.assertEqual([f["run"] for f in fired], [None])
        self.assertIn("no build yet", fired[0]["reason"])
        self.assertEqual([f["state"] for f in self.history()], ["skipped"])
        self.assertEqual(self.runs(), [])

    def test_all_that_were_missed_run_one_after_the_other(self):
        added = self.add("--missed", "all", when=("--cron", "0 * * * *"))
        self.assertEqual(added["overlap"], "queue")
        self.overdue(hours=3)
        ticked = self.ok("tick")
        self.assertGreaterEqual(len(ticked["runs"]), 3)
        self.assertEqual({r["state"] for r in ticked["runs"]}, {"passed"})
        self.assertEqual([f["reason"] for f in ticked["fired"]], [None] * len(ticked["runs"]))
        kept = self.add("--missed", "all", "--overlap", "skip", name="first")
        self.assertEqual(kept["overlap"], "skip")

    def test_fresh_starts_each_run_in_factory_state(self):
        self.run_agent("run", "open Settings, turn on Airplane Mode", "--demo")
        self.assertTrue(self.state()["settings"]["airplane_mode"])
        self.add("--fresh", "--device", "embedded")
        self.overdue(minutes=1)
        self.ok("tick")
        self.assertFalse(self.state()["settings"]["airplane_mode"])

    def test_a_schedule_has_a_phone_of_its_own_unless_it_names_one(self):
        self.run_agent("run", "open Settings, turn on Airplane Mode", "--demo")
        self.assertEqual(self.add("--fresh")["device"], "embedded:schedule-nightly")
        self.overdue(minutes=1)
        self.assertEqual([f["device"] for f in self.ok("tick")["fired"]], ["embedded:schedule-nightly"])
        self.assertTrue(self.state()["settings"]["airplane_mode"], "the default phone stays as it was")
        self.assertFalse(self.state("--device", "embedded:schedule-nightly")["settings"]["airplane_mode"])
        self.assertEqual(self.add(name="Nightly.1")["device"], "embedded:schedule-nightly-1")
        long = self.add(name="n" * 64)
        self.assertRegex(long["device"], "^embedded:schedule-n+$")
        kept = self.ok("edit", "Nightly.1", "--cron", "0 4 * * *")
        self.assertEqual(kept["device"], "embedded:schedule-nightly-1")

    def test_the_text_says_what_happens_next(self):
        done = self.run_agent("schedule", "add", "--name", "n", "--cron", "@daily", "--tz", "UTC", "--demo", LOOK)
        self.assertEqual(done.code, 0, done)
        for part in ("added n: @daily", "next ", "00:00 (UTC)", "demo brain", "schedule tick"):
            self.assertIn(part, done.out)
        listed = self.run_agent("schedule", "list")
        self.assertRegex(listed.out, r"(?m)^n +active +\w{3} \d{4}-\d\d-\d\d 00:00 +@daily +UTC +-$")
        self.overdue("n", minutes=1)
        ticked = self.run_agent("schedule", "tick")
        self.assertEqual(ticked.code, 0, ticked)
        self.assertIn("n started run ", ticked.out)
        self.assertIn("passed", ticked.out)

    # ---- changing ------------------------------------------------------------------------------

    def test_pause_cancels_what_waits_and_resume_makes_nothing_up(self):
        self.add()
        self.ok("run-now", "nightly")
        self.assertEqual(self.ok("pause", "nightly"), {"name": "nightly", "cancelled": 1})
        ticked = self.ok("tick")
        self.assertEqual((ticked["fired"], ticked["runs"]), ([], []))
        self.assertEqual([r["state"] for r in self.runs()], ["cancelled"])
        self.assertEqual(self.ok("show", "nightly")["state"], "paused")
        self.assertEqual(self.ok("resume", "nightly")["state"], "active")
        self.assertEqual(self.ok("tick")["fired"], [])

    def test_edit_changes_what_is_named_and_keeps_the_rest(self):
        self.add("--expect", 'visible "General"', "--max-steps", "7", "--hint", "look around",
                 "--notify", "https://user:pw@hooks.example/T0/secret?x", "--if", "true")
        before = self.ok("show", "nightly")
        self.assertEqual(before["notify"], "https://hooks.example/…")
        edited = self.ok("edit", "nightly", "--cron", "30 4 * * *", "--max-steps", "9", "--if", "")
        self.assertEqual((edited["spec"], edited["if"]), ("30 4 * * *", None))
        for key in ("tz", "missed", "overlap", "grace_s", "notify", "device", "created"):
            self.assertEqual(edited[key], before[key], key)
        run = {**before["run"], "budget": {**before["run"]["budget"], "max_steps": 9}}
        self.assertEqual(edited["run"], run)
        goal = self.ok("edit", "nightly", "open Settings")
        self.assertEqual(goal["run"], {**run, "goal": "open Settings"})
        self.assertEqual(goal["next"], edited["next"], "what does not concern time does not move it")

    def test_edit_without_a_change_changes_nothing(self):
        self.add("--app", "com.example.contacts", "--device", "embedded:qa", "--max-usd", "0.25", "--max-seconds", "0",
                 "--verify", "always", "--model", "claude-opus-5-5", "--retries", "2", "--fresh", "--pictures", "off")
        before = self.ok("show", "nightly")
        self.ok("edit", "nightly")
        after = self.ok("show", "nightly")
        self.assertEqual({**after, "updated": 0}, {**before, "updated": 0})

    def test_a_removed_one_is_gone_and_its_runs_stay(self):
        self.add()
        self.ok("run-now", "nightly")
        self.ok("tick")
        self.assertEqual(self.ok("remove", "nightly")["cancelled"], 0)
        self.assertEqual(self.ok("list")["schedules"], [])
        self.assertEqual([r["state"] for r in self.runs()], ["passed"])

    # ---- what cannot be used any more ------------------------------------------------------------

    def test_a_broken_series_is_retired_and_says_so_everywhere_until_it_is_mended(self):
        self.add()
        self.add(name="other")
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"))
        with db:
            db.execute("UPDATE schedules SET zone = 'Mars/Phobos' WHERE name = 'nightly'")
        db.close()
        self.overdue(minutes=1)
        self.overdue("other", minutes=1)
        ticked = self.ok("tick")
        self.assertEqual({f["schedule"]: f["retired"] for f in ticked["fired"]}, {"nightly": True, "other": False})
        listed = {s["name"]: s for s in self.ok("list")["schedules"]}
        self.assertEqual(listed["nightly"]["state"], "retired")
        self.assertIn("Mars/Phobos", listed["nightly"]["problem"])
        doctor = self.run_agent("doctor", "--json").envelope()["result"]
        check = [c for c in doctor["checks"] if c["name"] == "schedules"][0]
        self.assertEqual(check["status"], "warn", check)
        self.assertIn("nightly", check["detail"])
        self.assertEqual(self.ok("edit", "nightly", "--tz", "UTC")["state"], "active")

    # ---- what is refused -------------------------------------------------------------------------

    def refused(self, args, *parts, code=2, name="USAGE"):
        self.check_error(["schedule", *args], code, name, *parts)

    def test_a_bad_time_is_exit_2_with_the_place(self):
        add = ["add", "--name", "n", "--demo", LOOK]
        self.refused([*add, "--cron", "0 25 * * *"], "0 25 * * *", "\n      ^", "hour")
        self.refused([*add, "--cron", "0 0 30 feb *"], "never run")
        self.refused([*add, "--cron", "* * * *"], "day of the week is missing")
        self.refused([*add, "--every", "0m"], "not an interval", "30m")
        self.refused([*add, "--every", "3 days"], "not an interval")
        self.refused([*add, "--at", "2020-01-01T00:00", "--tz", "UTC"], "past")
        self.refused([*add, "--at", "tomorrow"], "not a date")
        self.refused([*add, "--cron", "@daily", "--tz", "Europe/Zurch"], "Zurch", "did you mean Europe/Zurich?")
        self.refused([*add, "--cron", "@daily", "--every", "1h"], "one of --cron, --every or --at")
        self.refused(add, "one of --cron, --every or --at")
        self.assertEqual(self.ok("list")["schedules"], [])

    def test_other_mistakes_are_exit_2(self):
        daily = ["--cron", "@daily", "--demo"]
        self.refused(["add", *daily, LOOK], "--name")
        self.refused(["add", "--name", "a b", *daily, LOOK], "not a valid name")
        self.refused(["add", "--name", "n", *daily, " "], "goal is empty")
        self.refused(["add", "--name", "n", *daily, "--grace", "x", LOOK], "--grace")
        self.refused(["add", "--name", "n", *daily, "--notify", "ftp://x/y", LOOK], "http or https")
        self.refused(["add", "--name", "n", *daily, "--missed", "never", LOOK], "latest|all|skip")
        self.refused(["add", "--name", "n", *daily, "--expect", "visible", LOOK], "visible", name="PARSE")
        self.refused(["add", "--name", "n", *daily, "--agent", "nobody", LOOK], "nobody", name="NOT_FOUND")
        self.refused(["add", "--name", "n", *daily, "--device", "iPhone", LOOK], "iPhone", code=3, name="NO_DEVICE")
        self.refused(["add", "--name", "n", *daily, "--device", "embedded:../up", LOOK], "../up")
        for url in ("https://", "http:///x", "https://:80/", "http://@/"):
            self.refused(["add", "--name", "n", *daily, "--notify", url, LOOK], "no host")
        self.add()
        self.refused(["add", "--name", "nightly", *daily, LOOK], "nightly", "schedule edit", name="EXISTS")
        for verb in ("show", "pause", "resume", "remove", "history", "run-now", "edit"):
            self.refused([verb, "nighty"], "nighty", "did you mean nightly?", name="NOT_FOUND")
        self.refused(["resume", "nightly"], "not paused", name="STATE")
        self.assertEqual(len(self.ok("list")["schedules"]), 1)


unittest.main()
