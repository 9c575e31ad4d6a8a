"""`sweep --watch`: each change runs what changed, and nothing else runs."""
import os
import pathlib
import select
import signal
import subprocess
import sys
import time
import unittest

from harness import PROGRAM, Case, Terminal

TIMEOUT_S = 30

GOAL = '[[goal]]\nname = "{0}"\ngoal = "open Settings, check that General is on the screen"\n'


class Watch(Case):
    def setUp(self):
        super().setUp()
        self.goals = pathlib.Path(self.folder, "goals")
        self.goals.mkdir()
        for name in ("one", "two"):
            self.write(name)

    def write(self, name, text=""):
        """As editors do: a new file in the place of the old one."""
        new = self.goals / (name + ".new")
        new.write_text(GOAL.format(name) + text)
        new.rename(self.goals / (name + ".toml"))

    def start(self, *args):
        self.process = subprocess.Popen([PROGRAM, "sweep", "--demo", "--watch", *args], env=self.env(), cwd=self.folder,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(self.reap, self.process)
        return self.round()

    def round(self):
        """What it says until it waits."""
        seen = b""
        end = time.monotonic() + TIMEOUT_S
        while not (seen.endswith(b"Ctrl-C ends\n")):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, seen)
            data = os.read(self.process.stdout.fileno(), 65536)
            self.assertTrue(data, seen)
            seen += data
        return seen.decode()

    def stop(self, code):
        self.process.send_signal(signal.SIGINT)
        rest, _ = self.process.communicate(timeout=TIMEOUT_S)
        self.assertEqual((self.process.returncode, rest), (code, b""))

    def test_a_changed_file_runs_alone_and_a_new_one_too(self):
        self.assertIn("2 goals: 2 passed", self.start("goals"))
        self.write("two", "tags = ['x']\n")
        second = self.round()
        self.assertIn("changed: goals/two.toml\n", second)
        self.assertIn("1 goal: 1 passed", second)
        self.assertNotIn("one", second)
        self.write("three")
        self.assertIn("changed: goals/three.toml\n", self.round())
        (self.goals / "three.toml").unlink()
        self.write("one", "tags = ['x']\n")
        third = self.round()
        self.assertNotIn("three", third)
        self.assertIn("1 goal: 1 passed", third)
        self.stop(0)
        self.assertEqual(len(self.runs()), 5)

    def test_a_mistake_is_said_and_its_correction_runs(self):
        self.start("goals")
        self.write("two", "[nonsense")
        self.assertIn("goals/two.toml:4", self.round())
        self.write("two", 'expect = [\'visible "Nonsense"\']\n')
        self.assertIn("1 goal: 0 passed, 1 failed", self.round())
        self.stop(1)  # the last round's status

    def test_what_a_goal_needs_runs_with_it(self):
        self.write("two", 'needs = ["one"]\n')
        self.start("goals")
        self.write("two", 'needs = ["one"]\ntags = ["x"]\n')
        self.assertIn("2 goals: 2 passed", self.round())
        self.stop(0)

    def test_another_path_runs_everything_and_the_report_is_no_change(self):
        app = pathlib.Path(self.folder, "build", "App.app")
        app.mkdir(parents=True)
        (app / "App").write_text("1")
        first = self.start("goals", "--watch-path", "build", "--report-dir", "./build/report")
        self.assertIn("2 goals: 2 passed", first)
        (app / "App").write_text("22")
        self.assertIn("2 goals: 2 passed", self.round())
        (app / "Info.plist").write_text("new")
        self.assertIn("2 goals: 2 passed", self.round())
        ready, _, _ = select.select([self.process.stdout], [], [], 2)
        self.assertEqual(ready, [])  # its own report starts nothing
        self.stop(0)

    def test_ctrl_c_during_a_round_ends_it_as_it_ends_a_sweep(self):
        (self.goals / "two.toml").unlink()
        self.write("one", 'setup = ["open-url embedded://?faults=slow-tree:2000"]\n')
        self.process = subprocess.Popen([PROGRAM, "sweep", "--demo", "--watch", "goals", "--events"], env=self.env(),
                                        cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.reap, self.process)
        self.read_event(self.process, "sweep.goal")
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(self.process.returncode, 7)

    @unittest.skipUnless(sys.platform == "linux", "needs /proc")
    @unittest.skipIf(os.environ.get("IOS_AGENT_SANITIZER"), "a sanitizer has threads that wake")
    def test_it_wakes_at_most_twice_a_second(self):
        self.start("goals")

        def switches():
            total = 0
            for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
                for line in (task / "status").read_text().splitlines():
                    total += int(line.split()[1]) if line.startswith("voluntary_ctxt_switches") else 0
            return total

        before = switches()
        time.sleep(4)
        self.assertLessEqual(switches() - before, 2 * 4 + 2)
        self.stop(0)

    def test_on_a_terminal_the_line_is_erased(self):
        terminal = Terminal(self, "sweep", "--demo", "--watch", "goals")
        terminal.read_until("watching 2 files; Ctrl-C ends")
        self.write("two", "tags = ['x']\n")
        terminal.read_until("\r\x1b[Kchanged: goals/two.toml")
        while terminal.seen.count("Ctrl-C ends") < 2:
            terminal.read_some()
        terminal.type("\x03")
        self.assertEqual(terminal.finish(), 0)

    def test_what_does_not_go_with_it_is_refused(self):
        for option in (("--json",), ("--dry-run",), ("--resume", "last")):
            done = self.run_agent("sweep", "--watch", *(() if "--resume" in option else ("goals",)), *option)
            self.assertEqual(done.code, 2, done)
            self.assertIn("--watch", done.out + done.err)
        for args in ((), ("missing",), ("goals", "--tag", "nonsense"), ("goals", "--jobs", "2", "--device", "embedded")):
            self.assertEqual(self.run_agent("sweep", "--watch", *args).code, 2, args)

    def test_too_many_files_are_refused(self):
        many = pathlib.Path(self.folder, "many")
        many.mkdir()
        for i in range(20001):
            (many / str(i)).touch()
        done = self.run_agent("sweep", "goals", "--watch-path", "many")
        self.assertEqual(done.code, 3, done)
        self.assertIn("20000 files", done.err)


if __name__ == "__main__":
    unittest.main()
