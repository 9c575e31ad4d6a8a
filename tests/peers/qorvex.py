"""qorvex's own client and server, unmodified, on a served phone: the classic requests as their author uses them.

qorvex is in no registry of packages: build it from github.com/simonspoon/qorvex with
`cargo build --release -p qorvex-cli -p qorvex-server`, and name the folder in $QORVEX or have it in $PATH.
Skipped where it is not there.
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

from harness import TIMEOUT_S, Case  # noqa: E402

PATH = os.pathsep.join(filter(None, [os.environ.get("QORVEX"), os.environ["PATH"]]))
CLIENT, SERVER = (shutil.which(name, path=PATH) for name in ("qorvex", "qorvex-server"))
if not (CLIENT and SERVER):
    print("SKIPPED: there is no qorvex ($QORVEX names the folder of qorvex and qorvex-server)")
    sys.exit(77)

CONTACTS, SETTINGS = "com.apple.MobileAddressBook", "com.apple.Preferences"


class Qorvex(Case):
    def setUp(self):
        super().setUp()
        # A socket's path must be short.
        self.qorvex_home = tempfile.mkdtemp(prefix="ia-qorvex-", dir="/tmp")
        self.addCleanup(shutil.rmtree, self.qorvex_home, True)
        serve = self.start_agent("embedded", "serve", "--port", "0", "--no-token", "--json")
        port = json.loads(serve.stdout.readline())["result"]["port"]
        server = subprocess.Popen([SERVER, "-s", "t"], env=self.qorvex_env(), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.connect(port)

    def qorvex_env(self):
        return {**os.environ, "HOME": self.qorvex_home}

    def connect(self, port):
        path = os.path.join(self.qorvex_home, ".qorvex/qorvex_t.sock")
        deadline = time.monotonic() + TIMEOUT_S
        while not os.path.exists(path):
            self.assertLess(time.monotonic(), deadline, "qorvex-server does not listen")
            time.sleep(0.02)
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(TIMEOUT_S)
            s.connect(path)
            s.sendall(json.dumps({"type": "Connect", "host": "127.0.0.1", "port": port}).encode() + b"\n")
            self.assertTrue(json.loads(s.recv(4096))["success"])

    def qorvex(self, *args):
        return subprocess.run([CLIENT, "-s", "t", *args], env=self.qorvex_env(), capture_output=True, text=True,
                              timeout=TIMEOUT_S)

    def done(self, *args):
        result = self.qorvex(*args)
        self.assertEqual(result.returncode, 0, (args, result.stderr))
        return result.stdout.strip()

    def refused(self, text, *args):
        result = self.qorvex(*args)
        self.assertEqual(result.returncode, 1, (args, result.stdout, result.stderr))
        self.assertIn(text, result.stderr)

    def test_a_contact_is_added(self):
        self.done("tap", "Contacts", "-l")
        self.done("set-target", CONTACTS)
        self.assertIn("running_foreground", self.done("target-info"))
        self.done("tap", "add")
        self.done("tap", "first-name[0]")
        self.done("send-keys", "Gratia\b\bce")
        self.assertEqual(self.done("get-value", "first-name"), "Gratce")
        self.done("wait-for", "first-name")
        self.done("tap", "Done", "-l", "-T", "Button")
        self.done("wait-for", "contact-name")
        self.assertEqual(self.done("get-value", "contact-name"), "Gratce")

    def test_a_number_in_brackets_chooses(self):
        self.done("tap", "Contacts", "-l")
        self.done("set-target", CONTACTS)
        # The app and the title of its screen.
        self.assertEqual(self.done("get-value", "Contacts[1]", "-l", "--no-wait"), "Contacts")
        self.refused("not found", "get-value", "Contacts[99]", "-l", "--no-wait")

    def test_an_unknown_type_is_ignored_in_reading_and_refused_in_a_tap(self):
        self.done("tap", "Contacts", "-l")
        self.assertEqual(self.done("get-value", "Nora Abbott", "-l", "-T", "Gizmo"), "Nora Abbott")
        self.refused("Unknown element type 'Gizmo'", "tap", "Nora Abbott", "-l", "-T", "Gizmo", "--no-wait")

    def test_what_is_not_the_target_is_not_reached(self):
        self.done("tap", "Contacts", "-l")
        self.done("set-target", SETTINGS)
        self.refused("is the target and is not in front", "tap", "Nora Abbott", "-l", "--no-wait")
        self.refused("is the target and is not in front", "tap-location", "200", "300")
        self.refused("is the target and is not in front", "screen-info")


if __name__ == "__main__":
    unittest.main(verbosity=2)
