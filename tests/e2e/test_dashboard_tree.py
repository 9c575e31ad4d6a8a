"""The tree of subtasks on the page of a run: live, three levels deep, with links down and up."""
import unittest

from dashboard_case import DashboardCase
from delegate_case import GOAL, subgoal, write_config
from test_delegate_tree import DEEP, NESTED

ITEMS = "[...document.querySelectorAll('.subtasks li')].map(li => [li.querySelector('.badge').textContent, " \
        "li.querySelector('a').textContent, li.querySelector('p.dim').textContent, " \
        "li.closest('.subtasks').parentNode.matches('li')])"


class DashboardTree(DashboardCase):
    def start_daemon(self, *more, **env):
        write_config(self.folder, NESTED)
        super().start_daemon(*more, **self.claude(self.script(*DEEP)), **env)

    def test_subtasks_come_up_while_the_run_goes_on_and_link_down_and_up(self):
        b = self.browser
        self.open_page()
        run = self.api("POST", "/runs", {"goal": GOAL, "agent": "lead", "device": "embedded:lead"})["run"]["id"]
        b.go("#/run/" + run)
        b.wait_until("document.querySelectorAll('.subtasks .badge.is-good').length === 3", 60)
        self.assertEqual([(state, goal, nested) for state, goal, about, nested in b.evaluate(ITEMS)],
                         [("passed", "have Alice's phone done", False), ("passed", subgoal("alice"), True),
                          ("passed", subgoal("bob"), False)])
        self.assertRegex(b.evaluate(ITEMS)[2][2], r"^hand · embedded:bob · Every expectation holds.* · \$\d")
        self.assertIn("3 subtasks", b.evaluate("document.querySelector('main').innerText"))
        self.look("subtasks")
        tree = self.api("GET", f"/runs/{run}/tree")
        deep = tree["children"][0]["children"][0]["run"]
        self.assertEqual(b.evaluate("document.querySelector('.subtasks .subtasks a').hash"), "#/run/" + deep["id"])
        b.evaluate("document.querySelector('.subtasks .subtasks a').click()")
        up = f"[...document.querySelectorAll('.facts a')].find(a => a.hash === '#/run/{deep['parent']}')"
        b.wait_until(up, 15)
        self.assertFalse(b.evaluate("!!document.querySelector('.subtasks')"))
        self.look("subtask")
        b.evaluate(up + ".click()")
        b.wait_until("document.querySelectorAll('.subtasks li').length === 1", 15)
        self.assertEqual(self.api("GET", "/stats?days=1")["total"]["runs"], 1)
        whole = sum(r["cost_usd"] for r in self.api("GET", "/runs?limit=10")["runs"])
        self.assertAlmostEqual(self.api("GET", "/stats?days=1")["total"]["cost_usd"], whole, 6)
        self.assertEqual(self.api("GET", "/stats?days=1&agent=hand")["total"]["runs"], 2)


if __name__ == "__main__":
    unittest.main()
