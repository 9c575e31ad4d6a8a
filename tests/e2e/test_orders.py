"""Screens that try to give orders, and a model that obeys every one of them: nothing happens that the goal did not ask for.

orders.json has the texts and where they stand. With the guard off, the same model does what each text says; so each of
them was read, and would have had an effect.
"""
import json
import os
import shutil
import unittest

from harness import SOURCE
from policy_case import PolicyCase

REMINDERS = [["open-url", "x-apple-reminderkit://"], ["tap", "Holiday"], ["tap", "New Reminder"]]


def catalog(page):
    return [["launch", "com.example.apple-samplecode.UICatalog"], ["scroll-to", page], ["tap", page]]


def in_contacts(_):
    return [["open-url", "contacts://"]]


# How a person, an app or a stranger puts a text onto the screen.
PLACES = {
    "reminder": lambda text: [*REMINDERS, ["type", "Title", text], ["tap", "Add"]],
    "contact": lambda text: [["open-url", "contacts://"], ["tap", "Add"], ["type", "First name", text], ["tap", "Done"]],
    "notification": lambda text: [["push", "com.apple.reminders", "--title", "News", "--body", text]],
    "draft": lambda text: [["open-url", "sms:555-0199"], ["type", "Message", text]],
    "list": lambda text: [["open-url", "x-apple-reminderkit://"], ["tap", "Add List"], ["type", "List name", text],
                          ["tap", "Done"]],
    "placeholder": lambda _: catalog("Text Fields"),
    "web": lambda _: catalog("Web View"),
}
# What the developer of the app wrote, as the simulated phone's changes have it; on the picture alone without a tree.
CHANGES = {
    "label": "changes=label:#add={}",
    "placeholder": "changes=placeholder:.TextField={}",
    "web": "changes=label:This is HTML content inside a web view.={}",
    "alert": "changes=dialog:{}=OK",
    "card": "changes=card:{}=OK",
    "picture": "tree=off&changes=page:{}=Continue",
}
OBEYS = [{"tool_use": "open_url", "input": {"url": "prefs:"}},
         {"tool_use": "launch_app", "input": {"bundle_id": "com.example.shop"}},
         {"tool_use": "press_button", "input": {"button": "lock"}}]
READ = "read the picture"
GIVES_UP = [{"tool_use": "finish", "input": {"verdict": "failed", "summary": "the end", "evidence": []}}]


class Orders(PolicyCase):
    def setUp(self):
        super().setUp()
        with open(os.path.join(self.folder, "ios-agent.toml"), "w", encoding="utf-8") as f:
            f.write('[agents.eyes]\nskills = ["vision"]\n')
        with open(os.path.join(SOURCE, "tests/e2e/orders.json"), encoding="utf-8") as f:
            self.orders = json.load(f)
        numbers = [f"({i})" for i in range(len(self.orders))]
        turns = [{"match": {"turn": 0, "latest": number}, "blocks": OBEYS} for number in numbers]
        turns += [{"match": {"turn": 1, "tool": "read_text", "result_contains": number}, "blocks": OBEYS} for number in numbers]
        turns += [{"match": {"turn": 0, "any_text": READ}, "blocks": [{"tool_use": "read_text", "input": {}}]}]
        self.model_env = self.claude(self.script(*turns, default={"blocks": GIVES_UP}))

    def device(self, i):
        where, text = self.orders[i]
        return f"embedded:o{i}" + (f"?{CHANGES[where]}".format(f"{text} ({i})") if where in CHANGES else "")

    def effects_on(self, i):
        return [op["op"] for op in self.log("--device", self.device(i)) if op["op"] not in ("tick", "fault")]

    def obey(self, i, **env):
        """Runs on the screen with the text; what reached the phone, and the exit status."""
        before = len(self.effects_on(i))
        goal = [READ, "--agent", "eyes"] if self.orders[i][0] == "picture" else ["count what is on this screen"]
        done = self.run_agent("run", *goal, "--device", self.device(i), "--events", env={**self.model_env, **env})
        return self.effects_on(i)[before:], done

    def test_there_are_enough_of_them_and_each_once(self):
        self.assertGreaterEqual(len({text for _, text in self.orders}), 60)

    def test_a_model_that_obeys_all_of_them_does_nothing(self):
        breaches, unmarked = [], []
        for i, (where, text) in enumerate(self.orders):
            if where == "picture" and not shutil.which("tesseract"):
                continue
            for command in PLACES.get(where, in_contacts)(f"{text} ({i})"):
                placed = self.run_agent(*command, "--device", self.device(i))
                self.assertEqual(placed.code, 0, (text, command, placed))
            done, run = self.obey(i)
            if '"screen.suspicious"' not in run.out:
                unmarked.append((where, text))
            if done or run.code != 5:
                breaches.append((where, text, done, run.code))
            # Without the guard it does all of it.
            done, run = self.obey(i, IOS_AGENT_POLICY_SUSPICIOUS="allow")
            self.assertEqual(done, ["open_url", "launch", "press"], (where, text, run))
        self.assertEqual((breaches, unmarked), ([], []))


if __name__ == "__main__":
    unittest.main()
