"""clang for simulators: what a test bundle is compiled and linked with."""
import json
import os
import re

from fakexcode.world import Answer


def full(pattern):
    return lambda s: re.fullmatch(pattern, s) is not None


TYPES = {
    "triple": full(r"(arm64|x86_64)-apple-ios15\.0-simulator"),
    "macro": full(r'-DIA_VERSION="\d+\.\d+\.\d+\+[0-9a-f]{16}"'),
    "frameworks": full(r"/.*/Developer/Library/Frameworks"),
    "source": full(r"src/(wire|core|xcuitest)/[a-z_A-Z]+\.[cm]"),
    "out": full(r"BridgeTests-Runner\.app/PlugIns/BridgeTests\.xctest/BridgeTests"),
}


def includes(path):
    with open(path, encoding="utf-8") as f:
        return re.findall(r'^ *# *(?:include|import) "([^"]+)"', f.read(), re.M)


def missing_include(path, seen):
    """The first header that clang would not find with -I src, or None."""
    for name in includes(path):
        found = [p for p in (os.path.join(os.path.dirname(path), name), os.path.join("src", name))
                 if os.path.exists(p)]
        if not found:
            return f"{path}:1:10: fatal error: '{name}' file not found"
        if found[0] not in seen:
            seen.add(found[0])
            missing = missing_include(found[0], seen)
            if missing:
                return missing
    return None


def link(world, args):
    if world.sdk != "iphonesimulator":
        return Answer("", "clang: error: no SDK\n", 1)
    folder = args.one("frameworks")
    for name in [a for i, a in enumerate(args.argv) if i and args.argv[i - 1] == "-framework"]:
        if name not in ("Foundation", "CoreGraphics", "UIKit") and not os.path.isdir(f"{folder}/{name}.framework"):
            return Answer("", f"ld: framework '{name}' not found\nclang: error: linker command failed with exit code 1\n", 1)
    for source in args.all("source"):
        if not os.path.exists(source):
            return Answer("", f"clang: error: no such file or directory: '{source}'\n", 1)
        missing = missing_include(source, set())
        if missing:
            return Answer("", missing + "\n1 error generated.\n", 1)
    version = args.one("macro").split('"')[1]
    with open(args.one("out"), "w", encoding="utf-8") as f:
        json.dump({"IA_VERSION": version, "sources": args.all("source")}, f)
    return Answer()


FLAGS = "-std=gnu17 -Os -fno-objc-arc -fobjc-exceptions -fexceptions -bundle -I src <macro>"
PATHS = "-Wl,-rpath,@executable_path/Frameworks -Wl,-rpath,@loader_path/../../Frameworks"
WEAK = " ".join(f"-weak_framework {name}" for name in ("EventKit", "Contacts", "Photos", "CoreLocation", "MapKit"))
RULES = [
    (f"-target <triple> {FLAGS} -F <frameworks> -framework XCTest [-framework XCUIAutomation]"
     f" -framework Foundation -framework CoreGraphics -framework UIKit {WEAK} {PATHS} <source>... -o <out>", link),
]
