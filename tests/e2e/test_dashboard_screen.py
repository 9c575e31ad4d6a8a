"""The page of a phone in a real browser: its picture follows it, and a person uses it through the page. What
happened is read from the phone's own state, never from the page alone."""
import json
import os
import time
import unittest

from dashboard_screen_case import PAGE, ScreenCase
from harness import TIMEOUT_S

HOSTILE = "<img src=x onerror=alert(1)>\u202e\"'\\{{x}}"


class Use(ScreenCase):
    def test_a_click_on_the_picture_taps_what_is_there(self):
        self.open_phone("Settings")
        self.look("screen")
        self.tap("Airplane Mode", "switch")
        self.says("Airplane Mode")
        self.assertTrue(self.state()["settings"]["airplane_mode"])
        self.tap("Wi-Fi")
        self.shows("NETWORKS")
        self.browser.click("button", "Back")
        self.shows("Bluetooth")
        box = self.browser.evaluate("(r => ({x: r.x + 4, y: r.y + r.height * .9}))(document.querySelector('.screen-img').getBoundingClientRect())")
        before = len(self.log())
        self.browser.click_at(box["x"] + 1, box["y"])
        self.says("nothing to tap")
        self.assertEqual(len(self.log()), before)

    def test_the_list_is_used_by_keys_alone(self):
        self.open_phone("Settings")
        b = self.browser
        b.evaluate("document.body.focus()")
        for _ in range(60):
            b.key("Tab", 9)
            if b.evaluate("document.activeElement.classList.contains('screen-row')"):
                break
        b.key("ArrowDown", 40)
        for _ in range(30):
            if "Bluetooth" in b.evaluate("document.activeElement.innerText"):
                break
            b.key("ArrowDown", 40)
        self.assertIn("bluetooth", b.evaluate("document.querySelector('ia-inspector').innerText"))
        self.assertTrue(b.evaluate("Boolean(document.querySelector('.screen-box.is-chosen'))"))
        b.enter()
        self.shows("Bluetooth = on")
        # The keyboard stays in the list when the screen is another one.
        self.assertTrue(b.evaluate("document.activeElement.classList.contains('screen-row')"))
        for _ in range(10):
            if "switch" in b.evaluate("document.activeElement.innerText"):
                break
            b.key("ArrowDown", 40)
        b.enter()
        self.shows("Bluetooth = off")
        self.assertFalse(self.state()["settings"]["bluetooth"])

    def test_a_drag_and_the_wheel_scroll(self):
        self.open_phone("Contacts")
        b = self.browser
        p = self.spot("Hannah Brandt")
        b.drag(p["x"], p["y"], p["x"], p["y"] - 220)
        self.shows("Marco Ferrari")
        self.idle()
        self.assertFalse(b.evaluate(f"{PAGE}.screen.all.some(e => e.listed && e.label === 'Nora Abbott')"))
        first = b.evaluate(f"{PAGE}.screen.all.find(e => e.listed && e.role === 'row').label")
        b.wheel(p["x"], p["y"], 300)
        b.wait_until(f"{PAGE}.screen.all.find(e => e.listed && e.role === 'row')?.label !== {json.dumps(first)}")
        self.idle()
        b.evaluate("document.querySelector('.screen-glass').focus()")
        for _ in range(12):
            b.key("PageUp", 33)
            self.idle()
            if b.evaluate(f"{PAGE}.screen.all.some(e => e.listed && e.label === 'Nora Abbott')"):
                return
        self.fail(b.text())

    def test_typing_types(self):
        self.open_phone("Contacts")
        b = self.browser
        self.tap("Add", "button")
        self.shows("First name")
        self.tap("First name", "field")
        self.write("Adax")
        self.idle()
        self.says("First name")
        b.key("Backspace", 8)
        b.wait_until(f"{PAGE}.screen.focused()?.value === 'Ada'")
        b.enter()
        b.wait_until(f"{PAGE}.screen.focused()?.label === 'Last name'")
        self.write("Love")
        self.write("lace")
        b.wait_until(f"{PAGE}.screen.focused()?.value === 'Lovelace'")
        self.idle()
        self.look("screen-typing")
        self.tap("Done", "button")
        self.shows("Ada Lovelace")
        self.assertIn("Ada Lovelace", [c["name"] for c in self.state()["contacts"]])

    def test_the_inspector_types_by_keys_alone(self):
        self.open_phone("Contacts")
        b = self.browser
        self.record()
        b.evaluate("document.querySelector('.screen-row').focus()")
        for _ in range(30):
            if "Search" in b.evaluate("document.activeElement.innerText"):
                break
            b.key("ArrowDown", 40)
        for _ in range(40):
            b.key("Tab", 9)
            if b.evaluate("document.activeElement.getAttribute('aria-label')") == "Text to type":
                break
        self.write("osei")
        b.enter()
        self.shows("Kwame Osei")
        self.idle()
        self.assertEqual(b.evaluate(f"{PAGE}.screen.focused().value"), "osei")
        b.wait_for_text('search for "osei"', "ia-recorder")
        for name in ("Replace", "Clear"):
            b.evaluate("document.querySelector('ia-inspector form input').focus()")
            self.write("an")
            b.click("ia-inspector button", name)
            self.idle()
        b.wait_until(f"!{PAGE}.screen.all.find(e => e.role === 'search').value")

    def test_typing_goes_nowhere_without_a_field(self):
        self.open_phone("Settings")
        self.browser.evaluate("document.querySelector('.screen-glass').focus()")
        before = len(self.log())
        self.write("q")
        self.says("No field has the focus")
        self.assertEqual(len(self.log()), before)

    def test_a_long_click_presses(self):
        self.open_phone("Settings")
        p = self.spot("Wi-Fi")
        b = self.browser
        b.mouse("mouseMoved", p["x"], p["y"])
        b.mouse("mousePressed", p["x"], p["y"], button="left", clickCount=1)
        self.says("pressed")
        b.mouse("mouseReleased", p["x"], p["y"], button="left", clickCount=1)
        self.assertEqual([o["op"] for o in self.log()].count("long_press"), 1)

    def test_a_click_on_what_is_gone_is_refused_and_hits_nothing_else(self):
        self.open_phone("Settings")
        p = self.spot("Airplane Mode", "switch")
        self.freeze()
        self.command("tap", "row \"Wi-Fi\"")
        before = [o["op"] for o in self.log()]
        self.browser.click_at(p["x"], p["y"])
        self.browser.wait_for_text("Nothing was done", "#toasts")
        self.assertEqual([o["op"] for o in self.log()], before)
        self.freeze(False)
        self.shows("NETWORKS")
        self.assertFalse(self.state()["settings"]["airplane_mode"])
        self.look("screen-refused", complaints=("409", "404", "422"))

    def test_an_alert_is_answered_by_its_buttons(self):
        self.open_phone("Settings")
        self.tap("Apple Account")
        self.browser.wait_for_text("Sign In Unavailable", ".screen-alert")
        self.look("screen-alert")
        self.browser.click(".screen-alert button", "Accept")
        self.browser.wait_until("!document.querySelector('.screen-alert').innerText")
        self.shows("Bluetooth")

    def test_the_buttons_and_addresses(self):
        self.open_phone("Settings")
        b = self.browser
        b.click("button", "Home")
        self.shows("Reminders")
        b.click(".screen-open input")
        self.write("shop://")
        b.enter()
        b.wait_until(f"{PAGE}.screen.app === 'com.example.shop'")
        b.click("button", "Lock")
        b.wait_until(f"{PAGE}.screen.app !== 'com.example.shop'")
        self.look("screen-locked")

    def test_who_may_only_look_does_nothing(self):
        self.open_phone("Settings", "#/screen/embedded", "--view-only")
        self.tap("Airplane Mode", "switch")
        self.says("view-only")
        self.assertFalse(self.state()["settings"]["airplane_mode"])
        self.look("screen-view-only")

    def test_a_phone_that_a_run_holds_is_watched_only(self):
        self.open_phone("Settings")
        slow = self.script({"latency_ms": 60000, "blocks": [{"text": "…"}]})
        run = self.start_agent("run", "look", "--device", "embedded", "--events", env=self.claude(slow))
        self.read_event(run, "run.looked")
        b = self.browser
        b.wait_for_text("can only watch", ".screen-held")
        self.assertTrue(b.evaluate("document.querySelector('.screen-held a').hash.startsWith('#/run/')"))
        b.wait_for_text("Wi-Fi", ".screen-text")
        self.look("screen-held")
        before = len(self.log())
        p = b.evaluate("(r => ({x: r.x + r.width / 2, y: r.y + r.height / 2}))(document.querySelector('.screen-glass').getBoundingClientRect())")
        b.click_at(p["x"], p["y"])
        b.click("button", "Home")
        self.says("can only watch")
        self.assertEqual(len(self.log()), before)
        b.click(".screen-held button", "Cancel it")
        b.click("dialog button", "Cancel the run")
        b.wait_until("document.querySelector('.screen-held').hidden")
        self.shows("Wi-Fi")


    def test_the_pictures_of_a_run_are_shown_while_it_has_the_phone(self):
        self.open_phone("Settings")
        b = self.browser
        b.evaluate("window.seen = new Set(); document.querySelector('.screen-img').addEventListener('load', e => seen.add(e.target.dataset.sha))")
        run = self.start_agent("run", "open Bluetooth, turn off Bluetooth, go back", "--device", "embedded", "--pictures", "steps",
                               "--events", env=self.claude(self.double("--latency-ms", "700")))
        b.wait_for_text("can only watch", ".screen-held")
        b.wait_until("seen.size >= 1 && (window.way = document.querySelector('.screen-held a'))")
        b.wait_until("seen.size >= 2 && !document.querySelector('.screen-held').hidden")
        self.assertTrue(b.evaluate("document.querySelector('.screen-held a') === way"), "the way to the run is what it was")
        self.assertEqual(run.communicate(timeout=TIMEOUT_S)[1], "")
        b.wait_until("document.querySelector('.screen-held').hidden")
        self.shows("Bluetooth = Off")


