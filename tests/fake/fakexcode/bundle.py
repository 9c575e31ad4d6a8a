"""What several tools know of bundles: Info.plist, signatures, and the runner as a real process.

A stand-in "compiled" bundle is a JSON file that tells the version it was compiled with. When it is
launched, setup.json's "runner" (a program that serves the bridge's own core) runs in its place."""
import json
import os
import plistlib
import signal
import subprocess

SIGNATURE = "_CodeSignature"


def info_of(bundle):
    with open(os.path.join(bundle, "Info.plist"), "rb") as f:
        return plistlib.load(f)


def nested(app):
    """What must be signed before the app is."""
    found = []
    for folder in ("Frameworks", "PlugIns"):
        inside = os.path.join(app, folder)
        if os.path.isdir(inside):
            found += [os.path.join(inside, n) for n in sorted(os.listdir(inside))]
    return found


def is_signed(path):
    mark = path + ".signed" if os.path.isfile(path) else os.path.join(path, SIGNATURE)
    return os.path.exists(mark)


def sign(path):
    if os.path.isfile(path):
        return  # its signature is inside
    os.makedirs(os.path.join(path, SIGNATURE), exist_ok=True)
    with open(os.path.join(path, SIGNATURE, "CodeResources"), "w", encoding="utf-8") as f:
        f.write("signed\n")


def version_of(app):
    """The IA_VERSION that its test bundle was compiled with."""
    plugins = os.path.join(app, "PlugIns")
    name = os.listdir(plugins)[0]
    with open(os.path.join(plugins, name, name.split(".")[0]), encoding="utf-8") as f:
        return json.load(f)["IA_VERSION"]


def start(world, app, udid, env, out=None, err=None):
    """Runs the runner as launchd would: in a session of its own. Returns the process."""
    child = {k: v for k, v in os.environ.items() if k == "PATH" or k.endswith("SAN_OPTIONS")}
    child.update(env, SIMULATOR_UDID=world.setup.get("answers_as", udid),
                 FAKE_RUNNER_VERSION=version_of(app), FAKE_RUNNER_FRONT=world.path("front-" + udid),
                 FAKE_RUNNER_PHONES=world.setup.get("phones", ""))
    faults = world.state.setdefault("faults", list(world.setup.get("faults", [])))
    if faults:
        child["FAKE_RUNNER_FAULT"] = faults.pop(0)
    process = subprocess.Popen(
        [world.setup["runner"]],
        env=child,
        stdin=subprocess.DEVNULL,
        stdout=open(out, "ab") if out else None,
        stderr=open(err, "ab") if err else None,
        start_new_session=True,
    )
    world.note("runners.jsonl", {"pid": process.pid, "udid": udid})
    return process


def end(pid):
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        pass


def runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
