"""The daemon's /metrics, read by Prometheus' own promtool: its grammar and its lint must find nothing.

usage: promtool.py BUILD_DIR. promtool comes from PATH, or out of Debian's package prometheus, which is fetched and
unpacked into BUILD_DIR but not installed, since it would start a service; without either the test is skipped (exit
status 77).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

FOLDER = pathlib.Path(sys.argv[1]) / "promtool"
PROGRAM = os.environ["IOS_AGENT"]


def skip(why):
    print("SKIPPED:", why)
    sys.exit(77)


def promtool():
    found = shutil.which("promtool") or shutil.which("promtool", path=str(FOLDER / "usr" / "bin"))
    if found:
        return found
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        skip("there is no promtool, and no apt-get to fetch it with")
    FOLDER.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["apt-get", "download", "prometheus"], cwd=FOLDER, capture_output=True, text=True,
                          timeout=300, check=False)
    packages = list(FOLDER.glob("prometheus_*.deb"))
    if done.returncode != 0 or not packages:
        skip(f"apt-get could not fetch prometheus: {done.stderr.strip()[-300:]}")
    subprocess.run(["dpkg-deb", "-x", str(packages[0]), str(FOLDER)], check=True, timeout=300)
    return str(FOLDER / "usr" / "bin" / "promtool")


def check(tool, text):
    return subprocess.run([tool, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60,
                          check=False)


def scraped(env):
    """What a scraper gets after a run that passed and one that failed."""
    daemon = subprocess.Popen([PROGRAM, "daemon", "--http"], env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    try:
        for line in daemon.stdout:
            if "ready:" in line:
                break
        for goal in ("open Settings, turn on Airplane Mode", "open Settings, check that Nowhere is on the screen"):
            subprocess.run([PROGRAM, "run", "--demo", goal], env=env, capture_output=True, timeout=120, check=False)
        shown = subprocess.run([PROGRAM, "daemon", "token"], env=env, capture_output=True, text=True, check=True)
        status = subprocess.run([PROGRAM, "daemon", "status", "--json"], env=env, capture_output=True, text=True,
                                check=True)
        request = urllib.request.Request(re.search(r"http://127\.0\.0\.1:\d+", status.stdout).group(0) + "/metrics")
        request.add_header("Authorization", "Bearer " + re.search(r"[0-9a-f]{64}", shown.stdout).group(0))
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read().decode()
    finally:
        daemon.terminate()
        daemon.communicate(timeout=60)


def main():
    tool = promtool()
    for planted in ("ios_agent_x{a=b} 1\n", "# TYPE ios_agent_x counter\nios_agent_x 1\n"):
        assert check(tool, planted).returncode != 0, f"promtool takes {planted!r}"
    with tempfile.TemporaryDirectory(prefix="ia-prom-") as home:
        env = dict(os.environ, IOS_AGENT_HOME=home, IOS_AGENT_CONFIG=os.devnull, HOME=home)
        env.pop("IOS_AGENT_NO_DAEMON", None)
        text = scraped(env)
    assert 'ios_agent_runs_finished_total{outcome="passed"} 1' in text, text
    assert 'ios_agent_runs_finished_total{outcome="failed"} 1' in text, text
    found = check(tool, text)
    assert (found.returncode, found.stdout, found.stderr) == (0, "", ""), found
    print(f"{len(text.splitlines())} lines, nothing found")


main()
