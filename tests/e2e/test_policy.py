"""A call that the user's policy asks about waits for a person, and happens once or not at all."""
import json
import unittest

from harness import Case


class Policy(Case):
    ASK = {"IOS_AGENT_POLICY_EXTERNAL_LINKS": "ask"}

    def env_of(self, **more):
        double = self.script({"blocks": [{"tool_use": "open_url", "input": {"url": "https://example.com/"}}]},
                             {"repeat": True, "blocks": [{"tool_use": "finish", "input": {
                                 "verdict": "failed", "summary": "the end", "evidence": []}}]})
        return {**self.claude(double), **self.ASK, **more}

    def opened(self):
        """How often the phone's own log has the URL."""
        with open(f"{self.home}/embedded/default.log", "rb") as f:
            return f.read().count(b"example.com")

    def asked(self, env):
        r = self.run_agent("run", "x", "--json", env=env)
        self.assertEqual(r.code, 5, r)
        questions = json.loads(self.run_agent("questions", "--json", env=env).out)["result"]["questions"]
        self.assertEqual([q["rule"] for q in questions], ["external_links"])
        return questions[0]

    def test_approved_it_happens_once(self):
        env = self.env_of()
        q = self.asked(env)
        self.assertEqual(self.opened(), 0)
        self.assertEqual(self.run_agent("approve", q["id"], env=env).code, 0)
        self.assertEqual(self.run_agent("approve", q["id"], env=env).code, 2)  # once
        self.assertEqual(self.run_agent("resume", q["run"], env=env).code, 1)
        self.assertEqual(self.opened(), 1)

    def test_denied_it_never_happens(self):
        env = self.env_of()
        q = self.asked(env)
        self.assertEqual(self.run_agent("deny", q["run"], "--note", "no", env=env).code, 0)
        self.assertEqual(self.run_agent("resume", q["run"], env=env).code, 1)
        self.assertEqual(self.opened(), 0)

    def test_cancelled_it_is_asked_no_more(self):
        env = self.env_of()
        q = self.asked(env)
        self.assertEqual(self.run_agent("cancel", q["run"], env=env).code, 0)
        self.assertEqual(self.run_agent("approve", q["id"], env=env).code, 2)

    def test_what_is_denied_by_rule_is_not_asked(self):
        env = self.env_of(IOS_AGENT_POLICY_EXTERNAL_LINKS="deny")
        self.assertEqual(self.run_agent("run", "x", env=env).code, 1)
        self.assertEqual(self.opened(), 0)

    def test_killed_anywhere_it_happens_at_most_once(self):
        for point in ("policy.ask.before", "policy.ask.after"):
            env = self.env_of(IOS_AGENT_KILL_AT=point)
            self.run_agent("run", "x", env=env)
            self.assertEqual(self.opened(), 0, point)
        for point in ("policy.use.before", "policy.use.after"):
            env = self.env_of()
            before = self.opened()
            q = self.asked_last(env)
            self.assertEqual(self.run_agent("approve", q, env=env).code, 0)
            self.run_agent("resume", q, env={**env, "IOS_AGENT_KILL_AT": point})
            self.run_agent("resume", q, env=env)
            done = 1 if point == "policy.use.before" else 0  # used: the outcome is unknown
            self.assertEqual(self.opened() - before, done, point)

    def asked_last(self, env):
        r = self.run_agent("run", "x", "--json", env=env)
        self.assertEqual(r.code, 5, r)
        return json.loads(r.out)["error"]["hint"].split()[2].rstrip(",")


if __name__ == "__main__":
    unittest.main()
