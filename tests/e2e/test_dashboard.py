"""The dashboard's frame: signing in, its states, its keys."""
import gzip
import http.client
import os
import signal
import unittest

from dashboard_case import DashboardCase
from harness import SOURCE, TIMEOUT_S


class Frame(DashboardCase):
    def test_the_address_works_once(self):
        url = self.dashboard()
        self.origin = url.split("/#")[0]
        b = self.browser
        b.open(url)
        b.wait_until("document.querySelector('.dot.is-live')")
        self.assertNotIn("code", b.evaluate("location.href"))
        b.evaluate("sessionStorage.clear()")
        b.open("about:blank")
        b.open(url)
        b.wait_for_text("Not signed in")
        self.look("signed-out", complaints=("401",))

    def test_a_reload_keeps_the_page_signed_in(self):
        self.open_page("#/settings")
        self.browser.call("Page.reload")
        self.browser.wait_until("document.querySelector('.dot.is-live')")
        self.assertEqual(self.browser.evaluate("location.hash"), "#/settings")

    def test_a_page_that_may_only_look_says_so(self):
        self.open_page("#/", "--view-only")
        self.browser.wait_for_text("This page is view-only")

    def test_the_way_past_the_menu_stays_on_the_page(self):
        self.open_page("#/settings")
        b = self.browser
        b.evaluate("document.querySelector('.skip').focus()")
        b.enter()
        b.wait_until("document.activeElement === document.getElementById('main')")
        self.assertEqual(b.evaluate("location.hash"), "#/settings")
        b.go("#/constructor")  # no page, though every object has one
        b.wait_until("document.querySelector('ia-overview')")
        self.check_quiet()

    def test_what_is_filled_anew_keeps_the_focus_and_hands_it_to_nothing_else(self):
        self.open_page()
        found = self.browser.evaluate("""(async () => {
            const { h, keyed, refill } = await import('/app/dom.js'), node = h('div');
            document.body.append(node);
            const at = () => node.contains(document.activeElement) ? document.activeElement.textContent : null;
            const draw = (...texts) => refill(node, texts.map((t) => h('button', null, t)));
            draw('Retry', 'Cancel');
            node.firstChild.focus();
            draw('New', 'Retry', 'Cancel');
            const found = [at()];
            draw('New', 'Cancel');
            found.push(document.activeElement === node);
            node.replaceChildren();
            const rows = (...keys) => keyed(node, keys, (k) => k, (k) => h('button', null, k));
            rows('a', 'b', 'c');
            node.lastChild.focus();
            rows('b', 'c', 'd');
            found.push(at(), node.textContent);
            node.remove();
            return found;
          })()""")
        self.assertEqual(found, ["Retry", True, "c", "bcd"])

    def test_a_narrow_menu_shows_where_one_is(self):
        self.open_page()
        b = self.browser
        b.width(390)
        b.go("#/settings")
        b.wait_until("document.querySelector('ia-settings')")
        self.assertTrue(b.evaluate("(r => r.left >= 0 && r.right <= 390)(document.querySelector('nav [aria-current]').getBoundingClientRect())"))
        b.width(1280)

    def test_a_booted_simulator_is_called_what_a_command_calls_it(self):
        self.open_page()
        found = self.browser.evaluate("""import('/app/format.js').then(({ devices }) => devices({
            embedded: ['embedded:default', 'embedded:two'],
            simulators: [{ udid: 'A-1', name: 'iPhone 17', runtime: 'iOS 26.0', state: 'Booted' },
                         { udid: 'B-2', name: 'iPhone 16', runtime: 'iOS 18.5', state: 'Shutdown' }]}).map(([name]) => name))""")
        self.assertEqual(found, ["embedded:default", "embedded:two", "bridge:A-1"])

    def test_a_form_that_is_sent_twice_acts_once(self):
        self.open_page()
        sent = self.browser.evaluate("""(async () => {
            const { ask } = await import('/app/ui.js');
            let sent = 0;
            const done = ask({ title: 'Twice', read: () => new Promise((go) => { sent++; setTimeout(go, 100, 1); }) });
            const form = document.querySelector('dialog form');
            form.requestSubmit();
            form.requestSubmit();
            await done;
            return sent;
          })()""")
        self.assertEqual(sent, 1)

    def test_all_its_files_weigh_little(self):
        folder = os.path.join(SOURCE, "src/server/dashboard/assets")
        sizes, plain = {}, 0
        for at, _, names in os.walk(folder):
            for name in names:
                path = os.path.relpath(os.path.join(at, name), folder)
                address = "/" + path.replace("index.html", "")
                status, headers, body = self.answer(address, **{"Accept-Encoding": "gzip"})
                self.assertEqual((status, headers["content-encoding"]), (200, "gzip"), path)
                sizes[path] = len(body)
                text = self.answer(address)[2]
                self.assertEqual(gzip.decompress(body), text, path)
                plain += len(text)
                if name.endswith(".js"):
                    with open(os.path.join(at, name), encoding="utf-8") as f:
                        for line in f:  # embedding takes the indentation away, of whatever begins a line
                            self.assertEqual(line.count("`") % 2, 0, (path, line))
        print(f"{len(sizes)} files, {sum(sizes.values())} bytes as they are sent, {plain} unpacked")
        self.assertLessEqual(sum(sizes.values()), 150 << 10, sizes)

    def test_a_link_of_a_page_takes_the_focus_along(self):
        self.open_page("#/agents")
        self.browser.wait_until("document.querySelector('main a[href^=\"#/\"]')")
        self.browser.evaluate("document.querySelector('main a[href^=\"#/\"]').focus()")
        place = self.browser.evaluate("document.activeElement.hash")
        self.browser.enter()
        self.browser.wait_until(f"location.hash === '{place}' && document.querySelector('main > :not(.loading)')")
        self.assertTrue(self.browser.evaluate("document.getElementById('main').contains(document.activeElement)"))
        self.assertEqual(self.browser.evaluate("document.title.split(' ')[0]"),
                         self.browser.evaluate("document.getElementById('main').getAttribute('aria-label')"))

    def answer(self, path, method="GET", **headers):
        port = int(self.dashboard().split("/#")[0].rsplit(":", 1)[1])
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
        c.request(method, path, headers=headers)
        r = c.getresponse()
        body = r.read()
        c.close()
        return r.status, {k.lower(): v for k, v in r.getheaders()}, body

    def test_its_files_are_served_as_what_they_are(self):
        for path, kind in (("/", "text/html"), ("/app/main.js", "text/javascript"), ("/app/app.css", "text/css"),
                           ("/favicon.svg", "image/svg+xml")):
            status, headers, body = self.answer(path)
            self.assertEqual(status, 200, path)
            self.assertTrue(headers["content-type"].startswith(kind), headers)
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["cache-control"], "no-cache")
            policy = headers["content-security-policy"]
            for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'",
                         "require-trusted-types-for 'script'"):
                self.assertIn(part, policy)
            self.assertNotIn("unsafe", policy)
            again, _, nothing = self.answer(path, **{"If-None-Match": headers["etag"]})
            self.assertEqual((again, nothing), (304, b""))
            self.assertEqual(self.answer(path, **{"If-None-Match": '"other"'})[2], body)

    def test_what_it_does_not_have(self):
        for path in ("/app/none.js", "/app/", "/app/../main.js", "/index.html", "/app/%00.js", "/app/main.js%00"):
            status, _, body = self.answer(path)
            self.assertGreaterEqual(status, 400, path)
            self.assertNotIn(b"import", body)
        self.assertGreaterEqual(self.answer("/app/main.js", "DELETE")[0], 400)

    def test_a_daemon_that_ends_is_said_and_another_one_goes_on(self):
        self.open_page()
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.communicate(timeout=TIMEOUT_S)
        self.browser.wait_for_text("The daemon does not answer")
        self.look("no-daemon", complaints=("ERR_", "Failed to fetch"))
        # A page whose module was never loaded cannot be shown now, and is once there is a daemon again.
        self.browser.go("#/agents")
        self.browser.wait_for_text("This could not be loaded")
        self.assertNotIn("module", self.browser.text())
        self.browser.click("main .button", "Try again")
        self.browser.wait_for_text("This could not be loaded")
        self.start_daemon()
        self.browser.wait_for_text("The daemon was restarted")
        self.browser.go(self.dashboard().split("/", 3)[3])
        self.browser.wait_until("document.querySelector('.dot.is-live')")
        self.browser.wait_for_text("There are no agents yet")
        self.assertNotIn("restarted", self.browser.text())

    def test_pages_that_were_opened_without_a_daemon_do_not_pretend(self):
        self.open_page("#/screen")
        b = self.browser
        b.wait_until("document.querySelector('.screen-list li')")
        b.go("#/runs")
        b.wait_for_text("No runs yet")
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.communicate(timeout=TIMEOUT_S)
        b.wait_for_text("The daemon does not answer")
        b.go("#/screen")
        b.wait_for_text("This could not be loaded")
        self.assertFalse(b.evaluate("!!document.querySelector('main .loading')"))
        b.go("#/runs")
        b.wait_for_text("This could not be loaded")
        for width in (390, 1280):
            b.width(width)
            b.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            self.assertNotIn("-1", b.evaluate("document.querySelector('main').innerText"))

    def opened_by(self, script):
        """`dashboard` where that is what opens files; "$@" is told in the file "opened"."""
        tools = os.path.join(self.folder, "tools")
        os.makedirs(tools, exist_ok=True)
        for name in ("open", "xdg-open"):
            with open(os.path.join(tools, name), "w", encoding="utf-8") as f:
                f.write(f'#!/bin/sh\necho "$@" > {self.folder}/opened\n{script}\n')
            os.chmod(f.name, 0o755)
        return self.run_agent("dashboard", env={"IOS_AGENT_NO_DAEMON": None, "PATH": f"{tools}:{os.environ['PATH']}"})

    def test_an_opener_that_becomes_the_browser_is_left_alone(self):
        result = self.opened_by(f"echo $$ > {self.folder}/pid; exec sleep 60")
        with open(os.path.join(self.folder, "pid"), encoding="utf-8") as f:
            pid = int(f.read())
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        self.assertEqual(result.code, 0, result)
        self.assertIn("the dashboard opens in the browser", result.out)
        os.kill(pid, 0)

    def test_where_nothing_opens_files_the_address_is_printed(self):
        result = self.opened_by("exit 3")
        self.assertEqual(result.code, 0, result)
        self.assertIn("/#code=", result.out)

    def test_an_opener_gets_a_file_and_no_code(self):
        result = self.opened_by("")
        self.assertEqual(result.code, 0, result)
        self.assertNotIn("code=", result.out)
        with open(os.path.join(self.folder, "opened"), encoding="utf-8") as f:
            path = f.read().strip()
        self.assertEqual(path, os.path.join(self.home, "dashboard.html"))
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.browser.open("about:blank")
        self.browser.call("Page.navigate", url="file://" + path)
        self.browser.wait_until("location.protocol === 'http:' && document.querySelector('.dot.is-live')")


if __name__ == "__main__":
    unittest.main(verbosity=2)
