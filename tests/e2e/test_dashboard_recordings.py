"""The dashboard of replays: outcomes in lists and on a run's page, recordings, what was healed side by side, decisions."""
import json
import os
import unittest

from dashboard_case import DashboardCase

AIRPLANE = {"goal": "open Settings, turn on Airplane Mode", "name": "Airplane Mode is on",
            "expect": ['value switch "Airplane Mode" = "on"'], "setup": [{"do": "reset"}], "replay": "auto", "pictures": "steps"}
SWEEP = """
[[goal]]
name = "Bluetooth is off"
goal = "open Settings, open Bluetooth, turn off Bluetooth"
setup = ["reset"]
expect = ['value switch "Bluetooth" = "off"']

[[goal]]
name = "Airplane Mode is on"
goal = "open Settings, turn on Airplane Mode"
setup = ["reset"]
%s
expect = ['value switch "Airplane Mode" = "on"']
"""
BARE = "embedded:bare?ids=bare"


class Recordings(DashboardCase):
    def go(self, device):
        """The row of the run, once it is over."""
        run = self.queue_run(AIRPLANE["goal"], device=device, **{k: v for k, v in AIRPLANE.items() if k != "goal"})
        self.browser.wait_until("""fetch('/v1/runs/%s', {headers: {Authorization: 'Bearer ' + sessionStorage.getItem('ios-agent-token')}})
            .then(r => r.json()).then(r => Boolean(r.result.run.finished))""" % run["id"])
        return self.api("GET", f"/runs/{run['id']}")["run"]

    def heal(self):
        """Recorded, replayed, healed; the row of the healed run."""
        self.open_page()
        self.assertEqual([self.go("embedded:a")["outcome"] for _ in range(2)], [None, "replayed"])
        healed = self.go(BARE)
        self.assertEqual(healed["outcome"], "healed")
        return healed

    def text(self, selector):
        return self.browser.evaluate("document.querySelector(%s)?.innerText ?? ''" % json.dumps(selector))

    def test_what_was_healed_is_shown_beside_what_it_was_and_accepted(self):
        b = self.browser
        run = self.heal()
        b.go("#/")
        b.wait_for_text("Healed, and waiting for a decision")
        b.wait_for_text("healed", ".verdicts")
        self.look("recordings-overview")
        b.go("#/runs")
        b.wait_for_text("healed", ".runs-space")
        self.assertEqual(b.evaluate("[...document.querySelectorAll('.runs-space .badge')].map(e => e.textContent)"),
                         ["healed", "replayed", "passed"])
        self.look("recordings-runs")
        b.go(f"#/run/{run['id']}?step=2")
        b.wait_for_text("By a model, as the recording no longer fits")
        self.assertIn("1 of 2 steps, 1 healed, 2 model calls", self.text("main"))
        self.look("recordings-run")
        b.go("#/recordings")
        b.wait_for_text("Waiting for a decision")
        self.look("recordings-list")
        b.evaluate("document.querySelector('.work-list a').click()")
        b.wait_for_text("What was healed")
        was, now = b.evaluate("[...document.querySelectorAll('.rec-side')].map(e => e.innerText)")
        self.assertIn("airplane_mode", was)
        self.assertIn("Identifier\nnone", now)
        self.assertIn("Airplane Mode", now)
        self.assertEqual(b.evaluate("[...document.querySelectorAll('.rec-parts .is-warn dt')].map(e => e.textContent)"),
                         ["Identifier", "Identifier"])
        self.look("recordings-one")
        b.evaluate("document.querySelector('[aria-label^=\"Accept\"]').click()")
        b.wait_for_text("Replays of it count as passed", "dialog")
        b.evaluate("document.querySelector('dialog [type=submit]').click()")
        b.wait_for_text("trusted", "ia-recordings [role=status]")
        self.assertEqual([r["state"] for r in self.api("GET", "/recordings")["recordings"]], ["trusted", "replaced"])
        self.assertEqual(self.go(BARE)["outcome"], "replayed")

    def test_what_is_rejected_waits_no_more_and_the_page_of_who_may_only_look_decides_nothing(self):
        b = self.browser
        self.heal()
        healed = self.api("GET", "/recordings?state=quarantined")["recordings"][0]["id"]
        self.open_page(f"#/recordings/{healed}", "--view-only")
        b.wait_for_text("What was healed")
        self.assertEqual(b.evaluate("[...document.querySelectorAll('.head button')].filter(e => e.disabled).map(e => e.textContent)"),
                         ["Accept", "Reject"])
        self.open_page(f"#/recordings/{healed}")
        b.wait_for_text("What was healed")
        b.evaluate("document.querySelector('[aria-label^=\"Reject\"]').click()")
        b.wait_for_text("never replayed again", "dialog")
        b.evaluate("document.querySelector('dialog [type=submit]').click()")
        b.wait_for_text("rejected", "ia-recordings [role=status]")
        self.assertEqual(b.evaluate("[...document.querySelectorAll('.head .is-danger, .head .danger')].length"), 0)
        b.go("#/recordings?state=rejected")
        b.wait_for_text("rejected by api")

    def test_a_sweep_and_the_trends_tell_heals_from_passes(self):
        b = self.browser
        goals = os.path.join(self.folder, "goals.toml")
        for device in ("", 'device = "%s"' % BARE):
            with open(goals, "w", encoding="utf-8") as f:
                f.write(SWEEP % device)
            done = self.run_agent("sweep", "--demo", "--json", "--replay", "auto", goals)
            self.assertEqual(done.code, 0, done)
        result = done.envelope()["result"]
        self.assertEqual((result["passed"], result["replayed"], result["healed"]), (1, 1, 1), result)
        self.open_page(f"#/pipeline/{result['sweep']}")
        b.wait_for_text("1 healed, 1 passed")
        self.assertIn("replayed", self.text(".sweep-tree"))
        self.look("recordings-sweep")
        b.go("#/trends")
        b.wait_for_text("1 healed", ".goals")
        self.look("recordings-trends")

    def test_a_page_without_recordings_says_what_they_are(self):
        self.open_page("#/recordings")
        self.browser.wait_for_text("There are no recordings yet")
        self.look("recordings-none")


if __name__ == "__main__":
    unittest.main()
