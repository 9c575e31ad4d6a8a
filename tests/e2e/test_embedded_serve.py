"""embedded serve: a simulated phone for any client of the wire, a classic host among them."""
import json
import os
import signal
import stat
import struct
import unittest

from classic_host import SET_TARGET, AgentError, ClassicHost, text
from harness import TIMEOUT_S, Case

CONTACTS = "com.apple.MobileAddressBook"
SPRINGBOARD = "com.apple.springboard"


class Served(Case):
    def serve(self, *args):
        process = self.start_agent("embedded", "serve", "--port", "0", "--json", *args)
        line = process.stdout.readline()
        if not line:
            raise AssertionError(process.communicate())
        self.assertEqual(json.loads(line)["status"], "ok", line)
        return process, json.loads(line)["result"]

    def host(self, *args):
        process, served = self.serve("--no-token", *args)
        host = ClassicHost(served["port"])
        self.addCleanup(host.close)
        return process, host

    def end(self, process, signo=signal.SIGTERM):
        process.send_signal(signo)
        out, err = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 0, (out, err))
        return out, err

    def refused(self, text_of_error, call, *args, **more):
        with self.assertRaises(AgentError) as seen:
            call(*args, **more)
        self.assertIn(text_of_error, str(seen.exception))
        return str(seen.exception)