class Follow(ScreenCase):
    def requests_of(self, part):
        return sum(part in url for url in self.browser.requests())

    def test_nothing_is_asked_for_while_nobody_looks(self):
        self.open_phone("Settings")
        b = self.browser
        hide = "Object.defineProperty(document, 'hidden', {value: %s, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))"
        b.evaluate(hide % "true")
        before = self.requests_of("/device/frame")
        self.command("tap", "row \"Wi-Fi\"")
        self.command("back")
        self.assertEqual(self.requests_of("/device/frame"), before)
        b.evaluate(hide % "false")
        b.wait_until("true")
        self.command("tap", "row \"Bluetooth\"")
        self.shows("Bluetooth = on")
        self.assertGreater(self.requests_of("/device/frame"), before)
        b.go("#/settings")
        b.wait_until("!document.querySelector('ia-screen')")
        before = self.requests_of("/device/frame")
        self.command("back")
        b.evaluate("new Promise(done => setTimeout(done, 300))")
        self.assertEqual(self.requests_of("/device/frame"), before)

    def test_a_screen_that_stays_costs_one_request(self):
        self.open_phone("Settings")
        b = self.browser
        b.evaluate("new Promise(done => setTimeout(done, 500))")
        before = self.requests_of("/v1/")
        b.evaluate("new Promise(done => setTimeout(done, 2000))")
        self.assertLessEqual(self.requests_of("/v1/") - before, 1)

    def test_the_picture_follows_what_others_do(self):
        self.open_phone("Settings")
        b = self.browser
        b.evaluate("window.drawn = 0; document.querySelector('.screen-img').addEventListener('load', () => drawn++)")
        begin, count = time.monotonic(), 0
        while time.monotonic() - begin < 3:
            self.api("POST", "/device/tap", {"device": "embedded", "ref": "switch \"Airplane Mode\""})
            count += 1
            time.sleep(0.05)
        rate = b.evaluate("drawn") / (time.monotonic() - begin)
        print(f"{rate:.1f} pictures a second of {count / 3:.1f} changes")
        self.assertGreater(rate, 1)  # bench/dashboard_frames.py has the limit, for a machine that does nothing else

    def test_a_daemon_that_ends_leaves_what_was_seen(self):
        self.open_phone("Settings")
        self.daemon.kill()
        self.daemon.communicate(timeout=TIMEOUT_S)
        self.says("seen last")
        self.look("screen-offline", complaints=("ERR_", "Failed to fetch"))

    def test_a_device_that_is_not_there_is_said(self):
        self.open_page("#/screen/" + "bridge:00000000-0000-0000-0000-000000000000")
        self.browser.wait_for_text("Try again")
        self.look("screen-no-device", complaints=("Failed to load",))

    def test_the_log_has_what_everybody_does(self):
        self.open_phone("Settings")
        b = self.browser
        self.command("tap", "row \"Wi-Fi\"")
        b.wait_for_text("cli", ".screen-log")
        self.tap("Settings", "button")
        b.wait_for_text("dashboard", ".screen-log")
        b.wait_until("document.querySelectorAll('.screen-log li').length >= 3")
        b.wait_until("!document.querySelector('.screen-log').innerText.includes('…')")
        self.look("screen-log")


