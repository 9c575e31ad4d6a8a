"""What a project's file makes stricter holds for the runs that were made there, whoever does them, and loosens nothing."""
import json
import os
import signal
import unittest

from delegate_case import SCRIPT, DelegateCase
from harness import TIMEOUT_S
from policy_case import PolicyCase

OPEN_SHOP = ("open_url", {"url": "shop://"})


class Project(PolicyCase):
    def project(self, *lines):
        with open(os.path.join(self.folder, "ios-agent.toml"), "w", encoding="utf-8") as f:
            f.write("\n".join(["[policy]", *lines]))

    def leave(self):
        os.remove(os.path.join(self.folder, "ios-agent.toml"))

    def by_daemon(self, env):
        """Makes a schedule here, leaves the project, and has the daemon do it; the run's row."""
        added = self.run_agent("schedule", "add", "--name", "n", "--cron", "0 3 * * *", "--device", "embedded:default",
                               "count the rows", env=env)
        self.assertEqual(added.code, 0, added)
        self.leave()
        daemon = self.start_agent("daemon", env=env)
        ran = json.loads(self.run_agent("schedule", "run-now", "n", "--json", env=env).out)["result"]["run"]
        said = next(line for line in daemon.stdout if " blocked: " in line or " failed: " in line)
        daemon.send_signal(signal.SIGTERM)
        daemon.communicate(timeout=TIMEOUT_S)
        self.assertIn(ran, said)
        return json.loads(self.run_agent("show", ran, "--json", env=env).out)["result"]["run"]

    def test_the_daemon_asks_what_the_project_asks(self):
        self.project('external_links = "ask"')
        env = self.model(OPEN_SHOP)
        self.assertEqual(self.by_daemon(env)["state"], "blocked")
        self.assertEqual(self.effects(), [])
        self.assertEqual([q["rule"] for q in self.questions(env)], ["external_links"])

    def test_without_the_projects_line_the_daemon_just_does_it(self):
        self.project('buy = "ask"')
        self.assertEqual(self.by_daemon(self.model(OPEN_SHOP))["state"], "failed")
        self.assertEqual([op["op"] for op in self.effects()], ["open_url"])

    def test_what_goes_on_elsewhere_is_asked_as_before(self):
        self.project('external_links = "ask"')
        env = self.model(OPEN_SHOP, ("press_button", {"button": "home"}), OPEN_SHOP)
        q = self.ask(env)
        self.leave()
        self.assertEqual(self.run_agent("approve", q["id"], env=env).code, 0)
        self.assertEqual(self.run_agent("resume", q["run"], env=env).code, 5)
        self.assertEqual([op["op"] for op in self.effects()], ["open_url", "press"])

    def test_a_project_loosens_nothing_of_the_user(self):
        user = os.path.join(self.folder, ".config", "ios-agent")
        os.makedirs(user)
        with open(os.path.join(user, "config.toml"), "w", encoding="utf-8") as f:
            f.write('[policy]\nexternal_links = "deny"\n')
        for word in ("allow", "ask"):
            with self.subTest(word):
                self.project(f'external_links = "{word}"')
                self.assertEqual(self.run_agent("run", "x", env=self.model(OPEN_SHOP)).code, 1)
                self.assertEqual(self.effects(), [])
                self.assertEqual(self.questions(None, "--all"), [])


class Subtasks(DelegateCase):
    def test_they_are_as_strict_as_their_parent(self):
        self.start(SCRIPT)
        project = os.path.join(self.folder, "ios-agent.toml")
        with open(project, "w", encoding="utf-8") as f:
            f.write('[policy]\nexternal_links = "ask"\n')
        self.assertEqual(self.goal().code, 5)
        self.assertEqual(self.states(), ["queued", "blocked", "blocked"])
        os.remove(project)
        for run, in self.rows("SELECT id FROM runs WHERE parent_id IS NOT NULL"):
            self.assertEqual(self.agent("deny", run).code, 0)
        for options, in self.rows("SELECT options FROM runs WHERE parent_id IS NOT NULL"):
            self.assertIn('"policy":{"external_links":"ask"}', options)


if __name__ == "__main__":
    unittest.main()
