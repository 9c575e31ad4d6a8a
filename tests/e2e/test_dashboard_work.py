"""The dashboard's pages of work and its settings: queue, lanes, schedules, sweeps; key, configuration, secrets."""
import json
import os
import unittest

from dashboard_case import DashboardCase

BIDI = "\u202e"
HOSTILE = f'<img src=x onerror=alert(1)>{BIDI}"&\' javascript:alert(2)'


class WorkCase(DashboardCase):
    latency_ms = 0

    def prepare(self):
        """A double that answers slowly enough to be watched, for runs with a key."""
        if self.latency_ms:
            self.api_double = self.double("--latency-ms", str(self.latency_ms))
            self.write(f'[api]\nbase_url = "{self.api_double.url}"\n', ".config/ios-agent/config.toml")

    def write(self, text, name):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def config_file(self):
        with open(os.path.join(self.folder, ".config/ios-agent/config.toml"), encoding="utf-8") as f:
            return f.read()

    def fill(self, label, text, within="dialog"):
        """Types into the field with that label."""
        b = self.browser
        b.wait_until("""(() => {
            const l = [...document.querySelectorAll(%s)].find((l) => l.textContent.trim().startsWith(%s));
            const field = l && (l.control ?? document.getElementById(l.htmlFor));
            if (!field) return null;
            field.focus();
            field.select?.();
            return field;
          })()""" % (json.dumps(f"{within} label"), json.dumps(label)))
        b.write(text)

    def open_pipeline(self):
        self.open_page("#/pipeline")
        self.settle()

    def settle(self):
        """Until nothing moves any more: the chart has its size."""
        self.browser.wait_for_text("in this time", ".chart")
        self.browser.wait_until("document.querySelector('.chart .axes')")
        self.browser.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    # ---- the keyboard ----

    def tab(self):
        self.browser.key("Tab", 9)

    def tab_until(self, what, condition):
        for _ in range(120):
            self.tab()
            if self.browser.evaluate("(e => Boolean(%s))(document.activeElement)" % condition):
                return
        self.fail(f"the Tab key never reached {what}: {self.browser.text()}")

    def tab_to(self, name):
        """To the button (or summary) with that name."""
        self.tab_until(name, "(e.getAttribute('aria-label') ?? e.innerText).trim() === %s" % json.dumps(name))

    def tab_to_field(self, label):
        self.tab_until(label, "e.labels?.[0]?.innerText.startsWith(%s)" % json.dumps(label))


class Queue(WorkCase):
    latency_ms = 400

    def test_thirty_runs_on_three_lanes(self):
        self.open_pipeline()
        b = self.browser
        b.wait_for_text("Nothing is waiting")
        self.look("pipeline-empty")
        self.api("PUT", "/key", {"key": "sk-ant-test-0123456789abcdef"})
        for i in range(30):
            self.api("POST", "/runs", {"goal": f"open Settings, open General, go back, run {i}", "device": f"embedded:lane{i % 3}"})
        b.wait_for_text("step ")
        b.wait_for_text("next, after the run in hand")
        self.look("pipeline-queue")


