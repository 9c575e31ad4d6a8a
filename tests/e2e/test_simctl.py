"""Simulators from the command line, against a stand-in for xcrun (tests/fake) that refuses every
argv that the real simctl would not be called with."""
import http.server
import json
import os
import pathlib
import signal
import subprocess
import threading
import unittest

from harness import Case, Terminal
from xcode_case import DEVICES, FAKE, GONE, OLD, PHONE, PRO, WithXcode

TYPE = "com.apple.CoreSimulator.SimDeviceType"
RUNTIME = "com.apple.CoreSimulator.SimRuntime"


class Devices(WithXcode):
    def test_simulators_and_phones_are_listed_booted_ones_first(self):
        result, text = self.done("devices")
        names = [(s["name"], s["runtime"], s["state"]) for s in result["simulators"]]
        self.assertEqual(names[0], ("iPhone 17", "iOS 26.2", "Booted"))
        self.assertEqual(names[1], ("iPhone 17 Pro", "iOS 26.2", "Shutdown"))
        self.assertEqual(names[2], ("iPhone 17 Pro", "iOS 26.0", "Shutdown"))
        self.assertNotIn("iPhone 14", [n[0] for n in names])
        self.assertEqual(result["embedded"], ["embedded:default"])
        self.assertIsNone(result["problem"])
        self.assertIn(PHONE, text)
        self.assertIn("(--all)", text)
        self.assertEqual(self.calls(), [["list", "-j"]])

    def test_list_sims_is_the_same_and_all_shows_what_is_unavailable_too(self):
        result, _ = self.done("list-sims", "--all")
        gone = next(s for s in result["simulators"] if s["udid"] == GONE)
        self.assertFalse(gone["available"])
        self.assertIn("runtime profile", gone["problem"])

    def test_phones_that_were_used_are_listed(self):
        done = self.run_agent("run", "open Contacts", "--device", "embedded:qa")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.done("devices")[0]["embedded"], ["embedded:default", "embedded:qa"])

    def test_real_lists_of_other_xcodes_are_shown(self):
        for name in ("go-xcode_DeviceList.json", "node-simctl_devices-simple.json"):
            self.setup(list=name, devices=[])
            pathlib.Path(self.world, "state.json").unlink(missing_ok=True)
            result, _ = self.done("devices", "--all")
            self.assertGreater(len(result["simulators"]), 15)

    def test_a_list_that_fails_is_a_failure_that_still_shows_the_phones(self):
        self.setup(answers=[{"match": ["list"], "exit": 70, "stderr": "Service is gone.\n"}])
        envelope = self.check_error(["devices"], 3, "DEVICE", "Service is gone.", "embedded:default")
        self.assertEqual(envelope["result"]["problem"]["code"], "DEVICE")


