"""Runs that pay once: passed goals done again without a model, and what keeps a replay from a false pass."""
import os
import re
import sqlite3
import unittest

from harness import Case, SOURCE, sample_goals

GOALS = os.path.join(SOURCE, "goals")
APPS = {"shop": "com.example.shop", "contacts": "com.apple.MobileAddressBook", "reminders": "com.apple.reminders",
        "settings": "com.apple.Preferences", "messages": "com.apple.MobileSMS", "bank": "com.example.bank"}
# What each bug breaks, of the goals that look at it.
BUGS = {
    "shop-total": {"the total counts every piece", "an order is placed"},
    "shop-coupon": {"a coupon takes ten percent off"},
    "shop-cart-stays": {"an order is placed"},
    "contacts-lost-phone": {"a changed number is kept"},
    "contacts-deaf-search": {"a contact is found by last name"},
    "reminders-ghost": {"what is deleted stays away"},
    "reminders-late": {"a reminder is added with a date"},
    "settings-switch-lies": {"Bluetooth stays off"},
    "messages-badge-stays": {"an invitation is accepted"},
    "messages-lost-picture": {"the right picture is sent"},
    "messages-deaf-search": {"search looks into messages"},
    "bank-double-transfer": {"a transfer is confirmed", "a large transfer needs a code"},
    "bank-no-limit": {"a transfer over the limit is refused"},
    "bank-wrong-payee": {"a large transfer needs a code"},
    "bank-any-code": {"a wrong code is refused"},
}


class Replay(Case):
    def database(self):
        return sqlite3.connect(f"file:{self.home}/ios-agent.db?mode=ro", uri=True)

    def record(self):
        """The sample goals by the demo brain; the names of those that passed, with their runs."""
        done = self.run_agent("sweep", "--json", "--demo", GOALS)
        self.assertEqual(done.code, 0, done)
        rows = self.database().execute(
            "select g.name, r.id from runs r join goals g on g.id = r.goal_id where r.state = 'passed'")
        runs = dict(rows.fetchall())
        self.assertEqual(len(runs), sample_goals() - 5)
        return runs

    def replay(self, run, *args):
        done = self.run_agent("replay", run, "--json", *args)
        return done, done.envelope()["result"]

    def test_every_goal_that_passed_is_done_again_without_a_model(self):
        for name, run in self.record().items():
            done, result = self.replay(run, "--fresh")
            self.assertEqual(done.code, 0, (name, done))
            self.assertEqual((result["state"], result["basis"]), ("passed", "expectations"))
            self.assertEqual(sum(v for k, v in result["tokens"].items()), 0)
        runs = self.database().execute(
            "select r.outcome, count(*) from runs r where r.recording is not null group by 1").fetchall()
        self.assertEqual(runs, [("replayed", sample_goals() - 5)])
        spoken = self.database().execute(
            "select count(*) from events where type = 'request.finished' and run_id in "
            "(select id from runs where recording is not null)").fetchone()
        self.assertEqual(spoken, (0,))

    def test_a_bug_fails_every_goal_that_looks_at_it(self):
        runs = self.record()
        apps = dict(self.database().execute("select g.name, g.app from goals g").fetchall())
        for bug, broken in BUGS.items():
            failed = set()
            app = APPS[bug.partition("-")[0]]
            for name, run in ((n, r) for n, r in runs.items() if apps[n] == app):
                done, result = self.replay(run, "--device", f"embedded:bugs?bugs={bug}")
                self.assertIn(done.code, (0, 1), (bug, name, done))
                failed |= {name} if result["state"] == "failed" else set()
            self.assertEqual(failed, broken, bug)

    def test_a_dead_control_fails_every_goal_that_taps_it(self):
        tried = 0
        for name, run in self.record().items():
            shown = self.run_agent("recordings", "show", run, "--json").envelope()["stdout"]
            steps = [s for s in shown.split("[[step]]") if 'act = "tap"' in s]
            for control in {m[1] for s in steps for m in re.finditer(r'^target = .*? id = "([^"]+)"', s, re.M)}:
                done, result = self.replay(run, "--device", f"embedded:dead?changes=dead:#{control}")
                self.assertEqual((done.code, result["state"]), (1, "failed"), (name, control))
                tried += 1
        self.assertGreater(tried, 50)

    def test_a_sweep_replays_what_it_can(self):
        self.record()
        done = self.run_agent("sweep", "--json", "--demo", "--replay", "auto", "--repeat", "3", GOALS)
        self.assertEqual(done.code, 0, done)
        outcomes = self.database().execute("select outcome, count(*) from runs group by 1").fetchall()
        n = sample_goals()
        self.assertEqual(dict(outcomes), {None: n + 3 * 5, "replayed": 3 * (n - 5)})

    def test_what_holds_before_the_first_step_is_no_pass(self):
        self.run_agent("run", "open Settings, turn on Airplane Mode", "--demo", "--expect",
                       'value #airplane_mode = "on"')
        done, result = self.replay("last")
        self.assertEqual((done.code, result["state"]), (5, "blocked"), done)
        self.assertIn("before the first step", result["message"])

    def test_a_run_that_code_cannot_judge_is_no_recording(self):
        self.run_agent("run", "open Settings, turn on Airplane Mode", "--demo")
        done = self.run_agent("replay", "last", "--json")
        self.assertNotEqual(done.code, 0)
        error = done.envelope()["error"]
        self.assertIn("no expectation was false at first", error["message"])
        self.assertIn("expect =", error["hint"])


    def test_where_nothing_was_run_yet_it_says_how_to_begin(self):
        self.check_error(["replay", "last"], 2, "NOT_FOUND", "no run that could be replayed yet", "ios-agent run GOAL --expect")

    def test_a_replay_asks_no_model_and_needs_no_key(self):
        double = self.double()
        goal = ("run", "open Settings, turn on Airplane Mode", "--expect", 'value #airplane_mode = "on"')
        done = self.run_agent(*goal, env=self.claude(double))
        self.assertEqual(done.code, 0, done)
        asked = double.stop()["messages"]
        self.assertGreater(asked, 0)
        # A server without a key would be refused where a client of it was made.
        nobody = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
        for how in (("replay", "last", "--fresh"), (*goal, "--replay", "only", "--fresh")):
            done = self.run_agent(*how, "--json", env=nobody)
            self.assertEqual(done.code, 0, done)
            self.assertEqual((done.envelope()["result"]["cost_usd"], done.envelope()["result"]["demo"]), (0, False))

    def test_a_sweep_that_only_replays_needs_no_key(self):
        double = self.double()
        goals = os.path.join(GOALS, "settings.toml")
        done = self.run_agent("sweep", goals, env=self.claude(double))
        self.assertEqual(done.code, 0, done)
        double.stop()
        done = self.run_agent("sweep", goals, "--replay", "only", "--json", env={"ANTHROPIC_BASE_URL": double.url})
        self.assertEqual(done.code, 0, done)
        self.assertEqual([g["state"] for g in done.envelope()["result"]["results"]], ["passed", "passed"])


