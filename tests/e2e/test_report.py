"""Reports: what they are made of, and what they refuse."""
import html
import json
import os
import pathlib
import sqlite3
import subprocess
import unittest
import xml.etree.ElementTree as ET

from harness import ADA, SOURCE, sample_goals, Terminal, png_size
from reporting import ReportCase


class Formats(ReportCase):
    def test_a_run_keeps_a_picture_of_each_step_that_acts_and_of_the_screen_before(self):
        run = self.ada()
        events = self.run_agent("show", run, "--json").envelope()["result"]["events"]
        acted = [e["step"] for e in events
                 if e["event"] == "tool.finished" and (e["outcome"] == "sent" or e["changed"])]
        pictures = [e["step"] for e in events if e["event"] == "picture"]
        self.assertEqual(pictures, [0] + acted)

    def test_sharp_pictures_are_in_the_phone_s_own_pixels(self):
        run = self.run_agent("run", "--demo", "--fresh", "--pictures", "sharp", "--json", ADA)
        self.assertEqual(run.code, 0, run)
        self.assertEqual(self.run_agent("report", run.envelope()["result"]["run"], "--out",
                                        self.path("sharp")).code, 0)
        files = list(pathlib.Path(self.path("sharp"), "pictures").iterdir())
        self.assertGreater(len(files), 2)
        for file in files:
            self.assertEqual(png_size(file.read_bytes()), (3 * 393, 3 * 852))
        events = self.run_agent("show", run.envelope()["result"]["run"], "--json")
        sizes = {(e["width"], e["height"]) for e in events.envelope()["result"]["events"]
                 if e["event"] == "picture"}
        self.assertEqual(sizes, {(393, 852)})

    def test_without_pictures_a_report_has_the_last_screen_or_none(self):
        for mode, files in (("end", 1), ("off", 0)):
            result = self.run_agent("run", "--demo", "--fresh", "--pictures", mode, "--json", ADA)
            run = result.envelope()["result"]["run"]
            self.report(run, "--out", self.path(mode))
            self.assertEqual(len(os.listdir(os.path.join(self.path(mode), "pictures"))), files)

    def test_on_a_terminal_each_step_has_its_picture(self):
        self.assertEqual(Terminal(self, "run", "--demo", ADA).finish(), 0)
        self.report(self.runs()[0]["id"], "--out", self.path("steps"))
        self.assertGreater(len(os.listdir(self.path("steps/pictures"))), 4)
        self.assertEqual(Terminal(self, "run", "--demo", "--fresh", "--pictures", "end", ADA).finish(), 0)
        self.report(self.runs()[0]["id"], "--out", self.path("end"))
        self.assertEqual(len(os.listdir(self.path("end/pictures"))), 1)

    def test_a_report_without_pictures_of_steps_says_how_to_keep_them(self):
        for mode, says in (("end", True), ("steps", False)):
            self.run_agent("run", "--demo", "--fresh", "--pictures", mode, ADA)
            self.report(self.runs()[0]["id"], "--out", self.path(mode))
            with open(self.path(mode + "/index.html"), encoding="utf-8") as f:
                self.assertEqual("<code>--pictures steps</code>" in f.read(), says)

    def test_text_formats_go_to_stdout_or_a_file(self):
        run = self.ada()
        for name in ("junit", "json", "md", "ctrf"):
            shown = self.report(run, "--format", name).out
            self.report(run, "--format", name, "--out", self.path("sub/" + name))
            with open(self.path("sub/" + name), encoding="utf-8") as f:
                written = f.read()
            if name in ("junit", "md"):
                self.assertEqual(shown, written)
            self.assertEqual(os.listdir(self.path("sub")).count(name + ".partial"), 0)

    def test_each_expectation_says_whether_it_holds_on_every_surface(self):
        held, gone, absent = 'visible "Ada Lovelace"', 'gone "Ada Lovelace"', 'visible "Grace"'
        result = self.run_agent("run", "--demo", "--expect", held, "--expect", gone, "--expect", absent, ADA)
        self.assertEqual(result.code, 1, result)
        run = self.runs()[0]["id"]
        row = self.runs()[0]["summary"]
        self.assertIn(f"2 expectations do not hold: {gone}; {absent}.", row)
        shown = self.run_agent("show", run).out
        for text in (result.out + result.err, shown):
            self.assertIn(f"holds          {held}\n", text)
            self.assertIn(f"does not hold  {gone}: ", text)
            self.assertIn(f"does not hold  {absent}", text)
        report = json.loads(self.report(run, "--format", "json").out)["goals"][0]["runs"][0]
        self.assertEqual([(e["expect"], e["held"]) for e in report["expectations"]],
                         [(held, True), (gone, False), (absent, False)])
        self.assertIn("Ada Lovelace", report["expectations"][1]["found"])
        ctrf = json.loads(self.report(run, "--format", "ctrf").out)["results"]["tests"][0]
        self.assertEqual(ctrf["extra"]["expectations"], report["expectations"])
        self.assertIn(gone, ctrf["message"])
        case = ET.fromstring(self.report(run, "--format", "junit").out)[0].find("testcase/failure")
        for line in (f"expected (holds): {held}", f"expected (does not hold): {gone}", f"expected (does not hold): {absent}"):
            self.assertIn(line, case.text)
        self.assertIn(absent, case.get("message"))
        markdown = html.unescape(self.report(run, "--format", "md").out)
        self.assertEqual(markdown.count("- expected (does not hold): "), 2, markdown)
        self.report(run, "--out", self.path("page"))
        with open(self.path("page/index.html"), encoding="utf-8") as f:
            page = f.read()
        self.assertEqual(page.count('<span class="mark">holds</span>'), 1)
        self.assertEqual(page.count('<span class="mark">does not hold</span>'), 2)

    def test_what_no_finish_checked_is_not_said_to_fail(self):
        self.run_agent("run", "--demo", "--max-steps", "1", "--expect", 'visible "Grace"', ADA)
        report = json.loads(self.report(self.runs()[0]["id"], "--format", "json").out)["goals"][0]["runs"][0]
        self.assertEqual(report["expectations"], [{"expect": 'visible "Grace"', "held": None, "found": None}])

    def again(self, run, **env):
        """Does the command of a report as it is printed, in another folder; returns its exit status."""
        command = json.loads(self.report(run, "--format", "json").out)["goals"][0]["runs"][0]["command"]
        os.makedirs(self.path("elsewhere"), exist_ok=True)
        with open(self.path("ios-agent"), "w", encoding="utf-8") as f:
            f.write('#!/bin/sh\nexec "$IOS_AGENT" "$@"\n')
        os.chmod(self.path("ios-agent"), 0o755)
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.path("elsewhere"),
            env=self.env(PATH=f"{self.folder}:{os.environ['PATH']}", IOS_AGENT=os.environ["IOS_AGENT"], **env),
            capture_output=True, text=True, timeout=90, check=False,
        )
        return done, command

    def jobs(self):
        """What each run was asked to do, the newest first, and its verdict."""
        with sqlite3.connect(os.path.join(self.home, "ios-agent.db")) as db:
            return [(json.loads(options)["job"], state)
                    for options, state in db.execute("select options, state from runs order by id desc")]

    def test_the_command_of_a_report_does_the_same_run_again(self):
        hostile = 'it\'s $HOME `id` "x" \\ \n#!'
        rows = (
            ["--hint", hostile, "--expect", 'visible "Ada Lovelace"', "--fresh"],
            ["--fresh", "--device", "embedded:other?bugs=contacts-drop-edit", "--pictures", "off", "--retries", "2"],
            ["--fresh", "--secret", "PW", "--verify", "off", "--max-seconds", "0", "--max-usd", "0.5"],
            ["--app", "com.apple.MobileAddressBook", "--expect", 'visible "Grace"', "--max-steps", "25"],
            ["--allow-commands", "--expect", 'command "true"', "--pictures", "steps"],
            ["--effort", "low", "--verify", "always", "--max-tokens", "99999"],
        )
        for options in rows:
            with self.subTest(options):
                self.run_agent("run", "--demo", *options, ADA, env={"PW": "hunter-2"})
                first = self.jobs()[0]
                count = len(self.jobs())
                run = self.runs()[0]["id"]
                done, command = self.again(run, PW="hunter-2")
                self.assertNotIn("hunter", command)
                self.assertEqual(len(self.jobs()), count + 1, (done, command))
                self.assertEqual(self.jobs()[0], first, (done, command))

    def test_the_command_of_a_sweeps_run_does_its_setup_and_knows_its_secrets(self):
        os.makedirs(self.path("suite"))
        with open(self.path("suite/g.toml"), "w", encoding="utf-8") as f:
            f.write('[[goal]]\nname = "it\'s set up"\ngoal = "open {{where}}"\nsecrets = ["PW"]\n'
                    'setup = ["reset", "launch com.apple.Preferences"]\nexpect = [\'visible "General"\']\n')
        env = {"PW": "hunter-2"}
        swept = self.run_agent("sweep", "suite", "--var", "where=General", "--demo", "--json", env=env)
        first = self.jobs()[0]
        for run in (self.runs()[0]["id"], swept.envelope()["result"]["sweep"]):
            done, command = self.again(run, **env)
            self.assertTrue(command.startswith("ios-agent sweep "), command)
            self.assertEqual(self.jobs()[0], first, (done, command))
            self.assertIn({"do": "launch", "value": "com.apple.Preferences"}, first[0]["setup"])

    def test_several_may_write_one_report_at_once(self):
        sweep = self.sample(40, 3)
        out = self.path("report")
        writers = [self.start_agent("report", sweep, "--out", out) for _ in range(4)]
        for w in writers:
            text = w.communicate(timeout=90)
            self.assertEqual(w.returncode, 0, text)
        names = os.listdir(out) + os.listdir(os.path.join(out, "goals"))
        self.assertEqual([n for n in names if n.endswith(".partial")], [])
        for n in range(1, 41):
            with open(os.path.join(out, f"goals/{n:03}.html"), encoding="utf-8") as f:
                self.assertTrue(f.read().rstrip().endswith("</html>"), n)

    def test_junit_parses_and_tells_failure_from_error(self):
        suite = ET.fromstring(self.report(self.sample(6, 1), "--format", "junit").out)[0]
        kinds = [[c.tag for c in case if c.tag not in ("properties", "system-out")]
                 for case in suite.findall("testcase")]
        self.assertEqual(kinds, [[], ["failure"], [], ["error"], ["error"], ["skipped"]])


    def test_ctrf_keeps_what_nobody_can_tell_apart_from_a_failure(self):
        results = json.loads(self.report(self.sample(6, 1), "--format", "ctrf").out)["results"]
        told = [(t["status"], t["rawStatus"]) for t in results["tests"]]
        self.assertEqual(told, [("passed", "passed"), ("failed", "failed"), ("passed", "flaky"),
                                ("other", "error"), ("other", "blocked"), ("skipped", "skipped")])
        for status in ("passed", "failed", "skipped", "pending", "other"):
            self.assertEqual(results["summary"][status], [s for s, _ in told].count(status), status)


