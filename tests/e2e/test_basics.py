"""version, help, config, key, doctor: everything that needs no run."""
import json
import os
import pathlib
import platform
import stat
import subprocess
import unittest

from harness import Case, PROGRAM, Terminal

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
        for library in ("curl", "microhttpd", "cairo"):
            self.assertNotIn(f"lib{library}", linked)

    def test_every_command_has_help(self):
        overview = self.run_agent("help").out
        names = [line[2:18].strip() for line in overview.splitlines() if line.startswith("  ")]
        self.assertIn("key set", names)
        for name in names:
            if name and self.run_agent("help", *name.split()).code == 0:
                self.assertEqual(self.run_agent(*name.split(), "--help").code, 0)

    def test_stdout_that_takes_nothing_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "help"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"cannot write", done.stderr)


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
        terminal.read_until("again: ")
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
        terminal.read_until("again: ")
        terminal.type("two\n")
        self.assertEqual(terminal.finish(), 2)
        self.assertFalse(self.run_agent("key", "status", "--json").envelope()["result"]["stored"])

    def passphrase_file(self, text, mode=0o600):
        path = os.path.join(self.folder, "passphrase")
        pathlib.Path(path).write_text(text)
        os.chmod(path, mode)
        return {"IOS_AGENT_PASSPHRASE_FILE": path}


if __name__ == "__main__":
    unittest.main()
