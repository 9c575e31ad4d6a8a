#!/usr/bin/env python3
"""A plugged-in iPhone that is not there: usbmuxd, the phone's lockdownd with TLS, its installation proxy, and ports
that lead to servers on this machine.

    fake_usbmuxd.py --socket PATH [--phone UDID,KEY=VALUE...]... [--port DEVICE=LOCAL]... [--log FILE]

Prints "ready" when it listens on the Unix socket PATH, and ends with SIGTERM. Keys of a phone:

    version=18.5        ProductVersion             name=NAME           DeviceName
    network=1           listed a second time, by Wi-Fi, before the entry by USB
    paired=no           no pair record             trust=pending|denied|locked|forgotten   what StartSession answers
    developer=on|off    DeveloperModeStatus        image=mounted|none  a developer image
    dash=no             listed with the UDID's dash left out
    type=iPhone16,1     ProductType

--fault NAME answers every request in a wrong way: see FAULTS. The log has a JSON line for each request.

Facts: libusbmuxd 2.0.2 and libimobiledevice 1.3.0, whose tools are the clients of this in tests/e2e/test_usbmux.py.
"""
import argparse
import json
import os
import plistlib
import re
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time
import warnings

from relay import relay

LOCKDOWN, INSTALLATION, IMAGE_MOUNTER = 62078, 49152, 49153
SERVICE_PORTS = {
    "com.apple.mobile.installation_proxy": INSTALLATION,
    "com.apple.mobile.mobile_image_mounter": IMAGE_MOUNTER,
}
OK, BAD_COMMAND, BAD_DEVICE, REFUSED, BAD_VERSION = 0, 1, 2, 3, 6
BUID = "30142955-444094379208051516"
# What lockdownd answers to StartSession instead of a session.
DISTRUST = {
    "pending": "PairingDialogResponsePending",
    "denied": "UserDeniedPairing",
    "locked": "PasswordProtected",
    "forgotten": "InvalidHostID",
}
APPS = [
    ("com.example.apple-samplecode.UICatalog", "UIKitCatalog", "User"),
    ("com.example.bank", "Bank", "User"),
    ("com.example.shop", "Shop", "User"),
    ("com.example.sketch", "Sketch", "User"),
    ("com.apple.Preferences", "Settings", "System"),
    ("com.apple.MobileAddressBook", "Contacts", "System"),
    ("com.apple.reminders", "Reminders", "System"),
    ("com.apple.MobileSMS", "Messages", "System"),
]


