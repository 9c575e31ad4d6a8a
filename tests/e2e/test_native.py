"""The skills native and shortcuts through the real loop: every tool, its bad inputs, permission, kills.

The oracle is the phone: its state, and its log, in which a change stands once, whatever was killed.
"""
import json
import os
import sqlite3
import unittest

from harness import SOURCE, Case, Double

CONFIG = """
[agents.aide]
skills = ["native", "shortcuts"]
"""
GRANTED = ["calendar", "reminders", "contacts", "photos", "media-library", "location"]
RUNNER = "dev.ios-agent.bridge.xctrunner"
EVENT = {"action": "create", "title": "Review", "start": "2025-09-12T14:00"}
# In this order; what the model is then told, or the code of the refusal.
WALK = [
    ("phone_services", {}, '"service":"calendar"'),
    ("calendar", {"action": "read"}, "Stand-up"),
    ("calendar", EVENT, '"id":"8"'),
    ("calendar", {"action": "update", "id": "8", "location": "Room Oslo"}, "Room Oslo"),
    ("calendar", {"action": "delete", "id": "3"}, "Lunch with Grace"),
    ("calendar", {"action": "delete", "id": "3"}, "NOT_FOUND"),
    ("calendar", {"action": "create", "title": "A", "start": "soon"}, "USAGE"),
    ("calendar", {"action": "erase"}, "USAGE"),
    ("reminder", {"action": "add_list", "name": "Trip"}, "Trip"),
    ("reminder", {"action": "create", "title": "Pack", "list": "Trip", "due": "2025-09-19"}, "Pack"),
    ("reminder", {"action": "create", "title": "Pack", "list": "Nowhere"}, "NOT_FOUND"),
    ("reminder", {"action": "read", "list": "trip"}, '"due":"2025-09-19"'),
    ("contact", {"action": "search", "query": "555-0123"}, "Grace"),
    ("contact", {"action": "create", "first": "Ada", "last": "Lovelace"}, "Ada"),
    ("contact", {"action": "create"}, "USAGE"),
    ("photo_search", {"album": "Lisbon", "kind": "video"}, "IMG_0107.MOV"),
    ("photo_search", {"album": 7}, "USAGE"),
    ("health_query", {"type": "steps"}, "FORBIDDEN"),
    ("alert", {"action": "accept"}, "ok"),
    ("health_query", {"type": "steps"}, "2025-09-09"),
    ("home_control", {"action": "list"}, "FORBIDDEN"),
    ("alert", {"action": "accept"}, "ok"),
    ("home_control", {"action": "unlock", "device": "Front Door"}, '"locked":false'),
    ("home_control", {"action": "set", "device": "Front Door", "value": 3}, "USAGE"),
    ("music", {"action": "play", "query": "relay"}, '"playing":true'),
    ("music", {"action": "queue", "query": "polka"}, "NOT_FOUND"),
    ("location", {"action": "search", "query": "coffee"}, "Corner Coffee"),
    ("location", {"action": "reverse", "latitude": 200, "longitude": 0}, "USAGE"),
    ("list_shortcuts", {}, "Count Characters"),
    ("run_shortcut", {"name": "Shout", "input": "half past ten"}, "HALF PAST TEN"),
    ("run_shortcut", {"name": "Nothing"}, "Shortcut Not Found"),
    ("alert", {"action": "accept"}, "ok"),
    ("create_shortcut_url", {"name": "Up", "import": True, "steps": [{"do": "uppercase"}, {"do": "copy"}]}, "Up"),
    ("create_shortcut_url", {"name": "Up", "steps": []}, "USAGE"),
    ("message", {"to": "555-0123", "body": "On my way"}, "it was not sent"),
    ("message", {"to": "Grace", "body": "On my way"}, "USAGE"),
]
# Those that change the phone, as its log has them.
CHANGES = ["calendar.create", "calendar.update", "calendar.delete", "reminder.add_list", "reminder.create",
           "contact.create", "home.control", "music.play"]


AGREES = {"match": {"call": "verifier"},
          "blocks": [{"tool_use": "verdict", "input": {"agrees": True, "reason": "seen"}}]}


def use(name, inputs):
    return {"blocks": [{"tool_use": name, "input": inputs}]}


def finish(quote, match=None):
    done = use("finish", {"verdict": "passed", "summary": "done", "evidence": [{"quote": quote}]})
    return {"match": match, **done} if match else done


# A person of sense: after an unknown outcome they read before they write again.
CAREFUL = [
    AGREES,
    finish("Contacts", {"latest": '"title":"Review"'}),
    {"match": {"latest": "INTERRUPTED"}, **use("calendar", {"action": "read", "query": "review"})},
    {"match": {"tool": "calendar"}, **use("calendar", EVENT)},
    use("calendar", EVENT),
]
# Around the intent, the phone's log, and the result of the call that writes.
POINTS = ["agent.tool.before:1", "embedded.log.before:1", "embedded.log.after:1", "agent.tool.after:1",
          "store.commit.before:4", "store.commit.after:4", "store.commit.before:5", "store.commit.after:5"]


