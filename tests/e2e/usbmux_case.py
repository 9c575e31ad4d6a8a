"""What the tests of plugged-in iPhones share: a fake usbmuxd and its clients."""
import json
import os
import subprocess
import sys

from harness import SOURCE, TIMEOUT_S, Case

UDID = "00008110-000A1B2C3D4E5F60"
OLD_UDID = "0123456789abcdef0123456789abcdef01234567"


class UsbmuxCase(Case):
    def setUp(self):
        super().setUp()
        self.socket = os.path.join(self.folder, "usbmuxd")
        self.log_file = os.path.join(self.folder, "usbmuxd.log")

    def usbmuxd(self, *phones, ports=None, more=()):
        """Starts one with these phones, UDID,KEY=VALUE…, whose ports lead to ports of this machine."""
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        tool = os.path.join(SOURCE, "tests", "tools", "fake_usbmuxd.py")
        command = [sys.executable, "-B", tool, "--socket", self.socket, "--log", self.log_file, *more]
        command += [word for phone in phones for word in ("--phone", phone)]
        command += [word for port, to in (ports or {}).items() for word in ("--port", f"{port}={to}")]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.reap, process)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def env(self, **more):
        return super().env(**{"USBMUXD_SOCKET_ADDRESS": f"UNIX:{self.socket}", **more})

    def asked(self):
        """The requests to the daemon and to the phones so far."""
        with open(self.log_file, encoding="utf-8") as f:
            return [json.loads(line) for line in f]

    def tool(self, *command):
        """Another project's client of the same daemon."""
        done = subprocess.run(
            command, env=self.env(), capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        self.assertEqual(done.returncode, 0, (command, done.stdout, done.stderr))
        return done.stdout

    @staticmethod
    def stop(process):
        process.kill()
        process.wait()

    def started(self, *args, env=None):
        """A serving command and what it announced."""
        process = self.start_agent(*args, "--json", env=env)
        line = process.stdout.readline()
        if not line:
            raise AssertionError(process.communicate())
        return process, json.loads(line)["result"]
