#!/bin/sh
# Decoding with accumulation beside the SDK. Fails when we are less than five times as fast.
set -eu
cd "$(dirname "$0")/.."
cmake --preset bench >/dev/null
cmake --build --preset bench --target bench_sse >/dev/null
work=build/bench/bench/peers
mkdir -p "$work"
[ -d "$work/node_modules/@anthropic-ai/sdk" ] ||
    npm --prefix "$work" install --silent --no-save @anthropic-ai/sdk@1.11.0
env -u NODE_EXTRA_CA_CERTS node bench/sse.mjs build/bench/bench/bench_sse "$PWD/$work"
