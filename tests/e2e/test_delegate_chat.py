"""Two phones that chat with each other for one goal, and whose processes are killed: each message arrives exactly once.

The customer asks where the order is, the courier answers, and neither can pass without what the other sent. The oracle is
what each phone says of its conversations.
"""
import collections
import concurrent.futures
import json
import os
import random
import subprocess
import unittest

from delegate_case import AGREES, DelegateCase, finish, says, write_config
from harness import Case, TIMEOUT_S
from test_crash import FULL, Matrix, World, check_events, check_transcript, kill_points, need
from test_kills import SEED, STOPS

PHONES = {name: f"embedded:{name}?link=courier,customer" for name in ("courier", "customer")}
ASKS, ANSWERS = "Where is my order?", "At the corner of Mill Lane"
CONFIG = f"""
[policy]
send = "allow"
suspicious = "allow"
[run]
delegate_devices = "{' '.join(PHONES.values())}"
[agents.lead]
role = "lead of a delivery"
max_steps = 300
may_call = ["courier", "customer"]
[agents.courier]
role = "courier who answers"
max_steps = 30
[agents.customer]
role = "customer who asks"
max_steps = 30
"""
GOAL = "the customer learns from the courier where the order is"
RUN = ["run", GOAL, "--agent", "lead", "--device", "embedded:lead"]


def tool(name, **arguments):
    return [{"tool_use": name, "input": arguments}]


def writer(role, chat, text, rest):
    """Turns of one who writes to somebody: each follows from what the last screen shows, so that a resumed run goes on where it was."""
    return [
        *rest,
        says(role, tool("tap", ref='$ref(button "Send")'), result_contains="button Send"),
        says(role, tool("type_text", ref='$ref(field "Message")', text=text), result_contains="button:disabled Send"),
        *chat,
        says(role, tool("snapshot"), result_contains="nothing changed"),
        says(role, tool("launch_app", bundle_id="com.apple.MobileSMS")),
    ]


def delegate(name, goal, expect):
    return {"tool_use": "delegate", "input": {"agent": name, "device": PHONES[name], "goal": goal, "expect": [expect]}}


WAITS = tool("wait_for", until="text", text=ANSWERS, seconds=60)
SCRIPT = [
    AGREES,
    *writer("customer who asks", [
        says("customer who asks", tool("tap", ref='$ref(row "Courier")'), result_contains="row Courier = 555-"),
        says("customer who asks", tool("type_text", ref='$ref(field "To")', text="Courier"), result_contains="field:focused To"),
        says("customer who asks", tool("tap", ref='$ref(button "New Message")'), result_contains="button New Message"),
    ], ASKS, [
        says("customer who asks", [finish(quote=ANSWERS)], result_contains=ANSWERS),
        says("customer who asks", WAITS, result_contains=f"row {ASKS}"),
    ]),
    *writer("courier who answers", [
        says("courier who answers", tool("tap", ref=f'$ref(row "Customer, {ASKS}")'), result_contains=f"row Customer, {ASKS}"),
        says("courier who answers", tool("wait_for", until="text", text=ASKS, seconds=60), result_contains="button New Message"),
    ], ANSWERS, [
        says("courier who answers", [finish(quote=ANSWERS)], result_contains=f"row {ANSWERS}"),
    ]),
    says("lead of a delivery", [finish(quote=ANSWERS, step=1)], any_text="subtask 2: passed"),
    says("lead of a delivery", [delegate("customer", "ask the courier where the order is", f'visible "{ANSWERS}"'),
                                delegate("courier", "answer the customer", f'visible "{ANSWERS}"')]),
]


def chats(state, name):
    """What was said with the other phone: (mine, text)."""
    other = "Courier" if name == "customer" else "Customer"
    return [(m["mine"], m["text"]) for c in state["messages"] if c["with"] == other for m in c["messages"]]


SAID = {"customer": [(True, ASKS), (False, ANSWERS)], "courier": [(False, ASKS), (True, ANSWERS)]}


