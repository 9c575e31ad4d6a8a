"""plutil: one key of a property list replaced."""
import plistlib
import re

from fakexcode.world import Answer

TYPES = {
    "key": lambda s: s in ("CFBundleExecutable", "CFBundleName", "CFBundleIdentifier")
    or re.fullmatch("NS[A-Za-z]+UsageDescription", s),
    "text": lambda s: s != "" and not s.startswith("-"),
    "path": lambda s: s.startswith("/") and s.endswith("/Info.plist"),
}


def replace(_world, args):
    path = args.one("path")
    try:
        with open(path, "rb") as f:
            plist = plistlib.load(f)
    except (FileNotFoundError, plistlib.InvalidFileException) as e:
        return Answer(f"{path}: (Could not read property list: {e})\n", "", 1)
    plist[args.one("key")] = args.one("text")
    with open(path, "wb") as f:
        plistlib.dump(plist, f)
    return Answer()


RULES = [("-replace <key> -string <text> <path>", replace)]
