"""A Mac whose Xcode is a stand-in (tests/fake), which refuses every argv that the real tools would not
be called with."""
import json
import os
import pathlib
import plistlib
import sys

from harness import SOURCE, Case

FAKE = os.path.join(SOURCE, "tests", "fake")
UDIDS = [f"00000000-0000-4000-8000-{i:012X}" for i in range(1, 5)]
PHONE, PRO, OLD, GONE = UDIDS
DEVICES = [
    {"name": "iPhone 17", "runtime": "iOS 26.2", "udid": PHONE, "state": "Booted"},
    {"name": "iPhone 17 Pro", "runtime": "iOS 26.2", "udid": PRO},
    {"name": "iPhone 17 Pro", "runtime": "iOS 26.0", "udid": OLD},
    {"name": "iPhone 14", "runtime": "iOS 16.0", "udid": GONE, "available": False},
]


class WithXcode(Case):
    """A Mac with these simulators, as far as xcrun tells."""

    def setUp(self):
        super().setUp()
        self.world = os.path.join(self.folder, "xcode")
        os.mkdir(self.world)
        self.setup()

    def setup(self, **more):
        text = json.dumps({"devices": DEVICES, **more})
        pathlib.Path(self.world, "setup.json").write_text(text, encoding="utf-8")

    def tearDown(self):
        wrong = pathlib.Path(self.world, "violations.jsonl")
        self.assertFalse(wrong.exists(), wrong.exists() and wrong.read_text())

    def env(self, **more):
        env = super().env(**more)
        # This Python itself: a version manager's "python3" on PATH costs more than the stand-in.
        env["PATH"] = ":".join((FAKE, os.path.dirname(sys.executable), env["PATH"]))
        env["FAKE_XCODE"] = self.world
        return env

    def calls(self):
        """The argv of each call since the last question."""
        log = pathlib.Path(self.world, "log.jsonl")
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        self.logged = [json.loads(line) for line in lines]
        return [call["argv"] for call in self.logged]

    def done(self, *args):
        """The result of a command that succeeds, and its text."""
        result = self.run_agent(*args, "--json")
        self.assertEqual(result.code, 0, result)
        envelope = result.envelope()
        return envelope["result"], envelope["stdout"]

    def app(self, bundle="com.example.shop", **more):
        folder = pathlib.Path(self.folder, "Shop.app")
        folder.mkdir(exist_ok=True)
        with open(folder / "Info.plist", "wb") as f:
            plistlib.dump({"CFBundleIdentifier": bundle, "CFBundleName": "Shop", **more}, f)
        return os.path.realpath(folder)
