"""Secrets of a fleet's runs that the submitter gives to the worker that does the run, sealed to it."""
import base64
import json
import os
import signal

import fleet_case
from harness import TIMEOUT_S

VALUE = "engine-1843"  # that the simulated shop takes
GOAL = "open Shop, log in as ada with password {{secret:SHOP}}, check that Account is visible"
MORE = 'secrets = ["SHOP"]'
# In the clear, as hexadecimal, and in base 64 behind any number of other bytes.
FORMS = [VALUE.encode(), VALUE.encode().hex().encode(),
         *(base64.b64encode(b"\0" * n + VALUE.encode())[(4 * n + 2) // 3:-4] for n in range(3))]


class Secrets(fleet_case.FleetCase):
    def setUp(self):
        super().setUp()
        self.share = {"SHOP": VALUE, "IOS_AGENT_FLEET_SHARE_SECRETS": "OTHER, SHOP"}

    def start(self, env=None, **more):
        return self.start_sweep(self.goals(1, GOAL, MORE), env={**self.share, **(env or {})}, **more)

    def order_waits(self):
        """A worker that stands still, and a submitter whose order waits for it."""
        worker = self.worker("mac-1")
        self.assertEqual(self.sweep(self.goals(1)).code, 0)
        worker.process.send_signal(signal.SIGSTOP)
        self.addCleanup(lambda: worker.process.poll() is None and worker.process.send_signal(signal.SIGCONT))
        process = self.start()
        self.until(lambda: self.raw().messages("IA_RUNS"))
        return worker, process

    def state(self, process):
        return [(g["state"], g["code"]) for g in self.end_sweep(process, None)["results"]]

    def check_nowhere(self, *homes):
        """The value is in no file, in no form that is easily read, but for the simulated phone's own log of what was typed into it."""
        forms = [*FORMS, VALUE[::-1].encode()]
        for home in homes:
            for folder, _, names in os.walk(home):
                for name in names:
                    path = os.path.join(folder, name)
                    if os.path.isfile(path) and os.path.basename(folder) != "embedded":
                        with open(path, "rb") as f:
                            data = f.read()
                        for form in forms:
                            self.assertNotIn(form, data, path)

    def test_value_is_typed_by_a_worker_that_does_not_have_it(self):
        self.fleet()
        tap = self.tap(">")
        worker = self.worker("mac-1", "--jobs", "2")
        process = self.start()
        self.assertEqual(self.state(process), [("passed", None)])
        (verdict,) = self.verdicts().values()
        self.assertEqual((verdict["worker"], verdict["attempt"]), ("mac-1", 1))
        self.assertEqual(worker.stop(), 0)
        self.assertTrue(any(subject.startswith("ia.ask.mac-1.") for subject, _ in tap.heard))
        heard = b"\n".join(body for _, body in tap.heard)
        self.assertIn(b'"sealed"', heard)
        for form in FORMS:
            self.assertNotIn(form, heard)
        self.assertNotIn(VALUE, "".join(worker.said))
        self.check_nowhere(self.home, worker.home, self.server.folder + "/js")

    def test_value_of_the_submitter_goes_before_the_workers(self):
        self.fleet()
        self.worker("mac-1", env={"SHOP": "another-value-here", "IOS_AGENT_FLEET_SECRETS": "SHOP"})
        tap = self.tap("ia.ask.>")
        self.assertEqual(self.state(self.start()), [("passed", None)])
        self.assertTrue(tap.heard)

    def test_nothing_is_given_that_is_not_shared(self):
        self.fleet()
        worker = self.worker("mac-1")
        tap = self.tap("ia.ask.>")
        env = {"IOS_AGENT_FLEET_SHARE_SECRETS": "SHO, SHOPS", "IOS_AGENT_FLEET_ATTEMPTS": "1"}
        self.assertEqual(self.state(self.start(env)), [("error", "FLEET")])
        self.assertIn("may not type the secret SHOP", "".join(worker.said))
        self.assertEqual(tap.heard, [])

    def test_nobody_is_answered_without_the_runs_key(self):
        """What a worker asked is changed in each of its parts, and sent under another name; and as it was, when the run is over."""
        self.fleet()
        answers = self.tap("ia.answer.>")
        asks = self.tap("ia.ask.>")
        self.worker("mac-1", "--device", "embedded:slow?faults=slow-tree:300")
        process = self.start_sweep(self.goals(2, GOAL, MORE), env=self.share)
        self.until(lambda: asks.heard and answers.heard)
        subject, body = asks.heard[0]
        ask = json.loads(body)
        raw = self.raw()
        other = base64.b64encode(os.urandom(32)).decode()
        for change in ({"public_key": other}, {"worker": "mac-2"}, {"code": "0" * 64}, {"run": ask["batch"]}, {"public_key": ""},
                       {"v": 2}, {"code": None}):
            raw.publish(subject, json.dumps({**ask, **change}).encode())
        raw.publish(subject.replace("mac-1", "mac-2"), body)
        for junk in (b"", b"[" * 3000, b"\xff" * 100, b"x" * 100000):
            raw.publish(subject, junk)
        answered = lambda to: sum(s == to.replace("ia.ask.", "ia.answer.") for s, _ in answers.heard)
        second = lambda: next((heard for heard in asks.heard if not heard[0].endswith(ask["run"])), None)
        self.until(lambda: ask["run"] in self.verdicts() and second() and answered(second()[0]))
        self.assertLessEqual(answered(subject), sum(s == subject for s, _ in asks.heard))

        def unanswered():
            """The second run is out: the answer to its ask comes behind all that the first one's would have got."""
            before, other_before = answered(subject), answered(second()[0])
            raw.publish(subject, body)
            raw.publish(*second())
            self.until(lambda: answered(second()[0]) > other_before)
            return answered(subject) == before

        self.until(unanswered)  # from when the rows of the first run are here
        self.assertEqual({s for s, _ in answers.heard}, {s.replace("ia.ask.", "ia.answer.") for s in (subject, second()[0])})
        self.assertEqual([g["state"] for g in self.end_sweep(process)["results"]], ["passed"] * 2)

    def test_false_answers_are_ignored(self):
        """Somebody who reads and writes everything, but has no run's key, answers before the submitter does."""
        self.fleet()
        asks = self.tap("ia.ask.>")
        raw = self.raw()
        worker, process = self.order_waits()
        process.send_signal(signal.SIGSTOP)
        worker.process.send_signal(signal.SIGCONT)
        self.until(lambda: asks.heard)
        subject = asks.heard[0][0].replace("ia.ask.", "ia.answer.")
        for sealed in (b"", os.urandom(48), os.urandom(200)):
            raw.publish(subject, json.dumps({"v": 1, "sealed": base64.b64encode(sealed).decode(), "code": "0" * 64}).encode())
        raw.publish(subject, b"{")
        process.send_signal(signal.SIGCONT)
        self.assertEqual(self.state(process), [("passed", None)])

    def test_submitter_that_was_killed_answers_when_it_is_resumed(self):
        self.fleet()
        worker, process = self.order_waits()
        process.kill()
        process.communicate()
        worker.process.send_signal(signal.SIGCONT)
        self.until(lambda: "does not give its secrets" in "".join(worker.said))
        r = self.run_agent("sweep", "--resume", "last", "--fleet", self.server.url, "--json", env=self.share)
        self.assertEqual(r.code, 0, r)
        self.assertEqual({v["attempt"] for v in self.verdicts().values()}, {1})

    def test_silent_submitters_do_not_hold_up_others(self):
        """Orders whose submitter was killed come again and again."""
        self.fleet()
        worker = self.worker("mac-1", "--jobs", "2")
        self.assertEqual(self.sweep(self.goals(1)).code, 0)
        worker.process.send_signal(signal.SIGSTOP)
        self.addCleanup(lambda: worker.process.poll() is None and worker.process.send_signal(signal.SIGCONT))
        process = self.start_sweep(self.goals(4, GOAL, MORE), env=self.share)
        self.until(lambda: len(self.raw().messages("IA_RUNS")) == 4)
        process.kill()
        process.communicate()
        worker.process.send_signal(signal.SIGCONT)
        for home in (os.path.join(self.folder, "other"), self.home):
            r = self.sweep(self.goals(8), env={"IOS_AGENT_HOME": home})
            self.assertEqual(r.code, 0, r)

    def test_next_attempt_asks_anew(self):
        self.fleet()
        asks = self.tap("ia.ask.>")
        first = self.worker("first", start=False)
        first.start(IOS_AGENT_KILL_AT="agent.tool.after:2")
        process = self.start()
        self.assertEqual(first.process.wait(timeout=TIMEOUT_S), -signal.SIGKILL)
        self.worker("second")
        self.assertEqual(self.state(process), [("passed", None)])
        # One that hears nothing for half a second repeats what it asked.
        asked = list(dict.fromkeys((subject.split(".")[2], json.loads(body)["public_key"]) for subject, body in asks.heard))
        self.assertEqual([worker for worker, _ in asked], ["first", "second"])
        self.assertEqual(len({key for _, key in asked}), 2)
        self.check_nowhere(first.home)


if __name__ == "__main__":
    fleet_case.main()
