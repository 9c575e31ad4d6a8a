"""A model that goes by pictures, over the Messages API as the service speaks it.

It is a program and no model: it sees what a request carries, and nothing else. It reads the list of marks and the
lines of text in the results of its calls, and where that is not enough it decodes the pictures' pixels. It knows
nothing of the phone's state. What it looks for is written down for each goal, as steps:

    tap TEXT          taps the line of text that reads so, and swipes until it is there
    press TEXT        likewise, the lowest of several
    beside TEXT       taps the mark at the right end of the lowest row that reads so
    colour RRGGBB     taps the mark whose middle has that colour
    corner            taps the mark in the upper right corner
    find WORDS        has the picture looked at for that (the other model: pixels)
    type TEXT         types where the keyboard is; a `!` at the end presses return
    draw [[x,y],…]    draws
    look              captures the screen
    wait TEXT         waits until the picture has that text
"""
import base64
import json
import re
import struct
import zlib

import lying_model

LINE = re.compile(r"^([\d.]+),([\d.]+) ([\d.]+)x([\d.]+) (\d+)% (.*)$", re.M)
MARK = re.compile(r"^(\d+) at ([\d.]+),([\d.]+) ([\d.]+)x([\d.]+) #([0-9a-f]{6})$", re.M)
SWIPES = 6


# ---- pictures ----

class Picture:
    """A PNG of 8-bit RGB or RGBA, as pixels."""

    def __init__(self, data):
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        self.width, self.height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", data[16:29])
        assert depth == 8 and kind in (2, 6) and not interlaced
        self.size = {2: 3, 6: 4}[kind]
        at, packed = 8, b""
        while at < len(data):
            n, = struct.unpack(">I", data[at:at + 4])
            packed += data[at + 8:at + 8 + n] if data[at + 4:at + 8] == b"IDAT" else b""
            at += n + 12
        self.rows = self.unfilter(zlib.decompress(packed))

    def unfilter(self, raw):
        size, stride = self.size, self.width * self.size
        rows, before = [], bytearray(stride)
        for y in range(self.height):
            at = y * (stride + 1)
            kind, row = raw[at], bytearray(raw[at + 1:at + 1 + stride])
            if kind == 2:
                row = bytearray((a + b) & 255 for a, b in zip(row, before))
            elif kind:
                for i in range(stride):
                    left = row[i - size] if i >= size else 0
                    up, corner = before[i], before[i - size] if i >= size else 0
                    if kind == 1:
                        add = left
                    elif kind == 3:
                        add = (left + up) // 2
                    else:
                        p = left + up - corner
                        add = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
                    row[i] = (row[i] + add) & 255
            rows.append(row)
            before = row
        return rows

    def at(self, x, y):
        i = int(x) * self.size
        return tuple(self.rows[int(y)][i:i + 3])

    def like(self, x, y, colour, near=24):
        return all(abs(a - b) <= near for a, b in zip(self.at(x, y), colour))

    def places(self, colour, box=None):
        """All points of that colour in x0, y0, x1, y1."""
        x0, y0, x1, y1 = box or (0, 0, self.width, self.height)
        return [(x, y) for y in range(y0, y1) for x in range(x0, x1) if self.like(x, y, colour)]


def rgb(text):
    return tuple(bytes.fromhex(text))


def images(message):
    for block in message["content"] if isinstance(message["content"], list) else []:
        if block["type"] == "image":
            yield Picture(base64.b64decode(block["source"]["data"]))
        elif block["type"] == "tool_result":
            yield from images({"content": block.get("content", "")})


def lines(text):
    """(x, y, w, h, words) of each line that was read."""
    return [(*map(float, found.groups()[:4]), found[6]) for found in LINE.finditer(text)]


def marks(text):
    """(number, x, y, w, h, colour) of each mark that is no element."""
    return [(int(m[1]), *map(float, m.groups()[1:5]), rgb(m[6])) for m in MARK.finditer(text)]


def bare(text):
    return re.sub(r"[^a-z0-9 ]", "", text.lower()).strip()


# ---- the acting model ----