AIRPLANE = ("open Settings, turn on Airplane Mode", "--demo", "--expect", 'value switch "Airplane Mode" = "on"')


BARE, RENAMED = "embedded:bare?ids=bare", "embedded:renamed?changes=id:#airplane_mode=plane"


class Heal(Case):
    """ids=bare takes the identifiers away, as an app does that renames them."""

    def go(self, device, mode):
        done = self.run_agent("run", *AIRPLANE, "--device", device, "--replay", mode, "--fresh", "--json")
        return done, done.envelope()["result"]

    def states(self):
        done = self.run_agent("recordings", "list", "--json")
        return [(r["state"], r["passes"]) for r in done.envelope()["result"]["recordings"]]

    def test_a_changed_control_is_healed_and_waits_in_quarantine_until_it_passed_three_times(self):
        self.assertEqual(self.go("embedded", "off")[0].code, 0)
        self.assertEqual(self.go("embedded", "auto")[1]["tokens"]["output"], 0)
        self.assertEqual(self.states(), [("trusted", 1)])
        done, result = self.go("embedded:e?ids=bare", "only")
        self.assertEqual((done.code, result["state"]), (1, "failed"), done)
        self.assertIn('switch "Airplane Mode" is changed', result["message"])
        self.assertRegex(result["hint"], "nearest: .*; with --replay auto, or replay --heal, a model does this step")
        done, result = self.go("embedded:e?ids=bare", "auto")
        self.assertEqual((done.code, result["basis"]), (0, "both"), done)
        self.assertGreater(result["tokens"]["output"], 0)
        for n in range(1, 4):
            done, result = self.go("embedded:e?ids=bare", "auto")
            self.assertEqual((done.code, result["tokens"]["output"]), (0, 0), done)
            self.assertEqual(self.states()[0], ("quarantined", n) if n < 3 else ("trusted", 3))
        self.assertEqual(self.states()[1][0], "replaced")

    def test_what_somebody_rejected_is_not_proposed_again(self):
        self.go("embedded", "off")
        self.go("embedded", "auto")
        self.go("embedded:e?ids=bare", "auto")
        self.go("embedded:e?ids=bare", "auto")
        self.assertEqual(self.states()[0][0], "quarantined")
        done = self.run_agent("recordings", "reject", AIRPLANE[0])
        self.assertEqual(done.code, 0, done)
        self.go("embedded:e?ids=bare", "auto")
        self.go("embedded:e?ids=bare", "auto")
        self.assertEqual([s for s, _ in self.states()], ["rejected", "trusted"])

    def recordings(self):
        return self.run_agent("recordings", "list", "--json").envelope()["result"]["recordings"]

    def trusted(self):
        """The id of a recording that is trusted."""
        self.go("embedded", "off")
        self.go("embedded", "auto")
        return self.recordings()[0]["id"]

    def heal(self, recording, device):
        """As one of several runs that began at once: what others healed is not used. The run."""
        done = self.run_agent("replay", recording, "--heal", "--fresh", "--device", device, "--json")
        self.assertEqual(done.envelope()["result"]["outcome"], "healed", done)
        return self.runs()[0]["id"]

    def decide(self, how, what):
        done = self.run_agent("recordings", how, what)
        self.assertEqual(done.code, 0, done)

    def test_what_several_runs_healed_at_once_is_one_recording(self):
        parent = self.trusted()
        for _ in range(2):
            self.heal(parent, BARE)
        for n in range(1, 5):
            self.assertEqual(self.go(BARE, "auto")[1]["tokens"]["output"], 0)
            self.assertEqual(self.states(), [("quarantined" if n < 3 else "trusted", n),
                                             ("trusted" if n < 3 else "replaced", 0)])

    def test_one_that_is_healed_again_counts_from_the_beginning(self):
        parent = self.trusted()
        self.heal(parent, BARE)
        self.go(BARE, "auto")
        self.go(BARE, "auto")
        self.assertEqual(self.states()[0], ("quarantined", 2))
        self.heal(parent, BARE)
        for n in range(1, 3):
            self.go(BARE, "auto")
            self.assertEqual(self.states(), [("quarantined", n), ("trusted", 0)])

    def test_of_several_heals_one_is_accepted_and_the_others_are_replaced(self):
        parent = self.trusted()
        for device in (BARE, RENAMED):
            self.run_agent("recordings", "show", self.heal(parent, device))
        self.assertEqual([s for s, _ in self.states()], ["quarantined", "quarantined", "trusted"])
        self.decide("accept", self.recordings()[1]["id"])
        self.assertEqual([s for s, _ in self.states()], ["replaced", "trusted", "replaced"])

    def test_a_rejected_heal_does_not_come_back_by_another_recording_of_the_goal(self):
        parent = self.trusted()
        self.run_agent("recordings", "show", self.heal(parent, BARE))
        self.decide("reject", self.recordings()[0]["id"])
        # Recorded anew, of another run.
        self.decide("reject", parent)
        other = self.trusted()
        self.assertNotEqual(other, parent)
        shown = self.run_agent("recordings", "show", self.heal(other, BARE))
        self.assertIn("somebody rejected the same change", shown.err)
        self.go(BARE, "auto")
        self.assertEqual([s for s, _ in self.states()], ["trusted", "rejected", "rejected"])

    def test_rejecting_a_heal_that_was_trusted_brings_back_what_it_replaced(self):
        parent = self.trusted()
        self.run_agent("recordings", "show", self.heal(parent, BARE))
        for how, states in (("accept", ["trusted", "replaced"]), ("reject", ["rejected", "trusted"])):
            self.decide(how, self.recordings()[0]["id"])
            self.assertEqual([s for s, _ in self.states()], states)
        done, result = self.go("embedded", "only")
        self.assertEqual((done.code, result["replay"]["recording"]), (0, parent), done)

    def test_what_one_build_needs_does_not_keep_another_from_its_recording(self):
        parent = self.trusted()
        self.heal(parent, RENAMED)
        self.assertEqual(self.go(RENAMED, "only")[0].code, 0)
        # The other build fails once, by what is in quarantine, and passes from then on.
        self.assertEqual(self.go("embedded", "only")[0].code, 1)
        for _ in range(2):
            done, result = self.go("embedded", "only")
            self.assertEqual((done.code, result["replay"]["recording"]), (0, parent), done)

    def test_after_three_healed_runs_somebody_has_to_decide(self):
        parent = self.trusted()
        for _ in range(3):
            self.heal(parent, BARE)
        done = self.run_agent("replay", parent, "--heal", "--fresh", "--device", BARE, "--json")
        self.assertEqual(done.code, 1, done)
        self.assertIn("a model helped with this step in 3 runs", done.envelope()["error"]["hint"])
        self.assertEqual(done.envelope()["result"]["tokens"]["output"], 0)


if __name__ == "__main__":
    unittest.main()
