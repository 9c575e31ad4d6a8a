"""Sweeps: a batch of goals from files, on several simulated phones."""
import json
import os
import resource
import signal
import unittest

from harness import SOURCE, sample_goals, TIMEOUT_S, Case, Terminal

ADD = "open Contacts, add a contact named {0} Hopper with phone 555-0100, check that {0} Hopper is in the list"


def goal(name, text, more=""):
    return f'[[goal]]\nname = "{name}"\ngoal = "{text}"\n{more}\n'


class SweepCase(Case):
    def file(self, text, name="goals.toml"):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def sweep(self, *args, env=None):
        return self.run_agent("sweep", *args, "--json", env=env)

    def result(self, *args, env=None):
        return self.sweep(*args, env=env).envelope()["result"]

    def states(self, result):
        return {(r["name"], r["repeat"]): r["state"] for r in result["results"]}

    def added(self, lane):
        """How often each contact was saved on that phone, since its last reset."""
        return [c["name"] for c in self.state("--device", lane)["contacts"]]


class Sweep(SweepCase):
    def test_the_sample_goals_find_the_five_planted_bugs(self):
        out = os.path.join(self.folder, "report")
        result = self.sweep(os.path.join(SOURCE, "goals"), "--jobs", "3", "--report-dir", out)
        self.assertEqual(result.code, 0, result)
        r, n = result.envelope()["result"], sample_goals()
        self.assertEqual((r["goals"], r["passed"], r["failed"], r["expected"]), (n, n - 5, 0, 5), result)
        failed = [i["name"] for i in r["results"] if i["expected"]]
        self.assertEqual(len(failed), 5)
        self.assertTrue(all("broken build" in name for name in failed), failed)
        self.assertEqual(r["report"], os.path.join(out, "index.html"))
        for name in ("index.html", "junit.xml", "report.json", "report.md", "ctrf.json"):
            self.assertTrue(os.path.exists(os.path.join(out, name)), name)
        self.assertEqual(len(r["results"]), n)

    def test_a_device_that_a_goal_names_is_left_to_that_goal(self):
        path = self.file(goal("own", ADD.format("Zed"), 'device = "embedded:mine"') +
                         goal("any", "open Contacts, check that Nora Abbott is in the list", "repeat = 6"))
        r = self.result(path, "--jobs", "1")
        self.assertEqual(r["passed"], 7, r)
        self.assertIn("Zed Hopper", self.added("embedded:mine"))

    def test_plain_lines_name_every_goal_and_its_end(self):
        path = self.file(goal("a", ADD.format("Ada")) + goal("b", "check that Nothing is visible", 'needs = ["a"]'))
        result = self.run_agent("sweep", path, "--jobs", "1")
        self.assertEqual(result.code, 1, result)
        self.assertIn("passed    a ", result.out)
        self.assertIn("failed    b ", result.out)
        self.assertIn("2 goals: 1 passed, 1 failed", result.out)
        self.assertNotIn("\x1b", result.out)

    def test_events_are_json_lines_of_the_sweep_and_its_runs(self):
        path = self.file(goal("a", ADD.format("Ada")))
        events = self.run_agent("sweep", path, "--events").events()
        self.assertEqual(events[0]["event"], "sweep.started")
        self.assertEqual(events[-1]["event"], "sweep.finished")
        states = [e["state"] for e in events if e["event"] == "sweep.goal"]
        self.assertEqual(states, ["running", "passed"])
        started = [e for e in events if e["event"] == "run.started"]
        self.assertEqual([e["name"] for e in started], ["a"])

    def test_a_terminal_shows_a_table_of_what_is_in_hand(self):
        path = self.file(goal("a", ADD.format("Ada")) + goal("b", ADD.format("Bea")))
        terminal = Terminal(self, "sweep", path, "--jobs", "2")
        seen = terminal.read_until("2 goals: 2 passed")
        self.assertIn("\x1b[J", seen)
        self.assertIn("of 2 done", seen)

    def test_a_dry_run_shows_what_would_run_and_touches_nothing(self):
        path = self.file(
            '[vars]\nwho = "Ada"\n' + goal("a", ADD.format("{{who}}"), 'setup = ["reset"]')
        )
        result = self.sweep(path, "--dry-run", "--repeat", "3")
        self.assertEqual(result.code, 0, result)
        goals = result.envelope()["result"]["goals"]
        self.assertEqual(goals[0]["job"]["goal"], ADD.format("Ada"))
        self.assertEqual(goals[0]["repeat"], 3)
        self.assertFalse(os.path.exists(self.home))

    def test_variables_come_from_the_flag_the_file_and_the_environment(self):
        path = self.file('env = ["C_VAR"]\n[vars]\na = "file"\nb = "file"\n' + goal("n", "{{a}} {{b}} {{C_VAR}} {{d|left}}"))
        result = self.sweep(path, "--dry-run", "--var", "a=flag", env={"C_VAR": "env"})
        text = result.envelope()["result"]["goals"][0]["job"]["goal"]
        self.assertEqual(text, "flag file env left")

    def test_a_variable_of_the_environment_that_the_file_does_not_declare_stays_there(self):
        env = {"C_VAR": "env-5f1c90"}
        self.check_error(["sweep", self.file(goal("n", "open {{C_VAR}}"))], 2, "CONFIG", 'env = ["C_VAR"]',
                         env=env)
        path = self.file(goal("n", "open {{C_VAR|none}}"))
        text = self.sweep(path, "--dry-run", env=env).envelope()["result"]["goals"][0]["job"]["goal"]
        self.assertEqual(text, "open none")
        path = self.file('env = ["IOS_AGENT_DEVICE_TOKEN"]\n' + goal("n", "open {{IOS_AGENT_DEVICE_TOKEN}}"))
        self.check_error(["sweep", path], 2, "CONFIG", "", env={"IOS_AGENT_DEVICE_TOKEN": "tok"})

    def test_a_var_that_no_goal_uses_is_misspelt(self):
        path = self.file(goal("n", "log in as {{user|ada}}"))
        self.check_error(["sweep", path, "--var", "usr=eve"], 2, "USAGE", "--var user=VALUE")
        self.assertEqual(self.sweep(path, "--dry-run", "--var", "user=eve").code, 0)

    def test_repeats_give_a_pass_rate_with_its_interval(self):
        path = self.file(goal("a", "open Settings"))
        result = self.sweep(path, "--repeat", "5", "--jobs", "2")
        self.assertEqual(result.code, 0, result)
        rate = result.envelope()["result"]["rates"][0]
        self.assertEqual((rate["passed"], rate["of"], rate["high"]), (5, 5, 1))
        self.assertAlmostEqual(rate["low"], 0.5655, 3)
        text = self.run_agent("sweep", path, "--repeat", "3").out
        self.assertIn("goals.toml, 1 goal in 3 runs on ", text)
        self.assertIn("\n1 goal in 3 runs: 3 passed; ", text)

    def test_a_pass_rate_counts_limits_that_were_met_and_no_errors_of_the_surroundings(self):
        path = self.file(goal("limit", "open Settings, tap General", "budget = { max_steps = 1 }"))
        double = self.double("--fault", "401")
        for env, rates in (({}, {"limit": (0, 3)}), (self.claude(double), {})):
            out = os.path.join(self.folder, f"report{len(rates)}")
            r = self.result(path, "--repeat", "3", "--report-dir", out, env=env)
            told = {x["name"]: (x["passed"], x["of"]) for x in r["rates"] if x["of"]}
            self.assertEqual(told, rates)
            with open(os.path.join(out, "report.json"), encoding="utf-8") as f:
                goals = json.load(f)["goals"]
            self.assertEqual({g["name"]: (g["pass_rate"]["passed"], g["pass_rate"]["of"])
                              for g in goals if g["pass_rate"]}, rates, "the report says the same")
        text = self.run_agent("sweep", path, "--repeat", "2", env=self.claude(double)).out
        self.assertIn("limit: no run reached a verdict", text)

    def test_a_goal_that_is_known_to_fail_counts_as_good_until_it_passes(self):
        known = 'fails = "issue 7"\nretries = 2'
        path = self.file(goal("known", "open Settings, check that Narnia is on the screen", known) +
                         goal("fixed", "open Settings", known) +
                         goal("limit", "open Settings, tap General", known + "\nbudget = { max_steps = 1 }") +
                         goal("later", "open Settings", 'needs = ["known"]'))
        out = os.path.join(self.folder, "report")
        result = self.sweep(path, "--report-dir", out)
        self.assertEqual(result.code, 4, "the one that met its limit failed in no expected way")
        r = result.envelope()["result"]
        rows = {row["name"]: row for row in r["results"]}
        self.assertEqual({n: (row["state"], row["expected"], row["tries"]) for n, row in rows.items()},
                         {"known": ("failed", True, 1), "fixed": ("failed", False, 1),
                          "limit": ("error", False, 3), "later": ("skipped", False, 0)})
        self.assertIn("as expected (issue 7): ", rows["known"]["reason"])
        self.assertEqual(rows["fixed"]["reason"], "it passed, and its file says that it fails: issue 7")
        self.assertEqual((r["expected"], r["failed"], r["errors"]), (1, 1, 1))
        with open(os.path.join(out, "report.json"), encoding="utf-8") as f:
            report = json.load(f)
        self.assertEqual({g["name"]: g["state"] for g in report["goals"]},
                         {"known": "expected", "fixed": "failed", "limit": "error", "later": "skipped"})
        self.assertEqual((report["totals"]["expected"], report["totals"]["failed"]), (1, 1))
        with open(os.path.join(out, "junit.xml"), encoding="utf-8") as f:
            suite = f.read()
        self.assertIn('failures="1" errors="1" skipped="2"', suite)
        passed = "it passed, and its file says that it fails: issue 7"
        self.assertIn(f'<failure message="{passed}" type="failed">', suite)
        self.assertIn('<skipped message="as expected (issue 7): ', suite)
        with open(os.path.join(out, "ctrf.json"), encoding="utf-8") as f:
            told = {t["name"]: t.get("message", "") for t in json.load(f)["results"]["tests"]}
        self.assertEqual(told["fixed"], passed)
        with open(os.path.join(out, "report.md"), encoding="utf-8") as f:
            self.assertIn("it passed, and its file says that it fails", f.read())
        shown = self.run_agent("show", "last", "--json").envelope()["result"]
        self.assertEqual({g["name"]: g["expected"] for g in shown["goals"]},
                         {"known": True, "fixed": False, "limit": False, "later": False})
        self.assertEqual((shown["sweep"]["expected"], shown["sweep"]["failed"]), (1, 1))
        self.assertIn("1 failed as expected", self.run_agent("sweeps").out)
        known_alone = self.sweep(path, "--goal", "known")
        self.assertEqual(known_alone.code, 0, known_alone)
        self.assertEqual(self.sweep(path, "--goal", "fixed").code, 1)

    def test_an_expected_failure_is_still_one_after_a_resume(self):
        path = self.file(goal("known", "open Settings, check that Narnia is on the screen", 'fails = "x"') +
                         goal("fixed", "open Settings", 'fails = "x"') +
                         "".join(goal(f"g{i}", "open Settings, open General") for i in range(6)))
        double = self.double("--latency-ms", "100")
        sweep = self.start_agent("sweep", path, "--jobs", "1", "--events", env=self.claude(double))
        for _ in range(3):
            self.read_event(sweep, "run.started")
        sweep.send_signal(signal.SIGTERM)
        rest, _ = sweep.communicate()
        for line in rest.splitlines():  # a program reads them: what people at a terminal are told is not there
            json.loads(line)
        newest = self.run_agent("sweeps", "--json").envelope()["result"]["sweeps"][0]["id"]
        again = self.sweep("--resume", newest, env=self.claude(double))
        self.assertEqual(again.code, 1, again)
        r = again.envelope()["result"]
        self.assertEqual((r["expected"], r["failed"], r["passed"]), (1, 1, 6), again)

    def test_a_failed_goal_is_tried_again_and_the_rest_of_its_needs_is_skipped(self):
        path = self.file(
            goal("bad", "check that Nothing is visible", "retries = 2") + goal("next", "open Settings", 'needs = ["bad"]')
        )
        result = self.sweep(path)
        self.assertEqual(result.code, 1, result)
        rows = {r["name"]: r for r in result.envelope()["result"]["results"]}
        self.assertEqual((rows["bad"]["state"], rows["bad"]["tries"]), ("failed", 3))
        self.assertEqual(rows["next"]["state"], "skipped")
        self.assertIn('it needs "bad"', rows["next"]["reason"])

    def test_only_what_failed_the_last_time_is_run_again(self):
        good, bad = goal("good", "open Settings"), goal("bad", "check that Nothing is visible")
        path = self.file(good + bad + goal("next", "open Settings", 'needs = ["bad"]'))
        never = self.run_agent("sweep", path, "--last-failed")
        self.assertEqual((never.code, never.out), (0, "no goal failed the last time it ran\n"))
        self.assertEqual(self.sweep(path, "--repeat", "2").code, 1)
        for args in (["--dry-run"], []):
            r = self.sweep(path, "--last-failed", *args).envelope()["result"]
            self.assertEqual({g["name"] for g in r["goals" if args else "results"]}, {"bad"}, r)
        path = self.file(good + goal("bad", "open Settings"))
        self.assertEqual(self.sweep(path, "--last-failed").code, 0)
        self.assertEqual(self.sweep(path, "--last-failed", "--dry-run").envelope()["result"]["goals"], [])
        self.check_error(["sweep", path, "--last-failed", "--goal", "bad"], 2, "USAGE", "--last-failed")

    def test_shards_hold_every_goal_once(self):
        path = self.file("".join(goal(f"g{i}", "open Settings") for i in range(12)))
        seen = []
        for k in (1, 2, 3):
            r = self.result(path, "--dry-run", "--shard", f"{k}/3")
            seen += [g["name"] for g in r["goals"]]
        self.assertEqual(sorted(seen), sorted(f"g{i}" for i in range(12)))

    def test_an_empty_shard_is_no_mistake(self):
        path = self.file(goal("a", "open Settings"))
        codes = [self.run_agent("sweep", path, "--shard", f"{k}/2").code for k in (1, 2)]
        self.assertEqual(codes, [0, 0])


