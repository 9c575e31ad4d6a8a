#!/bin/bash
# bench/http.sh: the daemon's HTTP: requests per second, and what the daemon holds and does while nobody asks.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset bench >/dev/null
cmake --build --preset bench --target ios-agent bench_http >/dev/null
program=$PWD/build/bench/src/cli/ios-agent bench=$PWD/build/bench/bench/bench_http
folder=$(mktemp -d)
export IOS_AGENT_HOME=$folder/home IOS_AGENT_CONFIG=/dev/null
"$program" daemon >"$folder/out" &
daemon=$!
trap 'kill "$daemon" 2>/dev/null; wait "$daemon" 2>/dev/null; rm -rf "$folder"' EXIT
until grep -q ready: "$folder/out"; do sleep 0.05; done

switches() { cat /proc/"$daemon"/task/*/status | awk '/^voluntary_ctxt/ { n += $2 } END { print n }'; }
if [ -d /proc/self ]; then
    before=$(switches)
    sleep 10
    echo "idle daemon: $(awk '/^(VmRSS|RssAnon)/ { print $1, $2, "kB" }' /proc/$daemon/status | paste -sd' ')," \
        "$(($(switches) - before)) wake-ups in 10 s"
fi
echo "-- in one process, requests per second, p50 / p99 / max"
"$bench" alone "$folder"
echo "-- GET /v1/daemon of a daemon"
"$bench" ask "$IOS_AGENT_HOME/daemon.sock"
