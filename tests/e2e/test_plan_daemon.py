"""A plan over the control API: the daemon waits, a person approves or denies, also after a restart."""
import unittest

from policy_case import END
from test_plan import OPEN_SHOP, plan
import test_policy_daemon


class Plans(test_policy_daemon.Questions):
    TURNS = (plan(), OPEN_SHOP, END)

    def asked(self):
        run = self.ask("POST", "/v1/runs", {"goal": "count the rows", "device": "embedded:default",
                                            "plan": "ask"})["run"]["id"]
        self.until(run, "run.asked")
        (q,) = self.ask("GET", "/v1/questions")["questions"]
        self.assertEqual((q["run"], q["rule"]), (run, "plan"))
        self.assertEqual(self.log(), [])
        return q

    def end(self, q):
        self.until(q["run"], "run.finished")
        return self.ask("GET", f"/v1/runs/{q['run']}")["run"]

    def plans(self, q):
        events = self.ask("GET", f"/v1/runs/{q['run']}/events?limit=1000")["events"]
        return [e["event"] for e in events].count("run.planned")

    def test_approved_over_the_socket_the_daemon_goes_on(self):
        q = self.asked()
        self.ask("POST", f"/v1/questions/{q['id']}/approve", {})
        self.until(q["run"], "run.asked", 2)  # the policy's question about the link, of which the plan is no approval
        (link,) = self.ask("GET", "/v1/questions")["questions"]
        self.assertEqual((link["rule"], self.opened()), ("external_links", 0))

    def test_denied_by_a_command_the_daemon_goes_on_without_it(self):
        q = self.asked()
        self.assertEqual(self.run_agent("deny", q["run"], env={"IOS_AGENT_NO_DAEMON": None}).code, 0)
        run = self.end(q)
        self.assertEqual((run["state"], run["code"]), ("blocked", "DENIED"))
        self.assertEqual(self.log(), [])

    def test_killed_and_started_again_it_still_asks_and_goes_on(self):
        q = self.asked()
        self.restart()
        self.assertEqual([x["id"] for x in self.ask("GET", "/v1/questions")["questions"]], [q["id"]])
        self.ask("POST", f"/v1/questions/{q['id']}/deny", {"note": "no"})
        self.assertEqual(self.end(q)["code"], "DENIED")
        self.assertEqual(self.plans(q), 1)

    def test_another_word_is_refused(self):
        status, _, _ = self.send("POST", "/v1/runs", {"goal": "x", "plan": "maybe"})
        self.assertEqual(status, 400)


if __name__ == "__main__":
    unittest.main()
