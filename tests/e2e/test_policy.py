"""A call that the user's policy asks about waits for a person, and happens once or not at all."""
import contextlib
import sqlite3
import unittest

from harness import TIMEOUT_S
from policy_case import END, PolicyCase

REMINDERS = ["open-url", "x-apple-reminderkit://"]
CONTACTS = ["open-url", "contacts://"]
OPEN_SHOP = ("open_url", {"url": "shop://"})

# rule, what a person does before, the model's calls before, and the call that is asked about.
RULES = [
    ("external_links", [], [], OPEN_SHOP),
    ("delete", [REMINDERS, ["tap", "Groceries"], ["tap", "Milk"]], [("scroll_to", {"text": "Delete Reminder"}), ("snapshot", {})],
     ("tap", {"ref": '$ref("Delete Reminder")'})),
    ("delete", [REMINDERS, ["tap", "Groceries"], ["tap", "Milk"], ["tap", "Delete Reminder"]], [],
     ("alert", {"action": "accept"})),
    ("delete", [REMINDERS, ["tap", "Groceries"], ["tap", "Milk"], ["tap", "Delete Reminder"]], [],
     ("alert", {"action": "button", "button": "Delete Reminder"})),
    ("delete", [REMINDERS, ["tap", "Groceries"]], [], ("swipe", {"ref": '$ref(row)', "direction": "left"})),
    ("delete", [REMINDERS, ["tap", "Groceries"]], [], ("swipe", {"direction": "left"})),
    ("send", [["open-url", "sms:555-0199"], ["type", "Message", "hello"]], [],
     ("tap", {"ref": '$ref(button "Send")'})),
    ("send", [["open-url", "sms:555-0199"]], [],
     ("type_text", {"ref": '$ref(field)', "text": "hello", "submit": True})),
    ("permissions", [["open-url", "prefs:root=Privacy&path=LOCATION"]], [],
     ("tap", {"ref": '$ref(switch "Location Services")'})),
    ("secret_fields", [["open-url", "shop://"]], [], ("type_text", {"ref": '$ref(password)', "text": "x"})),
    # A long press opens what a touch does, or a menu: it is judged alike.
    ("send", [["open-url", "sms:555-0199"], ["type", "Message", "hello"]], [], ("long_press", {"ref": '$ref(button "Send")'})),
    ("permissions", [["open-url", "prefs:root=Privacy&path=LOCATION"]], [],
     ("long_press", {"ref": '$ref(switch "Location Services")'})),
    ("secret_fields", [["open-url", "shop://"]], [], ("long_press", {"ref": '$ref(password)'})),
    ("tools", [], [], ("press_button", {"button": "lock"})),
]


class Rules(PolicyCase):
    def environment(self, rule, *calls):
        if rule == "tools":
            return self.model(*calls, IOS_AGENT_POLICY_ASK_TOOLS="tap, press_button")
        return self.model(*calls, **{f"IOS_AGENT_POLICY_{rule.upper()}": "ask"})

    def test_each_rule_stops_the_call_and_an_approval_lets_it_happen_once(self):
        for i, (rule, before, calls, call) in enumerate(RULES):
            with self.subTest(f"{i} {rule} {call}"):
                self.setUp()
                self.on_phone(*before)
                env = self.environment(rule, *calls, call)
                at_first = self.effects()
                q = self.ask(env)
                self.assertEqual(q["rule"], rule)
                self.assertEqual(self.effects(), at_first)
                self.assertEqual(self.run_agent("approve", q["id"], env=env).code, 0)
                self.run_agent("resume", q["run"], env=env)
                self.assertGreater(len(self.effects()), len(at_first))

    def test_without_the_rule_the_same_calls_just_happen(self):
        for i, (rule, before, calls, call) in enumerate(RULES):
            with self.subTest(f"{i} {rule} {call}"):
                self.setUp()
                self.on_phone(*before)
                at_first = self.effects()
                self.assertEqual(self.run_agent("run", "x", env=self.model(*calls, call)).code, 1)
                self.assertGreater(len(self.effects()), len(at_first))