class Inspect(ScreenCase):
    def counts(self, selectors):
        """What the page counts, and what the API does."""
        page = self.browser.evaluate(
            "import('/app/inspector.js').then(({selector}) => %s.map(s => %s.screen.matches(selector(s)).length))"
            % (json.dumps(selectors), PAGE))
        return page, [int(self.api("POST", "/device/get", {"device": "embedded", "what": "count", "element": s})["count"]) for s in selectors]

    def test_counts_are_those_of_the_api(self):
        self.open_phone("Settings")
        more = ["row", "Wi-Fi", "row \"wi-fi\"", "#nothing", " \"Wi-Fi\" ", "heading \"Settings\"", "list", "keyboard", "button Done", "text",
                "\"a\\\"b\""]
        for app in ("Settings", "Contacts", "shop://"):
            self.command("open", app)
            self.browser.wait_until(f"{PAGE}.screen.app.includes({json.dumps({'Settings': 'Pref', 'Contacts': 'Address', 'shop://': 'shop'}[app])})")
            self.command("wait-for", "settled")
            self.idle()
            self.browser.evaluate(f"{PAGE}.refresh()")
            names = self.browser.evaluate(
                f"import('/app/inspector.js').then(({{selectors}}) => {PAGE}.screen.all.flatMap(e => selectors({PAGE}.screen, e).map(s => s.text)))")
            page, api = self.counts(sorted(set(names + more)))
            self.assertEqual(page, api, sorted(set(names + more)))
            self.assertGreater(len(names), 10)

    def test_what_is_no_selector_is_none_for_the_api(self):
        self.open_phone("Settings")
        for text in ("#", "\"open", "button \"x\" y", "nosuch \"x\"", "\"\"", "row #x"):
            said = self.browser.evaluate("import('/app/inspector.js').then(({selector}) => { try { selector(%s); return ''; } catch (e) { return e.message; } })"
                                         % json.dumps(text))
            self.assertTrue(said, text)
            result = self.run_agent("get", "count", text, env={"IOS_AGENT_NO_DAEMON": None})
            self.assertEqual(result.code, 2, (text, result))

    def test_an_element_is_named_and_tried(self):
        self.open_phone("Settings")
        b = self.browser
        b.click("button", "Inspect")
        before = len(self.log())
        self.tap("Airplane Mode", "switch")
        b.wait_for_text("#airplane_mode", "ia-inspector")
        for text in ("switch \"Airplane Mode\"", "unique", "ios-agent tap '#airplane_mode'", "value #airplane_mode = \"off\"", "visible #airplane_mode",
                     "switch:off Airplane Mode"):
            self.assertIn(text, b.evaluate("document.querySelector('ia-inspector').innerText"))
        self.assertEqual(len(self.log()), before)
        b.click("button", "Outlines")
        b.click(".screen-search input")
        self.write("row")
        b.wait_for_text("12 matches", ".screen-search")
        self.look("screen-inspector")
        for line in b.evaluate("[...document.querySelectorAll('ia-inspector .screen-copy')].map(e => e.firstElementChild.innerText)"):
            if line.startswith(("value", "visible")):
                self.command("is", line)

    def test_picture_and_list_point_at_each_other(self):
        self.open_phone("Settings")
        b = self.browser
        p = self.spot("Bluetooth")
        b.mouse("mouseMoved", p["x"], p["y"])
        b.wait_until("document.querySelector('.screen-row.is-hot')?.innerText.includes('Bluetooth')")
        self.assertTrue(b.evaluate("Boolean(document.querySelector('.screen-box.is-hover'))"))
        row = b.spot(".screen-row", "General")
        b.mouse("mouseMoved", row["x"], row["y"])
        b.wait_until("document.querySelector('.screen-row.is-hot')?.innerText.includes('General')")
        frame = b.evaluate(f"{PAGE}.screen.all.find(e => e.label === 'General').frame.y")
        self.assertEqual(b.evaluate("Number(document.querySelector('.screen-box.is-hover rect').getAttribute('y'))"), frame)

    def test_hostile_labels_stay_text(self):
        self.command("open", "Contacts")
        self.command("tap", "#add")
        self.command("type", "#first-name", HOSTILE)
        self.command("tap", "#done")
        self.open_phone()
        b = self.browser
        self.shows("<img src=x")
        b.evaluate(f"{PAGE}.select({PAGE}.screen.all.find(e => e.label?.includes('<img') && e.listed))")
        self.assertEqual(b.evaluate("document.querySelectorAll('ia-screen img').length"), 1)
        commands = b.evaluate("[...document.querySelectorAll('ia-inspector .screen-copy')].map(e => e.firstElementChild.textContent)")
        names = [c for c in commands if c.startswith(("heading", "text", "\""))]
        page, api = self.counts(names)
        self.assertEqual(page, api)
        self.assertGreater(page[0], 0)
        shell = next(c for c in commands if c.startswith("ios-agent get"))
        self.assertEqual(os.system(f"cd {self.folder}; PATH={os.path.dirname(os.environ['IOS_AGENT'])}:$PATH IOS_AGENT_HOME={self.home} {shell} >/dev/null"), 0, shell)
        self.look("screen-hostile")
        self.record(again=False)
        b.evaluate(f"{PAGE}.recorder.expect({json.dumps('visible ' + names[0])})")
        b.evaluate(f"{PAGE}.recorder.note('tap', {{}}, {PAGE}.chosen, {PAGE}.screen)")
        for typed in ("C:\\new\\", "a\nb", '"""', "“«‘\"", "{{secret:X}}", "\u0007\u007f\ud800"):
            b.evaluate(f"{PAGE}.recorder.note('type', {{}}, {{...{PAGE}.chosen, ref: {json.dumps(typed)}}}, {PAGE}.screen, {{typed: {json.dumps(typed)}}})")
        path = self.check_file()
        with open(path, encoding="utf-8") as f:
            self.assertIn('type "C:\\\\new\\\\" into', f.read())

if __name__ == "__main__":
    unittest.main(verbosity=2)
