"""Commands of a device as they are documented, through a real daemon: on a simulator (whose tools and runner
are stand-ins), on the simulated phone, and on a phone behind the bridge's wire."""
import contextlib
import json
import os
import re
import signal
import subprocess
import time
import unittest

import bridge_case
from harness import ADA, PROGRAM, SOURCE, TIMEOUT_S, Case, Terminal, png_size
from test_api import Unix

SIM = bridge_case.PHONE
SPRINGBOARD, SETTINGS, APP = "com.apple.springboard", "com.apple.Preferences", "com.example.App"

# Every example line of the documents that the project began with, as it is written there, and what must be
# so before it. All of them are one story on one simulator.
EXAMPLES = [
    ("", 'ios-agent install ./app.app --sim "iPhone 14"'),
    ("ios-agent snapshot", "ios-agent launch com.example.App"),
    ("", "ios-agent snapshot --json > snap.json"),
    ("", "ios-agent tap --ref @e14"),
    ("ios-agent back", 'ios-agent type --ref @e11 --text "hello@example.com"'),
    ("", "ios-agent screenshot --out out.png"),
]

# The forms of the same documents: what is asked for there, the command that does it, and what it says.
FORMS = [
    ("open", "ios-agent open Settings", "Settings"),
    ("snapshot --json", "ios-agent snapshot --json", '"actions_available"'),
    ("snapshot()", "ios-agent snapshot", "Wi-Fi"),
    ("screen_snapshot(interactive_only?)", "ios-agent snapshot --rows", "|tap|row|Wi-Fi|"),
    ("screenshot", "ios-agent screenshot", "pixels"),
    ("capture_screen()", "ios-agent screenshot --out - | head -c 4", "PNG"),
    ("tap <ref>", "ios-agent tap @e14", "tapped"),
    ("back", "ios-agent back", "went back"),
    ("tap_element(label)", "ios-agent tap Bluetooth", "tapped"),
    ("press_button(Back)", "ios-agent press back", "went back"),
    ('type <ref> "text"', 'ios-agent type @e11 "text"', "text"),
    ("type_text(text)", 'ios-agent type focused " and more"', "text and more"),
    ("clear(@e)", "ios-agent clear @e11", "cleared"),
    ("press_button(Home)", "ios-agent press home", "icon Settings"),
    ("launch(app, args)", "ios-agent launch com.apple.Preferences", "runs on"),
    ("swipe <ref> <direction>", "ios-agent swipe @e17 left", "swiped"),
    ("swipe(direction, element?)", "ios-agent swipe up", "swiped"),
    ("scroll(direction, amount)", "ios-agent swipe down --distance 0.5", "swiped"),
    ("wait_for(@e, timeout)", "ios-agent wait-for @e14 --seconds 5", "it holds"),
    ("watch_screen(condition, timeout)", "ios-agent wait-for text Bluetooth --seconds 5", "it holds"),
    ("read_screen_text()", "ios-agent snapshot --text", "Bluetooth"),
    ("terminate(app)", "ios-agent terminate com.apple.Preferences", "no longer runs"),
    ("list-sims", "ios-agent list-sims", "iPhone 14"),
    ("reset-sim", 'ios-agent reset-sim "iPhone 14"', "iPhone 14"),
]


def children(pid):
    """(pid, state) of each child of that process."""
    listed = subprocess.run(["ps", "-A", "-o", "ppid=,pid=,stat="], capture_output=True, text=True, check=True).stdout
    return [(int(child), state) for parent, child, state in (line.split()[:3] for line in listed.splitlines())
            if int(parent) == pid]


