"""simctl: every call that ios-agent may make, and what the real one answers."""
import json
import os
import re
import signal
import sys

from fakexcode import bundle as bundles
from fakexcode.world import Answer, add_device, data_file, error_row

READS_STDIN = ("pbcopy", "push")

UUID = r"[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}"
SERVICES = (
    "all calendar contacts-limited contacts location location-always photos-add photos media-library "
    "microphone motion reminders siri"
).split()
SYSTEM_APPS = {
    "com.apple.Preferences": "Settings",
    "com.apple.mobilesafari": "Safari",
    "com.apple.MobileAddressBook": "Contacts",
}


def full(pattern):
    return lambda s: re.fullmatch(pattern, s) is not None


def absolute(s):
    return s.startswith("/")


TYPES = {
    "udid": full(UUID),
    "bundle": full(r"[A-Za-z0-9][A-Za-z0-9._-]*"),
    "name": full(r"[^-].*"),
    "type": full(r"com\.apple\.CoreSimulator\.SimDeviceType\.[A-Za-z0-9.()-]+"),
    "runtime": full(r"com\.apple\.CoreSimulator\.SimRuntime\.[A-Za-z0-9-]+"),
    "app": absolute,
    "out": absolute,
    "err": absolute,
    "path": absolute,
    "file": full(r"[^-].*"),
    "arg": lambda s: True,
    "url": full(r"[A-Za-z][A-Za-z0-9+.-]*:.*"),
    "service": full(r"[a-z-]+"),
    "place": full(r"-?\d+(\.\d+)?,-?\d+(\.\d+)?"),
    "key": full(r"ApplicationAccessibilityEnabled|AutomationEnabled"),
    # values of the status bar: the real one checks them itself
    "value": lambda s: True,
}


# ---- helpers ---------------------------------------------------------------------------------


def device(world, args):
    """The device's row, or the error of a wrong UDID."""
    udid = args.one("udid")
    row = world.device(udid)
    if row is None:
        return None, error_row(
            "<any> <bad udid>", **{"00000000-0000-0000-0000-000000000000": udid}
        )
    return row, None


def booted(handler):
    """A verb that needs a booted device."""

    def wrapped(world, args):
        row, error = device(world, args)
        if error:
            return error
        if row["state"] != "Booted":
            return error_row("install|launch|get_app_container <shutdown>")
        return handler(world, args, world.sim(row["udid"]))

    return wrapped


def wrong_state(verb, state):
    text = error_row("shutdown <shutdown>").err
    return Answer("", text.replace("shutdown device", verb).replace("Shutdown", state), 149)


def new_udid():
    import uuid  # not for every call

    return str(uuid.uuid4()).upper()


# ---- list and life ---------------------------------------------------------------------------


def listing(world, _args):
    """What is on its way down has come down when it is looked at again."""
    text = json.dumps(world.state["list"], indent=2, separators=(",", " : "))
    for rows in world.state["list"]["devices"].values():
        for row in rows:
            if row["state"] == "Shutting Down":
                row["state"] = "Shutdown"
    return Answer(text + "\n")


def images(world, _args):
    given = world.setup.get("images")
    text = json.dumps(given) if given is not None else data_file("xcodes_ShellOutput-InstalledRuntimes.json")
    return Answer(text + "\n")


def boot(world, args):
    row, error = device(world, args)
    if error:
        return error
    if not row["isAvailable"]:
        return error_row("boot (runtime missing)")
    if row["state"] == "Booted":
        return error_row("boot|bootstatus -b <booted>")
    if row["state"] != "Shutdown":
        return wrong_state("boot device", row["state"])
    row["state"] = "Booted"
    return Answer()


def bootstatus(world, args):
    row, error = device(world, args)
    if error:
        return error
    if row["state"] == "Booted":
        return Answer("Device already booted, nothing to do.\n")
    row["state"] = "Booted"
    return Answer(f"Monitoring boot status for {row['name']} ({row['udid']}).\nFinished\n")


