"""Counts an evaluation anew, from the phones' logs and the goal files, without the program's own judge.

Each run of an evaluation begins with a reset, so the k-th run on a phone is what stands between its k-th
reset and the next one. The state after the setup and the state at its end come from replaying the log
that far; the rules come from the TOML files.
"""
import decimal
import glob
import json
import math
import os
import re
import sqlite3
import tomllib

import plain_goals

Z = 1.959963984540054
RULE = re.compile(r"(answer(?= )|seen(?= )|is|has|gone|count|same|free) (?:(?<!answer )(?<!seen )((?:[A-Za-z_0-9]+(?:\[[^]]*\])?\.?)+)(?: = )?)?(.*)")
PLACE = {"foreground", "screen", "alert", "keyboard", "locked", "orientation", "held", "running",
         "banner", "bugs", "seq", "time_ms", "notifications"}
OPS = {"is": "equals", "has": "contains", "gone": "absent", "count": "count", "same": "unchanged"}


def goals(folder):
    """{name: (table, defaults)} of all files."""
    found = {}
    for path in glob.glob(os.path.join(folder, "*.toml")):
        with open(path, "rb") as f:
            doc = tomllib.load(f)
        for goal in doc["goal"]:
            found[goal["name"]] = {**doc.get("defaults", {}), **goal, "area": os.path.basename(path)[:-5]}
    return found


def fill(text, goal, seed):
    def value(match):
        v = str(seed) if match[1] == "seed" else goal["vars"][match[1]]
        return v[(seed - 1) % len(v)] if isinstance(v, list) else v
    return re.sub(r"\{\{([a-z_]+)\}\}", value, text)


def read_rule(text):
    op, path, value = RULE.fullmatch(text).groups()
    if value.startswith("day "):
        return op, path, {"day": int(value[4:])}
    if value.startswith("was "):
        was, sign, plus = re.fullmatch(r"was (.*?)(?: ([+-]) ([0-9.]+))?", value).groups()
        return op, path, {"was": was, "plus": decimal.Decimal((sign or "") + (plus or "0"))}
    return op, path, json.loads(value) if value else None


def known(value, before):
    """A value that is told by what was there before: a list counts, money stays a text."""
    if not (isinstance(value, dict) and "was" in value):
        return value
    [was] = plain_goals.at(before, value["was"])
    if isinstance(was, list):
        return len(was)
    if not value["plus"]:
        return was
    return was + int(value["plus"]) if isinstance(was, int) else f"{decimal.Decimal(was) + value['plus']:.2f}"


def tells(text, words):
    """Whether one of the words stands in the text as such; what groups thousands is no part of a number."""
    text = " ".join(re.sub(r"(?<=\d),(?=\d)", "", text or "").split())
    return any(re.search(rf"(?<![\w.]){re.escape(re.sub(r'(?<=[0-9]),(?=[0-9])', '', str(w)))}(?!\w)",
                         text.replace("'", "").replace("\u2019", ""), re.I)
               for w in (words if isinstance(words, list) else [words]))


def leaves(value, path=""):
    """(path, value) of what is no object; lists are one."""
    if isinstance(value, dict) and value:
        for key, v in value.items():
            yield from leaves(v, f"{path}.{key}" if path else key)
    else:
        yield path, value


def meant(rules, path, element):
    for op, p, value in rules:
        if op in ("same", "answer", "seen") or plain_goals.base(p) != path:
            continue
        choices = [c for _, c in plain_goals.steps(p) if c][:1]
        if choices and all(plain_goals.chosen(element, c) for c in choices):
            return True
        if not choices and op == "has" and element.casefold() == value.casefold():
            return True
    return False


def stays(rules, before, after):
    """Whether all that no rule is about is as it was."""
    free = [p for op, p, _ in rules if op == "free" and "[" not in p]
    named = {plain_goals.base(p) for op, p, _ in rules if op not in ("same", "answer", "seen", "free")}
    old, new = dict(leaves(before)), dict(leaves(after))
    for path in old.keys() | new.keys():
        if path.split(".")[0] in PLACE or any(path == f or path.startswith(f + ".") for f in free):
            continue
        a, b = old.get(path), new.get(path)
        if isinstance(a, list) and isinstance(b, list):
            a, b = (sorted(json.dumps(e, sort_keys=True) for e in rows if not meant(rules, path, e))
                    for rows in (a, b))
        elif path in named:
            continue
        if a != b:
            return False
    return True