class BadInput(SweepCase):
    def test_mistakes_in_files_are_told_with_their_place_before_anything_runs(self):
        rows = [
            (goal("a", "x", "nedes = []"), "goals.toml:4:1: unknown key nedes", "did you mean needs?"),
            (goal("a", "x {{y}}"), "goals.toml:3:8: the variable", "--var y=VALUE"),
            (goal("a", "x", 'needs = ["b"]') + goal("b", "x", 'needs = ["a"]'), "circular needs: a", "a"),
            (goal("a", "x") + goal("a", "x"), 'another goal is named "a"', "unique"),
            (goal("a", "x", 'needs = ["c"]'), 'no goal is named "c"', ""),
            (goal("a", "x", 'expect = ["visble #a"]'), "goals.toml:4:11: expectation", "\n"),
            (goal("a", "x", 'device = "iphone"'), "goals.toml:2:1: goal", "there is no device"),
            ("[[goal]\n", "goals.toml:1:", ""),
        ]
        for text, *parts in rows:
            code = 3 if "iphone" in text else 2
            name = "NO_DEVICE" if "iphone" in text else "CONFIG"
            self.check_error(["sweep", self.file(text)], code, name, *parts)
        self.assertEqual(self.runs(), [])

    def test_empty_folders_and_missing_files_are_told(self):
        os.mkdir(os.path.join(self.folder, "none"))
        self.check_error(["sweep", "none"], 2, "USAGE", "there is no goal file in none")
        self.check_error(["sweep", "nowhere"], 2, "NOT_FOUND", "nowhere")
        self.check_error(["sweep"], 2, "USAGE", "no goal file")

    def test_options_that_make_no_sense_are_refused(self):
        path = self.file(goal("a", "open Settings", 'tags = ["smoke"]'))
        self.check_error(["sweep", path, "--tag", "smok"], 2, "USAGE", "no goal has", "smoke")
        self.check_error(["sweep", path, "--shard", "5/4"], 2, "USAGE", "5/4")
        self.check_error(["sweep", path, "--var", "x"], 2, "USAGE", "NAME=VALUE")
        self.check_error(["sweep", path, "--device", "nokia"], 3, "NO_DEVICE", "nokia")
        self.check_error(["sweep", path, "--device", "embedded", "--jobs", "2"], 2, "USAGE", "--jobs")
        self.check_error(["sweep", path, "--device", "embedded:../up"], 2, "USAGE", "../up")
        named = self.file(goal("a", "open Settings") + goal("b", "x", 'device = "embedded:../up"'), "named.toml")
        self.check_error(["sweep", named], 2, "USAGE", 'named.toml:6:1: goal "b"', "../up")
        self.check_error(["sweep", path, "--resume", "abcd"], 2, "USAGE", "give no files")
        self.check_error(["sweep", "--resume", "abcd"], 2, "NOT_FOUND", "abcd")
        self.assertEqual(self.runs(), [])

    def test_a_report_folder_that_cannot_be_written_ends_it_before_anything_runs(self):
        path = self.file(goal("a", "open Settings"))
        self.check_error(["sweep", path, "--report-dir", "/proc/none"], 3, "IO", "/proc/none")
        self.assertEqual(self.runs(), [])


