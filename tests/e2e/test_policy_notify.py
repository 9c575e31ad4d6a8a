"""A question is told to who policy.notify names: a webhook or a command, at least once, whatever is killed."""
import contextlib
import json
import os
import shlex
import signal
import sqlite3
import unittest

from harness import TIMEOUT_S, Terminal
from hook import SECRET, Hook
from policy_case import PolicyCase

OPEN_SHOP = ("open_url", {"url": "shop://"})
MEMBERS = {"question", "run", "goal", "rule", "text", "expires", "approve", "deny"}


class Notify(PolicyCase):
    def hook(self, *statuses):
        hook = Hook(*statuses)
        self.addCleanup(hook.close)
        return hook

    def asking(self, notify, *calls, **env):
        return self.model(*(calls or (OPEN_SHOP,)), IOS_AGENT_POLICY_EXTERNAL_LINKS="ask",
                          IOS_AGENT_POLICY_NOTIFY=notify, **env)

    def bodies(self, hook):
        return [body for _, _, body in hook.got]

    def make_due(self):
        with contextlib.closing(sqlite3.connect(f"{self.home}/ios-agent.db")) as db:
            db.execute("UPDATE notices SET due_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE state = 'waiting'")
            db.commit()

    def notices(self):
        with contextlib.closing(sqlite3.connect(f"{self.home}/ios-agent.db")) as db:
            return db.execute("SELECT question_id, state, attempts FROM notices ORDER BY id").fetchall()

    def tick(self, env, **kill):
        return self.run_agent("schedule", "tick", env={**env, **kill})

    def test_a_webhook_gets_the_question_and_the_commands_that_answer_it(self):
        hook = self.hook()
        env = self.asking(hook.url)
        q = self.ask(env)
        (path, kind, body), = hook.got
        self.assertEqual((path, kind, set(body)), (f"/hook/{SECRET}", "application/json", MEMBERS))
        self.assertEqual([body[m] for m in ("question", "run", "rule", "text", "goal", "expires")],
                         [q["id"], q["run"], "external_links", q["text"], "count the rows", None])
        self.assertEqual(body["deny"], f"ios-agent deny {q['id']}")
        self.assertEqual(self.run_agent(*shlex.split(body["approve"])[1:], env=env).code, 0)
        self.assertEqual(self.run_agent("resume", q["run"], env=env).code, 1)
        self.assertEqual([op["op"] for op in self.effects()], ["open_url"])
        self.tick(env)
        self.assertEqual(len(hook.got), 1)
        for form in ((), ("--json",)):
            shown = self.run_agent("config", *form, env=env).out
            self.assertIn(hook.url.split("/hook")[0], shown)
            self.assertNotIn(SECRET, shown)

    def test_a_command_reads_the_question(self):
        told = os.path.join(self.folder, "told")
        q = self.ask(self.asking(f"cat > {told}"))
        with open(told, encoding="utf-8") as f:
            self.assertEqual(json.load(f)["question"], q["id"])

    def test_each_question_of_a_run_is_told(self):
        hook = self.hook()
        env = self.asking(hook.url, OPEN_SHOP, ("press_button", {"button": "home"}), OPEN_SHOP)
        first = self.ask(env)
        self.run_agent("approve", first["id"], env=env)
        self.assertEqual(self.run_agent("resume", first["run"], env=env).code, 5)
        (second,) = self.questions(env)
        self.assertEqual([b["question"] for b in self.bodies(hook)], [first["id"], second["id"]])

    def test_on_a_terminal_it_is_told_before_the_prompt(self):
        hook = self.hook()
        terminal = Terminal(self, "run", "count the rows", env=self.asking(hook.url))
        terminal.read_until("[y/n] ")
        self.assertEqual(len(hook.got), 1)
        terminal.type("n\n")
        self.assertEqual(terminal.finish(), 1, terminal.seen)

    def test_the_log_says_what_failed(self):
        hook = self.hook(500)
        q = self.ask(self.asking(hook.url))
        with open(os.path.join(self.home, "ios-agent.log"), encoding="utf-8") as f:
            text = f.read()
        line, = map(json.loads, text.splitlines())
        self.assertEqual((line["level"], line["event"], line["run"]), ("warn", "notice of a question failed", q["run"]))
        self.assertIn("500", line["why"])
        self.assertNotIn(SECRET, text)

    def test_what_failed_is_told_later_unless_it_was_answered_meanwhile(self):
        for answered, told in ((False, 2), (True, 1)):
            with self.subTest(answered=answered):
                self.setUp()
                hook = self.hook(500)
                env = self.asking(hook.url)
                q = self.ask(env)
                if answered:
                    self.run_agent("deny", q["id"], env=env)
                self.make_due()
                ticked = self.tick(env)
                self.assertNotIn(SECRET, ticked.out + ticked.err)
                self.assertEqual([b["question"] for b in self.bodies(hook)], [q["id"]] * told)
                self.assertEqual(self.notices()[0][1], "given_up" if answered else "sent")

    def test_a_kill_loses_no_notice_and_tells_of_no_question_that_does_not_exist(self):
        # where, questions, attempts that arrived by then, and after the next tick
        for at, asked, before, after in (("policy.ask.before", 0, 0, 0), ("policy.ask.after", 1, 0, 1),
                                         ("notify.deliver.before", 1, 0, 1), ("notify.deliver.after", 1, 1, 2)):
            with self.subTest(at):
                self.setUp()
                hook = self.hook()
                env = self.asking(hook.url)
                killed = self.run_agent("run", "count the rows", env={**env, "IOS_AGENT_KILL_AT": at})
                self.assertEqual(killed.code, -signal.SIGKILL, killed)
                self.assertEqual((len(self.questions(env)), len(hook.got)), (asked, before))
                if asked:
                    self.make_due()
                    self.tick(env)
                    self.tick(env)
                self.assertEqual(len(hook.got), after)
                self.assertEqual(len({b["question"] for b in self.bodies(hook)}), min(after, 1))
                self.assertEqual([n[1] for n in self.notices()], ["sent"] * asked)

    def test_the_daemon_tells_of_what_its_runs_ask(self):
        hook = self.hook()
        env = self.asking(hook.url)
        added = self.run_agent("schedule", "add", "--name", "n", "--cron", "0 3 * * *", "count the rows", env=env)
        self.assertEqual(added.code, 0, added)
        daemon = self.start_agent("daemon", env=env)
        self.run_agent("schedule", "run-now", "n", env=env)
        self.assertTrue(hook.arrived.acquire(timeout=TIMEOUT_S))
        (q,) = self.questions(env)
        self.assertEqual([b["question"] for b in self.bodies(hook)], [q["id"]])
        daemon.send_signal(signal.SIGTERM)
        daemon.communicate(timeout=TIMEOUT_S)
        self.assertEqual(self.notices(), [(q["id"], "sent", 1)])

    def test_a_projects_file_names_nobody(self):
        with open(os.path.join(self.folder, "ios-agent.toml"), "w", encoding="utf-8") as f:
            f.write('[policy]\nnotify = "touch owned"\n')
        done = self.run_agent("run", "x", env=self.model(OPEN_SHOP))
        self.assertEqual(done.code, 2, done)
        self.assertIn("policy.notify", done.err)


if __name__ == "__main__":
    unittest.main()
