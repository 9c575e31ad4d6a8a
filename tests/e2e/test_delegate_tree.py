"""The tree of a run and its subtasks, as people and programs see it: show --tree and reports."""
import json
import os
import unittest
from xml.etree import ElementTree

from delegate_case import AGREES, CONFIG, GOAL, HAND, HANDS, LEAD, ON, SCRIPT, DelegateCase, delegate, finish, says, \
    subgoal
from harness import SOURCE, Terminal

try:
    import jsonschema
except ImportError:
    jsonschema = None

NESTED = CONFIG.replace('[agents.hand]', '[agents.middle]\nrole = "middle who passes it on"\nmay_call = ["hand"]\n'
                        '[agents.hand]').replace('may_call = ["hand"]', 'may_call = ["middle", "hand"]', 1)

MIDDLE = "middle who passes it on"
DEEP = [AGREES, *HANDS,
        says(MIDDLE, [finish(quote="Airplane Mode", step=1)], any_text="subtask 1: passed"),
        says(MIDDLE, [delegate("alice")]),
        says(LEAD, [finish(quote="Airplane Mode", step=1)], any_text="subtask 2: passed"),
        says(LEAD, [{"tool_use": "delegate", "input": {"agent": "middle", "goal": "have Alice's phone done",
                                                       "device": "embedded:alice", "expect": [ON]}}, delegate("bob")])]


