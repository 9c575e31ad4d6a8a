"""The XCTest runner from the command line: built, started, found again, stopped.

Stand-ins (tests/fake) check every argv of Apple's tools; what they "launch" is a real process with
the bridge's own core (bridge_runner_stand_in), so hello, adoption and stopping are the real ones."""
import concurrent.futures
import json
import os
import pathlib
import plistlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

from harness import ADA, PROGRAM, SOURCE, TIMEOUT_S
from test_simctl import WithXcode

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


class Build(Bridge):
    def test_recipe_a_makes_a_signed_runner_with_the_frameworks_that_there_are(self):
        result, text = self.done("bridge", "build")
        self.assertEqual((result["recipe"], result["fresh"], result["note"]), ("A", True, None))
        self.assertIn("built for Xcode 26.2 (17C52)", text)
        app = pathlib.Path(result["app"])
        self.assertTrue(str(app).startswith(str(self.bridge("builds", result["key"]))))
        with open(app / "Info.plist", "rb") as f:
            info = plistlib.load(f)
        self.assertEqual(info["CFBundleIdentifier"], BUNDLE)
        self.assertEqual(info["CFBundleExecutable"], "XCTRunner")
        self.assertEqual(info["CFBundleName"], "BridgeTests-Runner")
        self.assertTrue(os.access(app / "XCTRunner", os.X_OK))
        tests = app / "PlugIns/BridgeTests.xctest"
        with open(tests / "Info.plist", "rb") as f:
            info = plistlib.load(f)
        self.assertEqual(info["CFBundlePackageType"], "BNDL")
        self.assertEqual(info["CFBundleExecutable"], "BridgeTests")
        self.assertEqual(info["MinimumOSVersion"], "15.0")
        self.assertEqual(sorted(os.listdir(app / "Frameworks")), sorted([
            "XCTest.framework", "XCUIAutomation.framework", "Testing.framework",
            "_Testing_Foundation.framework", "XCTestCore.framework", "XCTestSupport.framework",
            "XCTAutomationSupport.framework", "XCUnit.framework",
            "libXCTestSwiftSupport.dylib", "lib_TestingInterop.dylib"]))
        self.assertEqual(os.readlink(app / "Frameworks/XCTest.framework/Current"), "XCTest")
        for signed in (app, tests, app / "Frameworks/XCTest.framework"):
            self.assertTrue((signed / "_CodeSignature").exists(), signed)

    def test_every_source_of_the_repository_is_compiled_and_finds_its_headers(self):
        result, _ = self.done("bridge", "build")
        folder = pathlib.Path(SOURCE, "bridge-xcuitest")
        units = {f"{d}/{p.name}" for d in ("wire", "core", "xcuitest") if (folder / d).is_dir()
                 for p in (folder / d).iterdir() if p.suffix in (".c", ".m")}
        binary = pathlib.Path(result["app"], "PlugIns/BridgeTests.xctest/BridgeTests")
        compiled = json.loads(binary.read_text())
        self.assertEqual({s.removeprefix("src/") for s in compiled["sources"]}, units)
        self.assertTrue(compiled["IA_VERSION"].endswith("+" + result["key"]))
        for unit in units:
            unpacked = self.bridge("builds", result["key"], "src", unit)
            self.assertEqual(unpacked.read_bytes(), (folder / unit).read_bytes())

    def test_a_second_build_is_the_first_one_and_runs_no_tool_but_the_question_for_xcode(self):
        first, _ = self.done("bridge", "build")
        self.tools()
        second, text = self.done("bridge", "build")
        self.assertEqual(self.tools(), ["xcodebuild"])
        self.assertEqual((second["key"], second["fresh"]), (first["key"], False))
        self.assertIn("is built already", text)

    def test_xcode_is_not_even_asked_while_its_version_file_is_the_same(self):
        contents = pathlib.Path(self.folder, "Xcode.app/Contents")
        (contents / "version.plist").write_text("26.2")
        os.environ.pop("DEVELOPER_DIR", None)
        env = {"DEVELOPER_DIR": str(contents / "Developer")}
        self.assertEqual(self.run_agent("bridge", "build", env=env).code, 0)
        self.tools()
        again = self.run_agent("bridge", "build", "--json", env=env)
        self.assertEqual(self.tools(), [])
        self.assertFalse(again.envelope()["result"]["fresh"])
        self.setup(xcode="26.3")
        (contents / "version.plist").write_text("26.3.0")
        newer = self.run_agent("bridge", "build", "--json", env=env).envelope()["result"]
        self.assertTrue(newer["fresh"])
        self.assertIn("26.3", newer["xcode"])

    def test_another_xcode_gets_another_build_and_the_old_one_stays(self):
        first, _ = self.done("bridge", "build")
        self.setup(xcode="26.3")
        second, _ = self.done("bridge", "build")
        self.assertTrue(second["fresh"])
        self.assertNotEqual(first["key"], second["key"])
        self.assertTrue(os.path.exists(first["app"]))

    def test_no_more_than_three_builds_are_kept(self):
        keys = []
        for minor in range(5):
            self.setup(xcode=f"26.{minor}")
            keys.append(self.done("bridge", "build")[0]["key"])
            os.utime(self.bridge("builds", keys[-1]), (1000 + minor, 1000 + minor))
        kept = set(os.listdir(self.bridge("builds")))
        self.assertEqual(len(kept), 3)
        self.assertIn(keys[-1], kept)

    def test_an_older_xcode_without_xcuiautomation_is_built_without_it(self):
        shutil.rmtree(self.platform_path() / "Developer/Library/Frameworks/XCUIAutomation.framework")
        self.done("bridge", "build")
        argv = next(c for c in self.calls() if c[0] == "-target")
        self.assertNotIn("XCUIAutomation", argv)

    def test_what_was_changed_or_removed_is_made_again(self):
        first, _ = self.done("bridge", "build")
        os.unlink(pathlib.Path(first["app"], "Frameworks/XCTest.framework/XCTest"))
        second, _ = self.done("bridge", "build")
        self.assertTrue(second["fresh"])
        os.unlink(second["xctestrun"])
        self.assertTrue(self.done("bridge", "build")[0]["fresh"])
        self.bridge("builds", first["key"], "build.json").write_text("{")
        self.assertTrue(self.done("bridge", "build")[0]["fresh"])
        self.assertFalse(self.done("bridge", "build")[0]["fresh"])
        self.assertTrue(self.done("bridge", "build", "--force")[0]["fresh"])

    def test_a_build_that_is_killed_leaves_nothing_that_counts_as_one(self):
        for at in ("runner.build.made", "runner.build.between"):
            self.done("bridge", "build")
            killed = self.run_agent("bridge", "build", "--force", env={"IOS_AGENT_KILL_AT": at})
            self.assertEqual(killed.code, -signal.SIGKILL, killed)
            result, _ = self.done("bridge", "build")
            self.assertTrue(os.path.exists(result["app"]))
            # What is left of the killed one goes with the next build.
            self.done("bridge", "build", "--force")
            self.assertEqual(os.listdir(self.bridge("builds")), [result["key"]])

    def test_two_builds_at_once_give_one(self):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            many = list(pool.map(lambda _: self.done("bridge", "build")[0], range(4)))
        self.assertEqual(len({b["key"] for b in many}), 1)
        self.assertEqual([b["fresh"] for b in many].count(True), 1)

    def test_when_xcode_moved_its_files_the_project_is_built_and_the_reason_said(self):
        agents = self.platform_path() / "Developer/Library/Xcode/Agents"
        agents.rename(agents.with_name("Moved"))
        result, text = self.done("bridge", "build")
        self.assertEqual(result["recipe"], "B")
        self.assertIn("copying XCTRunner: this Xcode has no", result["note"])
        self.assertIn("recipe A did not work: copying XCTRunner", text)
        self.assertTrue(os.path.isdir(result["app"]))
        self.assertTrue(os.path.exists(result["xctestrun"]))
        self.assertFalse(self.done("bridge", "build")[0]["fresh"])

    def test_when_both_recipes_fail_both_reasons_are_said(self):
        self.setup(answers=[
            {"match": ["-target"], "exit": 1, "stderr": "src/xcuitest/x.m:3:1: error: no such type\n1 error generated.\n"},
            {"match": ["build-for-testing"], "exit": 65, "stderr": "** TEST BUILD FAILED **\nThe following build commands failed:\n"}])
        code, error = self.failed("bridge", "build")
        self.assertEqual(code, 3)
        self.assertIn("x.m:3:1: error: no such type", error["message"])
        self.assertIn("status 65", error["message"])
        self.assertNotEqual(error["hint"], "")
        self.assertEqual(os.listdir(self.bridge("builds")), [])

    def test_without_a_whole_xcode_it_fails_at_once_with_the_mend(self):
        for xcode in (None, "broken"):
            self.setup(xcode=xcode)
            for command in (("bridge", "build"), ("bridge", "start", "--sim", "iPhone 17")):
                code, error = self.failed(*command)
                self.assertEqual((code, error["code"]), (3, "MISSING_DEPENDENCY"))
                self.assertIn("/Applications/Xcode.app", error["hint"])

    def test_without_xcrun_it_fails_at_once_with_the_mend(self):
        env = {"PATH": "/nowhere"}
        for command in (("bridge", "build"), ("bridge", "start", "--sim", "iPhone 17")):
            result = subprocess.run([PROGRAM, *command, "--json"], env={**super().env(), **env},
                                    capture_output=True, text=True, timeout=TIMEOUT_S)
            error = json.loads(result.stdout)["error"]
            self.assertEqual((result.returncode, error["code"]), (3, "MISSING_DEPENDENCY"), result)
            self.assertNotEqual(error["hint"], "")
        status = subprocess.run([PROGRAM, "bridge", "status"], env={**super().env(), **env},
                                capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual((status.returncode, status.stdout), (0, "no runner was started\n"))


class Start(Built):
    def start(self, *args, env=None):
        result = self.run_agent("bridge", "start", *(args or ("--sim", "iPhone 17")), "--json", env=env)
        self.assertEqual(result.code, 0, result)
        return result.envelope()["result"]

    def status(self):
        return self.done("bridge", "status")[0]["runners"]

    def test_it_installs_launches_and_waits_for_hello(self):
        r = self.start()
        self.assertEqual((r["udid"], r["started_by"], r["adopted"], r["note"]), (PHONE, "simctl", False, None))
        self.assertTrue(18100 <= r["port"] < 18100 + 2048)
        self.assertTrue(self.lives(r["pid"]))
        verbs = [c for c in self.calls() if c[0] in ("install", "launch")]
        self.assertEqual(verbs[0][:2], ["install", PHONE])
        self.assertEqual(verbs[1][-2:], [PHONE, BUNDLE])
        self.assertIn("--terminate-running-process", verbs[1])
        env = next(c["env"] for c in self.logged if c["argv"][0] == "launch")
        self.assertEqual(env["SIMCTL_CHILD_BRIDGE_PORT"], str(r["port"]))
        self.assertEqual(env["SIMCTL_CHILD_BRIDGE_QUIESCENCE"], "wait")
        (live,) = self.status()
        self.assertEqual((live["health"], live["port"], live["pid"]), ("live", r["port"], r["pid"]))

    def test_the_token_is_in_the_state_file_and_the_childs_environment_only(self):
        self.start()
        token = self.state_of()["token"]
        self.assertRegex(token, "^[0-9a-f]{64}$")
        state = self.bridge("runners", PHONE + ".json")
        self.assertEqual(state.stat().st_mode & 0o777, 0o600)
        for path in pathlib.Path(self.home).rglob("*"):
            if path.is_file() and path != state:
                self.assertNotIn(token.encode(), path.read_bytes(), path)
        self.calls()
        for call in self.logged:
            self.assertNotIn(token, json.dumps(call["argv"]))
        for command in ("status", "logs", "stop"):
            result = self.run_agent("bridge", command, "--json")
            self.assertNotIn(token, result.out + result.err)

    def test_a_runner_that_lives_is_adopted(self):
        first = self.start()
        self.tools()
        second = self.start()
        self.assertTrue(second["adopted"])
        self.assertEqual((second["pid"], second["port"]), (first["pid"], first["port"]))
        self.assertNotIn("launch", [c[0] for c in self.calls()])

    def test_the_same_simulator_gets_the_same_port_and_two_get_two(self):
        first = self.start()
        self.done("bridge", "stop")
        self.assertEqual(self.start()["port"], first["port"])
        self.setup(devices=[dict(d, state="Booted") if d["udid"] == PRO else d for d in DEVICES])
        pathlib.Path(self.world, "state.json").unlink()
        self.assertNotEqual(self.start("--sim", PRO)["port"], first["port"])
        self.assertEqual(len(self.status()), 2)

    def test_a_taken_port_is_passed_over(self):
        port = self.start()["port"]
        self.done("bridge", "stop")
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind(("127.0.0.1", port))
            s.listen()
            self.assertNotEqual(self.start()["port"], port)

    def test_a_port_that_is_lost_between_the_look_and_the_launch_is_followed_by_the_next(self):
        self.setup(faults=["taken"])
        r = self.start()
        self.assertEqual(r["started_by"], "simctl")
        self.assertEqual(len(self.started()), 2)

    def test_a_killed_runner_is_told_and_started_again(self):
        first = self.start()
        os.kill(first["pid"], signal.SIGKILL)
        self.wait_until(lambda: not self.lives(first["pid"]))
        (dead,) = self.status()
        self.assertEqual(dead["health"], "dead")
        self.assertIn("is gone", dead["note"])
        second = self.start()
        self.assertFalse(second["adopted"])
        self.assertNotEqual(second["pid"], first["pid"])

    def test_a_simulator_is_a_device_whose_runner_is_started_when_it_is_needed(self):
        first = self.run_agent("snapshot", "--device", "bridge:" + PHONE.lower())
        self.assertEqual(first.code, 0, first)
        self.assertIn("com.example.stand-in 393x852", first.out)
        self.assertEqual(len(self.started()), 1)
        again = self.run_agent("snapshot", "--device", "bridge:" + PHONE)
        self.assertEqual(again.code, 0, again)
        self.assertEqual(len(self.started()), 1)
        os.kill(self.started()[0]["pid"], signal.SIGKILL)
        self.wait_until(lambda: not self.lives(self.started()[0]["pid"]))
        third = self.run_agent("snapshot", "--device", "bridge:" + PHONE)
        self.assertEqual(third.code, 0, third)
        self.assertEqual(len(self.started()), 2)

    def test_ctrl_c_ends_a_run_that_waits_for_a_runner_to_start(self):
        self.setup(faults=["hang", "hang"])
        run = self.start_agent("run", ADA, "--device", "bridge:" + PHONE)
        self.wait_until(lambda: self.started() or run.poll() is not None)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=TIMEOUT_S)
        self.assertEqual(run.returncode, 7, (out, err))
        self.assertEqual(len(self.started()), 1)

    def test_a_runner_that_dies_in_a_request_is_started_again_and_asked_again(self):
        self.setup(faults=["gasp"])
        result = self.run_agent("snapshot", "--device", "bridge:" + PHONE)
        self.assertEqual(result.code, 0, result)
        self.assertIn("com.example.stand-in", result.out)
        self.assertEqual(len(self.started()), 2)

    def test_a_simulator_that_is_shut_down_is_told_from_a_runner_that_ended(self):
        for udid, code in ((PRO, "NO_DEVICE"), (str(uuid.uuid4()), "NO_DEVICE")):
            result = self.run_agent("snapshot", "--json", "--device", "bridge:" + udid)
            self.assertEqual(result.code, 3, result)
            error = result.envelope()["error"]
            self.assertEqual(error["code"], code, error)
            self.assertIn("simulator", error["message"])
            self.assertIn("ios-agent boot", error["hint"])
        self.assertEqual(self.started(), [])

    def test_a_pid_that_is_somebody_elses_now_is_not_the_runner_and_is_left_alone(self):
        first = self.start()
        os.kill(first["pid"], signal.SIGKILL)
        self.wait_until(lambda: not self.lives(first["pid"]))
        bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        self.addCleanup(bystander.communicate)
        self.addCleanup(bystander.kill)
        state = self.state_of()
        state["pid"] = bystander.pid
        path = self.bridge("runners", PHONE + ".json")
        path.write_text(json.dumps(state))
        self.assertEqual(self.status()[0]["health"], "dead")
        self.done("bridge", "stop")
        self.assertIsNone(bystander.poll())

    def test_a_runner_of_another_build_is_replaced(self):
        first = self.start()
        self.setup(xcode="26.3")
        second = self.start()
        self.assertFalse(second["adopted"])
        self.assertFalse(self.lives(first["pid"]))
        self.assertNotEqual(first["build"], second["build"])

    def test_a_runner_that_does_not_say_the_build_of_its_state_file_is_replaced(self):
        first = self.start()
        state = self.state_of()
        newer, _ = self.done("bridge", "build")
        self.assertEqual(state["key"], newer["key"])
        self.setup(xcode="26.3")
        state["key"] = self.done("bridge", "build")[0]["key"]
        self.bridge("runners", PHONE + ".json").write_text(json.dumps(state))
        (old,) = self.status()
        self.assertEqual(old["health"], "old")
        second = self.start()
        self.assertNotEqual(second["pid"], first["pid"])

    def test_a_runner_of_another_device_is_not_taken(self):
        self.setup(answers_as=PRO)
        code, error = self.failed("bridge", "start", "--sim", "iPhone 17")
        self.assertEqual((code, error["code"]), (3, "DEVICE"))
        self.assertIn(PRO, error["message"])
        self.assertEqual([self.lives(r["pid"]) for r in self.started()], [False, False])
        self.assertEqual(self.status(), [])

    def test_other_options_replace_the_runner(self):
        self.start()
        r = self.start(env={"IOS_AGENT_RUNNER_SKIP_QUIESCENCE": "true"})
        self.assertFalse(r["adopted"])
        self.assertIn("quiescence=skip", self.done("bridge", "logs")[1])

    def test_a_damaged_or_readable_state_file_counts_for_nothing(self):
        for damage in (lambda p: p.write_text("{"), lambda p: p.chmod(0o644)):
            self.start()
            path = self.bridge("runners", PHONE + ".json")
            damage(path)
            self.assertEqual(self.status()[0]["health"], "dead")
            self.assertFalse(self.start()["adopted"])
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            self.done("bridge", "stop")

    def test_a_start_that_is_killed_is_carried_on_by_the_next(self):
        for at in ("runner.start.before", "runner.start.launched"):
            killed = self.run_agent("bridge", "start", "--sim", "iPhone 17", env={"IOS_AGENT_KILL_AT": at})
            self.assertEqual(killed.code, -signal.SIGKILL, killed)
            self.start()
            living = [r for r in self.started() if self.lives(r["pid"])]
            self.assertEqual(len(living), 1, at)
            self.done("bridge", "stop")
            self.wait_until(lambda: not any(self.lives(r["pid"]) for r in self.started()))

    def test_two_starts_at_once_give_one_runner(self):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            many = list(pool.map(lambda _: self.start(), range(3)))
        self.assertEqual(len({r["pid"] for r in many}), 1)
        self.assertEqual(len(self.started()), 1)

    def test_a_simulator_that_is_shut_down_is_to_be_booted(self):
        code, error = self.failed("bridge", "start", "--sim", "iPhone 17 Pro")
        self.assertEqual((code, error["code"]), (2, "STATE"))
        self.assertIn("ios-agent boot", error["hint"])
        self.assertEqual(self.started(), [])


