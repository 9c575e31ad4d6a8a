"""What is installed works from where it lies, without the sources."""
import os
import pathlib
import shutil
import subprocess
import unittest

from harness import SOURCE, TIMEOUT_S, Case

BUILD = os.environ["IOS_AGENT_BUILD"]


class Install(Case):
    def setUp(self):
        super().setUp()
        self.prefix = pathlib.Path(self.folder, "prefix")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", str(self.prefix)], check=True,
                       stdout=subprocess.DEVNULL, timeout=TIMEOUT_S)

    def run_installed(self, *args):
        return subprocess.run([str(self.prefix / "bin" / "ios-agent"), *args], env=self.env(), cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S)

    def test_the_program_runs_a_sample_goal(self):
        goals = self.prefix / "share" / "ios-agent" / "goals"
        self.assertEqual({p.name for p in goals.glob("**/*.toml")},
                         {p.name for p in pathlib.Path(SOURCE, "goals").glob("**/*.toml")})
        done = self.run_installed("sweep", str(goals), "--goal", "Bluetooth stays off")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("1 goal: 1 passed", done.stdout)

    def test_nothing_else_is_installed(self):
        files = {str(p.relative_to(self.prefix)) for p in self.prefix.glob("**/*") if p.is_file()}
        kinds = {f if "/goals/" not in f else "goals" for f in files}
        self.assertEqual(kinds, {"bin/ios-agent", "share/man/man1/ios-agent.1", "goals",
                                 "share/ios-agent/config.example.toml", "share/doc/ios-agent/README.md",
                                 "share/doc/ios-agent/LICENSE"})

    @unittest.skipUnless(shutil.which("man"), "no man here")
    def test_the_man_page_is_found(self):
        page = subprocess.run(["man", "-M", str(self.prefix / "share" / "man"), "-w", "ios-agent"],
                              capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(page.stdout.strip(), str(self.prefix / "share/man/man1/ios-agent.1"), page)


if __name__ == "__main__":
    unittest.main()
