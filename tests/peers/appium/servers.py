"""Appium with its XCUITest driver, as npm installed it, in front of a served phone."""
import contextlib
import fcntl
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

if not sys.platform.startswith("linux"):
    print("SKIPPED: elsewhere than on Linux the driver wants Xcode's tools and a device that they know")
    sys.exit(77)

READY_S = 60
UDID = "00008110-000A1B2C3D4E5F60"
# On Linux the driver calls no tool of Xcode if it is told where WebDriverAgent answers. It then treats any device as a
# real one.
CAPABILITIES = {"platformName": "iOS", "appium:automationName": "XCUITest", "appium:udid": UDID,
                "appium:platformVersion": "18.5", "appium:skipLogCapture": True}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def ask(method, url, body=None, headers=None, timeout=90):
    """One request: its status, and the value of its answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, method=method, data=data,
                                     headers={"Content-Type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, json.load(answer)["value"]
    except urllib.error.HTTPError as e:
        return e.code, json.load(e)["value"]


class Iphone:
    """Lists the phone as if it were plugged in, because the driver asks usbmuxd for its installed apps, clock and name.
    A context manager; .env says where."""

    def __init__(self, udids=(UDID,)):
        self.udids = udids

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ia-mux-", dir="/tmp")
        path = os.path.join(self.folder.name, "s")
        tool = pathlib.Path(__file__).resolve().parents[2] / "tools" / "fake_usbmuxd.py"
        phones = [arg for udid in self.udids for arg in ("--phone", f"{udid},version=18.5,name=iPhone")]
        self.server = subprocess.Popen([sys.executable, "-B", str(tool), "--socket", path, *phones],
                                       stdout=subprocess.PIPE, text=True)
        if self.server.stdout.readline().strip() != "ready":
            sys.exit("the fake usbmuxd does not listen")
        self.env = {"USBMUXD_SOCKET_ADDRESS": "UNIX:" + path}
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait(timeout=20)
        self.folder.cleanup()


class Appium:
    """A server of its own. A context manager; its log is in .log."""

    def __init__(self, build, capabilities=None, env=None):
        self.build, self.capabilities, self.env = pathlib.Path(build), capabilities, env or {}

    def __enter__(self):
        with open(self.build / "starting", "w", encoding="ascii") as lock:
            # Two that start at once would write the same list of drivers.
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._start()
        return self

    def _start(self):
        self.log = tempfile.NamedTemporaryFile("w+", prefix="ia-appium-", suffix=".log")
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        command = ["node", "node_modules/appium/index.js", "server", "--address", "127.0.0.1", "--port", str(self.port),
                   "--log-no-colors", "--relaxed-security"]
        if self.capabilities:
            command += ["--default-capabilities", json.dumps(self.capabilities)]
        self.server = subprocess.Popen(command, cwd=self.build, stdout=self.log, stderr=subprocess.STDOUT,
                                       env={**os.environ, "APPIUM_HOME": str(self.build), **self.env})
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline and self.server.poll() is None:
            with contextlib.suppress(OSError):
                if ask("GET", self.url + "/status", timeout=5)[1]["ready"]:
                    return
            time.sleep(0.05)
        self.server.kill()
        sys.exit("Appium does not answer: " + self.said())

    def said(self, last=4000):
        self.log.seek(0)
        return self.log.read()[-last:]

    def __exit__(self, *_):
        self.server.terminate()
        try:
            self.server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.server.kill()
        self.log.close()


def on(phone, **more):
    """The capabilities of a session on that phone."""
    return {**CAPABILITIES, "appium:webDriverAgentUrl": phone.url, **more}
