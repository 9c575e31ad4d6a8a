#!/usr/bin/env python3
"""cycles_test.py CC AR NM: cycles.py must find each planted circle, and none where there is none."""

import os
import subprocess
import sys
import tempfile
import unittest

CC, AR, NM = sys.argv[1:4]
CYCLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cycles.py")


def calls(name, *others, tail=""):
    """The source of a file that defines name() and calls the others."""
    declarations = "".join(f"void {o}(void);" for o in others)
    return f"{declarations} void {name}(void); void {name}(void) {{ {''.join(o + '();' for o in others)} }} {tail}"


class Cycles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def compile(self, sources):
        objects = []
        for name, text in sources.items():
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            with open(self.path(name), "w") as out:
                out.write(text)
            subprocess.run([CC, "-c", self.path(name), "-o", self.path(name + ".o")], check=True)
            objects.append(self.path(name + ".o"))
        return objects

    def archive(self, sources):
        subprocess.run([AR, "qc", self.path("libx.a"), *self.compile(sources)], check=True)
        return [self.path("libx.a")]

    def check(self, status, objects, *options, says=()):
        run = subprocess.run([sys.executable, "-B", CYCLES, "--nm", NM, *options, *objects],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(run.returncode, status, run.stdout)
        for text in says:
            self.assertIn(text, run.stdout)

    circle = {"a.c": calls("a", "b"), "b.c": calls("b", "c"), "c.c": calls("c", "a"), "d.c": calls("d", "a")}

    def test_calls_in_one_direction_are_no_circle(self):
        chain = {"a.c": calls("a", "b", "c"), "b.c": calls("b", "c"), "c.c": calls("c")}
        self.check(0, self.archive(chain), says=["3 files"])

    def test_two_files_that_call_each_other_are_found_in_objects(self):
        self.check(1, self.compile({"a.c": calls("a", "b"), "b.c": calls("b", "a")}), says=["2 files"])

    def test_a_circle_of_three_is_found_in_a_library_with_the_symbols_of_each_call(self):
        self.check(1, self.archive(self.circle), says=["3 files", "a.c, b.c, c.c", "c.c -> a.c: "])

    def test_an_address_that_is_taken_counts_as_a_call(self):
        table = "void b(void); void (*const table[])(void) = {b}; void a(void) {}"
        self.check(1, self.compile({"a.c": table, "b.c": calls("b", "a")}), says=["a.c -> b.c: "])

    def test_a_circle_through_a_table_is_found(self):
        reads = "extern %s int table[]; int a(void); int a(void) { return table[0]; }"
        for kind, value in ("const", " = {1}"), ("", " = {1}"), ("", ""):
            table = f"int a(void); {kind} int table[1]{value}; int b(void); int b(void) {{ return a(); }}"
            objects = self.compile({"a.c": reads % kind, "b.c": table})
            self.check(1, objects, says=["2 files", "a.c -> b.c: ", "table"])

    def test_tables_in_one_direction_and_static_ones_are_no_circle(self):
        own = "static const int table[] = {1}; const int *%s(void); const int *%s(void) { return table; }"
        reads = "extern const int other[]; const int *c(void); const int *c(void) { return other; }"
        self.check(0, self.compile({"a.c": own % ("a", "a"), "b.c": own % ("b", "b"),
                                    "c.c": reads, "d.c": "extern const int other[1]; const int other[1] = {1};"}))

    def test_a_file_of_the_same_name_in_another_folder_is_another_file(self):
        self.check(0, self.archive({"one/a.c": calls("a", "b"), "b.c": calls("b", "other"),
                                    "two/a.c": calls("other")}))

    def test_static_functions_of_one_name_and_recursion_are_no_circle(self):
        tail = "static void own(void) {} void %s_user(void); void %s_user(void) { own(); }"
        self.check(0, self.compile({"a.c": calls("a", "a", "b", tail=tail % ("a", "a")),
                                    "b.c": calls("b", tail=tail % ("b", "b"))}))

    def test_an_allowed_file_may_be_part_of_a_circle(self):
        self.check(0, self.archive(self.circle), "--allow", "b.c")

    def test_a_permission_that_is_not_needed_is_an_error(self):
        self.check(1, self.archive(self.circle), "--allow", "b.c", "--allow", "d.c", says=["--allow d.c: it is not"])
        self.check(1, self.archive(self.circle), "--allow", "b.c", "--allow", "x.c", says=["no such file"])

    def test_allowed_data_may_close_a_circle_and_functions_may_not(self):
        table = f"extern const int table[1]; const int table[1] = {{1}}; {calls('b', 'a')}"
        reads = "extern const int table[]; void a(void); int first(void); int first(void) { return table[0]; }"
        objects = self.compile({"a.c": reads + " void a(void) {}", "b.c": table, "d.c": calls("d", "a")})
        self.check(1, objects, says=["a.c -> b.c: "])
        self.check(0, objects, "--allow-data", "b.c")
        self.check(1, objects, "--allow-data", "b.c", "--allow-data", "d.c", says=["--allow-data d.c: its data"])
        self.check(1, objects, "--allow-data", "b.c", "--allow-data", "x.c", says=["no such file"])
        objects = self.compile({"a.c": reads + " void b(void); void a(void) { b(); }", "b.c": table})
        self.check(1, objects, "--allow-data", "b.c", says=["a.c -> b.c: "])

    def test_a_target_without_functions_is_an_error(self):
        self.check(1, self.compile({"a.c": "int only_data = 1;"}), says=["no function"])
        self.check(1, [self.path("missing.o")], says=["cannot read"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
