"""A home of its own, its daemon, and the dashboard in Chromium: what the benchmarks of the page share."""
import argparse
import contextlib
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
import browser  # noqa: E402


def arguments(**options):
    """The program's path, and numbers by their names with what they are unless given."""
    parser = argparse.ArgumentParser()
    for name, value in options.items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    parser.add_argument("program", nargs="?", default=os.path.join(ROOT, "build", "bench", "src", "cli", "ios-agent"))
    args = parser.parse_args()
    args.program = os.path.abspath(args.program)
    return args


class Page:
    def __init__(self, program, home, b):
        self.program, self.home, self.browser = program, home, b
        self.env = {k: v for k, v in os.environ.items() if k == "PATH"} | {"IOS_AGENT_HOME": home, "HOME": home}

    def run(self, *args):
        return subprocess.run([self.program, *args], env=self.env, cwd=self.home, capture_output=True, text=True, check=True)

    def address(self):
        """One to sign in by, once."""
        return self.run("dashboard", "--print").stdout.strip()

    def sign_in(self):
        self.browser.open(self.address())
        self.browser.wait_until("document.querySelector('.dot.is-live')")


@contextlib.contextmanager
def served(program, prepare=None):
    """A Page, signed in nowhere yet; prepare(home) fills the home before the daemon starts."""
    with tempfile.TemporaryDirectory(prefix="ia-bench-") as home, browser.Browser(browser.find()) as b:
        page = Page(program, home, b)
        if prepare:
            prepare(home)
        daemon = subprocess.Popen([program, "daemon", "--http"], env=page.env, cwd=home, stdout=subprocess.PIPE, text=True)
        try:
            next(line for line in daemon.stdout if "ready:" in line)
            yield page
        finally:
            daemon.terminate()
            daemon.communicate(timeout=60)