class Fallback(Built):
    """xcodebuild, where simctl launch does not do."""

    def setup(self, **more):
        answers = more.pop("answers", [])
        super().setup(answers=[{"match": ["launch"], "row": "launch|openurl denied"}, *answers], **more)

    def start(self, *args):
        return self.done("bridge", "start", *(args or ("--sim", "iPhone 17")))[0]

    def test_it_hands_port_and_token_on_and_waits_for_hello(self):
        r = self.start()
        self.assertEqual((r["udid"], r["started_by"], r["adopted"]), (PHONE, "xcodebuild", False))
        self.assertIn("by simctl: simctl launch:", r["note"])
        self.calls()
        call = next(c for c in self.logged if c["argv"][0] == "test-without-building")
        self.assertEqual(call["env"]["TEST_RUNNER_BRIDGE_PORT"], str(r["port"]))
        self.assertEqual(call["env"]["TEST_RUNNER_BRIDGE_TOKEN"], self.state_of()["token"])
        self.assertNotIn(self.state_of()["token"], json.dumps([c["argv"] for c in self.logged]))
        (live,) = self.done("bridge", "status")[0]["runners"]
        self.assertEqual(live["health"], "live")
        self.assertTrue(self.start()["adopted"])

    def test_the_build_of_recipe_b_starts_as_well(self):
        agents = self.platform_path() / "Developer/Library/Xcode/Agents"
        agents.rename(agents.with_name("Moved"))
        self.assertEqual(self.done("bridge", "build", "--force")[0]["recipe"], "B")
        self.assertEqual(self.start()["started_by"], "xcodebuild")

    def test_a_port_that_is_lost_between_the_look_and_the_launch_is_followed_by_the_next(self):
        self.setup(faults=["taken"])
        self.assertEqual(self.start()["started_by"], "xcodebuild")
        self.assertEqual(len(self.started()), 2)

    def test_a_killed_xcodebuild_leaves_a_runner_that_still_answers(self):
        first = self.start()
        os.kill(first["pid"], signal.SIGKILL)
        self.wait_until(lambda: not self.lives(first["pid"]))
        self.assertTrue(self.start()["adopted"])
        self.done("bridge", "stop")
        self.wait_until(lambda: not any(self.lives(r["pid"]) for r in self.started()))

    def test_a_start_that_is_killed_is_carried_on_by_the_next(self):
        killed = self.run_agent("bridge", "start", "--sim", "iPhone 17",
                                env={"IOS_AGENT_KILL_AT": "runner.start.launched:2"})
        self.assertEqual(killed.code, -signal.SIGKILL, killed)
        self.start()
        self.assertEqual(len([r for r in self.started() if self.lives(r["pid"])]), 1)


