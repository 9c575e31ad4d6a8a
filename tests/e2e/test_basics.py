"""version, help, config, key, doctor: everything that needs no run."""
import json
import os
import pathlib
import platform
import re
import resource
import stat
import subprocess
import unittest

from harness import ADA, Case, PROGRAM, SOURCE, Terminal

KEY = "sk-ant-e2e-4f1c9b7d2a6e8035"


class Basics(Case):
    def test_version_touches_nothing(self):
        result = self.run_agent("version")
        self.assertEqual(result.code, 0)
        self.assertRegex(result.out, r"^ios-agent \d+\.\d+\.\d+\n$")
        self.assertFalse(os.path.exists(self.home))

    def test_version_loads_no_heavy_library(self):
        tool = ["otool", "-L"] if platform.system() == "Darwin" else ["ldd"]
        linked = subprocess.run([*tool, PROGRAM], capture_output=True, text=True, check=True).stdout
        for library in ("curl", "microhttpd", "cairo", "xml2"):
            self.assertNotIn(f"lib{library}", linked)

    def test_a_command_line_mistake_is_exit_2_and_names_what_was_meant(self):
        rows = [
            (["rnu", "x"], "did you mean ios-agent run?"),
            (["run", "x", "--max-step", "3"], "did you mean --max-steps?"),
            (["run"], "run needs GOAL"),
            (["run", "two", "words"], 'run does not take "words"'),
            (["run", "  "], "the goal is empty"),
            (["run", "x", "--events", "--json"], "--events and --json cannot be used together"),
            (["key"], "set, status or remove"),
            ([], "no command given"),
        ]
        for args, text in rows:
            with self.subTest(args):
                result = self.run_agent(*args)
                self.assertEqual(result.code, 2, result)
                self.assertIn(text, result.out + result.err)
                self.assertFalse(os.path.exists(self.home))

    def test_a_malformed_expectation_is_exit_2_with_a_caret(self):
        envelope = self.check_error(
            ["run", "x", "--expect", 'visible "Ada'], 2, "PARSE", "^", 'visible "Ada'
        )
        lines = envelope["error"]["message"].splitlines()
        self.assertIn("^", lines[-1])
        self.assertFalse(os.path.exists(self.home))

    def test_every_command_has_help(self):
        overview = self.run_agent("help").out
        names = [line[2:19].strip() for line in overview.splitlines() if line.startswith("  ")]
        self.assertIn("key set", names)
        for name in names:
            if name and self.run_agent("help", *name.split()).code == 0:
                self.assertEqual(self.run_agent(*name.split(), "--help").code, 0)

    def test_the_overview_page_has_every_command_and_no_option_that_there_is_not(self):
        with open(os.path.join(SOURCE, "docs", "ios-agent.1"), encoding="utf-8") as f:
            page = f.read().replace("\\-", "-")
        page = re.sub(r"\\f[A-Z]", "", page)
        overview = self.run_agent("help").out.split("Commands:\n")[1].split("\n\n")[0]
        options = set()
        for line in overview.splitlines():
            name = line[2:19].strip()
            self.assertIn(name.split()[-1], page)
            # An option stands at the start of a line. Every one is on the page of its command (test_completions.py).
            options |= set(re.findall(r"(?m)^  (?:-\w, )?(--[\w-]+)", self.run_agent(*name.split(), "--help").out))
        self.assertEqual(set(re.findall(r"--[a-z][\w-]+", page)) - options, set())

    def test_a_goal_that_is_repeated_begins_anew_and_says_what_it_made_twice(self):
        for times in (1, 2, 3):
            run = self.run_agent("run", "--demo", "--json", ADA)
            self.assertEqual(run.code, 0, run)
            twins = f"There are {times} rows named" in run.envelope()["result"]["summary"]
            self.assertEqual(twins, times > 1, run)
        for goal in ("turn on dark mode", "what is the serial number?", "open Contacts, tap Mei Chen, tap Edit",
                     "delete the contact Mei Chen", "how many contacts do I have?"):
            for again in (False, True):  # from wherever the one before has left the phone
                run = self.run_agent("run", "--demo", "--json", goal)
                gone = goal.startswith("delete") and again
                self.assertEqual(run.code, 5 if gone else 0, (goal, run))

    def test_what_the_demo_brain_knows_is_told_and_true(self):
        text = self.run_agent("help", "demo").out
        examples = [line.strip() for line in text.splitlines() if line.startswith("  ")]
        self.assertGreater(len(examples), 40, text)
        self.assertIn("turn on dark mode", examples)
        blocked = self.run_agent("run", "--demo", "turn on dark mode three times, whistle", "--json")
        self.assertEqual(blocked.code, 5, blocked)
        summary = blocked.envelope()["result"]["summary"]
        for part in ("does not understand", "turn on dark mode", "ios-agent help demo", "ios-agent key set"):
            self.assertIn(part, summary)
        for example in ("turn on dark mode", "delete the milk reminder", "what's Nora Abbott's phone number?"):
            self.assertIn(example, examples)
            run = self.run_agent("run", "--demo", "--fresh", example)
            self.assertEqual(run.code, 0, run)

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_stdout_that_takes_nothing_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "help"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"cannot write", done.stderr)

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_a_run_whose_output_is_lost_is_no_success(self):
        for form in ((), ("--json",), ("--events",)):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([PROGRAM, "run", "open Contacts", *form], env=self.env(),
                                      cwd=self.folder, stdout=full, stderr=subprocess.PIPE,
                                      check=False)
            self.assertEqual(done.returncode, 3, form)
            self.assertIn(b"cannot write", done.stderr, form)
        self.assertEqual([r["state"] for r in self.runs()], ["passed"] * 3)

    def test_a_home_that_cannot_be_one_is_exit_3(self):
        file = os.path.join(self.folder, "file")
        pathlib.Path(file).write_text("x")
        for home, said in ((file, "not a folder"), (self.folder + "/x" * 2500, "too long")):
            result = self.run_agent("run", "open Contacts", env={"IOS_AGENT_HOME": home})
            self.assertEqual(result.code, 3, result)
            self.assertIn(said, result.err)

    def test_a_limit_on_the_size_of_files_is_an_error_not_a_death(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

        done = subprocess.run([PROGRAM, "run", "open Contacts"], env=self.env(), cwd=self.folder,
                              capture_output=True, check=False, preexec_fn=limit)
        self.assertEqual(done.returncode, 3, done)
        self.assertIn(b"ios-agent: ", done.stderr)

    def test_one_json_line_is_one_line_for_every_reader(self):
        goal = "open Contacts\u2028\u009b31m\u0085\u202e\x7f"
        for args in (["run", goal, "--json"], ["run", goal, "--events"], ["runs", "--json"]):
            result = self.run_agent(*args)
            for line in result.out.splitlines():
                json.loads(line)
            self.assertNotIn("\u009b", result.out)

    def test_json_and_events_together_are_refused_in_one_envelope(self):
        result = self.run_agent("run", "x", "--json", "--events")
        self.assertEqual(result.code, 2)
        self.assertEqual(result.envelope()["error"]["code"], "USAGE")


class Configuration(Case):
    def test_every_value_has_its_origin(self):
        path = os.path.join(self.folder, "ios-agent.toml")
        pathlib.Path(path).write_text('[run]\nmax_steps = 7\nmodel = "from-file"\n')
        result = self.run_agent("config", "--json", env={"IOS_AGENT_RUN_MODEL": "from-env"})
        values = {v["key"]: v for v in result.envelope()["result"]["values"]}
        self.assertEqual(values["run.max_steps"]["value"], 7)
        self.assertIn(f"{path}:2:", values["run.max_steps"]["where"])
        self.assertEqual(values["run.model"]["value"], "from-env")
        self.assertEqual(values["run.model"]["origin"], "environment")
        self.assertIn("run.model", self.run_agent("config").out)

    def test_invalid_toml_names_the_place(self):
        path = pathlib.Path(self.folder, "ios-agent.toml")
        rows = [
            ("[run]\nmax_steps = \n", ":2:"),
            ("[run]\nmax_step = 3\n", ":2:1: "),
            ("[run]\nmax_steps = \"many\"\n", ":2:"),
        ]
        for text, place in rows:
            with self.subTest(text):
                path.write_text(text)
                self.check_error(["run", "x"], 2, "CONFIG", f"{path}{place}")
                self.assertFalse(os.path.exists(self.home))
        path.write_text("[run]\nmax_step = 3\n")
        result = self.run_agent("run", "x")
        self.assertIn("max_steps", result.err)

    def test_config_path_works_with_a_broken_file(self):
        pathlib.Path(self.folder, "ios-agent.toml").write_text("[")
        result = self.run_agent("config", "path", "--json")
        self.assertEqual(result.code, 0)
        self.assertTrue(result.envelope()["result"]["project"]["exists"])
        self.assertEqual(result.envelope()["result"]["home"]["path"], self.home)


class Key(Case):
    def everything_on_disk(self):
        for folder, _, names in os.walk(self.folder):
            for name in names:
                yield os.path.join(folder, name), pathlib.Path(folder, name).read_bytes()

    def assert_nowhere_on_disk(self, secret):
        for path, data in self.everything_on_disk():
            self.assertNotIn(secret.encode(), data, path)

    def test_a_key_from_stdin_is_sealed(self):
        result = self.run_agent("key", "set", "--json", stdin=KEY + "\n")
        self.assertEqual(result.code, 0, result)
        self.assertNotIn(KEY, result.out + result.err)
        status = self.run_agent("key", "status", "--json").envelope()["result"]
        self.assertEqual((status["stored"], status["seal"]), (True, "key-file"))
        self.assertEqual(status["in_use"], "sealed")
        self.assert_nowhere_on_disk(KEY)
        mode = stat.S_IMODE(os.stat(os.path.join(self.home, "sealing.key")).st_mode)
        self.assertEqual(mode, 0o600)
        self.assertEqual(self.run_agent("key", "remove").code, 0)
        status = self.run_agent("key", "status", "--json").envelope()["result"]
        self.assertEqual((status["stored"], status["in_use"]), (False, "none"))
        self.check_error(["key", "remove"], 3, "KEY_MISSING")

    def test_a_key_that_is_none_is_refused(self):
        for text in ("", "\n", "two words\n", "a\x1bb"):
            with self.subTest(text):
                self.check_error(["key", "set"], 2, "USAGE", "key", stdin=text)

    def test_what_is_no_key_is_not_stored_and_doctor_says_so(self):
        for text in ("notakey", "sk-ant-", "sk-proj-0123456789abcdef"):
            envelope = self.check_error(["key", "set"], 2, "USAGE", "begin with sk-ant-", stdin=text)
            self.assertNotIn(text.removeprefix("sk-ant-") or "\0", json.dumps(envelope))
        self.assertFalse(self.run_agent("key", "status", "--json").envelope()["result"]["stored"])
        doctor = self.run_agent("doctor", env={"ANTHROPIC_API_KEY": "notakey"})
        self.assertIn("begin with sk-ant-", doctor.out + doctor.err)
        self.assertNotEqual(doctor.code, 0, doctor)
        # Another server may have keys of any form.
        env = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}
        self.assertEqual(self.run_agent("key", "set", stdin="notakey", env=env).code, 0)
        self.assertNotIn("begin with", self.run_agent("doctor", env=env).out)
        self.assertIn("begin with sk-ant-", self.run_agent("doctor").out)

    def test_a_key_in_a_command_line_is_not_repeated(self):
        for args in (["key", "set", KEY], ["key", "set", "hunter2-hunter2"], ["key", KEY], ["key", "set", "--key", KEY],
                     ["key", "set", f"--key={KEY}"], [KEY], ["run", "x", "--secret", KEY], ["run", "x", "--device", KEY],
                     ["run", "x", "--max-steps", KEY], ["show", KEY], ["sweep", KEY]):
            with self.subTest(args):
                plain = self.run_agent(*args)
                told = plain.out + plain.err + self.run_agent(*args, "--json").out
                self.assertEqual(plain.code, 2 if args[1:2] != ["x"] or "device" not in args[2] else 3, plain)
                self.assertNotIn(args[-1].removeprefix("--key="), told)

    def test_a_misspelt_agent_role_or_variable_is_answered_with_the_right_one(self):
        with open(os.path.join(self.folder, "ios-agent.toml"), "w", encoding="utf-8") as f:
            f.write('[agents.tester]\nmodel = "m"\n[agents.buyer]\nmodel = "m"\n')
        for args, env, name, parts in (
            (["run", "x", "--demo", "--agent", "tster"], {}, "NOT_FOUND", ["did you mean tester?"]),
            (["run", "x", "--demo", "--agent", "accountant"], {}, "NOT_FOUND", ["the configured agents", "tester", "buyer"]),
            (["run", "x", "--demo", "--expect", "visible buton"], {}, "PARSE", ["not a role", "did you mean button?"]),
            (["run", "x", "--demo", "--expect", "visible Ada"], {}, "PARSE", ["button, ", "switch", "double quotes"]),
            (["run", "x", "--demo"], {"IOS_AGENT_MAX_STEPS": "3"}, "CONFIG", ["did you mean IOS_AGENT_RUN_MAX_STEPS?"]),
        ):
            with self.subTest(args):
                self.check_error(args, 2, name, *parts, env=env)

    def test_a_key_typed_at_a_terminal_is_not_echoed(self):
        terminal = Terminal(self, "key", "set")
        terminal.read_until("API key: ")
        terminal.type(KEY + "\n")
        self.assertEqual(terminal.finish(), 0)
        self.assertNotIn(KEY, terminal.seen)
        self.assertIn("sealed with a key file", terminal.seen)

    def test_a_passphrase_is_asked_twice_and_not_echoed(self):
        terminal = Terminal(self, "key", "set", "--passphrase")
        terminal.read_until("API key: ")
        terminal.type(KEY + "\n")
        terminal.read_until("Passphrase: ")
        terminal.type("correct horse\n")
        terminal.read_until("Repeat it: ")
        terminal.type("correct horse\n")
        self.assertEqual(terminal.finish(), 0)
        self.assertNotIn("horse", terminal.seen)
        self.assertIn("sealed with a passphrase", terminal.seen)
        self.assert_nowhere_on_disk(KEY)
        self.assert_nowhere_on_disk("correct horse")

    def test_passphrases_that_differ_store_nothing(self):
        terminal = Terminal(self, "key", "set", "--passphrase")
        terminal.read_until("API key: ")
        terminal.type(KEY + "\n")
        terminal.read_until("Passphrase: ")
        terminal.type("one\n")
        terminal.read_until("Repeat it: ")
        terminal.type("two\n")
        self.assertEqual(terminal.finish(), 2)
        self.assertFalse(self.run_agent("key", "status", "--json").envelope()["result"]["stored"])

    def passphrase_file(self, text, mode=0o600):
        path = os.path.join(self.folder, "passphrase")
        pathlib.Path(path).write_text(text)
        os.chmod(path, mode)
        return {"IOS_AGENT_PASSPHRASE_FILE": path}

    def test_a_wrong_passphrase_a_changed_byte_and_an_open_key_file_are_each_refused(self):
        env = self.passphrase_file("right\n")
        self.assertEqual(self.run_agent("key", "set", "--passphrase", stdin=KEY, env=env).code, 0)
        env = self.passphrase_file("wrong\n")
        self.check_error(["run", "x"], 3, "KEY_PASSPHRASE", "passphrase", env=env)
        env = self.passphrase_file("right\n", mode=0o644)
        self.check_error(["run", "x"], 3, "KEY_FILE_MODE", "chmod 600", env=env)
        self.assertEqual(self.run_agent("key", "set", stdin=KEY).code, 0)
        path = os.path.join(self.home, "sealing.key")
        os.chmod(path, 0o644)
        self.check_error(["run", "x"], 3, "KEY_FILE_MODE", "sealing.key")
        self.check_error(["key", "status"], 3, "KEY_FILE_MODE", "sealing.key")
        os.chmod(path, 0o600)
        data = bytearray(pathlib.Path(path).read_bytes())
        data[-2] ^= 1
        pathlib.Path(path).write_bytes(data)
        self.check_error(["run", "x"], 3, "KEY_TAMPERED")
        self.check_error(["key", "status"], 3, "KEY_TAMPERED", "key file")
        os.remove(path)
        self.check_error(["key", "status"], 3, "KEY_MISSING", "sealing.key")
        done = self.run_agent("key", "status", "--json", env={"ANTHROPIC_API_KEY": KEY})
        self.assertEqual(done.envelope()["result"]["in_use"], "ANTHROPIC_API_KEY")
        self.assertEqual(self.runs(), [])

    def test_without_a_terminal_a_passphrase_must_come_from_a_file(self):
        env = self.passphrase_file("right\n")
        self.assertEqual(self.run_agent("key", "set", "--passphrase", stdin=KEY, env=env).code, 0)
        done = subprocess.run(
            [PROGRAM, "run", "x"],
            env=self.env(),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            start_new_session=True,
            check=False,
        )
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("IOS_AGENT_PASSPHRASE_FILE", done.stderr)