class Commands:
    """Through a daemon of this test's own home, which ends with it."""

    def env(self, **more):
        more.setdefault("IOS_AGENT_NO_DAEMON", None)
        return super().env(**more)

    def tearDown(self):
        stopped = self.run_agent("daemon", "stop")
        end = time.monotonic() + TIMEOUT_S
        while self.daemon_pid():  # it gives its place back a moment before it is gone
            self.assertLess(time.monotonic(), end, ("the daemon goes on after it was stopped", stopped))
            time.sleep(0.01)
        super().tearDown()

    def daemon_pid(self):
        """Of the daemon that lives, or None."""
        with contextlib.suppress(FileNotFoundError, ValueError):
            with open(os.path.join(self.home, "daemon.lock"), encoding="utf-8") as f:
                pid = int(re.search(r"^pid (\d+)", f.read(), re.M).group(1))
            return pid if bridge_case.Bridge.lives(pid) else None
        return None

    def ok(self, *args, **more):
        result = self.run_agent(*args, **more)
        self.assertEqual(result.code, 0, (args, result))
        return result.out

    def refused(self, code, *args, **more):
        """The error of a command that is refused with that name."""
        result = self.run_agent(*args, "--json", **more)
        self.assertNotEqual(result.code, 0, (args, result))
        error = result.envelope()["error"]
        self.assertEqual(error["code"], code, error)
        return error

    def shell(self, line):
        """The line as a person types it."""
        tools = os.path.join(self.folder, "bin")
        if not os.path.isdir(tools):
            os.mkdir(tools)
            os.symlink(PROGRAM, os.path.join(tools, "ios-agent"))
        env = self.env()
        done = subprocess.run(["/bin/sh", "-c", line], cwd=self.folder, env={**env, "PATH": tools + ":" + env["PATH"]},
                              capture_output=True, timeout=TIMEOUT_S, check=False)
        out, err = (t.decode("utf-8", "replace") for t in (done.stdout, done.stderr))
        self.assertEqual(done.returncode, 0, (line, out, err))
        return out

    def operations(self, device="embedded:default"):
        """What was done to the phone, without when."""
        return [{k: v for k, v in op.items() if k not in ("seq", "at_ms")} for op in self.log("--device", device)]

    def ref_of(self, text, line):
        found = re.findall(rf"^(?:[+~] )?(\d+) {re.escape(line)}(?: = .*)?$", text, re.M)
        self.assertEqual(len(found), 1, (line, text))
        return found[0]


