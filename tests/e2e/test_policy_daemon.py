"""Questions with a daemon: it frees the device, takes answers from a person only, and goes on, also after a restart."""
import json
import unittest

from policy_case import END
from test_api import Daemon

ENV = {"IOS_AGENT_NO_DAEMON": None, "IOS_AGENT_POLICY_EXTERNAL_LINKS": "ask"}


class Questions(Daemon):
    TURNS = ({"blocks": [{"tool_use": "open_url", "input": {"url": "shop://"}}]}, END)

    def setUp(self):
        super().setUp()
        self.double = self.script(*self.TURNS)
        self.restart()

    def restart(self):
        self.process.kill()
        self.process.communicate()
        self.unix.close()
        self.tcp.close()
        self.process = self.start_agent("daemon", "--http", env={**ENV, **self.claude(self.double)})
        for line in self.process.stdout:
            if "ready:" in line:
                break
        status = self.ask("GET", "/v1/daemon")
        self.tcp.__init__(status["http"].removeprefix("http://"))

    def until(self, run, name, times=1):
        """Follows the run up to the event with that name, the first or a later one."""
        self.unix.close()
        self.unix.request("GET", f"/v1/events?run={run}&after=0")
        answer = self.unix.getresponse()
        for line in answer:
            times -= line.startswith(b"event: " + name.encode())
            if times == 0:
                break
        self.unix.close()

    def asked(self):
        run = self.ask("POST", "/v1/runs", {"goal": "count the rows", "device": "embedded:default"})["run"]["id"]
        self.until(run, "run.asked")
        questions = self.ask("GET", "/v1/questions")["questions"]
        self.assertEqual([q["run"] for q in questions], [run])
        return questions[0]

    def opened(self):
        return [op["op"] for op in self.log()].count("open_url")

    def test_approved_over_the_socket_the_daemon_goes_on(self):
        q = self.asked()
        self.assertEqual(self.opened(), 0)  # also: the device is free
        self.assertEqual(self.ask("POST", f"/v1/questions/{q['id']}/approve", {})["answer"], "approved")
        self.until(q["run"], "run.finished")
        self.assertEqual(self.opened(), 1)
        status, _, body = self.send("POST", f"/v1/questions/{q['id']}/deny", {})
        self.assertEqual((status, json.loads(body)["error"]["code"]), (409, "STATE"))

    def test_denied_by_a_command_the_daemon_goes_on_without_it(self):
        q = self.asked()
        self.assertEqual(self.run_agent("deny", q["run"], env=ENV).code, 0)
        self.until(q["run"], "run.finished")
        self.assertEqual(self.opened(), 0)

    def test_killed_and_started_again_it_still_asks_and_goes_on(self):
        q = self.asked()
        self.restart()
        self.assertEqual([x["id"] for x in self.ask("GET", "/v1/questions")["questions"]], [q["id"]])
        self.ask("POST", f"/v1/questions/{q['run']}/approve", {"note": "once"})
        self.until(q["run"], "run.finished")
        self.assertEqual(self.opened(), 1)
        self.assertEqual(self.ask("GET", "/v1/questions?all=true")["questions"][0]["by"], "unix")

    def test_a_token_answers_nothing_and_a_viewer_neither(self):
        q = self.asked()
        self.token = self.run_agent("daemon", "token").out.strip()
        status, _, body = self.send("POST", f"/v1/questions/{q['id']}/approve", {}, over=self.tcp)
        self.assertEqual(status, 403, body)
        code = self.ask("POST", "/v1/codes", {"scope": "view"})["code"]
        self.token = self.ask("POST", "/v1/login", {"code": code}, over=self.tcp)["token"]
        status, _, body = self.send("POST", f"/v1/questions/{q['id']}/approve", {}, over=self.tcp)
        self.assertEqual(status, 403, body)
        self.assertEqual(self.opened(), 0)


if __name__ == "__main__":
    unittest.main()
