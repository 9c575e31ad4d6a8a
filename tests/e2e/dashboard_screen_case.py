"""What the tests of a phone's page share: the page opened on the phone, and what a person does with it."""
import json
import os

from dashboard_case import DashboardCase

PAGE = "document.querySelector('ia-screen')"


class ScreenCase(DashboardCase):
    def command(self, *args):
        result = self.run_agent(*args, env={"IOS_AGENT_NO_DAEMON": None})
        self.assertEqual(result.code, 0, result)
        return result

    def open_phone(self, app=None, place="#/screen/embedded", *more):
        if app:
            self.command("open", app)
        self.browser.width(1280)
        self.open_page(place, *more)
        self.browser.wait_until(f"document.querySelector('.screen-img')?.naturalWidth && {PAGE}.screen && {PAGE}.size")

    def shows(self, text, seconds=20):
        """Until the list of elements has the text."""
        self.browser.wait_until(f"[...document.querySelectorAll('.screen-row')].some(r => r.innerText.includes({json.dumps(text)}))", seconds)

    def says(self, text, seconds=20):
        self.browser.wait_for_text(text, ".screen-status", seconds)

    def spot(self, label, role=None):
        """Where an element stands on the page, by its label."""
        self.browser.evaluate("document.querySelector('.screen-glass').scrollIntoView({block: 'center'})")
        return self.browser.wait_until("""(() => {
            const page = %s, e = page.screen?.all.find(e => e.label === %s && (%s === null || e.role === %s));
            if (!e) return null;
            const r = page.img.getBoundingClientRect(), k = r.width / page.size.w;
            return {x: r.x + (e.seen.x + e.seen.w / 2) * k, y: r.y + (e.seen.y + e.seen.h / 2) * k};
          })()""" % (PAGE, json.dumps(label), json.dumps(role), json.dumps(role)))

    def tap(self, label, role=None):
        p = self.spot(label, role)
        self.browser.click_at(p["x"], p["y"])

    def write(self, text):
        self.browser.write(text)

    def idle(self):
        """Until everything that was asked for is done."""
        self.browser.wait_until(f"!{PAGE}.waiting && !{PAGE}.text1")

    def freeze(self, frozen=True):
        """A view that hears no more of the phone, as over a slow line."""
        self.browser.evaluate(f"{PAGE}.take = async () => {{}}; {PAGE}.poll.abort()" if frozen else f"delete {PAGE}.take")

    def record(self, again=True):
        if not again:
            self.browser.click("ia-recorder input[type=checkbox]")
        self.browser.click("ia-recorder button", "Record")
        self.browser.wait_for_text("recording", "ia-recorder")
        self.idle()

    def check_file(self):
        path, text = os.path.join(self.folder, "recorded.toml"), self.browser.evaluate("document.querySelector('.screen-file').textContent")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        result = self.run_agent("sweep", path, "--dry-run", env={"PASSWORD": "engine-1843"})
        self.assertEqual(result.code, 0, (result, text))
        return path
