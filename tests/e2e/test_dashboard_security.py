"""The dashboard under attack: texts that want to be programs, and pages of other origins."""
import contextlib
import http.server
import json
import os
import threading
import unittest

from dashboard_case import DashboardCase
from harness import SOURCE

# What a phone, a model or a file could say; each sets `owned` where it were ever markup or a program.
HOSTILE = (
    '<img src=x onerror="window.owned=1">',
    '<script>window.owned=1</script>',
    '"><svg/onload=window.owned=1>',
    "javascript:window.owned=1",
    "'-(window.owned=1)-'",
    "</textarea><iframe srcdoc='<script>parent.owned=1</script>'>",
    "\u202egnp.exe\u202c <b onmouseover=window.owned=1>",
    "{{constructor.constructor('window.owned=1')()}}",
    "&lt;img src=x onerror=window.owned=1&gt;",
)


class Texts(DashboardCase):
    def plant(self):
        """Hostile names wherever the API takes a name or a text; returns a run."""
        self.open_page()
        for i, text in enumerate(HOSTILE):
            run = self.queue_run(f"open Settings {text}", name=f"goal {text}", hint=text)
            self.api("PUT", f"/agents/agent{i}", {"prompt": text, "memory": text})
            with contextlib.suppress(AssertionError):  # a name that is refused is as good
                self.api("POST", "/schedules", {"name": f"s{i} {text}", "every": "1h", "run": {"goal": text, "demo": True}})
        return run

    def test_names_run_nothing_on_any_page(self):
        run = self.plant()
        b = self.browser
        for place in ("#/", "#/runs", f"#/run/{run}", f"#/run/{HOSTILE[0]}", "#/chat", "#/chat/agent0", "#/pipeline",
                      "#/screen", "#/fleet", "#/agents", "#/agent/agent0", "#/trends", "#/skills", "#/settings", f"#/{HOSTILE[0]}"):
            with self.subTest(place):
                b.go(place)
                b.wait_until("document.querySelector('main > :not(.loading)')")
                b.evaluate("new Promise(done => setTimeout(done, 300))")
                self.assertIsNone(b.evaluate("window.owned ?? null"))
                self.assertEqual(b.evaluate("document.querySelectorAll('iframe, script:not([src]), [onerror], [onload]').length"), 0)

    def test_a_name_in_the_address_asks_for_nothing_else(self):
        self.open_page()
        b = self.browser
        for name in ("..%2fsecrets", "..%2F..%2Fv1%2Fsecrets", "x%2f..%2f..%2fsecrets", "%252e%252e%2fsecrets", "..%5csecrets"):
            b.go(f"#/run/{name}")
            b.wait_for_text("Not found")
            b.go("#/agents")
            b.wait_for_text("There are no agents yet")
        self.assertEqual([r for r in b.requests() if "secrets" in r.split("#")[0]], [])

    def test_a_slip_of_the_page_would_be_refused(self):
        """The policy is the second wall: what no file of the page does, it may not do."""
        self.open_page()
        refused = self.browser.evaluate("""(() => {
          const tried = {
            html: () => { document.body.innerHTML = '<img src=x onerror="window.owned=1">'; },
            insert: () => document.body.insertAdjacentHTML('beforeend', '<b>x</b>'),
            eval: () => eval('window.owned=1'),
            maker: () => new Function('window.owned=1')(),
            timer: () => setTimeout('window.owned=1', 0),
            write: () => document.write('<script>window.owned=1</script>'),
            policy: () => trustedTypes.createPolicy('mine', {createHTML: x => x}),
            src: () => { const s = document.createElement('script'); s.src = '/app/main.js'; document.body.append(s); },
          };
          const out = {};
          for (const [name, fn] of Object.entries(tried)) { try { fn(); out[name] = 'done'; } catch (e) { out[name] = e.name; } }
          return out;
        })()""")
        self.assertNotIn("done", refused.values(), refused)
        left = self.browser.evaluate("""(async () => {
          const inline = document.createElement('button');
          inline.setAttribute('onclick', 'window.owned=1');
        })().then(() => 'not made', e => e.name)""")
        self.assertIn(left, ("TypeError", "not made"))
        self.browser.evaluate("""new Promise(done => {
          const img = document.createElement('img');
          img.onload = img.onerror = done;
          img.src = 'http://localhost:9/pixel';
          document.body.append(img);
        })""")
        got = self.browser.evaluate("fetch('http://localhost:9/x').then(() => 'read', e => e.name)")
        self.assertEqual(got, "TypeError")
        self.assertIsNone(self.browser.evaluate("window.owned ?? null"))

    def test_no_file_makes_markup_or_programs_of_texts(self):
        folder = os.path.join(SOURCE, "src/server/dashboard/assets")
        for at, _, names in os.walk(folder):
            for name in names:
                with open(os.path.join(at, name), encoding="utf-8") as f:
                    text = f.read()
                for bad in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
                            "srcdoc", ".onclick", "style=\"", "http://", "https://"):
                    allowed = bad.startswith("http") and (f"// {bad}" in text or "www.w3.org" in text)
                    if not allowed:
                        self.assertNotIn(bad, text, f"{name}: {bad}")


