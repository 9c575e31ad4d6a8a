"""Recordings as files: committed beside the goal, edited by hand, taken from another machine, broken."""
import os
import re
import shutil
import unittest

from harness import Case
from test_lies import finish, say, use, verifier

AIRPLANE = "Airplane Mode is on"
GOALS = f'''
[[goal]]
name = "{AIRPLANE}"
app = "com.apple.Preferences"
setup = ["reset", "launch com.apple.Preferences"]
goal = "turn on Airplane Mode"
expect = ['value #airplane_mode = "on"']
'''
NAME = "airplane-mode-is-on.rec.toml"


class Recorded(Case):
    def setUp(self):
        super().setUp()
        self.goals = os.path.join(self.folder, "goals")
        self.file = os.path.join(self.goals, NAME)
        os.mkdir(self.goals)
        self.write(GOALS, "settings.toml")
        done = self.run_agent("sweep", "--demo", "goals")
        self.assertEqual(done.code, 0, done)
        done = self.run_agent("recordings", "export", AIRPLANE, "--json")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(os.path.realpath(done.envelope()["result"]["file"]), os.path.realpath(self.file))
        with open(self.file, encoding="utf-8") as f:
            self.text = f.read()

    def write(self, text, name=NAME):
        with open(os.path.join(self.goals, name), "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())

    def edit(self, *changes):
        text = self.text
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.write(text)

    def elsewhere(self):
        """Another machine: nothing is known there but what was committed."""
        self.home = os.path.join(self.folder, "elsewhere")

    def sweep(self, mode="only", *args):
        done = self.run_agent("sweep", "--json", "--replay", mode, *args, "goals")
        return done, done.envelope()

    def states(self):
        done = self.run_agent("recordings", "list", "--json")
        return [(r["state"], r["passes"]) for r in done.envelope()["result"]["recordings"]]

    def runs(self):
        done = self.run_agent("runs", "--json")
        return len(done.envelope()["result"]["runs"])


class Files(Recorded):
    def test_what_was_committed_is_replayed_on_another_machine(self):
        self.elsewhere()
        done, _ = self.sweep()
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.states(), [("trusted", 1)])
        done, _ = self.sweep()
        self.assertEqual((done.code, self.states()), (0, [("trusted", 2)]))

    def test_it_is_edited_by_hand_and_replayed(self):
        self.edit(("format = 1", "# read and shortened by a person\nformat = 1"),
                  ('label = "Airplane Mode"', "label = 'Airplane Mode'"), (", nth = 1, of = 1, alike = 1", ""))
        marks = [line for line in self.text.splitlines() if line.startswith("marks")][0]
        with open(self.file, encoding="utf-8") as f:
            self.write(f.read().replace(marks, "# any screen with that title"))
        done, _ = self.sweep()
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.states(), [("trusted", 1), ("replaced", 0)])
        done = self.run_agent("replay", self.file, "--json")
        self.assertEqual((done.code, done.envelope()["result"]["basis"]), (0, "expectations"), done)

    def test_the_file_goes_before_what_else_was_recorded(self):
        self.assertEqual(self.run_agent("replay", AIRPLANE, "--fresh").code, 0)
        self.edit(('id = "airplane_mode"', 'id = "another"'), ('label = "Airplane Mode"', 'label = "Another"'))
        done, envelope = self.sweep()
        self.assertEqual(done.code, 1, done)
        self.assertEqual(self.states(), [("trusted", 0), ("replaced", 1)])
        self.write(self.text)
        self.assertEqual(self.sweep()[0].code, 0)
        self.assertEqual(self.states(), [("replaced", 0), ("trusted", 2)])

    def test_what_a_model_healed_goes_on_and_is_exported_over_the_file(self):
        """The file is of an app whose switch had another identifier and name."""
        self.edit(("airplane_mode", "flight_mode"), ('label = "Airplane Mode"', 'label = "Flight Mode"'))
        done = self.run_agent("sweep", "--json", "--demo", "--replay", "auto", "goals")
        self.assertEqual(done.code, 0, done)
        for n in range(1, 4):
            done = self.run_agent("sweep", "--json", "--demo", "--replay", "auto", "goals")
            self.assertEqual(done.code, 0, done)
            self.assertEqual(self.states()[0], ("quarantined", n) if n < 3 else ("trusted", 3))
        self.assertEqual(self.states()[1][0], "replaced")
        self.assertEqual(self.sweep()[0].code, 0)
        self.assertEqual(self.states()[0], ("trusted", 4))
        self.assertEqual(self.run_agent("recordings", "export", AIRPLANE).code, 0)
        self.elsewhere()
        self.assertEqual(self.sweep()[0].code, 0)

    def test_one_of_a_goal_that_was_changed_is_not_used(self):
        self.elsewhere()
        self.write(GOALS.replace("turn on Airplane Mode", "turn on Airplane Mode, wait"), "settings.toml")
        done, envelope = self.sweep()
        self.assertNotEqual(done.code, 0, done)
        self.assertIn("the goal was changed since it was recorded", envelope["stdout"])
        self.assertEqual(self.states(), [])
        done = self.run_agent("replay", self.file)
        self.assertEqual(done.code, 2, done)
        self.assertIn("the goal was changed since it was recorded", done.err)

    def test_a_goal_that_was_changed_is_recorded_anew_and_exported_over_the_file(self):
        self.assertEqual(self.sweep()[0].code, 0)
        self.write(GOALS.replace("turn on Airplane Mode", "turn on Airplane Mode, check that Airplane Mode is on"), "settings.toml")
        done = self.run_agent("sweep", "--json", "--demo", "--replay", "auto", "goals")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.run_agent("recordings", "export", AIRPLANE).code, 0)
        with open(self.file, encoding="utf-8") as f:
            self.assertNotEqual(f.read().splitlines()[2], self.text.splitlines()[2])
        self.elsewhere()
        self.assertEqual(self.sweep()[0].code, 0)

    def test_a_file_of_another_goal_is_told_and_not_overwritten(self):
        self.elsewhere()
        self.edit((AIRPLANE, "Wi-Fi is off"), ("sha256:", "sha256:" + "0" * 8))
        with open(self.file, encoding="utf-8") as f:
            text = f.read().replace("0" * 8, "", 1)
        self.write(text[:text.index("goal_hash")] + f'goal_hash = "sha256:{"0" * 64}"' + text[text.index("\nsteps"):])
        _, envelope = self.sweep()
        self.assertIn('is a recording of another goal, "Wi-Fi is off"', envelope["stdout"])
        done = self.run_agent("replay", self.file)
        self.assertIn('no goal is named "Wi-Fi is off"', done.err)
        self.run_agent("sweep", "--demo", "goals")
        done = self.run_agent("recordings", "export", AIRPLANE)
        self.assertIn('is the recording of another goal, "Wi-Fi is off"', done.err)

    def test_a_broken_one_is_refused_with_its_place_before_anything_runs(self):
        runs, whole = self.runs(), self.text.encode()
        step = self.text[:self.text.index("[[step]]")].count("\n") + 2
        for text, place in (
            (whole.replace(b'act = "', b'act = "fly'), f"{step}:7: this is no action"),
            (whole.replace(b"act = ", b"atc = "), f"{step}:1: unknown key atc"),
            (whole.replace(b"nth = 1", b'nth = "1"'), "nth must not be a string"),
            (whole.replace(b"format = 1", b"format = 1\nformat = 1"), "2:"),
            (whole.replace(b"[device]", b"[devices]"), "unknown key devices"),
            (whole[:whole.index(b"act = ")], "act is missing"),
            (whole[:whole.index(b"[[step]]")], "step is missing"),
            (whole.replace(b"steps = ", b"steps = 1"), "4:9: steps is 1"),
            (whole.replace(b"until = [", b"until = ['command \"true\"', "), "judged on one screen"),
            (whole.replace(b'why = "', b'why = "\xff'), "UTF-8"),
            (whole.replace(b'id = "', b'id = "a\x00b'), ""),
            (whole + b"#" * (300 << 10), "at most 256 KB"),
            (b"", "format is missing"),
        ):
            self.assertNotEqual(text, whole, place)
            self.write(text)
            for how in (("sweep", "--replay", "only", "goals"), ("sweep", "--replay", "auto", "--dry-run", "goals"),
                        ("recordings", "import", self.file), ("replay", self.file)):
                done = self.run_agent(*how)
                self.assertEqual(done.code, 2, (place, done))
                self.assertIn(NAME + ":", done.err)
                self.assertIn(place, done.err)
        self.assertEqual(self.runs(), runs)

    def test_recordings_are_imported_all_or_none(self):
        self.elsewhere()
        shutil.copy(self.file, os.path.join(self.folder, "other.rec.toml"))
        self.write(self.text.replace("act = ", "atc = "))
        done = self.run_agent("recordings", "import", "other.rec.toml", self.file)
        self.assertEqual((done.code, self.states()), (2, []), done)
        self.write(self.text)
        done = self.run_agent("recordings", "import", "other.rec.toml", self.file)
        self.assertEqual((done.code, self.states()), (0, [("trusted", 0)]), done)
        shown = self.run_agent("recordings", "show", AIRPLANE, "--json").envelope()["result"]
        self.assertEqual((shown["decided_by"], shown["run"]), ("file", None))
        done = self.run_agent("replay", AIRPLANE)
        self.assertEqual(done.code, 2)
        self.assertIn("no run of this recording is stored here", done.err)
        done = self.run_agent("replay", "other.rec.toml", "goals/settings.toml")
        self.assertEqual(done.code, 0, done)

    def test_two_recordings_of_a_goal_are_not_imported_at_once(self):
        self.elsewhere()
        other = os.path.join(self.folder, "other.rec.toml")
        with open(other, "w", encoding="utf-8") as f:
            f.write(self.text.replace("ms = ", "ms = 1"))
        self.check_error(("recordings", "import", self.file, other), 2, "USAGE", "other.rec.toml are both of", "one recording")
        self.assertEqual(self.states(), [])
        for file in (self.file, other):
            self.assertEqual(self.run_agent("recordings", "import", file).code, 0)
        self.assertEqual(self.states(), [("trusted", 0), ("replaced", 0)])

    def test_one_that_somebody_rejected_is_used_again_only_by_hand(self):
        self.elsewhere()
        self.assertEqual(self.sweep()[0].code, 0)
        self.assertEqual(self.run_agent("recordings", "reject", AIRPLANE).code, 0)
        self.assertNotEqual(self.sweep()[0].code, 0)
        self.assertEqual(self.states(), [("rejected", 1)])
        self.assertEqual(self.run_agent("recordings", "import", self.file).code, 0)
        self.assertEqual(self.sweep()[0].code, 0)
        self.assertEqual(self.states(), [("trusted", 2)])


