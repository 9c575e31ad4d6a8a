"""Questions to xcrun itself."""
from fakexcode.world import Answer

DEVELOPER = "/Applications/Xcode.app/Contents/Developer"
TYPES = {
    "sdk": lambda s: s in ("iphonesimulator", "iphoneos", "macosx"),
    "tool": lambda s: s != "" and "/" not in s and not s.startswith("-"),
}


def platform_path(world, _args):
    default = DEVELOPER + "/Platforms/iPhoneSimulator.platform"
    return Answer(world.setup.get("platform_path", default) + "\n")


def sdk_path(world, args):
    sdk = "/Developer/SDKs/iPhoneSimulator.sdk\n"
    return Answer(platform_path(world, args).out.rstrip("\n") + sdk)


def find(_world, args):
    return Answer(f"{DEVELOPER}/usr/bin/{args.one('tool')}\n")


RULES = [
    ("--sdk <sdk> --show-sdk-platform-path", platform_path),
    ("--sdk <sdk> --show-sdk-path", sdk_path),
    ("--sdk <sdk> --show-sdk-version", lambda w, _a: Answer(w.setup.get("sdk", "26.2") + "\n")),
    ("[--sdk <sdk>] --find <tool>", find),
    ("[--sdk <sdk>] -f <tool>", find),
]
