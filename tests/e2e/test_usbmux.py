"""usbmux: plugged-in iPhones of a fake usbmuxd, which the tools of libimobiledevice accept as well."""
import os
import plistlib
import shutil
import signal
import socket
import subprocess
import threading
import unittest

from harness import TIMEOUT_S
from usbmux_case import OLD_UDID, UDID, UsbmuxCase

for needed in ("idevice_id", "ideviceinfo", "iproxy"):
    if not shutil.which(needed):
        print(f"skipped: no {needed} (script/bootstrap)")
        raise SystemExit(77)


class Echo:
    """An echo server that counts its connections."""

    def __init__(self, case):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.connections = 0
        threading.Thread(target=self.run, daemon=True).start()
        case.addCleanup(self.listener.close)

    def run(self):
        try:
            while True:
                stream, _ = self.listener.accept()
                self.connections += 1
                threading.Thread(target=self.echo, args=(stream,), daemon=True).start()
        except OSError:
            pass

    @staticmethod
    def echo(stream):
        with stream:
            while data := stream.recv(65536):
                stream.sendall(data)


def exchange(port, data):
    """Sends everything, then reads as many bytes, or those that came before the end."""
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as stream:
        threading.Thread(target=stream.sendall, args=(data,), daemon=True).start()
        got = b""
        while len(got) < len(data):
            try:
                piece = stream.recv(65536)
            except ConnectionResetError:  # it was closed before it read what was sent
                piece = b""
            if not piece:
                break
            got += piece
        return got