CONTACT = """
[vars]
name = "Copy"
[[goal]]
name = "a number is copied"
app = "com.apple.MobileAddressBook"
setup = ["launch com.apple.MobileAddressBook"]
goal = "add a contact {{name}} with the number of Samuel Adler"
expect = ['visible heading "{{name}}"']
"""


class Variables(Case):
    """What is typed has another value each time: the goal's, or what the screen shows."""

    def setUp(self):
        super().setUp()
        with open(os.path.join(self.folder, "copy.toml"), "w", encoding="utf-8") as f:
            f.write(CONTACT)

    def device(self, *words):
        done = self.run_agent(*words, "--device", "embedded:mine", "--no-daemon", "--json")
        self.assertEqual(done.code, 0, done)
        return done.envelope()["result"]

    def numbers(self):
        return {c["name"]: c["phone"] for c in self.state("--device", "embedded:mine")["contacts"]}

    def sweep(self, *args, env=None):
        return self.run_agent("sweep", "copy.toml", "--device", "embedded:mine", "--json", *args, env=env)

    def record(self, number):
        def tap(sel):
            return say(use("tap", ref=f"$ref({sel})"))

        def write(sel, text):
            return say(use("type_text", ref=f"$ref({sel})", text=text))

        double = self.script(tap('row "Samuel Adler"'), tap('button "Contacts"'), tap('button "Add"'),
                             write('field "First name"', "Copy"), write('field "Phone"', number), tap('button "Done"'),
                             finish("Copy"), verifier(True))
        done = self.sweep(env=self.claude(double))
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.run_agent("recordings", "export", "a number is copied").code, 0)
        with open(os.path.join(self.folder, "a-number-is-copied.rec.toml"), encoding="utf-8") as f:
            return f.read()

    def change_number(self, number):
        back = ("tap", 'button "Contacts"')
        for words in (back, ("tap", 'row "Samuel Adler"'), ("tap", 'button "Edit"'),
                      ("type", "#phone", number, "--replace"), ("tap", 'button "Done"'), back):
            self.device(*words)
        self.assertEqual(self.numbers()["Samuel Adler"], number)

    def test_names_stand_for_what_is_different_each_time(self):
        text = self.record("555-0112")
        self.assertIn('capture = { shown = \'value row "mobile" = "{{shown}}"\' }', text)
        self.assertIn('input = { text = "{{shown}}" }', text)
        self.assertIn('input = { text = "{{name}}" }', text)
        self.assertNotIn("Copy", text)
        self.assertNotIn("555-0112", text.replace('before = "', ""))
        self.change_number("555-7777")
        done = self.sweep("--replay", "only", "--var", "name=Second")
        self.assertEqual(done.code, 0, done)
        numbers = self.numbers()
        self.assertEqual((numbers["Copy"], numbers["Second"]), ("555-0112", "555-7777"))

    def test_a_secret_stands_by_its_name_and_is_typed_by_its_value(self):
        with open(os.path.join(self.folder, "login.toml"), "w", encoding="utf-8") as f:
            f.write("""[[goal]]
name = "log in"
app = "com.example.shop"
setup = ["reset", "launch com.example.shop"]
goal = "log in as {{who}} with password {{secret:SHOP_PASSWORD}}, open Account, check that Ada Lovelace is visible"
vars = { who = "ada" }
secrets = ["SHOP_PASSWORD"]
expect = ['value row "Ada Lovelace" = "{{who}}"']
""")
        right, wrong = {"SHOP_PASSWORD": "engine-1843"}, {"SHOP_PASSWORD": "engine-1844"}
        done = self.run_agent("sweep", "--demo", "login.toml", env=right)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.run_agent("recordings", "export", "log in", env=right).code, 0)
        with open(os.path.join(self.folder, "log-in.rec.toml"), encoding="utf-8") as f:
            text = f.read()
        self.assertIn('input = { text = "{{secret:SHOP_PASSWORD}}" }', text)
        self.assertIn('input = { text = "{{who}}" }', text)
        self.assertNotIn("1843", text)
        self.home = os.path.join(self.folder, "elsewhere")
        done = self.run_agent("sweep", "--replay", "only", "login.toml", env=wrong)
        self.assertEqual(done.code, 1, done)
        done = self.run_agent("sweep", "--replay", "only", "login.toml", env=right)
        self.assertEqual(done.code, 0, done)

    def test_what_was_read_is_known_after_a_kill(self):
        self.record("555-0112")
        self.change_number("555-8888")
        done = self.sweep("--replay", "only", "--var", "name=Third", env={"IOS_AGENT_KILL_AT": "agent.tool.before:5"})
        self.assertEqual(done.code, -9, done)
        done = self.run_agent("sweep", "--resume", self.runs()[0]["sweep"], "--json")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.numbers()["Third"], "555-8888")


