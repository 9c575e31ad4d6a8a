"""script/tidy on a clone of two sources: nothing that it remembers hides a finding."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CLEAN = '#include "m/a.h"\n\nint a(int x)\n{\n    if (x > LIMIT) {\n        return 1;\n    }\n    return 0;\n}\n'
NO_BRACES = CLEAN.replace(" {\n        return 1;\n    }", "\n        return 1;")
HEADER = "int a(int x);\n\n#define LIMIT 3\n"


class Tidy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="ios-agent-tidy-")
        self.addCleanup(shutil.rmtree, folder, True)
        self.folder = pathlib.Path(folder).resolve()
        self.root = self.clone("one")
        self.assertEqual(self.tidy(), (0, 2, 0))

    def clone(self, name):
        root = self.folder / name
        (root / "script").mkdir(parents=True)
        shutil.copy(SOURCE / "script/tidy", root / "script")
        shutil.copy(SOURCE / ".clang-tidy", root)
        (root / "src/m").mkdir(parents=True)
        (root / "tests").mkdir()
        (root / "build/tidy/include/m").mkdir(parents=True)
        (root / "build/tidy/include/m/m").symlink_to(root / "src/m")
        self.root = root
        self.write("src/m/a.h", HEADER)
        self.write("src/m/a.c", CLEAN)
        self.write("tests/t.c", CLEAN)
        self.compile_with("-Wall")
        return root

    def write(self, name, text):
        path = self.root / name
        path.write_text(text)
        os.utime(path, (1, 1))  # what is newer than a run is not remembered by it

    def compile_with(self, flags):
        build = self.root / "build/tidy"
        command = f"clang -I{build}/include/m {flags} -Werror -o x.o -c {self.root}/"
        entries = [{"directory": str(build), "file": f"{self.root}/{name}", "command": command + name}
                   for name in ("src/m/a.c", "tests/t.c")]
        (build / "compile_commands.json").write_text(json.dumps(entries))

    def tidy(self, *args):
        """Exit status, sources checked, sources with findings."""
        done = subprocess.run(
            [sys.executable, self.root / "script/tidy", "--no-configure", *args],
            env={**os.environ, "IA_TIDY_CACHE": str(self.folder / "cache")},
            capture_output=True, text=True, timeout=300, check=False)
        self.out = done.stdout
        words = done.stdout.splitlines()[-1].split()
        self.assertEqual(words[1:3], ["2", "sources,"], done)
        return done.returncode, int(words[3]), int(words[5])

    def test_what_was_clean_is_not_checked_again(self):
        self.assertEqual(self.tidy(), (0, 0, 0))
        self.assertEqual(self.tidy("--full"), (0, 2, 0))

    def test_another_clone_profits(self):
        self.clone("two")
        self.assertEqual(self.tidy(), (0, 0, 0))

    def test_a_finding_is_found_every_time_until_it_is_fixed(self):
        self.write("src/m/a.c", NO_BRACES)
        for _ in range(2):
            self.assertEqual(self.tidy(), (1, 1, 1))
            self.assertIn("readability-braces-around-statements", self.out)
        self.write("src/m/a.c", CLEAN)
        self.assertEqual(self.tidy(), (0, 0, 0))

    def test_a_warning_of_clang_is_a_finding_in_the_program_and_in_tests(self):
        for name in ("src/m/a.c", "tests/t.c"):
            self.write(name, CLEAN.replace("    if", "    int unused = 2;\n    if"))
            self.assertEqual(self.tidy(), (1, 1, 1), name)
            self.assertIn("unused", self.out)
            self.write(name, CLEAN)

    def test_tests_are_not_read_by_clang_tidy(self):
        self.write("tests/t.c", NO_BRACES)
        self.assertEqual(self.tidy(), (0, 1, 0))

    def test_a_changed_header_sends_its_users_back(self):
        self.write("src/m/a.h", HEADER + "\n/* LIMIT is arbitrary. */\n")
        self.assertEqual(self.tidy(), (0, 2, 0))
        self.write("src/m/a.h", HEADER + "#define TWICE(x) (x * 2)\n")
        self.assertEqual(self.tidy(), (1, 2, 1))
        self.assertIn("bugprone-macro-parentheses", self.out)

    def test_a_suppression_that_is_removed_uncovers_the_finding(self):
        self.write("src/m/a.c", NO_BRACES.replace("LIMIT)", "LIMIT) // NOLINT"))
        self.assertEqual(self.tidy(), (0, 1, 0))
        self.write("src/m/a.c", NO_BRACES)
        self.assertEqual(self.tidy(), (1, 1, 1))

    def test_other_flags_and_other_checks_count(self):
        self.compile_with("-Wall -Wextra")
        self.assertEqual(self.tidy(), (0, 2, 0))
        self.write(".clang-tidy", "Checks: '-*,bugprone-*'\nWarningsAsErrors: '*'\n")
        self.assertEqual(self.tidy(), (0, 2, 0))

    def test_a_source_that_does_not_compile_is_a_finding(self):
        self.write("tests/t.c", '#include "missing.h"\n')
        self.assertEqual(self.tidy(), (1, 1, 1))
        self.assertIn("missing.h", self.out)

    def test_what_changes_during_a_run_is_not_remembered(self):
        self.write("src/m/a.c", CLEAN + "\n")
        os.utime(self.root / "src/m/a.c", (2**32, 2**32))
        for _ in range(2):
            self.assertEqual(self.tidy(), (0, 1, 0))


if __name__ == "__main__":
    if not (shutil.which("clang") and shutil.which("clang-tidy")):
        print("skipped: clang-tidy was not found (script/bootstrap installs it)")
        sys.exit(77)
    unittest.main()