class ClassicSession(Served):
    def open_contacts(self, host):
        host.tap_by_label("Contacts", ms=5000)
        host.set_target(CONTACTS)

    def test_a_classic_host_drives_the_phone_from_end_to_end(self):
        process, host = self.host()
        host.heartbeat()
        self.open_contacts(host)
        root = host.tree()
        self.assertEqual(len(root), 1)
        self.assertEqual((root[0]["type"], root[0]["AXLabel"]), ("Application", "Contacts"))
        self.assertEqual(root[0]["frame"], {"x": 0, "y": 0, "width": 393, "height": 852})
        names = [e.get("AXLabel") for e in host.elements()]
        self.assertIn("Nora Abbott", names)
        host.tap_element("add", ms=5000)
        host.tap_by_label("First name", ms=5000)
        host.type_text("Grace")
        self.assertEqual(host.value("first-name"), "Grace")
        host.tap_with_type("last-name", False, "TextField", ms=5000)
        host.type_text("Hopper")
        self.assertEqual(host.value("Last name", by_label=True, kind="TextField"), "Hopper")
        host.tap_by_label("Done", ms=5000)
        self.assertEqual(host.find("contact-name")["AXLabel"], "Grace Hopper")
        self.assertTrue(host.find("BackButton")["hittable"])
        host.tap_element("BackButton")
        first = host.find("Nora Abbott", by_label=True)
        host.swipe(195, 600, 195, 300, 0.3)
        moved = host.find("Nora Abbott", by_label=True)
        self.assertLess(moved["frame"]["y"], first["frame"]["y"])
        host.swipe(195, 300, 195, 600)
        self.assertEqual(host.find("Nora Abbott", by_label=True)["frame"], first["frame"])
        png = host.screenshot()
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", png[16:24]), (393 * 3, 852 * 3))
        info = host.target_info()
        self.assertEqual((info["bundle_id"], info["display_name"], info["state"]),
                         (CONTACTS, "Contacts", "running_foreground"))
        self.assertEqual(host.udid(), "embedded:default")
        self.end(process)
        self.assertIn("Grace Hopper", [c["name"] for c in self.state()["contacts"]])
        typed = [o["text"] for o in self.log() if o["op"] == "type"]
        self.assertEqual(typed, ["Grace", "Hopper"])

    def test_errors_are_those_of_the_protocol(self):
        _, host = self.host()
        self.refused("No keyboard visible; tap a text field first", host.type_text, "x")
        self.assertEqual(self.refused("", host.tap_element, "no-such", ms=200),
                         "Element with identifier 'no-such' not found")
        self.assertEqual(self.refused("", host.tap_by_label, "no-such"),
                         "Element with label 'no-such' not found")
        self.assertEqual(self.refused("", host.tap_with_type, "x", True, "Button"),
                         "Element with label 'x' and type 'Button' not found")
        self.assertEqual(self.refused("", host.tap_with_type, "x", True, "Knob"),
                         "Unknown element type 'Knob'")
        self.refused("Tap failed: ", host.tap, 4000, 4000)
        self.refused("Swipe failed: ", host.swipe, 0, 0, 0, 5000)
        self.refused("Long press failed: ", host.long_press, -1, 5, 1.0)
        self.refused("", host.set_target, "com.example.nobody")
        self.assertIsNone(host.find("no-such"))
        self.refused("", host.ask, SET_TARGET, b"\xff\xff")
        host.heartbeat()  # the connection goes on

    def test_a_target_that_is_not_in_front_is_not_what_is_seen(self):
        _, host = self.host()
        host.set_target(CONTACTS)
        self.assertEqual(host.target_info()["state"], "not_running")
        self.assertEqual(host.tree()[0]["AXLabel"], "Home Screen")
        self.refused("", host.tap_by_label, "Add")
        host.tap_by_label("Contacts")
        self.assertEqual(host.target_info()["state"], "running_foreground")
        self.assertEqual(host.tree()[0]["AXLabel"], "Contacts")

    def test_only_the_target_is_looked_at_and_touched(self):
        process, host = self.host()
        self.open_contacts(host)
        host.set_target("com.apple.Preferences")
        for call in (host.tree, lambda: host.tap(200, 200), lambda: host.swipe(195, 600, 195, 300),
                     lambda: host.long_press(200, 400, 1.0), lambda: host.tap_by_label("Nora Abbott"),
                     lambda: host.find("Nora Abbott", by_label=True)):
            self.refused("com.apple.Preferences is the target and is not in front", call)
        host.set_target(SPRINGBOARD)
        self.refused("not in front", host.tap, 200, 200)
        host.set_target(CONTACTS)
        host.tap_by_label("Nora Abbott", ms=5000)
        self.assertEqual(host.find("contact-name")["AXLabel"], "Nora Abbott")
        self.end(process)
        self.assertEqual([o["op"] for o in self.log()], ["tap", "tap"])

    def test_a_number_in_brackets_and_a_backspace_mean_what_they_mean_in_qorvex(self):
        process, host = self.host()
        self.open_contacts(host)
        labels = [e.get("AXLabel") for e in host.elements()]
        twice = next(one for one in labels if one and labels.count(one) > 1)
        first, second = (host.find(f"{twice}[{n}]", by_label=True) for n in (0, 1))
        self.assertEqual(first, host.find(twice, by_label=True))
        self.assertNotEqual(second, first)
        self.assertIsNone(host.find(f"{twice}[99]", by_label=True))
        host.tap_element("add[0]", ms=5000)
        host.tap_element("first-name[0]", ms=5000)
        host.type_text("Grate\b\bce")
        self.assertEqual(host.value("first-name", kind="NoSuchType"), "Grace")
        self.refused("Unknown element type 'NoSuchType'", host.tap_with_type, "first-name", False, "NoSuchType")
        self.end(process)

    def test_a_found_element_has_its_children(self):
        process, host = self.host()
        self.open_contacts(host)
        whole = next(e for e in host.elements() if e["children"] and e.get("AXUniqueId"))
        found = host.find(whole["AXUniqueId"])
        self.assertEqual(found["children"], whole["children"])
        self.end(process)

    def test_an_alert_covers_what_lies_under_it(self):
        process, host = self.host("--name", "q?faults=popup@2")
        host.tap_by_label("Contacts")
        host.tap_element("add")
        under = next(e["AXLabel"] for e in host.elements()
                     if e["type"] == "Cell" and e["frame"]["y"] < 426 < self.foot(e))
        self.assertFalse(host.find(under, by_label=True)["hittable"])
        self.refused("covered", host.tap_by_label, under, ms=100)
        self.end(process)
        self.assertEqual([o["op"] for o in self.log("--device", "embedded:q")],
                         ["tap", "fault", "tap"])

    @staticmethod
    def foot(element):
        return element["frame"]["y"] + element["frame"]["height"]

    def test_a_phone_that_loads_is_waited_for_inside_it(self):
        _, host = self.host()
        host.tap_by_label("Shop")
        host.tap_element("user", ms=20000)
        host.type_text("ada")
        host.tap_element("password", ms=5000)
        host.type_text("engine-1843")
        host.tap_element("login", ms=5000)
        host.tap_by_label("Desk Lamp", ms=20000)
        self.assertEqual(host.value("item-name", ms=5000), "Desk Lamp")