def read_exactly(stream, count):
    data = b""
    while len(data) < count:
        piece = stream.recv(count - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


class Certificate:
    """One self-signed RSA certificate, which is the device's, the host's and the root's."""

    def __init__(self, folder):
        self.key = os.path.join(folder, "fake-usbmuxd.key")
        self.chain = os.path.join(folder, "fake-usbmuxd.pem")
        if not os.path.exists(self.chain):
            command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=fake"]
            command += ["-days", "3650", "-keyout", self.key, "-out", self.chain]
            subprocess.run(command, check=True, capture_output=True)

    def pair_record(self):
        with open(self.chain, "rb") as chain, open(self.key, "rb") as key:
            public, private = chain.read(), key.read()
        return {
            "DeviceCertificate": public,
            "HostCertificate": public,
            "RootCertificate": public,
            "HostPrivateKey": private,
            "RootPrivateKey": private,
            "HostID": "9F1A0B1C-0000-0000-0000-000000000001",
            "SystemBUID": BUID,
            "WiFiMACAddress": "00:11:22:33:44:55",
            "EscrowBag": bytes(32),
        }

    def context(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.chain, self.key)
        context.set_ciphers("ALL:@SECLEVEL=0")  # libimobiledevice offers what old devices know
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            context.minimum_version = ssl.TLSVersion.TLSv1
        return context


class Phone:
    def __init__(self, text, number):
        # Commas are also in values: iPhone16,1.
        udid, *pairs = re.split(r",(?=[a-z]+=)", text)
        self.udid, self.number, self.keys = udid, number, dict(pair.split("=", 1) for pair in pairs)
        self.listed = udid.replace("-", "") if self.keys.get("dash") == "no" else udid

    def entries(self):
        """As the daemon lists it; Wi-Fi has a number of its own."""
        rows = [(self.number, "USB")]
        if self.keys.get("network") == "1":
            rows.insert(0, (self.number + 100, "Network"))
        if self.keys.get("network") == "only":
            rows = [(self.number + 100, "Network")]
        return [self.entry(number, by) for number, by in rows]

    def entry(self, number, by):
        of = {"ConnectionType": by, "DeviceID": number, "SerialNumber": self.listed, "ProductID": 4776}
        if by == "USB":
            of.update(ConnectionSpeed=480000000, LocationID=339881984, UDID=self.listed)
        else:
            # A sockaddr_in of macOS, which begins with its length and its family.
            address = bytes([16, 2, 0, 0, 192, 0, 2, 1]) + bytes(8)
            of.update(EscapedFullServiceName="fake", InterfaceIndex=1, NetworkAddress=address)
        return {"DeviceID": number, "MessageType": "Attached", "Properties": of}

    def values(self, domain):
        if domain == "com.apple.security.mac.amfi":
            known = self.keys.get("developer")
            return {"DeveloperModeStatus": known == "on"} if known else {}
        if domain:
            return {}
        return {
            "DeviceName": self.keys.get("name", "iPhone (simulated)"),
            "DeviceClass": "iPhone",
            "ProductName": "iPhone OS",
            "ProductType": self.keys.get("type", "iPhone16,1"),
            "ProductVersion": self.keys.get("version", "18.5"),
            "BuildVersion": "22F76",
            "HardwareModel": "D83AP",
            "CPUArchitecture": "arm64e",
            "UniqueDeviceID": self.udid,
            "UniqueChipID": 1,
            "WiFiAddress": "00:11:22:33:44:55",
            "ProtocolVersion": "2",
            "PasswordProtected": False,
            "TimeIntervalSince1970": time.time(),
            "TimeZone": "UTC",
            "TimeZoneOffsetFromUTC": 0.0,
            "DevicePublicKey": b"-----BEGIN RSA PUBLIC KEY-----\n-----END RSA PUBLIC KEY-----\n",
        }


class Service:
    """A service of the phone: u32 big-endian and a property list, each way; TLS when that was agreed."""

    def __init__(self, world, phone, stream):
        self.world, self.phone, self.stream = world, phone, stream

    def secure(self):
        self.stream = self.world.certificate.context().wrap_socket(self.stream, server_side=True)

    def read(self, who):
        (size,) = struct.unpack(">I", read_exactly(self.stream, 4))
        message = plistlib.loads(read_exactly(self.stream, size))
        self.world.note(who, message)
        return message

    def write(self, message):
        data = plistlib.dumps(message)
        self.stream.sendall(struct.pack(">I", len(data)) + data)

    def lockdown(self):
        while True:
            message = self.read("lockdown")
            answer, then = self.lockdown_answer(message, message["Request"])
            self.write({"Request": message["Request"], **answer})
            if then:
                then()

    def lockdown_answer(self, message, request):
        if request == "QueryType":
            return {"Type": "com.apple.mobile.lockdown"}, None
        if request == "GetValue":
            return self.value(message), None
        if request == "StartSession":
            refused = DISTRUST.get(self.phone.keys.get("trust"))
            if refused:
                return {"Error": refused}, None
            return {"SessionID": "S1", "EnableSessionSSL": True}, self.secure
        if request == "StartService":
            port = SERVICE_PORTS.get(message["Service"])
            if not port:
                return {"Service": message["Service"], "Error": "InvalidService"}, None
            return {"Service": message["Service"], "Port": port, "EnableServiceSSL": True}, None
        if request == "StopSession":
            return {}, None
        if request in ("Pair", "ValidatePair", "Unpair"):
            return {"Error": "PairingDialogResponsePending"}, None
        return {"Error": "InvalidRequest"}, None

    def value(self, message):
        domain, key = message.get("Domain"), message.get("Key")
        values = self.phone.values(domain)
        answer = {k: v for k, v in (("Domain", domain), ("Key", key)) if v}
        found = values if key is None else values.get(key)
        return {**answer, "Error": "MissingValue"} if found is None else {**answer, "Value": found}

    def installation(self):
        self.secure()
        while True:
            message = self.read("installation_proxy")
            options = message.get("ClientOptions") or {}
            rows = [self.app(row, options) for row in APPS if options.get("ApplicationType") in (None, "Any", row[2])]
            if message["Command"] == "Lookup":
                wanted = options.get("BundleIDs")
                found = {r["CFBundleIdentifier"]: r for r in rows}
                found = {k: v for k, v in found.items() if wanted is None or k in wanted}
                self.write({"LookupResult": found, "Status": "Complete"})
            elif message["Command"] == "Browse":
                part = {"CurrentList": rows, "CurrentIndex": 0, "CurrentAmount": len(rows), "Total": len(rows)}
                self.write({**part, "Status": "BrowsingApplications"})
                self.write({"Status": "Complete"})
            else:
                self.write({"Error": "APIInternalError", "ErrorDescription": message["Command"]})

    @staticmethod
    def app(row, options):
        bundle, name, kind = row
        known = {
            "CFBundleIdentifier": bundle,
            "CFBundleName": name,
            "CFBundleDisplayName": name,
            "CFBundleVersion": "1",
            "CFBundleShortVersionString": "1.0",
            "ApplicationType": kind,
            "Path": f"/Applications/{name}.app",
        }
        wanted = options.get("ReturnAttributes")
        return {k: v for k, v in known.items() if not wanted or k in wanted or k == "CFBundleIdentifier"}

    def image_mounter(self):
        self.secure()
        while True:
            message = self.read("image_mounter")
            mounted = self.phone.keys.get("image") == "mounted"
            if message["Command"] == "LookupImage":
                there = {"ImagePresent": mounted}
                if mounted:
                    there["ImageSignature"] = [b"signature"]
                self.write({**there, "Status": "Complete"})
            else:
                self.write({"Status": "Complete"})


class Fault(Exception):
    pass


def frame(message, tag, version=1, kind=8, length=None):
    data = message if isinstance(message, bytes) else plistlib.dumps(message)
    return struct.pack("<4I", length or 16 + len(data), version, kind, tag) + data


def entity_bomb():
    rows = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    return (
        f'<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY e0 "ha">{rows}]>'
        "<plist><dict><key>DeviceList</key><string>&e9;</string></dict></plist>"
    ).encode()


# What each does to an answer: (bytes, then) with then None, "close" or "hang".
FAULTS = {
    "mute": lambda m, t: (b"", "hang"),
    "cut-now": lambda m, t: (b"", "close"),
    "cut-header": lambda m, t: (frame(m, t)[:9], "close"),
    "cut-body": lambda m, t: (frame(m, t)[:-5], "close"),
    "stall-body": lambda m, t: (frame(m, t)[:-5], "hang"),
    "garbage": lambda m, t: (b"HTTP/1.1 400 Bad Request\r\n\r\n", "close"),
    "no-plist": lambda m, t: (frame(b"<html><body>no</body></html>", t), "close"),
    "not-xml": lambda m, t: (frame(b"\x00\xff" * 20, t), "close"),
    "oversize": lambda m, t: (frame(m, t, length=1 << 30), "hang"),
    "tiny": lambda m, t: (frame(m, t, length=3), "hang"),
    "version": lambda m, t: (frame(m, t, version=0), "close"),
    "kind": lambda m, t: (frame(m, t, kind=1), "close"),
    "tag": lambda m, t: (frame(m, t + 1), "close"),
    "bad-version": lambda m, t: (frame({"MessageType": "Result", "Number": BAD_VERSION}, t), "close"),
    "bomb": lambda m, t: (frame(entity_bomb(), t), "close"),
    "deep": lambda m, t: (frame(b"<plist>" + b"<array>" * 5000 + b"</array>" * 5000 + b"</plist>", t), "close"),
}


class World:
    def __init__(self, args):
        self.args = args
        self.certificate = Certificate(os.path.dirname(os.path.abspath(args.socket)))
        self.phones = [Phone(text, i + 1) for i, text in enumerate(args.phone)]
        self.ports = dict((int(n) for n in text.split("=")) for text in args.port)
        self.log = open(args.log, "a", buffering=1) if args.log else None
        self.lock = threading.Lock()

    def note(self, who, message):
        hidden = ("PairRecordData", "PairRecord", "Label", "ProtocolVersion")
        if self.log:
            with self.lock:
                shown = {k: v for k, v in message.items() if k not in hidden}
                self.log.write(json.dumps({"to": who, **shown}, default=repr) + "\n")

    def by_number(self, number):
        return next((p for p in self.phones if any(e["DeviceID"] == number for e in p.entries())), None)

    def by_record(self, name):
        return next((p for p in self.phones if name in (p.udid, p.listed)), None)

    # ---- the daemon ----

    def answer(self, message):
        """The answer, and whom to connect with (a function) when that was asked for and is possible."""
        kind = message.get("MessageType")
        if kind == "ListDevices":
            return {"DeviceList": [e for p in self.phones for e in p.entries()]}, None
        if kind == "ReadBUID":
            return {"BUID": BUID}, None
        if kind == "ReadPairRecord":
            phone = self.by_record(message.get("PairRecordID"))
            if not phone or phone.keys.get("paired") == "no":
                return self.result(BAD_DEVICE), None
            return {"PairRecordData": plistlib.dumps(self.certificate.pair_record())}, None
        if kind in ("SavePairRecord", "DeletePairRecord", "Listen"):
            return self.result(OK), None
        if kind == "Connect":
            return self.connect(message)
        return self.result(BAD_COMMAND), None

    @staticmethod
    def result(number):
        return {"MessageType": "Result", "Number": number}

    def connect(self, message):
        phone, port = self.by_number(message.get("DeviceID")), socket.ntohs(message.get("PortNumber", 0))
        if not phone:
            return self.result(BAD_DEVICE), None
        services = {
            LOCKDOWN: Service.lockdown,
            INSTALLATION: Service.installation,
            IMAGE_MOUNTER: Service.image_mounter,
        }
        if port in services:
            return self.result(OK), lambda stream: services[port](Service(self, phone, stream))
        try:
            there = socket.create_connection(("127.0.0.1", self.ports[port]))
        except (KeyError, OSError):
            return self.result(REFUSED), None
        return self.result(OK), lambda stream: pass_on(stream, there)

    def serve(self, stream):
        with stream:
            try:
                while self.exchange(stream):
                    pass
            except (EOFError, OSError):
                pass

    def exchange(self, stream):
        """One request; False where the stream belongs to nobody any more."""
        length, version, kind, tag = struct.unpack("<4I", read_exactly(stream, 16))
        message = plistlib.loads(read_exactly(stream, length - 16))
        self.note("usbmuxd", {"version": version, "kind": kind, "tag": tag, **message})
        answer, then = self.answer(message)
        if self.args.delay:
            time.sleep(self.args.delay)
        if self.args.fault and message["MessageType"] in (self.args.only or message["MessageType"]):
            data, end = FAULTS[self.args.fault](answer, tag)
            stream.sendall(data)
            if end == "hang":
                stream.recv(1)
            return False
        stream.sendall(frame(answer, tag))
        if message["MessageType"] == "Listen":
            for entry in self.answer({"MessageType": "ListDevices"})[0]["DeviceList"]:
                stream.sendall(frame(entry, 0))
        if then:
            then(stream)
        return then is None


def pass_on(stream, there):
    relay(stream, there)
    there.close()


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--socket", required=True)
    parser.add_argument("--phone", action="append", default=[])
    parser.add_argument("--port", action="append", default=[])
    parser.add_argument("--log")
    parser.add_argument("--fault", choices=FAULTS)
    parser.add_argument("--only", help="the fault concerns this MessageType alone")
    parser.add_argument("--delay", type=float, default=0, help="seconds before each answer")
    return parser.parse_args()


def main():
    args = arguments()
    world = World(args)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(args.socket)
    os.chmod(args.socket, 0o600)
    listener.listen(32)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    print("ready", flush=True)
    while True:
        stream, _ = listener.accept()
        threading.Thread(target=world.serve, args=(stream,), daemon=True).start()


if __name__ == "__main__":
    main()
