"""Real hosts drive the bridge's own sources on GNUstep: ios-agent itself and a classic host."""
import os
import subprocess
import unittest

from classic_host import AgentError, ClassicHost
from harness import Case

BRIDGE = os.environ["BRIDGE_PROGRAM"]
FAKE = "com.example.fake"


class Bridge(Case):
    def bridge(self, **variables):
        """Starts it and returns its port."""
        self.process = subprocess.Popen(
            [BRIDGE],
            env=self.env(**variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.reap, self.process)
        line = self.process.stdout.readline()
        if not line.startswith("BRIDGE_READY port="):
            raise AssertionError(self.process.communicate())
        return int(line.split("=")[1])


class ClassicSession(Bridge):
    def test_a_classic_host_drives_it_from_end_to_end(self):
        host = ClassicHost(self.bridge())
        self.addCleanup(host.close)
        host.heartbeat()
        host.tap_by_label("Fake", ms=5000)
        host.set_target(FAKE)
        self.assertEqual(host.tree()[0]["AXLabel"], 'Fake "app"')
        host.tap_element("count", ms=5000)
        self.assertEqual(host.value("counted"), "Count: 1")
        host.tap_with_type("Count", True, "Button", ms=5000)
        self.assertEqual(host.value("counted"), "Count: 2")
        self.assertTrue(host.find("count")["hittable"])
        self.assertFalse(host.find("disabled")["hittable"])
        host.swipe(195, 600, 195, 300, 0.3)
        self.assertIn("drag 195,600 to 195,300 after 0.05 at 1000", host.value("fake.gesture"))
        info = host.target_info()
        self.assertEqual((info["bundle_id"], info["state"]), (FAKE, "running_foreground"))
        self.assertEqual(host.screenshot()[:8], b"\x89PNG\r\n\x1a\n")
        with self.assertRaises(AgentError) as seen:
            host.tap_element("none", ms=200)
        self.assertIn("not found", str(seen.exception))
        self.assertEqual(host.value("fake.taps"), "2")


class Program(Bridge):
    def device(self):
        token = os.path.join(self.folder, "token")
        with open(token, "w", encoding="utf-8") as f:
            f.write("the token of this test")
        os.chmod(token, 0o600)
        port = self.bridge(BRIDGE_TOKEN="the token of this test")
        return f"bridge:127.0.0.1:{port}?token-file={token}"

    def done(self, *args):
        result = self.run_agent(*args)
        self.assertEqual(result.code, 0, result)
        return result.out

    def test_the_program_sees_and_drives_it(self):
        device = self.device()
        self.done("launch", FAKE, "--device", device)
        shown = self.done("snapshot", "--device", device)
        for line in ("button Count", "button:disabled Disabled", "switch:off Bluetooth"):
            self.assertIn(line, shown)
        self.done("open-url", "fake://cart/add?item=7", "--device", device)
        self.assertIn("open fake://cart/add", self.done("snapshot", "--device", device))
        self.done("terminate", FAKE, "--device", device)
        self.assertIn("Fake", self.done("snapshot", "--device", device))

    def test_a_token_that_is_wrong_is_told(self):
        device = self.device()
        with open(os.path.join(self.folder, "token"), "w", encoding="utf-8") as f:
            f.write("another")
        result = self.run_agent("snapshot", "--device", device)
        self.assertEqual(result.code, 3, result)
        self.assertIn("token", result.out + result.err)


if __name__ == "__main__":
    unittest.main()
