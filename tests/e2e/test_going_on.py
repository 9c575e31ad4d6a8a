"""resume, say, run --retries, --continue: runs that stop and go on, from outside."""
import json
import os
import signal
import sqlite3
import unittest

from harness import ADA, Case


class GoingOn(Case):
    def killed_run(self, *args, at="agent.tool.after:3"):
        killed = self.run_agent("run", ADA, *args, env={"IOS_AGENT_KILL_AT": at})
        self.assertEqual(killed.code, -signal.SIGKILL, killed)
        return self.runs()[0]["id"]

    def names(self):
        return [c["name"] for c in self.state()["contacts"]]

    def test_the_defaults_that_config_shows_are_those_in_force(self):
        shown = {v["key"]: v["value"] for v in self.run_agent("config", "--json").envelope()["result"]["values"]}
        for env in ({}, {"IOS_AGENT_API_MAX_RETRIES": str(shown["api.max_retries"])}):
            double = self.double("--fault", "500")
            self.run_agent("run", "look around", env={**self.claude(double), **env})
            self.assertEqual(double.stop()["requests"], 3, env)
            double = self.double("--fault", "529@1-3")
            result = self.run_agent("run", "look around", env={**self.claude(double), **env})
            self.assertIn("retrying", result.out, env)
            self.assertNotEqual(result.code, 6, result)
        run = self.run_agent("run", "open Settings", "--demo", "--events").events()[0]
        self.assertEqual(run["budget"]["max_steps"], shown["run.max_steps"])

    def test_a_run_whose_process_died_goes_on_and_passes(self):
        run = self.killed_run()
        self.assertTrue(self.runs()[0]["orphaned"])
        result = self.run_agent("resume")
        self.assertEqual(result.code, 0, result)
        for text in ("resumed after 5 steps", "PASSED", run):
            self.assertIn(text, result.out)
        self.assertEqual(self.names().count("Ada Lovelace"), 1)
        self.assertEqual(len(self.runs()), 1)
        again = self.run_agent("resume")
        self.assertEqual((again.code, again.out), (0, "nothing to resume\n"))
        self.check_error(["resume", run], 2, "STATE", "has already finished: passed")
        self.check_error(["resume", "ffffffff"], 2, "NOT_FOUND")
        self.check_error(["resume", "--events", "--json"], 2, "USAGE")

    def test_wherever_a_call_is_cut_off_the_run_comes_to_its_true_verdict(self):
        for point in ("agent.tool.before", "agent.tool.after"):
            for n in range(1, 9):  # every call, also the one that shows what is quoted
                with self.subTest(point=point, n=n):
                    self.home = os.path.join(self.folder, f"{point}-{n}")
                    self.killed_run(at=f"{point}:{n}")
                    result = self.run_agent("resume")
                    self.assertEqual(result.code, 0, result)
                    self.assertEqual(self.names().count("Ada Lovelace"), 1)

    def test_a_long_queue_of_later_runs_does_not_hide_it(self):
        run = self.killed_run()
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"))
        names = [c[1] for c in db.execute("PRAGMA table_info(runs)")]
        row = dict(zip(names, db.execute("SELECT * FROM runs").fetchone()))
        row.update(state="queued", started_at=None, heartbeat_at=None, owner_pid=None, owner_token=None)
        places = ", ".join("?" * len(names))
        with db:
            for i in range(2500):
                row["id"] = f"ffffffff-0000-7000-8000-{i:012x}"
                db.execute(f"INSERT INTO runs VALUES ({places})", list(row.values()))
        db.close()
        result = self.run_agent("resume", "--json").envelope()["result"]
        self.assertEqual([r["run"] for r in result["runs"]], [run])

    def test_several_go_on_one_after_the_other_and_the_worst_decides(self):
        self.killed_run("--device", "embedded:one")
        self.killed_run("--device", "embedded:two", "--max-steps", "5")
        result = self.run_agent("resume", "--json")
        self.assertEqual(result.code, 4, result)
        envelope = result.envelope()
        self.assertEqual([r["state"] for r in envelope["result"]["runs"]], ["passed", "error"])
        self.assertEqual(envelope["error"]["code"], "BUDGET")
        contacts = self.state("--device", "embedded:one")["contacts"]
        self.assertIn("Ada Lovelace", [c["name"] for c in contacts])

    def test_the_phone_is_opened_again_as_it_was_named(self):
        # From the 6th look on the phone is lost, in every process that opens it by that name.
        name = "embedded:qa?faults=lost@6"
        run = self.killed_run("--device", name, at="store.commit.after:6")
        result = self.run_agent("resume", run)
        self.assertEqual(result.code, 3, result)
        self.assertIn("lost", result.out + result.err)

    def test_events_of_a_resumed_run_continue_those_before(self):
        run = self.killed_run()
        events = self.run_agent("resume", run[-8:], "--events").events()
        self.assertEqual((events[0]["event"], events[0]["run"]), ("run.resumed", run))
        self.assertEqual(events[-1]["event"], "run.finished")
        shown = self.run_agent("show", run)
        self.assertIn("interrupted", shown.out)
        self.assertIn("resumed after", shown.out)

    def change(self, *statements):
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"))
        with db:
            for sql in statements:
                db.execute(sql)
        db.close()

    def test_what_an_older_version_began_ends_and_is_met_once(self):
        self.killed_run()
        self.change("UPDATE runs SET options = '{}'")
        result = self.run_agent("resume")
        self.assertEqual(result.code, 3, result)
        self.assertIn("could not resume", result.err)
        self.assertEqual([r["state"] for r in self.runs()], ["error"])
        self.assertEqual(self.run_agent("resume").out, "nothing to resume\n")

    def test_a_wall_clock_that_jumped_uses_up_no_time(self):
        for jump in ("+2 hours", "-2 hours"):
            self.home = os.path.join(self.folder, jump)
            run = self.killed_run("--max-seconds", "600")
            first = "(SELECT min(seq) FROM events WHERE type = 'request.finished')"
            self.change("DROP TRIGGER events_are_append_only",
                        f"UPDATE events SET ts = strftime('%Y-%m-%dT%H:%M:%fZ', ts, '{jump}') WHERE seq >= {first}")
            events = self.run_agent("resume", run, "--events").events()
            self.assertLess(events[0]["seconds"], 600)
            self.assertEqual(events[-1]["state"], "passed")

    # Begins with a tap, then says that it failed.
    SCRIPT = [
        {"blocks": [{"tool_use": "tap", "input": {"ref": '$ref(icon "Contacts")'}}]},
        {"blocks": [{"tool_use": "finish", "input": {
            "verdict": "failed", "summary": "the end", "evidence": []}}]},
    ]

    def killed_run_of_claude(self, *args, env=None):
        double = self.script(*self.SCRIPT)
        env = {**self.claude(double), **(env or {})}
        killed = self.run_agent("run", "x", *args, env={**env, "IOS_AGENT_KILL_AT": "agent.tool.after:1"})
        self.assertEqual(killed.code, -signal.SIGKILL, killed)
        return double, env

    def test_a_run_of_claude_waits_for_its_key_and_is_never_answered_by_the_demo_brain(self):
        double, env = self.killed_run_of_claude()
        self.check_error(["resume"], 3, "KEY_MISSING", "there is no key for Claude")
        tick = self.run_agent("schedule", "tick")
        self.assertEqual(tick.code, 3, tick)
        self.assertIn("there is no key for Claude", tick.out + tick.err)
        self.assertEqual([(r["state"], r["steps"]) for r in self.runs()], [("queued", 1)])
        result = self.run_agent("resume", env=env)
        self.assertEqual(result.code, 1, result)
        self.assertIn("the end", result.out)
        self.assertEqual(double.stop()["rejected"], {})

    def test_what_another_process_took_since_it_was_listed_is_no_failure(self):
        self.killed_run_of_claude("--device", "embedded:one")
        second = self.killed_run("--device", "embedded:two")
        slow = self.script(self.SCRIPT[0], {**self.SCRIPT[1], "latency_ms": 5000})
        process = self.start_agent("resume", "--json", env=self.claude(slow))
        while self.state_of("embedded:one") != "running":
            pass
        self.assertEqual(self.run_agent("resume", second).code, 0)
        out, err = process.communicate()
        self.assertEqual(process.returncode, 1, out + err)
        self.assertEqual(len(json.loads(out)["result"]["runs"]), 1)

    def state_of(self, lane):
        return next(r["state"] for r in self.runs() if r["lane"] == lane)

    def test_a_run_waits_for_its_secret(self):
        _, env = self.killed_run_of_claude("--secret", "PIN", env={"PIN": "sesame-open"})
        without = {k: v for k, v in env.items() if k != "PIN"}
        self.check_error(["resume"], 2, "USAGE", "PIN has no value", env=without)
        tick = self.run_agent("schedule", "tick", env=without)
        self.assertEqual(tick.code, 2, tick)
        self.assertEqual([r["state"] for r in self.runs()], ["queued"])
        result = self.run_agent("resume", env=env)
        self.assertEqual(result.code, 1, result)
        self.assertIn("the end", result.out)

    def test_a_request_that_was_cut_off_is_counted_however_often_the_run_was_refused(self):
        double = self.script(*self.SCRIPT)
        env = {**self.claude(double), "PIN": "sesame-open"}
        killed = self.run_agent("run", "x", "--secret", "PIN", env={**env, "IOS_AGENT_KILL_AT": "agent.request.after:2"})
        self.assertEqual(killed.code, -signal.SIGKILL, killed)
        self.assertEqual(self.run_agent("resume", env=self.claude(double)).code, 2)
        result = self.run_agent("resume", "--json", env=env).envelope()["result"]["runs"][0]
        self.assertEqual((result["state"], result["cost_usd"]), ("failed", None), result)

    def test_a_signal_leaves_the_run_to_the_next_resume(self):
        _, env = self.killed_run_of_claude()
        slow = self.script(self.SCRIPT[0], {"blocks": [{"text": "x"}], "latency_ms": 60000})
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            process = self.start_agent("resume", "--events", env=self.claude(slow))
            self.read_event(process, "request.started")
            process.send_signal(number)
            process.communicate()
            self.assertEqual(process.returncode, 7)
            self.assertEqual([r["state"] for r in self.runs()], ["queued"])
        result = self.run_agent("resume", env=env)
        self.assertEqual(result.code, 1, result)

    def test_a_signal_leaves_the_run_that_waits_for_its_next_try(self):
        env = {**self.claude(self.double("--fault", "529")), "IOS_AGENT_API_MAX_RETRIES": "0"}
        for command in (["run", "x", "--retries", "5", "--events"], ["resume", "--events"]):
            process = self.start_agent(*command, env=env)
            self.read_event(process, "run.retry_wait")
            process.send_signal(signal.SIGKILL if command[0] == "run" else signal.SIGTERM)
            process.communicate()
            self.assertEqual([r["state"] for r in self.runs()], ["retry_wait"])
        self.assertEqual(process.returncode, 7)

    def test_a_run_that_is_done_elsewhere_is_left_alone(self):
        double = self.script({"blocks": [{"text": "x"}], "latency_ms": 60000})
        process = self.start_agent("run", "wait", "--events", env=self.claude(double))
        run = self.read_event(process, "request.started")["run"]
        self.assertEqual(self.run_agent("resume").out, "nothing to resume\n")
        self.check_error(["resume", run], 3, "BUSY", "ios-agent run")
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertEqual(process.returncode, 7)

    def test_a_message_reaches_the_run_once(self):
        run = self.killed_run()
        said = self.run_agent("say", run[-8:], "use <the> field", "--from", "QA")
        self.assertEqual(said.code, 0, said)
        result = self.run_agent("resume")
        self.assertEqual(result.code, 0, result)
        self.assertIn("QA says: use <the> field", result.out)
        transcript = self.run_agent("show", run, "--transcript").out
        self.assertEqual(transcript.count("use &lt;the&gt; field</message>"), 1)
        self.check_error(["say", run, "too late"], 2, "STATE")
        self.check_error(["say", run, "  "], 2, "USAGE", "empty")
        self.check_error(["say", run, "x", "--from", "y" * 65], 2, "USAGE", "64")
        self.check_error(["say", run, "x" * (33 << 10)], 3, "LIMIT")

    def test_a_passing_error_is_tried_again_when_asked(self):
        turn = {"blocks": [{"tool_use": "finish", "input": {
            "verdict": "failed", "summary": "s", "evidence": []}}]}
        path = os.path.join(self.folder, "script.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"turns": [turn]}, f)
        env = self.claude(self.double("--script", path, "--fault", "529@1"))
        env["IOS_AGENT_API_MAX_RETRIES"] = "0"
        result = self.run_agent("run", "x", "--retries", "1", "--events", env=env)
        events = [e["event"] for e in result.events()]
        self.assertEqual(result.code, 1, result)
        self.assertEqual(events.count("run.retry_wait"), 1)
        self.assertEqual(events.count("run.finished"), 1)
        waiting = next(e for e in result.events() if e["event"] == "run.retry_wait")
        self.assertEqual((waiting["wait_ms"], waiting["code"]), (5000, "API_OVERLOADED"))
        self.check_error(["run", "x", "--retries", "6"], 2, "USAGE")

    def test_a_conversation_goes_on_only_when_asked(self):
        with open(f"{self.folder}/ios-agent.toml", "w", encoding="utf-8") as f:
            f.write("[agents.qa]\n")
        turn = {"repeat": True, "blocks": [{"tool_use": "finish", "input": {
            "verdict": "failed", "summary": "s", "evidence": []}}]}
        double = self.script(turn)
        env = self.claude(double)
        for goal, more in (("first goal", []), ("second goal", ["--continue"])):
            result = self.run_agent("run", goal, "--agent", "qa", *more, "--events", env=env)
            self.assertEqual(result.code, 1, result)
            looked = next(e for e in result.events() if e["event"] == "run.looked")
            self.assertEqual(looked["continues"] is not None, bool(more))
        self.check_error(["run", "x", "--continue"], 2, "USAGE", "agent", env=env)
        self.assertEqual(double.stop()["rejected"], {})


if __name__ == "__main__":
    unittest.main()
