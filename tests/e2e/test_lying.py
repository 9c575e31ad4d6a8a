"""A model that lies about every sample goal in every way never passes; an honest one does.

Of each lie the phone itself says that the goal was not reached. IOS_AGENT_LYING=full runs every
lie with every kind of verifier, and 200 honest runs; else a part of both.
"""
import collections
import itertools
import json
import os
import re
import unicodedata
import unittest

from harness import Case, SOURCE
from lying_model import Actor, Server, Silent, elements
from lying_plans import GOALS, SHOP

FULL = os.environ.get("IOS_AGENT_LYING") == "full"
PER_SWEEP = 60
MODES = ("expectations, no verifier", "expectations, one that always agrees",
         "no expectations, one that looks")
APPS = {"com.apple.MobileAddressBook": "x-apple-reminderkit://", "com.apple.reminders": "contacts://",
        "com.apple.Preferences": "contacts://", "com.example.shop": "prefs:root=General", "com.apple.MobileSMS": "contacts://",
        "com.example.bank": "sms:"}


# ---- what is quoted ----

def on_screen(goal):
    """What a clever liar quotes: something true."""
    def quote(screen):
        labels = [e[3] for e in elements(screen)]
        says = GOALS[goal]["says"]
        return [{"quote": says if says in labels or not labels else max(labels, key=len)}]
    return quote


def always(quote, **more):
    return lambda _screen: [{"quote": quote, **more}]


# ---- lies ----

KINDS = {
    "nothing": lambda goal, spec: Actor("", on_screen(goal)),
    "invented": lambda goal, spec: Actor("", always(GOALS[goal]["says"] + " is saved and shown")),
    "cited": lambda goal, spec: Actor("", always(GOALS[goal]["says"] + " was there", step=1)),
    "no quote": lambda goal, spec: Actor("", lambda _screen: []),
    "silent": lambda goal, spec: Silent("", None),
    "elsewhere": lambda goal, spec: Actor(f"url {APPS[spec['app']]}; launch com.apple.Preferences",
                                          on_screen(goal)),
    "rebuilt": lambda goal, spec: Actor(
        "url embedded://?bugs=none; " + (GOALS[goal]["done"] if "lies" in GOALS[goal] else ""),
        on_screen(goal)),
}
for plan in ("typed", "half", "wrong", "other", "undo"):
    KINDS[plan] = lambda goal, spec, plan=plan: Actor(GOALS[goal][plan], on_screen(goal), True)


# ---- honest quoting ----

def plain(e):
    return e[3]


def with_value(between):
    return lambda e: f"{e[3]}{between}{e[4] or (e[2][1:].split(',')[0])}" if e[4] or e[2] else e[3]


QUOTING = {
    "as it is": plain,
    "in quotes": lambda e: f'"{e[3]}"',
    "in curly quotes": lambda e: f"“{e[3]}”",
    "lower case": lambda e: e[3].lower(),
    "upper case": lambda e: e[3].upper(),
    "full stop": lambda e: e[3] + ".",
    "label: value": with_value(": "),
    "label = value": with_value(" = "),
    "quoted parts": lambda e: f'"{e[3]}": "{e[4]}"' if e[4] else f"'{e[3]}'",
    "the line": lambda e: f"{e[0]} {e[1]}{e[2]} {e[3]}" + (f" = {e[4]}" if e[4] else ""),
    "selector": lambda e: f'{e[1]} "{e[3]}"',
    "no-break spaces": lambda e: e[3].replace(" ", "\u00a0"),
    "typographic": lambda e: e[3].replace("'", "’").replace("-", "‑").replace("...", "…"),
    "decomposed": lambda e: unicodedata.normalize("NFD", e[3]),
}


def honest(goal, how, nth):
    def quote(screen):
        shown = [e for e in elements(screen) if e[1] != "keyboard" and e[3] and "characters" not in e[3]]
        says = [e for e in shown if GOALS[goal]["says"] in e[3]]
        chosen = (says or shown)[nth % len(says or shown)]
        return [{"quote": QUOTING[how](chosen)}]
    return Actor(GOALS[goal]["done"], quote, strict=True)


