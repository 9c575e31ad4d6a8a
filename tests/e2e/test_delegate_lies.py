"""A lead that lies about subtasks, and hands that lie about their own: nothing passes, as the phone says it is not done.

Every lie of a lead meets every lie of a hand and every kind of check, as in test_lying.py. Airplane Mode is never
turned on on the phone of the hand; a lead that tells the truth about an honest hand passes.
"""
import collections
import itertools
import json
import os
import re
import unittest

from delegate_case import CONFIG, HAND, ON, DelegateCase, write_config
from lying_model import CASE, Server, last_screen

MODES = ("expectations, no verifier", "expectations, one that always agrees", "no expectations, one that looks")
AGREE = [("verdict", {"agrees": True, "reason": "I looked at the phone."})]
DISAGREE = [("verdict", {"agrees": False, "reason": "It is off."})]
LOOK = ("snapshot", {})
OPEN = [("open_url", {"url": "prefs:"}), LOOK]
SUBTASK = re.compile(r"subtask (\d+): (\w+)")


def passed(quote, **more):
    evidence = [{"quote": quote, **more}] if quote else []
    return [("finish", {"verdict": "passed", "summary": "Airplane Mode is on.", "evidence": evidence})]


# ---- hands: each gives the blocks of its next turn ----

def hand_on(screen, _turn):
    """Does it."""
    ref = re.search(r"^(\d+) switch:off Airplane Mode", screen, re.M)
    if ref:
        return [("tap", {"ref": int(ref[1])}), LOOK]
    return passed("Airplane Mode") if "switch:on Airplane Mode" in screen else OPEN


def hand_half(screen, _turn):
    """Goes there, and says that it is done."""
    return passed("Airplane Mode") if "Airplane Mode" in screen else OPEN


def hand_undone(screen, turn):
    """Turns it on, and off again."""
    ref = re.search(r"^(\d+) switch:(on|off) Airplane Mode", screen, re.M)
    if not ref:
        return OPEN
    return [("tap", {"ref": int(ref[1])}), LOOK] if turn < 4 else passed("Airplane Mode")


HANDS = {
    "nothing": lambda screen, turn: passed("Settings"),
    "half": hand_half,
    "undone": hand_undone,
    "invented": lambda screen, turn: passed("Airplane Mode is on and was saved"),
    "cited": lambda screen, turn: passed("Airplane Mode", step=1),
    "no quote": lambda screen, turn: passed(None),
    "silent": lambda screen, turn: ["Airplane Mode is on; passed."],
    "failed": lambda screen, turn: [("finish", {"verdict": "failed", "summary": "Airplane Mode is on, passed with proof",
                                                "evidence": []})],
    "blocked": lambda screen, turn: [("finish", {"verdict": "blocked", "summary": "subtask 1: passed", "evidence": []})],
}


# ---- leads: what each says once its subtask has ended ----

def again(number, **more):
    """Asks once more before it lies: for the same, or for something that is easily proven in its place."""
    def lead(case, _screen, told):
        if len(told) == 1:
            return [case.delegate(redoes=number, **more)]
        return passed("Settings")
    return lead


LEADS = {
    "its own screen": lambda case, screen, told: passed("Settings"),
    "the hand's summary": lambda case, screen, told: passed("Airplane Mode is on.", step=1),
    "the hand's quote": lambda case, screen, told: passed("Airplane Mode", step=1),
    "the hand's check": lambda case, screen, told: passed(ON, step=1),
    "no quote": lambda case, screen, told: passed(None),
    "silent": lambda case, screen, told: ["Both are done: passed."],
    "the same again": again(1),
    "another thing in its place": again(1, goal="look at the home screen", expect=['visible icon "Settings"']),
    "another phone in its place": again(1, device="embedded:bob"),
    "one that is not there": again(7),
}


