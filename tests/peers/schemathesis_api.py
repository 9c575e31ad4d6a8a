"""The control API, asked by schemathesis: requests made up from its own OpenAPI document, good ones and bad ones.

usage: schemathesis_api.py BUILD_DIR. schemathesis is pinned, and is installed into BUILD_DIR on the first run;
without pip or its index the test is skipped (exit status 77). The daemon serves loopback with a token, in a home
of its own. Left out are the end of the daemon and the stream, which never ends; the stream has tests of its own.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import pypi

PACKAGE = "schemathesis==4.32.5"
REQUESTS_MIN = 5000
CHECKS = ("no_failure_of_the_server,status_code_conformance,content_type_conformance,response_schema_conformance,"
          "negative_data_rejection,ignored_auth")


def start(program, env):
    """A daemon, and the port at which it serves."""
    daemon = subprocess.Popen([program, "daemon", "--http", "--json"], env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        status = subprocess.run([program, "daemon", "status", "--json"], env=env, capture_output=True, text=True)
        port = re.search(r"http://127\.0\.0\.1:(\d+)", status.stdout)
        if port:
            return daemon, int(port.group(1))
        time.sleep(0.1)
    daemon.kill()
    sys.exit("the daemon does not serve: " + daemon.communicate()[0])


def main():
    program = os.environ["IOS_AGENT"]
    schemathesis = pypi.install(pathlib.Path(sys.argv[1]) / "schemathesis", PACKAGE).parent / "schemathesis"
    with tempfile.TemporaryDirectory(prefix="ia-st-") as home:
        env = dict(os.environ, IOS_AGENT_HOME=home, IOS_AGENT_CONFIG=os.devnull, HOME=home)
        env.pop("IOS_AGENT_NO_DAEMON", None)
        shown = subprocess.run([program, "daemon", "token"], env=env, capture_output=True, text=True, check=True)
        token = re.search(r"[0-9a-f]{64}", shown.stdout).group(0)
        daemon, port = start(program, env)
        try:
            run = subprocess.run(
                [str(schemathesis), "run", f"http://127.0.0.1:{port}/v1/openapi.json",
                 "-H", f"Authorization: Bearer {token}", "--exclude-path", "/v1/daemon/stop",
                 "--exclude-path", "/v1/events", "--phases", "examples,coverage,fuzzing", "--continue-on-failure",
                 "--no-shrink", "-n", "30", "--seed", "7", "--request-timeout", "60", "-c", CHECKS],
                env=dict(env, SCHEMATHESIS_HOOKS="schemathesis_hooks", PYTHONPATH=os.path.dirname(__file__),
                         PYTHONDONTWRITEBYTECODE="1"), cwd=home, capture_output=True, text=True, timeout=1500)
            alive = daemon.poll() is None
        finally:
            daemon.send_signal(signal.SIGTERM)
            said, _ = daemon.communicate(timeout=60)
    print(run.stdout[:3000], "…", run.stdout[-6000:], run.stderr[-2000:])
    made = re.search(r"(\d+) generated", run.stdout)
    assert alive, "the daemon ended: " + said[-2000:]
    assert daemon.returncode in (0, 7), (daemon.returncode, said[-2000:])
    assert made and int(made.group(1)) >= REQUESTS_MIN, made and made.group(0)
    assert run.returncode == 0, run.returncode


main()