class IndependentClients(UsbmuxCase):
    """Other people's programs accept the fake usbmuxd; otherwise tests of our client would prove nothing."""

    def test_idevice_id_lists_what_is_plugged_in(self):
        self.usbmuxd(f"{UDID},dash=no", OLD_UDID)
        self.assertEqual(sorted(self.tool("idevice_id", "-l").split()), sorted([UDID, OLD_UDID]))

    def test_idevice_id_sees_one_phone_by_cable_and_by_wifi(self):
        self.usbmuxd(f"{UDID},network=1")
        self.assertEqual(self.tool("idevice_id", "-l").split(), [UDID])
        self.assertEqual(self.tool("idevice_id", "-n").split(), [UDID])

    def test_ideviceinfo_pairs_and_reads_over_tls(self):
        self.usbmuxd(f"{UDID},name=Ada's iPhone,version=17.2,developer=on")
        self.assertEqual(self.tool("ideviceinfo", "-k", "DeviceName"), "Ada's iPhone\n")
        self.assertEqual(self.tool("ideviceinfo", "-k", "ProductVersion"), "17.2\n")
        mode = self.tool("ideviceinfo", "-q", "com.apple.security.mac.amfi", "-k", "DeveloperModeStatus")
        self.assertEqual(mode, "true\n")
        plist = plistlib.loads(self.tool("ideviceinfo", "-x").encode())
        self.assertEqual(plist["UniqueDeviceID"], UDID)
        self.assertIn("StartSession", [m.get("Request") for m in self.asked()])

    def test_iproxy_reaches_a_port(self):
        echo = Echo(self)
        self.usbmuxd(UDID, ports={8100: echo.port})
        with socket.create_server(("127.0.0.1", 0)) as free:
            local = free.getsockname()[1]
        proxy = subprocess.Popen(
            ["iproxy", "-u", UDID, f"{local}:8100"], env=self.env(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self.addCleanup(self.reap, proxy)
        while True:  # until it listens; the test's own limit ends what never does
            try:
                self.assertEqual(exchange(local, b"hello"), b"hello")
                break
            except ConnectionRefusedError:
                self.assertIsNone(proxy.poll())


class Forward(UsbmuxCase):
    def forward(self, *args):
        return self.started("forward", UDID, *args)

    def end(self, process, signo=signal.SIGTERM):
        process.send_signal(signo)
        out, err = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 0, (out, err))
        return err

    def test_bytes_go_both_ways_unchanged(self):
        echo = Echo(self)
        self.usbmuxd(UDID, ports={8100: echo.port})
        process, at = self.forward("8100")
        self.assertEqual((at["host"], at["udid"], at["device_port"]), ("127.0.0.1", UDID, 8100))
        data = os.urandom(3 << 20)
        self.assertEqual(exchange(at["port"], data), data)
        self.assertIn("stopped by a signal", self.end(process))

    def test_many_connections_at_once_and_more_than_there_are_places(self):
        echo = Echo(self)
        self.usbmuxd(UDID, ports={8100: echo.port})
        process, at = self.forward("8100")
        data = [os.urandom(50000) for _ in range(24)]
        got = [b""] * 24

        def one(i):
            got[i] = exchange(at["port"], data[i])

        threads = [threading.Thread(target=one, args=(i,)) for i in range(24)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(TIMEOUT_S)
        err = self.end(process, signal.SIGINT)
        self.assertEqual([len(g) for g in got], [50000] * 24, err)
        self.assertTrue(got == data)
        self.assertEqual(echo.connections, 24)

    def test_what_the_device_sends_last_arrives_before_the_end(self):
        last = os.urandom(1 << 20)

        def talk(listener):
            stream, _ = listener.accept()
            with stream:
                stream.sendall(last)

        with socket.create_server(("127.0.0.1", 0)) as listener:
            threading.Thread(target=talk, args=(listener,), daemon=True).start()
            self.usbmuxd(UDID, ports={8100: listener.getsockname()[1]})
            process, at = self.forward("8100")
            got = b""
            with socket.create_connection(("127.0.0.1", at["port"]), timeout=TIMEOUT_S) as stream:
                while piece := stream.recv(65536):
                    got += piece
        self.assertTrue(got == last)
        self.end(process)

    def test_the_local_port_may_be_named_and_is_on_loopback_alone(self):
        self.usbmuxd(UDID)
        with socket.create_server(("127.0.0.1", 0)) as free:
            local = free.getsockname()[1]
        process, at = self.forward(f"8100:{local}")
        self.assertEqual(at["port"], local)
        if os.path.exists("/proc/net/tcp"):
            with open("/proc/net/tcp", encoding="ascii") as f:
                listening = [row.split()[1] for row in f if row.split()[3] == "0A"]
            self.assertIn(f"0100007F:{local:04X}", listening)
        taken = self.run_agent("forward", UDID, f"8100:{local}")
        self.assertEqual(taken.code, 2, taken)
        self.assertIn(f"cannot listen on 127.0.0.1:{local}", taken.err)
        self.end(process)

    def test_a_port_where_nothing_listens_ends_the_connection_and_says_so(self):
        self.usbmuxd(UDID)
        process, at = self.forward("8100")
        self.assertEqual(exchange(at["port"], b"x"), b"")
        self.assertIn(f"nothing listens on port 8100 of the iPhone {UDID}", process.stderr.readline())
        self.assertIn("stopped by a signal", self.end(process))

    def test_the_cable_is_preferred_and_the_dash_may_be_missing(self):
        echo = Echo(self)
        self.usbmuxd(f"{UDID},network=1,dash=no", ports={8100: echo.port})
        process, at = self.started("forward", UDID.replace("-", "").lower(), "8100")
        self.assertEqual(at["udid"], UDID)
        self.assertEqual(exchange(at["port"], b"x"), b"x")
        connects = [m for m in self.asked() if m.get("MessageType") == "Connect"]
        self.assertEqual([(m["DeviceID"], m["PortNumber"]) for m in connects], [(1, socket.htons(8100))])
        self.end(process)

    def test_a_phone_is_found_by_its_name(self):
        echo = Echo(self)
        self.usbmuxd(f"{OLD_UDID},name=Ben's", f"{UDID},name=Ada's iPhone", ports={8100: echo.port})
        process, at = self.started("forward", "ada's iphone", "8100")
        self.assertEqual(at["udid"], UDID)
        self.assertEqual(exchange(at["port"], b"x"), b"x")
        self.end(process)
        self.check_error(("forward", "Cy's", "8100"), 3, "NO_DEVICE", 'no iPhone named "Cy\'s"', "ios-agent devices")

    def test_two_phones_of_one_name_are_not_guessed_between(self):
        self.usbmuxd(f"{OLD_UDID},name=Ada's", f"{UDID},name=Ada's")
        for command in (("forward", "Ada's", "8100"), ("snapshot", "--device", "iphone:Ada's")):
            self.check_error(command, 2, "AMBIGUOUS", f"named \"Ada's\": {OLD_UDID}, {UDID}", "UDID")

    def test_completion_offers_what_is_plugged_in(self):
        self.assertNotIn("iphone", self.run_agent("__complete", "devices", "").out)
        self.usbmuxd(f"{UDID},network=1")
        offered = self.run_agent("__complete", "devices", "", env={"IOS_AGENT_TEST_COMPLETE_MS": "20000"}).out
        self.assertIn(f"iphone:{UDID}", offered.split())

    def test_mistakes_are_named(self):
        self.usbmuxd(UDID)
        for ports in ("0", "65536", "x", "8100:", ":8100", "8100:0", "8100:1:2", "-1"):
            result = self.run_agent("forward", "--", UDID, ports)
            self.assertEqual(result.code, 2, (ports, result))
        self.check_error(("forward", OLD_UDID, "8100"), 3, "NO_DEVICE", "is plugged in", "ios-agent devices")

    def test_no_usbmuxd_is_said_with_what_to_install(self):
        error = self.check_error(("forward", UDID, "8100"), 3, "MISSING_DEPENDENCY", self.socket)["error"]
        self.assertIn("apt install usbmuxd", error["hint"])
        bad = {"USBMUXD_SOCKET_ADDRESS": "nowhere"}
        self.check_error(("forward", UDID, "8100"), 2, "CONFIG", "USBMUXD_SOCKET_ADDRESS=nowhere", env=bad)

    def test_a_daemon_on_tcp(self):
        echo = Echo(self)
        self.usbmuxd(UDID, ports={8100: echo.port})

        def carry(stream):
            with stream, socket.socket(socket.AF_UNIX) as there:
                there.connect(self.socket)
                back = threading.Thread(target=copy, args=(there, stream), daemon=True)
                back.start()
                copy(stream, there)
                back.join()

        def copy(source, sink):
            try:
                while data := source.recv(65536):
                    sink.sendall(data)
                sink.shutdown(socket.SHUT_WR)
            except OSError:
                pass

        def accept(listener):
            while True:
                try:
                    stream, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=carry, args=(stream,), daemon=True).start()

        with socket.create_server(("127.0.0.1", 0)) as listener:
            threading.Thread(target=accept, args=(listener,), daemon=True).start()
            address = {"USBMUXD_SOCKET_ADDRESS": f"127.0.0.1:{listener.getsockname()[1]}"}
            process, at = self.started("forward", UDID, "8100", env=address)
            self.assertEqual(exchange(at["port"], b"hello"), b"hello")
            self.end(process)


class Faults(UsbmuxCase):
    """A usbmuxd with wrong answers leads to an error that says so, soon, and to no crash."""

    def test_every_fault_of_an_answer_is_an_error(self):
        table = {
            "cut-now": "closed the connection without an answer",
            "cut-header": "closed the connection in the middle of an answer",
            "cut-body": "closed the connection in the middle of an answer",
            "garbage": "message",
            "no-plist": "no property list",
            "not-xml": "no property list",
            "oversize": "announces an answer of 1073741824 bytes",
            "tiny": "announces an answer of 3 bytes",
            "version": "version 0",
            "kind": "message 1",
            "tag": "answers request 2 instead of 1",
            "bad-version": "without a list",
            "bomb": "no property list",
            "deep": "no property list",
        }
        for fault, says in table.items():
            with self.subTest(fault):
                daemon = self.usbmuxd(UDID, more=("--fault", fault))
                result = self.run_agent("forward", UDID, "8100")
                self.assertEqual(result.code, 3, result)
                self.assertIn(says, result.err)
                self.stop(daemon)

    def test_a_daemon_that_says_nothing_is_given_up(self):
        for fault in ("mute", "stall-body"):
            with self.subTest(fault):
                daemon = self.usbmuxd(UDID, more=("--fault", fault))
                result = self.run_agent("forward", UDID, "8100")
                self.assertEqual(result.code, 4, result)
                self.assertIn("the time ran out while waiting for an answer", result.err)
                self.assertIn("restart usbmuxd", result.err)
                self.stop(daemon)

    def test_who_opens_a_phone_hears_of_a_daemon_that_says_nothing(self):
        self.usbmuxd(UDID, more=("--fault", "mute"))
        for device, code in (("iphone:", 4), ("bridge:", 3)):
            result = self.run_agent("snapshot", "--device", device + UDID)
            self.assertEqual(result.code, code, result)
            self.assertIn("restart usbmuxd", result.err)
            self.assertNotIn("bridge start", result.err)

    def test_a_signal_ends_the_wait(self):
        self.usbmuxd(UDID, more=("--fault", "mute"))
        process = self.start_agent("forward", UDID, "8100")
        while not any(m.get("MessageType") == "ListDevices" for m in self.asked_if_any()):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=3)
        self.assertEqual(process.returncode, 7, err)

    def asked_if_any(self):
        return self.asked() if os.path.exists(self.log_file) else []

    def test_a_fault_of_the_connection_alone_ends_that_connection(self):
        for fault in ("cut-body", "tag", "not-xml", "bad-version"):
            with self.subTest(fault):
                daemon = self.usbmuxd(UDID, more=("--fault", fault, "--only", "Connect"))
                process, at = self.started("forward", UDID, "8100")
                self.assertEqual(exchange(at["port"], b"x"), b"")
                self.assertIn("usbmuxd", process.stderr.readline())
                self.stop(process)
                self.stop(daemon)


if __name__ == "__main__":
    unittest.main()