class Sweeps(ReportCase):
    def sweep(self, *args):
        result = self.run_agent("sweep", "--demo", "--json", *args, cwd=SOURCE)
        self.assertIn(result.code, (0, 1), result)
        return result.envelope()["result"]

    def test_the_sample_goals_find_their_bugs_and_their_report_shows_it(self):
        folder = self.path("report")
        result = self.sweep("goals", "--report-dir", folder)
        self.assertEqual(sorted(os.listdir(folder)), [
            "ctrf.json", "goals", "index.html", "junit.xml", "pictures", "report.json",
            "report.md"])
        with open(os.path.join(folder, "report.json"), encoding="utf-8") as f:
            report = json.load(f)
        self.assertEqual(report["id"], result["sweep"])
        self.assertEqual(report["totals"]["goals"], sample_goals())
        self.assertTrue(report["totals"]["simulated"])
        failed = [g["name"] for g in report["goals"] if g["state"] == "expected"]
        self.assertEqual(len(failed), 5, failed)
        for name in failed:
            self.assertIn("broken build", name)
        for goal in report["goals"]:
            self.assertTrue(any(s["after"] for s in goal["runs"][0]["steps"]), goal["name"])
        suite = ET.parse(os.path.join(folder, "junit.xml")).getroot()[0]
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")),
                         (str(sample_goals()), "0", "0"))
        self.assertEqual(suite.get("skipped"), "5")
        for case in suite.findall("testcase"):
            attached = case.find("system-out").text
            self.assertTrue(os.path.exists(attached[len("[[ATTACHMENT|"):-2]), attached)

    def test_the_command_of_a_goal_finds_its_bug_again(self):
        result = self.sweep("goals", "--tag", "finds-a-bug")
        report = json.loads(self.report(result["sweep"], "--format", "json").out)
        command = report["goals"][0]["runs"][0]["command"]
        self.assertTrue(command.startswith("ios-agent sweep --goal "), command)
        again = subprocess.run(
            ["bash", "-c", command.replace("ios-agent sweep", '"$IOS_AGENT" sweep --json', 1)],
            env=self.env(IOS_AGENT=os.environ["IOS_AGENT"]),
            capture_output=True, text=True, timeout=90, check=False,
        )
        self.assertEqual(again.returncode, 0, again)
        second = json.loads(again.stdout)["result"]
        third = json.loads(self.report(second["sweep"], "--format", "json").out)
        self.assertEqual([g["name"] for g in third["goals"]], [report["goals"][0]["name"]])
        self.assertEqual(third["goals"][0]["runs"][0]["summary"],
                         report["goals"][0]["runs"][0]["summary"])

    def test_the_command_of_a_goal_has_its_variables_and_never_a_secret(self):
        with open(self.path("g.toml"), "w", encoding="utf-8") as f:
            f.write('[[goal]]\nname = "v"\ngoal = "open {{where}}"\nsecrets = ["PW"]\n'
                    '[[goal]]\nname = "w"\ngoal = "open {{other|Contacts}}"\n')
        env = {"PW": "hunter-2-hunter"}
        args = ["--var", "where=Set'tings", "--var", "other=a hunter-2-hunter", "--goal", "v", "--demo", "--json"]
        result = self.run_agent("sweep", "g.toml", *args, env=env)
        self.assertEqual(result.code, 5, result)
        report = self.report(result.envelope()["result"]["sweep"], "--format", "json").out
        self.assertNotIn("hunter", report)
        command = json.loads(report)["goals"][0]["runs"][0]["command"]
        again = subprocess.run(
            ["bash", "-c", command.replace("ios-agent sweep", '"$IOS_AGENT" sweep --dry-run --json', 1)],
            env=self.env(IOS_AGENT=os.environ["IOS_AGENT"], **env), cwd=self.folder,
            capture_output=True, text=True, timeout=90, check=False,
        )
        self.assertEqual(json.loads(again.stdout)["result"]["goals"][0]["job"]["goal"], "open Set'tings", again)

    def test_a_goal_that_no_file_has_is_refused(self):
        self.check_error(["sweep", os.path.join(SOURCE, "goals"), "--goal", "a contact is aded"],
                         2, "USAGE", "a contact is added")


