"""run, runs, show, cancel on the simulated phone, answered by the demo brain or a script."""
import json
import os
import pty
import signal
import sqlite3
import subprocess
import unittest

from harness import ADA, Case, PROGRAM, Terminal


class Demo(Case):
    def names(self, *args):
        return [c["name"] for c in self.state(*args)["contacts"]]

    def test_a_goal_passes_and_the_oracle_agrees(self):
        result = self.run_agent("run", ADA)
        self.assertEqual(result.code, 0, result)
        self.assertIn("PASSED", result.out)
        self.assertIn("model   demo brain (follows literal steps; it does not reason)", result.out)
        self.assertIn("simulated by this program", result.out)
        self.assertIn("nothing billed (demo brain)", result.out)
        ada = [c for c in self.state()["contacts"] if c["name"] == "Ada Lovelace"]
        self.assertEqual(len(ada), 1)
        self.assertEqual(ada[0]["phone"], "555-0100")
        path = next(l[8:] for l in result.out.splitlines() if l.startswith("screen  "))
        with open(path, "rb") as png:
            self.assertEqual(png.read(8), b"\x89PNG\r\n\x1a\n")
        self.assertNotIn("\x1b", result.out)

    def test_a_second_run_finds_the_phone_as_it_was_left(self):
        self.assertEqual(self.run_agent("run", ADA).code, 0)
        before = self.log()
        check = "open Contacts, check that Ada Lovelace is in the list"
        self.assertEqual(self.run_agent("run", check).code, 0)
        after = self.log()
        self.assertEqual(after[: len(before)], before)
        self.assertEqual(self.names().count("Ada Lovelace"), 1)
        fresh = self.run_agent("run", check, "--fresh", "--json")
        self.assertNotEqual(fresh.code, 0, fresh)
        self.assertNotIn("Ada Lovelace", self.names())

    def test_a_run_that_is_refused_does_not_touch_the_phone(self):
        self.assertEqual(self.run_agent("run", ADA).code, 0)
        before = self.log()
        double = self.double()
        env = self.claude(double)
        for args, text in ((["x" * 100000], "longer than"),
                           (["x", "--max-usd", "1", "--model", "nobody-knows"], "price"),
                           (["x", "--expect", "visibel #a"], "visibel")):
            result = self.run_agent("run", "--fresh", *args, env=env)
            self.assertEqual(result.code, 2, result)
            self.assertIn(text, result.err)
            self.assertEqual(self.log(), before)
            self.assertEqual(len(self.runs()), 1)

    def test_text_that_is_not_utf8_and_closed_descriptors_do_no_harm(self):
        goal = b"open \xff\xfe\x80 now"
        done = subprocess.run([PROGRAM.encode(), b"run", goal, b"--json"], env=self.env(),
                              cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(done.returncode, 5, done)
        self.assertIn("\ufffd", json.loads(done.stdout)["result"]["goal"])
        closed = subprocess.run(f"'{PROGRAM}' run 'open Contacts' <&- >&- 2>&-", shell=True,
                                env=self.env(), cwd=self.folder, check=False)
        self.assertEqual(closed.returncode, 0)
        self.assertEqual([r["state"] for r in self.runs()], ["passed", "blocked"])
        self.assertEqual(self.run_agent("doctor").code, 0)

    def test_phones_with_different_names_are_different_phones(self):
        self.assertEqual(self.run_agent("run", ADA, "--device", "embedded:second").code, 0)
        self.assertIn("Ada Lovelace", self.names("--device", "embedded:second"))
        self.assertNotIn("Ada Lovelace", self.names())

    def test_json_is_one_envelope(self):
        result = self.run_agent("run", ADA, "--expect", 'visible "Ada Lovelace"', "--json")
        self.assertEqual(result.code, 0, result)
        envelope = result.envelope()
        verdict = envelope["result"]
        self.assertEqual(envelope["status"], "ok")
        self.assertEqual((verdict["state"], verdict["basis"]), ("passed", "both"))
        self.assertIs(verdict["demo"], True)
        self.assertIs(verdict["device"]["simulated"], True)
        self.assertEqual(verdict["goal"], ADA)
        for text in ("demo brain", "simulated by this program", "PASSED"):
            self.assertIn(text, envelope["stdout"])
        self.assertEqual(result.err, "")

    def test_events_are_json_lines_and_the_same_that_are_stored(self):
        result = self.run_agent("run", ADA, "--events")
        self.assertEqual(result.code, 0, result)
        events = result.events()
        self.assertEqual(events[0]["event"], "run.started")
        self.assertIs(events[0]["demo"], True)
        self.assertIs(events[0]["device"]["simulated"], True)
        self.assertEqual(events[-1]["event"], "run.finished")
        run = events[0]["run"]
        self.assertTrue(all(e["run"] == run for e in events))
        stored = self.run_agent("show", run, "--json").envelope()["result"]["events"]
        shown = [e for e in events if e["event"] not in ("text.delta", "request.started")]
        self.assertEqual(shown, [e for e in stored if e["seq"] >= shown[0]["seq"]])
        self.assertEqual([e["seq"] for e in shown], sorted(e["seq"] for e in shown))

    def test_what_the_demo_brain_does_not_understand_is_blocked(self):
        result = self.run_agent("run", "ponder the meaning of life", "--json")
        self.assertEqual(result.code, 5, result)
        envelope = result.envelope()
        self.assertEqual(envelope["error"]["code"], "BLOCKED")
        self.assertEqual(envelope["result"]["state"], "blocked")
        self.assertIn("ponder the meaning of life", json.dumps(envelope["result"]))

    def test_an_expectation_that_does_not_hold_fails_the_run(self):
        result = self.run_agent("run", "open Contacts", "--expect", 'visible "Nobody Here"')
        self.assertEqual(result.code, 1, result)
        self.assertIn("FAILED", result.out)
        self.assertNotIn("PASSED", result.out)
        self.assertIn("Nobody Here", result.out)

    def test_a_budget_ends_a_run_with_exit_4(self):
        result = self.run_agent("run", ADA, "--max-steps", "2", "--json")
        self.assertEqual(result.code, 4, result)
        self.assertEqual(result.envelope()["error"]["code"], "BUDGET")

    def test_runs_and_show_tell_what_happened(self):
        self.assertEqual(self.run_agent("runs").out, "no runs\n")
        run = self.run_agent("run", ADA, "--json").envelope()["result"]["run"]
        self.run_agent("run", "ponder the meaning of life")
        listed = self.runs()
        self.assertEqual([r["state"] for r in listed], ["blocked", "passed"])
        self.assertEqual(listed[1]["id"], run)
        self.assertTrue(all(r["demo"] for r in listed))
        table = self.run_agent("runs", "--state", "passed").out.splitlines()
        self.assertEqual(len(table), 4)
        self.assertIn("does not reason", table[2])
        self.assertIn("simulated by this program", table[3])
        self.assertTrue(table[1].startswith(run[-8:]), table)
        self.assertIn(" demo ", table[1])
        shown = self.run_agent("show", run[-8:]).out
        self.assertIn("PASSED", shown)
        self.assertIn("demo brain", shown)
        transcript = self.run_agent("show", run, "--transcript").out
        self.assertIn("> finish ", transcript)
        self.assertIn("<goal>", transcript)
        self.check_error(["show", "ffffffff"], 2, "NOT_FOUND")
        self.check_error(["runs", "--state", "sleeping"], 2, "USAGE")
        self.check_error(["cancel", run], 2, "STATE", "already finished")


class Agents(Case):
    def configure(self, text):
        with open(os.path.join(self.folder, "ios-agent.toml"), "w", encoding="utf-8") as f:
            f.write(text)

    def test_an_agent_has_its_model_its_prompt_its_tools_and_its_memory(self):
        with open(os.path.join(self.folder, "careful.md"), "w", encoding="utf-8") as f:
            f.write("You are very careful with knives.")
        self.configure('[agents.careful]\nmodel = "claude-haiku-5-5"\nprompt = "careful.md"\n'
                       'tools = ["tap", "remember"]\n')
        mine = {"model": "claude-haiku-5-5", "system_contains": "careful with knives"}
        stop = {"tool_use": "finish", "input": {"verdict": "blocked", "summary": "enough",
                                                "evidence": []}}
        note = {"tool_use": "remember", "input": {"note": "the safe word is pineapple"}}
        double = self.script(
            {"match": {**mine, "any_text": "pineapple"}, "blocks": [stop]},
            {"match": {**mine, "turn": 0}, "blocks": [note]},
            {"match": {**mine, "turn": 1}, "blocks": [stop]})
        for steps in (2, 1):
            result = self.run_agent("run", "x", "--agent", "careful", "--json",
                                    env=self.claude(double))
            self.assertEqual(result.code, 5, result)
            self.assertEqual(result.envelope()["result"]["steps"], steps, result)
        self.assertEqual(double.stop()["unmatched"], 0)

    def test_an_agent_that_is_not_configured_is_refused(self):
        self.check_error(["run", "x", "--agent", "nobody"], 2, "NOT_FOUND", "[agents.nobody]")
        self.configure('[agents.a]\ntools = ["tapp"]\n')
        self.check_error(["run", "x", "--agent", "a"], 2, "CONFIG", "tapp", "did you mean tap?")
        self.configure('[agents.a]\nprompt = "missing.md"\n')
        self.check_error(["run", "x", "--agent", "a"], 2, "NOT_FOUND", "missing.md")


class Terminals(Case):
    def test_a_terminal_sees_the_run_as_it_happens(self):
        terminal = Terminal(self, "run", ADA)
        self.assertEqual(terminal.finish(), 0)
        for text in ("demo brain", "simulated by this program", "type_text", "PASSED", "screen"):
            self.assertIn(text, terminal.seen)
        self.assertIn("\x1b[2m", terminal.seen)

    def test_with_json_people_still_see_it_happen_on_stderr(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        done = subprocess.Popen([PROGRAM, "run", ADA, "--json"], env=self.env(), cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=theirs, text=True)
        os.close(theirs)
        self.addCleanup(self.reap, done)
        seen = b""
        while b"PASSED" not in seen:
            seen += os.read(ours, 65536)
        out = done.stdout.read()
        self.assertEqual(json.loads(out)["result"]["state"], "passed")
        self.assertIn(b"type_text", seen)

    def test_no_color_is_honoured(self):
        terminal = Terminal(self, "run", ADA, env={"NO_COLOR": "1"})
        self.assertEqual(terminal.finish(), 0)
        self.assertNotIn("\x1b[2m", terminal.seen.replace("s\x1b[0m", ""))
        self.assertNotIn("\x1b[32m", terminal.seen)

    def test_escape_sequences_in_a_goal_are_shown_not_obeyed(self):
        terminal = Terminal(self, "run", "open \x1b]0;evil\x07 now")
        self.assertEqual(terminal.finish(), 5)
        self.assertNotIn("\x1b]0;", terminal.seen)
        self.assertIn("␛]0;evil␇", terminal.seen)


class Interrupted(Case):
    def stalled(self, *args, fault="stall:0", requests=1):
        """A run that waits for a server that went silent, and the id of that run."""
        double = self.double("--fault", fault)
        process = self.start_agent("run", ADA, "--events", *args, env=self.claude(double))
        started = self.read_event(process, "run.started")
        for _ in range(requests):
            self.read_event(process, "request.started")
        return process, started["run"]

    def state_of(self, run):
        return self.run_agent("show", run, "--json").envelope()["result"]["run"]

    def test_ctrl_c_cancels_the_run_and_other_signals_leave_it_for_later(self):
        for signo, event, state in ((signal.SIGINT, "run.finished", "cancelled"),
                                    (signal.SIGTERM, "run.interrupted", "queued"),
                                    (signal.SIGHUP, "run.interrupted", "queued")):
            with self.subTest(signo):
                process, run = self.stalled()
                process.send_signal(signo)
                rest, _ = process.communicate()
                self.assertEqual(process.returncode, 7)
                last = json.loads(rest.splitlines()[-1])
                self.assertEqual((last["event"], last["run"]), (event, run))
                self.assertEqual(self.state_of(run)["state"], state)

    def test_a_second_signal_ends_the_program_at_once(self):
        process, run = self.stalled()
        # The first one cannot get as far as recording the end while another holds the database.
        other = sqlite3.connect(os.path.join(self.home, "ios-agent.db"), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.communicate()
        self.assertEqual(process.returncode, 7)
        other.execute("ROLLBACK")
        other.close()
        row = self.state_of(run)
        self.assertEqual((row["state"], row["orphaned"]), ("running", True))
        self.assertIn("orphaned", self.run_agent("runs").out)
        again = self.run_agent("run", ADA)
        self.assertEqual(again.code, 0, again)

    def test_ctrl_c_on_a_terminal(self):
        double = self.double("--fault", "stall:0")
        terminal = Terminal(self, "run", ADA, env=self.claude(double))
        terminal.read_until("waiting for the model")
        terminal.type("\x03")
        self.assertEqual(terminal.finish(), 7)
        self.assertIn("CANCELLED", terminal.seen)

    def test_ctrl_c_twice_on_a_terminal_puts_its_colours_back(self):
        double = self.double("--fault", "stall:0")
        terminal = Terminal(self, "run", ADA, env=self.claude(double))
        terminal.read_until("waiting for the model")
        other = sqlite3.connect(os.path.join(self.home, "ios-agent.db"), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        terminal.type("\x03")
        terminal.read_until("press again to end at once")
        terminal.type("\x03")
        self.assertEqual(terminal.finish(), 7)
        after = terminal.seen[terminal.seen.index("press again to end at once"):]
        self.assertIn("\x1b[0m\r\n", after)
        self.assertNotIn("CANCELLED", terminal.seen)
        other.execute("ROLLBACK")
        other.close()

    def test_cancel_from_another_process(self):
        process, run = self.stalled()
        result = self.run_agent("cancel", run[-8:], "--json")
        self.assertEqual(result.envelope()["result"], {"run": run, "cancel": "asked"})
        process.communicate()
        self.assertEqual(process.returncode, 7)
        self.assertEqual(self.state_of(run)["state"], "cancelled")

    def test_a_run_that_lives_and_is_silent_is_shown_as_stuck(self):
        process, run = self.stalled()
        process.send_signal(signal.SIGSTOP)
        with sqlite3.connect(os.path.join(self.home, "ios-agent.db"), isolation_level=None) as db:
            db.execute("UPDATE runs SET heartbeat_at = '2020-01-01T00:00:00.000Z'")
        db.close()
        row = self.state_of(run)
        self.assertEqual((row["state"], row["stuck"], row["orphaned"]), ("running", True, False))
        self.assertIn("  stuck ", self.run_agent("runs").out)
        shown = self.run_agent("show", run).out
        self.assertIn(f"(pid {process.pid}): no sign of life for ", shown)
        self.assertIn(f"ios-agent resume {run}", shown)
        process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertEqual((self.state_of(run)["state"], self.state_of(run)["stuck"]), ("cancelled", False))

    def test_a_busy_phone_says_who_holds_it(self):
        process, run = self.stalled()
        before = self.log()
        for extra in ([], ["--fresh"]):
            envelope = self.check_error(["run", ADA, *extra], 3, "BUSY", run, str(process.pid))
            self.assertIn("cancel", envelope["error"]["hint"])
        self.assertEqual(self.log()[: len(before)], before)
        self.assertEqual(self.run_agent("run", ADA, "--device", "embedded:other").code, 0)
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertEqual(process.returncode, 7)
        self.assertEqual(self.run_agent("run", ADA).code, 0)

    def test_a_killed_run_loses_nothing(self):
        process, run = self.stalled(fault="stall@3:0", requests=3)
        process.kill()
        process.communicate()
        self.assertTrue(self.state_of(run)["orphaned"])
        done = self.run_agent("cancel", run, "--json")
        self.assertEqual(done.envelope()["result"]["cancel"], "done")
        self.assertEqual(self.state_of(run)["state"], "cancelled")
        events = self.run_agent("show", run, "--json").envelope()["result"]["events"]
        steps = self.state_of(run)["steps"]
        self.assertEqual(steps, 2)
        self.assertEqual(events[-1]["steps"], steps)
        self.assertIn(f"{steps} step", self.run_agent("show", run).out.splitlines()[-2])
        self.assertEqual(self.run_agent("run", ADA).code, 0)


if __name__ == "__main__":
    unittest.main()