def shutdown(world, args):
    row, error = device(world, args)
    if error:
        return error
    if row["state"] == "Shutdown":
        return error_row("shutdown <shutdown>")
    row["state"] = "Shutdown"
    sim = world.sim(row["udid"])
    sim["overrides"] = {}
    for app in sim["apps"].values():
        app["pid"] = 0
    return Answer()


def erase(world, args):
    row, error = device(world, args)
    if error:
        return error
    if row["state"] != "Shutdown":
        return error_row("erase <booted>", Booted=row["state"])
    world.state["sims"].pop(row["udid"], None)
    world.sim(row["udid"])["erased"] = True
    return Answer()


def create(world, args):
    types = world.state["list"].get("devicetypes", [])
    runtimes = world.state["list"].get("runtimes", [])
    if not any(t["identifier"] == args.one("type") for t in types):
        return error_row("create <name> <bad type>", X=args.one("type"))
    runtime = next((r for r in runtimes if r["identifier"] == args.one("runtime")), None)
    if runtime is None:
        return error_row("create <name> <type> <bad runtime>", X=args.one("runtime"))
    udid = new_udid()
    add_device(
        world.state,
        {"name": args.one("name"), "runtime": runtime["name"], "type": args.one("type")},
        udid,
    )
    return Answer(udid + "\n")


def clone(world, args):
    row, error = device(world, args)
    if error:
        return error
    if row["state"] != "Shutdown":
        return wrong_state("clone device", row["state"])
    udid = new_udid()
    for rows in world.state["list"]["devices"].values():
        if row in rows:
            rows.append({**row, "udid": udid, "name": args.one("name")})
            break
    return Answer(udid + "\n")


def delete(world, args):
    row, error = device(world, args)
    if error:
        return error
    for rows in world.state["list"]["devices"].values():
        if row in rows:
            rows.remove(row)
    return Answer()


# ---- apps ------------------------------------------------------------------------------------


def plist_of(path):
    import plistlib  # not for every call: it is slow to load

    try:
        with open(os.path.join(path, "Info.plist"), "rb") as f:
            return plistlib.load(f)
    except (OSError, plistlib.InvalidFileException):
        return None


def schemes_of(info):
    return [s for t in info.get("CFBundleURLTypes", []) for s in t.get("CFBundleURLSchemes", [])]


@booted
def install(_world, args, sim):
    path = args.one("app")
    info = plist_of(path)
    if info is None:
        return error_row("install <udid> <missing path>", **{"/tmp/definitely-not-here.app": path})
    if "iPhoneSimulator" not in info.get("CFBundleSupportedPlatforms", ["iPhoneSimulator"]):
        return error_row("install <udid> <wrong platform/min OS>")
    sim["apps"][info["CFBundleIdentifier"]] = {
        "pid": 0,
        "name": info.get("CFBundleName", ""),
        "schemes": schemes_of(info),
        "path": path,
    }
    return Answer()


@booted
def uninstall(_world, args, sim):
    sim["apps"].pop(args.one("bundle"), None)
    return Answer()


def app_of(sim, bundle):
    if bundle in SYSTEM_APPS:
        return sim["apps"].setdefault(
            bundle, {"pid": 0, "name": SYSTEM_APPS[bundle], "schemes": [], "system": True}
        )
    return sim["apps"].get(bundle)


@booted
def launch(world, args, sim):
    bundle = args.one("bundle")
    app = app_of(sim, bundle)
    if app is None:
        return error_row("launch <udid> <not installed>", **{"com.example.nope": bundle})
    if is_runner(app):
        return launch_runner(world, args, app)
    pid = app["pid"]
    if pid == 0 or args.has("--terminate-running-process"):
        pid = world.pid()
    app["pid"] = 0 if bundle in world.setup.get("crashing", []) else pid
    # A runner that is a phone brings it to the front there.
    with open(world.path("front-" + args.one("udid")), "w", encoding="utf-8") as f:
        f.write(bundle)
    return Answer(f"{bundle}: {pid}\n")


def is_runner(app):
    return os.path.exists(app.get("path", "") + "/PlugIns/BridgeTests.xctest")


