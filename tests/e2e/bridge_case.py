"""What the tests of `ios-agent bridge` share: an Xcode to build a runner from, and a runner that is built.

Stand-ins (tests/fake) check every argv of Apple's tools. What they "launch" is a real process with the
bridge's own core (bridge_runner_stand_in), so hello, adoption and stopping are real."""
import json
import os
import pathlib
import plistlib
import shutil
import signal
import tempfile
import time
import unittest
import uuid

from harness import TIMEOUT_S
from xcode_case import FAKE, WithXcode

RUNNER = os.environ["IOS_AGENT_STAND_IN"]
BUNDLE = "dev.ios-agent.bridge.xctrunner"
# A simulator's port comes from its UDID: others than those of a test that runs beside this one.
PHONE, PRO, ELDER = (str(uuid.uuid4()).upper() for _ in range(3))
DEVICES = [
    {"name": "iPhone 17", "runtime": "iOS 26.2", "udid": PHONE, "state": "Booted"},
    {"name": "iPhone 17 Pro", "runtime": "iOS 26.2", "udid": PRO},
    {"name": "iPhone 15", "runtime": "iOS 16.4", "udid": ELDER, "state": "Booted"},
]


class Bridge(WithXcode):
    def setUp(self):
        super().setUp()
        self.platform()
        self.setup()
        self.addCleanup(self.kill_runners)

    def setup(self, **more):
        super().setup(**{"devices": DEVICES, "runner": RUNNER,
                         "platform_path": str(self.platform_path()), **more})

    def platform_path(self):
        return pathlib.Path(self.folder, "Xcode.app/Contents/Developer/Platforms/iPhoneSimulator.platform")

    def platform(self, frameworks=("XCTest", "XCUIAutomation", "Testing", "_Testing_Foundation", "Other")):
        """What recipe A takes from Xcode, and some that it must leave."""
        p = self.platform_path() / "Developer"
        app = p / "Library/Xcode/Agents/XCTRunner.app"
        app.mkdir(parents=True)
        (app / "XCTRunner").write_bytes(b"\xca\xfe\xba\xbe")
        (app / "XCTRunner").chmod(0o755)
        with open(app / "Info.plist", "wb") as f:
            plistlib.dump({"CFBundleExecutable": "$(EXECUTABLE_NAME)", "CFBundleName": "$(WRAPPEDPRODUCTNAME)",
                           "CFBundleIdentifier": "com.apple.test.$(WRAPPEDPRODUCTNAME)",
                           "CFBundleSupportedPlatforms": ["iPhoneSimulator"]}, f, fmt=plistlib.FMT_BINARY)
        for folder, names in (("Library/Frameworks", frameworks),
                              ("Library/PrivateFrameworks", ("XCTestCore", "XCTestSupport", "XCTAutomationSupport",
                                                             "XCUnit", "Secret"))):
            for name in names:
                framework = p / folder / f"{name}.framework"
                framework.mkdir(parents=True)
                (framework / name).write_bytes(name.encode() * 100)
                (framework / "Current").symlink_to(name)
        (p / "usr/lib").mkdir(parents=True)
        for name in ("libXCTestSwiftSupport.dylib", "lib_TestingInterop.dylib", "libother.dylib"):
            (p / "usr/lib" / name).write_bytes(b"lib")

    def started(self):
        path = pathlib.Path(self.world, "runners.jsonl")
        return [json.loads(l) for l in path.read_text().splitlines()] if path.exists() else []

    def kill_runners(self):
        for r in self.started():
            try:
                os.kill(r["pid"], signal.SIGKILL)
            except ProcessLookupError:
                pass

    def bridge(self, *parts):
        return pathlib.Path(self.home, "bridge", *parts)

    def state_of(self, udid=PHONE):
        return json.loads(self.bridge("runners", udid + ".json").read_text())

    def failed(self, *args, env=None):
        result = self.run_agent(*args, "--json", env=env)
        self.assertNotEqual(result.code, 0, result)
        return result.code, result.envelope()["error"]

    def tools(self):
        self.calls()
        return [c["tool"] for c in self.logged]

    def wait_until(self, holds):
        end = time.monotonic() + TIMEOUT_S
        while not holds():
            self.assertLess(time.monotonic(), end, "what was waited for does not come")
            time.sleep(0.01)

    @staticmethod
    def lives(pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                return f.read().rsplit(")", 1)[1].split()[0] != "Z"
        except FileNotFoundError:
            return False
        except OSError:
            return False


class Built(Bridge):
    """With a runner that is built: one build for all of these tests, copied into each home."""

    kept = None

    def setUp(self):
        super().setUp()
        if Built.kept is None:
            Built.kept = tempfile.mkdtemp(prefix="ios-agent-built-")
            unittest.addModuleCleanup(shutil.rmtree, Built.kept, True)
            self.done("bridge", "build")
            shutil.copytree(self.bridge(), os.path.join(Built.kept, "bridge"), symlinks=True)
            self.calls()
        else:
            shutil.copytree(os.path.join(Built.kept, "bridge"), self.bridge(), symlinks=True)


class PhoneBehind:
    """Mixed into one of these: its runners show a simulated phone, and a daemon finds the stand-ins."""

    def setup(self, **more):
        super().setup(**{"phones": os.path.join(self.home, "embedded"), **more})

    def env(self, **more):
        env = super().env(**more)
        tools = os.path.join(self.folder, "xcode-tools")
        if not os.path.isdir(tools):
            # The daemon keeps PATH and little else of the environment that it was started in.
            os.mkdir(tools)
            for name in ("xcrun", "codesign", "plutil"):
                path = os.path.join(tools, name)
                with open(path, "w", encoding="utf-8") as f:
                    f.write(f"#!/bin/sh\nFAKE_XCODE='{self.world}' exec '{FAKE}/{name}' \"$@\"\n")
                os.chmod(path, 0o755)
        env["PATH"] = tools + ":" + env["PATH"]
        return env