class Doctor(Case):
    def checks(self, code, **env):
        result = self.run_agent("doctor", "--json", env=env)
        self.assertEqual(result.code, code, result)
        return {c["name"]: c for c in result.envelope()["result"]["checks"]}

    def test_a_sound_installation_has_no_failure(self):
        checks = self.checks(0)
        for name in ("config", "data folder", "database", "key", "prompts", "api client",
                     "demo brain", "simulator", "device", "libraries"):
            self.assertIn(checks[name]["status"], ("ok", "warn"), checks[name])
        self.assertEqual(checks["key"]["status"], "warn")
        self.assertIn("demo brain", checks["key"]["detail"])

    def test_a_key_is_named_but_never_shown(self):
        result = self.run_agent("doctor", env={"ANTHROPIC_API_KEY": KEY})
        self.assertEqual(result.code, 0, result)
        self.assertIn("from ANTHROPIC_API_KEY", result.out)
        self.assertNotIn(KEY, result.out + result.err)

    def test_each_fault_is_found_with_its_mend_and_the_others_still_run(self):
        pathlib.Path(self.folder, "ios-agent.toml").write_text("[run]\nmodle = 'x'\n")
        checks = self.checks(2)
        self.assertEqual(checks["config"]["status"], "FAIL")
        self.assertIn("model", checks["config"]["mend"] + checks["config"]["detail"])
        self.assertEqual(checks["database"]["status"], "ok")
        self.assertEqual(checks["simulator"]["status"], "ok")
        pathlib.Path(self.folder, "ios-agent.toml").write_text("[prompts]\ndir = 'none'\n")
        self.assertEqual(self.checks(2)["prompts"]["status"], "FAIL")
        pathlib.Path(self.folder, "ios-agent.toml").unlink()
        pathlib.Path(self.home, "ios-agent.db").write_bytes(b"this is no database" * 100)
        checks = self.checks(3)
        self.assertEqual(checks["database"]["status"], "FAIL")
        self.assertTrue(checks["database"]["mend"])

    def test_a_damaged_phone_is_found_and_is_exit_3(self):
        self.assertEqual(self.run_agent("run", "open Contacts").code, 0)
        with open(os.path.join(self.home, "embedded", "default.log"), "a", encoding="utf-8") as f:
            f.write("garbage\n")
        self.assertEqual(self.run_agent("run", "open Contacts").code, 3)
        checks = self.checks(3)
        self.assertEqual(checks["device"]["status"], "FAIL")
        self.assertIn("--fresh", checks["device"]["mend"])


if __name__ == "__main__":
    unittest.main()