class Schedules(WorkCase):
    def test_by_keyboard_alone(self):
        self.open_pipeline()
        b = self.browser
        b.wait_for_text("A schedule runs a goal")
        self.tab_to("New schedule")
        b.enter()
        b.wait_until("document.querySelector('dialog[open]')")
        self.look("schedule-new")
        self.tab_to_field("Name")
        b.write("nightly")
        self.tab()
        b.write("open Settings, check that General is on the screen")
        self.tab_to_field("Time zone")
        b.call("Input.dispatchKeyEvent", type="keyDown", key="a", code="KeyA", windowsVirtualKeyCode=65, modifiers=2, commands=["selectAll"])
        b.write("Europe/Berlin")
        self.tab_to("Create")
        b.enter()
        b.wait_for_text("0 3 * * 1-5 Europe/Berlin")
        row = self.api("GET", "/schedules/nightly")["schedule"]
        self.assertEqual((row["tz"], row["spec"], row["run"]["demo"]), ("Europe/Berlin", "0 3 * * 1-5", True))
        self.tab_to("Run now nightly")
        b.enter()
        b.wait_for_text("passed", "ul.work-list")
        self.assertEqual(self.api("GET", "/schedules/nightly")["fires"][0]["state"], "passed")
        self.tab_to("Pause nightly")
        b.enter()
        b.wait_for_text("paused", "ul.work-list")
        self.tab_to("Edit nightly")
        b.enter()
        self.tab_to_field("Runs")
        b.write("e")
        self.look("schedule-edit", (390, 1440))
        self.tab_to_field("When")
        b.write("6h")
        self.tab_to("Save")
        b.enter()
        b.wait_for_text("every 6h")
        self.assertTrue(self.api("GET", "/schedules/nightly")["schedule"]["paused"])
        self.tab_to("Resume nightly")
        b.enter()
        b.wait_until("!document.querySelector('ul.work-list').innerText.includes('paused')")
        self.tab_to("Recent times")
        b.enter()
        b.wait_until("document.querySelector('ul.work-list details a')")
        self.look("schedules")
        self.tab_to("Delete nightly")
        b.enter()
        self.tab_to("Delete")
        b.enter()
        b.wait_for_text("A schedule runs a goal")
        self.assertEqual(self.api("GET", "/schedules")["schedules"], [])

    def test_what_is_not_changed_is_not_sent(self):
        self.open_pipeline()
        b = self.browser
        run = {"goal": "open Settings", "demo": True, "setup": [{"do": "reset"}]}
        for name, when in (("once", {"at": "2099-12-01T09:00"}), ("often", {"every": "90m", "missed": "skip", "grace": "7m"})):
            self.api("POST", "/schedules", {"name": name, "tz": "Asia/Tokyo", "run": run, **when})
            before = self.api("GET", "/schedules/" + name)["schedule"]
            b.go("#/settings")  # what others add is seen with the next "now", or by who comes anew
            b.wait_for_text("run.max_steps")
            b.go("#/pipeline")
            self.settle()
            b.click("button", "Pause " + name)
            b.click("button", "Resume " + name)
            b.click("button", "Edit " + name)
            self.look("schedule-" + name, (390,))
            b.click("dialog button", "Save")
            b.wait_until("!document.querySelector('dialog')")
            after = self.api("GET", "/schedules/" + name)["schedule"]
            for same in ("kind", "spec", "tz", "next", "missed", "overlap", "grace_s", "run", "paused"):
                self.assertEqual(after[same], before[same], (name, same))

    def test_a_refusal_stays_in_the_dialog(self):
        self.open_pipeline()
        b = self.browser
        b.click("button", "New schedule")
        self.fill("Name", "no good")
        self.fill("Goal", HOSTILE)
        b.click("dialog button", "Create")
        b.wait_for_text("is not a valid name", "dialog")
        self.look("schedule-refused", (390,), complaints=("400",))


