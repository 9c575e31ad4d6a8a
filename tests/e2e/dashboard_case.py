"""What the tests of the dashboard share: a daemon, the page in a real browser, and a look at it.

A look takes pictures at three widths in both colour schemes, and holds what must be true of every page in
every state: nothing wider than the window, no complaint on the console, no request to anybody else. With
$IOS_AGENT_AXE (axe-core's axe.min.js; tests/peers sets it) it also holds that axe-core finds nothing, and leaves
the document for a validator in $IOS_AGENT_DOCUMENTS.
"""
import json
import os
import urllib.parse

import browser
from harness import Case

CHROMIUM = browser.needed()

WIDTHS = (390, 820, 1440)
SCHEMES = ("light", "dark")
PICTURES = os.environ.get("IOS_AGENT_ARTEFACTS")
AXE = os.environ.get("IOS_AGENT_AXE")
AXE = AXE if AXE and os.path.exists(AXE) else None
DOCUMENTS = os.environ.get("IOS_AGENT_DOCUMENTS")


class DashboardCase(Case):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser(CHROMIUM)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        super().setUp()
        self.prepare()
        self.start_daemon()

    def prepare(self):
        """What has to be in the home before the daemon starts; for tests to fill."""

    def start_daemon(self, *more, **env):
        self.daemon = self.start_agent("daemon", "--http", *more, env={"IOS_AGENT_NO_DAEMON": None, **env})
        for line in self.daemon.stdout:
            if "ready:" in line:
                return
        self.fail(self.daemon.stderr.read())

    def dashboard(self, *more):
        """A fresh address of the page."""
        result = self.run_agent("dashboard", "--print", "--json", *more, env={"IOS_AGENT_NO_DAEMON": None})
        return result.envelope()["result"]["url"]

    def open_page(self, place="#/", *more, b=None):
        """Signs in with a fresh code and goes to a place."""
        b = b or self.browser
        url = self.dashboard(*more)
        self.origin = url.split("/#")[0]
        b.open("about:blank")
        b.open(url)
        b.wait_until("document.querySelector('.dot.is-live')")
        if place != "#/":
            b.go(place)
        b.wait_until("document.querySelector('main > :not(.loading)')")

    def api(self, method, path, body=None, b=None):
        """What the page's own token may ask; returns the result of the envelope."""
        answer = (b or self.browser).evaluate("""fetch(%s, {method: %s, body: %s, headers: {
            Authorization: 'Bearer ' + sessionStorage.getItem('ios-agent-token'), 'Content-Type': 'application/json'}})
            .then(r => r.status === 204 ? null : r.json())""" % (json.dumps("/v1" + path), json.dumps(method),
                                                               "undefined" if body is None else json.dumps(json.dumps(body))))
        if answer and answer["error"]:
            self.fail(answer["error"])
        return answer and answer["result"]

    def queue_run(self, goal, **more):
        return self.api("POST", "/runs", {"goal": goal, "demo": True, **more})["run"]

    # ---- looking ----

    def axe(self):
        with open(AXE, encoding="utf-8") as f:
            self.browser.evaluate(f.read())
        return self.browser.evaluate(
            "axe.run(document, {rules: {'target-size': {enabled: true}}}).then(r => "
            "r.violations.map(v => [v.id, v.impact, v.nodes.length, v.nodes[0].html, v.nodes[0].failureSummary]))")

    def look(self, name, widths=WIDTHS, height=900, complaints=()):
        """At the page as it is now. complaints: parts of those that are expected here."""
        b = self.browser
        for width in widths:
            for scheme in SCHEMES:
                b.width(width, height)
                b.scheme(scheme)
                where = f"{name} at {width} px, {scheme}"
                b.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
                if PICTURES:
                    folder = os.path.join(PICTURES, "dashboard")
                    os.makedirs(folder, exist_ok=True)
                    b.picture(os.path.join(folder, f"{name}-{width}-{scheme}.png"), 2400)
                wider = b.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                self.assertLessEqual(wider, 0, where)
                if AXE:
                    self.assertEqual(self.axe(), [], where)
        if DOCUMENTS:
            os.makedirs(DOCUMENTS, exist_ok=True)
            with open(os.path.join(DOCUMENTS, f"{name}.html"), "w", encoding="utf-8", errors="replace") as f:
                f.write("<!doctype html>\n" + b.evaluate("document.documentElement.outerHTML"))
        b.width(1280)
        b.scheme("light")
        self.check_quiet(complaints)

    def check_quiet(self, expected=()):
        found = [c for c in self.browser.complaints() if not any(e in json.dumps(c) for e in expected)]
        self.assertEqual(found, [])
        for url in self.browser.requests():
            if not url.startswith(("blob:", "about:", "data:")):
                self.assertEqual(urllib.parse.urlsplit(url)[1], urllib.parse.urlsplit(self.origin)[1], url)