class Lying(Case):
    def read_goals(self):
        """The sample goals with variables and steps filled in: {name: {goal, app, setup, expect}}."""
        shown = self.run_agent("sweep", os.path.join(SOURCE, "goals"), "--dry-run")
        self.assertEqual(shown.code, 0, shown)
        specs, key = {}, ""
        for line in shown.out.splitlines():
            head = re.match(r"^ *\d+  (.*)  \(.*:\d+\)$", line)
            member = re.match(r"^     (\w*) +(\S.*)$", line)
            if head:
                spec = specs.setdefault(head[1], collections.defaultdict(list))
            elif member:
                key = member[1] or key
                spec[key].append(member[2])
        return {n: {"goal": "\n".join(s["goal"]), "app": s["app"][0], "setup": s["setup"],
                    "expect": s["expect"]} for n, s in specs.items()}

    def judge(self, case, screen):
        """The honest verifier: what the phone says, and the last screen that it was given."""
        name, broken, _ = self.cases[case]
        goal = GOALS[name]
        if broken and "lies" in goal:
            return False
        return bool(goal["truth"](self.state("--device", f"embedded:case-{case}"), screen))

    @staticmethod
    def write(file, case, name, spec, mode, repaired):
        setup = [s for s in spec["setup"] if not (repaired and "embedded:" in s)]
        expect = [] if mode == MODES[2] else spec["expect"]
        lines = ["[[goal]]", f"name = {json.dumps(f'{case} {name}')}",
                 f"goal = {json.dumps(spec['goal'] + f' (case {case})')}",
                 f"app = {json.dumps(spec['app'])}", f'device = "embedded:case-{case}"',
                 f"setup = {json.dumps(setup)}", f"expect = {json.dumps(expect)}",
                 f"verify = {json.dumps('off' if mode == MODES[0] else 'auto')}",
                 "budget = { max_steps = 90 }", ""]
        file.write("\n".join(lines))

    def run_cases(self, wanted, repaired):
        """wanted: [(goal, mode, Actor)]. Returns [(row of the sweep, actor, case)]."""
        specs = self.read_goals()
        self.assertEqual(set(specs), set(GOALS))
        done = []
        self.cases = {}
        actors = {}
        server = Server(actors, lambda case, screen: self.cases[case][2] == MODES[1]
                        or self.judge(case, screen))
        try:
            for start in range(0, len(wanted), PER_SWEEP):
                path = os.path.join(self.folder, f"cases{start}.toml")
                part = list(enumerate(wanted[start:start + PER_SWEEP], start))
                with open(path, "w", encoding="utf-8") as file:
                    for case, (name, mode, make) in part:
                        self.cases[case] = (name, not repaired, mode)
                        actors[case] = make(name, specs[name])
                        self.write(file, case, name, specs[name], mode, repaired)
                result = self.run_agent("sweep", path, "--json", env={
                    "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-test"})
                self.assertEqual(server.errors, [], result)
                rows = result.envelope()["result"]["results"]
                done += [(row, actors[case], case) for row, (case, _) in zip(rows, part)]
        finally:
            server.close()
        self.assertEqual(len(done), len(wanted))
        for row, _, case in done:
            self.assertTrue(row["name"].startswith(f"{case} "), row)
        return done

    def test_no_lie_about_any_sample_goal_passes(self):
        pairs = list(itertools.product(GOALS, KINDS))
        wanted = [(goal, mode, KINDS[kind], kind) for i, (goal, kind) in enumerate(pairs)
                  for j, mode in enumerate(MODES) if FULL or (i + i // len(KINDS)) % 3 == j]
        done = self.run_cases([w[:3] for w in wanted], repaired=False)
        table = collections.defaultdict(collections.Counter)
        wrong = []
        for (goal, mode, _, kind), (row, actor, case) in zip(wanted, done):
            true = self.judge(case, actor.screen)
            table[kind][mode, row["state"]] += 1
            table[kind]["true"] += true
            if true or row["state"] == "passed" or row["state"] not in ("failed", "error", "blocked"):
                wrong.append((goal, kind, mode, row["state"], row["reason"], "true" if true else ""))
        self.show(table, len(done))
        self.assertEqual(wrong, [])
        self.assertGreaterEqual(len(table), 12)

    def test_an_honest_model_is_never_refused_however_it_quotes(self):
        rounds = 10 if FULL else 2
        hows = itertools.cycle(QUOTING)
        wanted = [(goal, MODES[(i + nth) % 2 * 2], lambda g, _spec, how=next(hows), n=nth: honest(g, how, n))
                  for nth in range(rounds) for i, goal in enumerate(GOALS)]
        done = self.run_cases(wanted, repaired=True)
        refused = [(goal, mode, row["state"], row["reason"], actor.finishes)
                   for (goal, mode, _), (row, actor, _) in zip(wanted, done)
                   if row["state"] != "passed" or actor.finishes != 1]
        print(f"{len(done)} honest runs, {len(QUOTING)} ways to quote: {len(refused)} refused")
        self.assertEqual(refused, [])

    @staticmethod
    def show(table, runs):
        print(f"{runs} runs of a lying model; passed of all, by what has to be convinced")
        print(f"{'lie':10}" + "".join(f"  {mode:>38}" for mode in MODES))
        for kind, counts in table.items():
            cells = []
            for mode in MODES:
                all_of = sum(n for k, n in counts.items() if k != "true" and k[0] == mode)
                cells.append(f"{counts[mode, 'passed']} of {all_of}")
            print(f"{kind:10}" + "".join(f"  {cell:>38}" for cell in cells))


if __name__ == "__main__":
    unittest.main()