class Sweeps(WorkCase):
    def prepare(self):
        """The very first request stalls for longer than its goal may take; all others are answered."""
        double = self.double("--fault", "stall@1", "--latency-ms", "150")
        self.write(f'[api]\nbase_url = "{double.url}"\n', ".config/ios-agent/config.toml")

    def goals(self):
        return self.write(f"""
[[goal]]
name = "sometimes"
goal = "open Settings, check that General is on the screen"
budget = {{ max_seconds = 3 }}
retries = 1
[[goal]]
name = "add a contact"
needs = ["sometimes"]
goal = "open Contacts, add a contact named Zed Hopper with phone 555-0100, check that Zed Hopper is in the list"
repeat = 3
[[goal]]
name = {json.dumps(HOSTILE)}
goal = "open Settings, check that {BIDI}<b>Narnia</b> is on the screen"
needs = ["add a contact"]
[[goal]]
name = "after it"
goal = "open Settings"
needs = [{json.dumps(HOSTILE)}, "sometimes"]
""", f"goals <b>{BIDI}/all.toml")

    def test_live_from_start_to_end(self):
        path = self.goals()
        self.open_pipeline()
        self.api("PUT", "/key", {"key": "sk-ant-test-0123456789abcdef"})
        b = self.browser
        b.click("button", "Start a sweep")
        self.fill("Goal files", "goals.toml")
        b.click("dialog button", "Start")
        b.wait_for_text("is not an absolute path", "dialog")
        self.fill("Goal files", "/nowhere/goals.toml")
        b.click("dialog button", "Start")
        b.wait_for_text("cannot read /nowhere/goals.toml", "dialog")
        self.look("sweep-refused", complaints=("404",))
        self.fill("Goal files", path)
        self.fill("Phones", "2")
        b.click("dialog button", "Start")
        b.wait_until("location.hash.startsWith('#/pipeline/') && document.querySelector('ia-sweep .badge.is-live')")
        self.look("sweep-live", complaints=("404",))
        b.wait_until("document.querySelector('ia-sweep .row .badge').innerText === 'done'")
        self.look("sweep-done", complaints=("404",))
        text = b.text()
        for part in ("1 failed, 1 flaky, 1 skipped, 3 passed", "4 of 5", "also needs", "try 1 ✗", "try 2 ✓", 'it needs "<img src=x onerror='):
            self.assertIn(part, text)
        self.assertEqual(b.evaluate("document.querySelectorAll('main img, main script').length"), 0)
        sweep = self.api("GET", "/sweeps")["sweeps"][0]
        b.click("button", "Save the report as JUnit")
        b.click("button", "Save the report as Markdown")
        b.click(f"[aria-label^='Retry <img']")
        b.wait_until("location.hash.startsWith('#/run/')")
        run = self.api("GET", "/runs/" + b.evaluate("location.hash.slice(6)"))["run"]
        self.assertEqual((run["name"], run["sweep"]), (HOSTILE, None))
        b.go("#/pipeline")
        self.settle()
        b.click("ul.work-list a", "all.toml")
        b.wait_until("location.hash === '#/pipeline/%s'" % sweep["id"])

    def test_one_can_be_stopped(self):
        self.open_pipeline()
        self.api("PUT", "/key", {"key": "sk-ant-test-0123456789abcdef"})
        path = self.write('[[goal]]\nname = "long"\ngoal = "open Settings, open General, go back"\nrepeat = 40\n', "g.toml")
        sweep = self.api("POST", "/sweeps", {"files": [path], "jobs": 1})["sweep"]
        b = self.browser
        b.go("#/pipeline/" + sweep)
        b.click("button", "Stop the sweep")
        self.look("sweep-stop", (390,))
        b.click("dialog button", "Stop")
        b.wait_until("document.querySelector('ia-sweep .row .badge').innerText === 'stopped'")
        self.look("sweep-stopped", (390, 1440))

    def test_what_was_known_stays_while_the_daemon_is_away(self):
        self.open_pipeline()
        self.daemon.kill()
        b = self.browser
        b.wait_for_text("The daemon does not answer")
        self.assertIn("Nothing is waiting", b.text())
        b.click("button", "New schedule")
        b.wait_until("document.querySelector('dialog, .toast.is-bad')")
        self.look("pipeline-no-daemon", (390,), complaints=("ERR_", "Failed to fetch"))

    def test_one_that_is_not_there(self):
        self.open_page("#/pipeline/nowhere")
        self.browser.wait_for_text("Not found")
        self.look("sweep-unknown", (390,), complaints=("404",))


KEY = "sk-ant-test-5f1c90d2e8"