class Life(WithXcode):
    def test_boot_waits_until_ready_and_booted_is_fine(self):
        result, text = self.done("boot", "iPhone 17 Pro, iOS 26.2")
        self.assertEqual(result["simulator"]["udid"], PRO)
        self.assertFalse(result["already"])
        self.assertEqual(self.calls(), [["list", "-j"], ["boot", PRO], ["bootstatus", PRO, "-b"]])
        result, text = self.done("boot", "--sim", "iphone 17 pro")  # the booted one is meant
        self.assertTrue(result["already"])
        self.assertIn("already", text)
        self.assertEqual(self.calls(), [["list", "-j"], ["bootstatus", PRO, "-b"]])

    def test_an_ambiguous_name_lists_the_candidates(self):
        envelope = self.check_error(["boot", "iPhone 17 Pro"], 2, "AMBIGUOUS", PRO, OLD, "iOS 26.0",
                                    "--runtime")
        self.assertEqual([c["udid"] for c in envelope["result"]["candidates"]], [PRO, OLD])
        self.assertEqual(self.calls(), [["list", "-j"]] * 2)
        self.assertEqual(self.done("boot", "iPhone 17 Pro", "--runtime", "26.0")[0]["simulator"]["udid"], OLD)
        self.assertEqual(self.done("shutdown", OLD)[0]["already"], False)

    def test_names_that_cannot_be_used_say_why(self):
        self.check_error(["boot", "iPhone 71"], 3, "NO_DEVICE", "did you mean", "iPhone 17")
        self.check_error(["boot", "iPhone 14"], 3, "NO_DEVICE", "not available", "downloadPlatform")
        self.check_error(["boot", "iPhone 17, iOS 12"], 3, "NO_DEVICE", "none with iOS 12")
        self.check_error(["boot", "iPhone 17", "--sim", "iPhone 17"], 2, "USAGE", "twice")

    def test_shutdown_without_a_name_means_the_one_that_is_booted(self):
        result, _ = self.done("shutdown")
        self.assertEqual(result["simulator"]["udid"], PHONE)
        self.assertEqual(self.calls(), [["list", "-j"], ["shutdown", PHONE]])
        self.check_error(["shutdown"], 3, "NO_DEVICE", "none is booted", "ios-agent boot")
        self.assertTrue(self.done("shutdown", PHONE)[0]["already"])

    def test_reset_erases_what_is_named_and_boots_it_again_when_it_ran(self):
        self.check_error(["reset-sim"], 2, "USAGE", "which one")
        self.assertEqual(self.calls(), [])
        self.done("reset-sim", "iPhone 17")
        self.assertEqual(self.calls(), [["list", "-j"], ["shutdown", PHONE], ["erase", PHONE],
                                        ["boot", PHONE], ["bootstatus", PHONE, "-b"]])
        result, _ = self.done("reset-sim", OLD)
        self.assertEqual(result["simulator"]["state"], "Shutdown")
        self.assertEqual(self.calls(), [["list", "-j"], ["erase", OLD]])

    def test_reset_wants_the_whole_name(self):
        for name in ("iPhone 17 P", "iphone 17 pro m"):
            self.setup(devices=[{**DEVICES[1], "name": "iPhone 17 Pro Max"}])
            pathlib.Path(self.world, "state.json").unlink(missing_ok=True)
            self.check_error(["reset-sim", name, "--runtime", "26.2"], 2, "USAGE", "iPhone 17 Pro Max", PRO)
            self.assertEqual(self.calls(), [["list", "-j"]] * 2)
        for name in ("iphone 17 pro max", "iPhone 17 Pro Max, iOS 26.2", PRO.lower()):
            self.assertEqual(self.done("reset-sim", name)[0]["simulator"]["udid"], PRO)
            self.assertEqual(self.calls(), [["list", "-j"], ["erase", PRO]])

    def test_simulators_are_created_cloned_and_deleted(self):
        made, text = self.done("sim", "create", "iphone 15", "--name", "QA phone", "--runtime", "17")
        new = made["simulator"]
        self.assertEqual((new["name"], new["runtime"], new["state"]), ("QA phone", "iOS 17.5", "Shutdown"))
        self.assertTrue(made["created"])
        self.assertIn(f"QA phone, iOS 17.5 was created ({new['udid']})", text)
        self.assertEqual(self.calls()[-1], ["create", "QA phone", f"{TYPE}.iPhone-15", f"{RUNTIME}.iOS-17-5"])
        copy = self.done("sim", "clone", "QA phone", "QA copy")[0]["simulator"]
        self.assertEqual(self.calls()[-1], ["clone", new["udid"], "QA copy"])
        self.assertNotEqual(copy["udid"], new["udid"])
        names = [s["name"] for s in self.done("devices")[0]["simulators"]]
        self.assertIn("QA copy", names)
        for given, code in (("QA", "AMBIGUOUS"), ("QA cop", "USAGE"), ("booted", "USAGE")):
            self.check_error(["sim", "delete", given], 2, code, "whole name")
            self.assertNotIn("delete", [c[0] for c in self.calls()])
        self.assertTrue(self.done("sim", "delete", "QA copy")[0]["deleted"])
        self.assertEqual(self.calls()[-1], ["delete", copy["udid"]])
        self.assertNotIn("QA copy", [s["name"] for s in self.done("devices")[0]["simulators"]])

    def test_a_created_simulator_is_booted_when_asked(self):
        new = self.done("sim", "create", "iPhone 15", "--boot")[0]["simulator"]
        self.assertEqual((new["name"], new["state"]), ("iPhone 15", "Booted"))

    def test_what_cannot_be_made_is_refused_with_candidates(self):
        self.check_error(["sim", "create", "iPhone 51"], 2, "NOT_FOUND", "did you mean")
        self.check_error(["sim", "create", "iPhone"], 2, "AMBIGUOUS", "iPhone 15")
        self.check_error(["sim", "create", "iPhone 15", "--runtime", "3"], 3, "MISSING_DEPENDENCY", "iOS 17.5")
        self.check_error(["sim", "create", "iPhone 7", "--runtime", "17.5"], 3, "UNSUPPORTED", "does not run")
        self.check_error(["sim", "clone", "iPhone 17", "copy"], 2, "STATE", f"shutdown {PHONE}")
        self.check_error(["sim", "clone", PRO, "-copy"], 2, "USAGE", "-copy")

    def test_a_boot_that_fails_says_what_to_do(self):
        self.setup(answers=[{"match": ["boot"], "row": "boot (launchd_sim dead)"}])
        self.check_error(["boot", PRO], 3, "DEVICE_LOST", "Unable to boot", "shutdown all")

    def test_a_boot_that_hangs_ends_at_its_timeout_and_by_ctrl_c(self):
        self.setup(answers=[{"match": ["bootstatus"], "hang": True}])
        self.check_error(["boot", PRO, "--timeout", "1"], 4, "TIMEOUT", "bootstatus")
        self.calls()
        process = self.start_agent("boot", OLD)
        log = pathlib.Path(self.world, "log.jsonl")
        while not (log.exists() and "bootstatus" in log.read_text()):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 7, err)


