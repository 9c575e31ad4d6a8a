"""A headless Chromium, driven over its debugging pipe; no package is needed for that.

The browser reads commands on descriptor 3 and answers on 4, each a JSON object and a NUL.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
TIMEOUT_S = 60

# Puts the two ends at 3 and 4, whatever numbers they had.
PLACE = (
    "import fcntl,os,sys\n"
    "r,w=[fcntl.fcntl(int(n),fcntl.F_DUPFD,20) for n in sys.argv[1:3]]\n"
    "os.dup2(r,3);os.dup2(w,4)\n"
    "os.closerange(5,64)\n"
    "os.execvp(sys.argv[3],sys.argv[3:])\n"
)


def find():
    """The browser's program, or None."""
    named = os.environ.get("CHROME")
    for name in ([named] if named else []) + list(NAMES):
        path = shutil.which(name)
        if path:
            return path
    return None


def needed():
    """The browser's program. Where there is none, the process ends as a test that is skipped."""
    program = find()
    if not program:
        print("SKIPPED: there is no Chromium or Chrome ($CHROME names one; script/bootstrap has one)")
        sys.exit(77)
    return program


class Browser:
    def __init__(self, program, *options):
        self.folder = tempfile.mkdtemp(prefix="ios-agent-browser-")
        command_read, self.command = os.pipe()
        self.answer, answer_write = os.pipe()
        self.process = subprocess.Popen(
            [
                sys.executable, "-c", PLACE, str(command_read), str(answer_write), program,
                "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
                "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
                "--disable-background-networking", "--disable-component-update",
                "--hide-scrollbars", f"--user-data-dir={self.folder}", *options, "about:blank",
            ],
            pass_fds=(command_read, answer_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.folder},
        )
        os.close(command_read)
        os.close(answer_write)
        self.bytes = b""
        self.number = 0
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.command)
        os.close(self.answer)
        shutil.rmtree(self.folder, True)

    # ---- the wire ----

    def read(self, deadline):
        while b"\0" not in self.bytes:
            ready, _, _ = select.select([self.answer], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self.answer, 1 << 20) if ready else b""
            if not chunk:
                raise AssertionError("the browser does not answer")
            self.bytes += chunk
        text, _, self.bytes = self.bytes.partition(b"\0")
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.command, data):]
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            answer = self.read(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def wait_for(self, method):
        deadline = time.monotonic() + TIMEOUT_S
        while not any(e["method"] == method for e in self.events):
            answer = self.read(deadline)
            if "method" in answer:
                self.events.append(answer)

    # ---- what a test wants ----

    def open(self, path):
        """A file, or an address."""
        self.events.clear()
        self.call("Page.navigate", url=path if ":" in path else "file://" + path)
        self.wait_for("Page.loadEventFired")

    def evaluate(self, expression):
        result = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True,
            userGesture=True, allowUnsafeEvalBlockedByCSP=False,
        )
        if "exceptionDetails" in result:
            raise AssertionError(result["exceptionDetails"])
        return result["result"].get("value")

    def key(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code
            )

    # ---- a person's hands ----

    def wait_until(self, expression, seconds=TIMEOUT_S):
        """Until the expression is true; returns what it is then."""
        deadline = time.monotonic() + seconds
        while True:
            value = self.evaluate(f"(v => v instanceof Node || v)({expression})")
            if value:
                return value
            if time.monotonic() > deadline:
                raise AssertionError(f"still not true: {expression}\n{self.text()}")
            time.sleep(0.02)

    def text(self):
        """What stands on the page."""
        return self.evaluate("document.body.innerText")

    def wait_for_text(self, text, selector="body", seconds=TIMEOUT_S):
        self.wait_until(f"document.querySelector({json.dumps(selector)})?.innerText.includes({json.dumps(text)})", seconds)

    def spot(self, selector, text=None):
        """The middle of the first element that matches, has the text and can be seen, once there is one."""
        return self.wait_until("""(() => {
            const [selector, text] = %s;
            for (const e of document.querySelectorAll(selector)) {
              if (text !== null && !e.innerText.includes(text) && e.getAttribute('aria-label') !== text) continue;
              if (e.checkVisibility && !e.checkVisibility()) continue;
              e.scrollIntoView({block: 'nearest', inline: 'nearest', behavior: 'instant'});
              const r = e.getBoundingClientRect();
              if (r.width && r.height) return {x: r.x + r.width / 2, y: r.y + r.height / 2};
            }
            return null;
          })()""" % json.dumps([selector, text]))

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector, text=None):
        """A real click in the middle of an element, once the page has stopped moving it."""
        before, p = None, self.spot(selector, text)
        while p != before:
            self.evaluate("new Promise(done => setTimeout(done, 30))")
            before, p = p, self.spot(selector, text)
        self.click_at(p["x"], p["y"])

    def click_at(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def drag(self, x, y, to_x, to_y, steps=8):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        for i in range(1, steps + 1):
            self.mouse("mouseMoved", x + (to_x - x) * i / steps, y + (to_y - y) * i / steps, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)

    def wheel(self, x, y, delta):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=delta)

    def write(self, text):
        """Types where the focus is."""
        for c in text:
            self.call("Input.dispatchKeyEvent", type="keyDown", key=c, text=c)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=c)

    def enter(self):
        self.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
        self.call("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter", windowsVirtualKeyCode=13)

    def go(self, place):
        """To another address of the page that is open."""
        self.evaluate(f"location.hash = {json.dumps(place)}")

    def scheme(self, name):
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": name}],
        )

    def width(self, pixels, height=900):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=pixels, height=height, deviceScaleFactor=1, mobile=False,
        )

    def picture(self, path, height=1800):
        """Writes what is to see, from the top, when every image has come."""
        self.evaluate(
            "Promise.all([...document.images].map(i => {"
            "  i.loading = 'eager';"
            "  return i.decode().catch(() => 0);"
            "}))"
        )
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        shot = self.call(
            "Page.captureScreenshot",
            captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": size["width"],
                  "height": min(size["height"], height), "scale": 1},
        )
        with open(path, "wb") as f:
            f.write(base64.b64decode(shot["data"]))

    def complaints(self):
        """Everything that the console would show as an error."""
        found = []
        for e in self.events:
            p = e["params"]
            if e["method"] == "Runtime.exceptionThrown":
                found.append(p["exceptionDetails"].get("text"))
            elif e["method"] == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning"):
                found.append(p["args"])
            elif e["method"] == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                found.append(p["entry"]["text"])
        return found

    def requests(self):
        return [
            e["params"]["request"]["url"]
            for e in self.events
            if e["method"] == "Network.requestWillBeSent"
        ]
