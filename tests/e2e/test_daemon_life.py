"""The daemon that device commands start: one for a home, found again, replaced, ended; nothing twice.

A daemon holds the lock of HOME/daemon.lock for as long as it lives: waiting for its end is taking that
lock. Nothing here sleeps to let something happen.
"""
import concurrent.futures
import contextlib
import errno
import fcntl
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from harness import PROGRAM, TIMEOUT_S, Case, Result, Terminal

CLIENTS = 50
RANDOM_KILLS = int(os.environ.get("IOS_AGENT_DAEMON_KILLS", "100"))
NEXT_COMMAND_S = 2
# Where a daemon can be killed on its way up, with a request in hand, and on its way down.
STARTING = ("daemon.locked", "daemon.bound", "daemon.listening", "daemon.ready")
SERVING = ("daemon.request", "daemon.answer")
ENDING = ("daemon.hidden",)


class Life(Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.end_daemons)
        self.homes = {self.home}

    def env(self, **more):
        more.setdefault("IOS_AGENT_NO_DAEMON", None)
        self.homes.add(more.get("IOS_AGENT_HOME") or self.home)
        return super().env(**more)

    # ---- what is known of a daemon

    def end_daemons(self):
        for home in self.homes:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                while self.holds(home):
                    if self.kill_if_ours(home, signal.SIGCONT, signal.SIGKILL):
                        self.wait_for_end(home)

    def kill_if_ours(self, home, *signals):
        """Whether the signals were sent. A daemon that just took the lock has not written its name yet, and
        the one that did may be gone: its number may be anybody's."""
        with contextlib.suppress(ProcessLookupError, FileNotFoundError, KeyError):
            pid = self.pid(home)
            if sys.platform == "linux":
                with open(f"/proc/{pid}/environ", "rb") as environ:
                    if f"IOS_AGENT_HOME={home}".encode() not in environ.read().split(b"\0"):
                        return False
            for signo in signals:
                os.kill(pid, signo)
            return True
        return False

    def lock_text(self, home=None):
        with open(os.path.join(home or self.home, "daemon.lock"), encoding="utf-8") as lock:
            return dict(line.rstrip("\n").split(" ", 1) for line in lock)

    def pid(self, home=None):
        return int(self.lock_text(home)["pid"])

    @staticmethod
    def holds(home):
        """Whether somebody is the daemon of that home."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            with open(os.path.join(home, "daemon.lock"), "rb") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError as error:
                    if error.errno == errno.EWOULDBLOCK:
                        return True
                    raise
        return False

    def wait_for_end(self, home=None, lock=None):
        """Returns when the daemon has ended. lock: its file, opened before."""
        own = lock or open(os.path.join(home or self.home, "daemon.lock"), "rb")
        signal.alarm(TIMEOUT_S)
        fcntl.flock(own, fcntl.LOCK_EX)
        signal.alarm(0)
        own.close()

    def log_text(self):
        with open(os.path.join(self.home, "daemon.log"), encoding="utf-8") as log:
            return log.read()

    def configure(self, text):
        path = os.path.join(self.folder, "config.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return {"IOS_AGENT_CONFIG": path}

    def ok(self, *args, **more):
        result = self.run_agent(*args, **more)
        self.assertEqual(result.code, 0, result)
        return result

    def works_soon(self, **more):
        began = time.monotonic()
        result = self.ok("snapshot", **more)
        self.assertLess(time.monotonic() - began, NEXT_COMMAND_S, result)
        return result

    def status(self, **more):
        return self.ok("daemon", "status", "--json", **more).envelope()["result"]

    def kill(self):
        self.assertTrue(self.kill_if_ours(self.home, signal.SIGKILL))
        self.wait_for_end()

    # ---- starting

    def test_a_captured_first_command_ends_at_once(self):
        done = subprocess.run(
            ["/bin/sh", "-c", 'x=$("$0" snapshot 2>&1); echo "$x"', PROGRAM], env=self.env(),
            cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertIn("Settings", done.stdout)
        self.assertTrue(self.holds(self.home))

    def test_the_next_command_is_served_by_the_same_process(self):
        self.ok("tap", "Settings")
        pid = self.pid()
        self.assertIn("General", self.ok("snapshot").out)
        self.assertEqual(self.pid(), pid)
        self.assertEqual(self.status()["pid"], pid)

    def test_fifty_clients_at_once_start_one_daemon(self):
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            results = list(pool.map(self.look_at, range(CLIENTS)))
        self.assertEqual([r for r in results if r.code != 0 or r.err], [])
        self.assertEqual(self.log_text().count("ready:"), 1)

    def look_at(self, number):
        return self.run_agent("is", "visible", '"Settings"', "--device", f"embedded:p{number}")

    def test_a_daemon_knows_nothing_of_who_started_it(self):
        ends = os.pipe()
        self.addCleanup(os.close, ends[0])
        done = subprocess.run([PROGRAM, "snapshot"], cwd=self.folder, capture_output=True, timeout=TIMEOUT_S,
                              pass_fds=ends, env=self.env(ANTHROPIC_API_KEY="sk-secret", PROBE="1"))
        os.close(ends[1])
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(os.read(ends[0], 1), b"", "somebody still has the other end")
        if sys.platform != "linux":
            return
        proc = f"/proc/{self.pid()}"
        for fd in ("0", "1", "2"):
            self.assertEqual(os.readlink(f"{proc}/fd/{fd}"), "/dev/null")
        self.assertEqual(os.readlink(f"{proc}/cwd"), "/")
        with open(f"{proc}/environ", encoding="utf-8") as file:
            names = {text.split("=")[0] for text in file.read().split("\0") if text}
        self.assertLessEqual({n for n in names if not n.endswith("SAN_OPTIONS")},
                             {"PATH", "HOME", "TMPDIR", "DEVELOPER_DIR", "USBMUXD_SOCKET_ADDRESS", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME",
                              "IOS_AGENT_HOME", "IOS_AGENT_CONFIG"})
        self.assertNotEqual(os.getsid(self.pid()), os.getsid(0))

    def test_a_mistake_is_found_before_anything_is_started(self):
        for args in (["tap"], ["tap", "--nonsense"], ["wait-for", "settled", "--seconds", "soon"]):
            self.assertEqual(self.run_agent(*args).code, 2)
        self.assertFalse(os.path.exists(self.home))

    def test_without_a_daemon_nothing_is_started(self):
        for more in ({"IOS_AGENT_NO_DAEMON": "1"}, {}):
            args = ["snapshot"] if more else ["snapshot", "--no-daemon"]
            self.assertIn("Settings", self.ok(*args, env=more).out)
            self.assertFalse(os.path.exists(os.path.join(self.home, "daemon.lock")))

    # ---- kills

    def test_wherever_a_start_is_killed_the_next_command_works(self):
        for at in STARTING:
            killed = self.run_agent("__daemon", env={"IOS_AGENT_KILL_AT": at})
            self.assertEqual(killed.code, -signal.SIGKILL, at)
            self.works_soon()
            self.ok("daemon", "stop")

    def test_wherever_a_request_is_killed_the_next_command_works(self):
        for at in SERVING:
            daemon = self.start_agent("__daemon", env={"IOS_AGENT_KILL_AT": at})
            self.assertEqual(daemon.stdout.read(), "", "it is ready")
            before = self.operations()
            lost = self.run_agent("press", "home", "--json")
            self.assertEqual(daemon.wait(timeout=TIMEOUT_S), -signal.SIGKILL)
            error = lost.envelope()["error"]
            self.assertEqual((lost.code, error["outcome"], error["retry_safe"]), (3, "unknown", False), at)
            self.assertEqual(self.operations() - before, 1 if at == "daemon.answer" else 0)
            self.works_soon()
            self.ok("daemon", "stop")

    def test_a_daemon_that_is_killed_as_it_ends_leaves_nothing_in_the_way(self):
        for at in ENDING:
            daemon = self.start_agent("__daemon", env={"IOS_AGENT_KILL_AT": at})
            self.assertEqual(daemon.stdout.read(), "")
            self.ok("daemon", "stop")
            self.assertEqual(daemon.wait(timeout=TIMEOUT_S), -signal.SIGKILL)
            self.works_soon()
            self.ok("daemon", "stop")

    def test_a_stop_whose_answer_is_lost_with_the_daemon_is_done(self):
        daemon = self.start_agent("__daemon", env={"IOS_AGENT_KILL_AT": "daemon.answer"})
        self.assertEqual(daemon.stdout.read(), "")
        self.assertEqual(self.ok("daemon", "stop").out, "stopped\n")
        self.assertEqual(daemon.wait(timeout=TIMEOUT_S), -signal.SIGKILL)

    def operations(self):
        """How many operations ever reached the phone."""
        return len(json.loads(self.ok("embedded", "log").out or "[]"))

    def test_random_kills_lose_no_command_that_succeeded_and_repeat_none(self):
        """Each command adds one operation when it succeeds, none or one when its outcome is unknown."""
        chance = random.Random(20261122)
        self.ok("press", "home")
        counted = self.operations()
        outcomes = {"done": 0, "unknown": 0, "not_sent": 0}
        for _ in range(RANDOM_KILLS):
            client = self.start_agent("press", "home", "--json")
            with contextlib.suppress(subprocess.TimeoutExpired):
                client.wait(timeout=chance.uniform(0, 0.02))
            self.kill_if_ours(self.home, signal.SIGKILL)
            out, err = client.communicate(timeout=TIMEOUT_S)
            now = self.operations()
            if client.returncode == 0:
                outcomes["done"] += 1
                self.assertEqual(now - counted, 1, out)
            else:
                outcome = Result(client.returncode, out, err).envelope()["error"]["outcome"]
                outcomes[outcome] += 1
                self.assertIn(now - counted, (0, 1) if outcome == "unknown" else (0,), out)
            counted = now
        self.assertEqual(sum(outcomes.values()), RANDOM_KILLS, outcomes)
        self.works_soon()

    def test_a_stale_socket_is_no_daemon(self):
        self.ok("snapshot")
        self.kill()
        self.assertTrue(os.path.exists(os.path.join(self.home, "daemon.sock")))
        self.assertFalse(self.status()["running"])
        self.works_soon()

    def test_what_is_no_socket_in_its_place_is_left_alone_and_named(self):
        os.makedirs(self.home)
        path = os.path.join(self.home, "daemon.sock")
        with open(path, "w", encoding="utf-8") as file:
            file.write("mine")
        self.check_error(["snapshot"], 3, "DAEMON_START", path, "no socket")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")
        os.unlink(path)
        os.unlink(os.path.join(self.home, "daemon.lock"))
        os.symlink("/etc/passwd", os.path.join(self.home, "daemon.lock"))
        self.check_error(["snapshot"], 3, "DAEMON_START", "daemon.lock")

    def test_somebody_else_at_the_socket_is_not_taken_for_the_daemon(self):
        os.makedirs(self.home)
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(os.path.join(self.home, "daemon.sock"))
            other.listen()
            peer = self.start_agent("daemon", "status", "--json")
            connection, _ = other.accept()
            connection.sendall(b"SSH-2.0-OpenSSH_9\r\n\r\n")
            out, err = peer.communicate(timeout=TIMEOUT_S)
            connection.close()
        self.assertEqual(Result(peer.returncode, out, err).envelope()["error"]["code"], "PROTO")

    # ---- homes

    def test_two_homes_have_two_daemons(self):
        other = os.path.join(self.folder, "other")
        self.ok("tap", "Settings")
        self.assertIn("icon Settings", self.ok("snapshot", env={"IOS_AGENT_HOME": other}).out)
        self.assertNotEqual(self.pid(), self.pid(other))

    def test_a_home_of_200_bytes_works(self):
        runtime = os.path.join(self.folder, "run")
        os.mkdir(runtime)
        for name in ("a", "b"):
            home = os.path.join(self.folder, name * 120, name * (200 - len(self.folder) - 122))
            self.assertGreaterEqual(len(home), 200)
            env = {"IOS_AGENT_HOME": home, "XDG_RUNTIME_DIR": runtime}
            self.ok("tap", "Settings", env=env)
            self.assertIn("General", self.ok("snapshot", env=env).out)
            self.assertTrue(self.lock_text(home)["socket"].startswith(runtime))
            # A cron job has no such variable: it finds the same daemon, by the lock.
            self.assertIn("General", self.ok("snapshot", env={"IOS_AGENT_HOME": home}).out)
        self.assertEqual(len(os.listdir(os.path.join(runtime, f"ios-agent-{os.getuid()}"))), 2)

    def test_a_home_that_cannot_be_written_is_named(self):
        blocked = os.path.join(self.folder, "file")
        with open(blocked, "w", encoding="utf-8"):
            pass
        home = os.path.join(blocked, "home")
        error = self.check_error(["snapshot"], 3, "DAEMON_START", blocked, env={"IOS_AGENT_HOME": home})["error"]
        self.assertEqual(error["outcome"], "not_sent")

    def test_a_read_only_home_is_named(self):
        os.makedirs(self.home, mode=0o500)
        nobody = {}
        if os.getuid() == 0:  # root may write everywhere
            nobody = {"user": 65534, "group": 65534, "extra_groups": []}
            os.chmod(self.folder, 0o755)
            os.chown(self.home, 65534, 65534)
        done = subprocess.run([PROGRAM, "snapshot"], env=self.env(), cwd="/", capture_output=True, text=True,
                              timeout=TIMEOUT_S, **nobody)
        self.assertEqual(done.returncode, 3, done)
        self.assertIn(self.home, done.stderr)
        self.assertIn("make the folder writable", done.stderr)

    @unittest.skipUnless(shutil.which("unshare") and os.getuid() == 0, "no place without /tmp can be made")
    def test_no_tmp_is_needed(self):
        home = tempfile.mkdtemp(dir="/var/tmp")
        self.addCleanup(shutil.rmtree, home, True)
        script = 'mount -t tmpfs -o ro none /tmp 2>/dev/null || exit 77; cd /; exec "$0" snapshot'
        program = shutil.copy2(PROGRAM, os.path.join(home, "ios-agent"))
        done = subprocess.run(["unshare", "-m", "/bin/sh", "-c", script, program], capture_output=True, text=True,
                              env=self.env(IOS_AGENT_HOME=home, HOME=home, TMPDIR="/nowhere"), timeout=TIMEOUT_S)
        if done.returncode in (1, 77) and not done.stdout:
            self.skipTest("no name space can be made here")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("Settings", done.stdout)

    def test_a_home_that_is_removed_ends_its_daemon(self):
        self.ok("snapshot")
        lock = open(os.path.join(self.home, "daemon.lock"), "rb")
        shutil.rmtree(self.home)
        self.wait_for_end(lock=lock)
        self.works_soon()

    # ---- builds

    def builds(self):
        """Two copies of the program, the second of which is newer."""
        paths = []
        for age, name in ((2000, "old"), (1000, "new")):
            path = shutil.copy2(PROGRAM, os.path.join(self.folder, name))
            os.utime(path, (time.time() - age,) * 2)
            paths.append(path)
        return paths

    def by(self, program, *args, **env):
        done = subprocess.run([program, *args], env=self.env(**env), cwd=self.folder, capture_output=True,
                              text=True, timeout=TIMEOUT_S)
        return Result(done.returncode, done.stdout, done.stderr)

    def test_a_newer_build_is_served_once_and_then_replaces_the_daemon(self):
        old, new = self.builds()
        self.assertEqual(self.by(old, "tap", "Settings").code, 0)
        first = self.lock_text()
        lock = open(os.path.join(self.home, "daemon.lock"), "rb")
        self.addCleanup(lock.close)
        served = self.by(new, "snapshot")
        self.assertEqual((served.code, "General" in served.out), (0, True), served)
        self.assertIn("older build", served.err)
        self.wait_for_end(lock=lock)
        after = self.by(new, "snapshot")
        self.assertEqual((after.code, after.err), (0, ""), after)
        self.assertNotEqual(self.lock_text()["build"], first["build"])

    def test_an_older_build_does_not_replace_the_daemon(self):
        old, new = self.builds()
        self.assertEqual(self.by(new, "tap", "Settings").code, 0)
        pid = self.pid()
        for _ in range(3):
            for program in (old, new):
                served = self.by(program, "snapshot")
                self.assertEqual((served.code, served.err, "General" in served.out), (0, "", True), served)
        self.assertEqual(self.pid(), pid)

    def test_a_newer_version_of_the_api_waits_for_the_old_daemon_and_starts_its_own(self):
        old, new = self.builds()
        self.assertEqual(self.by(old, "snapshot").code, 0)
        first = self.pid()
        done = self.by(new, "snapshot", IOS_AGENT_TEST_API="2")
        self.assertEqual((done.code, "Settings" in done.out), (0, True), done)
        self.assertNotEqual(self.pid(), first)
        # And the old one cannot use the new one's daemon, nor end it.
        second = self.pid()
        refused = self.by(old, "press", "home", "--json")
        error = refused.envelope()["error"]
        self.assertEqual((refused.code, error["code"], error["outcome"]), (3, "DAEMON_VERSION", "not_sent"))
        self.assertIn("newer", error["hint"])
        self.assertEqual(self.pid(), second)

    # ---- ends

    def test_an_idle_daemon_ends(self):
        env = self.configure("[daemon]\nidle_seconds = 1\n")
        self.ok("snapshot", env=env)
        self.wait_for_end()
        self.assertIn("nothing was asked", self.log_text())
        self.assertFalse(os.path.exists(os.path.join(self.home, "daemon.sock")))

    def test_a_schedule_that_is_due_soon_keeps_it(self):
        env = self.configure("[daemon]\nidle_seconds = 1\n")
        add = ["schedule", "add", "--name", "s", "--demo", "open Settings"]
        self.ok(*add[:4], "--every", "30m", *add[4:], env=env)
        self.ok("snapshot", env=env)
        self.assertFalse(self.ends_within(3))
        self.ok("schedule", "remove", "s", env=env)
        self.assertTrue(self.ends_within(TIMEOUT_S))

    def ends_within(self, seconds):
        take = "import fcntl, sys; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX)"
        waiter = subprocess.Popen([sys.executable, "-c", take, os.path.join(self.home, "daemon.lock")])
        try:
            return waiter.wait(timeout=seconds) == 0
        except subprocess.TimeoutExpired:
            waiter.kill()
            waiter.wait()
            return False

    def test_stop_says_what_it_did(self):
        self.assertIn("no daemon runs", self.ok("daemon", "stop").out)
        self.ok("snapshot")
        self.assertEqual(self.ok("daemon", "stop").out, "stopped\n")
        self.assertFalse(self.holds(self.home))
        self.assertEqual(self.ok("daemon", "stop", "--json").envelope()["result"]["running"], False)

    def test_commands_that_meet_the_end_of_a_daemon_are_done_by_the_next(self):
        self.ok("snapshot")

        def work(number):
            return [self.look_at(number) for _ in range(25)]

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            working = [pool.submit(work, number) for number in range(3)]
            while not all(w.done() for w in working):
                self.ok("daemon", "stop")
            results = [r for w in working for r in w.result()]
        self.assertEqual([r for r in results if r.code != 0 or r.err], [])
        self.assertGreater(self.log_text().count("ready:"), 2)

    def test_a_person_hears_why_the_first_command_takes_long(self):
        """Somebody has the place and does not answer yet."""
        os.makedirs(self.home)
        with open(os.path.join(self.home, "daemon.lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            terminal = Terminal(self, "snapshot", env={})
            terminal.read_until("starting the daemon …")
        terminal.read_until("Settings")
        self.assertEqual(terminal.finish(), 0)

    def test_restart_gives_another_process(self):
        self.ok("snapshot")
        pid = self.pid()
        self.assertNotEqual(self.ok("daemon", "restart", "--json").envelope()["result"]["pid"], pid)

    def test_a_daemon_in_a_terminal_takes_over_from_one_in_the_background(self):
        self.ok("tap", "Settings")
        background = self.pid()
        front = self.start_agent("daemon")
        for line in front.stdout:
            if "ready:" in line:
                break
        self.assertEqual(self.pid(), front.pid)
        self.assertNotEqual(background, front.pid)
        self.assertIn("General", self.ok("snapshot").out)
        second = self.run_agent("daemon")
        self.assertEqual(second.code, 3, second)
        front.send_signal(signal.SIGTERM)
        front.communicate(timeout=TIMEOUT_S)
        self.assertEqual(front.returncode, 0)

    def test_control_waits_for_no_command(self):
        self.ok("snapshot")
        slow = self.start_agent("wait-for", 'visible "Never"', "--seconds", "60", "--json")
        while not self.status()["lanes"][0].get("holder"):
            self.assertIsNone(slow.poll())
        self.ok("daemon", "status")
        self.assertIsNone(slow.poll())
        self.ok("daemon", "stop", "--now")
        out, err = slow.communicate(timeout=TIMEOUT_S)
        self.assertNotEqual(Result(slow.returncode, out, err).envelope()["error"], None)

    def test_commands_of_a_stopped_machine_go_on_when_it_wakes(self):
        self.ok("snapshot")
        pid = self.pid()
        os.kill(pid, signal.SIGSTOP)
        waiting = self.start_agent("snapshot")
        with self.assertRaises(subprocess.TimeoutExpired):
            waiting.wait(timeout=0.5)
        os.kill(pid, signal.SIGCONT)
        out, err = waiting.communicate(timeout=TIMEOUT_S)
        self.assertEqual((waiting.returncode, "Settings" in out), (0, True), err)
        self.assertEqual(self.pid(), pid)

    def test_http_is_served_when_it_is_asked_for_and_only_with_a_token(self):
        front = self.start_agent("daemon", "--http")
        for line in front.stdout:
            if "ready:" in line:
                break
        address = self.status()["http"]
        self.assertRegex(address, r"^http://127\.0\.0\.1:\d+$")
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(address + "/v1/daemon", timeout=TIMEOUT_S)
        self.assertEqual(refused.exception.code, 401)
        refused.exception.close()
        for port in ("70000", "http"):
            self.assertEqual(self.run_agent("daemon", "--http", port).code, 2)
        self.assertEqual(self.run_agent("daemon", "4848").code, 2)

    # ---- disks and logs

    @unittest.skipUnless(hasattr(resource, "prlimit"), "no limit of another process can be set here")
    def test_a_full_disk_fails_commands_and_not_the_daemon(self):
        self.ok("tap", "Settings")
        pid = self.pid()
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        refused = self.run_agent("press", "home", "--json")
        self.assertEqual(refused.code, 3, refused)
        self.assertIn("error", refused.envelope()["status"])
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        self.ok("press", "home")
        self.assertEqual(self.pid(), pid)

    def test_the_log_is_capped(self):
        os.makedirs(self.home)
        path = os.path.join(self.home, "daemon.log")
        with open(path, "wb") as log:
            log.write(b"x" * (5 << 20))
        self.ok("tap", "Settings")
        self.assertEqual(os.path.getsize(path + ".1"), 5 << 20)
        self.assertIn("ready:", self.log_text())
        self.assertNotIn("General", self.log_text(), "nothing of the screen")
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)

    def test_what_only_we_may_read_is_ours_alone(self):
        self.ok("snapshot")
        for name, mode in (("daemon.sock", 0o600), ("daemon.lock", 0o600), ("daemon.log", 0o600), ("", 0o700)):
            self.assertEqual(os.stat(os.path.join(self.home, name)).st_mode & 0o777, mode, name)

    def test_doctor_goes_the_way_of_the_commands(self):
        self.assertIn("reads the simulated phone", self.ok("doctor").out)
        self.assertTrue(self.holds(self.home))

    def test_doctor_finds_nothing_wrong_with_a_phone_that_is_in_use(self):
        serve = self.start_agent("embedded", "serve", "--protocol", "wda")
        self.assertTrue(serve.stdout.readline().startswith("http://127.0.0.1:"))
        self.assertIn("the simulated phone is in use", self.ok("doctor").out)


if __name__ == "__main__":
    unittest.main()
