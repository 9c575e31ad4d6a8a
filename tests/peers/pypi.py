"""Pinned packages of the Python index, in a virtual environment of their own in the build folder.

Installed on the first run; without pip or its index the test is skipped (exit status 77). Tests run in parallel: the
first one that wants an environment makes it, the others wait.
"""
import fcntl
import os
import subprocess
import sys


def skip(why):
    print("SKIPPED:", why)
    sys.exit(77)


def install(folder, *packages):
    """The environment's Python, as a path, once it has those packages."""
    python = folder / "bin" / "python"
    stamp = folder / "installed"
    pip = [str(python), "-m", "pip", "install", "-q", "--timeout", "20", "--retries", "1", *packages]
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.is_file() or stamp.read_text() != "\n".join(packages):
            for command in ([sys.executable, "-m", "venv", str(folder)], pip):
                try:
                    done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
                except (OSError, subprocess.TimeoutExpired) as e:
                    skip(f"pip could not install {packages[0]}: {e}")
                if done.returncode != 0:
                    skip(f"pip could not install {packages[0]}: {(done.stderr or done.stdout).strip()[-300:]}")
            stamp.write_text("\n".join(packages))
    return python


def run_in(folder, *packages):
    """Goes on in the environment: what was called begins again there, with the packages."""
    if os.path.realpath(sys.prefix) == os.path.realpath(folder):
        return
    python = install(folder, *packages)
    os.execv(python, [str(python), "-B", *sys.argv])
