"""A page of somebody else in a real browser, which attacks the daemon's port: it reads nothing and does nothing."""
import http.server
import json
import threading
import unittest

import browser
from attack_case import ACT, Attacked

CHROMIUM = browser.needed()

# What a page can do to another port; each tells what it could read. TARGET, TOKEN and CODE are filled in.
PAGE = """<!doctype html><meta charset=utf-8><title>nice page</title><body><script>
const target = "TARGET", act = target + "/v1/device/press", body = '{"button":"home"}';
const got = {};
const json = {"Content-Type": "application/json"};
const bearer = {...json, Authorization: "Bearer TOKEN"};
async function ask(name, url, options) {
  try {
    const r = await fetch(url, options);
    got[name] = r.type + " " + r.status + " " + await r.text();
  } catch (e) { got[name] = "refused"; }
}
function element(name, tag, fill) {
  return new Promise(done => {
    const e = document.createElement(tag);
    e.onload = () => { got[name] = "loaded"; done(); };
    e.onerror = () => { got[name] = "refused"; done(); };
    setTimeout(() => { got[name] ??= "silent"; done(); }, 3000);
    fill(e);
    document.body.append(e);
  });
}
function form(type) {
  return new Promise(done => {
    const frame = document.createElement("iframe");
    frame.name = "frame" + type;
    document.body.append(frame);
    const f = document.createElement("form");
    f.action = act; f.method = "POST"; f.enctype = type; f.target = frame.name;
    const i = document.createElement("input");
    i.name = '{"button":"home","x":"'; i.value = '"}';
    f.append(i); document.body.append(f);
    frame.onload = () => { let t = "opaque"; try { t = "read " + frame.contentDocument.body.innerText; } catch (e) {}
                           if (!t.startsWith("read about")) { got["form " + type] = t; } };
    f.submit();
    setTimeout(() => { got["form " + type] ??= "silent"; done(); }, 3000);
  });
}
function stream(name, url) {
  return new Promise(done => {
    const s = new EventSource(url, {withCredentials: true});
    s.onopen = () => { got[name] = "open"; s.close(); done(); };
    s.onerror = () => { got[name] = "refused"; s.close(); done(); };
  });
}
function socket(name, url) {
  return new Promise(done => {
    const s = new WebSocket(url);
    s.onopen = () => { got[name] = "open"; done(); };
    s.onerror = () => { got[name] = "refused"; done(); };
  });
}
async function attack() {
  await ask("simple post", act, {method: "POST", mode: "no-cors", body, headers: {"Content-Type": "text/plain"}});
  await ask("simple login", target + "/v1/login", {method: "POST", mode: "no-cors", body: '{"code":"CODE"}'});
  await ask("json post", act, {method: "POST", body, headers: json});
  await ask("with a token", act, {method: "POST", body, headers: bearer});
  await ask("login", target + "/v1/login", {method: "POST", body: '{"code":"CODE"}', headers: json});
  await ask("with cookies", act, {method: "POST", body, headers: json, credentials: "include"});
  await ask("get", target + "/v1/daemon", {});
  await ask("get with a token", target + "/v1/daemon", {headers: bearer});
  await ask("opaque get", target + "/v1/daemon", {mode: "no-cors"});
  await ask("root", target + "/", {});
  await ask("mcp", target + "/mcp", {method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers: bearer});
  await ask("delete", target + "/v1/key", {method: "DELETE", headers: bearer});
  got.beacon = navigator.sendBeacon(act, new Blob([body], {type: "text/plain"})) ? "sent" : "refused";
  await Promise.all([
    stream("stream", target + "/v1/events"),
    socket("socket", target.replace("http", "ws") + "/v1/events"),
    element("image", "img", e => { e.src = target + "/v1/daemon"; }),
    element("icon", "img", e => { e.src = target + "/favicon.svg"; }),
    element("script", "script", e => { e.src = target + "/v1/daemon"; }),
    element("app script", "script", e => { e.src = target + "/app/main.js"; }),
    element("style", "link", e => { e.rel = "stylesheet"; e.href = target + "/v1/daemon"; }),
    form("text/plain"), form("application/x-www-form-urlencoded"), form("multipart/form-data"),
  ]);
  return got;
}
</script>"""


