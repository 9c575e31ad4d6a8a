"""A host of the classic requests, written from their bytes alone.

A frame is u32 length, u8 opcode, payload; all little-endian. The reply is A0 with a kind. Nothing
here knows the program's own codec: it is the other side.
"""
import json
import socket
import struct

from harness import TIMEOUT_S

HEARTBEAT, TAP_COORD, TAP_ELEMENT, TAP_BY_LABEL, TAP_WITH_TYPE = 1, 2, 3, 4, 5
TYPE_TEXT, SWIPE, GET_VALUE, LONG_PRESS = 6, 7, 8, 9
DUMP_TREE, SCREENSHOT, SET_TARGET, FIND_ELEMENT = 0x10, 0x11, 0x12, 0x13
GET_TARGET_INFO, BRIDGE_HEALTH, DEVICE_UDID = 0x14, 0x15, 0x16
OK, ERROR, TREE, PNG, VALUE, ELEMENT, TARGET_INFO = range(7)


class AgentError(Exception):
    """The agent answered with an error; its text."""


def text(s):
    raw = s.encode()
    return struct.pack("<I", len(raw)) + raw


def maybe_text(s):
    return b"\0" if s is None else b"\1" + text(s)


def maybe_ms(ms):
    return b"\0" if ms is None else b"\1" + struct.pack("<Q", ms)


class ClassicHost:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)

    def close(self):
        self.socket.close()

    def send(self, opcode, payload=b""):
        self.socket.sendall(struct.pack("<IB", 1 + len(payload), opcode) + payload)

    def read(self, n):
        data = b""
        while len(data) < n:
            more = self.socket.recv(n - len(data))
            if not more:
                raise EOFError(f"the agent closed the connection after {data!r}")
            data += more
        return data

    def frame(self):
        length = struct.unpack("<I", self.read(4))[0]
        return self.read(length)

    def ask(self, opcode, payload=b"", want=OK):
        """Sends a request; returns what of the reply follows its kind."""
        self.send(opcode, payload)
        frame = self.frame()
        assert frame[0] == 0xA0, frame[:80]
        if frame[1] == ERROR:
            raise AgentError(self.string(frame, 2))
        assert frame[1] == want, (frame[1], want)
        return frame[2:]

    @staticmethod
    def string(data, at=0):
        n = struct.unpack_from("<I", data, at)[0]
        assert len(data) == at + 4 + n, (len(data), at, n)
        return data[at + 4:].decode()

    # ---- requests ----

    def heartbeat(self):
        assert self.ask(HEARTBEAT) == b""

    def set_target(self, bundle):
        assert self.ask(SET_TARGET, text(bundle)) == b""

    def tree(self):
        return json.loads(self.string(self.ask(DUMP_TREE, want=TREE)))

    def elements(self):
        """The tree as a flat list."""
        found, rest = [], self.tree()
        while rest:
            element = rest.pop()
            found.append(element)
            rest += element["children"]
        return found

    def tap(self, x, y):
        assert self.ask(TAP_COORD, struct.pack("<ii", x, y)) == b""

    def tap_element(self, identifier, ms=None):
        assert self.ask(TAP_ELEMENT, text(identifier) + maybe_ms(ms)) == b""

    def tap_by_label(self, label, ms=None):
        assert self.ask(TAP_BY_LABEL, text(label) + maybe_ms(ms)) == b""

    def tap_with_type(self, selector, by_label, kind, ms=None):
        payload = text(selector) + bytes([by_label]) + text(kind) + maybe_ms(ms)
        assert self.ask(TAP_WITH_TYPE, payload) == b""

    def type_text(self, s):
        assert self.ask(TYPE_TEXT, text(s)) == b""

    def swipe(self, x0, y0, x1, y1, seconds=None):
        last = b"\0" if seconds is None else b"\1" + struct.pack("<d", seconds)
        assert self.ask(SWIPE, struct.pack("<iiii", x0, y0, x1, y1) + last) == b""

    def long_press(self, x, y, seconds):
        assert self.ask(LONG_PRESS, struct.pack("<iid", x, y, seconds)) == b""

    def value(self, selector, by_label=False, kind=None, ms=None):
        payload = text(selector) + bytes([by_label]) + maybe_text(kind) + maybe_ms(ms)
        data = self.ask(GET_VALUE, payload, want=VALUE)
        return self.string(data, 1) if data[0] else None

    def find(self, selector, by_label=False, kind=None):
        payload = text(selector) + bytes([by_label]) + maybe_text(kind)
        return json.loads(self.string(self.ask(FIND_ELEMENT, payload, want=ELEMENT)))

    def screenshot(self):
        data = self.ask(SCREENSHOT, want=PNG)
        n = struct.unpack_from("<I", data)[0]
        assert len(data) == 4 + n
        return data[4:]

    def target_info(self):
        return json.loads(self.string(self.ask(GET_TARGET_INFO, want=TARGET_INFO)))

    def udid(self):
        data = self.ask(DEVICE_UDID, want=VALUE)
        return self.string(data, 1) if data[0] else None
