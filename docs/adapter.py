#!/usr/bin/env python3
"""Lets any model drive the phone: adapter.py GOAL -- PROGRAM [ARGUMENT...]

PROGRAM reads a prompt on standard input and prints an answer, as `llm -m MODEL` and `ollama run MODEL` do. The
prompt is the template that `ios-agent skill show prompt` prints, filled with the screen and the actions that are
possible on it; the last line of the answer is one action, which goes to `ios-agent batch`. Exit status: 0 the model
says that it is done, 1 it gave up or used too many steps, 2 usage. The model's word is all the proof that there
is: `ios-agent run` proves a pass.
"""
import json
import re
import secrets
import subprocess
import sys

STEPS_MAX = 30
# What the template offers beside the actions of elements.
ANYWHERE = {"swipe", "scroll-to", "back", "press", "open", "wait-for"}


def ios_agent(*args, text=""):
    done = subprocess.run(["ios-agent", *args], input=text, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if not lines:
        sys.exit(f"ios-agent {args[0]}: {done.stderr}")
    return json.loads(lines[-1])


def actions_of(screen):
    """[["tap", "@e12"], …] and for each what the element is called."""
    labels = {e["ref"]: e["label"] or e["identifier"] or e["role"] for e in screen["elements"]}
    return [([a["name"].replace("_", "-"), a["target"]], labels.get(a["target"], "")) for a in screen["actions_available"]]


def prompt_of(template, goal, text, actions, history):
    values = {
        "GOAL": goal,
        "BOUNDARY": secrets.token_hex(8),
        "SCREEN": text,
        "ACTIONS": "\n".join(f"{json.dumps(words)}  {label}" for words, label in actions),
        "HISTORY": "\n".join(history) or "nothing yet",
    }
    return re.sub(r"\{([A-Z]+)\}", lambda m: values[m[1]], template)


def ask(program, prompt):
    answer = subprocess.run(program, input=prompt, capture_output=True, text=True, check=True).stdout
    try:
        words = json.loads(answer.strip().splitlines()[-1])
    except (IndexError, ValueError):
        return None
    plain = isinstance(words, list) and words and all(isinstance(w, str) for w in words)
    return words if plain else None


def offered(words, actions):
    """Only what the prompt offered: an answer may have been talked into something by the screen."""
    return words[0] in ANYWHERE or words[:2] in [a for a, _ in actions]


def main():
    if "--" not in sys.argv[2:3]:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    goal, program = sys.argv[1], sys.argv[3:]
    shown = ios_agent("skill", "show", "prompt", "--json")["stdout"]
    template = re.search(r"(?s)<!-- template -->\n```text\n(.*?)```", shown)[1]
    history = []
    for _ in range(STEPS_MAX):
        snapshot = ios_agent("snapshot", "--json")
        actions = actions_of(snapshot["result"])
        words = ask(program, prompt_of(template, goal, snapshot["stdout"], actions, history))
        if words and words[0] in ("done", "blocked"):
            print(" ".join(words))
            return 0 if words[0] == "done" else 1
        if not words or not offered(words, actions):
            history.append(f"{json.dumps(words)}: refused, it is not among the actions")
        else:
            envelope = ios_agent("batch", "--json", text=json.dumps(words) + "\n")
            said = envelope["stdout"] or envelope["error"]["message"]
            history.append(f"{json.dumps(words)}: {said}")
        print(history[-1].splitlines()[0])
    print("too many steps")
    return 1


if __name__ == "__main__":
    sys.exit(main())
