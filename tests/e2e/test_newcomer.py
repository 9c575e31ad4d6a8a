"""The mistakes of a first day: each answer says what to write instead."""
import json
import os
import pathlib
import socket
import subprocess
import unittest

from harness import ADA, PROGRAM, Case, Terminal
from xcode_case import GONE, PHONE, PRO, WithXcode


class Mistakes(Case):
    def write(self, name, text):
        path = pathlib.Path(self.folder, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return name

    def test_a_goal_that_is_not_quoted(self):
        self.check_error(["run", "open", "Settings"], 2, "USAGE", 'ios-agent run "open Settings"')

    def test_a_goal_file_given_to_run(self):
        self.write("goals/x.toml", '[[goal]]\nname = "x"\ngoal = "open Settings"\n')
        for name in ("goals/x.toml", "goals/", "nowhere.toml"):
            self.check_error(["run", name], 2, "USAGE", f"ios-agent sweep {name}")
        self.assertEqual(self.runs(), [])

    def test_the_first_word_of_a_command_alone(self):
        for word, rest in (("key", "set, status or remove"), ("bridge", "build, start, stop, status or logs"),
                           ("embedded", "state, log, bugs or serve"), ("schedule", "add, list, show")):
            self.check_error([word], 2, "USAGE", f"ios-agent {word} {rest}")
            help_text = self.run_agent(word, "--help")
            self.assertEqual(help_text.code, 0)
            self.assertIn(f"ios-agent {word} {rest.split(',')[0]}", help_text.out)

    def test_words_that_are_no_commands(self):
        for args, hint in ((["schedul", "list"], "ios-agent schedule list?"),
                           (["click", "General"], "ios-agent tap REF taps an element"),
                           (["setup"], "ios-agent init writes a project's first files"),
                           (["daemon", "isntall"], "ios-agent daemon install?")):
            self.check_error(args, 2, "USAGE", hint)

    def test_a_schedule_with_two_mistakes_hears_of_both(self):
        self.check_error(["schedule", "add", "--cron", "61 * * * *", "open Settings"], 2, "USAGE",
                         "--name", "61")
        self.check_error(["schedule", "add", "open Settings"], 2, "USAGE", "--name", "--cron")
        self.check_error(["schedule", "add", "--name", "n", "--cron", "61 * * * *", "open Settings"], 2,
                         "USAGE", "61")

    def test_a_sweep_on_a_schedule_is_answered_with_a_line_for_cron(self):
        self.check_error(["schedule", "add", "--name", "n", "--cron", "30 2 * * *", "--sweep", "goals"], 3,
                         "UNSUPPORTED", "30 2 * * * cd PROJECT && ios-agent sweep goals --report-dir report")
        self.check_error(["schedule", "add", "--name", "n", "--cron", "30 2 * * *"], 2, "USAGE",
                         "schedule add needs GOAL")

    def test_a_string_without_its_closing_quote(self):
        for name, text, place in (("a.toml", '[[goal]]\nname = "x\ngoal = "y"\n', "a.toml:2:"),
                                  ("b.toml", "[[goal]]\nname = 'x\n", "b.toml:2:"),
                                  ("c.toml", '[[goal]]\nname = """x\ngoal = 1\n', "c.toml:"),
                                  ("d.toml", '[[goal]]\nname = "é\n', "d.toml:2:")):
            with self.subTest(name=name):
                self.write(name, text)
                self.check_error(["sweep", name], 2, "CONFIG", place, "the string has no closing quote")
        self.write("e.toml", '[[goal]]\nname = "a\x01b"\n')
        self.check_error(["sweep", "e.toml"], 2, "CONFIG", "e.toml:2:", "control character")

    def test_a_tree_that_is_not_there(self):
        self.check_error(["snapshot", "--from", "nofile.json"], 2, "NOT_FOUND", "nofile.json", "No such file")
        self.write("there.json", "[]")
        self.check_error(["snapshot", "--from", "there.json"], 2, "USAGE", "--source axe")

    def test_installing_on_a_simulated_phone(self):
        for args in (["install", "Shop.app"], ["uninstall", "com.example.shop"]):
            self.check_error([*args, "--device", "embedded"], 3, "UNSUPPORTED", "built in", "--sim")

    def test_a_simulators_name_where_there_are_none(self):
        self.check_error(["run", "--device", "iPhone 17", "open Settings"], 3, "NO_DEVICE",
                         'there is no device "iPhone 17"', "bridge:UDID")


class Last(Case):
    def test_without_runs_there_is_no_last_one(self):
        for command in ("show", "report", "cancel"):
            self.check_error([command, "last"], 2, "NOT_FOUND", "no runs yet")
        empty = self.run_agent("history")
        self.assertEqual((empty.code, empty.out), (0, "no goal has a finished run yet\n"))

    def test_last_is_the_newest_run(self):
        self.run_agent("run", "open Settings")
        self.run_agent("run", ADA)
        newest = self.runs()[0]["id"]
        shown = self.run_agent("show", "last", "--json").envelope()["result"]
        self.assertEqual(shown["run"]["id"], newest)
        report = json.loads(self.run_agent("report", "last", "--format", "json").out)
        self.assertEqual(report["id"], newest)

    def test_history_alone_lists_the_goals(self):
        for goal in ("open Settings", ADA, "open Settings"):
            self.run_agent("run", goal)
        listed = self.run_agent("history", "--json").envelope()["result"]["goals"]
        self.assertEqual([(g["goal"], g["runs"]) for g in listed], [("open Settings", 2), (ADA, 1)])
        self.assertEqual(listed[0]["newest_run"], self.runs()[0]["id"])
        text = self.run_agent("history").out
        self.assertIn('ios-agent history "GOAL"', text)


class Sweeps(Case):
    GOALS = ('[[goal]]\nname = "passes"\ngoal = "open Settings, check that General is on the screen"\n'
             '[[goal]]\nname = "fails"\ngoal = "open Settings, check that Narnia is on the screen"\n')

    def sweep(self, *args):
        pathlib.Path(self.folder, "g.toml").write_text(self.GOALS)
        done = self.run_agent("sweep", "g.toml", "--json", *args)
        return done.envelope()["result"]["sweep"]

    def test_sweeps_are_listed_and_shown_by_their_id(self):
        self.assertEqual(self.run_agent("sweeps").out, "no sweeps\n")
        first, second = self.sweep(), self.sweep()
        listed = self.run_agent("sweeps", "--json").envelope()["result"]["sweeps"]
        self.assertEqual([(s["id"], s["state"], s["passed"], s["failed"]) for s in listed],
                         [(second, "done", 1, 1), (first, "done", 1, 1)])
        self.assertIn("1 passed, 1 failed", self.run_agent("sweeps").out)
        shown = self.run_agent("show", first[-8:])
        self.assertEqual(shown.code, 0, shown)
        for part in ("passes", "Narnia", f"sweep   {first}", "1 passed, 1 failed"):
            self.assertIn(part, shown.out)
        last = self.run_agent("show", "last", "--json").envelope()["result"]
        self.assertEqual(last["sweep"]["id"], second)
        self.assertEqual([g["state"] for g in last["goals"]], ["passed", "failed"])
        report = self.run_agent("report", "last", "--format", "json")
        self.assertEqual(json.loads(report.out)["id"], second)

    def test_a_sweep_is_cancelled_by_its_id_and_goes_on_later(self):
        self.check_error(["cancel", self.sweep()], 2, "STATE", "has already ended")
        double = self.double("--latency-ms", "300")
        pathlib.Path(self.folder, "many.toml").write_text(
            "".join(f'[[goal]]\nname = "g{i}"\ngoal = "open Settings, open General"\n' for i in range(8)))
        sweep = self.start_agent("sweep", "many.toml", "--jobs", "1", "--events", env=self.claude(double))
        self.read_event(sweep, "run.started")
        newest = self.run_agent("sweeps", "--json").envelope()["result"]["sweeps"][0]
        self.assertEqual(newest["state"], "running")
        # Several at once: none of them ends at once what is in hand.
        asked = [self.start_agent("cancel", newest["id"][-8:]) for _ in range(4)]
        told = "".join(a.communicate()[0] for a in asked)
        self.assertIn(f"sweep --resume {newest['id']}", told)
        self.assertEqual(sweep.wait(), 7)
        self.assertEqual(self.run_agent("sweeps", "--json").envelope()["result"]["sweeps"][0]["state"], "stopped")
        again = self.run_agent("sweep", "--resume", newest["id"], "--json", env=self.claude(double))
        self.assertEqual(again.envelope()["result"]["passed"], 8, again)

    def test_a_sweep_whose_process_is_gone_is_stopped_in_its_rows(self):
        double = self.double("--latency-ms", "300")
        pathlib.Path(self.folder, "one.toml").write_text('[[goal]]\nname = "g"\ngoal = "open Settings"\n')
        sweep = self.start_agent("sweep", "one.toml", "--events", env=self.claude(double))
        self.read_event(sweep, "run.started")
        sweep.kill()
        sweep.wait()
        self.assertEqual(self.run_agent("sweeps", "--json").envelope()["result"]["sweeps"][0]["state"],
                         "interrupted")
        listed = self.run_agent("sweeps").out
        self.assertIn("unfinished", listed)
        self.assertNotIn("running", listed)
        newest = self.run_agent("sweeps", "--json").envelope()["result"]["sweeps"][0]["id"]
        self.assertIn("stopped; no process was running it", self.run_agent("cancel", newest).out)
        self.assertIn("state   stopped: cancelled", self.run_agent("show", newest).out)


class Standard(Case):
    def test_a_goal_comes_from_standard_input(self):
        done = self.run_agent("run", "-", "--json", stdin="open Contacts,\ncheck that Ada is in the list\n\n")
        self.assertEqual(self.runs()[0]["goal"], "open Contacts,\ncheck that Ada is in the list", done)
        self.check_error(["run", "-"], 2, "USAGE", "the goal is empty")
        self.check_error(["run", "-"], 2, "USAGE", "NUL", stdin="open Settings\0, turn on Airplane Mode")

    def test_standard_input_may_be_a_socket(self):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.sendall(b"open Settings")
            ours.shutdown(socket.SHUT_WR)
            done = subprocess.run([PROGRAM, "run", "-"], stdin=theirs, env=self.env(), cwd=self.folder,
                                  capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done)

    def test_a_phone_says_truly_that_an_app_ended(self):
        self.run_agent("launch", "--device", "embedded", "com.example.shop")
        ended = self.run_agent("terminate", "--device", "embedded", "com.example.shop")
        self.assertEqual((ended.code, ended.out.splitlines()[0]), (0, "ended com.example.shop"))
        self.assertNotIn("com.example.shop", self.state()["running"])

    def test_no_json_of_a_demo_run_names_a_model_of_claude(self):
        done = self.run_agent("run", "--demo", "--model", "claude-opus-5-5", "open Settings", "--json")
        events = self.run_agent("run", "--demo", "open Settings", "--events")
        shown = self.run_agent("show", "last", "--transcript", "--json")
        for text in (done.out, events.out, shown.out, self.run_agent("runs", "--json").out,
                     self.run_agent("report", "last", "--format", "json").out,
                     self.run_agent("report", "last", "--format", "ctrf").out,
                     self.run_agent("report", "last", "--format", "junit").out):
            self.assertIn("demo", text)
            self.assertNotIn("claude-", text)
        self.assertEqual(self.runs()[0]["model"], "demo brain")

    def test_the_phones_state_is_indented_for_a_person_and_compact_in_a_pipe(self):
        piped = self.run_agent("embedded", "state").out
        terminal = Terminal(self, "embedded", "state")
        self.assertEqual(terminal.finish(), 0)
        seen = terminal.seen.replace("\r\n", "\n")
        self.assertEqual(len(piped.splitlines()), 1)
        self.assertGreater(len(seen.splitlines()), 20)
        self.assertEqual(json.loads(seen), json.loads(piped))

    def test_a_tick_with_nothing_to_do_says_so(self):
        idle = self.run_agent("schedule", "tick")
        self.assertEqual(idle.code, 0)
        self.assertIn("nothing is due", idle.out)
        self.assertIn("there are no schedules", idle.out)
        self.run_agent("schedule", "add", "--name", "n", "--at", "2099-01-01T09:00", "--tz", "UTC",
                       "open Settings")
        idle = self.run_agent("schedule", "tick")
        self.assertIn("nothing is due; the next is Thu 2099-01-01 09:00", idle.out.replace(" UTC", ""))


class Simulators(WithXcode):
    def test_a_device_is_named_as_boot_names_it(self):
        """The runner of that simulator is what a run then looks for."""
        for name, udid in (("iPhone 17", PHONE), ("booted", PHONE), ("iPhone 17 Pro, iOS 26.2", PRO)):
            with self.subTest(name=name):
                listed = self.run_agent("sweep", "--dry-run", "--device", name, "--json", "g.toml")
                self.assertEqual(listed.envelope()["result"]["lanes"], [f"bridge:{udid}"])
                added = self.run_agent("schedule", "add", "--name", f"n{udid[-1]}-{len(name)}", "--every", "1d",
                                       "--device", name, "--json", "open Settings")
                self.assertEqual(added.envelope()["result"]["device"], f"bridge:{udid}")

    def setUp(self):
        super().setUp()
        pathlib.Path(self.folder, "g.toml").write_text('[[goal]]\nname = "x"\ngoal = "open Settings"\n')

    def test_names_that_are_wrong_or_ambiguous_are_explained_as_for_boot(self):
        self.check_error(["run", "--device", "iPhone 71", "x"], 3, "NO_DEVICE", "iPhone 17")
        self.check_error(["snapshot", "--device", "iPhone 17 Pro"], 2, "AMBIGUOUS", "iOS 26.0")
        self.check_error(["run", "--device", "iPhone 14", "x"], 3, "NO_DEVICE", "not available")
        self.assertTrue(GONE)


if __name__ == "__main__":
    unittest.main()
