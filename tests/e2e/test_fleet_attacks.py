"""Who may do what in a fleet: wrong credentials, forged and replayed messages, workers that lie, goals that a worker
does not do. The attacker speaks NATS itself."""
import base64
import hashlib
import hmac
import json
import os
import signal

import fleet_case
from fleet_case import Raw
from harness import TIMEOUT_S

# What docs/fleet.md permits: a submitter, and a worker that has a name and one class.
USERS = """
authorization {
  users = [
    { user: submitter, password: s3cret, permissions: {
        publish: [ "ia.>", "$JS.API.>", "$JS.ACK.IA_PROPOSED.>", "$KV.ia_workers.>" ]
        subscribe: [ "_INBOX.>", "ia.live.>", "ia.beat.>", "ia.ask.>" ] } }
    { user: mac1, password: m1, permissions: {
        publish: [ "ia.proposed.mac-1.>", "ia.live.mac-1.>", "ia.beat.mac-1.>", "ia.ask.mac-1.>", "ia.claim.>", "$KV.ia_workers.mac-1",
                   "$JS.API.CONSUMER.MSG.NEXT.IA_RUNS.os=18:5", "$JS.API.CONSUMER.INFO.IA_RUNS.os=18:5",
                   "$JS.ACK.IA_RUNS.os=18:5.>", "$JS.API.STREAM.INFO.KV_ia_workers",
                   "$JS.API.STREAM.MSG.GET.IA_VERDICTS", "$JS.API.STREAM.MSG.GET.IA_PROPOSED" ]
        subscribe: [ "_INBOX_mac-1.>", "ia.cancel.>", "ia.drain.mac-1", "ia.answer.mac-1.>" ] } }
    { user: admin, password: root }
  ]
}
"""


