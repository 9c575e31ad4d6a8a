"""Sixty goals in plain English, and whether a phone is as it must be once one was really done.

plain_goals.json holds {"id", "goal", "truth"}, with "hard": true (conditions, counting, comparing)
or "impossible": true (must end without claiming success). A truth, for a phone that begins in its
factory state, has any of:

  "checks"      [{"path", "op", "value"}]; a path leads into `ios-agent embedded state`: names
                joined by dots, and [title=Milk] or [title~=milk] to choose from a list (the whole
                text, or a part of it; letters match in either case). What a path with a choice
                names must be there exactly once, except with absent, count and length.
  "reads"       what the last screen must show: a text, or texts that stand on one line
  "may_change"  parts that need not be as before, such as shop.user after looking something up

Whatever data no check and no may_change names must be as it was: a goal that is done, and
something else with it, is not done. Where the phone is (app, screen, alert) is nobody's data.

  equals     the value; {"day": 1} is the day after the one on which the goal began, as a date
  contains   a text has the value as a part, or a list of texts has it
  absent     nothing is there
  count      so many are there
  length     each of these strokes is at least "min" and at most "max" points long
  unchanged  as before

Run directly, it checks all this against a new phone: every path exists, no goal that changes or
finds something is done when nothing was, and each can be done without contradicting itself.
"""
import copy
import datetime
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# The parts of the state that are data, and what is in an element of each list.
LISTS = {
    "contacts": ("name", "first", "last", "phone", "email"),
    "reminders": ("title", "notes", "list", "due", "completed"),
    "reminder_lists": None,
    "shop.cart": ("item", "quantity", "price"),
    "shop.orders": ("number", "items", "total", "name", "street", "city", "zip"),
    "sketch": ("ink", "x", "y", "to_x", "to_y"),
}
STEP = re.compile(r"([A-Za-z_0-9]+)(?:\[([a-z_]+)(~?=)([^]]*)\])?(?:\.|$)")
OPS = {"equals", "contains", "absent", "count", "length", "unchanged"}


def load():
    path = pathlib.Path(__file__).with_name("plain_goals.json")
    return json.loads(path.read_text(encoding="utf-8"))


def steps(path):
    """[(key, choice or None)] of a path; a choice is (field, "=" or "~=", text)."""
    found = list(STEP.finditer(path))
    if "".join(m.group() for m in found) != path:
        raise ValueError(f"not a path: {path}")
    return [(m[1], (m[2], m[3], m[4]) if m[2] else None) for m in found]


def base(path):
    """The path up to its choice: the part of the state that it is about."""
    return path.split("[")[0]


def chosen(element, choice):
    field, how, text = choice
    value = element[field]
    have = (value if isinstance(value, str) else json.dumps(value)).casefold()
    return text.casefold() in have if how == "~=" else text.casefold() == have


def at(state, path):
    """All that a path leads to. KeyError: there cannot be such a thing."""
    values = [state]
    for key, choice in steps(path):
        values = [v[key] for v in values]
        if choice:
            values = [e for v in values for e in v if chosen(e, choice)]
    return values


def expected(value, before):
    if isinstance(value, dict) and "day" in value:
        day = datetime.datetime.fromtimestamp(before["time_ms"] / 1000, datetime.timezone.utc)
        return (day + datetime.timedelta(days=value["day"])).date().isoformat()
    return value


def has(value, part):
    if isinstance(value, list):
        return part.casefold() in [v.casefold() for v in value]
    return isinstance(value, str) and part.casefold() in value.casefold()


def same(a, b):
    return type(a) is type(b) and a == b


def holds(c, before, after):
    """Whether one check is true."""
    op, found = c["op"], at(after, c["path"])
    want = expected(c.get("value"), before)
    if op == "absent":
        return not found
    if op == "count":
        return (len(found) if "[" in c["path"] else len(found[0])) == want
    if op == "length":
        low, high = want.get("min", 0), want.get("max", math.inf)
        spans = [math.hypot(s["to_x"] - s["x"], s["to_y"] - s["y"]) for s in found]
        return bool(spans) and all(low <= span <= high for span in spans)
    if op == "unchanged":
        return found == at(before, c["path"])
    if len(found) != 1:
        return False
    return same(found[0], want) if op == "equals" else has(found[0], want)


def meant(c, element):
    """Whether a check is about this element of its list."""
    choices = [choice for _, choice in steps(c["path"]) if choice]
    if choices:
        return all(chosen(element, choice) for choice in choices)
    return c["op"] == "contains" and element.casefold() == c["value"].casefold()


def parts(state):
    shop = [f"shop.{key}" for key in state["shop"]]
    return [*(p for p in LISTS if "." not in p), *shop,
            *(f"settings.{key}" for key in state["settings"])]


