"""script/release refuses what must not be released; the Homebrew formula names what a build needs."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ["IOS_AGENT_SOURCE"]
# What macOS has, and what is of the compiler.
OF_THE_SYSTEM = {"curl", "sqlite"}
STUB = """
class Formula
  FACTS = { dep: [], mac: [] }
  def self.method_missing(name, *args, &block); FACTS[name] = args[0] if args[0].is_a?(String); end
  def self.depends_on(what); FACTS[:dep] << (what.is_a?(Hash) ? what.keys[0] : what); end
  def self.uses_from_macos(what); FACTS[:mac] << what; end
  def self.test; end
end
load ARGV[0]
Formula::FACTS[:dep].each { |d| puts "dep " + d }
Formula::FACTS[:mac].each { |d| puts "mac " + d }
[:desc, :homepage, :url, :version, :sha256, :license].each { |k| puts "#{k} #{Formula::FACTS[k]}" }
abort "no install" unless IosAgent.method_defined?(:install)
"""
# Makes a file for each architecture, and none for arm64 where NO_ARM64 says so.
STAND_IN = """#!/bin/bash
arch=amd64
[ "$1" != --arch ] || { arch=$2; shift 2; }
[ "$arch" = amd64 ] || [ -z "${NO_ARM64:-}" ] || exit 3
mkdir -p "$1" && cd "$1" && echo $arch >ios-agent-$arch && sha256sum ios-agent-$arch >SHA256SUMS
"""


def run(*args, **more):
    return subprocess.run(args, capture_output=True, text=True, check=False, **more)


class Release(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="ios-agent-release-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.clone = os.path.join(self.folder, "clone")
        self.git("clone", "-q", "--shared", SOURCE, self.clone, cwd=self.folder)
        for name in ("script/release", "script/package", "script/lib.sh", "packaging/homebrew/ios-agent.rb.in"):
            os.makedirs(os.path.dirname(os.path.join(self.clone, name)), exist_ok=True)
            shutil.copy2(os.path.join(SOURCE, name), os.path.join(self.clone, name))
        # No packages are built here (test_package.py does that).
        self.write("script/package", STAND_IN)
        self.write("CHANGELOG.md", "# Changelog\n\n## [7.8.9] - 2026-01-01\n\nAll of it.\n")
        with open(os.path.join(self.clone, "CMakeLists.txt"), encoding="utf-8") as f:
            text = re.sub(r"project\(ios-agent VERSION \S+", "project(ios-agent VERSION 7.8.9", f.read())
        self.write("CMakeLists.txt", text)
        self.commit()
        self.tested()

    def git(self, *args, cwd=None):
        done = run("git", "-c", "user.name=t", "-c", "user.email=t@invalid", *args, cwd=cwd or self.clone)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def write(self, name, text):
        with open(os.path.join(self.clone, name), "w", encoding="utf-8") as f:
            f.write(text)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "change")

    def tested(self):
        os.makedirs(os.path.join(self.clone, "build"), exist_ok=True)
        self.write("build/tested", self.git("rev-parse", "HEAD^{tree}") + "\n")

    def release(self, *args, **more):
        env = dict(os.environ, GIT_COMMITTER_NAME="t", GIT_COMMITTER_EMAIL="t@invalid", **more)
        return run(os.path.join(self.clone, "script/release"), *args, env=env)

    def refused(self, why, version="7.8.9"):
        done = self.release(version)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn(why, done.stderr)
        self.assertIn("hint: ", done.stderr)
        self.assertEqual(run("git", "tag", "-l", "v7.8.*", cwd=self.clone).stdout, "")

    def test_an_unclean_tree_is_refused(self):
        self.write("new.c", "int x;\n")
        self.refused("unclean")

    def test_an_untested_tree_is_refused(self):
        self.write("README.md", "changed\n")
        self.commit()
        self.refused("untested")

    def test_a_version_that_the_build_does_not_have_is_refused(self):
        self.refused("does not name version 7.8.8", "7.8.8")

    def test_a_version_without_changes_is_refused(self):
        self.write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n")
        self.commit()
        self.tested()
        self.refused("no section")

    def test_words_that_are_no_version_are_refused(self):
        for args in ((), ("7.8",), ("v7.8.9",), ("7.8.9; true",)):
            self.assertEqual(self.release(*args).returncode, 2, args)

    def test_a_release_is_tagged_once_and_has_a_formula(self):
        done = self.release("7.8.9", "https://example.invalid/ios-agent-7.8.9.tar.gz")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.git("cat-file", "-t", "v7.8.9"), "tag")
        dist = os.path.join(self.clone, "build/dist")
        sums = run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=dist)
        self.assertEqual(sums.returncode, 0, sums)
        self.assertEqual(sums.stdout.count("OK"), 3, sums)
        self.formula(os.path.join(dist, "ios-agent.rb"))
        again = self.release("7.8.9")
        self.assertEqual(again.returncode, 1)
        self.assertIn("is there", again.stderr)

    def test_where_arm64_cannot_be_built_the_release_says_so(self):
        done = self.release("7.8.9", NO_ARM64="1")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("without a tarball for arm64", done.stderr)
        self.assertNotIn("ios-agent-arm64", os.listdir(os.path.join(self.clone, "build/dist")))

    def formula(self, path):
        if not shutil.which("ruby"):
            self.skipTest("ruby is not here")
        checked = run("ruby", "-wc", path)
        self.assertEqual((checked.returncode, checked.stdout.strip()), (0, "Syntax OK"), checked)
        done = run("ruby", "-e", STUB, path)
        self.assertEqual(done.returncode, 0, done)
        facts = [line.partition(" ") for line in done.stdout.splitlines()]
        one = {k: v for k, _, v in facts}
        self.assertEqual((one["version"], one["license"]), ("7.8.9", "MIT"))
        # As brew audit asks: 80 characters, no article, no name, no full stop.
        self.assertLessEqual(len(one["desc"]), 80)
        self.assertRegex(one["desc"], r"^(?!An? |The |ios-agent)[A-Z].*[^.]$")
        self.assertRegex(one["sha256"], r"^[0-9a-f]{64}$")
        depends = [v for k, _, v in facts if k == "dep"]
        builds = ("cmake", "ninja", "pkgconf", "tomlplusplus")
        self.assertEqual(depends, sorted(builds) + sorted(d for d in depends if d not in builds))
        with open(os.path.join(SOURCE, "packaging/components.tsv"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
        self.assertEqual(set(depends) - {"cmake", "ninja", "pkgconf"}, {row[5] for row in rows} - {"-"})
        self.assertEqual({v for k, _, v in facts if k == "mac"}, OF_THE_SYSTEM)


if __name__ == "__main__":
    unittest.main()
