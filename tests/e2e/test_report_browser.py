"""Reports in a real browser; pictures of them are left in artefacts/. Skipped without a browser."""
import json
import os
import unittest

import browser
from harness import SOURCE
from reporting import ARTEFACTS, ReportCase

CHROMIUM = browser.needed()


class InABrowser(ReportCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(ARTEFACTS, exist_ok=True)
        cls.browser = browser.Browser(CHROMIUM)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        super().setUp()
        self.browser.width(1200)
        self.browser.scheme("light")

    def check_quiet(self):
        self.assertEqual(self.browser.complaints(), [])
        for url in self.browser.requests():
            self.assertTrue(url.startswith(("file://", "data:")), url)

    def sweep(self, goals, steps):
        sweep = self.sample(goals, steps, *self.shas(self.ada()))
        self.report(sweep, "--out", self.path("report"))
        return self.path("report/index.html")

    def shown(self):
        return self.browser.evaluate(
            "[...document.querySelectorAll('.goal')].filter(g => g.offsetParent).length")

    def test_a_run_opens_without_network_and_without_complaints(self):
        run = self.ada("--expect", 'visible "Ada Lovelace"')
        self.report(run, "--out", self.path("my report #1.html"))
        self.browser.open(self.path("my%20report%20%231.html"))
        for scheme in ("light", "dark"):
            self.browser.scheme(scheme)
            self.browser.picture(os.path.join(ARTEFACTS, f"report-run-{scheme}.png"), 2600)
        broken = self.browser.evaluate(
            "[...document.images].filter(i => i.naturalWidth === 0).length")
        self.assertEqual(broken, 0)
        self.assertGreater(self.browser.evaluate("document.images.length"), 10)
        self.check_quiet()

    def test_the_box_lies_on_the_element_that_was_tapped(self):
        self.report(self.ada(), "--out", self.path("report"))
        self.browser.open(self.path("report/index.html"))
        box = self.browser.evaluate(
            "(() => { const b = document.querySelector('.box').getBoundingClientRect(),"
            " f = document.querySelector('.box').parentNode.querySelector('img')"
            ".getBoundingClientRect();"
            " return [(b.x - f.x) / f.width, (b.y - f.y) / f.height, b.width / f.width]; })()")
        step = json.loads(self.report(self.runs()[0]["id"], "--format", "json").out)[
            "goals"][0]["runs"][0]["steps"][0]
        self.assertAlmostEqual(box[0], step["box"]["x"] / 393, delta=0.01)
        self.assertAlmostEqual(box[1], step["box"]["y"] / 852, delta=0.01)
        self.assertAlmostEqual(box[2], step["box"]["w"] / 393, delta=0.02)

    def test_a_sweep_filters_by_keyboard_and_search(self):
        self.browser.open(self.sweep(12, 3))
        for scheme in ("light", "dark"):
            self.browser.scheme(scheme)
            self.browser.picture(os.path.join(ARTEFACTS, f"report-sweep-{scheme}.png"))
        self.assertEqual(self.shown(), 12)
        self.browser.evaluate("document.getElementById('show-all').focus()")
        for expected in (6, 2, 4):
            self.browser.key("ArrowRight", 39)
            self.assertEqual(self.shown(), expected)
        self.browser.key("ArrowRight", 39)
        self.assertEqual(self.shown(), 12)
        self.browser.evaluate(
            "(() => { const f = document.getElementById('find'); f.value = 'GOAL 3';"
            " f.dispatchEvent(new Event('input')); })()")
        self.assertEqual(self.shown(), 1)
        self.check_quiet()

    def test_evidence_leads_to_its_step_and_commands_can_be_copied(self):
        self.browser.open(os.path.join(os.path.dirname(self.sweep(3, 4)), "goals/003.html"))
        self.browser.evaluate("document.querySelector('.evidence a').click()")
        self.assertTrue(self.browser.evaluate(
            "document.querySelector(location.hash).classList.contains('step')"))
        self.browser.evaluate("document.querySelector('.copy').click()")
        copied = self.browser.evaluate(
            "new Promise(done => setTimeout(() => done("
            "document.querySelector('.copy').textContent), 200))")
        self.assertEqual(copied, "Copied")
        self.browser.picture(os.path.join(ARTEFACTS, "report-goal-light.png"), 2600)
        self.browser.width(390)
        self.browser.picture(os.path.join(ARTEFACTS, "report-goal-narrow.png"), 2600)
        broken = self.browser.evaluate(
            "[...document.querySelectorAll('.command .word')].filter(w => w.getClientRects().length > 1).length")
        self.assertEqual(broken, 0)
        options = self.browser.evaluate(
            "[...document.querySelectorAll('.command .word')].map(w => w.textContent)")
        self.assertIn("--device", options)
        overflow = self.browser.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.assertLessEqual(overflow, 0)
        self.check_quiet()

    def test_without_scripts_everything_is_there(self):
        path = self.sweep(12, 1)
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        self.addCleanup(self.browser.call, "Emulation.setScriptExecutionDisabled", value=False)
        self.browser.open(path)
        self.assertEqual(self.shown(), 12)
        self.browser.evaluate("document.getElementById('show-all').focus()")
        self.browser.key("ArrowRight", 39)
        self.assertEqual(self.shown(), 6)

    def test_two_hundred_goals_of_sixty_steps_stay_small_and_open_fast(self):
        path = self.sweep(200, 60)
        size = os.path.getsize(path)
        total = sum(os.path.getsize(os.path.join(f, n))
                    for f, _, names in os.walk(os.path.dirname(path)) for n in names)
        self.browser.open(path)
        ms = self.browser.evaluate("performance.timing.loadEventEnd "
                                   "- performance.timing.navigationStart")
        print(f"200 goals of 60 steps: {size / 1e6:.1f} MB overview, {total / 1e6:.1f} MB in "
              f"all, opens in {ms} ms")
        self.assertLess(size, 8e6)
        self.assertLess(total, 60e6)
        self.assertEqual(self.shown(), 200)

    def test_the_report_of_the_sample_goals_is_photographed(self):
        folder = self.path("report")
        self.run_agent("sweep", "--demo", "goals", "--report-dir", folder, cwd=SOURCE)
        with open(os.path.join(folder, "report.json"), encoding="utf-8") as f:
            report = json.load(f)
        failed = [g["no"] for g in report["goals"] if g["state"] == "failed"]
        for scheme in ("light", "dark"):
            self.browser.scheme(scheme)
            self.browser.open(os.path.join(folder, "index.html"))
            self.browser.picture(os.path.join(ARTEFACTS, f"goals-{scheme}.png"), 4000)
            self.check_quiet()
        for no in failed:
            self.browser.open(os.path.join(folder, f"goals/{no:03}.html"))
            self.browser.picture(os.path.join(ARTEFACTS, f"goals-failed-{no:03}.png"), 4000)
            self.check_quiet()


if __name__ == "__main__":
    unittest.main(verbosity=2)
