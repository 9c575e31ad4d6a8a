"""What the tests of the policy share: a scripted model on the simulated iPhone, the phone's own log, and questions."""
import json

from harness import Case

END = {"repeat": True, "blocks": [{"tool_use": "finish", "input": {
    "verdict": "failed", "summary": "the end", "evidence": []}}]}


class PolicyCase(Case):
    def on_phone(self, *commands):
        """What a person does on the phone before the run."""
        for command in commands:
            self.assertEqual(self.run_agent(*command).code, 0, command)

    def model(self, *calls, **env):
        """The environment of runs whose model makes these calls, one a turn, and then gives up."""
        turns = [{"blocks": [{"tool_use": name, "input": given}]} for name, given in calls]
        return {**self.claude(self.script(*turns, END)), **env}

    def effects(self):
        """What reached the phone so far."""
        return [op for op in self.log() if op["op"] not in ("tick", "fault")]

    def questions(self, env=None, *args):
        return json.loads(self.run_agent("questions", "--json", *args, env=env).out)["result"]["questions"]

    def ask(self, env, *args):
        """Runs until a person is asked; the question."""
        done = self.run_agent("run", "count the rows", "--json", *args, env=env)
        self.assertEqual(done.code, 5, done)
        open_ones = self.questions(env)
        self.assertEqual(len(open_ones), 1, done)
        return open_ones[0]
