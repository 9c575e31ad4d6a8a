#!/bin/sh
# MCP over stdio: process start to the first answer, the tool list, a tap, and what the process holds,
# beside agent-device, XcodeBuildMCP and mobile-mcp. Fails when a warm tap takes more than 1 ms, the first
# answer more than 10 ms over /bin/true, or the process more than 10 MB.
set -eu
cd "$(dirname "$0")/.."
cmake --preset bench >/dev/null
cmake --build --preset bench --target ios-agent >/dev/null
work=build/bench/bench/mcp-peers
mkdir -p "$work"
[ -d "$work/node_modules/xcodebuildmcp" ] && [ -d "$work/node_modules/agent-device" ] &&
    [ -d "$work/node_modules/@mobilenext/mobile-mcp" ] ||
    npm --prefix "$work" install --silent --no-save --ignore-scripts xcodebuildmcp@2.7.0 \
        agent-device@0.21.5 @mobilenext/mobile-mcp@1.0.4 || echo "no npm: without peers"
exec python3 bench/mcp.py "$PWD/build/bench/src/cli/ios-agent" "$PWD/$work"
