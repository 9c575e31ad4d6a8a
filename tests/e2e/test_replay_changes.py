"""Recordings on apps that have changed since: replayed where a person would not notice, healed where a person would find
another way, failed or blocked where the app is broken or somebody has to decide.

Every row is replayed twice, on phones of its own: alone, and with a model for what has changed."""
import json
import os
import shutil
import sqlite3
import tempfile
import unittest

from harness import Case, SOURCE

ADD, EDIT, DELETE = "a contact is added", "a number is changed", "a contact is deleted"
DONE, LOCK, BLUETOOTH = "a reminder is completed", "the screen locks after two minutes", "Bluetooth stays off"
LAMPS, ORDER, OFF = "the total counts every piece", "an order is placed", "Bluetooth is off"
GREET, PAY, NEVER = "a greeting is sent", "somebody is paid", "the screen never locks"
BELOW, PAGE = "a contact far below is opened", "a page of a page is opened"
MORE = """
[[goal]]
name = "a number is changed"
app = "com.apple.MobileAddressBook"
setup = ["reset", "launch com.apple.MobileAddressBook"]
goal = "open Samuel Adler, tap Edit, type 555-0100 into Phone, tap Done, check that mobile is 555-0100"
expect = ['visible heading "Samuel Adler"', 'value row "mobile" = "555-0100"', 'after relaunch: gone "31 Contacts"']

[[goal]]
name = "a greeting is sent"
app = "com.apple.MobileSMS"
setup = ["reset", "launch com.apple.MobileSMS"]
goal = "open Ravi Rao, type Yes gladly into Message, tap Send, check that Yes gladly is visible"
expect = ['visible row "Yes gladly"']

[[goal]]
name = "Bluetooth is off"
app = "com.apple.Preferences"
setup = ["reset", "launch com.apple.Preferences"]
goal = "open Bluetooth, turn off Bluetooth"
expect = ['value #bluetooth = "off"']

[[goal]]
name = "somebody is paid"
app = "com.example.bank"
setup = ["reset", "launch com.example.bank"]
vars = { who = "Ravi Rao" }
budget = { max_steps = 60 }
goal = '''
log in to the bank as ada with password ledger-1815, use the code from the Messages app, tap Verify
open Transfer, tap Recipient, tap {{who}}, type 120.50 into Amount, tap Continue, tap Confirm
'''
expect = ['visible heading "Transfer Sent"']

[[goal]]
name = "the screen never locks"
app = "com.apple.Preferences"
setup = ["reset", "launch com.apple.Preferences"]
vars = { when = "Never" }
goal = "open Display & Brightness, open Auto-Lock, select {{when}}"
expect = ['visible heading "Auto-Lock"']

[[goal]]
name = "a contact far below is opened"
app = "com.apple.MobileAddressBook"
setup = ["reset", "launch com.apple.MobileAddressBook"]
goal = "open Adam Young"
expect = ['visible heading "Adam Young"']

[[goal]]
name = "a page of a page is opened"
app = "com.apple.Preferences"
setup = ["reset", "launch com.apple.Preferences"]
goal = "open General, open About"
expect = ['visible heading "About"']
"""


def say(*calls, **match):
    """A turn of a scripted model."""
    blocks = [{"tool_use": tool, "input": given} for tool, given in calls]
    return {"match": match, "blocks": blocks}


def tap(selector):
    return ("tap", {"ref": f"$ref({selector})"})


GIVES_UP = {"blocks": say(("finish", {"verdict": "failed", "summary": "the app no longer does this",
                                      "evidence": []}))["blocks"]}
AGREES = say(("verdict", {"agrees": True, "reason": "the screens show it"}), call="verifier")


