"""How good a model is: what `eval` reports is what the phones' own logs say, counted by somebody else."""
import html
import json
import os
import re
import shlex
import sqlite3
import unittest

import eval_count
import eval_models
from harness import Case, SOURCE

SUITE = os.path.join(SOURCE, "evals")
KINDS = {"successes": "success", "false_passes": "false pass", "false_failures": "false failure",
         "failures": "failure"}
GOAL = '[[goal]]\nname = "dark"\ngoal = "turn on dark mode"\nsetup = ["reset"]\n'


class Eval(Case):
    def evaluate(self, *args, model=None, code=0):
        env = None
        if model:
            double = self.script(*model["turns"], default=model["default"])
            env = self.claude(double)
        done = self.run_agent("eval", "--json", "--jobs", "2", *args, env=env)
        self.assertEqual(done.code, code, done)
        self.used = double.stop() if model else None
        return done.envelope()["result"]

    def check_sums(self, report, counted, groups):
        """One line of the report against the count of those goals."""
        n = len(counted)
        self.assertEqual(report["counted"], n)
        self.assertEqual(report["errors"] + report["open"], 0)
        for key, kind in KINDS.items():
            self.assertEqual(report[key], sum(c["kind"] == kind for c in counted), key)
        self.assertEqual(report["oracle_holds"], sum(c["holds"] for c in counted))
        hits = sum(c["kind"] == "success" for c in counted)
        fewer = eval_count.effect([(g, c["kind"] == "success") for g, c in zip(groups, counted)])
        low, high = eval_count.wilson(hits / fewer, n / fewer)
        self.assertAlmostEqual(report["rate"], hits / n)
        self.assertAlmostEqual(report["low"], max(0, low))
        self.assertAlmostEqual(report["high"], min(1, high))

    def check(self, report, killed=False):
        """The whole report against a count from the phones' logs, and its usage against the rows of the runs."""
        counted = eval_count.count(self, report["eval"], SUITE, killed)
        told = {(r["goal"], r["wording"], r["seed"], r["repeat"]): r for r in report["results"]}
        self.assertEqual(set(told), set(counted))
        for key, c in counted.items():
            self.assertEqual((told[key]["kind"], told[key]["oracle_holds"], told[key]["run"]),
                             (c["kind"], c["holds"], c["run"]), (key, told[key]))
            self.assertEqual(told[key]["wrong"] == "", c["holds"], told[key])
        self.check_sums(report, list(counted.values()), [k[0] for k in counted])
        for group in report["groups"]:
            by = {"kind": "kind of goal"}.get(group["by"], group["by"])
            mine = {k: c for k, c in counted.items() if group["name"] == str(c[by])}
            self.check_sums(group, list(mine.values()), [k[0] for k in mine])
        for by in ("difficulty", "area"):
            self.assertEqual(sum(g["goals"] for g in report["groups"] if g["by"] == by), len(counted))
        self.check_usage(report)
        return counted

    def database(self):
        return sqlite3.connect(f"file:{self.home}/ios-agent.db?mode=ro", uri=True)

    def check_usage(self, report):
        steps, tokens = {}, dict.fromkeys(("input", "cache_read", "cache_write", "output"), 0)
        for run, step in self.database().execute(
                "select c.run_id, count(*) from tool_calls c join runs r on r.id = c.run_id "
                "where r.sweep_id = ? group by c.run_id", (report["eval"],)):
            steps[run] = step
        for row in self.database().execute(
                "select m.tokens_input, m.tokens_cache_read, m.tokens_cache_write, m.tokens_output from messages m "
                "join runs r on r.id = m.run_id where r.sweep_id = ?", (report["eval"],)):
            for key, value in zip(tokens, row):
                tokens[key] += value or 0
        self.assertEqual(report["steps"], sum(steps.values()))
        self.assertEqual(report["tokens"], tokens)

    def test_the_figures_of_the_demo_brain_are_those_of_the_phones_logs(self):
        report = self.evaluate("--demo", "--report-dir", "report")
        counted = self.check(report)
        self.assertEqual(len(counted), sum(len(g) for g in [eval_count.goals(SUITE)]))
        self.assertGreaterEqual(len(counted), 60)
        self.assertEqual({c["difficulty"] for c in counted.values()}, {1, 2, 3, 4, 5})
        self.assertEqual(report["false_passes"], 0)
        self.assertIsNone(report["cost_usd"])
        # Not to understand what cannot be done is no finding, though the phone is as it was.
        strange = [r for r in report["results"] if r["impossible"] and "does not understand" in r["said"]]
        self.assertGreater(len(strange), 0)
        self.assertEqual({r["kind"] for r in strange}, {"failure"})
        with open(os.path.join(self.folder, "report/eval.json"), encoding="utf-8") as f:
            self.assertEqual(json.load(f), report)
        with open(os.path.join(self.folder, "report/eval.html"), encoding="utf-8") as f:
            page = f.read()
        self.assertIn(f"{report['successes']} of {report['counted']} goals", page)
        self.assertEqual(page.count('<article class="goal'), len(counted))
        for row in report["results"]:
            self.assertIn(f'href="goals/{row["no"]:03}.html"', page)
            again = f'ios-agent eval --goal {shlex.quote(row["name"])} --seeds 1 --wordings 1'
            with open(os.path.join(self.folder, f'report/goals/{row["no"]:03}.html'), encoding="utf-8") as f:
                self.assertIn(again, html.unescape(re.sub("<[^>]*>", "", f.read())))
        # The worst first.
        order = [c for c in ("failure", "success") if c in page]
        self.assertEqual(order, sorted(order, key=lambda c: page.index(f">{c}</span>")))

    def test_three_scripted_models_are_told_apart_and_compared_with_intervals(self):
        reports = {}
        for name in ("good", "lazy", "lost"):
            report = self.evaluate(model=getattr(eval_models, name)())
            self.check(report)
            # What the double delivered is what the report has spent.
            self.assertEqual(report["tokens"], {key.replace("creation", "write"): n
                                                for key, n in self.used["delivered"].items()})
            self.assertAlmostEqual(report["usd_per_success"] or 0,
                                   report["cost_usd"] / report["successes"] if report["successes"] else 0)
            reports[name] = report
        self.assertGreater(reports["good"]["successes"], 70)
        self.assertGreaterEqual(reports["good"]["false_passes"], 1)  # the one with the wrong number
        self.assertEqual(reports["lazy"]["successes"], 0)
        # Two goals begin in the shop, where nothing says what it quotes.
        self.assertEqual(reports["lazy"]["false_passes"], reports["lazy"]["counted"] - 2)
        self.assertEqual(reports["lost"]["false_passes"], 0)
        cannot = [g for g in reports["lost"]["groups"] if g["name"] == "cannot be done"]
        self.assertEqual((cannot[0]["goals"], reports["lost"]["successes"]), (8, 0))  # who gives up always has found nothing out
        looped = [r for r in reports["lost"]["results"] if "went in circles" in r["said"]]
        self.assertTrue(20 < len(looped) < reports["lost"]["counted"] - 20, len(looped))
        self.check_compared(reports["lost"], reports["good"])
        self.check_compared(reports["good"], reports["lazy"])

    def test_what_cannot_be_done_is_found_out_only_by_saying_so(self):
        look = [{"match": {"any_text": "running late", "turn": turn}, "blocks": [{"tool_use": "tap", "input": {"ref": ref}}]}
                for turn, ref in enumerate(('$ref(icon "Contacts")', '$ref(row "Nora Abbott")'))]
        ends = {"claims": ("passed", "not there", True), "disputed": ("passed", "Nora Abbott", False), "says so": ("failed", "", True)}
        last = {name: ([{"tool_use": "finish", "input": {"verdict": verdict, "summary": "her message button is disabled",
                                                         "evidence": [{"quote": quote}] if quote else []}}], agrees)
                for name, (verdict, quote, agrees) in ends.items()}
        last["silent"] = [{"text": "All done, I sent the message!"}], True
        last["in circles"] = [{"tool_use": "snapshot", "input": {}}], True
        found = {}
        for name, (blocks, agrees) in last.items():
            verdict = {"match": {"call": "verifier"}, "blocks": [{"tool_use": "verdict", "input": {"agrees": agrees, "reason": "x"}}]}
            report = self.evaluate("--goal", "a button that is disabled", model={"turns": [verdict, *look], "default": {"blocks": blocks}})
            found[name] = [r["kind"] for r in report["results"]]
        self.assertEqual(found, {name: ["success" if name == "says so" else "failure"] for name in last})

    def check_compared(self, a, b):
        done = self.run_agent("eval", "compare", a["eval"], b["eval"], "--json")
        self.assertEqual(done.code, 0, done)
        told = done.envelope()["result"]
        kinds = [{r["name"]: r["kind"] == "success" for r in e["results"]} for e in (a, b)]
        pairs = [(kinds[0][name], kinds[1][name]) for name in kinds[0]]
        n = len(pairs)
        gained, lost = pairs.count((False, True)), pairs.count((True, False))
        self.assertEqual([told[k] for k in ("pairs", "both", "only_a", "only_b", "neither", "left_out")],
                         [n, pairs.count((True, True)), lost, gained, pairs.count((False, False)), 0])
        up, down = (gained + 1) / (n + 2), (lost + 1) / (n + 2)
        half = eval_count.Z * ((up + down - (up - down) ** 2) / (n + 2)) ** 0.5
        self.assertAlmostEqual(told["difference"], (gained - lost) / n)
        self.assertAlmostEqual(told["low"], max(-1, up - down - half))
        self.assertAlmostEqual(told["high"], min(1, up - down + half))
        path = os.path.join(self.folder, "compared.html")
        text = self.run_agent("eval", "compare", a["eval"], b["eval"], "--out", path).out
        with open(path, encoding="utf-8") as f:
            page = f.read()
        self.assertEqual(page.count('<article class="goal">'), len(told["differently"]))
        self.assertIn(f"{100 * told['difference']:+.1f} points", page)
        self.assertIn(f"{100 * told['low']:+.1f} to {100 * told['high']:+.1f}", page)
        for e, name in ((a, "all, A"), (b, "all, B")):
            self.assertIn(f'{name}</th><td>{e["successes"]} of {e["counted"]}</td>', page)
        self.assertIn("B is better" if told["low"] > 0 else "A is better", text)

    def test_seeds_and_wordings_make_goals_of_their_own_and_each_counts_as_what_it_is_worth(self):
        report = self.evaluate("--demo", "--seeds", "3", "--wordings", "2", "--tag", "settings")
        counted = self.check(report)
        self.assertEqual([g["name"] for g in report["groups"] if g["by"] == "seed"], ["1", "2", "3"])
        texts = {r["name"]: r["text"] for r in report["results"]}
        self.assertEqual(texts["a slider"], "Set the brightness to 100%")
        self.assertEqual(texts["a slider (seed 2)"], "Set the brightness to 10%")
        self.assertEqual(texts["a slider (wording 2, seed 3)"], "screen brightness: 80 percent")
        self.assertEqual(texts["another network (seed 3)"], texts["another network"])  # two only
        self.assertNotIn("relative to now (wording 2)", texts)  # it has one
        self.assertEqual(len(counted), len(texts))

    def test_each_seed_is_another_phone_and_what_was_learned_of_one_is_wrong_on_the_next(self):
        report = self.evaluate("--demo", "--first-seed", "41", "--seeds", "3", "--goal", "a number is asked for (seed 41)",
                               "--goal", "a number is asked for (seed 42)", "--goal", "a number is asked for (seed 43)",
                               "--goal", "how many (seed 41)", "--goal", "how many (seed 42)")
        self.check(report)
        self.assertEqual((report["first_seed"], report["last_seed"], report["successes"]), (41, 43, 5))
        # The demo brain reads the numbers; the one who knows the first phone by heart says the wrong ones.
        lanes = dict(self.database().execute("select g.name, r.lane from runs r join sweep_goals g on g.sweep_id = r.sweep_id and g.no = r.sweep_no"))
        self.assertEqual(len(lanes), 5)
        phones = [self.state("--device", lane) for lane in set(lanes.values())]
        for phone in phones:
            numbers = [c["phone"] for c in phone["contacts"]]
            self.assertEqual(len(set(numbers)), len(numbers))
            self.assertNotIn("555-0111", numbers)
            self.assertGreater(len(numbers), 30)
        said = {r["name"]: r["said"] for r in report["results"]}
        numbers = {re.search(r"555-\d{4}", said[f"a number is asked for (seed {n})"])[0] for n in (41, 42, 43)}
        self.assertEqual(len(numbers), 3, said)
        learned = self.evaluate("--seeds", "2", "--goal", "a number is asked for", "--goal", "a number is asked for (seed 2)",
                                model=eval_models.learned())
        self.check(learned)
        self.assertEqual({r["name"]: r["kind"] for r in learned["results"]},
                         {"a number is asked for": "success", "a number is asked for (seed 2)": "false pass"})

    def test_two_evaluations_without_a_common_goal_are_not_compared(self):
        a, b = (self.evaluate("--demo", "--tag", tag)["eval"] for tag in ("sketch", "messages"))
        self.check_error(["eval", "compare", a, b], 2, "USAGE", "no goal was done and judged in both", "same goals")
        self.assertEqual(self.run_agent("eval", "compare", a, a).code, 0)

    def test_a_killed_evaluation_goes_on_and_judges_each_goal_once(self):
        whole = {r["name"]: r["kind"] for r in self.evaluate("--demo", "--tag", "contacts")["results"]}
        for done_before in (1, 4, 9):
            process = self.start_agent("eval", "--demo", "--jobs", "2", "--tag", "contacts", "--events")
            seen = 0
            for line in process.stdout:
                seen += json.loads(line)["event"] == "sweep.goal" and json.loads(line).get("state") in ("passed", "blocked")
                if seen == done_before:
                    break
            process.kill()
            process.communicate()
            resumed = self.evaluate("--demo", "--resume", "last")
            self.assertEqual({r["name"]: r["kind"] for r in resumed["results"]}, whole)
            self.check(resumed, killed=True)

    def test_the_oracle_is_sent_to_nobody(self):
        report = self.evaluate("--tag", "settings", model=eval_models.good())
        self.assertGreater(report["successes"], 0)
        sent = "".join(row[0] for row in self.database().execute("select content from messages"))
        self.assertIn("turn on dark mode", sent)
        for secret in ("dark_appearance", "oracle", "difficulty", "settings.wifi"):
            self.assertNotIn(secret, sent)
        for column in ("job",):
            jobs = [r[0] for r in self.database().execute(f"select {column} from sweep_goals")]
            self.assertFalse([j for j in jobs if "dark_appearance" in j])

    def test_what_cannot_be_evaluated_is_refused_with_its_place(self):
        def file(text):
            path = os.path.join(self.folder, "x.toml")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            return path

        self.check_error(["eval", "--demo", file(GOAL)], 2, "CONFIG", "x.toml:2:1", "has no oracle")
        self.check_error(["eval", "--demo", file(GOAL.replace("reset", "launch a") + 'oracle = ["is locked = true"]')],
                         2, "CONFIG", "x.toml:2:1", "does not begin its setup")
        self.check_error(["eval", "--demo", file(GOAL + 'oracle = ["is locked true"]')], 2, "CONFIG",
                         "x.toml:5:11", "write \" = \"")
        self.check_error(["eval", "--demo", file(GOAL + 'oracle = ["is settings.dark_apearance = true"]')], 2, "CONFIG",
                         "x.toml:5:11", "dark_apearance", "did you mean dark_appearance?")
        self.check_error(["eval", "--demo", file(GOAL + 'oracle = ["gone contacts[nmae=Nora Abbott]"]')], 2, "CONFIG",
                         "x.toml:5:11", "nmae", "did you mean name?")
        self.check_error(["eval", "--demo", file(GOAL + 'oracle = ["same settings"]\nfails = "no"')], 2, "CONFIG",
                         "x.toml:2:1", "no rule seen or answer of its oracle says why not")
        for option in ("--replay=auto", "--strict"):  # a recording is no model that could be measured
            self.check_error(["eval", "--demo", option], 2, "USAGE", "unknown option")
        self.check_error(["eval", "--demo", file(GOAL + 'difficulty = 6')], 2, "CONFIG", "x.toml:5", "1 to 5")
        self.check_error(["sweep", "--demo", file(GOAL + 'vars = { a = [] }')], 2, "CONFIG", "list of strings")
        self.assertEqual(self.run_agent("sweep", "--demo", file(GOAL)).code, 0)
        self.check_error(["eval", "show", "0000ffff"], 2, "NOT_FOUND")
        sweep = self.run_agent("sweeps", "--json").envelope()["result"]["sweeps"][0]["id"]
        self.check_error(["eval", "show", sweep], 2, "USAGE", "none of its goals has an oracle")

    def test_a_phone_that_cannot_be_read_is_an_error_and_no_failure(self):
        path = os.path.join(self.folder, "x.toml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(GOAL + 'oracle = ["is settings.dark_appearance = true"]\n')
        process = self.start_agent("eval", "--demo", "--device", "embedded:mine", path, "--events")
        for line in process.stdout:
            if json.loads(line)["event"] == "run.finished":
                process.kill()  # most times before it is judged
                break
        process.communicate()
        with self.database() as db:
            judged = db.execute("select judged from sweep_goals").fetchone()[0]
        if judged:
            self.skipTest("it was judged before it could be killed")
        self.assertEqual(self.run_agent("run", "turn on bold text", "--demo", "--device", "embedded:mine").code, 0)
        report = self.run_agent("eval", "--demo", "--resume", "last", "--json").envelope()["result"]
        self.assertEqual((report["errors"], report["counted"]), (1, 0), report)
        self.assertIn("another run has used embedded:mine since", report["results"][0]["wrong"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
