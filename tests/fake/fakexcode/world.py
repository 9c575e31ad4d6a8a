"""What the stand-in knows: the test's setup, its own state, the answers of the real tools."""
import copy
import fcntl
import json
import os

DATA = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "data", "simctl")
RUNTIME = "com.apple.CoreSimulator.SimRuntime."
KEEP = ("SIMCTL_CHILD_", "TEST_RUNNER_", "DEVELOPER_DIR")


class Answer:
    """What a call prints, and its exit status."""

    def __init__(self, out="", err="", code=0):
        self.out = out
        self.err = err
        self.code = code


def data_file(name):
    with open(os.path.join(DATA, name), encoding="utf-8") as f:
        return f.read()


def error_row(cmd, **replace):
    """A row of errors.jsonl as an answer. A row whose status nobody knows gets 1."""
    for line in data_file("errors.jsonl").splitlines():
        row = json.loads(line)
        if row["cmd"] == cmd:
            text = row["stderr"]
            for old, new in replace.items():
                text = text.replace(old, new)
            return Answer("", text, 1 if row["exit"] is None else row["exit"])
    raise KeyError(f"errors.jsonl has no row {cmd!r}")


def runtime_id(name):
    """com.apple.CoreSimulator.SimRuntime.iOS-26-2 for "iOS 26.2"."""
    return RUNTIME + name.replace(" ", "-").replace(".", "-")


class World:
    """Opened for one call, under a lock, and written back at its end."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.lock = open(os.path.join(folder, "lock"), "w", encoding="utf-8")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.setup = self.read("setup.json", {})
        self.state = self.read("state.json", None) or self.begin()

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name, default):
        try:
            with open(self.path(name), encoding="utf-8") as f:
                return json.load(f)
        except FileNotFoundError:
            return default

    def begin(self):
        listing = json.loads(
            data_file(self.setup.get("list", "apple-clis_simctl-list-full_xcode15.json"))
        )
        state = {"list": listing, "sims": {}, "used": {}, "next_pid": 34881}
        for i, d in enumerate(self.setup.get("devices", [])):
            add_device(state, d, d.get("udid") or f"00000000-0000-4000-8000-{i + 1:012X}")
        return state

    def save(self):
        """Whole or not at all: a test may read it, and a call may be killed."""
        new = self.path("state.json.new")
        with open(new, "w", encoding="utf-8") as f:
            json.dump(self.state, f)
        os.replace(new, self.path("state.json"))

    def close(self):
        self.lock.close()

    def note(self, name, entry):
        with open(self.path(name), "a", encoding="utf-8") as f:
            f.write(json.dumps(entry) + "\n")

    def log(self, tool, argv, stdin=None):
        env = {k: v for k, v in sorted(os.environ.items()) if k.startswith(KEEP)}
        self.note("log.jsonl", {"tool": tool, "argv": argv, "env": env, "stdin": stdin})

    def violation(self, tool, argv):
        self.note("violations.jsonl", {"tool": tool, "argv": argv})
        return Answer("", f"fake xcrun: no rule of {tool} knows this call: {argv}\n", 99)

    def planned(self, argv):
        """The answer that the test wants for this call, or None."""
        for i, a in enumerate(self.setup.get("answers", [])):
            used = self.state["used"].get(str(i), 0)
            if argv[: len(a["match"])] == a["match"] and used < a.get("times", used + 1):
                self.state["used"][str(i)] = used + 1
                return a
        return None

    # ---- simulators

    def device(self, udid):
        for rows in self.state["list"]["devices"].values():
            for row in rows:
                if row["udid"] == udid:
                    return row
        return None

    def sim(self, udid):
        """What is only true of this simulator: its apps and settings."""
        return self.state["sims"].setdefault(
            udid, {"apps": {}, "appearance": "light", "pasteboard": "", "overrides": {}}
        )

    def pid(self):
        self.state["next_pid"] += 1
        return self.state["next_pid"]


def add_device(state, d, udid):
    """Adds a row in the form of Xcode 15's list, and its runtime."""
    rid = runtime_id(d["runtime"])
    type_id = "com.apple.CoreSimulator.SimDeviceType." + d["name"].replace(" ", "-")
    row = {
        "dataPath": f"/Users/ada/Library/Developer/CoreSimulator/Devices/{udid}/data",
        "dataPathSize": 13316096,
        "logPath": f"/Users/ada/Library/Logs/CoreSimulator/{udid}",
        "udid": udid,
        "isAvailable": d.get("available", True),
        "deviceTypeIdentifier": d.get("type", type_id),
        "state": d.get("state", "Shutdown"),
        "name": d["name"],
    }
    if not row["isAvailable"]:
        row["availabilityError"] = "runtime profile not found using \"System\" match policy"
    state["list"]["devices"].setdefault(rid, []).append(row)
    known = state["list"].setdefault("runtimes", [])
    if row["isAvailable"] and not any(r["identifier"] == rid for r in known):
        platform, version = d["runtime"].split(" ")
        known.append(
            {
                "identifier": rid,
                "name": d["runtime"],
                "version": version,
                "platform": platform,
                "buildversion": "23C54",
                "isAvailable": True,
                "isInternal": False,
                "supportedDeviceTypes": [],
            }
        )
    return copy.deepcopy(row)
