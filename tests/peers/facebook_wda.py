"""facebook-wda, a client of WebDriverAgent for Python, on the served phone: without Appium.

usage: facebook_wda.py BUILD_DIR. The client is pinned, and is installed into BUILD_DIR on the first run; without pip
or its index the test is skipped (exit status 77).
"""
import pathlib
import sys

import pypi
from checks import Phone, Steps

PACKAGES = ("facebook-wda==1.5.4",)
SETTINGS, CONTACTS = "com.apple.Preferences", "com.apple.MobileAddressBook"
EXCEPTIONS = {
    "close the session": "the client asks for DELETE /session/ID/ with a slash at the end, which WebDriverAgent refuses as "
                         "well: its router takes the path as it is",
}


def look(c, do):
    do("status", lambda: c.status()["ready"], True)
    do("status says that it is simulated", lambda: "simulated" in c.status()["message"], True)
    do("wait until ready", lambda: c.wait_ready(timeout=5), True)
    do("app in front", lambda: c.app_current()["bundleId"], SETTINGS)
    do("window size", lambda: tuple(c.window_size()), (393, 852))
    do("scale", lambda: c.scale, 3)
    do("device info", lambda: "name" in c.info, True)
    do("source", c.source, lambda v: v.count("<XCUIElementTypeCell") > 10 and "com.apple.settings.wifi" in v)
    do("source as JSON", lambda: c.source("json")["type"], "Application")
    do("accessible source", lambda: c.source(accessible=True), lambda v: "General" in str(v))
    do("screenshot", lambda: c.screenshot().size, (1179, 2556))
    do("orientation", lambda: c.orientation, "PORTRAIT")


def find(c, do):
    do("by label", lambda: c(label="General").exists, True)
    do("by label, none", lambda: c(label="Colonel").exists, False)
    do("by label and class", lambda: c(label="Wi-Fi", className="Cell").get(timeout=3).className,
       "XCUIElementTypeCell")
    do("by name, its label", lambda: c(name="com.apple.settings.general").get(timeout=3).label, "General")
    do("by part of a label", lambda: c(labelContains="Accessib").get(timeout=3).label, "Accessibility")
    do("by XPath", lambda: c.xpath('//XCUIElementTypeCell[@label="General"]').exists, True)
    do("by predicate, its width",
       lambda: c(predicate='label == "General" AND type == "XCUIElementTypeCell"').get(timeout=3).bounds.width, 361)
    do("by class chain", lambda: c(classChain='**/XCUIElementTypeCell[`label == "General"`]').exists, True)
    do("count", lambda: len(c(className="Cell").find_elements()), lambda n: n > 10)
    do("value of a switch", lambda: c(name="airplane_mode").get(timeout=3).value, "0")
    do("visible", lambda: c(name="com.apple.settings.wifi").get(timeout=3).visible, True)
    do("not visible", lambda: c(name="com.apple.settings.apps").get(timeout=3).visible, False)
    do("enabled", lambda: c(name="com.apple.settings.wifi").get(timeout=3).enabled, True)


def act(c, do, phone):
    do("click a switch", lambda: c(name="airplane_mode").click())
    do("the phone has it", lambda: phone.oracle()["settings"]["airplane_mode"], True)
    do("click", lambda: c(name="com.apple.settings.general").click())
    do("where it led", lambda: c(className="NavigationBar", name="General").exists, True)
    do("swipe up", c.swipe_up)
    do("swipe down", c.swipe_down)
    do("tap a point", lambda: c.tap(40, 80))
    do("where that led", lambda: c(className="NavigationBar", name="Settings").exists, True)
    do("scroll to what is out of sight", lambda: c(name="com.apple.settings.apps").scroll() is not None, True)
    do("it is visible", lambda: c(name="com.apple.settings.apps").get(timeout=3).visible, True)
    do("double tap", lambda: c.double_tap(200, 20))
    do("press for a second", lambda: c.tap_hold(200, 700, 1.0))
    do("home", c.home)
    do("the app is behind", lambda: c.app_state(SETTINGS)["value"], lambda v: v in (2, 3))


def type_text(c, do, phone):
    do("start an app", lambda: c.app_start(CONTACTS))
    do("open its form", lambda: c(name="add").click())
    do("set a text", lambda: c(name="first-name").set_text("Bob"))
    do("read it", lambda: c(name="first-name").get(timeout=3).value, "Bob")
    do("clear it", lambda: c(name="first-name").clear_text())
    do("the placeholder", lambda: c(name="first-name").get(timeout=3).value, "First name")
    do("send keys", lambda: c.send_keys("Eve"))
    do("read them", lambda: c(name="first-name").get(timeout=3).value, "Eve")
    do("save", lambda: c(name="done").click())
    do("the phone has the contact", lambda: [p["name"] for p in phone.oracle()["contacts"] if p["first"] == "Eve"], ["Eve"])
    do("end the app", lambda: c.app_stop(CONTACTS))
    do("it has ended", lambda: c.app_state(CONTACTS)["value"], 1)


def system(c, do, phone):
    do("open a link", lambda: c.open_url("prefs:root=LOCATION"))
    do("no alert", lambda: c.alert.exists, False)
    do("cause an alert", lambda: c(name="location_services").click())
    do("an alert", lambda: c.alert.exists, True)
    do("its text", lambda: c.alert.text, lambda v: "Turn Off Location" in v)
    do("its buttons", lambda: c.alert.buttons(), ["Cancel", "Turn Off"])
    do("press one by name", lambda: c.alert.click("Turn Off"))
    do("the phone has it off", lambda: phone.oracle()["settings"]["location_services"], False)
    do("locked", c.locked, False)
    do("lock", c.lock)
    do("is locked", c.locked, True)
    do("unlock", c.unlock)
    do("is unlocked", c.locked, False)
    do("press a button", lambda: c.press("volumeUp"))
    do("it was louder", lambda: phone.oracle()["settings"]["volume"], 81)
    do("settings", lambda: c.appium_settings({"snapshotMaxDepth": 40})["snapshotMaxDepth"], 40)


def main():
    pypi.run_in(pathlib.Path(sys.argv[1]).resolve() / "facebook-wda", *PACKAGES)
    import wda  # only in the environment that was just made

    steps = Steps(EXCEPTIONS)
    with Phone() as phone:
        c = wda.Client(phone.url)
        session = c.session(SETTINGS)
        look(c, steps.do)
        find(c, steps.do)
        act(c, steps.do, phone)
        type_text(c, steps.do, phone)
        system(c, steps.do, phone)
        steps.do("close the session", session.close)
    steps.end("facebook-wda 1.5.4", (67, 1))


if __name__ == "__main__":
    main()
