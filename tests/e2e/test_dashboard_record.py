"""The recorder on the page of a phone: what a person did there becomes a goal file, which does it again."""
import json
import time
import unittest

from dashboard_screen_case import PAGE, ScreenCase
from harness import TIMEOUT_S


class Record(ScreenCase):
    def finish(self, *more, env=None):
        """The file passes as it is, and as a run of the page's own."""
        path = self.check_file()
        result = self.run_agent("sweep", path, "--demo", *more, env=env)
        with open(path, encoding="utf-8") as f:
            self.assertEqual(result.code, 0, (result, f.read()))
        self.browser.click("ia-recorder button", "Run it now")
        self.browser.wait_until("location.hash.startsWith('#/run/')")
        run = self.browser.evaluate("location.hash.slice(6)")
        return run

    def wait_for_run(self, run, state="passed"):
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            row = self.api("GET", f"/runs/{run}")["run"]
            if row["state"] not in ("queued", "claimed", "running"):
                self.assertEqual(row["state"], state, row)
                return
            self.assertLess(time.monotonic(), deadline, row)
            time.sleep(0.1)

    def expect(self, text):
        self.browser.click("ia-inspector button", f"Expect this: {text}")

    def test_what_was_done_with_contacts_is_done_again(self):
        self.open_phone("Contacts")
        b = self.browser
        self.record()
        self.shows("Nora Abbott")
        self.tap("Add", "button")
        self.shows("First name")
        self.write("Ada")
        b.wait_until(f"{PAGE}.screen.focused()?.value === 'Ada'")
        self.tap("Last name", "field")
        self.write("Lovelace")
        b.wait_until(f"{PAGE}.screen.focused()?.value === 'Lovelace'")
        self.idle()
        self.tap("Done", "button")
        self.shows("Ada Lovelace")
        self.idle()
        b.click("button", "Inspect")
        self.tap("Ada Lovelace", "heading")
        self.expect('visible #contact-name')
        b.click("ia-recorder button", "Stop")
        text = b.evaluate("document.querySelector('.screen-file').textContent")
        for line in ('tap "Add"', 'type "Ada" into "First name"', 'type "Lovelace" into "Last name"', 'tap "Done"'):
            self.assertIn(f"\n{line}\n", text)
        self.look("screen-recorded")
        run = self.finish()
        self.wait_for_run(run)
        self.assertEqual([c["name"] for c in self.state()["contacts"]].count("Ada Lovelace"), 1)

    def test_scrolling_and_switches_are_done_again(self):
        self.open_phone("Settings")
        b = self.browser
        self.record()
        p = self.spot("Focus")
        b.drag(p["x"], p["y"], p["x"], p["y"] - 200)
        self.shows("Privacy & Security")
        self.idle()
        self.tap("Privacy & Security")
        self.shows("Tracking")
        self.tap("Location Services")
        self.shows("Location Services = on")
        self.idle()
        b.click("button", "Back")
        self.shows("Tracking")
        self.idle()
        b.click("button", "Inspect")
        self.tap("Tracking")
        self.expect("visible #tracking")
        text = b.evaluate("document.querySelector('.screen-file').textContent")
        self.assertIn('\nscroll to "Privacy & Security"\ntap "Privacy & Security"\n', text)
        self.assertIn("\ngo back\n", text)
        self.wait_for_run(self.finish())

    def test_marks_in_what_is_typed_are_typed_again(self):
        self.open_phone("Reminders")
        b = self.browser
        self.record()
        self.tap("Groceries", "row")
        self.shows("Complete Milk")
        self.tap("New Reminder", "button")
        b.wait_until(f"{PAGE}.screen.focused()")
        self.write('Oat "flakes", and rice')
        b.wait_until(f"{PAGE}.screen.focused()?.value?.endsWith('rice')")
        self.tap("Tomorrow")
        self.shows("Wed, 10 Sep 2025 selected")
        self.tap("Add", "button")
        self.shows("and rice = ")
        self.idle()
        b.click("button", "Inspect")
        self.tap('Oat "flakes", and rice', "row")
        b.wait_for_text("value row", "ia-inspector")
        b.click("ia-inspector [aria-label^='Expect this: value']")
        self.wait_for_run(self.finish())

    def test_a_slider_is_set_again(self):
        self.open_phone("Settings")
        b = self.browser
        self.record()
        self.tap("Display & Brightness")
        self.shows("Brightness")
        self.idle()
        was = b.evaluate(f"{PAGE}.screen.all.find(e => e.role === 'slider').value")
        p = b.evaluate("""(page => { const e = page.screen.all.find(e => e.role === 'slider'), r = page.img.getBoundingClientRect(), k = r.width / page.size.w;
          return [.1, .5, .9].map(x => r.x + (e.frame.x + e.frame.w * x) * k).concat(r.y + (e.frame.y + e.frame.h / 2) * k); })(%s)""" % PAGE)
        b.drag(p[1], p[3], p[2], p[3])
        b.wait_until(f"{PAGE}.screen.all.find(e => e.role === 'slider').value !== {json.dumps(was)}", 15)
        self.idle()
        value = b.evaluate(f"{PAGE}.screen.all.find(e => e.role === 'slider').value")
        b.wait_for_text(f"set the Brightness to {value}", "ia-recorder")
        b.click("button", "Inspect")
        self.tap("Brightness", "slider")
        self.expect(f'value #brightness = "{value}"')
        self.wait_for_run(self.finish())

    def test_apps_one_after_the_other_are_done_again(self):
        self.open_phone("Settings")
        b = self.browser
        self.record()
        self.tap("Bluetooth")
        self.shows("Bluetooth = on")
        self.tap("Bluetooth", "switch")
        self.shows("Bluetooth = off")
        b.click("button", "Home")
        self.shows("Reminders")
        self.idle()
        self.tap("Reminders", "icon")
        self.shows("Groceries")
        self.tap("Groceries", "row")
        self.shows("Complete Milk")
        self.tap("Complete Milk", "button")
        self.shows("Milk = Completed")
        self.idle()
        b.call("Page.reload")  # a recording outlives that
        self.shows("Milk = Completed")
        b.click("button", "Inspect")
        self.tap("Milk", "row")
        self.expect('value row "Milk" = "Completed"')
        text = b.evaluate("document.querySelector('.screen-file').textContent")
        self.assertIn('\nturn off "Bluetooth"\ngo home\ntap "Reminders"\n', text)
        self.assertNotIn("\napp = ", text)
        self.command("tap", 'button "Reopen Milk"')
        self.wait_for_run(self.finish())
        self.assertFalse(self.state()["settings"]["bluetooth"])

    def test_a_password_is_a_secret_in_the_file(self):
        self.open_phone("shop://")
        b = self.browser
        self.record()
        self.shows("User name")
        self.tap("User name", "field")
        self.write("ada")
        b.wait_until(f"{PAGE}.screen.focused()?.value === 'ada'")
        self.tap("Password", "password")
        b.wait_until(f"{PAGE}.screen.focused()?.label === 'Password'")
        self.idle()
        self.write("engine-1843")
        b.wait_until(f"{PAGE}.screen.all.find(e => e.label === 'Log In' && e.role === 'button').enabled")
        self.idle()
        self.tap("Log In", "button")
        self.shows("Studio Headphones", 40)
        self.idle()
        b.click("button", "Inspect")
        self.tap("Studio Headphones, Audio")
        b.wait_until("document.querySelector('ia-inspector .screen-copy')")
        self.browser.click("ia-inspector [aria-label^='Expect this: visible']")
        everything = b.evaluate("document.body.innerText + JSON.stringify(sessionStorage)")
        self.assertNotIn("engine-1843", everything)
        self.assertIn("type {{secret:PASSWORD}} into \"Password\"", everything)
        path = self.check_file()
        result = self.run_agent("sweep", path, "--demo", env={"PASSWORD": "engine-1843"})
        self.assertEqual(result.code, 0, (result, everything))

if __name__ == "__main__":
    unittest.main(verbosity=2)
