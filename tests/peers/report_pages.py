"""The pages of reports before axe-core, in a real browser, and before an HTML validator.

Every page of a passed run, a failed one and a sweep of all verdicts, at three widths and in both
colour schemes, with everything unfolded: no violation of any kind, nothing wider than the window,
and no error of the validator. Skipped without a browser.
"""
import glob
import json
import os
import subprocess
import sys
import unittest

NODE = sys.argv.pop(1)
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

import browser  # noqa: E402
import eval_models  # noqa: E402
from reporting import ARTEFACTS, ReportCase  # noqa: E402

CHROMIUM = browser.needed()

WIDTHS = (390, 820, 1440)
SCHEMES = ("light", "dark")
# The validator's own rules, less those of style: how long a title or a line may be, and where a
# style may stand (the boxes over pictures are placed by one).
RULES = {
    "extends": ["html-validate:standard", "html-validate:a11y", "html-validate:document"],
    "rules": {"no-inline-style": "off", "long-title": "off", "no-trailing-whitespace": "off",
              "doctype-style": "off", "void-style": "off"},
}


def axe_source():
    with open(os.path.join(NODE, "node_modules/axe-core/axe.min.js"), encoding="utf-8") as f:
        return f.read()


class Pages(ReportCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(ARTEFACTS, exist_ok=True)
        cls.axe = axe_source()
        cls.browser = browser.Browser(CHROMIUM)
        cls.addClassCleanup(cls.browser.close)

    def violations(self):
        self.browser.evaluate(self.axe)
        found = self.browser.evaluate(
            "axe.run(document, {rules: {'target-size': {enabled: true}}}).then(r => "
            "r.violations.map(v => [v.id, v.impact, v.nodes.length, v.nodes[0].html,"
            " v.nodes[0].failureSummary]))")
        return found

    def check_in_browser(self, path, name, widths):
        for width in widths:
            self.browser.width(width)
            for scheme in SCHEMES:
                self.browser.scheme(scheme)
                self.browser.open(path)
                self.browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                if os.environ.get("IOS_AGENT_LOOK"):
                    self.browser.picture(os.path.join(ARTEFACTS, f"page-{name}-{width}-{scheme}.png"), 3000)
                where = f"{name} at {width} px, {scheme}"
                self.assertEqual(self.violations(), [], where)
                wider = self.browser.evaluate(
                    "document.documentElement.scrollWidth - document.documentElement.clientWidth")
                self.assertLessEqual(wider, 0, where)

    def check_validator(self, pages):
        rules = self.path("rules.json")
        with open(rules, "w", encoding="utf-8") as f:
            json.dump({**RULES, "root": True}, f)
        done = subprocess.run(
            ["node", os.path.join(NODE, "node_modules/html-validate/bin/html-validate.mjs"),
             "--config", rules, "--formatter", f"json={rules}.out", *pages],
            capture_output=True, text=True, timeout=120)
        with open(f"{rules}.out", encoding="utf-8") as f:
            found = [(os.path.basename(r["filePath"]), m["ruleId"], m["line"], m["message"])
                     for r in json.load(f) for m in r["messages"]]
        self.assertEqual(found, [], done.stderr)

    def check(self, folder, name):
        pages = sorted(glob.glob(os.path.join(folder, "**/*.html"), recursive=True))
        self.assertTrue(pages)
        self.check_validator(pages)
        for page in pages:
            first = os.path.basename(page) == "index.html"
            self.check_in_browser(page, f"{name}-{os.path.basename(page)[:-5]}", WIDTHS if first else WIDTHS[::2])

    def page_of_run(self, *more):
        folder = self.path("run")
        self.report(self.ada(*more), "--out", folder)
        return folder

    def test_the_page_of_a_run_that_passed(self):
        self.check(self.page_of_run("--expect", 'visible "Ada Lovelace"'), "passed")

    def test_the_page_of_a_run_that_failed(self):
        self.check(self.page_of_run("--expect", 'visible "Ada Lovelace"', "--expect", 'visible "Grace"',
                                    "--expect", 'gone "Nora Abbott"'), "failed")

    def test_the_pages_of_a_sweep(self):
        sweep = self.sample(5, 3, *self.shas(self.ada()))
        self.report(sweep, "--out", self.path("sweep"))
        self.check(self.path("sweep"), "sweep")

    def test_the_pages_of_an_evaluation_and_of_two_side_by_side(self):
        lazy = eval_models.lazy()
        double = self.script(*lazy["turns"], default=lazy["default"])
        self.run_agent("eval", "--demo", "--tag", "shop")
        self.run_agent("eval", "--tag", "shop", "--report-dir", self.path("b"), env=self.claude(double))
        double.stop()
        ids = [s["id"] for s in self.run_agent("sweeps", "--json").envelope()["result"]["sweeps"]]
        page = self.path("compared.html")
        self.assertEqual(self.run_agent("eval", "compare", *ids, "--out", page).code, 0)
        pages = [page, os.path.join(self.path("b"), "eval.html")]
        self.check_validator(pages)
        for one in pages:
            self.check_in_browser(one, os.path.basename(one)[:-5], WIDTHS)


if __name__ == "__main__":
    unittest.main(verbosity=2)
