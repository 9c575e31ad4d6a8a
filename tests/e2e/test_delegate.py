"""An agent gives subtasks to others: who does what where, what the parent is told, and what ends with what."""
import json
import os
import signal
import subprocess
import unittest

from delegate_case import (AGREES, CONFIG, GOAL, HAND, HANDS, LEAD, ON, SCRIPT, DelegateCase, delegate, finish,
                           says, subgoal)
from harness import PROGRAM

PASSES = finish(quote="Airplane Mode", step=1)
GIVES_UP = finish("failed", "a subtask did not pass")
LOOKS = [{"tool_use": "snapshot", "input": {}}]
# A hand that is in the middle of a request until it is cancelled.
WAITS = {**says(HAND, LOOKS), "latency_ms": 600000}
A_WHILE_MS = 1500


class Delegate(DelegateCase):
    # ---- helpers -------------------------------------------------------------------------

    def begin(self, *args):
        """A process of its own, that is ended with the test."""
        process = subprocess.Popen([PROGRAM, *args], env={**self.env(), **self.environ}, cwd=self.folder, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: process.poll() is None and (process.kill(), process.communicate()))
        return process

    def begin_goal(self, *args):
        return self.begin("run", GOAL, "--agent", "lead", "--device", "embedded:lead", *args)

    def until(self, process, sql, *values):
        """Waits until the query has a row, and returns that."""
        while True:
            found = os.path.exists(os.path.join(self.home, "ios-agent.db")) and self.try_rows(sql, *values)
            if found:
                return found[0]
            try:
                process.wait(0.02)
                self.fail((sql, process.communicate()))
            except subprocess.TimeoutExpired:
                pass

    def try_rows(self, sql, *values):
        try:
            return self.rows(sql, *values)
        except Exception:  # pylint: disable=broad-except
            return []  # no table yet, or locked

    def in_hand(self, process, name="alice"):
        """The child on that phone once it is running."""
        return self.until(process, "SELECT id FROM runs WHERE lane = ? AND state = 'running'", "embedded:" + name)[0]

    def children(self):
        return self.rows("SELECT id, state FROM runs WHERE parent_id IS NOT NULL ORDER BY rowid")

    def lead(self, *turns, hands=None, first=None):
        """A script: what the lead says at first, then by what it was told (texts and blocks)."""
        later = [says(LEAD, blocks, any_text=text) for text, blocks in turns]
        return [AGREES, *(HANDS if hands is None else hands), *later, says(LEAD, first or [delegate("alice")])]

    # ---- how it goes ---------------------------------------------------------------------

    def test_two_phones_are_driven_by_two_agents_for_one_goal(self):
        self.start(SCRIPT)
        r = self.goal()
        self.assertEqual(r.code, 0, r)
        self.check_done()
        types = [t for t, in self.rows("SELECT type FROM events WHERE run_id = ? AND type IN ('run.delegated', "
                                       "'run.waits', 'run.child_finished') ORDER BY id", self.parent())]
        self.assertEqual(types, ["run.delegated"] * 2 + ["run.waits"] + ["run.child_finished"] * 2)

    def test_the_envelope_is_that_of_the_parent_and_the_events_are_those_of_all(self):
        self.start(SCRIPT)
        self.assertEqual(self.goal("--json").envelope()["result"]["run"], self.parent())
        self.setUp()
        self.start(SCRIPT)
        events = self.goal("--events").events()
        self.assertEqual({e["run"] for e in events}, {r for r, in self.rows("SELECT id FROM runs")})

    def test_subtasks_on_the_device_of_the_parent_run_one_after_the_other(self):
        def here(name):
            call = delegate(name)
            del call["input"]["device"]
            return call

        self.start(self.lead(("subtask 2: passed", [PASSES]), first=[here("alice"), here("bob")]))
        r = self.goal("--device", "embedded:lead")
        self.assertEqual(r.code, 0, r)
        self.assertEqual(self.rows("SELECT DISTINCT lane FROM runs"), [("embedded:lead",)])
        (_, _, end), (begin, _, _) = self.rows("SELECT started_at, created_at, finished_at FROM runs "
                                               "WHERE parent_id IS NOT NULL ORDER BY rowid")
        self.assertLessEqual(end, begin)
        self.assertEqual(self.taps("lead"), 1)  # the second found it on

    def test_a_subtask_waits_for_a_device_that_another_run_holds(self):
        holds = {**says("", [finish("failed", "enough")], any_text="hold it"), "latency_ms": A_WHILE_MS}
        self.start([holds, *self.lead(("subtask 1: passed", [PASSES]))])
        holder = self.begin("run", "hold it", "--device", "embedded:alice")
        self.in_hand(holder)
        r = self.goal()
        self.assertEqual(r.code, 0, r)
        holder.communicate()
        (end,), (begin,) = (self.rows("SELECT finished_at FROM runs WHERE lane = 'embedded:alice' AND parent_id IS NULL"),
                            self.rows("SELECT started_at FROM runs WHERE parent_id IS NOT NULL"))
        self.assertLessEqual(end, begin)

    # ---- what the parent is told ----------------------------------------------------------

    def test_a_device_that_cannot_be_opened_is_told_with_its_error(self):
        config = CONFIG.replace('"embedded:alice embedded:bob"', '"bridge:127.0.0.1:1"')
        call = delegate("alice")
        call["input"]["device"] = "bridge:127.0.0.1:1"
        self.start(self.lead(("subtask 1: error", [GIVES_UP]), first=[call]), config)
        r = self.goal()
        self.assertEqual(r.code, 1, r)
        self.assertEqual(self.states(), ["failed", "error"])

    def test_a_device_that_does_not_exist_is_refused_and_ends_nothing_else(self):
        config = CONFIG.replace('"embedded:alice embedded:bob"', '"nonsense:x embedded:bob"')
        call = delegate("alice", device="nonsense:x")
        self.start(self.lead(("device nonsense:x", [GIVES_UP]), first=[call]), config)
        r = self.goal()
        self.assertEqual(r.code, 1, r)
        self.assertEqual(self.states(), ["failed"])

    def test_a_device_that_the_user_did_not_name_is_refused_and_nothing_begins(self):
        self.start(self.lead(("INVALID_INPUT", [GIVES_UP]), ("not one of", [GIVES_UP]), first=[delegate("mallory")]))
        r = self.goal()
        self.assertEqual(r.code, 1, r)
        self.assertEqual(self.states(), ["failed"])
        self.assertFalse(os.path.exists(os.path.join(self.home, "embedded", "mallory.log")))

    def test_a_blocked_subtask_is_told_as_blocked(self):
        self.start(self.lead(("subtask 1: blocked", [finish("blocked", "a subtask is blocked")]),
                             hands=[says(HAND, [finish("blocked", "it wants a code")])]))
        self.assertEqual(self.goal().code, 5)
        self.assertEqual(self.states(), ["blocked", "blocked"])
        self.assertIn("it wants a code", self.results()[0])

    def test_a_subtask_that_did_not_pass_can_be_done_again(self):
        hinted = [{**h, "match": {**h["match"], "any_text": "it is in Settings"}} for h in HANDS]
        repeat = {"tool_use": "delegate", "input": {"agent": "hand", "goal": "it is in Settings", "redoes": 1}}
        self.start(self.lead(("subtask 2: passed", [finish(quote="Airplane Mode", step=2)]),
                             ("subtask 1: failed", [repeat]),
                             hands=[*hinted, says(HAND, [finish("failed", "I do not find it")])]))
        r = self.goal()
        self.assertEqual(r.code, 0, r)
        self.assertEqual(self.states(), ["passed", "failed", "passed"])
        goals = self.rows("SELECT g.text, g.hint, g.expect, r.lane FROM runs r JOIN goals g ON g.id = r.goal_id "
                          "WHERE r.parent_id IS NOT NULL ORDER BY r.rowid")
        self.assertEqual(goals, [(subgoal("alice"), None, json.dumps([ON]), "embedded:alice"),
                                 (subgoal("alice"), "it is in Settings", json.dumps([ON]), "embedded:alice")])

    def test_a_cancelled_subtask_is_told_and_its_sibling_goes_on(self):
        waits = {**WAITS, "match": {**WAITS["match"], "any_text": subgoal("alice")}}
        self.start(self.lead(("subtask 1: cancelled", [GIVES_UP]), hands=[waits, *HANDS],
                             first=[delegate("alice"), delegate("bob")]))
        process = self.begin_goal()
        child = self.in_hand(process)
        self.assertEqual(self.agent("cancel", child).code, 0)
        out, err = process.communicate()
        self.assertEqual(process.returncode, 1, (out, err))
        self.assertEqual(self.states(), ["failed", "cancelled", "passed"])

    def test_a_child_reads_what_it_is_told(self):
        hands = [says(HAND, HANDS[2]["blocks"], latest="go on now"), *HANDS[:2],
                 {**says(HAND, LOOKS), "latency_ms": A_WHILE_MS}]
        self.start(self.lead(("subtask 1: passed", [PASSES]), hands=hands))
        process = self.begin_goal()
        child = self.in_hand(process)
        self.assertEqual(self.agent("say", child, "go on now").code, 0)
        out, err = process.communicate()
        self.assertEqual(process.returncode, 0, (out, err))
        self.assertEqual(self.states(), ["passed", "passed"])

    # ---- what ends with what --------------------------------------------------------------

    def test_cancelling_a_parent_in_the_foreground_cancels_its_subtasks(self):
        self.start(self.lead(hands=[WAITS], first=[delegate("alice"), delegate("bob")]))
        process = self.begin_goal()
        self.in_hand(process, "alice")
        self.in_hand(process, "bob")
        self.assertEqual(self.agent("cancel", self.parent()).code, 0)
        out, err = process.communicate()
        self.assertEqual(process.returncode, 7, (out, err))
        self.assertEqual(self.states(), ["cancelled"] * 3)
        self.assertEqual(self.rows("SELECT count(*) FROM leases"), [(0,)])

    def test_cancelling_a_parent_of_the_daemon_cancels_its_subtasks(self):
        self.start(self.lead(hands=[WAITS], first=[delegate("alice"), delegate("bob")]))
        for args in (["add", "--name", "all", "--every", "1d", "--agent", "lead", "--device", "embedded:lead", GOAL],
                     ["run-now", "all"]):
            self.assertEqual(self.agent("schedule", *args).code, 0)
        daemon = self.begin("daemon")
        self.in_hand(daemon, "alice")
        self.assertEqual(self.agent("cancel", self.parent()).code, 0)
        self.until(daemon, "SELECT 1 FROM runs GROUP BY 1 HAVING sum(state = 'cancelled') = 3")
        daemon.send_signal(signal.SIGTERM)
        daemon.communicate()

    def test_ctrl_c_cancels_the_tree(self):
        self.start(self.lead(hands=[WAITS]))
        process = self.begin_goal()
        self.in_hand(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        self.assertEqual(process.returncode, 7, (out, err))
        self.assertEqual(self.states(), ["cancelled"] * 2)

    def test_a_child_is_resumed_by_its_own_id_and_then_its_parent(self):
        self.start(self.lead(("subtask 1: passed", [PASSES])))
        killed = self.goal(IOS_AGENT_KILL_AT="agent.tool.before:2", IOS_AGENT_KILL_WITH="KILL")
        self.assertEqual(killed.code, -9, killed)
        (child, _), = self.children()
        self.assertEqual(self.agent("resume", child).code, 0)
        self.assertEqual(self.states(), ["queued", "passed"])
        self.assertEqual(self.agent("resume", self.parent()).code, 0)
        self.assertEqual(self.states(), ["passed", "passed"])
        self.assertEqual(self.taps("alice"), 1)

    # ---- limits ---------------------------------------------------------------------------

    def test_a_run_has_no_more_subtasks_than_it_may(self):
        config = CONFIG.replace("[agents.lead]", "delegate_runs = 1\n[agents.lead]")
        self.start(self.lead(("no more than 1 subtask", [GIVES_UP]), first=[delegate("alice"), delegate("bob")]), config)
        self.assertEqual(self.goal().code, 1)
        self.assertEqual(self.states(), ["failed", "passed"])

    def test_agents_cannot_call_each_other_in_circles(self):
        config = CONFIG + 'may_call = ["lead", "hand"]\n'
        self.start([AGREES, says(HAND, [finish("failed", "no tool")], any_text="no tool of that name"),
                    says(HAND, [delegate("bob", agent="lead")]),
                    says(LEAD, [GIVES_UP], any_text="subtask 1: failed"), says(LEAD, [delegate("alice")])], config)
        self.assertEqual(self.goal().code, 1)
        self.assertEqual(self.states(), ["failed", "failed"])

    def test_subtasks_nest_only_as_deep_as_they_may(self):
        config = CONFIG.replace("[agents.lead]", "delegate_depth = 1\n[agents.lead]") + (
            'may_call = ["third"]\n[agents.third]\nrole = "third of them"\n')
        self.start([AGREES, says(HAND, [finish("failed", "no tool")], any_text="no tool of that name"),
                    says(HAND, [delegate("bob", agent="third")]),
                    says(LEAD, [GIVES_UP], any_text="subtask 1: failed"), says(LEAD, [delegate("alice")])], config)
        self.assertEqual(self.goal().code, 1)
        self.assertEqual(self.states(), ["failed", "failed"])

    def test_a_subtask_may_have_subtasks(self):
        config = CONFIG + 'may_call = ["third"]\n[agents.third]\nrole = "third of them"\n'
        third = "third of them"
        hands = [{**h, "match": {**h["match"], "system_contains": third}} for h in HANDS]
        self.start([AGREES, *hands, says(HAND, [PASSES], any_text="subtask 1: passed"),
                    says(HAND, [delegate("bob", agent="third")]),
                    says(LEAD, [GIVES_UP], any_text="subtask 1:"), says(LEAD, [delegate("alice", expect=[])])], config)
        self.assertEqual(self.goal().code, 1)
        self.assertEqual(self.states(), ["failed", "passed", "passed"])
        self.assertEqual(self.rows("SELECT c.agent, p.agent FROM runs c JOIN runs p ON p.id = c.parent_id ORDER BY c.rowid"),
                         [("hand", "lead"), ("third", "hand")])

    def test_what_subtasks_use_comes_off_the_limits_of_the_parent_also_after_a_kill(self):
        turns = self.lead(("subtask 1:", [delegate("bob")]))
        for kill in ({}, {"IOS_AGENT_KILL_AT": "agent.tool.after:3", "IOS_AGENT_KILL_WITH": "KILL"}):
            self.setUp()
            self.start(turns)
            r = self.goal("--max-steps", "9", **kill)
            if kill:
                self.assertEqual(r.code, -9, r)
                r = self.agent("resume", self.parent())
            self.assertEqual(r.code, 4, r)
            used, = self.rows("SELECT sum(steps) FROM runs")[0]
            self.assertLessEqual(used, 9)
            budgets = [json.loads(b)["max_steps"] for b, in self.rows(
                "SELECT g.budget FROM runs r JOIN goals g ON g.id = r.goal_id WHERE r.parent_id IS NOT NULL ORDER BY r.rowid")]
            self.assertEqual(budgets[0], 4)  # half of nine, less its own call
            self.assertLess(budgets[1], 4)

    # ---- boundaries -----------------------------------------------------------------------

    def secret(self, named):
        """What the hand typed into the last name of a contact, and whether a model saw the value."""
        hands = [says(HAND, [finish("failed", "typed")], tool="type_text"),
                 says(HAND, [{"tool_use": "type_text", "input": {"ref": "$ref(field \"First name\")",
                                                                 "text": "{{secret:PIN}}"}}], latest="First name"),
                 says(HAND, [{"tool_use": "tap", "input": {"ref": "$ref(button \"Add\")"}}], latest=": Contacts\n"),
                 says(HAND, [{"tool_use": "tap", "input": {"ref": "$ref(icon \"Contacts\")"}}])]
        more = {"secrets": ["PIN"]} if named else {}
        self.start(self.lead(("subtask 1:", [GIVES_UP]), hands=hands, first=[delegate("alice", **more)]))
        self.goal("--secret", "PIN", PIN="hunter2222")
        with open(os.path.join(self.home, "embedded", "alice.log"), encoding="utf-8") as f:
            typed = "hunter2222" in f.read()
        stored = "".join(str(r) for r in self.rows("SELECT content FROM messages"))
        self.assertNotIn("hunter2222", stored)
        return typed

    def test_a_secret_is_typed_only_by_a_subtask_to_which_it_was_given(self):
        self.assertTrue(self.secret(True))
        self.setUp()
        self.assertFalse(self.secret(False))

    def test_a_subtask_cannot_leave_the_app_that_its_parent_is_locked_to(self):
        other = delegate("alice", app="com.apple.Preferences")
        self.start(self.lead(("locked to com.apple.MobileAddressBook", [GIVES_UP]), first=[other]))
        r = self.goal("--app", "com.apple.MobileAddressBook")
        self.assertEqual(r.code, 1, r)
        self.assertEqual(self.states(), ["failed"])

    def test_an_expectation_of_a_model_runs_no_command(self):
        self.start(self.lead(("subtask", [GIVES_UP]), ("not allowed", [GIVES_UP]), ("command", [GIVES_UP]),
                             first=[delegate("alice", expect=['command "touch reached"'])]))
        self.goal("--allow-commands")
        self.assertEqual(self.states(), ["failed"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "reached")))


if __name__ == "__main__":
    unittest.main()