class Native(Case):
    def start(self, script, services=GRANTED):
        user = os.path.join(self.folder, ".config", "ios-agent")
        os.makedirs(user, exist_ok=True)
        with open(os.path.join(user, "config.toml"), "w", encoding="utf-8") as f:
            f.write(CONFIG)
        path = os.path.join(self.folder, "script.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"turns": script}, f)
        double = Double(self, ["--script", path])
        self.addCleanup(double.kill)
        self.environ = {"ANTHROPIC_BASE_URL": double.url, "ANTHROPIC_API_KEY": "sk-test"}
        for service in services:
            done = self.run_agent("privacy", "grant", service, RUNNER, "--device", "embedded")
            self.assertEqual(done.code, 0, done)

    def goal(self, *args, **env):
        return self.run_agent("run", "see to the day", "--agent", "aide", *args, env={**self.environ, **env})

    def results(self):
        """What the model was told of each call, in order."""
        with sqlite3.connect(os.path.join(self.home, "ios-agent.db")) as db:
            rows = db.execute("SELECT content FROM messages WHERE role = 'user' AND purpose = 'act' ORDER BY seq")
            blocks = [b for content, in rows for b in json.loads(content) if b["type"] == "tool_result"]
        return [json.dumps(b["content"], ensure_ascii=False) for b in blocks]

    def changes(self):
        return [op["action"] for op in self.log() if op["op"] == "native"]

    def test_every_tool_goes_through_the_loop(self):
        self.start([AGREES, *(use(*row[:2]) for row in WALK), finish("Messages")])
        r = self.goal("--max-steps", "60")
        self.assertEqual(r.code, 0, r)
        told = self.results()
        self.assertEqual(len(told), len(WALK) + 1)
        for (name, inputs, tells), text in zip(WALK, told):
            self.assertIn(tells.replace('"', '\\"'), text, (name, inputs))
        self.assertEqual(self.changes(), CHANGES)
        state = self.state()
        self.assertEqual([e["title"] for e in state["events"] if e["title"] in ("Review", "Lunch with Grace")],
                         ["Review"])
        self.assertNotIn("On my way", json.dumps(state))  # a draft

    def test_an_agent_without_the_skill_has_no_such_tool(self):
        self.start([AGREES, use("calendar", {"action": "read"}), finish("Contacts")])
        r = self.run_agent("run", "see to the day", env=self.environ)
        self.assertEqual(r.code, 0, r)
        self.assertNotIn("Stand-up", self.results()[0])
        self.assertIn("USAGE", self.results()[0])

    def test_what_the_owner_denies_stays_undone(self):
        self.start([AGREES, use("calendar", EVENT), use("alert", {"action": "dismiss"}),
                    use("calendar", EVENT), finish("Contacts")], services=[])
        r = self.goal()
        self.assertEqual(r.code, 0, r)
        told = self.results()
        self.assertIn("FORBIDDEN", told[0])
        self.assertIn("Would Like Full Access to Your Calendar", told[0])
        self.assertIn("was denied", told[2])
        self.assertEqual(self.changes(), [])

    def test_a_run_that_is_locked_to_an_app_reaches_no_others_data(self):
        self.start([AGREES, use("calendar", EVENT), use("run_shortcut", {"name": "Shout", "input": "a"}),
                    finish("Airplane Mode")])
        r = self.goal("--app", "com.apple.Preferences")
        self.assertEqual(r.code, 0, r)
        self.assertIn("APP_LOCK", self.results()[0])
        self.assertIn("APP_LOCK", self.results()[1])
        self.assertEqual([op["op"] for op in self.log() if op["op"] not in ("privacy", "launch")], [])

    def test_a_kill_between_intent_and_result_loses_and_doubles_nothing(self):
        for point in POINTS:
            with self.subTest(point):
                self.setUp()
                self.start(CAREFUL)
                killed = self.goal(IOS_AGENT_KILL_AT=point, IOS_AGENT_KILL_WITH="KILL")
                self.assertEqual(killed.code, -9, killed)
                self.assertLessEqual(len(self.changes()), 1)
                r = self.run_agent("resume", env=self.environ)
                self.assertEqual(r.code, 0, r)
                self.assertEqual(self.changes(), ["calendar.create"])
                titles = [e["title"] for e in self.state()["events"]]
                self.assertEqual(titles.count("Review"), 1)

    def test_goals_on_the_apps_of_the_phones_data_pass(self):
        r = self.run_agent("sweep", os.path.join(SOURCE, "tests/data/goals/phone.toml"), "--demo", "--json")
        self.assertEqual(r.code, 0, r)
        result = r.envelope()["result"]
        self.assertEqual((result["goals"], result["passed"]), (4, 4))

    def test_over_the_wire_it_is_the_same(self):
        self.start([AGREES, use("calendar", EVENT), use("alert", {"action": "accept"}), use("calendar", EVENT),
                    use("run_shortcut", {"name": "Shout", "input": "hi"}), finish("Shout")], services=[])
        serve = self.start_agent("embedded", "serve", "--name", "wired", "--port", "0", "--token-file", "wired.token")
        address = serve.stdout.readline().split()[0]
        r = self.goal("--device", f"bridge:{address}?token-file=wired.token")
        self.assertEqual(r.code, 0, r)
        told = self.results()
        self.assertIn("Would Like Full Access", told[0])
        self.assertIn("Review", told[2])
        self.assertIn("HI", told[3])
        log = self.log("--device", "embedded:wired")
        self.assertEqual([op["op"] for op in log][:3], ["ask", "tap", "native"])
        self.assertEqual(sum(op["op"] == "native" for op in log), 1)


if __name__ == "__main__":
    unittest.main()
