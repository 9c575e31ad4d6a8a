#!/bin/sh
# What the model pays for a screen and what it gets for it, beside XcodeBuildMCP and agent-device.
# Fails when we need more than half of agent-device's tokens on the AXe trees, more than 60 % on
# WebDriverAgent's, miss a control, offer one that lies behind, or are too slow.
set -eu
cd "$(dirname "$0")/.."
cmake --preset bench >/dev/null
cmake --build --preset bench --target bench_snapshot >/dev/null
work=build/bench/bench/snapshot-peers
mkdir -p "$work"
if ! [ -d "$work/node_modules/xcodebuildmcp" ] || ! [ -d "$work/node_modules/agent-device" ] ||
    ! [ -d "$work/node_modules/@anthropic-ai/tokenizer" ]; then
    npm --prefix "$work" install --silent --no-save --ignore-scripts xcodebuildmcp@2.7.0 \
        agent-device@0.21.5 @anthropic-ai/tokenizer@0.0.4
fi
env -u NODE_EXTRA_CA_CERTS node bench/snapshot.mjs build/bench/bench/bench_snapshot "$PWD/$work"