class Serving(Served):
    def test_one_line_tells_the_address_and_where_the_token_is(self):
        process = self.start_agent("embedded", "serve")
        line = process.stdout.readline()
        self.assertRegex(line, r"^127\.0\.0\.1:\d+ token in /.*/embedded/default\.token\n$")
        path = line.strip().split(" token in ")[1]
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path, encoding="ascii") as file:
            token = file.read()
        self.assertGreaterEqual(len(token), 32)
        self.assertNotIn(token, line)
        host = ClassicHost(int(line.split()[0].rsplit(":", 1)[1]))
        self.addCleanup(host.close)
        self.refused("", host.tree)  # nobody has shown the token
        out, err = self.end(process, signal.SIGINT)
        self.assertNotIn(token, out + err)
        self.assertFalse(os.path.exists(path))

    def test_a_token_goes_where_it_is_asked_to(self):
        path = os.path.join(self.folder, "t")
        process, served = self.serve("--token-file", path)
        self.assertEqual(served["token_file"], path)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.end(process)

    def test_with_no_token_none_is_written(self):
        process, served = self.serve("--no-token", "--name", "second")
        self.assertIsNone(served["token_file"])
        self.assertEqual(served["device"], "embedded:second")
        self.end(process)
        self.assertEqual([f for f in os.listdir(os.path.join(self.home, "embedded"))
                          if f.endswith(".token")], [])

    def test_a_phone_that_is_served_is_busy_for_others(self):
        process, first = self.serve()
        self.check_error(["embedded", "serve"], 3, "BUSY")
        self.assertTrue(os.path.exists(first["token_file"]), "the other server's token")
        self.end(process)
        process, _ = self.serve()
        self.end(process)

    def test_a_port_in_use_is_told(self):
        process, served = self.serve("--name", "a")
        error = self.check_error(["embedded", "serve", "--name", "b", "--port",
                                  str(served["port"])], 3, "IO")
        self.assertIn("--port 0", error["error"]["hint"])
        self.end(process)

    def test_bad_options_touch_nothing(self):
        self.check_error(["embedded", "serve", "--no-token", "--token-file", "x"], 2, "USAGE")
        self.check_error(["embedded", "serve", "--port", "70000"], 2, "USAGE")
        self.check_error(["embedded", "serve", "--name", "No Name"], 2, "USAGE")
        self.check_error(["embedded", "serve", "--name", "a?faults=popp@1"], 2, "USAGE")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "x")))

    def test_what_a_host_did_is_there_for_the_next_run(self):
        process, host = self.host()
        host.tap_by_label("Settings")
        self.end(process)
        self.assertEqual(self.state()["foreground"], "com.apple.Preferences")
        process, host = self.host("--fresh")
        self.assertEqual(host.target_info()["bundle_id"], SPRINGBOARD)
        self.end(process)

    def test_a_kill_in_the_middle_loses_nothing_that_was_answered(self):
        process, host = self.host()
        host.tap_by_label("Contacts")
        host.send(SET_TARGET, text(CONTACTS)[:5])  # half a frame's payload
        process.kill()
        process.communicate()
        self.assertEqual(self.state()["foreground"], CONTACTS)

    def test_what_ended_it_is_said(self):
        for signo in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            process, _ = self.host()
            _, err = self.end(process, signo)
            self.assertEqual(err, "ios-agent: stopped by a signal\n")
        process, host = self.host()
        host.send(0x5E, struct.pack("<II", 1, 0))
        _, err = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual((process.returncode, err), (0, "ios-agent: a host asked for the end\n"))

    def test_several_hosts_take_turns(self):
        _, host = self.host()
        other = ClassicHost(host.socket.getpeername()[1])
        self.addCleanup(other.close)
        host.tap_by_label("Contacts")
        self.assertEqual(other.tree()[0]["AXLabel"], "Contacts")
        host.close()
        other.tap_element("add")
        self.assertEqual(other.find("first-name")["type"], "TextField")


if __name__ == "__main__":
    unittest.main()
