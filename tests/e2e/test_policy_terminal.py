"""A run in the foreground asks on its terminal, and goes on with the answer."""
import os
import signal
import time
import unittest

from delegate_case import AGREES, GOAL, HAND, HANDS, LEAD, SCRIPT, DelegateCase, delegate, finish, says
from harness import Terminal
from policy_case import PolicyCase

OPEN_SHOP = ("open_url", {"url": "shop://"})
PROMPT = "[y/n] "


class Prompt(PolicyCase):
    def begin(self, *calls, **env):
        """A run on a terminal, up to its prompt."""
        self.runs_env = self.model(*(calls or (OPEN_SHOP,)), IOS_AGENT_POLICY_EXTERNAL_LINKS="ask", **env)
        terminal = Terminal(self, "run", "count the rows", env=self.runs_env)
        terminal.read_until(PROMPT)
        return terminal

    def states(self):
        return [(q["state"], q["by"]) for q in self.questions(self.runs_env, "--all")]

    def ops(self):
        return [op["op"] for op in self.effects()]

    def test_yes_lets_the_call_happen_once_and_the_run_goes_on(self):
        terminal = self.begin(OPEN_SHOP, ("press_button", {"button": "home"}))
        self.assertIn("external_links", terminal.seen)
        self.assertEqual(self.ops(), [])
        terminal.type("y\n")
        self.assertEqual(terminal.finish(), 1, terminal.seen)
        self.assertEqual(self.ops(), ["open_url", "press"])
        self.assertEqual(self.states(), [("used", "terminal")])

    def test_no_forbids_it_and_the_run_goes_on(self):
        terminal = self.begin()
        terminal.type("n\n")
        self.assertEqual(terminal.finish(), 1, terminal.seen)
        self.assertEqual(self.ops(), [])
        self.assertEqual(self.states(), [("denied", "terminal")])

    def test_another_word_is_no_answer(self):
        terminal = self.begin()
        terminal.seen = ""
        terminal.type("yep, whatever\n")
        terminal.read_until(PROMPT)
        self.assertEqual(self.states(), [("open", None)])
        terminal.type("y" * 300 + "\n")
        terminal.seen = ""
        terminal.read_until(PROMPT)
        self.assertEqual(self.states(), [("open", None)])

    def test_each_call_is_asked_about_by_itself(self):
        terminal = self.begin(OPEN_SHOP, ("press_button", {"button": "home"}), OPEN_SHOP)
        terminal.seen = ""
        terminal.type("y\n")
        terminal.read_until(PROMPT)
        terminal.type("n\n")
        self.assertEqual(terminal.finish(), 1, terminal.seen)
        self.assertEqual(self.ops(), ["open_url", "press"])

    def test_ctrl_c_and_the_end_of_the_input_leave_the_question_open(self):
        for key in ("\x03", "\x04"):
            with self.subTest(repr(key)):
                self.setUp()
                terminal = self.begin()
                terminal.type(key)
                self.assertEqual(terminal.finish(), 5, terminal.seen)
                self.assertIn("ios-agent approve", terminal.seen)
                self.assertEqual(self.states(), [("open", None)])
                self.assertEqual(self.runs()[0]["state"], "blocked")
                short = terminal.seen.split("ios-agent approve ")[1].split()[0]
                self.assertTrue(self.questions(self.runs_env)[0]["id"].endswith(short), short)
                self.assertEqual(self.run_agent("approve", short, env=self.runs_env).code, 0)
                self.assertEqual(self.run_agent("resume", env=self.runs_env).code, 1)
                self.assertEqual(self.ops(), ["open_url"])

    def test_a_kill_leaves_the_question_open_and_the_run_goes_on_later(self):
        terminal = self.begin()
        os.kill(terminal.pid, signal.SIGKILL)
        self.assertEqual(terminal.finish(), -signal.SIGKILL)
        self.assertEqual(self.states(), [("open", None)])
        self.assertEqual(self.runs()[0]["state"], "blocked")
        (q,) = self.questions(self.runs_env)
        self.assertEqual(self.run_agent("approve", q["id"], env=self.runs_env).code, 0)
        self.assertEqual(self.run_agent("resume", env=self.runs_env).code, 1)
        self.assertEqual(self.ops(), ["open_url"])

    def test_what_was_typed_before_is_no_answer(self):
        self.runs_env = self.model(OPEN_SHOP, IOS_AGENT_POLICY_EXTERNAL_LINKS="ask")
        terminal = Terminal(self, "run", "count the rows", env=self.runs_env)
        terminal.type("y\ny\n")
        terminal.read_until(PROMPT)
        terminal.seen = ""
        terminal.type("what?\ny\n")
        terminal.read_until(PROMPT)
        terminal.type("n\n")
        self.assertEqual(terminal.finish(), 1, terminal.seen)
        self.assertEqual(self.ops(), [])
        self.assertEqual(self.states(), [("denied", "terminal")])

    def test_resume_asks_what_is_open_and_goes_on(self):
        self.runs_env = self.model(OPEN_SHOP, IOS_AGENT_POLICY_EXTERNAL_LINKS="ask")
        q = self.ask(self.runs_env)
        for key, code, ops, state in (("\x03", 5, [], "open"), ("y\n", 1, ["open_url"], "used")):
            with self.subTest(state):
                terminal = Terminal(self, "resume", q["run"], env=self.runs_env)
                terminal.read_until(PROMPT)
                self.assertEqual(terminal.seen.count("shop://"), 1, terminal.seen)
                terminal.type(key)
                self.assertEqual(terminal.finish(), code, terminal.seen)
                self.assertEqual(self.ops(), ops)
                self.assertEqual(self.states()[0][0], state)

    def test_nobody_answers_in_time_and_it_counts_as_denied(self):
        terminal = self.begin(IOS_AGENT_POLICY_ASK_SECONDS="1")
        self.assertEqual(terminal.finish(), 1, terminal.seen)
        self.assertEqual(self.ops(), [])
        self.assertEqual(self.states(), [("denied", "timeout")])

    def test_an_answer_from_elsewhere_ends_the_prompt(self):
        terminal = self.begin()
        (q,) = self.questions(self.runs_env)
        self.assertEqual(self.run_agent("approve", q["id"], env=self.runs_env).code, 0)
        self.assertEqual(terminal.finish(), 1, terminal.seen)
        self.assertEqual(self.ops(), ["open_url"])

    def test_a_cancel_ends_the_run_and_the_prompt_and_says_what_it_waited_for(self):
        terminal = self.begin()
        cancelled = self.run_agent("cancel", self.runs()[0]["id"])
        self.assertIn("cancelled while it waited for a person", cancelled.out, cancelled)
        self.assertEqual(terminal.finish(), 7, terminal.seen)
        self.assertEqual((self.ops(), self.states()), ([], [("withdrawn", None)]))


