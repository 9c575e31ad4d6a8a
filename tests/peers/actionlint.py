"""actionlint on the workflows for GitHub's runners, with shellcheck on what their steps run.

usage: actionlint.py. Go builds the pinned version on the first run; without Go or its module proxy the test is
skipped (exit status 77). The workflow that `ios-agent init` writes is checked as it is written.
"""
import os
import pathlib
import shutil
import subprocess
import sys

TOOL = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.9"
SOURCE = pathlib.Path(os.environ["IOS_AGENT_SOURCE"])
PLANTED = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ github.nothing }}\n"


def skip(why):
    print("SKIPPED:", why)
    sys.exit(77)


def lint(*files, text=None):
    done = subprocess.run(["go", "run", TOOL, *map(str, files), *(["-"] if text else [])], input=text,
                          capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0 and not done.stdout:
        skip(f"actionlint does not run: {done.stderr.strip()[-300:]}")
    return done


if not shutil.which("go"):
    skip("there is no go")
planted = lint(text=PLANTED)
assert planted.returncode == 1 and "nothing" in planted.stdout, planted
files = [*SOURCE.glob(".github/workflows/*.yml"), SOURCE / "src" / "cli" / "init" / "files" / "github.yml"]
found = lint(*files)
print(f"{len(files)} workflows: {found.stdout or 'nothing found'}")
sys.exit(found.returncode)
