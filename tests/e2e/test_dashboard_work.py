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
        self.open_page("#/pipeline")
        b = self.browser
        b.wait_for_text("Nothing waits")
        self.look("pipeline-empty")
        self.api("PUT", "/key", {"key": "sk-ant-test-0123456789abcdef"})
        for i in range(30):
            self.api("POST", "/runs", {"goal": f"open Settings, open General, go back, run {i}", "device": f"embedded:lane{i % 3}"})
        b.wait_for_text("step ")
        b.wait_for_text("is next, after the run in hand")
        self.look("pipeline-queue")


class Schedules(WorkCase):
    def test_by_keyboard_alone(self):
        self.open_page("#/pipeline")
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
        self.tab_to("Last times")
        b.enter()
        b.wait_until("document.querySelector('ul.work-list details a')")
        self.look("schedules")
        self.tab_to("Delete nightly")
        b.enter()
        self.tab_to("Delete")
        b.enter()
        b.wait_for_text("A schedule runs a goal")
        self.assertEqual(self.api("GET", "/schedules")["schedules"], [])

    def test_a_refusal_stays_in_the_dialog(self):
        self.open_page("#/pipeline")
        b = self.browser
        b.click("button", "New schedule")
        self.fill("Name", "no good")
        self.fill("Goal", HOSTILE)
        b.click("dialog button", "Create")
        b.wait_for_text("is not a valid name", "dialog")
        self.look("schedule-refused", (390,), complaints=("400",))


class Sweeps(WorkCase):
    latency_ms = 120

    def goals(self):
        return self.write(f"""
[[goal]]
name = "add a contact"
goal = "open Contacts, add a contact named Zed Hopper with phone 555-0100, check that Zed Hopper is in the list"
repeat = 3
[[goal]]
name = {json.dumps(HOSTILE)}
goal = "open Settings, check that {BIDI}<b>Narnia</b> is on the screen"
needs = ["add a contact"]
[[goal]]
name = "after it"
goal = "open Settings"
needs = [{json.dumps(HOSTILE)}]
[[goal]]
name = "sometimes"
goal = "open Settings, tap Airplane Mode, check that Airplane Mode is off"
device = "embedded:sometimes"
retries = 1
""", f"goals <b>{BIDI}/all.toml")

    def test_live_from_start_to_end(self):
        path = self.goals()
        self.open_page("#/pipeline")
        self.api("PUT", "/key", {"key": "sk-ant-test-0123456789abcdef"})
        b = self.browser
        b.click("button", "Start a sweep")
        self.fill("Goal files", "goals.toml")
        b.click("dialog button", "Start")
        b.wait_for_text("is no whole path", "dialog")
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