class OnATerminal(WithXcode):
    def test_a_boot_says_what_is_waited_for(self):
        self.setup(answers=[{"match": ["bootstatus"], "hang": True}])
        terminal = Terminal(self, "boot", PRO)
        terminal.read_until("booting iPhone 17 Pro, iOS 26.2")
        terminal.type("\x03")
        self.assertEqual(terminal.finish(), 7)

    def test_a_boot_leaves_one_line(self):
        terminal = Terminal(self, "boot", "iPhone 17 Pro, iOS 26.2")
        self.assertEqual(terminal.finish(), 0)
        self.assertTrue(terminal.seen.endswith(f"iPhone 17 Pro, iOS 26.2 is booted ({PRO})\r\n"), terminal.seen)


class Apps(WithXcode):
    def test_install_launch_terminate_uninstall(self):
        app = self.app()
        self.done("install", "./Shop.app", "--sim", "iPhone 17")
        self.assertEqual(self.calls(), [["list", "-j"], ["install", PHONE, app]])
        result, text = self.done("launch", "com.example.shop", "--sim", "iPhone 17",
                                 "--env", "STAGE=test", "--env", "EMPTY=")
        self.assertGreater(result["pid"], 0)
        self.assertIn(f"process {result['pid']}", text)
        self.assertEqual(self.calls(), [["list", "-j"], ["launch", PHONE, "com.example.shop"],
                                        ["spawn", PHONE, "launchctl", "list"]])
        self.assertEqual(self.logged[1]["env"], {"SIMCTL_CHILD_STAGE": "test", "SIMCTL_CHILD_EMPTY": ""})
        self.assertFalse(self.done("terminate", "com.example.shop")[0]["already"])
        result, text = self.done("terminate", "com.example.shop")
        self.assertTrue(result["already"])
        self.assertIn("was not running", text)
        self.done("uninstall", "com.example.shop")
        self.check_error(["launch", "com.example.shop"], 3, "NO_APP", "ios-agent install")

    def test_arguments_of_the_app_stand_behind_the_dashes(self):
        done = self.run_agent("launch", "com.apple.Preferences", "--relaunch", "--", "-a", "b c", "--json")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.calls()[1], ["launch", "--terminate-running-process", PHONE,
                                           "com.apple.Preferences", "-a", "b c", "--json"])

    def test_an_app_that_ends_at_once_is_a_failure(self):
        self.app()
        self.setup(crashing=["com.example.shop"])
        self.done("install", "Shop.app")
        envelope = self.check_error(["launch", "com.example.shop"], 1, "FAILED", "already ended",
                                    "DiagnosticReports")
        self.assertEqual(envelope["error"]["outcome"], "sent")

    def test_apps_that_cannot_be_installed_say_why(self):
        self.check_error(["install", "no/such.app"], 2, "NOT_FOUND", "no/such.app")
        os.mkdir(os.path.join(self.folder, "Empty.app"))
        self.check_error(["install", "Empty.app"], 2, "NOT_FOUND", ".app")
        self.app(CFBundleSupportedPlatforms=["iPhoneOS"])
        self.check_error(["install", "Shop.app"], 3, "UNSUPPORTED", "iphonesimulator")
        self.check_error(["launch", "com.example.shop", "--sim", PRO], 2, "STATE", "Shutdown", "ios-agent boot")

    def test_urls_go_to_the_app_that_takes_them(self):
        self.app(CFBundleURLTypes=[{"CFBundleURLSchemes": ["shop"]}])
        self.check_error(["open-url", "shop://cart"], 3, "NO_APP", "CFBundleURLTypes")
        self.done("install", "Shop.app")
        self.calls()
        self.done("open-url", "shop://cart")
        self.assertEqual(self.calls(), [["list", "-j"], ["openurl", PHONE, "shop://cart"]])
        self.check_error(["open-url", "shop"], 2, "USAGE", "scheme")

    def test_a_phone_of_this_program_takes_them_too(self):
        phone = ("--device", "embedded:qa")
        self.done("launch", "com.apple.MobileAddressBook", *phone)
        self.assertEqual(self.state(*phone)["foreground"], "com.apple.MobileAddressBook")
        self.done("terminate", "com.apple.MobileAddressBook", *phone)
        self.assertNotIn("com.apple.MobileAddressBook", self.state(*phone)["running"])
        self.check_error(["launch", "com.example.nope", *phone], 3, "NO_APP")
        self.check_error(["launch", "com.apple.Preferences", *phone, "--env", "A=b"], 3, "UNSUPPORTED")
        self.check_error(["launch", "com.apple.Preferences", *phone, "--sim", "x"], 2, "USAGE", "cannot be used together")
        self.done("reset-sim", *phone)
        self.assertEqual(self.log(*phone), [])
        self.assertEqual(self.calls(), [])