class Workflow(ReportCase):
    def test_in_a_workflow_a_failed_run_leaves_a_summary_and_an_error_line(self):
        summary = self.path("summary.md")
        env = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary}
        result = self.run_agent("run", "--demo", 'open Settings, check that "50 % Nothing" is visible', env=env)
        self.assertEqual(result.code, 1, result)
        lines = [x for x in result.err.splitlines() if x.startswith("::error ")]
        self.assertEqual(len(lines), 1, result)
        self.assertIn("50 %25 Nothing", lines[0])
        with open(summary, encoding="utf-8") as f:
            self.assertIn("❌", f.read())
        passed = self.run_agent("run", "--demo", "--fresh", "--json", ADA, env=env)
        self.assertEqual(passed.envelope()["status"], "ok")
        self.assertNotIn("::error", passed.err)

    def test_outside_of_one_nothing_is_written(self):
        result = self.run_agent("run", "--demo", "open Nothing",
                                env={"GITHUB_STEP_SUMMARY": self.path("summary.md")})
        self.assertNotIn("::error", result.err + result.out)
        self.assertFalse(os.path.exists(self.path("summary.md")))


class History(ReportCase):
    def test_history_tells_rates_and_the_first_failure_since_the_last_pass(self):
        goal = "open Settings, check that Lamp is visible"
        self.run_agent("run", "--demo", goal)
        self.run_agent("run", "--demo", goal)
        result = self.run_agent("history", goal, "--json").envelope()["result"]
        runs = self.runs()
        self.assertEqual(result["verdicts"], 2)
        self.assertEqual(result["passed"], 0)
        self.assertEqual(result["failing_since"], runs[1]["id"])
        self.assertIsNone(result["last_pass"])
        text = self.run_agent("history", goal).out
        self.assertIn("failing since", text)
        self.assertIn("0 of 2 with a verdict", text)
        self.assertEqual(len(self.run_agent("history", goal, "--limit", "1", "--json")
                             .envelope()["result"]["runs"]), 1)

    def test_a_goal_of_a_sweep_is_found_by_its_name_and_is_flaky(self):
        self.sample(3, 1)
        result = self.run_agent("history", "goal 3 ", "--json").envelope()["result"]
        self.assertEqual([r["state"] for r in result["runs"]], ["passed", "failed"])
        self.assertEqual(result["executions"], 1)
        self.assertEqual(result["flake_rate"], 1)

    def test_an_unknown_goal_is_refused(self):
        self.check_error(["history", "no such goal"], 2, "NOT_FOUND", "no such goal")
        self.check_error(["history", "x", "--limit", "0"], 2, "USAGE")


