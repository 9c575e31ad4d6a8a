"""What the tests of a fleet share: a real nats-server, workers, a submitter, and a connection of our own.

Each test has a server of its own, with a store of its own.
"""
import base64
import fcntl
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import harness
from harness import PROGRAM, TIMEOUT_S

# Debian's is too old to sync before it acknowledges.
MODULE = "github.com/nats-io/nats-server/v2@v2.10.29"


def find_server():
    """The server, as the Go module that it is; built once for a build folder."""
    folder = os.environ.get("IOS_AGENT_GO_BIN")
    found = shutil.which("nats-server", path=folder) if folder else shutil.which("nats-server")
    if found or not folder:
        return found
    if not shutil.which("go"):
        return None
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not shutil.which("nats-server", path=folder):
            subprocess.run(["go", "install", MODULE], check=True, env={**os.environ, "GOBIN": folder})
    return shutil.which("nats-server", path=folder)


try:
    SERVER = find_server()
    MISSING = "no nats-server, and no Go to build it"
except subprocess.CalledProcessError as error:
    SERVER = None
    MISSING = f"nats-server cannot be built: {error}"


def main():
    if not SERVER:
        print(f"skipped: {MISSING}")
        sys.exit(77)
    unittest.main()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """A nats-server on a port that stays, over kills."""

    def __init__(self, folder, more=""):
        self.folder = folder
        self.port = free_port()
        self.url = f"nats://127.0.0.1:{self.port}"
        self.config = os.path.join(folder, "nats.conf")
        self.more = more
        self.write()
        self.start()

    def write(self):
        with open(self.config, "w", encoding="utf-8") as f:
            f.write(f"host: 127.0.0.1\nport: {self.port}\n"
                    f"jetstream {{ store_dir: \"{self.folder}/js\", sync_interval: always }}\n{self.more}\n")

    def start(self):
        self.process = subprocess.Popen([SERVER, "-c", self.config], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "Server is ready" in line:
                break
        else:
            raise AssertionError("nats-server did not start")
        self.reader = threading.Thread(target=self.process.stderr.read, daemon=True)
        self.reader.start()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()

    def stop(self):
        if self.process.returncode is None:
            self.kill()


class Raw:
    """The protocol of NATS, as far as an attacker needs it."""

    def __init__(self, url, user=None, password=None):
        host, port = re.match(r"nats://([^:]+):(\d+)", url).groups()
        self.socket = socket.create_connection((host, int(port)), timeout=TIMEOUT_S)
        self.file = self.socket.makefile("rb")
        self.info = json.loads(self.file.readline()[5:])
        options = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True, "lang": "test",
                   "version": "1"}
        if user:
            options.update(user=user, **{"pass": password})
        self.send(f"CONNECT {json.dumps(options)}\r\nPING\r\n".encode())
        self.n = 0
        self.wait_pong()

    def send(self, data):
        self.socket.sendall(data)

    def wait_pong(self):
        errors = []
        while True:
            line = self.file.readline()
            if not line:
                raise AssertionError(f"the server closed the connection: {errors}")
            if line.startswith(b"PONG"):
                return errors
            if line.startswith(b"-ERR"):
                errors.append(line.decode().strip())
            elif line.startswith(b"MSG"):
                self.file.read(int(line.split()[-1]) + 2)
            elif line.startswith(b"HMSG"):
                self.file.read(int(line.split()[-1]) + 2)

    def publish(self, subject, body):
        """Errors of the server."""
        self.send(f"PUB {subject} {len(body)}\r\n".encode() + body + b"\r\nPING\r\n")
        return self.wait_pong()

    def request(self, subject, body=b""):
        self.n += 1
        inbox = f"_INBOX.test.{os.getpid()}.{id(self)}.{self.n}"
        self.send(f"SUB {inbox} {self.n}\r\nUNSUB {self.n} 1\r\n"
                  f"PUB {subject} {inbox} {len(body)}\r\n".encode() + body + b"\r\n")
        while True:
            line = self.file.readline()
            if line.startswith((b"MSG", b"HMSG")):
                parts = line.split()
                data = self.file.read(int(parts[-1]) + 2)[:-2]
                return data[int(parts[-2]):] if line.startswith(b"HMSG") else data
            if line.startswith(b"-ERR"):
                raise AssertionError(line)
            if not line:
                raise AssertionError("the server closed the connection")

    def api(self, what, **body):
        return json.loads(self.request(f"$JS.API.{what}", json.dumps(body).encode() if body else b""))

    def messages(self, stream):
        """Subjects and bodies of all that a stream has."""
        state = self.api(f"STREAM.INFO.{stream}")["state"]
        found = []
        for seq in range(state["first_seq"], state["last_seq"] + 1):
            answer = self.api(f"STREAM.MSG.GET.{stream}", seq=seq)
            if "message" in answer:
                m = answer["message"]
                found.append((m["subject"], base64.b64decode(m.get("data", ""))))
        return found

    def close(self):
        self.socket.close()