def even(state):
    """A message has a text or a picture: here both, one of them empty."""
    for chat in state["messages"]:
        chat["messages"] = [{"text": "", "picture": "", **m} for m in chat["messages"]]
    return state


def judge(rules, before, after, said, seen):
    rules = [(op, path, known(value, before)) for op, path, value in map(read_rule, rules)]
    for op, path, value in rules:
        if op in ("answer", "seen"):
            if not tells(said if op == "answer" else seen, value):
                return False
        elif op != "free" and not plain_goals.holds({"path": path, "op": OPS[op], "value": value}, before, after):
            return False
    return stays(rules, before, after)


def segments(log):
    """Of each run on a phone: which operation ends n steps of its setup, and which ends it."""
    resets = [i for i, op in enumerate(log) if op["op"] == "reset"]
    for begin, end in zip(resets, resets[1:] + [len(log)]):
        acts = [i for i in range(begin, end) if log[i]["op"] != "tick"]
        yield lambda n, acts=acts: acts[:n][-1] + 1, end


def wilson(hits, n):
    p, d = hits / n, 1 + Z * Z / n
    half = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / d
    mid = (p + Z * Z / (2 * n)) / d
    return mid - half, mid + half


def effect(values):
    """The design effect of [(group, value)]."""
    mean = sum(v for _, v in values) / len(values)
    single = sum((v - mean) ** 2 for _, v in values)
    sums = {}
    for g, v in values:
        sums[g] = sums.get(g, 0) + v - mean
    if len(sums) == len(values):
        return 1
    return max(1, sum(s * s for s in sums.values()) / single) if single else len(values) / len(sums)


def count(case, sweep, folder, killed=False):
    """{(goal, wording, seed, repeat): {"kind", "holds", "run", "difficulty", "area"}} of an evaluation.

    killed: a setup may have been begun twice, so what counts is the last reset before the end that the row has.
    """
    files = goals(folder)
    db = sqlite3.connect(f"file:{case.home}/ios-agent.db?mode=ro", uri=True)
    rows = db.execute("select r.id, r.lane, r.state, r.code, r.summary, g.name, g.repeat, g.job, g.judged from runs r join sweep_goals g "
                      "on g.sweep_id = r.sweep_id and g.no = r.sweep_no where r.sweep_id = ? "
                      "order by r.started_at, r.id", (sweep,)).fetchall()
    phones, out = {}, {}
    for run, lane, state, code, said, name, repeat, job, judged in rows:
        if lane not in phones:
            phones[lane] = segments(case.log("--device", lane))
        setup, end = next(phones[lane])
        while killed and end < json.loads(judged)["after"]:
            setup, end = next(phones[lane])
        begin = setup(len(json.loads(job)["setup"]))
        variant = re.fullmatch(r"(.*?)(?: \((?:wording (\d+))?(?:, )?(?:seed (\d+))?\))?", name)
        wording, seed = int(variant[2] or 1), int(variant[3] or 1)
        goal = files[variant[1]]
        before, after = (even(case.state("--device", lane, "--at", str(at))) for at in (begin, end))
        seen = "\n".join(s or "" for s, in db.execute("select screen from tool_calls where run_id = ?", (run,)))
        holds = judge([fill(r, goal, seed) for r in goal["oracle"]], before, after, said, seen)
        passed, can = state == "passed", "fails" not in goal
        # Of what cannot be done, only who says so himself has found it out.
        ended = db.execute("select name, input from tool_calls where run_id = ? order by id desc", (run,)).fetchone()
        says_no = bool(ended) and ended[0] == "finish" and json.loads(ended[1]).get("verdict") in ("failed", "blocked")
        right = passed if can else code in ("FAILED", "BLOCKED") and says_no
        kind = ("success" if holds and right else "false pass" if passed else
                "false failure" if holds and can else "failure")
        out[variant[1], wording, seed, repeat] = {
            "kind": kind, "holds": holds, "run": run, "difficulty": goal["difficulty"], "area": goal["area"], "seed": seed,
            "kind of goal": "can be done" if can else "cannot be done"}
    for lane, rest in phones.items():
        assert killed or next(rest, None) is None, f"{lane} was reset once more"
    return out