class Chat(DelegateCase):
    def said(self, name):
        result = self.run_agent("embedded", "state", "--device", PHONES[name], "--json")
        self.assertEqual(result.code, 0, result)
        return chats(result.envelope()["result"], name)

    def test_a_customer_and_a_courier_chat_for_one_goal(self):
        self.start(SCRIPT, CONFIG)
        result = self.agent(*RUN)
        self.assertEqual(result.code, 0, result)
        self.assertEqual({name: self.said(name) for name in SAID}, SAID)
        self.assertEqual(self.states(), ["passed"] * 3)
        tree = self.agent("show", self.parent(), "--tree")
        self.assertEqual(tree.code, 0, tree)
        for part in ("ask the courier where the order is", "answer the customer", "passed"):
            self.assertIn(part, tree.out)
        for form, check in (("json", self.check_json), ("html", self.check_html)):
            path = os.path.join(self.folder, "report." + form)
            report = self.agent("report", self.parent(), "--format", form, "--out", path)
            self.assertEqual(report.code, 0, report)
            with open(path, encoding="utf-8") as f:
                check(f.read())

    def check_json(self, text):
        top, = json.loads(text)["goals"][0]["runs"]
        self.assertEqual([(s["number"], s["state"], s["lane"], s["parent"]) for s in top["subtasks"]],
                         [(1, "passed", "embedded:customer", top["id"]), (2, "passed", "embedded:courier", top["id"])])

    def check_html(self, text):
        below = text.split('<ol class="subtasks">', 1)[1].split("</ol>", 1)[0]
        for part in ("ask the courier where the order is", "answer the customer", "embedded:customer", "embedded:courier"):
            self.assertIn(part, below)


class ChatMatrix(Matrix):
    """Trials whose oracle is what was said."""

    def world(self):
        world = World(self.url)
        write_config(world.folder, CONFIG)
        return world

    def baseline(self):
        world = self.world()
        code, out, err = world.call(*self.command)
        assert code == 0, (code, out, err)
        self.check(world, 0)
        world.remove()

    def check(self, world, said):
        rows = world.rows("SELECT state, id FROM runs ORDER BY rowid")
        need([r[0] for r in rows] == ["passed"] * 3, "runs", rows)
        for _, run in rows:
            check_events(world, run)
            check_transcript(world, run)
        for name, expected in SAID.items():
            said = chats(world.result("embedded", "state", "--device", PHONES[name]), name)
            want, have = collections.Counter(expected), collections.Counter(said)
            with self.lock:
                self.lost += sum((want - have).values())
                self.doubled += sum((have - want).values())
            need(said == expected, name, said)

    def to_the_end(self, world):
        if self.recorded(world):
            self.resume(world)
        else:
            code, out, err = world.call(*self.command)
            need(code == 0, "run", code, out, err)

    def random(self, n):
        """Kills the run, and what resumes it, after a while each time."""
        rand = random.Random(SEED * 7919 + n)
        world = self.world()
        try:
            for _ in range(rand.choice((1, 2, 3))):
                process = world.start(*(["resume"] if self.recorded(world) else self.command))
                try:
                    process.communicate(timeout=rand.random() * 1.2)
                except subprocess.TimeoutExpired:
                    with self.lock:
                        self.killed += 1
                    process.kill()
                    process.communicate()
                if self.over(world):
                    break
            if not self.over(world):
                self.to_the_end(world)
            self.check(world, 0)
        except Exception as e:  # pylint: disable=broad-except
            with self.lock:
                self.wrong.append(f"trial {n}: {e!r}")
        finally:
            world.remove()

    def over(self, world):
        return self.recorded(world) and not world.rows("SELECT 1 FROM runs WHERE state != 'passed'")


class ChatKills(Case):
    def matrix(self):
        path = os.path.join(self.folder, "script.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"turns": SCRIPT}, f)
        return ChatMatrix(self.double("--script", path).url, RUN)

    def finish(self, matrix, title):
        print(f"{title}: {matrix.killed} kills, lost={matrix.lost}, doubled={matrix.doubled}, wrong={len(matrix.wrong)}")
        self.assertEqual(matrix.wrong, [])
        self.assertEqual((matrix.lost, matrix.doubled), (0, 0))
        self.assertGreater(matrix.killed, 0)

    def test_a_chat_killed_at_any_named_point_of_the_phones_loses_and_doubles_no_message(self):
        matrix = self.matrix()
        points = [p for p in kill_points() if FULL or p.startswith(("embedded.", "agent.tool.", "agent.delegate."))]
        self.assertIn("embedded.mail.before", points)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(matrix.passes, matrix.one, p, 1 if FULL or ".mail." in p or ".delegate." in p else 4)
                    for p in points]
            for job in jobs:
                job.result()
        self.finish(matrix, "a chat, killed at named points")

    def test_a_chat_killed_at_random_moments_loses_and_doubles_no_message(self):
        matrix = self.matrix()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(matrix.random, range(STOPS // 2)))
        self.finish(matrix, "a chat, killed at random moments")


if __name__ == "__main__":
    unittest.main()