class Seer:
    """One run. Each call of a step is a turn of its own."""

    def __init__(self, plan, claim, end=True):
        self.turns = self.play(plan, claim, end)
        self.started = False
        self.lost = None  # the step that it could not do

    def next(self, message):
        said = "\n".join(lying_model.texts(message))
        if not self.started:
            self.started = True
            call = next(self.turns)
        else:
            call = self.turns.send(said)
        return [call]

    def play(self, plan, claim, end):
        for step in (s.strip() for s in plan.split(";") if s.strip()):
            word, _, rest = step.partition(" ")
            done = yield from getattr(self, "do_" + word)(rest)
            if not done:
                self.lost = step
                yield "finish", {"verdict": "failed", "summary": f"There is no {step}.", "evidence": []}
        if end:
            yield "read_text", {}
        while True:
            yield "finish", {"verdict": "passed", "summary": "It is done.", "evidence": [{"quote": claim}]}

    @staticmethod
    def line_of(said, text, lowest=False):
        """The line that is the text, else one that begins with it, else one that has it."""
        all_lines = lines(said)
        want = bare(text)
        for fits in (lambda l: bare(l[4]) == want, lambda l: bare(l[4]).startswith(want), lambda l: want in bare(l[4])):
            found = [l for l in all_lines if fits(l) and l[1] > 54]
            if found:
                return found[-1 if lowest else 0]
        return None

    def reach(self, text, lowest=False):
        for _ in range(SWIPES):
            said = yield "read_text", {}
            line = self.line_of(said, text, lowest)
            if line:
                return line
            yield "swipe", {"direction": "up"}
        return None

    def do_press(self, text):
        return (yield from self.do_tap(text, True))

    def do_tap(self, text, lowest=False):
        line = yield from self.reach(text, lowest)
        if line:
            yield "tap_point", {"x": line[0] + line[2] / 2, "y": line[1] + line[3] / 2}
        return line

    def do_beside(self, text):
        line = yield from self.reach(text, True)
        if not line:
            return None
        said = yield "capture_screen", {}
        row = [m for m in marks(said) if abs(m[2] - line[1] - line[3] / 2) < 12 and m[1] > 300]
        if row:
            yield "tap_mark", {"mark": max(row, key=lambda m: m[1])[0]}
        return row

    def do_colour(self, colour):
        said = yield "capture_screen", {}
        found = [m for m in marks(said) if all(abs(a - b) < 8 for a, b in zip(m[5], rgb(colour)))]
        if len(found) == 1:
            yield "tap_mark", {"mark": found[0][0]}
        return len(found) == 1

    def do_corner(self, _):
        said = yield "capture_screen", {}
        found = [m for m in marks(said) if 54 < m[2] < 110 and m[1] > 300]
        if found:
            yield "tap_mark", {"mark": max(found, key=lambda m: m[1])[0]}
        return found

    def do_find(self, words):
        said = yield "find_and_tap", {"description": words}
        return "error" not in said.splitlines()[0]

    def do_type(self, text):
        call = {"text": text.rstrip("!")}
        if text.endswith("!"):
            call["submit"] = True
        yield "type_focused", call
        return True

    def do_draw(self, points):
        yield "draw", {"points": json.loads(points)}
        return True

    def do_look(self, _):
        yield "capture_screen", {}
        return True

    def do_wait(self, text):
        yield "watch_until", {"until": "text", "text": text, "seconds": 30}
        return True


# ---- all of them ----

class Server(lying_model.Server):
    """actors: {case: Seer}; judges: {case: (picture, said) -> bool}, the verifier's eyes, or None where it
    agrees with everything; locate: {words: colour}, where
    another model finds a thing. Keeps the bodies of requests where keep."""

    def __init__(self, actors, judges, locate=None, keep=False):
        self.judges, self.locate, self.keep = judges, locate or {}, keep
        self.bodies = {}
        super().__init__(actors, None)

    def answer(self, body):
        names = {t["name"] for t in body["tools"]}
        messages = body["messages"]
        first = json.dumps(messages[0])
        found = lying_model.CASE.search(first)
        case = int(found[1]) if found else self.case_now
        self.case_now = case
        if self.keep:
            self.bodies.setdefault(case, []).append(body)
        if "verdict" in names:
            picture = list(images(messages[0]))
            said = "\n".join(lying_model.texts(messages[0]))
            judge = self.judges[case]
            agrees = judge is None or (bool(picture) and judge(picture[-1], said))
            return [("verdict", {"agrees": agrees, "reason": "I looked at the picture."})]
        if "locate" in names:
            return [("locate", self.find(list(images(messages[0]))[-1], first))]
        return self.actors[case].next(messages[-1])

    def find(self, picture, text):
        for words, colour in self.locate.items():
            if words in text:
                spots = picture.places(rgb(colour))
                if spots:
                    x, y = sorted(spots)[len(spots) // 2]
                    return {"found": True, "x": x, "y": y, "what": words}
        return {"found": False, "what": "nothing like it"}

    case_now = 0
