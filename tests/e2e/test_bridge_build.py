"""`ios-agent bridge build`: the XCTest runner, built from what Xcode brings."""
import concurrent.futures
import json
import os
import pathlib
import plistlib
import shutil
import signal
import subprocess
import unittest

from bridge_case import BUNDLE, Bridge
from harness import PROGRAM, SOURCE, TIMEOUT_S


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
        # Without these iOS ends a process that reads the phone's data.
        for data in ("Calendars", "CalendarsFullAccess", "Reminders", "RemindersFullAccess", "Contacts",
                     "PhotoLibrary", "LocationWhenInUse"):
            self.assertTrue(info[f"NS{data}UsageDescription"])
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
        self.assertIn("is already built", text)

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

    def test_a_recipe_that_is_named_is_the_only_one(self):
        self.assertEqual(self.done("bridge", "build")[0]["recipe"], "A")
        for recipe in "BA":
            result, _ = self.done("bridge", "build", "--recipe", recipe)
            self.assertEqual((result["recipe"], result["fresh"], result["note"]), (recipe, True, None))
            self.assertTrue(os.path.isdir(result["app"]))
            self.assertTrue(os.path.exists(result["xctestrun"]))
            self.assertFalse(self.done("bridge", "build", "--recipe", recipe)[0]["fresh"])
        agents = self.platform_path() / "Developer/Library/Xcode/Agents"
        agents.rename(agents.with_name("Moved"))
        code, error = self.failed("bridge", "build", "--recipe", "A", "--force")
        self.assertEqual(code, 3)
        self.assertIn("the runner could not be built. copying XCTRunner: this Xcode has no", error["message"])
        self.assertNotIn("xcodebuild:", error["message"])
        self.assertNotIn("build-for-testing", self.tools())

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
        self.assertEqual((status.returncode, status.stdout), (0, "no runner has been started\n"))


if __name__ == "__main__":
    unittest.main()
