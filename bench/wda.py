"""What a command over WebDriverAgent costs, and what Appium adds: runs bench_wda with one served phone for each way.

usage: wda.py PEERS, the folder below build/*/tests/peers/nodeappium where the tests have installed Appium.
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BENCH = ROOT / "build" / "bench"
os.environ["IOS_AGENT"] = str(BENCH / "src" / "cli" / "ios-agent")
sys.path[:0] = [str(ROOT / "tests" / "peers"), str(ROOT / "tests" / "peers" / "appium")]

from checks import Phone  # noqa: E402
from servers import Appium, on  # noqa: E402


def main():
    for step in (["cmake", "--preset", "bench"], ["cmake", "--build", "--preset", "bench", "--target", "ios-agent",
                                                  "bench_wda"]):
        subprocess.run(step, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    bench = [str(BENCH / "bench" / "bench_wda")]
    if len(sys.argv) < 2:
        sys.exit(subprocess.run(bench).returncode)
    with Phone("direct") as direct, Phone("through") as through, Appium(pathlib.Path(sys.argv[1]).resolve()) as appium:
        sys.exit(subprocess.run([*bench, direct.url, appium.url, json.dumps(on(through))]).returncode)


if __name__ == "__main__":
    main()