class Questions(PolicyCase):
    ASK = {"IOS_AGENT_POLICY_EXTERNAL_LINKS": "ask"}
    SEND = ("tap", {"ref": '$ref(button "Send")'})

    def transcript(self, run):
        with contextlib.closing(sqlite3.connect(f"{self.home}/ios-agent.db")) as db:
            return " ".join(row[0] for row in db.execute("SELECT content FROM messages WHERE run_id = ?", (run,)))

    def test_approved_it_happens_once_and_the_run_goes_on(self):
        env = self.model(OPEN_SHOP, ("press_button", {"button": "home"}), **self.ASK)
        q = self.ask(env)
        self.assertEqual(self.effects(), [])
        self.assertEqual(self.run_agent("approve", q["id"], env=env).code, 0)
        again = self.run_agent("approve", q["id"], env=env)
        self.assertEqual(again.code, 2, again)
        self.assertIn("approved", again.err)
        self.assertEqual(self.run_agent("resume", q["run"], env=env).code, 1)
        self.assertEqual([op["op"] for op in self.effects()], ["open_url", "press"])
        self.assertEqual([q["state"] for q in self.questions(env, "--all")], ["used"])
        self.assertNotIn("interrupted", self.transcript(q["run"]).split("open_url")[0])

    def test_an_approval_is_good_for_one_call(self):
        env = self.model(OPEN_SHOP, ("press_button", {"button": "home"}), OPEN_SHOP, **self.ASK)
        q = self.ask(env)
        self.assertEqual(self.run_agent("approve", q["id"], env=env).code, 0)
        self.assertEqual(self.run_agent("resume", q["run"], env=env).code, 5)
        self.assertEqual([op["op"] for op in self.effects()], ["open_url", "press"])
        self.assertNotEqual(self.questions(env)[0]["id"], q["id"])

    def test_what_a_person_would_not_see_whole_is_not_asked(self):
        long = ("open_url", {"url": "shop://x?" + "a" * 1200 + "&transfer=all"})
        shown = ("open_url", {"url": "shop://x?" + "a" * 700 + "&transfer=all"})
        env = self.model(long, shown, **self.ASK)
        q = self.ask(env)
        self.assertIn("transfer=all", q["text"])
        self.assertIn("make it shorter", self.transcript(q["run"]))
        self.assertEqual(self.effects(), [])

    def test_a_run_without_a_terminal_says_how_to_answer(self):
        env = self.model(OPEN_SHOP, **self.ASK)
        ended = self.run_agent("run", "visit the shop", env=env)
        self.assertEqual(ended.code, 5, ended)
        run = self.questions(env)[0]["run"]
        self.assertIn(f"ios-agent approve {run}", ended.err)
        self.assertIn(f"ios-agent resume {run}", ended.err)

    def test_a_few_characters_name_no_question(self):
        env = self.model(OPEN_SHOP, **self.ASK)
        q = self.ask(env)
        short = self.run_agent("approve", q["id"][:4], env=env)
        self.assertEqual(short.code, 2, short)
        self.assertIn("too short", short.err)
        self.assertEqual(self.run_agent("approve", "last", env=env).code, 0)

    def test_denied_it_never_happens_and_the_model_is_told_why(self):
        env = self.model(OPEN_SHOP, **self.ASK)
        q = self.ask(env)
        self.assertEqual(self.run_agent("deny", q["run"], "--note", "not this shop", env=env).code, 0)
        self.assertEqual(self.run_agent("resume", q["run"], env=env).code, 1)
        self.assertEqual(self.effects(), [])
        self.assertIn("denied this", self.transcript(q["run"]))
        self.assertIn("not this shop", self.transcript(q["run"]))

    def test_of_two_answers_at_once_one_counts(self):
        env = self.model(OPEN_SHOP, **self.ASK)
        q = self.ask(env)
        both = [self.start_agent(word, q["id"], env=env) for word in ("approve", "deny")]
        codes = [p.wait(timeout=TIMEOUT_S) for p in both]
        self.assertEqual(sorted(codes), [0, 2], codes)
        self.run_agent("resume", q["run"], env=env)
        self.assertEqual(len(self.effects()), 1 if codes[0] == 0 else 0)

    def test_a_run_that_is_over_takes_no_answer(self):
        env = self.model(OPEN_SHOP, **self.ASK)
        q = self.ask(env)
        self.assertEqual(self.run_agent("cancel", q["run"], env=env).code, 0)
        self.assertEqual(self.questions(env), [])
        for word in ("approve", "deny"):
            self.assertEqual(self.run_agent(word, q["id"], env=env).code, 2)
        self.assertEqual(self.runs()[0]["state"], "cancelled")

    def test_nobody_goes_on_with_a_run_before_it_is_answered(self):
        env = self.model(OPEN_SHOP, **self.ASK)
        q = self.ask(env)
        done = self.run_agent("resume", q["run"], env=env)
        self.assertEqual(done.code, 5, done)
        self.assertIn("ios-agent approve", done.err)
        self.assertEqual(self.effects(), [])

    def test_it_is_asked_anew_where_the_screen_has_changed(self):
        self.on_phone(["open-url", "sms:555-0199"], ["type", "Message", "hello"])
        env = self.model(self.SEND, self.SEND, IOS_AGENT_POLICY_SEND="ask")
        q = self.ask(env)
        self.on_phone(["type", "Message", " and the code"])
        before = self.effects()
        self.assertEqual(self.run_agent("approve", q["id"], env=env).code, 0)
        self.assertEqual(self.run_agent("resume", q["run"], env=env).code, 5)
        self.assertEqual(self.effects(), before)
        self.assertEqual(self.questions(env)[0]["state"], "open")
        self.assertNotEqual(self.questions(env)[0]["id"], q["id"])

    def test_it_is_asked_anew_where_another_element_is_in_its_place(self):
        self.on_phone(["open-url", "sms:555-0199"], ["type", "Message", "hello"])
        env = self.model(self.SEND, IOS_AGENT_POLICY_SEND="ask")
        q = self.ask(env)
        self.on_phone(["open-url", "sms:555-0123"], ["type", "Message", "hello"])
        before = self.effects()
        self.assertEqual(self.run_agent("approve", q["id"], env=env).code, 0)
        self.assertEqual(self.run_agent("resume", q["run"], env=env).code, 1)
        self.assertEqual(self.effects(), before)

    def test_a_question_that_is_too_old_counts_as_denied(self):
        env = self.model(OPEN_SHOP, IOS_AGENT_POLICY_ASK_SECONDS="3600", **self.ASK)
        q = self.ask(env)
        self.assertIsNotNone(q["expires"])
        with contextlib.closing(sqlite3.connect(f"{self.home}/ios-agent.db")) as db:
            db.execute("UPDATE questions SET expires_at = '2020-01-01T00:00:00.000Z'")
            db.commit()
        self.assertEqual(self.run_agent("approve", q["id"], env=env).code, 2)
        self.assertEqual(self.run_agent("resume", q["run"], env=env).code, 1)
        self.assertEqual(self.effects(), [])
        self.assertEqual([q["by"] for q in self.questions(env, "--all")], ["timeout"])

    def test_what_is_denied_by_rule_is_not_asked(self):
        env = self.model(OPEN_SHOP, IOS_AGENT_POLICY_EXTERNAL_LINKS="deny")
        self.assertEqual(self.run_agent("run", "x", env=env).code, 1)
        self.assertEqual(self.effects(), [])
        self.assertEqual(self.questions(env, "--all"), [])

    def test_only_the_apps_of_the_list_are_touched(self):
        self.on_phone(["open-url", "prefs:root=General"])
        env = self.model(("tap", {"ref": '$ref(row)'}), ("launch_app", {"bundle_id": "com.example.shop"}),
                         ("open_url", {"url": "shop://"}), ("open_url", {"url": "x-apple-reminderkit://"}),
                         ("launch_app", {"bundle_id": "com.apple.reminders"}),
                         IOS_AGENT_POLICY_APPS="com.apple.reminders")
        before = self.effects()
        self.assertEqual(self.run_agent("run", "x", env=env).code, 1)
        self.assertEqual([op["op"] for op in self.effects()[len(before):]], ["launch"])

    def test_calls_of_the_same_turn_wait_as_well(self):
        double = self.script({"blocks": [{"tool_use": "press_button", "input": {"button": "home"}},
                                         {"tool_use": "open_url", "input": {"url": "shop://"}},
                                         {"tool_use": "press_button", "input": {"button": "lock"}}]}, END)
        env = {**self.claude(double), **self.ASK}
        q = self.ask(env)
        self.assertEqual([op["op"] for op in self.effects()], ["press"])
        self.assertEqual(self.run_agent("approve", q["id"], env=env).code, 0)
        self.assertEqual(self.run_agent("resume", q["run"], env=env).code, 1)
        self.assertEqual([op["op"] for op in self.effects()], ["press", "open_url", "press"])

    def test_a_replay_asks_as_well(self):
        env = self.claude(self.script({"blocks": [{"tool_use": "open_url", "input": {"url": "shop://"}}]},
                                      {"repeat": True, "blocks": [{"tool_use": "finish", "input": {
                                          "verdict": "passed", "summary": "open", "evidence": [{"quote": "Log in to see the catalogue"}]}}]}))
        goal = ["open the shop", "--expect", 'text "Log in to see the catalogue"', "--verify", "off"]
        done = self.run_agent("run", *goal, env=env)
        self.assertEqual(done.code, 0, done)
        ask = {**env, **self.ASK}
        device = ["--device", "embedded:another"]
        done = self.run_agent("replay", "last", *device, env=ask)
        self.assertEqual(done.code, 5, done)
        self.assertEqual(self.log("--device", "embedded:another"), [])
        q = self.questions(ask)[0]
        self.assertEqual(self.run_agent("approve", q["id"], env=ask).code, 0)
        done = self.run_agent("resume", q["run"], env=ask)
        self.assertEqual(done.code, 0, done)
        self.assertEqual([op["op"] for op in self.log("--device", "embedded:another")], ["open_url"])