class OnASimulator(Commands, bridge_case.PhoneBehind, bridge_case.Built):
    def setup(self, **more):
        devices = [{"name": "iPhone 14", "runtime": "iOS 26.2", "udid": SIM, "state": "Booted"}]
        super().setup(**{"devices": devices, **more})

    def setUp(self):
        super().setUp()
        app = self.app(APP)
        os.rename(app, os.path.join(self.folder, "app.app"))

    def test_every_example_line_runs_as_it_is_written(self):
        for before, line in EXAMPLES:
            if before:
                self.shell(before)
            with self.subTest(line=line):
                self.shell(line)
        self.assertEqual({c[1] for c in self.calls() if c[0] in ("install", "launch") and c[1].startswith(SIM[:4])}, {SIM})
        self.assertEqual([r["udid"] for r in self.started()], [SIM])
        with open(os.path.join(self.folder, "out.png"), "rb") as f:
            self.assertEqual(png_size(f.read()), (1179, 2556))
        self.assertIn("hello@example.com", self.ok("get", "value", "@e11"))
        with open(os.path.join(self.folder, "snap.json"), encoding="utf-8") as f:
            envelope = json.load(f)
        self.assertEqual(set(envelope), {"status", "stdout", "result", "error"})
        self.assertEqual(envelope["status"], "ok")
        self.check_snapshot(envelope["result"])

    def test_what_the_daemon_started_is_waited_for(self):
        self.shell("ios-agent open Settings")
        self.shell("ios-agent privacy grant photos com.example.App")  # asks simctl, each time anew
        self.shell("ios-agent location 47.4,8.5")
        self.assertEqual(children(self.daemon_pid()), [])  # a zombie would be one
        self.assertIn("privacy", [c[0] for c in self.calls()])

    def test_install_starts_a_simulator_that_is_shut_down(self):
        self.setup(devices=[{"name": "iPhone 14", "runtime": "iOS 26.2", "udid": SIM}])
        self.shell('ios-agent install ./app.app --sim "iPhone 14"')
        self.assertIn("boot", [c[0] for c in self.calls()])

    def test_where_the_simulators_cannot_be_asked_no_other_device_is_used(self):
        self.env()
        with open(os.path.join(self.folder, "xcode-tools", "xcrun"), "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\necho out of order >&2\nexit 1\n")
        error = self.run_agent("tap", "Settings", "--json").envelope()["error"]
        self.assertIn("out of order", json.dumps(error))
        self.assertFalse(os.path.exists(os.path.join(self.home, "embedded")))

    def test_a_simctl_that_hangs_holds_a_command_for_its_own_time_only(self):
        self.ok("get", "app", "--device", "embedded")
        with open(os.path.join(self.folder, "xcode-tools", "xcrun"), "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nexec sleep 100\n")
        ask = ["curl", "-s", "--unix-socket", os.path.join(self.home, "daemon.sock"), "-H", "Ios-Agent-Deadline-Ms: 700",
               "-H", "Content-Type: application/json", "-d", '{"ref":1}', "http://localhost/v1/device/tap"]
        asked = [subprocess.Popen(ask, stdout=subprocess.PIPE) for _ in range(3)]
        for process in asked:
            error = json.loads(process.communicate(timeout=TIMEOUT_S)[0])["error"]
            self.assertEqual(error["code"], "TIMEOUT")
            self.assertIn(error["outcome"], ("", "not_sent"))
        self.ok("get", "app", "--device", "embedded")
        self.ok("daemon", "status")

    def check_snapshot(self, s):
        self.assertEqual(s["app"], APP)
        self.assertEqual(s["screen"], "Settings")
        self.assertRegex(s["timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
        refs = {e["ref"] for e in s["elements"]}
        for e in s["elements"]:
            self.assertRegex(e["ref"], r"^@e\d+$")
            self.assertRegex(e["type"], "^XCUIElementType[A-Z]")
            for key in ("label", "identifier", "value"):
                self.assertIsInstance(e[key], (str, type(None)), e)
            self.assertEqual(set(e["frame"]), {"x", "y", "w", "h"})
            self.assertIsInstance(e["hittable"], bool)
            self.assertLessEqual(set(e["children"]), refs)
        for a in s["actions_available"]:
            self.assertIn(a["target"], refs)
        self.assertIn({"name": "tap", "target": "@e14"}, s["actions_available"])
        self.assertTrue([a for a in s["actions_available"] if a["name"] == "type" and a["target"] == "@e11"])

    def test_every_form_has_its_command(self):
        self.shell("ios-agent snapshot")
        for form, line, says in FORMS:
            with self.subTest(form=form):
                self.assertIn(says, self.shell(line))

    def test_a_picture_without_an_envelope_is_refused_before_a_daemon_starts(self):
        done = self.run_agent("snapshot", "--screenshot")
        self.assertEqual((2, ""), (done.code, done.out), done)
        self.assertIn("--screenshot needs --json", done.err)
        self.assertIsNone(self.daemon_pid())

    def test_the_result_of_an_act_is_the_envelope(self):
        self.shell("ios-agent snapshot")
        envelope = json.loads(self.shell("ios-agent open Settings --json"))
        self.assertEqual(envelope["status"], "ok")
        self.assertIn("new screen", envelope["stdout"])
        self.assertEqual((envelope["result"]["did"], envelope["result"]["app"]), ("opened", SETTINGS))
        self.assertIsNone(envelope["error"])


# A walk through three apps: each line, as words.
WALK = [line.split("|") for line in (
    "snapshot", "open|Settings", "tap|@e14", "tap|@e14", "back", "is|visible|Wi-Fi", "is|on|Airplane Mode",
    "tap|Airplane Mode", "is|on|Airplane Mode", "get|state|Airplane Mode", "swipe|up", "scroll-to|Search",
    "tap|Nope", "open|Contacts", "tap|Add", "type|First name|Ada", "type|focused|, Countess", "clear|focused",
    "type|First name|Grace", "tap|Done", "wait-for|text|Grace", "back", "open|Shop", "tap|button", "alert|accept",
    "long-press|User name", "drag|100,600|100,300", "press|home", "swipe|left", "get|app", "terminate|com.example.shop",
)]


class OnEveryDevice(Commands, Case):
    def serve(self, name):
        server = self.start_agent("embedded", "serve", "--name", name, "--json")
        served = json.loads(server.stdout.readline())["result"]
        return f"bridge:127.0.0.1:{served['port']}?token-file={served['token_file']}"

    @staticmethod
    def complaint(err):
        """Without the name of the program, and the hint."""
        return err.split("\n")[0].removeprefix("ios-agent: ")

    def walk(self, device):
        said = []
        for words in WALK:
            result = self.run_agent(*words, "--device", device)
            said.append((words, result.code, result.out, result.err))
        return said

    def test_the_same_commands_say_and_do_the_same_on_the_phone_and_behind_the_wire(self):
        direct = self.walk("embedded:direct")
        served = self.walk(self.serve("served"))
        for one, other in zip(direct, served):
            # The wire has one text for what a message and its hint say here.
            with self.subTest(words=one[0]):
                self.assertEqual(one[:3], other[:3])
                self.assertIn(self.complaint(one[3]), other[3])
        self.assertEqual(self.operations("embedded:direct"), self.operations("embedded:served"))


class Refs(Commands, Case):
    def test_refs_hold_for_the_next_command_and_for_another_shell(self):
        ref = self.ref_of(self.ok("snapshot"), "icon Settings")
        other = os.path.join(self.folder, "other")
        os.mkdir(other)
        self.assertIn(SETTINGS, self.ok("tap", "@e" + ref, cwd=other))
        self.assertIn("icon Settings", self.refused("STALE_REF", "tap", ref)["message"])

    def test_watching_leaves_the_refs_of_a_shell_good(self):
        ref = self.ref_of(self.ok("snapshot"), "icon Settings")
        before = self.lane()
        connection = Unix(os.path.join(self.home, "daemon.sock"))
        self.addCleanup(connection.close)
        for device in ("embedded:default", "embedded"):
            connection.request("GET", f"/v1/device/frame?device={device}")
            frame = json.loads(connection.getresponse().read())["result"]
            self.assertEqual(frame["lines"]["@e" + ref], ref + " icon Settings")
        self.assertEqual(self.lane(), before)
        self.assertIn(SETTINGS, self.ok("tap", "@e" + ref))

    def lane(self):
        lanes = self.run_agent("daemon", "status", "--json").envelope()["result"]["lanes"]
        return [(l["lane"], l["holder"], l["generation"], l["commands"]) for l in lanes]

    def test_two_shells_at_once_take_turns(self):
        self.ok("open", "Contacts")
        self.ok("tap", "Add")
        clients = [self.start_agent("type", "Last name", "x") for _ in range(10)]
        for client in clients:
            out, err = client.communicate(timeout=TIMEOUT_S)
            self.assertEqual(client.returncode, 0, (out, err))
        self.assertEqual(self.ok("get", "value", "Last name"), "x" * 10 + "\n")

    def test_two_sessions_are_two_phones(self):
        apps = {"a": "Shop", "b": "Contacts"}
        clients = [self.start_agent("open", app, "--session", s) for s, app in apps.items()]
        for client in clients:
            out, err = client.communicate(timeout=TIMEOUT_S)
            self.assertEqual(client.returncode, 0, (out, err))
        self.assertEqual(self.ok("get", "app", "--session", "a"), "com.example.shop\n")
        self.assertEqual(self.ok("get", "app", "--session", "b"), "com.apple.MobileAddressBook\n")
        self.assertEqual(self.ok("get", "app", env={"IOS_AGENT_SESSION": "a"}), "com.example.shop\n")
        self.assertEqual(self.ok("get", "app"), SPRINGBOARD + "\n")

    def test_after_a_daemon_was_killed_the_next_command_works_and_an_old_ref_is_refused(self):
        ref = self.ref_of(self.ok("snapshot"), "icon Settings")
        pid = self.daemon_pid()
        os.kill(pid, signal.SIGKILL)
        self.refused("STALE_REF", "tap", ref)
        self.assertNotEqual(self.daemon_pid(), pid)
        now = self.ref_of(self.ok("snapshot"), "icon Settings")
        self.assertGreater(int(now), int(ref))
        self.assertEqual([op["op"] for op in self.operations() if op["op"] == "tap"], [])
        self.ok("tap", now)

    def test_a_run_and_the_commands_never_drive_one_phone_at_once(self):
        ref = self.ref_of(self.ok("snapshot"), "icon Settings")
        double = self.double("--latency-ms", "300")
        run = self.start_agent("run", ADA, "--events", env=self.claude(double))
        run.stdout.readline()  # its first event comes when the phone is its own
        error = self.refused("BUSY", "tap", "Settings")
        self.assertIn("run", error["message"])
        out, err = run.communicate(timeout=TIMEOUT_S)
        self.assertEqual(run.returncode, 0, (out, err))
        error = self.refused("STALE_REF", "tap", ref)
        self.assertIn("driven by", error["hint"])
        self.assertIn("run", error["hint"])
        alone = self.run_agent("run", ADA, "--device", "embedded:alone", env=self.claude(double))
        self.assertEqual(alone.code, 0, alone)
        self.assertEqual(self.operations(), self.operations("embedded:alone"))

    def test_an_interrupted_command_says_so_and_frees_the_phone(self):
        self.ok("snapshot")
        for words in ([], ["--json"]):
            waits = self.start_agent("wait-for", 'visible "Nope"', "--seconds", "30", *words)
            self.wait_until(lambda: self.holder("embedded:default") or waits.poll() is not None)
            waits.send_signal(signal.SIGINT)
            out, err = waits.communicate(timeout=TIMEOUT_S)
            self.assertEqual(waits.returncode, 7, (out, err))
            error = json.loads(out)["error"] if words else {"code": "CANCELLED", "message": err}
            self.assertEqual(error["code"], "CANCELLED", (out, err))
            self.assertIn("interrupted", error["message"])
            self.ok("snapshot")

    def test_a_run_is_refused_while_a_command_holds_the_phone(self):
        self.ok("snapshot")
        before = self.operations()
        waits = self.start_agent("wait-for", 'visible "Nope"', "--seconds", "30")
        self.wait_until(lambda: self.holder("embedded:default") or waits.poll() is not None)
        error = self.refused("BUSY", "run", ADA, "--demo")
        self.assertIn(f"process {self.daemon_pid()} ", error["message"])
        waits.send_signal(signal.SIGINT)
        waits.communicate(timeout=TIMEOUT_S)
        self.assertNotEqual(waits.returncode, 0)
        self.assertEqual(self.operations(), before)

    def test_a_sweep_and_the_commands_never_drive_one_phone_at_once(self):
        ref = self.ref_of(self.ok("snapshot"), "icon Settings")
        env = self.claude(self.double("--latency-ms", "300"))
        goal = os.path.join(SOURCE, "goals", "contacts.toml")
        sweep = self.start_agent("sweep", goal, "--device", "embedded", "--json", env=env)
        self.wait_until(lambda: self.runs() or sweep.poll() is not None)
        self.wait_until(lambda: self.run_agent("tap", "Nowhere").code == 3 or sweep.poll() is not None)
        self.assertIn("sweep", self.refused("BUSY", "tap", "Settings")["message"])
        out, err = sweep.communicate(timeout=TIMEOUT_S)
        self.assertEqual(sweep.returncode, 0, (out, err))
        self.assertIn("driven by", self.refused("STALE_REF", "tap", ref)["hint"])
        alone = self.run_agent("sweep", goal, "--device", "embedded:alone", env=env)
        self.assertEqual(alone.code, 0, alone)
        self.assertEqual(self.operations(), self.operations("embedded:alone"))

    def mcp(self, name, **arguments):
        """What a tool says over MCP."""
        lines = [{"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                                               "clientInfo": {"name": "test", "version": "1"}}},
                 {"method": "notifications/initialized"},
                 {"id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}}]
        server = subprocess.Popen([PROGRAM, "mcp"], env=self.env(), cwd=self.folder, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.reap, server)
        server.stdin.write("".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines))
        server.stdin.flush()  # its end would be the client's, and take back what is asked for
        answer = next(a for a in map(json.loads, server.stdout) if a.get("id") == 2)
        server.communicate(timeout=TIMEOUT_S)
        return "".join(c.get("text", "") for c in answer["result"]["content"])

    def test_a_shell_and_mcp_share_refs(self):
        ref = self.ref_of(self.ok("snapshot"), "icon Settings")
        said = self.mcp("tap", ref=int(ref))
        self.assertIn("row Wi-Fi", said)
        self.ok("tap", self.ref_of(said, "row Wi-Fi"))
        self.assertIn("STALE_REF", self.mcp("tap", ref=int(ref)))
        connection = Unix(os.path.join(self.home, "daemon.sock"))
        self.addCleanup(connection.close)
        connection.request("GET", "/v1/commands")
        commands = json.loads(connection.getresponse().read())["result"]["commands"]
        self.assertEqual([(c["actor"], c["code"]) for c in commands if c["verb"] == "tap"],
                         [("mcp", "STALE_REF"), ("cli", "OK"), ("mcp", "OK")])

    wait_until = bridge_case.Bridge.wait_until

    def holder(self, lane):
        lanes = self.run_agent("daemon", "status", "--json").envelope()["result"]["lanes"]
        return next((l["holder"] for l in lanes if l["lane"] == lane), None)


class Batch(Commands, Case):
    def test_lines_are_words_or_arrays_and_each_is_answered(self):
        lines = ["open Settings", '["tap", "Wi-Fi"]', "# a remark", "", "ios-agent back", "is visible 'Wi-Fi'", 'get app']
        out = self.ok("batch", stdin="\n".join(lines) + "\n")
        self.assertIn("com.apple.Preferences 393x852", out)
        self.assertTrue(out.endswith("yes\ncom.apple.Preferences\n"), out)
        envelopes = [json.loads(l) for l in self.ok("batch", "--json", "get app", "get title").splitlines()]
        self.assertEqual([e["result"] for e in envelopes], [{"app": SETTINGS}, {"title": "Settings"}])

    def test_it_stops_at_the_first_mistake_unless_it_shall_go_on(self):
        lines = ["get app", "tap Nope", "is visible Nope", "get app"]
        stopped = self.run_agent("batch", *lines)
        self.assertEqual((stopped.code, stopped.out.count(SPRINGBOARD)), (2, 1), stopped)
        kept = self.run_agent("batch", "--keep-going", *lines)
        self.assertEqual((kept.code, kept.out.count(SPRINGBOARD)), (2, 2), kept)
        self.assertIn("does not hold", kept.err)

    def test_what_is_no_device_command_is_refused(self):
        for line, part in (("run x", "batch does device commands, not run"), ("daemon stop", "not daemon stop"), ("batch", "not batch"),
                           ("nope", "unknown command"), ("tap --foo", "unknown option"), ("[1]", "nor a JSON array of texts"),
                           ("[]", "nor a JSON array of texts"), ("'open", "neither words"), ("tap", "usage: ios-agent tap [OPTION]... REF")):
            with self.subTest(line=line):
                result = self.run_agent("batch", line)
                self.assertEqual(result.code, 2, result)
                self.assertIn(part, result.err)
        self.assertIn("Usage: ios-agent tap", self.ok("batch", "tap --help"))

    def test_another_program_can_answer_what_it_reads(self):
        process = subprocess.Popen([PROGRAM, "batch", "--json", "--keep-going"], env=self.env(), cwd=self.folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.reap, process)

        def ask(*words):
            process.stdin.write(json.dumps(words) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        screen = ask("snapshot")["stdout"]
        self.assertIn("Settings", ask("tap", self.ref_of(screen, "icon Settings"))["stdout"])
        self.assertEqual(ask("tap", "9999")["error"]["code"], "NOT_FOUND")
        self.assertEqual(ask("get", "app")["result"], {"app": SETTINGS})
        process.stdin.close()
        self.assertEqual(process.wait(TIMEOUT_S), 2)
        process.stdin = None

    @unittest.skipIf(os.environ.get("IOS_AGENT_SANITIZER"), "a sanitizer keeps what was freed")
    def test_many_lines_do_not_make_it_grow(self):
        def peak(lines):
            text = "get app\n" * lines
            done = subprocess.run(["/usr/bin/env", "python3", "-c",
                                   "import resource,subprocess,sys;p=subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL);"
                                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss);sys.exit(p.returncode)", PROGRAM, "batch"],
                                  input=text, env=self.env(), cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT_S)
            self.assertEqual(done.returncode, 0, done)
            return int(done.stdout)

        self.ok("get", "app")
        few, many = peak(100), peak(10000)
        self.assertLess(many, few * 1.2 + 1000)

    def test_long_strange_and_cut_lines_end_in_an_error_and_no_harm(self):
        for text, code in ((b"tap " + b"x" * 1000000 + b"\n", 2), (b"\0" * 1000 + b"\n", 0), (b"get app", 0), (b'["get", "ap', 2),
                           (b"get app\r\n", 0), (b"\xff\xfe\n", 2), (b"", 0), (b"\n\n\n", 0)):
            with self.subTest(text=text[:20]):
                done = subprocess.run([PROGRAM, "batch"], input=text, env=self.env(), cwd=self.folder,
                                      capture_output=True, timeout=TIMEOUT_S)
                self.assertEqual(done.returncode, code, done)
                self.assertLess(len(done.stderr), 5000)


class OnATerminal(Commands, Case):
    def shown(self, *args):
        terminal = Terminal(self, *args)
        status = terminal.finish()
        return status, terminal.seen.replace("\r\n", "\n")

    def test_a_screen_is_not_wrapped_and_an_error_is(self):
        self.ok("open", "Settings")
        status, seen = self.shown("snapshot")
        self.assertEqual(status, 0)
        self.assertIn("Apple Account = Sign in to access your iCloud data and more.\n", seen)
        self.ok("push", "com.example.shop", "--title", "long " * 30)
        status, seen = self.shown("snapshot")
        self.assertTrue(max(map(len, seen.splitlines())) > 100, seen)
        status, seen = self.shown("tap", "Nope")
        self.assertEqual(status, 2)
        self.assertIn("hint: on the screen:", seen)
        self.assertTrue(max(map(len, seen.splitlines())) <= 80, seen)

    def test_control_characters_never_reach_the_terminal(self):
        for name in ("\x1b[31mred", "a\ab", "\x9b31m"):
            _, seen = self.shown("tap", name)
            self.assertNotIn("\x1b[31m", seen)
            self.assertNotIn("\a", seen)


if __name__ == "__main__":
    unittest.main()