def launch_runner(world, args, app):
    """A real process, with what SIMCTL_CHILD_ hands on; see bundle.py."""
    if not bundles.is_signed(app["path"]):
        return error_row("launch|openurl denied")
    if app["pid"] and args.has("--terminate-running-process"):
        bundles.end(app["pid"])
    prefix = "SIMCTL_CHILD_"
    env = {k[len(prefix):]: v for k, v in os.environ.items() if k.startswith(prefix)}
    process = bundles.start(world, app["path"], args.one("udid"), env, args.one("out"), args.one("err"))
    app["pid"] = process.pid
    return Answer(f"{args.one('bundle')}: {process.pid}\n")


@booted
def terminate(_world, args, sim):
    bundle = args.one("bundle")
    app = app_of(sim, bundle)
    if app and bundle.endswith(".xctrunner") and app["pid"]:
        if not bundles.runs(app["pid"]):
            app["pid"] = 0
        else:
            bundles.end(app["pid"])
    if app is None or app["pid"] == 0:
        return error_row("terminate <udid> <not running>", **{"com.test.myapp": bundle})
    app["pid"] = 0
    return Answer()


@booted
def openurl(_world, args, sim):
    scheme = args.one("url").split(":")[0].lower()
    handled = {"http", "https"} | {s for a in sim["apps"].values() for s in a["schemes"]}
    if scheme not in handled:
        return error_row("openurl <udid> <no handler> (new)", **{"zzzz://nothing": args.one("url")})
    sim["url"] = args.one("url")
    return Answer()


@booted
def launchctl(_world, _args, sim):
    rows = ["PID\tStatus\tLabel", "-\t0\tcom.apple.assetsd", "412\t0\tcom.apple.backboardd"]
    for bundle, app in sorted(sim["apps"].items()):
        if app["pid"]:
            rows.append(f"{app['pid']}\t0\tUIKitApplication:{bundle}[b2c1][rb-legacy]")
    return Answer("\n".join(rows) + "\n")


# ---- screen ----------------------------------------------------------------------------------

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c636060f8cf00000301010018dd8db00000000049454e44ae426082"
)


def screenshot(world, args):
    row, error = device(world, args)
    if error:
        return error
    if row["state"] != "Booted":
        return error_row("io <shutdown> screenshot")
    note = "No display specified. Defaulting to display: Integrated Display\n"
    if args.has("-"):
        return Answer(PNG, note)
    with open(args.one("file"), "wb") as f:
        f.write(PNG)
    return Answer("", note + f"Wrote screenshot to: {args.one('file')}\n")


def record(world, args):
    row, error = device(world, args)
    if error:
        return error
    if row["state"] != "Booted":
        return error_row("io <shutdown> screenshot")
    path, deaf, ticks = args.one("file"), world.setup.get("deaf", 0), world.setup.get("black", 0)

    def film():
        """Black for some hundredths of a second, in which an interrupt is lost (and noted); the
        first `deaf` ones after that are lost as well."""
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGALRM})
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        for _ in range(ticks):
            if signal.sigwait({signal.SIGINT, signal.SIGALRM}) == signal.SIGINT:
                world.note("signals.jsonl", "early")
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stderr.write("Recording started\n")
        sys.stderr.flush()
        for _ in range(deaf + 1):
            while signal.sigwait({signal.SIGINT, signal.SIGALRM}) != signal.SIGINT:
                pass
            world.note("signals.jsonl", "interrupt")
        with open(path, "wb") as f:
            f.write(b"\0\0\0\x14ftypqt  ")
        return Answer("", "Recording completed. Writing to disk.\n")

    return film


# ---- settings --------------------------------------------------------------------------------


@booted
def privacy(_world, args, sim):
    if args.one("service") not in SERVICES:
        return error_row("privacy grant <bad service>")
    sim["privacy"] = args.argv[2:]
    return Answer()


def appearance(world, args):
    row, error = device(world, args)
    if error:
        return error
    return Answer("unknown\n" if row["state"] != "Booted" else world.sim(row["udid"])["appearance"] + "\n")


@booted
def set_appearance(_world, args, sim):
    sim["appearance"] = args.argv[3]
    return Answer()


