"""xcodebuild: its version, a minimal project, and a test that serves."""
import json
import os
import plistlib
import re
import signal
import sys

from fakexcode import bundle
from fakexcode.simctl import UUID
from fakexcode.world import Answer


def full(pattern):
    return lambda s: re.fullmatch(pattern, s) is not None


TYPES = {
    "xctestrun": full(r"/.*/bridge\.xctestrun"),
    "udid": full(UUID),
    "folder": full(r"/.+"),
    "destination": lambda s: s == "generic/platform=iOS Simulator",
}


def version(world, _args):
    return Answer(f"Xcode {world.setup.get('xcode', '26.2')}\nBuild version 17C52\n")


# ---- test-without-building -------------------------------------------------------------------

KEYS = {
    "DependentProductPaths", "EnvironmentVariables", "IsUITestBundle", "IsXCTRunnerHostedTestBundle",
    "ProductModuleName", "SystemAttachmentLifetime", "TestBundlePath", "TestHostBundleIdentifier",
    "TestHostPath", "TestTimeoutsEnabled", "TestingEnvironmentVariables", "UserAttachmentLifetime",
    "UseUITargetAppProvidedByTests",
}


def error(text, code):
    return Answer("", f"xcodebuild: error: {text}\n", code)


def read_testrun(path):
    """The runner that a format 1 .xctestrun names, or what is wrong with it."""
    with open(path, "rb") as f:
        plist = plistlib.load(f)
    if plist.pop("__xctestrun_metadata__") != {"FormatVersion": 1}:
        return None, "not format 1"
    (name, target), = plist.items()
    wrong = set(target) ^ KEYS
    if wrong:
        return None, f"keys that are missing or not known: {sorted(wrong)}"
    root = os.path.dirname(path)
    app = target["TestHostPath"].replace("__TESTROOT__", root)
    tests = target["TestBundlePath"].replace("__TESTHOST__", app)
    paths = [p.replace("__TESTROOT__", root) for p in target["DependentProductPaths"]]
    if paths != [app, tests] or not all(map(os.path.isdir, paths)) or not bundle.is_signed(app):
        return None, "products are missing or not signed"
    if bundle.info_of(app)["CFBundleIdentifier"] != target["TestHostBundleIdentifier"]:
        return None, "another bundle id than the runner's"
    flags = (target["IsUITestBundle"], target["IsXCTRunnerHostedTestBundle"],
             target["UseUITargetAppProvidedByTests"], target["TestTimeoutsEnabled"])
    if flags != (True, True, True, False) or name != target["ProductModuleName"]:
        return None, "flags"
    return app, None


def test(world, args):
    udid = args.one("udid")
    row = world.device(udid)
    if row is None or not row["isAvailable"]:
        return error("Unable to find a destination matching the provided destination specifier:\n"
                     f"\t\t{{ id:{udid} }}", 70)
    app, wrong = read_testrun(args.one("xctestrun"))
    if wrong:
        return error(f"There are no test bundles available to test. ({wrong})", 66)
    row["state"] = "Booted"  # it boots what is shut down
    prefix = "TEST_RUNNER_"
    env = {k[len(prefix):]: v for k, v in os.environ.items() if k.startswith(prefix)}
    launched = world.sim(udid)["apps"].setdefault(
        bundle.info_of(app)["CFBundleIdentifier"], {"name": "", "schemes": []})
    if launched.get("pid"):
        bundle.end(launched["pid"])  # an app runs once on a device: a launch ends what ran before
    process = bundle.start(world, app, udid, env)
    launched["pid"] = process.pid

    def wait():
        def stop(_signo, _frame):
            process.kill()
            process.wait()
            sys.exit(143)

        signal.signal(signal.SIGTERM, stop)
        code = process.wait()
        if code < 0:
            return Answer("** TEST EXECUTE FAILED **\n", "Testing failed:\n\tBridgeTests-Runner (1) encountered an error "
                          "(Early unexpected exit, operation never finished bootstrapping - no restart will be "
                          f"attempted. (Underlying Error: Test crashed with signal {-code}.))\n", 65)
        return Answer("** TEST EXECUTE SUCCEEDED **\n")

    return wait


