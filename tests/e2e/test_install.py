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
        kinds = {"goals" if "/goals/" in f else f for f in files if not f.startswith("share/man/man1/ios-agent-")}
        self.assertEqual(kinds, {"bin/ios-agent", "share/man/man1/ios-agent.1", "goals",
                                 "share/ios-agent/config.example.toml", "share/doc/ios-agent/README.md",
                                 "share/doc/ios-agent/LICENSE",
                                 "share/bash-completion/completions/ios-agent",
                                 "share/zsh/site-functions/_ios-agent",
                                 "share/fish/vendor_completions.d/ios-agent.fish"})
        overview = self.run_installed("help").stdout.split("Commands:\n")[1].split("\n\n")[0]
        pages = {f"share/man/man1/ios-agent-{line[2:19].strip().replace(' ', '-')}.1"
                 for line in overview.splitlines()}
        self.assertEqual({f for f in files if f.startswith("share/man/man1/ios-agent-")}, pages)
        manifest = pathlib.Path(BUILD, "install_manifest.txt").read_text().splitlines()
        self.assertEqual({str(self.prefix / f) for f in files}, set(manifest))

    @unittest.skipUnless(shutil.which("bash"), "no bash here")
    def test_the_installed_completions_are_of_this_program(self):
        for shell, path in (("bash", "bash-completion/completions/ios-agent"),
                            ("zsh", "zsh/site-functions/_ios-agent"),
                            ("fish", "fish/vendor_completions.d/ios-agent.fish")):
            self.assertEqual((self.prefix / "share" / path).read_text(),
                             self.run_installed("completions", shell).stdout)

    @unittest.skipUnless(shutil.which("man"), "no man here")
    def test_the_man_pages_are_found(self):
        for name in ("ios-agent", "ios-agent-key-set"):
            page = subprocess.run(["man", "-M", str(self.prefix / "share" / "man"), "-w", name],
                                  capture_output=True, text=True, timeout=TIMEOUT_S)
            self.assertEqual(page.stdout.strip(), str(self.prefix / f"share/man/man1/{name}.1"), page)


if __name__ == "__main__":
    unittest.main()
