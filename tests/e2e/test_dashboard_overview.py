"""The overview, the list of all runs, and trends: in a fresh home, with runs in hand, and with 10,000 runs."""
import json
import os
import shutil
import sqlite3
import tempfile
import unittest

import big_history
from dashboard_case import DashboardCase
from harness import PROGRAM

SLOW = "embedded:slow?faults=slow-tree@1+:250"
LONG = ("open Settings, tap General, tap About, check that iOS Version is on the screen, go back, go back, "
        "turn on Airplane Mode")
FAILS = "open Settings, check that Nowhere is on the screen"
HOSTILE = "<img src=x onerror=alert(1)> \u202eevil\u202c"


class Overview(DashboardCase):
    def ended(self, goal, **more):
        """A run that is over."""
        run = self.queue_run(goal, **more)["id"]
        self.wait_for_end(run)
        return run

    def wait_for_end(self, run):
        self.browser.wait_until("""fetch('/v1/runs/%s', {headers: {Authorization: 'Bearer ' + sessionStorage.getItem('ios-agent-token')}})
            .then(r => r.json()).then(a => a.result.run.finished)""" % run)

    def tab_to(self, text):
        """By the keyboard alone."""
        for _ in range(60):
            if self.browser.evaluate("document.activeElement.textContent") == text:
                return
            self.browser.key("Tab", 9)
        self.fail(f"{text} is not reached")

    def test_the_first_goal_is_started_where_it_is_taught(self):
        self.open_page()
        b = self.browser
        b.wait_for_text("Your first goal")
        b.wait_for_text("the demo brain follows the goal")
        b.wait_for_text("1 warning", ".doctor")
        self.look("overview-empty")
        b.click(".first .button", "Run it")
        self.assertEqual(b.evaluate("document.activeElement.matches('.first textarea')"), True)
        b.click(".example", "open Settings, turn on Airplane Mode")
        b.click(".first .button", "Run it")
        b.wait_until("location.hash.startsWith('#/run/')")
        run = self.api("GET", "/runs/last")["run"]
        self.assertEqual((run["goal"], run["demo"]), ("open Settings, turn on Airplane Mode", True))
        self.wait_for_end(run["id"])
        b.go("#/")
        b.wait_for_text("passed", ".verdicts")
        self.assertNotIn("Your first goal", b.text())
        self.assertEqual(self.api("GET", f"/runs/{run['id']}")["run"]["state"], "passed")

    def test_what_fails_is_the_first_and_the_biggest(self):
        self.open_page()
        b = self.browser
        passed, failed = self.ended("open Settings, turn on Airplane Mode"), self.ended(FAILS)
        b.wait_for_text("1 goal does not pass")
        b.wait_for_text("I looked for the text \"Nowhere\"", ".alarm")
        first = b.evaluate("""(() => { const all = [...document.querySelectorAll('.overview .card')].filter(c => c.checkVisibility());
            const size = (e) => parseFloat(getComputedStyle(e).fontSize);
            return [all[0].classList.contains('alarm'), all.slice(1).every(c => size(all[0].querySelector('h2')) > size(c.querySelector('h2') ?? c))]; })()""")
        self.assertEqual(first, [True, True])
        b.wait_for_text("Pass rate, 30 days", ".figures")
        self.look("overview-failing")
        b.click(".alarm strong a")
        b.wait_until(f"location.hash === '#/run/{failed}'")
        b.go("#/")
        b.click(".alarm .button", "Run again")
        b.wait_until(f"document.querySelector('dialog textarea')?.value === {json.dumps(FAILS)}")
        self.look("new-run")
        b.click("dialog .button", "Cancel")
        b.wait_until("!document.querySelector('dialog')")
        # The goal passes from now on, as far as this history knows.
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"))
        db.execute("UPDATE goals SET name = 'nowhere' WHERE text = ?", (FAILS,))
        db.execute("UPDATE goals SET name = 'nowhere' WHERE id = (SELECT goal_id FROM runs WHERE id = ?)", (passed,))
        db.commit()
        db.close()
        self.ended("open Settings, turn on Airplane Mode", name="nowhere")
        b.wait_until("!document.querySelector('.alarm')")

    def test_a_failure_that_is_expected_raises_no_alarm(self):
        path = os.path.join(self.folder, "known.toml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f'[[goal]]\nname = "known"\ngoal = "{FAILS}"\nfails = "Nowhere is not built yet"\n'
                    f'[[goal]]\nname = "not known"\ngoal = "{FAILS}"\n')
        self.open_page()
        b = self.browser
        self.api("POST", "/sweeps", {"files": [path], "demo": True})
        b.wait_for_text("expected", ".verdicts")
        b.wait_for_text("1 goal does not pass")
        self.assertNotIn("Nowhere is not", b.evaluate("document.querySelector('.alarm').innerText"))
        self.assertEqual(b.evaluate("[...document.querySelectorAll('.alarm strong')].map(e => e.innerText)"), ["not known"])
        for n in range(3):
            self.ended(FAILS, name=f"other {n}")
        b.wait_for_text("4 goals do not pass")
        b.click(".alarm summary", "1 more")
        b.wait_for_text("not known", ".alarm details")
        self.look("overview-expected", widths=(390, 1440))

    def test_a_run_is_followed_and_cancelled(self):
        self.open_page()
        b = self.browser
        self.api("POST", "/schedules", {"name": "nightly", "cron": "0 3 * * *", "tz": "UTC", "run": {"goal": LONG, "demo": True}})
        runs = [self.queue_run(LONG, device=SLOW.replace("250", "600"), pictures="steps")["id"] for _ in range(3)]
        b.wait_for_text("step 1 of 40", ".in-hand")
        b.wait_for_text("step 3 of 40", ".in-hand")
        b.wait_until("document.querySelector('.in-hand img').naturalWidth > 0")
        b.wait_for_text("in use", ".overview")
        b.wait_for_text("2 wait", ".overview")
        b.wait_for_text("nightly", ".overview")
        self.assertEqual(b.evaluate("document.querySelectorAll('.in-hand').length"), 1)
        self.look("overview-running", widths=(390, 1440))
        b.wait_until("document.querySelector('.in-hand')")
        now = b.evaluate("document.querySelector('.in-hand a').getAttribute('href')").rsplit("/", 1)[1]
        b.click(".in-hand .button", "Cancel")
        b.click("dialog .button", "Cancel the run")
        self.wait_for_end(now)
        self.assertEqual(self.api("GET", f"/runs/{now}")["run"]["state"], "cancelled")
        for run in runs:
            if not self.api("GET", f"/runs/{run}")["run"]["finished"]:
                self.api("POST", f"/runs/{run}/cancel")
            self.wait_for_end(run)
        b.wait_until("!document.querySelector('.in-hand')")

    def test_what_a_new_run_says_is_what_is_asked_for(self):
        self.open_page("#/runs")
        b = self.browser
        b.wait_for_text("No runs yet")
        self.look("runs-empty")
        self.api("PUT", "/agents/anna", {})
        self.api("PUT", "/config", {"key": "run.device", "value": "embedded:mine"})
        self.api("PUT", "/config", {"key": "run.max_seconds", "value": "77"})
        self.tab_to("New run")
        b.enter()
        b.wait_until("[...document.querySelectorAll('dialog option')].some(o => o.value === 'anna')")
        b.wait_for_text("As configured: embedded:mine", "dialog")
        self.assertEqual(b.evaluate("[...document.querySelectorAll('dialog [type=number]')].map(i => i.placeholder)"),
                         ["40", "77", "no limit"])
        b.write("open Settings, turn on Airplane Mode")
        fill = """(() => { const by = (label) => document.getElementById([...document.querySelectorAll('dialog label')]
            .find(l => l.textContent === label).htmlFor); document.querySelector('dialog details').open = true;
            by('Expectations').value = ' value switch "Airplane Mode" = "on"\\n\\nbad expectation\\n'; by('Agent').value = 'anna'; by('Steps').value = '7'; })()"""
        b.evaluate(fill)
        b.click("dialog .button", "Run")
        b.wait_for_text("bad expectation", "dialog .error")
        self.assertEqual(self.api("GET", "/runs")["total"], 0)
        b.evaluate(fill.replace("bad expectation", ""))
        self.tab_to("Run")
        b.enter()
        b.wait_until("location.hash.startsWith('#/run/')")
        run = self.api("GET", "/runs/last")["run"]
        self.assertEqual((run["agent"], run["budget"]["max_steps"], len(run["expect"])), ("anna", 7, 1))
        self.assertEqual((run["lane"], run["budget"]["max_seconds"]), ("embedded:mine", 77))
        self.wait_for_end(run["id"])
        self.assertEqual(self.api("GET", f"/runs/{run['id']}")["run"]["state"], "passed")

    def test_a_list_of_some_runs_follows_what_they_become(self):
        self.open_page("#/runs?state=unfinished")
        b = self.browser
        b.wait_for_text("No run matches")
        runs = [self.queue_run(LONG, device=SLOW)["id"] for _ in range(2)]
        b.wait_for_text("2 runs")
        b.wait_for_text("running", ".runs-space")
        b.wait_for_text("queued", ".runs-space")
        for left in (1, 0):
            self.api("POST", f"/runs/{runs[left]}/cancel")
            b.wait_for_text("1 run" if left else "No run matches")
        b.click("main a.button", "All runs")
        b.wait_for_text("2 runs")
        self.assertEqual(b.evaluate("document.querySelector('.runs-filters select').value"), "")
        b.wait_until("document.querySelectorAll('.runs-space .badge').length === 2 && !document.querySelector('.runs-space .is-live')")

    def test_who_may_only_look_starts_nothing(self):
        self.open_page("#/", "--view-only")
        self.browser.wait_for_text("Your first goal")
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('main .button.primary')].every(x => x.disabled)"), True)
        self.browser.go("#/trends")
        self.browser.wait_for_text("No runs in the last 30 days")
        self.look("trends-empty", widths=(390, 1440))


