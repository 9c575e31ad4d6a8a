"""daemon install: the files that launchd and systemd get, read by their own readers."""
import os
import plistlib
import shutil
import subprocess
import unittest

from harness import PROGRAM, Case

PASSED_ON = {"IOS_AGENT_PASSPHRASE_FILE": "/secret/100% phrase", "ANTHROPIC_API_KEY": "sk-ant-NOT-HERE"}


class Service(Case):
    def install(self, *args, **env):
        env = {"HOME": self.folder, **PASSED_ON, **env}
        return self.run_agent("daemon", "install", *args, "--json", env=env)

    def test_a_plist_is_read_by_a_plist_reader_and_carries_no_key(self):
        home = os.path.join(self.folder, "my <home> & 'more'")
        told = self.install("--for", "launchd", IOS_AGENT_HOME=home).envelope()["result"]
        with open(told["path"], "rb") as file:
            plist = plistlib.load(file)
        self.assertEqual(plist["Label"], told["name"])
        self.assertEqual(plist["ProgramArguments"], [PROGRAM, "daemon"])
        self.assertEqual(plist["EnvironmentVariables"]["IOS_AGENT_HOME"], home)
        self.assertEqual(plist["EnvironmentVariables"]["IOS_AGENT_PASSPHRASE_FILE"],
                         PASSED_ON["IOS_AGENT_PASSPHRASE_FILE"])
        self.assertEqual(plist["KeepAlive"], {"SuccessfulExit": False})
        self.assertNotIn("sk-ant", told["text"])
        self.assertTrue(told["path"].startswith(self.folder + "/Library/LaunchAgents/"))

    @unittest.skipUnless(shutil.which("systemd-analyze"), "no systemd-analyze")
    def test_a_unit_passes_systemds_own_check(self):
        home = os.path.join(self.folder, 'my 100% "home"')
        told = self.install("--for", "systemd", IOS_AGENT_HOME=home).envelope()["result"]
        self.assertTrue(told["path"].startswith(self.folder + "/.config/systemd/user/"))
        check = subprocess.run(["systemd-analyze", "--user", "verify", "--man=no", told["path"]],
                               env={**self.env(), "XDG_RUNTIME_DIR": self.folder},
                               capture_output=True, text=True)
        name = os.path.basename(told["path"])
        self.assertEqual([l for l in check.stderr.splitlines() if name in l], [], check.stderr)
        self.assertNotIn("sk-ant", told["text"])

    def test_print_writes_nothing(self):
        shown = self.run_agent("daemon", "install", "--print", "--for", "systemd", env={"HOME": self.folder})
        self.assertEqual(shown.code, 0, shown)
        self.assertIn("[Service]", shown.out)
        self.assertFalse(os.path.exists(os.path.join(self.folder, ".config")))

    def test_a_file_that_was_changed_is_replaced_only_when_told(self):
        path = self.install("--for", "systemd").envelope()["result"]["path"]
        self.assertEqual(self.install("--for", "systemd").code, 0, "unchanged: again is fine")
        with open(path, "a") as file:
            file.write("# mine\n")
        refused = self.install("--for", "systemd")
        self.assertEqual(refused.code, 2, refused)
        self.assertIn("--force", refused.envelope()["error"]["hint"])
        self.assertEqual(self.install("--for", "systemd", "--force").code, 0)
        with open(path) as file:
            self.assertNotIn("# mine", file.read())

    def test_uninstall_removes_the_file_and_what_enabling_it_made(self):
        for kind, stop in (("systemd", "systemctl --user stop"), ("launchd", "launchctl bootout")):
            path = self.install("--for", kind).envelope()["result"]["path"]
            wanted = os.path.join(os.path.dirname(path), "default.target.wants")
            if kind == "systemd":
                os.mkdir(wanted)
                os.symlink(path, os.path.join(wanted, os.path.basename(path)))
            args = ["daemon", "uninstall", "--for", kind]
            removed = self.run_agent(*args, "--json", env={"HOME": self.folder}).envelope()["result"]
            self.assertEqual(removed["path"], path)
            self.assertIn(stop, removed["stop"])
            self.assertFalse(os.path.lexists(path))
            self.assertFalse(os.path.isdir(wanted) and os.listdir(wanted))
            self.check_error(args, 2, "NOT_FOUND", "nothing is installed", env={"HOME": self.folder})

    def test_two_homes_have_two_services(self):
        a = self.install("--print", IOS_AGENT_HOME="/a").envelope()["result"]["name"]
        b = self.install("--print", IOS_AGENT_HOME="/b").envelope()["result"]["name"]
        self.assertNotEqual(a, b)


unittest.main()
