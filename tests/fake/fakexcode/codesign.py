"""codesign: ad hoc signatures, from the inside to the outside."""
import os

from fakexcode import bundle
from fakexcode.world import Answer

TYPES = {
    "path": lambda s: s.startswith("/"),
    "plist": lambda s: s.startswith("/") and s.endswith(".plist"),
}


def sign(world, args):
    for path in args.all("path"):
        if not os.path.exists(path):
            return Answer("", f"{path}: No such file or directory\n", 1)
        for inside in bundle.nested(path) if path.endswith(".app") else []:
            if os.path.isdir(inside) and not bundle.is_signed(inside):
                return Answer("", f"{path}: code object is not signed at all\nIn subcomponent: {inside}\n", 1)
    for path in args.all("path"):
        bundle.sign(path)
    return Answer("", "".join(f"{p}: replacing existing signature\n" for p in args.all("path")))


RULES = [
    ("--force --sign - --entitlements <plist> <path>", sign),
    ("--force --sign - <path>...", sign),
]
