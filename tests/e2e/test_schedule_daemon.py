"""Schedules that fire by themselves: the daemon, notices, the status of a tick, kills."""
import json
import os
import signal
import sqlite3
import unittest

from harness import SOURCE, TIMEOUT_S, Case
from hook import SECRET, Hook

LOOK = "open Settings, check that General is on the screen"


class Firing(Case):
    def schedule(self, *args, code=0, **more):
        result = self.run_agent("schedule", *args, "--json", **more)
        self.assertEqual(result.code, code, result)
        return result.envelope()["result"]

    def add(self, name="nightly", *args):
        return self.schedule("add", "--name", name, "--cron", "0 3 * * *", "--demo", *args, LOOK)

    def sql(self, text, *values):
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"), timeout=TIMEOUT_S)
        with db:
            rows = db.execute(text, values).fetchall()
        db.close()
        return rows

    def make_due(self, name="nightly"):
        """The clock cannot be moved: instead the schedule is due since now."""
        self.sql("UPDATE schedules SET next_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE name = ?", name)

    def hook(self, *statuses):
        hook = Hook(*statuses)
        self.addCleanup(hook.close)
        return hook

    def daemon(self):
        daemon = self.start_agent("daemon")
        self.read_until(daemon, "ready:")
        return daemon

    def read_until(self, process, text):
        seen = []
        for line in process.stdout:
            seen.append(line)
            if text in line:
                return seen
        self.fail("".join(seen) + process.stderr.read())

    def stop(self, daemon):
        daemon.send_signal(signal.SIGTERM)
        out, err = daemon.communicate(timeout=TIMEOUT_S)
        self.assertEqual(daemon.returncode, 0, out + err)

    # ---- the daemon

    def test_the_daemon_fires_what_comes_due_once(self):
        self.add()
        daemon = self.daemon()
        self.make_due()
        seen = self.read_until(daemon, " passed")
        self.assertTrue(any("schedule nightly started run " in line for line in seen), seen)
        self.stop(daemon)
        self.assertEqual(self.sql("SELECT count(*) FROM schedule_runs"), [(1,)])
        self.assertEqual([r["state"] for r in self.runs()], ["passed"])

    def test_doctor_says_whether_anybody_fires_them(self):
        self.add()
        self.assertIn("no daemon runs", self.run_agent("doctor").out)
        daemon = self.daemon()
        self.assertIn("the daemon runs", self.run_agent("doctor").out)
        self.stop(daemon)

    def test_a_schedule_that_comes_while_the_daemon_runs_is_seen(self):
        daemon = self.daemon()
        self.add()
        self.make_due()
        self.read_until(daemon, " passed")
        self.stop(daemon)

    def test_a_precheck_does_not_hold_the_end_of_the_daemon(self):
        mark = os.path.join(self.folder, "mark")
        os.mkfifo(mark)
        self.add("nightly", "--if", f"echo > {mark}; exec sleep 1000")
        daemon = self.daemon()
        self.make_due()
        with open(mark, encoding="utf-8"):  # the precheck runs
            self.stop(daemon)
        self.assertEqual(self.sql("SELECT count(*) FROM schedule_runs"), [(0,)])

    def test_wherever_a_tick_is_killed_the_fire_has_one_run(self):
        for i, at in enumerate(("schedule.fire.before", "store.commit.before", "store.commit.after:2")):
            name = f"n{i}"
            self.add(name)
            self.make_due(name)
            killed = self.run_agent("schedule", "tick", env={"IOS_AGENT_KILL_AT": at})
            self.assertEqual(killed.code, -signal.SIGKILL, killed)
            self.schedule("tick")
            self.assertEqual([f["state"] for f in self.schedule("history", name)["fires"]], ["passed"], at)
        self.assertEqual(len(self.runs()), 3)

    # ---- the status of a tick

    def test_a_tick_ends_with_the_worst_status_of_its_runs(self):
        self.add("good")
        self.add("bad", "--expect", 'visible "Nonsense"', "--device", "embedded:bad")
        self.make_due("good")
        self.make_due("bad")
        result = self.schedule("tick", code=1)
        self.assertEqual(sorted(r["state"] for r in result["runs"]), ["failed", "passed"])

    def test_the_help_and_the_manual_say_with_which_status_a_tick_ends(self):
        said = self.run_agent("schedule", "tick", "--help").out
        with open(os.path.join(SOURCE, "docs", "ios-agent.1"), encoding="utf-8") as f:
            page = f.read()
        manual = page[page.index(".B schedule tick"):]
        for text in (said, manual[: manual.index(".SS")]):
            text = " ".join(text.split())
            self.assertRegex(text, "worst( status)? of the runs, or (with )?7 when it was stopped")

    # ---- notices

    def test_a_command_gets_the_change_of_verdict_as_json(self):
        told = os.path.join(self.folder, "told")
        self.add("nightly", "--expect", 'visible "Nonsense"', "--notify", f"cat >> {told}; echo >> {told}")
        for _ in range(2):  # the second failure is nothing new
            self.schedule("run-now", "nightly")
            self.schedule("tick", code=1)
        self.schedule("edit", "nightly", "--expect", 'visible "General"')
        self.schedule("run-now", "nightly")
        self.schedule("tick")
        with open(told, encoding="utf-8") as f:
            failed, passed = [json.loads(line) for line in f]
        self.assertEqual((failed["state"], failed["was"], failed["passed"]), ("failed", None, False))
        self.assertEqual((passed["state"], passed["was"], passed["passed"]), ("passed", "failed", True))
        self.assertEqual((failed["schedule"], failed["goal"], failed["demo"]), ("nightly", LOOK, True))
        self.assertIn(failed["run"], [r["id"] for r in self.runs()])
        self.assertIsNone(failed["cost_usd"])

    def test_a_tick_says_when_nobody_could_be_told(self):
        self.add("nightly", "--expect", 'visible "Nonsense"', "--notify", "echo away >&2; exit 3")
        self.schedule("run-now", "nightly")
        ticked = self.run_agent("schedule", "tick")
        self.assertEqual(ticked.code, 1, ticked)
        self.assertRegex(ticked.out, "nightly: the notification was not delivered: .*away")

    def test_a_webhook_gets_a_post_and_its_secrets_are_shown_nowhere(self):
        hook = self.hook()
        self.add("nightly", "--expect", 'visible "Nonsense"', "--notify", hook.url)
        self.schedule("run-now", "nightly")
        self.schedule("tick", code=1)
        (path, kind, body), = hook.got
        self.assertEqual((path, kind, body["state"]), (f"/hook/{SECRET}", "application/json", "failed"))
        for args in (("show", "nightly"), ("list",)):
            for form in ((), ("--json",)):
                self.assertNotIn(SECRET, self.run_agent("schedule", *args, *form).out)
        for root, _, files in os.walk(self.home):
            for name in files:
                if name.endswith(".log"):
                    with open(os.path.join(root, name), encoding="utf-8") as f:
                        self.assertNotIn(SECRET, f.read())

    def test_the_daemon_tells_a_webhook_and_tries_again(self):
        hook = self.hook(500)
        self.add("nightly", "--expect", 'visible "Nonsense"', "--notify", hook.url)
        daemon = self.daemon()
        self.schedule("run-now", "nightly")
        lines = "".join(self.read_until(daemon, "answered with status 500"))
        self.assertNotIn(SECRET, lines)
        self.sql("UPDATE notices SET due_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')")
        self.read_until(daemon, "the notification was delivered")
        self.stop(daemon)
        self.assertEqual([body["run"] for _, _, body in hook.got], [self.runs()[0]["id"]] * 2)

    def test_a_tick_that_is_killed_before_it_tells_is_made_good(self):
        for i, at in enumerate(("notify.take.before", "notify.deliver.before")):
            hook = self.hook()
            self.add(f"n{i}", "--expect", 'visible "Nonsense"', "--notify", hook.url)
            self.schedule("run-now", f"n{i}")
            killed = self.run_agent("schedule", "tick", env={"IOS_AGENT_KILL_AT": at})
            self.assertEqual(killed.code, -signal.SIGKILL, killed)
            self.assertEqual(hook.got, [])
            self.sql("UPDATE notices SET due_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE state = 'waiting'")
            self.schedule("tick")
            self.assertEqual([body["schedule"] for _, _, body in hook.got], [f"n{i}"], at)


if __name__ == "__main__":
    unittest.main()
