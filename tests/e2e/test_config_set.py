"""config set and config unset: one line of the user's file changes, or nothing does."""
import glob
import os
import signal
import unittest

from harness import SOURCE, Case

MINE = '# mine\n[run]\nmodel = "a"   # why\n\n# later\n[api]\nmax_retries = 1\n'


class ConfigSet(Case):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.folder, ".config", "ios-agent", "config.toml")

    def write(self, text):
        os.makedirs(os.path.dirname(self.file), exist_ok=True)
        with open(self.file, "w", encoding="utf-8", newline="") as f:
            f.write(text)

    def read(self):
        with open(self.file, encoding="utf-8", newline="") as f:
            return f.read()

    def row(self, key):
        rows = self.run_agent("config", "--json").envelope()["result"]["values"]
        return next(r for r in rows if r["key"] == key)

    def test_the_first_setting_makes_the_file_for_its_owner_alone(self):
        done = self.run_agent("config", "set", "run.max_usd", "0.50")
        self.assertEqual((done.code, done.out), (0, f"run.max_usd is set in {self.file}\n"), done)
        self.assertEqual(self.read(), "[run]\nmax_usd = 0.5\n")
        self.assertEqual(os.stat(self.file).st_mode & 0o777, 0o600)
        self.assertEqual((self.row("run.max_usd")["value"], self.row("run.max_usd")["origin"]), (0.5, "user file"))
        again = self.run_agent("config", "set", "run.max_usd", "0.50")
        self.assertIn("was set so", again.out)
        self.assertIn("no longer set", self.run_agent("config", "unset", "run.max_usd").out)
        self.assertIn("was not set", self.run_agent("config", "unset", "run.max_usd").out)
        self.assertFalse(os.path.exists(self.home), "a setting needs no store")

    def test_every_other_byte_stays(self):
        self.write(MINE)
        done = self.run_agent("config", "set", "run.model", 'b"\\ü', "--json").envelope()["result"]
        self.assertEqual((done["file"], done["changed"], done["value"]["value"]), (self.file, True, 'b"\\ü'))
        self.assertEqual(self.read(), MINE.replace('"a"', '"b\\"\\\\ü"'))
        self.assertEqual(self.run_agent("config", "unset", "run.model").code, 0)
        self.assertEqual(self.read(), MINE.replace('model = "a"   # why', "# why"))

    def test_what_loading_would_refuse_is_refused_and_nothing_changes(self):
        self.write(MINE)
        for key, value, *parts in (
                ("run.max_steps", "0", "run.max_steps must be between 1 and 1000"),
                ("run.max_steps", "many", "run.max_steps must be an integer"),
                ("run.verify", "often", "one of auto, always, off"),
                ("run.model", "a\nb", "a control character"),
                ("run.model", "x" * 65536, "longer than 4096 bytes"),
                ("api.base_url", "file:///etc", "must be a URL"),
                ("run.modle", "x", "did you mean run.model?"),
                ("api.key", "sk-ant-xyz", "key set")):
            envelope = self.check_error(["config", "set", key, value], 2, "CONFIG", *parts)
            self.assertNotIn("sk-ant-xyz", str(envelope))
        self.assertEqual(self.read(), MINE)
        for broken in ("[run\n", "[run]\nmodle = 1\n", '[run]\nmodel = "a\n'):
            self.write(broken)
            self.check_error(["config", "set", "run.model", "x"], 2, "CONFIG", self.file)
            self.check_error(["config", "unset", "run.model"], 2, "CONFIG", self.file)
            self.assertEqual(self.read(), broken)
        self.write("[run]\nmax_steps = 0 # oops\n")
        self.assertEqual(self.run_agent("config", "set", "run.max_steps", "5").code, 0)
        self.assertEqual(self.read(), "[run]\nmax_steps = 5 # oops\n")

    def test_what_goes_before_the_file_is_named(self):
        done = self.run_agent("config", "set", "run.max_steps", "5", env={"IOS_AGENT_RUN_MAX_STEPS": "9"})
        self.assertIn("not in effect: IOS_AGENT_RUN_MAX_STEPS goes before it", done.out)
        with open(os.path.join(self.folder, "ios-agent.toml"), "w", encoding="utf-8") as f:
            f.write("[run]\nmax_steps = 7\n")
        done = self.run_agent("config", "set", "run.max_steps", "6")
        self.assertIn("ios-agent.toml:2:1 goes before it", done.out)

    def test_a_kill_leaves_the_old_file_or_the_new_one(self):
        for point, text in (("file.rename.before", MINE), ("file.rename.after", MINE.replace('"a"', '"b"'))):
            self.write(MINE)
            killed = self.run_agent("config", "set", "run.model", "b", env={"IOS_AGENT_KILL_AT": point})
            self.assertEqual(killed.code, -signal.SIGKILL, killed)
            self.assertEqual(self.read(), text, point)
            self.assertEqual(self.run_agent("config", "set", "run.model", "c").code, 0)
            self.assertEqual(self.read(), MINE.replace('"a"', '"c"'))
            self.assertEqual(glob.glob(os.path.dirname(self.file) + "/*"), [self.file], "what was left is cleared away")

    def test_the_example_with_every_setting_uncommented_is_edited_in_place(self):
        with open(os.path.join(SOURCE, "config.example.toml"), encoding="utf-8") as f:
            example = f.read()
        self.write(example)
        keys = [r["key"] for r in self.run_agent("config", "--json").envelope()["result"]["values"]]
        for key in keys:
            value = str(self.row(key)["value"]).replace("True", "true").replace("False", "false")
            self.assertEqual(self.run_agent("config", "set", key, value).code, 0, key)
            self.assertEqual(self.row(key)["origin"], "user file")
        for key in reversed(keys):
            self.assertEqual(self.run_agent("config", "unset", key).code, 0, key)
        self.assertEqual(self.read(), example)


if __name__ == "__main__":
    unittest.main(verbosity=2)
