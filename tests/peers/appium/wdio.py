"""webdriverio, through Appium and its XCUITest driver, on the served phone: starts them, and judges what wdio.mjs saw.

usage: wdio.py BUILD_DIR, where run.sh has installed the packages.
"""
import json
import pathlib
import shutil
import subprocess
import sys

from servers import Appium, Iphone, on

from checks import ANYTHING, Phone, Steps

HERE = pathlib.Path(__file__).resolve().parent
CONTACTS = "com.apple.MobileAddressBook"


class Fails(str):
    """A part of the error that a step must end with."""


EXPECTED = {
    "read it": "Ada", "read all of it": "Adalie", "read one found by class chain": "Hoppers",
    "is the keyboard shown": True, "wait until it exists": True, "what it says": "Grace Hoppers",
    "how many": 31, "each of them": "Nora Abbott", "one that is not there": False, "displayed out of sight": False,
    "displayed now": True, "rect of an element": 393, "tag name": "XCUIElementTypeNavigationBar",
    "window size": {"width": 393, "height": 852}, "orientation": "PORTRAIT", "screenshot": "iVBORw0K",
    "app in front": CONTACTS, "state of an app": 4, "end an app": True, "source": True,
    "no alert": Fails("no such alert"), "is locked": True,
    "its text": lambda v: v.startswith("Turn Off Location Services?"),
}


def judge(steps, rows):
    def said(value):
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(value["error"])
        return value

    for name, value, ms in rows:
        want = EXPECTED.get(name, ANYTHING)
        if isinstance(want, Fails):
            steps.do(name, lambda value=value: said(value), fails=want)
        else:
            steps.do(name, lambda value=value: said(value), want)
        steps.ms[-1] = ms


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    steps = Steps()
    shutil.copy(HERE / "wdio.mjs", build)
    with Phone() as phone, Iphone() as plugged, Appium(build, env=plugged.env) as server:
        capabilities = json.dumps(on(phone, **{"appium:bundleId": CONTACTS}))
        client = subprocess.run(["node", "wdio.mjs", str(server.port), capabilities], cwd=build, capture_output=True,
                                text=True, timeout=120)
        if not client.stdout.strip():
            sys.exit("the client ended: " + client.stderr[-2000:] + server.said())
        judge(steps, json.loads(client.stdout.splitlines()[-1]))
        oracle = phone.oracle()
    steps.do("the phone has the contact", lambda: "Grace Hoppers" in [c["name"] for c in oracle["contacts"]], True)
    steps.do("the phone has location off", lambda: oracle["settings"]["location_services"], False)
    steps.end("webdriverio 9.33.1 through Appium 3.8.0", (48, 0))


if __name__ == "__main__":
    main()