class Settings(WorkCase):
    def prepare(self):
        self.write('# mine\n[run]\nmodel = "claude-opus-4-8" # the big one\n', ".config/ios-agent/config.toml")

    def start_daemon(self, *more, **env):
        super().start_daemon(*more, IOS_AGENT_RUN_MAX_SECONDS="77", **env)

    def setUp(self):
        super().setUp()
        self.open_page("#/settings")
        self.browser.wait_for_text("run.max_steps")

    def section(self, title):
        return self.browser.evaluate("[...document.querySelectorAll('ia-settings section')]"
                                     ".find((s) => s.firstChild.innerText === %s).innerText" % json.dumps(title))

    def everything_written(self):
        """All that the daemon wrote but its database, in which the key is sealed."""
        text = ""
        for at, _, names in os.walk(self.folder):
            for name in names:
                if os.path.isfile(os.path.join(at, name)):
                    with open(os.path.join(at, name), "rb") as f:
                        text += f.read().decode("latin-1")
        return text

    def test_a_key_goes_in_and_never_comes_out(self):
        b = self.browser
        self.assertIn("demo brain", self.section("API key"))
        self.look("settings")
        self.fill("Key", KEY, "section")
        b.enter()
        b.wait_for_text("Runs use the stored key")
        b.wait_until("!document.getElementById('notices').innerText.includes('No API key')")
        self.look("settings-key", (390, 1440))
        self.assertNotIn(KEY, b.evaluate("document.documentElement.outerHTML + JSON.stringify([{...sessionStorage}, {...localStorage}]) "
                                         "+ [...document.querySelectorAll('input')].map((i) => i.value) + history.state + location"))
        self.assertNotIn(KEY, " ".join(b.requests()))
        self.assertNotIn(KEY, self.everything_written())
        self.assertTrue(self.api("GET", "/key")["stored"])
        b.click("button", "Remove the key")
        b.click("dialog button", "Remove")
        b.wait_for_text("Runs use the demo brain")
        self.assertFalse(self.api("GET", "/key")["stored"])

    def test_a_key_that_is_none_is_refused_and_wiped_all_the_same(self):
        b = self.browser
        self.fill("Key", "not a key at all", "section")
        b.click("section button", "Store")
        b.wait_for_text("those begin with sk-ant-", "#toasts")
        self.assertEqual(b.evaluate("document.querySelector('[type=password]').value"), "")

    def test_the_file_has_what_was_changed_and_keeps_the_rest(self):
        b = self.browser
        self.assertIn("your file", self.section("Configuration"))
        self.assertIn("IOS_AGENT_RUN_MAX_SECONDS", self.section("Configuration"))
        b.evaluate("document.querySelector('[aria-label=\"run.max_steps\"]').select()")
        b.write("17")
        b.click("button", "Save run.max_steps")
        b.wait_until("document.querySelector('[aria-label=\"Reset run.max_steps\"]')")
        self.assertIn("max_steps = 17", self.config_file())
        self.assertIn('# mine', self.config_file())
        self.assertIn('model = "claude-opus-4-8" # the big one', self.config_file())
        self.look("settings-changed", (390, 1440))
        b.evaluate("document.querySelector('[aria-label=\"run.max_steps\"]').select()")
        b.write("0")
        b.enter()
        b.wait_for_text("run.max_steps must be", ".error:not(:empty)")
        self.look("settings-refused", (390,), complaints=("400",))
        b.wait_until("!document.querySelector('.toast')")  # it lies over what is below
        b.click("button", "Reset run.max_steps")
        b.wait_until("!document.querySelector('[aria-label=\"Reset run.max_steps\"]')")
        self.assertNotIn("max_steps", self.config_file())

    def test_what_only_a_terminal_may_set_says_so(self):
        self.assertIn("ios-agent config set api.base_url", self.section("Configuration"))
        self.assertFalse(self.browser.evaluate("Boolean(document.querySelector('input[aria-label=\"api.base_url\"]'))"))

    def test_secrets_have_names_only(self):
        b = self.browser
        self.fill("Name", "SHOP_PASSWORD", "section")
        self.fill("Value", "hunter2-5f1c90", "section")
        b.enter()
        b.wait_until("document.querySelector('[aria-label=\"Remove SHOP_PASSWORD\"]')")
        self.look("settings-secret", (390, 1440))
        self.assertNotIn("hunter2", b.evaluate("document.documentElement.outerHTML") + " ".join(b.requests()) + self.everything_written())
        self.assertEqual([s["name"] for s in self.api("GET", "/secrets")["secrets"]], ["SHOP_PASSWORD"])
        b.click("button", "Remove SHOP_PASSWORD")
        b.click("dialog button", "Remove")
        b.wait_until("!document.body.innerText.includes('SHOP_PASSWORD')")
        self.assertEqual(self.api("GET", "/secrets")["secrets"], [])

    def test_doctor_and_the_end_of_the_daemon(self):
        b = self.browser
        b.click("button", "Run the checks")
        b.wait_for_text("to look at")
        self.assertIn("embedded:default", self.section("Doctor"))
        self.look("settings-doctor", (390, 1440))
        b.click("button", "Stop the daemon")
        b.click("dialog button", "Stop")
        b.wait_for_text("The daemon does not answer")

    def test_what_is_searched_for_is_left(self):
        b = self.browser
        b.click("[type=search]")
        b.write("budget steps")
        b.wait_until("!document.body.innerText.includes('run.model')")
        self.assertIn("run.max_steps", b.text())
        self.assertNotIn("Doctor", b.text())
        b.write("zzz")
        b.wait_for_text("Nothing matches")
        self.look("settings-nothing", (390,))

    def test_colours_are_chosen_here_too(self):
        b = self.browser
        b.evaluate("document.querySelector('ia-settings section:last-child select').focus()")
        b.write("d")
        b.wait_until("document.documentElement.dataset.scheme === 'dark'")
        b.click("#status button")
        b.wait_until("document.querySelector('ia-settings section:last-child select').value === 'auto'")

    def test_who_may_only_look_sees_it_all_and_changes_nothing(self):
        self.open_page("#/settings", "--view-only")
        b = self.browser
        b.wait_for_text("run.max_steps")
        self.assertEqual(b.evaluate("[...document.querySelectorAll('ia-settings section:nth-of-type(-n+4) :is(input, select):not([type=password])')].length"), 1)
        b.go("#/pipeline")
        b.wait_until("document.querySelector('main button:disabled')")
        self.look("pipeline-view-only", (390,))


if __name__ == "__main__":
    unittest.main(verbosity=2)
