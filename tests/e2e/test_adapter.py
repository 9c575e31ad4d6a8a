"""The prompt template drives a phone: docs/adapter.py with scripted models."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

from harness import PROGRAM, SOURCE, TIMEOUT_S, Case

# Picks by what the prompt says alone: the first action whose label is the next of its words.
MODEL = r"""
import pathlib, re, sys
prompt = sys.stdin.read()
folder = pathlib.Path(sys.argv[1])
(folder / f"prompt{len(list(folder.glob('prompt*')))}").write_text(prompt)
history = prompt.split("What was done so far:\n")[1]
wanted = [w for w in sys.argv[2:] if f"tapped" not in history or not re.search(rf"tapped \d+ [a-z:]+ {w}", history)]
line = next((l for l in prompt.splitlines() if wanted and re.fullmatch(rf'\["tap", "@e\d+"\]  {wanted[0]}', l)), None)
print("I look at the screen first.")
print(line.split("  ")[0] if line else '["done", "all was tapped"]' if not wanted else '["blocked", "not there"]')
"""


class Adapter(Case):
    def setUp(self):
        super().setUp()
        self.bin = pathlib.Path(self.folder, "bin")
        self.bin.mkdir()
        (self.bin / "ios-agent").symlink_to(PROGRAM)
        self.addCleanup(self.run_agent, "daemon", "stop", env={"IOS_AGENT_NO_DAEMON": None})

    def env(self, **more):
        env = super().env(**{k: v for k, v in more.items() if v is not None})
        env.pop("IOS_AGENT_NO_DAEMON", None)
        return env

    def adapt(self, goal, model, *args):
        script = pathlib.Path(self.folder, "model.py")
        script.write_text(model)
        return subprocess.run([sys.executable, os.path.join(SOURCE, "docs", "adapter.py"), goal, "--", sys.executable,
                               str(script), self.folder, *args], cwd=self.folder, text=True, capture_output=True,
                              env=self.env(PATH=f"{self.bin}:{os.environ['PATH']}"), timeout=TIMEOUT_S, check=False)

    def prompts(self):
        return [p.read_text() for p in sorted(pathlib.Path(self.folder).glob("prompt*"))]

    def test_a_model_that_reads_the_prompt_reaches_the_goal(self):
        done = self.adapt("turn on Airplane Mode", MODEL, "Settings", "Airplane Mode")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(done.stdout.splitlines()[-1], "done all was tapped")
        self.assertTrue(self.state()["settings"]["airplane_mode"])
        self.assertEqual([e["op"] for e in self.log()], ["tap", "tap"])
        first, second, third = self.prompts()
        for prompt in (first, second, third):
            self.assertIn("Goal: turn on Airplane Mode\n", prompt)
            self.assertNotRegex(prompt, r"\{[A-Z]+\}")
        self.assertIn("nothing yet", first)
        self.assertIn("com.apple.springboard", first)
        self.assertIn("com.apple.Preferences", second)
        self.assertIn("switch:on Airplane Mode", third)
        fences = [re.search(r"between (\S+) lines", p)[1] for p in (first, second)]
        self.assertNotEqual(*fences)  # a screen cannot know the next one

    def test_what_the_prompt_did_not_offer_is_not_done(self):
        for answer in ('["tap", "@e999"]', '["uninstall", "com.apple.Preferences"]', '["type", "@e3", "x"]', "no JSON", "{}",
                       "[1]", '["tap"]', '["run", "open Settings"]'):
            model = (f"import pathlib, sys\nprompt = sys.stdin.read()\npathlib.Path(sys.argv[1], 'prompt').write_text(prompt)\n"
                     f"print('[\"blocked\", \"refused\"]' if 'refused' in prompt else {answer!r})\n")
            done = self.adapt("anything", model)
            self.assertEqual(done.returncode, 1, done)
            self.assertIn("refused, it is not among the actions", self.prompts()[-1], answer)
        self.assertEqual(self.log(), [])

    def test_a_model_that_goes_in_circles_is_stopped(self):
        done = self.adapt("anything", "print('[\"press\", \"home\"]')")
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (1, "too many steps"), done)


if __name__ == "__main__":
    unittest.main()