def astray(truth, before, after):
    """The parts that are not as they were, though nothing in the goal is about them."""
    out = []
    checks = [c for c in truth.get("checks", []) if c["op"] != "unchanged"]
    for part in parts(before):
        if part in truth.get("may_change", []):
            continue
        mine = [c for c in checks if base(c["path"]) == part]
        [old], [new] = at(before, part), at(after, part)
        if isinstance(old, list):
            old, new = (sorted(json.dumps(e, sort_keys=True) for e in rows
                               if not any(meant(c, e) for c in mine)) for rows in (old, new))
        elif mine:
            continue
        if old != new:
            if isinstance(old, list):  # of lists, only what differs
                old, new = [e for e in old if e not in new], [e for e in new if e not in old]
            out.append(f"{part} is not as it was: {old} became {new}")
    return out


def shows(reads, text):
    """Whether all the texts stand on one line, as whole words."""
    words = [reads] if isinstance(reads, str) else reads
    return any(all(re.search(rf"(?<![\w.]){re.escape(w)}(?!\w)", line, re.IGNORECASE)
                   for w in words) for line in text.splitlines())


def check(truth, state_before, state_after, last_screen_text):
    """What is not as the goal wants it, in words; [] when the goal is done."""
    out = [f"{c['path']} {c['op']} {json.dumps(c.get('value'))}: not so"
           for c in truth.get("checks", []) if not holds(c, state_before, state_after)]
    if "reads" in truth and not shows(truth["reads"], last_screen_text):
        out.append(f"the last screen does not show {truth['reads']}")
    return out + astray(truth, state_before, state_after)


# ---- the check of the goals themselves ----


def fresh(rows, path, choice):
    """The element that a path chooses; made when there is none."""
    found = [e for e in rows if chosen(e, choice)]
    if not found:
        rows.append({**dict.fromkeys(LISTS[path], ""), choice[0]: choice[2]})
        found = rows[-1:]
    return found


def do(c, before, state):
    """Changes a state such that a check is true."""
    path, op, want = c["path"], c["op"], expected(c.get("value"), before)
    *_, (key, choice) = steps(path)
    rows = at(state, base(path))[0]
    if op == "absent":
        rows[:] = [e for e in rows if not chosen(e, choice)]
    elif op == "count":
        rows += [{**dict.fromkeys(LISTS[base(path)], 0), choice[0]: choice[2]}
                 for _ in range(want)]
    elif op == "length":
        for e in at(state, path):
            e["to_x"] = e["x"] + want.get("min", want.get("max"))
    elif op == "contains" and isinstance(rows, list) and "[" not in path:
        rows.append(want)
    elif op in ("equals", "contains"):
        inner = [choice for _, choice in steps(path) if choice]
        if inner:
            parents = fresh(rows, base(path), inner[0])
        else:
            parents = at(state, path.rpartition(".")[0]) if "." in path else [state]
        for parent in parents:
            if not inner and key not in parent or inner and key not in LISTS[base(path)]:
                raise KeyError(path)
            parent[key] = want


def done(truth, before):
    state = copy.deepcopy(before)
    for c in truth.get("checks", []):
        do(c, before, state)
    return state


def check_goal(goal, before, home):
    truth = goal["truth"]
    assert set(goal) <= {"id", "goal", "truth", "hard", "impossible"}, goal
    assert set(truth) <= {"checks", "reads", "may_change"}, goal
    assert truth.get("checks") or truth.get("reads"), goal
    for c in truth.get("checks", []):
        assert c["op"] in OPS and ("value" in c) == (c["op"] not in ("absent", "unchanged")), c
        at(before, c["path"])
    for part in truth.get("may_change", []):
        assert part in parts(before), goal
    nothing = check(truth, before, before, home)
    if goal.get("impossible"):
        assert not nothing, (goal, nothing)
    else:
        assert nothing, f"done before it began: {goal}"
    reads = truth.get("reads", "")
    line = reads if isinstance(reads, str) else " ".join(reads)
    after = done(truth, before)
    assert not check(truth, before, after, line), (goal, check(truth, before, after, line))
    for part in ("brightness", "volume"):  # something else with it: not done
        if not any(c["path"] == f"settings.{part}" for c in truth.get("checks", [])):
            more = copy.deepcopy(after)
            more["settings"][part] += 1
            assert check(truth, before, more, line), goal


def factory():
    """The state of a new phone and what its first screen shows."""
    with tempfile.TemporaryDirectory() as home:
        env = {"IOS_AGENT_HOME": home, "PATH": os.environ["PATH"]}

        def ask(*args):
            return subprocess.run([os.environ["IOS_AGENT"], *args], env=env, check=True,
                                  stdout=subprocess.PIPE, text=True).stdout

        return (json.loads(ask("embedded", "state")),
                ask("snapshot", "--device", "embedded"))


def main():
    if "IOS_AGENT" not in os.environ:
        print("IOS_AGENT is not set: no phone to check the goals against")
        return 77
    before, home = factory()
    for path, fields in LISTS.items():
        for element in at(before, path)[0]:
            assert not fields or set(element) == set(fields), path
    goals = load()
    assert [g["id"] for g in goals] == list(range(1, 61))
    assert len({g["goal"] for g in goals}) == 60
    for goal in goals:
        check_goal(goal, before, home)
    print(f"{len(goals)} goals, {sum('hard' in g for g in goals)} of them hard, "
          f"{sum('impossible' in g for g in goals)} impossible")
    return 0


if __name__ == "__main__":
    sys.exit(main())
