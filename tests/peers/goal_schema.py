"""docs/goals.schema.json in taplo, which editors use: every goal file of this project fits it, and mistakes do not."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

NODE = sys.argv.pop(1)
SOURCE = os.environ["IOS_AGENT_SOURCE"]
SCHEMA = os.path.join(SOURCE, "docs/goals.schema.json")
GOAL = '[[goal]]\nname = "a"\ngoal = "b"\n'


def taplo(*files):
    done = subprocess.run(
        ["node", os.path.join(NODE, "node_modules/@taplo/cli/dist/cli.js"), "check", "--schema",
         "file://" + SCHEMA, *files],
        capture_output=True, text=True, timeout=120, cwd=os.path.dirname(files[0]))
    return done.returncode, done.stdout + done.stderr


class GoalSchema(unittest.TestCase):
    def check(self, *texts):
        """Of all at once, as taplo takes seconds to begin."""
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        paths = [os.path.join(folder, f"{n}.toml") for n in range(len(texts))]
        for path, text in zip(paths, texts):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return taplo(*paths)

    def test_the_goal_files_of_this_project_fit(self):
        files = [f for folder in ("goals", "evals")
                 for f in glob.glob(os.path.join(SOURCE, folder, "**/*.toml"), recursive=True)]
        self.assertTrue(files)
        code, said = taplo(*files)
        self.assertEqual(code, 0, said)

    def test_the_example_of_the_documentation_fits(self):
        with open(os.path.join(SOURCE, "docs/goals.md"), encoding="utf-8") as f:
            example = f.read().split("```toml\n")[1].split("```")[0]
        code, said = self.check(example)
        self.assertEqual(code, 0, said)

    def test_mistakes_are_seen(self):
        mistakes = ['expct = ["x"]', "retries = 99", 'verify = "maybe"', 'secrets = ["a b"]',
                    "budget = { max_step = 1 }", 'uses = [{ who = "ada" }]']
        texts = [GOAL + mistake + "\n" for mistake in mistakes] + ['[[goal]]\nname = "a"\n']
        code, said = self.check(*texts)
        self.assertEqual(code, 1, said)
        for n in range(len(texts)):
            self.assertIn(f"{n}.toml", [os.path.basename(w) for w in re.findall(r'path="([^"]*)"', said)], texts[n])


if __name__ == "__main__":
    unittest.main(verbosity=2)