class Tree(DelegateCase):
    def show(self, *args):
        return self.agent("show", "last", "--tree", *args)

    def test_the_tree_of_two_subtasks_is_drawn_with_their_proof_and_what_all_used(self):
        self.start(SCRIPT)
        self.assertEqual(self.goal("--device", "embedded:lead").code, 0)
        (one, two), parent = self.rows("SELECT id FROM runs WHERE parent_id IS NOT NULL ORDER BY rowid"), self.parent()
        steps = self.rows("SELECT SUM(steps) FROM runs")[0][0]
        lines = self.show().out.splitlines()
        self.assertRegex(lines[0], r"^ID +STATE +PROOF +AGENT +DEVICE +STEPS +TIME +GOAL$")
        self.assertRegex(lines[1], rf"^{parent[-8:]} +passed .*lead +embedded:lead .*{GOAL}$")
        self.assertRegex(lines[2], rf"^├─ 1 {one[0][-8:]} +passed .*hand +embedded:alice .*{subgoal('alice')}$")
        self.assertRegex(lines[3], rf"^└─ 2 {two[0][-8:]} +passed .*hand +embedded:bob .*{subgoal('bob')}$")
        self.assertRegex(lines[5], rf"^2 runs below, {steps} steps in all, \$\d+\.\d+$")

    def test_the_tree_fits_the_width_of_the_terminal(self):
        self.start(SCRIPT)
        self.assertEqual(self.goal("--device", "embedded:lead").code, 0)
        for columns in (80, 100, 120):
            terminal = Terminal(self, "show", "last", "--tree", columns=columns)
            self.assertEqual(terminal.finish(), 0)
            lines = terminal.seen.splitlines()
            self.assertLessEqual(max(map(len, lines)), columns)
            self.assertIn("GOAL", lines[0])
            self.assertEqual([line[0] for line in lines[2:4]], ["├", "└"])

    def test_as_json_the_tree_is_nested(self):
        self.start(SCRIPT)
        self.assertEqual(self.goal("--device", "embedded:lead").code, 0)
        tree = self.show("--json").envelope()["result"]
        self.assertEqual(tree["run"]["id"], self.parent())
        self.assertEqual([c["run"]["lane"] for c in tree["children"]], ["embedded:alice", "embedded:bob"])
        self.assertEqual([c["children"] for c in tree["children"]], [[], []])

    def test_a_tree_of_three_levels_keeps_its_branches(self):
        self.start(DEEP, NESTED)
        r = self.goal("--device", "embedded:lead")
        self.assertEqual(r.code, 0, r)
        lines = self.show().out.splitlines()
        self.assertEqual([line[:5] for line in lines[2:5]], ["├─ 1 ", "│  └─", "└─ 2 "])
        tree = self.show("--json").envelope()["result"]
        self.assertEqual([len(c["children"]) for c in tree["children"]], [1, 0])

    def test_a_run_without_subtasks_is_a_tree_of_one(self):
        self.start([AGREES, says("", [finish("failed", "no")])])
        self.agent("run", "nothing at all", "--device", "embedded:solo")
        r = self.show()
        self.assertEqual(r.code, 0, r)
        self.assertIn("0 runs below", r.out)

    def report(self, form):
        path = os.path.join(self.folder, "report." + form)
        r = self.agent("report", "last", "--format", form, "--out", path)
        self.assertEqual(r.code, 0, r)
        with open(path, encoding="utf-8") as f:
            return f.read()

    def test_reports_list_subtasks_below_their_run_and_count_its_cost_once(self):
        # The second hand gives up, so the lead does, too.
        self.start([AGREES, says(HAND, [finish("failed", "<b>no</b> switch")], any_text="phone of bob"), *HANDS,
                    says(LEAD, [finish("failed", "bob is not done")], any_text="subtask 2: failed"),
                    says(LEAD, [delegate("alice"), delegate("bob")])])
        self.assertEqual(self.goal("--device", "embedded:lead").code, 1)
        run = json.loads(self.report("json"))
        goal, = run["goals"]
        top, = goal["runs"]
        self.assertEqual([(s["number"], s["depth"], s["state"], s["lane"], s["parent"]) for s in top["subtasks"]],
                         [(1, 0, "passed", "embedded:alice", top["id"]), (2, 0, "failed", "embedded:bob", top["id"])])
        whole = top["cost_usd"] + sum(s["cost_usd"] for s in top["subtasks"])
        self.assertAlmostEqual(goal["cost_usd"], whole, 6)
        self.assertAlmostEqual(run["totals"]["cost_usd"], whole, 6)
        self.assertEqual(run["totals"]["goals"], 1)
        html = self.report("html")
        self.assertIn('<ol class="subtasks">', html)
        self.assertIn(subgoal("alice"), html)
        self.assertIn("&lt;b&gt;no&lt;/b&gt; switch", html)
        self.assertIn("with 2 subtasks", html)

        self.check_forms(top)

    def check_forms(self, top):
        """JUnit, CTRF and Markdown of the same run: one test, with its subtasks."""
        one, two = top["subtasks"]
        suite, = ElementTree.fromstring(self.report("junit"))
        self.assertEqual((suite.get("tests"), len(suite.findall("testcase"))), ("1", 1))
        lines = [p.get("value") for p in suite.findall("testcase/properties/property[@name='subtask']")]
        self.assertEqual([line.split(":")[0] for line in lines],
                         ["1 passed, hand on embedded", "2 failed, hand on embedded"])
        self.assertIn("<b>no</b> switch", lines[1])
        test, = (ctrf := json.loads(self.report("ctrf")))["results"]["tests"]
        self.assertEqual(ctrf["results"]["summary"]["tests"], 1)
        self.assertEqual(test["extra"]["subtasks"], top["subtasks"])
        md = self.report("md")
        self.assertRegex(md, r"\n- subtask 1: passed, hand on embedded.*alice, .*0\.\d+.* turn on Airplane Mode on the phone of alice")
        self.assertIn(f", run {two['id']}\n", md)
        self.assertNotIn("<b>no", md)
        self.assertIn(one["id"], md)
        if jsonschema:
            with open(os.path.join(SOURCE, "tests", "data", "report", "ctrf-schema-0.0.json"), encoding="utf-8") as f:
                jsonschema.Draft7Validator(json.load(f)).validate(ctrf)

    def test_reports_of_three_levels_nest(self):
        self.start(DEEP, NESTED)
        self.assertEqual(self.goal("--device", "embedded:lead").code, 0)
        md = self.report("md").splitlines()
        self.assertEqual([line.split(":")[0] for line in md if "- subtask" in line],
                         ["- subtask 1", "  - subtask 1", "- subtask 2"])
        values = [p.get("value").split()[0] for p in ElementTree.fromstring(self.report("junit")).iter("property")
                  if p.get("name") == "subtask"]
        self.assertEqual(values, ["1", "1.1", "2"])


if __name__ == "__main__":
    unittest.main()
