"""What a person sees on terminals of several widths: nothing is wider than the terminal, words stay
whole, and the live table of a sweep leaves no stale row, whatever happens to the window."""
import json
import os
import unittest

from harness import ADA, SOURCE, Case, Terminal
from screen import Screen, width_of

WIDTHS = (80, 100, 120)
GOALS = os.path.join(SOURCE, "goals")


class Sized(Terminal):
    """A terminal of that size, and what stands on it."""

    def __init__(self, case, *args, columns, rows=40):
        self.screen = Screen(columns, rows)
        self.written = b""
        super().__init__(case, *args, columns=columns, rows=rows)

    def take(self, data):
        super().take(data)
        self.written += data
        self.screen.feed(data)

    def turn_to(self, columns):
        self.screen.resize(columns)
        self.resize(self.fd, columns, self.screen.rows)


class Widths(Case):
    def show(self, *args, columns, code=0, rows=200):
        terminal = Sized(self, *args, columns=columns, rows=rows)
        self.assertEqual(terminal.finish(), code, terminal.seen)
        # A path stays whole, so that it can be copied: it stands alone behind its label.
        broken = [line for line in terminal.screen.broken if len(line.split()) > 2]
        self.assertEqual(broken, [])
        return terminal.screen.text()

    def test_lists_fit_and_goals_are_cut_with_an_ellipsis(self):
        for goal in (ADA, "設定を開いて機内モードをオンにしてから一般を開いて情報を開いてください" * 3):
            self.run_agent("run", goal)
        self.run_agent("schedule", "add", "--name", "nightly-check-of-contacts", "--cron",
                       "*/15 3,4,5 1-7 * mon-fri", "--tz", "America/Argentina/Buenos_Aires", ADA)
        for columns in WIDTHS:
            with self.subTest(columns=columns):
                text = self.show("runs", columns=columns)
                self.assertIn("GOAL", text.splitlines()[0])
                self.assertEqual(sum(line.endswith("…") for line in text.splitlines()), 2, text)
                self.assertIn("open Contacts, ", text)
                for args in (["schedule", "list"], ["schedule", "show", "nightly-check-of-contacts"],
                             ["history"], ["history", ADA], ["devices"], ["show", "last"], ["help"],
                             ["help", "run"], ["schedule", "add", "--help"], ["doctor"]):
                    self.show(*args, columns=columns)

    def test_without_a_terminal_nothing_is_cut(self):
        goal = ADA + ", open Settings, open General, open About"
        self.run_agent("run", goal)
        self.assertIn(goal, self.run_agent("runs").out)
        self.assertIn(goal, self.run_agent("history").out)

    def test_errors_break_between_words(self):
        text = self.show("run", "--device", "nothing-like-that", "x", columns=60, code=3)
        words = " ".join(text.split())
        self.assertIn("embedded:NAME for another simulated phone; bridge:UDID for a simulator", words)


class Sweeps(Case):
    def sweep(self, columns, rows=40, jobs=3, turn_to=None):
        terminal = Sized(self, "sweep", GOALS, "--jobs", str(jobs), columns=columns, rows=rows)
        terminal.read_until(" done: ")
        for width in turn_to or ():
            seen = terminal.seen.count(" done: ")
            terminal.turn_to(width)
            while terminal.seen.count(" done: ") < seen + 2 and terminal.read_some():
                pass
        terminal.finish()
        return terminal

    def check_rows(self, screen, goals):
        """Only what ended is left, each goal once, and the sum at the end."""
        text = screen.text()
        self.assertNotIn(" done: ", text)
        self.assertNotIn("  step ", text)
        ended = [line for line in screen.lines if line.startswith(("passed ", "expected "))]
        self.assertEqual(len(ended), goals, text)
        self.assertIn(f"{goals} goals: ", text)

    def goals(self):
        plan = self.run_agent("sweep", GOALS, "--dry-run", "--json").envelope()
        return len(plan["result"]["goals"])

    def test_no_line_is_wider_than_the_terminal_and_no_row_is_left_over(self):
        goals = self.goals()
        for columns in (60, *WIDTHS):
            with self.subTest(columns=columns):
                terminal = self.sweep(columns, rows=200)
                self.assertEqual(terminal.screen.broken, [])
                self.check_rows(terminal.screen, goals)

    def test_more_lanes_than_rows_leave_no_row_behind(self):
        terminal = self.sweep(80, rows=10, jobs=16)
        self.check_rows(terminal.screen, self.goals())
        # The same bytes leave the same lines, wherever a read cuts them.
        for size in (1, 7):
            screen = Screen(80, 10)
            for at in range(0, len(terminal.written), size):
                screen.feed(terminal.written[at:at + size])
            self.assertEqual(screen.lines, terminal.screen.lines)

    def test_a_window_that_changes_its_width_keeps_what_ended(self):
        terminal = self.sweep(120, rows=200, turn_to=(80, 100))
        self.check_rows(terminal.screen, self.goals())

    def test_reasons_break_between_words(self):
        terminal = self.sweep(70, rows=200)
        report = json.loads(self.run_agent("report", "last", "--format", "json").out)
        reasons = [run["summary"] for goal in report["goals"] for run in goal["runs"]
                   if run["state"] == "failed"]
        words = " ".join(terminal.screen.text().split())
        self.assertTrue(reasons)
        for reason in reasons:
            self.assertIn(" ".join(reason.split()), words)


class Wide(unittest.TestCase):
    def test_the_screen_of_these_tests_counts_wide_characters(self):
        self.assertEqual(width_of("設定 e\u0301"), 6)
        screen = Screen(4, 10)
        screen.feed("ab\r\n設定字\r\n\x1b[1mx\x1b[0m\x1b[1A\x1b[J!".encode())
        self.assertEqual(screen.text(), "ab\n設定\n!")

    def test_a_read_may_split_characters_and_sequences(self):
        screen = Screen(4, 10)
        for byte in "設定\r\nab\x1b[1;32mc\x1b[0m\x1b[1A\x1b[J!".encode():
            screen.feed(bytes([byte]))
        self.assertEqual(screen.text(), "!")


if __name__ == "__main__":
    unittest.main()
