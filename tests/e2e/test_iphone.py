"""iphone:UDID and bridge:UDID, devices and doctor: a plugged-in iPhone from the cable to the screen."""
import http.client
import http.server
import json
import os
import shutil
import socket
import sys
import threading
import unittest

from test_api import Unix
from usbmux_case import OLD_UDID, UDID, UsbmuxCase

IPHONE = f"iphone:{UDID}"
GOOD = f"{UDID},version=18.5,name=Ada's iPhone,developer=on,image=mounted"
# The next step differs on a Mac.
MAC = sys.platform == "darwin"
PAIR = "tap Trust" if MAC else f"idevicepair -u {UDID} pair"
XCODE = "xcodebuild test-without-building -xctestrun FILE"
GOAL = "open Settings, check that General is on the screen"

if not shutil.which("ideviceinfo"):
    print("skipped: no libimobiledevice (script/bootstrap)")
    raise SystemExit(77)

SOURCE_XML = (
    '<?xml version="1.0" encoding="UTF-8"?><XCUIElementTypeApplication type="XCUIElementTypeApplication" '
    'name="Home" label="Home" enabled="true" x="0" y="0" width="393" height="852">{}</XCUIElementTypeApplication>'
)
BUTTON = '<XCUIElementTypeButton type="XCUIElementTypeButton" label="A" enabled="true" x="1" y="1" width="9" height="9"/>'


def status(version="16.12.9", session=None, **more):
    value = {"ready": True, "state": "success", "os": {"name": "iOS", "version": "18.5"}, "build": {"version": version}}
    return {"value": {**value, **more}, "sessionId": session}


class Stand(http.server.ThreadingHTTPServer):
    """Answers GET /status and GET /source as the test says, and records the requests."""

    def __init__(self, case, answer, elements=BUTTON):
        self.paths = []
        replies = {"/status": answer, "/source": {"value": SOURCE_XML.format(elements), "sessionId": None}}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.server.paths.append(f"{self.command} {self.path}")
                reply = replies[self.path.partition("?")[0]]
                data = (reply if isinstance(reply, str) else json.dumps(reply)).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_DELETE = do_GET

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()
        case.addCleanup(self.server_close)
        case.addCleanup(self.shutdown)