# ---- build-for-testing -----------------------------------------------------------------------


def check_project(text):
    """What is wrong with a project.pbxproj, or None: braces, isa, and that every id is there."""
    if text.count("{") != text.count("}") or text.count("(") != text.count(")"):
        return "brackets"
    defined = re.findall(r"^\t\t([0-9A-F]{24}) = \{\s*isa = \w+;", text, re.M)
    if len(defined) != len(set(defined)):
        return "an id twice"
    unknown = set(re.findall(r"\b[0-9A-F]{24}\b", text)) - set(defined)
    return f"ids without an object: {sorted(unknown)}" if unknown else None


def build(_world, _args):
    project = "project/BridgeTests.xcodeproj"
    with open(f"{project}/project.pbxproj", encoding="utf-8") as f:
        text = f.read()
    with open(f"{project}/xcshareddata/xcschemes/BridgeTests.xcscheme", encoding="utf-8") as f:
        target = re.search(r'BlueprintIdentifier = "(\w+)"', f.read()).group(1)
    wrong = check_project(text)
    if wrong or f"{target} = {{\n\t\t\tisa = PBXNativeTarget;" not in text:
        return error(f"The project is damaged: {wrong}", 74)
    for path in re.findall(r'path = "(\.\./src/[^"]+)"', text):
        if not os.path.exists(os.path.join("project", path)):
            return Answer("", f"clang: error: no such file or directory: '{path}'\n", 65)
    version_text = re.search(r'"IA_VERSION=\\\\\\"([^\\]+)\\\\\\""', text).group(1)
    products = "derived/Build/Products"
    app = f"{products}/Debug-iphonesimulator/BridgeTests-Runner.app"
    tests = f"{app}/PlugIns/BridgeTests.xctest"
    os.makedirs(tests)
    os.makedirs(f"{app}/Frameworks")
    with open(f"{app}/Info.plist", "wb") as f:
        plistlib.dump({"CFBundleIdentifier": "dev.ios-agent.bridge.xctrunner"}, f)
    with open(f"{tests}/BridgeTests", "w", encoding="utf-8") as f:
        json.dump({"IA_VERSION": version_text}, f)
    bundle.sign(tests)
    bundle.sign(app)
    root = "__TESTROOT__/Debug-iphonesimulator/BridgeTests-Runner.app"
    with open(f"{products}/BridgeTests_iphonesimulator26.2-arm64.xctestrun", "wb") as f:
        plistlib.dump({"__xctestrun_metadata__": {"FormatVersion": 1}, "BridgeTests": {
            "DependentProductPaths": [root, root + "/PlugIns/BridgeTests.xctest"],
            "EnvironmentVariables": {}, "IsUITestBundle": True, "IsXCTRunnerHostedTestBundle": True,
            "ProductModuleName": "BridgeTests", "SystemAttachmentLifetime": "keepNever",
            "TestBundlePath": "__TESTHOST__/PlugIns/BridgeTests.xctest",
            "TestHostBundleIdentifier": "dev.ios-agent.bridge.xctrunner", "TestHostPath": root,
            "TestTimeoutsEnabled": False, "TestingEnvironmentVariables": {},
            "UserAttachmentLifetime": "keepNever", "UseUITargetAppProvidedByTests": True}}, f)
    return Answer("** TEST BUILD SUCCEEDED **\n")


RULES = [
    ("-version", version),
    ("test-without-building -xctestrun <xctestrun> -destination id=<udid> -derivedDataPath <folder>"
     " -test-timeouts-enabled NO -collect-test-diagnostics never", test),
    ("build-for-testing -project project/BridgeTests.xcodeproj -scheme BridgeTests -destination "
     "<destination> -derivedDataPath derived COMPILER_INDEX_STORE_ENABLE=NO", build),
]