class Kills(PolicyCase):
    """A kill at every point of a question: nothing is doubled, and an approved call is lost only as "unknown"."""

    def test_killed_before_or_after_the_question_nothing_has_happened(self):
        for point, asked in (("policy.ask.before", 0), ("policy.ask.after", 1)):
            with self.subTest(point):
                self.setUp()
                env = self.model(OPEN_SHOP, **Questions.ASK)
                self.run_agent("run", "x", env={**env, "IOS_AGENT_KILL_AT": point})
                self.assertEqual(self.effects(), [])
                self.assertEqual(len(self.questions(env)), asked)
                # Nothing was sent, so nothing is unknown: it is asked, and happens once when it is approved.
                self.assertEqual(self.run_agent("resume", env=env).code, 0 if asked else 5)
                (q,) = self.questions(env)
                self.assertEqual(self.run_agent("approve", q["id"], env=env).code, 0)
                self.assertEqual(self.run_agent("resume", q["run"], env=env).code, 1)
                self.assertEqual([op["op"] for op in self.effects()], ["open_url"])

    def test_killed_before_an_effect_that_is_allowed_it_is_made_and_after_it_it_is_unknown(self):
        """Under a policy that asks about other calls: the row says whether the effect may have begun."""
        for point, done in (("agent.tool.before", 1), ("policy.begun", 0), ("agent.tool.after", 1)):
            with self.subTest(point):
                self.setUp()
                env = self.model(OPEN_SHOP, IOS_AGENT_POLICY_BUY="ask")
                killed = self.run_agent("run", "x", env={**env, "IOS_AGENT_KILL_AT": point})
                self.assertEqual(killed.code, -9, killed)
                self.assertEqual(self.run_agent("resume", env=env).code, 1)
                self.assertEqual(len(self.effects()), done)

    def test_killed_around_the_answer_it_happens_at_most_once(self):
        for point, done in (("policy.answer.before", 0), ("policy.answer.after", 1), ("policy.use.before", 1),
                            ("policy.use.after", 0), ("policy.begun", 0), ("agent.tool.after", 1)):
            with self.subTest(point):
                self.setUp()
                env = self.model(OPEN_SHOP, **Questions.ASK)
                q = self.ask(env)
                kill = {**env, "IOS_AGENT_KILL_AT": point}
                self.run_agent("approve", q["id"], env=kill if point.startswith("policy.answer") else env)
                if not point.startswith("policy.answer"):
                    self.run_agent("resume", q["run"], env=kill)
                for _ in range(2):
                    self.run_agent("resume", q["run"], env=env)
                self.assertEqual(len(self.effects()), done)
                # Used and not begun, it is asked anew.
                asks = point in ("policy.answer.before", "policy.use.after")
                self.assertEqual(self.runs()[0]["state"], "blocked" if asks else "failed")


if __name__ == "__main__":
    unittest.main()
