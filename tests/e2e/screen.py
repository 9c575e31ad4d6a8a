"""What stands on a terminal, from the bytes that were written to it: text, newlines, and the few
sequences that this program uses (cursor up, home, clear to the end, colours)."""
import codecs
import re
import unicodedata

SEQUENCE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")
UNFINISHED = re.compile(r"\x1b(\[[0-9;?]*)?$")


def width_of(text):
    """Columns of a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in text)


class Screen:
    def __init__(self, columns, rows):
        self.columns = columns
        self.rows = rows
        self.lines = [""]  # with what was scrolled out at the top
        self.row = 0
        self.broken = []  # lines that were wider than the terminal
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.unfinished = ""  # the start of a sequence whose rest is still to come

    @property
    def top(self):
        return max(0, len(self.lines) - self.rows)

    def resize(self, columns):
        """As terminals do that cut lines; those that break them again are no harder."""
        self.columns = columns
        self.lines = [line[:columns] for line in self.lines]

    def put(self, character):
        line = self.lines[self.row] + character
        if width_of(line) > self.columns:
            self.broken.append(line)
            self.newline()
            line = character
        self.lines[self.row] = line

    def newline(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append("")

    def sequence(self, numbers, letter):
        if letter == "A":
            self.row = max(self.top, self.row - int(numbers or 1))
        elif letter == "H":
            self.row = self.top
        elif letter == "J":
            del self.lines[self.row + 1:]
            self.lines[self.row] = ""
        elif letter not in "mlh":
            raise AssertionError(f"unknown sequence: {numbers}{letter}")

    def feed(self, data):
        """Bytes as a read returns them: a character or a sequence may be split between two reads."""
        text = self.unfinished + self.decoder.decode(data)
        tail = UNFINISHED.search(text)
        end = tail.start() if tail else len(text)
        self.unfinished = text[end:]
        at = 0
        while at < end:
            found = SEQUENCE.match(text, at)
            if found:
                self.sequence(*found.groups())
                at = found.end()
                continue
            if text[at] == "\n":
                self.newline()
            elif text[at] != "\r":
                self.put(text[at])
            at += 1

    def text(self):
        return "\n".join(self.lines)