class Stopping(SweepCase):
    def many(self, n):
        return self.file("".join(goal(f"g{i}", ADD.format(f"No{i}")) for i in range(n)))

    def finish(self, sweep, n):
        """Goes on to the end; every goal is done, and none twice."""
        result = self.sweep("--resume", sweep)
        self.assertEqual(result.code, 0, result)
        r = result.envelope()["result"]
        self.assertEqual((r["goals"], r["passed"]), (n, n), result)
        self.assertEqual(len({i["run"] for i in r["results"]}), n)
        runs = self.runs()
        self.assertEqual(len(runs), n)
        self.assertTrue(all(run["state"] == "passed" for run in runs), runs)
        self.check_error(["sweep", "--resume", sweep], 2, "STATE", "is finished")

    def begin(self, n, *args, env=None):
        process = self.start_agent("sweep", self.many(n), "--jobs", "2", "--events", *args, env=env)
        return process, self.read_event(process, "sweep.started")["sweep"]

    def test_ctrl_c_finishes_the_tools_in_hand_and_resume_goes_on(self):
        process, sweep = self.begin(6)
        self.read_event(process, "tool.finished")
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertEqual(process.returncode, 7)
        self.finish(sweep, 6)

    def test_a_killed_sweep_is_resumed_from_its_rows(self):
        for event in ("sweep.goal", "run.started", "tool.started", "tool.finished", "run.finished"):
            with self.subTest(event=event):
                self.home = os.path.join(self.folder, event)
                process, sweep = self.begin(5)
                self.read_event(process, event)
                process.send_signal(signal.SIGKILL)
                process.communicate()
                self.finish(sweep, 5)

    def test_resume_leaves_what_was_not_begun_to_the_sweep(self):
        waiting = 0
        for n in range(3, 10):
            self.home = os.path.join(self.folder, f"commit-{n}")
            killed = self.run_agent("sweep", self.many(2), "--jobs", "2",
                                    env={"IOS_AGENT_KILL_AT": f"store.commit.after:{n}"})
            self.assertEqual(killed.code, -signal.SIGKILL, killed)
            resumed = self.run_agent("resume")
            self.assertEqual(resumed.code, 0, resumed)
            for run in (r for r in self.runs() if r["state"] == "queued"):
                waiting += 1
                self.check_error(["resume", run["id"]], 2, "STATE", "of its sweep", "sweep --resume")
        self.assertGreater(waiting, 0)

    def test_a_killed_sweep_is_in_nobodys_way(self):
        double = self.double("--latency-ms", "600000")
        process, _ = self.begin(4, env=self.claude(double))
        for _ in range(2):
            self.read_event(process, "run.started")
        process.kill()
        process.communicate()
        path = self.file(goal("other", "open Settings"), "other.toml")
        self.assertEqual(self.result(path, "--jobs", "2")["passed"], 1)
        new, *old = self.runs()
        self.assertEqual(new["state"], "passed")
        self.assertNotIn(new["lane"], ("embedded:sweep-1", "embedded:sweep-2"), "it keeps off these")
        self.assertEqual({r["state"] for r in old}, {"queued"}, "its runs are left to --resume")

    @unittest.skipUnless(hasattr(resource, "prlimit"), "no limit of another process can be set here")
    def test_a_full_disk_ends_it_and_resume_goes_on(self):
        env = self.claude(self.double("--latency-ms", "300"))
        process, sweep = self.begin(4, env=env)
        self.read_event(process, "tool.finished")
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        _, err = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 3, err)
        self.assertIn("no room left", err)
        self.assertIn(f"sweep --resume {sweep} continues it", err)
        r = self.result("--resume", sweep, env=env)
        self.assertEqual((r["passed"], len(self.runs())), (4, 4), r)

    def test_a_resumed_sweep_of_the_demo_brain_says_so_and_costs_nothing(self):
        process, sweep = self.begin(3)
        self.read_event(process, "tool.finished")
        process.kill()
        process.communicate()
        r = self.result("--resume", sweep, env={"ANTHROPIC_API_KEY": "sk-none"})
        self.assertEqual((r["demo"], r["cost_usd"], r["passed"]), (True, None, 3), r)

    def test_a_sweep_of_claude_does_not_go_on_without_its_key(self):
        env = self.claude(self.double("--latency-ms", "100"))
        process, sweep = self.begin(3, env=env)
        self.read_event(process, "tool.finished")
        process.kill()
        process.communicate()
        before = self.runs()
        for _ in range(2):
            self.check_error(["sweep", "--resume", sweep], 3, "KEY_MISSING")
        self.assertEqual([(r["id"], r["steps"]) for r in self.runs()], [(r["id"], r["steps"]) for r in before])
        r = self.result("--resume", sweep, env=env)
        self.assertEqual((r["passed"], r["demo"]), (3, False), r)

    def test_a_sweep_in_hand_is_not_taken_by_another_process(self):
        double = self.double("--latency-ms", "300")
        process, sweep = self.begin(4, env=self.claude(double))
        self.check_error(["sweep", "--resume", sweep], 3, "BUSY", "pid")
        process.send_signal(signal.SIGINT)
        process.communicate()

    def test_fail_fast_starts_nothing_after_the_first_failure(self):
        path = self.file("".join(goal(f"g{i}", "check that Nothing is visible") for i in range(5)))
        result = self.sweep(path, "--jobs", "1", "--fail-fast")
        self.assertEqual(result.code, 1, result)
        r = result.envelope()["result"]
        self.assertEqual((r["failed"], r["skipped"]), (1, 4), result)
        self.assertEqual(len(self.runs()), 1)

    def test_the_budget_of_a_sweep_holds(self):
        double = self.double()
        path = self.many(20)
        result = self.sweep(path, "--jobs", "3", "--max-usd", "0.1", env=self.claude(double))
        self.assertEqual(result.code, 4, result)
        r = result.envelope()["result"]
        self.assertLessEqual(r["cost_usd"], 0.1)
        self.assertGreater(r["cost_usd"], 0.06)
        self.assertGreater(r["passed"], 0)
        self.assertGreater(r["skipped"], 0)
        tokens = double.stop()["tokens"]
        # Claude Sonnet 5.5: $2 in, $0.1 read, $2.5 written, $10 out, for a million tokens.
        billed = (tokens["input"] * 2 + tokens["cache_read"] * 0.1 + tokens["cache_creation"] * 2.5
                  + tokens["output"] * 10) / 1e6
        self.assertLessEqual(billed, 0.1)
        self.assertAlmostEqual(billed, r["cost_usd"], 6)

    def test_the_time_of_a_sweep_holds(self):
        double = self.double("--latency-ms", "400")
        result = self.sweep(self.many(6), "--jobs", "1", "--max-seconds", "2", env=self.claude(double))
        self.assertEqual(result.code, 4, result)
        r = result.envelope()["result"]
        self.assertLess(r["seconds"], 20)
        self.assertGreater(r["skipped"], 0)


if __name__ == "__main__":
    unittest.main()
