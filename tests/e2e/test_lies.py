"""A model that lies, stops, loops or runs out must never come out as a pass."""
import unittest

from harness import Case


def say(*blocks, **more):
    return {"blocks": list(blocks), **more}


def use(tool, **tool_input):
    return {"tool_use": tool, "input": tool_input}


def finish(quote, step=None, verdict="passed"):
    evidence = {"quote": quote} if step is None else {"quote": quote, "step": step}
    return say(use("finish", verdict=verdict, summary="It is done.", evidence=[evidence]))


def verifier(agrees):
    return {"match": {"call": "verifier"},
            "blocks": [use("verdict", agrees=agrees, reason="I looked at the steps.")]}


OPEN_CONTACTS = say(use("launch_app", bundle_id="com.apple.MobileAddressBook"))


class Lies(Case):
    def outcome(self, *turns, args=(), goal="open Contacts"):
        double = self.script(*turns)
        result = self.run_agent("run", goal, "--json", *args, env=self.claude(double))
        stats = double.stop()
        self.assertEqual(stats["rejected"], {}, result)
        self.assertEqual(stats["unmatched"], 0, result)
        envelope = result.envelope()
        self.assertEqual(result.code == 0, envelope["status"] == "ok")
        row = self.runs()[0]
        self.assertEqual(row["state"], envelope["result"]["state"])
        if result.code != 0:
            self.assertNotEqual(row["state"], "passed")
            self.assertEqual(envelope["result"]["basis"], "none")
        return result.code, envelope

    def test_an_honest_script_passes_so_these_tests_can_tell(self):
        code, envelope = self.outcome(OPEN_CONTACTS, finish("Contacts"), verifier(True))
        self.assertEqual(code, 0, envelope)
        self.assertEqual(envelope["result"]["basis"], "verifier")

    def test_passed_without_doing_anything(self):
        code, envelope = self.outcome({**finish("Ada Lovelace"), "repeat": True}, verifier(True))
        self.assertEqual(code, 1, envelope)
        self.assertEqual(self.state()["foreground"], "com.apple.springboard")

    def test_evidence_of_a_step_that_never_showed_it(self):
        code, envelope = self.outcome(
            OPEN_CONTACTS, {**finish("Order confirmed", step=1), "repeat": True}, verifier(True))
        self.assertEqual(code, 1, envelope)

    def test_evidence_of_a_step_that_never_was(self):
        code, envelope = self.outcome(
            OPEN_CONTACTS, {**finish("Settings", step=99), "repeat": True}, verifier(True))
        self.assertEqual(code, 1, envelope)

    def test_evidence_of_the_step_that_showed_it_holds(self):
        leave = say(use("launch_app", bundle_id="com.apple.Preferences"))
        code, envelope = self.outcome(
            OPEN_CONTACTS, leave, finish("Nora Abbott", step=1), verifier(True))
        self.assertEqual(code, 0, envelope)

    def test_true_evidence_for_a_goal_that_was_not_done(self):
        code, envelope = self.outcome(
            {**finish("Contacts"), "repeat": True}, verifier(False), goal="add a contact named Bob")
        self.assertEqual(code, 1, envelope)

    def test_true_evidence_and_an_expectation_that_does_not_hold(self):
        code, envelope = self.outcome(
            OPEN_CONTACTS, {**finish("Contacts"), "repeat": True},
            args=["--expect", 'visible "Nobody Here"'])
        self.assertEqual(code, 1, envelope)
        self.assertIn("Nobody Here", str(envelope["result"]))

    def test_a_text_is_what_is_on_the_screen_not_how_it_is_written_out(self):
        for text in ("19", "row", "button Add"):
            code, envelope = self.outcome(
                OPEN_CONTACTS, {**finish("Contacts"), "repeat": True}, verifier(True),
                args=["--fresh", "--expect", f'text "{text}"'])
            self.assertEqual(code, 1, (text, envelope))

    def test_no_evidence_at_all(self):
        turn = say(use("finish", verdict="passed", summary="Trust me.", evidence=[]))
        code, envelope = self.outcome({**turn, "repeat": True}, verifier(True))
        self.assertEqual(code, 1, envelope)

    def test_stopping_without_a_verdict(self):
        code, envelope = self.outcome(
            OPEN_CONTACTS, {**say({"text": "All done, it passed!"}), "repeat": True})
        self.assertNotEqual(code, 0, envelope)

    def test_looping(self):
        turn = say(use("press_button", button="home"))
        code, envelope = self.outcome({**turn, "repeat": True}, args=["--max-steps", "100"])
        self.assertEqual(code, 5, envelope)
        self.assertLess(envelope["result"]["steps"], 100)

    def test_the_step_cap(self):
        turns = [say(use("launch_app", bundle_id=app))
                 for app in ("com.apple.Preferences", "com.apple.MobileAddressBook")] * 3
        code, envelope = self.outcome(*turns, args=["--max-steps", "3"])
        self.assertEqual(code, 4, envelope)
        self.assertEqual(envelope["error"]["code"], "BUDGET")
        self.assertLessEqual(envelope["result"]["steps"], 3)

    def test_the_token_cap(self):
        code, envelope = self.outcome(
            {**OPEN_CONTACTS, "repeat": True}, args=["--max-tokens", "10"])
        self.assertEqual(code, 4, envelope)

    def test_the_cost_cap_strikes_before_the_money_is_spent(self):
        code, envelope = self.outcome(
            {**OPEN_CONTACTS, "repeat": True}, args=["--max-usd", "0.000001"])
        self.assertEqual(code, 4, envelope)
        self.assertLessEqual(envelope["result"]["cost_usd"] or 0, 0.000001)

    def test_an_answer_that_was_cut_off_or_refused(self):
        for reason in ("max_tokens", "refusal", "model_context_window_exceeded", "stop_sequence"):
            with self.subTest(reason):
                turn = say({"text": "passed"}, stop_reason=reason)
                code, envelope = self.outcome({**turn, "repeat": True})
                self.assertNotEqual(code, 0, envelope)

    def test_a_finish_that_was_cut_off_is_not_executed(self):
        turn = {**finish("Contacts"), "stop_reason": "max_tokens", "unfinished": True}
        code, envelope = self.outcome({**turn, "repeat": True})
        self.assertNotEqual(code, 0, envelope)

    def test_without_a_verifier_a_pass_is_called_unverified(self):
        code, envelope = self.outcome(OPEN_CONTACTS, finish("Contacts"), args=["--verify", "off"])
        self.assertEqual(code, 0, envelope)
        self.assertEqual(envelope["result"]["basis"], "unverified")
        self.assertIn("unverified", envelope["stdout"])


if __name__ == "__main__":
    unittest.main()