class BadInput(ReportCase):
    def test_what_is_unknown_is_refused(self):
        self.check_error(["report", "0123456789"], 2, "NOT_FOUND", "0123456789")
        self.check_error(["report", "x", "--format", "pdf"], 2, "USAGE", "pdf")
        self.check_error(["report"], 2, "USAGE")
        run = self.ada()
        self.check_error(["report", run, "--junit-flavor", "strict"], 2, "USAGE", "junit")
        self.check_error(["report", run, "--out", "-"], 2, "USAGE", "--out")

    def test_a_place_that_cannot_be_written_is_named(self):
        run = self.ada()
        with open(self.path("file"), "w", encoding="utf-8"):
            pass
        below = self.path("file/report")
        self.check_error(["report", run, "--out", below], 3, "IO", self.path("file"))
        self.check_error(["report", run, "--format", "md", "--out", below], 3, "IO",
                         self.path("file"))

    def test_a_run_whose_process_is_gone_is_told_as_interrupted(self):
        double = self.double("--latency-ms", "600000")
        process = self.start_agent("run", "--events", "open Settings", env=self.claude(double))
        self.read_event(process, "run.started")
        process.kill()
        process.communicate()
        run = self.runs()[0]["id"]
        self.report(run, "--out", self.path("out"))
        with open(self.path("out/index.html"), encoding="utf-8") as f:
            html = f.read()
        self.assertIn("Not finished:", html)
        self.assertIn("resume", html)


if __name__ == "__main__":
    unittest.main(verbosity=2)
