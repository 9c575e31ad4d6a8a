"""The dashboard's card of what runs ask: on the overview and on the run's page, answered there, and gone."""
import unittest

from dashboard_case import DashboardCase
from policy_case import END
from test_plan import OPEN_SHOP, plan

BUTTON = "[...document.querySelectorAll('section.alarm button')].find(x => x.textContent === %r)"


class DashboardPolicy(DashboardCase):
    def start_daemon(self, *more, **env):
        double = self.script({"blocks": [{"tool_use": "open_url", "input": {"url": "shop://"}}]}, END)
        super().start_daemon(*more, **self.claude(double), IOS_AGENT_POLICY_EXTERNAL_LINKS="ask", **env)

    def answered(self, place, name, text, state):
        """Starts a run, opens the place, answers there; the question as it is then."""
        b = self.browser
        self.open_page()
        run = self.api("POST", "/runs", {"goal": "count the rows", "device": "embedded:default"})["run"]["id"]
        if place:
            b.go(place + run)
        b.wait_until(BUTTON % text, 15)
        self.assertIn("external links: open_url", b.evaluate("document.querySelector('section.alarm').innerText"))
        if not place:
            links = f"document.querySelectorAll('a[href=\"#/run/{run}\"]').length"
            self.assertEqual(b.evaluate(links), 1)
        else:
            b.wait_until("document.body.innerText.includes('waits for an answer')", 15)
        self.look(name)
        b.evaluate((BUTTON % text) + ".focus()")
        b.enter()
        b.wait_until("!document.querySelector('#asks')", 15)
        (q,) = self.api("GET", f"/questions?all=true&run={run}")["questions"]
        self.assertIn(q["state"], state)
        self.assertEqual(q["by"][:10], "dashboard-")

    def test_approved_on_the_overview(self):
        self.answered(None, "asks", "Approve once", ("approved", "used"))

    def test_denied_on_the_page_of_the_run(self):
        self.answered("#/run/", "asks-run", "Deny", ("denied",))


class DashboardPlan(DashboardCase):
    def start_daemon(self, *more, **env):
        super().start_daemon(*more, **self.claude(self.script(plan(), OPEN_SHOP, END)), **env)

    def test_a_plan_is_shown_and_approved_on_the_page_of_its_run(self):
        b = self.browser
        self.open_page()
        run = self.api("POST", "/runs", {"goal": "count the rows", "device": "embedded:default", "plan": "ask"})["run"]["id"]
        b.go("#/run/" + run)
        b.wait_until(BUTTON % "Approve once", 15)
        self.assertIn("carry out this plan: 1. open the shop", b.evaluate("document.querySelector('section.alarm').innerText"))
        self.assertIn("A plan was made", b.evaluate("document.body.innerText"))
        self.look("plan-asks")
        self.assertEqual(self.log(), [])
        b.evaluate((BUTTON % "Approve once") + ".click()")
        b.wait_until("document.body.innerText.includes('did not reach its goal')", 20)
        self.assertEqual([op["op"] for op in self.log()].count("open_url"), 1)


if __name__ == "__main__":
    unittest.main()