class Failures(Built):
    """Each known way not to start, with its own code and mend."""

    SHORT = {"IOS_AGENT_RUNNER_START_S": "1"}

    def start_fails(self, env=None, **setup):
        self.setup(**setup)
        code, error = self.failed("bridge", "start", "--sim", "iPhone 17", env=env)
        self.assertFalse(self.bridge("runners", PHONE + ".json").exists())
        return code, error

    def test_a_runner_that_dies_is_named_with_its_last_words(self):
        code, error = self.start_fails(faults=["die", "die"])
        self.assertEqual((code, error["code"]), (3, "DEVICE"))
        self.assertIn("Library not loaded: @rpath/XCTest.framework", error["message"])
        self.assertIn("bridge build --force", error["hint"])

    def test_a_test_host_that_crashes_under_xcodebuild_is_told_as_a_crash(self):
        code, error = self.start_fails(faults=["crash", "crash"])
        self.assertEqual((code, error["code"]), (3, "DEVICE"))
        self.assertIn("crashed with signal 9", error["message"])
        self.assertIn("DiagnosticReports", error["hint"])

    def test_when_the_first_way_fails_the_second_is_taken(self):
        for fault in ("die", "crash", "hang", "mute"):
            self.setup(faults=[fault])
            pathlib.Path(self.world, "state.json").unlink(missing_ok=True)
            result = self.run_agent("bridge", "start", "--sim", "iPhone 17", "--json",
                                    env=None if fault in ("die", "crash") else {"IOS_AGENT_RUNNER_START_S": "2"})
            self.assertEqual(result.code, 0, (fault, result))
            self.assertEqual(result.envelope()["result"]["started_by"], "xcodebuild", fault)
            living = [r for r in self.started() if self.lives(r["pid"])]
            self.assertEqual(len(living), 1, fault)
            self.done("bridge", "stop")

    def test_one_that_hangs_is_ended_and_told_with_what_it_wrote(self):
        code, error = self.start_fails(env=self.SHORT, faults=["hang", "hang"])
        self.assertEqual((code, error["code"]), (4, "TIMEOUT"))
        self.assertIn("did not answer within 1 s", error["message"])
        self.assertIn("Test Suite 'All tests' started", error["message"])
        self.assertEqual([self.lives(r["pid"]) for r in self.started()], [False, False])

    def test_the_commands_own_time_leaves_the_start_to_the_next_command(self):
        self.done("bridge", "build")
        self.setup(faults=["hang"])
        code, error = self.failed("bridge", "start", "--sim", "iPhone 17", "--timeout", "3")
        self.assertEqual((code, error["code"]), (4, "TIMEOUT"))
        self.assertIn("goes on starting", error["hint"])
        (r,) = self.done("bridge", "status")[0]["runners"]
        self.assertEqual((r["health"], r["note"]), ("silent", "it is starting"))
        self.assertTrue(self.lives(self.started()[0]["pid"]))

    def test_time_that_ends_in_a_tool_is_no_reason_for_the_second_way(self):
        self.setup(answers=[{"match": ["install"], "hang": True}])
        code, error = self.failed("bridge", "start", "--sim", "iPhone 17", "--timeout", "3")
        self.assertEqual((code, error["code"]), (4, "TIMEOUT"), error)
        if self.bridge("runners", PHONE + ".json").exists():
            self.assertEqual(self.state_of()["way"], "simctl")
            (r,) = self.done("bridge", "status")[0]["runners"]
            self.assertEqual((r["health"], r["note"]), ("dead", "its start was cut off"))
        self.setup()
        result, _ = self.done("bridge", "start", "--sim", "iPhone 17")
        self.assertEqual((result["started_by"], result["adopted"]), ("simctl", False))

    def test_whoever_else_listens_there_is_named(self):
        code, error = self.start_fails(faults=["stranger"] * 9)
        self.assertEqual((code, error["code"]), (3, "BUSY"))
        self.assertIn("wants another token", error["message"])
        self.assertFalse(any(self.lives(r["pid"]) for r in self.started()))

    def test_old_simulators_are_started_by_xcodebuild_at_once(self):
        result, _ = self.done("bridge", "start", "--sim", "iPhone 15")
        self.assertEqual(result["started_by"], "xcodebuild")
        self.assertIn("iOS 16", result["note"])
        self.assertNotIn("launch", [c[0] for c in self.calls()])

    def test_what_xcodebuild_says_has_a_code_and_a_mend(self):
        rows = [json.loads(l) for l in
                pathlib.Path(SOURCE, "tests/data/xcodebuild/errors.jsonl").read_text().splitlines()]
        for row in [r for r in rows if r["tool"] == "test-without-building"]:
            pathlib.Path(self.world, "state.json").unlink(missing_ok=True)
            self.setup(answers=[{"match": ["launch"], "row": "launch|openurl denied"},
                                {"match": ["test-without-building"], "exit": row["exit"],
                                 "stdout": row.get("stdout", ""), "stderr": row.get("stderr", "")}])
            code, error = self.failed("bridge", "start", "--sim", "iPhone 17")
            self.assertEqual(error["code"], row["code"], (row, error))
            self.assertIn(row["hint"], error["hint"], (row, error))

    def test_what_the_tools_of_a_build_say_has_a_code_and_a_mend(self):
        for match, stderr, code, hint in (
            (["--force"], "X.framework: resource fork, Finder information, or similar detritus not allowed\n", "DEVICE", "xattr -cr"),
            (["--force"], "X.framework: errSecInternalComponent\n", "DEVICE", "unlock-keychain"),
            (["-target"], "ld: framework 'XCTest' not found\nclang: error: linker command failed with exit code 1\n", "CHILD_FAILED", "xcode-select -s"),
        ):
            self.setup(answers=[{"match": match, "exit": 1, "stderr": stderr},
                                {"match": ["build-for-testing"], "exit": 65, "stderr": stderr}])
            _, error = self.failed("bridge", "build", "--force")
            self.assertEqual(error["code"], code, error)
            self.assertIn(hint, error["hint"])