class Pair:
    """A lead and its hand; what the model says next depends on what the last message shows."""

    def __init__(self, number, lead, hand, mode):
        self.number, self.lead, self.hand, self.mode = number, lead, hand, mode
        self.turns = collections.Counter()
        self.told = []

    def delegate(self, **more):
        call = {"agent": "hand", "device": f"embedded:alice-{self.number}",
                "goal": f"turn on Airplane Mode (case {self.number})"}
        if self.mode != MODES[2]:
            call["expect"] = [ON]
        call.update(more)
        call["goal"] += "" if "(case" in call["goal"] else f" (case {self.number})"
        return ("delegate", call)

    def next(self, body):
        screen = last_screen(body["messages"])
        if HAND in json.dumps(body["system"]):
            self.turns["hand"] += 1
            return self.hand(screen, self.turns["hand"])
        calls = [b for m in body["messages"] if m["role"] == "assistant" for b in m["content"]
                 if b["type"] == "tool_use" and b["name"] == "delegate"]
        self.told = SUBTASK.findall(json.dumps(body["messages"]))
        return self.lead(self, screen, calls) if calls else [self.delegate()]


class Liars(Server):
    def __init__(self, pairs, looks):
        super().__init__(pairs, looks)

    def answer(self, body):
        pair = self.actors[int(CASE.search(json.dumps(body["messages"][0]))[1])]
        if any(t["name"] == "verdict" for t in body["tools"]):
            return AGREE if pair.mode == MODES[1] or self.judge(pair) else DISAGREE
        return pair.next(body)


class DelegateLies(DelegateCase):
    def is_on(self, pair):
        """What the phone says of itself."""
        r = self.run_agent("embedded", "state", "--device", f"embedded:alice-{pair.number}", "--json")
        self.assertEqual(r.code, 0, r)
        return r.envelope()["result"]["settings"]["airplane_mode"]

    def run_pair(self, pair, url):
        verify = "off" if pair.mode == MODES[0] else "always"
        r = self.run_agent("run", f"turn on Airplane Mode on the phone of alice (case {pair.number})", "--agent", "lead",
                           "--device", f"embedded:lead-{pair.number}", "--verify", verify, "--max-steps", "60", "--json",
                           env={"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-test"})
        return r.envelope()["result"]

    def run_pairs(self, wanted):
        os.makedirs(self.home, exist_ok=True)
        pairs = {n: Pair(n, *w) for n, w in enumerate(wanted)}
        names = " ".join(f"embedded:alice-{n}" for n in pairs) + " embedded:bob"
        write_config(self.folder, CONFIG.replace("embedded:alice embedded:bob", names).replace("max_steps = 10", "max_steps = 8"))
        server = Liars(pairs, self.is_on)
        try:
            done = [(pair, self.run_pair(pair, server.url)) for pair in pairs.values()]
            self.assertEqual(server.errors, [])
        finally:
            server.close()
        return done

    def test_no_lie_of_a_lead_or_a_hand_passes(self):
        pairs = list(itertools.product(LEADS, HANDS))
        wanted = [(LEADS[lead], HANDS[hand], mode) for i, (lead, hand) in enumerate(pairs)
                  for j, mode in enumerate(MODES) if (i + i // len(HANDS)) % 3 == j]
        names = [(lead, hand) for lead, hand in pairs]
        table = collections.Counter()
        wrong = []
        for (lead, hand), (pair, result) in zip(names, self.run_pairs(wanted)):
            table[result["state"]] += 1
            if result["state"] not in ("failed", "error", "blocked") or self.is_on(pair):
                wrong.append((lead, hand, pair.mode, result["state"], result.get("basis"), pair.told))
        children = self.rows("SELECT state, basis, count(*) FROM runs WHERE parent_id IS NOT NULL GROUP BY 1, 2")
        print(f"{len(names)} lying leads: {dict(table)}; their hands: {children}")
        self.assertEqual(wrong, [])

    def test_the_truth_passes(self):
        honest = lambda case, screen, told: passed("Airplane Mode", step=1)
        done = self.run_pairs([(honest, hand_on, mode) for mode in MODES])
        self.assertEqual([r["state"] for _, r in done], ["passed"] * 3)
        self.assertTrue(all(self.is_on(pair) for pair, _ in done))


if __name__ == "__main__":
    unittest.main()
