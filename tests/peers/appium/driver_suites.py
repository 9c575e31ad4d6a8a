"""The functional tests of Appium's XCUITest driver, unmodified, on the served phone: UIKitCatalog stands in for
Apple's sample, through Appium, webdriverio, and the driver.

usage: driver_suites.py BUILD_DIR, where run.sh has installed the packages.

npm's package of the driver has no tests, so they come from its repository at a tag, by git: from
$XCUITEST_DRIVER_GIT (a URL or a folder), else from GitHub. Where that cannot be had the test is skipped
(exit status 77); python.py asks the heart of the same. Two things are put in place of the driver's own: test/setup.ts
would download the sample, and the capabilities name the served phone. The suites run beside each other, each with a phone of its own; most of their time
they wait, by their own design.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

from servers import Appium, Iphone, on

import pypi
from checks import Phone

TAG, COMMIT = "v12.7.0", "05ce2bee5"
GIT = os.environ.get("XCUITEST_DRIVER_GIT", "https://github.com/appium/appium-xcuitest-driver")
CATALOG = "com.example.apple-samplecode.UICatalog"
SETUP = f"""// In place of the driver's own, which downloads the sample app.
export const FIXTURES_ROOT = '.';
export const UICATALOG_BUNDLE_ID = '{CATALOG}';
export const TESTAPP_BUNDLE_ID = 'none';
export const getUIKitCatalogPath = async () => UICATALOG_BUNDLE_ID;
export const getTestAppPath = async () => TESTAPP_BUNDLE_ID;
"""
WEB = "web contexts come from the phone's web inspector, which the simulated iPhone has not"
SIMULATOR = "only of a simulator: the driver does it by simctl"
# One test of "find" sets a wait of five seconds for elements that never appear and does not reset it. It runs in a
# process of its own, so that later tests do not have to wait.
WAIT = "should respect implicit wait"
OTHERS = ("basics|by id|by accessibility id|by class name|duplicate text field|by predicate|by class chain|by css|magic|"
          "should return (a single|multiple) element|filter by|root-level|extended path")
# part: the suite, which of its tests, how many of them pass, those that cannot, with the reason
PARTS = {
    "alert": ("alert", None, 6, {}),
    "element": ("element", None, 26, {}),
    "find, a wait": ("find", WAIT, 1, {}),
    "find": ("find", OTHERS, 37, {}),
    "gesture": ("gesture", None, 3, {"pinch and zoom: should be able to pinch": WEB}),
    "basic": ("basic", None, 18, {
        "contexts -: should start a session, navigate to url, get title": WEB,
        "shake -: should work on Simulator": SIMULATOR,
    }),
}


def sources(build):
    """The driver's tests at the tag, in a folder below the packages that they import."""
    folder = build / "suites"
    stamp = folder / "tag"
    if not stamp.is_file() or stamp.read_text() != TAG:
        shutil.rmtree(folder, ignore_errors=True)
        command = ["git", "-c", "advice.detachedHead=false", "clone", "-q", "--depth", "1", "--branch", TAG, GIT, str(folder)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False,
                                  env={**os.environ, "GIT_TERMINAL_PROMPT": "0"})
        except (OSError, subprocess.TimeoutExpired) as e:
            pypi.skip(f"git could not fetch the driver's tests: {e}")
        if done.returncode != 0:
            pypi.skip(f"git could not fetch the driver's tests: {done.stderr.strip()[-300:]}")
        head = subprocess.run(["git", "-C", str(folder), "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
        if not head.stdout.startswith(COMMIT):
            sys.exit(f"{TAG} of {GIT} is not the commit that is expected, {COMMIT}, but {head.stdout}")
        stamp.write_text(TAG)
    (folder / "test" / "setup.ts").write_text(SETUP)
    desired = folder / "test" / "functional" / "desired.ts"
    text = desired.read_text()
    ours = "...JSON.parse(process.env.PEER_CAPABILITIES!),"
    if ours not in text:
        assert text.count("    ...prebuiltWdaOpts,\n") == 1, "desired.ts is not as expected"
        desired.write_text(text.replace("    ...prebuiltWdaOpts,\n", f"    {ours}\n"))
    return folder


def start(folder, part, server, capabilities):
    suite, which = PARTS[part][:2]
    env = {k: v for k, v in os.environ.items() if k != "CI"}
    env |= {"PLATFORM_VERSION": "18.5", "APPIUM_TEST_SERVER_PORT": str(server.port),
            "PEER_CAPABILITIES": json.dumps(capabilities)}
    report = folder / f"{part}.xml"
    report.unlink(missing_ok=True)
    command = ["node", "--import", "tsx", "--test", "--test-reporter=junit", f"--test-reporter-destination={report}"]
    command += ["--test-name-pattern", which] if which else []
    command.append(f"test/functional/basic/{suite}-e2e.spec.ts")
    return subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)


def outcomes(node, group=""):
    """(group: name, None or why it failed) of each test that ran."""
    for child in node:
        name = child.get("name")
        if child.tag == "testsuite":
            yield from outcomes(child, name)
        elif child.tag == "testcase" and child.find("skipped") is None:
            failure = child.find("failure")
            why = None if failure is None else failure.get("message") or failure.text or "failed"
            yield f"{group}: {name}", why and re.sub(r"\s+", " ", why)[:300]


def judge(part, report, seconds):
    _, _, expected, exceptions = PARTS[part]
    rows = list(outcomes(ET.parse(report).getroot()))
    passed = [n for n, why in rows if why is None]
    wrong = [(n, why) for n, why in rows if why is not None and n not in exceptions]
    excepted = {n: why for n, why in rows if why is not None and n in exceptions}
    print(f"{part}: {len(passed)} of {len(rows)} pass, {len(excepted)} exceptions; {seconds:.0f} s")
    for name, why in excepted.items():
        print(f"  exception: {name}: {exceptions[name]}\n    ({why})")
    for name, why in wrong:
        print(f"  WRONG {name}: {why}")
    return not wrong and len(passed) == expected and set(excepted) == set(exceptions)


def run(build, folder):
    """Runs all parts in parallel; returns how many seconds each took."""
    udids = {part: f"00008110-00000000000{i}0000" for i, part in enumerate(PARTS)}
    started, took = time.monotonic(), {}
    with contextlib.ExitStack() as stack:
        plugged = stack.enter_context(Iphone(udids.values()))
        server = stack.enter_context(Appium(build, env=plugged.env))
        runs = {}
        for part, udid in udids.items():
            phone = stack.enter_context(Phone("suites"))
            runs[part] = start(folder, part, server, on(phone, **{"appium:udid": udid, "appium:skipLogCapture": False}))
            stack.callback(runs[part].kill)
        while len(took) < len(runs):
            time.sleep(0.1)
            for part, process in runs.items():
                if process.poll() is not None:
                    took.setdefault(part, time.monotonic() - started)
    return took


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    folder = sources(build)
    took = run(build, folder)
    if not all([judge(part, folder / f"{part}.xml", took[part]) for part in PARTS]):
        sys.exit("the suites do not end as expected")


if __name__ == "__main__":
    main()