class Goals(Recorded):
    """Which goal a recording is of, and whose expectations judge."""

    AS_RECORDED = 'expect = [\'value #airplane_mode = "on"\']'

    def change(self, old, new):
        self.assertIn(old, GOALS)
        self.write(GOALS.replace(old, new), "settings.toml")

    def replay(self, *what):
        """The command, its envelope, and what it notes."""
        done = self.run_agent("replay", *what, "--fresh", "--json")
        told = done.envelope()
        return done, told, [line for line in told["stdout"].splitlines() if line.startswith("note: ")]

    def test_a_goal_is_judged_by_the_expectations_of_its_file_as_it_is_now(self):
        done, told, notes = self.replay(AIRPLANE)
        self.assertEqual((done.code, notes), (0, []), done)
        self.change("expect = [", "expect = ['visible \"Wi-Fi\"', ")
        done, told, notes = self.replay(AIRPLANE)
        self.assertEqual(done.code, 0, done)
        self.assertRegex("".join(notes), "settings.toml was changed since; its expectations of today are the judge$")
        self.change(self.AS_RECORDED, "expect = ['value #airplane_mode = \"on\"', 'visible \"No Such Row\"']")
        done, told, notes = self.replay(AIRPLANE)
        self.assertEqual((done.code, told["result"]["state"]), (1, "failed"), done)
        self.assertIn("No Such Row", told["error"]["message"])
        self.check_error(("replay", AIRPLANE, "--heal"), 2, "STATE", "was changed since", "once more with a model")

    def test_a_run_is_judged_as_it_was_and_says_where_its_file_was_changed(self):
        run = self.run_agent("runs", "--json").envelope()["result"]["runs"][0]["id"]
        self.change(self.AS_RECORDED, "expect = ['value #airplane_mode = \"on\"', 'visible \"No Such Row\"']")
        done, told, notes = self.replay(run)
        self.assertEqual(done.code, 0, done)
        self.assertRegex("".join(notes), "settings.toml was changed since; .* as it was$")
        os.remove(os.path.join(self.goals, "settings.toml"))
        for what in (run, AIRPLANE):
            done, told, notes = self.replay(what)
            self.assertEqual((done.code, notes), (0, []), done)

    def test_a_goal_that_asks_for_something_else_now_is_not_done_by_its_old_steps(self):
        self.change("turn on Airplane Mode", "turn on Airplane Mode, wait")
        self.check_error(("replay", AIRPLANE), 2, "STATE", "was changed since it was recorded", "ios-agent replay")
        self.assertEqual(self.runs(), 1)

    def test_a_schedule_is_judged_by_what_it_expects_now(self):
        how = ("--every", "1d", "--device", "embedded:s", "--demo", "open Settings, turn on Airplane Mode")
        on, off = ("--expect", 'value switch "Airplane Mode" = "on"'), ("--expect", 'value switch "Airplane Mode" = "off"')
        for words in (("add", "--name", "night", *on, *how), ("run-now", "night"), ("tick",)):
            done = self.run_agent("schedule", *words)
            self.assertEqual(done.code, 0, done)
        done, told, notes = self.replay("night")
        self.assertEqual((done.code, notes), (0, []), done)
        for words in (("remove", "night"), ("add", "--name", "night", *off, *how)):
            done = self.run_agent("schedule", *words)
            self.assertEqual(done.code, 0, done)
        done, told, notes = self.replay("night")
        self.assertNotEqual(done.code, 0, done)
        self.assertIn("its schedule was changed since", "".join(notes))

    def test_goals_that_ask_for_the_same_share_a_recording_only_where_they_expect_the_same(self):
        other = GOALS.replace(AIRPLANE, "the other")
        self.write(other, "other.toml")
        done, told = self.sweep("only", "--goal", "the other")
        self.assertEqual(done.code, 0, done)
        self.write(other.replace("expect = [", "expect = ['visible \"Wi-Fi\"', "), "other.toml")
        done, told = self.sweep("only", "--goal", "the other")
        self.assertEqual(done.code, 2, done)
        self.assertIn("no recording of this goal; it has to pass once by its expectations, with a model: --replay auto", told["result"]["results"][0]["reason"])

    def test_only_replayed_without_a_recording_it_says_how_to_get_one(self):
        how = ("run", "open Settings, turn on Airplane Mode", "--replay", "only", "--fresh", "--expect")
        self.check_error((*how, 'value switch "Airplane Mode" = "on"'), 2, "NOT_FOUND", "no recording of this goal",
                         "--replay auto", "recordings import")
        self.write("""[[goal]]
name = "twice"
app = "com.apple.MobileAddressBook"
setup = ["reset", "launch com.apple.MobileAddressBook"]
vars = { first = "Ada", last = "Ada" }
goal = "add a contact named {{first}} {{last}}"
expect = ['visible heading "{{first}} {{last}}"']
""", "twice.toml")
        self.assertEqual(self.run_agent("sweep", "--demo", "goals", "--goal", "twice").code, 0)
        done, told = self.sweep("only", "--goal", "twice")
        self.assertEqual(done.code, 2, done)
        self.assertRegex(told["result"]["results"][0]["reason"], "where it passed, the run cannot be replayed: .* the same value")


    def test_a_goal_that_is_known_to_fail_is_left_out_where_nothing_but_recordings_is_done(self):
        self.write(GOALS.replace(AIRPLANE, "known").replace("expect = [", 'fails = "no such row"\nexpect = [\'visible "No Such Row"\', '),
                   "known.toml")
        done, told = self.sweep("only")
        self.assertEqual((done.code, told["result"]["goals"], told["result"]["replayed"]), (0, 1, 1), done)
        self.assertIn("note: 1 goal is known to fail, and left out", told["stdout"])
        self.assertEqual(self.sweep("only", "--goal", "known")[0].code, 2)
        done = self.run_agent("sweep", "--demo", "--replay", "auto", "goals", "--json")
        self.assertEqual((done.code, done.envelope()["result"]["expected"]), (0, 1), done)