class Doctor(WithXcode):
    def checks(self, code=0):
        result = self.run_agent("doctor", "--json")
        self.assertEqual(result.code, code, result)
        return {c["name"]: c for c in result.envelope()["result"]["checks"]}

    def test_xcode_runtimes_and_simulators_are_told(self):
        checks = self.checks()
        self.assertEqual(checks["xcode"]["detail"], "26.2, build 17C52")
        self.assertIn("iOS 26.2 (23C54)", checks["runtimes"]["detail"])
        self.assertIn("booted: iPhone 17, iOS 26.2", checks["simulators"]["detail"])
        self.assertEqual(sum(c == ["list", "-j"] for c in self.calls()), 1)

    def test_what_is_not_there_is_no_failure_and_has_its_mend(self):
        self.setup(xcode=None)
        checks = self.checks()
        self.assertIn("install Xcode", checks["xcode"]["detail"])
        self.setup(list="node-simctl_devices-simple.json", devices=[])
        pathlib.Path(self.world, "state.json").unlink()
        checks = self.checks()
        self.assertEqual(checks["runtimes"]["status"], "warn")
        self.assertIn("-downloadPlatform iOS", checks["runtimes"]["detail"])

    def test_an_image_that_cannot_be_used_is_a_warning_with_its_mend(self):
        image = {"runtimeIdentifier": "com.apple.CoreSimulator.SimRuntime.iOS-17-5", "version": "17.5",
                 "build": "21F79", "state": "Unusable"}
        self.setup(images={"2A6068A0": image})
        row = self.checks()["runtimes"]
        self.assertEqual(row["status"], "warn")
        self.assertIn("iOS 17.5 (21F79) is Unusable", row["detail"])
        self.assertIn("runtime delete 2A6068A0", row["detail"])
        # A simctl without that verb has nothing to say about it.
        self.setup(answers=[{"match": ["runtime"], "row": "<unknown subcommand>"}])
        self.assertEqual(self.checks()["runtimes"]["status"], "ok")

    def test_versions_that_do_not_go_together_are_a_warning(self):
        row = self.checks()["versions"]
        self.assertEqual((row["status"], row["detail"]), ("ok", "nothing is known against these versions"))
        self.setup(xcode="16.4")
        row = self.checks()["versions"]
        self.assertEqual(row["status"], "warn")
        self.assertIn("an Xcode before 26 cannot use simulators of iOS 26: choose another by xcode-select", row["detail"])
        self.setup(xcode=None)
        self.assertEqual(self.checks()["versions"]["detail"], "no Xcode and no WebDriverAgent, so nothing to compare")

    def test_a_webdriveragent_that_is_too_old_is_a_warning(self):
        status = {"value": {"ready": True, "state": "success", "os": {"name": "iOS", "version": "27.0"},
                            "build": {"version": "9.2.1", "productBundleIdentifier": "com.facebook.WebDriverAgentRunner"}},
                  "sessionId": None}

        class Old(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = json.dumps(status).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Old)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        result = self.run_agent("doctor", "--json",
                                env={"IOS_AGENT_RUN_DEVICE": f"wda:http://127.0.0.1:{server.server_port}"})
        self.assertEqual(result.code, 0, result)
        checks = {c["name"]: c for c in result.envelope()["result"]["checks"]}
        self.assertIn("WebDriverAgent 9.2.1", checks["device"]["detail"])
        self.assertEqual(checks["versions"]["status"], "warn")
        for words in ("before 9.3 it does not tell the size of the window: update it",
                      "iOS 27 needs WebDriverAgent 14 or newer", "Xcode 26 builds WebDriverAgent 9.14.1 or newer"):
            self.assertIn(words, checks["versions"]["detail"])

    def test_what_is_there_and_broken_is_a_failure(self):
        self.setup(answers=[{"match": ["list"], "exit": 70, "stderr": "Service is gone.\n"}])
        checks = self.checks(3)
        self.assertEqual(checks["simulators"]["status"], "FAIL")
        self.assertIn("Service is gone.", checks["simulators"]["detail"])