class Doctor(Built):
    def rows(self):
        result = self.run_agent("doctor", "--json")
        return {r["name"]: (r["status"], r["detail"]) for r in result.envelope()["result"]["checks"]}

    def test_runner_and_ports_have_rows(self):
        rows = self.rows()
        self.assertEqual(rows["runner"][0], "ok")
        self.assertIn("built for Xcode 26.2 (17C52)", rows["runner"][1])
        self.assertEqual(rows["ports"][0], "ok")
        self.assertIn("no runner was started", rows["ports"][1])
        r, _ = self.done("bridge", "start", "--sim", "iPhone 17")
        self.assertIn(f"iPhone 17: live on port {r['port']}", self.rows()["ports"][1])
        os.kill(r["pid"], signal.SIGKILL)
        self.wait_until(lambda: not self.lives(r["pid"]))
        status, detail = self.rows()["ports"]
        self.assertEqual(status, "warn")
        self.assertIn("bridge stop", detail)
        shutil.rmtree(self.bridge("builds"))
        self.assertIn("is not built", self.rows()["runner"][1])


class Stop(Built):
    def start(self, **setup):
        self.setup(**setup)
        return self.done("bridge", "start", "--sim", "iPhone 17")[0]

    def test_it_ends_when_asked_on_the_wire_without_any_tool(self):
        r = self.start()
        self.tools()
        result, text = self.done("bridge", "stop")
        self.assertEqual(result["runners"], [{"udid": PHONE, "stopped": True}])
        self.assertIn("the runner is stopped", text)
        self.assertEqual(self.tools(), [])
        self.assertFalse(self.lives(r["pid"]))
        self.assertEqual(self.done("bridge", "status")[0]["runners"], [])

    def test_one_that_does_not_listen_to_it_is_terminated_and_at_last_killed(self):
        for fault in ("deaf", "stubborn"):
            r = self.start(faults=[fault])
            pathlib.Path(self.world, "state.json").unlink()
            self.done("bridge", "stop", "--sim", "iPhone 17")
            self.assertFalse(self.lives(r["pid"]), fault)
            self.assertIn("terminate", [c[0] for c in self.calls()])

    def test_a_runner_whose_state_file_is_damaged_is_stopped_all_the_same(self):
        r = self.start()
        self.bridge("runners", PHONE + ".json").write_text("{")
        result, _ = self.done("bridge", "stop", "--sim", PHONE)
        self.assertEqual(result["runners"], [{"udid": PHONE, "stopped": True}])
        self.wait_until(lambda: not self.lives(r["pid"]))
        self.assertFalse(self.bridge("runners", PHONE + ".json").exists())

    def test_stopping_what_does_not_run_is_done_already(self):
        code, error = self.failed("bridge", "stop")
        self.assertEqual((code, error["code"]), (2, "NOT_FOUND"))
        result, text = self.done("bridge", "stop", "--sim", "iPhone 17")
        self.assertEqual(result["runners"], [{"udid": PHONE, "stopped": False}])
        self.assertEqual(self.done("bridge", "stop", "--all")[0]["runners"], [])

    def test_of_several_one_has_to_be_named_or_all(self):
        self.start()
        self.done("bridge", "start", "--sim", "iPhone 15")
        code, error = self.failed("bridge", "stop")
        self.assertEqual((code, error["code"]), (2, "AMBIGUOUS"))
        self.done("bridge", "stop", "iPhone 15")
        self.assertEqual([r["name"] for r in self.done("bridge", "status")[0]["runners"]], ["iPhone 17"])
        self.assertEqual(len(self.done("bridge", "stop", "--all")[0]["runners"]), 1)

    def test_an_xcodebuild_runner_takes_xcodebuild_with_it(self):
        r = self.done("bridge", "start", "--sim", "iPhone 15")[0]
        self.done("bridge", "stop")
        self.assertFalse(self.lives(r["pid"]))
        self.assertFalse(any(self.lives(x["pid"]) for x in self.started()))

    def test_logs_are_the_last_lines_of_what_it_wrote(self):
        self.start()
        result, text = self.done("bridge", "logs")
        self.assertIn("BRIDGE_READY port=", text)
        self.assertEqual(result["udid"], PHONE)
        self.done("bridge", "stop")
        self.assertIn("BRIDGE_READY", self.done("bridge", "logs", "--sim", PHONE)[1])


if __name__ == "__main__":
    unittest.main()
