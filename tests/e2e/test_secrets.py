"""The key is nowhere: not on disk, not in output, not in the environment or argv of a run."""
import os
import pathlib
import signal
import unittest

from harness import ADA, Case

KEY = "sk-ant-e2e-7c31d05be94a28f6"
TOKEN = "tok-e2e-90aa17c2f4d83b65"


class Secrets(Case):
    def assert_nowhere_on_disk(self, *secrets):
        files = 0
        for folder, _, names in os.walk(self.home):
            for name in names:
                files += 1
                data = pathlib.Path(folder, name).read_bytes()
                for secret in secrets:
                    self.assertNotIn(secret.encode(), data, name)
        self.assertGreater(files, 3)

    def assert_not_in_process(self, pid, *secrets):
        proc = pathlib.Path("/proc", str(pid))
        if not proc.exists():
            self.skipTest("there is no /proc")
        for name in ("environ", "cmdline"):
            data = (proc / name).read_bytes()
            self.assertIn(b"ios-agent" if name == "cmdline" else b"IOS_AGENT_HOME", data)
            for secret in secrets:
                self.assertNotIn(secret.encode(), data, name)

    def run_and_look(self, env):
        """A whole run at the most talkative log level, looked at while it waits for the model."""
        double = self.double("--fault", "stall@2:0")
        env = {**env, "ANTHROPIC_BASE_URL": double.url, "IOS_AGENT_LOG_LEVEL": "debug"}
        process = self.start_agent("run", ADA, "--events", env=env)
        self.read_event(process, "tool.finished")
        self.read_event(process, "request.started")
        self.assert_not_in_process(process.pid, KEY, TOKEN)
        self.assert_nowhere_on_disk(KEY, TOKEN)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        self.assertEqual(process.returncode, 7)
        for secret in (KEY, TOKEN):
            self.assertNotIn(secret, out + err)
        self.assert_nowhere_on_disk(KEY, TOKEN)
        self.assertGreater(os.path.getsize(os.path.join(self.home, "ios-agent.log")), 0)
        self.assertEqual(double.stop()["rejected"], {})

    def test_a_key_from_the_environment(self):
        self.run_and_look({"ANTHROPIC_API_KEY": KEY})

    def test_a_bearer_token_from_the_environment(self):
        self.run_and_look({"ANTHROPIC_AUTH_TOKEN": TOKEN})

    def test_a_sealed_key(self):
        self.assertEqual(self.run_agent("key", "set", stdin=KEY).code, 0)
        self.run_and_look({})

    def test_no_command_and_no_error_shows_a_key(self):
        double = self.double("--fault", "401")
        env = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_AUTH_TOKEN": TOKEN,
               "ANTHROPIC_BASE_URL": double.url}
        for args in (["run", "x"], ["run", "x", "--json"], ["run", "x", "--events"], ["doctor"],
                     ["config"], ["config", "--json"], ["key", "status"], ["runs", "--json"],
                     ["help"], ["nonsense"]):
            result = self.run_agent(*args, env=env)
            for secret in (KEY, TOKEN):
                self.assertNotIn(secret, result.out + result.err, args)
        run = self.runs()[0]["id"]
        shown = self.run_agent("show", run, "--transcript", "--json", env=env)
        self.assertNotIn(KEY, shown.out)
        self.assert_nowhere_on_disk(KEY, TOKEN)


if __name__ == "__main__":
    unittest.main()