class Big(DashboardCase):
    """With a history of 10,000 runs, which is made once."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = tempfile.mkdtemp(prefix="ios-agent-big-")
        cls.addClassCleanup(shutil.rmtree, cls.made, True)
        cls.history = big_history.make(os.path.join(cls.made, "home"), os.path.abspath(PROGRAM), runs=10000, journals=100)

    def prepare(self):
        shutil.copytree(os.path.join(self.made, "home"), self.home)
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"))
        db.execute("UPDATE goals SET name = ? WHERE id = (SELECT goal_id FROM runs ORDER BY id DESC LIMIT 1)", (HOSTILE,))
        db.commit()
        db.close()

    def rows(self):
        """Those that exist: [aria-rowindex, href of the run]; None while it is not there yet."""
        return self.browser.evaluate("""[...document.querySelectorAll('.runs-space .runs-row')].map(r =>
            [+r.getAttribute('aria-rowindex'), r.querySelector('a')?.getAttribute('href') ?? null])""")

    def loaded_rows(self):
        """The same at a moment when all of them are there: a wheel rolls on for a while."""
        return self.browser.wait_until("""(all => all.length > 5 && all.every(([, run]) => run) && all)(
            [...document.querySelectorAll('.runs-space .runs-row')].map(r =>
              [+r.getAttribute('aria-rowindex'), r.querySelector('a')?.getAttribute('href') ?? null]))""")

    def first_seen(self):
        return self.browser.evaluate("""(() => { const g = document.querySelector('.runs-grid').getBoundingClientRect();
            const head = document.querySelector('.runs-head').offsetHeight;
            return [...document.querySelectorAll('.runs-space .runs-row')].find(r => r.getBoundingClientRect().top >= g.top + head - 2)
              .querySelector('a')?.getAttribute('href'); })()""")

    def scroll(self, top):
        """As the scroll bar does: to any place at once."""
        self.browser.evaluate(f"document.querySelector('.runs-grid').scrollTop = {top}; new Promise(done => "
                              "requestAnimationFrame(() => requestAnimationFrame(done)))")

    def wait_for_rows(self):
        self.browser.wait_until("""(() => { const all = [...document.querySelectorAll('.runs-space .runs-row')];
            return all.length > 5 && all.every(r => r.querySelector('a')); })()""")

    def ids(self):
        return [r["id"] for r in reversed(self.history["runs"])]

    def test_ten_thousand_runs_are_scrolled_with_few_rows_at_a_time(self):
        self.open_page("#/runs")
        b = self.browser
        self.wait_for_rows()
        self.look("runs")
        self.assertEqual(b.evaluate("document.querySelector('.runs-grid').getAttribute('aria-rowcount')"), "10001")
        self.assertNotIn("alert", b.evaluate("[...document.querySelectorAll('main *')].map(e => e.tagName + e.getAttribute('onerror')).join()"))
        self.scroll_through()
        self.check_quiet()

    def scroll_through(self):
        b = self.browser
        b.evaluate("document.querySelector('.runs-grid').focus(); 1")
        box = b.evaluate("(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector('.runs-grid').getBoundingClientRect())")
        for _ in range(60):
            b.wheel(*box, 1500)
        b.wait_until("document.querySelector('.runs-grid').scrollTop > 20000")
        self.wait_for_rows()
        self.check_rows()
        b.key("End", 35)
        self.wait_for_rows()
        self.check_rows()
        self.assertEqual(self.rows()[-1], [10001, f"#/run/{self.ids()[-1]}"])
        self.scroll(260000)
        b.wait_until("document.querySelector('.runs-space .runs-row[aria-rowindex=\"5002\"] a')")
        self.check_rows()
        b.key("Home", 36)
        self.wait_for_rows()
        self.assertEqual(self.rows()[0], [2, f"#/run/{self.ids()[0]}"])

    def check_rows(self):
        """Few rows, each the run that belongs there, in the order in which they are read."""
        rows, ids = self.loaded_rows(), self.ids()
        self.assertLess(len(rows), 60)
        for index, run in rows:
            self.assertEqual(run, f"#/run/{ids[index - 2]}")
        self.assertEqual([i for i, _ in rows], sorted(i for i, _ in rows))

    def test_new_runs_leave_what_one_looks_at_where_it_is(self):
        self.open_page("#/runs")
        b = self.browser
        self.wait_for_rows()
        self.scroll(5200)
        self.wait_for_rows()
        before = self.first_seen()
        b.go(before)
        b.wait_until("!document.querySelector('.runs-grid')")
        b.evaluate("history.back()")
        self.wait_for_rows()
        b.wait_until("document.querySelector('.runs-grid').scrollTop === 5200")
        self.assertEqual(self.first_seen(), before)
        new = [self.queue_run("open Settings, turn on Airplane Mode", device="embedded:new")["id"] for _ in range(3)]
        b.wait_for_text("10,003 runs")
        self.assertEqual(self.first_seen(), before)
        self.scroll(0)
        b.wait_until(f"document.querySelector('.runs-row[aria-rowindex=\"2\"] a')?.getAttribute('href') === '#/run/{new[-1]}'")
        b.wait_until("document.querySelector('.runs-row[aria-rowindex=\"2\"]').innerText.includes('passed')")

    def test_runs_are_found_chosen_and_compared_by_keys(self):
        self.open_page("#/runs")
        b = self.browser
        self.wait_for_rows()
        b.evaluate("document.querySelector('.runs-filters input').focus(); 1")
        b.write("reminders")
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"))
        total = db.execute("SELECT count(*) FROM runs r JOIN goals g ON g.id = r.goal_id WHERE text LIKE '%reminders%'").fetchone()[0]
        db.close()
        self.assertGreater(total, 100)
        b.wait_for_text(f"{total:,} runs")
        b.evaluate("(s => { s.value = 'failed'; s.dispatchEvent(new Event('change')); })(document.querySelector('.runs-filters select'))")
        failed = self.api("GET", "/runs?limit=1&text=reminders&state=failed")["total"]
        b.wait_for_text(f"{failed:,} runs")
        self.wait_for_rows()
        self.look("runs-filtered", widths=(390, 1440))
        self.assertEqual(b.evaluate("location.hash"), "#/runs?text=reminders&state=failed")
        first, second = [href.rsplit("/", 1)[1] for _, href in self.rows()[:2]]
        b.evaluate("document.querySelector('.runs-grid').focus(); 1")
        active = "document.getElementById(document.querySelector('.runs-grid').getAttribute('aria-activedescendant'))"
        self.assertEqual(b.evaluate(f"{active}.getAttribute('aria-rowindex')"), "2")
        b.key(" ", 32)
        b.key("ArrowDown", 40)
        b.key(" ", 32)
        self.assertEqual(b.evaluate("document.querySelectorAll('.runs-row[aria-selected=true]').length"), 2)
        self.look("runs-chosen", widths=(390, 1440))
        b.click(".head .button", "Compare")
        b.wait_until(f"location.hash === '#/compare/{second}/{first}'")
        b.wait_until("!document.querySelector('.runs-grid')")  # the address changes before the page does
        b.evaluate("history.back()")
        b.wait_until("document.querySelector('.runs-filters input')?.value === 'reminders'")
        self.wait_for_rows()
        b.evaluate("document.querySelector('.runs-grid').focus(); 1")
        b.wait_until(f"{active}?.getAttribute('aria-rowindex') === '2'")
        b.key("ArrowDown", 40)
        b.wait_until(f"{active}?.getAttribute('aria-rowindex') === '3'")
        b.enter()
        b.wait_until(f"location.hash === '#/run/{second}'")
        b.go("#/runs?text=nobody%20wrote%20this")
        b.wait_for_text("No run matches")

    def test_trends_say_what_history_says(self):
        self.open_page("#/trends?days=90")
        b = self.browser
        b.wait_until("document.querySelectorAll('.chart svg .spot').length > 20")
        for days in (90, 30, 7):
            b.click(".head .button", f"{days} days")
            b.wait_for_text(f"in the last {days} days", ".chart:nth-child(3)")
            self.look(f"trends-{days}")
        stats = self.api("GET", "/stats?days=7&offset_min=0")["total"]
        shown = b.evaluate("document.querySelector('.chart:nth-child(3) .chart-value').textContent")
        self.assertEqual(shown, f"{stats['runs']:,}")
        # An interval of several days is computed by the page as the daemon computes those of one.
        self.assertEqual(b.evaluate("""import('/app/charts.js').then(({share}) => fetch('/v1/stats?days=90', {headers: {
            Authorization: 'Bearer ' + sessionStorage.getItem('ios-agent-token')}}).then(r => r.json()).then(({result}) => result.goals.filter(g => {
              const is = share(g.passed, g.passed + g.failed), flake = share(g.flaky, g.executions);
              return [[is, g.rate], [flake, g.flake]].some(([a, b]) => Math.abs(a.low - b.low) + Math.abs(a.high - b.high) > 1e-9);
            }).map(g => g.goal)))"""), [])
        # The table behind a chart is there for screen readers, and for everybody at a button.
        table = "document.querySelector('.chart:nth-child(3) table')"
        runs = b.evaluate(f"[...{table}.querySelectorAll('tbody td')].reduce((a, c) => a + +c.textContent, 0)")
        self.assertEqual(runs, stats["runs"])
        self.assertEqual(b.evaluate(f"{table}.parentNode.offsetWidth"), 1)
        b.click(".chart:nth-child(3) button", "Runs per day as a table")
        self.assertGreater(b.evaluate(f"{table}.parentNode.offsetWidth"), 200)
        # Its points can be walked.
        b.evaluate("document.querySelector('.chart .spot[tabindex=\"0\"]').focus(); 1")
        newest = b.evaluate("document.activeElement.getAttribute('aria-label')")
        b.key("ArrowLeft", 37)
        self.assertNotEqual(b.evaluate("document.activeElement.getAttribute('aria-label')"), newest)
        self.assertRegex(b.evaluate("document.activeElement.getAttribute('aria-label')"), r"Passed \d.*%.*to.*of \d+")
        self.assertEqual(b.evaluate("document.querySelectorAll('.chart:first-child [tabindex=\"0\"]').length"), 1)
        self.assertTrue(b.evaluate("document.querySelector('.chart-tip:not([hidden])').innerText.includes('%')"))
        self.look("trends-point", widths=(390, 1440))
        b.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")  # the charts have the new width
        b.click(".goals .sort", "Runs")
        b.wait_until("document.querySelector('.goals th:nth-child(3)').getAttribute('aria-sort') === 'descending'")
        counts = b.evaluate("[...document.querySelectorAll('.goals tbody tr')].map(r => +r.cells[2].textContent.replace(/\\D/g, ''))")
        self.assertEqual(counts, sorted(counts, reverse=True))
        b.click(".goals th a", "settings open")
        b.wait_for_text("goal settings open", ".eyebrow")
        b.wait_until("document.querySelectorAll('.goals tbody tr').length === 1")
        self.assertEqual(b.evaluate("document.querySelectorAll('.chart').length"), 5)  # one goal has no rank
        # The keyboard stays where it is when another range is chosen.
        b.evaluate("document.querySelector('.head .button').focus(); 1")
        b.key("Tab", 9)
        b.enter()
        b.wait_for_text("in the last 30 days", ".chart:nth-child(3)")
        self.assertEqual(b.evaluate("document.activeElement.textContent"), "30 days")
        runs = self.api("GET", "/runs?limit=1&goal=settings%20open")["total"]
        b.click(".eyebrow a", "its runs")
        b.wait_for_text(f"{runs:,} runs")
        self.check_quiet()

    def test_the_overview_of_a_long_history(self):
        self.open_page("#/")
        self.browser.wait_for_text("Cost this week", ".figures")
        self.browser.wait_for_text("Doctor 1 warning")
        self.look("overview-long")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('.verdicts tbody tr').length"), 20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