class Devices(UsbmuxCase):
    def listed(self):
        result = self.run_agent("devices", "--json")
        self.assertEqual(result.code, 0, result)
        return result.envelope()["result"]["iphones"]

    def test_a_phone_is_listed_with_what_it_says_of_itself(self):
        self.usbmuxd(f"{GOOD},network=1,type=iPhone16,1")
        expected = {
            "udid": UDID,
            "name": "Ada's iPhone",
            "version": "18.5",
            "type": "iPhone16,1",
            "connection": "usb",
            "trust": "trusted",
            "developer_mode": True,
        }
        self.assertEqual(self.listed(), [expected])
        text = self.run_agent("devices").out
        self.assertRegex(text, rf"Ada's iPhone +18\.5 +USB +trusted +iphone:{UDID}")

    def test_each_state_of_trust_has_its_word_and_nothing_asks_the_phone_to_pair(self):
        table = {
            "paired=no": "not trusted",
            "trust=forgotten": "not trusted",
            "trust=denied": "not trusted",
            "trust=pending": "asking",
            "trust=locked": "locked",
        }
        for key, word in table.items():
            with self.subTest(key):
                daemon = self.usbmuxd(f"{UDID},{key},version=17.1,name=Ben's,developer=on")
                (phone,) = self.listed()
                self.assertEqual(phone["trust"], word)
                # The phone tells these to everybody.
                self.assertEqual((phone["name"], phone["version"]), ("Ben's", "17.1"))
                self.assertIsNone(phone["developer_mode"])
                self.stop(daemon)
        self.assertNotIn("Pair", [m.get("Request") for m in self.asked()])

    def test_without_usbmuxd_or_phones_the_list_is_empty(self):
        self.assertEqual(self.listed(), [])
        self.usbmuxd()
        self.assertEqual(self.listed(), [])
        text = self.run_agent("devices").out
        self.assertNotIn("plugged in", text)
        self.assertNotIn("no iPhones", text)
        self.assertIsNone(self.problem())

    def problem(self):
        return self.run_agent("devices", "--json").envelope()["result"]["iphones_problem"]

    def test_why_no_iphone_is_listed_is_a_line(self):
        for fault, code in (("garbage", "PROTO"), ("mute", "TIMEOUT"), ("cut-body", "IO")):
            with self.subTest(fault):
                daemon = self.usbmuxd(GOOD, more=("--fault", fault))
                result = self.run_agent("devices")
                self.assertEqual(result.code, 0, result)
                lines = [line for line in result.out.splitlines() if line.startswith("no iPhones: ")]
                self.assertEqual(len(lines), 1, result)
                problem = self.problem()
                self.assertEqual(problem["code"], code)
                self.assertIn(problem["message"], lines[0])
                self.stop(daemon)

    def test_what_a_phone_says_cannot_break_the_line(self):
        self.usbmuxd(f"{UDID},name=a\nb\u202ec")
        text = self.run_agent("devices").out
        self.assertNotIn("\u202e", text)
        self.assertEqual(len([line for line in text.splitlines() if UDID in line]), 1)

    def test_a_phone_that_hangs_is_listed_as_unknown(self):
        self.usbmuxd(GOOD, more=("--fault", "mute", "--only", "Connect"))
        (phone,) = self.listed()
        self.assertEqual((phone["udid"], phone["name"], phone["trust"]), (UDID, None, "unknown"))

    def test_a_phone_whose_pair_record_nobody_could_read_is_not_called_distrusted(self):
        self.usbmuxd(GOOD, more=("--fault", "garbage", "--only", "ReadPairRecord"))
        (phone,) = self.listed()
        self.assertEqual((phone["udid"], phone["trust"]), (UDID, "unknown"))

    def test_a_daemon_asks_a_phone_once_while_it_stays_plugged_in(self):
        ready = self.start_agent("daemon", env={"IOS_AGENT_NO_DAEMON": None})
        self.assertTrue(any("ready:" in line for line in ready.stdout))
        api = Unix(os.path.join(self.home, "daemon.sock"))
        self.addCleanup(api.close)

        def listed():
            before = len(self.asked())
            api.request("GET", "/v1/devices")
            phones = json.loads(api.getresponse().read())["result"]["iphones"]
            asked = [m.get("MessageType") or m.get("Request") for m in self.asked()[before:]]
            return phones[-1]["name"], "Connect" in asked

        daemon = self.usbmuxd(GOOD)
        self.assertEqual(listed(), ("Ada's iPhone", True))
        self.assertEqual(listed(), ("Ada's iPhone", False))
        self.stop(daemon)
        # Plugged in again it has another number.
        self.usbmuxd(OLD_UDID, GOOD.replace("Ada's iPhone", "New name"))
        self.assertEqual(listed(), ("New name", True))
        self.assertEqual(listed(), ("New name", False))


