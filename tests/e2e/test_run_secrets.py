"""Secrets that a run types: the value reaches the phone and nothing else."""
import json
import os
import struct
import subprocess
import unittest
import zlib

from harness import PROGRAM, Case, Terminal

VALUE = "Xq7-zebra-4411"
FORMS = [VALUE, VALUE.lower(), VALUE.upper(), VALUE.replace("-", "")]
DELETE_KEY = 39  # its ref on the page of a new contact, in the script below
LOGIN = "open Shop, log in as ada with password {{secret:SHOP_PASSWORD}}, check that Account is visible"


def rows(png):
    """Pixels of an 8-bit RGB or RGBA PNG without interlacing, one bytes object a row."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data, width, height, kind = 8, b"", 0, 0, 0
    while at < len(png):
        n, name = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + n]
        if name == b"IHDR":
            width, height, depth, kind = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and kind in (2, 6)
        elif name == b"IDAT":
            data += body
        at += 12 + n
    step = 3 if kind == 2 else 4
    raw, stride, before, out = zlib.decompress(data), width * step, bytes(width * step), []
    for y in range(height):
        mode, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            a = line[x - step] if x >= step else 0
            b, c = before[x], before[x - step] if x >= step else 0
            p = a + b - c
            near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[x] = (line[x] + (0, a, b, (a + b) // 2, near)[mode]) & 255
        before = bytes(line)
        out.append([before[x:x + 3] for x in range(0, stride, step)])
    return out


class RunSecrets(Case):
    def everything(self):
        """Every byte of the home but the phones' own memory, and the names of the files."""
        for folder, _, files in os.walk(self.home):
            if os.path.basename(folder) == "embedded":
                continue
            for name in files:
                path = os.path.join(folder, name)
                with open(path, "rb") as f:
                    yield path, f.read() + path.encode()

    def assert_nowhere(self, *outputs):
        seen = 0
        for path, data in [*self.everything(), *((n, t.encode()) for n, t in outputs)]:
            seen += 1
            for form in FORMS:
                self.assertNotIn(form.encode(), data, path)
                self.assertNotIn(form.encode("utf-16-le"), data, path)
        self.assertGreater(seen, 3)

    def test_a_login_leaves_the_value_on_the_phone_alone(self):
        result = self.run_agent(
            "run", LOGIN, "--secret", "SHOP_PASSWORD", "--pictures", "steps", "--events",
            env={"SHOP_PASSWORD": VALUE, "IOS_AGENT_LOG_LEVEL": "debug"},
        )
        run = result.events()[-1]["run"]
        with open(os.path.join(self.home, "embedded", "default.log"), encoding="utf-8") as f:
            self.assertIn(VALUE, f.read())  # it was typed
        self.assertNotIn(VALUE, json.dumps(self.log()))
        show = self.run_agent("show", run, "--transcript")
        self.assertIn("{{secret:SHOP_PASSWORD}}", show.out)
        report = os.path.join(self.folder, "report")
        self.run_agent("report", run, "--format", "html", "--out", report)
        texts = [("stdout", result.out), ("stderr", result.err), ("show", show.out)]
        for form in ("json", "junit", "md", "ctrf"):
            texts.append((form, self.run_agent("report", run, "--format", form).out))
        for folder, _, files in os.walk(report):
            for name in files:
                with open(os.path.join(folder, name), "rb") as f:
                    texts.append((name, f.read().decode("latin-1")))
        self.assert_nowhere(*texts)

    def test_the_right_password_logs_in(self):
        result = self.run_agent(
            "run", LOGIN, "--secret", "SHOP_PASSWORD", env={"SHOP_PASSWORD": "engine-1843"}
        )
        self.assertEqual(result.code, 0, result)
        self.assertNotIn("engine", result.out + result.err)

    def test_a_value_that_the_screen_shows_is_hidden_in_text_and_in_pictures(self):
        goal = (
            "open Contacts, add a contact named {{secret:NAME}} Lovelace with phone 555-0100, "
            "check that Lovelace is visible"
        )
        result = self.run_agent(
            "run", goal, "--secret", "NAME", "--pictures", "steps", "--events", env={"NAME": VALUE}
        )
        names = [c["first"] for c in self.state()["contacts"]]
        self.assertIn(VALUE, names)
        self.assert_nowhere(("stdout", result.out), ("stderr", result.err))
        typed = next(e for e in result.events() if e["event"] == "tool.finished" and "{{secret:NAME}}" in e["changes"])
        picture = next(e for e in result.events() if e["event"] == "picture" and e["step"] == typed["step"])
        sha = picture["image"]
        with open(os.path.join(self.home, "blobs", sha[:2], sha[2:]), "rb") as f:
            pixels = rows(f.read())
        box = typed["box"]
        inside = [
            pixels[y][x]
            for y in range(int(box["y"]), int(box["y"] + box["h"]))
            for x in range(int(box["x"]), int(box["x"] + box["w"]))
        ]
        self.assertEqual(set(inside), {b"\0\0\0"})
        self.assertNotEqual({p for row in pixels for p in row}, {b"\0\0\0"})

    def editing(self, taps):
        """A model that types the secret, deletes its last characters one by one, and looks."""
        turn = lambda name, **given: {"blocks": [{"tool_use": name, "input": given}]}  # noqa: E731
        delete = [turn("tap", ref=DELETE_KEY) for _ in range(taps)]
        return self.script(
            turn("launch_app", bundle_id="com.apple.MobileAddressBook"),
            turn("tap", ref='$ref(button "Add")'),
            turn("type_text", ref='$ref(field "First name")', text="{{secret:NAME}}"),
            *delete, turn("snapshot"), turn("screenshot"), turn("finish", verdict="blocked", summary="looked", evidence=[]))

    def assert_no_rest(self, longest, *outputs):
        """No beginning of the value that is long enough to be told from other text."""
        for n in range(4, longest + 1):
            for path, data in [*self.everything(), *((n, t.encode()) for n, t in outputs)]:
                self.assertFalse(VALUE[:n].encode() in data, (path, n))  # its bytes say nothing to people

    def test_what_is_left_of_a_value_in_its_field_is_hidden_while_it_is_deleted(self):
        double = self.editing(4)
        env = {"NAME": VALUE, **self.claude(double)}
        result = self.run_agent("run", "edit the name", "--secret", "NAME", "--pictures", "steps", "--events", env=env)
        self.assertEqual(result.code, 5, result)
        steps = [e for e in result.events() if e["event"] == "tool.finished"]
        self.assertIn("First name = {{secret:NAME}}", steps[2]["changes"])
        self.assertIn("First name = •••", steps[3]["changes"])
        self.assert_no_rest(len(VALUE), ("stdout", result.out), ("stderr", result.err))
        # Its place is black in every picture, whatever is left.
        box = steps[2]["box"]
        pictures = [e for e in result.events() if e["event"] == "picture" and e["step"] > 3]
        self.assertGreater(len(pictures), 3)
        for picture in pictures:
            sha = picture["image"]
            with open(os.path.join(self.home, "blobs", sha[:2], sha[2:]), "rb") as f:
                pixels = rows(f.read())
            inside = {pixels[y][x] for y in range(int(box["y"]), int(box["y"] + box["h"]))
                      for x in range(int(box["x"]), int(box["x"] + box["w"]))}
            self.assertEqual(inside, {b"\0\0\0"}, picture["step"])

    def test_what_is_left_is_hidden_where_an_app_shows_it_after_its_field_is_gone(self):
        turn = lambda name, **given: {"blocks": [{"tool_use": name, "input": given}]}  # noqa: E731
        double = self.script(
            turn("launch_app", bundle_id="com.apple.MobileAddressBook"),
            turn("tap", ref='$ref(button "Add")'),
            turn("type_text", ref='$ref(field "First name")', text="{{secret:NAME}}"),
            turn("tap", ref=DELETE_KEY),
            turn("tap", ref='$ref(button "Done")'), turn("snapshot"), turn("screenshot"),
            turn("back"), turn("snapshot"),
            turn("finish", verdict="blocked", summary="looked", evidence=[]))
        env = {"NAME": VALUE, **self.claude(double)}
        result = self.run_agent("run", "edit the name", "--secret", "NAME", "--pictures", "steps", "--events", env=env)
        self.assertEqual(result.code, 5, result)
        self.assertIn(VALUE[:-1], [c["first"] for c in self.state()["contacts"]])
        told = self.run_agent("show", result.events()[-1]["run"], "--transcript").out
        self.assertRegex(told, r"#\w+: •••\n", "the page of the contact")
        self.assert_no_rest(len(VALUE), ("stdout", result.out), ("stderr", result.err), ("told", told))

    def test_what_is_left_is_hidden_from_a_process_that_goes_on_with_the_run(self):
        for taps in (1, 2, 4):
            with self.subTest(taps=taps):
                env = {"NAME": VALUE, **self.claude(self.editing(taps))}
                killed = self.run_agent("run", "edit the name", "--secret", "NAME", "--fresh",
                                        env={**env, "IOS_AGENT_KILL_AT": f"agent.tool.after:{3 + taps}"})
                self.assertNotEqual(killed.code, 5, killed)
                run = self.runs()[0]["id"]
                done = self.run_agent("resume", run, "--events", env=env)
                self.assertEqual(done.code, 5, done)
                told = self.run_agent("show", run, "--transcript").out
                last = told[told.rindex("field:focused First name"):]
                self.assertTrue(last.startswith("field:focused First name = •••\n"), last)
                self.assert_no_rest(len(VALUE), ("stdout", done.out), ("stderr", done.err), ("told", told))

    def test_a_sweep_types_secrets_and_reports_without_them(self):
        path = os.path.join(self.folder, "goals.toml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f'[[goal]]\nname = "log in"\ngoal = "{LOGIN}"\nsecrets = ["SHOP_PASSWORD"]\n')
        out = os.path.join(self.folder, "report")
        result = self.run_agent(
            "sweep", path, "--report-dir", out, "--json", env={"SHOP_PASSWORD": "engine-1843"}
        )
        self.assertEqual(result.code, 0, result)
        grep = subprocess.run(
            ["grep", "-rl", "engine-1843", out, os.path.join(self.home, "ios-agent.db"),
             os.path.join(self.home, "blobs")], capture_output=True, text=True,
        )
        self.assertEqual(grep.stdout, "")
        self.check_error(["sweep", path], 2, "USAGE", "SHOP_PASSWORD has no value", "goals.toml:2:1")

    def test_a_run_without_the_value_does_not_start(self):
        self.check_error(["run", "x", "--secret", "NOPE"], 2, "USAGE", "NOPE has no value", "environment variable")
        self.check_error(["run", "x", "--secret", "A-B"], 2, "USAGE", "is not a name")
        self.assertEqual(self.runs(), [])

    def assert_not_stored(self, value):
        for folder, _, files in os.walk(self.home):
            for name in files:
                with open(os.path.join(folder, name), "rb") as f:
                    self.assertNotIn(value.encode(), f.read(), name)

    def test_a_value_that_is_written_out_is_refused_before_anything_is_recorded(self):
        env, value = {"SHOP_PW": "engine-1843"}, "engine-1843"
        told = ("secret SHOP_PW", "write {{secret:SHOP_PW}} instead")
        secret = ["--secret", "SHOP_PW"]
        path = os.path.join(self.folder, "goals.toml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f'[[goal]]\nname = "with {value}"\ngoal = "type {value}"\nsecrets = ["SHOP_PW"]\n')
        self.run_agent("runs")
        for args, place in (
            (["run", f"log in with {value}", *secret], "the goal contains the value"),
            (["run", f"log in with {value.upper()}", *secret], "the goal contains the value"),
            (["run", "log in", "--hint", f"it is {value}", *secret], "the hint contains the value"),
            (["run", "log in", "--expect", f'text "{value}"', *secret], "an expectation contains the value"),
            (["sweep", path], "goals.toml:2:1"),
            (["schedule", "add", "--name", "n", "--cron", "@daily", "--demo", f"type {value}", *secret],
             "the goal contains the value"),
        ):
            with self.subTest(args=args):
                envelope = self.check_error(args, 2, "USAGE", place, *told, env=env)
                self.assertNotIn(value, json.dumps(envelope).lower())
        events = self.run_agent("run", f"log in with {value}", *secret, "--events", env=env)
        self.assertEqual(events.code, 2, events)
        self.assertNotIn(value, events.out + events.err)
        self.assertEqual(self.runs(), [])
        self.assert_not_stored(value)

    def store(self, name, value):
        done = self.run_agent("secret", "set", name, stdin=value + "\n")
        self.assertEqual(done.code, 0, done)
        self.assertNotIn(value, done.out + done.err)

    def test_a_stored_secret_is_typed_and_lies_nowhere_else(self):
        self.store("SHOP_PASSWORD", "engine-1843")
        self.run_agent("key", "set", stdin="sk-ant-x1")
        done = self.run_agent("run", LOGIN, "--secret", "SHOP_PASSWORD", "--demo", "--events", "--pictures", "steps",
                              env={"IOS_AGENT_LOG_LEVEL": "debug"})
        self.assertEqual(done.code, 0, done)
        self.assertNotIn("engine-1843", done.out + done.err)
        run = self.runs()[0]["id"]
        for args in (["show", run, "--transcript", "--json"], ["report", run, "--format", "json"], ["secret", "list"],
                     ["secret", "list", "--json"], ["config", "--json"], ["doctor"]):
            self.assertNotIn("engine-1843", self.run_agent(*args).out, args)
        for folder, _, files in os.walk(self.home):
            for name in files:
                if os.path.basename(folder) != "embedded":  # the log of the phone is the phone
                    with open(os.path.join(folder, name), "rb") as f:
                        self.assertNotIn(b"engine-1843", f.read(), name)
        # The environment goes first, and without either the run does not start.
        wrong = self.run_agent("run", LOGIN, "--secret", "SHOP_PASSWORD", "--demo", "--fresh",
                               env={"SHOP_PASSWORD": "engine-1844"})
        self.assertNotEqual(wrong.code, 0, wrong)
        self.check_error(["run", "type engine-1843", "--secret", "SHOP_PASSWORD"], 2, "USAGE", "contains the value")
        self.assertEqual(self.run_agent("secret", "remove", "SHOP_PASSWORD").code, 0)
        self.check_error(["run", LOGIN, "--secret", "SHOP_PASSWORD"], 2, "USAGE", "has no value", "secret set SHOP_PASSWORD")
        self.check_error(["secret", "remove", "SHOP_PASSWORD"], 2, "NOT_FOUND", "no secret SHOP_PASSWORD")

    def test_a_secret_is_typed_at_a_terminal_without_echo(self):
        terminal = Terminal(self, "secret", "set", "PIN", "--passphrase")
        terminal.read_until("Value of PIN: ")
        terminal.type("engine-1843\n")
        terminal.read_until("Passphrase: ")
        terminal.type("correct horse\n")
        terminal.read_until("Repeat it: ")
        terminal.type("correct horse\n")
        self.assertEqual(terminal.finish(), 0)
        self.assertNotIn("1843", terminal.seen)
        listed = self.run_agent("secret", "list", "--json").envelope()["result"]["secrets"]
        self.assertEqual([(s["name"], s["seal"], s["origin"]) for s in listed], [("PIN", "passphrase", "stored")])
        run = Terminal(self, "run", "open Shop, check that Account is visible", "--secret", "PIN", "--demo")
        run.read_until("Passphrase: ")
        run.type("correct horse\n")
        run.finish()
        self.assertEqual(run.seen.count("Passphrase: "), 1)
        self.assertNotIn("1843", run.seen)

    def test_what_is_no_secret_is_not_stored(self):
        for name, value, part in (("PIN", "", "empty"), ("PIN", "ab", "3 to 4096 bytes"), ("1PIN", "abcd", "A-Z a-z 0-9 _"),
                                  ("PIN", "x" * 5000, "longer than 4096 bytes")):
            self.check_error(["secret", "set", name], 2, "USAGE", part, stdin=value)
        self.check_error(["secret", "set", "PIN", "1843"], 2, "USAGE")
        self.assertEqual(self.run_agent("secret", "list", "--json").envelope()["result"]["secrets"], [])

    def test_a_sweep_and_a_scheduled_run_take_what_is_stored(self):
        self.store("SHOP_PASSWORD", "engine-1843")
        path = os.path.join(self.folder, "goals.toml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f'[[goal]]\nname = "login"\nsecrets = ["SHOP_PASSWORD"]\ngoal = "{LOGIN}"\n')
        self.assertEqual(self.run_agent("sweep", path, "--demo").code, 0)
        added = self.run_agent("schedule", "add", "--name", "n", "--cron", "@yearly", "--demo", "--fresh",
                               "--secret", "SHOP_PASSWORD", LOGIN)
        self.assertEqual(added.code, 0, added)
        self.assertEqual(self.run_agent("schedule", "run-now", "n").code, 0)
        ticked = self.run_agent("schedule", "tick", "--json")
        self.assertEqual(ticked.code, 0, ticked)
        self.assertEqual(self.runs()[0]["state"], "passed")
        # Sealed by a passphrase, nobody who does a scheduled run can open it.
        passphrase = os.path.join(self.folder, "passphrase")
        with open(passphrase, "w", encoding="utf-8", opener=lambda p, flags: os.open(p, flags, 0o600)) as f:
            f.write("horse")
        done = self.run_agent("secret", "set", "SHOP_PASSWORD", "--passphrase", stdin="engine-1843",
                              env={"IOS_AGENT_PASSPHRASE_FILE": passphrase})
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.run_agent("schedule", "run-now", "n").code, 0)
        process = subprocess.run([PROGRAM, "schedule", "tick"], env=self.env(), cwd=self.folder, stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True, start_new_session=True, check=False)
        self.assertNotEqual(process.returncode, 0, process)
        shown = self.run_agent("show", "last").out
        self.assertIn("sealed with a passphrase", shown + process.stdout + process.stderr)

    def test_a_schedule_takes_a_secret_whose_value_is_not_known_yet(self):
        added = self.run_agent(
            "schedule", "add", "--name", "n", "--cron", "@daily", "--demo", "type {{secret:SHOP_PW}}",
            "--secret", "SHOP_PW")
        self.assertEqual(added.code, 0, added)


if __name__ == "__main__":
    unittest.main()
