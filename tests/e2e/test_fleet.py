"""A fleet: one submitter, workers with homes of their own, and a real NATS server."""
import json
import os
import re
import signal
import socket
import sqlite3
import threading

import fleet_case
from fleet_case import Proxy
from harness import TIMEOUT_S


class Work(fleet_case.FleetCase):
    def test_sweep_is_done_by_two_workers_and_reported_as_a_local_one(self):
        self.fleet()
        self.worker("mac-1", "--jobs", "2")
        self.worker("mac-2", "--jobs", "2")
        goals = os.path.join(os.environ["IOS_AGENT_SOURCE"], "goals")
        r = self.sweep(goals, "--report-dir", "report")
        there = r.envelope()["result"]
        self.assertEqual(r.code, 0, r)
        local = self.run_agent("sweep", goals, "--demo", "--json").envelope()["result"]
        ended = lambda result: {g["name"]: (g["state"], g["reason"]) for g in result["results"]}
        self.assertEqual(ended(there), ended(local))
        verdicts = self.verdicts()
        n = len(verdicts)
        self.assertEqual(n, len(there["results"]))
        figures = there["fleet"]
        self.assertEqual((figures["verdicts"], figures["messages_refused"]), (n, 0))
        self.assertGreaterEqual(figures["orders"], n)
        self.assertEqual(sorted(figures), ["messages_refused", "orders", "orders_sent_again", "verdicts", "verdicts_too_late"])
        self.assertNotIn("fleet", local)
        self.assertEqual({v["worker"] for v in verdicts.values()}, {"mac-1", "mac-2"})
        # Rows, events and pictures are here, and the workers are not asked again.
        for w in self.workers:
            self.assertEqual(w.stop(), 0)
        run = self.run_agent("runs", "--json", "--limit", "100").envelope()["result"]
        there_runs = [x for x in run["runs"] if x["id"] in verdicts]
        self.assertEqual(len(there_runs), len(verdicts))
        self.assertTrue(all(x["lane"].startswith("mac-") for x in there_runs), there_runs)
        shown = self.run_agent("show", there_runs[0]["id"], "--transcript")
        self.assertEqual(shown.code, 0)
        self.assertIn("tool_use", shown.out)
        pictures = os.listdir(os.path.join(self.folder, "report", "pictures"))
        self.assertGreater(len(pictures), len(verdicts) // 2, pictures)

    def test_without_a_fleet_its_library_is_not_loaded(self):
        r = self.run_agent("sweep", self.goals(1), "--demo", env={"LD_DEBUG": "files"})
        self.assertEqual(r.code, 0, r)
        self.assertIn("calling init", r.err)
        self.assertNotIn("libnats", r.err)

    def test_recordings_are_replayed_and_made(self):
        """What a worker passed is recorded here, and replayed by a worker without a model; the recording is judged here."""
        self.fleet()
        worker = self.worker("mac-1")
        goals = self.goals(1, more="""expect = ['value switch "Airplane Mode" = "on"']""")
        r = self.sweep(goals, "--replay", "only")
        refused = r.envelope()["result"]["results"][0]
        self.assertEqual((refused["state"], refused["code"]), ("error", "NOT_FOUND"), refused)
        seen = []
        for _ in range(3):
            r = self.sweep(goals, "--replay", "auto")
            goal, = r.envelope()["result"]["results"]
            self.assertEqual(goal["state"], "passed", r)
            seen.append(self.run_agent("show", goal["run"], "--json").envelope()["result"])
        self.assertEqual([s["run"]["outcome"] for s in seen], [None, "replayed", "replayed"])
        self.assertEqual([s["run"]["tokens"]["output"] > 0 for s in seen], [True, False, False])
        recording, = self.run_agent("recordings", "list", "--json").envelope()["result"]["recordings"]
        self.assertEqual((recording["run"], recording["state"], recording["passes"]), (seen[0]["run"]["id"], "trusted", 2))
        self.assertEqual(seen[2]["run"]["recording"], recording["id"])
        # The switch has another identifier on that phone: a model does its step, and the healed recording waits here.
        self.assertEqual(worker.stop(), 0)
        self.worker("mac-2", "--device", "embedded:changed?changes=id:#airplane_mode=plane")
        for passes in (0, 1):
            goal, = self.sweep(goals, "--replay", "auto").envelope()["result"]["results"]
            self.assertEqual((goal["state"], goal["outcome"]), ("healed", "healed"))
            listed = self.run_agent("recordings", "list", "--json").envelope()["result"]["recordings"]
            self.assertEqual([(r["state"], r["passes"], r["parent"]) for r in listed],
                             [("quarantined", passes, recording["id"]), ("trusted", 0, None)])
        # One row there, which no run of the worker's own finds.
        db = sqlite3.connect(os.path.join(worker.home, "ios-agent.db"))
        self.addCleanup(db.close)
        self.assertEqual(db.execute("SELECT state, decided_by FROM recordings").fetchall(), [("replaced", "fleet")])

    def test_labels_choose_workers(self):
        self.fleet()
        self.worker("old", "--labels", "model=iphone15,os=18.5")
        self.worker("new", "--labels", "OS=18.5,model=iphone17")
        r = self.sweep(self.goals(4), "--labels", "model=iphone17")
        self.assertEqual(r.code, 0, r)
        self.assertEqual({v["worker"] for v in self.verdicts().values()}, {"new"})
        self.check_error(["sweep", self.goals(1), "--fleet", self.server.url, "--demo", "--labels", "model"], 2, "USAGE",
                         "labels")

    def test_time_limit_ends_what_no_worker_takes(self):
        self.fleet()
        r = self.sweep(self.goals(1), "--labels", "os=1", "--max-seconds", "1")
        self.assertEqual(r.envelope()["result"]["results"][0]["state"], "error", r)
        self.assertIn("no worker had time", r.out)
        self.assertIn("no worker with os=1 is there", r.err)

    def test_dead_workers_run_is_redelivered_and_says_so(self):
        self.fleet()
        first = self.worker("first", start=False)
        first.start(IOS_AGENT_KILL_AT="agent.tool.after:2")
        sweep = self.start_sweep(self.goals(1))
        self.assertEqual(first.process.wait(timeout=TIMEOUT_S), -signal.SIGKILL)
        self.worker("second")
        r = self.end_sweep(sweep)
        self.assertEqual(r["results"][0]["state"], "passed")
        (run, verdict), = self.verdicts().items()
        self.assertEqual((verdict["worker"], verdict["attempt"]), ("second", 2))
        shown = self.run_agent("show", run, "--json").out
        self.assertIn("second", shown)
        placed = [e for e in self.events(run) if e["event"] == "run.placed"]
        self.assertEqual([(e["worker"], e["attempt"]) for e in placed], [("second", 2)])
        # The worker that was killed ends what it had, and does not go on with it.
        first.start()
        self.assertEqual(first.stop(), 0)
        states = [x["state"] for x in self.worker_runs(first)]
        self.assertEqual(states, ["cancelled"])
        self.assertEqual(len(self.verdicts()), 1)

    def worker_runs(self, worker):
        r = self.run_agent("runs", "--json", env={"IOS_AGENT_HOME": worker.home})
        return r.envelope()["result"]["runs"]

    def events(self, run):
        r = self.run_agent("show", run, "--json")
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"))
        self.addCleanup(db.close)
        self.assertEqual(r.code, 0, r)
        return [json.loads(j) for (j,) in db.execute("SELECT json FROM events WHERE run_id = ? ORDER BY seq", (run,))]

    def test_submitter_is_killed_at_every_point_and_goes_on(self):
        self.fleet()
        self.worker("mac-1", "--jobs", "2")
        for point in ("fleet.order.sent:2", "fleet.verdict.stored:2", "fleet.rows.written:2", "store.commit.before:9",
                      "store.commit.after:9"):
            with self.subTest(point):
                process = self.start_sweep(self.goals(4), env={"IOS_AGENT_KILL_AT": point})
                process.communicate(timeout=TIMEOUT_S)
                self.assertEqual(process.returncode, -signal.SIGKILL)
                r = self.run_agent("sweep", "--resume", "last", "--fleet", self.server.url, "--json")
                self.assertEqual(r.code, 0, r)
                self.assertEqual([g["state"] for g in r.envelope()["result"]["results"]], ["passed"] * 4)
        self.assertEqual(len(self.verdicts()), 20)
        runs = self.run_agent("runs", "--json", "--limit", "100").envelope()["result"]["runs"]
        self.assertEqual([x["state"] for x in runs], ["passed"] * 20)

    def test_worker_is_killed_at_every_point_and_each_run_counts_once(self):
        self.fleet()
        worker = self.worker("mac-1", start=False)
        for point in ("fleet.order.held", "fleet.propose.before", "fleet.proposed", "store.commit.before:3"):
            with self.subTest(point):
                worker.start(IOS_AGENT_KILL_AT=point)
                process = self.start_sweep(self.goals(2))
                self.assertEqual(worker.process.wait(timeout=TIMEOUT_S), -signal.SIGKILL)
                worker.start()
                result = self.end_sweep(process)
                self.assertEqual([g["state"] for g in result["results"]], ["passed"] * 2)
                self.assertEqual(worker.stop(), 0)
        self.assertEqual(len(self.verdicts()), 8)

    def test_ctrl_c_leaves_the_sweep_to_resume(self):
        self.fleet()
        process = self.start_sweep(self.goals(3))
        self.until(lambda: self.fleet_status()["runs_out"] == 0 and
                   self.run_agent("runs", "--json").envelope()["result"]["runs"])
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 7, (out, err))
        self.assertIn("--resume", out + err)
        self.worker("mac-1")
        r = self.run_agent("sweep", "--resume", "last", "--fleet", self.server.url, "--json")
        self.assertEqual([g["state"] for g in r.envelope()["result"]["results"]], ["passed"] * 3, r)

    def fleet_status(self):
        return self.run_agent("fleet", "status", "--fleet", self.server.url, "--json").envelope()["result"]

    def fleet_workers(self):
        return self.run_agent("fleet", "workers", "--fleet", self.server.url, "--json").envelope()["result"]

    def test_drain_status_and_workers(self):
        self.fleet()
        self.assertEqual(self.fleet_status()["workers"], 0)
        self.assertIn("no worker is there", self.run_agent("fleet", "workers", "--fleet", self.server.url).out)
        worker = self.worker("mac-1", "--jobs", "2")
        self.worker("mac-2")
        self.assertEqual(self.sweep(self.goals(6)).code, 0)
        self.until(lambda: len(self.fleet_workers()) == 2)
        rows = {w["worker"]: w for w in self.fleet_workers()}
        self.assertEqual((rows["mac-1"]["devices"], rows["mac-1"]["state"]), (2, "up"))
        status = self.fleet_status()
        self.assertEqual((status["workers"], status["devices"], status["runs_out"], status["verdicts"]), (2, 3, 0, 6))
        r = self.run_agent("fleet", "drain", "mac-1", "--fleet", self.server.url)
        self.assertEqual(r.code, 0, r)
        self.assertEqual(worker.process.wait(timeout=TIMEOUT_S), 0)
        self.check_error(["fleet", "drain", "nobody", "--fleet", self.server.url], 2, "NOT_FOUND", "nobody")
        self.assertEqual(self.sweep(self.goals(2)).code, 0)

    def test_server_is_killed_and_the_sweep_waits_for_it(self):
        self.fleet()
        self.worker("mac-1", "--jobs", "2")
        process = self.start_sweep(self.goals(30))
        self.until(lambda: self.passed() >= 3)
        self.server.kill()
        self.server.start()
        result = self.end_sweep(process)
        self.assertEqual([g["state"] for g in result["results"]], ["passed"] * 30)
        self.assertEqual(len(self.verdicts()), 30)

    def passed(self):
        runs = self.run_agent("runs", "--json", "--limit", "100").envelope()["result"]["runs"]
        return sum(x["state"] == "passed" for x in runs)

    def test_partitioned_worker_comes_back_with_a_second_verdict_that_does_not_count(self):
        """Its network is cut while it works; another worker does the run; then it comes back."""
        self.fleet()
        proxy = Proxy(self.server.port)
        self.addCleanup(proxy.close)
        goal = "open Contacts, add a contact named Ada Lovelace with phone 555-0100, check that Ada Lovelace is in the list"
        self.worker("cut-off", "--device", "embedded:slow?faults=slow-tree:400", url=proxy.url)
        tap = self.tap()
        process = self.start_sweep(self.goals(1, goal))
        self.until(lambda: any(w["busy"] for w in self.fleet_workers()))
        proxy.cut_off = True
        proxy.cut()
        self.worker("other")
        result = self.end_sweep(process)
        self.assertEqual([g["state"] for g in result["results"]], ["passed"])
        (verdict,) = self.verdicts().values()
        self.assertEqual((verdict["worker"], verdict["attempt"]), ("other", 2))
        proxy.cut_off = False
        self.until(lambda: len(tap.heard) == 2)
        self.assertEqual(list(self.verdicts().values()), [verdict])
        self.assertEqual(self.passed(), 1)

    def test_budget_holds_although_a_worker_dies(self):
        """What all workers spent, by their own rows, is below the limit; what was lost counts in full."""
        self.fleet()
        first = self.worker("first", "--jobs", "2", start=False)
        first.start(IOS_AGENT_KILL_AT="agent.tool.after:9")
        limit = 0.2
        sweep = self.start_sweep(self.goals(12), "--max-usd", str(limit), "--jobs", "4")
        self.assertEqual(first.process.wait(timeout=TIMEOUT_S), -signal.SIGKILL)
        second = self.worker("second")
        out, err = sweep.communicate(timeout=TIMEOUT_S)
        results = json.loads(out)["result"]["results"]
        lost = [g for g in results if g["code"] == "FLEET"]
        self.assertTrue(lost, (out, err))
        self.assertTrue(any(g["state"] == "passed" for g in results), out)
        spent = sum(row["usd_max"] for w in (first, second) for row in self.spent(w.home))
        self.assertGreater(spent, 0)
        self.assertLessEqual(spent, limit)
        here = {row["run"]: row["usd_max"] for row in self.spent(self.home)}
        self.assertLessEqual(sum(here.values()), limit + 1e-9)
        self.assertTrue(all(here[g["run"]] > 0 for g in lost), here)

    def spent(self, home):
        db = sqlite3.connect(os.path.join(home, "ios-agent.db"))
        self.addCleanup(db.close)
        rows = db.execute("""SELECT run_id, max(coalesce(json_extract(json, '$.spent.usd_max'), 0)) FROM events
                             GROUP BY run_id""").fetchall()
        return [{"run": run, "usd_max": usd} for run, usd in rows]

    def test_pictures_of_a_dead_worker_are_missing_and_nothing_else(self):
        self.fleet()
        worker = self.worker("mac-1", start=False)
        worker.start(IOS_AGENT_KILL_AT="fleet.proposed")
        r = self.sweep(self.goals(1))
        self.assertEqual((r.code, worker.process.wait(timeout=TIMEOUT_S)), (0, -signal.SIGKILL), r)
        self.assertIn("pictures are still with their workers", r.err)
        self.assertEqual(self.run_agent("report", "last").code, 0)

    def test_no_more_runs_are_out_than_there_are_places(self):
        self.fleet()
        self.worker("mac-1", "--device", "embedded:slow?faults=slow-tree:100")
        process = self.start_sweep(self.goals(10), "--jobs", "3")
        seen = set()

        def third_verdict():
            status = self.fleet_status()
            seen.add(status["runs_out"])
            return status["verdicts"] >= 3

        self.until(third_verdict)
        self.assertLessEqual(max(seen), 3 + 1)  # the order of one that is over may not be acknowledged yet
        self.assertGreater(max(seen), 1)
        self.assertEqual([g["state"] for g in self.end_sweep(process)["results"]], ["passed"] * 10)

    def test_cancel_reaches_the_worker(self):
        self.fleet()
        process = self.start_sweep(self.goals(1))
        self.until(lambda: self.run_agent("runs", "--json").envelope()["result"]["runs"])
        run = self.run_agent("runs", "--json").envelope()["result"]["runs"][0]["id"]
        self.assertEqual(self.run_agent("cancel", run).code, 0)
        result = self.end_sweep(process, 7)
        self.assertEqual(result["results"][0]["state"], "cancelled")

    def test_old_server_is_refused(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def answer():
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                client.sendall(b'INFO {"server_id":"x","version":"2.9.10","jetstream":true,"max_payload":1048576}\r\n')
                client.close()

        threading.Thread(target=answer, daemon=True).start()
        url = f"nats://127.0.0.1:{listener.getsockname()[1]}"
        self.check_error(["fleet", "status", "--fleet", url], 3, "UNSUPPORTED", "2.9.10", "2.10.23")

    def test_addresses_that_are_refused(self):
        self.check_error(["fleet", "status"], 2, "USAGE", "fleet.url")
        self.check_error(["fleet", "status", "--fleet", "nats://u:p@127.0.0.1:1"], 2, "USAGE", "command line")
        self.check_error(["fleet", "status", "--fleet", "nats://10.1.2.3:4222"], 2, "USAGE", "TLS")
        self.check_error(["fleet", "status", "--fleet", "http://127.0.0.1:1"], 2, "USAGE", "NATS")
        self.check_error(["fleet", "status", "--fleet", f"nats://127.0.0.1:{fleet_case.free_port()}"], 3, "IO",
                         "no NATS server")

    def test_places_of_a_worker_that_nobody_reaches_are_refused(self):
        at = ["worker", "--fleet", "nats://127.0.0.1:1"]
        self.check_error([*at, "--url", "http://mac-7/pictures"], 2, "USAGE", "--url")
        self.check_error([*at, "--listen", "0.0.0.0:7070"], 2, "USAGE", "--url")
        self.check_error([*at, "--name", "mac.7"], 2, "USAGE", "name of a worker")
        self.check_error([*at, "--device", "embedded:a", "--jobs", "2"], 2, "USAGE", "--jobs")

    def test_goal_with_a_device_of_its_own_is_refused(self):
        self.fleet()
        path = self.goals(1, more='device = "embedded:mine"')
        self.check_error(["sweep", path, "--fleet", self.server.url, "--demo"], 2, "USAGE", "names its device")


if __name__ == "__main__":
    fleet_case.main()