class OtherOrigins(DashboardCase):
    def serve(self, page):
        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(page.encode())

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}/"

    def test_a_page_on_another_port_sees_and_does_nothing(self):
        self.open_page()
        b = self.browser
        there = self.origin
        before = len(self.api("GET", "/runs")["runs"])
        b.open(self.serve("<!doctype html><title>other</title>"))
        got = b.evaluate("""(async () => {
          const there = %s, out = {};
          const ask = async (name, f) => { try { out[name] = await f(); } catch (e) { out[name] = e.name; } };
          await ask('page', () => fetch(there + '/').then(r => r.text()));
          await ask('program', () => fetch(there + '/app/main.js').then(r => r.text()));
          await ask('blind', () => fetch(there + '/app/main.js', {mode: 'no-cors'}).then(r => r.type));
          await ask('api', () => fetch(there + '/v1/runs').then(r => r.text()));
          await ask('act', () => fetch(there + '/v1/runs', {method: 'POST', headers: {'Content-Type': 'application/json'},
            body: JSON.stringify({goal: 'open Settings', demo: true})}).then(r => r.text()));
          await ask('module', () => import(there + '/app/api.js').then(m => Object.keys(m)));
          await ask('style', () => new Promise((done, no) => {
            const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = there + '/app/app.css';
            l.onload = () => done('loaded'); l.onerror = () => no(new TypeError()); document.head.append(l); }));
          await ask('channel', () => new Promise((done) => {
            const c = new BroadcastChannel('ios-agent'); c.onmessage = e => done(e.data); setTimeout(() => done('silent'), 500); }));
          await ask('frame', () => new Promise((done) => {
            const f = document.createElement('iframe'); f.src = there + '/';
            f.onload = () => { try { done(f.contentDocument ? 'readable' : 'opaque'); } catch { done('opaque'); } };
            document.body.append(f); }));
          await ask('storage', () => Object.keys(sessionStorage).concat(Object.keys(localStorage)).join());
          return out;
        })()""" % json.dumps(there))
        for name in ("page", "program", "api", "act", "module", "style"):
            self.assertEqual(got[name], "TypeError", got)
        self.assertIn(got["blind"], ("opaque", "TypeError"))
        self.assertEqual((got["channel"], got["storage"]), ("silent", ""))
        self.assertEqual(got["frame"], "opaque")
        frames = [e["params"] for e in b.events if e["method"] == "Log.entryAdded"]
        self.assertTrue(any("frame-ancestors" in json.dumps(f) or "refused to connect" in json.dumps(f) or "X-Frame" in json.dumps(f)
                            or "ERR_BLOCKED" in json.dumps(f) for f in frames), frames)
        self.open_page()
        self.assertEqual(len(self.api("GET", "/runs")["runs"]), before)

    def test_a_page_that_opened_the_dashboard_has_no_hold_of_it(self):
        url = self.dashboard()
        self.origin = url.split("/#")[0]
        b = self.browser
        b.open(self.serve("<!doctype html><title>opener</title>"))
        self.assertEqual(b.evaluate("(async () => { const w = open(%s); await new Promise(d => setTimeout(d, 700));"
                                    " try { return w ? String(w.closed) : 'none'; } catch (e) { return e.name; } })()" % json.dumps(url)),
                         "true")  # cut off by Cross-Origin-Opener-Policy


if __name__ == "__main__":
    unittest.main(verbosity=2)
