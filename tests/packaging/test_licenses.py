"""Every package has the license of each library that is linked in, whichever compiler it was made with; without one none is made."""
import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ["IOS_AGENT_SOURCE"]


class Licenses(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="ios-agent-licenses-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.doc = os.path.join(self.folder, "stage", "ios-agent", "share", "doc")
        self.file("stage/ios-agent/share/doc/LICENSE")
        with open(os.path.join(SOURCE, "packaging/components.tsv"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
        self.linked = {row[0]: row[4] for row in rows if row[2] in ("archive", "header")}
        for package in self.linked.values():
            self.file(f"licenses/{package.replace('-N-', '-14-')}/copyright")

    def file(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(name)

    def finish(self, compiler):
        values = {"CPACK_TEMPORARY_INSTALL_DIRECTORY": os.path.join(self.folder, "stage"), "CPACK_GENERATOR": "TGZ",
                  "CPACK_IA_SOURCE": SOURCE, "CPACK_IA_LICENSES": os.path.join(self.folder, "licenses"),
                  "CPACK_IA_COMPILER": compiler}
        return subprocess.run(["cmake", *(f"-D{k}={v}" for k, v in values.items()), "-P",
                               os.path.join(SOURCE, "packaging", "finish.cmake")], capture_output=True, text=True, check=False)

    def test_each_is_there_with_another_compiler(self):
        done = self.finish("14")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(set(os.listdir(os.path.join(self.doc, "third-party"))), set(self.linked))

    def test_a_missing_one_is_named(self):
        done = self.finish("13")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("libstdc++", done.stderr)
        self.assertIn("gcc-13-base", done.stderr)


if __name__ == "__main__":
    unittest.main()
