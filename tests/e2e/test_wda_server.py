"""serve, and embedded serve --protocol wda: a device for clients of WebDriverAgent, over raw HTTP."""
import base64
import http.client
import json
import os
import signal
import socket
import stat
import unittest

from harness import TIMEOUT_S, Case, png_size

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
CONTACTS = "com.apple.MobileAddressBook"


class Client:
    """One kept connection, as Appium has it."""

    def __init__(self, port, token=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.session = None

    def ask(self, method, path, body=None):
        if path.startswith("S"):
            path = f"/session/{self.session}{path[1:]}"
        text = None if body is None else json.dumps(body)
        self.connection.request(method, path, text, self.headers)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def value(self, method, path, body=None):
        status, answer = self.ask(method, path, body)
        if status != 200:
            raise AssertionError((method, path, status, answer))
        return answer["value"]

    def begin(self, **capabilities):
        self.session = self.value("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})["sessionId"]

    def find(self, using, value):
        return self.value("POST", "S/element", {"using": using, "value": value})[ELEMENT]


class Served(Case):
    def serve(self, *args):
        process = self.start_agent(*args, "--port", "0", "--json")
        line = process.stdout.readline()
        if not line:
            raise AssertionError(process.communicate())
        envelope = json.loads(line)
        self.assertEqual(envelope["status"], "ok", line)
        return process, envelope["result"]

    def end(self, process):
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("stopped by a signal", err)

    def state(self, device="embedded"):
        return json.loads(self.run_agent("embedded", "state", "--device", device).out)

    def add_contact(self, client):
        client.begin(bundleId=CONTACTS)
        client.value("POST", f"S/element/{client.find('id', 'add')}/click", {})
        for field, text in (("first-name", "Grace"), ("last-name", "Hopper")):
            client.value("POST", f"S/element/{client.find('id', field)}/value", {"value": list(text), "text": text})
        done = client.find("class chain", '**/XCUIElementTypeButton[`label == "Done"`]')
        client.value("POST", f"S/element/{done}/click", {})
        self.assertEqual(client.value("GET", f"S/element/{client.find('id', 'contact-name')}/text"), "Grace Hopper")


class EmbeddedPhone(Served):
    def test_a_client_drives_the_phone_and_its_state_agrees(self):
        process, served = self.serve("embedded", "serve", "--protocol", "wda")
        self.assertEqual(served["device"], "embedded:default")
        self.assertIsNone(served["token_file"])
        client = Client(served["port"])
        self.add_contact(client)
        png = base64.b64decode(client.value("GET", "S/screenshot"))
        self.assertEqual(png_size(png), (393 * 3, 852 * 3))
        client.value("DELETE", "S")
        self.end(process)
        state = self.state()
        self.assertIn("Grace Hopper", [c["name"] for c in state["contacts"]])
        self.assertNotIn(CONTACTS, state["running"])

    def test_nobody_else_drives_it_meanwhile(self):
        process, _ = self.serve("embedded", "serve", "--protocol", "wda")
        refused = self.run_agent("tap", "--device", "embedded", "1", "--json")
        self.assertNotEqual(refused.code, 0)
        self.assertIn("ios-agent embedded serve", refused.out)
        second = self.run_agent("serve", "--device", "embedded", "--json")
        self.assertEqual(second.envelope()["error"]["code"], "BUSY")
        self.end(process)

    def test_a_token_is_made_where_a_file_is_named_and_goes_with_the_server(self):
        path = os.path.join(self.folder, "wda.token")
        process, served = self.serve("embedded", "serve", "--protocol", "wda", "--token-file", path)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path) as file:
            token = file.read().strip()
        self.assertEqual(Client(served["port"]).ask("GET", "/status")[0], 401)
        self.assertTrue(Client(served["port"], token).value("GET", "/status")["ready"])
        self.end(process)
        self.assertFalse(os.path.exists(path))

    def test_a_taken_port_is_said(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            refused = self.run_agent("embedded", "serve", "--protocol", "wda", "--port", port, "--json")
        self.assertEqual(refused.envelope()["error"]["code"], "IO")
        self.assertIn(port, refused.envelope()["error"]["message"])

    def test_the_screen_is_streamed_in_pictures(self):
        process, served = self.serve("embedded", "serve", "--protocol", "wda", "--mjpeg-port", "0")
        viewer = http.client.HTTPConnection("127.0.0.1", served["mjpeg_port"], timeout=TIMEOUT_S)
        viewer.request("GET", "/")
        answer = viewer.getresponse()
        self.assertIn("multipart/x-mixed-replace", answer.getheader("Content-Type"))
        for _ in range(3):
            self.assertEqual(answer.readline(), b"--BoundaryString\r\n")
            self.assertEqual(answer.readline(), b"Content-Type: image/png\r\n")
            length = int(answer.readline().split(b":")[1])
            self.assertEqual(answer.readline(), b"\r\n")
            self.assertEqual(png_size(answer.read(length)), (393, 852))
            self.assertEqual(answer.read(4), b"\r\n\r\n")
        viewer.close()
        self.end(process)


class AnyDevice(Served):
    def test_a_device_behind_the_bridge_is_served_too(self):
        bridge = self.start_agent("embedded", "serve", "--port", "0", "--no-token", "--json")
        port = json.loads(bridge.stdout.readline())["result"]["port"]
        process, served = self.serve("serve", "--protocol", "wda", "--device", f"bridge:127.0.0.1:{port}")
        client = Client(served["port"])
        self.add_contact(client)
        self.assertEqual(client.value("POST", "S/wda/apps/state", {"bundleId": CONTACTS}), 4)
        client.value("POST", "/wda/device/appearance", {"name": "dark"})
        self.assertEqual(client.value("GET", "S/wda/device/info")["userInterfaceStyle"], "dark")
        client.value("DELETE", "S")
        self.end(process)
        self.end(bridge)
        self.assertIn("Grace Hopper", [c["name"] for c in self.state()["contacts"]])

    def test_a_device_that_is_gone_is_an_error_of_each_request(self):
        bridge = self.start_agent("embedded", "serve", "--port", "0", "--no-token", "--json")
        port = json.loads(bridge.stdout.readline())["result"]["port"]
        process, served = self.serve("serve", "--device", f"bridge:127.0.0.1:{port}")
        client = Client(served["port"])
        client.begin()
        bridge.kill()
        bridge.communicate()
        status, answer = client.ask("GET", "S/source")
        self.assertEqual((status, answer["value"]["error"]), (500, "unknown error"))
        self.assertIn("DEVICE_LOST", answer["value"]["traceback"])
        self.assertTrue(client.value("GET", "/status")["ready"])
        self.end(process)


if __name__ == "__main__":
    unittest.main()