class Changed(Case):
    """A home in which all that is replayed was recorded."""

    @classmethod
    def setUpClass(cls):
        """What all rows replay is recorded once, by the demo brain behind the double of the API."""
        cls.recorded = tempfile.mkdtemp(prefix="ios-agent-e2e-")
        cls.addClassCleanup(shutil.rmtree, cls.recorded, True)
        with open(os.path.join(cls.recorded, "more.toml"), "w", encoding="utf-8") as f:
            f.write(MORE)
        recorder = cls("record")
        recorder.folder, recorder.home = cls.recorded, os.path.join(cls.recorded, "home")
        recorder.record()
        cls.goals = recorder.goals

    def record(self):
        # Not with --demo: what heals these runs would be the demo brain, too.
        double = self.double()
        env = self.claude(double)
        for path in (os.path.join(SOURCE, "goals"), os.path.join(self.folder, "more.toml")):
            done = self.run_agent("sweep", "--json", path, env=env)
            self.assertEqual(done.code, 0, done)
        double.stop()
        self.goals = dict(self.rows("select g.name, r.id from runs r join goals g on g.id = r.goal_id "
                                    "where r.state = 'passed'"))

    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(self.recorded, "home"), self.home)
        self.phones = 0

    def rows(self, query):
        with sqlite3.connect(f"file:{self.home}/ios-agent.db?mode=ro", uri=True) as db:
            return db.execute(query).fetchall()

    def replay(self, goal, planted="", heal=None):
        """Replays on a new phone; heal: the turns of a model. What it came to, and the phone's name."""
        self.phones += 1
        phone = f"embedded:p{self.phones}"
        how, env = [], {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
        if heal is not None:
            double = self.script(*heal, default=GIVES_UP)
            how, env = ["--heal"], self.claude(double)
        done = self.run_agent("replay", self.goals[goal], "--json", "--device", f"{phone}?{planted}", *how, env=env)
        result = done.envelope()["result"] or done.envelope()["error"]
        newest = self.rows("select state, outcome from runs order by created_at desc, id desc limit 1")[0]
        word = newest[1] if newest[0] == "passed" else newest[0]
        return word, result, phone

    def taps(self, phone):
        return [op for op in self.log("--device", phone) if op["op"] == "tap"]


def row(goal, planted, alone, healed, *heal):
    def test(self):
        for model, expected in (None, alone), ([*heal, AGREES], healed):
            word, result, _ = self.replay(goal, planted, model)
            self.assertEqual(word, expected, (model, result))
    return test


QUESTION = "Are you sure you want to delete this contact?"
# What was planted, what a replay alone comes to, what with a model, and what the model does.
ROWS = {
    "nothing": (ADD, "", "replayed", "replayed"),
    "rows_in_another_order": (DONE, "changes=reverse:.Cell", "replayed", "replayed"),
    "a_row_far_below": (EDIT, "changes=reverse:.Cell", "replayed", "replayed"),
    "a_row_above": (DONE, "changes=row:Groceries=Gifts", "replayed", "replayed"),
    "a_row_above_others": (DELETE, "changes=row:Nora Abbott=Adam Zorn", "replayed", "replayed"),
    "a_container_around": (DELETE, "changes=wrap:.Table=Box", "replayed", "replayed"),
    "a_nameless_container_around": (DELETE, "changes=wrap:.Table", "replayed", "replayed"),
    "a_button_moved": (ADD, "changes=move:#add=-250,0", "replayed", "replayed"),
    "slow_reading": (BLUETOOTH, "faults=slow-tree:200", "replayed", "replayed"),
    "late_content": (EDIT, "changes=late:4000", "replayed", "replayed"),
    "a_layout_that_moved": (DELETE, "faults=stale-ref@3", "replayed", "replayed"),
    "a_layout_that_moves_before_the_touch": (DELETE, "faults=late-shift@3", "failed", "failed"),
    "another_label": (ADD, "changes=label:#add=New", "failed", "healed", say(tap('button "New"'))),
    "another_identifier": (ADD, "changes=id:#add=plus", "failed", "healed", say(tap('button "Add"'))),
    "another_label_and_identifier": (
        ADD, "changes=label:#add=New;id:#add=plus", "failed", "healed", say(tap('button "New"'))),
    "a_field_behind_a_button": (ADD, "changes=more:#phone=More", "failed", "healed", say(tap('button "More"'))),
    "a_tab_renamed_and_moved": (
        ORDER, "changes=label:#tab-cart=Basket;move:#tab-cart=130,0;move:#tab-account=-130,0", "failed", "healed", say(tap('tab "Basket"'))),
    "a_page_first": (EDIT, "changes=page:Welcome=Continue", "failed", "healed", say(tap('button "Continue"'))),
    "a_dialog_first": (ADD, "changes=dialog:What is new=OK", "failed", "healed", say(tap('button "OK"'))),
    "a_card_of_the_app_first": (ADD, "changes=card:What is new=OK", "failed", "healed", say(tap('button "OK"'))),
    "identifiers_swapped": (
        EDIT, "changes=id:#done=delete-contact;id:#delete-contact=done", "failed", "healed", say(tap('button "Done"'))),
    "removed": (DELETE, "changes=hide:#delete-contact", "failed", "failed"),
    "removed_and_a_model_that_takes_another": (
        DELETE, "changes=hide:#delete-contact", "failed", "failed",
        say(tap('button "Cancel"'), user_text="is missing")),
    "two_alike": (DELETE, "changes=twin:Nora Abbott", "failed", "failed"),
    "a_dead_button": (ADD, "changes=dead:#add", "failed", "failed"),
    "a_disabled_button": (ADD, "changes=disable:#add", "failed", "failed"),
    "silent_typing": (ADD, "faults=silent-typing", "failed", "failed"),
    "a_system_alert": (ADD, "faults=popup@4", "blocked", "blocked"),
    "another_question": (DELETE, f"changes=label:{QUESTION}=Delete all 30 contacts?", "blocked", "blocked"),
    "another_language": (OFF, "changes=accents", "failed", "healed",
                         say(tap('row "Blüétööth"'), user_text="step 1, tap"),
                         say(tap('switch "Blüétööth"'), user_text="step 2, tap")),
    "the_app_exits": (ADD, "faults=crash@4", "failed", "failed"),
    "wrong_total": (LAMPS, "bugs=shop-total", "failed", "failed"),
    "a_lost_number": (EDIT, "bugs=contacts-lost-phone", "failed", "failed"),
    "a_switch_that_lies": (BLUETOOTH, "bugs=settings-switch-lies", "failed", "failed"),
}


class Rows(Changed):
    pass


class Touched(Changed):
    """What the phone's own log says of what a replay did where it must not do it, or not twice."""

    def test_a_dead_button_is_touched_once(self):
        before = len(self.taps(self.replay(EDIT)[2]))
        word, result, phone = self.replay(ADD, "changes=dead:#add")
        self.assertEqual((word, len(self.taps(phone))), ("failed", 1), result)
        self.assertGreater(before, 1)

    def test_of_two_alike_none_is_touched(self):
        word, result, phone = self.replay(DELETE, "changes=twin:Nora Abbott")
        self.assertEqual((word, self.taps(phone)), ("failed", []), result)

    def test_nothing_is_deleted_where_identifiers_changed_places(self):
        heal = [say(tap('button "Done"')), AGREES]
        word, result, phone = self.replay(EDIT, "changes=id:#done=delete-contact;id:#delete-contact=done", heal)
        contacts = self.state("--device", phone)["contacts"]
        self.assertEqual((word, len(contacts)), ("healed", 30), result)
        self.assertEqual([c["phone"] for c in contacts if c["last"] == "Adler"], ["555-0100"])

    def test_another_question_is_not_answered(self):
        word, result, phone = self.replay(DELETE, f"changes=label:{QUESTION}=Delete all 30 contacts?")
        self.assertEqual((word, len(self.state("--device", phone)["contacts"])), ("blocked", 30), result)

    def test_what_opened_something_else_is_noticed_before_the_next_step(self):
        # The layout moves under the finger, which opens another contact.
        word, result, phone = self.replay(EDIT, "faults=late-shift@3")
        self.assertEqual((word, len(self.taps(phone))), ("failed", 1), result)
        self.assertIn('instead of "Samuel Adler"', result["message"])

    def test_another_screen_is_told_from_a_control_that_is_gone(self):
        self.assertIn('instead of "Contacts"', self.replay(EDIT, "changes=page:Welcome=Continue")[1]["message"])
        self.assertIn("is missing", self.replay(DELETE, "changes=hide:Nora Abbott")[1]["message"])

    def test_what_does_not_come_into_view_is_a_failure_of_the_app(self):
        done = self.run_agent("replay", self.goals[BELOW], "--json", "--device", "embedded:q?changes=hide:Adam Young")
        self.assertEqual((done.code, done.envelope()["error"]["code"]), (1, "FAILED"), done)
        self.assertIn("did not come into view", done.envelope()["error"]["message"])

    def test_other_variables_are_typed(self):
        done = self.run_agent("sweep", os.path.join(SOURCE, "goals", "contacts.toml"), "--goal", ADD, "--json", "--replay",
                              "only", "--var", "first=Grace", "--device", "embedded:q")
        self.assertEqual(done.code, 0, done)
        self.assertIn("Grace Lovelace", [c["name"] for c in self.state("--device", "embedded:q")["contacts"]])

    def test_a_replay_that_is_right_sends_nothing_to_a_model(self):
        double = self.double()
        done = self.run_agent("replay", self.goals[ADD], "--heal", "--json", "--device", "embedded:q",
                              env=self.claude(double))
        self.assertEqual(done.code, 0, done)
        self.assertEqual(double.stop()["messages"], 0)


class Elsewhere(Changed):
    """A row that opens another conversation, which differs from the right one by its title alone; the layout moves under
    the finger. What the goal expects holds in both."""

    def check(self, planted, *heal):
        word, result, phone = self.replay(GREET, planted, heal or None)
        self.assertEqual(word, "failed", result)
        self.assertIn('the screen is "Grace Foster" instead of "Ravi Rao"', result["message"])
        self.assertNotIn("Yes gladly", json.dumps(self.state("--device", phone)))

    def test_nothing_is_typed_there(self):
        self.check("faults=late-shift@3")

    def test_a_model_that_only_looks_makes_it_no_other(self):
        self.check("faults=late-shift@3", say(("snapshot", {}), any_text="done again from a recording"), AGREES)

    def test_nor_does_one_that_did_an_earlier_step(self):
        self.check("changes=page:Welcome=Continue&faults=late-shift@4", say(tap('button "Continue"')),
                   say(("snapshot", {}), any_text="done again from a recording"), AGREES)

    def test_a_choice_that_a_form_shows_is_the_right_one(self):
        # Another payee; that the transfer is over the limit holds for both.
        planted = "changes=label:Emma Schmidt=Ravi Rao;label:Ravi Rao=Emma Schmidt"
        word, result, _ = self.replay("a transfer over the limit is refused", planted)
        self.assertEqual(word, "failed", result)
        self.assertIn("#to", result["message"])

    def test_what_a_model_chose_is_known_after_a_kill(self):
        # The page's title follows the row, which has the recorded identifier.
        env = self.claude(self.script(say(tap('row "Basics"'), user_text="step 1, tap"), AGREES, default=GIVES_UP))
        phone = "embedded:k?changes=label:General=Basics"
        done = self.run_agent("replay", self.goals[PAGE], "--heal", "--device", phone,
                              env={**env, "IOS_AGENT_KILL_AT": "agent.tool.before:2"})
        self.assertEqual(done.code, -9, done)
        done = self.run_agent("resume", "--json", env=env)
        self.assertEqual([r.get("outcome") for r in done.envelope()["result"]["runs"]], ["healed"], done)


class Chosen(Changed):
    """A person or thing with another name is another one, whatever a model takes it for, and though what the goal expects
    holds for both."""

    def refuse(self, goal, planted, taken, step):
        """What the phone holds after a model took something else at that step."""
        word, result, phone = self.replay(goal, planted, [say(tap(taken), user_text=f"step {step}, tap"), AGREES])
        self.assertEqual(word, "failed", result)
        self.run_agent("recordings", "list")
        self.assertEqual(self.rows("select id from recordings where state = 'quarantined'"), [])
        return self.state("--device", phone)

    def test_nobody_else_is_paid(self):
        for planted in "changes=label:Ravi Rao=Ravi R.", "changes=hide:Ravi Rao":
            state = self.refuse(PAY, planted, 'row "Emma Schmidt"', 10)
            self.assertEqual(state["bank"]["transfers"], [])

    def test_nobody_else_is_written_to(self):
        for planted, taken in (("changes=label:Ravi Rao=R. Rao", 'row "Grace Foster, Yes! Are we still on for dinner on Friday?"'),
                               ("changes=label:Ravi Rao=R. Rao", 'row "R. Rao, Please send me the picture."')):
            self.assertNotIn("Yes gladly", json.dumps(self.refuse(GREET, planted, taken, 1)))

    def test_nothing_else_than_the_variable_says_is_chosen(self):
        # The other one is selected, too.
        self.refuse(NEVER, "changes=hide:#Never", 'row "5 Minutes"', 3)

    def test_what_has_the_name_and_more_is_the_same_and_its_heal_keeps_the_variable(self):
        heal = [say(tap('row "Ravi Rao (friend)"'), user_text="step 10, tap"), AGREES]
        word, result, phone = self.replay(PAY, "changes=label:Ravi Rao=Ravi Rao (friend)", heal)
        self.assertEqual(word, "healed", result)
        self.assertEqual([t["to"] for t in self.state("--device", phone)["bank"]["transfers"]], ["Ravi Rao"])
        shown = self.run_agent("recordings", "show", "last", "--json").envelope()["stdout"]
        self.assertIn('label = "{{who}} (friend)"', shown)
        self.assertIn('value #to = "{{who}}"', shown)


class Heals(Changed):
    """What a model may not do while it does a step of a recording."""

    def test_it_types_nothing_else(self):
        heal = [say(("type_text", {"ref": "$ref(field \"Phone no\")", "text": "555-9999"})), AGREES]
        word, result, phone = self.replay(ADD, "changes=label:#phone=Phone no", heal)
        self.assertEqual((word, self.state("--device", phone)["contacts"][0]["first"]), ("failed", "Nora"), result)
        self.assertNotIn("555-9999", json.dumps(self.log("--device", phone)))

    def test_it_does_not_say_that_all_is_done_before_the_last_step(self):
        lies = say(("finish", {"verdict": "passed", "summary": "done", "evidence": [{"quote": "Contacts"}]}))
        word, result, _ = self.replay(ADD, "changes=label:#add=New", [lies, AGREES])
        self.assertEqual(word, "failed", result)

    def test_it_answers_no_question_on_its_way(self):
        # A tap would be allowed; the device's own way to answer is not.
        heal = [say(("alert", {"action": "accept"})), AGREES]
        word, result, _ = self.replay(ADD, "changes=dialog:What is new=OK", heal)
        self.assertEqual(word, "failed", result)

    def test_it_answers_no_question_that_it_raises(self):
        # It takes another control, and would confirm what that asks, in one turn.
        heal = [say(tap('row "Delete Contact"'), user_text="step 4, tap"), AGREES]
        changed = "changes=label:#done=Save"
        word, result, phone = self.replay(EDIT, changed, heal)
        self.assertEqual((word, len(self.state("--device", phone)["contacts"])), ("blocked", 30), result)
        self.assertIn("delete this contact?", result["message"])

    def test_it_hides_no_bug(self):
        for goal, bug, change, model in (
                (LAMPS, "shop-total", "label:#add-to-cart=Put into Cart", tap('button "Put into Cart"')),
                (EDIT, "contacts-lost-phone", "label:#edit=Change", tap('button "Change"')),
                (BLUETOOTH, "settings-switch-lies", "label:#com.apple.settings.bluetooth=BT", tap('row "BT"'))):
            word, result, _ = self.replay(goal, f"bugs={bug}&changes={change}", [say(model), AGREES])
            self.assertEqual(word, "failed", (bug, result))
            self.assertIn("expectation", result["message"])

    def test_it_launches_no_app_and_opens_no_link(self):
        heal = [say(("open_url", {"url": "contacts://"})), AGREES]
        word, result, phone = self.replay(ADD, "changes=page:Welcome=Continue", heal)
        self.assertEqual(word, "failed", result)
        self.assertNotIn("contacts://", json.dumps(self.log("--device", phone)))

    def test_more_than_a_third_of_a_short_recording_is_another_goal(self):
        # Each field has another identifier: nothing of it is what it was.
        planted = "changes=id:#first-name=a;id:#last-name=b;id:#phone=c;id:#done=d;id:#add=e"
        heal = [say(tap('button "Add"'), user_text="step 1, tap"),
                say(("type_text", {"ref": '$ref(field "First name")', "text": "Ada"}), user_text="step 2, type"),
                say(("type_text", {"ref": '$ref(field "Last name")', "text": "Lovelace"}), user_text="step 3, type"),
                say(("type_text", {"ref": '$ref(field "Phone")', "text": "555-0100"}), user_text="step 4, type"),
                AGREES]
        word, result, _ = self.replay(ADD, planted, heal)
        self.assertEqual(word, "failed", result)
        self.assertIn("step 3, type_text", result["message"])
        self.assertIn("changed too much", result["hint"])


for name, given in ROWS.items():
    setattr(Rows, f"test_{name}", row(*given))

if __name__ == "__main__":
    unittest.main()
