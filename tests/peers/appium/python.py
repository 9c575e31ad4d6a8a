"""Appium-Python-Client, through Appium and its XCUITest driver, on the served phone.

usage: python.py BUILD_DIR. BUILD_DIR has Appium (run.sh installs it); the client is pinned, and is installed there on
the first run. Without npm, pip or their registries the test is skipped (exit status 77).
"""
import base64
import pathlib
import sys

from servers import Appium, Iphone, on

import pypi
from checks import Phone, Steps

PACKAGES = ("Appium-Python-Client==6.0.9",)
SETTINGS, CONTACTS, CATALOG = "com.apple.Preferences", "com.apple.MobileAddressBook", "com.example.apple-samplecode.UICatalog"
EXCEPTIONS = {
    "contexts": "the driver asks the phone's web inspector, by way of usbmuxd, and there is none behind the fake one",
}


class Walk:
    """The client's commands, by what they are about. Each returns nothing: the steps count."""

    def __init__(self, driver, phone, steps):
        from appium.webdriver.common.appiumby import AppiumBy
        self.d, self.phone, self.do, self.by = driver, phone, steps.do, AppiumBy

    def mobile(self, command, **args):
        return self.d.execute_script("mobile: " + command, args)

    def el(self, name):
        return self.d.find_element(self.by.ACCESSIBILITY_ID, name)

    def one(self, by, value):
        return self.d.find_element(by, value)

    def many(self, by, value):
        return self.d.find_elements(by, value)

    def title(self):
        return self.one(self.by.CLASS_NAME, "XCUIElementTypeNavigationBar").get_attribute("name")

    def source(self):
        do, d = self.do, self.d
        do("source", lambda: d.page_source, lambda v: "<AppiumAUT>" in v and "com.apple.settings.wifi" in v)
        do("source as JSON", lambda: self.mobile("source", format="json")["type"], "Application")
        do("source without an attribute", lambda: self.mobile("source", format="xml", excludedAttributes="visible"),
           lambda v: " visible=" not in v and " enabled=" in v)
        do("source as a description", lambda: self.mobile("source", format="description"),
           lambda v: "NavigationBar" in v)

    def find(self):
        do, by = self.do, self.by
        general = self.el("com.apple.settings.general")
        do("by id", lambda: self.one(by.ID, "com.apple.settings.general").id == general.id, True)
        do("by name", lambda: self.one(by.NAME, "General").text, "General")
        do("by predicate", lambda: self.one(by.IOS_PREDICATE, 'type == "XCUIElementTypeCell" AND label BEGINSWITH[c] '
                                            '"wi-" AND visible == 1').get_attribute("name"), "com.apple.settings.wifi")
        do("by predicate, IN and a frame",
           lambda: len(self.many(by.IOS_PREDICATE, 'type IN {"XCUIElementTypeSwitch","XCUIElementTypeSearchField"} '
                                 'AND rect.x >= 16')), 2)
        do("by class chain", lambda: self.one(by.IOS_CLASS_CHAIN, '**/XCUIElementTypeCell[`label == "General"`]/'
                                              'XCUIElementTypeStaticText[1]').text, "General")
        do("by class chain, what holds",
           lambda: self.one(by.IOS_CLASS_CHAIN, '**/XCUIElementTypeCell[$type == "XCUIElementTypeSwitch"$]')
           .get_attribute("label"), "Airplane Mode")
        do("by class chain, the last", lambda: self.one(by.IOS_CLASS_CHAIN, "**/XCUIElementTypeCell[-1]")
           .get_attribute("label"), "Apps")
        do("by XPath", lambda: self.one(by.XPATH, '//XCUIElementTypeCell[@label="Wi-Fi"]/'
                                        'XCUIElementTypeStaticText[contains(@label,"Wi")]').text, "Wi-Fi")
        do("by XPath, a function of WebDriverAgent",
           lambda: self.one(by.XPATH, '//XCUIElementTypeCell[ends-with(@name,".battery")]').get_attribute("label"),
           "Battery")
        do("by class name", lambda: len(self.many(by.CLASS_NAME, "XCUIElementTypeCell")), 15)
        do("by CSS", lambda: self.one(by.CSS_SELECTOR, 'cell[label="General"]').get_attribute("label"), "General")
        do("below an element", lambda: general.find_element(by.CLASS_NAME, "XCUIElementTypeStaticText").text, "General")
        do("below an element by XPath",
           lambda: len(general.find_elements(by.XPATH, ".//XCUIElementTypeStaticText")), 1)
        do("nothing", lambda: self.el("nope"), fails="NoSuchElement")
        do("no elements", lambda: self.many(by.ACCESSIBILITY_ID, "nope"), [])
        for name, how, value in (("XPath", by.XPATH, "//["), ("class chain", by.IOS_CLASS_CHAIN, "**/"),
                                 ("predicate", by.IOS_PREDICATE, "foo ===")):
            # The driver takes every error of a search for "nothing found".
            do("by a wrong " + name, lambda how=how, value=value: self.one(how, value), fails="NoSuchElement")
        do("with an implicit wait", lambda: self.waiting(0.4), [])

    def waiting(self, seconds):
        self.d.implicitly_wait(seconds)
        found = self.many(self.by.ACCESSIBILITY_ID, "nope")
        self.d.implicitly_wait(0)
        return found

    def attributes(self):
        do, g = self.do, self.el("com.apple.settings.general")
        for name, want in (("name", "com.apple.settings.general"), ("label", "General"), ("value", None),
                           ("type", "XCUIElementTypeCell"), ("enabled", "true"), ("visible", "true"),
                           ("accessible", "true"), ("selected", "false"), ("hittable", "true"), ("focused", "false"),
                           ("placeholderValue", None), ("accessibilityContainer", "true")):
            do("attribute " + name, lambda name=name: g.get_attribute(name), want)
        do("attribute index", lambda: int(g.get_attribute("index")) >= 0, True)
        do("attribute rect", lambda: g.get_attribute("rect"), lambda v: '"width"' in str(v) or "width" in v)
        do("attribute traits", lambda: g.get_attribute("traits"), lambda v: isinstance(v, str))
        do("attribute UID", lambda: bool(g.get_attribute("UID")), True)
        do("attribute that is none", lambda: g.get_attribute("colour"), fails="colour")
        do("a property", lambda: g.get_property("label"), fails="")
        do("rect", lambda: g.rect["width"], 361)
        do("location", lambda: g.location["x"], 16)
        do("size", lambda: g.size["height"], 44)
        do("text", lambda: g.text, "General")
        do("tag name", lambda: g.tag_name, "XCUIElementTypeCell")
        do("displayed", g.is_displayed, True)
        do("enabled", g.is_enabled, True)
        do("selected", g.is_selected, False)
        do("displayed out of sight", lambda: self.el("com.apple.settings.apps").is_displayed(), False)

    def touch(self):
        do, d = self.do, self.d
        switch = self.el("airplane_mode")
        do("a switch that is off", lambda: switch.get_attribute("value"), "0")
        do("click it", switch.click)
        do("it is on", lambda: switch.get_attribute("value"), "1")
        do("the phone has it", lambda: self.phone.oracle()["settings"]["airplane_mode"], True)
        general = self.el("com.apple.settings.general")
        do("click", general.click)
        do("a click on what has gone", general.click, fails="StaleElement")
        do("an attribute of what has gone", lambda: general.get_attribute("label"), fails="StaleElement")
        do("what is there now", lambda: self.el("about").is_displayed(), True)
        do("back", d.back)
        do("where that led", self.title, "Settings")
        do("click what is out of sight", lambda: self.el("com.apple.settings.apps").click())
        do("where it led", self.title, "Apps")

    def text(self):
        do, d = self.do, self.d
        do("launch an app", lambda: self.mobile("launchApp", bundleId=CONTACTS))
        do("the app in front", lambda: self.mobile("activeAppInfo")["bundleId"], CONTACTS)
        do("open its form", lambda: self.el("add").click())
        first = self.el("first-name")
        do("active element", lambda: d.switch_to.active_element.get_attribute("name"), "first-name")
        do("keyboard is shown", d.is_keyboard_shown, True)
        do("send keys", lambda: first.send_keys("Ada"))
        do("the value", lambda: first.get_attribute("value"), "Ada")
        do("clear", first.clear)
        do("the placeholder", lambda: first.get_attribute("value"), "First name")
        do("send other letters", lambda: first.send_keys("Zoë 🎈"))
        do("read them", lambda: first.text, "Zoë 🎈")
        do("clear them", first.clear)
        do("send keys again", lambda: first.send_keys("Ada"))
        last = self.el("last-name")
        do("send keys to another field", lambda: last.send_keys("Lovelace"))
        do("a key by name", lambda: self.mobile("keys", keys=["x", {"key": "XCUIKeyboardKeyDelete"}]))
        do("what is left", lambda: last.text, "Lovelace")
        do("keys as actions", self.key_actions)
        do("what they typed", lambda: last.text, "Lovelaces")
        do("hide a keyboard that has no key for it", d.hide_keyboard, fails="")
        do("save", lambda: self.el("done").click())
        do("the phone has the contact",
           lambda: [c["name"] for c in self.phone.oracle()["contacts"] if c["first"] == "Ada"], ["Ada Lovelaces"])
        do("to the list", lambda: self.el("BackButton").click())

    def key_actions(self):
        from selenium.webdriver.common.actions.action_builder import ActionBuilder
        actions = ActionBuilder(self.d)
        actions.key_action.send_keys("s")
        actions.perform()

    def finger(self, *steps):
        """Pointer actions of one finger: each step is a name of the client's and its arguments."""
        from selenium.webdriver.common.actions import interaction
        from selenium.webdriver.common.actions.action_builder import ActionBuilder
        from selenium.webdriver.common.actions.pointer_input import PointerInput
        actions = ActionBuilder(self.d, mouse=PointerInput(interaction.POINTER_TOUCH, "finger"))
        for name, *args in steps:
            getattr(actions.pointer_action, name)(*args)
        actions.perform()

    def two_fingers(self):
        from selenium.webdriver.common.actions import interaction
        from selenium.webdriver.common.actions.action_builder import ActionBuilder
        actions = ActionBuilder(self.d)
        actions.devices = []
        for name, x in (("one", 100), ("two", 300)):
            finger = actions.add_pointer_input(interaction.POINTER_TOUCH, name)
            finger.create_pointer_move(x=x, y=400)
            finger.create_pointer_down()
            finger.create_pointer_move(duration=300, x=200, y=400)
            finger.create_pointer_up(0)
        actions.perform()

    def gestures(self):
        do, d, mobile = self.do, self.d, self.mobile
        do("swipe", lambda: mobile("swipe", direction="up"))
        do("scroll", lambda: mobile("scroll", direction="down"))
        do("scroll by a share", lambda: mobile("scroll", direction="up", distance=0.3))
        do("scroll to a predicate", lambda: mobile("scroll", predicateString='label == "Adam Young"'))
        do("it is visible", lambda: self.el("Adam Young").is_displayed(), True)
        nora = self.el("Nora Abbott")
        do("scroll to an element", lambda: mobile("scrollToElement", elementId=nora.id))
        do("that is visible", nora.is_displayed, True)
        do("scroll what is visible", lambda: mobile("scroll", elementId=nora.id, toVisible=True))
        do("scroll to a name", lambda: mobile("scroll", name="Nora Abbott"))
        where = {"fromX": 200, "fromY": 600, "toX": 200, "toY": 300}
        do("drag for a time", lambda: mobile("dragFromToForDuration", duration=0.5, **where))
        back = {"fromX": 200, "fromY": 300, "toX": 200, "toY": 600}
        do("drag with a velocity",
           lambda: mobile("dragFromToWithVelocity", pressDuration=0.5, holdDuration=0.1, velocity=400, **back))
        do("drag by actions", lambda: d.swipe(200, 600, 200, 300, 400))
        do("tap by actions", lambda: self.finger(("move_to_location", 200, 300), ("pointer_down",), ("pause", 0.05),
                                                 ("pointer_up",)))
        do("where that led", lambda: bool(self.el("contact-name").text), True)
        do("back again", d.back)
        row = self.many(self.by.IOS_CLASS_CHAIN, "**/XCUIElementTypeCell[`visible == 1`]")[2]
        name = row.get_attribute("label")
        do("tap an element by actions", lambda: self.finger(("move_to", row, 0, 0), ("pointer_down",), ("pointer_up",)))
        do("where it led", lambda: self.el("contact-name").text, name)
        do("back once more", d.back)
        do("press by actions", lambda: self.finger(("move_to_location", 200, 20), ("pointer_down",), ("pause", 1),
                                                   ("pointer_up",)))
        do("two fingers", self.two_fingers, fails="finger")
        do("pinch", lambda: mobile("pinch", scale=0.5, velocity=-1))
        do("tap", lambda: mobile("tap", x=200, y=20))
        do("double tap", lambda: mobile("doubleTap", x=200, y=20))
        do("touch and hold", lambda: mobile("touchAndHold", x=200, y=20, duration=1.0))

    def apps(self):
        do, d, mobile = self.do, self.d, self.mobile
        do("home", lambda: mobile("pressButton", name="home"))
        do("a button that is none", lambda: mobile("pressButton", name="nope"), fails="nope")
        do("state behind", lambda: d.query_app_state(CONTACTS), lambda v: v in (2, 3))
        do("activate", lambda: d.activate_app(CONTACTS))
        do("state in front", lambda: d.query_app_state(CONTACTS), 4)
        do("terminate", lambda: d.terminate_app(CONTACTS), True)
        do("terminate what has ended", lambda: d.terminate_app(CONTACTS), False)
        do("state of what has ended", lambda: d.query_app_state(CONTACTS), 1)
        do("the icons", lambda: len(self.many(self.by.CLASS_NAME, "XCUIElementTypeIcon")), 7)
        do("launch what is not there", lambda: mobile("launchApp", bundleId="com.none"), fails="com.none")
        do("activate again", lambda: d.activate_app(SETTINGS))
        do("behind for a second", lambda: d.background_app(1))
        do("back in front", lambda: d.query_app_state(SETTINGS), 4)
        do("behind for good", lambda: d.background_app(-1))
        do("not in front", lambda: d.query_app_state(SETTINGS), lambda v: v in (2, 3))
        do("is an app installed", lambda: d.is_app_installed(CONTACTS), True)
        do("is another", lambda: d.is_app_installed("com.none"), False)
        do("the installed apps", lambda: CATALOG in mobile("listApps"), True)

    def pictures(self):
        do, d = self.do, self.d
        d.activate_app(SETTINGS)
        do("screenshot", lambda: base64.b64decode(d.get_screenshot_as_base64())[:4], b"\x89PNG")
        bar = self.one(self.by.CLASS_NAME, "XCUIElementTypeNavigationBar")
        do("screenshot of an element", lambda: bar.screenshot_as_png[:4], b"\x89PNG")
        do("screenshot of the viewport", lambda: base64.b64decode(self.mobile("viewportScreenshot"))[:4], b"\x89PNG")
        do("viewport", lambda: self.mobile("viewportRect")["width"], 1179)
        do("window size", d.get_window_size, {"width": 393, "height": 852})
        do("window rect", lambda: d.get_window_rect()["height"], 852)
        do("screen info", lambda: self.mobile("deviceScreenInfo")["scale"], 3)
        do("orientation", lambda: d.orientation, "PORTRAIT")
        do("landscape", lambda: setattr(d, "orientation", "LANDSCAPE"))
        do("wide window", d.get_window_size, {"width": 852, "height": 393})
        do("portrait", lambda: setattr(d, "orientation", "PORTRAIT"))
        d.activate_app(CONTACTS)
        do("an app that stands upright", lambda: setattr(d, "orientation", "LANDSCAPE"), fails="otate")
        d.activate_app(SETTINGS)

    def device(self):
        do, d, mobile = self.do, self.d, self.mobile
        do("lock", d.lock)
        do("locked", d.is_locked, True)
        do("unlock", d.unlock)
        do("unlocked", d.is_locked, False)
        do("dark", lambda: mobile("setAppearance", style="dark"))
        do("it is dark", lambda: mobile("getAppearance")["style"], "dark")
        do("the phone has it dark", lambda: self.phone.oracle()["settings"]["dark_appearance"], True)
        do("battery, which nobody knows", lambda: mobile("batteryInfo")["level"], -1)
        do("device info", lambda: "iPhone" in mobile("deviceInfo")["name"], True)
        do("device time", lambda: bool(d.device_time), True)
        do("clipboard", lambda: d.set_clipboard_text("x"))
        do("read the clipboard", d.get_clipboard_text, "x")
        do("set the place", lambda: mobile("setSimulatedLocation", latitude=52.1, longitude=4.3))
        do("read the place", lambda: mobile("getSimulatedLocation")["latitude"], 52.1)
        do("reset the place", lambda: mobile("resetSimulatedLocation"))
        do("contexts", lambda: d.contexts, ["NATIVE_APP"])
        do("context", lambda: d.current_context, "NATIVE_APP")
        do("contexts without a wait", lambda: [c["id"] for c in mobile("getContexts", waitForWebviewMs=0)],
           ["NATIVE_APP"])

    def alerts(self):
        do, d, mobile = self.do, self.d, self.mobile
        do("open a link", lambda: mobile("deepLink", url="prefs:root=LOCATION"))
        do("where that led", self.title, "Location Services")
        do("go to a URL", lambda: d.get("prefs:root=LOCATION"))
        do("no alert", lambda: d.switch_to.alert.text, fails="NoAlert")
        do("accept none", lambda: d.switch_to.alert.accept(), fails="NoAlert")
        cause = self.el("location_services")
        do("cause an alert", cause.click)
        do("its text", lambda: d.switch_to.alert.text, lambda v: v.startswith("Turn Off Location Services?"))
        do("its buttons", lambda: mobile("alert", action="getButtons"), ["Cancel", "Turn Off"])
        do("a button that is none", lambda: mobile("alert", action="accept", buttonLabel="Nope"), fails="Nope")
        do("dismiss", lambda: d.switch_to.alert.dismiss())
        do("nothing happened", lambda: self.phone.oracle()["settings"]["location_services"], True)
        do("cause it again", cause.click)
        do("press a button by name", lambda: mobile("alert", action="accept", buttonLabel="Turn Off"))
        do("it happened", lambda: self.phone.oracle()["settings"]["location_services"], False)

    def settings(self):
        do, d = self.do, self.d
        do("settings", lambda: isinstance(d.get_settings(), dict), True)
        do("set two", lambda: d.update_settings({"snapshotMaxDepth": 60, "animationCoolOffTimeout": 0}) and None)
        do("exclude an attribute", lambda: d.update_settings({"pageSourceExcludedAttributes": "visible"}) and None)
        do("the source has it not", lambda: " visible=" in d.page_source, False)
        do("sources as JSON", lambda: d.update_settings({"useJSONSource": True}) and None)
        do("a source made of JSON", lambda: "<AppiumAUT>" in d.page_source, True)
        do("as before",
           lambda: d.update_settings({"useJSONSource": False, "pageSourceExcludedAttributes": ""}) and None)
        do("elements with attributes",
           lambda: d.update_settings({"shouldUseCompactResponses": False,
                                      "elementResponseAttributes": "type,label,rect"}) and None)
        do("such an element", lambda: self.one(self.by.CLASS_NAME, "XCUIElementTypeNavigationBar").tag_name,
           "XCUIElementTypeNavigationBar")

    def controls(self):
        do, mobile = self.do, self.mobile
        self.d.get("prefs:root=DISPLAY")
        slider = self.el("brightness")
        do("slide", lambda: slider.send_keys("0.8"))
        do("where it is", lambda: slider.get_attribute("value"), lambda v: abs(int(v.strip("%")) - 80) <= 4)
        do("a wheel that is none", lambda: mobile("selectPickerWheelValue", elementId=slider.id, order="next"), fails="")

    def catalog(self):
        """What the driver's own tests ask of Apple's sample (driver_suites.py), for where those cannot be had."""
        do, d, by, mobile = self.do, self.d, self.by, self.mobile
        d.activate_app(CATALOG)
        do("a text in a cell without a label", lambda: self.el("Buttons").tag_name, "XCUIElementTypeStaticText")
        do("one by CSS", lambda: len(self.many(by.CSS_SELECTOR, 'cell > staticText[value="Image View"]')), 1)
        do("the last by CSS", lambda: len(self.many(by.CSS_SELECTOR, "window > *:nth-child(-1)")), 1)
        do("by a part of a frame", lambda: len(self.many(by.IOS_PREDICATE, "wdRect.width BETWEEN {100,200}")) > 0, True)
        do("by the end of a name", lambda: len(self.many(by.IOS_PREDICATE, "wdName LIKE '* View'")), 4)
        do("invisible ones", lambda: len(self.many(by.IOS_PREDICATE, "visible = 0")) > 0, True)
        do("a scroll bar is not displayed", lambda: self.el("Horizontal scroll bar, 1 page").is_displayed(), False)
        table = self.one(by.CLASS_NAME, "XCUIElementTypeTable")
        do("the first visible child", lambda: table.find_element(by.XPATH, "/*[@firstVisible='true']").tag_name,
           "XCUIElementTypeCell")
        do("what scrolls", lambda: [e.tag_name for e in self.many(by.XPATH, '//*[@scrollable="true"]')],
           ["XCUIElementTypeTable"])
        do("a size of contents that is none", lambda: self.el("UIKitCatalog").get_attribute("contentSize"),
           fails="content size")
        self.alerts_with_fields()
        self.fields()
        mobile("scroll", direction="down")
        self.el("Steppers").click()
        for _ in range(2):
            self.el("Increment").click()
        do("a stepper", lambda: self.el("2").is_displayed(), True)
        d.back()
        mobile("scroll", direction="up")
        self.wheels()

    def alerts_with_fields(self):
        do, d, by = self.do, self.d, self.by
        self.el("Alert Views").click()
        for row, kind, shown in (("Text Entry", "XCUIElementTypeTextField", "hello world"),
                                 ("Secure Text Entry", "XCUIElementTypeSecureTextField", "•" * 11)):
            self.el(row).click()
            do(row, lambda: d.switch_to.alert.text, "A Short Title Is Best\nA message should be a short, complete "
                                                    "sentence.")
            do(row + ", typed into", lambda: d.switch_to.alert.send_keys("hello world"))
            do(row + ", what it shows", lambda kind=kind: self.one(by.CLASS_NAME, kind).text, shown)
            do(row + ", dismissed", lambda: d.switch_to.alert.dismiss())
        self.el("Other").click()
        do("three buttons", lambda: self.mobile("alert", action="getButtons"), ["Choice One", "Choice Two", "Cancel"])
        do("one of three", lambda: self.mobile("alert", action="accept", buttonLabel="Choice Two"))
        do("it is gone", lambda: d.switch_to.alert.text, fails="NoAlert")
        d.back()

    def fields(self):
        do, d, by = self.do, self.d, self.by
        self.el("Text Fields").click()
        fields = self.many(by.CLASS_NAME, "XCUIElementTypeTextField")
        secure = self.one(by.CLASS_NAME, "XCUIElementTypeSecureTextField")
        do("five fields", lambda: [f.text for f in fields], ["Placeholder text"] * 5)
        do("type and delete", lambda: fields[0].send_keys("0123456789\ue003"))
        do("hide the keyboard", d.hide_keyboard)
        do("the keyboard is hidden", d.is_keyboard_shown, False)
        do("type into the next", lambda: fields[1].send_keys("differenttext"))
        do("both hold", lambda: [f.text for f in fields[:2]], ["012345678", "differenttext"])
        do("type into a secure one", lambda: secure.send_keys("secret"))
        do("it shows dots", lambda: secure.text, "••••••")
        do("clear one of them", fields[1].clear)
        do("its placeholder", lambda: fields[1].text, "Placeholder text")
        d.back()

    def wheels(self):
        do, mobile = self.do, self.mobile
        self.el("Picker View").click()
        wheels = self.many(self.by.CLASS_NAME, "XCUIElementTypePickerWheel")
        do("three wheels", lambda: [w.get_attribute("value") for w in wheels], ["65", "205", "120"])
        do("the next value", lambda: mobile("selectPickerWheelValue", elementId=wheels[0].id, order="next"))
        do("the value before", lambda: mobile("selectPickerWheelValue", elementId=wheels[1].id, order="previous"))
        do("a value by name", lambda: wheels[2].send_keys("150"))
        do("the phone has them", lambda: self.phone.oracle()["catalog"]["values"], [70, 200, 150])
        do("a value that is none", lambda: wheels[2].send_keys("151"), fails="")
        self.d.back()


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    pypi.run_in(build / "appium-python", *PACKAGES)
    from appium import webdriver
    from appium.options.ios import XCUITestOptions

    steps = Steps(EXCEPTIONS)
    with Phone() as phone, Iphone() as plugged, Appium(build, env=plugged.env) as server:
        options = XCUITestOptions().load_capabilities(on(phone, **{"appium:bundleId": SETTINGS}))
        driver = webdriver.Remote(server.url, options=options)
        walk = Walk(driver, phone, steps)
        for part in (walk.source, walk.find, walk.attributes, walk.touch, walk.text, walk.gestures, walk.apps,
                     walk.pictures, walk.device, walk.alerts, walk.settings, walk.controls, walk.catalog):
            part()
        steps.do("end the session", driver.quit)
    steps.end("Appium-Python-Client 6.0.9 through Appium 3.8.0", (220, 1))


if __name__ == "__main__":
    main()
