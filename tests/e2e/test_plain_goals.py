"""Goals in plain English with the demo brain, judged by the phone's own state.

What passes must be true on the phone; what the demo brain cannot do is blocked, with a hint that
gets a person on; nothing fails, because nothing here is a defect of an app.

plain_goals.json is by somebody who did not know the demo brain; plain_goals_more.json has other
sentences for the same and other things, and more that cannot be done.

Run directly with a file of goals (the form of plain_goals.json) it prints a line for each.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import plain_goals

ENOUGH = 45
ENOUGH_MORE = 47
HINT = ("ios-agent help demo", "ios-agent key set")


def agent(home, *args):
    env = {k: v for k, v in os.environ.items() if k == "PATH" or k.endswith("SAN_OPTIONS")}
    env.update(IOS_AGENT_HOME=home, HOME=home)
    return subprocess.run([os.environ["IOS_AGENT"], *args], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, timeout=90)


def attempt(goal, before):
    """(state, summary, what is not as the goal wants it) of one goal on a new phone."""
    with tempfile.TemporaryDirectory() as home:
        done = agent(home, "run", goal["goal"], "--demo", "--fresh", "--json")
        result = json.loads(done.stdout)["result"] or {}
        after = json.loads(agent(home, "embedded", "state").stdout)
        screen = agent(home, "snapshot", "--device", "embedded").stdout
    wrong = plain_goals.check(goal["truth"], before, after, screen)
    return result.get("state"), result.get("summary", done.stdout), wrong


def attempts(goals):
    before, _ = plain_goals.factory()
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return list(pool.map(lambda goal: attempt(goal, before), goals))


def complaint(goal, state, summary, wrong):
    """Why the outcome of a goal is not allowed; None when it is."""
    if state == "passed":
        return "passed, and it is not true" if wrong or goal.get("impossible") else None
    if state != "blocked":
        return f"ended {state}"
    return None if all(part in summary for part in HINT) else "is blocked without a hint"


def main(goals, enough):
    outcomes = attempts(goals)
    complaints = []
    for goal, outcome in zip(goals, outcomes):
        bad = complaint(goal, *outcome)
        complaints += [bad] if bad else []
        print(f"{goal['id']:>3} {outcome[0]:<8} {bad or ''}  {goal['goal']!r}")
        if bad or outcome[0] != "passed":
            print(f"             {outcome[1][:300]!r} {outcome[2] if bad else ''}")
    passed = sum(outcome[0] == "passed" for outcome in outcomes)
    print(f"{passed} of {len(goals)} passed, at least {enough} must; {len(complaints)} complaints")
    return 0 if passed >= enough and not complaints else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        with open(sys.argv[1], encoding="utf-8") as file:
            sys.exit(main(json.load(file), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
    more = pathlib.Path(__file__).with_name("plain_goals_more.json").read_text(encoding="utf-8")
    sys.exit(main(plain_goals.load(), ENOUGH) | main(json.loads(more), ENOUGH_MORE))