class Tap:
    """Hears what is published, from when it is made."""

    def __init__(self, url, subject):
        self.raw = Raw(url)
        self.raw.send(f"SUB {subject} 1\r\nPING\r\n".encode())
        self.raw.wait_pong()
        self.heard = []
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        try:
            while line := self.raw.file.readline():
                parts = line.split()
                if line.startswith((b"MSG", b"HMSG")):
                    data = self.raw.file.read(int(parts[-1]) + 2)[:-2]
                    head = int(parts[-2]) if line.startswith(b"HMSG") else 0
                    self.heard.append((parts[1].decode(), data[head:]))
                elif line.startswith(b"PING"):
                    self.raw.send(b"PONG\r\n")
        except OSError:
            pass

    def close(self):
        self.raw.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.raw.file.close()
        self.raw.close()


class Proxy:
    """Between a client and the server: cuts connections, and holds back bytes."""

    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"nats://127.0.0.1:{self.port}"
        self.open = True
        self.delay = 0
        self.cut_off = False
        self.pairs = []
        self.lock = threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while self.open:
            try:
                client, _ = self.listener.accept()
                if self.cut_off:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self.target), timeout=5)
                server.settimeout(None)
            except OSError:
                continue
            with self.lock:
                self.pairs.append((client, server))
            for a, b in ((client, server), (server, client)):
                threading.Thread(target=self.pump, args=(a, b), daemon=True).start()

    def loses(self, a):
        """Whether what comes from that socket gets lost."""
        return False

    def pump(self, a, b):
        try:
            while True:
                data = a.recv(65536)
                if not data:
                    break
                if self.delay:
                    time.sleep(self.delay)
                if not self.loses(a):
                    b.sendall(data)
        except OSError:
            pass
        for s in (a, b):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for s in pair:
                try:
                    s.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                s.close()

    def close(self):
        self.open = False
        self.listener.close()
        self.cut()


class Worker:
    """A worker with a home of its own, which stays over kills."""

    def __init__(self, case, name, url, *args, env=None):
        self.case = case
        self.name = name
        self.url = url
        self.args = args
        self.more = env or {}
        self.home = os.path.join(case.folder, name)
        self.process = None

    def start(self, **env):
        self.close()
        url = ["--fleet", self.url] if self.url else []
        self.process = subprocess.Popen(
            [PROGRAM, "worker", *url, "--name", self.name, *self.args],
            env=self.case.env(IOS_AGENT_HOME=self.home, **{**self.more, **env}), cwd=self.case.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        if self.name not in line:
            process, self.process = self.process, None
            raise AssertionError((line, process.communicate()))
        self.said = [line]
        self.reader = threading.Thread(target=self.read, args=(self.process,), daemon=True)
        self.reader.start()
        return self

    def read(self, process):
        for line in process.stderr:
            self.said.append(line)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self, number=signal.SIGTERM):
        """Its exit status."""
        self.process.send_signal(number)
        return self.process.wait(timeout=TIMEOUT_S)

    def close(self):
        if self.process and self.process.poll() is None:
            self.kill()
        if self.process:
            self.reader.join()
            self.process.stdout.close()
            self.process.stderr.close()


class FleetCase(harness.Case):
    LEASE_S = "2"

    def setUp(self):
        super().setUp()
        self.workers = []

    def fleet(self, more=""):
        self.server = Server(self.folder, more)
        self.addCleanup(self.server.stop)
        return self.server

    def worker(self, name, *args, url=None, env=None, start=True):
        worker = Worker(self, name, url or self.server.url, *args, env=env)
        self.addCleanup(worker.close)
        self.workers.append(worker)
        if start:
            worker.start()
        return worker

    def env(self, **more):
        return super().env(**{"IOS_AGENT_FLEET_LEASE_S": self.LEASE_S, **more})

    def goals(self, n, goal="open Settings, turn on Airplane Mode", more=""):
        path = os.path.join(self.folder, "goals.toml")
        with open(path, "w", encoding="utf-8") as f:
            for i in range(n):
                f.write(f'[[goal]]\nname = "goal {i}"\ngoal = "{goal}"\n{more}\n')
        return path

    def sweep(self, *args, url=None, env=None):
        return self.run_agent("sweep", "--fleet", url or self.server.url, "--demo", "--json", *args, env=env)

    def start_sweep(self, *args, url=None, env=None):
        process = subprocess.Popen([PROGRAM, "sweep", "--fleet", self.server.url if url is None else url, "--demo", "--json", *args],
                                   env=self.env(**(env or {})), cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(self.reap, process)
        return process

    def end_sweep(self, process, code=0):
        """Its result; code: None is any."""
        out, err = process.communicate(timeout=TIMEOUT_S)
        self.assertTrue(out.startswith("{"), (out, err))
        if code is not None:
            self.assertEqual(process.returncode, code, (out, err))
        return json.loads(out)["result"]

    def raw(self):
        raw = Raw(self.server.url)
        self.addCleanup(raw.close)
        return raw

    def tap(self, subject="ia.proposed.>"):
        tap = Tap(self.server.url, subject)
        self.addCleanup(tap.close)
        return tap

    def verdicts(self):
        """What counts: a worker by run."""
        found = {}
        for subject, body in self.raw().messages("IA_VERDICTS"):
            run = subject.rsplit(".", 1)[1]
            self.assertNotIn(run, found, "two verdicts of one run")
            found[run] = json.loads(body)
        return found

    def until(self, what, seconds=TIMEOUT_S):
        """Waits for something that only another process can show."""
        end = time.monotonic() + seconds
        while not what():
            self.assertLess(time.monotonic(), end, "it did not come to pass")
            time.sleep(0.05)
