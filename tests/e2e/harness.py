"""What the end-to-end tests share: the real binary, a home of its own, a terminal, a double.

Every test has a fresh IOS_AGENT_HOME and no variable of the caller's environment but PATH and
what the sanitizers need. Nothing here waits by sleeping: it reads a pipe, a terminal or an exit
status, and the test runner's own time limit ends what hangs.
"""
import codecs
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import unittest

import event_schema

PROGRAM = os.environ["IOS_AGENT"]
SOURCE = os.environ["IOS_AGENT_SOURCE"]


def sample_goals():
    """How many goals the files in goals/ hold."""
    folder = os.path.join(SOURCE, "goals")
    files = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".toml")]
    count = 0
    for name in files:
        with open(name, encoding="utf-8") as f:
            count += f.read().splitlines().count("[[goal]]")
    return count


ADA = (
    "open Contacts, add a contact named Ada Lovelace with phone 555-0100, "
    "check that Ada Lovelace is in the list"
)
# Long enough for a loaded machine under a sanitizer; never the thing that is measured.
TIMEOUT_S = 90
# A shell ignores SIGINT for what it runs in the background, and nohup SIGHUP; children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def png_size(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:16]
    return struct.unpack(">II", data[16:24])


class Result:
    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err

    def envelope(self):
        """stdout as the one envelope that it must be."""
        lines = self.out.splitlines()
        assert len(lines) == 1, f"not one line: {self.out!r} / {self.err!r}"
        envelope = json.loads(lines[0])
        assert set(envelope) == {"status", "stdout", "result", "error"}, envelope
        return envelope

    def events(self):
        return [event_schema.check(json.loads(line)) for line in self.out.splitlines()]

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


class Double:
    """A running `ios-agent mock-api`."""

    def __init__(self, case, args):
        self.process = subprocess.Popen(
            [PROGRAM, "mock-api", *args],
            env=case.env(),
            cwd=case.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.url = self.process.stdout.readline().strip()
        if not self.url.startswith("http://127.0.0.1:"):
            raise AssertionError(self.process.communicate())

    def stop(self):
        """Ends it and returns what it counted."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
            _, self.err = self.process.communicate(timeout=TIMEOUT_S)
        return json.loads(self.err.splitlines()[-1])

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="ios-agent-e2e-")
        self.home = os.path.join(self.folder, "home")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.addCleanup(lambda: event_schema.check_database(os.path.join(self.home, "ios-agent.db")))

    def env(self, **more):
        keep = {k: v for k, v in os.environ.items() if k == "PATH" or k.endswith("SAN_OPTIONS")}
        keep.update(HOME=self.folder, IOS_AGENT_HOME=self.home, TERM="xterm", LC_ALL="C.UTF-8")
        # Commands work in their own process; the tests of the daemon take this out again.
        keep.update(IOS_AGENT_NO_DAEMON="1")
        # No iPhone that happens to be plugged in.
        keep.update(USBMUXD_SOCKET_ADDRESS=f"UNIX:{self.folder}/no-usbmuxd")
        keep.update(more)
        return {k: v for k, v in keep.items() if v is not None}

    def run_agent(self, *args, stdin="", env=None, cwd=None):
        done = subprocess.run(
            [PROGRAM, *args],
            input=stdin,
            env=self.env(**(env or {})),
            cwd=cwd or self.folder,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def start_agent(self, *args, env=None):
        process = subprocess.Popen(
            [PROGRAM, *args],
            env=self.env(**(env or {})),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.reap, process)
        return process

    @staticmethod
    def reap(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    @staticmethod
    def read_event(process, name):
        """Reads events of `run --events` up to the first with that name."""
        for line in process.stdout:
            event = event_schema.check(json.loads(line))
            if event["event"] == name:
                return event
        raise AssertionError(f"no {name}: {process.stderr.read()}")

    def double(self, *args):
        double = Double(self, args)
        self.addCleanup(double.kill)
        return double

    def script(self, *turns, **more):
        """A double that answers by these turns."""
        path = os.path.join(self.folder, f"script{len(os.listdir(self.folder))}.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"turns": list(turns), **more}, f)
        return self.double("--script", path)

    @staticmethod
    def claude(double, key="sk-test-key"):
        """The environment that sends a run to the double."""
        return {"ANTHROPIC_BASE_URL": double.url, "ANTHROPIC_API_KEY": key}

    def state(self, *args):
        """What is true on the phone."""
        result = self.run_agent("embedded", "state", "--json", *args)
        self.assertEqual(result.code, 0, result)
        return result.envelope()["result"]

    def log(self, *args):
        result = self.run_agent("embedded", "log", "--json", *args)
        self.assertEqual(result.code, 0, result)
        return result.envelope()["result"]

    def runs(self):
        return self.run_agent("runs", "--json").envelope()["result"]["runs"]

    def check_error(self, args, code, name, *parts, env=None, stdin=""):
        """The command fails with that status, and says all the parts, in both forms."""
        plain = self.run_agent(*args, env=env, stdin=stdin)
        self.assertEqual(plain.code, code, plain)
        text = plain.out + plain.err
        for part in parts:
            self.assertIn(part, text, plain)
        enveloped = self.run_agent(*args, "--json", env=env, stdin=stdin)
        self.assertEqual(enveloped.code, code, enveloped)
        envelope = enveloped.envelope()
        self.assertEqual(envelope["status"], "error")
        self.assertEqual(envelope["error"]["code"], name, envelope)
        return envelope


class Terminal:
    """The program on a terminal of its own, read until a text appears."""

    def __init__(self, case, *args, env=None, columns=80, rows=24):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                self.resize(0, columns, rows)
                os.chdir(case.folder)
                os.execve(PROGRAM, [PROGRAM, *args], case.env(**(env or {})))
            finally:
                os._exit(127)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.seen = ""
        case.addCleanup(self.close)
        self.status = None

    def read_until(self, text):
        while text not in self.seen:
            if not self.read_some():
                raise AssertionError(f"{text!r} never came: {self.seen!r}")
        return self.seen

    def read_some(self):
        ready, _, _ = select.select([self.fd], [], [], TIMEOUT_S)
        if not ready:
            raise AssertionError(f"nothing came: {self.seen!r}")
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other side is closed
            return False
        self.take(data)
        return bool(data)

    def take(self, data):
        self.seen += self.decoder.decode(data)

    @staticmethod
    def resize(fd, columns, rows):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.fd, text.encode())

    def finish(self):
        """Reads to the end; returns the exit status."""
        while self.read_some():
            pass
        if self.status is None:
            _, status = os.waitpid(self.pid, 0)
            self.status = os.waitstatus_to_exitcode(status)
        return self.status

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)