class Subtasks(DelegateCase):
    """Each of two subtasks asks before it opens Settings."""
    ASK = {"IOS_AGENT_POLICY_EXTERNAL_LINKS": "ask"}

    def test_they_are_asked_about_one_after_the_other(self):
        self.start(SCRIPT)
        terminal = Terminal(self, "run", GOAL, "--agent", "lead", env={**self.environ, **self.ASK})
        for _ in range(2):
            terminal.read_until(PROMPT)
            terminal.seen = ""
            terminal.type("y\n")
        self.assertEqual(terminal.finish(), 0, terminal.seen)
        self.check_done()

    def test_a_sibling_goes_on_while_a_person_is_asked(self):
        """What it shows comes after the answer, so that it stands in no prompt."""
        bob = says(HAND, [finish("failed", "bob looked around")], any_text="phone of bob", tool="snapshot")
        looks = says(HAND, [{"tool_use": "snapshot", "input": {}}], any_text="phone of bob")
        self.start([AGREES, bob, looks, *HANDS, says(LEAD, [finish("failed", "one did not pass")], any_text="subtask 2: failed"),
                    says(LEAD, [delegate("alice"), delegate("bob")])])
        terminal = Terminal(self, "run", GOAL, "--agent", "lead", env={**self.environ, **self.ASK})
        terminal.read_until(PROMPT)
        until = time.monotonic() + 20
        while self.rows("SELECT state FROM runs WHERE lane = 'embedded:bob'") != [("failed",)]:
            self.assertLess(time.monotonic(), until, "the sibling waits")
            time.sleep(0.05)
        self.assertTrue(terminal.seen.endswith(PROMPT), terminal.seen)
        terminal.seen = ""
        terminal.type("y\n")
        self.assertEqual(terminal.finish(), 1, terminal.seen)
        self.assertIn("subtask 2 failed", terminal.seen)

    def test_a_cancelled_parent_waited_for_its_subtasks_and_ends_with_them(self):
        self.start(SCRIPT)
        terminal = Terminal(self, "run", GOAL, "--agent", "lead", env={**self.environ, **self.ASK})
        terminal.read_until(PROMPT)
        cancelled = self.agent("cancel", self.parent())
        self.assertIn("cancelled while it waited for its subtasks", cancelled.out, cancelled)
        self.assertEqual(terminal.finish(), 7, terminal.seen)
        self.assertEqual(self.states(), ["cancelled"] * 3)

    def test_without_a_terminal_the_parent_ends_for_now_and_says_how_to_go_on(self):
        self.start(SCRIPT)
        done = self.goal(**self.ASK)
        self.assertEqual(done.code, 5, done)
        children = [run for run, in self.rows("SELECT id FROM runs WHERE parent_id IS NOT NULL")]
        self.assertIn(f"ios-agent resume {self.parent()}", done.err)
        self.assertTrue(any(f"ios-agent approve {child}" in done.err for child in children), done)
        self.assertEqual(self.states(), ["queued", "blocked", "blocked"])
        for child in children:
            self.assertEqual(self.agent("approve", child).code, 0)
        self.assertEqual(self.agent("resume", self.parent(), **self.ASK).code, 0)
        self.check_done()


if __name__ == "__main__":
    unittest.main(verbosity=2)
