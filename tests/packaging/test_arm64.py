"""The tarball for Linux on arm64: cross-compiled, unpacked, and run by an emulator beside that architecture's libraries."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["IOS_AGENT_SOURCE"]
# It takes minutes to make and stays for the next time.
ROOT = os.path.join(os.environ["IOS_AGENT_BUILD"], "tests", "packaging", "arm64-root")
GOAL = "open Contacts, add a contact named Ada Lovelace with phone 555-0100, check that Ada Lovelace is in the list"
# The emulator tells nobody that a program which was to be started is missing: no rows about Xcode's tools.
ROWS = ("config", "data folder", "database", "prompts", "api client", "demo brain", "simulator", "device", "libraries")


def missing():
    """What this machine lacks for it, or None."""
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        return "this is no Linux on x86-64"
    if os.geteuid() != 0:
        return "a root of its own needs root"
    return next((f"{name} is missing" for name in ("mmdebstrap", "unshare") if not shutil.which(name)), None)


class Arm64(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="ios-agent-arm64-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        made = subprocess.run([os.path.join(SOURCE, "script", "package"), "--arch", "arm64", os.path.join(cls.folder, "out")],
                              env=dict(os.environ, ARM64_ROOT=ROOT, SOURCE_DATE_EPOCH="1767225600"), capture_output=True,
                              text=True, check=False)
        assert made.returncode == 0, made
        cls.tarball, = glob.glob(os.path.join(cls.folder, "out", "ios-agent-*-linux-aarch64.tar.gz"))

    def inside(self, script):
        command = [os.path.join(SOURCE, "packaging", "arm64-root"), "sh", "-ec", 'cd "$1"; ' + script, "sh",
                   os.path.join(self.folder, "out")]
        done = subprocess.run(command, env=dict(os.environ, ARM64_ROOT=ROOT, SOURCE_DATE_EPOCH="0"), capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def agent(self, args, then=""):
        return self.inside("rm -rf here && mkdir here && tar -xzf *.tar.gz -C here --strip-components=1; export IOS_AGENT_HOME=$PWD/home "
                           f"IOS_AGENT_NO_DAEMON=1; qemu-aarch64-static here/bin/ios-agent {args} {then}")

    def test_the_sums_are_of_the_files(self):
        self.assertEqual(self.inside("sha256sum --check --strict SHA256SUMS").count("OK"), 2)

    def test_it_is_of_that_architecture_and_asks_for_the_c_library_alone(self):
        elf = self.inside("tar -xzf *.tar.gz; aarch64-linux-gnu-readelf -hd ios-agent-*/bin/ios-agent; rm -r ios-agent-*-aarch64")
        self.assertIn("AArch64", elf)
        needed = {line.split("[")[1].rstrip("]") for line in elf.splitlines() if "(NEEDED)" in line}
        self.assertEqual(needed, {"libc.so.6", "libm.so.6", "ld-linux-aarch64.so.1"})

    def test_it_says_its_version(self):
        self.assertRegex(self.agent("--version"), r"^ios-agent \d+\.\d+\.\d+$")

    def test_doctor_finds_its_libraries(self):
        rows = self.agent("doctor", "|| true").splitlines()
        for name in ROWS:
            self.assertTrue(any(line.startswith(f"ok    {name} ") for line in rows), (name, rows))

    def test_a_goal_passes(self):
        result = json.loads(self.agent(f"run --json --fresh '{GOAL}'"))
        self.assertEqual(result["result"]["state"], "passed")

    def test_what_every_package_has_is_inside(self):
        names = self.inside("tar -tzf *.tar.gz")
        for part in ("man1/ios-agent-run.1", "completions/ios-agent", "LICENSE", "third-party/libstdc++", "goals/settings.toml"):
            self.assertIn(part, names)


if __name__ == "__main__":
    if missing():
        print(f"skipped: {missing()}")
        sys.exit(77)
    unittest.main()
