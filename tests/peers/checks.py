"""What the tests of other people's clients share: steps that are counted, with the exceptions named, and a phone
that is served as WebDriverAgent serves one.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

ANYTHING = object()
PROGRAM = os.environ["IOS_AGENT"]


class Steps:
    """Counts the steps that went as expected. An exception is a step that is known to fail, with its reason. An exception
    that no longer fails is an error too, so that the list stays true."""

    def __init__(self, exceptions=None):
        self.exceptions = exceptions or {}
        self.good, self.wrong, self.excepted, self.ms = 0, [], [], []

    def do(self, name, act, want=ANYTHING, fails=None):
        """Does one step. want is the expected value, or a function that says whether the value is right; fails is a part of
        the expected error."""
        started = time.monotonic()
        value = error = None
        try:
            value = act()
        except Exception as e:  # pylint: disable=broad-except
            error = f"{type(e).__name__}: {e}"
        self.ms.append((time.monotonic() - started) * 1000)
        if fails is not None:
            right = error is not None and fails in error
        elif error is not None:
            right = False
        else:
            right = want is ANYTHING or (want(value) if callable(want) else value == want)
        self._count(name, right, error if error is not None else repr(value))
        return value

    def _count(self, name, right, shown):
        shown = shown.split("Stacktrace")[0].strip()[:300]
        if name in self.exceptions and not right:
            self.excepted.append(name)
            print(f"except {name}: {shown}")
        elif right and name not in self.exceptions:
            self.good += 1
            if os.environ.get("PEER_VERBOSE"):
                print(f"ok     {self.ms[-1]:6.0f} ms  {name}: {shown[:120]}")
        else:
            self.wrong.append(name)
            print(f"WRONG  {name}: {shown}")

    def end(self, what, expected):
        """Prints the counts; the test fails unless they are those expected: (as wanted, excepted)."""
        total = self.good + len(self.wrong) + len(self.excepted)
        median = sorted(self.ms)[len(self.ms) // 2] if self.ms else 0
        print(f"{what}: {self.good} of {total} as expected, {len(self.excepted)} exceptions; median {median:.1f} ms")
        for name in self.excepted:
            print(f"  exception: {name}: {self.exceptions[name]}")
        unused = set(self.exceptions) - set(self.excepted)
        if self.wrong or unused or (self.good, len(self.excepted)) != expected:
            sys.exit(f"wrong: {self.wrong}; no longer exceptions: {sorted(unused)}; expected {expected}")


class Phone:
    """A phone of its own, served as WebDriverAgent serves one. A context manager. With token it wants .token."""

    def __init__(self, name="peer", token=False):
        self.name, self.with_token, self.token = name, token, None

    def __enter__(self):
        self.home = tempfile.TemporaryDirectory(prefix="ia-peer-")
        self.env = {**os.environ, "IOS_AGENT_HOME": self.home.name, "IOS_AGENT_CONFIG": os.devnull,
                    "IOS_AGENT_NO_DAEMON": "1"}
        command = [PROGRAM, "embedded", "serve", "--protocol", "wda", "--name", self.name, "--json"]
        if self.with_token:
            path = os.path.join(self.home.name, "token")
            command = [PROGRAM, "serve", "--device", f"embedded:{self.name}", "--token-file", path, "--json"]
        self.server = subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE, text=True)
        first = self.server.stdout.readline()
        if not first:
            sys.exit("the phone is not served")
        self.port = json.loads(first)["result"]["port"]
        self.url = f"http://127.0.0.1:{self.port}"
        if self.with_token:
            with open(path, encoding="ascii") as file:
                self.token = file.read().strip()
        return self

    def __exit__(self, *_):
        self.server.terminate()
        code = self.server.wait(timeout=30)
        self.home.cleanup()
        if code not in (0, 130, 143):
            sys.exit(f"the served phone ended with {code}")

    def _read(self, what):
        run = subprocess.run([PROGRAM, "embedded", what, "--device", f"embedded:{self.name}", "--json"], env=self.env,
                             capture_output=True, text=True, check=True, timeout=30)
        return json.loads(run.stdout)["result"]

    def oracle(self):
        """The phone's actual state, whatever its screen shows."""
        return self._read("state")

    def log(self):
        """The operations that reached the phone."""
        return self._read("log")