class Pages(Attacked):
    """A page of somebody else in a real browser; it even knows a token and a code."""

    def setUp(self):
        super().setUp()
        self.code = self.new_code("act")

    def serve_by(self, handler):
        """A server on a port of its own. Returns that port."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server.server_address[1]

    def serve(self, target):
        """The page, from a port of its own. Returns that port."""
        page = PAGE.replace("TARGET", target).replace("TOKEN", self.token).replace("CODE", self.code).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *_):
                pass

        return self.serve_by(Handler)

    def attack(self, host, target, *options):
        with browser.Browser(CHROMIUM, *options) as b:
            b.open(f"http://{host}:{self.serve(target)}/")
            return b.evaluate("attack()")

    def check_got(self, got):
        """Nothing was read: an opaque answer has no status and no text."""
        opaque = {"simple post", "simple login", "opaque get"}
        self.assertGreaterEqual(len(got), 23, got)
        for name, what in got.items():
            if name in opaque:
                self.assertIn(what, ("opaque 0 ", "refused"), name)
            elif name.startswith("form "):
                self.assertIn(what, ("opaque", "silent"), name)
            elif name != "beacon":
                self.assertEqual(what, "refused", name)
        # The code is still good: nobody traded it.
        answer = self.request(path="/v1/login", body=json.dumps({"code": self.code}).encode())
        self.assertEqual(answer.status, 200, answer)
        self.check_unharmed()

    def test_the_same_page_gets_all_it_wants_from_a_careless_server(self):
        """Without this one the others would prove nothing."""
        asked = []

        class Careless(http.server.BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                asked.append((self.command, self.path, self.headers.get("Content-Type", ""), body))
                self.send_response(200)
                self.send_header("Access-Control-Allow-Origin", self.headers.get("Origin", "*"))
                self.send_header("Access-Control-Allow-Credentials", "true")
                self.send_header("Access-Control-Allow-Headers", "authorization, content-type")
                self.send_header("Access-Control-Allow-Methods", "POST, DELETE")
                stream = self.path == "/v1/events"
                self.send_header("Content-Type", "text/event-stream" if stream else "application/json")
                self.end_headers()
                if self.command != "OPTIONS":
                    self.wfile.write(b": hello\n\n" if stream else b'{"pid":1}')

            do_GET = do_POST = do_DELETE = do_OPTIONS = answer

            def log_message(self, *_):
                pass

        got = self.attack("127.0.0.1", f"http://127.0.0.1:{self.serve_by(Careless)}")
        for name in ("json post", "with a token", "login", "with cookies", "get", "get with a token", "mcp", "delete"):
            self.assertEqual(got[name], 'cors 200 {"pid":1}', name)
        self.assertEqual(got["stream"], "open")
        posts = [kind.split(";")[0] for method, path, kind, _ in asked if (method, path) == ("POST", ACT)]
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json"):
            self.assertIn(kind, posts)
        # The form that is JSON by its name and value.
        self.assertIn(b'{"button":"home","x":"="}\r\n', [body for *_, body in asked])
        self.check_unharmed()

    def test_a_page_on_another_port(self):
        self.check_got(self.attack("127.0.0.1", f"http://127.0.0.1:{self.port}"))

    def test_a_page_on_localhost(self):
        self.check_got(self.attack("localhost", f"http://127.0.0.1:{self.port}"))

    def test_a_page_whose_name_leads_here(self):
        """Rebinding: the page's own name resolves to this address, and the port is ours."""
        rules = "--host-resolver-rules=MAP evil.example 127.0.0.1"
        self.check_got(self.attack("evil.example", f"http://evil.example:{self.port}", rules))

    def test_a_name_that_leads_here_opens_nothing(self):
        rules = "--host-resolver-rules=MAP evil.example 127.0.0.1"
        with browser.Browser(CHROMIUM, rules) as b:
            b.open(f"http://evil.example:{self.port}/")
            text = b.evaluate("document.body.innerText")
            self.assertIn("FORBIDDEN", text)
            got = b.evaluate(
                "fetch('/v1/device/press', {method: 'POST', body: '{\"button\":\"home\"}', headers:"
                " {'Content-Type': 'application/json', Authorization: 'Bearer %s'}}).then(r => r.status)"
                % self.token)
            self.assertEqual(got, 403)
        self.check_unharmed()

if __name__ == "__main__":
    unittest.main(verbosity=2)
