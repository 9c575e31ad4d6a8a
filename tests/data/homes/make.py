"""make.py PROGRAM FOLDER: has the ios-agent of an earlier version work in a home of its own, and writes what is in it then:
rows.sql, the rows of its database, and beside it the other files that an upgrade has to read."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys

HOME = "/tmp/ios-agent-old-home"
ON = 'value switch "Airplane Mode" = "on"'
SWITCH = "open Settings, turn on Airplane Mode"
LEFT = "open Settings, turn on Airplane Mode, open Battery, turn on Low Power Mode"
EVERY_GOAL = '[[goal]]\nname = "general"\ngoal = "open Settings"\nexpect = [\'visible row "General"\']\n'
EVAL = """[[goal]]
name = "airplane mode is on"
difficulty = 1
goal = "turn on Airplane Mode"
setup = ["reset"]
oracle = ["is settings.airplane_mode = true"]
"""


class Old:
    def __init__(self, program):
        shutil.rmtree(HOME, ignore_errors=True)
        os.makedirs(HOME, mode=0o700)
        self.program = program
        self.commands = self.agent("help")

    def agent(self, *args, stdin="", code=0, **more):
        env = {"PATH": os.environ["PATH"], "HOME": HOME, "IOS_AGENT_HOME": HOME, "LC_ALL": "C.UTF-8",
               "IOS_AGENT_NO_DAEMON": "1", **more}
        done = subprocess.run([self.program, *args], input=stdin, env=env, cwd=HOME, capture_output=True, text=True,
                              check=False)
        assert done.returncode == code, (args, done)
        return done.stdout

    def has(self, command):
        return f"\n  {command} " in self.commands

    def runs(self):
        """Their ids, newest first."""
        return [run["id"] for run in json.loads(self.agent("runs", "--json"))["result"]["runs"]]

    def file(self, name, text):
        path = os.path.join(HOME, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def work(self):
        self.agent("key", "set", stdin="sk-ant-of-the-old-home\n")
        self.agent("run", "--demo", "--pictures", "off", SWITCH, "--expect", ON)
        if self.has("sweep"):
            self.agent("sweep", "--demo", "--pictures", "off", self.file("goals.toml", EVERY_GOAL))
        if self.has("schedule add"):
            self.agent("schedule", "add", "--demo", "--name", "nightly", "--cron", "0 3 * * *", "--tz", "UTC",
                       "--notify", "true", "open Settings", "--expect", 'text "Unicorn"')
            self.agent("schedule", "run-now", "nightly")
            self.agent("schedule", "tick", code=1)
        if self.has("secret set"):
            self.agent("secret", "set", "shop", stdin="engine-1843\n")
        if self.has("replay"):
            self.agent("replay", "--fresh", self.runs()[-1])
        if self.has("eval"):
            self.agent("eval", "--demo", "--pictures", "off", self.file("eval.toml", EVAL))
        if self.has("questions"):
            asks = ["run", "--demo", "--pictures", "off", "--device", "embedded:asks"]
            self.agent(*asks, "open Settings")
            self.agent(*asks, "turn on Airplane Mode", IOS_AGENT_POLICY_ASK_TOOLS="tap", code=5)
        # Killed between a step and the next, its phone as it was then.
        self.agent("run", "--demo", "--pictures", "off", "--device", "embedded:left", LEFT, code=-9, IOS_AGENT_KILL_AT="store.commit.after:7")
        if self.has("say"):
            self.agent("say", self.runs()[0], "and be quick")


def rows():
    db = sqlite3.connect(os.path.join(HOME, "ios-agent.db"))
    yield f"-- Schema version {db.execute('PRAGMA user_version').fetchone()[0]}.\n"
    for statement in db.iterdump():
        if statement.startswith("INSERT"):
            yield statement + "\n"
    db.close()


def main(program, folder):
    Old(program).work()
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    shutil.copytree(os.path.join(HOME, "embedded"), os.path.join(folder, "embedded"), ignore=shutil.ignore_patterns("*.lock"))
    shutil.copy(os.path.join(HOME, "sealing.key"), folder)
    with open(os.path.join(folder, "rows.sql"), "w", encoding="utf-8") as file:
        file.writelines(rows())
    shutil.rmtree(HOME)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), sys.argv[2])
