#!/usr/bin/env python3
"""mcp.py IOS_AGENT PEERS: the measurements of bench/mcp.sh, which prepares both.

Servers take turns, so that a slow moment of the machine meets all of them.
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

STARTS, TAPS = 20, 500
LIMITS = {"tap": 1.0, "start": 10.0, "rss": 10.0}


class Server:
    def __init__(self, argv, env):
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(
            argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.id = 0

    def ask(self, method, **params):
        self.id += 1
        message = {"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the server has ended")
            if json.loads(line).get("id") == self.id:
                return line

    def initialize(self):
        """Milliseconds from before the start of the process to the first answer."""
        info = {"name": "bench", "version": "1"}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=info)
        took = (time.perf_counter() - self.begun) * 1000
        self.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.process.stdin.flush()
        return took

    def call(self, tool, **args):
        return json.loads(self.ask("tools/call", name=tool, arguments=args))["result"]

    def rss_mb(self, daemon=False):
        """Of the process and its children; of the daemon that it started, which is everybody's, only
        when asked for."""
        wanted, total = {self.process.pid}, 0
        for pid in sorted(int(name) for name in os.listdir("/proc") if name.isdigit()):
            try:
                with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                    status = file.read()
            except OSError:
                continue
            if pid in wanted or int(re.search(r"PPid:\s+(\d+)", status)[1]) in wanted:
                if "\nName:\tios-agent" in "\n" + status and pid != self.process.pid and not daemon:
                    continue
                wanted.add(pid)
                total += int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024
        return total

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def life_of_true_ms():
    begun = time.perf_counter()
    subprocess.run([shutil.which("true")], check=True)
    return (time.perf_counter() - begun) * 1000


def peers(folder):
    def path(*parts):
        return os.path.join(folder, "node_modules", *parts)

    rows = {
        "agent-device 0.21.5": [path(".bin", "agent-device"), "mcp"],
        "XcodeBuildMCP 2.7.0": [path(".bin", "xcodebuildmcp"), "mcp"],
        "mobile-mcp 1.0.4": [path(".bin", "mcp-server-mobile"), "--stdio"],
    }
    return {name: argv for name, argv in rows.items() if os.path.exists(argv[0])}


def start(argv, env):
    """First answer in ms, bytes of the tool list, resident MB."""
    server = Server(argv, env)
    try:
        first = server.initialize()
        tools = json.loads(server.ask("tools/list"))["result"]["tools"]
        size = len(json.dumps({"tools": tools}, separators=(",", ":"), ensure_ascii=False).encode())
        return first, size, len(tools), server.rss_mb()
    finally:
        server.end()


def taps(program, env, *args):
    """Milliseconds of a tap on a switch, and resident MB after."""
    server = Server([program, "mcp", *args], env)
    server.initialize()
    screen = server.call("open", app="com.apple.Preferences")["content"][0]["text"]
    ref = int(re.search(r"^(\d+) switch", screen, re.M)[1])
    took = []
    for i in range(TAPS + 20):
        begun = time.perf_counter()
        result = server.call("tap", ref=ref)
        if i >= 20:
            took.append((time.perf_counter() - begun) * 1000)
        if result.get("isError"):
            raise RuntimeError(result)
    rss = server.rss_mb(), server.rss_mb(daemon=True)
    server.end()
    return took, rss


def figures(values):
    values = sorted(values)
    return f"p50 {statistics.median(values):7.3f}  p95 {values[len(values) * 95 // 100]:7.3f} ms"


def main():
    program, folder = sys.argv[1:3]
    home = tempfile.mkdtemp(prefix="ios-agent-bench-")
    env = {"PATH": os.environ["PATH"], "HOME": home, "IOS_AGENT_HOME": os.path.join(home, "home")}
    rows = {"ios-agent": [program, "mcp"], **peers(folder)}
    seen = {name: [] for name in rows}
    true = []
    for round_no in range(STARTS):
        for name, argv in rows.items():
            if name == "ios-agent" or round_no < 3:  # the peers take seconds
                seen[name].append(start(argv, env))
        true.append(life_of_true_ms())
    floor = statistics.median(true)
    print(f"{'server':22} {'tools':>5} {'list B':>8} {'first answer ms':>16} {'RSS MB':>8}")
    for name, found in seen.items():
        first = statistics.median(row[0] for row in found)
        print(f"{name:22} {found[0][2]:5} {found[0][1]:8} {first:16.1f} {found[-1][3]:8.1f}")
    ours = {"start": statistics.median(row[0] for row in seen["ios-agent"]) - floor}
    print(f"/bin/true: {floor:.1f} ms\n")
    try:
        took, (ours["rss"], both) = taps(program, env)
        ours["tap"] = statistics.median(took)
        print(f"tap, through the daemon   {figures(took)}   RSS {ours['rss']:.1f} MB, with the daemon {both:.1f} MB")
        took, (rss, _) = taps(program, {**env, "IOS_AGENT_HOME": os.path.join(home, "alone")}, "--no-daemon")
        print(f"tap, --no-daemon          {figures(took)}   RSS {rss:.1f} MB")
    finally:
        subprocess.run([program, "daemon", "stop", "--now"], env=env, check=False, capture_output=True)
        shutil.rmtree(home, ignore_errors=True)
    broken = [name for name, limit in LIMITS.items() if ours[name] > limit]
    print(f"limits {LIMITS}: {'BROKEN: ' + ', '.join(broken) if broken else 'held'}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
