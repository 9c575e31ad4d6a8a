"""snapshot and diff: what the model sees, from a phone and from trees of other tools."""
import base64
import json
import os
import pathlib
import unittest

from harness import SOURCE, Case, png_size

TREES = pathlib.Path(SOURCE, "tests/data/trees")
MENU = str(TREES / "axe/offsider-menu.json")
SETTINGS = str(TREES / "wda/shirates_SettingsTopScreen.xml")
CUT = "[{\"type\":\"Application\",\n"


class Snapshot(Case):
    def test_the_text_form_of_a_file_is_what_was_reviewed(self):
        for path, source in ((MENU, "axe"), (SETTINGS, "wda-xml")):
            want = TREES / "text" / (pathlib.Path(path).stem + ".txt")
            for more in ([], ["--text"]):
                result = self.run_agent("snapshot", "--from", path, "--source", source, *more)
                self.assertEqual(result.code, 0, result)
                self.assertEqual(result.out, want.read_text(encoding="utf-8"))
        self.assertFalse(os.path.exists(self.home))

    def test_standard_input_is_a_file_too(self):
        result = self.run_agent("snapshot", "--from", "-", "--source", "bridge", stdin=json.dumps({
            "type": "Application", "frame": {"x": 0, "y": 0, "width": 400, "height": 800},
            "children": [{"type": "Button", "AXLabel": "Go\x1b[2J", "children": [],
                          "frame": {"x": 10, "y": 100, "width": 90, "height": 40}}]}))
        self.assertEqual(result.code, 0, result)
        self.assertIn("1 button Go", result.out)
        self.assertNotIn("\x1b", result.out)

    def test_the_budget_holds_and_says_what_it_cost(self):
        result = self.run_agent("snapshot", "--from", MENU, "--source", "axe", "--max-bytes", "300")
        self.assertLessEqual(len(result.out.encode()), 300)
        self.assertRegex(result.out.splitlines()[-1], r"^\(\+\d+ left out: text limit\)$")

    def test_rows_have_six_cells(self):
        result = self.run_agent("snapshot", "--from", MENU, "--source", "axe", "--rows")
        self.assertEqual(result.code, 0, result)
        self.assertTrue(all(line.count("|") == 5 for line in result.out.splitlines()), result)

    def test_next_steps_are_at_most_two_lines(self):
        result = self.run_agent("snapshot", "--from", MENU, "--source", "axe", "--next")
        steps = [line for line in result.out.splitlines() if line.startswith("next: ")]
        self.assertEqual(len(steps), 2, result)

    def test_json_follows_the_schema(self):
        envelope = self.run_agent("snapshot", "--from", MENU, "--source", "axe",
                                  "--json").envelope()
        snapshot = envelope["result"]
        self.assertLessEqual({"app", "screen", "timestamp", "elements", "actions_available"},
                             set(snapshot))
        self.assertNotIn("screenshot", snapshot)
        refs = {e["ref"] for e in snapshot["elements"]}
        for e in snapshot["elements"]:
            self.assertRegex(e["ref"], r"^@e\d+$")
            self.assertRegex(e["type"], r"^XCUIElementType[A-Z]")
            self.assertEqual(set(e["frame"]), {"x", "y", "w", "h"})
            self.assertIsInstance(e["hittable"], bool)
            self.assertLessEqual(set(e["children"]), refs)
            self.assertLessEqual({"label", "identifier", "value"}, set(e))
        for a in snapshot["actions_available"]:
            self.assertIn(a["target"], refs)
            self.assertEqual("keyboard" in a, a["name"] == "type")

    def test_a_phone_is_seen_and_drawn(self):
        out = os.path.join(self.folder, "out.png")
        result = self.run_agent("snapshot", "--annotate", out)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.out, r"^\S+ 393x852 #[0-9a-f]{4}")
        width, height = png_size(pathlib.Path(out).read_bytes())
        self.assertEqual((width, height), (3 * (393 + 260), 3 * 852))
        snapshot = self.run_agent("snapshot", "--json", "--screenshot").envelope()["result"]
        head, data = snapshot["screenshot"].split(",", 1)
        self.assertEqual(head, "data:image/png;base64")
        self.assertEqual(png_size(base64.b64decode(data)), (393, 852))

    def test_a_tree_alone_can_be_drawn(self):
        out = os.path.join(self.folder, "out.png")
        result = self.run_agent("snapshot", "--from", MENU, "--source", "axe", "--annotate", out)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(png_size(pathlib.Path(out).read_bytes()), (402 + 260, 874))

    def test_mistakes_are_named_with_their_mend(self):
        cut = os.path.join(self.folder, "cut.json")
        pathlib.Path(cut).write_text(CUT, encoding="utf-8")
        empty = os.path.join(self.folder, "empty.json")
        pathlib.Path(empty).write_text("[]", encoding="utf-8")
        rows = [
            (["--from", MENU], 2, "USAGE", ["--source axe"]),
            (["--source", "axe"], 2, "USAGE", ["--from"]),
            (["--from", MENU, "--source", "ax"], 2, "USAGE", ["axe|wda-xml"]),
            (["--from", MENU, "--source", "axe", "--text", "--rows"], 2, "USAGE", ["cannot be used together"]),
            (["--from", MENU, "--source", "axe", "--device", "embedded"], 2, "USAGE", ["cannot be used together"]),
            (["--from", "nowhere.json", "--source", "axe"], 2, "NOT_FOUND", ["nowhere.json"]),
            (["--from", cut, "--source", "axe"], 3, "TREE_MALFORMED", [cut, "line", "describe-ui"]),
            (["--from", MENU, "--source", "wda-xml"], 3, "TREE_MALFORMED", ["format=xml"]),
            (["--from", empty, "--source", "axe"], 3, "TREE_EMPTY", ["launch"]),
            (["--device", "iPhone 99"], 3, "NO_DEVICE", ["iPhone 99"]),
        ]
        for args, code, name, parts in rows:
            with self.subTest(args):
                self.check_error(["snapshot", *args], code, name, *parts)


class Diff(Case):
    def diff(self, a, b, *more):
        return self.run_agent("diff", a, b, "--source", "axe", *more)

    def test_the_same_screen_did_not_change(self):
        result = self.diff(MENU, MENU)
        self.assertEqual((result.code, result.out), (0, "nothing changed\n"), result)
        self.assertFalse(self.diff(MENU, MENU, "--json").envelope()["result"]["changed"])

    def test_what_changed_is_said_and_nothing_else(self):
        a = TREES / "axe/offsider-switch-test.json"
        b = os.path.join(self.folder, "b.json")
        text = a.read_text(encoding="utf-8")
        new = text.replace('"AXLabel":"SwiftUI Weather Alerts: Off"',
                           '"AXLabel":"SwiftUI Weather Alerts: On"')
        self.assertNotEqual(text, new)
        pathlib.Path(b).write_text(new, encoding="utf-8")
        result = self.diff(str(a), b)
        self.assertEqual(result.out, "~ 5 text SwiftUI Weather Alerts: On = Off\n", result)

    def test_another_screen_is_shown_whole(self):
        result = self.diff(MENU, str(TREES / "axe/xcodebuildmcp-calculator.json"))
        self.assertTrue(result.out.startswith("new screen\nCalculator 402x874"), result)

    def test_both_files_are_needed(self):
        self.check_error(["diff", MENU, "--source", "axe"], 2, "USAGE", "diff")
        self.check_error(["diff", MENU, "gone.json", "--source", "axe"], 2, "NOT_FOUND",
                         "gone.json")


if __name__ == "__main__":
    unittest.main()
