"""Expectations that show an effect: against the start, after a relaunch, by a command."""
import json
import os
import signal
import sys
import unittest

from harness import Case
from test_lies import finish, say, use, verifier

BOOK = "com.apple.MobileAddressBook"
SETTINGS = "com.apple.Preferences"
OPEN_BOOK = say(use("launch_app", bundle_id=BOOK))


def tap(selector):
    return say(use("tap", ref=f"$ref({selector})"))


def type_into(selector, text, **more):
    return say(use("type_text", ref=f"$ref({selector})", text=text, **more))


class Expectations(Case):
    def outcome(self, *turns, expect=(), args=(), app=BOOK, goal="do it", env=None):
        double = self.script(*turns, verifier(True))
        options = [o for e in expect for o in ("--expect", e)]
        result = self.run_agent("run", goal, "--json", "--fresh", *(["--app", app] if app else []),
                                *options, *args, env={**self.claude(double), **(env or {})})
        stats = double.stop()
        self.assertEqual(stats["rejected"], {}, result)
        self.assertEqual(stats["unmatched"], 0, result)
        return result.code, result.envelope()

    def test_what_only_shows_on_the_screen_does_not_survive_a_relaunch(self):
        add = [tap('button "Add"'), type_into('field "First name"', "Ada")]
        expect = ['after relaunch: appears row "Ada"']
        lie = {**finish("Ada"), "repeat": True}
        code, envelope = self.outcome(*add, lie, expect=expect)
        self.assertEqual(code, 1, envelope)
        self.assertIn("appears row", str(envelope["result"]))
        code, envelope = self.outcome(*add, tap('button "Done"'), finish("Ada"), expect=expect)
        self.assertEqual(code, 0, envelope)
        self.assertEqual([o["app"] for o in self.log() if o["op"] == "terminate"], [BOOK])

    def test_the_model_goes_on_from_the_screen_after_the_relaunch(self):
        code, envelope = self.outcome(
            tap('button "Add"'), type_into('field "First name"', "Ada"), finish("Ada"),
            tap('button "Add"'), type_into('field "First name"', "Ada"), tap('button "Done"'),
            finish("Ada"), expect=['after relaunch: appears row "Ada"'])
        self.assertEqual(code, 0, envelope)
        self.assertEqual(len([o for o in self.log() if o["op"] == "terminate"]), 2)

    def test_a_relaunch_needs_to_know_the_app(self):
        code, envelope = self.outcome(finish("Ada"), app=None,
                                      expect=['after relaunch: gone row "Ada"'])
        self.assertEqual(code, 2, envelope)
        self.assertIn("--app", envelope["error"]["hint"])

    def test_a_search_for_another_name_deletes_nobody(self):
        search = type_into("search", "Samuel")
        code, envelope = self.outcome(
            search, {**finish("Samuel Adler"), "repeat": True},
            expect=['disappears row "Nora Abbott"', 'after relaunch: gone row "Nora Abbott"'])
        self.assertEqual(code, 1, envelope)
        self.assertIn("it is still there", str(envelope["result"]))

    def test_a_switch_changes_or_it_does_not(self):
        expect = ['changes switch "Airplane Mode"']
        done = finish("Airplane Mode")
        code, envelope = self.outcome({**done, "repeat": True}, expect=expect, app=SETTINGS)
        self.assertEqual(code, 1, envelope)
        code, envelope = self.outcome(tap('switch "Airplane Mode"'), done, expect=expect,
                                      app=SETTINGS)
        self.assertEqual(code, 0, envelope)
        code, envelope = self.outcome(
            tap('switch "Airplane Mode"'), tap('switch "Airplane Mode"'),
            {**done, "repeat": True}, expect=expect, app=SETTINGS)
        self.assertEqual(code, 1, envelope)

    def test_the_start_and_the_relaunch_outlive_a_kill(self):
        expect = ['changes switch "Airplane Mode"', 'after relaunch: changes switch "Airplane Mode"']
        options = [o for e in expect for o in ("--expect", e)]
        for point in ("agent.tool.after:1", "agent.finish.checked:1", "finish.ended:1"):
            with self.subTest(point):
                self.home = os.path.join(self.folder, point.replace(":", "-"))
                double = self.script(tap('switch "Airplane Mode"'),
                                     {**finish("Airplane Mode = on"), "repeat": True},
                                     verifier(True))
                env = self.claude(double)
                killed = self.run_agent("run", "turn it on", "--app", SETTINGS, *options,
                                        env={**env, "IOS_AGENT_KILL_AT": point})
                self.assertEqual(killed.code, -signal.SIGKILL, killed)
                result = self.run_agent("resume", "--events", env=env)
                self.assertEqual(result.code, 0, result)
                self.assertEqual(double.stop()["rejected"], {})
                launches = [o["app"] for o in self.log() if o["op"] in ("launch", "terminate")]
                self.assertEqual(launches[-2:], [SETTINGS, SETTINGS], launches)
                self.assertTrue(self.state()["settings"]["airplane_mode"])

    def test_the_report_shows_the_relaunch_and_what_was_not_found(self):
        code, envelope = self.outcome(
            tap('switch "Airplane Mode"'), finish("Aeroplane Mode is on now"),
            expect=['after relaunch: changes switch "Airplane Mode"'], app=SETTINGS)
        self.assertEqual(code, 0, envelope)
        run = self.runs()[0]["id"]
        report = json.loads(self.run_agent("report", run, "--format", "json").out)
        self.assertEqual(report["goals"][0]["runs"][0]["evidence"],
                         [{"quote": "Aeroplane Mode is on now", "step": None, "unproven": True,
                           "pictured": False}])
        self.assertEqual(report["goals"][0]["runs"][0]["steps"][-1]["relaunched"], SETTINGS)

    # ---- commands ----

    def command(self, *words):
        return 'command "' + " ".join(words).replace("\\", "\\\\").replace('"', '\\"') + '"'

    def test_a_run_that_goes_on_where_commands_are_not_allowed_waits(self):
        double = self.script(OPEN_BOOK, finish("Contacts"), verifier(True))
        env = self.claude(double)
        killed = self.run_agent("run", "open Contacts", "--allow-commands", "--expect", self.command("true"),
                                env={**env, "IOS_AGENT_KILL_AT": "agent.tool.after:1"})
        self.assertEqual(killed.code, -signal.SIGKILL, killed)
        refused = self.run_agent("resume", env=env)
        self.assertNotEqual(refused.code, 0, refused)
        self.assertIn("--allow-commands", refused.out + refused.err)
        self.assertEqual(self.runs()[0]["state"], "queued")
        done = self.run_agent("resume", "--allow-commands", env=env)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(double.stop()["rejected"], {})
        self.assertEqual(self.runs()[0]["state"], "passed")

    def test_a_command_has_to_be_allowed_by_the_user(self):
        expect = [self.command("true")]
        args = ["run", "x", "--demo", "--expect", expect[0]]
        self.check_error(args, 2, "USAGE", "--allow-commands", "allow_commands = true")
        with open(os.path.join(self.folder, "ios-agent.toml"), "w", encoding="utf-8") as f:
            f.write("[run]\nallow_commands = true\n")
        refused = self.run_agent(*args)
        self.assertEqual(refused.code, 2, refused)
        self.assertIn("allow_commands", refused.err)
        os.remove(os.path.join(self.folder, "ios-agent.toml"))
        path = os.path.join(self.folder, "x.toml")
        with open(path, "w", encoding="utf-8") as f:
            f.write('[[goal]]\nname = "x"\ngoal = "open Contacts"\nexpect = [\'command "true"\']\n')
        self.check_error(["sweep", path, "--demo"], 2, "USAGE", "--allow-commands")
        swept = self.run_agent("sweep", path, "--demo", "--allow-commands")
        self.assertEqual(swept.code, 0, swept)
        code, envelope = self.outcome(OPEN_BOOK, finish("Contacts"), expect=expect,
                                      env={"IOS_AGENT_RUN_ALLOW_COMMANDS": "true"})
        self.assertEqual(code, 0, envelope)

    def test_a_command_that_fails_is_missing_and_its_last_words_are_told(self):
        program = os.path.join(self.folder, "fails.py")
        with open(program, "w", encoding="utf-8") as f:
            f.write("import sys\nsys.exit('the order is not in the database')\n")
        code, envelope = self.outcome(
            OPEN_BOOK, {**finish("Contacts"), "repeat": True}, args=["--allow-commands"],
            expect=[self.command(sys.executable, program)])
        self.assertEqual(code, 1, envelope)
        self.assertIn("the order is not in the database", str(envelope))

    def test_a_command_is_a_program_without_a_shell_and_without_secrets(self):
        out = os.path.join(self.folder, "env.json")
        program = os.path.join(self.folder, "probe.py")
        with open(program, "w", encoding="utf-8") as f:
            f.write("import json, os, sys\n"
                    "json.dump([sys.argv[1:], dict(os.environ), sys.stdin.read()],"
                    f"open({out!r}, 'w'))\n")
        code, envelope = self.outcome(
            OPEN_BOOK, finish("Contacts"), args=["--allow-commands", "--secret", "PIN"],
            env={"PIN": "1843", "OTHER": "x"},
            expect=[self.command(sys.executable, program, "'a b'", "$HOME;", "*")])
        self.assertEqual(code, 0, envelope)
        with open(out, encoding="utf-8") as f:
            words, env, stdin = json.load(f)
        self.assertEqual((words, stdin), (["a b", "$HOME;", "*"], ""))
        self.assertEqual(env["IOS_AGENT_RUN"], self.runs()[0]["id"])
        self.assertLessEqual(set(env), {"PATH", "HOME", "TMPDIR", "USER", "LOGNAME", "LANG",
                                        "LC_ALL", "LC_CTYPE", "TZ", "IOS_AGENT_RUN"})

    def test_a_command_ends_with_the_time_of_the_run(self):
        code, envelope = self.outcome(
            OPEN_BOOK, {**finish("Contacts"), "repeat": True},
            args=["--allow-commands", "--max-seconds", "2"], expect=[self.command("sleep", "60")])
        self.assertNotEqual(code, 0, envelope)

    # ---- the app ----

    def test_a_locked_run_ends_in_its_app(self):
        leave = say(use("open_url", url="x-apple-reminderkit://"))
        code, envelope = self.outcome(leave, {**finish("Groceries"), "repeat": True},
                                      expect=['visible "Groceries"'])
        self.assertEqual(code, 1, envelope)

    def test_what_another_app_shows_is_neither_given_nor_quoted(self):
        double = self.script(
            say(use("launch_app", bundle_id="com.apple.reminders")),
            say(use("open_url", url="x-apple-reminderkit://")),
            tap('row "Nora Abbott"'),
            say(use("press_button", button="home")),
            say(use("snapshot")), say(use("screenshot")),
            {**finish("Groceries"), "repeat": True}, verifier(True))
        result = self.run_agent("run", "look at Nora", "--json", "--fresh", "--app", BOOK,
                                env=self.claude(double))
        double.stop()
        self.assertEqual(result.code, 1, result)
        self.assertEqual([o["op"] for o in self.log() if o["op"] in ("open_url", "press")], [])

    def test_an_app_that_comes_to_the_front_by_itself_is_hidden(self):
        # The link is declared by the goal, so it is opened; what it shows is not the app's.
        double = self.script(
            say(use("open_url", url="shop://")), say(use("snapshot")), say(use("screenshot")),
            say(use("wait_for", until="text", text="Log In", seconds=1)),
            {**finish("Log In"), "repeat": True}, verifier(True))
        result = self.run_agent("run", "open shop: and look at Nora", "--json", "--fresh", "--app",
                                BOOK, env=self.claude(double))
        stats = double.stop()
        self.assertEqual(stats["unmatched"], 0, stats)
        self.assertEqual(result.code, 1, result)
        self.assertEqual(self.state()["foreground"], "com.example.shop")
        run = self.runs()[0]["id"]
        talk = self.run_agent("show", run, "--transcript").out
        self.assertNotIn("User name", talk)
        self.assertIn("com.example.shop is in front; what it shows is hidden", talk)
        self.assertIn("APP_LOCK", talk)
        self.assertIn("TIMEOUT", talk)

    # ---- quotes ----

    def test_where_expectations_hold_a_quote_that_does_not_fails_nothing(self):
        code, envelope = self.outcome(
            tap('switch "Airplane Mode"'), finish("Flight mode has been enabled"),
            expect=['changes switch "Airplane Mode"'], app=SETTINGS)
        self.assertEqual(code, 0, envelope)
        self.assertEqual(envelope["result"]["evidence"][0].get("unproven"), True)


if __name__ == "__main__":
    unittest.main()
