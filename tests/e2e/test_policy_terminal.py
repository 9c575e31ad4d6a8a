"""A run in the foreground asks on its terminal, and goes on with the answer."""
import unittest

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
