"""A run on the dashboard: watched live, scrubbed afterwards, talked to, cancelled, compared, and hostile."""
import json
import os
import re
import signal
import subprocess
import time
import unittest

import browser
from dashboard_case import PICTURES, DashboardCase
from harness import ADA, TIMEOUT_S

SAMPLE = os.environ["IOS_AGENT_MAKE_SAMPLE"]
VISIBLE = 'visible "Ada Lovelace"'


def turn(latest, text, tool, /, wait=250, **more):
    return {"match": {"latest": latest}, "latency_ms": wait, "blocks": [{"text": text}, {"tool_use": tool, "input": more}]}


# A model that adds the contact, and says why before each step. The first turn that matches answers.
ADDS = [
    {"match": {"call": "verifier"}, "blocks": [{"tool_use": "verdict", "input": {"agrees": True, "reason": "her card is open"}}]},
    turn("icon Contacts", "I see the home screen. Contacts is in the dock, so I open it.", "tap", wait=1500, ref='$ref(icon "Contacts")'),
    turn(": Contacts\n", "The list is here. The plus adds a contact.", "tap", ref='$ref(button "Add")'),
    turn(": New Contact\n", "An empty card: first the first name.", "type_text", ref='$ref(field "First name")', text="Ada"),
    turn("Last name = Lovelace", "Both names stand there, so I save.", "tap", ref='$ref(button "Done")'),
    turn("First name = Ada", "Now the last name.", "type_text", ref='$ref(field "Last name")', text="Lovelace"),
    turn(": Ada Lovelace\n", "Her card shows her name.", "finish", verdict="passed", summary="Ada Lovelace is a contact now.",
         evidence=[{"quote": "Ada Lovelace"}]),
]
GOAL = "Add Ada Lovelace to the contacts"
HOSTILE = ("</h1><script>window.hurt = 1</script><img src=x onerror='window.hurt = 2'> \u202e gnirts \u2066 \x07 \x1b[31m "
           "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466" + "\u0301" * 40 + " {{name}} \u200f\u05d0\u05d1")


