"""Claude Code takes the marketplace and the plugin: validates, adds, installs, and lists what they have.

usage: plugin.py BUILD_DIR; IOS_AGENT_SOURCE names the sources. Nothing here needs a network or an account.
"""
import glob
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["IOS_AGENT_SOURCE"]
BUILD = sys.argv.pop(1)


class Plugin(unittest.TestCase):
    def setUp(self):
        found = glob.glob(os.path.join(BUILD, "node_modules/@anthropic-ai/claude-code-*/claude"))
        self.assertEqual(len(found), 1, "no program for this system in the package")
        self.program = found[0]
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)

    def claude(self, *args):
        env = {"PATH": os.environ["PATH"], "HOME": self.home.name, "DISABLE_AUTOUPDATER": "1",
               "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        done = subprocess.run([self.program, "plugin", *args], env=env, cwd=SOURCE, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_both_manifests_are_valid_also_strictly(self):
        for folder in (".", "plugin"):
            self.assertIn("Validation passed", self.claude("validate", "--strict", folder))

    def test_it_can_be_installed_and_has_a_skill_and_a_server(self):
        self.claude("marketplace", "add", SOURCE)
        self.claude("install", "ios-agent@ios-agent")
        self.assertIn("ios-agent@ios-agent", self.claude("list"))
        details = self.claude("details", "ios-agent@ios-agent")
        self.assertIn("Skills (1)  ios-agent", details)
        self.assertIn("MCP servers (1)  ios-agent", details)


if __name__ == "__main__":
    unittest.main()
