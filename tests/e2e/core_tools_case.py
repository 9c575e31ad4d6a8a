"""What the tests of an agent's core tools share: an agent, a scripted model, and the rows of its calls."""
import json
import os
import sqlite3

from harness import Case


def use(tool, **tool_input):
    return {"tool_use": tool, "input": tool_input}


def say(*blocks, **more):
    return {"blocks": list(blocks), **more}


GIVE_UP = say(use("finish", verdict="failed", summary="That was all.", evidence=[]))


class CoreToolsCase(Case):
    def configure(self, text):
        folder = os.path.join(self.folder, ".config", "ios-agent")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as f:
            f.write(text)

    def model(self, *turns):
        return self.claude(self.script(*turns))

    def database(self):
        return sqlite3.connect(os.path.join(self.home, "ios-agent.db"))

    def results(self, tool):
        """(is_error, text for the model) of the calls of a tool, in their order."""
        with self.database() as db:
            rows = db.execute("SELECT is_error, result FROM tool_calls WHERE name = ? ORDER BY run_id, step", (tool,))
            return [(bool(e), json.loads(r)) for e, r in rows]

    def forget_calls(self):
        """For the next run, as calls are read from the database."""
        with self.database() as db:
            db.execute("DELETE FROM tool_calls")

    def calls(self, tool, *inputs, args=(), env=None):
        """Has a model make these calls of a tool, each in a turn of its own; the run ends as failed."""
        environ = self.model(*(say(use(tool, **i)) for i in inputs), GIVE_UP)
        environ.update(env or {})
        done = self.run_agent("run", "look something up", "--agent", "reader", *args, env=environ)
        self.assertEqual(done.code, 1, done)
        results = self.results(tool)
        self.assertEqual(len(results), len(inputs), done)
        return results