BAR_VALUES = {
    "--time": r".+",
    "--dataNetwork": r"hide|wifi|3g|4g|lte|lte-a|lte\+|5g|5g\+|5g-uwb|5g-uc",
    "--wifiMode": r"searching|failed|active",
    "--wifiBars": r"[0-3]",
    "--cellularMode": r"notSupported|searching|failed|active",
    "--cellularBars": r"[0-4]",
    "--operatorName": r".*",
    "--batteryState": r"charging|charged|discharging",
    "--batteryLevel": r"\d|[1-9]\d|100",
}


@booted
def bar_override(_world, args, sim):
    for option, value in zip(args.all("option"), args.all("value")):
        if not re.fullmatch(BAR_VALUES[option], value):
            return error_row("status_bar override <bad value>")
        sim["overrides"][option] = value
    return Answer()


@booted
def bar_clear(_world, _args, sim):
    sim["overrides"] = {}
    return Answer()


@booted
def bar_list(_world, _args, sim):
    without, with_some = data_file("status_bar_list.txt").split("### overrides set")
    text = with_some.split("\n", 1)[1] if sim["overrides"] else without.split("\n", 1)[1]
    return Answer(text)


@booted
def location(_world, args, sim):
    sim["location"] = args.one("place")
    return Answer()


@booted
def push(world, args, sim):
    sim["push"] = json.loads(world.stdin)
    return Answer(f"Notification sent to '{args.one('bundle', 'com.example.shop')}'\n")


@booted
def addmedia(_world, args, sim):
    sim["media"] = args.all("path")
    return Answer()


@booted
def pbcopy(world, _args, sim):
    sim["pasteboard"] = world.stdin
    return Answer()


@booted
def pbpaste(_world, _args, sim):
    return Answer(sim["pasteboard"])


@booted
def defaults(_world, args, sim):
    sim.setdefault("defaults", {})[args.one("key")] = True
    return Answer()


BAR = "|".join(f"{option} <value>" for option in BAR_VALUES)
OUTPUT = "[--stdout=<out>] [--stderr=<err>]"

RULES = [
    ("list -j", listing),
    ("runtime list -j", images),
    ("boot <udid>", boot),
    ("bootstatus <udid> -b", bootstatus),
    ("shutdown <udid>", shutdown),
    ("erase <udid>", erase),
    ("create <name> <type> <runtime>", create),
    ("clone <udid> <name>", clone),
    ("delete <udid>", delete),
    ("install <udid> <app>", install),
    ("uninstall <udid> <bundle>", uninstall),
    (f"launch {OUTPUT} [--terminate-running-process] [-w] <udid> <bundle>", launch),
    (f"launch {OUTPUT} [--terminate-running-process] [-w] <udid> <bundle> <arg>...", launch),
    ("terminate <udid> <bundle>", terminate),
    ("openurl <udid> <url>", openurl),
    ("spawn <udid> launchctl list", launchctl),
    ("spawn <udid> defaults write com.apple.Accessibility <key> -bool true", defaults),
    ("io <udid> screenshot [--type=png|--type=jpeg] [--mask=ignored|--mask=alpha|--mask=black] -",
     screenshot),
    ("io <udid> screenshot [--type=png|--type=jpeg] [--mask=ignored|--mask=alpha|--mask=black] <file>",
     screenshot),
    ("io <udid> recordVideo [--codec=h264|--codec=hevc] [--force] <file>", record),
    ("privacy <udid> grant <service> <bundle>", privacy),
    ("privacy <udid> revoke <service> <bundle>", privacy),
    ("privacy <udid> reset <service> [<bundle>]", privacy),
    ("ui <udid> appearance", appearance),
    ("ui <udid> appearance light", set_appearance),
    ("ui <udid> appearance dark", set_appearance),
    ("status_bar <udid> override {" + BAR + "}", bar_override),
    ("status_bar <udid> clear", bar_clear),
    ("status_bar <udid> list", bar_list),
    ("location <udid> set <place>", location),
    ("location <udid> clear", location),
    ("push <udid> -", push),
    ("push <udid> <bundle> -", push),
    ("addmedia <udid> <path>...", addmedia),
    ("pbcopy <udid>", pbcopy),
    ("pbpaste <udid>", pbpaste),
]
