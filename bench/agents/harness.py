#!/usr/bin/env python3
"""harness.py WHO prepare N | WHO do N ARGS... | WHO mcp N TOOL JSON | WHO judge N TEXT | WHO run

How an agent that is not part of ios-agent did ten goals of goals/, and what it read and wrote: with device
commands alone (do) or with the tools of `ios-agent mcp` alone (mcp). N is 1 to 10; WHO names the transcript,
$IOS_AGENT_WORK/WHO.jsonl, and a home of its own. `prepare` resets the phone and shows the goal, `judge` notes what
the agent says and whether the goal's expectations hold on the screen that it left. `run` does the ten goals
with the demo brain, as `ios-agent run` does, and notes what its model read and wrote. tokens.mjs counts.
"""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
AGENT = os.environ.get("IOS_AGENT", os.path.join(HERE, "../../build/release/src/cli/ios-agent"))
WORK = os.environ.get("IOS_AGENT_WORK", os.path.join(HERE, "../../build/bench/agents"))
NAMES = ("a contact is added", "a contact is deleted", "a changed number is kept, in a broken build",
         "a reminder is added with a date", "a reminder is completed", "a new list is empty",
         "Bluetooth stays off", "the screen locks after two minutes", "the total counts every piece",
         "a coupon takes ten percent off")
# What a look at the last screen alone can say; the others need the first screen or a relaunch.
ON_SCREEN = re.compile(r"^(visible|gone|value|count|text|app) ")


def fill(text, values):
    return re.sub(r"\{\{(\w+)\}\}", lambda m: fill(values[m.group(1)], values), text)


def load_goals():
    found = {}
    for name in sorted(os.listdir(os.path.join(HERE, "../../goals"))):
        with open(os.path.join(HERE, "../../goals", name), "rb") as file:
            doc = tomllib.load(file)
        for goal in doc["goal"]:
            values = {**doc.get("vars", {}), **goal.get("vars", {})}
            text = [fill(goal["goal"], values)]
            for use in goal.get("uses", []):
                step = doc["steps"][use["step"]]
                text.insert(0, fill(step["goal"], {**values, **use}))
            found[goal["name"]] = {
                "name": goal["name"], "goal": ", ".join(text), "fails": "fails" in goal,
                "setup": goal.get("setup", doc["defaults"]["setup"]),
                "expect": [fill(e, values) for e in goal["expect"] if ON_SCREEN.match(e)]}
    return [found[name] for name in NAMES]


class Session:
    def __init__(self, who):
        os.makedirs(WORK, exist_ok=True)
        self.path = os.path.join(WORK, who + ".jsonl")
        config = os.path.join(WORK, "none.toml")
        with open(config, "a", encoding="utf-8"):
            pass
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("IOS_AGENT_", "ANTHROPIC_"))}
        self.home = os.path.join(WORK, "home-" + who)
        self.env = {**keep, "IOS_AGENT_HOME": self.home, "IOS_AGENT_CONFIG": config}

    def agent(self, *args):
        return subprocess.run([AGENT, *args], env=self.env, cwd=WORK, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)

    def note(self, **entry):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def prepare(self, n, goal):
        for step in goal["setup"]:
            verb, _, rest = step.partition(" ")
            if verb == "reset":
                self.agent("reset-sim", "--device", "embedded")
            elif "bugs=" in rest:
                self.agent("embedded", "bugs", "--set", rest.split("bugs=")[1])
            else:
                self.agent(verb, rest, "--device", "embedded")
        self.note(goal=n, kind="goal", name=goal["name"], text=goal["goal"])
        print(f"GOAL {n}: {goal['goal']}")

    def judge(self, n, goal, said):
        failed = [e for e in goal["expect"] if self.agent("is", e).returncode != 0]
        self.note(goal=n, kind="judge", said=said, broken_build=goal["fails"], failed=failed)
        print("noted")

    def do(self, n, *args):
        done = self.agent(*args)
        self.note(goal=n, kind="call", input=" ".join(("ios-agent", *args)), output=done.stdout + done.stderr)
        print(done.stdout + done.stderr, end="")

    def mcp(self, n, tool, arguments):
        """One process for each call: the daemon has the phone and its refs."""
        list_tools = tool == "tools/list"
        params = {} if list_tools else {"name": tool, "arguments": json.loads(arguments)}
        asked = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}}},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": tool if list_tools else "tools/call", "params": params}]
        answers = {}
        with subprocess.Popen([AGENT, "mcp"], env=self.env, cwd=WORK, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            server.stdin.write("".join(json.dumps(m) + "\n" for m in asked))
            server.stdin.flush()
            while 2 not in answers:
                answer = json.loads(server.stdout.readline())
                answers[answer.get("id")] = answer
            server.stdin.close()
        if list_tools:
            fixed = {"tools": answers[2]["result"]["tools"], "instructions": answers[1]["result"]["instructions"]}
            self.note(goal=0, kind="fixed", text=json.dumps(fixed, ensure_ascii=False))
            print(json.dumps(fixed, ensure_ascii=False))
            return
        content = answers[2].get("result", {}).get("content", [{"text": json.dumps(answers[2].get("error"))}])
        output = "\n".join(part.get("text", "[image]") for part in content)
        self.note(goal=n, kind="call", input=f"{tool} {arguments}", output=output)
        print(output)

    def run(self, goals):
        for n, goal in enumerate(goals, 1):
            self.prepare(n, goal)
            args = [word for e in goal["expect"] for word in ("--expect", e)]
            result = json.loads(self.agent("run", goal["goal"], "--demo", "--json", *args).stdout)["result"]
            with sqlite3.connect(os.path.join(self.home, "ios-agent.db")) as db:
                rows = db.execute("SELECT role, purpose, content FROM messages WHERE run_id = ? ORDER BY seq",
                                  (result["run"],)).fetchall()
            for role, purpose, content in rows:
                text = content.decode() if isinstance(content, bytes) else content
                self.note(goal=n, kind="message", role=role, purpose=purpose, text=text)
            self.note(goal=n, kind="judge", said=result["state"], broken_build=goal["fails"], failed=[])


def main(who, command, *rest):
    goals, session = load_goals(), Session(who)
    if command == "run":
        session.run(goals)
        return
    n = int(rest[0])
    if command in ("prepare", "judge"):
        getattr(session, command)(n, goals[n - 1], *rest[1:])
    else:
        getattr(session, command)(n, *rest[1:])


if __name__ == "__main__":
    main(*sys.argv[1:])
