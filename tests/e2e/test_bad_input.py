"""Bad input and bad surroundings: a clear error, the right exit status, and nothing lost."""
import json
import os
import pathlib
import shutil
import socket
import sqlite3
import unittest

from harness import ADA, Case


class BadInput(Case):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.run_agent("run", ADA).code, 0)
        self.kept = (self.runs(), self.state(), self.log())

    def tearDown(self):
        """Whatever went wrong: the run before it and the phone are as they were."""
        self.assertEqual(self.runs()[-1], self.kept[0][0])
        self.assertEqual(self.state(), self.kept[1])
        self.assertEqual(self.log(), self.kept[2])
        self.assertEqual(self.run_agent("doctor").code, 0)

    def check_provider_error(self, name, *parts, env, args=()):
        envelope = self.check_error(["run", "look around", *args], 6, name, *parts, env=env)
        self.assertEqual(envelope["result"]["state"], "error")
        self.assertEqual([r["code"] for r in self.runs()][:2], [name, name])

    def test_no_network(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{free.getsockname()[1]}"
            env = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "k",
                   "IOS_AGENT_API_MAX_RETRIES": "0"}
            self.check_provider_error("API_NETWORK", "127.0.0.1", env=env)

    def test_no_such_host(self):
        env = {"ANTHROPIC_BASE_URL": "https://ios-agent.invalid", "ANTHROPIC_API_KEY": "k",
               "IOS_AGENT_API_MAX_RETRIES": "0"}
        self.check_provider_error("API_NETWORK", "ios-agent.invalid", env=env)

    def test_a_wrong_key(self):
        double = self.double("--fault", "401")
        self.check_provider_error("API_AUTH", "401", "key", env=self.claude(double))

    def test_an_unknown_model(self):
        double = self.double()
        self.check_provider_error("API_NOT_FOUND", "404", "claude-nonsense-9",
                                  env=self.claude(double), args=["--model", "claude-nonsense-9"])

    def test_a_body_that_is_too_large(self):
        double = self.double("--fault", "html413")
        self.check_provider_error("API_TOO_LARGE", "413", env=self.claude(double))

    def test_a_key_over_plain_http_is_refused(self):
        env = {"ANTHROPIC_BASE_URL": "http://example.invalid", "ANTHROPIC_API_KEY": "secret-key"}
        self.check_error(["run", "x"], 2, "CONFIG", "http", env=env)

    def test_a_server_without_a_key_is_not_replaced_by_the_demo_brain(self):
        env = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
        self.check_error(["run", "x"], 3, "KEY_MISSING", "http://127.0.0.1:9", env=env)

    def test_invalid_toml(self):
        path = pathlib.Path(self.folder, "ios-agent.toml")
        path.write_text("[run]\nmodel = \n")
        self.check_error(["run", "x"], 2, "CONFIG", f"{path}:2:")
        path.unlink()

    def test_an_unknown_flag(self):
        self.check_error(["run", "x", "--modle", "y"], 2, "USAGE", "--modle", "--model")

    def test_an_unknown_device(self):
        for name in ("iPhone 15", "walkman:x", "embedded:", "embedded:" + "x" * 200):
            self.check_error(["run", "x", "--device", name], 3, "NO_DEVICE", name, "embedded")
        self.check_error(["run", "x", "--device", "embedded:../up"], 2, "USAGE", "../up")

    def test_an_unreadable_prompt_folder(self):
        missing = os.path.join(self.folder, "nowhere")
        self.check_error(["run", "x"], 2, "CONFIG", missing,
                         env={"IOS_AGENT_PROMPTS_DIR": missing})
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        self.check_error(["run", "x"], 2, "CONFIG", empty, "system.md",
                         env={"IOS_AGENT_PROMPTS_DIR": empty})

    def test_a_database_locked_by_a_running_instance(self):
        path = os.path.join(self.home, "ios-agent.db")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        self.check_error(["run", "x"], 3, "DB_LOCKED", path)
        other.execute("ROLLBACK")
        other.close()
        self.assertEqual(self.runs(), self.kept[0])

    def test_a_database_of_a_newer_program_is_left_as_it_is(self):
        path = os.path.join(self.home, "ios-agent.db")
        other = sqlite3.connect(path, isolation_level=None)
        version = other.execute("PRAGMA user_version").fetchone()[0]
        other.execute("PRAGMA user_version = 9999")
        self.check_error(["run", "x"], 3, "DB_NEWER", path)
        self.assertEqual(other.execute("PRAGMA user_version").fetchone()[0], 9999)
        other.execute(f"PRAGMA user_version = {version}")
        other.close()


class DamagedRows(Case):
    def test_damaged_json_in_a_row_spoils_no_output(self):
        self.assertEqual(self.run_agent("run", ADA).code, 0)
        # The other tests' events must fit their schema; these are damaged on purpose.
        self.addCleanup(shutil.rmtree, self.home)
        other = sqlite3.connect(os.path.join(self.home, "ios-agent.db"), isolation_level=None)
        for name, in other.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            other.execute(f"DROP TRIGGER {name}")
        other.execute("UPDATE runs SET device = '{\"kind\":', result = '[', options = '}'")
        other.execute("UPDATE goals SET expect = '\"', budget = '1}'")
        other.execute("UPDATE events SET json = substr(json, 1, length(json) / 2) WHERE seq % 2 = 0")
        other.execute("UPDATE messages SET content = substr(content, 1, length(content) / 2)")
        other.close()
        row = self.runs()[0]
        self.assertEqual((row["device"], row["expect"], row["budget"]), (None, None, None))
        for args in (["show", row["id"]], ["show", row["id"], "--transcript"]):
            result = self.run_agent(*args, "--json")
            self.assertEqual(result.code, 0, result)
            self.assertIn(None, result.envelope()["result"]["events"])
            self.assertEqual(self.run_agent(*args).code, 0)
        report = self.run_agent("report", row["id"], "--format", "json")
        self.assertIn(report.code, (0, 3), report)
        if report.code == 0:
            json.loads(report.out)


if __name__ == "__main__":
    unittest.main()