class Doctor(UsbmuxCase):
    def check(self, device=IPHONE):
        """doctor's line for the device, and its line for all iPhones."""
        result = self.run_agent("doctor", "--device", device, "--json")
        rows = {row["name"]: row for row in result.envelope()["result"]["checks"]}
        return rows["device"], rows["iphones"]

    def fails(self, code, says, fix, phone=GOOD, port=None):
        daemon = self.usbmuxd(*([phone] if phone else []), ports={8100: port} if port else None)
        row, all_iphones = self.check()
        self.assertEqual((row["status"], row["code"]), ("FAIL", code), row)
        self.assertIn(says, row["detail"])
        self.assertIn(fix, row["mend"])
        if phone:
            # For phones that nobody asked for it is only a warning.
            self.assertEqual(all_iphones["status"], "warn", all_iphones)
            self.assertIn(says, all_iphones["detail"])
        self.stop(daemon)

    def test_no_usbmuxd(self):
        row, all_iphones = self.check()
        self.assertEqual((row["status"], row["code"]), ("FAIL", "MISSING_DEPENDENCY"), row)
        self.assertIn("sudo apt install usbmuxd", row["mend"])
        self.assertEqual(all_iphones["status"], "ok", all_iphones)

    def test_each_step_that_is_missing_has_its_next_command(self):
        self.fails("NO_DEVICE", "is plugged in", "plug it in", phone=None)
        self.fails("AUTH", "does not trust this computer", PAIR, phone=f"{UDID},paired=no")
        self.fails("AUTH", "does not trust this computer", "tap Trust", phone=f"{UDID},trust=forgotten")
        self.fails("AUTH", "asks whether to trust", "tap Trust", phone=f"{UDID},trust=pending")
        self.fails("AUTH", "is locked", "unlock it", phone=f"{UDID},trust=locked")
        self.fails("STATE", "developer mode", "Privacy & Security > Developer Mode", phone=f"{UDID},developer=off")
        no_image = f"{UDID},version=18.5,developer=on,image=none"
        if MAC:  # xcodebuild mounts it
            self.fails("NO_DEVICE", "WebDriverAgent does not run", XCODE, phone=no_image)
        else:
            self.fails("STATE", "no developer image", f"ios image auto --udid={UDID}", phone=no_image)

    def test_a_runner_that_does_not_run_is_started_as_its_ios_needs(self):
        for version, fix in (("16.7", "start the runner: ios image auto"), ("17.2", "on a Mac"), ("18.5", "ios tunnel start")):
            phone = f"{UDID},version={version},developer=on,image=mounted"
            self.fails("NO_DEVICE", "WebDriverAgent does not run", XCODE if MAC else fix, phone=phone)

    def test_what_listens_there_is_told_apart(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:

            def shut():
                while True:
                    try:
                        stream, _ = listener.accept()
                    except OSError:
                        return
                    stream.recv(1000)
                    stream.sendall(b"\x00\x01garbage")
                    stream.close()

            threading.Thread(target=shut, daemon=True).start()
            self.fails("PROTO", "nothing there answers by HTTP", "unlock", port=listener.getsockname()[1])
        web = Stand(self, "<html>hello</html>")
        self.fails("PROTO", "is not WebDriverAgent", "end the app", port=web.port)
        appium = Stand(self, {"value": {"ready": True, "build": {"version": "3.8.0"}}})
        self.fails("PROTO", "is not WebDriverAgent", "end the app", port=appium.port)
        busy = Stand(self, status(session="F00D-1"))
        self.fails("BUSY", "session F00D-1", "?take", port=busy.port)
        old = Stand(self, status("9.2.0"))
        self.fails("UNSUPPORTED", "9.2.0 is too old", "docs/iphone.md", port=old.port)
        empty = Stand(self, status(), elements="")
        self.fails("TREE_EMPTY", "screen is empty", "unlock the iPhone", port=empty.port)

    def test_a_phone_that_is_ready_is_described_and_only_looked_at(self):
        stand = Stand(self, status("16.6.1", session="F00D-1", ios={"ip": "192.0.2.7"}))
        self.usbmuxd(GOOD, ports={8100: stand.port})
        row, _ = self.check(f"{IPHONE}?take")
        self.assertEqual(row["status"], "ok", row)
        for part in (
            "Ada's iPhone, iOS 18.5, by USB, trust: trusted",
            "WebDriverAgent 16.6.1",
            "before 16.7",
            "by anybody",
            "2 elements",
            "its ports need no tunnel, starting a runner needs a tunnel over lockdown, without root",
        ):
            self.assertIn(part, row["detail"])
        self.assertEqual({path.split()[0] for path in stand.paths}, {"GET"})


    def test_what_the_phone_and_its_webdriveragent_are_is_compared_with_the_table(self):
        stand = Stand(self, status("9.12.0"))
        self.usbmuxd(f"{UDID},version=26.1,name=Ada's,developer=on", ports={8100: stand.port})
        result = self.run_agent("doctor", "--device", IPHONE, "--json")
        rows = {row["name"]: row for row in result.envelope()["result"]["checks"]}
        self.assertEqual(rows["device"]["status"], "ok", rows["device"])
        self.assertEqual(rows["versions"]["status"], "warn", rows["versions"])
        self.assertIn("iOS 26 needs WebDriverAgent 9.14.1 or newer", rows["versions"]["detail"])


class Driven(UsbmuxCase):
    """The simulated iPhone behind a fake usbmuxd."""

    def served(self, *args):
        process, at = self.started("embedded", "serve", "--name", "far", "--port", "0", *args)
        self.addCleanup(self.stop, process)
        return at["port"]

    def test_webdriveragent_is_asked_over_the_cable(self):
        port = self.served("--protocol", "wda")
        self.usbmuxd(f"{GOOD},network=1", ports={8100: port})
        rows = self.run_agent("doctor", "--device", IPHONE, "--json").envelope()["result"]["checks"]
        device = next(row for row in rows if row["name"] == "device")
        self.assertEqual(device["status"], "ok", device)
        self.assertRegex(device["detail"], r"WebDriverAgent [0-9.]+.*, no session, [0-9]+ elements on the screen")
        # By the cable, port 8100 in network order.
        connects = {(m["DeviceID"], m["PortNumber"]) for m in self.asked() if m.get("MessageType") == "Connect"}
        self.assertIn((1, socket.htons(8100)), connects)
        self.assertEqual({number for number, _ in connects}, {1})

    def test_a_phone_that_a_stranger_drives_names_the_way_to_take_it(self):
        port = self.served("--protocol", "wda", "--no-token")
        self.usbmuxd(GOOD, ports={8100: port})
        stranger = http.client.HTTPConnection("127.0.0.1", port)
        self.addCleanup(stranger.close)
        stranger.request("POST", "/session", json.dumps({"capabilities": {"alwaysMatch": {}}}))
        session = json.loads(stranger.getresponse().read())["value"]["sessionId"]
        error = self.check_error(["snapshot", "--device", IPHONE], 3, "BUSY", session)
        self.assertIn(f"{IPHONE}?take", error["error"]["hint"])
        taken = self.run_agent("snapshot", "--device", f"{IPHONE}?take")
        self.assertEqual(taken.code, 0, taken)

    def test_a_phone_is_driven_by_the_name_it_has(self):
        # iOS writes another apostrophe than a keyboard does.
        name = "Ada\u2019s iPhone"
        self.usbmuxd(GOOD.replace("Ada's iPhone", name), ports={8100: self.served("--protocol", "wda")})
        for device in ("iphone:Ada's iPhone", f"iphone:{name}", "iphone:ADA'S  IPHONE?take"):
            shown = self.run_agent("snapshot", "--device", device, "--json")
            self.assertEqual(shown.code, 0, shown)
        ran = self.run_agent("run", GOAL, "--device", "iphone:Ada's iPhone", "--demo")
        self.assertEqual(ran.code, 0, ran)
        (run,) = self.runs()
        self.assertEqual(run["lane"], f"bridge:{UDID}")
        rows = self.run_agent("doctor", "--device", "iphone:Ada's iPhone", "--json").envelope()["result"]["checks"]
        self.assertEqual(next(r for r in rows if r["name"] == "device")["status"], "ok", rows)
        self.check_error(["snapshot", "--device", "iphone:Bea's iPhone"], 3, "NO_DEVICE", "no iPhone named")
        self.check_error(["snapshot", "--device", f"iphone:{UDID}?token"], 2, "USAGE", "no setting")

    def test_webdriveragent_over_the_cable_does_a_goal(self):
        port = self.served("--protocol", "wda")
        self.usbmuxd(f"{GOOD},network=1", ports={8100: port})
        result = self.run_agent("run", GOAL, "--device", IPHONE, "--demo")
        self.assertEqual(result.code, 0, result)
        (run,) = self.runs()
        self.assertEqual((run["state"], run["device"]["kind"]), ("passed", "wda"), run)
        # What it shows can be given to --device again.
        self.assertEqual(run["device"]["id"], IPHONE)
        self.assertIn(f", {IPHONE} (", result.out)
        # Both names of that phone share this lane.
        self.assertEqual(run["lane"], f"bridge:{UDID}")
        # By the cable, port 8100 in network order, and nothing is left behind.
        connects = {(m["DeviceID"], m["PortNumber"]) for m in self.asked() if m.get("MessageType") == "Connect"}
        self.assertIn((1, socket.htons(8100)), connects)
        self.assertEqual({number for number, _ in connects}, {1})

    def test_the_bridge_over_the_cable_shows_what_it_shows_directly(self):
        port = self.served("--no-token")
        self.usbmuxd(GOOD, ports={27753: port})
        direct = self.run_agent("snapshot", "--device", f"bridge:127.0.0.1:{port}")
        self.assertEqual(direct.code, 0, direct)
        # In a home of its own, so that both count refs from 1.
        other = {"IOS_AGENT_HOME": os.path.join(self.folder, "other")}
        cable = self.run_agent("snapshot", "--device", f"bridge:{UDID}", env=other)
        self.assertEqual((cable.code, cable.out), (0, direct.out), cable)
        result = self.run_agent("run", GOAL, "--device", f"bridge:{UDID}", "--demo")
        self.assertEqual(result.code, 0, result)

    def test_the_bridges_token_comes_from_a_file_or_the_environment(self):
        token = os.path.join(self.folder, "token")
        port = self.served("--token-file", token)
        self.usbmuxd(GOOD, ports={27753: port})
        refused = self.run_agent("snapshot", "--device", f"bridge:{UDID}")
        self.assertEqual(refused.code, 3, refused)
        named = self.run_agent("snapshot", "--device", f"bridge:{UDID}?token-file={token}")
        self.assertEqual(named.code, 0, named)
        with open(token, encoding="ascii") as f:
            env = {"IOS_AGENT_DEVICE_TOKEN": f.read()}
        self.assertEqual(self.run_agent("snapshot", "--device", f"bridge:{UDID}", env=env).code, 0)

    def test_a_runner_that_does_not_run_is_no_device(self):
        self.usbmuxd(GOOD)
        for device in (IPHONE, f"bridge:{UDID}"):
            result = self.run_agent("snapshot", "--device", device)
            self.assertEqual(result.code, 3, result)
            self.assertIn("nothing listens on port", result.err)

    def test_an_iphone_that_is_served_is_held_by_both_of_its_names(self):
        runner = self.started("embedded", "serve", "--name", "near", "--port", "0", "--no-token")
        self.addCleanup(self.stop, runner[0])
        self.usbmuxd(GOOD, ports={8100: self.served("--protocol", "wda"), 27753: runner[1]["port"]})
        for served, other in ((IPHONE, f"bridge:{UDID}"), (f"bridge:{UDID}", IPHONE)):
            server, _ = self.started("serve", "--device", served)
            self.check_error(["tap", "Settings", "--device", other], 3, "BUSY", "ios-agent serve, pid")
            self.check_error(["serve", "--device", other], 3, "BUSY", "ios-agent serve, pid")
            server.terminate()
            server.wait()
            self.assertEqual(self.run_agent("tap", "Settings", "--device", other).code, 0)
            self.assertEqual(self.run_agent("press", "home", "--device", other).code, 0)

    def test_a_cable_that_is_pulled_is_named_and_what_it_cost_is_said(self):
        """A daemon keeps the device open, so that the cable goes between two commands."""
        daemon = {"IOS_AGENT_NO_DAEMON": None, "IOS_AGENT_DEVICE": IPHONE}
        self.addCleanup(self.run_agent, "daemon", "stop", "--now", env=daemon)
        port = self.served("--protocol", "wda")
        cable = self.usbmuxd(GOOD, ports={8100: port})
        first = self.run_agent("snapshot", env=daemon)
        self.assertEqual(first.code, 0, first)
        self.stop(cable)
        cable = self.usbmuxd(ports={8100: port})  # the daemon of the system is still there
        lost = self.run_agent("snapshot", "--json", env=daemon).envelope()["error"]
        self.assertEqual(lost["code"], "DEVICE_LOST", lost)
        self.assertIn(f"no iPhone with the UDID {UDID} is plugged in", lost["message"])
        self.assertIn("plug it in", lost["hint"])
        tapped = self.run_agent("tap", "Settings", "--json", env=daemon).envelope()["error"]
        self.assertEqual((tapped["code"], tapped["outcome"]), ("NO_DEVICE", "not_sent"), tapped)
        self.stop(cable)
        self.usbmuxd(GOOD, ports={8100: port})
        again = self.run_agent("snapshot", env=daemon)
        self.assertEqual(again.code, 0, again)

    def test_a_projects_file_cannot_name_an_iphone(self):
        self.usbmuxd(GOOD)
        for device in (IPHONE, f"bridge:{UDID}"):
            with open(os.path.join(self.folder, "ios-agent.toml"), "w", encoding="utf-8") as f:
                f.write(f'[run]\ndevice = "{device}"\n')
            result = self.run_agent("snapshot")
            self.assertEqual(result.code, 2, result)
            self.assertIn("only you may name one", result.err)
        self.assertFalse(os.path.exists(self.log_file) and self.asked())


if __name__ == "__main__":
    unittest.main()