class WithoutXcode(Case):
    """This machine, where nothing is called xcrun."""

    def env(self, **more):
        env = super().env(**more)
        empty = os.path.join(self.folder, "bin")
        os.makedirs(empty, exist_ok=True)
        env["PATH"] = empty
        return env

    def test_every_command_says_at_once_what_is_missing_and_what_works(self):
        for args in (["boot", "iPhone 17"], ["shutdown"], ["reset-sim", "x"], ["install", "a.app"],
                     ["sim", "create", "iPhone 17"], ["sim", "clone", "a", "b"], ["sim", "delete", "a"],
                     ["uninstall", "a.b"], ["launch", "a.b", "--sim", "iPhone 17"],
                     ["terminate", "a.b", "--sim", "iPhone 17"],
                     ["open-url", "https://example.com", "--sim", "iPhone 17"]):
            self.check_error(args, 3, "MISSING_DEPENDENCY", "xcrun", "--device embedded")

    def test_without_a_simulator_an_app_is_launched_on_the_simulated_phone(self):
        launched = self.run_agent("launch", "com.apple.Preferences")
        self.assertEqual(launched.code, 0, launched)
        self.assertIn("com.apple.Preferences 393x852", launched.out)
        self.assertEqual(self.run_agent("open-url", "shop://").code, 0)
        self.assertIn("com.example.shop", self.run_agent("snapshot").out)
        self.assertEqual(self.run_agent("terminate", "com.example.shop").code, 0)
        self.assertIn("com.apple.springboard", self.run_agent("snapshot").out)

    def test_devices_still_lists_the_phones_and_doctor_is_content(self):
        result = self.run_agent("devices", "--json")
        self.assertEqual(result.code, 0, result)
        result = result.envelope()["result"]
        self.assertEqual(result["simulators"], [])
        self.assertEqual(result["embedded"], ["embedded:default"])
        self.assertEqual(result["problem"]["code"], "MISSING_DEPENDENCY")
        result = self.run_agent("doctor")
        self.assertEqual(result.code, 0, result)
        self.assertIn("xcrun", result.out)


class TheStandIn(WithXcode):
    """What the other tests rest on: a wrong argv does not go unnoticed."""

    def xcrun(self, *args):
        return subprocess.run([os.path.join(FAKE, "xcrun"), *args], env=self.env(), text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False)

    def test_what_no_rule_knows_fails_loudly(self):
        for args in (["simctl", "boot", "booted"], ["simctl", "boot"], ["simctl", "list"],
                     ["simctl", "boot", PHONE, PHONE], ["simctl", "bootstatus", "-b", PHONE],
                     ["simctl", "install", PHONE, "relative.app"], ["simctl", "fly", PHONE],
                     ["simctl", "status_bar", PHONE, "override"],
                     ["simctl", "status_bar", PHONE, "override", "--time", "1", "--time", "2"],
                     ["simctl", "launch", PHONE, "-w", "a.b"], ["rm", "-rf", "/"], []):
            done = self.xcrun(*args)
            self.assertEqual(done.returncode, 99, args)
            self.assertIn("no rule", done.stderr)
        wrong = pathlib.Path(self.world, "violations.jsonl")
        self.assertEqual(len(wrong.read_text().splitlines()), 12)
        wrong.unlink()

    def test_what_the_real_one_takes_is_taken(self):
        for args in (["simctl", "list", "-j"], ["simctl", "status_bar", PHONE, "override",
                                                 "--operatorName", "", "--time", "9:41"],
                     ["simctl", "launch", "-w", PHONE, "com.apple.Preferences", "--", "-x"],
                     ["--sdk", "iphonesimulator", "--show-sdk-platform-path"], ["xcodebuild", "-version"]):
            done = self.xcrun(*args)
            self.assertEqual(done.returncode, 0, (args, done.stderr))


if __name__ == "__main__":
    unittest.main()