class RunCase(DashboardCase):
    turns = ADDS
    pace = "40"
    faults = ()

    def prepare(self):
        path = os.path.join(self.folder, "turns.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"turns": self.turns}, f)
        self.model = self.double("--script", path, "--pace-ms", self.pace, *self.faults)

    def start_daemon(self, *more, **env):
        super().start_daemon(*more, **self.claude(self.model), **env)

    # ---- runs ----

    def live(self, goal=GOAL, **more):
        return self.api("POST", "/runs", {"goal": goal, "pictures": "steps", **more})["run"]["id"]

    def done(self, *more, goal=ADA, code=0):
        """A run of the demo brain that is over; returns its id."""
        result = self.run_agent("run", "--demo", "--pictures", "steps", "--json", *more, goal)
        self.assertEqual(result.code, code, result)
        return self.runs()[0]["id"]

    def sample(self, steps, *shas):
        done = subprocess.run([SAMPLE, self.home, "0", str(steps), *shas], env=self.env(), capture_output=True, text=True,
                              check=True, timeout=TIMEOUT_S)
        return done.stdout.strip()

    def wait_state(self, state, b=None):
        (b or self.browser).wait_for_text(state, ".run-goal .badge")

    # ---- the page ----

    def at(self):
        return int(re.match(r"step (\d+) of", self.browser.evaluate("document.querySelector('.run-at').textContent")).group(1))

    def wait_step(self, n):
        self.browser.wait_until(f"document.querySelector('.run-at')?.textContent.startsWith('step {n} of') "
                                "&& document.querySelector('.run-step-head')")

    def settled(self):
        """Until the details of the step have come and its pictures are shown."""
        self.browser.wait_until("document.querySelector('[aria-label=\"The screen\"][aria-busy=false]')"
                                " && [...document.querySelectorAll('.run-glass img:not([src$=svg])')].every(i => i.complete && i.naturalWidth)")

    def shown(self, b):
        """What the page says, without ages."""
        b.wait_until("document.querySelector('.run-step-head')")
        text = b.evaluate("document.querySelector('ia-run').innerText")
        return re.sub(r"\b(now|\d+ (s|min|h) ago)\b", "AGE", text)


class Live(RunCase):
    def test_a_run_is_watched_from_its_first_step_to_its_verdict(self):
        self.open_page()
        b = self.browser
        b.width(1440, 900)
        run = self.live(expect=[VISIBLE])
        b.go(f"#/run/{run}")
        b.wait_for_text("I see the home", ".is-saying")
        streamed = b.evaluate("document.querySelector('.is-saying').innerText")
        self.assertLess(len(streamed), len("Turn 1: " + ADDS[1]["blocks"][0]["text"]) + 1)
        steps = len(ADDS) - 1
        for n in range(1, steps + 1):
            self.wait_step(n)
            self.settled()
            if n < steps:  # the model still thinks, and the screen that it thinks about is here
                b.wait_until("document.querySelector('.run-after figcaption').textContent === 'after'")
                b.wait_until("document.querySelector('.run-after img').naturalWidth")
            if PICTURES:
                os.makedirs(os.path.join(PICTURES, "dashboard"), exist_ok=True)
                b.picture(os.path.join(PICTURES, "dashboard", f"live-{n:02}.png"))
        self.wait_state("passed")
        b.wait_for_text("Every expectation holds, and the verifier agrees.")
        # Of each step: why, on what, what it changed, and the screen after it.
        for n, said, about, changed in ((1, "in the dock", "icon Contacts", "button Add"), (3, "first the first name", "First name", "First name = Ada"),
                                        (5, "so I save", "button Done", "Edit")):
            b.click(f"#run-cell-{n}")
            self.wait_step(n)
            b.wait_for_text(said, ".run-why")
            b.wait_for_text(about, ".run-step-head")
            b.wait_for_text(changed, ".run-diff")
            b.wait_until("document.querySelector('.run-tree .ref')")
        facts = b.evaluate("document.querySelector('.facts').innerText")
        self.assertRegex(facts, r"Cost\s+\$0\.\d{4}")
        self.assertEqual(b.evaluate("document.querySelectorAll('.run-cell').length"), steps + 1)
        self.check_quiet()

    def test_who_scrubbed_away_stays_there_until_he_asks_for_live(self):
        self.open_page()
        b = self.browser
        b.go(f"#/run/{self.live()}")
        self.wait_step(2)
        b.click("#run-cell-1")
        b.wait_until("document.querySelectorAll('.run-cell').length > 4")
        self.assertEqual(self.at(), 1)
        b.click("button", "● Live")
        b.wait_until("!document.querySelector('.run-at').textContent.startsWith('step 1 ')")
        self.wait_state("passed")

    def test_what_is_said_reaches_the_agent_and_shows_as_read(self):
        self.open_page()
        b = self.browser
        b.go(f"#/run/{self.live()}")
        self.wait_step(1)
        b.click(".run-say textarea")
        b.write("Her phone is 555-0100")
        b.click(".run-say button")
        b.wait_for_text("dashboard: Her phone is 555-0100")
        b.wait_for_text("read before step")
        self.wait_state("passed")

    def test_cancel_asks_first_and_ends_the_run(self):
        self.open_page()
        b = self.browser
        b.go(f"#/run/{self.live()}")
        self.wait_step(1)
        b.click("ia-run .actions button", "Cancel")
        b.click("dialog button", "Cancel the run")
        self.wait_state("cancelled")
        self.settled()
        b.evaluate("scrollTo(0, 0)")
        self.look("run-cancelled")

    def test_a_budget_is_used_up_and_not_more(self):
        run = self.done("--max-steps", "2", code=4)
        self.open_page(f"#/run/{run}")
        self.browser.wait_for_text("Steps budget: 2 of 2")

    def test_two_browsers_show_the_same(self):
        other = browser.Browser(browser.find())
        self.addCleanup(other.close)
        self.open_page()
        self.open_page(b=other)
        run = self.live()
        self.browser.go(f"#/run/{run}")
        self.wait_step(2)
        other.go(f"#/run/{run}")
        for b in (self.browser, other):
            self.wait_state("passed", b)
            b.go(f"#/run/{run}?step=3")
            b.wait_for_text("Step 3", ".run-step-head")
            b.wait_for_text("first the first name", ".run-why")
            b.wait_until("document.querySelector('.run-tree li')")
        self.assertEqual(self.shown(self.browser), self.shown(other))

    def test_a_run_whose_process_died_is_told_by_the_clock_of_the_stream(self):
        process = self.start_agent("run", GOAL, "--events", "--pictures", "steps", env=self.claude(self.model))
        run = self.read_event(process, "tool.finished")["run"]
        self.open_page(f"#/run/{run}")
        self.wait_state("running")
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.browser.wait_until("!['running'].includes(document.querySelector('.run-goal .badge').innerText)")

    def test_a_daemon_that_is_killed_loses_no_event(self):
        self.open_page()
        b = self.browser
        run = self.live(expect=[VISIBLE])
        b.go(f"#/run/{run}")
        self.wait_step(2)
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.communicate(timeout=TIMEOUT_S)
        b.wait_for_text("The daemon does not answer")
        self.start_daemon()
        b.wait_for_text("The daemon was restarted")
        b.go(self.dashboard().split("/", 3)[3])
        b.wait_until("document.querySelector('.dot.is-live')")
        self.wait_state("passed")
        b.wait_for_text("Interrupted")
        stored = self.api("GET", f"/runs/{run}/events?limit=1000")["events"]
        steps = [e["step"] for e in stored if e["event"] == "tool.finished"]
        self.assertEqual(b.evaluate("[...document.querySelectorAll('.run-cell')].map(c => +c.dataset.key)"), list(range(steps[-1] + 1)))
        # The same as one that loads all of it now.
        b.go(f"#/run/{run}?step=2")
        self.wait_step(2)
        self.settled()
        before = self.shown(b)
        b.call("Page.reload")
        self.wait_step(2)
        self.settled()
        self.assertEqual(self.shown(b), before)


class Afterwards(RunCase):
    def test_it_is_scrubbed_by_mouse_and_by_keys(self):
        run = self.done("--expect", VISIBLE)
        self.open_page(f"#/run/{run}")
        b = self.browser
        self.wait_step(1)
        b.evaluate("document.querySelector('.run-strip').focus()")
        for key, code, n in (("ArrowRight", 39, 2), ("ArrowRight", 39, 3), ("ArrowLeft", 37, 2), ("End", 35, 9), ("Home", 36, 0),
                             ("PageDown", 34, 9)):
            b.key(key, code)
            self.wait_step(n)
        b.wait_until("location.hash.includes('step=9')")
        b.evaluate("document.activeElement.blur()")
        b.key("ArrowLeft", 37)  # anywhere on the page
        self.wait_step(8)
        bar = b.evaluate("(r => [r.x, r.y, r.width, r.height])(document.querySelector('.run-time').getBoundingClientRect())")
        y = bar[1] + bar[3] / 2
        b.drag(bar[0] + bar[2] - 2, y, bar[0] + 1, y)
        self.wait_step(0)
        b.drag(bar[0] + 1, y, bar[0] + bar[2] - 2, y)
        self.wait_step(9)
        b.click("#run-cell-4")
        self.wait_step(4)
        self.settled()
        b.evaluate("scrollTo(0, 0)")
        self.look("run-passed")

    def test_it_plays_to_its_end_and_pauses(self):
        self.open_page(f"#/run/{self.done()}")
        b = self.browser
        self.wait_step(1)
        b.evaluate("document.querySelector('[aria-label=Speed]').value = '8'")
        b.click("button", "Play")
        self.wait_step(3)
        b.click("button", "Pause")
        here = self.at()
        b.click("button", "Play")
        self.wait_step(9)
        self.assertLess(here, 9)

    def test_the_box_lies_on_the_element_and_a_line_lights_its_frame(self):
        self.open_page(f"#/run/{self.done()}?step=1")
        b = self.browser
        self.settled()
        box = b.evaluate("(() => { const b = document.querySelector('.run-before .run-box').getBoundingClientRect(),"
                         " f = document.querySelector('.run-before img').getBoundingClientRect();"
                         " return [(b.x - f.x) / f.width, (b.y - f.y) / f.height]; })()")
        self.assertAlmostEqual(box[0], 26 / 393, delta=0.02)  # the icon is at 28, 754
        self.assertAlmostEqual(box[1], 752 / 852, delta=0.02)
        b.wait_until("document.querySelector('.run-tree .has-frame')")
        b.evaluate("document.querySelector('.run-tree .has-frame').focus()")
        b.wait_until("document.querySelector('.run-after .run-lit')")

    def test_a_failed_one_opens_where_it_failed_and_compares_with_the_last_pass(self):
        passed = self.done("--expect", VISIBLE, "--device", "embedded:a")
        failed = self.done("--expect", 'visible "Nobody"', "--device", "embedded:b", code=1)
        self.open_page(f"#/run/{failed}")
        b = self.browser
        b.wait_for_text("does not hold:")
        b.wait_for_text("NOT ACCEPTED")
        self.assertEqual(b.evaluate("document.querySelector('.run-cell[aria-selected=true] .tool').innerText"), f"{self.at()} finish")
        self.settled()
        b.evaluate("scrollTo(0, 0)")
        self.look("run-failed")
        b.click("a", "Compare with the last pass")
        b.wait_until("document.querySelector('.cmp-row')")
        self.assertEqual(b.evaluate("location.hash"), f"#/compare/{passed}/{failed}")

    def test_evidence_leads_to_the_step_that_shows_it(self):
        run = self.done("--expect", VISIBLE)
        self.open_page(f"#/run/{run}")
        b = self.browser
        b.click("ia-run a", "Ada Lovelace")
        self.wait_step(9)

    def test_it_is_run_again_and_reported(self):
        run = self.done("--expect", VISIBLE, "--device", "embedded:mine", "--max-steps", "20")
        self.open_page(f"#/run/{run}")
        b = self.browser
        b.evaluate("URL.createObjectURL = (o => blob => { window.saved = blob; return o.call(URL, blob); })(URL.createObjectURL)")
        b.click("summary", "Report")
        self.look("run-menu")
        for text, part in (("JUnit", "<testsuite"), ("Markdown", "Ada Lovelace"), ("JSON", "ios-agent-report"), ("CTRF", '"results"')):
            b.evaluate("window.saved = null")
            b.click("button", f"Save {text}")
            b.wait_until("!!window.saved")
            self.assertIn(part, b.evaluate("window.saved.text()"))
        b.key("Escape", 27)
        self.assertEqual(b.evaluate("document.activeElement.parentNode.open"), False)
        b.enter()
        b.wait_until("document.querySelector('.run-menu').open")
        b.click("h1")
        b.wait_until("!document.querySelector('.run-menu').open")
        b.evaluate("navigator.clipboard.writeText = async text => { window.copied = text; }")
        b.click("button", "Copy command")
        command = b.wait_until("window.copied")
        self.assertRegex(command, r"^ios-agent run --device embedded:mine --demo .*--max-steps 20 ")
        self.assertIn(f"-- '{ADA}'", command)
        b.click("button", "Run again")
        b.wait_until(f"!location.hash.includes('{run}')")
        self.wait_state("passed")
        new = self.runs()[0]
        for k in ("goal", "expect", "lane", "demo"):
            self.assertEqual(new[k], self.runs()[1][k])
        self.assertEqual(new["budget"]["max_steps"], 20)

    def test_the_transcript_comes_on_demand(self):
        self.open_page(f"#/run/{self.done()}")
        b = self.browser
        self.assertEqual(b.evaluate("document.querySelectorAll('.run-talk pre').length"), 0)
        self.settled()
        b.click("summary", "Transcript")
        b.wait_for_text("<goal>", ".run-talk")

    def test_one_without_pictures_and_one_that_is_not_there(self):
        result = self.run_agent("run", "--demo", "--pictures", "off", ADA)
        self.assertEqual(result.code, 0, result)
        self.open_page(f"#/run/{self.runs()[0]['id']}")
        self.browser.wait_for_text("No picture was kept")
        self.settled()
        self.look("run-without-pictures")
        self.browser.go("#/run/0123456789")
        self.browser.wait_for_text("Not found")
        self.look("run-missing", complaints=("404",))

    def test_who_may_only_look_cannot_act(self):
        run = self.done()
        self.open_page(f"#/run/{run}", "--view-only")
        self.wait_step(1)
        self.assertTrue(self.browser.evaluate("[...document.querySelectorAll('ia-run .actions button')].find(b => b.innerText === 'Run again').disabled"))


class Waiting(RunCase):
    pace = "0"
    faults = ("--fault", "529@2,400@4")

    def test_a_request_that_is_repeated_and_an_error_are_said(self):
        self.open_page()
        b = self.browser
        b.go(f"#/run/{self.live()}")
        self.wait_state("error")
        b.wait_for_text("A request failed: API_OVERLOADED")
        b.wait_for_text("It could not go on")
        self.settled()
        b.evaluate("scrollTo(0, 0)")
        self.look("run-error")

    def test_one_that_waits_says_for_what(self):
        self.open_page()
        b = self.browser
        self.live()
        b.go(f"#/run/{self.live('Second in line')}")
        b.wait_for_text("Waiting for embedded:default")
        self.look("run-queued", widths=(390,))
        b.wait_until("document.querySelector('.run-cell')")


class Compare(RunCase):
    def test_the_first_difference_is_marked_and_jumped_to(self):
        one = self.done("--device", "embedded:a")
        two = self.done("--device", "embedded:b?faults=silent-typing@2")
        self.open_page(f"#/compare/{one}/{two}")
        b = self.browser
        b.wait_for_text("first difference: other result", ".cmp-row[aria-selected=true]")
        b.wait_for_text("First name = Ada", ".cmp-a .run-diff")
        b.wait_for_text("nothing changed", ".cmp-b")
        self.look("compare")
        b.evaluate("document.querySelector('.cmp-list').focus()")
        b.key("End", 35)
        b.wait_for_text("finish", ".cmp-row[aria-selected=true]")
        b.click("button", "First difference")
        b.wait_for_text("first difference", ".cmp-row[aria-selected=true]")
        b.width(390)
        b.click(".cmp-switch button:last-child")
        self.assertFalse(b.evaluate("document.querySelector('.cmp-a').checkVisibility()"))
        b.width(1280)

    def test_the_same_twice_has_no_difference(self):
        ids = [self.done("--device", f"embedded:{name}") for name in "ab"]
        self.open_page("#/compare/" + "/".join(ids))
        self.browser.wait_for_text("No difference")
        self.browser.wait_for_text("0 differences in 9 rows")

    def test_one_that_goes_on_grows(self):
        self.open_page()
        one = self.live()
        self.browser.go(f"#/run/{one}")
        self.wait_state("passed")
        self.browser.go(f"#/compare/{one}/{self.live(device='embedded:other')}")
        self.browser.wait_for_text("No difference so far")
        self.browser.wait_until("document.querySelector('.cmp-b .badge').innerText === 'passed'")
        self.browser.wait_for_text("0 differences in 6 rows")


class Hostile(RunCase):
    turns = [{"match": {"call": "verifier"}, "blocks": [{"tool_use": "verdict", "input": {"agrees": True, "reason": HOSTILE}}]},
             {"match": {"latest": "icon Contacts"}, "blocks": [{"text": HOSTILE + "y" * 100000},
              {"tool_use": "open_url", "input": {"url": "x-hurt:" + HOSTILE}}]},
             {"match": {"tool": "open_url"}, "blocks": [{"text": HOSTILE}, {"tool_use": "finish", "input": {
                 "verdict": "failed", "summary": HOSTILE + " z" * 700, "evidence": [{"quote": "<b>Contacts</b>" + HOSTILE}]}}]}]
    pace = "0"

    def test_nothing_that_is_said_runs_or_breaks_the_page(self):
        self.open_page()
        b = self.browser
        run = self.live(goal=HOSTILE + "x" * 3000, name=HOSTILE, expect=['visible "<img src=x onerror=alert(1)>"'])
        b.go(f"#/run/{run}?step=1")
        b.wait_until("['failed', 'error'].includes(document.querySelector('.run-goal .badge')?.innerText)")
        self.settled()
        b.wait_for_text("window.hurt = 1", ".run-why")
        self.look("run-hostile")
        # No control of direction reaches beyond its text, and accents do not pile up.
        self.assertNotRegex(b.evaluate("document.querySelector('main').textContent"), "[\u202a-\u202e\u2066-\u2069]|\u0301{7}")
        b.evaluate("document.querySelector('.run-talk').parentNode.open = true")
        b.wait_for_text("window.hurt", ".run-talk")
        b.go(f"#/compare/{run}/{run}")
        b.wait_for_text("No difference")
        self.look("compare-hostile")
        self.assertIsNone(b.evaluate("window.hurt ?? null"))
        self.assertEqual(b.evaluate("document.querySelectorAll('main script, main img[src=x]').length"), 0)

    def test_lines_without_end_and_characters_that_are_none(self):
        self.open_page(f"#/run/{self.done()}")
        b = self.browser
        self.settled()
        shown = b.evaluate("""import('/app/run-view.js').then(m => {
            const line = '\\0\\ud800<b>' + 'x'.repeat(100000), lines = ('7 button ' + line + '\\n').repeat(1000);
            const none = {frames: new Map(), touched: new Set(), light() {}};
            const at = document.querySelector('.run-panes');
            at.replaceChildren(...[m.diff('~ ' + line), m.diff(lines), m.outline(lines, none)].flat().filter(Boolean));
            return [at.textContent.length, at.querySelectorAll('li').length, at.querySelectorAll('b').length, at.textContent.includes('\\0')];
          })""")
        self.assertLess(shown[0], 2 << 20)
        self.assertEqual(shown[1:], [801, 0, True])
        self.look("run-lines", widths=(390,))

    def test_what_the_reports_are_tried_with(self):
        self.done()
        subprocess.run([SAMPLE, self.home, "4", "2"], env=self.env(), check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT_S)
        self.open_page()
        b = self.browser
        runs = [r for r in self.api("GET", "/runs?limit=50")["runs"] if "alert(1)" in r["goal"]]
        self.assertTrue(runs)
        for r in runs[:2]:
            b.go(f"#/run/{r['id']}")
            b.wait_for_text("alert(1)", "ia-run h1")
            b.wait_until("document.querySelector('.run-step-head')")
        self.look("run-of-the-reports", widths=(390,))


class Long(RunCase):
    STEPS = 1000

    def test_a_thousand_steps_stay_smooth(self):
        shas = [e["image"] for e in self.run_agent("show", self.done(), "--json").envelope()["result"]["events"] if e["event"] == "picture"]
        run = self.sample(self.STEPS, *shas)
        self.open_page()
        b = self.browser
        began = time.monotonic()
        b.go(f"#/run/{run}")
        b.wait_until("document.querySelector('.run-cell')")
        opened = time.monotonic() - began
        cells = b.evaluate("document.querySelectorAll('.run-cell').length")
        self.assertLess(cells, 40)
        b.evaluate("document.querySelector('.run-strip').focus()")
        frames, work = b.evaluate("""(async () => {
            const strip = document.querySelector('.run-strip'), long = [], work = [];
            let last = performance.now();
            for (let i = 0; i < 120; i++) {
              const began = performance.now();
              strip.dispatchEvent(new KeyboardEvent('keydown', {key: i % 2 ? 'ArrowRight' : 'PageDown', bubbles: true, cancelable: true}));
              strip.getBoundingClientRect();
              work.push(performance.now() - began);
              await new Promise(requestAnimationFrame);
              const now = performance.now();
              long.push(now - last);
              last = now;
            }
            return [long, work].map(a => a.sort((x, y) => x - y));
          })()""")
        print(f"{self.STEPS} steps: open in {opened * 1000:.0f} ms, a step in {frames[60]:.0f} ms (median), "
              f"{frames[113]:.0f} ms (95 %), of which {work[60]:.1f} ms are the page's")
        self.assertEqual(self.at(), min(self.STEPS, 661))
        self.assertLess(work[60], 50)
        self.assertLess(b.evaluate("document.querySelectorAll('*').length"), 3000)
        b.key("End", 35)
        self.wait_step(self.STEPS)


class Model(RunCase):
    """The reducer, without a page: it runs in node as well."""

    def reduce(self, events, expression):
        self.open_page()
        return self.browser.evaluate("import('/app/run-model.js').then(m => { const run = m.fresh('x');"
                                     f" for (const [i, e] of {json.dumps(events)}.entries()) m.take(run, {{seq: i + 1, ts: new Date(1e12 + i * 1000).toISOString(), ...e}});"
                                     f" return {expression}; }})")

    @staticmethod
    def step(n, **more):
        done = {"ok": True, "code": "OK", "outcome": "sent", "changed": True, "changes": "", "ms": 1, "box": None, "image": None}
        head = {"step": n, "id": f"t{n}", "tool": "tap", "element": f"{n} button B{n}"}
        return [{"event": "tool.started", "input": {"ref": n}, **head}, {"event": "tool.finished", **head, **done, **more}]

    def test_an_attempt_that_is_rolled_back_takes_its_steps_along(self):
        events = [{"event": "run.looked", "screen": "a", "setup": []}, *self.step(1), {"event": "run.rolled_back", "attempt": 1},
                  {"event": "run.looked", "screen": "b", "setup": []}, *self.step(1)]
        self.assertEqual(self.reduce(events, "[run.steps.length, run.marks.map(k => k.title)]"), [2, ["Attempt 1 was rolled back"]])

    def test_known_events_count_once(self):
        self.assertEqual(self.reduce(self.step(1), "[m.take(run, {seq: 2, event: 'run.rolled_back'}), run.steps.length]"), [False, 2])

    def test_a_failed_run_is_opened_at_its_last_failure(self):
        end = {"event": "run.finished", "state": "failed"}
        failing = [*self.step(1), *self.step(2, ok=False, code="GONE"), *self.step(3), end]
        self.assertEqual(self.reduce(failing, "m.firstLook(run)"), 2)
        broken = [*failing[:-1], {**end, "expects": [{"expect": "x", "held": False}]}]
        self.assertEqual(self.reduce(broken, "m.firstLook(run)"), 3)

    def test_time_without_work_is_cut_short(self):
        events = [*self.step(1), {"event": "run.interrupted"}, {"event": "run.claimed", "attempt": 2, "ts": "2030-01-01T00:00:00Z"}]
        self.assertLess(self.reduce(events, "run.clock"), 10000)

    def test_rows_align_where_an_element_has_the_same_name(self):
        other = [{**e, "seq": i + 1, "ts": "", "element": f"9 button:focused B{n}"} for i, (n, e) in enumerate(
            [(1, e) for e in self.step(1)] + [(3, e) for e in self.step(2)])]
        self.assertEqual(self.reduce([*self.step(1), *self.step(2), *self.step(3), {"event": "run.finished", "state": "passed"}],
                                     f"(o => {{ {json.dumps(other)}.forEach(e => m.take(o, e)); o.state = 'failed';"
                                     " return m.align(run, o).map(r => [r.a?.n ?? null, r.b?.n ?? null, r.why]); })(m.fresh('y'))"),
                         [[1, 1, ""], [2, None, "only in one"], [3, 2, ""]])


if __name__ == "__main__":
    unittest.main(verbosity=2)
