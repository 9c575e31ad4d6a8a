"""Which sessions the XCUITest driver starts on this machine, and which it refuses, with the words it has for it.

usage: starts.py BUILD_DIR, where run.sh has installed the packages.
"""
import pathlib
import sys

from servers import CAPABILITIES, UDID, Appium, Iphone, ask, on

from checks import Phone, Steps

SETTINGS = "com.apple.Preferences"
NO_USBMUXD = "usbmuxd socket path"
NO_UDID = "requires an explicit real-device 'appium:udid'"
BARE = {k: v for k, v in CAPABILITIES.items() if k != "appium:skipLogCapture"}


def without(capabilities, *names):
    return {k: v for k, v in capabilities.items() if k not in names}


def session(server, capabilities):
    """Starts a session, asks it for the app in front, and ends it. Returns the app, or the error."""
    status, value = ask("POST", server.url + "/session", {"capabilities": {"alwaysMatch": capabilities}})
    if status != 200:
        raise RuntimeError(value["message"])
    at = f"{server.url}/session/{value['sessionId']}"
    status, app = ask("POST", at + "/execute/sync", {"script": "mobile: activeAppInfo", "args": []})
    ended, _ = ask("DELETE", at)
    if (status, ended) != (200, 200):
        raise RuntimeError(f"{app}; the end: {ended}")
    return app["bundleId"]


def alone(do, server, phone):
    """Without a usbmuxd the driver cannot ask the phone for anything, so the capabilities must say it."""
    all_of_it = on(phone)
    refused = {
        "without a UDID": (without(all_of_it, "appium:udid"), NO_UDID),
        "with the UDID auto": ({**all_of_it, "appium:udid": "auto"}, NO_UDID),
        "without a version": (without(all_of_it, "appium:platformVersion"), NO_USBMUXD),
        "without the URL": (BARE, "macOS with Xcode"),
        "with a bundle id": ({**all_of_it, "appium:bundleId": SETTINGS}, NO_USBMUXD),
        "with an app": ({**all_of_it, "appium:app": "settings"}, NO_USBMUXD),
        "with Safari": ({**all_of_it, "browserName": "Safari"}, "com.apple.mobilesafari"),
        "with a runner that is installed": ({**BARE, "appium:usePreinstalledWDA": True}, "Unable to launch"),
        "with a path in the URL":
            ({**all_of_it, "appium:webDriverAgentUrl": phone.url.replace("//", "//user:pass@") + "/base"}, ""),
        "without a prefix": ({**without(all_of_it, "appium:udid"), "udid": UDID}, "vendor prefix"),
    }
    started = {
        "with URL, UDID and version": all_of_it,
        "with another UDID": {**all_of_it, "appium:udid": "embedded:default"},
        "with a time limit": {**all_of_it, "appium:newCommandTimeout": 600},
        "with settings and arguments": {
            **all_of_it, "appium:settings[snapshotMaxDepth]": 62, "appium:waitForIdleTimeout": 0,
            "appium:autoAcceptAlerts": True, "appium:orientation": "PORTRAIT", "appium:language": "de",
            "appium:processArguments": {"args": ["-x"], "env": {"A": "b"}}, "appium:locale": "de_CH"},
    }
    for name, capabilities in started.items():
        do("alone, " + name, lambda c=capabilities: session(server, c), "com.apple.springboard")
    for name, (capabilities, why) in refused.items():
        do("alone, " + name, lambda c=capabilities: session(server, c), fails=why)


def plugged_in(do, server, phone):
    """With a usbmuxd that lists the phone."""
    all_of_it = on(phone)
    for name, capabilities, front in (
            ("without a version", without(all_of_it, "appium:platformVersion"), "com.apple.springboard"),
            ("with a bundle id", {**all_of_it, "appium:bundleId": SETTINGS}, SETTINGS),
            ("with a bundle id, not launched", {**all_of_it, "appium:bundleId": SETTINGS, "appium:noReset": True,
                                                "appium:autoLaunch": False}, "com.apple.springboard"),
            ("with an app", {**all_of_it, "appium:app": "settings"}, SETTINGS)):
        do("plugged in, " + name, lambda c=capabilities: session(server, c), front)
    do("plugged in, with an app that is not there",
       lambda: session(server, {**all_of_it, "appium:bundleId": "com.none"}), fails="com.none")


def with_token(do, server, phone):
    """A served phone that wants a token, which the driver passes on."""
    capabilities = on(phone)
    do("a token, none sent", lambda: session(server, capabilities), fails="Authorization: Bearer")
    capabilities = {**capabilities, "appium:extraRequestHeaders": {"Authorization": f"Bearer {phone.token}"}}
    do("a token, sent", lambda: session(server, capabilities), "com.apple.springboard")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    steps = Steps()
    nowhere = {"USBMUXD_SOCKET_ADDRESS": "UNIX:/nonexistent/usbmuxd"}
    with Phone() as phone, Phone(token=True) as guarded, Appium(build, env=nowhere) as server:
        alone(steps.do, server, phone)
        with_token(steps.do, server, guarded)
    with Phone() as phone, Iphone() as plugged, Appium(build, env=plugged.env) as server:
        plugged_in(steps.do, server, phone)
    steps.end("capability sets", (21, 0))


if __name__ == "__main__":
    main()