class Attacks(fleet_case.FleetCase):
    def url_of(self, user, password):
        return {"IOS_AGENT_FLEET_URL": f"nats://{user}:{password}@127.0.0.1:{self.server.port}"}

    def orders(self):
        return self.raw().messages("IA_RUNS")

    def test_wrong_credentials_are_refused_and_named(self):
        self.fleet(USERS)
        for user, password in (("submitter", "wrong"), ("nobody", "x")):
            r = self.run_agent("fleet", "status", "--json", env=self.url_of(user, password))
            self.assertEqual((r.code, r.envelope()["error"]["code"]), (3, "AUTH"), r)
            self.assertNotIn(password, r.out + r.err)

    def test_documented_permissions_suffice_and_permit_no_more(self):
        self.fleet(USERS)
        submitter = {**self.url_of("submitter", "s3cret"), "SHOP": "engine-1843", "IOS_AGENT_FLEET_SHARE_SECRETS": "SHOP"}
        goals = self.goals(3, "open Shop, log in as ada with password {{secret:SHOP}}, check that Account is visible",
                           'secrets = ["SHOP"]')
        process = self.start_sweep(goals, "--labels", "os=18.5", url="", env=submitter)
        args = ["--labels", "os=18.5"]
        worker = fleet_case.Worker(self, "mac-1", "", *args, env=self.url_of("mac1", "m1"))
        self.addCleanup(worker.close)
        worker.start()
        self.assertEqual([g["state"] for g in self.end_sweep(process, None)["results"]], ["passed"] * 3)
        attacker = Raw(self.server.url, "mac1", "m1")
        self.addCleanup(attacker.close)
        for subject in ("ia.proposed.mac-2.b.r", "ia.verdict.b.r", "ia.run.os=18:5.b.r", "ia.cancel.b.r", "ia.ask.mac-2.b.r", "ia.answer.mac-1.b.r",
                        "$JS.API.CONSUMER.MSG.NEXT.IA_RUNS.any", "$JS.API.STREAM.DELETE.IA_RUNS",
                        "$JS.API.STREAM.PURGE.IA_VERDICTS", "$KV.ia_workers.mac-2"):
            errors = attacker.publish(subject, b"{}")
            self.assertTrue(errors and "Permissions Violation" in errors[0], (subject, errors))

    def test_forged_and_garbled_proposals_count_for_nothing(self):
        self.fleet()
        process = self.start_sweep(self.goals(1), "--labels", "os=18.5")
        self.until(lambda: self.run_agent("runs", "--json").envelope()["result"]["runs"])
        run = self.run_agent("runs", "--json").envelope()["result"]["runs"][0]
        raw = self.raw()
        subject = f"ia.proposed.evil.{run['sweep']}.{run['id']}"
        bundle = json.dumps({"v": 1, "run": run["id"], "state": "passed", "events": [
            {"event": "run.finished", "seq": 1, "ts": "2026-01-01T00:00:00.000Z", "run": run["id"], "state": "passed",
             "code": "OK", "message": "forged"}], "messages": [], "calls": []}).encode()
        head = {"v": 1, "batch": run["sweep"], "run": run["id"], "worker": "evil", "attempt": 1, "url": "",
                "sha256": "0" * 64, "code": "0" * 64}
        for body in (json.dumps(head).encode() + b"\n" + bundle, json.dumps({**head, "v": 9}).encode() + b"\n" + bundle,
                     b"", b"\n", b"\x00" * 1000, b"[" * 5000, b'{"v":1}\n' + b"{" * 100000, b"x" * 700000,
                     json.dumps({**head, "run": "../../etc"}).encode() + b"\n"):
            self.assertIn("seq", json.loads(raw.request(subject, body)))
        self.worker("mac-1", "--labels", "os=18.5")
        self.assertEqual([g["state"] for g in self.end_sweep(process, None)["results"]], ["passed"])
        (verdict,) = self.verdicts().values()
        self.assertEqual(verdict["worker"], "mac-1")

    def test_rows_that_no_run_has_end_their_run_alone(self):
        """A worker that has the order, and so the key, sends what the store refuses: the sweep goes on."""
        bad = [[{"role": "god", "purpose": "act", "content": "[]", "seq": 1}],
               [{"role": "user", "purpose": "act", "content": "[]", "seq": 1}] * 2]
        call = {"message_seq": 9, "step": 1, "id": "a", "name": "tap", "input": "{}", "done": True}
        self.fleet()
        self.worker("mac-1", "--labels", "os=18.5")
        self.assertEqual(self.sweep(self.goals(1), "--labels", "os=18.5").code, 0)
        self.workers[0].kill()
        process = self.start_sweep(self.goals(4), "--labels", "os=18.5", "--jobs", "3")
        raw = self.raw()
        self.until(lambda: len(raw.messages("IA_RUNS")) == 3, 15)
        for (subject, body), (messages, calls) in zip(raw.messages("IA_RUNS"), ((bad[0], []), (bad[1], []), ([], [call]))):
            self.propose(raw, json.loads(body), messages, calls)
        self.until(lambda: len(raw.messages("IA_RUNS")) == 4, 15)
        raw.api("STREAM.PURGE.IA_RUNS", keep=1)
        self.workers[0].close()
        self.workers[0].start()
        results = self.end_sweep(process, None)["results"]
        self.assertEqual(sorted(g["state"] for g in results), ["error"] * 3 + ["passed"])

    def propose(self, raw, order, messages, calls):
        run = order["run"]
        bundle = json.dumps({"v": 1, "run": run, "state": "passed", "messages": messages, "calls": calls, "events": [
            {"event": "run.started", "seq": 1, "ts": "2026-01-01T00:00:00.000Z", "run": run, "goal": "x"},
            {"event": "run.finished", "seq": 2, "ts": "2026-01-01T00:00:01.000Z", "run": run, "state": "passed",
             "code": "OK", "message": ""}]}).encode()
        head = {"v": 1, "batch": order["batch"], "run": run, "worker": "evil", "attempt": 1, "url": "",
                "sha256": hashlib.sha256(bundle).hexdigest()}
        text = "\n".join([head["batch"], run, "1", "evil", head["sha256"], ""])
        head["code"] = hmac.new(base64.b64decode(order["key"]), ("verdict\n" + text).encode(),
                                hashlib.sha512).digest()[:32].hex()
        raw.request(f"ia.proposed.evil.{order['batch']}.{run}", json.dumps(head).encode() + b"\n" + bundle)

    def test_replayed_proposal_is_no_second_verdict(self):
        self.fleet()
        self.worker("mac-1")
        tap = self.tap()
        self.assertEqual(self.sweep(self.goals(1)).code, 0)
        raw = self.raw()
        self.assertEqual(raw.messages("IA_PROPOSED"), [], "a sweep that is over leaves none")
        (subject, body), = tap.heard
        process = self.start_sweep(self.goals(3))
        for _ in range(5):
            raw.request(subject, body)
        sweep = subject.split(".")[3]
        # The same under the name of the new sweep: its code is of another run.
        self.until(lambda: any(r["sweep"] != sweep for r in self.run_agent(
            "runs", "--json").envelope()["result"]["runs"]))
        other = self.run_agent("runs", "--json").envelope()["result"]["runs"][0]
        raw.request(f"ia.proposed.mac-1.{other['sweep']}.{other['id']}", body)
        self.assertEqual([g["state"] for g in self.end_sweep(process, None)["results"]], ["passed"] * 3)
        self.assertEqual(len(self.verdicts()), 4)

    def test_second_verdict_is_refused_by_the_server(self):
        self.fleet()
        self.worker("mac-1")
        self.assertEqual(self.sweep(self.goals(1)).code, 0)
        raw = self.raw()
        (subject, body), = raw.messages("IA_VERDICTS")
        answer = json.loads(raw.request(subject, b'{"worker":"evil"}'))
        self.assertEqual(answer["error"]["err_code"], 10077)
        for what in ("STREAM.PURGE.IA_VERDICTS", "STREAM.MSG.DELETE.IA_VERDICTS"):
            self.assertIn("error", raw.api(what, seq=1))
        self.assertEqual(raw.messages("IA_VERDICTS"), [(subject, body)])

    def test_garbled_and_too_large_orders_do_not_stop_a_worker(self):
        self.fleet()
        self.worker("mac-1")
        self.assertEqual(self.sweep(self.goals(1)).code, 0)
        raw = self.raw()
        for i, body in enumerate((b"", b"{}", b"[" * 9000, b"\xff" * 1000, b"x" * 300000)):
            self.assertIn("seq", json.loads(raw.request(f"ia.run.any.b{i}.r", body)))
        answer = json.loads(raw.request("ia.run.any.b9.r", b"x" * 400000))
        self.assertIn("maximum", answer["error"]["description"])
        self.assertEqual(self.sweep(self.goals(2)).code, 0)
        self.until(lambda: not self.orders())

    def test_acknowledged_order_that_nobody_did_is_sent_again(self):
        """A worker of the class acknowledges what it never did."""
        self.fleet()
        process = self.start_sweep(self.goals(1))
        thief = self.worker("thief", start=False)
        thief.start(IOS_AGENT_KILL_AT="fleet.order.held")
        self.assertEqual(thief.process.wait(timeout=TIMEOUT_S), -signal.SIGKILL)
        raw = self.raw()
        raw.api("STREAM.PURGE.IA_RUNS")
        self.worker("mac-1")
        result = self.end_sweep(process, None)
        self.assertEqual([g["state"] for g in result["results"]], ["passed"])
        self.assertEqual((result["fleet"]["orders"], result["fleet"]["orders_sent_again"], result["fleet"]["verdicts"]), (2, 1, 1))
        (verdict,) = self.verdicts().values()
        self.assertEqual((verdict["worker"], verdict["attempt"]), ("mac-1", 2))  # although the server delivers the new order once

    def test_run_with_a_budget_is_begun_once_although_the_server_forgets(self):
        """Its worker dies, and its order comes to another one as if it were the first."""
        self.fleet()
        process = self.start_sweep(self.goals(1), "--max-usd", "1")
        thief = self.worker("thief", start=False)
        thief.start(IOS_AGENT_KILL_AT="fleet.order.held")
        self.assertEqual(thief.process.wait(timeout=TIMEOUT_S), -signal.SIGKILL)
        self.raw().api("STREAM.PURGE.IA_RUNS")
        self.worker("mac-1")
        self.assertEqual([(g["state"], g["code"]) for g in self.end_sweep(process, None)["results"]], [("error", "FLEET")])

    def test_order_that_vanishes_every_time_ends_its_run(self):
        """Something acknowledges whatever there is; the worker that is there never gets it."""
        self.fleet()
        worker = self.worker("mac-1").process
        self.assertEqual(self.sweep(self.goals(1)).code, 0)
        worker.send_signal(signal.SIGSTOP)
        self.addCleanup(worker.send_signal, signal.SIGCONT)
        process = self.start_sweep(self.goals(1), env={"IOS_AGENT_FLEET_LEASE_S": "1"})
        admin = self.raw()
        self.until(lambda: self.purge_until_ended(admin, process))
        result = self.end_sweep(process, None)
        self.assertEqual([g["state"] for g in result["results"]], ["error"])
        self.assertIn("5 times its order was taken from the queue", json.dumps(result))

    @staticmethod
    def purge_until_ended(admin, process):
        admin.api("STREAM.PURGE.IA_RUNS")
        return process.poll() is not None

    def test_worker_that_lies_about_its_labels_is_found_out(self):
        self.fleet()
        self.worker("liar", "--labels", "os=99")
        r = self.sweep(self.goals(1), "--labels", "os=99")
        self.assertEqual(r.envelope()["result"]["results"][0]["state"], "error", r)
        self.assertIn("its device is not of the class", r.out)
        self.assertEqual({v["worker"] for v in self.verdicts().values()}, {"."})

    def test_worker_refuses_what_its_policy_does_not_allow(self):
        self.fleet()
        self.worker("mac-1", env={"PIN": "1234"})
        more = 'secrets = ["PIN"]'
        goal = "open Settings, turn on Airplane Mode"
        env = {"IOS_AGENT_FLEET_ATTEMPTS": "1", "PIN": "1234"}
        r = self.sweep(self.goals(1, goal, more), env=env)
        self.assertEqual(r.envelope()["result"]["results"][0]["state"], "error", r)
        self.assertIn("no worker may do the run; the last one, mac-1, says", r.out)
        self.assertIn("fleet.secrets", "".join(self.workers[0].said))
        for home in (self.home, self.workers[0].home):
            with open(os.path.join(home, "ios-agent.db"), "rb") as f:
                self.assertNotIn(b"1234\x00", f.read())
        self.worker("mac-2", env={"PIN": "1234", "IOS_AGENT_FLEET_SECRETS": "PIN"})
        self.workers[0].stop()
        tap = self.tap()
        self.assertEqual(self.sweep(self.goals(1, goal, more), env=env).code, 0)
        self.assertEqual(len(tap.heard), 1)
        for _, body in tap.heard:
            self.assertNotIn(b'"1234"', body)

    def test_refusals_are_no_attempts(self):
        """A run that may be begun once, by the only worker that may do it."""
        self.fleet()
        refuser = self.worker("refuser", env={"PIN": "1234"})
        goals = self.goals(1, more='secrets = ["PIN"]')
        process = self.start_sweep(goals, env={"IOS_AGENT_FLEET_ATTEMPTS": "1", "PIN": "1234"})
        self.until(lambda: "".join(refuser.said).count("fleet.secrets") >= 2)
        self.worker("mac-2", env={"PIN": "1234", "IOS_AGENT_FLEET_SECRETS": "PIN"})
        self.assertEqual([g["state"] for g in self.end_sweep(process, None)["results"]], ["passed"])
        (verdict,) = self.verdicts().values()
        self.assertEqual((verdict["worker"], verdict["attempt"]), ("mac-2", 1))

    def test_pictures_are_given_to_nobody_without_the_runs_key(self):
        self.fleet()
        self.worker("mac-1")
        tap = self.tap()
        self.assertEqual(self.sweep(self.goals(1)).code, 0)
        (_, body), = tap.heard
        head = json.loads(body.split(b"\n", 1)[0])
        import urllib.error
        import urllib.request
        for path in ("/", "/fleet/blobs/" + "0" * 64, f"/fleet/blobs/{head['sha256']}?run={head['run']}&code={'0' * 64}",
                     f"/fleet/blobs/../../ios-agent.db?run={head['run']}&code={'0' * 64}"):
            with self.assertRaises(urllib.error.HTTPError) as raised:
                urllib.request.urlopen(head["url"] + path, timeout=TIMEOUT_S)
            self.assertIn(raised.exception.code, (403, 404), path)
            raised.exception.close()


if __name__ == "__main__":
    fleet_case.main()