class Rules(Recorded):
    """What a recording proves, and what it must not."""

    def due(self):
        self.write('''
[[goal]]
name = "due"
app = "com.apple.reminders"
setup = ["reset"]
vars = { day = "tomorrow" }
goal = "open Reminders, add a reminder called Milk due {{day}}, check that Milk is visible"
expect = ['appears row "Milk"']
''', "due.toml")
        done = self.run_agent("sweep", "--demo", "goals", "--goal", "due")
        self.assertEqual(done.code, 0, done)

    def test_a_variable_that_no_step_has_keeps_its_value(self):
        self.due()
        done = self.run_agent("recordings", "export", "due")
        self.assertEqual(done.code, 0, done)
        with open(os.path.join(self.goals, "due.rec.toml"), encoding="utf-8") as f:
            self.assertIn('fixed = { day = "tomorrow" }', f.read())
        file = os.path.join(self.goals, "due.rec.toml")
        self.assertEqual(self.run_agent("replay", file, "--fresh").code, 0)
        self.check_error(("replay", file, "--var", "day=today"), 2, "STATE", 'recorded with day = "tomorrow"', "{{day}}")

    def test_another_value_is_refused_unless_all_that_depends_on_it_is_certain(self):
        tap = "tap Reminders, tap New Reminder"
        self.write("\n".join(f"""[[goal]]
name = "{name}"
app = "com.apple.reminders"
setup = ["reset", "launch com.apple.reminders"]
vars = {{ v = "{value}" }}
goal = '{tap}, type {title} into Title, {then}, tap Add'
expect = ['appears row {title}']
""" for name, value, title, then in (
            ("due one", "tomorrow", '"Rent {{v}}"', "tap {{v}}"), ("due other", "next week", '"Rent {{v}}"', "tap {{v}}"),
            ("literal", "Lunch", '"{{v}}"', 'type "Lunch" into Notes'),
            ("short", "4", '"Buy {{v}} eggs"', 'type "eggs" into Notes'),
            ("label", "Notes", '"{{v}}"', "check that Add is visible"),
            ("certain", "Dinner", '"{{v}}"', 'type "Lunch" into Notes'))), "values.toml")
        for name in ("due one", "literal", "short", "label", "certain"):
            done = self.run_agent("sweep", "--demo", "goals", "--goal", name)
            self.assertEqual(done.code, 0, done)
            self.assertEqual(self.run_agent("recordings", "export", name).code, 0)
        done, told = self.sweep("only", "--goal", "due other")
        self.assertEqual(done.code, 2, done)
        self.assertIn('recorded with v = "tomorrow"', told["result"]["results"][0]["reason"])
        for name, why in (("due-one", "it is not certain"), ("literal", "goal was changed"), ("short", "goal was changed"),
                          ("label", "it is not certain")):
            file = os.path.join(self.goals, name + ".rec.toml")
            self.assertEqual(self.run_agent("replay", file, "--fresh").code, 0, name)
            self.check_error(("replay", file, "--fresh", "--var", "v=Another"), 2, "STATE", why, "with a model")
        certain = os.path.join(self.goals, "certain.rec.toml")
        self.assertEqual(self.run_agent("replay", certain, "--fresh", "--var", "v=Another").code, 0)
        # An edited file is no better than what was recorded.
        with open(os.path.join(self.goals, "due-one.rec.toml"), encoding="utf-8") as f:
            text = f.read()
        self.write(text.replace('fixed = { v = "tomorrow" }', 'vars = ["v"]').replace("Rent tomorrow", "Rent {{v}}"), "due-one.rec.toml")
        self.check_error(("replay", os.path.join(self.goals, "due-one.rec.toml"), "--fresh", "--var", "v=next week"), 2, "STATE",
                         "it is not certain")

    def test_what_is_no_regular_file_is_refused_at_once(self):
        os.remove(self.file)
        os.mkfifo(self.file)
        for words in (("replay", self.file), ("recordings", "import", self.file), ("sweep", "goals", "--replay", "only")):
            self.check_error(words, 3, "IO", "it is no regular file")

    def test_a_control_that_does_nothing_is_noticed_where_nothing_can_be_named(self):
        self.due()
        done = self.run_agent("replay", "due", "--fresh", "--device", "embedded:dead?changes=dead:#Tomorrow", "--json")
        self.assertEqual(done.code, 1, done)
        self.assertIn("the screen reads as before", done.envelope()["error"]["message"])

    def test_a_model_that_heals_needs_a_key_and_says_so(self):
        self.edit(("airplane_mode", "flight_mode"), ('label = "Airplane Mode"', 'label = "Flight Mode"'))
        self.check_error(("replay", self.file, "--heal", "--fresh"), 3, "KEY_MISSING", "there is no key for Claude",
                         "a replay without --heal needs none")

    def test_an_action_that_fails_is_not_done(self):
        # Nothing asks anything, so the answer fails; nothing can be named that it would lead to.
        answer = '[[step]]\nact = "alert"\ninput = { action = "accept" }\nuntil = []\nms = 0\n\n[[step]]\n'
        steps = re.search(r"steps = (\d+)", self.text)
        self.write(self.text.replace("[[step]]\n", answer, 1).replace(steps[0], f"steps = {int(steps[1]) + 1}"))
        done = self.run_agent("replay", self.file, "--fresh", "--json")
        self.assertEqual(done.code, 1, done)
        self.assertIn("step 1, alert", done.envelope()["error"]["message"])

    def test_what_showed_before_a_tap_does_not_prove_it(self):
        self.due()
        self.assertEqual(self.run_agent("recordings", "export", "due").code, 0)
        file = os.path.join(self.goals, "due.rec.toml")
        with open(file, encoding="utf-8") as f:
            text = f.read()
        self.assertRegex(text, r"until = \[\]\n.*\n?changed = true")
        self.write(re.sub(r"until = \[\](\n.*)?\nchanged = true", r"until = ['visible #Tomorrow']\1", text), "due.rec.toml")
        self.assertEqual(self.run_agent("replay", file, "--fresh").code, 0)
        done = self.run_agent("replay", file, "--device", "embedded:dead?changes=dead:#Tomorrow", "--json")
        self.assertEqual(done.code, 1, done)
        self.assertIn("the screen reads as before", done.envelope()["error"]["message"])

    def test_of_rows_with_one_label_none_proves_a_step(self):
        self.write('''
[[goal]]
name = "twins"
app = "com.apple.reminders"
setup = ["reset", "launch com.apple.reminders"]
goal = """tap Holiday, tap New Reminder, type "Call" into Title, type "Ann" into Notes, tap Add,
tap New Reminder, type "Call" into Title, type "Bob" into Notes, tap Add, tap Complete Call"""
expect = ['visible heading "Holiday"', 'appears heading "COMPLETED"']
''', "twins.toml")
        self.assertEqual(self.run_agent("sweep", "--demo", "goals", "--goal", "twins").code, 0)
        shown = self.run_agent("recordings", "show", "twins", "--json").envelope()["stdout"]
        self.assertIn('row "Call, Ann"', shown)
        self.assertNotIn('value row "Call"', shown)
        self.assertEqual(self.run_agent("replay", "twins", "--fresh").code, 0)

    def test_only_a_recording_of_the_goal_is_overwritten(self):
        for place in ("settings.toml", "notes.txt"):
            self.write("x = 1\n", "notes.txt")
            with open(os.path.join(self.goals, place), "rb") as f:
                before = f.read()
            self.check_error(("recordings", "export", AIRPLANE, os.path.join(self.goals, place)), 2, "EXISTS",
                             "is not a recording", "another file")
            with open(os.path.join(self.goals, place), "rb") as f:
                self.assertEqual(f.read(), before)

    def test_a_rejected_recording_is_not_replayed_by_its_id_either(self):
        self.assertEqual(self.run_agent("replay", AIRPLANE, "--fresh").code, 0)
        listed = self.run_agent("recordings", "list", "--json").envelope()["result"]["recordings"]
        self.assertEqual(self.run_agent("recordings", "reject", listed[0]["id"]).code, 0)
        done = self.run_agent("replay", listed[0]["id"], "--fresh", "--json")
        self.assertNotEqual(done.code, 0, done)
        self.assertIn("was rejected", done.envelope()["error"]["message"])

    def test_a_replay_is_no_recording_of_its_own(self):
        for _ in range(3):
            done = self.run_agent("replay", "last", "--fresh", "--strict")
            self.assertEqual(done.code, 0, done)
        self.assertEqual(len(self.states()), 1)

    def test_numbers_and_texts_that_mean_nothing_are_refused(self):
        for old, new, why in ((r"ms = ", "ms = -5 # ", "milliseconds"), ("nth = ", "nth = 0, of = 1, alike = 1 } # ", "counts from 1"),
                              ('label = "', 'label = "", placeholder = "', "empty text")):
            with self.subTest(new):
                line = next(x for x in self.text.splitlines() if old in x)
                self.write(self.text.replace(line, line.replace(old, new, 1), 1))
                done = self.run_agent("recordings", "import", self.file, "--json")
                self.assertEqual(done.code, 2, done)
                self.assertRegex(done.envelope()["error"]["message"], rf":\d+:\d+: .*{why}")


if __name__ == "__main__":
    unittest.main()
